//! Apache Cassandra: a ring of given tokens, and replicas by data centre and rack.
//!
//! | parameter | Murmur3Partitioner | RandomPartitioner |
//! |---|---|---|
//! | token of a key | [`CassandraMurmur3`]: 64 bits, signed | [`random_token`](crate::hash::random_token): 0 to 2¹²⁷ |
//! | tokens of a node | given: drawn, or [allocated](allocate) | given |
//! | owner | the node of the first token `>=` the key's, wrapping | the same |
//! | equal tokens | none: a token belongs to one node | the same |
//! | weights | none: a node with more tokens owns more, one without any nothing | the same |
//! | replicas | [`Strategy`] | the same |
//! | a dead server | nothing changes: its replicas answer | the same |
//!
//! **The circle.** Signed tokens are positions here once 2⁶³ is added: order and distances stay, so
//! the ring of Murmur3Partitioner is a [`Ring`] like any other. Tokens of 127 bits do not fit one of
//! 64, and RandomPartitioner has a ring of its own, [`RandomRing`].
//!
//! **NetworkTopologyStrategy**, as the servers place replicas (3.x and 4.x): one walk over the ring
//! for all data centres together. In each that still needs replicas a node is taken if it is new and
//! its rack is too. A node of a rack that was met is taken at once while the data centre has fewer
//! racks than replicas, as often as racks are missing; otherwise it is passed over for good.
//!
//! **The Python driver** walks otherwise: data centre by data centre, and a node of a rack that was
//! met is put aside until all racks are. Its list is in another order, and where there are more
//! replicas than racks a node that was put aside twice is named twice, so that another is missing
//! ([`Replication::python_driver`]). Its token of the empty key is 0; the servers' is −2⁶³.
//!
//! A partition key of several columns is serialised first: for each its length in two big-endian
//! bytes, its bytes, and a zero. One column is its raw bytes.
//!
//! Checked against the server's classes of 4.0-rc1 on JDK 17 (tokens, NetworkTopologyStrategy, token
//! allocator) and the Python driver 3.30.1 (SimpleStrategy, and its NetworkTopologyStrategy).
//! ScyllaDB has the same tokens and ring for tables without tablets; it was not run.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::fmt;

mod allocate;
mod options;
mod random_ring;
mod replication;
#[cfg(test)]
mod tests;

pub use allocate::{Settings, allocate};
pub use options::{Options, Partitioner, Placed, Token};
pub use random_ring::RandomRing;
pub use replication::{Replication, Strategy};

use crate::error::{Error, Kind};
use crate::hash::{CassandraMurmur3, KeyHash};
use crate::members::Buckets;
use crate::placement::{Ranked, ServerIx};
use crate::ring::{Boundary, MAX_POINTS, Ring, Tie};
use crate::server::{Server, Zone};

/// A node: a server, its data centre, and its tokens. Its rack is the server's zone.
///
/// Tokens are `i64` under Murmur3Partitioner, and `u128` under RandomPartitioner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node<T = i64> {
    server: Server,
    datacenter: Zone,
    tokens: Vec<T>,
}

impl<T> Node<T> {
    /// A node. Refuses a server without a zone: every node is in some rack. Racks of one name in two
    /// data centres are two racks.
    pub fn new<D>(
        server: Server,
        datacenter: D,
        tokens: impl IntoIterator<Item = T>,
    ) -> Result<Node<T>, Error>
    where
        D: TryInto<Zone>,
        Error: From<D::Error>,
    {
        let name = server.name().as_str();
        if server.zone().is_none() {
            return Err(Error::new(Kind::NoZone).of_server(name));
        }
        match datacenter.try_into() {
            Ok(datacenter) => Ok(Node { server, datacenter, tokens: tokens.into_iter().collect() }),
            Err(error) => Err(Error::from(error).of_server(name)),
        }
    }

    /// The server.
    pub fn server(&self) -> &Server {
        &self.server
    }

    /// Its data centre.
    pub fn datacenter(&self) -> &Zone {
        &self.datacenter
    }

    /// Its tokens, as given.
    pub fn tokens(&self) -> &[T] {
        &self.tokens
    }

    /// Where it stands.
    fn place(&self) -> Place {
        Place { datacenter: self.datacenter.clone(), rack: self.server.zone().cloned() }
    }
}

/// A rack of a data centre. Servers that were listed without a rack share one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    datacenter: Zone,
    rack: Option<Zone>,
}

/// A cluster: a ring, and where each node stands.
///
/// ```
/// use clockwise::dialect::cassandra::{Cluster, Node, Strategy};
/// use clockwise::{Placement, Server};
///
/// let node = |name, rack, token: i64| Node::new(Server::new(name)?.with_zone(rack)?, "dc1", [token]);
/// let cluster = Cluster::murmur3([
///     node("10.0.0.1", "r1", -9223372036854775807)?,
///     node("10.0.0.2", "r1", -3074457345618258602)?,
///     node("10.0.0.3", "r2", 3074457345618258603)?,
/// ])?;
/// // The token of "a" is −8839064797231613815.
/// assert_eq!(cluster.ring().owner("a").name().as_str(), "10.0.0.2");
///
/// let strategy = Strategy::NetworkTopology([("dc1".try_into()?, 2)].into());
/// let replicas = cluster.replication(&strategy)?.of("a");
/// assert_eq!(replicas.iter().map(|ix| ix.index()).collect::<Vec<_>>(), [1, 2]); // two racks
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Cluster<R = Ring<CassandraMurmur3>> {
    ring: R,
    /// By server: the number of its data centre and of its rack, of those below.
    places: Vec<(usize, usize)>,
    datacenters: Vec<Datacenter>,
}

