//! The answers of gRPC's ring_hash.

use clockwise::Server;
use clockwise::dialect::grpc::{Options, header};
use serde_json::Value;

use crate::record::{Score, fleet, list, number, read, text};

#[test]
fn every_recorded_owner_of_grpc() {
    let file = read("grpc/ring-hash.json");
    let runs = file.as_array().expect("a list");
    let mut score = Score::default();
    for run in runs {
        let config = &run["config"];
        let servers = fleet(list(run, "servers"), |server| {
            let address = format!("{}:{}", text(server, "host"), number(server, "port"));
            Server::new(text(server, "name"))?.with_address(address)?.with_weight(number(server, "weight"))
        });
        let options = Options {
            min_ring_size: number(config, "minRingSize") as u32,
            max_ring_size: number(config, "maxRingSize") as u32,
            ..Options::default()
        };
        let ring = options.build(&servers).expect("a ring");
        let in_two = config["note"].as_str().is_some_and(|note| note.contains("a key with a comma"));
        for (key, owner) in run["owners"].as_object().expect("owners") {
            let hash = match key.split_once(',') {
                Some((a, b)) if in_two => header(&[a.as_bytes(), b.as_bytes()]),
                _ => header(&[key.as_bytes()]),
            };
            let ours = servers.servers()[ring.owner_of_hash(hash.expect("a hash")).index()].name().as_str();
            score.answer(owner, &Value::from(ours), || format!("{config}: {key:?}"));
        }
    }
    score.close_file(&runs[0], 1_632);
}
