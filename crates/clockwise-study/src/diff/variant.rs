//! The first fleet with some knobs set to what the second has, built and counted.

use std::collections::BTreeMap;

use clockwise::hash::{KeyHash, Xxh3};
use clockwise::ring::Tie;
use clockwise::{Buckets, Built, BuiltHash, Error, Placement as _, Ring, Server, ServerIx, ServerName};
use clockwise_config::Settings;

use super::anatomy::{self, Parts};
use super::knob::Knob;
use super::owners;
use crate::pairing::Pairing;
use crate::plan::Fleet;

/// Two fleets and the keys that are asked of them. The first is what is turned into the second,
/// whichever of the two that is.
pub(super) struct Case<'c> {
    /// What the first and the second are called.
    pub(super) sides: [&'static str; 2],
    pub(super) a: &'c Fleet,
    pub(super) b: &'c Fleet,
    pub(super) pairing: &'c Pairing,
    pub(super) built_a: &'c Built,
    pub(super) built_b: &'c Built,
    pub(super) settings_a: Settings,
    pub(super) settings_b: Settings,
    pub(super) parts_b: Parts,
    keys: &'c [&'c [u8]],
    /// Of each key, by the second fleet.
    owner_in_b: Vec<u32>,
}

/// Servers with the machine that each is, in the order of a list.
pub(super) type Listed = Vec<(u32, Server)>;

/// The servers of a list by machine.
pub(super) type Machines<'l> = BTreeMap<u32, &'l Server>;

pub(super) fn by_machine(listed: &Listed) -> Machines<'_> {
    listed.iter().map(|(machine, server)| (*machine, server)).collect()
}

impl<'c> Case<'c> {
    pub(super) fn new(
        [(a, built_a), (b, built_b)]: [(&'c Fleet, &'c Built); 2],
        pairing: &'c Pairing,
        keys: &'c [&'c [u8]],
        owners_b: &[ServerIx],
    ) -> Case<'c> {
        let machines = machines(built_b, &listed(pairing.second(), &b.servers));
        Case {
            sides: ["A", "B"],
            a,
            b,
            pairing,
            built_a,
            built_b,
            settings_a: Settings::of(&a.scheme),
            settings_b: Settings::of(&b.scheme),
            parts_b: Parts::of(built_b, &machines),
            owner_in_b: owners_b.iter().map(|ix| machines[ix.index()]).collect(),
            keys,
        }
    }

    pub(super) fn is_same_system(&self) -> bool {
        self.settings_a.is_same_system(&self.settings_b)
    }

    /// How many keys there are.
    pub(super) fn keys(&self) -> u64 {
        self.keys.len() as u64
    }

    /// The first fleet's list.
    pub(super) fn listed_a(&self) -> Listed {
        listed(self.pairing.first(), &self.a.servers)
    }

    /// The second fleet's list.
    pub(super) fn listed_b(&self) -> Listed {
        listed(self.pairing.second(), &self.b.servers)
    }

    /// How many keys the first fleet with these knobs set places differently from the second. None
    /// if that is more than `limit`, or if there is no such placement.
    pub(super) fn differing(&self, set: &[&Knob], limit: u64) -> Option<u64> {
        let variant = self.variant(set).ok()?;
        let mut differing = 0;
        let within = variant.each_owner(self.keys, |key, machine| {
            differing += u64::from(machine != self.owner_in_b[key]);
            differing <= limit
        });
        within.then_some(differing)
    }

    /// The first fleet with these knobs set.
    pub(super) fn variant(&self, set: &[&Knob]) -> Result<Variant<'_>, NotBuilt> {
        let servers = self.servers(set)?;
        let mut settings = self.settings_a.clone();
        for knob in set {
            if let Knob::Setting { key, value } = knob {
                settings = settings.with(key, value.as_deref());
            }
        }
        let has = |knob: &Knob| set.contains(&knob);
        // What stands before keys is a knob of its own, whatever places them.
        let ours = settings.scheme().map_err(|_| NotBuilt)?;
        let scheme = match (has(&Knob::Scheme), ours.key_prefix()) {
            (true, Some(prefix)) => self.b.scheme.clone().with_key_prefix(prefix.clone()),
            (true, None) => self.b.scheme.bare().clone(),
            (false, _) => ours,
        };
        let buckets = Buckets::new(servers.iter().map(|(_, server)| server.clone()))?;
        let built = scheme.build(&buckets)?;
        let machines = machines(&built, &servers);
        let lent = match (Parts::of(&built, &machines), &self.parts_b) {
            (Parts::Circle { points, boundary }, Parts::Circle { points: theirs, boundary: rule }) => {
                let mut points = if has(&Knob::Points) { theirs.clone() } else { points };
                if has(&Knob::Ties) {
                    points = anatomy::with_ties_of(points, theirs);
                }
                let boundary = if has(&Knob::Boundary) { *rule } else { boundary };
                Parts::Circle { points, boundary }
            }
            (Parts::Table(table), Parts::Table(theirs)) => Parts::Table(match has(&Knob::Buckets) {
                true => theirs.clone(),
                false if has(&Knob::BucketOrder) => anatomy::in_order_of(&table, theirs).unwrap_or(table),
                false => table,
            }),
            (other, _) => other,
        };
        let lends =
            [Knob::Points, Knob::Ties, Knob::Boundary, Knob::Buckets, Knob::BucketOrder, Knob::KeyHash]
                .iter()
                .any(has);
        let hash = match has(&Knob::KeyHash) && lent.is_like(&self.parts_b) {
            true => self.built_b.key_hash(),
            false => None,
        };
        let reassembled = match lent {
            _ if !lends => Reassembled::No,
            Parts::Circle { points, boundary } => {
                let points = points.into_iter().map(|(at, machine)| (at, ServerIx::new(machine))).collect();
                Reassembled::Circle(Ring::from_points(Xxh3, &self.numbered()?, points, boundary, Tie::First)?)
            }
            Parts::Table(table) => Reassembled::Table(table),
            Parts::Other => Reassembled::No,
        };
        Ok(Variant { built, machines, reassembled, hash })
    }

    /// A server a machine, for rings whose points know machines.
    fn numbered(&self) -> Result<Buckets, Error> {
        let servers = (0..self.pairing.machines()).map(|machine| Server::new(machine.to_string()));
        Buckets::new(servers.collect::<Result<Vec<_>, _>>()?)
    }

    /// The first fleet's servers with what the knobs say of servers.
    pub(super) fn servers(&self, set: &[&Knob]) -> Result<Listed, Error> {
        let has = |knob: &Knob| set.contains(&knob);
        let theirs = self.listed_b();
        let in_b = by_machine(&theirs);
        let in_a: BTreeMap<u32, &Server> =
            self.pairing.first().iter().copied().zip(self.a.servers.servers()).collect();
        let label = set.iter().find_map(|knob| match knob {
            Knob::Label { slot, text } if !has(&Knob::Scheme) => Some((*slot, *text)),
            _ => None,
        });
        let mut listed: Listed = Vec::new();
        for (machine, server) in self.listed_a() {
            let Some(&other) = in_b.get(&machine) else {
                if !has(&Knob::OnlyInA) {
                    listed.push((machine, server));
                }
                continue;
            };
            let mut server = server;
            if has(&Knob::Names) {
                server = server.with_name(other.name().clone());
            }
            if has(&Knob::Addresses) {
                server = server.with_address(other.address().clone())?;
            }
            if has(&Knob::Weights) {
                server = server.with_weight(other.weight())?;
            }
            if has(&Knob::Zones) {
                server = with_zone_of(server, other)?;
            }
            if has(&Knob::States) {
                server = if other.is_draining() { server.draining() } else { server.active() };
            }
            if let Some((slot, text)) = label {
                server = slot.set(server, &text.of(other))?;
            }
            listed.push((machine, server));
        }
        if has(&Knob::OnlyInB) {
            for (machine, server) in theirs.iter().filter(|(machine, _)| !in_a.contains_key(machine)) {
                let server = match label {
                    Some((slot, text)) => slot.set(server.clone(), &text.of(server))?,
                    None => server.clone(),
                };
                listed.push((*machine, server));
            }
        }
        if has(&Knob::Order) {
            let places: BTreeMap<u32, usize> = theirs.iter().map(|(machine, _)| *machine).zip(0..).collect();
            listed.sort_by_key(|(machine, _)| places.get(machine).copied().unwrap_or(theirs.len()));
        }
        Ok(listed)
    }
}

