//! The answers of libketama.

use clockwise::Server;
use clockwise::dialect::libketama;

use crate::record::{check, number, text};

#[test]
fn every_recorded_owner_of_libketama() {
    // The column that weighs is called memory there, and was a hundred times the weight.
    let server = |server: &_| Server::new(text(server, "name"))?.with_weight(100 * number(server, "weight"));
    check("libketama/libketama.json", 1_800, server, |_| libketama::Options::default());
}
