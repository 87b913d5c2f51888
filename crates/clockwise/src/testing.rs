//! What unit tests of several rooms share: fleets in one line and a seeded generator.

use alloc::string::String;
use alloc::vec::Vec;

use crate::members::{Buckets, Members};
use crate::server::Server;

fn servers<'a>(fleet: &'a [(&'a str, u32)]) -> impl Iterator<Item = Server> + 'a {
    fleet.iter().map(|&(name, weight)| Server::new(name).unwrap().with_weight(weight).unwrap())
}

/// A list of servers by name and weight.
pub(crate) fn list(fleet: &[(&str, u32)]) -> Buckets {
    Buckets::new(servers(fleet)).unwrap()
}

/// A set of servers by name and weight.
pub(crate) fn members(fleet: &[(&str, u32)]) -> Members {
    Members::new(servers(fleet)).unwrap()
}

/// The keys `user:0` to `user:{count - 1}`.
pub(crate) fn user_keys(count: u32) -> Vec<String> {
    (0..count).map(|i| alloc::format!("user:{i}")).collect()
}

/// SplitMix64: a seeded source of test input.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}
