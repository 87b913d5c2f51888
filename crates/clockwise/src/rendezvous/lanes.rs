//! The native score of many servers side by side.
//!
//! Every loop here finds what a loop over single servers would find; it only looks at [`WIDTH`] of
//! them in one step. Ties go to the first server, so the winner of the lanes is the one with the
//! smaller position among equal scores, as it is within a lane.
//!
//! **Weights.** −ln(u) is at least 1 − u, so (1 − u) ⁄ w bounds a server's value from below, and only
//! servers whose bound does not pass the best value so far need a logarithm: about ln n of n. The
//! bound is worked out in binary32 from the upper 24 bits of the score, and rounded down at each step;
//! what it lets pass is compared exactly.

use alloc::vec::Vec;

use super::few::Few;
use super::unit_of;
use crate::arch::{Below, Bounds, Highest, Level, WIDTH, bound, highest, mix, rank, sweep};
use crate::ln::neg_ln;

/// From so many servers on lanes pay: where weights are equal, and where they are not.
const FEW: usize = 10;
const FEW_WEIGHTS: usize = 28;

/// 2⁻²²: more than the rounding errors of a bound or a limit come to, each below 2⁻²⁴ of it.
const SLACK: f64 = 1.0 / 4_194_304.0;

/// A server by position, with what it is ranked by: its score, or its value −ln(u) ⁄ w.
pub(crate) type Found<T> = (T, usize);

/// The seeds of the active servers, in lanes.
pub(crate) struct Seeds {
    level: Level,
    len: usize,
    /// The two halves of each seed; behind the last, those of the first again. They cannot win
    /// against the first, which has the same score and comes before them.
    low: Vec<[u32; WIDTH]>,
    high: Vec<[u32; WIDTH]>,
    /// What 2²⁴ × (1 − u) is multiplied by for a bound; behind the last, infinity. Empty where all
    /// weights are equal.
    inverse: Vec<[f32; WIDTH]>,
}

impl Seeds {
    /// Of at least one server. `weights` is empty where all are equal.
    pub(crate) fn new(seeds: &[u64], weights: &[f64]) -> Seeds {
        let first = seeds.first().copied().unwrap_or(0);
        let halves =
            |shift: u32| in_lanes(seeds.iter().map(|seed| (seed >> shift) as u32), (first >> shift) as u32);
        let scale = (1.0 - SLACK) / 16_777_216.0;
        Seeds {
            level: Level::best(),
            len: seeds.len(),
            low: halves(0),
            high: halves(32),
            inverse: in_lanes(weights.iter().map(|weight| (scale / weight) as f32), f32::INFINITY),
        }
    }

    pub(crate) fn at_level(&self, level: Level) -> Seeds {
        let Seeds { len, low, high, inverse, .. } = self;
        Seeds { level, len: *len, low: low.clone(), high: high.clone(), inverse: inverse.clone() }
    }

    /// Whether lanes are faster here than a loop over single servers. They are not without vectors that
    /// multiply 32 bits, which the first ones of x86-64 do not.
    pub(crate) fn pay(&self) -> bool {
        let few = if self.inverse.is_empty() { FEW } else { FEW_WEIGHTS };
        self.level != Level::PORTABLE && self.len >= few
    }

    /// The first server with the highest score.
    #[inline]
    pub(crate) fn highest(&self, key: u64) -> usize {
        highest(self.level, key, &self.low, &self.high).1 as usize
    }

    /// The first and the second server by score; there are at least two.
    ///
    /// The second is the best of another lane, or the next in the lane of the first: so one lane is
    /// looked at again, and the pass keeps nothing more. Only if the very first server has won, what
    /// repeats it behind the last hides others in the lanes there, and all are looked at.
    pub(super) fn two_highest(&self, key: u64) -> [Found<u32>; 2] {
        let swept = sweep(self.level, Highest, key, &self.low, &self.high);
        let first = swept.highest.1 as usize;
        let lane = first % WIDTH;
        let (from, step) = if first == 0 { (1, 1) } else { (lane, WIDTH) };
        let rest = (from..self.len).step_by(step).filter(|&at| at != first);
        let mut second = rest.map(|at| packed(self.score(key, at), at as u32)).max().unwrap_or(0);
        if first > 0 {
            for other in (0..WIDTH).filter(|&other| other != lane) {
                second = second.max(packed(swept.best[other], swept.from[other] + other as u32));
            }
        }
        [(swept.highest.0, first), unpacked(second)]
    }

