//! Schemes whose only settings are the key hash and at most one number, in one list.
//!
//! A tool that offers schemes takes [`SCHEMES`] and needs not to know which they are: fleet files, plans
//! and comparisons, the study, the lab and the test vectors all do. What is added to the list joins
//! them. (Schemes with settings of other kinds have variants of their own in [`Scheme`](crate::Scheme).)
//!
//! ```
//! use clockwise::{Buckets, Placement, Server, catalogue::{Chosen, SCHEMES}};
//!
//! let fleet = Buckets::new([Server::new("a")?, Server::new("b")?])?;
//! for entry in SCHEMES {
//!     let placement = Chosen::new(entry).build(&fleet)?;
//!     println!("{}: user:42 is on {}", entry.title, placement.owner(b"user:42").name());
//! }
//! # Ok::<(), clockwise::Error>(())
//! ```

use alloc::format;
use alloc::string::ToString as _;
use alloc::sync::Arc;
use core::fmt;

use crate::change_log::ChangeLog;
use crate::entry::Hashed;
pub use crate::entry::{Entry, Input, Number};
use crate::error::{Error, Kind};
use crate::hash::{KeyHash, NamedHash};
use crate::members::Buckets;
use crate::placement::{Measured, Placement, Ranked, ServerIx};
use crate::server::Server;
use crate::{anchor, dx, flip, jump_back, memento, multi_probe, skeleton};

/// The schemes, in the order of their publication. A new one is a file and a line here.
pub static SCHEMES: &[Entry] = &[
    skeleton::ENTRY,
    multi_probe::ENTRY,
    anchor::ENTRY,
    dx::ENTRY,
    memento::ENTRY,
    flip::ENTRY,
    jump_back::ENTRY,
];

/// The scheme of that name.
pub fn find(name: &str) -> Option<&'static Entry> {
    SCHEMES.iter().find(|entry| entry.name == name)
}

/// A scheme of the catalogue with its settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chosen {
    entry: &'static Entry,
    hash: NamedHash,
    number: u64,
}

impl Chosen {
    /// The scheme with the native key hash and its usual number.
    pub fn new(entry: &'static Entry) -> Chosen {
        let number = entry.number.map_or(0, |number| number.default);
        Chosen { entry, hash: NamedHash::default(), number }
    }

    /// The same with another key hash.
    #[must_use]
    pub fn with_hash(self, hash: NamedHash) -> Chosen {
        Chosen { hash, ..self }
    }

    /// The same with another number. Refuses one outside what the scheme takes, and any where it takes
    /// none.
    pub fn with_number(self, number: u64) -> Result<Chosen, Error> {
        let refused =
            |name, problem| Err(Error::new(Kind::Option { name, value: number.to_string(), problem }));
        match self.entry.number {
            None => refused(self.entry.name, "is no setting: the scheme takes no number"),
            Some(Number { key, most, .. }) if !(1..=most).contains(&number) => {
                refused(key, "is not one of the numbers that it can be")
            }
            Some(_) => Ok(Chosen { number, ..self }),
        }
    }

    /// Which scheme.
    pub fn entry(&self) -> &'static Entry {
        self.entry
    }

    /// The key hash.
    pub fn hash(&self) -> NamedHash {
        self.hash
    }

    /// Its number and what that is called, if it takes one.
    pub fn number(&self) -> Option<(Number, u64)> {
        self.entry.number.map(|number| (number, self.number))
    }

    /// The placement of these servers. A scheme of a set does not look at their order.
    pub fn build(&self, servers: &Buckets) -> Result<Placed, Error> {
        Ok(Placed { entry: self.entry, placement: (self.entry.build)(self.hash, self.number, servers)? })
    }

    /// The placement of these servers after a change from `before`.
    ///
    /// The same as [`build`](Chosen::build), but for schemes of a history: there it continues that of
    /// `before`, as [`ChangeLog::after`] does.
    pub fn build_after(&self, before: &Placed, servers: &Buckets) -> Result<Placed, Error> {
        match (self.entry.input, before.log()) {
            (Input::History, Some(log)) => self.build(log.after(servers)?.buckets()),
            _ => self.build(servers),
        }
    }
}

impl fmt::Display for Chosen {
    /// The scheme's name, and its number where that is not the usual one: `multi-probe-5`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.entry.number {
            Some(number) if number.default != self.number => {
                f.pad(&format!("{}-{}", self.entry.name, self.number))
            }
            _ => f.pad(self.entry.name),
        }
    }
}

