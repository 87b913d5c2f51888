//! JumpBackHash: what jump hash does, from the other end, with integers and in constant time.
//!
//! Paper: Otmar Ertl, *JumpBackHash: Say Goodbye to the Modulo Operation to Distribute Keys Uniformly to
//! Buckets*, 2024 (arXiv 2403.18682), its listing.
//!
//! | knob | value |
//! |---|---|
//! | generator | [`SplitMix64`], seeded with the key hash |
//! | numbers of 32 bits | the low half of a number of 64 bits, then its high half |
//! | buckets | 1 to 2³¹ − 1 |
//! | checked against | the paper's listing; and hash4j, by the paper's author: a million answers have the checksum that its tests state for `jumpBackHashSplitMix64`, 23d7a0d288cd67e7 |
//!
//! Jump hash walks up from bucket 0 and takes some ln *n* divisions. Here the set bits of one random
//! number name the ranges [2ᵐ, 2ᵐ⁺¹) in which the walk would have stopped, the highest first: the first
//! stop that lies below *n* is the bucket, after 5/3 numbers on average and whatever *n* is.
//!
//! As with jump hash, only the last bucket can come or go without harm; the answers are others than
//! jump's.

use alloc::sync::Arc;
use core::hint::select_unpredictable;

use crate::counted::{Counted, Rule, checked};
use crate::entry::{Entry, Input};
use crate::error::Error;
use crate::hash::{SplitMix64, Xxh3};

/// JumpBackHash over a list of servers; a weight repeats its server that many times in a row.
///
/// ```
/// use clockwise::{Buckets, JumpBack, Server, hash::Xxh3};
///
/// let list = Buckets::new([Server::new("a")?, Server::new("b")?])?;
/// let before = JumpBack::new(Xxh3, &list)?;
/// let after = JumpBack::new(Xxh3, &list.pushed(Server::new("c")?)?)?;
/// for key in ["user:1", "user:2", "user:3"] {
///     let owner = after.owner(key).name();
///     assert!(owner == before.owner(key).name() || owner.as_str() == "c");
/// }
/// # Ok::<(), clockwise::Error>(())
/// ```
pub type JumpBack<H = Xxh3> = Counted<JumpBackRule, H>;

pub(crate) const ENTRY: Entry = Entry {
    name: "jump-back",
    title: "JumpBackHash",
    about: "Jump's kind of list from the other end: constant time, integers alone; only the last may come or go without harm.",
    paper: "Ertl, JumpBackHash: Say Goodbye to the Modulo Operation to Distribute Keys Uniformly to Buckets, 2024, arXiv 2403.18682",
    input: Input::List,
    settings: &["hash"],
    number: None,
    build: |hash, _, list| Ok(Arc::new(JumpBack::new(hash, list)?)),
};

/// The rule of [`JumpBack`].
#[derive(Clone, Copy, Debug)]
pub struct JumpBackRule;

/// The bucket, 0 to `buckets` − 1, of a key hash.
///
/// Takes counts from 1 to 2,147,483,647 and refuses others with an error that names the number.
///
/// ```
/// assert_eq!(clockwise::jump_back(10863919174838991, 11)?, 10);
/// assert!(clockwise::jump_back(1, 0).unwrap_err().is_parameter());
/// # Ok::<(), clockwise::Error>(())
/// ```
pub fn jump_back(key_hash: u64, buckets: impl Into<i64>) -> Result<u32, Error> {
    checked::<JumpBackRule>(key_hash, buckets.into())
}

impl Rule for JumpBackRule {
    const NAME: &'static str = "JumpBack";

    /// The answer of the paper's listing, in one of two forms: a processor can guess where the walk ends unless much of
    /// the last range is past the end. Which form it is, it guesses too, because that is the same for all keys.
    #[inline]
    fn bucket(key_hash: u64, buckets: u32) -> u32 {
        if buckets <= 1 {
            return 0;
        }
        let within = u32::MAX >> (buckets - 1).leading_zeros();
        let past = within - (buckets - 1);
        // With a tenth past the end both take as long.
        if past > within / 10 {
            chosen(key_hash, buckets, within)
        } else {
            stopped(key_hash, buckets, within)
        }
    }
}

