//! `hash-balance-factor`: a server that is full leaves its requests to the next points.
//!
//! | | |
//! |---|---|
//! | slots of all | ⌈(requests in flight + 1) × factor ⁄ 100⌉ |
//! | slots of a server | weight × ⌊slots ⁄ W⌋, and of the remainder r what ⌊cumulated weight × r ⁄ W⌋ grows by; at least 1 |
//! | full | as many requests as slots, or more |
//! | place of a request | from the nearest point on, point by point clockwise, the first whose server is not full |
//!
//! Weights are those of points (16 for each unit), W their sum, cumulated in the order of the list.
//! Numbers of requests are those that one HAProxy process sees, so that the rule is per process and
//! per moment; here it is a function of them.

use alloc::vec::Vec;

use super::BackendHash;
use crate::hash::KeyHash as _;
use crate::placement::{Placement, ServerIx};
use crate::ring::Ring;
use crate::server::Server;

/// A ring whose servers take a limited part of the requests in flight.
///
/// ```
/// use clockwise::dialect::haproxy::Options;
/// use clockwise::{Buckets, Server};
///
/// let list = Buckets::new([Server::new("s1")?, Server::new("s2")?, Server::new("s3")?])?;
/// let options = Options { hash_type: "consistent".parse()?, hash_balance_factor: 150, ..Options::default() };
/// let backend = options.build_bounded(&list)?;
/// let owner = backend.choose("user:42", &[0, 0, 0], 0);
/// assert_eq!(owner, backend.ring().owner_ix("user:42"));
///
/// let mut in_flight = [1, 1, 1];
/// in_flight[owner.index()] = 4;
/// // Of ⌈7 × 1.5⌉ = 11 slots the owner has 3 or 4.
/// assert_ne!(backend.choose("user:42", &in_flight, 6), owner);
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Bounded {
    ring: Ring<BackendHash>,
    factor: u64,
    /// The weight of each server, and the sum of those before it.
    weights: Vec<(u64, u64)>,
    total: u64,
}

impl Bounded {
    pub(super) fn new(ring: Ring<BackendHash>, factor: u16) -> Bounded {
        let mut total = 0;
        let mut cumulated = |server: &Server| {
            let before = total;
            let weight = 16 * u64::from(server.effective_weight());
            total += weight;
            (weight, before)
        };
        let weights = ring.servers().iter().map(&mut cumulated).collect();
        Bounded { weights, factor: factor.into(), ring, total }
    }

    /// The server for a request, when each server has so many requests (by [`ServerIx`]; a missing
    /// one has none) and the backend so many in flight, this one not counted.
    ///
    /// When all are full, which the sum of the servers' requests exceeding those in flight can bring
    /// about, it is the server of the last point, as in HAProxy.
    pub fn choose(&self, key: impl AsRef<[u8]>, served: &[u64], in_flight: u64) -> ServerIx {
        let hash = self.ring.hash().hash(key.as_ref());
        let is_full =
            |ix: ServerIx| served.get(ix.index()).is_some_and(|&served| served >= self.slots(ix, in_flight));
        let found = self.ring.around(hash).find(|&ix| !is_full(ix));
        found.or_else(|| self.ring.points().last().map(|(_, ix)| ix)).unwrap_or(self.ring.owner_of_hash(hash))
    }

    /// How many requests a server takes while so many are in flight, the next one not counted. 0 for
    /// a draining one.
    pub fn slots(&self, server: ServerIx, in_flight: u64) -> u64 {
        let Some(&(weight @ 1.., before)) = self.weights.get(server.index()) else {
            return 0;
        };
        let wide = u128::from;
        let slots = ((wide(in_flight) + 1) * wide(self.factor)).div_ceil(100);
        let (whole, remainder) = (slots / wide(self.total), slots % wide(self.total));
        let part = |weight: u64| wide(weight) * remainder / wide(self.total);
        let slots = wide(weight) * whole + part(before + weight) - part(before);
        u64::try_from(slots).unwrap_or(u64::MAX).max(1)
    }

    /// The ring: who owns what while nobody is full.
    pub fn ring(&self) -> &Ring<BackendHash> {
        &self.ring
    }

    /// The servers, draining ones included.
    pub fn servers(&self) -> &[Server] {
        Placement::servers(&self.ring)
    }
}
