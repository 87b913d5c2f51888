//! `clockwise plan`: what a change moves, before it is made.

use std::fmt;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use clap::ArgMatches;
use clockwise::{Buckets, Placement as _, Scheme, Server, ServerIx};
use clockwise_config::Pool;
use clockwise_study::keys::Record;
use clockwise_study::plan::{Fleet, Plan, Report};
use clockwise_study::{BadChange, Change};

use crate::args::{self, Format, PlanTable};
use crate::console::Console;
use crate::exit::{Exit, Failure, csv_io};
use crate::input::{self, Keys};
use crate::output::percent;

mod document;
mod hints;
mod print;

use document::Document;

pub(crate) fn run(
    args: &args::Plan,
    matches: Option<&ArgMatches>,
    console: &mut Console<'_>,
) -> Result<Exit, Failure> {
    check(args)?;
    let pool = input::fleet(&args.before, &args.reading, console)?;
    let goal = Goal::new(args, matches, &pool, console)?;
    let before = Fleet { scheme: pool.scheme().clone(), servers: pool.servers().clone() };
    let mut plan = Plan::new(&before, &goal.fleet).map_err(|error| goal.refused(&pool, &error))?;
    input::warn_of(&pool, plan.before(), &args.reading, console)?;
    input::warn_of(goal.pool.as_ref().unwrap_or(&pool), plan.after(), &args.reading, console)?;
    if args.compare {
        for (scheme, error) in plan.compare(&before.servers, &goal.fleet.servers) {
            console.note(format_args!("warning: {scheme} is not compared: {error}"));
        }
    }
    let keys = Keys::open(&args.keys, args.sample, args.seed)?;
    let counted = Counted { requests: keys.has_requests(), bytes: keys.has_bytes() };
    let report = count(plan, keys, counted, args.moved_keys.as_deref())?;
    if report.moves.total().keys == 0 {
        return Err(Keys::none(&args.keys));
    }
    let document = Document::new(args, &pool, &goal, &report, counted);
    let hints = hints::hints(&pool, &goal, &document, &report);
    print::print(args, &document, &hints, console)?;
    let moved = document.exact().map_or(document.moved_share, |(share, _)| share);
    let within = args.max_moved.is_none_or(|limit| moved <= limit.0);
    if !within {
        let limit = args.max_moved.map_or(0.0, |limit| limit.0);
        console.note(format_args!(
            "{} of the keys move, more than the {} allowed",
            percent(moved),
            percent(limit)
        ));
    }
    Ok(if within { Exit::Fine } else { Exit::Findings })
}

/// Refuses options that would have no effect.
fn check(args: &args::Plan) -> Result<(), Failure> {
    let refused = match args.csv_table {
        Some(_) if args.format != Format::Csv => "--csv-table says what --format csv prints",
        Some(PlanTable::Compare) if !args.compare => "--csv-table compare prints what --compare measures",
        _ => return Ok(()),
    };
    Err(Failure::Usage(format!("{refused}: give both")))
}

/// What the key file counts besides keys.
#[derive(Clone, Copy)]
struct Counted {
    requests: bool,
    bytes: bool,
}

/// The fleet after the change, and how to say what changed.
struct Goal {
    fleet: Fleet,
    /// The file it came from, where it was a file.
    pool: Option<Pool>,
    /// The changes, in the order in which they were typed; none where it came from a file.
    typed: Vec<Typed>,
    /// The subject of a sentence: "adding cache-5".
    change: String,
}

impl Goal {
    fn new(
        args: &args::Plan,
        matches: Option<&ArgMatches>,
        before: &Pool,
        console: &mut Console<'_>,
    ) -> Result<Goal, Failure> {
        if let Some(after) = &args.after {
            let pool = input::fleet(after, &args.reading, console)?;
            let fleet = Fleet { scheme: pool.scheme().clone(), servers: pool.servers().clone() };
            let change = format!("going from {} to {}", input::title(before), input::title(&pool));
            return Ok(Goal { fleet, pool: Some(pool), typed: Vec::new(), change });
        }
        let typed = changes(args, matches)?;
        let mut servers = before.servers().clone();
        for one in &typed {
            servers = one
                .change
                .apply_under(before.scheme(), &servers)
                .map_err(|error| Failure::Usage(format!("{one}: {error}")))?;
        }
        let change = typed.iter().map(|one| one.change.to_string()).collect::<Vec<_>>().join(", then ");
        let fleet = Fleet { scheme: before.scheme().clone(), servers };
        Ok(Goal { fleet, pool: None, typed, change })
    }

    /// An error of one of the two fleets: in its file where it is a file's, and else of the change that
    /// brought it.
    fn refused(&self, before: &Pool, error: &clockwise::Error) -> Failure {
        let alone = before.scheme().build(before.servers());
        match (&self.pool, alone) {
            (_, Err(of_before)) => input::diagnosed(before, &of_before),
            (Some(after), Ok(_)) => input::diagnosed(after, error),
            (None, Ok(_)) => Failure::Usage(match self.culprit(before) {
                Some((one, said)) => format!("{one}: {said}"),
                None => format!("{}: {error}", self.change),
            }),
        }
    }

