//! What a proxy says of its balancing, and the fleet that comes out.

use std::collections::HashMap;

use clockwise::dialect::haproxy::{HashKey, HashType, Method, Options};
use clockwise::{Scheme, ServerName};

use super::server::{self, Line, Said};
use super::words::{Word, keyword, shown, whole};
use super::{MODE, names};
use crate::diagnostic::{Diagnostic, quoted, ticked};
use crate::fleet::{HASHED, PoolRead, ServerEntry, SettingPlace, settle};
use crate::report::Report;
use crate::source::Span;
use crate::suggest::nearest;

/// What the proxies of a `defaults` begin with.
#[derive(Clone, Debug, Default)]
pub(super) struct Settings {
    is_http: bool,
    balance: Balance,
    balance_at: Option<Span>,
    hash_type: HashType,
    hash_type_at: Option<Span>,
    factor: u16,
    factor_at: Option<Span>,
    servers: Said,
    disabled: Option<Span>,
    /// A variable of the environment in a line that decides where keys go.
    unknown: Option<Span>,
}

/// What `balance` hashes, if it hashes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Balance {
    #[default]
    Turns,
    /// In the words that follow the name of the proxy.
    Other(&'static str),
    /// A text of a request in HTTP, which there is in `mode http` only.
    OfHttp,
    /// A text that there is in any mode.
    Text,
}

pub(super) struct Proxy {
    /// `backend` or `listen`
    kind: String,
    name: Word,
    span: Span,
    settings: Settings,
    lines: Vec<Line>,
    /// A variable of the environment in the line of a server, which is then not among the lines.
    unknown: Option<Span>,
    /// What sends requests past the hash.
    past: Option<Span>,
    warnings: Vec<Diagnostic>,
}

/// The words of proxies that decide where keys go.
pub(super) const DECIDING: &[&str] =
    &["balance", "default-server", "hash-balance-factor", "hash-type", "mode", "server", "server-template"];

impl Settings {
    /// A line of a `defaults` or a proxy.
    fn line(&mut self, report: &mut Report, words: &[Word], what: &str) {
        let word = words[0].text.as_str();
        let unknown = words.iter().find(|word| word.is_variable);
        match word {
            _ if DECIDING.contains(&word) && unknown.is_some() => {
                self.unknown = self.unknown.or(unknown.map(|word| word.span));
            }
            "default-server" => server::defaults(report, words, &mut self.servers),
            "disabled" => self.disabled = Some(words[0].span),
            "enabled" => self.disabled = None,
            "mode" => match words.get(1).map(|mode| mode.text.as_str()) {
                Some("http") => self.is_http = true,
                Some("tcp") => self.is_http = false,
                _ => {
                    let this = ticked(report.source.slice(whole(words)));
                    report.error(
                        whole(words),
                        format!("{this} in {what} is neither `mode http` nor `mode tcp`"),
                    );
                }
            },
            "balance" => {
                if let Some(balance) = balance(report, words, what) {
                    (self.balance, self.balance_at) = (balance, Some(whole(words)));
                }
            }
            "hash-type" => {
                let texts: Vec<&str> = words[1..].iter().map(|word| word.text.as_str()).collect();
                match texts.join(" ").parse() {
                    Ok(hash_type) => (self.hash_type, self.hash_type_at) = (hash_type, Some(whole(words))),
                    Err(error) => {
                        let this = ticked(report.source.slice(whole(words)));
                        report.error(whole(words), format!("{this} in {what}: {error}"));
                    }
                }
            }
            "hash-balance-factor" => {
                let text = words.get(1).map_or("", |word| word.text.as_str());
                let is_digits = text.bytes().all(|byte| byte.is_ascii_digit());
                match text.parse::<u16>() {
                    Ok(factor) if is_digits && (factor == 0 || factor > 100) => {
                        (self.factor, self.factor_at) = (factor, Some(whole(words)));
                    }
                    _ => {
                        let this = ticked(report.source.slice(whole(words)));
                        let message = format!("{this} in {what} is neither 0 nor a number from 101 to 65535");
                        report.error(whole(words), message);
                    }
                }
            }
            _ if names::is_of_proxies(word) || matches!(word, "no" | "default" | "stick" | "use-server") => {}
            _ if names::is_removed(word) => {
                let message =
                    format!("{} in {what} is no word of HAProxy any more", keyword(report, &words[0]));
                report.lenient(report.error_at(words[0].span, message));
            }
            _ if report.is_full() => report.count_one_more(),
            _ => {
                let message = format!("{what} has no word {}", keyword(report, &words[0]));
                let diagnostic = report.error_at(words[0].span, message);
                report.push(match nearest(word, names::of_proxies()) {
                    Some(meant) => diagnostic.with_help(format!("did you mean `{meant}`?")),
                    None => diagnostic,
                });
            }
        }
    }

