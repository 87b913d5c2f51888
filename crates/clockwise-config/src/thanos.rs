//! Thanos Receive: the JSON of `--receive.hashrings`.
//!
//! ```json
//! [{ "hashring": "default", "algorithm": "ketama", "endpoints": ["receive-0:10901", "receive-1:10901"] }]
//! ```
//!
//! A pool is a hashring, called by its `hashring` or else by its place in the list. What decides the
//! placement: `algorithm`, the addresses, and with `ketama` their `az`, which is the zone. A hashring
//! without `algorithm` has that of the flag `--receive.hashrings-algorithm`: say it with
//! `--placement thanos,algorithm=ketama`.
//!
//! Which tenants a hashring has (`tenants`) decides which pool is asked, and nothing within it. With
//! `shuffle_sharding_config` each tenant has servers of its own, and the pool says so. An `az` beside
//! `hashmod` is refused, as Thanos does.
//!
//! From source only (`pkg/receive/config.go` and `hashring.go`, 2025).

use std::collections::HashMap;

use clockwise::dialect::thanos::{Algorithm, Options};
use clockwise::{Scheme, Server};

use crate::diagnostic::{Diagnostic, quoted, ticked};
use crate::fields;
use crate::fleet::{PoolRead, ServerEntry, SettingPlace, settle};
use crate::json::{self, Beyond};
use crate::listed::{at, get, list, text, warn_of_unknown};
use crate::node::{Node, Value};
use crate::report::Report;
use crate::sniff;
use crate::source::Span;

pub(crate) fn is(text: &str) -> bool {
    text.trim_start().starts_with('[')
        && sniff::has_key(text, &["endpoints"])
        && sniff::has_word(text, "\"endpoints\"")
        && !sniff::has_key(text, &["lb_endpoints", "lbEndpoints", "cluster_name", "clusterName"])
}

const HASHRING: &[&str] = &[
    "hashring",
    "tenants",
    "tenant_matcher_type",
    "endpoints",
    "algorithm",
    "external_labels",
    "shuffle_sharding_config",
];

pub(crate) fn read(report: &mut Report) -> Vec<PoolRead> {
    let Some(root) = json::read(report, Beyond::Nothing) else { return Vec::new() };
    let Value::List(rings) = &root.value else {
        let this = fields::shown(report, &root);
        let message = format!("a file of hashrings is a list, and {this} is {}", root.describe());
        report.error(root.span, message);
        return Vec::new();
    };
    if rings.is_empty() {
        report.error(root.span, "the file holds no hashring: `[]`");
    }
    let mut names: HashMap<String, usize> = HashMap::new();
    let rings = rings.iter().enumerate();
    rings.filter_map(|(index, ring)| hashring(report, ring, index + 1, &mut names)).collect()
}

fn hashring(
    report: &mut Report,
    node: &Node,
    number: usize,
    names: &mut HashMap<String, usize>,
) -> Option<PoolRead> {
    if !matches!(node.value, Value::Map(_)) {
        let this = fields::shown(report, node);
        report.error(node.span, format!("a hashring is a group of keys, and {this} is {}", node.describe()));
        return None;
    }
    let (mut name, span) = match get(node, "hashring") {
        Some(entry) => (fields::text(report, entry)?.to_owned(), entry.value.span),
        None => (String::new(), at(node)),
    };
    if name.is_empty() {
        name = number.to_string();
    }
    let count = names.entry(name.clone()).or_default();
    *count += 1;
    if *count > 1 {
        name += &format!("-{count}");
    }
    let what = format!("hashring {}", quoted(&name));
    warn_of_unknown(report, node, &what, "Thanos", HASHRING);
    let (scheme, settings) = algorithm(report, node, &what, span)?;
    let by_mod = matches!(&scheme, Ok(Scheme::Dialect(clockwise::dialect::Dialect::Thanos(options))) if options.algorithm == Algorithm::Hashmod);
    let Some(entry) = get(node, "endpoints") else {
        report.error(span, format!("{what} has no `endpoints`"));
        return None;
    };
    let items = list(report, entry)?;
    let servers: Vec<Option<ServerEntry>> =
        items.iter().map(|item| endpoint(report, item, &what, by_mod)).collect();
    let entries = match &scheme {
        Ok(_) => settle(report, &what, span, servers.into_iter().flatten().collect()),
        Err(_) => Vec::new(),
    };
    Some(PoolRead { name: Some(name), span, scheme, settings, entries, warnings: Vec::new() })
}

/// The scheme, or why there is none.
fn algorithm(
    report: &mut Report,
    node: &Node,
    what: &str,
    span: Span,
) -> Option<(Result<Scheme, Diagnostic>, Vec<SettingPlace>)> {
    let sharding = get(node, "shuffle_sharding_config").and_then(|config| get(&config.value, "shard_size"));
    if let Some(size) = sharding.filter(|size| size.value.as_scalar().is_some_and(|size| size.text != "0")) {
        let message = format!("{what} has a `shard_size`: each tenant has servers of its own");
        return Some((Err(report.error_at(size.key_span, message)), Vec::new()));
    }
    let word = get(node, "algorithm");
    let Some(entry) = word.filter(|entry| text(&entry.value) != Some("")) else {
        let why = format!("{what} has no `algorithm`: the flag --receive.hashrings-algorithm says it");
        let scheme = report.placement(span, why);
        let help = "say it: --placement thanos,algorithm=ketama, or hashmod, which the flag has unless said";
        return Some((scheme.map_err(|error| error.with_help(help)), Vec::new()));
    };
    let words: Vec<(&str, Algorithm)> = Algorithm::ALL.iter().map(|word| (word.as_str(), *word)).collect();
    let algorithm = fields::word(report, entry, "algorithm", &words)?;
    let setting =
        SettingPlace { key: "algorithm".to_owned(), text: algorithm.to_string(), span: entry.value.span };
    Some((Ok(Options { algorithm }.into()), vec![setting]))
}

/// An address, or a group of `address`, `az` and `capnproto_address`.
fn endpoint(report: &mut Report, node: &Node, what: &str, by_mod: bool) -> Option<ServerEntry> {
    let (address, span, zone) = match &node.value {
        Value::Map(_) => {
            warn_of_unknown(report, node, "an endpoint", "Thanos", &["address", "az", "capnproto_address"]);
            let Some(entry) = get(node, "address") else {
                report.error(at(node), format!("an endpoint of {what} has no `address`"));
                return None;
            };
            let zone = match get(node, "az") {
                Some(entry) => {
                    Some((entry, fields::text(report, entry)?)).filter(|(_, zone)| !zone.is_empty())
                }
                None => None,
            };
            (fields::text(report, entry)?, entry.value.span, zone)
        }
        _ => match text(node) {
            Some(address) => (address, node.span, None),
            None => {
                let this = fields::shown(report, node);
                report.error(
                    node.span,
                    format!("an endpoint is an address, and {this} is {}", node.describe()),
                );
                return None;
            }
        },
    };
    let server = Server::new(address).map_err(|error| report.error(span, error.to_string())).ok()?;
    let Some((entry, zone)) = zone else { return Some(ServerEntry::new(server, span)) };
    if by_mod {
        let message = format!("{what} places by hashmod, and Thanos refuses an `az` there: {}", ticked(zone));
        report.push(report.error_at(entry.value.span, message).with_help("take it out, or take `ketama`"));
        return None;
    }
    let zoned = server.with_zone(zone).map_err(|error| report.error(entry.place(), error.to_string()));
    zoned.ok().map(|server| ServerEntry::new(server, span))
}