    /// The server that follows another by score; none behind the last.
    pub(crate) fn next_highest(&self, key: u64, (above, behind): Found<u32>) -> Option<Found<u32>> {
        let swept = sweep(self.level, Below(above), key, &self.low, &self.high);
        let (score, at) = swept.highest;
        if swept.tied == 1 && score > 0 {
            return Some((score, at as usize));
        }
        // Equal scores and a score of 0 come once in 2³² looks; and if the other was the very first
        // server, what repeats it behind the last is its equal. Then one by one.
        let all = (0..self.len).map(|at| packed(self.score(key, at), at as u32));
        all.filter(|&rank| rank < packed(above, behind as u32)).max().map(unpacked)
    }

    /// The first server with the lowest value; of those that follow another, if one is given.
    pub(super) fn lowest(&self, key: u64, weights: &[f64], last: Option<Found<f64>>) -> Option<Found<f64>> {
        self.looked_through::<1>(key, weights, last).last()
    }

    /// The first servers by value.
    pub(super) fn few_lowest<const MOST: usize>(&self, key: u64, weights: &[f64]) -> Few<Found<f64>, MOST> {
        self.looked_through(key, weights, None)
    }

    /// The lanes' lowest bounds come first, the lowest of them all at the very beginning. So the
    /// limit is close to what it will be when the second lowest are held to it, and hardly ever is a
    /// whole lane looked through.
    #[inline(always)]
    fn looked_through<const MOST: usize>(
        &self,
        key: u64,
        weights: &[f64],
        last: Option<Found<f64>>,
    ) -> Few<Found<f64>, MOST> {
        let mut lowest = Lowest { weights, last, found: Few::new((f64::INFINITY, 0)), limit: 0 };
        let swept = sweep(self.level, Bounds(&self.inverse), key, &self.low, &self.high);
        let look = |lowest: &mut Lowest<'_, MOST>, at: usize| {
            lowest.look(at, self.score(key, at), self.inverse[at / WIDTH][at % WIDTH]);
        };
        look(&mut lowest, swept.highest.1 as usize);
        for lane in 0..WIDTH {
            if swept.best[lane] >= lowest.limit {
                look(&mut lowest, swept.from[lane] as usize + lane);
            }
        }
        for lane in 0..WIDTH {
            if swept.second[lane] >= lowest.limit {
                (lane..self.len).step_by(WIDTH).for_each(|at| look(&mut lowest, at));
            }
        }
        lowest.found
    }

    fn score(&self, key: u64, at: usize) -> u32 {
        let (step, lane) = (at / WIDTH, at % WIDTH);
        mix(key as u32 ^ self.low[step][lane], (key >> 32) as u32 ^ self.high[step][lane])
    }
}

fn in_lanes<T: Copy>(values: impl Iterator<Item = T>, rest: T) -> Vec<[T; WIDTH]> {
    let mut lanes = Vec::new();
    for (at, value) in values.enumerate() {
        if at % WIDTH == 0 {
            lanes.push([rest; WIDTH]);
        }
        if let Some(last) = lanes.last_mut() {
            last[at % WIDTH] = value;
        }
    }
    lanes
}

/// A score and a position as one number: the higher the score, and then the earlier the position, the
/// higher.
fn packed(score: u32, at: u32) -> u64 {
    u64::from(score) << 32 | u64::from(!at)
}

fn unpacked(packed: u64) -> Found<u32> {
    ((packed >> 32) as u32, !(packed as u32) as usize)
}

/// The lowest values so far, and the rank that a bound must have to be below the last of them.
struct Lowest<'a, const MOST: usize> {
    weights: &'a [f64],
    /// Values up to this one do not count.
    last: Option<Found<f64>>,
    found: Few<Found<f64>, MOST>,
    limit: u32,
}

