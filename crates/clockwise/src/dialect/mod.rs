//! Recipes of real systems, to answer as they do, byte for byte.
//!
//! A recipe stands beside the schemes, not inside them: it is data (the system's own settings) and
//! pure functions that turn a list of servers into points of a [`Ring`], a table of buckets, or turns
//! of a [`Maglev`] table.
//! What it fixes:
//!
//! | knob | values seen |
//! |---|---|
//! | key hash | any of [`hash`](crate::hash) |
//! | what of the key is hashed | all of it, the part in a [hash tag](crate::hash::HashTag); with a [prefix](crate::Prefixed) before it, which any recipe may have |
//! | label of point *i* | name or address, a separator, a number |
//! | points per weight, and how they round | fixed, a product, a floor in floating point |
//! | points of a digest | one, or four words in some byte order |
//! | width of positions | 32 or 64 bits |
//! | boundary | the first point `>=` the hash, or `>`, or the nearest |
//! | tie | by index, by name, the later one, not specified |
//! | a dead server | walk on, rebuild without it, keep and miss |
//!
//! A dead server that a system rebuilds without is a [draining](crate::Server::draining) one here:
//! it stays listed, and no total counts it. (Which server is down is never a recipe's business by
//! itself: see [`crate::Placement`].)

use crate::hash::KeyHash;
use crate::maglev::Maglev;
use crate::modulo::ModN;
use crate::placement::{Measured, Placement, Ranked, ServerIx};
use crate::ring::Ring;
use crate::server::Server;

/// A placement that answers as another does, which it holds.
macro_rules! answers_as {
    ($placed:ty, $this:ident => $placement:expr) => {
        impl $crate::placement::Placement for $placed {
            fn servers(&self) -> &[$crate::server::Server] {
                let $this = self;
                $crate::placement::Placement::servers($placement)
            }
            fn owner_ix(&self, key: &[u8]) -> $crate::placement::ServerIx {
                let $this = self;
                $crate::placement::Placement::owner_ix($placement, key)
            }
            fn owners_of(&self, keys: &[&[u8]], owners: &mut [$crate::placement::ServerIx]) {
                let $this = self;
                $crate::placement::Placement::owners_of($placement, keys, owners);
            }
            fn depends_on_order(&self) -> bool {
                let $this = self;
                $crate::placement::Placement::depends_on_order($placement)
            }
            fn ranked(&self) -> Option<&dyn $crate::placement::Ranked> {
                let $this = self;
                $crate::placement::Placement::ranked($placement)
            }
            fn measured(&self) -> Option<&dyn $crate::placement::Measured> {
                let $this = self;
                $crate::placement::Placement::measured($placement)
            }
        }
    };
}

pub mod cassandra;
pub mod cilium;
pub mod couchbase;
pub mod dskit;
pub mod elasticsearch;
pub mod envoy;
mod fraction;
pub mod glb;
pub mod gomemcache;
pub mod grpc;
pub mod guava;
pub mod handbook;
pub mod haproxy;
pub mod ipvs;
pub mod kafka;
pub mod katran;
mod ketama;
pub mod lab;
pub mod libketama;
pub mod libmemcached;
pub mod mcrouter;
pub mod memjs;
mod named;
pub mod nginx;
pub mod npm_hashring;
pub mod npm_ketama;
pub mod npm_memcached;
pub mod php_memcache;
pub mod php_memcached;
pub mod pingora;
pub mod pylibmc;
pub mod pymemcache;
pub mod python_hashring;
pub mod python_memcached;
pub mod redis;
mod ring_hash;
pub mod spymemcached;
pub mod thanos;
pub mod trafficserver;
pub mod twemproxy;
pub mod uhashring;

pub use named::{Dialect, PlacedAs};

/// What a recipe yields, where its settings choose between a ring and tables.
#[derive(Clone, Debug)]
pub struct Placed<H> {
    scheme: Scheme<H>,
    depends_on_order: bool,
}

