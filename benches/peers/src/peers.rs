//! The other crates, each looked up as its documentation shows.
//!
//! Where a crate hashes keys itself it is given the key; where it takes a hash, xxh3-64 of a text, and of
//! a number the number.

use std::cell::RefCell;

use clockwise::hash::xxh3_64;
use clockwise::jump;

use crate::harness::{Entry, Fleet, Lookup, by};

/// Points of a server on a ring.
const POINTS: usize = 160;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Point {
    server: usize,
    number: usize,
}

#[derive(Clone)]
struct Named(&'static str);

impl conhash::Node for Named {
    fn name(&self) -> String {
        self.0.to_owned()
    }
}

struct Numbered(usize);

impl consistent_hasher::Identifier for Numbered {
    fn identify(&self) -> usize {
        self.0
    }
}

/// Servers that are given back as their names.
fn place(name: &str) -> usize {
    name.as_ptr() as usize
}

fn entry(
    scheme: &'static str,
    name: &'static str,
    most: usize,
    build: impl Fn(&Fleet) -> Box<dyn Lookup> + 'static,
) -> Entry {
    Entry { scheme, name, ours: false, most, build: Box::new(build), claim: None }
}

/// The paper's function, which the crates for it name as theirs.
fn paper(fleet: &Fleet, key: u64) -> usize {
    jump(key, fleet.names.len() as i64).map_or(usize::MAX, |bucket| bucket as usize)
}

pub fn all(slots: u64) -> Vec<Entry> {
    let mut all = rings();
    all.extend(scores());
    all.extend(jumps());
    all.extend(newer());
    all.extend(tables(slots as usize));
    all
}

fn rings() -> Vec<Entry> {
    vec![
        entry("ring", "hashring 0.3.6", 10_000, |fleet| {
            let mut ring = hashring::HashRing::new();
            let points = |server| (0..POINTS).map(move |number| Point { server, number });
            ring.batch_add((0..fleet.names.len()).flat_map(points).collect());
            let owner = |point: Option<&Point>| point.map_or(usize::MAX, |point| point.server);
            by(ring, move |ring, key| owner(ring.get(&key)), move |ring, key| owner(ring.get(&key)))
        }),
        entry("ring", "consistent_hash 0.1.4", 10_000, |fleet| {
            let nodes =
                fleet.texts().into_iter().map(|name| consistent_hash::Node::new(name).quantity(POINTS));
            let ring = consistent_hash::StaticHashRing::new(consistent_hash::DefaultHash, nodes);
            by(
                ring,
                |ring, key| ring.calc_candidates(&key).next().map_or(0, |node| place(node.key)),
                |ring, key| ring.calc_candidates(&key).next().map_or(0, |node| place(node.key)),
            )
        }),
        entry("ring", "conhash 0.5.1", 1_000, |fleet| {
            let mut ring = conhash::ConsistentHash::new();
            fleet.texts().into_iter().for_each(|name| ring.add(&Named(name), POINTS));
            by(
                ring,
                |ring, key| ring.get(&key.to_le_bytes()).map_or(0, |node| place(node.0)),
                |ring, key| ring.get(key.as_bytes()).map_or(0, |node| place(node.0)),
            )
        }),
        entry("ring", "hash-rings 1.1.0", 10_000, |fleet| {
            let mut ring = hash_rings::consistent::Ring::new();
            // Each name lives as long as the program.
            Box::leak(Box::new(fleet.texts())).iter().for_each(|name| ring.insert_node(name, POINTS));
            by(ring, |ring, key| place(ring.get_node(&key)), |ring, key| place(ring.get_node(&key)))
        }),
        entry("ring", "consistent_hash_ring 0.8.0", 100, |fleet| {
            let ring = consistent_hash_ring::RingBuilder::default().vnodes(POINTS);
            let ring = ring.nodes(&fleet.texts()).build();
            by(ring, |ring, key| place(ring.get(key)), |ring, key| place(ring.get(key)))
        }),
        entry("ring", "pingora-ketama 0.9.1, v1", 10_000, |fleet| {
            pingora(fleet, pingora_ketama::Version::V1)
        }),
        entry("ring", "pingora-ketama 0.9.1, v2", 10_000, |fleet| {
            pingora(fleet, pingora_ketama::Version::V2 { point_multiple: POINTS as u32 })
        }),
        entry("ring, md5", "ketama 0.0.2", 10_000, |fleet| {
            by(
                ketama::Ring::build(&fleet.texts()),
                |ring, key| ring.route(&key.to_le_bytes()),
                |ring, key| ring.route(key.as_bytes()),
            )
        }),
        entry("ring", "hash_ring 0.2.0", 100, |fleet| {
            let ring = hash_ring::HashRing::new(fleet.texts(), POINTS as isize);
            by(
                ring,
                |ring, key| ring.get_node(key.to_string()).map_or(0, |name| place(name)),
                |ring, key| ring.get_node(key.to_owned()).map_or(0, |name| place(name)),
            )
        }),
        entry("ring", "flexihash 0.1.8", 100, |fleet| {
            let mut ring = flexihash::Flexihash::new();
            ring.set_replicas(POINTS as u32);
            fleet.texts().into_iter().for_each(|name| {
                ring.add_target(name, 1);
            });
            let owner = |name: String| xxh3_64(name.as_bytes(), 0) as usize;
            by(
                ring,
                move |ring, key| owner(ring.lookup(key.to_string())),
                move |ring, key| owner(ring.lookup(key)),
            )
        }),
        entry("ring", "consistent_hasher 0.1.5", 100, |fleet| {
            let mut ring = consistent_hasher::LDB::new(64, POINTS);
            (0..fleet.names.len()).for_each(|i| drop(ring.add_node(Numbered(i))));
            let owner = |ring: &RefCell<consistent_hasher::LDB>, key: &str| {
                ring.borrow_mut().key(key).map_or(usize::MAX, |node| node.0 as usize)
            };
            by(RefCell::new(ring), move |ring, key| owner(ring, &key.to_string()), owner)
        }),
    ]
}

fn pingora(fleet: &Fleet, version: pingora_ketama::Version) -> Box<dyn Lookup> {
    let addresses = fleet.names.iter().filter_map(|name| name.parse().ok());
    let buckets: Vec<_> = addresses.map(|address| pingora_ketama::Bucket::new(address, 1)).collect();
    let owner = |ring: &pingora_ketama::Continuum, key: &[u8]| {
        let mut at = ring.node_idx(key);
        ring.get_addr(&mut at).map_or(0, |address| std::ptr::from_ref(address) as usize)
    };
    by(
        pingora_ketama::Continuum::new_with_version(&buckets, version),
        move |ring, key| owner(ring, &key.to_le_bytes()),
        move |ring, key| owner(ring, key.as_bytes()),
    )
}

fn scores() -> Vec<Entry> {
    vec![
        entry("rendezvous", "hrw-hash 2.0.3", 1_000, |fleet| {
            by(
                hrw_hash::HrwNodes::new(fleet.texts()),
                |nodes, key| nodes.sorted(&key).next().map_or(0, |name| place(name)),
                |nodes, key| nodes.sorted(&key).next().map_or(0, |name| place(name)),
            )
        }),
        entry("rendezvous", "rendezvous_hash 0.3.0", 1_000, |fleet| {
            let mut nodes = rendezvous_hash::RendezvousNodes::default();
            fleet.texts().into_iter().for_each(|name| {
                nodes.insert(name);
            });
            by(
                nodes,
                |nodes, key| nodes.calc_candidates(&key).next().map_or(0, |name| place(name)),
                |nodes, key| nodes.calc_candidates(&key).next().map_or(0, |name| place(name)),
            )
        }),
        entry("rendezvous", "hash-rings 1.1.0", 1_000, |fleet| {
            let mut ring = hash_rings::rendezvous::Ring::new();
            Box::leak(Box::new(fleet.texts())).iter().for_each(|name| ring.insert_node(name, 1));
            by(ring, |ring, key| place(ring.get_node(&key)), |ring, key| place(ring.get_node(&key)))
        }),
        entry("rendezvous", "hash-rings 1.1.0, carp", 1_000, |fleet| {
            let names: &'static [&'static str] = Vec::leak(fleet.texts());
            let ring = hash_rings::carp::Ring::new(
                names.iter().map(|name| hash_rings::carp::Node::new(name, 1.0)).collect(),
            );
            by(ring, |ring, key| place(ring.get_node(&key)), |ring, key| place(ring.get_node(&key)))
        }),
        entry("rendezvous, weights", "rendezvous_hash 0.3.0", 1_000, |fleet| {
            let mut nodes = rendezvous_hash::RendezvousNodes::default();
            for (i, name) in fleet.texts().into_iter().enumerate() {
                if let Some(capacity) = rendezvous_hash::Capacity::new(1.0 + (i % 4) as f64) {
                    nodes.insert(rendezvous_hash::WeightedNode::new(name, capacity));
                }
            }
            by(
                nodes,
                |nodes, key| nodes.calc_candidates(&key).next().map_or(0, |node| place(node.node)),
                |nodes, key| nodes.calc_candidates(&key).next().map_or(0, |node| place(node.node)),
            )
        }),
        entry("rendezvous, weights", "hash-rings 1.1.0", 1_000, |fleet| {
            let mut ring = hash_rings::weighted_rendezvous::Ring::new();
            let names: &'static [&'static str] = Vec::leak(fleet.texts());
            names.iter().enumerate().for_each(|(i, name)| ring.insert_node(name, 1.0 + (i % 4) as f64));
            by(ring, |ring, key| place(ring.get_node(&key)), |ring, key| place(ring.get_node(&key)))
        }),
    ]
}

