//! Fleets that differ in known ways, and what is found.

use clockwise::dialect::haproxy::{HashType, Method};
use clockwise::dialect::{libmemcached, npm_hashring, php_memcached, spymemcached, twemproxy, uhashring};
use clockwise::hash::NamedHash;
use clockwise::{Buckets, KeyPrefix, Scheme, Server};

use super::*;

/// Servers by name, address and weight.
type Row<'r> = (&'r str, &'r str, u32);

fn fleet(scheme: impl Into<Scheme>, rows: &[Row<'_>]) -> Fleet {
    let server = |&(name, address, weight): &Row<'_>| {
        Server::new(name).unwrap().with_address(address).unwrap().with_weight(weight).unwrap()
    };
    Fleet { scheme: scheme.into(), servers: Buckets::new(rows.iter().map(server)).unwrap() }
}

const NAMED: [Row<'static>; 4] = [
    ("cache-1", "10.0.0.1:11211", 1),
    ("cache-2", "10.0.0.2:11211", 1),
    ("cache-3", "10.0.0.3:11211", 1),
    ("cache-4", "10.0.0.4:11211", 1),
];

const BARE: [Row<'static>; 4] = [
    ("10.0.0.1:11211", "10.0.0.1:11211", 1),
    ("10.0.0.2:11211", "10.0.0.2:11211", 1),
    ("10.0.0.3:11211", "10.0.0.3:11211", 1),
    ("10.0.0.4:11211", "10.0.0.4:11211", 1),
];

fn ring(points_per_weight: u32) -> Scheme {
    Scheme::Ring { hash: NamedHash::Xxh3, points_per_weight }
}

fn twemproxy(distribution: twemproxy::Distribution, hash: twemproxy::Hash) -> twemproxy::Options {
    twemproxy::Options { distribution, hash, hash_tag: None }
}

/// The difference on a few thousand keys, with what must hold of every list of causes.
fn differ(a: &Fleet, b: &Fleet) -> Diff {
    let diff = diff(a, b, &KeySet::seeded(1_500, 1)).unwrap();
    let moved = diff.moves.moved().keys;
    assert_eq!(diff.differs(), moved > 0);
    assert_eq!(diff.causes.is_empty(), moved == 0, "{:?}", diff.causes);
    if let Some(last) = diff.causes.last() {
        assert_eq!(last.left, 0, "{:?}", diff.causes);
    }
    for cause in &diff.causes {
        assert_ne!(cause.alone, Some(0), "{cause:?} is not needed");
    }
    diff
}

fn causes(a: &Fleet, b: &Fleet) -> Vec<String> {
    differ(a, b)
        .causes
        .iter()
        .map(|cause| format!("{}: {} | {}", cause.knob.name(), cause.a, cause.b))
        .collect()
}

#[test]
fn fleets_that_agree_have_no_causes_whatever_else_differs() {
    let a = fleet(ring(160), &NAMED);
    let mut turned = NAMED;
    turned.reverse();
    turned[0].1 = "10.9.9.9:11211";
    let diff = differ(&a, &fleet(ring(160), &turned));
    assert_eq!(diff.moves.moved().keys, 0);
    assert_eq!(diff.circle.as_ref().map(|circle| circle.moved().part()), Some(0));
    let (left, right) = diff.fingerprints();
    assert_eq!(left, right);
    assert_eq!(diff.notes, ["cache-4 is reached at 10.0.0.4:11211 in A and at 10.9.9.9:11211 in B"]);
}

