//! libmemcached 1.1: option strings, as `memcached()` and `--CONFIGURE-FILE=` take them.
//!
//! ```text
//! --DISTRIBUTION=CONSISTENT --HASH=MD5
//! --SERVER=10.0.0.1:11211 --SERVER=10.0.0.2:11211/?2
//! --SOCKET="/run/memcached.sock"/?3
//! ```
//!
//! What decides the placement: `--DISTRIBUTION=`, `--HASH=`, `--SORT-HOSTS`, the servers, and the
//! order of them all. A distribution that is set when servers are there ignores their weights; one
//! of a weight above 1 that is added later makes all weights count again. The hash that may follow
//! a distribution (`CONSISTENT,MD5`) changes no owner. A hash that is set when the points of an
//! unweighted ring are there changes that of keys alone: such a mixture has no name here and is not
//! placed. Without a distribution it is MODULA, which has no weights. A namespace is part of what is
//! hashed if `--HASH-WITH-NAMESPACE` stands anywhere.
//!
//! A file is parsed line by line, a string as a whole: what the two take differently (a second
//! `--HASH=`, anything after `END`) is refused. What no parse takes is refused as libmemcached does:
//! unknown options, blanks doubled or at an end, host names of fewer than three characters, IPv6,
//! paths without quotes; the last four are read under `--lenient`. `INCLUDE` and
//! `--CONFIGURE-FILE=` are refused: what they bring in is not here.
//!
//! Established by asking libmemcached 1.1.4 (`memcached()` and what it then answers for keys); the
//! grammar is that of its `csl/scanner.l` and `csl/parser.yy`.

use std::net::{Ipv4Addr, Ipv6Addr};

use clockwise::dialect::libmemcached::{Distribution, Hash, Options};
use clockwise::{KeyPrefix, Scheme, Server};

use crate::diagnostic::{Diagnostic, quoted, ticked};
use crate::fleet::{PoolRead, ServerEntry, SettingPlace, settle};
use crate::kind::significant;
use crate::namespace::namespace;
use crate::placement::KEY_PREFIX;
use crate::report::Report;
use crate::source::Span;
use crate::suggest::{nearest, one_of};

/// Options that take nothing.
const FLAGS: &[&str] = &[
    "BINARY-PROTOCOL",
    "BUFFER-REQUESTS",
    "FETCH-VERSION",
    "HASH-WITH-NAMESPACE",
    "NOREPLY",
    "RANDOMIZE-REPLICA-READ",
    "SORT-HOSTS",
    "SUPPORT-CAS",
    "TCP-KEEPALIVE",
    "TCP-KEEPIDLE",
    "TCP-NODELAY",
    "USER-DATA",
    "USE-UDP",
    "VERIFY-KEY",
];

/// Options that take a number and place nothing.
const NUMBERS: &[&str] = &[
    "CONNECT-TIMEOUT",
    "IO-BYTES-WATERMARK",
    "IO-KEY-PREFETCH",
    "IO-MSG-WATERMARK",
    "NUMBER-OF-REPLICAS",
    "POLL-TIMEOUT",
    "POOL-MAX",
    "POOL-MIN",
    "RCV-TIMEOUT",
    "REMOVE-FAILED-SERVERS",
    "RETRY-TIMEOUT",
    "SND-TIMEOUT",
    "SOCKET-RECV-SIZE",
    "SOCKET-SEND-SIZE",
];

/// Options that take something else.
const VALUES: &[&str] = &["CONFIGURE-FILE", "DISTRIBUTION", "HASH", "NAMESPACE", "SERVER", "SOCKET"];

/// Words that stand alone.
const WORDS: &[&str] = &["CSL_ERROR", "DEBUG", "END", "ERROR", "INCLUDE", "RESET"];

