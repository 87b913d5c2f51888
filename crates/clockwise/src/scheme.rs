//! A scheme chosen at run time: its settings as data, and the placement they build.
//!
//! Programs that know their scheme use its type. Tools that read it from a file, or set several
//! side by side, hold a [`Scheme`]. Schemes that need no more said than a hash and a number come from
//! the [catalogue]: whatever is added there can be named in a fleet file and joins every comparison.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;
use core::fmt;

use crate::bounded::Cap;
use crate::catalogue::{self, Chosen, Input, Placed};
use crate::dialect::{Dialect, PlacedAs};
use crate::error::Error;
use crate::hash::{KeyHash, NamedHash, Width};
use crate::jump::Jump;
use crate::maglev::{Maglev, TABLE_SIZE};
use crate::members::{Buckets, Members};
use crate::modulo::ModN;
use crate::placement::{Measured, Placement, Ranked, ServerIx, Table};
use crate::prefix::{KeyPrefix, Prefixed};
use crate::rendezvous::{Native, Rendezvous};
use crate::ring::{Collision, Geometry, POINTS_PER_WEIGHT, Ring};
use crate::server::Server;
use crate::slots::{SlotMap, Slots};

/// A placement scheme with its settings, or another system's recipe.
///
/// ```
/// use clockwise::{Buckets, Placement, Scheme, Server, hash::NamedHash};
///
/// let fleet = Buckets::new([Server::new("a")?, Server::new("b")?])?;
/// for scheme in Scheme::compared() {
///     let placement = scheme.build(&fleet)?;
///     assert!(["a", "b"].contains(&placement.owner(b"user:42").name().as_str()));
/// }
/// # Ok::<(), clockwise::Error>(())
/// ```
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
        /// The key hash, of 64 bits.
        hash: NamedHash,
    },
    /// [`Jump`] over the list.
    Jump {
        /// The key hash.
        hash: NamedHash,
    },
    /// [`Maglev`] with the native permutations.
    Maglev {
        /// The key hash.
        hash: NamedHash,
        /// Slots of the table, a prime.
        table_size: u64,
    },
    /// [`Slots`]: dealt [evenly](SlotMap::even) at first, and [rebalanced](SlotMap::rebalanced) with
    /// the fewest moves when the fleet changes.
    Slots {
        /// The key hash; `redis-slot` with 16,384 slots is what Redis Cluster does.
        hash: NamedHash,
        /// How many slots there are.
        slots: u32,
    },
    /// [Bounded loads](crate::Bounded) over a native ring. What it builds answers with the plain
    /// owner, and says the [cap](Built::cap) that the load decides by.
    Bounded {
        /// The hash of keys and points.
        hash: NamedHash,
        /// Points for each unit of weight.
        points_per_weight: u32,
        /// How far above its share a server may be filled.
        cap: Cap,
    },
    /// One of the [catalogue](crate::catalogue).
    Catalogued(Chosen),
    /// As another system places keys.
    Dialect(Dialect),
    /// Any of the others with a [prefix](Scheme::with_key_prefix) before every key.
    Prefixed(PrefixedScheme),
}

/// A scheme whose keys have a prefix: see [`Scheme::with_key_prefix`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrefixedScheme {
    prefix: KeyPrefix,
    /// Has no prefix.
    scheme: Box<Scheme>,
}

impl<D: Into<Dialect>> From<D> for Scheme {
    /// A system with its settings, or the settings alone.
    fn from(dialect: D) -> Scheme {
        Scheme::Dialect(dialect.into())
    }
}

impl Scheme {
    /// The schemes that a comparison sets side by side, with their native settings.
    pub fn compared() -> Vec<Scheme> {
        let hash = NamedHash::default();
        let ring = |points_per_weight| Scheme::Ring { hash, points_per_weight };
        let mut schemes = alloc::vec![
            Scheme::ModN { hash },
            ring(1),
            ring(16),
            ring(POINTS_PER_WEIGHT),
            Scheme::Rendezvous { hash },
            Scheme::Jump { hash },
            Scheme::Maglev { hash, table_size: TABLE_SIZE },
            Scheme::Bounded { hash, points_per_weight: POINTS_PER_WEIGHT, cap: Cap::QUARTER },
        ];
        schemes.extend(catalogue::SCHEMES.iter().map(|entry| Scheme::Catalogued(Chosen::new(entry))));
        schemes
    }

