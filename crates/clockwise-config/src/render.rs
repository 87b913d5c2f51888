//! Complaints with the line they speak of, in the layout of rustc.
//!
//! Only the lines concerned are handed to the renderer. It fits a line to the width of a terminal
//! itself; lines beyond [`LONG`] are cut here first, so that one of a megabyte costs no more.

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use crate::diagnostic::{Diagnostic, Severity};
use crate::source::{Source, Span};

/// A line of more bytes is cut.
const LONG: usize = 4096;

/// Characters kept before and after the place when a line is cut.
const CONTEXT: usize = 200;

/// Two places at most so many lines apart are shown in one piece.
const NEAR: usize = 6;

pub(crate) fn diagnostic(diagnostic: &Diagnostic, colour: bool) -> String {
    let level = match diagnostic.severity() {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut group = Group::with_title(level.primary_title(diagnostic.message()));
    match diagnostic.at() {
        None => group = group.element(Origin::path(diagnostic.path())),
        Some((source, span)) => {
            let first = Mark::new(source, span, AnnotationKind::Primary, diagnostic.label());
            let second = diagnostic
                .also()
                .map(|(span, label)| Mark::new(source, span, AnnotationKind::Context, label));
            if first.cut {
                // The renderer would count the column in what is left of the line.
                let column = source.column_of(span.start());
                let line = first.line - first.rows;
                group = group.element(Origin::path(diagnostic.path()).line(line).char_column(column));
            }
            for snippet in snippets(source, first, second) {
                group = group.element(snippet);
            }
        }
    }
    if let Some(help) = diagnostic.help() {
        group = group.element(Level::HELP.message(help));
    }
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    renderer.render(&[group])
}

/// One snippet for two places that are near each other, one for each otherwise.
fn snippets<'a>(
    source: &'a Source,
    first: Mark<'a>,
    second: Option<Mark<'a>>,
) -> Vec<Snippet<'a, Annotation<'a>>> {
    match second {
        Some(second)
            if second.line.abs_diff(first.line) > NEAR
                || second.rows != first.rows
                || second.cut
                || first.cut =>
        {
            vec![snippet(source, &[first]), snippet(source, &[second])]
        }
        Some(second) => snippet_of_both(source, first, second),
        None => vec![snippet(source, &[first])],
    }
}

fn snippet_of_both<'a>(source: &'a Source, a: Mark<'a>, b: Mark<'a>) -> Vec<Snippet<'a, Annotation<'a>>> {
    let mut marks = [a, b];
    marks.sort_by_key(|mark| mark.line);
    vec![snippet(source, &marks)]
}

/// The lines from the first mark to the last. Marks are in the order of their lines.
fn snippet<'a>(source: &'a Source, marks: &[Mark<'a>]) -> Snippet<'a, Annotation<'a>> {
    let mut text = String::new();
    let mut annotations = Vec::new();
    let (first, last) = (marks[0].line, marks[marks.len() - 1].line);
    for line in first..=last {
        let start = text.len();
        let mut here = marks.iter().filter(|mark| mark.line == line).peekable();
        match here.peek() {
            Some(mark) => text.push_str(&mark.text),
            None => text.push_str(source.line(line)),
        }
        text.push('\n');
        for mark in here {
            let label = if mark.label.is_empty() { None } else { Some(mark.label) };
            annotations.push(mark.kind.span(start + mark.start..start + mark.end).label(label));
        }
    }
    let snippet = Snippet::source(text).line_start(first - marks[0].rows).annotations(annotations);
    if marks[0].cut { snippet } else { snippet.path(source.path_of(source.line_start(first))) }
}

/// A line, cut when it is long, and the range to mark in what is left.
struct Mark<'a> {
    /// Through all files of the source.
    line: usize,
    /// The lines before its file.
    rows: usize,
    text: String,
    start: usize,
    end: usize,
    cut: bool,
    kind: AnnotationKind,
    label: &'a str,
}

impl<'a> Mark<'a> {
    fn new(source: &Source, span: Span, kind: AnnotationKind, label: &'a str) -> Mark<'a> {
        let at = source.boundary(span.start());
        let (line, rows) = (source.row_of(at), source.rows_before(at));
        let whole = source.line(line);
        let start = (at - source.line_start(line)).min(whole.len());
        let end = (source.boundary(span.end()).max(at) - source.line_start(line)).min(whole.len());
        if whole.len() <= LONG {
            return Mark { line, rows, text: whole.to_owned(), start, end, cut: false, kind, label };
        }
        let (before, rest) = whole.split_at(start);
        let (marked, after) = rest.split_at(end - start);
        let before = match before.char_indices().rev().nth(CONTEXT) {
            Some((at, c)) => format!("…{}", &before[at + c.len_utf8()..]),
            None => before.to_owned(),
        };
        let cut = |text: &str| match text.char_indices().nth(CONTEXT) {
            Some((at, _)) => format!("{}…", &text[..at]),
            None => text.to_owned(),
        };
        let (marked, after) = (cut(marked), cut(after));
        let (start, end) = (before.len(), before.len() + marked.len());
        Mark { line, rows, text: before + &marked + &after, start, end, cut: true, kind, label }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source {
        Source::new("fleet.toml", text.as_bytes()).unwrap()
    }

    #[test]
    fn near_places_share_a_snippet_and_far_ones_do_not() {
        let text = "a = 1\nb = 2\na = 3\n".to_owned() + &"#\n".repeat(20) + "a = 4\n";
        let source = source(&text);
        let twice = |at| {
            Diagnostic::error(&source, Span::new(at, at + 1), "twice".to_owned())
                .with_label("again")
                .with_also(Span::new(0, 1), "first")
                .render(false)
        };
        assert_eq!(
            twice(12),
            "\
error: twice
 --> fleet.toml:3:1
  |
1 | a = 1
  | - first
2 | b = 2
3 | a = 3
  | ^ again"
        );
        assert_eq!(
            twice(text.rfind('a').unwrap()),
            "\
error: twice
  --> fleet.toml:24:1
   |
24 | a = 4
   | ^ again
   |
  ::: fleet.toml:1:1
   |
 1 | a = 1
   | - first"
        );
    }

    #[test]
    fn two_places_of_one_line_are_marked_in_it() {
        let source = source("x = {a = 1, a = 2}\n");
        let d = Diagnostic::error(&source, Span::new(12, 13), "twice".to_owned())
            .with_also(Span::new(5, 6), "first")
            .with_help("take one out");
        assert_eq!(
            d.render(false),
            "\
error: twice
 --> fleet.toml:1:13
  |
1 | x = {a = 1, a = 2}
  |      -      ^
  |      |
  |      first
  |
  = help: take one out"
        );
    }

    #[test]
    fn a_line_of_a_megabyte_is_cut_around_the_place() {
        let text = format!("x\n{}BAD{}\n", "é".repeat(1 << 19), "z".repeat(1 << 19));
        let source = source(&text);
        let at = text.find("BAD").unwrap();
        let out = Diagnostic::error(&source, Span::new(at, at + 3), "bad".to_owned()).render(false);
        assert!(out.len() < 1000, "{out}");
        assert!(out.contains("fleet.toml:2:524289"), "{out}");
        assert!(out.contains("éBADz"), "{out}");
    }

    #[test]
    fn colour_is_escape_codes_and_plain_has_none() {
        let source = source("a\n");
        let d = Diagnostic::warning(&source, Span::new(0, 1), "hm".to_owned());
        assert!(d.render(true).contains("\u{1b}["));
        assert!(!d.render(false).contains('\u{1b}'));
        assert!(d.render(false).starts_with("warning: hm\n"));
    }
}
