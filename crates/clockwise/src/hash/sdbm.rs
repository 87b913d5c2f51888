//! sdbm: the string hash of the sdbm database library.
//!
//! | name | start | step | value | check, of "123456789" |
//! |---|---|---|---|---|
//! | `sdbm` | 0 | h × 65,599 + byte | 32-bit number | `68a07035` |
//!
//! Bytes are unsigned. Short keys that differ in their last byte have hashes close to each other, so
//! on a ring they stay together.
//!
//! Source: Ozan Yigit, the sdbm library, 1990, public domain; HAProxy, `src/hash.c`.

use alloc::borrow::Cow;

use super::{KeyHash, Width};

/// sdbm, in 32 bits: HAProxy's hash unless it is told another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sdbm;

impl KeyHash for Sdbm {
    fn width(&self) -> Width {
        Width::Bits32
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        let step = |h: u32, &byte: &u8| h.wrapping_mul(65_599).wrapping_add(byte.into());
        bytes.iter().fold(0, step).into()
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("sdbm")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_a_second_implementation() {
        // The shifts of the original, h × 64 + h × 65,536 − h, computed in Python.
        for (text, hash) in [("", 0), ("a", 0x61), ("foobar", 0xa643_7b0d), ("123456789", 0x68a0_7035)] {
            assert_eq!(Sdbm.hash(text.as_bytes()), hash, "{text:?}");
        }
        assert_eq!(Sdbm.hash(b"\xff"), 0xff);
    }
}
