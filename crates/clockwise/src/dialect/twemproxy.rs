//! twemproxy (nutcracker), a proxy for memcached and Redis.
//!
//! | parameter | ketama | modula |
//! |---|---|---|
//! | key hash | `hash`, of the part in the `hash_tag` if the pool has one; of the empty key 0 | the same |
//! | order of servers | by name: shorter first, then bytewise | the same |
//! | owner | first point `>=` the hash, wrapping | hash mod total weight, each server in a row as often as it weighs |
//! | points of a server | 4 × digests, by weight, rounded down in IEEE single | |
//! | position of a point | a word of MD5 of the label | |
//! | label | name, `-`, number | |
//! | width | 32 bits | 32 bits |
//! | equal points | not specified: see [`Ring::collisions`] | |
//! | a dead server | rebuild without it, if told to eject | the same |
//!
//! A server's name is the optional one at the end of its line in the file; without it the host, or
//! host and port unless the port is 11211. Whoever reads the file makes that name; here it is the
//! server's name as given. Since servers are sorted by it, their order in the file is no matter.
//!
//! After an ejection point counts are computed anew from the servers that are left, so with unequal
//! weights some keys move between servers that stayed.
//!
//! Checked against twemproxy 0.5.0. Keys of bytes from 0x80 hash as where C's `char` is signed
//! (x86).

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::fmt;

use super::{Placed, ketama};
use crate::choice::choice;
use crate::error::{Error, Kind};
use crate::hash::{
    Crc16Unmasked, Crc32, Crc32Of15Bits, Fnv1_32Signed, Fnv1_64LowSigned, Fnv1a32Signed, Fnv1a64LowSigned,
    HashTag, KeyHash, Lookup3, Md5Word, Murmur2Length, OneAtATimeSigned, SuperFastHash, Width, hash_choice,
};
use crate::members::Buckets;
use crate::modulo::ModN;
use crate::placement::BATCH;
use crate::ring::{Boundary, Ring, Tie};
use crate::server::Server;

choice! {
    /// The pool's `distribution`.
    Distribution, "distribution" {
        /// : a weighted ring of MD5 points.
        #[default]
        Ketama = "ketama",
        /// : hash mod total weight.
        Modula = "modula",
    }
    refused {
        "random" = "places nothing: every request goes to some server or other",
    }
}

hash_choice! {
    /// The pool's `hash`: the hash of keys, never of points.
    Hash {
        OneAtATime = "one_at_a_time" => OneAtATimeSigned,
        Md5 = "md5" => Md5Word,
        Crc16 = "crc16" => Crc16Unmasked,
        /// : fifteen bits, so that on a ring nearly all keys have one owner; `crc32a` has all.
        Crc32 = "crc32" => Crc32Of15Bits,
        Crc32a = "crc32a" => Crc32,
        Fnv1_64 = "fnv1_64" => Fnv1_64LowSigned,
        /// : the default, and a poor one on a ring: keys that end in different numbers crowd.
        #[default]
        Fnv1a64 = "fnv1a_64" => Fnv1a64LowSigned,
        Fnv1_32 = "fnv1_32" => Fnv1_32Signed,
        Fnv1a32 = "fnv1a_32" => Fnv1a32Signed,
        Hsieh = "hsieh" => SuperFastHash,
        Murmur = "murmur" => Murmur2Length,
        Jenkins = "jenkins" => Lookup3,
    }
}

/// How a pool hashes a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PoolHash {
    hash: Hash,
    tag: Option<HashTag>,
}

impl KeyHash for PoolHash {
    fn width(&self) -> Width {
        Width::Bits32
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        // Redis commands can carry an empty key, and the proxy does not hash it.
        match self.tag.map_or(bytes, |tag| tag.part(bytes)) {
            [] => 0,
            part => self.hash.hash(part),
        }
    }
    fn hash_many(&self, keys: &[&[u8]], hashes: &mut [u64]) {
        let mut parts: [&[u8]; BATCH] = [&[]; BATCH];
        for (keys, hashes) in keys.chunks(BATCH).zip(hashes.chunks_mut(BATCH)) {
            for (part, key) in parts.iter_mut().zip(keys) {
                *part = self.tag.map_or(*key, |tag| tag.part(key));
            }
            self.hash.hash_many(&parts[..keys.len()], hashes);
            for (hash, _) in hashes.iter_mut().zip(&parts[..keys.len()]).filter(|(_, part)| part.is_empty()) {
                *hash = 0;
            }
        }
    }
    fn bits(&self) -> u32 {
        self.hash.bits()
    }
    fn name(&self) -> Cow<'static, str> {
        let hash = self.hash.name();
        match self.tag {
            None => Cow::Owned(format!("{hash}, 0 of nothing")),
            Some(tag) => Cow::Owned(format!("{hash}, 0 of nothing, in {tag}")),
        }
    }
}

