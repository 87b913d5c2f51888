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
//! The map follows from nothing that a client has: it is read from the cluster, which makes it. Here
//! it is an argument, and a first one can be [dealt evenly](SlotMap::even).
//!
//! Memcached buckets, which are gone since 7.0, were ketama rings instead.
//!
//! From source only: two official clients agree in the rule (the C client takes the remainder, the
//! other the low bits, which is the same for a power of two). Nothing here was compared with a
//! running server.

use alloc::string::ToString;

use crate::error::{Error, Kind};
use crate::hash::{Crc32Of15Bits, KeyHash};
use crate::slots::{SlotMap, Slots};

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
    use crate::testing::{members, user_keys};

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
}
