//! One client of Python's: how it places keys, and its servers.

use clockwise::dialect::{pylibmc, pymemcache, python_hashring, python_memcached, uhashring};
use clockwise::{KeyPrefix, Scheme, Server};

use super::{BEHAVIOURS, Library, PLACING};
use crate::diagnostic::{Diagnostic, quoted, ticked};
use crate::fleet::{ServerEntry, SettingPlace};
use crate::lists::php::{refuse_list, refuse_unknown};
use crate::lists::server::{PORT, Taker, apart, joined};
use crate::lists::syntax::{Expr, Item, Value, keyed};
use crate::namespace::namespace;
use crate::report::Report;
use crate::source::Span;
use crate::suggest::nearest;

pub(super) struct Client {
    pub(super) library: Library,
    /// What messages call it.
    pub(super) what: String,
    pub(super) span: Span,
}

impl Client {
    fn taker(&self) -> Taker {
        match self.library {
            Library::Pylibmc => Taker::Pylibmc,
            Library::Memcache => Taker::PythonMemcached,
            Library::Pymemcache => Taker::Pymemcache,
            Library::Uhashring | Library::Hashring => Taker::Names,
        }
    }
}

pub(super) type Given<'a, 'e> = &'a dyn Fn(&str) -> Option<&'e Expr>;

/// How the client places keys.
pub(super) fn scheme(
    report: &mut Report,
    client: &Client,
    get: Given<'_, '_>,
    settings: &mut Vec<SettingPlace>,
) -> Option<Result<Scheme, Diagnostic>> {
    let mut keep = |report: &Report, key: &str, value: &Expr| {
        let text = value.text().unwrap_or_else(|| report.source.slice(value.span)).chars().take(80).collect();
        settings.push(SettingPlace { key: key.to_owned(), text, span: value.span });
    };
    match client.library {
        Library::Memcache => Some(Ok(Scheme::Dialect(python_memcached::Options::default().into()))),
        Library::Hashring => Some(Ok(Scheme::Dialect(python_hashring::Options::default().into()))),
        Library::Pymemcache => {
            if let Some(hasher) = get("hasher")
                && hasher.last_word() != Some("RendezvousHash")
            {
                let shown = ticked(report.source.slice(hasher.span));
                let message = format!("{}: the hasher {shown} is the program's own", client.what);
                return Some(report.placement(hasher.span, message));
            }
            Some(Ok(Scheme::Dialect(pymemcache::Options::default().into())))
        }
        Library::Uhashring => {
            let mut options = uhashring::Options::default();
            if let Some(hash) = get("hash_fn") {
                match hash.text() {
                    Some("ketama") => options.hash_fn = uhashring::HashFn::Ketama,
                    _ => {
                        let shown = ticked(report.source.slice(hash.span));
                        let message = format!("{}: the function {shown} is the program's own", client.what);
                        return Some(report.placement(hash.span, message));
                    }
                }
                keep(report, "hash_fn", hash);
            }
            if let Some(vnodes) = get("vnodes") {
                match vnodes.number().and_then(|number| u32::try_from(number).ok()) {
                    Some(number) => options.vnodes = Some(number),
                    None => {
                        refuse_unknown(report, vnodes.span, Some(vnodes), "a number of vnodes");
                        return None;
                    }
                }
                keep(report, "vnodes", vnodes);
            }
            Some(Ok(Scheme::Dialect(options.into())))
        }
        Library::Pylibmc => {
            let mut options = pylibmc::Options::default();
            let Some(behaviors) = get("behaviors") else {
                return Some(Ok(Scheme::Dialect(options.into())));
            };
            if behaviors.is_nothing() {
                return Some(Ok(Scheme::Dialect(options.into())));
            }
            // `dict(ketama=True)` is `{"ketama": True}`.
            let items = match &behaviors.value {
                Value::Items(items) => items,
                Value::Call(name, items) if name == "dict" => items,
                _ => {
                    refuse_unknown(report, behaviors.span, Some(behaviors), "behaviours with their values");
                    return None;
                }
            };
            let mut right = true;
            let (mut prefix, mut is_hashed) = (None, false);
            for item in items {
                let key = match item.key.as_ref().map(|key| &key.value) {
                    Some(Value::Text(key) | Value::Word(key)) => key.as_str(),
                    _ => "",
                };
                let place = item.key.as_ref().unwrap_or(&item.value).span;
                if BEHAVIOURS.contains(&key) {
                    continue;
                }
                if !PLACING.contains(&key) {
                    let shown = if key.is_empty() {
                        report.source.slice(place).lines().next().unwrap_or("")
                    } else {
                        key
                    };
                    let diagnostic =
                        report.error_at(place, format!("pylibmc has no behaviour {}", ticked(shown)));
                    report.push(match nearest(key, BEHAVIOURS.iter().chain(PLACING).copied()) {
                        Some(meant) => diagnostic.with_help(format!("did you mean `{meant}`?")),
                        None => diagnostic,
                    });
                    right = false;
                    continue;
                }
                keep(report, key, &item.value);
                match (key, item.value.truth()) {
                    ("namespace", _) => prefix = (!item.value.is_nothing()).then_some(&item.value),
                    ("_hash_with_prefix_key", Some(truth)) => is_hashed = truth,
                    _ => right &= behaviour(report, &mut options, key, &item.value),
                }
            }
            let scheme = Scheme::from(options);
            let scheme = match prefix.filter(|_| is_hashed) {
                Some(value) => scheme.with_key_prefix(read_namespace(report, value)?),
                None => scheme,
            };
            right.then_some(Ok(scheme))
        }
    }
}

