//! The lab asked as its page asks it.
#![allow(clippy::unwrap_used, clippy::panic, clippy::float_cmp, reason = "a failure here is the message")]

mod api;
mod asking;
mod failures;
mod first_pages;
mod keys;
mod own_fleets;
mod refusals;
mod texts;
