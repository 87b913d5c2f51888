//! Thanos Receive: a ring of 1,000 sections a node, or the hash mod the number of nodes.
//!
//! | parameter | ketama | hashmod |
//! |---|---|---|
//! | key hash | XXH64, seed 0, of tenant and labels: [`series`] | the same |
//! | owner | first section `>=` the hash, wrapping | hash mod the number of nodes, sorted by address |
//! | sections of a node | 1,000, whatever its weight | |
//! | position of section *i* | XXH64 of address, `:`, *i* in decimal, *i* from 1 | |
//! | width | 64 bits | |
//! | equal sections | not specified | |
//! | weights | none | none |
//! | replicas | on along the ring, [zones filled evenly](Replication) | the next nodes of the sorted list |
//! | a dead server | nothing changes: its replicas answer | the same |
//!
//! It shares its name alone with ketama: neither the hash nor the labels are those.
//!
//! From source only (`pkg/receive/hashring.go`, 2025); the ring also gives the nodes that Thanos' own
//! test expects. Older versions take the nodes of hashmod in the order of the file. A tenant's shard
//! (shuffle sharding), and which of several rings a tenant has, are not covered.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec::Vec;
use core::fmt;

use super::Placed;
use crate::choice::choice;
use crate::error::{Error, Kind};
use crate::hash::{KeyHash, Xxh64};
use crate::members::Buckets;
use crate::modulo::ModN;
use crate::placement::ServerIx;
use crate::ring::{Boundary, MAX_POINTS, Ring, Tie};
use crate::server::{Server, Zone};

choice! {
    /// `--receive.hashrings-algorithm`, or `algorithm` of a hashring.
    Algorithm, "algorithm" {
        #[default]
        Hashmod = "hashmod",
        Ketama = "ketama",
    }
}

/// How many sections a node has.
const SECTIONS: u32 = 1_000;

/// A hashring's settings. A server's zone is its `az`.
///
/// ```
/// use clockwise::dialect::thanos::{Algorithm, Options, series};
/// use clockwise::{Buckets, Server};
///
/// let nodes = Buckets::new([Server::new("receive-0:10901")?, Server::new("receive-1:10901")?])?;
/// let ring = Options { algorithm: Algorithm::Ketama }.build(&nodes)?;
/// let key = series("tenant-1", [("__name__", "up"), ("job", "api")]);
/// assert_eq!(ring.owner(&key).name().as_str(), "receive-1:10901");
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// How keys are placed.
    pub algorithm: Algorithm,
}

impl Options {
    /// The placement of these nodes. Draining ones are left out, as if they were not listed.
    ///
    /// Refuses a zone beside `hashmod`, as Thanos does, and more than [`MAX_POINTS`] sections.
    pub fn build(&self, nodes: &Buckets) -> Result<Placed<Xxh64>, Error> {
        match self.algorithm {
            Algorithm::Ketama => Ok(Placed::ring(ring(nodes, SECTIONS)?, false)),
            Algorithm::Hashmod => hashmod(nodes),
        }
    }

    /// The nodes that hold each key: `--receive.replication-factor`.
    ///
    /// Refuses no replicas, more of them than nodes, what [`build`](Options::build) refuses, and zones
    /// that Thanos would search without an end: see [`Replication`].
    pub fn replication(&self, nodes: &Buckets, replication_factor: usize) -> Result<Replication, Error> {
        let placed = self.build(nodes)?;
        let have = nodes.active().count();
        if replication_factor == 0 {
            return Err(Error::new(Kind::NoReplicas));
        }
        if replication_factor > have {
            return Err(Error::new(Kind::TooFewServers { wanted: replication_factor, have }));
        }
        if self.algorithm == Algorithm::Ketama {
            let mut sizes: BTreeMap<Option<&Zone>, usize> = BTreeMap::new();
            for (_, node) in nodes.active() {
                *sizes.entry(node.zone()).or_default() += 1;
            }
            // No zone gets two more than the smallest one can hold.
            let most = sizes.values().min().map_or(0, |smallest| smallest + 1);
            let found = sizes.values().map(|&size| size.min(most)).sum();
            if sizes.len() > 1 && replication_factor > found {
                return Err(Error::new(Kind::Option {
                    name: "replication factor",
                    value: format!("{replication_factor}"),
                    problem: "is more than zones of such unequal sizes can hold: Thanos would not end its search",
                }));
            }
        }
        Ok(Replication { placed, replication_factor })
    }
}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("thanos {}", self.algorithm))
    }
}

