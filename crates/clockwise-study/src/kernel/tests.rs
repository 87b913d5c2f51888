//! Each kernel against the library's own placements, at small sizes: every key placed before and
//! after, and counted.

use std::collections::BTreeSet;

use clockwise::hash::Xxh3;
use clockwise::ring::{Boundary, Tie};
use clockwise::{Buckets, Cap, Jump, Measured as _, Ring, Server, ServerIx, fill};

use super::circle::Circle;
use super::random::{Random, Stream, seed_of};
use super::*;

fn measured(kernel: &str, knobs: &[(&'static str, Value)], seed: u64, keys: usize) -> Measures {
    fleet::measured(find(kernel).unwrap(), knobs, seed, keys)
}

fn keys(seed: u64, count: usize) -> Vec<u64> {
    let mut random = Random::new(seed, Stream::Keys);
    (0..count).map(|_| random.bits()).collect()
}

/// The points that `Circle::random` draws, of the servers that are there.
fn points(seed: u64, servers: u32, each: u32, there: impl Fn(u32) -> bool) -> Vec<(u64, ServerIx)> {
    let mut random = Random::new(seed, Stream::Points);
    let drawn = (0..servers).flat_map(|server| (0..each).map(move |_| server));
    drawn.map(|server| (random.bits(), ServerIx::new(server))).filter(|(_, ix)| there(ix.get())).collect()
}

/// The library's ring of the same points.
fn ring(servers: u32, points: Vec<(u64, ServerIx)>) -> Ring<Xxh3> {
    let names = (0..servers).map(|i| Server::new(format!("{i:06}")).unwrap());
    let buckets = Buckets::new(names).unwrap();
    Ring::from_points(Xxh3, &buckets, points, Boundary::AtOrAfter, Tie::First).unwrap()
}

fn leaver(seed: u64, servers: u32) -> u32 {
    Random::new(seed, Stream::Leaver).below(u64::from(servers)) as u32
}

#[test]
fn a_circle_is_sorted_and_finds_the_first_point_at_or_after() {
    let mut random = Random::new(7, Stream::Choices);
    // Below and above the number of points from which it is built in two steps.
    for count in [1, 2, 3, 50, 1 << 14, (1 << 14) + 1, 40_000] {
        let mut drawn: Vec<(u64, u32)> = (0..count).map(|i| (random.bits(), i as u32)).collect();
        let circle = Circle::new(&drawn);
        drawn.sort_unstable();
        assert_eq!(circle.positions().to_vec(), drawn.iter().map(|p| p.0).collect::<Vec<_>>());
        assert_eq!(circle.servers().to_vec(), drawn.iter().map(|p| p.1).collect::<Vec<_>>());
        let oracle = |key: u64| drawn.iter().position(|point| point.0 >= key).unwrap_or(0);
        let near = (0..40).map(|i| drawn[i * drawn.len() / 40].0);
        let edges = near.flat_map(|at| [at, at.wrapping_add(1), at.wrapping_sub(1)]).chain([0, u64::MAX]);
        for key in edges {
            assert_eq!(circle.point(key), oracle(key), "{count} points, key {key}");
        }
        let stream = Random::new(8, Stream::Keys);
        let mut counts = vec![0_u32; circle.len()];
        for key in keys(8, 3_000) {
            counts[circle.point(key)] += 1;
        }
        assert_eq!(circle.count_keys(&stream, 3_000), counts, "{count} points");
        assert!((circle.arcs().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn points_at_one_position_are_the_smaller_servers() {
    let circle = Circle::new(&[(5, 3), (5, 1), (9, 0), (5, 2)]);
    assert_eq!(circle.servers(), [1, 2, 3, 0]);
    assert_eq!(circle.point(5), 0);
    assert_eq!(circle.owners_without(|server| server == 1), [2, 2, 3, 0]);
    assert_eq!(circle.owners_without(|server| server == 0), [1, 2, 3, 1]);
}

#[test]
fn a_ring_moves_what_two_rings_of_the_library_differ_in() {
    for (servers, each, seed) in [(2, 1, 1), (5, 1, 2), (10, 8, 3), (37, 23, 4), (200, 90, 5)] {
        let count = 4_000;
        let out = measured("ring", &[("servers", whole(servers)), ("points", whole(each))], seed, count);
        let (n, each) = (servers as u32, each as u32);
        let gone = leaver(seed, n);
        let before = ring(n + 1, points(seed, n + 1, each, |server| server < n));
        let joined = ring(n + 1, points(seed, n + 1, each, |_| true));
        let left = ring(n + 1, points(seed, n + 1, each, |server| server < n && server != gone));
        let shares: Vec<f64> = before.shares().iter().map(|share| share.as_f64()).collect();
        let busiest = shares.iter().copied().fold(0.0, f64::max) * f64::from(n);
        assert!((out.get("busiest_arcs").unwrap() - busiest).abs() < 1e-9);
        let idlest = shares[..n as usize].iter().copied().fold(1.0, f64::min) * f64::from(n);
        assert!((out.get("idlest_arcs").unwrap() - idlest).abs() < 1e-9);

        let (mut moved, mut left_moved, mut own) = (0, 0, 0);
        let mut loads = vec![0_u32; n as usize];
        let mut heirs = BTreeSet::new();
        for key in keys(seed, count) {
            let owner = before.owner_of_hash(key);
            loads[owner.index()] += 1;
            moved += usize::from(joined.owner_of_hash(key) != owner);
            own += usize::from(owner.get() == gone);
            if left.owner_of_hash(key) != owner {
                left_moved += 1;
                heirs.insert(left.owner_of_hash(key));
            }
        }
        let what = format!("{n} servers, {each} points, seed {seed}");
        assert_close(
            &out,
            "busiest_keys",
            f64::from(loads.iter().copied().max().unwrap()) * f64::from(n) / count as f64,
        );
        assert_close(&out, "join", moved as f64 * f64::from(n + 1) / count as f64);
        assert_eq!(out.get("join_stray"), Some(0.0), "{what}");
        assert_eq!(out.get("heirs_keys"), Some(heirs.len() as f64), "{what}");
        match own {
            0 => assert_eq!(out.get("leave"), None, "{what}"),
            own => assert_close(&out, "leave", f64::from(left_moved) / own as f64),
        }
    }
}

#[test]
fn bounded_loads_are_what_the_library_fills() {
    let settings =
        [(2, 3, 1, 0.0), (10, 10, 1, 0.1), (10, 40, 16, 0.25), (20, 25, 4, 1.0), (30, 10, 60, 0.05)];
    for (seed, (servers, each, points_each, epsilon)) in (1..).zip(settings) {
        for held in ["recomputed", "held"] {
            let knobs = [
                ("servers", whole(servers)),
                ("keys_per_server", whole(each)),
                ("points", whole(points_each)),
                ("epsilon", Value::Number(epsilon)),
                ("cap", Value::Text(held.to_owned())),
            ];
            let n = servers as u32;
            let total = servers * each;
            let cap: Cap = format!("{epsilon}").parse().unwrap();
            let limit = |servers: u64| cap.limit(total, 1, servers);
            if held == "held" && limit(servers) * (servers - 1) < total {
                continue;
            }
            let out = measured("bounded", &knobs, seed, 0);
            let gone = leaver(seed, n);
            // The library's order of preference, and a cap in keys: its own follows from its servers.
            let place = |there: &dyn Fn(u32) -> bool, cap: u64| {
                let ring = ring(n + 1, points(seed, n + 1, points_each as u32, there));
                let mut loads = vec![0_u64; n as usize + 1];
                let placed: Vec<u32> = keys(seed, total as usize)
                    .into_iter()
                    .map(|key| {
                        let server = ring.around(key).find(|ix| loads[ix.index()] < cap).unwrap();
                        loads[server.index()] += 1;
                        server.get()
                    })
                    .collect();
                (placed, loads)
            };
            let caps = match held {
                "held" => [limit(servers); 3],
                _ => [limit(servers), limit(servers + 1), limit(servers - 1)],
            };
            let (before, loads) = place(&|server| server < n, caps[0]);
            let (joined, _) = place(&|_| true, caps[1]);
            let (left, _) = place(&|server| server < n && server != gone, caps[2]);
            let moved = |after: &[u32]| before.iter().zip(after).filter(|(b, a)| b != a).count() as f64;
            assert_close(&out, "busiest_keys", *loads.iter().max().unwrap() as f64 / each as f64);
            assert_close(&out, "join", moved(&joined) * (servers + 1) as f64 / total as f64);
            assert_close(&out, "leave", moved(&left) / each as f64);
            assert_eq!(out.get("within_cap"), Some(1.0));
            let plain = ring(n + 1, points(seed, n + 1, points_each as u32, |server| server < n));
            let off = keys(seed, total as usize)
                .into_iter()
                .zip(&before)
                .filter(|(key, server)| plain.owner_of_hash(*key).get() != **server)
                .count();
            assert_close(&out, "displaced", off as f64 / total as f64);
        }
    }
}

#[test]
fn the_library_s_fill_agrees_on_a_fleet_that_is_there_in_full() {
    let (servers, each, seed) = (12_u64, 30_u64, 9);
    let knobs = [
        ("servers", whole(servers)),
        ("keys_per_server", whole(each)),
        ("points", whole(5)),
        ("epsilon", Value::Number(0.2)),
        ("cap", Value::Text("recomputed".to_owned())),
    ];
    let out = measured("bounded", &knobs, seed, 0);
    /// A key that is its own hash.
    struct Itself;
    impl clockwise::hash::KeyHash for Itself {
        fn width(&self) -> clockwise::hash::Width {
            clockwise::hash::Width::Bits64
        }
        fn hash(&self, bytes: &[u8]) -> u64 {
            bytes.try_into().map_or(0, u64::from_le_bytes)
        }
        fn name(&self) -> std::borrow::Cow<'static, str> {
            "itself".into()
        }
    }
    let names = (0..servers).map(|i| Server::new(format!("{i:06}")).unwrap());
    let drawn = points(seed, servers as u32 + 1, 5, |server| u64::from(server) < servers);
    let buckets = Buckets::new(names).unwrap();
    let ring = Ring::from_points(Itself, &buckets, drawn, Boundary::AtOrAfter, Tie::First).unwrap();
    let keys: Vec<[u8; 8]> =
        keys(seed, (servers * each) as usize).into_iter().map(u64::to_le_bytes).collect();
    let filled = fill(&ring, &keys, "0.2".parse().unwrap());
    assert_close(&out, "displaced", filled.displaced() as f64 / keys.len() as f64);
    assert_close(&out, "busiest_keys", *filled.loads().iter().max().unwrap() as f64 / each as f64);
}

#[test]
fn jump_in_lanes_is_the_library_s_jump_of_both_numbers_of_buckets() {
    for buckets in [2_u32, 3, 10, 100, 1_000] {
        for chunk in keys(u64::from(buckets), 800).chunks_exact(8) {
            let lanes: [u64; 8] = chunk.try_into().unwrap();
            for (key, (before, after, turns)) in chunk.iter().zip(scheme::jump_of_both(lanes, buckets)) {
                assert_eq!(Ok(before), clockwise::jump(*key, buckets));
                assert_eq!(Ok(after), clockwise::jump(*key, buckets + 1));
                assert!(turns >= 1 && turns <= before + 1);
            }
        }
    }
    let list = Buckets::new((0..7).map(|i| Server::new(format!("{i}")).unwrap())).unwrap();
    assert_eq!(Jump::new(Xxh3, &list).unwrap().buckets(), 7);
}

#[test]
fn schemes_move_what_placing_twice_moves() {
    let knobs =
        |servers, scheme: &str| [("servers", whole(servers)), ("scheme", Value::Text(scheme.to_owned()))];
    let count = 3_001;
    for servers in [2_u64, 5, 40] {
        let seed = servers;
        let out = measured("scheme", &knobs(servers, "mod-n"), seed, count);
        let moved = keys(seed, count).iter().filter(|key| *key % servers != *key % (servers + 1)).count();
        assert_close(&out, "join_share", moved as f64 / count as f64);

        let out = measured("scheme", &knobs(servers, "jump"), seed, count);
        let jump = |key, n: u64| clockwise::jump(key, n as u32).unwrap();
        let moved =
            keys(seed, count).iter().filter(|key| jump(**key, servers) != jump(**key, servers + 1)).count();
        assert_close(&out, "join_share", moved as f64 / count as f64);

        let out = measured("scheme", &knobs(servers, "rendezvous"), seed, count);
        for (metric, exactly) in [("join_stray", 0.0), ("leave_stray", 0.0), ("leave", 1.0)] {
            assert_close(&out, metric, exactly);
        }
        let all = measured("scheme", &knobs(servers, "rendezvous"), seed, 9_000);
        let share = all.get("join_share").unwrap();
        let fair = 1.0 / (servers + 1) as f64;
        assert!((share - fair).abs() < 5.0 * (fair / 9_000.0).sqrt(), "{servers} servers: {share}");
    }
}

#[test]
fn a_maglev_table_is_the_paper_s_loop() {
    for (servers, size, seed) in [(3_u64, 7_u64, 1), (5, 101, 2), (40, 1_009, 3)] {
        let out = measured("maglev", &[("servers", whole(servers)), ("table", whole(size))], seed, 2_000);
        let mut random = Random::new(seed, Stream::Points);
        let walks: Vec<(u64, u64)> =
            (0..=servers).map(|_| (random.bits() % size, random.bits() % (size - 1) + 1)).collect();
        // G. Eisenbud et al., Maglev (NSDI 2016), figure "Populate": each in turn its next free choice.
        let populate = |there: &dyn Fn(u64) -> bool| {
            let mut table = vec![None; size as usize];
            let mut next = vec![0; walks.len()];
            loop {
                for (server, (offset, skip)) in walks.iter().enumerate().filter(|(s, _)| there(*s as u64)) {
                    let mut slot = (offset + next[server] * skip) % size;
                    while table[slot as usize].is_some() {
                        next[server] += 1;
                        slot = (offset + next[server] * skip) % size;
                    }
                    table[slot as usize] = Some(server);
                    next[server] += 1;
                    if table.iter().all(Option::is_some) {
                        return table;
                    }
                }
            }
        };
        let gone = u64::from(leaver(seed, servers as u32));
        let before = populate(&|server| server < servers);
        let joined = populate(&|_| true);
        let left = populate(&|server| server < servers && server != gone);
        let differ = |a: &[Option<usize>]| before.iter().zip(a).filter(|(b, a)| b != a).count() as f64;
        assert_close(&out, "join_slots", differ(&joined) * (servers + 1) as f64 / size as f64);
        assert_close(&out, "leave_share_slots", differ(&left) / size as f64);
        let moved = keys(seed, 2_000)
            .into_iter()
            .filter(|key| before[(key % size) as usize] != joined[(key % size) as usize])
            .count();
        assert_close(&out, "join_share", moved as f64 / 2_000.0);
    }
}

#[test]
fn seeds_differ_in_each_of_what_they_are_made_from() {
    let seeds = [
        seed_of(1, "ring", &"servers=10", 0),
        seed_of(2, "ring", &"servers=10", 0),
        seed_of(1, "rings", &"servers=10", 0),
        seed_of(1, "ring", &"servers=11", 0),
        seed_of(1, "ring", &"servers=10", 1),
    ];
    assert_eq!(seeds.iter().collect::<BTreeSet<_>>().len(), seeds.len());
    assert_eq!(seeds[0], seed_of(1, "ring", &"servers=10", 0));
}

fn whole(value: u64) -> Value {
    Value::Whole(value)
}

#[track_caller]
fn assert_close(out: &Measures, metric: &str, expected: f64) {
    let value = out.get(metric).unwrap_or_else(|| panic!("{metric} was not measured"));
    assert!((value - expected).abs() < 1e-9 * expected.abs().max(1.0), "{metric}: {value}, not {expected}");
}
