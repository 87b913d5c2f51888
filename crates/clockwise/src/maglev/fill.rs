//! How a table is filled: each server walks along its permutation, and whose turn it is follows weights.
//!
//! Section 3.4 of the [paper](super). Two things are done otherwise than there, for the same slots: rounds of all servers are taken
//! whole, and the last slots are computed instead of walked to.

use alloc::collections::BinaryHeap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cmp::Reverse;

use crate::remainder::Remainder;

/// A server's permutation of the slots, at its next preference.
pub(crate) struct Walk {
    slot: u32,
    /// The size of the table, less the skip.
    back: u32,
}

impl Walk {
    /// From two hashes of the server: where it starts and by how much it steps.
    pub(crate) fn new(offset: u64, skip: u64, size: u32) -> Walk {
        let wide = u64::from(size);
        Walk { slot: (offset % wide) as u32, back: size - (skip % (wide - 1) + 1) as u32 }
    }

    /// The slot after one. To step back by what is left of the size wraps where to skip ahead does not, which takes
    /// two instructions less to see.
    #[inline(always)]
    fn after(&self, slot: u32, size: u32) -> u32 {
        let (less, below) = slot.overflowing_sub(self.back);
        if below { less.wrapping_add(size) } else { less }
    }

    /// A turn: the first preference from here on that is free, which is not so any longer.
    #[inline(always)]
    fn take(&mut self, size: u32, taken: &mut [u64]) -> u32 {
        let mut slot = self.slot;
        loop {
            let (word, bit) = (&mut taken[slot as usize / 64], 1 << (slot % 64));
            if *word & bit == 0 {
                *word |= bit;
                self.slot = self.after(slot, size);
                return slot;
            }
            slot = self.after(slot, size);
        }
    }
}

/// Whose turn it is, for ever: positions in a list of walks.
pub(crate) struct Turns<I> {
    /// Whether those are rounds of all in their order, again and again.
    even: bool,
    all: I,
}

/// Turns that follow weights or a rule of their own.
impl<I> From<I> for Turns<I> {
    fn from(all: I) -> Turns<I> {
        Turns { even: false, all }
    }
}

/// Fills a table of a prime size.
///
/// Slots hold what `owners` has for whose turn it was; with them comes how many had a turn at all. A permutation
/// meets every slot once, so a walk ends within M steps; all of them together take about M ln M. Half of those are
/// spent on the last √M slots, so the last `computed` ones are not walked to: see [`fill_rest`].
pub(super) fn fill<T: Copy>(
    size: u32,
    owners: &[T],
    mut walks: Vec<Walk>,
    turns: Turns<impl Iterator<Item = u32>>,
    computed: u32,
) -> (Arc<[T]>, usize) {
    let Some(&first) = owners.first() else { return (Arc::new([]), 0) };
    let mut shared: Arc<[T]> = core::iter::repeat_n(first, size as usize).collect();
    // Nobody else has them yet.
    let table = Arc::make_mut(&mut shared);
    // One bit a slot: most steps meet a slot that is taken, and the bits stay in the cache.
    let mut taken = alloc::vec![0_u64; (size as usize).div_ceil(64)];
    let mut walked = size.saturating_sub(computed) as usize;
    let Turns { even, all: mut turns } = turns;
    let mut placed = alloc::vec![even && walked >= owners.len(); owners.len()];
    // Whole rounds leave the turns where they are: at the first of a round.
    while even && walked >= owners.len() {
        for (walk, &owner) in walks.iter_mut().zip(owners) {
            table[walk.take(size, &mut taken) as usize] = owner;
        }
        walked -= owners.len();
    }
    for at in turns.by_ref().take(walked) {
        table[walks[at as usize].take(size, &mut taken) as usize] = owners[at as usize];
        placed[at as usize] = true;
    }
    // Hardly any word has a bit that is not set, past the size or free.
    let words = (0..).zip(&taken).filter(|(_, word)| **word != u64::MAX);
    let slots = words
        .flat_map(|(at, word)| (0..64).filter(move |bit| word >> bit & 1 == 0).map(move |bit| at * 64 + bit));
    let free = slots.filter(|&slot| slot < size).collect();
    fill_rest(table, free, &mut walks, turns, |at| {
        placed[at as usize] = true;
        owners[at as usize]
    });
    (shared, placed.into_iter().filter(|&placed| placed).count())
}

/// Fills the slots that are left, each walk's next one worked out from all of them: slot c comes
/// (c − the walk's slot) ⁄ skip steps ahead, modulo the size, which has an inverse of each skip since
/// it is a prime.
fn fill_rest<T>(
    table: &mut [T],
    mut free: Vec<u32>,
    walks: &mut [Walk],
    turns: impl Iterator<Item = u32>,
    mut owner: impl FnMut(u32) -> T,
) {
    let size = table.len() as u32;
    let remainder = Remainder::by(size.into());
    let mut inverses = alloc::vec![0; walks.len()];
    for at in turns {
        let (walk, inverse) = (&mut walks[at as usize], &mut inverses[at as usize]);
        if *inverse == 0 {
            *inverse = inverse_of(size - walk.back, size);
        }
        let steps = |slot: u32| {
            let way = slot.wrapping_sub(walk.slot);
            // Both below 2²⁴.
            remainder.of(u64::from(way.min(way.wrapping_add(size))) * u64::from(*inverse))
        };
        // The nearest, above its place in the list, so that one comparison finds both: steps are below 2²⁴ and
        // places below 2³². None when all are taken.
        let nearest =
            free.iter().map(|&slot| steps(slot) << 32).zip(0_u64..).map(|(steps, place)| steps | place);
        let Some(nearest) = nearest.min() else { return };
        let slot = free.swap_remove(nearest as u32 as usize);
        table[slot as usize] = owner(at);
        walk.slot = walk.after(slot, size);
    }
}

