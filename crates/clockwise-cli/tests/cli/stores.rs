//! Recorded answers through files as their programs have them: lists of clients, option strings, and
//! what Redis Cluster and Cassandra say of themselves.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{assert_has, file, fleet, root, run, run_with};

fn recorded(path: &str) -> Value {
    serde_json::from_slice(&std::fs::read(root().join("vectors").join(path)).unwrap()).unwrap()
}

/// A server of a recorded fleet.
struct Recorded {
    host: String,
    port: u64,
    weight: u64,
}

fn servers(of: &Value, fleet: &str) -> Vec<Recorded> {
    let all = of["fleets"][fleet].as_array().unwrap().iter();
    let server = |server: &Value| Recorded {
        host: server["host"].as_str().unwrap().to_owned(),
        port: server["port"].as_u64().unwrap(),
        weight: server["weight"].as_u64().unwrap(),
    };
    all.map(server).collect()
}

/// The owners that the command finds for keys, by name.
#[track_caller]
fn owners<'k>(path: &str, keys: impl IntoIterator<Item = &'k [u8]>) -> Vec<String> {
    let input: Vec<u8> = keys.into_iter().flat_map(|key| [key, b"\0"].concat()).collect();
    let run = run_with(["owner", path, "--keys", "-", "--null", "--format", "json"], &input);
    assert_eq!(run.code, 0, "{path}: {}", run.err);
    let owner = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        line["owner"].as_str().unwrap().to_owned()
    };
    run.out.lines().map(owner).collect()
}

/// Holds a file to every answer of a recorded case; `name` is what the file calls a server.
#[track_caller]
fn holds(text: &str, of: &Value, case: &Value, name: fn(&Recorded) -> String) {
    let names: Vec<String> = servers(of, case["fleet"].as_str().unwrap()).iter().map(name).collect();
    let keys = recorded("keys/memcached-family.json");
    let keys: Vec<&str> = keys[case["keys"].as_str().unwrap()]
        .as_array()
        .unwrap()
        .iter()
        .map(|key| key.as_str().unwrap())
        .collect();
    let path = file("stores-recorded.txt", text);
    let found = owners(&path, keys.iter().map(|key| key.as_bytes()));
    assert_eq!(found.len(), keys.len());
    for ((key, found), owner) in keys.iter().zip(&found).zip(case["owners"].as_array().unwrap()) {
        if let Some(owner) = owner.as_u64() {
            assert_eq!(*found, names[owner as usize], "{key:?} in\n{text}");
        }
    }
}

fn host_port(server: &Recorded) -> String {
    match server.host.contains(':') {
        true => format!("[{}]:{}", server.host, server.port),
        false => format!("{}:{}", server.host, server.port),
    }
}

