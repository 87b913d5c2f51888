//! Clusters: their rings, the rules of racks, and who allocates from whom.

use alloc::collections::BTreeSet;
use alloc::string::String;

use super::*;
use crate::hash::random_token;
use crate::placement::{Measured as _, Share};
use crate::testing::{Random, user_keys};
use crate::tokens::Allocator;

/// A node in rack `r{rack}` of data centre `dc{datacenter}`.
fn node<T>(name: &str, datacenter: u64, rack: u64, tokens: impl IntoIterator<Item = T>) -> Node<T> {
    let server = Server::new(name).unwrap().with_zone(format!("r{rack}").as_str()).unwrap();
    Node::new(server, format!("dc{datacenter}").as_str(), tokens).unwrap()
}

fn zone(name: &str) -> Zone {
    Zone::new(name).unwrap()
}

fn network(factors: &[(&str, usize)]) -> Strategy {
    Strategy::NetworkTopology(factors.iter().map(|&(name, factor)| (zone(name), factor)).collect())
}

/// Up to 12 nodes in two data centres of up to four racks, with up to four tokens each.
fn some_nodes(random: &mut Random) -> Vec<Node> {
    let count = 1 + random.below(12);
    let one = |i| {
        let (datacenter, rack) = (random.below(2), random.below(4));
        let tokens: Vec<i64> = (0..1 + random.below(4)).map(|_| random.next().cast_signed()).collect();
        node(&format!("n{i:02}"), datacenter, rack, tokens)
    };
    (0..count).map(one).collect()
}

/// NetworkTopologyStrategy over all tokens, as its source goes: once around, with nodes again and
/// again.
fn walked(nodes: &[Node], factors: &BTreeMap<Zone, usize>, token: i64) -> Vec<usize> {
    let mut ring: Vec<(i64, usize)> = Vec::new();
    for (at, node) in nodes.iter().enumerate() {
        ring.extend(node.tokens.iter().map(|&token| (token, at)));
    }
    ring.sort_unstable();
    let first = ring.iter().position(|&(end, _)| end >= token).unwrap_or(0);
    let (mut replicas, mut seen) = (Vec::new(), BTreeSet::new());
    let mut left = BTreeMap::new();
    for (name, &factor) in factors {
        let there: Vec<&Node> = nodes.iter().filter(|node| node.datacenter == *name).collect();
        let racks: BTreeSet<Place> = there.iter().map(|node| node.place()).collect();
        left.insert(name.clone(), (factor.min(there.len()), factor as i64 - racks.len() as i64));
    }
    for &(_, at) in ring[first..].iter().chain(&ring[..first]) {
        let Some((missing, repeats)) = left.get_mut(&nodes[at].datacenter) else { continue };
        if *missing == 0 || replicas.contains(&at) {
            continue;
        }
        if !seen.insert(nodes[at].place()) {
            if *repeats <= 0 {
                continue;
            }
            *repeats -= 1;
        }
        *missing -= 1;
        replicas.push(at);
    }
    replicas
}

#[test]
fn network_topology_over_distinct_nodes_is_the_walk_over_all_tokens() {
    let mut random = Random(0xca55);
    for _ in 0..300 {
        let nodes = some_nodes(&mut random);
        let cluster = Cluster::murmur3(nodes.clone()).unwrap();
        let names: BTreeSet<Zone> = nodes.iter().map(|node| node.datacenter.clone()).collect();
        let factors: BTreeMap<Zone, usize> =
            names.into_iter().map(|name| (name, 1 + random.below(5) as usize)).collect();
        let replication = cluster.replication(&Strategy::NetworkTopology(factors.clone())).unwrap();
        for key in user_keys(20) {
            let ours: Vec<usize> = replication.of(&key).iter().map(|ix| ix.index()).collect();
            let token = CassandraMurmur3::token(key.as_bytes());
            assert_eq!(ours, walked(&nodes, &factors, token), "{key} of {nodes:?} by {factors:?}");
        }
    }
}

#[test]
fn the_python_driver_agrees_on_the_set_of_replicas_where_racks_suffice() {
    let mut random = Random(0xca56);
    let mut other_orders = 0;
    for _ in 0..300 {
        let nodes = some_nodes(&mut random);
        let cluster = Cluster::murmur3(nodes.clone()).unwrap();
        let names: BTreeSet<&str> = nodes.iter().map(|node| node.datacenter.as_str()).collect();
        let factors: Vec<(&str, usize)> = names
            .into_iter()
            .map(|name| {
                let there = nodes.iter().filter(|node| node.datacenter.as_str() == name);
                (name, there.map(Node::place).collect::<BTreeSet<_>>().len())
            })
            .collect();
        let replication = cluster.replication(&network(&factors)).unwrap();
        for key in user_keys(20) {
            let (servers, driver) = (replication.of(&key), replication.python_driver(&key));
            other_orders += usize::from(servers != driver);
            let [servers, driver] = [servers, driver].map(BTreeSet::from_iter);
            assert_eq!(servers, driver);
        }
    }
    assert!(other_orders > 100, "{other_orders}");
}

