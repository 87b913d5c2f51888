//! Which hashes are fit to place points on a ring, and to place keys.
//!
//! A ring needs little of a hash: that labels which differ in a digit land anywhere. The measure is
//! what a user would notice, the busiest server's arc, set beside what random points would give
//! ([`theory`]). It says how many of its points a hash wastes: the excess of the busiest over the mean
//! falls as one over the root of the points, so a hash whose excess is twice that of random points
//! needs four times as many for the same ring, and three of four do nothing.
//!
//! The other numbers say why. *Kin* is how far the next label of the same server lands, against a
//! quarter of the circle that it would be at random. FNV-1a ends with one multiplication: labels that
//! differ in the last digit d land (d' − d) · prime apart and no further. The prime is 2²⁴ + 403 of a
//! circle of 2³², so ten labels lie within ten 256ths of it, and of a server's hundred points the last
//! digits bring hardly more than the first ten.

use clockwise::hash::KeyHash;
use clockwise::ring::{Boundary, Tie};
use clockwise::{Buckets, Measured as _, Ring, Server, ServerIx};

use super::random::{Random, Stream};
use super::{Kernel, Knob, Measures, Metric, Outcome, Trial, Values, knobs};
use crate::theory;
use crate::vectors::hashes;

pub(super) const KERNEL: Kernel = Kernel {
    name: "hashes",
    about: "hashes of labels as points, and of numbered keys: evenness against random numbers, and why",
    knobs: &[
        Knob { name: "hash", label: "hash", values: Values::Listed(hashes::names), draws: false },
        Knob { name: "label", label: "labels like", values: Values::Words(LABELS), draws: true },
        knobs::servers(2, 1_000),
        knobs::points(1_000),
    ],
    metrics: &[
        Metric { name: "busiest", label: "busiest ÷ mean, arcs", unit: "" },
        Metric { name: "excess", label: "excess of the busiest ÷ that of random points", unit: "" },
        Metric { name: "worth", label: "points it is worth, of those it has", unit: "%" },
        Metric { name: "gaps", label: "χ² of gaps ÷ degrees of freedom", unit: "" },
        Metric { name: "kin", label: "how far the next label lands ÷ at random", unit: "" },
        Metric {
            name: "avalanche",
            label: "bits of a position that change with one bit of the label",
            unit: "%",
        },
        Metric { name: "numbered_keys", label: "spread of numbered keys ÷ of random ones", unit: "" },
        Metric { name: "fit_for_points", label: "fit for points", unit: "" },
        Metric { name: "fit_for_keys", label: "fit for numbered keys", unit: "" },
    ],
    revision: 1,
    cost: |trial| {
        200.0 * FLEETS as f64 * trial.setting.number("servers") * trial.setting.number("points")
            + 100.0 * trial.keys as f64
    },
    fits: knobs::any,
    run,
};

/// Fleets of one run, each of other names: one alone says too little of a hash. Of random points the
/// excess varies by a quarter from fleet to fleet, and the mean of twenty by a twentieth.
const FLEETS: u32 = 20;

/// A hash is fit for points if half of them do as well as random ones would: then the excess is at
/// most √2 times that of random points, which the mean of twenty random fleets misses by seven
/// standard deviations.
const FIT_EXCESS: f64 = std::f64::consts::SQRT_2;

/// And for keys if numbered ones spread over the circle no more than twice as unevenly as random
/// ones: a server then has as many keys off its share as if it had four times fewer keys in all.
const FIT_SPREAD: f64 = 2.0;

/// How real rings label point 0 of a server: `native` is the name, a zero byte and four bytes.
const LABELS: &[&str] =
    &["native", "node-0#0", "node-0-0", "10.0.0.1:11211-0", "cache-01.example.com-0", "0-node-0"];

fn run(trial: &Trial<'_>, out: &mut Measures) -> Outcome {
    let setting = trial.setting;
    let name = setting.text("hash");
    let hash = &*hashes::find(name).ok_or_else(|| format!("there is no hash {name:?}"))?;
    let (servers, points) = (setting.whole("servers") as u32, setting.whole("points") as u32);
    let expected = theory::expected_busiest(servers.into(), points.into())?;
    let (mut busiest, mut gaps, mut kin, mut avalanche) = (0.0, 0.0, 0.0, 0.0);
    let mut random = Random::new(trial.seed, Stream::Points);
    for _ in 0..FLEETS {
        let spelling = Spelling { like: setting.text("label"), first: random.below(10_000) as u32 };
        let labelled = spelling.hashes(hash, servers, points);
        kin += self::kin(hash, &labelled, points as usize);
        let ring = ring(hash, &labelled, servers)?;
        busiest += ring.shares().iter().map(|share| share.as_f64()).fold(0.0, f64::max) * f64::from(servers);
        gaps += self::gaps(&ring);
        avalanche += spelling.avalanche(hash, &mut random);
    }
    let busiest = busiest / f64::from(FLEETS);
    let excess = (busiest - 1.0) / (expected - 1.0);
    out.put("busiest", busiest);
    out.put("excess", excess);
    out.put("worth", 100.0 / (excess * excess));
    out.put("gaps", gaps / f64::from(FLEETS));
    out.put("kin", kin / f64::from(FLEETS));
    out.put("fit_for_points", f64::from(u8::from(excess <= FIT_EXCESS)));
    out.put("avalanche", 100.0 * avalanche / f64::from(FLEETS));
    let spread = numbered_keys(hash, trial.keys);
    out.put("numbered_keys", spread);
    out.put("fit_for_keys", f64::from(u8::from(spread <= FIT_SPREAD)));
    Ok(())
}

