//! `migrate`: steps from one way of placing keys to another.

use super::json::{check, json};
use super::{FLEET, KEYS, TWEMPROXY, assert_has, file, fleet, run};

const BY_HASH: &str = "examples/by-hash.toml";

#[test]
fn steps_are_as_many_as_keep_the_database_at_twice_its_load() {
    let answer =
        run(["migrate", TWEMPROXY, "--to", "ring", "--hit-ratio", "0.95", "--sample", "20000"]).fine();
    assert_has(
        &answer,
        &[
            "Going from examples/twemproxy.yml#memcached (twemproxy ketama fnv1a_64) to \
             ring (ring-160) moves 1",
            "All at once: the hit ratio falls to 23.",
            "In 15 steps, so that the database gets about twice its load in each:",
            "  15             100.00%",
            "first four bytes of MD5(\"turn:\" + key)",
        ],
    );
}

#[test]
fn the_keys_of_all_steps_are_those_that_move() {
    let document = json(&["migrate", BY_HASH, "--to", "rendezvous", "--keys", KEYS, "--steps", "7"]).json();
    let steps = document["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 7);
    let moved: u64 = steps.iter().map(|step| step["keys_moved"].as_u64().unwrap()).sum();
    assert_eq!(document["moved"], moved);
    assert_eq!(steps[6]["switched_share"], 1.0);
    // Two thirds change servers when one of three is picked anew.
    assert!((0.64..0.69).contains(&document["moved_share"].as_f64().unwrap()), "{document}");
}

#[test]
fn another_fleet_file_can_be_the_goal_and_its_servers_are_matched() {
    let same = file(
        "migrate-same.toml",
        fleet(
            "scheme = \"mod-n\"\nhash = \"crc32\"",
            &[("10.0.0.1:11211", 1), ("10.0.0.2:11211", 1), ("10.0.0.3:11211", 1)],
        ),
    );
    let answer = run(["migrate", BY_HASH, "--to", &same, "--sample", "1000"]).fine();
    assert_has(&answer, &["moves nothing: of 1,000 keys each keeps its server."]);
}

#[test]
fn settings_stand_behind_the_scheme_and_wrong_ones_are_named() {
    let answer = run(["migrate", FLEET, "--to", "ring,points_per_weight=100", "--sample", "1000"]).fine();
    assert_has(&answer, &[" to ring,points_per_weight=100 (ring-100) moves ", "In 10 steps:"]);
    let answer = run(["migrate", BY_HASH, "--to", "skeleton,hash=xxh3-64", "--sample", "1000"]).fine();
    assert_has(&answer, &[" to skeleton moves "]);
    for (to, said) in [
        (
            "rign",
            "--to rign is no file, and no placement: there is no scheme \"rign\"; did you mean \"ring\"?\n",
        ),
        ("ring,points=5", "has no key `points`"),
        ("maglev,table_size=10", "is not a prime"),
        ("twemproxy,hash=fnv", "there is no hash \"fnv\""),
    ] {
        assert_has(&run(["migrate", FLEET, "--to", to]).refused(2), &[said]);
    }
    assert_has(
        &run(["migrate", FLEET, "--to", "ring", "--steps", "0"]).refused(2),
        &["0 is not in 1..=10000"],
    );
}

#[test]
fn the_json_of_migrate_is_as_documented() {
    let sampled = ["migrate", BY_HASH, "--to", "ring", "--sample", "500", "--steps", "2"];
    check(
        "migrate",
        &[
            json(&sampled).json(),
            json(&[&sampled[..], &["--hit-ratio", "0.9"]].concat()).json(),
            json(&[&sampled[..], &["--hit-ratio", "1"]].concat()).json(),
            json(&["migrate", BY_HASH, "--to", FLEET, "--keys", KEYS, "--steps", "2"]).json(),
        ],
    );
}
