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

use super::murmur3::little_endian;
use super::row::Row;
use super::{KeyHash, Width};

/// MurmurHash64A with libstdc++'s seed: Envoy's MURMUR_HASH_2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Murmur64aStd;

pub(super) fn murmur64a(bytes: &[u8], seed: u64) -> u64 {
    let (blocks, tail) = bytes.as_chunks::<8>();
    let h = blocks.iter().fold(start(bytes.len(), seed), |h, block| step(h, *block));
    end(h, tail)
}

/// The same of parts as one text.
pub(super) fn murmur64a_parts(parts: &[&[u8]], seed: u64) -> u64 {
    let mut row = Row::new(parts);
    let (mut h, mut room) = (start(row.len(), seed), [0; 8]);
    loop {
        match row.next(&mut room) {
            [a, b, c, d, e, f, g, i] => h = step(h, [*a, *b, *c, *d, *e, *f, *g, *i]),
            tail => return end(h, tail),
        }
    }
}

const M: u64 = 0xc6a4_a793_5bd1_e995;

fn mix(k: u64) -> u64 {
    k ^ k >> 47
}

fn start(length: usize, seed: u64) -> u64 {
    seed ^ (length as u64).wrapping_mul(M)
}

fn step(h: u64, block: [u8; 8]) -> u64 {
    (h ^ mix(u64::from_le_bytes(block).wrapping_mul(M)).wrapping_mul(M)).wrapping_mul(M)
}

fn end(h: u64, tail: &[u8]) -> u64 {
    let h = if tail.is_empty() { h } else { (h ^ little_endian(tail)).wrapping_mul(M) };
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

    #[test]
    fn parts_hash_as_one_text() {
        let text: [u8; 40] = core::array::from_fn(|i| (i as u8).wrapping_mul(7));
        for length in 0..=40 {
            for at in 0..=length {
                let (front, back) = text[..length].split_at(at);
                assert_eq!(murmur64a_parts(&[front, back], 5), murmur64a(&text[..length], 5));
            }
        }
    }
}
