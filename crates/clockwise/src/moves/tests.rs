//! Moves, held to their definitions and to counting every position.

use std::collections::BTreeMap;
use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

use super::*;
use crate::hash::{KeyHash, Md5, Width, Xxh3};
use crate::members::{Buckets, Members};
use crate::modulo::ModN;
use crate::placement::{Layout, Measured};
use crate::ring::{Boundary, Ring, Tie};
use crate::testing::{Digits, Random, list, members, user_keys};

fn ring(fleet: &[(&str, u32)]) -> Ring {
    Ring::builder(Xxh3).build(&members(fleet)).unwrap()
}

fn keys(count: u64) -> Tally {
    Tally { keys: count, ..Tally::default() }
}

/// The flows as text: `a>b 3`, strays with a mark.
fn flows(moves: &Moves) -> Vec<String> {
    let mark = |stray| if stray { " stray" } else { "" };
    moves.flows().iter().map(|f| format!("{}>{} {}{}", f.from, f.to, f.moved.keys, mark(f.stray))).collect()
}

/// A counter between two fleets, fed with (from, to, keys) by name.
fn counted(before: &[(&str, u32)], after: &[(&str, u32)], moved: &[(&str, &str, u64)]) -> Moves {
    let (before, after) = (list(before), list(after));
    let mut counter = MoveCounter::new(before.servers(), after.servers());
    for &(from, to, count) in moved {
        counter.record(before.index_of(from).unwrap(), after.index_of(to).unwrap(), keys(count));
    }
    counter.finish()
}

#[test]
fn servers_are_matched_by_name_whatever_their_index() {
    let moves = counted(
        &[("c", 1), ("a", 1)],
        &[("a", 1), ("b", 1), ("c", 1)],
        &[("a", "a", 5), ("c", "c", 3), ("a", "b", 2), ("c", "a", 1), ("a", "b", 2)],
    );
    assert_eq!(moves.total(), keys(13));
    assert_eq!(moves.moved(), keys(5));
    assert_eq!(flows(&moves), ["a>b 4", "c>a 1 stray"]);
    assert_eq!(moves.stray(), keys(1));
    let servers: Vec<_> =
        moves.servers().iter().map(|s| (s.name.as_str(), s.before.keys, s.after.keys)).collect();
    assert_eq!(servers, [("a", 9, 6), ("b", 0, 4), ("c", 4, 3)]);
    assert_eq!(moves.servers()[1].target_before, Share::ZERO);
    assert_eq!(moves.servers()[1].target_after, Share::new(1, 3));
}

#[test]
fn a_move_is_stray_unless_one_share_falls_and_the_other_rises() {
    // a falls (3/6 to 3/7), b rises (1/6 to 2/7), c falls (2/6 to 2/7).
    let grown = counted(
        &[("a", 3), ("b", 1), ("c", 2)],
        &[("a", 3), ("b", 2), ("c", 2)],
        &[
            ("a", "b", 10),
            ("a", "c", 9),
            ("b", "a", 8),
            ("b", "c", 7),
            ("c", "a", 6),
            ("c", "b", 5),
            ("a", "a", 100),
        ],
    );
    assert_eq!(
        flows(&grown),
        ["a>b 10", "a>c 9 stray", "b>a 8 stray", "b>c 7 stray", "c>a 6 stray", "c>b 5"]
    );
    assert_eq!(grown.stray(), keys(30));

    // Doubling every weight changes no share: whatever moves is stray.
    let doubled = counted(&[("a", 1), ("b", 2)], &[("a", 2), ("b", 4)], &[("a", "b", 1), ("b", "b", 1)]);
    assert_eq!(doubled.stray(), keys(1));
    assert_eq!(doubled.minimum(), Share::ZERO);

    // a and b trade places, c stays at a half: moves to or from it are stray.
    let traded = counted(
        &[("a", 1), ("b", 3), ("c", 4)],
        &[("a", 3), ("b", 1), ("c", 4)],
        &[("b", "a", 3), ("b", "c", 2), ("c", "a", 1)],
    );
    assert_eq!(flows(&traded), ["b>a 3", "b>c 2 stray", "c>a 1 stray"]);
}

#[test]
fn a_share_that_differs_in_the_last_digit_rises() {
    let big = u32::MAX;
    let moves = counted(&[("a", big), ("b", big - 1)], &[("a", big - 1), ("b", big - 2)], &[("b", "a", 1)]);
    // a: (2³² − 1)/(2³³ − 3) to (2³² − 2)/(2³³ − 5): a rise of about 2⁻⁶⁶.
    assert_eq!(moves.stray(), keys(0));
    let (before, after) = (u128::from(big) * 2 - 1, u128::from(big) * 2 - 3);
    assert_eq!(moves.minimum(), Share::new(1, before * after));
}

