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
    if let Some(hashed) = pool.hashed() {
        let one_line = hashed.split_whitespace().collect::<Vec<_>>().join(" ");
        let without = match pool.scheme().key_prefix() {
            Some(prefix) => format!(", without the prefix {:?}", prefix.as_str()),
            None => String::new(),
        };
        console.note(format_args!("note: a key here is what `{one_line}` makes of a request{without}"));
    }
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
                    "{what}: {scheme} names one owner for a key and no order of the others; a ring, rendezvous, skeleton or maglev does"
                ))
            })
        };
        let spread = match args.zones {
            None => Spread::Servers,
            Some(Zones::BestEffort) => Spread::Zones,
            Some(Zones::Strict) => Spread::StrictZones,
        };
        let replicas = if args.replicas != 1 || args.zones.is_some() {
            let asked = if args.replicas == 1 { "--zones" } else { "--replicas" };
            let replicas = Replicas::new(ranked(asked)?, args.replicas, spread);
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
        let Some(replicas) = &self.replicas else {
            let mut owners = [ServerIx::new(0); TOGETHER];
            return batch.together(|_, keys| {
                self.built.owners_of(keys, &mut owners);
                let route = |key: &[u8]| self.down.as_ref().map(|down| route_ix(self.built, key, down));
                for (key, owner) in keys.iter().zip(&owners) {
                    each(key, Answer { holders: slice::from_ref(owner), route: route(key) })?;
                }
                Ok(())
            });
        };
        for Record { key, .. } in batch.iter() {
            let route = self.down.as_ref().map(|down| replicas.route_ix(key, down));
            each(key, Answer { holders: &replicas.of(key), route })?;
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
    out: &'a mut dyn Write,
    built: &'a Built,
    format: Format,
    /// How many servers are named for each key.
    replicas: usize,
    down: bool,
    columns: Columns,
    /// Lines that were not sent on yet.
    text: Vec<u8>,
}

/// So much text is sent on at once.
const FULL: usize = 1 << 16;

impl<'a> Printer<'a> {
    fn new(args: &Owner, built: &'a Built, out: &'a mut dyn Write) -> Result<Printer<'a>, Failure> {
        let down = !args.down.is_empty();
        let mut heading = vec!["key".to_owned(), "owner".to_owned()];
        heading.extend((2..=args.replicas).map(|number| format!("replica {number}")));
        heading.extend(down.then(|| "served by".to_owned()));
        let mut text = Vec::with_capacity(FULL);
        let mut columns = Columns::default();
        match args.format {
            Format::Json => {}
            Format::Csv => {
                let names: Vec<String> = heading.iter().map(|name| name.replace(' ', "_")).collect();
                writeln!(text, "{}", names.join(","))?;
            }
            Format::Markdown => {
                writeln!(text, "| {} |\n|{}", heading.join(" | "), " --- |".repeat(heading.len()))?;
            }
            // One owner a key needs no heading; what stands beside it does.
            Format::Table if heading.len() > 2 => columns.held.push(heading),
            Format::Table => {}
        }
        Ok(Printer { out, built, format: args.format, replicas: args.replicas, down, columns, text })
    }

    fn print(&mut self, key: &[u8], answer: Answer<'_>) -> Result<(), Failure> {
        let (servers, text) = (self.built.servers(), &mut self.text);
        let name = |ix: ServerIx| servers[ix.index()].name().as_str();
        let missing = self.replicas.saturating_sub(answer.holders.len());
        let holders = answer.holders.iter().map(|ix| name(*ix)).chain(std::iter::repeat_n("", missing));
        let served_by = answer.route.map(|route| route.server().map(name));
        let cells = holders.chain(self.down.then(|| served_by.flatten().unwrap_or("nobody")));
        match self.format {
            Format::Json => {
                let utf8 = str::from_utf8(key).ok();
                let line = Line {
                    key: utf8,
                    key_hex: utf8.is_none().then(|| hex(key)),
                    owner: name(answer.holders[0]),
                    replicas: answer.holders.iter().map(|ix| name(*ix)).collect(),
                    served_by,
                };
                serde_json::to_writer(&mut *text, &line).map_err(std::io::Error::from)?;
            }
            Format::Csv => {
                push_field(text, key);
                for cell in cells {
                    text.push(b',');
                    push_field(text, cell.as_bytes());
                }
            }
            Format::Markdown => {
                let key = shown(key);
                let cells = std::iter::once(&*key).chain(cells).map(markdown).collect::<Vec<_>>();
                write!(text, "| {} |", cells.join(" | "))?;
            }
            Format::Table => {
                self.columns.line(text, key, cells);
                return self.send_if_full();
            }
        }
        text.push(b'\n');
        self.send_if_full()
    }

    fn send_if_full(&mut self) -> Result<(), Failure> {
        if self.text.len() >= FULL { self.send() } else { Ok(()) }
    }

    fn send(&mut self) -> Result<(), Failure> {
        self.out.write_all(&self.text)?;
        self.text.clear();
        Ok(())
    }

    /// Sends on what is printed, before more keys are waited for. (A table keeps its first lines, as
    /// its columns are not known before them.)
    fn pause(&mut self) -> Result<(), Failure> {
        self.send()?;
        Ok(self.out.flush()?)
    }

    fn finish(mut self) -> Result<(), Failure> {
        self.columns.settle(&mut self.text);
        self.send()
    }
}

