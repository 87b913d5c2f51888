//! Exact moves of the whole hash space: two divisions of it laid over each other.

use super::ledger::{Amount, Ledger};
use super::{BusiestOverMean, Moves};
use crate::hash::KeyHash;
use crate::placement::{Arcs, Layout, Measured, ServerIx, Share, reach};
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
                let (before, after) = (Cursor::new(arcs)?, Cursor::new(arcs_after)?);
                let whole = reach(last);
                // What leads up to position 0 over the top of the circle, if that is not reached.
                let rest = whole - u128::from(last) - 1;
                if rest > 0 {
                    ledger.record(before.first, after.first, rest);
                }
                overlay(before, after, last, &mut ledger);
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

/// The arcs of one circle, cut open at 0 and taken in ascending order.
struct Cursor<'a> {
    arcs: Arcs<'a>,
    at: usize,
    first: ServerIx,
}

impl<'a> Cursor<'a> {
    fn new(arcs: Arcs<'a>) -> Option<Cursor<'a>> {
        let (_, first) = arcs.get(0)?;
        Some(Cursor { arcs, at: 0, first })
    }

    /// The arc that holds `position`: its last position and its owner. Asked in ascending order.
    fn arc(&mut self, position: u64) -> (u64, ServerIx) {
        while let Some((end, owner)) = self.arcs.get(self.at) {
            if end >= position {
                return (end, owner);
            }
            self.at += 1;
        }
        // After the last end: the rest of the first server's arc.
        (u64::MAX, self.first)
    }
}

/// Books every piece between two neighbouring ends of either circle, up to the last position.
fn overlay(mut before: Cursor<'_>, mut after: Cursor<'_>, last: u64, ledger: &mut Ledger<u128>) {
    let mut start = 0_u64;
    loop {
        let ((end_before, from), (end_after, to)) = (before.arc(start), after.arc(start));
        let end = end_before.min(end_after).min(last);
        ledger.record(from, to, u128::from(end - start) + 1);
        if end == last {
            return;
        }
        start = end + 1;
    }
}
