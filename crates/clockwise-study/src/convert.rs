//! Which of several ways to write a fleet places keys most like it.

use clockwise::Placement as _;

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
}

/// Finds the way after which the fewest keys have another owner, and sets it side by side with the
/// fleet. A way that cannot be built is none; if none can, the error is that of the first.
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
        let owners = owners(here, &tried).into_iter().zip(owners(&there, &tried));
        Some(
            owners
                .filter(|(a, b)| here.servers()[a.index()].name() != renamed.servers()[b.index()].name())
                .count(),
        )
    };
    // Of equals the first: ways are given with the most likely before the others.
    let counts = ways.iter().map(|way| differing(way).unwrap_or(usize::MAX));
    let (index, _) = counts.enumerate().min_by_key(|&(_, count)| count)?;
    Some(diff(fleet, &ways[index], keys).map(|diff| Nearest { index, diff }))
}
