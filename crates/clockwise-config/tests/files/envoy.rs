//! Envoy: clusters written out from its recorded configurations place as the program did; options, and
//! what is said beside the file.

use std::fmt::Write as _;
use std::fs;

use clockwise::dialect::{Dialect, envoy};
use clockwise::{Placement as _, Scheme};
use clockwise_config::{Kind, Options, parse};
use serde_json::Value;

use crate::{pool, read};

fn recorded(file: &str) -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/envoy/").to_owned() + file;
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap()
}

fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value[key].as_array().unwrap()
}

/// An endpoint in YAML.
fn endpoint(server: &Value, config: &Value, unhealthy: &[Value]) -> String {
    let mut fields = format!(
        "endpoint: {{hostname: {}, address: {{socket_address: {{address: {}, port_value: {}}}}}}}, load_balancing_weight: {}",
        text(server, "name"),
        text(server, "host"),
        server["port"],
        server["weight"]
    );
    if config["metadata"] == true {
        let _ = write!(
            fields,
            ", metadata: {{filter_metadata: {{envoy.lb: {{hash_key: \"{}\"}}}}}}",
            text(server, "hash_key")
        );
    }
    if unhealthy.contains(&server["name"]) {
        fields += ", health_status: UNHEALTHY";
    }
    format!("        - {{{fields}}}\n")
}

/// A bootstrap with one cluster, in the old style or in the new one.
fn cluster(config: &Value, localities: &str, typed: bool) -> String {
    let ring = config["lb_policy"].as_str().unwrap().eq_ignore_ascii_case("RING_HASH");
    let mut sizes = String::new();
    for key in ["minimum_ring_size", "maximum_ring_size", "hash_function", "table_size"] {
        if let Some(value) = config.get(key) {
            let _ = writeln!(sizes, "            {key}: {value}");
        }
    }
    let mut more = String::new();
    if config["use_hostname"] == true {
        more += "            consistent_hashing_lb_config: {use_hostname_for_hashing: true}\n";
    }
    if config["locality_weighted"] == true {
        more += "            locality_weighted_lb_config: {}\n";
    }
    let (message, name) = if ring {
        ("ring_hash.v3.RingHash", "ring_hash_lb_config")
    } else {
        ("maglev.v3.Maglev", "maglev_lb_config")
    };
    let policy = if typed {
        format!(
            "    common_lb_config: {{healthy_panic_threshold: {{value: 0}}}}\n    load_balancing_policy:\n      policies:\n      - typed_extension_config:\n          name: x\n          typed_config:\n            \
             \"@type\": type.googleapis.com/envoy.extensions.load_balancing_policies.{message}\n{sizes}{more}"
        )
    } else {
        let sizes = if sizes.is_empty() { "            {}\n" } else { &sizes };
        format!(
            "    lb_policy: {}\n    {name}:\n{sizes}    common_lb_config:\n            healthy_panic_threshold: {{value: 0}}\n{more}",
            text(config, "lb_policy")
        )
    };
    let kind = if config["use_hostname"] == true { "STRICT_DNS" } else { "STATIC" };
    format!(
        "static_resources:\n  clusters:\n  - name: c\n    type: {kind}\n    connect_timeout: 1s\n{policy}    \
         load_assignment:\n      cluster_name: c\n      endpoints:\n{localities}"
    )
}

/// How many owners of a file are as recorded, of all.
fn agreed(file: &str, keys: &[Value], owners: &[Value]) -> usize {
    let pool = pool(file);
    assert_eq!(pool.kind(), Kind::Envoy);
    let placed = pool.scheme().build(pool.servers()).unwrap();
    assert_eq!(keys.len(), owners.len());
    let agree = |(key, owner): &(&Value, &Value)| {
        Some(placed.owner_ix(key.as_str().unwrap().as_bytes()).index() as u64) == owner.as_u64()
    };
    let agreed = keys.iter().zip(owners).filter(agree).count();
    assert_eq!(agreed, keys.len(), "{file}");
    agreed
}

#[test]
fn recorded_configurations_written_as_files_place_as_recorded() {
    let file = recorded("envoy.json");
    let mut answers = 0;
    for (at, placement) in list(&file, "placements").iter().enumerate() {
        let config = &placement["config"];
        let servers = file["fleets"][placement["fleet"].as_u64().unwrap() as usize].as_array().unwrap();
        let hosts: String = servers.iter().map(|server| endpoint(server, config, &[])).collect();
        let written = cluster(config, &format!("      - lb_endpoints:\n{hosts}"), at % 2 == 1);
        answers += agreed(&written, list(&file, "keys"), list(placement, "owners"));
    }
    println!("envoy files: {answers} recorded owners");
    assert_eq!(answers, 15_600);
}

