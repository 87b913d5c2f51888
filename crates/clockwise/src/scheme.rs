//! A scheme chosen at run time: its name and settings as data, and the placement they build.
//!
//! Programs that know their scheme use its type. Tools that read it from a file, or set several
//! side by side, hold a [`Scheme`]. This is the one list of all schemes: whatever is added here
//! can be named in a fleet file and joins every comparison.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::bounded::Cap;
use crate::dialect::{libmemcached, twemproxy};
use crate::error::Error;
use crate::hash::{NamedHash, Width};
use crate::jump::Jump;
use crate::maglev::Maglev;
use crate::members::{Buckets, Members};
use crate::modulo::ModN;
use crate::placement::{Measured, Placement, Ranked, ServerIx};
use crate::rendezvous::Rendezvous;
use crate::ring::{Ring, Points};
use crate::server::Server;
use crate::slots::{SlotMap, SlotRule, Slots};

/// A placement scheme with its settings, or another system's recipe.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scheme {
    /// [`ModN`] over the list.
    ModN {
        /// The key hash.
        hash: NamedHash,
    },
    /// A [`Ring`] with the native labels.
    Ring {
        /// The hash of keys and points.
        hash: NamedHash,
        /// Points for each unit of weight.
        points_per_weight: u32,
    },
    /// [`Rendezvous`] with the native score.
    Rendezvous {
        /// The key hash.
        hash: NamedHash,
    },
    /// [`Jump`] over the list.
    Jump {
        /// The key hash.
        hash: NamedHash,
    },
    /// [`Maglev`].
    Maglev {
        /// The key hash.
        hash: NamedHash,
        /// Slots of the table, a prime.
        table_size: u32,
    },
    /// [Bounded loads](crate::bounded) over a native ring.
    Bounded {
        /// The hash of keys and points.
        hash: NamedHash,
        /// Points for each unit of weight.
        points_per_weight: u32,
        /// How far above the mean a server may be filled.
        cap: Cap,
    },
    /// Fixed [`Slots`].
    Slots {
        /// From a key to its slot.
        rule: SlotRule,
        /// Who has which slots: inclusive ranges by server name. Empty: evenly by weight.
        ranges: Vec<SlotRange>,
    },
    /// As libmemcached places keys.
    Libmemcached(libmemcached::Options),
    /// As twemproxy places keys.
    Twemproxy(twemproxy::Options),
}
