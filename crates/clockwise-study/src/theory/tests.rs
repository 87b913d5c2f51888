//! Theory, held to an independent program, to published figures and to simulated rings.

use clockwise::hash::SplitMix64;
use statrs::distribution::{ContinuousCDF, Gamma};

use super::*;

/// SplitMix64, here only to draw random rings.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        let number = SplitMix64::mix(self.0);
        self.0 = self.0.wrapping_add(SplitMix64::STEP);
        number
    }
    fn below(&mut self, bound: u64) -> usize {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as usize
    }
}

#[derive(Default)]
struct Mean {
    count: f64,
    sum: f64,
    squares: f64,
}

impl Mean {
    fn add(&mut self, value: f64) {
        self.count += 1.0;
        self.sum += value;
        self.squares += value * value;
    }
    #[track_caller]
    fn assert_near(&self, expected: f64, deviations: f64, what: &str) {
        let mean = self.sum / self.count;
        let error = ((self.squares / self.count - mean * mean) / self.count).sqrt();
        assert!(
            (mean - expected).abs() < deviations * error,
            "{what}: simulated {mean} ± {error}, computed {expected}"
        );
        // A band so wide that it cannot fail would prove nothing.
        assert!(error < 0.004, "{what}: standard error {error}");
    }
}

fn harmonic(n: u64) -> f64 {
    (1..=n).map(|i| (i as f64).recip()).sum()
}

/// (servers, points, expected busiest, expected idlest), by an independent program: scipy 1.17,
/// `quad` over `gammainc` with relative tolerance 1e-12; the row of 37 servers by mpmath, 30 digits.
const EXACT: [(u64, u64, f64, f64); 16] = [
    (5, 10, 1.3899432844623902, 0.6629789931022201),
    (10, 1, 2.928968253968253, 0.1),
    (10, 2, 2.311478531972409, 0.233010784),
    (10, 16, 1.4178301643786704, 0.6531416086897912),
    (10, 1024, 1.0486386805464445, 0.9524758827486857),
    (37, 23, 1.497427999147585, 0.6112696970676684),
    (50, 160, 1.186664479196774, 0.8311324994587752),
    (100, 1, 5.187377517639592, 0.01),
    (100, 100, 1.2689712102531894, 0.767469392181036),
    (100, 160, 1.2096309401587948, 0.8131543591413672),
    (100, 921, 1.0846080433714036, 0.9193526832607484),
    (200, 16, 1.8263834975376807, 0.4505736711271309),
    (1000, 2, 4.931484949641828, 0.020151606463091734),
    (1000, 16, 2.014719248935192, 0.3825046847009734),
    (1000, 160, 1.276475098201675, 0.7636113838411298),
    (1000, 1024, 1.1044399544624235, 0.9018288358484323),
];

#[test]
fn expectations_match_an_independent_program() {
    for (servers, points, busiest, idlest) in EXACT {
        let ours = expected_busiest(servers, points).unwrap();
        assert!((ours - busiest).abs() < 1e-9, "busiest of {servers} x {points}: {ours}, {busiest}");
        let ours = expected_idlest(servers, points).unwrap();
        assert!((ours - idlest).abs() < 1e-9, "idlest of {servers} x {points}: {ours}, {idlest}");
    }
}

#[test]
fn one_point_gives_harmonic_numbers() {
    // With one point a share is an exponential variable: the largest of n is H_n, the smallest 1/n.
    for servers in [1, 2, 3, 10, 1000, LIMIT] {
        let n = servers as f64;
        assert!((expected_busiest(servers, 1).unwrap() - harmonic(servers)).abs() < 1e-9, "{servers}");
        assert!((expected_idlest(servers, 1).unwrap() * n - 1.0).abs() < 1e-9, "{servers}");
    }
}

#[test]
fn two_servers_average_to_the_mean() {
    for points in [1, 7, 160, 4096, LIMIT] {
        let both = expected_busiest(2, points).unwrap() + expected_idlest(2, points).unwrap();
        assert!((both - 2.0).abs() < 1e-9, "{points} points: {both}");
        assert!((expected_busiest(1, points).unwrap() - 1.0).abs() < 1e-9);
        assert!((expected_idlest(1, points).unwrap() - 1.0).abs() < 1e-9);
    }
}

