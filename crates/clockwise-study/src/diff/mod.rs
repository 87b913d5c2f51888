//! Do two fleets place keys alike, and if not, why?
//!
//! The two sides may be files of two products, two clients of one fleet, or two versions of one
//! file. Servers are matched by name, else by address ([`Pairing`]), and every key is asked of both.
//!
//! Why they differ is found by trying, not by reading. Whatever can be set on the first side to what
//! the second has (a weight, the order of the list, the key hash, the points of the ring …) is a
//! [`Knob`]. With all knobs set the first side *is* the second. From there:
//!
//! 1. Each knob is turned back in turn, the broadest first, and stays back unless keys differ for it.
//!    What is left are the causes: none can be left out, and together they explain every key.
//! 2. The causes are set one after the other, each time the one after which the fewest keys differ.
//!
//! Turning back rather than forward is what finds two causes at once: where the key hash *and* the
//! labels of points differ, setting one of them alone changes nothing to speak of.
//!
//! Of two systems one may have a setting for what the other always does, so where a broad cause is left
//! the second fleet is turned into the first as well, and the more particular list is kept.
//!
//! Two rings of different systems are compared as rings: their points, key hashes and boundary rules
//! can each be put in the other's place, so that a recipe need not have a setting for it.

mod anatomy;
mod candidates;
mod describe;
mod knob;
mod search;
#[cfg(test)]
mod tests;
mod variant;

pub use knob::{Knob, Slot, Text};
pub use search::Cause;

use std::fmt;

use clockwise::moves::MoveCounter;
use clockwise::{ArcMoves, Built, Error, Fingerprint, Moves, Placement as _, Server, ServerIx, fill};

use crate::address::Reached;
use crate::keys::KeySet;
use crate::pairing::Pairing;
use crate::plan::Fleet;
use variant::Case;

/// Which of two fleets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The first.
    A,
    /// The second.
    B,
}

/// A fleet of the two that has no placement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoPlacement {
    /// Which one.
    pub side: Side,
    /// Why.
    pub error: Error,
}

impl fmt::Display for NoPlacement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl std::error::Error for NoPlacement {}

/// Two fleets set side by side.
pub struct Diff {
    /// The first fleet's placement.
    pub a: Built,
    /// The second's.
    pub b: Built,
    /// Which servers are the same machine.
    pub pairing: Pairing,
    /// The keys, by machine: what is on one machine in the first and on another in the second.
    pub moves: Moves,
    /// The same, exactly, over every key there could be: where both are rings or tables of slots and
    /// hash keys alike.
    pub circle: Option<ArcMoves>,
    /// Why keys differ, in the order in which setting them right leaves the fewest. Empty if all
    /// agree.
    pub causes: Vec<Cause>,
    /// What deserves a look though it decides no owner here.
    pub notes: Vec<String>,
}

impl Diff {
    /// Whether any key differs: of those asked, or of those there could be.
    pub fn differs(&self) -> bool {
        let circle = self.circle.as_ref().is_some_and(|circle| circle.moved().part() > 0);
        self.moves.moved().keys > 0 || circle
    }

    /// The part of the keys that differ.
    pub fn share(&self) -> f64 {
        share(self.moves.moved().keys, self.moves.total().keys)
    }

    /// The layout fingerprints of both sides, or those of probes where one has no layout; they are
    /// of names, so machines that go by two names show here even if no key differs.
    pub fn fingerprints(&self) -> (Fingerprint, Fingerprint) {
        let layout = |built: &Built| built.measured().and_then(Fingerprint::of_layout);
        match (layout(&self.a), layout(&self.b)) {
            (Some(a), Some(b)) => (a, b),
            _ => (Fingerprint::of_probes(&self.a), Fingerprint::of_probes(&self.b)),
        }
    }
}

