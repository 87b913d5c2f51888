//! Fleet files: what is right, what is refused and where, and what is only warned about.

use serde_json::{Value, json};

use super::{FLEET, KEYS, TWEMPROXY, assert_has, file, fleet, numbered, pool, run};

/// Owners of the same keys by two fleets.
fn owners(fleet: &str) -> Vec<(String, String)> {
    let text = run(["owner", fleet, "--keys", KEYS, "--format", "csv"]).fine();
    text.lines()
        .skip(1)
        .map(|line| line.rsplit_once(',').unwrap())
        .map(|(k, o)| (k.to_owned(), o.to_owned()))
        .collect()
}

fn ring(fleet: &str) -> Value {
    run(["ring", fleet, "--format", "json"]).json()
}

#[test]
fn a_server_listed_twice_is_refused_with_both_lines_and_merge_gives_the_ring_of_two() {
    let twice = ["a.test:11300:1", "b.test:11300:1", "a.test:11300:1"];
    let path = file("twice.yml", pool("hash: md5", &twice));
    let two = file("twice-two.yml", pool("hash: md5", &twice[..2]));
    for command in
        [&["ring", path.as_str()][..], &["owner", &path, "k"], &["plan", &path, "--remove", "b.test:11300"]]
    {
        let said = run(command).refused(3);
        assert_has(&said, &["error: server \"a.test:11300\" is listed twice, on lines 5 and 7", "--merge"]);
        assert_has(&said, &[&format!("{path}:7:"), "first listed here", "again here"]);
    }
    let merged = run(["ring", &path, "--merge", "--format", "json"]).json();
    let expected = ring(&two);
    assert_eq!((&merged["servers"], &merged["points"]), (&expected["servers"], &expected["points"]));
    assert_eq!(merged["fingerprint"], expected["fingerprint"]);
    assert_eq!(run(["ring", &path, "--merge", "--points"]).fine(), run(["ring", &two, "--points"]).fine());
}

#[test]
fn one_address_three_times_without_names_is_refused_with_its_lines_unless_merged() {
    let path = file("thrice.yml", pool("hash: md5", &["10.0.0.1:11211:1"; 3]));
    let said = run(["ring", &path]).refused(3);
    assert_has(
        &said,
        &[
            "server \"10.0.0.1\" is listed twice, on lines 5 and 6",
            "server \"10.0.0.1\" is listed twice, on lines 5 and 7",
        ],
    );
    assert_eq!(run(["owner", &path, "--merge", "user:42"]).fine(), "user:42  10.0.0.1\n");
    // Copies that differ cannot be one server.
    let differ = file("thrice-differ.yml", pool("hash: md5", &["10.0.0.1:11211:1", "10.0.0.1:11211:2"]));
    let said = run(["ring", &differ, "--merge"]).refused(3);
    assert_has(
        &said,
        &["\"10.0.0.1\" is listed twice and cannot be merged: its weight is 1 in one place and 2 in another"],
    );
}

#[test]
fn a_machine_replaced_behind_its_name_moves_no_key_and_changes_only_the_fingerprint_of_addresses() {
    let slots = |second: &str| {
        let servers = [("slot-1", "10.0.0.1:11300"), ("slot-2", second), ("slot-3", "10.0.0.3:11300")];
        let servers: String = servers
            .iter()
            .map(|(name, at)| format!("[[server]]\nname = \"{name}\"\naddress = \"{at}\"\n"))
            .collect();
        format!("{}{servers}", fleet("scheme = \"ring\"", &[]))
    };
    let before = file("slots-before.toml", slots("10.0.0.2:11300"));
    let after = file("slots-after.toml", slots("10.0.0.9:11300"));
    let keys = file("slots.txt", numbered("key-", 100_000));
    let plan = run(["plan", &before, &after, "--keys", &keys, "--format", "json"]).json();
    assert_eq!(
        (&plan["keys"], &plan["moved"], &plan["circle_moved_share"]),
        (&json!(100_000), &json!(0), &json!(0.0))
    );
    let (before, after) = (ring(&before), ring(&after));
    let same = |field: &str| before["fingerprint"][field] == after["fingerprint"][field];
    assert_eq!([same("layout"), same("probes"), same("addresses")], [true, true, false]);
}

