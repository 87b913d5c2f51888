//! A plan for people: a sentence, then the tables that it sums up.

use std::io::Write;

use super::document::{Document, Flow, Sides};
use crate::args::{self, Format, PlanTable};
use crate::console::Console;
use crate::exit::Failure;
use crate::output::{self, Align, Cell, Sheet, count, counted, percent, ratio};

pub(super) fn print(
    args: &args::Plan,
    document: &Document,
    hints: &[String],
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    console.answer(|out| match args.format {
        Format::Json => output::json(out, document),
        Format::Csv => match args.csv_table {
            None | Some(PlanTable::Flows) => flows(document),
            Some(PlanTable::Servers) => servers(document),
            Some(PlanTable::Compare) => compare(document),
        }
        .write_csv(out),
        format @ (Format::Table | Format::Markdown) => all(out, format, document, hints),
    })
}

fn all(out: &mut dyn Write, format: Format, document: &Document, hints: &[String]) -> Result<(), Failure> {
    let escaped =
        |text: &str| if format == Format::Markdown { output::markdown(text) } else { text.to_owned() };
    writeln!(out, "{}\n", escaped(&sentence(document)))?;
    for hint in hints {
        writeln!(out, "{}\n", escaped(hint))?;
    }
    let sections = [
        ("What moves", summary(document)),
        ("From server to server", flows(document)),
        ("Each server", servers(document)),
        ("The same change under other schemes", compare(document)),
    ];
    for (title, sheet) in sections.iter().filter(|(_, sheet)| !sheet.is_empty()) {
        match format {
            Format::Markdown => writeln!(out, "**{title}**\n")?,
            _ => writeln!(out, "{title}")?,
        }
        sheet.write(format, out)?;
        writeln!(out)?;
    }
    // In Markdown lines that follow each other run together, unless they are a list.
    let bullet = if format == Format::Markdown { "- " } else { "" };
    for line in closing(document) {
        writeln!(out, "{bullet}{line}")?;
    }
    Ok(())
}

/// What it means, in one sentence.
fn sentence(document: &Document) -> String {
    let mut change = document.change.clone();
    if let Some(first) = change.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    let keys = counted(document.keys, "key");
    if document.moved == 0 {
        return format!("{change} moves nothing: of {keys} each stays where it is.");
    }
    let called_for = match document.minimum_share {
        0.0 => "none".to_owned(),
        share => percent(share),
    };
    let mut text = format!(
        "{change} moves {} of {keys} ({}, where the weights call for {called_for}){}",
        count(document.moved),
        percent(document.moved_share),
        between(document)
    );
    if let Some(share) = document.requests_moved_share {
        let share = percent(share);
        text += &match (document.moved, document.stray) {
            (1, _) => format!("; it carries {share} of the requests, and misses once on its new server"),
            (_, 0) => format!("; they carry {share} of the requests, and each misses once on its new server"),
            _ => format!(
                "; all that move carry {share} of the requests, and each misses once on its new server"
            ),
        };
    }
    text.push('.');
    text
}

/// From where to where, and whether there was need.
fn between(document: &Document) -> String {
    const STRAY: &str = "off no server whose share falls, or to none whose share rises";
    let names = |side: fn(&Flow) -> &str| {
        let mut names: Vec<&str> = document.flows.iter().map(side).collect();
        names.sort_unstable();
        names.dedup();
        names
    };
    let (from, to) = (names(|flow| &flow.from), names(|flow| &flow.to));
    let all = if document.moved == 1 { "" } else { "all of them " };
    match (document.stray, from.as_slice(), to.as_slice()) {
        (0, [from], [to]) => format!(", {all}from {from} to {to}"),
        (0, _, [to]) => format!(", {all}to {to}"),
        (0, [from], _) => format!(", {all}from {from}"),
        (0, ..) => ", each off a server whose share falls to one whose share rises".to_owned(),
        (stray, ..) if stray == document.moved => format!(", {all}stray: {STRAY}"),
        (1, ..) => format!("; 1 of them is stray: {STRAY}"),
        (stray, ..) => format!("; {} of them are stray: {STRAY}", count(stray)),
    }
}

/// The figures that need no table.
fn closing(document: &Document) -> Vec<String> {
    let busiest =
        |sides: &Sides<f64>| format!("{} before, {} after", ratio(sides.before), ratio(sides.after));
    let mut lines = vec![format!("busiest ÷ mean by keys: {}", busiest(&document.busiest_over_mean))];
    if let Some(sides) = &document.busiest_over_mean_requests {
        lines.push(format!("busiest ÷ mean by requests: {}", busiest(sides)));
    }
    if let Some(hits) = &document.hit_ratio {
        let load = match document.database_load_factor {
            Some(factor) => format!("the database gets {factor:.1} times its load"),
            None => "the database, which gets nothing today, gets the rest".to_owned(),
        };
        lines.push(format!(
            "hit ratio: {} before, {} while each moved key misses once; {load}",
            percent(hits.before),
            percent(hits.after)
        ));
    }
    if let Some(seed) = document.seed {
        lines.push(format!(
            "keys: {} from seed {seed}; --keys FILE measures your own",
            counted(document.keys, "synthetic one")
        ));
    }
    lines
}

