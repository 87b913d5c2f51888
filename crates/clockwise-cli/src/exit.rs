//! How a command ends: the documented exit codes, and failures that know theirs.

use std::fmt;
use std::io;
use std::process::ExitCode;

use clockwise_config::Diagnostics;

/// The codes that scripts test. Part of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// All is well.
    Fine = 0,
    /// Something was found that the caller asked to be told about.
    Findings = 1,
    /// The command line is wrong.
    Usage = 2,
    /// A file or a key could not be used.
    Input = 3,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// Why a command stopped.
#[derive(Debug)]
pub(crate) enum Failure {
    /// What was typed cannot be meant.
    Usage(String),
    /// What was read cannot be used.
    Input(String),
    /// The same of a fleet file, with the lines it speaks of.
    Diagnosed(Diagnostics),
    /// The answer could not be written.
    Output(io::Error),
}

impl Failure {
    /// A file of ours that could not be written.
    pub(crate) fn writing(path: &std::path::Path, error: &io::Error) -> Failure {
        Failure::Input(format!("{} cannot be written: {error}", path.display()))
    }

    /// Writing into a pipe that nobody reads any more: not a failure of ours.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        matches!(self, Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// The code it ends with.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Failure::Usage(_) => Exit::Usage,
            Failure::Input(_) | Failure::Diagnosed(_) | Failure::Output(_) => Exit::Input,
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Output(error)
    }
}

impl From<csv::Error> for Failure {
    fn from(error: csv::Error) -> Failure {
        Failure::Output(csv_io(error))
    }
}

/// What went wrong with the stream: csv's own conversion would hide that a pipe was closed.
pub(crate) fn csv_io(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

impl From<clockwise_study::keys::Error> for Failure {
    fn from(error: clockwise_study::keys::Error) -> Failure {
        Failure::Input(error.to_string())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Usage(text) | Failure::Input(text) => f.write_str(text),
            Failure::Diagnosed(all) => all.fmt(f),
            Failure::Output(error) => write!(f, "the answer cannot be written: {error}"),
        }
    }
}
