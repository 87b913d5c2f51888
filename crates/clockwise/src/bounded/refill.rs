//! Bounded loads over time: an assignment that is held, and moves only what a change makes it move.
//!
//! Placing all keys again in their order ([`fill`](super::fill())) moves many that no change asked to
//! move: a key that goes elsewhere leaves room, or takes it, and so on down the list. Whoever
//! remembers where keys are can do with less. Two rules, one to keep by and one to come back by:
//!
//! - [`refill`]: a key stays unless it *must* move, since its server left or is above its new cap, or
//!   *may* move, since a server that was not before its own on its walk is now, and has room.
//! - [`settle`]: no key is passed over. On the way from a key to its server every server is full.
//!   That is the state of linear probing, and what [`fill`](super::fill()) gives.
//!
//! The rule of `settle` is the invariant of Vahab Mirrokni, Mikkel Thorup and Morteza Zadimoghaddam,
//! "Consistent Hashing with Bounded Loads", arXiv 1608.01350 (2016): there a key's walk is the ring
//! clockwise from it, and a change of servers moves within a factor O(1/ε²) of the fewest keys
//! that any assignment under the cap could (abstract; for ε ≤ 1). Which of the keys that pass a
//! server with room it takes is left open by the invariant, and fixed here. `refill` alone moves
//! less at each change, and keys that were displaced stay so when there is room nearer again.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::ops::ControlFlow;

use super::cap::Cap;
use super::fill::Filled;
use crate::placement::{Placement, Ranked, ServerIx, listed};

/// `held`, over another placement or under another cap, with only what that moves.
///
/// `before` is the placement that `held` was made over, and its servers are found in `after` by name.
/// The cap is taken from the number of keys. In this order:
///
/// 1. A key whose server is still reached stays with it.
/// 2. Each of these, in their order, goes to the first server on its walk that has room and stands
///    before its own there, where before the change it did not: so a newcomer takes the keys that
///    come by it, as far as its cap allows.
/// 3. A server above its cap gives up the last of its keys, until it is not.
/// 4. Those, and the keys of servers that are gone, go in their order to the first server on their
///    walk that has room.
///
/// Keys beyond those that `held` knows are new, and placed by step 4; what it knows beyond `keys` is
/// gone. Nothing else moves.
///
/// ```
/// use clockwise::{Cap, Members, Ring, Server, fill, hash::Xxh3, refill};
///
/// let members = Members::new([Server::new("a")?, Server::new("b")?, Server::new("c")?])?;
/// let before = Ring::builder(Xxh3).build(&members)?;
/// let after = Ring::builder(Xxh3).build(&members.with(Server::new("d")?)?)?;
/// let keys: Vec<String> = (0..1_000).map(|i| format!("user:{i}")).collect();
///
/// let held = fill(&before, &keys, Cap::QUARTER);
/// let kept = refill(&held, &before, &after, &keys, Cap::QUARTER);
/// // `d` is the last of the servers in order of names, so the others are numbered as before.
/// let moved = |to: &clockwise::Filled| held.servers().iter().zip(to.servers()).filter(|(a, b)| a != b).count();
/// assert!(moved(&kept) <= moved(&fill(&after, &keys, Cap::QUARTER)));
/// # Ok::<(), clockwise::Error>(())
/// ```
pub fn refill<P, Q, K>(held: &Filled, before: &P, after: &Q, keys: &[K], cap: Cap) -> Filled
where
    P: Ranked + ?Sized,
    Q: Ranked + ?Sized,
    K: AsRef<[u8]>,
{
    let now_at = renumbered(before, after);
    let now_at = |ix: ServerIx| now_at.get(ix.index()).copied().flatten();
    let mut loads = Loads::new(after, keys.len() as u64, cap);
    let mut servers: Vec<Option<ServerIx>> =
        (0..keys.len()).map(|key| held.servers().get(key).and_then(|&ix| now_at(ix))).collect();
    for &server in servers.iter().flatten() {
        loads.add(server);
    }

    let mut old_way = Vec::new();
    for ((key, server), &old) in keys.iter().zip(&mut servers).zip(held.servers()) {
        let (key, Some(own)) = (key.as_ref(), *server) else { continue };
        let mut newly = |ix: ServerIx| {
            if old_way.is_empty() {
                way(before, key, old, &mut old_way);
                // The end of the way, so that an empty one is not looked up again.
                old_way.push(old);
            }
            !old_way.iter().any(|&passed| now_at(passed) == Some(ix))
        };
        let called = first_on_way(after, key, own, |ix| loads.has_room(ix) && newly(ix));
        old_way.clear();
        if let Some(called) = called {
            loads.moved(own, called);
            *server = Some(called);
        }
    }

    for server in servers.iter_mut().rev() {
        if let Some(own) = *server
            && loads.is_above(own)
        {
            loads.remove(own);
            *server = None;
        }
    }
    let servers = keys.iter().zip(servers).map(|(key, server)| {
        server.unwrap_or_else(|| {
            let server = first_with_room(after, key.as_ref(), &loads);
            loads.add(server);
            server
        })
    });
    let servers = servers.collect();
    finished(after, keys, servers, loads)
}

