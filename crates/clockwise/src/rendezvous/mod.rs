//! Rendezvous, or highest random weight: every server has a score for a key, and the highest owns
//! it.
//!
//! Papers: David Thaler and Chinya Ravishankar, *Using Name-Based Mappings to Increase Hit Rates*,
//! IEEE/ACM Transactions on Networking 6(1), 1998 (first a technical report, 1996). Weights by the
//! logarithm: Christian Schindelhauer and Gunnar Schomaker, *Weighted Distributed Hash Tables*,
//! SPAA 2005, the logarithmic method.
//!
//! | of the native placement | |
//! |---|---|
//! | key hash k | xxh3-64, seed 0, over the key's bytes |
//! | server seed s | xxh3-64, seed 0, over the name's bytes |
//! | score | 32 bits of k and s by two multiplications: [`Native`] |
//! | owner, weights equal | the highest score |
//! | owner, weights different | the lowest −ln(u) ⁄ w, u = (score + ½) ⁄ 2³², in binary64 with the logarithm below |
//! | ties | the bytewise smaller name |
//! | preference list | the following scores, or values, in order |
//!
//! The two rules for the owner agree: with equal weights, −ln(u) ⁄ w falls strictly as the score
//! rises, for all 2³² scores. So a first server of another weight moves only the keys that it wins
//! or loses.
//!
//! The logarithm is ours, of `+ - * /` and bit moves in a fixed order, because a platform's may
//! differ in the last bit: u = m × 2^e with m in (√½, √2], f = (m − 1) ⁄ (m + 1), g = f², and
//! −ln(u) = −e × ln 2 − (2f + 2f × (g × (⅓ + g × (⅕ + … g × 1⁄19)))).

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::ops::ControlFlow;

mod few;
mod lanes;
mod score;
#[cfg(test)]
mod tests;
mod walk;

pub use score::{Native, Score, Ties};
pub use walk::Owners;

pub(crate) use lanes::Seeds;

use few::{FEW, Few};
use lanes::Found;

use crate::arch::Level;
use crate::error::Error;
use crate::hash::KeyHash;
use crate::ln::{NEAR, neg_ln, neg_ln_near};
use crate::members::Members;
use crate::placement::{
    Measured, Placement, Ranked, ServerIx, Servers, Share, owners_of_hashes, weight_shares,
};
use crate::server::Server;

/// The most that the weights of a fleet may come to: 2²⁴ (16,777,216).
///
/// A score has 32 bits. A server of weight 1 in such a fleet still has 256 scores to win with, and
/// its share is exact to one part in a million.
pub const MAX_TOTAL_WEIGHT: u64 = 1 << 24;

/// Rendezvous hashing over a set of servers. Immutable; clones share the servers.
///
/// No table, any server may come or go, and a key's replicas are its next scores. A lookup scores
/// every server, so its cost grows with the fleet.
///
/// ```
/// use clockwise::hash::Xxh3;
/// use clockwise::{Members, Rendezvous, Server};
///
/// let members = Members::new([Server::new("a")?, Server::new("b")?, Server::new("c")?])?;
/// let place = Rendezvous::new(Xxh3, &members)?;
/// let replicas: Vec<_> = place.owners("user:42", 2).collect();
/// assert_eq!(replicas[0], place.owner("user:42"));
///
/// // Without its owner the key goes to the next of them, and no other key moves.
/// let fewer = Rendezvous::new(Xxh3, &members.without(replicas[0].name().as_str())?)?;
/// assert_eq!(fewer.owner("user:42"), replicas[1]);
/// # Ok::<(), clockwise::Error>(())
/// ```
pub struct Rendezvous<S: Score = Native> {
    score: S,
    inner: Arc<Inner<S::Server>>,
}

