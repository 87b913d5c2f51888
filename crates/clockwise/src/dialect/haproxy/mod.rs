//! HAProxy: `balance` by a hash, with `hash-type`, `hash-key` and `hash-balance-factor`.
//!
//! | parameter | `hash-type consistent` | `hash-type map-based` |
//! |---|---|---|
//! | key hash | sdbm, djb2, wt6, crc32 or none, then the [avalanche](avalanche32) if it is on | the same |
//! | avalanche | on if no function is named, else only if written | only if written |
//! | owner | the nearest point, the one before if two are as near ([`Boundary::Nearest`]) | hash mod total weight, over turns by weight |
//! | points of a server | 16 × weight | |
//! | position of point *j* | avalanche of (base + *j*) mod 2³²; the base is by [`HashKey`] | |
//! | weights | 1 to 256 | the same, over their greatest common divisor |
//! | width | 32 bits | 32 bits |
//! | equal points | the server listed first owns what comes before, the last what comes after | |
//! | a dead server | rebuild without it | the same |
//!
//! By default the base is the server's id × 4096: names, addresses and ports are no matter, and the
//! place in the list is, unless [ids](Options::ids) are written down. A server of weight 0 is
//! draining.
//!
//! What is hashed of a request is in [`request`]. A request without such a text gets no hash, and the
//! servers take turns. With `hash-balance-factor` the load decides too: [`Bounded`].
//!
//! Checked against HAProxy 2.6.12, and its development version 3.5-dev5 for `hash-key`, both as
//! programs; the function `none` from the source only.

use alloc::borrow::Cow;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::net::IpAddr;
use core::str::FromStr;

mod bounded;
mod map;
pub mod request;

pub use bounded::Bounded;

use super::{Placed, Scheme};
use crate::choice::choice;
use crate::error::{Error, Kind};
use crate::hash::{Crc32, Djb2, KeyHash, Sdbm, Width, Wt6, avalanche32, hash_choice, xxh32};
use crate::members::Buckets;
use crate::modulo::ModN;
use crate::placement::Placement as _;
use crate::ring::{Boundary, MAX_POINTS, Ring, Tie};
use crate::server::{Server, ServerName};

choice! {
    /// The method of a `hash-type`.
    Method, "hash-type method" {
        /// : hash mod total weight.
        #[default]
        MapBased = "map-based",
        /// : a ring.
        Consistent = "consistent",
    }
    refused {
        "avalanche" = "is no method any more: what it was is `map-based sdbm avalanche`",
    }
}

hash_choice! {
    /// The function of a `hash-type`.
    Function {
        #[default]
        Sdbm = "sdbm" => Sdbm,
        Djb2 = "djb2" => Djb2,
        Wt6 = "wt6" => Wt6,
        Crc32 = "crc32" => Crc32,
        /// : the key is a decimal number, and that is its hash.
        None = "none" => Decimal,
    }
}

choice! {
    /// The `hash-key` of servers: what their points on a ring are made from.
    HashKey, "hash-key" {
        /// : the id × 4096.
        #[default]
        Id = "id",
        /// : the id, mixed so that it fills 32 bits.
        Id32 = "id32",
        /// : the IP address; the id if the server has a Unix socket.
        Addr = "addr",
        /// : IP address and port; the id if the server has a Unix socket.
        AddrPort = "addr-port",
        /// : the text of the server's `guid`.
        Guid = "guid",
    }
}

/// A `hash-type` line: method, function, avalanche.
///
/// ```
/// use clockwise::dialect::haproxy::HashType;
///
/// let plain: HashType = "consistent".parse()?;
/// let named: HashType = "consistent sdbm".parse()?;
/// // Naming the function, even the one that is meant anyway, switches the avalanche off.
/// assert!(plain.avalanche() && !named.avalanche());
/// assert_eq!("consistent sdbm avalanche".parse::<HashType>()?.to_string(), "consistent sdbm avalanche");
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct HashType {
    method: Method,
    function: Option<(Function, bool)>,
}

impl HashType {
    /// With the default function: sdbm, with the avalanche on a ring.
    pub const fn new(method: Method) -> HashType {
        HashType { method, function: None }
    }

    /// With a function named, and `avalanche` behind it or not.
    pub const fn with_function(method: Method, function: Function, avalanche: bool) -> HashType {
        HashType { method, function: Some((function, avalanche)) }
    }

    /// The method.
    pub const fn method(&self) -> Method {
        self.method
    }

    /// The function.
    pub fn function(&self) -> Function {
        self.function.map_or_else(Function::default, |(function, _)| function)
    }

    /// Whether the function's value is mixed again.
    pub fn avalanche(&self) -> bool {
        self.function.map_or(self.method == Method::Consistent, |(_, avalanche)| avalanche)
    }
}

