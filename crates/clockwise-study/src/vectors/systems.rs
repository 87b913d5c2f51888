//! Which pools and settings the vectors of each system are about.
//!
//! A dialect that has no line of its own here gets the pools that all have.

use clockwise::catalogue::{self, Input};
use serde_json::{Map, Value, json};

use super::model::{Flag, ServerEntry, State};

/// Which of the lists of keys is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keys {
    All,
    Few,
    Tagged,
    None,
}

/// A pool, its settings, and the keys to ask for.
#[derive(Clone, Debug)]
pub(super) struct Spec {
    pub(super) settings: Map<String, Value>,
    pub(super) servers: Vec<ServerEntry>,
    pub(super) keys: Keys,
    /// Keys besides those of the list.
    pub(super) more: Vec<&'static [u8]>,
    /// Flags of every test. With [`Flag::Collision`] the pool is left out where no points collide.
    pub(super) flags: Vec<Flag>,
    pub(super) comment: Option<&'static str>,
}

impl Spec {
    pub(super) fn new(settings: Map<String, Value>, servers: Vec<ServerEntry>, keys: Keys) -> Spec {
        Spec { settings, servers, keys, more: Vec::new(), flags: Vec::new(), comment: None }
    }

    fn flagged(self, flag: Flag) -> Spec {
        Spec { flags: vec![flag], ..self }
    }

    fn commented(self, comment: &'static str) -> Spec {
        Spec { comment: Some(comment), ..self }
    }

    fn and(self, more: &[&'static [u8]]) -> Spec {
        Spec { more: more.to_vec(), ..self }
    }
}

/// Systems whose keys are text: bytes that are no UTF-8 are no keys of theirs.
const OF_TEXT: [&str; 10] = [
    "elasticsearch",
    "memjs",
    "npm-hashring",
    "npm-ketama",
    "npm-memcached",
    "pymemcache",
    "python-hashring",
    "python-memcached",
    "spymemcached",
    "uhashring",
];
/// Dialects that are known to hash the empty key. To the others it is no key, or was not asked for.
const HASH_NOTHING: [&str; 5] = ["cassandra", "guava", "haproxy", "libmemcached", "twemproxy"];
/// Weights that most rules have to round.
const UNEVEN: [u32; 3] = [2, 3, 6];

/// The weights of a system's usual pool: uneven, but where each server is one bucket.
pub(super) fn usual(name: &str) -> &'static [u32] {
    match catalogue::find(name) {
        Some(entry) if entry.input == Input::History => &[1; 5],
        _ => &UNEVEN,
    }
}

/// The schemes of our own with settings of their own, in the order of the documentation.
const OF_THEIR_OWN: [&str; 7] = ["mod-n", "ring", "rendezvous", "jump", "maglev", "slots", "bounded"];

/// All schemes of our own: these, and the catalogue's.
pub(super) fn schemes() -> impl Iterator<Item = &'static str> {
    OF_THEIR_OWN.into_iter().chain(catalogue::SCHEMES.iter().map(|entry| entry.name))
}

/// Whether it is a scheme of our own.
pub(super) fn is_scheme(name: &str) -> bool {
    schemes().any(|scheme| scheme == name)
}

/// Whether a system can be asked for a key.
pub(super) fn takes(name: &str, key: &[u8]) -> bool {
    let is_text = std::str::from_utf8(key).is_ok() || !OF_TEXT.contains(&name);
    let is_hashed = !key.is_empty() || is_scheme(name) || HASH_NOTHING.contains(&name);
    is_text && is_hashed
}

/// Servers of these weights. Names are not addresses, so that whoever takes one for the other is
/// found; our own schemes do not look at addresses.
pub(super) fn weighted(what: &str, weights: &[u32]) -> Vec<ServerEntry> {
    let server = |(number, weight): (usize, &u32)| ServerEntry {
        address: (what == "dialect").then(|| format!("10.0.1.{number}:11211")),
        ..server(&format!("cache-{number}"), *weight)
    };
    (1..).zip(weights).map(server).collect()
}

const EMPTIED: &str = "Ten servers, three of which were removed.";
const TURNED: &str =
    "The same removals in the other order: the same placement or another, as the scheme has it.";

/// Ten servers, of which these were removed, in this order; the first is number 1.
fn emptied(what: &str, removed: &[usize]) -> Vec<ServerEntry> {
    let mut servers = weighted(what, &[1; 10]);
    for (turn, number) in (1..).zip(removed) {
        servers[number - 1].removed = Some(turn);
    }
    servers
}

