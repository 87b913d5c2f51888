//! A compiler for WebAssembly: one that is installed, or Debian's beside its own source.
//!
//! `rustup target add` is a download that not every place allows, and nothing here may depend on it. Debian
//! carries a newer compiler than its main one for building browsers, with its source: unpacked under
//! `target`, nothing is installed, it builds the standard library itself.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::TARGET;
use crate::libraries;

/// What is unpacked, by Debian's names.
const PACKAGES: &[&str] =
    &["rustc-web", "libstd-rust-web-1.96", "libstd-rust-web-dev", "libllvm22", "rust-web-src"];

/// A compiler for WebAssembly.
pub(crate) enum Compiler {
    /// The toolchain's own, its target installed.
    Installed,
    /// Debian's, unpacked in this folder.
    Unpacked(PathBuf),
}

impl Compiler {
    /// One that is here.
    pub(crate) fn found(root: &Path) -> Option<Compiler> {
        let target = sysroot().ok().map(|sysroot| sysroot.join("lib/rustlib").join(TARGET));
        if target.is_some_and(|folder| folder.is_dir()) {
            return Some(Compiler::Installed);
        }
        let folder = folder(root);
        folder.join("usr/bin/rustc").is_file().then_some(Compiler::Unpacked(folder))
    }

    /// One that is here, or Debian's fetched: 140 MB, and 850 MB unpacked.
    pub(crate) fn found_or_fetched(root: &Path) -> Result<Compiler, String> {
        if let Some(compiler) = Compiler::found(root) {
            return Ok(compiler);
        }
        let (folder, packages) = (folder(root), root.join("target/wasm/packages"));
        fs::create_dir_all(&packages).map_err(|error| error.to_string())?;
        libraries::run(Command::new("apt-get").arg("download").args(PACKAGES).current_dir(&packages))
            .map_err(|error| {
                format!("{error}\nwithout apt, install the target: rustup target add {TARGET}")
            })?;
        let unpacked = root.join("target/wasm/unpacking");
        for entry in fs::read_dir(&packages).map_err(|error| error.to_string())? {
            let package = entry.map_err(|error| error.to_string())?.path();
            libraries::run(Command::new("dpkg-deb").arg("-x").arg(package).arg(&unpacked))?;
        }
        // Whole, or not there.
        fs::rename(&unpacked, &folder).map_err(|error| error.to_string())?;
        fs::remove_dir_all(&packages).map_err(|error| error.to_string())?;
        Ok(Compiler::Unpacked(folder))
    }

    /// Version and commit: compilers of one version can differ.
    pub(crate) fn version(&self) -> Result<String, String> {
        let mut command = match self {
            Compiler::Installed => Command::new("rustc"),
            Compiler::Unpacked(folder) => {
                let mut command = Command::new(folder.join("usr/bin/rustc"));
                command.env("LD_LIBRARY_PATH", libraries_of(folder));
                command
            }
        };
        let said = text_of(command.arg("-vV"))?;
        let field = |name: &str| said.lines().find_map(|line| line.strip_prefix(name)).unwrap_or("unknown");
        let first = said.lines().next().unwrap_or("unknown");
        Ok(format!("{first}, LLVM {}", field("LLVM version: ")))
    }

    /// Makes `cargo build` use it.
    pub(crate) fn use_for(&self, command: &mut Command, root: &Path) -> Result<(), String> {
        // Whose machine it was is none of the blob's business.
        let home = std::env::var_os("CARGO_HOME")
            .or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".cargo").into()))
            .unwrap_or_default();
        let mut flags = vec![remap(root.as_os_str(), "."), remap(&home, "cargo")];
        if let Compiler::Unpacked(folder) = self {
            let linker = sysroot()?.join("lib/rustlib").join(host()?).join("bin/rust-lld");
            command
                .env("RUSTC", folder.join("usr/bin/rustc"))
                .env("LD_LIBRARY_PATH", libraries_of(folder))
                .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker)
                // The compiler is a stable one: building its own library is what is not.
                .env("RUSTC_BOOTSTRAP", "1")
                .args(["-Zbuild-std=std,panic_abort", "-Zbuild-std-features=optimize_for_size"]);
            // A panic is a bug here, and ends the call: nobody reads where it was.
            flags.extend(
                ["-Zunstable-options", "-Cpanic=immediate-abort", "-Zlocation-detail=none"]
                    .map(OsString::from),
            );
        }
        command.env("CARGO_ENCODED_RUSTFLAGS", flags.join(std::ffi::OsStr::new("\u{1f}")));
        command.env_remove("RUSTFLAGS");
        Ok(())
    }
}

fn remap(from: &std::ffi::OsStr, to: &str) -> OsString {
    let mut flag = OsString::from("--remap-path-prefix=");
    flag.push(from);
    flag.push("=");
    flag.push(to);
    flag
}

fn folder(root: &Path) -> PathBuf {
    root.join("target/wasm/debian")
}

fn libraries_of(folder: &Path) -> PathBuf {
    folder.join("usr/lib").join(format!("{}-linux-gnu", std::env::consts::ARCH))
}

fn sysroot() -> Result<PathBuf, String> {
    Ok(text_of(Command::new("rustc").args(["--print", "sysroot"]))?.trim().into())
}

fn host() -> Result<String, String> {
    let said = text_of(Command::new("rustc").arg("-vV"))?;
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc does not say its host".to_owned())
}

fn text_of(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("{}: {error}", command.get_program().display()))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
