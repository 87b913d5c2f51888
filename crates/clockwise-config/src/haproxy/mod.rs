//! HAProxy 2.6: the `backend` and `listen` sections of a file, each with what it has from `defaults`.
//!
//! ```text
//! defaults
//!     mode http
//!     hash-type consistent
//!
//! backend cache
//!     balance uri
//!     default-server weight 10 check
//!     server web-1 10.0.0.1:8080
//!     server web-2 10.0.0.2:8080 weight 20 id 102
//!     server web-3 10.0.0.3:8080 disabled
//! ```
//!
//! What decides the placement: `balance` by a hash of a text (`uri`, `url_param`, `hdr`, `hash`,
//! `rdp-cookie`), `hash-type`, `mode`, and of each server its place in the list or its `id`, `weight`,
//! `disabled` and `backup`; of later versions `hash-key` and `guid`. A proxy has what the `defaults`
//! say that it names with `from`, or else the last ones before it; a server what the `default-server`
//! lines before it say. `server-template` is expanded. A backup is draining: it has keys only while
//! nobody else is up, and has its id all the same.
//!
//! A proxy that hashes no text is right and places nothing: any other `balance`; hashes of a request in
//! `mode tcp`, where HAProxy takes turns; `balance source`, which hashes the client's address; a
//! template whose servers come from name servers. `hash-type` has no effect there, and the reason says
//! so. Proxies without servers are no fleets, and other sections are passed over.
//!
//! A file that HAProxy refuses is refused, so far as it concerns proxies and servers; established by
//! asking HAProxy 2.6.12 (`haproxy -c`), which the tests do again for every file of the corpus. Refused
//! although HAProxy takes it: weights and ids with other characters than digits, of which it takes what
//! they begin with; a socket without a path; a template with an id; lines that place keys between `.if` and
//! `.endif`. A proxy whose lines have variables of the environment in them, whose values are not in the
//! file, places nothing; that of an address leaves only the address open. Taken although 2.6 refuses it: words of later
//! versions (`hash-key`, `guid`, the function `none`).

/// The key of the setting that says whether a proxy reads requests (`http`) or not (`tcp`).
pub(crate) const MODE: &str = "mode";

mod names;
mod proxy;
mod server;
mod words;

use std::collections::HashMap;

use proxy::{DECIDING, Proxy, Settings};
use words::{Word, keyword, shown as shown_word, whole};

use crate::diagnostic::{quoted, ticked};
use crate::fleet::PoolRead;
use crate::kind::significant;
use crate::report::Report;
use crate::source::Span;

/// Whether the first line that says something begins a section, or lists a server.
pub(crate) fn is(text: &str) -> bool {
    let Some((_, line)) = significant(text).next() else { return false };
    let mut words = line.split('#').next().unwrap_or_default().split_ascii_whitespace();
    let first = words.next().unwrap_or_default();
    let rest: Vec<&str> = words.take(5).collect();
    let is_name = |name: &str| server::wrong_letter(name).is_none() && !name.starts_with(':');
    match (first, rest.as_slice()) {
        ("global" | "defaults" | "program" | "mailers", []) => true,
        ("defaults", [name] | [name, "from", _]) => is_name(name) && !name.ends_with(':'),
        ("backend" | "frontend" | "listen", [name] | [name, "from", _]) => is_name(name),
        ("frontend" | "listen", [name, address]) => {
            is_name(name) && address.contains(':') && !address.ends_with(';')
        }
        ("resolvers" | "peers" | "userlist" | "cache" | "ring" | "fcgi-app" | "http-errors", [name]) => {
            is_name(name)
        }
        ("server", [name, address, ..]) => {
            is_name(name) && address.contains(['.', ':']) && !line.ends_with(';')
        }
        ("balance" | "hash-type", [word, ..]) => is_name(word) && !word.starts_with(':'),
        _ => false,
    }
}

