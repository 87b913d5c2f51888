//! A cluster: its type, its policy and its hosts, put together to a pool.

use std::collections::{BTreeMap, HashMap};

use clockwise::dialect::Dialect;
use clockwise::{Scheme, ServerName};

use super::hosts::{self, Addresses, Health, Hosts};
use super::policy::{self, Chosen, Hashing};
use super::proto::{self, Message};
use super::{map, place};
use crate::diagnostic::{Diagnostic, quoted, ticked};
use crate::fleet::{PoolRead, ServerEntry, settle};
use crate::node::{Entry, Node};
use crate::report::Report;
use crate::source::Span;

/// The fields of a cluster.
const FIELDS: &[&str] = &[
    "@type",
    "name",
    "alt_stat_name",
    "type",
    "cluster_type",
    "eds_cluster_config",
    "connect_timeout",
    "per_connection_buffer_limit_bytes",
    "lb_policy",
    "load_assignment",
    "health_checks",
    "max_requests_per_connection",
    "circuit_breakers",
    "upstream_http_protocol_options",
    "common_http_protocol_options",
    "http_protocol_options",
    "http2_protocol_options",
    "typed_extension_protocol_options",
    "dns_refresh_rate",
    "dns_jitter",
    "dns_failure_refresh_rate",
    "respect_dns_ttl",
    "dns_lookup_family",
    "dns_resolvers",
    "use_tcp_for_dns_lookups",
    "dns_resolution_config",
    "typed_dns_resolver_config",
    "wait_for_warm_on_init",
    "outlier_detection",
    "cleanup_interval",
    "upstream_bind_config",
    "lb_subset_config",
    "ring_hash_lb_config",
    "maglev_lb_config",
    "original_dst_lb_config",
    "least_request_lb_config",
    "round_robin_lb_config",
    "common_lb_config",
    "transport_socket",
    "transport_socket_matches",
    "transport_socket_matcher",
    "metadata",
    "protocol_selection",
    "upstream_connection_options",
    "close_connections_on_host_health_failure",
    "ignore_health_on_host_removal",
    "filters",
    "load_balancing_policy",
    "lrs_server",
    "lrs_report_endpoint_metrics",
    "track_timeout_budgets",
    "upstream_config",
    "track_cluster_stats",
    "preconnect_policy",
    "connection_pool_per_downstream_connection",
];

/// A cluster with its name.
pub(super) struct Cluster<'n> {
    pub(super) name: &'n str,
    /// Where it is named.
    pub(super) span: Span,
    fields: Message<'n>,
}

/// Where a cluster's hosts come from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Discovery {
    Static,
    StrictDns,
    LogicalDns,
    Eds,
    OriginalDst,
}

impl<'n> Cluster<'n> {
    pub(super) fn of(report: &mut Report, node: &'n Node, place: Span) -> Option<Cluster<'n>> {
        let fields = Message::of(report, node, "a cluster".to_owned(), place)?;
        let name = fields.get("name").map(|entry| (entry, proto::text(report, entry)));
        let Some((entry, name)) = name else {
            let begins = map(node)
                .first()
                .map_or(String::new(), |entry| format!(" that begins with {}", ticked(&entry.key)));
            report.error(fields.span, format!("a cluster{begins} has no `name`"));
            return None;
        };
        let name = name?;
        if name.is_empty() {
            report.error(entry.place(), "a cluster's `name` is empty");
            return None;
        }
        let span = entry.place();
        let fields = fields.called(format!("cluster {}", quoted(name)), span);
        Some(Cluster { name, span, fields })
    }

    pub(super) fn what(&self) -> &str {
        &self.fields.what
    }

    /// What the assignment of its hosts is called.
    pub(super) fn service(&self) -> &'n str {
        let config = self.fields.get("eds_cluster_config");
        let service = config.and_then(|config| proto::get(map(&config.value), "service_name"));
        let service = service.and_then(|entry| entry.value.as_scalar()).map(|scalar| scalar.text.as_str());
        service.filter(|name| !name.is_empty()).unwrap_or(self.name)
    }

