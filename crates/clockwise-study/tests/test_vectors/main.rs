//! The committed test vectors: made as they stand here, of their schema, and each answer looked at
//! again.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a failure here is the message

mod schema;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use clockwise_study::vectors::{check, make, names, read};
use clockwise_vectors::{FILES, SCHEMA};
use serde_json::Value;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/clockwise/v1")
}

fn values() -> Vec<(&'static str, Value)> {
    FILES.iter().map(|(name, text)| (*name, serde_json::from_str(text).unwrap())).collect()
}

#[test]
fn the_committed_files_are_what_is_made() {
    let made =
        "write them anew with `cargo run -- vectors --out vectors/clockwise/v1`, and look at the difference";
    for name in names() {
        let text = fs::read_to_string(folder().join(format!("{name}.json"))).unwrap_or_default();
        let file = make(name).unwrap();
        assert_eq!(file.name(), name);
        // Not `assert_eq`, which would print both.
        assert!(file.to_json() == text, "{name}.json is not what is made; {made}");
    }
    assert!(make("schema").is_none());
}

#[test]
fn every_file_is_there_and_named_in_the_crate_of_them() {
    assert_eq!(FILES.iter().map(|(name, _)| *name).collect::<Vec<_>>(), names().collect::<Vec<_>>());
    let expected: BTreeSet<String> =
        names().map(|name| format!("{name}.json")).chain(["schema.json".to_owned()]).collect();
    let found: BTreeSet<String> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(found, expected);
    let bytes: usize = FILES.iter().map(|(_, text)| text.len()).sum();
    assert!(bytes < 1_500_000, "{bytes} bytes are more than a program wants to read for a test");
}

#[test]
fn every_answer_comes_out_again() {
    let mut tests = 0;
    for (name, text) in FILES {
        let file = read(text).unwrap();
        assert_eq!(file.name(), *name);
        let differences = check(&file);
        assert!(differences.is_empty(), "{name}: {}", differences[0]);
        tests += file.tests();
    }
    println!("test vectors: {} files, {tests} tests, all recomputed", FILES.len());
    assert!(tests > 4_000, "{tests}");
}

#[test]
fn the_files_are_of_their_schema() {
    let schema = serde_json::from_str(SCHEMA).unwrap();
    for (name, value) in values() {
        assert_eq!(schema::problem(&schema, &value), None, "{name}");
    }
}

/// The schema and the reader refuse the same.
#[test]
fn what_is_not_of_the_schema_is_refused_by_it_and_by_the_reader() {
    let schema = serde_json::from_str(SCHEMA).unwrap();
    let (_, whole) = values().into_iter().find(|(name, _)| *name == "twemproxy").unwrap();
    let kind = |kind: &str| {
        let groups = whole["groups"].as_array().unwrap();
        groups.iter().position(|group| group["type"] == kind).unwrap().to_string()
    };
    let (points, owner, reject) = (kind("points"), kind("owner"), kind("reject"));
    let wrong: Vec<(String, Value)> = vec![
        ("/format".into(), "wycheproof".into()),
        ("/version".into(), 2.into()),
        ("/more".into(), 1.into()),
        ("/flags/Trap".into(), "".into()),
        (format!("/groups/{owner}/type"), "owners".into()),
        (format!("/groups/{owner}/scheme"), "ring".into()),
        (format!("/groups/{owner}/servers/0/weight"), "1".into()),
        (format!("/groups/{owner}/servers/0/state"), "down".into()),
        (format!("/groups/{owner}/servers/0/port"), 1.into()),
        (format!("/groups/{owner}/tests/0/key"), "0g".into()),
        (format!("/groups/{owner}/tests/0/key"), "0".into()),
        (format!("/groups/{owner}/tests/0/key"), "0A".into()),
        (format!("/groups/{owner}/tests/0/owner"), Value::Null),
        (format!("/groups/{owner}/tests/0/flags"), vec!["Trap"].into()),
        (format!("/groups/{owner}/tests/0/more"), 1.into()),
        (format!("/groups/{points}/tests/0/first/position"), 7.into()),
        (format!("/groups/{points}/tests/0/first/position"), "07".into()),
        (format!("/groups/{points}/tests/0/sha256"), "XY".into()),
        (format!("/groups/{reject}/tests/0/servers"), Value::Null),
    ];
    for (pointer, value) in wrong {
        let mut altered = whole.clone();
        put(&mut altered, &pointer, value);
        assert_ne!(schema::problem(&schema, &altered), None, "{pointer} by the schema");
        assert!(read(&altered.to_string()).is_err(), "{pointer} by the reader");
    }
    for pointer in ["/groups", "/name", "/about"] {
        let mut altered = whole.clone();
        altered.as_object_mut().unwrap().remove(&pointer[1..]);
        assert_ne!(schema::problem(&schema, &altered), None, "{pointer} by the schema");
        assert!(read(&altered.to_string()).is_err(), "{pointer} by the reader");
    }
}

