//! Clockwise's own fleets: schemes, settings, what reads back.

use std::collections::BTreeSet;

use clockwise::catalogue::{self, Chosen};
use clockwise::dialect::{
    Dialect, envoy, grpc, haproxy, libmemcached, nginx, npm_hashring, php_memcached, pingora, pylibmc,
    spymemcached, trafficserver, twemproxy, uhashring,
};
use clockwise::hash::NamedHash;
use clockwise::{Placement as _, Scheme, Zone};
use clockwise_config::{About, Options, Settings, parse};

use crate::{pool, refused};

/// A fleet of two with these lines under `[placement]`.
fn fleet(placement: &str) -> String {
    format!(
        "version = 1\n[placement]\n{placement}\n[[server]]\nname = \"a\"\n[[server]]\nname = \"b\"\nweight = 2\n"
    )
}

fn scheme(placement: &str) -> Scheme {
    pool(fleet(placement)).scheme().clone()
}

fn catalogued(name: &str, set: impl Fn(Chosen) -> Chosen) -> Scheme {
    Scheme::Catalogued(set(Chosen::new(catalogue::find(name).unwrap())))
}

#[test]
fn every_scheme_is_read_with_its_settings_and_their_defaults() {
    let hash = NamedHash::default();
    let crc = NamedHash::Crc32;
    for (text, expected) in [
        ("scheme = 'mod-n'", Scheme::ModN { hash }),
        ("scheme = 'ring'", Scheme::Ring { hash, points_per_weight: 160 }),
        (
            "scheme = 'ring'\npoints_per_weight = 7\nhash = 'crc32'",
            Scheme::Ring { hash: crc, points_per_weight: 7 },
        ),
        ("scheme = 'rendezvous'", Scheme::Rendezvous { hash }),
        ("scheme = 'maglev'", Scheme::Maglev { hash, table_size: 65537 }),
        ("scheme = 'maglev'\ntable_size = 655_373", Scheme::Maglev { hash, table_size: 655373 }),
        ("scheme = 'slots'", Scheme::Slots { hash: NamedHash::RedisSlot, slots: 16384 }),
        ("scheme = 'slots'\nslots = 4096\nhash = 'crc32'", Scheme::Slots { hash: crc, slots: 4096 }),
        ("scheme = 'jump'\nhash = 'crc32'", Scheme::Jump { hash: crc }),
        (
            "scheme = 'bounded'",
            Scheme::Bounded { hash, points_per_weight: 160, cap: "0.25".parse().unwrap() },
        ),
        (
            "scheme = 'bounded'\nepsilon = 0.1\npoints_per_weight = 1_00",
            Scheme::Bounded { hash, points_per_weight: 100, cap: "0.1".parse().unwrap() },
        ),
        ("scheme = 'jump-back'", catalogued("jump-back", |chosen| chosen)),
        ("scheme = 'flip'\nhash = 'crc32'", catalogued("flip", |chosen| chosen.with_hash(crc))),
        ("scheme = 'memento'", catalogued("memento", |chosen| chosen)),
        ("scheme = 'skeleton'", catalogued("skeleton", |chosen| chosen)),
        ("scheme = 'dx'", catalogued("dx", |chosen| chosen.with_number(1_024).unwrap())),
        (
            "scheme = 'anchor'\ncapacity = 1_100",
            catalogued("anchor", |chosen| chosen.with_number(1_100).unwrap()),
        ),
        ("scheme = 'multi-probe'", catalogued("multi-probe", |chosen| chosen.with_number(21).unwrap())),
        (
            "scheme = 'multi-probe'\nprobes = 5\nhash = 'crc32'",
            catalogued("multi-probe", |chosen| chosen.with_hash(crc).with_number(5).unwrap()),
        ),
        ("dialect = 'twemproxy'", twemproxy::Options::default().into()),
        ("dialect = 'libmemcached'", libmemcached::Options::default().into()),
        ("dialect = 'envoy'", envoy::Options::default().into()),
        ("dialect = 'grpc'", grpc::Options::default().into()),
        ("dialect = 'haproxy'", haproxy::Options::default().into()),
        ("dialect = 'nginx'", nginx::Options::default().into()),
        ("dialect = 'nginx'\nconsistent = true", nginx::Options { consistent: true }.into()),
        ("dialect = 'trafficserver'", trafficserver::Options::default().into()),
        (
            "dialect = 'haproxy'\nhash_type = 'consistent  wt6'\nids = { b = 101 }",
            haproxy::Options {
                hash_type: "consistent wt6".parse().unwrap(),
                ids: [("b".parse().unwrap(), 101)].into(),
                ..haproxy::Options::default()
            }
            .into(),
        ),
        (
            "dialect = 'envoy'\nlb_policy = 'MAGLEV'\ntable_size = 65_521\nhash_keys.a = 'k'",
            envoy::Options {
                lb_policy: envoy::Policy::Maglev,
                table_size: 65_521,
                hash_keys: [("a".parse().unwrap(), "k".to_owned())].into(),
                ..envoy::Options::default()
            }
            .into(),
        ),
        (
            "dialect = 'libmemcached'\ndistribution = 'CONSISTENT_WEIGHTED'\nhash = 'MD5'",
            libmemcached::Options::ketama_weighted().into(),
        ),
        (
            "dialect = 'spymemcached'\nlocator = 'KetamaNodeLocator'\nhash = 'KETAMA_HASH'",
            spymemcached::Options::ketama().into(),
        ),
        (
            "dialect = 'php-memcached'\nlibketama_compatible = true",
            php_memcached::Options { libketama_compatible: true, ..Default::default() }.into(),
        ),
        (
            "dialect = 'php-memcached'\ndistribution = 'CONSISTENT'\nhash = 'CRC'",
            php_memcached::Options {
                distribution: php_memcached::Distribution::Consistent,
                hash: Some(libmemcached::Hash::Crc),
                ..Default::default()
            }
            .into(),
        ),
        (
            "dialect = 'pylibmc'\nketama_weighted = false\ndistribution = 'consistent ketama spy'",
            pylibmc::Options {
                ketama_weighted: Some(false),
                distribution: Some(pylibmc::Distribution::ConsistentKetamaSpy),
                ..Default::default()
            }
            .into(),
        ),
        ("dialect = 'npm-hashring'", npm_hashring::Options::default().into()),
        (
            "dialect = 'npm-hashring'\ndefault_port = 11211\nvnode_count = 100",
            npm_hashring::Options {
                default_port: Some(11211),
                vnode_count: 100,
                ..npm_hashring::Options::default()
            }
            .into(),
        ),
        (
            "dialect = 'uhashring'\nhash_fn = 'ketama'\nvnodes = 20",
            uhashring::Options { hash_fn: uhashring::HashFn::Ketama, vnodes: Some(20) }.into(),
        ),
    ] {
        assert_eq!(scheme(text), expected, "{text}");
    }
}

