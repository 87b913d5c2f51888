//! `clockwise diff`: whether two fleets place keys alike, and if not, why.

use std::io::Write;

use clockwise_config::Pool;
use clockwise_study::diff::{self, Diff, NoPlacement, Side};
use clockwise_study::plan::Fleet;
use serde::Serialize;

use super::fingerprint::Fingerprints;
use crate::args::{self, DiffTable, Format};
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::input;
use crate::output::{self, Align, Cell, Sheet, count, counted, percent, plural};

/// How many flows a screen holds.
const FLOWS_SHOWN: usize = 12;

/// The document that `--format json` prints. Shares are parts of one.
#[derive(Serialize)]
struct Document {
    /// Where the fleets were read from.
    fleet: Sides<String>,
    scheme: Sides<String>,
    /// The seed of the synthetic keys; null where keys were read.
    seed: Option<u64>,
    keys: u64,
    /// Keys with one machine in A and another in B.
    differing: u64,
    differing_share: f64,
    /// Of the requests; null where the keys do not count them.
    requests_differing_share: Option<f64>,
    /// Exact over every key there could be; null unless both are rings or slots that hash keys alike.
    circle_differing_share: Option<f64>,
    causes: Vec<Cause>,
    flows: Vec<Flow>,
    /// What deserves a look though it decides no owner here.
    notes: Vec<String>,
    fingerprint: Sides<Fingerprints>,
}

#[derive(Serialize)]
struct Sides<T> {
    a: T,
    b: T,
}

#[derive(Serialize)]
struct Cause {
    cause: String,
    a: String,
    b: String,
    detail: Option<String>,
    /// Keys that differ if this alone does; null where there is no such placement.
    alone_share: Option<f64>,
    /// Keys that still differ once this cause and those before it are set right.
    left_share: f64,
}

#[derive(Serialize)]
struct Flow {
    from: String,
    to: String,
    keys: u64,
    requests: Option<u64>,
}

pub(crate) fn run(args: &args::Diff, console: &mut Console<'_>) -> Result<Exit, Failure> {
    if args.csv_table.is_some() && args.format != Format::Csv {
        return Err(Failure::Usage("--csv-table says what --format csv prints: give both".to_owned()));
    }
    let a = input::fleet(&args.a, &args.reading, console)?;
    let b = input::fleet(&args.b, &args.reading, console)?;
    let keys = input::key_set(&args.keys)?;
    let diff = diff::diff(&fleet(&a), &fleet(&b), &keys).map_err(|error| diagnosed(&a, &b, &error))?;
    input::warn_of(&a, &diff.a, &args.reading, console)?;
    input::warn_of(&b, &diff.b, &args.reading, console)?;
    let document = Document::new(args, [&a, &b], &diff, keys.has_requests());
    console.answer(|out| match args.format {
        Format::Json => output::json(out, &document),
        Format::Csv => match args.csv_table {
            None | Some(DiffTable::Causes) => causes(&document).write_csv(out),
            Some(DiffTable::Flows) => flows(&document).write_csv(out),
        },
        format => print(out, format, &document),
    })?;
    Ok(if diff.differs() { Exit::Findings } else { Exit::Fine })
}

fn fleet(pool: &Pool) -> Fleet {
    Fleet { scheme: pool.scheme().clone(), servers: pool.servers().clone() }
}

/// An error of one of the two fleets, shown in its file.
fn diagnosed(a: &Pool, b: &Pool, no_placement: &NoPlacement) -> Failure {
    let pool = if no_placement.side == Side::A { a } else { b };
    input::diagnosed(pool, &no_placement.error)
}

impl Document {
    fn new(args: &args::Diff, [a, b]: [&Pool; 2], diff: &Diff, requests: bool) -> Document {
        let (total, moved) = (diff.moves.total(), diff.moves.moved());
        let share = |part: u64| part as f64 / total.keys as f64;
        let cause = |cause: &diff::Cause| Cause {
            cause: cause.knob.name().to_owned(),
            a: cause.a.clone(),
            b: cause.b.clone(),
            detail: cause.detail.clone(),
            alone_share: cause.alone.map(share),
            left_share: share(cause.left),
        };
        Document {
            fleet: Sides { a: input::title(a), b: input::title(b) },
            scheme: Sides { a: a.scheme().to_string(), b: b.scheme().to_string() },
            seed: args.keys.keys.keys.is_none().then_some(args.keys.seed),
            keys: total.keys,
            differing: moved.keys,
            differing_share: diff.share(),
            requests_differing_share: (requests && total.requests > 0)
                .then(|| moved.requests as f64 / total.requests as f64),
            circle_differing_share: diff.circle.as_ref().map(|circle| circle.moved().as_f64()),
            causes: diff.causes.iter().map(cause).collect(),
            flows: (diff.moves.flows().iter())
                .map(|flow| Flow {
                    from: flow.from.to_string(),
                    to: flow.to.to_string(),
                    keys: flow.moved.keys,
                    requests: requests.then_some(flow.moved.requests),
                })
                .collect(),
            notes: diff.notes.clone(),
            fingerprint: Sides { a: Fingerprints::of(&diff.a), b: Fingerprints::of(&diff.b) },
        }
    }
}