/// Sets a value, of a field that is there or not.
fn put(document: &mut Value, pointer: &str, value: Value) {
    let (parent, field) = pointer.rsplit_once('/').unwrap();
    document.pointer_mut(parent).unwrap()[field] = value;
}

#[test]
fn an_altered_answer_is_found_at_its_place() {
    let other = |value: &Value| match value {
        Value::Number(number) => Value::from(number.as_u64().unwrap() + 1),
        Value::String(text) if text.bytes().all(|byte| byte.is_ascii_digit()) => "12345".into(),
        Value::String(text) if text.len() == 64 => "0".repeat(64).into(),
        Value::String(_) => "nobody".into(),
        Value::Array(list) => list.iter().rev().cloned().collect(),
        other => panic!("{other}"),
    };
    for (name, kind, fields) in [
        ("hash", "hash", &["value"] as &[&str]),
        ("maglev", "points", &["count", "sha256", "first/position", "first/server", "last/position"]),
        ("ring", "points", &["count", "sha256", "first/server", "last/server"]),
        ("libmemcached", "owner", &["owner"]),
        ("nginx", "owner", &["owner"]),
        ("rendezvous", "owner", &["owner", "preference"]),
        ("bounded", "owner", &["owner", "preference", "goes_to"]),
    ] {
        let (_, whole) = values().into_iter().find(|(known, _)| *known == name).unwrap();
        let groups = whole["groups"].as_array().unwrap();
        let group = groups.iter().position(|group| group["type"] == kind).unwrap();
        let test = groups[group]["tests"].as_array().unwrap().len() - 1;
        for field in fields {
            let pointer = format!("/groups/{group}/tests/{test}/{field}");
            let mut altered = whole.clone();
            let value = altered.pointer_mut(&pointer).unwrap();
            *value = other(value);
            let [difference] = &check(&read(&altered.to_string()).unwrap())[..] else {
                panic!("{name} {pointer}");
            };
            assert_eq!(difference.group(), group + 1, "{name} {pointer}");
            assert_eq!(
                difference.test(),
                whole
                    .pointer(&pointer)
                    .map(|_| whole["groups"][group]["tests"][test]["id"].as_u64().unwrap())
            );
            assert_eq!(difference.what(), field.split('/').next().unwrap(), "{name} {pointer}");
            assert_ne!(difference.expected(), difference.got());
        }
    }
}

