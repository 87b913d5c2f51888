//! Pipes that close, colour, and what must not be written where nobody sees it.

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use super::{FLEET, KEYS, TWEMPROXY, assert_has, command, file, finish, numbered, run};

/// Runs until the first line is read, then closes the pipe.
fn first_line(arguments: &[&str]) -> (String, i32, String) {
    let mut child = command().args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    // Dropped with its buffer: the reading end is closed.
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    (line, child.wait().unwrap().code().unwrap(), err)
}

#[test]
fn a_pipe_that_nobody_reads_any_more_is_quiet() {
    // More than any pipe holds.
    let keys = file("pipe.txt", numbered("key-", 30_000));
    for format in ["table", "json", "csv", "markdown"] {
        let (line, code, err) = first_line(&["owner", FLEET, "--keys", &keys, "--format", format]);
        assert!(line.ends_with('\n'), "{format}: {line:?}");
        assert_eq!((code, err.as_str()), (0, ""), "{format}");
    }
    let many = file("pipe.toml", super::fleet("scheme = \"ring\"", &[("a", 20), ("b", 20)]));
    for format in ["table", "json", "csv", "markdown"] {
        let (_, code, err) = first_line(&["ring", &many, "--points", "--format", format]);
        assert_eq!((code, err.as_str()), (0, ""), "ring {format}");
    }
}

#[test]
fn a_complaint_that_nobody_reads_keeps_its_exit_code() {
    let mut child = command().args(["ring", "nothing.toml"]).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stderr.take());
    assert_eq!(child.wait().unwrap().code(), Some(3));
}

#[test]
fn a_full_disk_is_not_quiet() {
    let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else { return };
    let mut command = command();
    command.args(["owner", FLEET, "--keys", KEYS]).stdout(full).stderr(Stdio::piped());
    let output = command.output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{err}");
    assert_has(&err, &["error: the answer cannot be written: "]);
}

const ESCAPE: char = '\u{1b}';

#[test]
fn colour_goes_into_no_pipe_unless_forced_and_never_under_no_color() {
    let coloured = |settings: &[(&str, &str)], arguments: &[&str]| {
        let mut command = command();
        command.args(arguments).envs(settings.iter().copied()).env("TERM", "xterm-256color");
        let run = finish(command, b"", arguments.join(" "));
        [run.out, run.err].map(|text| text.contains(ESCAPE))
    };
    let bad = file("colour.toml", "version = 1\n");
    let warned = file("colour.yml", super::pool("hash: md5", &["h:1:0 a", "h:2:1 b"]));
    for (arguments, stream) in
        [(&["ring", bad.as_str()][..], 1), (&["ring", &warned], 1), (&["plan"], 1), (&["--help"], 0)]
    {
        assert_eq!(coloured(&[], arguments), [false, false], "{arguments:?}");
        assert_eq!(coloured(&[("NO_COLOR", "1")], arguments), [false, false], "{arguments:?}");
        let both = [("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")];
        assert_eq!(coloured(&both, arguments), [false, false], "{arguments:?}: NO_COLOR wins");
        let mut expected = [false, false];
        expected[stream] = true;
        assert_eq!(coloured(&[("CLICOLOR_FORCE", "1")], arguments), expected, "{arguments:?}");
    }
}

#[test]
fn an_escape_in_a_key_goes_through_pipes_as_it_is_and_is_shown_as_text_in_tables() {
    let key = "a\u{1b}[31mb";
    assert_has(&run(["owner", FLEET, key, "--format", "csv"]).fine(), &[key]);
    assert_has(&run(["owner", FLEET, key]).fine(), &["\"a\\u{1b}[31mb\""]);
}

#[test]
fn no_progress_bar_is_drawn_into_a_pipe_however_long_it_takes() {
    // Long enough for a bar to have shown itself on a terminal.
    let plan = ["plan", TWEMPROXY, "--add", "cache-5=10.0.0.5:11211", "--compare", "--sample", "300000"];
    run(plan).fine();
}
