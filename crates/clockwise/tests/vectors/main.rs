//! Every recorded answer of the real programs, one by one: a file a system, or a
//! language's systems.
//!
//! The files in `vectors/` say how each was made. `cargo test --test vectors -- --nocapture` prints
//! one line a system.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a failure here is the message

mod gomemcache;
mod libketama;
mod libmemcached;
mod npm;
mod php;
mod python;
mod record;
mod spymemcached;
mod twemproxy;
