//! MurmurHash2, and the seed that memcached clients and proxies give Murmur hashes.
//!
//! | name | seed | value | check |
//! |---|---|---|---|
//! | `murmur2-length` | 0xdeadbeef × length, mod 2³² | 32-bit number | SMHasher verification value with its own seeds `27864c1e` |
//! | `murmur3-x86-32-length` | 0xdeadbeef × length, mod 2³² | 32-bit number | see [`murmur3_x86_32`] |
//!
//! Blocks are read little-endian on every machine; bytes of the tail are unsigned.
//!
//! Source: Austin Appleby, `MurmurHash2.cpp` in SMHasher, public domain,
//! <https://github.com/aappleby/smhasher>.

use alloc::borrow::Cow;

use super::{KeyHash, Width, murmur3_x86_32};

/// MurmurHash2 with a seed made of the length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Murmur2Length;

/// MurmurHash3 x86_32 with a seed made of the length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Murmur3Length;

/// The seed: lengths count in 32 bits.
fn length_seed(bytes: &[u8]) -> u32 {
    0xdead_beef_u32.wrapping_mul(bytes.len() as u32)
}

pub(super) fn murmur2(bytes: &[u8], seed: u32) -> u32 {
    const M: u32 = 0x5bd1_e995;
    let (blocks, tail) = bytes.as_chunks::<4>();
    let mut h = seed ^ bytes.len() as u32;
    for block in blocks {
        let k = u32::from_le_bytes(*block).wrapping_mul(M);
        h = h.wrapping_mul(M) ^ (k ^ k >> 24).wrapping_mul(M);
    }
    if !tail.is_empty() {
        let rest = tail.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte));
        h = (h ^ rest).wrapping_mul(M);
    }
    h = (h ^ h >> 13).wrapping_mul(M);
    h ^ h >> 15
}

impl KeyHash for Murmur2Length {
    fn width(&self) -> Width {
        Width::Bits32
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        murmur2(bytes, length_seed(bytes)).into()
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("murmur2-length")
    }
}

impl KeyHash for Murmur3Length {
    fn width(&self) -> Width {
        Width::Bits32
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        murmur3_x86_32(bytes, length_seed(bytes)).into()
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("murmur3-x86-32-length")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::testing::smhasher_verification;

    #[test]
    fn published_verification_value() {
        assert_eq!(smhasher_verification(|bytes, seed| murmur2(bytes, seed).to_le_bytes()), 0x2786_4c1e);
    }

    #[test]
    fn the_seed_is_the_length_times_0xdeadbeef() {
        // 3 × 0xdeadbeef = 0x29c093ccd, cut to 32 bits.
        assert_eq!(Murmur2Length.hash(b"abc"), u64::from(murmur2(b"abc", 0x9c09_3ccd)));
        assert_eq!(Murmur3Length.hash(b"abc"), u64::from(murmur3_x86_32(b"abc", 0x9c09_3ccd)));
        assert_eq!(Murmur3Length.hash(b""), 0);
    }
}
