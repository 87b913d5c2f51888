//! Envoy 1.40: clusters in YAML or JSON.
//!
//! ```yaml
//! static_resources:
//!   clusters:
//!   - name: cache
//!     type: STATIC
//!     connect_timeout: 1s
//!     lb_policy: RING_HASH
//!     ring_hash_lb_config: { minimum_ring_size: 1024 }
//!     load_assignment:
//!       cluster_name: cache
//!       endpoints:
//!       - lb_endpoints:
//!         - endpoint: { address: { socket_address: { address: 10.0.0.1, port_value: 11211 } } }
//! ```
//!
//! A pool is a cluster. It is found in a bootstrap, under `clusters`, in a list of clusters or alone,
//! among `resources` with their `@type`, under a type URL, and in what `/config_dump` prints; hosts of a
//! `ClusterLoadAssignment` that stands beside its cluster (`?include_eds`) count as the cluster's.
//!
//! What decides the placement: `load_balancing_policy`, or else `lb_policy` with its `…_lb_config` and
//! `common_lb_config`; of the hosts their addresses, `hash_key` metadata, hostnames, weights, localities
//! and health. A host is called `address:port`; a locality is its zone.
//!
//! Established by asking Envoy 1.40.0 (`envoy --mode validate`, and requests):
//! - hosts count of the first priority that has any, as long as enough of them are healthy;
//! - UNHEALTHY, DRAINING and TIMEOUT hosts own nothing, unless so many are that Envoy panics and takes
//!   all; DEGRADED ones own nothing either way;
//! - with `locality_weighted_lb_config` a locality without a weight or a name gets nothing;
//! - a `hash_key` that YAML makes a number or a truth value is passed over;
//! - hosts of a DNS cluster are hashed by the addresses that their names resolve to, and with
//!   `use_hostname_for_hashing` by `hostname`, or else by the name without its port;
//! - YAML's merge keys are no keys of Envoy; aliases are followed, and keys tagged `!ignore` passed over.
//!
//! Refused as by Envoy: fields that a message does not have, weights of 0, names in a STATIC cluster,
//! two clusters of one name. Refused although Envoy takes it: a key given twice, a second document,
//! JSON with commas too many or loose quotes. The v1 and v2 APIs are refused by name.
//!
//! A cluster whose placement the file does not hold is a pool that says why: other policies, subsets,
//! endpoints that come from elsewhere, names in place of addresses.

mod cluster;
mod hosts;
mod policy;
mod proto;

use std::collections::HashMap;

use crate::diagnostic::ticked;
use crate::fields;
use crate::fleet::PoolRead;
use crate::json::{self, Beyond};
use crate::node::{Entry, Node, ScalarKind, Value};
use crate::report::Report;
use crate::sniff;
use crate::source::Span;
use crate::yaml;
use cluster::Cluster;
use proto::{Message, any_type, get, items};

/// Keys that no other product's files have.
const KEYS: &[&str] = &[
    "static_resources",
    "staticResources",
    "load_assignment",
    "loadAssignment",
    "lb_endpoints",
    "lbEndpoints",
    "lb_policy",
    "lbPolicy",
    "dynamic_active_clusters",
    "dynamicActiveClusters",
    "static_clusters",
    "staticClusters",
    "cluster_manager",
];

pub(crate) fn is(text: &str) -> bool {
    sniff::has_key(text, KEYS)
        || ["/envoy.config.", "/envoy.admin.", "/envoy.api.v2."]
            .iter()
            .any(|word| sniff::has_word(text, word))
}

pub(crate) fn read(report: &mut Report) -> Vec<PoolRead> {
    let root = match json::begins(report.source.text()) {
        true => json::read(report, Beyond::LastComma),
        false => yaml::read_with_aliases(report).map(|document| document.root),
    };
    let Some(root) = root else {
        if !report.has_errors() {
            report.error(Span::new(0, 0), "the file holds no cluster");
        }
        return Vec::new();
    };
    let mut found = Found::default();
    found.walk(report, &root, 0);
    if found.clusters.is_empty() && found.warming.is_empty() && found.assignments.is_empty() {
        if !report.has_errors() {
            let message = match &root.value {
                Value::Map(entries) if !entries.is_empty() => {
                    format!("the file begins with {} and holds no cluster", ticked(&entries[0].key))
                }
                _ => "the file holds no cluster".to_owned(),
            };
            let span = match &root.value {
                Value::Map(entries) if !entries.is_empty() => entries[0].key_span,
                _ => Span::new(0, 0),
            };
            let help = "clusters stand in `static_resources`, in `resources`, in a dump, in a list or alone";
            report.push(report.error_at(span, message).with_help(help));
        }
        return Vec::new();
    }
    pools(report, found)
}

