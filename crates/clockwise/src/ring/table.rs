//! Points in order, an index over them, and the one lookup that every ring uses.
//!
//! **Lookup.** The top bits of a position choose a bucket, and the index says where its first point stands.
//! A bucket holds between one and two points on average, so five points from there on are looked at, all of
//! them always: a scan that stops where it should costs more, because the processor guesses wrong where that
//! is. Of the five the first at or after the position is chosen without a branch. If there is none, or if
//! the bits at hand do not decide, a search within the bucket does: where points crowd, that is
//! often, and where a hash is uniform, once in a hundred lookups.
//!
//! **Order.** Points are scattered by the same top bits, which leaves them in order but for those that share
//! a bucket; and where each bucket begins is the index.

use alloc::vec::Vec;
use core::ops::Range;

use crate::placement::{NARROW, Packed, ServerIx, WIDE};

/// Points that a lookup looks at.
const WINDOW: usize = 5;

/// Lookups whose reads overlap in a batch.
const TOGETHER: usize = 16;

/// Points that are put in order within a bucket one by one. Of a uniform hash a bucket holds more once in
/// a billion.
const FEW: u32 = 16;

/// Points that are scattered over all buckets at once: what is written to stays near the processor.
const NEAR: usize = 1 << 13;

/// The number of a server that is there no longer.
pub(super) const GONE: u32 = u32::MAX;

#[cfg_attr(test, derive(PartialEq))]
pub(super) struct Table {
    /// The bits of a point that are its owner.
    mask: u64,
    /// Position to bucket: shifted right by this.
    shift: u32,
    /// The first point of each bucket or after it; the number of points where there is none.
    index: Vec<u32>,
    /// The upper bits of each end, above its owner; behind them the first owner again at the greatest end
    /// there is, as often as a lookup may look beyond.
    points: Vec<u64>,
    /// The lower bits of each end; empty where positions have 32 bits, which are upper ones.
    low: Vec<u32>,
}

impl Table {
    /// Points in any order; those of one position keep theirs. `end` gives the end of the arc of a position,
    /// and the lowest `lift` bits of all of these are 0.
    pub(super) fn new(
        points: &[(u64, ServerIx)],
        end: impl Fn(u64) -> u64,
        lift: u32,
        servers: usize,
    ) -> Table {
        let (len, mask, shift) = (points.len(), mask(servers), shift(points.len()));
        // Coarsely first, so that the second pass writes to one part of the table at a time, and not all
        // over it.
        let coarse = if len > NEAR { 8 } else { 0 };
        let part = |end: u64| end.checked_shr(u64::BITS - coarse).unwrap_or(0) as usize;
        // The number of points two parts before, then where a part's next point goes; when all stand, that is
        // where the part after it begins.
        let mut parts = alloc::vec![0_u32; (1 << coarse) + 2];
        for &(position, _) in points {
            parts[part(end(position)) + 2] += 1;
        }
        let mut sum = 0;
        for place in &mut parts {
            sum += *place;
            *place = sum;
        }
        let mut table = Table {
            mask,
            shift,
            index: Vec::with_capacity(1 << (u64::BITS - shift)),
            points: alloc::vec![0; len + WINDOW],
            low: alloc::vec![0; if lift == 0 { len } else { 0 }],
        };
        for &(position, owner) in points {
            let end = end(position);
            let place = &mut parts[part(end) + 1];
            let at = *place as usize;
            *place += 1;
            table.points[at] = end & !mask | u64::from(owner.get());
            if lift == 0 {
                table.low[at] = (end & mask) as u32;
            }
        }
        let most = table.scatter(&parts[..=1 << coarse], u64::BITS - shift - coarse);
        if most > FEW {
            table.sort_buckets();
        } else {
            table.sort_neighbours();
        }
        table.close(len);
        table
    }

    /// Puts the points of each part into its buckets, 2 to the power of `bits`, and makes the index of that.
    /// Returns how many the fullest bucket has.
    fn scatter(&mut self, parts: &[u32], bits: u32) -> u32 {
        let mut next = alloc::vec![0_u32; 1 << bits];
        let bucket = |point: u64, shift: u32| (point >> shift) as usize & ((1 << bits) - 1);
        let (mut points, mut low) = (Vec::new(), Vec::new());
        let mut most = 0;
        for part in parts.windows(2) {
            let span = part[0] as usize..part[1] as usize;
            points.clear();
            points.extend_from_slice(&self.points[span.clone()]);
            low.clear();
            low.extend_from_slice(self.low.get(span).unwrap_or_default());
            next.fill(0);
            for &point in &points {
                next[bucket(point, self.shift)] += 1;
            }
            let mut start = part[0];
            for place in &mut next {
                most = most.max(*place);
                self.index.push(start);
                start += core::mem::replace(place, start);
            }
            for (from, &point) in points.iter().enumerate() {
                let place = &mut next[bucket(point, self.shift)];
                let at = *place as usize;
                *place += 1;
                self.points[at] = point;
                if let Some(&low) = low.get(from) {
                    self.low[at] = low;
                }
            }
        }
        most
    }