fn ring(nodes: &Buckets, sections: u32) -> Result<Ring<Xxh64>, Error> {
    let mut points = Vec::new();
    for (ix, node) in nodes.active() {
        let total = points.len() as u64 + u64::from(sections);
        if total > MAX_POINTS {
            let kind = Kind::TooManyPoints { points: total.into(), limit: MAX_POINTS };
            return Err(Error::new(kind).of_server(node.name().as_str()));
        }
        let position = |i: u32| Xxh64.hash(format!("{}:{i}", node.address()).as_bytes());
        points.extend((1..=sections).map(|i| (position(i), ix)));
    }
    Ring::from_points(Xxh64, nodes, points, Boundary::AtOrAfter, Tie::Unspecified)
}

fn hashmod(nodes: &Buckets) -> Result<Placed<Xxh64>, Error> {
    if let Some((_, node, zone)) = nodes.active().find_map(|(ix, node)| Some((ix, node, node.zone()?))) {
        let problem = "stands beside the algorithm hashmod, with which Thanos refuses zones";
        let kind = Kind::Option { name: "zone", value: format!("{:?}", zone.as_str()), problem };
        return Err(Error::new(kind).of_server(node.name().as_str()));
    }
    let mut sorted: Vec<(ServerIx, &Server)> = nodes.active().collect();
    sorted.sort_by_key(|(_, node)| node.address().as_str());
    let table = sorted.into_iter().map(|(ix, _)| ix).collect();
    Ok(Placed::table(ModN::from_table(Xxh64, nodes, table), true))
}

/// The replicas of every key.
///
/// Under `ketama`: on along the sections from the key's, each new node is taken unless its zone has
/// more replicas than the emptiest one; around again where that passes over nodes. Where all nodes of
/// the emptiest zone are taken and another is two ahead of it, Thanos would go around for ever; such
/// settings are refused when built. Nodes without a zone share one.
///
/// Under `hashmod`: the nodes that follow the owner in order of the addresses.
#[derive(Clone, Debug)]
pub struct Replication {
    placed: Placed<Xxh64>,
    replication_factor: usize,
}

impl Replication {
    /// The nodes that hold a key, as many as the replication factor, its owner first.
    pub fn of(&self, key: impl AsRef<[u8]>) -> Vec<ServerIx> {
        let hash = Xxh64.hash(key.as_ref());
        match (self.placed.as_ring(), self.placed.as_table()) {
            (Some(ring), _) => self.along(ring, hash),
            (None, Some(table)) => {
                let table = table.table();
                table.iter().cycle().skip(table.slot_of_hash(hash)).take(self.replication_factor).collect()
            }
            (None, None) => Vec::new(),
        }
    }

    fn along(&self, ring: &Ring<Xxh64>, hash: u64) -> Vec<ServerIx> {
        let zone = |ix: ServerIx| ring.servers()[ix.index()].zone();
        let active = ring.servers().iter().filter(|node| !node.is_draining());
        let mut held: BTreeMap<Option<&Zone>, usize> = active.map(|node| (node.zone(), 0)).collect();
        let mut replicas = Vec::with_capacity(self.replication_factor);
        // Every turn finds a replica: the factor is one that the zones can hold.
        while replicas.len() < self.replication_factor {
            for ix in ring.around(hash) {
                let emptiest = held.values().min().copied().unwrap_or(0);
                let here = held.entry(zone(ix)).or_default();
                if replicas.len() < self.replication_factor && *here <= emptiest && !replicas.contains(&ix) {
                    *here += 1;
                    replicas.push(ix);
                }
            }
        }
        replicas
    }
}