/// The section that lines belong to.
enum Section {
    /// None yet.
    Before,
    Defaults,
    Proxy(Box<Proxy>),
    Other,
}

/// What is read on the way down a file.
struct Reading {
    section: Section,
    /// The last `defaults`, named ones included.
    last: Settings,
    named: HashMap<String, (Settings, Span)>,
    /// The name of the `defaults` that is being read.
    naming: Option<(String, Span)>,
    /// Names that two sections of `defaults` have.
    doubled: HashMap<String, Span>,
    /// `.if` lines that are open.
    conditions: Vec<Span>,
    proxies: HashMap<String, Span>,
    room: usize,
    pools: Vec<PoolRead>,
}

pub(crate) fn read(report: &mut Report) -> Vec<PoolRead> {
    let source = report.source.clone();
    let mut reading = Reading {
        section: Section::Before,
        last: Settings::default(),
        named: HashMap::new(),
        naming: None,
        doubled: HashMap::new(),
        conditions: Vec::new(),
        proxies: HashMap::new(),
        room: 0,
        pools: Vec::new(),
    };
    let mut start = 0;
    for line in source.text().split_inclusive('\n') {
        match words::cut(line.strip_suffix('\n').unwrap_or(line), start) {
            Ok(words) if words.is_empty() => {}
            Ok(words) => reading.line(report, &words),
            Err(torn) => report.error(torn.span, torn.message),
        }
        start += line.len();
    }
    reading.end(report);
    if let Some(&open) = reading.conditions.last() {
        report.error(open, "this `.if` has no `.endif`");
    }
    let last = source.text().lines().next_back().unwrap_or_default();
    if !source.text().ends_with('\n') && !last.trim().is_empty() {
        let end = source.text().len();
        let message = format!(
            "no line break ends the last line, {}, and HAProxy takes it for torn",
            ticked(last.trim())
        );
        report.lenient(report.error_at(Span::new(end - last.len(), end), message));
    }
    if reading.pools.is_empty() && !report.has_errors() {
        let message = "the file has no `backend` or `listen` that lists servers";
        report.error(Span::new(0, 0), message);
    }
    reading.pools
}

impl Reading {
    fn line(&mut self, report: &mut Report, words: &[Word]) {
        let word = words[0].text.as_str();
        let shown = || ticked(report.source.slice(whole(words)));
        if word.starts_with('.') {
            self.condition(report, words);
            return;
        }
        let is_header =
            matches!(word, "defaults" | "backend" | "listen") || names::OTHER_SECTIONS.contains(&word);
        let decides = match &self.section {
            _ if is_header => true,
            Section::Proxy(_) | Section::Defaults => DECIDING.contains(&word),
            _ => false,
        };
        if let (Some(&open), true) = (self.conditions.last(), decides) {
            let message = format!("whether {} counts is decided when HAProxy starts", shown());
            let diagnostic = report.error_at(whole(words), message).with_also(open, "by this condition");
            report.push(diagnostic.with_help("take the conditions out, with what does not apply"));
            return;
        }
        if is_header {
            self.end(report);
            self.header(report, words);
            return;
        }
        match &mut self.section {
            Section::Before => {
                let message = format!("{} stands before any section", shown());
                let help = "servers are listed in a section: `backend NAME`, and `balance` in it";
                report.push(report.error_at(whole(words), message).with_help(help));
            }
            Section::Defaults => self.last.in_defaults(report, words),
            Section::Proxy(proxy) => proxy.line(report, words, &mut self.room),
            Section::Other => {}
        }
    }

    /// `.if`, `.elif`, `.else`, `.endif`, and messages.
    fn condition(&mut self, report: &mut Report, words: &[Word]) {
        let span = words[0].span;
        let problem = match words[0].text.as_str() {
            ".if" => {
                self.conditions.push(span);
                return;
            }
            ".elif" | ".else" if !self.conditions.is_empty() => return,
            ".endif" if self.conditions.pop().is_some() => return,
            ".notice" | ".warning" | ".alert" | ".diag" => return,
            ".elif" | ".else" | ".endif" => "has no `.if` before it",
            _ => "is no word of HAProxy",
        };
        report.error(span, format!("{} {problem}", keyword(report, &words[0])));
    }

