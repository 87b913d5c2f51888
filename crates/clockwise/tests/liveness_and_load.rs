//! What a server that is down changes, where replicas lie, and what load does to placement.
#![allow(clippy::unwrap_used)] // a failure here is the message

use std::collections::BTreeSet;

use clockwise::hash::{Md5, Xxh3};
use clockwise::ring::Label;
use clockwise::{
    Admission, Bounded, Buckets, Cap, Down, Epoch, Members, Placement, Replicas, Ring, Route, Scheme, Server,
    ServerIx, Spread, View, admit, fill, fill_arriving, route_ix,
};

fn members(weights: &[(&str, u32)]) -> Members {
    let server = |&(name, weight): &(&str, u32)| Server::new(name)?.with_weight(weight);
    Members::new(weights.iter().map(|pair| server(pair).unwrap())).unwrap()
}

fn numbered(count: usize) -> Members {
    Members::new((0..count).map(|i| Server::new(format!("cache-{i}")).unwrap())).unwrap()
}

fn ring(members: &Members) -> Ring<Xxh3> {
    Ring::builder(Xxh3).points_per_weight(160).build(members).unwrap()
}

/// Four servers with 100 points each, `a-0` to `d-99`, by MD5.
fn sample_ring() -> Ring<Md5> {
    let members = members(&[("a", 1), ("b", 1), ("c", 1), ("d", 1)]);
    Ring::builder(Md5).points_per_weight(100).label(Label::Joined("-")).build(&members).unwrap()
}

/// A thousand requests, every second of them for one hot video.
fn sample_requests() -> Vec<String> {
    (0..1_000).map(|i| if i % 2 == 0 { "video:hot".into() } else { format!("video:{i}") }).collect()
}

#[test]
fn while_a_server_is_down_only_its_keys_are_answered_elsewhere_and_none_moves() {
    let (weighted, equal) =
        (members(&[("a", 1), ("b", 2), ("c", 5)]), members(&[("a", 1), ("b", 1), ("c", 1)]));
    let keys: Vec<String> = (0..20_000).map(|i| format!("user:{i}")).collect();
    let mut with_substitutes = 0;
    for scheme in Scheme::compared() {
        let fleet = Buckets::from(if scheme.keeps_history() { &equal } else { &weighted });
        let view = View::new(Epoch::new(7), scheme.build(&fleet).unwrap());
        let placement = view.placement();
        let answers = |down: &Down| keys.iter().map(|key| route_ix(placement, key, down)).collect::<Vec<_>>();
        let b = fleet.index_of("b").unwrap();

        let mut down = Down::none(placement);
        let before = answers(&down);
        assert!(before.iter().all(|route| matches!(route, Route::Owner(_))), "{scheme}");
        assert_eq!((down.mark_name(placement, "b"), down.version()), (Ok(true), 1));
        with_substitutes += usize::from(placement.ranked().is_some());
        let mut elsewhere = 0;
        for ((key, before), now) in keys.iter().zip(&before).zip(answers(&down)) {
            if before.owner() != b {
                assert_eq!(now, *before, "{scheme}");
                continue;
            }
            elsewhere += 1;
            let next = placement.ranked().map(|ranked| ranked.preference(key.as_bytes(), 2)[1]);
            let expected = match next {
                Some(server) => Route::Substitute { owner: b, server },
                None => Route::NoSubstitute { owner: b },
            };
            assert_eq!(now, expected, "{scheme}");
        }
        // Two eighths of the weight; a ring of one point for each unit of it is far off.
        assert!((100..15_000).contains(&elsewhere), "{scheme}: {elsewhere}");

        assert_eq!((down.unmark_name(placement, "b"), down.version()), (Ok(true), 2));
        assert_eq!(answers(&down), before, "{scheme}");
        // To every other client it is the view of before: health has changed, the epoch has not.
        let elsewhere = View::new(Epoch::new(7), scheme.build(&fleet).unwrap());
        assert_eq!(admit(&elsewhere, &view), Ok(Admission::Unchanged), "{scheme}");
    }
    // Three rings and rendezvous, at least.
    assert!(with_substitutes >= 4);
}

#[test]
fn replicas_are_distinct_and_the_first_is_the_owner() {
    let ring = Ring::builder(Xxh3).points_per_weight(50).build(&numbered(3)).unwrap();
    let replicas = Replicas::new(&ring, 3, Spread::Servers).unwrap();
    for i in 0..1_000 {
        let key = format!("key:{i}");
        let held = replicas.of(&key);
        assert_eq!(held.iter().collect::<BTreeSet<_>>().len(), 3);
        assert_eq!(held[0], ring.owner_ix(&key));
    }
    assert!(Replicas::new(&ring, 4, Spread::Servers).unwrap_err().is_too_few());
}

#[test]
fn replicas_over_fewer_zones_than_wanted_are_spread_as_evenly_as_can_be() {
    let server = |(name, zone)| Server::new(name)?.with_zone(zone);
    let zones = [("a", "z1"), ("b", "z1"), ("c", "z2"), ("d", "z2")];
    let ring = ring(&Members::new(zones.map(|pair| server(pair).unwrap())).unwrap());
    for (count, smaller, larger) in [(2, 1, 1), (3, 1, 2), (4, 2, 2)] {
        let replicas = Replicas::new(&ring, count, Spread::Zones).unwrap();
        for i in 0..10_000 {
            let key = format!("key:{i}");
            let held = replicas.of(&key);
            assert_eq!(held.iter().collect::<BTreeSet<_>>().len(), count);
            assert_eq!(held[0], ring.owner_ix(&key));
            let first = held.iter().filter(|ix| ix.index() < 2).count();
            assert_eq!([first, count - first].iter().min(), Some(&smaller));
            assert_eq!([first, count - first].iter().max(), Some(&larger));
        }
    }
    assert!(Replicas::new(&ring, 2, Spread::StrictZones).is_ok());
    let error = Replicas::new(&ring, 3, Spread::StrictZones).unwrap_err();
    assert!(error.is_too_few() && error.to_string().contains("2 zones"), "{error}");
}

