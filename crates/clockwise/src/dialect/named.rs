//! The one list of all dialects, and what any of them builds.
//!
//! A dialect chosen at run time is a [`Dialect`]: a system's name and its settings as data. What it
//! builds is a [`PlacedAs`], one type whatever the system. A new dialect is one line of the table
//! below, and can be named in a fleet file from then on (with its keys, in `clockwise-config`).

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use super::{
    Placed, cassandra, couchbase, dskit, elasticsearch, envoy, gomemcache, grpc, guava, haproxy, kafka, lab,
    libketama, libmemcached, mcrouter, memjs, nginx, npm_hashring, npm_ketama, npm_memcached, php_memcache,
    php_memcached, pingora, pylibmc, pymemcache, python_hashring, python_memcached, redis, spymemcached,
    thanos, trafficserver, twemproxy, uhashring,
};
use crate::bounded::Cap;
use crate::error::Error;
use crate::hash::{KeyHash, RedisSlot};
use crate::jump::Jump;
use crate::maglev::Maglev;
use crate::members::Buckets;
use crate::modulo::ModN;
use crate::placement::{Placement, Table};
use crate::ring::{Collision, Geometry, Ring};
use crate::slots::{SlotMap, Slots};

/// What a recipe builds.
pub(super) trait Recipe: Placement + fmt::Debug + Send + Sync {
    /// The points, where it is a ring.
    fn geometry(&self) -> Option<Geometry> {
        None
    }

    /// Positions whose owner the system leaves open.
    fn unsettled(&self) -> Vec<Collision> {
        let ring = self.geometry().filter(Ring::ties_are_unspecified);
        ring.map_or_else(Vec::new, |ring| ring.collisions().to_vec())
    }

    /// The buckets, where the owner is the one at the hash modulo their number.
    fn table(&self) -> Option<Table> {
        None
    }

    /// The key hash, where one number of a key decides.
    fn key_hash(&self) -> Option<&dyn KeyHash> {
        None
    }

    /// How far above its share a server may be filled, where load decides.
    fn cap(&self) -> Option<Cap> {
        None
    }

    /// The map, where a map of slots says who owns what.
    fn slot_map(&self) -> Option<&SlotMap> {
        None
    }
}

impl<H: KeyHash + fmt::Debug + Send + Sync> Recipe for Placed<H> {
    fn geometry(&self) -> Option<Geometry> {
        self.as_ring().map(Ring::geometry)
    }
    fn table(&self) -> Option<Table> {
        self.as_table().map(ModN::table).or_else(|| self.as_maglev().map(Maglev::table)).cloned()
    }
    fn key_hash(&self) -> Option<&dyn KeyHash> {
        Some(match (self.as_ring(), self.as_table(), self.as_maglev()) {
            (Some(ring), _, _) => ring.hash(),
            (None, Some(table), _) => table.hash(),
            (None, None, maglev) => maglev?.hash(),
        })
    }
}

impl<H: KeyHash + Send + Sync> Recipe for Ring<H> {
    fn geometry(&self) -> Option<Geometry> {
        Some(Ring::geometry(self))
    }
    fn key_hash(&self) -> Option<&dyn KeyHash> {
        let hash: &H = self.hash();
        Some(hash)
    }
}

impl<H: KeyHash + fmt::Debug + Send + Sync> Recipe for ModN<H> {
    fn table(&self) -> Option<Table> {
        Some(ModN::table(self).clone())
    }
    fn key_hash(&self) -> Option<&dyn KeyHash> {
        let hash: &H = self.hash();
        Some(hash)
    }
}

impl<H: KeyHash + Send + Sync> Recipe for Slots<H> {
    fn slot_map(&self) -> Option<&SlotMap> {
        Some(self.map())
    }
    fn table(&self) -> Option<Table> {
        Some(self.map().table())
    }
    fn key_hash(&self) -> Option<&dyn KeyHash> {
        let hash: &H = self.hash();
        Some(hash)
    }
}

impl Recipe for php_memcache::Placed {
    fn unsettled(&self) -> Vec<Collision> {
        php_memcache::Placed::unsettled(self)
    }
    fn table(&self) -> Option<Table> {
        Some(php_memcache::Placed::table(self))
    }
    fn key_hash(&self) -> Option<&dyn KeyHash> {
        Some(match self {
            php_memcache::Placed::Consistent(consistent) => consistent.ring().hash(),
            php_memcache::Placed::Standard(table) => table.hash(),
        })
    }
}

