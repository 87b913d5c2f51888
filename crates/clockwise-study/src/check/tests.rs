//! Fleets with one thing wrong each, and what is found.

use clockwise::dialect::{cassandra, dskit, haproxy, libmemcached, nginx, twemproxy};
use clockwise::hash::NamedHash;
use clockwise::{Buckets, KeyPrefix, Scheme, Server, ServerName};

use super::*;

fn numbered(count: usize) -> Vec<Server> {
    let server = |i: usize| {
        Server::new(format!("cache-{i}")).unwrap().with_address(format!("10.0.{}.{}:11211", i / 250, i % 250))
    };
    (0..count).map(|i| server(i).unwrap()).collect()
}

fn fleet(scheme: impl Into<Scheme>, servers: impl IntoIterator<Item = Server>) -> Fleet {
    Fleet { scheme: scheme.into(), servers: Buckets::new(servers).unwrap() }
}

fn ring(points_per_weight: u32) -> Scheme {
    Scheme::Ring { hash: NamedHash::Xxh3, points_per_weight }
}

fn rules(fleet: &Fleet) -> Vec<String> {
    check(fleet).iter().map(|finding| format!("{} {}", finding.severity, finding.rule)).collect()
}

/// The one finding of a rule.
fn only(fleet: &Fleet, rule: &str) -> Finding {
    let found: Vec<Finding> = check(fleet).into_iter().filter(|finding| finding.rule == rule).collect();
    assert_eq!(found.len(), 1, "{:?}", rules(fleet));
    let finding = found.into_iter().next().unwrap();
    for text in [&finding.message, &finding.reason, &finding.remedy] {
        assert!(!text.is_empty() && !text.ends_with('.'), "{text}");
    }
    finding
}

fn value(finding: &Finding) -> f64 {
    finding.figure.unwrap().value
}

#[test]
fn a_sound_fleet_has_no_findings() {
    let zoned = numbered(6).into_iter().zip(["a", "b", "c"].iter().cycle());
    let zoned: Vec<Server> = zoned.map(|(server, zone)| server.with_zone(*zone).unwrap()).collect();
    for scheme in [
        ring(160),
        Scheme::Rendezvous { hash: NamedHash::Xxh3 },
        Scheme::Maglev { hash: NamedHash::Xxh3, table_size: 65_537 },
        twemproxy::Options { hash: twemproxy::Hash::Murmur, ..twemproxy::Options::default() }.into(),
    ] {
        assert_eq!(rules(&fleet(scheme.clone(), zoned.clone())), [""; 0], "{scheme}");
    }
}

#[test]
fn a_thin_ring_is_told_with_its_expectation_and_the_points_it_needs() {
    let thin = fleet(ring(16), numbered(20));
    let finding = only(&thin, "thin-ring");
    let expected = crate::theory::expected_busiest(20, 16).unwrap();
    assert_eq!(value(&finding).to_bits(), expected.to_bits());
    assert!(expected > 1.4, "{expected}");
    let needed = crate::theory::points_needed(20, 0.25).unwrap();
    assert!(finding.remedy.starts_with(&format!("{needed} points each")), "{}", finding.remedy);
    assert_eq!(finding.subject, Subject::Setting("points_per_weight"));
    assert_eq!(rules(&fleet(ring(needed as u32 + 40), numbered(20))), [""; 0]);
}

#[test]
fn points_that_nginx_hands_on_are_no_rounding() {
    let mut servers = numbered(5);
    servers[2] = servers[2].clone().draining();
    assert_eq!(rules(&fleet(nginx::Options { consistent: true }, servers)), [""; 0]);
}

#[test]
fn tokens_that_were_given_are_no_ones_rounding() {
    let names: Vec<ServerName> = numbered(3).iter().map(|server| server.name().clone()).collect();
    let tokens = [(names[0].clone(), vec![1, 1 << 30, 1 << 31]), (names[1].clone(), vec![3 << 30])];
    let ring = fleet(dskit::Options { tokens: tokens.into(), ..dskit::Options::default() }, numbered(3));
    assert_eq!(only(&ring, "no-points").message, "server cache-2 owns nothing: it has no tokens");
    let unequal = only(&ring, "unequal-points");
    assert_eq!(unequal.message, "server cache-1 has 1 point and server cache-0 has 3, both of weight 1");
    assert_eq!(unequal.remedy, "give equal servers equally many tokens");
}

