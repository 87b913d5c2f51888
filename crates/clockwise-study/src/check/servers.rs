//! Findings about the list of servers, whatever places keys on them.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use clockwise::dialect::Dialect;
use clockwise::{Buckets, Scheme, Server, Zone};

use super::{Finding, Fleet, Severity, Subject, ZONES};
use crate::address::{Reached, Unbracketed, unbracketed};

pub(super) fn check(fleet: &Fleet) -> Vec<Finding> {
    let servers = &fleet.servers;
    let mut findings = listed_twice(servers);
    findings.extend(local_addresses(servers));
    findings.extend(servers.servers().iter().filter_map(ipv6_brackets));
    findings.extend(rooms(fleet).iter().filter_map(|servers| uneven_zones(servers)));
    findings
}

/// The active servers, those of each data centre together: what is a rack of one is none of another.
fn rooms(fleet: &Fleet) -> Vec<Vec<&Server>> {
    let centres = match fleet.scheme.bare() {
        Scheme::Dialect(Dialect::Cassandra(options)) => Some(&options.datacenters),
        _ => None,
    };
    let mut rooms: BTreeMap<Option<&Zone>, Vec<&Server>> = BTreeMap::new();
    for (_, server) in fleet.servers.active() {
        rooms.entry(centres.and_then(|centres| centres.get(server.name()))).or_default().push(server);
    }
    rooms.into_values().collect()
}

fn of(server: &Server) -> Subject {
    Subject::Server(server.name().clone())
}

/// One machine under two names owns two shares, and is lost as two when it fails.
fn listed_twice(servers: &Buckets) -> Vec<Finding> {
    let finding = |[first, server]: [&Server; 2]| {
        let how = if first.address() == server.address() {
            format!("both are at {}", server.address())
        } else {
            format!("{} and {} are one address", first.address(), server.address())
        };
        Finding::new("listed-twice", Severity::Error, of(server)).because(
            format!("servers {} and {} are the same machine: {how}", first.name(), server.name()),
            "one machine owns two shares of the keys, and two are lost when it fails",
            "remove one of them, or give it the address of the machine that was meant",
        )
    };
    same_machines(servers.servers()).into_iter().map(finding).collect()
}

/// Servers at the address of one that stands before them in the list, written alike or not: that one, and they.
pub fn same_machines(servers: &[Server]) -> Vec<[&Server; 2]> {
    /// A host's first server, and the first at each port with its place in the list.
    struct Host<'s> {
        first: &'s Server,
        by_port: HashMap<Option<u16>, (usize, &'s Server)>,
    }
    let mut by_host: HashMap<String, Host<'_>> = HashMap::new();
    let mut twins = Vec::new();
    for (place, server) in servers.iter().enumerate() {
        let Reached { host, port } = Reached::new(server.address());
        let host = match by_host.entry(host) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                new.insert(Host { first: server, by_port: HashMap::from([(port, (place, server))]) });
                continue;
            }
        };
        // A port that is left out may be any.
        let same = match port {
            Some(_) => {
                let both = [port, None].into_iter().filter_map(|port| host.by_port.get(&port));
                both.min_by_key(|(place, _)| *place).map(|(_, first)| *first)
            }
            None => Some(host.first),
        };
        twins.extend(same.map(|first| [first, server]));
        host.by_port.entry(port).or_insert((place, server));
    }
    twins
}

fn local_addresses(servers: &Buckets) -> Vec<Finding> {
    let is_local = |server: &&Server| Reached::new(server.address()).is_local();
    // A server that owns nothing (HAProxy's backup on the machine itself) sends no keys apart.
    let (local, shared): (Vec<&Server>, Vec<&Server>) =
        servers.active().map(|(_, server)| server).partition(is_local);
    if shared.is_empty() {
        // A fleet on one machine.
        return Vec::new();
    }
    let finding = |server: &&Server| {
        Finding::new("local-address", Severity::Warning, of(server)).because(
            format!("{} of server {} is another machine on every host", server.address(), server.name()),
            format!(
                "the list also holds {}: hosts that share it each mean themselves, and their keys go apart",
                shared[0].address()
            ),
            "write an address that all hosts reach, the same on each of them",
        )
    };
    local.iter().map(finding).collect()
}

fn ipv6_brackets(server: &Server) -> Option<Finding> {
    Some(match unbracketed(server.address())? {
        Unbracketed::Port { meant } => Finding::new("ipv6-brackets", Severity::Error, of(server)).because(
            format!("{} of server {} is no IPv6 address", server.address(), server.name()),
            "IPv6 with a port needs brackets: without them some clients take the port off and some do not",
            format!("write {meant}"),
        ),
        Unbracketed::Ambiguous { as_port, as_host } => {
            Finding::new("ipv6-brackets", Severity::Warning, of(server)).because(
                format!("{} of server {} may end in a port", server.address(), server.name()),
                "without brackets some clients take the last group for a port and some for the address",
                format!("write {as_port} if it is a port, else {as_host}"),
            )
        }
    })
}

fn uneven_zones(servers: &[&Server]) -> Option<Finding> {
    let mut weights: BTreeMap<&Zone, u64> = BTreeMap::new();
    let mut without = Vec::new();
    for &server in servers {
        match server.zone() {
            Some(zone) => *weights.entry(zone).or_default() += u64::from(server.weight().get()),
            None => without.push(server),
        }
    }
    if let (Some(server), false) = (without.first(), weights.is_empty()) {
        let count = without.len();
        return Some(Finding::new("uneven-zones", Severity::Warning, of(server)).because(
            format!("server {} has no zone, and others have{}", server.name(), and_more(count)),
            "a server without a zone is a zone of its own: replicas may stand beside it in one rack or room",
            "give every server its zone",
        ));
    }
    let heaviest = weights.iter().max_by_key(|(_, weight)| **weight)?;
    let lightest = weights.iter().min_by_key(|(_, weight)| **weight)?;
    let ratio = *heaviest.1 as f64 / *lightest.1 as f64;
    if heaviest.1 == lightest.1 {
        return None;
    }
    let severity = if ratio > ZONES { Severity::Warning } else { Severity::Note };
    let finding = Finding::new("uneven-zones", severity, Subject::Fleet).because(
        format!(
            "zone {} weighs {} and zone {} weighs {}",
            heaviest.0, heaviest.1, lightest.0, lightest.1
        ),
        format!(
            "with a replica in every zone each zone holds all keys, so a server of {} carries {ratio:.2} times one of {}",
            lightest.0, heaviest.0
        ),
        "bring the zones to one weight, or plan the lighter one for its load",
    );
    Some(finding.figure("heaviest ÷ lightest zone", ratio, ZONES))
}

fn and_more(count: usize) -> String {
    match count {
        0 | 1 => String::new(),
        2 => "; 1 more server has none".to_owned(),
        _ => format!("; {} more servers have none", crate::number::grouped(count as u64 - 1)),
    }
}
