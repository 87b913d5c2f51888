//! The `clockwise` command: which server owns this key, what moves when the fleet changes, and does
//! every client agree?
//!
//! Thin on purpose: `args` says what can be typed, `input` turns it into fleets and keys, a file a
//! command in `commands` asks the library and the study, and `output` prints.

mod args;
mod commands;
mod exit;
mod input;
mod output;

use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _};

use args::{Cli, Command};
use exit::{Exit, Failure};

fn main() -> ExitCode {
    // The matches are kept beside the typed arguments: they know in which order changes were given.
    let matches = Cli::command().get_matches();
    let cli = match Cli::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(error) => error.exit(),
    };
    let result = match &cli.command {
        Command::Plan(args) => commands::plan::run(args, matches.subcommand_matches("plan")),
        Command::Owner(args) => commands::owner::run(args),
        Command::Ring(args) => commands::ring::run(args),
        Command::Size(args) => commands::size::run(args),
        Command::Completions { shell } => commands::definitions::completions(*shell),
        Command::Man { dir } => commands::definitions::man(dir),
    };
    match result {
        Ok(exit) => exit.into(),
        Err(failure) if failure.is_broken_pipe() => Exit::Fine.into(),
        Err(failure) => {
            report(&failure);
            failure.exit().into()
        }
    }
}

/// One failure, on standard error. Rendered diagnostics begin with their own `error:`.
fn report(failure: &Failure) {
    let text = failure.to_string();
    let begun = matches!(failure, Failure::Diagnosed(_));
    anstream::eprintln!("{}{text}", if begun { "" } else { "error: " });
}
