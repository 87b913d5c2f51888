//! `cargo xtask readme`: the first command that the README shows prints what the README says.
//!
//! The first fence marked `console` is read: the line after `$ ` is the command, the lines up to the
//! next `$ ` or the end of the fence are its output. A line `...` stands for any lines.

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
    let fence =
        readme.split_once("```console\n").ok_or("README.md shows no command in a fence marked `console`")?.1;
    let fence = fence.split_once("\n```").map_or(fence, |(inside, _)| inside);
    let mut lines = fence.lines().map(str::trim_end);
    let command =
        lines.next().and_then(|line| line.strip_prefix("$ ")).ok_or("the first fence opens without `$ `")?;
    let mut command = command.to_owned();
    while command.ends_with('\\') {
        command.pop();
        command.push_str(lines.next().unwrap_or_default().trim_start());
    }
    let mut expected: Vec<&str> = lines.take_while(|line| !line.starts_with("$ ")).collect();
    while expected.last().is_some_and(|line| line.is_empty()) {
        expected.pop();
    }
    if expected.is_empty() {
        return Err(format!("README.md shows no output of `{command}`"));
    }
    Ok((command, expected))
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
    fn the_first_console_fence_is_the_command_and_its_output() {
        let readme =
            "# x\n```rust\nlet a;\n```\n```console\n$ a --b \\\n    c\none\n\ntwo\n\n$ d\nthree\n```\n";
        assert_eq!(first_command(readme), Ok(("a --b c".to_owned(), vec!["one", "", "two"])));
        assert!(first_command("```console\n$ a\n```\n").is_err());
        assert!(first_command("nothing").is_err());
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