#[test]
fn every_scheme_that_is_compared_can_be_written_and_read() {
    for expected in Scheme::compared() {
        let name = expected.to_string();
        let name = name.split("-1").next().unwrap();
        let read = scheme(&format!("scheme = '{name}'"));
        assert_eq!(std::mem::discriminant(&read), std::mem::discriminant(&expected));
        let settings = Settings::of(&expected);
        assert_eq!(settings.scheme().unwrap(), expected, "{settings}");
    }
}

#[test]
fn settings_survive_being_written() {
    for text in [
        "scheme = 'mod-n'\nhash = 'murmur3-x86-32'",
        "scheme = 'ring'\npoints_per_weight = 4294967295",
        "scheme = 'maglev'\ntable_size = 7",
        "scheme = 'slots'\nslots = 7\nhash = 'xxh32'",
        "scheme = 'bounded'\nepsilon = 0",
        "scheme = 'bounded'\nepsilon = '1.5'",
        "scheme = 'bounded'\nepsilon = 0.000000001",
        "scheme = 'bounded'\nepsilon = 123456.789",
        "scheme = 'bounded'\nepsilon = 4294967296",
        "dialect = 'twemproxy'\ndistribution = 'modula'\nhash = 'crc16'\nhash_tag = '$$'",
        "dialect = 'twemproxy'\nhash_tag = \"é\"",
        "dialect = 'twemproxy'\nhash_tag = \"\\\"\\\\\"",
        "dialect = 'twemproxy'\nhash_tag = \"\\u0000\\u007f\"",
        "dialect = 'libmemcached'\nset_after_servers = true\nsort_hosts = true\nhash = 'CRC'",
        "dialect = 'pylibmc'\nketama_weighted = false\nhash = 'md5'",
        "dialect = 'pylibmc'\ndistribution = 'consistent weighted'",
        "dialect = 'php-memcached'\nhash = 'MURMUR3'\nset_after_servers = true",
        "dialect = 'npm-hashring'\nalgorithm = 'sha1'\ncompatibility = 'hash_ring'\ndefault_port = 0",
        "dialect = 'uhashring'",
        "dialect = 'uhashring'\nvnodes = 4294967295",
        "dialect = 'pymemcache'\nkey_type = 'bytes'",
        "dialect = 'memjs'",
        "dialect = 'nginx'\nconsistent = true",
        "dialect = 'haproxy'\nhash_type = 'map-based crc32 avalanche'",
        "dialect = 'haproxy'\nhash_type = 'consistent'\nhash_key = 'guid'\nguids = { a = 'x\"y', b = '' }",
        "dialect = 'haproxy'\nids = { b = 1, a = 2 }\nhash_balance_factor = 65535",
        "dialect = 'trafficserver'\nqstring = 'ignore'\nweights = { a = 0.5, b = 3 }\nhash_strings.b = 'é'",
        "dialect = 'grpc'\nmin_ring_size = 64\nring_size_cap = 100",
        "dialect = 'envoy'\nhash_function = 'MURMUR_HASH_2'\nuse_hostname_for_hashing = true",
        "dialect = 'envoy'\nlb_policy = 'MAGLEV'\ntable_size = 251\nhash_balance_factor = 125",
    ] {
        let first = pool(fleet(text));
        let again = pool(first.to_toml());
        assert_eq!(again.scheme(), first.scheme(), "{text}\n{}", first.to_toml());
        assert_eq!(again.servers(), first.servers());
    }
}

