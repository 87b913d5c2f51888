//! Skeleton rendezvous: places in groups, so that a key ranks groups and not servers.
//!
//! Source: Zizhen Yao, Chinya Ravishankar and Satish Tripathi, *Hash-Based Virtual Hierarchies for Caching
//! in Hybrid Content-Delivery Networks*, technical report UCR-CS-2001-05062, University of California,
//! Riverside, 2001: servers stand in clusters of a fixed size, and rendezvous chooses the cluster and then
//! the server. What a key does that chose an empty place is ours, and keeps the scheme exactly even.
//!
//! | knob | value |
//! |---|---|
//! | groups | of 64 places, numbered from 0; bucket b is place b mod 64 of group b ⁄ 64 |
//! | key k | number 0 of [`SplitMix64`](crate::hash::SplitMix64) seeded with the key hash |
//! | state of key and group g | k xor number 0 of the generator seeded with g |
//! | draws of a group | numbers 0, 1, 2 … of the generator seeded with the state: the place is the number mod 64 |
//! | value of a draw | u₀ × u₁ × … × uₜ, in binary64 from the left, where u = (x + ½) ⁄ 2³²; x is the [native score](crate::rendezvous::Native) of the state for u₀, and the upper 32 bits of the number for the others |
//! | value of a place | that of the first draw that names it |
//! | owner | of the places with a server the one with the highest value |
//! | ties | the lower group; in one group the earlier draw |
//! | places that no draw names | none of the first 1,024: behind all others, the lower bucket first |
//! | checked against | the rule as written here, place by place |
//!
//! **Why no other server's key moves.** What value a place has for a key depends on nothing else. A server
//! that comes or goes adds or takes one value, so only its own keys have another highest.
//!
//! **Why it is even.** −ln of the values of one group are the times of a process that comes at random with
//! rate 1 and names each of its places with the same chance. So the first times of all places are
//! independent and exponential with one mean, as the scores of rendezvous are, and each place that has a
//! server is the first with the same chance. It does not matter which groups are full.
//!
//! A lookup scores the groups. The best one's first draw names the owner unless that place is empty, and
//! then only groups are looked at whose first draw has a higher value than the best that was found.

use alloc::collections::BinaryHeap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::mem;
use core::ops::ControlFlow;

use crate::arch::{Level, mix};
use crate::change_log::ChangeLog;
use crate::entry::{Entry, Input};
use crate::error::Error;
use crate::hash::{KeyHash, SplitMix64, Xxh3};
use crate::logged::{Logged, MAX_CAPACITY, Preferring, Table, capacity_for};
use crate::placement::{Ranked, ServerIx};
use crate::rendezvous::Seeds;

/// Skeleton rendezvous over a fleet with its history.
///
/// ```
/// use clockwise::{ChangeLog, Placement as _, Server, Skeleton, hash::Xxh3};
///
/// let log = ChangeLog::new([Server::new("a")?, Server::new("b")?, Server::new("c")?])?;
/// let before = Skeleton::new(Xxh3, &log)?;
/// let after = Skeleton::new(Xxh3, &log.removed("b")?)?;
/// for key in ["user:1", "user:2", "user:3"] {
///     let owner = before.owner(key).name();
///     assert!(owner == after.owner(key).name() || owner.as_str() == "b");
/// }
/// // It has preference lists as well.
/// assert_eq!(before.ranked().map(|ranked| ranked.preference(b"user:1", 2).len()), Some(2));
/// # Ok::<(), clockwise::Error>(())
/// ```
pub type Skeleton<H = Xxh3> = Logged<SkeletonTable, H>;

pub(crate) const ENTRY: Entry = Entry {
    name: "skeleton",
    title: "Skeleton rendezvous",
    about: "Places in groups of 64: a key ranks the groups, and draws places in them until one is not empty.",
    paper: "Yao, Ravishankar and Tripathi, Hash-Based Virtual Hierarchies for Caching in Hybrid Content-Delivery Networks, 2001, technical report UCR-CS-2001-05062",
    input: Input::History,
    settings: &["hash"],
    number: None,
    build: |hash, _, list| Ok(Arc::new(Skeleton::new(hash, &ChangeLog::of(list)?)?)),
};