/// A data centre, with what of it has tokens. In the order in which they first come on the ring,
/// which is the order in which the Python driver goes through them.
#[derive(Clone, Debug)]
struct Datacenter {
    name: Zone,
    nodes: usize,
    racks: usize,
}

impl Cluster<Ring<CassandraMurmur3>> {
    /// A cluster under Murmur3Partitioner.
    ///
    /// A draining server is one that has left the ring: its tokens are left out. Refuses an empty
    /// cluster, a name that is there twice, a token that two nodes have, no tokens at all, and more
    /// than [`MAX_POINTS`] of them.
    pub fn murmur3(nodes: impl IntoIterator<Item = Node<i64>>) -> Result<Self, Error> {
        let nodes: Vec<Node<i64>> = nodes.into_iter().collect();
        let (list, tokens) = checked(&nodes)?;
        let points = tokens.into_iter().map(|(token, ix)| (CassandraMurmur3::position(token), ix)).collect();
        let ring = Ring::from_points(CassandraMurmur3, &list, points, Boundary::AtOrAfter, Tie::First)?;
        let order: Vec<ServerIx> = ring.points().map(|(_, ix)| ix).collect();
        Ok(Cluster::new(ring, &nodes, order))
    }
}

impl Cluster<RandomRing> {
    /// A cluster under RandomPartitioner. Refuses what [`Cluster::murmur3`] refuses, and a token
    /// above 2¹²⁷.
    pub fn random(nodes: impl IntoIterator<Item = Node<u128>>) -> Result<Self, Error> {
        let nodes: Vec<Node<u128>> = nodes.into_iter().collect();
        let (list, tokens) = checked(&nodes)?;
        let ring = RandomRing::new(&list, tokens)?;
        let order: Vec<ServerIx> = ring.points().map(|(_, ix)| ix).collect();
        Ok(Cluster::new(ring, &nodes, order))
    }
}

impl<R> Cluster<R> {
    fn new<T>(ring: R, nodes: &[Node<T>], order: Vec<ServerIx>) -> Cluster<R> {
        let mut datacenters: Vec<Datacenter> = Vec::new();
        let mut numbers: BTreeMap<Zone, usize> = BTreeMap::new();
        let mut racks: BTreeMap<Place, usize> = BTreeMap::new();
        let mut places = alloc::vec![None; nodes.len()];
        for ix in order {
            let node = &nodes[ix.index()];
            let number = *numbers.entry(node.datacenter.clone()).or_insert(datacenters.len());
            if number == datacenters.len() {
                datacenters.push(Datacenter { name: node.datacenter.clone(), nodes: 0, racks: 0 });
            }
            if places[ix.index()].is_none() {
                let rack = racks.len();
                let rack = *racks.entry(node.place()).or_insert_with(|| {
                    datacenters[number].racks += 1;
                    rack
                });
                datacenters[number].nodes += 1;
                places[ix.index()] = Some((number, rack));
            }
        }
        // Those without tokens are in no walk, and their numbers are never looked at.
        let places = places.into_iter().map(Option::unwrap_or_default).collect();
        Cluster { ring, places, datacenters }
    }

    /// The ring: the placement of keys on their first replicas.
    pub fn ring(&self) -> &R {
        &self.ring
    }
}

impl<R: Turn> Cluster<R> {
    /// Where replicas go under a keyspace's strategy.
    ///
    /// Fewer replicas than asked for are placed where there are fewer nodes, as Cassandra does.
    /// Refuses a data centre that has no node with tokens, and no replicas at all.
    pub fn replication(&self, strategy: &Strategy) -> Result<Replication<'_, R>, Error> {
        Replication::new(self, strategy)
    }
}

/// A ring that can be walked point by point.
pub trait Turn: Ranked {
    /// The node of every point, once around, from the one that a key belongs to.
    fn turn(&self, key: &[u8]) -> impl Iterator<Item = ServerIx>;

    /// The same as the Python driver goes around it.
    fn python_driver_turn(&self, key: &[u8]) -> impl Iterator<Item = ServerIx>;
}

impl Turn for Ring<CassandraMurmur3> {
    fn turn(&self, key: &[u8]) -> impl Iterator<Item = ServerIx> {
        self.around(CassandraMurmur3.hash(key))
    }
    fn python_driver_turn(&self, key: &[u8]) -> impl Iterator<Item = ServerIx> {
        let token = if key.is_empty() { 0 } else { CassandraMurmur3::token(key) };
        self.around(CassandraMurmur3::position(token))
    }
}

/// The servers, and every token of the active ones with its node.
fn checked<T: Copy + Ord + fmt::Display>(nodes: &[Node<T>]) -> Result<(Buckets, Vec<(T, ServerIx)>), Error> {
    let list = Buckets::new(nodes.iter().map(|node| node.server.clone()))?;
    let mut tokens: Vec<(T, ServerIx)> = Vec::new();
    for (ix, server) in list.active() {
        tokens.extend(nodes[ix.index()].tokens.iter().map(|&token| (token, ix)));
        if tokens.len() as u64 > MAX_POINTS {
            let kind = Kind::TooManyPoints { points: tokens.len() as u128, limit: MAX_POINTS };
            return Err(Error::new(kind).of_server(server.name().as_str()));
        }
    }
    tokens.sort_unstable();
    if let Some(pair) = tokens.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        let [first, second] = [pair[0].1, pair[1].1].map(|ix| nodes[ix.index()].server.name());
        let value =
            if first == second { pair[0].0.to_string() } else { format!("{} of {first:?}", pair[0].0) };
        let kind = Kind::Option { name: "token", value, problem: "is there already" };
        return Err(Error::new(kind).of_server(second.as_str()));
    }
    Ok((list, tokens))
}
