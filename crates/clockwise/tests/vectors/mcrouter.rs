//! The indices that mcrouter's hash functions give.

use std::collections::BTreeMap;

use clockwise::dialect::mcrouter::{HashFunc, Options, routing_key};

use crate::record::{Score, bytes, numbered, read, table};

#[test]
fn every_recorded_index_of_mcrouter() {
    let recorded = read("mcrouter/mcrouter-ch3.json");
    let mut score = Score::default();
    for (field, hash_func) in [("ch3", HashFunc::Ch3), ("crc32", HashFunc::Crc32)] {
        let mut pools = BTreeMap::new();
        for (key, servers, index) in table(&recorded, field) {
            let pool = pools.entry(servers).or_insert_with(|| {
                let options = Options { hash_func, ..Options::default() };
                options.build(&numbered(servers)).expect("a placement")
            });
            let key = bytes(key);
            // The functions were called with the whole key.
            assert_eq!(routing_key(&key), key);
            let ours = u64::from(pool.owner_ix(&key).get());
            score.answer(&index, &ours, || format!("{field} of {key:?} in {servers}"));
        }
    }
    score.close_as("mcrouter", "9d7f43422b85", 3_300);
}