#[test]
fn twemproxy_by_name_and_libmemcached_by_address_differ_by_the_label_alone() {
    let a = fleet(twemproxy(twemproxy::Distribution::Ketama, twemproxy::Hash::Md5), &NAMED);
    let b = fleet(libmemcached::Options::ketama_weighted(), &NAMED);
    let diff = differ(&a, &b);
    assert!((0.6..0.9).contains(&diff.share()), "{}", diff.share());
    assert_eq!(causes(&a, &b), ["label: the name: cache-1 | the address without its port: 10.0.0.1"]);
    // The other way round the address is set to the name.
    assert_eq!(causes(&b, &a), ["label: the address: 10.0.0.1:11211 | the name: cache-1"]);
    // Without names the two are compatible, as they are meant to be.
    let unnamed = NAMED.map(|(_, address, weight)| (address.trim_end_matches(":11211"), address, weight));
    let twin = fleet(twemproxy(twemproxy::Distribution::Ketama, twemproxy::Hash::Md5), &unnamed);
    assert_eq!(causes(&twin, &b), [""; 0]);
}

#[test]
fn ports_other_than_11211_stay_in_the_label() {
    let rows =
        [("cache-1", "10.0.0.1:11211", 1), ("cache-2", "10.0.0.1:11212", 1), ("cache-3", "10.0.0.2:5", 1)];
    let a = fleet(twemproxy(twemproxy::Distribution::Ketama, twemproxy::Hash::Md5), &rows);
    let b = fleet(libmemcached::Options::ketama_weighted(), &rows);
    assert_eq!(
        causes(&a, &b),
        ["label: the name: cache-1 | the address, without its port if that is 11211: 10.0.0.1"]
    );
}

#[test]
fn two_causes_that_each_hide_the_other_are_both_found() {
    let a = fleet(twemproxy::Options::default(), &NAMED);
    let b = fleet(libmemcached::Options::ketama_weighted(), &NAMED);
    let diff = differ(&a, &b);
    let mut names: Vec<&str> = diff.causes.iter().map(|cause| cause.knob.name()).collect();
    names.sort_unstable();
    assert_eq!(names, ["hash", "label"]);
    let hash = diff.causes.iter().find(|cause| cause.knob.name() == "hash").unwrap();
    assert_eq!((hash.a.as_str(), hash.b.as_str()), ("fnv1a_64", "md5"));
    assert_eq!(hash.detail.as_deref(), Some("which libmemcached calls MD5"));
    // One of them set right helps little; both together explain every key.
    assert!(diff.causes[0].left > 750 && diff.causes[1].left == 0, "{:?}", diff.causes);
}

#[test]
fn settings_of_one_system_are_named_by_their_keys() {
    let base = twemproxy(twemproxy::Distribution::Ketama, twemproxy::Hash::Murmur);
    for (other, expected) in [
        (twemproxy::Options { hash: twemproxy::Hash::Jenkins, ..base }, "hash: murmur | jenkins"),
        (
            twemproxy::Options { distribution: twemproxy::Distribution::Modula, ..base },
            "distribution: ketama | modula",
        ),
        (twemproxy::Options { hash_tag: Some(":0".parse().unwrap()), ..base }, "hash_tag: (none) | :0"),
    ] {
        assert_eq!(causes(&fleet(base, &NAMED), &fleet(other, &NAMED)), [expected]);
    }
    assert_eq!(
        causes(&fleet(ring(160), &NAMED), &fleet(ring(100), &NAMED)),
        ["points_per_weight: 160 | 100"]
    );
    let bounded = |cap: &str| Scheme::Bounded {
        hash: NamedHash::Xxh3,
        points_per_weight: 40,
        cap: cap.parse().unwrap(),
    };
    assert_eq!(
        causes(&fleet(bounded("0.01"), &NAMED), &fleet(bounded("0.5"), &NAMED)),
        ["epsilon: 0.01 | 0.5"]
    );
}

