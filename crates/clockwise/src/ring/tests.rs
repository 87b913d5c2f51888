//! The ring, held to the one-line rule over every position of a small circle.

use std::collections::BTreeSet;
use std::format;
use std::string::String;
use std::vec::Vec;

use super::*;
use crate::hash::Md5;
use crate::members::Members;
use crate::testing::{Digits, Random, list, members, user_keys};

/// xxh3-64 cut to its lowest bits, so that points of a small fleet collide.
#[derive(Clone, Copy)]
struct LowBits(u32);

impl KeyHash for LowBits {
    fn width(&self) -> Width {
        Width::Bits64
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        Xxh3.hash(bytes) & ((1 << self.0) - 1)
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Owned(format!("xxh3-64 low {}", self.0))
    }
}

fn ring(fleet: &[(&str, u32)], points_per_weight: u32) -> Ring {
    Ring::builder(Xxh3).points_per_weight(points_per_weight).build(&members(fleet)).unwrap()
}

/// `count` servers `n1.test:11300`… in a random order.
fn shuffled(count: u32, random: &mut Random) -> Vec<Server> {
    let mut servers: Vec<Server> =
        (1..=count).map(|i| Server::new(format!("n{i}.test:11300")).unwrap()).collect();
    for i in (1..servers.len()).rev() {
        servers.swap(i, (random.next() % (i as u64 + 1)) as usize);
    }
    servers
}

/// A fleet of 1 to 12 servers of weight 1 to 4, some of them draining.
fn random_fleet(random: &mut Random) -> Vec<Server> {
    let count = 1 + random.next() % 12;
    let mut fleet: Vec<Server> = (0..count)
        .map(|i| {
            let server = Server::new(format!("s{}-{i}", random.next() % 1000)).unwrap();
            let server = server.with_weight(1 + random.next() % 4).unwrap();
            if random.next().is_multiple_of(5) { server.draining() } else { server }
        })
        .collect();
    fleet[0] = fleet[0].clone().active();
    fleet
}

fn name_of<'a, H: KeyHash>(ring: &'a Ring<H>, key: &str) -> &'a str {
    ring.owner(key).name().as_str()
}

fn owners<H: KeyHash>(ring: &Ring<H>, keys: &[String]) -> Vec<String> {
    keys.iter().map(|key| String::from(name_of(ring, key))).collect()
}

/// The paper's rule: the first point at or after the hash, else the first point.
fn at_or_after(sorted: &[(u64, ServerIx)], hash: u64) -> ServerIx {
    sorted.iter().find(|point| point.0 >= hash).unwrap_or(&sorted[0]).1
}

/// The other rule: the first point after the hash, else the first point.
fn after(sorted: &[(u64, ServerIx)], hash: u64) -> ServerIx {
    sorted.iter().find(|point| point.0 > hash).unwrap_or(&sorted[0]).1
}

/// The nearest-point rule: a point that is hit; else, of the first point after the hash and the one
/// before it, the nearer; the one before if both are as near.
fn nearest(sorted: &[(u64, ServerIx)], hash: u64, greatest: u64) -> usize {
    let next = sorted.iter().position(|point| point.0 >= hash).unwrap_or(0);
    let before = next.checked_sub(1).unwrap_or(sorted.len() - 1);
    let way = |from: u64, to: u64| to.wrapping_sub(from) & greatest;
    if sorted[next].0 != hash && way(sorted[before].0, hash) <= way(hash, sorted[next].0) {
        before
    } else {
        next
    }
}

#[test]
fn native_points_are_hashes_of_name_zero_and_number() {
    let ring = ring(&[("a", 2), ("b", 1)], 3);
    let mut expected = Vec::new();
    for (ix, name, count) in [(0, "a", 6_u32), (1, "b", 3)] {
        for i in 0..count {
            let label = [name.as_bytes(), &[0], &i.to_le_bytes()].concat();
            expected.push((Xxh3.hash(&label), ServerIx::new(ix)));
        }
    }
    expected.sort();
    assert_eq!(ring.points().collect::<Vec<_>>(), expected);
    assert_eq!(ring.point_counts(), [6, 3]);
}

