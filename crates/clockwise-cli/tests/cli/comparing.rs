//! Do two fleets place keys alike: `diff` and `fingerprint`.

use std::fs;
use std::process::Command;

use super::json::{check, json};
use super::{FLEET, KEYS, TWEMPROXY, assert_has, file, fleet, pool, root, run};

const BY_HASH: &str = "examples/by-hash.toml";
const LIBMEMCACHED: &str = "examples/libmemcached.toml";

#[test]
fn a_proxy_and_a_client_of_the_same_servers_differ_by_hash_and_label() {
    let run = run(["diff", TWEMPROXY, LIBMEMCACHED, "--sample", "2000"]);
    assert_eq!((run.code, run.err.as_str()), (1, ""));
    let lines: Vec<&str> = run.out.lines().collect();
    assert!(
        lines[0]
            .starts_with("A (examples/twemproxy.yml#memcached) and B (examples/libmemcached.toml) place 1,"),
        "{}",
        run.out
    );
    assert_eq!(
        lines[3],
        "cause  in A               in B                                     alone    left  what it is"
    );
    assert_has(
        &run.out,
        &[
            "label  the name: cache-1  the address without its port: 10.0.0.1 ",
            "hash   fnv1a_64           md5 ",
            "  which libmemcached calls MD5",
            "0.00%",
            "fingerprints (layout): A cw1:",
            "keys: 2,000 synthetic ones from seed 1",
        ],
    );
}

#[test]
fn fleets_that_agree_exit_with_0_whatever_they_are_called() {
    let servers = ["10.0.0.1:11211:1", "10.0.0.2:11211:1", "10.0.0.3:11211:1"];
    let twemproxy = file("diff-agree.yml", pool("hash: md5", &servers));
    let client = file(
        "diff-agree.toml",
        fleet(
            "dialect = \"libmemcached\"\ndistribution = \"CONSISTENT_WEIGHTED\"\nhash = \"MD5\"",
            &[("10.0.0.1:11211", 1), ("10.0.0.2:11211", 1), ("10.0.0.3:11211", 1)],
        ),
    );
    let answer = run(["diff", &twemproxy, &client, "--sample", "2000"]).fine();
    assert_has(&answer, &["place all 2,000 keys alike."]);
    let exact = run(["diff", FLEET, FLEET, "--sample", "1000"]).fine();
    assert_has(&exact, &["place all 1,000 keys alike, and every key there could be."]);
}

/// Two hosts each call themselves localhost in a list that both hold.
#[test]
fn a_loopback_name_in_a_shared_list_is_hinted_at() {
    let host = |name: &str, servers: &[&str]| file(name, pool("hash: md5", servers));
    let one = host("diff-host-1.yml", &["localhost:11311:1", "beta.test:11311:1"]);
    let two = host("diff-host-2.yml", &["alpha.test:11311:1", "localhost:11311:1"]);
    let run = run(["diff", &one, &two]);
    assert_eq!(run.code, 1);
    let document = json(&["diff", &one, &two]);
    let document: serde_json::Value = serde_json::from_str(&document.out).unwrap();
    let share = document["differing_share"].as_f64().unwrap();
    assert!(share > 0.0 && share < 1.0 && document["keys"] == 100_000, "{share}");
    assert_ne!(document["fingerprint"]["a"]["probes"], document["fingerprint"]["b"]["probes"]);
    assert_has(&run.out, &["note: \"localhost:11311\" of A means another machine on every host"]);
}

#[test]
fn twemproxy_sorts_by_name_and_a_client_with_the_same_list_does_not() {
    let modula = "distribution: modula\n  hash: one_at_a_time";
    let servers = ["10.0.0.1:1:1 sessions-1", "10.0.0.2:1:1 a-2", "10.0.0.3:1:1 web-3"];
    let proxy = file("diff-modula.yml", pool(modula, &servers));
    let names = [("10.0.0.1:1", 1), ("10.0.0.2:1", 1), ("10.0.0.3:1", 1)];
    let client = file("diff-modula.toml", fleet("dialect = \"libmemcached\"", &names));
    let run = run(["diff", &proxy, &client, "--format", "csv", "--sample", "1000"]);
    assert_eq!(run.code, 1, "{}", run.err);
    let lines: Vec<&str> = run.out.lines().collect();
    assert_eq!(lines[0], "cause,in_A,in_B,alone,left,what_it_is");
    assert!(
        lines[1].starts_with(
            "order of buckets,\"a-2, web-3, sessions-1\",\"sessions-1, a-2, web-3\",1,0,each system"
        ),
        "{}",
        run.out
    );
    assert_eq!(lines.len(), 2, "{}", run.out);
}

#[test]
fn flows_can_be_had_as_csv_and_the_tables_as_markdown() {
    let flows =
        run(["diff", TWEMPROXY, LIBMEMCACHED, "--keys", KEYS, "--format", "csv", "--csv-table", "flows"]);
    assert_eq!(flows.code, 1);
    let mut lines = flows.out.lines();
    assert_eq!(lines.next(), Some("in_A,in_B,keys,requests"));
    let keys: u64 = lines.map(|line| line.split(',').nth(2).unwrap().parse::<u64>().unwrap()).sum();
    let document = json(&["diff", TWEMPROXY, LIBMEMCACHED, "--keys", KEYS]);
    let document: serde_json::Value = serde_json::from_str(&document.out).unwrap();
    assert_eq!(document["differing"], keys);
    let markdown = run(["diff", TWEMPROXY, LIBMEMCACHED, "--sample", "500", "--format", "markdown"]);
    assert_has(&markdown.out, &["**Why**\n\n| cause | in A | in B |", "**From server in A to server in B**"]);
    let refused = run(["diff", FLEET, FLEET, "--csv-table", "flows"]).refused(2);
    assert_has(&refused, &["--csv-table says what --format csv prints: give both"]);
}