    /// The pool. `beside` are its hosts, where the file holds them in a place of their own.
    pub(super) fn pool(&self, report: &mut Report, beside: Option<&'n Node>) -> Option<PoolRead> {
        let before = report.warnings();
        for old in ["hosts", "tls_context", "extension_protocol_options"] {
            if let Some(entry) = self.fields.get(old) {
                let message = format!(
                    "{} of {} is of Envoy's v2 API, which no Envoy reads any more",
                    ticked(&entry.key),
                    self.what()
                );
                report.push(report.error_at(entry.key_span, message).with_help(super::V3));
                return None;
            }
        }
        self.fields.only(report, FIELDS);
        let chosen = policy::of(report, &self.fields);
        let discovery = self.discovery(report)?;
        let addresses = match discovery {
            Ok(Discovery::StrictDns | Discovery::LogicalDns) if beside.is_none() => Addresses::Resolved,
            _ => Addresses::Given,
        };
        let what = |name: &str| format!("{name} of {}", self.what());
        let assignment = match (self.fields.get("load_assignment"), beside) {
            // What a dump says of hosts has the addresses that names resolved to.
            (_, Some(node)) => Message::of(report, node, what("the hosts"), place(node)),
            (Some(entry), None) => {
                Message::of(report, &entry.value, what(&ticked(&entry.key)), entry.key_span)
            }
            (None, None) => None,
        };
        let hosts = match &assignment {
            Some(assignment) => Some(hosts::of(report, assignment, addresses)?),
            None => None,
        };
        let Chosen { placed, settings, panic_threshold } = chosen?;
        let placed = placed.and_then(|hashing| match discovery {
            Ok(Discovery::Eds) if beside.is_none() => Err(report
                .error_at(self.span, format!("{} has its hosts from EDS, and the file does not hold them", self.what()))
                .with_help("a dump with hosts holds them: /config_dump?include_eds, or its ClusterLoadAssignment beside the cluster")),
            Ok(discovery) => Ok((hashing, discovery)),
            Err(reason) => Err(reason),
        });
        let (scheme, entries) = match placed {
            Ok((hashing, discovery)) => self.place(report, hashing, discovery, hosts, panic_threshold)?,
            Err(reason) => (Err(reason), Vec::new()),
        };
        let entries = match &scheme {
            Ok(_) => settle(report, self.what(), self.span, entries),
            // A cluster that places nothing may have no hosts, or some twice.
            Err(_) => Vec::new(),
        };
        // Its hosts may stand far from it, beside others.
        let warnings = report.warnings_from(before);
        Some(PoolRead {
            name: Some(self.name.to_owned()),
            span: self.span,
            scheme,
            settings,
            entries,
            warnings,
        })
    }

    /// Where its hosts come from, or why the file cannot say.
    fn discovery(&self, report: &mut Report) -> Option<Result<Discovery, Diagnostic>> {
        const TYPES: &[(&str, u64, Discovery)] = &[
            ("STATIC", 0, Discovery::Static),
            ("STRICT_DNS", 1, Discovery::StrictDns),
            ("LOGICAL_DNS", 2, Discovery::LogicalDns),
            ("EDS", 3, Discovery::Eds),
            ("ORIGINAL_DST", 4, Discovery::OriginalDst),
        ];
        let own = |report: &Report, span, name: &str| {
            let message = format!(
                "{}: a cluster of the type {} has hosts that no file holds",
                self.what(),
                ticked(name)
            );
            Err(report.error_at(span, message))
        };
        let (by_type, by_name) = (self.fields.get("type"), self.fields.get("cluster_type"));
        if let (Some(first), Some(second)) = (by_type, by_name) {
            let message =
                format!("{} has a `type` and a {}, and can have one", self.what(), ticked(&second.key));
            report.push(report.error_at(second.key_span, message).with_also(first.key_span, "the other"));
            return None;
        }
        if let Some(entry) = by_type {
            let discovery = proto::word(report, entry, TYPES)?;
            return Some(match discovery {
                Discovery::OriginalDst => own(report, entry.place(), "ORIGINAL_DST"),
                _ => Ok(discovery),
            });
        }
        let Some(entry) = by_name else { return Some(Ok(Discovery::Static)) };
        let custom = self.fields.message(report, "cluster_type")?;
        custom.only(report, &["name", "typed_config"]);
        let name =
            custom.get("name").and_then(|entry| entry.value.as_scalar()).map_or("", |scalar| &scalar.text);
        Some(match name {
            "envoy.cluster.static" => Ok(Discovery::Static),
            "envoy.cluster.strict_dns" => Ok(Discovery::StrictDns),
            "envoy.cluster.logical_dns" => Ok(Discovery::LogicalDns),
            "envoy.cluster.eds" => Ok(Discovery::Eds),
            "envoy.cluster.dns" | "envoy.clusters.dns" => {
                let single = custom.get("typed_config");
                let single = single
                    .and_then(|config| proto::get(map(&config.value), "all_addresses_in_single_endpoint"));
                match single {
                    Some(entry) if proto::boolean(report, entry)? => Ok(Discovery::LogicalDns),
                    _ => Ok(Discovery::StrictDns),
                }
            }
            "" => {
                let message = format!("{}: {} has no name", self.what(), ticked(&entry.key));
                Err(report.error_at(entry.key_span, message))
            }
            _ => own(report, entry.key_span, name),
        })
    }

