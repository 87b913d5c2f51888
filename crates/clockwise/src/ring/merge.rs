//! The points of a changed fleet, made from those that stand in order already.
//!
//! After a join all that stands between two of the newcomer's points is copied as one stretch. The lines of the
//! buckets that it has no point in are copied too: all that may change there is the numbers of servers.

use alloc::vec::Vec;
use core::ops::Range;

use super::sorted::{Sorted, meet};
use super::table::{Table, WINDOW, buckets, place};

/// The number of a server that is there no longer.
pub(super) const GONE: u32 = u32::MAX;

/// New numbers of servers where those from one on are all raised by as much.
#[derive(Clone, Copy)]
struct Step {
    mask: u64,
    /// What takes the first number that is raised, and no lower one, to the bit above the mask.
    lack: u64,
    /// 0 where none is.
    by: u64,
}

impl Step {
    /// None where numbers change in another way.
    fn of(places: &[u32], mask: u64) -> Option<Step> {
        let first = (0..).zip(places).take_while(|&(number, &place)| number == place).count();
        let by = places.get(first).map_or(0, |&place| place.wrapping_sub(first as u32));
        let raised = |(number, &place): (u32, &u32)| place != GONE && place == number.wrapping_add(by);
        if !(first as u32..).zip(&places[first..]).all(raised) {
            return None;
        }
        Some(Step { mask, lack: mask + 1 - first as u64, by: by.into() })
    }

    /// A point whose owner has its new number.
    #[inline]
    fn rename(self, point: u64) -> u64 {
        let raised = ((point & self.mask) + self.lack) >> self.mask.trailing_ones();
        point + (self.by & raised.wrapping_neg())
    }

    /// The same of numbers of 16 bits, as lines have them: of those, eight or more fit a vector.
    fn of_narrow(self) -> impl Fn(u16) -> u16 {
        // The first that is raised does not fit where none is; they are raised by 0 then.
        let (first, by) = ((self.mask + 1 - self.lack) as u16, self.by as u16);
        move |number| number.wrapping_add(if number >= first { by } else { 0 })
    }
}

impl Table {
    /// The points of a changed fleet: `places` has for each server its new number or [`GONE`], and keeps the
    /// order of those that stay; `more` are the points of those that come. Of points at one position the
    /// lower number is first.
    pub(super) fn changed(&self, places: &[u32], more: &Sorted) -> Table {
        match Step::of(places, self.mask) {
            Some(step) => self.joined(step, more),
            None => Table::of_sorted(self.merged(places, more)),
        }
    }

    /// Where a point goes that comes.
    fn way(&self, end: u64, owner: u64, renamed: impl Fn(u64) -> Option<u64>) -> usize {
        let mut to = self.find(end);
        while to < self.len() && self.points().end(to) == end {
            if renamed(self.points[to]).is_some_and(|point| point & self.mask > owner) {
                break;
            }
            to += 1;
        }
        to
    }

    /// Points with those that come among them, where none goes.
    fn joined(&self, step: Step, more: &Sorted) -> Table {
        let len = self.len() + more.points.len();
        let halves = self.halves();
        let mut points = Vec::with_capacity(len + WINDOW);
        let mut low = Vec::with_capacity(len * halves);
        let mut meet = self.meet;
        let copy = |points: &mut Vec<u64>, low: &mut Vec<u16>, span: Range<usize>| {
            points.extend(self.points[span.clone()].iter().map(|&point| step.rename(point)));
            low.extend_from_slice(&self.low[span.start * halves..span.end * halves]);
        };
        let mut from = 0;
        for (at, &point) in more.points.iter().enumerate() {
            let to = self.way(more.packed().end(at), point & self.mask, |other| Some(step.rename(other)));
            copy(&mut points, &mut low, from..to);
            let meets = |other: &u64| (other ^ point) & !self.mask == 0;
            meet |= points.last().is_some_and(meets) || to < self.len() && meets(&self.points[to]);
            points.push(point);
            low.extend_from_slice(&more.low[at * halves..(at + 1) * halves]);
            from = to;
        }
        copy(&mut points, &mut low, from..self.len());
        let mut table = Table::without_lines(Sorted { points, low, mask: self.mask, meet });
        match buckets(len, self.mask) == self.buckets {
            true if self.far.is_empty() => table.lines_of_joined(self, step, more),
            true => table.far_lines_of_joined(self, more),
            false => table.make_lines(),
        }
        table
    }

    /// Makes the lines of a ring from those of the ring before a join.
    fn lines_of_joined(&mut self, before: &Table, step: Step, more: &Sorted) {
        let buckets = before.buckets;
        self.buckets = buckets;
        let mut changed = more.buckets(buckets);
        let mut starts = Vec::with_capacity(buckets);
        for (count, span) in spans(&changed, buckets) {
            starts.extend(before.starts[span].iter().map(|start| start + count));
        }
        let rename = step.of_narrow();
        (self.starts, self.lines) = (starts, before.lines.iter().map(|line| line.renamed(&rename)).collect());

        changed.dedup();
        for bucket in changed {
            self.make_line(bucket);
            // Lines before it, back to one with a point, end with the owner of this one's first.
            let mut back = bucket;
            loop {
                back = back.checked_sub(1).unwrap_or(buckets - 1);
                if back == bucket {
                    break;
                }
                self.make_line(back);
                if !self.bucket(back).is_empty() {
                    break;
                }
            }
        }
    }

