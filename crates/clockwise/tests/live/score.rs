//! How many live answers of a system match: said in a line, and written down for the summary.

use std::env;
use std::fmt::Debug;
use std::fs::OpenOptions;
use std::io::Write as _;

/// The answers of one system of one version.
pub(crate) struct Score {
    system: &'static str,
    version: String,
    asked: usize,
    right: usize,
    wrong: Option<String>,
}

impl Score {
    pub(crate) fn new(system: &'static str, version: String) -> Score {
        Score { system, version, asked: 0, right: 0, wrong: None }
    }

    /// One answer, theirs and ours.
    pub(crate) fn answer<T: PartialEq + Debug + ?Sized>(
        &mut self,
        theirs: &T,
        ours: &T,
        context: impl FnOnce() -> String,
    ) {
        let right = theirs == ours;
        self.count(usize::from(right), 1, || {
            format!("{}: it says {theirs:?}, and we say {ours:?}", context())
        });
    }

    /// So many right of so many; `problem` tells of one that was not.
    pub(crate) fn count(&mut self, right: usize, asked: usize, problem: impl FnOnce() -> String) {
        self.asked += asked;
        self.right += right;
        if right != asked && self.wrong.is_none() {
            self.wrong = Some(problem());
        }
    }

    /// Says how many were right. Fails on a wrong one, and on fewer than there are.
    pub(crate) fn close(self, at_least: usize) {
        let Score { system, version, asked, right, wrong } = self;
        println!("{system} {version} live: {} of {} answers match", grouped(right), grouped(asked));
        write_down(&[system, &version, &right.to_string(), &asked.to_string()]);
        if let Some(wrong) = wrong {
            panic!("{} wrong, the first: {wrong}", asked - right);
        }
        assert!(asked >= at_least, "{asked} answers, and there should be {at_least}");
    }
}

/// Says that a system could not be had, and why.
pub(crate) fn not_asked(system: &str, why: &str) {
    println!("{system} live: not asked: {why}");
    write_down(&[system, why]);
}

/// Appends a line to the file that `cargo xtask` collects, if it asked for one.
fn write_down(words: &[&str]) {
    let Some(path) = env::var_os("CLOCKWISE_ANSWERS") else { return };
    // In one piece, since tests may run at once.
    let line = format!("live\t{}\n", words.join("\t"));
    let file = OpenOptions::new().append(true).create(true).open(path);
    file.and_then(|mut file| file.write_all(line.as_bytes())).expect("a file for the counts");
}

/// A number below a million with a comma before its last three digits.
fn grouped(number: usize) -> String {
    if number < 1_000 { number.to_string() } else { format!("{},{:03}", number / 1_000, number % 1_000) }
}
