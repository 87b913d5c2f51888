//! Kubernetes objects: the values of a ConfigMap that stand in quotes, and objects that hold no fleet.
//!
//! kubectl writes a value in quotes once a line of it has a tab or ends in a blank, and in JSON always.
//! Such a value is a text of its own: complaints show its own lines, under the file's path with the
//! value's key behind it.

use crate::diagnostic::{Diagnostic, ticked};
use crate::json::{self, Beyond};
use crate::kind::significant;
use crate::node::{Node, Value};
use crate::report::Report;
use crate::source::{Source, Span};
use crate::{Options, yaml};

/// Where fleets are looked for.
pub(crate) const HELP: &str =
    "fleets are looked for in the values of a ConfigMap's `data` and a Secret's `stringData`";

/// The values in quotes, each with its key.
pub(crate) fn quoted_values(source: &Source) -> Vec<(String, Source)> {
    let text = source.text();
    let mut found = Vec::new();
    if !text.contains("ConfigMap") && !text.contains("stringData") {
        return found;
    }
    let is_json = json::begins(text);
    for document in if is_json { vec![text] } else { documents(text) } {
        let Ok(document) = Source::new(source.path(), document.as_bytes()) else { continue };
        let mut report = Report::new(&document, &Options::default());
        let root = match is_json {
            true => json::read(&mut report, Beyond::Nothing),
            false => yaml::read_with_aliases(&mut report).map(|document| document.root),
        };
        if let Some(root) = root {
            values(source.path(), &document, &root, &mut found);
        }
    }
    found
}

/// The documents of a YAML stream.
fn documents(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut start, mut at) = (0, 0);
    for line in text.split_inclusive('\n') {
        if line.starts_with("---") {
            found.push(&text[start..at]);
            start = at + line.len();
        }
        at += line.len();
    }
    found.push(&text[start..]);
    found
}

/// Those of an object, or of the objects of a list.
fn values(path: &str, document: &Source, object: &Node, found: &mut Vec<(String, Source)>) {
    if let Some(Value::List(items)) = get(object, "items") {
        items.iter().for_each(|item| values(path, document, item, found));
    }
    let data = match kind(object) {
        Some("ConfigMap") => get(object, "data"),
        Some("Secret") => get(object, "stringData"),
        _ => None,
    };
    let Some(Value::Map(entries)) = data else { return };
    for entry in entries {
        let Some(scalar) = entry.value.as_scalar() else { continue };
        // Block scalars are found where they stand.
        let between = Span::new(entry.key_span.end(), entry.value.span.start());
        let is_block = document.slice(between).contains(['|', '>']);
        if is_block || !document.slice(entry.value.span).starts_with(['"', '\'']) {
            continue;
        }
        if let Ok(value) = Source::new(&format!("{path}:{}", entry.key), scalar.text.as_bytes()) {
            found.push((entry.key.clone(), value));
        }
    }
}

fn get<'a>(object: &'a Node, key: &str) -> Option<&'a Value> {
    let Value::Map(entries) = &object.value else { return None };
    entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value.value)
}

fn kind(object: &Node) -> Option<&str> {
    match get(object, "kind")? {
        Value::Scalar(scalar) => Some(&scalar.text),
        _ => None,
    }
}

/// Refuses an object of Kubernetes by its kind: what fleets stand in is looked into before.
pub(crate) fn refuse(source: &Source) -> Result<(), Diagnostic> {
    let lines = || significant(source.text());
    let is_object = lines()
        .next()
        .is_some_and(|(_, line)| ["apiVersion:", "kind:", "---"].iter().any(|start| line.starts_with(start)))
        && lines().any(|(_, line)| line.starts_with("apiVersion:"));
    let kinds = lines().filter(|(_, line)| is_object && line.starts_with("kind:"));
    let Some((number, line)) = kinds.min_by_key(|(_, line)| !line.contains("ConfigMap")) else {
        return Ok(());
    };
    let start = source.line_start(number);
    let kind = line["kind:".len()..].trim().trim_matches(['"', '\'']);
    let (message, help) = match kind {
        "ConfigMap" | "Secret" | "List" => {
            (format!("no value of this Kubernetes {} is a fleet file", ticked(kind)), HELP)
        }
        _ => (
            format!(
                "this is a Kubernetes object, {}, and no file of a product that places keys",
                ticked(kind)
            ),
            "give what the proxy itself reads: its ConfigMap, or the file in its container",
        ),
    };
    Err(Diagnostic::error(source, Span::new(start, start + line.trim_end().len()), message).with_help(help))
}
