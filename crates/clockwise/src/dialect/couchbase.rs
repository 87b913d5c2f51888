//! Couchbase buckets: 1,024 vBuckets, and a map from them to servers.
//!
//! | parameter | value |
//! |---|---|
//! | vBucket of a key | bits 16 to 30 of its CRC-32, mod the number of vBuckets |
//! | number of vBuckets | 1,024; 64 where the server runs on a desktop system |
//! | owner | the first server of the vBucket in the map that the cluster hands out |
//! | weights | none: the cluster's rebalance deals vBuckets evenly |
//! | a dead server | keep and miss, until a failover changes the map |
//!
//! The map follows from nothing that a client has: it is read from the cluster, which makes it
//! (`vBucketMap` of a bucket's configuration, of which each line's first server counts). Here it is
//! [written down](Options::vbucket_map), or an argument, or else [dealt evenly](SlotMap::even).
//!
//! Memcached buckets, which are gone since 7.0, were ketama rings instead.
//!
//! From source only: two official clients agree in the rule (the C client takes the remainder, the
//! other the low bits, which is the same for a power of two). Nothing here was compared with a
//! running server.

use alloc::collections::BTreeMap;
use alloc::string::ToString;
use core::fmt;

use crate::error::{Error, Kind};
use crate::hash::{Crc32Of15Bits, KeyHash};
use crate::members::{Buckets, Members};
use crate::server::ServerName;
use crate::slots::{SlotMap, SlotRanges, Slots};

/// A bucket's configuration, as far as it places keys.
///
/// ```
/// use clockwise::dialect::couchbase::{Options, vbucket};
/// use clockwise::{Buckets, Server};
///
/// let nodes = Buckets::new([Server::new("a")?, Server::new("b")?])?;
/// let map = [("a".parse()?, "0-99,600-1023".parse()?), ("b".parse()?, "100-599".parse()?)];
/// let bucket = Options { vbucket_map: Some(map.into()), ..Options::default() }.build(&nodes)?;
/// assert_eq!(vbucket(b"user:42", 1_024), 111);
/// assert_eq!(bucket.owner("user:42").name().as_str(), "b");
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// How many vBuckets there are: the length of `vBucketMap`.
    pub num_vbuckets: u32,
    /// The active vBuckets of each server; none: dealt evenly, by weight and in order of the names,
    /// which is what no cluster promises.
    pub vbucket_map: Option<BTreeMap<ServerName, SlotRanges>>,
}

impl Default for Options {
    fn default() -> Options {
        Options { num_vbuckets: 1_024, vbucket_map: None }
    }
}

impl Options {
    /// The placement of a bucket. Refuses a number of vBuckets that is not a power of two, and of a
    /// map what [`SlotMap::of_ranges`] refuses.
    pub fn build(&self, servers: &Buckets) -> Result<Slots<Crc32Of15Bits>, Error> {
        let members = Members::from(servers);
        placement(&match &self.vbucket_map {
            Some(map) => SlotMap::of_ranges(&members, self.num_vbuckets, map)?,
            None => SlotMap::even(&members, self.num_vbuckets)?,
        })
    }
}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad("couchbase")
    }
}

/// The vBucket of a key, of so many. Of 0 it is 0.
///
/// ```
/// use clockwise::dialect::couchbase::vbucket;
///
/// assert_eq!(vbucket(b"123456789", 1_024), 0x4bf4 % 1_024);
/// ```
pub fn vbucket(key: &[u8], vbuckets: u32) -> u32 {
    (Crc32Of15Bits.hash(key) as u32).checked_rem(vbuckets).unwrap_or(0)
}

/// The placement by a map of vBuckets. Refuses a map whose length is not a power of two: clients
/// would differ about it.
///
/// ```
/// use clockwise::dialect::couchbase;
/// use clockwise::slots::SlotMap;
/// use clockwise::{Members, Server};
///
/// let nodes = Members::new([Server::new("a")?, Server::new("b")?])?;
/// let bucket = couchbase::placement(&SlotMap::even(&nodes, 1_024)?)?;
/// assert_eq!(bucket.slot("user:42"), couchbase::vbucket(b"user:42", 1_024));
/// # Ok::<(), clockwise::Error>(())
/// ```
pub fn placement(map: &SlotMap) -> Result<Slots<Crc32Of15Bits>, Error> {
    if !map.slots().is_power_of_two() {
        return Err(Error::new(Kind::Option {
            name: "number of vBuckets",
            value: map.slots().to_string(),
            problem: "is not a power of two",
        }));
    }
    Slots::new(Crc32Of15Bits, map)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{list, members, user_keys};

    #[test]
    fn the_remainder_is_the_low_bits_that_other_clients_take() {
        for key in user_keys(500) {
            let crc = crate::hash::crc32(key.as_bytes());
            assert_eq!(vbucket(key.as_bytes(), 1_024), (crc >> 16 & 0x7fff) & 1_023);
            assert_eq!(vbucket(key.as_bytes(), 64), crc >> 16 & 63);
        }
        assert_eq!(vbucket(b"k", 0), 0);
    }

    #[test]
    fn a_map_that_clients_would_read_differently_is_refused() {
        let nodes = members(&[("a", 1), ("b", 1)]);
        assert!(placement(&SlotMap::even(&nodes, 1_000).unwrap()).unwrap_err().is_parameter());
        // Fifteen bits fill at most 32,768.
        assert!(placement(&SlotMap::even(&nodes, 65_536).unwrap()).unwrap_err().is_parameter());
        assert!(placement(&SlotMap::even(&nodes, 32_768).unwrap()).is_ok());
    }
    #[test]
    fn a_bucket_without_a_map_is_dealt_evenly_and_one_with_a_gap_refused() {
        let servers = list(&[("b", 1), ("a", 1)]);
        let even = Options::default().build(&servers).unwrap();
        assert_eq!(even.map(), &SlotMap::even(&Members::from(&servers), 1_024).unwrap());
        let map = Some([("a".parse().unwrap(), "0-1022".parse().unwrap())].into());
        let error = Options { vbucket_map: map, ..Options::default() }.build(&servers).unwrap_err();
        assert_eq!(error.to_string(), "1 of 1024 slots have no owner, the first of them 1023");
        assert!(
            Options { num_vbuckets: 1_000, vbucket_map: None }.build(&servers).unwrap_err().is_parameter()
        );
    }
}
