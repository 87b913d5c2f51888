//! `cargo xtask answers`: how many answers of each system match, recorded and live.
//!
//! The tests write their counts down, a line a count, into a file that is named to them. Here the lines
//! are added up by system. A system that should have said something and did not is a failure, and so
//! is one that is not in the list below.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use crate::libraries::{self, run as run_quietly};
use crate::step::Outcome;

/// Where answers of a system come from.
enum From {
    Tests,
    /// From nowhere, for this reason.
    Nowhere(&'static str),
}

use From::{Nowhere, Tests};

struct System {
    name: &'static str,
    recorded: From,
    live: From,
}

const fn system(name: &'static str, recorded: From, live: From) -> System {
    System { name, recorded, live }
}

/// In the order of docs/dialects.md.
const SYSTEMS: &[System] = &[
    system("libmemcached", Tests, Tests),
    system("twemproxy", Tests, Tests),
    system("libketama", Tests, Nowhere("no package has the C library")),
    system("spymemcached", Tests, Tests),
    system("php-memcached", Tests, Tests),
    system("php-memcache", Tests, Tests),
    system("pylibmc", Tests, Tests),
    system("python-memcached", Tests, Tests),
    system("pymemcache", Tests, Tests),
    system("uhashring", Tests, Tests),
    system("python-hashring", Tests, Tests),
    system("npm-hashring", Tests, Tests),
    system("npm-memcached", Tests, Tests),
    system("npm-ketama", Tests, Tests),
    system("npm-memjs", Tests, Tests),
    system("gomemcache", Tests, Nowhere("needs a Go toolchain")),
    system("nginx", Tests, Tests),
    system("pingora", Tests, Tests),
    system("haproxy", Tests, Tests),
    system("trafficserver", Tests, Tests),
    system("envoy", Tests, Tests),
    system("grpc", Tests, Tests),
    system("redis", Tests, Tests),
    system("cassandra", Tests, Tests),
    system("dskit", Tests, Nowhere("no package has it")),
    system("thanos", Nowhere("only its source was read"), Nowhere("no package has it")),
    system("couchbase", Nowhere("only its source was read"), Nowhere("needs its server")),
    system("kafka", Tests, Tests),
    system("guava", Tests, Tests),
    system("mcrouter", Tests, Nowhere("no package has it")),
    system("elasticsearch", Tests, Nowhere("needs a Java machine and its server")),
    system("katran", Tests, Nowhere("no package has it")),
    system("glb", Tests, Nowhere("no package has it")),
    system("cilium", Nowhere("only its source was read"), Nowhere("runs inside the kernel")),
    system("ipvs", Nowhere("only its source was read"), Nowhere("runs inside the kernel")),
];

fn file(root: &Path) -> PathBuf {
    root.join("target/xtask/answers.tsv")
}

/// Forgets what earlier tests wrote down.
pub(crate) fn forget(root: &Path) -> io::Result<()> {
    let file = file(root);
    fs::create_dir_all(file.parent().unwrap_or(root))?;
    fs::write(file, "")
}

/// Tells the tests of a command to write their counts down.
pub(crate) fn ask_for(command: &mut Command, root: &Path) {
    command.env("CLOCKWISE_ANSWERS", file(root));
}

/// Runs both kinds of tests, and then the summary.
pub(crate) fn run(root: &Path) -> Outcome {
    forget(root).map_err(|error| error.to_string())?;
    let mut tests = Command::new("cargo");
    tests.args(["test", "--workspace", "--test", "vectors", "--test", "live", "--no-fail-fast", "--"]);
    tests.args(["--include-ignored", "--test-threads=1"]).current_dir(root);
    libraries::add_to(&mut tests, root);
    ask_for(&mut tests, root);
    let tests = run_quietly(&mut tests);
    let lines = summary(root);
    match (tests, lines) {
        (Ok(()), lines) => lines,
        (Err(problem), Ok(lines)) => Err(format!("{problem}\n{}", lines.join("\n"))),
        (Err(problem), Err(lines)) => Err(format!("{problem}\n{lines}")),
    }
}

/// The summary of what tests wrote down since it was last forgotten.
pub(crate) fn summary(root: &Path) -> Outcome {
    let file = file(root);
    let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    table(SYSTEMS, &text)
}

/// All counts of one kind of one system.
#[derive(Default)]
struct Counts<'t> {
    right: u64,
    asked: u64,
    versions: BTreeSet<&'t str>,
    /// Why it was not asked.
    missing: Option<&'t str>,
}

