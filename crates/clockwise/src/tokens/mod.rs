//! Deliberate placement of points: where a joining unit's tokens divide a ring most evenly.
//!
//! Points that hashes place leave the busiest of *n* servers well above the mean, the more so the
//! fewer points each has. A unit that joins can instead look at the ring and put its tokens where
//! they take most from those that have most. A few tokens each then do what hundreds of random ones
//! do not, and the price is that where a token goes depends on all that came before.
//!
//! This is the allocator of Apache Cassandra 4.0, token for token. It has two ways:
//!
//! | | one replica | more than one |
//! |---|---|---|
//! | evens out | what each unit owns of the ring | what it holds as a replica of it, over distinct groups |
//! | takes from | the units that own most, of each its widest ranges | whatever range's middle lowers the variance most |
//! | a token goes | a ratio into a range, which is cut as a decimal number | in the middle of a range |
//!
//! While there are fewer units than replicas, fewer groups than replicas, or fewer tokens than are
//! asked for, the widest range is cut again and again at a ratio from 0.5528 to 0.6278, drawn from a
//! generator that is seeded with the number of tokens. So but for the first token of all, nothing is
//! random: a ring that grows from nothing is always the same up to a turn.
//!
//! Tokens are signed numbers of 64 bits on a circle, as in Cassandra; `token + 2⁶³` is a position of
//! this library's rings (see [`CassandraMurmur3`](crate::hash::CassandraMurmur3)). Which allocator
//! a cluster's settings ask for, and over which nodes, says
//! [`dialect::cassandra`](crate::dialect::cassandra).
//!
//! Source: Apache Cassandra, `org.apache.cassandra.dht.tokenallocator`, Apache licence 2.0; the idea
//! of the replication-aware allocator: Branimir Lambov, CASSANDRA-7032 and CASSANDRA-15600. Checked
//! against its classes of 4.0-rc1 on JDK 17. Units of exactly equal weight come in the order in which
//! they joined here, and in that of a hash table there.

use alloc::collections::BTreeMap;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::num::NonZeroU32;

mod arc;
mod java;
mod no_replication;
mod replication_aware;
mod splits;
#[cfg(test)]
mod tests;

use crate::error::{Error, Kind};
use crate::placement::Share;
use crate::ring::MAX_POINTS;

/// A ring of units with tokens, which finds tokens for the next unit to join.
///
/// ```
/// use std::num::NonZeroU32;
/// use clockwise::tokens::Allocator;
///
/// let (replicas, tokens) = (NonZeroU32::new(3).unwrap(), NonZeroU32::new(4).unwrap());
/// let mut allocator = Allocator::new(replicas);
/// for unit in 0..24 {
///     allocator.join(unit, tokens, -99_999_999_999)?; // each in a group of its own
/// }
/// let shares = allocator.shares();
/// let busiest = shares.iter().max().expect("units").as_f64();
/// assert!((busiest / (3.0 / 24.0) - 1.066).abs() < 0.001); // of random tokens, far more
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Allocator {
    replicas: u32,
    /// The unit of each token.
    owners: BTreeMap<i64, u32>,
    /// The group of each unit.
    groups: Vec<u32>,
}

impl Allocator {
    /// A ring without units, each range of which will have so many replicas, in distinct groups.
    pub fn new(replicas: NonZeroU32) -> Allocator {
        Allocator { replicas: replicas.get(), owners: BTreeMap::new(), groups: Vec::new() }
    }

