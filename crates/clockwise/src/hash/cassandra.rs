//! Cassandra's tokens: MurmurHash3 with signed bytes in the tail, and the absolute value of MD5.
//!
//! | name | value | check |
//! |---|---|---|
//! | `cassandra-murmur3` | MurmurHash3 x64_128, seed 0, first word, as a signed number; its highest bit turned over | of "a" token −8839064797231613815 |
//! | [`random_token`] | MD5 as a signed big-endian number of 128 bits, without its sign | of "a" 16955237001963240173058271559858726497 |
//!
//! **Signed tail.** The up to 15 bytes after the last full block of 16 enter as Java's bytes: one
//! from 0x80 also turns over all bits above its own in its word. Full blocks are ordinary. So a key
//! has another token than MurmurHash3 gives exactly when its tail has such a byte before or after the
//! eighth, which has none above its own.
//!
//! **Two values that are set aside.** −2⁶³ stands for "before all tokens": a hash of that value
//! becomes 2⁶³ − 1, and the empty key has −2⁶³.
//!
//! **Positions.** Tokens are signed and this library's circles are not. A token plus 2⁶³ is its
//! position: order, distances and equality stay, and so does every owner.
//!
//! Source: Apache Cassandra, `Murmur3Partitioner`, `RandomPartitioner` and `MurmurHash`, Apache
//! licence 2.0.

use alloc::borrow::Cow;

use super::murmur3::x64_128;
use super::{KeyHash, Width, md5_128};

/// The position of a key's token under Murmur3Partitioner.
///
/// ```
/// use clockwise::hash::{CassandraMurmur3, KeyHash};
///
/// assert_eq!(CassandraMurmur3::token(b"a"), -8839064797231613815);
/// let position = CassandraMurmur3::position(-8839064797231613815);
/// assert_eq!(CassandraMurmur3.hash(b"a"), position);
/// assert_eq!(CassandraMurmur3::token_at(position), -8839064797231613815);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CassandraMurmur3;

impl CassandraMurmur3 {
    /// The token of a partition key, serialised: of one column its raw bytes; of several, for each
    /// its length in two big-endian bytes, its bytes, and a zero.
    pub fn token(key: &[u8]) -> i64 {
        if key.is_empty() {
            return i64::MIN;
        }
        match x64_128(key, 0, signed_tail)[0].cast_signed() {
            i64::MIN => i64::MAX,
            token => token,
        }
    }

    /// Where a token stands on a circle of unsigned positions.
    pub const fn position(token: i64) -> u64 {
        token.cast_unsigned() ^ 1 << 63
    }

    /// The token at a position.
    pub const fn token_at(position: u64) -> i64 {
        (position ^ 1 << 63).cast_signed()
    }
}

impl KeyHash for CassandraMurmur3 {
    fn width(&self) -> Width {
        Width::Bits64
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        CassandraMurmur3::position(CassandraMurmur3::token(bytes))
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("cassandra-murmur3")
    }
}

/// Up to eight bytes, each widened with its sign.
fn signed_tail(bytes: &[u8]) -> u64 {
    let wide = |byte: u8| i64::from(byte.cast_signed()).cast_unsigned();
    bytes.iter().zip(0..).fold(0, |word, (&byte, i)| word ^ wide(byte) << (8 * i))
}

/// The token of a key under RandomPartitioner, 0 to 2¹²⁷.
///
/// ```
/// assert_eq!(clockwise::hash::random_token(b"a"), 16955237001963240173058271559858726497);
/// ```
pub fn random_token(key: &[u8]) -> u128 {
    random_token_of(md5_128(key))
}

