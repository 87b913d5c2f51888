//! What a change moves: the same keys placed before and after, under the fleet's own scheme and, on
//! request, under every other one.
//!
//! A [`Plan`] is begun with two fleets, fed keys, a batch at a time, and [finished](Plan::finish) into a
//! [`Report`]. Nothing is kept of a key once it is counted, so memory does not grow with their
//! number, except under bounded loads: there a key's place depends on all keys before it, and they
//! have to be held, or their hashes where those are enough.

use std::convert::Infallible;

use clockwise::moves::MoveCounter;
use clockwise::{ArcMoves, Buckets, Built, ChangeLog, Error, Moves, Placement as _, Scheme, ServerIx, fill};

use crate::keys::{KeySet, Record, TOGETHER};

mod sides;

use sides::{Hashes, Sides};

/// A fleet and how it places keys: one side of a change.
#[derive(Clone, Debug)]
pub struct Fleet {
    /// The scheme or the dialect.
    pub scheme: Scheme,
    /// The servers, in the order of their file.
    pub servers: Buckets,
}

/// One scheme on both sides of the change, and what it moved so far.
#[derive(Debug)]
struct Contestant {
    scheme: Scheme,
    sides: Sides,
    counter: MoveCounter,
    /// Of keys, where it has to know all of them and their hashes are enough.
    held: Hashes,
}

impl Contestant {
    fn new(before: &Fleet, after: &Fleet) -> Result<Contestant, Error> {
        let built = before.scheme.build(&before.servers)?;
        let changed = after.scheme.build_after(&built, &after.servers)?;
        Ok(Contestant::between(before.scheme.clone(), built, changed))
    }

    /// Each side as a client builds it that knows only its own fleet.
    fn of_histories(before: &Fleet, after: &Fleet) -> Result<Contestant, Error> {
        ChangeLog::of(&after.servers)?.continues(&ChangeLog::of(&before.servers)?)?;
        let (built, changed) = (before.scheme.build(&before.servers)?, after.scheme.build(&after.servers)?);
        Ok(Contestant::between(before.scheme.clone(), built, changed))
    }

    fn between(scheme: Scheme, before: Built, after: Built) -> Contestant {
        let counter = MoveCounter::new(before.servers(), after.servers());
        Contestant { scheme, sides: Sides::new(before, after), counter, held: Hashes::default() }
    }

    /// Whether keys have to be held until all are known.
    fn holds_keys(&self) -> bool {
        self.sides.before.cap().is_some() || self.sides.after.cap().is_some()
    }

    /// Counts keys, and says of each where it was and where it will be.
    fn record(&mut self, batch: &KeySet, mut each: impl FnMut(Record<'_>, ServerIx, ServerIx)) {
        let (mut from, mut to) = ([ServerIx::new(0); TOGETHER], [ServerIx::new(0); TOGETHER]);
        let placed = batch.together(|first, keys| {
            self.sides.owners(keys, &mut from, &mut to);
            for (((at, key), &from), &to) in (first..).zip(keys).zip(&from).zip(&to) {
                let tally = batch.tally(at);
                self.counter.record(from, to, tally);
                each(Record { key, tally }, from, to);
            }
            Ok::<(), Infallible>(())
        });
        let Ok(()) = placed;
    }

    /// Keeps the hashes of keys, for [`Contestant::record_hashes`].
    fn hold(&mut self, batch: &KeySet) {
        let held = batch.together(|first, keys| {
            self.held.extend(&self.sides, keys, (first..).map(|at| batch.tally(at)));
            Ok::<(), Infallible>(())
        });
        let Ok(()) = held;
    }

    /// Counts the keys of a scheme that needed all of them, by their hashes.
    fn record_hashes(&mut self) {
        let Some([(before, cap), (after, cap_after)]) = self.sides.capped_rings() else { return };
        let owners = self.held.fill(before, cap).into_iter().zip(self.held.fill(after, cap_after));
        for ((from, to), tally) in owners.zip(self.held.tallies()) {
            self.counter.record(from, to, tally);
        }
    }

    /// Counts the keys of a scheme that needed all of them, and says where each was and will be.
    fn record_held(&mut self, held: &KeySet) -> Vec<(ServerIx, ServerIx)> {
        let keys: Vec<&[u8]> = held.iter().map(|record| record.key).collect();
        let owners = |side: &Built| match (side.cap(), side.ranked()) {
            (Some(cap), Some(base)) => fill(base, &keys, cap).servers().to_vec(),
            _ => keys.iter().map(|key| side.owner_ix(key)).collect(),
        };
        let pairs: Vec<_> = owners(&self.sides.before).into_iter().zip(owners(&self.sides.after)).collect();
        for ((from, to), record) in pairs.iter().zip(held.iter()) {
            self.counter.record(*from, *to, record.tally);
        }
        pairs
    }
}

/// A change under way of being measured.
#[derive(Debug)]
pub struct Plan {
    main: Contestant,
    others: Vec<Contestant>,
    /// The keys, where a scheme has to know all of them.
    held: KeySet,
}

impl Plan {
    /// Begins to measure the change from one fleet to another.
    ///
    /// Where both go by their history, that after has to continue that before: if it does not, the error
    /// names both.
    pub fn new(before: &Fleet, after: &Fleet) -> Result<Plan, Error> {
        let main = match before.scheme == after.scheme && after.scheme.keeps_history() {
            true => Contestant::of_histories(before, after)?,
            false => Contestant::new(before, after)?,
        };
        Ok(Plan { main, others: Vec::new(), held: KeySet::new(true, true) })
    }

