//! YAML into the tree of [`crate::node`].
//!
//! The parser's events come with their places; this builds the tree without recursion and refuses
//! what no fleet file needs: aliases, keys that are not text, a key given twice, a second document.
//! What a product of our readers may refuse itself (document markers, anchors, tags, lists and
//! mappings in brackets) is allowed here and noted in [`Document::marks`].

use saphyr_parser::{Event, Parser, ScalarStyle};

use crate::diagnostic::{Diagnostic, ticked};
use crate::node::{Entry, MAX_DEPTH, Node, Scalar, ScalarKind, Value};
use crate::report::Report;
use crate::source::{Source, Span};

/// A YAML document and the marks in it that some products refuse.
pub(crate) struct Document {
    pub(crate) root: Node,
    pub(crate) marks: Vec<(Mark, Span)>,
}

/// Syntax beyond keys, values and dashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    DocumentMarker,
    Anchor,
    Tag,
    Brackets,
}

/// A list or mapping that is being filled.
enum Open {
    List { span: Span, items: Vec<Node> },
    Map { span: Span, entries: Vec<Entry>, key: Option<(String, Span)>, seen: Keys },
}

/// Where each key of a mapping was first.
type Keys = std::collections::HashMap<String, Span>;

/// Reads the one document of a file. An empty one gives `None`; errors are in the report then or
/// the tree is whole.
pub(crate) fn read(report: &mut Report) -> Option<Document> {
    let source = report.source.clone();
    let mut offsets = Offsets::new(&source);
    let mut parser = Parser::new_from_str(source.text());
    let mut open: Vec<Open> = Vec::new();
    let mut root: Option<Node> = None;
    let mut marks = Vec::new();
    while let Some(next) = parser.next_event() {
        let (event, place) = match next {
            Ok(next) => next,
            Err(error) => {
                let at = offsets.byte(error.marker().index());
                report.push(syntax(&source, at, error.info()));
                return None;
            }
        };
        let span = Span::new(offsets.byte(place.start.index()), offsets.byte(place.end.index()));
        let bracket = source.slice(span).trim_end().ends_with(['[', '{']);
        let node = match event {
            Event::DocumentStart(explicit) => {
                if root.is_some() {
                    report.push(
                        report
                            .error_at(
                                span,
                                format!(
                                    "{} begins a second document, and a file holds one",
                                    ticked(source.slice(span))
                                ),
                            )
                            .with_help("put each document into a file of its own"),
                    );
                    return None;
                }
                if explicit {
                    marks.push((Mark::DocumentMarker, span));
                }
                continue;
            }
            Event::DocumentEnd => {
                if source.slice(span) == "..." {
                    marks.push((Mark::DocumentMarker, span));
                }
                continue;
            }
            Event::Alias(_) => {
                let alias = ticked(source.slice(span));
                report.push(
                    report
                        .error_at(span, format!("the alias {alias} is not followed"))
                        .with_help("write out what it stands for"),
                );
                return None;
            }
            Event::Scalar(text, style, anchor, tag) => {
                note(&mut marks, anchor > 0, tag.is_some(), false, span);
                let span = trimmed(&source, span);
                let nothing = text.is_empty() && style == ScalarStyle::Plain;
                let kind = if nothing { ScalarKind::Nothing } else { ScalarKind::Untyped };
                Node { span, value: Value::Scalar(Scalar { text: text.into_owned(), kind }) }
            }
            Event::SequenceStart(anchor, tag) => {
                note(&mut marks, anchor > 0, tag.is_some(), bracket, span);
                open.push(Open::List { span, items: Vec::new() });
                if too_deep(&open, report, span) {
                    return None;
                }
                continue;
            }
            Event::MappingStart(anchor, tag) => {
                note(&mut marks, anchor > 0, tag.is_some(), bracket, span);
                open.push(Open::Map { span, entries: Vec::new(), key: None, seen: Keys::new() });
                if too_deep(&open, report, span) {
                    return None;
                }
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(Open::List { span: start, items }) => {
                    Node { span: over(start, span), value: Value::List(items) }
                }
                Some(Open::Map { span: start, entries, .. }) => {
                    Node { span: over(start, span), value: Value::Map(entries) }
                }
                None => continue,
            },
            Event::Nothing | Event::StreamStart | Event::StreamEnd => continue,
        };
        match open.last_mut() {
            None => root = Some(node),
            Some(Open::List { items, .. }) => items.push(node),
            Some(Open::Map { entries, key, seen, .. }) => match key.take() {
                None => {
                    let Value::Scalar(scalar) = &node.value else {
                        let begins = ticked(source.slice(node.span));
                        let message = format!("a key is a word, and {begins} begins {}", node.describe());
                        report.error(node.span, message);
                        return None;
                    };
                    *key = Some((scalar.text.clone(), node.span));
                }
                Some((key, key_span)) => match seen.get(&key) {
                    Some(&first) => duplicate_key(report, &key, first, key_span),
                    None => {
                        seen.insert(key.clone(), key_span);
                        entries.push(Entry { key, key_span, value: node });
                    }
                },
            },
        }
    }
    root.map(|root| Document { root, marks })
}

