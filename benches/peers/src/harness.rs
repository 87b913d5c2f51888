//! What is measured, and how: entries that look keys up, checked before they are timed.

use std::collections::BTreeMap;
use std::hint::black_box;

use clockwise::hash::SplitMix64;
use clockwise::{Error, Members, Server};
use cpu_time::{ProcessTime, ThreadTime};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region};

/// Keys of each kind. More than a processor learns by heart.
const KEYS: u64 = 1 << 16;
/// Nanoseconds that one round of an entry takes about; slow entries get fewer keys.
const ROUND: f64 = 3e6;

/// The keys: numbers, and short texts. Each kind begins alike for every entry.
pub struct Keys {
    pub numbers: Vec<u64>,
    pub texts: Vec<String>,
}

impl Keys {
    pub fn new() -> Keys {
        let numbers = (0..KEYS).map(|i| SplitMix64::mix(i.wrapping_mul(SplitMix64::STEP))).collect();
        Keys { numbers, texts: (0..KEYS).map(|i| format!("user:{i}")).collect() }
    }
}

/// A fleet, in the forms that crates take it in. Names live as long as the program, because some crates
/// borrow them.
pub struct Fleet {
    pub names: &'static [String],
    pub members: Members,
    /// Weights 1 to 4 in turn.
    pub weighted: Members,
}

impl Fleet {
    pub fn new(servers: usize) -> Result<Fleet, Error> {
        let name = |i: usize| format!("10.{}.{}.{}:11211", i >> 16, i >> 8 & 255, i & 255);
        let names: &'static [String] = Vec::leak((0..servers).map(name).collect());
        let members = |weight: fn(usize) -> u64| -> Result<Members, Error> {
            let servers = names.iter().enumerate();
            let servers: Result<Vec<Server>, Error> =
                servers.map(|(i, name)| Server::new(name.as_str())?.with_weight(weight(i))).collect();
            Members::new(servers?)
        };
        Ok(Fleet { names, members: members(|_| 1)?, weighted: members(|i| 1 + i as u64 % 4)? })
    }

    /// The names in the form that most crates take.
    pub fn texts(&self) -> Vec<&'static str> {
        self.names.iter().map(String::as_str).collect()
    }
}

/// One placement of one crate. Lookups give a number that is the same for the same server and different
/// for others.
pub trait Lookup {
    fn number(&self, key: u64) -> usize;
    /// A sum over many numbers: a loop of its own, so that what is called is known to the compiler.
    fn numbers(&self, keys: &[u64]) -> usize;
    fn texts(&self, keys: &[String]) -> usize;
}

struct By<T, N, S>(T, N, S);

impl<T, N: Fn(&T, u64) -> usize, S: Fn(&T, &str) -> usize> Lookup for By<T, N, S> {
    fn number(&self, key: u64) -> usize {
        (self.1)(&self.0, key)
    }
    fn numbers(&self, keys: &[u64]) -> usize {
        keys.iter().fold(0, |sum, &key| sum.wrapping_add((self.1)(&self.0, key)))
    }
    fn texts(&self, keys: &[String]) -> usize {
        keys.iter().fold(0, |sum, key| sum.wrapping_add((self.2)(&self.0, key)))
    }
}

/// A placement and its two lookups.
pub fn by<T: 'static>(
    placement: T,
    number: impl Fn(&T, u64) -> usize + 'static,
    text: impl Fn(&T, &str) -> usize + 'static,
) -> Box<dyn Lookup> {
    Box::new(By(placement, number, text))
}

/// Builds a placement of a fleet.
pub type Build = Box<dyn Fn(&Fleet) -> Box<dyn Lookup>>;

/// A crate's form of a scheme.
pub struct Entry {
    pub scheme: &'static str,
    pub name: &'static str,
    pub ours: bool,
    /// The largest fleet that it is asked for; some take minutes to build more.
    pub most: usize,
    pub build: Build,
    /// The answer that it claims to give for a number, where it claims one.
    pub claim: Option<fn(&Fleet, u64) -> usize>,
}

/// What was measured of an entry, least of all rounds.
pub struct Measured {
    pub scheme: &'static str,
    pub name: &'static str,
    pub ours: bool,
    pub servers: usize,
    /// Nanoseconds of a lookup of a number.
    pub number: f64,
    /// Nanoseconds of a lookup of a text.
    pub text: f64,
    /// Nanoseconds of a build.
    pub build: f64,
    /// What it keeps allocated.
    pub bytes: usize,
    /// The keys of the busiest server over the mean.
    pub busiest: f64,
}

