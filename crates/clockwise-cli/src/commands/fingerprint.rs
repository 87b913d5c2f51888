//! `clockwise fingerprint`: sixteen digits that two clients compare.

use clockwise::{Built, Fingerprint, Placement as _};
use serde::Serialize;

use crate::args;
use crate::args::Format;
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::input;
use crate::output::{self, Align, Cell, Sheet};

/// The document that `--format json` prints; `ring` and `diff` hold the same three.
#[derive(Serialize)]
struct Document {
    fleet: String,
    scheme: String,
    #[serde(flatten)]
    fingerprints: Fingerprints,
}

/// The fingerprints of a placement.
#[derive(Serialize)]
pub(crate) struct Fingerprints {
    /// Of the owners of 4,096 fixed keys.
    pub(crate) probes: String,
    /// Of all points or slots; null where there are none.
    pub(crate) layout: Option<String>,
    /// Of names and addresses.
    pub(crate) addresses: String,
}

impl Fingerprints {
    pub(crate) fn of(built: &Built) -> Fingerprints {
        let layout = built.measured().and_then(Fingerprint::of_layout);
        Fingerprints {
            probes: Fingerprint::of_probes(built).to_string(),
            layout: layout.map(|fingerprint| fingerprint.to_string()),
            addresses: Fingerprint::of_addresses(built.servers()).to_string(),
        }
    }
}

pub(crate) fn run(args: &args::Fingerprint, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let pool = input::fleet(&args.fleet, &args.reading, console)?;
    let built = pool.scheme().build(pool.servers()).map_err(|error| input::diagnosed(&pool, &error))?;
    input::warn_of(&pool, &built, &args.reading, console)?;
    let document = Document {
        fleet: input::title(&pool),
        scheme: pool.scheme().to_string(),
        fingerprints: Fingerprints::of(&built),
    };
    console.answer(|out| match args.format {
        Format::Json => output::json(out, &document),
        format => sheet(&document.fingerprints).write(format, out),
    })?;
    Ok(Exit::Fine)
}

fn sheet(fingerprints: &Fingerprints) -> Sheet {
    let mut sheet = Sheet::new([("fingerprint", Align::Left), ("of", Align::Left), ("digits", Align::Left)]);
    let none = "none: this scheme has no points and no slots";
    let layout = match &fingerprints.layout {
        Some(layout) => layout.as_str().into(),
        // To a program no digits are none.
        None => Cell::new(none, ""),
    };
    sheet.row(["layout".into(), "every point or slot and its owner".into(), layout]);
    sheet.row([
        "probes".into(),
        "the owners of the keys 0 to 4095".into(),
        fingerprints.probes.as_str().into(),
    ]);
    sheet.row(["addresses".into(), "names and addresses".into(), fingerprints.addresses.as_str().into()]);
    sheet
}