#[test]
fn clients_answer_as_recorded_when_read_from_their_own_files() {
    // One file at a time has the name that `holds` gives it, so all of them are asked in one test.
    let of = recorded("libmemcached/libmemcached.json");
    let mut held = 0;
    for case in of["cases"].as_array().unwrap() {
        let (fleet, hash) = (case["fleet"].as_str().unwrap(), case["config"]["hash"].as_str().unwrap());
        let distribution = match case["config"]["distribution"].as_str().unwrap() {
            "MODULA" => "--DISTRIBUTION=modula",
            "CONSISTENT_KETAMA" if !["v8host", "v8w"].contains(&fleet) => "--DISTRIBUTION=consistent,MD5",
            _ => continue,
        };
        if !["v3eq", "v3w", "v8host"].contains(&fleet) || hash == "MURMUR3" {
            continue;
        }
        let option = |server: &Recorded| match server.weight {
            1 => format!("--SERVER={}", host_port(server)),
            weight => format!("--SERVER={}/?{weight}", host_port(server)),
        };
        let list: Vec<String> = servers(&of, fleet).iter().map(option).collect();
        let hash = if hash == "DEFAULT" { String::new() } else { format!("--HASH={hash} ") };
        let (before, behind) = match case["config"]["note"].is_string() {
            true => (String::new(), format!(" {distribution}")),
            false => (format!("{distribution} "), String::new()),
        };
        holds(&format!("{hash}{before}{}{behind}\n", list.join(" ")), &of, case, host_port);
        held += 1;
    }
    assert!(held >= 25, "{held}");

    let of = recorded("php/memcached.json");
    for case in of["cases"].as_array().unwrap() {
        let fleet = case["fleet"].as_str().unwrap();
        if !["v3w", "v4v6"].contains(&fleet) {
            continue;
        }
        let options = match case["config"]["options"].as_str().unwrap() {
            "default" => "",
            "DISTRIBUTION_CONSISTENT" => {
                "$m->setOption(Memcached::OPT_DISTRIBUTION, Memcached::DISTRIBUTION_CONSISTENT);\n"
            }
            "LIBKETAMA_COMPATIBLE" => "$m->setOption(Memcached::OPT_LIBKETAMA_COMPATIBLE, true);\n",
            "CONSISTENT + HASH_CRC" => {
                "$m->setOptions([Memcached::OPT_DISTRIBUTION => Memcached::DISTRIBUTION_CONSISTENT,\n Memcached::OPT_HASH => Memcached::HASH_CRC]);\n"
            }
            _ => {
                "$m->setOptions([Memcached::OPT_DISTRIBUTION => Memcached::DISTRIBUTION_CONSISTENT,\n Memcached::OPT_HASH => Memcached::HASH_MD5, Memcached::OPT_LIBKETAMA_COMPATIBLE => true]);\n"
            }
        };
        let list: String = servers(&of, fleet)
            .iter()
            .map(|s| format!("$m->addServer('{}', {}, {});\n", s.host, s.port, s.weight))
            .collect();
        holds(&format!("<?php\n$m = new Memcached();\n{options}{list}"), &of, case, host_port);
    }

    let of = recorded("php/memcache.json");
    for case in of["cases"].as_array().unwrap().iter().filter(|case| case["fleet"] == "v3w") {
        let set: String = ["memcache.hash_strategy", "memcache.hash_function"]
            .iter()
            .map(|key| format!("ini_set('{key}', '{}');\n", case["config"][key].as_str().unwrap()))
            .collect();
        let list: String = servers(&of, "v3w")
            .iter()
            .map(|s| format!("$m->addServer('{}', {}, true, {});\n", s.host, s.port, s.weight))
            .collect();
        holds(&format!("<?php\n{set}$m = new Memcache;\n{list}"), &of, case, host_port);
    }

    let of = recorded("python/pylibmc.json");
    for case in of["cases"].as_array().unwrap().iter().filter(|case| case["fleet"] != "l8eq") {
        let behaviors = case["config"]["behaviors"].as_object().unwrap();
        let behaviors: Vec<String> = behaviors
            .iter()
            .map(|(key, value)| match value {
                Value::Bool(true) => format!("'{key}': True"),
                value => format!("'{key}': {value}"),
            })
            .collect();
        let list: String = servers(&of, case["fleet"].as_str().unwrap())
            .iter()
            .map(|s| format!("    '{}:{}',\n", host_port(s), s.weight))
            .collect();
        let text = format!(
            "import pylibmc\nmc = pylibmc.Client([\n{list}], behaviors={{{}}})\n",
            behaviors.join(", ")
        );
        holds(&text, &of, case, host_port);
    }

    let of = recorded("python/python-memcached.json");
    for case in of["cases"].as_array().unwrap().iter().filter(|case| case["fleet"] == "v8w") {
        let list = servers(&of, "v8w");
        let list: Vec<String> = list.iter().map(|s| format!("('{}', {})", host_port(s), s.weight)).collect();
        holds(
            &format!("from memcache import Client\nmc = Client([{}])\n", list.join(", ")),
            &of,
            case,
            host_port,
        );
    }

    let of = recorded("python/pymemcache.json");
    let is_text = |case: &&Value| case["config"]["allow_unicode_keys"] == true && case["fleet"] == "v4v6";
    for case in of["cases"].as_array().unwrap().iter().filter(is_text) {
        let list: Vec<String> =
            servers(&of, "v4v6").iter().map(|s| format!("('{}', {})", s.host, s.port)).collect();
        holds(&format!("client = HashClient([{}])\n", list.join(", ")), &of, case, host_port);
    }

    for (path, import) in [("python/uhashring.json", "uhashring"), ("python/hashring.json", "hash_ring")] {
        let of = recorded(path);
        for case in of["cases"].as_array().unwrap().iter().filter(|case| case["fleet"] == "v3w") {
            let weights: Vec<String> =
                servers(&of, "v3w").iter().map(|s| format!("'{}': {}", host_port(s), s.weight)).collect();
            let weights = weights.join(", ");
            let ketama = if case["config"]["hash_fn"] == "ketama" { ", hash_fn='ketama'" } else { "" };
            let text = match import {
                "uhashring" => {
                    format!("import uhashring\nring = uhashring.HashRing({{{weights}}}{ketama})\n")
                }
                _ => {
                    let nodes: Vec<String> =
                        servers(&of, "v3w").iter().map(|s| format!("'{}'", host_port(s))).collect();
                    format!(
                        "import hash_ring\nring = hash_ring.HashRing([{}], {{{weights}}})\n",
                        nodes.join(", ")
                    )
                }
            };
            holds(&text, &of, case, host_port);
        }
    }
}

