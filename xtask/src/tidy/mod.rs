//! `cargo xtask tidy`: the house rules that a machine can hold.
//!
//! It is also a test of this package, so that `cargo test` alone catches what it catches.

mod rooms;
pub(crate) mod rust;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::repo::File;
use rust::Token;

/// A file that a reader can keep in mind; past it lie two concepts.
const MAX_LINES: usize = 800;
/// Data larger than this belongs elsewhere, or in fewer words.
const MAX_BYTES: usize = 2_000_000;
/// The library, whose rooms have an order and which stands without `std`.
const LIBRARY: &str = "crates/clockwise/src/";
/// Folders of one machine. Split, so that this file passes its own check.
const MACHINE_PATHS: [&str; 4] =
    [concat!("/ho", "me/"), concat!("/ro", "ot/"), concat!("/wo", "rk/"), concat!("/t", "mp/")];
/// Notes to oneself: what they speak of is done, or not begun.
const NOTES: [&str; 3] = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("X", "XX")];
/// Calls that end the program where an error should be returned.
const ABRUPT_METHODS: [&str; 2] = ["unwrap", "expect"];
const ABRUPT_MACROS: [&str; 3] = ["panic", "todo", "unimplemented"];

/// A rule broken at a place.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    path: String,
    line: usize,
    what: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.what)
    }
}

/// Every broken rule of the tree.
pub(crate) fn problems(files: &[File]) -> Vec<Problem> {
    let sources: BTreeMap<&str, Vec<Token>> = files
        .iter()
        .filter(|file| file.path.ends_with(".rs"))
        .filter_map(|file| Some((file.path.as_str(), rust::tokens(file.text()?))))
        .collect();
    let exports =
        sources.get("crates/clockwise/src/lib.rs").map(|root| rooms::exports(root)).unwrap_or_default();
    let std_only = conditional_files(&sources, |token| token.needs_std);
    let mut tests = conditional_files(&sources, |token| token.in_test);
    tests.extend(sources.keys().filter(|path| in_test_folder(path)));

    let mut problems = Vec::new();
    for file in files {
        let mut report = |line, what| problems.push(Problem { path: file.path.clone(), line, what });
        if file.bytes.len() > MAX_BYTES {
            report(1, format!("{} bytes, and the limit is {MAX_BYTES}", file.bytes.len()));
        }
        if let Some(text) = file.text() {
            check_text(&file.path, text, &mut report);
        }
        let path = file.path.as_str();
        let Some(tokens) = sources.get(path).filter(|_| !tests.contains(path)) else { continue };
        check_abrupt_ends(tokens, &mut report);
        let Some(inside) = path.strip_prefix(LIBRARY) else { continue };
        for (line, what) in rooms::wrong_imports(inside, tokens, &exports) {
            report(line, what);
        }
        if !std_only.contains(path) {
            check_no_std(tokens, &mut report);
        }
    }
    problems.extend(unexplained(files));
    problems
}

/// Folders of answers that do not say how they were made.
fn unexplained(files: &[File]) -> Vec<Problem> {
    let paths: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let folders: BTreeSet<&str> = paths
        .iter()
        .filter_map(|path| path.strip_prefix("vectors/")?.split_once('/'))
        .map(|(folder, _)| folder)
        .collect();
    let readmes = folders.into_iter().map(|folder| format!("vectors/{folder}/README.md"));
    readmes
        .filter(|readme| !paths.contains(readme.as_str()))
        .map(|path| Problem {
            path,
            line: 1,
            what: "is missing, which says how the answers were made".to_owned(),
        })
        .collect()
}

fn check_text(path: &str, text: &str, report: &mut impl FnMut(usize, String)) {
    if path.ends_with(".rs") {
        let lines = text.lines().count();
        if lines > MAX_LINES {
            report(lines, format!("{lines} lines, and the limit is {MAX_LINES}"));
        }
        if !text.starts_with("//!") {
            report(1, "opens without `//!` to say what it is".to_owned());
        }
    }
    // Recorded answers and real keys are quoted, not written: their words are their own.
    let quoted = path.starts_with("vectors/") || path.ends_with(".csv");
    for (at, line) in text.lines().enumerate() {
        for folder in MACHINE_PATHS {
            if stands_alone(line, folder, false) {
                report(at + 1, format!("speaks of `{folder}`, a folder of one machine"));
            }
        }
        for note in NOTES {
            if !quoted && stands_alone(line, note, true) {
                report(at + 1, format!("holds a `{note}`"));
            }
        }
    }
}

/// Whether `line` holds `needle` without a letter, digit or the like right before it (and, for a
/// word, right after it): `src/tmp/` and `a/home/` are other folders.
fn stands_alone(line: &str, needle: &str, whole_word: bool) -> bool {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    line.match_indices(needle).any(|(at, _)| {
        let before = line[..at].ends_with(|c| part(c) || c == '.');
        let after = whole_word && line[at + needle.len()..].starts_with(part);
        !before && !after
    })
}

fn check_abrupt_ends(tokens: &[Token], report: &mut impl FnMut(usize, String)) {
    for window in tokens.windows(3).filter(|window| !window[1].in_test) {
        let [before, name, after] = window else { continue };
        let Some(word) = name.word() else { continue };
        if before.is_mark('.') && after.is_mark('(') && ABRUPT_METHODS.contains(&word) {
            report(name.line, format!("calls `{word}` outside tests"));
        } else if after.is_mark('!') && ABRUPT_MACROS.contains(&word) {
            report(name.line, format!("calls `{word}!` outside tests"));
        }
    }
}