/// The number whose product with `skip` is 1 modulo `size`, a prime that `skip` is below: Euclid's
/// algorithm, extended.
fn inverse_of(skip: u32, size: u32) -> u32 {
    let size = i64::from(size);
    let (mut rest, mut next) = (size, i64::from(skip));
    let (mut factor, mut next_factor) = (0_i64, 1_i64);
    while next != 0 {
        let quotient = rest / next;
        (rest, next) = (next, rest - quotient * next);
        (factor, next_factor) = (next_factor, factor - quotient * next_factor);
    }
    factor.rem_euclid(size) as u32
}

/// The native turn rule, for ever. A server that has n slots may take another in the first round r
/// with r × weight >= n × (the largest weight).
pub(super) fn turns(weights: &[u32]) -> Turns<impl Iterator<Item = u32> + '_> {
    let largest = u64::from(weights.iter().copied().max().unwrap_or(1));
    let even = weights.iter().all(|&weight| u64::from(weight) == largest);
    let count = weights.len() as u32;
    let mut plain = (0..count).cycle();
    // At most 2²⁴ slots of a weight below 2³².
    let due = move |at: u32, had: u64| (had * largest).div_ceil(u64::from(weights[at as usize]));
    let mut weighted = rounds(if even { 0 } else { count }, due);
    let all = core::iter::from_fn(move || if even { plain.next() } else { weighted.next() });
    Turns { even, all }
}

/// Turns in rounds 1, 2, …, over the servers in order, for ever. `due` says in which round a server
/// that has had some turns, at least one, may have another at the earliest; so what comes next is
/// the least round, then the first server in order.
pub(crate) fn rounds(count: u32, mut due: impl FnMut(u32, u64) -> u64) -> impl Iterator<Item = u32> {
    let mut next: BinaryHeap<Reverse<(u64, u32, u64)>> = (0..count).map(|at| Reverse((1, at, 0))).collect();
    core::iter::from_fn(move || {
        let mut first = next.peek_mut()?;
        let Reverse((round, at, had)) = *first;
        *first = Reverse((due(at, had + 1).max(round + 1), at, had + 1));
        Some(at)
    })
}

#[cfg(test)]
mod tests {
    use std::vec;
    use std::vec::Vec;

    use super::*;
    use crate::testing::Random;

    /// The turn rule of the table at the top of the room, server by server and round by round.
    fn plain_turns(weights: &[u32], count: usize) -> Vec<u32> {
        let largest = u64::from(*weights.iter().max().unwrap());
        let (mut has, mut turns) = (vec![0_u64; weights.len()], Vec::new());
        for round in 1_u64.. {
            for (at, &weight) in weights.iter().enumerate() {
                if round * u64::from(weight) >= has[at] * largest {
                    has[at] += 1;
                    turns.push(at as u32);
                    if turns.len() == count {
                        break;
                    }
                }
            }
            if turns.len() >= count {
                break;
            }
        }
        turns
    }

    #[test]
    fn unequal_weights_take_turns_by_the_rule() {
        let mut random = Random(16);
        for case in 0..300 {
            let count = 1 + random.next() as usize % 12;
            let scale = random.next() % 32;
            let weights: Vec<u32> = (0..count).map(|_| 1 + ((random.next() as u32) >> scale) / 2).collect();
            let expected = plain_turns(&weights, 500);
            let ours: Vec<u32> = turns(&weights).all.take(500).collect();
            assert_eq!(ours, expected, "case {case}: {weights:?}");
        }
    }

    /// From none computed to all, in whole rounds and by weight; held against turns one by one that walk to every slot.
    #[test]
    fn slots_that_are_computed_are_those_that_walks_come_to() {
        let mut random = Random(0x5eed_0313);
        for size in [2, 3, 13, 101, 1009, 4_093] {
            for round in 0..4 {
                let count = 1 + random.below(u64::from(size).min(40));
                let weights: Vec<u32> =
                    (0..count).map(|_| if round == 0 { 1 } else { 1 + random.below(9) as u32 }).collect();
                let hashes: Vec<[u64; 2]> = weights.iter().map(|_| [random.next(), random.next()]).collect();
                let walks = || hashes.iter().map(|[offset, skip]| Walk::new(*offset, *skip, size)).collect();
                let owners: Vec<u32> = (0..weights.len() as u32).collect();
                let walked = fill(size, &owners, walks(), turns(&weights).all.into(), 0);
                for computed in [1, 2, size.isqrt(), size / 2, size] {
                    let ours = fill(size, &owners, walks(), turns(&weights), computed);
                    assert_eq!(ours, walked, "{count} in {size}, {computed} computed");
                }
            }
        }
    }
}
