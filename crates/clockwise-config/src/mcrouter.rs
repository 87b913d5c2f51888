//! mcrouter: pools and routes in JSON with comments.
//!
//! ```json
//! {
//!   "pools": { "cache": { "servers": ["10.0.0.1:11211", "10.0.0.2:11211"] } },
//!   "route": { "type": "PoolRoute", "pool": "cache", "hash": { "hash_func": "Crc32", "salt": "x" } }
//! }
//! ```
//!
//! What decides the placement: the order of a pool's `servers`, and the `hash` of the `PoolRoute` that
//! uses it, a word or a group of `hash_func`, `salt` and `weights`; a `HashRoute` over `Pool|NAME` says
//! the same. A pool with `weights` is WeightedCh3 unless its route says another `hash_func`. A pool that
//! no route uses is placed as by a `PoolRoute` without `hash`; one that is used with several is several
//! fleets, `NAME|HASH_FUNC` and so on. A server is called `host:port`, and its zone is its failure domain.
//!
//! Placed by nothing that the file says: pools in or inherited from other files, servers that are
//! routes, `additional_fanout`, routes with `shard_splits`, `bucketize` or `weights_rv`, hash functions
//! that choose by load or chance, pools that routes send everything to, and `HashRoute` over routes.
//! Refused by name: macros, which mcrouter expands before it reads (`get
//! __mcrouter__.preprocessed_config` gives the result); a server twice, since both of its places in
//! the list own keys.
//!
//! From source only (`McRouteHandleProvider-inl.h`, `HashRouteFactory.h`, `WeightedCh3HashFunc.cpp`,
//! `AccessPoint.cpp`, 2026). Weights too few count as 0.5, and too many are passed over: mcrouter logs
//! it and goes on, and so do warnings here.

use std::collections::{BTreeMap, HashMap, HashSet};

use clockwise::dialect::mcrouter::{HashFunc, Options, Weight};
use clockwise::{Scheme, Server};

use crate::diagnostic::{Diagnostic, quoted, ticked};
use crate::fields;
use crate::fleet::{PoolRead, ServerEntry, SettingPlace, settle};
use crate::json::{self, Beyond};
use crate::listed::{at, entries, get, list, text, text_of, warn_of_unknown};
use crate::node::{Entry, Node, ScalarKind, Value};
use crate::report::Report;
use crate::sniff;
use crate::source::Span;

pub(crate) fn is(text: &str) -> bool {
    let begins = text.trim_start();
    (begins.starts_with('{') || begins.starts_with("//") || begins.starts_with("/*"))
        && (sniff::has_key(text, &["pools"]) && sniff::has_key(text, &["servers", "route", "routes"])
            || ["\"PoolRoute", "\"HashRoute"].iter().any(|route| sniff::has_word(text, route)))
}

const TOP: &[&str] = &["pools", "route", "routes", "named_handles", "macros"];

const POOL: &[&str] = &[
    "name",
    "servers",
    "hostnames",
    "failure_domains",
    "weights",
    "tags",
    "inherit",
    "protocol",
    "pool_locality",
    "region",
    "cluster",
    "server_timeout",
    "connect_timeout",
    "keep_routing_prefix",
    "qos",
    "use_ssl",
    "use_typed",
    "security_mech",
    "ssl_service_identity",
    "ssl_service_identity_authorization_override",
    "ssl_pem_cert_path",
    "ssl_pem_key_path",
    "ssl_pem_ca_path",
    "enable_compression",
    "port_override",
    "port_override_within_cluster",
    "port_override_cross_cluster",
    "port_override_cross_region",
    "tko_tracker",
    "additional_fanout",
    "services",
    "error_on_empty",
    "disable_request_deadline_check",
];

const POOL_ROUTE: &[&str] = &[
    "type",
    "name",
    "pool",
    "hash",
    "shadows",
    "shadow_policy",
    "slow_warmup",
    "max_outstanding",
    "rates",
    "asynclog",
    "asynclog_name",
    "axonlog",
    "distribution_enabled",
    "shard_splits",
    "split_shard_fanout",
    "bucketize",
    "useBucketHashSelector",
    "weights_rv",
    "weights_rv_salt",
];

