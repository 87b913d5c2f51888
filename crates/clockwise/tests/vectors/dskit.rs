//! The tokens that dskit's spread-minimizing generator makes.

use clockwise::dialect::dskit::SpreadMinimizing;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::record::{Score, list, number, read};

#[test]
fn every_recorded_token_of_dskits_generator() {
    let file = read("dskit/spread-minimizing.json");
    let mut score = Score::default();
    for zone in file.as_array().expect("zones") {
        let index = number(zone, "zone_index") as u32;
        let mut generated: Vec<Vec<u32>> =
            SpreadMinimizing::new(index).expect("a zone").take(number(zone, "instances") as usize).collect();
        let last = list(zone, "all_tokens_of_last");
        let ours = generated.last().expect("an instance");
        assert_eq!(last.len(), ours.len());
        for (token, ours) in last.iter().zip(ours) {
            score.answer(token, &Value::from(*ours), || format!("a token of the last in zone {index}"));
        }
        let firsts = list(zone, "first_8_generated_of_each");
        let digests = list(zone, "sha256_of_each_sorted_token_list_comma_joined");
        assert_eq!((firsts.len(), digests.len()), (generated.len(), generated.len()));
        for (instance, tokens) in generated.iter_mut().enumerate() {
            let context = |what: &str| format!("{what} of instance {instance} in zone {index}");
            for (token, ours) in firsts[instance].as_array().expect("tokens").iter().zip(&*tokens) {
                score.answer(token, &Value::from(*ours), || context("a token"));
            }
            tokens.sort_unstable();
            let joined = tokens.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
            let ours: String =
                Sha256::digest(joined.as_bytes()).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
            score.answer(&digests[instance], &Value::from(ours), || context("the digest"));
        }
    }
    score.close_as("dskit", "06829887f955, spread-minimizing tokens", 1_510);
}