fn pools(report: &mut Report, found: Found<'_>) -> Vec<PoolRead> {
    let mut names: HashMap<&str, Span> = HashMap::new();
    let mut pools = Vec::new();
    // Clusters can share their hosts: how much that makes of a file is bounded.
    let mut sizes: HashMap<&str, usize> = HashMap::new();
    let mut shared = 0;
    let active = found.clusters.iter().map(|&(node, place)| (node, place, true));
    for (node, place, active) in active.chain(found.warming.iter().map(|&(node, place)| (node, place, false)))
    {
        let Some(cluster) = Cluster::of(report, node, place) else { continue };
        match names.get(cluster.name) {
            None => names.insert(cluster.name, cluster.span),
            // The version in use counts.
            Some(_) if !active => continue,
            Some(&first) => {
                let error = report.error_at(cluster.span, format!("{} is there twice", cluster.what()));
                report.push(error.with_label("again here").with_also(first, "first given here"));
                continue;
            }
        };
        let assignment = found.assignments.get(cluster.service()).copied();
        if let Some(hosts) = assignment {
            let hosts = *sizes.entry(cluster.service()).or_insert_with(|| endpoints(hosts));
            shared += hosts;
            if shared > MAX_SHARED {
                let message = format!("with {} clusters have more than {MAX_SHARED} hosts", cluster.what());
                report.error(cluster.span, message);
                break;
            }
        }
        pools.extend(cluster.pool(report, assignment));
    }
    // A file of clusters may hold hosts of others. Only where there is no cluster at all, they are asked
    // about.
    if names.is_empty() {
        let mut alone: Vec<_> = found.assignments.into_iter().collect();
        alone.sort_by_key(|(_, node)| place(node));
        pools.extend(alone.into_iter().filter_map(|(name, node)| cluster::of_hosts(report, name, node)));
    }
    pools
}

/// How many hosts clusters can have in all that stand beside them.
const MAX_SHARED: usize = 1 << 16;

/// The endpoints of an assignment, and its localities.
fn endpoints(assignment: &Node) -> usize {
    let localities = get(map(assignment), "endpoints").map_or(&[][..], |entry| items(&entry.value));
    let of = |node| get(map(node), "lb_endpoints").map_or(0, |entry| items(&entry.value).len());
    localities.iter().map(|node| 1 + of(node)).sum()
}

fn map(node: &Node) -> &[Entry] {
    match &node.value {
        Value::Map(entries) => entries,
        _ => &[],
    }
}

/// Where a node begins: a place for what is missing in it. (Blocks of YAML begin with their first key.)
fn place(node: &Node) -> Span {
    let start = match &node.value {
        Value::Map(entries) => entries.first().map_or(node.span, |entry| entry.key_span),
        _ => node.span,
    };
    Span::new(start.start(), start.start())
}

