//! `cargo xtask browser`: our pages, looked at in a real browser.
//!
//! The browser is Debian's Chromium, driven by playwright-core; axe-core looks for what readers with
//! other senses would miss. Both are npm packages that bring no browser of their own, pinned in
//! `tests/browser` and installed under `target/browser`. A new kind of page is a file of tests there, a
//! line in its `run.mjs`, and a page made here.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use crate::libraries::run;
use crate::packages;
use crate::step::Outcome;

const TESTS: &str = "tests/browser";

/// Installs what drives the browser, if it is missing or of another version than pinned.
pub(crate) fn install(root: &Path) -> Outcome {
    let folder = folder(root);
    let lock = root.join(TESTS).join("package-lock.json");
    let wanted = fs::read_to_string(&lock).map_err(|error| format!("{}: {error}", lock.display()))?;
    // Copied once all of it is installed.
    let installed = folder.join("installed.json");
    if fs::read_to_string(&installed).is_ok_and(|found| found == wanted) {
        return Ok(Vec::new());
    }
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for name in ["package.json", "package-lock.json"] {
        let from = root.join(TESTS).join(name);
        fs::copy(&from, folder.join(name)).map_err(|error| format!("{}: {error}", from.display()))?;
    }
    let mut npm = Command::new("npm");
    run(npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(&folder))?;
    fs::write(&installed, &wanted).map_err(|error| format!("{}: {error}", installed.display()))?;
    Ok(vec!["installed what drives the browser in target/browser".to_owned()])
}

/// Builds the lab's page from its sources, which must give the bytes that are committed.
fn lab_page(root: &Path) -> Result<(), String> {
    let folder = root.join("web/lab");
    let read =
        |path: PathBuf| fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()));
    let (lock, installed) =
        (read(folder.join("package-lock.json"))?, folder.join("node_modules/installed.json"));
    if !fs::read_to_string(&installed).is_ok_and(|found| found == lock) {
        let mut npm = Command::new("npm");
        run(npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(&folder))?;
        fs::write(&installed, &lock).map_err(|error| format!("{}: {error}", installed.display()))?;
    }
    run(Command::new("npm").args(["run", "--silent", "check"]).current_dir(&folder))?;
    run(Command::new("node").args(["build.mjs", "--check"]).current_dir(&folder))
}

/// Makes the pages that are looked at: the report of a quick study, and the gallery of charts; and sees
/// that the lab's page is what its sources give.
pub(crate) fn pages(root: &Path) -> Outcome {
    lab_page(root)?;
    let folder = folder(root);
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let study = folder.join("study");
    // Runs of an earlier program are not resumed from.
    if study.exists() {
        fs::remove_dir_all(&study).map_err(|error| format!("{}: {error}", study.display()))?;
    }
    let mut cargo = Command::new("cargo");
    cargo.args(["run", "--release", "--quiet", "--package", "clockwise-cli", "--", "study", "--out"]);
    run(cargo.arg(&study).current_dir(root))?;
    let mut cargo = Command::new("cargo");
    cargo.args(["run", "--quiet", "--package", "clockwise-study", "--example", "gallery"]);
    run(cargo.arg(folder.join("gallery.html")).current_dir(root))?;
    Ok(Vec::new())
}

/// The tests of the pages. The last line is `N passed, N failed`.
pub(crate) fn command(root: &Path) -> Command {
    let folder = folder(root);
    let page = |kind: &str, path: &str| format!("{kind}={}", folder.join(path).display());
    let mut command = Command::new("node");
    command.arg(root.join(TESTS).join("run.mjs"));
    command.arg(page("report:study", "study/report.html")).arg(page("report:gallery", "gallery.html"));
    // The program that made the study serves the lab.
    command.arg(format!("lab:lab={}", root.join("target/release/clockwise").display()));
    command.env("BROWSER_MODULES", &folder);
    if env::var_os("CHROMIUM").is_none()
        && let Some(chromium) = packages::find("chromium")
    {
        command.env("CHROMIUM", chromium);
    }
    command
}

fn folder(root: &Path) -> PathBuf {
    root.join("target/browser")
}
