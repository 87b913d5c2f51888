//! The tokens that a joining node allocates for itself.
//!
//! | racks K of its data centre (1 if its own has no node yet), replicas R | allocator | over |
//! |---|---|---|
//! | R = 1 | one replica | the data centre |
//! | K = R | one replica | the nodes of its rack |
//! | K > R | R replicas, racks as groups | the data centre |
//! | K = 1 | R replicas, each node a group | the data centre |
//! | 1 < K < R | refused | |
//!
//! A token that a node of another data centre has is raised by 1 until it is free.
//!
//! Source: Apache Cassandra 4.0, `TokenAllocation`; the allocators are [`tokens`](crate::tokens).

use alloc::collections::BTreeSet;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::num::NonZeroU32;

use super::Node;
use crate::error::{Error, Kind};
use crate::server::Zone;
use crate::tokens::Allocator;

/// What of cassandra.yaml decides.
///
/// ```
/// use clockwise::Server;
/// use clockwise::dialect::cassandra::{Node, Settings, allocate};
///
/// let mut nodes: Vec<Node> = Vec::new();
/// for i in 0..12 {
///     let server = Server::new(format!("10.0.0.{i}"))?.with_zone(format!("r{}", i % 3))?;
///     let joining = Node::new(server, "dc1", [])?;
///     let tokens = allocate(&nodes, &joining, Settings::default(), 1_234_567)?;
///     nodes.push(Node::new(joining.server().clone(), "dc1", tokens)?);
/// }
/// assert_eq!(nodes[11].tokens().len(), 16);
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Settings {
    /// `num_tokens`.
    pub num_tokens: NonZeroU32,
    /// `allocate_tokens_for_local_replication_factor`.
    pub local_replication_factor: NonZeroU32,
}

impl Default for Settings {
    /// 16 tokens for 3 replicas, as in the file that comes with 4.0.
    fn default() -> Settings {
        let number = |number: u32| NonZeroU32::MIN.saturating_add(number - 1);
        Settings { num_tokens: number(16), local_replication_factor: number(3) }
    }
}

/// The tokens, ascending, of a node that joins those that are there. Its own tokens are not looked
/// at; `first` is the first token of a ring that has none, which Cassandra draws at random.
///
/// Refuses a data centre with more than one rack and fewer than replicas, as Cassandra does, and what
/// [`Allocator`] refuses. Draining servers have left the ring.
pub fn allocate(nodes: &[Node], joining: &Node, settings: Settings, first: i64) -> Result<Vec<i64>, Error> {
    let there = || nodes.iter().filter(|node| !node.server.is_draining() && !node.tokens.is_empty());
    let local = |node: &&Node| node.datacenter == joining.datacenter;
    let own_rack = joining.server.zone();
    let racks: BTreeSet<Option<&Zone>> = there().filter(local).map(|node| node.server.zone()).collect();
    let racks_then = if racks.contains(&own_rack) { racks.len() } else { 1 };

    let replicas = settings.local_replication_factor;
    let (in_rack_only, by_rack, replicas) = match replicas.get() as usize {
        1 => (false, false, replicas),
        wanted if racks_then == wanted => (true, false, NonZeroU32::MIN),
        wanted if racks_then > wanted => (false, true, replicas),
        _ if racks_then == 1 => (false, false, replicas),
        _ => {
            return Err(Error::new(Kind::Option {
                name: "number of racks",
                value: racks_then.to_string(),
                problem: "is lower than the replication factor and not 1: Cassandra allocates nothing then",
            })
            .of_server(joining.server.name().as_str()));
        }
    };
    let mut allocator = Allocator::new(replicas);
    let racks: Vec<Option<&Zone>> = racks.into_iter().collect();
    // A rack that is not there yet is the one behind them.
    let rack = |zone| racks.iter().position(|rack| *rack == zone).unwrap_or(racks.len()) as u32;
    let mut group = 0;
    let mut next_group = |zone| {
        group += 1;
        if by_rack { rack(zone) } else { group - 1 }
    };
    for node in there().filter(local).filter(|node| !in_rack_only || node.server.zone() == own_rack) {
        let joined = allocator.insert(next_group(node.server.zone()), node.tokens.iter().copied());
        joined.map_err(|error| error.of_server(node.server.name().as_str()))?;
    }
    let found = allocator.join(next_group(own_rack), settings.num_tokens, first);
    let found = found.map_err(|error| error.of_server(joining.server.name().as_str()))?;

    let taken: BTreeSet<i64> = there().flat_map(|node| node.tokens.iter().copied()).collect();
    let free = |token: i64| {
        let mut token = token;
        while taken.contains(&token) {
            token = token.wrapping_add(1);
        }
        token
    };
    let mut tokens: Vec<i64> = found.into_iter().map(free).collect();
    tokens.sort_unstable();
    Ok(tokens)
}
