//! libmemcached, its shared library called.

use clockwise::dialect::libmemcached::{Distribution, Hash, Options};
use serde_json::json;

use crate::draw::{Draw, Hosts};
use crate::library::{Pool, compare};

/// Debian's library is built without it.
fn is_built(hash: Hash) -> bool {
    hash != Hash::Hsieh
}

#[test]
#[ignore = "asks the real library: cargo xtask live"]
fn libmemcached_gives_every_key_to_the_server_we_name() {
    let mut draw = Draw::new(21);
    let mut pools = Vec::new();
    for &hash in Hash::ALL.iter().filter(|hash| is_built(**hash)) {
        for &distribution in Distribution::ALL {
            for set_after_servers in [false, true] {
                let sort_hosts = draw.once_in(3);
                // Two ways to the weighted ring.
                let ketama_weighted = distribution == Distribution::ConsistentWeighted && !set_after_servers;
                let options = Options { distribution, hash, set_after_servers, sort_hosts };
                let spelled = json!({
                    "distribution": distribution.as_str(),
                    "hash": hash.as_str(),
                    "set_after_servers": set_after_servers,
                    "sort_hosts": sort_hosts,
                    "ketama_weighted": ketama_weighted && draw.once_in(2),
                });
                let list = draw.pool(Hosts::AnyAndSockets);
                pools.push(Pool::of_bytes(list, spelled, options, draw.byte_keys(120)));
            }
        }
    }
    compare("libmemcached", "libmemcached.py", "libmemcached", &pools, 12_000);
}
