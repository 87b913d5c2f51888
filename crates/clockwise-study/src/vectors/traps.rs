//! Which traps a key walks into, told from the placement itself: a flag is never a claim.

use std::collections::BTreeSet;

use clockwise::hash::{HashTag, KeyHash as _};
use clockwise::ring::{Boundary, Geometry};
use clockwise::{KeyPrefix, Placement as _};
use serde_json::{Map, Value};

use super::hashes;
use super::model::Flag;

/// What of a placement is needed to know its traps.
pub(super) struct Traps<'a> {
    built: &'a clockwise::Built,
    ring: Option<Geometry>,
    positions: Vec<u64>,
    collisions: BTreeSet<u64>,
    tag: Option<HashTag>,
}

impl<'a> Traps<'a> {
    pub(super) fn of(built: &'a clockwise::Built, settings: &Map<String, Value>) -> Traps<'a> {
        let ring = built.ring();
        let (mut positions, mut collisions) = (Vec::new(), BTreeSet::new());
        if let Some(ring) = &ring {
            positions.extend(ring.points().map(|(position, _)| position));
            collisions.extend(ring.collisions().iter().map(clockwise::ring::Collision::position));
        }
        let tag = match settings.get("hash_tag").and_then(Value::as_str) {
            Some(marks) => marks.parse().ok(),
            None => {
                let hash = built.key_hash().map(|hash| hash.behind(None).name().into_owned());
                (hash.as_deref() == Some("redis-slot")).then_some(HashTag::BRACES)
            }
        };
        Traps { built, ring, positions, collisions, tag }
    }

    /// Positions that several servers have a point at.
    pub(super) fn collide(&self) -> bool {
        !self.collisions.is_empty()
    }

    /// The flags of a key.
    pub(super) fn of_key(&self, key: &[u8]) -> BTreeSet<Flag> {
        let mut flags = of_bytes(key);
        if let (Some(hash), Some(ring)) = (self.built.key_hash(), &self.ring) {
            flags.extend(self.on_the_ring(ring, hash.hash(key)));
        }
        let hash =
            self.built.key_hash().map(|hash| hash.behind(None).name().into_owned()).unwrap_or_default();
        let prefix = self.built.key_prefix();
        let hashed = [prefix.map_or("", KeyPrefix::as_str).as_bytes(), key].concat();
        if hashes::extends_signs(&hash) && hashed.iter().any(|byte| *byte >= 0x80) {
            flags.insert(Flag::SignExtension);
        }
        flags.extend(self.tag.and_then(|tag| of_tag(tag, &hashed)));
        flags.extend(prefix.map(|_| Flag::KeyPrefix));
        flags
    }

    fn on_the_ring(&self, ring: &Geometry, hash: u64) -> BTreeSet<Flag> {
        let mut flags = BTreeSet::new();
        let (Some(&first), Some(&last)) = (self.positions.first(), self.positions.last()) else {
            return flags;
        };
        let at = self.positions.partition_point(|position| *position < hash);
        let mut is_boundary = self.positions.get(at) == Some(&hash);
        let wraps = match ring.boundary() {
            Boundary::AtOrAfter => hash > last,
            Boundary::After => hash >= last,
            Boundary::Nearest => {
                // Halfway between two points there is a rule too.
                if let (Some(before), Some(after)) =
                    (at.checked_sub(1).and_then(|at| self.positions.get(at)), self.positions.get(at))
                {
                    is_boundary |= hash - before == after - hash;
                }
                hash > last || hash < first
            }
        };
        if is_boundary {
            flags.insert(Flag::Boundary);
        }
        if wraps {
            flags.insert(Flag::WrapAround);
        }
        if self.collisions.contains(&ring.position_of_hash(hash)) {
            flags.insert(Flag::Collision);
        }
        flags
    }

    /// Whether points or slots are in another ratio than the weights. (Where all servers have as many,
    /// weights count for nothing, and nothing was rounded.)
    pub(super) fn weights_are_rounded(&self) -> bool {
        let counted = |(server, part): (&clockwise::Server, u128)| {
            (!server.is_draining()).then_some((u128::from(server.weight().get()), part))
        };
        let servers = self.built.servers().iter();
        let parts: Vec<(u128, u128)> = match (&self.ring, self.built.measured()) {
            (Some(ring), _) => {
                servers.zip(ring.point_counts().iter().copied().map(u128::from)).filter_map(counted).collect()
            }
            (None, Some(measured)) => {
                servers.zip(measured.shares().iter().map(|share| share.part())).filter_map(counted).collect()
            }
            (None, None) => return false,
        };
        let differ =
            |by: fn((u128, u128), (u128, u128)) -> bool| parts.iter().any(|part| by(parts[0], *part));
        differ(|(v, a), (w, b)| v * b != w * a) && differ(|(_, a), (_, b)| a != b)
    }
}

/// The flags of bytes, whatever they are asked of.
pub(super) fn of_bytes(bytes: &[u8]) -> BTreeSet<Flag> {
    let mut flags = BTreeSet::new();
    if bytes.is_empty() {
        flags.insert(Flag::EmptyKey);
    }
    if std::str::from_utf8(bytes).is_err() {
        flags.insert(Flag::NonUtf8);
    }
    flags
}

/// The flag of a key under a hash tag.
pub(super) fn of_tag(tag: HashTag, key: &[u8]) -> Option<Flag> {
    let [open, close] = tag.marks();
    let after = key.iter().position(|byte| *byte == open).map(|at| &key[at + 1..]);
    match after {
        Some(after) if after.first() == Some(&close) => Some(Flag::HashTagEmpty),
        _ if tag.part(key).len() < key.len() => Some(Flag::HashTag),
        _ => None,
    }
}
