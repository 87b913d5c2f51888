//! Which kind a file is, its content tells: for every file of the corpus, alone and inside others.

use std::fs;
use std::path::PathBuf;

use clockwise_config::{Diagnostics, FleetFile, Kind, Options, parse};

/// Files that nobody can tell without being told: what is wrong with them is what would tell.
const UNTOLD: [(&str, &str); 5] = [
    ("thanos", "odd-empty.json"),
    ("thanos", "odd-group.json"),
    ("mcrouter", "odd-list.json"),
    ("twemproxy", "odd-comments-only.yml"),
    ("twemproxy", "odd-empty.yml"),
];

/// Files that are right once something stands behind them: the end of the block ends their last line.
const TORN: [(&str, &str); 1] = [("haproxy", "odd-no-end.cfg")];

fn corpus(kind: Kind) -> Vec<(String, String)> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus")).join(kind.name());
    let mut files: Vec<(String, String)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        // Bytes that are no text are no kind's.
        .filter_map(|entry| {
            let text = String::from_utf8(fs::read(entry.path()).unwrap()).ok()?;
            Some((entry.file_name().into_string().unwrap(), text))
        })
        .collect();
    files.sort();
    assert!(files.len() > 5, "{kind}");
    files
}

/// What was read or complained of, without its places.
fn gist(read: Result<FleetFile, Diagnostics>) -> Vec<String> {
    match read {
        Ok(file) => {
            let names: Vec<&str> = file.names().collect();
            let pools = match names.is_empty() {
                true => vec![file.pick(None)],
                false => names.iter().map(|name| file.pick(Some(name))).collect(),
            };
            let pool = |pool: Result<clockwise_config::Pool, clockwise_config::Diagnostic>| match pool {
                Ok(pool) => {
                    let servers: Vec<&str> =
                        pool.entries().iter().map(|entry| entry.server().name().as_str()).collect();
                    format!("{} {:?} {} {servers:?}", pool.kind(), pool.name(), pool.scheme())
                }
                Err(why) => format!("{} {}", file.kind(), why.message()),
            };
            pools.into_iter().map(pool).collect()
        }
        Err(refused) => refused.iter().map(|complaint| without_lines(complaint.message())).collect(),
    }
}

/// "on lines 3 and 5" as "on lines # and #".
fn without_lines(message: &str) -> String {
    let Some((before, rest)) = message.split_once("on line") else { return message.to_owned() };
    let mut numbers = String::new();
    for c in rest.chars() {
        if c.is_ascii_digit() && numbers.ends_with('#') {
            continue;
        }
        numbers.push(if c.is_ascii_digit() { '#' } else { c });
    }
    format!("{before}on line{numbers}")
}

fn told(name: &str, text: &str) -> Vec<String> {
    gist(parse(name, text.as_bytes(), &Options::default()))
}

fn said(name: &str, text: &str, kind: Kind) -> Vec<String> {
    gist(parse(name, text.as_bytes(), &Options { from: Some(kind), ..Options::default() }))
}

fn all(mut each: impl FnMut(Kind, &str, &str)) {
    for kind in Kind::all() {
        for (name, text) in corpus(kind) {
            if !UNTOLD.contains(&(kind.name(), name.as_str())) {
                each(kind, &name, &text);
            }
        }
    }
}

#[test]
fn every_file_of_a_kind_is_taken_for_one_without_being_told() {
    all(|kind, name, text| {
        assert_eq!(told(name, text), said(name, text, kind), "{kind} {name}");
    });
}

#[test]
fn a_byte_order_mark_and_crlf_change_no_kind() {
    all(|kind, name, text| {
        let text = text.trim_start_matches('\u{feff}');
        let dos = format!("\u{feff}{}", text.replace("\r\n", "\n").replace('\n', "\r\n"));
        assert_eq!(told(name, &dos), told(name, text), "{kind} {name}");
    });
}

#[test]
fn a_file_in_a_fence_or_a_config_map_is_what_it_is_alone() {
    all(|kind, name, text| {
        let plain = told(name, text);
        let text = text.trim_start_matches('\u{feff}');
        let page = format!("# A page\n\nThe file:\n\n```\n{text}\n```\n");
        let lines = text.lines().map(|line| format!("    {line}\n")).collect::<String>();
        let map =
            format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\ndata:\n  the.file: |\n{lines}");
        let json = format!("{{\"kind\": \"ConfigMap\", \"data\": {{\"the.file\": {}}}}}", json(text));
        for (what, text) in [("page", page), ("map", map), ("json", json)] {
            if what == "json" || !TORN.contains(&(kind.name(), name)) {
                assert_eq!(told(name, &text), plain, "{kind} {name} in a {what}");
            }
        }
    });
}

/// Text in JSON.
fn json(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c < ' ' => out += &format!("\\u{:04x}", u32::from(c)),
            c => out.push(c),
        }
    }
    out + "\""
}
