//! The `clockwise` command as a function: arguments in, an exit code out.
//!
//! Thin on purpose: `args` says what can be typed, `input` turns it into fleets and keys, a file a
//! command in `commands` asks the library and the study, and `output` prints. [`run`] writes to no
//! stream but those of its [`Console`], so that tests can call it many thousand times in one process.
#![forbid(unsafe_code)]

mod args;
mod commands;
mod console;
mod exit;
mod input;
mod output;

pub use console::{Colour, Console};
pub use exit::Exit;

use std::ffi::OsString;

use clap::{ArgMatches, CommandFactory as _, FromArgMatches as _};

use args::{Cli, Command};
use exit::Failure;

/// Reads a command line and runs it; the first argument is the program's own name.
pub fn run(arguments: impl IntoIterator<Item = OsString>, console: &mut Console<'_>) -> Exit {
    match CommandLine::parse(arguments, console) {
        Ok(line) => line.run(console),
        Err(exit) => exit,
    }
}

/// A command line that can be meant.
pub struct CommandLine {
    cli: Cli,
    /// Kept beside the typed arguments: they know in which order changes were given.
    matches: ArgMatches,
}

impl CommandLine {
    /// Reads it. Asked for help, or told what it does not know, it answers at once.
    pub fn parse(
        arguments: impl IntoIterator<Item = OsString>,
        console: &mut Console<'_>,
    ) -> Result<CommandLine, Exit> {
        let parsed = Cli::command()
            .try_get_matches_from(arguments)
            .and_then(|matches| Ok(CommandLine { cli: Cli::from_arg_matches(&matches)?, matches }));
        parsed.map_err(|answer| {
            console.usage(&answer);
            if answer.use_stderr() { Exit::Usage } else { Exit::Fine }
        })
    }

    /// Runs it.
    pub fn run(&self, console: &mut Console<'_>) -> Exit {
        if self.cli.command.is_for_programs() {
            console.exact();
        }
        if self.cli.command.standard_inputs() > 1 {
            let message =
                "standard input is given twice, and can be read once: put one of the two into a file";
            console.report(&Failure::Usage(message.to_owned()));
            return Exit::Usage;
        }
        let result = match &self.cli.command {
            Command::Plan(args) => {
                commands::plan::run(args, self.matches.subcommand_matches("plan"), console)
            }
            Command::Owner(args) => commands::owner::run(args, console),
            Command::Ring(args) => commands::ring::run(args, console),
            Command::Size(args) => commands::size::run(args, console),
            Command::Diff(args) => commands::diff::run(args, console),
            Command::Check(args) => commands::check::run(args, console),
            Command::Migrate(args) => commands::migrate::run(args, console),
            Command::Convert(args) => commands::convert::run(args, console),
            Command::Fingerprint(args) => commands::fingerprint::run(args, console),
            Command::Lab(args) => commands::lab::run(args, console),
            Command::Vectors(args) => commands::vectors::run(args, console),
            Command::Study(args) => commands::study::run(args, console),
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
}