/// The first number of a key.
#[derive(Clone, Copy)]
struct First {
    number: u64,
    /// Bit m: the walk stops in [2ᵐ, 2ᵐ⁺¹).
    stops: u32,
}

impl First {
    #[inline]
    fn new(key_hash: u64, within: u32) -> First {
        let number = SplitMix64::mix(key_hash);
        First { number, stops: (number ^ number >> 32) as u32 & within }
    }

    /// The half that a stop takes which is the highest of so many: by turns, so that stops are independent of
    /// each other.
    #[inline]
    fn half(self, stops: u32) -> u32 {
        (self.number >> ((stops.count_ones() & 1) * 32)) as u32
    }
}

/// The walk where most keys end with their first stop.
#[inline]
fn stopped(key_hash: u64, buckets: u32, within: u32) -> u32 {
    let first = First::new(key_hash, within);
    if first.stops == 0 {
        return 0;
    }
    let least = 1_u32 << (31 - first.stops.leading_zeros());
    let bucket = least + (first.half(first.stops) & (least - 1));
    if bucket < buckets { bucket } else { walked(key_hash, first, buckets) }
}

/// The walk where many do not: all that most keys may need, and a choice from it.
///
/// Only in the last range may a stop be past the end. So the bucket is there, the first of one stop and two more
/// numbers that is not; or it is the first stop below. To compute all of them takes less than one wrong guess. One
/// key of eight at most has to walk on.
#[inline]
fn chosen(key_hash: u64, buckets: u32, within: u32) -> u32 {
    let top = within / 2 + 1;
    let first = First::new(key_hash, within);
    let lower = first.stops & (top - 1);
    // The half of the first stop below, and then the other, which is that of a stop in the last range.
    let halves = first.number.rotate_right((lower.count_ones() & 1) * 32);
    let least = (1 << 31) >> (lower | 1).leading_zeros();
    let below = select_unpredictable(lower == 0, 0, least + (halves as u32 & (least - 1)));

    // Less than `top`, as from a number that is, where there is no stop in the last range.
    let one = (first.stops & top) + ((halves >> 32) as u32 & (top - 1));
    let more = SplitMix64::mix(key_hash.wrapping_add(SplitMix64::STEP));
    let (two, three) = (more as u32 & within, (more >> 32) as u32 & within);
    let found = select_unpredictable(two < buckets, two, three);
    let found = select_unpredictable(one < buckets, one, found);
    if found < buckets {
        select_unpredictable(found < top, below, found)
    } else {
        walked(key_hash, first, buckets)
    }
}

/// The whole walk of the paper's listing from the first number on. It stands apart, so that the loops of callers hold
/// no more than the two forms before it.
///
/// Each turn of the inner loop ends it with a chance of a half at least, and the generator goes through all numbers:
/// so it ends.
#[cold]
#[inline(never)]
fn walked(key_hash: u64, first: First, buckets: u32) -> u32 {
    let mut state = key_hash;
    let mut stops = first.stops;
    while stops != 0 {
        let least = 1_u32 << (31 - stops.leading_zeros());
        let mut bucket = least + (first.half(stops) & (least - 1));
        // The stop is the last one of its range; the one before it, as long as that is past the end.
        while bucket >= buckets {
            state = state.wrapping_add(SplitMix64::STEP);
            let more = SplitMix64::mix(state);
            let within = (least << 1) - 1;
            bucket = more as u32 & within;
            if bucket < least {
                break;
            }
            if bucket >= buckets {
                bucket = (more >> 32) as u32 & within;
                if bucket < least {
                    break;
                }
            }
        }
        if bucket >= least {
            return bucket;
        }
        stops ^= least;
    }
    0
}

#[cfg(test)]
mod tests {
    use alloc::{format, vec, vec::Vec};

    use super::*;
    use crate::counted::promises;
    use crate::members::Buckets;
    use crate::placement::ServerIx;
    use crate::server::Server;
    use crate::testing::Random;