/// A placement that a [`Chosen`] scheme built.
#[derive(Clone, Debug)]
pub struct Placed {
    entry: &'static Entry,
    placement: Arc<dyn Hashed>,
}

impl Placed {
    /// Which scheme.
    pub fn entry(&self) -> &'static Entry {
        self.entry
    }

    /// The fleet with its history, where the scheme goes by it.
    pub fn log(&self) -> Option<&ChangeLog> {
        self.placement.log()
    }

    /// The key hash: the one number by which a key's owner is decided.
    pub fn key_hash(&self) -> &dyn KeyHash {
        self.placement.key_hash()
    }
}

impl Placement for Placed {
    fn servers(&self) -> &[Server] {
        self.placement.servers()
    }
    fn owner_ix(&self, key: &[u8]) -> ServerIx {
        self.placement.owner_ix(key)
    }
    fn owners_of(&self, keys: &[&[u8]], owners: &mut [ServerIx]) {
        self.placement.owners_of(keys, owners);
    }
    fn depends_on_order(&self) -> bool {
        self.placement.depends_on_order()
    }
    fn ranked(&self) -> Option<&dyn Ranked> {
        self.placement.ranked()
    }
    fn measured(&self) -> Option<&dyn Measured> {
        self.placement.measured()
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;

    use super::*;
    use crate::testing::{list, user_keys};

    #[test]
    fn names_are_words_and_none_is_there_twice() {
        let names: BTreeSet<&str> = SCHEMES.iter().map(|entry| entry.name).collect();
        assert_eq!(names.len(), SCHEMES.len());
        for entry in SCHEMES {
            assert!(entry.name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "{}", entry.name);
            assert!(
                !entry.title.is_empty()
                    && entry.about.ends_with('.')
                    && ["arXiv", "technical report"]
                        .iter()
                        .any(|where_to_find| entry.paper.contains(where_to_find))
            );
            assert_eq!(find(entry.name), Some(entry));
        }
        assert_eq!(find("ring"), None);
    }

    #[test]
    fn numbers_are_those_that_the_scheme_takes() {
        for entry in SCHEMES {
            let chosen = Chosen::new(entry);
            let key = entry.number.map(|number| number.key);
            assert!(entry.settings.iter().copied().eq(["hash"].into_iter().chain(key)), "{}", entry.name);
            let Some(number) = entry.number else {
                assert!(chosen.with_number(1).unwrap_err().is_parameter(), "{}", entry.name);
                continue;
            };
            assert!((1..=number.most).contains(&number.default), "{}", entry.name);
            for wrong in [0, number.most + 1, u64::MAX] {
                assert!(chosen.with_number(wrong).unwrap_err().is_parameter(), "{} {wrong}", entry.name);
            }
            let other = chosen.with_number(number.most).unwrap();
            assert_eq!(other.number().map(|(_, number)| number), Some(number.most));
            assert_eq!(other.to_string(), format!("{}-{}", entry.name, number.most));
            assert_eq!(chosen.to_string(), entry.name);
        }
    }

    #[test]
    fn the_key_hash_decides_and_only_what_depends_on_the_order_says_so() {
        let (fleet, turned) = (list(&[("a", 1), ("b", 1), ("c", 1)]), list(&[("c", 1), ("b", 1), ("a", 1)]));
        for entry in SCHEMES {
            let placed = Chosen::new(entry).build(&fleet).unwrap();
            let other = Chosen::new(entry).with_hash(NamedHash::Fnv1a64).build(&fleet).unwrap();
            let elsewhere = Chosen::new(entry).build(&turned).unwrap();
            assert_eq!(
                (placed.key_hash().name(), other.key_hash().name()),
                ("xxh3-64".into(), "fnv1a-64".into())
            );
            let keys = user_keys(300);
            let differ = |a: &Placed, b: &Placed| {
                keys.iter()
                    .filter(|key| a.owner(key.as_bytes()).name() != b.owner(key.as_bytes()).name())
                    .count()
            };
            assert!(differ(&placed, &other) > 100, "{}", entry.name);
            assert_eq!(differ(&placed, &elsewhere) > 0, placed.depends_on_order(), "{}", entry.name);
            assert_eq!(placed.depends_on_order(), entry.input != Input::Set, "{}", entry.name);
        }
    }
}