/// Servers of a pingora ring have addresses, and those of localities zones.
#[test]
fn settings_of_servers_with_addresses_and_zones_survive_being_written() {
    let servers = "[[server]]\nname = 'a b'\naddress = '10.0.0.1:80'\nzone = 'r/x'\n[[server]]\nname = 'c'\naddress = '[::1]:80'\n";
    for (placement, expected) in [
        ("dialect = 'pingora'", Dialect::from(pingora::Options::default())),
        (
            "dialect = 'envoy'\nlocality_weights = { 'r/x' = 3 }\nhash_keys = { 'a b' = 'k' }",
            envoy::Options {
                locality_weights: Some([("r/x".parse().unwrap(), 3)].into()),
                hash_keys: [("a b".parse().unwrap(), "k".to_owned())].into(),
                ..envoy::Options::default()
            }
            .into(),
        ),
    ] {
        let first = pool(format!("version = 1\n[placement]\n{placement}\n{servers}"));
        assert_eq!(first.scheme(), &Scheme::Dialect(expected));
        let again = pool(first.to_toml());
        assert_eq!(again.scheme(), first.scheme(), "{}", first.to_toml());
    }
}

#[test]
fn settings_of_servers_are_checked_one_by_one() {
    for (text, says) in [
        ("dialect = 'haproxy'\nids = { c = 1 }", "fleet:4:9: `ids` speaks of a server called \"c\""),
        ("dialect = 'haproxy'\nids = 7", "`ids` takes names with values in { }, and `7` is a whole number"),
        ("dialect = 'haproxy'\nids = { a = '1' }", "`a` takes a whole number"),
        ("dialect = 'haproxy'\nids = { '' = 1 }", "server name \"\" is empty"),
        ("dialect = 'haproxy'\nguids.a = 1", "`a` takes text, and `1` is a whole number"),
        ("dialect = 'haproxy'\nhash_type = 'consistent md5'", "there is no hash \"md5\""),
        ("dialect = 'haproxy'\nhash_balance_factor = 65536", "it goes from 0 to 65535"),
        ("dialect = 'trafficserver'\nweights.a = 0", "weight 0 is not a positive number"),
        ("dialect = 'trafficserver'\nweights.a = nan", "is not a positive number"),
        ("dialect = 'trafficserver'\nweights.a = '2'", "`a` takes a number, and `'2'` is text"),
        (
            "dialect = 'envoy'\nlocality_weights = { r = 1 }",
            "`locality_weights` speaks of a server in the zone \"r\"",
        ),
        ("dialect = 'envoy'\nlb_policy = 'RANDOM'", "lb_policy RANDOM places nothing"),
        ("dialect = 'nginx'\nids = { a = 1 }", "dialect \"nginx\" has no `ids`"),
    ] {
        let refused = refused(fleet(text));
        assert!(refused.contains(says), "{text}: {refused}");
    }
}

#[test]
fn epsilon_is_a_number_of_decimal_digits() {
    for (text, says) in [
        ("-0.25", "fleet:4:11: load cap -0.25 is negative"),
        ("1e3", "fleet:4:11: load cap \"1e3\" is not a decimal number"),
        ("inf", "load cap \"inf\" is not a decimal number"),
        ("0x10", "load cap \"0x10\" is not a decimal number"),
        ("0.0000000001", "is too fine"),
        ("'a quarter'", "load cap \"a quarter\" is not a decimal number"),
        ("true", "`epsilon` takes a number, and `true` is a truth value"),
        ("[1]", "`epsilon` takes a number, and `[1]` is a list"),
    ] {
        let refused = refused(fleet(&format!("scheme = 'bounded'\nepsilon = {text}")));
        assert!(refused.contains(says), "{refused}");
    }
}

