//! The partitions that librdkafka's partitioners choose.

use clockwise::dialect::kafka::{Options, Partitioner};

use crate::record::{Score, by_count, bytes, numbered, owners, read};

#[test]
fn every_recorded_partition_of_kafka() {
    let mut score = Score::default();
    for (file, field, partitioner) in [
        ("kafka", "murmur2 (also the Java client's default for keyed records)", Partitioner::Murmur2Random),
        ("kafka", "librdkafka default consistent(_random) for non-empty keys", Partitioner::ConsistentRandom),
        ("fnv1a", "fnv1a", Partitioner::Fnv1a),
    ] {
        let recorded = read(&format!("kafka/{file}.json"));
        for (partitions, answers) in by_count(&recorded, field) {
            let topic = Options { partitioner }.build(&numbered(partitions)).expect("a placement");
            let keys = answers.iter().map(|(key, _)| bytes(key));
            for ((key, partition), ours) in answers.iter().zip(owners(&topic, keys)) {
                let ours = u64::from(ours.get());
                score.answer(partition, &ours, || format!("{partitioner} of {key} in {partitions}"));
            }
        }
    }
    score.close_as("kafka", "librdkafka 2.16.0", 4_950);
}
