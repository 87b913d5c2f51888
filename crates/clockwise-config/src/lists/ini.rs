//! PHP's settings for sessions: php.ini, a pool of php-fpm, `.htaccess`.
//!
//! ```ini
//! session.save_handler = memcached
//! session.save_path = "10.0.0.1:11211,10.0.0.2:11211:2"
//! memcached.sess_consistent_hash_type = ketama_weighted
//! ```
//!
//! | setting | Memcached | Memcache |
//! |---|---|---|
//! | `session.save_path` | `host:port:weight,…` | `tcp://host:port?weight=1,…` |
//! | how keys are placed | `memcached.sess_consistent_hash` (On), `…_type` (`ketama`, `ketama_weighted`) | `memcache.hash_strategy`, `memcache.hash_function` |
//!
//! The ring `ketama` of Memcached's sessions is unweighted: it is set when the servers are there, and
//! their weights are ignored. Established by letting PHP Memcached 3.2.0 write sessions to three
//! servers. Memcache's settings are those of its documentation.

use clockwise::dialect::{php_memcache, php_memcached};
use clockwise::{Scheme, Server};

use super::php::set_strategy;
use super::server::{PORT, Taker, joined};
use crate::diagnostic::{Diagnostic, quoted, ticked};
use crate::fleet::{PoolRead, ServerEntry, SettingPlace, settle};
use crate::report::Report;
use crate::source::Span;
use crate::suggest::nearest;

/// Settings of either extension.
const KEYS: &[&str] = &[
    "memcache.allow_failover",
    "memcache.chunk_size",
    "memcache.compress_threshold",
    "memcache.default_port",
    "memcache.hash_function",
    "memcache.hash_strategy",
    "memcache.lock_timeout",
    "memcache.max_failover_attempts",
    "memcache.prefix_host_key",
    "memcache.prefix_host_key_remove_subdomain",
    "memcache.prefix_host_key_remove_www",
    "memcache.prefix_static_key",
    "memcache.protocol",
    "memcache.redundancy",
    "memcache.session_prefix_host_key",
    "memcache.session_prefix_host_key_remove_subdomain",
    "memcache.session_prefix_host_key_remove_www",
    "memcache.session_prefix_static_key",
    "memcache.session_redundancy",
    "memcache.session_save_path",
    "memcached.compression_factor",
    "memcached.compression_level",
    "memcached.compression_threshold",
    "memcached.compression_type",
    "memcached.default_binary_protocol",
    "memcached.default_connect_timeout",
    "memcached.default_consistent_hash",
    "memcached.item_size_limit",
    "memcached.serializer",
    "memcached.sess_binary_protocol",
    "memcached.sess_binary",
    "memcached.sess_connect_timeout",
    "memcached.sess_consistent_hash",
    "memcached.sess_consistent_hash_type",
    "memcached.sess_lock_expire",
    "memcached.sess_lock_max_wait",
    "memcached.sess_lock_retries",
    "memcached.sess_lock_wait",
    "memcached.sess_lock_wait_max",
    "memcached.sess_lock_wait_min",
    "memcached.sess_locking",
    "memcached.sess_number_of_replicas",
    "memcached.sess_persistent",
    "memcached.sess_prefix",
    "memcached.sess_randomize_replica_read",
    "memcached.sess_remove_failed",
    "memcached.sess_remove_failed_servers",
    "memcached.sess_sasl_password",
    "memcached.sess_sasl_username",
    "memcached.sess_server_failure_limit",
    "memcached.store_retry_count",
    "memcached.use_sasl",
];

/// A line: a setting of PHP's and what it says.
struct Line<'t> {
    key: &'t str,
    value: &'t str,
    span: Span,
}

/// `key = value`, `php_value[key] = value`, `php_value key value`, with a `;` comment behind.
fn line(text: &str, start: usize) -> Option<Line<'_>> {
    let trimmed = text.trim();
    if trimmed.is_empty() || trimmed.starts_with([';', '#', '[']) {
        return None;
    }
    let directives = ["php_admin_value", "php_admin_flag", "php_value", "php_flag"];
    let (key, rest) = match directives.iter().find_map(|word| trimmed.strip_prefix(word)) {
        Some(rest) if rest.starts_with('[') => {
            let (key, rest) = rest[1..].split_once(']')?;
            (key, rest.trim_start().strip_prefix('=')?)
        }
        Some(rest) => rest.trim_start().split_once([' ', '\t'])?,
        None => trimmed.split_once('=')?,
    };
    let rest = rest.trim_start();
    let value = match rest.chars().next() {
        Some(quote @ ('"' | '\'')) => rest[1..].split(quote).next().unwrap_or(""),
        _ => rest.split(';').next().unwrap_or("").trim_end(),
    };
    let offset = value.as_ptr() as usize - text.as_ptr() as usize;
    let span = match value {
        "" => {
            let at = start + (text.len() - text.trim_start().len());
            Span::new(at, at + trimmed.len())
        }
        _ => Span::new(start + offset, start + offset + value.len()),
    };
    Some(Line { key: key.trim(), value, span })
}

