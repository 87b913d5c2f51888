//! A table of slots: the owner of a key is that of the slot at its hash modulo their number.
//!
//! A lookup is one read from memory after two multiplications, and how long it takes is decided by how
//! much of the table is in the cache. So a table of a fleet that 16 bits can number has two bytes a slot.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use super::{ServerIx, Share, table_shares};
use crate::arch::asked_for;
use crate::remainder::Remainder;

/// The owner of each slot, of one slot at least. Immutable; clones share the slots.
///
/// ```
/// use clockwise::{Maglev, Members, Server, hash::Xxh3};
///
/// let members = Members::new([Server::new("a")?, Server::new("b")?])?;
/// let place = Maglev::with_table_size(Xxh3, &members, 13)?;
/// let table = place.table();
/// assert_eq!((table.len(), table.get(13)), (13, None));
/// assert_eq!(table.slot_of_hash(100), 100 % 13);
/// assert_eq!(table.get(100 % 13), Some(place.owner_of_hash(100)));
/// assert_eq!(table.iter().filter(|owner| owner.index() == 0).count(), 7);
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone)]
pub struct Table {
    slots: Slots,
    /// By the number of slots.
    remainder: Remainder,
}

#[derive(Clone)]
enum Slots {
    Narrow(Arc<[u16]>),
    Wide(Arc<[ServerIx]>),
}

/// Whether 16 bits hold every [`ServerIx`] of a fleet.
pub(crate) fn is_narrow(servers: usize) -> bool {
    servers <= 1 << 16
}

impl Table {
    /// The slots of a fleet [that 16 bits number](is_narrow); one at least.
    pub(crate) fn narrow(slots: Arc<[u16]>) -> Table {
        Table { remainder: Remainder::by(slots.len() as u64), slots: Slots::Narrow(slots) }
    }

    /// The slots of any fleet, one at least.
    pub(crate) fn wide(slots: Arc<[ServerIx]>) -> Table {
        Table { remainder: Remainder::by(slots.len() as u64), slots: Slots::Wide(slots) }
    }

    /// How many slots there are.
    #[expect(clippy::len_without_is_empty, reason = "no table is")]
    pub fn len(&self) -> usize {
        match &self.slots {
            Slots::Narrow(slots) => slots.len(),
            Slots::Wide(slots) => slots.len(),
        }
    }

    /// The owner of a slot.
    pub fn get(&self, slot: usize) -> Option<ServerIx> {
        match &self.slots {
            Slots::Narrow(slots) => slots.get(slot).map(|&owner| ServerIx::new(owner.into())),
            Slots::Wide(slots) => slots.get(slot).copied(),
        }
    }

    /// The owner of each slot, from slot 0 on.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = ServerIx> + Clone + '_ {
        (0..self.len()).map(|slot| self.owner(slot))
    }

    /// The slot of a key hash: the hash modulo the number of slots.
    #[inline]
    pub fn slot_of_hash(&self, hash: u64) -> usize {
        self.remainder.of(hash) as usize
    }

    /// The owner of the slot of a key hash.
    #[inline]
    pub fn owner_of_hash(&self, hash: u64) -> ServerIx {
        self.owner(self.slot_of_hash(hash))
    }

    /// Owners of many hashes at once; `owners` is as long as `hashes`, and a longer one keeps its tail.
    pub fn owners_of_hashes(&self, hashes: &[u64], owners: &mut [ServerIx]) {
        let find = |hash| self.slot_of_hash(hash);
        match &self.slots {
            Slots::Narrow(slots) => {
                asked_for(slots, hashes, owners, find, |_, slot| ServerIx::new(slots[slot].into()));
            }
            Slots::Wide(slots) => asked_for(slots, hashes, owners, find, |_, slot| slots[slot]),
        }
    }

    /// Each server's slots of all slots, of a fleet of so many servers.
    pub(crate) fn shares(&self, servers: usize) -> Vec<Share> {
        table_shares(self.iter(), servers)
    }

    /// The owner of a slot that there is.
    #[inline]
    pub(crate) fn owner(&self, slot: usize) -> ServerIx {
        match &self.slots {
            Slots::Narrow(slots) => ServerIx::new(slots[slot].into()),
            Slots::Wide(slots) => slots[slot],
        }
    }
}

/// Slot by slot.
impl PartialEq for Table {
    fn eq(&self, other: &Table) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Table {}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").field("slots", &self.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    #[test]
    fn narrow_and_wide_tables_of_the_same_slots_answer_alike_and_by_division() {
        let mut random = Random(0x7ab1e);
        for len in [1, 2, 13, 1_009, 65_537, 200_003] {
            let owners: Vec<u16> = (0..len).map(|_| random.next() as u16).collect();
            let written: Vec<ServerIx> = owners.iter().map(|&owner| ServerIx::new(owner.into())).collect();
            let (narrow, wide) = (Table::narrow(owners.into()), Table::wide(written.as_slice().into()));
            assert_eq!(narrow, wide);
            for table in [&narrow, &wide] {
                assert_eq!((table.len(), table.get(len)), (len, None));
                assert!(table.iter().eq(written.iter().copied()));
                let hashes: Vec<u64> = (0..500).map(|_| random.next()).chain([0, u64::MAX]).collect();
                let mut many = alloc::vec![ServerIx::new(0); hashes.len() + 1];
                table.owners_of_hashes(&hashes, &mut many);
                for (hash, owner) in hashes.iter().zip(many) {
                    let slot = (hash % len as u64) as usize;
                    assert_eq!((table.slot_of_hash(*hash), table.get(slot)), (slot, Some(owner)), "{hash}");
                    assert_eq!(owner, written[slot]);
                }
            }
            if len > 1 {
                let mut other = written;
                other[len - 1] = ServerIx::new(70_000);
                assert_ne!(narrow, Table::wide(other.into()));
            }
        }
    }

    #[test]
    fn sixteen_bits_number_65536_servers() {
        assert!(is_narrow(65_536) && !is_narrow(65_537));
    }
}
