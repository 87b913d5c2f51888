//! Availability: with random points and several copies of every key, how surely the loss of just as
//! many servers as a quorum cannot bear takes some key out of reach.
//!
//! Exact for each ring: the copies of every arc are walked to, and each pair (or larger group) of
//! servers that a quorum does not survive is counted once.

use clockwise::{FatalLosses, ServerIx};

use super::fleet;
use super::{Kernel, Measures, Metric, Outcome, Trial, knobs};

pub(super) const KERNEL: Kernel = Kernel {
    name: "losses",
    about: "copies on a ring of random points: the chance that a loss of servers takes a quorum from some key",
    knobs: &[knobs::servers(3, 2_000), knobs::points(1_024), knobs::replicas(5)],
    metrics: &[
        Metric { name: "lost_together", label: "servers lost at once", unit: "servers" },
        Metric { name: "chance", label: "losses that take some key's quorum", unit: "%" },
        Metric { name: "neighbours", label: "servers that one shares keys with", unit: "servers" },
        Metric { name: "part_lost", label: "keys out of reach after such a loss", unit: "%" },
    ],
    revision: 1,
    cost: |trial| 900.0 * trial.setting.number("servers") * trial.setting.number("points"),
    fits: knobs::copies,
    run,
};

fn run(trial: &Trial<'_>, out: &mut Measures) -> Outcome {
    let servers = trial.setting.whole("servers") as usize;
    let replicas = trial.setting.whole("replicas") as usize;
    let numbers: Vec<u32> = (0..servers as u32).collect();
    let ring = fleet::ring(trial.seed, &numbers, trial.setting.whole("points") as u32)?;
    let copies: Vec<Vec<ServerIx>> = ring.owners_of_arcs(replicas).map(Iterator::collect).collect();

    // More than half must answer.
    let quorum = replicas / 2 + 1;
    let losses = |needed| FatalLosses::new(servers, needed, copies.iter().map(|group| group.iter().copied()));
    let fatal = losses(quorum)?;
    out.put("lost_together", fatal.size() as f64);
    out.put("chance", 100.0 * fatal.chance().as_f64());

    if replicas > 1 {
        // Any two that share a key: those that all but one of its copies do not survive.
        let pairs = if quorum == replicas - 1 { fatal.count() } else { losses(replicas - 1)?.count() };
        out.put("neighbours", 2.0 * pairs as f64 / servers as f64);
    }

    // Every arc is lost by as many groups as there are choices among its copies: so what all fatal
    // losses take together is that many times the circle.
    let groups_of_an_arc = choices(replicas as u64, fatal.size() as u64);
    out.put("part_lost", 100.0 * groups_of_an_arc / fatal.count() as f64);
    Ok(())
}

fn choices(from: u64, count: u64) -> f64 {
    (0..count).map(|step| (from - step) as f64 / (step + 1) as f64).product()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Value::Whole;
    use crate::theory;

    fn measured(servers: u64, points: u64, replicas: u64, seed: u64) -> super::Measures {
        let knobs = [("servers", Whole(servers)), ("points", Whole(points)), ("replicas", Whole(replicas))];
        fleet::measured(&KERNEL, &knobs, seed, 1)
    }

    #[test]
    fn with_one_point_a_server_shares_keys_with_two_on_either_side() {
        let out = measured(12, 1, 3, 1);
        assert_eq!(out.get("lost_together"), Some(2.0));
        assert_eq!(out.get("chance"), Some(100.0 * 24.0 / 66.0));
        assert_eq!(out.get("neighbours"), Some(4.0));
        // Each of 24 pairs loses some of what they all lose: every arc has three pairs of holders.
        assert_eq!(out.get("part_lost"), Some(100.0 * 3.0 / 24.0));
        // One copy: any loss is one of all its keys.
        let single = measured(12, 4, 1, 1);
        assert_eq!((single.get("chance"), single.get("neighbours")), (Some(100.0), None));
    }

    /// Against looking at every arc of a ring, for every pair.
    #[test]
    fn pairs_are_those_that_some_position_of_the_ring_does_not_survive() {
        let (servers, points, seed) = (9_u32, 5, 3);
        let out = measured(servers.into(), points, 3, seed);
        let numbers: Vec<u32> = (0..servers).collect();
        let ring = fleet::ring(seed, &numbers, points as u32).unwrap();
        let holders: Vec<Vec<u32>> = ring
            .points()
            .map(|(position, _)| ring.owners_ix(position.to_le_bytes(), 3).map(ServerIx::get).collect())
            .collect();
        let lost = |a, b| holders.iter().any(|held| held.contains(&a) && held.contains(&b));
        let pairs = (0..servers).flat_map(|a| (0..a).map(move |b| (a, b)));
        let fatal = pairs.clone().filter(|(a, b)| lost(*a, *b)).count() as f64;
        assert_eq!(out.get("chance"), Some(100.0 * (fatal / pairs.count() as f64)));
        assert_eq!(out.get("neighbours"), Some(2.0 * fatal / f64::from(servers)));
    }

    #[test]
    fn the_model_of_balls_in_bins_is_near() {
        for (servers, points) in [(40, 4), (60, 8), (60, 32)] {
            let mean =
                (0..10).map(|seed| measured(servers, points, 3, seed).get("chance").unwrap()).sum::<f64>()
                    / 10.0;
            let model = 100.0 * theory::sharing_chance(servers, points, 3).unwrap();
            assert!((mean - model).abs() < 3.0, "{servers} servers, {points} points: {mean}, model {model}");
        }
    }
}