#[test]
fn with_fewer_racks_than_replicas_the_python_driver_can_name_a_node_twice() {
    // Around from the key's token: a of rack 0, b of rack 0 twice, c of rack 1, d of rack 0.
    let around = |token: i64, step: i64| token.wrapping_add(step);
    let token = CassandraMurmur3::token(b"user:1");
    let cluster = Cluster::murmur3([
        node("a", 0, 0, [token]),
        node("b", 0, 0, [around(token, 1), around(token, 2)]),
        node("c", 0, 1, [around(token, 3)]),
        node("d", 0, 0, [around(token, 4)]),
    ])
    .unwrap();
    let replication = cluster.replication(&network(&[("dc0", 4)])).unwrap();
    let names = |list: Vec<ServerIx>| {
        let name = |ix: ServerIx| cluster.ring().servers()[ix.index()].name().to_string();
        list.into_iter().map(name).collect::<Vec<String>>()
    };
    assert_eq!(names(replication.of("user:1")), ["a", "b", "c", "d"]);
    assert_eq!(names(replication.python_driver("user:1")), ["a", "c", "b", "b"]);
}

#[test]
fn more_replicas_than_nodes_are_all_of_them() {
    let cluster = Cluster::murmur3([node("a", 0, 0, [1]), node("b", 0, 0, [2])]).unwrap();
    for strategy in [Strategy::Simple(5), network(&[("dc0", 5)])] {
        assert_eq!(cluster.replication(&strategy).unwrap().of("user:1").len(), 2);
    }
}

#[test]
fn strategies_that_place_nothing_or_elsewhere_are_refused() {
    let cluster = Cluster::murmur3([node("a", 0, 0, [1]), node("b", 1, 0, [])]).unwrap();
    for strategy in [Strategy::Simple(0), network(&[]), network(&[("dc0", 0)])] {
        assert!(cluster.replication(&strategy).unwrap_err().is_parameter());
    }
    for unknown in ["dc1", "dc2"] {
        let error = cluster.replication(&network(&[("dc0", 1), (unknown, 1)])).unwrap_err();
        assert_eq!(format!("{error}"), format!("data centre {unknown:?} has no node with tokens"));
    }
}

#[test]
fn clusters_that_cannot_be_are_refused() {
    let bare = Server::new("a").unwrap();
    let error = Node::<i64>::new(bare, "dc0", []).unwrap_err();
    assert!(error.is_too_few());
    assert_eq!(error.server(), Some("a"));
    let error = Cluster::murmur3([node("a", 0, 0, [1, 7]), node("b", 0, 1, [7])]).unwrap_err();
    assert_eq!(format!("{error}"), "server \"b\": token 7 of \"a\" is there already");
    let error = Cluster::murmur3([node("a", 0, 0, [7, 7])]).unwrap_err();
    assert_eq!(format!("{error}"), "server \"a\": token 7 is there already");
    assert!(Cluster::murmur3([node("a", 0, 0, [])]).unwrap_err().is_parameter());
    assert!(Cluster::murmur3([]).unwrap_err().is_no_servers());
    assert!(Cluster::random([node("a", 0, 0, [])]).unwrap_err().is_parameter());
    let error = Cluster::random([node("a", 0, 0, [1 << 127, (1 << 127) + 1])]).unwrap_err();
    assert!(error.is_parameter());
    assert_eq!(error.server(), Some("a"));
}

#[test]
fn a_node_that_left_has_no_part_in_the_ring() {
    let gone = node("b", 0, 1, [5]);
    let gone = Node { server: gone.server.draining(), ..gone };
    let cluster = Cluster::murmur3([node("a", 0, 0, [1]), gone]).unwrap();
    for key in user_keys(50) {
        assert_eq!(cluster.ring().owner(&key).name().as_str(), "a");
    }
}

