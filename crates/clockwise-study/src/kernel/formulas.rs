//! Figures that are arithmetic, computed from the formula that each comes from.

use super::{Kernel, Measures, Metric, knobs};
use crate::plan::HitRatio;
use crate::theory;

pub(super) const KERNEL: Kernel = Kernel {
    name: "formulas",
    about: "figures that follow from a formula, with no chance in them",
    knobs: &[],
    metrics: &[
        Metric { name: "mod_3", label: "mod N, 3 to 4 servers: share that moves", unit: "" },
        Metric { name: "mod_4", label: "mod N, 4 to 5 servers: share that moves", unit: "" },
        Metric { name: "mod_10", label: "mod N, 10 to 11 servers: share that moves", unit: "" },
        Metric { name: "mod_64", label: "mod N, 64 to 65 servers: share that moves", unit: "" },
        Metric { name: "mod_100", label: "mod N, 100 to 101 servers: share that moves", unit: "" },
        Metric { name: "floor_3", label: "3 to 4 servers: the least that moves", unit: "" },
        Metric { name: "floor_4", label: "4 to 5 servers: the least that moves", unit: "" },
        Metric { name: "floor_9", label: "9 to 10 servers: the least that moves", unit: "" },
        Metric { name: "floor_10", label: "10 to 11 servers: the least that moves", unit: "" },
        Metric { name: "floor_64", label: "64 to 65 servers: the least that moves", unit: "" },
        Metric { name: "floor_100", label: "100 to 101 servers: the least that moves", unit: "" },
        Metric { name: "hit_ratio", label: "hit ratio of 0.95 when mod N goes from 10 to 11", unit: "" },
        Metric { name: "misses", label: "reads that then reach the database", unit: "" },
        Metric { name: "database", label: "the database's load then, as a multiple", unit: "" },
        Metric { name: "steps_10k", label: "binary search over 10,000 points", unit: "comparisons" },
        Metric { name: "steps_160k", label: "binary search over 160,000 points", unit: "comparisons" },
        Metric { name: "ring_bytes", label: "160,000 points of 16 bytes", unit: "MB" },
        Metric { name: "busiest_10_1", label: "expected busiest ÷ mean, 10 servers, 1 point", unit: "" },
        Metric { name: "busiest_100_1", label: "expected busiest ÷ mean, 100 servers, 1 point", unit: "" },
        Metric {
            name: "busiest_100_160",
            label: "expected busiest ÷ mean, 100 servers, 160 points",
            unit: "",
        },
        Metric { name: "ln_over_harmonic_10", label: "ln N ÷ expected longest arc, 10 points", unit: "" },
        Metric { name: "ln_over_harmonic_100", label: "ln N ÷ expected longest arc, 100 points", unit: "" },
        Metric {
            name: "points_by_rule",
            label: "points for 100 servers within 10%, by the rule",
            unit: "points",
        },
        Metric { name: "points_needed", label: "points for 100 servers within 10%, exactly", unit: "points" },
        Metric {
            name: "rule_error_10_16",
            label: "the rule ÷ the expectation, less 1: 10 servers, 16 points",
            unit: "",
        },
        Metric {
            name: "rule_error_10_32",
            label: "the rule ÷ the expectation, less 1: 10 servers, 32 points",
            unit: "",
        },
    ],
    revision: 1,
    cost: |_| 1e6,
    fits: knobs::any,
    run: |_, out| Ok(run(out)?),
};

fn run(out: &mut Measures) -> Result<(), theory::OutOfRange> {
    let floor = |n: f64| 1.0 / (n + 1.0);
    let mod_n = |n: f64| n / (n + 1.0);
    for (metric, n) in
        [("mod_3", 3.0), ("mod_4", 4.0), ("mod_10", 10.0), ("mod_64", 64.0), ("mod_100", 100.0)]
    {
        out.put(metric, mod_n(n));
    }
    for (metric, n) in [
        ("floor_3", 3.0),
        ("floor_4", 4.0),
        ("floor_9", 9.0),
        ("floor_10", 10.0),
        ("floor_64", 64.0),
        ("floor_100", 100.0),
    ] {
        out.put(metric, floor(n));
    }
    let hit = HitRatio::while_moving(0.95, mod_n(10.0));
    out.put("hit_ratio", hit.after);
    out.put("misses", 1.0 - hit.after);
    out.put("database", hit.database_load_factor().unwrap_or(f64::NAN));
    out.put("steps_10k", 10_000_f64.log2());
    out.put("steps_160k", 160_000_f64.log2());
    out.put("ring_bytes", 160_000.0 * 16.0 / 1e6);
    let busiest = theory::expected_busiest;
    out.put("busiest_10_1", busiest(10, 1)?);
    out.put("busiest_100_1", busiest(100, 1)?);
    out.put("busiest_100_160", busiest(100, 160)?);
    // With one point each the busiest is the longest arc.
    out.put("ln_over_harmonic_10", 10_f64.ln() / busiest(10, 1)?);
    out.put("ln_over_harmonic_100", 100_f64.ln() / busiest(100, 1)?);
    out.put("points_by_rule", theory::points_by_rule(100, 0.1)? as f64);
    out.put("points_needed", theory::points_needed(100, 0.1)? as f64);
    for (metric, points) in [("rule_error_10_16", 16), ("rule_error_10_32", 32)] {
        out.put(metric, theory::busiest_by_rule(10, points)? / busiest(10, points)? - 1.0);
    }
    Ok(())
}
