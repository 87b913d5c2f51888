//! Points put in order: scattered by their top bits, and what is left by insertion.

use alloc::vec::Vec;

use crate::placement::{NARROW, Packed, ServerIx, WIDE};

/// Points that are put in order within a bucket one by one. Of a uniform hash a bucket holds more once in
/// a billion.
const FEW: u32 = 16;

/// Points that are scattered over all buckets at once: what is written to stays near the processor.
const NEAR: usize = 1 << 13;

/// Points in ascending order, in the form that a ring keeps.
pub(super) struct Sorted {
    /// The upper bits of each end, above its owner.
    pub(super) points: Vec<u64>,
    /// The lower bits of each end; empty where positions have 32 bits, which are upper ones.
    pub(super) low: Vec<u16>,
    /// The bits of a point that are its owner.
    pub(super) mask: u64,
    /// Whether the upper bits of any two are equal.
    pub(super) meet: bool,
}

impl Sorted {
    /// Points in any order; those of one position keep theirs. `end` gives the end of the arc of a position,
    /// and the lowest `lift` bits of all of these are 0. There will be room behind them for as many as said.
    pub(super) fn new(
        points: &[(u64, ServerIx)],
        end: impl Fn(u64) -> u64,
        lift: u32,
        servers: usize,
        room: usize,
    ) -> Sorted {
        let mask = mask(servers);
        match (lift, halves(mask)) {
            (0, 1) => Sorted::with_low::<1>(points, end, mask, room),
            (0, _) => Sorted::with_low::<2>(points, end, mask, room),
            _ => Sorted::with_low::<0>(points, end, mask, room),
        }
    }

    /// With so many lower bits of an end, by 16.
    fn with_low<const HALVES: usize>(
        points: &[(u64, ServerIx)],
        end: impl Fn(u64) -> u64,
        mask: u64,
        room: usize,
    ) -> Sorted {
        let len = points.len();
        // Coarsely first, so that the second pass writes to one part of the table at a time, and not all
        // over it.
        let coarse = if len > NEAR { 8 } else { 0 };
        let part = |end: u64| usize::from((end >> 1 >> (u64::BITS - 1 - coarse)) as u8);
        // The number of points two parts before, then where a part's next point goes; when all stand, that is
        // where the part after it begins.
        let mut parts = [0_u32; (1 << 8) + 2];
        for &(position, _) in points {
            parts[part(end(position)) + 2] += 1;
        }
        let mut sum = 0;
        for place in &mut parts {
            sum += *place;
            *place = sum;
        }
        let mut sorted = Sorted {
            points: alloc::vec![0; len + room],
            low: alloc::vec![0; len * HALVES],
            mask,
            meet: false,
        };
        sorted.points.truncate(len);
        for &(position, owner) in points {
            let end = end(position);
            let place = &mut parts[part(end) + 1];
            let at = *place as usize;
            *place += 1;
            sorted.points[at] = end & !mask | u64::from(owner.get());
            set_low::<HALVES>(&mut sorted.low, at, end as u32);
        }
        let bits = u64::BITS - shift(len) - coarse;
        if sorted.scatter::<HALVES>(&parts[..=1 << coarse], bits) > FEW {
            sorted.sort::<HALVES>();
        } else {
            sorted.sort_neighbours::<HALVES>();
        }
        sorted
    }

    pub(super) fn packed(&self) -> Packed<'_> {
        Packed::new(&self.points, &self.low, self.mask)
    }

    /// Puts the points of each part into buckets, 2 to the power of `bits`. Returns how many the fullest has.
    fn scatter<const HALVES: usize>(&mut self, parts: &[u32], bits: u32) -> u32 {
        let shift = shift(self.points.len());
        let mut next = alloc::vec![0_u32; 1 << bits];
        let bucket = |point: u64| (point >> shift) as usize & ((1 << bits) - 1);
        let (mut points, mut low) = (Vec::new(), Vec::new());
        let mut most = 0;
        for part in parts.windows(2) {
            let span = part[0] as usize..part[1] as usize;
            points.clear();
            points.extend_from_slice(&self.points[span.clone()]);
            low.clear();
            low.extend_from_slice(&self.low[span.start * HALVES..span.end * HALVES]);
            next.fill(0);
            for &point in &points {
                next[bucket(point)] += 1;
            }
            let mut start = part[0];
            for place in &mut next {
                most = most.max(*place);
                start += core::mem::replace(place, start);
            }
            for (from, &point) in points.iter().enumerate() {
                let place = &mut next[bucket(point)];
                let at = *place as usize;
                *place += 1;
                self.points[at] = point;
                set_low::<HALVES>(&mut self.low, at, get_low::<HALVES>(&low, from));
            }
        }
        most
    }

    /// Puts points in order that are few places away from theirs.
    fn sort_neighbours<const HALVES: usize>(&mut self) {
        let Sorted { points, low, mask, meet } = self;
        let (mask, mut greatest) = (*mask, points.first().map_or(0, |point| point & !*mask));
        for at in 1..points.len() {
            let (point, upper) = (points[at], points[at] & !mask);
            if upper > greatest {
                greatest = upper;
                continue;
            }
            let lower = get_low::<HALVES>(low, at);
            let mut to = at;
            while let Some(before) = to.checked_sub(1) {
                let (other, other_lower) = (points[before] & !mask, get_low::<HALVES>(low, before));
                *meet |= other == upper;
                if other < upper || other == upper && other_lower <= lower {
                    break;
                }
                points[to] = points[before];
                set_low::<HALVES>(low, to, other_lower);
                to = before;
            }
            points[to] = point;
            set_low::<HALVES>(low, to, lower);
        }
    }

    /// Puts all points in order, however they lie.
    fn sort<const HALVES: usize>(&mut self) {
        let packed = self.packed();
        let ends = (0..packed.len()).map(|at| (packed.end(at), self.points[at] & self.mask));
        let mut points: Vec<(u64, u64)> = ends.collect();
        points.sort_by_key(|&(end, _)| end);
        for (at, (end, owner)) in points.into_iter().enumerate() {
            self.points[at] = end & !self.mask | owner;
            set_low::<HALVES>(&mut self.low, at, end as u32);
        }
        self.meet = meet(&self.points, self.mask);
    }
}

#[inline]
fn get_low<const HALVES: usize>(low: &[u16], at: usize) -> u32 {
    match HALVES {
        0 => 0,
        1 => low[at].into(),
        _ => u32::from(low[2 * at + 1]) << 16 | u32::from(low[2 * at]),
    }
}

/// Of a number the bits that are kept.
#[inline]
fn set_low<const HALVES: usize>(low: &mut [u16], at: usize, bits: u32) {
    match HALVES {
        0 => {}
        1 => low[at] = bits as u16,
        _ => low[2 * at..2 * at + 2].copy_from_slice(&[bits as u16, (bits >> 16) as u16]),
    }
}

/// Whether the upper bits of any two neighbours are equal.
pub(super) fn meet(points: &[u64], mask: u64) -> bool {
    points.windows(2).any(|pair| (pair[0] ^ pair[1]) & !mask == 0)
}

/// What of a point is its owner, in a fleet of so many.
pub(super) fn mask(servers: usize) -> u64 {
    if servers as u64 <= NARROW + 1 { NARROW } else { WIDE }
}

/// Lower bits of an end, by 16.
pub(super) fn halves(mask: u64) -> usize {
    if mask == NARROW { 1 } else { 2 }
}

/// Position to bucket, while points are put in order: at most one bucket a point.
fn shift(points: usize) -> u32 {
    u64::BITS - points.checked_ilog2().unwrap_or(0).max(1)
}
