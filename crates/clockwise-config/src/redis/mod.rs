//! Redis Cluster and Valkey: what a cluster says of itself.
//!
//! ```text
//! 07c37df… 10.0.0.1:6379@16379 myself,master - 0 1426238316232 2 connected 0-5460
//! e7d1eec… 10.0.0.2:6379@16379,cache-2.example.com master - 0 1426238318243 3 connected 5461-16383
//! ```
//!
//! Read are `CLUSTER NODES` and a node's own `nodes.conf` ([nodes]), and `CLUSTER SLOTS` and `CLUSTER
//! SHARDS` as redis-cli prints them on a terminal, into a file, and with `--json` or `-3` ([reply]).
//! What decides the placement is the map of slots and nothing else.
//!
//! A master is a server under `host:port`; a replica owns nothing and is left out. A slot on its way
//! (`[93-<-…]`, `[77->-…]`) is still that of the master it leaves. Slots that a listing shows at a
//! replica are its master's, with a warning; so is a master that is marked as failed. Slots that
//! nobody owns make a cluster that does not place all keys, and two owners of one slot are refused.
//!
//! Refused by name: `redis-cli --cluster check` and `info`, which shorten or count what is needed,
//! `CLUSTER INFO`, and answers in quotes. Shapes are those of redis 7.0.15, asked for them.

use std::collections::{BTreeMap, HashMap, HashSet};

use clockwise::dialect::redis::Options;
use clockwise::hash::RedisSlot;
use clockwise::slots::SlotRanges;
use clockwise::{Scheme, Server, ServerName};

use crate::diagnostic::{Diagnostic, quoted, ticked};
use crate::fleet::{PoolRead, ServerEntry, settle};
use crate::kind::significant;
use crate::report::Report;
use crate::source::Span;

mod nodes;
mod reply;

/// Whether a text is one of a cluster's answers, or one that is refused by name.
pub(crate) fn is(text: &str) -> bool {
    nodes::is(text) || reply::is(text) || refused(text).is_some()
}

pub(crate) fn read(report: &mut Report) -> Vec<PoolRead> {
    let source = report.source.clone();
    if let Some((number, message, help)) = refused(source.text()) {
        let line = source.line(number);
        let start = source.line_start(number) + (line.len() - line.trim_start().len());
        let span = Span::new(start, start + line.trim().len());
        let message = format!("{message}: {}", ticked(line.trim()));
        report.push(report.error_at(span, message).with_help(help));
        return Vec::new();
    }
    let mut cluster = Cluster::new();
    if reply::is(source.text()) {
        reply::read(report, &mut cluster);
    } else {
        nodes::read(report, &mut cluster);
    }
    cluster.pool(report).into_iter().collect()
}

const ASK: &str = "ask for `redis-cli cluster nodes`";

/// What is told by name: the line, what it is, and what to do.
fn refused(text: &str) -> Option<(usize, &'static str, &'static str)> {
    // Colours of a terminal begin with an escape.
    let mut lines = significant(text).take(40).map(|(number, line)| (number, line.trim()));
    let (first, line) = lines.next()?;
    let is_count = |line: &str| line.contains(" keys | ") && line.contains(" slots | ");
    let is_check = |line: &str| line.contains(">>> Performing Cluster Check") || is_master(line);
    if is_count(line) || is_check(line) {
        return Some(match lines.find(|(_, line)| is_check(line)) {
            Some(_) => (first, "this is the output of redis-cli --cluster check", ASK),
            None if is_check(line) => (first, "this is the output of redis-cli --cluster check", ASK),
            None => (
                first,
                "this is the output of redis-cli --cluster info, which counts slots and does not name them",
                ASK,
            ),
        });
    }
    if line.starts_with("cluster_state:") || line.starts_with("cluster_enabled:") || line == "# Cluster" {
        return Some((first, "this is the answer to CLUSTER INFO, which names no nodes", ASK));
    }
    let inner = line.strip_prefix('"')?;
    (nodes::begins_with_id(inner) && inner.contains("\\n")).then_some((
        first,
        "this answer of CLUSTER NODES stands in quotes",
        "ask redis-cli with --raw",
    ))
}

