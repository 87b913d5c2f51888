//! A division of the hash space as angles: runs of one owner, points, and the steps of a ring too
//! fine to draw.

use std::f64::consts::TAU;

use clockwise::{Layout, ServerIx};

use super::svg::Px;

/// A stretch of the circle with one owner. Angles in radians, clockwise from the top.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Run {
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) owner: usize,
}

/// What the picture needs to know of a layout.
pub(super) struct Circle {
    /// What keys reach, in parts; and each server's parts of it.
    pub(super) reached: u128,
    pub(super) owned: Vec<u128>,
    /// Each server's points or slots.
    pub(super) pieces: Vec<u64>,
    /// From the top, clockwise, neighbours of one owner merged.
    pub(super) runs: Vec<Run>,
    /// Steps that the circle was cut into, each given to its largest owner, if it was too fine.
    pub(super) steps: Option<usize>,
}

/// A circle with more runs than this is drawn in steps.
const MOST_RUNS: usize = 3000;

/// Steps of a circle too fine to draw: a step is less than half a pixel wide.
const STEPS: usize = 3600;

impl Circle {
    /// Reads a layout; owners outside `servers` own nothing.
    pub(super) fn new(layout: Layout<'_>, servers: usize) -> Circle {
        let mut arcs: Vec<(u128, u128, usize)> = Vec::new();
        let (whole, reached) = match layout {
            Layout::Circle { arcs: ring, last, .. } => {
                // An arc reaches past the end of the one before up to its own; what lies behind the
                // last end is the first's too, and is drawn at the end.
                let mut from = 0;
                for (end, owner) in ring.iter() {
                    let to = u128::from(end) + 1;
                    arcs.push((from, to, owner.index()));
                    from = to;
                }
                if let Some((_, first)) = ring.get(0) {
                    arcs.push((from, 1 << 64, first.index()));
                }
                (1 << 64, u128::from(last) + 1)
            }
            Layout::Slots { owners, .. } => {
                let slots = (0..).zip(owners);
                arcs.extend(slots.map(|(slot, owner)| (slot, slot + 1, owner.index())));
                (owners.len() as u128, owners.len() as u128)
            }
        };
        arcs.retain(|(from, to, owner)| from < to && *owner < servers);
        let mut owned = vec![0; servers];
        for (from, to, owner) in &arcs {
            owned[*owner] += to.min(&reached) - from.min(&reached);
        }
        let mut pieces = vec![0; servers];
        let mut count = |owner: ServerIx| {
            if let Some(count) = pieces.get_mut(owner.index()) {
                *count += 1;
            }
        };
        match layout {
            Layout::Circle { arcs, .. } => arcs.iter().for_each(|(_, owner)| count(owner)),
            Layout::Slots { owners, .. } => owners.iter().for_each(|&owner| count(owner)),
        }
        let mut runs = merged(&arcs);
        let mut steps = None;
        if runs.len() > MOST_RUNS {
            runs = merged(&in_steps(&runs, whole));
            steps = Some(STEPS);
        }
        let angle = |part: u128| part as f64 / whole as f64 * TAU;
        let mut runs: Vec<Run> =
            runs.iter().map(|&(from, to, owner)| Run { from: angle(from), to: angle(to), owner }).collect();
        // A run across the top is one run, with its end beyond the full turn.
        if let [first, .., last] = &mut runs[..]
            && first.owner == last.owner
            && first.from <= 0.0
            && last.to >= TAU
        {
            last.to += first.to;
            runs.remove(0);
        }
        Circle { reached, owned, pieces, runs, steps }
    }

    pub(super) fn share(&self, server: usize) -> f64 {
        match self.owned.get(server) {
            Some(part) if self.reached > 0 => *part as f64 / self.reached as f64,
            _ => 0.0,
        }
    }
}

type Arc = (u128, u128, usize);

/// Joins neighbours of one owner.
fn merged(arcs: &[Arc]) -> Vec<Arc> {
    let mut runs: Vec<Arc> = Vec::new();
    for &(from, to, owner) in arcs {
        match runs.last_mut() {
            Some(last) if last.2 == owner && last.1 == from => last.1 = to,
            _ => runs.push((from, to, owner)),
        }
    }
    runs
}

/// Cuts the circle into equal steps and gives each to the server that owns most of it; of equal
/// ones, to the first in the list.
fn in_steps(arcs: &[Arc], whole: u128) -> Vec<Arc> {
    let edge = |step: usize| whole * step as u128 / STEPS as u128;
    let mut steps = Vec::with_capacity(STEPS);
    let mut next = 0;
    for step in 0..STEPS {
        let (from, to) = (edge(step), edge(step + 1));
        let mut owned: Vec<(usize, u128)> = Vec::new();
        while let Some(&(start, end, owner)) = arcs.get(next) {
            if start >= to {
                break;
            }
            let part = end.min(to).saturating_sub(start.max(from));
            match owned.iter_mut().find(|(known, _)| *known == owner) {
                Some((_, sum)) => *sum += part,
                None => owned.push((owner, part)),
            }
            if end > to {
                break;
            }
            next += 1;
        }
        if let Some((owner, _)) = owned.iter().max_by_key(|(owner, sum)| (*sum, usize::MAX - owner)) {
            steps.push((from, to, *owner));
        }
    }
    steps
}

