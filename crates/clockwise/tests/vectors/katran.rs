//! The tables of Katran.

use clockwise::Server;
use clockwise::dialect::katran::Options;

use crate::record::{Score, fleet, list, number, read, text};

#[test]
fn every_recorded_slot_of_katran() {
    let file = read("katran/maglev.json");
    let tables = file.as_array().expect("a list");
    let mut score = Score::default();
    for recorded in tables {
        let endpoints = list(recorded, "endpoints");
        let hosts = fleet(endpoints, |endpoint| {
            // A host's name carries its hash: 64 bits as text.
            Server::new(text(endpoint, "hash"))?.with_weight(number(endpoint, "weight"))
        });
        let version = text(recorded, "algorithm").parse().expect("a version");
        let options = Options { version, ring_size: number(recorded, "ring_size") as u32 };
        let hash = |host: &Server| host.name().as_str().parse().expect("a hash");
        let table = options.build(&hosts, hash).expect("a table");
        let context =
            |what: &str| format!("{} of {}, {what}", text(recorded, "algorithm"), options.ring_size);
        for (slot, owner) in recorded["samples"].as_object().expect("samples") {
            let at: usize = slot.parse().expect("a slot");
            let ours = table.table().get(at).expect("a slot").index() as u64;
            score.answer(owner, &ours.into(), || context(slot));
        }
        for (at, count) in list(recorded, "counts").iter().enumerate() {
            let ours = table.table().iter().filter(|ix| ix.index() == at).count();
            score.answer(count, &ours.into(), || context("slots of a host"));
        }
    }
    score.close_file(&tables[0], 2_440);
}
