//! PHP's two clients.

use clockwise::Buckets;
use clockwise::dialect::libmemcached::Hash;
use clockwise::dialect::{php_memcache, php_memcached};
use serde_json::json;

use crate::draw::{Draw, Hosts, fitted};
use crate::library::{Pool, behind, compare};

/// The hashes that PHP has a name for and Debian's libmemcached is built with.
const HASHES: [Hash; 8] = [
    Hash::Default,
    Hash::Md5,
    Hash::Crc,
    Hash::Fnv1_64,
    Hash::Fnv1a64,
    Hash::Fnv1_32,
    Hash::Fnv1a32,
    Hash::Murmur,
];

#[test]
#[ignore = "asks the real client: cargo xtask live"]
fn memcached_gives_every_key_to_the_server_we_name() {
    use php_memcached::{Distribution, Options};
    let mut draw = Draw::new(31);
    let pool = |number: usize| {
        let libketama_compatible = number.is_multiple_of(3);
        let options = Options {
            distribution: *draw.pick(Distribution::ALL),
            hash: draw.once_in(2).then(|| *draw.pick(&HASHES)),
            libketama_compatible,
            set_after_servers: !libketama_compatible && draw.once_in(3),
        };
        let namespace = draw.namespace();
        let hash_with_prefix_key = draw.once_in(2);
        let spelled = json!({
            "distribution": options.distribution.as_str(),
            "hash": options.hash.map(Hash::as_str),
            "libketama_compatible": libketama_compatible,
            "set_after_servers": options.set_after_servers,
            "add_servers": number.is_multiple_of(2),
            "prefix_key": namespace,
            "hash_with_prefix_key": hash_with_prefix_key,
        });
        let hashed = namespace.as_deref().filter(|_| hash_with_prefix_key);
        let mut list = draw.pool(Hosts::AnyAndSockets);
        if number.is_multiple_of(2) {
            let servers = list.servers().iter().map(|server| match server.address().as_str() {
                path if path.starts_with('/') => server.clone().with_address(format!("{path}:0")),
                _ => Ok(server.clone()),
            });
            list = Buckets::new(servers.collect::<Result<Vec<_>, _>>().unwrap()).unwrap();
        }
        let keys = draw.keys(150).into_iter().map(|key| fitted(key, hashed)).collect();
        Pool::new(list, spelled, behind(options, hashed), keys)
    };
    let pools: Vec<Pool> = (0..80).map(pool).collect();
    compare("php-memcached", "php.php", "memcached", &pools, 12_000);
}

#[test]
#[ignore = "asks the real client: cargo xtask live"]
fn memcache_gives_every_key_to_the_server_we_name() {
    use php_memcache::{Function, Options, Strategy};
    let mut draw = Draw::new(32);
    let pool = |_| {
        let options =
            Options { hash_strategy: *draw.pick(Strategy::ALL), hash_function: *draw.pick(Function::ALL) };
        let spelled = json!({
            "hash_strategy": options.hash_strategy.as_str(),
            "hash_function": options.hash_function.as_str(),
        });
        Pool::new(draw.pool(Hosts::Any), spelled, options, draw.keys(250))
    };
    let pools: Vec<Pool> = (0..40).map(pool).collect();
    compare("php-memcache", "php.php", "memcache", &pools, 10_000);
}
