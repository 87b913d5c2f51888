//! The `clockwise` command as a function: arguments in, an exit code out.
//!
//! Thin on purpose: `args` says what can be typed, `input` turns it into fleets and keys, a file a
//! command in `commands` asks the library and the study, and `output` prints. [`run`] touches no
//! stream but those of its [`Console`] and standard input, so that tests can call it many thousand
//! times in one process.

mod args;
mod commands;
mod console;
mod exit;
mod input;
mod output;

pub use console::{Colour, Console};
pub use exit::Exit;

use std::ffi::OsString;

use clap::{CommandFactory as _, FromArgMatches as _};

use args::{Cli, Command};

/// Runs a command line; the first argument is the program's own name.
pub fn run(arguments: impl IntoIterator<Item = OsString>, console: &mut Console<'_>) -> Exit {
    // The matches are kept beside the typed arguments: they know in which order changes were given.
    let parsed = Cli::command()
        .try_get_matches_from(arguments)
        .and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, matches)));
    let (cli, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(answer) => {
            console.usage(&answer);
            return if answer.use_stderr() { Exit::Usage } else { Exit::Fine };
        }
    };
    let result = match &cli.command {
        Command::Plan(args) => commands::plan::run(args, matches.subcommand_matches("plan"), console),
        Command::Owner(args) => commands::owner::run(args, console),
        Command::Ring(args) => commands::ring::run(args, console),
        Command::Size(args) => commands::size::run(args, console),
        Command::Completions { shell } => commands::definitions::completions(*shell, console),
        Command::Man { dir } => commands::definitions::man(dir),
    };
    result.unwrap_or_else(|failure| {
        if failure.is_broken_pipe() {
            return Exit::Fine;
        }
        console.report(&failure);
        failure.exit()
    })
}
