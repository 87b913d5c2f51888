//! Keys of a mapping, read by name and checked by type, with one wording for all formats.

use crate::diagnostic::{Diagnostic, quoted, ticked};
use crate::fleet::SettingPlace;
use crate::node::{Entry, Node, ScalarKind, Value};
use crate::report::Report;
use crate::source::Span;
use crate::suggest::{nearest, one_of};

/// A mapping and what messages call it.
pub(crate) struct Fields<'n> {
    /// `[placement]`, `server "cache-1"`, `pool "alpha"`.
    pub(crate) what: String,
    /// Where to say that a key is missing.
    pub(crate) span: Span,
    entries: &'n [Entry],
}

impl<'n> Fields<'n> {
    /// The keys of a node, which must be a mapping.
    pub(crate) fn of(report: &mut Report, node: &'n Node, what: String, span: Span) -> Option<Fields<'n>> {
        match &node.value {
            Value::Map(entries) => Some(Fields { what, span, entries }),
            Value::Scalar(scalar) if scalar.kind == ScalarKind::Nothing => {
                report.error(span, format!("{what} is empty"));
                None
            }
            _ => {
                let this = shown(report, node);
                let message = format!("{what} holds keys with values, and {this} is {}", node.describe());
                report.error(if node.span.is_empty() { span } else { node.span }, message);
                None
            }
        }
    }

    /// The same under another name.
    pub(crate) fn called(self, what: String) -> Fields<'n> {
        Fields { what, ..self }
    }

    /// The entry of that key.
    pub(crate) fn get(&self, key: &str) -> Option<&'n Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// All entries, in the order of the file.
    pub(crate) fn entries(&self) -> &'n [Entry] {
        self.entries
    }

    /// The values of chosen keys, as settings of a placement.
    pub(crate) fn settings(&self, chosen: impl Fn(&str) -> bool) -> Vec<SettingPlace> {
        let chosen = self.entries.iter().filter(|entry| chosen(&entry.key));
        let scalar = |entry: &Entry| {
            let text = entry.value.as_scalar()?.text.clone();
            Some(SettingPlace { key: entry.key.clone(), text, span: entry.value.span })
        };
        chosen.filter_map(scalar).collect()
    }

    /// Refuses keys that are not known, with the one that was probably meant.
    pub(crate) fn refuse_unknown(&self, report: &mut Report, known: &[&str]) {
        self.unknown(report, known, |report, _, refused| report.push(refused));
    }

    /// Hands on the complaint about each key that is not known.
    pub(crate) fn unknown(
        &self,
        report: &mut Report,
        known: &[&str],
        refuse: impl Fn(&mut Report, &Entry, Diagnostic),
    ) {
        for entry in self.entries.iter().filter(|entry| !known.contains(&entry.key.as_str())) {
            if report.is_full() {
                report.count_one_more();
                continue;
            }
            let message = format!("{} has no key {}", self.what, ticked(&entry.key));
            let help = match nearest(&entry.key, known.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("its keys are {}", known.join(", ")),
            };
            let unknown = report.error_at(entry.key_span, message).with_help(help);
            refuse(report, entry, unknown);
        }
    }
}

/// A text value: in quotes where the format tells text from numbers.
pub(crate) fn text<'n>(report: &mut Report, entry: &'n Entry) -> Option<&'n str> {
    match &entry.value.value {
        Value::Scalar(scalar) if matches!(scalar.kind, ScalarKind::Text | ScalarKind::Untyped) => {
            Some(&scalar.text)
        }
        _ => {
            wrong_type(report, entry, "text");
            None
        }
    }
}

/// One of a few words.
pub(crate) fn word<T: Copy>(
    report: &mut Report,
    entry: &Entry,
    what: &str,
    words: &[(&str, T)],
) -> Option<T> {
    let text = text(report, entry)?;
    if let Some((_, value)) = words.iter().find(|(word, _)| *word == text) {
        return Some(*value);
    }
    let known = || words.iter().map(|(word, _)| *word);
    let help = match nearest(text, known()) {
        Some(meant) => format!("did you mean {}?", quoted(meant)),
        None => format!("{} is {}", ticked(&entry.key), one_of(known())),
    };
    let message = format!("there is no {what} {}", quoted(text));
    report.push(report.error_at(entry.place(), message).with_help(help));
    None
}

/// A whole number in decimal within bounds. In a format that tells text from numbers it must be a
/// number there.
pub(crate) fn integer(report: &mut Report, entry: &Entry, least: u64, most: u64) -> Option<u64> {
    let key = ticked(&entry.key);
    let scalar = match entry.value.as_scalar() {
        Some(scalar)
            if matches!(scalar.kind, ScalarKind::Integer | ScalarKind::Float | ScalarKind::Untyped) =>
        {
            scalar
        }
        _ => {
            wrong_type(report, entry, "a whole number");
            return None;
        }
    };
    let number = match scalar.kind {
        ScalarKind::Integer => Some(scalar.text.replace('_', "")),
        ScalarKind::Untyped => Some(scalar.text.clone()),
        _ => None,
    };
    let digits = number.filter(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()));
    let Some(digits) = digits else {
        let message = format!("{key} is {}, and a whole number is expected", quoted(&scalar.text));
        report.error(entry.place(), message);
        return None;
    };
    let value = digits.parse::<u64>().ok().filter(|value| (least..=most).contains(value));
    if value.is_none() {
        let message = format!("{key} is {}, and it goes from {least} to {most}", quoted(&scalar.text));
        report.error(entry.place(), message);
    }
    value
}

/// `true` or `false` of a format that has truth values.
pub(crate) fn boolean(report: &mut Report, entry: &Entry) -> Option<bool> {
    match entry.value.as_scalar() {
        Some(scalar) if scalar.kind == ScalarKind::Boolean => Some(scalar.text == "true"),
        _ => {
            wrong_type(report, entry, "true or false");
            None
        }
    }
}

/// "`weight` takes a whole number, and `[1]` is a list".
pub(crate) fn wrong_type(report: &mut Report, entry: &Entry, expected: &str) {
    let key = ticked(&entry.key);
    let message = match entry.value.as_scalar() {
        Some(scalar) if scalar.kind == ScalarKind::Nothing => format!("{key} has no value"),
        _ => {
            format!(
                "{key} takes {expected}, and {} is {}",
                shown(report, &entry.value),
                entry.value.describe()
            )
        }
    };
    let diagnostic = report.error_at(entry.place(), message);
    report.push(match entry.value.as_scalar() {
        Some(scalar) if expected == "text" && scalar.kind != ScalarKind::Nothing => {
            diagnostic.with_help(format!("put it in quotes: {}", quoted(&scalar.text)))
        }
        _ => diagnostic,
    });
}

/// A value as it stands in the file, for "… is expected, and `…` is a list".
pub(crate) fn shown(report: &Report, node: &Node) -> String {
    match report.source.slice(node.span).lines().next().map_or("", str::trim) {
        // A block, which begins with its first key or dash and has no extent of its own.
        "" => "this".to_owned(),
        text => ticked(text),
    }
}
