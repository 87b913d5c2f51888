//! SplitMix64: a number from a number.
//!
//! | name | step | value | check |
//! |---|---|---|---|
//! | `splitmix64` | `9e3779b97f4a7c15` | 64-bit number | of 0 `e220a8397b1dcdaf` |
//!
//! Source: Guy L. Steele Jr., Doug Lea, Christine H. Flood, "Fast Splittable Pseudorandom Number
//! Generators", OOPSLA 2014, figure 17; constants of Sebastiano Vigna's `splitmix64.c`,
//! <https://prng.di.unimi.it/splitmix64.c>.

/// The mixer of the SplitMix64 generator. It hashes a number, not bytes, so it is no `KeyHash`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SplitMix64;

impl SplitMix64 {
    /// What the generator's state grows by with every number it gives.
    pub const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

    /// What a number is multiplied by last.
    pub(crate) const LAST: u64 = 0x94d0_49bb_1331_11eb;

    /// The number that the generator gives from this state. A bijection: no two inputs collide.
    ///
    /// The generator seeded with `s` gives `mix(s)`, `mix(s + STEP)`, `mix(s + 2 * STEP)` and so
    /// on, in wrapping arithmetic.
    pub const fn mix(state: u64) -> u64 {
        let mut z = state.wrapping_add(SplitMix64::STEP);
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(SplitMix64::LAST);
        z ^ z >> 31
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_sequence() {
        let from = |seed: u64, i: u64| SplitMix64::mix(seed.wrapping_add(i.wrapping_mul(SplitMix64::STEP)));
        let sequence = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        for (i, value) in (0..).zip(sequence) {
            assert_eq!(from(1_234_567, i), value, "number {i} of the generator seeded with 1234567");
        }
        assert_eq!(SplitMix64::mix(0), 0xe220_a839_7b1d_cdaf);
    }
}
