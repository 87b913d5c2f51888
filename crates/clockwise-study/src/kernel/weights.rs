//! Weights: how closely shares follow them under each scheme, and what changing one weight moves.

use clockwise::moves::{MoveCounter, Tally};
use clockwise::{Buckets, Error, Placement, Server, ServerIx};

use super::fleet;
use super::random::{Random, Stream};
use super::{Kernel, Knob, Measures, Metric, Outcome, Trial, Values, knobs};

pub(super) const KERNEL: Kernel = Kernel {
    name: "weights",
    about: "weighted fleets: shares against weights, and the moves when one weight is raised by one",
    knobs: &[
        knobs::SCHEME,
        knobs::servers(2, 1_000),
        Knob { name: "heaviest", label: "weights from 1 to", values: Values::Whole(1, 100), draws: true },
    ],
    metrics: &[
        Metric { name: "off_keys", label: "keys off the weight's share, typically", unit: "%" },
        Metric { name: "off_worst", label: "keys off the weight's share, the worst server", unit: "%" },
        Metric { name: "reweigh", label: "one weight raised: moved ÷ minimum", unit: "" },
        Metric { name: "reweigh_stray", label: "one weight raised: moved keys that are stray", unit: "%" },
    ],
    revision: 2,
    cost: |trial| 60.0 * trial.keys as f64 + 4e5 * trial.setting.number("servers"),
    fits: |setting| knobs::room(setting, 0),
    run,
};

fn run(trial: &Trial<'_>, out: &mut Measures) -> Outcome {
    let scheme = knobs::scheme(trial.setting)?;
    let (servers, heaviest) = (trial.setting.whole("servers") as u32, trial.setting.whole("heaviest") as u32);
    let raised = Random::new(trial.seed, Stream::Choices).below(u64::from(servers)) as u32;
    let fleet = |more: u32| {
        let server = |number| {
            let weight = 1 + number % heaviest + if number == raised { more } else { 0 };
            fleet::server(trial.seed, number)?.with_weight(weight)
        };
        Buckets::new((0..servers).map(server).collect::<Result<Vec<Server>, Error>>()?)
    };
    let before = match scheme.build(&fleet(0)?) {
        Ok(before) => before,
        // Without weights there is nothing to measure.
        Err(error) if error.is_weight() => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let after = scheme.build_after(&before, &fleet(1)?)?;
    let keys = fleet::keys(&mut Random::new(trial.seed, Stream::Keys), trial.keys);
    let (from, to) = (fleet::placed(&before, &keys), fleet::placed(&after, &keys));

    let off = off_shares(before.servers(), &from);
    out.put("off_keys", 100.0 * (off.iter().map(|off| off * off).sum::<f64>() / off.len() as f64).sqrt());
    out.put("off_worst", 100.0 * off.iter().map(|off| off.abs()).fold(0.0, f64::max));

    let mut counter = MoveCounter::new(before.servers(), after.servers());
    for (&from, &to) in from.iter().zip(&to) {
        counter.record(from, to, Tally::KEY);
    }
    let moves = counter.finish();
    let moved = moves.moved().keys as f64;
    out.put("reweigh", moved / (moves.minimum().as_f64() * keys.len() as f64));
    if moved > 0.0 {
        out.put("reweigh_stray", 100.0 * moves.stray().keys as f64 / moved);
    }
    Ok(())
}

/// By how much of its weight's share each server misses it.
fn off_shares(servers: &[Server], owners: &[ServerIx]) -> Vec<f64> {
    let mut counts = vec![0_u64; servers.len()];
    for owner in owners {
        counts[owner.index()] += 1;
    }
    let weight = |server: &Server| f64::from(server.weight().get());
    let total: f64 = servers.iter().map(weight).sum();
    let share =
        |(server, count): (&Server, u64)| count as f64 / owners.len() as f64 / (weight(server) / total) - 1.0;
    servers.iter().zip(counts).map(share).collect()
}

#[cfg(test)]
mod tests {
    use clockwise::Scheme;

    use super::*;
    use crate::experiment::Value::{Text, Whole};
    use crate::experiment::{Scale, find};

    fn measured(scheme: &str) -> Measures {
        let knobs = [("scheme", Text(scheme.to_owned())), ("servers", Whole(8)), ("heaviest", Whole(4))];
        fleet::measured(&KERNEL, &knobs, 3, 20_000)
    }

    #[test]
    fn schemes_of_sets_move_only_what_the_weight_asks_for_and_schemes_of_lists_do_not() {
        for scheme in ["ring", "rendezvous"] {
            assert_eq!(measured(scheme).get("reweigh_stray"), Some(0.0), "{scheme}");
        }
        for scheme in ["mod-n", "jump"] {
            assert!(measured(scheme).get("reweigh_stray").unwrap() > 10.0, "{scheme}");
        }
        // Rendezvous gives each server exactly its share, and 20,000 keys make the rest.
        let rendezvous = measured("rendezvous");
        assert!(rendezvous.get("off_keys").unwrap() < 4.0);
        assert!((rendezvous.get("reweigh").unwrap() - 1.0).abs() < 0.15);
    }

    #[test]
    fn a_servers_miss_is_its_keys_against_its_part_of_the_weight() {
        let server = |name, weight: u32| Server::new(name).unwrap().with_weight(weight).unwrap();
        let servers = [server("a", 1), server("b", 3)];
        let owners: Vec<ServerIx> = [0, 0, 1, 1].map(ServerIx::new).to_vec();
        assert_eq!(off_shares(&servers, &owners), [1.0, 0.5 / 0.75 - 1.0]);
    }

    #[test]
    fn every_scheme_that_the_library_compares_is_in_the_tables() {
        for name in ["weights", "zones", "popularity", "requests"] {
            let experiment = find(name).unwrap().unwrap();
            let mut schemes: Vec<String> = Vec::new();
            for setting in experiment.settings(Scale::Published) {
                schemes.push(setting.text("scheme").to_owned());
            }
            schemes.sort();
            schemes.dedup();
            assert_eq!(schemes.len(), Scheme::compared().len(), "{name}: {schemes:?}");
        }
    }
}
