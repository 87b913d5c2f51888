//! Redis Cluster and Valkey: 16,384 slots, dealt and moved by the tool that comes with them.
//!
//! | parameter | value |
//! |---|---|
//! | slot of a key | [`RedisSlot`]: CRC-16/XMODEM of the hash tag's part, low 14 bits |
//! | owner | the map's, and nothing else: [`Slots::redis`]; the map is [written down](Options::slots) or dealt |
//! | first map, `--cluster create` | a run of slots for each master, bounds rounded in IEEE single; no weights |
//! | order of masters there | round robin over the hosts, in the order in which each is first named |
//! | `--cluster rebalance` | [`Rebalance`]: weights in IEEE single, whole slots, what is left over to those that receive |
//! | `--cluster reshard` | [`Reshard`]: from each source in proportion to what it has, the lowest slots first |
//! | a dead server | its slots have no owner until a replica of its own takes them all |
//!
//! Which slots a rebalance moves follows from the map, the weights, and the order in which the tool
//! lists the masters: the node that it contacts, then the others as `CLUSTER NODES` there has them.
//! That order is random for each cluster and does not change while it lives, so it is an argument
//! here.
//!
//! # A run that stops half way
//! With `cluster-allow-replica-migration yes`, the default, a master that gives away its last slot
//! becomes a replica of the one that took it. When the tool then moves a slot between two others it
//! also tells that node, which refuses (`ERR Please use SETSLOT only with masters`), and the tool
//! stops: one slot of the next step has moved. [`Plan::first_run`] is the map it leaves; a second run
//! plans anew from there. Only after all other slots have gone is the emptied master harmless.
//!
//! Checked against redis 7.0.15 and Valkey's development version of 2024-10-25 (commit 55bbbe09).
//! Masters whose numbers decide an order and are equal keep theirs; the tool sorts with `qsort`,
//! which the C library may do otherwise.

use alloc::collections::BTreeMap;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::fmt;

mod rebalance;
mod reshard;

pub use rebalance::Rebalance;
pub use reshard::Reshard;

use crate::error::{Error, Kind};
use crate::hash::RedisSlot;
use crate::members::{Buckets, Members};
use crate::placement::ServerIx;
use crate::server::{Server, ServerName};
use crate::slots::{SlotMap, SlotRanges, Slots};

/// A cluster by its map, or as `--cluster create` deals it to nodes in the order of the command line.
///
/// ```
/// use clockwise::dialect::redis::Options;
/// use clockwise::{Buckets, Server};
///
/// let nodes = (1..=6).map(|i| Server::new(format!("10.0.0.{i}:6379")));
/// let nodes = Buckets::new(nodes.collect::<Result<Vec<_>, _>>()?)?;
/// let cluster = Options { replicas: 1, ..Options::default() }.build(&nodes)?;
/// assert_eq!(cluster.slot("{user1000}.following"), 3443);
/// assert_eq!(cluster.owner("{user1000}.following").name().as_str(), "10.0.0.1:6379");
///
/// // The same cluster as its nodes would tell of it.
/// let told = Options { slots: Some(cluster.map().ranges()), ..Options::default() };
/// assert_eq!(told.build(&nodes)?.map(), cluster.map());
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// `--cluster-replicas`: of the nodes, one in `replicas + 1` is a master, the first ones round
    /// robin over the hosts. A map that is written down knows its masters itself.
    pub replicas: u32,
    /// The slots of each master, as `CLUSTER NODES` and `CLUSTER SLOTS` tell them; none: as
    /// `--cluster create` deals them. A slot that is on its way belongs to the master that it leaves.
    pub slots: Option<BTreeMap<ServerName, SlotRanges>>,
}

