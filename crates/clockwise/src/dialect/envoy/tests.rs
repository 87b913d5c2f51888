//! Envoy's turn rule against its own loop, localities, and what it refuses.

use alloc::vec::Vec;

use super::*;
use crate::placement::Placement as _;
use crate::testing::{Random, list, user_keys};

fn maglev() -> Options {
    Options { lb_policy: Policy::Maglev, ..Options::default() }
}

/// Envoy's loop: rounds over all entries, in double.
fn by_rounds(weights: &[f64], turns: usize) -> Vec<u32> {
    let largest = weights.iter().copied().fold(0.0, f64::max);
    let mut targets = alloc::vec![0.0; weights.len()];
    let mut taken = Vec::new();
    for round in 1_u64.. {
        for (at, weight) in weights.iter().enumerate() {
            if (round as f64) * weight < targets[at] {
                continue;
            }
            targets[at] += largest;
            taken.push(at as u32);
            if taken.len() == turns {
                return taken;
            }
        }
    }
    unreachable!()
}

#[test]
fn turns_are_those_of_rounds_in_double() {
    let mut random = Random(0x5eed_0130);
    for case in 0..300 {
        let count = 1 + random.below(20) as usize;
        let most = [1, 3, 100, 10_000][case % 4];
        let whole: Vec<u64> = (0..count).map(|_| 1 + random.below(most)).collect();
        let sum: u64 = whole.iter().sum();
        let hosts: Vec<Host> = whole
            .iter()
            .map(|&weight| Host {
                ix: ServerIx::new(0),
                key: String::new(),
                weight: weight as f64 / sum as f64,
            })
            .collect();
        let weights: Vec<f64> = hosts.iter().map(|host| host.weight).collect();
        let hosts: Vec<&Host> = hosts.iter().collect();
        let ours: Vec<u32> = turns(&hosts).take(700).collect();
        assert_eq!(ours, by_rounds(&weights, 700), "case {case}: {whole:?}");
    }
}

#[test]
fn a_round_far_beyond_the_table_does_not_stall() {
    let tiny = 1.0 / f64::from(u32::MAX);
    assert!(first_round(tiny * tiny, 1.0) > 1 << 40);
    assert_eq!(first_round(0.5, 0.5), 1);
    assert_eq!(first_round(0.25, 0.5), 2);
    // 3 × 0.1 is above 0.3 in doubles, and 0.1 + 0.1 + 0.1 as well.
    assert_eq!(first_round(0.1, 0.1 + 0.1 + 0.1), 3);
}

#[test]
fn order_of_the_list_is_no_matter_unless_the_maximum_bites() {
    let (one, other) =
        (list(&[("a:1", 1), ("b:1", 2), ("c:1", 3)]), list(&[("c:1", 3), ("a:1", 1), ("b:1", 2)]));
    for options in [Options::default(), maglev()] {
        let (place, turned) = (options.build(&one).unwrap(), options.build(&other).unwrap());
        assert!(!place.depends_on_order());
        for key in user_keys(500) {
            assert_eq!(place.owner(&key), turned.owner(&key), "{options}, {key}");
        }
    }
    let capped = Options { minimum_ring_size: 7, maximum_ring_size: 7, ..Options::default() };
    assert!(capped.build(&one).unwrap().depends_on_order());
}

#[test]
fn a_locality_keeps_its_part_and_one_without_a_weight_gets_nothing() {
    let at = |name: &str, zone: &str| Server::new(name).unwrap().with_zone(zone).unwrap();
    let fleet =
        Buckets::new([at("a:1", "r/x"), at("b:1", "r/x"), at("c:1", "r/y"), at("d:1", "r/z")]).unwrap();
    let weights = [("r/x", 1), ("r/y", 3), ("r/z", 0)];
    let weights = weights.map(|(zone, weight)| (Zone::new(zone).unwrap(), weight)).into();
    let options = Options { locality_weights: Some(weights), ..maglev() };
    let slots = |fleet: &Buckets| {
        let shares = options.build(fleet).unwrap().measured().unwrap().shares();
        shares.iter().map(|share| share.part()).collect::<Vec<_>>()
    };
    let near = |fleet: &Buckets, parts: [u128; 4]| {
        let slots = slots(fleet);
        assert!(slots.iter().zip(parts).all(|(&slots, part)| slots.abs_diff(part) <= 2), "{slots:?}");
        assert_eq!(slots[3], 0);
    };
    // A fourth for x, of 65,537 slots.
    near(&fleet, [8192, 8192, 49_153, 0]);
    near(&fleet.replaced(0, fleet.servers()[0].clone().draining()).unwrap(), [0, 16_384, 49_153, 0]);

    let only = Buckets::new([at("d:1", "r/z")]).unwrap();
    let error = options.build(&only).unwrap_err();
    assert!(error.is_parameter());
    assert!(error.to_string().contains("no locality has both a weight and a host"), "{error}");
}

