//! What a change does to real keys, and what theory says before there are any.
//!
//! - [`keys`]: reading keys, from files of many kinds, as bytes.
//! - [`theory`]: how even a ring can be, from servers and points alone.

pub mod keys;
pub mod theory;