fn jumps() -> Vec<Entry> {
    let xxh3 = |key: &str| xxh3_64(key.as_bytes(), 0);
    let claiming = |entry: Entry| Entry { claim: Some(paper), ..entry };
    vec![
        claiming(entry("jump", "jumpch 2.0.0", 10_000, move |fleet| {
            let servers = fleet.names.len() as u32;
            by(
                servers,
                |n, key| jumpch::hash(key, *n) as usize,
                move |n, key| jumpch::hash(xxh3(key), *n) as usize,
            )
        })),
        claiming(entry("jump", "jump-consistent-hash 0.1.0", 10_000, move |fleet| {
            by(
                fleet.names.len(),
                |n, key| jump_consistent_hash::hash(key, *n) as usize,
                move |n, key| jump_consistent_hash::hash(xxh3(key), *n) as usize,
            )
        })),
        claiming(entry("jump", "jumpconsistenthash 0.1.0", 10_000, |fleet| {
            by(
                fleet.names.len() as u32,
                |n, key| jumpconsistenthash::jump_hash_from_u64(key, *n) as usize,
                |n, key| jumpconsistenthash::jump_hash_from_str(key, *n) as usize,
            )
        })),
        entry("jump", "jumphash 0.1.9", 10_000, |fleet| {
            by(
                (jumphash::JumpHasher::new_with_keys(1, 2), fleet.names.len() as u32),
                |(hasher, n), key| hasher.slot(&key, *n) as usize,
                |(hasher, n), key| hasher.slot(&key, *n) as usize,
            )
        }),
        entry("jump", "hash-rings 1.1.0", 10_000, |fleet| {
            let ring = hash_rings::jump::Ring::new(fleet.names.len() as u32);
            by(ring, |ring, key| ring.get_node(&key) as usize, |ring, key| ring.get_node(&key) as usize)
        }),
    ]
}

