//! Points in order, lines over them, and the one lookup that every ring uses.
//!
//! **Lookup.** The circle is divided into buckets of equal length. A position times their number, in 128 bits,
//! is a bucket in the upper half and where in the bucket in the lower one. Of each bucket a [`Line`] has the
//! sixteen highest bits of the latter for its points, and their owners: so a lookup reads one line of
//! memory and nothing else. It goes on to the points themselves where a fragment is equal to the key's, which
//! hardly ever is; and where more points of the bucket are before the key than a line has: at eleven to twelve
//! points a bucket that is one lookup in seventy of a uniform hash, and where points crowd, all.
//!
//! **Fleets of more than 65,536 servers.** Their numbers leave no room in a line. Buckets hold one or two
//! points, and five points from the first of a bucket on are looked at, all of them always: a scan
//! that stops where it should costs more, because the processor guesses wrong where that is.

use alloc::vec::Vec;
use core::ops::Range;

use super::sorted::{self, Sorted, meet};
use crate::arch::{self, Level, Line, prefetch};
use crate::placement::{NARROW, Packed, ServerIx};

/// Points that a lookup looks at where there are no lines.
pub(super) const WINDOW: usize = 5;

/// Lookups whose reads overlap in a batch.
const TOGETHER: usize = 32;

#[cfg_attr(test, derive(PartialEq))]
pub(super) struct Table {
    /// The bits of a point that are its owner.
    pub(super) mask: u64,
    /// The first point of each bucket or after it; the number of points where there is none.
    pub(super) starts: Vec<u32>,
    /// The points of each bucket, if owners fit.
    pub(super) lines: Vec<Line>,
    /// The upper bits of each end, above its owner; behind them the first owner again at the greatest end
    /// there is, as often as a lookup may look beyond.
    pub(super) points: Vec<u64>,
    /// The lower bits of each end; empty where positions have 32 bits, which are upper ones.
    pub(super) low: Vec<u16>,
    /// Whether the upper bits of any two ends are equal.
    pub(super) meet: bool,
    /// What batches are looked up with.
    level: Level,
}

impl Table {
    /// Points that stand in order.
    pub(super) fn of_sorted(sorted: Sorted) -> Table {
        let mut table = Table::without_lines(sorted);
        table.make_lines();
        table
    }

    /// The same, and what is left to do before anything is looked up is [`Table::make_lines`].
    pub(super) fn without_lines(Sorted { mut points, low, mask, meet }: Sorted) -> Table {
        let len = points.len();
        let first = points[0] & mask;
        points.resize(len + WINDOW, !mask | first);
        Table { mask, starts: Vec::new(), lines: Vec::new(), points, low, meet, level: Level::best() }
    }

    pub(super) fn make_lines(&mut self) {
        let buckets = buckets(self.len(), self.mask);
        let mut starts = Vec::with_capacity(buckets);
        let mut lines = Vec::with_capacity(if self.mask == NARROW { buckets } else { 0 });
        let mut at = 0;
        for bucket in 0..buckets {
            // Below 2²⁴, which is the most points there are.
            starts.push(at as u32);
            let mut line = Line::EMPTY;
            at = self.fill(&mut line, bucket, at, buckets);
            if self.mask == NARROW {
                lines.push(line);
            }
        }
        (self.starts, self.lines) = (starts, lines);
    }

    /// Puts the points of a bucket into a line, from its first or the one after it on. Returns where those of
    /// the next begin.
    #[inline]
    pub(super) fn fill(&self, line: &mut Line, bucket: usize, start: usize, buckets: usize) -> usize {
        let points = self.points();
        let mut at = start;
        for &point in &self.points[start..points.len()] {
            let (there, fragment) = place(point & !self.mask | points.low(at), buckets);
            if there != bucket {
                break;
            }
            line.put(at - start, fragment, point as u16);
            at += 1;
        }
        // Behind the last point is the first.
        line.close(at - start, (self.points[at] & self.mask) as u16);
        at
    }