#[test]
fn the_largest_question_has_an_answer() {
    // Normal limit: the largest of a million standard normal variables is expected at 4.8636, and
    // skewness moves it by (4.8636² − 1) ÷ 3 ÷ √points.
    let excess = (expected_busiest(LIMIT, LIMIT).unwrap() - 1.0) * (LIMIT as f64).sqrt();
    assert!((excess - 4.8636 - 0.0075).abs() < 0.002, "{excess}");
    let lack = (1.0 - expected_idlest(LIMIT, LIMIT).unwrap()) * (LIMIT as f64).sqrt();
    assert!((lack - 4.8636 + 0.0075).abs() < 0.002, "{lack}");
}

#[test]
fn the_fewest_points_are_enough_and_one_less_is_not() {
    assert_eq!(points_needed(100, 0.10).unwrap(), 665);
    for (servers, excess) in [(2, 0.3), (10, 0.05), (37, 0.2), (100, 0.10), (1000, 0.07), (LIMIT, 0.5)] {
        let points = points_needed(servers, excess).unwrap();
        assert!(expected_busiest(servers, points).unwrap() <= 1.0 + excess);
        assert!(expected_busiest(servers, points - 1).unwrap() > 1.0 + excess, "{servers}, {excess}");
    }
    assert_eq!(points_needed(1, 1e-9).unwrap(), 1, "one server is always at the mean");
    assert_eq!(points_needed(10, 2.0).unwrap(), 1, "the busiest of ten single arcs is 2.93 of the mean");
    let error = points_needed(1000, 0.0001).unwrap_err();
    assert_eq!(error, OutOfRange::PointsNeeded { servers: 1000, excess: 0.0001 });
    assert_eq!(
        error.to_string(),
        "1,000 servers within 0.01% of the mean need more than 1,000,000 points each"
    );
}

#[test]
fn the_rule_of_thumb_is_as_published() {
    assert_eq!(points_by_rule(100, 0.10).unwrap(), 921);
    assert_eq!(points_by_rule(1, 0.10).unwrap(), 1);
    assert!((busiest_by_rule(100, 921).unwrap() - 1.1).abs() < 1e-5);
    // Where it is worst: 8.4% too high for 10 servers with 16 points.
    let over = |n, v| busiest_by_rule(n, v).unwrap() / expected_busiest(n, v).unwrap() - 1.0;
    assert!((over(10, 16) - 0.084).abs() < 0.0005, "{}", over(10, 16));
    for servers in [10, 100, 1000] {
        for points in (4..=10).map(|power| 1 << power) {
            let over = over(servers, points);
            assert!((-0.043..0.09).contains(&over), "{servers} x {points}: {over}");
        }
    }
    assert!(points_by_rule(100, 0.001).is_err());
}

#[test]
fn the_floor_of_random_keys() {
    // Poisson maxima by scipy 1.17: sums of 1 − cdfⁿ.
    for (servers, keys, floor) in [
        (10, 1e5, 1.0048688132097574),
        (100, 1e4, 1.0251668369900944),
        (1000, 1e3, 1.104090404915393),
        (100, 1e3, 1.0801995899167591),
        (50, 1e3, 1.0718267996366893),
        (200, 10.0, 1.9701530293054148),
        (200, 100.0, 1.2854165369571058),
    ] {
        let ours = key_floor(servers, keys).unwrap();
        assert!((ours - floor).abs() < 1e-9, "{servers} servers, {keys} keys each: {ours}, {floor}");
    }
    // One key in all of a huge fleet's time: whoever has it has n times the mean.
    assert!((key_floor(1000, 1e-9).unwrap() / 1000.0 - 1.0).abs() < 1e-5);
}