/// Measures the entries in turns. Those that are not fair come back with the reason instead.
pub fn measure(entries: &[Entry], fleet: &Fleet, keys: &Keys, rounds: u32) -> (Vec<Measured>, Vec<String>) {
    let servers = fleet.names.len();
    let (mut running, mut refused) = (Vec::new(), Vec::new());
    for entry in entries.iter().filter(|entry| servers <= entry.most) {
        let region = Region::new(&INSTRUMENTED_SYSTEM);
        let (build, placement) = time_of_all_threads(|| (entry.build)(fleet));
        let change = region.change();
        let bytes = change.bytes_allocated.saturating_sub(change.bytes_deallocated);
        match fairness(entry, placement.as_ref(), fleet, keys) {
            Err(problem) => {
                refused.push(format!("{} {}, {servers} servers: {problem}", entry.scheme, entry.name))
            }
            Ok(busiest) => {
                let many = |one: &dyn Fn(usize) -> usize| {
                    let (mut many, mut took) = (16, 0.0);
                    while took < ROUND / 4.0 && many < KEYS as usize {
                        many *= 2;
                        took = time(|| one(many)).0;
                    }
                    many
                };
                let numbers = many(&|many| placement.numbers(&keys.numbers[..many]));
                let texts = many(&|many| placement.texts(&keys.texts[..many]));
                let measured = Measured {
                    scheme: entry.scheme,
                    name: entry.name,
                    ours: entry.ours,
                    servers,
                    number: f64::MAX,
                    text: f64::MAX,
                    build,
                    bytes,
                    busiest,
                };
                running.push((entry, placement, measured, numbers, texts));
            }
        }
    }
    for round in 0..rounds {
        for (entry, placement, measured, numbers, texts) in &mut running {
            let one = |(took, _): (f64, usize), many: usize| took / many as f64;
            let number = one(time(|| placement.numbers(&keys.numbers[..*numbers])), *numbers);
            let text = one(time(|| placement.texts(&keys.texts[..*texts])), *texts);
            measured.number = measured.number.min(number);
            measured.text = measured.text.min(text);
            if measured.build < 1e8 && round < 8 {
                measured.build = measured.build.min(time_of_all_threads(|| (entry.build)(fleet)).0);
            }
        }
    }
    (running.into_iter().map(|(_, _, measured, ..)| measured).collect(), refused)
}

/// Nanoseconds of CPU time that the thread takes.
pub fn time<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = ThreadTime::now();
    let result = black_box(work());
    (start.elapsed().as_secs_f64() * 1e9, result)
}

/// Nanoseconds of CPU time that the whole program takes: pingora-ketama v2 sorts on several threads, and the
/// time of the one that asks is not what its build takes.
fn time_of_all_threads<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = ProcessTime::now();
    let result = black_box(work());
    (start.elapsed().as_secs_f64() * 1e9, result)
}

/// The busiest server over the mean; refuses a placement that leaves a server out, crowds one, or does
/// not give what it claims.
fn fairness(entry: &Entry, placement: &dyn Lookup, fleet: &Fleet, keys: &Keys) -> Result<f64, String> {
    let servers = fleet.names.len();
    let slow = time(|| placement.numbers(&keys.numbers[..16])).0 > 16.0 * 2e4;
    let asked = if slow { (servers * 20).min(20_000) } else { KEYS as usize };
    let mut counts: BTreeMap<usize, u32> = BTreeMap::new();
    for &key in &keys.numbers[..asked] {
        *counts.entry(placement.number(key)).or_default() += 1;
    }
    let busiest = counts.values().max().copied().unwrap_or(0);
    let mean = asked as f64 / servers as f64;
    let over = f64::from(busiest) / mean;
    // Four times a mean of 5 and more is out of reach of 160 points and of chance.
    if over > 4.0 && mean >= 5.0 {
        return Err(format!("the busiest server has {over:.1} times the mean"));
    }
    if mean >= 40.0 && counts.len() != servers {
        return Err(format!("{} of {servers} servers own keys", counts.len()));
    }
    if let Some(claim) = entry.claim {
        for &key in &keys.numbers[..1_000] {
            if placement.number(key) != claim(fleet, key) {
                return Err(format!("key {key} is not where it claims to place it"));
            }
        }
    }
    Ok(over)
}

/// The least times of two pieces of work that take turns.
pub fn pair<A, B>(rounds: u32, mut one: impl FnMut() -> A, mut other: impl FnMut() -> B) -> [f64; 2] {
    let mut least = [f64::MAX; 2];
    for _ in 0..rounds {
        least[0] = least[0].min(time(&mut one).0);
        least[1] = least[1].min(time(&mut other).0);
    }
    least
}
