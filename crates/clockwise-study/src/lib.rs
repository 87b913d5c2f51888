//! What a change does to real keys, and what theory says before there are any.
//!
//! - [`draw`]: a ring, and shares before and after, as pictures.
//! - [`keys`]: reading keys, from files of many kinds, as bytes.
//! - [`theory`]: how even a ring can be, from servers and points alone.

pub mod draw;
pub mod keys;
pub mod theory;
