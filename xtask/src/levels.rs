//! `cargo xtask levels`: recorded answers, test vectors and properties at every instruction level of the machine.
//!
//! Placements take the best level that there is. All other tests ran at it; here a build with debug assertions is
//! told by its environment to know no better one than those below, one after the other.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::step::{Outcome, tally};

/// All that there are, the best last.
const LEVELS: [&str; 3] = ["portable", "avx2", "avx512"];

/// The tests: those that ask placements as users build them.
const TESTS: [&str; 5] = ["vectors", "test_vectors", "properties", "ketama", "liveness_and_load"];

/// Runs the tests at each level of this machine but the best, and says which levels it has.
pub(crate) fn run(root: &Path) -> Outcome {
    let said = said(tests(root).args(["--test", "vectors", "--", "--nocapture", "the_best_level"]))?;
    let here = levels(&said)?;
    let (best, below) = here.split_last().ok_or("the machine has no level at all")?;
    let mut notes = Vec::new();
    for level in below {
        let mut command = tests(root);
        command.args(TESTS.iter().flat_map(|test| ["--test", test])).env("CLOCKWISE_LEVEL", level);
        let passed = tally(&self::said(&mut command)?).passed;
        notes.push(format!("{level}: {passed} tests"));
    }
    notes.push(format!("{best}: the best here, and so that of all other tests"));
    let lacking = LEVELS.iter().filter(|level| !here.contains(level));
    notes.extend(lacking.map(|level| format!("{level}: not run here, the machine lacks it")));
    Ok(notes)
}

/// With the whole workspace, as the other tests were built.
fn tests(root: &Path) -> Command {
    let mut command = Command::new("cargo");
    command.args(["test", "--workspace"]).current_dir(root).env("CARGO_TERM_COLOR", "never");
    command.env_remove("CLOCKWISE_LEVEL");
    command
}

/// What a program says if it succeeds.
fn said(command: &mut Command) -> Result<String, String> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("cargo: {error}"))?;
    let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    if output.status.success() { Ok(out) } else { Err(format!("{out}{err}")) }
}

/// The levels that a test says the machine has.
fn levels(said: &str) -> Result<Vec<&str>, String> {
    let line = said.lines().find_map(|line| line.split_once("levels: "));
    let (_, names) = line.ok_or_else(|| format!("no test says which levels there are:\n{said}"))?;
    let names: Vec<&str> = names.split_whitespace().collect();
    match names.iter().find(|name| !LEVELS.contains(name)) {
        Some(name) => Err(format!("{name} is not in the list of levels in xtask/src/levels.rs")),
        None => Ok(names),
    }
}

#[cfg(test)]
mod tests {
    use super::levels;

    #[test]
    fn levels_are_read_from_what_a_test_says() {
        let said = "running 1 test\ntest the_best_level ... levels: portable avx2\nok\n";
        assert_eq!(levels(said).unwrap(), ["portable", "avx2"]);
        assert!(levels("running 0 tests\n").unwrap_err().contains("no test says"));
        assert!(levels("levels: portable avx10\n").unwrap_err().contains("avx10 is not in the list"));
    }
}
