//! MD5, as placements use it: never for secrecy, only because ketama did.
//!
//! | name | value | check, of "" |
//! |---|---|---|
//! | `md5` | first 8 bytes of the digest, big-endian: 64 bits | `d41d8cd98f00b204` |
//! | `md5-word` | first 4 bytes of the digest, little-endian: 32 bits | `d98c1dd4` |
//!
//! Source: RFC 1321. Texts of one block are digested here, many of them in vectors; longer ones, and texts
//! that come in pieces, by the crate `md-5`, which the tests hold all of it to.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::fmt;

use md5::Digest as _;

use super::{KeyHash, Width};
use crate::arch::{Blocks, Level, TEXTS, block, digests};

/// The first eight bytes of MD5, read as a big-endian number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Md5;

/// The first four bytes of MD5, read as a little-endian number: the key hash of ketama.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Md5Word;

/// MD5 cut into four little-endian words, as ketama takes four points from one digest.
#[inline]
pub fn md5_words(bytes: &[u8]) -> [u32; 4] {
    if bytes.len() > SHORT {
        return long_words(bytes);
    }
    let mut words = [0; 16];
    padded(bytes, |at, word| words[at] = word);
    block(&words)
}

/// Of a text that takes more than one block.
#[cold]
fn long_words(bytes: &[u8]) -> [u32; 4] {
    let digest: [u8; 16] = md5::Md5::digest(bytes).into();
    let word = |i: usize| u32::from_le_bytes([digest[i], digest[i + 1], digest[i + 2], digest[i + 3]]);
    [word(0), word(4), word(8), word(12)]
}

/// The longest text that fits one block with what is put behind it. Keys and labels hardly ever are
/// longer, so that this is most of the work.
const SHORT: usize = 55;

/// The block of a [short](SHORT) text, word by word, without those that are 0: the text, a bit, and at the
/// end the length in bits.
#[inline]
fn padded(bytes: &[u8], mut put: impl FnMut(usize, u32)) {
    let (words, rest) = bytes.as_chunks::<4>();
    for (at, word) in words.iter().enumerate() {
        put(at, u32::from_le_bytes(*word));
    }
    put(words.len(), rest.iter().rfold(0x80, |word, &byte| word << 8 | u32::from(byte)));
    put(14, bytes.len() as u32 * 8);
}

/// Digests of many texts, up to [`TEXTS`] side by side.
pub(crate) struct Md5Batch {
    level: Level,
    blocks: Blocks,
    len: usize,
    /// Of texts that are not short, with their places.
    long: Vec<(usize, [u32; 4])>,
}

impl Md5Batch {
    /// Without texts.
    pub(crate) fn new(level: Level) -> Md5Batch {
        Md5Batch { level, blocks: [[0; TEXTS]; 16], len: 0, long: Vec::new() }
    }

    /// Takes a text; true if the batch is [to be emptied](Md5Batch::take) before it takes another.
    #[inline]
    pub(crate) fn push(&mut self, text: &[u8]) -> bool {
        let at = self.len % TEXTS;
        if text.len() > SHORT {
            self.long.push((at, long_words(text)));
        } else {
            padded(text, |word, value| self.blocks[word][at] = value);
        }
        self.len = at + 1;
        self.len == TEXTS
    }

    /// The digests of the texts so far, in their order, as [`md5_words`] gives them.
    #[inline]
    pub(crate) fn take(&mut self) -> impl Iterator<Item = [u32; 4]> + use<> {
        let words = if self.len > 0 { digests(self.level, &self.blocks) } else { [[0; TEXTS]; 4] };
        let mut digests: [[u32; 4]; TEXTS] = core::array::from_fn(|at| words.map(|word| word[at]));
        for (at, digest) in self.long.drain(..) {
            digests[at] = digest;
        }
        let len = core::mem::take(&mut self.len);
        self.blocks = [[0; TEXTS]; 16];
        digests.into_iter().take(len)
    }
}