    /// A line of a `defaults`.
    pub(super) fn in_defaults(&mut self, report: &mut Report, words: &[Word]) {
        if matches!(words[0].text.as_str(), "server" | "server-template" | "use-server") {
            let this = ticked(report.source.slice(whole(words)));
            report.error(whole(words), format!("{this} stands in `defaults`, and a server in a `backend`"));
        } else {
            self.line(report, words, "`defaults`");
        }
    }
}

/// Reads a `balance`.
fn balance(report: &mut Report, words: &[Word], what: &str) -> Option<Balance> {
    let texts: Vec<&str> = words[1..].iter().map(|word| word.text.as_str()).collect();
    let (name, rest) = texts.split_first().unwrap_or((&"", &[]));
    let call = |function: &str| -> Option<&str> {
        let inside = name.strip_prefix(function)?.strip_prefix('(')?.strip_suffix(')')?;
        Some(inside).filter(|inside| !inside.is_empty())
    };
    let number = |text: &&str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let read = match (*name, rest) {
        ("" | "roundrobin" | "static-rr", _) => Some(Balance::Turns),
        ("leastconn", _) => Some(Balance::Other("takes the server with fewest connections")),
        ("first", _) => Some(Balance::Other("fills one server after the other")),
        ("random", _) => Some(Balance::Other("takes servers at random")),
        _ if call("random").is_some() => Some(Balance::Other("takes servers at random")),
        ("source", _) => Some(Balance::Other("hashes the client's address")),
        ("uri", rest) => {
            let mut rest = rest.iter();
            let mut right = true;
            while let Some(word) = rest.next() {
                right &= match *word {
                    "len" | "depth" => rest.next().is_some_and(number),
                    "whole" | "path-only" => true,
                    _ => false,
                };
            }
            right.then_some(Balance::OfHttp)
        }
        ("url_param", [_] | [_, "check_post"]) => Some(Balance::OfHttp),
        ("url_param", [_, "check_post", wait]) if number(wait) => Some(Balance::OfHttp),
        ("hash", [_, ..]) => Some(Balance::Text),
        ("rdp-cookie", []) => Some(Balance::Text),
        _ if call("rdp-cookie").is_some() && rest.is_empty() => Some(Balance::Text),
        _ if call("hdr").is_some() && matches!(rest, [] | ["use_domain_only"]) => Some(Balance::OfHttp),
        _ => None,
    };
    if read.is_none() {
        const NAMES: [&str; 11] = [
            "roundrobin",
            "static-rr",
            "leastconn",
            "first",
            "random",
            "source",
            "uri",
            "url_param NAME",
            "hdr(NAME)",
            "hash EXPRESSION",
            "rdp-cookie(NAME)",
        ];
        let this = ticked(report.source.slice(whole(words)));
        let help =
            match nearest(name, NAMES.iter().map(|known| known.split([' ', '(']).next().unwrap_or(known))) {
                Some(meant) if meant != *name => format!("did you mean `{meant}`?"),
                _ => format!("it is one of {}", NAMES.join(", ")),
            };
        let message = format!("HAProxy does not take {this} in {what}");
        report.push(report.error_at(whole(words), message).with_help(help));
    }
    read
}

impl Proxy {
    pub(super) fn new(kind: &str, name: &Word, settings: Settings) -> Proxy {
        Proxy {
            kind: kind.to_owned(),
            name: name.clone(),
            span: name.span,
            settings,
            lines: Vec::new(),
            unknown: None,
            past: None,
            warnings: Vec::new(),
        }
    }

    /// `backend "cache"`
    fn what(&self, report: &Report) -> String {
        format!("{} {}", self.kind, shown(report, &self.name))
    }

    /// A line of the proxy. `room` counts the servers that templates of the file have made.
    pub(super) fn line(&mut self, report: &mut Report, words: &[Word], room: &mut usize) {
        match words[0].text.as_str() {
            "server" | "server-template" => match server::unknown(words) {
                Some(span) => self.unknown = self.unknown.or(Some(span)),
                None => self.lines.extend(server::lines(report, words, &self.settings.servers, room)),
            },
            "use-server" => self.past = Some(whole(words)),
            "stick" if words.get(1).is_some_and(|word| matches!(word.text.as_str(), "on" | "match")) => {
                self.past = Some(whole(words));
            }
            _ => {
                let what = self.what(report);
                self.settings.line(report, words, &what);
            }
        }
    }

