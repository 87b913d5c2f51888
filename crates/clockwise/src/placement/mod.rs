//! What every placement can be asked, whatever its scheme.
//!
//! [`Placement`] has two required methods. What only some schemes can do (rank the servers for a
//! key, measure shares exactly) are traits of their own, reached through provided methods that
//! answer "no": so a tool can hold any scheme behind one `&dyn Placement` and still use all it
//! offers, and a scheme never pretends.
//!
//! The library calls its concrete types directly; the trait object is for tools that choose a
//! scheme at run time.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;
use core::iter::FusedIterator;
use core::ops::ControlFlow;

use crate::hash::KeyHash;
use crate::server::Server;

mod arcs;
mod table;

pub use arcs::Arcs;
pub(crate) use arcs::{NARROW, Packed, WIDE};
pub use table::Table;
pub(crate) use table::is_narrow;

/// Which server of one placement: an index into its [`servers`](Placement::servers).
///
/// A number without arithmetic. It means nothing to another placement: compare servers across
/// placements by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServerIx(u32);

impl ServerIx {
    /// For implementors of [`Placement`]: the server at `index` of their own list.
    pub const fn new(index: u32) -> ServerIx {
        ServerIx(index)
    }

    /// For indices into a validated fleet, which has 2³¹ servers at most.
    pub(crate) fn from_usize(index: usize) -> ServerIx {
        ServerIx(index as u32)
    }

    /// The position in [`servers`](Placement::servers).
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The same as a `u32`.
    pub const fn get(self) -> u32 {
        self.0
    }
}

/// The servers that an iterator of their indices names, in its order: what the `owners` of a scheme
/// gives, where `owners_ix` gives the indices.
///
/// It borrows the placement, and of a key only what the indices do.
#[derive(Clone, Debug)]
#[must_use = "an iterator does nothing until it is asked"]
pub struct Servers<'a, I> {
    servers: &'a [Server],
    indices: I,
}

impl<'a, I: Iterator<Item = ServerIx>> Servers<'a, I> {
    pub(crate) fn new(servers: &'a [Server], indices: I) -> Servers<'a, I> {
        Servers { servers, indices }
    }
}

impl<'a, I: Iterator<Item = ServerIx>> Iterator for Servers<'a, I> {
    type Item = &'a Server;

    fn next(&mut self) -> Option<&'a Server> {
        self.indices.next().map(|ix| &self.servers[ix.index()])
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.indices.size_hint()
    }
}

impl<I: ExactSizeIterator<Item = ServerIx>> ExactSizeIterator for Servers<'_, I> {}
impl<I: FusedIterator<Item = ServerIx>> FusedIterator for Servers<'_, I> {}

/// An exact part of a whole: arcs of a circle, slots of a table, weight of a fleet.
///
/// Kept as a ratio of integers, so that shares sum to exactly one and are the same everywhere.
/// Compared by value: one half is two quarters.
#[derive(Clone, Copy)]
pub struct Share {
    part: u128,
    whole: u128,
}

impl Share {
    /// Nothing.
    pub const ZERO: Share = Share { part: 0, whole: 1 };

    /// `part` of `whole`. A whole of 0 has no parts: the share is nothing. (A part larger than the
    /// whole is a number above one, and no share of anything.)
    pub const fn new(part: u128, whole: u128) -> Share {
        if whole == 0 { Share::ZERO } else { Share { part, whole } }
    }

    /// The number of parts.
    pub const fn part(self) -> u128 {
        self.part
    }

    /// The number of parts that make the whole.
    pub const fn whole(self) -> u128 {
        self.whole
    }

    /// As a number, 0 to 1; rounded, so for showing and not for comparing.
    pub fn as_f64(self) -> f64 {
        self.part as f64 / self.whole as f64
    }
}

