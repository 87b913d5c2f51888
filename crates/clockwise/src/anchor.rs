//! AnchorHash: any server may leave, for two numbers a bucket and some ln (capacity ⁄ servers) reads.
//!
//! Paper: Gal Mendelson, Shay Vargaftik, Katherine Barabash, Dean Lorenz, Isaac Keslassy and Ariel Orda,
//! *AnchorHash: A Scalable Consistent Hash*, 2018 (arXiv 1812.09674; IEEE/ACM Transactions on Networking
//! 2021), algorithm 3, the implementation in minimal memory.
//!
//! | knob | value |
//! |---|---|
//! | hash(k) mod a | number 0 of [`SplitMix64`](crate::hash::SplitMix64) seeded with the key hash, times a, over 2⁶⁴ |
//! | h_b(k) mod A\[b\] | the same of number b + 1 and A\[b\] |
//! | capacity a | 1,024 unless said, up to 2²⁴ |
//! | buckets at first | those that are listed; the rest are empty from the last down |
//! | checked against | the paper's algorithm 1, by whole working sets; the crate anchorhash 0.2.2 hashes in another way, so its owners are others |
//!
//! Whoever is removed leaves its number of remaining buckets behind, and a key that lands there draws
//! again among those that remained. Removals and returns move only the keys they must, evenly to or
//! from all others.

use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::arch::asked_for;
use crate::change_log::ChangeLog;
use crate::draws::draw;
use crate::entry::{Entry, Input, Number};
use crate::error::Error;
use crate::hash::{KeyHash, Xxh3};
use crate::logged::{CAPACITY, Logged, MAX_CAPACITY, Table, capacity_for};
use crate::placement::ServerIx;

/// AnchorHash over a fleet with its history.
///
/// ```
/// use clockwise::{Anchor, ChangeLog, Server, hash::Xxh3};
///
/// let log = ChangeLog::new([Server::new("a")?, Server::new("b")?, Server::new("c")?])?;
/// let before = Anchor::new(Xxh3, &log)?;
/// let after = Anchor::new(Xxh3, &log.removed("b")?)?;
/// for key in ["user:1", "user:2", "user:3"] {
///     let owner = before.owner(key).name();
///     assert!(owner == after.owner(key).name() || owner.as_str() == "b");
/// }
/// # Ok::<(), clockwise::Error>(())
/// ```
pub type Anchor<H = Xxh3> = Logged<AnchorTable, H>;

pub(crate) const ENTRY: Entry = Entry {
    name: "anchor",
    title: "AnchorHash",
    about: "Room for so many nodes; a key that lands on an empty place draws again among those that remained when it emptied.",
    paper: "Mendelson and others, AnchorHash: A Scalable Consistent Hash, 2018, arXiv 1812.09674, algorithm 3",
    input: Input::History,
    settings: &["hash", "capacity"],
    number: Some(Number { key: "capacity", default: CAPACITY as u64, most: MAX_CAPACITY as u64 }),
    build: |hash, capacity, list| {
        // A number in range is below 2³².
        Ok(Arc::new(Anchor::with_capacity(hash, &ChangeLog::of(list)?, capacity as u32)?))
    },
};

/// The arrays A and K of the paper, one behind the other. Most lookups read only the first, and it is in fewer lines
/// of cache than pairs would be.
#[derive(Clone, Debug)]
pub struct AnchorTable {
    capacity: u32,
    /// A: how many buckets remained when this one was emptied, 0 where it is not empty. Then K: the bucket that took
    /// its place in the working set.
    arrays: Arc<[u32]>,
}

impl<H: KeyHash> Logged<AnchorTable, H> {
    /// The placement of a fleet with room for 1,024 buckets. Refuses more servers, and weights that
    /// differ.
    pub fn new(hash: H, log: &ChangeLog) -> Result<Anchor<H>, Error> {
        Anchor::with_capacity(hash, log, CAPACITY)
    }

    /// The same with room for another number, 1 to 2²⁴: another capacity is another placement. A tenth
    /// to a half above the servers that are expected keeps lookups short.
    pub fn with_capacity(hash: H, log: &ChangeLog, capacity: u32) -> Result<Anchor<H>, Error> {
        Logged::replayed(hash, log, |buckets, removed| {
            Ok(AnchorTable::replay(capacity_for(capacity, buckets)?, buckets as u32, removed))
        })
    }

    /// How many buckets there is room for.
    pub fn capacity(&self) -> u32 {
        self.table().capacity
    }
}

