//! A ring of random points: how even its arcs and its keys are, and what a join and a leave move.
//!
//! One circle holds the servers, the newcomer and the one that leaves; who owns a point's arc before
//! and after is the next point of somebody present. So a key is looked up once, and all else is
//! counted per point.

use super::circle::Circle;
use super::random::Random;
use super::{Kernel, Knob, Measures, Metric, Trial, Values, busiest_over_mean};

pub(super) const KERNEL: Kernel = Kernel {
    name: "ring",
    about: "a ring of random points: evenness by arcs and by keys, moves on a join and on a leave",
    knobs: &[
        Knob { name: "servers", label: "servers", values: Values::Whole(2, 100_000), draws: true },
        Knob { name: "points", label: "points a server", values: Values::Whole(1, 100_000), draws: true },
    ],
    metrics: &[
        Metric { name: "busiest_arcs", label: "busiest ÷ mean, arcs", unit: "" },
        Metric { name: "idlest_arcs", label: "idlest ÷ mean, arcs", unit: "" },
        Metric { name: "spread", label: "spread of shares: standard deviation ÷ mean", unit: "" },
        Metric { name: "busiest_keys", label: "busiest ÷ mean, keys", unit: "" },
        Metric { name: "join", label: "keys moved by a join ÷ the minimum", unit: "" },
        Metric {
            name: "join_stray",
            label: "keys a join moves elsewhere than to the newcomer",
            unit: "keys",
        },
        Metric { name: "leave", label: "keys moved by a leave ÷ the departed server's own", unit: "" },
        Metric { name: "heirs_keys", label: "servers that inherit keys of the departed", unit: "servers" },
        Metric { name: "heirs_arcs", label: "servers that inherit arcs of the departed", unit: "servers" },
        Metric { name: "largest_heir", label: "share of the departed's arcs that one heir gets", unit: "" },
    ],
    revision: 1,
    cost: |trial| {
        let points = trial.setting.number("servers") * trial.setting.number("points");
        20.0 * points + 8.0 * trial.keys as f64
    },
    run,
};

/// Streams of random numbers.
const POINTS: u64 = 1;
const KEYS: u64 = 2;
const LEAVER: u64 = 3;

fn run(trial: &Trial<'_>, out: &mut Measures) -> Result<(), String> {
    let servers = trial.setting.whole("servers") as u32;
    let points = trial.setting.whole("points") as u32;
    let newcomer = servers;
    if u64::from(servers + 1) * u64::from(points) > 1 << 28 {
        return Err(format!("{servers} servers with {points} points each are more points than fit"));
    }
    let leaver = Random::new(trial.seed, LEAVER).below(u64::from(servers)) as u32;
    let circle = Circle::random(&mut Random::new(trial.seed, POINTS), servers + 1, points);
    let before = circle.owners_without(|server| server == newcomer);
    let joined = circle.servers();
    let left = circle.owners_without(|server| server == newcomer || server == leaver);

    let n = servers as usize;
    let mut shares = vec![0.0; n];
    let mut inherited = vec![0.0; n];
    for (point, arc) in circle.arcs().enumerate() {
        shares[before[point] as usize] += arc;
        if left[point] != before[point] {
            inherited[left[point] as usize] += arc;
        }
    }
    let mean = 1.0 / f64::from(servers);
    let largest = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
    let smallest = shares.iter().copied().fold(1.0, f64::min);
    let variance = shares.iter().map(|share| (share / mean - 1.0).powi(2)).sum::<f64>() / f64::from(servers);
    out.put("busiest_arcs", largest(&shares) / mean);
    out.put("idlest_arcs", smallest / mean);
    out.put("spread", variance.sqrt());

    let mut keys = Random::new(trial.seed, KEYS);
    let mut per_point = vec![0_u32; circle.len()];
    for _ in 0..trial.keys {
        per_point[circle.point(keys.bits())] += 1;
    }
    let mut per_server = vec![0_u32; n];
    let mut inheriting = vec![false; n];
    let (mut moved, mut stray, mut moved_by_leave) = (0_u64, 0_u64, 0_u64);
    for (point, &count) in per_point.iter().enumerate() {
        let owner = before[point];
        per_server[owner as usize] += count;
        if joined[point] != owner {
            moved += u64::from(count);
            if joined[point] != newcomer {
                stray += u64::from(count);
            }
        }
        if left[point] != owner {
            moved_by_leave += u64::from(count);
            inheriting[left[point] as usize] |= count > 0;
        }
    }
    out.put("busiest_keys", busiest_over_mean(&per_server, trial.keys));
    out.put("join", moved as f64 / (trial.keys as f64 / f64::from(servers + 1)));
    out.put("join_stray", stray as f64);
    // A server without a key moves none: then there is no ratio.
    out.put("leave", moved_by_leave as f64 / f64::from(per_server[leaver as usize]));
    out.put("heirs_keys", inheriting.iter().filter(|heir| **heir).count() as f64);
    out.put("heirs_arcs", inherited.iter().filter(|arc| **arc > 0.0).count() as f64);
    out.put("largest_heir", largest(&inherited) / shares[leaver as usize]);
    Ok(())
}