    /// Also measures the same change under every scheme of [`Scheme::compared`].
    ///
    /// A scheme that cannot hold one of the two fleets (weights too large for a ring, say) is left
    /// out; the result says which and why.
    pub fn compare(&mut self, before: &Buckets, after: &Buckets) -> Vec<(Scheme, Error)> {
        let mut left_out = Vec::new();
        for scheme in Scheme::compared() {
            let fleet = |servers: &Buckets| Fleet { scheme: scheme.clone(), servers: servers.clone() };
            match Contestant::new(&fleet(before), &fleet(after)) {
                Ok(contestant) => self.others.push(contestant),
                Err(error) => left_out.push((scheme, error)),
            }
        }
        left_out
    }

    /// The placement before the change.
    pub fn before(&self) -> &Built {
        &self.main.sides.before
    }

    /// The placement after it.
    pub fn after(&self) -> &Built {
        &self.main.sides.after
    }

    /// Counts keys. `each` is told the owners of each before and after, unless the fleet's own scheme
    /// has to know all keys for that.
    pub fn record(&mut self, batch: &KeySet, each: impl FnMut(Record<'_>, ServerIx, ServerIx)) {
        let mut hold = self.main.holds_keys();
        for other in &mut self.others {
            match (other.holds_keys(), other.sides.capped_rings().is_some()) {
                (true, true) => other.hold(batch),
                (true, false) => hold = true,
                (false, _) => other.record(batch, |_, _, _| {}),
            }
        }
        if hold {
            batch.iter().for_each(|record| self.held.push(record));
        }
        if !self.main.holds_keys() {
            self.main.record(batch, each);
        }
    }

    /// All that was counted. `each_held` is called for the keys that [`Plan::record`] could not
    /// answer for, in their order.
    pub fn finish(mut self, mut each_held: impl FnMut(Record<'_>, ServerIx, ServerIx)) -> Report {
        for other in self.others.iter_mut().filter(|other| other.holds_keys()) {
            match other.sides.capped_rings() {
                Some(_) => other.record_hashes(),
                None => drop(other.record_held(&self.held)),
            }
        }
        if self.main.holds_keys() {
            for ((from, to), record) in self.main.record_held(&self.held).into_iter().zip(self.held.iter()) {
                each_held(record, from, to);
            }
        }
        let Contestant { sides: Sides { before, after, .. }, counter, .. } = self.main;
        let circle =
            match (before.cap().is_some() || after.cap().is_some(), before.measured(), after.measured()) {
                (false, Some(before), Some(after)) => ArcMoves::between(before, after),
                _ => None,
            };
        let compared = self.others.into_iter().map(|other| (other.scheme, other.counter.finish())).collect();
        Report { moves: counter.finish(), circle, compared, before, after }
    }
}

/// What a change moves.
#[derive(Clone, Debug)]
pub struct Report {
    /// Counted on the keys, under the fleet's own scheme.
    pub moves: Moves,
    /// Exact over the whole key space, where both sides are rings or slots.
    pub circle: Option<ArcMoves>,
    /// The same keys and change under other schemes.
    pub compared: Vec<(Scheme, Moves)>,
    /// The placement before.
    pub before: Built,
    /// The placement after.
    pub after: Built,
}

/// What moved keys do to a cache and to the database behind it: each misses once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HitRatio {
    /// Hits per request before the change.
    pub before: f64,
    /// Hits per request while moved keys miss.
    pub after: f64,
}

impl HitRatio {
    /// The hit ratio falls by the share of requests (or of keys) that moves.
    pub fn while_moving(before: f64, moved_share: f64) -> HitRatio {
        HitRatio { before, after: before * (1.0 - moved_share) }
    }

