//! The ring of Grafana's dskit: Mimir, Loki, Tempo, and Cortex, from which it comes.
//!
//! | parameter | value |
//! |---|---|
//! | hash of a key | [`enum@Hash`]: FNV-1 of 32 bits for series, streams and traces, FNV-1a for most other rings |
//! | key of a series in Mimir | tenant, then the name and the value of each label, nothing between: [`series`] |
//! | key of a stream in Loki, a trace in Tempo | tenant, then the labels as text; tenant, then the bytes of the id |
//! | tokens of an instance | given: drawn at random (512 in Mimir, 128 in Loki), or [`SpreadMinimizing`] |
//! | owner | the instance of the first token `>` the key's, wrapping |
//! | width | 32 bits |
//! | equal tokens | one instance has it, not specified which; the others lose it |
//! | weights | none: an instance with more tokens owns more |
//! | replicas | [`Replication`]: the next distinct instances, one for each zone |
//! | an instance that is not ACTIVE | writes go on to the next one of its zone, as if it were not there |
//!
//! Most rings take the first token at or after the key; this one takes the first *after* it, so that a
//! key whose hash is a token belongs to the next.
//!
//! Which hash a ring takes is its user's choice: ingesters of Mimir, Loki and Tempo FNV-1, rulers,
//! alertmanagers and compactors FNV-1a.
//!
//! The generator of tokens was run (commit 06829887f955, compiled). The walk, the hashes and the keys
//! are from the sources of dskit, Mimir, Loki and Tempo and were not run. A tenant's shard (shuffle
//! sharding) is not covered: a key is placed on the whole ring here.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::fmt;

mod replication;
mod spread_minimizing;

pub use replication::Replication;
pub use spread_minimizing::{MAX_ZONES, SpreadMinimizing, TOKENS};

use crate::error::{Error, Kind};
use crate::hash::{Fnv1_32, Fnv1a32, hash_choice};
use crate::members::Buckets;
use crate::ring::{Boundary, MAX_POINTS, Ring, Tie};
use crate::server::ServerName;

hash_choice! {
    /// The function of Go's `hash/fnv` that makes a token of a key.
    Hash {
        /// : series, streams and traces on their way to ingesters.
        #[default]
        New32 = "New32" => Fnv1_32,
        /// : rulers, alertmanagers, compactors.
        New32a = "New32a" => Fnv1a32,
    }
}

/// A ring as its page, or the key-value store behind it, shows it.
///
/// ```
/// use clockwise::dialect::dskit::{Options, SpreadMinimizing, series};
/// use clockwise::{Buckets, Server};
///
/// let servers = Buckets::new([Server::new("ingester-a-0")?, Server::new("ingester-a-1")?])?;
/// let names = servers.servers().iter().map(|server| server.name().clone());
/// let tokens = names.zip(SpreadMinimizing::new(0)?).collect();
/// let ring = Options { tokens, ..Options::default() }.build(&servers)?;
///
/// let key = series("tenant-1", [("__name__", "up"), ("job", "api")]);
/// assert_eq!(ring.owner(&key).name().as_str(), "ingester-a-0");
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// The hash of keys.
    pub hash: Hash,
    /// The tokens of each instance. Those of an instance that is not listed have left with it.
    pub tokens: BTreeMap<ServerName, Vec<u32>>,
}

impl Options {
    /// The ring of these instances. One without tokens owns nothing; draining is an instance in any
    /// state but ACTIVE, as a write finds it.
    ///
    /// Refuses no tokens at all, and more than [`MAX_POINTS`] of them.
    pub fn build(&self, servers: &Buckets) -> Result<Ring<Hash>, Error> {
        let mut points = Vec::new();
        for (ix, server) in servers.active() {
            let tokens = self.tokens.get(server.name()).map_or(&[][..], Vec::as_slice);
            let total = points.len() as u64 + tokens.len() as u64;
            if total > MAX_POINTS {
                let kind = Kind::TooManyPoints { points: total.into(), limit: MAX_POINTS };
                return Err(Error::new(kind).of_server(server.name().as_str()));
            }
            points.extend(tokens.iter().map(|&token| (u64::from(token), ix)));
        }
        Ring::from_points(self.hash, servers, points, Boundary::After, Tie::OnlyUnspecified)
    }
}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&alloc::format!("dskit {}", self.hash))
    }
}

/// The key of a series as Mimir's distributor hashes it. Labels in order of their names, which is how
/// they are sent; in another order it is another key.
///
/// ```
/// use clockwise::dialect::dskit::series;
///
/// assert_eq!(series("t", [("__name__", "up"), ("job", "api")]), b"t__name__upjobapi");
/// ```
pub fn series<'a>(tenant: &str, labels: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<u8> {
    let mut key = Vec::from(tenant);
    for (name, value) in labels {
        key.extend_from_slice(name.as_bytes());
        key.extend_from_slice(value.as_bytes());
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::KeyHash as _;
    use crate::testing::{Random, list, user_keys};

    #[test]
    fn the_owner_has_the_first_token_strictly_after_the_key() {
        let mut random = Random(0xd5c1);
        let servers = list(&[("a", 1), ("b", 1), ("c", 1), ("without", 1)]);
        for hash in Hash::ALL.iter().copied() {
            let mut tokens: Vec<(u32, usize)> = (0..30).map(|i| (random.next() as u32, i % 3)).collect();
            // A token that is a key's own hash, and the one behind it.
            let own = hash.hash(b"user:0") as u32;
            tokens.extend([(own, 0), (own + 1, 1)]);
            let given = ["a", "b", "c"].into_iter().enumerate().map(|(i, name)| {
                let own = tokens.iter().filter(|(_, owner)| *owner == i).map(|(token, _)| *token);
                (name.parse().unwrap(), own.collect())
            });
            let ring = Options { hash, tokens: given.collect() }.build(&servers).unwrap();
            tokens.sort_unstable();
            for key in user_keys(2_000) {
                let token = hash.hash(key.as_bytes()) as u32;
                let next = tokens.iter().find(|(other, _)| *other > token).unwrap_or(&tokens[0]);
                assert_eq!(ring.owner_ix(&key).index(), next.1, "{key}");
            }
            assert_eq!(ring.owner_ix("user:0").index(), 1);
        }
    }

    #[test]
    fn a_token_of_two_instances_is_told_and_an_instance_that_left_took_its_own() {
        let servers = list(&[("a", 1), ("b", 1)]);
        let tokens = [("a", [7, 9]), ("b", [7, 11]), ("gone", [3, 5])];
        let tokens = tokens.map(|(name, own)| (name.parse().unwrap(), own.into()));
        let ring = Options { tokens: tokens.into(), ..Options::default() }.build(&servers).unwrap();
        assert_eq!(ring.collisions().len(), 1);
        assert!(ring.ties_are_unspecified());
        assert_eq!(ring.points().count(), 3);
        assert!(Options::default().build(&servers).unwrap_err().is_parameter());
    }
}
