//! The routing hash of Elasticsearch and OpenSearch: MurmurHash3 over a text's UTF-16.
//!
//! | name | function | input | value | check |
//! |---|---|---|---|---|
//! | `murmur3-x86-32-utf16` | MurmurHash3 x86_32, seed 0 | each UTF-16 code unit as two little-endian bytes | 32-bit number | of "a" 1867108634 |
//!
//! A routing value is a text there, not bytes. In bytes that are not UTF-8 each broken sequence counts
//! as one U+FFFD.
//!
//! Source: Elasticsearch, `org.elasticsearch.cluster.routing.Murmur3HashFunction`, which calls
//! Lucene's `StringHelper.murmurhash3_x86_32`.

use alloc::borrow::Cow;

use super::utf16::units;
use super::{KeyHash, Murmur3X86_32State, Width};

/// MurmurHash3 x86_32 over the UTF-16 of a UTF-8 text.
///
/// ```
/// use clockwise::hash::{KeyHash, Murmur3Utf16};
///
/// // As the signed number that Elasticsearch has.
/// assert_eq!(Murmur3Utf16.hash(b"00") as u32 as i32, -929339614);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Murmur3Utf16;

impl KeyHash for Murmur3Utf16 {
    fn width(&self) -> Width {
        Width::Bits32
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        let mut state = Murmur3X86_32State::new(0);
        state.extend(units(bytes).flat_map(u16::to_le_bytes));
        state.finish().into()
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("murmur3-x86-32-utf16")
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::String;
    use alloc::vec::Vec;

    use super::*;
    use crate::hash::murmur3_x86_32;
    use crate::hash::testing::{byte_strings, config};
    use proptest::prelude::*;

    fn plainly(text: &str) -> u64 {
        let units: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        murmur3_x86_32(&units, 0).into()
    }

    #[test]
    fn a_sign_of_two_units_counts_as_two() {
        for text in ["", "a", "ab", "abc", "é", "日本語", "🦀", "a🦀", "🦀🦀b"] {
            assert_eq!(Murmur3Utf16.hash(text.as_bytes()), plainly(text), "{text}");
        }
    }

    proptest! {
        #![proptest_config(config())]

        #[test]
        fn agrees_with_the_hash_of_the_units_written_out(bytes in byte_strings()) {
            prop_assert_eq!(Murmur3Utf16.hash(&bytes), plainly(&String::from_utf8_lossy(&bytes)));
        }
    }
}
