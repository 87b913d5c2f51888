//! What a change moves: before and after, key by key or exactly for the whole hash space.
//!
//! | word | meaning |
//! |---|---|
//! | target share of a server | its weight ÷ the total weight of the active servers |
//! | minimum of a change | half the sum of \|target share after − before\| over all servers |
//! | stray move | one whose old owner's target share does not fall, or whose new owner's does not rise |
//! | busiest ÷ mean | the largest share ÷ target share, of keys, of requests, or of arcs |
//!
//! Moved ÷ minimum may be under one: the newcomer then drew less than its share. A stray move can
//! never be needed, because its keys could have stayed without making the split any worse.
//!
//! Servers are the same if their *names* are: a new address moves nothing.

use alloc::vec::Vec;

mod alike;
mod arcs;
mod ledger;
#[cfg(test)]
mod tests;

pub use arcs::ArcMoves;

use ledger::{Amount, Ledger};

use crate::placement::{Placement, ServerIx, Share};
use crate::server::{Server, ServerName};

/// Keys, and what they stand for.
///
/// Sums stop at `u64::MAX` instead of wrapping.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tally {
    /// Number of keys.
    pub keys: u64,
    /// Requests for them, in whatever time they were counted over; 0 where it is not known.
    pub requests: u64,
    /// Bytes they hold; 0 where it is not known.
    pub bytes: u64,
}

impl Tally {
    /// One key of which nothing else is known.
    pub const KEY: Tally = Tally { keys: 1, requests: 0, bytes: 0 };
}

/// Ordered by keys, then requests, then bytes.
impl Amount for Tally {
    fn add(&mut self, other: Tally) {
        self.keys = self.keys.saturating_add(other.keys);
        self.requests = self.requests.saturating_add(other.requests);
        self.bytes = self.bytes.saturating_add(other.bytes);
    }
}

/// What went from one server to another.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Flow<T = Tally> {
    /// The owner before.
    pub from: ServerName,
    /// The owner after.
    pub to: ServerName,
    /// How much.
    pub moved: T,
    /// Whether all of it moved for nothing.
    pub stray: bool,
}

/// One server before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerMoves<T = Tally> {
    /// Its name, the same on both sides.
    pub name: ServerName,
    /// Its weight ÷ total weight before; nothing if it was not there or drained.
    pub target_before: Share,
    /// Its weight ÷ total weight after; nothing if it is gone or drains.
    pub target_after: Share,
    /// What it owned before.
    pub before: T,
    /// What it owns after.
    pub after: T,
}

/// Busiest ÷ mean on both sides of a change. 1 is a perfect split.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BusiestOverMean {
    /// The largest share ÷ target share before.
    pub before: f64,
    /// The largest share ÷ target share after.
    pub after: f64,
}

/// What a change moves; of counted keys ([`Tally`]) unless it is of [arcs](ArcMoves).
///
/// ```
/// use clockwise::hash::Xxh3;
/// use clockwise::{Members, Moves, Ring, Server};
///
/// let members = Members::new([Server::new("a")?, Server::new("b")?, Server::new("c")?])?;
/// let before = Ring::builder(Xxh3).build(&members)?;
/// let after = Ring::builder(Xxh3).build(&members.with(Server::new("d")?)?)?;
///
/// let keys = (0..10_000).map(|i| format!("user:{i}"));
/// let moves = Moves::count_keys(&before, &after, keys);
/// assert_eq!(moves.total().keys, 10_000);
/// assert_eq!(moves.stray().keys, 0);
/// assert!(moves.flows().iter().all(|flow| flow.to.as_str() == "d"));
///
/// // Exactly, for every key there could be:
/// let arcs = before.diff(&after).expect("both rings hash keys alike");
/// println!("{} of the circle moves, at least {} must", arcs.moved(), arcs.minimum());
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moves<T = Tally> {
    total: T,
    moved: T,
    stray: T,
    minimum: Share,
    flows: Vec<Flow<T>>,
    servers: Vec<ServerMoves<T>>,
}

impl<T: Copy> Moves<T> {
    /// All that was looked at.
    pub fn total(&self) -> T {
        self.total
    }

    /// What has another owner after than before.
    pub fn moved(&self) -> T {
        self.moved
    }