#[test]
fn blocks_of_counts_agree_with_single_counts() {
    // A Poisson deviation of 4,200 is summed in blocks of two; the same sum, term by term.
    let (n, mean) = (100.0, 4200.0_f64 * 4200.0);
    let (mut above, mut sum) = (0.0, 0.0);
    let mut k = (mean + 15.0 * 4200.0).round();
    while k > mean - 15.0 * 4200.0 {
        above += special::poisson(k, mean);
        sum += 1.0 - (1.0 - above.min(1.0)).powf(n);
        k -= 1.0;
    }
    let single = (sum + k) / mean;
    let ours = key_floor(100, mean).unwrap();
    assert!((ours - single).abs() < 1e-9, "{ours} and {single}");
}

#[test]
fn keys_on_a_ring_join_both_noises() {
    for (servers, points) in [(10, 16), (100, 160), (1000, 1024)] {
        let arcs = expected_busiest(servers, points).unwrap();
        let keys = |keys| busiest_by_keys(servers, points, keys).unwrap();
        // Many keys show the arcs as they are; perfectly even arcs leave the floor.
        assert!((keys(1e9) - arcs).abs() < 1e-6, "{} and {arcs}", keys(1e9));
        assert!(keys(1000.0) > arcs && keys(1000.0) > key_floor(servers, 1000.0).unwrap());
        let even = busiest_by_keys(servers, LIMIT, 100.0).unwrap();
        assert!((even - key_floor(servers, 100.0).unwrap()).abs() < 1e-3);
    }
    assert!((busiest_by_keys(1, 7, 3.0).unwrap() - 1.0).abs() < f64::EPSILON);
}

#[test]
fn simulated_rings_agree() {
    const SEED: u64 = 0x5eed_0001;
    const KEYS_PER_SERVER: u64 = 60;
    let (servers, points) = (37_u64, 23_u64);
    let mut random = Random(SEED);
    let (mut busiest, mut idlest, mut by_keys, mut floor) = Default::default();
    for _ in 0..4000 {
        let mut ring: Vec<(u64, usize)> = (0..servers as usize)
            .flat_map(|s| std::iter::repeat_n(s, points as usize))
            .map(|s| (random.next(), s))
            .collect();
        ring.sort_unstable();
        let mut arcs = vec![0_u64; servers as usize];
        let mut last = ring[ring.len() - 1].0;
        for &(at, server) in &ring {
            arcs[server] += at.wrapping_sub(last);
            last = at;
        }
        let ratio = |arc: Option<&u64>| *arc.unwrap() as f64 / 2_f64.powi(64) * servers as f64;
        Mean::add(&mut busiest, ratio(arcs.iter().max()));
        Mean::add(&mut idlest, ratio(arcs.iter().min()));
        let mut on_ring = vec![0_u64; servers as usize];
        let mut even = vec![0_u64; servers as usize];
        for _ in 0..servers * KEYS_PER_SERVER {
            let key = random.next();
            let at = ring.partition_point(|point| point.0 < key) % ring.len();
            on_ring[ring[at].1] += 1;
            even[random.below(servers)] += 1;
        }
        let ratio = |count: Option<&u64>| *count.unwrap() as f64 / KEYS_PER_SERVER as f64;
        Mean::add(&mut by_keys, ratio(on_ring.iter().max()));
        Mean::add(&mut floor, ratio(even.iter().max()));
    }
    let seed = format!("seed {SEED:#x}");
    busiest.assert_near(expected_busiest(servers, points).unwrap(), 3.5, &format!("busiest, {seed}"));
    idlest.assert_near(expected_idlest(servers, points).unwrap(), 3.5, &format!("idlest, {seed}"));
    // The two of keys are taken with a free total: a difference far below these errors.
    let keys = KEYS_PER_SERVER as f64;
    floor.assert_near(key_floor(servers, keys).unwrap(), 3.5, &format!("floor, {seed}"));
    by_keys.assert_near(busiest_by_keys(servers, points, keys).unwrap(), 3.5, &format!("by keys, {seed}"));
}

