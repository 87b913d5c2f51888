//! Clockwise's own fleet files.
//!
//! ```toml
//! version = 1
//!
//! [placement]
//! scheme = "ring"
//! points_per_weight = 160
//!
//! [[server]]
//! name = "cache-1"
//! address = "10.0.0.1:11211"
//! weight = 2
//! zone = "a"
//! state = "draining"
//! ```
//!
//! `version`, a scheme or dialect, and each server's `name` are required. A server without an
//! address is reached under its name, weighs 1, stands in no zone and is active. One that was taken away
//! from a fleet whose scheme goes by its history stays listed, with `removed = 1` and so on.

use std::num::NonZeroU32;

use clockwise::{ChangeLog, Error, Scheme, Server};

use crate::diagnostic::{quoted, ticked};
use crate::dialect;
use crate::fields::{self, Fields, shown};
use crate::fleet::{PoolRead, ServerEntry, settle};
use crate::kind::{Kind, toml_or_twemproxy};
use crate::node::{Entry, Node, ScalarKind, Value};
use crate::placement;
use crate::report::Report;
use crate::source::Span;
use crate::toml;

/// Whether a text is one of ours: the first line that is TOML or YAML and not the other is TOML.
pub(crate) fn is(text: &str) -> bool {
    toml_or_twemproxy(text) == Some(Kind::Toml)
}

pub(crate) fn read(report: &mut Report) -> Vec<PoolRead> {
    pool(report).into_iter().collect()
}

fn pool(report: &mut Report) -> Option<PoolRead> {
    let root = toml::read(report)?;
    let start = Span::new(0, 0);
    let fields = Fields::of(report, &root, "the fleet".to_owned(), start)?;
    version(report, &fields)?;
    fields.refuse_unknown(report, &["version", "placement", "server"]);
    let mut span = start;
    let mut settings = Vec::new();
    let mut scheme = None;
    let mut placed = None;
    match fields.get("placement") {
        Some(entry) => {
            span = entry.key_span;
            placed = Fields::of(report, &entry.value, "[placement]".to_owned(), span);
            if let Some(fields) = &placed {
                settings = fields.settings(|key| !["scheme", "dialect"].contains(&key));
                scheme = placement::own(report, fields);
            }
        }
        None => match report.placement(start, "the fleet has no [placement]") {
            Ok(said) => scheme = Some(said),
            Err(missing) => report.push(missing.with_help(
                "add `[placement]` with `scheme = \"ring\"`, or say how keys are placed: --placement ring",
            )),
        },
    }
    let mut place = start;
    let entries: Vec<ServerEntry> = match fields.get("server").map(|entry| (entry, &entry.value.value)) {
        Some((entry, Value::List(items))) => {
            place = entry.key_span;
            items.iter().filter_map(|item| server(report, item)).collect()
        }
        Some((entry, _)) => {
            let message = "the servers are a list: each begins with [[server]]";
            report.error(entry.key_span, message);
            return None;
        }
        None => Vec::new(),
    };
    if let (Some(fields), Some(Scheme::Dialect(_))) = (&placed, scheme.as_ref().map(Scheme::bare)) {
        dialect::refuse_strangers(report, fields, &entries);
    }
    let entries = settle(report, "the fleet", place, entries);
    if scheme.as_ref().is_some_and(Scheme::keeps_history) && !report.has_errors() {
        history(report, &entries);
    }
    Some(PoolRead { name: None, span, scheme: Ok(scheme?), settings, entries, warnings: Vec::new() })
}

/// Refuses removals that have no order.
fn history(report: &mut Report, entries: &[ServerEntry]) {
    let Err(error) = ChangeLog::new(entries.iter().map(|entry| entry.server().clone())) else { return };
    let named = entries.iter().find(|entry| Some(entry.server().name().as_str()) == error.server());
    let place = named.map_or(Span::new(0, 0), ServerEntry::span);
    report.push(
        report
            .error_at(place, error.to_string())
            .with_help("`removed = 1` is the first server that was taken away, `removed = 2` the next one"),
    );
}

/// How keys are placed, of a text that is what stands under `[placement]` and no fleet.
pub(crate) fn settings(report: &mut Report) -> Option<Scheme> {
    let root = toml::read(report)?;
    let fields = Fields::of(report, &root, "[placement]".to_owned(), Span::new(0, 0))?;
    placement::own(report, &fields)
}

/// Without the right version nothing else is worth a complaint.
fn version(report: &mut Report, fields: &Fields<'_>) -> Option<()> {
    let Some(entry) = fields.get("version") else {
        let (place, begins) = match fields.entries().first() {
            Some(entry) => (entry.key_span, format!(" begins with {} and", ticked(&entry.key))),
            None => (fields.span, String::new()),
        };
        let message = format!("the file{begins} has no `version`, so it is no clockwise fleet");
        report.push(report.error_at(place, message).with_help("a fleet file begins with `version = 1`"));
        return None;
    };
    match fields::integer(report, entry, 0, u64::MAX)? {
        1 => Some(()),
        _ => {
            let message = format!("version {} of fleet files is not known here", shown(report, &entry.value));
            report.push(report.error_at(entry.place(), message).with_help("this program reads version 1"));
            None
        }
    }
}