struct Inner<T> {
    servers: Arc<[Server]>,
    /// The active servers, in order of their names.
    active: Vec<ServerIx>,
    /// The same, ready for scoring.
    ready: Vec<T>,
    /// Their weights; empty where all are equal and need no logarithm.
    weights: Vec<f64>,
    /// The same servers in lanes, if the score is the native one.
    seeds: Option<Seeds>,
}

/// A server's place in a key's preference list: the smaller, the more preferred. There are no more than
/// [`MAX_TOTAL_WEIGHT`] servers, so that half of the ties are never met.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    /// The complement of the score; or the bits of −ln(u) ⁄ w, which order as the numbers do,
    /// none of them being negative.
    value: u64,
    /// The position among the active servers, or its complement in 31 bits where the larger name wins.
    tie: u32,
}

impl Rank {
    /// Behind every server.
    const ABOVE: Rank = Rank { value: u64::MAX, tie: u32::MAX };

    const fn flip<S: Score>() -> u32 {
        match S::TIES {
            Ties::SmallerName => 0,
            Ties::LargerName => u32::MAX / 2,
        }
    }

    fn new<S: Score>(value: u64, at: usize) -> Rank {
        Rank { value, tie: at as u32 ^ Rank::flip::<S>() }
    }

    fn of_score<S: Score>((score, at): Found<u32>) -> Rank {
        Rank::new::<S>(!u64::from(score), at)
    }

    fn of_value<S: Score>((value, at): Found<f64>) -> Rank {
        Rank::new::<S>(value.to_bits(), at)
    }

    /// The position among the active servers.
    fn at<S: Score>(self) -> usize {
        (self.tie ^ Rank::flip::<S>()) as usize
    }
}

impl<H: KeyHash> Rendezvous<Native<H>> {
    /// The placement by the native score; any key hash of 64 bits.
    ///
    /// Refuses a hash of 32 bits, and weights that come to more than [`MAX_TOTAL_WEIGHT`].
    pub fn new(hash: H, members: &Members) -> Result<Rendezvous<Native<H>>, Error> {
        Rendezvous::with_score(Native::new(hash)?, members)
    }

    /// The owner of a key that the caller has hashed.
    #[inline]
    pub fn owner_of_hash(&self, hash: u64) -> ServerIx {
        self.inner.active[self.best(&hash)]
    }

    owners_of_hashes!();

    /// The same placement with loops for other instructions than the [best](Level::best): every
    /// answer stays.
    #[must_use]
    pub fn at_level(self, level: Level) -> Rendezvous<Native<H>> {
        let Inner { servers, active, ready, weights, seeds } = &*self.inner;
        let inner = Inner {
            servers: servers.clone(),
            active: active.clone(),
            ready: ready.clone(),
            weights: weights.clone(),
            seeds: seeds.as_ref().map(|seeds| seeds.at_level(level)),
        };
        Rendezvous { score: self.score, inner: Arc::new(inner) }
    }

    /// The key hash.
    pub fn hash(&self) -> &H {
        self.score.hash()
    }
}

impl<S: Score> Rendezvous<S> {
    /// The placement by any recipe. Refuses weights that come to more than [`MAX_TOTAL_WEIGHT`].
    pub fn with_score(score: S, members: &Members) -> Result<Rendezvous<S>, Error> {
        const { assert!(1 <= S::BITS && S::BITS <= 64, "a score has 1 to 64 bits") }
        members.total_weight_within(MAX_TOTAL_WEIGHT)?;
        let weights: Vec<f64> = members.active().map(|(_, s)| f64::from(s.weight().get())).collect();
        let equal = members.active().zip(members.active().skip(1)).all(|(a, b)| a.1.weight() == b.1.weight());
        let ready: Vec<S::Server> = members.active().map(|(_, server)| score.server(server.name())).collect();
        let weights = if equal { Vec::new() } else { weights };
        let native: Option<Vec<u64>> = ready.iter().map(S::native_server).collect();
        let inner = Inner {
            servers: members.shared(),
            active: members.active().map(|(ix, _)| ix).collect(),
            seeds: native.map(|seeds| Seeds::new(&seeds, &weights)),
            ready,
            weights,
        };
        Ok(Rendezvous { score, inner: Arc::new(inner) })
    }

