//! The answers of Apache Traffic Server.

use clockwise::Server;
use clockwise::dialect::trafficserver::{Options, Weight};

use crate::record::{Recorded, Score, fleet, text};

#[test]
fn every_recorded_owner_of_trafficserver() {
    let recorded = Recorded::open("trafficserver/trafficserver.json");
    let mut score = Score::default();
    for (case, servers) in recorded.cases() {
        let parents = fleet(servers, |server| Server::new(text(server, "name")));
        let qstring = text(&case["config"], "qstring").parse().expect("a qstring");
        let mut options = Options { qstring, ..Options::default() };
        for (parent, server) in parents.servers().iter().zip(servers) {
            let weight = server["weight"].as_f64().expect("a weight");
            options.weights.insert(parent.name().clone(), Weight::try_from(weight).expect("a weight"));
            if let Some(text) = server.get("hash_string") {
                let text = text.as_str().expect("a hash string").to_owned();
                options.hash_strings.insert(parent.name().clone(), text);
            }
        }
        let place = options.build(&parents).expect("a ring");
        score.compare(case, &recorded.answers(case, "owners"), &parents, &place);
    }
    score.close(&recorded, 3_528);
}
