//! Campaigns against whatever reads bytes that others wrote.
//!
//! A target is a plain function of bytes that fails by panicking. [`Campaign::run`] calls it with
//! every file of a corpus and then with seeded mutations of them: the same ones in every run, so that a
//! test that passes today passes tomorrow. `cargo xtask fuzz` runs the same tests with more mutations
//! and other seeds, by the two variables below. A fuzzer with a toolchain of its own can call the
//! targets as they are.
#![forbid(unsafe_code)]

use std::path::Path;
use std::{env, fs, io, thread};

mod mutate;
mod random;

pub use random::Random;

/// The variable that holds how many mutations each campaign makes.
pub const MUTATIONS: &str = "CLOCKWISE_MUTATIONS";
/// The variable that holds a seed in place of each campaign's own.
pub const SEED: &str = "CLOCKWISE_SEED";

/// A corpus, what its files are made of, and where to start.
#[derive(Clone, Debug)]
pub struct Campaign<'a> {
    /// What it is called where a failure is told.
    pub name: &'a str,
    /// The files that mutations start from.
    pub corpus: Vec<Vec<u8>>,
    /// Words of their language, at least one: what a mutation puts in.
    pub words: &'a [&'a str],
    /// The seed, unless the variable says another.
    pub seed: u64,
    /// How many mutations, unless the variable says another number.
    pub rounds: u64,
}

impl Campaign<'_> {
    /// Calls the target with each file as it is, and then with its number of mutations, or as many as
    /// the variable says. The random numbers are for what else a target chooses.
    ///
    /// A failure prints the bytes, the seed and the round.
    pub fn run(&self, mut target: impl FnMut(&[u8], &mut Random)) {
        let seed = variable(SEED).unwrap_or(self.seed);
        let mut call = |round: String, bytes: &[u8], random: &mut Random| {
            let told = Told { what: format!("{}, seed {seed}, {round}", self.name), bytes };
            target(told.bytes, random);
        };
        for (index, file) in self.corpus.iter().enumerate() {
            call(format!("file {index}"), file, &mut Random::new(seed));
        }
        for round in 0..variable(MUTATIONS).unwrap_or(self.rounds) {
            // A round's numbers are its own, so that it can be repeated without the rounds before.
            let mut random = Random::new(seed ^ (round << 20));
            let bytes = self.mutation(&mut random);
            call(format!("round {round}"), &bytes, &mut random);
        }
    }
}

/// The files of a folder of `fuzz/corpus`, in the order of their names.
pub fn corpus(folder: &str) -> io::Result<Vec<Vec<u8>>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(folder);
    let entries: io::Result<Vec<_>> = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect();
    let mut paths = entries?;
    paths.sort();
    paths.iter().map(fs::read).collect()
}

/// The files of all folders of `fuzz/corpus`.
pub fn all_corpora() -> io::Result<Vec<Vec<u8>>> {
    let entries = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus"))?;
    let names: io::Result<Vec<_>> =
        entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect();
    let mut names = names?;
    names.sort();
    let files: io::Result<Vec<_>> = names.iter().map(|name| corpus(name)).collect();
    Ok(files?.concat())
}

fn variable(name: &str) -> Option<u64> {
    env::var(name).ok()?.parse().ok()
}

/// Tells, if the target panics, what it was called with.
struct Told<'a> {
    what: String,
    bytes: &'a [u8],
}

impl Drop for Told<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("{}:\n{}", self.what, self.bytes.escape_ascii());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn campaign() -> Campaign<'static> {
        let corpus = vec![b"a = 1\nb = 22\n".to_vec(), b"c: [3]\n".to_vec(), Vec::new()];
        Campaign { name: "example", corpus, words: &["[", "\0"], seed: 7, rounds: 20_000 }
    }

    #[test]
    fn every_file_comes_first_and_what_follows_is_the_same_every_time() {
        let mut runs = [Vec::new(), Vec::new()];
        for seen in &mut runs {
            campaign().run(|bytes, random| seen.push((bytes.to_vec(), random.next())));
        }
        assert_eq!(runs[0], runs[1]);
        assert!(campaign().corpus.iter().zip(&runs[0]).all(|(file, (seen, _))| file == seen));
        // Many repeat: there is only so much to change in a corpus of three short files.
        let called = runs[0].len();
        runs[0].sort();
        runs[0].dedup_by(|a, b| a.0 == b.0);
        assert!(runs[0].len() * 4 > called, "{} different of {called}", runs[0].len());
    }

    #[test]
    fn a_missing_corpus_is_an_error() {
        assert!(corpus("nowhere").is_err());
    }
}
