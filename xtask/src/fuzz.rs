//! `cargo xtask fuzz`: the mutation tests, for longer and from elsewhere.
//!
//! They are tests like the others and run with them, each with thousands of mutations from a seed of its own.
//! How `clockwise-fuzz` is told otherwise are two variables.

use std::process::Command;

/// The tests whose names speak of mutations.
pub(crate) fn command(options: &[String]) -> Result<Command, String> {
    let mut mutations = 1_000_000;
    let mut seed = None;
    for pair in options.chunks(2) {
        let [option, number] = pair else { return Err(format!("{} needs a number", pair[0])) };
        let number: u64 = number.parse().map_err(|_| format!("{option} {number}: not a number"))?;
        match option.as_str() {
            "--mutations" => mutations = number,
            "--seed" => seed = Some(number),
            _ => return Err(format!("no such option: {option}")),
        }
    }
    let mut command = Command::new("cargo");
    command.args([
        "test",
        "--release",
        "--workspace",
        "--lib",
        "--bins",
        "--tests",
        "--no-fail-fast",
        "mutations",
    ]);
    command.env("CLOCKWISE_MUTATIONS", mutations.to_string());
    if let Some(seed) = seed {
        command.env("CLOCKWISE_SEED", seed.to_string());
    }
    Ok(command)
}
