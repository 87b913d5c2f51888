//! Five servers and readable labels: points at the hash of `node-0#0`, `node-0#1` and so on.
//!
//! With names instead of random numbers a ring is one ring: its arcs are exact, and only keys are
//! drawn. What differs between hashes is where labels that are nearly alike put the points.

use clockwise::hash::{Fnv1a32, KeyHash as _, Murmur3X86_32, NamedHash};
use clockwise::ring::Label;
use clockwise::{Measured as _, Members, Ring, Server};

use super::random::{Random, Stream};
use super::{Kernel, Knob, Measures, Metric, Outcome, Trial, Values, knobs};

pub(super) const KERNEL: Kernel = Kernel {
    name: "labels",
    about: "a ring of 32 bits whose points are hashes of labels: shares by arcs and by keys, and a join, \
            beside hash mod N",
    knobs: &[
        knobs::servers(2, 1_000),
        knobs::points(10_000),
        Knob {
            name: "hash",
            label: "hash of the labels",
            values: Values::Words(&["murmur3", "fnv1a"]),
            draws: true,
        },
    ],
    metrics: &[
        Metric { name: "smallest_arcs", label: "smallest share, by arcs", unit: "" },
        Metric { name: "largest_arcs", label: "largest share, by arcs", unit: "" },
        Metric { name: "smallest_keys", label: "smallest share, by keys", unit: "" },
        Metric { name: "largest_keys", label: "largest share, by keys", unit: "" },
        Metric { name: "newcomer_arcs", label: "share of the newcomer, by arcs", unit: "" },
        Metric { name: "moved", label: "share of keys that a join moves", unit: "" },
        Metric { name: "off_ideal", label: "newcomer's share less 1 ÷ (n + 1), either way", unit: "" },
        Metric { name: "mod_n_moved", label: "share of keys that a join moves under hash mod N", unit: "" },
        Metric {
            name: "neighbours",
            label: "distance of the points of labels 0 and 1, as a share",
            unit: "",
        },
    ],
    revision: 1,
    cost: |trial| {
        200.0 * trial.setting.number("servers") * trial.setting.number("points") + 60.0 * trial.keys as f64
    },
    fits: knobs::any,
    run,
};

fn run(trial: &Trial<'_>, out: &mut Measures) -> Outcome {
    let servers = trial.setting.whole("servers") as u32;
    let points = trial.setting.whole("points") as u32;
    let hash = match trial.setting.text("hash") {
        "murmur3" => NamedHash::Murmur3X86_32,
        _ => NamedHash::Fnv1a32,
    };
    let members = |count: u32| {
        // `node-10` is before `node-2` by bytes: shares are asked for by name.
        Members::new((0..count).map(|i| Server::new(format!("node-{i}"))).collect::<Result<Vec<_>, _>>()?)
    };
    let ring = |count| {
        Ring::builder(hash).points_per_weight(points).label(Label::Joined("#")).build(&members(count)?)
    };
    let (before, after) = (ring(servers)?, ring(servers + 1)?);
    let arcs: Vec<f64> = before.shares().iter().map(|share| share.as_f64()).collect();
    let newcomer = format!("node-{servers}");
    let newcomer_arcs: f64 = after
        .shares()
        .iter()
        .zip(after.servers())
        .filter(|(_, server)| server.name().as_str() == newcomer)
        .map(|(share, _)| share.as_f64())
        .sum();

    let mut keys = Random::new(trial.seed, Stream::Keys);
    let mut counts = vec![0_u32; servers as usize];
    let (mut moved, mut moved_mod_n) = (0_u32, 0_u32);
    for _ in 0..trial.keys {
        let bits = keys.bits();
        let position = bits >> 32;
        let owner = before.owner_of_hash(position);
        counts[owner.index()] += 1;
        let owner = before.servers()[owner.index()].name();
        moved += u32::from(after.servers()[after.owner_of_hash(position).index()].name() != owner);
        let hash = Fnv1a32.hash(&bits.to_le_bytes());
        moved_mod_n += u32::from(hash % u64::from(servers) != hash % u64::from(servers + 1));
    }
    let share = |count: u32| f64::from(count) / trial.keys as f64;
    let least = |values: &mut dyn Iterator<Item = f64>| values.fold(1.0, f64::min);
    let most = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
    out.put("smallest_arcs", least(&mut arcs.iter().copied()));
    out.put("largest_arcs", most(&mut arcs.iter().copied()));
    out.put("smallest_keys", least(&mut counts.iter().map(|&count| share(count))));
    out.put("largest_keys", most(&mut counts.iter().map(|&count| share(count))));
    out.put("newcomer_arcs", newcomer_arcs);
    out.put("moved", share(moved));
    out.put("off_ideal", (newcomer_arcs - 1.0 / f64::from(servers + 1)).abs());
    out.put("mod_n_moved", share(moved_mod_n));
    let [zero, one] = ["node-0#0", "node-0#1"].map(|label| match trial.setting.text("hash") {
        "murmur3" => Murmur3X86_32.hash(label.as_bytes()) as u32,
        _ => Fnv1a32.hash(label.as_bytes()) as u32,
    });
    let apart = zero.wrapping_sub(one).min(one.wrapping_sub(zero));
    out.put("neighbours", f64::from(apart) / 4_294_967_296.0);
    Ok(())
}
