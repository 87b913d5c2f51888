//! Reading keys, which are bytes: nothing is trimmed, nothing is guessed in silence.
//!
//! [`KeyReader`] streams records from any [`std::io::Read`], a few hundred thousand keys or a few
//! hundred million, in memory that depends on the longest record only. [`KeySet`] holds keys in
//! memory for what must see them twice, and makes the seeded ones used when there is no file.
//!
//! | [`KeyFormat`] | a record | bytes that cannot be in a key |
//! |---|---|---|
//! | `lines` | a line; an empty line is the empty key | LF |
//! | `csv` | a row under a header with a column `key`, and `requests` and `bytes` if there are any | none, in quotes |
//! | `nul` | all up to a NUL byte, or to the end | NUL |
//! | `metadump` | a line of memcached's `lru_crawler metadump`, its key percent-encoded | none |
//! | `redis` | a line of `redis-cli --no-raw --scan`, in quotes with escapes | none |
//!
//! Any bytes fit `lines`, `nul` and `csv` as hexadecimal or base64 ([`KeyEncoding`]).
//!
//! If no format is given, the first line decides: a CSV header with the column `key`, a metadump
//! line, else plain lines. Output of `redis-cli --scan` to a file or a pipe is plain lines; it cuts a
//! key at a NUL byte and splits it at LF, so keys with such bytes need `--no-raw`. Three first lines
//! are refused rather than guessed about, until the format is stated: one wholly in double quotes,
//! one that starts with a byte order mark, and one that would be a CSV header but for the case of
//! its letters or spaces around them.
//!
//! **Line endings.** In `lines` and `redis` a CR before the LF belongs to the ending if the first
//! line ends so, and then every line must; in a file whose first line ends in LF alone a later CR LF
//! is refused, since it may be a key's last byte. [`KeyOptions::line_ending`] settles it: with
//! [`LineEnding::Lf`] a CR is always part of the key. In `csv` and `metadump` both endings are taken
//! on every line, as their definitions have it.
//!
//! **Counts.** `requests` and `bytes` are whole numbers from 0, and so is their total over a file:
//! what would not fit 64 bits is refused at the line that brings it there. A key that is listed
//! twice is two keys.

mod decode;
mod error;
mod pieces;
mod reader;
mod rows;
mod set;
#[cfg(test)]
mod tests;

pub use error::Error;
pub use reader::KeyReader;
pub use set::{KeySet, SEEDED_KEYS, TOGETHER, seeded_key};

use clockwise::moves::Tally;

/// One key, with what its file says about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// The key itself.
    pub key: &'a [u8],
    /// One key, and its requests and bytes: 0 in a file that does not count them, which
    /// [`KeyReader::has_requests`] and [`KeyReader::has_bytes`] tell from a count of 0.
    pub tally: Tally,
}

/// An enum whose variants have names on the command line: one list for all three directions.
macro_rules! named {
    ($(#[$doc:meta])* $name:ident, $what:literal, { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)*
        }

        impl $name {
            /// All of them.
            pub const ALL: &[$name] = &[$($name::$variant),*];

            /// Its name: what [`str::parse`] takes.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $($name::$variant => $text,)*
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = Error;
            fn from_str(text: &str) -> Result<$name, Error> {
                $name::ALL.iter().copied().find(|one| one.as_str() == text).ok_or_else(|| {
                    Error::unknown_name($what, text, $name::ALL.iter().map(|one| one.as_str()))
                })
            }
        }
    };
}

named! {
    /// How records stand in a file.
    KeyFormat, "key format", {
        /// One key a line.
        Lines = "lines",
        /// Comma-separated, with a header. RFC 4180; a row of another length than the header's, an
        /// open quote and text after a closing quote are refused; empty lines are skipped.
        Csv = "csv",
        /// Ended by NUL bytes, as `find -print0` and `xargs -0` have it.
        Nul = "nul",
        /// `lru_crawler metadump all` of memcached; `size`, the whole item's, becomes the bytes.
        Metadump = "metadump",
        /// `redis-cli --no-raw --scan`.
        Redis = "redis",
    }
}

named! {
    /// How a key's bytes are written, in formats that have no encoding of their own.
    KeyEncoding, "key encoding", {
        /// As they are.
        Bytes = "bytes",
        /// Pairs of hexadecimal digits, of either case.
        Hex = "hex",
        /// Base64 of RFC 4648, section 4: `+` and `/`, padded.
        Base64 = "base64",
    }
}

named! {
    /// What ends a line of `lines` and `redis`.
    LineEnding, "line ending", {
        /// LF; a CR before it is part of the key.
        Lf = "lf",
        /// CR LF on every line.
        CrLf = "crlf",
    }
}

/// How to read a file of keys.
#[derive(Clone, Copy, Debug)]
pub struct KeyOptions {
    /// The format; found from the first line if `None`.
    pub format: Option<KeyFormat>,
    /// The encoding of keys in `lines`, `csv` and `nul`.
    pub encoding: KeyEncoding,
    /// The line ending of `lines` and `redis`; the first line's if `None`.
    pub line_ending: Option<LineEnding>,
}

impl Default for KeyOptions {
    fn default() -> KeyOptions {
        KeyOptions { format: None, encoding: KeyEncoding::Bytes, line_ending: None }
    }
}
