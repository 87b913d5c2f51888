//! `cargo xtask live`: the tests that start real programs and compare their answers with ours.
//!
//! They are marked as ignored, so that a plain `cargo test` needs nothing installed and says that it
//! left them out; here they run, and a missing program is a failure.

use std::process::Command;

/// All live tests, one at a time: each starts servers of its own.
pub(crate) fn command() -> Command {
    let mut command = Command::new("cargo");
    command.args([
        "test",
        "-p",
        "clockwise",
        "-p",
        "clockwise-config",
        "--test",
        "live",
        "--",
        "--ignored",
        "--nocapture",
        "--test-threads=1",
    ]);
    command
}

/// Each live test says in one line how many answers matched.
pub(crate) fn is_summary(line: &str) -> bool {
    line.contains(" live: ")
}
