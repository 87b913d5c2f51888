//! Making the vectors: pools and keys in, answers out of the library.

use std::collections::BTreeSet;

use clockwise::dialect::Dialect;
use clockwise::{Cap, Placement as _, fill_arriving};
use clockwise_config::Settings;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::keys::{FEW, INPUTS, KEYS, LENGTHS, TAGGED, long};
use super::model::{
    File, Flag, Group, HashHead, HashTest, Hex, Number, OwnerTest, Point, PointsTest, PoolHead, RejectHead,
    RejectTest, ServerEntry, Shape, Tests,
};
use super::pool::{Built, Pool, complete};
use super::sources::{source, title};
use super::systems::{self, Keys, Spec, is_scheme, schemes};
use super::traps::{self, Traps};
use super::{hashes, refused};

/// The longest preference list that is written down.
const PREFERENCE: usize = 5;
/// Numbered keys that are tried in search of one behind the last point.
const SEARCHED: u32 = 4_000;
/// The name of the file of hashes.
const HASH: &str = "hash";

/// The names of all files: `hash`, the schemes, the dialects.
pub fn names() -> impl Iterator<Item = &'static str> {
    [HASH].into_iter().chain(schemes()).chain(Dialect::NAMES.iter().copied())
}

/// The vectors of that name; nothing if there are none.
pub fn make(name: &str) -> Option<File> {
    let name = names().find(|known| *known == name)?;
    let mut maker = Maker { what: "", name, source: String::new(), next: 1, groups: Vec::new() };
    if name == HASH {
        maker.hashes();
        let about = "Values of every hash that places keys or points.".to_owned();
        return Some(File { name: name.to_owned(), about, groups: maker.groups });
    }
    let is_scheme = is_scheme(name);
    maker.what = if is_scheme { "scheme" } else { "dialect" };
    maker.source = source(name);
    maker.pools();
    maker.refusals();
    let about = match is_scheme {
        true => format!("Clockwise's own {name}."),
        false => format!("As {} places keys.", title(name)),
    };
    Some(File { name: name.to_owned(), about, groups: maker.groups })
}

struct Maker {
    /// `scheme` or `dialect`.
    what: &'static str,
    name: &'static str,
    source: String,
    /// The number of the next test.
    next: u64,
    groups: Vec<Group>,
}