#[derive(Clone, Debug)]
enum Scheme<H> {
    Ring(Ring<H>),
    Table(ModN<H>),
    Maglev(Maglev<H>),
}

impl<H: KeyHash> Placed<H> {
    /// `sorted`: the recipe sorts its servers first, so that the order they came in is no matter.
    fn ring(ring: Ring<H>, sorted: bool) -> Placed<H> {
        Placed { depends_on_order: !sorted && ring.depends_on_order(), scheme: Scheme::Ring(ring) }
    }

    /// The same for a table of buckets.
    fn table(table: ModN<H>, sorted: bool) -> Placed<H> {
        Placed { depends_on_order: !sorted, scheme: Scheme::Table(table) }
    }

    /// The same for a table of slots.
    fn maglev(maglev: Maglev<H>) -> Placed<H> {
        Placed { depends_on_order: maglev.depends_on_order(), scheme: Scheme::Maglev(maglev) }
    }

    /// The ring, if it is one: its points, [collisions](Ring::collisions) and servers
    /// [without a point](Ring::pointless).
    pub fn as_ring(&self) -> Option<&Ring<H>> {
        match &self.scheme {
            Scheme::Ring(ring) => Some(ring),
            Scheme::Table(_) | Scheme::Maglev(_) => None,
        }
    }

    /// The table of buckets, if it is one.
    pub fn as_table(&self) -> Option<&ModN<H>> {
        match &self.scheme {
            Scheme::Table(table) => Some(table),
            Scheme::Ring(_) | Scheme::Maglev(_) => None,
        }
    }

    /// The table of slots, if it is one.
    pub fn as_maglev(&self) -> Option<&Maglev<H>> {
        match &self.scheme {
            Scheme::Maglev(maglev) => Some(maglev),
            Scheme::Ring(_) | Scheme::Table(_) => None,
        }
    }

    /// The owner of a key.
    pub fn owner(&self, key: impl AsRef<[u8]>) -> &Server {
        &self.servers()[self.owner_ix(key).index()]
    }

    /// The owner of a key, as an index into [`Placement::servers`].
    pub fn owner_ix(&self, key: impl AsRef<[u8]>) -> ServerIx {
        match &self.scheme {
            Scheme::Ring(ring) => ring.owner_ix(key),
            Scheme::Table(table) => table.owner_ix(key),
            Scheme::Maglev(maglev) => maglev.owner_ix(key),
        }
    }

    /// The servers, draining ones included, in the recipe's own order.
    pub fn servers(&self) -> &[Server] {
        match &self.scheme {
            Scheme::Ring(ring) => ring.servers(),
            Scheme::Table(table) => Placement::servers(table),
            Scheme::Maglev(maglev) => maglev.servers(),
        }
    }
}

impl<H: KeyHash> Placement for Placed<H> {
    fn servers(&self) -> &[Server] {
        Placed::servers(self)
    }
    fn owner_ix(&self, key: &[u8]) -> ServerIx {
        Placed::owner_ix(self, key)
    }
    fn owners_of(&self, keys: &[&[u8]], owners: &mut [ServerIx]) {
        match &self.scheme {
            Scheme::Ring(ring) => ring.owners_of(keys, owners),
            Scheme::Table(table) => table.owners_of(keys, owners),
            Scheme::Maglev(maglev) => maglev.owners_of(keys, owners),
        }
    }
    fn depends_on_order(&self) -> bool {
        self.depends_on_order
    }
    fn ranked(&self) -> Option<&dyn Ranked> {
        match &self.scheme {
            Scheme::Ring(ring) => ring.ranked(),
            Scheme::Table(table) => table.ranked(),
            // What comes after the owner is our own rule there, and no system's.
            Scheme::Maglev(_) => None,
        }
    }
    fn measured(&self) -> Option<&dyn Measured> {
        match &self.scheme {
            Scheme::Ring(ring) => ring.measured(),
            Scheme::Table(table) => table.measured(),
            Scheme::Maglev(maglev) => maglev.measured(),
        }
    }
}
