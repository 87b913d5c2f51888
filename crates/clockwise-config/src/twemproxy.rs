//! twemproxy (nutcracker) 0.5: pools of servers in YAML.
//!
//! ```yaml
//! alpha:
//!   listen: 127.0.0.1:22121
//!   hash: fnv1a_64
//!   distribution: ketama
//!   servers:
//!    - 10.0.0.1:11211:1 cache-1
//! ```
//!
//! What decides the placement: `hash` (default `fnv1a_64`), `hash_tag`, `distribution` (default
//! `ketama`) and the servers. A server's identity on the ring is the name that follows the weight;
//! without one it is the host if the port is 11211, else `host:port` as written. A unix socket
//! without a name is its path *and the colon that follows*: nutcracker keeps it.
//!
//! A file that nutcracker refuses is refused here, with one exception: a weight of 0. nutcracker
//! does not start with it; here it is a draining server, with a warning, since that is what whoever
//! writes a 0 means. Established by asking nutcracker 0.5.0 (`nutcracker -t`), which the tests do
//! again for every file of the corpus.
//!
//! Refused although nutcracker takes them: `distribution: random`, which places nothing; numbers
//! beyond a C `int`, which overflow there; and hosts with colons that are no IPv6 address.

use std::collections::HashMap;
use std::net::Ipv6Addr;
use std::str::FromStr;

use clockwise::dialect::twemproxy::{Distribution, Hash};
use clockwise::hash::HashTag;
use clockwise::{Scheme, Server};

use crate::diagnostic::{Diagnostic, quoted, ticked};
use crate::dialect::{self, Setting};
use crate::fields::{self, Fields};
use crate::fleet::{PoolRead, ServerEntry, settle};
use crate::kind::{Kind, known, toml_or_twemproxy};
use crate::node::{Entry, Node, ScalarKind, Value};
use crate::report::Report;
use crate::source::Span;
use crate::suggest::nearest;
use crate::yaml::{self, Mark};

/// Every key of a pool.
const KEYS: &[&str] = &[
    "listen",
    "hash",
    "hash_tag",
    "distribution",
    "timeout",
    "backlog",
    "client_connections",
    "tcpkeepalive",
    "redis",
    "redis_auth",
    "redis_db",
    "preconnect",
    "auto_eject_hosts",
    "server_connections",
    "server_retry_timeout",
    "server_failure_limit",
    "servers",
];

/// Keys of a pool of Dynomite, which looks like one.
const DYNOMITE: [&str; 4] = ["dyn_listen", "dyn_seeds", "dyn_port", "data_store"];

/// What forks have around their pools.
const FORKS: [&str; 3] = ["pools", "sentinels", "global"];

/// The largest value of a C `int`.
const INT_MAX: u32 = i32::MAX as u32;

/// Whether a text is YAML of this kind: the first line that is TOML or YAML and not the other is YAML.
pub(crate) fn is(text: &str) -> bool {
    toml_or_twemproxy(text) == Some(Kind::Twemproxy)
}

/// Refuses what ends a line for libyaml, which nutcracker reads with, and for no editor: a comment
/// would go on as a server.
fn refuse_separators(report: &mut Report) {
    let source = report.source.clone();
    let separators = ['\u{85}', '\u{2028}', '\u{2029}'];
    if let Some((at, found)) = source.text().match_indices(separators).next() {
        let message = format!("nutcracker begins a new line at this character, {}", ticked(found));
        let span = Span::new(at, at + found.len());
        report.push(report.error_at(span, message).with_help("take it out, or break the line there"));
    }
}

