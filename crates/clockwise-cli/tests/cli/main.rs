//! The command as its users meet it: arguments and files in, two streams and an exit code out.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::float_cmp)] // a failure here is the message

mod changes;
mod checks;
mod comparing;
mod converting;
mod definitions;
mod docs;
mod exits;
mod fleets;
mod formats;
mod hostile;
mod json;
mod keys;
mod lab;
mod migrating;
mod mutations;
mod plan;
mod prefixes;
mod stores;
mod streams;
mod study;
mod vectors;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::thread::{self, ThreadId};

use serde_json::Value;

/// The bundled fleet and keys.
const TWEMPROXY: &str = "examples/twemproxy.yml";
const FLEET: &str = "examples/fleet.toml";
const KEYS: &str = "examples/keys.csv";

/// The command, run in the top folder of the repository, without a colour setting of whoever runs
/// the tests.
fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clockwise"));
    command.current_dir(root()).stdin(Stdio::null());
    for setting in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM"] {
        command.env_remove(setting);
    }
    command
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What a run left behind.
struct Run {
    code: i32,
    out: String,
    err: String,
    /// The arguments, for messages.
    what: String,
}

/// Runs a command line.
fn run<S: AsRef<str>>(arguments: impl IntoIterator<Item = S>) -> Run {
    run_with(arguments, b"")
}

/// Runs a command line and writes to its standard input.
fn run_with<S: AsRef<str>>(arguments: impl IntoIterator<Item = S>, input: &[u8]) -> Run {
    let arguments: Vec<String> = arguments.into_iter().map(|a| a.as_ref().to_owned()).collect();
    let mut command = command();
    command.args(&arguments);
    finish(command, input, arguments.join(" "))
}

fn finish(mut command: Command, input: &[u8], what: String) -> Run {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // Written beside, so that neither side waits for the other; a command may not read all of it.
    let writer = thread::spawn(move || drop(stdin.write_all(&input)));
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    writer.join().unwrap();
    Run {
        code: status.code().unwrap_or_else(|| panic!("{what}: {status}")),
        out: String::from_utf8(stdout).unwrap(),
        err: String::from_utf8(stderr).unwrap(),
        what,
    }
}

impl Run {
    /// It went well and had nothing to complain about: what it printed.
    #[track_caller]
    fn fine(self) -> String {
        assert_eq!((self.code, self.err.as_str()), (0, ""), "{}", self.what);
        self.out
    }

    /// It went well and had a warning or a note: what it printed, and what it said.
    #[track_caller]
    fn warned(self) -> (String, String) {
        assert_eq!(self.code, 0, "{}: {}", self.what, self.err);
        let said = self.err.contains("warning: ") || self.err.starts_with("note: ");
        assert!(said, "{}: {}", self.what, self.err);
        (self.out, self.err)
    }

    /// It ended with this code and printed nothing: what it said.
    #[track_caller]
    fn refused(self, code: i32) -> String {
        assert_eq!((self.code, self.out.as_str()), (code, ""), "{}: {}", self.what, self.err);
        self.err
    }

    /// One JSON document.
    #[track_caller]
    fn json(self) -> Value {
        serde_json::from_str(&self.fine()).unwrap()
    }

    /// One JSON document a line.
    #[track_caller]
    fn json_lines(self) -> Vec<Value> {
        self.fine().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// A file for one test, under a name of its own: tests run side by side, and one must not read what another writes.
#[track_caller]
fn file(name: &str, content: impl AsRef<[u8]>) -> String {
    static OWNERS: Mutex<BTreeMap<String, ThreadId>> = Mutex::new(BTreeMap::new());
    let here = thread::current().id();
    let owner = *OWNERS.lock().unwrap().entry(name.to_owned()).or_insert(here);
    assert_eq!(owner, here, "{name} is another test's file");
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}

/// A twemproxy file of one pool, `p`, whose servers stand from line 5 on.
fn pool(settings: &str, servers: &[&str]) -> String {
    let servers: String = servers.iter().map(|server| format!("   - {server}\n")).collect();
    format!("p:\n  listen: 127.0.0.1:22121\n  {settings}\n  servers:\n{servers}")
}

/// A fleet file of our own: the lines of `[placement]`, and servers by name and weight.
fn fleet(placement: &str, servers: &[(&str, u32)]) -> String {
    let mut text = format!("version = 1\n[placement]\n{placement}\n");
    for (name, weight) in servers {
        text += &format!("[[server]]\nname = \"{name}\"\nweight = {weight}\n");
    }
    text
}

/// Numbered keys, a line each.
fn numbered(prefix: &str, count: u32) -> String {
    (0..count).map(|number| format!("{prefix}{number}\n")).collect()
}

/// Every part is in the text.
#[track_caller]
fn assert_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no {part:?} in:\n{text}");
    }
}
