//! Elasticsearch and OpenSearch: from a document's routing value to a shard.
//!
//! | parameter | value |
//! |---|---|
//! | hash | MurmurHash3 x86_32, seed 0, of the [routing value's UTF-16](crate::hash::Murmur3Utf16), as a signed number |
//! | routing value | the document's id, unless a request carries another |
//! | owner | (hash floor-mod routing shards) ÷ (routing shards ÷ shards), cut to a whole number: in the order of the list; no weights |
//! | routing shards, `number_of_routing_shards` | unless set, shards × 2ᵏ with k = max(1, 10 − ⌈log₂ shards⌉), for an index made by 7.0 or later |
//! | with `routing_partition_size` p | to the hash is added: hash of the id, floor-mod p |
//! | a dead server | shards stay; which node holds one is another matter |
//!
//! So the shard is *not* hash mod shards, as most texts say: with 5 shards it is the hash mod 640, in
//! groups of 128. Because of it an index can be split into more shards without a document going to
//! a shard that was not cut out of its own.
//!
//! A placement's servers are the index's primary shards.
//!
//! Checked against Lucene 8.7.0, which computed the hashes; the rule from hash to shard from source
//! only.

use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use crate::error::{Error, Kind};
use crate::hash::{KeyHash, Murmur3Utf16};
use crate::members::Buckets;
use crate::placement::{Layout, Measured, Placement, ServerIx, Share, table_shares};
use crate::server::Server;

/// An index's settings, as far as they place documents.
///
/// ```
/// use clockwise::dialect::elasticsearch::Options;
/// use clockwise::{Buckets, Server};
///
/// let shards = (0..5).map(|i| Server::new(format!("shard-{i}"))).collect::<Result<Vec<_>, _>>()?;
/// let index = Options::default().build(&Buckets::new(shards)?)?;
/// assert_eq!(index.routing_shards(), 640);
/// assert_eq!(index.owner("foo:bar").name().as_str(), "shard-4");
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// `index.number_of_routing_shards`: a multiple of the number of shards. An index made before
    /// 7.0 has as many as it has shards.
    pub number_of_routing_shards: Option<u32>,
}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad("elasticsearch")
    }
}

/// The most routing shards that a placement holds: 2²⁴.
const MAX_ROUTING_SHARDS: u32 = 1 << 24;

impl Options {
    /// The placement over an index's shards. A shard cannot drain; a list that says so closes up
    /// behind it.
    ///
    /// Refuses a number of routing shards that is no multiple of the number of shards, and more than
    /// 2²⁴ of them.
    pub fn build(&self, shards: &Buckets) -> Result<Index, Error> {
        let active: Vec<ServerIx> = shards.active().map(|(ix, _)| ix).collect();
        let count = active.len() as u64;
        let routing_shards = match self.number_of_routing_shards {
            Some(number) => number.into(),
            None => default_routing_shards(count),
        };
        let problem = if routing_shards > MAX_ROUTING_SHARDS.into() {
            "is more than 16777216"
        } else if routing_shards == 0 || !routing_shards.is_multiple_of(count) {
            "is not a multiple of the number of shards"
        } else {
            let group = (routing_shards / count) as usize;
            let owners = active.into_iter().flat_map(|ix| core::iter::repeat_n(ix, group)).collect();
            return Ok(Index { servers: shards.shared(), owners });
        };
        Err(Error::new(Kind::Option {
            name: "number_of_routing_shards",
            value: routing_shards.to_string(),
            problem,
        }))
    }
}

/// The largest shards × 2ᵏ up to 1,024, but at least twice the shards.
fn default_routing_shards(shards: u64) -> u64 {
    // The ceiling of the binary logarithm.
    let doublings = u64::BITS - (shards - 1).leading_zeros();
    shards << 10_u32.saturating_sub(doublings).max(1)
}

/// The placement of an index. Immutable; clones share it.
#[derive(Clone, Debug)]
pub struct Index {
    servers: Arc<[Server]>,
    /// The shard of each routing shard.
    owners: Arc<[ServerIx]>,
}

impl Index {
    /// The shard of a document by its routing value: its id, where it has no other.
    pub fn owner(&self, routing: impl AsRef<[u8]>) -> &Server {
        &self.servers[self.owner_ix(routing).index()]
    }

    /// The same, as an index into the list.
    pub fn owner_ix(&self, routing: impl AsRef<[u8]>) -> ServerIx {
        self.owner_of_hash(hash(routing.as_ref()))
    }

