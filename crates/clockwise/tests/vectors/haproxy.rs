//! The answers of HAProxy: by every hash type, by every hash key, and under load.

use clockwise::dialect::haproxy::{Options, request};
use clockwise::{Buckets, Server, ServerName};
use serde_json::Value;

use crate::record::{Recorded, Score, fleet, list, number, owners, text};

/// The servers of a fleet, their ids and guids written down.
fn backend(servers: &[Value], options: &mut Options) -> Buckets {
    let fleet = fleet(servers, |server| {
        let named = Server::new(text(server, "name"))?.with_weight(number(server, "weight"))?;
        let Some(host) = server.get("host").and_then(Value::as_str) else {
            return Ok(named);
        };
        let port = number(server, "port");
        named.with_address(if host.contains(':') {
            format!("[{host}]:{port}")
        } else {
            format!("{host}:{port}")
        })
    });
    for server in servers {
        let name: ServerName = text(server, "name").parse().expect("a name");
        options.ids.insert(name.clone(), number(server, "id") as u32);
        if let Some(guid) = server.get("guid").and_then(Value::as_str) {
            options.guids.insert(name, guid.to_owned());
        }
    }
    fleet
}

/// What HAProxy hashes when a key is sent as this `balance` looks for it. An empty parameter is hashed.
fn hashed(balance: &str, key: &str) -> Vec<u8> {
    let found = |value: Option<&[u8]>| value.expect("a text to hash").to_owned();
    let path = format!("/{key}");
    match balance {
        "hdr(X-Key)" => found(request::first_value(key.as_bytes())),
        "hash req.hdr(X-Key)" => found(request::last_value(key.as_bytes())),
        "url_param k" => found(request::url_param(format!("/?k={key}").as_bytes(), b"k")),
        "uri" => request::uri(path.as_bytes()).to_owned(),
        "uri whole" => path.into_bytes(),
        other => panic!("no balance of ours: {other}"),
    }
}

#[test]
fn every_recorded_owner_of_haproxy() {
    let recorded = Recorded::open("haproxy/haproxy.json");
    let mut score = Score::default();
    for (case, servers) in recorded.cases() {
        let mut options = Options::default();
        let servers = backend(servers, &mut options);
        let config = &case["config"];
        options.hash_type = text(config, "hash-type").parse().expect("a hash type");
        let place = options.build(&servers).expect("a placement");
        let answers = recorded.answers(case, "owners");
        let parts = answers.iter().map(|(key, _)| hashed(text(config, "balance"), key));
        for ((key, owner), ours) in answers.iter().zip(owners(&place, parts)) {
            score.answer(owner, &ours.index(), || format!("{} {config}: {key:?}", case["fleet"]));
        }
    }
    score.close(&recorded, 37_744);
}

#[test]
fn ids_that_haproxy_assigned_are_those_of_places() {
    let recorded = Recorded::open("haproxy/haproxy.json");
    let mut compared = 0;
    for (case, servers) in recorded.cases().filter(|(case, _)| text(case, "fleet") != "p8id") {
        let mut options = Options::default();
        let servers = backend(servers, &mut options);
        let given: Vec<u32> = servers.servers().iter().map(|server| options.ids[server.name()]).collect();
        let assigned = Options::default().assigned_ids(&servers).expect("ids");
        assert_eq!(assigned, given, "{}", case["fleet"]);
        compared += 1;
    }
    assert!(compared > 100);
}

#[test]
fn every_recorded_owner_of_haproxy_by_hash_key() {
    let recorded = Recorded::open("haproxy/hash-key.json");
    let mut score = Score::default();
    for (case, servers) in recorded.cases() {
        let mut options = Options::default();
        let servers = backend(servers, &mut options);
        options.hash_type = text(&case["config"], "hash-type").parse().expect("a hash type");
        options.hash_key = text(&case["config"], "hash-key").parse().expect("a hash key");
        let place = options.build(&servers).expect("a placement");
        score.compare(case, &recorded.answers(case, "owners"), &servers, &place);
    }
    score.close(&recorded, 1_000);
}

#[test]
fn every_recorded_choice_of_haproxy_under_load() {
    let recorded = Recorded::open("haproxy/bounded-load.json");
    let mut score = Score::default();
    for (case, servers) in recorded.cases() {
        let config = &case["config"];
        let mut options = Options::default();
        let servers = backend(servers, &mut options);
        options.hash_type = text(config, "hash-type").parse().expect("a hash type");
        options.hash_balance_factor = number(config, "hash-balance-factor") as u16;
        let bounded = options.build_bounded(&servers).expect("a placement");
        let mut served = vec![0_u64; servers.servers().len()];
        for (at, event) in list(case, "events").iter().enumerate() {
            let key = event[1].as_str().expect("a key");
            let server = event[2].as_u64().expect("an index") as usize;
            match event[0].as_str() {
                Some("open") => {
                    let ours = bounded.choose(key, &served, served.iter().sum()).index();
                    score.answer(&server, &ours, || {
                        format!("{} {config}: event {at}, {key:?}", case["fleet"])
                    });
                    served[server] += 1;
                }
                Some("close") => served[server] -= 1,
                _ => panic!("no event of ours: {event}"),
            }
        }
    }
    score.close(&recorded, 425);
}
