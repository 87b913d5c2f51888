//! Why keys could not be read: file, line and the offending value.

use std::fmt;
use std::io;

use super::KeyFormat;

/// Why keys could not be read.
///
/// [`Display`](fmt::Display) names the file, the line and the value; for NUL-separated keys, which
/// have no lines, the number of the key.
pub struct Error(Box<Inner>);

struct Inner {
    file: Option<String>,
    place: Option<Place>,
    kind: Kind,
}

#[derive(Clone, Copy)]
pub(super) enum Place {
    Line(u64),
    Key(u64),
}

pub(super) enum Kind {
    Io(io::Error),
    TooLong { limit: usize },
    MixedEndings { first_is_crlf: bool },
    NotCrLf,
    LoneCr,
    QuotedFirstLine,
    ByteOrderMark,
    NearlyHeader { line: String },
    NoHeader,
    NoKeyColumn { header: String },
    ColumnTwice { column: &'static str },
    FieldCount { fields: usize, columns: usize },
    OpenQuote,
    AfterQuote { text: String },
    Number { what: &'static str, value: String },
    Total { what: &'static str, value: u64 },
    Undecodable { encoding: &'static str, value: String, problem: String },
    NotMetadump { line: String },
    NoSize,
    OwnEncoding { format: KeyFormat },
    UnknownName { what: &'static str, name: String, known: String },
}

/// Bytes as a message shows them: quoted, escaped, and cut if long.
pub(super) fn shown(bytes: &[u8]) -> String {
    const MOST: usize = 60;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(MOST)]);
    if bytes.len() > MOST { format!("{text:?}… ({} bytes)", bytes.len()) } else { format!("{text:?}") }
}

impl Error {
    pub(super) fn new(kind: Kind) -> Error {
        Error(Box::new(Inner { file: None, place: None, kind }))
    }

    pub(super) fn unknown_name(
        what: &'static str,
        name: &str,
        known: impl Iterator<Item = &'static str>,
    ) -> Error {
        let known = known.collect::<Vec<_>>().join(", ");
        Error::new(Kind::UnknownName { what, name: name.to_owned(), known })
    }

    pub(super) fn of_file(mut self, name: &str) -> Error {
        self.0.file.get_or_insert_with(|| name.to_owned());
        self
    }

    pub(super) fn at(mut self, place: Place) -> Error {
        // Where a directory can be opened, the first read fails; it has no line to blame.
        let is_folder =
            matches!(&self.0.kind, Kind::Io(error) if error.kind() == io::ErrorKind::IsADirectory);
        if !is_folder {
            self.0.place.get_or_insert(place);
        }
        self
    }

    /// The file could not be opened or read.
    pub fn is_io(&self) -> bool {
        matches!(self.0.kind, Kind::Io(_))
    }

    /// The file can be read in two ways, and the options must say which.
    pub fn is_ambiguous(&self) -> bool {
        matches!(
            self.0.kind,
            Kind::MixedEndings { .. }
                | Kind::LoneCr
                | Kind::QuotedFirstLine
                | Kind::ByteOrderMark
                | Kind::NearlyHeader { .. }
        )
    }

    /// The line it is about, from 1.
    pub fn line(&self) -> Option<u64> {
        match self.0.place {
            Some(Place::Line(line)) => Some(line),
            _ => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.0.file, self.0.place) {
            (Some(file), Some(Place::Line(line))) => write!(f, "{file}, line {line}: ")?,
            (Some(file), Some(Place::Key(key))) => write!(f, "{file}, key {key}: ")?,
            (Some(file), None) => write!(f, "{file}: ")?,
            (None, _) => {}
        }
        match &self.0.kind {
            Kind::Io(error) => write!(f, "{error}"),
            Kind::TooLong { limit } => {
                write!(f, "a record longer than {limit} bytes: is this a list of keys?")
            }
            Kind::MixedEndings { first_is_crlf: true } => f.write_str(
                "ends in LF alone, and the first line in CR LF: state the line ending, lf or crlf",
            ),
            Kind::MixedEndings { first_is_crlf: false } => f.write_str(
                "ends in CR LF, and the first line in LF alone: state the line ending, lf (the CR is part of the key) or crlf",
            ),
            Kind::NotCrLf => f.write_str("does not end in CR LF, the line ending that was stated"),
            Kind::LoneCr => f.write_str(
                "the file ends in CR without LF: state the line ending, lf (the CR is part of the key) or crlf",
            ),
            Kind::QuotedFirstLine => f.write_str(
                "the first line stands in quotes: state the format, redis (quotes and escapes of redis-cli --no-raw) or lines (quotes are part of the key)",
            ),
            Kind::ByteOrderMark => f.write_str(
                "starts with a byte order mark (EF BB BF): take it out, or state the format lines to have it in the first key",
            ),
            Kind::NearlyHeader { line } => write!(
                f,
                "{line} looks like a CSV header, whose columns must be named exactly key, requests, bytes; state the format lines if it is a key"
            ),
            Kind::NoHeader => f.write_str("no CSV header: the file is empty"),
            Kind::NoKeyColumn { header } => write!(f, "the CSV header {header} has no column named key"),
            Kind::ColumnTwice { column } => write!(f, "the CSV header has the column {column} twice"),
            Kind::FieldCount { fields, columns } => {
                let s = if *fields == 1 { "" } else { "s" };
                write!(f, "{fields} field{s}, and the header has {columns}: a comma in a key needs quotes")
            }
            Kind::OpenQuote => f.write_str("a quote is opened here and never closed"),
            Kind::AfterQuote { text } => {
                write!(f, "{text} follows a closing quote: a quote inside a quoted field is written twice")
            }
            Kind::Number { what, value } => {
                write!(f, "{what} {value} is not a whole number from 0 to {}", u64::MAX)
            }
            Kind::Total { what, value } => {
                write!(f, "{what} {value} brings the file's total above {}", u64::MAX)
            }
            Kind::Undecodable { encoding, value, problem } => {
                write!(f, "key {value} is not {encoding}: {problem}")
            }
            Kind::NotMetadump { line } => {
                write!(f, "{line} is not a line of memcached's metadump: those begin with key=")
            }
            Kind::NoSize => f.write_str("has no size=: the dump is cut short here"),
            Kind::OwnEncoding { format } => {
                write!(f, "the format {format} has its own encoding of keys, and takes no other")
            }
            Kind::UnknownName { what, name, known } => {
                write!(f, "there is no {what} {name:?}; known: {known}")
            }
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({self})")
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0.kind {
            Kind::Io(error) => Some(error),
            _ => None,
        }
    }
}
