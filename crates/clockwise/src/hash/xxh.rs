//! xxHash: XXH3-64, XXH64, XXH32.
//!
//! | name | seed | value | check |
//! |---|---|---|---|
//! | `xxh3-64` | 0 | 64-bit number | of "" `2d06800538d394c2` |
//!
//! Source: the xxHash specification, <https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md>.

use alloc::borrow::Cow;

use super::{KeyHash, Width};

/// XXH3, 64 bits, seed 0: the native key hash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Xxh3;

impl KeyHash for Xxh3 {
    fn width(&self) -> Width {
        Width::Bits64
    }
    #[inline]
    fn hash(&self, bytes: &[u8]) -> u64 {
        xxhash_rust::xxh3::xxh3_64(bytes)
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("xxh3-64")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_check_values() {
        assert_eq!(Xxh3.hash(b""), 0x2d06_8005_38d3_94c2);
    }
}
