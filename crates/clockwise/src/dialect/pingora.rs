//! pingora-ketama: the ring of Cloudflare's Pingora, which is [nginx](super::nginx)'s over addresses.
//!
//! | parameter | |
//! |---|---|
//! | key hash | CRC-32 |
//! | owner | first point `>=` the hash, wrapping |
//! | points of a server | 160 × weight |
//! | position of a point | CRC-32 of IP, 0x00, port, and the point before as 4 little-endian bytes (at first 0) |
//! | IP and port | the IP in its shortest form, IPv6 without brackets; always a port |
//! | width | 32 bits |
//! | equal points | one stays, not specified which: see [`Ring::collisions`] |
//! | a dead server | the next point of another server answers |
//! | order of servers | no matter |
//!
//! It places as nginx does only servers that are written there as IPv4 address and port: nginx takes
//! the text as it stands.
//!
//! Checked against pingora-ketama 0.9.1 with its default, version 1 of the ring, as a library.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::net::SocketAddr;

use super::nginx::chained_points;
use crate::error::{Error, Kind};
use crate::hash::Crc32;
use crate::members::Buckets;
use crate::ring::{Boundary, Ring, Tie};
use crate::server::Server;

/// A ring has no settings.
///
/// ```
/// use clockwise::dialect::pingora::Options;
/// use clockwise::{Buckets, Server};
///
/// let list = Buckets::new([Server::new("10.0.0.1:8080")?, Server::new("[2001:db8::1]:8080")?])?;
/// let ring = Options::default().build(&list)?;
/// assert_eq!(ring.point_counts(), [160, 160]);
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Options {}

impl Options {
    /// The ring of these servers; draining ones have no points.
    ///
    /// Refuses an address that is not an IP address and a port, and more than
    /// [`MAX_POINTS`](crate::ring::MAX_POINTS) points.
    pub fn build(&self, list: &Buckets) -> Result<Ring<Crc32>, Error> {
        let points = chained_points(&list.active().collect::<Vec<_>>(), label)?;
        Ring::from_points(Crc32, list, points, Boundary::AtOrAfter, Tie::OnlyUnspecified)
    }
}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad("pingora")
    }
}

fn label(server: &Server) -> Result<(String, String), Error> {
    let text = server.address().as_str();
    let address: SocketAddr = text.parse().map_err(|_| {
        let problem = "is not an IP address and a port, which pingora hashes";
        Error::new(Kind::Address { value: text.to_string(), problem }).of_server(server.name().as_str())
    })?;
    Ok((address.ip().to_string(), address.port().to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::list;

    #[test]
    fn an_address_is_hashed_in_its_shortest_form_and_a_name_refused() {
        let long = Options::default().build(&list(&[("[2001:0db8:0:0:0:0:0:1]:80", 1)])).unwrap();
        let short = Options::default().build(&list(&[("[2001:db8::1]:80", 1)])).unwrap();
        assert!(long.points().eq(short.points()));
        for wrong in ["cache-1:80", "10.0.0.1", "/run/a.sock"] {
            let error = Options::default().build(&list(&[("10.0.0.1:80", 1), (wrong, 1)])).unwrap_err();
            assert!(error.is_text());
            assert_eq!(error.server(), Some(wrong));
        }
    }

    #[test]
    fn a_dead_server_leaves_its_keys_to_the_next_point_of_another() {
        let all = list(&[("10.0.0.1:80", 1), ("10.0.0.2:80", 2), ("10.0.0.3:80", 1)]);
        let dead = all.replaced(1, all.servers()[1].clone().draining()).unwrap();
        let (before, after) =
            (Options::default().build(&all).unwrap(), Options::default().build(&dead).unwrap());
        assert_eq!(after.point_counts(), [160, 0, 160]);
        for i in 0..1_000 {
            let key = alloc::format!("key-{i}");
            let left = before.owners_ix(&key, 3).find(|ix| ix.index() != 1);
            assert_eq!(Some(after.owner_ix(&key)), left, "{key}");
        }
    }
}
