//! The runners in other languages: they give every answer that they know, and notice one that is wrong.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a failure here is the message

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clockwise_vectors::FILES;

/// A program and the runner that it runs.
const RUNNERS: [(&str, &str); 2] = [("python3", "check.py"), ("node", "check.mjs")];

struct Run {
    code: Option<i32>,
    out: String,
    err: String,
}

fn run((program, runner): (&str, &str), files: &[&Path]) -> Run {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runners").join(runner);
    let output = Command::new(program).arg(script).args(files).output();
    let output = output.unwrap_or_else(|error| panic!("{program} is needed for this test: {error}"));
    Run {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A file of that name in the folder of the tests.
fn file(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, text).unwrap();
    path
}

/// How many tests a runner says that it computed: `ring: 131 tests, …`.
fn computed(out: &str, name: &str) -> u32 {
    let line = out.lines().find_map(|line| line.strip_prefix(&format!("{name}: "))).unwrap();
    line.split_once(" tests, 0 differences").unwrap_or_else(|| panic!("{name}: {line}")).0.parse().unwrap()
}

#[test]
fn every_answer_that_a_runner_knows_comes_out_again() {
    let runs = RUNNERS.map(|runner| {
        let Run { code, out, err } = run(runner, &[]);
        assert_eq!((code, err.as_str()), (Some(0), ""), "{}:\n{out}", runner.1);
        // The least that they have to know; more may come with new vectors.
        for (name, least) in [
            ("hash", 300),
            ("mod-n", 100),
            ("ring", 130),
            ("rendezvous", 70),
            ("jump", 100),
            ("maglev", 100),
            ("slots", 100),
            ("bounded", 100),
            ("libketama", 50),
            ("twemproxy", 190),
        ] {
            assert!(computed(&out, name) >= least, "{}: {name} in\n{out}", runner.1);
        }
        println!("{}: {}", runner.1, out.lines().last().unwrap());
        out
    });
    assert_eq!(runs[0], runs[1], "two runners that know the same");
}

#[test]
fn a_runner_notices_an_altered_answer() {
    for (name, from, to, place) in [
        ("hash", "\"value\":\"3421780262\"", "\"value\":\"3421780263\"", "value"),
        ("ring", "\"owner\":\"cache-1\"", "\"owner\":\"cache-2\"", "owner"),
        ("ring", "\"count\":480", "\"count\":481", "count"),
        ("ring", "\"sha256\":\"", "\"sha256\":\"00", "sha256"),
        (
            "ring",
            "[\"cache-3\",\"cache-2\",\"cache-1\"]",
            "[\"cache-3\",\"cache-1\",\"cache-2\"]",
            "preference",
        ),
        ("rendezvous", "\"owner\":\"cache-1\"", "\"owner\":\"cache-2\"", "owner"),
        ("jump", "\"owner\":\"cache-1\"", "\"owner\":\"cache-2\"", "owner"),
        ("bounded", "\"goes_to\":\"cache-1\"", "\"goes_to\":\"cache-2\"", "goes_to"),
        ("libketama", "\"owner\":\"cache-1\"", "\"owner\":\"cache-2\"", "owner"),
        ("twemproxy", "\"owner\":\"cache-1\"", "\"owner\":\"cache-2\"", "owner"),
        // Not the answer but the question: another fleet has other owners.
        ("twemproxy", "\"name\":\"cache-1\"", "\"name\":\"cache-0\"", "first"),
    ] {
        let (_, text) = FILES.iter().find(|(known, _)| *known == name).unwrap();
        assert!(text.contains(from), "{name} holds no {from}");
        let path = file(&format!("altered-{name}.json"), &text.replacen(from, to, 1));
        for runner in RUNNERS {
            let Run { code, out, err } = run(runner, &[&path]);
            assert_eq!((code, err.as_str()), (Some(1), ""), "{}: {name} {to}\n{out}", runner.1);
            let found = out.lines().any(|line| {
                line.starts_with(&format!("altered-{name}.json: group "))
                    && line.contains(&format!(": {place}: expected "))
            });
            assert!(found, "{}: {name} {to}\n{out}", runner.1);
        }
    }
}

#[test]
fn what_a_runner_does_not_know_it_says() {
    let (_, nginx) = FILES.iter().find(|(name, _)| *name == "nginx").unwrap();
    let path = file("nginx.json", nginx);
    for runner in RUNNERS {
        let Run { code, out, .. } = run(runner, &[&path]);
        assert_eq!(code, Some(0), "{out}");
        assert!(out.contains("nginx: 0 tests, 0 differences; not known here: the dialect nginx ("), "{out}");
    }
}

#[test]
fn a_file_that_is_none_is_no_success() {
    let cut = file("cut.json", "{\"format\": \"clock");
    let other = file("other.json", "{\"format\": \"wycheproof\", \"version\": 1, \"groups\": []}");
    for path in [cut.as_path(), other.as_path(), Path::new("no/such.json")] {
        for runner in RUNNERS {
            let Run { code, err, .. } = run(runner, &[path]);
            assert_eq!(code, Some(3), "{}: {}", runner.1, path.display());
            assert!(err.contains("cannot be used"), "{err}");
        }
    }
}