#[test]
fn localities_stand_by_region_then_zone_and_not_by_their_text() {
    // `-` sorts before `/`, but "a" before "a-b".
    let at = |name: &str, zone: &str| Server::new(name).unwrap().with_zone(zone).unwrap();
    let fleet = Buckets::new([at("two:1", "a-b/z"), at("one:1", "a/z")]).unwrap();
    let weights = ["a-b/z", "a/z"].map(|zone| (Zone::new(zone).unwrap(), 1)).into();
    let options = Options { locality_weights: Some(weights), ..Options::default() };
    let order: Vec<usize> = options.hosts(&fleet).unwrap().iter().map(|host| host.ix.index()).collect();
    assert_eq!(order, [1, 0]);
}

#[test]
fn keys_of_hosts_are_the_metadata_the_name_or_the_address() {
    let fleet = Buckets::new([Server::new("n").unwrap().with_address("[::1]:80").unwrap()]).unwrap();
    let server = &fleet.servers()[0];
    let mut options = Options::default();
    assert_eq!(options.host_key(server), "[::1]:80");
    options.use_hostname_for_hashing = true;
    assert_eq!(options.host_key(server), "n");
    options.hash_keys.insert(server.name().clone(), String::new());
    assert_eq!(options.host_key(server), "n");
    options.hash_keys.insert(server.name().clone(), String::from("k"));
    assert_eq!(options.host_key(server), "k");
}

#[test]
fn sizes_outside_envoys_are_refused() {
    let fleet = list(&[("a:1", 1), ("b:1", 1)]);
    let ring = |minimum_ring_size, maximum_ring_size| Options {
        minimum_ring_size,
        maximum_ring_size,
        ..Options::default()
    };
    for (options, message) in [
        (ring(0, 0), "maximum_ring_size 0 is too small"),
        (ring(0, 9), "minimum_ring_size 0 is too small"),
        (ring(1, MAX_RING_SIZE + 1), "maximum_ring_size 8388609 is too large"),
        (ring(11, 10), "minimum_ring_size 11 is above"),
        (Options { table_size: 65_536, ..maglev() }, "table size 65536 is not a prime"),
        (Options { table_size: 5_000_077, ..maglev() }, "table size 5000077 is too large"),
    ] {
        let error = options.build(&fleet).unwrap_err();
        assert!(error.is_parameter() && error.to_string().starts_with(message), "{error}");
    }
    let error = Options { hash_balance_factor: 99, ..maglev() }.build_bounded(&fleet).unwrap_err();
    assert!(error.is_parameter());
    let error = "RANDOM".parse::<Policy>().unwrap_err();
    assert!(error.to_string().contains("places nothing"), "{error}");
}

#[test]
fn attempts_of_a_ring_go_point_by_point_and_of_a_table_by_other_hashes() {
    let fleet = list(&[("a:1", 1), ("b:1", 1), ("c:1", 1)]);
    let (ring, table) = (Options::default().build(&fleet).unwrap(), maglev().build(&fleet).unwrap());
    let points: Vec<(u64, ServerIx)> = ring.as_ring().unwrap().points().collect();
    let slots = table.as_maglev().unwrap().table();
    let mut random = Random(0x5eed_0131);
    for _ in 0..200 {
        let hash = random.next();
        let start = points.iter().position(|point| point.0 >= hash).unwrap_or(0);
        for step in [0, 1, 2, 7, 2_000] {
            let expected = points[(start + step) % points.len()].1;
            assert_eq!(attempt(&ring, hash, step as u64), expected);
        }
        assert_eq!(attempt(&table, hash, 0), slots.owner_of_hash(hash));
        assert_eq!(attempt(&table, hash, 2), slots.owner_of_hash(hash ^ (u64::MAX - 2 + 1)));
    }
}
