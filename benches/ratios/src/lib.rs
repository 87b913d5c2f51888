//! What the benches measure with: fleets and key hashes that are the same in every run.
#![forbid(unsafe_code)]

pub mod plain;

use clockwise::hash::SplitMix64;
use clockwise::{Buckets, Error, Members, Server};

/// How many servers a fleet has.
pub const FLEETS: [u32; 3] = [10, 100, 1_000];

/// A fleet of equals, as a list.
pub fn list(servers: u32) -> Result<Buckets, Error> {
    let servers: Result<Vec<Server>, Error> =
        (0..servers).map(|i| Server::new(format!("cache-{i}"))).collect();
    Buckets::new(servers?)
}

/// The same as a set.
pub fn members(servers: u32) -> Result<Members, Error> {
    Ok(Members::from(&list(servers)?))
}

/// Hashes of keys: seeded, and more than a processor learns by heart.
pub fn hashes() -> Vec<u64> {
    (0..1 << 14).map(SplitMix64::mix).collect()
}