#[test]
fn settings_of_a_dialect_are_refused_with_their_own_reasons() {
    for (text, says) in [
        ("dialect = 'pylibmc'\ndistribution = 'random'", "fleet:4:16: distribution random places nothing"),
        (
            "dialect = 'spymemcached'\nlocator = 'VBucketNodeLocator'",
            "its map of buckets is given at run time",
        ),
        ("dialect = 'spymemcached'\nhash = 'ketama'", "there is no hash \"ketama\""),
        ("dialect = 'pymemcache'\nkey_type = true", "`key_type` takes text, and `true` is a truth value"),
        ("dialect = 'pylibmc'\nketama_weighted = 'no'", "`ketama_weighted` takes true or false"),
        ("dialect = 'memjs'\nhash = 'MD5'", "dialect \"memjs\" has no `hash`"),
        ("dialect = 'npm-hashring'\nvnode_count = -1", "a whole number is expected"),
        ("dialect = 'spymemcach'", "there is no dialect \"spymemcach\""),
    ] {
        let refused = refused(fleet(text));
        assert!(refused.contains(says), "{refused}");
    }
}

#[test]
fn whole_numbers_are_bounded_and_decimal() {
    for (text, says) in [
        ("0", "fleet:4:21: `points_per_weight` is \"0\", and it goes from 1 to 4294967295"),
        ("4294967296", "it goes from 1"),
        ("99999999999999999999999", "it goes from 1"),
        ("-1", "`points_per_weight` is \"-1\", and a whole number is expected"),
        ("1.0", "`points_per_weight` is \"1.0\", and a whole number is expected"),
        ("0xa0", "`points_per_weight` is \"0xa0\", and a whole number is expected"),
        ("'160'", "`points_per_weight` takes a whole number, and `'160'` is text"),
        ("true", "`points_per_weight` takes a whole number, and `true` is a truth value"),
    ] {
        let refused = refused(fleet(&format!("scheme = 'ring'\npoints_per_weight = {text}")));
        assert!(refused.contains(says), "{refused}");
    }
}

#[test]
fn a_server_is_what_its_table_says() {
    let text = "version = 1\n[placement]\nscheme = 'ring'\n[[server]]\nname = 'a'\naddress = '10.0.0.1:1'\n\
        weight = +1_0\nzone = 'z'\nstate = 'draining'\n[[server]]\nname = 'b'\n";
    let pool = pool(text);
    let [a, b] = pool.servers().servers() else { panic!("two servers") };
    assert_eq!((a.name().as_str(), a.address().as_str(), a.weight().get()), ("a", "10.0.0.1:1", 10));
    assert_eq!((a.zone().map(Zone::as_str), a.is_draining()), (Some("z"), true));
    assert_eq!((b.address().as_str(), b.weight().get(), b.is_draining()), ("b", 1, false));
    assert_eq!(b.zone(), None);
    assert_eq!((pool.name(), pool.path()), (None, "fleet"));
}

#[test]
fn errors_of_the_library_come_at_the_line_of_their_server_or_setting() {
    let heavy = fleet("scheme = 'ring'\npoints_per_weight = 4_000_000_000");
    let pool = pool(&heavy);
    let error = pool.scheme().build(pool.servers()).unwrap_err();
    assert!(error.is_too_large());
    let shown = pool.diagnose(&error);
    assert_eq!(
        shown.line(),
        heavy.lines().position(|line| line.contains("\"a\"")).map(|at| at + 1),
        "{shown}"
    );
    assert_eq!(shown.excerpt(), Some("\"a\""));
    for (settings, line, excerpt, says) in [
        ("'maglev'\nhash = 'crc32'\ntable_size = 65536", 5, "65536", "table size 65536 is not a prime"),
        ("'maglev'\nhash = 'crc32'\ntable_size = 2", 5, "2", "do not fit a table of 2 slots"),
        (
            "'rendezvous'\nhash = 'murmur3-x86-32'",
            4,
            "'murmur3-x86-32'",
            "key hash murmur3-x86-32 has 32 bits",
        ),
        ("'rendezvous'\nhash = 'crc32'", 4, "'crc32'", "key hash crc32 has 32 bits"),
    ] {
        let pool = crate::pool(fleet(&format!("scheme = {settings}")) + "[[server]]\nname = \"c\"\n");
        let shown = pool.diagnose(&pool.scheme().build(pool.servers()).unwrap_err());
        assert_eq!((shown.line(), shown.excerpt()), (Some(line), Some(excerpt)), "{shown}");
        assert!(shown.message().contains(says), "{shown}");
    }
}

