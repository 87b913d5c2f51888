//! Exact moves of the whole hash space: two divisions of it laid over each other.

use core::ops::Range;

use super::ledger::{Amount, Kept, Ledger};
use super::{BusiestOverMean, Moves, alike};
use crate::hash::KeyHash;
use crate::placement::{Arcs, Layout, Measured, Packed, ServerIx, Share, reach};
use crate::ring::Ring;

/// What a change moves of all keys there could be, as shares of the hash space.
pub type ArcMoves = Moves<Share>;

impl Amount for u128 {
    fn add(&mut self, other: u128) {
        // Parts of at most 2⁶⁴ in all.
        *self += other;
    }
}

impl Moves<Share> {
    /// Lays two layouts over each other in one pass.
    ///
    /// None unless they divide the same space: two circles, or two tables of equally many slots,
    /// with the same key hash.
    pub fn between<B, A>(before: &B, after: &A) -> Option<ArcMoves>
    where
        B: Measured + ?Sized,
        A: Measured + ?Sized,
    {
        let mut ledger = Ledger::new(before.servers(), after.servers());
        let whole = match (before.layout()?, after.layout()?) {
            (
                Layout::Circle { arcs, last, key_hash },
                Layout::Circle { arcs: arcs_after, last: last_after, key_hash: hash_after },
            ) if (key_hash, last) == (hash_after, last_after) => {
                let ((_, first), (_, first_after)) = (arcs.get(0)?, arcs_after.get(0)?);
                let whole = reach(last);
                // What leads up to position 0 over the top of the circle, if that is not reached.
                let rest = whole - u128::from(last) - 1;
                if rest > 0 {
                    ledger.record(first, first_after, rest);
                }
                match (arcs.as_packed(), arcs_after.as_packed()) {
                    (Some(before), Some(after)) => overlay(before, after, last, &mut ledger),
                    _ => overlay(Listed(arcs), Listed(arcs_after), last, &mut ledger),
                }
                whole
            }
            (
                Layout::Slots { owners, key_hash },
                Layout::Slots { owners: owners_after, key_hash: hash_after },
            ) if key_hash == hash_after && owners.len() == owners_after.len() => {
                for (&from, &to) in owners.iter().zip(owners_after) {
                    ledger.record(from, to, 1);
                }
                owners.len() as u128
            }
            _ => return None,
        };
        Some(ledger.finish(|part| Share::new(part, whole)))
    }

    /// Busiest ÷ mean by arcs or slots: what the split is before any key chooses.
    pub fn busiest_over_mean_of_arcs(&self) -> Option<BusiestOverMean> {
        self.busiest(Share::as_f64)
    }
}

impl<H: KeyHash> Ring<H> {
    /// What becoming `after` moves of the whole circle, exactly: [`ArcMoves::between`]. None if
    /// the two hash keys differently.
    pub fn diff(&self, after: &Ring<H>) -> Option<ArcMoves> {
        ArcMoves::between(self, after)
    }
}

/// One side of an overlay: arcs in ascending order, at least one.
trait Side: Copy {
    fn len(self) -> usize;
    fn end(self, at: usize) -> u64;
    fn owner(self, at: usize) -> ServerIx;

    /// Books many arcs in a row that are alike on both sides, if it can: see [`alike::book`].
    fn book_alike(self, at: usize, _: (Self, usize), ends: Range<u64>, kept: &mut Kept) -> (usize, u64);
}

impl Side for Packed<'_> {
    #[inline]
    fn len(self) -> usize {
        self.len()
    }
    #[inline]
    fn end(self, at: usize) -> u64 {
        self.end(at)
    }
    #[inline]
    fn owner(self, at: usize) -> ServerIx {
        self.owner(at)
    }
    #[inline]
    fn book_alike(
        self,
        at: usize,
        (after, there): (Self, usize),
        ends: Range<u64>,
        kept: &mut Kept,
    ) -> (usize, u64) {
        alike::book((self, at), (after, there), ends, kept)
    }
}

/// Arcs in whatever form.
#[derive(Clone, Copy)]
struct Listed<'a>(Arcs<'a>);

impl Side for Listed<'_> {
    fn len(self) -> usize {
        self.0.len()
    }
    fn end(self, at: usize) -> u64 {
        self.0.get(at).map_or(u64::MAX, |(end, _)| end)
    }
    fn owner(self, at: usize) -> ServerIx {
        self.0.get(at).map_or(ServerIx::new(0), |(_, owner)| owner)
    }
    fn book_alike(self, _: usize, _: (Self, usize), ends: Range<u64>, _: &mut Kept) -> (usize, u64) {
        (0, ends.start)
    }
}

/// The arcs of one circle, cut open at 0 and taken in ascending order.
struct Cursor<S> {
    side: S,
    at: usize,
    /// The last position of the arc that it stands at, and its owner.
    end: u64,
    owner: ServerIx,
}

impl<S: Side> Cursor<S> {
    #[inline]
    fn new(side: S) -> Cursor<S> {
        Cursor { side, at: 0, end: side.end(0), owner: side.owner(0) }
    }

    /// Reads the arc that it was put at. After the last end comes the rest of the first server's arc.
    #[inline]
    fn read(&mut self) {
        let inside = self.at < self.side.len();
        self.end = if inside { self.side.end(self.at) } else { u64::MAX };
        self.owner = self.side.owner(if inside { self.at } else { 0 });
    }

    /// Goes to the arc that holds `position`. Asked in ascending order.
    #[inline]
    fn go_to(&mut self, position: u64) {
        while self.end < position {
            self.at += 1;
            self.read();
        }
    }
}

/// Books every piece between two neighbouring ends of either circle, up to the last position. What stays where it
/// is, nearly all of it after most changes, is summed up by server and booked at the end.
fn overlay<S: Side>(before: S, after: S, last: u64, ledger: &mut Ledger<u128>) {
    let (mut before, mut after) = (Cursor::new(before), Cursor::new(after));
    let mut kept = ledger.kept();
    let mut start = 0;
    loop {
        let (end, both) = (before.end.min(after.end), before.end == after.end);
        if end >= last {
            break;
        }
        if !kept.arcs(start).keep(before.owner, after.owner, end) {
            ledger.record(before.owner, after.owner, u128::from(end - start) + 1);
        }
        start = end + 1;
        if both {
            // Arcs that end at the same place on both sides: nearly all, and many in a row.
            let (before_at, after_at) = (before.at + 1, after.at + 1);
            let (alike, next) =
                before.side.book_alike(before_at, (after.side, after_at), start..last, &mut kept);
            (before.at, after.at, start) = (before_at + alike, after_at + alike, next);
            before.read();
            after.read();
        }
        before.go_to(start);
        after.go_to(start);
    }
    ledger.record(before.owner, after.owner, u128::from(last - start) + 1);
    ledger.record_kept(&kept);
}
