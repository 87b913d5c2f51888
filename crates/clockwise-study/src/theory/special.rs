//! Probability functions that the theory rests on, in forms that keep their digits.
//!
//! A gamma variable of whole shape v exceeds x exactly when a Poisson count of mean x stays below
//! v. So one function, the Poisson mass, and one sum over it give both tails of the gamma
//! distribution; nothing else is needed for rings, whose points are whole numbers.
//!
//! Source: C. Loader, Fast and Accurate Computation of Binomial Probabilities (2000): the mass as
//! Stirling error and deviance, free of the cancellation that `exp(k ln λ − λ − ln k!)` suffers
//! when its terms are in the millions. The sums are the series of DLMF 8.7.1 and 8.4.10.

use std::f64::consts::TAU;

/// ln Γ(x + 1) less its Stirling approximation, for x > 0.
fn stirling_error(mut x: f64) -> f64 {
    // The series needs x of 16 or more; the recurrence of Γ carries smaller ones up to it.
    let mut carried = 0.0;
    while x < 16.0 {
        carried += (x + 0.5) * x.recip().ln_1p() - 1.0;
        x += 1.0;
    }
    let r = (x * x).recip();
    let series = 1.0 / 12.0 - r * (1.0 / 360.0 - r * (1.0 / 1260.0 - r * (1.0 / 1680.0 - r / 1188.0)));
    carried + series / x
}

/// x ln(x / mean) + mean − x, without the cancellation when x is near the mean.
fn deviance(x: f64, mean: f64) -> f64 {
    let (difference, sum) = (x - mean, x + mean);
    if difference.abs() >= 0.1 * sum {
        return x * (x / mean).ln() - difference;
    }
    let ratio = difference / sum;
    let mut value = difference * ratio;
    let mut term = 2.0 * x * ratio;
    for odd in (3_u32..).step_by(2) {
        term *= ratio * ratio;
        let next = value + term / f64::from(odd);
        if next.to_bits() == value.to_bits() {
            break;
        }
        value = next;
    }
    value
}

/// The chance that a Poisson count of this mean is `k`; continued smoothly to fractions of k.
pub(super) fn poisson(k: f64, mean: f64) -> f64 {
    if k <= 0.0 {
        return (-mean).exp();
    }
    (-stirling_error(k) - deviance(k, mean)).exp() / (TAU * k).sqrt()
}

/// The chance of `k` in a Poisson count whose mean is itself a gamma variable of this shape, scaled
/// to mean `mean`: the negative binomial distribution.
pub(super) fn mixed_poisson(k: f64, shape: f64, mean: f64) -> f64 {
    if k <= 0.0 {
        return (-shape * (mean / shape).ln_1p()).exp();
    }
    let total = k + shape;
    let of_total = total / (mean + shape);
    let exponent = stirling_error(total)
        - stirling_error(shape)
        - stirling_error(k)
        - deviance(shape, of_total * shape)
        - deviance(k, of_total * mean);
    exponent.exp() * (shape / (TAU * k * total)).sqrt()
}

/// The chances that a gamma variable of whole shape falls below and above `x`.
///
/// The smaller of the two is accurate to its last digits; the other is one less it.
pub(super) fn gamma_tails(shape: u64, x: f64) -> (f64, f64) {
    if x <= 0.0 {
        return (0.0, 1.0);
    }
    let v = shape as f64;
    let mut term = 1.0;
    let mut sum = 0.0;
    if x < v {
        let mut k = v;
        while term > sum * f64::EPSILON / 8.0 {
            sum += term;
            k += 1.0;
            term *= x / k;
        }
        let below = (poisson(v, x) * sum).min(1.0);
        (below, 1.0 - below)
    } else {
        // Ends by itself at k = 0: shape terms at most.
        let mut k = v - 1.0;
        while term > sum * f64::EPSILON / 8.0 {
            sum += term;
            term *= k / x;
            k -= 1.0;
        }
        let above = (poisson(v - 1.0, x) * sum).min(1.0);
        (1.0 - above, above)
    }
}

#[cfg(test)]
mod tests {
    use statrs::distribution::{Discrete, NegativeBinomial, Poisson};
    use statrs::function::gamma::gamma_ur;

