//! A fleet with its history and a rule from the order of removals to a bucket.
//!
//! [Anchor](crate::Anchor), [memento](crate::Memento), [dx](crate::Dx) and [skeleton](crate::Skeleton) let any
//! server go and move only its keys, evenly to all others. What they know of a fleet is a [`ChangeLog`]; each
//! replays it into a table of its own.

use alloc::collections::BTreeMap;
use alloc::string::ToString as _;
use alloc::vec::Vec;
use core::fmt;
use core::ops::ControlFlow;

use crate::change_log::ChangeLog;
use crate::entry::Hashed;
use crate::error::{Error, Kind};
use crate::hash::{KeyHash, Xxh3};
use crate::placement::{
    Measured, Placement, Ranked, ServerIx, Share, owners_by_hash, owners_of, weight_shares,
};
use crate::server::Server;

/// The most buckets that a fleet may have room for: 2²⁴.
pub(crate) const MAX_CAPACITY: u32 = 1 << 24;

/// Room for this many buckets, unless said.
pub(crate) const CAPACITY: u32 = 1_024;

/// What a scheme makes of a history.
pub trait Table: Clone + Send + Sync + 'static {
    /// The scheme's name.
    const NAME: &'static str;

    /// The bucket of a key hash: one that is not empty.
    fn bucket(&self, key_hash: u64) -> u32;

    /// The buckets of many keys by their hashes, each the [server](ServerIx) that it is.
    fn buckets(&self, key_hashes: &[u64], buckets: &mut [ServerIx]) {
        for (&key_hash, bucket) in key_hashes.iter().zip(buckets) {
            *bucket = ServerIx::new(self.bucket(key_hash));
        }
    }

    /// The preference lists, of a scheme that has some.
    fn ranked<H: KeyHash>(_: &Logged<Self, H>) -> Option<&dyn Ranked> {
        None
    }
}

/// A table with preference lists.
pub trait Preferring: Table {
    /// Calls `visit` with each server that is not removed, once, the owner first, until it breaks.
    fn visit(&self, key_hash: u64, visit: &mut dyn FnMut(ServerIx) -> ControlFlow<()>) -> ControlFlow<()>;
}

/// The placement of a fleet with a history: each server is one bucket.
///
/// There are no weights: a fleet where they differ is refused. Immutable; clones share the table.
#[derive(Clone)]
pub struct Logged<T, H = Xxh3> {
    hash: H,
    log: ChangeLog,
    table: T,
}

/// The first server whose weight is not the one that most have (of weights that as many have, the lightest).
fn odd_one(log: &ChangeLog) -> Option<&Server> {
    let mut counts = BTreeMap::new();
    for (_, server) in log.buckets().active() {
        *counts.entry(server.weight()).or_insert(0_usize) += 1;
    }
    let (usual, _) = counts.into_iter().rev().max_by_key(|&(_, count)| count)?;
    log.buckets().active().map(|(_, server)| server).find(|server| server.weight() != usual)
}

impl<T: Table, H: KeyHash> Logged<T, H> {
    pub(crate) fn replayed(
        hash: H,
        log: &ChangeLog,
        replay: impl FnOnce(usize, &[u32]) -> Result<T, Error>,
    ) -> Result<Logged<T, H>, Error> {
        if let Some(odd) = odd_one(log) {
            let problem = "is not that of the others: each server is one bucket, and weights cannot differ";
            let error = Error::new(Kind::Weight { value: odd.weight().to_string(), problem });
            return Err(error.of_server(odd.name().as_str()));
        }
        let table = replay(log.buckets().servers().len(), log.removals())?;
        Ok(Logged { hash, log: log.clone(), table })
    }

    owners_by_hash!();

    /// The owner of a key that the caller has hashed.
    #[inline]
    pub fn owner_of_hash(&self, key_hash: u64) -> ServerIx {
        ServerIx::new(self.table.bucket(key_hash))
    }

    /// Owners of many hashes at once; `owners` is as long as `hashes`, and a longer one keeps its tail.
    pub fn owners_of_hashes(&self, hashes: &[u64], owners: &mut [ServerIx]) {
        self.table.buckets(hashes, owners);
    }

    /// The servers by bucket, removed ones included. A [`ServerIx`] is a position in this slice.
    pub fn servers(&self) -> &[Server] {
        self.log.buckets().servers()
    }

    pub(crate) fn table(&self) -> &T {
        &self.table
    }

