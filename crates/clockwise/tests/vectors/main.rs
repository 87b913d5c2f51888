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

use clockwise::Level;

/// `cargo xtask levels` reads the line, and runs all of these again at each level that is below the best.
#[test]
fn the_best_level_is_the_one_that_is_asked_for() {
    let levels: Vec<&str> = Level::all().map(Level::name).collect();
    println!("levels: {}", levels.join(" "));
    if let Ok(asked) = std::env::var("CLOCKWISE_LEVEL") {
        assert_eq!(levels.last(), Some(&asked.as_str()));
    }
}