impl AnchorTable {
    /// INITANCHOR, then REMOVEBUCKET for each removal.
    fn replay(capacity: u32, buckets: u32, removed: &[u32]) -> AnchorTable {
        let mut arrays: Vec<u32> = core::iter::repeat_n(0, capacity as usize).chain(0..capacity).collect();
        let (remained, successors) = arrays.split_at_mut(capacity as usize);
        // W: the working set in its order; L: the place of each bucket in it.
        let mut working: Vec<u32> = (0..capacity).collect();
        let mut places = working.clone();
        for bucket in (buckets..capacity).rev().chain(removed.iter().copied()) {
            // A bucket is working when it is removed, so there is a last one.
            let Some(last) = working.pop() else { break };
            let place = places[bucket as usize];
            remained[bucket as usize] = working.len() as u32;
            successors[bucket as usize] = last;
            if let Some(at) = working.get_mut(place as usize) {
                *at = last;
            }
            places[last as usize] = place;
        }
        AnchorTable { capacity, arrays: arrays.into() }
    }
}

impl Table for AnchorTable {
    const NAME: &'static str = "Anchor";

    // A call would take as long as most lookups.
    #[inline(always)]
    fn bucket(&self, key_hash: u64) -> u32 {
        self.bucket_from(key_hash, self.first(key_hash))
    }

    fn buckets(&self, key_hashes: &[u64], buckets: &mut [ServerIx]) {
        let (remained, _) = self.arrays.split_at(self.capacity as usize);
        let first = |key_hash| self.first(key_hash) as usize;
        asked_for(remained, key_hashes, buckets, first, |key_hash, first| {
            ServerIx::new(self.bucket_from(key_hash, first as u32))
        });
    }
}

impl AnchorTable {
    /// What GETBUCKET draws first.
    #[inline(always)]
    fn first(&self, key_hash: u64) -> u32 {
        draw(key_hash, 0, self.capacity)
    }

    /// GETBUCKET. Each turn draws among fewer buckets than the one before, and one is never empty.
    #[inline(always)]
    fn bucket_from(&self, key_hash: u64, mut bucket: u32) -> u32 {
        let Self { capacity, arrays } = self;
        loop {
            let remained = arrays[bucket as usize];
            if remained == 0 {
                return bucket;
            }
            bucket = draw(key_hash, u64::from(bucket) + 1, remained);
            // Whoever was gone before is stood for by its successor.
            while arrays[bucket as usize] >= remained {
                bucket = arrays[(*capacity + bucket) as usize];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;
    use crate::logged::promises::{self, random_log, working_sets};
    use crate::testing::Random;

    /// GETBUCKET of the paper's algorithm 1: `b ← W_b[h_b(k) mod |W_b|]` while b is removed.
    fn paper(capacity: u32, buckets: u32, removed: &[u32], key: u64) -> u32 {
        let all: Vec<u32> = (buckets..capacity).rev().chain(removed.iter().copied()).collect();
        let sets = working_sets(capacity, &all);
        let mut b = draw(key, 0, capacity);
        while let Some((_, set)) = sets.iter().find(|(removed, _)| *removed == b) {
            b = set[draw(key, u64::from(b) + 1, set.len() as u32) as usize];
        }
        b
    }

    #[test]
    fn agrees_with_the_papers_working_sets() {
        let mut random = Random(1812);
        for seed in 0..60 {
            let buckets = 1 + random.below(30) as u32;
            let capacity = buckets + random.below(30) as u32;
            let log = random_log(buckets as usize, random.below(buckets.into()) as usize, seed);
            let place = Anchor::with_capacity(Xxh3, &log, capacity).unwrap();
            assert_eq!(place.capacity(), capacity);
            for _ in 0..100 {
                let key = random.next();
                let expected = paper(capacity, buckets, log.removals(), key);
                assert_eq!(place.owner_of_hash(key).get(), expected, "seed {seed}, {key}");
            }
        }
    }

    #[test]
    fn promises_of_a_history() {
        promises::hold::<AnchorTable>(|log| Anchor::new(Xxh3, log));
    }

    #[test]
    fn batches_of_a_large_fleet_agree_with_single_lookups() {
        promises::batches_agree_with_single_lookups::<AnchorTable>(|log| {
            Anchor::with_capacity(Xxh3, log, 77_000)
        });
    }

    #[test]
    fn answers_are_frozen() {
        let log = random_log(10, 0, 0).removed("s3").unwrap().removed("s9").unwrap().removed("s0").unwrap();
        let place = Anchor::with_capacity(Xxh3, &log, 16).unwrap();
        let owners = core::array::from_fn(|i| place.owner_ix(format!("user:{i}")).get());
        assert_eq!(owners, FROZEN);
    }

    const FROZEN: [u32; 24] = [6, 6, 4, 7, 5, 5, 6, 6, 4, 2, 7, 2, 2, 8, 7, 4, 7, 8, 5, 4, 8, 5, 5, 7];

    #[test]
    fn more_servers_than_room_are_refused() {
        for (capacity, said) in
            [(0, "not positive"), (2, "below the number of servers"), (1 << 25, "too large")]
        {
            let error = Anchor::with_capacity(Xxh3, &random_log(3, 0, 0), capacity).unwrap_err();
            assert!(error.is_parameter());
            assert!(format!("{error}").starts_with(&format!("capacity {capacity} is ")), "{error}");
            assert!(format!("{error}").contains(said), "{error}");
        }
    }
}
