//! The stream of records.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use clockwise::moves::Tally;

use super::decode;
use super::error::{Error, Kind, shown};
use super::pieces::Pieces;
use super::rows::{self, Header, Row};
use super::{KeyEncoding, KeyFormat, KeyOptions, KeySet, LineEnding, Record};

/// Reads keys one at a time, without allocating for each.
///
/// ```
/// use clockwise_config::keys::{KeyOptions, KeyReader};
///
/// let file = "key,requests\nuser:42,7\n\"a,b\",0\n";
/// let mut keys = KeyReader::new("keys.csv", file.as_bytes(), KeyOptions::default())?;
/// assert!(keys.has_requests());
/// let mut total = 0;
/// while let Some(record) = keys.read()? {
///     total += record.tally.requests;
/// }
/// assert_eq!(total, 7);
/// # Ok::<(), clockwise_config::keys::Error>(())
/// ```
pub struct KeyReader<R> {
    pieces: Pieces<R>,
    format: KeyFormat,
    encoding: KeyEncoding,
    ending: Ending,
    header: Option<Header>,
    row: Row,
    decoded: Vec<u8>,
    requests: u64,
    bytes: u64,
}

/// Without the input, which need not have a Debug of its own, and without keys.
impl<R> fmt::Debug for KeyReader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyReader")
            .field("format", &self.format)
            .field("encoding", &self.encoding)
            .finish_non_exhaustive()
    }
}

impl KeyReader<File> {
    /// Opens a file.
    pub fn open(path: impl AsRef<Path>, options: KeyOptions) -> Result<KeyReader<File>, Error> {
        let path = path.as_ref();
        let name = path.display().to_string();
        match File::open(path) {
            Ok(file) => KeyReader::new(name, file, options),
            Err(error) => Err(Error::new(Kind::Io(error)).of_file(&name)),
        }
    }
}

impl<R: Read> KeyReader<R> {
    /// Reads from `input`, which messages call `name`: a path, or "standard input".
    ///
    /// Reads the first line to find the format and the header; no buffer is needed around `input`. A
    /// name that ends with `.csv` promises a header: columns without a key column are refused then,
    /// where they would be keys in another file.
    pub fn new(name: impl Into<String>, input: R, options: KeyOptions) -> Result<KeyReader<R>, Error> {
        let KeyOptions { format, encoding, line_ending } = options;
        let cut = if format == Some(KeyFormat::Nul) { 0 } else { b'\n' };
        let name = name.into();
        let called_csv = name.len() > 4 && name.as_bytes()[name.len() - 4..].eq_ignore_ascii_case(b".csv");
        let mut pieces = Pieces::new(input, name, cut);
        let format = match format {
            Some(format) => format,
            None => detect(&mut pieces, called_csv)?,
        };
        let mut row = Row::default();
        let header = match format {
            KeyFormat::Csv => Some(Header::read(&mut pieces, &mut row)?),
            KeyFormat::Metadump | KeyFormat::Redis if encoding != KeyEncoding::Bytes => {
                return Err(Error::new(Kind::OwnEncoding { format }));
            }
            _ => None,
        };
        let ending = line_ending.map_or(Ending::Open, Ending::Stated);
        let decoded = Vec::new();
        Ok(KeyReader { pieces, format, encoding, ending, header, row, decoded, requests: 0, bytes: 0 })
    }

    /// The format, as given or as found.
    pub fn format(&self) -> KeyFormat {
        self.format
    }

    /// Whether every record has its requests.
    pub fn has_requests(&self) -> bool {
        self.header.as_ref().is_some_and(|header| header.requests.is_some())
    }

    /// Whether every record has its bytes.
    pub fn has_bytes(&self) -> bool {
        self.format == KeyFormat::Metadump
            || self.header.as_ref().is_some_and(|header| header.bytes.is_some())
    }

