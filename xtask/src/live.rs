//! `cargo xtask live`: the tests that start real programs and compare their answers with ours.
//!
//! They are marked as ignored, so that a plain `cargo test` needs nothing installed and says that it
//! left them out; here they run, and a missing program is a failure.

use std::process::Command;

/// All live tests, one at a time: each starts servers of its own.
pub(crate) fn command() -> Command {
    let mut command = Command::new("cargo");
    // With the whole workspace, as the other tests were built: parts of it have other features, and so
    // other builds, of what they depend on.
    command.args(["test", "--workspace", "--test", "live", "--"]);
    command.args(["--ignored", "--nocapture", "--test-threads=1"]);
    // Debian keeps servers in folders that are on root's path only.
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{path}:/usr/sbin:/sbin"));
    command
}

/// Each live test says in one line how many answers matched. The runner puts its name before it.
pub(crate) fn summary(line: &str) -> Option<&str> {
    line.contains(" live: ").then(|| line.rsplit(" ... ").next().unwrap_or(line))
}