/// Places of a group.
const SIZE: u32 = u64::BITS;

/// How many draws of one group count. One of its places is left out by fewer than one key in 10⁷.
const DRAWS: u32 = 1_024;

/// The groups that are not empty.
#[derive(Clone)]
pub struct SkeletonTable {
    groups: Arc<[Group]>,
    seeds: Arc<Seeds>,
}

#[derive(Clone, Copy)]
struct Group {
    seed: u64,
    /// Which places have a server: bit i is place i.
    occupied: u64,
    /// The bucket of place 0.
    start: u32,
}

/// The score of a group's first draw, and the group.
type First = (u32, usize);

impl<H: KeyHash> Logged<SkeletonTable, H> {
    /// The places of a group: bucket b is place b mod 64 of group b ⁄ 64.
    pub const PLACES: u32 = SIZE;

    /// The placement of a fleet. Refuses weights that differ, and more than 2²⁴ buckets.
    pub fn new(hash: H, log: &ChangeLog) -> Result<Skeleton<H>, Error> {
        Logged::replayed(hash, log, |buckets, removed| {
            capacity_for(MAX_CAPACITY, buckets)?;
            Ok(SkeletonTable::new(buckets as u32, removed))
        })
    }

    /// The same placement with loops for other instructions than the [best](Level::best): every
    /// answer stays.
    #[must_use]
    pub fn at_level(self, level: Level) -> Skeleton<H> {
        self.map_table(|table| SkeletonTable { seeds: Arc::new(table.seeds.at_level(level)), ..table })
    }

    /// What a key tries: the places that its draws name, in the order of their values, of all groups that have
    /// a server; empty ones until the last, which is the owner's.
    ///
    /// It says why a key is where it is. A lookup looks at few of these.
    ///
    /// ```
    /// use clockwise::{ChangeLog, Server, Skeleton, hash::Xxh3};
    ///
    /// let log = ChangeLog::new(["a", "b", "c"].map(|name| Server::new(name).unwrap()))?;
    /// let place = Skeleton::new(Xxh3, &log)?;
    /// let tried: Vec<_> = place.tried(2001).collect();
    /// let (last, empty) = tried.split_last().unwrap();
    /// assert_eq!(last.server, Some(place.owner_of_hash(2001)));
    /// assert!(empty.iter().all(|drawn| drawn.server.is_none() && drawn.place >= 3));
    /// # Ok::<(), clockwise::Error>(())
    /// ```
    pub fn tried(&self, key_hash: u64) -> impl Iterator<Item = Drawn> + '_ {
        let mut found = false;
        Merged::new(&self.table().groups, key_hash)
            .take_while(move |drawn| !mem::replace(&mut found, drawn.server.is_some()))
    }
}

/// A place that a key draws under [`Skeleton`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drawn {
    /// Its group, from 0.
    pub group: u32,
    /// Its number in the group, 0 to 63.
    pub place: u32,
    /// Its server, where it is not empty.
    pub server: Option<ServerIx>,
}

impl SkeletonTable {
    fn new(buckets: u32, removed: &[u32]) -> SkeletonTable {
        let group = |start: u32| {
            let number = u64::from(start / SIZE);
            Group {
                seed: SplitMix64::mix(number),
                occupied: u64::MAX >> (SIZE - (buckets - start).min(SIZE)),
                start,
            }
        };
        let mut groups: Vec<Group> = (0..buckets).step_by(SIZE as usize).map(group).collect();
        for bucket in removed {
            groups[(bucket / SIZE) as usize].occupied &= !(1 << (bucket % SIZE));
        }
        groups.retain(|group| group.occupied != 0);
        let seeds: Vec<u64> = groups.iter().map(|group| group.seed).collect();
        SkeletonTable { groups: groups.into(), seeds: Arc::new(Seeds::new(&seeds, &[])) }
    }