#[test]
fn fleets_build() {
    for placement in
        ["scheme = 'ring'", "scheme = 'jump'", "dialect = 'twemproxy'", "dialect = 'libmemcached'"]
    {
        let pool = pool(fleet(placement));
        let built = pool.scheme().build(pool.servers()).unwrap();
        assert!(["a", "b"].contains(&built.owner(b"user:42").name().as_str()));
    }
}

#[test]
fn the_shipped_examples_are_read_without_a_warning() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/");
    for (file, servers) in [("fleet.toml", 6), ("twemproxy.yml", 4)] {
        let bytes = std::fs::read(format!("{folder}{file}")).unwrap();
        let pool =
            parse(file, &bytes, &Options { strict: true, ..Options::default() }).unwrap().pick(None).unwrap();
        assert_eq!(pool.servers().servers().len(), servers, "{file}");
    }
}

#[test]
fn a_line_is_told_for_the_fleet_its_servers_and_its_settings() {
    let own = pool(fleet("scheme = 'ring'\npoints_per_weight = 7"));
    let lines = |pool: &clockwise_config::Pool, about: &[About<'_>]| -> Vec<usize> {
        about.iter().map(|about| pool.line_of(*about)).collect()
    };
    let about = [
        About::Fleet,
        About::Server("b"),
        About::Setting("points_per_weight"),
        About::Setting("hash"), // not said
        About::Server("c"),     // not there
    ];
    assert_eq!(lines(&own, &about), [2, 8, 4, 2, 2]);
    let text = "# two\na:\n  listen: 127.0.0.1:1\n  hash: md5\n  servers:\n   - h:1:1 b\n   - h:2:1 c\n";
    let twemproxy = parse("f", text.as_bytes(), &Options::default()).unwrap().pick(None).unwrap();
    let about = [About::Fleet, About::Server("c"), About::Setting("hash"), About::Setting("distribution")];
    assert_eq!(lines(&twemproxy, &about), [2, 7, 4, 2]);
}

fn history(servers: &str) -> String {
    let servers: String = servers
        .split(' ')
        .map(|word| {
            let (name, turn) = word.split_at(1);
            let turn = if turn.is_empty() { String::new() } else { format!("removed = {turn}\n") };
            format!("[[server]]\nname = '{name}'\n{turn}")
        })
        .collect();
    format!("version = 1\n[placement]\nscheme = 'memento'\n{servers}")
}

#[test]
fn a_history_is_read_written_and_built() {
    let read = pool(history("a b2 c1 d"));
    let turns: Vec<Option<u32>> =
        read.servers().servers().iter().map(|server| server.removal().map(u32::from)).collect();
    assert_eq!(turns, [None, Some(2), Some(1), None]);
    let again = pool(read.to_toml());
    assert_eq!((again.scheme(), again.servers()), (read.scheme(), read.servers()));
    let built = read.scheme().build(read.servers()).unwrap();
    let owners: BTreeSet<&str> =
        (0..200).map(|i| built.owner(format!("user:{i}").as_bytes()).name().as_str()).collect();
    assert_eq!(owners, BTreeSet::from(["a", "d"]));
    // To a scheme of a set they drain.
    let ring = pool(history("a b2 c1 d").replace("memento", "ring"));
    assert_eq!(ring.servers().active().count(), 2);
    // Without an order it is no history.
    assert!(
        pool(history("a b7 c").replace("memento", "rendezvous")).servers().get("b").unwrap().is_draining()
    );
}

#[test]
fn removals_without_an_order_are_refused_at_their_server() {
    for (servers, line, says) in [
        ("a b2 c", 7, "server \"b\": removed 2 skips a number"),
        ("a b1 c1", 10, "server \"c\": removed 1 is there twice"),
        ("a b0 c", 8, "`removed` is \"0\""),
        ("a b-1 c", 8, "`removed` is \"-1\""),
    ] {
        let complaint = refused(history(servers));
        assert!(complaint.contains(&format!(":{line}:")), "{complaint}");
        assert!(complaint.contains(says), "{complaint}");
    }
    let both = history("a b1").replace("removed = 1", "removed = 1\nstate = 'draining'");
    let complaint = refused(both);
    assert!(complaint.contains("has a `state` and is `removed`"), "{complaint}");
}
