//! `clockwise completions` and `clockwise man`: made from the same definitions as the help.

use std::fs;
use std::path::Path;

use clap::CommandFactory as _;

use crate::args::Cli;
use crate::console::Console;
use crate::exit::{Exit, Failure};

/// The completion script of a shell, on standard output.
pub(crate) fn completions(shell: clap_complete::Shell, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "clockwise", &mut script);
    console.answer(|out| Ok(out.write_all(&script)?))?;
    Ok(Exit::Fine)
}

/// One manual page a command, in a folder.
pub(crate) fn man(dir: &Path) -> Result<Exit, Failure> {
    fs::create_dir_all(dir).map_err(|error| Failure::writing(dir, &error))?;
    let mut command = Cli::command();
    command.build();
    page(dir, "clockwise", command.clone())?;
    for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
        let name = format!("clockwise-{}", sub.get_name());
        page(dir, &name, sub.clone().display_name(name.clone()))?;
    }
    Ok(Exit::Fine)
}

fn page(dir: &Path, name: &str, command: clap::Command) -> Result<(), Failure> {
    let path = dir.join(format!("{name}.1"));
    let mut text = Vec::new();
    clap_mangen::Man::new(command).render(&mut text)?;
    fs::write(&path, text).map_err(|error| Failure::writing(&path, &error))
}
