//! Pingora's ring, a crate of its own.

use std::net::SocketAddr;

use clockwise::dialect::pingora::Options;
use clockwise::{Buckets, Server};
use pingora_ketama::{Bucket, Continuum};

use crate::draw::Draw;
use crate::score::Score;

#[test]
#[ignore = "one of the tests that ask other programs: cargo xtask live"]
fn every_key_goes_to_the_server_we_name() {
    let mut draw = Draw::new(43);
    let mut score = Score::new("pingora", "0.9.1".to_owned());
    for _ in 0..40 {
        let mut servers = Vec::new();
        for number in 0..=draw.below(20) {
            let port = 80 + draw.below(3);
            let address = match draw.once_in(3) {
                true => format!("[2001:db8:0:0::{number:x}]:{port}"),
                false => format!("10.0.{}.{number}:{port}", draw.below(256)),
            };
            let address: SocketAddr = address.parse().expect("an address");
            servers.push((address, 1 + draw.below(10) as u32));
        }
        let theirs: Vec<Bucket> =
            servers.iter().map(|&(address, weight)| Bucket::new(address, weight)).collect();
        let theirs = Continuum::new(&theirs);
        let ours = servers.iter().map(|(address, weight)| {
            Server::new(address.to_string())
                .and_then(|server| server.with_weight(u64::from(*weight)))
                .unwrap()
        });
        let ours = Options::default().build(&Buckets::new(ours.collect::<Vec<_>>()).unwrap()).unwrap();
        for key in draw.byte_keys(250) {
            let theirs = theirs.node(&key).expect("a server").to_string();
            score.answer(theirs.as_str(), ours.owner(&key).name().as_str(), || {
                format!("{} in {servers:?}", key.escape_ascii())
            });
        }
    }
    score.close(10_000);
}
