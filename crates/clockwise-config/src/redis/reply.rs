//! `CLUSTER SLOTS` and `CLUSTER SHARDS`: numbered lists, plain lines, or JSON.
//!
//! On a terminal redis-cli numbers nested lists (`1) 1) (integer) 0`), and maps under `-3`
//! (`1# "slots" =>`); into a file it writes one value a line; with `--json` it writes JSON. All are
//! read into one tree, in which a map is a list of keys and values in turn.

use super::{Cluster, slots};
use crate::diagnostic::{quoted, ticked};
use crate::kind::significant;
use crate::node::{self, MAX_DEPTH, Node, Scalar, ScalarKind};
use crate::report::Report;
use crate::source::Span;
use crate::yaml;

/// What shape an answer has, by its first lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Numbered,
    Json,
    /// One value a line: SHARDS, and SLOTS.
    PlainShards,
    PlainSlots,
}

pub(super) fn is(text: &str) -> bool {
    shape(text).is_some()
}

fn shape(text: &str) -> Option<Shape> {
    let mut lines = significant(text).map(|(_, line)| line.trim());
    let first = lines.next()?;
    if first.starts_with("1) 1") {
        let inner =
            first["1) ".len()..].trim_start_matches(|c: char| c.is_ascii_digit() || " )#".contains(c));
        return (inner.starts_with("(integer)") || inner.starts_with("\"slots\"")).then_some(Shape::Numbered);
    }
    if first.starts_with('[') {
        let start: String = text.trim_start().chars().filter(|c| !c.is_whitespace()).take(600).collect();
        let inner = start.trim_start_matches('[');
        let depth = start.len() - inner.len();
        let numbers = depth == 2 && {
            let mut parts = inner.split(',');
            let number = |part: Option<&str>| part.is_some_and(|part| slots(part).is_some());
            number(parts.next())
                && number(parts.next())
                && parts.next().is_some_and(|part| part.starts_with('['))
        };
        let shards = depth == 1 && inner.starts_with("{\"slots\":[");
        return (numbers || shards).then_some(Shape::Json);
    }
    let (second, third) = (lines.next()?, lines.next().unwrap_or(""));
    if first == "slots" && (slots(second).is_some() || second == "nodes") {
        return Some(Shape::PlainShards);
    }
    let port = lines.next().and_then(|port| port.parse::<u16>().ok());
    let numbers = [first, second].iter().all(|text| slots(text).is_some() && !text.contains('-'));
    (numbers && port.is_some() && !third.contains(' ')).then_some(Shape::PlainSlots)
}

pub(super) fn read(report: &mut Report, cluster: &mut Cluster) {
    let source = report.source.clone();
    let root = match shape(source.text()) {
        Some(Shape::Json) => yaml::read(report, false).map(|document| document.root),
        Some(Shape::Numbered) => numbered(report),
        Some(Shape::PlainShards) => Some(plain_shards(report)),
        _ => Some(plain_slots(report)),
    };
    let Some(Node { value: node::Value::List(items), .. }) = root else { return };
    for item in &items {
        let is_shard = match &item.value {
            node::Value::Map(_) => true,
            node::Value::List(parts) => {
                text(parts.first()).is_some_and(|key| key == "slots" || key == "nodes")
            }
            node::Value::Scalar(_) => false,
        };
        if report.is_full() {
            report.count_one_more();
        } else if is_shard {
            shard(report, cluster, item);
        } else {
            range(report, cluster, item);
        }
    }
}

fn text(node: Option<&Node>) -> Option<&str> {
    node.and_then(Node::as_scalar).map(|scalar| scalar.text.as_str())
}

/// The value of a key, in a map or a list of keys and values in turn.
fn field<'n>(node: &'n Node, key: &str) -> Option<&'n Node> {
    match &node.value {
        node::Value::Map(entries) => entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value),
        node::Value::List(items) => {
            let pair = items.chunks_exact(2).find(|pair| text(pair.first()) == Some(key))?;
            pair.last()
        }
        node::Value::Scalar(_) => None,
    }
}

/// Where a value begins: the first line of it.
fn place(report: &Report, node: &Node) -> (Span, String) {
    let shown = report.source.slice(node.span).lines().next().unwrap_or("").trim_end();
    let span = Span::new(node.span.start(), node.span.start() + shown.len());
    (span, ticked(shown))
}

fn broken(report: &mut Report, node: &Node, what: &str) {
    let (span, shown) = place(report, node);
    let shown = if shown == "``" { "here".to_owned() } else { shown };
    report.push(
        report
            .error_at(span, format!("{what} should stand at {shown}"))
            .with_help("the answer is cut off or edited: give all of it"),
    );
}

