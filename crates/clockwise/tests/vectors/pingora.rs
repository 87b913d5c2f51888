//! The answers of pingora-ketama.

use clockwise::Server;
use clockwise::dialect::pingora;

use crate::record::{Recorded, Score, fleet, number, text};

#[test]
fn every_recorded_owner_of_pingora() {
    let recorded = Recorded::open("pingora/ketama.json");
    let mut score = Score::default();
    for (case, servers) in recorded.cases() {
        let servers = fleet(servers, |server| {
            let (host, port) = (text(server, "host"), number(server, "port"));
            let address =
                if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") };
            Server::new(text(server, "name"))?.with_address(address)?.with_weight(number(server, "weight"))
        });
        assert_eq!(text(&case["config"], "version"), "V1 (default)");
        let place = pingora::Options::default().build(&servers).expect("a ring");
        score.compare(case, &recorded.answers(case, "owners"), &servers, &place);
    }
    score.close(&recorded, 2_400);
}
