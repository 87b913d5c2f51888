//! Random servers on a circle, one that joins and one that leaves.

use super::circle::Circle;
use super::random::{Random, Stream};

/// One circle for before, after a join and after a leave: who owns a point's arc is the next point of
/// somebody present. So a key is looked up once, whatever happens to it.
pub(super) struct Change {
    pub(super) circle: Circle,
    /// How many servers there are before; the newcomer has the number after the last.
    pub(super) servers: u32,
    /// The one that leaves.
    pub(super) leaver: u32,
    /// Owners of the points' arcs before.
    pub(super) before: Vec<u32>,
    /// The same after the leave.
    pub(super) left: Vec<u32>,
}

impl Change {
    /// The most points of a circle.
    const MOST_POINTS: u64 = 1 << 28;

    /// Draws the points of `servers` and of a newcomer, and who leaves.
    pub(super) fn draw(seed: u64, servers: u64, points: u64) -> Result<Change, String> {
        let room = (servers + 1).saturating_mul(points);
        let ([Ok(count), Ok(points)], true) =
            ([servers, points].map(u32::try_from), room <= Change::MOST_POINTS)
        else {
            let most = Change::MOST_POINTS;
            return Err(format!("{servers} servers with {points} points each are more than {most} points"));
        };
        let leaver = Random::new(seed, Stream::Leaver).below(servers) as u32;
        let circle = Circle::random(&Random::new(seed, Stream::Points), count + 1, points);
        let before = circle.owners_without(|server| server == count);
        let left = circle.owners_without(|server| server == count || server == leaver);
        Ok(Change { circle, servers: count, leaver, before, left })
    }

    /// The server that joins.
    pub(super) fn newcomer(&self) -> u32 {
        self.servers
    }

    /// Owners of the points' arcs after the join.
    pub(super) fn joined(&self) -> &[u32] {
        self.circle.servers()
    }

    /// The point that each of `count` random keys belongs to.
    pub(super) fn points_of_keys(&self, seed: u64, count: usize) -> impl Iterator<Item = usize> {
        let mut keys = Random::new(seed, Stream::Keys);
        (0..count).map(move |_| self.circle.point(keys.bits()))
    }

    /// How many of `count` random keys belong to each point.
    pub(super) fn keys_per_point(&self, seed: u64, count: usize) -> Vec<u32> {
        self.circle.count_keys(&Random::new(seed, Stream::Keys), count)
    }

    /// Adds up what points have, for each of the servers before.
    pub(super) fn per_server(&self, per_point: &[u32]) -> Vec<u32> {
        let mut counts = vec![0; self.servers as usize];
        for (&owner, count) in self.before.iter().zip(per_point) {
            counts[owner as usize] += count;
        }
        counts
    }
}