    /// The group whose first draw is the highest.
    #[inline]
    fn highest(&self, key: u64) -> First {
        if self.seeds.pay() {
            let at = self.seeds.highest(key);
            return (score(key ^ self.groups[at].seed), at);
        }
        let mut best = (0, 0);
        for (at, group) in self.groups.iter().enumerate() {
            let score = score(key ^ group.seed);
            if score > best.0 {
                best = (score, at);
            }
        }
        best
    }

    /// The bucket of a key whose highest first draw names an empty place.
    fn search(&self, key: u64, first: First) -> u32 {
        let mut best = Best { value: 0.0, bucket: None };
        if self.groups.len() == 1 {
            best.bucket = self.groups[0].first_of(key);
        } else if self.seeds.pay() {
            // In the order of their first draws, while those may be higher than what was found.
            let mut next = Some(first);
            while let Some((score, at)) = next.filter(|next| unit(next.0) >= best.value) {
                best.look(key, score, &self.groups[at]);
                next = self.seeds.next_highest(key, (score, at));
            }
        } else {
            best.look(key, first.0, &self.groups[first.1]);
            for (at, group) in self.groups.iter().enumerate() {
                let score = score(key ^ group.seed);
                if score >= best.limit() && at != first.1 {
                    best.look(key, score, group);
                }
            }
        }
        // An empty fleet is refused, so that the first group has a place.
        best.bucket.unwrap_or_else(|| self.groups[0].start + self.groups[0].occupied.trailing_zeros())
    }
}

/// The highest value so far of a place with a server.
struct Best {
    value: f64,
    bucket: Option<u32>,
}

impl Best {
    fn look(&mut self, key: u64, first: u32, group: &Group) {
        let mut draws = Draws::new(key ^ group.seed, first).take_while(|draw| draw.value >= self.value);
        let Some(draw) = draws.find(|draw| group.has(draw.place)) else { return };
        let bucket = group.start + draw.place;
        // Each group is looked at once, so that of equal values the lower bucket's is the lower group's.
        if draw.value > self.value || self.bucket.is_none_or(|other| bucket < other) {
            (self.value, self.bucket) = (draw.value, Some(bucket));
        }
    }

    /// No lower score is as high.
    fn limit(&self) -> u32 {
        (self.value * 4_294_967_296.0 - 1.0) as u32
    }
}

impl Group {
    #[inline]
    fn has(&self, place: u32) -> bool {
        self.occupied >> place & 1 == 1
    }

    /// The bucket that its draws name first, where there is no other group.
    fn first_of(&self, key: u64) -> Option<u32> {
        let places = (0..DRAWS.into()).map(|turn| number(key ^ self.seed, turn) as u32 % SIZE);
        places.into_iter().find(|&place| self.has(place)).map(|place| self.start + place)
    }
}

/// Number `turn` of a state.
#[inline]
fn number(state: u64, turn: u64) -> u64 {
    SplitMix64::mix(state.wrapping_add(turn.wrapping_mul(SplitMix64::STEP)))
}

/// The score of key and group, from their state.
#[inline]
fn score(state: u64) -> u32 {
    mix(state as u32, (state >> 32) as u32)
}

/// (x + ½) ⁄ 2³², exactly: above 0 and below 1.
#[inline]
fn unit(x: u32) -> f64 {
    (f64::from(x) + 0.5) / 4_294_967_296.0
}

/// One draw of a group.
#[derive(Clone, Copy)]
struct Draw {
    value: f64,
    place: u32,
}

/// The draws of a group that count, whose values fall.
struct Draws {
    state: u64,
    value: f64,
    turn: u32,
}

impl Draws {
    #[inline]
    fn new(state: u64, first: u32) -> Draws {
        Draws { state, value: unit(first), turn: 0 }
    }
}

impl Iterator for Draws {
    type Item = Draw;

