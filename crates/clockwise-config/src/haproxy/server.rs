//! The servers of a proxy: `default-server`, `server` and `server-template`.

use std::net::{Ipv4Addr, Ipv6Addr};

use clockwise::Server;
use clockwise::dialect::haproxy::HashKey;

use super::names;
use super::words::{Word, keyword, shown, whole};
use crate::diagnostic::{Diagnostic, quoted, ticked};
use crate::report::Report;
use crate::source::Span;
use crate::suggest::{nearest, one_of};

/// The heaviest server.
const MAX_WEIGHT: u32 = 256;

/// More servers than this in one file come from a slip in a template's number.
const MAX_SERVERS: usize = 10_000;

/// What the words of a server say, so far as it places keys.
#[derive(Clone, Debug)]
pub(super) struct Said {
    weight: u32,
    disabled: bool,
    backup: bool,
    /// Addresses come from name servers while HAProxy runs.
    resolved: bool,
    id: Option<(u32, Span)>,
    guid: Option<String>,
    hash_key: Option<(HashKey, Span)>,
}

impl Default for Said {
    fn default() -> Said {
        Said {
            weight: 1,
            disabled: false,
            backup: false,
            resolved: false,
            id: None,
            guid: None,
            hash_key: None,
        }
    }
}

/// A server as its line says.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) server: Server,
    pub(super) span: Span,
    pub(super) backup: bool,
    pub(super) id: Option<(u32, Span)>,
    pub(super) guid: Option<String>,
    pub(super) hash_key: Option<(HashKey, Span)>,
    /// A template made it.
    pub(super) is_made: bool,
    /// Whether it takes part depends on the answers of name servers.
    pub(super) is_undetermined: bool,
    /// The address, where it is a variable of the environment: then it is not that of the server.
    pub(super) unknown_address: Option<Span>,
}

/// `default-server WORDS`: what servers from here on begin with.
pub(super) fn defaults(report: &mut Report, words: &[Word], said: &mut Said) {
    read(report, "`default-server`", &words[1..], said, true);
}

/// `server NAME ADDRESS WORDS`, or `server-template PREFIX NUMBERS ADDRESS WORDS`.
pub(super) fn lines(report: &mut Report, words: &[Word], said: &Said, room: &mut usize) -> Vec<Line> {
    let is_template = words[0].text == "server-template";
    let needed = if is_template { 4 } else { 3 };
    if words.len() < needed {
        let this = ticked(report.source.slice(whole(words)));
        let form =
            if is_template { "a prefix, a number or range, and an address" } else { "a name and an address" };
        report.error(whole(words), format!("{this} lacks something: {form} follow the first word"));
        return Vec::new();
    }
    let (name, address) = (&words[1], &words[needed - 1]);
    let what = format!("server {}", shown(report, name));
    if let Some(c) = wrong_letter(&name.text) {
        let message = format!("{what}: HAProxy takes no {} in the name of a server", quoted(&c.to_string()));
        report.error(name.span, message);
        return Vec::new();
    }
    let numbers = if is_template { range(report, &what, &words[2], room) } else { Some(0..=0) };
    let mut said = said.clone();
    // Both are read, so that a line tells all its errors.
    let place = if address.is_variable { Some(None) } else { at(report, &what, address).map(Some) };
    let right = read(report, &what, &words[needed..], &mut said, false);
    let (Some(numbers), Some(place), true) = (numbers, place, right) else { return Vec::new() };
    if let (true, Some((_, span))) = (is_template, said.id) {
        let message = format!(
            "{what}: the id {} of a template would be that of all its servers",
            report.source.slice(span)
        );
        report.error(span, message);
        return Vec::new();
    }
    let is_undetermined = is_template && (said.resolved || address.text.starts_with('_'));
    let span = whole(words);
    let mut lines = Vec::new();
    for number in numbers {
        let name = if is_template { format!("{}{number}", name.text) } else { name.text.clone() };
        let server = Server::new(name).and_then(|server| match &place {
            Some(place) => server.with_address(place.as_str()),
            None => Ok(server),
        });
        let server = server.and_then(|server| match said.weight {
            0 => Ok(server.draining()),
            weight => server.with_weight(weight),
        });
        let server = match server {
            Ok(server) if said.disabled || said.backup => server.draining(),
            Ok(server) => server,
            Err(error) => {
                report.error(span, error.to_string());
                return lines;
            }
        };
        let (id, guid, hash_key) = (said.id, said.guid.clone(), said.hash_key);
        lines.push(Line {
            server,
            span,
            backup: said.backup,
            id,
            guid,
            hash_key,
            is_made: is_template,
            is_undetermined,
            unknown_address: address.is_variable.then_some(address.span),
        });
    }
    lines
}

