//! The plainest correct program for each scheme: what a careful reader of the paper would write first.
//!
//! They are the oracle too: before anything is timed, both sides must give the same answers.

use clockwise::hash::xxh3_64;
use clockwise::{Members, Server};

/// Points in order, searched by halving.
pub struct Ring {
    points: Vec<(u64, u32)>,
}

impl Ring {
    /// The native ring: point *i* is the hash of the name, a zero byte and *i*.
    pub fn new(members: &Members, points_per_weight: u32) -> Ring {
        let mut points = Vec::new();
        for (ix, server) in (0..).zip(members.servers()) {
            for i in 0..server.weight().get() * points_per_weight {
                let label = [server.name().as_str().as_bytes(), &[0], &i.to_le_bytes()].concat();
                points.push((xxh3_64(&label, 0), ix));
            }
        }
        points.sort_unstable();
        Ring { points }
    }

    /// The first point at or after the hash, or else the first of all.
    #[inline]
    pub fn owner(&self, hash: u64) -> u32 {
        let at = self.points.partition_point(|point| point.0 < hash);
        self.points[if at == self.points.len() { 0 } else { at }].1
    }
}

/// The ring under loads, all servers of equal weight: the first server clockwise that has room.
pub struct Bounded {
    ring: Ring,
    loads: Vec<u64>,
    total: u64,
}

impl Bounded {
    /// Nothing held yet.
    pub fn new(ring: Ring, servers: u32) -> Bounded {
        Bounded { ring, loads: vec![0; servers as usize], total: 0 }
    }

    /// Takes a place for a key on a server that holds less than 5/4 of the mean, this key counted.
    pub fn acquire(&mut self, hash: u64) -> u32 {
        self.total += 1;
        let room = (5 * self.total).div_ceil(4 * self.loads.len() as u64);
        let points = &self.ring.points;
        let start = points.partition_point(|point| point.0 < hash);
        let mut clockwise = points[start..].iter().chain(&points[..start]);
        // Some server holds no more than the mean, so one is found.
        let found = clockwise.find(|point| self.loads[point.1 as usize] < room);
        let server = found.map_or(0, |point| point.1);
        self.loads[server as usize] += 1;
        server
    }

    /// Gives a place back.
    pub fn release(&mut self, server: u32) {
        self.loads[server as usize] -= 1;
        self.total -= 1;
    }
}

/// The native rendezvous of servers of equal weight: every server is scored.
pub struct Rendezvous {
    seeds: Vec<u64>,
}

impl Rendezvous {
    /// One seed a server.
    pub fn new(members: &Members) -> Rendezvous {
        let seed = |server: &Server| xxh3_64(server.name().as_str().as_bytes(), 0);
        Rendezvous { seeds: members.servers().iter().map(seed).collect() }
    }

    /// The highest score; of equal ones the first.
    #[inline]
    pub fn owner(&self, hash: u64) -> u32 {
        let mut best = (0, 0);
        for (ix, seed) in (0..).zip(&self.seeds) {
            let [low, high] = [(hash ^ seed) as u32, ((hash ^ seed) >> 32) as u32];
            let x = low.wrapping_mul(0x9e37_79b1);
            let x = (x ^ x >> 15).wrapping_add(high).wrapping_mul(0x85eb_ca77);
            let score = x ^ x >> 16;
            if score > best.0 {
                best = (score, ix);
            }
        }
        best.1
    }
}

/// Jump, as printed in the paper.
#[inline]
pub fn jump(mut key: u64, buckets: i64) -> u32 {
    let (mut b, mut j) = (-1_i64, 0_i64);
    while j < buckets {
        b = j;
        key = key.wrapping_mul(2_862_933_555_777_941_757).wrapping_add(1);
        j = ((b + 1) as f64 * ((1_i64 << 31) as f64 / ((key >> 33) + 1) as f64)) as i64;
    }
    b as u32
}

/// A table of servers, indexed by the remainder: mod N and Maglev.
pub struct Table {
    slots: Vec<u32>,
}

impl Table {
    /// The server of each slot.
    pub fn new(slots: impl IntoIterator<Item = u32>) -> Table {
        Table { slots: slots.into_iter().collect() }
    }

    /// Maglev of servers of equal weight, by the pseudocode of the paper.
    pub fn maglev(members: &Members, size: u64) -> Table {
        let names = members.servers().iter().map(|server| server.name().as_str().as_bytes());
        let walks: Vec<(u64, u64)> =
            names.map(|name| (xxh3_64(name, 0) % size, xxh3_64(name, 1) % (size - 1) + 1)).collect();
        let mut next = vec![0; walks.len()];
        let mut slots = vec![None; size as usize];
        let mut filled = 0;
        'rounds: loop {
            for (ix, (offset, skip)) in walks.iter().enumerate() {
                let slot = loop {
                    let slot = ((offset + next[ix] * skip) % size) as usize;
                    next[ix] += 1;
                    if slots[slot].is_none() {
                        break slot;
                    }
                };
                slots[slot] = Some(ix as u32);
                filled += 1;
                if filled == size {
                    break 'rounds;
                }
            }
        }
        Table::new(slots.into_iter().flatten())
    }

    /// The server of the slot that the hash leaves.
    #[inline]
    pub fn owner(&self, hash: u64) -> u32 {
        self.slots[(hash % self.slots.len() as u64) as usize]
    }
}
