//! The answers of Envoy: rings and tables, localities, hash policies, and choices under load.

use clockwise::dialect::envoy::{Options, Policy, request};
use clockwise::hash::xxh64;
use clockwise::{Buckets, Server, ServerName, Zone};
use serde_json::Value;

use crate::record::{Score, fleet, list, number, owners, read, text};

fn server(server: &Value) -> Result<Server, clockwise::Error> {
    let address = format!("{}:{}", text(server, "host"), number(server, "port"));
    Server::new(text(server, "name"))?.with_address(address)?.with_weight(number(server, "weight"))
}

fn options(config: &Value) -> Options {
    let mut options = Options {
        lb_policy: text(config, "lb_policy").to_uppercase().parse().expect("a policy"),
        use_hostname_for_hashing: config["use_hostname"].as_bool().unwrap_or(false),
        ..Options::default()
    };
    let size = |key: &str| config.get(key).map(|size| size.as_u64().expect("a size"));
    if let Some(size) = size("minimum_ring_size") {
        options.minimum_ring_size = size as u32;
    }
    if let Some(size) = size("maximum_ring_size") {
        options.maximum_ring_size = size as u32;
    }
    if let Some(size) = size("table_size") {
        options.table_size = size;
    }
    if let Some(function) = config.get("hash_function") {
        options.hash_function = function.as_str().expect("a function").parse().expect("a hash function");
    }
    if let Some(factor) = size("hash_balance_factor") {
        options.hash_balance_factor = factor as u32;
    }
    options
}

/// Keys that cannot stand in a header as they are would have been recorded as something else.
fn keys(value: &Value) -> Vec<&str> {
    list(value, "keys").iter().map(|key| key.as_str().expect("a key")).collect()
}

#[test]
fn every_recorded_owner_of_envoy() {
    let file = read("envoy/envoy.json");
    let (keys, fleets) = (keys(&file), list(&file, "fleets"));
    let mut score = Score::default();
    for placement in list(&file, "placements") {
        let config = &placement["config"];
        let servers = fleets[number(placement, "fleet") as usize].as_array().expect("a fleet");
        let mut options = options(config);
        if config["metadata"].as_bool() == Some(true) {
            let key = |server: &Value| -> (ServerName, String) {
                (text(server, "name").parse().expect("a name"), text(server, "hash_key").to_owned())
            };
            options.hash_keys = servers.iter().map(key).collect();
        }
        let cluster = fleet(servers, server);
        let place = options.build(&cluster).expect("a placement");
        let recorded = list(placement, "owners");
        assert_eq!(recorded.len(), keys.len());
        for ((key, owner), ours) in keys.iter().zip(recorded).zip(owners(&place, &keys)) {
            let ours = ours.index() as u64;
            score.answer(owner, &ours.into(), || format!("{} {config}: {key:?}", placement["fleet"]));
        }
        // What Envoy says of its own table.
        let stats = &placement["stats"];
        let (most, least, counts) = match options.lb_policy {
            Policy::Maglev => {
                let table = place.as_maglev().expect("a table").table();
                let count = |at| table.iter().filter(|ix| ix.index() == at).count() as u64;
                let counts: Vec<u64> = (0..servers.len()).map(count).collect();
                ("max_entries_per_host", "min_entries_per_host", counts)
            }
            _ => {
                let counts = place.as_ring().expect("a ring").point_counts();
                let counts: Vec<u64> = counts.iter().map(|&count| count.into()).collect();
                let points: u64 = counts.iter().sum();
                // `size` is the scale rounded up; a running sum that misses it by a hair adds a point.
                assert!((0..=1).contains(&(points - number(stats, "size"))), "{config}: {points}");
                ("max_hashes_per_host", "min_hashes_per_host", counts)
            }
        };
        assert_eq!(counts.iter().max(), Some(&number(stats, most)), "{config}");
        assert_eq!(counts.iter().min(), Some(&number(stats, least)), "{config}");
    }
    score.close_file(&file, 15_600);
}

#[test]
fn every_recorded_owner_of_envoy_with_localities_and_unhealthy_hosts() {
    let file = read("envoy/localities.json");
    let keys = keys(&file);
    let localities = list(&file, "localities");
    let mut servers = Vec::new();
    for locality in localities {
        for host in list(locality, "servers") {
            let host = server(host).expect("a server");
            servers.push(host.with_zone(text(locality, "zone")).expect("a zone"));
        }
    }
    let names: Vec<&str> = servers.iter().map(|server| server.name().as_str()).collect();
    assert_eq!(names, keys_of(list(&file, "servers_flat")));
    let mut score = Score::default();
    for placement in list(&file, "placements") {
        let config = &placement["config"];
        let mut options = options(config);
        if config["locality_weighted"].as_bool() == Some(true) {
            let weight = |locality: &Value| -> (Zone, u32) {
                (text(locality, "zone").parse().expect("a zone"), number(locality, "weight") as u32)
            };
            options.locality_weights = Some(localities.iter().map(weight).collect());
        }
        let unhealthy = keys_of(list(placement, "unhealthy"));
        let cluster = servers.iter().cloned().map(|server| {
            if unhealthy.contains(&server.name().as_str()) { server.draining() } else { server }
        });
        let place = options.build(&Buckets::new(cluster).expect("a fleet")).expect("a placement");
        for ((key, owner), ours) in keys.iter().zip(list(placement, "owners")).zip(owners(&place, &keys)) {
            let ours = ours.index() as u64;
            score.answer(owner, &ours.into(), || format!("{config} without {unhealthy:?}: {key:?}"));
        }
    }
    score.close_file(&file, 4_800);
}