/// All of a route that decides where keys go.
const HASHES: &[&str] = &[
    "type",
    "hash",
    "hash_func",
    "salt",
    "weights",
    "shard_splits",
    "bucketize",
    "useBucketHashSelector",
    "weights_rv",
];

/// How many fleets a pool can be.
const MAX_HASHES: usize = 64;

/// What of a route makes keys go elsewhere than the hash says.
const CHANGES: &[&str] = &["shard_splits", "bucketize", "useBucketHashSelector", "weights_rv"];

pub(crate) fn read(report: &mut Report) -> Vec<PoolRead> {
    let Some(root) = json::read(report, Beyond::Comments) else { return Vec::new() };
    if !matches!(root.value, Value::Map(_)) {
        let this = fields::shown(report, &root);
        report.error(
            root.span,
            format!("a mcrouter file is a group of keys, and {this} is {}", root.describe()),
        );
        return Vec::new();
    }
    if let Some(macros) = get(&root, "macros").filter(|entry| !entries(&entry.value).is_empty()) {
        let message = "macros are not expanded, and the file has `macros`";
        report.push(report.error_at(macros.key_span, message).with_help(EXPANDED));
        return Vec::new();
    }
    warn_of_unknown(report, &root, "the file", "mcrouter", TOP);
    let mut found = Found::default();
    if let Some(pools) = get(&root, "pools") {
        match &pools.value.value {
            Value::Map(entries) => {
                for pool in entries {
                    found.pool(&pool.key, pool.key_span, &pool.value);
                }
            }
            _ => fields::wrong_type(report, pools, "pools by name"),
        }
    }
    let mut has_routes = false;
    for key in ["route", "routes", "named_handles"] {
        if let Some(entry) = get(&root, key) {
            has_routes = true;
            found.walk(report, &entry.value, "");
        }
    }
    if found.pools.is_empty() && found.over_routes.is_empty() && !report.has_errors() {
        report.error(at(&root), "the file holds no pool");
    }
    let mut reads = Vec::new();
    for pool in &found.pools {
        let uses = found.uses.get(pool.name).map_or(&[][..], Vec::as_slice);
        pool.read(report, uses, has_routes, &mut reads);
    }
    reads.extend(found.over_routes.iter().map(|route| {
        let line = report.source.line_of(route.span.start());
        let message = "a HashRoute over routes places keys on routes, and not on servers";
        let name = format!("HashRoute:{line}");
        nothing(name, route.span, report.error_at(at(route), message))
    }));
    reads
}

const EXPANDED: &str =
    "give the file as mcrouter has it after that: it answers `get __mcrouter__.preprocessed_config`";

/// A pool that is right and places nothing.
fn nothing(name: String, span: Span, reason: Diagnostic) -> PoolRead {
    PoolRead {
        name: Some(name),
        span,
        scheme: Err(reason),
        settings: Vec::new(),
        entries: Vec::new(),
        warnings: Vec::new(),
    }
}

/// The pools of a file and the routes that use them.
#[derive(Default)]
struct Found<'n> {
    pools: Vec<Pool<'n>>,
    /// Where each is in the list.
    named: HashMap<&'n str, usize>,
    uses: HashMap<&'n str, Vec<Use<'n>>>,
    /// HashRoutes whose children are routes.
    over_routes: Vec<&'n Node>,
}

/// A route that sends to a pool.
#[derive(Clone, Copy)]
enum Use<'n> {
    /// It hashes: as its group of keys says, or without one by default.
    Hash(Option<&'n Node>),
    /// Another route, at its place.
    Other(&'n str, Span),
}

struct Pool<'n> {
    name: &'n str,
    span: Span,
    node: &'n Node,
}

impl<'n> Found<'n> {
    /// The first pool of a name is the one.
    fn pool(&mut self, name: &'n str, span: Span, node: &'n Node) {
        if !self.named.contains_key(name) {
            self.named.insert(name, self.pools.len());
            self.pools.push(Pool { name, span, node });
        }
    }