#[test]
fn keys_of_the_random_partitioner_belong_to_the_first_token_at_or_after_theirs() {
    let mut random = Random(0xca57);
    let mut tokens: Vec<(u128, usize)> = (0..60)
        .map(|i| ((u128::from(random.next()) << 64 | u128::from(random.next())) >> 1, i % 7))
        .collect();
    // Tokens that differ in their lowest bits only, about a key's own.
    let key_token = random_token(b"user:0");
    tokens.extend([(key_token - 1, 0), (key_token, 1), (key_token + 1, 2), (0, 3), (1 << 127, 4)]);
    let nodes = (0..7).map(|i| {
        let own = tokens.iter().filter(|(_, owner)| *owner == i).map(|(token, _)| *token);
        node(&format!("n{i}"), 0, i as u64 % 3, own)
    });
    let cluster = Cluster::random(nodes).unwrap();
    tokens.sort_unstable();
    for key in user_keys(2_000) {
        let token = random_token(key.as_bytes());
        let owner = tokens.iter().find(|(end, _)| *end >= token).map_or(tokens[0].1, |(_, owner)| *owner);
        assert_eq!(cluster.ring().owner_ix(&key).index(), owner, "{key}");
    }
    assert_eq!(cluster.ring().owner_ix("user:0").index(), 1);
    assert_eq!(cluster.ring().owner_of_token(key_token + 1).index(), 2);
    assert_eq!(cluster.ring().owner_of_token(1 << 127).index(), 4);

    let shares = cluster.ring().shares();
    assert_eq!(Share::new(shares.iter().map(|share| share.part()).sum(), 1 << 127), Share::new(1, 1));
    let replicas = cluster.replication(&network(&[("dc0", 3)])).unwrap().of("user:0");
    assert_eq!(replicas.iter().map(|ix| ix.index()).collect::<Vec<_>>(), [1, 2, replicas[2].index()]);
    assert_eq!(cluster.ring().preference(b"user:0", usize::MAX).len(), 7);
}

#[test]
fn the_only_token_of_a_random_ring_owns_all_of_it() {
    let cluster = Cluster::random([node("a", 0, 0, [5]), node("b", 0, 0, [])]).unwrap();
    assert_eq!(cluster.ring().shares(), [Share::new(1, 1), Share::ZERO]);
}

fn settings(num_tokens: u32, replicas: u32) -> Settings {
    let number = |number| core::num::NonZeroU32::new(number).unwrap();
    Settings { num_tokens: number(num_tokens), local_replication_factor: number(replicas) }
}

/// A data centre grown node by node, node i in rack i mod `racks`.
fn grown(count: u64, racks: u64, settings: Settings) -> Vec<Node> {
    let mut nodes = Vec::new();
    for i in 0..count {
        let joining = node(&format!("n{i}"), 0, i % racks, []);
        let tokens = allocate(&nodes, &joining, settings, 7).unwrap();
        nodes.push(Node { tokens, ..joining });
    }
    nodes
}

#[test]
fn as_many_racks_as_replicas_allocate_each_for_itself() {
    let nodes = grown(9, 3, settings(8, 3));
    // From the second node of a rack on it is as if the rack were alone and had one replica.
    let rack = |i: usize| nodes[i].tokens.iter().copied();
    let mut alone = Allocator::new(core::num::NonZeroU32::MIN);
    for i in [1, 4] {
        alone.insert(0, rack(i)).unwrap();
    }
    let number = core::num::NonZeroU32::new(8).unwrap();
    assert_eq!(alone.join(0, number, 0).unwrap(), nodes[7].tokens);
}

#[test]
fn more_racks_than_replicas_are_groups_and_one_rack_has_none() {
    let replay = |nodes: &[Node], group: &dyn Fn(u32) -> u32| {
        let mut allocator = Allocator::new(core::num::NonZeroU32::new(2).unwrap());
        for (i, node) in (0..).zip(&nodes[..nodes.len() - 1]) {
            allocator.insert(group(i), node.tokens.iter().copied()).unwrap();
        }
        let last = nodes.len() as u32 - 1;
        allocator.join(group(last), core::num::NonZeroU32::new(4).unwrap(), 0).unwrap()
    };
    let three_racks = grown(10, 3, settings(4, 2));
    assert_eq!(replay(&three_racks, &|i| i % 3), three_racks[9].tokens);
    let one_rack = grown(10, 1, settings(4, 2));
    assert_eq!(replay(&one_rack, &|i| i), one_rack[9].tokens);
    assert_ne!(three_racks[9].tokens, one_rack[9].tokens);
}

#[test]
fn more_than_one_rack_and_fewer_than_replicas_are_refused() {
    let nodes = [node("a", 0, 0, [1, 2, 3, 4]), node("b", 0, 1, [5, 6, 7, 8])];
    let error = allocate(&nodes, &node("c", 0, 1, []), settings(4, 3), 0).unwrap_err();
    assert!(error.is_parameter());
    assert_eq!(error.server(), Some("c"));
    // A rack without nodes does not count the others.
    assert!(allocate(&nodes, &node("c", 0, 2, []), settings(4, 3), 0).is_ok());
}

#[test]
fn a_token_of_another_data_centre_is_passed_by() {
    let elsewhere = [node("far", 1, 0, [7, 8])];
    let tokens = allocate(&elsewhere, &node("a", 0, 0, []), settings(4, 3), 7).unwrap();
    let alone = allocate(&[], &node("a", 0, 0, []), settings(4, 3), 7).unwrap();
    let raised: Vec<i64> = alone.iter().map(|&token| if token == 7 { 9 } else { token }).collect();
    assert_eq!(tokens, raised);
}
