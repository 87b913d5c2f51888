//! Kafka's producers: the partitioners of kafka-python, and of librdkafka in confluent-kafka.

use clockwise::dialect::kafka::{Options, Partitioner};
use clockwise::{Buckets, Server};
use serde_json::{Value, json};

use crate::draw::Draw;
use crate::library::{Pool, ask, compare_with, version};
use crate::score::Score;

fn pool(draw: &mut Draw, partitioner: Partitioner) -> Pool {
    let end = *draw.pick(&[3, 64, 1_000]);
    let partitions = 1 + draw.below(end);
    let list: Result<Vec<Server>, _> =
        (0..partitions).map(|number| Server::new(number.to_string())).collect();
    let options = json!({ "partitions": partitions, "partitioner": partitioner.as_str() });
    let mut keys = draw.byte_keys(200);
    if partitioner == Partitioner::ConsistentRandom {
        // To this one the empty key is no key.
        keys.retain(|key| !key.is_empty());
    }
    Pool::of_bytes(Buckets::new(list.unwrap()).unwrap(), options, Options { partitioner }, keys)
}

#[test]
#[ignore = "asks the real libraries: cargo xtask live"]
fn every_record_goes_to_the_partition_we_name() {
    let mut draw = Draw::new(41);
    let java: Vec<Pool> = (0..30).map(|_| pool(&mut draw, Partitioner::Murmur2)).collect();
    let all = Partitioner::ALL.iter().flat_map(|&partitioner| [partitioner; 5]);
    let all: Vec<Pool> = all.map(|partitioner| pool(&mut draw, partitioner)).collect();
    for (library, pools) in [("kafka-python", java), ("confluent-kafka", all)] {
        let question: Vec<Value> = pools.iter().map(Pool::question).collect();
        let Some(answer) = ask("kafka", "python.py", library, &json!({ "pools": question })) else {
            continue;
        };
        let mut score = Score::new("kafka", format!("{library} {}", version(&answer)));
        compare_with(&mut score, &answer, &pools);
        score.close(5_500);
    }
}