/// The first word of a server's line that only HAProxy knows, its address aside.
pub(super) fn unknown(words: &[Word]) -> Option<Span> {
    let address = if words[0].text == "server-template" { 3 } else { 2 };
    let mut others = words.iter().enumerate().filter(|&(at, _)| at != address).map(|(_, word)| word);
    others.find(|word| word.is_variable).map(|word| word.span)
}

/// What is said of a word that only HAProxy knows.
pub(super) fn variable(report: &Report, span: Span) -> Diagnostic {
    let this = ticked(report.source.slice(span));
    let message = format!("{this} is a variable of the environment, whose value is not in the file");
    report.error_at(span, message).with_help("write the value in its place")
}

/// The first character that HAProxy refuses in a name.
pub(super) fn wrong_letter(name: &str) -> Option<char> {
    name.chars().find(|c| !c.is_ascii_alphanumeric() && !"_.:-".contains(*c))
}

/// `3` or `2-5`: the numbers of a template's servers.
fn range(
    report: &mut Report,
    what: &str,
    word: &Word,
    room: &mut usize,
) -> Option<std::ops::RangeInclusive<usize>> {
    let number = |text: &str| text.parse::<usize>().ok().filter(|_| text.bytes().all(|b| b.is_ascii_digit()));
    let numbers = match word.text.split_once('-') {
        Some((low, high)) => number(low).zip(number(high)),
        None => number(&word.text).map(|high| (1, high)),
    };
    let Some((low, high)) = numbers.filter(|&(low, high)| low > 0 && low <= high) else {
        let message = format!("{what}: {} is no number from 1, and no range of such", shown(report, word));
        report.push(report.error_at(word.span, message).with_help("it is as `3`, or as `2-5`"));
        return None;
    };
    let used = *room;
    *room = used.saturating_add(high - low).saturating_add(1);
    if *room > MAX_SERVERS {
        let message = format!(
            "{what}: with {} the templates of the file make more than {MAX_SERVERS} servers",
            shown(report, word)
        );
        report.error(word.span, message);
        *room = used;
        return None;
    }
    Some(low..=high)
}

/// An address as the library writes it.
fn at(report: &mut Report, what: &str, address: &Word) -> Option<String> {
    let text = address.text.as_str();
    let mut refuse = |problem: &str| {
        let message = format!("{what}: {problem} in the address {}", shown(report, address));
        report.error(address.span, message);
        None
    };
    let (family, rest) = match text.split_once('@') {
        Some((family, rest)) if !family.contains(['/', ':']) => (family, rest),
        _ => ("", text),
    };
    match family {
        "fd" | "sockpair" => return refuse("HAProxy takes no file descriptor"),
        "unix" | "abns" | "abnsz" | "uxst" | "suxs" => {
            return Some(rest.to_owned())
                .filter(|rest| !rest.is_empty())
                .or_else(|| refuse("the path is missing"));
        }
        _ if rest.starts_with('/') => return Some(rest.to_owned()),
        _ => {}
    }
    let (host, port) = match rest.strip_prefix('[').map(|rest| rest.split_once(']')) {
        Some(None) => return refuse("the `[` is not closed"),
        Some(Some((host, after))) => match after.strip_prefix(':') {
            None if !after.is_empty() => return refuse("neither `:` nor nothing follows the `]`"),
            port => (host, port),
        },
        None => match rest.rsplit_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (rest, None),
        },
    };
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let port = match port {
        None | Some("") => None,
        // Counted from the port that the client came in at.
        Some(port) if port.starts_with(['+', '-']) && is_digits(&port[1..]) => None,
        Some(port) if is_digits(port) => match port.parse::<u16>() {
            Ok(0) => None,
            Ok(port) => Some(port),
            Err(_) => return refuse("the port is above 65535"),
        },
        Some(port) if port.split_once('-').is_some_and(|(a, b)| is_digits(a) && is_digits(b)) => {
            return refuse("HAProxy takes no range of ports");
        }
        Some(_) => return refuse("the port is no number"),
    };
    let host = if matches!(host, "" | "*") { "0.0.0.0" } else { host };
    if host.contains(':') && host.parse::<Ipv6Addr>().is_err() {
        return refuse("there is no IPv6 address");
    }
    let is_name = |host: &str| host.chars().all(|c| c.is_ascii_alphanumeric() || "_.-".contains(c));
    if host.parse::<Ipv4Addr>().is_err() && !host.contains(':') && !is_name(host) {
        return refuse("there is neither an IP address nor a name");
    }
    Some(match (host.contains(':'), port) {
        (true, Some(port)) => format!("[{host}]:{port}"),
        (true, None) => host.to_owned(),
        (false, Some(port)) => format!("{host}:{port}"),
        (false, None) => host.to_owned(),
    })
}