#[test]
fn what_differs_among_the_servers_is_found_one_by_one() {
    let with = |change: fn(&mut Vec<Row<'static>>)| {
        let mut rows = NAMED.to_vec();
        change(&mut rows);
        fleet(ring(40), &rows)
    };
    let a = with(|_| {});
    for (b, expected) in [
        (with(|rows| rows.truncate(3)), "only in A: cache-4 | not listed"),
        (with(|rows| rows.push(("cache-5", "10.0.0.5:1", 1))), "only in B: not listed | cache-5"),
        (with(|rows| rows[1].2 = 3), "weights: cache-2 1 | cache-2 3"),
        (with(|rows| rows[2].0 = "slow"), "names: cache-3 | slow"),
    ] {
        assert_eq!(causes(&a, &b), [expected]);
    }
    let mut draining = a.clone();
    let mut servers = a.servers.servers().to_vec();
    servers[3] = servers[3].clone().draining();
    draining.servers = Buckets::new(servers).unwrap();
    assert_eq!(causes(&a, &draining), ["states: cache-4 active | cache-4 draining"]);

    // A ring's names that are addresses with and without the port.
    let bare = BARE.map(|(name, address, weight)| (name.trim_end_matches(":11211"), address, weight));
    let diff = differ(&fleet(ring(40), &BARE), &fleet(ring(40), &bare));
    assert_eq!(diff.causes[0].detail.as_deref(), Some("they differ by the port alone"));
}

#[test]
fn the_order_of_the_list_counts_where_it_is_the_placement() {
    let mut turned = NAMED;
    turned.swap(0, 3);
    let expected =
        "order of the list: cache-1, cache-2, cache-3, cache-4 | cache-4, cache-2, cache-3, cache-1";
    for scheme in [Scheme::ModN { hash: NamedHash::Xxh3 }, Scheme::Jump { hash: NamedHash::Xxh3 }] {
        assert_eq!(causes(&fleet(scheme.clone(), &NAMED), &fleet(scheme, &turned)), [expected]);
    }
    let set = fleet(Scheme::Rendezvous { hash: NamedHash::Xxh3 }, &NAMED);
    assert_eq!(causes(&set, &fleet(Scheme::Rendezvous { hash: NamedHash::Xxh3 }, &turned)), [""; 0]);
}

/// twemproxy sorts its servers by length of name, so the list that both have is not the order of both.
#[test]
fn an_order_that_a_system_makes_itself_is_told_from_the_order_of_the_list() {
    let rows = [("sessions-1", "10.0.0.1:1", 1), ("a-2", "10.0.0.2:1", 1), ("web-3", "10.0.0.3:1", 1)];
    let a = fleet(twemproxy(twemproxy::Distribution::Modula, twemproxy::Hash::OneAtATime), &rows);
    let b = fleet(libmemcached::Options::default(), &rows);
    assert_eq!(causes(&a, &b), ["order of buckets: a-2, web-3, sessions-1 | sessions-1, a-2, web-3"]);
    // And with another hash as well, both are named.
    let b = fleet(libmemcached::Options { hash: libmemcached::Hash::Md5, ..Default::default() }, &rows);
    let mut found = causes(&a, &b);
    found.sort();
    assert_eq!(
        found,
        ["hash: one_at_a_time | md5", "order of buckets: a-2, web-3, sessions-1 | sessions-1, a-2, web-3"]
    );
}

#[test]
fn a_setting_that_the_other_system_lacks_is_a_cause_of_its_own() {
    let tag = Some("{}".parse().unwrap());
    let a = fleet(
        twemproxy::Options {
            hash_tag: tag,
            ..twemproxy(twemproxy::Distribution::Ketama, twemproxy::Hash::Md5)
        },
        &NAMED,
    );
    let b = fleet(libmemcached::Options::ketama_weighted(), &NAMED);
    let keys = KeySet::from_iter((0..2_000).map(|i| format!("{{user:{}}}:{i}", i % 7)));
    let found = diff(&a, &b, &keys).unwrap();
    let mut names: Vec<&str> = found.causes.iter().map(|cause| cause.knob.name()).collect();
    names.sort_unstable();
    assert_eq!(names, ["hash_tag", "label"]);
    // And so from the other side, although libmemcached has no setting for it.
    let found = diff(&b, &a, &keys).unwrap();
    let tag = found.causes.iter().find(|cause| cause.knob.name() == "hash_tag").unwrap();
    assert_eq!((tag.a.as_str(), tag.b.as_str(), found.causes.len()), ("(none)", "{}", 2));
}