    fn used(&mut self, pool: &'n str, by: Use<'n>) {
        self.uses.entry(pool).or_default().push(by);
    }

    /// Looks for pools in a route. `parent` is the type of the route around it.
    fn walk(&mut self, report: &mut Report, node: &'n Node, parent: &'n str) {
        match &node.value {
            Value::List(items) => items.iter().for_each(|item| self.walk(report, item, parent)),
            Value::Scalar(scalar) if scalar.kind == ScalarKind::Text => {
                self.short(report, node, &scalar.text, parent);
            }
            Value::Scalar(_) => {}
            Value::Map(fields) => {
                let own = text_of(node, "type");
                // Groups within a route, of shadows and the like, are no routes themselves.
                let kind = own.unwrap_or(parent);
                match own.unwrap_or_default() {
                    "PoolRoute" | "Pool" => self.pool_of(report, node, kind, parent),
                    "HashRoute" => self.hash_route(report, node),
                    _ => {}
                }
                let inner = |entry: &&Entry| {
                    !matches!(entry.key.as_str(), "type" | "name" | "pool" | "hash" | "servers")
                };
                let is_hash_route = own == Some("HashRoute");
                for entry in fields.iter().filter(inner) {
                    // The pool that a HashRoute is over is seen already.
                    if !(is_hash_route && entry.key == "children" && pool_in(&entry.value).is_some()) {
                        self.walk(report, &entry.value, kind);
                    }
                }
            }
        }
    }

    /// `PoolRoute|A`, `AllSyncRoute|Pool|A`, `HashRoute|Pool|A`.
    fn short(&mut self, report: &mut Report, node: &'n Node, text: &'n str, parent: &'n str) {
        if text.starts_with('@') {
            let message = format!("macros are not expanded, and this is one: {}", quoted(text));
            report.push(report.error_at(node.span, message).with_help(EXPANDED));
            return;
        }
        let mut parent = parent;
        let mut rest = text;
        while let Some((kind, inner)) = rest.split_once('|') {
            match (kind, parent) {
                ("PoolRoute", _) | ("Pool", "HashRoute") => return self.used(inner, Use::Hash(None)),
                ("Pool", _) => return self.used(inner, Use::Other(parent, node.span)),
                _ => {}
            }
            parent = kind;
            rest = inner;
        }
    }

    /// A pool that a route names, or holds.
    fn pool_of(&mut self, report: &mut Report, node: &'n Node, kind: &str, parent: &'n str) {
        let Some(pool) =
            get(node, if kind == "Pool" && get(node, "pool").is_none() { "name" } else { "pool" })
        else {
            report.error(at(node), format!("a {kind} has no `pool`"));
            return;
        };
        let name = match &pool.value.value {
            Value::Map(_) => match get(&pool.value, "name").and_then(|entry| text(&entry.value)) {
                Some(name) => {
                    self.pool(name, pool.key_span, &pool.value);
                    name
                }
                None => {
                    report.error(at(&pool.value), "a pool within a route has no `name`");
                    return;
                }
            },
            _ => match text(&pool.value) {
                Some(name) => name,
                None => {
                    fields::wrong_type(report, pool, "a pool's name");
                    return;
                }
            },
        };
        match kind {
            "PoolRoute" => {
                warn_of_unknown(report, node, "a PoolRoute", "mcrouter", POOL_ROUTE);
                self.used(name, Use::Hash(Some(node)));
            }
            _ => self.used(name, Use::Other(parent, pool.key_span)),
        }
    }

    fn hash_route(&mut self, report: &mut Report, node: &'n Node) {
        warn_of_unknown(
            report,
            node,
            "a HashRoute",
            "mcrouter",
            &[
                "type",
                "name",
                "children",
                "hash_func",
                "salt",
                "weights",
                "tags",
                "bucketize",
                "error_on_empty",
            ],
        );
        match get(node, "children").map(|children| pool_in(&children.value)) {
            Some(Some(pool)) => self.used(pool, Use::Hash(Some(node))),
            _ => self.over_routes.push(node),
        }
    }
}

