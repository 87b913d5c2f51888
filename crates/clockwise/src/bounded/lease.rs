//! What is held: a lease, and the two counts that it stands in.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::sync::atomic::AtomicUsize;
use core::sync::atomic::Ordering::SeqCst;

use super::cap::Room;
use crate::placement::ServerIx;
use crate::server::Server;

/// Leases held, of one server or of all: on a cache line of its own, since every thread writes it.
///
/// As wide as a pointer, which every platform with `Arc` can change atomically. Leases that are
/// dropped cannot overflow it, since they take memory; of those that are forgotten, 32 bits hold four
/// billion and start again at 0.
#[derive(Default)]
#[repr(align(64))]
pub(super) struct Count(AtomicUsize);

// All operations are SeqCst: the proof in `Bounded::place` argues over one order of all changes to
// all counts. On the common platforms a weaker order would cost the same, since each change is one
// locked instruction either way.
impl Count {
    pub(super) fn get(&self) -> u64 {
        step();
        self.0.load(SeqCst) as u64
    }

    /// Adds one and returns the count with it.
    pub(super) fn raise(&self) -> u64 {
        step();
        self.0.fetch_add(1, SeqCst) as u64 + 1
    }

    /// Adds one if the count as it is at that instant passes `takes`; returns the count with it.
    pub(super) fn raise_if(&self, takes: impl Fn(u64) -> bool) -> Option<u64> {
        let mut count = self.get();
        while takes(count) {
            step();
            match self.0.compare_exchange(count as usize, (count as usize).wrapping_add(1), SeqCst, SeqCst) {
                Ok(_) => return Some(count + 1),
                Err(now) => count = now as u64,
            }
        }
        None
    }

    fn lower(&self) {
        step();
        self.0.fetch_sub(1, SeqCst);
    }
}

#[cfg(test)]
use crate::testing::turns::step;

/// Where tests let another thread go on.
#[cfg(not(test))]
fn step() {}

/// A count that was raised, to be lowered once: by this, if finding a server panics.
pub(super) struct Held<'a>(pub(super) &'a Count);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.lower();
    }
}

/// A place taken for a key, until it is dropped.
///
/// Releasing is dropping, so it happens once: there is no way to write the second release that
/// elsewhere leaves a load of −1. A lease that is never dropped (`core::mem::forget`) is held for ever.
///
/// ```compile_fail,E0382
/// # use clockwise::{Bounded, Ranked};
/// # fn release<P: Ranked>(bounded: Bounded<P>) {
/// let lease = bounded.acquire("user:42");
/// drop(lease);
/// drop(lease);
/// # }
/// ```
#[must_use = "the place is given back when the lease is dropped"]
pub struct Lease<'a> {
    pub(super) counts: &'a Counts,
    pub(super) owner: ServerIx,
    pub(super) server: ServerIx,
}

/// What leases point to. Two words and the numbers are all that a lease is, because whoever holds many of
/// them waits for the memory that they take.
pub(super) struct Counts {
    /// The servers of the placement, whose type a lease does not know.
    pub(super) servers: Vec<Server>,
    /// What each takes and has, by [`ServerIx`].
    pub(super) places: Vec<Place>,
    /// Of all leases.
    pub(super) total: Arc<Count>,
}

/// How much a server takes, and how much it has.
pub(super) struct Place {
    pub(super) room: Room,
    pub(super) load: Arc<Count>,
}

impl Place {
    /// Takes a place, if there is room at a total; returns how much the server has with it.
    #[inline]
    pub(super) fn take(&self, total: u64) -> Option<u64> {
        self.load.raise_if(|load| self.room.takes(load, total))
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        // The load first: who is on a server is always in the total.
        self.counts.places[self.server.index()].load.lower();
        self.counts.total.lower();
    }
}

impl<'a> Lease<'a> {
    /// The server to use.
    pub fn server(&self) -> &'a Server {
        &self.counts.servers[self.server.index()]
    }

    /// The same, as an index into the placement underneath.
    pub fn server_ix(&self) -> ServerIx {
        self.server
    }

    /// The key's plain owner: who would serve it if loads did not count.
    pub fn owner(&self) -> &'a Server {
        &self.counts.servers[self.owner.index()]
    }

    /// The same, as an index into the placement underneath.
    pub fn owner_ix(&self) -> ServerIx {
        self.owner
    }

    /// Whether the owner was at its cap, and another server stands in.
    pub fn is_displaced(&self) -> bool {
        self.server != self.owner
    }
}

impl fmt::Debug for Lease<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lease")
            .field("server", self.server().name())
            .field("owner", self.owner().name())
            .finish_non_exhaustive()
    }
}

/// A [`Lease`] that borrows nothing: it keeps the counts of its [`Bounded`](super::Bounded) itself, three
/// words in place of two. From [`Bounded::acquire_owned`](super::Bounded::acquire_owned).
#[must_use = "the place is given back when the lease is dropped"]
pub struct OwnedLease {
    pub(super) counts: Arc<Counts>,
    pub(super) owner: ServerIx,
    pub(super) server: ServerIx,
}

impl Drop for OwnedLease {
    fn drop(&mut self) {
        drop(Lease { counts: &self.counts, owner: self.owner, server: self.server });
    }
}

impl OwnedLease {
    /// The server to use.
    pub fn server(&self) -> &Server {
        &self.counts.servers[self.server.index()]
    }

    /// The same, as an index into the placement underneath.
    pub fn server_ix(&self) -> ServerIx {
        self.server
    }

    /// The key's plain owner: who would serve it if loads did not count.
    pub fn owner(&self) -> &Server {
        &self.counts.servers[self.owner.index()]
    }

    /// The same, as an index into the placement underneath.
    pub fn owner_ix(&self) -> ServerIx {
        self.owner
    }

    /// Whether the owner was at its cap, and another server stands in.
    pub fn is_displaced(&self) -> bool {
        self.server != self.owner
    }
}

impl fmt::Debug for OwnedLease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnedLease")
            .field("server", &self.server().name())
            .field("owner", &self.owner().name())
            .finish()
    }
}