impl Maker {
    fn id(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    fn hashes(&mut self) {
        for (hash, source) in hashes::all() {
            let name = hash.name().into_owned();
            let is_text = hashes::is_of_text(&name);
            let mut inputs: Vec<Vec<u8>> = INPUTS.iter().map(|input| input.to_vec()).collect();
            if ["xxh", "murmur", "siphash"].iter().any(|family| name.starts_with(family)) && !is_text {
                inputs.extend(LENGTHS.iter().map(|&length| long(length)));
            }
            if name == "redis-slot" {
                inputs.extend(TAGGED.iter().map(|input| input.to_vec()));
            }
            let mut seen = BTreeSet::new();
            inputs.retain(|input| seen.insert(input.clone()));
            let mut tests = Vec::new();
            for input in inputs {
                if is_text && std::str::from_utf8(&input).is_err() {
                    continue;
                }
                let mut flags = traps::of_bytes(&input);
                if hashes::extends_signs(&name) && input.iter().any(|byte| *byte >= 0x80) {
                    flags.insert(Flag::SignExtension);
                }
                if name == "redis-slot" {
                    flags.extend(traps::of_tag(clockwise::hash::HashTag::BRACES, &input));
                }
                let value = Number(hash.hash(&input));
                tests.push(HashTest {
                    id: self.id(),
                    input: Hex(input),
                    value,
                    flags: flags.into_iter().collect(),
                });
            }
            let head = HashHead { hash: name, bits: hash.bits(), source: source.to_owned() };
            self.groups.push(Group::Hash(Tests { head, tests }));
        }
    }

    fn pools(&mut self) {
        // Layouts that were written down already: a setting that only hashes keys makes no new one.
        let mut layouts = BTreeSet::new();
        for spec in systems::specs(self.what, self.name) {
            if let Some(made) = self.pool(&spec) {
                if layouts.insert(made.layout.clone()) {
                    self.points(&made);
                }
                self.owners(&spec, made);
            }
        }
        for (settings, servers) in self.variants() {
            let spec = Spec::new(settings, servers, Keys::Few);
            match self.pool(&spec) {
                Some(made) => self.owners(&spec, made),
                None => {
                    self.reject([(spec.settings, spec.servers.iter().map(super::pool::fields).collect())]);
                }
            }
        }
    }

    /// Every word of every setting, one at a time, over servers of unequal weights.
    fn variants(&self) -> Vec<(Map<String, Value>, Vec<ServerEntry>)> {
        let servers = systems::weighted(self.what, systems::usual(self.name));
        let pool = |settings| Pool {
            what: self.what,
            system: self.name,
            settings,
            servers: servers.iter().map(super::pool::fields).collect(),
        };
        let base = systems::base(self.name);
        let Ok(Built { scheme, .. }) = pool(&base).build() else { return Vec::new() };
        let defaults = Settings::of(&scheme);
        let mut variants = Vec::new();
        for key in defaults.known() {
            for word in defaults.words(key) {
                if defaults.get(key) == Some(&word) {
                    continue;
                }
                let text = word.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
                let value = text.map_or_else(|| Value::Bool(word == "true"), Value::from);
                let mut settings = base.clone();
                settings.insert(key.to_owned(), value);
                variants.push((settings, servers.clone()));
            }
        }
        variants
    }

    /// The pool of a spec, unless it is refused or (where it is there for colliding points) has none.
    fn pool(&self, spec: &Spec) -> Option<Made> {
        let servers = spec.servers.iter().map(super::pool::fields).collect();
        let pool = Pool { what: self.what, system: self.name, settings: &spec.settings, servers };
        let Built { scheme, built } = pool.build().ok()?;
        let settings = complete(&spec.settings, &scheme);
        let traps = Traps::of(&built, &settings);
        let mut flags: BTreeSet<Flag> = spec.flags.iter().copied().collect();
        if flags.remove(&Flag::Collision) && !traps.collide() {
            return None;
        }
        // A map or tokens that are given follow from nothing.
        let given = |key: &str| spec.settings.get(key).is_some_and(Value::is_object);
        if !["tokens", "slots", "vbucket_map"].into_iter().any(given) && traps.weights_are_rounded() {
            flags.insert(Flag::WeightRounding);
        }
        drop(traps);
        let mut comments: Vec<String> = spec.comment.iter().map(|text| (*text).to_owned()).collect();
        if flags.contains(&Flag::ReorderedList) {
            comments.push(
                match built.depends_on_order() {
                    true => "The order of the list is part of this placement.",
                    false => "The order of the list is no part of this placement.",
                }
                .to_owned(),
            );
        }
        let unsettled = built.unsettled();
        if !unsettled.is_empty() {
            let positions: Vec<String> = unsettled.iter().map(|tie| tie.position().to_string()).collect();
            comments.push(format!(
                "The system leaves open which of two servers owns the point {}: the other is as right an answer.",
                positions.join(", ")
            ));
        }
        let (scheme_name, dialect) = match self.what {
            "dialect" => (None, Some(self.name.to_owned())),
            _ => (Some(self.name.to_owned()), None),
        };
        let head = PoolHead {
            scheme: scheme_name,
            dialect,
            settings,
            servers: spec.servers.clone(),
            source: self.source.clone(),
            comment: (!comments.is_empty()).then(|| comments.join(" ")),
        };
        let layout = layout(&built);
        Some(Made { head, built, flags, layout })
    }

    fn points(&mut self, made: &Made) {
        let Some(layout) = &made.layout else { return };
        let test = layout.clone().test(self.id(), made.flags.iter().copied().collect());
        self.groups.push(Group::Points(Tests { head: made.head.clone(), tests: vec![test] }));
    }

    fn owners(&mut self, spec: &Spec, made: Made) {
        let Made { head, built, flags: of_pool, .. } = made;
        let traps = Traps::of(&built, &head.settings);
        let keys = self.keys(spec, &traps, &built);
        let goes_to = built.cap().and_then(|cap| arriving(&built, &keys, cap));
        let name = |ix: clockwise::ServerIx| built.servers()[ix.index()].name().as_str().to_owned();
        let mut tests = Vec::new();
        for (at, key) in keys.into_iter().enumerate() {
            let preference = built.ranked().map(|ranked| ranked.preference(&key, PREFERENCE));
            tests.push(OwnerTest {
                id: self.id(),
                owner: name(built.owner_ix(&key)),
                preference: preference.map(|list| list.into_iter().map(name).collect()),
                goes_to: goes_to.as_ref().map(|servers| name(servers[at])),
                flags: traps.of_key(&key).union(&of_pool).copied().collect(),
                key: Hex(key),
            });
        }
        drop(traps);
        self.groups.push(Group::Owner(Tests { head, tests }));
    }

    /// The keys of a pool: those of its spec that the system can hold, and for a ring one that is
    /// hashed behind the last point.
    fn keys(&self, spec: &Spec, traps: &Traps<'_>, built: &clockwise::Built) -> Vec<Vec<u8>> {
        let mut keys: Vec<Vec<u8>> = match spec.keys {
            Keys::All => KEYS.iter().map(|key| key.to_vec()).collect(),
            Keys::Few => FEW.iter().map(|key| key.to_vec()).collect(),
            Keys::Tagged => TAGGED.iter().map(|key| key.to_vec()).collect(),
            Keys::None => Vec::new(),
        };
        keys.extend(spec.more.iter().map(|key| key.to_vec()));
        if matches!(spec.keys, Keys::All) {
            keys.extend(
                own_labels(&spec.servers)
                    .filter(|key| {
                        // The key that is a point's own label is hashed onto that point.
                        traps.of_key(key).contains(&Flag::Boundary)
                    })
                    .take(2),
            );
            let numbered = (0..SEARCHED).map(|number| format!("user:{number}").into_bytes());
            let ring = built.ring().is_some();
            keys.extend(numbered.filter(|key| ring && traps.of_key(key).contains(&Flag::WrapAround)).take(1));
        }
        let mut seen = BTreeSet::new();
        keys.retain(|key| systems::takes(self.name, key) && seen.insert(key.clone()));
        keys
    }

    fn refusals(&mut self) {
        let refusals: Vec<_> = refused::of(self.what, self.name);
        self.reject(refusals);
    }

    /// What is not refused is no test of it, and is left out: the tests hold every refusal to be there.
    fn reject(&mut self, pools: impl IntoIterator<Item = (Map<String, Value>, Vec<Map<String, Value>>)>) {
        let mut tests = Vec::new();
        for (settings, servers) in pools {
            let pool =
                Pool { what: self.what, system: self.name, settings: &settings, servers: servers.clone() };
            if let Err(message) = pool.build() {
                // Lines are those of the text that the pool was read from, which nobody sees.
                let message = message.split(", on lines ").next().unwrap_or_default().to_owned();
                tests.push(RejectTest { id: self.id(), settings, servers, message, flags: Vec::new() });
            }
        }
        if tests.is_empty() {
            return;
        }
        let (scheme, dialect) = match self.what {
            "dialect" => (None, Some(self.name.to_owned())),
            _ => (Some(self.name.to_owned()), None),
        };
        // One group of them all, at the end.
        match self.groups.last_mut() {
            Some(Group::Reject(group)) => group.tests.append(&mut tests),
            _ => {
                let head = RejectHead { scheme, dialect, source: self.source.clone() };
                self.groups.push(Group::Reject(Tests { head, tests }));
            }
        }
    }
}

/// A pool that was built.
struct Made {
    head: PoolHead,
    built: clockwise::Built,
    flags: BTreeSet<Flag>,
    layout: Option<Points>,
}

/// Points or slots as a test tells them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Points {
    is_ring: bool,
    count: u64,
    sha256: Vec<u8>,
    first: (u64, String),
    last: (u64, String),
}

