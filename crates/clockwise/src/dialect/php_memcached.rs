//! PHP Memcached (with a d), which is libmemcached under PHP's options.
//!
//! | option | what it sets of [`libmemcached`] |
//! |---|---|
//! | OPT_DISTRIBUTION | the distribution: DISTRIBUTION_MODULA or DISTRIBUTION_CONSISTENT |
//! | OPT_HASH | the hash |
//! | OPT_LIBKETAMA_COMPATIBLE | the weighted ring, and MD5 as the hash |
//!
//! Everything else is libmemcached's: labels, weights, ties, and that an unweighted ring becomes a
//! weighted one when a server of a weight above 1 is added to it.
//!
//! Options act when they are set. [`Options::hash`] is a hash that was set last: one that is set
//! before OPT_LIBKETAMA_COMPATIBLE is overwritten by it and is no hash here. A distribution set after
//! OPT_LIBKETAMA_COMPATIBLE undoes it; leave that out here.
//!
//! A Unix socket is its path alone in labels if `addServer` added it with no port or the usual one. One of
//! the list of `addServers` has a port of 0 behind it, as libmemcached's own callers have: its address here is
//! `/path:0`.
//!
//! Checked against PHP Memcached 3.2.0 with libmemcached 1.1.4 on PHP 8.2.

use alloc::format;
use core::fmt;

use super::{Placed, libmemcached};
use crate::choice::choice;
use crate::error::Error;
use crate::members::Buckets;

choice! {
    /// Memcached::OPT_DISTRIBUTION, spelled without its prefix DISTRIBUTION_.
    Distribution, "distribution" {
        /// : hash mod the number of servers.
        #[default]
        Modula = "MODULA",
        /// : an unweighted ring.
        Consistent = "CONSISTENT",
    }
    refused {
        "VIRTUAL_BUCKET" = "is not supported: its map of buckets is given at run time, not by a rule",
    }
}

/// A client's options, as far as they place keys; the default is that of a new `Memcached`.
///
/// ```
/// use clockwise::dialect::{libmemcached, php_memcached};
///
/// let compatible = php_memcached::Options { libketama_compatible: true, ..Default::default() };
/// assert_eq!(compatible.as_libmemcached(), libmemcached::Options::ketama_weighted());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// Memcached::OPT_DISTRIBUTION. Without meaning if `libketama_compatible` is set.
    pub distribution: Distribution,
    /// Memcached::OPT_HASH, if it was set, and set last; spelled without its prefix HASH_.
    pub hash: Option<libmemcached::Hash>,
    /// Memcached::OPT_LIBKETAMA_COMPATIBLE.
    pub libketama_compatible: bool,
    /// Whether the distribution was set when the servers were there already: then the unweighted
    /// ring ignores weights.
    pub set_after_servers: bool,
}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.libketama_compatible {
            return f.pad("php-memcached LIBKETAMA_COMPATIBLE");
        }
        f.pad(&format!("php-memcached {}", self.distribution))
    }
}

/// `addServer` adds a Unix socket as a host of the usual port, which labels leave out.
const SOCKET: u16 = 11211;

impl Options {
    /// What they are in libmemcached, but for Unix sockets.
    pub fn as_libmemcached(&self) -> libmemcached::Options {
        let mut options = if self.libketama_compatible {
            libmemcached::Options::ketama_weighted()
        } else {
            libmemcached::Options {
                distribution: match self.distribution {
                    Distribution::Modula => libmemcached::Distribution::Modula,
                    Distribution::Consistent => libmemcached::Distribution::Consistent,
                },
                set_after_servers: self.set_after_servers,
                ..libmemcached::Options::default()
            }
        };
        if let Some(hash) = self.hash {
            options.hash = hash;
        }
        options
    }

    /// The placement of servers added in this order: see [`libmemcached::Options::build`].
    pub fn build(&self, list: &Buckets) -> Result<Placed<libmemcached::Hash>, Error> {
        self.as_libmemcached().build_with(list, SOCKET)
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn a_hash_set_after_libketama_compatible_stays_and_the_ring_does_not_change() {
        let hash = Some(libmemcached::Hash::Murmur);
        let options = Options { libketama_compatible: true, hash, ..Options::default() };
        assert_eq!(
            options.as_libmemcached(),
            libmemcached::Options {
                hash: libmemcached::Hash::Murmur,
                ..libmemcached::Options::ketama_weighted()
            }
        );
    }

    #[test]
    fn libketama_compatible_overrides_the_distribution_and_when_it_was_set() {
        let options = Options {
            libketama_compatible: true,
            distribution: Distribution::Consistent,
            set_after_servers: true,
            ..Options::default()
        };
        assert_eq!(options.as_libmemcached(), libmemcached::Options::ketama_weighted());
    }
    #[test]
    fn a_socket_is_its_address_as_written_in_labels() {
        use crate::hash::md5_words;
        for path in ["/run/a.sock", "/run/a.sock:0"] {
            let servers = crate::testing::list(&[(path, 1), ("10.0.0.1:11212", 1)]);
            let options = Options { libketama_compatible: true, ..Options::default() };
            let client = options.build(&servers).unwrap();
            let ring = client.as_ring().unwrap();
            let found: Vec<u64> =
                ring.points().filter(|(_, ix)| ix.index() == 0).map(|(position, _)| position).collect();
            let labels = (0..40).map(|number| format!("{path}-{number}"));
            let mut points: Vec<u64> =
                labels.flat_map(|label| md5_words(label.as_bytes()).map(u64::from)).collect();
            points.sort_unstable();
            assert_eq!(found, points, "{path}");
        }
    }
}
