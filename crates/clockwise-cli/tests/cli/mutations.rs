//! Twenty thousand broken fleet files through the command itself: never a panic, and what is refused
//! is refused by its place.

use std::ffi::OsString;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};

use clockwise_cli::{Colour, Console, Exit};
use clockwise_fuzz::{Campaign, Random, corpus};

use super::{file, root, run};

/// Runs a command line in this process.
fn call(arguments: &[&str]) -> (Exit, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let arguments = std::iter::once("clockwise").chain(arguments.iter().copied()).map(OsString::from);
    let exit = clockwise_cli::run(arguments, &mut Console::new(&mut out, &mut err, Colour::default()));
    (exit, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

/// The good files: the examples, and the corpus of both kinds.
fn files() -> Vec<Vec<u8>> {
    let examples =
        ["twemproxy.yml", "fleet.toml"].map(|name| fs::read(root().join("examples").join(name)).unwrap());
    [examples.to_vec(), corpus("toml").unwrap(), corpus("twemproxy").unwrap()].concat()
}

const WORDS: &[&str] = &[
    "\0",
    "\r",
    "\t",
    "\"",
    "'",
    "[",
    "]",
    "{",
    "}",
    ":",
    ": ",
    "- ",
    "#",
    "=",
    "&a ",
    "*a",
    "---\n",
    "é",
    "\u{feff}",
    "[[server]]\n",
    "name = \"a\"\n",
    "weight = 2\n",
    "weight: 0\n",
    "servers:\n",
    " - h:1:1\n",
];

/// Whatever a file holds, a command that reads it succeeds or says where the file is wrong.
fn holds(bytes: &[u8], random: &mut Random) {
    let path = file("mutation", bytes);
    let commands: [&[&str]; 4] = [
        &["owner", &path, "user:42"],
        &["owner", &path, "user:42", "--merge", "--strict", "--format", "json"],
        &["plan", &path, &path, "--sample", "20"],
        &["ring", &path, "--format", "csv"],
    ];
    let command = *random.pick(&commands);
    let (exit, out, err) = catch_unwind(AssertUnwindSafe(|| call(command)))
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    match exit {
        Exit::Fine => assert!(!out.is_empty(), "{command:?}"),
        Exit::Input => {
            assert_eq!(out, "", "{command:?}");
            assert_names_the_place(&String::from_utf8_lossy(bytes), &path, &err);
        }
        other => panic!("{command:?}: {other:?}\n{err}"),
    }
}

/// An error, the file, a line that is in it, and that line or the offending text.
fn assert_names_the_place(text: &str, path: &str, err: &str) {
    assert!(err.contains("error: "), "{err}");
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines: Vec<&str> = text.split('\n').collect();
    let mut places = 0;
    for said in err.lines() {
        let Some((_, place)) = said.split_once(&format!("--> {path}:")) else { continue };
        let (line, column) = place.split_once(':').unwrap_or_else(|| panic!("{err}"));
        let (line, column): (usize, usize) = (line.parse().unwrap(), column.parse().unwrap());
        assert!((1..=lines.len()).contains(&line) && column >= 1, "{err}");
        // The line stands under it, or of a long one what is around the place.
        let shown = lines[line - 1];
        let told = if shown.chars().count() > 60 {
            let there: String = shown.chars().skip(column - 1).take(8).collect();
            !there.bytes().all(|byte| byte.is_ascii_graphic()) || err.contains(&there)
        } else {
            let mut words = shown.split(|c: char| !c.is_ascii_alphanumeric());
            words.all(|word| err.contains(word))
        };
        assert!(told, "{err}\n{shown:?}");
        places += 1;
    }
    assert!(places > 0, "no place in:\n{err}");
}

#[test]
fn twenty_thousand_broken_files_are_read_or_refused_by_their_place() {
    let campaign =
        Campaign { name: "fleet files through the command", corpus: files(), words: WORDS, seed: 0xc11 };
    campaign.run(holds);
}

#[test]
fn some_hundred_broken_files_through_the_program() {
    let campaign = Campaign { name: "through the program", corpus: files(), words: WORDS, seed: 0xc12 };
    let mut left = 300;
    campaign.run(|bytes, random| {
        // One of many, so that they are spread over the campaign.
        if left == 0 || random.below(60) > 0 {
            return;
        }
        left -= 1;
        let path = file("mutation-of-the-program", bytes);
        let run = run(["owner", &path, "user:42"]);
        match run.code {
            0 => assert!(!run.out.is_empty(), "{}", run.what),
            3 => assert_names_the_place(&String::from_utf8_lossy(bytes), &path, &run.err),
            code => panic!("{}: {code}\n{}", run.what, run.err),
        }
    });
    assert!(left < 100, "{left} of 300 were not made");
}
