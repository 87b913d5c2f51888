//! Shares of a ring, exactly: its arcs, with no key in sight.

use super::change::Change;
use super::{Kernel, Knob, Measures, Metric, knobs};

/// The knobs of every ring of random points.
pub(super) const KNOBS: [Knob; 2] = [knobs::servers(2, 100_000), knobs::points(100_000)];

pub(super) const BUSIEST: Metric = Metric { name: "busiest_arcs", label: "busiest ÷ mean, arcs", unit: "" };
pub(super) const IDLEST: Metric = Metric { name: "idlest_arcs", label: "idlest ÷ mean, arcs", unit: "" };
pub(super) const SPREAD: Metric =
    Metric { name: "spread", label: "standard deviation of shares ÷ mean", unit: "" };
pub(super) const HEIRS: Metric =
    Metric { name: "heirs_arcs", label: "servers that inherit arcs of the departed", unit: "servers" };
pub(super) const LARGEST_HEIR: Metric =
    Metric { name: "largest_heir", label: "share of the departed's arcs that one heir gets", unit: "" };

pub(super) const KERNEL: Kernel = Kernel {
    name: "arcs",
    about: "a ring of random points: its shares and who inherits one, exactly, by arcs",
    knobs: &KNOBS,
    metrics: &[
        BUSIEST,
        IDLEST,
        SPREAD,
        Metric {
            name: "idlest_below_tenth",
            label: "rings whose idlest server has under 0.1 of the mean",
            unit: "",
        },
        HEIRS,
        LARGEST_HEIR,
    ],
    revision: 1,
    cost: |trial| 25.0 * trial.setting.number("servers") * trial.setting.number("points"),
    fits: Change::fits,
    run: |trial, out| {
        let change = Change::draw(trial);
        measure(&change, out);
        let idlest = out.get(IDLEST.name).unwrap_or(1.0);
        out.put("idlest_below_tenth", f64::from(u8::from(idlest < 0.1)));
        Ok(())
    },
};

/// Shares before the change, and who inherits those of the server that leaves.
pub(super) fn measure(change: &Change, out: &mut Measures) {
    let servers = f64::from(change.servers);
    let mut shares = vec![0.0; change.servers as usize];
    let mut inherited = shares.clone();
    for ((arc, &owner), &heir) in change.circle.arcs().zip(&change.before).zip(&change.left) {
        shares[owner as usize] += arc;
        if heir != owner {
            inherited[heir as usize] += arc;
        }
    }
    let largest = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
    let smallest = shares.iter().copied().fold(1.0, f64::min);
    let variance = shares.iter().map(|share| (share * servers - 1.0).powi(2)).sum::<f64>() / servers;
    out.put(BUSIEST.name, largest(&shares) * servers);
    out.put(IDLEST.name, smallest * servers);
    out.put(SPREAD.name, variance.sqrt());
    out.put(HEIRS.name, inherited.iter().filter(|arc| **arc > 0.0).count() as f64);
    out.put(LARGEST_HEIR.name, largest(&inherited) / shares[change.leaver as usize]);
}
