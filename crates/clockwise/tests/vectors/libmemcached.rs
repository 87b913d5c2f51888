//! The answers of libmemcached.

use clockwise::dialect::libmemcached;

use crate::record::{Recorded, Score, at_host, fleet, text};

#[test]
fn every_recorded_owner_of_libmemcached() {
    let recorded = Recorded::open("libmemcached/libmemcached.json");
    let mut score = Score::default();
    for (case, servers) in recorded.cases() {
        let servers = fleet(servers, at_host);
        let config = &case["config"];
        let mut options = libmemcached::Options::default();
        match text(config, "distribution") {
            "BEHAVIOR_KETAMA_WEIGHTED" => options = libmemcached::Options::ketama_weighted(),
            "KETAMA_SPY" => options.distribution = libmemcached::Distribution::ConsistentKetamaSpy,
            "SORT_HOSTS_MODULA" => options.sort_hosts = true,
            named => options.distribution = named.parse().expect("a distribution"),
        }
        options.hash = text(config, "hash").parse().expect("a hash");
        if let Some(note) = config.get("note") {
            let note = note.as_str().expect("a note");
            assert!(note.starts_with("distribution set after the servers were added"), "{note}");
            options.set_after_servers = true;
        }
        let place = options.build(&servers).expect("a placement");
        score.compare(case, &recorded.answers(case, "owners"), &servers, &place);
    }
    score.close(&recorded, 67_424);
}