    /// The next record, until there are no more.
    pub fn read(&mut self) -> Result<Option<Record<'_>>, Error> {
        match self.format {
            KeyFormat::Csv => self.read_row(),
            KeyFormat::Metadump => self.read_dump(),
            KeyFormat::Lines | KeyFormat::Nul | KeyFormat::Redis => self.read_plain(),
        }
    }

    /// Adds the records that have arrived to `batch`, at most `most` of them and at least one; false
    /// once there are no more.
    ///
    /// It waits for the first of them only: so whoever answers batch by batch answers what a pipe
    /// has brought before it waits for more. After an error the records before it are in the batch.
    pub fn read_many(&mut self, most: usize, batch: &mut KeySet) -> Result<bool, Error> {
        let Some(record) = self.read()? else { return Ok(false) };
        batch.push(record);
        let mut read = 1;
        if self.are_plain() {
            read += self.pieces.take_arrived(most.saturating_sub(1), |line| {
                // What a carriage return means, or is refused for, is said elsewhere.
                let is_plain = line.last() != Some(&b'\r');
                if is_plain {
                    batch.push(Record { key: line, tally: Tally::KEY });
                }
                is_plain
            });
        }
        for _ in read..most {
            if !self.pieces.arrived() {
                break;
            }
            let Some(record) = self.read()? else { break };
            batch.push(record);
        }
        Ok(true)
    }

    /// Whether a line that ends in LF is a key as it stands.
    fn are_plain(&self) -> bool {
        let is_lf = matches!(self.ending, Ending::Found(LineEnding::Lf) | Ending::Stated(LineEnding::Lf));
        self.format == KeyFormat::Lines && self.encoding == KeyEncoding::Bytes && is_lf
    }

    fn read_plain(&mut self) -> Result<Option<Record<'_>>, Error> {
        if !self.pieces.advance()? {
            return Ok(None);
        }
        let text = match self.format {
            KeyFormat::Nul => self.pieces.piece(),
            _ => whole_line(&self.pieces, &mut self.ending)?,
        };
        let key = match (self.format, self.encoding) {
            (KeyFormat::Redis, _) => {
                decode::redis(text, &mut self.decoded).map_err(|kind| self.pieces.error(kind))?;
                &self.decoded
            }
            (_, encoding) => {
                decoded(encoding, text, &mut self.decoded).map_err(|kind| self.pieces.error(kind))?
            }
        };
        Ok(Some(Record { key, tally: Tally::KEY }))
    }

    fn read_row(&mut self) -> Result<Option<Record<'_>>, Error> {
        let Some(header) = &self.header else { return Ok(None) };
        if !self.row.read(&mut self.pieces)? {
            return Ok(None);
        }
        let row = &self.row;
        let refuse = |kind| self.pieces.error_at(row.line(), kind);
        if row.len() != header.columns {
            return Err(refuse(Kind::FieldCount { fields: row.len(), columns: header.columns }));
        }
        let count = |what, column: Option<usize>, total: &mut u64| match column {
            Some(column) => add(what, row.field(column), total).map_err(refuse),
            None => Ok(0),
        };
        let requests = count("requests", header.requests, &mut self.requests)?;
        let bytes = count("bytes", header.bytes, &mut self.bytes)?;
        let key = decoded(self.encoding, row.field(header.key), &mut self.decoded).map_err(refuse)?;
        Ok(Some(Record { key, tally: Tally { keys: 1, requests, bytes } }))
    }

    fn read_dump(&mut self) -> Result<Option<Record<'_>>, Error> {
        loop {
            if !self.pieces.advance()? {
                return Ok(None);
            }
            // Dumps of several servers, one after the other, are one list.
            if !matches!(self.pieces.piece(), b"END" | b"END\r" | b"" | b"\r") {
                break;
            }
        }
        let line = self.pieces.piece();
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let refuse = |kind| self.pieces.error(kind);
        let mut words = line.split(|&b| b == b' ');
        let Some(key) = words.next().and_then(|word| word.strip_prefix(b"key=")) else {
            return Err(refuse(Kind::NotMetadump { line: shown(line) }));
        };
        let Some(size) = words.find_map(|word| word.strip_prefix(b"size=")) else {
            return Err(refuse(Kind::NoSize));
        };
        let bytes = add("size", size, &mut self.bytes).map_err(refuse)?;
        decode::percent(key, &mut self.decoded).map_err(refuse)?;
        Ok(Some(Record { key: &self.decoded, tally: Tally { bytes, ..Tally::KEY } }))
    }
}

