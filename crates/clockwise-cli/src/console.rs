//! Where a command speaks: answers to one stream, complaints to another.

use std::borrow::Borrow;
use std::fmt::Display;
use std::io::{self, Write};

use clockwise_config::{Diagnostic, Diagnostics, MAX_DIAGNOSTICS, Severity, printable};

use crate::exit::Failure;
use crate::output::{count, plural};

/// The two streams of a command, and which of them may be coloured.
pub struct Console<'a> {
    out: &'a mut dyn Write,
    err: &'a mut dyn Write,
    colour: Colour,
    /// Whether answers are for programs, which want names as they are.
    is_exact: bool,
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
        Console { out, err, colour, is_exact: false }
    }

    /// Answers are for programs.
    pub(crate) fn exact(&mut self) {
        self.is_exact = true;
    }

    /// Writes an answer, buffered, and sees that all of it got there.
    pub(crate) fn answer(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut out = io::BufWriter::with_capacity(1 << 16, &mut *self.out);
        match self.is_exact {
            true => write(&mut out)?,
            false => write(&mut Printable(&mut out))?,
        }
        Ok(out.flush()?)
    }

    /// A line on the complaints' stream. That it cannot be written is told to nobody: there is no
    /// stream left to say it on.
    pub(crate) fn note(&mut self, text: impl Display) {
        let _ = writeln!(Printable(&mut self.err), "{text}");
    }

    /// The same for what was made for a terminal, with its colours.
    fn rendered(&mut self, text: &str) {
        let _ = writeln!(self.err, "{text}");
    }

    /// Says a warning; an error (a warning under `--strict`) stops.
    pub(crate) fn say(&mut self, diagnostic: &Diagnostic) -> Result<(), Failure> {
        if diagnostic.severity() == Severity::Error {
            return Err(Failure::from(diagnostic.clone()));
        }
        let text = diagnostic.render(self.colour.err);
        self.rendered(&format!("{text}\n"));
        Ok(())
    }

    /// Says the first of many warnings, and how many more there are.
    pub(crate) fn say_all<D: Borrow<Diagnostic>>(
        &mut self,
        warnings: impl IntoIterator<Item = D>,
    ) -> Result<(), Failure> {
        let mut more = 0_usize;
        for (index, warning) in warnings.into_iter().enumerate() {
            match index < MAX_DIAGNOSTICS {
                true => self.say(warning.borrow())?,
                false => more += 1,
            }
        }
        if more > 0 {
            let warnings = plural(more as u64, "warning");
            self.note(format_args!("{} more {warnings} of the same file\n", count(more as u64)));
        }
        Ok(())
    }

    /// Says why a command stopped.
    pub(crate) fn report(&mut self, failure: &Failure) {
        match failure {
            // These begin with their own `error:`, and show the lines that they speak of.
            Failure::Diagnosed(all) => self.rendered(&all.render(self.colour.err)),
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

/// What a terminal may be given: a name out of a file could hold anything. Each write is of whole
/// characters, as those of text are.
struct Printable<W>(W);

impl<W: Write> Write for Printable<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Most text has nothing else, and a look at its bytes costs less than one at its characters: least, if
        // not each of them decides whether the next is looked at.
        let is_plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
        if bytes.chunks(64).all(|some| some.iter().fold(true, |all, byte| all & is_plain(byte))) {
            self.0.write_all(bytes)?;
            return Ok(bytes.len());
        }
        for chunk in bytes.utf8_chunks() {
            self.0.write_all(printable(chunk.valid()).as_bytes())?;
            self.0.write_all(chunk.invalid())?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
