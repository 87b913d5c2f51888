//! Keys are bytes: whichever way they come in, none is changed.

use serde_json::{Value, json};

use super::{FLEET, KEYS, assert_has, file, fleet, run, run_with};

/// The keys that others break: the empty one, NUL, LF, a byte that is no text, an accent in two
/// spellings; and lengths around memcached's limit and far beyond.
fn odd_keys() -> Vec<Vec<u8>> {
    let odd: [&[u8]; 7] = [b"", b"\0", b"k\0v", b"k\nv", b"\xff", b"caf\xc3\xa9", b"cafe\xcc\x81"];
    let long = [250, 251, 1 << 20].map(|length| b"x".repeat(length));
    odd.iter().map(|key| key.to_vec()).chain(long).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits =
            chunk.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for digit in 0..4 {
            let at = (bits >> (18 - 6 * digit) & 63) as usize;
            text.push(if digit <= chunk.len() { DIGITS[at] as char } else { '=' });
        }
    }
    text
}

/// The key of a line of JSON, as bytes.
fn key(line: &Value) -> Vec<u8> {
    match (&line["key"], &line["key_hex"]) {
        (Value::String(text), Value::Null) => text.clone().into_bytes(),
        (Value::Null, Value::String(hex)) => {
            let byte = |at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
            (0..hex.len()).step_by(2).map(byte).collect()
        }
        other => panic!("{other:?}"),
    }
}

/// Keys and owners, as `owner` reads them from standard input.
fn asked(options: &[&str], input: &[u8]) -> Vec<(Vec<u8>, String)> {
    let lines = run_with(["owner", FLEET, "--format", "json"].iter().chain(options), input).json_lines();
    lines.iter().map(|line| (key(line), line["owner"].as_str().unwrap().to_owned())).collect()
}

#[test]
fn odd_and_long_keys_come_through_every_encoding_unchanged() {
    let keys = odd_keys();
    let lines = |encode: fn(&[u8]) -> String| -> String { keys.iter().map(|k| encode(k) + "\n").collect() };
    let by_hex = asked(&["--key-encoding", "hex", "--key-format", "lines"], lines(hex).as_bytes());
    assert_eq!(by_hex.iter().map(|(key, _)| key).collect::<Vec<_>>(), keys.iter().collect::<Vec<_>>());
    let by_base64 = asked(&["--key-encoding", "base64", "--key-format", "lines"], lines(base64).as_bytes());
    assert!(by_base64 == by_hex);

    let pick = |without: u8| -> Vec<(Vec<u8>, String)> {
        by_hex.iter().filter(|(key, _)| !key.contains(&without)).cloned().collect()
    };
    let joined = |with: u8| -> Vec<u8> {
        let keys = keys.iter().filter(|key| !key.contains(&with));
        keys.flat_map(|key| key.iter().copied().chain([with])).collect()
    };
    assert!(asked(&["--null"], &joined(0)) == pick(0));
    assert!(asked(&["--key-format", "lines"], &joined(b'\n')) == pick(b'\n'));
    let csv: Vec<u8> = keys.iter().flat_map(|key| [b"\"", key.as_slice(), b"\"\n"].concat()).collect();
    assert!(asked(&[], &[b"key\n", csv.as_slice()].concat()) == by_hex);

    let owner = |key: &[u8]| &by_hex.iter().find(|(k, _)| k == key).unwrap().1;
    let typed = run(["owner", FLEET, "", "k\nv", "caf\u{e9}", "cafe\u{301}", "--format", "csv"]).fine();
    assert_eq!(
        typed,
        format!(
            "key,owner\n,{}\n\"k\nv\",{}\ncaf\u{e9},{}\ncafe\u{301},{}\n",
            owner(b""),
            owner(b"k\nv"),
            owner("caf\u{e9}".as_bytes()),
            owner("cafe\u{301}".as_bytes())
        )
    );
}

#[test]
fn a_key_that_is_no_text_is_hexadecimal_in_json_and_escaped_in_tables() {
    let fields = run_with(["owner", FLEET, "--format", "json", "--null"], b"a\xff\0").json_lines();
    assert_eq!((&fields[0]["key"], &fields[0]["key_hex"]), (&Value::Null, &json!("61ff")));
    let text = run_with(["owner", FLEET, "--null"], b"a\xff\0 b\0\0\"c\"\0tab\there\0d\0").fine();
    let shown: Vec<&str> = text.lines().map(|line| line.rsplit_once("  ").unwrap().0.trim_end()).collect();
    assert_eq!(shown, ["\"a\\xff\"", "\" b\"", "\"\"", "\"\\\"c\\\"\"", "\"tab\\there\"", "d"]);
    let csv = super::command()
        .args(["owner", FLEET, "--format", "csv", "--key-encoding", "hex", "61ff"])
        .output()
        .unwrap();
    assert!(csv.stdout.starts_with(b"key,owner\na\xff,cache-"), "CSV has the bytes themselves");
}