#[test]
fn the_json_of_diff_is_as_documented() {
    let two = |name: &str, placement: &str, servers: &[(&str, u32)]| file(name, fleet(placement, servers));
    let one_point = "scheme = \"ring\"\npoints_per_weight = 1";
    let even = two("diff-even.toml", "scheme = \"ring\"", &[("a", 1), ("b", 1)]);
    // With 160 points a weight these would be more than any ring has.
    let heavy = two("diff-heavy.toml", one_point, &[("a", 100_000), ("b", 200_000)]);
    let local = two("diff-local.toml", "scheme = \"jump\"", &[("localhost", 1), ("b", 1)]);
    let documents = [
        json(&["diff", TWEMPROXY, LIBMEMCACHED, "--sample", "500"]),
        json(&["diff", TWEMPROXY, FLEET, "--keys", KEYS]),
        json(&["diff", &even, &heavy, "--sample", "500"]),
        json(&["diff", &local, &even, "--sample", "500"]),
        json(&["diff", &even, &local, "--sample", "500"]),
    ];
    let documents: Vec<serde_json::Value> =
        documents.iter().map(|run| serde_json::from_str(&run.out).unwrap()).collect();
    check("diff", &documents);
    assert!(documents[2]["causes"].as_array().unwrap().iter().any(|cause| cause["alone_share"].is_null()));
}

#[test]
fn an_error_of_either_side_names_its_file() {
    let heavy = file("diff-unbuildable.toml", fleet("scheme = \"ring\"", &[("a", 1_000_000_000)]));
    let said = run(["diff", FLEET, &heavy]).refused(3);
    assert_has(&said, &["diff-unbuildable.toml:"]);
    assert_has(&run(["diff", FLEET, "nothing.toml"]).refused(3), &["cannot be read", "nothing.toml"]);
}

#[test]
fn fingerprints_are_those_that_ring_prints() {
    let ring = json(&["ring", TWEMPROXY]).json();
    let document = json(&["fingerprint", TWEMPROXY]).json();
    for kind in ["probes", "layout", "addresses"] {
        assert_eq!(document[kind], ring["fingerprint"][kind]);
    }
    let table = run(["fingerprint", TWEMPROXY]).fine();
    for kind in ["layout", "probes", "addresses"] {
        assert!(
            table
                .lines()
                .any(|line| { line.starts_with(kind) && line.ends_with(document[kind].as_str().unwrap()) })
        );
    }
    check("fingerprint", &[document, json(&["fingerprint", BY_HASH]).json()]);
}

/// The code between the fences of that language, the first of them.
fn fence(page: &str, language: &str) -> String {
    let text = fs::read_to_string(root().join("docs").join(page)).unwrap();
    let (_, rest) = text.split_once(&format!("\n```{language}\n")).unwrap();
    rest.split_once("\n```\n").unwrap().0.to_owned()
}

/// What a program prints.
fn printed(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let output = output.unwrap_or_else(|error| panic!("{program} is needed for this test: {error}"));
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn ten_lines_of_python_print_the_same_probe_fingerprint() {
    let script = fence("fingerprints.md", "python");
    assert!(script.lines().count() <= 10, "{script}");
    let ours = json(&["fingerprint", BY_HASH]).json();
    assert_eq!(printed("python3", &["-c", &script]), ours["probes"].as_str().unwrap());
}

#[test]
fn ten_lines_of_javascript_print_the_same_probe_fingerprint() {
    let script = fence("fingerprints.md", "js");
    assert!(script.lines().count() <= 10, "{script}");
    let ours = json(&["fingerprint", BY_HASH]).json();
    let theirs = printed("node", &["--input-type=module", "-e", &script]);
    assert_eq!(theirs, ours["probes"].as_str().unwrap());
}

#[test]
fn a_line_of_shell_prints_the_same_probe_fingerprint() {
    let keys: Vec<String> = (0..4096).map(|number| number.to_string()).collect();
    let arguments =
        ["owner", TWEMPROXY, "--format", "csv"].into_iter().chain(keys.iter().map(String::as_str));
    let answer = run(arguments).fine();
    let owners: String =
        answer.lines().skip(1).map(|line| format!("{}\n", line.split_once(',').unwrap().1)).collect();
    let list = file("owners.txt", owners);
    let page = fs::read_to_string(root().join("docs/fingerprints.md")).unwrap();
    let script = page.lines().find(|line| line.contains("owners.txt")).unwrap().replace("owners.txt", &list);
    let ours = json(&["fingerprint", TWEMPROXY]).json();
    assert_eq!(format!("cw1:{}", printed("sh", &["-c", &script])), ours["probes"].as_str().unwrap());
}

/// The rule of migrations, in Python as the page has it and in the library.
#[test]
fn a_few_lines_of_python_tell_which_way_a_key_goes() {
    let rule = fence("migrating.md", "python");
    let keys: Vec<String> = (0..300).map(|number| format!("user:{number}")).collect();
    let script = format!(
        "{rule}\nfor k in {keys:?}:\n    print(next(i for i in range(8) if is_placed_the_new_way(k.encode(), i, 7)))"
    );
    let ours: Vec<String> = (keys.iter())
        .map(|key| {
            let turn = u64::from(clockwise_study::migrate::turn(key.as_bytes()));
            (((turn * 7) >> 32) + 1).to_string()
        })
        .collect();
    assert_eq!(printed("python3", &["-c", &script]), ours.join("\n"));
}
