//! Proxies of HAProxy: recorded answers through a file, ids, and what is told.

use std::fs;
use std::path::Path;

use clockwise::dialect::haproxy::request;
use clockwise::{Placement as _, Scheme, Server};
use clockwise_config::{Options, Pool, parse};
use serde_json::Value;

use crate::pool;

fn open(file: &str) -> Value {
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors");
    serde_json::from_slice(&fs::read(vectors.join(file)).unwrap()).unwrap()
}

/// What HAProxy hashes when a key is sent as this `balance` looks for it.
fn hashed(balance: &str, key: &str) -> Vec<u8> {
    let path = format!("/{key}");
    match balance {
        "hdr(X-Key)" => request::first_value(key.as_bytes()).unwrap().to_owned(),
        "hash req.hdr(X-Key)" => request::last_value(key.as_bytes()).unwrap().to_owned(),
        "url_param k" => request::url_param(format!("/?k={key}").as_bytes(), b"k").unwrap().to_owned(),
        "uri" => request::uri(path.as_bytes()).to_owned(),
        _ => path.into_bytes(),
    }
}

/// Asks every recorded key of a file of answers; ids stand in the backend only if `ids` says so.
fn recorded(file: &str, ids: impl Fn(&str) -> bool) -> usize {
    let (recorded, keys) = (open(file), open("keys/memcached-family.json"));
    let mut asked = 0;
    for case in recorded["cases"].as_array().unwrap() {
        let fleet = case["fleet"].as_str().unwrap();
        let config = |key: &str| case["config"][key].as_str();
        let mut text = format!(
            "defaults\n  mode http\n  hash-type {}\nbackend b\n  balance {}\n",
            config("hash-type").unwrap(),
            config("balance").unwrap()
        );
        if let Some(hash_key) = config("hash-key") {
            text += &format!("  default-server hash-key {hash_key}\n");
        }
        for server in recorded["fleets"][fleet].as_array().unwrap() {
            let name = server["name"].as_str().unwrap();
            let address = match (server["host"].as_str(), &server["port"]) {
                (Some(host), port) => format!("{host}:{port}"),
                _ => "10.0.0.1:80".to_owned(),
            };
            text += &format!("  server {name} {address} weight {}", server["weight"]);
            if let Some(guid) = server["guid"].as_str() {
                text += &format!(" guid {guid}");
            }
            if ids(fleet) {
                text += &format!(" id {}", server["id"]);
            }
            text += "\n";
        }
        let pool = pool(text);
        let place = pool.scheme().build(pool.servers()).unwrap();
        let keys = keys[case["keys"].as_str().unwrap()].as_array().unwrap();
        for (key, owner) in keys.iter().zip(case["owners"].as_array().unwrap()) {
            // Some keys cannot be sent so.
            let Some(owner) = owner.as_u64() else { continue };
            let hashed = hashed(config("balance").unwrap(), key.as_str().unwrap());
            assert_eq!(place.owner_ix(&hashed).index() as u64, owner, "{fleet} {}: {key}", case["config"]);
            asked += 1;
        }
    }
    asked
}

#[test]
fn every_recorded_owner_of_haproxy_comes_out_of_a_file() {
    // Ids were given in one fleet; in all others they are those that HAProxy assigned.
    // Four more answers are for the empty key.
    assert_eq!(recorded("haproxy/haproxy.json", |fleet| fleet == "p8id"), 37_740);
    assert_eq!(recorded("haproxy/hash-key.json", |fleet| fleet.contains("id")), 1_000);
}

fn corpus(file: &str, name: &str, options: &Options) -> Pool {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/haproxy").join(file);
    parse(file, &fs::read(path).unwrap(), options).unwrap().pick(Some(name)).unwrap()
}

#[test]
fn ids_weights_and_states_are_those_of_the_lines() {
    let pool = corpus("ids.cfg", "x", &Options::default());
    let Scheme::Dialect(clockwise::dialect::Dialect::Haproxy(options)) = pool.scheme() else { panic!() };
    assert_eq!(options.assigned_ids(pool.servers()).unwrap(), [1, 101, 2, 4, 5]);
    let pool = corpus("template.cfg", "x", &Options::default());
    let listed: Vec<(&str, u32)> =
        pool.servers().servers().iter().map(|s| (s.name().as_str(), s.effective_weight())).collect();
    let template = [("web-1", 3), ("web-2", 3), ("web-3", 3), ("web-4", 3)];
    assert_eq!(listed, [&template[..], &[("spare11", 0), ("spare12", 0), ("last", 1)]].concat());
    let pool = corpus("states.cfg", "on", &Options::default());
    let owners: Vec<bool> = pool.servers().servers().iter().map(Server::is_draining).collect();
    assert_eq!(owners, [false, true, true]);
}

