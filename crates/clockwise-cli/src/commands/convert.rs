//! `clockwise convert`: a fleet as another product's file, if that can place keys alike.

use clockwise_config::{Candidate, Pool, Target};
use clockwise_study::convert::{self, Nearest};
use clockwise_study::diff::{Diff, Knob, Side};
use clockwise_study::plan::Fleet;

use crate::args;
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::input;
use crate::output::{count, counted, percent};

pub(crate) fn run(args: &args::Convert, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let pool = input::fleet(&args.fleet, &args.reading, console)?;
    let candidates = args.to.candidates(&pool).map_err(Failure::from)?;
    let keys = input::key_set(&args.keys)?;
    let ways: Vec<Fleet> = candidates.iter().map(|candidate| fleet(&candidate.pool)).collect();
    let nearest = match convert::nearest(&fleet(&pool), &ways, &keys) {
        Some(Ok(nearest)) => nearest,
        Some(Err(error)) => {
            let at = if error.side == Side::A { &pool } else { &candidates[0].pool };
            return Err(input::diagnosed(at, &error.error));
        }
        None => return Err(Failure::Input(format!("{} has no way to write such a fleet", args.to))),
    };
    let Nearest { index, diff, is_like } = nearest;
    let chosen = &candidates[index];
    if diff.differs() {
        refuse(args.to, &pool, chosen, &diff, is_like, console);
        return Ok(Exit::Findings);
    }
    input::warn_of(&chosen.pool, &diff.b, &args.reading, console)?;
    console.answer(|out| Ok(out.write_all(chosen.text.as_bytes())?))?;
    console.note(format_args!("note: {}", agreement(&pool, chosen, &diff)));
    if let Some(key) = key(args.to, &pool, chosen) {
        console.note(format_args!("note: {key}"));
    }
    Ok(Exit::Fine)
}

/// Which part of a request is the key in what is written, where either file says it: owners are the same
/// only of keys that are.
fn key(to: Target, pool: &Pool, chosen: &Candidate) -> Option<String> {
    let title = input::title(pool);
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = pool.hashed().map(one_line);
    Some(match (said, chosen.pool.hashed().map(one_line)) {
        (Some(said), Some(written)) if said == written => {
            format!("the key is what {title} hashes of a request, `{written}`")
        }
        (said, Some(written)) => {
            let part = match to {
                Target::Haproxy => "the URI of a request up to its `?`",
                _ => "the URI of a request with what follows its `?`",
            };
            let source = match said {
                Some(said) => format!("{title} hashes `{said}`"),
                None => format!("{title} does not say what a key is"),
            };
            format!("the key is {part} in what is written, `{written}`, and {source}: change it before use")
        }
        (Some(said), None) => format!(
            "{title} hashes `{said}` of a request, and that is not written: a file of {to} does not say what a key is"
        ),
        (None, None) => return None,
    })
}

fn fleet(pool: &Pool) -> Fleet {
    Fleet { scheme: pool.scheme().clone(), servers: pool.servers().clone() }
}

/// How it is known that both place keys alike.
fn agreement(pool: &Pool, chosen: &Candidate, diff: &Diff) -> String {
    let keys = counted(diff.moves.total().keys, "key");
    if pool.scheme() == chosen.pool.scheme() && pool.servers() == chosen.pool.servers() {
        "the same servers under the same settings: no key has another owner".to_owned()
    } else if diff.circle.is_some() {
        format!(
            "the same points under the same key hash ({}): no key has another owner",
            chosen.pool.scheme()
        )
    } else {
        format!("none of {keys} has another owner under {}", chosen.pool.scheme())
    }
}

/// Says what would move, and why, and prints no file.
fn refuse(
    to: Target,
    pool: &Pool,
    chosen: &Candidate,
    diff: &Diff,
    is_like: bool,
    console: &mut Console<'_>,
) {
    let (title, there) = (input::title(pool), chosen.pool.scheme());
    let moved = format!(
        "{} of {} ({}) would have another owner",
        count(diff.moves.moved().keys),
        counted(diff.moves.total().keys, "key"),
        percent(diff.share()),
    );
    console.note(match is_like {
        true => format!("{title} cannot be written as {to}: under the nearest that it has, {there}, {moved}"),
        false => format!(
            "{title} cannot be written as {to}, which has nothing like {}: under {there}, say, {moved}, as many as by \
             chance",
            pool.scheme()
        ),
    });
    // What servers are called follows from the product, and says nothing where the placement is another one.
    let is_another = diff.causes.iter().any(|cause| cause.knob == Knob::Scheme);
    let follows = |knob: &Knob| is_another && matches!(knob, Knob::Names | Knob::Label { .. });
    for cause in diff.causes.iter().filter(|cause| !follows(&cause.knob)) {
        let detail = cause.detail.as_deref().map(|detail| format!(" ({detail})")).unwrap_or_default();
        console.note(format_args!("  {}: {} here, {} there{detail}", cause.knob.name(), cause.a, cause.b));
    }
}