pub(crate) fn read(report: &mut Report) -> Vec<PoolRead> {
    refuse_separators(report);
    let Some(document) = yaml::read(report, report.options.lenient) else {
        if !report.has_errors() {
            report.error(Span::new(0, 0), "the file holds no pool");
        }
        return Vec::new();
    };
    for (mark, span) in document.marks {
        refuse_mark(report, mark, span);
    }
    let Value::Map(pools) = &document.root.value else {
        let this = fields::shown(report, &document.root);
        let message =
            format!("a twemproxy file holds pools by name, and {this} is {}", document.root.describe());
        let help = "a pool is its name with `listen:`, `servers:` and the like indented under it";
        report.push(report.error_at(document.root.span, message).with_help(help));
        return Vec::new();
    };
    if let ([first, _, ..], true) = (&pools[..], pools.iter().all(is_no_pool)) {
        let message =
            format!("{} is no twemproxy pool, and no other key of the file is one", quoted(&first.key));
        let help = "a pool is its name with `listen:`, `servers:` and the like indented under it";
        report.push(report.error_at(first.key_span, message).with_help(help).with_more_help(&known()));
        return Vec::new();
    }
    refuse_shared_listen(report, pools);
    let read: Vec<PoolRead> = pools.iter().filter_map(|entry| pool(report, entry)).collect();
    if let (true, false, Some(first)) = (read.is_empty(), report.has_errors(), pools.first()) {
        report.error(first.key_span, format!("the file holds no pool: {} is none", quoted(&first.key)));
    }
    read
}

/// Whether a key holds nothing of a pool, nor of what is like one.
fn is_no_pool(entry: &Entry) -> bool {
    let is_like = |entry: &Entry| {
        let key = entry.key.as_str();
        KEYS.contains(&key) || DYNOMITE.contains(&key)
    };
    match &entry.value.value {
        Value::Map(entries) => !entries.iter().any(is_like) && !FORKS.contains(&entry.key.as_str()),
        _ => true,
    }
}

/// YAML that nutcracker disallows, whatever it means.
fn refuse_mark(report: &mut Report, mark: Mark, span: Span) {
    let what = ticked(report.source.slice(span).split_whitespace().next().unwrap_or(""));
    let (message, help) = match mark {
        Mark::DocumentMarker => {
            (format!("nutcracker refuses a document marker, {what}"), "take the line out")
        }
        Mark::Anchor => {
            (format!("nutcracker refuses an anchor, {what}"), "take it out; aliases are refused too")
        }
        Mark::Alias => (format!("nutcracker refuses an alias, {what}"), "write out what it stands for"),
        Mark::Again => (
            format!("{what} is given again, which nutcracker refuses, and the last one counts"),
            "take the others out",
        ),
        Mark::Tag => {
            (format!("nutcracker refuses a tag, {what}"), "take it out: quotes make text of a value")
        }
        Mark::Brackets => (
            format!("nutcracker refuses lists and mappings in brackets, {what}"),
            "write one item a line: ` - item`, or put text that begins with a bracket in quotes",
        ),
    };
    let refused = report.error_at(span, message).with_help(help);
    report.lenient(refused);
}

/// Two pools cannot listen on one address.
fn refuse_shared_listen(report: &mut Report, pools: &[Entry]) {
    let mut seen: HashMap<&str, (&str, Span)> = HashMap::new();
    for pool in pools {
        let Value::Map(entries) = &pool.value.value else { continue };
        let Some(listen) = entries.iter().find(|entry| entry.key == "listen") else { continue };
        let Some(address) = listen.value.as_scalar() else { continue };
        match seen.get(address.text.as_str()) {
            None => {
                seen.insert(&address.text, (&pool.key, listen.place()));
            }
            Some(&(first, place)) => {
                let message = format!(
                    "pools {} and {} both listen on {}",
                    quoted(first),
                    quoted(&pool.key),
                    quoted(&address.text)
                );
                let refused = report
                    .error_at(listen.place(), message)
                    .with_label("taken")
                    .with_also(place, "first here");
                report.lenient(refused);
            }
        }
    }
}

