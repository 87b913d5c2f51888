//! The slots that Redis gives keys, and the maps that `redis-cli --cluster` makes, against ours.

use std::collections::BTreeMap;

use clockwise::dialect::redis::{Options, Rebalance, Reshard};
use clockwise::hash::{KeyHash, RedisSlot};
use clockwise::slots::{SlotMap, SlotRanges};
use clockwise::{Buckets, Server, ServerName};

use crate::redis_server::{RedisServer, tool};
use crate::score::Score;
use crate::wait::until;

/// 5,000 keys: names, hash tags of every kind, and bytes that are no text.
fn keys() -> Vec<Vec<u8>> {
    let tagged = |i: usize| match i % 5 {
        0 => format!("{{user:{i}}}.cart"),
        1 => format!("cart.{{user:{i}}}.{{x}}"),
        2 => format!("cart{{}}{{user:{i}}}"),
        3 => format!("}}cart{{{{{i}}}}}"),
        _ => format!("cart:{i}{{"),
    };
    let mut keys: Vec<Vec<u8>> = (0..2_000).map(|i| format!("user:{i}").into_bytes()).collect();
    keys.extend((0..1_500).map(|i| tagged(i).into_bytes()));
    keys.extend((0..1_500_u32).map(|i| i.wrapping_mul(0x9e37_79b9).to_be_bytes().repeat(i as usize % 9)));
    keys
}

/// The node's view of the cluster: the masters in the order in which it lists them, with their ids
/// and slots.
struct View {
    masters: Vec<(String, String)>,
    owners: BTreeMap<u32, String>,
}

impl View {
    fn of(node: &RedisServer) -> View {
        let mut view = View { masters: Vec::new(), owners: BTreeMap::new() };
        for line in node.ask(&["CLUSTER", "NODES"]).unwrap().lines() {
            let words: Vec<&str> = line.split(' ').collect();
            let address = words[1].split('@').next().unwrap().to_owned();
            if words[2].contains("master") {
                view.masters.push((address.clone(), words[0].to_owned()));
            }
            for range in words[8..].iter().filter(|range| !range.starts_with('[')) {
                let (first, last) = range.split_once('-').unwrap_or((range, range));
                let slots = first.parse().unwrap()..=last.parse().unwrap();
                view.owners.extend(slots.map(|slot: u32| (slot, address.clone())));
            }
        }
        view
    }

    /// The tool lists the node that it contacts first, and the others as that one does.
    fn order(&self, contacted: &RedisServer) -> Vec<&str> {
        let names = self.masters.iter().map(|(name, _)| name.as_str());
        let (first, rest): (Vec<&str>, Vec<&str>) = names.partition(|&name| name == contacted.address());
        first.into_iter().chain(rest).collect()
    }

    /// The slots of each master, written down.
    fn slots(&self) -> BTreeMap<ServerName, SlotRanges> {
        let mut slots: BTreeMap<ServerName, Vec<u32>> = BTreeMap::new();
        for (&slot, address) in &self.owners {
            slots.entry(address.parse().unwrap()).or_default().push(slot);
        }
        let ranges = |slots: Vec<u32>| SlotRanges::new(slots.into_iter().map(|slot| slot..=slot)).unwrap();
        slots.into_iter().map(|(name, slots)| (name, ranges(slots))).collect()
    }

    fn id(&self, address: &str) -> &str {
        &self.masters.iter().find(|(name, _)| name == address).unwrap().1
    }
}

/// How many of the 16,384 slots have the owner that the map says.
fn matches(view: &View, map: &SlotMap) -> usize {
    let same = |slot: &u32| {
        let ours = map.owner(*slot).unwrap().name().as_str();
        view.owners.get(slot).is_some_and(|owner| owner == ours)
    };
    (0..RedisSlot::SLOTS).filter(same).count()
}

/// Until every node has heard of what the tool did last, and holds the cluster for up: a master that has
/// lately been cut off from the others answers `CLUSTERDOWN` for a while, whatever it knows of slots.
fn settled(nodes: &[RedisServer], map: &SlotMap) -> View {
    let up = |node: &RedisServer| node.ask(&["CLUSTER", "INFO"]).unwrap().contains("cluster_state:ok");
    let knows = |node: &RedisServer| matches(&View::of(node), map) == RedisSlot::SLOTS as usize;
    // If they do not, the count of slots shows where they differ.
    let _ = until(|| nodes.iter().all(|node| knows(node) && up(node)).then_some(()));
    View::of(&nodes[0])
}