#[test]
fn a_weight_of_0_in_a_twemproxy_file_drains_with_a_warning() {
    let path =
        file("zero.yml", pool("hash: md5", &["a.test:11300:1 a", "b.test:11300:0 b", "c.test:11300:1 c"]));
    let without = file("zero-without.yml", pool("hash: md5", &["a.test:11300:1 a", "c.test:11300:1 c"]));
    let (out, err) = run(["ring", &path, "--format", "json"]).warned();
    assert_has(&err, &["warning: ", "\"b\"", &format!("{path}:6:"), "draining"]);
    let rows: Value = serde_json::from_str(&out).unwrap();
    let row = &rows["servers"][1];
    assert_eq!((&row["name"], &row["state"], &row["points"]), (&json!("b"), &json!("draining"), &json!(0)));
    assert_eq!(row["share"], 0.0);
    let (out, _) = run(["owner", &path, "--keys", KEYS, "--format", "csv"]).warned();
    let drained: Vec<&str> = out.lines().skip(1).map(|line| line.rsplit_once(',').unwrap().1).collect();
    let expected = owners(&without);
    assert!(drained.iter().eq(expected.iter().map(|(_, owner)| owner)), "as if b were not there");
    let said = run(["ring", &path, "--strict"]).refused(3);
    assert_has(&said, &["error: ", &format!("{path}:6:")]);
}

#[test]
fn draining_a_server_by_its_weight_moves_its_keys_and_no_other() {
    let path = file("drain.toml", fleet("scheme = \"ring\"", &[("a", 1), ("b", 1), ("c", 1)]));
    let plan = run(["plan", &path, "--weight", "b=0", "--keys", KEYS, "--format", "json"]).json();
    assert_eq!(plan["stray"], 0);
    assert!(plan["flows"].as_array().unwrap().iter().all(|flow| flow["from"] == "b"));
    let row = &plan["servers"][1];
    assert_eq!((&row["name"], &row["keys_after"]), (&json!("b"), &json!(0)));
    let removed = run(["plan", &path, "--remove", "b", "--keys", KEYS, "--format", "json"]).json();
    assert_eq!(plan["flows"], removed["flows"], "the others are where they would be without b");
    let said = run(["plan", &path, "--weight", "a=0", "--weight", "b=0", "--weight", "c=0"]).refused(2);
    assert_has(&said, &["--weight c=0: no active servers: all 3 listed are draining"]);
}

#[test]
fn weights_that_are_no_weights_are_refused_with_field_value_line_and_server() {
    let weights = ["-1", "-300", "nan", "inf", "1e400", "0.5", "\"\"", "0x10", "0", "4294967296", "\"NaN\""];
    for (number, weight) in weights.into_iter().enumerate() {
        let text = fleet("scheme = \"ring\"", &[("a", 1)])
            + &format!("[[server]]\nname = \"b\"\nweight = {weight}\n");
        let path = file(&format!("weight-{number}.toml"), text);
        let said = run(["ring", &path]).refused(3);
        let value = weight.trim_matches('"');
        assert_has(
            &said,
            &["error: server \"b\": weight ", value, &format!("{path}:9:10"), &format!("weight = {weight}")],
        );
    }
    for (number, weight) in ["-1", "-300", "NaN", "inf", "1e400", "0.5", "", "0x10"].into_iter().enumerate() {
        let path = file(
            &format!("weight-{number}.yml"),
            pool("hash: md5", &["h:1:1 a", &format!("h:2:{weight} b")]),
        );
        let said = run(["ring", &path]).refused(3);
        assert_has(&said, &["error: ", "weight", weight, &format!("{path}:6:"), &format!("h:2:{weight} b")]);
        let said = run(["plan", TWEMPROXY, "--weight", &format!("cache-1={weight}")]).refused(2);
        assert_has(&said, &["--weight: server \"cache-1\": weight ", weight]);
        let said = run(["plan", TWEMPROXY, "--add", &format!("n=h:1,weight={weight}")]).refused(2);
        assert_has(&said, &["--add: server \"n\": weight ", weight]);
    }
}