    /// Begins a section.
    fn header(&mut self, report: &mut Report, words: &[Word]) {
        let kind = words[0].text.as_str();
        let is_defaults = kind == "defaults";
        let is_proxy = matches!(kind, "backend" | "listen");
        self.section = Section::Other;
        if !is_defaults && !is_proxy && kind != "frontend" {
            return;
        }
        let shown = ticked(report.source.slice(whole(words)));
        if let Some(word) = words.iter().find(|word| word.is_variable) {
            report.push(server::variable(report, word.span));
            return;
        }
        let (name, rest) = match words[1..].split_first() {
            Some((name, rest)) if name.text != "from" => (Some(name), rest),
            _ => (None, &words[1..]),
        };
        if name.is_none() && !is_defaults {
            report.error(whole(words), format!("{shown} has no name"));
            return;
        }
        if let Some((name, c)) = name.and_then(|name| Some((name, server::wrong_letter(&name.text)?))) {
            let message = format!(
                "HAProxy takes no {} in the name {}",
                quoted(&c.to_string()),
                shown_word(report, name)
            );
            report.error(name.span, message);
        }
        let from = match rest {
            [] => None,
            [from, name] if from.text == "from" => Some(name),
            [address, ..] if !is_defaults && kind != "backend" && address.text != "from" => {
                let message =
                    format!("{shown} has an address, and HAProxy takes one in a line of its own only");
                let help = format!("write `bind {}` in the next line", address.text);
                report.lenient(report.error_at(address.span, message).with_help(help));
                None
            }
            [word, ..] => {
                let message = format!("{shown}: {} follows the name", keyword(report, word));
                report.push(report.error_at(word.span, message).with_help("only `from NAME` can"));
                return;
            }
        };
        let settings = match from {
            Some(from) => self.settings_of(report, from),
            None if is_defaults => Settings::default(),
            None => self.last.clone(),
        };
        match name {
            _ if is_defaults => {
                self.last = settings;
                self.section = Section::Defaults;
                self.naming = name.map(|name| (name.text.clone(), name.span));
            }
            Some(name) if is_proxy => {
                if let Some(&before) = self.proxies.get(&name.text) {
                    let message = format!("there are two proxies {}", shown_word(report, name));
                    report.push(report.error_at(name.span, message).with_also(before, "first here"));
                } else {
                    self.proxies.insert(name.text.clone(), name.span);
                }
                self.section = Section::Proxy(Box::new(Proxy::new(kind, name, settings)));
            }
            _ => {}
        }
    }

    /// The settings that `from` names.
    fn settings_of(&self, report: &mut Report, from: &Word) -> Settings {
        let doubled = self.doubled.get(&from.text);
        match self.named.get(&from.text) {
            Some((_, first)) if doubled.is_some() => {
                let message =
                    format!("there are two `defaults` {}, and `from` names them", shown_word(report, from));
                report.push(report.error_at(from.span, message).with_also(*first, "one of them"));
            }
            Some((settings, _)) => return settings.clone(),
            None => {
                report.error(
                    from.span,
                    format!("there is no `defaults` {} before it", shown_word(report, from)),
                );
            }
        }
        Settings::default()
    }

    /// Ends a section.
    fn end(&mut self, report: &mut Report) {
        match std::mem::replace(&mut self.section, Section::Other) {
            Section::Proxy(proxy) => self.pools.extend(proxy.pool(report)),
            Section::Defaults => {
                if let Some((name, span)) = self.naming.take() {
                    if self.named.contains_key(&name) {
                        self.doubled.insert(name, span);
                    } else {
                        self.named.insert(name, (self.last.clone(), span));
                    }
                }
            }
            Section::Before | Section::Other => {}
        }
    }
}