#[test]
fn another_distribution_of_one_system_is_found_from_another_system() {
    let unweighted = libmemcached::Options {
        distribution: libmemcached::Distribution::Consistent,
        hash: libmemcached::Hash::Md5,
        ..libmemcached::Options::default()
    };
    let names = NAMED.map(|(_, address, weight)| (address.trim_end_matches(":11211"), address, weight));
    let pool = fleet(twemproxy(twemproxy::Distribution::Ketama, twemproxy::Hash::Md5), &names);
    assert_eq!(causes(&fleet(unweighted, &NAMED), &pool), ["distribution: CONSISTENT | CONSISTENT_WEIGHTED"]);
    let modula = libmemcached::Options {
        distribution: libmemcached::Distribution::Modula,
        ..libmemcached::Options::ketama_weighted()
    };
    assert_eq!(causes(&fleet(modula, &NAMED), &pool), ["distribution: MODULA | CONSISTENT_WEIGHTED"]);
}

#[test]
fn rings_with_nothing_in_common_differ_by_their_points_and_key_hash() {
    let a = fleet(ring(160), &NAMED);
    let b = fleet(twemproxy::Options::default(), &NAMED);
    let diff = differ(&a, &b);
    let mut names: Vec<&str> = diff.causes.iter().map(|cause| cause.knob.name()).collect();
    names.sort_unstable();
    assert_eq!(names, ["key hash", "points"]);
    let points = diff.causes.iter().find(|cause| cause.knob == Knob::Points).unwrap();
    assert_eq!((points.a.as_str(), points.b.as_str()), ("640 points", "640 points"));
    assert!(points.detail.as_deref().unwrap().starts_with("none in common"));
    // A ring and what is no ring have no parts to lend.
    let b = fleet(Scheme::Rendezvous { hash: NamedHash::Xxh3 }, &NAMED);
    assert_eq!(causes(&a, &b), ["scheme: ring-160 | rendezvous"]);
}

#[test]
fn the_rule_of_the_nearest_point_is_a_cause_of_its_own() {
    let nearest = clockwise::dialect::haproxy::Options {
        hash_type: HashType::new(Method::Consistent),
        ..Default::default()
    };
    let diff = differ(&fleet(twemproxy::Options::default(), &NAMED), &fleet(nearest, &NAMED));
    let mut names: Vec<&str> = diff.causes.iter().map(|cause| cause.knob.name()).collect();
    names.sort_unstable();
    assert_eq!(names, ["boundary", "key hash", "points"]);
    let rule = diff.causes.iter().find(|cause| cause.knob == Knob::Boundary).unwrap();
    assert_eq!(
        (rule.a.as_str(), rule.b.as_str()),
        ("the first point at or after the hash", "the point nearest to the hash")
    );
}

/// Two hosts each call themselves localhost in a list that they share.
#[test]
fn a_loopback_name_in_a_shared_list_is_pointed_out() {
    let a = fleet(
        libmemcached::Options::ketama_weighted(),
        &[("localhost:11311", "localhost:11311", 1), ("beta.test:11311", "beta.test:11311", 1)],
    );
    let b = fleet(
        libmemcached::Options::ketama_weighted(),
        &[("alpha.test:11311", "alpha.test:11311", 1), ("localhost:11311", "localhost:11311", 1)],
    );
    let diff = diff(&a, &b, &KeySet::seeded(100_000, 1)).unwrap();
    let share = diff.share();
    assert!(share > 0.0 && share < 1.0, "{share}");
    let (left, right) = diff.fingerprints();
    assert_ne!(left, right);
    assert_eq!(diff.notes.len(), 2);
    assert!(diff.notes[0].starts_with("\"localhost:11311\" of A means another machine on every host"));
}

