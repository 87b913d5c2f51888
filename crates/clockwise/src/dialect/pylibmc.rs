//! pylibmc, which is libmemcached under Python's behaviours.
//!
//! | behaviour | what it sets of [`libmemcached`], in this order |
//! |---|---|
//! | `hash` | the hash |
//! | `ketama` | true: CONSISTENT_KETAMA, unweighted, under the hash set; not the ring that is called ketama elsewhere |
//! | `ketama_weighted` | true: the weighted ring and MD5, whatever `hash` says; **false: CONSISTENT_KETAMA** |
//! | `distribution` | the distribution, whatever stands above; under `ketama_weighted` the hash stays MD5 |
//!
//! The client sets them in that order, however the dictionary is written, and before it adds the
//! servers, so that an unweighted ring becomes a weighted one with a server of a weight above 1.
//! `ketama_hash` changes no placement. The rest is libmemcached's.
//!
//! Checked against pylibmc 1.6.3 with its bundled libmemcached 1.0.16.

use core::fmt;

use super::{Placed, libmemcached};
use crate::choice::choice;
use crate::error::Error;
use crate::hash::hash_choice;
use crate::hash::{
    Crc32Of15Bits, Fnv1_32Signed, Fnv1_64LowSigned, Fnv1a32Signed, Fnv1a64LowSigned, Lookup3, Md5Word,
    Murmur2Length, OneAtATimeSigned, SuperFastHash,
};
use crate::members::Buckets;

hash_choice! {
    /// The behaviour `hash`.
    Hash {
        /// : one-at-a-time.
        #[default]
        Default = "default" => OneAtATimeSigned,
        Md5 = "md5" => Md5Word,
        /// : fifteen bits, so that on a ring nearly all keys have one owner.
        Crc = "crc" => Crc32Of15Bits,
        Fnv1_64 = "fnv1_64" => Fnv1_64LowSigned,
        Fnv1a64 = "fnv1a_64" => Fnv1a64LowSigned,
        Fnv1_32 = "fnv1_32" => Fnv1_32Signed,
        Fnv1a32 = "fnv1a_32" => Fnv1a32Signed,
        Hsieh = "hsieh" => SuperFastHash,
        Murmur = "murmur" => Murmur2Length,
        Jenkins = "jenkins" => Lookup3,
    }
}

choice! {
    /// The behaviour `distribution`.
    Distribution, "distribution" {
        /// : hash mod the number of servers.
        #[default]
        Modula = "modula",
        /// : an unweighted ring, the same as `consistent ketama`.
        Consistent = "consistent",
        /// : an unweighted ring.
        ConsistentKetama = "consistent ketama",
        /// : an unweighted ring with other labels.
        ConsistentKetamaSpy = "consistent ketama spy",
        /// : the weighted ring of MD5 points, under the hash set.
        ConsistentWeighted = "consistent weighted",
    }
    refused {
        "random" = "places nothing: every request goes to some server or other",
        "virtual bucket" = "is not supported: its map of buckets is given at run time, not by a rule",
    }
}

/// A client's behaviours, as far as they place keys; the default is that of a client without any.
///
/// ```
/// use clockwise::dialect::{libmemcached, pylibmc};
///
/// let weighted = pylibmc::Options { ketama_weighted: Some(true), ..Default::default() };
/// assert_eq!(weighted.as_libmemcached(), libmemcached::Options::ketama_weighted());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// The hash of keys, and of the points of an unweighted ring.
    pub hash: Hash,
    /// The behaviour `ketama`.
    pub ketama: bool,
    /// The behaviour `ketama_weighted`, if it is given: false is not the same as nothing.
    pub ketama_weighted: Option<bool>,
    /// The behaviour `distribution`, if it is given.
    pub distribution: Option<Distribution>,
}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match (self.distribution, self.ketama_weighted) {
            (Some(distribution), _) => distribution.as_str(),
            (None, Some(true)) => "ketama_weighted",
            (None, Some(false)) => "ketama",
            (None, None) if self.ketama => "ketama",
            (None, None) => "modula",
        };
        f.pad(&alloc::format!("pylibmc {what}"))
    }
}

