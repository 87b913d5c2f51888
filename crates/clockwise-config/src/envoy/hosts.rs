//! The hosts of a cluster: addresses, weights, localities and health.

use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, Ipv6Addr};

use clockwise::{Server, ServerName, Weight, Zone};

use super::place;
use super::proto::{self, Message};
use crate::diagnostic::{quoted, ticked};
use crate::node::Node;
use crate::report::Report;
use crate::source::Span;

/// Hosts in the order of the file.
pub(super) struct Hosts<'n> {
    pub(super) list: Vec<Host<'n>>,
    pub(super) localities: Vec<Locality>,
    /// Healthy hosts are counted as so much more, in per cent.
    pub(super) overprovisioning: u64,
    /// Health is counted by weight.
    pub(super) by_weight: bool,
    /// Where endpoints of a locality are said to come from elsewhere.
    pub(super) elsewhere: Option<Span>,
}

pub(super) struct Host<'n> {
    pub(super) server: Server,
    pub(super) span: Span,
    pub(super) priority: u64,
    /// An index of `localities`.
    pub(super) locality: usize,
    pub(super) health: Health,
    pub(super) hash_key: Option<&'n str>,
    /// What `use_hostname_for_hashing` takes.
    pub(super) hostname: Option<&'n str>,
    /// Its name in place of an address, where the file has one.
    pub(super) unresolved: Option<&'n str>,
}

pub(super) struct Locality {
    pub(super) zone: Option<Zone>,
    pub(super) weight: Option<u32>,
    pub(super) priority: u64,
    pub(super) span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Health {
    Healthy,
    Degraded,
    Unhealthy,
}

/// Where a cluster's addresses come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Addresses {
    /// They are in the file.
    Given,
    /// Names are resolved.
    Resolved,
}

const STATUS: &[(&str, u64, Health)] = &[
    ("UNKNOWN", 0, Health::Healthy),
    ("HEALTHY", 1, Health::Healthy),
    ("UNHEALTHY", 2, Health::Unhealthy),
    ("DRAINING", 3, Health::Unhealthy),
    ("TIMEOUT", 4, Health::Unhealthy),
    ("DEGRADED", 5, Health::Degraded),
];

/// Reads a `ClusterLoadAssignment`. Nothing, if one of its hosts is refused.
pub(super) fn of<'n>(
    report: &mut Report,
    assignment: &Message<'n>,
    addresses: Addresses,
) -> Option<Hosts<'n>> {
    assignment.only(report, &["@type", "cluster_name", "endpoints", "named_endpoints", "policy"]);
    if assignment.get("cluster_name").is_none() {
        let message = format!("{} has no `cluster_name`, and Envoy refuses it without", assignment.what);
        report.lenient(report.error_at(assignment.span, message));
    }
    let mut hosts = Hosts {
        list: Vec::new(),
        localities: Vec::new(),
        overprovisioning: 140,
        by_weight: false,
        elsewhere: None,
    };
    if let Some(policy) = assignment.message(report, "policy") {
        policy.only(
            report,
            &[
                "drop_overloads",
                "overprovisioning_factor",
                "endpoint_stale_after",
                "weighted_priority_health",
            ],
        );
        if let Some(entry) = policy.get("overprovisioning_factor") {
            hosts.overprovisioning = proto::number(report, entry, 1, u32::MAX.into())?;
        }
        if let Some(entry) = policy.get("weighted_priority_health") {
            hosts.by_weight = proto::boolean(report, entry)?;
        }
    }
    let mut parts = Vec::new();
    let mut right = true;
    for node in assignment.items("endpoints") {
        right &= locality(report, assignment, node, addresses, &mut hosts, &mut parts).is_some();
    }
    name_zones(report, &mut hosts, &parts)?;
    right.then_some(hosts)
}

/// Region, zone and sub-zone.
type Parts<'n> = Option<[&'n str; 3]>;

