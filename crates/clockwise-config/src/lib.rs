//! Fleet files, our own and other products', read into clockwise's types.
//!
//! Whoever plans a change has a file already: the one their proxy runs with. This crate reads it
//! and says which servers it lists and how it places keys; which [kind](Kind) of file it is, its
//! content tells.
//!
//! ```
//! use clockwise_config::{Kind, Options, parse};
//!
//! let text = b"\
//! cache:
//!   listen: 127.0.0.1:22121
//!   distribution: ketama
//!   servers:
//!    - 10.0.0.1:11211:1 cache-1
//!    - 10.0.0.2:11211:2 cache-2
//! ";
//! let file = parse("nutcracker.yml", text, &Options::default())?;
//! assert_eq!(file.kind(), Kind::Twemproxy);
//! let pool = file.pick(None)?;
//! assert_eq!(pool.name(), Some("cache"));
//! assert_eq!(pool.servers().get("cache-2").map(|s| s.weight().get()), Some(2));
//! # Ok::<(), clockwise_config::Diagnostics>(())
//! ```
//!
//! # Complaints
//!
//! Every complaint is a [`Diagnostic`]: it names the value, shows the line and says what to do. One
//! reading reports all it can find, as [`Diagnostics`]. What is suspicious and still clear is a
//! warning of its [`Pool`]; [`Options::strict`] refuses it.
//!
//! A foreign file is held to what its own product takes: a file that nutcracker would not start
//! with describes no running system, and is refused with nutcracker's reason.
//!
//! # Limits
//!
//! Files of at most [`MAX_BYTES`] and 64 levels of nesting (80 in TOML). Any bytes are read or
//! refused; none make the crate panic or overflow its stack.
//!
//! # Layout
//!
//! `source` and `diagnostic` are the places and the complaints; `toml`, `yaml` and `json` turn syntax
//! into the one tree of `node`; a file or folder a product (`own`, `twemproxy`, `nginx`, `envoy` and so on)
//! reads that tree or has a syntax of its own; `sniff` tells some of them apart; `fleet` is what comes out.
//! [`keys`] stands for itself: files of keys, as bytes.
#![forbid(unsafe_code)]

mod convert;
mod diagnostic;
mod dialect;
#[cfg(test)]
mod documented;
mod dskit;
mod envoy;
mod fields;
mod fleet;
mod haproxy;
mod json;
pub mod keys;
mod kind;
mod libmemcached;
mod listed;
mod lists;
mod load;
mod manifest;
mod mcrouter;
mod namespace;
mod nginx;
mod node;
mod nodetool;
mod own;
mod placement;
mod redis;
mod render;
mod report;
mod settings;
mod sniff;
mod source;
mod suggest;
mod template;
mod thanos;
mod toml;
mod twemproxy;
mod wrapped;
mod write;
mod yaml;

use clockwise::Scheme;

pub use convert::{Candidate, Target};
pub use diagnostic::{Diagnostic, Diagnostics, MAX_DIAGNOSTICS, Severity, printable};
pub use fleet::{About, FleetFile, Pool, ServerEntry};
pub use kind::Kind;
pub use load::{load, load_all, parse, read};
pub use settings::Settings;
pub use source::{MAX_BYTES, Source, Span};
pub use write::to_toml;

/// How a file is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// A server that is listed more than once counts once, instead of being refused. The copies
    /// must agree in everything.
    pub merge: bool,
    /// Warnings are errors.
    pub strict: bool,
    /// What a file's own product refuses and is clear all the same is read, with a warning.
    pub lenient: bool,
    /// What kind of file it is; its content tells unless said.
    pub from: Option<Kind>,
    /// How keys are placed, for files that list servers and do not say it.
    pub placement: Option<Scheme>,
}