    /// The owner of a key.
    #[inline]
    pub fn owner(&self, key: impl AsRef<[u8]>) -> &Server {
        &self.inner.servers[self.owner_ix(key).index()]
    }

    /// The owner of a key, as an index into the [servers](Self::servers).
    #[inline]
    pub fn owner_ix(&self, key: impl AsRef<[u8]>) -> ServerIx {
        self.inner.active[self.best(&self.score.key(key.as_ref()))]
    }

    /// The first `count` servers of a key's preference list, its owner first; fewer if fewer are
    /// active. Allocates only beyond eight servers.
    ///
    /// Scores are worked out as the list is walked, so the iterator borrows the key.
    pub fn owners<'a, K: AsRef<[u8]> + ?Sized>(
        &'a self,
        key: &'a K,
        count: usize,
    ) -> Servers<'a, Owners<'a, S>> {
        Servers::new(&self.inner.servers, self.owners_ix(key, count))
    }

    /// The same, as indices into [`Rendezvous::servers`].
    pub fn owners_ix<'a, K: AsRef<[u8]> + ?Sized>(&'a self, key: &'a K, count: usize) -> Owners<'a, S> {
        Owners::new(self, self.score.key(key.as_ref()), count)
    }

    /// The servers, draining ones included. A [`ServerIx`] is a position in this slice.
    pub fn servers(&self) -> &[Server] {
        &self.inner.servers
    }

    /// The recipe.
    pub fn score(&self) -> &S {
        &self.score
    }

    /// The key and the servers in lanes, where that is the faster way to the same answers.
    #[inline]
    fn in_lanes(&self, key: &S::Key<'_>) -> Option<(u64, &Seeds)> {
        S::native_key(key).zip(self.inner.seeds.as_ref().filter(|seeds| seeds.pay()))
    }

    /// The position, among the active servers, of a key's owner.
    #[inline]
    fn best(&self, key: &S::Key<'_>) -> usize {
        let weights = &self.inner.weights;
        match self.in_lanes(key) {
            Some((key, seeds)) if weights.is_empty() => seeds.highest(key),
            Some((key, seeds)) => seeds.lowest(key, weights, None).map_or(0, |(_, at)| at),
            None if weights.is_empty() => self.highest(key),
            None => self.lowest(key),
        }
    }

    /// The servers that a preference list begins with, so many of them or [`FEW`], in one pass.
    fn best_few(&self, key: &S::Key<'_>, most: usize) -> Few<Rank> {
        match most {
            ..=2 => self.best_few_of::<2>(key),
            3 => self.best_few_of::<3>(key),
            _ => self.best_few_of::<FEW>(key),
        }
    }

    // Within the iterator its three forms together took a tenth to a third longer.
    #[inline(never)]
    fn best_few_of<const MOST: usize>(&self, key: &S::Key<'_>) -> Few<Rank> {
        let weights = &self.inner.weights;
        match self.in_lanes(key) {
            Some((key, seeds)) if weights.is_empty() => {
                // A third in the same pass would cost more than a pass behind the second, up to some
                // hundred servers.
                Few::full(seeds.two_highest(key)).map(Rank::of_score::<S>)
            }
            Some((key, seeds)) => seeds.few_lowest::<MOST>(key, weights).map(Rank::of_value::<S>),
            None => self.few_one_by_one::<MOST>(key, None),
        }
    }

    /// The first servers, or of those behind another the first, without lanes.
    fn few_one_by_one<const MOST: usize>(&self, key: &S::Key<'_>, last: Option<Rank>) -> Few<Rank> {
        let weights = &self.inner.weights;
        if S::BITS <= 32 && weights.is_empty() {
            // Both parts of a rank fit one number.
            let mut few: Few<u64, MOST> = Few::new(u64::MAX);
            for (at, server) in self.inner.ready.iter().enumerate() {
                let rank = Rank::new::<S>(!self.score.score(key, server), at);
                let counts = last.is_none_or(|last| rank > last);
                few.sift(if counts { rank.value << 32 | u64::from(rank.tie) } else { u64::MAX });
            }
            return few.map(|packed| Rank { value: packed >> 32 | !0 << 32, tie: packed as u32 });
        }
        let mut few: Few<Rank, MOST> = Few::new(Rank::ABOVE);
        // As in `exactly_lowest`.
        let mut limit = f64::INFINITY;
        for (at, server) in self.inner.ready.iter().enumerate() {
            let score = self.score.score(key, server);
            let weight = weights.get(at);
            let value = match weight {
                None => !score,
                Some(weight) => {
                    let u = unit::<S>(score);
                    if 1.0 - u > limit * weight {
                        continue;
                    }
                    (neg_ln(u) / weight).to_bits()
                }
            };
            let rank = Rank::new::<S>(value, at);
            if last.is_none_or(|last| rank > last)
                && few.keep(rank)
                && weight.is_some()
                && let Some(last) = few.last()
            {
                limit = f64::from_bits(last.value) * 1.000_001;
            }
        }
        few.map(|rank| rank)
    }

    /// The server behind another in the preference list of a key.
    fn following(&self, key: &S::Key<'_>, last: Rank) -> Option<Rank> {
        let (weights, at) = (&self.inner.weights, last.at::<S>());
        match self.in_lanes(key) {
            Some((key, seeds)) if weights.is_empty() => {
                seeds.next_highest(key, (!last.value as u32, at)).map(Rank::of_score::<S>)
            }
            Some((key, seeds)) => {
                let next = seeds.lowest(key, weights, Some((f64::from_bits(last.value), at)));
                next.map(Rank::of_value::<S>)
            }
            None => self.few_one_by_one::<1>(key, Some(last)).as_slice().first().copied(),
        }
    }

    /// The ranks behind another, in no order.
    fn behind(&self, key: &S::Key<'_>, last: Rank) -> impl Iterator<Item = Rank> {
        (0..self.inner.active.len()).map(|at| self.rank(key, at)).filter(move |rank| *rank > last)
    }

    fn highest(&self, key: &S::Key<'_>) -> usize {
        let (mut best, mut at) = (0, 0);
        for (i, server) in self.inner.ready.iter().enumerate() {
            let score = self.score.score(key, server);
            let better = match S::TIES {
                Ties::SmallerName => score > best,
                Ties::LargerName => score >= best,
            };
            if better {
                (best, at) = (score, i);
            }
        }
        at
    }

    fn lowest(&self, key: &S::Key<'_>) -> usize {
        let clear = if self.inner.ready.len() <= ROUGH { self.clearly_lowest(key) } else { None };
        clear.unwrap_or_else(|| self.exactly_lowest(key))
    }

    /// The server with the lowest value, if that is clear without a whole logarithm: if the second lowest is
    /// further away than both can be off. Weights are at least 1, so that they only bring values closer.
    ///
    /// Values above 0 are ordered as their bits are, and the lowest bits have room for the position: so there
    /// is nothing to branch on.
    fn clearly_lowest(&self, key: &S::Key<'_>) -> Option<usize> {
        const { assert!(ROUGH <= 64) }
        let (mut best, mut second) = (f64::INFINITY.to_bits(), f64::INFINITY.to_bits());
        for (at, (server, &weight)) in (0..).zip(self.inner.ready.iter().zip(&self.inner.weights)) {
            let value = (neg_ln_near(unit::<S>(self.score.score(key, server))) + NEAR) / weight;
            let packed = value.to_bits() & !63 | at;
            second = second.min(packed.max(best));
            best = best.min(packed);
        }
        let apart = f64::from_bits(second) - f64::from_bits(best);
        (apart > 4.0 * NEAR).then_some(best as usize % 64)
    }

    fn exactly_lowest(&self, key: &S::Key<'_>) -> usize {
        let (mut best, mut at) = (f64::INFINITY, 0);
        // −ln(u) is at least 1 − u, so most servers are told apart without a logarithm. The slack
        // covers the rounding of both sides many times over.
        let mut limit = f64::INFINITY;
        for (i, (server, &weight)) in self.inner.ready.iter().zip(&self.inner.weights).enumerate() {
            let u = unit::<S>(self.score.score(key, server));
            if 1.0 - u > limit * weight {
                continue;
            }
            let value = neg_ln(u) / weight;
            let better = match S::TIES {
                Ties::SmallerName => value < best,
                Ties::LargerName => value <= best,
            };
            if better {
                (best, at, limit) = (value, i, value * 1.000_001);
            }
        }
        at
    }

    /// The rank of the active server at a position.
    fn rank(&self, key: &S::Key<'_>, at: usize) -> Rank {
        let score = self.score.score(key, &self.inner.ready[at]);
        let value = match self.inner.weights.get(at) {
            None => !score,
            Some(weight) => (neg_ln(unit::<S>(score)) / weight).to_bits(),
        };
        Rank::new::<S>(value, at)
    }
}