#[test]
fn several_differences_at_once_are_each_found_and_none_is_made_up() {
    let mut state: u64 = 0x5eed_0041;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for round in 0..8 {
        let mut rows = NAMED.to_vec();
        let mut expected = Vec::new();
        let mut scheme = twemproxy(twemproxy::Distribution::Ketama, twemproxy::Hash::Murmur);
        if random(2) == 1 {
            scheme.hash = twemproxy::Hash::Jenkins;
            expected.push("hash");
        }
        if random(2) == 1 {
            rows[0].0 = "other";
            expected.push("names");
        }
        if random(2) == 1 {
            rows[1].2 = 2;
            expected.push("weights");
        }
        if random(2) == 1 {
            rows.push(("cache-9", "10.0.0.9:11211", 1));
            expected.push("only in B");
        }
        if random(2) == 1 {
            rows.swap(0, 1);
            rows[2].1 = "10.0.7.7:11211";
        }
        let a = fleet(twemproxy(twemproxy::Distribution::Ketama, twemproxy::Hash::Murmur), &NAMED);
        let diff = differ(&a, &fleet(scheme, &rows));
        let mut found: Vec<&str> = diff.causes.iter().map(|cause| cause.knob.name()).collect();
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected, "round {round}");
    }
}

/// Twenty-five equal servers: 160 points each in whole numbers, 156 in single precision.
#[test]
fn rounding_of_points_is_told_from_other_labels() {
    let names: Vec<String> = (0..25).map(|i| format!("cache-{i}")).collect();
    let rows: Vec<Row<'_>> = names.iter().map(|name| (name.as_str(), name.as_str(), 1)).collect();
    let whole = uhashring::Options { hash_fn: uhashring::HashFn::Ketama, vnodes: None };
    let a = fleet(twemproxy(twemproxy::Distribution::Ketama, twemproxy::Hash::Md5), &rows);
    let b = fleet(whole, &rows);
    assert_eq!(causes(&a, &b), ["points: 3,900 points | 4,000 points"]);
    let diff = differ(&a, &b);
    assert!(diff.causes[0].detail.as_deref().unwrap().starts_with("all of A's are among B's"));
    assert!(diff.share() < 0.05, "{}", diff.share());
}

/// Six clients of one list, each against each: none is called another scheme, for what they do
/// differently can be said, in the words of one of them or of both.
#[test]
fn clients_of_one_list_in_several_languages() {
    let fleets = [
        fleet(libmemcached::Options::ketama_weighted(), &NAMED),
        fleet(php_memcached::Options { libketama_compatible: true, ..Default::default() }, &NAMED),
        fleet(npm_hashring::Options::default(), &NAMED),
        fleet(spymemcached::Options::ketama(), &NAMED),
        fleet(twemproxy(twemproxy::Distribution::Ketama, twemproxy::Hash::Md5), &NAMED),
        fleet(uhashring::Options { hash_fn: uhashring::HashFn::Ketama, vnodes: None }, &NAMED),
    ];
    let mut found = Vec::new();
    for (at, a) in fleets.iter().enumerate() {
        for b in &fleets[at + 1..] {
            let (one, other) = (causes(a, b), causes(b, a));
            assert_eq!(one.len(), other.len(), "{one:?} {other:?}");
            found.push(one.join("; "));
        }
    }
    let port_or_not = "label: the address without its port: 10.0.0.1 | the address: 10.0.0.1:11211";
    let name_or_address = "label: the address: 10.0.0.1:11211 | the name: cache-1";
    let format = "key_format: LIBMEMCACHED | SPYMEMCACHED";
    assert_eq!(
        found,
        [
            "",
            port_or_not,
            format,
            name_or_address,
            name_or_address, // libmemcached
            port_or_not,
            format,
            name_or_address,
            name_or_address, // PHP, the same
            "",
            name_or_address,
            name_or_address, // hashring of npm
            name_or_address,
            name_or_address, // spymemcached
            "",              // twemproxy and uhashring
        ]
    );
}

fn behind(scheme: impl Into<Scheme>, prefix: &str) -> Scheme {
    scheme.into().with_key_prefix(KeyPrefix::new(prefix).unwrap())
}

