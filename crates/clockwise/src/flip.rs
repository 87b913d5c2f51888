//! FlipHash: a bucket of the next power of two, flipped within its range, and a few more tries where
//! that lies past the end.
//!
//! Paper: Charles Masson and Homin K. Lee, *FlipHash: A Constant-Time Consistent Range-Hashing Algorithm*,
//! 2024 (arXiv 2402.17549), its algorithms for powers of two and for any range.
//!
//! | knob | value |
//! |---|---|
//! | family of hashes | of a number, of r and of i: that of the crate fliphash, below |
//! | tries | 64 at most, as that crate has them |
//! | buckets | 1 to 2³¹ − 1 |
//! | checked against | the crate fliphash 0.1.0, by the paper's authors: it ran, and its answers are in the tests |
//!
//! The hash of a key *k* with *r* and *i* is, modulo 2⁶⁴,
//!
//! ```text
//! x = k × (2r + 1);  x = (x ^ x >> 27) × 0x3C79AC492BA7B653
//! x = x × (2i + 1);  x = (x ^ x >> 33) × 0x1C69B3F74AC4AE35;  x ^ x >> 27
//! ```
//!
//! As with jump hash, only the last bucket can come or go without harm.

use alloc::sync::Arc;

use crate::counted::{Counted, Rule, checked};
use crate::entry::{Entry, Input};
use crate::error::Error;
use crate::hash::Xxh3;

/// FlipHash over a list of servers; a weight repeats its server that many times in a row.
///
/// ```
/// use clockwise::{Buckets, Flip, Server, hash::Xxh3};
///
/// let list = Buckets::new([Server::new("a")?, Server::new("b")?])?;
/// let before = Flip::new(Xxh3, &list)?;
/// let after = Flip::new(Xxh3, &list.pushed(Server::new("c")?)?)?;
/// for key in ["user:1", "user:2", "user:3"] {
///     let owner = after.owner(key).name();
///     assert!(owner == before.owner(key).name() || owner.as_str() == "c");
/// }
/// # Ok::<(), clockwise::Error>(())
/// ```
pub type Flip<H = Xxh3> = Counted<FlipRule, H>;

pub(crate) const ENTRY: Entry = Entry {
    name: "flip",
    title: "FlipHash",
    about: "Jump's kind of list in constant time, by a bucket of the next power of two; only the last may come or go without harm.",
    paper: "Masson and Lee, FlipHash: A Constant-Time Consistent Range-Hashing Algorithm, 2024, arXiv 2402.17549",
    input: Input::List,
    settings: &["hash"],
    number: None,
    build: |hash, _, list| Ok(Arc::new(Flip::new(hash, list)?)),
};

/// The rule of [`Flip`].
#[derive(Clone, Copy, Debug)]
pub struct FlipRule;

/// The bucket, 0 to `buckets` − 1, of a key hash.
///
/// Takes counts from 1 to 2,147,483,647 and refuses others with an error that names the number.
///
/// ```
/// assert_eq!(clockwise::flip(10863919174838991, 11)?, 10);
/// assert!(clockwise::flip(1, 0).unwrap_err().is_parameter());
/// # Ok::<(), clockwise::Error>(())
/// ```
pub fn flip(key_hash: u64, buckets: impl Into<i64>) -> Result<u32, Error> {
    checked::<FlipRule>(key_hash, buckets.into())
}

/// How often a bucket past the end is drawn again.
const TRIES: u64 = 64;

/// The hash of a key with a range and a try.
#[inline]
fn hash(key: u64, range: u32, attempt: u64) -> u64 {
    let mut x = key.wrapping_mul(u64::from(range) * 2 + 1);
    x = (x ^ x >> 27).wrapping_mul(0x3c79_ac49_2ba7_b653);
    x = x.wrapping_mul(attempt * 2 + 1);
    x = (x ^ x >> 33).wrapping_mul(0x1c69_b3f7_4ac4_ae35);
    x ^ x >> 27
}

