//! Real programs, asked live.
//!
//! The recorded answers in `vectors/` prove a dialect once; these tests ask again, and with keys and
//! fleets that were never recorded. They start programs, so a plain `cargo test` leaves them out and
//! says so; `cargo xtask live` runs them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a failure here is the message

mod cassandra;
mod draw;
mod envoy;
mod grpc;
mod guava;
mod haproxy;
mod http;
mod kafka;
mod libmemcached;
mod library;
mod memcached;
mod nginx;
mod npm;
mod nutcracker;
mod php;
mod pingora;
mod python;
mod redis;
mod redis_server;
mod score;
mod spymemcached;
mod trafficserver;
mod twemproxy;
mod wait;
