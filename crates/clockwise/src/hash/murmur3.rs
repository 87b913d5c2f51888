//! MurmurHash3, in the two forms that systems place keys with.
//!
//! | name | seed | value | check |
//! |---|---|---|---|
//! | `murmur3-x86-32` | 0 | 32-bit number | SMHasher verification value `b0f57ee3` |
//! | `murmur3-x64-128` | 0 | first of the two 64-bit words | SMHasher verification value `6384ba69` |
//!
//! Blocks are read little-endian on every machine; bytes of the tail are unsigned. (Some systems
//! differ in the tail: theirs is another hash.)
//!
//! Source: Austin Appleby, `MurmurHash3.cpp` in SMHasher, public domain,
//! <https://github.com/aappleby/smhasher>.

use alloc::borrow::Cow;

use super::{KeyHash, Width, fmix32};

/// MurmurHash3 x86_32, seed 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Murmur3X86_32;

/// MurmurHash3 x64_128, seed 0: the first 64 of its 128 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Murmur3X64_128;

/// MurmurHash3 x86_32 with a seed.
pub fn murmur3_x86_32(bytes: &[u8], seed: u32) -> u32 {
    let (blocks, tail) = bytes.as_chunks::<4>();
    let mut h = seed;
    for block in blocks {
        h = mix(h, u32::from_le_bytes(*block));
    }
    if !tail.is_empty() {
        h ^= scramble(little_endian(tail) as u32);
    }
    // The algorithm counts lengths in 32 bits.
    fmix32(h ^ bytes.len() as u32)
}

fn scramble(k: u32) -> u32 {
    k.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593)
}

/// A step by a block of four bytes.
fn mix(h: u32, block: u32) -> u32 {
    (h ^ scramble(block)).rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64)
}

/// MurmurHash3 x86_32 of bytes that come one by one.
///
/// ```
/// use clockwise::hash::{Murmur3X86_32State, murmur3_x86_32};
///
/// let mut state = Murmur3X86_32State::new(7);
/// state.extend(*b"user:");
/// state.push(b'4');
/// assert_eq!(state.finish(), murmur3_x86_32(b"user:4", 7));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Murmur3X86_32State {
    h: u32,
    /// Bytes that do not make a block yet, the first lowest.
    tail: u32,
    length: u32,
}

impl Murmur3X86_32State {
    /// Of nothing, with a seed.
    pub const fn new(seed: u32) -> Murmur3X86_32State {
        Murmur3X86_32State { h: seed, tail: 0, length: 0 }
    }

    /// One more byte.
    pub fn push(&mut self, byte: u8) {
        self.tail |= u32::from(byte) << (self.length % 4 * 8);
        // The algorithm counts lengths in 32 bits.
        self.length = self.length.wrapping_add(1);
        if self.length.is_multiple_of(4) {
            self.h = mix(self.h, self.tail);
            self.tail = 0;
        }
    }

    /// Some more bytes.
    pub fn extend(&mut self, bytes: impl IntoIterator<Item = u8>) {
        for byte in bytes {
            self.push(byte);
        }
    }

    /// The value.
    pub fn finish(self) -> u32 {
        // Without a tail nothing is mixed in: a block of zeros scrambles to zero.
        fmix32(self.h ^ scramble(self.tail) ^ self.length)
    }
}

/// MurmurHash3 x64_128 with a seed: both 64-bit words.
pub fn murmur3_x64_128(bytes: &[u8], seed: u32) -> [u64; 2] {
    x64_128(bytes, seed, little_endian)
}

