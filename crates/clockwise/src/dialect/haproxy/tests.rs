//! Ids, settings and refusals of HAProxy's dialect, and its bounded loads against its own formula.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::*;
use crate::placement::ServerIx;
use crate::testing::{Random, list, user_keys};

fn consistent() -> Options {
    Options { hash_type: HashType::new(Method::Consistent), ..Options::default() }
}

fn ids(given: &[(&str, u32)]) -> BTreeMap<ServerName, u32> {
    given.iter().map(|&(name, id)| (ServerName::new(name).unwrap(), id)).collect()
}

#[test]
fn naming_the_function_switches_the_avalanche_off() {
    for (text, function, avalanche) in [
        ("map-based", Function::Sdbm, false),
        ("consistent", Function::Sdbm, true),
        ("consistent sdbm", Function::Sdbm, false),
        ("map-based wt6 avalanche", Function::Wt6, true),
        ("consistent none", Function::None, false),
    ] {
        let hash_type: HashType = text.parse().unwrap();
        assert_eq!((hash_type.function(), hash_type.avalanche()), (function, avalanche), "{text}");
        assert_eq!(format!("{hash_type}"), text);
    }
    assert_eq!(HashType::default(), "map-based".parse().unwrap());
    for (wrong, message) in [
        ("avalanche", "hash-type method avalanche is no method any more"),
        ("", "there is no hash-type method \"\""),
        ("consistent md5", "there is no hash \"md5\"; known: sdbm, djb2, wt6, crc32, none"),
        ("consistent sdbm yes", "has something other than `avalanche`"),
        ("consistent sdbm avalanche x", "has something other than `avalanche`"),
    ] {
        let error = wrong.parse::<HashType>().unwrap_err();
        assert!(error.is_parameter() && format!("{error}").contains(message), "{wrong}: {error}");
    }
}

#[test]
fn the_function_none_reads_a_decimal_number() {
    for (key, hash) in [
        ("", 0),
        ("12ab", 12),
        ("+7", 7),
        ("-1", u64::from(u32::MAX)),
        ("x", 0),
        ("4294967297", 1),
        ("99999999999999999999999", u64::from(u32::MAX)),
        ("-99999999999999999999999", 0),
    ] {
        assert_eq!(Decimal.hash(key.as_bytes()), hash, "{key}");
    }
}

#[test]
fn ids_are_given_or_the_lowest_free_number_from_the_counter_on() {
    let fleet = list(&[("a", 1), ("b", 1), ("c", 1), ("d", 1), ("e", 1)]);
    for (given, expected) in [
        (ids(&[]), [1, 2, 3, 4, 5]),
        // The counter goes on with a given id as well, and from a free one that was found.
        (ids(&[("a", 101)]), [101, 2, 3, 4, 5]),
        (ids(&[("c", 2), ("e", 3)]), [1, 4, 2, 6, 3]),
        (ids(&[("a", 3), ("b", 4)]), [3, 4, 5, 6, 7]),
    ] {
        let options = Options { ids: given, ..consistent() };
        assert_eq!(options.assigned_ids(&fleet).unwrap(), expected);
        assert!(options.build(&fleet).unwrap().depends_on_order());
    }
    let all = Options { ids: ids(&[("a", 5), ("b", 6), ("c", 7), ("d", 8), ("e", 9)]), ..consistent() };
    assert!(!all.build(&fleet).unwrap().depends_on_order());
    for (wrong, name) in
        [(ids(&[("b", 0)]), "b"), (ids(&[("b", 7), ("d", 7)]), "d"), (ids(&[("a", 1 << 31)]), "a")]
    {
        let error = Options { ids: wrong, ..consistent() }.build(&fleet).unwrap_err();
        assert!(error.is_parameter());
        assert_eq!(error.server(), Some(name), "{error}");
    }
}

#[test]
fn what_a_hash_key_asks_for_must_be_there() {
    let fleet = list(&[("10.0.0.1:80", 1), ("cache.test:80", 1)]);
    for (hash_key, message) in [
        (HashKey::Addr, "server \"cache.test:80\": hash-key addr needs an IP address"),
        (HashKey::AddrPort, "server \"cache.test:80\": hash-key addr-port needs an IP address"),
        (HashKey::Guid, "server \"10.0.0.1:80\": hash-key guid needs a guid"),
    ] {
        let error = Options { hash_key, ..consistent() }.build(&fleet).unwrap_err();
        assert!(error.is_parameter() && format!("{error}").starts_with(message), "{error}");
    }
    let error = Options { hash_key: HashKey::AddrPort, ..consistent() }.build(&list(&[("10.0.0.1", 1)]));
    assert!(format!("{}", error.unwrap_err()).ends_with("needs a port"));
    // A Unix socket has its id.
    let socket = list(&[("/run/a.sock", 1)]);
    let by_addr = Options { hash_key: HashKey::Addr, ..consistent() }.build(&socket).unwrap();
    let by_id = consistent().build(&socket).unwrap();
    assert!(by_addr.as_ring().unwrap().points().eq(by_id.as_ring().unwrap().points()));
}