fn pool(report: &mut Report, entry: &Entry) -> Option<PoolRead> {
    if entry.key.is_empty() {
        let before = ticked(report.source.slice(entry.key_span));
        report.error(entry.key_span, format!("a pool has no name: {before}"));
        return None;
    }
    let what = format!("pool {}", quoted(&entry.key));
    let fields = Fields::of(report, &entry.value, what, entry.key_span)?;
    if let Some(other) = fields.entries().iter().find(|entry| DYNOMITE.contains(&entry.key.as_str())) {
        let message = format!(
            "{} is one of Dynomite's by its key {}: it places keys by tokens of its own, which are not read",
            fields.what,
            ticked(&other.key)
        );
        report.error(other.key_span, message);
        return None;
    }
    if !fields.entries().iter().any(|entry| KEYS.contains(&entry.key.as_str())) {
        let message = format!("{} has none of the keys of a twemproxy pool", fields.what);
        let help = match entry.key.as_str() {
            key if FORKS.contains(&key) => {
                format!("`{key}:` belongs to a fork of twemproxy: give the pools alone, unindented")
            }
            _ => format!("they are {}", KEYS.join(", ")),
        };
        report.push(report.error_at(entry.key_span, message).with_help(help));
        return None;
    }
    if report.options.lenient && fields.get("listen").is_none() && fields.get("servers").is_none() {
        // Such a mapping is there for its anchor.
        let message = format!("{} has neither `listen` nor `servers`, and is passed over", fields.what);
        report.push(report.warning_at(entry.key_span, message));
        return None;
    }
    fields.unknown(report, KEYS, |report, entry, refused| {
        let refused = match entry.key.as_str() {
            "sentinels" => refused
                .with_help("a fork of twemproxy asks Redis Sentinel for its masters by it: take it out"),
            _ => refused,
        };
        report.lenient(refused);
    });
    surroundings(report, &fields);
    let scheme = scheme(report, &fields);
    let entries = servers(report, &fields);
    let entries = settle(report, &fields.what, entry.key_span, entries);
    Some(PoolRead {
        name: Some(entry.key.clone()),
        span: entry.key_span,
        scheme: scheme?,
        settings: fields.settings(|key| ["hash", "hash_tag", "distribution"].contains(&key)),
        entries,
        warnings: Vec::new(),
    })
}

/// A distribution that nutcracker does not have and no slip of the pen explains.
fn refuse_distribution(report: &mut Report, fields: &Fields<'_>) -> bool {
    let Some(entry) = fields.get("distribution") else { return false };
    let Some(scalar) = entry.value.as_scalar() else { return false };
    let known = Distribution::ALL.iter().map(|distribution| distribution.as_str());
    let text = scalar.text.as_str();
    if text.is_empty() || text.parse::<Distribution>().is_ok() || nearest(text, known).is_some() {
        return false;
    }
    let whose = match text {
        "vnode" | "single" => "it is one of Dynomite, which places keys by tokens",
        _ => "a fork that has it places keys in a way of its own",
    };
    let message = format!("there is no distribution {} in nutcracker: {whose}", quoted(text));
    report.push(report.error_at(entry.place(), message).with_help("`distribution` is ketama or modula"));
    true
}

/// What decides the placement. The inner error is that of a pool that is right and places nothing.
fn scheme(report: &mut Report, fields: &Fields<'_>) -> Option<Result<Scheme, Diagnostic>> {
    let is_random = |entry: &&Entry| entry.value.as_scalar().is_some_and(|s| s.text == "random");
    if let Some(entry) = fields.get("distribution").filter(is_random)
        && let Err(error) = Distribution::from_str("random")
    {
        // What else is wrong is wrong all the same.
        Setting::read(report, fields, "hash", Hash::default());
        Setting::read(report, fields, "hash_tag", None::<HashTag>);
        return Some(Err(report.error_at(entry.place(), format!("{}: {error}", fields.what))));
    }
    if refuse_distribution(report, fields) {
        Setting::read(report, fields, "hash", Hash::default());
        Setting::read(report, fields, "hash_tag", None::<HashTag>);
        return None;
    }
    dialect::read(report, fields, "twemproxy").map(|dialect| Ok(Scheme::Dialect(dialect)))
}

