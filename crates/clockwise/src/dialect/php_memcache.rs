//! PHP Memcache (without a d; the PECL extension).
//!
//! | parameter | `hash_strategy=standard` | `hash_strategy=consistent` |
//! |---|---|---|
//! | key hash | bits 16 to 30 of `hash_function`; 0 becomes 1 | `hash_function` |
//! | owner | hash mod total weight, each server in a row as often as it weighs | bucket number hash mod 1024 |
//! | buckets | | bucket *i* belongs to the first point `>=` i × 4194303, wrapping |
//! | points of a server | | 160 × weight |
//! | position of a point | | `hash_function` of the label |
//! | label | | host, `:`, port, `-`, number from 0 |
//! | width | 32 bits | 32 bits |
//! | equal points | | not specified; it matters where a bucket falls on one |
//! | a dead server | a number and the key hashed again, if failover is on | the same |
//!
//! `hash_function` is `crc32`, or `fnv`: FNV-1a over signed bytes. Buckets give every server whole
//! 1024ths, and above some hundreds of servers some have none.
//!
//! A port that is missing is 11211; the port of a Unix socket is 0.
//!
//! Checked against PECL memcache 4.0.5.2 on PHP 8.2, x86-64. Its default strategy has been
//! `consistent` since 3.0, and `standard` before.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use super::ketama;
use crate::choice::choice;
use crate::error::Error;
use crate::hash::{Crc32, Fnv1a32Signed, KeyHash, Width, hash_choice};
use crate::members::Buckets;
use crate::modulo::ModN;
use crate::placement::{Layout, Measured, Placement, ServerIx, Share, Table, table_shares};
use crate::ring::{Boundary, Collision, Ring, Tie};
use crate::server::Server;

/// Points for each unit of weight.
const POINTS: u32 = 160;
/// Buckets that the ring is cut into.
const BUCKETS: u32 = 1024;
/// From one bucket's position to the next.
const STEP: u32 = u32::MAX / BUCKETS;

choice! {
    /// The setting memcache.hash_strategy.
    Strategy, "hash strategy" {
        /// : a ring, cut into 1024 buckets.
        #[default]
        Consistent = "consistent",
        /// : hash mod total weight.
        Standard = "standard",
    }
}

hash_choice! {
    /// The setting memcache.hash_function.
    Function {
        #[default]
        Crc32 = "crc32" => Crc32,
        Fnv = "fnv" => Fnv1a32Signed,
    }
}

/// What the standard strategy makes of a hash: fifteen bits, and never 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct StandardHash(Function);

impl KeyHash for StandardHash {
    fn width(&self) -> Width {
        Width::Bits32
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        (self.0.hash(bytes) >> 16 & 0x7fff).max(1)
    }
    fn bits(&self) -> u32 {
        15
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Owned(format!("{}, bits 16 to 30, not 0", self.0.name()))
    }
}

/// The settings that place keys; the default is php.ini's.
///
/// ```
/// use clockwise::dialect::php_memcache::{Options, Strategy};
/// use clockwise::{Buckets, Placement, Server};
///
/// let list = Buckets::new([
///     Server::new("a")?.with_address("10.0.0.1:11211")?,
///     Server::new("b")?.with_address("10.0.0.2:11211")?,
/// ])?;
/// let consistent = Options::default().build(&list)?;
/// let standard = Options { hash_strategy: Strategy::Standard, ..Options::default() }.build(&list)?;
/// assert!(!consistent.depends_on_order() && standard.depends_on_order());
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// The setting memcache.hash_strategy.
    pub hash_strategy: Strategy,
    /// The setting memcache.hash_function.
    pub hash_function: Function,
}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("php-memcache {} {}", self.hash_strategy, self.hash_function))
    }
}

impl Options {
    /// The placement of servers added in this order. Draining ones are left out.
    ///
    /// Refuses a total weight above 2²⁴, or more than [`MAX_POINTS`](crate::ring::MAX_POINTS) points.
    pub fn build(&self, list: &Buckets) -> Result<Placed, Error> {
        match self.hash_strategy {
            Strategy::Standard => ModN::new(StandardHash(self.hash_function), list).map(Placed::Standard),
            Strategy::Consistent => self.consistent(list).map(Placed::Consistent),
        }
    }

    fn consistent(&self, list: &Buckets) -> Result<Consistent, Error> {
        let hash = self.hash_function;
        let count = |server: &Server| server.weight().get().saturating_mul(POINTS);
        let points = ketama::points(list, count, stem, |label| [hash.hash(label)])?;
        let ring = Ring::from_points(hash, list, points, Boundary::AtOrAfter, Tie::Unspecified)?;
        let buckets = (0..BUCKETS).map(|bucket| ring.owner_of_hash(start(bucket))).collect();
        let key_hash = format!("{} mod {BUCKETS}", hash.name());
        Ok(Consistent { ring, buckets, key_hash })
    }
}

/// Where a bucket looks for its point.
fn start(bucket: u32) -> u64 {
    (STEP * bucket).into()
}

fn stem(server: &Server) -> String {
    let address = server.address();
    let default = if address.host().starts_with('/') { 0 } else { 11211 };
    format!("{}:{}", address.host(), address.port().unwrap_or(default))
}

/// A placement of PHP Memcache's.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Placed {
    /// Of the standard strategy.
    Standard(ModN<StandardHash>),
    /// Of the consistent strategy.
    Consistent(Consistent),
}

