//! Cassandra: tokens of keys, replicas, and the tokens that its allocator gives out.

use core::num::NonZeroU32;

use clockwise::dialect::cassandra::{Cluster, Node, Strategy};
use clockwise::hash::{CassandraMurmur3, random_token};
use clockwise::tokens::Allocator;
use clockwise::{Server, Zone};
use serde_json::Value;

use crate::record::{Score, bytes, list, number, object, read, text};

fn tokens(value: &Value) -> Vec<i64> {
    let token = |token: &Value| token.as_str().expect("a token").parse().expect("a number");
    value.as_array().expect("tokens").iter().map(token).collect()
}

fn node(node: &Value) -> Node {
    let server = Server::new(text(node, "name")).and_then(|server| server.with_zone(text(node, "rack")));
    Node::new(server.expect("a server"), text(node, "dc"), tokens(&node["tokens"])).expect("a node")
}

fn strategy(placements: &Value) -> Strategy {
    let factor = |factor: &Value| factor.as_u64().expect("a number") as usize;
    match text(placements, "strategy") {
        "SimpleStrategy" => Strategy::Simple(factor(&placements["rf"])),
        _ => Strategy::NetworkTopology(
            object(placements, "rf")
                .iter()
                .map(|(dc, rf)| (Zone::new(dc.as_str()).expect("a name"), factor(rf)))
                .collect(),
        ),
    }
}

#[test]
fn every_recorded_token_and_replica_of_cassandra() {
    let recorded = read("cassandra/cassandra.json");
    let mut score = Score::default();
    for (key, token) in object(&recorded, "murmur3_tokens") {
        let ours = CassandraMurmur3::token(&bytes(key)).to_string();
        score.answer(&token.as_str().expect("a token"), &ours.as_str(), || format!("murmur3 of {key}"));
    }
    for (key, token) in object(&recorded, "random_partitioner_tokens") {
        let ours = random_token(&bytes(key)).to_string();
        score.answer(&token.as_str().expect("a token"), &ours.as_str(), || format!("random of {key}"));
    }
    for fleet in list(&recorded, "fleets") {
        let cluster = Cluster::murmur3(list(fleet, "servers").iter().map(node)).expect("a cluster");
        for placements in list(fleet, "placements") {
            let ran = text(placements, "ran");
            let replication = cluster.replication(&strategy(placements)).expect("a strategy");
            for (key, replicas) in object(placements, "replicas") {
                let index = |index: &Value| index.as_u64().expect("an index") as usize;
                let replicas: Vec<usize> = replicas.as_array().expect("replicas").iter().map(index).collect();
                let key = bytes(key);
                let ours = match ran.starts_with("cassandra-driver") {
                    true => replication.python_driver(&key),
                    false => replication.of(&key),
                };
                let ours: Vec<usize> = ours.iter().map(|ix| ix.index()).collect();
                score.answer(&replicas, &ours, || format!("{key:?} {} {ran}", placements["rf"]));
                if text(placements, "strategy") == "SimpleStrategy" {
                    // The driver ran; the servers' walk is the same one.
                    let servers: Vec<usize> = replication.of(&key).iter().map(|ix| ix.index()).collect();
                    assert_eq!(servers, replicas);
                }
            }
        }
    }
    score.close_as("cassandra", "4.0-rc1 and its Python driver 3.30.1", 9_161);
}

#[test]
fn every_recorded_token_of_cassandras_allocator() {
    let recorded = read("cassandra/token-allocator.json");
    let mut score = Score::default();
    for run in list(&recorded, "runs") {
        let some = |field| NonZeroU32::new(number(run, field) as u32).expect("more than none");
        let start = text(run, "start_token").parse().expect("a token");
        let mut allocator = Allocator::new(some("replicas"));
        let nodes = list(run, "tokens_by_node_in_join_order");
        assert_eq!(nodes.len() as u64, number(run, "nodes"));
        for (node, recorded) in (0..).zip(nodes) {
            let group = match text(run, "groups") {
                "each node its own" => node,
                groups => {
                    node % groups
                        .strip_prefix("node index mod ")
                        .expect("groups")
                        .parse::<u32>()
                        .expect("a number")
                }
            };
            let ours = allocator.join(group, some("num_tokens"), start).expect("tokens");
            let recorded = tokens(recorded);
            assert_eq!(recorded.len(), ours.len());
            for (recorded, ours) in recorded.iter().zip(&ours) {
                score.answer(recorded, ours, || format!("node {node}, {} replicas", run["replicas"]));
            }
        }
        let shares: Vec<f64> = allocator.shares().iter().map(|share| share.as_f64()).collect();
        let busiest =
            shares.iter().copied().fold(0.0, f64::max) / (shares.iter().sum::<f64>() / shares.len() as f64);
        let recorded = run["final_max_over_mean"].as_f64().expect("a number");
        assert!((busiest - recorded).abs() < 1e-6, "{busiest} {recorded}");
    }
    score.close_as("cassandra token allocator", "4.0-rc1", 1_176);
}