fn summary(document: &Document) -> Sheet {
    let mut sheet = Sheet::new([
        ("of", Align::Left),
        ("all", Align::Right),
        ("moved", Align::Right),
        ("share", Align::Right),
        ("minimum", Align::Right),
        ("stray", Align::Right),
    ]);
    let minimum = || Cell::new(percent(document.minimum_share), document.minimum_share);
    let share =
        |share: Option<f64>| share.map_or_else(|| "".into(), |share| Cell::new(percent(share), share));
    let number = |number: u64| Cell::new(count(number), number);
    sheet.row([
        "keys".into(),
        number(document.keys),
        number(document.moved),
        share(Some(document.moved_share)),
        minimum(),
        number(document.stray),
    ]);
    if let (Some(all), Some(moved)) = (document.requests, document.requests_moved) {
        let cells = [number(all), number(moved), share(document.requests_moved_share), minimum(), "".into()];
        sheet.row([Cell::from("requests")].into_iter().chain(cells));
    }
    if let Some(moved) = document.circle_moved_share {
        sheet.row(["circle".into(), "".into(), "".into(), share(Some(moved)), minimum(), "".into()]);
    }
    sheet
}

fn flows(document: &Document) -> Sheet {
    let requests = document.requests.is_some();
    let bytes = document.bytes_moved.is_some();
    let mut columns = vec![("from", Align::Left), ("to", Align::Left), ("keys", Align::Right)];
    columns.extend(requests.then_some(("requests", Align::Right)));
    columns.extend(bytes.then_some(("bytes", Align::Right)));
    columns.push(("stray", Align::Left));
    let mut sheet = Sheet::new(columns);
    for flow in &document.flows {
        let number = |number: u64| Cell::new(count(number), number);
        let mut cells: Vec<Cell> =
            vec![flow.from.as_str().into(), flow.to.as_str().into(), number(flow.keys)];
        cells.extend(flow.requests.map(number));
        cells.extend(flow.bytes.map(number));
        cells.push(Cell::new(if flow.stray { "stray" } else { "" }, flow.stray));
        sheet.row(cells);
    }
    sheet
}

fn servers(document: &Document) -> Sheet {
    let requests = document.requests_moved_share.is_some();
    let mut columns = vec![
        ("server", Align::Left),
        ("keys before", Align::Right),
        ("keys after", Align::Right),
        ("share before", Align::Right),
        ("share after", Align::Right),
    ];
    if requests {
        columns.extend([("requests before", Align::Right), ("requests after", Align::Right)]);
    }
    let mut sheet = Sheet::new(columns);
    for server in &document.servers {
        let share = |share: f64| Cell::new(percent(share), share);
        let mut cells: Vec<Cell> = vec![
            server.name.as_str().into(),
            Cell::new(count(server.keys_before), server.keys_before),
            Cell::new(count(server.keys_after), server.keys_after),
            share(server.share_before),
            share(server.share_after),
        ];
        cells.extend(server.requests_share_before.map(share));
        cells.extend(server.requests_share_after.map(share));
        sheet.row(cells);
    }
    sheet
}

fn compare(document: &Document) -> Sheet {
    let mut sheet = Sheet::new([
        ("scheme", Align::Left),
        ("moved", Align::Right),
        ("stray", Align::Right),
        ("busiest ÷ mean before", Align::Right),
        ("busiest ÷ mean after", Align::Right),
    ]);
    if document.compare.is_empty() {
        return sheet;
    }
    let mut row = |scheme: &str, moved: f64, stray: u64, busiest: &Sides<f64>| {
        sheet.row([
            scheme.into(),
            Cell::new(percent(moved), moved),
            Cell::new(count(stray), stray),
            Cell::new(ratio(busiest.before), busiest.before),
            Cell::new(ratio(busiest.after), busiest.after),
        ]);
    };
    let Sides { before, after } = &document.scheme;
    let own =
        if before == after { format!("{after} (this fleet)") } else { format!("{before}, then {after}") };
    row(&own, document.moved_share, document.stray, &document.busiest_over_mean);
    for other in &document.compare {
        row(&other.scheme, other.moved_share, other.stray, &other.busiest_over_mean);
    }
    sheet
}
