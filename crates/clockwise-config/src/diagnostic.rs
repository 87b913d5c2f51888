//! A complaint about a file: what is wrong, where, and what to do about it.

use std::borrow::Cow;
use std::fmt;

use crate::render;
use crate::source::{Source, Span};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The file is read; something in it deserves a look.
    Warning,
    /// The file is refused.
    Error,
}

/// One complaint.
///
/// As text it is one line, `file:line:column: message`; [`render`](Diagnostic::render) shows the
/// offending line under it, as compilers do.
///
/// ```
/// use clockwise_config::{Options, parse};
///
/// let text = b"version = 1\n[placement]\nscheme = \"rign\"\n[[server]]\nname = \"a\"\n";
/// let refused = parse("fleet.toml", text, &Options::default()).unwrap_err();
/// let complaint = refused.iter().next().unwrap();
/// assert_eq!(complaint.to_string(), "fleet.toml:3:10: there is no scheme \"rign\"");
/// assert_eq!(complaint.help(), Some("did you mean \"ring\"?"));
/// assert_eq!(complaint.excerpt(), Some("\"rign\""));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Diagnostic(Box<Inner>);

#[derive(Clone, PartialEq, Eq)]
struct Inner {
    severity: Severity,
    message: String,
    place: Place,
    label: String,
    also: Option<(Span, String)>,
    help: Option<String>,
}

#[derive(Clone, PartialEq, Eq)]
enum Place {
    /// Somewhere in a file that was read.
    In(Source, Span),
    /// A file that could not be read.
    File(String),
}

/// No message is longer, whatever the file holds: names and values are cut to fit.
const MAX_MESSAGE: usize = 600;

impl Diagnostic {
    fn new(severity: Severity, message: String, place: Place) -> Diagnostic {
        let message = tame(&message, MAX_MESSAGE);
        Diagnostic(Box::new(Inner { severity, message, place, label: String::new(), also: None, help: None }))
    }

    pub(crate) fn error(source: &Source, span: Span, message: String) -> Diagnostic {
        Diagnostic::new(Severity::Error, message, Place::In(source.clone(), span))
    }

    pub(crate) fn warning(source: &Source, span: Span, message: String) -> Diagnostic {
        Diagnostic::new(Severity::Warning, message, Place::In(source.clone(), span))
    }

    /// About some bytes of a source that another crate reads in its own way.
    pub fn about(source: &Source, place: std::ops::Range<usize>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(source, Span::new(place.start, place.end), message.into())
    }

    /// About a file that could not be read at all.
    pub(crate) fn unreadable(path: &str, message: String) -> Diagnostic {
        Diagnostic::new(Severity::Error, message, Place::File(path.to_owned()))
    }

    /// A few words that stand at the offending text.
    #[must_use]
    pub(crate) fn with_label(mut self, label: impl Into<String>) -> Diagnostic {
        self.0.label = tame(&label.into(), MAX_MESSAGE);
        self
    }

    /// Another place of the same file that belongs to the complaint.
    #[must_use]
    pub(crate) fn with_also(mut self, span: Span, label: impl Into<String>) -> Diagnostic {
        self.0.also = Some((span, tame(&label.into(), MAX_MESSAGE)));
        self
    }