/// The same with `word` to read up to eight bytes of the tail as a number.
pub(super) fn x64_128(bytes: &[u8], seed: u32, word: impl Fn(&[u8]) -> u64) -> [u64; 2] {
    const C1: u64 = 0x87c3_7b91_1142_53d5;
    const C2: u64 = 0x4cf5_ad43_2745_937f;
    let scramble1 = |k: u64| k.wrapping_mul(C1).rotate_left(31).wrapping_mul(C2);
    let scramble2 = |k: u64| k.wrapping_mul(C2).rotate_left(33).wrapping_mul(C1);

    let (mut h1, mut h2) = (u64::from(seed), u64::from(seed));
    let (blocks, tail) = bytes.as_chunks::<16>();
    for block in blocks {
        h1 ^= scramble1(little_endian(&block[..8]));
        h1 = h1.rotate_left(27).wrapping_add(h2).wrapping_mul(5).wrapping_add(0x52dc_e729);
        h2 ^= scramble2(little_endian(&block[8..]));
        h2 = h2.rotate_left(31).wrapping_add(h1).wrapping_mul(5).wrapping_add(0x3849_5ab5);
    }
    // Missing bytes are zero, and a word of zero scrambles to zero.
    let (low, high) = tail.split_at(tail.len().min(8));
    h1 ^= scramble1(word(low));
    h2 ^= scramble2(word(high));

    let length = bytes.len() as u64;
    h1 ^= length;
    h2 ^= length;
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    h1 = fmix64(h1);
    h2 = fmix64(h2);
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    [h1, h2]
}

/// Up to eight bytes as a number, the first byte lowest.
pub(super) fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

fn fmix64(mut h: u64) -> u64 {
    h ^= h >> 33;
    h = h.wrapping_mul(0xff51_afd7_ed55_8ccd);
    h ^= h >> 33;
    h = h.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    h ^ h >> 33
}

impl KeyHash for Murmur3X86_32 {
    fn width(&self) -> Width {
        Width::Bits32
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        murmur3_x86_32(bytes, 0).into()
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("murmur3-x86-32")
    }
}

impl KeyHash for Murmur3X64_128 {
    fn width(&self) -> Width {
        Width::Bits64
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        murmur3_x64_128(bytes, 0)[0]
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("murmur3-x64-128")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::testing::{byte_strings, smhasher_verification};
    use proptest::prelude::*;

    const FOX: &[u8] = b"The quick brown fox jumps over the lazy dog";

    #[test]
    fn published_check_values_of_x86_32() {
        assert_eq!(
            smhasher_verification(|bytes, seed| murmur3_x86_32(bytes, seed).to_le_bytes()),
            0xb0f5_7ee3
        );
        assert_eq!(murmur3_x86_32(b"", 1), 0x514e_28b7);
        assert_eq!(murmur3_x86_32(FOX, 0x9747_b28c), 0x2fa8_26cd);
        assert_eq!(Murmur3X86_32.hash(b""), 0);
        assert_eq!(Murmur3X86_32.hash(FOX), 0x2e4f_f723);
    }

    #[test]
    fn published_check_values_of_x64_128() {
        let bytes = |key: &[u8], seed| {
            let [h1, h2] = murmur3_x64_128(key, seed);
            (u128::from(h2) << 64 | u128::from(h1)).to_le_bytes()
        };
        assert_eq!(smhasher_verification(bytes), 0x6384_ba69);
        assert_eq!(murmur3_x64_128(FOX, 0), [0xe34b_bc7b_bc07_1b6c, 0x7a43_3ca9_c49a_9347]);
        assert_eq!(Murmur3X64_128.hash(FOX), 0xe34b_bc7b_bc07_1b6c);
    }

    proptest! {
        #![proptest_config(crate::hash::testing::config())]

        #[test]
        fn a_second_implementation_agrees(bytes in byte_strings(), seed: u32) {
            prop_assert_eq!(
                murmur3_x86_32(&bytes, seed),
                murmur3::murmur3_32(&mut bytes.as_slice(), seed).unwrap()
            );
            let mut state = Murmur3X86_32State::new(seed);
            state.extend(bytes.iter().copied());
            prop_assert_eq!(state.finish(), murmur3_x86_32(&bytes, seed));
            let [h1, h2] = murmur3_x64_128(&bytes, seed);
            prop_assert_eq!(
                u128::from(h2) << 64 | u128::from(h1),
                murmur3::murmur3_x64_128(&mut bytes.as_slice(), seed).unwrap()
            );
        }
    }
}
