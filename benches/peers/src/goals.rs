//! What Clockwise is to reach, and whether it did.

use std::fmt::Write as _;

use clockwise::Level;

use crate::core_loops::Loop;
use crate::harness::Measured;
use crate::ours::{SAME_POINTS, SKELETON};

/// A goal, as a ratio of times, and what came of it.
pub struct Row {
    pub what: String,
    pub goal: f64,
    /// How many times as fast as the best peer; or, where it is against a limit, how many times the limit's
    /// time. None where it could not be measured here.
    pub reached: Option<f64>,
    pub limit: bool,
    /// Of the numbers: times, or bytes.
    pub unit: &'static str,
    pub peer: String,
    /// Why it could not be measured, if it could not.
    pub missing: &'static str,
}

const TIMES: &str = "×";

/// Said of a row one of whose entries was left out, for the reason that the last section gives.
const NOT_FAIR: &str = "not fair, see below";

impl Row {
    pub fn verdict(&self) -> &'static str {
        match self.reached {
            None => self.missing,
            Some(reached) if (reached <= self.goal) == self.limit || reached == self.goal => "met",
            Some(_) => "missed",
        }
    }

    pub fn shown(&self) -> [String; 3] {
        let sign = if self.limit { "≤" } else { "≥" };
        let unit = self.unit;
        let times =
            |ratio: f64| if self.limit { format!("{ratio:.2}{unit}") } else { format!("{ratio:.1}{unit}") };
        [
            format!("{sign} {}{unit}", self.goal),
            self.reached.map_or("-".to_owned(), times),
            self.verdict().to_owned(),
        ]
    }
}

/// Which of an entry's times.
type Time = fn(&Measured) -> f64;

fn best<'a>(measured: &'a [Measured], scheme: &str, servers: usize, time: Time) -> Option<&'a Measured> {
    let peers = measured.iter().filter(|m| !m.ours && m.scheme == scheme && m.servers == servers);
    peers.min_by(|a, b| time(a).total_cmp(&time(b)))
}

fn against_best(
    measured: &[Measured],
    (what, scheme, name): (&str, &str, &str),
    servers: usize,
    goal: f64,
    time: Time,
) -> Row {
    let ours =
        measured.iter().find(|m| m.ours && m.scheme == scheme && m.name == name && m.servers == servers);
    let peer = best(measured, scheme, servers, time);
    let reached = ours.zip(peer).map(|(ours, peer)| time(peer) / time(ours));
    let peer = peer.map_or("none was fair".to_owned(), |peer| peer.name.to_owned());
    // An entry that other sizes have was left out at this one for what the last section says.
    let known = measured.iter().any(|m| m.ours && m.scheme == scheme && m.name == name);
    let missing = if known { NOT_FAIR } else { "not on this machine" };
    Row {
        what: format!("{what}, {servers} servers"),
        goal,
        reached,
        limit: false,
        unit: TIMES,
        peer,
        missing,
    }
}

