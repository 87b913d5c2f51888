//! The answers of Python's clients and rings.

use clockwise::dialect::{pylibmc, pymemcache, python_hashring, python_memcached, uhashring};
use serde_json::Value;

use crate::record::{at_host, by_name, check, text};

fn behaviors(config: &Value) -> pylibmc::Options {
    let mut options = pylibmc::Options::default();
    for (name, value) in config["behaviors"].as_object().expect("behaviors") {
        match (name.as_str(), value) {
            ("hash", Value::String(hash)) => options.hash = hash.parse().expect("a hash"),
            ("ketama", Value::Bool(on)) => options.ketama = *on,
            ("ketama_weighted", Value::Bool(on)) => options.ketama_weighted = Some(*on),
            ("distribution", Value::String(word)) => {
                options.distribution = Some(word.parse().expect("a distribution"));
            }
            other => panic!("unknown behavior {other:?}"),
        }
    }
    options
}

#[test]
fn every_recorded_owner_of_pylibmc() {
    check("python/pylibmc.json", 4_485, at_host, behaviors);
    check("python/pylibmc-behaviours.json", 10_800, at_host, behaviors);
}

#[test]
fn every_recorded_owner_of_python_memcached() {
    check("python/python-memcached.json", 2_100, at_host, |_| python_memcached::Options::default());
}

#[test]
fn every_recorded_owner_of_pymemcache() {
    check("python/pymemcache.json", 4_800, at_host, |config| {
        let bytes = text(config, "client").contains("BYTES keys");
        let key_type = if bytes { pymemcache::KeyType::Bytes } else { pymemcache::KeyType::Str };
        pymemcache::Options { key_type }
    });
}

#[test]
fn every_recorded_owner_of_uhashring() {
    use uhashring::{HashFn, Options};
    check("python/uhashring.json", 4_800, by_name, |config| match text(config, "hash_fn") {
        "ketama" => Options { hash_fn: HashFn::Ketama, vnodes: None },
        word => {
            assert!(word.starts_with("default"), "{word}");
            Options::default()
        }
    });
}

#[test]
fn every_recorded_owner_of_hashring() {
    check("python/hashring.json", 2_400, by_name, |_| python_hashring::Options::default());
}