    /// Puts a unit into the ring that has its tokens already, and says its number: units are
    /// numbered from 0.
    ///
    /// Refuses a token that another unit has, and more than [`MAX_POINTS`] of them in all.
    pub fn insert(&mut self, group: u32, tokens: impl IntoIterator<Item = i64>) -> Result<u32, Error> {
        let mut tokens: Vec<i64> = tokens.into_iter().collect();
        tokens.sort_unstable();
        let twice = tokens.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0]);
        let token_taken = tokens.iter().copied().find(|token| self.owners.contains_key(token));
        if let Some(token) = twice.or(token_taken) {
            return Err(taken(token));
        }
        within_limit(self.owners.len() as u64 + tokens.len() as u64)?;
        let unit = self.groups.len() as u32;
        self.owners.extend(tokens.into_iter().map(|token| (token, unit)));
        self.groups.push(group);
        Ok(unit)
    }

    /// The tokens of a unit that joins, in ascending order; the ring then has them. `first` is the
    /// first token of a ring that has none, which Cassandra draws at random, and otherwise unused.
    ///
    /// Refuses more than [`MAX_POINTS`] tokens in all; with one replica, to take tokens from a unit
    /// that has fewer than it should give; and a ring whose ranges are too narrow to be cut.
    pub fn join(&mut self, group: u32, tokens: NonZeroU32, first: i64) -> Result<Vec<i64>, Error> {
        within_limit(self.owners.len() as u64 + u64::from(tokens.get()))?;
        let count = tokens.get() as usize;
        let mut found = if count > self.owners.len() || !self.is_allocated() {
            splits::tokens(&self.owners, count, first)
        } else if self.replicas == 1 {
            no_replication::tokens(&self.owners, self.groups.len(), count)?
        } else {
            replication_aware::tokens(&self.owners, &self.groups, self.replicas, group, count)
        };
        found.sort_unstable();
        // Refused where a range was a single token wide, so that two stand in one place.
        self.insert(group, found.iter().copied())?;
        Ok(found)
    }

    /// Whether the ring has what the allocators go by; before that it is only split.
    fn is_allocated(&self) -> bool {
        let distinct = |mut numbers: Vec<u32>| {
            numbers.sort_unstable();
            numbers.dedup();
            numbers
        };
        let units = distinct(self.owners.values().copied().collect());
        let groups = distinct(units.iter().map(|&unit| self.groups[unit as usize]).collect());
        // One replica needs a unit to take from, and no group.
        groups.len() >= self.replicas as usize
    }

    /// The tokens with their units, ascending.
    pub fn tokens(&self) -> impl Iterator<Item = (i64, u32)> {
        self.owners.iter().map(|(&token, &unit)| (token, unit))
    }

    /// What each unit holds of the circle: the ranges of which it is one of the replicas. They sum
    /// to the number of replicas, or to the number of groups where there are fewer.
    ///
    /// A range's replicas are the first tokens of distinct groups from its end on.
    pub fn shares(&self) -> Vec<Share> {
        const WHOLE: u128 = 1 << 64;
        let tokens: Vec<(i64, u32)> = self.tokens().collect();
        let mut parts = alloc::vec![0_u128; self.groups.len()];
        let mut seen: Vec<u32> = Vec::new();
        for (at, &(end, _)) in tokens.iter().enumerate() {
            let start = tokens[(at + tokens.len() - 1) % tokens.len()].0;
            let length = match end.wrapping_sub(start).cast_unsigned() {
                // A ring of one token.
                0 => WHOLE,
                length => length.into(),
            };
            seen.clear();
            for &(_, unit) in tokens[at..].iter().chain(&tokens[..at]) {
                if seen.len() == self.replicas as usize {
                    break;
                }
                let group = self.groups[unit as usize];
                if !seen.contains(&group) {
                    seen.push(group);
                    parts[unit as usize] += length;
                }
            }
        }
        parts.into_iter().map(|part| Share::new(part, WHOLE)).collect()
    }
}

fn taken(token: i64) -> Error {
    Error::new(Kind::Option { name: "token", value: token.to_string(), problem: "is there already" })
}

fn within_limit(tokens: u64) -> Result<(), Error> {
    if tokens > MAX_POINTS {
        return Err(Error::new(Kind::TooManyPoints { points: tokens.into(), limit: MAX_POINTS }));
    }
    Ok(())
}
