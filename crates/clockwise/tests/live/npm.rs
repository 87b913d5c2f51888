//! Clients and rings of npm.

use clockwise::dialect::{memjs, npm_hashring, npm_ketama, npm_memcached};
use serde_json::{Value, json};

use crate::draw::{Draw, Hosts};
use crate::library::{Pool, behind, compare};

#[test]
#[ignore = "asks the real library: cargo xtask live"]
fn hashring_gives_every_key_to_the_server_we_name() {
    use npm_hashring::{Algorithm, Compatibility, Options};
    let mut draw = Draw::new(11);
    let pool = |_| {
        let options = Options {
            algorithm: *draw.pick(Algorithm::ALL),
            compatibility: *draw.pick(Compatibility::ALL),
            default_port: draw.once_in(2).then_some(11_211),
            vnode_count: if draw.once_in(3) { 1 + draw.below(60) as u32 } else { 40 },
        };
        let spelled = json!({
            "algorithm": options.algorithm.as_str(),
            "compatibility": options.compatibility.as_str(),
            "default_port": options.default_port,
            "vnode_count": options.vnode_count,
        });
        let mut keys = draw.keys(249);
        keys.push(String::new());
        Pool::new(draw.pool(Hosts::Any), spelled, options, keys)
    };
    let pools: Vec<Pool> = (0..40).map(pool).collect();
    compare("npm-hashring", "node.js", "hashring", &pools, 10_000);
}

#[test]
#[ignore = "asks the real library: cargo xtask live"]
fn memcached_gives_every_key_to_the_server_we_name() {
    use npm_memcached::Options;
    let mut draw = Draw::new(12);
    let pool = |_| {
        let options = Options {
            algorithm: *draw.pick(npm_hashring::Algorithm::ALL),
            compatibility: *draw.pick(npm_hashring::Compatibility::ALL),
        };
        let namespace = draw.namespace();
        let spelled = json!({
            "algorithm": options.algorithm.as_str(),
            "compatibility": options.compatibility.as_str(),
            "namespace": namespace.as_deref().unwrap_or(""),
        });
        let keys = draw.keys(250);
        Pool::new(draw.pool(Hosts::Any), spelled, behind(options, namespace.as_deref()), keys)
    };
    let pools: Vec<Pool> = (0..40).map(pool).collect();
    compare("npm-memcached", "node.js", "memcached", &pools, 10_000);
}

#[test]
#[ignore = "asks the real library: cargo xtask live"]
fn ketama_gives_every_key_to_the_server_we_name() {
    let mut draw = Draw::new(13);
    let pool = |_| {
        let mut keys = draw.keys(249);
        keys.push(String::new());
        Pool::new(draw.pool(Hosts::Any), Value::Null, npm_ketama::Options::default(), keys)
    };
    let pools: Vec<Pool> = (0..40).map(pool).collect();
    compare("npm-ketama", "node.js", "ketama", &pools, 10_000);
}

#[test]
#[ignore = "asks the real library: cargo xtask live"]
fn memjs_gives_every_key_to_the_server_we_name() {
    let mut draw = Draw::new(14);
    let pool = |_| {
        let mut keys = draw.keys(249);
        keys.push(String::new());
        // Its list of servers is cut at colons, and so is an IPv6 address.
        Pool::new(draw.pool(Hosts::Plain), Value::Null, memjs::Options::default(), keys)
    };
    let pools: Vec<Pool> = (0..40).map(pool).collect();
    compare("npm-memjs", "node.js", "memjs", &pools, 10_000);
}
