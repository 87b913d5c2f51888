//! Whatever the threads, and however often it is interrupted, a study gives the same bytes.

use std::fs;
use std::path::PathBuf;

use super::*;

const SMALL: &str = r#"
name = "small"
title = "t"
question = "q"
measure = "ring"
[[grid]]
servers = [2, 7]
points = [1, 5]
[quick]
keys = 500
seeds = 6
[published]
keys = 1_000
seeds = 9
"#;

fn experiments() -> Vec<Experiment> {
    vec![Experiment::parse("small.toml", SMALL.as_bytes()).unwrap()]
}

fn options(threads: usize) -> Options {
    Options { scale: Scale::Quick, root_seed: 5, threads }
}

/// What would be written of a study.
fn bytes(results: &Results) -> Vec<u8> {
    let mut out = Vec::new();
    results.write_csv(&mut out).unwrap();
    results.write_json(&mut out).unwrap();
    out
}

fn path(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("clockwise-journal-{name}-{}", std::process::id()));
    let _ = fs::remove_file(&path);
    path
}

/// Runs with a journal; says the bytes and how many runs were found in it.
fn with_journal(path: &std::path::Path, options: &Options) -> (Vec<u8>, usize) {
    let mut kept = None;
    let mut journal = Journal::open(path).unwrap();
    let results = run(&experiments(), options, Some(&mut journal), &mut |progress| {
        kept.get_or_insert(progress.kept);
    });
    (bytes(&results.unwrap()), kept.unwrap())
}

#[test]
fn a_journal_is_a_plain_file_and_one_studys_at_a_time() {
    let path = path("held");
    let held = Journal::open(&path).unwrap();
    let second = Journal::open(&path).unwrap_err();
    assert_eq!(second.to_string(), "another study is writing it");
    drop(held);
    Journal::open(&path).unwrap();
    fs::remove_file(&path).unwrap();
    if cfg!(unix) {
        // Reading either to its end would take for ever.
        for device in ["/dev/zero", "/dev/full"] {
            let refused = Journal::open(std::path::Path::new(device)).unwrap_err();
            assert_eq!(refused.to_string(), "it is no plain file", "{device}");
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let alone = run(&experiments(), &options(1), None, &mut |_| ()).unwrap();
    assert_eq!(alone.runs(), 24);
    assert_eq!(alone.parts[0].cells.len(), 4);
    for threads in [2, 5, 64] {
        let together = run(&experiments(), &options(threads), None, &mut |_| ()).unwrap();
        assert_eq!(bytes(&together), bytes(&alone), "{threads} threads");
    }
}

#[test]
fn a_study_that_was_stopped_goes_on_and_gives_the_same_bytes() {
    let whole = bytes(&run(&experiments(), &options(2), None, &mut |_| ()).unwrap());
    let path = path("stopped");
    assert_eq!(with_journal(&path, &options(2)), (whole.clone(), 0));
    let journal = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = journal.split_inclusive('\n').collect();
    assert_eq!(lines.len(), 24);
    // Stopped after ten runs, and in the middle of writing the eleventh down.
    let torn = lines[..10].concat() + &lines[10][..lines[10].len() / 2];
    fs::write(&path, torn).unwrap();
    assert_eq!(with_journal(&path, &options(3)), (whole.clone(), 10));
    // It goes on behind the torn line, and all is there the next time.
    assert_eq!(with_journal(&path, &options(1)), (whole, 24));
    fs::remove_file(path).unwrap();
}

#[test]
fn runs_of_another_seed_scale_or_content_are_not_taken_for_these() {
    let path = path("others");
    with_journal(&path, &options(2));
    let (_, kept) = with_journal(&path, &Options { root_seed: 6, ..options(2) });
    assert_eq!(kept, 0);
    let (_, kept) = with_journal(&path, &Options { scale: Scale::Published, ..options(2) });
    assert_eq!(kept, 0);
    let text = fs::read_to_string(&path).unwrap();
    // A digit of a number was changed: the line's digest tells.
    let changed = text.replacen("busiest_arcs=1.", "busiest_arcs=2.", 1);
    assert_ne!(changed, text);
    fs::write(&path, changed + "not a line of ours\n\u{0}\n").unwrap();
    let (_, kept) = with_journal(&path, &options(2));
    assert_eq!(kept, 23);
    fs::remove_file(path).unwrap();
}

#[test]
fn a_run_that_cannot_be_measured_says_which_and_why() {
    let text = SMALL
        .replace("measure = \"ring\"", "measure = \"library\"")
        .replace("servers = [2, 7]", "servers = 7")
        .replace("points = [1, 5]", "scheme = \"ring,points_per_weight=9000000\"");
    let experiment = Experiment::parse("small.toml", text.as_bytes()).unwrap();
    let error = run(&[experiment], &options(2), None, &mut |_| ()).unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with("small at servers=7 scheme=ring,points_per_weight=9000000: "), "{text}");
}

#[test]
fn progress_ends_with_all_the_work_done() {
    let mut last = None;
    run(&experiments(), &options(2), None, &mut |progress| last = Some(progress)).unwrap();
    let last = last.unwrap();
    assert_eq!((last.done, last.kept, last.runs), (24, 0, 24));
    assert!((last.work - 1.0).abs() < 1e-9);
}
