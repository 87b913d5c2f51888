//! The circle itself: points in one normal form, and the one lookup that every ring uses.
//!
//! **Normal form.** A ring may have positions of 32 or 64 bits and may send a key to the first
//! point *at or after* its hash (`>=`), strictly *after* it (`>`), or to the *nearest* one. All six
//! are kept as one circle of 2⁶⁴ positions on which a key belongs to the first end `>=` its position:
//!
//! - Positions and key hashes of 32 bits are shifted up by 32. Shifting keeps order and equality,
//!   so `p >= h` before exactly when `p·2³² >= h·2³²`.
//! - A point `p` of a `>` ring is stored as `p − 1`, wrapping in its own width. For `p >= 1`,
//!   `p > h` exactly when `p − 1 >= h`, and subtracting 1 keeps the order of all such points. The
//!   point 0 is greater than no hash; it is reached only by wrapping, and then before every other
//!   point, because it is the smallest. Stored as the greatest position it is the last on the
//!   circle: it takes the hashes after which no stored `p − 1` is left, which are those the `>`
//!   rule would wrap.
//! - On a nearest-point ring, where the point before wins when both are as near, a hash h between
//!   neighbours p and q belongs to p exactly when h − p <= q − h, that is when
//!   h <= p + ⌊(q − p) ⁄ 2⌋. That midpoint is what is stored for p, beside p itself. Of points at one
//!   position all but the last have no distance to their neighbour and are stored as they are: so
//!   the first of them owns what comes before and the last what comes after.

use alloc::vec::Vec;
use core::ops::Range;

use super::sorted::Sorted;
use super::table::{Table, WINDOW};
use super::walk::Seen;
use super::{Boundary, Collision};
#[cfg(test)]
use crate::arch::Level;
use crate::hash::Width;
use crate::placement::{Packed, ServerIx};

#[cfg_attr(test, derive(PartialEq))]
pub(super) struct Circle {
    /// How far native positions and hashes are shifted up: 0 or 32.
    lift: u32,
    /// What was taken from native positions before: 1 on a `>` ring.
    back: u64,
    /// The native positions, where ends do not tell them: on a nearest-point ring.
    positions: Vec<u64>,
    /// Where the smallest native position stands.
    smallest: usize,
    /// The last position of each arc, and its owner.
    table: Table,
}

impl Circle {
    /// A circle of points in native form, of a fleet of so many servers, and the positions that several of
    /// them share. Equal positions keep the order they are given in; where they are to stand `alone`, all
    /// but the first are dropped. There is at least one point and at most
    /// [`MAX_POINTS`](super::MAX_POINTS).
    pub(super) fn new(
        width: Width,
        boundary: Boundary,
        alone: bool,
        points: &[(u64, ServerIx)],
        servers: usize,
    ) -> (Circle, Vec<Collision>) {
        let lift = match width {
            Width::Bits32 => 32,
            Width::Bits64 => 0,
        };
        let back = u64::from(boundary == Boundary::After);
        let end = |position: u64| position.wrapping_sub(back) << lift;
        let table = Table::without_lines(Sorted::new(points, end, lift, servers, WINDOW));
        let mut circle = Circle { lift, back, positions: Vec::new(), smallest: 0, table };
        circle.smallest = circle.zeros();
        let collisions = circle.collisions(servers);
        if alone && circle.table.dedup() {
            circle.smallest = circle.zeros();
        }
        if boundary == Boundary::Nearest {
            circle.halve(servers);
        } else {
            circle.table.make_lines();
        }
        (circle, collisions)
    }

    /// The circle of a changed fleet of so many servers, where the points of those that stay do not change;
    /// see [`Table::changed`]. None where `more` or the fleet has another form than this ring; of a ring `>=`.
    pub(super) fn changed(
        &self,
        places: &[u32],
        more: &[(u64, ServerIx)],
        servers: usize,
    ) -> Option<(Circle, Vec<Collision>)> {
        if self.boundary() != Boundary::AtOrAfter || !self.table.is_for(servers) {
            return None;
        }
        let more = Sorted::new(more, |position| position << self.lift, self.lift, servers, 0);
        let table = self.table.changed(places, &more);
        let circle = Circle { lift: self.lift, back: 0, positions: Vec::new(), smallest: 0, table };
        let collisions = circle.collisions(servers);
        Some((circle, collisions))
    }

    /// Where on a `>` ring the points at 0 stand, if there are any: at the end.
    fn zeros(&self) -> usize {
        let points = self.points();
        let is_zero = |at: &usize| self.back == 1 && points.end(*at) == u64::MAX << self.lift;
        let zeros = (0..points.len()).rev().take_while(is_zero).count();
        if zeros == 0 { 0 } else { points.len() - zeros }
    }

