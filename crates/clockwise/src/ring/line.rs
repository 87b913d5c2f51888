//! The two kinds of lines as they are filled: points put at their places, and what stands beyond them.

use crate::arch::{FRAGMENTS, Fragments, Line};

/// Points that a far line has room for.
const FAR: usize = FRAGMENTS - 2;

/// The points of a bucket where owners do not fit beside them: sixteen bits of the position of each of the first
/// fourteen, as in a [`Line`], and where in the list of points they begin. Half a line of cache.
#[derive(Clone, Copy)]
#[cfg_attr(test, derive(PartialEq))]
pub(super) struct FarLine(Fragments);

impl FarLine {
    /// No point yet of those from a place on.
    pub(super) fn from(start: usize) -> FarLine {
        let mut line = FarLine(Fragments::EMPTY);
        line.set_start(start as u32);
        line
    }

    /// Where the points begin: a number below 2²⁴, which is the most points there are.
    #[inline]
    pub(super) fn start(&self) -> usize {
        let [low, high] = self.0.last_two();
        usize::from(high as u16) << 16 | usize::from(low as u16)
    }

    fn set_start(&mut self, start: u32) {
        for (half, at) in [start as i16, (start >> 16) as i16].into_iter().zip(FAR..) {
            if let Some(there) = self.0.get_mut(at) {
                *there = half;
            }
        }
    }

    /// Puts a point at its place, if it has one.
    #[inline]
    pub(super) fn put(&mut self, at: usize, fragment: i16) {
        if let (Some(there), true) = (self.0.get_mut(at), at < FAR) {
            *there = fragment;
        }
    }

    /// The place among the points that a key with this fragment comes to; what [`Line::owner`] says of owners.
    #[inline]
    pub(super) fn point(&self, key: i16) -> Result<usize, usize> {
        match self.0.reached(FAR, key) {
            (at, true) => Ok(self.start() + at),
            (at, false) => Err(at),
        }
    }

    /// The same points where so many more stand before them.
    #[inline]
    pub(super) fn moved(mut self, by: u32) -> FarLine {
        self.set_start(self.start() as u32 + by);
        self
    }
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

    /// The same points of owners that have other numbers.
    #[inline]
    pub(super) fn renamed(&self, rename: impl Fn(u16) -> u16) -> Line {
        Line { owners: self.owners.map(rename), ..*self }
    }
}
