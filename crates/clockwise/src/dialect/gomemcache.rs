//! gomemcache (`bradfitz/gomemcache`), a Go client.
//!
//! | parameter | value |
//! |---|---|
//! | key hash | CRC-32 of the key's first 256 bytes |
//! | owner | hash mod the number of servers, in the order of the list; weights do not exist |
//! | width | 32 bits |
//! | a dead server | keep and miss |
//!
//! A list that repeats a server gives it more keys; a list here has each server once.
//!
//! Checked against commit 8d39553 (April 2025), run with Go 1.19.

use alloc::borrow::Cow;
use core::fmt;

use crate::error::Error;
use crate::hash::{Crc32, KeyHash, Width};
use crate::members::Buckets;
use crate::modulo::ModN;

/// How much of a key is hashed.
const HASHED: usize = 256;

/// CRC-32 of a key's first 256 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Crc32Of256Bytes;

impl KeyHash for Crc32Of256Bytes {
    fn width(&self) -> Width {
        Width::Bits32
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        Crc32.hash(bytes.get(..HASHED).unwrap_or(bytes))
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("crc32, of 256 bytes")
    }
}

/// Nothing can be set.
///
/// ```
/// use clockwise::dialect::gomemcache;
/// use clockwise::{Buckets, Server};
///
/// let list = Buckets::new([Server::new("a")?, Server::new("b")?, Server::new("c")?])?;
/// let client = gomemcache::Options::default().build(&list)?;
/// assert_eq!(0xcbf4_3926_u32 % 3, 2); // CRC-32 of the text below
/// assert_eq!(client.owner("123456789").name().as_str(), "c");
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Options {}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad("gomemcache")
    }
}

impl Options {
    /// The placement of servers listed in this order. Draining ones are left out.
    pub fn build(&self, list: &Buckets) -> Result<ModN<Crc32Of256Bytes>, Error> {
        Ok(ModN::unweighted(Crc32Of256Bytes, list))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_beyond_256_are_not_hashed() {
        let mut key = alloc::vec![b'k'; 300];
        let long = Crc32Of256Bytes.hash(&key);
        assert_eq!(long, Crc32.hash(&key[..256]));
        key[256] = b'x';
        assert_eq!(Crc32Of256Bytes.hash(&key), long);
        key[255] = b'x';
        assert_ne!(Crc32Of256Bytes.hash(&key), long);
    }
}
