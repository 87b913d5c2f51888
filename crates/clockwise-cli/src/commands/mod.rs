//! A file a command.

pub(crate) mod check;
pub(crate) mod convert;
pub(crate) mod definitions;
pub(crate) mod diff;
pub(crate) mod fingerprint;
pub(crate) mod lab;
pub(crate) mod migrate;
pub(crate) mod owner;
pub(crate) mod plan;
pub(crate) mod ring;
pub(crate) mod size;
pub(crate) mod study;
pub(crate) mod vectors;