#[test]
fn nothing_is_trimmed() {
    let keys = [" a", "a ", "\ta", "a", "a\r"];
    let lines: String = keys.iter().map(|key| format!("{key}\n")).collect();
    let asked = asked(&["--line-ending", "lf"], lines.as_bytes());
    assert_eq!(asked.iter().map(|(key, _)| key.as_slice()).collect::<Vec<_>>(), keys.map(str::as_bytes));
}

#[test]
fn keys_are_read_from_a_file_from_a_dash_and_from_standard_input_alike() {
    let lines = b"user:1\nuser:2\nuser:42\n";
    let path = file("three.txt", lines);
    let expected = run(["owner", FLEET, "user:1", "user:2", "user:42"]).fine();
    assert_eq!(run(["owner", FLEET, "--keys", &path]).fine(), expected);
    assert_eq!(run_with(["owner", FLEET, "--keys", "-"], lines).fine(), expected);
    assert_eq!(run_with(["owner", FLEET], lines).fine(), expected);
    assert_eq!(run_with(["where", FLEET], lines).fine(), expected, "the alias");
    let plan = |keys: &str| run_with(["plan", FLEET, "--remove", "cache-1", "--keys", keys], lines).fine();
    assert_eq!(plan("-"), plan(&path));
    assert_eq!(run_with(["owner", FLEET], b"").fine(), "", "no keys, no answers");
    assert_has(
        &run_with(["plan", FLEET, "--remove", "cache-1", "--keys", "-"], b"").refused(3),
        &["no keys"],
    );
}

#[test]
fn output_of_memcached_and_redis_is_told_from_its_content() {
    let metadump = "key=user%3A42 exp=-1 la=1700000000 cas=2 fetch=no cls=1 size=70\n";
    assert_eq!(asked(&[], metadump.as_bytes())[0].0, b"user:42");
    let redis = asked(&["--key-format", "redis"], b"\"k\\x00v\"\n");
    assert_eq!(redis[0].0, b"k\0v");
    let plan = ["plan", FLEET, "--remove", "cache-1", "--keys", "-", "--format", "json"];
    assert_eq!(run_with(plan, metadump.as_bytes()).json()["requests"], Value::Null);
    assert!(run_with(plan, metadump.as_bytes()).json()["bytes_moved"].is_u64());
}

#[test]
fn a_bad_key_file_is_refused_at_its_line() {
    for (options, content, said) in [
        (
            &["--key-encoding", "hex"][..],
            "6b30\n6b3\n",
            "line 2: key \"6b3\" is not hexadecimal: 3 characters",
        ),
        (
            &["--key-encoding", "base64"],
            "azA=\n@@@@\n",
            "line 2: key \"@@@@\" is not base64: see character 1",
        ),
        (&[], "key,requests\na,1\nb,-1\n", "line 3: requests \"-1\" is not a whole number"),
        (&[], "key,requests\na,1\nb\n", "line 3: 1 field, and the header has 2"),
        (&[], "a\nb\r\n", "line 2: ends in CR LF, and the first line in LF alone"),
        (&["--key-format", "csv"], "name\na\n", "line 1: the CSV header \"name\" has no column named key"),
    ] {
        let path = file("bad-keys.txt", content);
        for command in
            [&["owner", FLEET, "--keys", &path][..], &["plan", FLEET, "--remove", "cache-1", "--keys", &path]]
        {
            let run = run(command.iter().chain(options));
            assert_eq!(run.code, 3, "{}", run.what);
            assert_has(&run.err, &[&format!("error: {path}, {said}")]);
        }
    }
    assert_has(
        &run(["owner", FLEET, "--key-encoding", "hex", "6b3"]).refused(3),
        &["the command line, key 1: key \"6b3\""],
    );
    assert_has(
        &run(["owner", FLEET, "--keys", "nothing.txt"]).refused(3),
        &["nothing.txt cannot be read: No such file"],
    );
    // A directory has no line to blame.
    let folder = env!("CARGO_MANIFEST_DIR");
    let said = run(["owner", FLEET, "--keys", folder]).refused(3);
    assert_has(&said, &[&format!("error: {folder}: ")]);
}