#[test]
fn joined_labels_number_in_decimal() {
    let ring = Ring::builder(Md5).points_per_weight(12).label(Label::Joined("#"));
    let ring = ring.build(&members(&[("node-A", 1)])).unwrap();
    let mut expected: Vec<u64> = (0..12).map(|i| Md5.hash(format!("node-A#{i}").as_bytes())).collect();
    expected.sort_unstable();
    assert_eq!(ring.points().map(|point| point.0).collect::<Vec<_>>(), expected);
}

#[test]
fn owner_is_the_first_point_at_or_after_the_hash() {
    let mut random = Random(0x5eed_0001);
    for round in 0..300 {
        let fleet = Members::new(random_fleet(&mut random)).unwrap();
        let ppw = 1 + (random.next() % 40) as u32;
        let low = LowBits([6, 10, 16, 40, 63][round % 5]);
        let ring = Ring::builder(low).points_per_weight(ppw).build(&fleet).unwrap();

        let mut sorted = Vec::new();
        for (ix, server) in fleet.active() {
            for i in 0..server.weight().get() * ppw {
                let label = [server.name().as_str().as_bytes(), &[0], &i.to_le_bytes()].concat();
                sorted.push((low.hash(&label), ix));
            }
        }
        sorted.sort();
        assert_eq!(ring.points().collect::<Vec<_>>(), sorted, "round {round}");

        let mut hashes: Vec<u64> = (0..200).map(|_| random.next() & ((1 << low.0) - 1)).collect();
        hashes.extend(sorted.iter().flat_map(|&(p, _)| [p.saturating_sub(1), p, p + 1]));
        hashes.extend([0, 1, u64::MAX]);
        let mut batch = std::vec![ServerIx::new(9999); hashes.len()];
        ring.owners_of_hashes(&hashes, &mut batch);
        for (&hash, &batched) in hashes.iter().zip(&batch) {
            let expected = at_or_after(&sorted, hash);
            assert_eq!(ring.owner_of_hash(hash), expected, "round {round}, hash {hash}");
            assert_eq!(batched, expected, "round {round}, hash {hash}");
        }
    }
}

/// Both widths, all boundaries and ties, over positions that hit 0, the greatest, and each other.
#[test]
fn given_points_follow_their_boundary_and_tie_rule() {
    let fleet = list(&[("c", 1), ("a", 1), ("b", 1), ("without points", 1)]);
    let mut random = Random(0x5eed_0002);
    for round in 0..1000 {
        let width = [Width::Bits32, Width::Bits64][round % 2];
        let greatest = match width {
            Width::Bits32 => u64::from(u32::MAX),
            Width::Bits64 => u64::MAX,
        };
        let near = |random: &mut Random| match random.next() % 4 {
            0 => random.next() % 6,
            1 => greatest - random.next() % 6,
            2 => greatest / 2 + random.next() % 100,
            _ => random.next() & greatest,
        };
        let points: Vec<(u64, ServerIx)> = (0..1 + random.next() % 60)
            .map(|_| (near(&mut random), ServerIx::new((random.next() % 3) as u32)))
            .collect();
        let hashes: Vec<u64> = (0..60).map(|_| near(&mut random)).chain([0, greatest]).collect();

        for tie in [Tie::First, Tie::Last, Tie::Unspecified, Tie::OnlyFirst, Tie::OnlyUnspecified] {
            let mut sorted = points.clone();
            if tie == Tie::Last {
                sorted.reverse();
            }
            sorted.sort_by_key(|point| point.0);
            let all = sorted.clone();
            if matches!(tie, Tie::OnlyFirst | Tie::OnlyUnspecified) {
                sorted.dedup_by_key(|point| point.0);
            }
            for boundary in [Boundary::AtOrAfter, Boundary::After, Boundary::Nearest] {
                let ring = Ring::from_points(Digits(width), &fleet, points.clone(), boundary, tie).unwrap();
                let context = format!("round {round}, {tie:?}, {boundary:?}");
                assert_eq!(ring.points().collect::<Vec<_>>(), sorted, "{context}");
                for &hash in &hashes {
                    let expected = match boundary {
                        Boundary::AtOrAfter => at_or_after(&sorted, hash),
                        Boundary::After => after(&sorted, hash),
                        Boundary::Nearest => sorted[nearest(&sorted, hash, greatest)].1,
                    };
                    assert_eq!(ring.owner_of_hash(hash), expected, "{context}, hash {hash}");
                    let landed = ring.point_of_hash(hash);
                    assert_eq!(sorted[landed].0, ring.position_of_hash(hash), "{context}, hash {hash}");
                    assert_eq!(sorted[landed].1, expected, "{context}, hash {hash}");
                }
                let landed = ring.point_of_hash(hashes[0]);
                let around = sorted[landed..].iter().chain(&sorted[..landed]).map(|point| point.1);
                assert!(ring.around(hashes[0]).eq(around), "{context}");
                let mut shared = 0;
                for group in all.chunk_by(|a, b| a.0 == b.0) {
                    let distinct: BTreeSet<ServerIx> = group.iter().map(|point| point.1).collect();
                    if distinct.len() > 1 {
                        shared += 1;
                        let found = ring.collisions().iter().find(|c| c.position() == group[0].0).unwrap();
                        assert_eq!(found.servers()[0], group[0].1, "{context}");
                        assert_eq!(found.servers().len(), distinct.len(), "{context}");
                    }
                }
                assert_eq!(ring.collisions().len(), shared, "{context}");
                assert_eq!(ring.depends_on_order(), shared > 0, "{context}");
            }
        }
    }
}

