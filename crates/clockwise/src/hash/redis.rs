//! The slot of a key in Redis Cluster and Valkey.
//!
//! | name | value | check |
//! |---|---|---|
//! | `redis-slot` | CRC-16/XMODEM of the part in [braces](HashTag::BRACES), else of the whole key; its low 14 bits: 0 to 16,383 | of "foo:bar" 9094, of "" 0 |
//!
//! Source: the Redis Cluster specification, "Key distribution model" and "Hash tags",
//! <https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/>.

use alloc::borrow::Cow;

use super::{HashTag, KeyHash, Width, crc16_xmodem};

/// A key's slot among the 16,384 of Redis Cluster and Valkey.
///
/// ```
/// use clockwise::hash::{KeyHash, RedisSlot};
///
/// assert_eq!(RedisSlot.hash(b"{user1000}.following"), 3443);
/// assert_eq!(RedisSlot.hash(b"{user1000}.followers"), 3443);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RedisSlot;

impl RedisSlot {
    /// How many slots there are.
    pub const SLOTS: u32 = 1 << 14;
}

impl KeyHash for RedisSlot {
    fn width(&self) -> Width {
        Width::Bits32
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        u64::from(crc16_xmodem(HashTag::BRACES.part(bytes))) % u64::from(RedisSlot::SLOTS)
    }
    fn bits(&self) -> u32 {
        14
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("redis-slot")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_those_that_a_server_said() {
        // CLUSTER KEYSLOT of redis 7.0.15.
        for (key, slot) in [
            (&b""[..], 0),
            (b"a", 15495),
            (b"b", 3300),
            (b"key", 12539),
            (b"Key", 13885),
            (b"key x", 12116),
            (b"a\tb", 6695),
            (b"foo:bar", 9094),
            (b"{user1000}.following", 3443),
            (b"{user1000}.followers", 3443),
            (b"{}{foo}", 2263),
            (b"foo{{bar}}zap", 4015),
            (b"foo{bar}{zap}", 5061),
            (b"foo{}{bar}", 8363),
            (b"{}", 15257),
            (b"{", 4092),
            (b"}", 12090),
            (b"a{b", 13340),
            (b"{a}", 15495),
            (b"k\0v", 13771),
            (b"caf\xc3\xa9", 5735),
            (b"cafe\xcc\x81", 15925),
            (b"7\xff}}B\0\n{A}{\r\x80", 6373),
        ] {
            assert_eq!(RedisSlot.hash(key), slot, "{}", key.escape_ascii());
        }
    }
}
