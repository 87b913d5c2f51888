//! Fixed slots: a key belongs to a slot for ever, and a slot to the server that the map says.
//!
//! The slot follows from the key by a hash; the owner follows from nothing but the map, so a slot
//! moves when somebody plans it and never else. Redis Cluster and Valkey place keys so, in 16,384
//! slots ([`Slots::redis`]); so do the "virtual buckets" of many databases.
//!
//! Source: the Redis Cluster specification, "Key distribution model",
//! <https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/>. Quotas by largest
//! remainder: Alexander Hamilton, 1792.

use alloc::borrow::Cow;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::fmt;

mod map;
mod ranges;
#[cfg(test)]
mod tests;

pub use map::{MAX_SLOTS, SlotMap, SlotMapBuilder};
pub use ranges::SlotRanges;

use crate::error::{Error, Kind};
use crate::hash::{KeyHash, RedisSlot, Xxh3};
use crate::placement::{Layout, Measured, Placement, ServerIx, Share, Table, owners_by_hash, owners_of};
use crate::server::Server;

/// A [`SlotMap`] and the hash that gives keys their slots: slot = hash mod the number of slots.
/// Immutable; clones share the map.
///
/// ```
/// use clockwise::slots::{SlotMap, Slots};
/// use clockwise::{Members, Server};
///
/// let members = Members::new([Server::new("a")?, Server::new("b")?, Server::new("c")?])?;
/// let place = Slots::redis(&SlotMap::even(&members, 16_384)?)?;
/// assert_eq!(place.slot("{user1000}.following"), 3_443);
/// assert_eq!(place.owner("{user1000}.followers").name().as_str(), "a");
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone)]
pub struct Slots<H = Xxh3> {
    hash: H,
    map: SlotMap,
    /// The owners of the map's slots.
    table: Table,
    key_hash: Cow<'static, str>,
}

impl Slots<RedisSlot> {
    /// Keys to slots as Redis Cluster and Valkey do it; the map must have 16,384 of them.
    pub fn redis(map: &SlotMap) -> Result<Slots<RedisSlot>, Error> {
        if map.slots() != RedisSlot::SLOTS {
            return Err(Error::new(Kind::Option {
                name: "slot count",
                value: map.slots().to_string(),
                problem: "is not the 16384 of a Redis cluster",
            }));
        }
        Slots::new(RedisSlot, map)
    }
}

impl<H: KeyHash> Slots<H> {
    /// Any hash over any map. Refuses a map with more slots than the hash has values: some could
    /// never come up.
    pub fn new(hash: H, map: &SlotMap) -> Result<Slots<H>, Error> {
        if u64::from(map.slots()) > 1_u64.checked_shl(hash.bits()).unwrap_or(u64::MAX) {
            return Err(Error::new(Kind::Option {
                name: "slot count",
                value: map.slots().to_string(),
                problem: "is larger than the number of values of the key hash",
            }));
        }
        Ok(Slots { key_hash: hash.name(), hash, map: map.clone(), table: map.table() })
    }

    /// The slot of a key.
    #[inline]
    pub fn slot(&self, key: impl AsRef<[u8]>) -> u32 {
        self.slot_of_hash(self.hash.hash(key.as_ref()))
    }

    owners_by_hash!();

    /// The owner of a key that the caller has hashed.
    #[inline]
    pub fn owner_of_hash(&self, hash: u64) -> ServerIx {
        self.table.owner_of_hash(hash)
    }

    /// Owners of many hashes at once; `owners` is as long as `hashes`, and a longer one keeps its tail.
    pub fn owners_of_hashes(&self, hashes: &[u64], owners: &mut [ServerIx]) {
        self.table.owners_of_hashes(hashes, owners);
    }

    /// The servers, draining ones included. A [`ServerIx`] is a position in this slice.
    pub fn servers(&self) -> &[Server] {
        self.map.servers()
    }

    /// The map.
    pub fn map(&self) -> &SlotMap {
        &self.map
    }

    fn slot_of_hash(&self, hash: u64) -> u32 {
        self.table.slot_of_hash(hash) as u32
    }
}

impl<H: KeyHash> Placement for Slots<H> {
    fn servers(&self) -> &[Server] {
        self.map.servers()
    }

    fn owner_ix(&self, key: &[u8]) -> ServerIx {
        Slots::owner_ix(self, key)
    }

    owners_of!();

    fn measured(&self) -> Option<&dyn Measured> {
        Some(self)
    }
}

impl<H: KeyHash> Measured for Slots<H> {
    /// Slots of all slots.
    fn shares(&self) -> Vec<Share> {
        self.table.shares(self.map.servers().len())
    }

    fn layout(&self) -> Option<Layout<'_>> {
        Some(Layout::Slots { owners: self.map.owners(), key_hash: &self.key_hash })
    }
}

impl<H> fmt::Debug for Slots<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slots")
            .field("hash", &self.key_hash)
            .field("servers", &self.map.servers().len())
            .field("slots", &self.map.slots())
            .finish()
    }
}
