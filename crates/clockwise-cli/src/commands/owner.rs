//! `clockwise owner`: which server owns each key, which hold its replicas, and who answers for it
//! while servers are down.

use std::io::Write;

use clockwise::{Built, Down, Placement as _, Ranked, Replicas, Route, ServerIx, Spread, route_ix};
use clockwise_study::keys::Record;
use serde::Serialize;

use crate::args::{Format, Owner, Zones};
use crate::exit::{Exit, Failure};
use crate::input::{self, Keys};
use crate::output;

/// One line of `--format json`.
#[derive(Serialize)]
struct Line<'a> {
    /// The key as text; null where it is not UTF-8.
    key: Option<&'a str>,
    /// The key's bytes in hexadecimal, where it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    key_hex: Option<String>,
    owner: &'a str,
    /// The servers that hold it, the owner first.
    replicas: Vec<&'a str>,
    /// With `--down`: who answers now; null when no server is left that could.
    #[serde(skip_serializing_if = "Option::is_none")]
    served_by: Option<Option<&'a str>>,
}

/// What is known of one key.
struct Answer {
    replicas: Vec<ServerIx>,
    route: Option<Route<ServerIx>>,
}

pub(crate) fn run(args: &Owner) -> Result<Exit, Failure> {
    let pool = input::fleet(&args.fleet, &args.reading)?;
    let built = input::build(&pool, &args.reading)?;
    let resolver = Resolver::new(args, &built, pool.scheme())?;
    let keys =
        if args.key.is_empty() { Keys::read(&args.keys)? } else { Keys::typed(&args.key, &args.keys)? };
    output::finish(|out| {
        let mut printer = Printer::new(args, &built, out)?;
        keys.for_each(|Record { key, .. }| printer.print(key, &resolver.resolve(key)))?;
        printer.finish()
    })?;
    Ok(Exit::Fine)
}

/// Who holds a key and who answers for it.
struct Resolver<'a> {
    built: &'a Built,
    replicas: Option<Replicas<&'a dyn Ranked>>,
    down: Option<Down>,
}

impl<'a> Resolver<'a> {
    fn new(args: &Owner, built: &'a Built, scheme: &clockwise::Scheme) -> Result<Resolver<'a>, Failure> {
        let ranked = |what: &str| {
            built.ranked().ok_or_else(|| {
                Failure::Usage(format!(
                    "{what}: {scheme} names one owner for a key and no order of the others; a ring, rendezvous or maglev does"
                ))
            })
        };
        let spread = match args.zones {
            None => Spread::Servers,
            Some(Zones::BestEffort) => Spread::Zones,
            Some(Zones::Strict) => Spread::StrictZones,
        };
        let replicas = if args.replicas != 1 || args.zones.is_some() {
            let replicas = Replicas::new(ranked("--replicas")?, args.replicas, spread);
            Some(replicas.map_err(|error| Failure::Usage(format!("--replicas {}: {error}", args.replicas)))?)
        } else {
            None
        };
        let down = if args.down.is_empty() {
            None
        } else {
            ranked("--down")?;
            let mut down = Down::none(built);
            for name in &args.down {
                down.mark_name(built, name).map_err(|error| Failure::Usage(format!("--down: {error}")))?;
            }
            Some(down)
        };
        Ok(Resolver { built, replicas, down })
    }

    fn resolve(&self, key: &[u8]) -> Answer {
        Answer {
            replicas: match &self.replicas {
                Some(replicas) => replicas.of(key),
                None => vec![self.built.owner_ix(key)],
            },
            route: self.down.as_ref().map(|down| route_ix(self.built, key, down)),
        }
    }
}

/// How many lines of a table are held back to find out how wide the keys are.
const MEASURED: usize = 1_000;

/// Prints answers as they come: a list of keys may be long, and a pipe wants its first line now.
struct Printer<'a> {
    format: Format,
    built: &'a Built,
    out: &'a mut dyn Write,
    replicas: bool,
    down: bool,
    /// Lines of the table whose width is not settled yet.
    held: Vec<[String; 2]>,
    width: Option<usize>,
}

