//! Every recorded answer of the real programs, one by one: a file a system, or a
//! language's systems.
//!
//! The files in `vectors/` say how each was made. `cargo test --test vectors -- --nocapture` prints
//! one line a system.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a failure here is the message

mod cassandra;
mod dskit;
mod elasticsearch;
mod envoy;
mod glb;
mod gomemcache;
mod grpc;
mod guava;
mod haproxy;
mod kafka;
mod katran;
mod libketama;
mod libmemcached;
mod mcrouter;
mod nginx;
mod npm;
mod php;
mod pingora;
mod python;
mod record;
mod redis;
mod spymemcached;
mod trafficserver;
mod twemproxy;