fn newer() -> Vec<Entry> {
    vec![
        entry("multi-probe", "mpchash 2.0.10", 10_000, |fleet| {
            let ring = mpchash::HashRing::new();
            fleet.texts().into_iter().for_each(|name| ring.add(name));
            by(
                ring,
                |ring, key| ring.node(&key).map_or(usize::MAX, |token| place(token.node())),
                |ring, key| ring.node(&key).map_or(usize::MAX, |token| place(token.node())),
            )
        }),
        entry("multi-probe", "hash-rings 1.1.0", 10_000, |fleet| {
            let mut ring = hash_rings::mpc::Ring::new(21);
            let names: &'static [&'static str] = Vec::leak(fleet.texts());
            names.iter().for_each(|name| ring.insert_node(name));
            by(ring, |ring, key| place(ring.get_node(&key)), |ring, key| place(ring.get_node(&key)))
        }),
        entry("anchor", "anchorhash 0.2.2", 10_000, |fleet| {
            let capacity = (fleet.names.len() + fleet.names.len() / 10) as u16;
            let anchor = anchorhash::Builder::default()
                .with_resources(fleet.texts().into_iter())
                .build::<u64>(capacity);
            by(
                anchor,
                |anchor, key| anchor.get_resource(key).map_or(usize::MAX, |name| place(name)),
                |anchor, key| {
                    let key = xxh3_64(key.as_bytes(), 0);
                    anchor.get_resource(key).map_or(usize::MAX, |name| place(name))
                },
            )
        }),
        entry("flip", "fliphash 0.1.0", 10_000, |fleet| {
            let last = fleet.names.len() as u64 - 1;
            by(
                last,
                |last, key| fliphash::fliphash_64(key, ..=*last) as usize,
                |last, key| fliphash::fliphash_64(xxh3_64(key.as_bytes(), 0), ..=*last) as usize,
            )
        }),
    ]
}

fn tables(slots: usize) -> Vec<Entry> {
    // Two of them keep a list of all slots for every server while they fill.
    let most = if slots > 100_000 { 100 } else { 1_000 };
    vec![
        entry("maglev", "maglev 0.2.1", most, move |fleet| {
            use maglev::ConsistentHasher;
            by(
                maglev::Maglev::with_capacity(fleet.texts(), slots),
                |table, key| table.get(&key).map_or(0, |name| place(name)),
                |table, key| table.get(key).map_or(0, |name| place(name)),
            )
        }),
        entry("maglev", "hash-rings 1.1.0", most, move |fleet| {
            let names: &'static [&'static str] = Vec::leak(fleet.texts());
            let table = hash_rings::maglev::Ring::with_capacity_hint(names.iter().collect(), slots);
            by(table, |table, key| place(table.get_node(&key)), |table, key| place(table.get_node(&key)))
        }),
        entry("maglev", "maglev-hash 0.1.0", 10_000, move |fleet| {
            by(
                maglev_hash::MaglevTable::with_capacity(fleet.texts(), slots),
                |table, key| table.get(&key).map_or(0, |name| place(name)),
                |table, key| table.get(&key).map_or(0, |name| place(name)),
            )
        }),
    ]
}