/// A part of a whole that may be nothing.
pub(crate) fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Sets two fleets side by side on these keys.
pub fn diff(a: &Fleet, b: &Fleet, keys: &KeySet) -> Result<Diff, NoPlacement> {
    let build =
        |fleet: &Fleet, side| fleet.scheme.build(&fleet.servers).map_err(|error| NoPlacement { side, error });
    let (built_a, built_b) = (build(a, Side::A)?, build(b, Side::B)?);
    let pairing = Pairing::new(a.servers.servers(), b.servers.servers());
    let renamed = pairing.renamed(&built_b, b.servers.servers());

    let plain: Vec<&[u8]> = keys.iter().map(|record| record.key).collect();
    let (owners_a, owners_b) = (owners(&built_a, &plain), owners(&built_b, &plain));
    let mut counter = MoveCounter::new(built_a.servers(), renamed.servers());
    for ((&from, &to), record) in owners_a.iter().zip(&owners_b).zip(keys.iter()) {
        counter.record(from, to, record.tally);
    }
    let moves = counter.finish();
    let decided_by_load = built_a.cap().is_some() || built_b.cap().is_some();
    let circle = match (built_a.measured(), renamed.measured()) {
        (Some(a), Some(b)) if !decided_by_load => ArcMoves::between(a, b),
        _ => None,
    };
    let causes = if moves.moved().keys == 0 {
        Vec::new()
    } else {
        let there = Case::new([(a, &built_a), (b, &built_b)], &pairing, &plain, &owners_b);
        let causes = there.causes();
        if there.is_same_system() {
            causes
        } else {
            // What one system has no setting for, the other may.
            let back = pairing.turned();
            let mut back = Case::new([(b, &built_b), (a, &built_a)], &back, &plain, &owners_a);
            back.sides = ["B", "A"];
            search::more_particular(causes, || back.causes())
        }
    };
    let notes = notes(a, b, &pairing);
    Ok(Diff { a: built_a, b: built_b, pairing, moves, circle, causes, notes })
}

/// The owner of every key. Where load decides, each of them is one unit of it.
pub(crate) fn owners(built: &Built, keys: &[&[u8]]) -> Vec<ServerIx> {
    match (built.cap(), built.ranked()) {
        (Some(cap), Some(base)) => fill(base, keys, cap).servers().to_vec(),
        _ => {
            let mut owners = vec![ServerIx::new(0); keys.len()];
            built.owners_of(keys, &mut owners);
            owners
        }
    }
}

/// Names that mean another machine on each host, and machines that the two sides reach elsewhere.
fn notes(a: &Fleet, b: &Fleet, pairing: &Pairing) -> Vec<String> {
    let mut notes = Vec::new();
    for (side, fleet) in [("A", a), ("B", b)] {
        let servers = fleet.servers.servers();
        let local = servers.iter().find(|server| Reached::new(server.address()).is_local());
        if let Some(server) = local.filter(|_| servers.len() > 1) {
            notes.push(format!(
                "{:?} of {side} means another machine on every host that reads the list: where hosts share a fleet, \
                 give each server an address that all of them reach",
                server.address().as_str()
            ));
        }
    }
    /// So many are listed, and the others counted.
    const LISTED: usize = 10;
    let pairs = b.servers.servers().iter().zip(pairing.second());
    let elsewhere: Vec<(&Server, &Server)> = pairs
        .filter_map(|(server, &machine)| Some((a.servers.servers().get(machine as usize)?, server)))
        .filter(|(ours, theirs)| !Reached::new(ours.address()).is_same(&Reached::new(theirs.address())))
        .collect();
    notes.extend(elsewhere.iter().take(LISTED).map(|(ours, theirs)| {
        format!("{} is reached at {} in A and at {} in B", ours.name(), ours.address(), theirs.address())
    }));
    if let Some(more @ 1..) = elsewhere.len().checked_sub(LISTED) {
        notes.push(format!("{more} more {} reached elsewhere in B", if more == 1 { "is" } else { "are" }));
    }
    notes
}