/// The pool that children of a HashRoute are, if they are one: `Pool|A`, or a group of that type.
fn pool_in(children: &Node) -> Option<&str> {
    match &children.value {
        Value::List(items) => match items.as_slice() {
            [only] => pool_in(only),
            _ => None,
        },
        Value::Map(_) if text_of(children, "type") == Some("Pool") => {
            text_of(children, "pool").or_else(|| text_of(children, "name"))
        }
        _ => text(children)?.strip_prefix("Pool|"),
    }
}

/// How a route hashes, before it is known which servers there are.
struct Hash<'n> {
    func: HashFunc,
    salt: &'n str,
    weights: Option<&'n Entry>,
    settings: Vec<SettingPlace>,
}

impl<'n> Pool<'n> {
    fn what(&self) -> String {
        format!("pool {}", quoted(self.name))
    }

    fn read(&self, report: &mut Report, uses: &[Use<'n>], has_routes: bool, reads: &mut Vec<PoolRead>) {
        let before = report.warnings();
        if let Some(reason) = self.elsewhere(report) {
            reads.push(nothing(self.name.to_owned(), self.span, reason));
            return;
        }
        warn_of_unknown(report, self.node, &self.what(), "mcrouter", POOL);
        let Some(entries) = self.servers(report) else { return };
        let source = report.source.clone();
        let mut seen: HashSet<Vec<&str>> = HashSet::new();
        let mut by_hash: Vec<Option<&Node>> = Vec::new();
        for by in uses {
            let Use::Hash(node) = by else { continue };
            // Routes that are written alike hash alike.
            let written = |key: &&str| {
                node.and_then(|node| get(node, key)).map_or("", |entry| source.slice(entry.value.span))
            };
            if seen.insert(HASHES.iter().map(written).collect()) {
                by_hash.push(*node);
            }
            if let Some(node) = node.filter(|_| by_hash.len() > MAX_HASHES) {
                report.error(at(node), format!("{} is hashed in more than {MAX_HASHES} ways", self.what()));
                return;
            }
        }
        if by_hash.is_empty() {
            if let Some(Use::Other(route, span)) = uses.first() {
                let route = if route.is_empty() { "a route" } else { *route };
                let message =
                    format!("{} is sent to by {route} only, and no route hashes over it", self.what());
                reads.push(nothing(
                    self.name.to_owned(),
                    self.span,
                    report.error_at(Span::new(span.start(), span.start()), message),
                ));
                return;
            }
            if has_routes {
                let message =
                    format!("no route uses {}: it is placed as by a PoolRoute without `hash`", self.what());
                report.push(report.warning_at(self.span, message));
            }
            by_hash.push(None);
        }
        let mut placed: Vec<(Result<Scheme, Diagnostic>, Vec<SettingPlace>, String)> = Vec::new();
        for route in by_hash {
            let Some((scheme, settings, name)) = self.scheme(report, route, &entries) else { return };
            // Routes that hash alike are one fleet.
            if !placed.iter().any(|(other, ..)| other == &scheme) {
                placed.push((scheme, settings, name));
            }
        }
        // Those of a wrong pool would be repeated for each of its routes.
        let several = placed.len() > 1;
        let entries = match placed.iter().any(|(scheme, ..)| scheme.is_ok()) {
            true => settle(report, &self.what(), self.span, entries),
            false => Vec::new(),
        };
        let warnings = report.warnings_from(before);
        let mut names: HashMap<String, usize> = HashMap::new();
        for (scheme, settings, hash) in placed {
            let mut name = if several { format!("{}|{hash}", self.name) } else { self.name.to_owned() };
            let count = names.entry(name.clone()).or_default();
            *count += 1;
            if *count > 1 {
                name += &format!("|{count}");
            }
            let entries = if scheme.is_ok() { entries.clone() } else { Vec::new() };
            reads.push(PoolRead {
                name: Some(name),
                span: self.span,
                scheme,
                settings,
                entries,
                warnings: warnings.clone(),
            });
        }
    }

    /// Why the file cannot say which servers there are, if it cannot.
    fn elsewhere(&self, report: &Report) -> Option<Diagnostic> {
        if let Some(file) = text(self.node) {
            if file.starts_with('@') {
                return None;
            }
            let message = format!("{} is in another file, {}", self.what(), quoted(file));
            return Some(report.error_at(self.node.span, message));
        }
        if let Some(entry) = get(self.node, "inherit") {
            let message = format!(
                "{} inherits from another file, {}",
                self.what(),
                fields::shown(report, &entry.value)
            );
            return Some(report.error_at(entry.value.span, message));
        }
        let fanout = get(self.node, "additional_fanout")?;
        if fanout.value.as_scalar().is_some_and(|scalar| scalar.text == "0") {
            return None;
        }
        let message = format!(
            "{} has `additional_fanout`, which puts each server into the list several times",
            self.what()
        );
        Some(report.error_at(fanout.key_span, message))
    }

    fn servers(&self, report: &mut Report) -> Option<Vec<ServerEntry>> {
        if let Some(called) = text(self.node) {
            let message = format!("macros are not expanded, and {} is one: {}", self.what(), quoted(called));
            report.push(report.error_at(self.node.span, message).with_help(EXPANDED));
            return None;
        }
        if !matches!(self.node.value, Value::Map(_)) {
            let this = fields::shown(report, self.node);
            let message =
                format!("{} is a group of keys, and {this} is {}", self.what(), self.node.describe());
            report.error(self.node.span, message);
            return None;
        }
        let Some(entry) = get(self.node, "servers") else {
            report.error(self.span, format!("{} has no `servers`", self.what()));
            return None;
        };
        if let Some(called) = text(&entry.value).filter(|text| text.starts_with('@')) {
            let message = format!(
                "macros are not expanded, and `servers` of {} is one: {}",
                self.what(),
                quoted(called)
            );
            report.push(report.error_at(entry.value.span, message).with_help(EXPANDED));
            return None;
        }
        let items = list(report, entry)?;
        let zones = self.beside(report, "failure_domains", items.len())?;
        self.beside(report, "hostnames", items.len())?;
        let mut servers: Vec<ServerEntry> = Vec::with_capacity(items.len());
        let mut seen: HashMap<String, Span> = HashMap::new();
        let mut right = true;
        for (index, item) in items.iter().enumerate() {
            let Some(server) = self.server(report, item, zones.and_then(|zones| zones.get(index))) else {
                right = false;
                continue;
            };
            let name = server.name().as_str().to_owned();
            match seen.get(&name) {
                None => {
                    seen.insert(name, item.span);
                    servers.push(ServerEntry::new(server, item.span));
                }
                Some(&first) => {
                    let message = format!("{}: server {} is listed twice", self.what(), quoted(&name));
                    let help = "each place in the list owns keys, so that copies cannot count once";
                    report.push(
                        report
                            .error_at(item.span, message)
                            .with_help(help)
                            .with_also(first, "first listed here"),
                    );
                    right = false;
                }
            }
        }
        right.then_some(servers)
    }

    /// A list with an item for each server, if there is one.
    #[expect(clippy::option_option, reason = "wrong, absent, present")]
    fn beside(&self, report: &mut Report, key: &str, servers: usize) -> Option<Option<&'n [Node]>> {
        let Some(entry) = get(self.node, key) else { return Some(None) };
        let items = list(report, entry)?;
        if items.len() != servers {
            let message =
                format!("`{key}` of {} has {} items for {servers} servers", self.what(), items.len());
            report.error(entry.key_span, message);
            return None;
        }
        Some(Some(items))
    }

