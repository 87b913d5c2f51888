//! Help, completions and manual pages: made from one definition, so each knows every command.

use std::fs;
use std::path::Path;

use super::{assert_has, run};

const COMMANDS: [&str; 14] = [
    "plan",
    "owner",
    "ring",
    "size",
    "convert",
    "diff",
    "check",
    "migrate",
    "fingerprint",
    "lab",
    "vectors",
    "study",
    "completions",
    "man",
];

#[test]
fn help_names_every_command_and_exit_code() {
    let help = run(["--help"]).fine();
    assert_has(&help, &COMMANDS);
    assert_has(&help, &["  0  fine", "  1  findings", "  2  usage", "  3  input"]);
    for command in COMMANDS {
        assert_has(&run([command, "--help"]).fine(), &[&format!("Usage: clockwise {command}")]);
    }
}

#[test]
fn completions_of_each_shell_know_every_command_and_its_options() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = run(["completions", shell]).fine();
        assert_has(&script, &COMMANDS);
        assert_has(
            &script,
            &["where", "max-moved", "points-per", "key-encoding"].map(|option| match option {
                "points-per" => "keys-per-server",
                other => other,
            }),
        );
    }
    assert_has(
        &run(["completions", "tcsh"]).refused(2),
        &["possible values: bash, elvish, fish, powershell, zsh"],
    );
}

#[test]
fn a_manual_page_is_written_for_the_tool_and_for_each_command() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("man/man1");
    let _ = fs::remove_dir_all(&folder);
    assert_eq!(run(["man", folder.to_str().unwrap()]).fine(), "");
    let page = |name: &str| fs::read_to_string(folder.join(format!("{name}.1"))).unwrap();
    let main = page("clockwise");
    for command in COMMANDS {
        assert_has(&main, &[&format!("clockwise\\-{command}(1)")]);
        let page = page(&format!("clockwise-{command}"));
        assert_has(&page, &[&format!(".TH clockwise-{command} 1"), ".SH SYNOPSIS", ".SH OPTIONS"]);
    }
    assert_has(&page("clockwise-plan"), &["NAME[=ADDR][,weight=W][,zone=Z]", "\\-\\-max\\-moved"]);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1 + COMMANDS.len());
}
