//! Consistent hashing with bounded loads: a key goes to the first server of its preference list
//! that is below its cap.
//!
//! Vahab Mirrokni, Mikkel Thorup and Morteza Zadimoghaddam, "Consistent Hashing with Bounded
//! Loads", arXiv 1608.01350 (2016), section 2. There a key's preference list is the ring clockwise
//! from the key; here it is that of any [`Ranked`] placement, and servers have weights.
//!
//! The answer is a function of the key, the base placement and *the load now*, so this is no
//! [`Placement`](crate::Placement): it hands out [`Lease`]s, and a load falls when its lease is dropped.

mod cap;
mod fill;

use alloc::sync::{Arc, Weak};
use alloc::vec::Vec;
use core::fmt;
use core::ops::ControlFlow;
use core::sync::atomic::AtomicUsize;
use core::sync::atomic::Ordering::SeqCst;

pub use cap::Cap;
use cap::Room;
pub use fill::{Filled, fill, fill_arriving};

use crate::placement::{Ranked, ServerIx};
use crate::server::{Server, ServerName};

/// Leases held, of one server or of all: on a cache line of its own, since every thread writes it.
///
/// As wide as a pointer, which every platform with `Arc` can change atomically. Leases that are
/// dropped cannot overflow it, since they take memory; of those that are forgotten, 32 bits hold four
/// billion and start again at 0.
#[derive(Default)]
#[repr(align(64))]
struct Count(AtomicUsize);

// All operations are SeqCst: the proof in `Bounded::place` argues over one order of all changes to
// all counts. On the common platforms a weaker order would cost the same, since each change is one
// locked instruction either way.
impl Count {
    fn get(&self) -> u64 {
        step();
        self.0.load(SeqCst) as u64
    }

    /// Adds one and returns the count with it.
    fn raise(&self) -> u64 {
        step();
        self.0.fetch_add(1, SeqCst) as u64 + 1
    }

    /// Adds one if the count as it is at that instant passes `takes`; returns the count with it.
    fn raise_if(&self, takes: impl Fn(u64) -> bool) -> Option<u64> {
        let mut count = self.get();
        while takes(count) {
            step();
            match self.0.compare_exchange(count as usize, (count as usize).wrapping_add(1), SeqCst, SeqCst) {
                Ok(_) => return Some(count + 1),
                Err(now) => count = now as u64,
            }
        }
        None
    }

    fn lower(&self) {
        step();
        self.0.fetch_sub(1, SeqCst);
    }
}

#[cfg(test)]
use crate::testing::turns::step;

/// Where tests let another thread go on.
#[cfg(not(test))]
fn step() {}

/// A ranked placement whose servers take no more than a capped share of the load that is held now.
///
/// Shared between threads by reference or `Arc`; nothing locks and nothing is allocated for a key.
///
/// The promise: when a lease is acquired, the load of its server, counting it, is at most
/// ⌈(1 + ε) · total · w ÷ W⌉, where the total is of all leases held, counting it. Between threads
/// the total is one that was true at some moment between call and return. When the total falls or
/// the fleet changes a server may stand above its new cap; it takes nothing until it is below.
///
/// ```
/// use clockwise::{Bounded, Cap, Members, Ring, Server, hash::Xxh3};
///
/// let members = Members::new([Server::new("a")?, Server::new("b")?, Server::new("c")?])?;
/// let ring = Ring::builder(Xxh3).points_per_weight(160).build(&members)?;
/// let bounded = Bounded::new(ring, Cap::percent_over_mean(25)?);
///
/// let leases: Vec<_> = (0..4).map(|_| bounded.acquire("video:hot")).collect();
/// assert_eq!(leases[0].server(), leases[0].owner());
/// // One server may hold ⌈1.25 · 4 ÷ 3⌉ = 2 of the four, so the others took the rest.
/// assert_eq!(bounded.loads().iter().max(), Some(&2));
/// drop(leases);
/// assert_eq!(bounded.total(), 0);
/// # Ok::<(), clockwise::Error>(())
/// ```
pub struct Bounded<P> {
    placement: P,
    cap: Cap,
    /// How much each server takes, by [`ServerIx`].
    rooms: Vec<Room>,
    /// The load of each server, by [`ServerIx`].
    loads: Vec<Arc<Count>>,
    total: Arc<Count>,
    /// Servers of earlier fleets that are not in this one, in case they return.
    ///
    /// A lease borrows the `Bounded` it came from, and that one owns its counts. So where nothing
    /// is left to upgrade to no lease is left either, and a server that returns may start at 0.
    departed: Vec<(ServerName, Weak<Count>)>,
}

