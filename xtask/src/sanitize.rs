//! `cargo xtask sanitize`: the tests that run `unsafe` code, under AddressSanitizer.
//!
//! What `unsafe` code of the library may do wrong is to read or write beside what a reference is to: on the heap,
//! on the stack, or beside a constant. The compiler can put a check before every access. It has the switch behind
//! an unstable option, which `RUSTC_BOOTSTRAP` opens in a stable compiler, and rustup's compilers come with the
//! runtime that it needs.

use std::path::Path;
use std::process::Command;

/// The tests, by the beginnings of their names: all of `arch`, and those of the rooms that hand it what they keep.
const TESTS: &[&str] = &[
    "arch::",
    "hash::md5::",
    "jump::",
    "multi_probe::tests::where_",
    "rendezvous::lanes::tests::lanes_",
    "rendezvous::tests::preference_",
    "rendezvous::tests::batches_",
    "ring::oracle::",
    "skeleton::tests::the_place_",
];

/// What the runtime says at the start of a program that has it. Without it nothing would be checked, and all passes.
const STARTED: &str = "AddressSanitizer Init done";

/// Builds the library's tests with the checks, and runs those.
pub(crate) fn run(root: &Path) -> Result<Vec<String>, String> {
    // By a target that is named, what runs while building (build scripts, macros) is compiled without the checks.
    let target = host()?;
    if !has_runtime(&target)? {
        return Ok(vec!["not run: the compiler that is installed comes without AddressSanitizer".to_owned()]);
    }
    let mut command = Command::new("cargo");
    command.args(["test", "--package", "clockwise", "--lib", "--target", &target, "--", "--test-threads=2"]);
    command.args(TESTS).current_dir(root);
    command.env("CARGO_TARGET_DIR", root.join("target/sanitize")).env("CARGO_INCREMENTAL", "0");
    command.env("CARGO_PROFILE_DEV_DEBUG", "0").env("CARGO_TERM_COLOR", "never");
    // It outranks the other, so it must not be there.
    command.env_remove("CARGO_ENCODED_RUSTFLAGS").env("RUSTFLAGS", "-Zsanitizer=address");
    command.env("RUSTC_BOOTSTRAP", "1").env("ASAN_OPTIONS", "verbosity=1");
    let output = command.output().map_err(|error| format!("cargo: {error}"))?;
    let (said, log) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if !output.status.success() {
        return Err(format!("{said}{log}"));
    }
    if !log.contains(STARTED) {
        return Err("the tests ran without AddressSanitizer".to_owned());
    }
    passed(&said).map(|passed| vec![format!("{passed} tests passed with every access checked")])
}

/// How many tests passed; an error if there is a beginning that no test's name has.
fn passed(said: &str) -> Result<usize, String> {
    let names = || said.lines().filter_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... ok"));
    let nothing = TESTS.iter().find(|beginning| !names().any(|name| name.starts_with(**beginning)));
    nothing.map_or_else(|| Ok(names().count()), |beginning| Err(format!("no test is called {beginning}…")))
}

/// Whether the compiler has the runtime for a target. Those of rustup have, for the targets that know it.
fn has_runtime(target: &str) -> Result<bool, String> {
    let folder = rustc(&["--print", "target-libdir", "--target", target])?;
    let files = std::fs::read_dir(folder.trim()).map_err(|error| format!("{}: {error}", folder.trim()))?;
    Ok(files.flatten().any(|file| file.file_name().to_string_lossy().ends_with("rt.asan.a")))
}

fn host() -> Result<String, String> {
    let said = rustc(&["-vV"])?;
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| format!("rustc -vV names no host: {said}"))
}

fn rustc(arguments: &[&str]) -> Result<String, String> {
    let output = Command::new("rustc").args(arguments).output().map_err(|error| format!("rustc: {error}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_no_test_has_is_an_error() {
        let all: String = TESTS.iter().map(|test| format!("test {test}this_holds ... ok\n")).collect();
        assert_eq!(passed(&format!("running {} tests\n{all}", TESTS.len())), Ok(TESTS.len()));
        let without = all.replace("test arch::this_holds ... ok\n", "");
        assert_eq!(passed(&without), Err("no test is called arch::…".to_owned()));
    }
}
