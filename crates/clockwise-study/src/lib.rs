//! What a change does to real keys, and what theory says before there are any.
//!
//! - [`theory`]: how even a ring can be, from servers and points alone.

pub mod theory;