impl<'a> Printer<'a> {
    fn new(args: &Owner, built: &'a Built, out: &'a mut dyn Write) -> Result<Printer<'a>, Failure> {
        let (replicas, down) = (args.replicas != 1, !args.down.is_empty());
        let mut columns = vec!["key", "owner"];
        columns.extend(replicas.then_some("replicas"));
        columns.extend(down.then_some("served by"));
        match args.format {
            Format::Json | Format::Table => {}
            Format::Csv => writeln!(out, "{}", columns.join(",").replace(' ', "_"))?,
            Format::Markdown => {
                writeln!(out, "| {} |\n|{}", columns.join(" | "), " --- |".repeat(columns.len()))?;
            }
        }
        Ok(Printer { format: args.format, built, out, replicas, down, held: Vec::new(), width: None })
    }

    fn name(&self, ix: ServerIx) -> &'a str {
        self.built.servers()[ix.index()].name().as_str()
    }

    fn print(&mut self, key: &[u8], answer: &Answer) -> Result<(), Failure> {
        let owner = self.name(answer.replicas[0]);
        let replicas: Vec<&str> = answer.replicas.iter().map(|ix| self.name(*ix)).collect();
        let served_by = answer.route.map(|route| route.server().map(|ix| self.name(ix)));
        if self.format == Format::Json {
            let text = str::from_utf8(key).ok();
            let key_hex = text.is_none().then(|| hex(key));
            let line = Line { key: text, key_hex, owner, replicas, served_by };
            serde_json::to_writer(&mut *self.out, &line).map_err(std::io::Error::from)?;
            return Ok(self.out.write_all(b"\n")?);
        }
        let mut cells = vec![owner.to_owned()];
        if self.replicas {
            cells.push(replicas.join(" "));
        }
        if self.down {
            cells.push(served_by.flatten().unwrap_or("nobody").to_owned());
        }
        match self.format {
            Format::Csv => {
                let mut csv = csv::Writer::from_writer(&mut *self.out);
                csv.write_field(key).and_then(|()| csv.write_record(&cells)).map_err(std::io::Error::from)?;
                Ok(csv.flush()?)
            }
            Format::Markdown => {
                let escaped = |text: &str| text.replace('\\', "\\\\").replace('|', "\\|");
                let cells: Vec<String> = cells.iter().map(|cell| escaped(cell)).collect();
                Ok(writeln!(self.out, "| {} | {} |", escaped(&shown(key)), cells.join(" | "))?)
            }
            _ => self.line([shown(key), cells.join("  ")]),
        }
    }

    /// One line of the table: held until the width of the keys is known, then printed at once.
    fn line(&mut self, line: [String; 2]) -> Result<(), Failure> {
        match self.width {
            Some(width) => Ok(writeln!(self.out, "{:width$}  {}", line[0], line[1])?),
            None => {
                self.held.push(line);
                if self.held.len() == MEASURED { self.settle() } else { Ok(()) }
            }
        }
    }

    fn settle(&mut self) -> Result<(), Failure> {
        let width = self.held.iter().map(|[key, _]| key.chars().count()).max().unwrap_or(0);
        self.width = Some(width);
        for [key, rest] in std::mem::take(&mut self.held) {
            writeln!(self.out, "{key:width$}  {rest}")?;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<(), Failure> {
        self.settle()
    }
}

/// A key as a terminal can show it: as it is where it is plain text, else escaped in quotes.
fn shown(key: &[u8]) -> String {
    match str::from_utf8(key) {
        Ok(text) if !text.is_empty() && !text.chars().any(char::is_control) => text.to_owned(),
        Ok(text) => format!("{text:?}"),
        Err(_) => format!("\"{}\"", key.escape_ascii()),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