    #[inline]
    fn next(&mut self) -> Option<Draw> {
        let turn = self.turn;
        let number = number(self.state, turn.into());
        if turn > 0 {
            self.value *= unit((number >> 32) as u32);
        }
        self.turn += 1;
        (turn < DRAWS).then_some(Draw { value: self.value, place: number as u32 % SIZE })
    }
}

impl Table for SkeletonTable {
    const NAME: &'static str = "Skeleton";

    #[inline]
    fn bucket(&self, key_hash: u64) -> u32 {
        let key = SplitMix64::mix(key_hash);
        let first = self.highest(key);
        let group = &self.groups[first.1];
        let place = number(key ^ group.seed, 0) as u32 % SIZE;
        // No draw of any group has a higher value than its first.
        if group.has(place) { group.start + place } else { self.search(key, first) }
    }

    fn ranked<H: KeyHash>(placement: &Logged<SkeletonTable, H>) -> Option<&dyn Ranked> {
        Some(placement)
    }
}

/// The next draw of a group, by its value and then the lower group. Values are not negative, and such numbers
/// are in the order of their bits.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Next {
    value: u64,
    before: Reverse<usize>,
    place: u32,
}

/// The draws of all groups in the order of their values; after them the places that none names.
struct Merged<'a> {
    groups: &'a [Group],
    /// The places with a server that are not named yet, by group.
    left: Vec<u64>,
    draws: Vec<Draws>,
    queue: BinaryHeap<Next>,
}

impl<'a> Merged<'a> {
    fn new(groups: &'a [Group], key_hash: u64) -> Merged<'a> {
        let key = SplitMix64::mix(key_hash);
        let draws = groups.iter().map(|group| key ^ group.seed).map(|state| Draws::new(state, score(state)));
        let left = groups.iter().map(|group| group.occupied).collect();
        let mut merged = Merged { groups, left, draws: draws.collect(), queue: BinaryHeap::new() };
        merged.queue = (0..groups.len()).filter_map(|at| merged.draw(at)).collect();
        merged
    }

    fn draw(&mut self, at: usize) -> Option<Next> {
        let Draw { value, place } = self.draws[at].next()?;
        Some(Next { value: value.to_bits(), before: Reverse(at), place })
    }
}

impl Iterator for Merged<'_> {
    type Item = Drawn;

    /// A group of which no server is left draws no more.
    fn next(&mut self) -> Option<Drawn> {
        let (at, place) = match self.queue.pop() {
            Some(Next { before: Reverse(at), place, .. }) => (at, place),
            None => {
                let at = self.left.iter().position(|&left| left != 0)?;
                (at, self.left[at].trailing_zeros())
            }
        };
        let start = self.groups[at].start;
        let server = (self.left[at] >> place & 1 == 1).then(|| ServerIx::new(start + place));
        self.left[at] &= !(1 << place);
        if self.left[at] != 0
            && let Some(next) = self.draw(at)
        {
            self.queue.push(next);
        }
        Some(Drawn { group: start / SIZE, place, server })
    }
}