fn is_ours(key: &str) -> bool {
    key.starts_with("session.save_") || key.starts_with("memcached.") || key.starts_with("memcache.")
}

/// Whether a text has a path of sessions among settings.
pub(super) fn is(text: &str) -> bool {
    text.contains("session")
        && text.lines().any(|text| {
            line(text, 0).is_some_and(|line| {
                line.key == "session.save_path" || line.key == "memcache.session_save_path"
            })
        })
}

pub(super) fn read(report: &mut Report) -> Vec<PoolRead> {
    let source = report.source.clone();
    let mut handler = None;
    let mut path: Option<Line<'_>> = None;
    let mut strategy = php_memcache::Options::default();
    let mut consistent = true;
    let mut is_weighted = false;
    let mut kind_place = None;
    let mut settings: Vec<SettingPlace> = Vec::new();
    for (number, text) in (1..).zip(source.text().lines()) {
        let Some(line) = line(text, source.line_start(number)) else { continue };
        if !is_ours(line.key) {
            continue;
        }
        let setting =
            |key: &str| SettingPlace { key: key.to_owned(), text: line.value.to_owned(), span: line.span };
        match line.key {
            "session.save_handler" => handler = Some((line.value, line.span)),
            "session.save_path" | "memcache.session_save_path" => {
                if let Some(first) = &path {
                    let message = format!("{} is set again: the last one counts", ticked(line.key));
                    let label = quoted(line.value);
                    report.push(
                        report
                            .warning_at(line.span, format!("{message}, {label}"))
                            .with_also(first.span, "the first"),
                    );
                }
                path = Some(line);
            }
            "memcache.hash_strategy" | "memcache.hash_function" => {
                settings.push(setting(line.key.trim_start_matches("memcache.")));
                set_strategy(report, &mut strategy, line.key, line.value, line.span);
            }
            "memcached.sess_consistent_hash" => match line.value.to_ascii_lowercase().as_str() {
                "on" | "1" | "true" | "yes" => consistent = true,
                "off" | "0" | "false" | "no" | "none" | "" => consistent = false,
                _ => {
                    let message =
                        format!("{} is {}, and it is On or Off", ticked(line.key), quoted(line.value));
                    report.error(line.span, message);
                }
            },
            "memcached.sess_consistent_hash_type" => {
                kind_place = Some(line.span);
                settings.push(setting("distribution"));
                match line.value {
                    "ketama" => is_weighted = false,
                    "ketama_weighted" => is_weighted = true,
                    _ => {
                        let message = format!(
                            "{} is {}, and it is ketama or ketama_weighted",
                            ticked(line.key),
                            quoted(line.value)
                        );
                        report.error(line.span, message);
                    }
                }
            }
            key if KEYS.contains(&key) => {}
            key => {
                let diagnostic = report.warning_at(
                    line.span,
                    format!("PHP has no setting {}, which is {}", ticked(key), quoted(line.value)),
                );
                report.push(match nearest(key, KEYS.iter().copied()) {
                    Some(meant) => diagnostic.with_help(format!("did you mean `{meant}`?")),
                    None => diagnostic,
                });
            }
        }
    }
    let Some(path) = path else {
        report.error(Span::new(0, 0), "there is no session.save_path with servers");
        return Vec::new();
    };
    let is_memcache = match handler {
        Some(("memcached", _)) => false,
        Some(("memcache", _)) => true,
        Some((other, span)) => {
            let message = format!(
                "session.save_handler: sessions of the handler {} are not placed on servers by their keys",
                quoted(other)
            );
            report.push(report.error_at(span, message).with_help("memcached and memcache do"));
            return Vec::new();
        }
        None => path.value.contains("://"),
    };
    let taker = if is_memcache { Taker::PhpMemcache } else { Taker::Libmemcached };
    let entries = servers(report, &path, taker);
    let has_weights = entries.iter().any(|entry| entry.server().weight().get() > 1);
    let scheme = if is_memcache {
        Scheme::Dialect(strategy.into())
    } else {
        let late = consistent && !is_weighted && has_weights;
        if late {
            let place = kind_place.unwrap_or(path.span);
            let what = quoted(report.source.slice(place));
            let message = format!("{what}: the ring ketama of sessions ignores weights");
            report.push(
                report
                    .warning_at(place, message)
                    .with_help("memcached.sess_consistent_hash_type = ketama_weighted counts them"),
            );
        }
        Scheme::Dialect(
            php_memcached::Options {
                distribution: match consistent && !is_weighted {
                    true => php_memcached::Distribution::Consistent,
                    false => php_memcached::Distribution::Modula,
                },
                hash: None,
                libketama_compatible: consistent && is_weighted,
                set_after_servers: late,
            }
            .into(),
        )
    };
    let entries =
        settle(report, "session.save_path", Span::new(path.span.start(), path.span.start()), entries);
    vec![PoolRead {
        name: None,
        span: path.span,
        scheme: Ok(scheme),
        settings,
        entries,
        warnings: Vec::new(),
    }]
}