#[test]
fn a_plain_quadrature_of_another_gamma_agrees_off_the_published_grid() {
    // The trapezoid rule, which is all but exact for a smooth step, over statrs' distribution function.
    for (servers, points) in [(37, 23), (61, 7), (250, 80), (3, 5)] {
        let gamma = Gamma::new(f64::from(points), 1.0).unwrap();
        let mean = f64::from(points);
        let end = mean + 30.0 * mean.sqrt() + 40.0;
        let steps = 4000;
        let (mut most, mut least) = (0.0, 0.0);
        for step in 0..steps {
            let x = (f64::from(step) + 0.5) * end / f64::from(steps);
            let below = gamma.cdf(x);
            most += 1.0 - below.powi(servers);
            least += (1.0 - below).powi(servers);
        }
        let scale = end / f64::from(steps) / mean;
        let (servers, points) = (servers as u64, points as u64);
        let ours = expected_busiest(servers, points).unwrap();
        assert!((ours - most * scale).abs() < 1e-5, "{servers} x {points}: {ours}, {}", most * scale);
        let ours = expected_idlest(servers, points).unwrap();
        assert!((ours - least * scale).abs() < 1e-5, "{servers} x {points}: {ours}, {}", least * scale);
    }
}

#[test]
fn the_rule_and_its_inverse_undo_each_other() {
    for (servers, excess) in [(37, 0.2), (37, 0.05), (61, 0.1), (250, 0.03)] {
        let points = points_by_rule(servers, excess).unwrap();
        let back = busiest_by_rule(servers, points).unwrap() - 1.0;
        // Points are whole: half a point more or less.
        assert!((back / excess - 1.0).abs() < 0.3 / points as f64, "{servers}, {excess}: {back}");
    }
}

/// The owners that follow each point of server 0 on a circle, its own points passed over.
fn heirs(ring: &[usize]) -> usize {
    let mut heirs: Vec<usize> = (0..ring.len())
        .filter(|at| ring[*at] == 0)
        .filter_map(|at| (1..ring.len()).map(|step| ring[(at + step) % ring.len()]).find(|owner| *owner != 0))
        .collect();
    heirs.sort_unstable();
    heirs.dedup();
    heirs.len()
}

#[test]
fn the_heirs_of_every_order_of_a_small_ring_average_to_the_formula() {
    /// Every order of what is left, counted with how many there are.
    fn all(left: &mut [usize], ring: &mut Vec<usize>, sum: &mut (usize, usize)) {
        if left.iter().all(|count| *count == 0) {
            *sum = (sum.0 + heirs(ring), sum.1 + 1);
            return;
        }
        for server in 0..left.len() {
            if left[server] > 0 {
                left[server] -= 1;
                ring.push(server);
                all(left, ring, sum);
                ring.pop();
                left[server] += 1;
            }
        }
    }
    for (servers, points) in [(2, 3), (3, 2), (3, 3), (4, 2), (5, 1)] {
        let mut sum = (0, 0);
        all(&mut vec![points; servers], &mut Vec::new(), &mut sum);
        let mean = sum.0 as f64 / sum.1 as f64;
        let ours = expected_heirs(servers as u64, points as u64).unwrap();
        assert!((ours - mean).abs() < 1e-12, "{servers} x {points}: {ours}, {mean}");
    }
}

#[test]
fn heirs_are_as_published_and_as_simulated() {
    // Of 100 servers; published: 1, about 15, nearly all, 91. The values are by whole binomials.
    for (points, expected) in [(1, 1.0), (16, 14.7785), (160, 79.3342), (256, 91.5429)] {
        let ours = expected_heirs(100, points).unwrap();
        assert!((ours - expected).abs() < 0.0001, "{points}: {ours}");
        let independent = 99.0 * (1.0 - (98.0_f64 / 99.0).powi(points as i32));
        assert!(ours <= independent + 1e-12 && ours > independent - 0.2, "{points}: {ours}, {independent}");
    }
    assert_eq!(expected_heirs(1, 7), Ok(0.0));
    assert!((expected_heirs(2, 7).unwrap() - 1.0).abs() < 1e-12);

    const SEED: u64 = 0x5eed_0002;
    let (servers, points) = (37_u64, 23_u64);
    let mut random = Random(SEED);
    let mut part = Mean::default();
    for _ in 0..3000 {
        let mut ring: Vec<(u64, usize)> =
            (0..servers * points).map(|point| (random.next(), (point % servers) as usize)).collect();
        ring.sort_unstable();
        let owners: Vec<usize> = ring.into_iter().map(|(_, owner)| owner).collect();
        part.add(heirs(&owners) as f64 / (servers - 1) as f64);
    }
    let expected = expected_heirs(servers, points).unwrap() / (servers - 1) as f64;
    part.assert_near(expected, 3.5, &format!("heirs, seed {SEED:#x}"));
}