    /// The shard of a document in an index with a `routing_partition_size` above 1, where documents
    /// of one routing value lie in so many shards, by their id. A size of 0 counts as 1.
    pub fn owner_in_partition(
        &self,
        routing: impl AsRef<[u8]>,
        id: impl AsRef<[u8]>,
        routing_partition_size: u16,
    ) -> ServerIx {
        let offset = hash(id.as_ref()).rem_euclid(i32::from(routing_partition_size.max(1)));
        self.owner_of_hash(hash(routing.as_ref()).wrapping_add(offset))
    }

    /// The shard of a routing value whose hash is known, as the signed number that it is there.
    pub fn owner_of_hash(&self, hash: i32) -> ServerIx {
        // At most 2²⁴ routing shards, so that their number is positive as an i32 too.
        self.owners[hash.rem_euclid(self.owners.len() as i32) as usize]
    }

    /// How many routing shards there are.
    pub fn routing_shards(&self) -> u32 {
        self.owners.len() as u32
    }

    /// The shards. A [`ServerIx`] is a position in this slice.
    pub fn servers(&self) -> &[Server] {
        &self.servers
    }
}

fn hash(text: &[u8]) -> i32 {
    (Murmur3Utf16.hash(text) as u32).cast_signed()
}

impl Placement for Index {
    fn servers(&self) -> &[Server] {
        &self.servers
    }
    fn owner_ix(&self, key: &[u8]) -> ServerIx {
        Index::owner_ix(self, key)
    }
    fn depends_on_order(&self) -> bool {
        true
    }
    fn measured(&self) -> Option<&dyn Measured> {
        Some(self)
    }
}

impl Measured for Index {
    /// Routing shards of all routing shards.
    fn shares(&self) -> Vec<Share> {
        table_shares(self.owners.iter().copied(), self.servers.len())
    }

    fn layout(&self) -> Option<Layout<'_>> {
        let key_hash = "murmur3-x86-32-utf16, signed";
        Some(Layout::Slots { owners: &self.owners, key_hash })
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::String;

    use super::*;

    fn shards(count: usize) -> Buckets {
        Buckets::new((0..count).map(|i| Server::new(format!("{i}")).unwrap())).unwrap()
    }

    fn index(count: usize, routing_shards: Option<u32>) -> Index {
        Options { number_of_routing_shards: routing_shards }.build(&shards(count)).unwrap()
    }

    #[test]
    fn routing_shards_double_the_shards_up_to_1024_and_at_least_once() {
        for (shards, routing_shards) in [
            (1, 1024),
            (2, 1024),
            (3, 768),
            (5, 640),
            (8, 1024),
            (9, 576),
            (512, 1024),
            (513, 1026),
            (1024, 2048),
        ] {
            assert_eq!(index(shards, None).routing_shards(), routing_shards, "{shards} shards");
        }
    }

    #[test]
    fn an_index_of_before_7_0_is_the_hash_mod_shards_without_the_sign_in_the_way() {
        let old = index(5, Some(5));
        for i in 0..500 {
            let key = format!("doc-{i}");
            assert_eq!(i64::from(old.owner_ix(&key).get()), i64::from(hash(key.as_bytes())).rem_euclid(5));
        }
    }

    #[test]
    fn a_split_sends_documents_only_to_shards_cut_out_of_their_own() {
        let (before, after) = (index(5, Some(640)), index(20, Some(640)));
        for i in 0..2_000 {
            let key = format!("doc-{i}");
            assert_eq!(after.owner_ix(&key).get() / 4, before.owner_ix(&key).get());
        }
    }

    #[test]
    fn a_partition_takes_so_many_neighbouring_routing_shards() {
        let index = index(8, Some(8));
        let mut seen = alloc::vec![0; 8];
        for i in 0..1_000 {
            seen[index.owner_in_partition("user:42", format!("doc-{i}"), 3).index()] += 1;
        }
        let first = index.owner_ix("user:42").index();
        for (shard, documents) in seen.iter().enumerate() {
            assert_eq!(*documents > 0, (shard + 8 - first) % 8 < 3, "{seen:?} from {first}");
        }
        for size in [0, 1] {
            assert_eq!(index.owner_in_partition("user:42", "any", size), index.owner_ix("user:42"));
        }
    }

    #[test]
    fn routing_shards_that_do_not_fit_are_refused() {
        for wrong in [0, 4, 12, 16_777_220] {
            let options = Options { number_of_routing_shards: Some(wrong) };
            let error = options.build(&shards(5)).unwrap_err();
            assert!(error.is_parameter(), "{error}");
            assert!(format!("{error}").starts_with(&format!("number_of_routing_shards {wrong} ")), "{error}");
        }
    }

    #[test]
    fn shares_are_whole_groups_of_routing_shards() {
        let shares: Vec<String> = index(3, None).shares().iter().map(|share| format!("{share:?}")).collect();
        assert_eq!(shares, ["256/768"; 3]);
    }
}
