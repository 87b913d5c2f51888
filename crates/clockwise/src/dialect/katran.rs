//! Katran: the tables of its hash ring for a virtual IP, versions 1 and 2.
//!
//! | parameter | Maglev (1) | MaglevV2 (2) |
//! |---|---|---|
//! | table size | 65,537 unless said; a prime | the same |
//! | offset, skip | MurmurHash3 x64-128 (first 64 bits) of the host's hash and a number, both as 8 little-endian bytes: 42 under seed 0, mod M; 2,718,281,828 under seed 2,307, mod (M − 1) + 1 | the same |
//! | turns | the first turn of a host is as many slots as it weighs, every further one a slot | in each round a host gains its weight, and takes a slot for the largest weight when it has that much |
//! | order of hosts | as given | as given |
//! | slot of a packet | by a hash in the kernel program, over addresses and ports: not covered here | the same |
//!
//! Version 1 follows weights in the first round only: small ones hardly count. What a host's own hash
//! is of is Katran's caller's choice, so it is given here.
//!
//! The product of skip and turn is kept in 32 bits there, which larger tables would overflow; so no
//! larger one is built here.
//!
//! Checked against recorded tables of Katran, whose version was not recorded.

use alloc::vec::Vec;

use crate::choice::choice;
use crate::error::{Error, Kind};
use crate::hash::murmur3_x64_128;
use crate::maglev::{Maglev, Walk, table_size};
use crate::members::Buckets;
use crate::placement::ServerIx;
use crate::server::Server;

choice! {
    /// Which rule deals out the slots.
    Version, "hash ring" {
        /// : version 1.
        #[default]
        Maglev = "Maglev",
        /// : version 2.
        MaglevV2 = "MaglevV2",
    }
}

/// The largest table whose walks fit 32 bits.
const MAX_RING_SIZE: u32 = 65_537;

/// A ring's settings.
///
/// ```
/// use clockwise::dialect::katran::{Options, Version};
/// use clockwise::hash::xxh64;
/// use clockwise::{Buckets, Server};
///
/// let list = Buckets::new([Server::new("10.0.0.1")?.with_weight(3)?, Server::new("10.0.0.2")?])?;
/// let options = Options { version: Version::MaglevV2, ring_size: 1021 };
/// let table = options.build(&list, |server| xxh64(server.name().as_str().as_bytes(), 0))?;
/// let first = table.table().iter().filter(|ix| ix.index() == 0).count();
/// assert_eq!(first, 766); // ¾ of 1,021
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// The rule.
    pub version: Version,
    /// Slots of the table.
    pub ring_size: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options { version: Version::Maglev, ring_size: MAX_RING_SIZE }
    }
}

impl Options {
    /// The table of these hosts in their order, each with a hash of its own; draining ones are left
    /// out.
    ///
    /// Refuses a size that is not a prime up to 65,537.
    pub fn build(&self, list: &Buckets, hash: impl Fn(&Server) -> u64) -> Result<Maglev<()>, Error> {
        if self.ring_size > MAX_RING_SIZE {
            let problem = "is too large: above 65537 Katran's walks overflow 32 bits";
            return Err(Error::new(Kind::TableSize { size: self.ring_size.into(), problem }));
        }
        let size = table_size(self.ring_size.into())?;
        let walk = |(ix, server): (ServerIx, &Server)| {
            let hash = hash(server);
            (ix, Walk::new(mix(hash, 42, 0), mix(hash, 2_718_281_828, 2307), size))
        };
        let walks = list.active().map(walk).collect();
        let weights: Vec<u32> = list.active().map(|(_, server)| server.weight().get()).collect();
        let servers = list.shared();
        Ok(match self.version {
            Version::Maglev => Maglev::filled((), servers, true, size, walks, first_turns(&weights).into()),
            Version::MaglevV2 => {
                Maglev::filled((), servers, true, size, walks, gained_turns(&weights).into())
            }
        })
    }
}

/// The first 64 bits of MurmurHash3 x64-128 of two numbers.
fn mix(a: u64, b: u64, seed: u32) -> u64 {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&a.to_le_bytes());
    bytes[8..].copy_from_slice(&b.to_le_bytes());
    murmur3_x64_128(&bytes, seed)[0]
}

/// Version 1: the weight in slots first, then one each.
fn first_turns(weights: &[u32]) -> impl Iterator<Item = u32> {
    let first = (0..).zip(weights).flat_map(|(at, &weight)| core::iter::repeat_n(at, weight as usize));
    first.chain((0..weights.len() as u32).cycle())
}

/// Version 2: who has gained the largest weight pays it for a slot.
fn gained_turns(weights: &[u32]) -> impl Iterator<Item = u32> {
    let largest = weights.iter().copied().max().map_or(1, u64::from);
    let mut gained = alloc::vec![0_u64; weights.len()];
    let rounds = core::iter::repeat_with(move || {
        let mut taking = Vec::new();
        for (at, (gained, &weight)) in gained.iter_mut().zip(weights).enumerate() {
            *gained += u64::from(weight);
            if *gained >= largest {
                *gained -= largest;
                taking.push(at as u32);
            }
        }
        taking
    });
    rounds.flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::list;

    #[test]
    fn turns_of_both_versions() {
        let first: Vec<u32> = first_turns(&[2, 1, 3]).take(11).collect();
        assert_eq!(first, [0, 0, 1, 2, 2, 2, 0, 1, 2, 0, 1]);
        let gained: Vec<u32> = gained_turns(&[2, 1, 4]).take(8).collect();
        // Rounds: 2 1 4, 4 2 4, 2 3 4, 4 4 4.
        assert_eq!(gained, [2, 0, 2, 2, 0, 1, 2, 2]);
    }

    #[test]
    fn sizes_that_katran_cannot_walk_are_refused() {
        let fleet = list(&[("a", 1)]);
        for ring_size in [0, 100, 131_071] {
            let error = Options { ring_size, ..Options::default() }.build(&fleet, |_| 7).unwrap_err();
            assert!(error.is_parameter(), "{ring_size}");
        }
        assert_eq!(Options::default().build(&fleet, |_| 7).unwrap().table().len(), 65_537);
    }
}
