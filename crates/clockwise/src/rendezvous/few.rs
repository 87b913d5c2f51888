//! The first few of many, kept in order while all are passed over once.
//!
//! A key has two or three replicas. To look for each behind the one before would be a pass over all servers
//! for each; to keep three while passing is hardly more than to keep one, because few of many are ever kept.

/// Servers that are found in one pass, at most.
pub(super) const FEW: usize = 4;

/// The lowest so far, ascending.
#[derive(Clone, Copy)]
pub(super) struct Few<T, const MOST: usize = FEW> {
    /// Those, and behind them what is above all.
    found: [T; MOST],
    len: usize,
}

impl<T: Copy + PartialOrd, const MOST: usize> Few<T, MOST> {
    /// None yet; `above` stands where there is none.
    #[inline(always)]
    pub(super) fn new(above: T) -> Few<T, MOST> {
        Few { found: [above; MOST], len: 0 }
    }

    /// The last, once there are as many as are kept: what is not below it is not one of them.
    #[inline(always)]
    pub(super) fn last(&self) -> Option<T> {
        (self.len == MOST).then(|| self.found[MOST - 1])
    }

    /// Keeps a value if it is one of the lowest, and not there already; whether it is.
    #[inline(always)]
    pub(super) fn keep(&mut self, value: T) -> bool {
        if self.last().is_some_and(|last| last <= value) {
            return false;
        }
        // From the last on: hardly ever is one the lowest of all.
        let mut at = self.len;
        while at > 0 && value < self.found[at - 1] {
            at -= 1;
        }
        if at > 0 && self.found[at - 1] == value {
            return false;
        }
        self.len = (self.len + 1).min(MOST);
        for behind in (at + 1..self.len).rev() {
            self.found[behind] = self.found[behind - 1];
        }
        self.found[at] = value;
        true
    }

    /// As many as are kept, which ascend.
    #[inline]
    pub(super) fn full(found: [T; MOST]) -> Few<T, MOST> {
        Few { found, len: MOST }
    }

    /// What `map` makes of each, in the same order; in a form for more.
    #[inline(always)]
    pub(super) fn map<U>(self, map: impl Fn(T) -> U) -> Few<U> {
        const { assert!(1 <= MOST && MOST <= FEW) }
        Few { found: core::array::from_fn(|at| map(self.found[at.min(MOST - 1)])), len: self.len }
    }

    /// Those so far.
    #[inline(always)]
    pub(super) fn as_slice(&self) -> &[T] {
        &self.found[..self.len]
    }
}

impl<const MOST: usize> Few<u64, MOST> {
    /// [Keeps](Few::keep) a number that is not there yet, in as many steps whatever it is: of numbers in no order,
    /// which are kept cannot be guessed.
    #[inline(always)]
    pub(super) fn sift(&mut self, number: u64) {
        let mut passed = number;
        for found in &mut self.found {
            (*found, passed) = ((*found).min(passed), (*found).max(passed));
        }
        self.len = (self.len + usize::from(number < u64::MAX)).min(MOST);
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::testing::Random;

    fn lowest_are_kept<const MOST: usize>() {
        let mut random = Random(0xfe3 + MOST as u64);
        for round in 0..1_000 {
            let values: Vec<u64> = (0..random.below(20)).map(|_| random.below(12)).collect();
            let mut few: Few<u64, MOST> = Few::new(u64::MAX);
            let mut sifted = few;
            for (at, &value) in values.iter().enumerate() {
                let before = few.as_slice().to_vec();
                assert_eq!(few.keep(value), few.as_slice() != before, "round {round}");
                if !values[..at].contains(&value) {
                    sifted.sift(value);
                }
                sifted.sift(u64::MAX);
                let mut lowest = values[..=at].to_vec();
                lowest.sort_unstable();
                lowest.dedup();
                lowest.truncate(MOST);
                assert_eq!(few.as_slice(), lowest, "round {round}");
                assert_eq!(sifted.as_slice(), lowest, "round {round}");
                let full = lowest.len() == MOST;
                assert_eq!(few.last(), lowest.last().copied().filter(|_| full), "round {round}");
            }
            let kept = few.as_slice().to_vec();
            assert!(few.map(|value| !value).as_slice().iter().copied().eq(kept.iter().map(|value| !value)));
        }
    }

    #[test]
    fn the_lowest_are_kept_once_each_and_in_order() {
        lowest_are_kept::<1>();
        lowest_are_kept::<2>();
        lowest_are_kept::<3>();
        lowest_are_kept::<4>();
    }
}