    /// Points that stand in order.
    pub(super) fn of_sorted(mut points: Vec<u64>, low: Vec<u32>, mask: u64) -> Table {
        let len = points.len();
        points.resize(len + WINDOW, 0);
        let mut table = Table { mask, shift: shift(len), index: Vec::new(), points, low };
        table.close(len);
        table.make_index();
        table
    }

    fn make_index(&mut self) {
        let buckets = 1_usize << (u64::BITS - self.shift);
        self.index.clear();
        self.index.resize(buckets + 1, 0);
        let len = self.len();
        // Of the points of a bucket the last one says where the next bucket begins.
        for (at, point) in (1..).zip(&self.points[..len]) {
            self.index[(point >> self.shift) as usize + 1] = at;
        }
        let mut begun = 0;
        for start in &mut self.index {
            begun = begun.max(*start);
            *start = begun;
        }
        self.index.truncate(buckets);
    }

    /// Puts what a lookup may read behind the last point.
    fn close(&mut self, len: usize) {
        let first = self.points[0] & self.mask;
        self.points[len..].fill(!self.mask | first);
    }

    /// The number of points.
    pub(super) fn len(&self) -> usize {
        self.points.len() - WINDOW
    }

    /// The points.
    #[inline]
    pub(super) fn points(&self) -> Packed<'_> {
        Packed::new(&self.points[..self.len()], &self.low, self.mask)
    }

    /// The points of a changed fleet: `places` has for each server its new number or [`GONE`], and keeps the
    /// order of those that stay; `more` are the points of those that come. Of points at one position the
    /// lower number is first.
    pub(super) fn changed(&self, places: &[u32], more: &Table) -> Table {
        let len = self.len() + more.len();
        let mut points = Vec::with_capacity(len + WINDOW);
        let mut low = Vec::with_capacity(if self.low.is_empty() { 0 } else { len });
        let all_stay = !places.contains(&GONE);
        let place = |point: u64| places[(point & self.mask) as usize];
        let copy = |points: &mut Vec<u64>, low: &mut Vec<u32>, span: Range<usize>| {
            let stays = |&at: &usize| place(self.points[at]) != GONE;
            let renamed = |point: u64| point & !self.mask | u64::from(place(point));
            if all_stay {
                points.extend(self.points[span.clone()].iter().map(|&point| renamed(point)));
                low.extend_from_slice(self.low.get(span).unwrap_or_default());
                return;
            }
            for at in span.filter(stays) {
                points.push(renamed(self.points[at]));
                low.extend(self.low.get(at));
            }
        };
        let mut from = 0;
        for at in 0..more.len() {
            let (end, owner) = (more.points().end(at), more.points().owner(at).get());
            let mut to = self.find(end);
            while to < self.len() && self.points().end(to) == end {
                let there = place(self.points[to]);
                if there != GONE && there > owner {
                    break;
                }
                to += 1;
            }
            copy(&mut points, &mut low, from..to);
            points.push(more.points[at]);
            low.extend(more.low.get(at));
            from = to;
        }
        copy(&mut points, &mut low, from..self.len());
        Table::of_sorted(points, low, self.mask)
    }

    /// Whether points of a fleet of so many servers are kept in the same form.
    pub(super) fn is_for(&self, servers: usize) -> bool {
        self.mask == mask(servers)
    }

    /// Puts points in order that are few places away from theirs.
    fn sort_neighbours(&mut self) {
        for at in 1..self.len() {
            let (point, upper) = (self.points[at], self.points[at] & !self.mask);
            if upper > self.points[at - 1] & !self.mask {
                continue;
            }
            let lower = self.low.get(at).copied();
            let mut to = at;
            while let Some(before) = to.checked_sub(1) {
                let other = self.points[before] & !self.mask;
                if other < upper || other == upper && self.low.get(before).copied() <= lower {
                    break;
                }
                self.points[to] = self.points[before];
                if lower.is_some() {
                    self.low[to] = self.low[before];
                }
                to = before;
            }
            self.points[to] = point;
            if let Some(lower) = lower {
                self.low[to] = lower;
            }
        }
    }

    /// Puts the points of each bucket in order, however many they are.
    fn sort_buckets(&mut self) {
        let mut bucket = Vec::new();
        for at in 0..self.index.len() {
            let places = self.bucket(at);
            if places.len() < 2 {
                continue;
            }
            let points = self.points();
            bucket.clear();
            bucket.extend(places.clone().map(|at| (points.end(at), points.owner(at))));
            bucket.sort_by_key(|&(end, _)| end);
            for (at, &(end, owner)) in places.zip(&bucket) {
                self.points[at] = end & !self.mask | u64::from(owner.get());
                if let Some(low) = self.low.get_mut(at) {
                    *low = (end & self.mask) as u32;
                }
            }
        }
    }

    /// Drops of the points at one position all but the first; whether there were any.
    pub(super) fn dedup(&mut self) -> bool {
        let len = self.len();
        let mut kept = 1;
        for at in 1..len {
            if !self.points().same_end(kept - 1, at) {
                self.points[kept] = self.points[at];
                if let Some(&low) = self.low.get(at) {
                    self.low[kept] = low;
                }
                kept += 1;
            }
        }
        if kept < len {
            self.points.truncate(kept);
            self.low.truncate(kept);
            let (points, low) = (core::mem::take(&mut self.points), core::mem::take(&mut self.low));
            *self = Table::of_sorted(points, low, self.mask);
        }
        kept < len
    }

    /// The places of a bucket's points.
    fn bucket(&self, at: usize) -> Range<usize> {
        let end = self.index.get(at + 1).map_or(self.len(), |&end| end as usize);
        self.index[at] as usize..end
    }

    /// The first point at or after a position; the number of points where there is none.
    #[inline]
    pub(super) fn find(&self, position: u64) -> usize {
        let start = self.start(position);
        let key = position & !self.mask;
        if let Some(window) = self.window(start) {
            let passed: usize = window[..WINDOW - 1].iter().map(|&point| usize::from(point < key)).sum();
            if window[passed] > key | self.mask {
                return start + passed;
            }
        }
        self.search(position)
    }

    /// The owner of a position.
    #[inline]
    pub(super) fn owner(&self, position: u64) -> ServerIx {
        self.owner_from(self.start(position), position)
    }

    /// The owners of many hashes, which `lift` makes positions. Some at a time, in two passes: their buckets
    /// are all read before the first point, so that reads of memory overlap instead of waiting for each
    /// other.
    pub(super) fn owners(&self, lift: u32, hashes: &[u64], owners: &mut [ServerIx]) {
        let mut starts = [0; TOGETHER];
        for (hashes, owners) in hashes.chunks(TOGETHER).zip(owners.chunks_mut(TOGETHER)) {
            for (start, &hash) in starts.iter_mut().zip(hashes) {
                *start = self.start(hash << lift);
            }
            for (owner, (&hash, &start)) in owners.iter_mut().zip(hashes.iter().zip(&starts)) {
                *owner = self.owner_from(start, hash << lift);
            }
        }
    }

    #[inline]
    fn start(&self, position: u64) -> usize {
        self.index[(position >> self.shift) as usize] as usize
    }

    #[inline]
    fn window(&self, start: usize) -> Option<&[u64; WINDOW]> {
        self.points.get(start..start + WINDOW)?.try_into().ok()
    }

    /// The owner of a position whose bucket begins at `start`.
    #[inline]
    fn owner_from(&self, start: usize, position: u64) -> ServerIx {
        let key = position & !self.mask;
        if let Some(&[a, b, c, d, e]) = self.window(start) {
            let point = if d >= key { d } else { e };
            let point = if c >= key { c } else { point };
            let point = if b >= key { b } else { point };
            let point = if a >= key { a } else { point };
            // Neither before the position nor so close behind it that the lower bits decide.
            if point > key | self.mask {
                return self.server(point);
            }
        }
        self.server(self.points[self.search(position)])
    }

    #[inline]
    fn server(&self, point: u64) -> ServerIx {
        ServerIx::new((point & self.mask) as u32)
    }

    /// What [`Table::find`] finds, by halves.
    #[cold]
    fn search(&self, position: u64) -> usize {
        let bucket = self.bucket((position >> self.shift) as usize);
        let key = position & !self.mask;
        let points = &self.points[bucket.clone()];
        let passed = points.partition_point(|point| point & !self.mask < key);
        let equal = points[passed..].partition_point(|point| point & !self.mask == key);
        let first = bucket.start + passed;
        // Without lower bits equal ones are at the position.
        let low = self.low.get(first..first + equal).unwrap_or_default();
        first + low.partition_point(|&low| u64::from(low) < position & self.mask)
    }
}

/// Position to bucket: at most one bucket a point. With 8 bytes of the point and 4 of its lower bits, a point
/// takes 14 to 16.
fn shift(points: usize) -> u32 {
    u64::BITS - points.checked_ilog2().unwrap_or(0).max(1)
}

fn mask(servers: usize) -> u64 {
    if servers as u64 <= NARROW + 1 { NARROW } else { WIDE }
}
