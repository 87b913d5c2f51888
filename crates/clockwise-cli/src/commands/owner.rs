//! `clockwise owner`: which server owns each key, which hold its replicas, and who answers for it
//! while servers are down.

use std::io::Write;

use clockwise::{Built, Down, Placement as _, Ranked, Replicas, Route, ServerIx, Spread, route_ix};
use clockwise_study::keys::Record;
use serde::Serialize;

use crate::args::{Format, Owner, Zones};
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::input::{self, Keys};
use crate::output::markdown;

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

pub(crate) fn run(args: &Owner, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let pool = input::fleet(&args.fleet, &args.reading, console)?;
    let built = input::build(&pool, &args.reading, console)?;
    let resolver = Resolver::new(args, &built, pool.scheme())?;
    let keys =
        if args.key.is_empty() { Keys::read(&args.keys)? } else { Keys::typed(&args.key, &args.keys)? };
    console.answer(|out| {
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

/// Prints answers as they come: a list of keys may be long, and a pipe wants its first line now.
struct Printer<'a> {
    built: &'a Built,
    /// How many servers are named for each key.
    replicas: usize,
    down: bool,
    lines: Lines<'a>,
}

/// Lines of one format.
enum Lines<'a> {
    Json(&'a mut dyn Write),
    Csv(Box<csv::Writer<&'a mut dyn Write>>),
    Markdown(&'a mut dyn Write),
    Table(Columns<'a>),
}

impl<'a> Printer<'a> {
    fn new(args: &Owner, built: &'a Built, out: &'a mut dyn Write) -> Result<Printer<'a>, Failure> {
        let down = !args.down.is_empty();
        let mut columns = vec!["key".to_owned(), "owner".to_owned()];
        columns.extend((2..=args.replicas).map(|number| format!("replica {number}")));
        columns.extend(down.then(|| "served by".to_owned()));
        let lines = match args.format {
            Format::Json => Lines::Json(out),
            Format::Csv => {
                let mut csv = csv::Writer::from_writer(out);
                csv.write_record(columns.iter().map(|name| name.replace(' ', "_")))?;
                Lines::Csv(Box::new(csv))
            }
            Format::Markdown => {
                writeln!(out, "| {} |\n|{}", columns.join(" | "), " --- |".repeat(columns.len()))?;
                Lines::Markdown(out)
            }
            Format::Table => Lines::Table(Columns::new(out, columns)),
        };
        Ok(Printer { built, replicas: args.replicas, down, lines })
    }

    fn print(&mut self, key: &[u8], answer: &Answer) -> Result<(), Failure> {
        let servers = self.built.servers();
        let name = |ix: ServerIx| servers[ix.index()].name().as_str();
        let served_by = answer.route.map(|route| route.server().map(name));
        if let Lines::Json(out) = &mut self.lines {
            let text = str::from_utf8(key).ok();
            let line = Line {
                key: text,
                key_hex: text.is_none().then(|| hex(key)),
                owner: name(answer.replicas[0]),
                replicas: answer.replicas.iter().map(|ix| name(*ix)).collect(),
                served_by,
            };
            serde_json::to_writer(&mut *out, &line).map_err(std::io::Error::from)?;
            return Ok(out.write_all(b"\n")?);
        }
        let mut cells: Vec<&str> = answer.replicas.iter().map(|ix| name(*ix)).collect();
        cells.resize(self.replicas, "");
        cells.extend(self.down.then(|| served_by.flatten().unwrap_or("nobody")));
        match &mut self.lines {
            Lines::Json(_) => Ok(()),
            Lines::Csv(csv) => {
                csv.write_field(key)?;
                Ok(csv.write_record(&cells)?)
            }
            Lines::Markdown(out) => {
                let cells =
                    std::iter::once(shown(key).as_str()).chain(cells).map(markdown).collect::<Vec<_>>();
                Ok(writeln!(out, "| {} |", cells.join(" | "))?)
            }
            Lines::Table(columns) => columns
                .line(std::iter::once(shown(key)).chain(cells.into_iter().map(str::to_owned)).collect()),
        }
    }

    fn finish(self) -> Result<(), Failure> {
        match self.lines {
            Lines::Json(_) | Lines::Markdown(_) => Ok(()),
            Lines::Csv(mut csv) => Ok(csv.flush()?),
            Lines::Table(mut columns) => columns.settle(),
        }
    }
}

/// How many lines of a table are held back to find out how wide its columns are.
const MEASURED: usize = 1_000;

/// A table that is printed while it grows: the widths of its first lines hold for all.
struct Columns<'a> {
    out: &'a mut dyn Write,
    /// Lines whose widths are not settled yet.
    held: Vec<Vec<String>>,
    widths: Option<Vec<usize>>,
}

impl<'a> Columns<'a> {
    /// One owner a key needs no heading; what stands beside it does.
    fn new(out: &'a mut dyn Write, heading: Vec<String>) -> Columns<'a> {
        let held = if heading.len() > 2 { vec![heading] } else { Vec::new() };
        Columns { out, held, widths: None }
    }

    fn line(&mut self, cells: Vec<String>) -> Result<(), Failure> {
        match &self.widths {
            Some(widths) => write_line(self.out, &cells, widths),
            None => {
                self.held.push(cells);
                if self.held.len() == MEASURED { self.settle() } else { Ok(()) }
            }
        }
    }

    fn settle(&mut self) -> Result<(), Failure> {
        let held = std::mem::take(&mut self.held);
        let Some(columns) = held.first().map(Vec::len) else { return Ok(()) };
        let widest = |at: usize| held.iter().map(|cells| cells[at].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns).map(widest).collect();
        for cells in &held {
            write_line(self.out, cells, &widths)?;
        }
        self.widths = Some(widths);
        Ok(())
    }
}

fn write_line(out: &mut dyn Write, cells: &[String], widths: &[usize]) -> Result<(), Failure> {
    let line: Vec<String> = cells.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}")).collect();
    Ok(writeln!(out, "{}", line.join("  ").trim_end())?)
}

/// A key as a terminal can show it: as it is where that is plain, else escaped in quotes.
fn shown(key: &[u8]) -> String {
    match str::from_utf8(key) {
        Ok(text) if is_plain(text) => text.to_owned(),
        Ok(text) => format!("{text:?}"),
        Err(_) => format!("\"{}\"", key.escape_ascii()),
    }
}

/// Whether text is seen as what it is: all of it, where it begins and where it ends.
fn is_plain(text: &str) -> bool {
    !text.is_empty() && !text.starts_with('"') && text.trim() == text && !text.chars().any(char::is_control)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