fn server(name: &str, weight: u32) -> ServerEntry {
    ServerEntry { name: name.to_owned(), address: None, weight, zone: None, state: None, removed: None }
}

fn servers(names: &[&str]) -> Vec<ServerEntry> {
    names.iter().map(|name| server(name, 1)).collect()
}

fn addressed(servers: &[(&str, &str)]) -> Vec<ServerEntry> {
    let with = |(name, address): &(&str, &str)| ServerEntry {
        address: Some((*address).to_owned()),
        ..server(name, 1)
    };
    servers.iter().map(with).collect()
}

fn reversed(mut servers: Vec<ServerEntry>) -> Vec<ServerEntry> {
    servers.reverse();
    servers
}

/// Settings from an object.
pub(super) fn settings(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(settings) => settings,
        _ => Map::new(),
    }
}

/// Two servers with a point in common under ketama's labels, as MD5 has it: at 1457470260. The keys
/// lie in its arc.
const KETAMA_PAIR: [&str; 2] = ["cache-0601.test:11300", "cache-0723.test:11300"];
const KETAMA_KEYS: [&[u8]; 3] = [b"key138", b"key206", b"key297"];

/// All that the vectors of a system ask, but for the variation of single settings.
pub(super) fn specs(what: &str, name: &str) -> Vec<Spec> {
    let mut specs = Vec::new();
    for mode in modes(name) {
        let mode = || settings(mode.clone());
        let mut draining = weighted(what, &[1, 1, 1, 1]);
        draining[1].state = Some(State::Draining);
        specs.extend([
            Spec::new(mode(), weighted(what, &[1, 1, 1]), Keys::All),
            Spec::new(mode(), weighted(what, usual(name)), Keys::All),
            Spec::new(mode(), reversed(weighted(what, usual(name))), Keys::Few).flagged(Flag::ReorderedList),
            Spec::new(mode(), draining, Keys::Few).flagged(Flag::Draining),
        ]);
        if what == "dialect" {
            specs.extend(tied(mode(), KETAMA_PAIR, &KETAMA_KEYS));
        }
    }
    specs.extend(special(what, name));
    specs.extend(match name {
        "ring" => tied(settings(json!({"hash": "md5-word"})), RING_PAIR, &RING_KEYS).to_vec(),
        "nginx" => tied(settings(json!({"consistent": true})), NGINX_PAIR, &NGINX_KEYS).to_vec(),
        "pingora" => tied(Map::new(), NGINX_PAIR, &NGINX_KEYS).to_vec(),
        _ => Vec::new(),
    });
    specs
}

