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
//!
//! **Lookup.** The top bits of a position choose a bucket of an index with up to one bucket a
//! point; the bucket says where its first point stands, and a short forward scan ends the search.
//! A sentinel behind the last point carries the first point's owner, so nothing has to wrap. Where
//! points crowd (a hash far from uniform), the scan gives up early for a binary search.

use alloc::vec::Vec;

use super::Boundary;
use crate::hash::Width;
use crate::placement::ServerIx;

/// Ends looked at one by one before searching by halves. A uniform hash puts one point in a bucket
/// on average, and more than this many in fewer than one bucket in a million.
const SCAN: usize = 10;

pub(super) struct Circle {
    /// How far native positions and hashes are shifted up: 0 or 32.
    lift: u32,
    /// What was taken from native positions before: 1 on a `>` ring.
    back: u64,
    /// The native positions, where ends do not tell them: on a nearest-point ring.
    positions: Vec<u64>,
    /// Where the smallest native position stands.
    smallest: usize,
    /// Position to bucket: shifted right by this.
    shift: u32,
    /// The first end of each bucket or after it; `len` where there is none.
    index: Vec<u32>,
    /// The last position of each arc, ascending; behind them the sentinel.
    ends: Vec<u64>,
    /// The owner of each arc; behind them the first one again, for the sentinel.
    owners: Vec<ServerIx>,
}

impl Circle {
    /// A circle of points in native form, ascending. Equal positions keep the order they are given
    /// in. There is at least one point and at most [`MAX_POINTS`](super::MAX_POINTS).
    pub(super) fn new(width: Width, boundary: Boundary, mut points: Vec<(u64, ServerIx)>) -> Circle {
        let lift = match width {
            Width::Bits32 => 32,
            Width::Bits64 => 0,
        };
        let back = u64::from(boundary == Boundary::After);
        let len = points.len();
        let mut positions = Vec::new();
        let smallest = match boundary {
            Boundary::AtOrAfter => 0,
            Boundary::After => {
                // Points at 0 wrap to the other end.
                let zeros = points.partition_point(|&(position, _)| position == 0);
                points.rotate_left(zeros);
                len - zeros
            }
            Boundary::Nearest => {
                positions.extend(points.iter().map(|&(position, _)| position));
                let wrapped = to_midpoints(&mut points, u64::MAX >> lift);
                points.rotate_right(wrapped);
                positions.rotate_right(wrapped);
                wrapped
            }
        };

        let mut ends = Vec::with_capacity(len + 1);
        let mut owners = Vec::with_capacity(len + 1);
        for &(position, owner) in &points {
            ends.push(position.wrapping_sub(back) << lift);
            owners.push(owner);
        }
        ends.push(u64::MAX);
        owners.push(owners[0]);
        drop(points);

        // At most one bucket a point: with 8 bytes of its end and 4 of its owner, a point takes 14 to 16.
        let bits = (usize::BITS - len.leading_zeros() - 1).max(1);
        let shift = u64::BITS - bits;
        let mut index = Vec::with_capacity(1 << bits);
        let mut first = 0;
        for bucket in 0..1_u64 << bits {
            while first < len && ends[first] < bucket << shift {
                first += 1;
            }
            index.push(first as u32);
        }
        Circle { lift, back, positions, smallest: smallest % len, shift, index, ends, owners }
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
        self.ends.len() - 1
    }

    /// The arcs' ends in normal form.
    pub(super) fn ends(&self) -> &[u64] {
        &self.ends[..self.len()]
    }

    /// The owner of each arc.
    pub(super) fn owners(&self) -> &[ServerIx] {
        &self.owners[..self.len()]
    }

    /// The position in its own width that the point at `at` was given.
    pub(super) fn native(&self, at: usize) -> u64 {
        match self.positions.get(at) {
            Some(&position) => position,
            None => (self.ends[at] >> self.lift).wrapping_add(self.back) & (u64::MAX >> self.lift),
        }
    }

    /// Where the smallest native position stands. On a `>` ring points at 0 are stored last; on a
    /// nearest-point ring the last point's midpoint may lie behind the wrap.
    pub(super) fn smallest(&self) -> usize {
        self.smallest
    }

    /// The point that owns a hash, or `len` where that is the first point, after a wrap.
    #[inline]
    fn find(&self, hash: u64) -> usize {
        let position = hash << self.lift;
        let start = self.index[(position >> self.shift) as usize] as usize;
        self.scan(start, position)
    }

    /// The first end at or after a position, from the first of its bucket on.
    #[inline]
    fn scan(&self, start: usize, position: u64) -> usize {
        // The sentinel is >= every position, so the scan and the search both end in bounds.
        for (step, &end) in self.ends[start..].iter().take(SCAN).enumerate() {
            if end >= position {
                return start + step;
            }
        }
        self.search(start + SCAN, position)
    }

    /// The owners of so many hashes, in two passes: all buckets are read before the first scan, so that
    /// reads of memory overlap instead of waiting for each other.
    #[inline]
    pub(super) fn owners_of<const MANY: usize>(&self, hashes: &[u64; MANY]) -> [ServerIx; MANY] {
        let positions = hashes.map(|hash| hash << self.lift);
        let starts = positions.map(|position| self.index[(position >> self.shift) as usize] as usize);
        let mut owners = [ServerIx::new(0); MANY];
        for (owner, (&position, start)) in owners.iter_mut().zip(positions.iter().zip(starts)) {
            *owner = self.owners[self.scan(start, position)];
        }
        owners
    }

    #[cold]
    fn search(&self, start: usize, position: u64) -> usize {
        start + self.ends[start..].partition_point(|&end| end < position)
    }

    /// The owner of a hash of the key hash's own width.
    #[inline]
    pub(super) fn owner(&self, hash: u64) -> ServerIx {
        self.owners[self.find(hash)]
    }

    /// The point that owns a hash.
    pub(super) fn point(&self, hash: u64) -> usize {
        let at = self.find(hash);
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