/// A place on the picture.
pub(super) fn at(centre: (f64, f64), radius: f64, angle: f64) -> (Px, Px) {
    let (sin, cos) = angle.sin_cos();
    (Px(centre.0 + radius * sin), Px(centre.1 - radius * cos))
}

/// Appends an arc to the data of a path that is drawn with a stroke.
pub(super) fn stroke(path: &mut String, centre: (f64, f64), radius: f64, from: f64, to: f64) {
    let (x, y) = at(centre, radius, from);
    path.push_str(&format!("M{x} {y}"));
    // An arc of half a circle or more is cut in three: one whose ends meet would not be drawn.
    let parts = if to - from > 3.0 { 3 } else { 1 };
    for part in 1..=parts {
        let angle = from + (to - from) * f64::from(part) / f64::from(parts);
        let (x, y) = at(centre, radius, angle);
        path.push_str(&format!("A{r} {r} 0 0 1 {x} {y}", r = Px(radius)));
    }
}

#[cfg(test)]
mod tests {
    use clockwise::Arcs;

    use super::*;

    fn runs(circle: &Circle) -> Vec<(u32, u32, usize)> {
        let degrees = |angle: f64| angle.to_degrees().round() as u32;
        circle.runs.iter().map(|run| (degrees(run.from), degrees(run.to), run.owner)).collect()
    }

    fn circle(ends: &[u64], owners: &[u32], servers: usize) -> Circle {
        let owners: Vec<ServerIx> = owners.iter().copied().map(ServerIx::new).collect();
        Circle::new(Layout::Circle { arcs: Arcs::new(ends, &owners), last: u64::MAX, key_hash: "" }, servers)
    }

    const QUARTER: u64 = 1 << 62;

    #[test]
    fn neighbours_of_one_owner_join_across_the_top_too() {
        let found = circle(&[QUARTER - 1, 2 * QUARTER - 1, 3 * QUARTER - 1], &[0, 1, 1], 2);
        assert_eq!(runs(&found), [(90, 270, 1), (270, 450, 0)]);
        assert_eq!(found.owned, [1 << 63, 1 << 63]);
        assert_eq!(found.pieces, [1, 2]);
    }

    #[test]
    fn shares_are_of_what_keys_reach() {
        let owners = [0, 1].map(ServerIx::new);
        let ends = [QUARTER - 1, 2 * QUARTER - 1];
        let found = Circle::new(
            Layout::Circle { arcs: Arcs::new(&ends, &owners), last: 2 * QUARTER - 1, key_hash: "" },
            2,
        );
        assert_eq!([found.share(0), found.share(1)].map(f64::to_bits), [0.5, 0.5].map(f64::to_bits));
        assert_eq!(runs(&found), [(90, 180, 1), (180, 450, 0)]);
    }

    #[test]
    fn one_point_owns_the_whole_circle() {
        for end in [0, 5, u64::MAX] {
            let found = circle(&[end], &[0], 1);
            assert_eq!(runs(&found), [(0, 360, 0)]);
            assert_eq!(found.owned, [1 << 64]);
        }
    }

    #[test]
    fn slots_are_equal_parts() {
        let owners: Vec<ServerIx> = [0, 0, 1, 0].map(ServerIx::new).into();
        let found = Circle::new(Layout::Slots { owners: &owners, key_hash: "" }, 2);
        assert_eq!(runs(&found), [(180, 270, 1), (270, 540, 0)]);
        assert_eq!((found.share(0), found.share(1)), (0.75, 0.25));
    }

    #[test]
    fn what_is_no_layout_is_still_drawn_somehow() {
        assert!(circle(&[], &[], 0).runs.is_empty());
        assert!(circle(&[7], &[3], 2).runs.is_empty(), "an owner that is no server");
        // Descending ends: what goes backwards is left out.
        assert_eq!(circle(&[9, 3], &[0, 1], 2).runs.last().map(|run| run.owner), Some(0));
        let descending: Vec<u64> = (0..9000_u64).rev().map(|i| i << 48).collect();
        let owners: Vec<u32> = (0..9000).map(|i| i % 3).collect();
        let _ = circle(&descending, &owners, 3);
        assert!(Circle::new(Layout::Slots { owners: &[], key_hash: "" }, 1).runs.is_empty());
    }

    /// The rule in one line: of every step, the server that owns most of it.
    #[test]
    fn steps_go_to_the_largest_owner() {
        const SERVERS: usize = 9;
        let arcs: Vec<Arc> = (0..5_000_u64)
            .map(|i| crate::keys::seeded_key(11, i))
            .map(|key| key[4..].iter().fold(0_u128, |sum, &b| sum * 31 + u128::from(b)) % (1 << 64))
            .collect::<std::collections::BTreeSet<_>>()
            .into_iter()
            .scan(0, |from, to| Some((std::mem::replace(from, to), to, (to % SERVERS as u128) as usize)))
            .collect();
        let steps = in_steps(&arcs, 1 << 64);
        assert_eq!(steps.len(), STEPS);
        for (i, &(from, to, owner)) in steps.iter().enumerate() {
            assert_eq!(from, (1 << 64) * i as u128 / STEPS as u128);
            let owned = |server: usize| -> u128 {
                let overlap = |&(a, b, _): &Arc| b.min(to).saturating_sub(a.max(from));
                arcs.iter().filter(|arc| arc.2 == server).map(overlap).sum()
            };
            let most = (0..SERVERS).map(owned).max();
            assert_eq!(Some(owned(owner)), most, "step {i}");
        }
    }
}
