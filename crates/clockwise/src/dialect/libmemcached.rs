//! libmemcached, and with it PHP Memcached, pylibmc and other bindings.
//!
//! | parameter | MODULA | CONSISTENT, CONSISTENT_KETAMA, CONSISTENT_KETAMA_SPY | CONSISTENT_WEIGHTED |
//! |---|---|---|---|
//! | key hash | the hash set | the hash set | the hash set |
//! | owner | hash mod servers | first point `>=` the hash, wrapping | the same |
//! | points of a server | | 100, whatever its weight; see the switch below | 4 × digests, by [weight](self#weights) |
//! | position of a point | | the hash set, of the label | a word of MD5 of the label |
//! | label | | host (with port unless 11211), `-`, number; SPY: `/`, host, `:`, port, `-`, number | as CONSISTENT |
//! | width | 32 bits | 32 bits | 32 bits |
//! | equal points | | the server listed first | the same |
//! | a dead server | keep and miss | rebuild without it, if told to eject | the same |
//!
//! "Ketama" as most people mean it is [`Options::ketama_weighted`]: MEMCACHED_BEHAVIOR_KETAMA_WEIGHTED,
//! PHP's OPT_LIBKETAMA_COMPATIBLE.
//!
//! # Weights
//! MODULA has none. The unweighted rings have none either, until a server of a weight above 1 is
//! added while one of them is already in force: from then on they are weighted rings, with MD5
//! points. Setting CONSISTENT or CONSISTENT_KETAMA with the servers already there switches that
//! off again ([`Options::set_after_servers`]). A weight of 0 counts as 1 there, so a reader of such
//! a list passes 1.
//!
//! # Addresses
//! Labels come from a server's address, not its name. A port that is missing or 0 is 11211; IPv6
//! hosts have no brackets; a Unix socket is its path with port 0. Servers of one address have the
//! same points, and the one listed first owns them all.
//!
//! # Namespace
//! It is hashed with the key if HASH_WITH_NAMESPACE is set, and then it is a [prefix](crate::Prefixed).
//!
//! Checked against libmemcached 1.1.4. Keys of bytes from 0x80 hash as where C's `char` is signed
//! (x86). HSIEH is not built into Debian's library, which refuses to set it.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::{Placed, ketama};
use crate::choice::choice;
use crate::error::Error;
use crate::hash::{
    Crc32Of15Bits, Fnv1_32Signed, Fnv1_64LowSigned, Fnv1a32Signed, Fnv1a64LowSigned, KeyHash, Lookup3,
    Md5Word, Murmur2Length, Murmur3Length, OneAtATimeSigned, SuperFastHash, hash_choice,
};
use crate::members::Buckets;
use crate::modulo::ModN;
use crate::ring::{Boundary, Ring, Tie};
use crate::server::Server;

choice! {
    /// MEMCACHED_BEHAVIOR_DISTRIBUTION, spelled without its prefix MEMCACHED_DISTRIBUTION_.
    Distribution, "distribution" {
        /// : hash mod the number of servers.
        #[default]
        Modula = "MODULA",
        /// : an unweighted ring, the same as CONSISTENT_KETAMA.
        Consistent = "CONSISTENT",
        /// : an unweighted ring.
        ConsistentKetama = "CONSISTENT_KETAMA",
        /// : an unweighted ring with other labels. It does not place keys as spymemcached does.
        ConsistentKetamaSpy = "CONSISTENT_KETAMA_SPY",
        /// : the weighted ring of MD5 points.
        ConsistentWeighted = "CONSISTENT_WEIGHTED",
    }
    refused {
        "RANDOM" = "places nothing: every request goes to some server or other",
        "VIRTUAL_BUCKET" = "is not supported: its map of buckets is given at run time, not by a rule",
    }
}

hash_choice! {
    /// MEMCACHED_BEHAVIOR_HASH, spelled without its prefix MEMCACHED_HASH_.
    Hash {
        /// : one-at-a-time.
        #[default]
        Default = "DEFAULT" => OneAtATimeSigned,
        Md5 = "MD5" => Md5Word,
        /// : fifteen bits, so that on a ring nearly all keys have one owner.
        Crc = "CRC" => Crc32Of15Bits,
        Fnv1_64 = "FNV1_64" => Fnv1_64LowSigned,
        Fnv1a64 = "FNV1A_64" => Fnv1a64LowSigned,
        Fnv1_32 = "FNV1_32" => Fnv1_32Signed,
        Fnv1a32 = "FNV1A_32" => Fnv1a32Signed,
        Hsieh = "HSIEH" => SuperFastHash,
        Murmur = "MURMUR" => Murmur2Length,
        Jenkins = "JENKINS" => Lookup3,
        Murmur3 = "MURMUR3" => Murmur3Length,
    }
}

