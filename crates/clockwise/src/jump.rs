//! Jump consistent hash: no table, the fewest moves, and a list as its only input.
//!
//! Paper: John Lamping and Eric Veach, *A Fast, Minimal Memory, Consistent Hash Algorithm*, 2014
//! (arXiv 1406.2294), the listing of figure 1.
//!
//! | knob | value |
//! |---|---|
//! | generator | `key = key × 2862933555777941757 + 1` mod 2⁶⁴, seeded with the key hash |
//! | next jump | from bucket b to ⌊(b + 1) × (2³¹ ⁄ ((key >> 33) + 1))⌋, in binary64, the division first |
//! | buckets | 1 to 2³¹ − 1 |
//! | keys longer than 64 bits | hashed to 64 bits first, by the named hash of the placement |
//!
//! Only the last bucket can come or go without harm. To drop another one, give its bucket to a
//! spare server ([`Buckets::replaced`]); dropping bucket i of n renumbers all behind it.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use crate::error::{Error, Kind};
use crate::hash::{KeyHash, Xxh3};
use crate::members::Buckets;
use crate::modulo::written_out;
use crate::placement::{
    Measured, Placement, ServerIx, Share, owners_by_hash, owners_of_hashes, table_shares,
};
use crate::server::Server;

/// The bucket, 0 to `buckets` − 1, of a key hash.
///
/// Takes counts from 1 to 2,147,483,647 (2³¹ − 1, as the paper's `int32_t`) and refuses others
/// with an error that names the number.
///
/// ```
/// assert_eq!(clockwise::jump(10863919174838991, 11)?, 6);
/// assert!(clockwise::jump(1, 0).unwrap_err().is_parameter());
/// assert!(clockwise::jump(1, 1_i64 << 31).unwrap_err().is_parameter());
/// # Ok::<(), clockwise::Error>(())
/// ```
pub fn jump(key_hash: u64, buckets: impl Into<i64>) -> Result<u32, Error> {
    let buckets: i64 = buckets.into();
    let problem = match buckets {
        ..=0 => "is not positive: jump needs at least 1 bucket",
        0x8000_0000.. => "is too large: jump hash ends at 2147483647 buckets",
        _ => return Ok(jumped(key_hash, buckets)),
    };
    Err(Error::new(Kind::BucketCount { value: i128::from(buckets), problem }))
}

/// The loop of the paper, for a count in range.
///
/// A jump never goes back, and b + 1 ≤ 2³¹ times a quotient ≤ 2³¹ fits an `i64`. Both factors are
/// correctly rounded, so every platform jumps alike.
#[inline]
fn jumped(mut key: u64, buckets: i64) -> u32 {
    let (mut bucket, mut next) = (0_i64, 0_i64);
    while next < buckets {
        bucket = next;
        key = key.wrapping_mul(2_862_933_555_777_941_757).wrapping_add(1);
        next = ((bucket + 1) as f64 * ((1_u64 << 31) as f64 / ((key >> 33) + 1) as f64)) as i64;
    }
    bucket as u32
}

/// Jump hash over a list of servers; a weight repeats its server that many times in a row.
///
/// Draining servers own nothing and take no place, so those behind them close up. Immutable; clones
/// share the list.
///
/// ```
/// use clockwise::{Buckets, Jump, Server, hash::Xxh3};
///
/// let list = Buckets::new([Server::new("a")?, Server::new("b")?])?;
/// let before = Jump::new(Xxh3, &list)?;
/// let after = Jump::new(Xxh3, &list.pushed(Server::new("c")?)?)?;
/// for key in ["user:1", "user:2", "user:3"] {
///     let owner = after.owner(key).name();
///     assert!(owner == before.owner(key).name() || owner.as_str() == "c");
/// }
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone)]
pub struct Jump<H = Xxh3> {
    hash: H,
    servers: Arc<[Server]>,
    buckets: Arc<[ServerIx]>,
}

