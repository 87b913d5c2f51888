//! The partitions that librdkafka's partitioners choose.

use std::collections::BTreeMap;

use clockwise::dialect::kafka::{Options, Partitioner};

use crate::record::{Score, bytes, numbered, read, table};

#[test]
fn every_recorded_partition_of_kafka() {
    let mut score = Score::default();
    for (file, field, partitioner) in [
        ("kafka", "murmur2 (also the Java client's default for keyed records)", Partitioner::Murmur2Random),
        ("kafka", "librdkafka default consistent(_random) for non-empty keys", Partitioner::ConsistentRandom),
        ("fnv1a", "fnv1a", Partitioner::Fnv1a),
    ] {
        let recorded = read(&format!("kafka/{file}.json"));
        let mut topics = BTreeMap::new();
        for (key, partitions, partition) in table(&recorded, field) {
            let topic = topics.entry(partitions).or_insert_with(|| {
                Options { partitioner }.build(&numbered(partitions)).expect("a placement")
            });
            let ours = u64::from(topic.owner_ix(bytes(key)).get());
            score.answer(&partition, &ours, || format!("{partitioner} of {key} in {partitions}"));
        }
    }
    score.close_as("kafka", "librdkafka 2.16.0", 4_950);
}