    /// What moved for nothing.
    pub fn stray(&self) -> T {
        self.stray
    }

    /// The least that a change of these weights must move: half the sum of
    /// |target share after − before|.
    pub fn minimum(&self) -> Share {
        self.minimum
    }

    /// What went from where to where, the most first; among equals in order of the names.
    pub fn flows(&self) -> &[Flow<T>] {
        &self.flows
    }

    /// The servers of both sides in bytewise order of their names.
    pub fn servers(&self) -> &[ServerMoves<T>] {
        &self.servers
    }

    /// The largest `size` of total ÷ target share, over the servers that have a target.
    fn busiest(&self, size: impl Fn(T) -> f64) -> Option<BusiestOverMean> {
        let total = size(self.total);
        let busiest = |side: fn(&ServerMoves<T>) -> (T, Share)| {
            let sides = self.servers.iter().map(side).filter(|(_, target)| target.part() > 0);
            sides.map(|(held, target)| size(held) / total / target.as_f64()).fold(0.0, f64::max)
        };
        (total > 0.0).then(|| BusiestOverMean {
            before: busiest(|server| (server.before, server.target_before)),
            after: busiest(|server| (server.after, server.target_after)),
        })
    }
}

impl Moves {
    /// Looks up every key on both sides. Each comes with what it stands for.
    pub fn count<B, A, K>(before: &B, after: &A, keys: impl IntoIterator<Item = (K, Tally)>) -> Moves
    where
        B: Placement + ?Sized,
        A: Placement + ?Sized,
        K: AsRef<[u8]>,
    {
        let mut counter = MoveCounter::new(before.servers(), after.servers());
        for (key, tally) in keys {
            let key = key.as_ref();
            counter.record(before.owner_ix(key), after.owner_ix(key), tally);
        }
        counter.finish()
    }

    /// The same for bare keys, which count one each.
    pub fn count_keys<B, A, K>(before: &B, after: &A, keys: impl IntoIterator<Item = K>) -> Moves
    where
        B: Placement + ?Sized,
        A: Placement + ?Sized,
        K: AsRef<[u8]>,
    {
        Moves::count(before, after, keys.into_iter().map(|key| (key, Tally::KEY)))
    }

    /// Busiest ÷ mean by keys; none if there were no keys.
    pub fn busiest_over_mean_of_keys(&self) -> Option<BusiestOverMean> {
        self.busiest(|tally| tally.keys as f64)
    }

    /// Busiest ÷ mean by requests; none if there were no requests.
    pub fn busiest_over_mean_of_requests(&self) -> Option<BusiestOverMean> {
        self.busiest(|tally| tally.requests as f64)
    }
}

/// Counts moves of keys whose owners somebody else looks up: a load-aware assignment, a log, a
/// placement of another system.
///
/// ```
/// use clockwise::moves::{MoveCounter, Tally};
/// use clockwise::{Server, ServerIx};
///
/// let (a, b) = (Server::new("a")?, Server::new("b")?);
/// // Servers are matched by name: 0 is `a` before and `b` after.
/// let mut counter = MoveCounter::new(&[a.clone(), b.clone()], &[b, a]);
/// counter.record(ServerIx::new(0), ServerIx::new(0), Tally { keys: 1, requests: 70, bytes: 512 });
/// counter.record(ServerIx::new(0), ServerIx::new(1), Tally::KEY);
/// let moves = counter.finish();
/// assert_eq!(moves.moved(), Tally { keys: 1, requests: 70, bytes: 512 });
/// assert_eq!(moves.stray().keys, 1); // no weight changed, so nothing had to move
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct MoveCounter(Ledger<Tally>);

impl MoveCounter {
    /// Starts a count between two fleets, in the order that indices refer to.
    pub fn new(before: &[Server], after: &[Server]) -> MoveCounter {
        MoveCounter(Ledger::new(before, after))
    }

    /// Adds a key, or many with the same owners. Indices that are of no server of the two fleets
    /// are not counted.
    pub fn record(&mut self, before: ServerIx, after: ServerIx, tally: Tally) {
        self.0.record(before, after, tally);
    }

    /// The result.
    pub fn finish(self) -> Moves {
        self.0.finish(|tally| tally)
    }
}
