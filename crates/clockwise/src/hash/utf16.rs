//! Hashes of text in UTF-16, as Java and JavaScript clients compute them.
//!
//! | name | start | step, for each 16-bit unit *u* | value | check, of "naïve:café" |
//! |---|---|---|---|---|
//! | `java-string` | 0 | h × 31 + u | 32-bit number | `328e22f0` |
//! | `java-string-abs` | 0 | h × 31 + u | the absolute value of h as a signed number | `328e22f0` |
//! | `fnv1-32-utf16` | `811c9dc5` | h × `01000193`, then xor u | 32-bit number | `4d33dee7` |
//! | `fnv1a-32-utf16` | `811c9dc5` | xor u, then × `01000193` | 32-bit number | `658cc47b` |
//! | `fnv1-64-low-utf16` | `84222325` | h × `000001b3`, then xor u | 32-bit number | `15c56ba7` |
//! | `fnv1a-64-low-utf16` | `84222325` | xor u, then × `000001b3` | 32-bit number | `0cf51fbb` |
//!
//! All modulo 2³². The last two are 64-bit FNV cut to its low half, which depends on low halves only.
//! Keys of ASCII hash as with the hash of bytes of the same name.
//!
//! Keys here are bytes, and are read as UTF-8. Bytes that are no UTF-8 are no text there, so no such
//! client has a key like it; here each broken sequence counts as one U+FFFD, as decoders replace it.
//!
//! Source: the documentation of `java.lang.String.hashCode`; RFC 9923 for FNV; check values and the
//! rest by running `net.spy.memcached.DefaultHashAlgorithm` of spymemcached 2.12.3 on Java 17.

use alloc::borrow::Cow;

use super::fnv::{BASIS_32, BASIS_64, PRIME_32, PRIME_64};
use super::{KeyHash, Width};

/// The UTF-16 units of bytes that are read as UTF-8.
pub(super) fn units(bytes: &[u8]) -> impl Iterator<Item = u16> {
    bytes.utf8_chunks().flat_map(|chunk| {
        let broken = (!chunk.invalid().is_empty()).then_some(0xfffd);
        chunk.valid().encode_utf16().chain(broken)
    })
}

fn java_string(bytes: &[u8]) -> u32 {
    units(bytes).fold(0, |h: u32, unit| h.wrapping_mul(31).wrapping_add(unit.into()))
}

fn fnv1(bytes: &[u8], basis: u32, prime: u32) -> u32 {
    units(bytes).fold(basis, |h, unit| h.wrapping_mul(prime) ^ u32::from(unit))
}

fn fnv1a(bytes: &[u8], basis: u32, prime: u32) -> u32 {
    units(bytes).fold(basis, |h, unit| (h ^ u32::from(unit)).wrapping_mul(prime))
}

/// The low half of [`BASIS_64`].
const BASIS_LOW: u32 = BASIS_64 as u32;
/// The low half of [`PRIME_64`].
const PRIME_LOW: u32 = PRIME_64 as u32;

macro_rules! utf16_hash {
    ($($(#[$doc:meta])* $hash:ident = $name:literal => |$bytes:ident| $value:expr;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct $hash;

        impl KeyHash for $hash {
            fn width(&self) -> Width {
                Width::Bits32
            }
            fn hash(&self, $bytes: &[u8]) -> u64 {
                u64::from($value)
            }
            fn name(&self) -> Cow<'static, str> {
                Cow::Borrowed($name)
            }
        }
    )+};
}