impl<P: Ranked> Bounded<P> {
    /// Nothing held yet. `placement` gives the order of preference, `cap` how far a load may
    /// exceed its share.
    pub fn new(placement: P, cap: Cap) -> Bounded<P> {
        let loads = placement.servers().iter().map(|_| Arc::default()).collect();
        let rooms = Room::of_servers(&placement, cap);
        Bounded { placement, cap, rooms, loads, total: Arc::default(), departed: Vec::new() }
    }

    /// The same cap over another placement, with the loads of its servers carried over by name.
    ///
    /// Leases from before go on counting until they are dropped, here too: in the total, and on
    /// their server if it is still listed, or once it is again. Build each from the latest, so
    /// that all share the counts.
    pub fn rebuilt<Q: Ranked>(&self, placement: Q) -> Bounded<Q> {
        let old = self.placement.servers().iter().map(Server::name);
        let held = old.zip(&self.loads).map(|(name, load)| (name.clone(), Arc::downgrade(load)));
        let mut known: Vec<(ServerName, Weak<Count>)> = held.chain(self.departed.iter().cloned()).collect();
        known.sort_by(|a, b| a.0.cmp(&b.0));

        let mut kept = alloc::vec![false; known.len()];
        let mut carried = |server: &Server| {
            let at = known.binary_search_by(|(name, _)| name.cmp(server.name())).ok()?;
            kept[at] = true;
            known[at].1.upgrade()
        };
        let loads = placement.servers().iter().map(|server| carried(server).unwrap_or_default()).collect();
        let departed = known
            .into_iter()
            .zip(kept)
            .filter(|((_, load), kept)| !kept && load.strong_count() > 0)
            .map(|(known, _)| known)
            .collect();
        let rooms = Room::of_servers(&placement, self.cap);
        Bounded { placement, cap: self.cap, rooms, loads, total: self.total.clone(), departed }
    }

    /// Takes a place for a key: with its owner if that is below its cap, else with the first
    /// server of its preference list that is.
    pub fn acquire(&self, key: impl AsRef<[u8]>) -> Lease<'_> {
        self.place(key.as_ref()).0
    }

    /// The lease; and what it was judged by: the load of its server and the total, both with it.
    ///
    /// A server is always found, and whoever has to look again was held up by somebody else's
    /// progress. Let the total be read at one moment, and let no other thread change a count from
    /// then until every server has been looked at and found full. Then each load is at least its
    /// cap, and the caps of the servers in a preference list sum to at least (1 + ε) · total. But
    /// the loads sum to at most total − 1: this request is in the total and on no server yet, and
    /// every other is in the total whenever it is on a server, because the total rises before a
    /// load and falls after it. So a walk that finds nothing overlaps a change by another thread.
    /// A lease makes four changes in its life and waits for none of them, so endless walks would
    /// take endlessly many leases that come and go meanwhile: the search is lock-free.
    fn place(&self, key: &[u8]) -> (Lease<'_>, u64, u64) {
        let owner = self.placement.owner_ix(key);
        let mut total = self.total.raise();
        let in_total = Held(&self.total);
        let take = |ix: ServerIx, total| {
            let load = self.loads[ix.index()].raise_if(|load| self.rooms[ix.index()].takes(load, total))?;
            Some((ix, load))
        };
        loop {
            // Most keys find room with their owner: the list is walked only for the others.
            let mut found = take(owner, total);
            if found.is_none() {
                self.placement.visit_preference(key, &mut |ix| {
                    found = take(ix, total);
                    if found.is_none() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
                });
            }
            if let Some((server, load)) = found {
                let on_server = Held(&self.loads[server.index()]);
                let servers = self.placement.servers();
                return (Lease { servers, owner, server, on_server, in_total }, load, total);
            }
            total = self.total.get();
        }
    }
}