impl<H: KeyHash> Jump<H> {
    /// The placement of a list. The total weight is at most 2²⁴, or
    /// [`is_too_large`](Error::is_too_large) is returned.
    pub fn new(hash: H, list: &Buckets) -> Result<Jump<H>, Error> {
        Ok(Jump { hash, servers: list.shared(), buckets: written_out(list)? })
    }

    /// The placement of a list whose weights count for nothing: each active server is one bucket.
    /// Systems without weights place so; the servers keep theirs for whoever asks.
    pub fn unweighted(hash: H, list: &Buckets) -> Jump<H> {
        let buckets = list.active().map(|(ix, _)| ix).collect();
        Jump { hash, servers: list.shared(), buckets }
    }

    owners_by_hash!();

    /// The owner of a key that the caller has hashed.
    #[inline]
    pub fn owner_of_hash(&self, key_hash: u64) -> ServerIx {
        self.buckets[jumped(key_hash, self.buckets.len() as i64) as usize]
    }

    owners_of_hashes!();

    /// How many buckets the weights come to.
    pub fn buckets(&self) -> u32 {
        self.buckets.len() as u32
    }

    /// The servers, draining ones included. A [`ServerIx`] is a position in this slice.
    pub fn servers(&self) -> &[Server] {
        &self.servers
    }
}

impl<H: KeyHash> Placement for Jump<H> {
    fn servers(&self) -> &[Server] {
        &self.servers
    }
    fn owner_ix(&self, key: &[u8]) -> ServerIx {
        Jump::owner_ix(self, key)
    }
    fn depends_on_order(&self) -> bool {
        true
    }
    fn measured(&self) -> Option<&dyn Measured> {
        Some(self)
    }
}

impl<H: KeyHash> Measured for Jump<H> {
    /// The buckets that each server has, of all buckets: each expects the same part of all keys.
    fn shares(&self) -> Vec<Share> {
        table_shares(&self.buckets, self.servers.len())
    }
}

