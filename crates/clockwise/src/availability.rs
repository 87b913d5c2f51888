//! What a loss leaves: which servers must not be lost together.
//!
//! A key that has its copies on *r* servers and needs *q* of them to answer is out of reach when
//! r − q + 1 of the *r* are lost: of three copies and a quorum of two, any two. How many such groups
//! there are is a matter of placement. A ring with one point a server has few, since a server shares
//! keys only with its neighbours; many points make many neighbours, and so a loss of any two servers
//! more and more surely one that some key does not survive.
//!
//! On a ring of random points, and one rack, every server shares keys with about
//! (n − 1) · (1 − (1 − 1 ⁄ (n − 1))^(2v(r − 1))) others: Joseph Lynch and Josh Snyder, "Cassandra
//! Availability with Virtual Nodes" (2018), who count the neighbours as balls in bins. Here they are
//! counted exactly, for whatever places the copies.

use alloc::collections::BTreeSet;
use alloc::string::ToString;
use alloc::vec::Vec;

use crate::error::{Error, Kind};
use crate::placement::{ServerIx, Share};

/// The smallest groups of servers whose loss puts some key out of reach.
///
/// ```
/// use clockwise::{FatalLosses, Members, Ring, Server, hash::Xxh3};
///
/// let servers = (0..12).map(|i| Server::new(format!("cache-{i}")));
/// let members = Members::new(servers.collect::<Result<Vec<_>, _>>()?)?;
/// let ring = Ring::builder(Xxh3).points_per_weight(1).build(&members)?;
/// // Three copies, of which two must answer. Each server shares keys with two on either side.
/// let fatal = FatalLosses::new(12, 2, ring.owners_of_arcs(3))?;
/// assert_eq!((fatal.size(), fatal.count()), (2, 24));
/// assert_eq!(fatal.chance(), clockwise::Share::new(24, 66)); // of all pairs
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FatalLosses {
    size: usize,
    all: u128,
    groups: BTreeSet<Vec<ServerIx>>,
}

impl FatalLosses {
    /// Of `servers` servers, given who holds each key's copies (or each range's: the same group twice
    /// counts once) and how many of them must answer.
    ///
    /// Every group has as many holders, all different; of which `needed` is at most all and at
    /// least one. Refuses others, no group at all, and numbers of groups beyond 2¹²⁸.
    pub fn new<G>(servers: usize, needed: usize, holders: impl IntoIterator<Item = G>) -> Result<Self, Error>
    where
        G: IntoIterator<Item = ServerIx>,
    {
        let mut groups = BTreeSet::new();
        let mut copies = None;
        let mut held = Vec::new();
        let mut lost = Vec::new();
        for group in holders {
            held.clear();
            held.extend(group);
            held.sort_unstable();
            held.dedup();
            if held.len() != *copies.get_or_insert(held.len()) {
                return Err(refuse("number of holders", held.len(), "is not that of the keys before it"));
            }
            if !(1..=held.len()).contains(&needed) {
                return Err(refuse(
                    "number of copies needed",
                    needed,
                    "is none of the copies that there are",
                ));
            }
            choose(&held, held.len() - needed + 1, &mut lost, &mut |group| {
                if !groups.contains(group) {
                    groups.insert(group.to_vec());
                }
            });
        }
        let Some(copies) = copies else { return Err(Error::new(Kind::NoReplicas)) };
        let size = copies - needed + 1;
        let all = ways(servers, size);
        match all.filter(|all| *all >= groups.len() as u128) {
            Some(all) => Ok(FatalLosses { size, all, groups }),
            None => Err(refuse(
                "number of servers",
                servers,
                "is too small for the copies, or too large to count",
            )),
        }
    }

    /// How many servers a group has: so many are lost before anything can be out of reach.
    pub fn size(&self) -> usize {
        self.size
    }

    /// How many groups there are.
    pub fn count(&self) -> usize {
        self.groups.len()
    }

    /// The groups, each in order of its servers.
    pub fn groups(&self) -> impl Iterator<Item = &[ServerIx]> {
        self.groups.iter().map(Vec::as_slice)
    }

    /// Of all groups of that size, the part that is among them: the chance that losing so many
    /// servers at once, any of them as likely, puts some key out of reach.
    pub fn chance(&self) -> Share {
        Share::new(self.groups.len() as u128, self.all)
    }
}

