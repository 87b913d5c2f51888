//! What every scheme promises, over random fleets.
//!
//! One table says what each scheme promises; one test a promise holds all that make it to it. Seeds
//! are fixed, and every message carries the seed of the fleet that broke the promise.
#![allow(clippy::unwrap_used)] // a failure here is the message

use std::collections::BTreeSet;

use clockwise::catalogue::{self, Chosen, Input};
use clockwise::dialect::handbook;
use clockwise::hash::{NamedHash, SplitMix64};
use clockwise::{Buckets, Built, Cap, Layout, Members, Moves, Placement, Prefixed, Scheme, Server, ServerIx};

type AnyPlacement = Box<dyn Placement>;

/// A scheme, and which promises it makes beside those that all make.
struct Case {
    name: String,
    build: Box<dyn Fn(&Buckets) -> AnyPlacement>,
    /// Any server may come or go: the order of the list is no matter.
    set: bool,
    /// A newcomer (for a list: at its end) draws keys, and no others move; and the reverse.
    fewest_moves: bool,
}

fn cases() -> Vec<Case> {
    let hash = NamedHash::Xxh3;
    let ring = |points_per_weight| Scheme::Ring { hash, points_per_weight };
    let schemes = [
        (Scheme::ModN { hash }, false, false),
        (Scheme::Jump { hash }, false, true),
        (ring(1), true, true),
        (ring(40), true, true),
        (Scheme::Bounded { hash, points_per_weight: 16, cap: Cap::QUARTER }, true, true),
        (Scheme::Rendezvous { hash }, true, true),
        (Scheme::Maglev { hash, table_size: 251 }, true, false),
        (Scheme::Slots { hash, slots: 1_000 }, true, false),
        (Scheme::Slots { hash: NamedHash::RedisSlot, slots: 16_384 }, true, false),
    ];
    // Weights and lists in any state are not for schemes that go by a history; those hold their own promises.
    let weighted = catalogue::SCHEMES.iter().filter(|entry| entry.input != Input::History);
    let catalogued = weighted.map(|entry| {
        let scheme = Scheme::Catalogued(Chosen::new(entry));
        (scheme, entry.input == Input::Set, true)
    });
    let mut cases: Vec<Case> = schemes
        .into_iter()
        .chain(catalogued)
        .map(|(scheme, set, fewest_moves)| Case {
            name: scheme.to_string(),
            build: Box::new(move |fleet| Box::new(scheme.build(fleet).unwrap())),
            set,
            fewest_moves,
        })
        .collect();
    cases.push(Case {
        name: "handbook rendezvous".into(),
        build: Box::new(|fleet| Box::new(handbook::rendezvous(&Members::from(fleet)).unwrap())),
        set: true,
        fewest_moves: true,
    });
    cases
}

/// SplitMix64 from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        let number = SplitMix64::mix(self.0);
        self.0 = self.0.wrapping_add(SplitMix64::STEP);
        number % end
    }
}

/// Calls `check` with every case that `promises`, 40 fleets each and its seed.
fn hold(promises: impl Fn(&Case) -> bool, mut check: impl FnMut(&Case, &Fleet, &mut Random, &str)) {
    let cases = cases();
    let held: Vec<&Case> = cases.iter().filter(|case| promises(case)).collect();
    assert!(held.len() > 1);
    for case in held {
        for seed in 0..40_u64 {
            // Seeds far apart: SplitMix64's states of neighbours would overlap.
            let mut random = Random(seed << 32);
            let fleet = Fleet::random(&mut random);
            check(case, &fleet, &mut random, &format!("{}, seed {seed}", case.name));
        }
    }
}

/// A list of 2 to 11 servers, half of the fleets weighted, a third with a server that drains; and
/// keys to ask for.
struct Fleet {
    servers: Vec<Server>,
    keys: Vec<Vec<u8>>,
}

impl Fleet {
    fn random(random: &mut Random) -> Fleet {
        let weighted = random.below(2) == 0;
        let count = 2 + random.below(10) as usize;
        let mut names = BTreeSet::new();
        while names.len() < count {
            names.insert(format!("cache-{}", random.below(1_000)));
        }
        let mut servers: Vec<Server> = names
            .iter()
            .map(|name| {
                let weight = if weighted { 1 + random.below(9) } else { 1 };
                Server::new(name.as_str()).unwrap().with_weight(weight).unwrap()
            })
            .collect();
        shuffle(&mut servers, random);
        if count > 3 && random.below(3) == 0 {
            servers[1] = servers[1].clone().draining();
        }
        let keys =
            (0..400).map(|_| (0..random.below(20)).map(|_| random.below(256) as u8).collect()).collect();
        Fleet { servers, keys }
    }