#[test]
fn options_of_a_key_file_without_one_are_refused_rather_than_ignored() {
    for option in [&["--null"][..], &["--key-format", "csv"], &["--line-ending", "lf"]] {
        let said = run(["owner", FLEET, "k"].iter().chain(option)).refused(2);
        assert_has(&said, &[option[0], "these keys were typed"]);
        let said = run(["plan", FLEET, "--remove", "cache-1"].iter().chain(option)).refused(2);
        assert_has(&said, &[option[0], "give --keys FILE"]);
    }
    run(["plan", FLEET, "--remove", "cache-1", "--key-encoding", "hex"]).refused(2);
    run(["plan", FLEET, "--remove", "cache-1", "--seed", "2", "--keys", KEYS]).refused(2);
    run(["owner", FLEET, "k", "--keys", KEYS]).refused(2);
}

#[test]
fn down_is_not_removed() {
    let path = file("down.toml", fleet("scheme = \"ring\"", &[("a", 1), ("b", 2), ("c", 5)]));
    let lines = |more: &[&str]| {
        run(["owner", &path, "--keys", KEYS, "--replicas", "3", "--format", "json"].iter().chain(more))
            .json_lines()
    };
    let (up, down) = (lines(&[]), lines(&["--down", "b"]));
    assert_eq!(down.len(), 20_000);
    let mut substituted = 0;
    for (up, down) in up.iter().zip(&down) {
        // Ownership does not change, and nobody's answers but those of b's keys.
        assert_eq!((&up["owner"], &up["replicas"]), (&down["owner"], &down["replicas"]));
        if up["owner"] == "b" {
            assert_eq!(down["served_by"], up["replicas"][1], "the next distinct server");
            substituted += 1;
        } else {
            assert_eq!(down["served_by"], up["owner"]);
        }
        assert!(up.get("served_by").is_none());
    }
    assert!((substituted as f64 / 20_000.0 - 0.25).abs() < 0.05, "{substituted}");
    let nobody = run(["owner", &path, "k", "--down", "a", "--down", "b", "--down", "c", "--format", "json"])
        .json_lines();
    assert_eq!(nobody[0]["served_by"], Value::Null);
    assert_has(&run(["owner", &path, "k", "--down", "a", "--down", "b", "--down", "c"]).fine(), &["nobody"]);
    assert_has(
        &run(["owner", &path, "k", "--down", "z"]).refused(2),
        &["--down: there is no server \"z\" in this fleet"],
    );
}

#[test]
fn replicas_are_distinct_and_spread_over_zones_where_that_is_asked() {
    let zone_of = |name: &Value| match name.as_str().unwrap() {
        "cache-1" | "cache-4" => "a",
        "cache-2" | "cache-5" => "b",
        _ => "c",
    };
    let zones = |more: &[&str]| -> Vec<Vec<&str>> {
        let lines = run(["owner", FLEET, "--keys", KEYS, "--format", "json"].iter().chain(more)).json_lines();
        let zones = |line: &Value| {
            let mut servers = line["replicas"].as_array().unwrap().clone();
            assert_eq!(servers[0], line["owner"]);
            let mut zones: Vec<&str> = servers.iter().map(zone_of).collect();
            servers.sort_by_key(|server| server.as_str().unwrap().to_owned());
            servers.dedup();
            assert_eq!(servers.len(), zones.len(), "distinct servers");
            zones.sort_unstable();
            zones
        };
        lines.iter().map(zones).collect()
    };
    assert!(zones(&["--replicas", "3"]).iter().any(|zones| zones[0] == zones[1] || zones[1] == zones[2]));
    assert!(zones(&["--replicas", "3", "--zones=strict"]).iter().all(|zones| *zones == ["a", "b", "c"]));
    assert!(
        zones(&["--replicas", "4", "--zones"]).iter().all(|zones| zones
            .iter()
            .filter(|z| **z == "a")
            .count()
            <= 2)
    );
    // While its owner is down, whoever answers for a key holds it, though another may be next in order.
    let down = [
        "owner",
        FLEET,
        "--keys",
        KEYS,
        "--replicas",
        "2",
        "--zones",
        "--down",
        "cache-1",
        "--format",
        "json",
    ];
    for line in run(down).json_lines() {
        let (owner, second) = (&line["owner"], &line["replicas"][1]);
        assert_eq!(&line["served_by"], if owner == "cache-1" { second } else { owner }, "{line}");
    }
    let said = run(["owner", FLEET, "k", "--replicas", "4", "--zones=strict"]).refused(2);
    assert_has(&said, &["--replicas 4: 4 replicas in 4 zones were asked for, and the fleet has 3 zones"]);
    let said = run(["owner", FLEET, "k", "--replicas", "6"]).refused(2);
    assert_has(&said, &["--replicas 6: 6 replicas need 6 active servers, and the fleet has 5"]);
    assert_has(
        &run(["owner", FLEET, "k", "--replicas", "0"]).refused(2),
        &["the number of replicas must be at least 1"],
    );
}