pub fn rows(measured: &[Measured], large: &[Measured], loops: &[Loop]) -> Vec<Row> {
    let number: Time = |m| m.number;
    let text: Time = |m| m.text;
    let build: Time = |m| m.build;
    let mut rows = Vec::new();
    let ring = ("ring, numbers", "ring", "clockwise");
    for (servers, goal) in [(10, 3.0), (100, 4.0), (1_000, 6.0), (10_000, 12.0)] {
        rows.push(against_best(measured, ring, servers, goal, number));
    }
    for (servers, goal) in [(10, 2.0), (100, 3.0), (1_000, 4.0), (10_000, 8.0)] {
        rows.push(against_best(measured, ("ring, texts", "ring", "clockwise"), servers, goal, text));
    }
    let builder = |name: &str| {
        measured.iter().find(|m| m.servers == 1_000 && m.scheme == "ring" && m.name == name).map(|m| m.build)
    };
    let pingora = ["pingora-ketama 0.9.1, v1", "pingora-ketama 0.9.1, v2"];
    let fastest = pingora.into_iter().filter_map(|name| Some((builder(name)?, name)));
    let fastest = fastest.min_by(|a, b| a.0.total_cmp(&b.0));
    for (what, ours) in [
        ("ring, build of the 160,000 points of pingora", SAME_POINTS),
        ("ring, build of 160,000 points of our own", "clockwise"),
    ] {
        rows.push(Row {
            what: what.to_owned(),
            goal: 1.0,
            reached: fastest.zip(builder(ours)).map(|((peer, _), ours)| peer / ours),
            limit: false,
            unit: TIMES,
            peer: fastest.map_or("none was fair", |(_, name)| name).to_owned(),
            missing: NOT_FAIR,
        });
    }
    rows.push(against_best(
        measured,
        ("ketama, texts", "ring, md5", "clockwise, libketama"),
        1_000,
        1.5,
        text,
    ));
    let level = Level::best();
    let (plain, weights) = ("rendezvous", "rendezvous, weights");
    for servers in [100, 1_000] {
        rows.push(against_best(
            measured,
            ("rendezvous, portable", plain, "clockwise, portable"),
            servers,
            8.0,
            number,
        ));
    }
    let portable = ("rendezvous with weights, portable", weights, "clockwise, portable");
    rows.push(against_best(measured, portable, 100, 8.0, number));
    rows.push(against_best(measured, portable, 1_000, 15.0, number));
    for (name, equal, weighted) in [("avx2", 30.0, 25.0), ("avx512", 40.0, 30.0)] {
        // What is timed is the best level: of the others there is nothing to say here.
        let mine = if level.name() == name { "clockwise" } else { "" };
        let what = format!("rendezvous, {name}");
        rows.push(against_best(measured, (&what, plain, mine), 1_000, equal, number));
        let what = format!("rendezvous with weights, {name}");
        rows.push(against_best(measured, (&what, weights, mine), 1_000, weighted, number));
    }
    rows.push(against_best(
        measured,
        ("skeleton against rendezvous, numbers", plain, SKELETON),
        1_000,
        100.0,
        number,
    ));
    for servers in [10, 100, 1_000] {
        let probes = ("multi-probe, numbers", "multi-probe", "clockwise");
        rows.push(against_best(measured, probes, servers, 10.0, number));
    }
    for servers in [10, 100, 1_000] {
        let anchor = ("anchor, numbers", "anchor", "clockwise");
        rows.push(against_best(measured, anchor, servers, 3.0, number));
    }
    for (servers, goal) in [(10, 1.3), (1_000, 6.0)] {
        let back = ("jump-back against jump, numbers", "jump", "clockwise, jump-back");
        rows.push(against_best(measured, back, servers, goal, number));
    }
    rows.push(against_best(measured, ("maglev, numbers", "maglev", "clockwise"), 1_000, 10.0, number));
    rows.push(against_best(measured, ("maglev, texts", "maglev", "clockwise"), 1_000, 3.0, text));
    rows.push(against_best(
        measured,
        ("maglev, build of 65,537 slots", "maglev", "clockwise"),
        1_000,
        2.5,
        build,
    ));
    rows.push(against_best(
        large,
        ("maglev, build of 655,373 slots", "maglev", "clockwise"),
        1_000,
        3.0,
        build,
    ));
    for (what, scheme, parts, goal) in
        [("ring, bytes a point", "ring", 160_000.0, 16.0), ("maglev, bytes a slot", "maglev", 65_537.0, 2.0)]
    {
        let ours = measured.iter().find(|m| m.ours && m.scheme == scheme && m.servers == 1_000);
        // As it is shown: what a placement keeps beside its points or slots is less than that.
        let reached = ours.map(|m| (m.bytes as f64 / parts * 100.0).round() / 100.0);
        rows.push(Row {
            what: what.to_owned(),
            goal,
            reached,
            limit: true,
            unit: " B",
            peer: String::new(),
            missing: NOT_FAIR,
        });
    }
    for found in loops {
        let jump_batch = if level.name() == "avx512" { 5.0 } else { 3.0 };
        let (goal, limit) = match found.what {
            "ring, one by one / two reads in turn" => (1.3, true),
            "ring, in batches / two reads in turn" => (1.1, true),
            "jump, one by one / the paper's loop" => (1.02, true),
            "jump, in batches / the paper's loop" => (jump_batch, false),
            "maglev, each after the one before / one read"
            | "rendezvous, 10,000 servers / 0.15 ns a server" => (1.5, true),
            what if what.contains("in batches / md5") => (3.0, false),
            what if what.contains("/ md5") => (1.15, true),
            "bounded, leases of two threads / of one" => (1.0, false),
            "arcs moved by a join / copying 16 bytes a point" => (4.0, true),
            "a join / copying 16 bytes a point" => (2.5, true),
            _ => (4.0, false),
        };
        let ratio = if limit { found.ours / found.against } else { found.against / found.ours };
        let peer = String::new();
        rows.push(Row {
            what: found.what.to_owned(),
            goal,
            reached: Some(ratio),
            limit,
            unit: TIMES,
            peer,
            missing: NOT_FAIR,
        });
    }
    rows
}

/// The table for a terminal.
pub fn text(rows: &[Row]) -> String {
    let mut text = String::new();
    for row in rows {
        let [goal, reached, verdict] = row.shown();
        // A String takes all that is written.
        let _ = writeln!(text, "{:<54}{goal:>9}{reached:>9}  {verdict:<21}{}", row.what, row.peer);
    }
    text
}
