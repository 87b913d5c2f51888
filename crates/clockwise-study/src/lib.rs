//! What a change does to real keys, and what theory says before there are any.
//!
//! - [`draw`]: pictures of a ring and of shares.
//! - [`keys`]: reading keys, from files of many kinds, as bytes.
//! - [`plan`]: the same keys before and after a change, under one scheme or all of them.
//! - [`theory`]: how even a ring can be, from servers and points alone.

mod change;
pub mod draw;
pub mod keys;
pub mod plan;
pub mod theory;

pub use change::{BadChange, Change};