#[test]
fn a_key_prefix_is_a_cause_whatever_places_the_keys() {
    let scheme = Scheme::Rendezvous { hash: NamedHash::Xxh3 };
    for scheme in [ring(40), scheme, twemproxy::Options::default().into()] {
        let (a, b) = (fleet(scheme.clone(), &NAMED), fleet(behind(scheme.clone(), "app:"), &NAMED));
        assert_eq!(causes(&a, &b), ["key_prefix: (none) | app:"]);
        assert_eq!(causes(&b, &a), ["key_prefix: app: | (none)"]);
        let c = fleet(behind(scheme, "web:"), &NAMED);
        assert_eq!(causes(&c, &b), ["key_prefix: web: | app:"]);
    }
}

#[test]
fn a_key_prefix_is_told_apart_from_another_system_or_key_hash() {
    // Two clients of one pool: the one hashes its namespace, the other does not.
    let pool = twemproxy(twemproxy::Distribution::Ketama, twemproxy::Hash::Md5);
    let names = NAMED.map(|(_, address, weight)| (address.trim_end_matches(":11211"), address, weight));
    let client = libmemcached::Options::ketama_weighted();
    let a = fleet(pool, &names);
    assert_eq!(causes(&a, &fleet(behind(client, "app:"), &NAMED)), ["key_prefix: (none) | app:"]);
    assert_eq!(causes(&fleet(behind(client, "app:"), &NAMED), &a), ["key_prefix: app: | (none)"]);
    assert_eq!(causes(&a, &fleet(client, &NAMED)), [""; 0]);
    // Another hash, for which there is a word, and a prefix.
    let murmur = libmemcached::Options { hash: libmemcached::Hash::Murmur, ..client };
    let mut found = causes(&a, &fleet(behind(murmur, "app:"), &NAMED));
    found.sort();
    assert_eq!(found, ["hash: md5 | murmur", "key_prefix: (none) | app:"]);
    // Another hash, for which there is none, and a prefix; each alone moves keys.
    let ours = fleet(Scheme::ModN { hash: NamedHash::Xxh3 }, &NAMED);
    let theirs = fleet(behind(libmemcached::Options::default(), "app:"), &NAMED);
    let mut found = causes(&ours, &theirs);
    found.sort();
    assert_eq!(found, ["key hash: xxh3-64 | one-at-a-time-signed", "key_prefix: (none) | app:"]);
    // No part in common: the scheme as a whole, and the prefix.
    let rendezvous = fleet(Scheme::Rendezvous { hash: NamedHash::Xxh3 }, &NAMED);
    let mut found = causes(&fleet(behind(ring(160), "app:"), &NAMED), &rendezvous);
    found.sort();
    assert_eq!(found, ["key_prefix: app: | (none)", "scheme: ring-160 | rendezvous"]);
}

/// What its settings could make of a table says nothing about the table.
#[test]
fn a_ring_and_a_table_differ_as_wholes_and_not_by_points_that_one_of_them_could_have() {
    use clockwise::dialect::{envoy, haproxy, nginx};
    let table = haproxy::Options { hash_type: HashType::new(Method::MapBased), ..Default::default() };
    let maglev = envoy::Options { lb_policy: envoy::Policy::Maglev, table_size: 503, ..Default::default() };
    for (table, called) in [
        (Scheme::from(clockwise::dialect::Dialect::from(table)), "haproxy map-based"),
        (Scheme::from(clockwise::dialect::Dialect::from(maglev)), "envoy MAGLEV"),
        (Scheme::from(clockwise::dialect::Dialect::from(nginx::Options { consistent: false })), "nginx hash"),
    ] {
        let (a, b) = (fleet(ring(40), &NAMED), fleet(table, &NAMED));
        assert_eq!(causes(&a, &b), [format!("scheme: ring-40 | {called}")]);
        assert_eq!(causes(&b, &a), [format!("scheme: {called} | ring-40")]);
    }
}
