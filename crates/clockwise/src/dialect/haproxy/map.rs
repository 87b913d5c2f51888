//! `hash-type map-based`: the table that a hash is taken modulo of.
//!
//! Slots are dealt out in turns: in each, every server gains its weight, the first of those with the
//! most whole totals in their score is next and pays one total. HAProxy adds up scores for every
//! server in every turn. Here a server only moves when a whole total more is reached, so that a table
//! of T slots costs T × log(servers) instead of T × servers.

use alloc::collections::{BTreeSet, BinaryHeap};
use alloc::vec::Vec;
use core::cmp::Reverse;

use crate::error::Error;
use crate::members::Buckets;
use crate::modulo::MAX_BUCKETS;
use crate::placement::ServerIx;

/// The server of each slot: as many slots as the weights sum to, over their greatest common divisor.
///
/// Refuses more than 2²⁴ slots.
pub(super) fn turns(list: &Buckets) -> Result<Vec<ServerIx>, Error> {
    let divisor = list.active().fold(0, |divisor, (_, server)| gcd(server.weight().get(), divisor));
    let limit = u64::from(MAX_BUCKETS) * u64::from(divisor);
    let total = list.total_weight_within(limit)? / u64::from(divisor.max(1));
    let servers: Vec<(ServerIx, u64)> =
        list.active().map(|(ix, server)| (ix, u64::from(server.weight().get() / divisor.max(1)))).collect();

    // The score of a server after turn t is weight × t − total × (slots it has), and the turn looks
    // at how many whole totals are in it: ⌊weight × t ⁄ total⌋ − slots. Standings are kept in the
    // order of preference, and the heap says when each server has its next whole total.
    let mut standings: BTreeSet<(Reverse<i64>, usize)> = BTreeSet::new();
    let mut wholes = alloc::vec![0_i64; servers.len()];
    let mut rises: BinaryHeap<Reverse<(u64, usize, u64)>> = BinaryHeap::new();
    let rise = |at: usize, count: u64| Reverse(((count * total).div_ceil(servers[at].1), at, count));
    for at in 0..servers.len() {
        standings.insert((Reverse(0), at));
        rises.push(rise(at, 1));
    }
    let mut table = Vec::with_capacity(total as usize);
    for turn in 1..=total {
        while let Some(&Reverse((due, at, count))) = rises.peek()
            && due <= turn
        {
            rises.pop();
            standings.remove(&(Reverse(wholes[at]), at));
            wholes[at] += 1;
            standings.insert((Reverse(wholes[at]), at));
            rises.push(rise(at, count + 1));
        }
        if let Some((_, at)) = standings.pop_first() {
            wholes[at] -= 1;
            standings.insert((Reverse(wholes[at]), at));
            table.push(servers[at].0);
        }
    }
    Ok(table)
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::String;

    use super::*;
    use crate::testing::{Random, list};

    /// HAProxy's own steps, with scores and truncating division.
    fn by_scores(weights: &[i64]) -> Vec<usize> {
        let total: i64 = weights.iter().sum();
        let mut scores = alloc::vec![0_i64; weights.len()];
        let mut table = Vec::new();
        for _ in 0..total {
            let (mut best, mut most) = (None, 0);
            for (at, weight) in weights.iter().enumerate() {
                scores[at] += weight;
                let wholes = (scores[at] + total) / total;
                if best.is_none() || wholes > most {
                    (best, most) = (Some(at), wholes);
                }
            }
            scores[best.unwrap()] -= total;
            table.push(best.unwrap());
        }
        table
    }

    fn of_weights(weights: &[i64]) -> Vec<usize> {
        let names: Vec<String> = (0..weights.len()).map(|i| format!("s{i}")).collect();
        let fleet: Vec<(&str, u32)> =
            names.iter().zip(weights).map(|(name, &weight)| (name.as_str(), weight as u32)).collect();
        turns(&list(&fleet)).unwrap().into_iter().map(ServerIx::index).collect()
    }

    #[test]
    fn slots_are_dealt_as_scores_say() {
        let mut random = Random(0x5eed_0110);
        for round in 0..400 {
            let count = 1 + random.below(12);
            let most = [1, 3, 20, 256][round % 4];
            let mut weights: Vec<i64> = (0..count).map(|_| 1 + random.below(most) as i64).collect();
            let divisor = weights.iter().fold(0, |divisor, &weight| gcd(weight as u32, divisor));
            for weight in &mut weights {
                *weight /= i64::from(divisor);
            }
            let table = of_weights(&weights);
            assert_eq!(table, by_scores(&weights), "round {round}: {weights:?}");
            for (at, &weight) in weights.iter().enumerate() {
                let slots = table.iter().filter(|&&slot| slot == at).count();
                assert_eq!(slots as i64, weight, "round {round}: {weights:?}");
            }
        }
    }

    #[test]
    fn weights_count_over_their_greatest_common_divisor_which_changes_no_answer() {
        let (small, large) = ([2, 3, 1], [200, 300, 100]);
        assert_eq!(of_weights(&large), of_weights(&small));
        let undivided = by_scores(&large);
        for (slot, owner) in undivided.iter().enumerate() {
            assert_eq!(*owner, of_weights(&small)[slot % 6], "slot {slot}");
        }
    }
}