/// `M: ID host:port` of a check.
fn is_master(line: &str) -> bool {
    ["M: ", "S: "].iter().any(|mark| line.strip_prefix(mark).is_some_and(nodes::begins_with_id))
}

/// A cluster while it is read.
struct Cluster {
    masters: Vec<Master>,
    by_id: HashMap<String, usize>,
    /// The master of each slot.
    owners: Vec<Option<usize>>,
    /// Slots that were listed at a replica.
    of_replicas: Vec<Given>,
    /// What replicas are called, each once.
    replicas: Vec<String>,
    known_replicas: HashSet<String>,
}

struct Master {
    entry: ServerEntry,
}

/// Slots listed at a replica of that master.
struct Given {
    master: String,
    first: u32,
    last: u32,
    span: Span,
}

impl Cluster {
    fn new() -> Cluster {
        Cluster {
            masters: Vec::new(),
            by_id: HashMap::new(),
            owners: vec![None; RedisSlot::SLOTS as usize],
            of_replicas: Vec::new(),
            replicas: Vec::new(),
            known_replicas: HashSet::new(),
        }
    }

    /// A master under its id, or its name where no id is told.
    fn master(&mut self, report: &mut Report, id: &str, host: &str, port: &str, span: Span) -> Option<usize> {
        if let Some(&known) = self.by_id.get(id) {
            return Some(known);
        }
        match Server::new(called(id, host, port)) {
            Ok(server) => {
                self.by_id.insert(id.to_owned(), self.masters.len());
                self.masters.push(Master { entry: ServerEntry::new(server, span) });
                Some(self.masters.len() - 1)
            }
            Err(error) => {
                let shown = ticked(report.source.slice(span));
                report.error(span, format!("node {shown}: {error}"));
                None
            }
        }
    }

    /// A replica, which owns nothing.
    fn replica(&mut self, id: &str, host: &str, port: &str) {
        let name = called(id, host, port);
        if self.known_replicas.insert(name.clone()) {
            self.replicas.push(name);
        }
    }

    fn name(&self, master: usize) -> &str {
        self.masters[master].entry.server().name().as_str()
    }

    /// Gives slots to a master; a slot that has an owner is refused.
    fn give(&mut self, report: &mut Report, master: usize, first: u32, last: u32, span: Span) {
        for slot in first..=last {
            let owner = &mut self.owners[slot as usize];
            match *owner {
                None => *owner = Some(master),
                Some(other) => {
                    let (name, other) = (quoted(self.name(master)), quoted(self.name(other)));
                    let shown = ticked(report.source.slice(span));
                    let message = format!("slot {slot} of {shown} of node {name} already belongs to {other}");
                    report.push(report.error_at(span, message).with_help("a slot has one master"));
                    return;
                }
            }
        }
    }

    /// Slots at replicas are their masters', if nobody else's.
    fn settle_replicas(&mut self, report: &mut Report) {
        for given in std::mem::take(&mut self.of_replicas) {
            let shown = ticked(report.source.slice(given.span));
            let message = match self.by_id.get(&given.master).copied() {
                Some(master) => {
                    // A range is passed over from its first slot that is taken.
                    for slot in given.first..=given.last {
                        match &mut self.owners[slot as usize] {
                            owner @ None => *owner = Some(master),
                            Some(_) => break,
                        }
                    }
                    format!(
                        "the slots {shown} are listed at a replica of {}, and are its master's",
                        quoted(self.name(master))
                    )
                }
                None => format!("the slots {shown} are listed at a replica whose master is not here"),
            };
            report.push(report.warning_at(given.span, message));
        }
    }