fn server(report: &mut Report, node: &Node) -> Option<ServerEntry> {
    let fields = Fields::of(report, node, "[[server]]".to_owned(), node.span)?;
    let Some(name_entry) = fields.get("name") else {
        // Its header, or all of it where it stands in braces.
        let what = shown(report, node);
        report.push(
            report
                .error_at(node.span, format!("{what} has no `name`"))
                .with_help("a server's name is its identity: keys follow it, whatever the address"),
        );
        fields.refuse_unknown(report, &KEYS);
        return None;
    };
    let name = fields::text(report, name_entry);
    let fields = match name {
        Some(name) => fields.called(format!("server {}", quoted(name))),
        None => fields,
    };
    fields.refuse_unknown(report, &KEYS);
    let refused = |report: &mut Report, entry: &Entry, error: Error| {
        report.error(entry.place(), error.to_string());
    };
    // Goes on after each error, so that all of a server's mistakes come out at once.
    let mut server = match Server::new(name?) {
        Ok(server) => server,
        Err(error) => {
            refused(report, name_entry, error);
            return None;
        }
    };
    if let Some((entry, address)) = optional_text(report, &fields, "address") {
        match server.clone().with_address(address) {
            Ok(changed) => server = changed,
            Err(error) => refused(report, entry, error),
        }
    }
    if let Some((entry, zone)) = optional_text(report, &fields, "zone") {
        match server.clone().with_zone(zone) {
            Ok(changed) => server = changed,
            Err(error) => refused(report, entry, error),
        }
    }
    if let Some(entry) = fields.get("weight") {
        server = weight(report, entry, server);
    }
    if let Some(entry) = fields.get("state")
        && fields::word(report, entry, "state", &[("active", false), ("draining", true)]) == Some(true)
    {
        server = server.draining();
    }
    if let Some(entry) = fields.get("removed") {
        server = removed(report, entry, fields.get("state"), server);
    }
    Some(ServerEntry::new(server, name_entry.value.span))
}

const KEYS: [&str; 6] = ["name", "address", "weight", "zone", "state", "removed"];

/// The server as one that was removed: the number says as which of the fleet's history.
fn removed(report: &mut Report, entry: &Entry, state: Option<&Entry>, server: Server) -> Server {
    if let Some(state) = state {
        let name = quoted(server.name().as_str());
        let message = format!("server {name} has a `state` and is `removed`, which is a state of its own");
        let complaint = report.error_at(entry.key_span, message).with_also(state.key_span, "the other");
        report.push(complaint);
        return server;
    }
    match fields::integer(report, entry, 1, u32::MAX.into()).and_then(|turn| NonZeroU32::new(turn as u32)) {
        Some(turn) => server.removed(turn),
        None => server,
    }
}

fn optional_text<'n>(report: &mut Report, fields: &Fields<'n>, key: &str) -> Option<(&'n Entry, &'n str)> {
    let entry = fields.get(key)?;
    fields::text(report, entry).map(|text| (entry, text))
}

/// The server with that weight, or as it was if the weight is refused.
fn weight(report: &mut Report, entry: &Entry, server: Server) -> Server {
    let name = quoted(server.name().as_str());
    let Some(scalar) = entry.value.as_scalar() else {
        let (this, what) = (shown(report, &entry.value), entry.value.describe());
        let message = format!("server {name}: weight takes a whole number, and {this} is {what}");
        report.error(entry.place(), message);
        return server;
    };
    let text = match scalar.kind {
        ScalarKind::Integer => scalar.text.replace('_', ""),
        _ => scalar.text.clone(),
    };
    // `+3` is a whole number in TOML.
    let number =
        if scalar.kind == ScalarKind::Integer { text.strip_prefix('+').unwrap_or(&text) } else { &text };
    let error = match server.clone().with_weight(number) {
        Ok(_) if scalar.kind == ScalarKind::Text => {
            let message =
                format!("server {name}: weight {} is text, and a weight is a whole number", quoted(&text));
            report.push(
                report.error_at(entry.place(), message).with_help(format!("without quotes: weight = {text}")),
            );
            return server;
        }
        Ok(weighted) => return weighted,
        Err(error) => error,
    };
    let diagnostic = report.error_at(entry.place(), error.to_string());
    report.push(match number {
        "0" => diagnostic.with_help("write state = \"draining\", and leave the weight as it was"),
        _ => diagnostic,
    });
    server
}
