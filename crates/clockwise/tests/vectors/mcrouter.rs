//! The indices that mcrouter's hash functions give.

use clockwise::dialect::mcrouter::{HashFunc, Options, routing_key};

use crate::record::{Score, by_count, bytes, numbered, owners, read};

#[test]
fn every_recorded_index_of_mcrouter() {
    let recorded = read("mcrouter/mcrouter-ch3.json");
    let mut score = Score::default();
    for (field, hash_func) in [("ch3", HashFunc::Ch3), ("crc32", HashFunc::Crc32)] {
        for (servers, answers) in by_count(&recorded, field) {
            let options = Options { hash_func, ..Options::default() };
            let pool = options.build(&numbered(servers)).expect("a placement");
            let keys: Vec<Vec<u8>> = answers.iter().map(|(key, _)| bytes(key)).collect();
            // The functions were called with the whole key.
            assert!(keys.iter().all(|key| routing_key(key) == key));
            for ((key, index), ours) in answers.iter().zip(owners(&pool, keys)) {
                let ours = u64::from(ours.get());
                score.answer(index, &ours, || format!("{field} of {key} in {servers}"));
            }
        }
    }
    score.close_as("mcrouter", "9d7f43422b85", 3_300);
}