    /// Of changes that build nothing together, the first after which nothing can be built any more, and what is
    /// wrong then.
    fn culprit(&self, before: &Pool) -> Option<(&Typed, clockwise::Error)> {
        let (mut servers, mut culprit) = (before.servers().clone(), None);
        for one in &self.typed {
            servers = one.change.apply_under(before.scheme(), &servers).ok()?;
            culprit = match before.scheme().build(&servers) {
                Ok(_) => None,
                Err(error) => {
                    culprit.or_else(|| Some((one, about(one, before.scheme(), &servers).unwrap_or(error))))
                }
            };
        }
        culprit
    }
}

/// The refusal of servers as one of the server that a change is about. Of many that are too heavy together, or not
/// of one weight, placements name one by its place in the list: so that server is put last.
fn about(one: &Typed, scheme: &Scheme, servers: &Buckets) -> Option<clockwise::Error> {
    let name = one.change.server()?;
    let mut servers = servers.servers().to_vec();
    let at = servers.iter().position(|server| server.name() == name)?;
    let changed = servers.remove(at);
    servers.push(changed);
    let refused = scheme.build(&Buckets::new(servers).ok()?).err()?;
    (refused.server() == Some(name.as_str())).then_some(refused)
}

/// A change as it was typed.
struct Typed {
    option: &'static str,
    text: String,
    change: Change,
}

impl fmt::Display for Typed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--{} {}", self.option, self.text)
    }
}

/// How a change of one kind is read.
type Parse = fn(&str) -> Result<Change, BadChange>;

/// The changes in the order in which they were typed.
fn changes(args: &args::Plan, matches: Option<&ArgMatches>) -> Result<Vec<Typed>, Failure> {
    let kinds: [(&'static str, &[String], Parse); 5] = [
        ("add", &args.add, Change::parse_add),
        ("remove", &args.remove, Change::parse_remove),
        ("weight", &args.weight, Change::parse_weight),
        ("replace", &args.replace, Change::parse_replace),
        ("address", &args.address, Change::parse_address),
    ];
    let mut placed = Vec::new();
    for (flag, values, parse) in kinds {
        let places = matches
            .and_then(|m| m.indices_of(flag))
            .into_iter()
            .flatten()
            .chain(std::iter::repeat(usize::MAX));
        for (text, place) in values.iter().zip(places) {
            let change = parse(text).map_err(|error| Failure::Usage(format!("--{flag}: {error}")))?;
            placed.push((place, Typed { option: flag, text: text.clone(), change }));
        }
    }
    if placed.is_empty() {
        return Err(Failure::Usage(
            "nothing changes: give a second fleet file, or --add, --remove, --weight, --replace or --address"
                .to_owned(),
        ));
    }
    placed.sort_by_key(|(place, _)| *place);
    Ok(placed.into_iter().map(|(_, typed)| typed).collect())
}

/// Looks up every key on both sides, and writes down those that move if that was asked for.
fn count(mut plan: Plan, keys: Keys, counted: Counted, moved_keys: Option<&Path>) -> Result<Report, Failure> {
    let Some(path) = moved_keys else {
        keys.for_each(|batch| {
            plan.record(batch, |_, _, _| {});
            Ok(())
        })?;
        return Ok(plan.finish(|_, _, _| {}));
    };
    let file = File::create(path).map_err(|error| Failure::writing(path, &error))?;
    let mut list = MovedKeys::new(file, counted, plan.before().servers(), plan.after().servers());
    keys.for_each(|batch| {
        plan.record(batch, |record, from, to| list.add(record, from, to));
        Ok(())
    })?;
    let report = plan.finish(|record, from, to| list.add(record, from, to));
    list.finish().map_err(|error| Failure::writing(path, &csv_io(error)))?;
    Ok(report)
}

/// The list of keys that move, as CSV.
struct MovedKeys {
    csv: csv::Writer<BufWriter<File>>,
    counted: Counted,
    before: Vec<Server>,
    after: Vec<Server>,
    /// The first failure, kept for the end.
    result: csv::Result<()>,
}

impl MovedKeys {
    fn new(file: File, counted: Counted, before: &[Server], after: &[Server]) -> MovedKeys {
        let mut csv = csv::Writer::from_writer(BufWriter::new(file));
        let mut columns = vec!["key", "from", "to"];
        columns.extend(counted.requests.then_some("requests"));
        columns.extend(counted.bytes.then_some("bytes"));
        let result = csv.write_record(columns);
        MovedKeys { csv, counted, before: before.to_vec(), after: after.to_vec(), result }
    }

    /// Adds a key if it moves.
    fn add(&mut self, Record { key, tally }: Record<'_>, from: ServerIx, to: ServerIx) {
        let (from, to) = (self.before[from.index()].name(), self.after[to.index()].name());
        if from == to || self.result.is_err() {
            return;
        }
        let (requests, bytes) = (tally.requests.to_string(), tally.bytes.to_string());
        let mut row = vec![key, from.as_str().as_bytes(), to.as_str().as_bytes()];
        row.extend(self.counted.requests.then_some(requests.as_bytes()));
        row.extend(self.counted.bytes.then_some(bytes.as_bytes()));
        self.result = self.csv.write_record(row);
    }

    fn finish(mut self) -> csv::Result<()> {
        self.result?;
        Ok(self.csv.flush()?)
    }
}