fn locality<'n>(
    report: &mut Report,
    assignment: &Message<'n>,
    node: &'n Node,
    addresses: Addresses,
    hosts: &mut Hosts<'n>,
    parts: &mut Vec<Parts<'n>>,
) -> Option<()> {
    let span = place(node);
    let what = format!("a locality of {}", assignment.what);
    let group = Message::of(report, node, what, span)?;
    group.only(
        report,
        &[
            "locality",
            "metadata",
            "lb_endpoints",
            "load_balancer_endpoints",
            "leds_cluster_locality_config",
            "load_balancing_weight",
            "priority",
            "proximity",
        ],
    );
    let priority = match group.get("priority") {
        Some(entry) => proto::number(report, entry, 0, 128)?,
        None => 0,
    };
    let weight = match group.get("load_balancing_weight") {
        Some(entry) => Some(proto::number(report, entry, 1, u32::MAX.into())? as u32),
        None => None,
    };
    let mut named = None;
    if let Some(name) = group.message(report, "locality") {
        name.only(report, &["region", "zone", "sub_zone"]);
        let mut part = |field: &str| match name.get(field) {
            Some(entry) => proto::text(report, entry),
            None => Some(""),
        };
        named = Some([part("region")?, part("zone")?, part("sub_zone")?]);
    }
    if let Some(entry) = group.get("leds_cluster_locality_config").or(group.get("load_balancer_endpoints")) {
        hosts.elsewhere.get_or_insert(entry.key_span);
    }
    let index = hosts.localities.len();
    hosts.localities.push(Locality { zone: None, weight, priority, span: group.span });
    parts.push(named);
    let mut right = Some(());
    for node in group.items("lb_endpoints") {
        match endpoint(report, node, addresses) {
            Some(host) => hosts.list.push(Host { priority, locality: index, ..host }),
            None => right = None,
        }
    }
    right
}

/// Names localities, and gives them to the servers: as much of `region/zone/sub_zone` as the cluster
/// uses.
fn name_zones(report: &mut Report, hosts: &mut Hosts<'_>, parts: &[Parts<'_>]) -> Option<()> {
    let first = (0..3).find(|&part| parts.iter().flatten().any(|named| !named[part].is_empty())).unwrap_or(0);
    for (locality, named) in hosts.localities.iter_mut().zip(parts) {
        let Some(named) = named.map(|named| named[first..].join("/")) else { continue };
        let named = named.trim_end_matches('/');
        if named.is_empty() {
            continue;
        }
        match Zone::new(named) {
            Ok(zone) => locality.zone = Some(zone),
            Err(error) => {
                report.error(locality.span, error.to_string());
                return None;
            }
        }
    }
    for host in &mut hosts.list {
        if let Some(zone) = &hosts.localities[host.locality].zone
            && let Ok(server) = host.server.clone().with_zone(zone.as_str())
        {
            host.server = server;
        }
    }
    Some(())
}

fn endpoint<'n>(report: &mut Report, node: &'n Node, addresses: Addresses) -> Option<Host<'n>> {
    let span = place(node);
    let outer = Message::of(report, node, "an endpoint".to_owned(), span)?;
    outer.only(report, &["endpoint", "endpoint_name", "health_status", "metadata", "load_balancing_weight"]);
    let Some(inner) = outer.message(report, "endpoint") else {
        let message = "an endpoint has no `endpoint` with an address";
        report.error(outer.span, message);
        return None;
    };
    inner.only(report, &["address", "health_check_config", "hostname", "additional_addresses"]);
    let Some(address) = inner.message(report, "address") else {
        report.error(inner.span, format!("{} has no `address`", inner.what));
        return None;
    };
    let found = of_address(report, &address, addresses)?;
    let server =
        Server::new(found.name.as_str()).map_err(|error| report.error(found.span, error.to_string())).ok()?;
    let server = match outer.get("load_balancing_weight") {
        Some(entry) => {
            let weight = proto::number(report, entry, 1, u32::MAX.into())? as u32;
            let weighted = Weight::try_from(weight).and_then(|weight| server.with_weight(weight));
            weighted.map_err(|error| report.error(entry.place(), error.to_string())).ok()?
        }
        None => server,
    };
    let health = match outer.get("health_status") {
        Some(entry) => proto::word(report, entry, STATUS)?,
        None => Health::Healthy,
    };
    let hostname = match inner.get("hostname") {
        Some(entry) => Some(proto::text(report, entry)?).filter(|name| !name.is_empty()),
        None => None,
    };
    let hash_key = hash_key(report, &outer);
    let hostname = hostname.or(found.host.filter(|_| addresses == Addresses::Resolved));
    let unresolved = found.host.filter(|_| !found.is_ip);
    Some(Host { server, span: found.span, priority: 0, locality: 0, health, hash_key, hostname, unresolved })
}

