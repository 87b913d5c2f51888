//! Consistent hashing with bounded loads: a key goes to the first server of its preference list
//! that is below its cap.
//!
//! Vahab Mirrokni, Mikkel Thorup and Morteza Zadimoghaddam, "Consistent Hashing with Bounded
//! Loads", arXiv 1608.01350 (2016), section 2. There a key's preference list is the ring clockwise
//! from the key; here it is that of any [`Ranked`] placement, and servers have weights.
//!
//! The answer is a function of the key, the base placement and *the load now*, so this is no
//! [`Placement`](crate::Placement): it hands out [`Lease`]s, and a load falls when its lease is dropped.

mod asked;
mod cap;
mod fill;
mod lease;
mod refill;
#[cfg(test)]
mod tests;

use alloc::sync::{Arc, Weak};
use alloc::vec::Vec;
use core::fmt;
use core::mem;
use core::ops::ControlFlow;

pub use asked::{Asked, asked};
pub use cap::Cap;
use cap::Room;
pub use fill::{Filled, fill, fill_arriving};
use lease::{Count, Counts, Held, Place};
pub use lease::{Lease, OwnedLease};
pub use refill::{refill, settle};

use crate::placement::{Ranked, ServerIx};
use crate::server::{Server, ServerName};

/// A ranked placement whose servers take no more than a capped share of the load that is held now.
///
/// Shared between threads by reference or `Arc`. Nothing locks, and nothing is allocated but what a
/// long walk down the placement's preference list takes.
///
/// The promise: when a lease is acquired, the load of its server, counting it, is at most
/// ⌈(1 + ε) · total · w ÷ W⌉, where the total is of all leases held, counting it. Between threads
/// the total is one that was true at some moment between call and return. When the total falls or
/// the fleet changes a server may stand above its new cap; it takes nothing until it is below.
///
/// So no number of threads exceeds a cap together. What that costs: a lease changes two counts when it is
/// taken and two when it is given back, each in one atomic instruction and all in one order. The look at a
/// server is two products and a comparison, without a division; and the total is the one place that all
/// threads write to, so their leases per second are bounded by how fast its cache line travels between them.
///
/// ```
/// use clockwise::{Bounded, Cap, Members, Ring, Server, hash::Xxh3};
///
/// let members = Members::new([Server::new("a")?, Server::new("b")?, Server::new("c")?])?;
/// let ring = Ring::builder(Xxh3).points_per_weight(160).build(&members)?;
/// let bounded = Bounded::new(ring, Cap::percent_over_mean(25)?);
///
/// let leases: Vec<_> = (0..4).map(|_| bounded.acquire("video:hot")).collect();
/// assert_eq!(leases[0].server(), leases[0].owner());
/// // One server may hold ⌈1.25 · 4 ÷ 3⌉ = 2 of the four, so the others took the rest.
/// assert_eq!(bounded.loads().iter().max(), Some(&2));
/// drop(leases);
/// assert_eq!(bounded.total(), 0);
/// # Ok::<(), clockwise::Error>(())
/// ```
pub struct Bounded<P> {
    placement: P,
    cap: Cap,
    /// Apart, so that a lease can keep them without the placement.
    counts: Arc<Counts>,
    /// Servers of earlier fleets that are not in this one, in case they return.
    ///
    /// A lease borrows or keeps the counts that it changed. So where nothing is left to upgrade to no
    /// lease is left either, and a server that returns may start at 0.
    departed: Vec<(ServerName, Weak<Count>)>,
}

impl<P: Ranked> Bounded<P> {
    /// Nothing held yet. `placement` gives the order of preference, `cap` how far a load may
    /// exceed its share.
    pub fn new(placement: P, cap: Cap) -> Bounded<P> {
        let rooms = Room::of_servers(&placement, cap);
        let places = rooms.into_iter().map(|room| Place { room, load: Arc::default() }).collect();
        let counts = Counts { servers: placement.servers().to_vec(), places, total: Arc::default() };
        Bounded { placement, cap, counts: Arc::new(counts), departed: Vec::new() }
    }

    /// The same cap over another placement, with the loads of its servers carried over by name.
    ///
    /// Leases from before go on counting until they are dropped, here too: in the total, and on
    /// their server if it is still listed, or once it is again. Build each from the latest, so
    /// that all share the counts.
    pub fn rebuilt<Q: Ranked>(&self, placement: Q) -> Bounded<Q> {
        let old = self.placement.servers().iter().map(Server::name);
        let held =
            old.zip(&self.counts.places).map(|(name, place)| (name.clone(), Arc::downgrade(&place.load)));
        let mut known: Vec<(ServerName, Weak<Count>)> = held.chain(self.departed.iter().cloned()).collect();
        known.sort_by(|a, b| a.0.cmp(&b.0));

        let mut kept = alloc::vec![false; known.len()];
        let mut carried = |server: &Server| {
            let at = known.binary_search_by(|(name, _)| name.cmp(server.name())).ok()?;
            kept[at] = true;
            known[at].1.upgrade()
        };
        let rooms = Room::of_servers(&placement, self.cap).into_iter();
        let places = rooms.zip(placement.servers());
        let places = places.map(|(room, server)| Place { room, load: carried(server).unwrap_or_default() });
        let places = places.collect();
        let servers = placement.servers().to_vec();
        let departed = known
            .into_iter()
            .zip(kept)
            .filter(|((_, load), kept)| !kept && load.strong_count() > 0)
            .map(|(known, _)| known)
            .collect();
        let counts = Counts { servers, places, total: self.counts.total.clone() };
        Bounded { placement, cap: self.cap, counts: Arc::new(counts), departed }
    }

