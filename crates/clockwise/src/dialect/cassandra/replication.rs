//! Replication strategies: which nodes hold a key, as the servers say and as the Python driver does.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::ops::ControlFlow;

use super::{Cluster, Turn};
use crate::error::{Error, Kind};
use crate::placement::ServerIx;
use crate::server::Zone;

/// A keyspace's replication strategy.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// SimpleStrategy with this `replication_factor`: the next distinct nodes on the ring.
    Simple(usize),
    /// NetworkTopologyStrategy: so many replicas in each data centre, in racks as distinct as there
    /// are.
    NetworkTopology(BTreeMap<Zone, usize>),
}

/// The replicas of every key of a cluster; made by [`Cluster::replication`].
#[derive(Clone, Debug)]
pub struct Replication<'c, R> {
    cluster: &'c Cluster<R>,
    factor: Factor,
}

#[derive(Clone, Debug)]
enum Factor {
    Simple(usize),
    /// By data centre.
    NetworkTopology(Vec<usize>),
}

impl<'c, R: Turn> Replication<'c, R> {
    pub(super) fn new(cluster: &'c Cluster<R>, strategy: &Strategy) -> Result<Self, Error> {
        let factor = match strategy {
            Strategy::Simple(replicas) => Factor::Simple(*replicas),
            Strategy::NetworkTopology(datacenters) => {
                let mut factors = alloc::vec![0; cluster.datacenters.len()];
                for (name, &replicas) in datacenters {
                    let number = cluster.datacenters.iter().position(|datacenter| datacenter.name == *name);
                    let Some(number) = number else {
                        return Err(Error::new(Kind::Option {
                            name: "data centre",
                            value: alloc::format!("{name:?}"),
                            problem: "has no node with tokens",
                        }));
                    };
                    factors[number] = replicas;
                }
                Factor::NetworkTopology(factors)
            }
        };
        let none = match &factor {
            Factor::Simple(replicas) => *replicas == 0,
            Factor::NetworkTopology(factors) => factors.iter().all(|&replicas| replicas == 0),
        };
        if none { Err(Error::new(Kind::NoReplicas)) } else { Ok(Replication { cluster, factor }) }
    }

    /// The replicas of a key, as the servers place them, in their order: the first is its owner,
    /// unless the owner's data centre has no replicas.
    pub fn of(&self, key: impl AsRef<[u8]>) -> Vec<ServerIx> {
        match &self.factor {
            Factor::Simple(replicas) => self.cluster.ring.preference(key.as_ref(), *replicas),
            Factor::NetworkTopology(factors) => self.network_topology(key.as_ref(), factors),
        }
    }

    /// One walk over the distinct nodes. (A node that is passed over once is so at all its later
    /// tokens: what there is to repeat only becomes less.)
    fn network_topology(&self, key: &[u8], factors: &[usize]) -> Vec<ServerIx> {
        let Cluster { ring, places, datacenters } = self.cluster;
        // Of each data centre: how many to find, and how many of those may share a rack.
        let mut left: Vec<(usize, usize)> = datacenters
            .iter()
            .zip(factors)
            .map(|(datacenter, &factor)| {
                (factor.min(datacenter.nodes), factor.saturating_sub(datacenter.racks))
            })
            .collect();
        let mut open = left.iter().filter(|(missing, _)| *missing > 0).count();
        let (mut replicas, mut racks) = (Vec::new(), Vec::new());
        ring.visit_preference(key, &mut |node| {
            let (datacenter, rack) = places[node.index()];
            let (missing, repeats) = &mut left[datacenter];
            if *missing > 0 {
                let met = racks.contains(&rack);
                if !met || *repeats > 0 {
                    *repeats -= usize::from(met);
                    *missing -= 1;
                    open -= usize::from(*missing == 0);
                    racks.push(rack);
                    replicas.push(node);
                }
            }
            if open > 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        replicas
    }

    /// The replicas of a key as the Python driver 3.30.1 lists them. A node can be in the list twice:
    /// see [the module](super).
    pub fn python_driver(&self, key: impl AsRef<[u8]>) -> Vec<ServerIx> {
        let key = key.as_ref();
        let Cluster { ring, places, datacenters } = self.cluster;
        let turn: Vec<ServerIx> = ring.python_driver_turn(key).collect();
        let mut replicas: Vec<ServerIx> = Vec::new();
        let factors = match &self.factor {
            Factor::Simple(count) => {
                for node in turn {
                    if replicas.len() < *count && !replicas.contains(&node) {
                        replicas.push(node);
                    }
                }
                return replicas;
            }
            Factor::NetworkTopology(factors) => factors,
        };
        for (number, (datacenter, &factor)) in datacenters.iter().zip(factors).enumerate() {
            let (mut missing, mut racks, mut aside) = (factor, Vec::new(), Vec::new());
            for &node in turn.iter().filter(|node| places[node.index()].0 == number) {
                if missing == 0 {
                    break;
                }
                let rack = places[node.index()].1;
                if replicas.contains(&node) {
                    continue;
                }
                if racks.contains(&rack) {
                    if racks.len() < datacenter.racks {
                        aside.push(node);
                        continue;
                    }
                } else {
                    racks.push(rack);
                }
                replicas.push(node);
                missing -= 1;
                if racks.len() == datacenter.racks {
                    let again = aside.len().min(missing);
                    replicas.extend(aside.drain(..).take(again));
                    missing -= again;
                }
            }
        }
        replicas
    }
}
