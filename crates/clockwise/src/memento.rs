//! MementoHash: jump hash, and a note of each bucket that is empty.
//!
//! Paper: Massimo Coluzzi, Amos Brocco, Alessandro Antonucci and Tiziano Leidi, *MementoHash: A Stateful,
//! Minimal Memory, Best Performing Consistent Hash Algorithm*, 2023 (arXiv 2306.09783), the algorithms for
//! removal and lookup.
//!
//! | knob | value |
//! |---|---|
//! | first bucket | [jump hash](crate::jump) of the key hash over all buckets |
//! | hash(k, b) mod c | number b + 1 of [`SplitMix64`](crate::hash::SplitMix64) seeded with the key hash, times c, over 2⁶⁴ |
//! | replacement set | an array over the buckets, 4 bytes each |
//! | last bucket, while none is empty | goes from the end, as in jump |
//! | checked against | the definition by whole working sets; the authors' Java code and a port of it in Zig, read. Their hashes of key and bucket are others, so that their owners are too |
//!
//! Without empty buckets this is jump hash, owner for owner. It needs no capacity, and pays for what
//! was removed only.

use alloc::sync::Arc;
use alloc::vec;

use crate::arch::asked_for;
use crate::change_log::ChangeLog;
use crate::draws::draw;
use crate::entry::{Entry, Input};
use crate::error::Error;
use crate::hash::{KeyHash, Xxh3};
use crate::jump::jump;
use crate::logged::{Logged, MAX_CAPACITY, Table, capacity_for};
use crate::placement::ServerIx;

/// MementoHash over a fleet with its history.
///
/// ```
/// use clockwise::{ChangeLog, Memento, Server, hash::Xxh3};
///
/// let log = ChangeLog::new([Server::new("a")?, Server::new("b")?, Server::new("c")?])?;
/// let before = Memento::new(Xxh3, &log)?;
/// let after = Memento::new(Xxh3, &log.removed("b")?)?;
/// for key in ["user:1", "user:2", "user:3"] {
///     let owner = before.owner(key).name();
///     assert!(owner == after.owner(key).name() || owner.as_str() == "b");
/// }
/// # Ok::<(), clockwise::Error>(())
/// ```
pub type Memento<H = Xxh3> = Logged<MementoTable, H>;

pub(crate) const ENTRY: Entry = Entry {
    name: "memento",
    title: "MementoHash",
    about: "Jump, and a note of each place that was emptied: a key that lands there draws again among those that remained.",
    paper: "Coluzzi and others, MementoHash: A Stateful, Minimal Memory, Best Performing Consistent Hash Algorithm, 2023, arXiv 2306.09783",
    input: Input::History,
    settings: &["hash"],
    number: None,
    build: |hash, _, list| Ok(Arc::new(Memento::new(hash, &ChangeLog::of(list)?)?)),
};

/// For each bucket how many remained when it was emptied, which is also the bucket that took its place;
/// 0 where it is not empty.
#[derive(Clone, Debug)]
pub struct MementoTable(Arc<[u32]>);

impl<H: KeyHash> Logged<MementoTable, H> {
    /// The placement of a fleet. Refuses weights that differ, and more than 2²⁴ buckets.
    pub fn new(hash: H, log: &ChangeLog) -> Result<Memento<H>, Error> {
        Logged::replayed(hash, log, |buckets, removed| {
            capacity_for(MAX_CAPACITY, buckets)?;
            Ok(MementoTable::replay(buckets, removed))
        })
    }
}

impl MementoTable {
    fn replay(buckets: usize, removed: &[u32]) -> MementoTable {
        let mut size = buckets;
        let mut rest = removed.iter();
        // The last bucket, while none is empty, is just gone.
        while let Some(&bucket) = rest.clone().next()
            && bucket as usize + 1 == size
        {
            size -= 1;
            rest.next();
        }
        let mut notes = vec![0; size];
        // One bucket at least is not removed.
        for (working, &bucket) in (0..size as u32).rev().zip(rest) {
            notes[bucket as usize] = working;
        }
        MementoTable(notes.into())
    }
}

impl Table for MementoTable {
    const NAME: &'static str = "Memento";

    #[inline]
    fn bucket(&self, key_hash: u64) -> u32 {
        self.bucket_from(key_hash, self.first(key_hash))
    }

