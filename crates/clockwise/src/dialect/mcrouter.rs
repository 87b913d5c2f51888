//! mcrouter, a router for memcached: the hash functions of a pool.
//!
//! | parameter | Ch3 | Crc32 | WeightedCh3 |
//! |---|---|---|---|
//! | what of the key is hashed | [`routing_key`], with the `salt` behind it | the same | the same |
//! | owner | index [`furc`](crate::hash::furc) of it | its CRC-32 without the highest bit, mod the number of servers | index furc, drawn against that server's weight, up to 32 times |
//! | order of servers | the pool's; names and addresses are no matter | the same | the same |
//! | weights | none | none | 0 to 1; 0.5 of a server that has none |
//! | a dead server | keep and miss, unless a failover route says otherwise | the same | the same |
//!
//! A draw of WeightedCh3: [SpookyHash](https://burtleburtle.net/bob/hash/spooky.html) of the key,
//! seed 0xface2014, below weight × (2³² − 1) cut to a whole number accepts the index; otherwise the
//! key is written anew with the number of the draw behind it, from 0, its lowest digit first (after
//! `9` comes `01`), and hashed again. After 32 draws the last index stands. A lower weight moves keys
//! off that server only, and to all others.
//!
//! A pool of one server is not hashed at all. Servers are added and taken away at the end of the
//! list; one gone from the middle moves the keys of all behind it.
//!
//! Checked against mcrouter's `hash.c` of commit 9d7f43422b85, compiled, for Ch3 and Crc32;
//! WeightedCh3 against the values of mcrouter's own test; the routing key and the salt from source
//! only.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use super::fraction::fraction_weight;
use crate::choice::choice;
use crate::error::{Error, Kind};
use crate::hash::{FURC_MAX, crc32_parts, furc_parts, spooky_32};
use crate::members::Buckets;
use crate::placement::{Measured, Placement, ServerIx, Share, table_shares};
use crate::server::{Server, ServerName};

choice! {
    /// The `hash_func` of a pool's `hash`.
    HashFunc, "hash_func" {
        /// : furc_hash, consistent in the length of the list.
        #[default]
        Ch3 = "Ch3",
        Crc32 = "Crc32",
        /// : furc_hash and a draw against weights.
        WeightedCh3 = "WeightedCh3",
    }
    refused {
        "ConstShard" = "is not supported: the key itself names the server",
        "Latest" = "places nothing: it prefers servers by how they answered last",
        "LoadBalancer" = "places nothing: it chooses servers by their load",
        "Random" = "places nothing: every request goes to some server or other",
        "Rendezvous" = "is not supported: its answers were never compared with the program's",
        "WeightedCh4" = "is not supported: its answers were never compared with the program's",
        "WeightedRendezvous" = "is not supported: its answers were never compared with the program's",
    }
}

/// The part of a key that mcrouter routes by: without a leading `/region/cluster/`, and up to the
/// first `|#|`.
///
/// ```
/// use clockwise::dialect::mcrouter::routing_key;
///
/// assert_eq!(routing_key(b"/eu/main/user:42|#|cart"), b"user:42");
/// assert_eq!(routing_key(b"/eu/user:42"), b"/eu/user:42");
/// ```
pub fn routing_key(key: &[u8]) -> &[u8] {
    let key = without_route(key).unwrap_or(key);
    let stop = key.windows(3).position(|bytes| bytes == b"|#|");
    &key[..stop.unwrap_or(key.len())]
}

/// What follows the third `/` of a key that begins with one.
fn without_route(key: &[u8]) -> Option<&[u8]> {
    let after = |bytes: &'_ [u8]| bytes.iter().position(|&byte| byte == b'/').map(|at| at + 1);
    let region = key.strip_prefix(b"/")?;
    let cluster = &region[after(region)?..];
    Some(&cluster[after(cluster)?..])
}