/// The labels of one fleet.
struct Spelling<'l> {
    like: &'l str,
    /// The number of the first server.
    first: u32,
}

impl Spelling<'_> {
    fn label(&self, server: u32, point: u32) -> Vec<u8> {
        let at = self.first + server;
        match self.like {
            "native" => [format!("node-{at}\0").as_bytes(), &point.to_le_bytes()].concat(),
            "node-0#0" => format!("node-{at}#{point}").into_bytes(),
            "10.0.0.1:11211-0" => {
                format!("10.{}.{}.{}:11211-{point}", at >> 16, at >> 8 & 255, at & 255).into_bytes()
            }
            "cache-01.example.com-0" => format!("cache-{at:02}.example.com-{point}").into_bytes(),
            "0-node-0" => format!("{point}-node-{at}").into_bytes(),
            _ => format!("node-{at}-{point}").into_bytes(),
        }
    }

    /// The hashes of all labels, one server's after the other's.
    fn hashes(&self, hash: &dyn KeyHash, servers: u32, points: u32) -> Vec<u64> {
        let of = |server| (0..points).map(move |point| hash.hash(&self.label(server, point)));
        (0..servers).flat_map(of).collect()
    }

    /// The part of the position's top bits that change with one bit of the label, where the fewest
    /// do: of the four low bits of each of the last four characters, over labels.
    fn avalanche(&self, hash: &dyn KeyHash, random: &mut Random) -> f64 {
        const LABELS: u32 = 200;
        let top = hash.bits().min(16);
        let mut changed = [[0; 4]; 4];
        for _ in 0..LABELS {
            let label = self.label(random.below(1_000) as u32, 1_000 + random.below(9_000) as u32);
            let here = hash.hash(&label);
            for (character, changed) in changed.iter_mut().enumerate() {
                for (bit, changed) in changed.iter_mut().enumerate() {
                    let mut other = label.clone();
                    let last = other.len() - 1;
                    other[last - character] ^= 1 << bit;
                    *changed += ((here ^ hash.hash(&other)) >> (hash.bits() - top)).count_ones();
                }
            }
        }
        let least = changed.iter().flatten().copied().min().unwrap_or(0);
        f64::from(least) / f64::from(LABELS * top)
    }
}

/// The ring of these points. Its keys are hashed alike, so that it has arcs where keys can be.
fn ring<'h>(
    hash: &'h dyn KeyHash,
    labelled: &[u64],
    servers: u32,
) -> Result<Ring<&'h dyn KeyHash>, clockwise::Error> {
    let fleet = (0..servers).map(|server| Server::new(server.to_string()));
    let fleet = Buckets::new(fleet.collect::<Result<Vec<_>, _>>()?)?;
    let owners = (0..servers)
        .flat_map(|server| (0..labelled.len() / servers as usize).map(move |_| ServerIx::new(server)));
    let points = labelled.iter().copied().zip(owners).collect();
    Ring::from_points(hash, &fleet, points, Boundary::AtOrAfter, Tie::First)
}

/// How far label i + 1 of a server lands from label i, on average, as a part of a quarter of the
/// circle: 1 at random. Not a number where servers have one point.
fn kin(hash: &dyn KeyHash, labelled: &[u64], points: usize) -> f64 {
    let (mut apart, mut pairs) = (0.0, 0.0);
    for of_server in labelled.chunks(points) {
        for pair in of_server.windows(2) {
            let way = (part(hash, pair[0]) - part(hash, pair[1])).abs();
            apart += way.min(1.0 - way);
            pairs += 1.0;
        }
    }
    apart / pairs / 0.25
}

/// Where on the circle this is, from 0 to 1.
fn part(hash: &dyn KeyHash, position: u64) -> f64 {
    position as f64 / 2_f64.powi(hash.bits().cast_signed())
}