#[test]
fn minimum_is_half_the_sum_of_changed_shares() {
    let minimum = |before: &[(&str, u32)], after: &[(&str, u32)]| counted(before, after, &[]).minimum();
    let four = [("a", 1), ("b", 1), ("c", 1), ("d", 1)];
    assert_eq!(minimum(&four, &four), Share::ZERO);
    assert_eq!(minimum(&four[..3], &four), Share::new(1, 4));
    assert_eq!(minimum(&four, &four[..3]), Share::new(1, 4));
    assert_eq!(minimum(&four[..2], &four[2..]), Share::new(1, 1));
    assert_eq!(minimum(&[("a", 1), ("b", 1)], &[("a", 1), ("b", 3)]), Share::new(1, 4));

    let draining = |server: Server| Ok(server.draining());
    let before = members(&four);
    let after = before.changed("b", draining).unwrap();
    let moves = MoveCounter::new(before.servers(), after.servers()).finish();
    assert_eq!(moves.minimum(), Share::new(1, 4));
}

#[test]
fn minimum_agrees_with_its_definition_on_random_fleets() {
    let mut random = Random(0x5eed_0020);
    for round in 0..500 {
        let mut side = || -> BTreeMap<String, u32> {
            let count = 1 + random.next() % 6;
            (0..count).map(|_| (format!("s{}", random.next() % 8), 1 + (random.next() % 50) as u32)).collect()
        };
        let (before, after) = (side(), side());
        let fleet = |side: &BTreeMap<String, u32>| {
            let fleet: Vec<(&str, u32)> =
                side.iter().map(|(name, weight)| (name.as_str(), *weight)).collect();
            members(&fleet)
        };
        let total = |side: &BTreeMap<String, u32>| side.values().map(|&w| i64::from(w)).sum::<i64>();
        let (w, v) = (total(&before), total(&after));
        let names: std::collections::BTreeSet<&String> = before.keys().chain(after.keys()).collect();
        let weight = |side: &BTreeMap<String, u32>, name| side.get(name).map_or(0, |&w| i64::from(w));
        let twice: i64 =
            names.into_iter().map(|name| (weight(&after, name) * w - weight(&before, name) * v).abs()).sum();
        let moves = MoveCounter::new(fleet(&before).servers(), fleet(&after).servers()).finish();
        let expected = Share::new(twice as u128, 2 * (w * v) as u128);
        assert_eq!(moves.minimum(), expected, "round {round}: {before:?} to {after:?}");
    }
}

#[test]
fn a_join_to_a_ring_has_no_strays_and_books_balance() {
    let before = ring(&[("a", 1), ("b", 2), ("c", 1)]);
    let after = ring(&[("a", 1), ("b", 2), ("c", 1), ("aa", 1)]);
    let moves = Moves::count_keys(&before, &after, user_keys(20_000));
    assert_eq!(moves.total(), keys(20_000));
    assert_eq!(moves.stray(), keys(0));
    assert!(moves.flows().iter().all(|flow| flow.to.as_str() == "aa" && !flow.stray));
    for server in moves.servers() {
        let sum = |picked: &dyn Fn(&Flow) -> bool| -> u64 {
            moves.flows().iter().filter(|flow| picked(flow)).map(|flow| flow.moved.keys).sum()
        };
        let (into, out) = (sum(&|flow| flow.to == server.name), sum(&|flow| flow.from == server.name));
        assert_eq!(server.before.keys + into, server.after.keys + out, "{}", server.name);
    }
    let sum = |side: fn(&ServerMoves) -> u64| moves.servers().iter().map(side).sum::<u64>();
    assert_eq!((sum(|s| s.before.keys), sum(|s| s.after.keys)), (20_000, 20_000));
    assert!(moves.flows().is_sorted_by_key(|flow| std::cmp::Reverse(flow.moved)));
}

#[test]
fn a_join_to_mod_n_moves_nearly_everything_and_most_of_it_astray() {
    let names: Vec<String> = (0..11).map(|i| format!("s{i:02}")).collect();
    let fleet: Vec<(&str, u32)> = names.iter().map(|name| (name.as_str(), 1)).collect();
    let before = ModN::new(Md5, &list(&fleet[..10])).unwrap();
    let after = ModN::new(Md5, &list(&fleet)).unwrap();
    let keys = user_keys(100_000);
    let moves = Moves::count_keys(&before, &after, &keys);

    let index = |n: u64, key: &String| Md5.hash(key.as_bytes()) % n;
    let moved = keys.iter().filter(|key| index(10, key) != index(11, key)).count() as u64;
    let to_newcomer = keys.iter().filter(|key| index(11, key) == 10).count() as u64;
    assert_eq!(moves.moved().keys, moved);
    assert_eq!(moves.stray().keys, moved - to_newcomer);
    assert!(moved > 90_000);
}

