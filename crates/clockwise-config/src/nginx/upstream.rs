//! One `upstream`: its method, and its servers.

use std::collections::HashSet;
use std::net::Ipv6Addr;

use clockwise::dialect::nginx::Options;
use clockwise::{KeyPrefix, Scheme, Server};

use super::files::{Context, Upstream};
use super::lexer::{Directive, SEMICOLON, Word, whole};
use crate::diagnostic::{Diagnostic, quoted, ticked};
use crate::fleet::{HASHED, PoolRead, ServerEntry, SettingPlace, settle};
use crate::placement::KEY_PREFIX;
use crate::report::Report;
use crate::source::Span;
use crate::suggest::nearest;

/// Every directive of an upstream in nginx 1.22.
const DIRECTIVES: &[&str] = &[
    "server",
    "hash",
    "ip_hash",
    "least_conn",
    "random",
    "zone",
    "keepalive",
    "keepalive_requests",
    "keepalive_time",
    "keepalive_timeout",
    "include",
];

/// Methods that nginx itself does not have, and whose they are.
const METHODS_OF_OTHERS: &[(&str, &str)] = &[
    ("least_time", "NGINX Plus"),
    ("sticky", "NGINX Plus"),
    ("balancer_by_lua", "the Lua module"),
    ("balancer_by_lua_block", "the Lua module"),
    ("balancer_by_lua_file", "the Lua module"),
    ("consistent_hash", "another module"),
    ("ewma", "another module"),
    ("fair", "another module"),
    ("jvm_route", "another module"),
    ("session_sticky", "another module"),
    ("upstream_jdomain", "another module"),
    ("vnswrr", "another module"),
];

/// Directives that nginx itself does not have and that place nothing.
const OTHERS: &[(&str, &str)] = &[
    ("check", "the check module"),
    ("check_fastcgi_param", "the check module"),
    ("check_http_expect_alive", "the check module"),
    ("check_http_send", "the check module"),
    ("check_keepalive_requests", "the check module"),
    ("health_check", "NGINX Plus"),
    ("ntlm", "NGINX Plus"),
    ("queue", "NGINX Plus"),
    ("resolver", "nginx from 1.27.3 on"),
    ("resolver_timeout", "nginx from 1.27.3 on"),
    ("slow_start", "another module"),
    ("sticky_cookie_insert", "NGINX Plus"),
];

/// Parameters of servers that nginx 1.22 does not have: what they begin with, and whose they are.
const PARAMETERS_OF_OTHERS: &[(&str, &str)] = &[
    ("resolve", "nginx from 1.27.3 on"),
    ("route=", "NGINX Plus"),
    ("slow_start=", "NGINX Plus"),
    ("drain", "NGINX Plus"),
];

/// How an upstream chooses, and the directive that says so.
enum Method<'u> {
    Turns,
    Hash(Hash, &'u Directive),
    /// One that is no hash of a key, in a sentence that begins with the upstream.
    Other(&'static str, &'u Directive),
}

struct Hash {
    consistent: bool,
    /// What stands in the key before its first variable, and where it is said.
    prefix: Option<(KeyPrefix, Span)>,
    /// The key is text without a variable.
    constant: bool,
    empty: bool,
}

/// A server, and whether it only stands by.
struct Line {
    entry: ServerEntry,
    backup: bool,
    is_name: bool,
}