/// Host names that its scanner takes for something else.
const RESERVED: &[&str] = &[
    "CONSISTENT",
    "CRC",
    "CSL_ERROR",
    "DEBUG",
    "END",
    "FALSE",
    "FNV1A_32",
    "FNV1A_64",
    "FNV1_32",
    "FNV1_64",
    "HSIEH",
    "INCLUDE",
    "JENKINS",
    "MD5",
    "MODULA",
    "MURMUR",
    "RANDOM",
    "RESET",
    "SERVERS",
    "TRUE",
];

/// Whether the first line begins with an option or with `INCLUDE "…"`.
pub(crate) fn is(text: &str) -> bool {
    significant(text).next().is_some_and(|(_, line)| {
        let line = line.trim_start();
        let word = line.split(' ').next().unwrap_or("").trim_end();
        match word.strip_prefix("--") {
            Some(option) => option.starts_with(|c: char| c.is_ascii_alphabetic()),
            None => {
                word.eq_ignore_ascii_case("INCLUDE") && line[word.len()..].trim_start().starts_with('"')
                    || WORDS.iter().any(|known| word.eq_ignore_ascii_case(known))
                        && text.contains("--SERVER=")
            }
        }
    })
}

pub(crate) fn read(report: &mut Report) -> Vec<PoolRead> {
    let source = report.source.clone();
    let mut client = Client::default();
    for (number, line) in (1..).zip(source.text().lines()) {
        let indent = source.indent().min(line.len() - line.trim_start_matches(' ').len());
        let (start, line) = (source.line_start(number) + indent, &line[indent..]);
        // Comments are lines of their own.
        if line.starts_with('#') {
            continue;
        }
        client.ended_line = None;
        let mut words = Words { line, start, at: 0 };
        while let Some(word) = words.next(report) {
            client.take(report, word, &mut words);
        }
    }
    client.pool(report)
}

/// A word of a line and where it stands.
#[derive(Clone, Copy)]
struct Word<'l> {
    text: &'l str,
    start: usize,
}

impl<'l> Word<'l> {
    fn span(self) -> Span {
        Span::new(self.start, self.start + self.text.len())
    }

    /// The text from that byte on.
    fn from(self, at: usize) -> Word<'l> {
        Word { text: &self.text[at..], start: self.start + at }
    }

    fn to(self, at: usize) -> Word<'l> {
        Word { text: &self.text[..at], start: self.start }
    }
}

/// The words of a line: one blank stands between two, and none elsewhere except in quotes.
struct Words<'l> {
    line: &'l str,
    start: usize,
    at: usize,
}

impl<'l> Words<'l> {
    fn next(&mut self, report: &mut Report) -> Option<Word<'l>> {
        let rest = &self.line[self.at..];
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t', '\r']).len();
        let spaces = rest[..blanks].matches(' ').count();
        let begins = self.at == 0;
        let place = Span::new(self.start + self.at, self.start + self.at + blanks);
        self.at += blanks;
        if self.at == self.line.len() {
            // One string over several lines has a blank before each break; at its end it has none.
            let is_last = self.start + self.line.len() >= report.source.text().trim_end().len();
            if !begins && spaces > usize::from(!is_last) {
                self.refuse_blank(report, place, "at the end");
            }
            return None;
        }
        if spaces > usize::from(!begins) {
            self.refuse_blank(
                report,
                place,
                if begins { "at the beginning" } else { "before the next word" },
            );
        }
        let rest = &self.line[self.at..];
        let mut quotes = false;
        let end = rest.char_indices().find(|&(at, c)| {
            quotes ^= c == '"' && !(at > 0 && rest.as_bytes()[at - 1] == b'\\');
            matches!(c, ' ' | '\t' | '\r') && !quotes
        });
        let word = &rest[..end.map_or(rest.len(), |(at, _)| at)];
        let word = Word { text: word, start: self.start + self.at };
        self.at += word.text.len();
        Some(word)
    }

    fn refuse_blank(&self, report: &mut Report, place: Span, at: &str) {
        let line = quoted(self.line);
        let message = format!("libmemcached refuses the line {line}: a blank too many {at}");
        let refused = report.error_at(place, message).with_help("one blank stands between two options");
        report.lenient(refused);
    }

    /// Where the line goes on, to be passed over.
    fn rest(&mut self) -> Word<'l> {
        let rest = Word { text: self.line[self.at..].trim(), start: self.start + self.at };
        self.at = self.line.len();
        rest
    }
}