/// What the first line says about the format, and the name of the file where the line leaves it open.
fn detect<R: Read>(pieces: &mut Pieces<R>, called_csv: bool) -> Result<KeyFormat, Error> {
    if !pieces.advance()? {
        return Ok(KeyFormat::Lines);
    }
    pieces.hold();
    let line = pieces.piece();
    let (marked, text) = match line.strip_prefix(rows::BYTE_ORDER_MARK) {
        Some(text) => (true, text),
        None => (false, line),
    };
    if rows::has_key_column(text, |name| name == b"key") {
        return Ok(KeyFormat::Csv);
    }
    if marked {
        return Err(pieces.error(Kind::ByteOrderMark));
    }
    let contains = |words: &[u8]| text.windows(words.len()).any(|window| window == words);
    if text.starts_with(b"key=") && contains(b" exp=") && contains(b" size=") {
        return Ok(KeyFormat::Metadump);
    }
    let nearly = |name: &[u8]| name.trim_ascii().eq_ignore_ascii_case(b"key");
    let columns = |separators: &[u8]| text.iter().any(|byte| separators.contains(byte));
    if columns(b",") && rows::has_key_column(text, nearly) || called_csv && columns(b",;\t") {
        return Err(pieces.error(Kind::NearlyHeader { line: shown(text) }));
    }
    let bare = text.strip_suffix(b"\r").unwrap_or(text);
    if bare.len() > 1 && bare.starts_with(b"\"") && bare.ends_with(b"\"") {
        return Err(pieces.error(Kind::QuotedFirstLine));
    }
    Ok(KeyFormat::Lines)
}

/// What ends a line, and how that is known.
#[derive(Clone, Copy)]
enum Ending {
    /// Not yet.
    Open,
    /// From the first line.
    Found(LineEnding),
    /// From the options.
    Stated(LineEnding),
}

/// The present line without its ending; the first one settles an open ending.
#[inline]
fn whole_line<'a, R: Read>(pieces: &'a Pieces<R>, ending: &mut Ending) -> Result<&'a [u8], Error> {
    let line = pieces.piece();
    let before_cr = line.strip_suffix(b"\r");
    if let (Ending::Open, true) = (*ending, pieces.ended()) {
        *ending = Ending::Found(if before_cr.is_some() { LineEnding::CrLf } else { LineEnding::Lf });
    }
    let refused = match (*ending, before_cr, pieces.ended()) {
        (Ending::Stated(LineEnding::Lf), _, _) | (_, None, false) => return Ok(line),
        (Ending::Found(LineEnding::Lf) | Ending::Open, None, true) => return Ok(line),
        (Ending::Found(LineEnding::CrLf) | Ending::Stated(LineEnding::CrLf), Some(bare), true) => {
            return Ok(bare);
        }
        (Ending::Stated(LineEnding::CrLf), _, _) => Kind::NotCrLf,
        (_, Some(_), false) => Kind::LoneCr,
        (_, Some(_), true) => Kind::MixedEndings { first_is_crlf: false },
        (_, None, true) => Kind::MixedEndings { first_is_crlf: true },
    };
    Err(pieces.error(refused))
}

/// The bytes of a key; decoded ones stand in `scratch`.
fn decoded<'a>(encoding: KeyEncoding, text: &'a [u8], scratch: &'a mut Vec<u8>) -> Result<&'a [u8], Kind> {
    match encoding {
        KeyEncoding::Bytes => return Ok(text),
        KeyEncoding::Hex => decode::hex(text, scratch)?,
        KeyEncoding::Base64 => decode::base64(text, scratch)?,
    }
    Ok(scratch)
}

/// Reads a count and adds it to the file's total.
fn add(what: &'static str, text: &[u8], total: &mut u64) -> Result<u64, Kind> {
    // Digits only: `parse` alone would take a plus sign.
    let digits = std::str::from_utf8(text).ok().filter(|text| text.bytes().all(|b| b.is_ascii_digit()));
    let Some(value) = digits.and_then(|digits| digits.parse().ok()) else {
        return Err(Kind::Number { what, value: shown(text) });
    };
    *total = total.checked_add(value).ok_or(Kind::Total { what, value })?;
    Ok(value)
}
