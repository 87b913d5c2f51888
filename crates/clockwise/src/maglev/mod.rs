//! Maglev: a table of slots that the servers fill in turn, each along a permutation of its own.
//!
//! Paper: Daniel Eisenbud and others, *Maglev: A Fast and Reliable Software Network Load Balancer*,
//! NSDI 2016, section 3.4. It leaves the hashes open and has no weights; those are Envoy's turn
//! rule, here in whole numbers.
//!
//! | of the native placement | |
//! |---|---|
//! | table size M | 65,537 unless said; a prime, 2 to 2²⁴ |
//! | order of servers | bytewise by name |
//! | offset, skip | xxh3-64 of the name, seed 0, mod M; xxh3-64 of the name, seed 1, mod (M − 1), + 1 |
//! | preference j of a server | slot (offset + j × skip) mod M |
//! | turns | in rounds 1, 2, …, over the servers in order, until no slot is free; in round r a server sits out if r × weight < (slots it has) × (the largest weight), else it takes its first preference that is free |
//! | key hash | xxh3-64, seed 0, over the key's bytes |
//! | owner | slot (key hash mod M) |
//! | further replicas | our own rule: the next slots, in order of number and wrapping, that belong to other servers |
//!
//! With equal weights nobody sits out: the paper's turns. Every server has a slot from round 1,
//! whatever it weighs, and slots follow weights as closely as whole turns can.
//!
//! A lookup is a remainder, by two multiplications, and one load. The price is in changes: a server that comes or goes
//! also moves a few keys between the others, which a larger table makes fewer.

mod fill;

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::ops::ControlFlow;

use fill::{Turns, fill, turns};
pub(crate) use fill::{Walk, rounds};

use crate::error::{Error, Kind};
use crate::hash::{KeyHash, Xxh3, xxh3_64};
use crate::members::Members;
use crate::placement::{
    Measured, Placement, Ranked, ServerIx, Servers, Share, Table, is_narrow, owners_by_hash, owners_of,
};
use crate::ring::Owners;
use crate::server::Server;

/// The size of a table that none is said for: the paper's smaller one.
pub const TABLE_SIZE: u64 = 65_537;

/// The largest table: 2²⁴ (16,777,216) slots, in 32 MiB, or in 64 of a fleet of more than 65,536. The largest
/// prime within is 16,777,213.
pub const MAX_TABLE_SIZE: u64 = 1 << 24;

/// Maglev hashing over a set of servers. Immutable; clones share the table.
///
/// ```
/// use clockwise::hash::Xxh3;
/// use clockwise::{Maglev, Measured, Members, Server};
///
/// let members = Members::new([Server::new("a")?, Server::new("b")?, Server::new("c")?])?;
/// let place = Maglev::with_table_size(Xxh3, &members, 13)?;
/// let slots: Vec<_> = place.shares().iter().map(|share| share.part()).collect();
/// assert_eq!(slots, [5, 4, 4]);
///
/// let error = Maglev::with_table_size(Xxh3, &members, 2).unwrap_err();
/// assert_eq!(error.to_string(), "3 servers do not fit a table of 2 slots: each needs at least one");
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone)]
pub struct Maglev<H = Xxh3> {
    hash: H,
    inner: Arc<Inner>,
}

struct Inner {
    servers: Arc<[Server]>,
    /// Whether the fleet was a list, whose order decides who takes turns first.
    listed: bool,
    /// Servers with at least one slot.
    placed: usize,
    table: Table,
}

impl<H: KeyHash> Maglev<H> {
    /// The native placement with [`TABLE_SIZE`] slots; any hash of keys. Refuses more active servers
    /// than slots.
    pub fn new(hash: H, members: &Members) -> Result<Maglev<H>, Error> {
        Maglev::with_table_size(hash, members, TABLE_SIZE)
    }

    /// The same with another table size. A good one is a hundred times the number of servers.
    ///
    /// Refuses a size that is not a prime from 2 to [`MAX_TABLE_SIZE`], and more active servers
    /// than slots.
    pub fn with_table_size(hash: H, members: &Members, size: u64) -> Result<Maglev<H>, Error> {
        let size = table_size(size)?;
        let (mut walks, mut weights) = (Vec::new(), Vec::new());
        for (ix, server) in members.active() {
            let name = server.name().as_str().as_bytes();
            walks.push((ix, Walk::new(xxh3_64(name, 0), xxh3_64(name, 1), size)));
            weights.push(server.weight().get());
        }
        if walks.len() > size as usize {
            let (servers, slots) = (walks.len(), size as usize);
            return Err(Error::new(Kind::MoreServersThanSlots { servers, slots }));
        }
        Ok(Maglev::filled(hash, members.shared(), false, size, walks, turns(&weights)))
    }