/// A client's settings, as far as they place keys; the default is that of a new `memcached_st`.
///
/// ```
/// use clockwise::dialect::libmemcached::Options;
/// use clockwise::{Buckets, Server};
///
/// let list = Buckets::new([
///     Server::new("a")?.with_address("10.0.0.1:11211")?,
///     Server::new("b")?.with_address("10.0.0.2:11211")?.with_weight(2)?,
/// ])?;
/// let client = Options::ketama_weighted().build(&list)?;
/// assert_eq!(client.as_ring().map(|ring| ring.point_counts()), Some([104, 212].as_slice()));
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// How keys are spread over servers.
    pub distribution: Distribution,
    /// The hash of keys, and of the points of an unweighted ring.
    pub hash: Hash,
    /// Whether the distribution was set when the servers were there already: then the unweighted
    /// rings ignore weights.
    pub set_after_servers: bool,
    /// MEMCACHED_BEHAVIOR_SORT_HOSTS: the list is brought into bytewise order of host, then port,
    /// before anything else (so "10.0.1.10" stands before "10.0.1.2").
    pub sort_hosts: bool,
}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("libmemcached {}", self.distribution))
    }
}

impl Options {
    /// What MEMCACHED_BEHAVIOR_KETAMA_WEIGHTED sets: the weighted ring and MD5 as the key hash. A
    /// hash set after it changes the key hash alone.
    pub const fn ketama_weighted() -> Options {
        Options {
            distribution: Distribution::ConsistentWeighted,
            hash: Hash::Md5,
            set_after_servers: false,
            sort_hosts: false,
        }
    }

    /// The placement of servers added in this order. Draining ones are left out as an ejected
    /// server is, from MODULA too.
    ///
    /// Refuses more than [`MAX_POINTS`](crate::ring::MAX_POINTS) points.
    pub fn build(&self, list: &Buckets) -> Result<Placed<Hash>, Error> {
        self.build_with(list, SOCKET)
    }

    /// The same for who adds sockets with another port.
    pub(super) fn build_with(&self, list: &Buckets, socket: u16) -> Result<Placed<Hash>, Error> {
        if self.sort_hosts {
            return self.build_as_listed(&sorted_by_host(list)?, socket);
        }
        self.build_as_listed(list, socket)
    }

    fn build_as_listed(&self, list: &Buckets, socket: u16) -> Result<Placed<Hash>, Error> {
        let spy = match self.distribution {
            Distribution::Modula => {
                return Ok(Placed::table(ModN::unweighted(self.hash, list), self.sort_hosts));
            }
            Distribution::ConsistentKetamaSpy => true,
            _ => false,
        };
        let stem = |server: &Server| if spy { spy_stem(server, socket) } else { stem(server, socket) };
        let points = if self.is_weighted(list) {
            ketama::weighted_points(list, stem)?
        } else {
            ketama::points(list, |_| 100, stem, |label| [self.hash.hash(label)])?
        };
        // Points come in order of the servers, so the first of equal ones is the first server's.
        let ring = Ring::from_points(self.hash, list, points, Boundary::AtOrAfter, Tie::First)?;
        Ok(Placed::ring(ring, self.sort_hosts))
    }

    /// Whether the ring's points follow weights.
    fn is_weighted(&self, list: &Buckets) -> bool {
        self.distribution == Distribution::ConsistentWeighted
            || !self.set_after_servers && list.active().any(|(_, server)| server.weight().get() > 1)
    }
}

/// The port that a Unix socket has.
const SOCKET: u16 = 0;

/// Host and port as the client holds them, a socket with the port that it was given.
fn host_and_port(server: &Server, socket: u16) -> (&str, u16) {
    let address = server.address();
    let host = address.host();
    match address.port() {
        _ if host.starts_with('/') => (host, socket),
        None | Some(0) => (host, 11211),
        Some(port) => (host, port),
    }
}

fn stem(server: &Server, socket: u16) -> String {
    match host_and_port(server, socket) {
        (host, 11211) => host.to_owned(),
        (host, port) => format!("{host}:{port}"),
    }
}

fn spy_stem(server: &Server, socket: u16) -> String {
    let (host, port) = host_and_port(server, socket);
    format!("/{host}:{port}")
}