impl Placed {
    /// The server of each bucket.
    pub(super) fn table(&self) -> Table {
        match self {
            Placed::Consistent(consistent) => Table::wide(consistent.buckets.clone()),
            Placed::Standard(table) => table.table().clone(),
        }
    }

    fn placement(&self) -> &dyn Placement {
        match self {
            Placed::Standard(table) => table,
            Placed::Consistent(consistent) => consistent,
        }
    }

    /// Positions at which the system leaves open who owns a bucket.
    pub(super) fn unsettled(&self) -> Vec<Collision> {
        match self {
            Placed::Standard(_) => Vec::new(),
            Placed::Consistent(consistent) => consistent.unsettled(),
        }
    }
}

answers_as!(Placed, this => this.placement());

/// 1024 buckets, and the ring that they were filled from.
#[derive(Clone, Debug)]
pub struct Consistent {
    ring: Ring<Function>,
    buckets: Arc<[ServerIx]>,
    /// The rule from key to bucket, by name.
    key_hash: String,
}

impl Consistent {
    /// The owner of each bucket. Bucket *i* has the keys whose hash mod 1024 is *i*.
    pub fn buckets(&self) -> &[ServerIx] {
        &self.buckets
    }

    /// The ring, which no key is looked up on: its points and [collisions](Ring::collisions).
    pub fn ring(&self) -> &Ring<Function> {
        &self.ring
    }

    /// The collisions that a bucket falls on.
    fn unsettled(&self) -> Vec<Collision> {
        let used =
            |position| (0..BUCKETS).any(|bucket| self.ring.position_of_hash(start(bucket)) == position);
        self.ring.collisions().iter().filter(|collision| used(collision.position())).cloned().collect()
    }
}

impl Placement for Consistent {
    fn servers(&self) -> &[Server] {
        self.ring.servers()
    }
    fn owner_ix(&self, key: &[u8]) -> ServerIx {
        self.buckets[(self.ring.hash().hash(key) % u64::from(BUCKETS)) as usize]
    }
    fn depends_on_order(&self) -> bool {
        self.ring.depends_on_order()
    }
    fn measured(&self) -> Option<&dyn Measured> {
        Some(self)
    }
}

impl Measured for Consistent {
    /// Buckets of all buckets.
    fn shares(&self) -> Vec<Share> {
        table_shares(self.buckets.iter().copied(), self.ring.servers().len())
    }
    fn layout(&self) -> Option<Layout<'_>> {
        Some(Layout::Slots { owners: &self.buckets, key_hash: &self.key_hash })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{list, user_keys};

    #[test]
    fn a_key_goes_to_its_bucket_and_not_to_its_point() {
        let Placed::Consistent(place) = Options::default().build(&list(&[("a:1", 1), ("b:2", 3)])).unwrap()
        else {
            panic!("the default is consistent")
        };
        let points: Vec<_> = place.ring().points().collect();
        let mut elsewhere = 0;
        for key in user_keys(1_000) {
            let position = Crc32.hash(key.as_bytes()) % 1024 * 4_194_303;
            let point = points.iter().find(|point| point.0 >= position).unwrap_or(&points[0]);
            let owner = &place.ring().servers()[point.1.index()];
            assert_eq!(Placement::owner(&place, key.as_bytes()), owner, "{key}");
            elsewhere += usize::from(place.ring().owner(&key) != owner);
        }
        assert!(elsewhere > 100, "{elsewhere}");
        assert_eq!(place.ring().point_counts(), [160, 480]);
        let shares = place.shares();
        assert_eq!(shares.iter().map(|share| share.part()).sum::<u128>(), 1024);
        assert_eq!(shares[0].part(), place.buckets().iter().filter(|ix| ix.index() == 0).count() as u128);
    }

    #[test]
    fn collisions_count_where_a_bucket_falls_on_them() {
        let at = |name| Server::new(name).unwrap().with_address("10.0.0.1:11211").unwrap();
        let place = Options::default().build(&Buckets::new([at("x"), at("y")]).unwrap()).unwrap();
        let Placed::Consistent(consistent) = &place else { panic!("the default is consistent") };
        assert_eq!(consistent.ring().collisions().len(), 160);
        // An arc may lie between two buckets, and few of 160 are as short as that.
        assert!((150..=160).contains(&place.unsettled().len()), "{}", place.unsettled().len());
        assert!(consistent.buckets().iter().all(|ix| ix.index() == 0));
        let other = Options::default().build(&list(&[("a:1", 1), ("b:2", 3)])).unwrap();
        assert!(other.unsettled().is_empty());
    }

    #[test]
    fn the_standard_hash_has_fifteen_bits_and_is_never_0() {
        let hash = StandardHash(Function::Crc32);
        // CRC-32 of nothing is 0.
        assert_eq!(hash.hash(b""), 1);
        assert_eq!(hash.hash(b"123456789"), 0xcbf4_3926 >> 16 & 0x7fff);
    }

    #[test]
    fn labels_hold_host_and_port_always() {
        for (address, expected) in [
            ("10.0.0.1:11211", "10.0.0.1:11211"),
            ("10.0.0.1", "10.0.0.1:11211"),
            ("[::1]:5", "::1:5"),
            ("/run/m.sock", "/run/m.sock:0"),
        ] {
            assert_eq!(stem(&Server::new("s").unwrap().with_address(address).unwrap()), expected);
        }
    }
}