impl Points {
    pub(super) fn test(self, id: u64, flags: Vec<Flag>) -> PointsTest {
        let point = |(position, server)| Point { position: Number(position), server };
        PointsTest {
            id,
            of: if self.is_ring { Shape::Ring } else { Shape::Table },
            count: self.count,
            sha256: Hex(self.sha256),
            first: point(self.first),
            last: point(self.last),
            flags,
        }
    }
}

/// The points of a placement, or its slots, if it has either.
pub(super) fn layout(built: &clockwise::Built) -> Option<Points> {
    let ring = built.ring();
    let points: Vec<(u64, clockwise::ServerIx)> = match &ring {
        Some(ring) => ring.points().collect(),
        None => (0..).zip(built.table()?.iter()).collect(),
    };
    let name = |ix: clockwise::ServerIx| built.servers()[ix.index()].name().as_str();
    let mut sha256 = Sha256::new();
    for (position, server) in &points {
        sha256.update(format!("{position},{}\n", name(*server)));
    }
    let shown = |(position, server): &(u64, clockwise::ServerIx)| (*position, name(*server).to_owned());
    Some(Points {
        is_ring: ring.is_some(),
        count: points.len() as u64,
        sha256: sha256.finalize().to_vec(),
        first: shown(points.first()?),
        last: shown(points.last()?),
    })
}