impl Ord for Share {
    /// Exact, and without products that could overflow: by the whole parts of the two fractions,
    /// then by the reciprocals of what is left, as Euclid does.
    fn cmp(&self, other: &Share) -> Ordering {
        let (mut left, mut right) = (*self, *other);
        loop {
            let (whole_left, rest_left) = (left.part / left.whole, left.part % left.whole);
            let (whole_right, rest_right) = (right.part / right.whole, right.part % right.whole);
            if whole_left != whole_right || rest_left == 0 || rest_right == 0 {
                return whole_left.cmp(&whole_right).then((rest_left > 0).cmp(&(rest_right > 0)));
            }
            // r/w < s/v exactly when v/s < w/r.
            (left, right) = (
                Share { part: right.whole, whole: rest_right },
                Share { part: left.whole, whole: rest_left },
            );
        }
    }
}

impl PartialOrd for Share {
    fn partial_cmp(&self, other: &Share) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Share {
    fn eq(&self, other: &Share) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Share {}

impl fmt::Debug for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.part, self.whole)
    }
}

impl fmt::Display for Share {
    /// As a percentage; the precision is the number of decimals (2 unless said).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = f.precision().unwrap_or(2);
        write!(f, "{:.decimals$}%", self.as_f64() * 100.0)
    }
}

/// Each server's weight of the total weight: the shares of a scheme that follows weights exactly.
pub(crate) fn weight_shares(servers: &[Server]) -> Vec<Share> {
    let total: u128 = servers.iter().map(|s| u128::from(s.effective_weight())).sum();
    servers.iter().map(|s| Share::new(u128::from(s.effective_weight()), total)).collect()
}

/// Each server's entries of all entries: the shares of a scheme that looks its owners up in a table.
pub(crate) fn table_shares(owners: impl IntoIterator<Item = ServerIx>, servers: usize) -> Vec<Share> {
    let mut counts = alloc::vec![0_u64; servers];
    let mut entries = 0_u64;
    for owner in owners {
        counts[owner.index()] += 1;
        entries += 1;
    }
    counts.into_iter().map(|count| Share::new(count.into(), entries.into())).collect()
}

/// A key's owner, for every key: built once, total, and free of allocation.
///
/// Liveness is no part of it. Which server *answers* while some are down is
/// [`route`](fn@crate::route)'s question.
pub trait Placement {
    /// The servers, draining ones included. A [`ServerIx`] is a position in this slice.
    fn servers(&self) -> &[Server];

    /// The owner of a key. Keys are bytes; any bytes, the empty key included.
    ///
    /// Implementors give each key the same answer every time, and an index below the number of
    /// servers.
    fn owner_ix(&self, key: &[u8]) -> ServerIx;

    /// The owner of a key, as a server.
    fn owner(&self, key: &[u8]) -> &Server {
        &self.servers()[self.owner_ix(key).index()]
    }

    /// Owners of many keys at once; `owners` is as long as `keys`, and a longer one keeps its tail.
    fn owners_of(&self, keys: &[&[u8]], owners: &mut [ServerIx]) {
        for (key, owner) in keys.iter().zip(owners) {
            *owner = self.owner_ix(key);
        }
    }

    /// Whether another order of the same servers would be another placement.
    fn depends_on_order(&self) -> bool {
        false
    }

    /// The scheme as one that orders all servers for a key, if it does.
    fn ranked(&self) -> Option<&dyn Ranked> {
        None
    }

    /// The scheme as one whose shares are known without looking at keys, if they are.
    fn measured(&self) -> Option<&dyn Measured> {
        None
    }
}

/// A placement that orders the active servers for every key: its preference list.
///
/// The first is the owner; replicas, overflow and substitutes for servers that are down follow.
pub trait Ranked: Placement {
    /// Calls `visit` with each active server once, the most preferred first, until it breaks. An
    /// active server that got no point of a ring has no place in the order and is left out.
    ///
    /// The lists of all keys hold the same servers, each list in an order of its own: whoever counts
    /// on a number of servers ([`Replicas`](crate::Replicas), [`Bounded`](crate::Bounded)) looks at
    /// one list when built, and relies on the others.
    ///
    /// Pushing rather than pulling keeps the trait usable behind a reference without a boxed
    /// iterator for every key.
    fn visit_preference(&self, key: &[u8], visit: &mut dyn FnMut(ServerIx) -> ControlFlow<()>);