    fn list(&self) -> Buckets {
        Buckets::new(self.servers.clone()).unwrap()
    }
}

fn shuffle(servers: &mut [Server], random: &mut Random) {
    for i in (1..servers.len()).rev() {
        servers.swap(i, random.below(i as u64 + 1) as usize);
    }
}

/// A server that is in no random fleet.
fn newcomer(random: &mut Random) -> Server {
    Server::new("newcomer").unwrap().with_weight(1 + random.below(5)).unwrap()
}

fn owners<'a>(placement: &'a dyn Placement, keys: &[Vec<u8>]) -> Vec<&'a str> {
    keys.iter().map(|key| placement.owner(key).name().as_str()).collect()
}

#[test]
fn order_of_the_list_does_not_matter_to_a_scheme_of_a_set() {
    hold(
        |case| case.set,
        |case, fleet, random, at| {
            let mut shuffled = fleet.servers.clone();
            shuffle(&mut shuffled, random);
            let (a, b) = ((case.build)(&fleet.list()), (case.build)(&Buckets::new(shuffled).unwrap()));
            assert!(!a.depends_on_order(), "{at}");
            assert_eq!(owners(&*a, &fleet.keys), owners(&*b, &fleet.keys), "{at}");
        },
    );
}

#[test]
fn order_of_the_list_is_the_placement_where_the_scheme_says_so() {
    hold(
        |case| !case.set,
        |case, fleet, _, at| {
            let list = fleet.list();
            let place = (case.build)(&list);
            assert!(place.depends_on_order(), "{at}");
            let mut turned = fleet.servers.clone();
            turned.rotate_left(1);
            let turned = (case.build)(&Buckets::new(turned).unwrap());
            assert_ne!(owners(&*place, &fleet.keys), owners(&*turned, &fleet.keys), "{at}");
        },
    );
}

#[test]
fn a_join_moves_keys_only_to_the_newcomer_and_a_leave_only_the_leavers() {
    hold(
        |case| case.fewest_moves,
        |case, fleet, random, at| {
            let fewer = fleet.list();
            let more = fewer.pushed(newcomer(random)).unwrap();
            let (fewer, more) = ((case.build)(&fewer), (case.build)(&more));
            let mut moved = 0;
            for (without, with) in owners(&*fewer, &fleet.keys).iter().zip(owners(&*more, &fleet.keys)) {
                assert!(with == *without || with == "newcomer", "{at}: {without} and {with}");
                moved += usize::from(with != *without);
            }
            // On a ring of few points a light newcomer may draw none of 400 keys.
            assert!(moved > 0 || case.name.starts_with("ring-1"), "{at}");
        },
    );
}

#[test]
fn any_server_of_a_set_may_leave_and_only_its_keys_move() {
    hold(
        |case| case.set && case.fewest_moves,
        |case, fleet, random, at| {
            let members = Members::from(&fleet.list());
            let leaver = members.active().nth(random.below(members.active().count() as u64) as usize);
            let leaver = leaver.unwrap().1.name().as_str();
            let before = (case.build)(&Buckets::from(&members));
            let after = (case.build)(&Buckets::from(&members.without(leaver).unwrap()));
            for (from, to) in owners(&*before, &fleet.keys).iter().zip(owners(&*after, &fleet.keys)) {
                assert!(to == *from || *from == leaver, "{at}: {from} to {to}, {leaver} left");
            }
        },
    );
}

#[test]
fn a_changed_weight_moves_keys_only_to_or_from_its_server() {
    hold(
        |case| case.set && case.fewest_moves,
        |case, fleet, random, at| {
            let members = Members::from(&fleet.list());
            let name = fleet.servers[0].name().as_str();
            let old = fleet.servers[0].weight().get();
            let new = 1 + random.below(12) as u32;
            let changed = members.changed(name, |server| server.with_weight(new)).unwrap();
            let before = (case.build)(&Buckets::from(&members));
            let after = (case.build)(&Buckets::from(&changed));
            for (from, to) in owners(&*before, &fleet.keys).iter().zip(owners(&*after, &fleet.keys)) {
                let allowed = if new > old { to == name } else { *from == name && new < old };
                assert!(to == *from || allowed, "{at}: {from} to {to}, {name} from {old} to {new}");
            }
        },
    );
}

#[test]
fn removing_and_adding_again_gives_the_first_placement() {
    hold(
        |_| true,
        |case, fleet, random, at| {
            let list = fleet.list();
            let back = if case.set {
                let (members, server) = (Members::from(&list), &fleet.servers[0]);
                let without = members.without(server.name().as_str()).unwrap();
                Buckets::from(&without.with(server.clone()).unwrap())
            } else {
                list.pushed(newcomer(random)).unwrap().popped().unwrap()
            };
            let (first, again) = ((case.build)(&list), (case.build)(&back));
            assert_eq!(owners(&*first, &fleet.keys), owners(&*again, &fleet.keys), "{at}");
        },
    );
}