    /// `host:port:protocol:security:compression`, `[::1]:port…` or `unix:/path…`.
    fn server(&self, report: &mut Report, node: &Node, zone: Option<&Node>) -> Option<Server> {
        let Some(written) = text(node) else {
            let this = fields::shown(report, node);
            let message = match node.value {
                Value::Map(_) => {
                    format!("{}: a server is a route, {this}, and places nothing that is known", self.what())
                }
                _ => format!("{}: a server is text, and {this} is {}", self.what(), node.describe()),
            };
            report.error(at(node), message);
            return None;
        };
        let refused = |report: &mut Report, why: &str, help: &str| {
            let message = format!("{}: server {} {why}", self.what(), quoted(written));
            let error = report.error_at(node.span, message);
            report.push(if help.is_empty() { error } else { error.with_help(help) });
        };
        if written.starts_with('@') || written.contains('%') {
            refused(report, "is a macro's, and macros are not expanded", EXPANDED);
            return None;
        }
        let is_socket = written.starts_with("unix:");
        let host_end = match written.strip_prefix('[') {
            Some(_) => written.find(']').map(|end| end + 1),
            None => {
                let skip = if is_socket { 5 } else { 0 };
                Some(written[skip..].find(':').map_or(written.len(), |end| end + skip))
            }
        };
        let (host, rest) = written.split_at(host_end.unwrap_or(0));
        let mut parts = rest.split(':');
        let begins = parts.next();
        if host.is_empty() || matches!(host, "unix:" | "[]") || begins != Some("") {
            refused(report, "is no host with a port", "it is host:port, [IPv6]:port or unix:/path");
            return None;
        }
        let mut name = host.to_owned();
        if !is_socket {
            let port = parts.next().unwrap_or("");
            let right = !port.is_empty()
                && port.bytes().all(|byte| byte.is_ascii_digit())
                && port.parse::<u16>().is_ok();
            let overridden = port.is_empty() && get(self.node, "port_override").is_some();
            if !right && !overridden {
                refused(report, "has no port from 0 to 65535", "");
                return None;
            }
            if right {
                name = format!("{host}:{port}");
            }
        }
        // Protocol, security and compression.
        if parts.count() > 3 {
            refused(report, "has a colon too many", "it is host:port:protocol:security:compression");
            return None;
        }
        let server = Server::new(name.as_str());
        let server = match zone.and_then(Node::as_scalar).filter(|scalar| scalar.kind != ScalarKind::Nothing)
        {
            Some(zone) => server.and_then(|server| server.with_zone(zone.text.as_str())),
            None => server,
        };
        server
            .map_err(|error| {
                report.error(node.span, format!("{}: server {}: {error}", self.what(), quoted(written)));
            })
            .ok()
    }

