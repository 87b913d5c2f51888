//! hash_ring, and hashring, its form for Python 3.
//!
//! | parameter | value |
//! |---|---|
//! | key hash | the first word of MD5 of the key |
//! | owner | first point `>` the hash, wrapping |
//! | points of a server | 3 × digests: 40 × servers × weight ⁄ total weight, rounded down |
//! | rounding | exact integers, divided into an IEEE double |
//! | position of a point | one of the first three words of MD5 of the label |
//! | label | name, `-`, number from 0 |
//! | width | 32 bits |
//! | equal points | the server listed last |
//! | a dead server | the library knows of none |
//!
//! It looks like ketama, and differs from it in the points (120 in place of 160) and at the
//! boundary. Text keys are hashed as UTF-8.
//!
//! Checked against hashring 1.5.1. The original, hash_ring 1.3.1, runs on Python 2 only and was not
//! run.

use alloc::string::ToString;
use core::fmt;

use super::ketama;
use crate::error::Error;
use crate::hash::Md5Word;
use crate::members::Buckets;
use crate::ring::{Boundary, Ring, Tie};

/// Nothing can be set: nodes and weights are all that the library takes.
///
/// ```
/// use clockwise::dialect::python_hashring;
/// use clockwise::{Buckets, Server};
///
/// let list = Buckets::new([Server::new("10.0.1.1:11211")?, Server::new("10.0.1.2:11211")?])?;
/// let ring = python_hashring::Options::default().build(&list)?;
/// assert_eq!(ring.point_counts(), [120, 120]);
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Options {}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad("python-hashring")
    }
}

impl Options {
    /// The placement of nodes listed in this order. Draining ones are left out.
    ///
    /// Refuses more than [`MAX_POINTS`](crate::ring::MAX_POINTS) points.
    pub fn build(&self, list: &Buckets) -> Result<Ring<Md5Word>, Error> {
        let (total, servers) = (list.total_weight(), list.active().count());
        let points = ketama::md5_points(
            list,
            |server| digests(server.weight().get(), total, servers),
            |server| server.name().to_string(),
            |[first, second, third, _]| [first, second, third].map(u64::from),
        )?;
        Ring::from_points(Md5Word, list, points, Boundary::After, Tie::Last)
    }
}

/// Digests of a server of this weight, among so many servers of this total weight: the floor of what
/// Python's `/` makes of the two integers, which is the double nearest to the quotient.
fn digests(weight: u32, total: u64, servers: usize) -> u32 {
    let (part, whole) = (40 * servers as u128 * u128::from(weight), u128::from(total));
    let (floor, rest) = (part / whole, part % whole);
    // Doubles just below floor + 1 lie 2^(bits − 53) apart, and half of that away from it the
    // quotient is rounded up to it. No floor is above 40 × servers, of far fewer bits than 53.
    let bits = u128::BITS - floor.leading_zeros();
    let up = (whole - rest) << (54 - bits) <= whole;
    u32::try_from(floor + u128::from(up)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    #[test]
    fn digests_are_the_floor_of_a_double_division() {
        let mut random = Random(0x5eed_0301);
        for _ in 0..200_000 {
            let servers = 1 + random.below(1 << 16) as usize;
            let weight = 1 + random.below(1 << 20) as u32;
            let others = 1 << (1 + random.below(40));
            let total = u64::from(weight) + random.below(others);
            let double = (40 * servers as u64 * u64::from(weight)) as f64 / total as f64;
            assert_eq!(digests(weight, total, servers), double as u32, "{weight} {total} {servers}");
        }
    }

    #[test]
    fn a_quotient_nearest_to_the_next_integer_is_that() {
        assert_eq!(digests(u32::MAX - 4, u64::from(u32::MAX), 3), 119);
        assert_eq!(digests(u32::MAX, 40 * u64::from(u32::MAX), 1), 1);
        assert_eq!(digests(u32::MAX, 40 * u64::from(u32::MAX) + 1, 1), 0);
        // All as Python 3.11 computes 40 * n * w / t; the last one falls short by 2⁻⁵⁹ and rounds to 1.
        assert_eq!(digests(u32::MAX, 40 * u64::from(u32::MAX) * (1 << 22) + 1, 1 << 22), 1);
    }
}