/// The servers of a path, with commas between.
fn servers(report: &mut Report, path: &Line<'_>, taker: Taker) -> Vec<ServerEntry> {
    let mut list = path.value;
    let mut start = path.span.start();
    if let Some(rest) = list.strip_prefix("PERSISTENT=") {
        let Some((id, rest)) = rest.split_once(' ') else {
            report.error(path.span, format!("{}: a blank follows the id of PERSISTENT=", quoted(list)));
            return Vec::new();
        };
        start += "PERSISTENT=".len() + id.len() + 1;
        list = rest;
    }
    if list.contains("--SERVER") {
        let message = format!("{} is an option string, and sessions take a list of servers", quoted(list));
        report.push(report.error_at(path.span, message).with_help("write host:port,host:port"));
        return Vec::new();
    }
    let mut entries = Vec::new();
    for item in list.split(',') {
        let offset = item.as_ptr() as usize - list.as_ptr() as usize;
        let text = item.trim();
        let begin = start + offset + (item.len() - item.trim_start().len());
        let span = Span::new(begin, begin + text.len());
        if report.is_full() {
            report.count_one_more();
            continue;
        }
        match server(report, span, text, taker) {
            Ok(server) => entries.push(ServerEntry::new(server, span)),
            Err(refused) => report.push(refused),
        }
    }
    entries
}

fn server(report: &mut Report, span: Span, text: &str, taker: Taker) -> Result<Server, Diagnostic> {
    let (place, query) = match text.split_once('?') {
        Some((place, query)) if taker == Taker::PhpMemcache => (place, query),
        _ => (text, ""),
    };
    // A blank may stand before a weight for libmemcached, in place of the colon.
    let (place, spaced) = match place.split_once(' ') {
        Some((place, weight)) if taker == Taker::Libmemcached && place.contains(':') => {
            match super::syntax::whole(weight.trim()).and_then(|weight| u32::try_from(weight).ok()) {
                Some(weight) => (place, Some(weight)),
                None => {
                    let message =
                        format!("server {}: weight {} is not a whole number", quoted(text), quoted(weight));
                    return Err(report.error_at(span, message));
                }
            }
        }
        _ => (place, None),
    };
    let mut place = joined(report, span, place, taker)?;
    place.weight = spaced.or(place.weight);
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        match key {
            "weight" => match super::syntax::whole(value) {
                Some(weight) if (1..=u64::from(u32::MAX)).contains(&weight) => {
                    place.weight = Some(weight as u32);
                }
                _ => {
                    let message =
                        format!("server {}: weight {} is not a number from 1", quoted(text), quoted(value));
                    return Err(report.error_at(span, message));
                }
            },
            "persistent" | "timeout" | "retry_interval" | "udp_port" | "status" | "protocol" => {}
            _ => {
                let message = format!("server {}: there is no {}", quoted(text), ticked(key));
                let help = "a server has persistent, weight, timeout and retry_interval";
                return Err(report.error_at(span, message).with_help(help));
            }
        }
    }
    let weight = match place.weight {
        Some(0) => {
            report.push(report.warning_at(span, format!("server {}: weight 0 counts as 1", quoted(text))));
            1
        }
        weight => weight.unwrap_or(1),
    };
    let server = place.server(Some(PORT)).and_then(|server| server.with_weight(weight));
    server.map_err(|error| report.error_at(span, error.to_string()))
}
