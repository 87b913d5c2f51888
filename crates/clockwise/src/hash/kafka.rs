//! Hashes by which Kafka's producers choose a partition.
//!
//! | name | function | value | check, of "abc" |
//! |---|---|---|---|
//! | `kafka-murmur2` | MurmurHash2, 32 bits, seed 0x9747b28c | its low 31 bits | `1c94221b` |
//! | `fnv1a-32-absolute` | [FNV-1a](super::Fnv1a32), 32 bits, as a signed number | without its sign | `1a47e90b` |
//!
//! Source: Apache Kafka, `org.apache.kafka.common.utils.Utils` (`murmur2`, `toPositive`) and its
//! test; librdkafka, `rdfnv1a.c`, which follows Sarama; Austin Appleby, `MurmurHash2.cpp` in
//! SMHasher, <https://github.com/aappleby/smhasher>.

use alloc::borrow::Cow;

use super::fnv::fnv1a_32;
use super::murmur2::murmur2;
use super::{KeyHash, Width};

/// MurmurHash2 with Kafka's seed and without its highest bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct KafkaMurmur2;

/// The absolute value of FNV-1a as a signed number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Fnv1a32Absolute;

impl KeyHash for KafkaMurmur2 {
    fn width(&self) -> Width {
        Width::Bits32
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        (murmur2(bytes, 0x9747_b28c) & 0x7fff_ffff).into()
    }
    fn bits(&self) -> u32 {
        31
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("kafka-murmur2")
    }
}

impl KeyHash for Fnv1a32Absolute {
    fn width(&self) -> Width {
        Width::Bits32
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        fnv1a_32(bytes).cast_signed().unsigned_abs().into()
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("fnv1a-32-absolute")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of Kafka's own test of `Utils.murmur2`, whose values are signed numbers.
    #[test]
    fn published_check_values() {
        for (key, signed) in [
            ("21", -973_932_308_i32),
            ("foobar", -790_332_482),
            ("a-little-bit-long-string", -985_981_536),
            ("a-little-bit-longer-string", -1_486_304_829),
            ("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58_897_971),
            ("abc", 479_470_107),
        ] {
            let without_sign = u64::from(signed.cast_unsigned() & 0x7fff_ffff);
            assert_eq!(KafkaMurmur2.hash(key.as_bytes()), without_sign, "{key}");
        }
    }

    #[test]
    fn the_sign_of_fnv_is_dropped_and_its_bits_are_not_cleared() {
        // RFC 9923: FNV-1a of "" is 811c9dc5, and of "foobar" bf9cf968, negative numbers both.
        assert_eq!(Fnv1a32Absolute.hash(b""), 0x7ee3_623b);
        assert_eq!(Fnv1a32Absolute.hash(b"foobar"), 0x4063_0698);
        assert_eq!(Fnv1a32Absolute.hash(b"abc"), 0x1a47_e90b);
    }
}
