//! MurmurHash64A: MurmurHash2 in 64 bits.
//!
//! | name | seed | value | check |
//! |---|---|---|---|
//! | `murmur64a-c70f6907` | 0xc70f6907 | 64-bit number | SMHasher verification value with its own seeds `1f0d3804` |
//!
//! Blocks are read little-endian on every machine; bytes of the tail are unsigned. With that seed it
//! is what libstdc++ hashes bytes with (`std::_Hash_bytes` where `size_t` has 64 bits).
//!
//! Source: Austin Appleby, `MurmurHash2.cpp` in SMHasher, public domain,
//! <https://github.com/aappleby/smhasher>.

use alloc::borrow::Cow;

use super::{KeyHash, Width};

/// MurmurHash64A with libstdc++'s seed: Envoy's MURMUR_HASH_2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Murmur64aStd;

fn murmur64a(bytes: &[u8], seed: u64) -> u64 {
    const M: u64 = 0xc6a4_a793_5bd1_e995;
    let mix = |k: u64| k ^ k >> 47;
    let (blocks, tail) = bytes.as_chunks::<8>();
    let mut h = seed ^ (bytes.len() as u64).wrapping_mul(M);
    for block in blocks {
        h = (h ^ mix(u64::from_le_bytes(*block).wrapping_mul(M)).wrapping_mul(M)).wrapping_mul(M);
    }
    if !tail.is_empty() {
        let rest = tail.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        h = (h ^ rest).wrapping_mul(M);
    }
    mix(mix(h).wrapping_mul(M))
}

impl KeyHash for Murmur64aStd {
    fn width(&self) -> Width {
        Width::Bits64
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        murmur64a(bytes, 0xc70f_6907)
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("murmur64a-c70f6907")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::testing::smhasher_verification;

    #[test]
    fn published_verification_value() {
        let sum = smhasher_verification(|bytes, seed| murmur64a(bytes, seed.into()).to_le_bytes());
        assert_eq!(sum, 0x1f0d_3804);
    }
}
