//! The library's schemes as they are: named servers, native hashes, and a join.
//!
//! The schemes are those of [`Scheme::compared`]: one that is added there is measured here. A file may
//! also name any scheme or dialect with its settings, as `clockwise plan --placement` takes them.

use clockwise::{Buckets, Server};

use super::random::{Random, Stream};
use super::{Kernel, Measures, Metric, Outcome, Trial, knobs};
use crate::keys::KeySet;
use crate::plan::{Fleet, Plan};

pub(super) const KERNEL: Kernel = Kernel {
    name: "library",
    about: "every scheme of the library with named servers: evenness by keys, and what a join moves",
    knobs: &[knobs::servers(2, 100_000), knobs::SCHEME],
    metrics: &[
        Metric { name: "busiest_keys", label: "busiest ÷ mean, keys", unit: "" },
        Metric { name: "join", label: "keys moved by a join ÷ the minimum", unit: "" },
        Metric { name: "join_stray", label: "of the keys, moved elsewhere than to the newcomer", unit: "" },
    ],
    revision: 2,
    cost: |trial| 2.0 * trial.setting.number("servers") * trial.keys as f64,
    fits: |setting| knobs::room(setting, 1),
    run,
};

/// Keys that are placed at a time.
const BATCH: usize = 1_024;

fn run(trial: &Trial<'_>, out: &mut Measures) -> Outcome {
    let scheme = knobs::scheme(trial.setting)?;
    let servers = trial.setting.whole("servers");
    let fleet = |count: u64| -> Result<Fleet, clockwise::Error> {
        let server = |i| Server::new(format!("{:016x}-{i:06}", trial.seed));
        let servers = Buckets::new((0..count).map(server).collect::<Result<Vec<_>, _>>()?)?;
        Ok(Fleet { scheme: scheme.clone(), servers })
    };
    let mut plan = Plan::new(&fleet(servers)?, &fleet(servers + 1)?)?;
    let mut keys = Random::new(trial.seed, Stream::Keys);
    for begun in (0..trial.keys).step_by(BATCH) {
        let batch: KeySet = (begun..trial.keys).take(BATCH).map(|_| keys.bits().to_le_bytes()).collect();
        plan.record(&batch, |_, _, _| {});
    }
    let moves = plan.finish(|_, _, _| ()).moves;
    let total = moves.total().keys as f64;
    if let Some(busiest) = moves.busiest_over_mean_of_keys() {
        out.put("busiest_keys", busiest.before);
    }
    out.put("join", moves.moved().keys as f64 / (total * moves.minimum().as_f64()));
    out.put("join_stray", moves.stray().keys as f64 / total);
    Ok(())
}
