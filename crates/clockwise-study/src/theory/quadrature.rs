//! Adaptive Gauss-Kronrod quadrature, 7 and 15 nodes.
//!
//! Source: R. Piessens, E. de Doncker-Kapenga, C. Überhuber, D. Kahaner, QUADPACK (1983), rule QK15.
//! The difference between the two rules is the error estimate; it is pessimistic by many digits on
//! the smooth functions integrated here.

/// Nodes of the Kronrod rule on [0, 1] of the symmetric interval, outermost first; every second one,
/// from the second, is a Gauss node.
const NODES: [f64; 8] = [
    0.991_455_371_120_812_6,
    0.949_107_912_342_758_5,
    0.864_864_423_359_769_1,
    0.741_531_185_599_394_5,
    0.586_087_235_467_691_1,
    0.405_845_151_377_397_2,
    0.207_784_955_007_898_48,
    0.0,
];
const KRONROD: [f64; 8] = [
    0.022_935_322_010_529_224,
    0.063_092_092_629_978_56,
    0.104_790_010_322_250_19,
    0.140_653_259_715_525_92,
    0.169_004_726_639_267_9,
    0.190_350_578_064_785_42,
    0.204_432_940_075_298_89,
    0.209_482_141_084_727_82,
];
const GAUSS: [f64; 4] =
    [0.129_484_966_168_869_7, 0.279_705_391_489_276_64, 0.381_830_050_505_118_9, 0.417_959_183_673_469_4];

/// How often a panel may be halved: beyond this, two nodes are the same number.
const DEEPEST: u32 = 48;

/// The integral of `f` from `from` to `to`, to within about `tolerance` (absolute).
pub(super) fn integrate(f: impl Fn(f64) -> f64, from: f64, to: f64, tolerance: f64) -> f64 {
    let width = to - from;
    let mut pending = vec![(from, to, 0)];
    let mut sum = 0.0;
    while let Some((a, b, depth)) = pending.pop() {
        let (value, error) = panel(&f, a, b);
        if error <= tolerance * (b - a) / width || depth >= DEEPEST {
            sum += value;
        } else {
            let middle = f64::midpoint(a, b);
            pending.push((middle, b, depth + 1));
            pending.push((a, middle, depth + 1));
        }
    }
    sum
}

/// The Kronrod value of one panel, and how far the Gauss value lies from it.
fn panel(f: &impl Fn(f64) -> f64, a: f64, b: f64) -> (f64, f64) {
    let (centre, half) = (f64::midpoint(a, b), (b - a) / 2.0);
    let at_centre = f(centre);
    let mut kronrod = KRONROD[7] * at_centre;
    let mut gauss = GAUSS[3] * at_centre;
    for (i, (node, weight)) in NODES.iter().zip(KRONROD).take(7).enumerate() {
        let pair = f(centre - half * node) + f(centre + half * node);
        kronrod += weight * pair;
        if i % 2 == 1 {
            gauss += GAUSS[i / 2] * pair;
        }
    }
    (kronrod * half, ((kronrod - gauss) * half).abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_panel_is_exact_for_polynomials_of_degree_22() {
        for degree in 0..=22 {
            let (value, _) = panel(&|x: f64| x.powi(degree), -1.0, 2.0);
            let exact = (2_f64.powi(degree + 1) - (-1_f64).powi(degree + 1)) / f64::from(degree + 1);
            assert!(
                (value - exact).abs() <= 1e-14 * exact.abs().max(1.0),
                "degree {degree}: {value}, {exact}"
            );
        }
        // One degree more than the rule promises shows that the test could fail.
        let (value, _) = panel(&|x: f64| x.powi(24), -1.0, 2.0);
        assert!((value - (2_f64.powi(25) + 1.0) / 25.0).abs() > 1e-8);
    }

    #[test]
    fn steep_functions_are_refined_until_the_tolerance_holds() {
        let logistic = |x: f64| (1.0 + ((x - 0.7) * 4000.0).exp()).recip();
        assert!((integrate(logistic, 0.0, 1.0, 1e-12) - 0.7).abs() < 1e-11);
        assert!((integrate(f64::sqrt, 0.0, 1.0, 1e-10) - 2.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn a_jump_ends_at_the_depth_limit() {
        let jump = |x: f64| if x < 1.0 / 3.0 { 1.0 } else { 0.0 };
        assert!((integrate(jump, 0.0, 1.0, 1e-15) - 1.0 / 3.0).abs() < 1e-12);
    }
}