#[test]
fn recorded_localities_and_health_written_as_files_place_as_recorded() {
    let file = recorded("localities.json");
    let mut answers = 0;
    for (at, placement) in list(&file, "placements").iter().enumerate() {
        let config = &placement["config"];
        let mut localities = String::new();
        for locality in list(&file, "localities") {
            let hosts: String = list(locality, "servers")
                .iter()
                .map(|server| endpoint(server, config, list(placement, "unhealthy")))
                .collect();
            let _ = write!(
                localities,
                "      - locality: {{zone: {}}}\n        load_balancing_weight: {}\n        lb_endpoints:\n{hosts}",
                text(locality, "zone"),
                locality["weight"]
            );
        }
        answers += agreed(
            &cluster(config, &localities, at % 2 == 1),
            list(&file, "keys"),
            list(placement, "owners"),
        );
    }
    println!("envoy files: {answers} recorded owners with localities");
    assert_eq!(answers, 4_800);
}

fn hosts_of(pool: &clockwise_config::Pool) -> Vec<&str> {
    pool.servers().active().map(|(_, server)| server.name().as_str()).collect()
}

#[test]
fn hosts_without_their_cluster_are_placed_as_is_said_and_keep_their_hash_keys() {
    let bytes = include_bytes!("../../../../fuzz/corpus/envoy/hosts-alone.yaml");
    let placement: Scheme =
        envoy::Options { lb_policy: envoy::Policy::Maglev, ..envoy::Options::default() }.into();
    let options = Options { placement: Some(placement), ..Options::default() };
    let pool = parse("eds.yaml", bytes, &options).unwrap().pick(Some("cache")).unwrap();
    let Scheme::Dialect(Dialect::Envoy(read)) = pool.scheme() else { panic!("{:?}", pool.scheme()) };
    assert_eq!(read.lb_policy, envoy::Policy::Maglev);
    assert_eq!(read.hash_keys.len(), 1);
    assert_eq!(hosts_of(&pool), ["10.0.0.1:80", "10.0.0.2:80"]);
    let ring =
        Options { placement: Some(Scheme::Rendezvous { hash: Default::default() }), ..Options::default() };
    let pool = parse("eds.yaml", bytes, &ring).unwrap().pick(None).unwrap();
    assert!(matches!(pool.scheme(), Scheme::Rendezvous { .. }));
}

#[test]
fn names_that_resolve_elsewhere_are_placed_by_what_is_said() {
    let text = "- name: c\n  connect_timeout: 1s\n  type: STRICT_DNS\n  lb_policy: RING_HASH\n  load_assignment:\n    cluster_name: c\n    \
                endpoints: [{lb_endpoints: [{endpoint: {address: {socket_address: {address: a.test, port_value: 1}}}}, \
                {endpoint: {address: {socket_address: {address: b.test, port_value: 2}}}}]}]\n";
    let refused = read(text).unwrap().pick(None).unwrap_err();
    assert!(refused.message().contains("of \"a.test\" the file says none"), "{refused}");
    let options = Options { placement: Some(envoy::Options::default().into()), ..Options::default() };
    let pool = parse("f", text.as_bytes(), &options).unwrap().pick(None).unwrap();
    assert_eq!(hosts_of(&pool), ["a.test:1", "b.test:2"]);
    // Hashed by names, each is one host, with a warning.
    let named = text.replace(
        "RING_HASH\n",
        "RING_HASH\n  common_lb_config: {consistent_hashing_lb_config: {use_hostname_for_hashing: yes}}\n",
    );
    let pool = read(&named).unwrap().pick(None).unwrap();
    let Scheme::Dialect(Dialect::Envoy(options)) = pool.scheme() else { panic!("{:?}", pool.scheme()) };
    let keys: Vec<&str> = options.hash_keys.values().map(String::as_str).collect();
    assert_eq!(keys, ["a.test", "b.test"], "the names without their ports");
    assert!(
        pool.warnings()[0].message().starts_with("\"a.test\" is taken for one host"),
        "{:?}",
        pool.warnings()
    );
}

#[test]
fn fields_that_envoy_does_not_know_are_let_pass_when_asked() {
    let text = "- name: c\n  connect_timeout: 1s\n  lb_policy: MAGLEV\n  of_a_later_version: {a: 1}\n  load_assignment:\n    cluster_name: c\n    \
                endpoints: [{lb_endpoints: [{endpoint: {address: {socket_address: {address: 10.0.0.1, port_value: 1}}}}]}]\n";
    assert!(read(text).unwrap_err().to_string().contains("has no field `of_a_later_version`"));
    let lenient = Options { lenient: true, ..Options::default() };
    let pool = parse("f", text.as_bytes(), &lenient).unwrap().pick(None).unwrap();
    assert_eq!(pool.warnings().len(), 1);
}

#[test]
fn warnings_go_with_the_cluster_whose_hosts_they_are_about() {
    let bytes = include_str!("../../../../fuzz/corpus/envoy/config-dump.json");
    let text = bytes.replacen(
        "\"metadata\": {}",
        "\"metadata\": {\"filter_metadata\": {\"envoy.lb\": {\"hash_key\": 5}}}",
        1,
    );
    let file = read(&text).unwrap();
    assert_eq!(file.pick(Some("cache")).unwrap().warnings().len(), 1);
    assert_eq!(file.pick(Some("outbound|80||shop.default.svc.cluster.local")).unwrap().warnings(), []);
}