    /// The scheme of a route over the pool's servers, where its settings are, and what it is called.
    fn scheme(
        &self,
        report: &mut Report,
        route: Option<&'n Node>,
        servers: &[ServerEntry],
    ) -> Option<(Result<Scheme, Diagnostic>, Vec<SettingPlace>, String)> {
        let changing = route.and_then(|route| CHANGES.iter().find_map(|key| get(route, key)));
        let changing =
            changing.filter(|entry| entry.value.as_scalar().is_none_or(|scalar| scalar.text != "false"));
        if let Some(entry) = changing {
            let message =
                format!("{}: its route has {}, by which keys go elsewhere", self.what(), ticked(&entry.key));
            return Some((Err(report.error_at(entry.key_span, message)), Vec::new(), entry.key.clone()));
        }
        let hash = match self.hash(report, route)? {
            Ok(hash) => hash,
            Err(reason) => return Some((Err(reason), Vec::new(), "hash".to_owned())),
        };
        let mut weights = BTreeMap::new();
        if hash.func == HashFunc::WeightedCh3 {
            let Some(entry) = hash.weights else {
                report.error(
                    self.span,
                    format!("{} is hashed by WeightedCh3, and has no `weights`", self.what()),
                );
                return None;
            };
            let items = list(report, entry)?;
            if items.len() != servers.len() {
                let (has, wants) = (items.len(), servers.len());
                let said = match has < wants {
                    true => "those that are missing are 0.5",
                    false => "those that are left are passed over",
                };
                let message =
                    format!("`weights` of {} has {has} items for {wants} servers: {said}", self.what());
                report.push(report.warning_at(entry.key_span, message));
            }
            let mut right = true;
            for (server, item) in servers.iter().zip(items) {
                match weight(report, item) {
                    Some(weight) => drop(weights.insert(server.server().name().clone(), weight)),
                    None => right = false,
                }
            }
            if !right {
                return None;
            }
        }
        let mut name = hash.func.to_string();
        if !hash.salt.is_empty() {
            name = format!("{name}|{}", hash.salt);
        }
        let options = Options { hash_func: hash.func, salt: hash.salt.to_owned(), weights };
        Some((Ok(options.into()), hash.settings, name))
    }