impl<H> fmt::Debug for Jump<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Jump")
            .field("servers", &self.servers.len())
            .field("buckets", &self.buckets.len())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::hash::{Md5, Xxh3};
    use crate::testing::{Random, list, user_keys};

    /// The listing of the paper's figure 1, statement by statement.
    fn paper(mut key: u64, num_buckets: i32) -> i32 {
        let mut b: i64 = -1;
        let mut j: i64 = 0;
        while j < i64::from(num_buckets) {
            b = j;
            key = key.wrapping_mul(2862933555777941757).wrapping_add(1);
            j = ((b + 1) as f64 * ((1_i64 << 31) as f64 / ((key >> 33) + 1) as f64)) as i64;
        }
        b as i32
    }

    #[test]
    fn agrees_with_published_vectors() {
        for (key, buckets, bucket) in [
            (256, 1024, 520),
            (0xdead_beef, 666, 285),
            (10863919174838991, 11, 6),
            (0, 10, 0),
            (1, 10, 6),
            (u64::MAX, 1000, 313),
            (0, 1, 0),
        ] {
            assert_eq!(jump(key, buckets).unwrap(), bucket, "{key} in {buckets}");
        }
    }

    #[test]
    fn agrees_with_the_papers_listing_and_stays_below_the_count() {
        let mut random = Random(29);
        for _ in 0..200_000 {
            let key = random.next();
            // Counts of every magnitude.
            let buckets = ((random.next() >> 33) as i32 >> (random.next() % 31)).max(1);
            let bucket = jump(key, buckets).unwrap();
            assert_eq!(bucket as i32, paper(key, buckets), "{key} in {buckets}");
            assert!(i64::from(bucket) < i64::from(buckets), "{key} in {buckets}");
        }
    }

    #[test]
    fn refuses_counts_that_the_paper_has_no_bucket_for() {
        for wrong in [0_i64, -1, 1 << 31, 1 << 32, i64::MAX, i64::MIN] {
            let error = jump(1, wrong).unwrap_err();
            assert!(error.is_parameter());
            assert!(alloc::format!("{error}").contains(&alloc::format!("bucket count {wrong} ")), "{error}");
        }
        for key in 0..1_000 {
            assert!(jump(key, i32::MAX).unwrap() < 2_147_483_647);
        }
    }

    #[test]
    fn one_more_bucket_moves_keys_only_to_it() {
        let mut random = Random(2014);
        for _ in 0..2_000 {
            let (key, buckets) = (random.next(), (random.next() % 5_000) as i32 + 1);
            let (before, after) = (jump(key, buckets).unwrap(), jump(key, buckets + 1).unwrap());
            assert!(after == before || after == buckets as u32, "{key} in {buckets}");
        }
    }

    #[test]
    fn ten_buckets_to_eleven_as_computed_apart() {
        let (mut counts, mut moved) = (vec![0; 10], 0);
        for key in user_keys(100_000) {
            let hash = Md5.hash(key.as_bytes());
            let (before, after) = (jump(hash, 10).unwrap(), jump(hash, 11).unwrap());
            counts[before as usize] += 1;
            if before != after {
                assert_eq!(after, 10);
                moved += 1;
            }
        }
        assert_eq!(counts, [10092, 9972, 9775, 9882, 9993, 9994, 10017, 10207, 10148, 9920]);
        assert_eq!(moved, 9251);
    }

    #[test]
    fn dropping_a_bucket_from_the_middle_moves_most_keys_and_the_last_its_own() {
        let names: Vec<_> = (0..12).map(|i| alloc::format!("cache-{i:02}")).collect();
        let fleet: Vec<_> = names.iter().map(|name| (name.as_str(), 1)).collect();
        let mut gap = fleet.clone();
        gap.remove(3);
        let moved = |after: &[(&str, u32)]| {
            let (before, after) =
                (Jump::new(Xxh3, &list(&fleet)).unwrap(), Jump::new(Xxh3, &list(after)).unwrap());
            let keys = user_keys(100_000);
            let moved = keys.iter().filter(|key| before.owner(key).name() != after.owner(key).name());
            moved.count() as f64 / 1_000.0
        };
        let (middle, last) = (moved(&gap), moved(&fleet[..11]));
        assert!((middle - 74.2).abs() < 0.5, "{middle}");
        assert!((last - 100.0 / 12.0).abs() < 0.5, "{last}");
    }

    #[test]
    fn a_weight_is_that_many_buckets_in_a_row() {
        let servers = list(&[("a", 2), ("b", 1), ("c", 3)]);
        let place = Jump::new(Xxh3, &servers).unwrap();
        let written = ["a", "a", "b", "c", "c", "c"];
        for key in user_keys(2_000) {
            let bucket = paper(Xxh3.hash(key.as_bytes()), 6) as usize;
            assert_eq!(place.owner(&key).name().as_str(), written[bucket], "{key}");
        }
        let drained = servers.replaced(0, servers.servers()[0].clone().draining()).unwrap();
        assert_eq!(Jump::new(Xxh3, &drained).unwrap().buckets(), 4);
        let shares: Vec<_> = place.shares().iter().map(|s| (s.part(), s.whole())).collect();
        assert_eq!(shares, [(2, 6), (1, 6), (3, 6)]);
    }

    #[test]
    fn unweighted_gives_every_active_server_one_bucket() {
        let servers = list(&[("a", 3), ("b", 1), ("c", 9)]);
        let drained = servers.replaced(1, servers.servers()[1].clone().draining()).unwrap();
        let place = Jump::unweighted(Xxh3, &drained);
        for key in user_keys(500) {
            let bucket = paper(Xxh3.hash(key.as_bytes()), 2);
            assert_eq!(place.owner_ix(&key).index(), [0, 2][bucket as usize], "{key}");
        }
        assert_eq!(place.shares(), [Share::new(1, 2), Share::new(0, 2), Share::new(1, 2)]);
    }

    #[test]
    fn a_total_weight_above_the_limit_is_refused() {
        let error = Jump::new(Xxh3, &list(&[("a", 1), ("b", u32::MAX)])).unwrap_err();
        assert!(error.is_too_large());
        assert_eq!(error.server(), Some("b"));
    }
}