#[test]
fn a_new_address_moves_nothing_and_a_new_name_moves_its_keys_only() {
    let fleet = members(&[("a", 1), ("b", 1), ("c", 1)]);
    let build = |fleet: &Members| Ring::builder(Xxh3).build(fleet).unwrap();
    let moved_in = fleet.changed("b", |server| server.with_address("10.0.0.9:11211")).unwrap();
    let same = Moves::count_keys(&build(&fleet), &build(&moved_in), user_keys(5000));
    assert_eq!(same.moved(), keys(0));
    assert_eq!(same.minimum(), Share::ZERO);

    let renamed = fleet.replaced("b", Server::new("x").unwrap()).unwrap();
    let moves = Moves::count_keys(&build(&fleet), &build(&renamed), user_keys(5000));
    assert_eq!(moves.minimum(), Share::new(1, 3));
    assert!(moves.moved().keys > 1000);
    // Each arc of the leaver falls to whoever follows, each arc of the newcomer is cut from
    // whoever was there: all but the moves from one to the other are stray.
    for flow in moves.flows() {
        assert_eq!(flow.stray, (flow.from.as_str(), flow.to.as_str()) != ("b", "x"));
        assert!(flow.from.as_str() == "b" || flow.to.as_str() == "x");
    }
}

#[test]
fn requests_and_bytes_are_summed_beside_keys() {
    let placement = |owner: u32| {
        let points = Vec::from([(0, ServerIx::new(owner))]);
        let fleet = list(&[("a", 1), ("b", 3)]);
        Ring::from_points(Digits(Width::Bits64), &fleet, points, Boundary::AtOrAfter, Tie::First).unwrap()
    };
    let tallied =
        [("1", Tally { keys: 1, requests: 10, bytes: 7 }), ("2", Tally { keys: 1, requests: 30, bytes: 0 })];
    let moves = Moves::count(&placement(0), &placement(1), tallied);
    let all = Tally { keys: 2, requests: 40, bytes: 7 };
    assert_eq!((moves.total(), moves.moved(), moves.stray()), (all, all, all));
    // All keys on a, whose target is a quarter; then all on b, whose target is three quarters.
    let busiest = moves.busiest_over_mean_of_keys().unwrap();
    assert!((busiest.before - 4.0).abs() < 1e-12);
    assert!((busiest.after - 4.0 / 3.0).abs() < 1e-12);
    assert_eq!(moves.busiest_over_mean_of_requests(), Some(busiest));
}

#[test]
fn busiest_over_mean_weighs_each_server_by_its_target() {
    let moves = counted(
        &[("a", 1), ("b", 4)],
        &[("a", 1), ("b", 4), ("c", 5)],
        &[("a", "a", 30), ("b", "b", 70), ("b", "c", 50)],
    );
    let busiest = moves.busiest_over_mean_of_keys().unwrap();
    // Before: a 30/150 of 1/5, b 120/150 of 4/5. After: a 30/150 of 1/10, b 70/150 of 4/10, c 50/150 of 5/10.
    assert!((busiest.before - 1.0).abs() < 1e-12, "{busiest:?}");
    assert!((busiest.after - 2.0).abs() < 1e-12, "{busiest:?}");
    assert_eq!(moves.busiest_over_mean_of_requests(), None);
    assert_eq!(counted(&[("a", 1)], &[("a", 1)], &[]).busiest_over_mean_of_keys(), None);
}

#[test]
fn sums_stop_at_the_greatest_number() {
    let huge = Tally { keys: 1, requests: u64::MAX, bytes: u64::MAX - 1 };
    let fleet = list(&[("a", 1)]);
    let mut counter = MoveCounter::new(fleet.servers(), fleet.servers());
    counter.record(ServerIx::new(0), ServerIx::new(0), huge);
    counter.record(ServerIx::new(0), ServerIx::new(0), huge);
    assert_eq!(counter.finish().total(), Tally { keys: 2, requests: u64::MAX, bytes: u64::MAX });
}

