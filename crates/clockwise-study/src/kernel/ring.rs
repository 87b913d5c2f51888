//! A ring of random points: how even its arcs and its keys are, and what a join and a leave move.

use super::change::Change;
use super::{Kernel, Measures, Metric, Outcome, Trial, arcs, busiest_over_mean};

pub(super) const KERNEL: Kernel = Kernel {
    name: "ring",
    about: "a ring of random points: evenness by arcs and by keys, moves on a join and on a leave",
    knobs: &arcs::KNOBS,
    metrics: &[
        arcs::BUSIEST,
        arcs::IDLEST,
        arcs::SPREAD,
        arcs::HEIRS,
        arcs::LARGEST_HEIR,
        Metric { name: "busiest_keys", label: "busiest ÷ mean, keys", unit: "" },
        Metric { name: "join", label: "keys moved by a join ÷ the minimum", unit: "" },
        Metric {
            name: "join_stray",
            label: "keys a join moves elsewhere than to the newcomer",
            unit: "keys",
        },
        Metric { name: "leave", label: "keys moved by a leave ÷ the departed server's own", unit: "" },
        Metric { name: "heirs_keys", label: "servers that inherit keys of the departed", unit: "servers" },
    ],
    revision: 1,
    cost: |trial| {
        let points = trial.setting.number("servers") * trial.setting.number("points");
        25.0 * points + 8.0 * trial.keys as f64
    },
    fits: Change::fits,
    run,
};

fn run(trial: &Trial<'_>, out: &mut Measures) -> Outcome {
    let change = Change::draw(trial);
    arcs::measure(&change, out);

    let per_point = change.keys_per_point(trial.seed, trial.keys);
    let per_server = change.per_server(&per_point);
    let mut inherits = vec![false; per_server.len()];
    let (mut moved, mut stray, mut moved_by_leave) = (0_u64, 0_u64, 0_u64);
    for (point, &count) in per_point.iter().enumerate() {
        let owner = change.before[point];
        let (joined, left) = (change.joined()[point], change.left[point]);
        if joined != owner {
            moved += u64::from(count);
            stray += u64::from(if joined == change.newcomer() { 0 } else { count });
        }
        if left != owner {
            moved_by_leave += u64::from(count);
            inherits[left as usize] |= count > 0;
        }
    }
    out.put("busiest_keys", busiest_over_mean(&per_server, trial.keys));
    out.put("join", moved as f64 / (trial.keys as f64 / f64::from(change.servers + 1)));
    out.put("join_stray", stray as f64);
    // A server without a key moves none, and then there is no ratio.
    out.put("leave", moved_by_leave as f64 / f64::from(per_server[change.leaver as usize]));
    out.put("heirs_keys", inherits.iter().filter(|heir| **heir).count() as f64);
    Ok(())
}
