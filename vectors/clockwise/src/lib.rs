//! Clockwise's test vectors, as text.
//!
//! A file for the hashes, for each scheme and for each dialect, in the folder `v1` beside this
//! source; `docs/test-vectors.md` says what is in them and how a program in any language checks
//! itself against them. Rust programs can have them as a dependency:
//!
//! ```
//! let (name, json) = clockwise_vectors::FILES[0];
//! assert_eq!(name, "hash");
//! assert!(json.contains("\"format\": \"clockwise-test-vectors\""));
//! assert!(clockwise_vectors::SCHEMA.contains("2020-12"));
//! ```
#![forbid(unsafe_code)]
#![no_std]

/// The JSON Schema (draft 2020-12) that each file is valid under.
pub const SCHEMA: &str = include_str!("../v1/schema.json");

macro_rules! files {
    ($($name:literal,)+) => {
        /// Each file's name and its JSON: the hashes, then the schemes, then the dialects.
        pub const FILES: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../v1/", $name, ".json")))),+];
    };
}

files! {
    "hash",
    "mod-n",
    "ring",
    "rendezvous",
    "jump",
    "maglev",
    "slots",
    "bounded",
    "skeleton",
    "multi-probe",
    "anchor",
    "dx",
    "memento",
    "flip",
    "jump-back",
    "cassandra",
    "couchbase",
    "dskit",
    "elasticsearch",
    "envoy",
    "gomemcache",
    "grpc",
    "guava",
    "haproxy",
    "kafka",
    "lab",
    "libketama",
    "libmemcached",
    "mcrouter",
    "memjs",
    "nginx",
    "npm-hashring",
    "npm-ketama",
    "npm-memcached",
    "php-memcache",
    "php-memcached",
    "pingora",
    "pylibmc",
    "pymemcache",
    "python-hashring",
    "python-memcached",
    "redis-cluster",
    "spymemcached",
    "thanos",
    "trafficserver",
    "twemproxy",
    "uhashring",
}