/// What options and servers, given one after the other, make of a client: of PHP's too.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Steps {
    pub(crate) distribution: Distribution,
    pub(crate) hash: Hash,
    /// The hash of the points that are there.
    points: Hash,
    /// Whether a server above weight 1 came after the distribution, so that weights count.
    is_weighted: bool,
    has_servers: bool,
    has_weights: bool,
}

impl Steps {
    /// The distribution is set; CONSISTENT_WEIGHTED is what OPT_LIBKETAMA_COMPATIBLE sets.
    pub(crate) fn distribute(&mut self, distribution: Distribution) {
        self.distribution = distribution;
        self.is_weighted = false;
        self.points = self.hash;
    }

    /// A server is added.
    pub(crate) fn add(&mut self, weight: u32) {
        self.has_servers = true;
        self.has_weights |= weight > 1;
        self.is_weighted |= self.is_unweighted_ring() && weight > 1;
        self.points = self.hash;
    }

    /// All servers are taken out.
    pub(crate) fn clear(&mut self) {
        (self.has_servers, self.has_weights, self.is_weighted) = (false, false, false);
    }

    fn is_unweighted_ring(&self) -> bool {
        !matches!(self.distribution, Distribution::Modula | Distribution::ConsistentWeighted)
    }

    /// The hash of the points, if the ring was made with another than keys have now.
    pub(crate) fn mixed(&self) -> Option<Hash> {
        let mixed =
            self.is_unweighted_ring() && !self.is_weighted && self.has_servers && self.points != self.hash;
        mixed.then_some(self.points)
    }

    /// Whether weights are there and ignored, since the distribution was set after the servers.
    pub(crate) fn is_late(&self) -> bool {
        self.is_unweighted_ring() && self.has_weights && !self.is_weighted
    }
}

/// A client as the options leave it, one after the other.
#[derive(Default)]
struct Client<'l> {
    servers: Vec<ServerEntry>,
    distribution: Option<Word<'l>>,
    hash: Option<Word<'l>>,
    sort_hosts: Option<Word<'l>>,
    namespace: Option<(Word<'l>, Option<KeyPrefix>)>,
    hashes_namespace: bool,
    steps: Steps,
    /// The first line of an `END`, while nothing follows.
    ended: Option<Span>,
    ended_line: Option<Span>,
}

