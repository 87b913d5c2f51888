//! A list of servers and a rule that needs of it only how many buckets there are.
//!
//! Jump hash is the oldest such rule; [jump-back](crate::JumpBack) and [flip](crate::Flip) are others of
//! the same use. A rule is one function, and the list is the same for all.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use crate::entry::Hashed;
use crate::error::{Error, Kind};
use crate::hash::{KeyHash, Xxh3};
use crate::members::Buckets;
use crate::modulo::written_out;
use crate::placement::{
    Measured, Placement, ServerIx, Share, owners_by_hash, owners_of, owners_of_hashes, table_shares,
};
use crate::server::Server;

/// The most buckets that a rule is asked for: 2³¹ − 1.
const MOST: i64 = (1 << 31) - 1;

/// A rule from a key hash and a number of buckets to a bucket.
///
/// Even over all hashes; and monotone: one more bucket takes keys from the others, and no key goes from
/// one of the others to another.
pub trait Rule: 'static {
    /// The scheme's name.
    const NAME: &'static str;

    /// The bucket, below `buckets`, which is 1 to 2³¹ − 1.
    fn bucket(key_hash: u64, buckets: u32) -> u32;
}

/// The bucket by a rule, of a count that the caller has not checked.
pub(crate) fn checked<R: Rule>(key_hash: u64, buckets: i64) -> Result<u32, Error> {
    let problem = match buckets {
        ..=0 => "is not positive: a key needs at least 1 bucket",
        1..=MOST => return Ok(R::bucket(key_hash, buckets as u32)),
        _ => "is too large: buckets end at 2147483647",
    };
    Err(Error::new(Kind::BucketCount { value: i128::from(buckets), problem }))
}

/// A rule over a list of servers; a weight repeats its server that many times in a row.
///
/// Draining servers own nothing and take no place, so those behind them close up. Immutable; clones
/// share the list.
pub struct Counted<R, H = Xxh3> {
    hash: H,
    servers: Arc<[Server]>,
    buckets: Arc<[ServerIx]>,
    rule: PhantomData<fn() -> R>,
}

impl<R, H: Clone> Clone for Counted<R, H> {
    fn clone(&self) -> Counted<R, H> {
        let (hash, servers, buckets) = (self.hash.clone(), self.servers.clone(), self.buckets.clone());
        Counted { hash, servers, buckets, rule: PhantomData }
    }
}

impl<R: Rule, H: KeyHash> Counted<R, H> {
    /// The placement of a list. The total weight is at most 2²⁴, or
    /// [`is_too_large`](Error::is_too_large) is returned.
    pub fn new(hash: H, list: &Buckets) -> Result<Counted<R, H>, Error> {
        Ok(Counted { hash, servers: list.shared(), buckets: written_out(list)?, rule: PhantomData })
    }

    owners_by_hash!();

    /// The owner of a key that the caller has hashed.
    #[inline]
    pub fn owner_of_hash(&self, key_hash: u64) -> ServerIx {
        // At least one bucket, and 2²⁴ at most.
        self.buckets[R::bucket(key_hash, self.buckets.len() as u32) as usize]
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

impl<R: Rule, H: KeyHash> Placement for Counted<R, H> {
    fn servers(&self) -> &[Server] {
        &self.servers
    }
    fn owner_ix(&self, key: &[u8]) -> ServerIx {
        Counted::owner_ix(self, key)
    }
    owners_of!();
    fn depends_on_order(&self) -> bool {
        true
    }
    fn measured(&self) -> Option<&dyn Measured> {
        Some(self)
    }
}

impl<R: Rule, H: KeyHash> Measured for Counted<R, H> {
    /// The buckets that each server has, of all buckets: each expects the same part of all keys.
    fn shares(&self) -> Vec<Share> {
        table_shares(self.buckets.iter().copied(), self.servers.len())
    }
}

impl<R: Rule, H: KeyHash + Send + Sync> Hashed for Counted<R, H> {
    fn key_hash(&self) -> &dyn KeyHash {
        &self.hash
    }
}

impl<R: Rule, H> fmt::Debug for Counted<R, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(R::NAME)
            .field("servers", &self.servers.len())
            .field("buckets", &self.buckets.len())
            .finish()
    }
}