impl Recipe for nginx::Upstream {
    fn geometry(&self) -> Option<Geometry> {
        self.as_ring().map(Ring::geometry)
    }
    fn key_hash(&self) -> Option<&dyn KeyHash> {
        let ring = self.as_ring()?;
        Some(ring.hash())
    }
}

impl<H: KeyHash + fmt::Debug + Send + Sync> Recipe for Jump<H> {
    fn key_hash(&self) -> Option<&dyn KeyHash> {
        let hash: &H = self.hash();
        Some(hash)
    }
}

impl Recipe for elasticsearch::Index {}

impl Recipe for mcrouter::Pool {}

impl Recipe for pymemcache::Placed {}

impl Recipe for uhashring::Placed {
    fn geometry(&self) -> Option<Geometry> {
        Some(self.ring())
    }
    fn key_hash(&self) -> Option<&dyn KeyHash> {
        Some(self.key_hash())
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

            /// The placement of these servers after a change from `before`: what systems whose maps
            /// move with their nodes make of it (Redis Cluster), else [`build`](Dialect::build).
            pub fn build_after(&self, before: &PlacedAs, servers: &Buckets) -> Result<PlacedAs, Error> {
                match (self, before.0.slot_map()) {
                    (Dialect::RedisCluster(options), Some(map)) if map.slots() == RedisSlot::SLOTS => {
                        Ok(PlacedAs(Arc::new(options.build_after(map, servers)?)))
                    }
                    _ => self.build(servers),
                }
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
    Cassandra = "cassandra" => cassandra,
    Couchbase = "couchbase" => couchbase,
    Dskit = "dskit" => dskit,
    Elasticsearch = "elasticsearch" => elasticsearch,
    Envoy = "envoy" => envoy,
    Gomemcache = "gomemcache" => gomemcache,
    Grpc = "grpc" => grpc,
    Guava = "guava" => guava,
    Haproxy = "haproxy" => haproxy,
    Kafka = "kafka" => kafka,
    Lab = "lab" => lab,
    Libketama = "libketama" => libketama,
    Libmemcached = "libmemcached" => libmemcached,
    Mcrouter = "mcrouter" => mcrouter,
    Memjs = "memjs" => memjs,
    Nginx = "nginx" => nginx,
    NpmHashring = "npm-hashring" => npm_hashring,
    NpmKetama = "npm-ketama" => npm_ketama,
    NpmMemcached = "npm-memcached" => npm_memcached,
    PhpMemcache = "php-memcache" => php_memcache,
    PhpMemcached = "php-memcached" => php_memcached,
    Pingora = "pingora" => pingora,
    Pylibmc = "pylibmc" => pylibmc,
    Pymemcache = "pymemcache" => pymemcache,
    PythonHashring = "python-hashring" => python_hashring,
    PythonMemcached = "python-memcached" => python_memcached,
    RedisCluster = "redis-cluster" => redis,
    Spymemcached = "spymemcached" => spymemcached,
    Thanos = "thanos" => thanos,
    Trafficserver = "trafficserver" => trafficserver,
    Twemproxy = "twemproxy" => twemproxy,
    Uhashring = "uhashring" => uhashring,
}

/// A placement that a [`Dialect`] built. Clones share it.
#[derive(Clone, Debug)]
pub struct PlacedAs(Arc<dyn Recipe>);

impl PlacedAs {
    /// The points, where it is a ring.
    pub fn ring(&self) -> Option<Geometry> {
        self.0.geometry()
    }

    /// Positions that several servers share and whose owner the system leaves open: at each of them
    /// two of its clients may differ.
    pub fn unsettled(&self) -> Vec<Collision> {
        self.0.unsettled()
    }

    /// The buckets, where the owner of a key is the one at its hash modulo their number.
    pub fn table(&self) -> Option<Table> {
        self.0.table()
    }

    /// How far above its share a server may be filled, where load decides who gets a key.
    pub fn cap(&self) -> Option<Cap> {
        self.0.cap()
    }

    /// The key hash, where one number of a key decides its owner.
    pub fn key_hash(&self) -> Option<&dyn KeyHash> {
        self.0.key_hash()
    }
}

answers_as!(PlacedAs, this => &*this.0);