    /// The fleet, if the proxy lists servers.
    pub(super) fn pool(mut self, report: &mut Report) -> Option<PoolRead> {
        if self.lines.is_empty() {
            if let Some(span) = self.unknown {
                report.push(server::variable(report, span));
            }
            return None;
        }
        let what = self.what(report);
        let lines = std::mem::take(&mut self.lines);
        refuse_same_ids(report, &lines);
        let scheme = self.scheme(report, &lines);
        let lines = refuse_made_twice(report, lines);
        let mut told = None;
        for line in lines.iter().filter(|line| line.backup) {
            // All servers of a template stand at one place.
            if told.replace(line.span) == Some(line.span) {
                continue;
            }
            let message = format!(
                "{} is a backup, which has keys only while no other server is up: it is read as draining",
                ticked(report.source.slice(line.span))
            );
            let warning = report.warning_at(line.span, message);
            report.warn(&mut self.warnings, warning);
        }
        let is_idle = lines.iter().all(|line| line.server.is_draining());
        let entries = lines.into_iter().map(|line| ServerEntry::new(line.server, line.span)).collect();
        // That nobody of one backend is active is no reason to refuse the others of a file.
        let entries = if is_idle { entries } else { settle(report, &what, self.span, entries) };
        let settings = &self.settings;
        let hashes = match settings.balance {
            Balance::OfHttp => settings.is_http,
            Balance::Text => true,
            Balance::Turns | Balance::Other(_) => false,
        };
        let hashed_at = settings.balance_at.filter(|_| hashes);
        let balance = hashed_at.map_or("", |span| report.source.slice(span)).to_owned();
        let mode = if settings.is_http { "http" } else { "tcp" };
        let place = |key: &str, text: String, span: Option<Span>| {
            span.map(|span| SettingPlace { key: key.to_owned(), text, span })
        };
        let settings = [
            place("hash_type", settings.hash_type.to_string(), settings.hash_type_at),
            place("hash_balance_factor", settings.factor.to_string(), settings.factor_at),
            place(HASHED, balance, hashed_at),
            place(MODE, mode.to_owned(), hashed_at),
        ];
        Some(PoolRead {
            name: Some(self.name.text),
            span: self.span,
            scheme,
            settings: settings.into_iter().flatten().collect(),
            entries,
            warnings: self.warnings,
        })
    }

    /// How keys are placed. The error is that of a proxy that is right and places nothing.
    fn scheme(&mut self, report: &mut Report, lines: &[Line]) -> Result<Scheme, Diagnostic> {
        let what = self.what(report);
        let settings = self.settings.clone();
        if let Some(span) = settings.disabled {
            return Err(report.error_at(span, format!("{what} is `disabled`, and places nothing")));
        }
        if let Some(span) = self.unknown.or(settings.unknown) {
            return Err(server::variable(report, span).mitigated());
        }
        if lines.iter().all(|line| line.server.is_draining()) {
            let backups = lines.iter().any(|line| line.backup);
            let why = if backups { "only backup servers" } else { "no active server" };
            return Err(report.error_at(self.span, format!("{what} has {why}, and places nothing")));
        }
        let at = settings.balance_at.unwrap_or(self.span);
        let shown = settings.balance_at.map(|span| ticked(report.source.slice(span)));
        // HAProxy is silent about it: the file means to place keys, and does not.
        let suspicious = |unplaced: Result<Scheme, Diagnostic>| match settings.hash_type_at {
            Some(_) => unplaced.map_err(Diagnostic::mitigated),
            None => unplaced,
        };
        let idle = match settings.hash_type_at {
            Some(span) => format!("; its {} has no effect", ticked(report.source.slice(span)),),
            None => String::new(),
        };
        match settings.balance {
            Balance::Turns => {
                let by = match shown {
                    Some(shown) => format!("takes turns by {shown}"),
                    None => "has no `balance` by a hash: its servers take turns".to_owned(),
                };
                let why = format!("{what} {by}, and no key has an owner{idle}");
                return suspicious(report.placement(at, why));
            }
            Balance::Other(does) => {
                let shown = shown.unwrap_or_default();
                let is_source = does.starts_with("hashes");
                let (which, idle) = if is_source {
                    ("no text is hashed", "")
                } else {
                    ("no key has an owner", idle.as_str())
                };
                let unplaced = report.placement(at, format!("{what} {does} by {shown}, and {which}{idle}"));
                return if is_source { unplaced } else { suspicious(unplaced) };
            }
            Balance::OfHttp if !settings.is_http => {
                let shown = shown.unwrap_or_default();
                let why = format!(
                    "{what} is in `mode tcp`, where HAProxy takes turns in place of {shown}, and no key has an owner"
                );
                // Whoever has only a piece of a file sees no mode in it at all.
                let help = "the mode is tcp unless `mode http` is in the proxy or in its `defaults`";
                return report.placement(at, why).map_err(|error| error.with_more_help(help).mitigated());
            }
            Balance::OfHttp | Balance::Text => {}
        }
        if let Some(line) = lines.iter().find(|line| line.is_undetermined) {
            let message = format!(
                "{what}: how many servers of {} there are, name servers tell HAProxy while it runs",
                ticked(report.source.slice(line.span))
            );
            if !report.options.lenient {
                let help = "list those that are up, one `server` each; --lenient counts all of them as up";
                return Err(report.error_at(line.span, message).with_help(help));
            }
            let warning = report.warning_at(line.span, message);
            report.warn(&mut self.warnings, warning);
        }
        if let Some(span) = self.past {
            let shown = ticked(report.source.slice(span));
            let warning = report.warning_at(span, format!("{what}: {shown} sends requests past the hash"));
            report.warn(&mut self.warnings, warning);
        }
        let mut options = Options { hash_type: settings.hash_type, ..Options::default() };
        if settings.factor > 0 {
            if settings.hash_type.method() == Method::Consistent {
                options.hash_balance_factor = settings.factor;
            } else if let Some(span) = settings.factor_at {
                let shown = ticked(report.source.slice(span));
                let message = format!("{what}: {shown} has no effect without `hash-type consistent`");
                let warning = report.warning_at(span, message);
                report.warn(&mut self.warnings, warning);
            }
        }
        self.keys(report, lines, &mut options);
        let by_address = matches!(options.hash_key, HashKey::Addr | HashKey::AddrPort);
        let mut told = None;
        for (line, span) in lines.iter().filter_map(|line| Some((line, line.unknown_address?))) {
            if by_address {
                return Err(server::variable(report, span).mitigated());
            }
            // All servers of a template stand at one place.
            if told.replace(span) != Some(span) {
                let name = quoted(line.server.name().as_str());
                let message = format!(
                    "the address {} of server {name} is a variable of the environment: its name stands for it",
                    ticked(report.source.slice(span))
                );
                let warning = report.warning_at(span, message);
                report.warn(&mut self.warnings, warning);
            }
        }
        Ok(Scheme::Dialect(options.into()))
    }

