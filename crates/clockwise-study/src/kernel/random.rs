//! Random numbers: SplitMix64 from a seed, the same on every machine.

use std::fmt::Display;

use clockwise::hash::{SplitMix64, xxh3_64};

/// What random numbers are for. Streams of one seed have nothing to do with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Positions of points, or whatever else places servers.
    Points = 1,
    /// Keys.
    Keys = 2,
    /// Who leaves.
    Leaver = 3,
    /// Choices that are made for each key.
    Choices = 4,
}

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64, stream: Stream) -> Random {
        Random(SplitMix64::mix(seed ^ SplitMix64::mix(stream as u64)))
    }

    /// The next 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        let value = SplitMix64::mix(self.0);
        self.0 = self.0.wrapping_add(SplitMix64::STEP);
        value
    }

    /// A number below `bound`, each about as likely: the bias is below `bound` ÷ 2⁶⁴. Below 0 there is
    /// none, and the answer is 0.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(bound)) >> 64) as u64
    }

    /// A number from 0 up to and without 1, of 53 random bits.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// The seed of one run: from the root seed, what is run, and which of its repetitions.
pub(crate) fn seed_of(root: u64, experiment: &str, drawn: &impl Display, index: u32) -> u64 {
    xxh3_64(format!("{experiment}\n{drawn}\n{index}").as_bytes(), root)
}
