//! Skewed popularity: how uneven requests are where keys are even. A scheme divides keys; traffic is
//! on a few of them.
//!
//! Requests are drawn by the popularity of keys: of Zipf's law with some exponent (the key of rank k
//! is asked for in proportion to k^−s), or of the real counts that come with the program, twenty
//! thousand packages of the npm registry with their downloads of a month. A scheme with a cap holds
//! every request that was drawn and fills by them, in the order in which they came.

use clockwise::{Buckets, Error, Placement, Server, fill};

use super::fleet;
use super::random::{Random, Stream};
use super::{Kernel, Knob, Measures, Metric, Outcome, Trial, Values, knobs};

const SERVERS: Knob = knobs::servers(2, 10_000);

const METRICS: &[Metric] = &[
    Metric { name: "busiest_keys", label: "busiest ÷ mean, keys", unit: "" },
    Metric { name: "busiest_requests", label: "busiest ÷ mean, requests", unit: "" },
    Metric { name: "hottest", label: "requests of the hottest key ÷ a server's mean", unit: "" },
];

pub(super) const ZIPF: Kernel = Kernel {
    name: "popularity",
    about: "keys of Zipf's law: busiest server by keys beside busiest by requests",
    knobs: &[
        knobs::SCHEME,
        SERVERS,
        Knob { name: "population", label: "keys", values: Values::Whole(1, 10_000_000), draws: true },
        Knob {
            name: "exponent",
            label: "s, exponent of Zipf's law",
            values: Values::Number(0.0, 4.0),
            draws: true,
        },
    ],
    metrics: METRICS,
    revision: 2,
    cost: |trial| 100.0 * (trial.keys as f64 + trial.setting.number("population")) + 1e6,
    fits: |setting| knobs::room(setting, 0),
    run: |trial, out| {
        let keys = (0..trial.setting.whole("population")).map(|at| format!("key-{at}").into_bytes());
        let exponent = trial.setting.number("exponent");
        let mut total = 0.0;
        let until = (1..=trial.setting.whole("population")).map(|rank| {
            total += (rank as f64).powf(-exponent);
            total
        });
        let until: Vec<f64> = until.collect();
        let mut random = Random::new(trial.seed, Stream::Keys);
        let requests = (0..trial.keys).map(|_| {
            let asked = random.unit() * total;
            until.partition_point(|until| *until <= asked).min(until.len() - 1)
        });
        measure(trial, &keys.collect::<Vec<_>>(), &requests.collect::<Vec<_>>(), out)
    },
};

pub(super) const REAL: Kernel = Kernel {
    name: "requests",
    about: "twenty thousand real keys with real request counts: busiest server by keys beside busiest by requests",
    knobs: &[knobs::SCHEME, SERVERS],
    metrics: METRICS,
    revision: 2,
    cost: |trial| 100.0 * trial.keys as f64 + 4e6,
    fits: |setting| knobs::room(setting, 0),
    run: |trial, out| {
        let (keys, counts) = counted()?;
        let mut total = 0;
        let until: Vec<u64> = counts
            .iter()
            .map(|count| {
                total += count;
                total
            })
            .collect();
        let mut random = Random::new(trial.seed, Stream::Keys);
        let requests: Vec<usize> = (0..trial.keys)
            .map(|_| {
                let asked = random.below(total);
                until.partition_point(|until| *until <= asked)
            })
            .collect();
        measure(trial, &keys, &requests, out)
    },
};

/// Name and downloads of npm packages, as the registry published them.
const COUNTED: &str = include_str!("../../study/keys.csv");

/// The real keys and how often each was asked for.
fn counted() -> Result<(Vec<Vec<u8>>, Vec<u64>), String> {
    let row = |line: &str| {
        Some((line.rsplit_once(',')?.0.as_bytes().to_vec(), line.rsplit_once(',')?.1.parse().ok()?))
    };
    let rows: Option<Vec<(Vec<u8>, u64)>> = COUNTED.lines().skip(1).map(row).collect();
    Ok(rows.ok_or("the counted keys that come with the program are damaged")?.into_iter().unzip())
}

