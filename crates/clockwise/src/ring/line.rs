//! Up to sixteen points in one line of cache, and what stands beyond them.

use crate::arch::{FRAGMENTS, Fragments};
use crate::placement::ServerIx;

/// What an owner is called that a line does not tell; no server of a fleet that has lines.
pub(super) const OPEN: ServerIx = ServerIx::new(u32::MAX);

/// The points of a bucket: sixteen bits of the position of each, and its owner.
///
/// Where there are fewer, the rest has the greatest fragment and the owner of the point that follows. Where there
/// are more, the first sixteen stand here.
#[derive(Clone, Copy)]
#[cfg_attr(test, derive(PartialEq))]
#[repr(C, align(64))]
pub(super) struct Line {
    fragments: Fragments,
    owners: [u16; FRAGMENTS],
}

impl Line {
    /// No point yet.
    pub(super) const EMPTY: Line = Line { fragments: Fragments::EMPTY, owners: [0; FRAGMENTS] };

    /// Puts a point at its place, if it has one.
    #[inline]
    pub(super) fn put(&mut self, at: usize, fragment: i16, owner: u16) {
        if let (Some(there), Some(of)) = (self.fragments.get_mut(at), self.owners.get_mut(at)) {
            (*there, *of) = (fragment, owner);
        }
    }

    /// Gives what is behind the first `count` points to the owner of the point that follows.
    #[inline]
    pub(super) fn close(&mut self, count: usize, next: u16) {
        for (at, owner) in self.owners.iter_mut().enumerate() {
            if at >= count {
                *owner = next;
            }
        }
    }

    /// How many points are before a key, as far as fragments tell.
    #[inline]
    pub(super) fn passed(&self, fragment: i16) -> usize {
        self.fragments.passed(fragment)
    }

    /// The owner at a place; None where the points there or the fragment, which does not pass them, leave it
    /// open.
    #[inline]
    pub(super) fn owner(&self, at: usize, fragment: i16) -> Option<u16> {
        match self.fragments.get(at) {
            Some(there) if there != fragment => Some(self.owners[at]),
            _ => None,
        }
    }

    /// The owner of a key, or [`OPEN`]: without a branch.
    #[inline]
    pub(super) fn owner_or_open(&self, fragment: i16) -> ServerIx {
        let passed = self.passed(fragment);
        let at = passed % FRAGMENTS;
        let open = (passed == FRAGMENTS) | (self.fragments.get(at) == Some(fragment));
        ServerIx::new(u32::from(self.owners[at]) | u32::from(open).wrapping_neg())
    }

    /// The same points of owners that have other numbers.
    #[inline]
    pub(super) fn renamed(&self, rename: impl Fn(u16) -> u16) -> Line {
        Line { owners: self.owners.map(rename), ..*self }
    }
}
