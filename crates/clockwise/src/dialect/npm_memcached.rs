//! memcached of npm, which places keys by [`npm_hashring`].
//!
//! | option | what it sets of [`npm_hashring`] |
//! |---|---|
//! | `algorithm` | the digest |
//! | `compatibility: 'ketama'`, the default | port 11211 is left out of labels |
//! | `compatibility: 'hash_ring'` | three points a digest, and no default port |
//!
//! A key of more than 250 characters is sent as its MD5, and placed by the text it was. A `namespace` is
//! hashed with the key: it is a [prefix](crate::Prefixed).
//!
//! Checked against memcached 2.2.2 with hashring 3.2.0 on Node 20.

use alloc::format;
use core::fmt;

use super::npm_hashring::{self, Algorithm, Compatibility};
use crate::error::Error;
use crate::members::Buckets;
use crate::ring::Ring;

/// A client's options, as far as they place keys; the default is that of `new Memcached(servers)`.
///
/// ```
/// use clockwise::dialect::npm_memcached;
///
/// assert_eq!(npm_memcached::Options::default().as_hashring().default_port, Some(11211));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// The option `algorithm`.
    pub algorithm: Algorithm,
    /// The option `compatibility`.
    pub compatibility: Compatibility,
}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("npm-memcached {} {}", self.compatibility, self.algorithm))
    }
}

impl Options {
    /// What they are in hashring.
    pub fn as_hashring(&self) -> npm_hashring::Options {
        npm_hashring::Options {
            algorithm: self.algorithm,
            compatibility: self.compatibility,
            default_port: (self.compatibility == Compatibility::Ketama).then_some(11211),
            ..npm_hashring::Options::default()
        }
    }

    /// The placement of servers listed in this order: see [`npm_hashring::Options::build`].
    pub fn build(&self, list: &Buckets) -> Result<Ring<Algorithm>, Error> {
        self.as_hashring().build(list)
    }
}
