//! YAML into the tree of [`crate::node`].
//!
//! The parser's events come with their places; this builds the tree without recursion and refuses
//! what no fleet file needs: keys that are not text, a second document. An alias is a copy of what its
//! anchor marks; how far copies make a file grow is bounded.
//!
//! What a product of our readers may refuse itself (document markers, anchors, aliases, tags, lists and
//! mappings in brackets) is allowed here and noted in [`Document::marks`].
//!
//! [`read`] is for a product that refuses all of those: there `<<` takes in the keys of a mapping, as
//! whoever writes it means, and when a file is read leniently the last of several equal keys counts.
//! [`read_with_aliases`] is for products that follow aliases: a key with the tag `!ignore` only holds
//! anchors there, and quoted text is told from plain, which may be a number.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use saphyr_parser::{Event, Parser, ScalarStyle, Tag};

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
    Alias,
    Tag,
    Brackets,
    /// A key that stands a second time.
    Again,
}

/// The tree while it grows: what is open, from the outside in.
#[derive(Default)]
struct Tree {
    open: Vec<Open>,
    root: Option<Node>,
    /// What anchors mark, by their numbers.
    anchors: HashMap<usize, Anchored>,
    /// How many values were copied.
    copied: usize,
    /// For a product that tells quoted text from plain, and passes over keys tagged `!ignore`.
    typed: bool,
    /// Whether `<<` takes in the keys of other mappings.
    merges: bool,
    /// Where the last of several equal keys counts, the places of those that were not the first.
    again: Option<Vec<Span>>,
}

/// A value that an anchor marks.
struct Anchored {
    node: Node,
    values: usize,
    levels: usize,
}

/// How many values anchors and aliases may copy in all.
const MAX_COPIED: usize = 1 << 17;

/// A list or mapping that is being filled.
enum Open {
    List { span: Span, anchor: usize, items: Vec<Node> },
    Map { span: Span, anchor: usize, entries: Vec<Entry>, key: Option<Key>, seen: Keys },
}

/// A key that waits for its value.
struct Key {
    text: String,
    span: Span,
    /// Tagged `!ignore`: there for the anchors in its value.
    ignored: bool,
}

/// Where each key of a mapping was first, and which of its entries it is.
type Keys = HashMap<String, (Span, usize)>;

/// Nothing more can be made of the file; the report says why.
struct Stop;

/// Reads the one document of a file, for a product that refuses the marks. Without one, or with an
/// error that ends the reading, there is nothing. Keys given twice are in the report, and the tree has
/// the first of each; leniently they are marks, and the tree has the last.
pub(crate) fn read(report: &mut Report, lenient: bool) -> Option<Document> {
    let again = lenient.then(Vec::new);
    read_tree(report, Tree { merges: true, again, ..Tree::default() })
}

/// The same for a product that follows aliases.
pub(crate) fn read_with_aliases(report: &mut Report) -> Option<Document> {
    read_tree(report, Tree { typed: true, ..Tree::default() })
}

fn read_tree(report: &mut Report, mut tree: Tree) -> Option<Document> {
    let source = report.source.clone();
    let offsets = Offsets::new(&source);
    let mut parser = Parser::new_from_str(&offsets.text);
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
        note(&mut marks, &source, &event, span);
        tree.take(report, event, span).ok()?;
    }
    marks.extend(tree.again.unwrap_or_default().into_iter().map(|span| (Mark::Again, span)));
    tree.root.map(|root| Document { root, marks })
}

/// Writes down what an event shows beyond keys, values and dashes.
fn note(marks: &mut Vec<(Mark, Span)>, source: &Source, event: &Event<'_>, span: Span) {
    let text = source.slice(span);
    let mut mark = |is: bool, mark| {
        if is {
            marks.push((mark, span));
        }
    };
    match event {
        Event::DocumentStart(explicit) => mark(*explicit, Mark::DocumentMarker),
        Event::DocumentEnd => mark(text == "...", Mark::DocumentMarker),
        Event::Alias(_) => mark(true, Mark::Alias),
        Event::Scalar(_, _, anchor, tag) => {
            mark(*anchor > 0, Mark::Anchor);
            mark(tag.is_some(), Mark::Tag);
        }
        Event::SequenceStart(anchor, tag) | Event::MappingStart(anchor, tag) => {
            mark(*anchor > 0, Mark::Anchor);
            mark(tag.is_some(), Mark::Tag);
            mark(text.trim_end().ends_with(['[', '{']), Mark::Brackets);
        }
        _ => {}
    }
}

