//! `CLUSTER NODES`, and the `nodes.conf` that a node writes: one line a node.
//!
//! `ID host:port@bus[,hostname][,key=value…] flags master ping pong epoch link [slots…]`

use super::{Cluster, Given, slots};
use crate::diagnostic::{quoted, ticked};
use crate::kind::significant;
use crate::report::Report;
use crate::source::Span;
use crate::suggest::nearest;

const FLAGS: &[&str] = &[
    "myself",
    "master",
    "slave",
    "replica",
    "fail",
    "fail?",
    "handshake",
    "noaddr",
    "nofailover",
    "noflags",
];

/// Whether a text begins with an id, which has 40 digits and letters to `f`.
pub(super) fn begins_with_id(text: &str) -> bool {
    let id = text.split([' ', '\t']).next().unwrap_or("");
    id.len() == 40 && id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Whether one of the first lines begins with an id.
pub(super) fn is(text: &str) -> bool {
    significant(text).take(3).any(|(_, line)| {
        let line = line.trim();
        begins_with_id(line) && line.len() > 40 || line.starts_with("vars currentEpoch ")
    })
}

/// A word of a line.
#[derive(Clone, Copy)]
struct Word<'l> {
    text: &'l str,
    span: Span,
}

fn words(line: &str, start: usize) -> impl Iterator<Item = Word<'_>> {
    line.split_whitespace().map(move |text| {
        let at = start + (text.as_ptr() as usize - line.as_ptr() as usize);
        Word { text, span: Span::new(at, at + text.len()) }
    })
}

pub(super) fn read(report: &mut Report, cluster: &mut Cluster) {
    let source = report.source.clone();
    let mut nodes = Vec::new();
    for (number, line) in significant(source.text()) {
        if report.is_full() {
            report.count_one_more();
            continue;
        }
        let mut words = words(line, source.line_start(number));
        let Some(first) = words.next() else { continue };
        if first.text == "vars" {
            continue;
        }
        if ["...", "…", "[...]"].contains(&first.text) {
            let message = format!(
                "{} stands for lines that are left out, and their slots are missing",
                ticked(first.text)
            );
            report.push(report.error_at(first.span, message).with_help("give the whole answer"));
            continue;
        }
        if !begins_with_id(first.text) {
            let message = format!(
                "{} is no id of a node: a line of CLUSTER NODES begins with 40 hexadecimal digits",
                quoted(first.text)
            );
            report.error(first.span, message);
            continue;
        }
        let rest: Vec<Word<'_>> = words.collect();
        match rest.as_slice() {
            [place, flags, master, _ping, _pong, _epoch, link, slots @ ..] => {
                if !["connected", "disconnected"].contains(&link.text) {
                    let message = format!(
                        "{} is no state of a link: it is connected or disconnected",
                        quoted(link.text)
                    );
                    report.error(link.span, message);
                }
                if let Some(node) = node(report, first, *place, *flags, *master) {
                    nodes.push((node, slots.to_vec()));
                }
            }
            _ => {
                let last = rest.last().unwrap_or(&first);
                let message =
                    format!("the line ends after {}: it has eight words and then slots", quoted(last.text));
                report.push(
                    report.error_at(last.span, message).with_help("the answer is cut off: give all of it"),
                );
            }
        }
    }
    // Masters first: a replica may stand before its own.
    let mut ids = std::collections::HashMap::new();
    for (node, _) in &nodes {
        if let Some(first) = ids.insert(node.id.text, node.id.span) {
            let message = format!("node {} is listed twice", quoted(node.id.text));
            report.push(report.error_at(node.id.span, message).with_also(first, "first here"));
        }
    }
    for (node, slots) in nodes {
        if node.is_master {
            take(report, cluster, node, &slots);
        } else {
            if node.is_replica {
                cluster.replica(node.id.text, node.host, node.port);
            }
            for word in slots {
                if let Some((first, last)) = range(report, word) {
                    let master = node.master.text.to_owned();
                    cluster.of_replicas.push(Given { master, first, last, span: word.span });
                }
            }
        }
    }
}