/// `held`, with every key as near as the others let it be: on its walk to its server, each server
/// that it passes is full.
///
/// A server with room calls the keys that pass it, in their order: first those that stand on servers
/// with room, whose going opens no way for others, then the rest, while it has room. Servers call in
/// the order of their numbers, round after round until nothing moves; every move brings a key nearer,
/// so that ends. What [`fill`](super::fill()) gives moves nowhere.
///
/// Before that, what `held` lacks to be an assignment under this cap is put right as
/// [`refill`] does over the same placement.
///
/// ```
/// use clockwise::{Cap, Members, Ring, Server, fill, hash::Xxh3, settle};
///
/// let members = Members::new([Server::new("a")?, Server::new("b")?, Server::new("c")?])?;
/// let ring = Ring::builder(Xxh3).build(&members)?;
/// let keys: Vec<String> = (0..1_000).map(|i| format!("user:{i}")).collect();
///
/// let tight = fill(&ring, &keys, Cap::percent_over_mean(0)?);
/// // With more room, keys that had to go on come back.
/// let wider = settle(&tight, &ring, &keys, Cap::percent_over_mean(10)?);
/// assert!(wider.displaced() < tight.displaced());
/// # Ok::<(), clockwise::Error>(())
/// ```
pub fn settle<P: Ranked + ?Sized, K: AsRef<[u8]>>(
    held: &Filled,
    placement: &P,
    keys: &[K],
    cap: Cap,
) -> Filled {
    let held = refill(held, placement, placement, keys, cap);
    let mut loads = Loads::new(placement, keys.len() as u64, cap);
    let mut servers = held.into_servers();
    for &server in &servers {
        loads.add(server);
    }

    // Who passes each server, in the order of the keys, and as the how manieth on its way. A key that
    // has come nearer passes fewer: only entries below its own number on the way count.
    let mut passing: Vec<Vec<(usize, u32)>> = alloc::vec![Vec::new(); placement.servers().len()];
    let mut passes: Vec<u32> = alloc::vec![0; keys.len()];
    let mut passed = Vec::new();
    for (number, (key, &server)) in keys.iter().zip(&servers).enumerate() {
        passed.clear();
        way(placement, key.as_ref(), server, &mut passed);
        passes[number] = passed.len() as u32;
        for (step, ix) in passed.iter().enumerate() {
            passing[ix.index()].push((number, step as u32));
        }
    }

    let mut calling = true;
    while calling {
        calling = false;
        for (index, passing) in passing.iter_mut().enumerate() {
            let server = ServerIx::from_usize(index);
            if !loads.has_room(server) {
                continue;
            }
            passing.retain(|&(number, step)| step < passes[number]);
            for from_room in [true, false] {
                for &(number, step) in passing.iter() {
                    let own = servers[number];
                    let waits = step < passes[number];
                    if loads.has_room(server) && waits && (!from_room || loads.has_room(own)) {
                        loads.moved(own, server);
                        servers[number] = server;
                        passes[number] = step;
                        calling = true;
                    }
                }
            }
        }
    }
    finished(placement, keys, servers, loads)
}

