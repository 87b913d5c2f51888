//! Deliberate placement: a cluster grown node by node with Cassandra's allocator, beside one whose
//! nodes draw their tokens at random.

use std::num::NonZeroU32;

use clockwise::dialect::cassandra::{Node, Settings, allocate};
use clockwise::tokens::Allocator;
use clockwise::{Error, FatalLosses, Server, ServerIx};

use super::random::{Random, Stream};
use super::{Kernel, Knob, Measures, Metric, Outcome, Trial, Values, knobs};

pub(super) const KERNEL: Kernel = Kernel {
    name: "allocation",
    about: "tokens by Cassandra's allocator and by chance: how even what the nodes hold is",
    knobs: &[
        Knob { label: "nodes", ..knobs::servers(1, 500) },
        Knob { label: "tokens a node", ..knobs::points(256) },
        Knob { label: "replicas", ..knobs::replicas(5) },
        Knob { name: "racks", label: "racks", values: Values::Whole(1, 10), draws: false },
    ],
    metrics: &[
        Metric { name: "busiest_allocated", label: "busiest ÷ mean, allocated", unit: "" },
        Metric { name: "busiest_random", label: "busiest ÷ mean, random", unit: "" },
        Metric { name: "idlest_allocated", label: "idlest ÷ mean, allocated", unit: "" },
        Metric { name: "idlest_random", label: "idlest ÷ mean, random", unit: "" },
        Metric { name: "fatal_allocated", label: "losses that take some key's quorum, allocated", unit: "%" },
        Metric { name: "fatal_random", label: "losses that take some key's quorum, random", unit: "%" },
    ],
    revision: 1,
    cost: |trial| {
        // The allocator weighs every range of the ring for each token of each node.
        let tokens = trial.setting.number("servers") * trial.setting.number("points");
        60.0 * tokens * tokens + 1_000.0 * tokens
    },
    fits: knobs::any,
    run,
};

fn run(trial: &Trial<'_>, out: &mut Measures) -> Outcome {
    let setting = trial.setting;
    let (servers, racks) = (setting.whole("servers") as u32, setting.whole("racks") as u32);
    let number = |knob| NonZeroU32::new(setting.whole(knob) as u32).unwrap_or(NonZeroU32::MIN);
    let (tokens, replicas) = (number("points"), number("replicas"));
    let settings = Settings { num_tokens: tokens, local_replication_factor: replicas };
    let first = Random::new(trial.seed, Stream::Choices).bits().cast_signed();

    let mut nodes: Vec<Node> = Vec::new();
    for at in 0..servers {
        let server = Server::new(format!("node-{at}"))?.with_zone(format!("rack-{}", at % racks))?;
        let found = allocate(&nodes, &Node::new(server.clone(), "dc", [])?, settings, first)?;
        nodes.push(Node::new(server, "dc", found)?);
    }
    let allocated: Vec<Vec<i64>> = nodes.iter().map(|node| node.tokens().to_vec()).collect();
    let mut random = Random::new(trial.seed, Stream::Points);
    let drawn: Vec<Vec<i64>> =
        (0..servers).map(|_| (0..tokens.get()).map(|_| random.bits().cast_signed()).collect()).collect();

    for (tokens, names) in [(allocated, ALLOCATED), (drawn, RANDOM)] {
        let held = Held::new(&tokens, replicas, racks)?;
        let mean = f64::from(replicas.get().min(servers)) / f64::from(servers);
        let shares = held.ring.shares().into_iter().map(|share| share.as_f64() / mean);
        out.put(names[0], shares.clone().fold(0.0, f64::max));
        out.put(names[1], shares.fold(f64::INFINITY, f64::min));
        if replicas.get() > 1 && replicas.get() <= servers {
            out.put(names[2], 100.0 * held.fatal(servers as usize, replicas.get() as usize)?);
        }
    }
    Ok(())
}

const ALLOCATED: [&str; 3] = ["busiest_allocated", "idlest_allocated", "fatal_allocated"];
const RANDOM: [&str; 3] = ["busiest_random", "idlest_random", "fatal_random"];

/// A ring of tokens, the nodes of which hold replicas in distinct racks, or in distinct nodes where
/// there are fewer racks than replicas.
struct Held {
    ring: Allocator,
    groups: Vec<u32>,
}