/// An address as Envoy writes it.
struct Address<'n> {
    name: String,
    span: Span,
    /// The host, if it is one with a port.
    host: Option<&'n str>,
    is_ip: bool,
}

fn of_address<'n>(report: &mut Report, address: &Message<'n>, addresses: Addresses) -> Option<Address<'n>> {
    address.only(report, &["socket_address", "pipe", "envoy_internal_address"]);
    if let Some(pipe) = address.message(report, "pipe") {
        pipe.only(report, &["path", "mode"]);
        let entry = required(report, &pipe, "path")?;
        let name = proto::text(report, entry)?.to_owned();
        return Some(Address { name, span: entry.place(), host: None, is_ip: true });
    }
    if let Some(internal) = address.message(report, "envoy_internal_address") {
        internal.only(report, &["server_listener_name", "endpoint_id"]);
        let entry = required(report, &internal, "server_listener_name")?;
        let listener = proto::text(report, entry)?;
        let id = match internal.get("endpoint_id") {
            Some(entry) => proto::text(report, entry)?,
            None => "",
        };
        return Some(Address {
            name: format!("envoy://{listener}/{id}"),
            span: entry.place(),
            host: None,
            is_ip: true,
        });
    }
    let Some(socket) = address.message(report, "socket_address") else {
        report.error(address.span, format!("{} has no `socket_address` and no `pipe`", address.what));
        return None;
    };
    socket.only(
        report,
        &[
            "protocol",
            "address",
            "port_value",
            "named_port",
            "resolver_name",
            "ipv4_compat",
            "network_namespace_filepath",
        ],
    );
    let entry = required(report, &socket, "address")?;
    let host = proto::text(report, entry)?;
    if let Some(named) = socket.get("named_port") {
        let message = format!(
            "{} has a {}, and only a resolver of Envoy's knows its number",
            socket.what,
            ticked(&named.key)
        );
        report.push(report.error_at(named.key_span, message).with_help("write its number as `port_value`"));
        return None;
    }
    let port = required(report, &socket, "port_value")?;
    let port = proto::number(report, port, 0, 65535)?;
    let (name, is_ip) = match host.parse::<IpAddr>() {
        Ok(IpAddr::V4(ip)) => (format!("{ip}:{port}"), true),
        Ok(IpAddr::V6(ip)) => (format!("[{}]:{port}", as_envoy_writes(ip)), true),
        Err(_) => (format!("{host}:{port}"), false),
    };
    if !is_ip && addresses == Addresses::Given {
        let message = format!("{} is no IP address, and a cluster of this type takes no names", quoted(host));
        let help = match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
            Some(inner) if inner.parse::<Ipv6Addr>().is_ok() => "write the IPv6 address without brackets",
            _ => "Envoy resolves names in clusters of the types STRICT_DNS and LOGICAL_DNS",
        };
        report.push(report.error_at(entry.place(), message).with_help(help));
        return None;
    }
    Some(Address { name, span: entry.place(), host: Some(host), is_ip })
}

/// As `inet_ntop` writes it, which has one more form with dots than Rust.
fn as_envoy_writes(ip: Ipv6Addr) -> String {
    let [.., g, h] = ip.segments();
    let is_compatible = ip.segments()[..6] == [0; 6] && g != 0;
    if is_compatible {
        let [a, b] = g.to_be_bytes();
        let [c, d] = h.to_be_bytes();
        return format!("::{a}.{b}.{c}.{d}");
    }
    ip.to_string()
}

fn required<'n>(report: &mut Report, message: &Message<'n>, field: &str) -> Option<&'n crate::node::Entry> {
    let entry = message.get(field);
    if entry.is_none() {
        report.error(message.span, format!("{} has no `{field}`", message.what));
    }
    entry
}

