//! wt6: HAProxy's own string hash, two words turned by amounts that the words themselves give.
//!
//! | name | start | value | check, of "123456789" |
//! |---|---|---|---|
//! | `wt6` | words `a53c965a`, `5ca6953a`; turns 6, 18 | 32-bit number: the words, xored | `84a16c1d` |
//!
//! Bytes are unsigned. A turn by 0 is none, as shifts of 32 bits act on x86.
//!
//! Source: Willy Tarreau, HAProxy, `src/hash.c` (`hash_wt6`).

use alloc::borrow::Cow;

use super::{KeyHash, Width};

/// wt6, in 32 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Wt6;

impl KeyHash for Wt6 {
    fn width(&self) -> Width {
        Width::Bits32
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        let (mut a, mut b) = (0xa53c_965a_u32, 0x5ca6_953a_u32);
        let (mut turn_b, mut turn_a) = (6, 18);
        for &byte in bytes {
            a = !(a ^ u32::from(byte));
            b = !b.wrapping_add(byte.into());
            (a, b) = (b.rotate_left(turn_b), a.rotate_left(turn_a));
            let mix = (a >> 16 ^ b) & 0xffff;
            (turn_b, turn_a) = (mix & 31, mix >> 11);
        }
        (a ^ b).into()
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("wt6")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_a_second_implementation() {
        for (text, hash) in
            [("", 0xf99a_0360), ("a", 0x714b_f225), ("foobar", 0xd680_a6cc), ("123456789", 0x84a1_6c1d)]
        {
            assert_eq!(Wt6.hash(text.as_bytes()), hash, "{text:?}");
        }
    }
}