struct Node<'l> {
    id: Word<'l>,
    host: &'l str,
    port: &'l str,
    span: Span,
    is_master: bool,
    is_replica: bool,
    master: Word<'l>,
    failed: Option<Word<'l>>,
}

fn node<'l>(
    report: &mut Report,
    id: Word<'l>,
    place: Word<'l>,
    flags: Word<'l>,
    master: Word<'l>,
) -> Option<Node<'l>> {
    // `host:port@bus,hostname,key=value`: before 4.0 there is no bus port.
    let mut parts = place.text.split(',');
    let address = parts.next().unwrap_or("");
    let hostname = parts.next().filter(|name| !name.contains('=')).unwrap_or("");
    let without_bus = address.split('@').next().unwrap_or(address);
    let (host, port) = without_bus.rsplit_once(':').unwrap_or((without_bus, ""));
    let is_port =
        !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok();
    if !is_port {
        let message = format!("node {}: {} is no host:port", quoted(&id.text[..8]), quoted(place.text));
        report.error(place.span, message);
        return None;
    }
    let mut is_master = false;
    let mut is_replica = false;
    let mut failed = None;
    for flag in flags.text.split(',') {
        match flag {
            "master" => is_master = true,
            "slave" | "replica" => is_replica = true,
            "fail" | "fail?" => failed = Some(flags),
            _ if FLAGS.contains(&flag) => {}
            _ => {
                let message =
                    format!("there is no flag {} of a node, in {}", quoted(flag), quoted(flags.text));
                let diagnostic = report.error_at(flags.span, message);
                report.push(match nearest(flag, FLAGS.iter().copied()) {
                    Some(meant) => diagnostic.with_help(format!("did you mean {}?", quoted(meant))),
                    None => diagnostic.with_help(format!("they are {}", FLAGS.join(", "))),
                });
                return None;
            }
        }
    }
    if is_master && is_replica {
        let message = format!("the flags {} make it a master and a replica", quoted(flags.text));
        report.error(flags.span, message);
        return None;
    }
    let host = if host.is_empty() { hostname } else { host };
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    Some(Node { id, host, port, span: place.span, is_master, is_replica, master, failed })
}

fn take(report: &mut Report, cluster: &mut Cluster, node: Node<'_>, slots: &[Word<'_>]) {
    let Some(master) = cluster.master(report, node.id.text, node.host, node.port, node.span) else { return };
    let mut owns = false;
    for &word in slots {
        // On its way: to this node, which does not have it yet, or from it, which does.
        if word.text.starts_with('[') {
            moving(report, word);
        } else if let Some((first, last)) = range(report, word) {
            owns = true;
            cluster.give(report, master, first, last, word.span);
        }
    }
    if let (true, Some(flags)) = (owns, node.failed) {
        let message = format!(
            "node {} has slots and is marked {}: until a replica takes them nobody answers",
            quoted(cluster.name(master)),
            quoted(flags.text)
        );
        report.push(report.warning_at(flags.span, message));
    }
}

fn range(report: &mut Report, word: Word<'_>) -> Option<(u32, u32)> {
    if word.text.starts_with('[') {
        return None;
    }
    let range = slots(word.text);
    if range.is_none() {
        let message = format!("{} is no slot nor a range of slots from 0 to 16383", quoted(word.text));
        let help = if word.text.contains("...") {
            "the answer is shortened: give all of it"
        } else {
            "slots are written as 5461-10922 or 77"
        };
        report.push(report.error_at(word.span, message).with_help(help));
    }
    range
}

/// `[77->-ID]` or `[93-<-ID]`.
fn moving(report: &mut Report, word: Word<'_>) {
    let inner = word.text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let parts = inner.and_then(|inner| inner.split_once("->-").or_else(|| inner.split_once("-<-")));
    if !parts.is_some_and(|(slot, id)| slots(slot).is_some() && begins_with_id(id)) {
        let message = format!("{} is no slot on its way: [77->-ID] or [93-<-ID]", quoted(word.text));
        report.error(word.span, message);
    }
}
