//! `cargo xtask instructions`: how many instructions a lookup takes, counted by valgrind and held to limits.
//!
//! Times on a machine that others use say nothing from one day to the next. A count is the same each time, as
//! long as the compiler is: so a lookup that has come to cost more is noticed by the change that did it. What
//! waits for memory or for a guess is not counted; `cargo xtask bench` measures that.

use std::path::Path;
use std::process::Command;

use crate::step::Outcome;

/// The most instructions of a lookup, or of what else a case counts, by the name of its case in
/// `benches/ratios/examples/instructions.rs`.
///
/// What rustc 1.95 took, and a quarter: other compilers differ by some parts in a hundred. Lower a limit when
/// a lookup has become cheaper; raise one only with the reason in the commit.
const LIMITS: &[(&str, u64)] = &[
    ("ring", 80),
    ("ring, many at once", 39),
    ("ring of 160,000 points, many at once", 48),
    ("ketama", 949),
    ("rendezvous", 2_575),
    ("rendezvous, weights", 4_159),
    ("rendezvous, weights, three of a list", 7_550),
    ("skeleton", 185),
    ("anchor", 33),
    ("jump", 145),
    ("jump-back", 71),
    ("multi-probe", 831),
    ("maglev", 60),
    ("arcs moved by a join, a point", 38),
    ("bounded, a lease", 210),
];

/// Lookups of a case: enough that what stands around the loop does not show.
const LOOKUPS: u64 = 2_048;

/// Builds the cases, counts each, and fails if one is above its limit.
pub(crate) fn check(root: &Path) -> Outcome {
    let program = root.join("target/release/examples/instructions");
    let mut build = Command::new("cargo");
    build.args([
        "build",
        "--release",
        "--quiet",
        "--package",
        "clockwise-ratios",
        "--example",
        "instructions",
    ]);
    // Wherever the caller has its builds, the counter finds this one.
    build.env("CARGO_TARGET_DIR", root.join("target")).current_dir(root);
    run(&mut build)?;

    let known = run(&mut Command::new(&program))?;
    let known: Vec<&str> = known.lines().collect();
    let listed: Vec<&str> = LIMITS.iter().map(|(name, _)| *name).collect();
    if known != listed {
        return Err(format!("the cases are {known:?}, and limits are stated for {listed:?}"));
    }
    let (mut notes, mut above) = (Vec::new(), Vec::new());
    for &(name, limit) in LIMITS {
        let count = count(&program, name)?;
        let line = format!("{name}: {count} instructions, at most {limit}");
        if count > limit { above.push(line) } else { notes.push(line) }
    }
    if above.is_empty() { Ok(notes) } else { Err(above.join("\n")) }
}

fn count(program: &Path, name: &str) -> Result<u64, String> {
    let mut valgrind = Command::new("valgrind");
    valgrind.args([
        "--tool=callgrind",
        "--callgrind-out-file=/dev/null",
        "--toggle-collect=instructions::counted*",
    ]);
    valgrind.arg(program).args([name, &LOOKUPS.to_string()]);
    let output = valgrind.output().map_err(|error| format!("valgrind: {error}"))?;
    let log = String::from_utf8_lossy(&output.stderr);
    let collected = log.lines().find_map(|line| line.split_once("Collected :")?.1.trim().parse::<u64>().ok());
    match collected {
        Some(instructions @ 1..) if output.status.success() => Ok(instructions.div_ceil(LOOKUPS)),
        _ => Err(format!("valgrind counted nothing of {name}: {log}")),
    }
}

fn run(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| error.to_string())?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}
