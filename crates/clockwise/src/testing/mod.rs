//! What unit tests of several rooms share: fleets in one line and a seeded generator.

pub(crate) mod toy;
pub(crate) mod turns;

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use crate::hash::{KeyHash, SplitMix64, Width};
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

/// χ² of counts against expected counts, over the degrees of freedom.
pub(crate) fn chi2_over_df(counts: &[u32], expected: &[f64]) -> f64 {
    let chi2: f64 = counts.iter().zip(expected).map(|(&c, e)| (f64::from(c) - e).powi(2) / e).sum();
    chi2 / (counts.len() - 1) as f64
}

/// SplitMix64: a seeded source of test input.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        let number = SplitMix64::mix(self.0);
        self.0 = self.0.wrapping_add(SplitMix64::STEP);
        number
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }
}

/// A hash of keys that are their own hash, in decimal: readable positions, and as many ties as one
/// likes.
#[derive(Clone, Copy)]
pub(crate) struct Digits(pub(crate) Width);

impl KeyHash for Digits {
    fn width(&self) -> Width {
        self.0
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        core::str::from_utf8(bytes).unwrap().parse().unwrap()
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("digits")
    }
}
