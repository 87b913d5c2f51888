//! How answers reach the reader: one [`Sheet`] of columns, in whichever format was asked for.
//!
//! Commands fill sheets and say nothing about formats; JSON, whose shape is a promise to programs,
//! is built by each command on its own.

mod sheet;
mod text;

pub(crate) use sheet::{Align, Cell, Sheet};
pub(crate) use text::{count, counted, markdown, percent, plural, ratio};

use std::io::{self, Write};

use crate::exit::Failure;

/// One JSON document, indented, with a line end.
pub(crate) fn json(out: &mut dyn Write, document: &impl serde::Serialize) -> Result<(), Failure> {
    serde_json::to_writer_pretty(&mut *out, document).map_err(io::Error::from)?;
    Ok(out.write_all(b"\n")?)
}
