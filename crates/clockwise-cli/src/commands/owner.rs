//! `clockwise owner`: which server owns each key, which hold its replicas, and who answers for it
//! while servers are down.

use std::borrow::Cow;
use std::io::Write;
use std::slice;

use clockwise::{Built, Down, Placement as _, Ranked, Replicas, Route, ServerIx, Spread, route_ix};
use clockwise_study::keys::{KeySet, Record, TOGETHER};
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

pub(crate) fn run(args: &Owner, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let pool = input::fleet(&args.fleet, &args.reading, console)?;
    let built = input::build(&pool, &args.reading, console)?;
    let resolver = Resolver::new(args, &built, pool.scheme())?;
    let keys =
        if args.key.is_empty() { Keys::read(&args.keys)? } else { Keys::typed(&args.key, &args.keys)? };
    console.answer(|out| {
        let mut printer = Printer::new(args, &built, out)?;
        keys.for_each(|batch| {
            resolver.resolve(batch, |key, answer| printer.print(key, answer))?;
            printer.pause()
        })?;
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

    /// Answers for each key, in order.
    fn resolve(
        &self,
        batch: &KeySet,
        mut each: impl FnMut(&[u8], Answer<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let route = |key: &[u8]| self.down.as_ref().map(|down| route_ix(self.built, key, down));
        let Some(replicas) = &self.replicas else {
            let mut owners = [ServerIx::new(0); TOGETHER];
            return batch.together(|keys, _| {
                self.built.owners_of(keys, &mut owners);
                for (key, owner) in keys.iter().zip(&owners) {
                    each(key, Answer { holders: slice::from_ref(owner), route: route(key) })?;
                }
                Ok(())
            });
        };
        for Record { key, .. } in batch.iter() {
            each(key, Answer { holders: &replicas.of(key), route: route(key) })?;
        }
        Ok(())
    }
}

/// What is known of one key.
struct Answer<'a> {
    /// The servers that hold it, the owner first; there is one at least.
    holders: &'a [ServerIx],
    route: Option<Route<ServerIx>>,
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

    fn print(&mut self, key: &[u8], answer: Answer<'_>) -> Result<(), Failure> {
        let servers = self.built.servers();
        let name = |ix: ServerIx| servers[ix.index()].name().as_str();
        let served_by = answer.route.map(|route| route.server().map(name));
        if let Lines::Json(out) = &mut self.lines {
            let text = str::from_utf8(key).ok();
            let line = Line {
                key: text,
                key_hex: text.is_none().then(|| hex(key)),
                owner: name(answer.holders[0]),
                replicas: answer.holders.iter().map(|ix| name(*ix)).collect(),
                served_by,
            };
            serde_json::to_writer(&mut *out, &line).map_err(std::io::Error::from)?;
            return Ok(out.write_all(b"\n")?);
        }
        let missing = self.replicas.saturating_sub(answer.holders.len());
        let holders = answer.holders.iter().map(|ix| name(*ix)).chain(std::iter::repeat_n("", missing));
        let cells = holders.chain(self.down.then(|| served_by.flatten().unwrap_or("nobody")));
        match &mut self.lines {
            Lines::Json(_) => Ok(()),
            Lines::Csv(csv) => {
                csv.write_field(key)?;
                Ok(csv.write_record(cells)?)
            }
            Lines::Markdown(out) => {
                let key = shown(key);
                let cells = std::iter::once(&*key).chain(cells).map(markdown).collect::<Vec<_>>();
                Ok(writeln!(out, "| {} |", cells.join(" | "))?)
            }
            Lines::Table(columns) => columns.line(std::iter::once(&*shown(key)).chain(cells)),
        }
    }

    /// Sends on what is printed, before more keys are waited for. (A table keeps its first lines, as
    /// its columns are not known before them.)
    fn pause(&mut self) -> Result<(), Failure> {
        match &mut self.lines {
            Lines::Json(out) | Lines::Markdown(out) => Ok(out.flush()?),
            Lines::Csv(csv) => Ok(csv.flush()?),
            Lines::Table(columns) => Ok(columns.out.flush()?),
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
    /// The line that is being written: its memory is used again for the next.
    text: String,
}

impl<'a> Columns<'a> {
    /// One owner a key needs no heading; what stands beside it does.
    fn new(out: &'a mut dyn Write, heading: Vec<String>) -> Columns<'a> {
        let held = if heading.len() > 2 { vec![heading] } else { Vec::new() };
        Columns { out, held, widths: None, text: String::new() }
    }

    fn line<'b>(&mut self, cells: impl Iterator<Item = &'b str>) -> Result<(), Failure> {
        if self.widths.is_some() {
            return self.write(cells);
        }
        self.held.push(cells.map(str::to_owned).collect());
        if self.held.len() == MEASURED { self.settle() } else { Ok(()) }
    }

    fn settle(&mut self) -> Result<(), Failure> {
        let held = std::mem::take(&mut self.held);
        let Some(columns) = held.first().map(Vec::len) else { return Ok(()) };
        let widest = |at: usize| held.iter().map(|cells| width(&cells[at])).max().unwrap_or(0);
        self.widths = Some((0..columns).map(widest).collect());
        held.iter().try_for_each(|cells| self.write(cells.iter().map(String::as_str)))
    }

    fn write<'b>(&mut self, cells: impl Iterator<Item = &'b str>) -> Result<(), Failure> {
        let line = &mut self.text;
        line.clear();
        // Where the next column begins, counted as it is in the first lines.
        let mut padding = 0;
        for (cell, widest) in cells.zip(self.widths.iter().flatten()) {
            line.extend(std::iter::repeat_n(' ', padding));
            line.push_str(cell);
            padding = widest.saturating_sub(width(cell)) + 2;
        }
        line.truncate(line.trim_end().len());
        line.push('\n');
        Ok(self.out.write_all(line.as_bytes())?)
    }
}

/// How many columns of a terminal text takes, counted as its characters.
fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().count() }
}

/// A key as a terminal can show it: as it is where that is plain, else escaped in quotes.
fn shown(key: &[u8]) -> Cow<'_, str> {
    match str::from_utf8(key) {
        Ok(text) if is_plain(text) => Cow::Borrowed(text),
        Ok(text) => Cow::Owned(format!("{text:?}")),
        Err(_) => Cow::Owned(format!("\"{}\"", key.escape_ascii())),
    }
}

/// Whether text is seen as what it is: all of it, where it begins and where it ends.
fn is_plain(text: &str) -> bool {
    // Most keys are of nothing but these.
    let is_graphic = || text.bytes().all(|byte| byte.is_ascii_graphic());
    let is_whole = || text.trim() == text && !text.chars().any(char::is_control);
    !text.is_empty() && !text.starts_with('"') && (is_graphic() || is_whole())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
