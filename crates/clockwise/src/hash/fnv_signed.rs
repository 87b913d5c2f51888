//! FNV as memcached clients and proxies compute it: over signed bytes, and never wider than 32 bits.
//!
//! | name | basis | prime | value | check, of "foobar" |
//! |---|---|---|---|---|
//! | `fnv1-32-signed` | `811c9dc5` | `01000193` | 32-bit number | `31f0b262` |
//! | `fnv1a-32-signed` | `811c9dc5` | `01000193` | 32-bit number | `bf9cf968` |
//! | `fnv1-64-low-signed` | `84222325` | `000001b3` | 32-bit number | `a4dda9c2` |
//! | `fnv1a-64-low-signed` | `84222325` | `000001b3` | 32-bit number | `f73967e8` |
//!
//! The last two are what these programs call `fnv1_64` and `fnv1a_64`: one cuts 64-bit FNV to its
//! low half, the other starts from the low halves of basis and prime. That is the same, because
//! the low half of a product depends on low halves only. It is a poor hash: the high half of the
//! prime, which carries a byte far up, is gone, so a change in the last bytes of a key hardly
//! reaches the high bits, and on a ring keys that differ in a trailing number crowd together.
//!
//! Bytes are xored in as a C `char`. Where that is signed (x86), a byte from 0x80 sets all higher
//! bits of the operand; ASCII keys hash as published.
//!
//! Source: RFC 9923 for FNV itself; the rest was read off the owners that libmemcached 1.1.4 and
//! twemproxy 0.5.0 gave for recorded keys.

use alloc::borrow::Cow;

use super::fnv::{BASIS_32, BASIS_64, PRIME_32, PRIME_64};
use super::{KeyHash, Width, signed};

/// FNV-1-32 over signed bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Fnv1_32Signed;

/// FNV-1a-32 over signed bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Fnv1a32Signed;

/// The low 32 bits of FNV-1-64 over signed bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Fnv1_64LowSigned;

/// The low 32 bits of FNV-1a-64 over signed bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Fnv1a64LowSigned;

/// The low half of [`BASIS_64`].
const BASIS_LOW: u32 = BASIS_64 as u32;
/// The low half of [`PRIME_64`].
const PRIME_LOW: u32 = PRIME_64 as u32;

impl KeyHash for Fnv1_32Signed {
    fn width(&self) -> Width {
        Width::Bits32
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        bytes.iter().fold(BASIS_32, |h, &byte| h.wrapping_mul(PRIME_32) ^ signed(byte)).into()
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("fnv1-32-signed")
    }
}

impl KeyHash for Fnv1a32Signed {
    fn width(&self) -> Width {
        Width::Bits32
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        bytes.iter().fold(BASIS_32, |h, &byte| (h ^ signed(byte)).wrapping_mul(PRIME_32)).into()
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("fnv1a-32-signed")
    }
}

impl KeyHash for Fnv1_64LowSigned {
    fn width(&self) -> Width {
        Width::Bits32
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        bytes.iter().fold(BASIS_LOW, |h, &byte| h.wrapping_mul(PRIME_LOW) ^ signed(byte)).into()
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("fnv1-64-low-signed")
    }
}

impl KeyHash for Fnv1a64LowSigned {
    fn width(&self) -> Width {
        Width::Bits32
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        bytes.iter().fold(BASIS_LOW, |h, &byte| (h ^ signed(byte)).wrapping_mul(PRIME_LOW)).into()
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("fnv1a-64-low-signed")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::{Fnv1_32, Fnv1_64, Fnv1a32, Fnv1a64};

    #[test]
    fn ascii_hashes_as_published() {
        for text in ["", "a", "foobar", "user:42"] {
            let key = text.as_bytes();
            assert_eq!(Fnv1_32Signed.hash(key), Fnv1_32.hash(key), "{text:?}");
            assert_eq!(Fnv1a32Signed.hash(key), Fnv1a32.hash(key), "{text:?}");
            assert_eq!(Fnv1_64LowSigned.hash(key), Fnv1_64.hash(key) & 0xffff_ffff, "{text:?}");
            assert_eq!(Fnv1a64LowSigned.hash(key), Fnv1a64.hash(key) & 0xffff_ffff, "{text:?}");
        }
        assert_eq!(Fnv1a64LowSigned.hash(b"foobar"), 0xf739_67e8);
        assert_eq!(Fnv1_64LowSigned.hash(b"foobar"), 0xa4dd_a9c2);
    }

    #[test]
    fn bytes_from_0x80_set_all_higher_bits() {
        // One step by hand, byte 0x80 widened to 0xffffff80.
        assert_eq!(
            Fnv1a32Signed.hash(&[0x80]),
            u64::from((0x811c_9dc5_u32 ^ 0xffff_ff80).wrapping_mul(0x0100_0193))
        );
        assert_eq!(
            Fnv1_32Signed.hash(&[0x80]),
            u64::from(0x811c_9dc5_u32.wrapping_mul(0x0100_0193) ^ 0xffff_ff80)
        );
        assert_eq!(
            Fnv1a64LowSigned.hash(&[0x80]),
            u64::from((0x8422_2325_u32 ^ 0xffff_ff80).wrapping_mul(0x1b3))
        );
        // In 64 bits and cut at the end, byte 0x80 widened to 0xffffffffffffff80: the same.
        let whole = 0xcbf2_9ce4_8422_2325_u64.wrapping_mul(0x0100_0000_01b3) ^ 0xffff_ffff_ffff_ff80;
        let whole = whole.wrapping_mul(0x0100_0000_01b3) ^ 0x61;
        assert_eq!(Fnv1_64LowSigned.hash(&[0x80, 0x61]), whole & 0xffff_ffff);
    }
}