pub(super) fn pool(report: &mut Report, upstream: &Upstream, name: String) -> Option<PoolRead> {
    let [label] = upstream.opened.arguments() else {
        let this = written(report, &upstream.opened);
        report.error(upstream.opened.span(), format!("{this} has no name of one word"));
        return None;
    };
    let what = format!("upstream {}", quoted(&label.text));
    let mut reading = Reading { what, warnings: Vec::new(), method: Method::Turns, lines: Vec::new() };
    let mut given: Vec<&str> = Vec::new();
    for directive in &upstream.directives {
        if directive.name().starts_with("keepalive") && given.contains(&directive.name()) {
            let message = format!("{} has {} twice", reading.what, ticked(directive.name()));
            report.error(directive.name_span(), message);
        }
        if given.len() < DIRECTIVES.len() && !given.contains(&directive.name()) {
            given.push(directive.name());
        }
        reading.directive(report, upstream.context, directive);
    }
    let mut settings = Vec::new();
    let mut counts_addresses = false;
    if let Method::Hash(hash, directive) = &reading.method {
        counts_addresses = !hash.consistent;
        let last = directive.arguments().last().map_or(directive.name_span(), |word| word.span);
        let mut say = |key: &str, text: String, span| {
            settings.push(SettingPlace { key: key.to_owned(), text, span });
        };
        say("consistent", hash.consistent.to_string(), last);
        if let Some((prefix, span)) = &hash.prefix {
            say(KEY_PREFIX, prefix.to_string(), *span);
        }
        if let Some(key) = directive.arguments().first().filter(|_| !hash.constant) {
            // As written, with its quotes.
            say(HASHED, report.source.slice(key.span).to_owned(), key.span);
        }
    }
    let scheme = reading.scheme(report, label);
    let entries = reading.servers(report, label, counts_addresses);
    let entries = settle(report, &reading.what, label.span, entries);
    Some(PoolRead {
        name: Some(name),
        span: label.span,
        scheme,
        settings,
        entries,
        warnings: reading.warnings,
    })
}

struct Reading<'u> {
    /// `upstream "cache"`
    what: String,
    warnings: Vec<Diagnostic>,
    method: Method<'u>,
    lines: Vec<Line>,
}

impl<'u> Reading<'u> {
    fn directive(&mut self, report: &mut Report, context: Context, directive: &'u Directive) {
        let name = directive.name();
        if let Some([before, next]) = torn(report, directive) {
            let message = format!("`;` is missing after {}", ticked(&before.text));
            let label = "the next directive is read as a part of it";
            let diagnostic = report.error_at(before.span, message).with_also(next.span, label);
            report.push(match before.text.contains(SEMICOLON) {
                true => diagnostic.with_help(format!("{SEMICOLON} is another character")),
                false => diagnostic,
            });
            return;
        }
        let known = DIRECTIVES.contains(&name) && !(context == Context::Stream && is_http_only(name));
        if known && directive.opens {
            let help = if name == "server" {
                "a virtual server stands outside: is a `}` missing before it?"
            } else {
                "it ends with `;`"
            };
            let message = format!("{} in {} opens a block", ticked(name), self.what);
            report.push(report.error_at(directive.name_span(), message).with_help(help));
            return;
        }
        match (name, directive.arguments()) {
            (_, _) if !known => self.stranger(report, context, directive),
            ("server", [address, parameters @ ..]) => {
                if let Some(line) = self.server(report, context, address, parameters) {
                    self.lines.push(line);
                }
            }
            ("hash", [key] | [key, _]) => {
                let consistent = directive.arguments().get(1);
                if let Some(word) = consistent.filter(|word| word.text != "consistent") {
                    let message = format!("{} follows the key of `hash`", quoted(&word.text));
                    let help =
                        "only `consistent` can stand there; a key of several parts is one word, \"$a$b\"";
                    report.push(report.error_at(word.span, message).with_help(help));
                    return;
                }
                if !is_right_key(&key.text) {
                    let message = format!("in the key {} a `$` has no name behind it", quoted(&key.text));
                    report.error(key.span, message);
                }
                let constant = !key.text.contains('$');
                let before = key.text.split('$').next().filter(|before| !constant && !before.is_empty());
                let prefix = match before.map(KeyPrefix::new) {
                    Some(Ok(prefix)) => Some((prefix, key.span)),
                    Some(Err(error)) => return report.error(key.span, error.to_string()),
                    None => None,
                };
                let empty = key.text.is_empty();
                let hash = Hash { consistent: consistent.is_some(), prefix, constant, empty };
                self.choose(report, Method::Hash(hash, directive));
            }
            ("ip_hash", []) => {
                self.choose(
                    report,
                    Method::Other("hashes the client's address by `ip_hash`, and no key", directive),
                );
            }
            ("least_conn", []) => {
                self.choose(
                    report,
                    Method::Other(
                        "takes the server with fewest connections, and no key has an owner",
                        directive,
                    ),
                );
            }
            ("random", words) if is_random(words) => {
                self.choose(
                    report,
                    Method::Other("takes servers at random, and no key has an owner", directive),
                );
            }
            ("zone", [zone] | [zone, _]) if !zone.text.is_empty() => {}
            ("keepalive", [number]) if digits(&number.text) && number.text.bytes().any(|b| b != b'0') => {}
            ("keepalive_requests", [number]) if digits(&number.text) => {}
            ("keepalive_time" | "keepalive_timeout", [time]) if is_time(&time.text, true) => {}
            ("keepalive_timeout", [time, header])
                if is_time(&time.text, true) && is_time(&header.text, false) => {}
            _ => {
                let message = format!("nginx does not take {}", written(report, directive));
                report.error(directive.span(), message);
            }
        }
    }

