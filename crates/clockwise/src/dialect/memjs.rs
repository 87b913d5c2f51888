//! memjs, a JavaScript client.
//!
//! | parameter | value |
//! |---|---|
//! | key hash | the absolute value of Java's string hash, over UTF-16 units |
//! | owner | hash mod the number of servers, in the order of the list; weights do not exist |
//! | width | 32 bits |
//! | a dead server | the next in the list |
//!
//! Keys are JavaScript strings; see [`JavaStringAbs`] for bytes that are none.
//!
//! Checked against memjs 1.3.2 on Node 20.

use core::fmt;

use crate::error::Error;
use crate::hash::JavaStringAbs;
use crate::members::Buckets;
use crate::modulo::ModN;

/// Nothing can be set.
///
/// ```
/// use clockwise::dialect::memjs;
/// use clockwise::{Buckets, Server};
///
/// let list = Buckets::new([Server::new("a")?, Server::new("b")?, Server::new("c")?])?;
/// let client = memjs::Options::default().build(&list)?;
/// assert_eq!(client.owner("ab").name().as_str(), "a"); // 97 × 31 + 98 is 1035 × 3
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Options {}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad("memjs")
    }
}

impl Options {
    /// The placement of servers listed in this order. Draining ones are left out, which is not what
    /// the client does with a dead one.
    pub fn build(&self, list: &Buckets) -> Result<ModN<JavaStringAbs>, Error> {
        Ok(ModN::unweighted(JavaStringAbs, list))
    }
}
