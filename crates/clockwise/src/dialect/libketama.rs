//! libketama, the C library that the others are named after.
//!
//! | parameter | value |
//! |---|---|
//! | key hash | the first word of MD5 of the key |
//! | owner | first point `>=` the hash, wrapping |
//! | points of a server | 4 × digests: 40 × servers × its part of the total weight, rounded down |
//! | rounding | the part in IEEE single, the product in double, and once to single before the floor |
//! | position of a point | a word of MD5 of the label |
//! | label | the address as the file writes it, port included, `-`, number from 0 |
//! | width | 32 bits |
//! | equal points | not specified: see [`Ring::collisions`] |
//! | a dead server | keep and miss: the file is all it knows |
//!
//! libmemcached's weighted ring is made alike and is another one: libmemcached leaves port 11211
//! out of its labels, and rounds otherwise, so that equal servers get 39 digests in place of 40 in
//! fleets of 61, 122, 237, 244 … here, and of 25, 47, 50, 55 … there.
//!
//! The library keeps 22 bytes of an address with the zero that ends it; a longer one is refused.
//! Its weights are a column called memory.
//!
//! Checked against the library of <https://github.com/RJ/ketama>, commit 18cf9a7 (2014), run on
//! x86-64.

use alloc::string::ToString;
use core::fmt;

use super::ketama;
use crate::error::{Error, Kind};
use crate::hash::Md5Word;
use crate::members::Buckets;
use crate::ring::{Boundary, Ring, Tie};

/// The most bytes of an address.
const MAX_ADDRESS: usize = 21;

/// Nothing can be set: the list of servers is all that the library reads.
///
/// ```
/// use clockwise::dialect::libketama;
/// use clockwise::{Buckets, Server};
///
/// let list = Buckets::new([
///     Server::new("10.0.1.1:11211")?.with_weight(600)?,
///     Server::new("10.0.1.2:11211")?.with_weight(300)?,
/// ])?;
/// let ring = libketama::Options::default().build(&list)?;
/// assert_eq!(ring.point_counts(), [212, 104]);
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Options {}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad("libketama")
    }
}

impl Options {
    /// The placement of servers that the file lists in this order. Draining ones are left out.
    ///
    /// Refuses addresses of more than 21 bytes, and more than
    /// [`MAX_POINTS`](crate::ring::MAX_POINTS) points.
    pub fn build(&self, list: &Buckets) -> Result<Ring<Md5Word>, Error> {
        for (_, server) in list.active() {
            let address = server.address().as_str();
            if address.len() > MAX_ADDRESS {
                return Err(Error::new(Kind::Address {
                    value: address.to_string(),
                    problem: "is too long for libketama, which has room for 21 bytes",
                })
                .of_server(server.name().as_str()));
            }
        }
        let (total, servers) = (list.total_weight(), list.active().count());
        let points = ketama::md5_points(
            list,
            |server| digests(server.weight().get(), total, servers),
            |server| server.address().to_string(),
            |words| words.map(u64::from),
        )?;
        Ring::from_points(Md5Word, list, points, Boundary::AtOrAfter, Tie::Unspecified)
    }
}

/// Digests of a server of this weight, among so many servers of this total weight.
fn digests(weight: u32, total: u64, servers: usize) -> u32 {
    let part = weight as f32 / total as f32;
    let exact = f64::from(part) * 40.0 * f64::from(servers as f32);
    // Cutting a positive number is its floor.
    exact as f32 as u32
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::vec::Vec;

    use super::*;
    use crate::hash::md5_words;
    use crate::testing::list;

    #[test]
    fn equal_servers_have_40_digests_except_where_the_part_falls_short() {
        let short: Vec<u64> = (1..=1000).filter(|&n| digests(1, n, n as usize) != 40).collect();
        assert_eq!(short, [61, 122, 237, 244, 474, 488, 933, 948, 951, 953, 976]);
        assert!(short.iter().all(|&n| digests(1, n, n as usize) == 39));
    }

    #[test]
    fn an_address_that_does_not_fit_is_refused() {
        let fits = "2001:db8:0:1::a:11212";
        let ring = Options::default().build(&list(&[(fits, 1)])).unwrap();
        let first = md5_words(format!("{fits}-0").as_bytes())[0];
        assert!(ring.points().any(|(position, _)| position == u64::from(first)));
        let error =
            Options::default().build(&list(&[("cache-1.example:11211", 1), ("cache-10.example:11211", 1)]));
        let error = error.unwrap_err();
        assert!(error.is_text());
        assert_eq!(error.server(), Some("cache-10.example:11211"));
    }
}