    /// A directive that nginx 1.22 does not have here.
    fn stranger(&mut self, report: &mut Report, context: Context, directive: &'u Directive) {
        let name = directive.name();
        let span = directive.name_span();
        let owner = |list: &[(&str, &'static str)]| {
            list.iter().find(|(known, _)| *known == name).map(|(_, whose)| *whose)
        };
        if owner(METHODS_OF_OTHERS).is_some() {
            let why = "is balanced by a module whose rule is not known here";
            self.choose(report, Method::Other(why, directive));
        } else if name == "state" {
            let why = "has its servers in a `state` file that NGINX Plus writes";
            self.choose(report, Method::Other(why, directive));
        } else if let Some(whose) = owner(OTHERS) {
            let message =
                format!("{} in {} belongs to {whose}, and nginx 1.22 refuses it", ticked(name), self.what);
            report.lenient(report.error_at(span, message));
        } else if context == Context::Stream && is_http_only(name) {
            let message =
                format!("{} stands in an upstream of `stream`, and is of `http` only", ticked(name));
            report.error(span, message);
        } else if name == "upstream" {
            let message = format!("{} stands inside of {}", written(report, directive), self.what);
            report.push(report.error_at(span, message).with_help("is a `}` missing before it?"));
        } else {
            let message = format!("{} has no directive {}", self.what, ticked(name));
            let help = match nearest(name, DIRECTIVES.iter().copied()) {
                _ if is_comment(name) => "a comment begins with `#`".to_owned(),
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("its directives are {}", DIRECTIVES.join(", ")),
            };
            report.push(report.error_at(span, message).with_help(help));
        }
    }

    /// Takes a method; the last one wins.
    fn choose(&mut self, report: &mut Report, method: Method<'u>) {
        let place = |method: &Method<'u>| match method {
            Method::Turns => None,
            Method::Hash(_, directive) | Method::Other(_, directive) => Some(*directive),
        };
        if let (Some(before), Some(after)) = (place(&self.method), place(&method)) {
            let message = format!(
                "{} has {} after {}, and the last method wins",
                self.what,
                written(report, after),
                written(report, before)
            );
            let warning = report.warning_at(after.span(), message).with_also(before.span(), "has no effect");
            report.warn(&mut self.warnings, warning);
        }
        self.method = method;
    }

    /// Whether servers may be `backup` from here on.
    fn takes_backups(&self) -> bool {
        match &self.method {
            Method::Turns => true,
            Method::Hash(..) => false,
            Method::Other(_, directive) => !matches!(directive.name(), "ip_hash" | "random"),
        }
    }