#[test]
fn a_strict_ring_passes_the_point_that_a_key_hits() {
    let fleet = list(&[("a", 1), ("b", 1), ("c", 1)]);
    let points = Vec::from([0, 10, 20].map(|p| (p, ServerIx::new(p as u32 / 10))));
    let build = |boundary| {
        Ring::from_points(Digits(Width::Bits32), &fleet, points.clone(), boundary, Tie::First).unwrap()
    };
    let (hits, passes) = (build(Boundary::AtOrAfter), build(Boundary::After));
    for (key, hit, passed) in
        [("0", "a", "b"), ("1", "b", "b"), ("10", "b", "c"), ("20", "c", "a"), ("21", "a", "a")]
    {
        assert_eq!((name_of(&hits, key), name_of(&passes, key)), (hit, passed), "key {key}");
    }
    assert_eq!(passes.points().collect::<Vec<_>>(), points);
}

#[test]
fn a_nearest_ring_goes_back_to_a_point_that_is_as_near_as_the_next() {
    let fleet = list(&[("a", 1), ("b", 1), ("c", 1)]);
    let points = Vec::from([10, 20, 27].map(|p| (p, ServerIx::new((p as u32 - 5) / 8))));
    let hash = Digits(Width::Bits32);
    let ring = Ring::from_points(hash, &fleet, points.clone(), Boundary::Nearest, Tie::First).unwrap();
    for (key, owner) in
        [("10", "a"), ("15", "a"), ("16", "b"), ("23", "b"), ("24", "c"), ("4294967295", "a"), ("0", "a")]
    {
        assert_eq!(name_of(&ring, key), owner, "key {key}");
    }
    assert_eq!(ring.points().collect::<Vec<_>>(), points);
    // From 24 up to half the way round to 10, of the 2³² positions.
    let halfway = 27 + (10 + (1_u128 << 32) - 27) / 2;
    assert_eq!(ring.shares()[2], Share::new(halfway - 23, 1 << 32));
}

/// Points at any of 64 positions, hashes on them, halfway between, and right beside.
#[test]
fn a_nearest_ring_follows_the_rule_at_every_position() {
    let fleet = list(&[("a", 1), ("b", 1), ("c", 1)]);
    let mut random = Random(0x5eed_0009);
    for round in 0..1000 {
        let points: Vec<(u64, ServerIx)> = (0..1 + random.next() % 12)
            .map(|_| ((random.next() % 64) << 26, ServerIx::new((random.next() % 3) as u32)))
            .collect();
        let mut sorted = points.clone();
        sorted.sort_by_key(|point| point.0);
        let hash = Digits(Width::Bits32);
        let ring = Ring::from_points(hash, &fleet, points, Boundary::Nearest, Tie::First).unwrap();
        let greatest = u64::from(u32::MAX);
        for step in 0..128_u64 {
            for hash in [step << 25, (step << 25) + 1, (step << 25).wrapping_sub(1) & greatest] {
                let expected = sorted[nearest(&sorted, hash, greatest)].1;
                assert_eq!(ring.owner_of_hash(hash), expected, "round {round}, hash {hash}");
            }
        }
        assert_eq!(ring.shares().iter().map(|share| share.part()).sum::<u128>(), 1 << 64, "round {round}");
    }
}

