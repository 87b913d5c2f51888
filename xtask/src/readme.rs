//! `cargo xtask readme`: the first command that the README shows prints what the README says.
//!
//! The first fence marked `sh` is the command, the first one marked `text` after it is what it prints.
//! A line `...` there stands for any lines. And the picture in `docs/study.md` is the one that a study draws; the
//! others are held by the tests of the command, which need no release build for them.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::step::Outcome;

/// Runs the command from the top folder and compares.
pub(crate) fn check(root: &Path) -> Outcome {
    let readme = fs::read_to_string(root.join("README.md")).map_err(|error| format!("README.md: {error}"))?;
    let (command, expected) = first_command(&readme)?;
    let output = Command::new("sh")
        .args(["-c", &command])
        .current_dir(root)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("sh: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("$ {command}\nfailed ({})\n{said}", output.status));
    }
    picture(root)?;
    let actual = String::from_utf8_lossy(&output.stdout);
    let actual: Vec<&str> = actual.lines().map(str::trim_end).collect();
    if matches(&expected, &actual) {
        Ok(Vec::new())
    } else {
        let [shown, printed] = [&expected[..], &actual[..]].map(|lines| lines.join("\n"));
        Err(format!("$ {command}\nREADME.md shows:\n{shown}\n\nit prints:\n{printed}"))
    }
}

/// The curve of the study's page, measured anew: the same seed gives the same bytes on every machine.
fn picture(root: &Path) -> Result<(), String> {
    const SHOWN: &str = "docs/study/ring.svg";
    let folder = root.join("target/xtask/ring");
    // With what an earlier build measured nothing would be measured anew.
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let mut command = Command::new("cargo");
    command.args(["run", "--release", "--quiet", "--package", "clockwise-cli", "--"]);
    command.args(["study", "ring", "--scale", "published", "--out"]).arg(&folder);
    let output = command.current_dir(root).output().map_err(|error| format!("cargo: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let drawn = folder.join("pictures/summary-1.svg");
    let read = |path: &Path| fs::read(path).map_err(|error| format!("{}: {error}", path.display()));
    if read(&drawn)? == read(&root.join(SHOWN))? {
        return Ok(());
    }
    Err(format!("{SHOWN} is another picture than the study draws now: copy {}", drawn.display()))
}

fn first_command(readme: &str) -> Result<(String, Vec<&str>), String> {
    let (command, rest) = fence(readme, "sh").ok_or("README.md shows no command in a fence marked `sh`")?;
    let (output, _) = fence(rest, "text").ok_or("README.md shows no output in a fence marked `text`")?;
    Ok((command.to_owned(), output.lines().map(str::trim_end).collect()))
}

/// What stands in the first fence of a kind, and the text after it.
fn fence<'a>(text: &'a str, kind: &str) -> Option<(&'a str, &'a str)> {
    let (_, rest) = text.split_once(&format!("\n```{kind}\n"))?;
    rest.split_once("\n```\n")
}

/// Whether the lines are the expected ones, `...` standing for any number of lines.
fn matches(expected: &[&str], actual: &[&str]) -> bool {
    match (expected, actual) {
        ([], rest) => rest.iter().all(|line| line.is_empty()),
        (["...", after @ ..], _) => (0..=actual.len()).any(|skipped| matches(after, &actual[skipped..])),
        ([line, expected @ ..], [first, actual @ ..]) => line == first && matches(expected, actual),
        (_, []) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_command_is_held_to_the_output_after_it() {
        let readme =
            "# x\n```text\n0\n```\n```sh\na --b\n```\nprints:\n```text\none\n\ntwo \n```\n```sh\nc\n```\n";
        assert_eq!(first_command(readme), Ok(("a --b".to_owned(), vec!["one", "", "two"])));
        assert!(first_command("# x\n```sh\na\n```\n").unwrap_err().contains("no output"));
        assert!(first_command("# x\n").unwrap_err().contains("no command"));
    }

    #[test]
    fn three_dots_stand_for_any_lines() {
        assert!(matches(&["a", "...", "d"], &["a", "b", "c", "d"]));
        assert!(matches(&["a", "..."], &["a"]));
        assert!(!matches(&["a", "...", "d"], &["a", "b"]));
        assert!(!matches(&["a"], &["a", "b"]));
        assert!(!matches(&["a", "b"], &["a"]));
    }
}
