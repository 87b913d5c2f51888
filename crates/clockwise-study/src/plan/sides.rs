//! The two placements of a change, asked for many keys at once.

use std::ops::ControlFlow;

use clockwise::hash::KeyHash as _;
use clockwise::moves::Tally;
use clockwise::{Built, Cap, Geometry, Placement, Ranked, Server, ServerIx, Table, fill};

use crate::keys::TOGETHER;

/// Before and after.
#[derive(Debug)]
pub(super) struct Sides {
    pub(super) before: Built,
    pub(super) after: Built,
    /// Where both sides place a key by one hash: what each does with it. Most changes leave the hash
    /// as it is, and it is most of the work where it is MD5.
    by_hash: Option<(ByHash, ByHash)>,
}

impl Sides {
    pub(super) fn new(before: Built, after: Built) -> Sides {
        let hash = |side: &Built| side.key_hash().map(|hash| (hash.width(), hash.name().into_owned()));
        let by_hash = match (hash(&before), hash(&after)) {
            (Some(one), Some(other)) if one == other => ByHash::of(&before).zip(ByHash::of(&after)),
            _ => None,
        };
        Sides { before, after, by_hash }
    }

    /// The owners of keys before and after; at most [`TOGETHER`] of each.
    pub(super) fn owners(&self, keys: &[&[u8]], from: &mut [ServerIx], to: &mut [ServerIx]) {
        let (Some((before, after)), Some(hash)) = (&self.by_hash, self.before.key_hash()) else {
            self.before.owners_of(keys, from);
            self.after.owners_of(keys, to);
            return;
        };
        let mut hashes = [0; TOGETHER];
        hash.hash_many(keys, &mut hashes);
        let hashes = &hashes[..keys.len().min(TOGETHER)];
        before.owners(hashes, from);
        after.owners(hashes, to);
    }

    /// Both sides as rings under a cap whose keys one hash places: then of keys that have to be held, the
    /// hashes are enough.
    pub(super) fn capped_rings(&self) -> Option<[(&Geometry, Cap); 2]> {
        match (&self.before, &self.after, &self.by_hash) {
            (
                Built::Bounded(_, cap),
                Built::Bounded(_, cap_after),
                Some((ByHash::Ring(before), ByHash::Ring(after))),
            ) => Some([(before, *cap), (after, *cap_after)]),
            _ => None,
        }
    }
}

/// What a placement does with the hash of a key.
#[derive(Debug)]
enum ByHash {
    /// The point of a ring that owns it.
    Ring(Geometry),
    /// The bucket at its remainder.
    Table(Table),
}

impl ByHash {
    fn of(side: &Built) -> Option<ByHash> {
        side.ring().map(ByHash::Ring).or_else(|| side.table().map(ByHash::Table))
    }

    fn owners(&self, hashes: &[u64], owners: &mut [ServerIx]) {
        match self {
            ByHash::Ring(ring) => ring.owners_of_hashes(hashes, owners),
            ByHash::Table(table) => table.owners_of_hashes(hashes, owners),
        }
    }
}

/// Keys by their hashes, in their order, with what they are counted by.
#[derive(Debug, Default)]
pub(super) struct Hashes {
    hashes: Vec<[u8; 8]>,
    /// Of each key; empty as long as each is one key of which nothing else is known.
    tallies: Vec<Tally>,
}

impl Hashes {
    /// More keys, by a hash that both sides have, and a tally for each.
    pub(super) fn extend(&mut self, sides: &Sides, keys: &[&[u8]], tallies: impl Iterator<Item = Tally>) {
        let Some(hash) = sides.before.key_hash() else { return };
        let mut hashes = [0; TOGETHER];
        hash.hash_many(keys, &mut hashes);
        for ((_, hash), tally) in keys.iter().zip(hashes).zip(tallies) {
            if self.tallies.is_empty() && tally != Tally::KEY {
                self.tallies = vec![Tally::KEY; self.hashes.len()];
                self.tallies.push(tally);
            } else if !self.tallies.is_empty() {
                self.tallies.push(tally);
            }
            self.hashes.push(hash.to_le_bytes());
        }
    }

