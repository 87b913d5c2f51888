//! The main job: what will adding a server do to this fleet, with these keys?

use serde_json::{Value, json};

use super::{FLEET, KEYS, TWEMPROXY, assert_has, file, fleet, run};

const JOIN: [&str; 6] = ["plan", TWEMPROXY, "--add", "cache-5=10.0.0.5:11211", "--keys", KEYS];

fn join(more: &[&str]) -> super::Run {
    run(JOIN.iter().chain(more))
}

#[test]
fn a_fifth_cache_takes_3703_of_the_20000_keys_and_nothing_strays() {
    let plan = join(&["--format", "json"]).json();
    assert_eq!(plan["keys"], 20_000);
    assert_eq!(plan["moved"], 3_703);
    assert_eq!(plan["stray"], 0);
    assert_eq!(plan["moved_share"], 0.18515);
    assert_eq!(plan["minimum_share"], 0.2);
    let rounded = |path: &str, decimals: i32| {
        let value = plan.pointer(path).and_then(Value::as_f64).unwrap();
        (value * 10_f64.powi(decimals)).round() / 10_f64.powi(decimals)
    };
    assert_eq!(rounded("/requests_moved_share", 3), 0.179);
    assert_eq!(rounded("/circle_moved_share", 4), 0.1856);
    assert_eq!(rounded("/busiest_over_mean/before", 3), 1.107);
    assert_eq!(rounded("/busiest_over_mean/after", 3), 1.110);
    let flows = plan["flows"].as_array().unwrap();
    assert_eq!(flows.len(), 4);
    assert!(flows.iter().all(|flow| flow["to"] == "cache-5"));
}

#[test]
fn the_table_says_it_in_one_sentence_and_shows_the_figures() {
    let text = join(&[]).fine();
    assert_eq!(
        text.lines().next().unwrap(),
        "Adding cache-5 moves 3,703 of 20,000 keys (18.52%, where the weights call for 20.00%), all of them to \
         cache-5; they carry 17.91% of the requests, and each misses once on its new server."
    );
    assert_has(
        &text,
        &[
            "keys               20,000           3,703  18.52%   20.00%      0\n",
            "requests  514,734,117,794  92,202,048,894  17.91%   20.00%\n",
            "circle                                     18.56%   20.00%\n",
            "cache-2  cache-5  1,146  33,605,292,968\n",
            "cache-5            0       3,703         0.00%       18.52%            0.00%          17.91%\n",
            "busiest ÷ mean by keys: 1.107 before, 1.110 after\n",
            "busiest ÷ mean by requests: 1.189 before, 1.160 after\n",
        ],
    );
}

#[test]
fn the_hit_ratio_falls_by_the_requests_that_move() {
    let plan = join(&["--hit-ratio", "0.95", "--format", "json"]).json();
    let moved = plan["requests_moved_share"].as_f64().unwrap();
    let after = plan["hit_ratio"]["after"].as_f64().unwrap();
    assert_eq!(plan["hit_ratio"]["before"], 0.95);
    assert!((after - 0.95 * (1.0 - moved)).abs() < 1e-12, "{after}");
    let load = plan["database_load_factor"].as_f64().unwrap();
    assert!((load - (1.0 - after) / (1.0 - 0.95)).abs() < 1e-9, "{load}");
    let text = join(&["--hit-ratio", "95%"]).fine();
    let line = "hit ratio: 95.00% before, 77.98% while each moved key misses once; the database gets 4.4 times its load";
    assert!(text.lines().any(|l| l == line), "{text}");
}

#[test]
fn where_nothing_misses_today_there_is_no_factor() {
    let plan = join(&["--hit-ratio", "100%", "--format", "json"]).json();
    assert_eq!((&plan["database_load_factor"], &plan["hit_ratio"]["before"]), (&Value::Null, &json!(1.0)));
    let text = join(&["--hit-ratio", "1"]).fine();
    assert_has(
        &text,
        &["hit ratio: 100.00% before, 82.09% while each moved key misses once; the database, which"],
    );
}