/// `[first, last, [host, port, id, …], replicas…]`.
fn range(report: &mut Report, cluster: &mut Cluster, item: &Node) {
    let parts = match &item.value {
        node::Value::List(parts) => parts.as_slice(),
        _ => &[],
    };
    let [first, last, master, replicas @ ..] = parts else {
        return broken(report, item, "a range of slots with its nodes");
    };
    let number = |node: &Node| text(Some(node)).and_then(slots);
    let (Some(first_slot), Some(last_slot)) = (number(first), number(last)) else {
        let wrong = if number(first).is_none() { first } else { last };
        return broken(report, wrong, "a slot from 0 to 16383");
    };
    let node::Value::List(node) = &master.value else {
        return broken(report, master, "a node as host, port and id");
    };
    let (host, port, id) = endpoint(node);
    if port.parse::<u16>().is_err() {
        return broken(report, node.get(1).unwrap_or(master), "a port");
    }
    for replica in replicas {
        if let node::Value::List(replica) = &replica.value {
            let (host, port, id) = endpoint(replica);
            cluster.replica(&id, host, port);
        }
    }
    let (span, _) = node.first().map_or_else(|| place(report, master), |host| place(report, host));
    let Some(master) = cluster.master(report, &id, host, port, span) else { return };
    let (begin, end) = (first_slot.0, last_slot.1);
    let (span, _) = place(report, first);
    if begin > end {
        let shown = ticked(report.source.slice(span));
        return report.error(span, format!("the range from {shown} to {end} ends before it begins"));
    }
    cluster.give(report, master, begin, end, span);
}

/// Host, port and id of `[host, port, id, more…]`.
fn endpoint(node: &[Node]) -> (&str, &str, String) {
    let (host, port) = (text(node.first()).unwrap_or(""), text(node.get(1)).unwrap_or(""));
    // A node whose preferred endpoint is unknown tells its address behind the id.
    let host = match host {
        "" | "?" | "null" => {
            let known = node.get(3).and_then(|more| field(more, "ip").or_else(|| field(more, "hostname")));
            text(known).unwrap_or("")
        }
        host => host,
    };
    let id = text(node.get(2)).filter(|id| !id.is_empty());
    (host, port, id.map_or_else(|| format!("{host}:{port}"), str::to_owned))
}

/// `slots` and `nodes` of a shard.
fn shard(report: &mut Report, cluster: &mut Cluster, item: &Node) {
    let (Some(ranges), Some(nodes)) = (field(item, "slots"), field(item, "nodes")) else {
        return broken(report, item, "a shard with its slots and nodes");
    };
    let (node::Value::List(ranges), node::Value::List(nodes)) = (&ranges.value, &nodes.value) else {
        return broken(report, item, "a shard with lists of slots and nodes");
    };
    let role = |node: &&Node| text(field(node, "role")) == Some("master");
    let mut masters = nodes.iter().filter(role);
    let Some(node) = masters.next() else {
        if let Some(first) = ranges.first() {
            let (span, shown) = place(report, first);
            let message = format!("the slots that begin with {shown} are of a shard without a master");
            report.push(report.warning_at(span, message));
        }
        return;
    };
    // A master that failed stays in its shard beside the one that took over.
    let node = match text(field(node, "health")) {
        Some("fail") => masters.next().unwrap_or(node),
        _ => node,
    };
    let known = |key: &str| of_node(node, key);
    let (host, port) = host_and_port(node);
    for replica in nodes.iter().filter(|node| text(field(node, "role")).is_some_and(is_replica)) {
        let (host, port) = host_and_port(replica);
        cluster.replica(of_node(replica, "id").unwrap_or(""), host, port);
    }
    if port.parse::<u16>().is_err() {
        return broken(report, field(node, "port").unwrap_or(node), "a port");
    }
    let by_name = format!("{host}:{port}");
    let id = known("id").unwrap_or(&by_name).to_owned();
    let at = ["ip", "endpoint", "id", "port"].iter().find_map(|key| field(node, key)).unwrap_or(node);
    let (span, _) = place(report, at);
    let Some(master) = cluster.master(report, &id, host, port, span) else { return };
    if ranges.len() % 2 == 1 {
        return broken(report, ranges.last().unwrap_or(item), "a range of slots as first and last");
    }
    for pair in ranges.chunks_exact(2) {
        let numbers = pair.iter().map(|slot| text(Some(slot)).and_then(slots));
        let numbers: Vec<Option<(u32, u32)>> = numbers.collect();
        match numbers.as_slice() {
            [Some((first, _)), Some((_, last))] if first <= last => {
                let (span, _) = place(report, &pair[0]);
                cluster.give(report, master, *first, *last, span);
            }
            _ => return broken(report, &pair[0], "a range of slots as first and last, from 0 to 16383"),
        }
    }
    if let (Some(health @ ("fail" | "failed")), false) = (known("health"), ranges.is_empty()) {
        let message = format!(
            "node {} has slots and its health is {}: until a replica takes them nobody answers",
            quoted(cluster.name(master)),
            quoted(health)
        );
        let (span, _) = field(node, "health").map_or((span, String::new()), |health| place(report, health));
        report.push(report.warning_at(span, message));
    }
}

