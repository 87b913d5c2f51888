//! The answers of spymemcached.

use clockwise::Server;
use clockwise::dialect::spymemcached::{KeyFormat, Options};
use serde_json::Value;

use crate::record::{at_host, check, text};

#[test]
fn every_recorded_owner_of_spymemcached() {
    // Java's text, where it was taken down: it holds the IP address of a name.
    let server = |server: &Value| match server.get("socket_text") {
        Some(_) => at_host(server)?.with_address(text(server, "socket_text")),
        None => at_host(server) as Result<Server, _>,
    };
    check("spymemcached/spymemcached.json", 14_400, server, |config| Options {
        locator: text(config, "locator").parse().expect("a locator"),
        hash: text(config, "hash").parse().expect("a hash"),
        key_format: match config["key_format"].as_str() {
            Some(format) => format.parse().expect("a format"),
            None => KeyFormat::default(),
        },
        weighted: config["weighted"].as_bool().expect("true or false"),
    });
}