#[test]
fn weights_that_need_too_many_points_are_refused_at_the_server_before_they_are_made() {
    let path = file("huge.toml", fleet("scheme = \"ring\"", &[("a", 1), ("b", 4_000_000_000)]));
    let said = run(["ring", &path]).refused(3);
    assert_has(
        &said,
        &["error: server \"b\": ", "640000000160 points, and the limit is 16777216", &format!("{path}:8:")],
    );
}

#[test]
fn a_weight_too_small_for_a_point_is_warned_about_and_strict_refuses_it() {
    let lines = ["10.0.0.1:11300:1", "10.0.0.2:11300:1000", "10.0.0.3:11300:1000"];
    let path = file("pointless.yml", pool("hash: md5", &lines));
    let (out, err) = run(["ring", &path, "--format", "json"]).warned();
    let rows: Value = serde_json::from_str(&out).unwrap();
    let points: Vec<&Value> = rows["servers"].as_array().unwrap().iter().map(|row| &row["points"]).collect();
    assert_eq!(points, [0, 236, 236]);
    let said = "server \"10.0.0.1:11300\" gets no points and owns nothing: its weight of 1 out of 2001 rounds to none";
    assert_has(&err, &[&format!("warning: {said}"), &format!("{path}:5:")]);
    let refused = run(["ring", &path, "--strict"]).refused(3);
    assert_has(&refused, &[&format!("error: {said}"), &format!("{path}:5:")]);
    for command in
        [&["owner", &path, "k", "--strict"][..], &["plan", &path, "--remove", "10.0.0.1:11300", "--strict"]]
    {
        assert_has(&run(command).refused(3), &[said]);
    }
    // Natively its share is about 1 of 2,001.
    let native = fleet(
        "scheme = \"ring\"",
        &[("10.0.0.1:11300", 1), ("10.0.0.2:11300", 1000), ("10.0.0.3:11300", 1000)],
    );
    let native = ring(&file("pointless.toml", native));
    let over = native["servers"][0]["share_over_target"].as_f64().unwrap();
    assert!((over - 1.0).abs() < 0.3, "{over}");
}

#[test]
fn a_warning_of_the_fleet_after_the_change_is_said_too() {
    let path = file("soon-pointless.yml", pool("hash: md5", &["h:1:1 a", "h:2:1 b"]));
    let (_, err) = run(["plan", &path, "--weight", "b=3000", "--keys", KEYS]).warned();
    assert_has(&err, &["warning: server \"a\" gets no points and owns nothing: its weight of 1 out of 3001"]);
    assert_has(
        &run(["plan", &path, "--weight", "b=3000", "--keys", KEYS, "--strict"]).refused(3),
        &["error: server \"a\""],
    );
}

#[test]
fn an_empty_list_is_refused_in_every_command() {
    let toml = file("empty.toml", fleet("scheme = \"ring\"", &[]));
    let yaml = file("empty.yml", pool("hash: md5", &[]));
    for (path, line, what) in
        [(&toml, 1, "the fleet has no servers"), (&yaml, 4, "`servers` of pool \"p\" is empty")]
    {
        for command in [&["ring", path.as_str()][..], &["owner", path, "k"], &["plan", path, "--add", "a=a"]]
        {
            let said = run(command).refused(3);
            assert_has(&said, &[what, &format!("{path}:{line}:")]);
        }
    }
    let one = file("last.toml", fleet("scheme = \"ring\"", &[("a", 1)]));
    assert_has(
        &run(["plan", &one, "--remove", "a"]).refused(2),
        &["--remove a: no servers: a placement needs at least one"],
    );
}

