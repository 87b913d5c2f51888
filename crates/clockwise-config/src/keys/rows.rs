//! Comma-separated rows, RFC 4180, read strictly.
//!
//! Of our own because a lenient reader corrupts keys in silence: a quote that is never closed would
//! swallow the rest of the file into one key, text after a closing quote would be joined to it.

use std::io::Read;

use super::error::{Error, Kind, shown};
use super::pieces::{LONGEST, Pieces};

pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Where the columns are.
pub(super) struct Header {
    pub(super) columns: usize,
    pub(super) key: usize,
    pub(super) requests: Option<usize>,
    pub(super) bytes: Option<usize>,
}

/// One row; its memory is used again for the next.
#[derive(Default)]
pub(super) struct Row {
    text: Vec<u8>,
    ends: Vec<usize>,
    line: u64,
}

/// Whether a first line is a header: a column named `key`, by `same`.
pub(super) fn has_key_column(line: &[u8], same: impl Fn(&[u8]) -> bool) -> bool {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    line.split(|&b| b == b',').any(|field| {
        let inner = field.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\""));
        same(inner.unwrap_or(field))
    })
}

impl Header {
    pub(super) fn read<R: Read>(pieces: &mut Pieces<R>, row: &mut Row) -> Result<Header, Error> {
        if !row.read(pieces)? {
            return Err(pieces.error(Kind::NoHeader));
        }
        let find = |name: &'static str| {
            let mut at = (0..row.len()).filter(|&i| row.field(i) == name.as_bytes());
            match (at.next(), at.next()) {
                (_, Some(_)) => Err(pieces.error_at(row.line, Kind::ColumnTwice { column: name })),
                (at, None) => Ok(at),
            }
        };
        let Some(key) = find("key")? else {
            let names: Vec<_> = (0..row.len()).map(|i| row.field(i)).collect();
            let header = shown(&names.join(&b','));
            return Err(pieces.error_at(row.line, Kind::NoKeyColumn { header }));
        };
        Ok(Header { columns: row.len(), key, requests: find("requests")?, bytes: find("bytes")? })
    }
}

impl Row {
    /// Reads the next row; false at the end of the stream. Empty lines are no rows.
    pub(super) fn read<R: Read>(&mut self, pieces: &mut Pieces<R>) -> Result<bool, Error> {
        self.text.clear();
        self.ends.clear();
        loop {
            if !pieces.advance()? {
                return Ok(false);
            }
            if !matches!(pieces.piece(), b"" | b"\r") {
                break;
            }
        }
        self.line = pieces.number();
        let mut at = if self.line == 1 && pieces.piece().starts_with(BYTE_ORDER_MARK) { 3 } else { 0 };
        loop {
            if pieces.piece().get(at) == Some(&b'"') {
                at = self.quoted(pieces, at + 1)?;
            } else {
                let line = line(pieces);
                let length = line[at..].iter().position(|&b| b == b',').unwrap_or(line.len() - at);
                self.text.extend_from_slice(&line[at..at + length]);
                at += length;
            }
            self.ends.push(self.text.len());
            match line(pieces).get(at..) {
                Some([b',', ..]) => at += 1,
                Some([]) | None => return Ok(true),
                Some(rest) => {
                    let text = shown(&rest[..rest.len().min(20)]);
                    return Err(pieces.error(Kind::AfterQuote { text }));
                }
            }
        }
    }

    /// Reads a quoted field from behind its opening quote; where the present line goes on after it.
    fn quoted<R: Read>(&mut self, pieces: &mut Pieces<R>, mut at: usize) -> Result<usize, Error> {
        let opened = pieces.number();
        loop {
            let rest = &pieces.piece()[at..];
            if let Some(length) = rest.iter().position(|&b| b == b'"') {
                self.text.extend_from_slice(&rest[..length]);
                at += length + 1;
                if rest.get(length + 1) != Some(&b'"') {
                    return Ok(at);
                }
                self.text.push(b'"');
                at += 1;
                continue;
            }
            // The field goes on in the next line, and the line's end is part of it.
            self.text.extend_from_slice(rest);
            self.text.push(b'\n');
            if self.text.len() > LONGEST {
                return Err(pieces.error_at(opened, Kind::TooLong { limit: LONGEST }));
            }
            if !pieces.ended() || !pieces.advance()? {
                return Err(pieces.error_at(opened, Kind::OpenQuote));
            }
            at = 0;
        }
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The field at `at`; empty if the row has fewer.
    pub(super) fn field(&self, at: usize) -> &[u8] {
        let start = if at == 0 { 0 } else { self.ends.get(at - 1).copied().unwrap_or(0) };
        self.ends.get(at).map_or(&[], |&end| &self.text[start..end])
    }

    /// The line it begins on.
    pub(super) fn line(&self) -> u64 {
        self.line
    }
}

/// The present line without the CR of its ending. Only what lies outside quotes is read so.
fn line<R: Read>(pieces: &Pieces<R>) -> &[u8] {
    let line = pieces.piece();
    line.strip_suffix(b"\r").unwrap_or(line)
}