/// How many lines of a table are held back to find out how wide its columns are.
const MEASURED: usize = 1_000;

/// A table that is printed while it grows: the widths of its first lines hold for all.
#[derive(Default)]
struct Columns {
    /// Lines whose widths are not settled yet.
    held: Vec<Vec<String>>,
    widths: Option<Vec<usize>>,
}

impl Columns {
    fn line<'b>(&mut self, text: &mut Vec<u8>, key: &[u8], cells: impl Iterator<Item = &'b str>) {
        let Some(widths) = &self.widths else {
            let mut line = vec![shown(key).into_owned()];
            line.extend(cells.map(str::to_owned));
            self.held.push(line);
            if self.held.len() == MEASURED {
                self.settle(text);
            }
            return;
        };
        let begun = text.len();
        // Most keys are shown as they are, and are as wide as they are long.
        let wide = if is_graphic(key) && !key.starts_with(b"\"") {
            text.extend_from_slice(key);
            key.len()
        } else {
            let key = shown(key);
            text.extend_from_slice(key.as_bytes());
            width(&key)
        };
        Columns::rest(text, begun, wide, widths, cells);
    }

    /// What stands beside the first cell, which is so wide; and the end of the line.
    fn rest<'b>(
        text: &mut Vec<u8>,
        begun: usize,
        mut wide: usize,
        widths: &[usize],
        cells: impl Iterator<Item = &'b str>,
    ) {
        // Where the next column begins, counted as it is in the first lines.
        for (cell, widest) in cells.zip(widths) {
            blanks(text, widest.saturating_sub(wide) + 2);
            text.extend_from_slice(cell.as_bytes());
            wide = width(cell);
        }
        // Nothing but cells that are empty, or a name, ends in blanks.
        if text.last().is_some_and(|last| !last.is_ascii_graphic()) {
            let kept =
                str::from_utf8(&text[begun..]).map_or(text.len() - begun, |line| line.trim_end().len());
            text.truncate(begun + kept);
        }
        text.push(b'\n');
    }

    fn settle(&mut self, text: &mut Vec<u8>) {
        let held = std::mem::take(&mut self.held);
        let Some(columns) = held.first().map(Vec::len) else { return };
        let widest = |at: usize| held.iter().map(|cells| width(&cells[at])).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns).map(widest).collect();
        for cells in &held {
            let begun = text.len();
            text.extend_from_slice(cells[0].as_bytes());
            Columns::rest(text, begun, width(&cells[0]), &widths, cells[1..].iter().map(String::as_str));
        }
        self.widths = Some(widths);
    }
}

/// So many blanks, copied in one go where there are few.
fn blanks(text: &mut Vec<u8>, count: usize) {
    const FEW: &[u8] = &[b' '; 64];
    match FEW.get(..count) {
        Some(few) => text.extend_from_slice(few),
        None => text.resize(text.len() + count, b' '),
    }
}

/// A field of a row of CSV, in quotes if it needs them.
fn push_field(text: &mut Vec<u8>, field: &[u8]) {
    // Most fields need none. A table and no branch a byte.
    const SPECIAL: [bool; 256] = {
        let mut special = [false; 256];
        let mut at = 0;
        while at < 4 {
            special[b",\"\r\n"[at] as usize] = true;
            at += 1;
        }
        special
    };
    if !field.iter().fold(false, |any, &byte| any | SPECIAL[usize::from(byte)]) {
        return text.extend_from_slice(field);
    }
    text.push(b'"');
    for &byte in field {
        text.extend_from_slice(if byte == b'"' { b"\"\"" } else { std::slice::from_ref(&byte) });
    }
    text.push(b'"');
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
    let is_whole = || text.trim() == text && !text.chars().any(char::is_control);
    !text.is_empty() && !text.starts_with('"') && (is_graphic(text.as_bytes()) || is_whole())
}

/// Whether bytes are letters, digits and signs and nothing else, as those of most keys are: found out without
/// a branch a byte.
fn is_graphic(bytes: &[u8]) -> bool {
    !bytes.is_empty() && bytes.iter().fold(true, |all, byte| all & byte.is_ascii_graphic())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_as_the_crate_for_csv_does() {
        for field in [
            "", "a", "a b", " a", "a,b", "a\"b", "\"", "\"\"", "a\nb", "a\r", "#a", "\u{e9},", "=1", "\t",
            "\0",
        ] {
            let mut text = Vec::new();
            push_field(&mut text, field.as_bytes());
            text.extend_from_slice(b",server\n");
            let mut csv = csv::Writer::from_writer(Vec::new());
            csv.write_record([field, "server"]).unwrap();
            assert_eq!(text, csv.into_inner().unwrap(), "{field:?}");
        }
    }
}
