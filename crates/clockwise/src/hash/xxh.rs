//! xxHash: XXH3-64, XXH64, XXH32.
//!
//! | name | seed | value | check |
//! |---|---|---|---|
//! | `xxh3-64` | 0 | 64-bit number | of "" `2d06800538d394c2` |
//! | `xxh64` | 0 | 64-bit number | of "" `ef46db3751d8e999` |
//! | `xxh32` | 0 | 32-bit number | of "" `02cc5d05` |
//!
//! The value is the number itself; "byte order" only exists once somebody writes it down, and the
//! specification's canonical form is big-endian.
//!
//! Source: the xxHash specification, <https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md>.

use alloc::borrow::Cow;

use super::{KeyHash, Width};

/// XXH3, 64 bits, seed 0: the native key hash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Xxh3;

/// XXH64, seed 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Xxh64;

/// XXH32, seed 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Xxh32;

/// XXH3-64 with a seed.
#[inline]
pub fn xxh3_64(bytes: &[u8], seed: u64) -> u64 {
    xxhash_rust::xxh3::xxh3_64_with_seed(bytes, seed)
}

/// XXH64 with a seed.
#[inline]
pub fn xxh64(bytes: &[u8], seed: u64) -> u64 {
    xxhash_rust::xxh64::xxh64(bytes, seed)
}

/// XXH32 with a seed.
#[inline]
pub fn xxh32(bytes: &[u8], seed: u32) -> u32 {
    xxhash_rust::xxh32::xxh32(bytes, seed)
}

impl KeyHash for Xxh3 {
    fn width(&self) -> Width {
        Width::Bits64
    }
    #[inline]
    fn hash(&self, bytes: &[u8]) -> u64 {
        // The seedless entry skips deriving a secret for long inputs.
        xxhash_rust::xxh3::xxh3_64(bytes)
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("xxh3-64")
    }
}

impl KeyHash for Xxh64 {
    fn width(&self) -> Width {
        Width::Bits64
    }
    #[inline]
    fn hash(&self, bytes: &[u8]) -> u64 {
        xxh64(bytes, 0)
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("xxh64")
    }
}

impl KeyHash for Xxh32 {
    fn width(&self) -> Width {
        Width::Bits32
    }
    #[inline]
    fn hash(&self, bytes: &[u8]) -> u64 {
        xxh32(bytes, 0).into()
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("xxh32")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::testing::byte_strings;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    /// The buffer of xxHash's own sanity check.
    fn sanity(len: usize) -> Vec<u8> {
        let mut state = u64::from(PRIME32);
        (0..len)
            .map(|_| {
                let byte = (state >> 56) as u8;
                state = state.wrapping_mul(PRIME64);
                byte
            })
            .collect()
    }
    const PRIME32: u32 = 2_654_435_761;
    const PRIME64: u64 = 11_400_714_785_074_694_797;

    #[test]
    fn published_check_values_of_xxh3() {
        let check = |len, seed| xxh3_64(&sanity(len), seed);
        assert_eq!(check(0, 0), 0x2d06_8005_38d3_94c2);
        assert_eq!(check(0, PRIME64), 0xa8a6_b918_b2f0_364a);
        assert_eq!(check(1, 0), 0xc44b_dff4_074e_ecdb);
        assert_eq!(check(1, PRIME64), 0x032b_e332_dd76_6ef8);
        assert_eq!(check(6, 0), 0x27b5_6a84_cd2d_7325);
        assert_eq!(check(6, PRIME64), 0x8458_9c11_6ab5_9ab9);
        assert_eq!(Xxh3.hash(b""), 0x2d06_8005_38d3_94c2);
        assert_eq!(Xxh3.hash(b"abc"), 0x78af_5f94_892f_3950);
    }

    #[test]
    fn published_check_values_of_xxh64() {
        let check = |len, seed| xxh64(&sanity(len), seed);
        assert_eq!(check(0, 0), 0xef46_db37_51d8_e999);
        assert_eq!(check(0, PRIME32.into()), 0xac75_fda2_929b_17ef);
        assert_eq!(check(1, 0), 0xe934_a84a_db05_2768);
        assert_eq!(check(1, PRIME32.into()), 0x5014_6076_43a9_b4c3);
        assert_eq!(check(14, 0), 0x8282_dcc4_994e_35c8);
        assert_eq!(check(222, 0), 0xb641_ae8c_b691_c174);
        assert_eq!(Xxh64.hash(b"abc"), 0x44bc_2cf5_ad77_0999);
    }

    #[test]
    fn published_check_values_of_xxh32() {
        let check = |len, seed| xxh32(&sanity(len), seed);
        assert_eq!(check(0, 0), 0x02cc_5d05);
        assert_eq!(check(0, PRIME32), 0x36b7_8ae7);
        assert_eq!(check(1, 0), 0xcf65_b03e);
        assert_eq!(check(1, PRIME32), 0xb454_5aa4);
        assert_eq!(check(14, 0), 0x1208_e7e2);
        assert_eq!(check(14, PRIME32), 0x6af1_d1fe);
        assert_eq!(check(222, 0), 0x5bd1_1dbd);
        assert_eq!(Xxh32.hash(b"abc"), 0x32d1_53ff);
    }

    proptest! {
        #![proptest_config(crate::hash::testing::config())]

        #[test]
        fn a_second_implementation_agrees(bytes in byte_strings(), seed: u64) {
            let seed32 = seed as u32;
            prop_assert_eq!(xxh3_64(&bytes, seed), twox_hash::XxHash3_64::oneshot_with_seed(seed, &bytes));
            prop_assert_eq!(Xxh3.hash(&bytes), twox_hash::XxHash3_64::oneshot(&bytes));
            prop_assert_eq!(xxh64(&bytes, seed), twox_hash::XxHash64::oneshot(seed, &bytes));
            prop_assert_eq!(xxh32(&bytes, seed32), twox_hash::XxHash32::oneshot(seed32, &bytes));
        }
    }
}