    fn make_line(&mut self, bucket: usize) {
        (self.lines[bucket], _) = self.line(bucket, self.starts[bucket] as usize, self.buckets);
    }

    /// The same of a large fleet: where a bucket has no new point, only the places of its points change.
    fn far_lines_of_joined(&mut self, before: &Table, more: &Sorted) {
        let buckets = before.buckets;
        self.buckets = buckets;
        let mut changed = more.buckets(buckets);
        let mut far = Vec::with_capacity(buckets);
        for (count, span) in spans(&changed, buckets) {
            far.extend(before.far[span].iter().map(|line| line.moved(count)));
        }
        self.far = far;
        changed.dedup();
        for bucket in changed {
            (self.far[bucket], _) = self.far_line(bucket, self.far[bucket].start(), buckets);
        }
    }

    /// The points of those that stay and those that come, however numbers change.
    fn merged(&self, places: &[u32], more: &Sorted) -> Sorted {
        let len = self.len() + more.points.len();
        let halves = self.halves();
        let renamed = |point: u64| match places[(point & self.mask) as usize] {
            GONE => None,
            place => Some(point & !self.mask | u64::from(place)),
        };
        let mut standing = Standing {
            points: alloc::vec![0; len + WINDOW],
            low: alloc::vec![0; len * halves],
            count: 0,
            halves,
        };
        let mut from = 0;
        for (at, &point) in more.points.iter().enumerate() {
            let to = self.way(more.packed().end(at), point & self.mask, renamed);
            (from..to).for_each(|at| standing.put(renamed(self.points[at]), &self.low, at));
            standing.put(Some(point), &more.low, at);
            from = to;
        }
        (from..self.len()).for_each(|at| standing.put(renamed(self.points[at]), &self.low, at));
        let Standing { mut points, mut low, count, .. } = standing;
        points.truncate(count);
        low.truncate(count * halves);
        let meet = meet(&points, self.mask);
        Sorted { points, low, mask: self.mask, meet }
    }
}

impl Sorted {
    /// The bucket of each point, of so many.
    fn buckets(&self, buckets: usize) -> Vec<usize> {
        (0..self.points.len()).map(|at| place(self.packed().end(at), buckets).0).collect()
    }
}

/// The buckets up to that of each new point, from that of the one before on, with how many new points are before
/// theirs.
fn spans(changed: &[usize], buckets: usize) -> impl Iterator<Item = (u32, Range<usize>)> {
    let starts = [0].into_iter().chain(changed.iter().map(|bucket| bucket + 1));
    let ends = changed.iter().map(|bucket| bucket + 1).chain([buckets]);
    (0..).zip(starts.zip(ends).map(|(from, to)| from..to))
}

/// Points that stay, as far as they are known.
struct Standing {
    points: Vec<u64>,
    low: Vec<u16>,
    count: usize,
    halves: usize,
}

impl Standing {
    /// Puts a point down, to be written over by the next if it is none: which, a processor cannot guess.
    #[inline]
    fn put(&mut self, point: Option<u64>, low: &[u16], at: usize) {
        let Standing { halves, count, .. } = *self;
        self.points[count] = point.unwrap_or(0);
        for half in 0..halves {
            self.low[count * halves + half] = low[at * halves + half];
        }
        self.count += usize::from(point.is_some());
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;
    use crate::placement::{NARROW, WIDE};

    #[test]
    fn points_and_lines_of_fleets_of_every_size_get_the_same_new_numbers() {
        for servers in [1_u32, 2, 3, 1_000, 65_535, 65_536] {
            for first in [0, 1, servers / 2, servers - 1, servers] {
                for by in [1, 2, 65_536 - servers].into_iter().filter(|by| servers + by <= 65_536) {
                    let places: Vec<u32> = (0..servers).map(|at| at + by * u32::from(at >= first)).collect();
                    for mask in [NARROW, WIDE] {
                        let step = Step::of(&places, mask).unwrap();
                        let narrow = step.of_narrow();
                        for (number, &place) in (0_u32..).zip(&places) {
                            assert_eq!(step.rename(!mask | u64::from(number)), !mask | u64::from(place));
                            assert_eq!(u32::from(narrow(number as u16)), place, "{servers}, {first}, {by}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn numbers_that_change_in_another_way_are_no_step() {
        for places in [[0, 2, 1], [0, GONE, 1], [1, 2, 4], [GONE, GONE, GONE], [0, 1, GONE]] {
            assert!(Step::of(&places, NARROW).is_none(), "{places:?}");
        }
    }
}
