//! A file's text, and from byte offsets in it to lines and columns.
//!
//! A file that includes others is one source with them: their texts follow its own, each beginning a
//! line, and an offset tells which file it is in.

use std::sync::Arc;

use crate::diagnostic::Diagnostic;

/// The largest file that is read, 8 MiB: about a hundred thousand servers.
pub const MAX_BYTES: usize = 8 << 20;

/// A range of bytes in a [`Source`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// Offsets beyond the largest file count as its end.
    pub(crate) fn new(start: usize, end: usize) -> Span {
        let narrow = |offset: usize| offset.min(MAX_BYTES) as u32;
        Span { start: narrow(start), end: narrow(end.max(start)) }
    }

    /// The first byte.
    pub fn start(self) -> usize {
        self.start as usize
    }

    /// The byte after the last.
    pub fn end(self) -> usize {
        self.end as usize
    }

    /// Nothing between start and end: a place rather than a text.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// A file that was read: its path as given, its text, and where its lines begin.
///
/// Cheap to clone; every [`Diagnostic`] carries the source it speaks of.
#[derive(Clone)]
pub struct Source(Arc<Inner>);

struct Inner {
    /// What readers read.
    text: String,
    /// The file, where readers see only a part of it.
    file: Option<Arc<str>>,
    /// How many blanks stand before every line of a part, since it is indented in the file.
    indent: usize,
    /// The offset of each line's first byte, through all parts.
    lines: Vec<u32>,
    /// The file itself and what it includes; never empty.
    parts: Arc<[Part]>,
}

/// A file among those of a source.
struct Part {
    path: String,
    /// The offset of its first byte.
    start: usize,
    /// How many lines the parts before it have.
    rows: usize,
}

