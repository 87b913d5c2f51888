//! One replica: the units that own most each give a part of their widest ranges.
//!
//! | step | |
//! |---|---|
//! | who gives | the heaviest units, while each is heavier than the mean of those taken, itself, and the newcomer |
//! | until it weighs | that mean, plus a spread that the heaviest gets most of: targets differ, so that units do not all split at once later |
//! | how many ranges | tokens ÷ givers, one more for the first ones; of each giver its widest |
//! | where each is cut | at what it gives ÷ what these ranges weigh, but from 0.1 to 0.9; the newcomer gets what is before |
//!
//! Source: Apache Cassandra, `NoReplicationTokenAllocator`.

use alloc::collections::BTreeMap;
use alloc::string::ToString;
use alloc::vec::Vec;

use super::arc;
use super::java::Heap;
use crate::error::{Error, Kind};

const MOST_TAKEN: f64 = 0.90;
const LEAST_TAKEN: f64 = 1.0 - MOST_TAKEN;

/// A range by its ends.
type Range = (i64, i64);

/// So many tokens for one unit more. The ring has at least as many.
pub(super) fn tokens(owners: &BTreeMap<i64, u32>, units: usize, count: usize) -> Result<Vec<i64>, Error> {
    let (mut units_with_tokens, mut heaviest) = (0, Heap::with_capacity(units));
    let mut ranges: Vec<Heap<Range>> = (0..units).map(|_| Heap::with_capacity(0)).collect();
    let mut owned = alloc::vec![0.0; units];
    let mut start = owners.last_key_value().map_or(0, |(&token, _)| token);
    for (&end, &unit) in owners {
        let size = arc::size(start, end);
        owned[unit as usize] += size;
        ranges[unit as usize].push(size, (start, end));
        start = end;
    }
    for (unit, &weight) in owned.iter().enumerate() {
        if ranges[unit].peek().is_some() {
            units_with_tokens += 1;
            heaviest.push(weight, unit);
        }
    }

    let (givers, mean) = givers(&mut heaviest, count);
    let correction = f64::min(1.0, (count as f64 + 1.0) / (f64::from(units_with_tokens) + 1.0));
    let spread = mean * correction * 2.0 / (2 * count + 1) as f64;
    let step = spread / givers.len() as f64;
    let mut target = mean + spread / 2.0;
    let mut tokens = Vec::with_capacity(count);
    for (number, &(weight, unit)) in givers.iter().enumerate() {
        let gives = count / givers.len() + usize::from(number < count % givers.len());
        let (mut work, mut cut) = (0.0, Vec::with_capacity(gives));
        for _ in 0..gives {
            let Some((size, range)) = ranges[unit].pop() else {
                return Err(Error::new(Kind::Option {
                    name: "number of tokens",
                    value: count.to_string(),
                    problem: "is too large: a unit has fewer than it should give",
                }));
            };
            work += size;
            cut.push(range);
        }
        let taken = weight - target;
        let ratio = if taken < work { (taken / work).clamp(LEAST_TAKEN, MOST_TAKEN) } else { MOST_TAKEN };
        tokens.extend(cut.into_iter().map(|(start, end)| arc::split(start, end, ratio)));
        target -= step;
    }
    Ok(tokens)
}

/// The units that give, the heaviest first, and what each should weigh in the mean.
fn givers(heaviest: &mut Heap<usize>, count: usize) -> (Vec<(f64, usize)>, f64) {
    let (mut givers, mut sum, mut mean) = (Vec::new(), 0.0, 0.0);
    while givers.len() < count {
        let Some(&(weight, _)) = heaviest.peek() else { break };
        sum += weight;
        // Of those taken, this one, and the newcomer.
        let with_this = sum / (givers.len() + 2) as f64;
        if weight <= with_this {
            break;
        }
        givers.extend(heaviest.pop());
        mean = with_this;
    }
    (givers, mean)
}
