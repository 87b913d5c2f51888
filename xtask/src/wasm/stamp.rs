//! What a blob was built from, noted beside it and compared with the tree.
//!
//! Sources count by their tokens outside tests: an edited comment, a blank or a test makes no other blob.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::str::FromStr;

use super::{PACKAGE, TARGET};
use crate::tidy::rust::{self, Kind};

/// What is noted.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// The compiler.
    pub(crate) compiler: String,
    /// A digest of the blob itself.
    blob: u64,
    /// A digest of the sources, the manifests and the profile.
    digest: u64,
    /// The packages of others, each with its version.
    packages: BTreeSet<String>,
    /// The files, from the top.
    sources: BTreeSet<String>,
}

impl Stamp {
    /// Of a blob that was just built, whose inputs cargo has listed.
    pub(crate) fn new(root: &Path, blob: &[u8], inputs: &str, compiler: String) -> Result<Stamp, String> {
        let sources = sources(root, inputs);
        let digest = digest(root, &sources)?;
        Ok(Stamp { compiler, blob: fnv(FNV, blob), digest, packages: packages(root)?, sources })
    }

    /// Whether the tree still is what the blob was built from, and the blob the one that was built.
    pub(crate) fn check(&self, root: &Path, blob: &[u8]) -> Result<(), String> {
        if fnv(FNV, blob) != self.blob {
            return Err("the blob is not the one that its note speaks of".to_owned());
        }
        let lock = fs::read_to_string(root.join("Cargo.lock")).map_err(|error| error.to_string())?;
        let locked = locked(&lock);
        if let Some(package) = self.packages.iter().find(|package| !locked.contains(*package)) {
            return Err(format!("it was built with {package}, which Cargo.lock no longer has"));
        }
        if digest(root, &self.sources)? != self.digest {
            return Err("its sources have changed since it was built".to_owned());
        }
        Ok(())
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "What lab.wasm was built from; written by `cargo xtask wasm`, never by hand.")?;
        writeln!(f, "compiler {}", self.compiler)?;
        writeln!(f, "blob {:016x}", self.blob)?;
        writeln!(f, "digest {:016x}", self.digest)?;
        self.packages.iter().try_for_each(|package| writeln!(f, "package {package}"))?;
        self.sources.iter().try_for_each(|source| writeln!(f, "source {source}"))
    }
}

impl FromStr for Stamp {
    type Err = String;

    fn from_str(text: &str) -> Result<Stamp, String> {
        let all = |name: &str| -> BTreeSet<String> {
            let lines = text.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
            lines.map(str::to_owned).collect()
        };
        let one = |name: &str| all(name).pop_first().ok_or_else(|| format!("has no line `{name}`"));
        let number = |name: &str| {
            u64::from_str_radix(&one(name)?, 16).map_err(|_| format!("line `{name}` holds no digest"))
        };
        Ok(Stamp {
            compiler: one("compiler")?,
            blob: number("blob")?,
            digest: number("digest")?,
            packages: all("package"),
            sources: all("source"),
        })
    }
}

/// The files of this tree among a dependency list of make.
fn sources(root: &Path, inputs: &str) -> BTreeSet<String> {
    let mut sources = BTreeSet::new();
    for line in inputs.lines() {
        let Some((_, files)) = line.split_once(": ") else { continue };
        // A blank inside a name is written with a backslash.
        for file in files.replace("\\ ", "\u{0}").split(' ') {
            let file = file.replace('\u{0}', " ");
            if let Ok(inside) = Path::new(&file).strip_prefix(root) {
                sources.insert(inside.to_string_lossy().into_owned());
            }
        }
    }
    // What a package is made of, its manifest says as well.
    let manifests: BTreeSet<String> = sources
        .iter()
        .filter_map(|source| Some(format!("{}/Cargo.toml", source.split_once("/src/")?.0)))
        .collect();
    sources.extend(manifests);
    sources
}

