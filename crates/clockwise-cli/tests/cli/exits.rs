//! The four exit codes, which scripts and CI test.

use super::{FLEET, KEYS, assert_has, file, run};

#[test]
fn fine_is_0() {
    run(["owner", FLEET, "user:42"]).fine();
    run(["ring", FLEET]).fine();
    run(["size", "--servers", "100", "--within", "10%"]).fine();
    for help in [&["--help"][..], &["--version"], &["help", "plan"], &["plan", "--help"]] {
        assert_has(&run(help).fine(), &["clockwise"]);
    }
}

#[test]
fn findings_are_1() {
    let run = run(["plan", FLEET, "--remove", "cache-1", "--keys", KEYS, "--max-moved", "1%"]);
    assert_eq!(run.code, 1);
}

#[test]
fn usage_is_2_and_says_what_is_wrong_on_standard_error() {
    for (command, said) in [
        (&[][..], "Usage: clockwise <COMMAND>"),
        (&["plam"], "unrecognized subcommand 'plam'"),
        (&["plan"], "required arguments were not provided"),
        (&["plan", FLEET], "nothing changes: give a second fleet file, or --add, --remove"),
        (
            &["plan", FLEET, "--add", "n,2"],
            "--add: \"n,2\" is not of the form NAME[=ADDR][,weight=W][,zone=Z]",
        ),
        (&["plan", FLEET, "--replace", "a"], "--replace: \"a\" is not of the form OLD=NEW[=ADDR]"),
        (&["plan", FLEET, "--address", "a"], "--address: \"a\" is not of the form NAME=ADDR"),
        (&["plan", FLEET, "--weight", "a"], "--weight: \"a\" is not of the form NAME=W"),
        (&["plan", FLEET, "--remove", "z"], "--remove z: there is no server \"z\" in this fleet"),
        (&["plan", FLEET, "--remove", ""], "--remove: server name \"\" is empty"),
        (
            &["plan", FLEET, "--remove", "cache-1", "--max-moved", "12"],
            "12 is not between 0 and 1; a percentage ends in %",
        ),
        (
            &["plan", FLEET, "--remove", "cache-1", "--hit-ratio", "high"],
            "\"high\" is not a share such as 0.12 or 12%",
        ),
        (
            &["plan", FLEET, "--remove", "cache-1", "--format", "xml"],
            "possible values: table, json, csv, markdown",
        ),
        (
            &["plan", FLEET, "--remove", "cache-1", "--csv-table", "servers"],
            "--csv-table says what --format csv prints: give both",
        ),
        (
            &["plan", FLEET, "--remove", "cache-1", "--format", "csv", "--csv-table", "compare"],
            "--csv-table compare prints what --compare measures: give both",
        ),
        (&["size", "--servers", "100"], "<--within <PERCENT>|--points <V>>"),
        (&["size", "--servers", "0", "--points", "1"], "0 is not in 1..=1000000"),
        (
            &["size", "--servers", "1000", "--within", "0.1"],
            "1,000 servers within 0.1% of the mean need more than 1,000,000 points each",
        ),
    ] {
        assert_has(&run(command).refused(2), &[said]);
    }
}

#[test]
fn what_a_scheme_cannot_answer_is_2_and_says_which_can() {
    let jump = file("cannot.toml", super::fleet("scheme = \"jump\"", &[("a", 1), ("b", 1)]));
    for (command, said) in [
        (
            &["owner", jump.as_str(), "k", "--replicas", "2"][..],
            "--replicas: jump names one owner for a key and no order of the others",
        ),
        (&["owner", &jump, "k", "--zones"], "--zones: jump names one owner for a key"),
        (&["owner", &jump, "k", "--down", "a"], "--down: jump names one owner for a key"),
        (&["ring", &jump, "--points"], "--points: jump is no ring and has no points"),
        (&["ring", &jump, "--svg", "never.svg"], "--svg: jump divides no circle that could be drawn"),
    ] {
        assert_has(&run(command).refused(2), &[said]);
    }
}

#[test]
fn input_that_cannot_be_used_is_3() {
    run(["ring", "nothing.toml"]).refused(3);
    run(["owner", FLEET, "--keys", "nothing.txt"]).refused(3);
    run(["ring", &file("broken.toml", "version = 1\nplacement\n")]).refused(3);
}

#[test]
fn output_that_cannot_be_written_is_3_and_named() {
    let said = run(["ring", FLEET, "--svg", "no/such/folder/ring.svg"]).refused(3);
    assert_has(&said, &["error: no/such/folder/ring.svg cannot be written: No such file"]);
    let plan =
        ["plan", FLEET, "--remove", "cache-1", "--keys", KEYS, "--moved-keys", "no/such/folder/moved.csv"];
    assert_has(&run(plan).refused(3), &["no/such/folder/moved.csv cannot be written"]);
    let in_the_way = file("in-the-way", "");
    assert_has(&run(["man", &in_the_way]).refused(3), &[&in_the_way, "cannot be written"]);
}
