//! DxHash: draw until a bucket is not empty.
//!
//! Paper: Chaos Dong and Fang Wang, *DxHash: A Scalable Consistent Hashing Based on the Pseudo-Random
//! Sequence*, 2021 (arXiv 2107.07930), the lookup by a pseudo-random sequence over an array of node states.
//!
//! | knob | value |
//! |---|---|
//! | sequence of a key | the numbers of [`SplitMix64`](crate::hash::SplitMix64) seeded with the key hash, each times the capacity, over 2⁶⁴ |
//! | capacity | 1,024 unless said, up to 2²⁴; the paper doubles it, here another capacity is another placement |
//! | states | a bit a bucket |
//! | end of a search | after 8 × capacity draws, which fewer than one key in 2,900 needs even where one bucket of all is left: the first that is not empty |
//! | checked against | the rule as a search over the whole sequence; an engine in Java for it, read. Its generator is another, so that its owners are too |
//!
//! A lookup takes capacity ⁄ servers draws on average: the scheme for fleets that are nearly full. The
//! order of removals places no key here, only which buckets are empty; a fleet is still told by its
//! history, so that newcomers take the same bucket as in the other schemes.

use alloc::sync::Arc;
use alloc::vec;

use crate::change_log::ChangeLog;
use crate::draws::draw;
use crate::entry::{Entry, Input, Number};
use crate::error::Error;
use crate::hash::{KeyHash, Xxh3};
use crate::logged::{CAPACITY, Logged, MAX_CAPACITY, Table, capacity_for};

/// DxHash over a fleet with its history.
///
/// ```
/// use clockwise::{ChangeLog, Dx, Server, hash::Xxh3};
///
/// let log = ChangeLog::new([Server::new("a")?, Server::new("b")?, Server::new("c")?])?;
/// let before = Dx::with_capacity(Xxh3, &log, 4)?;
/// let after = Dx::with_capacity(Xxh3, &log.removed("b")?, 4)?;
/// for key in ["user:1", "user:2", "user:3"] {
///     let owner = before.owner(key).name();
///     assert!(owner == after.owner(key).name() || owner.as_str() == "b");
/// }
/// # Ok::<(), clockwise::Error>(())
/// ```
pub type Dx<H = Xxh3> = Logged<DxTable, H>;

pub(crate) const ENTRY: Entry = Entry {
    name: "dx",
    title: "DxHash",
    about: "Room for so many nodes; a key draws places until one is not empty.",
    paper: "Dong and Wang, DxHash: A Scalable Consistent Hashing Based on the Pseudo-Random Sequence, 2021, arXiv 2107.07930",
    input: Input::History,
    settings: &["hash", "capacity"],
    number: Some(Number { key: "capacity", default: CAPACITY as u64, most: MAX_CAPACITY as u64 }),
    build: |hash, capacity, list| {
        // A number in range is below 2³².
        Ok(Arc::new(Dx::with_capacity(hash, &ChangeLog::of(list)?, capacity as u32)?))
    },
};

/// How many draws, for each bucket that there is room for, a search takes at most.
const DRAWS: u64 = 8;

/// Which buckets are not empty.
#[derive(Clone, Debug)]
pub struct DxTable {
    working: Arc<[u64]>,
    capacity: u32,
    /// The first that is not empty.
    first: u32,
}

impl<H: KeyHash> Logged<DxTable, H> {
    /// The placement of a fleet with room for 1,024 buckets. Refuses more servers, and weights that
    /// differ.
    pub fn new(hash: H, log: &ChangeLog) -> Result<Dx<H>, Error> {
        Dx::with_capacity(hash, log, CAPACITY)
    }

    /// The same with room for another number, 1 to 2²⁴: another capacity is another placement.
    pub fn with_capacity(hash: H, log: &ChangeLog, capacity: u32) -> Result<Dx<H>, Error> {
        Logged::replayed(hash, log, |buckets, removed| {
            Ok(DxTable::replay(capacity_for(capacity, buckets)?, buckets as u32, removed))
        })
    }

