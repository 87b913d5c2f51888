//! The hash ring: servers own points on a circle, and a key belongs to the first point clockwise
//! from its hash.
//!
//! Paper: David Karger, Eric Lehman, Tom Leighton, Matthew Levine, Daniel Lewin, Rina Panigrahy,
//! *Consistent Hashing and Random Trees: Distributed Caching Protocols for Relieving Hot Spots on
//! the World Wide Web*, STOC 1997, section 4. Points in proportion to a server's capacity:
//! Giuseppe DeCandia and others, *Dynamo: Amazon's Highly Available Key-value Store*, SOSP 2007,
//! section 4.2.
//!
//! | of the native ring | |
//! |---|---|
//! | key hash | xxh3-64, seed 0, over the key's bytes |
//! | point *i* of a server | xxh3-64, seed 0, over: the name's bytes, 0x00, *i* as u32 little-endian |
//! | points of a server | weight × points per weight (160), *i* from 0 |
//! | position | 64 bits |
//! | owner | the first point `>=` the hash; after the last point, the first |
//! | equal points | the bytewise smaller name |
//!
//! Other systems' rings come as points through [`Ring::from_points`] and are looked up by the same
//! code.

use alloc::borrow::Cow;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::ops::ControlFlow;

mod builder;
mod change;
mod circle;
mod line;
mod merge;
#[cfg(test)]
mod oracle;
mod sorted;
mod table;
#[cfg(test)]
mod tests;
mod walk;

pub use builder::{Label, RingBuilder};
pub use walk::Owners;

use builder::Recipe;
use circle::Circle;

use crate::error::Error;
use crate::hash::{KeyHash, Width, Xxh3};
use crate::members::Buckets;
use crate::placement::{
    Arcs, Layout, Measured, Placement, Ranked, ServerIx, Servers, Share, owners_by_hash, owners_of, reach,
};
use crate::server::Server;

/// How many points a server has for each unit of its weight where none are said.
pub const POINTS_PER_WEIGHT: u32 = 160;

/// The most points a ring may have: 2²⁴ (16,777,216). Such a ring takes about 0.3 GB, and while it
/// is built three times that.
pub const MAX_POINTS: u64 = 1 << 24;

/// Which point a key belongs to when its hash is exactly a point's position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Boundary {
    /// That point: the first `>=` the hash.
    AtOrAfter,
    /// The next one: the first `>` the hash.
    After,
    /// That point; any other hash belongs to the nearest point, and to the one before it where two
    /// are as near. Of points at one position the first owns what comes before it, the last what
    /// comes after.
    Nearest,
}

/// Which of several points at one position owns its arc.
///
/// Unless said otherwise the others stay on the ring: a walk for replicas passes them right after, in
/// the order stated here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tie {
    /// The first in the list of points.
    First,
    /// The last in the list of points.
    Last,
    /// The system sorts unstably and does not say. Here the first; see [`Ring::collisions`] for
    /// the positions at which two of its clients may differ.
    Unspecified,
    /// The first in the list of points. The system has no place for the others: they are dropped.
    OnlyFirst,
    /// As [`Tie::Unspecified`], and the system drops the others.
    OnlyUnspecified,
}

/// A position at which several servers have a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collision {
    position: u64,
    servers: Vec<ServerIx>,
}

impl Collision {
    /// The position, in the width of the key hash.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// The servers, each once, in order of preference: the first owns the arc.
    pub fn servers(&self) -> &[ServerIx] {
        &self.servers
    }
}

/// A hash ring. Immutable; clones share the points.
///
/// ```
/// use clockwise::hash::Xxh3;
/// use clockwise::{Members, Ring, Server};
///
/// let members = Members::new([Server::new("a")?, Server::new("b")?, Server::new("c")?])?;
/// let ring = Ring::builder(Xxh3).build(&members)?;
/// let owner = ring.owner("user:42");
///
/// // Its replicas are the next distinct servers clockwise.
/// let replicas: Vec<_> = ring.owners("user:42", 2).collect();
/// assert_eq!(replicas[0], owner);
///
/// // Without its owner the key goes to the next of them, and no other key moves.
/// let fewer = Ring::builder(Xxh3).build(&members.without(owner.name().as_str())?)?;
/// assert_eq!(fewer.owner("user:42"), replicas[1]);
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone)]
pub struct Ring<H = Xxh3> {
    hash: H,
    inner: Arc<Inner>,
}

