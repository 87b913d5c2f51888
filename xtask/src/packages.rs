//! `cargo xtask packages`: the programs that tests run against, from Debian's archive, and the
//! [libraries] that they ask.
//!
//! Debian starts a server when it is installed. Here it must not: the tests start their own, on free
//! ports of the loopback address, and whoever lends the machine has not asked for another one.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::browser;
use crate::libraries::{self, last_line, run};
use crate::step::Outcome;

struct Package {
    name: &'static str,
    /// How to see that it is there.
    found: Found,
    /// What it is installed for.
    why: &'static str,
}

enum Found {
    /// There is a program of this name.
    Program(&'static str),
    /// This command succeeds.
    By(&'static [&'static str]),
}

impl Package {
    fn is_there(&self) -> bool {
        match self.found {
            Found::Program(program) => find(program).is_some(),
            Found::By(command) => run(Command::new(command[0]).args(&command[1..])).is_ok(),
        }
    }
}

const PACKAGES: &[Package] = &[
    Package {
        name: "nutcracker",
        found: Found::Program("nutcracker"),
        why: "twemproxy, whose owners the library must name: asked live by the tests",
    },
    Package {
        name: "nginx-light",
        found: Found::Program("nginx"),
        why: "nginx, whose owners and order of attempts the library must name: asked live by the tests",
    },
    Package {
        name: "libnginx-mod-stream",
        found: Found::Program("/usr/lib/nginx/modules/ngx_stream_module.so"),
        why: "nginx's module for TCP, which takes and refuses files of the corpus: asked live by the tests",
    },
    Package {
        name: "haproxy",
        found: Found::Program("haproxy"),
        why: "HAProxy, whose owners the library must name: asked live by the tests",
    },
    Package {
        name: "redis-server",
        found: Found::Program("redis-server"),
        why: "Redis Cluster, whose slots and maps the library must know: asked live by the tests",
    },
    Package {
        name: "python3",
        found: Found::Program("python3"),
        why: "another language, which must give the same fingerprints, turns and test vectors; and its clients, asked live",
    },
    Package {
        name: "python3-venv",
        found: Found::By(&["python3", "-c", "import ensurepip, venv"]),
        why: "a folder of their own for Python's clients",
    },
    Package {
        name: "libmemcached11",
        found: Found::By(&["python3", "-c", "import ctypes; ctypes.CDLL('libmemcached.so.11')"]),
        why: "libmemcached, whose owners the library must name: asked live by the tests",
    },
    Package {
        name: "nodejs",
        found: Found::Program("node"),
        why: "a third language, for the same; and its clients, asked live",
    },
    Package {
        name: "npm",
        found: Found::Program("npm"),
        why: "Node's clients, asked live by the tests, and what drives the browser",
    },
    Package {
        name: "chromium",
        found: Found::Program("chromium"),
        why: "a browser, which looks at our pages",
    },
    Package { name: "php-cli", found: Found::Program("php"), why: "PHP's clients, asked live by the tests" },
    Package {
        name: "php-memcached",
        found: Found::By(&["php", "-r", "exit(class_exists('Memcached') ? 0 : 1);"]),
        why: "PHP Memcached, whose owners the library must name: asked live by the tests",
    },
    Package {
        name: "php-memcache",
        found: Found::By(&["php", "-r", "exit(class_exists('MemcachePool') ? 0 : 1);"]),
        why: "PHP Memcache, whose owners the library must name: asked live by the tests",
    },
    Package {
        name: "valgrind",
        found: Found::Program("valgrind"),
        why: "counts the instructions of lookups, which are held to limits",
    },
];

/// What not every release has: without them their systems are not asked.
const OPTIONAL: &[Package] = &[
    Package {
        name: "libspymemcached-java",
        found: Found::Program("/usr/share/java/spymemcached.jar"),
        why: "spymemcached, whose owners the library must name: asked live by the tests",
    },
    Package {
        name: "trafficserver",
        found: Found::Program("traffic_server"),
        why: "Traffic Server, whose owners the library must name: asked live by the tests",
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
pub(crate) fn install(root: &Path) -> Outcome {
    let mut notes = rust_components()?;
    notes.extend(programs()?);
    notes.extend(libraries::install(root)?);
    notes.extend(browser::install(root)?);
    Ok(notes)
}

fn programs() -> Outcome {
    let missing: Vec<&Package> = PACKAGES.iter().filter(|package| !package.is_there()).collect();
    apt_get(&missing)?;
    if let Some(package) = missing.iter().find(|package| !package.is_there()) {
        return Err(format!("{} is installed and cannot be found", package.name));
    }
    let installed = |package: &Package| format!("installed {} ({})", package.name, package.why);
    let mut notes: Vec<String> = missing.into_iter().map(installed).collect();
    for package in OPTIONAL.iter().filter(|package| !package.is_there()) {
        notes.push(match apt_get(&[package]) {
            Ok(()) => installed(package),
            Err(problem) => format!("{} cannot be had: {}", package.name, last_line(&problem)),
        });
    }
    Ok(notes)
}

fn apt_get(packages: &[&Package]) -> Result<(), String> {
    if packages.is_empty() {
        return Ok(());
    }
    let mut shell = if is_root() { Command::new("sh") } else { Command::new("sudo") };
    if !is_root() {
        shell.args(["-n", "sh"]);
    }
    shell.args(["-c", INSTALL, "sh"]).args(packages.iter().map(|package| package.name));
    run(&mut shell)
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
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(["/usr/sbin".into(), "/sbin".into()]);
    folders.map(|folder| folder.join(program)).find(|file| file.is_file())
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}