impl Held {
    fn new(tokens: &[Vec<i64>], replicas: NonZeroU32, racks: u32) -> Result<Held, Error> {
        let group = |at: u32| if racks >= replicas.get() { at % racks } else { at };
        // One replica is in a group of its own, however many racks there are.
        let groups: Vec<u32> =
            (0..).take(tokens.len()).map(|at| if replicas.get() > 1 { group(at) } else { at }).collect();
        let mut ring = Allocator::new(replicas);
        for (tokens, &group) in tokens.iter().zip(&groups) {
            ring.insert(group, tokens.iter().copied())?;
        }
        Ok(Held { ring, groups })
    }

    /// The chance that a loss of as many nodes as a quorum cannot bear takes some range's quorum.
    fn fatal(&self, servers: usize, replicas: usize) -> Result<f64, Error> {
        let owners: Vec<u32> = self.ring.tokens().map(|(_, unit)| unit).collect();
        let holders = (0..owners.len()).map(|at| {
            let mut seen = Vec::new();
            let mut held = Vec::new();
            for &unit in owners[at..].iter().chain(&owners[..at]) {
                let group = self.groups[unit as usize];
                if held.len() < replicas && !seen.contains(&group) {
                    seen.push(group);
                    held.push(ServerIx::new(unit));
                }
            }
            held
        });
        Ok(FatalLosses::new(servers, replicas / 2 + 1, holders)?.chance().as_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Value::Whole;
    use crate::kernel::fleet;

    fn measured(servers: u64, tokens: u64, replicas: u64, racks: u64) -> super::Measures {
        let whole = |knob, value| (knob, Whole(value));
        let knobs = [
            whole("servers", servers),
            whole("points", tokens),
            whole("replicas", replicas),
            whole("racks", racks),
        ];
        fleet::measured(&KERNEL, &knobs, 5, 1)
    }

    #[test]
    fn what_nodes_hold_is_what_a_walk_to_distinct_racks_finds() {
        let (nodes, tokens) = (9_usize, 4);
        let mut random = Random::new(5, Stream::Points);
        let mut ring: Vec<(i64, usize)> =
            (0..nodes * tokens).map(|at| (random.bits().cast_signed(), at / tokens)).collect();
        ring.sort_unstable();
        for (replicas, racks) in [(1, 1), (1, 3), (3, 1), (3, 3)] {
            let mut held = vec![0.0; nodes];
            for at in 0..ring.len() {
                let before = ring[(at + ring.len() - 1) % ring.len()].0;
                let length = ring[at].0.wrapping_sub(before).cast_unsigned() as f64;
                let mut holders: Vec<usize> = Vec::new();
                for step in 0..ring.len() {
                    let node = ring[(at + step) % ring.len()].1;
                    let apart = |other: &usize| {
                        if racks == 3 && replicas == 3 { other % 3 != node % 3 } else { *other != node }
                    };
                    if holders.len() < replicas && holders.iter().all(apart) {
                        holders.push(node);
                    }
                }
                holders.iter().for_each(|node| held[*node] += length);
            }
            let mean = held.iter().sum::<f64>() / nodes as f64;
            let out = measured(nodes as u64, tokens as u64, replicas as u64, racks);
            for (metric, expected) in [
                ("busiest_random", held.iter().copied().fold(0.0, f64::max) / mean),
                ("idlest_random", held.iter().copied().fold(f64::INFINITY, f64::min) / mean),
            ] {
                assert!(
                    (out.get(metric).unwrap() - expected).abs() < 1e-9,
                    "{metric}, {replicas} replicas, {racks} racks"
                );
            }
        }
    }

    #[test]
    fn chosen_tokens_are_far_more_even_than_drawn_ones() {
        for (replicas, racks) in [(1, 1), (3, 1), (3, 3)] {
            let out = measured(12, 8, replicas, racks);
            let [allocated, random] =
                ["busiest_allocated", "busiest_random"].map(|metric| out.get(metric).unwrap() - 1.0);
            assert!(allocated < random / 2.0, "{replicas} replicas, {racks} racks: {allocated}, {random}");
        }
    }
}