#[test]
fn a_draining_server_owns_nothing_and_others_are_where_they_would_be_without_it() {
    hold(
        |_| true,
        |case, fleet, random, at| {
            let drained = fleet.list().pushed(newcomer(random).draining()).unwrap();
            let (without, with) = ((case.build)(&fleet.list()), (case.build)(&drained));
            assert_eq!(with.servers().len(), without.servers().len() + 1, "{at}");
            assert_eq!(owners(&*with, &fleet.keys), owners(&*without, &fleet.keys), "{at}");
        },
    );
}

#[test]
fn an_address_moves_no_key() {
    hold(
        |_| true,
        |case, fleet, _, at| {
            let list = fleet.list();
            let moved = fleet.servers[0].clone().with_address("10.9.8.7:11211").unwrap();
            let (before, after) = ((case.build)(&list), (case.build)(&list.replaced(0, moved).unwrap()));
            assert_eq!(owners(&*before, &fleet.keys), owners(&*after, &fleet.keys), "{at}");
        },
    );
}

#[test]
fn shares_sum_to_one_and_a_draining_servers_is_nothing() {
    hold(
        |_| true,
        |case, fleet, _, at| {
            let place = (case.build)(&fleet.list());
            let Some(measured) = place.measured() else {
                // Where a key looks several times, arcs are no shares.
                assert_eq!(case.name, "multi-probe");
                return;
            };
            let shares = measured.shares();
            assert_eq!(shares.len(), place.servers().len(), "{at}");
            assert_eq!(shares.iter().map(|s| s.part()).sum::<u128>(), shares[0].whole(), "{at}");
            for (share, server) in shares.iter().zip(place.servers()) {
                assert_eq!(share.whole(), shares[0].whole(), "{at}");
                assert!(share.part() == 0 || !server.is_draining(), "{at}: {server:?}");
            }
        },
    );
}

#[test]
fn counted_keys_agree_with_shares() {
    let keys: Vec<String> = (0..40_000).map(|i| format!("user:{i}")).collect();
    let mut unmeasured = BTreeSet::new();
    for case in cases() {
        for seed in 0..3_u64 {
            let fleet = Fleet::random(&mut Random(seed << 32));
            let place = (case.build)(&fleet.list());
            let Some(measured) = place.measured() else {
                unmeasured.insert(case.name.clone());
                continue;
            };
            let mut counts = vec![0_u32; place.servers().len()];
            for key in &keys {
                counts[place.owner_ix(key.as_bytes()).index()] += 1;
            }
            for (count, share) in counts.iter().zip(measured.shares()) {
                let expected = share.as_f64() * keys.len() as f64;
                // Five standard deviations of a binomial.
                let slack = 5.0 * (expected * (1.0 - share.as_f64())).sqrt();
                let off = (f64::from(*count) - expected).abs();
                assert!(off <= slack, "{}, seed {seed}: {count}, expected {expected}", case.name);
            }
        }
    }
    // The arcs of its probes overlap.
    assert_eq!(unmeasured, BTreeSet::from(["multi-probe".to_owned()]));
}

#[test]
fn preference_lists_name_each_active_server_once_the_owner_first() {
    let mut ranked_schemes = BTreeSet::new();
    hold(
        |_| true,
        |case, fleet, random, at| {
            let place = (case.build)(&fleet.list());
            let Some(ranked) = place.ranked() else { return };
            ranked_schemes.insert(case.name.clone());
            let active = fleet.list().active().count();
            for key in &fleet.keys[..50] {
                let list = ranked.preference(key, usize::MAX);
                assert_eq!(list[0], place.owner_ix(key), "{at}");
                assert_eq!(list.len(), active, "{at}");
                assert_eq!(list.iter().collect::<BTreeSet<_>>().len(), active, "{at}");
                assert!(list.iter().all(|ix| !place.servers()[ix.index()].is_draining()), "{at}");
                let few = random.below(active as u64 + 1) as usize;
                assert_eq!(ranked.preference(key, few), list[..few], "{at}");
            }
        },
    );
    let names: Vec<&str> = ranked_schemes.iter().map(String::as_str).collect();
    assert_eq!(names, ["bounded", "handbook rendezvous", "maglev", "rendezvous", "ring-1", "ring-40"]);
}