    /// What to do about it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Diagnostic {
        self.0.help = Some(tame(&help.into(), MAX_MESSAGE));
        self
    }

    /// One more sentence of what to do, behind the others.
    #[must_use]
    pub(crate) fn with_more_help(self, more: &str) -> Diagnostic {
        let help = match &self.0.help {
            Some(help) => format!("{help}; {more}"),
            None => more.to_owned(),
        };
        self.with_help(help)
    }

    /// An error where errors of its sort are let pass.
    #[must_use]
    pub(crate) fn mitigated(mut self) -> Diagnostic {
        self.0.severity = Severity::Warning;
        self
    }

    /// A warning where warnings are errors.
    #[must_use]
    pub(crate) fn escalated(mut self) -> Diagnostic {
        self.0.severity = Severity::Error;
        self
    }

    /// Error or warning.
    pub fn severity(&self) -> Severity {
        self.0.severity
    }

    /// What is wrong, in one sentence that names the value.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What to do about it, where that can be said.
    pub fn help(&self) -> Option<&str> {
        self.0.help.as_deref()
    }

    /// A few words that belong at the offending text, or nothing.
    pub fn label(&self) -> &str {
        &self.0.label
    }

    /// The file's path; of a place in a file that another includes, that one's.
    pub fn path(&self) -> &str {
        match &self.0.place {
            Place::In(source, span) => source.path_of(span.start()),
            Place::File(path) => path,
        }
    }

    /// The line, counted from 1; nothing if the file could not be read.
    pub fn line(&self) -> Option<usize> {
        self.at().map(|(source, span)| source.line_of(source.boundary(span.start())))
    }

    /// The column in characters, counted from 1; nothing if the file could not be read.
    pub fn column(&self) -> Option<usize> {
        self.at().map(|(source, span)| source.column_of(span.start()))
    }

    /// The offending text; empty where something is missing rather than wrong.
    pub fn excerpt(&self) -> Option<&str> {
        self.at().map(|(source, span)| source.slice(span))
    }

    /// The line of the other place that belongs to the complaint, if there is one.
    pub fn related_line(&self) -> Option<usize> {
        let (span, _) = self.0.also.as_ref()?;
        self.at().map(|(source, _)| source.line_of(span.start()))
    }

    pub(crate) fn at(&self) -> Option<(&Source, Span)> {
        match &self.0.place {
            Place::In(source, span) => Some((source, *span)),
            Place::File(_) => None,
        }
    }

    pub(crate) fn also(&self) -> Option<(Span, &str)> {
        self.0.also.as_ref().map(|(span, label)| (*span, label.as_str()))
    }

    /// The complaint with the line it speaks of, over several lines; in colour for a terminal.
    pub fn render(&self, colour: bool) -> String {
        render::diagnostic(self, colour)
    }
}

/// One line: `file:line:column: message`.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.path())?;
        if let (Some(line), Some(column)) = (self.line(), self.column()) {
            write!(f, ":{line}:{column}")?;
        }
        f.write_str(if self.severity() == Severity::Warning { ": warning: " } else { ": " })?;
        f.write_str(self.message())
    }
}

impl fmt::Debug for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl std::error::Error for Diagnostic {}

/// All complaints about a file that one reading could find, in the order of the lines. Never empty.
///
/// As text, one line each; [`render`](Diagnostics::render) shows the lines they speak of.
#[derive(Clone, PartialEq, Eq)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    omitted: usize,
}

/// How many complaints of one file are kept; the others are counted.
pub const MAX_DIAGNOSTICS: usize = 50;

impl Diagnostics {
    /// Sorted by place; beyond [`MAX_DIAGNOSTICS`] only counted, with errors kept before warnings.
    pub(crate) fn new(mut list: Vec<Diagnostic>, omitted: usize) -> Diagnostics {
        let place = |d: &Diagnostic| d.at().map_or(0, |(_, span)| span.start());
        list.sort_by_key(place);
        let kept = MAX_DIAGNOSTICS.min(list.len());
        let omitted = omitted + list.len() - kept;
        if omitted > 0 {
            list.sort_by_key(|d| std::cmp::Reverse(d.severity()));
        }
        list.truncate(kept);
        list.sort_by_key(place);
        Diagnostics { list, omitted }
    }

    /// The complaints.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }

    /// How many more there were.
    pub fn omitted(&self) -> usize {
        self.omitted
    }

    /// All of them with the lines they speak of, a blank line between two; in colour for a terminal.
    pub fn render(&self, colour: bool) -> String {
        let mut parts: Vec<String> = self.iter().map(|d| d.render(colour)).collect();
        if self.omitted > 0 {
            parts.push(self.rest());
        }
        parts.join("\n\n")
    }