fn sorted_by_host(list: &Buckets) -> Result<Buckets, Error> {
    let mut servers: Vec<Server> = list.servers().to_vec();
    // The client sorts unstably; servers of one address stand by name here.
    servers.sort_by(|a, b| (host_and_port(a, SOCKET), a.name()).cmp(&(host_and_port(b, SOCKET), b.name())));
    Buckets::new(servers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Placement as _;

    /// Servers by address, which is their name too, and weight.
    fn list(servers: &[(&str, u32)]) -> Buckets {
        crate::testing::list(servers)
    }

    fn ring_of(options: Options, servers: &Buckets) -> Ring<Hash> {
        options.build(servers).unwrap().as_ring().unwrap().clone()
    }

    fn with(distribution: Distribution) -> Options {
        Options { distribution, hash: Hash::Md5, ..Options::default() }
    }

    #[test]
    fn labels_leave_out_port_11211_and_never_have_brackets() {
        for (address, label, spy) in [
            ("10.0.0.1:11211", "10.0.0.1", "/10.0.0.1:11211"),
            ("10.0.0.1", "10.0.0.1", "/10.0.0.1:11211"),
            ("10.0.0.1:0", "10.0.0.1", "/10.0.0.1:11211"),
            ("10.0.0.1:11212", "10.0.0.1:11212", "/10.0.0.1:11212"),
            ("[2001:db8::1]:11212", "2001:db8::1:11212", "/2001:db8::1:11212"),
            ("2001:db8::1", "2001:db8::1", "/2001:db8::1:11211"),
            ("/run/memcached.sock", "/run/memcached.sock:0", "//run/memcached.sock:0"),
        ] {
            let server = Server::new("s").unwrap().with_address(address).unwrap();
            assert_eq!(stem(&server, SOCKET), label);
            assert_eq!(spy_stem(&server, SOCKET), spy);
        }
    }

    #[test]
    fn a_weight_above_1_turns_unweighted_rings_into_weighted_ones() {
        let equal = list(&[("10.0.0.1", 1), ("10.0.0.2", 1)]);
        let weighted = list(&[("10.0.0.1", 1), ("10.0.0.2", 3)]);
        for distribution in
            [Distribution::Consistent, Distribution::ConsistentKetama, Distribution::ConsistentKetamaSpy]
        {
            let options = with(distribution);
            assert_eq!(ring_of(options, &equal).point_counts(), [100, 100]);
            assert_eq!(ring_of(options, &weighted).point_counts(), [80, 240]);
            let after = Options { set_after_servers: true, ..options };
            assert_eq!(ring_of(after, &weighted).point_counts(), [100, 100]);
        }
        for set_after_servers in [false, true] {
            let options = Options { set_after_servers, ..Options::ketama_weighted() };
            assert_eq!(ring_of(options, &equal).point_counts(), [160, 160]);
            assert_eq!(ring_of(options, &weighted).point_counts(), [80, 240]);
        }
    }

    #[test]
    fn points_of_an_unweighted_ring_are_the_key_hash_of_the_labels() {
        let servers = list(&[("10.0.0.1", 1), ("10.0.0.2:11300", 1)]);
        let ring = ring_of(Options { hash: Hash::Murmur, ..with(Distribution::Consistent) }, &servers);
        let mut expected = Vec::new();
        for j in 0..100 {
            expected.push((Murmur2Length.hash(format!("10.0.0.1-{j}").as_bytes()), 0));
            expected.push((Murmur2Length.hash(format!("10.0.0.2:11300-{j}").as_bytes()), 1));
        }
        expected.sort_unstable();
        let points: Vec<_> = ring.points().map(|(position, ix)| (position, ix.index())).collect();
        assert_eq!(points, expected);
    }

    #[test]
    fn modula_counts_servers_and_not_weights() {
        let client = Options::default().build(&list(&[("a", 1), ("b", 9), ("c", 1)])).unwrap();
        for i in 0..100 {
            let key = format!("key-{i}");
            assert_eq!(client.owner_ix(&key).index() as u64, OneAtATimeSigned.hash(key.as_bytes()) % 3);
        }
        assert!(client.depends_on_order());
        assert_eq!(client.servers()[1].weight().get(), 9);
    }

    #[test]
    fn sorted_hosts_stand_bytewise_by_host_and_then_by_port() {
        let servers = list(&[("10.0.1.2:1", 1), ("10.0.1.10:30", 1), ("10.0.1.10:4", 1)]);
        let client = Options { sort_hosts: true, ..Options::default() }.build(&servers).unwrap();
        let order: Vec<_> = client.servers().iter().map(|server| server.address().as_str()).collect();
        assert_eq!(order, ["10.0.1.10:4", "10.0.1.10:30", "10.0.1.2:1"]);
        assert!(!client.depends_on_order());
    }

    #[test]
    fn of_two_servers_at_one_address_the_first_owns_all() {
        let at = |name| Server::new(name).unwrap().with_address("10.0.0.1:11211").unwrap();
        let servers = Buckets::new([at("y"), at("x")]).unwrap();
        let client = Options::ketama_weighted().build(&servers).unwrap();
        assert!((0..100).all(|i| client.owner(format!("key-{i}")).name().as_str() == "y"));
        assert_eq!(client.as_ring().unwrap().collisions().len(), 160);
        assert!(client.depends_on_order());
    }

    #[test]
    fn distributions_that_place_nothing_are_refused_with_the_reason() {
        for wrong in ["RANDOM", "VIRTUAL_BUCKET", "modula", "KETAMA"] {
            assert!(wrong.parse::<Distribution>().unwrap_err().is_parameter());
        }
        let error = "RANDOM".parse::<Distribution>().unwrap_err();
        assert_eq!(
            format!("{error}"),
            "distribution RANDOM places nothing: every request goes to some server or other"
        );
        for &distribution in Distribution::ALL {
            assert_eq!(distribution.as_str().parse(), Ok(distribution));
        }
        for &hash in Hash::ALL {
            assert_eq!(hash.as_str().parse(), Ok(hash));
        }
    }
}