impl fmt::Display for HashType {
    /// As in a file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.function {
            None => f.pad(self.method.as_str()),
            Some((function, false)) => f.pad(&format!("{} {function}", self.method)),
            Some((function, true)) => f.pad(&format!("{} {function} avalanche", self.method)),
        }
    }
}

impl FromStr for HashType {
    type Err = Error;
    /// Reads what stands behind `hash-type`.
    fn from_str(text: &str) -> Result<HashType, Error> {
        let mut words = text.split_ascii_whitespace();
        let method = words.next().unwrap_or_default().parse()?;
        let Some(function) = words.next() else {
            return Ok(HashType::new(method));
        };
        let function = function.parse()?;
        match (words.next(), words.next()) {
            (None, _) => Ok(HashType::with_function(method, function, false)),
            (Some("avalanche"), None) => Ok(HashType::with_function(method, function, true)),
            _ => Err(Error::new(Kind::Option {
                name: "hash-type",
                value: format!("{text:?}"),
                problem: "has something other than `avalanche` behind the function",
            })),
        }
    }
}

/// How a backend hashes a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BackendHash {
    function: Function,
    avalanche: bool,
}

impl KeyHash for BackendHash {
    fn width(&self) -> Width {
        Width::Bits32
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        let hash = self.function.hash(bytes);
        if self.avalanche { avalanche32(hash as u32).into() } else { hash }
    }
    fn name(&self) -> Cow<'static, str> {
        match self.avalanche {
            false => self.function.name(),
            true => Cow::Owned(format!("{}, avalanche", self.function.name())),
        }
    }
}

/// The number that a key begins with, in decimal, cut to 32 bits: of nothing 0, of too many digits
/// the greatest of 63 bits.
#[derive(Clone, Copy, Debug)]
struct Decimal;

impl KeyHash for Decimal {
    fn width(&self) -> Width {
        Width::Bits32
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        let (negative, digits) = match bytes {
            [b'-', digits @ ..] => (true, digits),
            [b'+', digits @ ..] | digits => (false, digits),
        };
        let digits = digits.iter().take_while(|byte| byte.is_ascii_digit());
        let number = digits
            .fold(0, |number: u64, byte| number.saturating_mul(10).saturating_add((byte - b'0').into()));
        let number =
            if negative { number.min(1 << 63).wrapping_neg() } else { number.min(i64::MAX.cast_unsigned()) };
        number & u64::from(u32::MAX)
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("decimal")
    }
}

/// The largest weight of a server.
const MAX_WEIGHT: u32 = 256;

/// A backend's settings, as far as they place keys. The default is `hash-type map-based` and ids by
/// place.
///
/// ```
/// use clockwise::dialect::haproxy::Options;
/// use clockwise::{Buckets, Server};
///
/// let list = Buckets::new([Server::new("s1")?, Server::new("s2")?.with_weight(3)?])?;
/// let options = Options { hash_type: "consistent djb2 avalanche".parse()?, ..Options::default() };
/// let backend = options.build(&list)?;
/// assert_eq!(backend.as_ring().map(|ring| ring.point_counts()), Some([16, 48].as_slice()));
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// `hash-type`.
    pub hash_type: HashType,
    /// `hash-key`; only a ring asks for it.
    pub hash_key: HashKey,
    /// The ids that are written down (`id 101`). A server without one gets the lowest free number from
    /// a counter on, which begins at 1 and goes on by one with every server.
    pub ids: BTreeMap<ServerName, u32>,
    /// The texts that are written down as `guid`.
    pub guids: BTreeMap<ServerName, String>,
    /// `hash-balance-factor`: how full a server may be, in per cent of its share; 0 is off. A
    /// placement does not look at it: see [`Options::build_bounded`].
    pub hash_balance_factor: u16,
}

impl Options {
    /// The placement of a backend's servers: those that take part in the balancing, in the order of
    /// the file.
    ///
    /// Refuses a weight above 256; an id that is 0, too large, or two servers'; and on a ring a
    /// server without the address or guid that its `hash-key` asks for, or more than
    /// [`MAX_POINTS`] points.
    pub fn build(&self, list: &Buckets) -> Result<Placed<BackendHash>, Error> {
        match self.hash_type.method {
            Method::MapBased => {
                self.check(list)?;
                Ok(Placed::table(ModN::from_table(self.key_hash(), list, map::turns(list)?), false))
            }
            Method::Consistent => {
                // The place of a server in the list decides its id, unless that is written down.
                let by_place = matches!(self.hash_key, HashKey::Id | HashKey::Id32)
                    && list.servers().iter().any(|server| !self.ids.contains_key(server.name()));
                let ring = self.ring(list)?;
                let depends_on_order = by_place || ring.depends_on_order();
                Ok(Placed { scheme: Scheme::Ring(ring), depends_on_order })
            }
        }
    }

