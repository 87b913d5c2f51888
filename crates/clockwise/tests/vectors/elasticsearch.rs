//! The hashes that Lucene computed, and the shards that follow by Elasticsearch's rule.

use clockwise::dialect::elasticsearch::{Index, Options};
use clockwise::hash::{KeyHash, Murmur3Utf16};
use serde_json::Value;

use crate::record::{Score, list, numbered, object, owners, read};

#[test]
fn every_recorded_hash_and_shard_of_elasticsearch() {
    let recorded = read("elasticsearch/elasticsearch.json");
    let mut score = Score::default();
    for (key, hash) in object(&recorded, "hash_signed32") {
        let ours = (Murmur3Utf16.hash(key.as_bytes()) as u32).cast_signed();
        score.answer(&hash.as_i64().expect("a hash"), &i64::from(ours), || format!("{key:?}"));
    }
    let by_rule = &recorded["shard_from_source_rule"];
    let number = |value: &Value| value.as_u64().expect("a number");
    let index = |shards| Options::default().build(&numbered(number(shards))).expect("a placement");
    let indices: Vec<Index> = list(by_rule, "shards").iter().map(index).collect();
    let by_key = object(by_rule, "by_key");
    for (column, index) in indices.iter().enumerate() {
        for ((key, shards), ours) in by_key.iter().zip(owners(index, by_key.keys())) {
            assert_eq!(shards.as_array().map(Vec::len), Some(indices.len()));
            let ours = u64::from(ours.get());
            score.answer(&number(&shards[column]), &ours, || format!("{key:?} in {}", index.servers().len()));
        }
    }
    score.close_as("elasticsearch", "hashes by Lucene 8.7.0, shards by the rule of its source", 1_500);
}