impl<'l> Client<'l> {
    fn take(&mut self, report: &mut Report, word: Word<'l>, words: &mut Words<'l>) {
        if let (Some(end), None) = (self.ended, self.ended_line) {
            let message = format!(
                "{} follows END: a file goes on after that line, and a string ends there",
                ticked(word.text)
            );
            report.push(report.error_at(word.span(), message).with_also(end, "END here"));
            words.rest();
            return;
        }
        let Some(option) = word.text.strip_prefix("--") else {
            return self.bare_word(report, word, words);
        };
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, Some(word.from(word.text.len() - value.len()))),
            None => (option, None),
        };
        let known = |list: &[&str]| list.iter().any(|known| name.eq_ignore_ascii_case(known));
        match value {
            None if known(FLAGS) => self.flag(word, name),
            Some(value) if known(NUMBERS) => {
                if value.text.is_empty() || !value.text.bytes().all(|byte| byte.is_ascii_digit()) {
                    let message = format!("{} takes a number, not {}", ticked(name), quoted(value.text));
                    report.error(word.span(), message);
                }
            }
            Some(value) if known(VALUES) => self.set(report, word, &name.to_ascii_uppercase(), value),
            Some(_) if known(FLAGS) => {
                report.error(word.span(), format!("{} takes no value", ticked(word.text)));
            }
            None if known(NUMBERS) || known(VALUES) => {
                let message = format!("{} has no value", ticked(word.text));
                report
                    .push(report.error_at(word.span(), message).with_help(format!("write {}=…", word.text)));
            }
            _ => {
                let all = FLAGS.iter().chain(NUMBERS).chain(VALUES).copied();
                let upper = name.to_ascii_uppercase();
                let help = match nearest(&upper, all) {
                    Some(meant) => format!("did you mean `--{meant}`?"),
                    None if upper.starts_with("KETAMA") => {
                        "no option string can set it: say it with dialect = \"libmemcached\" in a file of clockwise's own".to_owned()
                    }
                    None => "its options are those of `memcached()`: --SERVER=, --DISTRIBUTION=, --HASH= and more".to_owned(),
                };
                let message = format!("libmemcached has no option {}", ticked(word.text));
                report.push(report.error_at(word.span(), message).with_help(help));
            }
        }
    }

    fn bare_word(&mut self, report: &mut Report, word: Word<'l>, words: &mut Words<'l>) {
        match word.text.to_ascii_uppercase().as_str() {
            "DEBUG" => {}
            "END" => {
                self.ended = Some(word.span());
                self.ended_line = self.ended;
                let rest = words.rest();
                if !rest.text.is_empty() {
                    let message = format!("{} stands after END and is not read", ticked(rest.text));
                    report.push(report.warning_at(rest.span(), message));
                }
            }
            "RESET" => {
                if !self.servers.is_empty() {
                    let message = format!("{} forgets the servers and options before it", ticked(word.text));
                    report.push(report.warning_at(word.span(), message));
                }
                *self = Client::default();
            }
            "ERROR" | "CSL_ERROR" => {
                let message = format!("{} makes libmemcached refuse the file on purpose", ticked(word.text));
                report.error(word.span(), message);
                words.rest();
            }
            "INCLUDE" => {
                let file = words.rest();
                let message = format!("INCLUDE of {}: what that file sets is not here", ticked(file.text));
                let place = if file.text.is_empty() { word.span() } else { file.span() };
                report
                    .push(report.error_at(place, message).with_help("put its lines in the place of INCLUDE"));
            }
            _ if word.text.starts_with('#') => {
                let message = format!(
                    "{}: libmemcached takes a comment only at the beginning of a line",
                    ticked(word.text)
                );
                let refused = report.error_at(word.span(), message);
                report.lenient(refused);
                words.rest();
            }
            _ => {
                let message = format!("{} is no option of libmemcached", ticked(word.text));
                report.push(
                    report
                        .error_at(word.span(), message)
                        .with_help("options begin with --, as --SERVER=host:port"),
                );
            }
        }
    }

    fn flag(&mut self, word: Word<'l>, name: &str) {
        if name.eq_ignore_ascii_case("SORT-HOSTS") {
            self.sort_hosts = Some(word);
        } else if name.eq_ignore_ascii_case("HASH-WITH-NAMESPACE") {
            self.hashes_namespace = true;
        }
    }

    fn set(&mut self, report: &mut Report, word: Word<'l>, name: &str, value: Word<'l>) {
        match name {
            "SERVER" => match server(report, value) {
                Ok(server) => self.add(ServerEntry::new(server, value.span())),
                Err(refused) => report.push(refused),
            },
            "SOCKET" => match socket(report, value) {
                Ok(server) => self.add(ServerEntry::new(server, value.span())),
                Err(refused) => report.push(refused),
            },
            "DISTRIBUTION" => self.distribute(report, word, value),
            "HASH" => {
                if !is_hash(report, value) {
                    return;
                }
                self.steps.hash = value.text.to_ascii_uppercase().parse().unwrap_or_default();
                if let Some(first) = self.hash.replace(value) {
                    let message = format!(
                        "{} is a second hash: in a string libmemcached refuses it, in a file of several lines the last one counts",
                        ticked(word.text)
                    );
                    let refused = report.error_at(word.span(), message).with_also(first.span(), "the first");
                    report.lenient(refused);
                }
            }
            "NAMESPACE" => {
                let prefix = named(report, value);
                if let Some((first, _)) = self.namespace.replace((value, prefix)) {
                    let option = word.text.split('=').next().unwrap_or(word.text);
                    report.duplicate_key(option, first.span(), word.span());
                }
            }
            _ => {
                let message = format!("{}: what that file sets is not here", ticked(word.text));
                report.push(
                    report.error_at(word.span(), message).with_help("put its lines in the place of this"),
                );
            }
        }
    }

    fn add(&mut self, entry: ServerEntry) {
        self.steps.add(entry.server().weight().get());
        self.servers.push(entry);
    }

    fn distribute(&mut self, report: &mut Report, word: Word<'l>, value: Word<'l>) {
        let (distribution, hash) = match value.text.split_once(',') {
            Some((distribution, hash)) => {
                (value.to(distribution.len()), Some(value.from(value.text.len() - hash.len())))
            }
            None => (value, None),
        };
        const KNOWN: [&str; 3] = ["CONSISTENT", "MODULA", "RANDOM"];
        if !KNOWN.iter().any(|known| distribution.text.eq_ignore_ascii_case(known)) {
            let (place, message) = match distribution.text {
                "" => (word, format!("{} names no distribution", ticked(word.text))),
                text => (distribution, format!("there is no distribution {}", quoted(text))),
            };
            report.push(
                report
                    .error_at(place.span(), message)
                    .with_help(format!("an option string has {}", one_of(KNOWN))),
            );
            return;
        }
        if hash.is_some_and(|hash| !is_hash(report, hash)) {
            return;
        }
        self.distribution = Some(distribution);
        self.steps.distribute(distribution.text.to_ascii_uppercase().parse().unwrap_or_default());
    }

    fn pool(self, report: &mut Report) -> Vec<PoolRead> {
        let span = self.servers.first().map_or(Span::new(0, 0), ServerEntry::span);
        let scheme = self.scheme(report);
        let settings = [
            ("distribution", self.distribution),
            ("hash", self.hash),
            ("sort_hosts", self.sort_hosts),
            (KEY_PREFIX, self.prefix().map(|(word, _)| word)),
        ];
        let settings = settings.into_iter().filter_map(|(key, word)| {
            let word = word?;
            Some(SettingPlace { key: key.to_owned(), text: word.text.to_owned(), span: word.span() })
        });
        let settings = settings.collect();
        let entries =
            settle(report, "the option string", Span::new(span.start(), span.start()), self.servers);
        vec![PoolRead { name: None, span, scheme, settings, entries, warnings: Vec::new() }]
    }

    fn scheme(&self, report: &mut Report) -> Result<Scheme, Diagnostic> {
        if let Some(word) = self.distribution {
            let distribution: Result<Distribution, clockwise::Error> = word.text.to_ascii_uppercase().parse();
            distribution
                .map_err(|error| report.error_at(word.span(), format!("{}: {error}", ticked(word.text))))?;
        }
        if let (Some(points), Some(word)) = (self.steps.mixed(), self.hash) {
            let message = format!(
                "the hash {} is set when the ring is there: its points keep the hash {points}, and keys get the new one",
                ticked(word.text)
            );
            return Err(report
                .error_at(word.span(), message)
                .with_help("put --HASH= before --DISTRIBUTION= or before the servers: one hash for both"));
        }
        if let (true, Some(word)) = (self.steps.is_late(), self.distribution) {
            let message = format!(
                "distribution {} stands after the servers, and so libmemcached ignores their weights",
                ticked(word.text)
            );
            report.push(report.warning_at(word.span(), message).with_help("put it before the servers"));
        }
        let scheme = Scheme::from(Options {
            distribution: self.steps.distribution,
            hash: self.steps.hash,
            set_after_servers: self.steps.is_late(),
            sort_hosts: self.sort_hosts.is_some(),
        });
        Ok(match self.prefix() {
            Some((_, prefix)) => scheme.with_key_prefix(prefix.clone()),
            None => scheme,
        })
    }

    /// The namespace, where it is hashed.
    fn prefix(&self) -> Option<(Word<'l>, &KeyPrefix)> {
        let (word, prefix) = self.namespace.as_ref().filter(|_| self.hashes_namespace)?;
        Some((*word, prefix.as_ref()?))
    }
}