/// `requests` are positions in `keys`.
fn measure(trial: &Trial<'_>, keys: &[Vec<u8>], requests: &[usize], out: &mut Measures) -> Outcome {
    let scheme = knobs::scheme(trial.setting)?;
    let servers = trial.setting.whole("servers") as u32;
    let servers = (0..servers).map(|number| fleet::server(trial.seed, number));
    let built = servers
        .collect::<Result<Vec<Server>, Error>>()
        .and_then(Buckets::new)
        .and_then(|servers| scheme.build(&servers))?;

    let owners = fleet::placed(&built, keys);
    let mut key_counts = vec![0_u64; built.servers().len()];
    owners.iter().for_each(|owner| key_counts[owner.index()] += 1);
    let mut request_counts = vec![0_u64; built.servers().len()];
    match (built.cap(), built.ranked()) {
        (Some(cap), Some(base)) => {
            let asked: Vec<&[u8]> = requests.iter().map(|&key| keys[key].as_slice()).collect();
            request_counts.copy_from_slice(fill(base, &asked, cap).loads());
        }
        _ => requests.iter().for_each(|&key| request_counts[owners[key].index()] += 1),
    }
    let mut of_keys = vec![0_u64; keys.len()];
    requests.iter().for_each(|&key| of_keys[key] += 1);
    let hottest = of_keys.into_iter().max().unwrap_or(0);
    out.put("busiest_keys", fleet::busiest(&key_counts));
    out.put("busiest_requests", fleet::busiest(&request_counts));
    out.put("hottest", hottest as f64 * request_counts.len() as f64 / requests.len() as f64);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Value::{Number, Text, Whole};

    fn zipf(scheme: &str, exponent: f64) -> Measures {
        let knobs = [
            ("scheme", Text(scheme.to_owned())),
            ("servers", Whole(10)),
            ("population", Whole(1_000)),
            ("exponent", Number(exponent)),
        ];
        fleet::measured(&ZIPF, &knobs, 3, 30_000)
    }

    #[test]
    fn the_hottest_key_is_asked_for_as_zipf_has_it_and_nobody_that_keeps_a_key_whole_is_below_it() {
        for exponent in [0.0, 0.8, 1.0, 1.2] {
            let all: f64 = (1..=1_000).map(|rank| f64::from(rank).powf(-exponent)).sum();
            let out = zipf("rendezvous", exponent);
            let hottest = out.get("hottest").unwrap();
            // Of even keys the hottest is the luckiest of a thousand.
            let slack = if exponent == 0.0 { 0.03 } else { 0.1 };
            assert!((hottest - 10.0 / all).abs() < slack, "{exponent}: {hottest}, {}", 10.0 / all);
            assert!(out.get("busiest_requests").unwrap() >= hottest);
        }
    }

    #[test]
    fn a_cap_on_requests_holds_whatever_is_asked_for() {
        assert!(zipf("rendezvous", 1.2).get("busiest_requests").unwrap() > 1.5);
        let capped = zipf("bounded", 1.2).get("busiest_requests").unwrap();
        assert!((1.2..=1.25).contains(&capped), "{capped}");
    }

    #[test]
    fn the_real_counts_are_twenty_thousand_names_with_their_requests() {
        let (keys, counts) = counted().unwrap();
        assert_eq!((keys.len(), counts.len()), (20_000, 20_000));
        assert_eq!((keys[0].as_slice(), counts[0]), (b"semver".as_slice(), 2_399_072_936));
        assert!(counts.is_sorted_by(|a, b| a >= b));
        // The README's example is the same file: it is here as well so that the crate is whole by itself, and a
        // copy and not a link, since not every checkout has links.
        let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/keys.csv");
        if let Ok(example) = std::fs::read_to_string(example) {
            assert!(example == COUNTED, "examples/keys.csv and study/keys.csv differ");
        }
        let knobs = [("scheme", Text("rendezvous".to_owned())), ("servers", Whole(10))];
        let out = fleet::measured(&REAL, &knobs, 3, 30_000);
        let hottest = 10.0 * counts[0] as f64 / counts.iter().sum::<u64>() as f64;
        assert!((out.get("hottest").unwrap() - hottest).abs() < 0.03, "{hottest}");
    }
}
