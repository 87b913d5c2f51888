//! Random points on a circle of 2⁶⁴ positions, and which of them each key belongs to.
//!
//! A thousand servers of a thousand points are a million places in memory, and to go from one to
//! another at random is what a study of them would spend its time on. So points are sorted, and keys
//! counted, in two steps: first into runs of some thousand neighbours, then run by run, each of which
//! fits the nearest cache.

use super::random::Random;

/// Points in order, with the server of each.
///
/// A position belongs to the first point at or after it, and past the last to the first.
#[derive(Debug)]
pub struct Circle {
    /// Positions, ascending; then one more that is at or after all, and stands for the first point.
    positions: Vec<u64>,
    servers: Vec<u32>,
    /// Where the points of each bucket of the top bits begin; one more for the end.
    index: Vec<u32>,
    bits: u32,
}

/// Up to so many points everything is near: one step will do.
const NEAR: usize = 1 << 14;
/// How many buckets a run has, in the first of two steps.
const RUN_BITS: u32 = 10;

impl Circle {
    /// A circle of `servers` with `points` random points each.
    pub fn random(random: &Random, servers: u32, points: u32) -> Circle {
        let drawn = || {
            let mut random = random.clone();
            (0..servers)
                .flat_map(move |server| (0..points).map(move |_| server))
                .map(move |server| (random.bits(), server))
        };
        Circle::of(drawn, servers as usize * points as usize)
    }

    /// A circle of these points. Of equal positions the one of the smaller server comes first.
    pub fn new(drawn: &[(u64, u32)]) -> Circle {
        Circle::of(|| drawn.iter().copied(), drawn.len())
    }

    /// Takes `count` points, which can be told more than once.
    fn of<I: Iterator<Item = (u64, u32)>>(drawn: impl Fn() -> I, count: usize) -> Circle {
        // About one point a bucket where there are many; where there are few, four or more buckets a
        // point, so that most of them need one comparison.
        let log = usize::BITS - count.max(1).leading_zeros();
        let bits = if count > NEAR { log } else { log + 2 };
        let bucket = move |position: u64| (position >> (64 - bits)) as usize;
        let mut points = vec![(0, 0); count];
        if count > NEAR {
            let runs = 1 << (bits - RUN_BITS);
            let starts = scatter(&drawn, runs, |position| bucket(position) >> RUN_BITS, &mut points);
            let mut run = Vec::new();
            for ends in starts.windows(2) {
                let sorted = &mut points[ends[0] as usize..ends[1] as usize];
                run.clear();
                run.extend_from_slice(sorted);
                let fine = |position| bucket(position) & ((1 << RUN_BITS) - 1);
                let starts = scatter(|| run.iter().copied(), 1 << RUN_BITS, fine, sorted);
                order(&starts, sorted);
            }
        } else {
            let starts = scatter(&drawn, 1 << bits, bucket, &mut points);
            order(&starts, &mut points);
        }
        let mut index = vec![count as u32; 1 << bits];
        let mut next = 0;
        for (at, point) in points.iter().enumerate() {
            let bucket = bucket(point.0);
            while next <= bucket {
                index[next] = at as u32;
                next += 1;
            }
        }
        Circle {
            positions: points.iter().map(|point| point.0).chain([u64::MAX]).collect(),
            servers: points.iter().map(|point| point.1).collect(),
            index,
            bits,
        }
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.servers.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.servers.is_empty()
    }

    /// Positions of the points, ascending.
    pub fn positions(&self) -> &[u64] {
        &self.positions[..self.len()]
    }

    /// The server of each point.
    pub fn servers(&self) -> &[u32] {
        &self.servers
    }

    /// The point that a position belongs to.
    #[inline]
    pub fn point(&self, position: u64) -> usize {
        let at = self.place(position);
        if at == self.len() { 0 } else { at }
    }

    /// The same, with one more than the last for positions past it.
    #[inline]
    fn place(&self, position: u64) -> usize {
        let mut at = self.index[(position >> (64 - self.bits)) as usize] as usize;
        // One step without a branch that cannot be foretold; further ones are rare.
        at += usize::from(self.positions[at] < position);
        while self.positions[at] < position {
            at += 1;
        }
        at
    }

    /// How many of `count` random keys belong to each point.
    pub fn count_keys(&self, keys: &Random, count: usize) -> Vec<u32> {
        let drawn = || {
            let mut keys = keys.clone();
            (0..count).map(move |_| (keys.bits(), ()))
        };
        let mut counts = vec![0_u32; self.len() + 1];
        if self.len() > NEAR {
            let bits = self.bits - RUN_BITS;
            let mut near = vec![(0, ()); count];
            scatter(drawn, 1 << bits, |position| (position >> (64 - bits)) as usize, &mut near);
            for (position, ()) in near {
                counts[self.place(position)] += 1;
            }
        } else {
            for (position, ()) in drawn() {
                counts[self.place(position)] += 1;
            }
        }
        let beyond = counts.pop().unwrap_or(0);
        if let Some(first) = counts.first_mut() {
            *first += beyond;
        }
        counts
    }

    /// The length of the arc that ends at each point, as a part of the circle.
    pub fn arcs(&self) -> impl Iterator<Item = f64> {
        const CIRCLE: f64 = 18_446_744_073_709_551_616.0;
        let positions = self.positions();
        let last = positions.last().copied().unwrap_or(0);
        let before = std::iter::once(last).chain(positions.iter().copied());
        let alone = self.len() == 1;
        positions.iter().zip(before).map(
            move |(here, before)| {
                if alone { 1.0 } else { here.wrapping_sub(before) as f64 / CIRCLE }
            },
        )
    }

    /// For each point, the server of the first point from it on that is none of `absent`: who owns
    /// the arc while those are not there. Themselves if there is no other.
    pub fn owners_without(&self, absent: impl Fn(u32) -> bool) -> Vec<u32> {
        let mut owners = self.servers.clone();
        let Some(first) = self.servers.iter().position(|&server| !absent(server)) else {
            return owners;
        };
        let mut next = self.servers[first];
        for owner in owners.iter_mut().rev() {
            if absent(*owner) {
                *owner = next;
            } else {
                next = *owner;
            }
        }
        owners
    }
}

/// Puts what is told into buckets, in the order it is told, and says where each begins; one more for
/// the end. `out` has room for all.
fn scatter<T: Copy, I: Iterator<Item = (u64, T)>>(
    told: impl Fn() -> I,
    buckets: usize,
    bucket: impl Fn(u64) -> usize,
    out: &mut [(u64, T)],
) -> Vec<u32> {
    let mut starts = vec![0_u32; buckets + 1];
    for (position, _) in told() {
        starts[bucket(position) + 1] += 1;
    }
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    let mut next = starts.clone();
    for item in told() {
        let slot = &mut next[bucket(item.0)];
        out[*slot as usize] = item;
        *slot += 1;
    }
    starts
}

/// Sorts each bucket.
fn order(starts: &[u32], points: &mut [(u64, u32)]) {
    for ends in starts.windows(2) {
        if ends[1] - ends[0] > 1 {
            points[ends[0] as usize..ends[1] as usize].sort_unstable();
        }
    }
}