fn is_replica(role: &str) -> bool {
    matches!(role, "replica" | "slave")
}

/// What a shard says of a node, if it knows.
fn of_node<'n>(node: &'n Node, key: &str) -> Option<&'n str> {
    text(field(node, key)).filter(|text| !["", "?", "null"].contains(text))
}

fn host_and_port(node: &Node) -> (&str, &str) {
    let known = |key: &str| of_node(node, key);
    let host = known("ip").or_else(|| known("endpoint")).or_else(|| known("hostname")).unwrap_or("");
    (host, known("port").or_else(|| known("tls-port")).unwrap_or(""))
}

fn scalar(text: String, span: Span) -> Node {
    Node { span, value: node::Value::Scalar(Scalar { text, kind: ScalarKind::Untyped }) }
}

/// A list that is being filled, and the column of its numbers' ends.
struct Open {
    column: usize,
    span: Span,
    items: Vec<Node>,
}

/// Numbered lists: a number belongs to the list whose numbers end in the same column.
fn numbered(report: &mut Report) -> Option<Node> {
    let source = report.source.clone();
    let mut open: Vec<Open> = Vec::new();
    for (number, line) in significant(source.text()) {
        let start = source.line_start(number);
        let mut at = 0;
        let mut is_map = false;
        loop {
            let rest = &line[at..];
            let blank = rest.len() - rest.trim_start_matches(' ').len();
            let digits = rest[blank..].bytes().take_while(u8::is_ascii_digit).count();
            let end = at + blank + digits;
            let mark = line[end..].chars().next();
            if digits == 0 || !matches!(mark, Some(')' | '#')) {
                break;
            }
            is_map = mark == Some('#');
            while open.last().is_some_and(|list| list.column > end) {
                close(&mut open);
            }
            if open.last().is_none_or(|list| list.column < end) {
                if open.len() >= MAX_DEPTH {
                    let span = Span::new(start + at + blank, start + end + 1);
                    let shown = ticked(source.slice(span));
                    report.error(
                        span,
                        format!("lists are nested more than {MAX_DEPTH} levels deep at {shown}"),
                    );
                    return None;
                }
                let begin = start + at + blank;
                open.push(Open {
                    column: end,
                    span: Span::new(begin, start + line.trim_end().len()),
                    items: Vec::new(),
                });
            }
            at = end + 1;
        }
        let mut rest = line[at..].trim();
        let mut begin = start + (rest.as_ptr() as usize - line.as_ptr() as usize);
        let Some(list) = open.last_mut() else {
            let span = Span::new(begin, begin + rest.len());
            report.error(span, format!("no number stands before {}", ticked(rest)));
            return None;
        };
        if is_map {
            let Some((key, value)) = rest.split_once("=>") else {
                let span = Span::new(begin, begin + rest.len());
                report.error(span, format!("{} has no value", ticked(rest)));
                return None;
            };
            let key = key.trim();
            list.items.push(scalar(unquoted(key), Span::new(begin, begin + key.len())));
            rest = value.trim();
            begin = start + (rest.as_ptr() as usize - line.as_ptr() as usize);
        }
        // A line of numbers alone opens lists, and what is in them follows.
        if rest.is_empty() {
            continue;
        }
        let span = Span::new(begin, begin + rest.len());
        if let Some(error) = rest.strip_prefix("(error)") {
            report.error(span, format!("the answer is an error: {}", ticked(error.trim())));
            return None;
        }
        list.items.push(match rest {
            "(empty array)" | "(empty list or set)" | "(empty hash)" => {
                Node { span, value: node::Value::List(Vec::new()) }
            }
            "(nil)" => scalar(String::new(), span),
            _ => scalar(unquoted(rest.strip_prefix("(integer)").unwrap_or(rest).trim()), span),
        });
    }
    while open.len() > 1 {
        close(&mut open);
    }
    open.pop().map(|list| Node { span: list.span, value: node::Value::List(list.items) })
}

