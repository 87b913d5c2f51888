//! The answers of nginx, and the order in which it tries servers that all refuse.

use clockwise::dialect::nginx;
use clockwise::{Server, ServerIx};
use serde_json::Value;

use crate::record::{Recorded, Score, fleet, number, text};

fn options(config: &Value) -> nginx::Options {
    match text(config, "directive") {
        "hash $arg_k" => nginx::Options { consistent: false },
        "hash $arg_k consistent" => nginx::Options { consistent: true },
        other => panic!("no directive of ours: {other}"),
    }
}

#[test]
fn every_recorded_owner_of_nginx() {
    let recorded = Recorded::open("nginx/nginx.json");
    let mut score = Score::default();
    for (case, servers) in recorded.cases() {
        let servers =
            fleet(servers, |server| Server::new(text(server, "text"))?.with_weight(number(server, "weight")));
        let place = options(&case["config"]).build(&servers).expect("an upstream");
        score.compare(case, &recorded.answers(case, "owners"), &servers, &place);
    }
    score.close(&recorded, 5_400);
}

/// One upstream lived through all requests of its case, so its turns go on from one to the next.
#[test]
fn every_recorded_order_of_attempts_of_nginx() {
    let recorded = Recorded::open("nginx/failover.json");
    let mut score = Score::default();
    let mut by_the_key_alone = 0;
    for (case, servers) in recorded.cases() {
        let servers =
            fleet(servers, |server| Server::new(text(server, "name"))?.with_weight(number(server, "weight")));
        let upstream = options(&case["config"]).build(&servers).expect("an upstream");
        let mut turns = nginx::RoundRobin::new(&upstream);
        for (key, order) in recorded.keyed(case, "orders") {
            let mut ours: Vec<ServerIx> = upstream.attempts(key).collect();
            by_the_key_alone += usize::from(ours.len() == servers.servers().len());
            while let Some(next) = turns.next(&ours) {
                ours.push(next);
            }
            let ours: Vec<Value> = ours.into_iter().map(|ix| ix.index().into()).collect();
            let order = order.as_array().expect("an order");
            score.answer(order, &ours, || format!("{} {}: {key:?}", case["fleet"], case["config"]));
        }
    }
    assert_eq!(by_the_key_alone, 455);
    score.close(&recorded, 480);
}