impl<P> Bounded<P> {
    /// The placement underneath: whose preference lists are walked.
    pub fn placement(&self) -> &P {
        &self.placement
    }

    /// The ratio that it was built with.
    pub fn cap(&self) -> Cap {
        self.cap
    }

    /// How many leases are held, by [`ServerIx`]. While other threads acquire and release, the
    /// numbers are each from a moment of its own.
    pub fn loads(&self) -> Vec<u64> {
        self.loads.iter().map(|load| load.get()).collect()
    }

    /// How many leases are held in all, those on servers of earlier fleets included, and those that
    /// other threads are acquiring or releasing at this moment.
    pub fn total(&self) -> u64 {
        self.total.get()
    }

    /// The most leases that a server may hold at the present total, or at a total of 1 while nothing
    /// is held: [`Cap::limit`] of its weight. 0 for one that takes nothing: draining, reached by no
    /// preference list, or of another placement.
    pub fn limit_of(&self, server: ServerIx) -> u64 {
        self.rooms.get(server.index()).map_or(0, |room| room.limit(self.total().max(1)))
    }
}

impl<P> fmt::Debug for Bounded<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (cap, total, loads) = (self.cap, self.total(), self.loads());
        f.debug_struct("Bounded")
            .field("cap", &cap)
            .field("total", &total)
            .field("loads", &loads)
            .finish_non_exhaustive()
    }
}

/// A count that was raised, to be lowered once.
struct Held<'a>(&'a Count);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.lower();
    }
}

/// A place taken for a key, until it is dropped.
///
/// Releasing is dropping, so it happens once: there is no way to write the second release that
/// elsewhere leaves a load of −1. A lease that is never dropped (`core::mem::forget`) is held for ever.
///
/// ```compile_fail,E0382
/// # use clockwise::{Bounded, Ranked};
/// # fn release<P: Ranked>(bounded: Bounded<P>) {
/// let lease = bounded.acquire("user:42");
/// drop(lease);
/// drop(lease);
/// # }
/// ```
#[must_use = "the place is given back when the lease is dropped"]
pub struct Lease<'a> {
    servers: &'a [Server],
    owner: ServerIx,
    server: ServerIx,
    /// Before `in_total`, because fields are dropped in this order and the load must fall first.
    #[expect(dead_code, reason = "held for its drop")]
    on_server: Held<'a>,
    #[expect(dead_code, reason = "held for its drop")]
    in_total: Held<'a>,
}

impl<'a> Lease<'a> {
    /// The server to use.
    pub fn server(&self) -> &'a Server {
        &self.servers[self.server.index()]
    }

    /// The same, as an index into the placement underneath.
    pub fn server_ix(&self) -> ServerIx {
        self.server
    }

    /// The key's plain owner: who would serve it if loads did not count.
    pub fn owner(&self) -> &'a Server {
        &self.servers[self.owner.index()]
    }

    /// The same, as an index into the placement underneath.
    pub fn owner_ix(&self) -> ServerIx {
        self.owner
    }

    /// Whether the owner was at its cap, and another server stands in.
    pub fn is_displaced(&self) -> bool {
        self.server != self.owner
    }
}