    /// The first `count` servers of a key's preference list; fewer if fewer are active.
    fn preference(&self, key: &[u8], count: usize) -> Vec<ServerIx> {
        let mut list = Vec::with_capacity(count.min(self.servers().len()));
        if count > 0 {
            self.visit_preference(key, &mut |server| {
                list.push(server);
                if list.len() < count { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
        }
        list
    }
}

/// The servers that stand in every preference list: all active ones, but for those that a recipe
/// gave no point.
///
/// Lists of different keys hold the same servers in different orders, so one list tells. Whoever
/// counts on servers being reached (replicas, load caps) counts these.
pub(crate) fn listed<P: Ranked + ?Sized>(placement: &P) -> Vec<ServerIx> {
    placement.preference(b"", usize::MAX)
}

/// A placement behind a pointer is a placement: what stands on one can own it, borrow it or share
/// it, and need not know its scheme.
macro_rules! forward_placement {
    ($($pointer:ty),*) => {$(
        impl<P: Placement + ?Sized> Placement for $pointer {
            fn servers(&self) -> &[Server] {
                (**self).servers()
            }
            fn owner_ix(&self, key: &[u8]) -> ServerIx {
                (**self).owner_ix(key)
            }
            fn owners_of(&self, keys: &[&[u8]], owners: &mut [ServerIx]) {
                (**self).owners_of(keys, owners);
            }
            fn depends_on_order(&self) -> bool {
                (**self).depends_on_order()
            }
            fn ranked(&self) -> Option<&dyn Ranked> {
                (**self).ranked()
            }
            fn measured(&self) -> Option<&dyn Measured> {
                (**self).measured()
            }
        }

        impl<P: Ranked + ?Sized> Ranked for $pointer {
            fn visit_preference(&self, key: &[u8], visit: &mut dyn FnMut(ServerIx) -> ControlFlow<()>) {
                (**self).visit_preference(key, visit);
            }
            fn preference(&self, key: &[u8], count: usize) -> Vec<ServerIx> {
                (**self).preference(key, count)
            }
        }

        impl<P: Measured + ?Sized> Measured for $pointer {
            fn shares(&self) -> Vec<Share> {
                (**self).shares()
            }
            fn layout(&self) -> Option<Layout<'_>> {
                (**self).layout()
            }
        }
    )*};
}
forward_placement!(&P, Box<P>, Arc<P>);

/// A placement whose shares of the whole key space can be stated exactly.
pub trait Measured: Placement {
    /// Each server's share, by [`ServerIx`]: as many as there are servers, draining ones included.
    /// They sum to one.
    fn shares(&self) -> Vec<Share>;

    /// The division of the key space, where it is one that two placements can be compared by.
    fn layout(&self) -> Option<Layout<'_>> {
        None
    }
}

/// How a placement divides the hash space: what exact moves are computed from.
#[derive(Clone, Copy, Debug)]
pub enum Layout<'a> {
    /// Points on a circle of 2⁶⁴ positions, ascending. The owner of an arc owns every position after
    /// the end of the arc before, up to and including its own end; the first also owns what lies after
    /// the last. Of equal ends the first has the arc, and those of the others are empty.
    Circle {
        /// The last position that each arc includes, and its owner.
        arcs: Arcs<'a>,
        /// The last position that a key can have: the circle's own, unless the key hash fills only
        /// the lowest of its bits.
        last: u64,
        /// The key hash, by name: positions of different hashes cannot be compared.
        key_hash: &'a str,
    },
    /// Slots of equal size.
    Slots {
        /// The owner of each slot.
        owners: &'a [ServerIx],
        /// The rule from key to slot, by name.
        key_hash: &'a str,
    },
}