    /// The same with a prefix before every key, in the place of any that it has.
    ///
    /// ```
    /// use clockwise::dialect::libmemcached;
    /// use clockwise::{KeyPrefix, Scheme};
    ///
    /// let client = Scheme::from(libmemcached::Options::default());
    /// let client = client.with_key_prefix(KeyPrefix::new("app:")?);
    /// assert_eq!(client.to_string(), "libmemcached MODULA behind \"app:\"");
    /// # Ok::<(), clockwise::Error>(())
    /// ```
    #[must_use]
    pub fn with_key_prefix(self, prefix: KeyPrefix) -> Scheme {
        let scheme = match self {
            Scheme::Prefixed(PrefixedScheme { scheme, .. }) => scheme,
            bare => Box::new(bare),
        };
        Scheme::Prefixed(PrefixedScheme { prefix, scheme })
    }

    /// What stands before every key, if anything does.
    pub fn key_prefix(&self) -> Option<&KeyPrefix> {
        match self {
            Scheme::Prefixed(PrefixedScheme { prefix, .. }) => Some(prefix),
            _ => None,
        }
    }

    /// The scheme without its prefix.
    pub fn bare(&self) -> &Scheme {
        match self {
            Scheme::Prefixed(PrefixedScheme { scheme, .. }) => scheme,
            bare => bare,
        }
    }

    /// Whether it goes by the history of a fleet: the order in which servers were removed.
    pub fn keeps_history(&self) -> bool {
        matches!(self.bare(), Scheme::Catalogued(chosen) if chosen.entry().input == Input::History)
    }

    /// The placement of these servers. A scheme of a set does not look at their order.
    pub fn build(&self, servers: &Buckets) -> Result<Built, Error> {
        let set = || Members::from(servers);
        let ring = |hash: NamedHash, points_per_weight: u32| {
            Ring::builder(hash).points_per_weight(points_per_weight).build(&set())
        };
        Ok(match self {
            Scheme::ModN { hash } => Built::ModN(ModN::new(*hash, servers)?),
            Scheme::Ring { hash, points_per_weight } => Built::Ring(ring(*hash, *points_per_weight)?),
            Scheme::Rendezvous { hash } => Built::Rendezvous(Rendezvous::new(*hash, &set())?),
            Scheme::Jump { hash } => Built::Jump(Jump::new(*hash, servers)?),
            Scheme::Maglev { hash, table_size } => {
                Built::Maglev(Maglev::with_table_size(*hash, &set(), *table_size)?)
            }
            Scheme::Slots { hash, slots } => {
                Built::Slots(Slots::new(*hash, &SlotMap::even(&set(), *slots)?)?)
            }
            Scheme::Bounded { hash, points_per_weight, cap } => {
                Built::Bounded(ring(*hash, *points_per_weight)?, *cap)
            }
            Scheme::Catalogued(chosen) => Built::Catalogued(chosen.build(servers)?),
            Scheme::Dialect(dialect) => Built::Dialect(dialect.build(servers)?),
            Scheme::Prefixed(PrefixedScheme { prefix, scheme }) => {
                Built::prefixed(prefix.clone(), scheme.build(servers)?)
            }
        })
    }

    /// The placement of these servers after a change from `before`, which this scheme or another
    /// built.
    ///
    /// The same as [`build`](Scheme::build), except for schemes whose answer depends on where they
    /// come from.
    pub fn build_after(&self, before: &Built, servers: &Buckets) -> Result<Built, Error> {
        match (self, before.bare()) {
            (Scheme::Prefixed(PrefixedScheme { prefix, scheme }), before) => {
                Ok(Built::prefixed(prefix.clone(), scheme.build_after(before, servers)?))
            }
            (Scheme::Slots { hash, slots }, Built::Slots(before)) if before.map().slots() == *slots => {
                Ok(Built::Slots(Slots::new(*hash, &before.map().rebalanced(&servers.into())?)?))
            }
            (Scheme::Catalogued(chosen), Built::Catalogued(before)) => {
                Ok(Built::Catalogued(chosen.build_after(before, servers)?))
            }
            (Scheme::Dialect(dialect), Built::Dialect(before)) => {
                Ok(Built::Dialect(dialect.build_after(before, servers)?))
            }
            (Scheme::Ring { hash, points_per_weight }, Built::Ring(before) | Built::Bounded(before, _)) => {
                let ring = Ring::builder(*hash).points_per_weight(*points_per_weight);
                Ok(Built::Ring(ring.build_after(before, &servers.into())?))
            }
            (
                Scheme::Bounded { hash, points_per_weight, cap },
                Built::Ring(before) | Built::Bounded(before, _),
            ) => {
                let ring = Ring::builder(*hash).points_per_weight(*points_per_weight);
                Ok(Built::Bounded(ring.build_after(before, &servers.into())?, *cap))
            }
            _ => self.build(servers),
        }
    }
}

