//! djb2: Bernstein's string hash.
//!
//! | name | start | step | value | check, of "123456789" |
//! |---|---|---|---|---|
//! | `djb2` | 5381 | h × 33 + byte | 32-bit number | `35cdbb82` |
//!
//! Bytes are unsigned. As with [`Sdbm`](super::Sdbm), keys that differ in their last byte stay together.
//!
//! Source: Daniel J. Bernstein, comp.lang.c, 1990; HAProxy, `src/hash.c`.

use alloc::borrow::Cow;

use super::{KeyHash, Width};

/// djb2, in 32 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Djb2;

impl KeyHash for Djb2 {
    fn width(&self) -> Width {
        Width::Bits32
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        let step = |h: u32, &byte: &u8| h.wrapping_mul(33).wrapping_add(byte.into());
        bytes.iter().fold(5381, step).into()
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("djb2")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_a_second_implementation() {
        for (text, hash) in [("", 5381), ("a", 0x2b606), ("foobar", 0xfde4_60be), ("123456789", 0x35cd_bb82)]
        {
            assert_eq!(Djb2.hash(text.as_bytes()), hash, "{text:?}");
        }
        assert_eq!(Djb2.hash(b"\xff"), 5381 * 33 + 0xff);
    }
}
