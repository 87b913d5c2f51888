//! The answers of twemproxy, also with a server ejected.

use clockwise::dialect::twemproxy;
use clockwise::{Buckets, Server};
use serde_json::Value;

use crate::record::{Recorded, Score, fleet, number, text};

fn pool(servers: &[Value]) -> Buckets {
    fleet(servers, |server| Server::new(text(server, "ring_name"))?.with_weight(number(server, "weight")))
}

fn pool_options(config: &Value) -> twemproxy::Options {
    twemproxy::Options {
        distribution: text(config, "distribution").parse().expect("a distribution"),
        hash: text(config, "hash").parse().expect("a hash"),
        hash_tag: match config.get("hash_tag").and_then(Value::as_str) {
            None | Some("") => None,
            Some(tag) => Some(tag.parse().expect("a hash tag")),
        },
    }
}

#[test]
fn every_recorded_owner_of_twemproxy() {
    let recorded = Recorded::open("twemproxy/twemproxy.json");
    let mut score = Score::default();
    for (case, servers) in recorded.cases() {
        let servers = pool(servers);
        let place = pool_options(&case["config"]).build(&servers).expect("a placement");
        score.compare(case, &recorded.answers(case, "owners"), &servers, &place);
    }
    score.close(&recorded, 34_206);
}

#[test]
fn every_recorded_owner_of_twemproxy_with_a_server_ejected_and_back() {
    let recorded = Recorded::open("twemproxy/ejection.json");
    let mut score = Score::default();
    for (case, servers) in recorded.cases() {
        let servers = pool(servers);
        let options = pool_options(&case["config"]);
        let dead = number(case, "dead") as usize;

        let ejected = servers.replaced(dead, servers.servers()[dead].clone().draining()).expect("a fleet");
        let place = options.build(&ejected).expect("a placement");
        score.compare(case, &recorded.answers(case, "owners_while_ejected"), &servers, &place);

        let place = options.build(&servers).expect("a placement");
        score.compare(case, &recorded.answers(case, "owners_after_retry_timeout"), &servers, &place);
    }
    score.close(&recorded, 1_200);
}
