//! Real programs, asked live.
//!
//! The recorded answers in `vectors/` prove a dialect once; these tests ask again, and with keys and
//! fleets that were never recorded. They start programs, so a plain `cargo test` leaves them out and
//! says so; `cargo xtask live` runs them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a failure here is the message

mod haproxy;
mod http;
mod memcached;
mod nginx;
mod nutcracker;
mod redis;
mod redis_server;
mod twemproxy;

/// A number below a million with a comma before its last three digits.
fn grouped(number: usize) -> String {
    if number < 1_000 { number.to_string() } else { format!("{},{:03}", number / 1_000, number % 1_000) }
}
