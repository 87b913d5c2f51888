//! Which server HAProxy sends a key to, by every hash type that its version has.

use clockwise::dialect::haproxy::{Function, HashType, Method, Options};
use clockwise::{Buckets, Server};

use crate::http::Proxy;
use crate::score::Score;

/// Servers in the order of the file: a weight, and an id if one is written down.
type Fleet = Vec<(u32, Option<u32>)>;

fn fleets() -> [Fleet; 4] {
    [
        vec![(1, None); 4],
        vec![(1, None), (7, None), (256, None), (30, None)],
        // The others' ids are the lowest that are free from a counter on.
        vec![(1, None), (1, None), (2, Some(2)), (1, None), (3, Some(3)), (1, None), (1, Some(900))],
        (1..=25).map(|number| (number % 4, None)).collect(),
    ]
}

fn keys() -> Vec<String> {
    let mut keys: Vec<String> = (0..120).map(|i| format!("user:{i}")).collect();
    keys.extend((0..60_u32).map(|i| format!("{:08x}", i.wrapping_mul(0x9e37_79b9))));
    keys.extend((0..10).map(|i| format!("größe/鍵-{i}")));
    keys.extend((0..10).map(|i| format!("{i:0>250}")));
    keys
}

/// The functions of version 2.6; `none` is of a later one.
fn hash_types() -> Vec<HashType> {
    let mut types = Vec::new();
    for &method in Method::ALL {
        types.push(HashType::new(method));
        for &function in Function::ALL.iter().filter(|function| **function != Function::None) {
            types.extend([false, true].map(|avalanche| HashType::with_function(method, function, avalanche)));
        }
    }
    types
}

/// Backends by number, chosen by a header; behind all of their servers one frontend that says which
/// name it was called by.
fn settings(backends: &[(HashType, &Fleet)]) -> String {
    let mut file = "defaults
  mode http
  timeout client 60s
  timeout server 60s
  timeout connect 60s
frontend in
  bind unix@listen
  use_backend %[req.hdr(x-backend)]
frontend behind
  bind unix@behind
  http-request return status 200 hdr X-Server %[req.hdr(x-server)] content-type text/plain string x
"
    .to_owned();
    for (number, (hash_type, fleet)) in backends.iter().enumerate() {
        file.push_str(&format!(
            "backend b{number}\n  balance hdr(x-key)\n  hash-type {hash_type}\n  http-send-name-header X-Server\n"
        ));
        for (at, (weight, id)) in fleet.iter().enumerate() {
            let id = id.map(|id| format!(" id {id}")).unwrap_or_default();
            file.push_str(&format!("  server s{at} unix@behind weight {weight}{id}\n"));
        }
    }
    file
}

#[test]
#[ignore = "starts the real haproxy: cargo xtask live"]
fn every_key_goes_to_the_server_we_name() {
    let version = Proxy::version("haproxy", "-v").expect("haproxy is installed by cargo xtask packages");
    let fleets = fleets();
    let backends: Vec<(HashType, &Fleet)> = hash_types()
        .into_iter()
        .flat_map(|hash_type| fleets.iter().map(move |fleet| (hash_type, fleet)))
        .collect();
    let proxy = Proxy::start("haproxy", &["-db", "-f", "conf"], &settings(&backends)).expect("haproxy");
    let mut client = proxy.connect().expect("a connection");
    let mut score = Score::new("haproxy", version);
    for (number, (hash_type, fleet)) in backends.iter().enumerate() {
        let mut options = Options { hash_type: *hash_type, ..Options::default() };
        let servers = fleet.iter().enumerate().map(|(at, (weight, id))| {
            let server = Server::new(format!("s{at}")).expect("a server");
            options.ids.extend(id.map(|id| (server.name().clone(), id)));
            match *weight {
                0 => server.draining(),
                weight => server.with_weight(weight).expect("a weight"),
            }
        });
        let list = Buckets::new(servers.collect::<Vec<_>>()).expect("a fleet");
        let place = options.build(&list).expect("a placement");
        for key in keys() {
            let headers = format!("X-Backend: b{number}\r\nX-Key: {key}\r\n");
            let theirs = client.get("/", &headers, "x-server").expect("an answer");
            let ours = place.owner(&key).name().as_str();
            score.answer(theirs.as_str(), ours, || format!("{hash_type}, {fleet:?}: {key}"));
        }
    }
    score.close(14_400);
}
