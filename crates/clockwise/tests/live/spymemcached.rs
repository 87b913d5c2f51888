//! spymemcached, where there is a Java machine.

use std::fmt::Write as _;
use std::process::{Command, Stdio};

use clockwise::dialect::spymemcached::{Hash, KeyFormat, Locator, Options};
use clockwise::{Buckets, Server};
use serde_json::Value;

use crate::draw::{Draw, Hosts};
use crate::library::{Pool, ask_text, compare_with};
use crate::score::Score;

fn drawn(draw: &mut Draw) -> (Options, Pool) {
    let options = Options {
        locator: if draw.once_in(4) { Locator::ArrayMod } else { Locator::Ketama },
        hash: *draw.pick(Hash::ALL),
        key_format: *draw.pick(KeyFormat::ALL),
        weighted: draw.once_in(2),
    };
    let list = draw.pool(Hosts::Any).servers().to_vec().into_iter().enumerate().map(|(number, server)| {
        let address = server.address();
        let (host, port) = (address.host(), address.port().expect("a port"));
        let address = match (options.key_format, host.ends_with(".com")) {
            (KeyFormat::Spymemcached, true) => format!("{host}/<unresolved>:{port}"),
            (KeyFormat::Spymemcached, false) => address.as_str().to_owned(),
            (KeyFormat::Libmemcached, true) => format!("{host}:{port}"),
            // Java would ask the DNS for the names of addresses.
            _ => format!("cache-{number}.example.net:{port}"),
        };
        let weight = server.weight().get();
        Server::new(format!("s{number}"))?.with_address(address)?.with_weight(weight)
    });
    let list: Result<Vec<Server>, clockwise::Error> = list.collect();
    let mut keys = draw.keys(149);
    keys.push(String::new());
    (options, Pool::new(Buckets::new(list.unwrap()).unwrap(), Value::Null, options, keys))
}

fn question(pools: &[(Options, Pool)]) -> String {
    let mut lines = String::new();
    for (options, pool) in pools {
        let Options { locator, hash, key_format, weighted } = options;
        let _ = writeln!(lines, "pool {locator} {hash} {key_format} {weighted}");
        for server in pool.list.servers() {
            let address = server.address();
            let host = address.host().split('/').next().unwrap_or_default();
            let _ = writeln!(lines, "server {host} {} {}", address.port().expect("a port"), server.weight());
        }
        for key in pool.keys() {
            let _ = writeln!(lines, "key {key}");
        }
    }
    lines
}

#[test]
#[ignore = "asks the real client: cargo xtask live"]
fn every_key_goes_to_the_server_we_name() {
    let mut draw = Draw::new(81);
    let pools: Vec<(Options, Pool)> = (0..70).map(|_| drawn(&mut draw)).collect();
    let answer = ask_text("spymemcached", "Spymemcached.java", "spymemcached", &question(&pools));
    let Some(answer) = answer else { return };
    // The jar does not say its version; its package does.
    let package = Command::new("dpkg-query")
        .args(["-W", "-f", "${Version}", "libspymemcached-java"])
        .stdin(Stdio::null())
        .output()
        .expect("the package's version");
    let mut score = Score::new("spymemcached", String::from_utf8(package.stdout).expect("a version"));
    let pools: Vec<Pool> = pools.into_iter().map(|(_, pool)| pool).collect();
    compare_with(&mut score, &answer, &pools);
    score.close(10_500);
}