/// A pool's settings, as far as they place keys; the default is a pool's that says nothing.
///
/// ```
/// use clockwise::dialect::twemproxy::Options;
/// use clockwise::{Buckets, Server};
///
/// let list = Buckets::new([Server::new("cache-1")?, Server::new("cache-2")?])?;
/// let pool = Options { hash_tag: Some("{}".parse()?), ..Options::default() }.build(&list)?;
/// assert_eq!(pool.owner("{user:42}.cart"), pool.owner("{user:42}.orders"));
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// How keys are spread over servers.
    pub distribution: Distribution,
    /// The hash of keys.
    pub hash: Hash,
    /// The marks around the part of a key that is hashed.
    pub hash_tag: Option<HashTag>,
}

/// The longest label, in bytes. The proxy writes labels to a buffer of 86 bytes and reads past its
/// end when one is longer.
const MAX_LABEL: usize = 85;

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("twemproxy {} {}", self.distribution, self.hash))
    }
}

impl Options {
    /// The placement of a pool's servers; those that the proxy has ejected are draining.
    ///
    /// Refuses more than [`MAX_POINTS`](crate::ring::MAX_POINTS) points or 2²⁴ buckets, a total
    /// weight that overflows the proxy's 32 bits, and a name so long that the proxy's own labels
    /// are undefined.
    pub fn build(&self, list: &Buckets) -> Result<Placed<PoolHash>, Error> {
        let list = &sorted_by_name(list)?;
        let hash = PoolHash { hash: self.hash, tag: self.hash_tag };
        match self.distribution {
            Distribution::Modula => Ok(Placed::table(ModN::new(hash, list)?, true)),
            Distribution::Ketama => {
                check_total(list)?;
                let points = ketama::weighted_points(list, |server| server.name().to_string())?;
                let ring = Ring::from_points(hash, list, points, Boundary::AtOrAfter, Tie::Unspecified)?;
                check_labels(&ring)?;
                Ok(Placed::ring(ring, true))
            }
        }
    }
}

fn sorted_by_name(list: &Buckets) -> Result<Buckets, Error> {
    let mut servers: Vec<Server> = list.servers().to_vec();
    servers.sort_by(|a, b| {
        let (a, b) = (a.name().as_str(), b.name().as_str());
        a.len().cmp(&b.len()).then_with(|| a.cmp(b))
    });
    Buckets::new(servers)
}

fn check_total(list: &Buckets) -> Result<(), Error> {
    let mut total: u64 = 0;
    for (_, server) in list.active() {
        total += u64::from(server.weight().get());
        if total > u64::from(u32::MAX) {
            return Err(Error::new(Kind::Weight {
                value: server.weight().to_string(),
                problem: "brings the total above 4294967295, where the proxy's own sum overflows",
            })
            .of_server(server.name().as_str()));
        }
    }
    Ok(())
}

