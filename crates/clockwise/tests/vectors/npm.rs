//! The answers of npm's clients and rings.

use clockwise::dialect::{memjs, npm_hashring, npm_ketama, npm_memcached};

use crate::record::{at_host, by_name, check};

#[test]
fn every_recorded_owner_of_npm_hashring() {
    use npm_hashring::{Algorithm, Compatibility, Options};
    check("npm/hashring.json", 8_400, by_name, |config| {
        let word = |name: &str| config[name].as_str();
        Options {
            algorithm: word("algorithm").map_or(Algorithm::Md5, |word| word.parse().expect("an algorithm")),
            compatibility: word("compatibility")
                .map_or(Compatibility::Ketama, |word| word.parse().expect("a compatibility")),
            default_port: config["default port"].as_u64().map(|port| port as u32),
            ..Options::default()
        }
    });
}

#[test]
fn every_recorded_owner_of_npm_memcached() {
    check("npm/memcached.json", 2_100, by_name, |_| npm_memcached::Options::default());
}

#[test]
fn every_recorded_owner_of_npm_ketama() {
    check("npm/ketama.json", 2_400, by_name, |_| npm_ketama::Options::default());
}

#[test]
fn every_recorded_owner_of_memjs() {
    check("npm/memjs.json", 2_100, at_host, |_| memjs::Options::default());
}
