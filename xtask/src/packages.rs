//! `cargo xtask packages`: the programs that tests run against, from Debian's archive.
//!
//! Debian starts a server when it is installed. Here it must not: the tests start their own, on free
//! ports of the loopback address, and whoever lends the machine has not asked for another one.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::step::Outcome;

struct Package {
    name: &'static str,
    program: &'static str,
    /// What it is installed for.
    why: &'static str,
}

const PACKAGES: &[Package] = &[
    Package {
        name: "nutcracker",
        program: "nutcracker",
        why: "twemproxy, whose owners the library must name: asked live by the tests",
    },
    Package {
        name: "nginx-light",
        program: "nginx",
        why: "nginx, whose owners and order of attempts the library must name: asked live by the tests",
    },
    Package {
        name: "haproxy",
        program: "haproxy",
        why: "HAProxy, whose owners the library must name: asked live by the tests",
    },
    Package {
        name: "redis-server",
        program: "redis-server",
        why: "Redis Cluster, whose slots and maps the library must know: asked live by the tests",
    },
    Package {
        name: "python3",
        program: "python3",
        why: "another language, which must print the same fingerprints and turns",
    },
];

/// Debian's own hook for "start no service" is a program of this name that exits with 101. Whatever
/// stood in its place is put back at the end, also when the installation fails.
const INSTALL: &str = r#"
set -eu
policy=/usr/sbin/policy-rc.d
if [ -e "$policy" ]; then mv "$policy" "$policy.saved"; fi
restore() {
    rm -f "$policy"
    if [ -e "$policy.saved" ]; then mv "$policy.saved" "$policy"; fi
}
trap restore EXIT
trap 'exit 1' HUP INT TERM
printf '#!/bin/sh\nexit 101\n' > "$policy"
chmod 755 "$policy"
export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
install() { apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "$@"; }
# The list of packages may be old or, on a fresh machine, empty.
install "$@" || { apt-get update; install "$@"; }
"#;

/// Installs what is missing.
pub(crate) fn install() -> Outcome {
    let mut notes = rust_components()?;
    let missing: Vec<&Package> = PACKAGES.iter().filter(|package| find(package.program).is_none()).collect();
    if missing.is_empty() {
        return Ok(notes);
    }
    let names = missing.iter().map(|package| package.name);
    let mut shell = if is_root() { Command::new("sh") } else { Command::new("sudo") };
    if !is_root() {
        shell.args(["-n", "sh"]);
    }
    shell.args(["-c", INSTALL, "sh"]).args(names);
    run(&mut shell)?;
    for package in missing {
        if find(package.program).is_none() {
            return Err(format!("{} is installed and there is no program {}", package.name, package.program));
        }
        notes.push(format!("installed {} ({})", package.name, package.why));
    }
    Ok(notes)
}

/// The formatter and the linter, which the smallest installation of Rust leaves out.
fn rust_components() -> Outcome {
    let mut notes = Vec::new();
    for (component, verb) in [("rustfmt", "fmt"), ("clippy", "clippy")] {
        if run(Command::new("cargo").args([verb, "--version"])).is_err() {
            run(Command::new("rustup").args(["component", "add", component]))?;
            notes.push(format!("installed {component}"));
        }
    }
    Ok(notes)
}

/// Where a program lies. Servers lie in folders that are not on everybody's path.
fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(["/usr/sbin".into(), "/sbin".into()]);
    folders.map(|folder| folder.join(program)).find(|file| file.is_file())
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

fn run(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("{name}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    Err(format!("{name} failed ({})\n{out}{err}", output.status))
}
