//! Running steps one after another: a line each, a log each, and one count at the end.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

/// How many tests a step ran. A step that is one check counts as one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
}

/// How much of the output of a step that failed is shown.
const SHOWN_LINES: usize = 200;

/// What a step has to say: lines to print under it, or why it failed.
pub(crate) type Outcome = Result<Vec<String>, String>;

/// Steps in the making.
pub(crate) struct Steps {
    root: PathBuf,
    total: Tally,
}

impl Steps {
    pub(crate) fn new(root: PathBuf) -> Steps {
        Steps { root, total: Tally::default() }
    }

    /// A step that is a check of our own. `alone` is the command that runs it by itself.
    pub(crate) fn check(&mut self, name: &str, alone: &str, check: impl FnOnce() -> Outcome) {
        self.run(name, alone, || match check() {
            Ok(notes) => (Tally { passed: 1, failed: 0 }, notes, None),
            Err(problem) => (Tally { passed: 0, failed: 1 }, Vec::new(), Some(problem)),
        });
    }

    /// A step that is a program. Its output goes to a log, which is shown if it fails; its tests are
    /// counted.
    pub(crate) fn command(&mut self, name: &str, alone: &str, command: &mut Command) {
        let root = self.root.clone();
        self.run(name, alone, || match logged(&root, name, command) {
            Ok((success, log)) => {
                (settle(success, tally(&log)), Vec::new(), (!success).then(|| shortened(&log, name)))
            }
            Err(error) => {
                let problem = format!("{}: {error}", command.get_program().to_string_lossy());
                (Tally { passed: 0, failed: 1 }, Vec::new(), Some(problem))
            }
        });
    }

    /// Prints the count, alone on its line. True if nothing failed.
    pub(crate) fn finish(self) -> bool {
        println!("{} passed, {} failed", self.total.passed, self.total.failed);
        self.total.failed == 0
    }

    fn run(&mut self, name: &str, alone: &str, step: impl FnOnce() -> (Tally, Vec<String>, Option<String>)) {
        // Said before the step is over: some take a minute.
        print!("{name:<10}");
        let _ = io::stdout().flush();
        let start = Instant::now();
        let (tally, notes, problem) = step();
        let seconds = start.elapsed().as_secs_f64();
        let verdict = if problem.is_some() { "FAILED" } else { "ok" };
        let tests = match tally {
            Tally { passed: 0 | 1, failed: 0 | 1 } => String::new(),
            Tally { passed, failed: 0 } => format!("   {passed} tests"),
            Tally { passed, failed } => format!("   {failed} of {} tests", passed + failed),
        };
        println!("{verdict:<7}{seconds:6.1} s{tests}");
        for note in notes {
            println!("          {note}");
        }
        if let Some(problem) = problem {
            println!("{}\n  run it alone: {alone}\n", indented(&problem));
        }
        self.total.passed += tally.passed;
        self.total.failed += tally.failed;
    }
}

/// Runs a program with its output in `target/xtask/NAME.log`; whether it succeeded, and what it said.
fn logged(root: &std::path::Path, name: &str, command: &mut Command) -> io::Result<(bool, String)> {
    let folder = root.join("target/xtask");
    fs::create_dir_all(&folder)?;
    let path = folder.join(format!("{name}.log"));
    let log = File::create(&path)?;
    let status = command
        .current_dir(root)
        .env("CARGO_TERM_COLOR", "never")
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log)
        .status()?;
    Ok((status.success(), String::from_utf8_lossy(&fs::read(&path)?).into_owned()))
}

/// The end of a log, where the failure is.
fn shortened(log: &str, name: &str) -> String {
    let lines: Vec<&str> = log.trim_end().lines().collect();
    match lines.len().checked_sub(SHOWN_LINES) {
        None | Some(0) => lines.join("\n"),
        Some(hidden) => {
            let shown = lines[hidden..].join("\n");
            format!("({hidden} lines before these are in target/xtask/{name}.log)\n{shown}")
        }
    }
}

/// A program that failed without a failing test (it did not compile, say) is itself the failure.
fn settle(success: bool, counted: Tally) -> Tally {
    match (success, counted) {
        (true, Tally { passed: 0, failed: 0 }) => Tally { passed: 1, failed: 0 },
        (false, Tally { passed, failed: 0 }) => Tally { passed, failed: 1 },
        (_, counted) => counted,
    }
}

/// The tests that `cargo nextest` and `cargo test` say they ran, or that a program of our own says in its last
/// line: `N passed, N failed`.
pub(crate) fn tally(log: &str) -> Tally {
    if let Some(tally) = log.trim_end().lines().next_back().and_then(closing) {
        return tally;
    }
    let mut tally = Tally::default();
    for line in log.lines().map(str::trim_start) {
        if !line.starts_with("Summary [") && !line.starts_with("test result:") {
            continue;
        }
        let mut number = 0;
        for word in line.split([' ', ',', ';', '(', ')']) {
            match word {
                "passed" => tally.passed += std::mem::take(&mut number),
                "failed" | "timed" => tally.failed += std::mem::take(&mut number),
                _ => number = word.parse().unwrap_or(number),
            }
        }
    }
    tally
}

fn closing(line: &str) -> Option<Tally> {
    let (passed, failed) = line.strip_suffix(" failed")?.split_once(" passed, ")?;
    Some(Tally { passed: passed.parse().ok()?, failed: failed.parse().ok()? })
}

fn indented(text: &str) -> String {
    let lines: Vec<String> = text.trim_end().lines().map(|line| format!("  | {line}")).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_come_from_both_runners() {
        let nextest =
            "    Summary [   0.5s] 10 tests run: 7 passed (1 slow), 2 failed, 1 timed out, 3 skipped\n";
        assert_eq!(tally(nextest), Tally { passed: 7, failed: 3 });
        let cargo = "\ntest result: FAILED. 5 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out\n\
                     test result: ok. 4 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n";
        assert_eq!(tally(cargo), Tally { passed: 9, failed: 1 });
        assert_eq!(tally("FAILED a\n12 passed, 1 failed\n"), Tally { passed: 12, failed: 1 });
        // Elsewhere it is what a test printed.
        assert_eq!(
            tally("12 passed, 1 failed\ntest result: ok. 4 passed; 0 failed"),
            Tally { passed: 4, failed: 0 }
        );
    }

    #[test]
    fn a_program_that_fails_without_a_test_counts_as_a_failure() {
        assert_eq!(settle(false, Tally { passed: 3, failed: 0 }), Tally { passed: 3, failed: 1 });
        assert_eq!(settle(false, Tally { passed: 3, failed: 2 }), Tally { passed: 3, failed: 2 });
        assert_eq!(settle(true, Tally::default()), Tally { passed: 1, failed: 0 });
    }
}