/// The key of a series: the tenant, then the name and the value of each label, each with a byte 0xff
/// behind it. Labels in the order in which they are sent.
///
/// ```
/// use clockwise::dialect::thanos::series;
///
/// assert_eq!(series("t", [("job", "api")]), b"t\xffjob\xffapi\xff");
/// ```
pub fn series<'a>(tenant: &'a str, labels: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<u8> {
    let mut key = Vec::from(tenant);
    key.push(0xff);
    for text in labels.into_iter().flat_map(|(name, value)| [name, value]) {
        key.extend_from_slice(text.as_bytes());
        key.push(0xff);
    }
    key
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;
    use crate::placement::Placement as _;
    use crate::testing::{Random, list, user_keys};

    /// What Thanos' `TestKetamaHashringGet` expects of rings with ten sections a node.
    #[test]
    fn nodes_of_thanos_own_test() {
        let nginx = series("tenant", [("pod", "nginx")]);
        let names = |nodes: &[&str], key: &[u8], replicas: usize| {
            let nodes = list(&nodes.iter().map(|node| (*node, 1)).collect::<Vec<_>>());
            let placed = Placed::ring(ring(&nodes, 10).unwrap(), false);
            let replicas = Replication { placed, replication_factor: replicas }.of(key);
            let name = |ix: &ServerIx| nodes.servers()[ix.index()].name().to_string();
            replicas.iter().map(name).collect::<Vec<_>>()
        };
        let three = ["node-1", "node-2", "node-3"];
        assert_eq!(names(&three, &nginx, 3), ["node-2", "node-1", "node-3"]);
        assert_eq!(names(&["node-1", "node-3", "node-2"], &nginx, 3)[2], "node-3");
        assert_eq!(names(&["node-0", "node-1", "node-2", "node-3"], &nginx, 1), ["node-2"]);
        assert_eq!(names(&["node-1", "node-2", "node-3", "node-4"], &nginx, 1), ["node-2"]);
        assert_eq!(names(&three, &series("tenant", [("pod", "thanos")]), 1), ["node-3"]);
    }

    fn zoned(zones: &[&str]) -> Buckets {
        let node =
            |(i, zone): (usize, &&str)| Server::new(format!("n{i}")).unwrap().with_zone(*zone).unwrap();
        Buckets::new(zones.iter().enumerate().map(node)).unwrap()
    }

    #[test]
    fn zones_are_filled_evenly_and_what_would_not_end_is_refused() {
        let ketama = Options { algorithm: Algorithm::Ketama };
        let mut random = Random(0x7a05);
        let mut refused = 0;
        for _ in 0..60 {
            let zones: Vec<&str> =
                (0..1 + random.below(7)).map(|_| ["x", "y", "z"][random.below(3) as usize]).collect();
            let nodes = zoned(&zones);
            let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
            zones.iter().for_each(|zone| *sizes.entry(zone).or_default() += 1);
            for factor in 1..=zones.len() {
                // One zone at a time gets a replica, the emptiest first, until one is used up.
                let mut held: BTreeMap<&str, usize> = sizes.keys().map(|zone| (*zone, 0)).collect();
                let mut possible = true;
                for _ in 0..factor {
                    let least = held.values().min().copied().unwrap();
                    let open = |(zone, held): &(&&str, &mut usize)| **held == least && **held < sizes[**zone];
                    match held.iter_mut().find(open) {
                        Some((_, held)) => *held += 1,
                        None => possible = false,
                    }
                }
                match ketama.replication(&nodes, factor) {
                    Ok(replication) => {
                        assert!(possible || sizes.len() == 1, "{zones:?} {factor}");
                        for key in user_keys(10) {
                            let replicas = replication.of(&key);
                            assert_eq!(replicas.len(), factor);
                            let in_zone =
                                |zone| replicas.iter().filter(|ix| zones[ix.index()] == zone).count();
                            let counts: Vec<usize> = sizes.keys().map(|zone| in_zone(*zone)).collect();
                            assert!(
                                counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 1
                                    || sizes.len() == 1
                            );
                            assert_eq!(replicas[0], replication.placed.owner_ix(&key));
                        }
                    }
                    Err(error) => {
                        assert!(!possible && error.is_parameter(), "{zones:?} {factor}: {error}");
                        refused += 1;
                    }
                }
            }
        }
        assert!(refused > 10, "{refused}");
    }

    #[test]
    fn hashmod_goes_by_the_sorted_addresses_and_knows_no_zones() {
        let nodes = list(&[("c", 1), ("a", 5), ("b", 1)]);
        let placed = Options::default().build(&nodes).unwrap();
        let replication = Options::default().replication(&nodes, 3).unwrap();
        for key in user_keys(200) {
            let at = Xxh64.hash(key.as_bytes()) % 3;
            let name = |at: u64| ["a", "b", "c"][(at % 3) as usize];
            assert_eq!(placed.owner(&key).name().as_str(), name(at));
            let replicas = replication.of(&key);
            let names: Vec<&str> =
                replicas.iter().map(|ix| nodes.servers()[ix.index()].name().as_str()).collect();
            assert_eq!(names, [name(at), name(at + 1), name(at + 2)]);
        }
        assert!(!placed.depends_on_order());
        let error = Options::default().build(&zoned(&["x"])).unwrap_err();
        assert!(error.is_parameter());
        assert_eq!(error.server(), Some("n0"));
        assert!(Options::default().replication(&nodes, 4).unwrap_err().is_too_few());
        assert!(Options::default().replication(&nodes, 0).unwrap_err().is_parameter());
    }
}
