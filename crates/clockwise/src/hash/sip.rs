//! SipHash: a keyed hash that nobody can steer without the key.
//!
//! | name | key | value | check, key `00..0f` |
//! |---|---|---|---|
//! | `siphash-2-4` | 16 zero bytes, unless given | 64-bit number | of `00..0e`: `a129ca6149be45e5` |
//! | `hsiphash` | given | 32-bit number: the low half of SipHash-1-3 | of nothing: `050fc4dc` |
//!
//! The key is two little-endian words of 64 bits; the value is the number whose little-endian
//! bytes the reference program prints.
//!
//! Sources: Jean-Philippe Aumasson, Daniel J. Bernstein, "SipHash: a fast short-input PRF",
//! INDOCRYPT 2012, appendix A. hsiphash: Linux on 64-bit machines, `lib/siphash.c` and the values of
//! its test.

use alloc::borrow::Cow;
use alloc::format;
use core::fmt;
use core::hash::Hasher as _;

use super::{KeyHash, Width};

/// SipHash-2-4 under a key; the default key is all zero.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct SipHash24 {
    key: [u8; 16],
}

impl fmt::Debug for SipHash24 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SipHash24({})", self.name())
    }
}

impl SipHash24 {
    /// The hash under this key.
    pub const fn with_key(key: [u8; 16]) -> SipHash24 {
        SipHash24 { key }
    }

    /// The hash of the parts, one after the other.
    pub fn hash_parts<'a>(&self, parts: impl IntoIterator<Item = &'a [u8]>) -> u64 {
        let mut hasher = siphasher::sip::SipHasher24::new_with_key(&self.key);
        for part in parts {
            hasher.write(part);
        }
        hasher.finish()
    }
}

/// The Linux kernel's hsiphash as 64-bit machines compute it.
pub fn hsiphash(bytes: &[u8], key: [u8; 16]) -> u32 {
    siphasher::sip::SipHasher13::new_with_key(&key).hash(bytes) as u32
}

impl KeyHash for SipHash24 {
    fn width(&self) -> Width {
        Width::Bits64
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        siphasher::sip::SipHasher24::new_with_key(&self.key).hash(bytes)
    }
    /// The key decides the value, so the name tells keys apart, unless it is all zero; by the hash of
    /// nothing, since names are printed and the key is a secret.
    fn name(&self) -> Cow<'static, str> {
        if self.key == [0; 16] {
            Cow::Borrowed("siphash-2-4")
        } else {
            Cow::Owned(format!("siphash-2-4 of key {:016x}", self.hash(b"")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::testing::byte_strings;
    use proptest::prelude::*;

    const COUNTING: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

    #[test]
    fn published_check_values() {
        let hash = SipHash24::with_key(COUNTING);
        assert_eq!(hash.hash(&COUNTING[..15]), 0xa129_ca61_49be_45e5);
        assert_eq!(hash.hash(b""), 0x726f_db47_dd0e_0e31);
        assert_eq!(SipHash24::default().hash(b""), 0x1e92_4b9d_7377_00d7);
    }

    #[test]
    fn values_of_the_kernels_test() {
        // The inputs are the first i of the bytes 0, 1, 2 ….
        let values = [0x050f_c4dc, 0x7d57_ca93, 0x4dc7_d44d, 0xe7dd_f7fb, 0x88d3_8328, 0x4953_3b67];
        for (i, value) in values.into_iter().enumerate() {
            assert_eq!(hsiphash(&COUNTING[..i], COUNTING), value, "{i} bytes");
        }
    }

    #[test]
    fn names_tell_keys_apart_and_no_text_holds_the_key() {
        assert_eq!(SipHash24::default().name(), "siphash-2-4");
        let keyed = SipHash24::with_key(COUNTING);
        assert_eq!(keyed.name(), "siphash-2-4 of key 726fdb47dd0e0e31");
        assert_eq!(format!("{keyed:?}"), "SipHash24(siphash-2-4 of key 726fdb47dd0e0e31)");
    }

    proptest! {
        #![proptest_config(crate::hash::testing::config())]

        #[test]
        #[allow(deprecated)] // core's SipHasher is SipHash-2-4, and serves as a second opinion only
        fn a_second_implementation_agrees(bytes in byte_strings(), key: [u8; 16]) {
            let word = |i: usize| u64::from_le_bytes(key[i..i + 8].try_into().unwrap());
            let mut second = core::hash::SipHasher::new_with_keys(word(0), word(8));
            second.write(&bytes);
            let hash = SipHash24::with_key(key);
            prop_assert_eq!(hash.hash(&bytes), second.finish());
            let (front, back) = bytes.split_at(bytes.len() / 3);
            prop_assert_eq!(hash.hash_parts([front, back]), second.finish());
        }
    }
}