/// What `value` makes of the digest of each key; `values` is as long as `keys`, and a longer one keeps its tail.
fn many<V>(level: Level, keys: &[&[u8]], values: &mut [V], value: impl Fn([u32; 4]) -> V) {
    let mut batch = Md5Batch::new(level);
    for (keys, values) in keys.chunks(TEXTS).zip(values.chunks_mut(TEXTS)) {
        keys.iter().for_each(|key| _ = batch.push(key));
        values.iter_mut().zip(batch.take()).for_each(|(there, digest)| *there = value(digest));
    }
}

/// What `value` makes of the whole of MD5 of each key, [`md5_128`]; `values` is as long as `keys`.
pub(crate) fn md5_128_many<V>(keys: &[&[u8]], values: &mut [V], value: impl Fn(u128) -> V) {
    many(Level::best(), keys, values, |digest| value(number_of(digest)));
}

/// The whole of MD5, read as a big-endian number.
pub fn md5_128(bytes: &[u8]) -> u128 {
    number_of(md5_words(bytes))
}

/// A digest's words as its number: the words are little-endian, the number is not.
pub(crate) fn number_of(words: [u32; 4]) -> u128 {
    words.into_iter().fold(0, |whole, word| whole << 32 | u128::from(word.swap_bytes()))
}

fn first_eight([first, second, ..]: [u32; 4]) -> u64 {
    u64::from(first.swap_bytes()) << 32 | u64::from(second.swap_bytes())
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
        let digest: [u8; 16] = self.0.clone().chain_update(rest).finalize().into();
        (u128::from_be_bytes(digest) >> 64) as u64
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
        first_eight(md5_words(bytes))
    }
    fn hash_many(&self, keys: &[&[u8]], hashes: &mut [u64]) {
        many(Level::best(), keys, hashes, first_eight);
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
    fn hash_many(&self, keys: &[&[u8]], hashes: &mut [u64]) {
        many(Level::best(), keys, hashes, |[first, ..]| first.into());
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("md5-word")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

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

    fn by_crate(text: &[u8]) -> [u8; 16] {
        md5::Md5::digest(text).into()
    }

    /// Texts of every length up to three blocks.
    #[test]
    fn agrees_with_another_implementation_at_every_length() {
        let mut random = Random(1321);
        let text: Vec<u8> = (0..200).map(|_| random.next() as u8).collect();
        for length in 0..=text.len() {
            for start in [0, 1, 7].into_iter().filter(|start| start + length <= text.len()) {
                let text = &text[start..][..length];
                let words = md5_words(text);
                assert_eq!(words.map(u32::to_le_bytes).as_flattened(), by_crate(text), "{length} bytes");
                assert_eq!(md5_128(text), u128::from_be_bytes(by_crate(text)), "{length} bytes");
            }
        }
    }

    /// As many keys as fill a batch or do not, long ones among them, one batch after the other.
    #[test]
    fn many_keys_hash_as_one_by_one() {
        let mut random = Random(0x3d5_3d5);
        for round in 0..300 {
            let texts: Vec<Vec<u8>> = (0..random.below(50))
                .map(|_| {
                    let most = if random.below(8) == 0 { 150 } else { 56 };
                    (0..random.below(most)).map(|_| random.next() as u8).collect()
                })
                .collect();
            let keys: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
            for level in Level::all() {
                let mut hashes = alloc::vec![7; keys.len() + 1];
                many(level, &keys, &mut hashes, first_eight);
                let tail = hashes.pop();
                let single: Vec<u64> = keys.iter().map(|key| Md5.hash(key)).collect();
                assert_eq!((hashes, tail), (single, Some(7)), "round {round}, {level}");

                let mut batch = Md5Batch::new(level);
                let mut digests = Vec::new();
                for key in &keys {
                    if batch.push(key) {
                        digests.extend(batch.take());
                    }
                }
                digests.extend(batch.take());
                let single: Vec<[u32; 4]> = keys.iter().map(|key| md5_words(key)).collect();
                assert_eq!(digests, single, "round {round}, {level}");
            }
            let (mut long, mut short) = (alloc::vec![0; keys.len()], alloc::vec![0; keys.len()]);
            Md5.hash_many(&keys, &mut long);
            Md5Word.hash_many(&keys, &mut short);
            for (key, (long, short)) in keys.iter().zip(long.into_iter().zip(short)) {
                assert_eq!((long, short), (Md5.hash(key), Md5Word.hash(key)), "round {round}");
            }
        }
    }

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
