//! Kafka: from a record's key to a partition.
//!
//! | parameter | value |
//! |---|---|
//! | owner | hash mod the number of partitions, in the order of the list; no weights |
//! | hash | of the key's bytes as they are sent, by [`Partitioner`] |
//! | a record without a key | has no owner here: producers spread those as they like |
//! | a dead server | partitions stay; which broker leads one is another matter |
//!
//! The default of the Java client (for records with a key), of kafka-python and of many others is
//! `murmur2_random`, the default of librdkafka and of all clients made from it `consistent_random`.
//! So a Java and a C client that write to one topic disagree on nearly every key unless one of them
//! is told.
//!
//! The partitioners with `_random` in their name send a record without a key anywhere. To
//! `consistent_random` the empty key is none either; here it hashes like any other, as it does under
//! all the others.
//!
//! A placement's servers are the topic's partitions. One more of them moves nearly all keys.
//!
//! Checked against librdkafka 2.16.0, whose functions were called; `murmur2` also against the values
//! of Kafka's own test.

use alloc::borrow::Cow;
use core::fmt;

use crate::choice::choice;
use crate::error::Error;
use crate::hash::{Crc32, Fnv1a32Absolute, KafkaMurmur2, KeyHash, Width};
use crate::members::Buckets;
use crate::modulo::ModN;

choice! {
    /// The producer's `partitioner`, as librdkafka spells it.
    Partitioner, "partitioner" {
        /// : MurmurHash2, as the Java client does by default.
        #[default]
        Murmur2Random = "murmur2_random",
        Murmur2 = "murmur2",
        /// : CRC-32, the default of librdkafka.
        ConsistentRandom = "consistent_random",
        Consistent = "consistent",
        /// : FNV-1a, as the Go client Sarama does by default.
        Fnv1aRandom = "fnv1a_random",
        Fnv1a = "fnv1a",
    }
    refused {
        "random" = "places nothing: every record goes to some partition or other",
    }
}

impl KeyHash for Partitioner {
    fn width(&self) -> Width {
        Width::Bits32
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        match self {
            Partitioner::Murmur2 | Partitioner::Murmur2Random => KafkaMurmur2.hash(bytes),
            Partitioner::Consistent | Partitioner::ConsistentRandom => Crc32.hash(bytes),
            Partitioner::Fnv1a | Partitioner::Fnv1aRandom => Fnv1a32Absolute.hash(bytes),
        }
    }
    fn name(&self) -> Cow<'static, str> {
        match self {
            Partitioner::Murmur2 | Partitioner::Murmur2Random => KafkaMurmur2.name(),
            Partitioner::Consistent | Partitioner::ConsistentRandom => Crc32.name(),
            Partitioner::Fnv1a | Partitioner::Fnv1aRandom => Fnv1a32Absolute.name(),
        }
    }
}

/// A producer's settings, as far as they place keys.
///
/// ```
/// use clockwise::dialect::kafka::{Options, Partitioner};
/// use clockwise::{Buckets, Server};
///
/// let partitions = Buckets::new([Server::new("0")?, Server::new("1")?, Server::new("2")?])?;
/// let java = Options::default().build(&partitions)?;
/// let c = Options { partitioner: Partitioner::ConsistentRandom }.build(&partitions)?;
/// assert_eq!(java.owner("A").name().as_str(), "1");
/// assert_eq!(c.owner("A").name().as_str(), "2");
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// How a key becomes a number.
    pub partitioner: Partitioner,
}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&alloc::format!("kafka {}", self.partitioner))
    }
}

impl Options {
    /// The placement over a topic's partitions. A partition cannot drain; a list that says so closes
    /// up behind it.
    pub fn build(&self, partitions: &Buckets) -> Result<ModN<Partitioner>, Error> {
        Ok(ModN::unweighted(self.partitioner, partitions))
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn random_is_refused_because_it_places_nothing() {
        let error = "random".parse::<Partitioner>().unwrap_err();
        assert!(error.to_string().starts_with("partitioner random places nothing"), "{error}");
        for &partitioner in Partitioner::ALL {
            assert_eq!(partitioner.as_str().parse(), Ok(partitioner));
        }
    }

    #[test]
    fn random_in_a_name_changes_no_key_that_there_is() {
        for (a, b) in [
            (Partitioner::Murmur2, Partitioner::Murmur2Random),
            (Partitioner::Consistent, Partitioner::ConsistentRandom),
            (Partitioner::Fnv1a, Partitioner::Fnv1aRandom),
        ] {
            assert_eq!(a.name(), b.name());
            assert_eq!(a.hash(b"user:42"), b.hash(b"user:42"));
        }
    }
}