    fn server(
        &mut self,
        report: &mut Report,
        context: Context,
        address: &Word,
        parameters: &[Word],
    ) -> Option<Line> {
        let named = format!("server {}", quoted(&address.text));
        if let Some((problem, help)) = wrong_address(&address.text, context == Context::Stream) {
            let diagnostic = report.error_at(address.span, format!("{named}: {problem}"));
            report.push(if help.is_empty() { diagnostic } else { diagnostic.with_help(help) });
            return None;
        }
        let mut server = match Server::new(address.text.as_str()) {
            Ok(server) => server,
            Err(error) => {
                report.error(address.span, error.to_string());
                return None;
            }
        };
        let (mut right, mut backup) = (true, false);
        for word in parameters {
            let refused = |problem: &str| report.error_at(word.span, format!("{named}: {problem}"));
            let this = ticked(&word.text);
            let (key, value) = word.text.split_once('=').unwrap_or((&word.text, ""));
            let problem = match (key, value) {
                ("down", _) if word.text == "down" => {
                    server = server.draining();
                    continue;
                }
                ("backup", _) if word.text == "backup" => {
                    backup = true;
                    if self.takes_backups() {
                        continue;
                    }
                    let method = match &self.method {
                        Method::Hash(_, directive) | Method::Other(_, directive) => directive.name(),
                        Method::Turns => "",
                    };
                    let problem = format!(
                        "`backup` behind `{method}`: nginx refuses it, since the method has no backups"
                    );
                    refused(&problem).with_help("take `backup` out, or the line")
                }
                ("weight", weight) => {
                    let named = |error: clockwise::Error| report.error_at(word.span, error.to_string());
                    match server.clone().with_weight(weight) {
                        Ok(weighed) => {
                            server = weighed;
                            continue;
                        }
                        Err(error) if weight.bytes().all(|b| b == b'0') && !weight.is_empty() => {
                            named(error).with_help("nginx refuses it too: `down` takes a server out")
                        }
                        Err(error) => named(error),
                    }
                }
                ("max_fails" | "max_conns", number) if digits(number) => continue,
                ("fail_timeout", time) if is_time(time, false) => continue,
                ("max_fails" | "max_conns", _) => refused(&format!("{this} is no whole number")),
                ("fail_timeout", _) => refused(&format!("{this} is no time: seconds, or such as `1m30s`")),
                ("service", _) => refused(&format!("{this}: the servers are in DNS, and not in the file"))
                    .with_help("list them in its place, one `server` each"),
                _ if word.text.contains(SEMICOLON) => {
                    let problem = format!("{this} holds {SEMICOLON}, which is no `;`");
                    refused(&problem).with_help("nginx ends a directive at `;` only")
                }
                _ => {
                    let whose = |(start, _): &&(&str, &str)| match start.ends_with('=') {
                        true => word.text.starts_with(start),
                        false => word.text == *start,
                    };
                    match PARAMETERS_OF_OTHERS.iter().find(whose) {
                        Some((_, whose)) => {
                            let problem = format!("{this} belongs to {whose}, and nginx 1.22 refuses it");
                            let refused = refused(&problem);
                            report.lenient(refused);
                            if word.text == "drain" {
                                server = server.draining();
                            }
                            continue;
                        }
                        None => {
                            refused(&format!("nginx has no parameter {this}")).with_help(meant(&word.text))
                        }
                    }
                }
            };
            report.push(problem);
            right = false;
            break;
        }
        let words: Vec<Word> = std::iter::once(address).chain(parameters).cloned().collect();
        let entry = ServerEntry::new(server, whole(&words));
        right.then(|| Line { entry, backup, is_name: is_name(&address.text) })
    }

    /// How keys are placed. The error is that of an upstream that is right and places nothing.
    fn scheme(&mut self, report: &mut Report, label: &Word) -> Result<Scheme, Diagnostic> {
        let what = &self.what;
        let (hash, directive) = match &self.method {
            Method::Turns => {
                let why = format!("{what} has no `hash`: its servers take turns, and no key has an owner");
                return report.placement(label.span, why);
            }
            Method::Other(why, directive) => {
                let why = format!("{what} {why}: {}", written(report, directive));
                return report.placement(directive.span(), why);
            }
            Method::Hash(hash, directive) => (hash, directive),
        };
        if hash.empty {
            let why = format!(
                "{what} hashes an empty key, {}: for it the servers take turns, and no key has an owner",
                written(report, directive)
            );
            return report.placement(directive.span(), why);
        }
        if hash.constant {
            let this = written(report, directive);
            let message =
                format!("{what} hashes a text without a variable, {this}: all requests have one owner");
            let warning = report.warning_at(directive.span(), message);
            report.warn(&mut self.warnings, warning);
        }
        let scheme = Scheme::from(Options { consistent: hash.consistent });
        Ok(match &hash.prefix {
            Some((prefix, _)) => scheme.with_key_prefix(prefix.clone()),
            None => scheme,
        })
    }