/// Puts the innermost list into the one around it.
fn close(open: &mut Vec<Open>) {
    if let Some(list) = open.pop() {
        let node = Node { span: list.span, value: node::Value::List(list.items) };
        match open.last_mut() {
            Some(around) => around.items.push(node),
            // A number further left than the first is the first again.
            None => open.push(Open { column: 0, span: node.span, items: vec![node] }),
        }
    }
}

fn unquoted(text: &str) -> String {
    text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(text).to_owned()
}

/// The lines with their places; redis-cli writes an empty one for an empty list.
fn values(report: &Report) -> Vec<Node> {
    let source = &report.source;
    let lines = significant(source.text()).map(|(number, line)| {
        let start = source.line_start(number) + (line.len() - line.trim_start().len());
        let line = line.trim();
        scalar(line.to_owned(), Span::new(start, start + line.len()))
    });
    lines.collect()
}

fn list(items: Vec<Node>) -> Node {
    let span = items.first().map_or(Span::new(0, 0), |first| first.span);
    Node { span, value: node::Value::List(items) }
}

/// `slots`, numbers, `nodes`, and for each node keys and values, an id first.
fn plain_shards(report: &Report) -> Node {
    let mut shards = Vec::new();
    let mut ranges = Vec::new();
    let mut nodes: Vec<Node> = Vec::new();
    let mut node: Vec<Node> = Vec::new();
    let mut key: Option<Node> = None;
    let mut in_nodes = false;
    let mut head: Option<[Node; 2]> = None;
    let mut names: Vec<Node> = Vec::new();
    for value in values(report) {
        let word = text(Some(&value)).unwrap_or("");
        if key.is_none() && word == "slots" {
            if let Some([slots, of_nodes]) = head.take() {
                if !node.is_empty() {
                    nodes.push(list(std::mem::take(&mut node)));
                }
                let parts = vec![
                    slots,
                    list(std::mem::take(&mut ranges)),
                    of_nodes,
                    list(std::mem::take(&mut nodes)),
                ];
                shards.push(list(parts));
            }
            names = vec![value];
            in_nodes = false;
        } else if key.is_none() && word == "nodes" {
            if let Some(slots) = names.pop() {
                head = Some([slots, value]);
            }
            in_nodes = true;
        } else if !in_nodes {
            ranges.push(value);
        } else if let Some(key) = key.take() {
            if text(Some(&key)) == Some("id") && !node.is_empty() {
                nodes.push(list(std::mem::take(&mut node)));
            }
            node.extend([key, value]);
        } else {
            key = Some(value);
        }
    }
    if !node.is_empty() {
        nodes.push(list(node));
    }
    if let Some([slots, of_nodes]) = head {
        shards.push(list(vec![slots, list(ranges), of_nodes, list(nodes)]));
    } else {
        shards.extend(names);
    }
    list(shards)
}

/// First, last, and for each node host, port and id, perhaps keys with values; two numbers begin the
/// next range.
fn plain_slots(report: &Report) -> Node {
    let values = values(report);
    let is_slot = |at: usize| {
        values.get(at).is_some_and(|value| {
            text(Some(value)).is_some_and(|text| slots(text).is_some() && !text.contains('-'))
        })
    };
    let is_port = |at: usize| {
        values.get(at).is_some_and(|value| text(Some(value)).is_some_and(|text| text.parse::<u16>().is_ok()))
    };
    let is_id = |at: usize| {
        values.get(at).is_some_and(|value| text(Some(value)).is_some_and(super::nodes::begins_with_id))
    };
    let mut ranges = Vec::new();
    let mut at = 0;
    while at < values.len() {
        let mut parts: Vec<Node> = values[at..values.len().min(at + 2)].to_vec();
        at += 2;
        // Nodes: a host, a port and an id; before 4.0 without the id.
        while is_port(at + 1) && !(is_slot(at) && is_slot(at + 1)) {
            let with_id = is_id(at + 2);
            let mut node = values[at..values.len().min(at + 2 + usize::from(with_id))].to_vec();
            at += node.len();
            let mut more = Vec::new();
            while with_id
                && ["ip", "hostname"].contains(&text(values.get(at)).unwrap_or(""))
                && at + 1 < values.len()
            {
                more.extend_from_slice(&values[at..at + 2]);
                at += 2;
            }
            if !more.is_empty() {
                node.push(list(more));
            }
            parts.push(list(node));
        }
        ranges.push(list(parts));
    }
    list(ranges)
}
