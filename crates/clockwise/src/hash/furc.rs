//! furc_hash, mcrouter's ch3: a consistent hash of a key straight to the index of a server.
//!
//! | parameter | value |
//! |---|---|
//! | bits of a key | word 0 is MurmurHash64A of the key, seed 4,193,360,111; each next word that of the eight little-endian bytes of the word before; lowest bit first |
//! | distance between bits of one index | 23 |
//! | draws before index 0 is the answer | 32 |
//! | servers | at most 2²³ |
//! | check | "sample" among 100: 97; among 2²³: 5,167,780 |
//!
//! One more server at the end takes its part of the keys from all others and moves nothing else, as
//! with [jump](crate::Jump); one that leaves from the middle renumbers all behind it.
//!
//! Source: mcrouter, `mcrouter/lib/fbi/hash.c` and the tests beside it, MIT licence,
//! <https://github.com/facebook/mcrouter>.

use super::murmur64a::{murmur64a, murmur64a_parts};

/// The most servers that furc_hash tells apart: 2²³.
pub const FURC_MAX: u32 = 1 << STEP;

const STEP: u32 = 23;
const DRAWS: u32 = 32;
const SEED: u64 = 4_193_360_111;

/// The index of a key among `servers`, 0 of none or one. A count above [`FURC_MAX`] counts as that.
///
/// ```
/// use clockwise::hash::furc;
///
/// assert_eq!(furc(b"sample", 100), 97);
/// assert_eq!(furc(b"sample", 1), 0);
/// ```
pub fn furc(key: &[u8], servers: u32) -> u32 {
    if servers <= 1 { 0 } else { index(murmur64a(key, SEED), servers) }
}

/// The same of parts as one key.
pub(crate) fn furc_parts(key: &[&[u8]], servers: u32) -> u32 {
    if servers <= 1 { 0 } else { index(murmur64a_parts(key, SEED), servers) }
}

/// The index among at least two servers that a key's first word of bits leads to.
fn index(first: u64, servers: u32) -> u32 {
    let servers = servers.min(FURC_MAX);
    let mut bits = Bits { first, number: 0, word: first };
    // The index has at most as many digits as the largest, and begins at the first of them whose
    // own bit is set.
    let mut digits = u32::BITS - (servers - 1).leading_zeros();
    let mut at = digits;
    for _ in 0..DRAWS {
        while !bits.get(at) {
            digits -= 1;
            if digits == 0 {
                return 0;
            }
            at = digits;
        }
        at += STEP;
        let mut index = 1;
        for _ in 1..digits {
            index = index << 1 | u32::from(bits.get(at));
            at += STEP;
        }
        if index < servers {
            return index;
        }
    }
    0
}

/// The endless row of bits of one key. It is read forwards, but for jumps back into word 0.
struct Bits {
    first: u64,
    number: u32,
    word: u64,
}

impl Bits {
    fn get(&mut self, at: u32) -> bool {
        let number = at / 64;
        if number < self.number {
            (self.number, self.word) = (0, self.first);
        }
        while self.number < number {
            self.word = murmur64a(&self.word.to_le_bytes(), SEED);
            self.number += 1;
        }
        self.word >> (at % 64) & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::testing::Random;

    /// The row of bits as a list, and the listing of the source over it, statement by statement.
    fn source(key: &[u8], m: u32) -> u32 {
        if m <= 1 {
            return 0;
        }
        let mut words = alloc::vec![murmur64a(key, SEED)];
        let mut bit = |at: usize| {
            while words.len() <= at / 64 {
                words.push(murmur64a(&words[words.len() - 1].to_le_bytes(), SEED));
            }
            words[at / 64] >> (at % 64) & 1
        };
        let mut d = 0;
        while u64::from(m) > 1 << d {
            d += 1;
        }
        let mut a = d;
        for _ in 0..32 {
            while bit(a) == 0 {
                d -= 1;
                if d == 0 {
                    return 0;
                }
                a = d;
            }
            a += 23;
            let mut num = 1;
            for _ in 0..d - 1 {
                num = num << 1 | bit(a);
                a += 23;
            }
            if num < u64::from(m) {
                return num as u32;
            }
        }
        0
    }

    #[test]
    fn values_of_mcrouters_own_tests() {
        for (key, servers, index) in [
            ("sample", 100, 97),
            ("sample", 1, 0),
            ("", 100, 72),
            ("", 1, 0),
            ("", FURC_MAX, 6_173_600),
            ("sample", FURC_MAX, 5_167_780),
        ] {
            assert_eq!(furc(key.as_bytes(), servers), index, "{key:?} among {servers}");
        }
        let mut bytes: Vec<u8> = (0..=255_u8).map(|i| i.wrapping_sub(128)).collect();
        assert_eq!(furc(&bytes, 99_999), 31_015);
        bytes.reverse();
        assert_eq!(furc(&bytes, 99_999), 67_101);
    }

    #[test]
    fn agrees_with_the_sources_listing_and_stays_below_the_count() {
        let mut random = Random(0xf04c);
        for _ in 0..50_000 {
            let key = random.next().to_le_bytes();
            let magnitude = 1 + random.below(23);
            let servers = 1 + random.below(1 << magnitude) as u32;
            let index = furc(&key, servers);
            assert_eq!(index, source(&key, servers), "{key:?} among {servers}");
            assert!(index < servers);
            let (front, back) = key.split_at(servers as usize % 8);
            assert_eq!(furc_parts(&[front, back], servers), index);
        }
        assert_eq!(furc(b"sample", u32::MAX), furc(b"sample", FURC_MAX));
        assert_eq!(furc(b"sample", 0), 0);
    }

    #[test]
    fn one_more_server_moves_keys_only_to_it() {
        let mut random = Random(0xf04d);
        for _ in 0..20_000 {
            let key = random.next().to_le_bytes();
            let servers = 1 + random.below(3_000) as u32;
            let (before, after) = (furc(&key, servers), furc(&key, servers + 1));
            assert!(after == before || after == servers, "{key:?} among {servers}");
        }
    }
}
