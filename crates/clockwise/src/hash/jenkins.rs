//! Bob Jenkins's one-at-a-time and lookup3, as memcached clients and proxies use them.
//!
//! | name | start | bytes | value | check |
//! |---|---|---|---|---|
//! | `one-at-a-time-signed` | 0 | sign-extended | 32-bit number | of "a" `ca2e9442` |
//! | `lookup3-13` | 13 | unsigned | 32-bit number | of "" `deadbefc` |
//!
//! one-at-a-time adds each byte as a C `char`. Where that is signed (x86), bytes from 0x80 add
//! 0xffffff80 to 0xffffffff; ASCII keys hash as published.
//!
//! Source: Bob Jenkins, "A Hash Function for Hash Table Lookup", Dr. Dobb's, September 1997, and
//! `lookup3.c`, `hashlittle`, May 2006, public domain, <https://burtleburtle.net/bob/hash/doobs.html>.

use alloc::borrow::Cow;

use super::{KeyHash, Width, signed};

/// one-at-a-time over signed bytes: what libmemcached calls DEFAULT.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct OneAtATimeSigned;

/// lookup3's `hashlittle` with initial value 13.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Lookup3;

fn one_at_a_time(bytes: &[u8]) -> u32 {
    let mut h = 0_u32;
    for &byte in bytes {
        h = h.wrapping_add(signed(byte));
        h = h.wrapping_add(h << 10);
        h ^= h >> 6;
    }
    h = h.wrapping_add(h << 3);
    h ^= h >> 11;
    h.wrapping_add(h << 15)
}

fn lookup3(bytes: &[u8], initial: u32) -> u32 {
    // The algorithm counts lengths in 32 bits.
    let start = 0xdead_beef_u32.wrapping_add(bytes.len() as u32).wrapping_add(initial);
    let (mut a, mut b, mut c) = (start, start, start);
    let mut rest = bytes;
    while rest.len() > 12 {
        let (block, behind) = rest.split_at(12);
        let [x, y, z] = words(block);
        (a, b, c) = (a.wrapping_add(x), b.wrapping_add(y), c.wrapping_add(z));
        a = a.wrapping_sub(c) ^ c.rotate_left(4);
        c = c.wrapping_add(b);
        b = b.wrapping_sub(a) ^ a.rotate_left(6);
        a = a.wrapping_add(c);
        c = c.wrapping_sub(b) ^ b.rotate_left(8);
        b = b.wrapping_add(a);
        a = a.wrapping_sub(c) ^ c.rotate_left(16);
        c = c.wrapping_add(b);
        b = b.wrapping_sub(a) ^ a.rotate_left(19);
        a = a.wrapping_add(c);
        c = c.wrapping_sub(b) ^ b.rotate_left(4);
        b = b.wrapping_add(a);
        rest = behind;
    }
    if rest.is_empty() {
        // Only an empty input leaves nothing, and it is not mixed.
        return c;
    }
    let [x, y, z] = words(rest);
    (a, b, c) = (a.wrapping_add(x), b.wrapping_add(y), c.wrapping_add(z));
    c = (c ^ b).wrapping_sub(b.rotate_left(14));
    a = (a ^ c).wrapping_sub(c.rotate_left(11));
    b = (b ^ a).wrapping_sub(a.rotate_left(25));
    c = (c ^ b).wrapping_sub(b.rotate_left(16));
    a = (a ^ c).wrapping_sub(c.rotate_left(4));
    b = (b ^ a).wrapping_sub(a.rotate_left(14));
    (c ^ b).wrapping_sub(b.rotate_left(24))
}

/// Up to twelve bytes as three little-endian words; missing bytes are zero.
fn words(bytes: &[u8]) -> [u32; 3] {
    let mut words = [0; 3];
    for (i, &byte) in bytes.iter().take(12).enumerate() {
        words[i / 4] |= u32::from(byte) << (i % 4 * 8);
    }
    words
}

impl KeyHash for OneAtATimeSigned {
    fn width(&self) -> Width {
        Width::Bits32
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        one_at_a_time(bytes).into()
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("one-at-a-time-signed")
    }
}

impl KeyHash for Lookup3 {
    fn width(&self) -> Width {
        Width::Bits32
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        lookup3(bytes, 13).into()
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("lookup3-13")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::testing::smhasher_verification;

    #[test]
    fn published_check_values_of_one_at_a_time() {
        assert_eq!(OneAtATimeSigned.hash(b""), 0);
        assert_eq!(OneAtATimeSigned.hash(b"a"), 0xca2e_9442);
        assert_eq!(OneAtATimeSigned.hash(b"The quick brown fox jumps over the lazy dog"), 0x519e_91f5);
    }

    #[test]
    fn one_at_a_time_takes_bytes_from_0x80_as_negative() {
        // Step by step for h = -1: -1 - 1024 = -1025, and so on.
        let mut h = -1025_i32 as u32;
        h ^= h >> 6;
        h = h.wrapping_add(h << 3);
        h ^= h >> 11;
        h = h.wrapping_add(h << 15);
        assert_eq!(OneAtATimeSigned.hash(&[0xff]), u64::from(h));
    }

    #[test]
    fn published_check_values_of_lookup3() {
        // From driver5 of lookup3.c.
        let text = b"Four score and seven years ago";
        assert_eq!(lookup3(b"", 0), 0xdead_beef);
        assert_eq!(lookup3(b"", 0xdead_beef), 0xbd5b_7dde);
        assert_eq!(lookup3(text, 0), 0x1777_0551);
        assert_eq!(lookup3(text, 1), 0xcd62_8161);
        assert_eq!(smhasher_verification(|bytes, seed| lookup3(bytes, seed).to_le_bytes()), 0x3d83_917a);
        assert_eq!(Lookup3.hash(b""), 0xdead_beef + 13);
    }
}
