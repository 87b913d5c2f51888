//! Lists that name no client: one server a line, several with commas between, or in brackets.
//!
//! ```text
//! 10.0.0.1:11211 600
//! 10.0.0.2:11211 300   # weight 300
//! [2001:db8::1]:11211:5
//! ```
//!
//! A server is `host`, `host:port`, `host:port:weight` or a path; a weight may follow after a blank.
//! How keys are placed is not said: `--placement`. Where that is a memcached client's, a port that is
//! missing is 11211.

use clockwise::dialect::Dialect;
use clockwise::{Scheme, Server};

use super::server::{PORT, Taker, apart, joined};
use super::syntax::{Expr, Item, Kind, Reader, Value, tokens, whole};
use crate::diagnostic::{Diagnostic, quoted, ticked};
use crate::fleet::{PoolRead, ServerEntry, settle};
use crate::kind::significant;
use crate::report::Report;
use crate::source::Span;

/// How many lines tell what the text is.
const TOLD_BY: usize = 20;

/// Whether every line (of the first ones) is a server, or the whole is a list of them in brackets.
pub(super) fn is(text: &str) -> bool {
    bracketed(text).is_some() || is_lines(text)
}

fn is_lines(text: &str) -> bool {
    let mut lines = significant(text).take(TOLD_BY).map(|(_, line)| {
        let line = without_comment(line.trim());
        line.strip_prefix("- ").unwrap_or(line)
    });
    // The first line can only be servers, and the others may be wrong ones.
    let is_servers = |line: &str| {
        line.split(',').filter(|item| !item.trim().is_empty()).all(|item| {
            let mut words = item.split_whitespace();
            let place = words.next().is_some_and(is_place);
            place && words.next().is_none_or(|weight| whole(weight).is_some()) && words.next().is_none()
        })
    };
    let may_be = |line: &str| {
        !line.contains(['=', '{', '}', '(', ';', '<'])
            && line.split(',').all(|item| item.split_whitespace().count() <= 2)
    };
    lines.next().is_some_and(is_servers) && lines.all(may_be)
}

/// Whether a word can only be a place: with a port, or a path.
fn is_place(word: &str) -> bool {
    let word = word.trim_matches(['"', '\'']);
    let host = |c: char| c.is_ascii_alphanumeric() || ".-_[]:%".contains(c);
    let ends_in_port =
        word.rsplit_once(':').is_some_and(|(host, port)| !host.is_empty() && whole(port).is_some());
    let is_ipv6 = word.trim_matches(['[', ']']).parse::<std::net::Ipv6Addr>().is_ok();
    word.starts_with('/') && word.len() > 1 && !word.starts_with("//")
        || (ends_in_port || is_ipv6 || word.parse::<std::net::Ipv4Addr>().is_ok()) && word.chars().all(host)
}

fn without_comment(line: &str) -> &str {
    match line.find(" #").or_else(|| line.find("\t#")) {
        Some(at) => line[..at].trim_end(),
        None => line,
    }
}

/// The list of a text that is one list, alone or in a variable.
fn bracketed(text: &str) -> Option<Expr> {
    let first = significant(text).next().map(|(_, line)| line.trim())?;
    // An array in a variable of shell, Ruby, Python or JavaScript; TOML's `[header]` has no quotes.
    let begins = match first.split_once('=') {
        Some((name, rest)) if !first.starts_with('[') => {
            let is_name = |c: char| c.is_alphanumeric() || "_ $@".contains(c);
            rest.trim_start().starts_with(['[', '(']) && name.chars().all(is_name)
        }
        _ => first.starts_with('[') || first.starts_with('('),
    };
    if !begins {
        return None;
    }
    let tokens = tokens(text);
    let start = tokens.iter().position(|token| token.is_mark("[") || token.is_mark("("))?;
    let mut reader = Reader::new(&tokens, start);
    let list = reader.value();
    reader.newlines();
    while reader.peek().is_some_and(|token| token.is_mark(";") || token.kind == Kind::Newline) {
        reader.at += 1;
    }
    let items = list.items()?;
    let is_server = |item: &Item| {
        item.key.is_none()
            && match &item.value.value {
                Value::Text(text) => !text.is_empty(),
                Value::Items(parts) => {
                    (2..=3).contains(&parts.len())
                        && parts[0].value.text().is_some()
                        && parts.iter().all(|part| part.key.is_none())
                        && parts[1..].iter().all(|part| part.value.number().is_some())
                }
                _ => false,
            }
    };
    (reader.peek().is_none() && !items.is_empty() && items.iter().all(is_server)).then_some(list)
}

pub(super) fn read(report: &mut Report) -> Vec<PoolRead> {
    let source = report.source.clone();
    let default = is_memcached(report.options.placement.as_ref()).then_some(PORT);
    let (span, entries) = match bracketed(source.text()) {
        Some(list) => {
            let entries = list.items().unwrap_or(&[]).iter().map(|item| item_of(report, item, default));
            let entries: Vec<Option<ServerEntry>> = entries.collect();
            (list.span, entries)
        }
        None => lines(report, default),
    };
    let entries: Vec<ServerEntry> = entries.into_iter().flatten().collect();
    let shown = ticked(source.slice(span).lines().next().unwrap_or(""));
    let scheme = report
        .placement(span, format!("the list that begins with {shown} names no client that places keys on it"));
    let entries = settle(report, "the list", Span::new(span.start(), span.start()), entries);
    vec![PoolRead { name: None, span, scheme, settings: Vec::new(), entries, warnings: Vec::new() }]
}