fn print(out: &mut dyn Write, format: Format, document: &Document) -> Result<(), Failure> {
    writeln!(out, "{}\n", sentence(document))?;
    let mut flows = flows(document);
    let left_out = flows.keep(FLOWS_SHOWN);
    for (title, sheet) in [("Why", causes(document)), ("From server in A to server in B", flows)] {
        if sheet.is_empty() {
            continue;
        }
        match format {
            Format::Markdown => writeln!(out, "**{title}**\n")?,
            _ => writeln!(out, "{title}")?,
        }
        sheet.write(format, out)?;
        writeln!(out)?;
    }
    if left_out > 0 {
        writeln!(
            out,
            "and {} more {}; --format csv --csv-table flows has all\n",
            count(left_out as u64),
            plural(left_out as u64, "way")
        )?;
    }
    for note in &document.notes {
        writeln!(out, "note: {note}\n")?;
    }
    let fingerprint = |of: &Fingerprints| of.layout.clone().unwrap_or_else(|| of.probes.clone());
    let Sides { a, b } = &document.fingerprint;
    let kind = if a.layout.is_some() && b.layout.is_some() { "layout" } else { "probes" };
    let (a, b) = match kind {
        "layout" => (fingerprint(a), fingerprint(b)),
        _ => (a.probes.clone(), b.probes.clone()),
    };
    writeln!(out, "fingerprints ({kind}): A {a}, B {b}")?;
    if let Some(seed) = document.seed {
        let keys = counted(document.keys, "synthetic one");
        writeln!(out, "keys: {keys} from seed {seed}; --keys FILE asks for your own")?;
    }
    Ok(())
}

/// What it means, in one sentence.
fn sentence(document: &Document) -> String {
    let Sides { a, b } = &document.fleet;
    let keys = counted(document.keys, "key");
    let mut text = match document.differing {
        0 if document.keys == 1 => format!("A ({a}) and B ({b}) place the one key alike"),
        0 => format!("A ({a}) and B ({b}) place all {keys} alike"),
        differing => format!(
            "A ({a}) and B ({b}) place {} of {keys} differently ({})",
            count(differing),
            percent(document.differing_share)
        ),
    };
    if let Some(share) = document.requests_differing_share.filter(|_| document.differing > 0) {
        text += &format!("; they carry {} of the requests", percent(share));
    }
    text += &match document.circle_differing_share {
        Some(share) if share > 0.0 => format!("; of every key there could be, {}", percent(share)),
        Some(_) => ", and every key there could be".to_owned(),
        None => String::new(),
    };
    text + "."
}

fn causes(document: &Document) -> Sheet {
    let mut sheet = Sheet::new([
        ("cause", Align::Left),
        ("in A", Align::Left),
        ("in B", Align::Left),
        ("alone", Align::Right),
        ("left", Align::Right),
        ("what it is", Align::Left),
    ]);
    for cause in &document.causes {
        let share = |share: f64| Cell::new(percent(share), share);
        sheet.row([
            cause.cause.as_str().into(),
            cause.a.as_str().into(),
            cause.b.as_str().into(),
            cause.alone_share.map_or_else(|| "".into(), share),
            share(cause.left_share),
            cause.detail.as_deref().unwrap_or("").into(),
        ]);
    }
    sheet
}

fn flows(document: &Document) -> Sheet {
    let requests = document.flows.iter().any(|flow| flow.requests.is_some());
    let mut columns = vec![("in A", Align::Left), ("in B", Align::Left), ("keys", Align::Right)];
    columns.extend(requests.then_some(("requests", Align::Right)));
    let mut sheet = Sheet::new(columns);
    for flow in &document.flows {
        let number = |number: u64| Cell::new(count(number), number);
        let mut cells = vec![flow.from.as_str().into(), flow.to.as_str().into(), number(flow.keys)];
        cells.extend(flow.requests.map(number));
        sheet.row(cells);
    }
    sheet
}
