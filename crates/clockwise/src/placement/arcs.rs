//! The arcs of a circle, and the form in which a ring keeps its points.
//!
//! A ring holds up to millions of points, which walks, merges and searches read from memory: so a point is one
//! word, the upper bits of its position above the index of its server. One read brings both, and comparing
//! words compares positions. What the index leaves no room for stands apart, and is read only where the upper
//! bits of two positions are equal.

use core::fmt;

use super::ServerIx;

/// The arcs that points divide a circle into, ascending: the end of each, and its owner.
///
/// ```
/// use clockwise::{Arcs, ServerIx};
///
/// let (ends, owners) = ([10, 20], [ServerIx::new(1), ServerIx::new(0)]);
/// let arcs = Arcs::new(&ends, &owners);
/// assert_eq!(arcs.get(1), Some((20, ServerIx::new(0))));
/// assert_eq!(arcs.iter().map(|(end, _)| end).collect::<Vec<_>>(), [10, 20]);
/// ```
#[derive(Clone, Copy)]
pub struct Arcs<'a>(Kept<'a>);

#[derive(Clone, Copy)]
enum Kept<'a> {
    Listed(&'a [u64], &'a [ServerIx]),
    Packed(Packed<'a>),
}

impl<'a> Arcs<'a> {
    /// The arc that ends at `ends[i]` is of `owners[i]`; of lists of different length, what the longer has
    /// more is left out.
    pub fn new(ends: &'a [u64], owners: &'a [ServerIx]) -> Arcs<'a> {
        let len = ends.len().min(owners.len());
        Arcs(Kept::Listed(&ends[..len], &owners[..len]))
    }

    pub(crate) fn packed(points: Packed<'a>) -> Arcs<'a> {
        Arcs(Kept::Packed(points))
    }

    /// The points, where that is what they are made of.
    pub(crate) fn as_packed(self) -> Option<Packed<'a>> {
        match self.0 {
            Kept::Listed(..) => None,
            Kept::Packed(points) => Some(points),
        }
    }

    /// How many there are.
    pub fn len(self) -> usize {
        match self.0 {
            Kept::Listed(ends, _) => ends.len(),
            Kept::Packed(points) => points.len(),
        }
    }

    /// Whether there is none: no ring is made of that.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The last position of an arc and its owner.
    pub fn get(self, at: usize) -> Option<(u64, ServerIx)> {
        match self.0 {
            Kept::Listed(ends, owners) => Some((*ends.get(at)?, *owners.get(at)?)),
            Kept::Packed(points) => (at < points.len()).then(|| (points.end(at), points.owner(at))),
        }
    }

    /// All of them.
    pub fn iter(self) -> impl ExactSizeIterator<Item = (u64, ServerIx)> + use<'a> {
        // Every number below the length is of an arc.
        (0..self.len()).map(move |at| self.get(at).unwrap_or((u64::MAX, ServerIx::new(0))))
    }
}

impl fmt::Debug for Arcs<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// The bits of a packed point that hold its server, where the fleet is small enough.
pub(crate) const NARROW: u64 = 0xffff;
/// The same in larger fleets.
pub(crate) const WIDE: u64 = 0xffff_ffff;

/// Points of a ring, each in one word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packed<'a> {
    /// Upper bits of the ends, above the owners.
    points: &'a [u64],
    /// The lower bits of the ends, of each as many as its owner takes, by 16; empty where all of them are 0.
    low: &'a [u16],
    /// The bits of a point that are its owner: [`NARROW`] or [`WIDE`].
    mask: u64,
}

impl<'a> Packed<'a> {
    pub(crate) fn new(points: &'a [u64], low: &'a [u16], mask: u64) -> Packed<'a> {
        Packed { points, low, mask }
    }

    /// The words of the points from one on, and the lower bits of their ends.
    #[inline]
    pub(crate) fn words(self, at: usize) -> (&'a [u64], &'a [u16]) {
        let at = at.min(self.len());
        (&self.points[at..], &self.low[at * self.halves()..])
    }

    /// The bits of a word that are the owner.
    #[inline]
    pub(crate) fn mask(self) -> u64 {
        self.mask
    }

    /// Lower bits of each end, by 16.
    #[inline]
    pub(crate) fn halves(self) -> usize {
        match (self.low, self.mask) {
            ([], _) => 0,
            (_, NARROW) => 1,
            _ => 2,
        }
    }

    #[inline]
    pub(crate) fn len(self) -> usize {
        self.points.len()
    }

    #[inline]
    pub(crate) fn end(self, at: usize) -> u64 {
        self.points[at] & !self.mask | self.low(at)
    }

    /// The lower bits of an end.
    #[inline]
    pub(crate) fn low(self, at: usize) -> u64 {
        if self.mask == NARROW {
            return self.low.get(at).map_or(0, |&low| low.into());
        }
        match self.low.get(2 * at..2 * at + 2) {
            Some(&[lowest, low]) => u64::from(low) << 16 | u64::from(lowest),
            _ => 0,
        }
    }

    /// Whether two of them end at one position.
    #[inline]
    pub(crate) fn same_end(self, at: usize, other: usize) -> bool {
        (self.points[at] ^ self.points[other]) & !self.mask == 0 && self.low(at) == self.low(other)
    }

    #[inline]
    pub(crate) fn owner(self, at: usize) -> ServerIx {
        ServerIx::new((self.points[at] & self.mask) as u32)
    }
}