    /// What is wrong, then what to do about it, in one line and without places: for what was typed and is no
    /// file.
    pub fn without_places(&self) -> String {
        let helps = self.iter().filter_map(Diagnostic::help);
        self.iter().map(Diagnostic::message).chain(helps).collect::<Vec<_>>().join("; ")
    }

    fn rest(&self) -> String {
        format!("{} more of the same file", self.omitted)
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(one: Diagnostic) -> Diagnostics {
        Diagnostics { list: vec![one], omitted: 0 }
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, diagnostic) in self.iter().enumerate() {
            write!(f, "{}{diagnostic}", if index == 0 { "" } else { "\n" })?;
        }
        if self.omitted > 0 {
            write!(f, "\n{}", self.rest())?;
        }
        Ok(())
    }
}

impl fmt::Debug for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl std::error::Error for Diagnostics {}

/// Text of a file inside a message: in quotes, without line breaks or control characters, cut when long.
pub(crate) fn quoted(text: &str) -> String {
    format!("{:?}", cut(text, 80))
}

/// The same for keys and other words of the format: in backticks.
pub(crate) fn ticked(text: &str) -> String {
    format!("`{}`", tame(text, 80))
}

fn tame(text: &str, limit: usize) -> String {
    escaped(&cut(text, limit), |_| false)
}

/// Text that a terminal may be given: line breaks and tabs stay, and what else would move its cursor,
/// hide, or turn the text around is escaped (`\u{1b}`). For names, which files may fill with anything.
pub fn printable(text: &str) -> Cow<'_, str> {
    let is_layout = |c| matches!(c, '\n' | '\t');
    match text.chars().any(|c| is_escaped(c) && !is_layout(c)) {
        true => Cow::Owned(escaped(text, is_layout)),
        false => Cow::Borrowed(text),
    }
}

fn is_escaped(c: char) -> bool {
    c.is_control() || is_invisible(c)
}

fn escaped(text: &str, stays: impl Fn(char) -> bool) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if is_escaped(c) && !stays(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out
}

/// Format characters that hide, join or turn the text around them: zero width, separators, direction
/// marks and the byte order mark.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

fn cut(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_one_line_and_short() {
        let source = Source::new("f", b"x").unwrap();
        let d = Diagnostic::error(&source, Span::new(0, 1), format!("a\nb\x1b[31m{}", "é".repeat(5000)));
        assert!(d.message().starts_with("a\\u{a}b\\u{1b}[31mé"), "{d}");
        assert!(d.message().chars().count() < MAX_MESSAGE + 20);
        assert_eq!(quoted("a\"\t"), r#""a\"\t""#);
        assert_eq!(ticked("a\0b\u{feff}e\u{301}"), "`a\\u{0}b\\u{feff}e\u{301}`");
    }

    #[test]
    fn printable_text_keeps_its_lines_and_nothing_that_moves_a_cursor() {
        assert!(matches!(printable("a\tb\n100 ÷ é…"), Cow::Borrowed(_)));
        assert_eq!(printable("a\x1b[31m\n\u{202e}b\u{9b}\r"), "a\\u{1b}[31m\n\\u{202e}b\\u{9b}\\u{d}");
    }

    #[test]
    fn too_many_are_counted_and_errors_stay() {
        let source = Source::new("f", "\n".repeat(200).as_bytes()).unwrap();
        let list = (0..200).map(|at| {
            let make = if at == 199 { Diagnostic::error } else { Diagnostic::warning };
            make(&source, Span::new(at, at), format!("number {at}"))
        });
        let all = Diagnostics::new(list.collect(), 3);
        assert_eq!(all.iter().count(), MAX_DIAGNOSTICS);
        assert_eq!(all.omitted(), 200 - MAX_DIAGNOSTICS + 3);
        assert_eq!(all.iter().last().unwrap().message(), "number 199");
        assert!(all.to_string().ends_with("\n153 more of the same file"));
    }
}