#[test]
fn only_the_low_half_of_a_32_bit_hash_counts() {
    let fleet = list(&[("a", 1), ("b", 1)]);
    let points = Vec::from([(10, ServerIx::new(0)), (20, ServerIx::new(1))]);
    let ring =
        Ring::from_points(Digits(Width::Bits32), &fleet, points, Boundary::AtOrAfter, Tie::First).unwrap();
    assert_eq!(ring.owner_of_hash(0xffff_ffff_0000_000f), ring.owner_of_hash(15));
    assert_eq!(ring.owner_of_hash(15), ServerIx::new(1));
}

#[test]
fn equal_points_belong_to_the_smaller_name() {
    let ring = Ring::builder(LowBits(4)).points_per_weight(40).build(&members(&[("b", 1), ("a", 1)]));
    let ring = ring.unwrap();
    assert!(!ring.collisions().is_empty());
    for collision in ring.collisions() {
        assert_eq!(collision.servers(), [ServerIx::new(0), ServerIx::new(1)]);
        assert_eq!(ring.owner_of_hash(collision.position()), ServerIx::new(0));
    }
    assert!(!ring.depends_on_order());
}

#[test]
fn published_counts_of_the_plain_ring_of_four() {
    let ring = Ring::builder(Md5).points_per_weight(100).label(Label::Joined("-"));
    let ring = ring.build(&members(&[("a", 1), ("b", 1), ("c", 1), ("d", 1)])).unwrap();
    let mut counts = [0; 4];
    for i in 0..1000 {
        let key = if i % 2 == 0 { String::from("video:hot") } else { format!("video:{i}") };
        counts[ring.owner_ix(key).index()] += 1;
    }
    assert_eq!(counts, [135, 108, 621, 136]);
}

#[test]
fn order_of_the_list_does_not_matter() {
    let keys: Vec<String> = (0..10_000).map(|i| format!("k{i}")).collect();
    let mut random = Random(0x5eed_0003);
    let build = |servers| Ring::builder(Xxh3).build(&Members::new(servers).unwrap()).unwrap();
    let first = build(shuffled(8, &mut random));
    for _ in 0..50 {
        let other = build(shuffled(8, &mut random));
        assert_eq!(owners(&first, &keys), owners(&other, &keys));
        assert!(first.points().eq(other.points()));
    }
}

#[test]
fn a_join_moves_keys_only_to_the_newcomer_and_a_leave_only_the_leavers() {
    let keys = user_keys(3000);
    let mut random = Random(0x5eed_0004);
    for round in 0..40 {
        let fleet = Members::new(random_fleet(&mut random)).unwrap();
        let newcomer = Server::new("newcomer").unwrap().with_weight(1 + round % 3).unwrap();
        let hash = LowBits([8, 63][round as usize % 2]);
        let build = |fleet: &Members| Ring::builder(hash).points_per_weight(20).build(fleet).unwrap();
        let (without, with) = (build(&fleet), build(&fleet.with(newcomer).unwrap()));
        let mut moved = 0;
        for key in &keys {
            let (before, after) = (name_of(&without, key), name_of(&with, key));
            if before != after {
                assert_eq!(after, "newcomer", "round {round}, key {key}, from {before}");
                moved += 1;
            }
        }
        assert!(moved > 0, "round {round}");
    }
}

#[test]
fn removing_and_adding_leaves_no_history() {
    let all: Vec<Server> = (1..=20).map(|i| Server::new(format!("n{i}")).unwrap()).collect();
    let fresh = Members::new(all.clone()).unwrap();
    let mut fleet = fresh.clone();
    let mut random = Random(0x5eed_0005);
    for _ in 0..1000 {
        let server = &all[(random.next() % 20) as usize];
        let name = server.name().as_str();
        fleet = match fleet.get(name) {
            Some(_) => fleet.without(name).unwrap_or(fleet),
            None => fleet.with(server.clone()).unwrap(),
        };
    }
    for server in &all {
        if fleet.get(server.name().as_str()).is_none() {
            fleet = fleet.with(server.clone()).unwrap();
        }
    }
    let keys: Vec<String> = (0..10_000).map(|i| format!("k{i}")).collect();
    let build = |fleet: &Members| Ring::builder(Xxh3).build(fleet).unwrap();
    assert!(build(&fleet).points().eq(build(&fresh).points()));
    assert_eq!(owners(&build(&fleet), &keys), owners(&build(&fresh), &keys));
}

