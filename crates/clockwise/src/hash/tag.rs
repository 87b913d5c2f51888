//! Hash tags: the part of a key, between two marks, that is hashed in its stead.
//!
//! Keys that share the part share a server. Redis, Valkey and twemproxy have one rule; only the
//! marks differ (`{` and `}` unless a twemproxy pool says otherwise).
//!
//! Source: the Redis Cluster specification, "Hash tags",
//! <https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#hash-tags>.

use alloc::format;
use core::fmt;
use core::str::FromStr;

use crate::error::{Error, Kind};

/// The two bytes around the part of a key that counts.
///
/// ```
/// use clockwise::hash::HashTag;
///
/// let part = |key| HashTag::BRACES.part(key);
/// assert_eq!(part(b"{user:42}.cart"), b"user:42");
/// assert_eq!(part(b"plain"), b"plain");
/// // Nothing between the first pair: the whole key, and no second try.
/// assert_eq!(part(b"foo{}{bar}"), b"foo{}{bar}");
/// assert_eq!(part(b"foo{{bar}}zap"), b"{bar");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct HashTag {
    open: u8,
    close: u8,
}

impl HashTag {
    /// `{` and `}`.
    pub const BRACES: HashTag = HashTag::new(b'{', b'}');

    /// Any two bytes; they may be equal.
    pub const fn new(open: u8, close: u8) -> HashTag {
        HashTag { open, close }
    }

    /// The opening and the closing mark.
    pub const fn marks(&self) -> [u8; 2] {
        [self.open, self.close]
    }

    /// The bytes between the first opening mark and the first closing mark after it, or the whole
    /// key if there is no such pair or nothing between.
    pub fn part<'k>(&self, key: &'k [u8]) -> &'k [u8] {
        let mark = |bytes: &[u8], mark| bytes.iter().position(|&byte| byte == mark);
        if let Some(open) = mark(key, self.open) {
            let after = &key[open + 1..];
            if let Some(length @ 1..) = mark(after, self.close) {
                return &after[..length];
            }
        }
        key
    }
}

impl fmt::Display for HashTag {
    /// The two marks, as in a twemproxy file; a byte that is not printable ASCII is escaped.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.open.escape_ascii(), self.close.escape_ascii())
    }
}

impl fmt::Debug for HashTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HashTag({self})")
    }
}

impl FromStr for HashTag {
    type Err = Error;
    /// Reads the two marks of a twemproxy file: exactly two bytes.
    fn from_str(text: &str) -> Result<HashTag, Error> {
        match *text.as_bytes() {
            [open, close] => Ok(HashTag { open, close }),
            _ => Err(Error::new(Kind::Option {
                name: "hash tag",
                value: format!("{text:?}"),
                problem: "is not two bytes, the opening and the closing mark",
            })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_pair_counts_and_only_with_something_between() {
        for (key, part) in [
            ("", ""),
            ("{}", "{}"),
            ("{a}", "a"),
            ("}{a}", "a"),
            ("foo{bar}{zap}", "bar"),
            ("foo{{bar}}zap", "{bar"),
            ("foo{}{bar}", "foo{}{bar}"),
            ("foo{bar", "foo{bar"),
            ("foo}bar{", "foo}bar{"),
            ("{\0}", "\0"),
        ] {
            assert_eq!(HashTag::BRACES.part(key.as_bytes()), part.as_bytes(), "{key:?}");
        }
    }

    #[test]
    fn both_marks_may_be_one_byte() {
        let dollars: HashTag = "$$".parse().unwrap();
        assert_eq!(dollars.marks(), *b"$$");
        assert_eq!(dollars.part(b"a$b$c$d$"), b"b");
        assert_eq!(dollars.part(b"a$$b$c"), b"a$$b$c");
        assert_eq!(dollars.part(b"a$b"), b"a$b");
    }

    #[test]
    fn anything_but_two_bytes_is_refused() {
        for wrong in ["", "{", "{}}", "é{"] {
            assert!(wrong.parse::<HashTag>().unwrap_err().is_parameter(), "{wrong:?}");
        }
    }
}
