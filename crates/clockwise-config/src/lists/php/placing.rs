//! How a client of PHP's places keys, from what was set on it.

use clockwise::dialect::libmemcached::{self, Distribution, Hash};
use clockwise::dialect::{php_memcache, php_memcached};
use clockwise::{KeyPrefix, Scheme};

use super::{Class, Client};
use crate::diagnostic::{Diagnostic, ticked};
use crate::lists::syntax::Expr;
use crate::namespace::namespace;
use crate::report::Report;
use crate::source::Span;

/// Sets one of Memcache's two settings.
pub(in crate::lists) fn set_strategy(
    report: &mut Report,
    options: &mut php_memcache::Options,
    key: &str,
    text: &str,
    span: Span,
) {
    let refused = if key == "memcache.hash_strategy" {
        text.parse().map(|strategy| options.hash_strategy = strategy)
    } else {
        text.parse().map(|function| options.hash_function = function)
    };
    if let Err(error) = refused {
        report.error(span, format!("{}: {error}", ticked(key)));
    }
}

pub(super) fn scheme(
    report: &mut Report,
    client: &Client,
    strategy: php_memcache::Options,
) -> Result<Scheme, Diagnostic> {
    match client.class {
        Class::Memcache => return Ok(Scheme::Dialect(strategy.into())),
        Class::Unknown => {
            return report.placement_as(
                "php-memcached",
                client.span,
                format!(
                    "{} lists servers and names no client",
                    ticked(report.source.slice(client.span).lines().next().unwrap_or(""))
                ),
            );
        }
        Class::Memcached => {}
    }
    if let Some(reason) = &client.unplaced {
        return Err(reason.clone());
    }
    let is = |option| client.set.get(option).copied().filter(|(set, _)| *set).map(|(_, span)| span);
    let steps = &client.steps;
    let last = |key: &str| {
        client.settings.iter().rev().find(|set| set.key == key).map_or(client.span, |set| set.span)
    };
    if let Some(points) = steps.mixed() {
        let message = format!(
            "{} is set when the ring is there: its points keep the hash {points}, and keys get the new one",
            ticked(report.source.slice(last("hash")))
        );
        let help = "set OPT_HASH before the servers: one hash for both";
        return Err(report.error_at(last("hash"), message).with_help(help));
    }
    let is_ring = steps.distribution != Distribution::Modula;
    if let (true, Some(span), true) = (is_ring, client.socket, is("OPT_SORT_HOSTS").is_some()) {
        let message = format!(
            "{}: PHP Memcached labels a socket without a port, and with OPT_SORT_HOSTS no placement here does",
            ticked(report.source.slice(span))
        );
        let help = "list the servers sorted, and take OPT_SORT_HOSTS out";
        return Err(report.error_at(span, message).with_help(help));
    }
    if steps.is_late() {
        let place = last("distribution");
        let message = format!(
            "{} is set after the servers, and so the client ignores their weights",
            ticked(report.source.slice(place))
        );
        report.push(report.warning_at(place, message).with_help("set it before the servers"));
    }
    let prefix = match &client.prefix {
        Some((value, span)) if is("OPT_HASH_WITH_PREFIX_KEY").is_some() => {
            Some(prefix(report, value, *span)?)
        }
        _ => None,
    };
    let placed = |scheme: Scheme| match prefix.clone() {
        Some(prefix) => scheme.with_key_prefix(prefix),
        None => scheme,
    };
    if is("OPT_SORT_HOSTS").is_some() {
        let options = libmemcached::Options {
            distribution: steps.distribution,
            hash: steps.hash,
            set_after_servers: steps.is_late(),
            sort_hosts: true,
        };
        return Ok(placed(options.into()));
    }
    let libketama_compatible = steps.distribution == Distribution::ConsistentWeighted;
    let default = if libketama_compatible { Hash::Md5 } else { Hash::Default };
    let distribution = match steps.distribution {
        Distribution::Consistent => php_memcached::Distribution::Consistent,
        _ => php_memcached::Distribution::Modula,
    };
    let hash = Some(steps.hash).filter(|hash| *hash != default);
    let set_after_servers = steps.is_late();
    let options = php_memcached::Options { distribution, hash, libketama_compatible, set_after_servers };
    Ok(placed(options.into()))
}

/// The prefix of keys, which is hashed with them.
fn prefix(report: &Report, value: &Expr, span: Span) -> Result<KeyPrefix, Diagnostic> {
    let Some(text) = value.text() else {
        let message = format!(
            "{} is {}, and it is hashed with every key",
            ticked(report.source.slice(span)),
            value.describe()
        );
        return Err(report
            .error_at(value.span, message)
            .with_help("write the prefix in quotes, as it comes out"));
    };
    namespace(text).map_err(|problem| report.error_at(value.span, problem))
}