/// The keys that do not place anything, checked as nutcracker checks them.
fn surroundings(report: &mut Report, fields: &Fields<'_>) {
    match fields.get("listen") {
        None => {
            let message =
                format!("{} has no `listen`, and nutcracker refuses a pool without it", fields.what);
            let refused = report.error_at(fields.span, message).with_help("add `listen: 127.0.0.1:22121`");
            report.lenient(refused);
        }
        Some(entry) => listen(report, entry),
    }
    for key in [
        "timeout",
        "backlog",
        "client_connections",
        "redis_db",
        "server_retry_timeout",
        "server_failure_limit",
    ] {
        fields.get(key).map(|entry| fields::integer(report, entry, 0, u64::from(INT_MAX)));
    }
    if let Some(entry) = fields.get("server_connections") {
        fields::integer(report, entry, 1, u64::from(INT_MAX));
    }
    let redis = fields.get("redis").is_some_and(|entry| boolean(report, entry) == Some(true));
    for key in ["tcpkeepalive", "preconnect", "auto_eject_hosts"] {
        fields.get(key).map(|entry| boolean(report, entry));
    }
    if let Some(entry) = fields.get("redis_auth")
        && fields::text(report, entry).is_some()
        && !redis
    {
        let message = "`redis_auth` is only for a pool with `redis: true`";
        let help = "add `redis: true`, or take `redis_auth` out";
        let refused = report.error_at(entry.key_span, message).with_help(help);
        report.lenient(refused);
    }
}

/// `true` or `false`: nutcracker takes none of YAML's other words.
fn boolean(report: &mut Report, entry: &Entry) -> Option<bool> {
    let text = fields::text(report, entry)?;
    match text {
        "true" => Some(true),
        "false" => Some(false),
        _ => {
            let message =
                format!("{} is {}, and nutcracker takes `true` or `false`", ticked(&entry.key), quoted(text));
            let meant = match text.to_ascii_lowercase().as_str() {
                "true" | "yes" | "y" | "on" | "1" => Some("true"),
                "false" | "no" | "n" | "off" | "0" => Some("false"),
                _ => None,
            };
            let diagnostic = report.error_at(entry.place(), message);
            let Some(meant) = meant else {
                report.push(diagnostic);
                return None;
            };
            report.lenient(diagnostic.with_help(format!("write `{}: {meant}`", entry.key)));
            Some(meant == "true")
        }
    }
}

/// `host:port`, or the path of a socket with its mode in octal after a blank.
fn listen(report: &mut Report, entry: &Entry) {
    let Some(text) = fields::text(report, entry) else { return };
    let right = match text.strip_prefix('/') {
        Some(socket) => match socket.split_once(' ') {
            Some((_, mode)) => u32::from_str_radix(mode, 8).is_ok_and(|mode| mode <= 0o777),
            None => true,
        },
        None => text.rsplit_once(':').is_some_and(|(host, port)| !host.is_empty() && is_port(port)),
    };
    if !right {
        let message = format!("`listen` is {}, and it is host:port or /path with a mode", quoted(text));
        report.error(entry.place(), message);
    }
}

fn is_port(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && text.parse::<u64>().is_ok_and(|port| (1..=65535).contains(&port))
}

fn servers(report: &mut Report, fields: &Fields<'_>) -> Vec<ServerEntry> {
    let Some(entry) = fields.get("servers") else {
        let message = format!("{} has no `servers`", fields.what);
        report.push(report.error_at(fields.span, message).with_help(format!("add `servers:` and {LINE}")));
        return Vec::new();
    };
    match &entry.value.value {
        Value::List(items) => items.iter().filter_map(|item| server(report, entry, item)).collect(),
        Value::Scalar(scalar) if scalar.kind == ScalarKind::Nothing => {
            let message = format!("`servers` of {} is empty", fields.what);
            report.push(report.error_at(entry.key_span, message).with_help(LINE));
            Vec::new()
        }
        _ => {
            let this = fields::shown(report, &entry.value);
            let message = format!("`servers` is a list, and {this} is {}", entry.value.describe());
            report.push(report.error_at(entry.place(), message).with_help(LINE));
            Vec::new()
        }
    }
}

