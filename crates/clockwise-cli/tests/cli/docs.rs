//! What the documentation shows of the command is what the command does.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use clockwise_cli::{Colour, CommandLine, Console, Exit};

use super::{TWEMPROXY, root, run};

/// The README, and every page of the documentation.
fn pages() -> Vec<PathBuf> {
    let mut pages = vec![root().join("README.md")];
    for folder in ["docs", "docs/study", "docs/decisions"] {
        let files = fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
        pages.extend(files.filter(|path| path.extension().is_some_and(|extension| extension == "md")));
    }
    pages.sort();
    pages
}

/// The lines of the fences that show a shell.
fn shells(page: &Path) -> Vec<Vec<String>> {
    let text = fs::read_to_string(page).unwrap();
    let mut shells: Vec<Vec<String>> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        match line.strip_prefix("```") {
            Some(kind) => {
                inside = matches!(kind, "sh" | "console");
                if inside {
                    shells.push(Vec::new());
                }
            }
            None if inside => shells.last_mut().unwrap().push(line.to_owned()),
            None => {}
        }
    }
    shells
}

/// The words behind `clockwise` in a line of a shell, if it is in there: to the end of the command.
fn command(line: &str) -> Option<Vec<String>> {
    let line = line.strip_prefix("$ ").unwrap_or(line);
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_ours = |at: &usize| {
        let built = words[*at] == "--" && *at > 1 && words[..2] == ["cargo", "run"];
        let first = *at == 0 || words[*at - 1] == "|";
        built || (words[*at] == "clockwise" && first)
    };
    let at = (0..words.len()).find(is_ours)?;
    let ends = |word: &&&str| ["|", ">", "#"].contains(*word);
    let rest = words[at + 1..].iter();
    Some(rest.take_while(|word| !ends(word)).map(|word| (*word).to_owned()).collect())
}

#[test]
fn every_command_in_the_documentation_can_be_typed() {
    let mut typed = 0;
    for page in pages() {
        for words in shells(&page).iter().flatten().filter_map(|line| command(line)) {
            let (mut out, mut err) = (Vec::new(), Vec::new());
            let mut console = Console::new(&mut out, &mut err, Colour::default());
            let line: Vec<OsString> = ["clockwise"]
                .into_iter()
                .map(OsString::from)
                .chain(words.iter().map(OsString::from))
                .collect();
            let parsed = CommandLine::parse(line, &mut console).map(|_| ());
            let fine = matches!(parsed, Ok(()) | Err(Exit::Fine));
            assert!(fine, "{}: {}: {}", page.display(), words.join(" "), String::from_utf8_lossy(&err));
            typed += 1;
        }
    }
    assert!(typed > 20, "only {typed} commands were found");
}

#[test]
fn every_command_shown_with_what_it_prints_prints_that() {
    let mut compared = 0;
    for page in pages() {
        for shell in shells(&page) {
            let starts: Vec<usize> = (0..shell.len()).filter(|&at| shell[at].starts_with("$ ")).collect();
            for (number, &at) in starts.iter().enumerate() {
                let end = starts.get(number + 1).copied().unwrap_or(shell.len());
                let shown = shell[at + 1..end].join("\n");
                let Some(words) = command(&shell[at]).filter(|_| !shown.is_empty()) else { continue };
                let ran = run(&words);
                // What goes into a file is not shown.
                let printed = if shell[at].contains(" > ") { ran.err } else { ran.out + &ran.err };
                assert_eq!(printed.trim_end(), shown, "{}: {}", page.display(), shell[at]);
                compared += 1;
            }
        }
    }
    assert!(compared > 0);
}

#[test]
fn the_ring_in_the_readme_is_the_one_that_the_command_draws() {
    let drawn = Path::new(env!("CARGO_TARGET_TMPDIR")).join("readme-ring.svg");
    let text = run(["ring", TWEMPROXY, "--svg", drawn.to_str().unwrap()]).fine();
    let same = fs::read(&drawn).unwrap() == fs::read(root().join("docs/ring.svg")).unwrap();
    assert!(same, "docs/ring.svg is another: clockwise ring {TWEMPROXY} --svg docs/ring.svg");
    // What stands below it.
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let (_, busiest) = text.split_once("busiest ÷ mean ").unwrap();
    let (busiest, _) = busiest.split_once(' ').unwrap();
    let readme = readme.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(readme.contains(&format!("the busiest of the four owns {busiest} times the mean")), "{busiest}");
}