impl Preferring for SkeletonTable {
    /// Each place that has a server, where it is named first.
    fn visit(&self, key_hash: u64, visit: &mut dyn FnMut(ServerIx) -> ControlFlow<()>) -> ControlFlow<()> {
        Merged::new(&self.groups, key_hash).filter_map(|drawn| drawn.server).try_for_each(visit)
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::vec;

    use super::*;
    use crate::logged::promises::{self, random_log};
    use crate::server::Server;
    use crate::testing::Random;

    /// The rule: the product of the draws of a bucket's group up to the first that names its place; 0 if none
    /// does.
    fn value(key_hash: u64, bucket: u32) -> f64 {
        let state = SplitMix64::mix(key_hash) ^ SplitMix64::mix(u64::from(bucket / 64));
        let mut generator = Random(state);
        let mut value = 1.0;
        for turn in 0..1_024 {
            let number = generator.next();
            let x = if turn == 0 { mix(state as u32, (state >> 32) as u32) } else { (number >> 32) as u32 };
            value *= (f64::from(x) + 0.5) / 2_f64.powi(32);
            if number % 64 == u64::from(bucket % 64) {
                return value;
            }
        }
        0.0
    }

    /// The buckets with a server, the highest value first.
    fn ranked(log: &ChangeLog, key: u64) -> Vec<u32> {
        let active = log.buckets().active().map(|(ix, _)| ix.get());
        let mut values: Vec<(f64, u32)> = active.map(|bucket| (value(key, bucket), bucket)).collect();
        values.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        values.into_iter().map(|(_, bucket)| bucket).collect()
    }

    #[test]
    fn the_place_with_the_highest_value_owns_and_the_others_follow_in_order() {
        let mut random = Random(2001);
        for seed in 0..60 {
            let buckets = 1 + random.below(if seed % 2 == 0 { 40 } else { 300 }) as usize;
            let log = random_log(buckets, random.below(buckets as u64) as usize, seed);
            let place = Skeleton::new(Xxh3, &log).unwrap();
            for _ in 0..20 {
                let key = random.next();
                let expected = ranked(&log, key);
                assert_eq!(place.owner_of_hash(key).get(), expected[0], "seed {seed}, {key}");
                let tried: Vec<Drawn> = place.tried(key).collect();
                let (last, empty) = tried.split_last().unwrap();
                assert_eq!(last.server.map(ServerIx::get), Some(expected[0]), "seed {seed}, {key}");
                assert_eq!(last.group * 64 + last.place, expected[0], "seed {seed}, {key}");
                // Those before it have no server, and their values are between.
                let values: Vec<f64> =
                    tried.iter().map(|drawn| value(key, drawn.group * 64 + drawn.place)).collect();
                let active: Vec<u32> = log.buckets().active().map(|(ix, _)| ix.get()).collect();
                for (drawn, least) in empty.iter().zip(&values) {
                    assert!(drawn.server.is_none() && !active.contains(&(drawn.group * 64 + drawn.place)));
                    assert!(*least >= value(key, expected[0]), "seed {seed}, {key}: {tried:?}");
                }
                let mut list = vec![];
                let all = place.table().visit(key, &mut |server| {
                    list.push(server.get());
                    ControlFlow::Continue(())
                });
                assert!(
                    all.is_continue() && list == expected,
                    "seed {seed}, {key}: {list:?} for {expected:?}"
                );
            }
            let list = place.preference(b"user:1", 2);
            assert_eq!(list[0], place.owner_ix("user:1"));
            assert_eq!(list.len(), 2.min(log.buckets().active().count()), "a list stops where it is told to");
        }
    }

    #[test]
    fn promises_of_a_history() {
        promises::hold::<SkeletonTable>(|log| Skeleton::new(Xxh3, log));
    }

    /// With the last place of a group taken, the next server opens another, which is empty again when it
    /// leaves.
    #[test]
    fn a_group_opens_and_closes_and_no_key_strays() {
        let mut random = Random(64);
        let keys: Vec<u64> = (0..4_000).map(|_| random.next()).collect();
        for gone in [0, 5] {
            let mut log = random_log(60, 0, 0);
            let mut places = vec![Skeleton::new(Xxh3, &log).unwrap()];
            for _ in 60..134 {
                log = log.added(Server::new(format!("s{}", log.buckets().servers().len())).unwrap()).unwrap();
                places.push(Skeleton::new(Xxh3, &log).unwrap());
            }
            for i in 0..gone {
                log = log.removed(&format!("s{}", 133 - 13 * i)).unwrap();
                places.push(Skeleton::new(Xxh3, &log).unwrap());
            }
            for pair in places.windows(2) {
                let counts = [&pair[0], &pair[1]].map(|place| place.log().buckets().active().count());
                let (fewer, more) =
                    if counts[0] < counts[1] { (&pair[0], &pair[1]) } else { (&pair[1], &pair[0]) };
                let names: Vec<&Server> = fewer.log().buckets().active().map(|(_, server)| server).collect();
                let mut other = more.log().buckets().active().map(|(_, server)| server);
                let other = other.find(|server| names.iter().all(|s| s.name() != server.name())).unwrap();
                let mut moved = 0;
                for &key in &keys {
                    let [less, more] =
                        [fewer, more].map(|place| &place.servers()[place.owner_of_hash(key).index()]);
                    if less.name() != more.name() {
                        assert_eq!(
                            more.name(),
                            other.name(),
                            "{counts:?}: a key strays to or from {}",
                            less.name()
                        );
                        moved += 1;
                    }
                }
                let fair = keys.len() as f64 / counts[0].max(counts[1]) as f64;
                assert!((f64::from(moved) - fair).abs() < 5.0 * fair.sqrt(), "{counts:?}: {moved} of {fair}");
            }
        }
    }

    /// In a group of its own a server has what the others have; so have two that are far apart and alone.
    #[test]
    fn it_does_not_matter_which_groups_are_full() {
        let all_but = |kept: &[usize], count: usize| {
            let gone = (0..count).filter(|i| !kept.contains(i));
            gone.fold(random_log(count, 0, 0), |log, i| log.removed(&format!("s{i}")).unwrap())
        };
        let cases =
            [random_log(65, 0, 0), random_log(66, 0, 0), random_log(129, 0, 0), all_but(&[3, 129], 130), {
                all_but(&[3, 7, 129], 130)
            }];
        for log in cases {
            let place = Skeleton::new(Xxh3, &log).unwrap();
            let last = log.buckets().active().last().unwrap().0;
            let mut random = Random(0xeae);
            let draws = 60_000;
            let owned = (0..draws).filter(|_| place.owner_of_hash(random.next()) == last).count() as f64;
            let part = 1.0 / log.buckets().active().count() as f64;
            let (expected, deviation) =
                (f64::from(draws) * part, (f64::from(draws) * part * (1.0 - part)).sqrt());
            assert!((owned - expected).abs() < 4.0 * deviation, "{log:?}: {owned}, expected {expected}");
        }
    }

    #[test]
    fn every_level_gives_one_answer() {
        let mut random = Random(0x1e7e1);
        // Enough groups for lanes; a fleet that is full, and one that is half empty.
        for removed in [0, 1_700] {
            let full = random_log(64 * 52 + 9, 0, 0);
            let gone: Vec<u32> = (0..removed).map(|i| i * 1_237 % (64 * 52 + 9)).collect();
            let place = SkeletonTable::new(full.buckets().servers().len() as u32, &gone);
            assert!(Level::best() == Level::PORTABLE || place.seeds.pay(), "lanes are not looked at");
            for _ in 0..30 {
                let key = random.next();
                let values =
                    (0..64 * 52 + 9).filter(|bucket| !gone.contains(bucket)).map(|b| (value(key, b), b));
                let owner =
                    values.reduce(|best, other| if other.0 > best.0 { other } else { best }).unwrap().1;
                for level in Level::all() {
                    let place =
                        SkeletonTable { seeds: Arc::new(place.seeds.at_level(level)), ..place.clone() };
                    assert_eq!(place.bucket(key), owner, "{removed} removed, {level}, {key}");
                }
            }
        }
    }

    #[test]
    fn answers_are_frozen() {
        let log = random_log(100, 0, 0).removed("s3").unwrap().removed("s90").unwrap().removed("s0").unwrap();
        let place = Skeleton::new(Xxh3, &log).unwrap();
        let owners: Vec<u32> = (0..24).map(|i| place.owner_ix(format!("user:{i}")).get()).collect();
        assert_eq!(owners, FROZEN);
    }

    const FROZEN: [u32; 24] =
        [61, 11, 50, 91, 88, 1, 17, 94, 42, 44, 12, 60, 32, 84, 75, 16, 71, 74, 25, 38, 87, 68, 65, 87];
}