fn fleet(addresses: &[String]) -> Buckets {
    let servers: Result<Vec<Server>, _> = addresses.iter().map(|name| Server::new(name.as_str())).collect();
    Buckets::new(servers.unwrap()).unwrap()
}

#[test]
#[ignore = "starts redis-server: run by `cargo xtask live`"]
fn redis_cluster_gives_keys_their_slots_and_slots_their_masters() {
    let version = RedisServer::version().expect("redis-server is installed: `cargo xtask packages`");
    let nodes: Vec<RedisServer> = (0..4).map(|_| RedisServer::start().unwrap()).collect();
    let addresses: Vec<String> = nodes.iter().map(RedisServer::address).collect();
    let mut score = Score::new("redis", version);

    let keys = keys();
    let commands: Vec<Vec<&[u8]>> =
        keys.iter().map(|key| vec![&b"CLUSTER"[..], b"KEYSLOT", key.as_slice()]).collect();
    for (key, answer) in keys.iter().zip(nodes[0].ask_many(&commands).unwrap()) {
        let ours = format!(":{}", RedisSlot.hash(key));
        score.answer(&answer, &ours, || format!("the slot of {}", key.escape_ascii()));
    }

    let mut arguments = vec!["create"];
    arguments.extend(addresses.iter().map(String::as_str));
    arguments.push("--cluster-yes");
    let said = tool(&arguments).unwrap();
    assert!(said.contains("All 16384 slots covered"), "{said}");
    let cluster = Options::default().build(&fleet(&addresses)).unwrap();
    let mut view = settled(&nodes, cluster.map());
    score.count(matches(&view, cluster.map()), RedisSlot::SLOTS as usize, || said.clone());

    let weights = vec![(addresses[1].clone(), 1.3), (addresses[3].clone(), 0.9)];
    let rebalance = Rebalance { weights: weights.clone(), ..Rebalance::default() };
    let plan = rebalance.plan(cluster.map(), &view.order(&nodes[0])).unwrap();
    let weights: Vec<String> =
        weights.iter().map(|(name, weight)| format!("{}={weight}", view.id(name))).collect();
    let mut arguments = vec!["rebalance", &addresses[0], "--cluster-weight"];
    arguments.extend(weights.iter().map(String::as_str));
    let said = tool(&arguments).unwrap();
    let after = plan.after();
    view = settled(&nodes, &after);
    score.count(matches(&view, &after), RedisSlot::SLOTS as usize, || said.clone());

    // One source gives all it has, and the run stops one slot later.
    let gives = after.slot_counts()[after.index_of(&addresses[0]).unwrap().index()];
    let both = gives + after.slot_counts()[after.index_of(&addresses[2]).unwrap().index()];
    let reshard = Reshard {
        from: vec![addresses[0].clone(), addresses[2].clone()],
        to: addresses[1].clone(),
        slots: both,
    };
    let plan = reshard.plan(&after, &view.order(&nodes[0])).unwrap();
    assert!(plan.stops_after().is_some());
    let from = format!("{},{}", view.id(&addresses[0]), view.id(&addresses[2]));
    let (to, slots) = (view.id(&addresses[1]).to_owned(), both.to_string());
    let said = tool(&[
        "reshard",
        &addresses[0],
        "--cluster-from",
        &from,
        "--cluster-to",
        &to,
        "--cluster-slots",
        &slots,
        "--cluster-yes",
    ])
    .unwrap();
    let left = plan.first_run();
    view = settled(&nodes, &left);
    score.count(matches(&view, &left), RedisSlot::SLOTS as usize, || said.clone());

    score.close(54_152);
}

