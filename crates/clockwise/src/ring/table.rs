//! Points in order, lines over them, and the one lookup that every ring uses.
//!
//! **Lookup.** The circle is divided into buckets of equal length. A position times their number, in 128 bits,
//! is a bucket in the upper half and where in the bucket in the lower one. Of each bucket a [`Line`] has the
//! sixteen highest bits of the latter for its points, and their owners: so a lookup reads one line of
//! memory and nothing else. It goes on to the points themselves where a fragment is equal to the key's, which
//! hardly ever is; and where more points of the bucket are before the key than a line has: at eleven to twelve
//! points a bucket that is one lookup in seventy of a uniform hash, and where points crowd, all.
//!
//! **Fleets of more than 65,536 servers.** Their numbers leave no room in a line. Of each bucket a
//! [`FarLine`] has fragments alone, and where its points begin: a lookup reads it, and then the one point that
//! the key comes to.
//!
//! **Beyond a line** five points are looked at, all of them always: a scan that stops where it should costs more,
//! because the processor guesses wrong where that is.

use alloc::vec::Vec;
use core::ops::Range;

use super::line::FarLine;
use super::sorted::{self, Sorted, meet};
use crate::arch::{self, AT_HAND, FRAGMENTS, Level, Line, TOGETHER, prefetch};
use crate::placement::{NARROW, Packed, ServerIx};

/// Points that a lookup looks at beyond a line.
pub(super) const WINDOW: usize = 5;