/// How many positions of a circle keys divide, if the last that a key can have is `last`: 2 to some
/// power.
///
/// Hashes of 32 bits lie 2³² positions apart, and a hash stands for those that lead up to it: so the
/// ones behind the last hash are those of hash 0, and part of the whole.
pub(crate) fn reach(last: u64) -> u128 {
    (u128::from(last) + 1).next_power_of_two()
}

/// What a scheme answers by methods of its own where a key's owner follows from the hash of the key
/// alone. Written once, so that every such scheme has the same names and keeps the same promises.
///
/// The scheme brings `servers`, `owner_of_hash` and a field `hash`.
macro_rules! owners_by_hash {
    () => {
        /// The owner of a key.
        #[inline]
        pub fn owner(&self, key: impl AsRef<[u8]>) -> &Server {
            &self.servers()[self.owner_ix(key).index()]
        }

        /// The owner of a key, as an index into the [servers](Self::servers).
        #[inline]
        pub fn owner_ix(&self, key: impl AsRef<[u8]>) -> ServerIx {
            self.owner_of_hash(self.hash.hash(key.as_ref()))
        }

        /// The key hash.
        pub fn hash(&self) -> &H {
            &self.hash
        }
    };
}

/// Keys are hashed so many at a time: some hashes are faster for many, and so are some schemes.
pub(crate) const BATCH: usize = 64;

/// [`Placement::owners_of`] by way of the hashes of the keys.
pub(crate) fn owners_by_hashes(
    keys: &[&[u8]],
    owners: &mut [ServerIx],
    hash: &impl KeyHash,
    owners_of_hashes: impl Fn(&[u64], &mut [ServerIx]),
) {
    let mut hashes = [0; BATCH];
    for (keys, owners) in keys.chunks(BATCH).zip(owners.chunks_mut(BATCH)) {
        let many = keys.len().min(owners.len());
        hash.hash_many(&keys[..many], &mut hashes);
        owners_of_hashes(&hashes[..many], owners);
    }
}

/// The same as a method of the trait, for schemes that bring `owners_of_hashes` and a field `hash`.
macro_rules! owners_of {
    () => {
        fn owners_of(&self, keys: &[&[u8]], owners: &mut [$crate::placement::ServerIx]) {
            let by_hashes = |hashes: &[u64], owners: &mut [_]| self.owners_of_hashes(hashes, owners);
            $crate::placement::owners_by_hashes(keys, owners, &self.hash, by_hashes);
        }
    };
}

/// The same for keys that the caller has hashed; a ring without its hash has only these.
macro_rules! owners_of_hashes {
    () => {
        /// Owners of many hashes at once; `owners` is as long as `hashes`, and a longer one keeps
        /// its tail.
        pub fn owners_of_hashes(&self, hashes: &[u64], owners: &mut [ServerIx]) {
            for (&hash, owner) in hashes.iter().zip(owners) {
                *owner = self.owner_of_hash(hash);
            }
        }
    };
}

pub(crate) use {owners_by_hash, owners_of, owners_of_hashes};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    #[test]
    fn shares_compare_by_value() {
        let max = u128::MAX;
        assert_eq!(Share::new(1, 2), Share::new(1 << 63, 1 << 64));
        assert_eq!(Share::new(0, 7), Share::ZERO);
        assert_eq!(Share::new(max, max), Share::new(3, 3));
        assert!(Share::new(max - 2, max - 1) < Share::new(max - 1, max));
        assert!(Share::new(1, max) < Share::new(1, max - 1));
        let mut random = Random(0x5eed_0010);
        for _ in 0..100_000 {
            let mut small = || u128::from(random.next() % 40);
            let (a, b, c, d) = (small(), 1 + small(), small(), 1 + small());
            assert_eq!(Share::new(a, b).cmp(&Share::new(c, d)), (a * d).cmp(&(c * b)), "{a}/{b} {c}/{d}");
        }
    }
}
