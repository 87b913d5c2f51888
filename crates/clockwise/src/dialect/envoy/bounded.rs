//! `hash_balance_factor`: a host that is full leaves its requests to others in a random order, which
//! the hash gives.
//!
//! | | |
//! |---|---|
//! | slots of all | ⌈(requests in flight + 1) × factor ⁄ 100⌉ |
//! | slots of a host | ⌈slots × weight⌉ in IEEE double, at least 1; weights are parts of one |
//! | full | more requests than slots: one that has as many still takes one |
//! | place of a request | the owner; else the first host that is not full, of all hosts shuffled by MT19937 under the low 32 bits of the hash; else the least full one |
//!
//! Numbers of requests are those that one Envoy sees, so that the rule is per proxy and per moment;
//! here it is a function of them.

use alloc::vec::Vec;

use super::twister::Twister;
use crate::dialect::Placed;
use crate::dialect::ring_hash::{Host, ceil};
use crate::hash::Xxh64;
use crate::placement::ServerIx;
use crate::server::Server;

/// A placement whose hosts take a limited part of the requests in flight.
///
/// ```
/// use clockwise::dialect::envoy::{Options, request};
/// use clockwise::{Buckets, Server};
///
/// let list = Buckets::new([Server::new("10.0.0.1:80")?, Server::new("10.0.0.2:80")?])?;
/// let cluster = Options { hash_balance_factor: 125, ..Options::default() }.build_bounded(&list)?;
/// let hash = request::header(&[b"user:42"]).unwrap_or_default();
/// let owner = cluster.choose(hash, &[0, 0], 0);
/// let mut active = [0, 0];
/// active[owner.index()] = 3;
/// // Of ⌈4 × 1.25⌉ = 5 slots each has 3: the owner is not over, and takes a fourth.
/// assert_eq!(cluster.choose(hash, &active, 3), owner);
/// active[owner.index()] = 5;
/// // Of ⌈6 × 1.25⌉ = 8 it has 4.
/// assert_ne!(cluster.choose(hash, &active, 5), owner);
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Bounded {
    placement: Placed<Xxh64>,
    factor: u64,
    /// The hosts in Envoy's order, with their weights.
    hosts: Vec<(ServerIx, f64)>,
    /// The weight of each server of the list; 0 of those that take no part.
    weights: Vec<f64>,
}

impl Bounded {
    pub(super) fn new(placement: Placed<Xxh64>, hosts: &[Host], factor: u32) -> Bounded {
        let mut weights = alloc::vec![0.0; placement.servers().len()];
        for host in hosts {
            weights[host.ix.index()] = host.weight;
        }
        let hosts = hosts.iter().map(|host| (host.ix, host.weight)).collect();
        Bounded { placement, factor: factor.into(), hosts, weights }
    }

    /// The host for a request of this hash, when each host has so many requests (by [`ServerIx`]; a
    /// missing one has none) and the cluster so many in flight, this one not counted.
    ///
    /// Allocates only when the owner is full.
    pub fn choose(&self, hash: u64, active: &[u64], in_flight: u64) -> ServerIx {
        let overload = |ix: ServerIx, weight: f64| {
            active.get(ix.index()).map_or(0.0, |&active| active as f64 / self.slots_of(weight, in_flight))
        };
        let owner = super::attempt(&self.placement, hash, 0);
        let mut least = (overload(owner, self.weights[owner.index()]), owner);
        if least.0 <= 1.0 {
            return owner;
        }
        let mut twister = Twister::new(hash as u32);
        let mut order = self.hosts.clone();
        for at in 0..order.len() {
            let step = twister.below((order.len() - at) as u32) as usize;
            order.swap(at, at + step);
            let (ix, weight) = order[at];
            if ix == owner {
                continue;
            }
            let overload = overload(ix, weight);
            if overload <= 1.0 {
                return ix;
            }
            if overload < least.0 {
                least = (overload, ix);
            }
        }
        least.1
    }

    /// How many requests a host may have while so many are in flight before it is full; with exactly
    /// so many it is not. 0 for one that takes no part.
    pub fn slots(&self, server: ServerIx, in_flight: u64) -> u64 {
        match self.weights.get(server.index()) {
            Some(&weight) if weight > 0.0 => self.slots_of(weight, in_flight) as u64,
            _ => 0,
        }
    }

    fn slots_of(&self, weight: f64, in_flight: u64) -> f64 {
        let all = in_flight.saturating_add(1).saturating_mul(self.factor).saturating_add(99) / 100;
        ceil(all as f64 * weight).max(1.0)
    }

    /// The placement: who owns what while nobody is full.
    pub fn placement(&self) -> &Placed<Xxh64> {
        &self.placement
    }

    /// The hosts, draining ones included.
    pub fn servers(&self) -> &[Server] {
        self.placement.servers()
    }
}
