//! The types that the page is written against, held to what is really sent and taken.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::asking::{ask, change, fleet};

const TYPES: &str = include_str!("../../../../web/lab/src/api.ts");

/// The names of all fields that the file of types declares, comments aside.
fn declared() -> BTreeSet<String> {
    let mut code = String::new();
    let mut rest = TYPES;
    while let Some((before, comment)) = rest.split_once("/*") {
        code += before;
        rest = comment.split_once("*/").unwrap().1;
    }
    code += rest;
    let lines = code.lines().map(|line| line.split("//").next().unwrap());
    let text = lines.collect::<Vec<_>>().join("\n");
    // From `Blob` on the types are of the blob itself.
    let text = text.split("export interface Blob").next().unwrap();
    let mut names = BTreeSet::new();
    for (at, _) in text.match_indices(':') {
        let name = text[..at].trim_end_matches('?');
        let start = name.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(0, |at| at + 1);
        names.insert(name[start..].to_owned());
    }
    names.remove("");
    names
}

/// The names of all fields of a document.
fn fields(document: &Value, names: &mut BTreeSet<String>) {
    match document {
        Value::Object(map) => {
            for (name, value) in map {
                names.insert(name.clone());
                fields(value, names);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| fields(item, names)),
        _ => {}
    }
}

#[test]
fn every_field_that_is_sent_or_taken_is_declared_and_no_other() {
    let mut names: BTreeSet<String> = ["error", "arrays", "ok", "type", "name"].map(str::to_owned).into();
    let mut state = change("A B C", "A B C D", &json!({ "scheme": "bounded", "tokens": 3 }));
    state["keys"] = json!({ "pattern": "user:1..48", "list": [], "hot": { "key": "user:42", "times": 9 } });
    let mut rendezvous = state.clone();
    rendezvous["fleet"]["scheme"] = json!("rendezvous");
    let mut ring = state.clone();
    for side in [&mut ring["fleet"], &mut rendezvous["fleet"]] {
        side["hash"] = json!("xxh3-64");
    }
    ring["fleet"]["scheme"] = json!("ring");
    ring["history"][0] = fleet("A B C", &json!({ "tokens": 3, "hash": "xxh3-64" }));
    let slots = json!({ "fleet": fleet("A B", &json!({ "scheme": "slots" })) });
    let cascade = json!({ "op": "cascade", "state": state, "first": "A", "hit_ratio": 0.9, "requests": 1_000,
        "node_capacity": 300, "database_capacity": 200 });
    let import = json!({ "op": "import", "text": "10.0.0.1:11211\n10.0.0.2:11211\n", "name": "list", "pool": null, "placement": "lab" });
    for request in [
        json!({ "op": "about" }),
        json!({ "op": "figures", "state": ring }),
        json!({ "op": "compare", "state": state, "pattern": "", "schemes": [] }),
        json!({ "op": "key", "state": state, "key": "user:42" }),
        json!({ "op": "key", "state": rendezvous, "key": "user:42" }),
        json!({ "op": "key", "state": slots, "key": "user:42" }),
        cascade,
        json!({ "op": "clients", "state": state }),
        import,
        json!({ "op": "keys", "text": "a\nb\n", "name": "pasted" }),
        json!({ "op": "encode", "state": state }),
        json!({ "op": "decode", "text": "v1&f=A,B" }),
        json!({ "op": "command", "state": state }),
    ] {
        let op = request["op"].as_str().unwrap();
        assert!(TYPES.contains(&format!("op: \"{op}\"")), "the request {op} is not declared");
        names.insert(op.to_owned());
        fields(&request, &mut names);
        fields(&ask(&request), &mut names);
    }
    let declared = declared();
    let missing: Vec<_> = names.difference(&declared).collect();
    let unknown: Vec<_> = declared.difference(&names).collect();
    assert!(missing.is_empty(), "sent or taken, and not in web/lab/src/api.ts: {missing:?}");
    assert!(unknown.is_empty(), "in web/lab/src/api.ts, and neither sent nor taken: {unknown:?}");
}

#[test]
fn the_marks_of_keys_are_those_of_the_page() {
    use clockwise_lab::figures::{DISPLACED, MOVED, NOBODY, REROUTED, STRAY};
    for (name, value) in [
        ("MOVED", u16::from(MOVED)),
        ("STRAY", STRAY.into()),
        ("DISPLACED", DISPLACED.into()),
        ("REROUTED", REROUTED.into()),
        ("NOBODY", NOBODY),
    ] {
        assert!(TYPES.contains(&format!("export const {name} = {value};")), "{name}");
    }
}
