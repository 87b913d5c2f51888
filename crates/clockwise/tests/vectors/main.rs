//! Every recorded answer of the real programs, one by one: a file a system.
//!
//! The files in `vectors/` say how each was made. `cargo test --test vectors -- --nocapture` prints
//! one line a system.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a failure here is the message

mod libmemcached;
mod record;
mod twemproxy;
