//! nutcracker's own verdict on every twemproxy file of the corpus: it takes and refuses what we do.
//!
//! `cargo xtask live` runs this; it needs nutcracker on the path.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a failure here is the message

use std::fs;
use std::path::Path;
use std::process::Command;

use clockwise_config::{Options, parse};

/// Where the two part on purpose: `random` is taken there and places nothing; a weight of 0 is
/// refused there and read as draining here.
const DIFFER: [&str; 2] = ["odd-random.yml", "odd-zero-weight.yml"];

#[test]
#[ignore = "asks the real nutcracker: cargo xtask live"]
fn nutcracker_takes_and_refuses_the_same_files() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/twemproxy");
    let (mut compared, mut agreed) = (0, 0);
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let file = path.file_name().unwrap().to_str().unwrap();
        let output =
            Command::new("nutcracker").arg("-t").arg("-c").arg(&path).output().expect("nutcracker runs");
        let theirs = output.status.success();
        let read = parse(file, &fs::read(&path).unwrap(), &Options::default());
        let ours = read.is_ok_and(|read| read.names().all(|name| read.pick(Some(name)).is_ok()));
        assert_eq!(ours == theirs, !DIFFER.contains(&file), "{file}: {ours} here, {theirs} there");
        compared += 1;
        agreed += usize::from(ours == theirs);
    }
    assert_eq!(agreed + DIFFER.len(), compared);
    assert!(compared > 30);
    println!(
        "twemproxy files live: {agreed} of {compared} verdicts as nutcracker's, the others as documented"
    );
}