fn keys_of(names: &[Value]) -> Vec<&str> {
    names.iter().map(|name| name.as_str().expect("a name")).collect()
}

/// What the recorded `regex_rewrite` makes of a value: what stands in its last braces, if anything does.
fn in_braces(value: &str) -> &str {
    let Some((_, rest)) = value.split_once('{') else { return value };
    rest.split_once('}').map_or(value, |(inner, _)| inner)
}

#[test]
fn every_recorded_owner_of_envoy_by_hash_policy() {
    let file = read("envoy/hash-policies.json");
    let cluster = fleet(list(&file, "fleet"), server);
    let ring = Options::default().build(&cluster).expect("a ring");
    let table = Options { lb_policy: Policy::Maglev, ..Options::default() }.build(&cluster).expect("a table");
    let mut score = Score::default();
    for case in list(&file, "cases") {
        let (policy, sent) = (text(case, "policy"), &case["case"]);
        let headers: Vec<(&str, &str)> = sent
            .as_array()
            .map(|pairs| {
                pairs.iter().map(|pair| (pair[0].as_str().unwrap(), pair[1].as_str().unwrap())).collect()
            })
            .unwrap_or_default();
        let values = |name: &str| -> Vec<&[u8]> {
            headers.iter().filter(|header| header.0 == name).map(|header| header.1.as_bytes()).collect()
        };
        let header = |name: &str| request::header(&values(name));
        let hash = match policy {
            "multi" => header("x-key"),
            "two" => request::combine([(header("x-a"), false), (header("x-b"), false)]),
            "terminal" => request::combine([(header("x-a"), true), (header("x-b"), false)]),
            "regex" => Some(xxh64(in_braces(headers[0].1).as_bytes(), 0)),
            "query" => request::query_parameter(sent.as_str().expect("a path").as_bytes(), b"k"),
            "cookie" => request::cookie(headers[0].1.as_bytes(), b"sid"),
            "ip" => Some(request::source_ip("127.0.0.1")),
            other => panic!("no policy of ours: {other}"),
        };
        let hash = hash.unwrap_or_else(|| panic!("no hash of {case}"));
        let ours = match text(case, "cluster") {
            "r" => ring.as_ring().unwrap().owner_of_hash(hash),
            _ => table.as_maglev().unwrap().owner_of_hash(hash),
        };
        let ours = cluster.servers()[ours.index()].name().as_str();
        score.answer(text(case, "owner"), ours, || case.to_string());
    }
    score.close_file(&file, 56);
}

#[test]
fn every_recorded_choice_of_envoy_under_load() {
    let file = read("envoy/bounded-load.json");
    let fleets = list(&file, "fleets");
    let mut score = Score::default();
    for run in list(&file, "runs") {
        let servers = fleets[number(run, "fleet") as usize].as_array().expect("a fleet");
        let (keys, config) = (keys(run), &run["config"]);
        let cluster = fleet(servers, server);
        let bounded = options(config).build_bounded(&cluster).expect("a placement");
        let mut active = vec![0_u64; servers.len()];
        let mut open = std::collections::HashMap::new();
        for event in list(run, "events") {
            let at = |field: usize| event[field].as_u64().expect("a number") as usize;
            match event[0].as_str() {
                Some("o") => {
                    let hash = xxh64(keys[at(2)].as_bytes(), 0);
                    let ours = bounded.choose(hash, &active, active.iter().sum()).index();
                    score.answer(&at(3), &ours, || format!("{} {config}: {event}", run["fleet"]));
                    active[at(3)] += 1;
                    open.insert(at(1), at(3));
                }
                Some("c") => active[open.remove(&at(1)).expect("an open request")] -= 1,
                _ => panic!("no event of ours: {event}"),
            }
        }
    }
    score.close_file(&file, 1_502);
}

#[test]
fn a_cluster_says_how_many_slots_a_host_has() {
    let file = read("envoy/bounded-load.json");
    let servers = list(&file, "fleets")[1].as_array().expect("a fleet");
    let cluster = fleet(servers, server);
    let bounded = Options { hash_balance_factor: 150, ..Options::default() }.build_bounded(&cluster).unwrap();
    let total = cluster.total_weight();
    for (ix, server) in cluster.active() {
        // ⌈10 × 1.5⌉ slots by weight.
        let exact = (15 * u64::from(server.weight().get())).div_ceil(total).max(1);
        assert_eq!(bounded.slots(ix, 9), exact, "{}", server.name());
    }
    assert_eq!(bounded.placement().servers().len(), bounded.servers().len());
}