fn refuse(name: &'static str, value: usize, problem: &'static str) -> Error {
    Error::new(Kind::Option { name, value: value.to_string(), problem })
}

/// Every choice of `count` of these, in order.
fn choose(from: &[ServerIx], count: usize, chosen: &mut Vec<ServerIx>, each: &mut impl FnMut(&[ServerIx])) {
    if count == 0 {
        each(chosen);
        return;
    }
    for (at, &server) in from.iter().enumerate() {
        chosen.push(server);
        choose(&from[at + 1..], count - 1, chosen, each);
        chosen.pop();
    }
}

/// How many ways there are to choose `size` of `servers`.
fn ways(servers: usize, size: usize) -> Option<u128> {
    let mut ways = 1_u128;
    for step in 0..size {
        // Divides evenly: it is the number of ways to choose step + 1.
        ways = ways.checked_mul(servers.checked_sub(step)? as u128)? / (step as u128 + 1);
    }
    Some(ways)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    fn group(servers: &[u32]) -> Vec<ServerIx> {
        servers.iter().map(|ix| ServerIx::new(*ix)).collect()
    }

    /// Loses every set of servers of one size in turn and looks at every key.
    #[test]
    fn a_group_is_fatal_exactly_if_some_key_has_too_few_copies_without_it() {
        let mut numbers = Random(0x5eed_0007);
        for round in 0..300 {
            let servers = 3 + numbers.below(7) as u32;
            let copies = 1 + numbers.below(3.min(u64::from(servers))) as usize;
            let needed = 1 + numbers.below(copies as u64) as usize;
            let keys: Vec<Vec<ServerIx>> = (0..=numbers.below(6))
                .map(|_| {
                    let mut left: Vec<u32> = (0..servers).collect();
                    let take = |_| left.swap_remove(numbers.below(left.len() as u64) as usize);
                    group(&(0..copies).map(take).collect::<Vec<u32>>())
                })
                .collect();
            let fatal = FatalLosses::new(servers as usize, needed, keys.iter().cloned()).unwrap();
            let (mut size, mut all, mut out) = (0, 0, Vec::new());
            for lost in 1_u32..1 << servers {
                let gone = |ix: &&ServerIx| lost & (1 << ix.get()) != 0;
                if lost.count_ones() as usize != copies - needed + 1 {
                    continue;
                }
                (size, all) = (lost.count_ones() as usize, all + 1);
                if keys.iter().any(|key| key.len() - key.iter().filter(gone).count() < needed) {
                    out.push(group(&(0..servers).filter(|ix| lost & (1 << ix) != 0).collect::<Vec<u32>>()));
                }
            }
            out.sort();
            assert!(fatal.groups().eq(out.iter().map(Vec::as_slice)), "round {round}");
            assert_eq!((fatal.size(), fatal.count()), (size, out.len()));
            assert_eq!(fatal.chance(), Share::new(out.len() as u128, all));
        }
    }

    #[test]
    fn what_is_no_question_is_refused_with_its_number() {
        let two = || [group(&[0, 1])];
        for (error, text) in [
            (FatalLosses::new(3, 3, two()), "number of copies needed 3 is none"),
            (FatalLosses::new(3, 0, two()), "number of copies needed 0 is none"),
            (FatalLosses::new(1, 1, two()), "number of servers 1 is too small"),
            (FatalLosses::new(usize::MAX, 1, [group(&[0, 1, 2, 3, 4, 5, 6])]), "too large to count"),
            (FatalLosses::new(3, 1, [group(&[0, 1]), group(&[2])]), "number of holders 1 is not that"),
            (FatalLosses::new(3, 1, [] as [Vec<ServerIx>; 0]), "replicas must be at least 1"),
        ] {
            let error = error.unwrap_err();
            assert!(error.is_parameter() && error.to_string().contains(text), "{error}");
        }
    }

    #[test]
    fn ways_are_those_of_pascals_triangle() {
        assert_eq!([0, 1, 2, 3, 6, 7].map(|size| ways(6, size)), [1, 6, 15, 20, 1, 0].map(Some));
        assert_eq!(ways(2, 3), Some(0));
        assert_eq!(ways(2, 4), None);
    }
}
