//! The tokens that instances of one zone choose so that each owns the same: Mimir's
//! `token_generation_strategy: spread-minimizing`.
//!
//! | parameter | value |
//! |---|---|
//! | instance | its number, from the digits at the end of its name; no other instance is asked |
//! | zone | its place among the zones sorted by name, below 8; all its tokens are that mod 8 |
//! | tokens | 512 |
//! | instance 0 | 2²³ apart, beginning at the zone's place |
//! | instance *i* | taken from those before it: see below |
//!
//! Until it has all its tokens, instance *i* wants of its share of 2³² ⁄ (*i* + 1) what it does not
//! own yet, divided by the tokens to come, in whole multiples of 8. Of the instance that owns most (of
//! equal ones the greater number) it looks at the widest range (of equal ones the greater token): if
//! that is wider than what it wants, it takes so much from the beginning of it; if not, that instance
//! is put aside until the next number.
//!
//! So the tokens of an instance depend on its number and its zone alone, and it takes the same
//! whichever others are there. The shares are even as long as the numbers are 0 to *n* − 1 without a
//! gap: instances leave from the highest number down.

use alloc::collections::BinaryHeap;
use alloc::string::ToString;
use alloc::vec::Vec;

use crate::error::{Error, Kind};

/// How many tokens an instance has.
pub const TOKENS: usize = 512;

/// How many zones there can be.
pub const MAX_ZONES: u32 = 8;

/// The tokens of instances 0, 1, 2 … of a zone, each list in the order in which it is made.
///
/// Every instance of a zone needs those before it, so they come one after the other; it ends where
/// dskit gives up, at a number whose share is too small for 512 ranges.
///
/// ```
/// use clockwise::dialect::dskit::SpreadMinimizing;
///
/// let mut instances = SpreadMinimizing::new(2)?;
/// assert_eq!(instances.next().map(|tokens| tokens[1]), Some(8_388_610));
/// assert!(instances.next().is_some_and(|tokens| tokens.iter().all(|token| token % 8 == 2)));
/// assert!(SpreadMinimizing::new(8).unwrap_err().is_parameter());
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SpreadMinimizing {
    zone: u32,
    /// By what each owns; beside it its number.
    instances: BinaryHeap<(u64, usize)>,
    /// Of each instance its ranges, by how wide they are: width, token, the token before.
    ranges: Vec<BinaryHeap<(u64, u32, u32)>>,
}

impl SpreadMinimizing {
    /// Of the zone at this place, from 0, among the ring's zones sorted by name. Refuses the ninth.
    pub fn new(zone: u32) -> Result<SpreadMinimizing, Error> {
        if zone >= MAX_ZONES {
            return Err(Error::new(Kind::Option {
                name: "place of the zone",
                value: zone.to_string(),
                problem: "is above 7: a ring has at most 8 zones",
            }));
        }
        Ok(SpreadMinimizing { zone, instances: BinaryHeap::new(), ranges: Vec::new() })
    }

    /// The first instance, which has the ring to itself.
    fn first(&mut self) -> Vec<u32> {
        let step = (1 << 32) / TOKENS as u64;
        let tokens: Vec<u32> = (0..TOKENS as u64).map(|i| (i * step) as u32 + self.zone).collect();
        let before = tokens.iter().cycle().skip(TOKENS - 1);
        self.ranges.push(tokens.iter().zip(before).map(|(&token, &before)| (step, token, before)).collect());
        self.instances.push((1 << 32, 0));
        tokens
    }

    /// The tokens of the next instance, or none if the others have too little to give.
    fn another(&mut self) -> Option<Vec<u32>> {
        let share = (1_u64 << 32) as f64 / (self.ranges.len() + 1) as f64;
        let (mut tokens, mut own) = (Vec::with_capacity(TOKENS), BinaryHeap::with_capacity(TOKENS));
        let mut aside = Vec::new();
        let mut owned = 0;
        while tokens.len() < TOKENS {
            let left = (TOKENS - tokens.len()) as u32;
            let want = (share - owned as f64) as u32 / left / MAX_ZONES * MAX_ZONES;
            let (owns, giver) = self.instances.pop().filter(|_| want > 0)?;
            let ranges = &mut self.ranges[giver];
            let &(width, token, before) = ranges.peek()?;
            if width <= want.into() {
                aside.push((owns, giver));
                continue;
            }
            let new = after(before, want);
            let rest = distance(new, token);
            ranges.pop();
            ranges.push((rest, token, new));
            self.instances.push((owns - width + rest, giver));
            own.push((distance(before, new), new, before));
            owned += width - rest;
            tokens.push(new);
        }
        self.instances.extend(aside);
        self.instances.push((owned, self.ranges.len()));
        self.ranges.push(own);
        Some(tokens)
    }
}

impl Iterator for SpreadMinimizing {
    type Item = Vec<u32>;

    fn next(&mut self) -> Option<Vec<u32>> {
        if self.ranges.is_empty() { Some(self.first()) } else { self.another() }
    }
}

/// The token so far behind another. Around the end of the circle dskit leaves a few positions out.
fn after(token: u32, by: u32) -> u32 {
    const END: u32 = (u32::MAX / MAX_ZONES - 1) * MAX_ZONES;
    let offset = END.wrapping_sub(token);
    if offset < by { by - offset } else { token.wrapping_add(by) }
}

/// How many positions lie after `from` up to and including `to`.
fn distance(from: u32, to: u32) -> u64 {
    if from < to { u64::from(to - from) } else { (1 << 32) - u64::from(from - to) }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;

    use super::*;

    #[test]
    fn instances_of_all_zones_have_tokens_of_their_own_and_even_shares() {
        let mut all = BTreeSet::new();
        for zone in 0..MAX_ZONES {
            let mut circle: Vec<(u32, usize)> = Vec::new();
            for (number, tokens) in SpreadMinimizing::new(zone).unwrap().take(12).enumerate() {
                assert_eq!(tokens.len(), TOKENS);
                assert!(tokens.iter().all(|&token| token % MAX_ZONES == zone && all.insert(token)));
                circle.extend(tokens.into_iter().map(|token| (token, number)));
                circle.sort_unstable();
                let mut shares = alloc::vec![0_u64; number + 1];
                for (at, &(token, owner)) in circle.iter().enumerate() {
                    let before = circle[(at + circle.len() - 1) % circle.len()].0;
                    shares[owner] += distance(before, token);
                }
                let mean = (1_u64 << 32) as f64 / shares.len() as f64;
                let off = |share: &u64| (*share as f64 / mean - 1.0).abs();
                assert!(shares.iter().all(|share| off(share) < 0.002), "{shares:?}");
            }
        }
    }

    #[test]
    fn it_ends_only_where_a_share_is_too_small() {
        // Bounded: 512 ranges of 8 positions are a share of 2^12, reached at 2^20 instances.
        let mut instances = SpreadMinimizing::new(0).unwrap();
        assert!(instances.by_ref().take(200).all(|tokens| tokens.len() == TOKENS));
        instances.ranges.iter_mut().for_each(BinaryHeap::clear);
        assert_eq!(instances.next(), None);
    }
}
