//! A placement taken apart: a number of the key, and the points or buckets that the number finds.
//!
//! Positions are brought to one width of 64 bits, those of 32 shifted up; that changes no owner, and
//! lets rings of different widths lend each other their parts.

use std::collections::BTreeMap;

use clockwise::hash::{KeyHash, Width};
use clockwise::ring::Boundary;
use clockwise::{Built, ServerIx};

/// What a key's number is looked up in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Parts {
    /// Points of a ring, ascending, as (position, machine). Of equal positions the one that owns the
    /// arc comes first.
    Circle { points: Vec<(u64, u32)>, boundary: Boundary },
    /// The machine of each bucket.
    Table(Vec<u32>),
    /// Neither: rendezvous, jump, or a load that decides.
    Other,
}

impl Parts {
    /// `machines` says which machine a server of the placement is.
    pub(super) fn of(built: &Built, machines: &[u32]) -> Parts {
        let machine = |ix: ServerIx| machines[ix.index()];
        if built.cap().is_some() || built.key_hash().is_none() {
            return Parts::Other;
        }
        if let Some(ring) = built.ring() {
            let lift = lift(ring.width());
            let points = ring.points().map(|(position, ix)| (position << lift, machine(ix))).collect();
            return Parts::Circle { points, boundary: ring.boundary() };
        }
        match built.table() {
            Some(table) => Parts::Table(table.iter().map(machine).collect()),
            None => Parts::Other,
        }
    }

    pub(super) fn is_like(&self, other: &Parts) -> bool {
        matches!(
            (self, other),
            (Parts::Circle { .. }, Parts::Circle { .. }) | (Parts::Table(_), Parts::Table(_))
        )
    }

    /// How many points the two have in common, and how many each has.
    pub(super) fn in_common(&self, other: &Parts) -> (usize, usize, usize) {
        let (Parts::Circle { points: ours, .. }, Parts::Circle { points: theirs, .. }) = (self, other) else {
            return (0, 0, 0);
        };
        let mut counts: BTreeMap<(u64, u32), usize> = BTreeMap::new();
        for &point in ours {
            *counts.entry(point).or_default() += 1;
        }
        let mut common = 0;
        for point in theirs {
            if let Some(count) = counts.get_mut(point).filter(|count| **count > 0) {
                *count -= 1;
                common += 1;
            }
        }
        (common, ours.len(), theirs.len())
    }
}

/// How far positions of a width are shifted up.
fn lift(width: Width) -> u32 {
    match width {
        Width::Bits32 => 32,
        Width::Bits64 => 0,
    }
}

/// A key's position on a circle of 64 bits.
pub(super) fn position(hash: &dyn KeyHash, key: &[u8]) -> u64 {
    hash.hash(key) << lift(hash.width())
}

/// Points in the order of the first, but of equal positions the one that the other prefers is first.
pub(super) fn with_ties_of(mut points: Vec<(u64, u32)>, other: &[(u64, u32)]) -> Vec<(u64, u32)> {
    let mut first: BTreeMap<u64, u32> = BTreeMap::new();
    for &(position, machine) in other {
        first.entry(position).or_insert(machine);
    }
    for group in points.chunk_by_mut(|a, b| a.0 == b.0).filter(|group| group.len() > 1) {
        let preferred = first.get(&group[0].0);
        if let Some(at) = group.iter().position(|(_, machine)| Some(machine) == preferred) {
            group[..=at].rotate_right(1);
        }
    }
    points
}

/// Whether several points share a position.
pub(super) fn has_ties(points: &[(u64, u32)]) -> bool {
    points.windows(2).any(|pair| pair[0].0 == pair[1].0)
}

/// Buckets in the order in which their machines first come in the other table. None unless each
/// machine's buckets stand in a row, and so its place is all there is to its order.
pub(super) fn in_order_of(table: &[u32], other: &[u32]) -> Option<Vec<u32>> {
    let runs = |table: &[u32]| {
        let firsts: Vec<u32> = table.chunk_by(|a, b| a == b).map(|run| run[0]).collect();
        let mut distinct = firsts.clone();
        distinct.sort_unstable();
        distinct.dedup();
        (distinct.len() == firsts.len()).then_some(firsts)
    };
    let (_, order) = (runs(table)?, runs(other)?);
    let ranks: BTreeMap<u32, usize> = order.iter().copied().zip(0..).collect();
    let mut sorted = table.to_vec();
    sorted.sort_by_key(|machine| ranks.get(machine).copied().unwrap_or(order.len()));
    Some(sorted)
}