#[test]
fn the_next_in_a_preference_list_is_the_heir() {
    hold(
        |case| case.set && case.fewest_moves,
        |case, fleet, _, at| {
            let members = Members::from(&fleet.list());
            let place = (case.build)(&fleet.list());
            let Some(ranked) = place.ranked() else {
                assert_eq!(case.name, "multi-probe");
                return;
            };
            for key in &fleet.keys[..20] {
                let list = ranked.preference(key, 2);
                let names: Vec<&str> =
                    list.iter().map(|ix| place.servers()[ix.index()].name().as_str()).collect();
                let fewer = (case.build)(&Buckets::from(&members.without(names[0]).unwrap()));
                assert_eq!(fewer.owner(key).name().as_str(), names[1], "{at}");
            }
        },
    );
}

#[test]
fn batches_agree_with_single_lookups() {
    hold(
        |_| true,
        |case, fleet, _, at| {
            let place = (case.build)(&fleet.list());
            agree_in_batches(&place, &fleet.keys, at);
            agree_in_batches(&Prefixed::new("größe/".parse().unwrap(), place), &fleet.keys, at);
        },
    );
}

/// Keys, all at once and one by one, and fewer than there are.
fn agree_in_batches(place: &dyn Placement, keys: &[Vec<u8>], at: &str) {
    let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    let unused = ServerIx::new(u32::MAX);
    let mut owners = vec![unused; keys.len() + 1];
    place.owners_of(&keys, &mut owners);
    for (key, owner) in keys.iter().zip(&owners) {
        assert_eq!(*owner, place.owner_ix(key), "{at}");
    }
    assert_eq!(owners[keys.len()], unused, "{at}");
    let mut few = vec![unused; 70];
    place.owners_of(&keys, &mut few);
    assert_eq!(few, owners[..70], "{at}");
}

/// MD5 takes many keys side by side, long ones apart.
#[test]
fn batches_by_md5_agree_with_single_lookups() {
    let hash = NamedHash::Md5;
    let mut schemes = vec![
        Scheme::ModN { hash },
        Scheme::Jump { hash },
        Scheme::Ring { hash, points_per_weight: 40 },
        Scheme::Bounded { hash, points_per_weight: 16, cap: Cap::QUARTER },
        Scheme::Rendezvous { hash },
        Scheme::Maglev { hash, table_size: 251 },
        Scheme::Slots { hash, slots: 1_000 },
        Scheme::Slots { hash: NamedHash::Md5Word, slots: 1_000 },
    ];
    schemes.extend(
        catalogue::SCHEMES.iter().map(|entry| Scheme::Catalogued(Chosen::new(entry).with_hash(hash))),
    );
    for (scheme, seed) in schemes.iter().zip(0x3d5..) {
        let mut random = Random(seed);
        let servers = (0..2 + random.below(40)).map(|i| Server::new(format!("cache-{i}")).unwrap());
        let fleet = Buckets::new(servers).unwrap();
        let keys: Vec<Vec<u8>> =
            (0..300).map(|_| (0..random.below(90)).map(|_| random.below(256) as u8).collect()).collect();
        let place = scheme.build(&fleet).unwrap();
        let at = format!("{scheme}, seed {seed}");
        agree_in_batches(&place, &keys, &at);
        agree_in_batches(&Prefixed::new("app:".parse().unwrap(), place), &keys, &at);
    }
}

#[test]
fn slots_after_a_change_move_as_few_keys_as_the_quotas_allow() {
    let hash = NamedHash::Xxh3;
    let scheme = Scheme::Slots { hash, slots: 16_384 };
    let fleet = |names: &[&str]| Buckets::new(names.iter().map(|&name| Server::new(name).unwrap())).unwrap();
    let (three, four) = (fleet(&["b", "c", "d"]), fleet(&["a", "b", "c", "d"]));
    let before = scheme.build(&three).unwrap();
    let after = scheme.build_after(&before, &four).unwrap();
    let between = |before: &Built, after: &Built| {
        Moves::between(before.measured().unwrap(), after.measured().unwrap()).unwrap()
    };
    let moves = between(&before, &after);
    assert_eq!(moves.moved().part(), 4_096, "a quarter, all to the newcomer");
    assert_eq!(moves.stray().part(), 0);
    // Dealt anew, the runs of all servers would shift.
    let anew = between(&before, &scheme.build(&four).unwrap());
    assert!(anew.moved().part() > 8_000);
    // A map of another size, or another scheme, is nothing to move from.
    for other in [Scheme::Slots { hash, slots: 100 }, Scheme::ModN { hash }] {
        let after = scheme.build_after(&other.build(&three).unwrap(), &four).unwrap();
        let layout = |built: &Built| match built.measured().unwrap().layout() {
            Some(Layout::Slots { owners, .. }) => owners.to_vec(),
            _ => Vec::new(),
        };
        assert_eq!(layout(&after), layout(&scheme.build(&four).unwrap()));
    }
}