    /// The listing of the paper, statement by statement.
    fn paper(k: u64, n: u32) -> u32 {
        if n <= 1 {
            return 0;
        }
        let mut generator = Random(k);
        let v = generator.next();
        let mut u = (v ^ (v >> 32)) as u32 & (!0 >> (n - 1).leading_zeros());
        while u != 0 {
            let q = 1_u32 << (31 - u.leading_zeros());
            let mut b = q + (v.wrapping_shr(u.count_ones() << 5) as u32 & (q - 1));
            loop {
                if b < n {
                    return b;
                }
                let w = generator.next();
                b = w as u32 & q.wrapping_shl(1).wrapping_sub(1);
                if b < q {
                    break;
                }
                if b < n {
                    return b;
                }
                b = (w >> 32) as u32 & q.wrapping_shl(1).wrapping_sub(1);
                if b < q {
                    break;
                }
            }
            u ^= q;
        }
        0
    }

    #[test]
    fn agrees_with_the_papers_listing() {
        let mut random = Random(18_682);
        for _ in 0..200_000 {
            let key = random.next();
            // Counts of every magnitude.
            let buckets = ((random.next() >> 33) as u32 >> (random.next() % 31)).max(1);
            assert_eq!(JumpBackRule::bucket(key, buckets), paper(key, buckets), "{key} in {buckets}");
        }
    }

    #[test]
    fn agrees_with_the_papers_listing_however_much_of_the_last_range_is_filled() {
        let mut random = Random(2_403);
        let keys: Vec<u64> = (0..100).map(|_| random.next()).collect();
        let small = 1..1_100;
        let around = (11..31).flat_map(|bit| (1_u32 << bit) - 2..=(1 << bit) + 2);
        // All sixteenths of a range, and what lies on either side.
        let parts = (11..31).flat_map(|bit| {
            (1..16).flat_map(move |part| {
                [-1, 0, 1].map(|by| (1_u32 << bit).strict_add_signed(by) + (part << (bit - 4)))
            })
        });
        for buckets in small.chain(around).chain(parts).filter(|&buckets| buckets <= 0x7fff_ffff) {
            for &key in &keys {
                assert_eq!(JumpBackRule::bucket(key, buckets), paper(key, buckets), "{key} in {buckets}");
            }
        }
    }

    #[test]
    fn many_hashes_at_once_have_the_buckets_of_each() {
        let mut random = Random(18_682);
        let keys: Vec<u64> = (0..300).map(|_| random.next()).collect();
        for buckets in (1..70).chain([100, 127, 128, 129, 600, 1_000, 1_023, 1_024, 1_025]) {
            let list = Buckets::new((0..buckets).map(|i| Server::new(format!("{i}")).unwrap())).unwrap();
            let place = JumpBack::new(Xxh3, &list).unwrap();
            let mut owners = vec![ServerIx::new(u32::MAX); keys.len()];
            place.owners_of_hashes(&keys, &mut owners);
            for (&key, owner) in keys.iter().zip(owners) {
                assert_eq!(owner.get(), paper(key, buckets), "{key} in {buckets}");
            }
        }
    }

    #[test]
    fn answers_are_frozen() {
        for (buckets, expected) in FROZEN {
            let mut key = 1_u64;
            let answers = [(); 6].map(|()| {
                key = key.wrapping_mul(SplitMix64::STEP).wrapping_add(0x0123_4567);
                JumpBackRule::bucket(key, buckets)
            });
            assert_eq!(answers, expected, "{buckets} buckets");
        }
    }

    const FROZEN: [(u32, [u32; 6]); 12] = [
        (1, [0, 0, 0, 0, 0, 0]),
        (2, [0, 0, 0, 0, 1, 0]),
        (3, [2, 0, 0, 2, 1, 0]),
        (10, [2, 0, 9, 4, 1, 7]),
        (11, [2, 10, 9, 4, 1, 7]),
        (16, [2, 10, 15, 14, 1, 11]),
        (17, [2, 10, 15, 14, 1, 11]),
        (100, [58, 10, 15, 40, 99, 91]),
        (1_000, [888, 10, 15, 102, 162, 135]),
        (65_537, [59_256, 7_578, 45_977, 44_296, 162, 47_707]),
        (1 << 20, [419_704, 593_306, 537_497, 508_262, 632_098, 47_707]),
        (0x7fff_ffff, [274_360_184, 1_650_465_170, 1_284_518_809, 973_586_790, 81_896_738, 1_400_912_519]),
    ];

    #[test]
    fn promises_of_a_rule() {
        promises::hold::<JumpBackRule>();
    }
}