#[cfg(test)]
mod tests {
    use clockwise::dialect::Dialect;
    use clockwise::hash::Xxh3;
    use clockwise::ring::Tie;
    use clockwise::{Buckets, Placement as _, Ring, Server};
    use clockwise_config::Settings;

    use super::*;
    use crate::keys::seeded_key;

    /// Two tokens for each of the servers below, over a circle of 32 bits or of 64.
    fn tokens(wide: bool) -> String {
        let token = |token: u64| if wide { token << 31 } else { token };
        let own = |i: u64| [token(i * 800_000_000), token(i * 800_000_000 - 350_000_000)];
        let server = |i: u64| format!("\"10.0.0.{i}:11211\" = {:?}", own(i));
        format!("{{ {} }}", (1..=5).map(server).collect::<Vec<_>>().join(", "))
    }

    /// Whatever is lent to another placement must be all of what decides here.
    #[test]
    fn parts_of_every_dialect_put_together_again_give_its_owners() {
        let servers: Vec<Server> = (1..=5)
            .map(|i| Server::new(format!("10.0.0.{i}:11211")).unwrap().with_weight(1 + i % 3).unwrap())
            .collect();
        let keys: Vec<[u8; 20]> = (0..500).map(|index| seeded_key(3, index)).collect();
        for drained in [None, Some(3)] {
            let mut servers = servers.clone();
            if let Some(at) = drained {
                servers[at] = servers[at].clone().draining();
            }
            let list = Buckets::new(servers).unwrap();
            let (mut circles, mut tables) = (0, 0);
            for name in Dialect::NAMES {
                let mut settings = name.parse::<Settings>().unwrap();
                if settings.known().any(|key| key == "tokens") {
                    settings = settings.with("tokens", Some(&tokens(*name == "cassandra")));
                }
                let scheme = settings.scheme().unwrap();
                let built = scheme.build(&list).unwrap();
                let machines: Vec<u32> = (built.servers().iter())
                    .map(|server| list.index_of(server.name().as_str()).unwrap().get())
                    .collect();
                let hash = |key: &[u8]| built.key_hash().unwrap().hash(key);
                let found: Vec<u32> = match Parts::of(&built, &machines) {
                    Parts::Circle { points, boundary } => {
                        circles += 1;
                        let points = points.into_iter().map(|(at, machine)| (at, ServerIx::new(machine)));
                        // Arcs of a draining server may be kept for its substitutes.
                        let active = list.servers().iter().cloned().map(Server::active);
                        let all = Buckets::new(active).unwrap();
                        let ring = Ring::from_points(Xxh3, &all, points.collect(), boundary, Tie::First);
                        let (ring, hash) = (ring.unwrap(), built.key_hash().unwrap());
                        keys.iter().map(|key| ring.owner_of_hash(position(&hash, key)).get()).collect()
                    }
                    Parts::Table(table) => {
                        tables += 1;
                        keys.iter().map(|key| table[(hash(key) % table.len() as u64) as usize]).collect()
                    }
                    Parts::Other => continue,
                };
                let owners: Vec<u32> = keys.iter().map(|key| machines[built.owner_ix(key).index()]).collect();
                assert_eq!(found, owners, "{name} {drained:?}");
            }
            assert!(circles >= 13 && tables >= 11, "{circles} circles, {tables} tables");
        }
    }

    #[test]
    fn of_equal_points_the_preferred_one_comes_first() {
        let points = vec![(1, 0), (5, 0), (5, 1), (5, 2), (9, 1), (9, 0)];
        let other = [(5, 2), (5, 0), (9, 3), (11, 4)];
        assert_eq!(with_ties_of(points, &other), [(1, 0), (5, 2), (5, 0), (5, 1), (9, 1), (9, 0)]);
    }

    #[test]
    fn rows_of_buckets_are_put_in_another_order_and_mixed_ones_are_not() {
        assert_eq!(in_order_of(&[2, 2, 0, 1], &[0, 1, 2]), Some(vec![0, 1, 2, 2]));
        assert_eq!(in_order_of(&[3, 0, 1], &[1, 0]), Some(vec![1, 0, 3]));
        assert_eq!(in_order_of(&[0, 1, 0], &[0, 1]), None);
        assert_eq!(in_order_of(&[0, 1], &[0, 1, 0]), None);
    }
}