    owners_by_hash!();

    /// The first `count` distinct servers from a key's slot onwards, its owner first; fewer if
    /// fewer are active. Allocates only beyond 16 servers.
    pub fn owners(&self, key: impl AsRef<[u8]>, count: usize) -> Servers<'_, Owners<'_>> {
        Servers::new(&self.inner.servers, self.owners_ix(key, count))
    }

    /// The same, as indices into [`Maglev::servers`].
    pub fn owners_ix(&self, key: impl AsRef<[u8]>, count: usize) -> Owners<'_> {
        let slot = self.inner.table.slot_of_hash(self.hash.hash(key.as_ref()));
        Owners::of_slots(&self.inner.table, slot, count, self.inner.placed, self.inner.servers.len())
    }
}

impl<H> Maglev<H> {
    /// A table that is filled by another rule than the native one: who walks how, and whose
    /// [turn](fill) it is. `listed`: whether the order of the servers decides that.
    pub(crate) fn filled<I: Iterator<Item = u32>>(
        hash: H,
        servers: Arc<[Server]>,
        listed: bool,
        size: u32,
        walks: Vec<(ServerIx, Walk)>,
        turns: Turns<I>,
    ) -> Maglev<H> {
        let (owners, walks): (Vec<ServerIx>, Vec<Walk>) = walks.into_iter().unzip();
        let computed = size.isqrt();
        let (table, placed) = if is_narrow(servers.len()) {
            let owners: Vec<u16> = owners.into_iter().map(|owner| owner.get() as u16).collect();
            let (slots, placed) = fill(size, &owners, walks, turns, computed);
            (Table::narrow(slots), placed)
        } else {
            let (slots, placed) = fill(size, &owners, walks, turns, computed);
            (Table::wide(slots), placed)
        };
        Maglev { hash, inner: Arc::new(Inner { servers, listed, placed, table }) }
    }

    /// The owner of a key that the caller has hashed.
    #[inline]
    pub fn owner_of_hash(&self, hash: u64) -> ServerIx {
        self.inner.table.owner_of_hash(hash)
    }

    /// Owners of many hashes at once; `owners` is as long as `hashes`, and a longer one keeps
    /// its tail.
    pub fn owners_of_hashes(&self, hashes: &[u64], owners: &mut [ServerIx]) {
        self.inner.table.owners_of_hashes(hashes, owners);
    }

    /// The servers, draining ones included. A [`ServerIx`] is a position in this slice.
    pub fn servers(&self) -> &[Server] {
        &self.inner.servers
    }

    /// The owner of each slot.
    pub fn table(&self) -> &Table {
        &self.inner.table
    }
}

/// A size as a prime within the limit.
pub(crate) fn table_size(size: u64) -> Result<u32, Error> {
    let problem = match size {
        0..=1 => "is too small: a table has at least 2 slots",
        _ if size > MAX_TABLE_SIZE => "is too large: tables end at 16777216 slots",
        _ if (2..).take_while(|d| d * d <= size).any(|d| size.is_multiple_of(d)) => {
            "is not a prime: a server's skips would not reach every slot"
        }
        _ => return Ok(size as u32),
    };
    Err(Error::new(Kind::TableSize { size, problem }))
}

impl<H: KeyHash> Placement for Maglev<H> {
    fn servers(&self) -> &[Server] {
        &self.inner.servers
    }

    fn owner_ix(&self, key: &[u8]) -> ServerIx {
        Maglev::owner_ix(self, key)
    }

    owners_of!();

    fn depends_on_order(&self) -> bool {
        self.inner.listed
    }

    fn ranked(&self) -> Option<&dyn Ranked> {
        Some(self)
    }

    fn measured(&self) -> Option<&dyn Measured> {
        Some(self)
    }
}

impl<H: KeyHash> Ranked for Maglev<H> {
    fn visit_preference(&self, key: &[u8], visit: &mut dyn FnMut(ServerIx) -> ControlFlow<()>) {
        let _ = self.owners_ix(key, usize::MAX).try_for_each(visit);
    }
}

