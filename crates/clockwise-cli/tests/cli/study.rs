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
    let answer =
        run(["study", "ring-lab", "formulas", "labels", "ring", "--check", "--format", "json"]).json();
    let figures = answer["figures"].as_array().unwrap();
    let of = |judgement: &str| figures.iter().filter(|figure| figure["judgement"] == judgement).count();
    assert_eq!(of("fails"), 0);
    // Figures of other experiments, and of none, are not about what was run.
    assert_eq!(of("nothing to measure"), 0);
    assert!((70..234).contains(&of("holds")), "{}", of("holds"));
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
        run(["study", &mine, "--seed", "9", "--threads", threads, "--out", folder.to_str().unwrap()])
    };
    let answer = start(&whole, "1").fine();
    assert_has(&answer, &["mine", "8 runs in ", "No published figure is about what was run."]);
    // Its numbers, for people and for programs.
    assert_has(&answer, &["servers=3 points=8", "busiest ÷ mean, arcs", "standard error"]);
    let csv = run(["study", &mine, "--seed", "9", "--format", "csv"]).fine();
    assert_has(&csv, &["mine,servers=3 points=8,busiest_arcs,4,"]);
    start(&halved, "3").fine();
    let journal = fs::read_to_string(halved.join("journal.txt")).unwrap();
    // Stopped while the fourth run was being written down.
    let third = journal.match_indices('\n').nth(2).unwrap().0;
    fs::write(halved.join("journal.txt"), &journal[..third + 20]).unwrap();
    for written in ["runs.csv", "runs.json", "figures.csv", "summary.md"] {
        fs::remove_file(halved.join(written)).unwrap();
    }
    assert_eq!(start(&halved, "2").warned().1, "note: 3 of 8 runs were finished before\n");
    for written in ["runs.csv", "runs.json", "figures.csv", "summary.md"] {
        let read = |folder: &Path| fs::read(folder.join(written)).unwrap();
        assert!(read(&whole) == read(&halved), "{written} differs");
    }
    let csv = fs::read_to_string(whole.join("runs.csv")).unwrap();
    assert!(csv.starts_with("experiment,setting,seed,metric,value\nmine,servers=3 points=1,"), "{csv}");
}

/// Line by line a journal is trusted as far as its digest reaches: with another number and the digest of that, a
/// figure comes out that was not measured, and the check has to find it.
#[test]
fn a_figure_out_of_its_band_is_listed_and_the_check_ends_with_1() {
    let out = folder("study-fails");
    let start = |check: &[&str]| {
        let study = ["study", "formulas", "--out", out.to_str().unwrap()];
        run(study.iter().chain(check).copied())
    };
    start(&["--check"]).fine();
    let path = out.join("journal.txt");
    let journal = fs::read_to_string(&path).unwrap();
    let line = journal.trim_end().rsplit_once("\tend ").unwrap().0.replace("\tmod_4=0.8\t", "\tmod_4=0.7\t");
    let digest = clockwise::hash::xxh3_64(line.as_bytes(), 0) as u32;
    fs::write(&path, format!("{line}\tend {digest:08x}\n")).unwrap();
    let failed = start(&["--check"]);
    assert_eq!((failed.code, failed.err.as_str()), (1, "note: 1 of 1 run was finished before\n"));
    assert_has(&failed.out, &[", 1 fails", "handbook/mod-4-5", "fails"]);
    assert_has(
        &failed.out,
        &[&format!("The report is {}.", out.join("report.html").display()), "--scale published"],
    );
    assert!(fs::read_to_string(out.join("summary.md")).unwrap().contains("| does not hold |"));
    // Without the check it is said, and no more.
    assert_has(&start(&[]).warned().0, &["handbook/mod-4-5"]);
}

#[test]
fn a_folder_that_cannot_be_written_is_refused_before_anything_is_run() {
    let mine = file("study-nowhere.toml", MINE);
    assert_has(&run(["study", &mine, "--out", &mine]).refused(3), &["is a file, and --out takes a folder"]);
    let out = folder("study-taken");
    fs::create_dir_all(out.join("journal.txt")).unwrap();
    assert_has(
        &run(["study", &mine, "--out", out.to_str().unwrap()]).refused(3),
        &["journal.txt cannot be written"],
    );
    assert_has(&run(["study", &mine, "--threads", "0"]).refused(2), &["0 is not in 1..=1024"]);
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
