//! What the [catalogue](crate::catalogue) knows of a scheme: its names, its paper, what its answers
//! are a function of, its one number, and how it is built.
//!
//! Each scheme states its own entry beside its code, so that to add a scheme is to add a file and a
//! line of the list.

use alloc::sync::Arc;
use core::fmt;

use crate::change_log::ChangeLog;
use crate::error::Error;
use crate::hash::{KeyHash, NamedHash};
use crate::members::Buckets;
use crate::placement::Placement;

/// What the owner of a key is a function of, beside the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Input {
    /// Who is there: [`Members`](crate::Members). Any server may come or go.
    Set,
    /// Who is there in which order: [`Buckets`]. The last may come or go, and any can be replaced.
    List,
    /// Who has which bucket, and in which order empty buckets became so: [`ChangeLog`]. Any server may
    /// go, and who comes takes the bucket that was emptied last.
    History,
}

/// The number that a scheme takes beside the key hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Number {
    /// Its key in fleet files: lower-case words with underscores.
    pub key: &'static str,
    /// What it is unless said.
    pub default: u64,
    /// The most that it may be; the least is 1.
    pub most: u64,
}

/// How a scheme is built: of the key hash, its number, and servers.
type Build = fn(NamedHash, u64, &Buckets) -> Result<Arc<dyn Hashed>, Error>;

/// A scheme of the catalogue.
#[non_exhaustive]
pub struct Entry {
    /// In fleet files and tables: lower-case words with hyphens.
    pub name: &'static str,
    /// As people call it.
    pub title: &'static str,
    /// What it does, in a sentence.
    pub about: &'static str,
    /// Authors, title, year and section.
    pub paper: &'static str,
    /// What the owner of a key is a function of.
    pub input: Input,
    /// Its keys in fleet files: the hash, and the number if it takes one.
    pub settings: &'static [&'static str],
    /// Its number, if it takes one.
    pub number: Option<Number>,
    pub(crate) build: Build,
}

impl PartialEq for Entry {
    /// By name.
    fn eq(&self, other: &Entry) -> bool {
        self.name == other.name
    }
}

impl Eq for Entry {}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Entry").field(&self.name).finish()
    }
}

/// A placement where one number of a key decides its owner.
pub(crate) trait Hashed: Placement + fmt::Debug + Send + Sync {
    /// How a key becomes that number.
    fn key_hash(&self) -> &dyn KeyHash;

    /// The history that it is the placement of, where it is one of a history.
    fn log(&self) -> Option<&ChangeLog> {
        None
    }
}
