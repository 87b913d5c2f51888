//! Which server twemproxy sends a key to, and which one its dialect names.

use clockwise::dialect::twemproxy::{Distribution, Hash, Options};
use clockwise::{Buckets, Server};

use crate::memcached::{Client, FakeMemcached};
use crate::nutcracker::Nutcracker;
use crate::score::Score;

/// Servers in the order of the file: a name (empty: none is written) and a weight.
type Fleet = Vec<(String, u32)>;

fn fleets() -> [Fleet; 5] {
    let fleet = |servers: &[(&str, u32)]| servers.iter().map(|(name, w)| ((*name).to_owned(), *w)).collect();
    [
        fleet(&[("cache-1", 1), ("cache-2", 1), ("cache-3", 1), ("cache-4", 1)]),
        // To the proxy shorter names come first, so that 9 stands before 10, whatever the file says.
        fleet(&[("cache-10", 1), ("cache-9", 1), ("b", 1), ("cache-1", 1)]),
        fleet(&[("small", 1), ("large", 7), ("middle", 3), ("tiny-and-last", 1)]),
        // Without a name a server is placed by its address, whose port is another in every run.
        fleet(&[("", 1), ("cache-1", 2), ("", 3)]),
        // The smallest fleet of equals with 156 points each, not 160: 1/25 is rounded, and then down.
        (1..=25).map(|number| (format!("cache-{number}"), 1)).collect(),
    ]
}

/// 500 keys: counters, hexadecimal names, tags of every kind, UTF-8, and the longest that memcached takes.
fn keys() -> Vec<String> {
    let tagged = |i: usize| match i % 5 {
        0 => format!("{{user:{i}}}.cart"),
        1 => format!("cart.{{user:{i}}}.{{x}}"),
        2 => format!("cart{{}}{{user:{i}}}"),
        3 => format!("${i}$:cart"),
        _ => format!("cart:{i}{{$"),
    };
    let mut keys: Vec<String> = (0..150).map(|i| format!("user:{i}")).collect();
    keys.extend((0..100_u32).map(|i| format!("{:08x}", i.wrapping_mul(0x9e37_79b9))));
    keys.extend((0..150).map(tagged));
    keys.extend((0..50).map(|i| format!("größe/鍵-{i}")));
    keys.extend((0..50).map(|i| format!("{i:0>250}")));
    keys
}

/// A pool in front of fake servers, as the proxy reads it and as we do.
struct Pool {
    settings: String,
    options: Options,
    /// What the proxy calls each server, in the order of the file.
    names: Vec<String>,
    list: Buckets,
    _servers: Vec<FakeMemcached>,
}

impl Pool {
    fn new(options: Options, tag: &str, fleet: &Fleet) -> Pool {
        let mut settings = format!("distribution: {}\nhash: {}\n", options.distribution, options.hash);
        if !tag.is_empty() {
            settings.push_str(&format!("hash_tag: \"{tag}\"\n"));
        }
        settings.push_str("servers:\n");
        let (mut names, mut list, mut servers) = (Vec::new(), Vec::new(), Vec::new());
        for (number, (name, weight)) in fleet.iter().enumerate() {
            let fake = FakeMemcached::start(number).expect("a server");
            let address = fake.address().to_string();
            settings.push_str(&format!("- {address}:{weight} {name}\n"));
            let name = if name.is_empty() { address } else { name.clone() };
            list.push(
                Server::new(name.as_str()).and_then(|server| server.with_weight(*weight)).expect("a server"),
            );
            names.push(name);
            servers.push(fake);
        }
        Pool { settings, options, names, list: Buckets::new(list).expect("a fleet"), _servers: servers }
    }

    /// Asks the proxy for every key.
    fn ask(&self, keys: &[String], score: &mut Score) {
        let ours = self.options.build(&self.list).expect("a placement");
        let proxy = Nutcracker::start(&self.settings).expect("a proxy");
        let mut client = Client::new(proxy.connect().expect("a connection"));
        for key in keys {
            let theirs = &self.names[client.server_of(key.as_bytes()).expect("an answer")];
            score.answer(theirs.as_str(), ours.owner(key).name().as_str(), || {
                format!("{key} in the pool\n{}", self.settings)
            });
        }
    }
}

#[test]
#[ignore = "starts the real nutcracker: cargo xtask live"]
fn every_key_goes_to_the_server_we_name() {
    let version = Nutcracker::version().expect("nutcracker is installed by cargo xtask packages");
    let (fleets, tags, keys) = (fleets(), ["", "{}", "$$"], keys());
    let mut score = Score::new("twemproxy", version);
    for (number, (&hash, &distribution)) in
        Hash::ALL.iter().flat_map(|hash| Distribution::ALL.iter().map(move |d| (hash, d))).enumerate()
    {
        // Fleets and tags take turns of lengths that share no factor, so that all pairs come up.
        let (fleet, tag) = (&fleets[number % fleets.len()], tags[number % tags.len()]);
        let hash_tag = if tag.is_empty() { None } else { Some(tag.parse().expect("a tag")) };
        let pool = Pool::new(Options { distribution, hash, hash_tag }, tag, fleet);
        pool.ask(&keys, &mut score);
    }
    score.close(12_000);
}