/// The complaint of every format about a key that is there twice.
pub(crate) fn duplicate_key(report: &mut Report, key: &str, first: Span, second: Span) {
    let lines = (report.source.line_of(first.start()), report.source.line_of(second.start()));
    let message = format!("{} is given twice, on lines {} and {}", ticked(key), lines.0, lines.1);
    report
        .push(report.error_at(second, message).with_label("again here").with_also(first, "first given here"));
}

/// From the opening of a list or mapping to its end; blocks have places without extent.
fn over(start: Span, end: Span) -> Span {
    if start.is_empty() { start } else { Span::new(start.start(), end.end()) }
}

/// Quoted scalars are reported with the blanks that follow them.
fn trimmed(source: &Source, span: Span) -> Span {
    Span::new(span.start(), span.start() + source.slice(span).trim_end().len())
}

fn too_deep(open: &[Open], report: &mut Report, span: Span) -> bool {
    let deep = open.len() > MAX_DEPTH;
    if deep {
        report.error(span, format!("nested more than {MAX_DEPTH} levels deep"));
    }
    deep
}

fn note(marks: &mut Vec<(Mark, Span)>, anchor: bool, tag: bool, brackets: bool, span: Span) {
    let found = [(anchor, Mark::Anchor), (tag, Mark::Tag), (brackets, Mark::Brackets)];
    marks.extend(found.into_iter().filter(|(is, _)| *is).map(|(_, mark)| (mark, span)));
}

/// The parser's complaint in its own words, with the text it stumbled over.
fn syntax(source: &Source, at: usize, info: &str) -> Diagnostic {
    let number = source.line_of(at);
    let line = source.line(number);
    let (before, rest) = line.split_at((at - source.line_start(number)).min(line.len()));
    let word = rest.split_whitespace().next().unwrap_or("");
    let (span, near) = if word.is_empty() {
        (Span::new(at, at), "the end of the line".to_owned())
    } else {
        let start = at + (rest.len() - rest.trim_start().len());
        (Span::new(start, start + word.len()), ticked(word))
    };
    let diagnostic = Diagnostic::error(source, span, format!("not YAML at {near}: {info}"));
    let value = before.trim_start().trim_start_matches(['-', ' ']);
    if before.contains('\t') {
        diagnostic.with_help("YAML is indented with spaces; a tab is none")
    } else if value.starts_with('[') || value.starts_with('{') {
        diagnostic.with_help("text that begins with a bracket stands in quotes")
    } else if info.starts_with("mapping values are not allowed") {
        diagnostic.with_help(
            "text with a colon and a blank stands in quotes; a key is indented like its neighbours",
        )
    } else if info.contains("quoted scalar") {
        diagnostic.with_help("the quote has no other")
    } else {
        diagnostic
    }
}

/// From the parser's places, counted in characters, to bytes. Places come mostly in order, so a
/// table of every 256th character makes each a short walk.
struct Offsets<'s> {
    text: &'s str,
    /// The byte of every 256th character; empty for ASCII, where the two counts are one.
    table: Vec<usize>,
}

impl<'s> Offsets<'s> {
    const STEP: usize = 256;

    fn new(source: &'s Source) -> Offsets<'s> {
        let text = source.text();
        let table = if text.is_ascii() {
            Vec::new()
        } else {
            text.char_indices().step_by(Offsets::STEP).map(|(at, _)| at).collect()
        };
        Offsets { text, table }
    }

    fn byte(&mut self, character: usize) -> usize {
        if self.table.is_empty() {
            return character.min(self.text.len());
        }
        let Some(&from) = self.table.get(character / Offsets::STEP) else {
            return self.text.len();
        };
        let walk = self.text[from..].char_indices().nth(character % Offsets::STEP);
        walk.map_or(self.text.len(), |(at, _)| from + at)
    }
}
