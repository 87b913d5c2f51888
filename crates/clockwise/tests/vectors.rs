//! Every recorded answer of the real programs, one by one.
//!
//! The files in `vectors/` say how each was made. `cargo test --test vectors -- --nocapture` prints
//! one line a system.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a failure here is the message

use std::path::Path;

use clockwise::dialect::{libmemcached, twemproxy};
use clockwise::{Buckets, Error, Placement, Server};
use serde_json::Value;

fn read(file: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors").join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn list<'v>(value: &'v Value, field: &str) -> &'v [Value] {
    value[field].as_array().unwrap_or_else(|| panic!("no list {field:?} in {value}"))
}

fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value[field].as_str().unwrap_or_else(|| panic!("no text {field:?} in {value}"))
}

fn number(value: &Value, field: &str) -> u64 {
    value[field].as_u64().unwrap_or_else(|| panic!("no number {field:?} in {value}"))
}

/// A file of recorded placements.
struct Recorded {
    file: Value,
    keys: Value,
}

impl Recorded {
    fn open(file: &str) -> Recorded {
        Recorded { file: read(file), keys: read("keys/memcached-family.json") }
    }

    /// The cases, each with its fleet.
    fn cases(&self) -> impl Iterator<Item = (&Value, &[Value])> {
        let fleet = |case| list(&self.file["fleets"], text(case, "fleet"));
        list(&self.file, "cases").iter().map(move |case| (case, fleet(case)))
    }

    /// The keys of a case and the index of each key's owner; the empty key last, if it was asked for.
    fn answers(&self, case: &Value, owners: &str) -> Vec<(&str, usize)> {
        let keys = list(&self.keys, text(case, "keys")).iter().map(|key| key.as_str().expect("a key"));
        let owners = list(case, owners).iter();
        assert_eq!(keys.len(), owners.len(), "keys and owners in {}", case["fleet"]);
        let empty = case.get("empty_key_owner").map(|owner| ("", owner));
        let index = |owner: &Value| owner.as_u64().expect("an index") as usize;
        keys.zip(owners).chain(empty).map(|(key, owner)| (key, index(owner))).collect()
    }
}

/// How many answers were compared, and what was wrong with any.
#[derive(Default)]
struct Score {
    answers: usize,
    wrong: Vec<String>,
}

impl Score {
    /// Compares the owners of a case with a placement. `servers` names the fleet's servers in its
    /// order.
    fn compare(&mut self, case: &Value, answers: &[(&str, usize)], servers: &Buckets, place: &dyn Placement) {
        for &(key, owner) in answers {
            let (recorded, ours) = (servers.servers()[owner].name(), place.owner(key.as_bytes()).name());
            self.answers += 1;
            if recorded != ours {
                let (fleet, config) = (&case["fleet"], &case["config"]);
                self.wrong.push(format!("{fleet} {config}: {key:?} is {recorded}'s, and we say {ours}"));
            }
        }
    }

    /// One line for the system. Fails on a wrong answer, and on fewer answers than there are.
    fn close(self, recorded: &Recorded, at_least: usize) {
        let system = text(&recorded.file, "system");
        let version = text(&recorded.file, "version").split(' ').next().unwrap_or_default();
        let (answers, right) = (self.answers, self.answers - self.wrong.len());
        println!("{system} {version}: {} of {} recorded answers match", grouped(right), grouped(answers));
        assert!(self.wrong.is_empty(), "{} wrong, the first: {}", self.wrong.len(), self.wrong[0]);
        assert!(answers >= at_least, "{answers} answers, and there were {at_least}");
    }
}

/// A number below a million with a comma before its last three digits.
fn grouped(number: usize) -> String {
    if number < 1_000 { number.to_string() } else { format!("{},{:03}", number / 1_000, number % 1_000) }
}

fn fleet(servers: &[Value], server: impl Fn(&Value) -> Result<Server, Error>) -> Buckets {
    let servers: Result<Vec<Server>, Error> = servers.iter().map(server).collect();
    Buckets::new(servers.expect("servers")).expect("a fleet")
}

#[test]
fn every_recorded_owner_of_libmemcached() {
    let recorded = Recorded::open("libmemcached/libmemcached.json");
    let mut score = Score::default();
    for (case, servers) in recorded.cases() {
        let servers = fleet(servers, |server| {
            let (host, port) = (text(server, "host"), number(server, "port"));
            let address =
                if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") };
            Server::new(text(server, "name"))?.with_address(address)?.with_weight(number(server, "weight"))
        });
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
