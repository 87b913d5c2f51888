//! docs/json.md against what the commands print: its tables are read, and a field that is missing,
//! undocumented or of another type fails.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value;

use super::{FLEET, KEYS, Run, TWEMPROXY, file, fleet, pool, root, run, run_with};

/// What a table of the documentation says of a field.
struct Field {
    types: BTreeSet<String>,
    /// Its meaning says that it is printed only sometimes.
    optional: bool,
}

/// Fields by their path, `servers[].name`, of each heading of the documentation.
type Schema = BTreeMap<String, Field>;

fn documented() -> BTreeMap<String, Schema> {
    let text = fs::read_to_string(root().join("docs/json.md")).unwrap();
    let mut schemas: BTreeMap<String, Schema> = BTreeMap::new();
    let mut heading = String::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("## ") {
            heading = name.to_owned();
        }
        let Some(row) = line.strip_prefix("| `").and_then(|row| row.strip_suffix(" |")) else { continue };
        let [path, types, meaning] = row.split(" | ").collect::<Vec<_>>()[..] else { panic!("{line}") };
        let path = path.strip_suffix('`').unwrap_or_else(|| panic!("{line}"));
        let types: BTreeSet<String> = types.split(" or ").map(str::to_owned).collect();
        let known = ["string", "number", "boolean", "object", "null"];
        assert!(types.iter().all(|kind| known.contains(&kind.as_str())), "{line}");
        let field =
            Field { types, optional: meaning.contains("only where") || meaning.contains("only with") };
        let before = schemas.entry(heading.clone()).or_default().insert(path.to_owned(), field);
        assert!(before.is_none(), "{heading}: {path} is documented twice");
    }
    schemas
}

/// What documents were seen to hold: each path with the types of its values.
#[derive(Default)]
struct Seen {
    types: BTreeMap<String, BTreeSet<String>>,
    problems: BTreeSet<String>,
}

impl Seen {
    fn look(&mut self, schema: &Schema, path: &str, value: &Value) {
        let kind = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(items) => {
                items.iter().for_each(|item| self.look(schema, &format!("{path}[]"), item));
                self.container(schema, path, &format!("{path}[]"));
                return;
            }
            Value::Object(fields) => {
                let prefix = if path.is_empty() { String::new() } else { format!("{path}.") };
                for (name, value) in fields {
                    self.look(schema, &format!("{prefix}{name}"), value);
                }
                self.absent(schema, &prefix, fields);
                if !schema.contains_key(path) {
                    self.container(schema, path, &prefix);
                    return;
                }
                "object"
            }
        };
        self.types.entry(path.to_owned()).or_default().insert(kind.to_owned());
        match schema.get(path) {
            None => self.problem(format!("{path} is printed and not documented")),
            Some(field) if !field.types.contains(kind) => self.problem(format!("{path} is a {kind}")),
            Some(_) => {}
        }
    }

    /// A list or an object needs no line of its own if what is in it has one.
    fn container(&mut self, schema: &Schema, path: &str, inside: &str) {
        if !schema.keys().any(|documented| documented.starts_with(inside)) {
            self.problem(format!("nothing in {path} is documented"));
        }
    }

    /// Fields that are documented right under `prefix` and are not there.
    fn absent(&mut self, schema: &Schema, prefix: &str, fields: &serde_json::Map<String, Value>) {
        for (documented, field) in schema {
            let Some(rest) = documented.strip_prefix(prefix) else { continue };
            let name = rest.split(['.', '[']).next().unwrap_or(rest);
            if !field.optional && !fields.contains_key(name) {
                self.problem(format!("{documented} is documented and not printed"));
            }
        }
    }

    fn problem(&mut self, what: String) {
        self.problems.insert(what);
    }
}

/// Every document fits the tables under a heading, and every type in them was seen.
pub(super) fn check(heading: &str, documents: &[Value]) {
    let schemas = documented();
    let schema = &schemas[heading];
    let mut seen = Seen::default();
    documents.iter().for_each(|document| seen.look(schema, "", document));
    for (path, field) in schema {
        let never: Vec<&String> = (field.types.iter())
            .filter(|kind| !seen.types.get(path).is_some_and(|types| types.contains(*kind)))
            .collect();
        if !never.is_empty() {
            seen.problem(format!("{path} was never {never:?}"));
        }
    }
    assert!(seen.problems.is_empty(), "{heading}:\n{:#?}", seen.problems);
}

pub(super) fn json(arguments: &[&str]) -> Run {
    run(arguments.iter().chain(&["--format", "json"]))
}