/// Where keys go that arrive in this order and all stay.
pub(super) fn arriving(
    built: &clockwise::Built,
    keys: &[Vec<u8>],
    cap: Cap,
) -> Option<Vec<clockwise::ServerIx>> {
    built.ranked().map(|ranked| fill_arriving(ranked, keys, cap).servers().to_vec())
}

/// Texts that systems hash for a server's points, so that the same text as a key is hashed onto one.
fn own_labels(servers: &[ServerEntry]) -> impl Iterator<Item = Vec<u8>> {
    let of_server = |server: &ServerEntry| {
        let name = server.name.clone();
        let address = server.address.clone().unwrap_or_else(|| name.clone());
        let host = address.rsplit_once(':').map_or(address.as_str(), |(host, _)| host).to_owned();
        let mut labels = Vec::new();
        for number in 0..3_u32 {
            labels.push([name.as_bytes(), &[0], &number.to_le_bytes()].concat());
            for stem in [&name, &address, &host] {
                for separator in ["-", "_", "#", ":", ""] {
                    labels.push(format!("{stem}{separator}{number}").into_bytes());
                }
                labels.push(format!("{number}-{stem}").into_bytes());
            }
        }
        // nginx's first point of a server: host, zero, port, and the point before that there is not.
        labels.push(address.replacen(':', "\0", 1).into_bytes().into_iter().chain([0; 4]).collect());
        labels
    };
    servers.iter().flat_map(of_server).collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vectors::pool::fields;

    fn systems() -> impl Iterator<Item = (&'static str, &'static str)> {
        let what = |name: &&str| if is_scheme(name) { "scheme" } else { "dialect" };
        names().filter(|name| *name != HASH).map(move |name| (what(&name), name))
    }

    /// A pool that is refused would be left out, and nobody would know.
    #[test]
    fn every_pool_that_is_meant_to_be_built_is_built() {
        for (what, system) in systems() {
            for spec in systems::specs(what, system) {
                let servers = spec.servers.iter().map(fields).collect();
                let built = Pool { what, system, settings: &spec.settings, servers }.build();
                // Whether two servers' points collide depends on the system.
                assert!(
                    built.is_ok() || spec.flags.contains(&Flag::Collision),
                    "{system}: {built:?} {spec:?}"
                );
            }
        }
    }

    #[test]
    fn every_pool_that_is_meant_to_be_refused_is_refused() {
        for (what, system) in systems() {
            for (settings, servers) in refused::of(what, system) {
                let built = Pool { what, system, settings: &settings, servers: servers.clone() }.build();
                assert!(built.is_err(), "{system}: {settings:?} {servers:?}");
            }
        }
    }
}