/// The bucket among `mask` + 1, a power of two: what lies in [2ʳ, 2ʳ⁺¹) is flipped by a hash of r, so
/// that it stays in that range and its place there depends on no smaller power.
#[inline]
fn of_power(key: u64, first: u64, mask: u64) -> u64 {
    let at = first & mask;
    match at.checked_ilog2() {
        None => 0,
        Some(range) => at ^ hash(key, range, 0) & ((1 << range) - 1),
    }
}

impl Rule for FlipRule {
    const NAME: &'static str = "Flip";

    #[inline]
    fn bucket(key_hash: u64, buckets: u32) -> u32 {
        let last = u64::from(buckets.saturating_sub(1));
        let Some(range) = last.checked_ilog2() else { return 0 };
        let mask = (2 << range) - 1;
        let first = hash(key_hash, 0, 0);
        let bucket = of_power(key_hash, first, mask);
        if bucket <= last {
            return bucket as u32;
        }
        for attempt in 1..=TRIES {
            let drawn = hash(key_hash, range, attempt) & mask;
            if drawn <= mask >> 1 {
                break;
            }
            if drawn <= last {
                return drawn as u32;
            }
        }
        of_power(key_hash, first, mask >> 1) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counted::promises;
    use crate::hash::SplitMix64;
    use crate::testing::Random;

    /// The paper's two algorithms, in its letters: of a power of two 2ʳ, and of any n.
    fn paper(k: u64, n: u32) -> u32 {
        let h = |r: u32, i: u64| hash(k, r, i);
        let modulo = |x: u64, r: u32| (u128::from(x) % (1_u128 << r)) as u64;
        let msb = |x: u64| 63 - x.leading_zeros();
        let flip_hash_pow2 = |r: u32| {
            let a = modulo(h(0, 0), r);
            if a == 0 {
                return 0;
            }
            let c = modulo(h(msb(a), 0), msb(a));
            a ^ c
        };
        if n == 1 {
            return 0;
        }
        let r = msb(u64::from(n) - 1) + 1;
        let d = flip_hash_pow2(r);
        if d < u64::from(n) {
            return d as u32;
        }
        for i in 1..=64 {
            let e = modulo(h(r - 1, i), r);
            if e < 1 << (r - 1) {
                break;
            }
            if e < u64::from(n) {
                return e as u32;
            }
        }
        flip_hash_pow2(r - 1) as u32
    }

    #[test]
    fn agrees_with_the_papers_algorithms() {
        let mut random = Random(17_549);
        for _ in 0..200_000 {
            let key = random.next();
            let buckets = ((random.next() >> 33) as u32 >> (random.next() % 31)).max(1);
            assert_eq!(FlipRule::bucket(key, buckets), paper(key, buckets), "{key} in {buckets}");
        }
    }

    /// Answers of the crate fliphash 0.1.0, `fliphash_64(key, ..=buckets - 1)`.
    #[test]
    fn agrees_with_the_authors_crate() {
        for (buckets, expected) in [
            (1, [0, 0, 0, 0, 0, 0]),
            (2, [1, 1, 0, 0, 0, 0]),
            (3, [2, 2, 0, 0, 0, 0]),
            (10, [8, 6, 5, 6, 7, 6]),
            (11, [8, 6, 5, 6, 7, 10]),
            (16, [8, 15, 14, 6, 7, 10]),
            (17, [8, 15, 14, 6, 7, 10]),
            (100, [34, 15, 80, 53, 49, 10]),
            (1_000, [34, 386, 726, 167, 646, 982]),
            (65_537, [21_782, 35_471, 26_610, 27_703, 45_261, 23_043]),
            (1 << 20, [180_983, 616_385, 908_429, 753_829, 650_084, 537_247]),
            (0x7fff_ffff, [1_316_947_672, 1_171_715_212, 919_257_650, 922_309_580, 876_297_701, 201_168_999]),
        ] {
            let mut key = 1_u64;
            let answers = [(); 6].map(|()| {
                key = key.wrapping_mul(SplitMix64::STEP).wrapping_add(0x0123_4567);
                FlipRule::bucket(key, buckets)
            });
            assert_eq!(answers, expected, "{buckets} buckets");
        }
    }

    #[test]
    fn promises_of_a_rule() {
        promises::hold::<FlipRule>();
    }
}