#[test]
fn compare_lists_these_schemes_and_no_other() {
    let plan = join(&["--compare", "--format", "json"]).json();
    let schemes: Vec<&str> =
        plan["compare"].as_array().unwrap().iter().map(|row| row["scheme"].as_str().unwrap()).collect();
    let expected = [
        "mod-n",
        "ring-1",
        "ring-16",
        "ring-160",
        "rendezvous",
        "jump",
        "maglev",
        "bounded",
        "skeleton",
        "multi-probe",
        "anchor",
        "dx",
        "memento",
        "flip",
        "jump-back",
    ];
    assert_eq!(schemes, expected);
    let moved = |scheme: &str| {
        let at = expected.iter().position(|name| *name == scheme).unwrap();
        plan["compare"][at]["moved_share"].as_f64().unwrap()
    };
    // 4 to 5 by mod N moves four fifths; the others about a fifth.
    assert!((moved("mod-n") - 0.8).abs() < 0.01);
    for scheme in [
        "ring-160",
        "rendezvous",
        "jump",
        "maglev",
        "skeleton",
        "multi-probe",
        "anchor",
        "dx",
        "memento",
        "flip",
    ] {
        assert!((moved(scheme) - 0.2).abs() < 0.02, "{scheme}: {}", moved(scheme));
    }
    let text = join(&["--compare"]).fine();
    let table = text.split_once("The same change under other schemes\n").unwrap().1;
    let names: Vec<&str> = table.lines().skip(2).map_while(|line| line.split_whitespace().next()).collect();
    assert_eq!(names, expected);
    assert!(table.contains("\ntwemproxy ketama fnv1a_64 (this fleet)  18.52%"), "{table}");
    assert_eq!(join(&["--format", "json"]).json()["compare"], json!([]));
}

#[test]
fn schemes_that_cannot_hold_the_fleet_are_left_out_of_the_comparison_and_named() {
    let path =
        file("planned-heavy.toml", super::fleet("scheme = \"maglev\"", &[("a", 17_000_000), ("b", 1)]));
    let plan = ["plan", &path, "--add", "c=c", "--compare", "--sample", "1000", "--format", "json"];
    let (out, err) = run(plan).warned();
    for scheme in
        ["mod-n", "ring-1", "ring-16", "ring-160", "rendezvous", "jump", "bounded", "multi-probe", "flip"]
    {
        assert_has(
            &err,
            &[&format!("warning: {scheme} is not compared: server \"a\": its weight brings the fleet")],
        );
    }
    let plan: Value = serde_json::from_str(&out).unwrap();
    let compared: Vec<&Value> =
        plan["compare"].as_array().unwrap().iter().map(|row| &row["scheme"]).collect();
    assert_eq!(compared, ["maglev"]);
    // Where each server is one bucket, it is the weights that keep it out.
    for scheme in ["skeleton", "anchor", "dx", "memento"] {
        assert_has(
            &err,
            &[&format!("warning: {scheme} is not compared: server \"a\": weight 17000000 is not that")],
        );
    }
}

#[test]
fn without_keys_seeded_ones_are_used_and_it_says_so() {
    let plan = |more: &[&str]| {
        run(["plan", FLEET, "--remove", "cache-2", "--format", "json"].iter().chain(more)).json()
    };
    let first = plan(&["--sample", "10000"]);
    assert_eq!((&first["keys"], &first["seed"]), (&json!(10_000), &json!(1)));
    assert_eq!(first, plan(&["--sample", "10000"]), "the same seed is the same keys");
    let other = plan(&["--sample", "10000", "--seed", "2"]);
    assert_ne!((&first["moved"], &first["flows"]), (&other["moved"], &other["flows"]));
    let (circle, sampled) =
        (first["circle_moved_share"].as_f64().unwrap(), first["moved_share"].as_f64().unwrap());
    assert!((circle - sampled).abs() < 0.015, "exactly {circle}, sampled {sampled}");
    let text = run(["plan", FLEET, "--remove", "cache-2", "--sample", "10000", "--seed", "7"]).fine();
    assert_has(&text, &["keys: 10,000 synthetic ones from seed 7; --keys FILE measures your own\n"]);
    assert_eq!(
        run(["plan", FLEET, "--remove", "cache-2", "--keys", KEYS, "--format", "json"]).json()["seed"],
        json!(null)
    );
}

