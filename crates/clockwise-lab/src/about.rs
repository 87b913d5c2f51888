//! What a page has to know before it asks anything: what there is to choose from.

use clockwise::dialect::Dialect;
use clockwise::hash::{KeyHash as _, NamedHash};
use serde::Serialize;

use crate::figures::{BINS, MAX_ARCS};
use crate::state::{MAX_KEYS, MAX_NODES, MAX_POINTS, MAX_REPLICAS, MAX_TOKENS, SchemeName, State};

/// What there is to choose from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct About {
    /// The schemes, in the order of a comparison.
    pub schemes: Vec<SchemeAbout>,
    /// What a fleet file may be said to be placed by, where it does not say it.
    pub placements: Vec<&'static str>,
    /// The hashes.
    pub hashes: Vec<HashAbout>,
    /// The most nodes.
    pub max_nodes: usize,
    /// The most tokens for each unit of weight.
    pub max_tokens: u32,
    /// The most tokens in all.
    pub max_points: u64,
    /// The most keys.
    pub max_keys: u64,
    /// The most replicas.
    pub max_replicas: usize,
    /// Of more arcs than this the circle is told in bins.
    pub max_arcs: usize,
    /// How many bins.
    pub bins: usize,
    /// The first page.
    pub start: State,
}

/// A scheme.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SchemeAbout {
    /// Its name in a state.
    pub name: SchemeName,
    /// Its name for people.
    pub title: &'static str,
    /// What it does, in a sentence.
    pub about: &'static str,
}

/// A hash.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HashAbout {
    /// Its name in a state.
    pub name: &'static str,
    /// How many bits it fills.
    pub bits: u32,
}

impl About {
    /// All of it.
    pub fn new() -> About {
        let scheme = |name: SchemeName| SchemeAbout { name, title: name.title(), about: name.about() };
        About {
            schemes: SchemeName::compared().chain([SchemeName::Product]).map(scheme).collect(),
            placements: SchemeName::compared()
                .map(SchemeName::name)
                .chain(Dialect::NAMES.iter().copied())
                .collect(),
            hashes: NamedHash::ALL
                .iter()
                .map(|hash| HashAbout { name: hash.as_str(), bits: hash.bits() })
                .collect(),
            max_nodes: MAX_NODES,
            max_tokens: MAX_TOKENS,
            max_points: MAX_POINTS,
            max_keys: MAX_KEYS,
            max_replicas: MAX_REPLICAS,
            max_arcs: MAX_ARCS,
            bins: BINS,
            start: State::default(),
        }
    }
}

impl Default for About {
    fn default() -> About {
        About::new()
    }
}
