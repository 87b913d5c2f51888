//! Pools and keys that nobody chose, drawn from a seed.

use clockwise::hash::SplitMix64;
use clockwise::{Buckets, Server};

/// A generator. The same seed gives the same pools and keys in every run.
pub(crate) struct Draw {
    state: u64,
}

/// What a system's addresses can be.
#[derive(Clone, Copy)]
pub(crate) enum Hosts {
    /// IPv4 addresses and names.
    Plain,
    /// Those, and IPv6 addresses.
    Any,
    /// Those, and the paths of Unix sockets.
    AnyAndSockets,
}

impl Draw {
    pub(crate) fn new(seed: u64) -> Draw {
        Draw { state: seed }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(SplitMix64::STEP);
        SplitMix64::mix(self.state)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    pub(crate) fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len() as u64) as usize]
    }

    /// True once in `times`.
    pub(crate) fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// Any 64 bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.next()
    }

    /// One to fifty servers whose names are their addresses, all of one weight or each of its own.
    pub(crate) fn pool(&mut self, hosts: Hosts) -> Buckets {
        // Of 25, 47 and 50 equals single precision rounds the points down.
        let count = match self.below(8) {
            0 => *self.pick(&[1, 2, 25, 47, 50]),
            _ => 1 + self.below(20),
        };
        let equal = self.once_in(2);
        let largest = *self.pick(&[2, 3, 10, 30]);
        let same_port = self.once_in(2);
        let servers = (0..count).map(|number| {
            let port = if same_port { 11_211 } else { 11_210 + self.below(4) };
            let kinds = match hosts {
                Hosts::Plain => 3,
                Hosts::Any => 4,
                Hosts::AnyAndSockets => 5,
            };
            let address = match self.below(kinds) {
                0 => format!("cache-{number}.example.com:{port}"),
                3 => format!("[2001:db8::{number:x}]:{port}"),
                4 => format!("/run/memcached/{number}.sock"),
                // Few hosts, so that two servers may share one and differ in the port alone.
                _ if same_port => format!("10.{}.0.{number}:{port}", self.below(256)),
                _ => format!("10.0.{}.{}:{}", self.below(3), self.below(9), port + 4 * number),
            };
            let weight = if equal { 1 } else { 1 + self.below(largest) };
            Server::new(address.as_str()).and_then(|server| server.with_weight(weight)).expect("a server")
        });
        Buckets::new(servers.collect::<Vec<_>>()).expect("a pool")
    }

    /// A namespace, as programs write them, or none; the longest is the longest that libmemcached takes.
    pub(crate) fn namespace(&mut self) -> Option<String> {
        let longest = "n".repeat(127);
        let some = self.once_in(2);
        some.then(|| (*self.pick(&["app:", "x", "memc.sess.key.", "{shop}/", &longest])).to_owned())
    }

    /// Keys as programs write them: counters, digests, words of other scripts, short ones, and the
    /// longest that memcached takes.
    pub(crate) fn keys(&mut self, count: usize) -> Vec<String> {
        (0..count).map(|_| self.key()).collect()
    }

    fn key(&mut self) -> String {
        let number = self.next();
        match number >> 61 {
            0 => format!("user:{}", number % 100_000),
            1 => format!("{:016x}{:016x}", self.next(), self.next()),
            2 => format!("größe/{}", number % 1_000),
            3 => format!("鍵:{}:🗝", number % 1_000),
            4 => {
                const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:";
                (0..1 + number % 3).map(|_| char::from(*self.pick(LETTERS))).collect()
            }
            5 => format!("{:0>250}", number % 1_000_000),
            6 => format!("session/{{{}}}/cart", number % 5_000),
            _ => format!("{}.example.com/a?b={}&c=%20", number % 77, number % 1_000),
        }
    }

    /// Keys that are no text, the empty one among them.
    pub(crate) fn byte_keys(&mut self, count: usize) -> Vec<Vec<u8>> {
        let bytes = |draw: &mut Draw| {
            let length = draw.below(40);
            (0..length).map(|_| draw.next() as u8).collect()
        };
        (0..count)
            .map(|number| match number {
                0 => Vec::new(),
                _ if number % 2 == 0 => bytes(self),
                _ => self.key().into_bytes(),
            })
            .collect()
    }
}

/// The key, cut where it would be longer than memcached takes with that before it.
pub(crate) fn fitted(mut key: String, namespace: Option<&str>) -> String {
    let most = 250 - namespace.map_or(0, str::len);
    while key.len() > most {
        key.pop();
    }
    key
}
