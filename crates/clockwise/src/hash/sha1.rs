//! SHA-1, as placements use it: never for secrecy.
//!
//! | name | value | check, of "" |
//! |---|---|---|
//! | `sha1-word` | first 4 bytes of the digest, little-endian: 32 bits | `eea339da` |
//! | `sha1-word-be` | first 4 bytes of the digest, big-endian: 32 bits | `da39a3ee` |
//!
//! Source: RFC 3174.

use alloc::borrow::Cow;

use sha1::Digest as _;

use super::{KeyHash, Width};

/// The first four bytes of SHA-1, read as a little-endian number: ketama's way with another digest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sha1Word;

/// The first four bytes of SHA-1, read as a big-endian number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sha1WordBe;

/// The first 16 bytes of SHA-1 cut into four little-endian words.
pub fn sha1_words(bytes: &[u8]) -> [u32; 4] {
    let digest = digest(bytes);
    let word = |i: usize| u32::from_le_bytes([digest[i], digest[i + 1], digest[i + 2], digest[i + 3]]);
    [word(0), word(4), word(8), word(12)]
}

fn digest(bytes: &[u8]) -> [u8; 20] {
    sha1::Sha1::digest(bytes).into()
}

impl KeyHash for Sha1Word {
    fn width(&self) -> Width {
        Width::Bits32
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        sha1_words(bytes)[0].into()
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("sha1-word")
    }
}

impl KeyHash for Sha1WordBe {
    fn width(&self) -> Width {
        Width::Bits32
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        sha1_words(bytes)[0].swap_bytes().into()
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("sha1-word-be")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_check_values() {
        // RFC 3174, section 7.3 (the first two), and the digest of nothing.
        let million = alloc::vec![b'a'; 1_000_000];
        for (text, hex) in [
            (&b"abc"[..], 0xa999_3e36_4706_816a_ba3e_2571_7850_c26c_u128),
            (
                b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                0x8498_3e44_1c3b_d26e_baae_4aa1_f951_29e5,
            ),
            (&million, 0x34aa_973c_d4c4_daa4_f61e_eb2b_dbad_2731),
            (b"", 0xda39_a3ee_5e6b_4b0d_3255_bfef_9560_1890),
        ] {
            let bytes = hex.to_be_bytes();
            assert_eq!(digest(text)[..16], bytes);
            assert_eq!(sha1_words(text).map(u32::to_le_bytes).as_flattened(), bytes);
            assert_eq!(Sha1Word.hash(text), u64::from(sha1_words(text)[0]));
            assert_eq!(Sha1WordBe.hash(text), (hex >> 96) as u64);
        }
        assert_eq!(Sha1Word.hash(b""), 0xeea3_39da);
    }
}