impl Tree {
    fn take(&mut self, report: &mut Report, event: Event<'_>, span: Span) -> Result<(), Stop> {
        let words = |report: &Report| ticked(report.source.slice(span));
        match event {
            Event::DocumentStart(_) if self.root.is_some() => {
                let message = format!("{} begins a second document, and a file holds one", words(report));
                let help = "put each document into a file of its own";
                report.push(report.error_at(span, message).with_help(help));
                Err(Stop)
            }
            Event::Alias(anchor) => self.alias(report, anchor, span),
            Event::Scalar(text, style, anchor, tag) => {
                // Quoted scalars come with the blanks that follow them.
                let length = report.source.slice(span).trim_end().len();
                let span = Span::new(span.start(), span.start() + length);
                let kind = match style {
                    ScalarStyle::Plain if text.is_empty() => ScalarKind::Nothing,
                    ScalarStyle::Plain => ScalarKind::Untyped,
                    _ if self.typed => ScalarKind::Text,
                    _ => ScalarKind::Untyped,
                };
                let ignored = self.typed && tag.as_deref().is_some_and(is_ignore);
                let scalar = Scalar { text: text.into_owned(), kind };
                self.add(report, Node { span, value: Value::Scalar(scalar) }, anchor, ignored)
            }
            Event::SequenceStart(anchor, _) => {
                self.begin(report, span, Open::List { span, anchor, items: Vec::new() })
            }
            Event::MappingStart(anchor, _) => {
                let map = Open::Map { span, anchor, entries: Vec::new(), key: None, seen: Keys::new() };
                self.begin(report, span, map)
            }
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(Open::List { span: start, anchor, items }) => {
                    let node = Node { span: over(start, span), value: Value::List(items) };
                    self.add(report, node, anchor, false)
                }
                Some(Open::Map { span: start, anchor, mut entries, .. }) => {
                    if self.merges {
                        entries = merged(entries);
                    }
                    let node = Node { span: over(start, span), value: Value::Map(entries) };
                    self.add(report, node, anchor, false)
                }
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn begin(&mut self, report: &mut Report, span: Span, open: Open) -> Result<(), Stop> {
        self.open.push(open);
        if self.open.len() > MAX_DEPTH {
            report.error(span, format!("nested more than {MAX_DEPTH} levels deep"));
            return Err(Stop);
        }
        Ok(())
    }

    /// Puts in what an alias stands for.
    fn alias(&mut self, report: &mut Report, anchor: usize, span: Span) -> Result<(), Stop> {
        let alias = ticked(report.source.slice(span));
        // An anchor is known once its value is complete.
        let Some(marked) = self.anchors.get(&anchor) else {
            report.error(span, format!("the alias {alias} stands within what it stands for"));
            return Err(Stop);
        };
        self.copied += marked.values;
        if self.copied > MAX_COPIED {
            report.error(span, format!("with {alias} the aliases copy more than {MAX_COPIED} values"));
            return Err(Stop);
        }
        if self.open.len() + marked.levels > MAX_DEPTH {
            report.error(span, format!("with {alias} nested more than {MAX_DEPTH} levels deep"));
            return Err(Stop);
        }
        let node = marked.node.clone();
        self.add(report, node, 0, false)
    }

    /// Keeps a copy of a value for the aliases of its anchor.
    fn mark(&mut self, report: &mut Report, node: &Node, anchor: usize) -> Result<(), Stop> {
        let (values, levels) = extent(node);
        self.copied += values;
        if self.copied > MAX_COPIED {
            let begins = ticked(report.source.slice(node.span).lines().next().unwrap_or(""));
            report.error(node.span, format!("anchors mark more than {MAX_COPIED} values: {begins}"));
            return Err(Stop);
        }
        self.anchors.insert(anchor, Anchored { node: node.clone(), values, levels });
        Ok(())
    }

    /// Puts a finished value where it belongs.
    fn add(&mut self, report: &mut Report, node: Node, anchor: usize, ignored: bool) -> Result<(), Stop> {
        if anchor > 0 {
            self.mark(report, &node, anchor)?;
        }
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(Open::List { items, .. }) => items.push(node),
            Some(Open::Map { entries, key, seen, .. }) => match key.take() {
                None => {
                    let Value::Scalar(scalar) = &node.value else {
                        let begins = ticked(report.source.slice(node.span));
                        let message = format!("a key is a word, and {begins} begins {}", node.describe());
                        report.error(node.span, message);
                        return Err(Stop);
                    };
                    *key = Some(Key { text: scalar.text.clone(), span: node.span, ignored });
                }
                Some(Key { ignored: true, .. }) => {}
                Some(Key { text: key, span: key_span, .. }) => match seen.get(&key) {
                    Some(&(first, index)) => match &mut self.again {
                        None => report.duplicate_key(&key, first, key_span),
                        Some(again) => {
                            again.push(key_span);
                            entries[index] = Entry { key, key_span, value: node };
                        }
                    },
                    None => {
                        seen.insert(key.clone(), (key_span, entries.len()));
                        entries.push(Entry { key, key_span, value: node });
                    }
                },
            },
        }
        Ok(())
    }
}

/// A mapping with the keys that `<<` takes in from others: those that it does not have itself, and of
/// several that the first one has.
fn merged(entries: Vec<Entry>) -> Vec<Entry> {
    let (merges, mut entries): (Vec<Entry>, Vec<Entry>) = entries
        .into_iter()
        .partition(|entry| entry.key == "<<" && !matches!(entry.value.value, Value::Scalar(_)));
    let mut have: HashSet<String> = entries.iter().map(|entry| entry.key.clone()).collect();
    for merge in merges {
        let others = match merge.value.value {
            Value::List(items) => items,
            _ => vec![merge.value],
        };
        for other in others {
            let Value::Map(more) = other.value else { continue };
            entries.extend(more.into_iter().filter(|entry| have.insert(entry.key.clone())));
        }
    }
    entries
}

/// How many values a value holds, itself included, and how deep they are nested.
fn extent(node: &Node) -> (usize, usize) {
    let nested = |(values, levels), node| {
        let (more, deep) = extent(node);
        (values + more, usize::max(levels, deep + 1))
    };
    match &node.value {
        Value::Scalar(_) => (1, 0),
        Value::List(items) => items.iter().fold((1, 1), nested),
        Value::Map(entries) => entries.iter().map(|entry| &entry.value).fold((1, 1), nested),
    }
}

/// `!ignore`, with which Envoy's files mark a key that is there for its anchors.
fn is_ignore(tag: &Tag) -> bool {
    tag.suffix == "ignore"
}

/// From the opening of a list or mapping to its end; blocks have places without extent.
fn over(start: Span, end: Span) -> Span {
    if start.is_empty() { start } else { Span::new(start.start(), end.end()) }
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

/// From the parser's places, counted in characters, to bytes of the source.
struct Offsets<'s> {
    /// What is parsed: the source without the blanks that indent it as a part of a file.
    text: Cow<'s, str>,
    /// By line of it: where it begins, and how many blanks were taken out before. Empty without any.
    taken: Vec<(usize, usize)>,
    /// The byte of every 256th character, so that each place is a short walk; empty for ASCII, where
    /// the two counts are one.
    table: Vec<usize>,
}

impl<'s> Offsets<'s> {
    const STEP: usize = 256;

    fn new(source: &'s Source) -> Offsets<'s> {
        let (mut text, mut taken) = (Cow::Borrowed(source.text()), Vec::new());
        if source.indent() > 0 {
            let (mut own, mut all) = (String::with_capacity(text.len()), 0);
            for line in source.text().split_inclusive('\n') {
                let blanks = line.len() - line.trim_start_matches(' ').len();
                let indent = source.indent().min(blanks);
                all += indent;
                taken.push((own.len(), all));
                own.push_str(&line[indent..]);
            }
            text = Cow::Owned(own);
        }
        let table = if text.is_ascii() {
            Vec::new()
        } else {
            text.char_indices().step_by(Offsets::STEP).map(|(at, _)| at).collect()
        };
        Offsets { text, taken, table }
    }

    fn byte(&self, character: usize) -> usize {
        let at = self.parsed(character);
        let line = self.taken.partition_point(|(start, _)| *start <= at);
        at + line.checked_sub(1).map_or(0, |line| self.taken[line].1)
    }

    /// The byte of the text that is parsed.
    fn parsed(&self, character: usize) -> usize {
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