/// The namespace that is hashed with every key.
fn read_namespace(report: &mut Report, value: &Expr) -> Option<KeyPrefix> {
    let Some(text) = value.text() else {
        refuse_unknown(report, value.span, Some(value), "the namespace in quotes, as b\"app:\"");
        return None;
    };
    namespace(text).map_err(|problem| report.error(value.span, problem)).ok()
}

/// Sets a behaviour; false if it was refused.
fn behaviour(report: &mut Report, options: &mut pylibmc::Options, key: &str, value: &Expr) -> bool {
    let refused = match (key, value.text(), value.truth()) {
        ("hash", Some(text), _) => text.parse().map(|hash| options.hash = hash),
        ("distribution", Some(text), _) => {
            text.parse().map(|distribution| options.distribution = Some(distribution))
        }
        ("ketama", _, Some(truth)) => {
            options.ketama = truth;
            Ok(())
        }
        ("ketama_weighted", _, Some(truth)) => {
            options.ketama_weighted = Some(truth);
            Ok(())
        }
        ("_sort_hosts", _, Some(false)) => Ok(()),
        ("_sort_hosts", _, Some(true)) => {
            let shown = ticked(report.source.slice(value.span));
            let message =
                format!("the behaviour `_sort_hosts` is {shown}, and no placement here has it for pylibmc");
            report.push(
                report.error_at(value.span, message).with_help("list the servers sorted, and take it out"),
            );
            return false;
        }
        _ => {
            let expected =
                if ["hash", "distribution"].contains(&key) { "a word in quotes" } else { "True or False" };
            refuse_unknown(report, value.span, Some(value), expected);
            return false;
        }
    };
    if let Err(error) = refused {
        report.error(value.span, error.to_string());
        return false;
    }
    true
}

/// The servers of a list. Nothing if it is no list.
pub(super) fn servers(
    report: &mut Report,
    client: &Client,
    list: &Expr,
    weights: Option<&Expr>,
) -> Option<Vec<ServerEntry>> {
    let items = match (&list.value, client.library) {
        (Value::Items(items), _) => items,
        (Value::Text(text), Library::Uhashring) => return Some(one_text(report, client, list.span, text)),
        _ => {
            refuse_list(report, list.span, Some(list));
            return None;
        }
    };
    let weights = weights.and_then(Expr::items);
    let mut entries = Vec::new();
    for item in items {
        if report.is_full() {
            report.count_one_more();
            continue;
        }
        let node = item.key.as_ref().unwrap_or(&item.value);
        let place = node.host_span();
        match server(report, client, item, weights) {
            Some(Ok(server)) => entries.push(ServerEntry::new(server, place)),
            Some(Err(refused)) => report.push(refused),
            None => {
                let expected = match client.library {
                    Library::Pymemcache => "a server as (\"host\", port) or \"host:port\"",
                    Library::Memcache => "a server as \"host:port\" or (\"host:port\", weight)",
                    Library::Pylibmc => "a server as \"host:port\"",
                    _ => "the name of a node",
                };
                refuse_unknown(report, node.span, Some(node), expected);
            }
        }
    }
    Some(entries)
}