/// Two servers that share a point, in one order and in the other.
fn tied(settings: Map<String, Value>, pair: [&str; 2], keys: &[&'static [u8]]) -> [Spec; 2] {
    let [a, b] = pair;
    let one = Spec::new(settings, servers(&[a, b]), Keys::None).and(keys).flagged(Flag::Collision);
    let flags = vec![Flag::Collision, Flag::ReorderedList];
    let other = Spec { servers: servers(&[b, a]), flags, ..one.clone() };
    [one, other]
}

/// The settings that a system is used with: each gets all the pools.
fn modes(name: &str) -> Vec<Value> {
    match name {
        // The second token of cache-1 is that of the key "a".
        "cassandra" => vec![json!({"tokens": {
            "cache-1": ["-9223372036854775807", "-8839064797231613815"],
            "cache-2": ["-3074457345618258602", "17"],
            "cache-3": ["3074457345618258603"],
        }})],
        // The first token of cache-2 is the hash of the key "a".
        "dskit" => vec![json!({"tokens": {
            "cache-1": [0, 3_000_000_000_u32],
            "cache-2": [84_696_446, 2_000_000_000],
            "cache-3": [1_000_000_000, 4_000_000_000_u32],
        }})],
        "envoy" => vec![json!({}), json!({"lb_policy": "MAGLEV"})],
        "haproxy" => vec![json!({}), json!({"hash_type": "consistent"})],
        "libmemcached" => vec![json!({}), json!({"distribution": "CONSISTENT_WEIGHTED", "hash": "MD5"})],
        "nginx" => vec![json!({}), json!({"consistent": true})],
        "php-memcached" => vec![json!({}), json!({"libketama_compatible": true})],
        "pylibmc" => vec![json!({}), json!({"ketama_weighted": true})],
        "spymemcached" => vec![
            json!({}),
            json!({"locator": "KetamaNodeLocator", "hash": "KETAMA_HASH"}),
            json!({"locator": "KetamaNodeLocator", "hash": "KETAMA_HASH", "key_format": "LIBMEMCACHED", "weighted": true}),
        ],
        "thanos" => vec![json!({}), json!({"algorithm": "ketama"})],
        "twemproxy" => vec![json!({}), json!({"hash": "md5"}), json!({"distribution": "modula"})],
        "uhashring" => vec![json!({}), json!({"hash_fn": "ketama"})],
        _ => vec![json!({})],
    }
}

/// What stays the same while single settings vary.
pub(super) fn base(name: &str) -> Map<String, Value> {
    match name {
        // A small table shows as much of a key's hash as a large one.
        "maglev" => settings(json!({"table_size": 251})),
        _ => modes(name).into_iter().next().map(settings).unwrap_or_default(),
    }
}

/// Pools that one system has and others do not need.
fn special(what: &str, name: &str) -> Vec<Spec> {
    let three = || weighted(what, &[1, 1, 1]);
    let few = |value: Value, servers| Spec::new(settings(value), servers, Keys::Few);
    let all = |value: Value, servers| Spec::new(settings(value), servers, Keys::All);
    // The four ways to write an address that clients shorten or lengthen.
    let labels = || {
        addressed(&[
            ("cache-1", "10.0.1.1:11211"),
            ("cache-2", "10.0.1.2:11300"),
            ("cache-3", "[2001:db8::3]:11211"),
            ("cache-4", "cache-4.test:11211"),
        ])
    };
    let labelled = |value: Value| few(value, labels()).flagged(Flag::Label);
    match name {
        "ring" => vec![
            few(json!({"points_per_weight": 1}), three()),
            few(json!({"points_per_weight": 16}), weighted(what, &[3, 7])),
            few(json!({}), servers(&["caf\u{e9}", "\u{441}\u{435}\u{440}\u{432}\u{435}\u{440}"]))
                .commented("Names are hashed as UTF-8."),
            few(json!({"key_prefix": "app:"}), three()),
        ],
        "rendezvous" => vec![
            all(json!({}), weighted(what, &[1, 1, 1, 1, 2])),
            few(json!({}), weighted(what, &[1, 1000, 1_000_000])),
            few(json!({"key_prefix": "app:"}), three()),
        ],
        "jump" => {
            vec![all(json!({}), weighted(what, &[1; 11])), few(json!({"key_prefix": "app:"}), three())]
        }
        "jump-back" | "flip" => {
            vec![all(json!({}), weighted(what, &[1; 11])), few(json!({"key_prefix": "app:"}), three())]
        }
        "multi-probe" => vec![
            all(json!({"probes": 5}), weighted(what, &[1; 11])),
            few(json!({"probes": 1}), weighted(what, &[3, 7])),
        ],
        "anchor" | "dx" => vec![
            all(json!({"capacity": 16}), weighted(what, &[1; 11])),
            few(json!({"capacity": 3}), three()),
            all(json!({"capacity": 16}), emptied(what, &[3, 9, 1])).commented(EMPTIED),
            few(json!({"capacity": 16}), emptied(what, &[1, 9, 3])).commented(TURNED),
        ],
        "skeleton" => vec![
            all(json!({}), weighted(what, &[1; 11])),
            all(json!({}), weighted(what, &[1; 67])).commented("Two groups, one of three places."),
            all(json!({}), emptied(what, &[3, 9, 1])).commented(EMPTIED),
            few(json!({}), emptied(what, &[1, 9, 3])).commented(TURNED),
        ],
        "memento" => vec![
            all(json!({}), weighted(what, &[1; 11])),
            all(json!({}), emptied(what, &[3, 9, 1])).commented(EMPTIED),
            few(json!({}), emptied(what, &[1, 9, 3])).commented(TURNED),
            few(json!({}), emptied(what, &[10, 9]))
                .commented("The last bucket, while none is empty, is just gone."),
        ],
        "maglev" => vec![
            all(json!({"table_size": 13}), weighted(what, &[1, 1, 1])),
            few(json!({"table_size": 251}), weighted(what, &[1, 10, 100])),
        ],
        "slots" => vec![
            Spec::new(Map::new(), three(), Keys::Tagged),
            few(json!({"hash": "xxh3-64", "slots": 12}), weighted(what, &UNEVEN)),
            Spec::new(settings(json!({"key_prefix": "app{"})), three(), Keys::Tagged)
                .commented("A hash tag is searched in prefix and key together."),
        ],
        "bounded" => vec![
            Spec::new(settings(json!({"epsilon": 0.25})), three(), Keys::None)
                .and(&[b"video:hot".as_slice(); 9])
                .commented("One key, nine requests that stay."),
            all(json!({"epsilon": 0.0}), weighted(what, &UNEVEN))
                .commented("No server above its share, rounded up."),
        ],
        "envoy" => vec![
            few(
                json!({"minimum_ring_size": 1, "maximum_ring_size": 5}),
                weighted(what, &[1, 1, 1, 1, 1, 1, 1]),
            )
            .commented("The maximum leaves some hosts without a point."),
            few(json!({"hash_keys": {"cache-2": "ten"}}), three()).flagged(Flag::Label),
            few(json!({"use_hostname_for_hashing": true}), three()).flagged(Flag::Label),
            few(json!({"lb_policy": "MAGLEV", "table_size": 251}), weighted(what, &[1, 10, 100])),
            few(json!({"locality_weights": {"eu/a": 3, "eu/b": 1}}), zoned())
                .commented("Each locality takes its part of the whole, whatever its hosts weigh."),
        ],
        "grpc" => vec![
            few(json!({"ring_size_cap": 1024}), weighted(what, &[1, 100])),
            few(json!({"hash_keys": {"cache-2": "ten"}}), three()).flagged(Flag::Label),
        ],
        "cassandra" => vec![
            few(
                json!({"partitioner": "RandomPartitioner", "tokens": {
                    "cache-1": ["0"],
                    "cache-2": ["56713727820156410577229101238628035242"],
                    "cache-3": ["113427455640312821154458202477256070485"],
                }}),
                three(),
            )
            .commented("Tokens of up to 127 bits."),
        ],
        "couchbase" => vec![few(
            json!({"num_vbuckets": 64, "vbucket_map": {"cache-1": "0-9,20", "cache-2": "10-19", "cache-3": "21-63"}}),
            three(),
        )],
        "dskit" => vec![
            Spec::new(
                settings(json!({"tokens": {"cache-1": [5, 9], "cache-2": [5]}})),
                weighted(what, &[1, 1]),
                Keys::Few,
            )
            .flagged(Flag::Collision),
        ],
        "redis-cluster" => vec![
            Spec::new(Map::new(), three(), Keys::Tagged),
            few(
                json!({"slots": {"cache-1": "0-99,5461", "cache-2": "100-5460", "cache-3": "5462-16383"}}),
                three(),
            ),
        ],
        "haproxy" => vec![
            few(json!({"hash_type": "consistent", "ids": {"cache-1": 101, "cache-3": 7}}), three())
                .commented("Points are made of ids; those that are not written down are given out in order."),
            few(json!({"hash_type": "consistent", "hash_key": "addr"}), three()).flagged(Flag::Label),
            few(json!({"hash_type": "consistent", "hash_key": "addr-port"}), three()).flagged(Flag::Label),
            Spec::new(settings(json!({"hash_type": "consistent"})), three(), Keys::None).and(&HAPROXY_KEYS),
        ],
        "elasticsearch" => vec![few(json!({"number_of_routing_shards": 3}), three())],
        "guava" | "kafka" => vec![few(json!({}), weighted(what, &[1; 11]))],
        "libketama" => {
            vec![few(json!({}), weighted(what, &[1; 61])).flagged(Flag::WeightRounding).commented(
                "Of 61 equal servers each has 39 digests, not 40: single precision rounds the part down.",
            )]
        }
        "libmemcached" => {
            let ketama = json!({"distribution": "CONSISTENT_WEIGHTED", "hash": "MD5"});
            vec![
                labelled(ketama.clone()),
                few(ketama, weighted(what, &[1; 25])).flagged(Flag::WeightRounding).commented(
                    "Of 25 equal servers each has 39 digests, not 40: single precision rounds the part down.",
                ),
                few(
                    json!({"distribution": "CONSISTENT", "set_after_servers": true}),
                    weighted(what, &UNEVEN),
                ),
                few(json!({"sort_hosts": true}), reversed(weighted(what, &UNEVEN)))
                    .flagged(Flag::ReorderedList),
                few(json!({"distribution": "CONSISTENT", "key_prefix": "app:"}), three())
                    .commented("HASH_WITH_NAMESPACE with the namespace app:."),
            ]
        }
        "mcrouter" => vec![
            few(
                json!({"hash_func": "WeightedCh3", "weights": {"cache-1": 1, "cache-2": 0.25, "cache-3": 0}}),
                three(),
            )
            .commented("A weight is the part of its own keys that a server keeps."),
            few(json!({"salt": "pepper"}), three()),
            Spec::new(Map::new(), weighted(what, &[1; 11]), Keys::None)
                .and(&[
                    b"user:42",
                    b"/region/cluster/user:42",
                    b"user:42|#|v7",
                    b"/region/cluster/user:42|#|v7",
                ])
                .commented("All four keys are hashed as user:42."),
        ],
        "nginx" => vec![
            few(
                json!({"consistent": true}),
                addressed(&[
                    ("cache-1", "10.0.1.1"),
                    ("cache-2", "10.0.1.1:80"),
                    ("cache-3", "cache-3.test:11211"),
                ]),
            )
            .flagged(Flag::Label)
            .commented("An address with port 80 and one without are two labels."),
        ],
        "npm-hashring" => vec![
            few(json!({"default_port": 11211}), labels()).flagged(Flag::Label),
            few(json!({"vnode_count": 80}), weighted(what, &UNEVEN)),
        ],
        "npm-memcached" => vec![labelled(json!({}))],
        "php-memcached" => vec![labelled(json!({"libketama_compatible": true}))],
        "pylibmc" => vec![labelled(json!({"ketama_weighted": true}))],
        "php-memcache" | "pymemcache" => vec![labelled(json!({}))],
        "spymemcached" => vec![
            few(
                json!({"locator": "KetamaNodeLocator", "hash": "KETAMA_HASH"}),
                addressed(&[
                    ("cache-1", "10.0.1.1:11211"),
                    ("cache-2", "[2001:db8::2]:11211"),
                    ("cache-3", "cache-3.test/10.0.1.3:11211"),
                    ("cache-4", "cache-4.test/<unresolved>:11211"),
                ]),
            )
            .flagged(Flag::Label),
            labelled(
                json!({"locator": "KetamaNodeLocator", "hash": "KETAMA_HASH", "key_format": "LIBMEMCACHED"}),
            ),
        ],
        "trafficserver" => vec![
            few(json!({"weights": {"cache-1": 2.25, "cache-2": 0.001, "cache-3": 0.0001}}), three())
                .flagged(Flag::WeightRounding)
                .commented("Points are 1,024 times the weight, rounded: of 0.0001 there is none."),
            Spec::new(Map::new(), three(), Keys::None).and(&[
                b"img/1.png",
                b"img/1.png;v=2",
                b"img/1.png?v=2",
                b"img/2.png",
            ]),
            few(json!({"hash_strings": {"cache-2": "ten"}}), three()).flagged(Flag::Label),
        ],
        "twemproxy" => {
            vec![
            Spec::new(settings(json!({"hash_tag": "{}"})), three(), Keys::Tagged),
            Spec::new(settings(json!({"hash": "md5", "hash_tag": "$$"})), three(), Keys::None)
                .and(&[b"user:42", b"$user:42$.cart", b"$$user:42", b"$user:42"]),
            few(json!({"hash": "md5"}), weighted(what, &[1; 25])).flagged(Flag::WeightRounding).commented(
                "Of 25 equal servers each has 39 digests, not 40: single precision rounds the part down.",
            ),
            Spec::new(Map::new(), three(), Keys::None).and(&TWEMPROXY_KEYS),
            Spec::new(settings(json!({"hash_tag": "{}", "key_prefix": "app:"})), three(), Keys::Tagged)
                .commented("As the proxy sees the keys of a client with a prefix."),
        ]
        }
        "uhashring" => vec![few(json!({"vnodes": 20}), weighted(what, &UNEVEN))],
        _ => Vec::new(),
    }
}

/// Four hosts in two localities.
fn zoned() -> Vec<ServerEntry> {
    let mut hosts = weighted("dialect", &[1, 1, 1, 5]);
    for (host, zone) in hosts.iter_mut().zip(["eu/a", "eu/b", "eu/b", "eu/b"]) {
        host.zone = Some(zone.to_owned());
    }
    hosts
}

/// The same on a native ring of `md5-word`: at 3725235269.
const RING_PAIR: [&str; 2] = ["cache-141", "cache-335"];
const RING_KEYS: [&[u8]; 2] = [b"user:18", b"user:373"];
/// The same on nginx's ring: at 326743374.
const NGINX_PAIR: [&str; 2] = ["10.0.1.71:11211", "10.0.1.249:11211"];
const NGINX_KEYS: [&[u8]; 2] = [b"user:43", b"user:173"];
/// The first of `user:0`, `user:1`, … that are hashed onto a point of three servers of 16 points, and
/// the first that is hashed halfway between two.
const HAPROXY_KEYS: [&[u8]; 3] = [b"user:4135042", b"user:4135043", b"user:252251995"];
/// The same of three servers of 160 points.
const TWEMPROXY_KEYS: [&[u8]; 2] = [b"user:26210632", b"user:28783839"];