    /// How many buckets there is room for.
    pub fn capacity(&self) -> u32 {
        self.table().capacity
    }
}

impl DxTable {
    fn replay(capacity: u32, buckets: u32, removed: &[u32]) -> DxTable {
        let mut working = vec![0_u64; capacity.div_ceil(64) as usize];
        for bucket in 0..buckets {
            working[bucket as usize / 64] |= 1 << (bucket % 64);
        }
        for bucket in removed {
            working[*bucket as usize / 64] &= !(1 << (bucket % 64));
        }
        let first = (0..buckets).find(|bucket| working[*bucket as usize / 64] >> (bucket % 64) & 1 == 1);
        DxTable { working: working.into(), capacity, first: first.unwrap_or(0) }
    }
}

impl Table for DxTable {
    const NAME: &'static str = "Dx";

    #[inline]
    fn bucket(&self, key_hash: u64) -> u32 {
        for turn in 0..DRAWS * u64::from(self.capacity) {
            let bucket = draw(key_hash, turn, self.capacity);
            if self.working[bucket as usize / 64] >> (bucket % 64) & 1 == 1 {
                return bucket;
            }
        }
        self.first
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::vec::Vec;

    use super::*;
    use crate::logged::promises::{self, random_log};
    use crate::testing::Random;

    #[test]
    fn agrees_with_the_first_of_the_sequence_that_works() {
        let mut random = Random(2107);
        for seed in 0..60 {
            let buckets = 1 + random.below(80) as u32;
            let capacity = buckets + random.below(60) as u32;
            let log = random_log(buckets as usize, random.below(buckets.into()) as usize, seed);
            let place = Dx::with_capacity(Xxh3, &log, capacity).unwrap();
            let works = |b: &u32| *b < buckets && !log.removals().contains(b);
            for _ in 0..100 {
                let key = random.next();
                let mut generator = Random(key);
                let sequence = core::iter::repeat_with(|| {
                    ((u128::from(generator.next()) * u128::from(capacity)) >> 64) as u32
                });
                let found = sequence.take(8 * capacity as usize).find(works);
                let expected = found.or_else(|| (0..buckets).find(works)).unwrap();
                assert_eq!(place.owner_of_hash(key).get(), expected, "seed {seed}, {key}");
            }
        }
    }

    #[test]
    fn promises_of_a_history() {
        // One capacity through a history; a small one where there are few servers, for short searches.
        promises::hold::<DxTable>(|log| {
            let room = if log.buckets().servers().len() <= 100 { 128 } else { 1_024 };
            Dx::with_capacity(Xxh3, log, room)
        });
    }

    #[test]
    fn the_order_of_removals_places_no_key() {
        let log = random_log(10, 0, 0);
        let one = log.removed("s2").unwrap().removed("s7").unwrap();
        let other = log.removed("s7").unwrap().removed("s2").unwrap();
        let (one, other) = (Dx::new(Xxh3, &one).unwrap(), Dx::new(Xxh3, &other).unwrap());
        assert!((0..500).all(|i| one.owner_ix(format!("user:{i}")) == other.owner_ix(format!("user:{i}"))));
    }

    #[test]
    fn answers_are_frozen() {
        let log = random_log(10, 0, 0).removed("s3").unwrap().removed("s9").unwrap().removed("s0").unwrap();
        let place = Dx::with_capacity(Xxh3, &log, 16).unwrap();
        let owners: Vec<u32> = (0..24).map(|i| place.owner_ix(format!("user:{i}")).get()).collect();
        assert_eq!(owners, FROZEN);
    }

    const FROZEN: [u32; 24] = [6, 6, 4, 4, 5, 5, 2, 6, 4, 4, 1, 8, 5, 8, 6, 1, 7, 4, 5, 4, 8, 5, 7, 6];

    #[test]
    fn more_servers_than_room_are_refused() {
        let error = Dx::with_capacity(Xxh3, &random_log(3, 0, 0), 2).unwrap_err();
        assert!(error.is_parameter(), "{error}");
    }
}
