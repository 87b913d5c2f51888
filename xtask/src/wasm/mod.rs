//! `cargo xtask wasm`: the lab's core for browsers, built from this tree.
//!
//! The blob is committed with the command, so that installing it needs no second compiler. Three things hold
//! it to its sources: a note beside it with a digest of all that it was built from, which a test of this
//! package compares with the tree; a test of `clockwise-lab` that runs it against the native core; and,
//! where the compiler of the note is at hand, a build whose bytes are compared.

mod compiler;
mod stamp;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::step::Outcome;
use compiler::Compiler;
use stamp::Stamp;

/// The package of the blob.
const PACKAGE: &str = "clockwise-lab-wasm";
/// The target it is for.
const TARGET: &str = "wasm32-unknown-unknown";
/// Where it is committed.
const BLOB: &str = "crates/clockwise-cli/assets/lab/lab.wasm";
/// What is noted beside it.
const NOTE: &str = "crates/clockwise-cli/assets/lab/lab.wasm.txt";

/// Builds the blob and writes it, with its note, into the command's assets.
pub(crate) fn build(root: &Path) -> Outcome {
    let compiler = Compiler::found_or_fetched(root)?;
    let (blob, stamp) = built(root, &compiler)?;
    let said = |error: std::io::Error| format!("{BLOB}: {error}");
    if let Some(folder) = root.join(BLOB).parent() {
        fs::create_dir_all(folder).map_err(said)?;
    }
    fs::write(root.join(BLOB), &blob).map_err(said)?;
    fs::write(root.join(NOTE), stamp.to_string()).map_err(said)?;
    Ok(vec![format!("{BLOB}: {} bytes, {}", blob.len(), stamp.compiler)])
}

/// Builds the blob and compares it with the committed one. Another compiler gives other bytes: then only
/// the note is compared.
pub(crate) fn compare(root: &Path) -> Outcome {
    let compiler = Compiler::found_or_fetched(root)?;
    compared(root, &compiler)
}

/// The same where no compiler has to be fetched for it; else a note that it was not done.
pub(crate) fn compare_if_cheap(root: &Path) -> Outcome {
    fresh(root)?;
    match Compiler::found(root) {
        Some(compiler) => compared(root, &compiler),
        None => {
            Ok(vec!["bytes not compared: no compiler for wasm is here (cargo xtask wasm --check)".to_owned()])
        }
    }
}

fn compared(root: &Path, compiler: &Compiler) -> Outcome {
    let note = fresh(root)?;
    let version = compiler.version()?;
    if version != note.compiler {
        return Ok(vec![format!("bytes not compared: they are of {}, and {version} is here", note.compiler)]);
    }
    let (blob, _) = built(root, compiler)?;
    if fs::read(root.join(BLOB)).ok().as_deref() == Some(&blob[..]) {
        Ok(vec![format!("{} bytes, the committed ones", blob.len())])
    } else {
        Err(format!("{BLOB} is not what its sources and compiler give: {ADVICE}"))
    }
}

/// What to do about a blob that is not of these sources.
const ADVICE: &str = "run `cargo xtask wasm` and commit both files";

/// The note, if it is of these sources and of the blob beside it.
fn fresh(root: &Path) -> Result<Stamp, String> {
    let note = fs::read_to_string(root.join(NOTE)).map_err(|error| format!("{NOTE}: {error}; {ADVICE}"))?;
    let note: Stamp = note.parse().map_err(|error| format!("{NOTE}: {error}; {ADVICE}"))?;
    let blob = fs::read(root.join(BLOB)).map_err(|error| format!("{BLOB}: {error}; {ADVICE}"))?;
    note.check(root, &blob).map_err(|what| {
        format!(
            "{what}: the lab's page would compute with an older core. Once the sources are final, {ADVICE}"
        )
    })?;
    Ok(note)
}

fn built(root: &Path, compiler: &Compiler) -> Result<(Vec<u8>, Stamp), String> {
    let folder = root.join("target/wasm/build");
    let mut command = Command::new("cargo");
    command.current_dir(root).args(["build", "--profile", "wasm", "--package", PACKAGE]);
    command.args(["--target", TARGET, "--target-dir"]).arg(&folder);
    compiler.use_for(&mut command, root)?;
    let status = command.status().map_err(|error| error.to_string())?;
    if !status.success() {
        return Err(format!("{PACKAGE} does not build for {TARGET}"));
    }
    let out = folder.join(TARGET).join("wasm");
    let read = |path: PathBuf| fs::read(&path).map_err(|error| format!("{}: {error}", path.display()));
    let blob = read(out.join("clockwise_lab_wasm.wasm"))?;
    let inputs = read(out.join("clockwise_lab_wasm.d"))?;
    let stamp = Stamp::new(root, &blob, &String::from_utf8_lossy(&inputs), compiler.version()?)?;
    Ok((blob, stamp))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repo;

    #[test]
    fn the_committed_blob_is_of_these_sources() {
        if let Err(problem) = fresh(&repo::root()) {
            panic!("{problem}");
        }
    }
}
