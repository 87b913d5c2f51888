//! From one way of placing keys to another, in steps: what moves in each, and what the database
//! behind the cache feels.
//!
//! Going over at once makes every key that moves miss in the same minute. Going over by parts of the
//! key space spreads those misses: in step i of n all keys whose *turn* is below i ÷ n are placed the
//! new way, all others the old way. A key's turn is a number of its own, from a hash that neither
//! placement uses, so every client knows without asking which way a key goes:
//!
//! ```text
//! turn(key) = first four bytes of MD5("turn:" ‖ key), as a big-endian number
//! placed the new way in step i of n  ⟺  ⌊turn × n ÷ 2³²⌋ < i
//! ```
//!
//! In whatever number of steps, the same keys move once each. A step is over when what it moved has
//! been read again, and the next begins with a warm cache; then only the misses of one step come at
//! a time.

use clockwise::hash::Md5Prefix;
use clockwise::moves::{MoveCounter, Tally};
use clockwise::{Built, Moves, Placement as _};

use crate::diff::{NoPlacement, Side, owners, share};
use crate::keys::KeySet;
use crate::pairing::Pairing;
use crate::plan::{Fleet, HitRatio};

/// The most steps that a migration is divided into.
pub const MOST_STEPS: u32 = 10_000;

/// A key's turn.
///
/// ```
/// use clockwise_study::migrate::turn;
///
/// // printf 'turn:user:42' | md5sum
/// assert_eq!(turn(b"user:42"), 0x27e0_6cd7);
/// ```
pub fn turn(key: &[u8]) -> u32 {
    turn_after(&Md5Prefix::new(b"turn:"), key)
}

fn turn_after(prefix: &Md5Prefix, key: &[u8]) -> u32 {
    (prefix.hash(key) >> 32) as u32
}

/// The step, counted from 0, in which a key of this turn goes over.
fn step_of(turn: u32, steps: u32) -> u32 {
    ((u64::from(turn) * u64::from(steps)) >> 32) as u32
}

/// One step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Keys placed the new way from this step on, whether they move or not.
    pub switched: Tally,
    /// Those of them that are on another machine now: each misses once.
    pub moved: Tally,
}

/// A way from one placement to another.
pub struct Migration {
    /// The placement before.
    pub before: Built,
    /// The placement after.
    pub after: Built,
    /// All that moves, by machine.
    pub moves: Moves,
    /// What each step does.
    pub steps: Vec<Step>,
}

/// Places every key both ways, and by its turn into one of so many steps (1 to [`MOST_STEPS`]; other
/// numbers count as the nearest of these).
pub fn migrate(before: &Fleet, after: &Fleet, keys: &KeySet, steps: u32) -> Result<Migration, NoPlacement> {
    let build =
        |fleet: &Fleet, side| fleet.scheme.build(&fleet.servers).map_err(|error| NoPlacement { side, error });
    let built_before = build(before, Side::A)?;
    let built_after = after
        .scheme
        .build_after(&built_before, &after.servers)
        .map_err(|error| NoPlacement { side: Side::B, error })?;
    let pairing = Pairing::new(before.servers.servers(), after.servers.servers());
    let renamed = pairing.renamed(&built_after, after.servers.servers());

    let plain: Vec<&[u8]> = keys.iter().map(|record| record.key).collect();
    let both = owners(&built_before, &plain).into_iter().zip(owners(&built_after, &plain));
    let mut counter = MoveCounter::new(built_before.servers(), renamed.servers());
    let count = steps.clamp(1, MOST_STEPS);
    let none = Step { switched: Tally::default(), moved: Tally::default() };
    let mut steps = vec![none; count as usize];
    let prefix = Md5Prefix::new(b"turn:");
    for ((from, to), record) in both.zip(keys.iter()) {
        counter.record(from, to, record.tally);
        let step = &mut steps[step_of(turn_after(&prefix, record.key), count) as usize];
        add(&mut step.switched, record.tally);
        if built_before.servers()[from.index()].name() != renamed.servers()[to.index()].name() {
            add(&mut step.moved, record.tally);
        }
    }
    Ok(Migration { moves: counter.finish(), steps, before: built_before, after: built_after })
}

fn add(sum: &mut Tally, one: Tally) {
    sum.keys = sum.keys.saturating_add(one.keys);
    sum.requests = sum.requests.saturating_add(one.requests);
    sum.bytes = sum.bytes.saturating_add(one.bytes);
}

impl Migration {
    /// The part of the requests that a step moves; of the keys, where requests are not counted.
    pub fn moved_share(&self, step: &Step) -> f64 {
        let total = self.moves.total();
        match total.requests {
            0 => share(step.moved.keys, total.keys),
            requests => share(step.moved.requests, requests),
        }
    }

    /// The hit ratio while a step's moved keys miss once.
    pub fn hit_ratio(&self, step: &Step, today: f64) -> HitRatio {
        HitRatio::while_moving(today, self.moved_share(step))
    }
}