    /// How many times today's load the database gets: misses after ÷ misses before. `None` where
    /// there are no misses today.
    pub fn database_load_factor(self) -> Option<f64> {
        let misses = 1.0 - self.before;
        (misses > 0.0).then(|| (1.0 - self.after) / misses)
    }
}

#[cfg(test)]
mod tests {
    use clockwise::hash::NamedHash;
    use clockwise::moves::Tally;
    use clockwise::{Cap, Server};

    use super::*;

    /// The scheme with a cap measured beside another one, which holds hashes, and by itself, which holds keys.
    #[test]
    fn hashes_of_keys_are_enough_for_a_ring_under_a_cap() {
        let hash = NamedHash::default();
        let scheme = Scheme::Bounded { hash, points_per_weight: 160, cap: Cap::QUARTER };
        let fleet = |count: u32| {
            let server = |i| Server::new(format!("cache-{i}"))?.with_weight(1 + i % 3);
            Buckets::new((0..count).map(server).collect::<Result<Vec<_>, _>>().unwrap()).unwrap()
        };
        let of = |scheme: &Scheme, count| Fleet { scheme: scheme.clone(), servers: fleet(count) };
        let bare = KeySet::seeded(700, 3);
        let mut counted = KeySet::new(true, true);
        for (i, record) in (1..).zip(KeySet::seeded(500, 4).iter()) {
            let tally = Tally { keys: 1, requests: i * i % 91, bytes: i };
            counted.push(Record { key: record.key, tally });
        }
        for batches in [vec![&bare], vec![&counted], vec![&bare, &counted], vec![&counted, &bare]] {
            let mut alone = Plan::new(&of(&scheme, 9), &of(&scheme, 10)).unwrap();
            let jump = Scheme::Jump { hash };
            let mut beside = Plan::new(&of(&jump, 9), &of(&jump, 10)).unwrap();
            assert!(beside.compare(&fleet(9), &fleet(10)).iter().all(|(left_out, _)| *left_out != scheme));
            for batch in batches {
                alone.record(batch, |_, _, _| {});
                beside.record(batch, |_, _, _| {});
            }
            assert!(beside.held.is_empty());
            let (alone, beside) = (alone.finish(|_, _, _| ()), beside.finish(|_, _, _| ()));
            let (_, moves) = beside.compared.iter().find(|(compared, _)| *compared == scheme).unwrap();
            assert!(moves.moved().keys > 0);
            assert_eq!(format!("{moves:?}"), format!("{:?}", alone.moves));
        }
    }

    #[test]
    fn ten_to_eleven_by_mod_n_loads_the_database_eighteen_times() {
        let ratio = HitRatio::while_moving(0.95, 10.0 / 11.0);
        assert!((ratio.after - 0.0864).abs() < 1e-4);
        assert!((ratio.database_load_factor().unwrap() - 18.27).abs() < 0.01);
        assert_eq!(HitRatio::while_moving(1.0, 0.5).database_load_factor(), None);
    }
}
