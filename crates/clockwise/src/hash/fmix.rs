//! FNV-1a-32 with an avalanche: short and even, for teaching and for pages that hash in a browser.
//!
//! | name | seed | value | check |
//! |---|---|---|---|
//! | `fmix32-fnv1a-32` | none | 32-bit number | of "" `ab3e7c0b`, of "a" `1a80b1b3` |
//!
//! FNV alone leaves neighbouring texts close together, which clusters the points of a ring; the
//! finaliser of MurmurHash3 (`fmix32`) spreads them. Source: [`Fnv1a32`](super::Fnv1a32), then
//! `fmix32` of `MurmurHash3.cpp`.

use alloc::borrow::Cow;

use super::{KeyHash, Width, fnv::fnv1a_32};

/// `fmix32` of FNV-1a-32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Fmix32Fnv1a32;

/// The 32-bit finaliser of MurmurHash3: a bijection in which every input bit moves every output bit.
pub const fn fmix32(mut h: u32) -> u32 {
    h ^= h >> 16;
    h = h.wrapping_mul(0x85eb_ca6b);
    h ^= h >> 13;
    h = h.wrapping_mul(0xc2b2_ae35);
    h ^ h >> 16
}

impl KeyHash for Fmix32Fnv1a32 {
    fn width(&self) -> Width {
        Width::Bits32
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        fmix32(fnv1a_32(bytes)).into()
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("fmix32-fnv1a-32")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_check_values() {
        for (text, value) in [
            ("", 0xab3e_7c0b),
            ("a", 0x1a80_b1b3),
            ("user:1", 0x6924_40ef),
            ("user:42", 0x23bf_9c12),
            ("node-A#0", 0xf703_2cb3),
            ("node-D#199", 0x518e_f5f7),
            ("user:42|A", 0x18a6_5df1),
            ("key:0", 0xfd95_41d5),
        ] {
            assert_eq!(Fmix32Fnv1a32.hash(text.as_bytes()), value, "{text:?}");
        }
    }

    #[test]
    fn fmix32_check_values_follow_from_murmur3_of_nothing() {
        // MurmurHash3 x86_32 of no bytes is the finaliser of its seed.
        assert_eq!(fmix32(0), 0);
        assert_eq!(fmix32(1), 0x514e_28b7);
        assert_eq!(fmix32(0xffff_ffff), 0x81f1_6f39);
    }
}
