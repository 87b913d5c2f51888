//! uhashring, a Python library.
//!
//! | parameter | the default | `hash_fn="ketama"` |
//! |---|---|---|
//! | key hash | MD5 of the key, all 128 bits | the first word of MD5 of the key |
//! | owner | first point `>` the hash, wrapping | the same |
//! | points of a server | weight × vnodes | 4 × digests: vnodes × servers × weight ÷ total weight, in integers |
//! | vnodes | 160 | 40 |
//! | position of a point | MD5 of the label | a word of MD5 of the label |
//! | label | name, `-`, number from 0 | the same |
//! | width | 128 bits | 32 bits |
//! | equal points | the node listed last | the same |
//! | a dead server | the library knows of none | the same |
//!
//! Text keys are hashed as UTF-8. A key given as `bytes` is hashed as Python prints it (`b'…'`),
//! which is another key.
//!
//! # 128 bits
//! Positions of the default ring are compared in full. Its [`ring`](Wide::ring), for pictures and
//! shares, has their upper halves: a key that shares all 64 bits with a point may belong to that
//! point here and to the next one there. Shares are off by less than one part in 2⁶⁴ a point.
//!
//! Checked against uhashring 2.5.

use alloc::format;
use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::ops::ControlFlow;

use super::ketama;
use crate::choice::choice;
use crate::error::{Error, Kind};
use crate::hash::md5::{md5_128_many, number_of};
use crate::hash::{KeyHash, Md5, Md5Word, md5_128};
use crate::members::Buckets;
use crate::placement::{Measured, Placement, Ranked, ServerIx, Share};
use crate::ring::{Boundary, Geometry, Owners, Ring, Tie};
use crate::server::Server;

choice! {
    /// The argument `hash_fn`.
    HashFn, "hash function" {
        /// : what the library does when told nothing.
        #[default]
        Md5 = "md5",
        /// : a ring of the ketama family.
        Ketama = "ketama",
    }
}

/// The arguments that place keys; the default is that of `HashRing(nodes)`.
///
/// ```
/// use clockwise::dialect::uhashring::{HashFn, Options};
/// use clockwise::{Buckets, Server};
///
/// let list = Buckets::new([Server::new("a")?, Server::new("b")?.with_weight(2)?])?;
/// let counts = |options: Options| Ok::<_, clockwise::Error>(options.build(&list)?.ring().point_counts().to_vec());
/// assert_eq!(counts(Options::default())?, [160, 320]);
/// assert_eq!(counts(Options { hash_fn: HashFn::Ketama, vnodes: None })?, [104, 212]);
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// The argument `hash_fn`.
    pub hash_fn: HashFn,
    /// The argument `vnodes`, if it is given.
    pub vnodes: Option<u32>,
}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("uhashring {}", self.hash_fn))
    }
}

impl Options {
    /// The placement of nodes listed in this order. Draining ones are left out.
    ///
    /// Refuses more than [`MAX_POINTS`](crate::ring::MAX_POINTS) points, and none at all.
    pub fn build(&self, list: &Buckets) -> Result<Placed, Error> {
        let stem = |server: &Server| server.name().to_string();
        match self.hash_fn {
            HashFn::Md5 => {
                let vnodes = self.vnodes.unwrap_or(160);
                let count = |server: &Server| server.weight().get().saturating_mul(vnodes);
                let points = ketama::md5_points(list, count, stem, |words| [number_of(words)])?;
                Wide::new(list, points).map(Placed::Wide)
            }
            HashFn::Ketama => {
                let vnodes = self.vnodes.unwrap_or(40);
                let (total, servers) = (u128::from(list.total_weight()), list.active().count());
                let count = |server: &Server| {
                    let all = u128::from(vnodes) * servers as u128 * u128::from(server.weight().get());
                    u32::try_from(all / total).unwrap_or(u32::MAX)
                };
                let points = ketama::md5_points(list, count, stem, |words| words.map(u64::from))?;
                Ring::from_points(Md5Word, list, points, Boundary::After, Tie::Last).map(Placed::Ketama)
            }
        }
    }
}

/// A placement of uhashring's.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Placed {
    /// Of the default: positions of 128 bits.
    Wide(Wide),
    /// Of `hash_fn="ketama"`.
    Ketama(Ring<Md5Word>),
}

impl Placed {
    /// The points, in 64 bits or 32.
    pub fn ring(&self) -> Geometry {
        match self {
            Placed::Wide(wide) => wide.ring().geometry(),
            Placed::Ketama(ring) => ring.geometry(),
        }
    }

    /// The key hash, in 64 bits or 32.
    pub(super) fn key_hash(&self) -> &dyn KeyHash {
        match self {
            Placed::Wide(wide) => wide.ring().hash(),
            Placed::Ketama(ring) => ring.hash(),
        }
    }

    fn placement(&self) -> &dyn Placement {
        match self {
            Placed::Wide(wide) => wide,
            Placed::Ketama(ring) => ring,
        }
    }
}

answers_as!(Placed, this => this.placement());

/// A ring whose positions are whole MD5 digests.
#[derive(Clone)]
pub struct Wide {
    points: Arc<[u128]>,
    owners: Arc<[ServerIx]>,
    /// How many servers have a point.
    placed: usize,
    /// The points cut to 64 bits.
    ring: Ring<Md5>,
}