#[test]
fn what_is_out_of_range_is_refused_and_named() {
    for servers in [0, LIMIT + 1, u64::MAX] {
        assert_eq!(expected_busiest(servers, 1), Err(OutOfRange::Servers(servers)));
        assert_eq!(expected_idlest(servers, 1), Err(OutOfRange::Servers(servers)));
        assert_eq!(points_needed(servers, 0.1), Err(OutOfRange::Servers(servers)));
        assert_eq!(points_by_rule(servers, 0.1), Err(OutOfRange::Servers(servers)));
        assert_eq!(busiest_by_rule(servers, 1), Err(OutOfRange::Servers(servers)));
        assert_eq!(key_floor(servers, 1.0), Err(OutOfRange::Servers(servers)));
        assert_eq!(expected_heirs(servers, 1), Err(OutOfRange::Servers(servers)));
        assert_eq!(expected_heirs(1, servers), Err(OutOfRange::Points(servers)));
        assert_eq!(expected_busiest(1, servers), Err(OutOfRange::Points(servers)));
        assert_eq!(busiest_by_keys(1, servers, 1.0), Err(OutOfRange::Points(servers)));
    }
    for wrong in [0.0, -0.1, f64::NAN, f64::INFINITY] {
        assert!(matches!(points_needed(10, wrong), Err(OutOfRange::Excess(_))));
        assert!(matches!(points_by_rule(10, wrong), Err(OutOfRange::Excess(_))));
        assert!(matches!(key_floor(10, wrong), Err(OutOfRange::KeysPerServer(_))));
        assert!(matches!(busiest_by_keys(10, 1, wrong), Err(OutOfRange::KeysPerServer(_))));
    }
    assert!(key_floor(10, 1.1e9).is_err());
    assert_eq!(OutOfRange::Servers(0).to_string(), "0 servers: the theory covers 1 to 1,000,000");
    assert!(OutOfRange::Excess(-0.1).to_string().contains("-0.1"));
}

#[test]
fn extremes_of_the_ranges_are_answered() {
    for servers in [1, 2, 3, LIMIT] {
        for keys in [1e-300, 1e-3, 1.0, 1e3, MOST_KEYS_PER_SERVER] {
            let floor = key_floor(servers, keys).unwrap();
            let allowed = 1.0 - 1e-9..=servers as f64 * (1.0 + 1e-9);
            assert!(allowed.contains(&floor), "{servers} servers, {keys} keys: {floor}");
            for points in [1, 160, LIMIT] {
                let ratio = busiest_by_keys(servers, points, keys).unwrap();
                assert!(ratio >= floor * (1.0 - 1e-6), "{servers} x {points}, {keys}: {ratio}, {floor}");
                assert!(allowed.contains(&ratio), "{servers} x {points}, {keys}: {ratio}");
            }
        }
    }
}

/// The expected neighbours that Lynch and Snyder state for three racks of twenty, of forty possible.
#[test]
fn the_chance_to_share_keys_is_the_published_number_of_neighbours() {
    for (points, neighbours) in [(256, 39.999_999_999_8), (16, 32.086_740_714_5), (4, 13.323_193_263)] {
        let chance = sharing_chance(41, points, 3).unwrap();
        assert!((40.0 * chance - neighbours).abs() < 1e-9, "{points} points: {}", 40.0 * chance);
    }
    assert_eq!(sharing_chance(10, 5, 1), Ok(0.0));
    assert_eq!(sharing_chance(1, 5, 3), Ok(0.0));
    assert_eq!(sharing_chance(0, 5, 3), Err(OutOfRange::Servers(0)));
}