/// `std` is for tests and for the feature of its name. That it is not *linked* otherwise is proven
/// by `cargo xtask no-std`; this names the line.
fn check_no_std(tokens: &[Token], report: &mut impl FnMut(usize, String)) {
    for pair in tokens.windows(2).filter(|pair| !pair[0].in_test && !pair[0].needs_std) {
        if pair[0].is_word("std") && pair[1].is_mark(':') {
            report(pair[0].line, "uses `std` outside tests and the feature `std`".to_owned());
        }
    }
}

/// Files that are compiled only under a condition, because their parent declares them so, and the files
/// beneath them.
fn conditional_files<'a>(
    sources: &BTreeMap<&'a str, Vec<Token>>,
    condition: fn(&Token) -> bool,
) -> BTreeSet<&'a str> {
    let mut stems = Vec::new();
    for (path, tokens) in sources {
        let stem = path.strip_suffix(".rs").unwrap_or(path);
        let folder = match stem.rsplit_once('/') {
            Some((folder, "mod" | "lib" | "main")) => folder,
            _ => stem,
        };
        let names = rust::conditional_modules(tokens, condition);
        stems.extend(names.into_iter().map(|name| format!("{folder}/{name}")));
    }
    let beneath = |path: &str, stem: &str| {
        path.strip_prefix(stem).is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
    };
    sources.keys().copied().filter(|path| stems.iter().any(|stem| beneath(path, stem))).collect()
}

fn in_test_folder(path: &str) -> bool {
    path.split('/').any(|folder| matches!(folder, "tests" | "benches" | "examples"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repo;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<File> = files
            .iter()
            .map(|(path, text)| File { path: (*path).to_owned(), bytes: text.as_bytes().to_vec() })
            .collect();
        problems(&files).iter().map(Problem::to_string).collect()
    }

    #[test]
    fn this_tree_is_tidy() {
        let files = repo::files(&repo::root()).unwrap();
        assert!(files.iter().any(|file| file.path == "xtask/src/tidy/mod.rs"));
        let problems: Vec<String> = problems(&files).iter().map(Problem::to_string).collect();
        assert!(problems.is_empty(), "{}", problems.join("\n"));
    }

    #[test]
    fn abrupt_ends_are_found_outside_tests_only() {
        let source = "//! x\nfn f() { a.unwrap(); b.unwrap_or(1); }\nfn g() { panic!() }\n#[test] fn t() { c.unwrap() }";
        assert_eq!(
            found(&[("crates/a/src/b.rs", source), ("crates/a/tests/b.rs", source)]),
            [
                "crates/a/src/b.rs:2: calls `unwrap` outside tests",
                "crates/a/src/b.rs:3: calls `panic!` outside tests"
            ]
        );
    }

    #[test]
    fn a_module_declared_for_tests_is_a_test_with_all_its_files() {
        let bad = "//! x\nfn f() { a.expect(\"\") }";
        let files = [
            ("crates/a/src/lib.rs", "//! x\n#[cfg(test)]\nmod oracle;"),
            ("crates/a/src/oracle.rs", bad),
            ("crates/a/src/oracle/deep.rs", bad),
            ("crates/a/src/oracles.rs", bad),
        ];
        assert_eq!(found(&files), ["crates/a/src/oracles.rs:2: calls `expect` outside tests"]);
    }

    #[test]
    fn folders_of_a_machine_and_notes_are_found_where_they_stand_alone() {
        let [folder, note] = [MACHINE_PATHS[3], NOTES[0]];
        let text = format!("in `{folder}x`\nin src{folder}x\n# {note}: later\n{note}S\n");
        let expected = [
            format!("docs/a.md:1: speaks of `{folder}`, a folder of one machine"),
            format!("docs/a.md:3: holds a `{note}`"),
        ];
        assert_eq!(found(&[("docs/a.md", &text)]), expected);
        assert_eq!(found(&[("examples/a.csv", &format!("{note},1\n"))]), [""; 0]);
    }

    #[test]
    fn a_folder_of_answers_says_how_they_were_made() {
        let files = [("vectors/a/README.md", "by b"), ("vectors/a/a.json", "{}"), ("vectors/c/c.json", "{}")];
        assert_eq!(
            found(&files),
            ["vectors/c/README.md:1: is missing, which says how the answers were made"]
        );
    }

    #[test]
    fn std_in_the_library_is_found() {
        let source =
            "//! x\nuse std::vec;\n#[cfg(feature = \"std\")] use std::io;\n#[cfg(test)] use std::fs;";
        assert_eq!(
            found(&[("crates/clockwise/src/ring.rs", source)]),
            ["crates/clockwise/src/ring.rs:2: uses `std` outside tests and the feature `std`"]
        );
    }

    #[test]
    fn long_files_large_files_and_silent_files_are_found() {
        let long = format!("//! x\n{}", "\n".repeat(MAX_LINES));
        let large = "x".repeat(MAX_BYTES + 1);
        assert_eq!(
            found(&[("a.bin", &large), ("long.rs", &long), ("silent.rs", "fn f() {}")]),
            [
                "a.bin:1: 2000001 bytes, and the limit is 2000000",
                "long.rs:801: 801 lines, and the limit is 800",
                "silent.rs:1: opens without `//!` to say what it is",
            ]
        );
    }
}
