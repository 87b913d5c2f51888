//! Guava's `Hashing.consistentHash`: jump hash, and how Guava comes by its 64 bits.
//!
//! | parameter | value |
//! |---|---|
//! | owner | [jump](crate::jump()) of a 64-bit number, in the order of the list; no weights |
//! | the number, given as a `long` | its 64 bits: −1 is 2⁶⁴ − 1 |
//! | the number, given as a `HashCode` | `padToLong`: its first eight bytes, the first lowest; fewer are filled up with zeros |
//! | a dead server | none: the caller's list decides |
//!
//! For a `long` this is the function of the paper for every number, negative ones included, and every
//! count of buckets. What differs between programs is the way from a text to the number; the hashes
//! below are those of Guava that this library has.
//!
//! Checked against Guava 31.1 on JDK 17.

use core::fmt;

use crate::error::Error;
use crate::hash::{Crc32, Murmur3X64_128, Murmur3X86_32, SipHash24, hash_choice};
use crate::jump::{Jump, jump};
use crate::members::Buckets;

hash_choice! {
    /// The function of `com.google.common.hash.Hashing` that makes a `HashCode` of a key's bytes.
    Hash {
        #[default]
        Murmur3_128 = "murmur3_128" => Murmur3X64_128,
        /// : of bytes, and of texts as UTF-8.
        Murmur3_32Fixed = "murmur3_32_fixed" => Murmur3X86_32,
        SipHash24 = "sipHash24" => SipHash24::with_key([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]),
        Crc32 = "crc32" => Crc32,
    }
}

/// `Hashing.consistentHash(Hashing.HASH().hashBytes(key), n)` over a list of servers.
///
/// ```
/// use clockwise::dialect::guava::Options;
/// use clockwise::{Buckets, Server};
///
/// let list = Buckets::new([Server::new("a")?, Server::new("b")?, Server::new("c")?])?;
/// let place = Options::default().build(&list)?;
/// assert_eq!(place.owner("user:42").name().as_str(), "c");
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// The hash of keys.
    pub hash: Hash,
}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&alloc::format!("guava {}", self.hash))
    }
}

impl Options {
    /// The placement of a list. Draining servers take no place, so those behind them close up.
    pub fn build(&self, list: &Buckets) -> Result<Jump<Hash>, Error> {
        Ok(Jump::unweighted(self.hash, list))
    }
}

/// `consistentHash(long, int)`: the bucket of a number that the caller made.
///
/// ```
/// use clockwise::dialect::guava::consistent_hash;
///
/// assert_eq!(consistent_hash(-1, 1_024)?, 313);
/// assert!(consistent_hash(1, 0).unwrap_err().is_parameter());
/// # Ok::<(), clockwise::Error>(())
/// ```
pub fn consistent_hash(input: i64, buckets: i32) -> Result<u32, Error> {
    jump(input.cast_unsigned(), buckets)
}

/// `HashCode.padToLong`: the number that `consistentHash(HashCode, int)` goes by.
///
/// ```
/// use clockwise::dialect::guava::pad_to_long;
///
/// assert_eq!(pad_to_long(&[0xff]), 255);
/// assert_eq!(pad_to_long(&[0xff; 16]), -1);
/// ```
pub fn pad_to_long(hash_code: &[u8]) -> i64 {
    let first = hash_code.iter().take(8).rev();
    first.fold(0_u64, |number, &byte| number << 8 | u64::from(byte)).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::KeyHash as _;
    use crate::testing::list;

    const KEYS: [&str; 6] =
        ["", "a", "user:42", "größe", "The quick brown fox jumps over the lazy dog", "\u{1f980} crab"];

    /// What Guava 31.1 says of the keys: `padToLong` of the hash code, and the bucket of a thousand.
    const SAID: [(Hash, [(i64, u32); 6]); 4] = [
        (
            Hash::Murmur3_128,
            [
                (0, 0),
                (-8839064797231613815, 927),
                (-3674646904862786968, 587),
                (-7577009492703002095, 331),
                (-2068352364225029268, 191),
                (-8976333210166526541, 246),
            ],
        ),
        (
            Hash::Murmur3_32Fixed,
            [
                (0, 0),
                (1009084850, 995),
                (3349586805, 153),
                (3822294591, 176),
                (776992547, 830),
                (1266801384, 671),
            ],
        ),
        (
            Hash::SipHash24,
            [
                (8246050544436514353, 341),
                (3144613055062689994, 687),
                (576636356957479248, 411),
                (496133544148310764, 175),
                (5919806912997584868, 533),
                (-6962696307205343355, 439),
            ],
        ),
        (
            Hash::Crc32,
            [
                (0, 0),
                (3904355907, 989),
                (1684999558, 539),
                (1540598153, 407),
                (1095738169, 177),
                (3706262176, 24),
            ],
        ),
    ];

    #[test]
    fn hash_codes_and_buckets_are_those_of_guava() {
        assert_eq!(SAID.map(|(hash, _)| hash).as_slice(), Hash::ALL);
        for (hash, said) in SAID {
            for (key, (long, bucket)) in KEYS.iter().zip(said) {
                assert_eq!(hash.hash(key.as_bytes()).cast_signed(), long, "{hash} of {key:?}");
                assert_eq!(consistent_hash(long, 1_000).unwrap(), bucket, "{hash} of {key:?}");
            }
        }
    }

    #[test]
    fn a_hash_code_is_read_from_its_lowest_byte_and_filled_up() {
        assert_eq!(pad_to_long(&[]), 0);
        assert_eq!(pad_to_long(&[0xff]), 255);
        assert_eq!(pad_to_long(&[0xff; 4]), 4_294_967_295);
        assert_eq!(pad_to_long(&[1, 2, 3, 4, 5, 6, 7, 0x88, 9, 10]), -8_644_934_341_102_468_607);
    }

    #[test]
    fn there_are_no_weights() {
        let place = Options::default().build(&list(&[("a", 9), ("b", 1)])).unwrap();
        assert_eq!(place.buckets(), 2);
    }
}