    /// The servers that take keys, with what is to be said of the others.
    fn servers(&mut self, report: &mut Report, label: &Word, counts_addresses: bool) -> Vec<ServerEntry> {
        let lines = std::mem::take(&mut self.lines);
        if !lines.is_empty() && lines.iter().all(|line| line.backup) {
            let message = format!("{} has only `backup` servers, and nginx refuses that", self.what);
            report.error(label.span, message);
        }
        let told = |server: &ServerEntry| quoted(server.server().name().as_str());
        if let Some(line) = lines.iter().find(|line| counts_addresses && line.is_name) {
            let message = format!(
                "server {}: nginx counts each address that the name has when it starts, and here it counts once",
                told(&line.entry)
            );
            let warning = report
                .warning_at(line.entry.span(), message)
                .with_help("write addresses, or `hash … consistent`, which goes by names");
            report.warn(&mut self.warnings, warning);
        }
        let mut kept = Vec::with_capacity(lines.len());
        let mut seen = HashSet::new();
        for line in lines {
            // To join copies would be to take shares away that nginx gives.
            if counts_addresses && report.options.merge && !seen.insert(line.entry.server().clone()) {
                let message = format!(
                    "server {} counts twice under a plain `hash`, and is not joined",
                    told(&line.entry)
                );
                let help = "write one line, with the sum of the weights: its keys then stand together";
                report.push(report.error_at(line.entry.span(), message).with_help(help));
            } else if line.backup {
                let message = format!(
                    "server {} is a backup and is left out: it has keys only while no other server is up",
                    told(&line.entry)
                );
                let warning = report.warning_at(line.entry.span(), message);
                report.warn(&mut self.warnings, warning);
            } else {
                kept.push(line.entry);
            }
        }
        kept
    }
}

/// The word at which the next directive begins, if the `;` before it is missing: the first of a line,
/// and a directive's name.
fn torn<'d>(report: &Report, directive: &'d Directive) -> Option<[&'d Word; 2]> {
    let is_first = |[before, word]: &[&Word; 2]| {
        let between = report.source.slice(Span::new(before.span.end(), word.span.start()));
        DIRECTIVES.contains(&word.text.as_str()) && between.contains('\n')
    };
    let pairs = directive.words.iter().zip(directive.arguments()).map(|(before, word)| [before, word]);
    // What a comment's dashes begin is no directive at all.
    if is_comment(directive.name()) { None } else { pairs.into_iter().find(is_first) }
}

/// A directive as it stands in the file, in backticks.
fn written(report: &Report, directive: &Directive) -> String {
    ticked(report.source.slice(directive.span()))
}

/// What begins comments elsewhere.
fn is_comment(name: &str) -> bool {
    name.starts_with("//") || name.starts_with("/*")
}

fn is_http_only(name: &str) -> bool {
    name == "ip_hash" || name.starts_with("keepalive")
}

fn is_random(words: &[Word]) -> bool {
    let words: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    matches!(words[..], [] | ["two"] | ["two", "least_conn"])
}