    /// Ids, guids and the hash-key, which must be one for all.
    fn keys(&self, report: &mut Report, lines: &[Line], options: &mut Options) {
        let mut first: Option<&Line> = None;
        for line in lines {
            let name: &ServerName = line.server.name();
            options.ids.extend(line.id.map(|(id, _)| (name.clone(), id)));
            options.guids.extend(line.guid.clone().map(|guid| (name.clone(), guid)));
            let key = |line: &Line| line.hash_key.map(|(key, _)| key).unwrap_or_default();
            match first {
                Some(before) if key(before) != key(line) => {
                    let message = format!(
                        "{} has the hash-key {}, and {} has {}: one placement has one",
                        ticked(report.source.slice(line.span)),
                        key(line),
                        ticked(report.source.slice(before.span)),
                        key(before)
                    );
                    report.error(line.span, message);
                    return;
                }
                Some(_) => {}
                None => {
                    first = Some(line);
                    options.hash_key = key(line);
                }
            }
        }
    }
}

/// Refuses names that a template makes and another line has. (Of two other lines, the pool tells.)
fn refuse_made_twice(report: &mut Report, lines: Vec<Line>) -> Vec<Line> {
    let mut first: HashMap<String, (Span, bool)> = HashMap::new();
    let mut kept = Vec::with_capacity(lines.len());
    let mut told = None;
    for line in lines {
        let name = line.server.name().as_str();
        match first.get(name) {
            Some(&(before, made)) if made || line.is_made => {
                if told.replace(line.span) != Some(line.span) {
                    let message = format!(
                        "{} makes a server {} again: it is listed on line {}",
                        ticked(report.source.slice(line.span)),
                        quoted(name),
                        report.source.line_of(before.start())
                    );
                    let diagnostic = report.error_at(line.span, message);
                    report.push(diagnostic.with_also(before, "first listed here"));
                }
            }
            _ => {
                first.insert(name.to_owned(), (line.span, line.is_made));
                kept.push(line);
            }
        }
    }
    kept
}

/// Two servers of one proxy cannot have one id.
fn refuse_same_ids(report: &mut Report, lines: &[Line]) {
    let mut first: HashMap<u32, &Line> = HashMap::new();
    for line in lines {
        let Some((id, span)) = line.id else { continue };
        match first.get(&id) {
            None => {
                first.insert(id, line);
            }
            Some(before) => {
                let message = format!(
                    "id {} of server {} is that of server {} already",
                    report.source.slice(span),
                    quoted(line.server.name().as_str()),
                    quoted(before.server.name().as_str())
                );
                report.push(report.error_at(span, message).with_also(before.span, "first here"));
            }
        }
    }
}
