//! A cluster of Envoy, in YAML.

use std::fmt::Write;
use std::net::{Ipv6Addr, SocketAddr};

use clockwise::dialect::Dialect;
use clockwise::dialect::envoy::{HashFunction, Options, Policy};
use clockwise::{Scheme, Server, Zone};

use super::{Draft, Unwritable, settings};

/// Both policies, and for the ring both hash functions; hosts by their address and by their name.
pub(super) fn texts(draft: &Draft<'_>) -> Vec<Result<String, Unwritable>> {
    let own = |dialect: &Dialect| match dialect {
        Dialect::Envoy(options) => Some(options.clone()),
        _ => None,
    };
    let options = settings(draft, own, || all(draft));
    options.iter().map(|options| text(draft, options)).collect()
}

fn all(draft: &Draft<'_>) -> Vec<Options> {
    let mut base = Options::default();
    // A size that the other scheme names is tried here.
    match draft.pool.scheme().bare() {
        Scheme::Maglev { table_size, .. } => base.table_size = *table_size,
        Scheme::Dialect(Dialect::Grpc(grpc)) => {
            // Requests for a size beyond the cap are cut to it.
            base.minimum_ring_size = grpc.min_ring_size.min(grpc.ring_size_cap);
            base.maximum_ring_size = grpc.max_ring_size.min(grpc.ring_size_cap);
            base.hash_keys = grpc.hash_keys.clone();
        }
        _ => {}
    }
    let rings = HashFunction::ALL.iter().map(|&hash_function| Options { hash_function, ..base.clone() });
    let table = Options { lb_policy: Policy::Maglev, ..base.clone() };
    let by_address: Vec<Options> = rings.chain([table]).collect();
    let keys = draft.servers().iter().map(|server| (server.name().clone(), server.name().to_string()));
    let by_name =
        by_address.iter().map(|options| Options { hash_keys: keys.clone().collect(), ..options.clone() });
    by_address.iter().cloned().chain(by_name).collect()
}

fn text(draft: &Draft<'_>, options: &Options) -> Result<String, Unwritable> {
    let hosts =
        draft.servers().iter().map(|server| Host::of(server, options)).collect::<Result<Vec<_>, _>>()?;
    let names = hosts.iter().any(|host| !host.is_ip && !host.address.starts_with('/'));
    // In quotes: `1` and `true` are other things in YAML.
    let name = text_of(&draft.name);
    let mut out = format!("clusters:\n- name: {name}\n");
    let _ = writeln!(out, "  type: {}", if names { "STRICT_DNS" } else { "STATIC" });
    out.push_str("  connect_timeout: 1s\n");
    let _ = match options.lb_policy {
        Policy::RingHash => writeln!(
            out,
            "  lb_policy: RING_HASH\n  ring_hash_lb_config:\n    minimum_ring_size: {}\n    maximum_ring_size: {}\n    hash_function: {}",
            options.minimum_ring_size, options.maximum_ring_size, options.hash_function
        ),
        Policy::Maglev => {
            writeln!(out, "  lb_policy: MAGLEV\n  maglev_lb_config:\n    table_size: {}", options.table_size)
        }
        other => return Err(Unwritable::fleet(format!("the policy {other} has no words here"))),
    };
    if options.locality_weights.is_some() || options.hash_balance_factor != 0 {
        out.push_str("  common_lb_config:\n");
    }
    if options.locality_weights.is_some() {
        out.push_str("    locality_weighted_lb_config: {}\n");
    }
    if options.hash_balance_factor != 0 {
        let factor = options.hash_balance_factor;
        let _ = writeln!(out, "    consistent_hashing_lb_config:\n      hash_balance_factor: {factor}");
    }
    let _ = writeln!(out, "  load_assignment:\n    cluster_name: {name}\n    endpoints:");
    for (zone, hosts) in localities(&hosts) {
        locality(&mut out, zone, options)?;
        hosts.iter().for_each(|host| host.write(&mut out));
    }
    Ok(out)
}

