//! `cargo xtask test`: everything that must hold before a change lands, in the order that fails soonest.

use std::path::Path;
use std::process::Command;

use crate::step::{Outcome, Steps};
use crate::{
    answers, bench, browser, instructions, levels, live, no_std, packages, readme, repo, sanitize, study,
    tidy, wasm,
};

/// Runs all steps; with `fast`, those of the inner loop. True if nothing failed.
pub(crate) fn run(root: &Path, fast: bool) -> bool {
    let mut steps = Steps::new(root.to_path_buf());
    steps.check("tidy", "cargo xtask tidy", || tidy(root));
    if !fast {
        steps.check("packages", "cargo xtask packages", || packages::install(root));
    }
    cargo(&mut steps, "fmt", &["fmt", "--all", "--check"]);
    for manifest in ["benches/curves/Cargo.toml", "benches/peers/Cargo.toml"] {
        cargo(&mut steps, "fmt", &["fmt", "--manifest-path", manifest, "--check"]);
    }
    cargo(&mut steps, "clippy", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]);
    steps.command("docs", "cargo xtask docs", &mut docs_command());
    let forgotten = answers::forget(root).map_err(|error| error.to_string());
    let arguments: &[&str] = if has_nextest() {
        &["nextest", "run", "--workspace", "--no-fail-fast", "--status-level", "fail"]
    } else {
        &["test", "--workspace", "--all-targets", "--no-fail-fast"]
    };
    let mut tests = Command::new("cargo");
    answers::ask_for(tests.args(arguments), root);
    steps.command("tests", &format!("cargo {}", arguments.join(" ")), &mut tests);
    steps.check("levels", "cargo xtask levels", || levels::run(root));
    cargo(&mut steps, "doctests", &["test", "--workspace", "--doc", "--no-fail-fast"]);
    if !fast {
        steps.command("live", "cargo xtask live", &mut live::command(root));
        steps.check("readme", "cargo xtask readme", || readme::check(root));
        steps.check("instructions", "cargo xtask instructions", || instructions::check(root));
        steps.check("sanitize", "cargo xtask sanitize", || sanitize::run(root));
        steps.command("study", "cargo xtask study", &mut study::command(false));
        steps.check("pages", "cargo xtask browser", || browser::pages(root));
        steps.command("browser", "cargo xtask browser", &mut browser::command(root));
        match no_std::command(root) {
            Ok(mut command) => steps.command("no-std", "cargo xtask no-std", &mut command),
            Err(error) => steps.check("no-std", "cargo xtask no-std", || Err(error.to_string())),
        }
        steps.check("wasm", "cargo xtask wasm --check", || wasm::compare_if_cheap(root));
        let curves = "cargo clippy --manifest-path benches/curves/Cargo.toml --benches -- -D warnings";
        steps.command("curves", curves, &mut bench::check_curves(root));
        let peers = "cargo clippy --locked --manifest-path benches/peers/Cargo.toml -- -D warnings";
        steps.command("peers", peers, &mut bench::check_peers(root));
        steps.check("answers", "cargo xtask answers", || forgotten.and_then(|()| answers::summary(root)));
    }
    steps.finish()
}

/// The house rules, as a step.
pub(crate) fn tidy(root: &Path) -> Outcome {
    let files = repo::files(root).map_err(|error| error.to_string())?;
    let problems: Vec<String> = tidy::problems(&files).iter().map(ToString::to_string).collect();
    if problems.is_empty() { Ok(Vec::new()) } else { Err(problems.join("\n")) }
}

/// The documentation of the workspace, warnings (a broken link, say) being errors.
pub(crate) fn docs_command() -> Command {
    let mut command = Command::new("cargo");
    command.args(["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings");
    command
}

fn cargo(steps: &mut Steps, name: &str, arguments: &[&str]) {
    let alone = format!("cargo {}", arguments.join(" "));
    steps.command(name, &alone, Command::new("cargo").args(arguments));
}

fn has_nextest() -> bool {
    Command::new("cargo").args(["nextest", "--version"]).output().is_ok_and(|output| output.status.success())
}
