//! Bounded loads that are held: what a join and a leave move when the keys are placed again in their
//! order, and when only those move that must.
//!
//! Three ways from one assignment to the next, over the same ring, keys and cap:
//!
//! - *placed again*: all keys, in their order, as the published texts measured;
//! - *kept*: [`clockwise::refill`], only what must move and what the newcomer calls;
//! - *settled*: that, and [`clockwise::settle`] behind it, so that no key passes a server with room.

use clockwise::{Filled, fill, refill, settle};

use super::fleet;
use super::random::{Random, Stream};
use super::{Kernel, Measures, Metric, Outcome, Trial, knobs};

pub(super) const KERNEL: Kernel = Kernel {
    name: "kept",
    about: "bounded loads through a join and a leave: all keys placed again, or only those moved that must",
    knobs: &[
        knobs::servers(2, 10_000),
        knobs::keys_per_server(100_000),
        knobs::points(10_000),
        knobs::EPSILON,
    ],
    metrics: &[
        Metric { name: "add_placed_again", label: "join, placed again: moved ÷ minimum", unit: "" },
        Metric { name: "add_settled", label: "join, settled: moved ÷ minimum", unit: "" },
        Metric { name: "add_kept", label: "join, kept: moved ÷ minimum", unit: "" },
        Metric { name: "add_plain", label: "join, no cap: moved ÷ minimum", unit: "" },
        Metric { name: "remove_placed_again", label: "leave, placed again: moved ÷ minimum", unit: "" },
        Metric { name: "remove_settled", label: "leave, settled: moved ÷ minimum", unit: "" },
        Metric { name: "remove_kept", label: "leave, kept: moved ÷ minimum", unit: "" },
        Metric { name: "remove_plain", label: "leave, no cap: moved ÷ minimum", unit: "" },
        Metric { name: "displaced", label: "keys away from their plain owner", unit: "%" },
        Metric { name: "displaced_add_settled", label: "the same after the join, settled", unit: "%" },
        Metric { name: "displaced_add_kept", label: "the same after the join, kept", unit: "%" },
        Metric { name: "displaced_remove_settled", label: "the same after the leave, settled", unit: "%" },
        Metric { name: "displaced_remove_kept", label: "the same after the leave, kept", unit: "%" },
    ],
    revision: 1,
    cost: |trial| {
        let servers = trial.setting.number("servers");
        800.0 * servers * trial.setting.number("keys_per_server")
            + 200.0 * servers * trial.setting.number("points")
    },
    fits: knobs::held,
    run,
};

fn run(trial: &Trial<'_>, out: &mut Measures) -> Outcome {
    let servers = trial.setting.whole("servers") as u32;
    let points = trial.setting.whole("points") as u32;
    let cap = knobs::cap(trial.setting)?;
    let count = trial.setting.whole("servers") * trial.setting.whole("keys_per_server");
    let keys = fleet::keys(&mut Random::new(trial.seed, Stream::Keys), count as usize);
    let leaver = Random::new(trial.seed, Stream::Leaver).below(u64::from(servers)) as u32;

    let numbers: Vec<u32> = (0..servers).collect();
    let ring = fleet::ring(trial.seed, &numbers, points)?;
    let held = fill(&ring, &keys, cap);
    let plain: Vec<_> = keys.iter().map(|key| ring.owner_ix(key)).collect();
    out.put("displaced", percent(&held, &keys));

    let joined: Vec<u32> = (0..=servers).collect();
    let left: Vec<u32> = numbers.iter().copied().filter(|number| *number != leaver).collect();
    let minimum = |servers: u32| count as f64 / f64::from(servers);
    for (numbers_after, minimum, names) in
        [(joined, minimum(servers + 1), &ADD), (left, minimum(servers), &REMOVE)]
    {
        let after = fleet::ring(trial.seed, &numbers_after, points)?;
        let again = fill(&after, &keys, cap);
        let kept = refill(&held, &ring, &after, &keys, cap);
        let settled = settle(&kept, &after, &keys, cap);
        let plain_after: Vec<_> = keys.iter().map(|key| after.owner_ix(key)).collect();
        let moved = |to: &Filled| {
            fleet::moved((held.servers(), &numbers), (to.servers(), &numbers_after)) as f64 / minimum
        };
        out.put(names[0], moved(&again));
        out.put(names[1], moved(&settled));
        out.put(names[2], moved(&kept));
        out.put(names[3], fleet::moved((&plain, &numbers), (&plain_after, &numbers_after)) as f64 / minimum);
        out.put(names[4], percent(&settled, &keys));
        out.put(names[5], percent(&kept, &keys));
    }
    Ok(())
}