/// CLUSTER NODES of masters with these slots.
fn nodes(slots: &Value) -> String {
    let line = |(at, (name, ranges)): (usize, (&String, &Value))| {
        let ranges = ranges.as_array().unwrap().iter().map(|range| format!("{}-{}", range[0], range[1]));
        let ranges: Vec<String> = ranges.collect();
        format!("{at:040x} {name}@1{at} master - 0 1426238316232 {at} connected {}\n", ranges.join(" "))
    };
    slots.as_object().unwrap().iter().enumerate().map(line).collect()
}

#[test]
fn a_cluster_answers_as_its_nodes_told_clients_to_move() {
    let of = recorded("redis/redis-cluster.json");
    let mut asked = 0;
    for cluster in of["create"].as_array().unwrap().iter().filter(|made| made["owners_by_MOVED"].is_object())
    {
        let path = file("stores-nodes.txt", nodes(&cluster["slots"]));
        let told = &cluster["owners_by_MOVED"];
        let answers: BTreeMap<&String, u64> =
            told["owners"].as_object().unwrap().iter().map(|(key, at)| (key, at.as_u64().unwrap())).collect();
        let found = owners(&path, answers.keys().map(|key| key.as_bytes()));
        for ((key, at), found) in answers.iter().zip(found) {
            assert_eq!(found, told["servers"][*at as usize].as_str().unwrap(), "{key:?}");
            asked += 1;
        }
    }
    assert!(asked > 100, "{asked}");
}

#[test]
fn hash_tags_bring_keys_to_the_slots_of_a_cluster() {
    // A master for each of the slots, and one for all others.
    let slots = [3443, 4015, 5061, 8363];
    let mut rest = 0;
    let mut others = String::new();
    let mut text = String::new();
    for (at, slot) in (1..).zip(slots) {
        others += &format!(" {rest}-{}", slot - 1);
        rest = slot + 1;
        text += &format!("{at:040x} slot-{slot}:6379@16379 master - 0 0 {at} connected {slot}\n");
    }
    text += &format!("{:040x} others:6379@16379 myself,master - 0 0 9 connected{others} {rest}-16383\n", 9);
    let path = file("stores-tags.txt", text);
    let keys = [
        "foo{bar}zap",
        "foo{bar}{zap}",
        "foo{}{bar}",
        "foo{{bar}}zap",
        "{user1000}.following",
        "{user1000}.followers",
    ];
    let found = owners(&path, keys.iter().map(|key| key.as_bytes()));
    assert_eq!(found, [5061, 5061, 8363, 4015, 3443, 3443].map(|slot| format!("slot-{slot}:6379")));
}