    pub(crate) fn map_table(self, map: impl FnOnce(T) -> T) -> Logged<T, H> {
        Logged { table: map(self.table), ..self }
    }

    /// The fleet with its history.
    pub fn log(&self) -> &ChangeLog {
        &self.log
    }
}

impl<T: Table, H: KeyHash> Placement for Logged<T, H> {
    fn servers(&self) -> &[Server] {
        Logged::servers(self)
    }
    fn owner_ix(&self, key: &[u8]) -> ServerIx {
        Logged::owner_ix(self, key)
    }
    owners_of!();
    fn depends_on_order(&self) -> bool {
        true
    }
    fn ranked(&self) -> Option<&dyn Ranked> {
        T::ranked(self)
    }
    fn measured(&self) -> Option<&dyn Measured> {
        Some(self)
    }
}

impl<T: Preferring, H: KeyHash> Ranked for Logged<T, H> {
    fn visit_preference(&self, key: &[u8], visit: &mut dyn FnMut(ServerIx) -> ControlFlow<()>) {
        let _ = self.table.visit(self.hash.hash(key), visit);
    }
}

impl<T: Table, H: KeyHash> Measured for Logged<T, H> {
    /// Active servers have equal weights, and each expects the same part of all keys.
    fn shares(&self) -> Vec<Share> {
        weight_shares(self.servers())
    }
}

impl<T: Table, H: KeyHash + Send + Sync> Hashed for Logged<T, H> {
    fn key_hash(&self) -> &dyn KeyHash {
        &self.hash
    }
    fn log(&self) -> Option<&ChangeLog> {
        Some(&self.log)
    }
}

impl<T: Table, H> fmt::Debug for Logged<T, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(T::NAME)
            .field("buckets", &self.log.buckets().servers().len())
            .field("removed", &self.log.removals())
            .finish()
    }
}

/// Room for a number of buckets: 1 to 2²⁴, and at least as many as there are servers.
pub(crate) fn capacity_for(capacity: u32, buckets: usize) -> Result<u32, Error> {
    let problem = match capacity {
        0 => "is not positive: there is no bucket",
        _ if capacity > MAX_CAPACITY => "is too large: buckets end at 16777216",
        _ if buckets > capacity as usize => "is below the number of servers that are listed",
        _ => return Ok(capacity),
    };
    Err(Error::new(Kind::Option { name: "capacity", value: capacity.to_string(), problem }))
}

/// What holds of every table; each scheme's own file runs it.
#[cfg(test)]
pub(crate) mod promises {
    use alloc::format;
    use alloc::vec;

    use super::*;
    use crate::testing::{Random, chi2_over_df, list};

    pub(crate) type Build<T> = fn(&ChangeLog) -> Result<Logged<T>, Error>;

    /// `count` servers, of which some were removed by a seed.
    /// Of a fleet whose table is more than a batch reads without asking for it.
    pub(crate) fn batches_agree_with_single_lookups<T: Table>(build: Build<T>) {
        let place = build(&random_log(70_000, 30, 5)).unwrap();
        let mut random = Random(0xba7c);
        let hashes: Vec<u64> = (0..3_000).map(|_| random.next()).collect();
        let mut owners = vec![ServerIx::new(u32::MAX); hashes.len() + 1];
        place.owners_of_hashes(&hashes, &mut owners);
        assert_eq!(owners.pop(), Some(ServerIx::new(u32::MAX)));
        let single: Vec<ServerIx> = hashes.iter().map(|&hash| place.owner_of_hash(hash)).collect();
        assert_eq!(owners, single, "{}", T::NAME);
    }

    pub(crate) fn random_log(count: usize, removals: usize, seed: u64) -> ChangeLog {
        let mut log = ChangeLog::new((0..count).map(|i| Server::new(format!("s{i}")).unwrap())).unwrap();
        let mut random = Random(seed);
        for _ in 0..removals {
            let active: Vec<&Server> = log.buckets().active().map(|(_, server)| server).collect();
            let name = active[random.below(active.len() as u64) as usize].name().clone();
            log = log.removed(name.as_str()).unwrap();
        }
        log
    }

    /// The working set, in its order, just after each removal: what the papers define lookups by. A
    /// removed bucket's place is taken by the last of the set.
    pub(crate) fn working_sets(buckets: u32, removed: &[u32]) -> Vec<(u32, Vec<u32>)> {
        let mut working: Vec<u32> = (0..buckets).collect();
        let left = |&bucket: &u32| {
            let at = working.iter().position(|&b| b == bucket).unwrap();
            working.swap_remove(at);
            (bucket, working.clone())
        };
        removed.iter().map(left).collect()
    }

