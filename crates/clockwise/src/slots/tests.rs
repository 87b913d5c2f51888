//! Slot maps, held to quotas, to the fewest moves, and to every way one can be wrong.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use super::*;
use crate::hash::{Crc16Xmodem, Crc32, NamedHash, Xxh3};
use crate::members::Members;
use crate::testing::{Random, members, user_keys};

fn fleet(count: usize, weight: impl Fn(usize) -> u32) -> Members {
    let names: Vec<String> = (0..count).map(|i| format!("m{i:02}")).collect();
    members(&names.iter().enumerate().map(|(i, name)| (name.as_str(), weight(i))).collect::<Vec<_>>())
}

/// The owners' names, one a slot.
fn names(map: &SlotMap) -> Vec<&str> {
    (0..map.slots()).map(|slot| map.owner(slot).unwrap().name().as_str()).collect()
}

fn moved(before: &SlotMap, after: &SlotMap) -> usize {
    names(before).iter().zip(names(after)).filter(|(from, to)| *from != to).count()
}

#[test]
fn a_map_is_complete_or_not_built() {
    let abc = members(&[("a", 1), ("b", 1), ("c", 1)]);
    let half = SlotMap::builder(&abc, 10).unwrap().assign(0..4, "a").unwrap().assign([9, 7], "c").unwrap();
    let text = format!("{}", half.clone().build().unwrap_err());
    assert_eq!(text, "4 of 10 slots have no owner, the first of them 4-6");
    let map = half.assign([4, 5, 6, 8], "b").unwrap().build().unwrap();
    assert_eq!(names(&map).concat(), "aaaabbbcbc");
    assert_eq!(map.slot_counts(), [4, 4, 2]);
    assert_eq!(format!("{map:?}"), r#"{0..=3: "a", 4..=6: "b", 7..=7: "c", 8..=8: "b", 9..=9: "c"}"#);
    assert_eq!(map.owner(10), None);
}

#[test]
fn errors_name_the_slot_and_the_server() {
    let fleet = members(&[("a", 1), ("b", 1), ("c", 1)]);
    let fleet = fleet.changed("c", |server| Ok(server.draining())).unwrap();
    let builder = || SlotMap::builder(&fleet, 10).unwrap().assign(0..=5, "a").unwrap();
    let refused = |error: Error, server: &str, text: &str| {
        assert!(error.is_parameter() || error.is_unknown_server());
        assert_eq!(error.server(), Some(server));
        assert_eq!(format!("{error}"), text);
    };
    refused(builder().assign(5..8, "b").unwrap_err(), "b", "server \"b\": slot 5 already belongs to \"a\"");
    refused(builder().assign([3], "a").unwrap_err(), "a", "server \"a\": slot 3 already belongs to \"a\"");
    refused(builder().assign(6.., "b").unwrap_err(), "b", "server \"b\": slot 10 is outside 0..10");
    refused(builder().assign([6], "x").unwrap_err(), "x", "there is no server \"x\" in this fleet");
    let drains = "server \"c\": slot 6 cannot be given to a draining server, which owns nothing";
    refused(builder().assign([6], "c").unwrap_err(), "c", drains);
    let map = builder().assign(6..10, "b").unwrap().build().unwrap();
    refused(map.assigned([6], "c").unwrap_err(), "c", drains);
    refused(map.assigned([10], "b").unwrap_err(), "b", "server \"b\": slot 10 is outside 0..10");
    refused(map.assigned([0], "x").unwrap_err(), "x", "there is no server \"x\" in this fleet");
    for slots in [0, MAX_SLOTS + 1, u32::MAX] {
        let error = SlotMap::builder(&fleet, slots).unwrap_err();
        assert!(error.is_parameter() && format!("{error}").contains(&format!("slot count {slots} ")));
    }
}

#[test]
fn the_first_map_gives_runs_by_weight_and_largest_remainder() {
    let runs = |fleet: &Members, slots| format!("{:?}", SlotMap::even(fleet, slots).unwrap());
    assert_eq!(
        runs(&members(&[("c", 1), ("a", 1), ("b", 1)]), 16_384),
        r#"{0..=5461: "a", 5462..=10922: "b", 10923..=16383: "c"}"#
    );
    // 10 × 3, 2, 2 of 7: 4.29, 2.86, 2.86.
    assert_eq!(
        runs(&members(&[("a", 3), ("b", 2), ("c", 2)]), 10),
        r#"{0..=3: "a", 4..=6: "b", 7..=9: "c"}"#
    );
    let skewed = members(&[("a", 1), ("b", 1_000), ("c", u32::MAX)]);
    let map = SlotMap::even(&skewed, 16).unwrap();
    assert_eq!(map.slot_counts(), [0, 0, 16]);
    assert_eq!(map.slotless().map(|server| server.name().as_str()).collect::<Vec<_>>(), ["a", "b"]);
    let error = SlotMap::even(&skewed, 2).unwrap_err();
    assert!(format!("{error}").contains("3 servers") && format!("{error}").contains("2 slots"), "{error}");
    let drained = skewed.changed("c", |server| Ok(server.draining())).unwrap();
    assert_eq!(SlotMap::even(&drained, 2_002).unwrap().slot_counts(), [2, 2_000, 0]);
    assert_eq!(SlotMap::even(&drained, 2).unwrap().slotless().count(), 1);
}

#[test]
fn quotas_are_within_one_of_the_exact_share_and_fill_the_map() {
    let mut random = Random(1792);
    for case in 0..500 {
        let count = 1 + random.below(9) as usize;
        let scale = random.below(31);
        let weights: Vec<u32> = (0..count).map(|_| 1 + (random.next() as u32 >> scale) / 2).collect();
        let slots = count as u32 + random.below(3_000) as u32;
        let fleet = fleet(count, |i| weights[i]);
        let counts = SlotMap::even(&fleet, slots).unwrap().slot_counts();
        assert_eq!(counts.iter().sum::<u32>(), slots, "case {case}");
        for (count, &weight) in counts.iter().zip(&weights) {
            let exact = f64::from(slots) * f64::from(weight) / fleet.total_weight() as f64;
            assert!((f64::from(*count) - exact).abs() < 1.0, "case {case}: {weights:?} in {slots}");
        }
    }
}

#[test]
fn planned_moves_change_what_they_say_and_the_old_map_stands() {
    let abc = members(&[("a", 1), ("b", 1), ("c", 1)]);
    let before = SlotMap::even(&abc, 9).unwrap();
    let after = before.assigned([0, 4, 4, 8], "c").unwrap();
    assert_eq!(names(&before).concat(), "aaabbbccc");
    assert_eq!(names(&after).concat(), "caabcbccc");
    assert_eq!(after.assigned([0], "a").unwrap().assigned([4], "b").unwrap(), before);
}

/// The fewest moves to any assignment of the quotas that largest remainder allows: each choice
/// among equal remainders is tried.
fn fewest_moves(map: &SlotMap, members: &Members) -> u32 {
    let total = u128::from(members.total_weight());
    let exact = |i: usize| u128::from(map.slots()) * u128::from(members.servers()[i].effective_weight());
    let servers = members.servers().len();
    let floor: Vec<u32> = (0..servers).map(|i| (exact(i) / total) as u32).collect();
    let left = map.slots() - floor.iter().sum::<u32>();
    let has: Vec<u32> = members
        .servers()
        .iter()
        .map(|server| names(map).iter().filter(|name| **name == server.name().as_str()).count() as u32)
        .collect();
    (0..1_u32 << servers)
        .filter(|chosen| chosen.count_ones() == left)
        .filter(|chosen| {
            let remainder = |i: usize| exact(i) % total;
            let is = |i: &usize| chosen >> i & 1 == 1;
            let least = (0..servers).filter(is).map(remainder).min().unwrap_or(u128::MAX);
            (0..servers).filter(|i| !is(i)).all(|i| remainder(i) <= least)
        })
        .map(|chosen| {
            let kept = (0..servers).map(|i| has[i].min(floor[i] + (chosen >> i & 1))).sum::<u32>();
            map.slots() - kept
        })
        .min()
        .unwrap()
}

#[test]
fn rebalancing_reaches_the_quotas_with_the_fewest_moves() {
    let mut random = Random(16_384);
    for case in 0..400 {
        let fleet = |random: &mut Random| loop {
            let weighted = random.below(2) == 0;
            let mut named: Vec<(String, u32)> = Vec::new();
            for i in 0..7 {
                if random.below(3) > 0 {
                    let weight = if weighted { 1 + random.below(5) as u32 } else { 1 };
                    named.push((format!("m{i}"), weight));
                }
            }
            if named.len() > 1 {
                let all = members(&named.iter().map(|(n, w)| (n.as_str(), *w)).collect::<Vec<_>>());
                let drains = random.below(2) == 0;
                return if drains { all.changed(&named[0].0, |s| Ok(s.draining())).unwrap() } else { all };
            }
        };
        let (old, new) = (fleet(&mut random), fleet(&mut random));
        let slots = 8 + random.below(40) as u32;
        // A map that no rule made.
        let active: Vec<&str> = old.active().map(|(_, server)| server.name().as_str()).collect();
        let before = (0..slots)
            .fold(SlotMap::builder(&old, slots).unwrap(), |builder, slot| {
                builder.assign([slot], active[random.below(active.len() as u64) as usize]).unwrap()
            })
            .build()
            .unwrap();
        let after = before.rebalanced(&new).unwrap();
        assert_eq!(moved(&before, &after) as u32, fewest_moves(&before, &new), "case {case}");
        let total = new.total_weight() as f64;
        for (server, count) in new.servers().iter().zip(after.slot_counts()) {
            let exact = f64::from(slots) * f64::from(server.effective_weight()) / total;
            assert!((f64::from(count) - exact).abs() < 1.0, "case {case}: {exact} {count}");
        }
        assert_eq!(after.rebalanced(&new).unwrap(), after, "case {case}: balanced already");
    }
}

#[test]
fn rebalancing_moves_these_slots() {
    let ab = members(&[("a", 1), ("b", 1)]);
    let before = SlotMap::even(&ab, 12).unwrap();
    let joined = members(&[("a", 1), ("b", 1), ("c", 1)]);
    let after = before.rebalanced(&joined).unwrap();
    assert_eq!(names(&after).concat(), "ccaaaaccbbbb");
    assert_eq!(names(&after.rebalanced(&ab).unwrap()).concat(), "aaaaaabbbbbb");
    let drained = joined.changed("a", |server| Ok(server.draining())).unwrap();
    assert_eq!(names(&after.rebalanced(&drained).unwrap()).concat(), "ccbbccccbbbb");
    let many = fleet(13, |_| 1);
    assert!(before.rebalanced(&many).unwrap_err().is_parameter(), "13 servers, 12 slots");
}

#[test]
fn a_fleet_that_changed_otherwise_keeps_every_slot() {
    let abc = members(&[("a", 1), ("b", 1), ("c", 1)]);
    let map = SlotMap::even(&abc, 9).unwrap();
    let grown = members(&[("a", 5), ("aa", 1), ("b", 1), ("c", 1)]);
    let after = map.over(&grown).unwrap();
    assert_eq!(names(&after), names(&map));
    assert_eq!(after.slot_counts(), [3, 0, 3, 3]);
    assert_eq!(after.slotless().count(), 1);
    let error = map.over(&abc.without("b").unwrap()).unwrap_err();
    assert!(error.is_unknown_server() && error.server() == Some("b"));
    let drained = abc.changed("b", |server| Ok(server.draining())).unwrap();
    let error = map.over(&drained).unwrap_err();
    assert_eq!(error.server(), Some("b"));
    assert!(format!("{error}").contains("slot 3 "), "{error}");
}

#[test]
fn a_key_belongs_to_the_owner_of_its_slot() {
    let map = SlotMap::even(&fleet(5, |i| 1 + i as u32), 97).unwrap();
    let place = Slots::new(Xxh3, &map).unwrap();
    for key in user_keys(1_000) {
        let slot = (Xxh3.hash(key.as_bytes()) % 97) as u32;
        assert_eq!(place.slot(&key), slot);
        assert_eq!(Some(place.owner(&key)), map.owner(slot));
        assert_eq!(place.owner_of_hash(Xxh3.hash(key.as_bytes())), place.owner_ix(&key));
    }
    let shares: Vec<_> = place.shares().iter().map(|share| (share.part(), share.whole())).collect();
    assert_eq!(shares, map.slot_counts().iter().map(|&n| (u128::from(n), 97)).collect::<Vec<_>>());
    let Some(Layout::Slots { owners, key_hash }) = place.layout() else {
        panic!("slots have a layout");
    };
    assert_eq!((owners, key_hash), (map.owners(), "xxh3-64"));
    assert!(place.ranked().is_none() && !place.depends_on_order());
}

#[test]
fn redis_keys_are_bytes_in_16384_slots() {
    let map = SlotMap::even(&fleet(3, |_| 1), 16_384).unwrap();
    let place = Slots::redis(&map).unwrap();
    let mebibyte = vec![b'x'; 1 << 20];
    for (key, slot) in [
        (&b""[..], Some(0)),
        (b"\0", None),
        (b"k\0v", Some(13_771)),
        (b"k\nv", None),
        (b"\xff", None),
        (b"caf\xc3\xa9", Some(5_735)),
        (b"cafe\xcc\x81", Some(15_925)),
        (&mebibyte, None),
    ] {
        assert!(place.slot(key) < 16_384);
        assert!(slot.is_none_or(|slot| place.slot(key) == slot), "{}", key.escape_ascii());
    }
    let error = Slots::redis(&SlotMap::even(&fleet(3, |_| 1), 16_383).unwrap()).unwrap_err();
    assert!(error.is_parameter() && format!("{error}").contains("16383"), "{error}");
}

#[test]
fn a_map_with_slots_that_no_key_can_have_is_refused() {
    let one = fleet(1, |_| 1);
    let map = |slots| SlotMap::even(&one, slots).unwrap();
    assert!(Slots::new(Crc16Xmodem, &map(1 << 16)).is_ok());
    assert!(Slots::new(Crc16Xmodem, &map((1 << 16) + 1)).unwrap_err().is_parameter());
    assert!(Slots::new(NamedHash::RedisSlot, &map(16_385)).unwrap_err().is_parameter());
    assert!(Slots::new(Crc32, &map(MAX_SLOTS)).is_ok());
}
