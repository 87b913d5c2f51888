//! Bounded loads, held to the rule in one line, in every order of events and between threads.

use std::boxed::Box;
use std::collections::BTreeMap;
use std::format;
use std::string::{String, ToString};
use std::sync::Barrier;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::SeqCst;

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

fn with(names: &[&str]) -> Toy {
    Toy::new(names.iter().map(|name| Server::new(*name).unwrap()).collect())
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
                    let load =
                        |ix: &ServerIx| loads.get(&name(&toy.servers()[ix.index()])).copied().unwrap_or(0);
                    let below = |ix: &&ServerIx| load(ix) < ceiling(over, total, weights[ix.index()], sum);
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
    let key = keys(50).into_iter().find(|key| two.placement().owner_ix(key.as_bytes()).index() == 0).unwrap();
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
fn owned_leases_count_like_others_after_what_gave_them_is_gone() {
    for seed in 0..60 {
        let mut numbers = Random(seed);
        let mut bounded = Bounded::new(with(&["a", "b", "c"]), percent(25));
        let mut held: Vec<OwnedLease> = Vec::new();
        for _ in 0..300 {
            match numbers.below(8) {
                0 => {
                    let fleets = [&["a", "b", "c"][..], &["b", "c"], &["a", "c", "d"]];
                    bounded = bounded.rebuilt(with(fleets[numbers.below(3) as usize]));
                }
                1..=3 if !held.is_empty() => {
                    drop(held.swap_remove(numbers.below(held.len() as u64) as usize));
                }
                _ => {
                    let key = format!("k{}", numbers.below(20));
                    let borrowed = bounded.acquire(&key);
                    let expected = (borrowed.server_ix(), borrowed.owner_ix());
                    drop(borrowed);
                    let lease = bounded.acquire_owned(&key);
                    assert_eq!((lease.server_ix(), lease.owner_ix()), expected, "seed {seed}");
                    assert_eq!(lease.is_displaced(), lease.server() != lease.owner());
                    held.push(lease);
                }
            }
            assert_eq!(bounded.total(), held.len() as u64, "seed {seed}");
            for (server, load) in bounded.placement().servers().iter().zip(bounded.loads()) {
                let here = held.iter().filter(|lease| lease.server().name() == server.name()).count();
                assert_eq!(load, here as u64, "seed {seed}");
            }
        }
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
