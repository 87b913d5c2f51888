//! Small things that readers of JSON share: keys that a product has, and lists of text.

use crate::diagnostic::{MAX_DIAGNOSTICS, quoted, ticked};
use crate::fields;
use crate::node::{Entry, Node, ScalarKind, Value};
use crate::report::Report;
use crate::source::Span;
use crate::suggest::nearest;

/// The entries of a group of keys; of anything else, none.
pub(crate) fn entries(node: &Node) -> &[Entry] {
    match &node.value {
        Value::Map(entries) => entries,
        _ => &[],
    }
}

/// The entry of a key, unless its value is `null`.
pub(crate) fn get<'n>(node: &'n Node, key: &str) -> Option<&'n Entry> {
    let entry = entries(node).iter().find(|entry| entry.key == key)?;
    let is_null = entry.value.as_scalar().is_some_and(|scalar| scalar.kind == ScalarKind::Nothing);
    (!is_null).then_some(entry)
}

/// The text of a key, if it is text.
pub(crate) fn text_of<'n>(node: &'n Node, key: &str) -> Option<&'n str> {
    get(node, key).and_then(|entry| text(&entry.value))
}

/// A node's text, if it is text.
pub(crate) fn text(node: &Node) -> Option<&str> {
    node.as_scalar().filter(|scalar| scalar.kind == ScalarKind::Text).map(|scalar| scalar.text.as_str())
}

/// The items of a list under a key. What is no list is in the report.
pub(crate) fn list<'n>(report: &mut Report, entry: &'n Entry) -> Option<&'n [Node]> {
    match &entry.value.value {
        Value::List(items) => Some(items),
        _ => {
            fields::wrong_type(report, entry, "a list");
            None
        }
    }
}

/// Warns of keys that a product passes over. `what` is the group, `product` who reads it.
pub(crate) fn warn_of_unknown(report: &mut Report, node: &Node, what: &str, product: &str, known: &[&str]) {
    for entry in entries(node) {
        if known.contains(&entry.key.as_str()) {
            continue;
        }
        let message = format!("{what} has a key {} that {product} passes over", ticked(&entry.key));
        let warning = report.warning_at(entry.key_span, message);
        // Where many are, no time is spent on what they were meant to be.
        let few = report.warnings() < MAX_DIAGNOSTICS;
        report.push(match few.then(|| nearest(&entry.key, known.iter().copied())).flatten() {
            Some(meant) => warning.with_help(format!("did you mean {}?", quoted(meant))),
            None => warning,
        });
    }
}

/// A place without extent: for what is missing there.
pub(crate) fn at(node: &Node) -> Span {
    Span::new(node.span.start(), node.span.start())
}