/// The packages of others that the blob links, by cargo's account.
fn packages(root: &Path) -> Result<BTreeSet<String>, String> {
    let mut command = Command::new("cargo");
    command.current_dir(root).args(["tree", "--package", PACKAGE, "--target", TARGET, "--edges", "normal"]);
    command.args(["--prefix", "none", "--format", "{p}", "--locked"]);
    let output = command.output().map_err(|error| format!("cargo tree: {error}"))?;
    if !output.status.success() {
        return Err(format!("cargo tree: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let said = String::from_utf8_lossy(&output.stdout);
    let lines = said.lines().filter(|line| !line.contains("(/"));
    let package = |line: &str| {
        let (name, rest) = line.split_once(" v")?;
        Some(format!("{name} {}", rest.split(' ').next()?))
    };
    Ok(lines.filter_map(package).collect())
}

/// The packages of a lock file.
fn locked(lock: &str) -> BTreeSet<String> {
    let value = |block: &str, key: &str| {
        let line = block.lines().find_map(|line| line.strip_prefix(key))?;
        Some(line.trim_matches(['=', ' ', '"']).to_owned())
    };
    let blocks = lock.split("[[package]]");
    blocks
        .filter_map(|block| Some(format!("{} {}", value(block, "name")?, value(block, "version")?)))
        .collect()
}

const FNV: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a of 64 bits, continued.
fn fnv(state: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(state, |h, byte| (h ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

fn digest(root: &Path, sources: &BTreeSet<String>) -> Result<u64, String> {
    let read = |path: &str| fs::read(root.join(path)).map_err(|error| format!("{path}: {error}"));
    let mut digest = FNV;
    for path in sources {
        digest = fnv(fnv(digest, path.as_bytes()), &[0]);
        let bytes = read(path)?;
        digest = match std::str::from_utf8(&bytes) {
            Ok(text) if path.ends_with(".rs") => fnv(digest, code(text).as_bytes()),
            Ok(text) if path.ends_with(".toml") => fnv(digest, manifest(text).as_bytes()),
            _ => fnv(digest, &bytes),
        };
    }
    let workspace = read("Cargo.toml")?;
    let workspace = String::from_utf8_lossy(&workspace);
    let profiles = workspace.split("\n[").filter(|section| section.starts_with("profile.wasm"));
    Ok(profiles.fold(digest, |digest, profile| fnv(digest, manifest(profile).as_bytes())))
}

/// The tokens of a source outside tests.
fn code(source: &str) -> String {
    let mut code = String::new();
    for token in rust::tokens(source).iter().filter(|token| !token.in_test) {
        match &token.kind {
            Kind::Word(text) | Kind::Other(text) => code += text,
            Kind::Mark(mark) => code.push(*mark),
            Kind::Text(text) => {
                code.push('"');
                code += text;
                code.push('"');
            }
        }
        code.push('\n');
    }
    code
}

/// A manifest without comments and blank lines, and without what only tests use.
fn manifest(text: &str) -> String {
    let mut lines = Vec::new();
    let mut is_for_tests = false;
    for line in text.lines().map(|line| line.split('#').next().unwrap_or_default().trim()) {
        if line.starts_with('[') {
            is_for_tests = line == "[dev-dependencies]" || line.starts_with("[lints");
        }
        if !line.is_empty() && !is_for_tests {
            lines.push(line);
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_blanks_and_tests_do_not_count_and_all_else_does() {
        let source = "//! A.\nfn f() -> u8 { 1 } // one\n#[cfg(test)]\nmod tests { fn t() {} }\n";
        assert_eq!(code(source), code("fn f()->u8{1}"));
        for other in [
            "fn f() -> u8 { 2 }",
            "fn f() -> u8 { 1 } fn g() {}",
            "fn f() -> u16 { 1 }",
            "fn f() -> u8 { '1' }",
        ] {
            assert_ne!(code(source), code(other), "{other}");
        }
        assert_ne!(code("f(\"a b\")"), code("f(\"ab\")"));
    }

    #[test]
    fn a_manifest_counts_without_what_only_tests_use() {
        let text =
            "[package]\n# A.\nname = \"a\"\n\n[dev-dependencies]\nb = \"1\"\n[lints]\nworkspace = true\n";
        assert_eq!(manifest(text), "[package]\nname = \"a\"");
    }

    #[test]
    fn a_note_reads_back() {
        let stamp = Stamp {
            compiler: "rustc 1.0.0 (abc 2015-05-15), LLVM 3".to_owned(),
            blob: 1,
            digest: u64::MAX,
            packages: ["a 1.0.0".to_owned()].into(),
            sources: ["crates/a/src/a b.rs".to_owned()].into(),
        };
        assert_eq!(stamp.to_string().parse(), Ok(stamp));
        assert!("blob 0".parse::<Stamp>().unwrap_err().contains("`compiler`"));
    }

    #[test]
    fn sources_are_the_files_of_this_tree_and_the_manifests_of_their_packages() {
        let inputs = "/r/t/a.wasm: /r/crates/a/src/lib.rs /r/crates/a/src/b\\ c.rs /elsewhere/src/d.rs\n";
        let found = sources(Path::new("/r"), inputs);
        assert_eq!(
            found.into_iter().collect::<Vec<_>>(),
            ["crates/a/Cargo.toml", "crates/a/src/b c.rs", "crates/a/src/lib.rs"]
        );
    }

    #[test]
    fn a_lock_file_lists_names_and_versions() {
        let lock = "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"1.2.3\"\nsource = \"x\"\n";
        assert!(locked(lock).contains("a 1.2.3"));
    }
}
