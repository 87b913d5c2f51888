//! Which address gRPC sends a call to under `ring_hash`.

use clockwise::dialect::grpc::Options;
use clockwise::{Buckets, Server};
use serde_json::{Value, json};

use crate::draw::Draw;
use crate::library::{ask, version};
use crate::score::Score;

const SERVERS: u64 = 16;

/// Addresses are known once the servers run, so a pool is how often each of the first is listed.
struct Pool {
    weights: Vec<u64>,
    options: Options,
    keys: Vec<String>,
}

fn drawn(draw: &mut Draw) -> Pool {
    let largest = *draw.pick(&[1, 2, 6]);
    let weights = (0..=draw.below(SERVERS)).map(|_| 1 + draw.below(largest)).collect();
    let mut options = Options::default();
    if draw.once_in(2) {
        options.min_ring_size = 1 + draw.below(6_000) as u32;
        options.max_ring_size = options.min_ring_size + draw.below(6_000) as u32;
        options.ring_size_cap = *draw.pick(&[100, 4_096, 10_000]);
    }
    // A header holds no other text than ASCII.
    let keys = draw.keys(160).into_iter().filter(|key| key.is_ascii()).take(100).collect();
    Pool { weights, options, keys }
}

#[test]
#[ignore = "starts servers of the real gRPC: cargo xtask live"]
fn every_call_goes_to_the_address_we_name() {
    let mut draw = Draw::new(71);
    let pools: Vec<Pool> = (0..50).map(|_| drawn(&mut draw)).collect();
    let question = pools.iter().map(|Pool { weights, options, keys }| {
        let options = json!({
            "min_ring_size": options.min_ring_size,
            "max_ring_size": options.max_ring_size,
            "ring_size_cap": options.ring_size_cap,
        });
        json!({ "weights": weights, "options": options, "keys": keys })
    });
    let question = json!({ "servers": SERVERS, "pools": question.collect::<Vec<_>>() });
    let Some(answer) = ask("grpc", "grpc_ring.py", "grpcio", &question) else { return };
    let addresses: Vec<&str> = answer["addresses"]
        .as_array()
        .expect("addresses")
        .iter()
        .map(|text| text.as_str().unwrap())
        .collect();
    let mut score = Score::new("grpc", version(&answer));
    for (pool, owners) in pools.iter().zip(answer["owners"].as_array().expect("owners")) {
        let servers = addresses.iter().zip(&pool.weights);
        let servers = servers.map(|(&address, &weight)| Server::new(address)?.with_weight(weight));
        let servers: Result<Vec<Server>, clockwise::Error> = servers.collect();
        let ring = pool.options.build(&Buckets::new(servers.unwrap()).unwrap()).expect("a ring");
        for (key, theirs) in pool.keys.iter().zip(owners.as_array().expect("owners")) {
            let ours = Value::from(ring.owner_ix(key).index());
            score.answer(theirs, &ours, || {
                format!("{key:?} in {:?} of {addresses:?} by {:?}", pool.options, pool.weights)
            });
        }
    }
    score.close(4_500);
}