/// Fifteen bits on a ring of 32: all keys below its lowest point.
#[test]
fn a_hash_of_15_bits_gives_all_keys_to_one_server() {
    let servers = (1..=4).map(|i| Server::new(format!("10.0.0.{i}:11300")).unwrap());
    let pool =
        fleet(twemproxy::Options { hash: twemproxy::Hash::Crc32, ..twemproxy::Options::default() }, servers);
    let finding = only(&pool, "narrow-hash");
    assert_eq!(finding.severity, Severity::Error);
    assert_eq!(finding.subject, Subject::Setting("hash"));
    assert_eq!(
        finding.message,
        "the key hash has 15 bits and the ring 32: keys reach only 1 of its 640 points"
    );
    assert!(finding.remedy.contains("crc32a"), "{}", finding.remedy);
    assert!((value(&finding) - 4.0).abs() < 1e-9, "{finding:?}");
    let built = pool.scheme.build(&pool.servers).unwrap();
    use clockwise::Placement as _;
    assert!((0..100_000).all(|i| built.owner_ix(format!("key-{i}").as_bytes()).index() == 2));
    // Under modula the hash is poor and reaches every server.
    let modula = twemproxy::Options {
        distribution: twemproxy::Distribution::Modula,
        hash: twemproxy::Hash::Crc32,
        hash_tag: None,
    };
    assert!(!rules(&fleet(modula, numbered(4))).iter().any(|rule| rule.contains("narrow")));
}

#[test]
fn twemproxys_default_hash_crowds_numbered_keys() {
    let crowded = fleet(twemproxy::Options::default(), numbered(12));
    let finding = only(&crowded, "numbered-keys");
    assert_eq!(finding.severity, Severity::Warning);
    // Of ten thousand keys in a row, by the formulas in a few lines of Python.
    assert_eq!(format!("{:.3}", value(&finding)), "1.608");
    assert!(finding.reason.contains("1.13 of 100,000 in a row"), "{}", finding.reason);
    let mixed = twemproxy::Options { hash: twemproxy::Hash::Md5, ..twemproxy::Options::default() };
    assert!(!rules(&fleet(mixed, numbered(12))).iter().any(|rule| rule.contains("numbered")));
}

#[test]
fn a_weight_that_rounds_to_no_points_names_its_server() {
    let mut servers = numbered(3);
    for server in &mut servers[1..] {
        *server = server.clone().with_weight(1_000).unwrap();
    }
    let finding = only(&fleet(twemproxy::Options::default(), servers.clone()), "no-points");
    assert_eq!(finding.subject, Subject::Server(servers[0].name().clone()));
    assert!((value(&finding) - 1.0 / 2001.0).abs() < 1e-12);
}

#[test]
fn one_machine_under_two_names_is_an_error_however_it_is_written() {
    let at = |name: &str, address: &str| Server::new(name).unwrap().with_address(address).unwrap();
    for (first, second) in [
        ("10.0.0.1:11211", "10.0.0.1:11211"),
        ("10.0.0.1:11211", "10.0.0.1"),
        ("2001:db8::1", "2001:db8:0:0::1"),
        ("[2001:db8::1]:11211", "2001:DB8::1"),
    ] {
        let pair = fleet(ring(160), [at("a", first), at("b", second), at("c", "10.0.0.9:1")]);
        let finding = only(&pair, "listed-twice");
        assert_eq!((finding.severity, finding.subject.about()), (Severity::Error, About::Server("b")));
    }
    let ports = fleet(ring(160), [at("a", "10.0.0.1:1"), at("b", "10.0.0.1:2")]);
    assert_eq!(rules(&ports), [""; 0]);
}