    fn buckets(&self, key_hashes: &[u64], buckets: &mut [ServerIx]) {
        let first = |key_hash| self.first(key_hash) as usize;
        asked_for(&self.0, key_hashes, buckets, first, |key_hash, first| {
            ServerIx::new(self.bucket_from(key_hash, first as u32))
        });
    }
}

impl MementoTable {
    #[inline]
    fn first(&self, key_hash: u64) -> u32 {
        // The count is one that jump hash takes.
        jump(key_hash, self.0.len() as i64).unwrap_or(0)
    }

    /// Each turn draws among fewer buckets than the one before, and one is never empty.
    #[inline]
    fn bucket_from(&self, key_hash: u64, mut bucket: u32) -> u32 {
        loop {
            let remained = self.0[bucket as usize];
            if remained == 0 {
                return bucket;
            }
            let mut drawn = draw(key_hash, u64::from(bucket) + 1, remained);
            // Whoever was gone before is stood for by the bucket that took its place.
            while self.0[drawn as usize] >= remained {
                drawn = self.0[drawn as usize];
            }
            bucket = drawn;
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::vec::Vec;

    use super::*;
    use crate::jump::Jump;
    use crate::logged::promises::{self, random_log, working_sets};
    use crate::testing::Random;

    /// The definition: jump among all, then among those that remained, for as long as it is empty. Last
    /// buckets that went first are not there.
    fn paper(mut buckets: u32, removed: &[u32], key: u64) -> u32 {
        let gone = removed.iter().zip(1..).take_while(|(b, i)| **b == buckets - i).count();
        buckets -= gone as u32;
        let sets = working_sets(buckets, &removed[gone..]);
        let mut b = jump(key, buckets).unwrap();
        while let Some((_, set)) = sets.iter().find(|(removed, _)| *removed == b) {
            b = set[draw(key, u64::from(b) + 1, set.len() as u32) as usize];
        }
        b
    }

    #[test]
    fn agrees_with_the_papers_working_sets() {
        let mut random = Random(2306);
        for seed in 0..80 {
            let buckets = 1 + random.below(40) as u32;
            let mut log = random_log(buckets as usize, random.below(buckets.into()) as usize, seed);
            if seed % 4 == 0 && buckets > 3 {
                // The last ones go first.
                let last =
                    |log: &ChangeLog| log.removed(log.buckets().active().last().unwrap().1.name().as_str());
                log = last(&last(&random_log(buckets as usize, 0, 0)).unwrap()).unwrap();
                log = log.removed("s0").unwrap();
            }
            let place = Memento::new(Xxh3, &log).unwrap();
            for _ in 0..100 {
                let key = random.next();
                let expected = paper(buckets, log.removals(), key);
                assert_eq!(place.owner_of_hash(key).get(), expected, "seed {seed}, {key}");
            }
        }
    }

    #[test]
    fn promises_of_a_history() {
        promises::hold::<MementoTable>(|log| Memento::new(Xxh3, log));
    }

    #[test]
    fn batches_of_a_large_fleet_agree_with_single_lookups() {
        promises::batches_agree_with_single_lookups::<MementoTable>(|log| Memento::new(Xxh3, log));
    }

    #[test]
    fn with_no_empty_bucket_it_is_jump() {
        let log = random_log(37, 0, 0);
        let (memento, jump) = (Memento::new(Xxh3, &log).unwrap(), Jump::new(Xxh3, log.buckets()).unwrap());
        // The last that goes leaves a shorter list.
        let shorter = Memento::new(Xxh3, &log.removed("s36").unwrap()).unwrap();
        let short = Jump::new(Xxh3, &log.buckets().popped().unwrap()).unwrap();
        for i in 0..2_000 {
            let key = format!("user:{i}");
            assert_eq!(memento.owner_ix(&key), jump.owner_ix(&key));
            assert_eq!(shorter.owner_ix(&key), short.owner_ix(&key));
        }
    }

    #[test]
    fn answers_are_frozen() {
        let log = random_log(10, 0, 0).removed("s3").unwrap().removed("s9").unwrap().removed("s0").unwrap();
        let place = Memento::new(Xxh3, &log).unwrap();
        let owners: Vec<u32> = (0..24).map(|i| place.owner_ix(format!("user:{i}")).get()).collect();
        assert_eq!(owners, FROZEN);
    }

    const FROZEN: [u32; 24] = [8, 1, 4, 7, 8, 2, 6, 2, 2, 8, 5, 6, 7, 4, 5, 5, 1, 6, 4, 8, 8, 8, 8, 6];
}
