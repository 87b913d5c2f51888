//! A state with every key placed, before the change and now.

use std::collections::BTreeMap;

use clockwise::catalogue::{self, Input};
use clockwise::dialect::Dialect;
use clockwise::hash::{KeyHash, NamedHash};
use clockwise::moves::{MoveCounter, Tally};
use clockwise::{Built, Down, Fingerprint, Moves, Placement, Scheme, ServerIx, Table, fill, route_ix};

use crate::Refusal;
use crate::state::{Fleet, State};

/// One side of a change.
#[derive(Debug)]
pub(crate) struct Side {
    pub(crate) built: Built,
    /// The number in [`Layout::names`] of each server of the placement.
    pub(crate) numbers: Vec<usize>,
    /// Where each key goes first.
    pub(crate) plain: Vec<ServerIx>,
    /// Where each key is: another server than the first where the load decides.
    pub(crate) owners: Vec<ServerIx>,
}

impl Side {
    fn new(built: Built, names: &[String], keys: &[String]) -> Side {
        let by_name: BTreeMap<&str, usize> = (0..).zip(names).map(|(at, name)| (name.as_str(), at)).collect();
        let numbers =
            built.servers().iter().map(|server| by_name.get(server.name().as_str()).copied().unwrap_or(0));
        let numbers = numbers.collect();
        let plain: Vec<ServerIx> = keys.iter().map(|key| built.owner_ix(key.as_bytes())).collect();
        let owners = match (built.cap(), built.ranked()) {
            (Some(cap), Some(base)) => fill(base, keys, cap).servers().to_vec(),
            _ => plain.clone(),
        };
        Side { built, numbers, plain, owners }
    }

    /// The number of a server in [`Layout::names`].
    pub(crate) fn number(&self, server: ServerIx) -> usize {
        self.numbers[server.index()]
    }

    /// The name of a server.
    pub(crate) fn name(&self, server: ServerIx) -> &str {
        self.built.servers()[server.index()].name().as_str()
    }

    /// How many keys each server has, by number.
    pub(crate) fn counts(&self, names: usize) -> Vec<u64> {
        let mut counts = vec![0; names];
        for owner in &self.owners {
            counts[self.number(*owner)] += 1;
        }
        counts
    }
}

/// A state with every key placed.
#[derive(Debug)]
pub(crate) struct Layout<'s> {
    pub(crate) state: &'s State,
    /// The nodes as they are, in joining order, then those that left.
    pub(crate) names: Vec<String>,
    pub(crate) keys: Vec<String>,
    pub(crate) before: Option<Side>,
    pub(crate) now: Side,
}

