//! Cilium: the Maglev table of a service.
//!
//! | parameter | |
//! |---|---|
//! | table size | 16,381 unless said; one of [`TABLE_SIZES`] |
//! | order of backends | bytewise by their text |
//! | offset, skip | the two words of MurmurHash3 x64-128 of the backend's text, under the first four bytes of the seed (big-endian): mod M; mod (M − 1) + 1 |
//! | turns | slot n is backend n mod count's turn; with weights, the next one's in order for which (n + 1) × weight is not below what it has: ⌊weight ⁄ count⌋, and the sum of the weights more for each slot taken |
//! | slot of a packet | by jhash in the kernel program, over addresses and ports under the other eight bytes of the seed: not covered here |
//!
//! Weights count only if they sum to twice the number of backends or more; below that Cilium does not
//! look at them. The text of a backend is whatever Cilium's agent calls it; here it is its name.
//!
//! From the source only (`pkg/maglev/maglev.go`), with the counts that its own test expects.

use alloc::vec::Vec;

use crate::error::{Error, Kind};
use crate::hash::murmur3_x64_128;
use crate::maglev::{Maglev, Walk, table_size};
use crate::members::Members;

/// The sizes that Cilium takes.
pub const TABLE_SIZES: [u32; 10] = [251, 509, 1021, 2039, 4093, 8191, 16_381, 32_749, 65_521, 131_071];

/// The seed unless said: `JLfvgnHc2kaSUFaI` in base 64.
pub const SEED: [u8; 12] = *b"\x24\xb7\xef\x82\x71\xdc\xda\x46\x92\x50\x56\x88";

/// The largest weight of a backend.
const MAX_WEIGHT: u32 = 65_535;

/// The agent's settings.
///
/// ```
/// use clockwise::dialect::cilium::Options;
/// use clockwise::{Members, Server};
///
/// let backends = Members::new([Server::new("10.0.0.1:80")?, Server::new("10.0.0.2:80")?])?;
/// let table = Options::default().build(&backends)?;
/// assert_eq!(table.table().len(), 16_381);
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// `bpf-lb-maglev-table-size`.
    pub table_size: u32,
    /// `bpf-lb-maglev-hash-seed`, out of its base 64.
    pub hash_seed: [u8; 12],
}

impl Default for Options {
    fn default() -> Options {
        Options { table_size: 16_381, hash_seed: SEED }
    }
}

impl Options {
    /// The table of these backends; draining ones are left out.
    ///
    /// Refuses a size that Cilium does not take, and a weight above 65,535.
    pub fn build(&self, backends: &Members) -> Result<Maglev<()>, Error> {
        if !TABLE_SIZES.contains(&self.table_size) {
            let problem =
                "is not one that Cilium takes: 251, 509, 1021, 2039, 4093, 8191, 16381, 32749, 65521, 131071";
            return Err(Error::new(Kind::TableSize { size: self.table_size.into(), problem }));
        }
        let size = table_size(self.table_size.into())?;
        let [a, b, c, d, ..] = self.hash_seed;
        let seed = u32::from_be_bytes([a, b, c, d]);
        let (mut walks, mut weights) = (Vec::new(), Vec::new());
        for (ix, server) in backends.active() {
            if server.weight().get() > MAX_WEIGHT {
                let (value, problem) =
                    (alloc::format!("{}", server.weight()), "is too large: Cilium's end at 65535");
                return Err(Error::new(Kind::Weight { value, problem }).of_server(server.name().as_str()));
            }
            let [offset, skip] = murmur3_x64_128(server.name().as_str().as_bytes(), seed);
            walks.push((ix, Walk::new(offset, skip, size)));
            weights.push(server.weight().get());
        }
        Ok(Maglev::filled((), backends.shared(), false, size, walks, turns(&weights).into()))
    }
}

/// Whose turn each slot is.
fn turns(weights: &[u32]) -> impl Iterator<Item = u32> {
    let count = weights.len() as u64;
    let sum: u64 = weights.iter().map(|&weight| u64::from(weight)).sum();
    let weighted = sum / count >= 2;
    let mut has: Vec<u64> = weights.iter().map(|&weight| u64::from(weight) / count).collect();
    (0_u64..).map(move |slot| {
        let mut at = slot % count;
        if weighted {
            // The weights sum to more than what all have together grows by a slot, so one is found.
            while (slot + 1) * u64::from(weights[at as usize]) < has[at as usize] {
                at = (at + 1) % count;
            }
            has[at as usize] += sum;
        }
        at as u32
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::members;

    fn counts(table: &Maglev<()>, servers: usize) -> Vec<usize> {
        (0..servers).map(|at| table.table().iter().filter(|ix| ix.index() == at).count()).collect()
    }

    #[test]
    fn counts_of_its_own_test() {
        let options = Options { table_size: 1021, ..Options::default() };
        let backends = [("one", 2), ("three", 13), ("two", 111), ("tzwe", 10)];
        let table = options.build(&members(&backends)).unwrap();
        assert_eq!(counts(&table, 4), [16, 98, 832, 75]);
    }

    #[test]
    fn weights_that_sum_to_less_than_twice_the_number_are_not_looked_at() {
        let options = Options { table_size: 251, ..Options::default() };
        let light = options.build(&members(&[("a", 1), ("b", 1), ("c", 3)])).unwrap();
        let equal = options.build(&members(&[("a", 1), ("b", 1), ("c", 1)])).unwrap();
        assert_eq!(light.table(), equal.table());
        let heavy = options.build(&members(&[("a", 1), ("b", 1), ("c", 4)])).unwrap();
        assert!(counts(&heavy, 3)[2] > 150, "{:?}", counts(&heavy, 3));
    }

    #[test]
    fn what_cilium_does_not_take_is_refused() {
        let error = Options { table_size: 65_537, ..Options::default() }.build(&members(&[("a", 1)]));
        assert!(error.unwrap_err().is_parameter());
        let error = Options::default().build(&members(&[("a", 1), ("b", 65_536)])).unwrap_err();
        assert!(error.is_weight());
        assert_eq!(error.server(), Some("b"));
    }
}
