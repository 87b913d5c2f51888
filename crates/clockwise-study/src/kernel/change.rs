//! Random servers on a circle, one that joins and one that leaves.

use super::circle::Circle;
use super::random::{Random, Stream};
use super::{Trial, knobs};
use crate::experiment::Setting;

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

    /// Whether a circle has room for the points of all servers.
    pub(super) fn fits(setting: &Setting) -> Result<(), String> {
        knobs::product(setting, ["servers", "points"], "points", Change::MOST_POINTS).map(|_| ())
    }

    /// Draws the points of the servers of a setting and of a newcomer, and who leaves.
    pub(super) fn draw(trial: &Trial<'_>) -> Change {
        let seed = trial.seed;
        let [servers, points] = ["servers", "points"].map(|knob| trial.setting.whole(knob));
        let (count, points) = (servers as u32, points as u32);
        let leaver = Random::new(seed, Stream::Leaver).below(servers) as u32;
        let circle = Circle::random(&Random::new(seed, Stream::Points), count + 1, points);
        let before = circle.owners_without(|server| server == count);
        let left = circle.owners_without(|server| server == count || server == leaver);
        Change { circle, servers: count, leaver, before, left }
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