/// A namespace: in quotes, or a word that the scanner would take for a host too.
fn named(report: &mut Report, word: Word<'_>) -> Option<KeyPrefix> {
    let inner = word.text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    if inner.is_none() && (!is_word(word.text) || word.text.parse::<Ipv4Addr>().is_ok()) {
        let message = format!("namespace {}: libmemcached takes it in quotes only", quoted(word.text));
        let refused = report
            .error_at(word.span(), message)
            .with_help(format!("write --NAMESPACE={}", quoted(word.text)));
        report.lenient(refused);
    }
    let prefix = namespace(inner.unwrap_or(word.text));
    prefix.map_err(|problem| report.error(word.span(), problem)).ok()
}

/// Whether the scanner takes it for a word that is none of its own: at least three characters, the first
/// and the last a letter or digit.
fn is_word(text: &str) -> bool {
    let inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let ends = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    text.len() >= 3
        && text.chars().all(inner)
        && ends(text.chars().next())
        && ends(text.chars().last())
        && !is_reserved(text)
}

/// A word of the scanner's own, or a number.
fn is_reserved(text: &str) -> bool {
    RESERVED.iter().any(|word| text.eq_ignore_ascii_case(word)) || text.bytes().all(|b| b.is_ascii_digit())
}

/// A hash that an option string can name.
fn is_hash(report: &mut Report, word: Word<'_>) -> bool {
    let names =
        Hash::ALL.iter().map(|hash| hash.as_str()).filter(|name| !["DEFAULT", "MURMUR3"].contains(name));
    let names: Vec<&str> = names.collect();
    if names.iter().any(|name| word.text.eq_ignore_ascii_case(name)) {
        return true;
    }
    let help = match nearest(word.text, names.iter().copied()) {
        Some(meant) if !word.text.eq_ignore_ascii_case("MURMUR3") => {
            format!("did you mean {}?", quoted(meant))
        }
        _ => format!("an option string has {}", one_of(names)),
    };
    let message = format!("there is no hash {}", quoted(word.text));
    report.push(report.error_at(word.span(), message).with_help(help));
    false
}