#[test]
fn loopback_in_a_shared_list_is_a_warning_and_a_fleet_on_one_machine_is_not() {
    let shared = ["localhost:11311", "beta.test:11311"].map(|address| Server::new(address).unwrap());
    let finding = only(&fleet(ring(160), shared), "local-address");
    assert_eq!(finding.subject.about(), About::Server("localhost:11311"));
    assert!(finding.reason.contains("beta.test:11311"), "{}", finding.reason);
    let alone = ["127.0.0.1:1", "127.0.0.1:2", "[::1]:3"].map(|address| Server::new(address).unwrap());
    assert_eq!(rules(&fleet(ring(160), alone)), [""; 0]);
}

#[test]
fn ipv6_without_brackets_is_asked_about() {
    let at = |address: &str| fleet(ring(160), [Server::new(address).unwrap(), Server::new("b").unwrap()]);
    let finding = only(&at("2001:db8::1:11300"), "ipv6-brackets");
    assert_eq!((finding.severity, finding.remedy.as_str()), (Severity::Error, "write [2001:db8::1]:11300"));
    assert_eq!(only(&at("2001:db8::1:6379"), "ipv6-brackets").severity, Severity::Warning);
    for clear in ["[2001:db8::1]:11300", "2001:db8::1"] {
        assert_eq!(rules(&at(clear)), [""; 0], "{clear}");
    }
}

#[test]
fn zones_of_unequal_weight_are_told_with_their_ratio() {
    let zoned = |zones: &[&str]| {
        let servers = numbered(zones.len()).into_iter().zip(zones);
        fleet(
            ring(160),
            servers.map(|(server, zone)| match *zone {
                "" => server,
                zone => server.with_zone(zone).unwrap(),
            }),
        )
    };
    assert_eq!(rules(&zoned(&["a", "a", "b", "b"])), [""; 0]);
    let finding = only(&zoned(&["a", "a", "a", "b", "b"]), "uneven-zones");
    assert_eq!((finding.severity, value(&finding).to_bits()), (Severity::Note, 1.5_f64.to_bits()));
    assert_eq!(only(&zoned(&["a", "a", "b"]), "uneven-zones").severity, Severity::Warning);
    // Racks of one name in two data centres are two racks.
    let mut racks = zoned(&["a", "b", "a", "a"]);
    let centre = |server: &Server| (server.name().clone(), "us".parse().unwrap());
    racks.scheme = cassandra::Options {
        datacenters: racks.servers.servers()[2..].iter().map(centre).collect(),
        ..Default::default()
    }
    .into();
    assert!(!rules(&racks).iter().any(|rule| rule.contains("uneven-zones")), "{:?}", rules(&racks));
    let finding = only(&zoned(&["a", "b", ""]), "uneven-zones");
    assert_eq!(finding.subject.about(), About::Server("cache-2"));
}

#[test]
fn schemes_of_a_list_say_what_another_order_moves() {
    let finding = only(&fleet(Scheme::Jump { hash: NamedHash::Xxh3 }, numbered(10)), "order-matters");
    assert_eq!(finding.severity, Severity::Note);
    // Reversed, a key stays only where it meets its own server: never, for an even number.
    assert!(value(&finding) > 0.99, "{finding:?}");
}

#[test]
fn ids_that_haproxy_gives_by_position_are_warned_of_and_written_ids_are_not() {
    let mut options = haproxy::Options { hash_type: "consistent".parse().unwrap(), ..Default::default() };
    let finding = only(&fleet(options.clone(), numbered(20)), "ids-by-position");
    assert_eq!(finding.subject.about(), About::Server("cache-0"));
    // Every server takes over the points of the one before it.
    assert!(value(&finding) > 0.8, "{finding:?}");
    assert!(!rules(&fleet(options.clone(), numbered(20))).iter().any(|rule| rule.contains("order-matters")));
    options.ids = numbered(20).iter().zip(1..).map(|(server, id)| (server.name().clone(), id)).collect();
    let found = rules(&fleet(options, numbered(20)));
    assert!(!found.iter().any(|rule| rule.contains("ids-by-position")), "{found:?}");
}