const LINE: &str = "each server is a line ` - host:port:weight name` under it; the name may be left out";

fn server(report: &mut Report, list: &Entry, node: &Node) -> Option<ServerEntry> {
    let text = match &node.value {
        Value::Scalar(scalar) if scalar.kind != ScalarKind::Nothing && !scalar.text.is_empty() => {
            scalar.text.as_str()
        }
        _ => {
            let diagnostic = no_line(report, list, node);
            report.push(diagnostic);
            return None;
        }
    };
    match Line::of(report, node, text).server(report) {
        Ok(server) => Some(ServerEntry::new(server, node.span)),
        Err(diagnostic) => {
            report.push(diagnostic);
            None
        }
    }
}

/// The complaint about an entry that is not text.
fn no_line(report: &Report, list: &Entry, node: &Node) -> Diagnostic {
    // Blocks and empty entries have no extent: the dash before them stands for them.
    let before = &report.source.text()[..report.source.boundary(node.span.start())];
    let dash = match before.rfind('-') {
        Some(at) if at >= list.key_span.end() => Span::new(at, at + 1),
        _ => list.key_span,
    };
    match &node.value {
        Value::Map(entries) if !entries.is_empty() => {
            let key = ticked(&entries[0].key);
            let message =
                format!("a server is one line, host:port:weight and a name, and here is a key {key}");
            report
                .error_at(entries[0].key_span, message)
                .with_help("a colon and a blank make a key in YAML: text that has them stands in quotes")
        }
        Value::Scalar(_) => {
            let entry = ticked(report.source.slice(dash));
            report.error_at(dash, format!("the entry {entry} holds no server")).with_help(LINE)
        }
        _ => {
            let entry = ticked(report.source.slice(dash));
            let message = format!("the entry {entry} is a server's, and holds {}", node.describe());
            report.error_at(dash, message).with_help(LINE)
        }
    }
}

/// The text of a server, and where its parts stand in the file.
struct Line<'n> {
    text: &'n str,
    whole: Span,
    /// The offset of its first character, where the file has the text letter for letter.
    start: Option<usize>,
}