#[test]
fn groups_that_cannot_be_asked_are_differences() {
    let hash = r#"{"type":"hash","hash":"md4","bits":32,"source":"s","tests":[]}"#;
    let pool = |what: &str, settings: &str| {
        format!(
            r#"{{"type":"owner",{what},"settings":{settings},"servers":[{{"name":"a","weight":1}}],"source":"s","tests":[]}}"#
        )
    };
    let reject = |what: &str, servers: &str| {
        format!(
            r#"{{"type":"reject",{what},"source":"s","tests":[{{"id":3,"settings":{{}},"servers":{servers},"message":"","flags":[]}}]}}"#
        )
    };
    for (group, says) in [
        (hash.to_owned(), "group 1: hash: expected md4, got no hash of that name"),
        (
            pool(r#""scheme":"rign""#, "{}"),
            "group 1: pool: expected a placement, got a refusal: there is no scheme \"rign\"",
        ),
        (pool(r#""dialect":"nginx""#, r#"{"hash":"md5"}"#), "got a refusal: dialect \"nginx\" has no `hash`"),
        (pool(r#""scheme":"maglev""#, r#"{"table_size":4}"#), "got a refusal: table size 4 is not a prime"),
        (
            reject(r#""dialect":"ngnix""#, "[]"),
            "group 1: dialect: expected ngnix, got no system of that name",
        ),
        (
            reject(r#""dialect":"nginx""#, r#"[{"name":"a"}]"#),
            "group 1, test 3: pool: expected a refusal, got a placement",
        ),
    ] {
        let text = format!(
            r#"{{"format":"clockwise-test-vectors","version":1,"name":"n","about":"a","flags":{{}},"groups":[{group}]}}"#
        );
        let differences = check(&read(&text).unwrap());
        assert_eq!(differences.len(), 1, "{group}");
        assert!(differences[0].to_string().contains(says), "{}", differences[0]);
    }
}

/// Flags by the file that they are in. They are computed, so what is asked here is whether the keys
/// and pools still walk into the traps that they were chosen for.
#[test]
fn every_trap_is_in_the_files_that_are_to_have_it() {
    let mut files: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for (name, value) in values() {
        for group in value["groups"].as_array().unwrap() {
            for test in group["tests"].as_array().unwrap() {
                for flag in test["flags"].as_array().unwrap() {
                    files.entry(flag.as_str().unwrap().to_owned()).or_default().insert(name);
                }
            }
        }
        let flags = value["flags"].as_object().unwrap();
        assert!(flags.values().all(|meaning| meaning.as_str().unwrap().ends_with('.')), "{name}");
    }
    for (flag, names) in [
        (
            "Boundary",
            &[
                "ring",
                "bounded",
                "envoy",
                "grpc",
                "haproxy",
                "libketama",
                "libmemcached",
                "nginx",
                "npm-hashring",
                "php-memcached",
                "pingora",
                "pylibmc",
                "python-hashring",
                "spymemcached",
                "twemproxy",
                "uhashring",
            ] as &[&str],
        ),
        (
            "WrapAround",
            &[
                "ring",
                "envoy",
                "haproxy",
                "libketama",
                "libmemcached",
                "nginx",
                "pingora",
                "spymemcached",
                "twemproxy",
                "uhashring",
            ],
        ),
        (
            "Collision",
            &[
                "ring",
                "libketama",
                "libmemcached",
                "nginx",
                "pingora",
                "spymemcached",
                "twemproxy",
                "uhashring",
            ],
        ),
        ("EmptyKey", &["hash", "ring", "rendezvous", "jump", "maglev", "mod-n", "libmemcached", "twemproxy"]),
        ("NonUtf8", &["hash", "ring", "rendezvous", "jump", "haproxy", "envoy", "libmemcached"]),
        ("HashTag", &["hash", "slots", "twemproxy"]),
        ("HashTagEmpty", &["hash", "slots", "twemproxy"]),
        (
            "WeightRounding",
            &["slots", "maglev", "envoy", "libketama", "libmemcached", "trafficserver", "twemproxy"],
        ),
        ("SignExtension", &["hash", "libmemcached", "twemproxy", "pylibmc", "php-memcache"]),
        ("ReorderedList", &["ring", "jump", "mod-n", "twemproxy", "haproxy", "nginx"]),
        ("Label", &["libmemcached", "nginx", "spymemcached", "pymemcache", "envoy"]),
        ("Draining", &["ring", "rendezvous", "jump", "maglev", "twemproxy"]),
        ("KeyPrefix", &["ring", "rendezvous", "jump", "slots", "libmemcached", "twemproxy"]),
    ] {
        for name in names {
            assert!(files[flag].contains(name), "{name} has no test of {flag}");
        }
    }
    assert_eq!(files.len(), 13);
}

#[test]
fn ids_are_unique_and_groups_say_where_they_come_from() {
    for (name, value) in values() {
        let mut ids = BTreeSet::new();
        for group in value["groups"].as_array().unwrap() {
            assert!(!group["source"].as_str().unwrap().is_empty(), "{name}");
            let tests = group["tests"].as_array().unwrap();
            assert!(!tests.is_empty(), "{name}");
            for test in tests {
                assert!(ids.insert(test["id"].as_u64().unwrap()), "{name}: {}", test["id"]);
            }
        }
        assert_eq!(ids.len() as u64, *ids.last().unwrap(), "{name}: from 1, without gaps");
    }
}