fraction_weight! {
    /// A weight of WeightedCh3: the part of its keys that a server keeps, 0 to 1.
    ///
    /// ```
    /// # use clockwise::dialect::mcrouter::Weight;
    /// assert_eq!("0.25".parse::<Weight>()?.get(), 0.25);
    /// assert!("1.5".parse::<Weight>().unwrap_err().is_weight());
    /// # Ok::<(), clockwise::Error>(())
    /// ```
    f64, "is not a number from 0 to 1",
    // No -0, so that equal weights have equal bits.
    |value| (0.0..=1.0).contains(&value).then_some(value + 0.0)
}

impl Weight {
    /// What a server has that no weight is given for.
    pub const MISSING: Weight = Weight(0.5);

    /// What a 32-bit hash must be below to be kept.
    fn threshold(self) -> u32 {
        (self.0 * f64::from(u32::MAX)) as u32
    }
}

/// A pool's `hash`, and the `salt` beside it; the default is that of a pool that says nothing.
///
/// ```
/// use clockwise::dialect::mcrouter::{HashFunc, Options, Weight};
/// use clockwise::{Buckets, Server, ServerName};
///
/// let pool = Buckets::new([Server::new("a")?, Server::new("b")?, Server::new("c")?])?;
/// let plain = Options::default().build(&pool)?;
/// let weight = |name, weight| Ok::<_, clockwise::Error>((ServerName::new(name)?, Weight::try_from(weight)?));
/// let weights = [weight("a", 1.0)?, weight("b", 1.0)?, weight("c", 0.7)?].into();
/// let weighted = Options { hash_func: HashFunc::WeightedCh3, weights, ..Options::default() };
/// let weighted = weighted.build(&pool)?;
/// let kept = (0..1_000).filter(|i| plain.owner(i.to_string()) == weighted.owner(i.to_string()));
/// assert_eq!(kept.count(), 937); // of the keys of `c`, 63 went to the others
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// How a key becomes an index.
    pub hash_func: HashFunc,
    /// A text that is put behind every key before it is hashed.
    pub salt: String,
    /// The weights of WeightedCh3, which the pool's file lists in the order of the servers.
    pub weights: BTreeMap<ServerName, Weight>,
}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&alloc::format!("mcrouter {}", self.hash_func))
    }
}

impl Options {
    /// The placement over a pool's servers. Draining servers take no place, so those behind them
    /// close up.
    ///
    /// Refuses more servers than furc_hash tells apart.
    pub fn build(&self, list: &Buckets) -> Result<Pool, Error> {
        let buckets: Arc<[ServerIx]> = list.active().map(|(ix, _)| ix).collect();
        if self.hash_func != HashFunc::Crc32 && buckets.len() > FURC_MAX as usize {
            return Err(Error::new(Kind::BucketCount {
                value: buckets.len() as i128,
                problem: "is too large: furc_hash ends at 8388608 servers",
            }));
        }
        let weight = |ix: &ServerIx| {
            let given = self.weights.get(list.servers()[ix.index()].name());
            given.copied().unwrap_or(Weight::MISSING)
        };
        let choose = match self.hash_func {
            HashFunc::Ch3 => Choose::Ch3,
            HashFunc::Crc32 => Choose::Crc32,
            HashFunc::WeightedCh3 => {
                Choose::Weighted(buckets.iter().map(|ix| weight(ix).threshold()).collect())
            }
        };
        Ok(Pool { choose, salt: self.salt.as_bytes().into(), servers: list.shared(), buckets })
    }
}

/// The placement of a pool. Immutable; clones share it.
#[derive(Clone, Debug)]
pub struct Pool {
    choose: Choose,
    salt: Arc<[u8]>,
    servers: Arc<[Server]>,
    buckets: Arc<[ServerIx]>,
}

#[derive(Clone, Debug)]
enum Choose {
    Ch3,
    Crc32,
    Weighted(Arc<[u32]>),
}

impl Pool {
    /// The owner of a key.
    pub fn owner(&self, key: impl AsRef<[u8]>) -> &Server {
        &self.servers[self.owner_ix(key).index()]
    }

