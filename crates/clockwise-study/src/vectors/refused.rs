//! Pools that must be refused: what is wrong in each is one thing.

use serde_json::{Map, Value, json};

use super::model::ServerEntry;
use super::pool::fields;
use super::systems::{settings, weighted};

/// Settings and servers as they stand in a file.
type Refused = (Map<String, Value>, Vec<Map<String, Value>>);

/// The pools that a system refuses.
pub(super) fn of(what: &str, name: &str) -> Vec<Refused> {
    let three = || weighted(what, &[1, 1, 1]).iter().map(fields).collect::<Vec<_>>();
    let with = |value: Value| (settings(value), three());
    let of_servers = |value: Value| match serde_json::from_value(value) {
        Ok(servers) => (Map::new(), servers),
        Err(_) => (Map::new(), Vec::new()),
    };
    let weights = |weights: &[u32]| (Map::new(), weighted(what, weights).iter().map(fields).collect());
    let named = |entries: Vec<ServerEntry>| (Map::new(), entries.iter().map(fields).collect());
    let mut refused = vec![
        of_servers(json!([])),
        of_servers(json!([{"name": "a"}, {"name": "b"}, {"name": "a"}])),
        of_servers(json!([{"name": "a", "state": "draining"}])),
        with(json!({"no_such_setting": 1})),
    ];
    // What is no server is none to anybody: once is enough.
    if name == "ring" {
        refused.extend([
            of_servers(json!([{"name": ""}])),
            of_servers(json!([{"name": "a\nb"}])),
            of_servers(json!([{"weight": 1}])),
            of_servers(json!([{"name": "a", "wieght": 1}])),
            of_servers(json!([{"name": "a", "state": "down"}])),
        ]);
        let wrong = [
            json!(0),
            json!(-1),
            json!(0.5),
            json!(4_294_967_296_u64),
            json!("3"),
            json!("0x10"),
            json!(true),
        ];
        refused.extend(wrong.map(|weight| of_servers(json!([{"name": "a", "weight": weight}]))));
    }
    refused.extend(match name {
        "ring" => vec![
            with(json!({"points_per_weight": 0})),
            with(json!({"points_per_weight": -1})),
            with(json!({"hash": "md4"})),
            weights(&[1, 200_000]),
        ],
        "mod-n" | "jump" => vec![weights(&[1, 16_777_216])],
        "rendezvous" | "jump-back" | "flip" => vec![weights(&[1, 16_777_216])],
        "anchor" | "dx" => vec![
            with(json!({"capacity": 0})),
            with(json!({"capacity": 2})),
            with(json!({"capacity": 16_777_217})),
            weights(&[1, 2]),
        ],
        "memento" | "skeleton" => vec![with(json!({"capacity": 16})), weights(&[1, 2])],
        "multi-probe" => vec![
            with(json!({"probes": 0})),
            with(json!({"probes": 1025})),
            with(json!({"points_per_weight": 2})),
            weights(&[1, 16_777_216]),
        ],
        "maglev" => vec![
            with(json!({"table_size": 1})),
            with(json!({"table_size": 2})),
            with(json!({"table_size": 65_536})),
            with(json!({"table_size": 16_777_259})),
        ],
        "slots" => {
            vec![with(json!({"slots": 0})), with(json!({"slots": 2})), with(json!({"slots": 16_777_217}))]
        }
        "bounded" => vec![
            with(json!({"epsilon": -0.25})),
            with(json!({"epsilon": "inf"})),
            with(json!({"epsilon": "NaN"})),
            with(json!({"points_per_weight": 0})),
        ],
        "envoy" => vec![
            with(json!({"minimum_ring_size": 0})),
            with(json!({"minimum_ring_size": 2048, "maximum_ring_size": 1024})),
            with(json!({"lb_policy": "MAGLEV", "table_size": 65_536})),
            with(json!({"locality_weights": {"eu": 1}})),
        ],
        "grpc" => vec![with(json!({"min_ring_size": 0}))],
        "haproxy" => vec![
            weights(&[1, 257]),
            with(json!({"hash_type": "consistent", "ids": {"cache-1": 1, "cache-2": 1}})),
            with(json!({"hash_type": "consistent", "ids": {"cache-1": 0}})),
            with(json!({"hash_type": "consistent", "hash_key": "guid"})),
            with(json!({"hash_type": "sorted"})),
        ],
        "cassandra" => vec![
            (Map::new(), three()),
            with(json!({"tokens": {"cache-1": ["17"], "cache-2": ["17"]}})),
            with(json!({"tokens": {"cache-1": ["17.5"]}})),
            with(json!({"partitioner": "ByteOrderedPartitioner", "tokens": {"cache-1": ["17"]}})),
        ],
        "couchbase" => vec![
            with(json!({"num_vbuckets": 64, "vbucket_map": {"cache-1": "0-62"}})),
            with(json!({"num_vbuckets": 0})),
        ],
        "dskit" => vec![(Map::new(), three()), with(json!({"tokens": {"cache-1": [4_294_967_296_u64]}}))],
        "redis-cluster" => vec![
            weights(&[1, 1]),
            with(json!({"slots": {"cache-1": "0-99"}})),
            with(json!({"slots": {"cache-1": "0-16383", "cache-2": "5"}})),
            with(json!({"slots": {"cache-1": "9-5"}})),
        ],
        "kafka" => vec![with(json!({"partitioner": "random"}))],
        "libketama" => vec![named(weighted_names(&["a-long-name.example.com:11211"]))],
        "libmemcached" | "php-memcached" => vec![with(json!({"distribution": "RANDOM"}))],
        "mcrouter" => vec![
            with(json!({"hash_func": "WeightedCh3", "weights": {"cache-1": 1.5}})),
            with(json!({"hash_func": "Random"})),
        ],
        "pylibmc" => vec![with(json!({"distribution": "random"}))],
        "elasticsearch" => vec![with(json!({"number_of_routing_shards": 4}))],
        "spymemcached" => {
            let ketama = settings(json!({"locator": "KetamaNodeLocator"}));
            let names = |list: &[&str]| weighted_names(list).iter().map(fields).collect::<Vec<_>>();
            vec![(ketama.clone(), names(&["cache-1.example:11211"])), (ketama, names(&["10.0.1.1"]))]
        }
        "trafficserver" => vec![with(json!({"weights": {"cache-1": -1}}))],
        "twemproxy" => vec![
            with(json!({"distribution": "random"})),
            with(json!({"hash": "sha1"})),
            with(json!({"hash_tag": "{"})),
            named(weighted_names(&[
                "a-name-of-more-than-eighty-bytes-which-is-too-long-for-the-buffer-of-twemproxy.example",
            ])),
        ],
        "uhashring" => vec![with(json!({"vnodes": 0}))],
        _ => Vec::new(),
    });
    refused
}

/// Servers that are reached under their own names.
fn weighted_names(names: &[&str]) -> Vec<ServerEntry> {
    let server = |name: &&str| ServerEntry {
        name: (*name).to_owned(),
        address: None,
        weight: 1,
        zone: None,
        state: None,
        removed: None,
    };
    names.iter().map(server).collect()
}
