//! Hash mod N: the scheme that every other one is compared with.
//!
//! Owner = bucket number `hash mod N` of the list, where a weight repeats its server that many
//! times in a row. One division a key and a perfect split, and almost every key moves when N
//! changes: from n to n + 1 buckets about n ⁄ (n + 1) of them.
//!
//! Source: folklore; the scheme that consistent hashing set out to replace (David Karger and others,
//! *Consistent Hashing and Random Trees*, STOC 1997).

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use crate::error::Error;
use crate::hash::{KeyHash, Xxh3};
use crate::members::Buckets;
use crate::placement::{Measured, Placement, ServerIx, Share, Table, owners_by_hash, owners_of};
use crate::server::Server;

/// The most buckets a weighted list may come to: 2²⁴.
pub(crate) const MAX_BUCKETS: u32 = 1 << 24;

/// The list written out: each active server as often in a row as it weighs.
///
/// Refuses a total above [`MAX_BUCKETS`] before anything is allocated; the error names the server
/// whose weight crosses it.
pub(crate) fn written_out(list: &Buckets) -> Result<Arc<[ServerIx]>, Error> {
    let total = list.total_weight_within(MAX_BUCKETS.into())?;
    let mut buckets = Vec::with_capacity(total as usize);
    for (ix, server) in list.active() {
        buckets.extend(core::iter::repeat_n(ix, server.weight().get() as usize));
    }
    Ok(buckets.into())
}

/// Key hash mod the number of buckets.
///
/// A **list** scheme: the same servers in another order are another placement. Draining servers
/// own nothing and take no place, so those behind them close up. Immutable; clones share the list.
///
/// ```
/// use clockwise::{Buckets, ModN, Server, hash::Xxh3};
///
/// let list = Buckets::new([Server::new("a")?, Server::new("b")?.with_weight(2)?])?;
/// let place = ModN::new(Xxh3, &list)?;
/// assert_eq!(place.owner_of_hash(3).index(), 0); // buckets: a b b
/// assert_eq!(place.owner_of_hash(4).index(), 1);
/// assert_eq!(place.owner_of_hash(5).index(), 1);
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone)]
pub struct ModN<H = Xxh3> {
    hash: H,
    servers: Arc<[Server]>,
    buckets: Table,
}

impl<H: KeyHash> ModN<H> {
    /// The placement of a list. The total weight is at most 2²⁴, or
    /// [`is_too_large`](Error::is_too_large) is returned.
    pub fn new(hash: H, list: &Buckets) -> Result<ModN<H>, Error> {
        Ok(ModN { hash, servers: list.shared(), buckets: Table::wide(written_out(list)?) })
    }

    /// The placement of a list whose weights count for nothing: each active server is one bucket.
    /// Systems without weights place so; the servers keep theirs for whoever asks.
    pub fn unweighted(hash: H, list: &Buckets) -> ModN<H> {
        ModN::from_table(hash, list, list.active().map(|(ix, _)| ix).collect())
    }

    /// Buckets that another rule dealt out: at least one, of active servers of the list.
    pub(crate) fn from_table(hash: H, list: &Buckets, buckets: Vec<ServerIx>) -> ModN<H> {
        // A list has an active server, so there is a bucket.
        ModN { hash, servers: list.shared(), buckets: Table::wide(buckets.into()) }
    }

    owners_by_hash!();

    /// The owner of a key that the caller has hashed.
    #[inline]
    pub fn owner_of_hash(&self, key_hash: u64) -> ServerIx {
        self.buckets.owner_of_hash(key_hash)
    }

    /// Owners of many hashes at once; `owners` is as long as `hashes`, and a longer one keeps its tail.
    pub fn owners_of_hashes(&self, hashes: &[u64], owners: &mut [ServerIx]) {
        self.buckets.owners_of_hashes(hashes, owners);
    }

    /// The N: how many buckets the weights come to.
    pub fn buckets(&self) -> u32 {
        self.buckets.len() as u32
    }

    /// The buckets written out: which server each belongs to.
    pub fn table(&self) -> &Table {
        &self.buckets
    }