impl Source {
    /// Takes the bytes of a file. A byte order mark is dropped; what is not UTF-8 or larger than
    /// [`MAX_BYTES`] is refused.
    pub fn new(path: &str, bytes: &[u8]) -> Result<Source, Diagnostic> {
        if bytes.len() > MAX_BYTES {
            let message = format!("the file is larger than {} MiB, and no fleet file is", MAX_BYTES >> 20);
            return Err(Diagnostic::error(&Source::of(path, String::new()), Span::new(0, 0), message));
        }
        if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
            let start = String::from_utf8_lossy(&bytes[..bytes.len().min(64)]).into_owned();
            let message = "the file is UTF-16, and fleet files are UTF-8".to_owned();
            return Err(Diagnostic::error(&Source::of(path, start), Span::new(0, 0), message)
                .with_help("save it as UTF-8"));
        }
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Source::of(path, text.to_owned())),
            Err(error) => {
                // Shown with replacement characters; the text before the place is the same.
                let at = error.valid_up_to();
                let source = Source::of(path, String::from_utf8_lossy(bytes).into_owned());
                let span = Span::new(at, at + char::REPLACEMENT_CHARACTER.len_utf8());
                let message = format!("byte 0x{:02x} is not UTF-8 text", bytes[at]);
                Err(Diagnostic::error(&source, span, message).with_label("not text"))
            }
        }
    }

    fn of(path: &str, text: String) -> Source {
        Source::whole(text, vec![Part { path: path.to_owned(), start: 0, rows: 0 }])
    }

    /// The same file with all but some lines, counted from 1, blanked out for readers. Offsets, and
    /// the lines that people are shown, stay.
    pub(crate) fn only_lines(&self, lines: std::ops::Range<usize>) -> Source {
        let kept = self.line_start(lines.start)..self.line_start(lines.end);
        let blank = |byte: u8| if matches!(byte, b'\n' | b'\r') { char::from(byte) } else { ' ' };
        let mut text: String = self.0.text[..kept.start].bytes().map(blank).collect();
        text.push_str(&self.0.text[kept.clone()]);
        text.extend(self.0.text[kept.end..].bytes().map(blank));
        let filled = text[kept].lines().filter(|line| !line.trim().is_empty());
        let indent = filled.map(|line| line.len() - line.trim_start_matches(' ').len()).min().unwrap_or(0);
        Source(Arc::new(Inner {
            text,
            indent,
            file: Some(self.0.file.clone().unwrap_or_else(|| self.file().into())),
            lines: self.0.lines.clone(),
            parts: self.0.parts.clone(),
        }))
    }

    /// The whole file, also where readers see a part of it.
    fn file(&self) -> &str {
        self.0.file.as_deref().unwrap_or(&self.0.text)
    }

    fn whole(text: String, parts: Vec<Part>) -> Source {
        let breaks = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        let lines = std::iter::once(0).chain(breaks.map(|(at, _)| at as u32 + 1)).collect();
        Source(Arc::new(Inner { text, file: None, indent: 0, lines, parts: parts.into() }))
    }

    /// A file and those that it includes, by path: at least one. Each text ends with a line break, and
    /// all of them are no more than [`MAX_BYTES`].
    pub(crate) fn joined<'t>(files: impl IntoIterator<Item = (&'t str, &'t str)>) -> Source {
        let (mut text, mut parts, mut rows) = (String::new(), Vec::new(), 0);
        for (path, part) in files {
            parts.push(Part { path: path.to_owned(), start: text.len(), rows });
            rows += part.bytes().filter(|&byte| byte == b'\n').count();
            text.push_str(part);
        }
        Source::whole(text, parts)
    }

    /// The path, as given: of a file with includes, its own.
    pub fn path(&self) -> &str {
        &self.part_of(0).path
    }

    /// The path of the file that an offset is in.
    pub fn path_of(&self, offset: usize) -> &str {
        &self.part_of(offset).path
    }

    /// The last file that begins at or before an offset.
    fn part_of(&self, offset: usize) -> &Part {
        let after = self.0.parts.partition_point(|part| part.start <= offset);
        &self.0.parts[after.saturating_sub(1)]
    }

    /// The text that is read, without a byte order mark: of a file that holds the fleet in a block,
    /// all else is blanks.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// How many blanks stand before every line that is not blank, where the text is a part of a file:
    /// they are the file's, not the text's own.
    pub(crate) fn indent(&self) -> usize {
        self.0.indent
    }

    /// Where the text begins: a place.
    pub(crate) fn begin(&self) -> Span {
        let start = match self.0.file {
            Some(_) => self.0.text.len() - self.0.text.trim_start().len(),
            None => 0,
        };
        Span::new(start, start)
    }

    /// The line of an offset in its file, counted from 1.
    pub fn line_of(&self, offset: usize) -> usize {
        self.row_of(offset) - self.rows_before(offset)
    }

    /// Where two places are, for a sentence about something that is there twice: `on lines 4 and 6`,
    /// with the files if they are two.
    pub(crate) fn both_lines(&self, first: usize, second: usize) -> String {
        let [one, other] = [first, second].map(|at| (self.path_of(at), self.line_of(at)));
        if one == other {
            format!("both times on line {}", one.1)
        } else if one.0 == other.0 {
            format!("on lines {} and {}", one.1, other.1)
        } else {
            format!("on line {} of {} and line {} of {}", one.1, one.0, other.1, other.0)
        }
    }

    /// The line of an offset, counted from 1 through all files.
    pub(crate) fn row_of(&self, offset: usize) -> usize {
        self.0.lines.partition_point(|&start| start as usize <= offset).max(1)
    }

    /// How many lines stand before the file that an offset is in.
    pub(crate) fn rows_before(&self, offset: usize) -> usize {
        self.part_of(offset).rows
    }

    /// The column of an offset: characters from the start of its line, counted from 1.
    pub fn column_of(&self, offset: usize) -> usize {
        let offset = self.boundary(offset);
        let line = self.row_of(offset);
        let start = self.line_start(line);
        // A place within the line break is at the end of the line.
        let end = offset.min(start + self.line(line).len());
        self.file()[start..end].chars().count() + 1
    }

    /// The text of a line, without its line break. Lines count from 1; others are empty.
    pub fn line(&self, number: usize) -> &str {
        if number == 0 || number > self.0.lines.len() {
            return "";
        }
        let start = self.line_start(number);
        let end = self.0.lines.get(number).map_or(self.file().len(), |&next| next as usize);
        let line = &self.file()[start..end];
        let line = line.strip_suffix('\n').unwrap_or(line);
        line.strip_suffix('\r').unwrap_or(line)
    }

    /// The text of a span.
    pub fn slice(&self, span: Span) -> &str {
        let start = self.boundary(span.start());
        &self.file()[start..self.boundary(span.end()).max(start)]
    }

    /// The offset of a line's first byte; of a line that is not there, the end.
    pub(crate) fn line_start(&self, number: usize) -> usize {
        let start = number.checked_sub(1).and_then(|index| self.0.lines.get(index));
        start.map_or(self.0.text.len(), |&start| start as usize)
    }

    /// The offset, or the start of the character it lies in, or the end of the text.
    pub(crate) fn boundary(&self, offset: usize) -> usize {
        let mut offset = offset.min(self.file().len());
        while !self.file().is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    }
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Source({:?}, {} bytes)", self.path(), self.text().len())
    }
}