#[test]
fn addresses_are_read_as_haproxy_reads_them() {
    let pool = corpus("addresses.cfg", "x", &Options::default());
    let addresses: Vec<&str> = pool.servers().servers().iter().map(|s| s.address().as_str()).collect();
    assert_eq!(
        addresses,
        [
            "10.0.0.1",
            "10.0.0.2:80",
            "[2001:db8::1]:80",
            "[2001:db8::2]:80",
            "::1",
            "[2001:db8::3]:80",
            "10.0.0.3:80",
            "/run/h.sock",
            "/run/i.sock",
            "name",
            "0.0.0.0:80",
            "0.0.0.0:80",
            "10.0.0.4",
            "localhost:80"
        ]
    );
}

#[test]
fn defaults_are_those_that_are_named_or_the_last() {
    let scheme = |name: &str| corpus("defaults.cfg", name, &Options::default()).scheme().to_string();
    assert_eq!(
        ["a", "b", "c", "d"].map(scheme),
        [
            "haproxy consistent djb2 avalanche",
            "haproxy consistent wt6",
            "haproxy map-based",
            "haproxy map-based crc32"
        ]
    );
    let b = corpus("defaults.cfg", "b", &Options::default());
    assert_eq!(b.servers().servers().iter().map(|s| s.weight().get()).collect::<Vec<_>>(), [10, 3]);
}

#[test]
fn what_is_clear_all_the_same_is_read_when_asked() {
    let lenient = Options { lenient: true, ..Options::default() };
    for (file, name, servers, warnings) in [
        ("odd-no-end.cfg", "x", 1, 1),
        ("odd-old-header.cfg", "old", 1, 2),
        ("odd-removed.cfg", "x", 1, 2),
        ("dns.cfg", "srv", 3, 1),
    ] {
        let pool = corpus(file, name, &lenient);
        assert_eq!(pool.servers().servers().len(), servers, "{file}");
        assert_eq!(pool.warnings().len(), warnings, "{file}: {:?}", pool.warnings());
    }
}

#[test]
fn variables_of_the_environment_leave_other_backends_alone_and_addresses_open() {
    let text = "defaults\n mode http\n balance uri\n\
        backend at\n server a \"${A}:80\"\n server b \"${B}\" weight 3\n server-template t 2 \"$T\"\n\
        backend weighed\n server a 10.0.0.1 weight \"$W\"\n server b 10.0.0.2\n\
        backend hashed\n hash-type \"$H\"\n server a 10.0.0.1\n server b 10.0.0.2\n\
        backend by-address\n default-server hash-key addr\n server a 10.0.0.1\n server b \"$B\"\n";
    let file = parse("h.cfg", text.as_bytes(), &Options::default()).unwrap();
    let at = file.pick(Some("at")).unwrap();
    let servers = at.servers().servers();
    let told: Vec<(&str, &str)> = servers.iter().map(|s| (s.name().as_str(), s.address().as_str())).collect();
    assert_eq!(told, [("a", "a"), ("b", "b"), ("t1", "t1"), ("t2", "t2")]);
    assert_eq!(
        at.warnings().iter().map(ToString::to_string).collect::<Vec<_>>(),
        [("5:11", "\"${A}:80\"", "a"), ("6:11", "\"${B}\"", "b"), ("7:22", "\"$T\"", "t1")].map(
            |(place, word, name)| format!(
                "h.cfg:{place}: warning: the address `{word}` of server \"{name}\" is a variable of the environment: its \
                 name stands for it"
            )
        )
    );
    for (name, place, word) in
        [("weighed", "9:27", "$W"), ("hashed", "12:12", "$H"), ("by-address", "18:11", "$B")]
    {
        assert_eq!(
            file.pick(Some(name)).unwrap_err().to_string(),
            format!(
                "h.cfg:{place}: `\"{word}\"` is a variable of the environment, whose value is not in the file"
            )
        );
    }
    // With none of its servers known, a backend is no fleet.
    let none = "backend x\n balance uri\n server \"$A\" 10.0.0.1\n";
    assert!(parse("h.cfg", none.as_bytes(), &Options::default()).is_err());
}

#[test]
fn a_placement_that_is_told_takes_the_place_of_turns() {
    let ring: clockwise_config::Settings = "ring".parse().unwrap();
    let options = Options { placement: Some(ring.scheme().unwrap()), ..Options::default() };
    assert_eq!(corpus("whole.cfg", "app", &options).scheme().to_string(), "ring-160");
    assert_eq!(corpus("whole.cfg", "static", &options).scheme().to_string(), "haproxy consistent");
}

#[test]
fn a_piece_of_a_file_without_its_mode_is_told_which_one_is_missing() {
    let piece = "backend b\n balance uri\n server a 10.0.0.1:80\n";
    let refused = parse("h.cfg", piece.as_bytes(), &Options::default()).unwrap().pick(None).unwrap_err();
    let said = refused.render(false);
    assert!(
        said.contains("the mode is tcp unless `mode http` is in the proxy or in its `defaults`"),
        "{said}"
    );
    let whole = format!("defaults\n mode http\n{piece}");
    assert!(parse("h.cfg", whole.as_bytes(), &Options::default()).unwrap().pick(None).is_ok());
}