    /// The placement over the hosts.
    fn place(
        &self,
        report: &mut Report,
        hashing: Hashing,
        discovery: Discovery,
        hosts: Option<Hosts<'n>>,
        threshold: u64,
    ) -> Option<(Result<Scheme, Diagnostic>, Vec<ServerEntry>)> {
        let none = |reason: Diagnostic| Some((Err(reason), Vec::new()));
        let hosts = match hosts {
            Some(hosts) if hosts.elsewhere.is_some() => {
                let span = hosts.elsewhere.unwrap_or(self.span);
                let here = written(report, span);
                let message = format!(
                    "{}: {here} has hosts come from elsewhere, and the file does not hold them",
                    self.what()
                );
                return none(report.error_at(span, message));
            }
            Some(hosts) if !hosts.list.is_empty() => hosts,
            _ => return none(report.error_at(self.span, format!("{} has no hosts", self.what()))),
        };
        if let Some(span) = hashing.by_hostname
            && discovery == Discovery::Static
        {
            let message =
                format!("{}: {} is refused in a cluster of type STATIC", self.what(), written(report, span));
            let help = "its hosts have no names; give them a `hash_key`";
            report.push(report.error_at(span, message).with_help(help));
            return None;
        }
        if discovery == Discovery::LogicalDns && hosts.list.len() > 1 {
            let message = format!(
                "{} is of type LOGICAL_DNS, which takes one host, and {} is another",
                self.what(),
                quoted(hosts.list[1].server.name().as_str())
            );
            report.error(hosts.list[1].span, message);
            return None;
        }
        let priority = hosts.first_priority()?;
        let taken = match self.taken(report, &hosts, priority, threshold) {
            Ok(taken) => taken,
            Err(reason) => return none(reason),
        };
        let Hashing { mut options, locality_weighted, by_hostname } = hashing;
        if let Some(span) = locality_weighted {
            let weights = hosts.locality_weights(report, priority)?;
            let is_used = |host: &&ServerEntry| {
                !host.server().is_draining()
                    && host.server().zone().is_some_and(|zone| weights.contains_key(zone))
            };
            if !taken.iter().any(|host| is_used(&host)) {
                let message = format!(
                    "{} has {}, and no locality with a name, a weight and a host: Envoy refuses every request",
                    self.what(),
                    written(report, span)
                );
                return none(report.error_at(span, message));
            }
            options.locality_weights = Some(weights);
        }
        // One host of a DNS cluster gets everything, whatever it resolves to.
        let resolves = discovery == Discovery::StrictDns;
        let mut keys = BTreeMap::new();
        for host in hosts.list.iter().filter(|host| host.priority == priority) {
            match (host.hash_key, by_hostname, host.hostname) {
                (Some(key), _, _) => drop(keys.insert(host.server.name().clone(), key.to_owned())),
                (None, Some(_), Some(name)) => drop(keys.insert(host.server.name().clone(), name.to_owned())),
                (None, Some(_), None) => {
                    let message = format!(
                        "{}: host {} has no `hostname`, and `use_hostname_for_hashing` asks for it",
                        self.what(),
                        quoted(host.server.name().as_str())
                    );
                    report.error(host.span, message);
                    return None;
                }
                (None, None, _) => {}
            }
        }
        let named: Vec<_> = hosts
            .list
            .iter()
            .filter(|host| host.priority == priority && resolves)
            .filter_map(|host| Some((host, quoted(host.unresolved?))))
            .collect();
        if let Some((host, name)) = named.iter().find(|(host, _)| !keys.contains_key(host.server.name())) {
            let message = format!(
                "{}: hosts are hashed by the addresses that names resolve to, and of {name} the file says none",
                self.what()
            );
            let help = "write addresses, or give each host a `hash_key`; --placement envoy takes each name and port for an address";
            let scheme = match &report.options.placement {
                Some(scheme) => Ok(with_keys(scheme, keys)),
                None => Err(report.error_at(host.span, message).with_help(help)),
            };
            return Some((scheme, taken));
        }
        if let Some((host, name)) = named.first() {
            let message = format!(
                "{name} is taken for one host: of a name with several addresses Envoy makes as many, of one key"
            );
            report.push(report.warning_at(host.span, message));
        }
        self.warn_of_equal_keys(report, &taken, &keys);
        options.hash_keys = keys;
        Some((Ok(Scheme::Dialect(Dialect::Envoy(options))), taken))
    }

