//! Jump hash as a library for Python has it, which is Guava's function.

use clockwise::dialect::guava::consistent_hash;
use serde_json::{Value, json};

use crate::draw::Draw;
use crate::library::{ask, version};
use crate::score::Score;

#[test]
#[ignore = "asks the real library: cargo xtask live"]
fn every_number_has_the_bucket_we_name() {
    let mut draw = Draw::new(42);
    let mut pools: Vec<(i32, Vec<i64>)> = Vec::new();
    for _ in 0..40 {
        let end = *draw.pick(&[10, 1_000, i32::MAX as u64 - 1]);
        let buckets = 1 + draw.below(end) as i32;
        let mut keys: Vec<i64> = (0..250).map(|_| draw.bits().cast_signed()).collect();
        keys.extend([0, 1, -1, i64::MIN, i64::MAX]);
        pools.push((buckets, keys));
    }
    let question = |(buckets, keys): &(i32, Vec<i64>)| {
        let keys: Vec<String> = keys.iter().map(ToString::to_string).collect();
        json!({ "options": { "buckets": buckets }, "keys": keys })
    };
    let question: Vec<Value> = pools.iter().map(question).collect();
    let library = "jump-consistent-hash";
    let Some(answer) = ask("guava", "python.py", library, &json!({ "pools": question })) else { return };
    let mut score = Score::new("guava", format!("{library} {}", version(&answer)));
    for ((buckets, keys), theirs) in pools.iter().zip(answer["owners"].as_array().expect("owners")) {
        for (&key, theirs) in keys.iter().zip(theirs.as_array().expect("owners")) {
            let ours = consistent_hash(key, *buckets).expect("a bucket");
            score.answer(theirs, &Value::from(ours), || format!("{key} in {buckets}"));
        }
    }
    score.close(10_200);
}
