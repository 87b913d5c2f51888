//! The first tokens of a ring: the widest range is cut, again and again.
//!
//! | parameter | value |
//! |---|---|
//! | range | the widest; of equally wide ones the first, counted from the one that ends at the lowest token |
//! | ratio | 1 − 1 ⁄ √5 + 0.075 × a random number from 0 to 1 |
//! | random numbers | Java's, seeded with the number of tokens before |
//!
//! Source: Apache Cassandra, `TokenAllocatorBase.generateSplits`.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::arc;
use super::java::Random;

/// 1 − 1 ⁄ √5, computed in binary64 as there, and the width of the interval above it.
const LEAST: f64 = 0.552_786_404_500_042_1;
const MOST: f64 = LEAST + 0.075;

/// So many tokens for one unit. `first` is the first of a ring that has none.
pub(super) fn tokens(owners: &BTreeMap<i64, u32>, count: usize, first: i64) -> Vec<i64> {
    let mut ring: Vec<i64> = owners.keys().copied().collect();
    let mut random = Random::new(ring.len() as u64);
    let mut tokens = Vec::with_capacity(count);
    if ring.is_empty() && count > 0 {
        tokens.push(first);
        ring.push(first);
    }
    while tokens.len() < count {
        let (start, end) = widest(&ring);
        let token = arc::split(start, end, LEAST + (MOST - LEAST) * random.next_double());
        tokens.push(token);
        ring.insert(ring.partition_point(|&other| other < token), token);
    }
    tokens
}

/// The widest range of a ring that has tokens.
fn widest(ring: &[i64]) -> (i64, i64) {
    let mut widest = (0.0, (0, 0));
    let mut start = ring[ring.len() - 1];
    for &end in ring {
        let size = arc::size(start, end);
        if size > widest.0 {
            widest = (size, (start, end));
        }
        start = end;
    }
    widest.1
}