impl fmt::Display for Scheme {
    /// The name in tables and JSON: `mod-n`, `ring-160`, `twemproxy ketama fnv1a_64`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scheme::ModN { .. } => f.pad("mod-n"),
            Scheme::Ring { points_per_weight, .. } => f.pad(&format!("ring-{points_per_weight}")),
            Scheme::Rendezvous { .. } => f.pad("rendezvous"),
            Scheme::Jump { .. } => f.pad("jump"),
            Scheme::Maglev { .. } => f.pad("maglev"),
            Scheme::Slots { .. } => f.pad("slots"),
            Scheme::Bounded { .. } => f.pad("bounded"),
            Scheme::Catalogued(chosen) => fmt::Display::fmt(chosen, f),
            Scheme::Dialect(dialect) => fmt::Display::fmt(dialect, f),
            Scheme::Prefixed(PrefixedScheme { prefix, scheme }) => {
                f.pad(&format!("{scheme} behind {prefix:?}"))
            }
        }
    }
}

/// A placement that a [`Scheme`] built.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Built {
    /// Of [`Scheme::ModN`].
    ModN(ModN<NamedHash>),
    /// Of [`Scheme::Ring`].
    Ring(Ring<NamedHash>),
    /// Of [`Scheme::Rendezvous`].
    Rendezvous(Rendezvous<Native<NamedHash>>),
    /// Of [`Scheme::Jump`].
    Jump(Jump<NamedHash>),
    /// Of [`Scheme::Maglev`].
    Maglev(Maglev<NamedHash>),
    /// Of [`Scheme::Slots`].
    Slots(Slots<NamedHash>),
    /// Of [`Scheme::Bounded`]: the base ring and the cap.
    Bounded(Ring<NamedHash>, Cap),
    /// Of [`Scheme::Catalogued`].
    Catalogued(Placed),
    /// Of [`Scheme::Dialect`].
    Dialect(PlacedAs),
    /// Of [`Scheme::Prefixed`].
    Prefixed(Box<Prefixed<Built>>),
}

/// The same question to whichever placement it is.
macro_rules! ask {
    ($built:expr, $placement:ident => $answer:expr) => {
        match $built {
            Built::ModN($placement) => $answer,
            Built::Ring($placement) => $answer,
            Built::Rendezvous($placement) => $answer,
            Built::Jump($placement) => $answer,
            Built::Maglev($placement) => $answer,
            Built::Slots($placement) => $answer,
            Built::Bounded($placement, _) => $answer,
            Built::Catalogued($placement) => $answer,
            Built::Dialect($placement) => $answer,
            Built::Prefixed($placement) => $answer,
        }
    };
}

impl Built {
    fn prefixed(prefix: KeyPrefix, bare: Built) -> Built {
        Built::Prefixed(Box::new(Prefixed::new(prefix, bare)))
    }

    /// What stands before every key, if anything does.
    pub fn key_prefix(&self) -> Option<&KeyPrefix> {
        match self {
            Built::Prefixed(placement) => Some(placement.prefix()),
            _ => None,
        }
    }

    /// The placement of keys that have all before them that belongs there.
    pub fn bare(&self) -> &Built {
        match self {
            Built::Prefixed(placement) => placement.placement(),
            bare => bare,
        }
    }

    /// How far above its share a server may be filled, where load decides who gets a key: then the
    /// owner is only where a key goes first.
    pub fn cap(&self) -> Option<Cap> {
        match self.bare() {
            Built::Bounded(_, cap) => Some(*cap),
            Built::Dialect(placed) => placed.cap(),
            _ => None,
        }
    }