    /// Of a ring that was built like one of `>=` makes one that goes to the nearest point.
    fn halve(&mut self, servers: usize) {
        let owners = (0..self.len()).map(|at| (self.native(at), self.points().owner(at)));
        let mut points: Vec<(u64, ServerIx)> = owners.collect();
        let mut positions: Vec<u64> = points.iter().map(|&(position, _)| position).collect();
        let wrapped = to_midpoints(&mut points, u64::MAX >> self.lift);
        points.rotate_right(wrapped);
        positions.rotate_right(wrapped);
        let lift = self.lift;
        self.table =
            Table::of_sorted(Sorted::new(&points, |position| position << lift, lift, servers, WINDOW));
        (self.positions, self.smallest) = (positions, wrapped % points.len());
    }

    /// Positions that different servers share, each server once, the one that wins first.
    fn collisions(&self, servers: usize) -> Vec<Collision> {
        let mut found = Vec::new();
        if !self.table.meet() {
            return found;
        }
        // Ascending in native positions. Points at one position are not parted by that.
        for part in [self.smallest..self.len(), 0..self.smallest] {
            self.collisions_in(part, servers, &mut found);
        }
        found
    }

    fn collisions_in(&self, part: Range<usize>, servers: usize, found: &mut Vec<Collision>) {
        let points = self.points();
        let mut at = part.start;
        while at + 1 < part.end {
            if !points.same_end(at, at + 1) {
                at += 1;
                continue;
            }
            let start = at;
            while at + 1 < part.end && points.same_end(at, at + 1) {
                at += 1;
            }
            let mut seen = Seen::new(servers);
            let there = (start..=at).map(|at| points.owner(at));
            let servers: Vec<ServerIx> = there.filter(|&owner| seen.insert(owner)).collect();
            if servers.len() > 1 {
                found.push(Collision { position: self.native(at), servers });
            }
        }
    }

    /// How wide native positions are.
    pub(super) fn width(&self) -> Width {
        if self.lift == 32 { Width::Bits32 } else { Width::Bits64 }
    }

    /// The last position of a hash below 2 to this power, in normal form. Where that is all of the
    /// width, the last of the circle: positions between two hashes belong to the one that follows,
    /// and those after the last hash to hash 0.
    pub(super) fn last_of_bits(&self, bits: u32) -> u64 {
        if bits + self.lift >= u64::BITS { u64::MAX } else { ((1 << bits) - 1) << self.lift }
    }

    /// The rule it was made with.
    pub(super) fn boundary(&self) -> Boundary {
        match self.back {
            _ if !self.positions.is_empty() => Boundary::Nearest,
            0 => Boundary::AtOrAfter,
            _ => Boundary::After,
        }
    }

    /// The number of points.
    pub(super) fn len(&self) -> usize {
        self.table.len()
    }

    /// The arcs, by their ends in normal form.
    #[inline]
    pub(super) fn points(&self) -> Packed<'_> {
        self.table.points()
    }

    /// The position in its own width that the point at `at` was given.
    pub(super) fn native(&self, at: usize) -> u64 {
        match self.positions.get(at) {
            Some(&position) => position,
            None => (self.points().end(at) >> self.lift).wrapping_add(self.back) & (u64::MAX >> self.lift),
        }
    }

    /// Where the smallest native position stands. On a `>` ring points at 0 are stored last; on a
    /// nearest-point ring the last point's midpoint may lie behind the wrap.
    pub(super) fn smallest(&self) -> usize {
        self.smallest
    }

    /// The owner of a hash of the key hash's own width.
    #[inline]
    pub(super) fn owner(&self, hash: u64) -> ServerIx {
        self.table.owner(hash << self.lift)
    }

    /// The owners of many hashes.
    pub(super) fn owners(&self, hashes: &[u64], owners: &mut [ServerIx]) {
        self.table.owners(self.lift, hashes, owners);
    }

    /// The same as if there were many points, at a level that this machine has.
    #[cfg(test)]
    pub(super) fn owners_asked_for(&mut self, level: Level, hashes: &[u64], owners: &mut [ServerIx]) {
        self.table.set_level(level);
        self.table.owners_asked_for(self.lift, hashes, owners);
    }

    /// The point that owns a hash.
    #[inline]
    pub(super) fn point(&self, hash: u64) -> usize {
        let at = self.table.find(hash << self.lift);
        if at == self.len() { 0 } else { at }
    }
}

/// Moves each point to the last position that is nearer to it than to the next point, or as near.
/// Returns 1 if that of the last point lies beyond the end of the circle, else 0.
fn to_midpoints(points: &mut [(u64, ServerIx)], greatest: u64) -> usize {
    let (Some(&(first, _)), Some(&(last, _))) = (points.first(), points.last()) else {
        return 0;
    };
    for at in 1..points.len() {
        let next = points[at].0;
        let here = &mut points[at - 1].0;
        *here += (next - *here) / 2;
    }
    // The way round to the first point; the whole circle if all stand at one position.
    let way = match first.wrapping_sub(last) & greatest {
        0 => u128::from(greatest) + 1,
        way => u128::from(way),
    };
    // Half the circle at most, so that it fits.
    let end = last.wrapping_add((way / 2) as u64) & greatest;
    if let Some(point) = points.last_mut() {
        point.0 = end;
    }
    usize::from(end < last && points.len() > 1)
}