fn digits(text: &str) -> bool {
    !text.is_empty() && text.len() < 19 && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A time as nginx writes it: a number, or numbers with units from years down; milliseconds only
/// where they are counted.
fn is_time(text: &str, milliseconds: bool) -> bool {
    const UNITS: &[&str] = &["y", "M", "w", "d", "h", "m", "s", "ms", ""];
    let (mut rest, mut next) = (text, 0);
    while !rest.is_empty() {
        let number = rest.bytes().take_while(u8::is_ascii_digit).count();
        let unit: String = rest[number..].chars().take_while(char::is_ascii_alphabetic).collect();
        rest = &rest[number + unit.len()..];
        let Some(rank) = UNITS.iter().position(|known| *known == unit) else { return false };
        // A bare number ends the text.
        let in_place =
            rank >= next && (unit != "ms" || milliseconds) && (!unit.is_empty() || rest.is_empty());
        if number == 0 || number > 9 || !in_place {
            return false;
        }
        next = rank + 1;
        rest = rest.trim_start_matches(' ');
    }
    next > 0
}

/// The variables of a key have names.
fn is_right_key(key: &str) -> bool {
    let mut parts = key.split('$');
    parts.next();
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    parts.all(|part| match part.strip_prefix('{') {
        Some(braced) => {
            braced.split_once('}').is_some_and(|(name, _)| !name.is_empty() && name.chars().all(is_letter))
        }
        None => part.starts_with(is_letter),
    })
}

/// What is wrong with the address of a server, if anything, and what to do.
fn wrong_address(text: &str, stream: bool) -> Option<(&'static str, &'static str)> {
    const NO_PORT: &str = "the port is no number from 1 to 65535";
    let is_port =
        |text: &str| digits(text) && text.parse::<u64>().is_ok_and(|port| (1..=65535).contains(&port));
    if text.contains('$') {
        return Some((
            "a variable does not stand for an address here",
            "nginx takes addresses and names only",
        ));
    }
    if text.contains(SEMICOLON) {
        return Some(("a full-width semicolon is no `;`", "nginx ends a directive at `;` only"));
    }
    if text.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("unix:")) {
        return match text.len() - 5 {
            0 => Some(("the path of the socket is missing", "")),
            // With its end it has to fit in 108 bytes.
            108.. => Some(("the path of the socket is longer than 107 bytes", "")),
            _ => None,
        };
    }
    if text.contains("//") {
        return Some(("an address has no scheme", "write host:port; http:// belongs to `proxy_pass`"));
    }
    let (host, port) = if let Some(rest) = text.strip_prefix('[') {
        let Some((host, rest)) = rest.split_once(']') else {
            return Some(("the `[` of an IPv6 address is not closed", ""));
        };
        if host.parse::<Ipv6Addr>().is_err() {
            return Some(("what stands in the brackets is no IPv6 address", ""));
        }
        match rest.strip_prefix(':') {
            None if !rest.is_empty() => return Some(("`:` and a port, or nothing, follow the `]`", "")),
            port => (host, port),
        }
    } else {
        if text.contains(['/', '?']) {
            return Some(("an address has no path", "write host:port; a path belongs to `proxy_pass`"));
        }
        match text.split_once(':') {
            Some((_, rest)) if rest.contains(':') && text.parse::<Ipv6Addr>().is_ok() => {
                return Some(("an IPv6 address stands in brackets", "write [address]:port"));
            }
            Some((host, port)) => (host, Some(port)),
            None => (text, None),
        }
    };
    match port {
        Some(port) if !is_port(port) => Some((NO_PORT, "")),
        _ if host.is_empty() => Some(("the host is missing", "")),
        None if stream => Some(("the port is missing, and in `stream` there is none by default", "")),
        _ => None,
    }
}

/// Whether an address is a name, which nginx asks DNS about.
fn is_name(address: &str) -> bool {
    let host = address.split(':').next().unwrap_or_default();
    let is_ip = host.parse::<std::net::Ipv4Addr>().is_ok() || address.starts_with('[');
    !is_ip && !address.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("unix:"))
}

fn meant(word: &str) -> String {
    const PARAMETERS: [&str; 6] = ["weight", "max_conns", "max_fails", "fail_timeout", "backup", "down"];
    let key = word.split('=').next().unwrap_or_default();
    match nearest(key, PARAMETERS) {
        Some(meant) if meant != word => format!("did you mean `{meant}`?"),
        _ => format!("its parameters are {}", PARAMETERS.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_that_nginx_reads() {
        for right in ["10", "10s", "1m", "1h30m", "1d 2h", "1y", "0", "5M", "90s"] {
            assert!(is_time(right, false), "{right}");
        }
        for wrong in ["", "s", "10ms", "1s1m", "1x", "-1", "1.5s", "10 s"] {
            assert!(!is_time(wrong, false), "{wrong}");
        }
        assert!(is_time("100ms", true) && is_time("1s100ms", true));
    }

    #[test]
    fn names_are_told_from_addresses() {
        for (address, name) in [
            ("10.0.0.1:80", false),
            ("[::1]:80", false),
            ("UNIX:/a", false),
            ("localhost", true),
            ("cache.test:80", true),
        ] {
            assert_eq!(is_name(address), name, "{address}");
        }
    }
}