const ADD: [&str; 6] = [
    "add_placed_again",
    "add_settled",
    "add_kept",
    "add_plain",
    "displaced_add_settled",
    "displaced_add_kept",
];
const REMOVE: [&str; 6] = [
    "remove_placed_again",
    "remove_settled",
    "remove_kept",
    "remove_plain",
    "displaced_remove_settled",
    "displaced_remove_kept",
];

/// Displaced keys of all.
pub(super) fn percent(filled: &Filled, keys: &[[u8; 8]]) -> f64 {
    100.0 * filled.displaced() as f64 / keys.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Value::{Number, Whole};
    use crate::kernel::random::Random;

    /// Points by distance from a key: who is met in which order, once each.
    fn walk(key: u64, points: &[(u64, u32)]) -> Vec<u32> {
        let mut points = points.to_vec();
        points.sort_by_key(|(position, server)| (position.wrapping_sub(key), *server));
        let mut seen = Vec::new();
        for (_, server) in points {
            if !seen.contains(&server) {
                seen.push(server);
            }
        }
        seen
    }

    fn placed(keys: &[u64], points: &[(u64, u32)], cap: usize) -> Vec<u32> {
        let mut placed = Vec::new();
        for &key in keys {
            let has_room = |at: &&u32| placed.iter().filter(|other| other == at).count() < cap;
            let server = *walk(key, points).iter().find(has_room).unwrap();
            placed.push(server);
        }
        placed
    }

    #[test]
    fn placing_again_is_the_walk_to_the_first_server_with_room_and_keeping_moves_the_departed_alone() {
        for (seed, epsilon) in [(1, 0.0), (2, 0.1), (3, 0.25), (4, 1.0)] {
            let (servers, keys_per_server, points) = (6_u32, 15, 3);
            let knobs = [
                ("servers", Whole(servers.into())),
                ("keys_per_server", Whole(keys_per_server)),
                ("points", Whole(points)),
                ("epsilon", Number(epsilon)),
            ];
            let out = fleet::measured(&KERNEL, &knobs, seed, 1);

            let count = u64::from(servers) * keys_per_server;
            let mut random = Random::new(seed, Stream::Keys);
            let keys: Vec<u64> = (0..count).map(|_| random.bits()).collect();
            let gone = Random::new(seed, Stream::Leaver).below(servers.into()) as u32;
            let ring = |numbers: &[u32]| -> Vec<(u64, u32)> {
                let ring = fleet::ring(seed, numbers, points as u32).unwrap();
                ring.points().map(|(position, ix)| (position, numbers[ix.index()])).collect()
            };
            let all: Vec<u32> = (0..servers).collect();
            let left: Vec<u32> = all.iter().copied().filter(|server| *server != gone).collect();
            let joined: Vec<u32> = (0..=servers).collect();
            let cap =
                |servers: u32| ((1.0 + epsilon) * count as f64 / f64::from(servers) - 1e-9).ceil() as usize;
            let before = placed(&keys, &ring(&all), cap(servers));
            let owner = |points: &[(u64, u32)], key| walk(key, points)[0];
            let displaced =
                keys.iter().zip(&before).filter(|(key, at)| owner(&ring(&all), **key) != **at).count();
            let close = |metric: &str, expected: f64| {
                let value = out.get(metric).unwrap();
                assert!((value - expected).abs() < 1e-9, "{metric} at {epsilon}: {value}, not {expected}");
            };
            close("displaced", 100.0 * displaced as f64 / count as f64);
            for (after, name) in [(joined, "add"), (left, "remove")] {
                let size = after.len() as u32;
                let minimum = count as f64 / f64::from(size.max(servers));
                let again = placed(&keys, &ring(&after), cap(size));
                let moved = before.iter().zip(&again).filter(|(a, b)| a != b).count() as f64;
                close(&format!("{name}_placed_again"), moved / minimum);
                let plain = |key: &&u64| owner(&ring(&all), **key) != owner(&ring(&after), **key);
                close(&format!("{name}_plain"), keys.iter().filter(plain).count() as f64 / minimum);
            }
            let departed = before.iter().filter(|server| **server == gone).count() as f64;
            close("remove_kept", departed / keys_per_server as f64);
        }
    }
}
