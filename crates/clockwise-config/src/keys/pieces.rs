//! Cuts a stream at a byte, one piece in memory at a time.
//!
//! A piece is a range of the buffer that the stream is read into: nothing is copied unless a piece
//! lies across the end of what was read, and then only its beginning, to the buffer's.

use std::io::{ErrorKind, Read};
use std::ops::Range;

use super::error::{Error, Kind, Place};

/// The longest record, in bytes. A file without line endings, or a CSV quote that is never closed,
/// ends here instead of filling the memory.
pub(super) const LONGEST: usize = 64 << 20;

/// What is asked of the stream at a time.
const CHUNK: usize = 1 << 16;

pub(super) struct Pieces<R> {
    input: R,
    file: String,
    cut: u8,
    buffer: Vec<u8>,
    /// How much of the buffer was read.
    filled: usize,
    /// The present piece.
    piece: Range<usize>,
    /// Where the next one begins.
    next: usize,
    /// Where the next cut was seen, if it was looked for.
    seen: Option<usize>,
    ended: bool,
    number: u64,
    held: bool,
}

impl<R: Read> Pieces<R> {
    pub(super) fn new(input: R, file: String, cut: u8) -> Pieces<R> {
        let buffer = vec![0; CHUNK];
        Pieces {
            input,
            file,
            cut,
            buffer,
            filled: 0,
            piece: 0..0,
            next: 0,
            seen: None,
            ended: false,
            number: 0,
            held: false,
        }
    }

    /// Moves to the next piece; false at the end of the stream.
    #[inline]
    pub(super) fn advance(&mut self) -> Result<bool, Error> {
        if std::mem::take(&mut self.held) {
            return Ok(true);
        }
        self.number += 1;
        if self.arrived() {
            // It was looked for just now, and found.
            let cut = self.seen.take().unwrap_or(self.filled);
            self.piece = self.next..cut;
            self.next = cut + 1;
            self.ended = true;
            return Ok(true);
        }
        self.wait()
    }

    /// Whether the next piece is here, whole: then [`advance`](Pieces::advance) does not wait for the
    /// stream.
    #[inline]
    pub(super) fn arrived(&mut self) -> bool {
        if self.seen.is_none() {
            self.seen =
                memchr::memchr(self.cut, &self.buffer[self.next..self.filled]).map(|at| self.next + at);
        }
        self.held || self.seen.is_some()
    }

    /// Gives `take` the pieces that are here, whole, at most so many and until it refuses one, which then is
    /// the next. Says how many it took.
    #[inline]
    pub(super) fn take_arrived(&mut self, most: usize, mut take: impl FnMut(&[u8]) -> bool) -> usize {
        if self.held {
            return 0;
        }
        let (mut taken, mut begun) = (0, self.next);
        for cut in memchr::memchr_iter(self.cut, &self.buffer[self.next..self.filled]).take(most) {
            let piece = begun..self.next + cut;
            if !take(&self.buffer[piece.clone()]) {
                break;
            }
            begun = piece.end + 1;
            self.piece = piece;
            taken += 1;
        }
        if taken > 0 {
            (self.next, self.seen, self.ended) = (begun, None, true);
            self.number += taken as u64;
        }
        taken
    }

    /// Reads on until a piece is whole.
    #[cold]
    fn wait(&mut self) -> Result<bool, Error> {
        // What is here of it moves to the front.
        self.buffer.copy_within(self.next..self.filled, 0);
        self.filled -= self.next;
        self.next = 0;
        loop {
            if self.filled > LONGEST {
                self.piece = 0..self.filled;
                return Err(self.error(Kind::TooLong { limit: LONGEST }));
            }
            if self.filled == self.buffer.len() {
                self.buffer.resize((2 * self.filled).min(LONGEST + CHUNK), 0);
            }
            let read = match self.input.read(&mut self.buffer[self.filled..]) {
                Ok(read) => read,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(self.error(Kind::Io(error))),
            };
            let new = self.filled..self.filled + read;
            self.filled = new.end;
            let cut = memchr::memchr(self.cut, &self.buffer[new.clone()]).map(|at| new.start + at);
            if cut.is_none() && read > 0 {
                continue;
            }
            self.piece = 0..cut.unwrap_or(self.filled);
            self.next = cut.map_or(self.filled, |cut| cut + 1);
            self.ended = cut.is_some();
            return match self.piece.len() > LONGEST {
                true => Err(self.error(Kind::TooLong { limit: LONGEST })),
                false => Ok(self.ended || !self.piece.is_empty()),
            };
        }
    }

    /// Makes the next [`advance`](Pieces::advance) give the present piece again.
    pub(super) fn hold(&mut self) {
        self.held = true;
    }

    /// The present piece, without the byte that ends it.
    pub(super) fn piece(&self) -> &[u8] {
        &self.buffer[self.piece.clone()]
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