impl<const MOST: usize> Lowest<'_, MOST> {
    #[inline(always)]
    fn look(&mut self, at: usize, score: u32, inverse: f32) {
        if rank(bound(score, inverse)) >= self.limit {
            self.work_out(at, score);
        }
    }

    fn work_out(&mut self, at: usize, score: u32) {
        // None for what stands behind the last server.
        let Some(weight) = self.weights.get(at) else { return };
        let found = (neg_ln(unit_of(score.into(), 32)) / weight, at);
        if self.last.is_some_and(|last| found <= last) {
            return;
        }
        if self.found.keep(found)
            && let Some((value, _)) = self.found.last()
        {
            self.limit = rank((value * (1.0 + SLACK)) as f32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    #[test]
    fn bounds_are_below_the_value_and_close_to_1_minus_u() {
        let mut random = Random(24);
        let ends = [0, 1, 255, 256, u32::MAX - 256, u32::MAX - 255, u32::MAX - 1, u32::MAX];
        let scores = (0..50_000).map(|_| (random.next() >> (32 + random.next() % 20)) as u32);
        for score in scores.flat_map(|score| [score, !score]).chain(ends) {
            for weight in [1.0, 3.0, 77.0, 16_777_215.0] {
                let seeds = Seeds::new(&[0], &[weight]);
                let bound = f64::from(bound(score, seeds.inverse[0][0]));
                let u = (f64::from(score) + 0.5) / 4_294_967_296.0;
                assert!(bound <= (1.0 - u) / weight, "score {score}, weight {weight}");
                // 24 bits of it, and what is rounded off.
                assert!(
                    (1.0 - u) / weight - bound <= (6.0e-8 + 3.0e-7 * (1.0 - u)) / weight,
                    "score {score}"
                );
            }
        }
    }

    /// Seeds that repeat, so that scores tie; and keys that are a seed, whose score with it is 0.
    #[test]
    fn lanes_find_what_a_loop_finds() {
        let mut random = Random(0x1a9e5);
        for round in 0..600 {
            let len = 1 + random.below(100) as usize;
            let few: Vec<u64> = (0..1 + random.below(2 * len as u64)).map(|_| random.next()).collect();
            let pick = |random: &mut Random| few[random.below(few.len() as u64) as usize];
            let seeds: Vec<u64> = (0..len).map(|_| pick(&mut random)).collect();
            let weights: Vec<f64> = (0..len).map(|_| (1 + random.below(3)) as f64).collect();
            let key = if round % 4 == 0 { pick(&mut random) } else { random.next() };

            let scores = seeds.iter().map(|seed| mix((key ^ seed) as u32, ((key ^ seed) >> 32) as u32));
            let mut ranks: Vec<(u32, usize)> = scores.map(|score| !score).zip(0..).collect();
            let value = |&(rank, at): &(u32, usize)| (neg_ln(unit_of((!rank).into(), 32)) / weights[at], at);
            let mut values: Vec<(f64, usize)> = ranks.iter().map(value).collect();
            ranks.sort_unstable();
            values.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let found = |at: usize| ranks.get(at).map(|&(rank, at)| (!rank, at));

            for level in Level::all() {
                let context = std::format!("round {round}, {level}");
                let plain = Seeds::new(&seeds, &[]).at_level(level);
                assert_eq!(plain.highest(key), ranks[0].1, "{context}");
                if len > 1 {
                    let two = plain.two_highest(key);
                    assert_eq!(two.map(Some), [found(0), found(1)], "{context}");
                }
                let weighted = Seeds::new(&seeds, &weights).at_level(level);
                assert_eq!(weighted.lowest(key, &weights, None), Some(values[0]), "{context}");
                let few = [
                    weighted.few_lowest::<1>(key, &weights).as_slice().to_vec(),
                    weighted.few_lowest::<2>(key, &weights).as_slice().to_vec(),
                    weighted.few_lowest::<3>(key, &weights).as_slice().to_vec(),
                    weighted.few_lowest::<4>(key, &weights).as_slice().to_vec(),
                ];
                for (few, most) in few.iter().zip(1..) {
                    assert_eq!(few, &values[..most.min(len)], "{context}");
                }
                for at in 0..len {
                    let next = found(at).and_then(|last| plain.next_highest(key, last));
                    assert_eq!(next, found(at + 1), "{context}, after {at}");
                    let next = weighted.lowest(key, &weights, Some(values[at]));
                    assert_eq!(next, values.get(at + 1).copied(), "{context}, after {at}");
                }
            }
        }
    }
}
