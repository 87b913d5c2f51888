//! Bounded loads through many joins and leaves in turn: what each way moves in all, and how many keys
//! stand away from their owners in the end.
//!
//! The three ways are those of [`kept`](super::kept). Keeping moves least, and pays for it later: a
//! displaced key stays where it is when its owner has room again.

use clockwise::{Filled, fill, refill, settle};

use super::fleet;
use super::kept::percent;
use super::random::{Random, Stream};
use super::{Kernel, Knob, Measures, Metric, Outcome, Trial, Values, knobs};

pub(super) const KERNEL: Kernel = Kernel {
    name: "drift",
    about: "bounded loads through many joins and leaves: keys moved for each, and keys displaced in the end",
    knobs: &[
        knobs::servers(2, 1_000),
        knobs::keys_per_server(10_000),
        knobs::points(10_000),
        knobs::EPSILON,
        Knob { name: "changes", label: "joins and leaves", values: Values::Whole(1, 10_000), draws: false },
    ],
    metrics: &[
        Metric {
            name: "displaced_placed_again",
            label: "keys away from their owner, placed again",
            unit: "%",
        },
        Metric { name: "displaced_settled", label: "keys away from their owner, settled", unit: "%" },
        Metric { name: "displaced_kept", label: "keys away from their owner, kept", unit: "%" },
        Metric { name: "moved_placed_again", label: "moved a change ÷ minimum, placed again", unit: "" },
        Metric { name: "moved_settled", label: "moved a change ÷ minimum, settled", unit: "" },
        Metric { name: "moved_kept", label: "moved a change ÷ minimum, kept", unit: "" },
    ],
    revision: 1,
    cost: |trial| {
        let setting = trial.setting;
        let servers = setting.number("servers");
        let change =
            600.0 * servers * setting.number("keys_per_server") + 200.0 * servers * setting.number("points");
        change * setting.number("changes")
    },
    fits: knobs::held,
    run,
};

fn run(trial: &Trial<'_>, out: &mut Measures) -> Outcome {
    let points = trial.setting.whole("points") as u32;
    let cap = knobs::cap(trial.setting)?;
    let count = trial.setting.whole("servers") * trial.setting.whole("keys_per_server");
    let keys = fleet::keys(&mut Random::new(trial.seed, Stream::Keys), count as usize);
    let mut leavers = Random::new(trial.seed, Stream::Leaver);

    let mut numbers: Vec<u32> = (0..trial.setting.whole("servers") as u32).collect();
    let mut ring = fleet::ring(trial.seed, &numbers, points)?;
    let start = fill(&ring, &keys, cap);
    // Placed again, settled, kept.
    let mut ways: [Filled; 3] = [start.clone(), start.clone(), start];
    let mut moved = [0.0; 3];
    let changes = trial.setting.whole("changes");
    for change in 0..changes {
        let mut next = numbers.clone();
        let newcomer = trial.setting.whole("servers") + change;
        if change % 2 == 0 {
            next.push(newcomer as u32);
        } else {
            next.remove(leavers.below(next.len() as u64) as usize);
        }
        // The least is one server's mean share of the larger of the two fleets.
        let minimum = count as f64 / next.len().max(numbers.len()) as f64;
        let after = fleet::ring(trial.seed, &next, points)?;
        let moves = |held: &Filled| refill(held, &ring, &after, &keys, cap);
        let now = [fill(&after, &keys, cap), settle(&moves(&ways[1]), &after, &keys, cap), moves(&ways[2])];
        for ((moved, before), after) in moved.iter_mut().zip(&ways).zip(&now) {
            *moved += fleet::moved((before.servers(), &numbers), (after.servers(), &next)) as f64 / minimum;
        }
        (ways, numbers, ring) = (now, next, after);
    }
    for (names, (way, moved)) in NAMES.iter().zip(ways.iter().zip(moved)) {
        out.put(names[0], percent(way, &keys));
        out.put(names[1], moved / changes as f64);
    }
    Ok(())
}

const NAMES: [[&str; 2]; 3] = [
    ["displaced_placed_again", "moved_placed_again"],
    ["displaced_settled", "moved_settled"],
    ["displaced_kept", "moved_kept"],
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Value::{Number, Whole};

    #[test]
    fn one_change_is_the_join_of_the_other_kernel_and_without_a_cap_all_ways_are_one() {
        let knobs = |epsilon: f64, changes: u64| {
            let whole = |knob, value| (knob, Whole(value));
            let mut knobs = vec![whole("servers", 8), whole("keys_per_server", 40), whole("points", 4)];
            knobs.extend([("epsilon", Number(epsilon)), whole("changes", changes)]);
            knobs
        };
        let one = fleet::measured(&KERNEL, &knobs(0.1, 1), 7, 1);
        let join = fleet::measured(&super::super::kept::KERNEL, &knobs(0.1, 1), 7, 1);
        for way in ["placed_again", "settled", "kept"] {
            assert_eq!(one.get(&format!("moved_{way}")), join.get(&format!("add_{way}")), "{way}");
        }
        assert_eq!(one.get("displaced_kept"), join.get("displaced_add_kept"));
        let free = fleet::measured(&KERNEL, &knobs(1_000.0, 20), 7, 1);
        for way in ["placed_again", "settled", "kept"] {
            assert_eq!(free.get(&format!("displaced_{way}")), Some(0.0), "{way}");
            assert_eq!(free.get(&format!("moved_{way}")), free.get("moved_kept"), "{way}");
        }
    }
}
