//! The preference list of a key, best score first.

use alloc::vec::{IntoIter, Vec};
use core::fmt;
use core::iter::FusedIterator;

use super::few::Few;
use super::{Rank, Rendezvous};
use crate::placement::ServerIx;
use crate::rendezvous::Score;

/// How many servers are found by passing over all of them again, before what is left is sorted.
const SEARCHED: usize = 8;

/// The servers for a key, best score first; made by [`Rendezvous::owners_ix`].
///
/// Lives on the stack for the first eight servers; a longer walk sorts the others once.
#[must_use = "an iterator does nothing until it is asked"]
pub struct Owners<'a, S: Score> {
    placement: &'a Rendezvous<S>,
    key: S::Key<'a>,
    left: usize,
    last: Option<Rank>,
    /// The first few, where they were found with the first.
    ahead: Option<Few<Rank>>,
    searched: usize,
    sorted: IntoIter<Rank>,
}

impl<'a, S: Score> Owners<'a, S> {
    pub(super) fn new(placement: &'a Rendezvous<S>, key: S::Key<'a>, count: usize) -> Self {
        let left = count.min(placement.inner.active.len());
        let sorted = Vec::new().into_iter();
        Owners { placement, key, left, last: None, ahead: None, searched: 0, sorted }
    }

    /// The owner. Whoever asks for a few servers takes the next ones too; whoever asks for all, mostly
    /// stops before.
    fn first(&mut self) -> Rank {
        if (1..SEARCHED).contains(&self.left) {
            let few = self.placement.best_few(&self.key, self.left + 1);
            if let Some(&first) = few.as_slice().first() {
                self.ahead = Some(few);
                return first;
            }
        }
        self.placement.rank(&self.key, self.placement.best(&self.key))
    }
}

impl<S: Score> Iterator for Owners<'_, S> {
    type Item = ServerIx;

    fn next(&mut self) -> Option<ServerIx> {
        self.left = self.left.checked_sub(1)?;
        let ahead = self.ahead.as_ref().and_then(|few| few.as_slice().get(self.searched));
        let rank = match (self.last, ahead) {
            (None, _) => self.first(),
            (Some(_), Some(&next)) => next,
            (Some(last), None) if self.searched < SEARCHED => self.placement.following(&self.key, last)?,
            (Some(last), None) => {
                if self.searched == SEARCHED {
                    let mut rest: Vec<Rank> = self.placement.behind(&self.key, last).collect();
                    rest.sort_unstable();
                    self.sorted = rest.into_iter();
                }
                self.sorted.next()?
            }
        };
        self.searched += 1;
        self.last = Some(rank);
        Some(self.placement.inner.active[rank.at::<S>()])
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<S: Score> ExactSizeIterator for Owners<'_, S> {}
impl<S: Score> FusedIterator for Owners<'_, S> {}

impl<'a, S: Score<Key<'a>: Clone>> Clone for Owners<'a, S> {
    fn clone(&self) -> Self {
        Owners { key: self.key.clone(), sorted: self.sorted.clone(), ..*self }
    }
}

impl<S: Score> fmt::Debug for Owners<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Owners").field("left", &self.left).finish_non_exhaustive()
    }
}