fn server(
    report: &mut Report,
    client: &Client,
    item: &Item,
    weights: Option<&[Item]>,
) -> Option<Result<Server, Diagnostic>> {
    let span = item.value.host_span();
    let (node, weight) = match (client.library, &item.key) {
        // `{"node": weight}`, or a mapping with a weight.
        (Library::Uhashring, Some(key)) => {
            let weight = match &item.value.value {
                Value::Items(settings) => {
                    let known = ["hostname", "instance", "port", "weight"];
                    let other = settings.iter().find(|setting| {
                        !setting.key.as_ref().and_then(Expr::text).is_some_and(|key| known.contains(&key))
                    });
                    if let Some(other) = other {
                        refuse_unknown(
                            report,
                            span,
                            other.key.as_ref(),
                            "hostname, port, instance or weight",
                        );
                        return Some(Err(report.error_at(
                            key.span,
                            format!("node {} has more than a weight", ticked(report.source.slice(key.span))),
                        )));
                    }
                    keyed(settings, "weight").cloned()
                }
                _ => Some(item.value.clone()),
            };
            (key, weight)
        }
        (_, Some(_)) => return None,
        (Library::Hashring, None) => {
            let name = item.value.text()?;
            (&item.value, weights.and_then(|weights| keyed(weights, name)).cloned())
        }
        (library, None) => match (&item.value.value, library) {
            (Value::Items(parts), Library::Memcache) => match parts.as_slice() {
                [place, weight] if place.key.is_none() => (&place.value, Some(weight.value.clone())),
                _ => return None,
            },
            (Value::Items(parts), Library::Pymemcache) => match parts.as_slice() {
                [host, port] if host.key.is_none() => {
                    let place = apart(report, span, host.value.text()?, Some(port.value.number()?));
                    return Some(place.and_then(|place| {
                        place.server(Some(PORT)).map_err(|error| report.error_at(span, error.to_string()))
                    }));
                }
                _ => return None,
            },
            _ => (&item.value, None),
        },
    };
    let text = node.text()?;
    let weight = match &weight {
        None => None,
        Some(expr) => Some(expr.number()?),
    };
    Some(named(report, client, node.span, text, weight))
}

fn named(
    report: &mut Report,
    client: &Client,
    span: Span,
    text: &str,
    weight: Option<u64>,
) -> Result<Server, Diagnostic> {
    let place = joined(report, span, text, client.taker())?;
    let default = (client.taker() != Taker::Names).then_some(PORT);
    let server = place.server(default);
    let server = server.map_err(|error| report.error_at(span, error.to_string()))?;
    match weight.or(place.weight.map(u64::from)) {
        // Buckets of python-memcached: none.
        Some(0) if client.library == Library::Memcache => {
            let message = format!("server {}: weight 0 is read as draining", quoted(text));
            report.push(report.warning_at(span, message).with_label("listed, owns nothing"));
            Ok(server.draining())
        }
        Some(0) if client.library == Library::Pylibmc => {
            report.push(report.warning_at(span, format!("server {}: weight 0 counts as 1", quoted(text))));
            Ok(server)
        }
        Some(weight) => server
            .with_weight(weight.to_string().as_str())
            .map_err(|error| report.error_at(span, error.to_string())),
        None => Ok(server),
    }
}

/// Several servers in one text: Django cuts it at commas and semicolons.
pub(super) fn one_text(report: &mut Report, client: &Client, span: Span, text: &str) -> Vec<ServerEntry> {
    let mut entries = Vec::new();
    for item in text.split([',', ';']) {
        let item = match client.library {
            // Django takes `unix:` off for pylibmc.
            Library::Pylibmc => item.strip_prefix("unix:").unwrap_or(item),
            _ => item,
        };
        if report.is_full() {
            report.count_one_more();
            continue;
        }
        match named(report, client, span, item, None) {
            Ok(server) => entries.push(ServerEntry::new(server, span)),
            Err(refused) => report.push(refused),
        }
    }
    entries
}