/// Up to so many servers a rough logarithm of each is faster than a bound of each and a few whole ones.
const ROUGH: usize = 40;

#[inline]
fn unit<S: Score>(score: u64) -> f64 {
    unit_of(score, S::BITS)
}

/// (score + ½) ⁄ 2^bits, rounded to binary64: above 0, and 1 at most.
#[inline(always)]
fn unit_of(score: u64, bits: u32) -> f64 {
    // A signed number becomes a float in one instruction.
    let score = if bits < 64 { score.cast_signed() as f64 } else { score as f64 };
    (score + 0.5) * f64::from_bits((1023 - u64::from(bits)) << 52)
}

impl<S: Score> Placement for Rendezvous<S> {
    fn servers(&self) -> &[Server] {
        &self.inner.servers
    }

    fn owner_ix(&self, key: &[u8]) -> ServerIx {
        Rendezvous::owner_ix(self, key)
    }

    fn owners_of(&self, keys: &[&[u8]], owners: &mut [ServerIx]) {
        let keys = &keys[..keys.len().min(owners.len())];
        let mut owners = owners.iter_mut();
        self.score.keys(keys, |key| {
            if let Some(owner) = owners.next() {
                *owner = self.inner.active[self.best(&key)];
            }
        });
    }

    fn ranked(&self) -> Option<&dyn Ranked> {
        Some(self)
    }

    fn measured(&self) -> Option<&dyn Measured> {
        Some(self)
    }
}

impl<S: Score> Ranked for Rendezvous<S> {
    fn visit_preference(&self, key: &[u8], visit: &mut dyn FnMut(ServerIx) -> ControlFlow<()>) {
        let _ = self.owners_ix(key, usize::MAX).try_for_each(visit);
    }
}

impl<S: Score> Measured for Rendezvous<S> {
    /// Weight of total weight: what each server expects of all keys that could be.
    fn shares(&self) -> Vec<Share> {
        weight_shares(&self.inner.servers)
    }
}

impl<S: Score + Clone> Clone for Rendezvous<S> {
    fn clone(&self) -> Rendezvous<S> {
        Rendezvous { score: self.score.clone(), inner: self.inner.clone() }
    }
}

impl<S: Score> fmt::Debug for Rendezvous<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rendezvous")
            .field("servers", &self.inner.servers.len())
            .field("weighted", &!self.inner.weights.is_empty())
            .finish_non_exhaustive()
    }
}