#[test]
fn a_hot_key_spills_over_exactly_as_the_running_cap_allows() {
    let (ring, requests) = (sample_ring(), sample_requests());
    let plain = fill(&ring, &requests, Cap::NONE);
    assert_eq!((plain.loads(), plain.displaced()), (&[135, 108, 621, 136][..], 0));

    let cap = Cap::percent_over_mean(25).unwrap();
    let arriving = fill_arriving(&ring, &requests, cap);
    assert_eq!(arriving.loads(), [197, 310, 313, 180]);
    assert_eq!(arriving.displaced(), 324);

    let bounded = Bounded::new(&ring, cap);
    let leases: Vec<_> = requests.iter().map(|key| bounded.acquire(key)).collect();
    assert_eq!(bounded.loads(), [197, 310, 313, 180]);
    assert_eq!(leases.iter().filter(|lease| lease.is_displaced()).count(), 324);
    assert_eq!(bounded.limit_of(ServerIx::new(0)), 313);
    drop(leases);
    assert_eq!((bounded.loads(), bounded.total()), (vec![0; 4], 0));
}

#[test]
fn leases_outlive_a_rebuild_of_the_ring() {
    let fleet = members(&[("a", 1), ("b", 1), ("c", 1)]);
    let cap = Cap::percent_over_mean(25).unwrap();
    let before = Bounded::new(ring(&fleet), cap);
    let held: Vec<_> = (0..300).map(|i| before.acquire(format!("key:{i}"))).collect();
    let on_c = before.loads()[2];

    let smaller = before.rebuilt(ring(&fleet.without("a").unwrap()));
    assert_eq!((smaller.loads()[1], smaller.total()), (on_c, 300));
    let again = smaller.rebuilt(ring(&fleet));
    assert_eq!(again.loads(), before.loads());
    drop(held);
    assert_eq!((again.loads(), smaller.loads(), again.total()), (vec![0; 3], vec![0; 2], 0));
}

#[test]
fn a_capped_fill_places_all_keys_of_any_fleet_within_the_exact_cap() {
    for (servers, points, keys, epsilon) in [
        (2, 1, 5, "0.5"),
        (3, 160, 271, "0.25"),
        (7, 160, 271, "0.25"),
        (10, 160, 3, "0.25"),
        (5, 160, 100, "0"),
        (40, 1, 4_000, "0"),
        (40, 16, 4_000, "0.01"),
    ] {
        let ring = Ring::builder(Xxh3).points_per_weight(points).build(&numbered(servers)).unwrap();
        let keys: Vec<String> = (0..keys).map(|i| format!("key:{i}")).collect();
        let cap: Cap = epsilon.parse().unwrap();
        let filled = fill(&ring, &keys, cap);
        assert_eq!(filled.loads().iter().sum::<u64>(), keys.len() as u64);
        let limit = cap.limit(keys.len() as u64, 1, servers as u64);
        assert!(filled.loads().iter().all(|load| *load <= limit), "{servers} servers, {epsilon}");
        let off = keys.iter().zip(filled.servers()).filter(|(key, ix)| **ix != ring.owner_ix(key));
        assert_eq!(filled.displaced(), off.count() as u64);
    }
}

#[test]
fn an_empty_fleet_is_a_typed_error_before_any_scheme_is_asked() {
    let empty = [
        Members::new([]).unwrap_err(),
        Members::merged([]).unwrap_err(),
        Buckets::new([]).unwrap_err(),
        Buckets::merged([]).unwrap_err(),
    ];
    for error in empty {
        assert!(error.is_no_servers());
        assert_eq!(error.to_string(), "no servers: a placement needs at least one");
    }
    let draining = || [Server::new("a").unwrap().draining()];
    assert!(Members::new(draining()).unwrap_err().is_no_servers());
    assert!(Buckets::new(draining()).unwrap_err().is_no_servers());
    assert!(numbered(1).without("cache-0").unwrap_err().is_no_servers());
    assert!(Buckets::from(&numbered(1)).popped().unwrap_err().is_no_servers());
}

#[test]
fn one_server_owns_every_key_in_every_scheme_and_has_no_substitute() {
    let fleet = Buckets::from(&numbered(1));
    let only = ServerIx::new(0);
    for scheme in Scheme::compared() {
        let placement = scheme.build(&fleet).unwrap();
        let mut down = Down::none(&placement);
        assert_eq!(route_ix(&placement, "", &down), Route::Owner(only), "{scheme}");
        down.mark(only);
        let route = route_ix(&placement, "", &down);
        let expected = match placement.ranked() {
            Some(_) => Route::AllDown { owner: only },
            None => Route::NoSubstitute { owner: only },
        };
        assert_eq!(route, expected, "{scheme}");
    }
}

#[test]
fn what_stands_on_a_placement_takes_it_by_value_reference_or_box() {
    let ring = ring(&numbered(3));
    let boxed: Box<dyn clockwise::Ranked> = Box::new(ring.clone());
    let owner = ring.owner_ix("k");
    assert_eq!(Bounded::new(boxed, Cap::NONE).acquire("k").server_ix(), owner);
    let shared = std::sync::Arc::new(ring);
    assert_eq!(Replicas::new(shared.clone(), 1, Spread::Servers).unwrap().of("k"), [owner]);
    let down = Down::none(&shared);
    assert_eq!(route_ix(&shared as &dyn Placement, "k", &down), Route::Owner(owner));
}
