//! Random points on a circle of 2⁶⁴ positions, and which of them each key belongs to.

use super::random::Random;

/// Points in order, with the server of each.
///
/// A position belongs to the first point at or after it, and past the last to the first.
#[derive(Debug)]
pub struct Circle {
    positions: Vec<u64>,
    servers: Vec<u32>,
    /// Where the points of each bucket of the top bits begin; one more for the end.
    index: Vec<u32>,
    shift: u32,
}

impl Circle {
    /// A circle of `servers` with `points` random points each.
    pub fn random(random: &mut Random, servers: u32, points: u32) -> Circle {
        let drawn = (0..servers).flat_map(|server| (0..points).map(move |_| server));
        Circle::new(drawn.map(|server| (random.bits(), server)).collect())
    }

    /// A circle of these points. Of equal positions the one of the smaller server comes first.
    pub fn new(drawn: Vec<(u64, u32)>) -> Circle {
        let count = drawn.len();
        // About one point a bucket: a bucket is where a lookup begins, and where sorting ends.
        let bits = usize::BITS - count.max(1).leading_zeros();
        let shift = 64 - bits;
        let mut index = vec![0_u32; (1 << bits) + 1];
        for (position, _) in &drawn {
            index[(position >> shift) as usize + 1] += 1;
        }
        for at in 1..index.len() {
            index[at] += index[at - 1];
        }
        let mut next = index.clone();
        let mut points = vec![(0, 0); count];
        for point in drawn {
            let slot = &mut next[(point.0 >> shift) as usize];
            points[*slot as usize] = point;
            *slot += 1;
        }
        for bucket in index.windows(2) {
            let bucket = &mut points[bucket[0] as usize..bucket[1] as usize];
            if bucket.len() > 1 {
                bucket.sort_unstable();
            }
        }
        Circle {
            positions: points.iter().map(|point| point.0).collect(),
            servers: points.iter().map(|point| point.1).collect(),
            index,
            shift,
        }
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Positions of the points, ascending.
    pub fn positions(&self) -> &[u64] {
        &self.positions
    }

    /// The server of each point.
    pub fn servers(&self) -> &[u32] {
        &self.servers
    }

    /// The point that a position belongs to.
    #[inline]
    pub fn point(&self, position: u64) -> usize {
        let mut at = self.index[(position >> self.shift) as usize] as usize;
        while let Some(&here) = self.positions.get(at) {
            if here >= position {
                return at;
            }
            at += 1;
        }
        0
    }

    /// The length of the arc that ends at each point, as a part of the circle.
    pub fn arcs(&self) -> impl Iterator<Item = f64> {
        const CIRCLE: f64 = 18_446_744_073_709_551_616.0;
        let last = self.positions.last().copied().unwrap_or(0);
        let before = std::iter::once(last).chain(self.positions.iter().copied());
        let alone = self.len() == 1;
        self.positions
            .iter()
            .zip(before)
            .map(move |(here, before)| if alone { 1.0 } else { here.wrapping_sub(before) as f64 / CIRCLE })
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
