//! A plan for people: a sentence, then the tables that it sums up.

use std::io::Write;

use super::document::{Circle, CircleFlow, Document, Flow, Sides};
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
    let exact = document.exact().map(|(_, circle)| circle);
    let mut flows = exact.map_or_else(|| flows(document), exact_flows);
    let left_out = if format == Format::Table { flows.keep(MOST_FLOWS) } else { 0 };
    let sections = [
        ("What moves", summary(document)),
        ("From server to server", flows),
        ("Each server", exact.map_or_else(|| servers(document), exact_servers)),
        ("The same change under other schemes", compare(document)),
    ];
    for (title, sheet) in sections.iter().filter(|(_, sheet)| !sheet.is_empty()) {
        match format {
            Format::Markdown => writeln!(out, "**{title}**\n")?,
            _ => writeln!(out, "{title}")?,
        }
        sheet.write(format, out)?;
        if left_out > 0 && *title == "From server to server" {
            writeln!(out, "and {} with less each; --format csv lists all", counted(left_out as u64, "flow"))?;
        }
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
    if let Some((share, circle)) = document.exact() {
        return exact_sentence(&change, share, circle, document);
    }
    let keys = counted(document.keys, "key");
    if document.moved == 0 {
        return format!("{change} moves nothing: of {keys} each stays where it is.");
    }
    let called_for = called_for(document);
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

/// The same without keys: of all keys there could be.
fn exact_sentence(change: &str, share: f64, circle: &Circle, document: &Document) -> String {
    if circle.flows.is_empty() {
        return format!("{change} moves nothing: every key there could be stays where it is.");
    }
    let ends = |flow: &CircleFlow| (flow.from.clone(), flow.to.clone());
    let between = match circle.stray_share {
        0.0 => with_need(circle.flows.iter().map(ends).collect(), "all of it "),
        stray if stray >= share => format!(", all of it stray: {STRAY}"),
        stray => format!("; {} is stray: {STRAY}", percent(stray)),
    };
    format!(
        "{change} moves {} of all keys there could be (exact; the weights call for {}){between}.",
        percent(share),
        called_for(document)
    )
}

/// What the change of weights calls for.
fn called_for(document: &Document) -> String {
    match document.minimum_share {
        0.0 => "none".to_owned(),
        share => percent(share),
    }
}

const STRAY: &str = "off no server whose share falls, or to none whose share rises";

/// From where to where, if all of it moved for a reason.
fn with_need(ends: Vec<(String, String)>, all: &str) -> String {
    let (mut from, mut to): (Vec<String>, Vec<String>) = ends.into_iter().unzip();
    for names in [&mut from, &mut to] {
        names.sort_unstable();
        names.dedup();
    }
    match (from.as_slice(), to.as_slice()) {
        ([from], [to]) => format!(", {all}from {from} to {to}"),
        (_, [to]) => format!(", {all}to {to}"),
        ([from], _) => format!(", {all}from {from}"),
        _ => ", each off a server whose share falls to one whose share rises".to_owned(),
    }
}

/// From where to where, and whether there was need.
fn between(document: &Document) -> String {
    let ends = |flow: &Flow| (flow.from.clone(), flow.to.clone());
    let all = if document.moved == 1 { "" } else { "all of them " };
    match document.stray {
        0 => with_need(document.flows.iter().map(ends).collect(), all),
        stray if stray == document.moved => format!(", {all}stray: {STRAY}"),
        1 => format!("; 1 of them is stray: {STRAY}"),
        stray => format!("; {} of them are stray: {STRAY}", count(stray)),
    }
}

/// The figures that need no table.
fn closing(document: &Document) -> Vec<String> {
    let busiest =
        |sides: &Sides<f64>| format!("{} before, {} after", ratio(sides.before), ratio(sides.after));
    let mut lines = match document.exact() {
        Some((_, circle)) => {
            vec![format!("busiest ÷ mean of all keys: {}", busiest(&circle.busiest_over_mean))]
        }
        None => vec![format!("busiest ÷ mean by keys: {}", busiest(&document.busiest_over_mean))],
    };
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

/// The table shows this many flows; the others are small, and a screen is short.
const MOST_FLOWS: usize = 20;

/// What goes from where to where, of all keys there could be.
fn exact_flows(circle: &Circle) -> Sheet {
    let mut sheet = Sheet::new([
        ("from", Align::Left),
        ("to", Align::Left),
        ("share of all keys", Align::Right),
        ("stray", Align::Left),
    ]);
    for flow in &circle.flows {
        sheet.row([
            flow.from.as_str().into(),
            flow.to.as_str().into(),
            Cell::new(percent(flow.share), flow.share),
            Cell::new(if flow.stray { "stray" } else { "" }, flow.stray),
        ]);
    }
    sheet
}

/// What each server owns, of all keys there could be.
fn exact_servers(circle: &Circle) -> Sheet {
    let mut sheet =
        Sheet::new([("server", Align::Left), ("share before", Align::Right), ("share after", Align::Right)]);
    for server in &circle.servers {
        let share = |share: f64| Cell::new(percent(share), share);
        sheet.row([server.name.as_str().into(), share(server.share_before), share(server.share_after)]);
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