/// What holds of every rule; each rule's own file runs it.
#[cfg(test)]
pub(crate) mod promises {
    use alloc::vec;

    use super::*;
    use crate::hash::Xxh3;
    use crate::testing::{Random, chi2_over_df, list, user_keys};

    pub(crate) fn hold<R: Rule>() {
        is_even::<R>();
        one_more_bucket_moves_keys_only_to_it::<R>();
        the_list_is_that_of_jump::<R>();
        counts_without_a_bucket_are_refused::<R>();
    }

    /// 1.3 lies five standard deviations off at the smallest of these numbers of buckets over 100.
    fn is_even<R: Rule>() {
        for (buckets, most) in [(2, 8.0), (7, 3.0), (10, 3.0), (11, 3.0), (100, 1.7), (1_000, 1.25)] {
            let mut counts = vec![0_u32; buckets];
            let mut random = Random(0x5eed ^ buckets as u64);
            for _ in 0..400_000 {
                counts[R::bucket(random.next(), buckets as u32) as usize] += 1;
            }
            let expected = vec![400_000.0 / buckets as f64; buckets];
            let chi2 = chi2_over_df(&counts, &expected);
            assert!(chi2 < most, "{}, {buckets} buckets: chi2/df {chi2}", R::NAME);
        }
    }

    fn one_more_bucket_moves_keys_only_to_it<R: Rule>() {
        let mut random = Random(2024);
        for _ in 0..500 {
            let key = random.next();
            let mut bucket = 0;
            for buckets in 1..600 {
                let next = R::bucket(key, buckets);
                assert!(next == bucket || next == buckets - 1, "{}: {key} in {buckets}", R::NAME);
                bucket = next;
            }
        }
        for _ in 0..20_000 {
            let (key, buckets) = (random.next(), ((random.next() >> 33) as u32).max(1));
            let (before, after) = (R::bucket(key, buckets), R::bucket(key, buckets.min(0x7fff_fffe) + 1));
            assert!(after == before || after == buckets, "{}: {key} in {buckets}", R::NAME);
        }
    }

    fn the_list_is_that_of_jump<R: Rule>() {
        let servers = list(&[("a", 2), ("b", 1), ("c", 3)]);
        let place = Counted::<R>::new(Xxh3, &servers).unwrap();
        let written = ["a", "a", "b", "c", "c", "c"];
        for key in user_keys(500) {
            let bucket = R::bucket(Xxh3.hash(key.as_bytes()), 6) as usize;
            assert_eq!(place.owner(&key).name().as_str(), written[bucket], "{key}");
        }
        let drained = servers.replaced(0, servers.servers()[0].clone().draining()).unwrap();
        assert_eq!(Counted::<R>::new(Xxh3, &drained).unwrap().buckets(), 4);
        let shares: Vec<_> = place.shares().iter().map(|s| (s.part(), s.whole())).collect();
        assert_eq!(shares, [(2, 6), (1, 6), (3, 6)]);
        let error = Counted::<R>::new(Xxh3, &list(&[("a", 1), ("b", u32::MAX)])).unwrap_err();
        assert!(error.is_too_large());
        assert_eq!(error.server(), Some("b"));
    }

    fn counts_without_a_bucket_are_refused<R: Rule>() {
        for wrong in [0, -1, MOST + 1, 1 << 32, i64::MAX, i64::MIN] {
            let error = checked::<R>(1, wrong).unwrap_err();
            assert!(error.is_parameter());
            assert!(alloc::format!("{error}").contains(&alloc::format!("bucket count {wrong} ")), "{error}");
        }
        for key in 0..1_000 {
            assert!(i64::from(checked::<R>(key, MOST).unwrap()) < MOST);
        }
    }
}
