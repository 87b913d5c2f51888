//! `cargo xtask readme`: the first command that the README shows prints what the README says.
//!
//! The first fence marked `sh` is the command, the first one marked `text` after it is what it prints.
//! A line `...` there stands for any lines.

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
    let actual = String::from_utf8_lossy(&output.stdout);
    let actual: Vec<&str> = actual.lines().map(str::trim_end).collect();
    if matches(&expected, &actual) {
        Ok(Vec::new())
    } else {
        let [shown, printed] = [&expected[..], &actual[..]].map(|lines| lines.join("\n"));
        Err(format!("$ {command}\nREADME.md shows:\n{shown}\n\nit prints:\n{printed}"))
    }
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