/// The number in `after` of each server of `before`, by name; none for one that no list of `after`
/// reaches.
fn renumbered<P: Ranked + ?Sized, Q: Ranked + ?Sized>(before: &P, after: &Q) -> Vec<Option<ServerIx>> {
    let now = after.servers();
    let by_name: BTreeMap<_, _> = listed(after).into_iter().map(|ix| (now[ix.index()].name(), ix)).collect();
    before.servers().iter().map(|server| by_name.get(server.name()).copied()).collect()
}

/// The first server before `own` on a key's walk that `takes` it.
fn first_on_way<P: Ranked + ?Sized>(
    placement: &P,
    key: &[u8],
    own: ServerIx,
    mut takes: impl FnMut(ServerIx) -> bool,
) -> Option<ServerIx> {
    // Most keys are with their owner, which has nobody before it.
    if placement.owner_ix(key) == own {
        return None;
    }
    let mut found = None;
    placement.visit_preference(key, &mut |next| {
        if next == own {
            return ControlFlow::Break(());
        }
        if takes(next) {
            found = Some(next);
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
    found
}

/// The servers before `own` on a key's walk, added to `passed`.
fn way<P: Ranked + ?Sized>(placement: &P, key: &[u8], own: ServerIx, passed: &mut Vec<ServerIx>) {
    first_on_way(placement, key, own, |next| {
        passed.push(next);
        false
    });
}

/// There always is one: see [`fill`](super::fill()).
fn first_with_room<P: Ranked + ?Sized>(placement: &P, key: &[u8], loads: &Loads) -> ServerIx {
    let mut found = placement.owner_ix(key);
    if !loads.has_room(found) {
        placement.visit_preference(key, &mut |next| {
            found = next;
            if loads.has_room(next) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
    }
    found
}

fn finished<P: Placement + ?Sized, K: AsRef<[u8]>>(
    placement: &P,
    keys: &[K],
    servers: Vec<ServerIx>,
    loads: Loads,
) -> Filled {
    let displaced =
        keys.iter().zip(&servers).filter(|(key, server)| placement.owner_ix(key.as_ref()) != **server);
    let displaced = displaced.count() as u64;
    Filled::new(servers, loads.loads, displaced)
}

/// How many keys each server has and how many it may have, by [`ServerIx`].
struct Loads {
    loads: Vec<u64>,
    limits: Vec<u64>,
}

impl Loads {
    fn new<P: Ranked + ?Sized>(placement: &P, total: u64, cap: Cap) -> Loads {
        let limits = cap.limits(placement, total);
        Loads { loads: alloc::vec![0; limits.len()], limits }
    }

    fn add(&mut self, server: ServerIx) {
        self.loads[server.index()] += 1;
    }

    fn remove(&mut self, server: ServerIx) {
        self.loads[server.index()] -= 1;
    }

    fn moved(&mut self, from: ServerIx, to: ServerIx) {
        self.remove(from);
        self.add(to);
    }

    fn has_room(&self, server: ServerIx) -> bool {
        self.loads[server.index()] < self.limits[server.index()]
    }

    fn is_above(&self, server: ServerIx) -> bool {
        self.loads[server.index()] > self.limits[server.index()]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::string::{String, ToString};

    use super::super::{fill, fill_arriving};
    use super::*;
    use crate::testing::Random;
    use crate::testing::toy::{Toy, keys};
    use crate::{Members, Ring, Server};

    /// A fleet and what it is asked to hold, as plain lists by name.
    struct Case {
        toy: Toy,
        cap: Cap,
        /// Per server, after the cap's own arithmetic, which has its own tests.
        limits: Vec<u64>,
    }

    impl Case {
        fn random(numbers: &mut Random, keys: usize) -> Case {
            let (toy, weights) = Toy::random(numbers);
            let cap = Cap::ratio(numbers.below(60) * numbers.below(3), 100).unwrap();
            let sum = weights.iter().sum();
            let limits = weights.iter().map(|w| cap.limit(keys as u64, *w as u32, sum)).collect();
            Case { toy, cap, limits }
        }

        fn order(&self, key: &str) -> Vec<String> {
            let name = |ix: ServerIx| self.toy.servers()[ix.index()].name().to_string();
            self.toy.order(key.as_bytes()).into_iter().map(name).collect()
        }

        fn limit(&self, name: &str) -> usize {
            let at = self.toy.servers().iter().position(|server| server.name().as_str() == name);
            at.map_or(0, |at| self.limits[at] as usize)
        }

        fn names(&self, filled: &Filled) -> Vec<String> {
            filled.servers().iter().map(|ix| self.toy.servers()[ix.index()].name().to_string()).collect()
        }

        fn has_room(&self, held: &[Option<String>], name: &str) -> bool {
            held.iter().flatten().filter(|at| *at == name).count() < self.limit(name)
        }
    }

    /// The servers before one in a list.
    fn before(order: &[String], own: &str) -> Vec<String> {
        order.iter().take_while(|name| *name != own).cloned().collect()
    }

    /// The four steps, as they are written.
    fn refilled(held: &[String], old: &Case, new: &Case, keys: &[String]) -> Vec<Option<String>> {
        let reached: BTreeSet<String> = new.order("").into_iter().collect();
        let mut now: Vec<Option<String>> =
            (0..keys.len()).map(|i| held.get(i).filter(|name| reached.contains(*name)).cloned()).collect();
        for i in 0..keys.len() {
            let Some(own) = now[i].clone() else { continue };
            let passed = before(&old.order(&keys[i]), &held[i]);
            let way = before(&new.order(&keys[i]), &own);
            let called = way.into_iter().find(|name| new.has_room(&now, name) && !passed.contains(name));
            now[i] = called.or(Some(own));
        }
        for i in (0..keys.len()).rev() {
            let load = |name: &String| now.iter().flatten().filter(|at| *at == name).count();
            if now[i].as_ref().is_some_and(|own| load(own) > new.limit(own)) {
                now[i] = None;
            }
        }
        for i in 0..keys.len() {
            if now[i].is_none() {
                now[i] = new.order(&keys[i]).into_iter().find(|name| new.has_room(&now, name));
            }
        }
        now
    }

    /// The rounds of calls, as they are written.
    fn settled(mut now: Vec<Option<String>>, new: &Case, keys: &[String]) -> Vec<Option<String>> {
        loop {
            let start = now.clone();
            for server in new.toy.servers() {
                let name = server.name().as_str();
                for from_room in [true, false] {
                    for i in 0..keys.len() {
                        let own = now[i].clone().unwrap();
                        let passes = before(&new.order(&keys[i]), &own).iter().any(|at| at == name);
                        let opens_no_way = new.has_room(&now, &own);
                        if passes && new.has_room(&now, name) && (!from_room || opens_no_way) {
                            now[i] = Some(name.to_string());
                        }
                    }
                }
            }
            if now == start {
                return now;
            }
        }
    }

    fn some(names: Vec<String>) -> Vec<Option<String>> {
        names.into_iter().map(Some).collect()
    }

    #[test]
    fn both_are_their_steps_written_out_through_changes_of_fleet_weights_cap_and_keys() {
        for seed in 0..100 {
            let mut numbers = Random(0x5eed_0004 + seed);
            let mut keys = keys(numbers.below(40) as usize);
            let mut old = Case::random(&mut numbers, keys.len());
            let mut held = fill_arriving(&old.toy, &keys, old.cap);
            for change in 0..3 {
                keys.truncate(numbers.below(80) as usize);
                keys.extend((0..numbers.below(6)).map(|i| alloc::format!("new {change} {i}")));
                let new = Case::random(&mut numbers, keys.len());

                let kept = refill(&held, &old.toy, &new.toy, &keys, new.cap);
                let expected = refilled(&old.names(&held), &old, &new, &keys);
                assert_eq!(some(new.names(&kept)), expected, "seed {seed}, change {change}");
                let near = settle(&kept, &new.toy, &keys, new.cap);
                let expected = settled(expected, &new, &keys);
                assert_eq!(some(new.names(&near)), expected, "seed {seed}, change {change}");

                for filled in [&kept, &near] {
                    for (i, load) in filled.loads().iter().enumerate() {
                        let held = filled.servers().iter().filter(|ix| ix.index() == i).count();
                        assert!(*load == held as u64 && *load <= new.limits[i], "seed {seed}");
                    }
                    let away = |(key, ix): &(&String, &ServerIx)| new.toy.owner_ix(key.as_bytes()) != **ix;
                    let displaced = keys.iter().zip(filled.servers()).filter(away).count();
                    assert_eq!(filled.displaced(), displaced as u64);
                }
                held = if numbers.below(2) == 0 { kept } else { near };
                old = new;
            }
        }
    }

    #[test]
    fn once_settled_no_key_passes_a_server_with_room() {
        let mut passed = 0;
        for seed in 0..100 {
            let mut numbers = Random(0x5eed_0005 + seed);
            let keys = keys(60);
            let (old, new) = (Case::random(&mut numbers, 60), Case::random(&mut numbers, 60));
            let held = fill(&old.toy, &keys, old.cap);
            let kept = refill(&held, &old.toy, &new.toy, &keys, new.cap);
            let near = settle(&kept, &new.toy, &keys, new.cap);
            let with_room_on_the_way = |filled: &Filled| {
                let ways = keys.iter().zip(new.names(filled)).map(|(key, own)| before(&new.order(key), &own));
                let names = some(new.names(filled));
                ways.flatten().filter(|name| new.has_room(&names, name)).count()
            };
            passed += with_room_on_the_way(&kept);
            assert_eq!(with_room_on_the_way(&near), 0, "seed {seed}");
            assert!(near.displaced() <= kept.displaced(), "seed {seed}");
        }
        assert!(passed > 0);
    }

    #[test]
    fn what_did_not_change_does_not_move() {
        let mut numbers = Random(0x5eed_0006);
        for _ in 0..200 {
            let keys = keys(numbers.below(60) as usize);
            let case = Case::random(&mut numbers, keys.len());
            let held = fill(&case.toy, &keys, case.cap);
            assert_eq!(refill(&held, &case.toy, &case.toy, &keys, case.cap), held);
            assert_eq!(settle(&held, &case.toy, &keys, case.cap), held);
        }
    }

    /// Whoever moved had a reason: its server left, was above its cap, or another came before it.
    #[test]
    fn a_join_moves_to_the_newcomer_and_from_servers_above_their_cap_and_a_leave_only_its_own() {
        let names = |count: u64| (0..count).map(|i| Server::new(alloc::format!("s{i}")).unwrap());
        let ring = |count, extra: &[&str]| {
            let extra = extra.iter().map(|name| Server::new(*name).unwrap());
            let members = Members::new(names(count).chain(extra)).unwrap();
            Ring::builder(crate::hash::Xxh3).points_per_weight(8).build(&members).unwrap()
        };
        let keys = keys(2_000);
        for percent in [0, 1, 10, 100, 1_000_000] {
            let cap = Cap::percent_over_mean(percent).unwrap();
            // `zz` comes last in the order of names, so all others keep their numbers.
            let (small, large) = (ring(20, &[]), ring(20, &["zz"]));
            let held = fill(&small, &keys, cap);
            let joined = refill(&held, &small, &large, &keys, cap);
            let moves = held.servers().iter().zip(joined.servers()).filter(|(a, b)| a != b);
            let elsewhere = moves.clone().filter(|(_, b)| b.index() != 20).count() as u64;
            let limit = cap.limit(2_000, 1, 21);
            let above: u64 = held.loads().iter().map(|load| load.saturating_sub(limit)).sum();
            assert!(elsewhere <= above, "{percent}% over the mean: {elsewhere} of {above}");
            assert!(moves.count() as u64 <= limit + above);

            let left = refill(&joined, &large, &small, &keys, cap);
            let moved = joined.servers().iter().zip(left.servers()).filter(|(a, b)| a != b);
            assert!(moved.clone().all(|(a, _)| a.index() == 20), "{percent}% over the mean");
            assert_eq!(moved.count() as u64, joined.loads()[20]);
        }
    }

    #[test]
    fn an_assignment_that_names_no_server_of_its_placement_is_placed_anew() {
        let (two, five, keys) = (Toy::of(2), Toy::of(5), keys(30));
        let held = fill(&five, &keys, Cap::QUARTER);
        let kept = refill(&held, &two, &two, &keys, Cap::QUARTER);
        assert_eq!(kept.loads().iter().sum::<u64>(), 30);
        assert!(refill(&held, &five, &two, &[] as &[String], Cap::NONE).servers().is_empty());
    }
}