struct Inner {
    circle: Circle,
    servers: Arc<[Server]>,
    /// Whether the fleet was a list, whose order decides ties.
    listed: bool,
    key_hash: Cow<'static, str>,
    /// How many bits a key's hash fills, and the last position of such a hash.
    key_bits: u32,
    last: u64,
    point_counts: Vec<u32>,
    /// Servers with at least one point.
    placed: usize,
    collisions: Vec<Collision>,
    /// Whether its recipe leaves open who wins them.
    ties_are_unspecified: bool,
    /// How it placed its points, if it did.
    recipe: Option<Recipe>,
}

impl<H: KeyHash> Ring<H> {
    /// Starts a ring whose points and keys are placed by `hash`: [`POINTS_PER_WEIGHT`] and
    /// [`Label::Native`] until said otherwise.
    pub fn builder<'a>(hash: H) -> RingBuilder<'a, H> {
        RingBuilder::new(hash)
    }

    /// A ring of points that were placed elsewhere: another system's recipe, or tokens from a file.
    ///
    /// Positions are in the width of the key hash (those of 32 bits in the low half), in any order.
    /// An active server may have no point: it owns nothing, and [`Ring::pointless`] lists it.
    ///
    /// Refuses an empty list, more than [`MAX_POINTS`], a position wider than the hash, and points
    /// of a draining server or of one that is not in the list.
    pub fn from_points(
        hash: H,
        buckets: &Buckets,
        points: Vec<(u64, ServerIx)>,
        boundary: Boundary,
        tie: Tie,
    ) -> Result<Ring<H>, Error> {
        builder::from_points(hash, buckets, points, boundary, tie)
    }

    owners_by_hash!();

    /// The first `count` distinct servers clockwise from a key, its owner first.
    ///
    /// Fewer where fewer have points: draining and [pointless](Ring::pointless) servers never
    /// appear. Allocates only beyond 16 servers.
    pub fn owners(&self, key: impl AsRef<[u8]>, count: usize) -> Servers<'_, Owners<'_>> {
        Servers::new(&self.inner.servers, self.owners_ix(key, count))
    }

    /// The same, as indices into [`Ring::servers`].
    pub fn owners_ix(&self, key: impl AsRef<[u8]>, count: usize) -> Owners<'_> {
        self.owners_of_hash(self.hash.hash(key.as_ref()), count)
    }

    /// The ring without its hash: its points and arcs, one type whatever placed them.
    pub fn geometry(&self) -> Geometry {
        Ring { hash: (), inner: self.inner.clone() }
    }
}

/// A ring as points and arcs only. It can be asked about hashes, and not about keys.
pub type Geometry = Ring<()>;

impl<H> Ring<H> {
    /// The servers, draining ones included. A [`ServerIx`] is a position in this slice.
    pub fn servers(&self) -> &[Server] {
        &self.inner.servers
    }

    /// The owner of a key whose hash is known. The hash is in the key hash's own width; of one of
    /// 32 bits only the low half counts.
    #[inline]
    pub fn owner_of_hash(&self, hash: u64) -> ServerIx {
        self.inner.circle.owner(hash)
    }

