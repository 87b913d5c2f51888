//! A plan for people: a sentence, then the tables that it sums up.

use std::io::Write;

use clockwise_study::plan::Report;

use super::document::{Document, Sides};
use crate::args::{self, Format, PlanTable};
use crate::exit::Failure;
use crate::output::{self, Align, Cell, Sheet, count, percent, ratio};

pub(super) fn print(args: &args::Plan, document: &Document, report: &Report) -> Result<(), Failure> {
    output::finish(|out| match args.format {
        Format::Json => output::json(out, document),
        Format::Csv => Ok(match args.csv_table {
            PlanTable::Flows => flows(document),
            PlanTable::Servers => servers(document),
            PlanTable::Compare => compare(document),
        }
        .write_csv(out)?),
        format @ (Format::Table | Format::Markdown) => all(out, format, document, report),
    })
}

fn all(out: &mut dyn Write, format: Format, document: &Document, report: &Report) -> Result<(), Failure> {
    writeln!(out, "{}\n", sentence(document))?;
    for hint in hints(document, report) {
        writeln!(out, "{hint}\n")?;
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
    let busiest =
        |sides: &Sides<f64>| format!("{} before, {} after", ratio(sides.before), ratio(sides.after));
    writeln!(out, "busiest ÷ mean by keys: {}", busiest(&document.busiest_over_mean))?;
    if let Some(sides) = &document.busiest_over_mean_requests {
        writeln!(out, "busiest ÷ mean by requests: {}", busiest(sides))?;
    }
    if let (Some(hits), Some(load)) = (&document.hit_ratio, document.database_load_factor) {
        writeln!(
            out,
            "hit ratio: {} before, {} while each moved key misses once; the database gets {load:.1} times its load",
            percent(hits.before),
            percent(hits.after)
        )?;
    }
    if let Some(seed) = document.seed {
        writeln!(
            out,
            "keys: {} synthetic ones from seed {seed}; --keys FILE measures your own",
            count(document.keys)
        )?;
    }
    Ok(())
}

/// What it means, in one sentence.
fn sentence(document: &Document) -> String {
    let mut change = document.change.clone();
    if let Some(first) = change.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    let keys = count(document.keys);
    if document.moved == 0 {
        return format!("{change} moves nothing: all {keys} keys keep their server.");
    }
    let mut text = format!(
        "{change} moves {} of {keys} keys ({}, where the weights call for {})",
        count(document.moved),
        percent(document.moved_share),
        percent(document.minimum_share)
    );
    if document.minimum_share == 0.0 {
        text = format!(
            "{change} moves {} of {keys} keys ({}), although no server's share of the weights changes",
            count(document.moved),
            percent(document.moved_share)
        );
    }
    let mut to: Vec<&str> = document.flows.iter().map(|flow| flow.to.as_str()).collect();
    to.sort_unstable();
    to.dedup();
    match (document.stray, to.as_slice()) {
        (0, [only]) => text.push_str(&format!(", all of them to {only}")),
        (0, _) => text.push_str(", each off a server whose share falls to one whose share rises"),
        (stray, _) => text.push_str(&format!(
            "; {} of them astray, between servers whose shares do not call for it",
            count(stray)
        )),
    }
    if let Some(share) = document.requests_moved_share {
        text.push_str(&format!(
            "; they carry {} of the requests, and each misses once on its new server",
            percent(share)
        ));
    }
    text.push('.');
    text
}

/// What to do about it, where something can be done.
fn hints(document: &Document, report: &Report) -> Vec<String> {
    use clockwise::Placement as _;
    let mut hints = Vec::new();
    let stray_share = document.stray as f64 / document.keys as f64;
    if report.before.depends_on_order()
        && report.before.measured().is_some_and(|m| m.layout().is_none())
        && stray_share > 0.01
    {
        let names = |placement: &clockwise::Built| -> Vec<String> {
            placement.servers().iter().map(|server| server.name().to_string()).collect()
        };
        let (before, after) = (names(&report.before), names(&report.after));
        if before.len() == after.len() && before.iter().all(|name| after.contains(name)) {
            hints.push(format!(
                "The servers are the same in another order, and {} places keys by their position in the list.",
                document.scheme.before
            ));
        } else if after.len() < before.len() {
            hints.push(format!(
                "{} places keys by a server's position in the list, and a server taken out of the middle moves all \
                 behind it up. Put a spare in its place (--replace OLD=NEW=ADDR): then only its own keys move. Or keep \
                 it listed as down until one is there.",
                document.scheme.before
            ));
        }
    }
    hints
}

fn summary(document: &Document) -> Sheet {
    let mut sheet = Sheet::new([
        ("of", Align::Left),
        ("all", Align::Right),
        ("moved", Align::Right),
        ("share", Align::Right),
        ("minimum", Align::Right),
        ("astray", Align::Right),
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
    columns.push(("astray", Align::Left));
    let mut sheet = Sheet::new(columns);
    for flow in &document.flows {
        let number = |number: u64| Cell::new(count(number), number);
        let mut cells: Vec<Cell> =
            vec![flow.from.as_str().into(), flow.to.as_str().into(), number(flow.keys)];
        cells.extend(flow.requests.map(number));
        cells.extend(flow.bytes.map(number));
        cells.push(Cell::new(if flow.stray { "astray" } else { "" }, flow.stray));
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
        ("astray", Align::Right),
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
    row(
        &format!("{} (this fleet)", document.scheme.after),
        document.moved_share,
        document.stray,
        &document.busiest_over_mean,
    );
    for other in &document.compare {
        row(&other.scheme, other.moved_share, other.stray, &other.busiest_over_mean);
    }
    sheet
}