utf16_hash! {
    /// Java's `String.hashCode`, as an unsigned number.
    JavaString = "java-string" => |bytes| java_string(bytes);
    /// The absolute value of Java's `String.hashCode`: 0 to 2³¹.
    JavaStringAbs = "java-string-abs" => |bytes| java_string(bytes).cast_signed().unsigned_abs();
    /// FNV-1-32 over UTF-16 units.
    Fnv1_32Utf16 = "fnv1-32-utf16" => |bytes| fnv1(bytes, BASIS_32, PRIME_32);
    /// FNV-1a-32 over UTF-16 units.
    Fnv1a32Utf16 = "fnv1a-32-utf16" => |bytes| fnv1a(bytes, BASIS_32, PRIME_32);
    /// The low 32 bits of FNV-1-64 over UTF-16 units.
    Fnv1_64LowUtf16 = "fnv1-64-low-utf16" => |bytes| fnv1(bytes, BASIS_LOW, PRIME_LOW);
    /// The low 32 bits of FNV-1a-64 over UTF-16 units.
    Fnv1a64LowUtf16 = "fnv1a-64-low-utf16" => |bytes| fnv1a(bytes, BASIS_LOW, PRIME_LOW);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::{Fnv1_32, Fnv1_64, Fnv1a32, Fnv1a64};

    #[test]
    fn values_are_those_that_spymemcached_printed() {
        let text = ["", "a", "foobar", "user:42", "naïve:café", "キー:42", "emoji:😀"];
        let of = |hash: &dyn KeyHash| text.map(|text| hash.hash(text.as_bytes()));
        assert_eq!(
            of(&JavaString),
            [0, 0x61, 0xb45e_718d, 0xf73a_5c8d, 0x328e_22f0, 0xc433_4fe9, 0x4569_3917]
        );
        assert_eq!(
            of(&Fnv1_64LowUtf16),
            [0x8422_2325, 0x8601_b7be, 0xa4dd_a9c2, 0xf282_9cd0, 0x15c5_6ba7, 0xca7e_22da, 0x966f_0b12]
        );
        assert_eq!(
            of(&Fnv1a64LowUtf16),
            [0x8422_2325, 0x8601_ec8c, 0xf739_67e8, 0xdcd2_21c2, 0x0cf5_1fbb, 0xd7a0_49f0, 0x693e_3bf8]
        );
        assert_eq!(
            of(&Fnv1_32Utf16),
            [0x811c_9dc5, 0x050c_5d7e, 0x31f0_b262, 0xf7f6_7db0, 0x4d33_dee7, 0x6105_979a, 0x3b3b_2072]
        );
        assert_eq!(
            of(&Fnv1a32Utf16),
            [0x811c_9dc5, 0xe40c_292c, 0xbf9c_f968, 0x2f6b_7b82, 0x658c_c47b, 0x7442_ba90, 0xe812_20f8]
        );
    }

    #[test]
    fn ascii_hashes_as_bytes_do() {
        for key in [&b""[..], b"a", b"foobar", b"user:42"] {
            assert_eq!(Fnv1_32Utf16.hash(key), Fnv1_32.hash(key));
            assert_eq!(Fnv1a32Utf16.hash(key), Fnv1a32.hash(key));
            assert_eq!(Fnv1_64LowUtf16.hash(key), Fnv1_64.hash(key) & 0xffff_ffff);
            assert_eq!(Fnv1a64LowUtf16.hash(key), Fnv1a64.hash(key) & 0xffff_ffff);
        }
    }

    #[test]
    fn the_absolute_value_reaches_2_to_the_31() {
        // "polygenelubricants" is the classic text whose hash code is the least integer.
        assert_eq!(JavaString.hash(b"polygenelubricants"), 1 << 31);
        assert_eq!(JavaStringAbs.hash(b"polygenelubricants"), 1 << 31);
        assert_eq!(JavaStringAbs.hash(b"foobar"), 0x4ba1_8e73);
    }

    #[test]
    fn broken_utf_8_counts_as_the_replacement_character() {
        for (bytes, text) in [
            (&b"a\xffb"[..], "a\u{fffd}b"),
            (b"\xff\xfe", "\u{fffd}\u{fffd}"),
            (b"\xe3\x82", "\u{fffd}"),
            (b"\xe3\x82x", "\u{fffd}x"),
        ] {
            assert_eq!(JavaString.hash(bytes), JavaString.hash(text.as_bytes()), "{bytes:?}");
        }
    }
}
