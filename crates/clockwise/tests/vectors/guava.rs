//! Jump hash, as a C implementation has it and as Guava has it: one function.

use clockwise::dialect::guava::consistent_hash;

use crate::record::{Score, read, table};

#[test]
fn every_recorded_bucket_of_jump_and_guava() {
    let recorded = read("guava/jump-guava.json");
    let mut score = Score::default();
    for field in ["jump", "guava"] {
        for (key, buckets, bucket) in table(&recorded, field) {
            let number: i64 = key.parse().expect("a number");
            let ours = consistent_hash(number, buckets as i32).expect("a bucket");
            score.answer(&bucket, &u64::from(ours), || format!("{field} of {key} in {buckets}"));
        }
    }
    score.close_as("guava", "31.1 and jump-consistent-hash 3.6.0", 4_800);
}