impl<'s> Layout<'s> {
    /// Places every key of a state, before and now.
    pub(crate) fn new(state: &'s State) -> Result<Layout<'s>, Refusal> {
        let fleet = &state.fleet;
        state.check()?;
        let keys = state.keys.all()?;
        let last = state.history.last();
        let gone = last.into_iter().flat_map(|last| &last.nodes).filter(|node| !fleet.has(&node.name));
        let names: Vec<String> = fleet.nodes.iter().chain(gone).map(|node| node.name.clone()).collect();
        // Slots move from where they are, and a history goes on: so all that came before counts.
        let mut sides: Vec<Built> = Vec::new();
        let mut was: Option<&Fleet> = None;
        let from = if remembers(fleet) { 0 } else { state.history.len().saturating_sub(1) };
        for fleet in state.history[from..].iter().chain([fleet]) {
            let servers = fleet.servers()?;
            let built = match sides.last().zip(was) {
                Some((before, was)) => fleet.placement_after(was)?.build_after(before, &servers)?,
                None => fleet.placement()?.build(&servers)?,
            };
            sides.push(built);
            was = Some(fleet);
        }
        let mut side = || sides.pop().map(|built| Side::new(built, &names, &keys));
        let now = side().ok_or_else(|| Refusal::new("there is no fleet"))?;
        let before = side();
        Ok(Layout { state, names, keys, before, now })
    }

    /// What the change moved, if there was one.
    pub(crate) fn moves(&self) -> Option<Moves> {
        let before = self.before.as_ref()?;
        let mut counter = MoveCounter::new(before.built.servers(), self.now.built.servers());
        for (from, to) in before.owners.iter().zip(&self.now.owners) {
            counter.record(*from, *to, Tally::KEY);
        }
        Some(counter.finish())
    }

    /// The nodes that are down.
    pub(crate) fn down(&self) -> Down {
        let mut down = Down::none(&self.now.built);
        for (at, server) in self.now.built.servers().iter().enumerate() {
            if self.state.down.iter().any(|name| name == server.name().as_str()) {
                down.mark(ServerIx::new(at as u32));
            }
        }
        down
    }

    /// The number of the node that answers for each key, if one does.
    pub(crate) fn answering(&self) -> Result<Vec<Option<usize>>, Refusal> {
        let down = self.down();
        let now = &self.now;
        if down.is_empty() {
            return Ok(now.owners.iter().map(|owner| Some(now.number(*owner))).collect());
        }
        if now.built.cap().is_some() {
            return match without(&self.state.fleet, &self.state.down) {
                None => Ok(vec![None; self.keys.len()]),
                Some(fleet) => {
                    let built = fleet.placement()?.build(&fleet.servers()?)?;
                    let side = Side::new(built, &self.names, &self.keys);
                    Ok(side.owners.iter().map(|owner| Some(side.number(*owner))).collect())
                }
            };
        }
        let answers = self.keys.iter().map(|key| route_ix(&now.built, key, &down).server());
        Ok(answers.map(|server| server.map(|server| now.number(server))).collect())
    }

    /// Where each key lies around the circle, 0 to 1 clockwise from the top.
    pub(crate) fn turns(&self) -> Vec<f64> {
        let place = KeyTurn::new(&self.state.fleet, &self.now.built);
        self.keys.iter().map(|key| place.of(key)).collect()
    }
}

/// Whether a fleet's placement depends on the fleets before it.
pub(crate) fn remembers(fleet: &Fleet) -> bool {
    use crate::state::SchemeName::{Catalogued, Product, Slots};
    match fleet.scheme {
        Slots => true,
        Product => matches!(fleet.placement(), Ok(Scheme::Dialect(Dialect::RedisCluster(_)))),
        Catalogued(name) => catalogue::find(name).is_some_and(|entry| entry.input == Input::History),
        _ => false,
    }
}

/// The fleet with these nodes owning nothing; none where nobody is left.
pub(crate) fn without(fleet: &Fleet, down: &[String]) -> Option<Fleet> {
    let mut fleet = fleet.clone();
    for node in &mut fleet.nodes {
        if down.contains(&node.name) {
            node.weight = 0;
        }
    }
    fleet.nodes.iter().any(|node| node.weight > 0).then_some(fleet)
}

/// How keys are laid around the circle: by the number that decides, where one does.
pub(crate) struct KeyTurn<'a> {
    hash: Box<dyn KeyHash + 'a>,
    table: Option<Table>,
}

/// Where a placement has no key hash of its own.
const LAB_HASH: NamedHash = NamedHash::Fmix32Fnv1a32;

impl<'a> KeyTurn<'a> {
    pub(crate) fn new(fleet: &Fleet, built: &'a Built) -> KeyTurn<'a> {
        let hash: Box<dyn KeyHash + 'a> = match built.key_hash() {
            Some(hash) => Box::new(hash),
            None => Box::new(fleet.hash.parse().unwrap_or(LAB_HASH)),
        };
        KeyTurn { hash, table: table(built) }
    }

    pub(crate) fn hash(&self) -> &dyn KeyHash {
        &*self.hash
    }

    pub(crate) fn of(&self, key: &str) -> f64 {
        self.of_hash(self.hash.hash(key.as_bytes()))
    }

    pub(crate) fn of_hash(&self, hash: u64) -> f64 {
        match &self.table {
            // The middle of its slot.
            Some(table) => (table.slot_of_hash(hash) as f64 + 0.5) / table.len() as f64,
            None => hash as f64 / 2_f64.powi(self.hash.bits() as i32),
        }
    }
}

/// The fewest entries of a table that is drawn: of fewer, all keys would lie on a few places.
const DRAWN: usize = 100;

/// The slots around the circle, where it is such a placement.
pub(crate) fn table(built: &Built) -> Option<Table> {
    built.table().filter(|table| table.len() >= DRAWN)
}

/// What two clients compare.
pub(crate) fn fingerprint(side: &Side) -> String {
    Fingerprint::of_probes(&side.built).to_string()
}
