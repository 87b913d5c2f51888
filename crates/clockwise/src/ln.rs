//! A natural logarithm that gives the same bits on every platform.
//!
//! `f64::ln` is the platform's: glibc, musl, macOS and browsers differ in the last bit, and a last
//! bit can decide an owner. This one is made of binary64 `+ - * /` and bit moves in one fixed
//! order, which IEEE 754 pins down to the bit (Rust never fuses a multiplication with an addition).
//! Whoever writes it again in another language repeats the steps of [`neg_ln`].
//!
//! Method: u = m × 2^e with m in (√½, √2]; ln m = 2 artanh f with f = (m − 1) ⁄ (m + 1), as the
//! series of f ≤ 0.172 up to f¹⁹ (the rest is below 3 × 10⁻¹⁷ of the sum).

/// −ln(u) for 0 < u ≤ 1 and u not subnormal; +0 for 1.
///
/// Within 10⁻¹⁵ of the true value, relatively, also close to 1, where m − 1 is exact. Two values of
/// u that differ by 2⁻³² or more are therefore never confused: see the test.
#[inline]
pub(crate) const fn neg_ln(u: f64) -> f64 {
    let bits = u.to_bits();
    let mut exponent = 1023 - (bits >> 52) as i32;
    let mut m = f64::from_bits(bits & 0x000f_ffff_ffff_ffff | 0x3ff0_0000_0000_0000);
    if m > core::f64::consts::SQRT_2 {
        m *= 0.5;
        exponent -= 1;
    }
    let f = (m - 1.0) / (m + 1.0);
    let g = f * f;
    let mut series = 1.0 / 19.0;
    let divisors = [17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0];
    let mut next = 0;
    while next < divisors.len() {
        series = 1.0 / divisors[next] + g * series;
        next += 1;
    }
    // The sum of the series is 1 + g × series; kept apart, the small part is added last.
    exponent as f64 * core::f64::consts::LN_2 - (2.0 * f + 2.0 * f * (g * series))
}

/// What [`neg_ln`] gives, give or take [`NEAR`], in a fraction of the time.
///
/// The logarithm of the middle of one of 64 parts of m's range comes from a table; the way from there is a
/// factor of 1 + t with |t| ≤ 1 ⁄ 128, and ln(1 + t) its series to the third term. The fourth is below 10⁻⁹.
#[inline]
pub(crate) fn neg_ln_near(u: f64) -> f64 {
    let bits = u.to_bits();
    let exponent = 1023 - (bits >> 52) as i32;
    let m = f64::from_bits(bits & 0x000f_ffff_ffff_ffff | 0x3ff0_0000_0000_0000);
    let (inverse, middle) = PARTS[(bits >> 46) as usize % 64];
    let t = m * inverse - 1.0;
    f64::from(exponent) * core::f64::consts::LN_2 + middle - t * (1.0 - t * (0.5 - t * (1.0 / 3.0)))
}

/// How far off [`neg_ln_near`] is at most; it is less than a tenth of this.
pub(crate) const NEAR: f64 = 1e-8;

/// The inverse of the middle of each part, and −ln of the middle.
static PARTS: [(f64, f64); 64] = {
    let mut parts = [(0.0, 0.0); 64];
    let mut at = 0;
    while at < 64 {
        let middle = 1.0 + (at as f64 + 0.5) / 64.0;
        parts[at] = (1.0 / middle, neg_ln(middle));
        at += 1;
    }
    parts
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    const TWO_32: f64 = 4_294_967_296.0;

    /// −ln(u)/w of a 32-bit score, as weighted rendezvous ranks it.
    fn value(score: u32, weight: f64) -> f64 {
        neg_ln((f64::from(score) + 0.5) / TWO_32) / weight
    }

    /// Scores around which an order could break: both ends, where the relative step is smallest
    /// (u = 1 ⁄ e), and where the exponent or the folding of m changes.
    fn critical() -> impl Iterator<Item = u32> {
        let root = core::f64::consts::FRAC_1_SQRT_2 * TWO_32;
        let folds = (0..32).flat_map(move |e| {
            let scale = f64::from(1_u32 << e);
            [(root / scale) as u32, (TWO_32 / scale - 1.0) as u32]
        });
        folds.chain([0, (TWO_32 / core::f64::consts::E) as u32, u32::MAX])
    }

    #[test]
    fn agrees_with_the_platforms_logarithm() {
        let mut random = Random(1);
        let near_one = (0..100_000_u32).map(|k| (TWO_32 - f64::from(k) - 0.5) / TWO_32);
        let near_zero = (0..100_000_u32).map(|k| (f64::from(k) + 0.5) / TWO_32);
        let any = (0..1_000_000).map(|_| ((random.next() >> 11) as f64 + 0.5) / 9_007_199_254_740_992.0);
        let tiny = (1..=65).map(|bits| 0.5_f64.powi(bits));
        for u in near_one.chain(near_zero).chain(any).chain(tiny) {
            let (ours, std) = (neg_ln(u), -u.ln());
            assert!((ours - std).abs() <= 1e-15 * std, "u {u:e}: {ours:e}, std {std:e}");
        }
        assert_eq!(neg_ln(1.0).to_bits(), 0, "plus zero");
    }

    #[test]
    fn the_near_one_is_as_near_as_it_says() {
        let mut random = Random(64);
        let scattered = (0..300_000).map(|_| random.next() as u32);
        let dense = critical().flat_map(|at| at.saturating_sub(3_000)..=at.saturating_add(3_000));
        let ends = (0..64).flat_map(|part| {
            let at = (1_u32 << 31) + (part << 25);
            at.saturating_sub(50)..=at.saturating_add(50)
        });
        for score in dense.chain(scattered).chain(ends) {
            let u = (f64::from(score) + 0.5) / TWO_32;
            let off = (neg_ln_near(u) - neg_ln(u)).abs();
            assert!(off < NEAR / 10.0, "score {score}: {off:e}");
        }
        for u in [1.0, 1.0 / 18_446_744_073_709_551_616.0 / 2.0] {
            assert!((neg_ln_near(u) - neg_ln(u)).abs() < NEAR / 10.0, "{u:e}");
        }
    }

    /// Computed by the same steps in another language.
    #[test]
    fn gives_these_bits_everywhere() {
        for (u, bits) in [
            (0.5, 0x3fe6_2e42_fefa_39ef),
            (0.999_999_999_883_584_7, 0x3de0_0000_0004_0000),
            (0.3, 0x3ff3_4378_fcbd_a720),
            (0.75, 0x3fd2_6962_1134_db92),
            (1.164_153_218_269_348_1e-10, 0x4036_dfb5_16f2_0bbe),
        ] {
            assert_eq!(neg_ln(u).to_bits(), bits, "u {u}: {:#x}", neg_ln(u).to_bits());
        }
    }

    #[test]
    fn distinct_scores_keep_their_order_under_every_weight() {
        let mut random = Random(32);
        let scattered = (0..300_000).map(|_| random.next() as u32);
        let dense = critical().flat_map(|at| at.saturating_sub(3_000)..=at.saturating_add(3_000));
        for score in dense.chain(scattered).filter(|&score| score < u32::MAX) {
            for weight in [1.0, 3.0, 1000.0, 16_777_215.0] {
                let (lower, higher) = (value(score, weight), value(score + 1, weight));
                assert!(lower > higher, "score {score} of weight {weight}: {lower:e}, next {higher:e}");
            }
        }
    }
}
