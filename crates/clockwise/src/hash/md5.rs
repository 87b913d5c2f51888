//! MD5, as placements use it: never for secrecy, only because ketama did.
//!
//! | name | value | check, of "" |
//! |---|---|---|
//! | `md5` | first 8 bytes of the digest, big-endian: 64 bits | `d41d8cd98f00b204` |
//! | `md5-word` | first 4 bytes of the digest, little-endian: 32 bits | `d98c1dd4` |
//!
//! Source: RFC 1321.

use alloc::borrow::Cow;
use core::fmt;

use md5::Digest as _;

use super::{KeyHash, Width};

/// The first eight bytes of MD5, read as a big-endian number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Md5;

/// The first four bytes of MD5, read as a little-endian number: the key hash of ketama.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Md5Word;

/// MD5 cut into four little-endian words, as ketama takes four points from one digest.
pub fn md5_words(bytes: &[u8]) -> [u32; 4] {
    let digest = digest(bytes);
    let word = |i: usize| u32::from_le_bytes([digest[i], digest[i + 1], digest[i + 2], digest[i + 3]]);
    [word(0), word(4), word(8), word(12)]
}

/// The whole of MD5, read as a big-endian number.
pub fn md5_128(bytes: &[u8]) -> u128 {
    u128::from_be_bytes(digest(bytes))
}

fn digest(bytes: &[u8]) -> [u8; 16] {
    md5::Md5::digest(bytes).into()
}

fn first_eight(digest: [u8; 16]) -> u64 {
    (u128::from_be_bytes(digest) >> 64) as u64
}

/// [`Md5`] of texts that begin alike: the beginning is digested once.
#[derive(Clone)]
pub struct Md5Prefix(md5::Md5);

impl Md5Prefix {
    /// Texts that begin with `prefix`.
    pub fn new(prefix: &[u8]) -> Md5Prefix {
        Md5Prefix(md5::Md5::new_with_prefix(prefix))
    }

    /// [`Md5`] of the prefix and `rest`, as one text.
    pub fn hash(&self, rest: &[u8]) -> u64 {
        first_eight(self.0.clone().chain_update(rest).finalize().into())
    }
}

impl fmt::Debug for Md5Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Md5Prefix")
    }
}

impl KeyHash for Md5 {
    fn width(&self) -> Width {
        Width::Bits64
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        first_eight(digest(bytes))
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("md5")
    }
}

impl KeyHash for Md5Word {
    fn width(&self) -> Width {
        Width::Bits32
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        md5_words(bytes)[0].into()
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("md5-word")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test suite of RFC 1321, appendix A.5.
    const SUITE: [(&str, u128); 7] = [
        ("", 0xd41d8cd98f00b204e9800998ecf8427e),
        ("a", 0x0cc175b9c0f1b6a831c399e269772661),
        ("abc", 0x900150983cd24fb0d6963f7d28e17f72),
        ("message digest", 0xf96b697d7cb7938d525a2f31aaf161d0),
        ("abcdefghijklmnopqrstuvwxyz", 0xc3fcd3d76192e4007dfb496cca67e13b),
        (
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
            0xd174ab98d277d9f5a5611c2c9f419d9f,
        ),
        (
            "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
            0x57edf4a22be3c955ac49da2e2107b67a,
        ),
    ];

    #[test]
    fn a_prefix_and_the_rest_hash_as_one_text() {
        for (text, digest) in SUITE {
            for at in 0..=text.len() {
                let (prefix, rest) = text.as_bytes().split_at(at);
                assert_eq!(Md5Prefix::new(prefix).hash(rest), (digest >> 64) as u64, "{text:?} cut at {at}");
            }
        }
    }

    #[test]
    fn published_check_values() {
        for (text, digest) in SUITE {
            let bytes = digest.to_be_bytes();
            assert_eq!(md5_128(text.as_bytes()), digest, "{text:?}");
            assert_eq!(Md5.hash(text.as_bytes()), (digest >> 64) as u64, "{text:?}");
            let words = md5_words(text.as_bytes());
            assert_eq!(words.map(u32::to_le_bytes).as_flattened(), bytes, "{text:?}");
            assert_eq!(Md5Word.hash(text.as_bytes()), u64::from(words[0]), "{text:?}");
        }
        assert_eq!(md5_words(b""), [0xd98c_1dd4, 0x04b2_008f, 0x9809_80e9, 0x7e42_f8ec]);
    }
}