/// Whether servers are memcached's by the way keys are placed on them.
fn is_memcached(placement: Option<&Scheme>) -> bool {
    let Some(Scheme::Dialect(dialect)) = placement else { return false };
    matches!(
        dialect,
        Dialect::Gomemcache(_)
            | Dialect::Libketama(_)
            | Dialect::Libmemcached(_)
            | Dialect::Memjs(_)
            | Dialect::PhpMemcache(_)
            | Dialect::PhpMemcached(_)
            | Dialect::Pylibmc(_)
            | Dialect::Pymemcache(_)
            | Dialect::PythonMemcached(_)
            | Dialect::Spymemcached(_)
    )
}

fn lines(report: &mut Report, default: Option<u16>) -> (Span, Vec<Option<ServerEntry>>) {
    let source = report.source.clone();
    let mut entries = Vec::new();
    let mut begin = None;
    for (number, line) in significant(source.text()) {
        let line = without_comment(line.trim_end());
        let offset = line.len() - line.trim_start().len();
        let mut start = source.line_start(number) + offset;
        let mut line = line.trim_start();
        if let Some(rest) = line.strip_prefix("- ") {
            (start, line) = (start + 2, rest);
        }
        begin = begin.or(Some(Span::new(start, start + line.len())));
        for item in line.split(',') {
            let at = start + (item.as_ptr() as usize - line.as_ptr() as usize);
            let blank = item.len() - item.trim_start().len();
            let item = item.trim();
            // A comma at the end of a line ends nothing.
            if item.is_empty() {
                continue;
            }
            if report.is_full() {
                report.count_one_more();
                continue;
            }
            let span = Span::new(at + blank, at + blank + item.len());
            let bare = item.trim_matches(['"', '\'']);
            let (place, weight) = match bare.split_once([' ', '\t']) {
                Some((place, weight)) => (place, Some(weight.trim())),
                None => (bare, None),
            };
            entries.push(match weight.map(|weight| (weight, whole(weight))) {
                Some((weight, None)) => {
                    let message =
                        format!("server {}: weight {} is not a whole number", quoted(place), quoted(weight));
                    report.error(span, message);
                    None
                }
                weight => put(report, span, place, weight.and_then(|(_, weight)| weight), default),
            });
        }
    }
    (begin.unwrap_or(Span::new(0, 0)), entries)
}

fn item_of(report: &mut Report, item: &Item, default: Option<u16>) -> Option<ServerEntry> {
    let span = item.value.host_span();
    match &item.value.value {
        Value::Text(text) => {
            let (place, weight) = match text.split_once(' ') {
                Some((place, weight)) if whole(weight.trim()).is_some() => (place, whole(weight.trim())),
                _ => (text.as_str(), None),
            };
            put(report, span, place, weight, default)
        }
        Value::Items(parts) => {
            let host = parts[0].value.text()?;
            let numbers: Vec<u64> = parts[1..].iter().filter_map(|part| part.value.number()).collect();
            // A port in the text leaves the number to be the weight.
            let has_port = host.starts_with('/') || host.contains("]:") || host.matches(':').count() == 1;
            match (numbers.as_slice(), has_port) {
                ([weight], true) => put(report, span, host, Some(*weight), default),
                ([port, rest @ ..], false) => {
                    let place = apart(report, span, host, Some(*port));
                    let server = place.and_then(|place| {
                        place.server(default).map_err(|error| report.error_at(span, error.to_string()))
                    });
                    finish(report, span, server, rest.first().copied())
                }
                _ => {
                    let shown = ticked(report.source.slice(span));
                    report.error(span, format!("{shown} is no server: host, port and weight are expected"));
                    None
                }
            }
        }
        _ => None,
    }
}

fn put(
    report: &mut Report,
    span: Span,
    text: &str,
    weight: Option<u64>,
    default: Option<u16>,
) -> Option<ServerEntry> {
    let place = joined(report, span, text, Taker::Anybody);
    let weight = weight.or_else(|| place.as_ref().ok().and_then(|place| place.weight).map(u64::from));
    let server = place
        .and_then(|place| place.server(default).map_err(|error| report.error_at(span, error.to_string())));
    finish(report, span, server, weight)
}

fn finish(
    report: &mut Report,
    span: Span,
    server: Result<Server, Diagnostic>,
    weight: Option<u64>,
) -> Option<ServerEntry> {
    let weighed = server.and_then(|server| match weight {
        Some(weight) => server
            .with_weight(weight.to_string().as_str())
            .map_err(|error| report.error_at(span, error.to_string())),
        None => Ok(server),
    });
    match weighed {
        Ok(server) => Some(ServerEntry::new(server, span)),
        Err(refused) => {
            report.push(refused);
            None
        }
    }
}
