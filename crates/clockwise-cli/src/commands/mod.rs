//! A file a command.

pub(crate) mod definitions;
pub(crate) mod owner;
pub(crate) mod plan;
pub(crate) mod ring;
pub(crate) mod size;