    /// The ring with `hash-balance-factor`, which asks the load.
    ///
    /// Refuses what [`Options::build`] refuses, a method other than `consistent`, and a factor below
    /// 101.
    pub fn build_bounded(&self, list: &Buckets) -> Result<Bounded, Error> {
        let factor = self.hash_balance_factor;
        let problem = match self.hash_type.method {
            Method::MapBased => "needs a ring: it acts on `hash-type consistent` only",
            Method::Consistent if factor <= 100 => "is too small: a factor goes from 101 to 65535",
            Method::Consistent => return Ok(Bounded::new(self.ring(list)?, factor)),
        };
        Err(Error::new(Kind::Option { name: "hash-balance-factor", value: factor.to_string(), problem }))
    }

    /// Refuses weights and ids that HAProxy refuses; returns the ids.
    fn check(&self, list: &Buckets) -> Result<Vec<u32>, Error> {
        for (_, server) in list.active() {
            if server.weight().get() > MAX_WEIGHT {
                let (value, problem) = (server.weight().to_string(), "is too large: HAProxy's end at 256");
                return Err(Error::new(Kind::Weight { value, problem }).of_server(server.name().as_str()));
            }
        }
        self.assigned_ids(list)
    }

    fn key_hash(&self) -> BackendHash {
        BackendHash { function: self.hash_type.function(), avalanche: self.hash_type.avalanche() }
    }

    /// The id of each server, given or assigned.
    ///
    /// Refuses an id that is 0 or above 2147483647, and one that two servers have.
    pub fn assigned_ids(&self, list: &Buckets) -> Result<Vec<u32>, Error> {
        let mut taken = BTreeSet::new();
        for server in list.servers() {
            let Some(&id) = self.ids.get(server.name()) else { continue };
            let problem = match id {
                0 | 0x8000_0000.. => "is outside 1 to 2147483647",
                _ if !taken.insert(id) => "is another server's already",
                _ => continue,
            };
            let kind = Kind::Option { name: "id", value: id.to_string(), problem };
            return Err(Error::new(kind).of_server(server.name().as_str()));
        }
        // The counter goes on with every server, and only those without an id look for a free one.
        let mut counter = 0;
        let mut assigned = |server: &Server| {
            counter += 1;
            if let Some(&id) = self.ids.get(server.name()) {
                return id;
            }
            while !taken.insert(counter) {
                counter += 1;
            }
            counter
        };
        Ok(list.servers().iter().map(&mut assigned).collect())
    }

    fn ring(&self, list: &Buckets) -> Result<Ring<BackendHash>, Error> {
        let ids = self.check(list)?;
        let mut total = 0;
        for (_, server) in list.active() {
            total += u64::from(16 * server.weight().get());
            if total > MAX_POINTS {
                let kind = Kind::TooManyPoints { points: total.into(), limit: MAX_POINTS };
                return Err(Error::new(kind).of_server(server.name().as_str()));
            }
        }
        let mut points = Vec::with_capacity(total as usize);
        for (ix, server) in list.active() {
            let base = self.base(server, ids[ix.index()])?;
            for j in 0..16 * server.weight().get() {
                points.push((avalanche32(base.wrapping_add(j)).into(), ix));
            }
        }
        Ring::from_points(self.key_hash(), list, points, Boundary::Nearest, Tie::First)
    }

    /// What the points of a server count up from.
    fn base(&self, server: &Server, id: u32) -> Result<u32, Error> {
        // Ids up to 2³¹ wrap, as they do in HAProxy.
        let by_id = id.wrapping_mul(4096);
        let refused = |problem| {
            let kind = Kind::Option { name: "hash-key", value: self.hash_key.to_string(), problem };
            Error::new(kind).of_server(server.name().as_str())
        };
        match self.hash_key {
            HashKey::Id => Ok(by_id),
            HashKey::Id32 => Ok(avalanche32(id.swap_bytes())),
            HashKey::Guid => match self.guids.get(server.name()) {
                Some(guid) => Ok(xxh32(guid.as_bytes(), 0)),
                None => Err(refused("needs a guid for this server")),
            },
            HashKey::Addr | HashKey::AddrPort => {
                let address = server.address();
                if address.host().starts_with('/') {
                    return Ok(by_id);
                }
                let ip: IpAddr = address
                    .host()
                    .parse()
                    .map_err(|_| refused("needs an IP address: a name has none before it is resolved"))?;
                let start = match (self.hash_key, address.port()) {
                    (HashKey::Addr, _) => 0,
                    (_, Some(port)) => avalanche32(port.into()),
                    (_, None) => return Err(refused("needs a port")),
                };
                Ok(match ip {
                    // The four bytes as they are in a packet, read as a little-endian number.
                    IpAddr::V4(ip) => avalanche32(start.wrapping_add(u32::from_le_bytes(ip.octets()))),
                    IpAddr::V6(ip) => xxh32(&ip.octets(), start),
                })
            }
        }
    }
}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("haproxy {}", self.hash_type))
    }
}

#[cfg(test)]
mod tests;
