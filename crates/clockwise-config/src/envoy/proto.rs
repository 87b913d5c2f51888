//! Protobuf messages written as YAML or JSON: fields in snake_case or camelCase, numbers and truth
//! values with or without quotes, enums as words in any case or as numbers.

use crate::diagnostic::{MAX_DIAGNOSTICS, quoted, ticked};
use crate::fields;
use crate::node::{Entry, Node, Scalar, ScalarKind, Value};
use crate::report::Report;
use crate::source::Span;
use crate::suggest::{nearest, one_of};

/// A message and what complaints call it.
pub(super) struct Message<'n> {
    pub(super) what: String,
    /// Where to say that a field is missing.
    pub(super) span: Span,
    entries: &'n [Entry],
}

impl<'n> Message<'n> {
    /// The fields of a node. Nothing at all is a message without fields.
    pub(super) fn of(report: &mut Report, node: &'n Node, what: String, span: Span) -> Option<Message<'n>> {
        match &node.value {
            Value::Map(entries) => Some(Message { what, span, entries }),
            Value::Scalar(scalar) if scalar.kind == ScalarKind::Nothing => {
                Some(Message { what, span, entries: &[] })
            }
            _ => {
                let this = fields::shown(report, node);
                let message = format!("{what} holds fields, and {this} is {}", node.describe());
                report.error(if node.span.is_empty() { span } else { node.span }, message);
                None
            }
        }
    }

    /// The same under another name.
    pub(super) fn called(self, what: String, span: Span) -> Message<'n> {
        Message { what, span, ..self }
    }

    /// The field of that name in snake_case, if it is set.
    pub(super) fn get(&self, name: &str) -> Option<&'n Entry> {
        get(self.entries, name)
    }

    /// The message in a field, if it is set. (An error is in the report.)
    pub(super) fn message(&self, report: &mut Report, name: &str) -> Option<Message<'n>> {
        let entry = self.get(name)?;
        Message::of(report, &entry.value, ticked(&entry.key), entry.key_span)
    }

    /// The items of a repeated field; one that is no list stands for itself, as Envoy has it.
    pub(super) fn items(&self, name: &str) -> &'n [Node] {
        self.get(name).map_or(&[], |entry| items(&entry.value))
    }

    /// Refuses fields that the message does not have, and one under both of its names.
    pub(super) fn only(&self, report: &mut Report, known: &[&str]) {
        for entry in self.entries {
            if report.is_full() {
                report.count_one_more();
                continue;
            }
            match known.iter().find(|name| is_called(&entry.key, name)) {
                Some(name) => {
                    let first = self.entries.iter().find(|other| is_called(&other.key, name));
                    if let Some(first) = first.filter(|first| first.key != entry.key) {
                        report.duplicate_key(&entry.key, first.key_span, entry.key_span);
                    }
                }
                None if entry.key == "<<" => {
                    let message = format!("{} has a merge key, `<<`, which Envoy does not know", self.what);
                    let help = "Envoy takes an alias as a whole value: `key: *anchor`";
                    report.push(report.error_at(entry.key_span, message).with_help(help));
                }
                None => {
                    let message = format!("{} has no field {}", self.what, ticked(&entry.key));
                    let error = report.error_at(entry.key_span, message);
                    // Where many pass, no time is spent on what they were meant to be.
                    if report.warnings() > MAX_DIAGNOSTICS {
                        report.lenient(error);
                        continue;
                    }
                    report.lenient(match nearest(&snake(&entry.key), known.iter().copied()) {
                        Some(meant) => error.with_help(format!("did you mean `{meant}`?")),
                        None => error,
                    });
                }
            }
        }
    }
}

/// The entry of a field, if it is set.
pub(super) fn get<'n>(entries: &'n [Entry], name: &str) -> Option<&'n Entry> {
    let is_set = |entry: &&Entry| entry.value.as_scalar().is_none_or(|s| s.kind != ScalarKind::Nothing);
    entries.iter().find(|entry| is_called(&entry.key, name)).filter(is_set)
}

