//! What a rendezvous recipe is: how a key and a server make a score.

use core::fmt;

use crate::arch::mix;
use crate::error::{Error, Kind};
use crate::hash::{KeyHash, Width, Xxh3, xxh3_64};
use crate::placement::BATCH;
use crate::server::ServerName;

/// Who wins when two servers have one score for a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ties {
    /// The bytewise smaller name.
    SmallerName,
    /// The bytewise larger name.
    LargerName,
}

/// A recipe: how a key and a server's name make a score, the highest of which owns the key.
///
/// Each lookup readies its key once and scores it with every server; each server was readied when
/// the placement was built. A recipe that hashes `name:key` as one text keeps, for the server, the
/// hash's state after `name:`; one that hashes `key|name` readies the key so.
///
/// ```
/// use clockwise::hash::{fmix32, xxh32};
/// use clockwise::rendezvous::Score;
/// use clockwise::{Members, Rendezvous, Server, ServerName};
///
/// struct Mixed;
/// impl Score for Mixed {
///     type Key<'k> = u32;
///     type Server = u32;
///     const BITS: u32 = 32;
///     fn key(&self, key: &[u8]) -> u32 {
///         xxh32(key, 0)
///     }
///     fn server(&self, name: &ServerName) -> u32 {
///         xxh32(name.as_str().as_bytes(), 1)
///     }
///     fn score(&self, key: &u32, server: &u32) -> u64 {
///         fmix32(key ^ server).into()
///     }
/// }
///
/// let members = Members::new([Server::new("a")?, Server::new("b")?])?;
/// let place = Rendezvous::with_score(Mixed, &members)?;
/// assert_eq!(place.owners("user:42", 2).len(), 2);
/// # Ok::<(), clockwise::Error>(())
/// ```
pub trait Score {
    /// A key, made ready for scoring.
    type Key<'k>;
    /// A server, made ready for scoring.
    type Server;

    /// How many bits a score has, 1 to 64; other numbers do not compile.
    const BITS: u32;
    /// Who wins when scores are equal.
    const TIES: Ties = Ties::SmallerName;

    /// Readies a key.
    fn key<'k>(&self, key: &'k [u8]) -> Self::Key<'k>;

    /// Readies a server.
    fn server(&self, name: &ServerName) -> Self::Server;

    /// The score of a server for a key, the same each time: below 2^[`BITS`](Score::BITS). Of larger
    /// ones no order is promised.
    fn score(&self, key: &Self::Key<'_>, server: &Self::Server) -> u64;

    /// Readies many keys, and hands each on in turn.
    #[doc(hidden)]
    #[inline]
    fn keys<'k>(&self, keys: &[&'k [u8]], ready: impl FnMut(Self::Key<'k>)) {
        keys.iter().map(|key| self.key(key)).for_each(ready);
    }

    /// The key as the word of [`Native`], of which several scores are worked out side by side. Of
    /// recipes whose scores are exactly those, and of no others.
    #[doc(hidden)]
    #[inline]
    fn native_key(_: &Self::Key<'_>) -> Option<u64> {
        None
    }

    /// The same of a server.
    #[doc(hidden)]
    #[inline]
    fn native_server(_: &Self::Server) -> Option<u64> {
        None
    }
}

/// The native score, of 32 bits, from a 64-bit key hash and the xxh3-64 of the server's name.
///
/// With k and s the two hashes, `lo` and `hi` their halves, all modulo 2³²:
///
/// ```text
/// x = (k.lo ^ s.lo) × 0x9E3779B1
/// x = (x ^ (x >> 15)) + (k.hi ^ s.hi)
/// x = x × 0x85EBCA77
/// score = x ^ (x >> 16)
/// ```
///
/// Frozen: another score would be another placement.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Native<H = Xxh3>(H);

/// Of the native key hash alone: [`Native::new`] refuses others, which a default could not.
impl Default for Native {
    fn default() -> Native {
        Native(Xxh3)
    }
}

impl<H: KeyHash> Native<H> {
    /// The native score over another hash of keys, which must have 64 bits.
    pub fn new(hash: H) -> Result<Native<H>, Error> {
        match hash.width() {
            Width::Bits64 => Ok(Native(hash)),
            Width::Bits32 => Err(Error::new(Kind::Option {
                name: "key hash",
                value: hash.name().into_owned(),
                problem: "has 32 bits, and the native rendezvous score takes 64",
            })),
        }
    }

    /// The hash of keys.
    pub fn hash(&self) -> &H {
        &self.0
    }
}

impl<H: KeyHash> Score for Native<H> {
    type Key<'k> = u64;
    type Server = u64;
    const BITS: u32 = 32;

    #[inline]
    fn key(&self, key: &[u8]) -> u64 {
        self.0.hash(key)
    }

    #[inline]
    fn keys<'k>(&self, keys: &[&'k [u8]], mut ready: impl FnMut(Self::Key<'k>)) {
        let mut hashes = [0; BATCH];
        for keys in keys.chunks(BATCH) {
            self.0.hash_many(keys, &mut hashes);
            hashes.iter().take(keys.len()).copied().for_each(&mut ready);
        }
    }

    fn server(&self, name: &ServerName) -> u64 {
        xxh3_64(name.as_str().as_bytes(), 0)
    }

    #[inline]
    fn score(&self, key: &u64, server: &u64) -> u64 {
        mix((key ^ server) as u32, ((key ^ server) >> 32) as u32).into()
    }

    #[inline]
    fn native_key(key: &u64) -> Option<u64> {
        Some(*key)
    }

    #[inline]
    fn native_server(server: &u64) -> Option<u64> {
        Some(*server)
    }
}

impl<H: KeyHash> fmt::Debug for Native<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Native({})", self.0.name())
    }
}
