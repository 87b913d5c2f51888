//! Paul Hsieh's SuperFastHash, as memcached clients and proxies carry it.
//!
//! | name | start | bytes of the tail | value | check |
//! |---|---|---|---|---|
//! | `superfasthash-mixed` | 0, not the length | a third is sign-extended, a lone first is not | 32-bit number | of "" 0 |
//!
//! The published function starts with the input's length and treats both kinds of tail byte as
//! signed; keys in ASCII differ from it by the start only.
//!
//! Source: Paul Hsieh, "Hash functions", 2004 to 2008, <http://www.azillionmonkeys.com/qed/hash.html>.

use alloc::borrow::Cow;

use super::{KeyHash, Width, signed};

/// SuperFastHash from 0: what libmemcached and twemproxy call hsieh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SuperFastHash;

/// `lone` widens a tail of a single byte, the one place in which copies of the code differ.
fn super_fast_hash(bytes: &[u8], lone: fn(u8) -> u32) -> u32 {
    if bytes.is_empty() {
        return 0;
    }
    let half = |low: u8, high: u8| u32::from(u16::from_le_bytes([low, high]));
    let (blocks, tail) = bytes.as_chunks::<4>();
    let mut h = 0_u32;
    for &[b0, b1, b2, b3] in blocks {
        h = h.wrapping_add(half(b0, b1));
        h = h << 16 ^ half(b2, b3) << 11 ^ h;
        h = h.wrapping_add(h >> 11);
    }
    match *tail {
        [b0, b1, b2] => {
            h = h.wrapping_add(half(b0, b1));
            h ^= h << 16;
            h ^= signed(b2) << 18;
            h = h.wrapping_add(h >> 11);
        }
        [b0, b1] => {
            h = h.wrapping_add(half(b0, b1));
            h ^= h << 11;
            h = h.wrapping_add(h >> 17);
        }
        [b0] => {
            h = h.wrapping_add(lone(b0));
            h ^= h << 10;
            h = h.wrapping_add(h >> 1);
        }
        _ => {}
    }
    h ^= h << 3;
    h = h.wrapping_add(h >> 5);
    h ^= h << 4;
    h = h.wrapping_add(h >> 17);
    h ^= h << 25;
    h.wrapping_add(h >> 6)
}

impl KeyHash for SuperFastHash {
    fn width(&self) -> Width {
        Width::Bits32
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        super_fast_hash(bytes, u32::from).into()
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("superfasthash-mixed")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::testing::smhasher_verification;

    #[test]
    fn with_a_signed_lone_byte_it_has_the_published_verification_value() {
        // SMHasher's copy starts from its seed, which it fixes at 0.
        assert_eq!(
            smhasher_verification(|bytes, _| super_fast_hash(bytes, signed).to_le_bytes()),
            0x980a_cd1d
        );
    }

    #[test]
    fn a_lone_byte_is_unsigned_and_a_third_one_signed() {
        assert_eq!(SuperFastHash.hash(b""), 0);
        assert_eq!(SuperFastHash.hash(b"a"), u64::from(super_fast_hash(b"a", signed)));
        assert_ne!(SuperFastHash.hash(&[0xff]), u64::from(super_fast_hash(&[0xff], signed)));
        assert_eq!(SuperFastHash.hash(&[1, 2, 0xff]), u64::from(super_fast_hash(&[1, 2, 0xff], signed)));
    }
}