#[test]
fn indices_of_no_server_are_not_counted() {
    let fleet = list(&[("a", 1)]);
    let mut counter = MoveCounter::new(fleet.servers(), fleet.servers());
    counter.record(ServerIx::new(1), ServerIx::new(0), Tally::KEY);
    counter.record(ServerIx::new(0), ServerIx::new(7), Tally::KEY);
    assert_eq!(counter.finish().total(), Tally::default());
}

/// A ring of up to 12 points at multiples of 2⁵⁸, among servers of a random fleet.
fn coarse_ring(random: &mut Random, width: Width, step: u64) -> Ring<Digits> {
    let chosen = 1 + random.next() % 31;
    let fleet: Vec<(&str, u32)> = ["a", "b", "c", "d", "e"]
        .into_iter()
        .enumerate()
        .filter(|(bit, _)| chosen >> bit & 1 == 1)
        .map(|(_, name)| (name, 1 + (random.next() % 3) as u32))
        .collect();
    let servers = fleet.len() as u64;
    let points = (0..1 + random.next() % 12)
        .map(|_| ((random.next() % 64) * step, ServerIx::new((random.next() % servers) as u32)))
        .collect();
    Ring::from_points(Digits(width), &list(&fleet), points, Boundary::AtOrAfter, Tie::First).unwrap()
}

/// All points stand at multiples of a 64th of the circle, so 64 keys stand for every position.
#[test]
fn exact_moves_are_what_counting_every_position_gives() {
    let mut random = Random(0x5eed_0021);
    for round in 0..600 {
        let (width, step) = [(Width::Bits64, 1 << 58), (Width::Bits32, 1 << 26)][round % 2];
        let before = coarse_ring(&mut random, width, step);
        let after = coarse_ring(&mut random, width, step);
        let arcs = before.diff(&after).unwrap();
        let every = Moves::count_keys(&before, &after, (0..64).map(|slot| (slot * step).to_string()));

        let share = |tally: Tally| Share::new(u128::from(tally.keys), 64);
        assert_eq!(arcs.total(), Share::new(1, 1));
        assert_eq!(arcs.moved(), share(every.moved()), "round {round}");
        assert_eq!(arcs.stray(), share(every.stray()), "round {round}");
        assert_eq!(arcs.minimum(), every.minimum(), "round {round}");
        let expected: Vec<Flow<Share>> = every
            .flows()
            .iter()
            .map(|f| Flow { from: f.from.clone(), to: f.to.clone(), moved: share(f.moved), stray: f.stray })
            .collect();
        assert_eq!(arcs.flows(), expected, "round {round}");
        for (exact, counted) in arcs.servers().iter().zip(every.servers()) {
            assert_eq!(exact.name, counted.name);
            assert_eq!(exact.before, share(counted.before), "round {round}");
            assert_eq!(exact.after, share(counted.after), "round {round}");
        }
        let (exact, counted) =
            (arcs.busiest_over_mean_of_arcs().unwrap(), every.busiest_over_mean_of_keys().unwrap());
        assert!((exact.before - counted.before).abs() < 1e-9, "round {round}");
        assert!((exact.after - counted.after).abs() < 1e-9, "round {round}");
    }
}

/// A `>` ring and a `>=` ring of the same points differ at the points themselves: by one position
/// each.
#[test]
fn boundaries_are_laid_over_each_other_exactly() {
    let fleet = list(&[("a", 1), ("b", 1), ("c", 1)]);
    let points = || Vec::from([10, 20, 30].map(|p| (p, ServerIx::new(p as u32 / 10 - 1))));
    let build =
        |boundary| Ring::from_points(Digits(Width::Bits64), &fleet, points(), boundary, Tie::First).unwrap();
    let arcs = build(Boundary::AtOrAfter).diff(&build(Boundary::After)).unwrap();
    assert_eq!(arcs.moved(), Share::new(3, 1 << 64));
    assert_eq!(arcs.stray(), arcs.moved());
    let pairs: Vec<(&str, &str)> = arcs.flows().iter().map(|f| (f.from.as_str(), f.to.as_str())).collect();
    assert_eq!(pairs, [("a", "b"), ("b", "c"), ("c", "a")]);
}