impl<'n> Line<'n> {
    fn of(report: &Report, node: &Node, text: &'n str) -> Line<'n> {
        let written = report.source.slice(node.span);
        let inner = written.strip_prefix(['"', '\'']).and_then(|rest| rest.strip_suffix(['"', '\'']));
        let start = if written == text {
            Some(node.span.start())
        } else if inner == Some(text) {
            Some(node.span.start() + 1)
        } else {
            None
        };
        Line { text, whole: node.span, start }
    }

    /// The place of a part, which must be a slice of the text.
    fn place(&self, part: &str) -> Span {
        let offset = (part.as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
        match self.start {
            Some(start) if offset + part.len() <= self.text.len() && !part.is_empty() => {
                Span::new(start + offset, start + offset + part.len())
            }
            _ => self.whole,
        }
    }

    /// `host:port:weight [name]` or `/path:weight [name]`, taken apart from the end as nutcracker does.
    fn server(&self, report: &mut Report) -> Result<Server, Diagnostic> {
        let line = quoted(self.text);
        let (place, name) = match self.text.rsplit_once(' ') {
            Some((place, name)) => (place, Some(name)),
            None => (self.text, None),
        };
        if place.contains(char::is_whitespace) || name == Some("") {
            let message = format!(
                "server line {line} has a blank too many: one stands before the name, and nowhere else"
            );
            return Err(report.error_at(self.whole, message));
        }
        let is_socket = place.starts_with('/');
        let (address, weight) = match place.rsplit_once(':') {
            Some((address, weight)) if is_socket || address.contains(':') => (address, weight),
            _ => {
                let (missing, shape, with) = match (is_socket, place.contains(':')) {
                    (true, _) => ("weight", "/path:weight", format!("{place}:1")),
                    (false, true) => ("weight", "host:port:weight", format!("{place}:1")),
                    (false, false) => ("port and no weight", "host:port:weight", format!("{place}:11211:1")),
                };
                let name = name.map(|name| format!(" {name}")).unwrap_or_default();
                let message = format!("server line {line} has no {missing}");
                let help = format!("it is {shape} and a name: write {}", quoted(&(with + &name)));
                return Err(report.error_at(self.place(place), message).with_help(help));
            }
        };
        let (ring_name, address) = if is_socket {
            if address.contains(':') {
                let message =
                    format!("server line {line} has a colon too many: a socket is /path:weight and a name");
                return Err(report.error_at(self.place(place), message));
            }
            (format!("{address}:"), address.to_owned())
        } else {
            self.host_and_port(report, address)?
        };
        let name = name.map_or(ring_name, str::to_owned);
        let at = |part: &str, error: clockwise::Error| report.error_at(self.place(part), error.to_string());
        let server = Server::new(name.as_str()).and_then(|server| server.with_address(address));
        let server = server.map_err(|error| at(self.text, error))?;
        if !weight.is_empty() && weight.bytes().all(|digit| digit == b'0') {
            let message =
                format!("server {}: weight 0 is read as draining, and nutcracker refuses it", quoted(&name));
            report.push(report.warning_at(self.place(weight), message).with_label("listed, owns nothing"));
            return Ok(server.draining());
        }
        let server = server.with_weight(weight).map_err(|error| {
            let place = if weight.is_empty() { place } else { weight };
            at(place, error)
        })?;
        if server.weight().get() > INT_MAX {
            let message = format!(
                "server {}: weight {} is too large: nutcracker reads weights into an int, which ends at {INT_MAX}",
                quoted(&name),
                server.weight()
            );
            return Err(report.error_at(self.place(weight), message));
        }
        Ok(server)
    }

    /// The name on the ring and the address of `host:port`.
    fn host_and_port(&self, report: &Report, text: &str) -> Result<(String, String), Diagnostic> {
        let (host, port) = text.rsplit_once(':').unwrap_or((text, ""));
        if !is_port(port) {
            let message =
                format!("server {}: port {} is not a number from 1 to 65535", quoted(text), quoted(port));
            return Err(report.error_at(self.place(if port.is_empty() { text } else { port }), message));
        }
        let inner = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let is_ipv6 = |text: &str| text.split('%').next().is_some_and(|ip| ip.parse::<Ipv6Addr>().is_ok());
        let problem = match (host, inner) {
            ("", _) => Some("the host is missing"),
            (_, Some(inner)) if !is_ipv6(inner) => Some("what stands in the brackets is no IPv6 address"),
            (_, None) if host.contains(':') && !is_ipv6(host) => {
                Some("there is a colon too many: a host with colons is an IPv6 address")
            }
            (_, None) if host.contains(['[', ']']) => Some("a bracket has no other"),
            _ => None,
        };
        if let Some(problem) = problem {
            let place = if host.is_empty() { text } else { host };
            return Err(report.error_at(self.place(place), format!("server {}: {problem}", quoted(text))));
        }
        // The port by its value, the name by its text, as nutcracker compares and labels.
        let on_default_port = port.trim_start_matches('0') == "11211";
        let name = if on_default_port { host.to_owned() } else { text.to_owned() };
        let address =
            if inner.is_none() && host.contains(':') { format!("[{host}]:{port}") } else { text.to_owned() };
        Ok((name, address))
    }
}
