//! gRPC: the `ring_hash` policy of its clients.
//!
//! The ring is [Envoy](super::envoy)'s RING_HASH under XX_HASH, but for three things: sizes have a cap
//! of the client's own, 4,096 unless it is told otherwise, so that larger rings and more skewed weights
//! make another ring here than there; several values of a header are joined with `,` and hashed once;
//! and after a failure the next *other* address on the ring is tried.
//!
//! | parameter | |
//! |---|---|
//! | key hash | XXH64 |
//! | owner | first point `>=` the hash, wrapping |
//! | points of an address | by weight in IEEE double, ⌈least weight × minimum size⌉ for the lightest |
//! | position of point *i* | XXH64 of the address's key, `_`, *i* |
//! | key of an address | `ip:port` as text, or its hash key attribute |
//! | sizes | `min_ring_size` (1,024) and `max_ring_size`, both at most the cap |
//! | width | 64 bits |
//! | equal points | not specified |
//! | an address that fails | the next other address on the ring |
//!
//! An address that is listed several times weighs as often.
//!
//! Checked against gRPC C-core 1.85.3 (Python's grpcio), as a library, with weights made by listing an
//! address several times.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use super::ring_hash;
use crate::error::{Error, Kind};
use crate::hash::{Xxh64, xxh64};
use crate::members::Buckets;
use crate::ring::{Boundary, Ring, Tie};
use crate::server::{Server, ServerName};

/// The policy's settings, and the cap that the channel has.
///
/// ```
/// use clockwise::dialect::grpc::Options;
/// use clockwise::{Buckets, Server};
///
/// let list = Buckets::new([Server::new("10.0.0.1:80")?, Server::new("10.0.0.2:80")?])?;
/// let sizes = Options { min_ring_size: 10_000, max_ring_size: 1 << 23, ..Options::default() };
/// let ring = sizes.build(&list)?;
/// assert_eq!(ring.point_counts(), [2048, 2048]);
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// `min_ring_size`.
    pub min_ring_size: u32,
    /// `max_ring_size`.
    pub max_ring_size: u32,
    /// What both are cut to: the channel's `grpc.lb.ring_hash.ring_size_cap`.
    pub ring_size_cap: u32,
    /// Hash keys of addresses that have one.
    pub hash_keys: BTreeMap<ServerName, String>,
}

impl Default for Options {
    fn default() -> Options {
        Options { min_ring_size: 1024, max_ring_size: 4096, ring_size_cap: 4096, hash_keys: BTreeMap::new() }
    }
}

/// The largest cap: 8,388,608.
const MAX_RING_SIZE: u32 = 1 << 23;

impl Options {
    /// The ring of these addresses in the order of the list; draining ones are left out.
    ///
    /// Refuses sizes of 0, a cap above 8,388,608, a minimum above the maximum, and a sum of weights
    /// above 2³² − 1.
    pub fn build(&self, list: &Buckets) -> Result<Ring<Xxh64>, Error> {
        let refused = |name, size: u32, problem| {
            Err(Error::new(Kind::Option { name, value: size.to_string(), problem }))
        };
        let sizes = [
            ("min_ring_size", self.min_ring_size),
            ("max_ring_size", self.max_ring_size),
            ("ring_size_cap", self.ring_size_cap),
        ];
        for (name, size) in sizes {
            if size == 0 {
                return refused(name, size, "is too small: a ring has at least 1 point");
            }
        }
        if self.ring_size_cap > MAX_RING_SIZE {
            return refused("ring_size_cap", self.ring_size_cap, "is too large: it ends at 8388608");
        }
        if self.min_ring_size > self.max_ring_size {
            return refused("min_ring_size", self.min_ring_size, "is above the max_ring_size");
        }
        let key = |server: &Server| match self.hash_keys.get(server.name()) {
            Some(key) if !key.is_empty() => key.clone(),
            _ => server.address().to_string(),
        };
        let hosts = ring_hash::hosts(&list.active().collect::<Vec<_>>(), 1.0, key)?;
        let [minimum, maximum] =
            [self.min_ring_size, self.max_ring_size].map(|size| size.min(self.ring_size_cap));
        let points = ring_hash::points(&hosts, minimum, maximum, |label| xxh64(label, 0));
        Ring::from_points(Xxh64, list, points, Boundary::AtOrAfter, Tie::Unspecified)
    }
}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad("grpc")
    }
}

/// The hash of a request by the values of one header, in their order: they are joined with `,`.
///
/// ```
/// use clockwise::dialect::grpc::header;
/// use clockwise::hash::xxh64;
///
/// assert_eq!(header(&[b"b", b"a"]), Some(xxh64(b"b,a", 0)));
/// assert_eq!(header(&[]), None);
/// ```
pub fn header(values: &[&[u8]]) -> Option<u64> {
    (!values.is_empty()).then(|| xxh64(&values.join(&b','), 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::envoy;
    use crate::testing::list;

    #[test]
    fn below_the_cap_it_is_envoys_ring_and_above_it_is_not() {
        let fleet = list(&[("10.0.0.1:80", 1), ("10.0.0.2:80", 3), ("10.0.0.3:80", 2)]);
        let there = envoy::Options::default().build(&fleet).unwrap();
        let here = Options::default().build(&fleet).unwrap();
        assert!(here.points().eq(there.as_ring().unwrap().points()));

        let skewed = list(&[("10.0.0.1:80", 1), ("10.0.0.2:80", 9_999)]);
        let there = envoy::Options::default().build(&skewed).unwrap();
        let here = Options::default().build(&skewed).unwrap();
        assert_eq!(there.as_ring().unwrap().point_counts(), [1, 9_999]);
        assert_eq!(here.point_counts(), [1, 4_095]);
    }

    #[test]
    fn sizes_that_make_no_ring_are_refused() {
        let fleet = list(&[("10.0.0.1:80", 1)]);
        let ok = Options::default();
        for wrong in [
            Options { min_ring_size: 0, ..ok.clone() },
            Options { max_ring_size: 1, ..ok.clone() },
            Options { ring_size_cap: 0, ..ok.clone() },
            Options { ring_size_cap: MAX_RING_SIZE + 1, ..ok.clone() },
        ] {
            assert!(wrong.build(&fleet).unwrap_err().is_parameter());
        }
        assert_eq!(ok.build(&fleet).unwrap().point_counts(), [1024]);
    }
}
