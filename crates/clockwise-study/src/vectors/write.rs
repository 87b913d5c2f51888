//! Writing test vectors: a line a server and a test, so that a change shows as the lines it changes.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde::Serialize;
use serde_json::{Map, Value};

use super::model::{FORMAT, File, Flag, Group, PoolHead, RejectTest, ServerEntry, Tests, VERSION};

impl File {
    /// As JSON: the same bytes for the same file.
    pub fn to_json(&self) -> String {
        let mut out = String::from("{\n");
        field(&mut out, 1, "format", &text(FORMAT));
        field(&mut out, 1, "version", &VERSION.to_string());
        field(&mut out, 1, "name", &text(&self.name));
        field(&mut out, 1, "about", &text(&self.about));
        let flags: BTreeSet<Flag> = self.groups.iter().flat_map(flags_of).collect();
        let meanings = flags.iter().map(|flag| format!("{}: {}", json(flag), text(flag.meaning())));
        list(&mut out, 1, "flags", ["{", "}"], meanings);
        out.push_str(",\n");
        let groups = self.groups.iter().map(group);
        list(&mut out, 1, "groups", ["[", "]"], groups);
        out.push_str("\n}\n");
        out
    }
}

fn flags_of(group: &Group) -> Vec<Flag> {
    match group {
        Group::Hash(group) => group.tests.iter().flat_map(|test| test.flags.clone()).collect(),
        Group::Points(group) => group.tests.iter().flat_map(|test| test.flags.clone()).collect(),
        Group::Owner(group) => group.tests.iter().flat_map(|test| test.flags.clone()).collect(),
        Group::Reject(group) => group.tests.iter().flat_map(|test| test.flags.clone()).collect(),
    }
}

fn group(group: &Group) -> String {
    let mut out = String::from("{\n");
    match group {
        Group::Hash(Tests { head, tests }) => {
            field(&mut out, 3, "type", "\"hash\"");
            field(&mut out, 3, "hash", &text(&head.hash));
            field(&mut out, 3, "bits", &head.bits.to_string());
            field(&mut out, 3, "source", &text(&head.source));
            list(&mut out, 3, "tests", ["[", "]"], tests.iter().map(json));
        }
        Group::Points(Tests { head, tests }) => {
            pool(&mut out, "points", head);
            list(&mut out, 3, "tests", ["[", "]"], tests.iter().map(json));
        }
        Group::Owner(Tests { head, tests }) => {
            pool(&mut out, "owner", head);
            list(&mut out, 3, "tests", ["[", "]"], tests.iter().map(json));
        }
        Group::Reject(Tests { head, tests }) => {
            field(&mut out, 3, "type", "\"reject\"");
            system(&mut out, head.scheme.as_ref(), head.dialect.as_ref());
            field(&mut out, 3, "source", &text(&head.source));
            list(&mut out, 3, "tests", ["[", "]"], tests.iter().map(reject));
        }
    }
    out.push_str("\n    }");
    out
}

fn system(out: &mut String, scheme: Option<&String>, dialect: Option<&String>) {
    for (name, value) in [("scheme", scheme), ("dialect", dialect)] {
        if let Some(value) = value {
            field(out, 3, name, &text(value));
        }
    }
}

fn pool(out: &mut String, kind: &str, head: &PoolHead) {
    field(out, 3, "type", &text(kind));
    system(out, head.scheme.as_ref(), head.dialect.as_ref());
    field(out, 3, "settings", &json(&head.settings));
    list(out, 3, "servers", ["[", "]"], head.servers.iter().map(json::<ServerEntry>));
    out.push_str(",\n");
    field(out, 3, "source", &text(&head.source));
    if let Some(comment) = &head.comment {
        field(out, 3, "comment", &text(comment));
    }
}

/// The name of a server first, as everywhere: a map by itself is in the order of its keys.
fn reject(test: &RejectTest) -> String {
    let server = |server: &Map<String, Value>| {
        let mut keys: Vec<&String> = server.keys().collect();
        keys.sort_by_key(|key| (*key != "name", *key));
        let fields: Vec<String> =
            keys.iter().map(|key| format!("{}:{}", text(key), json(&server[key.as_str()]))).collect();
        format!("{{{}}}", fields.join(","))
    };
    let servers: Vec<String> = test.servers.iter().map(server).collect();
    format!(
        r#"{{"id":{},"settings":{},"servers":[{}],"message":{},"flags":{}}}"#,
        test.id,
        json(&test.settings),
        servers.join(","),
        text(&test.message),
        json(&test.flags),
    )
}

fn field(out: &mut String, depth: usize, name: &str, value: &str) {
    // Writing to a string does not fail.
    let _ = writeln!(out, "{:indent$}{}: {value},", "", text(name), indent = 2 * depth);
}

/// `"name": [`, an item a line, `]`, and no line end behind it.
fn list(
    out: &mut String,
    depth: usize,
    name: &str,
    [open, close]: [&str; 2],
    items: impl Iterator<Item = String>,
) {
    let indent = 2 * depth;
    let _ = write!(out, "{:indent$}{}: {open}", "", text(name));
    let mut separator = "\n";
    for item in items {
        let _ = write!(out, "{separator}{:indent$}  {item}", "");
        separator = ",\n";
    }
    let _ = match separator {
        "\n" => write!(out, "{close}"),
        _ => write!(out, "\n{:indent$}{close}", ""),
    };
}

fn text(text: &str) -> String {
    Value::from(text).to_string()
}

/// On one line.
fn json<T: Serialize>(value: &T) -> String {
    // None of the types here has a key that is no text, the one thing that JSON cannot hold.
    serde_json::to_string(value).unwrap_or_default()
}
