//! Clockwise and the other crates for consistent hashing, on the same keys: `cargo xtask bench`.
//!
//! Every entry is checked before it is timed: each server has keys, none has many times the mean, and
//! whoever claims the answers of a known function gives them. All entries of a size then run in turns and
//! the least time of each counts, in CPU time of the thread. Prints the goals with what was measured.
//!
//! Arguments: the page that is to be written, the program `clockwise`, a folder for the files that it is
//! given, and the number of rounds. With `--command` in the place of the page, only that program is measured.
#![forbid(unsafe_code)]

mod core_loops;
mod end_to_end;
mod goals;
mod growth;
mod harness;
mod ours;
mod page;
mod peers;

use std::alloc::System;
use std::error::Error;
use std::process::ExitCode;

use harness::{Fleet, Keys, measure};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Sizes of fleets.
const FLEETS: [usize; 4] = [10, 100, 1_000, 10_000];
/// The two table sizes of Maglev's paper, as primes.
const SLOTS: [u64; 2] = [65_537, 655_373];

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(page), Some(command), Some(folder)) = (arguments.next(), arguments.next(), arguments.next())
    else {
        return Err(
            "arguments: PAGE | --command, the program, a folder, and perhaps the number of rounds".into()
        );
    };
    let rounds: u32 = arguments.next().map_or(Ok(40), |rounds| rounds.parse())?;
    // A round takes many seconds.
    let whole = || end_to_end::measure(command.as_ref(), folder.as_ref(), rounds.div_ceil(5));
    if page == "--command" {
        print!("{}", goals::text(&whole()?));
        return Ok(());
    }

    let keys = Keys::new();
    let (mut measured, mut refused) = (Vec::new(), Vec::new());
    for servers in FLEETS {
        eprintln!("{servers} servers");
        let mut entries = ours::all(SLOTS[0]);
        entries.extend(peers::all(SLOTS[0]));
        // With so many servers the other schemes' peers take minutes, and nothing new shows.
        entries.retain(|entry| servers < 10_000 || entry.scheme == "ring");
        let (more, unfair) = measure(&entries, &Fleet::new(servers)?, &keys, rounds);
        measured.extend(more);
        refused.extend(unfair);
    }
    eprintln!("{} slots", SLOTS[1]);
    let mut entries = ours::all(SLOTS[1]);
    entries.extend(peers::all(SLOTS[1]));
    entries.retain(|entry| entry.scheme == "maglev");
    let (large, unfair) = measure(&entries, &Fleet::new(1_000)?, &keys, rounds);
    refused.extend(unfair);
    eprintln!("loops");
    let loops = core_loops::measure(&keys, rounds * 4)?;

    eprintln!("growth");
    let growth = growth::measure(&keys)?;

    eprintln!("end to end");
    let mut goals = goals::rows(&measured, &large, &loops);
    goals.extend(whole()?);
    print!("{}", goals::text(&goals));
    std::fs::write(page, page::text(&goals, &measured, &large, &loops, &growth, &refused, rounds))?;
    Ok(())
}