/// What a file holds of clusters, and where.
#[derive(Default)]
struct Found<'n> {
    clusters: Vec<(&'n Node, Span)>,
    /// New versions of clusters that are not in use yet.
    warming: Vec<(&'n Node, Span)>,
    /// Hosts of clusters, by the names that they go by.
    assignments: HashMap<&'n str, &'n Node>,
}

/// Where a dump keeps clusters: the field, and whether they are in use.
const CLUSTER_DUMPS: &[(&str, bool)] =
    &[("static_clusters", true), ("dynamic_active_clusters", true), ("dynamic_warming_clusters", false)];

/// The fields of a bootstrap.
const BOOTSTRAP: &[&str] = &[
    "node",
    "node_context_params",
    "static_resources",
    "dynamic_resources",
    "cluster_manager",
    "hds_config",
    "flags_path",
    "stats_sinks",
    "deferred_stat_options",
    "stats_config",
    "stats_flush_interval",
    "stats_flush_on_admin",
    "watchdog",
    "watchdogs",
    "tracing",
    "layered_runtime",
    "admin",
    "memory_allocator_manager",
    "overload_manager",
    "enable_dispatcher_stats",
    "header_prefix",
    "stats_server_version_override",
    "use_tcp_for_dns_lookups",
    "dns_resolution_config",
    "typed_dns_resolver_config",
    "bootstrap_extensions",
    "fatal_actions",
    "config_sources",
    "default_config_source",
    "default_socket_interface",
    "certificate_provider_instances",
    "inline_headers",
    "perf_tracing_file_path",
    "default_regex_engine",
    "xds_delegate_extension",
    "xds_config_tracker_extension",
    "listener_manager",
    "application_log_config",
    "grpc_async_client_manager_config",
];

/// Nothing that is looked for lies deeper: lists in a response in a dump.
const MAX_WALK: usize = 6;

impl<'n> Found<'n> {
    fn walk(&mut self, report: &mut Report, node: &'n Node, level: usize) {
        if level > MAX_WALK {
            return;
        }
        let span = place(node);
        let entries = match &node.value {
            Value::List(items) => {
                for item in items {
                    self.walk(report, item, level + 1);
                }
                return;
            }
            Value::Map(entries) => entries,
            Value::Scalar(scalar) => {
                if level > 0 && scalar.kind != ScalarKind::Nothing {
                    let this = fields::shown(report, node);
                    report.error(node.span, format!("a cluster is a group of fields, and {this} is text"));
                }
                return;
            }
        };
        match any_type(node) {
            Some("envoy.config.cluster.v3.Cluster") => self.clusters.push((node, span)),
            Some("envoy.config.endpoint.v3.ClusterLoadAssignment") => self.assignment(node),
            Some("envoy.config.bootstrap.v3.Bootstrap") => self.bootstrap(report, node, span),
            Some("envoy.admin.v3.ClustersConfigDump") => self.cluster_dump(entries),
            Some("envoy.admin.v3.EndpointsConfigDump") => {
                for list in ["static_endpoint_configs", "dynamic_endpoint_configs"] {
                    for item in get(entries, list).map_or(&[][..], |entry| items(&entry.value)) {
                        if let Some(config) = get(map(item), "endpoint_config") {
                            self.assignment(&config.value);
                        }
                    }
                }
            }
            Some(name) if name.starts_with("envoy.api.v2.") || name.starts_with("envoy.admin.v2alpha.") => {
                let message = format!("`{name}` is of Envoy's v2 API, which no Envoy reads any more");
                report.push(report.error_at(type_place(entries, span), message).with_help(V3));
            }
            // Delta responses and dumps wrap what they hold; listeners and the like are no matter.
            Some(_) => {
                for field in ["resource", "resources"] {
                    if let Some(entry) = get(entries, field) {
                        self.walk(report, &entry.value, level + 1);
                    }
                }
            }
            None => self.untyped(report, node, entries, span, level),
        }
    }

    /// A group of fields that does not say what it is.
    fn untyped(
        &mut self,
        report: &mut Report,
        node: &'n Node,
        entries: &'n [Entry],
        span: Span,
        level: usize,
    ) {
        let has = |name: &str| get(entries, name).is_some();
        if let Some(manager) =
            get(entries, "cluster_manager").filter(|entry| get(map(&entry.value), "clusters").is_some())
        {
            let message =
                "`cluster_manager` with clusters is of Envoy's v1 API, which no Envoy reads any more";
            report.push(report.error_at(manager.key_span, message).with_help(V3));
        } else if has("static_resources") || (has("admin") && has("dynamic_resources")) {
            self.bootstrap(report, node, span);
        } else if let Some(configs) = get(entries, "configs") {
            self.dump(report, items(&configs.value), level);
        } else if CLUSTER_DUMPS.iter().any(|(list, _)| has(list)) {
            self.cluster_dump(entries);
        } else if has("load_assignment")
            || has("lb_policy")
            || has("load_balancing_policy")
            || has("connect_timeout")
        {
            self.clusters.push((node, span));
        } else if has("cluster_name") && has("endpoints") {
            self.assignment(node);
        } else if let Some(inner) =
            ["clusters", "resources", "resource", "cluster"].iter().find_map(|name| get(entries, name))
        {
            self.walk(report, &inner.value, level + 1);
        } else if entries.iter().any(|entry| entry.key.contains("/envoy.")) {
            for entry in entries.iter().filter(|entry| entry.key.contains("/envoy.config.")) {
                self.keyed(report, entry);
            }
        } else if has("name") && (has("type") || has("cluster_type")) {
            self.clusters.push((node, span));
        }
    }

    /// Resources under their type URL, as a list or by name.
    fn keyed(&mut self, report: &mut Report, entry: &'n Entry) {
        let kind = entry.key.rsplit('/').next().unwrap_or("");
        let resources: Vec<&Node> = match &entry.value.value {
            Value::List(items) => items.iter().collect(),
            Value::Map(entries)
                if get(entries, "name").is_none() && get(entries, "cluster_name").is_none() =>
            {
                entries.iter().map(|entry| &entry.value).collect()
            }
            _ => vec![&entry.value],
        };
        match kind {
            "envoy.config.cluster.v3.Cluster" => {
                self.clusters.extend(resources.iter().map(|node| (*node, place(node))));
            }
            "envoy.config.endpoint.v3.ClusterLoadAssignment" => {
                resources.iter().for_each(|node| self.assignment(node));
            }
            _ if kind.starts_with("envoy.api.v2.") => {
                let message =
                    format!("{} is of Envoy's v2 API, which no Envoy reads any more", ticked(&entry.key));
                report.push(report.error_at(entry.key_span, message).with_help(V3));
            }
            _ => {}
        }
    }

    /// `/config_dump`: the bootstrap in it counts only if no clusters stand beside it.
    fn dump(&mut self, report: &mut Report, configs: &'n [Node], level: usize) {
        let is_bootstrap = |node: &&Node| any_type(node) == Some("envoy.admin.v3.BootstrapConfigDump");
        for config in configs.iter().filter(|node| !is_bootstrap(node)) {
            self.walk(report, config, level + 1);
        }
        if self.clusters.is_empty() && self.warming.is_empty() {
            for config in configs.iter().filter(is_bootstrap) {
                if let Some(bootstrap) = get(map(config), "bootstrap") {
                    self.bootstrap(report, &bootstrap.value, bootstrap.key_span);
                }
            }
        }
    }

    fn cluster_dump(&mut self, entries: &'n [Entry]) {
        for (list, active) in CLUSTER_DUMPS {
            for item in get(entries, list).map_or(&[][..], |entry| items(&entry.value)) {
                let Some(cluster) = get(map(item), "cluster") else { continue };
                let list = if *active { &mut self.clusters } else { &mut self.warming };
                list.push((&cluster.value, cluster.key_span));
            }
        }
    }

    fn bootstrap(&mut self, report: &mut Report, node: &'n Node, span: Span) {
        let Some(bootstrap) = Message::of(report, node, "the bootstrap".to_owned(), span) else { return };
        let known: Vec<&str> = BOOTSTRAP.iter().copied().chain(["@type"]).collect();
        bootstrap.only(report, &known);
        let Some(resources) = bootstrap.message(report, "static_resources") else { return };
        resources.only(report, &["listeners", "clusters", "secrets"]);
        self.clusters.extend(resources.items("clusters").iter().map(|node| (node, place(node))));
    }

    /// The first of several under one name stays: a dump has those in use first.
    fn assignment(&mut self, node: &'n Node) {
        let name = get(map(node), "cluster_name").and_then(|entry| entry.value.as_scalar());
        self.assignments.entry(name.map_or("", |name| &name.text)).or_insert(node);
    }
}

const V3: &str =
    "the v3 API has `load_assignment` in place of `hosts`, and `envoy.config.cluster.v3.Cluster`";

/// Where a group of fields says its type.
fn type_place(entries: &[Entry], otherwise: Span) -> Span {
    let named = entries.iter().find(|entry| entry.key == "@type");
    named.map_or(otherwise, Entry::place)
}