impl<'t> Counts<'t> {
    fn of(text: &'t str, kind: &str, is_its: impl Fn(&str) -> bool) -> Result<Counts<'t>, String> {
        let mut counts = Counts::default();
        for line in text.lines() {
            let words: Vec<&str> = line.split('\t').collect();
            match words[..] {
                [this, system, ..] if this != kind || !is_its(system) => {}
                [_, _, why] => counts.missing = Some(why),
                [_, _, version, right, asked] => {
                    let number =
                        |word: &str| word.parse::<u64>().map_err(|error| format!("{line:?}: {error}"));
                    counts.right += number(right)?;
                    counts.asked += number(asked)?;
                    counts.versions.insert(version);
                }
                _ => return Err(format!("no count: {line:?}")),
            }
        }
        Ok(counts)
    }

    /// What the table says of them, why there are none, and whether that is as it should be.
    fn cell(&self, from: &From) -> (String, Option<&str>, bool) {
        match (from, self.missing) {
            (_, _) if self.asked > 0 => {
                let good = self.right == self.asked && matches!(from, Tests);
                (format!("{} of {}", grouped(self.right), grouped(self.asked)), None, good)
            }
            (Nowhere(why), _) => ("none".to_owned(), Some(why), true),
            (Tests, Some(why)) => ("not asked".to_owned(), Some(why), true),
            (Tests, None) => ("NOTHING WAS SAID".to_owned(), None, false),
        }
    }

    fn versions(&self) -> String {
        self.versions.iter().copied().collect::<Vec<_>>().join(", ")
    }
}

/// The lines of the table, or the same as a failure.
fn table(systems: &[System], text: &str) -> Outcome {
    // The tests of one system may say more exactly what was asked: the longest name it begins with.
    let its = |said: &str| {
        let named = systems.iter().filter(|system| said.starts_with(system.name));
        named.max_by_key(|system| system.name.len()).map(|system| system.name)
    };
    let mut good = true;
    let mut rows = vec![["system", "recorded", "live", "version, and why not"].map(str::to_owned)];
    for system in systems {
        let recorded = Counts::of(text, "recorded", |said| its(said) == Some(system.name))?;
        let live = Counts::of(text, "live", |said| its(said) == Some(system.name))?;
        let (recorded_cell, not_recorded, recorded_good) = recorded.cell(&system.recorded);
        let (live_cell, not_live, live_good) = live.cell(&system.live);
        good &= recorded_good && live_good;
        let mut last: Vec<String> = Vec::new();
        if recorded.versions.is_empty() || live.versions.is_empty() || recorded.versions == live.versions {
            last.extend([&recorded, &live].iter().map(|counts| counts.versions()).max());
        } else {
            last.extend([recorded.versions(), format!("live {}", live.versions())]);
        }
        last.extend(not_recorded.map(str::to_owned));
        last.extend(not_live.map(|why| format!("not live: {why}")));
        last.retain(|part| !part.is_empty());
        rows.push([system.name.to_owned(), recorded_cell, live_cell, last.join("; ")]);
    }
    let unknown: BTreeSet<&str> =
        text.lines().filter_map(|line| line.split('\t').nth(1)).filter(|said| its(said).is_none()).collect();
    let mut lines = aligned(&rows);
    for name in &unknown {
        lines.push(format!("{name} is not in the list of systems in xtask/src/answers.rs"));
    }
    if good && unknown.is_empty() { Ok(lines) } else { Err(lines.join("\n")) }
}

fn aligned(rows: &[[String; 4]]) -> Vec<String> {
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or_default();
    let [system, recorded, live] = [0, 1, 2].map(width);
    let line = |[first, second, third, last]: &[String; 4]| {
        let line = format!("{first:<system$}  {second:<recorded$}  {third:<live$}  {last}");
        line.trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

/// A number with a comma before every three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const SYSTEMS: &[System] = &[
        system("ring", Tests, Tests),
        system("ring-of-old", Tests, Nowhere("nobody has it")),
        system("table", Nowhere("read"), Nowhere("a kernel's")),
    ];

    #[test]
    fn counts_are_added_up_by_the_longest_name() {
        let text = "recorded\tring\t1.0\t1000\t1000\nrecorded\tring under load\t1.0\t234\t234\n\
                    recorded\tring-of-old\t0.1\t7\t7\nlive\tring\t1.1\t12\t12\n";
        assert_eq!(
            table(SYSTEMS, text).unwrap(),
            [
                "system       recorded        live      version, and why not",
                "ring         1,234 of 1,234  12 of 12  1.0; live 1.1",
                "ring-of-old  7 of 7          none      0.1; not live: nobody has it",
                "table        none            none      read; not live: a kernel's",
            ]
        );
    }

    #[test]
    fn a_system_that_says_nothing_or_something_wrong_is_a_failure() {
        let recorded = "recorded\tring\t1.0\t3\t3\nrecorded\tring-of-old\t0.1\t7\t7\n";
        assert!(table(SYSTEMS, recorded).unwrap_err().contains("NOTHING WAS SAID"));
        let missing = format!("{recorded}live\tring\tno such package\n");
        assert!(table(SYSTEMS, &missing).unwrap()[1].ends_with("not asked  1.0; not live: no such package"));
        let wrong = format!("{recorded}live\tring\t1.1\t11\t12\n");
        assert!(table(SYSTEMS, &wrong).unwrap_err().contains("11 of 12"));
        // Those that answer after all must be listed so.
        assert!(table(SYSTEMS, &format!("{missing}live\ttable\t1\t1\t1\n")).is_err());
        let new = format!("{missing}live\tspiral\t1.0\t1\t1\n");
        assert!(table(SYSTEMS, &new).unwrap_err().contains("spiral is not in the list"));
    }
}