impl Options {
    /// The cluster as the tool first makes it. Nodes that become replicas are listed and own
    /// nothing; which master each of them follows is no matter of placement. A host is the part of
    /// the address before the port. Draining servers are not on the command line.
    ///
    /// Where the map is written down, a node without slots owns nothing, and slots of a node that is
    /// not listed have no owner. A cluster may live with slots that nobody owns
    /// (`cluster-require-full-coverage no`) and answers for their keys with an error; there is no
    /// placement of it, and the error here says how many they are and the first range of them.
    ///
    /// Refuses fewer than three masters, as the tool does, and so many (7,542 is the first number)
    /// that the tool's rounding leads past the last slot; and of a map what [`SlotMap::of_ranges`]
    /// refuses.
    pub fn build(&self, nodes: &Buckets) -> Result<Slots<RedisSlot>, Error> {
        if let Some(slots) = &self.slots {
            return Slots::redis(&SlotMap::of_ranges(&Members::from(nodes), RedisSlot::SLOTS, slots)?);
        }
        let nodes_in_turn = round_robin(nodes);
        let masters = nodes_in_turn.len() / (self.replicas as usize).saturating_add(1);
        if masters < 3 {
            return Err(Error::new(Kind::Option {
                name: "number of masters",
                value: masters.to_string(),
                problem: "is too small: a cluster needs at least 3",
            }));
        }
        let mut map = SlotMap::builder(&Members::from(nodes), RedisSlot::SLOTS)?;
        let mut first = 0;
        for (server, last) in nodes_in_turn.iter().zip(lasts(masters)) {
            map = map.assign(first..=last, server.name().as_str())?;
            first = last + 1;
        }
        Slots::redis(&map.build()?)
    }

    /// The cluster after a change of its nodes or their weights, as `--cluster rebalance
    /// --cluster-use-empty-masters` makes it of the map that there is: newcomers are added without
    /// slots first, and what leaves or drains weighs 0 until it is empty, and then counts no longer.
    /// `nodes` is the order in which the tool lists them; nodes that leave come last.
    ///
    /// A map of its own ([`Options::slots`]) that is another one than `map` is the answer itself.
    /// Refuses what [`Rebalance::plan`] refuses.
    pub fn build_after(&self, map: &SlotMap, nodes: &Buckets) -> Result<Slots<RedisSlot>, Error> {
        if self.slots.as_ref().is_some_and(|slots| *slots != map.ranges()) {
            return self.build(nodes);
        }
        let members = Members::from(nodes);
        let weights = |servers: &[Server]| -> BTreeMap<ServerName, u32> {
            let active = servers.iter().filter(|server| !server.is_draining());
            active.map(|server| (server.name().clone(), server.weight().get())).collect()
        };
        if weights(map.servers()) == weights(nodes.servers()) {
            return Slots::redis(&map.over(&members)?);
        }
        let counts = map.slot_counts();
        let holds = |name: &str| map.index_of(name).is_some_and(|at| counts[at.index()] > 0);
        let staying = nodes.servers().iter().map(|node| (node, node.effective_weight()));
        let gone = map.servers().iter().filter(|owner| members.get(owner.name().as_str()).is_none());
        let (mut all, mut weights) = (Vec::new(), Vec::new());
        for (node, weight) in staying.chain(gone.map(|owner| (owner, 0))) {
            // One that was emptied before is no master of the cluster any more. The tool would give it a slot
            // where shares do not come out even.
            if weight > 0 || holds(node.name().as_str()) {
                all.push(node.clone().active());
                weights.push((node.name().to_string(), weight as f32));
            }
        }
        let union = Members::new(all.iter().cloned())?;
        let order: Vec<&str> = all.iter().map(|node| node.name().as_str()).collect();
        let rebalance = Rebalance { weights, use_empty_masters: true, ..Rebalance::default() };
        let plan = rebalance.plan(&map.over(&union)?, &order)?;
        Slots::redis(&plan.after().over(&members)?)
    }
}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad("redis-cluster")
    }
}

/// One node of each host in turn, hosts in the order in which they are first named.
fn round_robin(nodes: &Buckets) -> Vec<&Server> {
    let mut named = BTreeMap::new();
    let mut hosts: Vec<Vec<&Server>> = Vec::new();
    for (_, node) in nodes.active() {
        let host = *named.entry(node.address().host()).or_insert(hosts.len());
        match hosts.get_mut(host) {
            Some(there) => there.push(node),
            None => hosts.push(alloc::vec![node]),
        }
    }
    let turns = hosts.iter().map(Vec::len).max().unwrap_or(0);
    (0..turns).flat_map(|turn| hosts.iter().filter_map(move |there| there.get(turn).copied())).collect()
}

