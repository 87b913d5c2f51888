//! Thousands of broken fleet files of every kind through the command itself: never a panic, and what is refused
//! is refused by its place.

use std::ffi::OsString;
use std::fs;

use clockwise_cli::{Colour, CommandLine, Console, Exit};
use clockwise_fuzz::{Campaign, all_corpora};

use super::{file, root, run};

/// The files to start from: the examples, and the corpus of every kind.
fn files() -> Vec<Vec<u8>> {
    let examples =
        ["twemproxy.yml", "fleet.toml"].map(|name| fs::read(root().join("examples").join(name)).unwrap());
    [examples.to_vec(), all_corpora().unwrap()].concat()
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
    ";",
    "server 10.0.0.1:1;\n",
    "hash $uri consistent;\n",
    "    server a 10.0.0.1:1\n",
    "--SERVER=aaa",
    "\"pools\": ",
    "lb_policy: MAGLEV\n",
    "[(",
];

/// Weights and sizes of five digits and more are right, and their millions of points take tests a minute: four
/// digits will do. Ports, slots and tokens stay.
fn lighter(bytes: &[u8]) -> Vec<u8> {
    let mut lighter = Vec::with_capacity(bytes.len());
    for run in bytes.chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit()) {
        let is_heavy = run[0].is_ascii_digit() && (5..10).contains(&run.len());
        let kept = if is_heavy && !(run.len() == 5 && run[0] == b'1') { 4 } else { run.len() };
        lighter.extend_from_slice(&run[..kept]);
    }
    lighter
}

/// Calls with a console whose streams are kept, and returns what was written to them.
fn kept<T>(call: impl FnOnce(&mut Console<'_>) -> T) -> (T, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let answer = call(&mut Console::new(&mut out, &mut err, Colour::default()));
    (answer, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

fn parsed(arguments: &[&str]) -> CommandLine {
    let arguments = std::iter::once("clockwise").chain(arguments.iter().copied()).map(OsString::from);
    let (line, _, err) = kept(|console| CommandLine::parse(arguments, console));
    line.unwrap_or_else(|_| panic!("{err}"))
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

/// Whatever a file holds, a command that reads it succeeds or says where the file is wrong.
#[test]
fn thousands_of_broken_files_are_read_or_refused_by_their_place() {
    let path = file("mutation", "");
    let lines = [
        parsed(&["owner", &path, "user:42"]),
        parsed(&["owner", &path, "user:42", "--merge", "--strict", "--format", "json"]),
        parsed(&["plan", &path, &path, "--sample", "20"]),
        parsed(&["ring", &path, "--format", "csv"]),
    ];
    let name = "fleet files through the command";
    Campaign { name, corpus: files(), words: WORDS, seed: 0xc11, rounds: 8_000 }.run(|bytes, random| {
        let bytes = lighter(bytes);
        fs::write(&path, &bytes).unwrap();
        let (exit, out, err) = kept(|console| random.pick(&lines).run(console));
        match exit {
            Exit::Fine => assert!(!out.is_empty(), "{err}"),
            Exit::Input => {
                assert_eq!(out, "");
                assert_names_the_place(&String::from_utf8_lossy(&bytes), &path, &err);
            }
            other => panic!("{other:?}: {err}"),
        }
    });
}

#[test]
fn some_hundred_broken_files_through_the_program() {
    let campaign =
        Campaign { name: "through the program", corpus: files(), words: WORDS, seed: 0xc12, rounds: 20_000 };
    let mut left = 300;
    campaign.run(|bytes, random| {
        // One of many, so that they are spread over the campaign.
        if left == 0 || random.below(60) > 0 {
            return;
        }
        left -= 1;
        let bytes = lighter(bytes);
        let path = file("mutation-of-the-program", &bytes);
        let run = run(["owner", &path, "user:42"]);
        match run.code {
            0 => assert!(!run.out.is_empty(), "{}", run.what),
            3 => assert_names_the_place(&String::from_utf8_lossy(&bytes), &path, &run.err),
            code => panic!("{}: {code}\n{}", run.what, run.err),
        }
    });
    assert!(left < 100, "{left} of 300 were not made");
}