#[test]
fn a_weight_above_256_is_refused_and_a_draining_server_takes_no_part() {
    for options in [Options::default(), consistent()] {
        let error = options.build(&list(&[("a", 1), ("b", 257)])).unwrap_err();
        assert!(error.is_weight());
        assert_eq!(error.server(), Some("b"));
        let fleet = list(&[("a", 2), ("b", 1), ("c", 3)]);
        let drained = fleet.replaced(1, fleet.servers()[1].clone().draining()).unwrap();
        let place = options.build(&drained).unwrap();
        for key in user_keys(500) {
            assert_ne!(place.owner_ix(&key).index(), 1, "{options}, {key}");
        }
    }
}

#[test]
fn a_factor_needs_a_ring_and_more_than_100_per_cent() {
    let fleet = list(&[("a", 1), ("b", 1)]);
    let with =
        |hash_type, hash_balance_factor| Options { hash_type, hash_balance_factor, ..Options::default() };
    let (ring, map) = (HashType::new(Method::Consistent), HashType::default());
    for (hash_type, factor, message) in
        [(ring, 0, "0 is too small"), (ring, 100, "100 is too small"), (map, 150, "150 needs a ring")]
    {
        let error = with(hash_type, factor).build_bounded(&fleet).unwrap_err();
        assert!(error.is_parameter() && format!("{error}").contains(message), "{error}");
    }
    assert!(with(ring, 101).build_bounded(&fleet).is_ok());
}

/// The rule in HAProxy's own terms over points in order, and what its slots promise.
#[test]
fn requests_go_to_the_first_server_clockwise_that_is_not_full() {
    let mut random = Random(0x5eed_0120);
    for round in 0..60 {
        let count = 1 + random.below(7) as usize;
        let names: Vec<String> = (0..count).map(|i| format!("s{i}")).collect();
        let weights: Vec<u32> = (0..count).map(|_| 1 + random.below(9) as u32).collect();
        let fleet: Vec<(&str, u32)> =
            names.iter().zip(&weights).map(|(name, &weight)| (name.as_str(), weight)).collect();
        let factor = 101 + random.below(200) as u16;
        let options = Options { hash_balance_factor: factor, ..consistent() };
        let bounded = options.build_bounded(&list(&fleet)).unwrap();
        let points: Vec<(u64, ServerIx)> = bounded.ring().points().collect();
        let total: u64 = weights.iter().map(|&weight| u64::from(weight) * 16).sum();
        let mut served = alloc::vec![0_u64; count];
        for step in 0..150 {
            let in_flight: u64 = served.iter().sum();
            let slots: Vec<u64> =
                (0..count).map(|at| bounded.slots(ServerIx::from_usize(at), in_flight)).collect();
            let all = ((in_flight + 1) * u64::from(factor)).div_ceil(100);
            let mut before = 0;
            for (at, &weight) in weights.iter().enumerate() {
                let weight = u64::from(weight) * 16;
                let (each, rest) = (all / total, all % total);
                let extra = (before + weight) * rest / total - before * rest / total;
                assert_eq!(slots[at], (weight * each + extra).max(1), "round {round}, step {step}");
                before += weight;
            }
            let key = format!("key-{}", random.below(12));
            let hash = bounded.ring().hash().hash(key.as_bytes());
            let start = bounded.ring().point_of_hash(hash);
            let walk = points[start..].iter().chain(&points[..start]);
            let expected =
                walk.map(|point| point.1).find(|ix| served[ix.index()] < slots[ix.index()]).unwrap();
            assert_eq!(bounded.choose(&key, &served, in_flight), expected, "round {round}, step {step}");
            served[expected.index()] += 1;
            if random.below(3) == 0 {
                let at = random.below(count as u64) as usize;
                served[at] = served[at].saturating_sub(1);
            }
        }
        // All full: the server of the last point.
        let full = alloc::vec![u64::MAX; count];
        assert_eq!(bounded.choose("any", &full, 0), points[points.len() - 1].1);
        assert_eq!(bounded.choose("any", &[], u64::MAX), bounded.ring().owner_ix("any"));
    }
}
