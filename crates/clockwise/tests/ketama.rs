//! What ketama does to a fleet, in exact numbers: libmemcached's weighted ring and twemproxy's.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a failure here is the message

use clockwise::dialect::{libmemcached, twemproxy};
use clockwise::{Buckets, Error, Placement, Server};

/// A list of servers reached under their names.
fn list(servers: &[(&str, u32)]) -> Buckets {
    let servers: Result<Vec<Server>, Error> =
        servers.iter().map(|&(name, weight)| Server::new(name)?.with_weight(weight)).collect();
    Buckets::new(servers.unwrap()).unwrap()
}

const FOUR: [(&str, u32); 4] =
    [("10.0.0.1:11300", 1), ("10.0.0.2:11300", 1), ("10.0.0.3:11300", 1), ("10.0.0.4:11300", 1)];

fn md5_pool() -> twemproxy::Options {
    twemproxy::Options { hash: twemproxy::Hash::Md5, ..twemproxy::Options::default() }
}

#[test]
fn owners_of_twelve_keys_on_four_equal_servers_last() {
    let long = "x".repeat(250);
    let owners = [
        ("user:1", 2),
        ("user:2", 3),
        ("user:42", 2),
        ("a", 3),
        ("b", 3),
        ("cart/9", 3),
        ("", 3),
        ("session:0001", 1),
        (&long, 4),
        ("caf\u{e9}", 1),
        ("k17", 3),
        ("k18", 3),
    ];
    let client = libmemcached::Options::ketama_weighted().build(&list(&FOUR)).unwrap();
    let pool = md5_pool().build(&list(&FOUR)).unwrap();
    for (key, owner) in owners {
        let owner = format!("10.0.0.{owner}:11300");
        assert_eq!(client.owner(key).name().as_str(), owner, "{key:?}");
        // twemproxy does not hash the empty key.
        if !key.is_empty() {
            assert_eq!(pool.owner(key).name().as_str(), owner, "{key:?}");
        }
    }
}

#[test]
fn equal_points_are_decided_by_rule() {
    const POINT: u64 = 1_457_470_260;
    const KEYS: [&str; 3] = ["key138", "key206", "key297"];
    let (a, b) = ("cache-0601.test:11300", "cache-0723.test:11300");
    let one_by_one = |first, second| list(&[(first, 1)]).pushed(Server::new(second).unwrap()).unwrap();
    let built = [list(&[(a, 1), (b, 1)]), list(&[(b, 1), (a, 1)]), one_by_one(a, b), one_by_one(b, a)];

    for servers in &built {
        // libmemcached: the server listed first, or with sorted hosts the smaller host.
        let client = libmemcached::Options::ketama_weighted().build(servers).unwrap();
        assert!(client.depends_on_order());
        let sorted = libmemcached::Options { sort_hosts: true, ..libmemcached::Options::ketama_weighted() };
        let sorted = sorted.build(servers).unwrap();
        assert!(!sorted.depends_on_order());
        // twemproxy: not specified; here the first in its own order, by name.
        let pool = md5_pool().build(servers).unwrap();
        assert!(!pool.depends_on_order());
        for key in KEYS {
            assert_eq!(client.owner(key), &servers.servers()[0], "{key}");
            assert_eq!(sorted.owner(key).name().as_str(), a, "{key}");
            assert_eq!(pool.owner(key).name().as_str(), a, "{key}");
        }

        let ring = pool.as_ring().unwrap();
        let [collision] = ring.collisions() else { panic!("{:?}", ring.collisions()) };
        assert_eq!(collision.position(), POINT);
        let names: Vec<_> = collision.servers().iter().map(|ix| ring.servers()[ix.index()].name()).collect();
        assert_eq!(names.iter().map(|name| name.as_str()).collect::<Vec<_>>(), [a, b]);
        assert_eq!(ring.points().filter(|&(position, _)| position == POINT).count(), 2);
    }
}

#[test]
fn a_weight_that_rounds_to_no_point_leaves_its_server_listed_and_known() {
    let servers = list(&[("10.0.0.1:11300", 1), ("10.0.0.2:11300", 1_000), ("10.0.0.3:11300", 1_000)]);
    let client = libmemcached::Options::ketama_weighted().build(&servers).unwrap();
    let pool = md5_pool().build(&servers).unwrap();
    fn check<H: clockwise::hash::KeyHash>(ring: &clockwise::Ring<H>) {
        assert_eq!(ring.point_counts(), [0, 236, 236]);
        assert_eq!(ring.servers().len(), 3);
        let pointless: Vec<_> = ring.pointless().map(|server| server.name().as_str()).collect();
        assert_eq!(pointless, ["10.0.0.1:11300"]);
    }
    check(client.as_ring().unwrap());
    check(pool.as_ring().unwrap());
}

#[test]
fn a_raised_weight_moves_690_keys_between_servers_that_did_not_change() {
    let weighing = |third| list(&[("10.0.0.1:11300", 1), ("10.0.0.2:11300", 1), ("10.0.0.3:11300", third)]);
    let options = libmemcached::Options::ketama_weighted();
    let (before, after) = (options.build(&weighing(1)).unwrap(), options.build(&weighing(3)).unwrap());
    let (mut moved, mut to_third) = (0, 0);
    for i in 0..20_000 {
        let key = format!("k{i}");
        let (old, new) = (before.owner(&key).name(), after.owner(&key).name());
        if old != new {
            moved += 1;
            to_third += u32::from(new.as_str() == "10.0.0.3:11300");
            assert_ne!(old.as_str(), "10.0.0.3:11300", "{key} left the server that was raised");
        }
    }
    assert_eq!((moved, to_third, moved - to_third), (5_972, 5_282, 690));
}

#[test]
fn a_key_hash_of_15_bits_sends_all_keys_of_a_ring_to_one_server() {
    let pool = twemproxy::Options { hash: twemproxy::Hash::Crc32, ..twemproxy::Options::default() };
    let pool = pool.build(&list(&FOUR)).unwrap();
    let to_third =
        (0..100_000).filter(|i| pool.owner(format!("key-{i}")).name().as_str() == "10.0.0.3:11300");
    assert_eq!(to_third.count(), 100_000);
    assert_eq!(pool.as_ring().unwrap().points().next().map(|(position, _)| position), Some(2_965_727));
}