/// χ² of the gaps between a ring's points, in ten classes that are as likely for random points, by
/// its degrees of freedom: 1 at random.
fn gaps(ring: &Ring<&dyn KeyHash>) -> f64 {
    const CLASSES: usize = 10;
    let circle = 2_f64.powi(ring.hash().bits().cast_signed());
    let positions: Vec<f64> = ring.points().map(|(position, _)| position as f64 / circle).collect();
    let count = positions.len() as f64;
    let around = positions.iter().skip(1).chain(positions.first());
    let mut classes = [0.0; CLASSES];
    for (here, next) in positions.iter().zip(around) {
        // A gap is exponential, in units of the mean.
        let gap = (next - here).rem_euclid(1.0) * count;
        let below = -(-gap).exp_m1();
        classes[((below * CLASSES as f64) as usize).min(CLASSES - 1)] += 1.0;
    }
    chi2(&classes)
}

/// The spread of numbered keys over 64 equal parts of the circle, as a ratio to that of random ones.
fn numbered_keys(hash: &dyn KeyHash, keys: usize) -> f64 {
    const PARTS: usize = 64;
    let mut parts = [0.0; PARTS];
    for key in 0..keys {
        let at = part(hash, hash.hash(format!("user:{key}").as_bytes())) * PARTS as f64;
        parts[(at as usize).min(PARTS - 1)] += 1.0;
    }
    chi2(&parts).sqrt()
}

/// χ² of counts that should be equal, by its degrees of freedom.
fn chi2(counts: &[f64]) -> f64 {
    let expected = counts.iter().sum::<f64>() / counts.len() as f64;
    counts.iter().map(|count| (count - expected).powi(2) / expected).sum::<f64>()
        / (counts.len() as f64 - 1.0)
}

#[cfg(test)]
mod tests {
    use clockwise::hash::{Fnv1a32, Murmur3X86_32, Xxh3};

    use super::*;
    use crate::experiment::Value::{Text, Whole};
    use crate::kernel::fleet;

    fn measured(hash: &str, label: &str) -> Measures {
        let knobs = [
            ("hash", Text(hash.to_owned())),
            ("label", Text(label.to_owned())),
            ("servers", Whole(10)),
            ("points", Whole(50)),
        ];
        fleet::measured(&KERNEL, &knobs, 3, 5_000)
    }

    #[test]
    fn a_good_hash_is_as_even_as_random_numbers_and_fnv_is_not() {
        for good in [&Xxh3 as &dyn KeyHash, &Murmur3X86_32] {
            let out = measured(&good.name(), "node-0#0");
            let of = |metric| out.get(metric).unwrap();
            assert!((of("excess") - 1.0).abs() < 0.25 && (of("kin") - 1.0).abs() < 0.1, "{}", good.name());
            assert!((of("avalanche") - 50.0).abs() < 6.0 && of("gaps") < 2.0, "{}", good.name());
            assert_eq!((of("fit_for_points"), of("fit_for_keys")), (1.0, 1.0));
        }
        let fnv = measured(&Fnv1a32.name(), "node-0#0");
        let of = |metric| fnv.get(metric).unwrap();
        assert!(of("kin") < 0.2 && of("gaps") > 3.0 && of("fit_for_points") == 0.0, "{fnv:?}");
    }

    /// Two labels that differ in their last byte a and b: (h ^ a) · p and (h ^ b) · p are a difference
    /// of at most 15 times the prime apart, where a and b are digits.
    #[test]
    fn labels_that_differ_in_the_last_digit_land_next_to_each_other_under_fnv_1a() {
        const PRIME: u64 = 16_777_619;
        for server in 0..50 {
            for digit in 1..10 {
                let hash = |digit| Fnv1a32.hash(format!("node-{server}#1{digit}").as_bytes());
                let apart =
                    (hash(digit).wrapping_sub(hash(0)) as u32).min(hash(0).wrapping_sub(hash(digit)) as u32);
                assert!(u64::from(apart) <= 15 * PRIME && u64::from(apart) % PRIME == 0);
            }
        }
    }

    #[test]
    fn labels_are_spelled_as_their_names_say() {
        for like in &LABELS[1..] {
            let spelling = Spelling { like, first: 0 };
            let plain = like.replace("10.0.0.1", "10.0.0.0").replace("cache-01", "cache-00");
            assert_eq!(String::from_utf8(spelling.label(0, 0)).unwrap(), plain);
        }
        let native = Spelling { like: "native", first: 7 };
        assert_eq!(native.label(1, 258), b"node-8\0\x02\x01\0\0");
        let ring = ring(&Xxh3, &native.hashes(&Xxh3, 3, 4), 3).unwrap();
        let mut points: Vec<u64> = (0..12).map(|at| Xxh3.hash(&native.label(at / 4, at % 4))).collect();
        points.sort_unstable();
        assert!(ring.points().map(|(position, _)| position).eq(points));
    }

    #[test]
    fn chi_square_is_the_sum_of_squares_over_what_was_expected() {
        // (2² + 2² + 0) ÷ 10 over two degrees of freedom.
        assert!((chi2(&[8.0, 12.0, 10.0]) - 0.4).abs() < 1e-12);
    }
}