/// The `hash_key` in the metadata of the filter `envoy.lb`. Envoy passes over one that is no text.
fn hash_key<'n>(report: &mut Report, endpoint: &Message<'n>) -> Option<&'n str> {
    let metadata = endpoint.message(report, "metadata")?;
    let filters = metadata.message(report, "filter_metadata")?;
    let entry = filters.message(report, "envoy.lb")?.get("hash_key")?;
    match entry.value.as_scalar() {
        Some(scalar) if proto::is_text(scalar) => Some(scalar.text.as_str()).filter(|key| !key.is_empty()),
        scalar => {
            let this = scalar.map_or("this".to_owned(), |scalar| ticked(&scalar.text));
            let message = format!("`hash_key` {this} is no text, and Envoy passes over it");
            report.push(report.warning_at(entry.place(), message).with_help("put it in quotes"));
            None
        }
    }
}

/// What the health of hosts makes of a priority.
pub(super) struct Healthy {
    pub(super) hosts: usize,
    pub(super) healthy: usize,
    /// All are taken, whatever their health.
    pub(super) panic: bool,
    /// Part of the requests goes to other priorities, if there are any.
    pub(super) spills: bool,
}

impl Hosts<'_> {
    /// The priority that requests go to: the first that has hosts.
    pub(super) fn first_priority(&self) -> Option<u64> {
        self.list.iter().map(|host| host.priority).min()
    }

    /// How Envoy takes the hosts of a priority.
    pub(super) fn health(&self, priority: u64, threshold: u64) -> Healthy {
        let there = || self.list.iter().filter(|host| host.priority == priority);
        let count = |is: Health| there().filter(|host| host.health == is).count();
        // By number or by weight, as the file says.
        let measure = |is: Option<Health>| -> u64 {
            let measured = there().filter(|host| is.is_none_or(|is| host.health == is));
            if self.by_weight {
                measured.map(|host| u64::from(host.server.weight().get())).sum()
            } else {
                measured.count() as u64
            }
        };
        let total = measure(None).max(1);
        let available =
            |health| (self.overprovisioning.saturating_mul(measure(Some(health))) / total).min(100);
        let (healthy, degraded) = (available(Health::Healthy), available(Health::Degraded));
        let hosts = there().count().max(1);
        let up = (count(Health::Healthy) + count(Health::Degraded)) as f64;
        let panic = healthy + degraded < 100 && 100.0 * up / (hosts as f64) < threshold as f64;
        Healthy { hosts, healthy: count(Health::Healthy), panic, spills: healthy < 100 }
    }

    /// The weights of localities with hosts of a priority. Nothing, if one is refused.
    pub(super) fn locality_weights(&self, report: &mut Report, priority: u64) -> Option<BTreeMap<Zone, u32>> {
        let mut filled = vec![false; self.localities.len()];
        for host in self.list.iter().filter(|host| host.priority == priority) {
            filled[host.locality] = true;
        }
        // Localities of one name are one.
        let mut used: HashMap<&str, bool> = HashMap::new();
        for (locality, filled) in self.localities.iter().zip(&filled) {
            if let Some(zone) = &locality.zone {
                *used.entry(zone.as_str()).or_default() |= filled;
            }
        }
        let mut weights: BTreeMap<Zone, u32> = BTreeMap::new();
        for locality in self.localities.iter().filter(|locality| locality.priority == priority) {
            let (Some(zone), Some(weight)) = (&locality.zone, locality.weight) else { continue };
            if !used.get(zone.as_str()).copied().unwrap_or(false) {
                continue;
            }
            if let Some(other) = weights.insert(zone.clone(), weight).filter(|&other| other != weight) {
                let name = quoted(zone.as_str());
                let message =
                    format!("locality {name} is there twice, with the weights {other} and {weight}");
                report.error(locality.span, message);
                return None;
            }
        }
        Some(weights)
    }

    /// The name of a host among `hash_keys`.
    pub(super) fn key_of(host: &Host<'_>, key: &str) -> (ServerName, String) {
        (host.server.name().clone(), key.to_owned())
    }
}
