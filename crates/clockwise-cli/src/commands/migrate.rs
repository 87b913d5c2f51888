//! `clockwise migrate`: from one way of placing keys to another, step by step.

use std::io::Write;
use std::path::Path;

use clockwise_config::{Pool, Settings};
use clockwise_study::diff::{NoPlacement, Side};
use clockwise_study::migrate::{self, Migration, steps_for};
use clockwise_study::plan::{Fleet, HitRatio};
use serde::Serialize;

use crate::args::{self, Format};
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::input;
use crate::output::{self, Align, Cell, Sheet, count, counted, percent};

/// Steps where nothing says how many.
const STEPS: u32 = 10;

/// How many times its load of today the database may get, where steps are chosen for it.
const LOAD: f64 = 2.0;

/// The document that `--format json` prints. Shares are parts of one.
#[derive(Serialize)]
struct Document {
    fleet: String,
    /// Where to: a file, or the scheme and the settings that are not its defaults.
    to: String,
    scheme: Sides<String>,
    /// The seed of the synthetic keys; null where keys were read.
    seed: Option<u64>,
    keys: u64,
    /// Keys on another machine afterwards.
    moved: u64,
    moved_share: f64,
    /// Of the requests; null where the keys do not count them.
    requests_moved_share: Option<f64>,
    /// Today's; null without `--hit-ratio`.
    hit_ratio: Option<f64>,
    /// Of all in one step: null without `--hit-ratio`.
    at_once: Option<Load>,
    steps: Vec<Step>,
}

#[derive(Serialize)]
struct Sides<T> {
    before: T,
    after: T,
}

/// What misses do.
#[derive(Clone, Copy, Serialize)]
struct Load {
    hit_ratio: f64,
    /// Misses ÷ misses of today; null where nothing misses today.
    database_load_factor: Option<f64>,
}

#[derive(Serialize)]
struct Step {
    step: usize,
    /// Of the key space, placed the new way once this step is done.
    switched_share: f64,
    keys_moved: u64,
    /// Of all keys.
    keys_moved_share: f64,
    /// Of all requests; null where the keys do not count them.
    requests_moved_share: Option<f64>,
    /// While each moved key misses once; null without `--hit-ratio`.
    load: Option<Load>,
}

pub(crate) fn run(args: &args::Migrate, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let pool = input::fleet(&args.before, &args.reading, console)?;
    let before = Fleet { scheme: pool.scheme().clone(), servers: pool.servers().clone() };
    let goal = Goal::new(args, &pool, console)?;
    let keys = input::key_set(&args.keys)?;
    let migrate = |steps| {
        migrate::migrate(&before, &goal.fleet, &keys, steps).map_err(|error| goal.diagnosed(&pool, &error))
    };
    let at_once = migrate(1)?;
    input::warn_of(&pool, &at_once.before, &args.reading, console)?;
    input::warn_of(goal.pool.as_ref().unwrap_or(&pool), &at_once.after, &args.reading, console)?;
    let steps = args.steps.unwrap_or_else(|| chosen(args, &at_once));
    let migration = migrate(steps)?;
    let document = Document::new(args, &pool, &goal, &migration, keys.has_requests());
    console.answer(|out| match args.format {
        Format::Json => output::json(out, &document),
        Format::Csv => sheet(&document).write_csv(out),
        format => print(out, format, args, &document),
    })?;
    Ok(Exit::Fine)
}

/// As many steps as keep the database at twice its load, where that can be said.
fn chosen(args: &args::Migrate, at_once: &Migration) -> u32 {
    let moved = at_once.steps.first().map_or(0.0, |step| at_once.moved_share(step));
    args.hit_ratio.and_then(|ratio| steps_for(ratio.0, moved, LOAD)).unwrap_or(STEPS)
}

/// The fleet afterwards.
struct Goal {
    fleet: Fleet,
    /// The file it came from, where it was a file.
    pool: Option<Pool>,
    name: String,
}

impl Goal {
    fn new(args: &args::Migrate, before: &Pool, console: &mut Console<'_>) -> Result<Goal, Failure> {
        let path = args.to.rsplit_once('#').map_or(args.to.as_str(), |(path, _)| path);
        if Path::new(path).exists() || Path::new(&args.to).exists() {
            let pool = input::fleet(&args.to, &args.reading, console)?;
            let fleet = Fleet { scheme: pool.scheme().clone(), servers: pool.servers().clone() };
            let name = input::title(&pool);
            return Ok(Goal { fleet, pool: Some(pool), name });
        }
        let scheme =
            args.to.parse::<Settings>().and_then(|settings| settings.scheme()).map_err(|refused| {
                let said = refused.without_places();
                Failure::Usage(format!("--to {} is no file, and no placement: {said}", args.to))
            })?;
        let name = Settings::of(&scheme).brief().to_string();
        Ok(Goal { fleet: Fleet { scheme, servers: before.servers().clone() }, pool: None, name })
    }

    fn diagnosed(&self, before: &Pool, no_placement: &NoPlacement) -> Failure {
        match (no_placement.side, &self.pool) {
            (Side::A, _) => input::diagnosed(before, &no_placement.error),
            (Side::B, Some(pool)) => input::diagnosed(pool, &no_placement.error),
            (Side::B, None) => Failure::Usage(format!("--to {}: {}", self.name, no_placement.error)),
        }
    }
}

impl From<HitRatio> for Load {
    fn from(ratio: HitRatio) -> Load {
        Load { hit_ratio: ratio.after, database_load_factor: ratio.database_load_factor() }
    }
}