#[test]
fn a_changed_weight_moves_keys_only_to_or_from_that_server() {
    let keys = user_keys(20_000);
    let before = ring(&[("a", 3), ("b", 2), ("c", 1)], 160);
    for (weight, grows) in [(4, true), (1, false)] {
        let after = ring(&[("a", 3), ("b", weight), ("c", 1)], 160);
        let mut moved = 0;
        for key in &keys {
            let (from, to) = (name_of(&before, key), name_of(&after, key));
            if from != to {
                assert_eq!(if grows { to } else { from }, "b", "key {key}");
                moved += 1;
            }
        }
        assert!(moved > 1000, "weight {weight} moved {moved}");
    }
}

#[test]
fn a_draining_server_owns_nothing_and_the_others_keep_their_keys() {
    let keys = user_keys(5000);
    let with = members(&[("a.test:11300", 1), ("c.test:11300", 1)]);
    let draining = Server::new("b.test:11300").unwrap().draining();
    let drained = Ring::builder(Xxh3).build(&with.with(draining).unwrap()).unwrap();
    let absent = Ring::builder(Xxh3).build(&with).unwrap();
    assert_eq!(owners(&drained, &keys), owners(&absent, &keys));
    assert_eq!(drained.servers().len(), 3);
    assert_eq!(drained.point_counts(), [160, 0, 160]);
    assert_eq!(drained.shares()[1].part(), 0);
    assert_eq!(drained.pointless().count(), 0);
    assert!(keys.iter().all(|key| drained.owners(key, 9).len() == 2));
}

#[test]
fn replicas_are_distinct_and_the_owner_is_first() {
    let ring = ring(&[("a", 1), ("b", 1), ("c", 1)], 50);
    for key in user_keys(1000) {
        let replicas: Vec<ServerIx> = ring.owners_ix(&key, 3).collect();
        assert_eq!(replicas.iter().collect::<BTreeSet<_>>().len(), 3, "{key}");
        assert_eq!(replicas[0], ring.owner_ix(&key), "{key}");
        assert_eq!(ring.preference(key.as_bytes(), 3), replicas, "{key}");
    }
}

/// More servers than the walk remembers without a bitmap, against a walk over all points.
#[test]
fn the_walk_names_each_server_where_its_first_point_follows() {
    let mut random = Random(0x5eed_0006);
    let fleet = Members::new(shuffled(150, &mut random)).unwrap();
    let ring = Ring::builder(Xxh3).points_per_weight(5).build(&fleet).unwrap();
    let points: Vec<(u64, ServerIx)> = ring.points().collect();
    for key in user_keys(50) {
        let hash = Xxh3.hash(key.as_bytes());
        let start = points.iter().position(|point| point.0 >= hash).unwrap_or(0);
        let mut expected: Vec<ServerIx> = Vec::new();
        for (_, server) in points[start..].iter().chain(&points[..start]) {
            if !expected.contains(server) {
                expected.push(*server);
            }
        }
        assert_eq!(expected.len(), 150);
        for count in [0, 1, 16, 17, 18, 149, 150, 151, usize::MAX] {
            let walk = ring.owners_ix(&key, count);
            assert_eq!(walk.len(), count.min(150));
            assert!(walk.eq(expected.iter().copied().take(count)), "{key}, {count}");
        }
    }
}

#[test]
fn servers_at_one_position_follow_each_other_in_order_of_the_tie() {
    let fleet = list(&[("a", 1), ("b", 1), ("c", 1)]);
    let points = Vec::from([(10, 0), (20, 1), (20, 2), (20, 0)].map(|(p, s)| (p, ServerIx::new(s))));
    let walk = |tie| {
        let hash = Digits(Width::Bits32);
        let ring = Ring::from_points(hash, &fleet, points.clone(), Boundary::AtOrAfter, tie).unwrap();
        ring.owners("15", 3).map(|server| String::from(server.name().as_str())).collect::<String>()
    };
    assert_eq!(walk(Tie::First), "bca");
    assert_eq!(walk(Tie::Unspecified), "bca");
    assert_eq!(walk(Tie::Last), "acb");
}