/// Two sources are equal when they are the same file with the same text.
impl PartialEq for Source {
    fn eq(&self, other: &Source) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || (self.path() == other.path() && self.text() == other.text() && self.file() == other.file())
    }
}
impl Eq for Source {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one_in_characters() {
        let source = Source::new("f", "a\r\nbé c\n\nlast".as_bytes()).unwrap();
        let place = |offset| (source.line_of(offset), source.column_of(offset));
        assert_eq!(place(0), (1, 1));
        assert_eq!(place(3), (2, 1));
        assert_eq!(place(6), (2, 3), "the character before it has two bytes");
        assert_eq!(place(5), (2, 2), "inside a character is at its start");
        assert_eq!((place(1), place(2)), ((1, 2), (1, 2)), "a line break of two bytes is one place");
        assert_eq!(place(9), (3, 1));
        assert_eq!(place(10), (4, 1));
        assert_eq!(place(9999), (4, 5), "past the end is the end");
        assert_eq!([0, 1, 2, 3, 4, 5].map(|n| source.line(n)), ["", "a", "bé c", "", "last", ""]);
    }

    #[test]
    fn a_place_in_an_included_file_has_its_path_and_its_own_line() {
        let source = Source::joined([("main", "a\nb\n"), ("x.conf", "c\n"), ("y.conf", "d\ne é f\n")]);
        let place = |offset| (source.path_of(offset), source.line_of(offset), source.column_of(offset));
        assert_eq!(place(2), ("main", 2, 1));
        assert_eq!(place(4), ("x.conf", 1, 1));
        assert_eq!(place(6), ("y.conf", 1, 1));
        assert_eq!(place(13), ("y.conf", 2, 5));
        assert_eq!(source.path(), "main");
        assert_eq!(source.both_lines(0, 2), "on lines 1 and 2");
        assert_eq!(source.both_lines(6, 7), "both times on line 1");
        assert_eq!(source.both_lines(2, 4), "on line 2 of main and line 1 of x.conf");
        let d = Diagnostic::error(&source, Span::new(13, 14), "wrong: f".to_owned())
            .with_also(Span::new(4, 5), "first");
        assert_eq!(d.to_string(), "y.conf:2:5: wrong: f");
        let shown = d.render(false);
        assert!(shown.contains("y.conf:2:5\n  |\n2 | e é f") && shown.contains("x.conf:1:1"), "{shown}");
    }

    #[test]
    fn byte_order_mark_is_dropped_and_utf16_is_named() {
        assert_eq!(Source::new("f", b"\xef\xbb\xbfx: 1").unwrap().text(), "x: 1");
        for bytes in [&b"\xff\xfea\0"[..], b"\xfe\xff\0a"] {
            let refused = Source::new("f", bytes).unwrap_err();
            assert_eq!(refused.to_string(), "f:1:1: the file is UTF-16, and fleet files are UTF-8");
        }
    }

    #[test]
    fn bytes_that_are_not_text_are_placed() {
        let refused = Source::new("f", b"a: 1\nb: caf\xe9\n").unwrap_err();
        assert_eq!(refused.to_string(), "f:2:7: byte 0xe9 is not UTF-8 text");
        let cut = Source::new("f", "caf\u{e9}".as_bytes().split_last().unwrap().1).unwrap_err();
        assert_eq!(cut.to_string(), "f:1:4: byte 0xc3 is not UTF-8 text");
    }

    #[test]
    fn largest_file_is_read_and_a_larger_one_is_not() {
        let mut bytes = vec![b'#'; MAX_BYTES];
        assert!(Source::new("f", &bytes).is_ok());
        bytes.push(b'#');
        let refused = Source::new("f", &bytes).unwrap_err();
        assert_eq!(refused.to_string(), "f:1:1: the file is larger than 8 MiB, and no fleet file is");
    }
}
