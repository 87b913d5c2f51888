//! `cargo xtask VERB`.

fn main() {}