/// The last slot of each of so many masters.
fn lasts(masters: usize) -> impl Iterator<Item = u32> {
    let each = RedisSlot::SLOTS as f32 / masters as f32;
    let (mut cursor, mut first) = (0.0_f32, 0);
    (1..=masters).map(move |number| {
        // A float widened, a half added and cut: the tool's lround, of numbers from 0.
        let rounded = (f64::from(cursor + each - 1.0) + 0.5) as u32;
        let last = if number == masters { RedisSlot::SLOTS - 1 } else { rounded }.max(first);
        cursor += each;
        first = last + 1;
        last
    })
}

/// Slots that go from one master to another, in the order in which the tool moves them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Who gives them, as an index into the map's servers.
    pub from: ServerIx,
    /// Who gets them.
    pub to: ServerIx,
    /// The slots, ascending.
    pub slots: Vec<u32>,
}

/// What the tool does to a cluster, step by step.
#[derive(Clone, Debug)]
pub struct Plan {
    before: SlotMap,
    steps: Vec<Step>,
}

impl Plan {
    /// The steps, in order. The servers are those of the map that was planned from.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// How many slots move in all.
    pub fn moved(&self) -> usize {
        self.steps.iter().map(|step| step.slots.len()).sum()
    }

    /// The map when every step has been made.
    pub fn after(&self) -> SlotMap {
        self.made(usize::MAX)
    }

    /// The map that a single run of the tool leaves: [`after`](Plan::after), unless it
    /// [stops half way](self#a-run-that-stops-half-way).
    pub fn first_run(&self) -> SlotMap {
        self.made(self.stops_after().unwrap_or(usize::MAX))
    }

    /// After how many slots a single run of the tool stops by itself, if it does.
    pub fn stops_after(&self) -> Option<usize> {
        let mut left = self.before.slot_counts();
        let mut made = 0;
        for (at, step) in self.steps.iter().enumerate() {
            made += step.slots.len();
            let has = &mut left[step.from.index()];
            *has = has.saturating_sub(step.slots.len() as u32);
            let emptied = *has == 0;
            left[step.to.index()] += step.slots.len() as u32;
            if emptied && at + 1 < self.steps.len() {
                return Some(made + 1);
            }
        }
        None
    }

    fn made(&self, moves: usize) -> SlotMap {
        let slots = self.steps.iter().flat_map(|step| step.slots.iter().map(|&slot| (slot, step.to)));
        self.before.moved(slots.take(moves))
    }
}

/// The masters of a map in the tool's order: each active server once.
fn in_order(map: &SlotMap, order: &[&str]) -> Result<Vec<ServerIx>, Error> {
    let servers = map.servers();
    let mut masters: Vec<ServerIx> = Vec::with_capacity(order.len());
    let mut listed = alloc::vec![false; servers.len()];
    for name in order {
        let unknown = || Error::unknown_server(*name);
        let at = map.index_of(name).ok_or_else(unknown)?;
        if servers[at.index()].is_draining() {
            return Err(unknown());
        }
        if core::mem::replace(&mut listed[at.index()], true) {
            return Err(Error::new(Kind::Option {
                name: "order of masters",
                value: alloc::format!("{order:?}"),
                problem: "names it twice",
            })
            .of_server(*name));
        }
        masters.push(at);
    }
    let missing = servers.iter().zip(listed).find(|(server, listed)| !listed && !server.is_draining());
    match missing {
        None => Ok(masters),
        Some((server, _)) => Err(Error::new(Kind::Option {
            name: "order of masters",
            value: alloc::format!("{order:?}"),
            problem: "does not name it",
        })
        .of_server(server.name().as_str())),
    }
}

