//! hashring of npm, and with it most JavaScript clients of memcached.
//!
//! | parameter | value |
//! |---|---|
//! | key hash | the first word of the digest of the key |
//! | owner | first point `>=` the hash, wrapping |
//! | points of a server | 4 × digests (3 × under `hash_ring`): weight ⁄ total × vnode count × servers, rounded down |
//! | rounding | IEEE double, one operation after the other |
//! | position of a point | one of the first words of the digest of the label |
//! | label | the server as written, or its host if its port is the `default port`; `-`, number from 0 |
//! | width | 32 bits |
//! | equal points | the server listed first (Node from 11; before, sorting was not stable) |
//! | a dead server | the library knows of none |
//!
//! A server's text is split at its colons: in `[2001:db8::1]:11211` nothing is a port, so that the
//! `default port` leaves it whole. Text keys are hashed as UTF-8. A count of vnodes for a single
//! server, and digests other than MD5 and SHA-1, are not covered.
//!
//! Checked against hashring 3.2.0 on Node 20.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use super::ketama;
use crate::choice::choice;
use crate::error::Error;
use crate::hash::{Md5Word, Sha1Word, hash_choice, sha1_words};
use crate::members::Buckets;
use crate::placement::ServerIx;
use crate::ring::{Boundary, Ring, Tie};
use crate::server::Server;

hash_choice! {
    /// The digest of keys and labels, by its name in Node's `crypto`.
    Algorithm {
        #[default]
        Md5 = "md5" => Md5Word,
        Sha1 = "sha1" => Sha1Word,
    }
}

choice! {
    /// The option `compatibility`.
    Compatibility, "compatibility" {
        /// : four points a digest, as without the option.
        #[default]
        Ketama = "ketama",
        /// : three points a digest. The boundary stays `>=`, so it is not quite hash_ring.
        HashRing = "hash_ring",
    }
}

/// The arguments that place keys; the default is that of `new HashRing(servers)`.
///
/// ```
/// use clockwise::dialect::npm_hashring::{Compatibility, Options};
/// use clockwise::{Buckets, Server};
///
/// let list = Buckets::new([Server::new("10.0.1.1:11211")?, Server::new("10.0.1.2:11211")?.with_weight(3)?])?;
/// let counts = |options: Options| Ok::<_, clockwise::Error>(options.build(&list)?.point_counts().to_vec());
/// assert_eq!(counts(Options::default())?, [80, 240]);
/// assert_eq!(counts(Options { compatibility: Compatibility::HashRing, ..Options::default() })?, [60, 180]);
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// The second argument.
    pub algorithm: Algorithm,
    /// The option `compatibility`.
    pub compatibility: Compatibility,
    /// The option `default port`: servers of that port are labelled without it.
    pub default_port: Option<u32>,
    /// The option `vnode count`.
    pub vnode_count: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            algorithm: Algorithm::default(),
            compatibility: Compatibility::default(),
            default_port: None,
            vnode_count: 40,
        }
    }
}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("npm-hashring {} {}", self.compatibility, self.algorithm))
    }
}

impl Options {
    /// The placement of servers listed in this order. Draining ones are left out.
    ///
    /// Refuses more than [`MAX_POINTS`](crate::ring::MAX_POINTS) points, and none at all.
    pub fn build(&self, list: &Buckets) -> Result<Ring<Algorithm>, Error> {
        let points = match self.compatibility {
            Compatibility::Ketama => self.points(list, |words| words.map(u64::from))?,
            Compatibility::HashRing => {
                self.points(list, |[first, second, third, _]| [first, second, third].map(u64::from))?
            }
        };
        Ring::from_points(self.algorithm, list, points, Boundary::AtOrAfter, Tie::First)
    }

    fn points<const N: usize>(
        &self,
        list: &Buckets,
        cut: impl Fn([u32; 4]) -> [u64; N],
    ) -> Result<Vec<(u64, ServerIx)>, Error> {
        let (total, servers) = (list.total_weight(), list.active().count());
        let count = |server: &Server| {
            let part = f64::from(server.weight().get()) / total as f64;
            // Cutting a positive number is its floor.
            (part * f64::from(self.vnode_count) * servers as f64) as u32
        };
        let stem = |server: &Server| self.stem(server);
        match self.algorithm {
            Algorithm::Md5 => ketama::md5_points(list, count, stem, cut),
            Algorithm::Sha1 => ketama::points(list, count, stem, |label| cut(sha1_words(label))),
        }
    }

    /// What stands before the number in a server's labels.
    fn stem(&self, server: &Server) -> String {
        let text = server.address().as_str();
        let mut parts = text.split(':');
        let host = parts.next().unwrap_or(text);
        let port = parts.next().and_then(|digits| digits.parse().ok());
        if self.default_port.is_some() && self.default_port == port {
            host.to_string()
        } else {
            text.to_string()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::list;

    #[test]
    fn the_default_port_alone_is_left_out_of_labels() {
        let stem = |default_port, address: &str| {
            let options = Options { default_port, ..Options::default() };
            options.stem(&Server::new("s").unwrap().with_address(address).unwrap())
        };
        assert_eq!(stem(Some(11211), "10.0.0.1:11211"), "10.0.0.1");
        assert_eq!(stem(Some(11211), "10.0.0.1:11212"), "10.0.0.1:11212");
        assert_eq!(stem(Some(11211), "10.0.0.1"), "10.0.0.1");
        assert_eq!(stem(None, "10.0.0.1:11211"), "10.0.0.1:11211");
        assert_eq!(stem(None, "10.0.0.1"), "10.0.0.1");
        assert_eq!(stem(Some(11211), "[2001:db8::1]:11211"), "[2001:db8::1]:11211");
    }

    #[test]
    fn vnodes_set_the_number_of_digests() {
        let servers = list(&[("a:1", 1), ("b:1", 2)]);
        let counts = |vnode_count| {
            let options = Options { vnode_count, ..Options::default() };
            options.build(&servers).map(|ring| ring.point_counts().to_vec())
        };
        assert_eq!(counts(40).unwrap(), [104, 212]);
        assert_eq!(counts(100).unwrap(), [264, 532]);
        assert!(counts(0).unwrap_err().is_parameter());
        assert!(counts(u32::MAX).unwrap_err().is_too_large());
    }
}