impl Options {
    /// What they are in libmemcached.
    pub fn as_libmemcached(&self) -> libmemcached::Options {
        use libmemcached::Distribution as To;
        let mut options = libmemcached::Options { hash: self.hash.into(), ..Default::default() };
        if self.ketama {
            options.distribution = To::ConsistentKetama;
        }
        match self.ketama_weighted {
            Some(true) => options = libmemcached::Options::ketama_weighted(),
            Some(false) => options.distribution = To::ConsistentKetama,
            None => {}
        }
        if let Some(distribution) = self.distribution {
            options.distribution = match distribution {
                Distribution::Modula => To::Modula,
                Distribution::Consistent => To::Consistent,
                Distribution::ConsistentKetama => To::ConsistentKetama,
                Distribution::ConsistentKetamaSpy => To::ConsistentKetamaSpy,
                Distribution::ConsistentWeighted => To::ConsistentWeighted,
            };
        }
        options
    }

    /// The placement of servers listed in this order: see [`libmemcached::Options::build`].
    pub fn build(&self, list: &Buckets) -> Result<Placed<libmemcached::Hash>, Error> {
        self.as_libmemcached().build(list)
    }
}

impl From<Hash> for libmemcached::Hash {
    fn from(hash: Hash) -> libmemcached::Hash {
        use libmemcached::Hash as To;
        match hash {
            Hash::Default => To::Default,
            Hash::Md5 => To::Md5,
            Hash::Crc => To::Crc,
            Hash::Fnv1_64 => To::Fnv1_64,
            Hash::Fnv1a64 => To::Fnv1a64,
            Hash::Fnv1_32 => To::Fnv1_32,
            Hash::Fnv1a32 => To::Fnv1a32,
            Hash::Hsieh => To::Hsieh,
            Hash::Murmur => To::Murmur,
            Hash::Jenkins => To::Jenkins,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::KeyHash as _;
    use libmemcached::{Distribution as To, Hash as ToHash};

    #[test]
    fn behaviours_act_in_the_order_in_which_the_client_sets_them() {
        // Each line was asked of pylibmc 1.6.3, with equal weights and with unequal ones.
        let none = Options::default();
        let ketama = Options { ketama: true, ..none };
        let weighted = Options { ketama_weighted: Some(true), ..none };
        let placed = |distribution| Options { distribution: Some(distribution), ..none };
        for (options, distribution, hash) in [
            (none, To::Modula, ToHash::Default),
            (ketama, To::ConsistentKetama, ToHash::Default),
            (Options { hash: Hash::Md5, ..ketama }, To::ConsistentKetama, ToHash::Md5),
            (weighted, To::ConsistentWeighted, ToHash::Md5),
            (Options { hash: Hash::Crc, ..weighted }, To::ConsistentWeighted, ToHash::Md5),
            (Options { ketama: true, ..weighted }, To::ConsistentWeighted, ToHash::Md5),
            (Options { ketama_weighted: Some(false), ..none }, To::ConsistentKetama, ToHash::Default),
            (placed(Distribution::ConsistentWeighted), To::ConsistentWeighted, ToHash::Default),
            (Options { ketama: true, ..placed(Distribution::Modula) }, To::Modula, ToHash::Default),
            (
                Options { ketama_weighted: Some(true), ..placed(Distribution::Consistent) },
                To::Consistent,
                ToHash::Md5,
            ),
            (
                Options { ketama_weighted: Some(true), ..placed(Distribution::Modula) },
                To::Modula,
                ToHash::Md5,
            ),
        ] {
            let expected = libmemcached::Options { distribution, hash, ..Default::default() };
            assert_eq!(options.as_libmemcached(), expected, "{options:?}");
        }
    }

    #[test]
    fn a_hash_is_the_same_function_under_either_name() {
        for &hash in Hash::ALL {
            assert_eq!(hash.name(), ToHash::from(hash).name());
            assert_eq!(hash.as_str().to_uppercase(), ToHash::from(hash).as_str());
        }
    }
}