/// The items of a list, or what stands in its place.
pub(super) fn items(node: &Node) -> &[Node] {
    match &node.value {
        Value::List(items) => items,
        _ => std::slice::from_ref(node),
    }
}

/// Whether a key is a field's name, in snake_case or in camelCase.
fn is_called(key: &str, name: &str) -> bool {
    if key == name {
        return true;
    }
    let mut upper = false;
    let mut rest = key.chars();
    for letter in name.chars() {
        if letter == '_' {
            upper = true;
            continue;
        }
        let letter = if upper { letter.to_ascii_uppercase() } else { letter };
        upper = false;
        if rest.next() != Some(letter) {
            return false;
        }
    }
    rest.next().is_none()
}

/// A key in snake_case.
fn snake(key: &str) -> String {
    let mut text = String::new();
    for letter in key.chars().take(60) {
        if letter.is_ascii_uppercase() {
            text.push('_');
        }
        text.push(letter.to_ascii_lowercase());
    }
    text
}

/// Text. A plain number or truth value of YAML is none.
pub(super) fn text<'n>(report: &mut Report, entry: &'n Entry) -> Option<&'n str> {
    match entry.value.as_scalar() {
        Some(scalar) if is_text(scalar) => Some(&scalar.text),
        Some(scalar) if scalar.kind == ScalarKind::Untyped => {
            let message = format!("{} takes text, and {} is none", ticked(&entry.key), ticked(&scalar.text));
            let help = format!("put it in quotes: {}", quoted(&scalar.text));
            report.push(report.error_at(entry.place(), message).with_help(help));
            None
        }
        _ => {
            fields::wrong_type(report, entry, "text");
            None
        }
    }
}

/// Whether a scalar is text to Envoy: in quotes, or plain and neither a truth value nor a number of
/// at most 32 bits. (What has a fraction or more bits is handed on as text.)
pub(super) fn is_text(scalar: &Scalar) -> bool {
    match scalar.kind {
        ScalarKind::Text => true,
        ScalarKind::Untyped => {
            !is_bool(&scalar.text) && whole(&scalar.text).is_none_or(|number| i32::try_from(number).is_err())
        }
        _ => false,
    }
}

/// The words that YAML 1.1 has for truth values.
fn is_bool(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let is_cased = text == lower
        || text == text.to_ascii_uppercase()
        || (text.starts_with(|c: char| c.is_ascii_uppercase()) && text[1..] == lower[1..]);
    is_cased && ["y", "n", "yes", "no", "true", "false", "on", "off"].contains(&lower.as_str())
}

/// A plain whole number of YAML: decimal or hexadecimal. (Octal ones are told apart by [`number`].)
fn whole(text: &str) -> Option<i64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text),
    };
    let number = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(digits) if !digits.starts_with(['+', '-']) => i64::from_str_radix(digits, 16).ok()?,
        _ if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) => digits.parse().ok()?,
        _ => return None,
    };
    Some(sign * number)
}

/// A whole number within bounds, in any of the shapes that a protobuf takes: `5`, `"5"`, `5.0`,
/// `{value: 5}`.
pub(super) fn number(report: &mut Report, entry: &Entry, least: u64, most: u64) -> Option<u64> {
    let node = match &entry.value.value {
        Value::Map(entries) if entries.len() == 1 && entries[0].key == "value" => &entries[0].value,
        _ => &entry.value,
    };
    let span = if node.span.is_empty() { entry.place() } else { node.span };
    let key = ticked(&entry.key);
    let Some(scalar) = node.as_scalar().filter(|scalar| scalar.kind != ScalarKind::Boolean) else {
        fields::wrong_type(report, entry, "a whole number");
        return None;
    };
    let text = scalar.text.as_str();
    let plain = scalar.kind == ScalarKind::Untyped;
    if plain && text.len() > 1 && text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit()) {
        let message = format!("{key} is {}, which is octal in YAML", ticked(text));
        report.push(report.error_at(span, message).with_help("write it without the leading zero"));
        return None;
    }
    let value = match text.parse::<i128>() {
        Ok(value) if !text.starts_with('+') => Some(value),
        _ if plain && whole(text).is_some() => whole(text).map(i128::from),
        _ => {
            let float = text.parse::<f64>().ok().filter(|_| !text.starts_with('+'));
            float.filter(|value| value.fract() == 0.0 && value.abs() < 1e18).map(|value| value as i128)
        }
    };
    let Some(value) = value else {
        let message = format!("{key} is {}, and a whole number is expected", quoted(text));
        report.error(span, message);
        return None;
    };
    let value = u64::try_from(value).ok().filter(|value| (least..=most).contains(value));
    if value.is_none() {
        let message = format!("{key} is {}, and it goes from {least} to {most}", quoted(text));
        report.error(span, message);
    }
    value
}