    /// The points, where it is a ring.
    pub fn ring(&self) -> Option<Geometry> {
        match self.bare() {
            Built::Ring(ring) | Built::Bounded(ring, _) => Some(ring.geometry()),
            Built::Dialect(placed) => placed.ring(),
            _ => None,
        }
    }

    /// Positions that several servers share and whose owner the system leaves open: at each of them
    /// two of its clients may differ. Native schemes leave nothing open.
    pub fn unsettled(&self) -> Vec<Collision> {
        match self.bare() {
            Built::Dialect(placed) => placed.unsettled(),
            _ => Vec::new(),
        }
    }
}

impl Built {
    /// The buckets, where the owner of a key is the one at its hash modulo their number: of hash mod
    /// N, Maglev and slots.
    pub fn table(&self) -> Option<Table> {
        match self.bare() {
            Built::ModN(placement) => Some(placement.table().clone()),
            Built::Maglev(placement) => Some(placement.table().clone()),
            Built::Slots(placement) => Some(placement.map().table()),
            Built::Dialect(placed) => placed.table(),
            _ => None,
        }
    }

    /// The key hash, where one number of a key decides its owner; of the prefix and the key, where
    /// there is a prefix.
    pub fn key_hash(&self) -> Option<BuiltHash<'_>> {
        let hash: &dyn KeyHash = match self.bare() {
            Built::ModN(placement) => placement.hash(),
            Built::Ring(ring) | Built::Bounded(ring, _) => ring.hash(),
            Built::Rendezvous(placement) => placement.hash(),
            Built::Jump(placement) => placement.hash(),
            Built::Maglev(placement) => placement.hash(),
            Built::Slots(placement) => placement.hash(),
            Built::Catalogued(placed) => placed.key_hash(),
            Built::Dialect(placed) => placed.key_hash()?,
            // What is bare has none.
            Built::Prefixed(_) => return None,
        };
        Some(BuiltHash { prefix: self.key_prefix(), hash })
    }
}

/// How a [`Built`] hashes a key, with the prefix before it if there is one.
#[derive(Clone, Copy)]
pub struct BuiltHash<'a> {
    prefix: Option<&'a KeyPrefix>,
    hash: &'a dyn KeyHash,
}

impl<'a> BuiltHash<'a> {
    /// The same hash behind another prefix, or behind none.
    #[must_use]
    pub fn behind(self, prefix: Option<&'a KeyPrefix>) -> BuiltHash<'a> {
        BuiltHash { prefix, ..self }
    }
}

impl KeyHash for BuiltHash<'_> {
    fn width(&self) -> Width {
        self.hash.width()
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        match self.prefix {
            Some(prefix) => prefix.before(bytes, |whole| self.hash.hash(whole)),
            None => self.hash.hash(bytes),
        }
    }
    fn hash_many(&self, keys: &[&[u8]], hashes: &mut [u64]) {
        match self.prefix {
            Some(prefix) => {
                let keys = &keys[..keys.len().min(hashes.len())];
                prefix.before_each(keys, |at, wholes| self.hash.hash_many(wholes, &mut hashes[at..]));
            }
            None => self.hash.hash_many(keys, hashes),
        }
    }
    fn bits(&self) -> u32 {
        self.hash.bits()
    }
    fn name(&self) -> Cow<'static, str> {
        let name = self.hash.name();
        self.prefix.map_or(name.clone(), |prefix| Cow::Owned(prefix.name(&name)))
    }
}

impl fmt::Debug for BuiltHash<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BuiltHash({})", self.name())
    }
}

