//! The libraries for Python and Node that live tests ask, in folders of their own under `target`.
//!
//! Versions are pinned beside the scripts that ask them. A library that cannot be had here (no build
//! for this machine, say) is named and left out; the summary of answers says which were not asked.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use crate::step::Outcome;

const SCRIPTS: &str = "crates/clockwise/tests/live/ask";

/// Installs what is missing or of another version than pinned.
pub(crate) fn install(root: &Path) -> Outcome {
    let mut notes = python(root)?;
    notes.extend(node(root)?);
    Ok(notes)
}

/// Puts the libraries where a program that is started looks for them.
pub(crate) fn add_to(command: &mut Command, root: &Path) {
    let mut folders = vec![python_folder(root).join("bin")];
    folders.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
    // Debian keeps servers in folders that are on root's path only.
    folders.extend(["/usr/sbin".into(), "/sbin".into()]);
    command.env("PATH", env::join_paths(folders).unwrap_or_else(|_| OsString::from("/usr/bin:/bin")));
    command.env("NODE_PATH", node_folder(root).join("node_modules"));
}

fn python_folder(root: &Path) -> PathBuf {
    root.join("target/live/python")
}

fn node_folder(root: &Path) -> PathBuf {
    root.join("target/live/node")
}

fn python(root: &Path) -> Outcome {
    let folder = python_folder(root);
    let wanted = root.join(SCRIPTS).join("requirements.txt");
    let text = read(&wanted)?;
    // Copied once all of it is installed.
    let installed = folder.join("requirements.txt");
    if fs::read_to_string(&installed).is_ok_and(|found| found == text) && is_at(&folder) {
        return Ok(Vec::new());
    }
    run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
    let pip = |what: &[&str]| {
        let mut command = Command::new(folder.join("bin/python"));
        command.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        run(command.args(["--no-deps", "--only-binary", ":all:"]).args(what))
    };
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("==")).collect();
    if pip(&lines).is_ok() {
        fs::write(&installed, &text).map_err(|error| format!("{}: {error}", installed.display()))?;
        return Ok(vec![format!(
            "installed {} packages for Python in {}",
            lines.len(),
            shown(root, &folder)
        )]);
    }
    // One that cannot be had must not keep the others away.
    let left_out = lines.iter().filter_map(|line| Some((line, pip(&[line]).err()?)));
    Ok(left_out.map(|(line, problem)| format!("{line} cannot be had: {}", last_line(&problem))).collect())
}

/// Whether a virtual environment was made where it is: its programs name their interpreter by the path that it
/// had, so that one which was moved or copied runs another one's, or none.
fn is_at(folder: &Path) -> bool {
    let pip = Command::new(folder.join("bin/pip")).arg("--version").stdin(Stdio::null()).output();
    // `pip 23.0 from /where/it/is/lib/…`
    pip.is_ok_and(|output| {
        output.status.success()
            && String::from_utf8_lossy(&output.stdout).contains(&format!(" from {}/", folder.display()))
    })
}

fn node(root: &Path) -> Outcome {
    let folder = node_folder(root);
    let text = read(&root.join(SCRIPTS).join("package-lock.json"))?;
    let installed = folder.join("installed.json");
    if fs::read_to_string(&installed).is_ok_and(|found| found == text) {
        return Ok(Vec::new());
    }
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for name in ["package.json", "package-lock.json"] {
        let from = root.join(SCRIPTS).join(name);
        fs::copy(&from, folder.join(name)).map_err(|error| format!("{}: {error}", from.display()))?;
    }
    let mut npm = Command::new("npm");
    npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(&folder);
    Ok(vec![match run(&mut npm) {
        Ok(()) => {
            fs::write(&installed, &text).map_err(|error| format!("{}: {error}", installed.display()))?;
            format!("installed the libraries for Node in {}", shown(root, &folder))
        }
        Err(problem) => format!("the libraries for Node cannot be had: {}", last_line(&problem)),
    }])
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn shown(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string()
}

/// Where a program says why it failed.
pub(crate) fn last_line(text: &str) -> &str {
    text.trim_end().lines().next_back().unwrap_or_default()
}

/// Runs a program that is to say nothing; what it said, if it fails.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("{name}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    Err(format!("{name} failed ({})\n{out}{err}", output.status))
}
