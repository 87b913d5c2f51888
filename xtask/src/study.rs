//! `cargo xtask study`: published figures measured again; it fails when one that should hold does not.

use std::process::Command;

/// The command itself, built as its users have it.
pub(crate) fn command(published: bool) -> Command {
    let mut command = Command::new("cargo");
    command.args(["run", "--release", "--quiet", "--package", "clockwise-cli", "--", "study", "--check"]);
    if published {
        command.args(["--scale", "published"]);
    }
    command
}
