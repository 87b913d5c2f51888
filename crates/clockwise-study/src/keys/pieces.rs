//! Cuts a stream at a byte, one piece in memory at a time.

use std::io::{BufRead, BufReader, Read};

use super::error::{Error, Kind, Place};

/// The longest record, in bytes. A file without line endings, or a CSV quote that is never closed,
/// ends here instead of filling the memory.
pub(super) const LONGEST: usize = 64 << 20;

pub(super) struct Pieces<R> {
    input: BufReader<R>,
    file: String,
    cut: u8,
    piece: Vec<u8>,
    ended: bool,
    number: u64,
    held: bool,
}

impl<R: Read> Pieces<R> {
    pub(super) fn new(input: R, file: String, cut: u8) -> Pieces<R> {
        let input = BufReader::with_capacity(1 << 16, input);
        Pieces { input, file, cut, piece: Vec::new(), ended: false, number: 0, held: false }
    }

    /// Moves to the next piece; false at the end of the stream.
    pub(super) fn advance(&mut self) -> Result<bool, Error> {
        if std::mem::take(&mut self.held) {
            return Ok(true);
        }
        self.piece.clear();
        self.number += 1;
        let mut input = (&mut self.input).take(LONGEST as u64 + 1);
        match input.read_until(self.cut, &mut self.piece) {
            Ok(0) => return Ok(false),
            Ok(_) => {}
            Err(error) => return Err(self.error(Kind::Io(error))),
        }
        self.ended = self.piece.last() == Some(&self.cut);
        if self.ended {
            self.piece.pop();
        } else if self.piece.len() > LONGEST {
            return Err(self.error(Kind::TooLong { limit: LONGEST }));
        }
        Ok(true)
    }

    /// Makes the next [`advance`](Pieces::advance) give the present piece again.
    pub(super) fn hold(&mut self) {
        self.held = true;
    }

    /// The present piece, without the byte that ends it.
    pub(super) fn piece(&self) -> &[u8] {
        &self.piece
    }

    /// Whether the present piece ends in the cutting byte, rather than with the stream.
    pub(super) fn ended(&self) -> bool {
        self.ended
    }

    /// The present piece's number, from 1.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// An error about the present piece.
    pub(super) fn error(&self, kind: Kind) -> Error {
        self.error_at(self.number, kind)
    }

    pub(super) fn error_at(&self, number: u64, kind: Kind) -> Error {
        let place = if self.cut == b'\n' { Place::Line(number) } else { Place::Key(number) };
        Error::new(kind).at(place).of_file(&self.file)
    }
}
