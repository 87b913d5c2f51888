//! Envoy: clusters whose `lb_policy` is RING_HASH or MAGLEV.
//!
//! | parameter | RING_HASH | MAGLEV |
//! |---|---|---|
//! | key hash | XXH64 | XXH64 |
//! | owner | first point `>=` the hash, wrapping | slot hash mod table size |
//! | points, turns | by weight in IEEE double: ⌈least weight × minimum size⌉ for the lightest | in round r a host sits out if r × weight is less than (its slots) × (the largest weight), in IEEE double |
//! | position, permutation | XX_HASH (XXH64) or MURMUR_HASH_2 (MurmurHash64A) of the host's key, `_`, number | offset XXH64 mod M, skip XXH64 under seed 1 mod (M − 1) + 1, of the host's key |
//! | key of a host | `address:port` as text; its hostname; or its `hash_key` | the same |
//! | order of hosts | as in the file, or locality by locality: it decides only where the maximum size bites | by key, bytewise |
//! | sizes | 1,024 to 8,388,608 | 65,537; a prime up to 5,000,011 |
//! | width | 64 bits | 64 bits |
//! | equal points, equal keys | not specified | not specified |
//! | an unhealthy host | rebuild without it | the same |
//! | a retry | point after point: [`attempt`] | the hash changed: [`attempt`] |
//!
//! What of a request is hashed is in [`request`]. With a `hash_balance_factor` the load decides too:
//! [`Bounded`].
//!
//! Weights of localities count only with `locality_weighted_lb_config`: then each locality takes its
//! part of the whole, whatever hosts it has left, and shares it out by their weights. An unhealthy host
//! is a draining one here (in panic mode Envoy takes unhealthy hosts too: then none is).
//!
//! The default ring is thin: 50 equal hosts have 21 points each.
//!
//! Checked against Envoy 1.40.0, as a program.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

mod bounded;
pub mod request;
mod twister;

pub use bounded::Bounded;

use super::Placed;
use super::ring_hash::{self, Host};
use crate::choice::choice;
use crate::error::{Error, Kind};
use crate::hash::{KeyHash as _, Murmur64aStd, Xxh64, hash_choice, xxh64};
use crate::maglev::{Maglev, Walk, rounds, table_size};
use crate::members::Buckets;
use crate::placement::ServerIx;
use crate::ring::{Boundary, Ring, Tie};
use crate::server::{Server, ServerName, Zone};

choice! {
    /// The cluster's `lb_policy`, if it is one that hashes.
    Policy, "lb_policy" {
        #[default]
        RingHash = "RING_HASH",
        Maglev = "MAGLEV",
    }
    refused {
        "ROUND_ROBIN" = "places nothing: hosts take turns",
        "LEAST_REQUEST" = "places nothing: the load decides",
        "RANDOM" = "places nothing: every request goes to some host or other",
    }
}

hash_choice! {
    /// `ring_hash_lb_config.hash_function`: the hash of points, never of requests.
    HashFunction {
        #[default]
        XxHash = "XX_HASH" => Xxh64,
        MurmurHash2 = "MURMUR_HASH_2" => Murmur64aStd,
    }
}

/// The largest ring that a cluster may ask for: 8,388,608 points.
pub const MAX_RING_SIZE: u32 = 1 << 23;

/// The largest table: 5,000,011 slots.
pub const MAX_TABLE_SIZE: u64 = 5_000_011;