/// The server in the other's zone, or in none.
fn with_zone_of(server: Server, other: &Server) -> Result<Server, Error> {
    if let Some(zone) = other.zone() {
        return server.with_zone(zone.clone());
    }
    let bare = Server::new(server.name().clone())?;
    let bare = bare.with_address(server.address().clone())?.with_weight(server.weight())?;
    Ok(if server.is_draining() { bare.draining() } else { bare })
}

fn listed(machines: &[u32], servers: &Buckets) -> Listed {
    machines.iter().copied().zip(servers.servers().iter().cloned()).collect()
}

/// Which machine each server of a placement is, by its index there.
fn machines(built: &Built, listed: &Listed) -> Vec<u32> {
    let by_name: BTreeMap<&ServerName, u32> =
        listed.iter().map(|(machine, server)| (server.name(), *machine)).collect();
    // A placement has the servers that it was built of.
    built.servers().iter().map(|server| by_name.get(server.name()).copied().unwrap_or(u32::MAX)).collect()
}

/// A combination of knobs that has no placement: two servers of one name, a weight that is too large.
#[derive(Debug)]
pub(super) struct NotBuilt;

impl From<Error> for NotBuilt {
    fn from(_: Error) -> NotBuilt {
        NotBuilt
    }
}

/// A placement with parts of another.
pub(super) struct Variant<'c> {
    pub(super) built: Built,
    pub(super) machines: Vec<u32>,
    reassembled: Reassembled,
    /// The key hash, where it is not its own; the prefix is.
    hash: Option<BuiltHash<'c>>,
}

enum Reassembled {
    No,
    Circle(Ring<Xxh3>),
    Table(Vec<u32>),
}

impl Variant<'_> {
    /// Calls `each` with the position and the machine of every key, until it says no. Whether it
    /// never did.
    fn each_owner(&self, keys: &[&[u8]], mut each: impl FnMut(usize, u32) -> bool) -> bool {
        if self.built.cap().is_some() {
            let owners = owners(&self.built, keys);
            return owners.iter().enumerate().all(|(at, ix)| each(at, self.machines[ix.index()]));
        }
        let mut keys = keys.iter().enumerate();
        let lent = self.hash.map(|hash| hash.behind(self.built.key_prefix()));
        match (&self.reassembled, lent.or(self.built.key_hash())) {
            (Reassembled::Circle(ring), Some(hash)) => keys.all(|(at, key)| {
                let owner = ring.owner_of_hash(anatomy::position(&hash, key));
                each(at, owner.get())
            }),
            (Reassembled::Table(table), Some(hash)) => keys.all(|(at, key)| {
                let bucket = hash.hash(key) % table.len() as u64;
                each(at, table[bucket as usize])
            }),
            _ => keys.all(|(at, key)| each(at, self.machines[self.built.owner_ix(key).index()])),
        }
    }

    /// Its points or buckets, as built.
    pub(super) fn parts(&self) -> Parts {
        Parts::of(&self.built, &self.machines)
    }
}
