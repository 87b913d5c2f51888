//! FNV: Fowler, Noll, Vo. Multiply then xor (FNV-1), or xor then multiply (FNV-1a).
//!
//! | name | basis | prime | value | check, of "foobar" |
//! |---|---|---|---|---|
//! | `fnv1-32` | `811c9dc5` | `01000193` | 32-bit number | `31f0b262` |
//! | `fnv1a-32` | `811c9dc5` | `01000193` | 32-bit number | `bf9cf968` |
//! | `fnv1-64` | `cbf29ce484222325` | `00000100000001b3` | 64-bit number | `340d8765a4dda9c2` |
//! | `fnv1a-64` | `cbf29ce484222325` | `00000100000001b3` | 64-bit number | `85944171f73967e8` |
//!
//! Bytes are unsigned. The hashes that memcached clients and proxies call FNV differ from these.
//!
//! Source: RFC 9923, "The FNV Non-Cryptographic Hash Algorithm", and its test vectors.

use alloc::borrow::Cow;

use super::{KeyHash, Width};

/// Where the 32-bit hashes start.
pub(super) const BASIS_32: u32 = 0x811c_9dc5;
/// What the 32-bit hashes multiply by.
pub(super) const PRIME_32: u32 = 0x0100_0193;
/// Where the 64-bit hashes start.
pub(super) const BASIS_64: u64 = 0xcbf2_9ce4_8422_2325;
/// What the 64-bit hashes multiply by.
pub(super) const PRIME_64: u64 = 0x0000_0100_0000_01b3;

/// FNV-1, 32 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Fnv1_32;

/// FNV-1a, 32 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Fnv1a32;

/// FNV-1, 64 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Fnv1_64;

/// FNV-1a, 64 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Fnv1a64;

pub(super) fn fnv1a_32(bytes: &[u8]) -> u32 {
    fnv1a_32_from(None, bytes)
}

/// FNV-1a-32 of a text whose beginning has been hashed to `state`.
pub(crate) fn fnv1a_32_from(state: Option<u32>, bytes: &[u8]) -> u32 {
    bytes.iter().fold(state.unwrap_or(BASIS_32), |h, &byte| (h ^ u32::from(byte)).wrapping_mul(PRIME_32))
}

impl KeyHash for Fnv1_32 {
    fn width(&self) -> Width {
        Width::Bits32
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        bytes.iter().fold(BASIS_32, |h, &byte| h.wrapping_mul(PRIME_32) ^ u32::from(byte)).into()
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("fnv1-32")
    }
}

impl KeyHash for Fnv1a32 {
    fn width(&self) -> Width {
        Width::Bits32
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        fnv1a_32(bytes).into()
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("fnv1a-32")
    }
}

impl KeyHash for Fnv1_64 {
    fn width(&self) -> Width {
        Width::Bits64
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        bytes.iter().fold(BASIS_64, |h, &byte| h.wrapping_mul(PRIME_64) ^ u64::from(byte))
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("fnv1-64")
    }
}

impl KeyHash for Fnv1a64 {
    fn width(&self) -> Width {
        Width::Bits64
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        bytes.iter().fold(BASIS_64, |h, &byte| (h ^ u64::from(byte)).wrapping_mul(PRIME_64))
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("fnv1a-64")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_check_values() {
        for (text, fnv1_32, fnv1a_32, fnv1_64, fnv1a_64) in [
            ("", 0x811c_9dc5, 0x811c_9dc5, 0xcbf2_9ce4_8422_2325, 0xcbf2_9ce4_8422_2325),
            ("a", 0x050c_5d7e, 0xe40c_292c, 0xaf63_bd4c_8601_b7be, 0xaf63_dc4c_8601_ec8c),
            ("foobar", 0x31f0_b262, 0xbf9c_f968, 0x340d_8765_a4dd_a9c2, 0x8594_4171_f739_67e8),
        ] {
            assert_eq!(Fnv1_32.hash(text.as_bytes()), fnv1_32, "{text:?}");
            assert_eq!(Fnv1a32.hash(text.as_bytes()), fnv1a_32, "{text:?}");
            assert_eq!(Fnv1_64.hash(text.as_bytes()), fnv1_64, "{text:?}");
            assert_eq!(Fnv1a64.hash(text.as_bytes()), fnv1a_64, "{text:?}");
        }
    }
}
