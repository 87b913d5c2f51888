//! `cargo xtask live`: the tests that start real programs and compare their answers with ours.
//!
//! They are marked as ignored, so that a plain `cargo test` needs nothing installed and says that it
//! left them out; here they run, and a missing program is a failure.

use std::path::Path;
use std::process::Command;

use crate::{answers, libraries};

/// All live tests, one at a time: each starts servers of its own.
pub(crate) fn command(root: &Path) -> Command {
    let mut command = Command::new("cargo");
    // With the whole workspace, as the other tests were built: parts of it have other features, and so
    // other builds, of what they depend on.
    command.args(["test", "--workspace", "--test", "live", "--"]);
    command.args(["--ignored", "--nocapture", "--test-threads=1"]);
    libraries::add_to(&mut command, root);
    answers::ask_for(&mut command, root);
    command
}
