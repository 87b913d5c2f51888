//! Every lookup, held to the one-line rule: on each point, right before and right after it, over points that
//! lie evenly, crowd, or differ in their lowest bits only.

use std::format;
use std::vec::Vec;

use super::*;
use crate::arch::Level;
use crate::testing::{Digits, Random};

/// A fleet of so many servers.
fn fleet(servers: u32) -> Buckets {
    Buckets::new((0..servers).map(|i| Server::new(format!("s{i}")).unwrap())).unwrap()
}

/// Writes the owners of many hashes, in each way there is to look them up.
type Way<'a> = &'a mut dyn FnMut(&[u64], &mut [ServerIx]);

/// Each way to look many hashes up: as rings of this size do, and as large ones do, at every level.
fn each_way<H: KeyHash>(ring: &mut Ring<H>, mut check: impl FnMut(&str, Way<'_>)) {
    check("as it is", &mut |hashes, owners| ring.owners_of_hashes(hashes, owners));
    for level in Level::all() {
        let circle = &mut Arc::get_mut(&mut ring.inner).unwrap().circle;
        check(level.name(), &mut |hashes, owners| circle.owners_asked_for(level, hashes, owners));
    }
}

/// The owners of many hashes at once, which are the same in every way.
fn together<H: KeyHash>(ring: &mut Ring<H>, hashes: &[u64], context: &str) -> Vec<ServerIx> {
    let mut first = Vec::new();
    each_way(ring, |way, owners_of| {
        let mut owners = std::vec![ServerIx::new(7); hashes.len()];
        owners_of(hashes, &mut owners);
        if first.is_empty() {
            first = owners;
        } else {
            assert!(owners == first, "{context}, {way}");
        }
    });
    first
}

/// How points lie.
const SHAPES: [&str; 5] = ["evenly", "crowded", "upper bits alike", "at the ends", "one"];

/// Positions of a shape, over a circle that ends at `greatest`.
fn positions(shape: &str, greatest: u64, random: &mut Random) -> Vec<u64> {
    let base = random.next() & greatest;
    let near = |spread: u64, random: &mut Random| base.wrapping_add(random.next() % spread) & greatest;
    let count = 1 + random.next() % 300;
    let one = |random: &mut Random| match shape {
        "evenly" | "one" => random.next() & greatest,
        // In a bucket or two, whatever the width.
        "crowded" => near(1 << 20, random),
        // Of 16 and of 32 bits; the higher ones take few values.
        "upper bits alike" => {
            let bits = [8, 16, 32][random.next() as usize % 3];
            (base & !0x3_0000_0000 | ((random.next() % 4) << bits) | (random.next() % 4)) & greatest
        }
        _ => [random.next() % 3, greatest - random.next() % 3][random.next() as usize % 2],
    };
    (0..if shape == "one" { 1 } else { count }).map(|_| one(random)).collect()
}

/// Where in `sorted` the point stands that a hash belongs to.
fn rule(sorted: &[(u64, ServerIx)], hash: u64, boundary: Boundary, greatest: u64) -> usize {
    let first = |is: &dyn Fn(u64) -> bool| sorted.iter().position(|point| is(point.0)).unwrap_or(0);
    let next = first(&|point| point >= hash);
    match boundary {
        Boundary::AtOrAfter => next,
        Boundary::After => first(&|point| point > hash),
        Boundary::Nearest => {
            let before = next.checked_sub(1).unwrap_or(sorted.len() - 1);
            let way = |from: u64, to: u64| to.wrapping_sub(from) & greatest;
            let back = way(sorted[before].0, hash) <= way(hash, sorted[next].0);
            if sorted[next].0 != hash && back { before } else { next }
        }
    }
}

#[test]
fn every_lookup_follows_the_rule_on_before_and_after_every_point() {
    let mut random = Random(0x5eed_0020);
    // The largest fleet whose servers fit beside 48 bits of a position, and the smallest that does not.
    for servers in [3, 65_535, 65_536, 65_537] {
        let fleet = fleet(servers);
        for round in 0..60 {
            let (shape, boundary) =
                (SHAPES[round % 5], [Boundary::AtOrAfter, Boundary::After, Boundary::Nearest][round / 5 % 3]);
            let (width, greatest) =
                [(Width::Bits64, u64::MAX), (Width::Bits32, u32::MAX.into())][round / 15 % 2];
            let context =
                format!("{servers} servers, round {round}, points {shape}, {boundary:?}, {width:?}");
            let owner = |random: &mut Random| {
                ServerIx::new([0, servers / 2, servers - 1][random.next() as usize % 3])
            };
            let points: Vec<(u64, ServerIx)> = positions(shape, greatest, &mut random)
                .into_iter()
                .map(|position| (position, owner(&mut random)))
                .collect();
            let mut sorted = points.clone();
            sorted.sort_by_key(|point| point.0);

            let mut ring = Ring::from_points(Digits(width), &fleet, points, boundary, Tie::First).unwrap();
            let beside = |&(position, _): &(u64, ServerIx)| {
                [position.wrapping_sub(1) & greatest, position, position.wrapping_add(1) & greatest]
            };
            let mut hashes: Vec<u64> = sorted.iter().flat_map(beside).collect();
            hashes.extend((0..50).map(|_| random.next() & greatest));
            let together = together(&mut ring, &hashes, &context);
            assert!(ring.points().eq(sorted.iter().copied()), "{context}");
            for (&hash, &batched) in hashes.iter().zip(&together) {
                let at = rule(&sorted, hash, boundary, greatest);
                let (position, owner) = sorted[at];
                assert_eq!(ring.owner_of_hash(hash), owner, "{context}, hash {hash}");
                assert_eq!(batched, owner, "{context}, hash {hash}");
                assert_eq!(ring.point_of_hash(hash), at, "{context}, hash {hash}");
                assert_eq!(ring.position_of_hash(hash), position, "{context}, hash {hash}");
                assert_eq!(ring.around(hash).next(), Some(owner), "{context}, hash {hash}");
            }
        }
    }
}

/// Buckets that a line has room for, just so, and not; fragments that are equal, and that are those of a place
/// without a point.
#[test]
fn lines_with_too_many_points_and_with_none_follow_the_rule() {
    let mut random = Random(0x5eed_0023);
    for servers in [3, 65_535, 65_536, 65_537] {
        let fleet = fleet(servers);
        for count in 1..=70_u64 {
            let (width, bits) = [(Width::Bits64, 64), (Width::Bits32, 32)][count as usize % 2];
            let greatest = u64::MAX >> (64 - bits);
            // Evenly; in the first or the last half, third, …, so that lines behind or before have no point;
            // and in pairs with one fragment.
            let part = 1 + random.next() % 4;
            let base = [0, greatest - greatest / part][random.next() as usize % 2];
            let point = |at: u64| {
                let at = if count % 3 == 0 { at / 2 } else { at };
                let even = (u128::from(greatest / part) * u128::from(at) / u128::from(count)) as u64;
                (base + even + u64::from(count % 3 == 0) * (at & 1)) & greatest
            };
            let owner = |at: u64| ServerIx::new([0, servers - 1, at as u32 % servers][at as usize % 3]);
            let points: Vec<(u64, ServerIx)> = (0..count).map(|at| (point(at), owner(at))).collect();
            let ring =
                Ring::from_points(Digits(width), &fleet, points.clone(), Boundary::AtOrAfter, Tie::First);
            let mut ring = ring.unwrap();
            let beside =
                |&(position, _): &(u64, ServerIx)| (0..5).map(move |near| (position + near).wrapping_sub(2));
            let mut hashes: Vec<u64> = points.iter().flat_map(beside).map(|hash| hash & greatest).collect();
            hashes.extend((0..100).map(|_| random.next() & greatest));
            hashes.extend([0, greatest]);
            let together = together(&mut ring, &hashes, &format!("{servers} servers, {count} points"));
            let mut sorted = points;
            sorted.sort_by_key(|point| point.0);
            for (&hash, &batched) in hashes.iter().zip(&together) {
                let at = rule(&sorted, hash, Boundary::AtOrAfter, greatest);
                let context = format!("{servers} servers, {count} points, {width:?}, hash {hash}");
                assert_eq!((ring.owner_of_hash(hash), batched), (sorted[at].1, sorted[at].1), "{context}");
                assert_eq!(ring.point_of_hash(hash), at, "{context}");
            }
        }
    }
}

#[test]
fn a_batch_of_any_length_keeps_the_tail_of_a_longer_answer() {
    let mut random = Random(0x5eed_0021);
    // The last is of the form that large fleets have.
    for servers in [5, 65_536, 65_537] {
        let points = (0..800).map(|i| (random.next(), ServerIx::new(i % servers))).collect();
        let mut ring =
            Ring::from_points(Xxh3, &fleet(servers), points, Boundary::AtOrAfter, Tie::First).unwrap();
        let hashes: Vec<u64> = (0..140).map(|_| random.next()).collect();
        let single: Vec<ServerIx> = hashes.iter().map(|&hash| ring.owner_of_hash(hash)).collect();
        each_way(&mut ring, |way, owners_of| {
            for len in 0..=hashes.len() {
                let context = format!("{servers} servers, {len} keys, {way}");
                let mut owners = std::vec![ServerIx::new(99); len + 3];
                owners_of(&hashes[..len], &mut owners);
                assert_eq!(owners[..len], single[..len], "{context}");
                assert_eq!(owners[len..], [ServerIx::new(99); 3], "{context}");
                let mut short = std::vec![ServerIx::new(99); len / 2];
                owners_of(&hashes[..len], &mut short);
                assert_eq!(short, single[..len / 2], "{context}");
            }
        });
    }
}