/// The token of a key with this digest.
pub(crate) fn random_token_of(digest: u128) -> u128 {
    digest.cast_signed().unsigned_abs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::{Murmur3X64_128, murmur3_x64_128};
    use crate::testing::Random;

    #[test]
    fn only_a_high_byte_in_the_tail_and_not_its_eighth_makes_another_hash_than_murmur3() {
        let mut random = Random(0xca55);
        let mut differ = 0;
        for length in (1..=80).cycle().take(4_000) {
            let mut key = [0; 80];
            let mask = if random.below(4) == 0 { 0xff } else { 0x7f };
            key[..length].fill_with(|| random.next() as u8 & mask);
            let key = &key[..length];
            let tail = &key[length / 16 * 16..];
            let high = tail.iter().enumerate().any(|(i, &byte)| byte >= 0x80 && i != 7);
            let plain = Murmur3X64_128.hash(key).cast_signed();
            assert_eq!(CassandraMurmur3::token(key) != plain, high, "{key:?}");
            differ += usize::from(high);
        }
        assert!(differ > 500, "{differ}");
    }

    #[test]
    fn the_lowest_token_is_the_empty_keys_alone() {
        assert_eq!(CassandraMurmur3::token(b""), i64::MIN);
        assert_eq!(CassandraMurmur3.hash(b""), 0);
        // The one key of sixteen bytes whose hash is -2^63: the steps of the hash taken backwards.
        let key = key_of(i64::MIN.cast_unsigned());
        assert_eq!(murmur3_x64_128(&key, 0)[0], 1 << 63);
        assert_eq!(CassandraMurmur3::token(&key), i64::MAX);
        let key = key_of(12_345);
        assert_eq!(CassandraMurmur3::token(&key), 12_345);
    }

    /// A key of one block whose first word of hash is `h1` (and whose second is 0).
    fn key_of(h1: u64) -> [u8; 16] {
        let unxor = |h: u64| h ^ h >> 33;
        let inverse =
            |odd: u64| (0..6).fold(odd, |x: u64, _| x.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(x))));
        let unmix = |h: u64| {
            let h = unxor(h).wrapping_mul(inverse(0xc4ce_b9fe_1a85_ec53));
            let h = unxor(h).wrapping_mul(inverse(0xff51_afd7_ed55_8ccd));
            unxor(h)
        };
        let (c1, c2) = (0x87c3_7b91_1142_53d5, 0x4cf5_ad43_2745_937f);
        // The end: h2 = 0 is h1 + h2' so h2' = -h1, and h1 = h1' + h2'.
        let (h1, h2) = (h1.wrapping_add(h1), h1.wrapping_neg());
        let (h1, h2) = (unmix(h1), unmix(h2));
        let h2 = h2.wrapping_sub(h1);
        let h1 = h1.wrapping_sub(h2);
        let (h1, h2) = (h1 ^ 16, h2 ^ 16);
        // The block, from a state of zero.
        let fifth = inverse(5);
        let h2 = h2.wrapping_sub(0x3849_5ab5).wrapping_mul(fifth).wrapping_sub(h1).rotate_right(31);
        let h1 = h1.wrapping_sub(0x52dc_e729).wrapping_mul(fifth).rotate_right(27);
        let low = h1.wrapping_mul(inverse(c2)).rotate_right(31).wrapping_mul(inverse(c1));
        let high = h2.wrapping_mul(inverse(c1)).rotate_right(33).wrapping_mul(inverse(c2));
        (u128::from(high) << 64 | u128::from(low)).to_le_bytes()
    }

    #[test]
    fn positions_keep_the_order_of_tokens_and_their_distances() {
        assert_eq!(CassandraMurmur3::position(i64::MIN), 0);
        assert_eq!(CassandraMurmur3::position(-1), (1 << 63) - 1);
        assert_eq!(CassandraMurmur3::position(0), 1 << 63);
        assert_eq!(CassandraMurmur3::position(i64::MAX), u64::MAX);
        let mut random = Random(0xca56);
        for _ in 0..10_000 {
            let (a, b) = (random.next().cast_signed(), random.next().cast_signed());
            let (p, q) = (CassandraMurmur3::position(a), CassandraMurmur3::position(b));
            assert_eq!(p.cmp(&q), a.cmp(&b));
            assert_eq!(p.wrapping_sub(q), a.wrapping_sub(b).cast_unsigned());
            assert_eq!(CassandraMurmur3::token_at(p), a);
        }
    }

    #[test]
    fn the_random_token_is_the_digest_without_its_sign() {
        // RFC 1321: MD5 of "" is d41d8cd98f00b204e9800998ecf8427e, a negative number.
        assert_eq!(random_token(b""), 0xd41d8cd98f00b204e9800998ecf8427e_u128.wrapping_neg());
        assert_eq!(random_token(b"a"), 0x0cc175b9c0f1b6a831c399e269772661);
    }
}