/// Runs of hosts of one zone, in the order of the fleet.
fn localities<'h, 's>(hosts: &'h [Host<'s>]) -> Vec<(Option<&'s Zone>, &'h [Host<'s>])> {
    hosts.chunk_by(|a, b| a.server.zone() == b.server.zone()).map(|run| (run[0].server.zone(), run)).collect()
}

/// The head of a locality: its name in as many parts as the zone has.
fn locality(out: &mut String, zone: Option<&Zone>, options: &Options) -> Result<(), Unwritable> {
    let Some(zone) = zone else {
        out.push_str("    - lb_endpoints:\n");
        return Ok(());
    };
    let parts: Vec<&str> = zone.as_str().split('/').collect();
    let named: Vec<String> = match parts.as_slice() {
        [zone] => vec![format!("zone: {}", text_of(zone))],
        [region, zone] => vec![format!("region: {}", text_of(region)), format!("zone: {}", text_of(zone))],
        [region, zone, sub] => vec![
            format!("region: {}", text_of(region)),
            format!("zone: {}", text_of(zone)),
            format!("sub_zone: {}", text_of(sub)),
        ],
        _ => {
            let why = format!("the zone {:?} has more parts than region/zone/sub_zone", zone.as_str());
            return Err(Unwritable::fleet(why));
        }
    };
    let _ = writeln!(out, "    - locality: {{ {} }}", named.join(", "));
    if let Some(weight) = options.locality_weights.as_ref().and_then(|weights| weights.get(zone)) {
        let _ = writeln!(out, "      load_balancing_weight: {weight}");
    }
    out.push_str("      lb_endpoints:\n");
    Ok(())
}

/// A server as an endpoint.
struct Host<'s> {
    server: &'s Server,
    /// The host, or the path of a socket.
    address: String,
    is_ip: bool,
    port: u16,
    hash_key: Option<&'s str>,
}

impl<'s> Host<'s> {
    fn of(server: &'s Server, options: &'s Options) -> Result<Host<'s>, Unwritable> {
        let text = server.address().as_str();
        let hash_key = options.hash_keys.get(server.name()).map(String::as_str);
        // What is hashed by its name is given that as its key, which comes to the same.
        let hash_key = hash_key.or(options.use_hostname_for_hashing.then(|| server.name().as_str()));
        if text.starts_with('/') {
            return Ok(Host { server, address: text.to_owned(), is_ip: false, port: 0, hash_key });
        }
        if let Ok(address) = text.parse::<SocketAddr>() {
            return Ok(Host {
                server,
                address: address.ip().to_string(),
                is_ip: true,
                port: address.port(),
                hash_key,
            });
        }
        let split = text.rsplit_once(':').and_then(|(host, port)| Some((host, port.parse::<u16>().ok()?)));
        match split {
            Some((host, port))
                if !host.is_empty() && host.parse::<Ipv6Addr>().is_err() && !host.contains(':') =>
            {
                Ok(Host { server, address: host.to_owned(), is_ip: false, port, hash_key })
            }
            _ => Err(Unwritable::server(server, "has no port in its address, and Envoy needs one")),
        }
    }

    fn write(&self, out: &mut String) {
        let address = text_of(&self.address);
        let _ = match self.address.starts_with('/') {
            true => writeln!(out, "      - endpoint: {{ address: {{ pipe: {{ path: {address} }} }} }}"),
            false => writeln!(
                out,
                "      - endpoint: {{ address: {{ socket_address: {{ address: {address}, port_value: {} }} }} }}",
                self.port
            ),
        };
        if self.server.is_draining() {
            out.push_str("        health_status: DRAINING\n");
        }
        if self.server.weight().get() != 1 {
            let _ = writeln!(out, "        load_balancing_weight: {}", self.server.weight());
        }
        if let Some(key) = self.hash_key {
            let _ = writeln!(
                out,
                "        metadata: {{ filter_metadata: {{ envoy.lb: {{ hash_key: {} }} }} }}",
                text_of(key)
            );
        }
    }
}

/// Text in the quotes of JSON, which are YAML's too.
fn text_of(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out + "\""
}