    /// The owner of a key, as an index into the list.
    pub fn owner_ix(&self, key: impl AsRef<[u8]>) -> ServerIx {
        let key = [routing_key(key.as_ref()), &self.salt];
        let servers = self.buckets.len() as u32;
        let index = match &self.choose {
            Choose::Ch3 => furc_parts(&key, servers),
            Choose::Crc32 => (crc32_parts(key) & 0x7fff_ffff) % servers,
            Choose::Weighted(thresholds) => weighted(key, thresholds),
        };
        self.buckets[index as usize]
    }

    /// The servers, draining ones included. A [`ServerIx`] is a position in this slice.
    pub fn servers(&self) -> &[Server] {
        &self.servers
    }
}

/// How often a key is drawn before the index stands as it is.
const DRAWS: usize = 32;

fn weighted([key, salt]: [&[u8]; 2], thresholds: &[u32]) -> u32 {
    let servers = thresholds.len() as u32;
    let mut index = 0;
    for draw in 0..DRAWS {
        // What is put behind the key: nothing at first, then the number of the draw before.
        let digits = draw.checked_sub(1).map_or([0; 2], |number| [number % 10, number / 10]);
        let digits = digits.map(|digit| b'0' + digit as u8);
        let behind = match draw {
            0 => &[],
            1..=10 => &digits[..1],
            _ => &digits[..],
        };
        let drawn = [key, salt, behind];
        index = furc_parts(&drawn, servers);
        if spooky_32(&drawn, 0xface_2014) < thresholds[index as usize] {
            break;
        }
    }
    index
}

impl Placement for Pool {
    fn servers(&self) -> &[Server] {
        &self.servers
    }
    fn owner_ix(&self, key: &[u8]) -> ServerIx {
        Pool::owner_ix(self, key)
    }
    fn depends_on_order(&self) -> bool {
        true
    }
    fn measured(&self) -> Option<&dyn Measured> {
        match self.choose {
            Choose::Ch3 | Choose::Crc32 => Some(self),
            // What is refused goes on to others, and how much of it where depends on the keys.
            Choose::Weighted(_) => None,
        }
    }
}

