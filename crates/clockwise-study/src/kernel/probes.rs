//! Multi-probe consistent hashing: how even it is, by the looks that each key takes.

use clockwise::hash::Xxh3;
use clockwise::multi_probe::MAX_PROBES;
use clockwise::{Error, Members, MultiProbe, Server};

use super::random::{Random, Stream};
use super::{Kernel, Knob, Measures, Metric, Outcome, Trial, Values, busiest_over_mean, fleet, knobs};

pub(super) const KERNEL: Kernel = Kernel {
    name: "probes",
    about: "multi-probe consistent hashing with one point a server: evenness by keys",
    knobs: &[
        knobs::servers(1, 100_000),
        Knob {
            name: "probes",
            label: "probes a key",
            values: Values::Whole(1, MAX_PROBES as u64),
            draws: false,
        },
    ],
    metrics: &[Metric { name: "busiest_keys", label: "busiest ÷ mean, keys", unit: "" }],
    revision: 2,
    cost: |trial| 10.0 * trial.setting.number("probes") * trial.keys as f64,
    fits: knobs::any,
    run,
};

fn run(trial: &Trial<'_>, out: &mut Measures) -> Outcome {
    let servers = trial.setting.whole("servers") as u32;
    let set = (0..servers)
        .map(|number| fleet::server(trial.seed, number))
        .collect::<Result<Vec<Server>, Error>>()?;
    let probes = trial.setting.whole("probes") as u32;
    let place = MultiProbe::with_probes(Xxh3, &Members::new(set)?, probes)?;
    let mut counts = vec![0_u32; servers as usize];
    let mut keys = Random::new(trial.seed, Stream::Keys);
    for _ in 0..trial.keys {
        counts[place.owner_of_hash(keys.bits()).index()] += 1;
    }
    out.put("busiest_keys", busiest_over_mean(&counts, trial.keys));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Value::Whole;

    #[test]
    fn more_probes_are_more_even_and_one_is_a_ring_of_one_point() {
        let busiest = |probes| {
            let knobs = [("servers", Whole(20)), ("probes", Whole(probes))];
            fleet::measured(&KERNEL, &knobs, 7, 20_000).get("busiest_keys").unwrap()
        };
        let [one, five, many] = [1, 5, 21].map(busiest);
        assert!(one > 2.0 && five < 1.45 && many < five && many < 1.2, "{one} {five} {many}");
    }
}