#[cfg_attr(test, derive(PartialEq))]
pub(super) struct Table {
    /// The bits of a point that are its owner.
    pub(super) mask: u64,
    /// How many buckets there are, as soon as lines are made.
    pub(super) buckets: usize,
    /// The points of each bucket, if owners fit, and in `starts` the first of them or after them; the number of
    /// points where there is none.
    pub(super) lines: Vec<Line>,
    pub(super) starts: Vec<u32>,
    /// The points of each bucket and where they start, if owners do not fit.
    pub(super) far: Vec<FarLine>,
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
        Table {
            mask,
            buckets: 0,
            lines: Vec::new(),
            starts: Vec::new(),
            far: Vec::new(),
            points,
            low,
            meet,
            level: Level::best(),
        }
    }

    pub(super) fn make_lines(&mut self) {
        let buckets = buckets(self.len(), self.mask);
        self.buckets = buckets;
        let mut at = 0;
        if self.mask != NARROW {
            let make = |bucket| {
                let line;
                (line, at) = self.far_line(bucket, at, buckets);
                line
            };
            self.far = (0..buckets).map(make).collect();
            return;
        }
        let mut starts = Vec::with_capacity(buckets);
        let make = |bucket| {
            // Below 2²⁴, which is the most points there are.
            starts.push(at as u32);
            let line;
            (line, at) = self.line(bucket, at, buckets);
            line
        };
        self.lines = (0..buckets).map(make).collect();
        self.starts = starts;
    }

    /// The line of a bucket whose points begin at a place, and where those of the next begin.
    #[inline]
    pub(super) fn line(&self, bucket: usize, start: usize, buckets: usize) -> (Line, usize) {
        let mut line = Line::EMPTY;
        let put = |at, fragment, point: u64| line.put(at, fragment, point as u16);
        let end = self.each(bucket, start, buckets, put);
        // Behind the last point is the first.
        line.close(end - start, (self.points[end] & self.mask) as u16);
        (line, end)
    }

    /// The same of a fleet whose owners do not fit.
    #[inline]
    pub(super) fn far_line(&self, bucket: usize, start: usize, buckets: usize) -> (FarLine, usize) {
        let mut line = FarLine::from(start);
        let end = self.each(bucket, start, buckets, |at, fragment, _| line.put(at, fragment));
        (line, end)
    }

    /// Tells of each point of a bucket its number in there, its fragment, and itself. Returns where those of the
    /// next begin.
    #[inline]
    fn each(
        &self,
        bucket: usize,
        start: usize,
        buckets: usize,
        mut put: impl FnMut(usize, i16, u64),
    ) -> usize {
        let points = self.points();
        let mut at = start;
        for &point in &self.points[start..points.len()] {
            let (there, fragment) = place(point & !self.mask | points.low(at), buckets);
            if there != bucket {
                break;
            }
            put(at - start, fragment, point);
            at += 1;
        }
        at
    }

    /// The number of points.
    pub(super) fn len(&self) -> usize {
        self.points.len() - WINDOW
    }

    /// Lower bits of each end, by 16.
    pub(super) fn halves(&self) -> usize {
        self.points().halves()
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
                // None, one or two: less than a call to copy them.
                for half in 0..halves {
                    self.low[kept * halves + half] = self.low[at * halves + half];
                }
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
        let start = |at: usize| match self.starts.get(at) {
            Some(&start) => start as usize,
            None => self.far.get(at).map_or(self.len(), FarLine::start),
        };
        start(at)..start(at + 1)
    }

    /// The first point at or after a position; the number of points where there is none.
    #[inline]
    pub(super) fn find(&self, position: u64) -> usize {
        let (bucket, fragment) = place(position, self.buckets);
        let found = match self.lines.get(bucket) {
            Some(line) => match line.fragments.reached(FRAGMENTS, fragment) {
                (at, true) => Ok(self.starts[bucket] as usize + at),
                (at, false) => Err(at),
            },
            None => self.far[bucket].point(fragment),
        };
        found.unwrap_or_else(|passed| self.search(bucket, passed, position))
    }

    /// The owner of a position.
    #[inline]
    pub(super) fn owner(&self, position: u64) -> ServerIx {
        let (bucket, fragment) = place(position, self.buckets);
        let found = match self.lines.get(bucket) {
            Some(line) => line.owner(fragment).map(|owner| ServerIx::new(owner.into())),
            None => self.far[bucket].point(fragment).map(|at| self.server(self.points[at])),
        };
        match found {
            Ok(owner) => owner,
            Err(passed) => self.owner_beyond_line(bucket, passed, position),
        }
    }

    /// The owner of a position that the first `passed` points of its bucket are before.
    #[cold]
    #[inline(never)]
    fn owner_beyond_line(&self, bucket: usize, passed: usize, position: u64) -> ServerIx {
        let near = self.near(self.bucket(bucket).start + passed, position);
        self.server(self.points[near.unwrap_or_else(|| self.search(bucket, passed, position))])
    }

    /// The owners of many hashes, which `lift` makes positions.
    pub(super) fn owners(&self, lift: u32, hashes: &[u64], owners: &mut [ServerIx]) {
        if self.buckets * size_of::<Line>() > AT_HAND {
            return self.owners_asked_for(lift, hashes, owners);
        }
        for (owner, &hash) in owners.iter_mut().zip(hashes) {
            *owner = self.owner(hash << lift);
        }
    }

    /// The same for lines that are far from the processor.
    pub(super) fn owners_asked_for(&self, lift: u32, hashes: &[u64], owners: &mut [ServerIx]) {
        let Some(first) = self.lines.first() else { return self.far_owners(lift, hashes, owners) };
        // Some at a time, in two passes: what the second reads, the first has asked for, so that the lines of
        // all are waited for at once.
        let mut places = [(first, 0); TOGETHER];
        for (hashes, owners) in hashes.chunks(TOGETHER).zip(owners.chunks_mut(TOGETHER)) {
            ask(&self.lines, lift, hashes, &mut places);
            arch::owners(self.level, &places[..hashes.len()], owners, |at, owner| match owner {
                Ok(owner) => ServerIx::new(owner.into()),
                Err(_) => self.owner_again(hashes[at] << lift),
            });
        }
    }

    /// The same in three passes, where a line tells which point is to be read.
    fn far_owners(&self, lift: u32, hashes: &[u64], owners: &mut [ServerIx]) {
        let Some(first) = self.far.first() else { return };
        let mut places = [(first, 0); TOGETHER];
        let mut found = [0; TOGETHER];
        for (hashes, owners) in hashes.chunks(TOGETHER).zip(owners.chunks_mut(TOGETHER)) {
            ask(&self.far, lift, hashes, &mut places);
            for (at, (&(line, fragment), &hash)) in found.iter_mut().zip(places.iter().zip(hashes)) {
                *at = line.point(fragment).unwrap_or_else(|_| self.find_again(hash << lift));
                prefetch(&self.points[*at]);
            }
            for (owner, &at) in owners.iter_mut().zip(&found[..hashes.len()]) {
                *owner = self.server(self.points[at]);
            }
        }
    }

    /// [`Table::find`] of a position whose line does not tell it.
    #[cold]
    #[inline(never)]
    fn find_again(&self, position: u64) -> usize {
        self.find(position)
    }

    /// The owner of a position whose line does not tell it.
    #[cold]
    #[inline(never)]
    fn owner_again(&self, position: u64) -> ServerIx {
        self.owner(position)
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

/// Asks for the line of each hash, and notes it with the fragment that it is to be asked.
#[inline(always)]
fn ask<'a, L>(lines: &'a [L], lift: u32, hashes: &[u64], places: &mut [(&'a L, i16); TOGETHER]) {
    for (there, &hash) in places.iter_mut().zip(hashes) {
        let (bucket, fragment) = place(hash << lift, lines.len());
        let line = &lines[bucket];
        prefetch(line);
        *there = (line, fragment);
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
/// a point takes at most 16; of a large fleet, with 12, and 32 for nine, as much. In 32 steps from one power of
/// two to the next, so that after most joins there are as many as before.
pub(super) fn buckets(points: usize, mask: u64) -> usize {
    let step = (1 << points.checked_ilog2().unwrap_or(0)) / 32;
    let points = points - points.checked_rem(step).unwrap_or(0);
    (if mask == NARROW { points * 2 / 23 } else { points / 9 }).max(1)
}
