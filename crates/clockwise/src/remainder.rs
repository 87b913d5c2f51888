//! The remainder by a divisor that is known before the numbers are.
//!
//! Torbjörn Granlund and Peter L. Montgomery, *Division by Invariant Integers using Multiplication*,
//! PLDI 1994, section 4, with a reciprocal that may be one too small and a remainder that is set right.

/// A divisor and its reciprocal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Remainder {
    divisor: u64,
    /// ⌊(2⁶⁴ − 1) ⁄ divisor⌋.
    reciprocal: u64,
}

impl Remainder {
    /// By a divisor of at least 1; 0 is taken for 1.
    pub(crate) fn by(divisor: u64) -> Remainder {
        let divisor = divisor.max(1);
        Remainder { divisor, reciprocal: u64::MAX / divisor }
    }

    /// `number` modulo the divisor: two products and a comparison.
    ///
    /// With d the divisor and r its reciprocal, 2⁶⁴ ⁄ d − r is at most 1, so n ⁄ d − n × r ⁄ 2⁶⁴ is below
    /// 1: the quotient here is the true one or one less, and what is left below 2 × d.
    #[inline]
    pub(crate) fn of(self, number: u64) -> u64 {
        let quotient = ((u128::from(number) * u128::from(self.reciprocal)) >> 64) as u64;
        let rest = number.wrapping_sub(quotient.wrapping_mul(self.divisor));
        if rest >= self.divisor { rest.wrapping_sub(self.divisor) } else { rest }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    #[test]
    fn agrees_with_division() {
        let mut random = Random(1994);
        let ends =
            [1, 2, 3, 5, 65_537, (1 << 24) - 3, 1 << 32, (1 << 63) - 1, 1 << 63, u64::MAX - 1, u64::MAX];
        let divisors: [u64; 40] = core::array::from_fn(|i| (random.next() >> (i % 64)).max(1));
        for divisor in ends.into_iter().chain(divisors) {
            let remainder = Remainder::by(divisor);
            let multiples = (0..200).map(|_| random.next() / divisor * divisor);
            let near = multiples.flat_map(|at| [at.wrapping_sub(1), at, at.wrapping_add(1)]);
            for number in near.chain([0, 1, divisor - 1, divisor, u64::MAX - 1, u64::MAX]) {
                assert_eq!(remainder.of(number), number % divisor, "{number} by {divisor}");
            }
        }
    }
}
