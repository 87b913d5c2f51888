//! The walk clockwise: the distinct servers that follow a position.

use alloc::vec::Vec;
use core::iter::FusedIterator;

use crate::placement::{Packed, ServerIx, Table};

/// The distinct servers clockwise from a key, its owner first; made by
/// [`Ring::owners_ix`](super::Ring::owners_ix).
///
/// Lives on the stack until it has passed 16 servers, then keeps one bit for each server of the
/// fleet.
#[derive(Clone, Debug)]
#[must_use = "an iterator does nothing until it is asked"]
pub struct Owners<'a> {
    places: Places<'a>,
    at: usize,
    left: usize,
    seen: Seen,
}

/// What is walked.
#[derive(Clone, Copy, Debug)]
enum Places<'a> {
    Listed(&'a [ServerIx]),
    Slots(&'a Table),
    Packed(Packed<'a>),
}

impl<'a> Owners<'a> {
    /// At most `count` of the `placed` servers that occur in `owners`, from `at` onwards, of a fleet
    /// of `servers`.
    pub(crate) fn new(
        owners: &'a [ServerIx],
        at: usize,
        count: usize,
        placed: usize,
        servers: usize,
    ) -> Self {
        Owners { places: Places::Listed(owners), at, left: count.min(placed), seen: Seen::new(servers) }
    }

    /// The same of a table of slots, which is walked like a circle of points.
    pub(crate) fn of_slots(table: &'a Table, at: usize, count: usize, placed: usize, servers: usize) -> Self {
        Owners { places: Places::Slots(table), at, left: count.min(placed), seen: Seen::new(servers) }
    }

    /// The same of the points of a ring.
    pub(super) fn of_points(
        points: Packed<'a>,
        at: usize,
        count: usize,
        placed: usize,
        servers: usize,
    ) -> Self {
        Owners { places: Places::Packed(points), at, left: count.min(placed), seen: Seen::new(servers) }
    }
}

impl Iterator for Owners<'_> {
    type Item = ServerIx;

    fn next(&mut self) -> Option<ServerIx> {
        // While one is left to name, a point of a server not yet seen lies ahead.
        while self.left > 0 {
            let (server, len) = match self.places {
                Places::Listed(owners) => (owners[self.at], owners.len()),
                Places::Slots(table) => (table.owner(self.at), table.len()),
                Places::Packed(points) => (points.owner(self.at), points.len()),
            };
            self.at += 1;
            if self.at == len {
                self.at = 0;
            }
            if self.seen.insert(server) {
                self.left -= 1;
                return Some(server);
            }
        }
        None
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Owners<'_> {}
impl FusedIterator for Owners<'_> {}

/// How many servers are remembered in a list, searched from end to end, before the bitmap.
const FEW: usize = 16;

/// A set of servers: a short list first, a bitmap when it is full.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    few: [ServerIx; FEW],
    len: usize,
    servers: usize,
    many: Vec<u64>,
}

impl Seen {
    pub(super) fn new(servers: usize) -> Seen {
        Seen { few: [ServerIx::new(0); FEW], len: 0, servers, many: Vec::new() }
    }

    /// Whether the server is new to the set.
    pub(super) fn insert(&mut self, server: ServerIx) -> bool {
        if self.many.is_empty() {
            if self.few[..self.len].contains(&server) {
                return false;
            }
            if self.len < FEW {
                self.few[self.len] = server;
                self.len += 1;
                return true;
            }
            self.many = alloc::vec![0; self.servers.div_ceil(64)];
            for seen in self.few {
                self.many[seen.index() / 64] |= 1 << (seen.index() % 64);
            }
        }
        let (word, bit) = (&mut self.many[server.index() / 64], 1 << (server.index() % 64));
        let new = *word & bit == 0;
        *word |= bit;
        new
    }
}
