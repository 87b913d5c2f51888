//! `cargo xtask bench`: how fast, said in ratios that a busy machine does not bend.

use std::path::Path;
use std::process::Command;

/// Each scheme against the plainest program of the same answers, taking turns in one run.
pub(crate) fn ratios() -> Command {
    let mut command = Command::new("cargo");
    command.args(["run", "--release", "--quiet", "--package", "clockwise-ratios"]);
    command
}

/// The program that is measured from its start to its end.
pub(crate) fn program() -> Command {
    let mut command = Command::new("cargo");
    command.args(["build", "--release", "--quiet", "--package", "clockwise-cli"]);
    command
}

/// Our library and the other crates on the same keys, and our program, with the goals: writes
/// `docs/performance.md`. Or the program alone.
pub(crate) fn peers(root: &Path, only_program: bool) -> Command {
    let mut command = alone(root, "peers");
    command.args(["run", "--release", "--quiet", "--manifest-path", "benches/peers/Cargo.toml", "--"]);
    match only_program {
        true => command.arg("--command"),
        false => command.arg(root.join("docs/performance.md")),
    };
    command.arg(root.join("target/release/clockwise")).arg(root.join("target/end-to-end"));
    command
}

/// The same only compiled, as with the [curves](check_curves).
pub(crate) fn check_peers(root: &Path) -> Command {
    let mut command = alone(root, "peers");
    command.args(["clippy", "--locked", "--manifest-path", "benches/peers/Cargo.toml"]);
    command.args(["--", "-D", "warnings"]);
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
    let mut command = alone(root, "curves");
    command.arg(verb).args(["--manifest-path", "benches/curves/Cargo.toml"]);
    command
}

/// Cargo for a crate outside the workspace, in a folder of its own under `target`.
fn alone(root: &Path, folder: &str) -> Command {
    let mut command = Command::new("cargo");
    command.env("CARGO_TARGET_DIR", root.join("target").join(folder));
    command
}