#[test]
fn a_maglev_table_below_a_hundred_slots_a_server_is_too_small() {
    let maglev = |table_size| Scheme::Maglev { hash: NamedHash::Xxh3, table_size };
    let finding = only(&fleet(maglev(997), numbered(10)), "small-table");
    assert_eq!(finding.subject, Subject::Setting("table_size"));
    assert!((value(&finding) - 99.7).abs() < 1e-9);
    assert_eq!(rules(&fleet(maglev(1_009), numbered(10))), [""; 0]);
    let slots = Scheme::Slots { hash: NamedHash::RedisSlot, slots: 64 };
    assert!(!rules(&fleet(slots, numbered(10))).iter().any(|rule| rule.contains("small-table")));
}

#[test]
fn weights_that_blow_up_a_table_are_divided() {
    let heavy = numbered(3).into_iter().map(|server| server.with_weight(2_400).unwrap());
    let finding = only(&fleet(ring(160), heavy), "large-table");
    assert_eq!(value(&finding).to_bits(), 1_152_000_f64.to_bits());
    assert!(finding.remedy.starts_with("divide all weights by 2400"), "{}", finding.remedy);
    let modula = Scheme::ModN { hash: NamedHash::Xxh3 };
    let odd = numbered(2).into_iter().zip([1_000_003, 50_000]).map(|(s, w)| s.with_weight(w).unwrap());
    let finding = only(&fleet(modula, odd), "large-table");
    assert!(finding.remedy.starts_with("take smaller weights"), "{}", finding.remedy);
}

#[test]
fn a_fleet_that_cannot_be_built_is_an_error_with_the_reason() {
    let heavy = numbered(2).into_iter().map(|server| server.with_weight(10_000_000).unwrap());
    let finding = only(&fleet(ring(160), heavy), "unbuildable");
    assert_eq!(finding.severity, Severity::Error);
    assert!(matches!(finding.subject, Subject::Server(_)), "{finding:?}");
}

#[test]
fn single_precision_loses_a_digest_at_25_47_and_50_servers() {
    for (servers, points) in [(24, 160), (25, 156), (47, 156), (50, 156), (51, 160)] {
        let options = libmemcached::Options::ketama_weighted();
        let fleet = fleet(options, numbered(servers));
        let found = rules(&fleet).iter().any(|rule| rule == "note lost-digest");
        assert_eq!(found, points == 156, "{servers}");
        if found {
            let finding = only(&fleet, "lost-digest");
            assert!(
                finding.message.contains("has 156 points where its weight calls for 160"),
                "{}",
                finding.message
            );
        }
    }
}

#[test]
fn shared_positions_are_a_warning_where_the_system_leaves_them_open() {
    // Two names of four thousand whose rings meet in one point.
    let pair = ["cache-0601.test:11300", "cache-0723.test:11300"].map(|name| Server::new(name).unwrap());
    let options = twemproxy::Options { hash: twemproxy::Hash::Md5, ..twemproxy::Options::default() };
    let finding = only(&fleet(options, pair.clone()), "ties");
    assert_eq!(finding.severity, Severity::Warning);
    assert!(finding.message.contains("1457470260"), "{}", finding.message);
    let finding = only(&fleet(libmemcached::Options::ketama_weighted(), pair), "ties");
    assert_eq!(finding.severity, Severity::Note);
}

#[test]
fn a_prefix_with_a_whole_hash_tag_is_told_and_half_a_tag_is_not() {
    let slots = Scheme::Slots { hash: NamedHash::RedisSlot, slots: 16_384 };
    let behind = |prefix| fleet(slots.clone().with_key_prefix(KeyPrefix::new(prefix).unwrap()), numbered(4));
    let finding = only(&behind("{bull}:"), "prefix-tag");
    assert_eq!(
        (finding.severity, finding.subject.clone()),
        (Severity::Warning, Subject::Setting("key_prefix"))
    );
    assert!((value(&finding) - 4.0).abs() < 1e-9, "{finding:?}");
    for prefix in ["app:", "{", "{}app:"] {
        assert!(!rules(&behind(prefix)).iter().any(|rule| rule.contains("prefix")), "{prefix}");
    }
}
