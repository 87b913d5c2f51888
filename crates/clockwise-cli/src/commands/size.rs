//! `clockwise size`: points against evenness, from theory.

use clockwise_study::theory;
use serde::Serialize;

use crate::args::{Format, Size};
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::output::{self, Align, Cell, Sheet, count, counted, ratio};

/// The document that `--format json` prints. Ratios are busiest ÷ mean.
#[derive(Serialize)]
struct Document {
    servers: u32,
    /// Points a server: asked for, or needed.
    points: u64,
    /// The excess asked for with `--within`, as a part of one.
    within: Option<f64>,
    /// Of arcs: E[max of n Gamma(v)] ÷ v.
    busiest_over_mean: f64,
    idlest_over_mean: f64,
    /// The rule of thumb beside it: points by 2 ln n ÷ ε², or busiest by 1 + √(2 ln n ÷ v).
    rule: Rule,
    keys_per_server: Option<u64>,
    /// Busiest ÷ mean if shares were perfectly even and only the keys fell as they do.
    key_floor: Option<f64>,
    /// Busiest ÷ mean by keys on this ring.
    busiest_by_keys: Option<f64>,
}

#[derive(Serialize)]
struct Rule {
    points: Option<u64>,
    busiest_over_mean: f64,
}

pub(crate) fn run(args: &Size, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let document = document(args).map_err(|error| Failure::Usage(error.to_string()))?;
    console.answer(|out| match args.format {
        Format::Json => output::json(out, &document),
        Format::Table => {
            writeln!(out, "{}\n", sentence(&document))?;
            sheet(&document).write(Format::Table, out)
        }
        format => sheet(&document).write(format, out),
    })?;
    Ok(Exit::Fine)
}

fn document(args: &Size) -> Result<Document, theory::OutOfRange> {
    let servers = u64::from(args.servers);
    let within = args.within.map(|percent| percent.0 / 100.0);
    let points = match (within, args.points) {
        (Some(excess), _) => theory::points_needed(servers, excess)?,
        (None, points) => u64::from(points.unwrap_or(1)),
    };
    let floor = |keys: u64| theory::key_floor(servers, keys as f64);
    let by_keys = |keys: u64| theory::busiest_by_keys(servers, points, keys as f64);
    Ok(Document {
        servers: args.servers,
        points,
        within,
        busiest_over_mean: theory::expected_busiest(servers, points)?,
        idlest_over_mean: theory::expected_idlest(servers, points)?,
        rule: Rule {
            points: within.map(|excess| theory::points_by_rule(servers, excess)).transpose()?,
            busiest_over_mean: theory::busiest_by_rule(servers, points)?,
        },
        keys_per_server: args.keys_per_server,
        key_floor: args.keys_per_server.map(floor).transpose()?,
        busiest_by_keys: args.keys_per_server.map(by_keys).transpose()?,
    })
}

fn sentence(document: &Document) -> String {
    let points = counted(document.points, "point");
    let busiest = ratio(document.busiest_over_mean);
    match (document.within, document.servers) {
        (Some(_), 1) => "1 server has all of it, whatever its points: 1 will do.".to_owned(),
        (None, 1) => format!("1 server has all of it, with {points} as with any other number."),
        (Some(excess), servers) => format!(
            "{} need {points} each for the busiest to be expected within {} of the mean.",
            counted(servers, "server"),
            short_percent(excess)
        ),
        (None, servers) => format!(
            "Of {} with {points} each, the busiest is expected to have {busiest} times the mean.",
            counted(servers, "server")
        ),
    }
}

/// `0.125` as `12.5%`: as many decimals as it takes, and no more than are meant.
fn short_percent(part: f64) -> String {
    let decimals = format!("{:.6}", part * 100.0);
    format!("{}%", decimals.trim_end_matches('0').trim_end_matches('.'))
}

fn sheet(document: &Document) -> Sheet {
    let mut sheet = Sheet::new([("figure", Align::Left), ("value", Align::Right), ("from", Align::Left)]);
    let mut row = |figure: &str, value: Cell, from: &str| sheet.row([figure.into(), value, from.into()]);
    let ratio = |value: f64| Cell::new(ratio(value), value);
    row(
        "points a server",
        Cell::new(count(document.points), document.points),
        match document.within {
            Some(_) => "exact expectation, inverted",
            None => "as asked",
        },
    );
    if let Some(points) = document.rule.points {
        row("points by the rule", Cell::new(count(points), points), "2 ln n ÷ ε²");
    }
    row("busiest ÷ mean", ratio(document.busiest_over_mean), "E[max of n Gamma(v)] ÷ v");
    row("busiest ÷ mean by the rule", ratio(document.rule.busiest_over_mean), "1 + √(2 ln n ÷ v)");
    row("idlest ÷ mean", ratio(document.idlest_over_mean), "E[min of n Gamma(v)] ÷ v");
    if let (Some(keys), Some(floor), Some(by_keys)) =
        (document.keys_per_server, document.key_floor, document.busiest_by_keys)
    {
        let keys = counted(keys, "key");
        row("floor set by the keys", ratio(floor), &format!("{keys} a server, even shares"));
        row("busiest ÷ mean by keys", ratio(by_keys), &format!("{keys} a server, this ring"));
    }
    sheet
}