impl<H: KeyHash> Measured for Maglev<H> {
    /// Slots of the table.
    fn shares(&self) -> Vec<Share> {
        self.inner.table.shares(self.inner.servers.len())
    }
}

impl<H> fmt::Debug for Maglev<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Maglev")
            .field("servers", &self.inner.servers.len())
            .field("slots", &self.inner.table.len())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::String;
    use alloc::vec;
    use alloc::vec::Vec;

    use super::*;
    use crate::hash::crc32;
    use crate::testing::{members, user_keys};

    fn fleet(count: usize, weight: impl Fn(usize) -> u32) -> Members {
        let names: Vec<String> = (0..count).map(|i| format!("cache-{i}")).collect();
        members(&names.iter().enumerate().map(|(i, name)| (name.as_str(), weight(i))).collect::<Vec<_>>())
    }

    fn slots(place: &Maglev) -> Vec<u64> {
        place.shares().iter().map(|share| share.part() as u64).collect()
    }

    /// The paper's listing 1: whole permutations first, then `Populate`.
    fn paper(servers: &[Server], m: usize) -> Vec<usize> {
        let n = servers.len();
        let mut permutation = vec![Vec::new(); n];
        for (i, server) in servers.iter().enumerate() {
            let name = server.name().as_str().as_bytes();
            let offset = (xxh3_64(name, 0) % m as u64) as usize;
            let skip = (xxh3_64(name, 1) % (m as u64 - 1)) as usize + 1;
            permutation[i] = (0..m).map(|j| (offset + j * skip) % m).collect();
        }
        let (mut next, mut entry, mut taken) = (vec![0; n], vec![-1_isize; m], 0);
        loop {
            for i in 0..n {
                let mut c = permutation[i][next[i]];
                while entry[c] >= 0 {
                    next[i] += 1;
                    c = permutation[i][next[i]];
                }
                entry[c] = i as isize;
                next[i] += 1;
                taken += 1;
                if taken == m {
                    return entry.into_iter().map(|i| i as usize).collect();
                }
            }
        }
    }

    #[test]
    fn equal_weights_fill_the_table_as_the_paper_does() {
        for (count, size) in [(1, 2), (2, 2), (3, 7), (7, 7), (5, 13), (50, 53), (100, 1009), (10, 65_537)] {
            for weight in [1, 4_000_000_000] {
                let members = fleet(count, |_| weight);
                let place = Maglev::with_table_size(Xxh3, &members, size).unwrap();
                let ours: Vec<usize> = place.table().iter().map(ServerIx::index).collect();
                assert_eq!(ours, paper(members.servers(), size as usize), "{count} in {size}");
            }
        }
    }

    #[test]
    fn tables_are_frozen() {
        // Computed by a program of its own, in another language, from the table at the top.
        let five = |weights: [u32; 5]| {
            let names: Vec<String> = (1..=5).map(|i| format!("cache-{i}")).collect();
            members(&names.iter().zip(weights).map(|(name, w)| (name.as_str(), w)).collect::<Vec<_>>())
        };
        for (fleet, size, counts, sum) in [
            (members(&[("a", 1), ("b", 1), ("c", 1)]), 13, vec![5, 4, 4], 0xb899_7355),
            (five([1; 5]), TABLE_SIZE, vec![13_108, 13_108, 13_107, 13_107, 13_107], 0x9040_1521),
            (five([1, 2, 1, 3, 10]), TABLE_SIZE, vec![3_856, 7_711, 3_856, 11_565, 38_549], 0x5997_a838),
            (members(&[("x", 1), ("y", 1_000)]), 101, vec![1, 100], 0xc485_f925),
        ] {
            let place = Maglev::with_table_size(Xxh3, &fleet, size).unwrap();
            assert_eq!(slots(&place), counts);
            let bytes: Vec<u8> = place.table().iter().map(|ix| ix.index() as u8).collect();
            assert_eq!(crc32(&bytes), sum);
        }
    }

    #[test]
    fn slots_differ_by_at_most_one_when_weights_are_equal() {
        for (count, size) in [(2, 3), (3, 101), (17, 1009), (999, 1009), (100, 65_537)] {
            let slots = slots(&Maglev::with_table_size(Xxh3, &fleet(count, |_| 9), size).unwrap());
            let (least, most) = (slots.iter().min().unwrap(), slots.iter().max().unwrap());
            assert!(most - least <= 1, "{count} in {size}: {least} to {most}");
            assert_eq!(slots.iter().sum::<u64>(), size);
        }
    }

    #[test]
    fn every_server_has_a_slot_or_the_table_is_refused() {
        let fifty = fleet(50, |i| if i == 0 { u32::MAX } else { 1 });
        let error = Maglev::with_table_size(Xxh3, &fifty, 7).unwrap_err();
        assert!(error.is_parameter());
        let text = format!("{error}");
        assert!(text.contains("50 servers") && text.contains("7 slots"), "{text}");
        let slots = slots(&Maglev::with_table_size(Xxh3, &fifty, 53).unwrap());
        assert_eq!(slots[1..], [1; 49]);
        assert_eq!(slots[0], 4);
        // Those that drain need none.
        let drained = (7..50).fold(fifty, |members, i| {
            members.changed(&format!("cache-{i}"), |server| Ok(server.draining())).unwrap()
        });
        let place = Maglev::with_table_size(Xxh3, &drained, 7).unwrap();
        assert_eq!(place.shares().iter().filter(|share| share.part() == 1).count(), 7);
    }

    #[test]
    fn a_table_size_is_a_prime_within_the_limit() {
        let one = fleet(1, |_| 1);
        for size in [2, 3, 251, 16_381, 65_537, 655_373] {
            assert_eq!(Maglev::with_table_size(Xxh3, &one, size).unwrap().table().len() as u64, size);
        }
        for size in [0, 1, 4, 9, 65_536, 655_372, 4_093 * 4_099, 16_777_216, 16_777_259, u64::MAX] {
            let error = Maglev::with_table_size(Xxh3, &one, size).unwrap_err();
            assert!(error.is_parameter(), "{size}");
            assert!(format!("{error}").contains(&format!("table size {size} ")), "{error}");
        }
        assert_eq!(table_size(16_777_213).unwrap(), 16_777_213);
    }

    #[test]
    fn owner_is_the_slot_at_hash_mod_size_and_replicas_are_the_next_others() {
        let place = Maglev::with_table_size(Xxh3, &fleet(20, |i| 1 + i as u32 % 4), 251).unwrap();
        for key in user_keys(500) {
            let slot = (Xxh3.hash(key.as_bytes()) % 251) as usize;
            let mut expected = Vec::new();
            for ix in place.table().iter().cycle().skip(slot).take(251) {
                if !expected.contains(&ix) {
                    expected.push(ix);
                }
            }
            assert_eq!(expected.len(), 20);
            assert_eq!(place.owner_ix(&key), expected[0]);
            assert_eq!(place.owners_ix(&key, 99).collect::<Vec<_>>(), expected);
            assert_eq!(place.preference(key.as_bytes(), 3), expected[..3]);
            let names: Vec<_> = place.owners(&key, 2).map(Server::name).collect();
            assert_eq!(names, [place.owner(&key).name(), place.servers()[expected[1].index()].name()]);
        }
        assert!(place.layout().is_none());
    }

    /// One slot each: of a fleet that 16 bits number, and of the least one that they do not.
    #[test]
    fn the_largest_fleets_of_narrow_and_the_smallest_of_wide_tables_are_filled() {
        for count in [65_536, 65_537] {
            let place = Maglev::new(Xxh3, &fleet(count, |_| 1)).unwrap();
            let mut slots = vec![0; count];
            place.table().iter().for_each(|owner| slots[owner.index()] += 1);
            assert!(slots.iter().all(|&slots| slots >= 1), "{count} servers");
            assert_eq!(slots.iter().sum::<u32>(), 65_537);
        }
    }

    #[test]
    fn a_join_leaves_nearly_all_other_slots_alone() {
        let before = Maglev::new(Xxh3, &fleet(10, |_| 1)).unwrap();
        let after = Maglev::new(Xxh3, &fleet(11, |_| 1)).unwrap();
        let name = |place: &Maglev, slot: usize| {
            place.servers()[place.table().get(slot).unwrap().index()].name().clone()
        };
        let (mut to_newcomer, mut stray) = (0, 0);
        for slot in 0..TABLE_SIZE as usize {
            match name(&after, slot) {
                owner if owner.as_str() == "cache-10" => to_newcomer += 1,
                owner if owner != name(&before, slot) => stray += 1,
                _ => {}
            }
        }
        assert!((5_957..=5_958).contains(&to_newcomer), "{to_newcomer}");
        assert!((1..1_500).contains(&stray), "{stray} of {TABLE_SIZE}");
    }
}