    use super::*;

    fn close(ours: f64, theirs: f64, relative: f64) -> bool {
        (ours - theirs).abs() <= relative * theirs.abs() + 1e-300
    }

    #[test]
    fn both_gamma_tails_agree_with_an_independent_implementation() {
        for shape in [1_u64, 2, 3, 7, 23, 64, 160, 1000, 5000] {
            let v = shape as f64;
            for z in [-6.0, -3.0, -1.0, -0.1, 0.0, 0.1, 1.0, 2.5, 5.0, 8.0] {
                let x = v + z * v.sqrt();
                if x <= 0.0 {
                    continue;
                }
                let (below, above) = gamma_tails(shape, x);
                // Their lower tail drops to zero early; the upper one is the shared ground.
                let theirs = gamma_ur(v, x);
                assert!(close(above, theirs, 1e-9), "upper tail, shape {v}, x {x}: {above} and {theirs}");
                assert!(close(below + above, 1.0, 1e-15));
            }
        }
    }

    #[test]
    fn gamma_tails_match_high_precision_values() {
        // mpmath 1.3, 30 digits: gammainc(v, 0, x, regularized) and its complement.
        for (shape, x, below, above) in GAMMA_TAILS {
            let (p, q) = gamma_tails(shape, x);
            let (ours, theirs) = if x < shape as f64 { (p, below) } else { (q, above) };
            assert!(close(ours, theirs, 2e-12), "shape {shape}, x {x}: {ours} and {theirs}");
        }
    }

    const GAMMA_TAILS: [(u64, f64, f64, f64); 9] = [
        (1, 7.0, 0.9990881180344455, 0.0009118819655545162),
        (5, 2.76393, 0.1467502654126368, 0.8532497345873632),
        (23, 3.81667, 2.417181810583147e-11, 0.9999999999758282),
        (160, 109.404, 3.480712805883336e-6, 0.9999965192871941),
        (160, 235.895, 0.9999999337594703, 6.62405296947516e-8),
        (1000, 1189.74, 0.9999999927829475, 7.21705253419773e-9),
        (1_000_000, 996_000.0, 3.100711821108297e-5, 0.9999689928817889),
        (1_000_000, 1_000_000.0, 0.5001329807608726, 0.4998670192391274),
        (1_000_000, 1_006_000.0, 0.9999999989402603, 1.059739735284381e-9),
    ];

    #[test]
    fn tails_reach_the_ends() {
        assert_eq!(gamma_tails(5, 0.0), (0.0, 1.0));
        assert_eq!(gamma_tails(5, -1.0), (0.0, 1.0));
        assert_eq!(gamma_tails(5, 1e6), (1.0, 0.0));
        assert!(close(gamma_tails(1, 2.5).1, (-2.5_f64).exp(), 1e-15));
        assert!(close(gamma_tails(1, 1e-12).0, 1e-12, 1e-12));
    }

    #[test]
    fn masses_agree_with_an_independent_implementation() {
        for mean in [0.01, 1.0, 7.5, 160.0, 4000.0] {
            let theirs = Poisson::new(mean).unwrap();
            for k in [0_u32, 1, 2, 5, 15, 16, 17, 150, 170, 3900, 4200] {
                let (ours, theirs) = (poisson(f64::from(k), mean), theirs.pmf(u64::from(k)));
                if theirs > 1e-250 {
                    assert!(close(ours, theirs, 1e-9), "mean {mean}, k {k}: {ours} and {theirs}");
                }
            }
            for shape in [1.0, 16.0, 160.0] {
                let theirs = NegativeBinomial::new(shape, shape / (shape + mean)).unwrap();
                for k in [0_u32, 1, 2, 16, 170, 4200] {
                    let (ours, theirs) = (mixed_poisson(f64::from(k), shape, mean), theirs.pmf(u64::from(k)));
                    if theirs > 1e-250 {
                        assert!(
                            close(ours, theirs, 1e-9),
                            "{shape} of mean {mean}, k {k}: {ours} and {theirs}"
                        );
                    }
                }
            }
        }
    }
}
