//! Java's library where an answer depends on it: its random numbers, and a heap whose ties fall as
//! its heap's do.
//!
//! Source: the documentation of `java.util.Random` (its generator is specified) and
//! `java.util.PriorityQueue`, whose order of equal elements is that of OpenJDK 8 to 17.

use alloc::vec::Vec;

/// `java.util.Random`.
pub(super) struct Random(u64);

impl Random {
    const MULTIPLIER: u64 = 0x5_DEEC_E66D;
    const BITS: u64 = (1 << 48) - 1;

    pub(super) fn new(seed: u64) -> Random {
        Random((seed ^ Random::MULTIPLIER) & Random::BITS)
    }

    fn next(&mut self, bits: u32) -> u64 {
        self.0 = self.0.wrapping_mul(Random::MULTIPLIER).wrapping_add(0xB) & Random::BITS;
        self.0 >> (48 - bits)
    }

    /// A number from 0 to 1, 1 excluded: 53 bits.
    pub(super) fn next_double(&mut self) -> f64 {
        let high = self.next(26) << 27;
        (high + self.next(27)) as f64 / (1_u64 << 53) as f64
    }
}

/// The heaviest first; of equally heavy ones whichever the heap's moves have brought to its top.
pub(super) struct Heap<T>(Vec<(f64, T)>);

impl<T> Heap<T> {
    pub(super) fn with_capacity(capacity: usize) -> Heap<T> {
        Heap(Vec::with_capacity(capacity))
    }

    pub(super) fn push(&mut self, weight: f64, value: T) {
        let mut at = self.0.len();
        self.0.push((weight, value));
        while at > 0 {
            let parent = (at - 1) / 2;
            if !self.heavier(at, parent) {
                break;
            }
            self.0.swap(at, parent);
            at = parent;
        }
    }

    pub(super) fn peek(&self) -> Option<&(f64, T)> {
        self.0.first()
    }

    pub(super) fn pop(&mut self) -> Option<(f64, T)> {
        let last = self.0.len().checked_sub(1)?;
        self.0.swap(0, last);
        let top = self.0.pop();
        let (mut at, half) = (0, last / 2);
        while at < half {
            let (left, right) = (2 * at + 1, 2 * at + 2);
            let child = if right < last && self.heavier(right, left) { right } else { left };
            if !self.heavier(child, at) {
                break;
            }
            self.0.swap(at, child);
            at = child;
        }
        top
    }

    fn heavier(&self, a: usize, b: usize) -> bool {
        self.0[a].0.total_cmp(&self.0[b].0).is_gt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    /// What OpenJDK 17 prints for `new Random(seed).nextDouble()`, four times.
    #[test]
    fn random_numbers_are_those_of_java() {
        for (seed, numbers) in [(0, SEED_0), (16, SEED_16)] {
            let mut random = Random::new(seed);
            for number in numbers {
                assert_eq!(random.next_double().to_bits(), f64::to_bits(number), "seed {seed}");
            }
        }
    }

    #[test]
    fn the_heaviest_comes_first_and_ties_fall_as_in_java() {
        // Polled from a PriorityQueue of OpenJDK 17 that got these weights in this order.
        let mut heap = Heap::with_capacity(0);
        for (at, weight) in WEIGHTS.into_iter().enumerate() {
            heap.push(weight, at);
        }
        assert_eq!(heap.peek().map(|top| top.1), Some(POLLED[0]));
        let polled: Vec<usize> = core::iter::from_fn(|| heap.pop()).map(|(_, at)| at).collect();
        assert_eq!(polled, POLLED);
    }

    #[test]
    fn what_comes_out_is_sorted_whatever_went_in() {
        let mut random = testing::Random(0x4ea9);
        for length in 0..200 {
            let mut heap = Heap::with_capacity(length);
            for at in 0..length {
                heap.push(random.below(50) as f64, at);
            }
            let out: Vec<f64> = core::iter::from_fn(|| heap.pop()).map(|(weight, _)| weight).collect();
            assert_eq!(out.len(), length);
            assert!(out.is_sorted_by(|a, b| a >= b), "{out:?}");
        }
    }

    const SEED_0: [f64; 4] = [0.730967787376657, 0.24053641567148587, 0.6374174253501083, 0.5504370051176339];
    const SEED_16: [f64; 4] =
        [0.7324010808307754, 0.527826082540034, 0.5126586954905619, 0.03395640026385327];
    const WEIGHTS: [f64; 32] = [
        3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0, 5.0, 3.0, 5.0, 8.0, 9.0, 7.0, 9.0, 3.0, 2.0, 3.0, 8.0, 4.0,
        6.0, 2.0, 6.0, 4.0, 3.0, 3.0, 8.0, 3.0, 2.0, 7.0, 9.0, 5.0,
    ];
    const POLLED: [usize; 32] = [
        5, 12, 14, 30, 18, 11, 26, 13, 29, 7, 20, 22, 31, 8, 10, 4, 2, 19, 23, 15, 25, 9, 0, 17, 24, 27, 6,
        21, 16, 28, 3, 1,
    ];
}
