//! MD5, as placements use it: never for secrecy, only because ketama did.
//!
//! | name | value | check |
//! |---|---|---|
//! | `md5` | first 8 bytes of the digest, big-endian | of "" `d41d8cd98f00b204` |
//!
//! Source: RFC 1321.

use alloc::borrow::Cow;

use md5::Digest as _;

use super::{KeyHash, Width};

/// The first eight bytes of MD5, read as a big-endian number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Md5;

impl KeyHash for Md5 {
    fn width(&self) -> Width {
        Width::Bits64
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        let digest: [u8; 16] = md5::Md5::digest(bytes).into();
        u64::from_be_bytes([
            digest[0], digest[1], digest[2], digest[3], digest[4], digest[5], digest[6], digest[7],
        ])
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("md5")
    }
}

/// MD5 cut into four little-endian words, as ketama takes four points from one digest.
pub fn md5_words(bytes: &[u8]) -> [u32; 4] {
    let digest: [u8; 16] = md5::Md5::digest(bytes).into();
    let word = |i: usize| u32::from_le_bytes([digest[i], digest[i + 1], digest[i + 2], digest[i + 3]]);
    [word(0), word(4), word(8), word(12)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_check_values() {
        assert_eq!(Md5.hash(b""), 0xd41d_8cd9_8f00_b204);
        assert_eq!(md5_words(b""), [0xd98c_1dd4, 0x04b2_008f, 0x9809_80e9, 0x7e42_f8ec]);
    }
}
