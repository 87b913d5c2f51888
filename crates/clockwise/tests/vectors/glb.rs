//! The rows of GLB director's forwarding table.

use clockwise::dialect::glb::Table;
use clockwise::{Buckets, Server};
use serde_json::Value;

use crate::record::{Score, list, read, text};

#[test]
fn every_recorded_row_of_glb() {
    let file = read("glb/forwarding-table.json");
    let tables = file.as_array().expect("a list");
    let mut score = Score::default();
    for recorded in tables {
        let draining: Vec<usize> =
            list(recorded, "draining").iter().map(|at| at.as_u64().expect("an index") as usize).collect();
        let servers = list(recorded, "backends").iter().enumerate().map(|(at, address)| {
            let server = Server::new(address.as_str().expect("an address")).expect("a server");
            if draining.contains(&at) { server.draining() } else { server }
        });
        let servers = Buckets::new(servers).expect("a fleet");
        let seed = u128::from_str_radix(text(recorded, "seed"), 16).expect("a seed");
        let table = Table::new(seed.to_be_bytes(), &servers).expect("a table");
        for (row, pair) in recorded["rows"].as_object().expect("rows") {
            let ours = table.row(row.parse().expect("a row")).map(|ix| Value::from(ix.index()));
            score.answer(pair, &Value::from(ours.to_vec()), || {
                format!("row {row} of {}", text(recorded, "seed"))
            });
        }
    }
    score.close_file(&tables[0], 750);
}
