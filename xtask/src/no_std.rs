//! `cargo xtask no-std`: the library stands without the standard library.
//!
//! A static library that is `no_std` itself and brings its own panic handler and allocator is built
//! around it for this machine. Were `std` linked anywhere beneath, its panic handler would be the
//! second one, and the compiler refuses two. No other target has to be installed for that.

use std::fs;
use std::path::Path;
use std::process::Command;

const MANIFEST: &str = r#"[package]
name = "no-std-proof"
version = "0.0.0"
edition = "2024"

[lib]
crate-type = ["staticlib"]

[dependencies]
clockwise = { path = "../../crates/clockwise", default-features = false }

[profile.dev]
panic = "abort"

[workspace]
"#;

const SOURCE: &str = r#"#![no_std]
use clockwise as _;

struct Nothing;

unsafe impl core::alloc::GlobalAlloc for Nothing {
    unsafe fn alloc(&self, _: core::alloc::Layout) -> *mut u8 {
        core::ptr::null_mut()
    }
    unsafe fn dealloc(&self, _: *mut u8, _: core::alloc::Layout) {}
}

#[global_allocator]
static ALLOCATOR: Nothing = Nothing;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}
"#;

/// Writes the package and returns the command that builds it.
pub(crate) fn command(root: &Path) -> std::io::Result<Command> {
    let folder = root.join("target/no-std");
    fs::create_dir_all(folder.join("src"))?;
    fs::write(folder.join("Cargo.toml"), MANIFEST)?;
    fs::write(folder.join("src/lib.rs"), SOURCE)?;
    // The same versions as everywhere else.
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))?;
    let mut command = Command::new("cargo");
    command.args(["build", "--manifest-path"]).arg(folder.join("Cargo.toml"));
    command.arg("--target-dir").arg(folder.join("target"));
    Ok(command)
}
