//! The ring page of dskit (Mimir, Loki, Tempo, Cortex) as JSON: `GET /ingester/ring` and the like, with
//! `Accept: application/json`.
//!
//! ```json
//! { "shards": [ { "id": "ingester-0", "state": "ACTIVE", "address": "10.0.0.1:9095",
//!                 "zone": "a", "tokens": [ 127, 4294967 ] } ],
//!   "now": "2026-01-01T00:00:00Z" }
//! ```
//!
//! The pool, `ring`, has the page's instances by `id`, with `address` and `zone`; any that is not ACTIVE
//! is draining, as a write finds it. What decides the placement: their `tokens`, and how keys are
//! hashed, which the page does not say: `--placement dskit,hash=New32` for series, streams and traces,
//! `hash=New32a` for the rings of rulers, alertmanagers and compactors. Some versions leave tokens out
//! unless the address ends in `?tokens=true`; without any there is nothing to place by.
//!
//! From source only (`ring/http.go`, 2026).

use std::collections::BTreeMap;

use clockwise::dialect::{Dialect, dskit};
use clockwise::{Scheme, Server, ServerName};

use crate::diagnostic::{Diagnostic, quoted};
use crate::fields;
use crate::fleet::{PoolRead, ServerEntry, settle};
use crate::json::{self, Beyond};
use crate::listed::{at, get, list, warn_of_unknown};
use crate::node::{Node, ScalarKind, Value};
use crate::report::Report;
use crate::sniff;
use crate::source::Span;

pub(crate) fn is(text: &str) -> bool {
    text.trim_start().starts_with('{')
        && sniff::has_key(text, &["shards"])
        && sniff::has_key(text, &["tokens", "now", "registered_timestamp"])
}

const INSTANCE: &[&str] = &[
    "id",
    "state",
    "address",
    "timestamp",
    "registered_timestamp",
    "read_only",
    "read_only_updated_timestamp",
    "zone",
    "tokens",
    "versions",
];

/// The states of instances; UNHEALTHY is what the page says of one without heartbeats.
const STATES: &[(&str, bool)] = &[
    ("ACTIVE", false),
    ("LEAVING", true),
    ("PENDING", true),
    ("JOINING", true),
    ("LEFT", true),
    ("UNHEALTHY", true),
];

pub(crate) fn read(report: &mut Report) -> Vec<PoolRead> {
    let Some(root) = json::read(report, Beyond::Nothing) else { return Vec::new() };
    let Some(shards) = get(&root, "shards") else {
        report.error(at(&root), "a ring's page has its instances under `shards`, and there are none");
        return Vec::new();
    };
    warn_of_unknown(report, &root, "the page", "this program", &["shards", "now"]);
    let Some(items) = list(report, shards) else { return Vec::new() };
    let mut tokens = BTreeMap::new();
    let instances = items.iter().filter_map(|item| instance(report, item, &mut tokens)).collect();
    let span = shards.key_span;
    let entries = settle(report, "the ring in `shards`", span, instances);
    let scheme = scheme(report, span, tokens);
    vec![PoolRead {
        name: Some("ring".to_owned()),
        span,
        scheme,
        settings: Vec::new(),
        entries,
        warnings: Vec::new(),
    }]
}

type Tokens = BTreeMap<ServerName, Vec<u32>>;

fn instance(report: &mut Report, node: &Node, all: &mut Tokens) -> Option<ServerEntry> {
    if !matches!(node.value, Value::Map(_)) {
        let this = fields::shown(report, node);
        report.error(node.span, format!("an instance is a group of keys, and {this} is {}", node.describe()));
        return None;
    }
    let Some(id) = get(node, "id") else {
        report.error(at(node), "an instance has no `id`");
        return None;
    };
    let name = fields::text(report, id)?;
    let what = format!("instance {}", quoted(name));
    warn_of_unknown(report, node, &what, "this program", INSTANCE);
    let mut server = Server::new(name).map_err(|error| report.error(id.place(), error.to_string())).ok()?;
    for key in ["address", "zone"] {
        let Some(entry) = get(node, key) else { continue };
        let text = fields::text(report, entry)?;
        if text.is_empty() {
            continue;
        }
        let changed = if key == "zone" { server.with_zone(text) } else { server.with_address(text) };
        server = changed.map_err(|error| report.error(entry.place(), error.to_string())).ok()?;
    }
    let Some(state) = get(node, "state") else {
        report.error(id.place(), format!("{what} has no `state`"));
        return None;
    };
    let draining = fields::word(report, state, "state", STATES)?;
    let mut tokens = Vec::new();
    if let Some(entry) = get(node, "tokens") {
        for item in list(report, entry)? {
            tokens.push(token(report, item, &what)?);
        }
    }
    if tokens.is_empty() && !draining {
        let message = format!("{what} is ACTIVE and has no tokens: it owns nothing");
        report.push(report.warning_at(id.place(), message));
    }
    if !tokens.is_empty() {
        all.insert(server.name().clone(), tokens);
    }
    Some(ServerEntry::new(if draining { server.draining() } else { server }, id.value.span))
}

fn token(report: &mut Report, node: &Node, what: &str) -> Option<u32> {
    let number = node.as_scalar().filter(|scalar| scalar.kind == ScalarKind::Integer);
    let number = number.and_then(|scalar| scalar.text.parse().ok());
    if number.is_none() {
        let this = fields::shown(report, node);
        report.error(node.span, format!("{what}: a token goes from 0 to 4294967295, and {this} is none"));
    }
    number
}

/// What is said of the hash, with the tokens of the page.
fn scheme(report: &mut Report, span: Span, tokens: Tokens) -> Result<Scheme, Diagnostic> {
    let why = "`shards` says the tokens, and nothing of how keys are hashed";
    let help = "say it: --placement dskit,hash=New32 for ingesters, hash=New32a for rulers, alertmanagers and compactors";
    let said = report.placement(span, why).map_err(|error| error.with_help(help))?;
    let Scheme::Dialect(Dialect::Dskit(options)) = &said else { return Ok(said) };
    let tokens = if tokens.is_empty() { options.tokens.clone() } else { tokens };
    if tokens.is_empty() {
        let message = "none of the `shards` has tokens, and keys are placed by them";
        let help = "ask for the page with ?tokens=true";
        return Err(report.error_at(span, message).with_help(help));
    }
    Ok(dskit::Options { hash: options.hash, tokens }.into())
}
