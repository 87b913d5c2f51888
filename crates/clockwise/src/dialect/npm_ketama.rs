//! ketama of npm, which is not ketama.
//!
//! | parameter | value |
//! |---|---|
//! | key hash | the first four bytes of SHA-1 of the key, big-endian |
//! | owner | first point `>=` the hash, wrapping |
//! | points of a server | 50 × weight |
//! | position of a point | the key hash of the label |
//! | label | name, a zero byte, number from 1 |
//! | width | 32 bits |
//! | equal points | the server listed first |
//! | a dead server | the library knows of none |
//!
//! The package reads positions as signed numbers, which turns the circle by half and changes no
//! neighbour; positions here are unsigned. Text keys are hashed as UTF-8.
//!
//! Checked against ketama 1.0.0 on Node 20.

use alloc::format;
use core::fmt;

use super::ketama;
use crate::error::Error;
use crate::hash::{KeyHash, Sha1WordBe};
use crate::members::Buckets;
use crate::ring::{Boundary, Ring, Tie};
use crate::server::Server;

/// Points for each unit of weight.
const BASE_WEIGHT: u32 = 50;

/// Nothing can be set: other digests than the default are not covered.
///
/// ```
/// use clockwise::dialect::npm_ketama;
/// use clockwise::{Buckets, Server};
///
/// let list = Buckets::new([Server::new("a")?, Server::new("b")?.with_weight(2)?])?;
/// let ring = npm_ketama::Options::default().build(&list)?;
/// assert_eq!(ring.point_counts(), [50, 100]);
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Options {}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad("npm-ketama")
    }
}

impl Options {
    /// The placement of nodes added in this order. Draining ones are left out.
    ///
    /// Refuses more than [`MAX_POINTS`](crate::ring::MAX_POINTS) points.
    pub fn build(&self, list: &Buckets) -> Result<Ring<Sha1WordBe>, Error> {
        let count = |server: &Server| server.weight().get().saturating_mul(BASE_WEIGHT);
        let stem = |server: &Server| format!("{}\0", server.name());
        let points = ketama::labelled(list, count, stem, 1, |label| [Sha1WordBe.hash(label)])?;
        Ring::from_points(Sha1WordBe, list, points, Boundary::AtOrAfter, Tie::First)
    }
}