/// A cluster's settings, as far as they place requests.
///
/// ```
/// use clockwise::dialect::envoy::{Options, Policy};
/// use clockwise::{Buckets, Server};
///
/// let list = Buckets::new([Server::new("10.0.0.1:80")?, Server::new("10.0.0.2:80")?])?;
/// let ring = Options::default().build(&list)?;
/// assert_eq!(ring.as_ring().map(|ring| ring.point_counts()), Some([512, 512].as_slice()));
/// let table = Options { lb_policy: Policy::Maglev, ..Options::default() }.build(&list)?;
/// assert_eq!(table.as_maglev().map(|maglev| maglev.table().len()), Some(65_537));
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The policy.
    pub lb_policy: Policy,
    /// `ring_hash_lb_config.minimum_ring_size`.
    pub minimum_ring_size: u32,
    /// `ring_hash_lb_config.maximum_ring_size`.
    pub maximum_ring_size: u32,
    /// `ring_hash_lb_config.hash_function`.
    pub hash_function: HashFunction,
    /// `maglev_lb_config.table_size`.
    pub table_size: u64,
    /// `consistent_hashing_lb_config.use_hostname_for_hashing`: a host's key is its name, not its
    /// address. Envoy takes it only for hosts that have names (not in clusters of type STATIC).
    pub use_hostname_for_hashing: bool,
    /// The endpoint metadata `envoy.lb` `hash_key`, which goes before name and address.
    pub hash_keys: BTreeMap<ServerName, String>,
    /// `locality_weighted_lb_config`, with the `load_balancing_weight` of each locality that has one.
    /// A locality is a server's zone, written as `region/zone/sub_zone` or in whichever of these parts
    /// the cluster has; one without a weight gets nothing. Without this, localities are no matter.
    pub locality_weights: Option<BTreeMap<Zone, u32>>,
    /// `consistent_hashing_lb_config.hash_balance_factor`, in per cent; 0 is off. A placement does
    /// not look at it: see [`Options::build_bounded`].
    pub hash_balance_factor: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            lb_policy: Policy::RingHash,
            minimum_ring_size: 1024,
            maximum_ring_size: MAX_RING_SIZE,
            hash_function: HashFunction::XxHash,
            table_size: 65_537,
            use_hostname_for_hashing: false,
            hash_keys: BTreeMap::new(),
            locality_weights: None,
            hash_balance_factor: 0,
        }
    }
}

impl Options {
    /// The placement of a cluster's hosts in the order of the file; unhealthy ones are draining.
    ///
    /// Refuses a minimum of 0 or above the maximum, a maximum above [`MAX_RING_SIZE`], a table size
    /// that is not a prime up to [`MAX_TABLE_SIZE`], a sum of weights above 2³² − 1, and localities
    /// of which none has both a weight and a host.
    pub fn build(&self, list: &Buckets) -> Result<Placed<Xxh64>, Error> {
        self.place(list, &self.hosts(list)?)
    }

    /// The placement with `hash_balance_factor`, which asks the load.
    ///
    /// Refuses what [`Options::build`] refuses, and a factor below 100.
    pub fn build_bounded(&self, list: &Buckets) -> Result<Bounded, Error> {
        if self.hash_balance_factor < 100 {
            let value = self.hash_balance_factor.to_string();
            let problem = "is too small: a factor is 100 or more";
            return Err(Error::new(Kind::Option { name: "hash_balance_factor", value, problem }));
        }
        let hosts = self.hosts(list)?;
        Ok(Bounded::new(self.place(list, &hosts)?, &hosts, self.hash_balance_factor))
    }

    fn place(&self, list: &Buckets, hosts: &[Host]) -> Result<Placed<Xxh64>, Error> {
        match self.lb_policy {
            Policy::RingHash => self.ring(list, hosts),
            Policy::Maglev => self.maglev(list, hosts),
        }
    }

    fn host_key(&self, server: &Server) -> String {
        match self.hash_keys.get(server.name()) {
            // An empty one is as good as none.
            Some(key) if !key.is_empty() => key.clone(),
            _ if self.use_hostname_for_hashing => server.name().to_string(),
            _ => server.address().to_string(),
        }
    }

    /// The hosts in order, each with its part of one.
    fn hosts(&self, list: &Buckets) -> Result<Vec<Host>, Error> {
        let key = |server: &Server| self.host_key(server);
        let Some(weights) = &self.locality_weights else {
            return ring_hash::hosts(&list.active().collect::<Vec<_>>(), 1.0, key);
        };
        let sum: u64 = weights.values().map(|&weight| u64::from(weight)).sum();
        let mut localities: Vec<(&Zone, u32)> =
            weights.iter().map(|(zone, &weight)| (zone, weight)).filter(|&(_, weight)| weight > 0).collect();
        localities.sort_by(|(a, _), (b, _)| a.as_str().split('/').cmp(b.as_str().split('/')));
        let mut hosts = Vec::new();
        for (zone, weight) in localities {
            let part = f64::from(weight) / sum as f64;
            let there: Vec<_> = list.active().filter(|(_, server)| server.zone() == Some(zone)).collect();
            hosts.extend(ring_hash::hosts(&there, part, key)?);
        }
        if hosts.is_empty() {
            return Err(Error::new(Kind::Option {
                name: "locality_weights",
                value: format!("of {} localities", weights.len()),
                problem: "leave no host: no locality has both a weight and a host that is up",
            }));
        }
        Ok(hosts)
    }

