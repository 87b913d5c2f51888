//! The lab asked as its page asks it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failure here is the message")]

mod api;
mod asking;
mod first_pages;
mod refusals;