#[test]
fn shares_are_arc_lengths_and_sum_to_one() {
    let fleet = list(&[("a", 1), ("b", 1), ("c", 1)]);
    let points = Vec::from([(1 << 62, ServerIx::new(1)), (3 << 62, ServerIx::new(0))]);
    let ring = Ring::from_points(Xxh3, &fleet, points, Boundary::AtOrAfter, Tie::First).unwrap();
    let half = Share::new(1 << 63, 1 << 64);
    assert_eq!(ring.shares(), [half, half, Share::new(0, 1 << 64)]);

    let mut random = Random(0x5eed_0007);
    for round in 0..200 {
        let fleet = Members::new(random_fleet(&mut random)).unwrap();
        let hash = LowBits([1, 6, 63][round % 3]);
        let ring = Ring::builder(hash).points_per_weight(1 + round as u32 % 9).build(&fleet).unwrap();
        let shares = ring.shares();
        assert!(shares.iter().all(|share| share.whole() == 1 << 64));
        assert_eq!(shares.iter().map(|share| share.part()).sum::<u128>(), 1 << 64, "round {round}");
    }
}

/// Every position of a circle of 64 hashes is counted; each stands for 2⁵⁸ positions of the whole.
#[test]
fn shares_agree_with_counting_every_position() {
    let fleet = list(&[("a", 1), ("b", 1), ("c", 1)]);
    let mut random = Random(0x5eed_0008);
    for round in 0..200 {
        let points: Vec<(u64, ServerIx)> = (0..1 + random.next() % 9)
            .map(|_| ((random.next() % 64) << 58, ServerIx::new((random.next() % 3) as u32)))
            .collect();
        let ring = Ring::from_points(Xxh3, &fleet, points, Boundary::AtOrAfter, Tie::First).unwrap();
        let mut counted = [0_u128; 3];
        for slot in 0..64_u64 {
            counted[ring.owner_of_hash(slot << 58).index()] += 1 << 58;
        }
        let parts: Vec<u128> = ring.shares().iter().map(|share| share.part()).collect();
        assert_eq!(parts, counted, "round {round}");
    }
}

/// A key hash of 32 bits that fills some of them.
#[derive(Clone, Copy)]
struct Narrow(u32);

impl KeyHash for Narrow {
    fn width(&self) -> Width {
        Width::Bits32
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        Xxh3.hash(bytes) & ((1 << self.0) - 1)
    }
    fn bits(&self) -> u32 {
        self.0
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("narrow")
    }
}

#[test]
fn shares_and_moves_of_a_narrow_key_hash_agree_with_counting_every_hash() {
    let fleet = list(&[("a", 1), ("b", 1), ("c", 1)]);
    let mut random = Random(0x5eed_0011);
    for round in 0..300 {
        let bits = 1 + round % 6;
        // Points where hashes are, and points that no hash reaches.
        let mut ring = |boundary| {
            let points: Vec<(u64, ServerIx)> = (0..1 + random.next() % 9)
                .map(|_| (random.next() % (2 << bits), ServerIx::new((random.next() % 3) as u32)))
                .collect();
            Ring::from_points(Narrow(bits), &fleet, points, boundary, Tie::First).unwrap()
        };
        let boundary = [Boundary::AtOrAfter, Boundary::After, Boundary::Nearest][round as usize / 6 % 3];
        let (before, after) = (ring(boundary), ring(boundary));
        let mut counted = [0_u128; 3];
        let mut moved = 0_u128;
        for hash in 0..1 << bits {
            counted[before.owner_of_hash(hash).index()] += 1;
            moved += u128::from(before.owner_of_hash(hash) != after.owner_of_hash(hash));
        }
        assert_eq!(before.shares(), counted.map(|count| Share::new(count, 1 << bits)), "round {round}");
        let arcs = before.diff(&after).unwrap();
        assert_eq!(arcs.moved(), Share::new(moved, 1 << bits), "round {round}");
        assert!(arcs.flows().iter().all(|flow| flow.moved > Share::ZERO), "round {round}");
    }
}