    /// What a route says of its hash, on top of what the pool says.
    fn hash(&self, report: &mut Report, route: Option<&'n Node>) -> Option<Result<Hash<'n>, Diagnostic>> {
        let weights = get(self.node, "weights");
        let func = if weights.is_some() { HashFunc::WeightedCh3 } else { HashFunc::Ch3 };
        let mut hash = Hash { func, salt: "", weights, settings: Vec::new() };
        let Some(route) = route else { return Some(Ok(hash)) };
        let is_hash_route = text_of(route, "type") == Some("HashRoute");
        let group = match get(route, "hash") {
            _ if is_hash_route => {
                // It does not look at the pool's weights.
                hash.weights = None;
                hash.func = HashFunc::Ch3;
                route
            }
            None => return Some(Ok(hash)),
            Some(entry) => match &entry.value.value {
                Value::Map(_) => {
                    let known = ["hash_func", "salt", "weights", "tags", "bucketize", "error_on_empty"];
                    warn_of_unknown(report, &entry.value, "`hash`", "mcrouter", &known);
                    &entry.value
                }
                _ => return Some(self.func(report, &mut hash, entry)?.map(|()| hash)),
            },
        };
        if let Some(entry) = get(group, "salt") {
            hash.salt = fields::text(report, entry)?;
            let setting =
                SettingPlace { key: "salt".to_owned(), text: hash.salt.to_owned(), span: entry.value.span };
            hash.settings.push(setting);
        }
        if let Some(entry) = get(group, "weights") {
            hash.weights = Some(entry);
        }
        if let Some(entry) = get(group, "hash_func")
            && let Err(reason) = self.func(report, &mut hash, entry)?
        {
            return Some(Err(reason));
        }
        Some(Ok(hash))
    }

    /// The hash function of an entry. The inner error is that of one that places nothing here.
    fn func(
        &self,
        report: &mut Report,
        hash: &mut Hash<'n>,
        entry: &'n Entry,
    ) -> Option<Result<(), Diagnostic>> {
        let word = fields::text(report, entry)?;
        match word.parse::<HashFunc>() {
            Ok(func) => hash.func = func,
            // A word that is known has a sentence of its own.
            Err(error) if !error.to_string().starts_with("there is no") => {
                return Some(Err(report.error_at(entry.value.span, format!("{}: {error}", self.what()))));
            }
            Err(_) => {
                let words: Vec<String> = HashFunc::ALL.iter().map(HashFunc::to_string).collect();
                let words: Vec<(&str, ())> = words.iter().map(|word| (word.as_str(), ())).collect();
                fields::word(report, entry, "hash_func", &words);
                return None;
            }
        }
        hash.settings.push(SettingPlace {
            key: "hash_func".to_owned(),
            text: word.to_owned(),
            span: entry.value.span,
        });
        Some(Ok(()))
    }
}

/// A weight: a number from 0 to 1.
fn weight(report: &mut Report, node: &Node) -> Option<Weight> {
    let number =
        node.as_scalar().filter(|scalar| matches!(scalar.kind, ScalarKind::Integer | ScalarKind::Float));
    let Some(number) = number else {
        let this = fields::shown(report, node);
        report
            .error(at(node), format!("a weight is a number from 0 to 1, and {this} is {}", node.describe()));
        return None;
    };
    let weight = number.text.parse();
    if weight.is_err() {
        report.error(node.span, format!("weight {} is not a number from 0 to 1", ticked(&number.text)));
    }
    weight.ok()
}