#[test]
fn exact_moves_agree_with_counted_keys() {
    let names: Vec<String> = (0..21).map(|i| format!("n{i}")).collect();
    let fleet: Vec<(&str, u32)> = names.iter().map(|name| (name.as_str(), 1)).collect();
    let (before, after) = (ring(&fleet[..20]), ring(&fleet));
    let arcs = before.diff(&after).unwrap();
    let counted = Moves::count_keys(&before, &after, user_keys(100_000));
    assert_eq!(arcs.stray(), Share::ZERO);
    assert_eq!(arcs.flows().len(), counted.flows().len());
    let close = |share: Share, keys: u64, what: &str| {
        let p = share.as_f64();
        let deviation = (keys as f64 / 100_000.0 - p).abs() / (p * (1.0 - p) / 100_000.0).sqrt();
        assert!(deviation < 4.5, "{what}: {keys} keys for {share}, {deviation} standard deviations");
    };
    close(arcs.moved(), counted.moved().keys, "moved");
    for flow in arcs.flows() {
        let keys = counted.flows().iter().find(|f| f.from == flow.from && f.to == flow.to);
        close(flow.moved, keys.map_or(0, |f| f.moved.keys), flow.from.as_str());
    }
    for (exact, counted) in arcs.servers().iter().zip(counted.servers()) {
        if exact.before > Share::ZERO {
            close(exact.before, counted.before.keys, exact.name.as_str());
        }
        close(exact.after, counted.after.keys, exact.name.as_str());
    }
}

#[test]
fn exact_moves_of_a_leave_are_the_leavers_arcs() {
    let before = ring(&[("a", 2), ("b", 3), ("c", 1)]);
    let after = ring(&[("a", 2), ("c", 1)]);
    let arcs = before.diff(&after).unwrap();
    assert_eq!(arcs.moved(), before.shares()[1]);
    assert_eq!(arcs.stray(), Share::ZERO);
    assert_eq!(arcs.minimum(), Share::new(1, 2));
    assert!(arcs.flows().iter().all(|flow| flow.from.as_str() == "b"));
}

/// A table of slots as some other scheme might have it.
struct Table(Buckets, Vec<ServerIx>, &'static str);

impl Placement for Table {
    fn servers(&self) -> &[Server] {
        self.0.servers()
    }
    fn owner_ix(&self, key: &[u8]) -> ServerIx {
        self.1[Xxh3.hash(key) as usize % self.1.len()]
    }
}

impl Measured for Table {
    fn shares(&self) -> Vec<Share> {
        Vec::new()
    }
    fn layout(&self) -> Option<Layout<'_>> {
        Some(Layout::Slots { owners: &self.1, key_hash: self.2 })
    }
}

fn table(slots: &str, rule: &'static str) -> Table {
    let owner = |slot: u8| ServerIx::new(u32::from(slot - b'a'));
    Table(list(&[("a", 1), ("b", 1), ("c", 1)]), slots.bytes().map(owner).collect(), rule)
}

#[test]
fn tables_of_slots_are_compared_slot_by_slot() {
    let arcs = ArcMoves::between(&table("aabbccab", "x"), &table("abbcccaa", "x")).unwrap();
    assert_eq!(arcs.moved(), Share::new(3, 8));
    let flows: Vec<_> = arcs
        .flows()
        .iter()
        .map(|f| (f.from.as_str(), f.to.as_str(), f.moved.part(), f.moved.whole()))
        .collect();
    assert_eq!(flows, [("a", "b", 1, 8), ("b", "a", 1, 8), ("b", "c", 1, 8)]);
}

#[test]
fn layouts_of_different_spaces_are_not_compared() {
    let circle = ring(&[("a", 1)]);
    let other_hash = Ring::builder(Md5).build(&members(&[("a", 1)])).unwrap();
    let mod_n = ModN::new(Xxh3, &list(&[("a", 1)])).unwrap();
    assert!(ArcMoves::between(&circle, &circle).is_some());
    assert!(ArcMoves::between(&circle, &other_hash).is_none());
    assert!(ArcMoves::between(&circle, &table("ab", "xxh3-64")).is_none());
    assert!(ArcMoves::between(&mod_n, &mod_n).is_none());
    assert!(ArcMoves::between(&table("ab", "x"), &table("ab", "y")).is_none());
    assert!(ArcMoves::between(&table("ab", "x"), &table("abc", "x")).is_none());
}

#[test]
fn placements_of_different_schemes_are_counted_behind_one_reference() {
    let (before, after) =
        (ModN::new(Xxh3, &list(&[("a", 1), ("b", 1)])).unwrap(), ring(&[("a", 1), ("b", 1)]));
    let sides: [&dyn Placement; 2] = [&before, &after];
    let moves = Moves::count_keys(sides[0], sides[1], user_keys(1000));
    let moved =
        user_keys(1000).iter().filter(|key| before.owner(key).name() != after.owner(key).name()).count();
    assert_eq!(moves.moved().keys, moved as u64);
    assert_eq!(moves.stray(), moves.moved());
}