impl Wide {
    fn new(list: &Buckets, mut points: Vec<(u128, ServerIx)>) -> Result<Wide, Error> {
        // The library's dictionary keeps the last of equal points.
        points.reverse();
        points.sort_by_key(|&(position, _)| position);
        points.dedup_by_key(|&mut (position, _)| position);
        if points.is_empty() {
            return Err(Error::new(Kind::PointsPerWeight));
        }
        let cut = points.iter().map(|&(position, ix)| ((position >> 64) as u64, ix)).collect();
        let ring = Ring::from_points(Md5, list, cut, Boundary::After, Tie::First)?;
        Ok(Wide {
            placed: ring.point_counts().iter().filter(|&&count| count > 0).count(),
            points: points.iter().map(|&(position, _)| position).collect(),
            owners: points.iter().map(|&(_, ix)| ix).collect(),
            ring,
        })
    }

    /// The same points cut to 64 bits, to be drawn and measured.
    pub fn ring(&self) -> &Ring<Md5> {
        &self.ring
    }

    /// The first point after the hash of a key.
    fn point(&self, hash: u128) -> usize {
        let at = self.points.partition_point(|&position| position <= hash);
        if at == self.points.len() { 0 } else { at }
    }
}

impl Placement for Wide {
    fn servers(&self) -> &[Server] {
        self.ring.servers()
    }
    fn owner_ix(&self, key: &[u8]) -> ServerIx {
        self.owners[self.point(md5_128(key))]
    }
    fn owners_of(&self, keys: &[&[u8]], owners: &mut [ServerIx]) {
        md5_128_many(keys, owners, |hash| self.owners[self.point(hash)]);
    }
    fn ranked(&self) -> Option<&dyn Ranked> {
        Some(self)
    }
    fn measured(&self) -> Option<&dyn Measured> {
        Some(self)
    }
}

impl Ranked for Wide {
    fn visit_preference(&self, key: &[u8], visit: &mut dyn FnMut(ServerIx) -> ControlFlow<()>) {
        let servers = self.ring.servers().len();
        for server in Owners::new(&self.owners, self.point(md5_128(key)), usize::MAX, self.placed, servers) {
            if visit(server).is_break() {
                return;
            }
        }
    }
}

impl Measured for Wide {
    fn shares(&self) -> Vec<Share> {
        self.ring.shares()
    }
    fn layout(&self) -> Option<crate::placement::Layout<'_>> {
        self.ring.layout()
    }
}

impl fmt::Debug for Wide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wide").field("points", &self.points.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{list, user_keys};

    #[test]
    fn a_key_that_is_a_label_belongs_to_the_next_point() {
        let servers = list(&[("a", 1), ("b", 1), ("c", 1)]);
        for hash_fn in [HashFn::Md5, HashFn::Ketama] {
            let place = Options { hash_fn, vnodes: None }.build(&servers).unwrap();
            let ring = place.ring();
            let points: Vec<_> = ring.points().collect();
            for i in 0..40 {
                let label = format!("b-{i}");
                let hash = match hash_fn {
                    HashFn::Md5 => (md5_128(label.as_bytes()) >> 64) as u64,
                    HashFn::Ketama => Md5Word.hash(label.as_bytes()),
                };
                let at = points.iter().position(|&(position, _)| position == hash).unwrap();
                assert_eq!(place.owner_ix(label.as_bytes()), points[(at + 1) % points.len()].1, "{label}");
            }
        }
    }

    #[test]
    fn wide_positions_are_compared_in_full() {
        // Three points that agree in their upper halves, around the hash of one key.
        let servers = list(&[("a", 1), ("b", 1), ("c", 1)]);
        let hash = md5_128(b"user:42");
        let points = [hash, hash + 1, hash - 1].into_iter().zip((0..).map(ServerIx::new)).collect();
        let wide = Wide::new(&servers, points).unwrap();
        assert_eq!(wide.owner_ix(b"user:42").index(), 1);
        assert_eq!(wide.preference(b"user:42", 9).iter().map(|ix| ix.index()).collect::<Vec<_>>(), [1, 2, 0]);
        // After the last point comes the first.
        let points = [hash, hash - 1].into_iter().zip((0..).map(ServerIx::new)).collect();
        assert_eq!(Wide::new(&servers, points).unwrap().owner_ix(b"user:42").index(), 1);
    }

    #[test]
    fn wide_and_cut_rings_agree_on_ordinary_keys() {
        let place = Options::default().build(&list(&[("a", 1), ("b", 3), ("c", 2)])).unwrap();
        let Placed::Wide(wide) = &place else { panic!("the default is wide") };
        for key in user_keys(2_000) {
            assert_eq!(wide.owner_ix(key.as_bytes()), wide.ring().owner_ix(&key), "{key}");
            assert_eq!(
                wide.preference(key.as_bytes(), 3),
                wide.ring().preference(key.as_bytes(), 3),
                "{key}"
            );
        }
        assert_eq!(wide.ring().point_counts(), [160, 480, 320]);
    }

    #[test]
    fn points_that_do_not_fit_are_refused_and_none_are_too() {
        let heavy = list(&[("a", 1), ("b", u32::MAX)]);
        let error = Options::default().build(&heavy).unwrap_err();
        assert!(error.is_too_large() && error.server() == Some("b"), "{error}");
        for hash_fn in [HashFn::Md5, HashFn::Ketama] {
            let error = Options { hash_fn, vnodes: Some(0) }.build(&list(&[("a", 1)])).unwrap_err();
            assert!(error.is_parameter(), "{error}");
        }
        // A weight that rounds to nothing has no point.
        let ketama = Options { hash_fn: HashFn::Ketama, vnodes: None };
        assert_eq!(ketama.build(&list(&[("a", 1), ("b", 1000)])).unwrap().ring().point_counts(), [0, 316]);
    }
}