    /// The number of points.
    pub(super) fn len(&self) -> usize {
        self.points.len() - WINDOW
    }

    /// Lower bits of each end, by 16.
    pub(super) fn halves(&self) -> usize {
        self.low.len() / self.len()
    }

    /// The points.
    #[inline]
    pub(super) fn points(&self) -> Packed<'_> {
        Packed::new(&self.points[..self.len()], &self.low, self.mask)
    }

    /// Whether the upper bits of any two ends are equal: if not, no two points share a position.
    pub(super) fn meet(&self) -> bool {
        self.meet
    }

    /// Drops of the points at one position all but the first, before lines are made; whether there were any.
    pub(super) fn dedup(&mut self) -> bool {
        let (len, halves) = (self.len(), self.halves());
        if !self.meet {
            return false;
        }
        let mut kept = 1;
        for at in 1..len {
            if !self.points().same_end(kept - 1, at) {
                self.points[kept] = self.points[at];
                self.low.copy_within(at * halves..(at + 1) * halves, kept * halves);
                kept += 1;
            }
        }
        self.points.truncate(kept);
        self.low.truncate(kept * halves);
        let (points, low) = (core::mem::take(&mut self.points), core::mem::take(&mut self.low));
        let meet = meet(&points, self.mask);
        *self = Table::without_lines(Sorted { points, low, mask: self.mask, meet });
        kept < len
    }

    /// The places of a bucket's points.
    pub(super) fn bucket(&self, at: usize) -> Range<usize> {
        let end = self.starts.get(at + 1).map_or(self.len(), |&end| end as usize);
        self.starts[at] as usize..end
    }

    /// The first point at or after a position; the number of points where there is none.
    #[inline]
    pub(super) fn find(&self, position: u64) -> usize {
        let (bucket, fragment) = place(position, self.starts.len());
        let start = self.starts[bucket] as usize;
        if let Some(line) = self.lines.get(bucket) {
            return match line.fragments.reached(fragment) {
                (at, true) => start + at,
                (at, false) => self.search(bucket, at, position),
            };
        }
        if let Some(at) = self.near(start, position) {
            return at;
        }
        self.search(bucket, 0, position)
    }

    /// The owner of a position.
    #[inline]
    pub(super) fn owner(&self, position: u64) -> ServerIx {
        let (bucket, fragment) = place(position, self.starts.len());
        let Some(line) = self.lines.get(bucket) else { return self.owner_without_line(position) };
        match line.owner(fragment) {
            Ok(owner) => ServerIx::new(owner.into()),
            Err(passed) => self.owner_beyond_line(bucket, passed, position),
        }
    }

    /// The owner of a position that the first `passed` points of its bucket are before. Found like that of
    /// a bucket without a line, so that the processor has nothing to guess while it waits.
    #[cold]
    #[inline(never)]
    fn owner_beyond_line(&self, bucket: usize, passed: usize, position: u64) -> ServerIx {
        self.owner_from(self.starts[bucket] as usize + passed, position)
    }

    #[inline(never)]
    fn owner_without_line(&self, position: u64) -> ServerIx {
        self.owner_from(self.starts[place(position, self.starts.len()).0] as usize, position)
    }

    /// The owners of many hashes, which `lift` makes positions.
    pub(super) fn owners(&self, lift: u32, hashes: &[u64], owners: &mut [ServerIx]) {
        let Some(first) = self.lines.first() else { return self.owners_without_lines(lift, hashes, owners) };
        // Some at a time, in two passes: what the second reads, the first has asked for, so that the lines of
        // all are waited for at once.
        let mut places = [(first, 0); TOGETHER];
        for (hashes, owners) in hashes.chunks(TOGETHER).zip(owners.chunks_mut(TOGETHER)) {
            for (there, &hash) in places.iter_mut().zip(hashes) {
                let (bucket, fragment) = place(hash << lift, self.lines.len());
                let line = &self.lines[bucket];
                prefetch(line);
                *there = (line, fragment);
            }
            arch::owners(self.level, &places[..hashes.len()], owners, |at, owner| match owner {
                Ok(owner) => ServerIx::new(owner.into()),
                Err(_) => self.owner_again(hashes[at] << lift),
            });
        }
    }

    /// The owner of a position whose line does not tell it.
    #[cold]
    #[inline(never)]
    fn owner_again(&self, position: u64) -> ServerIx {
        self.owner(position)
    }

    fn owners_without_lines(&self, lift: u32, hashes: &[u64], owners: &mut [ServerIx]) {
        let mut starts = [0; TOGETHER];
        for (hashes, owners) in hashes.chunks(TOGETHER).zip(owners.chunks_mut(TOGETHER)) {
            for (start, &hash) in starts.iter_mut().zip(hashes) {
                *start = self.starts[place(hash << lift, self.starts.len()).0] as usize;
            }
            for (owner, (&hash, &start)) in owners.iter_mut().zip(hashes.iter().zip(&starts)) {
                *owner = self.owner_from(start, hash << lift);
            }
        }
    }

    /// The first of five points at or after a position; None if there is none, or the bits at hand leave it
    /// open. Counted and not searched: a branch would be guessed, and what comes after a wrong guess waits for
    /// memory anew.
    #[inline]
    fn near(&self, start: usize, position: u64) -> Option<usize> {
        let window: &[u64; WINDOW] = self.points.get(start..start + WINDOW)?.try_into().ok()?;
        let key = position & !self.mask;
        let passed: usize = window[..WINDOW - 1].iter().map(|&point| usize::from(point < key)).sum();
        // Neither before the position nor so close behind it that the lower bits decide.
        (window[passed] > key | self.mask).then_some(start + passed)
    }

    /// The owner of a position that all points before `start` are before.
    #[inline]
    fn owner_from(&self, start: usize, position: u64) -> ServerIx {
        let near = self.near(start, position);
        let at = near.unwrap_or_else(|| self.search(place(position, self.starts.len()).0, 0, position));
        self.server(self.points[at])
    }

    #[inline]
    fn server(&self, point: u64) -> ServerIx {
        ServerIx::new((point & self.mask) as u32)
    }

    /// What [`Table::find`] finds, by halves, where the first `passed` points of the bucket are before the
    /// position.
    #[cold]
    #[inline(never)]
    fn search(&self, bucket: usize, passed: usize, position: u64) -> usize {
        let Range { start, end } = self.bucket(bucket);
        let points = self.points();
        let (mut from, mut to) = (start + passed, end);
        while from < to {
            let half = from + (to - from) / 2;
            if points.end(half) < position {
                from = half + 1;
            } else {
                to = half;
            }
        }
        from
    }

    /// Batches are looked up at a level that this machine has.
    #[cfg(test)]
    pub(super) fn set_level(&mut self, level: Level) {
        self.level = level;
    }

    /// Whether points of a fleet of so many servers are kept in the same form.
    pub(super) fn is_for(&self, servers: usize) -> bool {
        self.mask == sorted::mask(servers)
    }
}

/// The bucket of a position, of so many of equal length, and its sixteen highest bits in there, as a signed
/// number: of two positions the greater has never less.
#[inline]
pub(super) fn place(position: u64, buckets: usize) -> (usize, i16) {
    let place = u128::from(position) * buckets as u128;
    ((place >> 64) as usize, ((place as u64 ^ 1 << 63) as i64 >> 48) as i16)
}

/// How many buckets there are. With the 10 bytes of a point, and the 68 of a line and where its points start,
/// a point takes at most 16; of a large fleet, with 12 and 4, about 15. In 32 steps from one power of two to
/// the next, so that after most joins there are as many as before.
pub(super) fn buckets(points: usize, mask: u64) -> usize {
    let step = (1 << points.checked_ilog2().unwrap_or(0)) / 32;
    let points = points - points.checked_rem(step).unwrap_or(0);
    (if mask == NARROW { points * 2 / 23 } else { points * 2 / 3 }).max(1)
}