impl Placement for Built {
    fn servers(&self) -> &[Server] {
        ask!(self, placement => Placement::servers(placement))
    }
    fn owner_ix(&self, key: &[u8]) -> ServerIx {
        ask!(self, placement => placement.owner_ix(key))
    }
    fn owners_of(&self, keys: &[&[u8]], owners: &mut [ServerIx]) {
        ask!(self, placement => placement.owners_of(keys, owners));
    }
    fn depends_on_order(&self) -> bool {
        ask!(self, placement => placement.depends_on_order())
    }
    fn ranked(&self) -> Option<&dyn Ranked> {
        ask!(self, placement => placement.ranked())
    }
    fn measured(&self) -> Option<&dyn Measured> {
        ask!(self, placement => placement.measured())
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;
    use crate::dialect::{libmemcached, twemproxy};
    use crate::testing::list;

    /// The fleet, without its weights where the scheme has none.
    fn of_equals(fleet: &Buckets, scheme: &Scheme) -> Buckets {
        let equal = |server: &Server| server.clone().with_weight(1_u32).unwrap();
        match scheme.keeps_history() {
            true => Buckets::new(fleet.servers().iter().map(equal)).unwrap(),
            false => fleet.clone(),
        }
    }

    /// Tools that take a placement apart to compare it rely on its parts being all of it.
    #[test]
    fn key_hash_and_points_or_buckets_give_the_owner() {
        let fleet = list(&[("a", 1), ("b", 3), ("c", 1), ("d", 2)]);
        let mut schemes = Scheme::compared();
        schemes.push(Scheme::Slots { hash: NamedHash::RedisSlot, slots: 16_384 });
        schemes.push(twemproxy::Options::default().into());
        let modula = twemproxy::Distribution::Modula;
        schemes.push(twemproxy::Options { distribution: modula, ..twemproxy::Options::default() }.into());
        schemes.push(libmemcached::Options::ketama_weighted().into());
        let prefix = KeyPrefix::new("app:").unwrap();
        schemes.extend(schemes.clone().into_iter().map(|scheme| scheme.with_key_prefix(prefix.clone())));
        let (mut rings, mut tables) = (0, 0);
        for scheme in schemes {
            let built = scheme.build(&of_equals(&fleet, &scheme)).unwrap();
            let hash = built.key_hash().unwrap();
            let (ring, table) = (built.ring(), built.table());
            rings += u32::from(ring.is_some());
            tables += u32::from(table.is_some());
            for i in 0..2_000 {
                let key = format!("user:{i}");
                let number = hash.hash(key.as_bytes());
                let owner = match (&ring, &table) {
                    (Some(ring), None) => ring.owner_of_hash(number),
                    (None, Some(table)) => table.owner_of_hash(number),
                    (None, None) => continue,
                    both => unreachable!("{scheme}: {both:?}"),
                };
                assert_eq!(owner, built.owner_ix(key.as_bytes()), "{scheme}: {key}");
            }
        }
        assert_eq!((rings, tables), (12, 8));
    }
    #[test]
    fn a_prefix_is_set_replaced_and_taken_off() {
        let prefix = |text| KeyPrefix::new(text).unwrap();
        let fleet = list(&[("a", 1), ("b", 3), ("c", 1)]);
        for scheme in Scheme::compared() {
            let fleet = of_equals(&fleet, &scheme);
            let app = scheme.clone().with_key_prefix(prefix("app:"));
            let web = app.clone().with_key_prefix(prefix("web:"));
            assert_eq!((web.bare(), web.key_prefix()), (&scheme, Some(&prefix("web:"))));
            assert_eq!((scheme.bare(), scheme.key_prefix()), (&scheme, None));
            let (plain, behind) = (scheme.build(&fleet).unwrap(), web.build(&fleet).unwrap());
            assert_eq!(behind.key_prefix(), web.key_prefix());
            assert_eq!(behind.cap(), plain.cap());
            assert_eq!(behind.key_hash().is_some(), plain.key_hash().is_some());
            for i in 0..200 {
                let (key, whole) = (format!("user:{i}"), format!("web:user:{i}"));
                assert_eq!(behind.owner_ix(key.as_bytes()), plain.owner_ix(whole.as_bytes()), "{web}: {key}");
            }
        }
    }

    #[test]
    fn slots_stay_where_they_are_when_a_prefix_comes_and_goes() {
        let slots = Scheme::Slots { hash: NamedHash::default(), slots: 64 };
        let app = slots.clone().with_key_prefix(KeyPrefix::new("app:").unwrap());
        let (two, three) = (list(&[("a", 1), ("b", 1)]), list(&[("a", 1), ("b", 1), ("c", 1)]));
        let before = slots.build_after(&slots.build(&two).unwrap(), &three).unwrap();
        for (from, to) in [(&slots, &app), (&app, &slots), (&app, &app)] {
            let after = to.build_after(&from.build(&two).unwrap(), &three).unwrap();
            assert_eq!(after.table(), before.table());
            assert_eq!(after.key_prefix(), to.key_prefix());
        }
        assert_ne!(before.table(), slots.build(&three).unwrap().table());
    }
}
