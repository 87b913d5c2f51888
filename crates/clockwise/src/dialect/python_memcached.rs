//! python-memcached.
//!
//! | parameter | value |
//! |---|---|
//! | key hash | bits 16 to 30 of CRC-32: fifteen bits |
//! | owner | hash mod total weight, each server in a row as often as it weighs |
//! | width | 32 bits |
//! | a dead server | the hash and a counter, as text, hashed again: up to ten tries |
//!
//! Text keys are hashed as UTF-8; a key given as a pair of a number and a text is placed by the
//! number, and is no key here. Programs that call `useOldServerHashFunction` are not covered.
//!
//! Checked against python-memcached 1.62.

use core::fmt;

use crate::error::Error;
use crate::hash::Crc32Of15Bits;
use crate::members::Buckets;
use crate::modulo::ModN;

/// Nothing can be set.
///
/// ```
/// use clockwise::dialect::python_memcached;
/// use clockwise::{Buckets, Server};
///
/// let list = Buckets::new([Server::new("a")?, Server::new("b")?.with_weight(3)?])?;
/// let client = python_memcached::Options::default().build(&list)?;
/// assert_eq!(client.buckets(), 4);
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Options {}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad("python-memcached")
    }
}

impl Options {
    /// The placement of servers listed in this order. Draining ones are left out.
    ///
    /// Refuses a total weight above 2²⁴.
    pub fn build(&self, list: &Buckets) -> Result<ModN<Crc32Of15Bits>, Error> {
        ModN::new(Crc32Of15Bits, list)
    }
}
