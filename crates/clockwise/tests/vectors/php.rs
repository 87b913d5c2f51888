//! The answers of PHP's two clients.

use clockwise::dialect::libmemcached::Hash;
use clockwise::dialect::{php_memcache, php_memcached};

use crate::record::{at_host, check, text};

#[test]
fn every_recorded_owner_of_php_memcached() {
    use php_memcached::{Distribution, Options};
    check("php/memcached.json", 12_000, at_host, |config| {
        let mut options = Options::default();
        // Options were set in this order.
        for option in text(config, "options").split(" + ") {
            match (option, option.strip_prefix("HASH_")) {
                (_, Some(hash)) => options.hash = Some(hash.parse::<Hash>().expect("a hash")),
                ("default", _) => {}
                ("CONSISTENT" | "DISTRIBUTION_CONSISTENT", _) => {
                    options.distribution = Distribution::Consistent;
                }
                // Sets a hash of its own.
                ("LIBKETAMA_COMPATIBLE", _) => (options.libketama_compatible, options.hash) = (true, None),
                (other, _) => panic!("unknown option {other}"),
            }
        }
        options
    });
}

#[test]
fn every_recorded_owner_of_php_memcache() {
    check("php/memcache.json", 8_400, at_host, |config| php_memcache::Options {
        hash_strategy: text(config, "memcache.hash_strategy").parse().expect("a strategy"),
        hash_function: text(config, "memcache.hash_function").parse().expect("a function"),
    });
}
