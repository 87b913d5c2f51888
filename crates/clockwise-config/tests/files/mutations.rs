//! Broken files never panic, and every complaint names its place.
//!
//! The targets are plain functions of bytes. Here they run over the corpus in `fuzz/corpus` and
//! over seeded mutations of it; a fuzzer with a toolchain of its own can call them as they are.

use std::fs;
use std::path::PathBuf;

use clockwise_config::{Diagnostic, Options, Severity, parse};

/// One target for all kinds of files, since the content decides what a file is: whatever the bytes,
/// they are read or refused with complaints that hold.
fn file(bytes: &[u8]) {
    for options in [Options::default(), Options { merge: true, strict: true }] {
        match parse("fleet", bytes, &options) {
            Ok(file) => {
                let names: Vec<Option<String>> = match file.names().next() {
                    None => vec![None],
                    Some(_) => file.names().map(|name| Some(name.to_owned())).collect(),
                };
                for name in names {
                    match file.pick(name.as_deref()) {
                        Ok(pool) => {
                            assert!(pool.servers().active().count() > 0);
                            assert!(!options.strict || pool.warnings().is_empty());
                            pool.warnings().iter().for_each(|warning| holds(bytes, warning));
                            let again = parse("again", pool.to_toml().as_bytes(), &Options::default());
                            let again = again.unwrap_or_else(|e| panic!("{}", e.render(false)));
                            let again = again.pick(None).unwrap();
                            assert_eq!(again.servers(), pool.servers());
                            assert_eq!(again.scheme(), pool.scheme());
                        }
                        Err(reason) => holds(bytes, &reason),
                    }
                }
            }
            Err(refused) => {
                assert!(refused.iter().any(|d| d.severity() == Severity::Error), "{refused}");
                refused.iter().for_each(|diagnostic| holds(bytes, diagnostic));
                // One shows how all are drawn, and drawing takes longer than reading.
                let first = refused.iter().next().unwrap();
                let (line, column) = (first.line().unwrap(), first.column().unwrap());
                assert!(first.render(false).contains(&format!("fleet:{line}:{column}")), "{first}");
            }
        }
    }
}

/// A complaint stands in the file, shows its line, and names something of it unless it is about
/// something that is not there.
fn holds(bytes: &[u8], diagnostic: &Diagnostic) {
    let text = String::from_utf8_lossy(bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let (line, column) = diagnostic.line().zip(diagnostic.column()).expect("every complaint has a place");
    let lines: Vec<&str> = text.split('\n').collect();
    assert!((1..=lines.len()).contains(&line), "{diagnostic}: {} lines", lines.len());
    let shown = lines[line - 1];
    assert!((1..=shown.chars().count() + 1).contains(&column), "{diagnostic}: in {shown:?}");
    assert!(!diagnostic.message().is_empty());
    assert!(!diagnostic.message().contains(char::is_control), "{diagnostic}");
    let excerpt = diagnostic.excerpt().unwrap_or_default();
    let absent = excerpt.is_empty() || excerpt.trim().is_empty();
    assert!(absent || names_something(diagnostic.message(), shown, excerpt), "{diagnostic}: in {shown:?}");
}

/// Whether the message has the offending text, or quotes something of its line.
fn names_something(message: &str, line: &str, excerpt: &str) -> bool {
    let first = excerpt.lines().next().unwrap_or_default();
    let start: String = first.trim_matches(['"', '\'']).chars().take(30).collect();
    // Messages escape what does not print, in one of two ways, and what quotes need.
    let message = [message, &message.replace("\\\\", "\\"), &message.replace("\\\"", "\"")].concat();
    let debug = |c: char| match c {
        '"' | '\'' | '\\' => c.to_string(),
        c => c.escape_debug().to_string(),
    };
    let unicode = |c: char| match debug(c) {
        plain if plain.chars().eq([c]) => plain,
        _ => c.escape_unicode().to_string(),
    };
    let escapes = line.contains('\\');
    let line =
        [line.to_owned(), line.chars().map(debug).collect(), line.chars().map(unicode).collect()].concat();
    let quotes = |part: &str| {
        let part = part.trim_end_matches('…');
        // What stands between two quotes of a message has blanks around it.
        !part.is_empty() && part.trim() == part && line.contains(part)
    };
    // Numbers are named without the plus and the underscores that TOML allows.
    let number = start.trim_start_matches('+').replace('_', "");
    message.contains(&start)
        || message.contains(&number)
        || message.contains(&start.chars().map(debug).collect::<String>())
        || message.split(['"', '`']).any(quotes)
        || message.split(['"', '`', '\\']).any(quotes)
        // A byte that is no text is named by its number, and escapes by what they stand for.
        || message.contains("is not UTF-8 text")
        || escapes
}

fn corpus(kind: &str) -> Vec<Vec<u8>> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus")).join(kind);
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

/// splitmix64 (Steele, Lea, Flood 2014): the same mutations everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

const NUMBERS: &[&str] = &[
    "0",
    "-1",
    "1",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "18446744073709551616",
    "1e400",
    "-0",
    "0.5",
    "nan",
    "inf",
    "0x10",
    "",
    "00",
    "1_0",
    "99999999999999999999999999",
];

const PIECES: &[&str] = &[
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
    " # ",
    "=",
    ",",
    "&a ",
    "*a",
    "!!str ",
    "---\n",
    "...\n",
    "<<: *a\n",
    "|\n",
    ">\n",
    "%YAML 1.2\n",
    "? ",
    "é",
    "\u{feff}",
    "\u{2028}",
    "\\u0000",
    "\\",
    "\"\"\"",
    "'''",
    "[[server]]\n",
    "name = \"a\"\n",
    "version = 1\n",
    "weight: 0\n",
    " ",
];

fn mutate(random: &mut Random, mut bytes: Vec<u8>, corpus: &[Vec<u8>]) -> Vec<u8> {
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len());
        match random.below(10) {
            0 if !bytes.is_empty() => bytes[at] ^= 1 << random.below(8),
            1 if !bytes.is_empty() => bytes[at] = random.next() as u8,
            2 => bytes.truncate(at),
            3 => {
                let piece = random.pick(PIECES).bytes();
                bytes.splice(at..at, piece);
            }
            4 => {
                let other = random.pick(corpus);
                let from = random.below(other.len());
                bytes.truncate(at);
                bytes.extend_from_slice(&other[from..]);
            }
            5 => bytes = numbers(random, &bytes),
            kind => {
                let mut lines: Vec<Vec<u8>> = bytes.split(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
                let line = random.below(lines.len());
                match kind {
                    6 => lines.insert(line, lines[line].clone()),
                    7 => drop(lines.remove(line)),
                    8 => {
                        let other = random.below(lines.len());
                        lines.swap(line, other);
                    }
                    _ => {
                        let other = random.pick(corpus);
                        let theirs: Vec<&[u8]> = other.split(|&b| b == b'\n').collect();
                        lines.insert(line, random.pick(&theirs).to_vec());
                    }
                }
                bytes = lines.join(&b'\n');
            }
        }
    }
    bytes
}