    pub(crate) fn hold<T: Table>(build: Build<T>) {
        is_even(build);
        removals_and_returns_move_only_what_they_must(build);
        unequal_weights_are_refused(build);
    }

    fn is_even<T: Table>(build: Build<T>) {
        for (count, removals, most) in
            [(2, 1, 9.0), (10, 0, 3.0), (10, 5, 4.0), (100, 0, 1.7), (100, 60, 2.0), (600, 300, 1.35)]
        {
            let log = random_log(count, removals, 17);
            let place = build(&log).unwrap();
            let mut counts = vec![0_u32; count];
            let mut random = Random(0x5eed ^ count as u64);
            for _ in 0..200_000 {
                counts[place.owner_of_hash(random.next()).index()] += 1;
            }
            for (ix, server) in place.servers().iter().enumerate() {
                assert!(!server.is_draining() || counts[ix] == 0, "{}: a removed bucket has keys", T::NAME);
            }
            let active: Vec<u32> = log.buckets().active().map(|(ix, _)| counts[ix.index()]).collect();
            if let [all] = active[..] {
                assert_eq!(all, 200_000);
                continue;
            }
            let chi2 = chi2_over_df(&active, &vec![200_000.0 / active.len() as f64; active.len()]);
            assert!(chi2 < most, "{}, {count} - {removals}: chi2/df {chi2}", T::NAME);
        }
    }

    fn removals_and_returns_move_only_what_they_must<T: Table>(build: Build<T>) {
        let mut random = Random(0xfe11);
        let keys: Vec<u64> = (0..2_000).map(|_| random.next()).collect();
        for seed in 0..12 {
            let count = 2 + random.below(60) as usize;
            let mut log = random_log(count, 0, 0);
            let mut next = count;
            for step in 0..25 {
                let active: Vec<_> = log.buckets().active().map(|(_, s)| s.name().clone()).collect();
                let goes = active.len() > 1 && random.below(5) < 3;
                // Arbitrary ones, and often the last.
                let at =
                    [random.below(active.len() as u64) as usize, active.len() - 1][random.below(2) as usize];
                let changed = match goes {
                    true => log.removed(active[at].as_str()).unwrap(),
                    false => {
                        next += 1;
                        log.added(Server::new(format!("s{next}")).unwrap()).unwrap()
                    }
                };
                let (before, after) = (build(&log).unwrap(), build(&changed).unwrap());
                let name =
                    |place: &Logged<T>, key| place.servers()[place.owner_of_hash(key).index()].name().clone();
                let mut moved = 0;
                for &key in &keys {
                    let (from, to) = (name(&before, key), name(&after, key));
                    let may = if goes { from == active[at] } else { to.as_str() == format!("s{next}") };
                    assert!(from == to || may, "{}, seed {seed}, step {step}: {from} to {to}", T::NAME);
                    moved += u32::from(from != to);
                }
                let fair = keys.len() as f64 / active.len().max(changed.buckets().active().count()) as f64;
                assert!(
                    (f64::from(moved) - fair).abs() < 6.0 * fair.sqrt() + 1.0,
                    "{}: {moved} of {fair}",
                    T::NAME
                );
                log = changed;
            }
        }
    }

    fn unequal_weights_are_refused<T: Table>(build: Build<T>) {
        let log = |fleet: &[(&str, u32)]| ChangeLog::of(&list(fleet)).unwrap();
        let error = build(&log(&[("a", 2), ("b", 2), ("c", 3)])).unwrap_err();
        assert_eq!((error.server(), error.is_weight()), (Some("c"), true));
        assert!(format!("{error}").contains("weight 3 is not that of the others"), "{error}");
        // The one that is not as most are, wherever it stands; of two the heavier.
        let two = [&[("a", 1), ("b", 2)][..], &[("b", 2), ("a", 1)]];
        for (fleet, odd) in [(&[("a", 2), ("b", 1), ("c", 1)][..], "a"), (two[0], "b"), (two[1], "b")] {
            assert_eq!(build(&log(fleet)).unwrap_err().server(), Some(odd));
        }
        assert!(build(&log(&[("a", 2), ("b", 2)])).is_ok());
        let place = build(&log(&[("a", 1), ("b", 1), ("c", 1)]).removed("b").unwrap()).unwrap();
        assert_eq!(place.shares(), [Share::new(1, 2), Share::ZERO, Share::new(1, 2)]);
    }
}