/// `host[:port][/?weight]`.
fn server(report: &mut Report, word: Word<'_>) -> Result<Server, Diagnostic> {
    let (place, weight) = weight(report, word)?;
    let text = place.text;
    let refuse = |report: &Report, problem: &str| {
        let shown = if text.is_empty() { word } else { place };
        report.error_at(shown.span(), format!("server {}: {problem}", quoted(shown.text)))
    };
    let is_ipv6 = text.starts_with('[') || text.matches(':').count() > 1;
    if is_ipv6 {
        let host = text.strip_prefix('[').and_then(|rest| rest.split_once(']'));
        let is_address = match host {
            Some((host, port)) => {
                host.parse::<Ipv6Addr>().is_ok() && (port.is_empty() || port.starts_with(':'))
            }
            None => text.parse::<Ipv6Addr>().is_ok(),
        };
        if !is_address {
            return Err(refuse(report, "it is no IPv6 address, which stands in brackets before a port"));
        }
        let refused = refuse(report, "libmemcached's option strings take no IPv6 address");
        report.lenient(refused);
    }
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if !is_ipv6 || host.ends_with(']') => (host, Some(port)),
        _ => (text, None),
    };
    if let Some(port) = port {
        let digits = (1..=5).contains(&port.len()) && port.bytes().all(|byte| byte.is_ascii_digit());
        if !digits || port.parse::<u32>().is_ok_and(|port| port > 65535) {
            return Err(refuse(report, &format!("port {} is not a number from 0 to 65535", quoted(port))));
        }
    }
    if !is_ipv6 {
        host_name(report, host, &refuse)?;
    }
    let at = |error: clockwise::Error| report.error_at(word.span(), error.to_string());
    let host = if is_ipv6 && !host.starts_with('[') { format!("[{host}]") } else { host.to_owned() };
    let port = port.and_then(|port| port.parse::<u16>().ok()).filter(|port| *port > 0).unwrap_or(11211);
    let server = Server::new(text).and_then(|server| server.with_address(format!("{host}:{port}")));
    server.and_then(|server| server.with_weight(weight)).map_err(at)
}