/// Seven masters, then three with replicas: the maps that the tool deals, and whom a node names to a
/// client that asks it for a key of another.
#[test]
#[ignore = "starts redis-server: run by `cargo xtask live`"]
fn a_redis_node_names_the_owners_that_the_dealt_map_has() {
    let version = RedisServer::version().expect("redis-server is installed: `cargo xtask packages`");
    let keys = keys();
    let gets: Vec<Vec<&[u8]>> = keys.iter().map(|key| vec![&b"GET"[..], key.as_slice()]).collect();
    let mut score = Score::new("redis", version);
    for replicas in [0, 1] {
        let nodes: Vec<RedisServer> = (0..7).map(|_| RedisServer::start().unwrap()).collect();
        let addresses: Vec<String> = nodes.iter().map(RedisServer::address).collect();
        let count = replicas.to_string();
        let mut arguments = vec!["create"];
        arguments.extend(addresses.iter().map(String::as_str));
        arguments.extend(["--cluster-replicas", &count, "--cluster-yes"]);
        let said = tool(&arguments).unwrap();
        assert!(said.contains("All 16384 slots covered"), "{said}");
        let dealt = Options { replicas, ..Options::default() }.build(&fleet(&addresses)).unwrap();
        let view = settled(&nodes, dealt.map());
        score.count(matches(&view, dealt.map()), RedisSlot::SLOTS as usize, || said.clone());

        let told = Options { slots: Some(view.slots()), ..Options::default() };
        let told = told.build(&fleet(&addresses)).unwrap();
        for (key, answer) in keys.iter().zip(nodes[0].ask_many(&gets).unwrap()) {
            // A node that has the key's slot says that it has no such key.
            let named = match answer.strip_prefix("-MOVED ").and_then(|rest| rest.split_once(' ')) {
                Some((_, address)) => address,
                None if answer == "$-1" => &addresses[0],
                None => panic!("{answer}"),
            };
            score.answer(named, told.owner(key).name().as_str(), || format!("{}", key.escape_ascii()));
        }
    }
    score.close(42_768);
}

/// Until every node knows all the others as masters.
fn met(nodes: &[RedisServer]) {
    for node in nodes {
        for other in nodes {
            let address = other.address();
            let (host, port) = address.split_once(':').unwrap();
            assert_eq!(node.ask(&["CLUSTER", "MEET", host, port]).unwrap(), "+OK");
        }
    }
    let all = |node: &RedisServer| View::of(node).masters.len() == nodes.len();
    until(|| nodes.iter().all(all).then_some(())).expect("the nodes meet");
}

/// Two masters without slots, as they are when they have joined or were emptied: one that is to have its
/// share, and one that weighs nothing.
#[test]
#[ignore = "starts redis-server: run by `cargo xtask live`"]
fn an_empty_master_is_passed_over_until_the_tool_is_told_to_use_it() {
    let version = RedisServer::version().expect("redis-server is installed: `cargo xtask packages`");
    let nodes: Vec<RedisServer> = (0..8).map(|_| RedisServer::start().unwrap()).collect();
    let addresses: Vec<String> = nodes.iter().map(RedisServer::address).collect();
    let mut score = Score::new("redis", version);
    let mut arguments = vec!["create"];
    arguments.extend(addresses[..6].iter().map(String::as_str));
    arguments.push("--cluster-yes");
    let said = tool(&arguments).unwrap();
    assert!(said.contains("All 16384 slots covered"), "{said}");
    met(&nodes);
    let six = Options::default().build(&fleet(&addresses[..6])).unwrap();
    let slots = Some(six.map().ranges());
    let mut map = Options { slots, ..Options::default() }.build(&fleet(&addresses)).unwrap().map().clone();
    let mut view = settled(&nodes, &map);

    let (newcomer, empty) = (&addresses[6], &addresses[7]);
    let weightless = Rebalance { weights: vec![(empty.clone(), 0.0)], ..Rebalance::default() };
    // Of shares of a seventh slots are left over: whoever gives none gets some of them, whatever it weighs.
    for (use_empty_masters, left) in [(false, [0, 0]), (true, [2_342, 2])] {
        let rebalance = Rebalance { use_empty_masters, ..weightless.clone() };
        map = rebalance.plan(&map, &view.order(&nodes[0])).unwrap().after();
        let counts = map.slot_counts();
        assert_eq!([newcomer, empty].map(|name| counts[map.index_of(name).unwrap().index()]), left);
        let weight = format!("{}=0", view.id(empty));
        let mut arguments = vec!["rebalance", &addresses[0], "--cluster-weight", &weight];
        arguments.extend(use_empty_masters.then_some("--cluster-use-empty-masters"));
        let said = tool(&arguments).unwrap();
        view = settled(&nodes, &map);
        score.count(matches(&view, &map), RedisSlot::SLOTS as usize, || said.clone());
    }
    score.close(32_768);
}
