//! `check`: findings with their place, and the exit code that CI tests.

use serde_json::Value;

use super::json::{check, json};
use super::{FLEET, TWEMPROXY, assert_has, file, fleet, pool, run};

/// The findings of one fleet: severity, rule, line.
fn findings(path: &str) -> Vec<(String, String, u64)> {
    let document: Value = serde_json::from_str(&json(&["check", path]).out).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let rows = document["fleets"].as_array().unwrap().iter().flat_map(|f| f["findings"].as_array().unwrap());
    rows.map(|row| (text(&row["severity"]), text(&row["rule"]), row["line"].as_u64().unwrap())).collect()
}

#[test]
fn a_sound_fleet_exits_with_0() {
    let answer = run(["check", TWEMPROXY]).fine();
    assert_eq!(answer, "1 fleet checked: 0 errors, 0 warnings, 0 notes\n");
}

#[test]
fn a_key_hash_of_15_bits_is_an_error_at_its_line() {
    let servers: Vec<String> = (1..=4).map(|i| format!("10.0.0.{i}:11300:1")).collect();
    let servers: Vec<&str> = servers.iter().map(String::as_str).collect();
    let path = file("check-crc32.yml", pool("hash: crc32", &servers));
    let run = run(["check", &path]);
    assert_eq!((run.code, run.err.as_str()), (1, ""));
    assert_has(
        &run.out,
        &[
            "check-crc32.yml:3: error [narrow-hash]: the key hash has 15 bits and the ring 32",
            "    why: of the keys key:0 to key:99999, server 10.0.0.3:11300 gets 4.00 times its share",
            "    do:  take crc32a, which has all 32 bits",
            "    busiest ÷ mean, numbered keys: 4, and the limit is 1.500",
            "1 fleet checked: 1 error, 0 warnings, 0 notes",
        ],
    );
}

#[test]
fn findings_stand_at_the_line_of_their_server_or_setting() {
    let twice = file(
        "check-twice.yml",
        pool("hash: murmur", &["10.0.0.1:11211:1 a", "10.0.0.2:11211:1 b", "10.0.0.1:11211:1 c"]),
    );
    assert_eq!(findings(&twice), [("error".to_owned(), "listed-twice".to_owned(), 7)]);
    let maglev = file(
        "check-maglev.toml",
        fleet("scheme = \"maglev\"\ntable_size = 199", &[("a", 1), ("b", 1), ("c", 1)]),
    );
    assert_eq!(findings(&maglev), [("warning".to_owned(), "small-table".to_owned(), 4)]);
    let ipv6 = file(
        "check-ipv6.toml",
        fleet(
            "scheme = \"rendezvous\"",
            &[("2001:db8::1:11300", 1), ("2001:db8::1", 1), ("2001:db8:0:0::1", 1)],
        ),
    );
    assert_eq!(
        findings(&ipv6),
        [
            ("error".to_owned(), "ipv6-brackets".to_owned(), 5),
            ("error".to_owned(), "listed-twice".to_owned(), 11)
        ]
    );
}

#[test]
fn every_pool_of_a_file_is_checked_unless_one_is_named() {
    let one = |(name, settings), port| {
        format!(
            "{name}:\n  listen: 127.0.0.1:{port}\n  {settings}\n  servers:\n   - 10.0.0.1:1:1\n   - 10.0.0.2:1:1\n"
        )
    };
    let pools = [("good", "hash: md5"), ("bad", "hash: crc32"), ("none", "distribution: random")];
    let text: String = pools.into_iter().zip(1..).map(|(pool, port)| one(pool, port)).collect();
    let path = file("check-pools.yml", text);
    let all = run(["check", &path]);
    assert_eq!(all.code, 1);
    assert_has(
        &all.out,
        &[
            "check-pools.yml:9: error [narrow-hash]",
            "check-pools.yml:15: note [places-nothing]: pool \"none\": distribution random places nothing",
            "3 fleets checked: 1 error, 0 warnings, 1 note",
        ],
    );
    assert_has(&run(["check", &format!("{path}#good")]).fine(), &["1 fleet checked: 0 errors"]);
    let several = run(["lint", &format!("{path}#good"), TWEMPROXY]).fine();
    assert_has(&several, &["2 fleets checked: 0 errors"]);
    assert_has(&run(["check", &format!("{path}#god")]).refused(3), &["there is no pool \"god\""]);
}

#[test]
fn notes_alone_are_fine_and_a_weight_that_rounds_away_is_not() {
    let jump = file("check-jump.toml", fleet("scheme = \"jump\"", &[("a", 1), ("b", 1)]));
    let answer = run(["check", &jump]).fine();
    assert_has(&answer, &["note [order-matters]", "0 errors, 0 warnings, 1 note"]);
    let weights = ["10.0.0.1:1:1 a", "10.0.0.2:1:1000 b", "10.0.0.3:1:1000 c"];
    let path = file("check-weights.yml", pool("hash: md5", &weights));
    let run = run(["check", &path, "--format", "csv"]);
    assert_eq!(run.code, 1);
    let mut lines = run.out.lines();
    assert_eq!(lines.next(), Some("place,severity,rule,message,reason,remedy,figure,value,limit"));
    assert_has(
        lines.next().unwrap(),
        &["check-weights.yml:5,warning,no-points,server a owns nothing: its weight of 1 out of 2001"],
    );
}

#[test]
fn a_server_listed_twice_is_refused_with_both_lines_unless_merged() {
    let unnamed = pool("hash: murmur", &["10.0.0.1:1:1", "10.0.0.2:1:1", "10.0.0.1:1:1"]);
    let path = file("check-merge.yml", unnamed);
    assert_has(&run(["check", &path]).refused(3), &["is listed twice, on lines 5 and 7"]);
}

#[test]
fn the_json_of_check_is_as_documented() {
    let random = file("check-json-random.yml", pool("distribution: random", &["10.0.0.1:1:1"]));
    let jump = file("check-json-jump.toml", fleet("scheme = \"jump\"", &[("localhost", 1), ("b", 1)]));
    let documents: Vec<Value> = [&random, &jump, FLEET]
        .iter()
        .map(|path| serde_json::from_str(&json(&["check", path]).out).unwrap())
        .collect();
    check("check", &documents);
}

#[test]
fn tokens_that_were_chosen_are_not_held_to_the_theory_of_random_ones() {
    let ring = "Datacenter: dc1\n==========\nAddress  Rack Status State Load Owns Token\n 3074457345618258602\n10.0.0.1 r1 Up Normal 1 KiB \
                33% -9223372036854775808\n10.0.0.2 r1 Up Normal 1 KiB 33% -3074457345618258603\n10.0.0.3 r1 Up Normal 1 KiB 33% \
                3074457345618258602\n";
    let path = file("even-tokens.txt", ring);
    let said = run(["check", &path]).fine();
    assert!(!said.contains("thin-ring"), "{said}");
    let said = run(["ring", &path]).fine();
    assert!(said.contains("busiest ÷ mean 1.000 of the key space\n"), "{said}");
}