/// A host as the scanner takes it.
fn host_name(
    report: &mut Report,
    host: &str,
    refuse: &dyn Fn(&Report, &str) -> Diagnostic,
) -> Result<(), Diagnostic> {
    let inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if host.is_empty() {
        return Err(refuse(report, "the host is missing"));
    }
    if host.contains(',') {
        let help = "write --SERVER= before each";
        return Err(refuse(report, "an option names one server").with_help(help));
    }
    if let Some(wrong) = host.chars().find(|c| !inner(*c)) {
        return Err(refuse(report, &format!("a host name has no {}", quoted(&wrong.to_string()))));
    }
    if host.parse::<Ipv4Addr>().is_ok() {
        return Ok(());
    }
    if is_reserved(host) {
        let refused =
            refuse(report, "libmemcached takes it for a word of its own or a number, not for a host");
        report.lenient(refused);
    } else if !is_word(host) {
        let refused = refuse(
            report,
            "libmemcached takes a host of at least three characters that begins and ends with a letter or digit",
        );
        report.lenient(refused);
    }
    Ok(())
}

/// `"/path"[/?weight]`.
fn socket(report: &mut Report, word: Word<'_>) -> Result<Server, Diagnostic> {
    let (place, weight) = weight(report, word)?;
    let inner = place.text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let path = inner.unwrap_or(place.text);
    if inner.is_none() {
        let message = format!("socket {}: libmemcached takes a path in quotes", quoted(place.text));
        let refused =
            report.error_at(word.span(), message).with_help(format!("write --SOCKET={}", quoted(path)));
        report.lenient(refused);
    }
    if !path.starts_with('/') {
        return Err(report.error_at(word.span(), format!("socket {} is no path from the root", quoted(path))));
    }
    let server = Server::new(path).and_then(|server| server.with_weight(weight));
    server.map_err(|error| report.error_at(word.span(), error.to_string()))
}

/// A value without the weight at its end, and the weight.
fn weight<'l>(report: &mut Report, word: Word<'l>) -> Result<(Word<'l>, u32), Diagnostic> {
    let Some((place, weight)) = word.text.rsplit_once("/?") else {
        return Ok((word, 1));
    };
    let digits = (1..=5).contains(&weight.len()) && weight.bytes().all(|byte| byte.is_ascii_digit());
    let Some(number) = weight.parse::<u32>().ok().filter(|_| digits) else {
        let message = format!(
            "server {}: weight {} is not a number of up to five digits",
            quoted(place),
            quoted(weight)
        );
        return Err(report.error_at(word.span(), message));
    };
    if number == 0 {
        let message = format!("server {}: weight {weight} counts as 1 in libmemcached", quoted(place));
        report.push(report.warning_at(word.span(), message));
    }
    Ok((word.to(place.len()), number.max(1)))
}