#[test]
fn a_ring_of_nodetool_has_the_first_replicas_that_the_driver_found() {
    let of = recorded("cassandra/cassandra.json");
    let fleet = &of["fleets"][1];
    let list = fleet["servers"].as_array().unwrap();
    let mut rows: Vec<(i64, String)> = Vec::new();
    for server in list {
        for token in server["tokens"].as_array().unwrap() {
            let token = token.as_str().unwrap();
            let (name, rack) = (server["name"].as_str().unwrap(), server["rack"].as_str().unwrap());
            let row =
                format!("{name:<16}{rack:<12}Up     Normal  103,37 KiB      12,50%              {token}\n");
            rows.push((token.parse().unwrap(), row));
        }
    }
    rows.sort();
    let last = rows.last().unwrap().0;
    let rows: String = rows.into_iter().map(|(_, row)| row).collect();
    let head = "Address         Rack        Status State   Load            Owns                Token";
    let path =
        file("stores-ring.txt", format!("\nDatacenter: dc1\n==========\n{head}\n{last:>90}\n{rows}\n"));
    let simple =
        fleet["placements"].as_array().unwrap().iter().find(|placed| placed["strategy"] == "SimpleStrategy");
    let replicas = simple.unwrap()["replicas"].as_object().unwrap();
    let bytes = |hex: &str| -> Vec<u8> {
        (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
    };
    // NUL ends a key here, so those that have one are asked elsewhere.
    let asked: Vec<(Vec<u8>, u64)> = replicas
        .iter()
        .map(|(key, nodes)| (bytes(key), nodes[0].as_u64().unwrap()))
        .filter(|(key, _)| !key.contains(&0))
        .collect();
    assert!(asked.len() > 300, "{}", asked.len());
    let found = owners(&path, asked.iter().map(|(key, _)| key.as_slice()));
    for ((key, owner), found) in asked.iter().zip(found) {
        assert_eq!(found, list[*owner as usize]["name"].as_str().unwrap(), "{}", key.escape_ascii());
    }
}

#[test]
fn what_lists_do_not_say_is_said_by_an_option() {
    let list = file("stores-list.txt", "10.0.0.1:11211 3\n10.0.0.2:11211 1\n");
    let said = run(["owner", &list, "key"]).refused(3);
    assert_has(&said, &["names no client that places keys on it", "--placement NAME[,KEY=VALUE…]"]);
    let found = run(["owner", &list, "key", "--placement", "libketama"]).fine();
    let same = file(
        "stores-list.toml",
        fleet("dialect = \"libketama\"", &[("10.0.0.1:11211", 3), ("10.0.0.2:11211", 1)]),
    );
    assert_eq!(found, run(["owner", &same, "key"]).fine());
    let status = root().join("fuzz/corpus/nodetool/odd-status.txt").to_str().unwrap().to_owned();
    assert_has(
        &run(["owner", &status, "key"]).refused(3),
        &["lists no tokens", "nodetool ring lists the tokens"],
    );
    let (_, said) = run(["owner", &status, "key", "--placement", "rendezvous"]).warned();
    assert_has(&said, &["\"192.168.10.12\" is leaving", "\"192.168.20.11\" is joining"]);
}

#[test]
fn two_machines_that_call_themselves_localhost_have_other_maps_and_are_told_why() {
    let one = file("stores-host-1.txt", "localhost:11311\nbeta.test:11311\n");
    let two = file("stores-host-2.txt", "alpha.test:11311\nlocalhost:11311\n");
    let placement = ["--placement", "libmemcached,distribution=CONSISTENT_WEIGHTED,hash=MD5"];
    let diff =
        run(["diff", &one, &two, "--sample", "100000", "--format", "json"].into_iter().chain(placement));
    assert_eq!(diff.code, 1, "{}", diff.err);
    let diff: Value = serde_json::from_str(&diff.out).unwrap();
    let (a, b) = (&diff["fingerprint"]["a"]["probes"], &diff["fingerprint"]["b"]["probes"]);
    assert!(a.is_string() && a != b, "{a} {b}");
    let share = diff["differing_share"].as_f64().unwrap();
    assert!(share > 0.0 && share <= 1.0, "{share}");
    for (list, line) in [(&one, 1), (&two, 2)] {
        let check = run(["check", list].into_iter().chain(placement));
        assert_eq!(check.code, 1, "{}", check.err);
        assert_has(
            &check.out,
            &[&format!(
                ":{line}: warning [local-address]: localhost:11311 of server localhost:11311 is another machine on every host"
            )],
        );
    }
}

#[test]
fn ipv6_and_weights_in_one_text_get_the_verdicts_that_they_should() {
    let placement = ["--placement", "libmemcached"];
    let entries = [
        "[2001:db8::1]:11300",
        "2001:db8::1",
        "[2001:db8::1]",
        "2001:db8:0:0::1",
        "[2001:db8::1]:11300:5",
        "2001:db8::1:11300",
    ];
    // The first and the fifth are one server with two weights, and the last is refused.
    let list = file("stores-ipv6.txt", entries.join("\n"));
    let said = run(["check", &list].into_iter().chain(placement)).refused(3);
    assert_has(
        &said,
        &["server \"2001:db8::1:11300\": IPv6 with a port needs brackets", "write \"[2001:db8::1]:11300\""],
    );
    let clear = file("stores-ipv6-clear.txt", entries[..4].join("\n"));
    let check = run(["check", &clear, "--format", "json"].into_iter().chain(placement));
    let check: Value = serde_json::from_str(&check.out).unwrap();
    let twice: Vec<(u64, &str)> = check["fleets"][0]["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|finding| finding["rule"] == "listed-twice")
        .map(|finding| (finding["line"].as_u64().unwrap(), finding["message"].as_str().unwrap()))
        .collect();
    // The second, third and fourth are one address, each in its own spelling; the first is not.
    let lines: Vec<u64> = twice.iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, [3, 4], "{twice:?}");
    assert_has(twice[1].1, &["2001:db8::1", "2001:db8:0:0::1", "are one address"]);
    let weighted = file("stores-ipv6-weight.txt", format!("{}\n2001:db8::2\n", entries[4]));
    let ring = run(["ring", &weighted, "--format", "json", "--placement", "ring"]).json();
    let servers = ring["servers"].as_array().unwrap();
    let server = servers.iter().find(|server| server["name"] == "[2001:db8::1]:11300").unwrap();
    assert_eq!(server["weight"], 5);
}

#[test]
fn replicas_that_are_left_out_are_named_in_a_note() {
    let node = |number: u32, flags: &str, master: &str, slots: &str| {
        format!("{number:040x} 10.0.0.{number}:6379@16379 {flags} {master} 0 0 1 connected {slots}\n")
    };
    let master = format!("{:040x}", 1);
    let mut text = node(1, "myself,master", "-", "0-8000") + &node(2, "master", "-", "8001-16383");
    for number in 3..=12 {
        text += &node(number, "slave", &master, "");
    }
    let nodes = file("replicas.txt", text);
    let (_, said) = run(["owner", &nodes, "user:42"]).warned();
    assert_has(
        &said,
        &["note: ", "10 replicas own no slots and are left out: `10.0.0.3:6379`, ", " and 4 more"],
    );
    assert!(!said.contains("10.0.0.9:6379"), "{said}");
    // It is no warning, so that it stops nobody.
    assert_eq!(run(["owner", &nodes, "user:42", "--strict"]).code, 0);
}