    /// The server of each under a cap, in their order.
    pub(super) fn fill(&self, ring: &Geometry, cap: Cap) -> Vec<ServerIx> {
        fill(&OfHashes(ring), &self.hashes, cap).into_servers()
    }

    pub(super) fn tallies(&self) -> impl Iterator<Item = Tally> {
        let rest = self.hashes.len() - self.tallies.len();
        self.tallies.iter().copied().chain(std::iter::repeat_n(Tally::KEY, rest))
    }
}

/// A ring whose keys are the hashes of keys.
struct OfHashes<'a>(&'a Geometry);

impl OfHashes<'_> {
    fn hash(key: &[u8]) -> u64 {
        key.iter().rev().fold(0, |hash, &byte| hash << 8 | u64::from(byte))
    }
}

impl Placement for OfHashes<'_> {
    fn servers(&self) -> &[Server] {
        self.0.servers()
    }
    fn owner_ix(&self, key: &[u8]) -> ServerIx {
        self.0.owner_of_hash(OfHashes::hash(key))
    }
    fn ranked(&self) -> Option<&dyn Ranked> {
        Some(self)
    }
}

impl Ranked for OfHashes<'_> {
    fn visit_preference(&self, key: &[u8], visit: &mut dyn FnMut(ServerIx) -> ControlFlow<()>) {
        let _ = self.0.owners_of_hash(OfHashes::hash(key), usize::MAX).try_for_each(visit);
    }
}

#[cfg(test)]
mod tests {
    use clockwise::{Buckets, KeyPrefix, Scheme, Server};
    use clockwise_config::Settings;

    use super::*;
    use crate::keys::seeded_key;

    /// Both sides against each key asked by itself, for every scheme to itself and to every other.
    #[test]
    fn owners_are_those_of_each_key_by_itself() {
        let fleet = |count| {
            let server = |i| Server::new(format!("10.0.0.{i}:11211")).unwrap();
            Buckets::new((0..count).map(server).collect::<Vec<_>>()).unwrap()
        };
        let mut schemes = Scheme::compared();
        let dialects = "elasticsearch envoy gomemcache grpc guava haproxy kafka libketama libmemcached \
            libmemcached,distribution=CONSISTENT_WEIGHTED,hash=MD5 memjs nginx nginx,consistent=true npm-hashring \
            npm-ketama npm-memcached php-memcache php-memcached pingora pylibmc pymemcache python-hashring \
            python-memcached redis-cluster spymemcached trafficserver twemproxy twemproxy,distribution=modula \
            uhashring";
        schemes.extend(
            dialects.split_whitespace().map(|text| text.parse::<Settings>().unwrap().scheme().unwrap()),
        );
        let prefix = KeyPrefix::new("app:").unwrap();
        schemes.extend(schemes.clone().into_iter().map(|scheme| scheme.with_key_prefix(prefix.clone())));
        let keys: Vec<_> = (0..50).map(|i| seeded_key(0xba7c4, i)).collect();
        let keys: Vec<&[u8]> = keys.iter().map(|key| &key[..]).collect();
        let mut by_hash = 0;
        let [before, after] = [5, 6].map(|count| {
            schemes.iter().map(|scheme| scheme.build(&fleet(count)).unwrap()).collect::<Vec<_>>()
        });
        for (before, after) in before.iter().flat_map(|one| after.iter().map(move |other| (one, other))) {
            let sides = Sides::new(before.clone(), after.clone());
            by_hash += usize::from(sides.by_hash.is_some());
            let (mut from, mut to) = ([ServerIx::new(0); TOGETHER], [ServerIx::new(0); TOGETHER]);
            sides.owners(&keys, &mut from, &mut to);
            for ((key, from), to) in keys.iter().zip(from).zip(to) {
                let single = (sides.before.owner_ix(key), sides.after.owner_ix(key));
                assert_eq!((from, to), single, "{before:?} to {after:?}: {}", key.escape_ascii());
            }
        }
        assert!(by_hash > schemes.len(), "{by_hash} pairs share a hash");
    }
}