impl Document {
    fn new(
        args: &args::Migrate,
        pool: &Pool,
        goal: &Goal,
        migration: &Migration,
        counts_requests: bool,
    ) -> Document {
        let (total, moved) = (migration.moves.total(), migration.moves.moved());
        let keys_share = |keys: u64| keys as f64 / total.keys as f64;
        let requests_share = |requests: u64| {
            (counts_requests && total.requests > 0).then(|| requests as f64 / total.requests as f64)
        };
        let today = args.hit_ratio.map(|ratio| ratio.0);
        let share = requests_share(moved.requests).unwrap_or_else(|| keys_share(moved.keys));
        let steps = migration.steps.len();
        let step = |(at, step): (usize, &migrate::Step)| Step {
            step: at + 1,
            switched_share: (at + 1) as f64 / steps as f64,
            keys_moved: step.moved.keys,
            keys_moved_share: keys_share(step.moved.keys),
            requests_moved_share: requests_share(step.moved.requests),
            load: today.map(|today| migration.hit_ratio(step, today).into()),
        };
        Document {
            fleet: input::title(pool),
            to: goal.name.clone(),
            scheme: Sides { before: pool.scheme().to_string(), after: goal.fleet.scheme.to_string() },
            seed: args.keys.keys.keys.is_none().then_some(args.keys.seed),
            keys: total.keys,
            moved: moved.keys,
            moved_share: keys_share(moved.keys),
            requests_moved_share: requests_share(moved.requests),
            hit_ratio: today,
            at_once: today.map(|today| HitRatio::while_moving(today, share).into()),
            steps: migration.steps.iter().enumerate().map(step).collect(),
        }
    }
}

fn print(
    out: &mut dyn Write,
    format: Format,
    args: &args::Migrate,
    document: &Document,
) -> Result<(), Failure> {
    writeln!(out, "{}\n", sentence(document))?;
    if document.moved == 0 {
        return Ok(());
    }
    if let Some(load) = document.at_once {
        writeln!(out, "All at once: {}.\n", felt(load))?;
    }
    let steps = counted(document.steps.len() as u64, "step");
    match (args.steps, args.hit_ratio) {
        (None, Some(_)) if document.at_once.is_some_and(|load| load.database_load_factor.is_some()) => {
            writeln!(out, "In {steps}, so that the database gets about twice its load in each:\n")?;
        }
        _ => writeln!(out, "In {steps}:\n")?,
    }
    sheet(document).write(format, out)?;
    writeln!(
        out,
        "\nIn step i of {} a key is placed the new way if the first four bytes of MD5(\"turn:\" + key), as a \
         big-endian number, × {0} ÷ 2³² are below i. Begin the next step when the hit ratio is back.",
        document.steps.len()
    )?;
    writeln!(
        out,
        "Clients that ask the old owner when the new one misses, and store what they get, spare the database all of \
         it: each key that moves costs the cache one request more."
    )?;
    if let Some(seed) = document.seed {
        let keys = counted(document.keys, "synthetic one");
        writeln!(out, "keys: {keys} from seed {seed}; --keys FILE measures your own")?;
    }
    Ok(())
}

fn felt(load: Load) -> String {
    let hits = format!("the hit ratio falls to {}", percent(load.hit_ratio));
    match load.database_load_factor {
        Some(factor) => format!("{hits}, and the database gets {factor:.1} times its load"),
        None => format!("{hits}, and the database, which gets nothing today, the rest"),
    }
}

fn sentence(document: &Document) -> String {
    let Document { fleet, to, scheme: Sides { before, after }, .. } = document;
    let change = if to.starts_with(after.as_str()) {
        format!("Going from {fleet} ({before}) to {to}")
    } else {
        format!("Going from {fleet} ({before}) to {to} ({after})")
    };
    let keys = counted(document.keys, "key");
    if document.moved == 0 {
        return format!("{change} moves nothing: of {keys} each keeps its server.");
    }
    let mut text =
        format!("{change} moves {} of {keys} ({})", count(document.moved), percent(document.moved_share));
    if let Some(share) = document.requests_moved_share {
        text += &format!("; they carry {} of the requests", percent(share));
    }
    text + ", and each misses once."
}

fn sheet(document: &Document) -> Sheet {
    let requests = document.requests_moved_share.is_some();
    let load = document.hit_ratio.is_some();
    let mut columns = vec![
        ("step", Align::Right),
        ("placed the new way", Align::Right),
        ("keys moved", Align::Right),
        ("of all keys", Align::Right),
    ];
    columns.extend(requests.then_some(("of all requests", Align::Right)));
    if load {
        columns.extend([("hit ratio", Align::Right), ("database load", Align::Right)]);
    }
    let mut sheet = Sheet::new(columns);
    for step in &document.steps {
        let share = |share: f64| Cell::new(percent(share), share);
        let mut cells = vec![
            Cell::new(step.step.to_string(), step.step),
            share(step.switched_share),
            Cell::new(count(step.keys_moved), step.keys_moved),
            share(step.keys_moved_share),
        ];
        cells.extend(step.requests_moved_share.map(share));
        if let Some(load) = step.load {
            cells.push(share(load.hit_ratio));
            let times = |factor: f64| Cell::new(format!("{factor:.2} times"), factor);
            cells.push(load.database_load_factor.map_or_else(|| "".into(), times));
        }
        sheet.row(cells);
    }
    sheet
}