    /// Takes a place for a key: with its owner if that is below its cap, else with the first
    /// server of its preference list that is. There always is one.
    pub fn acquire(&self, key: impl AsRef<[u8]>) -> Lease<'_> {
        self.place(key.as_ref()).0
    }

    /// The same, for whoever keeps the lease: in a connection, or in a task that moves between threads.
    /// It counts like any other, also after this `Bounded` is gone.
    ///
    /// ```
    /// use clockwise::{Bounded, Cap, Members, OwnedLease, Ring, Server, hash::Xxh3};
    ///
    /// struct Connection {
    ///     lease: OwnedLease,
    /// }
    ///
    /// let ring = Ring::builder(Xxh3).build(&Members::new([Server::new("a")?, Server::new("b")?])?)?;
    /// let bounded = Bounded::new(ring, Cap::percent_over_mean(25)?);
    /// let connection = Connection { lease: bounded.acquire_owned("user:42") };
    /// std::thread::spawn(move || println!("{} serves", connection.lease.server().name())).join().unwrap();
    /// assert_eq!(bounded.total(), 0);
    /// # Ok::<(), clockwise::Error>(())
    /// ```
    pub fn acquire_owned(&self, key: impl AsRef<[u8]>) -> OwnedLease {
        let lease = self.acquire(key);
        let (owner, server) = (lease.owner, lease.server);
        // From here on it is the other that gives it back.
        mem::forget(lease);
        OwnedLease { counts: Arc::clone(&self.counts), owner, server }
    }

    /// The lease; and what it was judged by: the load of its server and the total, both with it.
    ///
    /// A server is always found, and whoever has to look again was held up by somebody else's
    /// progress. Let the total be read at one moment, and let no other thread change a count from
    /// then until every server has been looked at and found full. Then each load is at least its
    /// cap, and the caps of the servers in a preference list sum to at least (1 + ε) · total. But
    /// the loads sum to at most total − 1: this request is in the total and on no server yet, and
    /// every other is in the total whenever it is on a server, because the total rises before a
    /// load and falls after it. So a walk that finds nothing overlaps a change by another thread.
    /// A lease makes four changes in its life and waits for none of them, so endless walks would
    /// take endlessly many leases that come and go meanwhile: the search is lock-free.
    #[inline]
    fn place(&self, key: &[u8]) -> (Lease<'_>, u64, u64) {
        let owner = self.placement.owner_ix(key);
        let counts = &*self.counts;
        let total = counts.total.raise();
        let in_total = Held(&counts.total);
        // Most keys find room with their owner: the list is walked only for the others, out of the way.
        let (server, load, total) = match counts.places[owner.index()].take(total) {
            Some(load) => (owner, load, total),
            None => self.walk(key, total),
        };
        // From here on it is the lease that gives it back.
        mem::forget(in_total);
        (Lease { counts, owner, server }, load, total)
    }

    /// The first server of the preference list with room, its load, and the total that it was judged by.
    #[cold]
    #[inline(never)]
    fn walk(&self, key: &[u8], mut total: u64) -> (ServerIx, u64, u64) {
        let mut found = None;
        loop {
            self.placement.visit_preference(key, &mut |ix| {
                found = self.counts.places[ix.index()].take(total).map(|load| (ix, load));
                if found.is_none() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
            if let Some((server, load)) = found {
                return (server, load, total);
            }
            total = self.counts.total.get();
        }
    }
}

impl<P> Bounded<P> {
    /// The placement underneath: whose preference lists are walked.
    pub fn placement(&self) -> &P {
        &self.placement
    }

    /// The ratio that it was built with.
    pub fn cap(&self) -> Cap {
        self.cap
    }

    /// How many leases are held, by [`ServerIx`]. While other threads acquire and release, the
    /// numbers are each from a moment of its own.
    pub fn loads(&self) -> Vec<u64> {
        self.counts.places.iter().map(|place| place.load.get()).collect()
    }

    /// How many leases are held in all, those on servers of earlier fleets included, and those that
    /// other threads are acquiring or releasing at this moment.
    pub fn total(&self) -> u64 {
        self.counts.total.get()
    }

    /// The most leases that a server may hold at the present total, or at a total of 1 while nothing
    /// is held: [`Cap::limit`] of its weight. 0 for one that takes nothing: draining, reached by no
    /// preference list, or of another placement.
    pub fn limit_of(&self, server: ServerIx) -> u64 {
        self.counts.places.get(server.index()).map_or(0, |place| place.room.limit(self.total().max(1)))
    }
}

impl<P> fmt::Debug for Bounded<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (cap, total, loads) = (self.cap, self.total(), self.loads());
        f.debug_struct("Bounded")
            .field("cap", &cap)
            .field("total", &total)
            .field("loads", &loads)
            .finish_non_exhaustive()
    }
}