#[test]
fn a_million_seeded_keys_unless_said() {
    let text = run(["plan", TWEMPROXY, "--add", "cache-5=10.0.0.5:11211"]).fine();
    assert_has(
        &text,
        &[
            "Adding cache-5 moves 18.56% of all keys there could be (exact; the weights call for 20.00%)",
            "keys    1,000,000",
            "keys: 1,000,000 synthetic ones from seed 1;",
        ],
    );
    // Where there is no exact account, the seeded keys are it.
    let jump = file("jump.toml", fleet("scheme = \"jump\"", &[("a", 1), ("b", 1), ("c", 1)]).as_bytes());
    let jump = run(["plan", &jump, "--remove", "c"]).fine();
    assert_has(&jump, &["of 1,000,000 keys"]);
}

/// Servers by bucket; those with a number were removed.
fn history(name: &str, servers: &str) -> String {
    let server = |word: &str| {
        let (name, turn) = word.split_at(1);
        let turn = if turn.is_empty() { String::new() } else { format!("removed = {turn}\n") };
        format!("[[server]]\nname = \"{name}\"\n{turn}")
    };
    let servers: String = servers.split(' ').map(server).collect();
    file(name, format!("version = 1\n[placement]\nscheme = \"memento\"\n{servers}").as_bytes())
}

#[test]
fn a_fleet_that_goes_by_its_history_loses_any_server_and_gets_the_next_for_the_fewest_moves() {
    let before = history("memento-before.toml", "a b1 c d e");
    for (after, change) in
        [("a b1 c2 d e", "--remove c"), ("a x c d e", "--add x=x"), ("a b1 y d e", "--replace c=y=y")]
    {
        let after = history("memento-after.toml", after);
        let file = run(["plan", &before, &after, "--sample", "20000", "--format", "json"]).json();
        let (option, value) = change.split_once(' ').unwrap();
        let told = run(["plan", &before, option, value, "--sample", "20000", "--format", "json"]).json();
        for field in ["moved", "stray", "flows"] {
            assert_eq!(file[field], told[field], "{change}: {field}");
        }
        assert_eq!(file["stray"], 0, "{change}");
        assert!(file["moved"].as_u64().unwrap() > 3_000, "{change}: {}", file["moved"]);
    }
}

#[test]
fn histories_that_contradict_each_other_are_refused_and_both_are_named() {
    let before = history("memento-one.toml", "a b1 c2 d");
    for (after, says) in [
        (
            "a b2 c1 d",
            "histories differ: \"b\", then \"c\" removed from 4 buckets before, and \"c\", then \"b\" removed from 4 buckets after",
        ),
        ("a b1 c2 d e", "removed from 5 buckets after; one has to continue the other"),
    ] {
        let after = history("memento-other.toml", after);
        let run = run(["plan", &before, &after, "--sample", "1000"]);
        assert_eq!(run.code, 3, "{after}: {}", run.out);
        assert_has(&run.err, &[says]);
    }
    let (before, after) = (history("memento-abc.toml", "a b c"), history("memento-acb.toml", "a c b"));
    let run = run(["plan", &before, &after, "--sample", "1000"]);
    assert_eq!(run.code, 3);
    assert_has(&run.err, &["server \"b\": bucket 2 is not the one that it had"]);
}