#[test]
fn the_owners_of_arcs_are_those_of_all_hashes_there_are() {
    let fleet = list(&[("a", 1), ("b", 1), ("c", 1), ("d", 1)]);
    let mut random = Random(0x5eed_0012);
    for round in 0..300 {
        let bits = 1 + round % 6;
        let boundary = [Boundary::AtOrAfter, Boundary::After, Boundary::Nearest][round as usize / 6 % 3];
        let points: Vec<(u64, ServerIx)> = (0..1 + random.next() % 9)
            .map(|_| (random.next() % (2 << bits), ServerIx::new((random.next() % 4) as u32)))
            .collect();
        let ring = Ring::from_points(Narrow(bits), &fleet, points, boundary, Tie::First).unwrap();
        for count in 0..=4 {
            let mut of_hashes: Vec<Vec<ServerIx>> = (0..1 << bits)
                .map(|hash| {
                    ring.around(hash).fold(Vec::new(), |mut seen, ix| {
                        if seen.len() < count && !seen.contains(&ix) {
                            seen.push(ix);
                        }
                        seen
                    })
                })
                .collect();
            let mut of_arcs: Vec<Vec<ServerIx>> = ring.owners_of_arcs(count).map(Iterator::collect).collect();
            assert!(of_arcs.len() <= 1 << bits, "round {round}");
            for list in [&mut of_hashes, &mut of_arcs] {
                list.sort();
                list.dedup();
            }
            assert_eq!(of_arcs, of_hashes, "round {round}");
        }
    }
}

#[test]
fn one_point_owns_the_whole_circle() {
    for (position, boundary) in [(0, Boundary::AtOrAfter), (0, Boundary::After), (u64::MAX, Boundary::After)]
    {
        let points = Vec::from([(position, ServerIx::new(0))]);
        let ring = Ring::from_points(Xxh3, &list(&[("a", 1)]), points, boundary, Tie::First).unwrap();
        for hash in [0, 1, u64::MAX] {
            assert_eq!(ring.owner_of_hash(hash), ServerIx::new(0));
            assert_eq!(ring.position_of_hash(hash), position);
        }
        assert_eq!(ring.shares()[0], Share::new(1 << 64, 1 << 64));
    }
}

#[test]
fn too_many_points_are_refused_before_any_is_made() {
    let fleet = members(&[("a", 1), ("huge", u32::MAX)]);
    let error = Ring::builder(Xxh3).points_per_weight(u32::MAX).build(&fleet).unwrap_err();
    assert!(error.is_too_large());
    assert_eq!(error.server(), Some("a"));
    let error = Ring::builder(Xxh3).build(&fleet).unwrap_err();
    assert_eq!(
        format!("{error}"),
        "server \"huge\": its weight brings the fleet to 687194767360 points, and the limit is 16777216"
    );
    let error = Ring::builder(Xxh3).points_per_weight(0).build(&fleet).unwrap_err();
    assert!(error.is_parameter());
}

#[test]
fn wrong_points_are_refused_by_name_and_value() {
    let draining = Server::new("d").unwrap().draining();
    let fleet = Buckets::new([Server::new("a").unwrap(), draining]).unwrap();
    let refuse = |points: &[(u64, u32)]| {
        let points = points.iter().map(|&(p, s)| (p, ServerIx::new(s))).collect();
        let hash = Digits(Width::Bits32);
        let error = Ring::from_points(hash, &fleet, points, Boundary::AtOrAfter, Tie::First).unwrap_err();
        assert!(error.is_parameter());
        format!("{error}")
    };
    assert_eq!(refuse(&[]), "number of points 0 is too small: a ring needs at least one");
    assert_eq!(
        refuse(&[(1, 0), (1 << 32, 0)]),
        "server \"a\": point at 4294967296 is outside the 32 bits of the key hash"
    );
    assert_eq!(
        refuse(&[(1, 0), (7, 1)]),
        "server \"d\": point at 7 is of a draining server, which owns nothing"
    );
    assert_eq!(refuse(&[(1, 0), (7, 2)]), "point of server number 2 belongs to nobody: the fleet is shorter");
}

#[test]
fn servers_without_points_are_named() {
    let fleet = list(&[("a", 1), ("b", 1), ("c", 1)]);
    let points = Vec::from([(1, ServerIx::new(1))]);
    let ring = Ring::from_points(Xxh3, &fleet, points, Boundary::AtOrAfter, Tie::First).unwrap();
    let names: Vec<&str> = ring.pointless().map(|server| server.name().as_str()).collect();
    assert_eq!(names, ["a", "c"]);
    assert_eq!(ring.owners("k", 3).len(), 1);
}

#[test]
fn clones_share_their_points() {
    let ring = ring(&[("a", 1)], 160);
    let clone = ring.clone();
    assert!(Arc::ptr_eq(&ring.inner, &clone.inner));
}