impl Measured for Pool {
    /// Each server expects the same part of all keys.
    fn shares(&self) -> Vec<Share> {
        table_shares(self.buckets.iter().copied(), self.servers.len())
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::ToString;

    use super::*;
    use crate::hash::{crc32, furc};
    use crate::testing::list;

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|i| format!("s{i}")).collect()
    }

    /// Weights for the first servers.
    fn named(names: &[String], weights: &[f64]) -> BTreeMap<ServerName, Weight> {
        let name = |name: &String| ServerName::new(name.as_str()).unwrap();
        names.iter().map(name).zip(weights.iter().map(|&weight| Weight::try_from(weight).unwrap())).collect()
    }

    fn pool(servers: usize, weights: &[f64]) -> Pool {
        let names = names(servers);
        let fleet: Vec<(&str, u32)> = names.iter().map(|name| (name.as_str(), 1)).collect();
        let weights = named(&names, weights);
        let hash_func = HashFunc::WeightedCh3;
        Options { hash_func, weights, ..Options::default() }.build(&list(&fleet)).unwrap()
    }

    fn counts(pool: &Pool, keys: usize) -> Vec<usize> {
        let mut counts = alloc::vec![0; pool.servers().len()];
        for key in 0..keys {
            counts[pool.owner_ix(key.to_string()).index()] += 1;
        }
        counts
    }

    /// Of mcrouter's own test, WeightedCh3HashFuncTest.
    #[test]
    fn weighted_values_of_mcrouters_own_test() {
        let full = pool(100, &[1.0; 100]);
        assert_eq!(full.owner_ix("sample").index(), 97);
        assert_eq!(full.owner_ix("").index(), 72);
        // Nobody keeps a key: the last draw stands.
        let none = pool(100, &[0.0; 100]);
        assert_eq!(none.owner_ix("sample").index(), 59);
        assert_eq!(none.owner_ix("").index(), 45);
        assert_eq!(pool(1, &[0.0]).owner_ix("sample").index(), 0);

        assert_eq!(counts(&pool(3, &[1.0; 3]), 1_000), [307, 342, 351]);
        assert_eq!(counts(&pool(3, &[1.0, 1.0, 0.7]), 1_000), [341, 371, 288]);
        let weights = [0.429, 0.541, 0.117, 0.998, 0.283, 0.065, 0.109, 0.042, 0.676, 0.943];
        let counted = counts(&pool(10, &weights), 10_000);
        assert_eq!(counted, [1016, 1252, 288, 2354, 661, 195, 247, 122, 1668, 2197]);
    }

    #[test]
    fn a_weight_that_is_missing_is_a_half() {
        let (given, missing) = (pool(3, &[1.0, 0.5, 0.5]), pool(3, &[1.0]));
        for i in 0..200 {
            let key = format!("user:{i}");
            assert_eq!(given.owner_ix(&key), missing.owner_ix(&key), "{key}");
        }
    }

    #[test]
    fn a_weight_outside_0_to_1_is_refused() {
        for wrong in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert!(Weight::try_from(wrong).unwrap_err().is_weight());
        }
        assert!("much".parse::<Weight>().unwrap_err().is_weight());
        assert_eq!(Weight::try_from(-0.0).unwrap(), "0".parse().unwrap());
    }

    #[test]
    fn a_salt_stands_behind_the_routing_key() {
        let names = names(50);
        let fleet: Vec<(&str, u32)> = names.iter().map(|name| (name.as_str(), 1)).collect();
        let salted = |hash_func| Options { hash_func, salt: "pepper".into(), ..Options::default() };
        let ch3 = salted(HashFunc::Ch3).build(&list(&fleet)).unwrap();
        let crc = salted(HashFunc::Crc32).build(&list(&fleet)).unwrap();
        for i in 0..200 {
            let (key, text) = (format!("/eu/main/user:{i}|#|x"), format!("user:{i}pepper"));
            assert_eq!(ch3.owner_ix(&key).get(), furc(text.as_bytes(), 50));
            assert_eq!(crc.owner_ix(&key).get(), (crc32(text.as_bytes()) & 0x7fff_ffff) % 50);
        }
    }

    #[test]
    fn a_route_needs_three_slashes_and_the_key_ends_at_its_stop() {
        for (key, part) in [
            ("", ""),
            ("/", "/"),
            ("//", "//"),
            ("///", ""),
            ("/eu/main/", ""),
            ("/eu/main/k/x", "k/x"),
            ("eu/main/k", "eu/main/k"),
            ("k|#|", "k"),
            ("|#|k", ""),
            ("a|#b|#|c|#|d", "a|#b"),
            ("k|#", "k|#"),
        ] {
            assert_eq!(routing_key(key.as_bytes()), part.as_bytes(), "{key}");
        }
    }

    #[test]
    fn a_draining_server_takes_no_place_and_its_weight_goes_with_it() {
        let servers = list(&[("a", 1), ("b", 1), ("c", 1)]);
        let drained = servers.replaced(0, servers.servers()[0].clone().draining()).unwrap();
        let weights = named(&["a", "b", "c"].map(String::from), &[0.3, 1.0, 0.4]);
        let options = Options { hash_func: HashFunc::WeightedCh3, weights, ..Options::default() };
        let place = options.build(&drained).unwrap();
        let without = options.build(&list(&[("b", 1), ("c", 1)])).unwrap();
        for i in 0..200 {
            let key = format!("user:{i}");
            assert_eq!(place.owner(&key).name(), without.owner(&key).name());
        }
        assert!(place.measured().is_none());
    }

    #[test]
    fn functions_that_place_nothing_or_were_never_compared_are_refused_with_the_reason() {
        for wrong in ["Random", "Latest", "Rendezvous", "WeightedCh4", "ch3"] {
            assert!(wrong.parse::<HashFunc>().unwrap_err().is_parameter());
        }
        for &known in HashFunc::ALL {
            assert_eq!(known.as_str().parse(), Ok(known));
        }
    }
}