/// Reads the words behind an address.
fn read(report: &mut Report, what: &str, words: &[Word], said: &mut Said, is_default: bool) -> bool {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let value = words.get(at + 1);
        let takes = match word.text.as_str() {
            "weight" | "id" | "guid" | "hash-key" | "source" => 1,
            "backup" | "no-backup" | "disabled" | "enabled" => 0,
            text => match names::follow(text) {
                Some(takes) => takes,
                None if report.is_full() => {
                    report.count_one_more();
                    return false;
                }
                None => {
                    let message = format!("{what}: HAProxy has no word {}", keyword(report, word));
                    let diagnostic = report.error_at(word.span, message);
                    report.push(match nearest(text, names::of_servers()) {
                        Some(meant) => diagnostic.with_help(format!("did you mean `{meant}`?")),
                        None => diagnostic,
                    });
                    return false;
                }
            },
        };
        if takes == 1 && value.is_none() {
            report.error(word.span, format!("{what}: nothing follows {}", keyword(report, word)));
            return false;
        }
        at += 1 + takes;
        let problem = match (word.text.as_str(), value) {
            ("backup", _) => {
                said.backup = true;
                None
            }
            ("no-backup", _) => {
                said.backup = false;
                None
            }
            ("disabled", _) => {
                said.disabled = true;
                None
            }
            ("enabled", _) => {
                said.disabled = false;
                None
            }
            ("resolvers", _) => {
                said.resolved = true;
                None
            }
            ("weight", Some(value)) => weight(report, what, value).map_or_else(Some, |weight| {
                said.weight = weight;
                None
            }),
            ("id" | "guid", Some(_)) if is_default => {
                let message = format!("{} has no effect in `default-server`", keyword(report, word));
                report.push(report.warning_at(word.span, message));
                None
            }
            ("id", Some(value)) => match value.text.parse::<u32>() {
                Ok(id @ 1..=0x7fff_ffff) if value.text.bytes().all(|b| b.is_ascii_digit()) => {
                    said.id = Some((id, value.span));
                    None
                }
                _ => {
                    let message =
                        format!("{what}: id {} is no number from 1 to 2147483647", shown(report, value));
                    Some(report.error_at(value.span, message))
                }
            },
            ("guid", Some(value)) => {
                said.guid = Some(value.text.clone());
                None
            }
            ("hash-key", Some(value)) => match value.text.parse() {
                Ok(hash_key) => {
                    said.hash_key = Some((hash_key, value.span));
                    None
                }
                Err(_) => {
                    let words: Vec<&str> = HashKey::ALL.iter().map(|key| key.as_str()).collect();
                    let message = format!("{what}: there is no hash-key {}", shown(report, value));
                    Some(report.error_at(value.span, message).with_help(format!("it is {}", one_of(words))))
                }
            },
            ("source", _) => {
                // `usesrc ADDRESS`, `interface NAME`
                while words.get(at).is_some_and(|word| matches!(word.text.as_str(), "usesrc" | "interface")) {
                    at += 2;
                }
                None
            }
            _ => None,
        };
        if let Some(problem) = problem {
            report.push(problem);
            return false;
        }
    }
    true
}

fn weight(report: &Report, what: &str, value: &Word) -> Result<u32, Diagnostic> {
    let text = &value.text;
    let is_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse::<u32>() {
        Ok(weight) if is_digits && weight <= MAX_WEIGHT => Ok(weight),
        Ok(_) if is_digits => {
            let message = format!(
                "{what}: weight {} is too large: HAProxy's end at {MAX_WEIGHT}",
                shown(report, value)
            );
            Err(report.error_at(value.span, message))
        }
        _ => {
            let message =
                format!("{what}: weight {} is no whole number from 0 to {MAX_WEIGHT}", shown(report, value));
            let starts = text.starts_with(|c: char| c.is_ascii_digit() || c == '.');
            let diagnostic = report.error_at(value.span, message);
            Err(if starts {
                diagnostic.with_help("HAProxy takes the digits that it begins with, and says nothing")
            } else {
                diagnostic
            })
        }
    }
}
