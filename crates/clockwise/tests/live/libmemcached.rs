//! libmemcached, its shared library called.

use clockwise::dialect::libmemcached::{Distribution, Hash, Options};
use serde_json::json;

use crate::draw::{Draw, Hosts};
use crate::library::{Pool, behind, compare};

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
                let namespace = draw.namespace();
                let hash_with_namespace = draw.once_in(2);
                let spelled = json!({
                    "distribution": distribution.as_str(),
                    "hash": hash.as_str(),
                    "set_after_servers": set_after_servers,
                    "sort_hosts": sort_hosts,
                    "ketama_weighted": ketama_weighted && draw.once_in(2),
                    "namespace": namespace,
                    "hash_with_namespace": hash_with_namespace,
                });
                let list = draw.pool(Hosts::AnyAndSockets);
                let mut keys = draw.byte_keys(120);
                let hashed = namespace.as_deref().filter(|_| hash_with_namespace);
                if hash_with_namespace {
                    // Then, with or without a namespace, it hashes keys that are longer in all as 0, and
                    // NULs for whatever follows a NUL.
                    for key in &mut keys {
                        key.truncate(250 - hashed.map_or(0, str::len));
                        key.retain(|byte| *byte != 0);
                    }
                }
                pools.push(Pool::of_bytes(list, spelled, behind(options, hashed), keys));
            }
        }
    }
    compare("libmemcached", "libmemcached.py", "libmemcached", &pools, 12_000);
}
