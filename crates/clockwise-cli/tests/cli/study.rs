//! `study`: what is run, what it writes, and the exit code when a figure does not come out.

use std::fs;
use std::path::{Path, PathBuf};

use super::{assert_has, file, run};

const MINE: &str = r#"
name = "mine"
title = "Three servers"
question = "What does a ring of three servers look like?"
measure = "ring"
[[grid]]
servers = 3
points = [1, 8]
[quick]
keys = 300
seeds = 4
[published]
keys = 3_000
seeds = 5
"#;

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    folder
}

#[test]
fn the_list_names_every_experiment_with_its_runs() {
    let list = run(["study", "--list", "--scale", "published", "--format", "json"]).json();
    let runs = |name: &str| {
        let row = list.as_array().unwrap().iter().find(|row| row["name"] == name);
        row.unwrap_or_else(|| panic!("no {name}"))["runs"].as_u64().unwrap()
    };
    assert_eq!((runs("ring"), runs("load-cap"), runs("ring-lab")), (660, 648, 1));
    assert_has(&run(["study", "--list"]).fine(), &["ring", "maglev", "load-cap", "question"]);
}

#[test]
fn figures_that_are_exact_hold_at_every_scale() {
    let answer = run(["study", "ring-lab", "formulas", "labels", "--check", "--format", "json"]).json();
    let figures = answer["figures"].as_array().unwrap();
    assert_eq!(figures.len(), 234);
    let of = |judgement: &str| figures.iter().filter(|figure| figure["judgement"] == judgement).count();
    assert_eq!(of("fails"), 0);
    assert_eq!(of("nothing to measure"), 28);
    assert!(of("holds") >= 70, "{}", of("holds"));
    let token = figures.iter().find(|figure| figure["id"] == "ring-lab/token-C").unwrap();
    assert!((token["parts"][0]["ours"].as_f64().unwrap() - 76.236).abs() < 1e-3);
    let unmeasured = figures.iter().find(|figure| figure["id"] == "thousand-points/ring-1-100").unwrap();
    assert_eq!(unmeasured["judgement"], "not measured at this scale");
    assert!(unmeasured["parts"][0]["ours"].is_null());
}

#[test]
fn a_file_of_ones_own_runs_and_a_second_start_writes_the_same_bytes() {
    let mine = file("study-mine.toml", MINE);
    let (whole, halved) = (folder("study-whole"), folder("study-halved"));
    let start = |folder: &Path, threads: &str| {
        run(["study", &mine, "--seed", "9", "--threads", threads, "--out", folder.to_str().unwrap()]).fine()
    };
    assert_has(&start(&whole, "1"), &["mine", "8 runs in ", "Of 234 published figures, 0 hold"]);
    start(&halved, "3");
    let journal = fs::read_to_string(halved.join("journal.txt")).unwrap();
    // Stopped while the fourth run was being written down.
    let third = journal.match_indices('\n').nth(2).unwrap().0;
    fs::write(halved.join("journal.txt"), &journal[..third + 20]).unwrap();
    for written in ["runs.csv", "runs.json", "figures.csv", "summary.md"] {
        fs::remove_file(halved.join(written)).unwrap();
    }
    start(&halved, "2");
    for written in ["runs.csv", "runs.json", "figures.csv", "summary.md"] {
        let read = |folder: &Path| fs::read(folder.join(written)).unwrap();
        assert!(read(&whole) == read(&halved), "{written} differs");
    }
    let csv = fs::read_to_string(whole.join("runs.csv")).unwrap();
    assert!(csv.starts_with("experiment,setting,seed,metric,value\nmine,servers=3 points=1,"), "{csv}");
}

#[test]
fn what_cannot_be_run_is_refused_with_its_place() {
    let wrong = file("study-wrong.toml", MINE.replace("points = [1, 8]", "points = [1, 0]"));
    assert_has(
        &run(["study", &wrong]).refused(3),
        &["study-wrong.toml:8:", "`points` is 0, and it is a whole number"],
    );
    assert_has(&run(["study", "no-such.toml"]).refused(3), &["no-such.toml cannot be read"]);
    assert_has(&run(["study", "rings"]).refused(2), &["there is no experiment \"rings\"", "known: ring, "]);
    let mine = file("study-twice.toml", MINE);
    assert_has(&run(["study", &mine, &mine]).refused(2), &["two experiments are called \"mine\""]);
}