#[test]
fn a_key_hash_of_15_bits_gives_one_server_all_keys_and_the_ring_says_so() {
    let lines: Vec<String> = (1..=4).map(|i| format!("10.0.0.{i}:11300:1")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let path = file("crc32.yml", pool("hash: crc32", &lines));
    let keys = file("crc32.txt", numbered("key-", 100_000));
    let (out, err) = run(["owner", &path, "--keys", &keys, "--format", "csv"]).warned();
    let counted = out.lines().skip(1).filter(|line| line.ends_with(",10.0.0.3:11300")).count();
    assert_eq!((counted, out.lines().count()), (100_000, 100_001));
    let warning = "crc32 hashes keys to 15 of the ring's 32 bits, and they reach only 1 of its 640 points: crc32a fills all bits";
    assert_has(&err, &["warning: ", warning, &format!("{path}:3:9")]);
    let (out, _) = run(["ring", &path, "--format", "json"]).warned();
    let rows: Value = serde_json::from_str(&out).unwrap();
    let shares: Vec<f64> =
        rows["servers"].as_array().unwrap().iter().map(|row| row["share"].as_f64().unwrap()).collect();
    assert_eq!(shares, [0.0, 0.0, 1.0, 0.0], "of the keys that there can be");
    assert_eq!(
        (&rows["busiest_over_mean"], &rows["expected_busiest_over_mean"]),
        (&json!(4.0), &Value::Null)
    );
    run(["ring", &path, "--strict"]).refused(3);
    ring(&file("crc32a.yml", pool("hash: crc32a", &lines)));
}

#[test]
fn a_pool_is_picked_by_its_name_and_of_several_the_names_are_listed() {
    let one = pool("hash: md5", &["h:1:1 a", "h:2:1 b"]);
    let two = one.clone()
        + &pool("hash: crc32a", &["h:3:1 c"]).replace("p:\n", "sessions:\n").replace("22121", "22122");
    let path = file("pools.yml", &two);
    let said = run(["ring", &path]).refused(3);
    assert_has(&said, &["the file holds 2 pools: p, sessions", &format!("{path}#p")]);
    assert_eq!(run(["owner", &format!("{path}#sessions"), "k"]).fine(), "k  c\n");
    let title = run(["ring", &format!("{path}#p")]).fine();
    assert!(
        title.starts_with(&format!("{path}#p: twemproxy ketama md5, 2 servers, 320 points\n")),
        "{title}"
    );
    assert_has(
        &run(["ring", &format!("{path}#sesions")]).refused(3),
        &["no pool \"sesions\"", "did you mean \"sessions\"?"],
    );
    let from_to = run(["plan", &format!("{path}#p"), &format!("{path}#sessions"), "--keys", KEYS]).fine();
    assert_has(&from_to, &[&format!("Going from {path}#p to {path}#sessions moves ")]);
    assert_has(&run(["ring", &format!("{FLEET}#p")]).refused(3), &["holds one fleet, without a name"]);
}

#[test]
fn a_bounded_fleet_says_that_load_decides() {
    let path = file("bounded.toml", fleet("scheme = \"bounded\"", &[("a", 1), ("b", 1)]));
    let owner = run(["owner", &path, "user:42"]);
    assert_eq!(owner.code, 0);
    assert_eq!(
        owner.err,
        "note: under bounded a full server sends keys on; what is shown is where each goes first\n"
    );
    let plan = run(["plan", &path, "--add", "c=c", "--keys", KEYS, "--format", "json"]).json();
    for row in plan["servers"].as_array().unwrap() {
        let most = (20_000 * 5_u64).div_ceil(4 * 3);
        assert!(row["keys_after"].as_u64().unwrap() <= most, "{row}: at most a quarter above the mean");
    }
    assert_eq!(plan["circle_moved_share"], Value::Null);
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let said = run(["ring", "examples/nothing.yml"]).refused(3);
    assert_has(&said, &["error: ", "examples/nothing.yml", "No such file"]);
    assert_has(&run(["ring", "examples"]).refused(3), &["examples"]);
}

#[test]
fn a_fleet_inside_a_page_is_read_and_said_to_be() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus/wrapped/runbook.md");
    let (out, err) = run(["owner", page, "user:42"]).warned();
    let note = "runbook.md: read the fenced block on lines 12 to 18, as a twemproxy file\n";
    assert!(err.starts_with("note: ") && err.ends_with(note), "{err}");
    assert!(out.starts_with("user:42  session-"), "{out}");
}