/// `true` or `false`, in quotes or not, or another of YAML's words for them.
pub(super) fn boolean(report: &mut Report, entry: &Entry) -> Option<bool> {
    match entry.value.as_scalar() {
        Some(scalar) if matches!(scalar.text.as_str(), "true" | "false") => Some(scalar.text == "true"),
        Some(scalar) if scalar.kind == ScalarKind::Untyped && is_bool(&scalar.text) => {
            Some(matches!(scalar.text.to_ascii_lowercase().as_str(), "y" | "yes" | "true" | "on"))
        }
        _ => {
            fields::wrong_type(report, entry, "true or false");
            None
        }
    }
}

/// One of an enum's words, in any case or by its number.
pub(super) fn word<T: Copy>(report: &mut Report, entry: &Entry, words: &[(&str, u64, T)]) -> Option<T> {
    let Some(scalar) = entry.value.as_scalar() else {
        fields::wrong_type(report, entry, "a word");
        return None;
    };
    let is_meant = |(word, number, _): &&(&str, u64, T)| {
        word.eq_ignore_ascii_case(&scalar.text) || scalar.text.parse() == Ok(*number)
    };
    let found = words.iter().find(is_meant).map(|(_, _, value)| *value);
    if found.is_none() {
        let known = || words.iter().map(|(word, _, _)| *word);
        let help = match nearest(&scalar.text, known()) {
            Some(meant) => format!("did you mean {meant}?"),
            None => format!("it is {}", one_of(known())),
        };
        let message = format!("there is no {} {}", entry.key, quoted(&scalar.text));
        report.push(report.error_at(entry.place(), message).with_help(help));
    }
    found
}

/// The type of a message in an `Any`: what stands behind the last `/` of its `@type`.
pub(super) fn any_type(node: &Node) -> Option<&str> {
    let Value::Map(entries) = &node.value else { return None };
    let entry = entries.iter().find(|entry| entry.key == "@type")?;
    entry.value.as_scalar().map(|scalar| scalar.text.rsplit('/').next().unwrap_or(&scalar.text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scalar(text: &str, kind: ScalarKind) -> Scalar {
        Scalar { text: text.to_owned(), kind }
    }

    #[test]
    fn fields_have_two_names() {
        for (key, name, is) in [
            ("lb_policy", "lb_policy", true),
            ("lbPolicy", "lb_policy", true),
            ("LbPolicy", "lb_policy", false),
            ("lbpolicy", "lb_policy", false),
            ("lb_Policy", "lb_policy", false),
            ("lbPolicyX", "lb_policy", false),
            ("http2ProtocolOptions", "http2_protocol_options", true),
            ("name", "name", true),
            ("", "name", false),
        ] {
            assert_eq!(is_called(key, name), is, "{key} {name}");
        }
        assert_eq!(snake("lbPolcy"), "lb_polcy");
    }

    #[test]
    fn plain_words_are_text_unless_yaml_makes_them_something_else() {
        for text in ["a", "1.5", "10.0.0.1", "4294967296", "yES", "nope", "", "-", "0x"] {
            assert!(is_text(&scalar(text, ScalarKind::Untyped)), "{text}");
        }
        for text in ["10", "-1", "0x1F", "yes", "Yes", "TRUE", "off", "n"] {
            assert!(!is_text(&scalar(text, ScalarKind::Untyped)), "{text}");
            assert!(is_text(&scalar(text, ScalarKind::Text)), "{text}");
        }
        assert!(!is_text(&scalar("1.5", ScalarKind::Float)));
    }
}
