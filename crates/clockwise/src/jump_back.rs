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

    /// Each turn of the inner loop ends it with a chance of a half at least, and the generator goes
    /// through all numbers: so it ends.
    #[inline]
    fn bucket(key_hash: u64, buckets: u32) -> u32 {
        if buckets <= 1 {
            return 0;
        }
        let mut state = key_hash;
        let first = SplitMix64::mix(state);
        // Bit m: the walk stops in [2ᵐ, 2ᵐ⁺¹).
        let mut stops = (first ^ first >> 32) as u32 & (u32::MAX >> (buckets - 1).leading_zeros());
        while stops != 0 {
            let least = 1_u32 << (31 - stops.leading_zeros());
            // By turns the halves of the first number, so that stops are independent of each other.
            let half = (first >> ((stops.count_ones() & 1) * 32)) as u32;
            let mut bucket = least + (half & (least - 1));
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counted::promises;
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