impl fmt::Debug for Lease<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lease")
            .field("server", self.server().name())
            .field("owner", self.owner().name())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::boxed::Box;
    use std::collections::BTreeMap;
    use std::format;
    use std::string::{String, ToString};
    use std::sync::Barrier;
    use std::sync::atomic::AtomicU64;

    use super::*;
    use crate::Placement;
    use crate::testing::Random;
    use crate::testing::toy::{Toy, keys};
    use crate::testing::turns::take_turns;

    fn percent(percent: i64) -> Cap {
        Cap::percent_over_mean(percent).unwrap()
    }

    fn name(server: &Server) -> String {
        server.name().to_string()
    }

    /// ⌈(1 + percent/100) · total · w ÷ W⌉, as the paper has it.
    fn ceiling(percent: u64, total: u64, w: u64, sum: u64) -> u64 {
        ((100 + percent) * total * w).div_ceil(100 * sum)
    }

    /// Random acquires, releases and changes of the fleet, from any generation of it, against
    /// loads kept by name in a map and the rule in one line.
    #[test]
    fn every_lease_goes_where_the_rule_says_through_releases_and_rebuilds() {
        for seed in 0..60 {
            let mut numbers = Random(seed);
            let over = numbers.below(4) * numbers.below(60);
            let (toy, weights) = Toy::random(&mut numbers);
            let first: &'static _ = Box::leak(Box::new(Bounded::new(toy, percent(over as i64))));
            let mut generations = alloc::vec![(first, weights)];
            let mut held: Vec<Lease<'_>> = Vec::new();
            let mut loads: BTreeMap<String, u64> = BTreeMap::new();
            for step in 0..400 {
                match numbers.below(20) {
                    0 => {
                        let (toy, weights) = Toy::random(&mut numbers);
                        let (latest, _) = generations[generations.len() - 1];
                        generations.push((Box::leak(Box::new(latest.rebuilt(toy))), weights));
                    }
                    1..=8 if !held.is_empty() => {
                        let lease = held.swap_remove(numbers.below(held.len() as u64) as usize);
                        *loads.get_mut(&name(lease.server())).unwrap() -= 1;
                    }
                    _ => {
                        // Mostly the latest; sometimes a client that has not yet heard.
                        let back = numbers.below(4) * numbers.below(2);
                        let at = generations.len().saturating_sub(1 + back as usize);
                        let (bounded, weights) = &generations[at];
                        let toy = bounded.placement();
                        let key = format!("k{}", numbers.below(30));
                        let (total, sum) = (held.len() as u64 + 1, weights.iter().sum());
                        let order = toy.order(key.as_bytes());
                        let load = |ix: &ServerIx| {
                            loads.get(&name(&toy.servers()[ix.index()])).copied().unwrap_or(0)
                        };
                        let below =
                            |ix: &&ServerIx| load(ix) < ceiling(over, total, weights[ix.index()], sum);
                        let expected = *order.iter().find(below).unwrap();

                        let lease = bounded.acquire(&key);
                        assert_eq!(lease.server_ix(), expected, "seed {seed}, step {step}");
                        assert_eq!(lease.owner_ix(), order[0]);
                        assert_eq!(lease.is_displaced(), expected != order[0]);
                        *loads.entry(name(lease.server())).or_default() += 1;
                        held.push(lease);
                    }
                }
                let (latest, weights) = &generations[generations.len() - 1];
                let sum = weights.iter().sum();
                assert_eq!(latest.total(), held.len() as u64);
                for (i, server) in latest.placement().servers().iter().enumerate() {
                    assert_eq!(latest.loads()[i], loads.get(&name(server)).copied().unwrap_or(0));
                    let cap = ceiling(over, latest.total().max(1), weights[i], sum);
                    assert_eq!(latest.limit_of(ServerIx::from_usize(i)), cap);
                }
            }
            held.clear();
            for (bounded, _) in &generations {
                assert!(bounded.total() == 0 && bounded.loads().iter().all(|load| *load == 0), "seed {seed}");
            }
        }
    }

    #[test]
    fn a_load_is_never_negative_and_a_cap_never_below_one() {
        let bounded = Bounded::new(Toy::of(3), percent(25));
        let state = || (bounded.total(), bounded.loads().iter().sum::<u64>());
        let caps = || (0..3).map(|i| bounded.limit_of(ServerIx::new(i))).collect::<Vec<_>>();
        assert_eq!((state(), caps()), ((0, 0), [1, 1, 1].to_vec()));
        let lease = bounded.acquire("a");
        assert_eq!((state(), caps()), ((1, 1), [1, 1, 1].to_vec()));
        drop(lease);
        assert_eq!((state(), caps()), ((0, 0), [1, 1, 1].to_vec()));
        assert_eq!(bounded.limit_of(ServerIx::new(3)), 0);
    }

    #[test]
    fn a_server_above_its_cap_takes_nothing_until_it_is_below() {
        // All leases on one server: it is the only one of the fleet.
        let alone = Bounded::new(Toy::of(1), percent(0));
        let mut held: Vec<Lease<'_>> = keys(10).into_iter().map(|key| alone.acquire(key)).collect();
        // A second one joins, and takes whatever comes while the first is above half of the total.
        let two = alone.rebuilt(Toy::of(2));
        assert_eq!((two.loads(), two.total()), ([10, 0].to_vec(), 10));
        let mut more: Vec<Lease<'_>> = keys(4).into_iter().map(|key| two.acquire(key)).collect();
        assert_eq!(two.loads(), [10, 4]);
        let key =
            keys(50).into_iter().find(|key| two.placement().owner_ix(key.as_bytes()).index() == 0).unwrap();
        for (left, cap) in [(8, 7), (6, 6), (5, 5)] {
            held.truncate(left);
            let lease = two.acquire(&key);
            assert!(lease.is_displaced() && two.limit_of(ServerIx::new(0)) == cap, "{left}");
        }
        held.truncate(4);
        more.push(two.acquire(&key));
        assert!(!more[4].is_displaced());
        assert_eq!(two.loads(), [5, 4]);
    }

    #[test]
    fn a_server_that_leaves_and_returns_still_carries_its_leases() {
        let with = |names: &[&str]| Toy::new(names.iter().map(|name| Server::new(*name).unwrap()).collect());
        let first = Bounded::new(with(&["a", "b"]), percent(0));
        let held: Vec<Lease<'_>> = keys(6).into_iter().map(|key| first.acquire(key)).collect();
        let without = first.rebuilt(with(&["b"]));
        assert_eq!((without.loads(), without.total(), without.departed.len()), ([3].to_vec(), 6, 1));
        // A client that has not yet heard takes a place on the server that left.
        let late = keys(50).into_iter().find(|key| first.placement().owner_ix(key.as_bytes()).index() == 0);
        let late = first.acquire(late.unwrap());
        assert_eq!(late.server().name().as_str(), "a");
        let back = without.rebuilt(with(&["a", "b", "c"]));
        assert_eq!((back.loads(), back.total(), back.departed.len()), ([4, 3, 0].to_vec(), 7, 0));
        drop((held, late));
        assert_eq!((back.loads(), back.total()), ([0, 0, 0].to_vec(), 0));
    }

    #[test]
    fn servers_that_left_are_forgotten_when_no_lease_can_be_left() {
        let mut bounded = Bounded::new(Toy::new(alloc::vec![Server::new("v0").unwrap()]), percent(25));
        for version in 1..50 {
            let next = Toy::new(alloc::vec![Server::new(format!("v{version}")).unwrap()]);
            bounded = bounded.rebuilt(next);
            // The one before is still there while the next is built.
            assert!(bounded.departed.len() <= 2);
        }
    }

    #[test]
    fn holding_every_lease_is_filling_in_order_of_arrival() {
        let mut numbers = Random(9);
        for round in 0..200 {
            let (toy, _) = Toy::random(&mut numbers);
            let cap = percent(numbers.below(50) as i64);
            let bounded = Bounded::new(&toy, cap);
            let keys: Vec<String> = (0..80).map(|_| format!("k{}", numbers.below(40))).collect();
            let leases: Vec<Lease<'_>> = keys.iter().map(|key| bounded.acquire(key)).collect();
            let filled = fill_arriving(&toy, &keys, cap);
            let servers: Vec<ServerIx> = leases.iter().map(Lease::server_ix).collect();
            assert_eq!(filled.servers(), servers, "round {round}");
            assert_eq!(filled.loads(), bounded.loads());
            assert_eq!(filled.displaced(), leases.iter().filter(|lease| lease.is_displaced()).count() as u64);
        }
    }

    /// Takes and gives back places as the seed says, and checks each. The load at the instant it
    /// was raised must be within the cap of the total it was judged by, and that total within a
    /// bound that is kept apart from it: those inside at the call and all that began until the
    /// return.
    struct Clients {
        bounded: Bounded<Toy>,
        weights: Vec<u64>,
        over: u64,
        inside: AtomicU64,
        begun: AtomicU64,
    }

    impl Clients {
        fn new(seed: u64, over: u64) -> Clients {
            let (toy, weights) = Toy::random(&mut Random(seed));
            let bounded = Bounded::new(toy, percent(over as i64));
            Clients { bounded, weights, over, inside: AtomicU64::new(0), begun: AtomicU64::new(0) }
        }

        fn work(&self, seed: u64, steps: u64, most_held: u64) {
            let sum = self.weights.iter().sum();
            let mut random = Random(seed);
            let mut held = Vec::new();
            for _ in 0..steps {
                if random.below(most_held) < held.len() as u64 {
                    drop(held.swap_remove(random.below(held.len() as u64) as usize));
                    self.inside.fetch_sub(1, SeqCst);
                    continue;
                }
                let key = format!("k{}", random.below(8));
                // Whoever is not yet inside here has not yet begun either.
                let begun = self.begun.load(SeqCst);
                let inside = self.inside.fetch_add(1, SeqCst);
                self.begun.fetch_add(1, SeqCst);
                let (lease, load, total) = self.bounded.place(key.as_bytes());
                let most = inside + self.begun.load(SeqCst) - begun;
                assert!((1..=most).contains(&total), "seed {seed}: total {total} of {most}");
                let cap = ceiling(self.over, total, self.weights[lease.server_ix().index()], sum);
                assert!(load <= cap, "seed {seed}: load {load} over {cap} at {total}");
                held.push(lease);
            }
            let left = held.len() as u64;
            drop(held);
            self.inside.fetch_sub(left, SeqCst);
        }

        fn nothing_is_left(&self) {
            let loads: u64 = self.bounded.loads().iter().sum();
            assert_eq!((self.bounded.total(), loads), (0, 0));
        }
    }

    #[test]
    fn in_any_schedule_the_cap_holds_for_a_total_between_call_and_return() {
        for seed in 0..400 {
            let clients = Clients::new(seed, [0, 1, 25, 100][seed as usize % 4]);
            take_turns(seed, 3, |thread| clients.work(seed * 10 + thread as u64, 12, 4));
            clients.nothing_is_left();
        }
    }

    #[test]
    fn between_threads_the_cap_holds_for_a_total_between_call_and_return() {
        for (seed, over) in [(1, 0), (2, 1), (3, 25), (4, 100)] {
            let clients = &Clients::new(seed, over);
            std::thread::scope(|scope| {
                for thread in 0..8 {
                    scope.spawn(move || clients.work(seed * 10 + thread, 3_000, 12));
                }
            });
            clients.nothing_is_left();
        }
    }

    /// While nobody releases, caps and loads only rise: so when all threads hold what they took,
    /// every load is within the cap of the final total, as anyone can read.
    #[test]
    fn what_threads_hold_together_is_within_the_cap() {
        const THREADS: u64 = 8;
        for (seed, over) in [(5, 0), (6, 0), (7, 10), (8, 25)] {
            let (toy, weights) = Toy::random(&mut Random(seed));
            let sum: u64 = weights.iter().sum();
            let bounded = Bounded::new(toy, percent(over));
            let meet = Barrier::new(THREADS as usize);
            let work = |thread: u64| {
                let mut numbers = Random(seed * 100 + thread);
                for round in 0..40 {
                    let leases: Vec<Lease<'_>> =
                        (0..50).map(|_| bounded.acquire(format!("k{}", numbers.below(5)))).collect();
                    meet.wait();
                    let (total, loads) = (bounded.total(), bounded.loads());
                    assert_eq!((total, loads.iter().sum::<u64>()), (400, 400), "seed {seed}, round {round}");
                    for (load, weight) in loads.iter().zip(&weights) {
                        assert!(*load <= ceiling(over as u64, total, *weight, sum), "seed {seed}: {loads:?}");
                    }
                    meet.wait();
                    drop(leases);
                    meet.wait();
                    assert!(bounded.total() == 0 && bounded.loads().iter().all(|load| *load == 0));
                    meet.wait();
                }
            };
            std::thread::scope(|scope| {
                for thread in 0..THREADS {
                    scope.spawn(move || work(thread));
                }
            });
        }
    }
}