    /// The servers, draining ones included. A [`ServerIx`] is a position in this slice.
    pub fn servers(&self) -> &[Server] {
        &self.servers
    }
}

impl<H: KeyHash> Placement for ModN<H> {
    fn servers(&self) -> &[Server] {
        &self.servers
    }
    fn owner_ix(&self, key: &[u8]) -> ServerIx {
        ModN::owner_ix(self, key)
    }
    owners_of!();
    fn depends_on_order(&self) -> bool {
        true
    }
    fn measured(&self) -> Option<&dyn Measured> {
        Some(self)
    }
}

impl<H: KeyHash> Measured for ModN<H> {
    /// The buckets that each server has, of all buckets.
    fn shares(&self) -> Vec<Share> {
        self.buckets.shares(self.servers.len())
    }
}

impl<H> fmt::Debug for ModN<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModN")
            .field("servers", &self.servers.len())
            .field("buckets", &self.buckets.len())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;
    use crate::hash::{Md5, Xxh3};
    use crate::testing::list;

    #[test]
    fn owner_is_the_bucket_at_hash_mod_total_weight() {
        let servers = list(&[("a", 3), ("b", 1), ("c", 2)]);
        let place = ModN::new(Xxh3, &servers).unwrap();
        let written = ["a", "a", "a", "b", "c", "c"];
        for i in 0..1_000 {
            let key = format!("key-{i}");
            let bucket = (Xxh3.hash(key.as_bytes()) % 6) as usize;
            assert_eq!(place.owner(&key).name().as_str(), written[bucket], "{key}");
        }
        assert_eq!(place.buckets(), 6);
        let shares: Vec<_> = place.shares().iter().map(|s| (s.part(), s.whole())).collect();
        assert_eq!(shares, [(3, 6), (1, 6), (2, 6)]);
    }

    #[test]
    fn a_draining_server_takes_no_place() {
        let servers = list(&[("a", 1), ("b", 4), ("c", 1)]);
        let drained = servers.replaced(1, servers.servers()[1].clone().draining()).unwrap();
        let place = ModN::new(Md5, &drained).unwrap();
        let without = ModN::new(Md5, &list(&[("a", 1), ("c", 1)])).unwrap();
        for i in 0..1_000 {
            let key = format!("key-{i}");
            assert_eq!(place.owner(&key).name(), without.owner(&key).name());
        }
        assert_eq!(place.shares()[1], Share::new(0, 2));
    }

    #[test]
    fn unweighted_gives_every_active_server_one_bucket() {
        let servers = list(&[("a", 3), ("b", 1), ("c", 9)]);
        let drained = servers.replaced(1, servers.servers()[1].clone().draining()).unwrap();
        let place = ModN::unweighted(Xxh3, &drained);
        assert_eq!([0, 1, 2, 3].map(|hash| place.owner_of_hash(hash).index()), [0, 2, 0, 2]);
        assert_eq!(place.shares(), [Share::new(1, 2), Share::new(0, 2), Share::new(1, 2)]);
        assert_eq!(place.servers()[2].weight().get(), 9);
    }

    #[test]
    fn a_total_weight_above_the_limit_is_refused_with_the_server_that_crosses_it() {
        let full = list(&[("a", MAX_BUCKETS - 1), ("b", 1)]);
        assert_eq!(ModN::new(Xxh3, &full).unwrap().buckets(), MAX_BUCKETS);
        let over = list(&[("a", MAX_BUCKETS), ("b", 1), ("c", u32::MAX)]);
        let error = ModN::new(Xxh3, &over).unwrap_err();
        assert!(error.is_too_large());
        assert_eq!(error.server(), Some("b"));
        assert!(format!("{error}").contains("16777217"), "{error}");
    }

    #[test]
    fn it_says_that_order_matters_and_ranks_nothing() {
        let place = ModN::new(Xxh3, &list(&[("a", 1)])).unwrap();
        let place: &dyn Placement = &place;
        assert!(place.depends_on_order());
        assert!(place.ranked().is_none());
        assert!(place.measured().is_some_and(|m| m.layout().is_none()));
    }
}
