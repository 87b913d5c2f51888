//! A line of the ring as it is filled: points put at their places, and what stands beyond them.

use crate::arch::{FRAGMENTS, Fragments, Line};

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

    /// The same points of owners that have other numbers.
    #[inline]
    pub(super) fn renamed(&self, rename: impl Fn(u16) -> u16) -> Line {
        Line { owners: self.owners.map(rename), ..*self }
    }
}