/// The fewest steps with which the database gets at most `limit` times its load of today, if the
/// steps move alike: misses of a step are hit ratio × moved ÷ steps on top of 1 − hit ratio.
///
/// None where nothing misses today, so that any step is infinitely more, and where it takes more than
/// [`MOST_STEPS`].
pub fn steps_for(hit_ratio: f64, moved_share: f64, limit: f64) -> Option<u32> {
    let misses = 1.0 - hit_ratio;
    if misses <= 0.0 || limit <= 1.0 {
        return None;
    }
    let steps = (hit_ratio * moved_share / (misses * (limit - 1.0)) - 1e-9).ceil().max(1.0);
    (steps <= f64::from(MOST_STEPS)).then_some(steps as u32)
}

#[cfg(test)]
mod tests {
    use clockwise::hash::NamedHash;
    use clockwise::{Buckets, Scheme, Server};

    use super::*;

    fn fleet(scheme: Scheme, servers: usize) -> Fleet {
        let servers = (0..servers).map(|i| Server::new(format!("cache-{i}")).unwrap());
        Fleet { scheme, servers: Buckets::new(servers).unwrap() }
    }

    const MOD_N: Scheme = Scheme::ModN { hash: NamedHash::Xxh3 };
    const RING: Scheme = Scheme::Ring { hash: NamedHash::Xxh3, points_per_weight: 40 };

    #[test]
    fn the_same_keys_move_in_one_step_or_in_ten_and_each_once() {
        let (before, after) = (fleet(MOD_N, 10), fleet(RING, 10));
        let keys = KeySet::seeded(20_000, 1);
        let at_once = migrate(&before, &after, &keys, 1).unwrap();
        let moved = at_once.moves.moved().keys;
        assert!((0.88..0.92).contains(&(moved as f64 / 20_000.0)), "{moved}");
        assert_eq!(at_once.steps, [Step { switched: at_once.moves.total(), moved: at_once.moves.moved() }]);
        let in_ten = migrate(&before, &after, &keys, 10).unwrap();
        assert_eq!(in_ten.moves, at_once.moves);
        assert_eq!(in_ten.steps.iter().map(|step| step.moved.keys).sum::<u64>(), moved);
        for step in &in_ten.steps {
            assert!((1_800..2_200).contains(&step.switched.keys), "{step:?}");
            assert!((0.86..0.94).contains(&share(step.moved.keys, step.switched.keys)), "{step:?}");
        }
    }

    #[test]
    fn a_step_is_the_keys_below_its_part_of_all_turns() {
        for steps in [1, 3, 7, 10, MOST_STEPS] {
            assert_eq!((step_of(0, steps), step_of(u32::MAX, steps)), (0, steps - 1));
            for i in 1..steps.min(20) {
                // The rule of the module: below i × 2³² ÷ n.
                let border = (u64::from(i) << 32).div_ceil(u64::from(steps)) as u32;
                assert_eq!(
                    (step_of(border - 1, steps), step_of(border, steps)),
                    (i - 1, i),
                    "{i} of {steps}"
                );
            }
        }
    }

    #[test]
    fn machines_that_go_by_another_name_in_the_new_file_do_not_move() {
        let servers = |names: [&str; 2]| {
            let at = |(name, i)| Server::new(name).unwrap().with_address(format!("10.0.0.{i}:1")).unwrap();
            Buckets::new(names.into_iter().zip(1..).map(at)).unwrap()
        };
        let before = Fleet { scheme: MOD_N, servers: servers(["a", "b"]) };
        let after = Fleet { scheme: MOD_N, servers: servers(["x", "y"]) };
        let migration = migrate(&before, &after, &KeySet::seeded(1_000, 1), 4).unwrap();
        assert_eq!(migration.moves.moved().keys, 0);
        assert!(migration.steps.iter().all(|step| step.moved.keys == 0));
    }

    #[test]
    fn the_database_feels_one_step_at_a_time() {
        let (before, after) = (fleet(MOD_N, 10), fleet(RING, 10));
        let keys = KeySet::seeded(20_000, 1);
        let factor = |steps| {
            let migration = migrate(&before, &after, &keys, steps).unwrap();
            let all = migration.steps.iter();
            all.filter_map(|step| migration.hit_ratio(step, 0.95).database_load_factor()).fold(0.0, f64::max)
        };
        // 0.95 × 0.9 more misses than 0.05.
        assert!((17.6..18.6).contains(&factor(1)), "{}", factor(1));
        let steps = steps_for(0.95, 0.9, 2.0).unwrap();
        assert_eq!(steps, 18);
        assert!((1.9..2.1).contains(&factor(steps)), "{}", factor(steps));
        assert_eq!(steps_for(0.5, 0.5, 2.0), Some(1));
        assert_eq!((steps_for(1.0, 0.5, 2.0), steps_for(0.99999, 1.0, 2.0)), (None, None));
        assert_eq!(steps_for(0.9, 0.0, 2.0), Some(1));
    }
}
