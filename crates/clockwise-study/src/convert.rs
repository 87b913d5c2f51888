//! Which of several ways to write a fleet places keys most like it.

use std::collections::BTreeMap;

use clockwise::{Placement as _, ServerIx};

use crate::diff::{Diff, NoPlacement, diff, owners};
use crate::keys::KeySet;
use crate::pairing::Pairing;
use crate::plan::Fleet;

/// Keys on which all ways are tried; the nearest is then held to all keys.
const TRIED: usize = 1_000;

/// The nearest way to write a fleet.
pub struct Nearest {
    /// Its place among the ways that were given.
    pub index: usize,
    /// The fleet on the one side, and what is nearest on the other.
    pub diff: Diff,
    /// Whether it is like the fleet at all. Two placements that have nothing to do with each other agree on
    /// some keys, and which of many such ways agrees on the most is chance: then this is the first way.
    pub is_like: bool,
}

/// A way is like the fleet if fewer keys differ than this part of those that differ by chance.
const LIKE: f64 = 0.9;

/// Finds the way after which the fewest keys have another owner (or the first, if none is like the fleet),
/// and sets it side by side with the fleet. A way that cannot be built is none; if none can, the error is
/// that of the first.
///
/// Returns nothing only if no ways were given.
pub fn nearest(fleet: &Fleet, ways: &[Fleet], keys: &KeySet) -> Option<Result<Nearest, NoPlacement>> {
    let tried: Vec<&[u8]> = keys.iter().take(TRIED).map(|record| record.key).collect();
    let here = fleet.scheme.build(&fleet.servers).ok();
    let differing = |way: &Fleet| {
        let (here, there) = (here.as_ref()?, way.scheme.build(&way.servers).ok()?);
        // Without the prefix of keys nearly all of them differ, whichever way is like it in all else.
        let here = if there.key_prefix().is_none() { here.bare() } else { here };
        let pairing = Pairing::new(fleet.servers.servers(), way.servers.servers());
        // Placements hold servers in orders of their own, so owners are compared by name.
        let renamed = pairing.renamed(&there, way.servers.servers());
        let (ours, theirs) = (owners(here, &tried), owners(&there, &tried));
        let name_here = |ix: &ServerIx| here.servers()[ix.index()].name().as_str();
        let name_there = |ix: &ServerIx| renamed.servers()[ix.index()].name().as_str();
        let differ = ours.iter().zip(&theirs).filter(|(a, b)| name_here(a) != name_there(b)).count();
        let by_chance = by_chance(ours.iter().map(name_here), theirs.iter().map(name_there));
        Some((differ, differ == 0 || (differ as f64) < LIKE * by_chance))
    };
    // Of equals the first: ways are given with the most likely before the others.
    let counts = ways.iter().map(|way| match differing(way) {
        Some((differ, true)) => (0, differ),
        Some((_, false)) => (1, 0),
        None => (2, 0),
    });
    let (index, (unlike, _)) = counts.enumerate().min_by_key(|&(_, rank)| rank)?;
    Some(diff(fleet, &ways[index], keys).map(|diff| Nearest { index, diff, is_like: unlike == 0 }))
}

/// How many keys have other owners if those of the one side say nothing of those of the other.
fn by_chance<'n>(ours: impl Iterator<Item = &'n str>, theirs: impl Iterator<Item = &'n str>) -> f64 {
    let mut counts: BTreeMap<&str, [f64; 2]> = BTreeMap::new();
    ours.for_each(|name| counts.entry(name).or_default()[0] += 1.0);
    theirs.for_each(|name| counts.entry(name).or_default()[1] += 1.0);
    let keys: f64 = counts.values().map(|[ours, _]| ours).sum();
    keys - counts.values().map(|[ours, theirs]| ours * theirs / keys).sum::<f64>()
}