    fn ring(&self, list: &Buckets, hosts: &[Host]) -> Result<Placed<Xxh64>, Error> {
        let (minimum, maximum) = (self.minimum_ring_size, self.maximum_ring_size);
        let refused = |name, size: u32, problem| {
            Err(Error::new(Kind::Option { name, value: size.to_string(), problem }))
        };
        match maximum {
            0 => return refused("maximum_ring_size", maximum, "is too small: a ring has at least 1 point"),
            _ if maximum > MAX_RING_SIZE => {
                return refused("maximum_ring_size", maximum, "is too large: it ends at 8388608");
            }
            _ if minimum == 0 => {
                return refused("minimum_ring_size", 0, "is too small: a ring has at least 1 point");
            }
            _ if minimum > maximum => {
                return refused("minimum_ring_size", minimum, "is above the maximum_ring_size");
            }
            _ => {}
        }
        let points = ring_hash::points(hosts, minimum, maximum, |label| self.hash_function.hash(label));
        let capped = points.len() >= maximum as usize;
        let ring = Ring::from_points(Xxh64, list, points, Boundary::AtOrAfter, Tie::Unspecified)?;
        // Who gets a point more at the maximum depends on who comes first.
        let depends_on_order = capped || crate::placement::Placement::depends_on_order(&ring);
        Ok(Placed { depends_on_order, scheme: super::Scheme::Ring(ring) })
    }

    fn maglev(&self, list: &Buckets, hosts: &[Host]) -> Result<Placed<Xxh64>, Error> {
        if self.table_size > MAX_TABLE_SIZE {
            let problem = "is too large: Envoy's end at 5000011 slots";
            return Err(Error::new(Kind::TableSize { size: self.table_size, problem }));
        }
        let size = table_size(self.table_size)?;
        let mut hosts: Vec<&Host> = hosts.iter().collect();
        hosts.sort_by(|a, b| a.key.cmp(&b.key));
        let walk = |host: &&Host| {
            let key = host.key.as_bytes();
            (host.ix, Walk::new(xxh64(key, 0), xxh64(key, 1), size))
        };
        let walks = hosts.iter().map(walk).collect();
        let maglev = Maglev::filled(Xxh64, list.shared(), false, size, walks, turns(&hosts).into());
        Ok(Placed::maglev(maglev))
    }
}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("envoy {}", self.lb_policy))
    }
}

/// Turns by weights in double: what a host has is summed up, one largest weight a slot.
fn turns<'a>(hosts: &'a [&'a Host]) -> impl Iterator<Item = u32> + 'a {
    let largest = hosts.iter().map(|host| host.weight).fold(0.0, f64::max);
    let mut targets = alloc::vec![0.0; hosts.len()];
    rounds(hosts.len() as u32, move |at, _| {
        let target = &mut targets[at as usize];
        *target += largest;
        first_round(hosts[at as usize].weight, *target)
    })
}

/// The first round r with r × weight >= target, as doubles multiply.
fn first_round(weight: f64, target: f64) -> u64 {
    let reaches = |round: u64| round as f64 * weight >= target;
    let estimate = target / weight;
    // A table of 2²³ slots is full before: the heaviest host takes one in every round.
    if estimate > 1e12 {
        return u64::MAX >> 1;
    }
    let mut round = (estimate as u64).max(1);
    while !reaches(round) {
        round += 1;
    }
    while round > 1 && reaches(round - 1) {
        round -= 1;
    }
    round
}

/// The host of a request's attempt: 0 is the owner, 1 its first retry.
///
/// On a ring attempts go on point by point, so that two can meet one host; on a table each has a hash
/// of its own. (Envoy passes over hosts that a retry predicate rejects by trying further attempts.)
pub fn attempt(placement: &Placed<Xxh64>, hash: u64, attempt: u64) -> ServerIx {
    match &placement.scheme {
        super::Scheme::Ring(ring) => {
            let mut around = ring.around(hash);
            let step = attempt % around.len() as u64;
            around.nth(step as usize).unwrap_or(ring.owner_of_hash(hash))
        }
        // All ones minus the attempt, plus one: 0 for the owner.
        super::Scheme::Maglev(maglev) => maglev.owner_of_hash(hash ^ attempt.wrapping_neg()),
        super::Scheme::Table(table) => table.owner_of_hash(hash),
    }
}

#[cfg(test)]
mod tests;