    /// The hosts that Envoy takes; those that get nothing for their health are draining.
    fn taken(
        &self,
        report: &mut Report,
        hosts: &Hosts<'_>,
        priority: u64,
        threshold: u64,
    ) -> Result<Vec<ServerEntry>, Diagnostic> {
        let health = hosts.health(priority, threshold);
        let others = hosts.list.iter().filter(|host| host.priority != priority).count();
        let (up, all) = (health.healthy, health.hosts);
        if health.spills && others > 0 {
            let message = format!(
                "{}: {up} of the {all} hosts of priority {priority} are healthy, too few for all requests: some go to the next priority",
                self.what()
            );
            return Err(report.error_at(self.span, message));
        }
        if let Some(host) = hosts.list.iter().find(|host| host.priority != priority) {
            let others = match others {
                1 => String::new(),
                _ => format!(" and {} more", others - 1),
            };
            let message = format!(
                "{}: left out is {}{others}: while the hosts of priority {priority} are healthy, others get nothing",
                self.what(),
                quoted(host.server.name().as_str())
            );
            report.push(report.warning_at(host.span, message));
        }
        if health.panic {
            let message = format!(
                "{}: {up} of {all} hosts are healthy, fewer than `healthy_panic_threshold` has it ({threshold} %): Envoy takes all",
                self.what()
            );
            report.push(report.warning_at(self.span, message));
        } else if up == 0 {
            let message =
                format!("{} has no healthy host among {all}: Envoy refuses every request", self.what());
            return Err(report.error_at(self.span, message));
        }
        let there = hosts.list.iter().filter(|host| host.priority == priority);
        let entry = |host: &hosts::Host<'_>| {
            let server = host.server.clone();
            let down = host.health != Health::Healthy && !health.panic;
            ServerEntry::new(if down { server.draining() } else { server }, host.span)
        };
        Ok(there.map(entry).collect())
    }

    /// Two hosts of one key have the same points, and nobody says whose they are.
    fn warn_of_equal_keys(
        &self,
        report: &mut Report,
        taken: &[ServerEntry],
        keys: &BTreeMap<ServerName, String>,
    ) {
        let mut seen: HashMap<&str, &ServerEntry> = HashMap::new();
        for entry in taken.iter().filter(|entry| !entry.server().is_draining()) {
            let name = entry.server().name();
            let key = keys.get(name).map_or(name.as_str(), String::as_str);
            if let Some(first) = seen.insert(key, entry).filter(|first| first.server().name() != name) {
                let message = format!(
                    "{}: hosts {} and {} are both hashed as {}, and which of them gets a request is nowhere said",
                    self.what(),
                    quoted(first.server().name().as_str()),
                    quoted(name.as_str()),
                    quoted(key)
                );
                report.push(report.warning_at(entry.span(), message).with_also(first.span(), "the other"));
            }
        }
    }
}

/// A key as it stands in the file.
fn written(report: &Report, key: Span) -> String {
    ticked(report.source.slice(key).trim_matches(['"', '\'']))
}

/// The scheme of the options, with the hash keys of the file where it takes some.
fn with_keys(scheme: &Scheme, keys: BTreeMap<ServerName, String>) -> Scheme {
    match scheme {
        Scheme::Dialect(Dialect::Envoy(options)) if options.hash_keys.is_empty() => {
            let mut options = options.clone();
            options.hash_keys = keys;
            Scheme::Dialect(Dialect::Envoy(options))
        }
        other => other.clone(),
    }
}

/// A pool of hosts without their cluster, which says how keys are placed.
pub(super) fn of_hosts(report: &mut Report, name: &str, node: &Node) -> Option<PoolRead> {
    let named = proto::get(map(node), "cluster_name");
    let span = named.map_or(place(node), Entry::place);
    let what = format!("the hosts of cluster {}", quoted(name));
    let assignment = Message::of(report, node, what.clone(), span)?;
    let hosts = hosts::of(report, &assignment, Addresses::Given)?;
    let why = format!("{what} are here and not how keys are placed on them, which the cluster's policy says");
    let scheme = report.placement(span, why);
    let keys = hosts.list.iter().filter_map(|host| Some(Hosts::key_of(host, host.hash_key?))).collect();
    let scheme = scheme.map(|scheme| with_keys(&scheme, keys));
    let entries = match (&scheme, hosts.first_priority()) {
        (Ok(_), Some(priority)) => {
            let there = hosts.list.iter().filter(|host| host.priority == priority);
            let entry = |host: &hosts::Host<'_>| {
                let server = host.server.clone();
                let down = host.health != Health::Healthy;
                ServerEntry::new(if down { server.draining() } else { server }, host.span)
            };
            settle(report, &what, span, there.map(entry).collect())
        }
        (Ok(_), None) => settle(report, &what, span, Vec::new()),
        (Err(_), _) => Vec::new(),
    };
    Some(PoolRead {
        name: Some(name.to_owned()),
        span,
        scheme,
        settings: Vec::new(),
        entries,
        warnings: Vec::new(),
    })
}
