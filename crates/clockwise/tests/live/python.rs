//! Python's clients and rings.

use clockwise::dialect::{pylibmc, pymemcache, python_hashring, python_memcached, uhashring};
use clockwise::{Buckets, Server};
use serde_json::{Map, Value, json};

use crate::draw::{Draw, Hosts, fitted};
use crate::library::{Pool, behind, compare};
use crate::memcached::FakeMemcached;

#[test]
#[ignore = "asks the real library: cargo xtask live"]
fn pymemcache_gives_every_key_to_the_server_we_name() {
    use pymemcache::{KeyType, Options};
    let mut draw = Draw::new(1);
    let pool = |number: usize| {
        let key_type = KeyType::ALL[number % KeyType::ALL.len()];
        // It comes before keys on their way to a server, and no server is chosen by it.
        let key_prefix = draw.namespace();
        let keys = draw.keys(249).into_iter().map(|key| fitted(key, key_prefix.as_deref()));
        let keys = keys.chain([String::new()]).collect();
        let options = json!({ "key_type": key_type.as_str(), "key_prefix": key_prefix.unwrap_or_default() });
        Pool::new(draw.pool(Hosts::AnyAndSockets), options, Options { key_type }, keys)
    };
    let pools: Vec<Pool> = (0..40).map(pool).collect();
    compare("pymemcache", "python.py", "pymemcache", &pools, 10_000);
}

#[test]
#[ignore = "asks the real library: cargo xtask live"]
fn uhashring_gives_every_key_to_the_server_we_name() {
    use uhashring::{HashFn, Options};
    let mut draw = Draw::new(2);
    let pool = |number: usize| {
        let hash_fn = HashFn::ALL[number % HashFn::ALL.len()];
        let vnodes = draw.once_in(3).then(|| 1 + draw.below(60) as u32);
        let mut keys = draw.keys(249);
        keys.push(String::new());
        let options = json!({ "hash_fn": hash_fn.as_str(), "vnodes": vnodes });
        // A weight so small that it rounds to no point at all is a server without keys, to both.
        Pool::new(draw.pool(Hosts::Any), options, Options { hash_fn, vnodes }, keys)
    };
    let pools: Vec<Pool> = (0..40).map(pool).collect();
    compare("uhashring", "python.py", "uhashring", &pools, 10_000);
}

#[test]
#[ignore = "asks the real library: cargo xtask live"]
fn hashring_gives_every_key_to_the_server_we_name() {
    let mut draw = Draw::new(3);
    let pool = |_| {
        let mut keys = draw.keys(249);
        keys.push(String::new());
        Pool::new(draw.pool(Hosts::Any), Value::Null, python_hashring::Options::default(), keys)
    };
    let pools: Vec<Pool> = (0..40).map(pool).collect();
    compare("python-hashring", "python.py", "hashring", &pools, 10_000);
}

#[test]
#[ignore = "asks the real library: cargo xtask live"]
fn python_memcached_gives_every_key_to_the_server_we_name() {
    let mut draw = Draw::new(4);
    let pool = |_| {
        let mut keys = draw.keys(249);
        keys.push(String::new());
        Pool::new(draw.pool(Hosts::Any), Value::Null, python_memcached::Options::default(), keys)
    };
    let pools: Vec<Pool> = (0..40).map(pool).collect();
    compare("python-memcached", "python.py", "python-memcached", &pools, 10_000);
}

/// Behaviours, and which of them are given.
fn behaviours(draw: &mut Draw) -> (Map<String, Value>, pylibmc::Options) {
    let (mut given, mut options) = (Map::new(), pylibmc::Options::default());
    if !draw.once_in(4) {
        // The wheel's libmemcached is built without HSIEH.
        let built = |hash: &pylibmc::Hash| *hash != pylibmc::Hash::Hsieh;
        let hashes: Vec<_> = pylibmc::Hash::ALL.iter().copied().filter(built).collect();
        options.hash = *draw.pick(&hashes);
        given.insert("hash".to_owned(), json!(options.hash.as_str()));
    }
    if draw.once_in(3) {
        options.ketama = draw.once_in(2);
        given.insert("ketama".to_owned(), json!(options.ketama));
    }
    if draw.once_in(3) {
        let weighted = draw.once_in(2);
        options.ketama_weighted = Some(weighted);
        given.insert("ketama_weighted".to_owned(), json!(weighted));
    }
    if draw.once_in(3) {
        let distribution = *draw.pick(pylibmc::Distribution::ALL);
        options.distribution = Some(distribution);
        given.insert("distribution".to_owned(), json!(distribution.as_str()));
    }
    (given, options)
}

#[test]
#[ignore = "asks the real library: cargo xtask live"]
fn pylibmc_gives_every_key_to_the_server_we_name() {
    let mut draw = Draw::new(5);
    // Their ports, which are part of where keys go, are others in every run.
    let servers: Vec<FakeMemcached> = (0..12).map(|number| FakeMemcached::start(number).unwrap()).collect();
    let pool = |_| {
        let largest = *draw.pick(&[1, 1, 3, 20]);
        // An unweighted ring that a weight turns into a weighted one has memory for the points of six
        // servers only: from the seventh on the wheel's libmemcached writes beyond it, and dies.
        let most = if largest == 1 { servers.len() } else { 6 };
        let count = 1 + draw.below(most as u64) as usize;
        let list = servers[..count].iter().map(|server| {
            let server = Server::new(server.address().to_string());
            server.and_then(|server| server.with_weight(1 + draw.below(largest))).expect("a server")
        });
        let list = Buckets::new(list.collect::<Vec<_>>()).expect("a pool");
        let (mut given, options) = behaviours(&mut draw);
        let namespace = draw.namespace();
        let is_hashed = draw.once_in(2);
        if let Some(namespace) = &namespace {
            given.insert("namespace".to_owned(), json!(namespace));
        }
        given.insert("_hash_with_prefix_key".to_owned(), json!(is_hashed));
        // They are sent, so all must be short enough with what comes before them.
        let keys = draw.keys(100).into_iter().map(|key| fitted(key, namespace.as_deref())).collect();
        let hashed = namespace.as_deref().filter(|_| is_hashed);
        Pool::new(list, Value::Object(given), behind(options, hashed), keys)
    };
    let pools: Vec<Pool> = (0..100).map(pool).collect();
    compare("pylibmc", "python.py", "pylibmc", &pools, 10_000);
}
