//! Where a command speaks: answers to one stream, complaints to another.

use std::fmt::Display;
use std::io::{self, Write};

use clockwise_config::{Diagnostic, Diagnostics, Severity};

use crate::exit::Failure;

/// The two streams of a command, and which of them may be coloured.
pub struct Console<'a> {
    out: &'a mut dyn Write,
    err: &'a mut dyn Write,
    colour: Colour,
}

/// Which streams may be coloured.
#[derive(Clone, Copy, Debug, Default)]
pub struct Colour {
    /// The answers' (help alone is ever coloured there).
    pub out: bool,
    /// The complaints'.
    pub err: bool,
}

impl<'a> Console<'a> {
    /// Answers go to `out`, complaints to `err`.
    pub fn new(out: &'a mut dyn Write, err: &'a mut dyn Write, colour: Colour) -> Console<'a> {
        Console { out, err, colour }
    }

    /// Writes an answer, buffered, and sees that all of it got there.
    pub(crate) fn answer(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut out = io::BufWriter::with_capacity(1 << 16, &mut *self.out);
        write(&mut out)?;
        Ok(out.flush()?)
    }

    /// A line on the complaints' stream. That it cannot be written is told to nobody: there is no
    /// stream left to say it on.
    pub(crate) fn note(&mut self, text: impl Display) {
        let _ = writeln!(self.err, "{text}");
    }

    /// Says a warning; an error (a warning under `--strict`) stops.
    pub(crate) fn say(&mut self, diagnostic: &Diagnostic) -> Result<(), Failure> {
        if diagnostic.severity() == Severity::Error {
            return Err(Failure::from(diagnostic.clone()));
        }
        let text = diagnostic.render(self.colour.err);
        self.note(format_args!("{text}\n"));
        Ok(())
    }

    /// Says why a command stopped.
    pub(crate) fn report(&mut self, failure: &Failure) {
        match failure {
            // These begin with their own `error:`, and show the lines that they speak of.
            Failure::Diagnosed(all) => self.note(all.render(self.colour.err)),
            other => self.note(format_args!("error: {other}")),
        }
    }

    /// Help, the version, or a complaint about the command line, each to its stream.
    pub(crate) fn usage(&mut self, answer: &clap::Error) {
        let text = answer.render();
        let (stream, colour) = match answer.use_stderr() {
            true => (&mut *self.err, self.colour.err),
            false => (&mut *self.out, self.colour.out),
        };
        // As for notes; and `--help | head` is nobody's failure.
        let _ = match colour {
            true => write!(stream, "{}", text.ansi()),
            false => write!(stream, "{text}"),
        }
        .and_then(|()| stream.flush());
    }
}

impl From<Diagnostic> for Failure {
    fn from(one: Diagnostic) -> Failure {
        Failure::Diagnosed(Diagnostics::from(one))
    }
}
