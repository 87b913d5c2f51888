//! The one list of all dialects, and what any of them builds.
//!
//! A dialect chosen at run time is a [`Dialect`]: a system's name and its settings as data. What it
//! builds is a [`PlacedAs`], one type whatever the system. A new dialect is one line of the table
//! below, and can be named in a fleet file from then on (with its keys, in `clockwise-config`).

use alloc::sync::Arc;
use core::fmt;

use super::{Placed, libmemcached, twemproxy};
use crate::error::Error;
use crate::hash::KeyHash;
use crate::members::Buckets;
use crate::placement::{Measured, Placement, Ranked, ServerIx};
use crate::ring::{Geometry, Ring};
use crate::server::Server;

/// What a recipe builds.
pub(super) trait Recipe: Placement + fmt::Debug + Send + Sync {
    /// The points, where it is a ring.
    fn geometry(&self) -> Option<Geometry> {
        None
    }
}

impl<H: KeyHash + fmt::Debug + Send + Sync> Recipe for Placed<H> {
    fn geometry(&self) -> Option<Geometry> {
        self.as_ring().map(Ring::geometry)
    }
}

impl<H: KeyHash + Send + Sync> Recipe for Ring<H> {
    fn geometry(&self) -> Option<Geometry> {
        Some(Ring::geometry(self))
    }
}

/// The enum, its names, and one `build`, from one table. A module has `Options` that print as the
/// name in tables and JSON (the system, then what tells its settings apart), and `build`.
macro_rules! dialects {
    ($($(#[$doc:meta])* $variant:ident = $name:literal => $module:ident,)+) => {
        /// A system and its settings, chosen at run time.
        ///
        /// ```
        /// use clockwise::dialect::{Dialect, twemproxy};
        /// use clockwise::{Buckets, Placement, Server};
        ///
        /// let list = Buckets::new([Server::new("cache-1")?, Server::new("cache-2")?])?;
        /// let dialect = Dialect::from(twemproxy::Options::default());
        /// assert_eq!(dialect.to_string(), "twemproxy ketama fnv1a_64");
        /// let pool = dialect.build(&list)?;
        /// assert_eq!(pool.servers().len(), 2);
        /// # Ok::<(), clockwise::Error>(())
        /// ```
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Dialect {
            $(#[doc = concat!("As [`", stringify!($module), "`] places keys.")] $(#[$doc])* $variant($module::Options),)+
        }

        impl Dialect {
            /// The names of all of them, as in fleet files.
            pub const NAMES: &[&str] = &[$($name),+];

            /// The system's name in fleet files.
            pub fn name(&self) -> &'static str {
                match self { $(Dialect::$variant(_) => $name,)+ }
            }

            /// The placement of these servers, as the system makes it.
            pub fn build(&self, servers: &Buckets) -> Result<PlacedAs, Error> {
                Ok(PlacedAs(match self { $(Dialect::$variant(options) => Arc::new(options.build(servers)?),)+ }))
            }
        }

        impl fmt::Display for Dialect {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self { $(Dialect::$variant(options) => fmt::Display::fmt(options, f),)+ }
            }
        }

        $(impl From<$module::Options> for Dialect {
            fn from(options: $module::Options) -> Dialect {
                Dialect::$variant(options)
            }
        })+
    };
}

dialects! {
    Libmemcached = "libmemcached" => libmemcached,
    Twemproxy = "twemproxy" => twemproxy,
}

/// A placement that a [`Dialect`] built. Clones share it.
#[derive(Clone, Debug)]
pub struct PlacedAs(Arc<dyn Recipe>);

impl PlacedAs {
    /// The points, where it is a ring.
    pub fn ring(&self) -> Option<Geometry> {
        self.0.geometry()
    }
}

impl Placement for PlacedAs {
    fn servers(&self) -> &[Server] {
        self.0.servers()
    }
    fn owner_ix(&self, key: &[u8]) -> ServerIx {
        self.0.owner_ix(key)
    }
    fn owners_of(&self, keys: &[&[u8]], owners: &mut [ServerIx]) {
        self.0.owners_of(keys, owners);
    }
    fn depends_on_order(&self) -> bool {
        self.0.depends_on_order()
    }
    fn ranked(&self) -> Option<&dyn Ranked> {
        self.0.ranked()
    }
    fn measured(&self) -> Option<&dyn Measured> {
        self.0.measured()
    }
}