    /// The first `count` distinct servers clockwise from a key whose hash is known, its owner first, as
    /// [`Ring::owners_ix`] gives them.
    pub fn owners_of_hash(&self, hash: u64, count: usize) -> Owners<'_> {
        let inner = &*self.inner;
        let at = inner.circle.point(hash);
        Owners::of_points(inner.circle.points(), at, count, inner.placed, inner.servers.len())
    }

    /// Owners of many hashes at once; `owners` is as long as `hashes`, and a longer one keeps its
    /// tail.
    pub fn owners_of_hashes(&self, hashes: &[u64], owners: &mut [ServerIx]) {
        self.inner.circle.owners(hashes, owners);
    }

    /// The points in ascending order of their positions, which are in the width of the key hash.
    /// Of equal positions the one that owns the arc comes first.
    pub fn points(&self) -> impl Iterator<Item = (u64, ServerIx)> {
        let circle = &self.inner.circle;
        let smallest = circle.smallest();
        (smallest..circle.len()).chain(0..smallest).map(|at| (circle.native(at), circle.points().owner(at)))
    }

    /// How many points each server has, by [`ServerIx`].
    pub fn point_counts(&self) -> &[u32] {
        &self.inner.point_counts
    }

    /// Active servers without a single point: they own nothing, whatever their weight says.
    pub fn pointless(&self) -> impl Iterator<Item = &Server> {
        let counted = self.inner.servers.iter().zip(&self.inner.point_counts);
        counted.filter(|(server, count)| **count == 0 && !server.is_draining()).map(|(server, _)| server)
    }

    /// The position of the point that a hash belongs to, in the width of the key hash.
    pub fn position_of_hash(&self, hash: u64) -> u64 {
        self.inner.circle.native(self.inner.circle.point(hash))
    }

    /// Where in [`Ring::points`] the point stands that a hash belongs to.
    pub fn point_of_hash(&self, hash: u64) -> usize {
        let circle = &self.inner.circle;
        let at = circle.point(hash);
        if at < circle.smallest() { at + circle.len() - circle.smallest() } else { at - circle.smallest() }
    }

    /// The server of each point clockwise, from the one that a hash belongs to and once around.
    pub fn around(&self, hash: u64) -> impl ExactSizeIterator<Item = ServerIx> {
        let circle = &self.inner.circle;
        let (at, len) = (circle.point(hash), circle.len());
        (0..len).map(move |step| {
            // Both below 2²⁴, so the sum does not wrap.
            let point = at + step;
            circle.points().owner(if point < len { point } else { point - len })
        })
    }

    /// The first `count` distinct servers for the keys of each arc, its owner first: who holds their
    /// copies. Arcs that no key can fall into are left out.
    pub fn owners_of_arcs(&self, count: usize) -> impl Iterator<Item = Owners<'_>> {
        let Inner { circle, servers, placed, last, .. } = &*self.inner;
        let points = circle.points();
        // The first arc begins behind the last point, and always has position 0.
        let reached = move |at: &usize| *at == 0 || points.end(at - 1) < points.end(*at).min(*last);
        let owners = move |at| Owners::of_points(points, at, count, *placed, servers.len());
        (0..circle.len()).filter(reached).map(owners)
    }

    /// Positions that several servers share, ascending along the circle. On a native ring the
    /// smaller name owns such an arc; under [`Tie::Unspecified`] clients may disagree about it.
    pub fn collisions(&self) -> &[Collision] {
        &self.inner.collisions
    }

    /// Whether its system leaves open which of several servers at one position owns the arc: then
    /// two of its clients may disagree at each of the [collisions](Ring::collisions).
    pub fn ties_are_unspecified(&self) -> bool {
        self.inner.ties_are_unspecified
    }

    /// How many bits key hashes fill: all of the [width](Ring::width), but for a few hashes. Points
    /// from 2 to this power on are reached by no key, except the lowest of them.
    pub fn key_bits(&self) -> u32 {
        self.inner.key_bits
    }

    /// Which point a hash belongs to.
    pub fn boundary(&self) -> Boundary {
        self.inner.circle.boundary()
    }

    /// How wide positions and hashes are.
    pub fn width(&self) -> Width {
        self.inner.circle.width()
    }
}

impl<H: KeyHash> Placement for Ring<H> {
    fn servers(&self) -> &[Server] {
        &self.inner.servers
    }

    fn owner_ix(&self, key: &[u8]) -> ServerIx {
        Ring::owner_ix(self, key)
    }

    owners_of!();

    /// Only where servers of a list share a position: then their order decides who owns it.
    /// (Whether a recipe that made the points numbers its servers, only the recipe knows.)
    fn depends_on_order(&self) -> bool {
        self.inner.listed && !self.inner.collisions.is_empty()
    }

    fn ranked(&self) -> Option<&dyn Ranked> {
        Some(self)
    }

    fn measured(&self) -> Option<&dyn Measured> {
        Some(self)
    }
}

impl<H: KeyHash> Ranked for Ring<H> {
    fn visit_preference(&self, key: &[u8], visit: &mut dyn FnMut(ServerIx) -> ControlFlow<()>) {
        let _ = self.owners_ix(key, usize::MAX).try_for_each(visit);
    }
}

impl<H: KeyHash> Measured for Ring<H> {
    /// Lengths of arcs as far as the key hash reaches, in parts of the positions that it reaches:
    /// 2⁶⁴ of them, unless it fills only some of its bits.
    fn shares(&self) -> Vec<Share> {
        let Inner { circle, last, .. } = &*self.inner;
        let whole = reach(*last);
        let points = circle.points();
        let mut parts = alloc::vec![0_u128; self.inner.servers.len()];
        let first = points.end(0).min(*last);
        let mut from = first;
        for at in 1..points.len() {
            let to = points.end(at).min(*last);
            parts[points.owner(at).index()] += u128::from(to - from);
            from = to;
        }
        // The first arc begins after the last point: it is what the others leave.
        parts[points.owner(0).index()] += whole - u128::from(from - first);
        parts.into_iter().map(|part| Share::new(part, whole)).collect()
    }

    fn layout(&self) -> Option<Layout<'_>> {
        Some(Layout::Circle {
            arcs: Arcs::packed(self.inner.circle.points()),
            last: self.inner.last,
            key_hash: &self.inner.key_hash,
        })
    }
}

impl<H> fmt::Debug for Ring<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ring")
            .field("hash", &self.inner.key_hash)
            .field("servers", &self.inner.servers.len())
            .field("points", &self.inner.circle.len())
            .finish()
    }
}