/// The slots of each server, ascending.
fn slots_by_server(map: &SlotMap) -> Vec<Vec<u32>> {
    let mut slots = alloc::vec![Vec::new(); map.servers().len()];
    for (slot, owner) in (0..).zip(map.owners()) {
        slots[owner.index()].push(slot);
    }
    slots
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::String;

    use super::*;
    use crate::testing::list;

    fn at(nodes: &[(&str, &str)]) -> Buckets {
        let server =
            |&(name, address): &(&str, &str)| Server::new(name).unwrap().with_address(address).unwrap();
        Buckets::new(nodes.iter().map(server)).unwrap()
    }

    /// The first slot of each server that has any, in order of slots.
    fn firsts(cluster: &Slots<RedisSlot>) -> Vec<&str> {
        let map = cluster.map();
        let mut names: Vec<&str> =
            map.owners().iter().map(|ix| map.servers()[ix.index()].name().as_str()).collect();
        names.dedup();
        names
    }

    #[test]
    fn runs_of_slots_cover_all_and_differ_by_at_most_one_in_clusters_of_any_sensible_size() {
        // From 2,688 masters on the sum of single-precision shares is off by a whole slot.
        for masters in 3..2_688 {
            let mut first = 0;
            for last in lasts(masters) {
                let (size, even) = (last + 1 - first, 16_384 / masters as u32);
                assert!(size == even || size == even + 1, "{masters} masters: {first}..={last}");
                first = last + 1;
            }
            assert_eq!(first, 16_384, "{masters} masters");
        }
        assert_eq!(lasts(7_542).last(), Some(16_384));
    }

    #[test]
    fn masters_are_taken_host_by_host() {
        let nodes = at(&[
            ("a1", "10.0.0.1:6379"),
            ("a2", "10.0.0.1:6380"),
            ("a3", "10.0.0.1:6381"),
            ("b1", "10.0.0.2:6379"),
            ("c1", "10.0.0.3:6379"),
            ("c2", "10.0.0.3:6380"),
        ]);
        assert_eq!(firsts(&Options::default().build(&nodes).unwrap()), ["a1", "b1", "c1", "a2", "c2", "a3"]);
        let with_replicas = Options { replicas: 1, ..Options::default() }.build(&nodes).unwrap();
        assert_eq!(firsts(&with_replicas), ["a1", "b1", "c1"]);
        assert_eq!(with_replicas.map().slotless().count(), 3);
    }

    #[test]
    fn a_master_that_drains_or_leaves_gives_all_its_slots_and_no_others_move() {
        let fleet = |spec: &[(&str, u32)]| list(spec);
        let before = Options::default().build(&fleet(&[("m1", 1), ("m2", 1), ("m3", 1), ("m4", 1)])).unwrap();
        let state = |server: &Server| match server.name().as_str() {
            "m1" => server.clone().draining(),
            _ => server.clone(),
        };
        let four = fleet(&[("m1", 1), ("m2", 1), ("m3", 1), ("m4", 1)]);
        let drained = Buckets::new(four.servers().iter().map(state)).unwrap();
        for after in [drained, fleet(&[("m2", 1), ("m3", 1), ("m4", 1)])] {
            let after = Options::default().build_after(before.map(), &after).unwrap();
            let counts = |name| match after.map().index_of(name) {
                Some(at) => after.map().slot_counts()[at.index()],
                None => 0,
            };
            assert_eq!(["m1", "m2", "m3", "m4"].map(counts), [0, 5462, 5461, 5461]);
            let owners = |cluster: &Slots<RedisSlot>, slot| cluster.map().owner(slot).unwrap().name().clone();
            for slot in 0..RedisSlot::SLOTS {
                let (from, to) = (owners(&before, slot), owners(&after, slot));
                assert!(from == to || from.as_str() == "m1", "slot {slot} goes from {from} to {to}");
            }
        }
    }

    #[test]
    fn a_master_that_was_emptied_before_gets_no_slot_again() {
        let five = list(&[("a", 1), ("b", 1), ("c", 1), ("d", 1), ("e", 1)]);
        let drained = five.servers().iter().map(|server| match server.name().as_str() {
            "c" => server.clone().draining(),
            _ => server.clone(),
        });
        let before = Buckets::new(drained).unwrap();
        let map = Options::default().build(&before).unwrap();
        let with = |fleet: &Buckets, name: &str| {
            let newcomer = Server::new(name).unwrap();
            Buckets::new(fleet.servers().iter().cloned().chain([newcomer])).unwrap()
        };
        // Five shares of 16,384 leave four slots over: they go to whoever has no more than its share.
        let stays = with(&before, "f");
        let leaves = with(&list(&[("a", 1), ("b", 1), ("d", 1), ("e", 1)]), "f");
        for after in [stays, leaves] {
            let after = Options::default().build_after(map.map(), &after).unwrap();
            let slots = |name| after.map().index_of(name).map(|at| after.map().slot_counts()[at.index()]);
            assert_eq!(["a", "b", "d", "e", "f"].map(slots), [3_276, 3_276, 3_276, 3_276, 3_280].map(Some));
            assert_eq!(slots("c").unwrap_or(0), 0);
        }
    }

    #[test]
    fn a_newcomer_takes_its_share_and_another_map_is_taken_as_it_is() {
        let before = Options::default().build(&list(&[("a", 1), ("b", 1), ("c", 1)])).unwrap();
        let four = list(&[("a", 1), ("b", 1), ("c", 1), ("d", 1)]);
        // Told as a map or not, it is the map that there is.
        let told = Options { slots: Some(before.map().ranges()), ..Options::default() };
        for options in [Options::default(), told.clone()] {
            let after = options.build_after(before.map(), &four).unwrap();
            assert_eq!(after.map().slot_counts(), [4096, 4096, 4096, 4096]);
        }
        // New addresses or the same list move nothing; weights do.
        let same = told.build_after(before.map(), &list(&[("a", 1), ("b", 1), ("c", 1)])).unwrap();
        assert_eq!(same.map().ranges(), before.map().ranges());
        let heavy = told.build_after(before.map(), &list(&[("a", 1), ("b", 1), ("c", 2)])).unwrap();
        assert_eq!(heavy.map().slot_counts(), [4096, 4096, 8192]);
        let other = Options { slots: Some(heavy.map().ranges()), ..Options::default() };
        let after = other.build_after(before.map(), &list(&[("a", 1), ("b", 1), ("c", 1)])).unwrap();
        assert_eq!(after.map().ranges(), heavy.map().ranges());
    }

    #[test]
    fn too_few_and_too_many_masters_are_refused() {
        let nodes = list(&[("a", 1), ("b", 1), ("c", 1), ("d", 1), ("e", 1)]);
        assert!(Options::default().build(&nodes).is_ok());
        for replicas in [1, 2, u32::MAX] {
            let error = Options { replicas, ..Options::default() }.build(&nodes).unwrap_err();
            assert!(error.is_parameter(), "{error}");
        }
        let names: Vec<String> = (0..16_385).map(|i| format!("n{i}")).collect();
        let many: Vec<(&str, u32)> = names.iter().map(|name| (name.as_str(), 1)).collect();
        assert!(Options::default().build(&list(&many)).unwrap_err().is_parameter());
        let full = Options::default().build(&list(&many[1..])).unwrap();
        assert!(full.map().slot_counts().iter().all(|&slots| slots == 1));
    }

    #[test]
    fn a_map_that_is_written_down_is_the_placement_and_its_gaps_are_told() {
        let nodes = list(&[("a", 1), ("b", 1), ("c", 1)]);
        let slots = |given: &[(&str, &str)]| Options {
            slots: Some(given.iter().map(|(n, s)| (n.parse().unwrap(), s.parse().unwrap())).collect()),
            ..Options::default()
        };
        // One master is enough, and a node without slots is none.
        let cluster = slots(&[("b", "0-99,101-16383"), ("c", "100")]).build(&nodes).unwrap();
        assert_eq!(cluster.map().slot_counts(), [0, 16_383, 1]);
        assert_eq!(cluster.map().owner(100).unwrap().name().as_str(), "c");

        for (given, said) in [
            (&[("b", "0-99,103-16383")][..], "3 of 16384 slots have no owner, the first of them 100-102"),
            (
                &[("b", "0-99"), ("d", "100-16383")],
                "16284 of 16384 slots have no owner, the first of them 100-16383",
            ),
            (&[("a", "0-99"), ("b", "99-16383")], "server \"b\": slot 99 already belongs to \"a\""),
            (&[("a", "0-16384")], "server \"a\": slot 16384 is outside 0..16384"),
            (&[], "16384 of 16384 slots have no owner, the first of them 0-16383"),
        ] {
            let error = slots(given).build(&nodes).unwrap_err();
            assert!(error.is_parameter());
            assert_eq!(format!("{error}"), said);
        }
    }

    #[test]
    fn the_order_must_name_each_master_once() {
        let cluster = Options::default().build(&list(&[("a", 1), ("b", 1), ("c", 1)])).unwrap();
        let order = |names: &[&str]| in_order(cluster.map(), names);
        assert!(order(&["b", "a", "c"]).is_ok());
        assert!(order(&["b", "a", "d"]).unwrap_err().is_unknown_server());
        for (wrong, server) in [(&["b", "a"][..], "c"), (&["b", "a", "c", "a"], "a")] {
            let error = order(wrong).unwrap_err();
            assert!(error.is_parameter(), "{error}");
            assert_eq!(error.server(), Some(server));
        }
    }
}