/// One of the numbers in the text becomes an extreme one.
fn numbers(random: &mut Random, bytes: &[u8]) -> Vec<u8> {
    let starts: Vec<usize> = (0..bytes.len())
        .filter(|&at| bytes[at].is_ascii_digit() && (at == 0 || !bytes[at - 1].is_ascii_digit()))
        .collect();
    if starts.is_empty() {
        return bytes.to_vec();
    }
    let start = *random.pick(&starts);
    let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut out = bytes[..start].to_vec();
    out.extend_from_slice(random.pick(NUMBERS).as_bytes());
    out.extend_from_slice(&bytes[start + length..]);
    out
}

/// Runs the target and says which input it was that broke it.
fn run(what: &str, bytes: &[u8]) {
    let result = std::panic::catch_unwind(|| file(bytes));
    if let Err(panic) = result {
        eprintln!("{what}:\n{}", bytes.escape_ascii());
        std::panic::resume_unwind(panic);
    }
}

fn mutations(kind: &str, seed: u64) {
    let corpus = corpus(kind);
    assert!(corpus.len() >= 12, "{kind}");
    for (index, bytes) in corpus.iter().enumerate() {
        run(&format!("{kind} {index}"), bytes);
    }
    for round in 0..20_000_u64 {
        let mut random = Random(seed ^ (round << 20));
        let start = random.pick(&corpus).clone();
        let bytes = mutate(&mut random, start, &corpus);
        run(&format!("{kind} seed {seed:#x} round {round}"), &bytes);
    }
}

#[test]
fn twenty_thousand_broken_fleets_are_refused_with_their_place() {
    mutations("toml", 0x70_6d_6c);
}

#[test]
fn twenty_thousand_broken_twemproxy_files_are_refused_with_their_place() {
    mutations("twemproxy", 0x79_6d_6c);
}

#[test]
fn shapes_made_to_exhaust_a_parser_are_refused() {
    let deep = |open: &str, times: usize| open.repeat(times);
    for (what, text) in [
        ("brackets", deep("[", 100_000)),
        ("brackets in a value", format!("version = 1\na = {}", deep("[", 100_000))),
        ("braces in a value", format!("version = 1\na = {}", deep("{a = ", 100_000))),
        ("dots in a key", format!("version = 1\n{}a = 1\n", deep("a.", 100_000))),
        ("dots in a header", format!("[{}a]\n", deep("a.", 100_000))),
        ("dashes", deep("- ", 100_000)),
        ("brackets in yaml", format!("a: {}", deep("[", 100_000))),
        ("braces in yaml", format!("a: {}", deep("{a: ", 100_000))),
        ("indentation", (0..5_000).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect()),
        ("question marks", deep("? ", 100_000)),
        ("an open quote", format!("version = 1\na = \"{}", "x".repeat(1 << 20))),
        ("a line of a megabyte", format!("a: {}\n  b: c\n", "é".repeat(1 << 19))),
        ("a key of a megabyte", format!("version = 1\n{} = 1\n", "k".repeat(1 << 20))),
        ("a pool of a megabyte", format!("{}: 1\n", "k".repeat(1000))),
        ("the same key", "version = 1\n".repeat(20_000)),
        ("no values", "a\n".repeat(200_000)),
        ("zeros", "\0".repeat(100_000)),
        ("anchors", (0..20_000).map(|i| format!("a{i}: &a{i} x\n")).collect()),
        ("documents", "---\n".repeat(20_000)),
    ] {
        let refused = parse("fleet", text.as_bytes(), &Options::default()).unwrap_err();
        assert!(refused.iter().count() <= clockwise_config::MAX_DIAGNOSTICS, "{what}");
        for diagnostic in &refused {
            assert!(diagnostic.line().is_some(), "{what}: {diagnostic}");
            assert!(diagnostic.to_string().len() < 2_000, "{what}: {diagnostic}");
        }
        assert!(refused.render(true).len() < 200_000, "{what}");
    }
}