#[test]
fn what_a_file_does_not_say_can_be_said_beside_it() {
    let bare = file("bare.toml", "version = 1\n[[server]]\nname = \"a\"\n[[server]]\nname = \"b\"\n");
    let said = run(["owner", &bare, "k"]).refused(3);
    assert_has(&said, &["the fleet has no [placement]", "--placement ring"]);
    let full = file(
        "full.toml",
        "version = 1\n[placement]\nscheme = 'rendezvous'\n[[server]]\nname = \"a\"\n[[server]]\nname = \"b\"\n",
    );
    for key in ["k", "user:42", ""] {
        let placed = run(["owner", &bare, key, "--placement", "rendezvous"]).fine();
        assert_eq!(placed, run(["owner", &full, key]).fine());
        assert_eq!(placed, run(["owner", &full, key, "--placement", "ring"]).fine(), "the file is believed");
    }
    let said = run(["owner", &bare, "k", "--placement", "rign"]).refused(2);
    assert_has(
        &said,
        &["'--placement <NAME[,KEY=VALUE]...>': there is no scheme \"rign\"; did you mean \"ring\"?"],
    );
    let said = run(["owner", &bare, "k", "--from", "twemproxi"]).refused(2);
    assert_has(&said, &["--from", "twemproxy"]);
    // Told to be of another kind, it is read as that.
    let said = run(["owner", &bare, "k", "--from", "twemproxy"]).refused(3);
    assert_has(&said, &["a twemproxy file holds pools by name"]);
    let loose = file("loose.yml", pool("hash: md5\n  redis: yes", &["10.0.0.1:11211:1"]));
    assert_has(&run(["owner", &loose, "k"]).refused(3), &["`redis` is \"yes\"", "--lenient"]);
    let (out, err) = run(["owner", &loose, "k", "--lenient"]).warned();
    assert_has(&err, &["warning: `redis` is \"yes\""]);
    assert_eq!(out, "k  10.0.0.1\n");
}

#[test]
fn of_many_warnings_the_first_are_said_and_the_others_counted() {
    let strange: String = (0..80).map(|number| format!("  key_{number}: 1\n")).collect();
    let text = format!("p:\n  listen: 127.0.0.1:22121\n{strange}  servers:\n   - 10.0.0.1:11211:1\n");
    let pool = file("many-warnings.yml", text);
    let (_, said) = run(["owner", &pool, "user:42", "--lenient"]).warned();
    assert_eq!(said.matches("warning: ").count(), 50, "{said}");
    assert_has(&said, &["30 more warnings of the same file"]);
    let said = run(["check", &pool, "--lenient"]);
    assert_has(&said.out, &["30 more warnings of the same file"]);
}

#[test]
fn beside_pools_that_place_nothing_the_one_that_places_keys_is_read() {
    let turns = "defaults\n  mode http\nbackend turns\n  balance roundrobin\n  server a 10.0.0.1:80\nbackend least\n  \
                 balance leastconn\n  server a 10.0.0.1:80\n";
    let one = file(
        "one-places.cfg",
        format!("{turns}backend keys\n  balance uri\n  server a 10.0.0.1:80\n  server b 10.0.0.2:80\n"),
    );
    for command in [
        &["ring", &one][..],
        &["owner", &one, "k"],
        &["fingerprint", &one],
        &["plan", &one, "--add", "c", "--sample", "9"],
    ] {
        let (_, said) = run(command.iter().copied()).warned();
        assert_has(&said, &["read pool keys, the only one that places keys: turns, least place none"]);
    }
    let none = file("none-places.cfg", turns);
    let said = run(["ring", &none]).refused(3);
    assert_has(
        &said,
        &[
            "none of the file's 2 pools places keys: turns, least",
            &format!("{none}#turns tells why"),
            "--placement",
        ],
    );
    let said = run(["ring", &format!("{none}#turns")]).refused(3);
    assert_has(&said, &["takes turns by `balance roundrobin`"]);
    let two =
        std::fs::read_to_string(&one).unwrap() + "backend more\n  balance uri\n  server a 10.0.0.1:80\n";
    let two = file("two-place.cfg", two);
    let said = run(["ring", &two]).refused(3);
    assert_has(
        &said,
        &[
            "the file holds 2 pools that place keys: keys, more (and 2 that place none)",
            &format!("{two}#keys"),
        ],
    );
}