#[test]
fn every_command_with_json_is_documented() {
    assert_eq!(
        documented().into_keys().collect::<Vec<_>>(),
        [
            "check",
            "diff",
            "fingerprint",
            "migrate",
            "owner",
            "plan",
            "ring",
            "ring --points",
            "size",
            "vectors --check",
            "vectors --list"
        ]
    );
}

#[test]
fn the_json_of_plan_is_as_documented() {
    let join = ["plan", TWEMPROXY, "--add", "cache-5=10.0.0.5:11211"];
    let sampled = [&join[..], &["--sample", "1000"]].concat();
    let with_keys = [&join[..], &["--keys", KEYS]].concat();
    let sized: String = (0..100).map(|i| format!("item/{i},{i}\n")).collect();
    let sized = file("json-bytes.csv", format!("key,bytes\n{sized}"));
    let jump = file("json-jump.toml", fleet("scheme = \"jump\"", &[("a", 1), ("b", 1)]));
    check(
        "plan",
        &[
            json(&sampled).json(),
            json(&with_keys).json(),
            json(&[&with_keys[..], &["--hit-ratio", "0.95", "--compare"]].concat()).json(),
            json(&[&sampled[..], &["--hit-ratio", "1", "--compare"]].concat()).json(),
            json(&["plan", FLEET, "--remove", "cache-4", "--keys", &sized]).json(),
            json(&["plan", &jump, FLEET, "--sample", "1000"]).json(),
        ],
    );
}

#[test]
fn the_json_of_owner_is_as_documented() {
    let mut lines = json(&["owner", FLEET, "user:42", "", "caf\u{e9}"]).json_lines();
    lines.extend(json(&["owner", FLEET, "user:42", "--replicas", "3"]).json_lines());
    lines.extend(run_with(["owner", FLEET, "--format", "json"], b"\xff\n").json_lines());
    let two = file("json-two.toml", fleet("scheme = \"ring\"", &[("a", 1), ("b", 1)]));
    lines.extend(json(&["owner", &two, "k", "--down", "a"]).json_lines());
    lines.extend(json(&["owner", &two, "k", "--down", "a", "--down", "b"]).json_lines());
    check("owner", &lines);
    assert_eq!(lines[3]["replicas"].as_array().unwrap().len(), 3);
}

/// A fleet with two servers at one point.
fn colliding() -> String {
    // The pair and its point were found among four thousand neutral names.
    file("json-collision.yml", pool("hash: md5", &["cache-0601.test:11300:1", "cache-0723.test:11300:1"]))
}

#[test]
fn the_json_of_ring_is_as_documented() {
    let collision = run(["ring", &colliding(), "--format", "json"]);
    let (collision, warning) = collision.warned();
    assert!(warning.contains("share the point 1457470260"), "{warning}");
    let jump = file("json-ring-jump.toml", fleet("scheme = \"jump\"", &[("a", 1)]));
    check(
        "ring",
        &[
            json(&["ring", FLEET]).json(),
            json(&["ring", TWEMPROXY]).json(),
            json(&["ring", &jump]).json(),
            serde_json::from_str(&collision).unwrap(),
        ],
    );
}

#[test]
fn the_json_of_ring_points_is_as_documented() {
    check("ring --points", &[json(&["ring", FLEET, "--points"]).json()]);
}

#[test]
fn the_json_of_size_is_as_documented() {
    check(
        "size",
        &[
            json(&["size", "--servers", "100", "--within", "10%"]).json(),
            json(&["size", "--servers", "100", "--points", "160", "--keys-per-server", "1000"]).json(),
        ],
    );
}

#[test]
fn shares_are_parts_of_one_and_counts_are_whole() {
    fn look(name: &str, value: &Value) {
        match value {
            Value::Number(number) if name.contains("share") && !name.contains("over") => {
                assert!((0.0..=1.0).contains(&number.as_f64().unwrap()), "{name} is {number}");
            }
            Value::Number(number) if ["keys", "moved", "stray", "requests", "bytes"].contains(&name) => {
                assert!(number.is_u64(), "{name} is {number}");
            }
            Value::Array(items) => items.iter().for_each(|item| look(name, item)),
            Value::Object(fields) => fields.iter().for_each(|(name, value)| look(name, value)),
            _ => {}
        }
    }
    look("", &json(&["plan", TWEMPROXY, "--remove", "cache-3", "--keys", KEYS, "--compare"]).json());
    look("", &json(&["ring", FLEET]).json());
}
