//! What kind of file it is: the content decides.

use std::fmt;

use crate::diagnostic::{Diagnostic, ticked};
use crate::source::{Source, Span};

/// A kind of fleet file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// Clockwise's own TOML.
    Toml,
    /// The YAML of twemproxy (nutcracker).
    Twemproxy,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Kind::Toml => "clockwise fleet",
            Kind::Twemproxy => "twemproxy",
        })
    }
}

const KNOWN: &str = "a fleet file is clockwise's own TOML (it begins with `version = 1`) or twemproxy's YAML";

impl Kind {
    /// Decides by the first line that is neither blank nor a comment, and those after it where one
    /// line fits several.
    pub(crate) fn of(source: &Source) -> Result<Kind, Diagnostic> {
        let mut first = None;
        for (number, line) in (1..).zip(source.text().lines()) {
            let text = line.trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            if let Some(kind) = of_line(text) {
                return Ok(kind);
            }
            first.get_or_insert((number, line));
        }
        let Some((number, line)) = first else {
            let what = if source.text().trim().is_empty() { "is empty" } else { "holds only comments" };
            let message = format!("the file {what}, and a fleet has at least one server");
            return Err(Diagnostic::error(source, Span::new(0, 0), message).with_help(KNOWN));
        };
        let start = source.line_start(number) + (line.len() - line.trim_start().len());
        let span = Span::new(start, start + line.trim().len());
        let message = format!("no kind of fleet file begins with {}", ticked(line.trim()));
        Err(Diagnostic::error(source, span, message).with_help(KNOWN))
    }
}

/// What a line can only be, if it can only be one thing.
fn of_line(line: &str) -> Option<Kind> {
    let key_end = line.find(['=', ':']);
    let is_header = line.starts_with('[') && !line.starts_with("[ ") && line.contains(']');
    match key_end {
        _ if is_header && line.find('=').is_none_or(|at| line.find(']') < Some(at)) => Some(Kind::Toml),
        _ if line.starts_with("---") || line.starts_with("%YAML") || line.starts_with("- ") => {
            Some(Kind::Twemproxy)
        }
        // `key = value`, unless it is a key in YAML with such text as its value.
        Some(at) if line[at..].starts_with('=') && at > 0 => Some(Kind::Toml),
        Some(at) if at > 0 && !line.starts_with('{') => {
            let after = &line[at + 1..];
            (after.is_empty() || after.starts_with([' ', '\t'])).then_some(Kind::Twemproxy)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Kind, Diagnostic> {
        Kind::of(&Source::new("f", text.as_bytes()).unwrap())
    }

    #[test]
    fn content_tells_the_two_apart() {
        for text in [
            "version = 1\n",
            "# cache: the fleet\n\nversion=1",
            "[placement]\nscheme = 'ring'",
            "[[server]]  # the first\nname = 'a:b'",
            "[placement] # x = y\n",
            "name = \"a: b\"",
            "\"quoted\" = 1",
            "a.b = 1\n",
        ] {
            assert_eq!(of(text).unwrap(), Kind::Toml, "{text}");
        }
        for text in [
            "alpha:\n  listen: 127.0.0.1:1",
            "# version = 1\r\nalpha:\r\n",
            "---\nalpha:",
            "'a b': \n",
            "pool: { listen: 1 }",
            "- a\n",
            "alpha:   # = not TOML\n",
            "redis_auth: a=b\n",
        ] {
            assert_eq!(of(text).unwrap(), Kind::Twemproxy, "{text}");
        }
    }

    #[test]
    fn what_is_neither_is_said_with_its_first_line() {
        let refused = of("\n  upstream cache {\n").unwrap_err();
        assert_eq!(refused.to_string(), "f:2:3: no kind of fleet file begins with `upstream cache {`");
        assert!(refused.help().unwrap().contains("version = 1"));
        for (text, says) in
            [("", "the file is empty"), ("  \n", "is empty"), ("# a\n", "holds only comments")]
        {
            assert!(of(text).unwrap_err().message().contains(says), "{text:?}");
        }
    }
}