    fn pool(mut self, report: &mut Report) -> Option<PoolRead> {
        self.settle_replicas(report);
        let span = self.masters.first().map_or(Span::new(0, 0), |master| master.entry.span());
        if self.masters.is_empty() {
            if !report.has_errors() {
                report.error(Span::new(0, 0), "the cluster lists no master");
            }
            return None;
        }
        let scheme = self.scheme(report, span);
        let (one, several) =
            ("replica owns no slots and is left out", "replicas own no slots and are left out");
        report.notes.extend(of_nodes(&self.replicas, one, several));
        if scheme.is_ok() {
            let (one, several) = (
                "master has no slots, and the tool's rebalance passes it over without --cluster-use-empty-masters",
                "masters have no slots, and the tool's rebalance passes them over without --cluster-use-empty-masters",
            );
            report.notes.extend(of_nodes(&self.empty(), one, several));
        }
        let entries = self.masters.into_iter().map(|master| master.entry).collect();
        let entries = settle(report, "the cluster", Span::new(span.start(), span.start()), entries);
        Some(PoolRead { name: None, span, scheme, settings: Vec::new(), entries, warnings: Vec::new() })
    }

    /// The masters without slots.
    fn empty(&self) -> Vec<String> {
        let mut empty = vec![true; self.masters.len()];
        for owner in self.owners.iter().flatten() {
            empty[*owner] = false;
        }
        let named = (0..).zip(empty).filter(|(_, empty)| *empty);
        named.map(|(master, _): (usize, bool)| self.name(master).to_owned()).collect()
    }

    fn scheme(&self, report: &Report, span: Span) -> Result<Scheme, Diagnostic> {
        let shown = ticked(report.source.slice(span));
        let error = |message: String| report.error_at(span, message);
        let missing = self.owners.iter().filter(|owner| owner.is_none()).count();
        if let Some(first) = self.owners.iter().position(Option::is_none) {
            let run = self.owners[first..].iter().take_while(|owner| owner.is_none()).count();
            let range = if run > 1 { format!("{first}-{}", first + run - 1) } else { first.to_string() };
            let message = format!(
                "{missing} of {} slots have no owner, the first of them {range}, in the cluster that begins with {shown}",
                RedisSlot::SLOTS
            );
            return Err(error(message)
                .with_help("keys of these slots are answered with an error: give them to a master"));
        }
        let mut runs: BTreeMap<ServerName, Vec<std::ops::RangeInclusive<u32>>> = BTreeMap::new();
        let mut first = 0_u32;
        for run in self.owners.chunk_by(|a, b| a == b) {
            let end = first + run.len() as u32;
            if let Some(owner) = run[0] {
                let name = self.masters[owner].entry.server().name().clone();
                runs.entry(name).or_default().push(first..=end - 1);
            }
            first = end;
        }
        let ranges = runs.into_iter().map(|(name, runs)| Ok((name, SlotRanges::new(runs)?)));
        let ranges: Result<BTreeMap<ServerName, SlotRanges>, clockwise::Error> = ranges.collect();
        let slots = ranges.map_err(|refused| error(format!("{shown}: {refused}")))?;
        Ok(Scheme::Dialect(Options { slots: Some(slots), ..Options::default() }.into()))
    }
}

/// What a node is called: where it is, or its id if that is not known.
fn called(id: &str, host: &str, port: &str) -> String {
    match (host, port) {
        ("", "" | "0") => id.to_owned(),
        (host, port) if host.contains(':') => format!("[{host}]:{port}"),
        (host, port) => format!("{host}:{port}"),
    }
}

/// What is said of one node or of several, and the first few of them by name; of none nothing.
fn of_nodes(nodes: &[String], one: &str, several: &str) -> Option<String> {
    const NAMED: usize = 6;
    let said = match nodes.len() {
        0 => return None,
        1 => format!("1 {one}"),
        more => format!("{more} {several}"),
    };
    let names: Vec<String> = nodes.iter().take(NAMED).map(|name| ticked(name)).collect();
    let rest = match nodes.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!("{said}: {}{rest}", names.join(", ")))
}

/// `5460` or `0-5460`, if both are slots.
fn slots(text: &str) -> Option<(u32, u32)> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let number = |text: &str| {
        let digits = !text.is_empty() && text.len() <= 5 && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<u32>().ok().filter(|slot| digits && *slot < RedisSlot::SLOTS)
    };
    let (first, last) = (number(first)?, number(last)?);
    (first <= last).then_some((first, last))
}
