//! TOML into the tree of [`crate::node`].
//!
//! The parser goes on after an error, so all of a file's syntax errors come out at once (the first
//! of each line: the others follow from it). Of files beyond [`RECOVERABLE`] only the first is
//! reported, which keeps the memory that a hostile one can take within a few times its size.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::diagnostic::{Diagnostic, quoted, ticked};
use crate::node::{Entry, Node, Scalar, ScalarKind, Value};
use crate::report::Report;
use crate::source::{Source, Span};

/// The largest file whose syntax errors are all reported, 1 MiB.
const RECOVERABLE: usize = 1 << 20;

/// Reads a file. On a syntax error the report has it and there is no tree; with keys given twice
/// the report has them and the tree keeps the first of each.
pub(crate) fn read(report: &mut Report) -> Option<Node> {
    let source = report.source.clone();
    let (table, errors) = if source.text().len() <= RECOVERABLE {
        let (table, errors) = DeTable::parse_recoverable(source.text());
        (table.into_inner(), errors)
    } else {
        match DeTable::parse(source.text()) {
            Ok(table) => (table.into_inner(), Vec::new()),
            Err(error) => (DeTable::new(), vec![error]),
        }
    };
    let mut entries = entries(&source, table);
    entries.sort_by_key(|entry| entry.key_span);
    let root = Node { span: Span::new(0, 0), value: Value::Map(entries) };
    let mut broken = false;
    let mut last_line = 0;
    let mut errors: Vec<(Span, &str)> =
        errors.iter().map(|error| (place(&source, error.span()), error.message())).collect();
    errors.sort_by_key(|(span, _)| *span);
    for (span, message) in errors {
        if message == "duplicate key" {
            let key = source.slice(span).trim_matches(['"', '\'']);
            if report.is_full() {
                report.count_one_more();
            } else {
                let first = first_of(&source, &root, key, span).unwrap_or(span);
                report.duplicate_key(key, first, span);
            }
            continue;
        }
        broken = true;
        let line = source.line_of(span.start());
        if line != last_line {
            report.push(syntax(&source, span, message));
        }
        last_line = line;
    }
    (!broken).then_some(root)
}

fn entries(source: &Source, table: DeTable<'_>) -> Vec<Entry> {
    table
        .into_iter()
        .map(|(key, value)| Entry {
            key_span: span(key.span()),
            key: key.into_inner().into_owned(),
            value: node(source, value),
        })
        .collect()
}

/// The parser bounds the depth, so this recursion is bounded as well.
fn node(source: &Source, value: Spanned<DeValue<'_>>) -> Node {
    let span = span(value.span());
    // Numbers, dates and truth values as they are written; strings as they read.
    let written = |kind| Scalar { text: source.slice(span).to_owned(), kind };
    let value = match value.into_inner() {
        DeValue::String(text) => Value::Scalar(Scalar { text: text.into_owned(), kind: ScalarKind::Text }),
        DeValue::Integer(_) => Value::Scalar(written(ScalarKind::Integer)),
        DeValue::Float(_) => Value::Scalar(written(ScalarKind::Float)),
        DeValue::Boolean(_) => Value::Scalar(written(ScalarKind::Boolean)),
        DeValue::Datetime(_) => Value::Scalar(written(ScalarKind::Date)),
        DeValue::Array(items) => Value::List(items.into_iter().map(|item| node(source, item)).collect()),
        DeValue::Table(table) => {
            let mut entries = entries(source, table);
            entries.sort_by_key(|entry| entry.key_span);
            Value::Map(entries)
        }
    };
    Node { span, value }
}

fn span(range: std::ops::Range<usize>) -> Span {
    Span::new(range.start, range.end)
}

/// Where the parser points. It gives no place for keys of too many parts; they are found by their dots.
fn place(source: &Source, range: Option<std::ops::Range<usize>>) -> Span {
    if let Some(range) = range {
        return span(range);
    }
    let mut lines = source.text().split_inclusive('\n');
    let mut start = 0;
    let found = lines.find(|line| {
        start += line.len();
        line.bytes().filter(|&byte| byte == b'.').count() >= 80
    });
    match found {
        Some(line) => Span::new(start - line.len(), start - line.len() + line.trim_end().len()),
        None => Span::new(0, 0),
    }
}

/// The first place of a key that is given again at `second`: the nearest before it, not looking
/// into tables in braces that ended before.
fn first_of(source: &Source, node: &Node, key: &str, second: Span) -> Option<Span> {
    let ended = source.slice(node.span).starts_with('{') && node.span.end() <= second.start();
    match &node.value {
        Value::Scalar(_) => None,
        Value::Map(_) if ended => None,
        Value::List(items) => items.iter().filter_map(|item| first_of(source, item, key, second)).max(),
        Value::Map(entries) => {
            let own = entries.iter().filter(|entry| entry.key == key && entry.key_span < second);
            let own = own.map(|entry| entry.key_span).max();
            let nested = entries.iter().filter_map(|entry| first_of(source, &entry.value, key, second));
            own.into_iter().chain(nested).max()
        }
    }
}

/// The parser's complaint, with the text it stumbled over.
fn syntax(source: &Source, at: Span, message: &str) -> Diagnostic {
    let line = source.line_of(at.start());
    let text = source.line(line);
    let column = (source.boundary(at.start()) - source.line_start(line)).min(text.len());
    // An empty place is shown by the word that follows it, or the one before at the end of a line.
    let after = text[column..].trim_start();
    let (start, word) = if !at.is_empty() {
        (column, source.slice(at))
    } else if let Some(word) = after.split_whitespace().next() {
        (text.len() - after.len(), word)
    } else {
        let before = text[..column].trim_end();
        let word = before.split_whitespace().next_back().unwrap_or("");
        (before.len() - word.len(), word)
    };
    // The file's indentation is none of the word.
    let (start, word) = (start + word.len() - word.trim_start().len(), word.trim_start());
    let start = source.line_start(line) + start;
    let span = Span::new(start, start + word.len());
    let near = if word.is_empty() { "the end of the line".to_owned() } else { ticked(word) };
    let unquoted =
        message.starts_with("string values must be quoted") || message.starts_with("invalid boolean");
    if unquoted && at.is_empty() {
        return Diagnostic::error(source, span, format!("no value follows {near}"));
    }
    if unquoted {
        return Diagnostic::error(source, span, format!("{near} is not a value"))
            .with_help(format!("text stands in quotes: {}", quoted(word)));
    }
    if message.starts_with("cannot recurse") || message.starts_with("recursion limit") {
        return Diagnostic::error(source, span, format!("nested more than 80 levels deep at {near}"));
    }
    Diagnostic::error(source, span, format!("not TOML at {near}: {message}"))
}