fn check_labels(ring: &Ring<PoolHash>) -> Result<(), Error> {
    for (server, &points) in ring.servers().iter().zip(ring.point_counts()) {
        let name = server.name().as_str();
        let longest = (points / 4).checked_sub(1).map_or(0, |last| format!("{name}-{last}").len());
        if longest > MAX_LABEL {
            return Err(Error::new(Kind::Name {
                value: name.to_string(),
                problem: "is too long for a ketama pool: with `-` and a number behind it, twemproxy has room for 85 bytes",
            }));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use super::*;
    use crate::hash::HashTag;
    use crate::testing::list;

    fn names(list: &[Server]) -> Vec<&str> {
        list.iter().map(|server| server.name().as_str()).collect()
    }

    #[test]
    fn servers_stand_by_length_of_name_and_then_bytewise_whatever_the_file_says() {
        for distribution in [Distribution::Ketama, Distribution::Modula] {
            let options = Options { distribution, ..Options::default() };
            let pool = options.build(&list(&[("bb", 1), ("c", 2), ("aaa", 1), ("ba", 3)])).unwrap();
            let turned = options.build(&list(&[("ba", 3), ("aaa", 1), ("c", 2), ("bb", 1)])).unwrap();
            assert_eq!(names(pool.servers()), ["c", "ba", "bb", "aaa"]);
            assert!(!crate::Placement::depends_on_order(&pool));
            for i in 0..500 {
                assert_eq!(pool.owner(format!("key-{i}")), turned.owner(format!("key-{i}")));
            }
        }
    }

    #[test]
    fn the_empty_key_hashes_to_0_and_a_tag_to_its_part() {
        for &hash in Hash::ALL {
            let whole = PoolHash { hash, tag: None };
            let tagged = PoolHash { hash, tag: Some(HashTag::BRACES) };
            assert_eq!(whole.hash(b""), 0, "{hash}");
            assert_eq!(tagged.hash(b""), 0, "{hash}");
            assert_eq!(tagged.hash(b"x{user:42}y"), hash.hash(b"user:42"), "{hash}");
            assert_eq!(tagged.hash(b"x{}y"), hash.hash(b"x{}y"), "{hash}");
            assert_ne!(whole.name(), tagged.name());
        }
    }

    #[test]
    fn random_is_refused_because_it_places_nothing() {
        let error = "random".parse::<Distribution>().unwrap_err();
        assert!(error.is_parameter());
        assert_eq!(
            error.to_string(),
            "distribution random places nothing: every request goes to some server or other"
        );
        let error = "ketma".parse::<Distribution>().unwrap_err();
        assert_eq!(error.to_string(), "there is no distribution \"ketma\"; known: ketama, modula");
        let error = "fnv".parse::<Hash>().unwrap_err().to_string();
        assert!(error.starts_with("there is no hash \"fnv\"; known: one_at_a_time, md5, crc16"), "{error}");
    }

    #[test]
    fn spellings_read_back() {
        for &hash in Hash::ALL {
            assert_eq!(hash.as_str().parse(), Ok(hash));
        }
        for &distribution in Distribution::ALL {
            assert_eq!(distribution.as_str().parse(), Ok(distribution));
        }
        assert_eq!(Options::default().hash.as_str(), "fnv1a_64");
        assert_eq!(Options::default().distribution.as_str(), "ketama");
    }

    #[test]
    fn a_name_that_overruns_the_proxys_label_is_refused() {
        // The longest label of an only server is its name and "-39".
        let fits: String = "n".repeat(82);
        let long: String = "n".repeat(83);
        assert!(Options::default().build(&list(&[(&fits, 1)])).is_ok());
        let error = Options::default().build(&list(&[(&long, 1)])).unwrap_err();
        assert!(error.is_text());
        assert!(error.to_string().contains(&long), "{error}");
        // modula writes no labels.
        let modula = Options { distribution: Distribution::Modula, ..Options::default() };
        assert!(modula.build(&list(&[(&long, 1)])).is_ok());
    }

    #[test]
    fn a_total_weight_that_overflows_the_proxys_sum_is_refused() {
        let error = Options::default().build(&list(&[("a", u32::MAX), ("b", 1)])).unwrap_err();
        assert!(error.is_weight());
        assert_eq!(error.server(), Some("b"));
    }

    #[test]
    fn an_ejected_server_counts_in_no_total() {
        let servers = list(&[("a", 1), ("b", 2), ("c", 4)]);
        let ejected = servers.replaced(1, servers.servers()[1].clone().draining()).unwrap();
        for distribution in [Distribution::Ketama, Distribution::Modula] {
            let options = Options { distribution, hash: Hash::Md5, hash_tag: None };
            let with = options.build(&ejected).unwrap();
            let without = options.build(&list(&[("a", 1), ("c", 4)])).unwrap();
            for i in 0..500 {
                let key = format!("key-{i}");
                assert_eq!(with.owner(&key).name(), without.owner(&key).name(), "{key}");
            }
            assert_eq!(with.servers().len(), 3);
        }
    }
}
