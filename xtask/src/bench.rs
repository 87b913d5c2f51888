//! `cargo xtask bench`: how fast, said in ratios that a busy machine does not bend.

use std::path::Path;
use std::process::Command;

/// Each scheme against the plainest program of the same answers, taking turns in one run.
pub(crate) fn ratios() -> Command {
    let mut command = Command::new("cargo");
    command.args(["run", "--release", "--quiet", "--package", "clockwise-ratios"]);
    command
}

/// Times over the size of the fleet, by criterion, for a quiet machine.
pub(crate) fn curves(root: &Path) -> Command {
    criterion(root, "bench")
}

/// The same only compiled: it lies outside the workspace, and would rot unseen.
pub(crate) fn check_curves(root: &Path) -> Command {
    let mut command = criterion(root, "clippy");
    command.args(["--benches", "--", "-D", "warnings"]);
    command
}

fn criterion(root: &Path, verb: &str) -> Command {
    let mut command = Command::new("cargo");
    command.arg(verb).args(["--manifest-path", "benches/curves/Cargo.toml"]);
    command.env("CARGO_TARGET_DIR", root.join("target/curves"));
    command
}
