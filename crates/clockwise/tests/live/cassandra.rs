//! Cassandra's Python driver: tokens of keys, and the replicas it routes to.

use clockwise::dialect::cassandra::{Cluster, Node, Strategy};
use clockwise::hash::{CassandraMurmur3, random_token};
use clockwise::{Server, Zone};
use serde_json::{Value, json};

use crate::draw::Draw;
use crate::library::{ask, hex, version};
use crate::score::Score;

/// A cluster, how its keyspaces are replicated, and keys.
struct Asked {
    nodes: Vec<Node>,
    strategies: Vec<Strategy>,
    keys: Vec<Vec<u8>>,
}

fn drawn(draw: &mut Draw) -> Asked {
    let (datacenters, racks, tokens) = (1 + draw.below(3), 1 + draw.below(4), 1 + draw.below(8));
    let count = datacenters + draw.below(14);
    let node = |number: u64| {
        let (dc, rack) = (format!("dc{}", number % datacenters), format!("r{}", draw.below(racks)));
        let tokens: Vec<i64> = (0..tokens).map(|_| draw.bits().cast_signed()).collect();
        let server = Server::new(format!("n{number}")).and_then(|server| server.with_zone(rack.as_str()));
        Node::new(server.expect("a server"), dc.as_str(), tokens).expect("a node")
    };
    let nodes: Vec<Node> = (0..count).map(node).collect();
    let mut strategies: Vec<Strategy> = (1..=4).map(Strategy::Simple).collect();
    for _ in 0..4 {
        let factor = |dc| (Zone::new(format!("dc{dc}")).expect("a name"), 1 + draw.below(4) as usize);
        strategies.push(Strategy::NetworkTopology((0..datacenters).map(factor).collect()));
    }
    // Of the empty key the driver has another token than the servers.
    let keys = draw.byte_keys(31).into_iter().filter(|key| !key.is_empty()).take(25).collect();
    Asked { nodes, strategies, keys }
}

impl Asked {
    fn question(&self) -> Value {
        let node = |node: &Node| {
            let tokens: Vec<String> = node.tokens().iter().map(ToString::to_string).collect();
            let rack = node.server().zone().map(Zone::as_str);
            json!({ "dc": node.datacenter().as_str(), "rack": rack, "tokens": tokens })
        };
        let strategy = |strategy: &Strategy| match strategy {
            Strategy::Simple(factor) => json!({ "simple": factor }),
            Strategy::NetworkTopology(factors) => {
                let factors: serde_json::Map<String, Value> =
                    factors.iter().map(|(dc, factor)| (dc.as_str().to_owned(), json!(factor))).collect();
                json!({ "datacenters": factors })
            }
        };
        json!({
            "nodes": self.nodes.iter().map(node).collect::<Vec<_>>(),
            "strategies": self.strategies.iter().map(strategy).collect::<Vec<_>>(),
            "keys": self.keys.iter().map(|key| hex(key)).collect::<Vec<_>>(),
        })
    }
}

#[test]
#[ignore = "asks the real driver: cargo xtask live"]
fn the_python_driver_has_the_tokens_and_replicas_we_name() {
    let mut draw = Draw::new(51);
    let keys: Vec<Vec<u8>> = draw.byte_keys(1_001).into_iter().filter(|key| !key.is_empty()).collect();
    let clusters: Vec<Asked> = (0..40).map(|_| drawn(&mut draw)).collect();
    let question = json!({
        "keys": keys.iter().map(|key| hex(key)).collect::<Vec<_>>(),
        "clusters": clusters.iter().map(Asked::question).collect::<Vec<_>>(),
    });
    let Some(answer) = ask("cassandra", "cassandra_driver.py", "cassandra-driver", &question) else { return };
    let mut score = Score::new("cassandra", format!("Python driver {}", version(&answer)));
    for (at, key) in keys.iter().enumerate() {
        let context = |partitioner| move || format!("{partitioner} of {}", key.escape_ascii());
        let tokens = [CassandraMurmur3::token(key).to_string(), random_token(key).to_string()];
        score.answer(&answer["murmur3"][at], &json!(tokens[0]), context("murmur3"));
        score.answer(&answer["md5"][at], &json!(tokens[1]), context("MD5"));
    }
    for (asked, replicas) in clusters.iter().zip(answer["replicas"].as_array().expect("clusters")) {
        let cluster = Cluster::murmur3(asked.nodes.iter().cloned()).expect("a cluster");
        for (strategy, replicas) in asked.strategies.iter().zip(replicas.as_array().expect("strategies")) {
            let replication = cluster.replication(strategy).expect("a strategy");
            for (key, theirs) in asked.keys.iter().zip(replicas.as_array().expect("keys")) {
                let ours: Vec<usize> = replication.python_driver(key).iter().map(|ix| ix.index()).collect();
                score.answer(theirs, &json!(ours), || {
                    format!("{} by {strategy:?} in {}", key.escape_ascii(), asked.question()["nodes"])
                });
            }
        }
    }
    score.close(9_500);
}
