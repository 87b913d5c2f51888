//! Arcs that two rings have alike, many in a row: after most changes of a fleet, nearly all.
//!
//! Where they end is compared for sixteen of them at a time, which the compiler makes vectors of; the arcs are then
//! added up by server in one plain loop.

use core::ops::Range;

use super::ledger::Kept;
use crate::placement::{NARROW, Packed, ServerIx, WIDE};

/// Arcs whose ends are compared at once.
const ABREAST: usize = 16;

/// Books arcs of two rings, from one of each on, for as long as both end them at the same positions and give them to
/// one server. The first begins where `ends` does, and each ends before its end. Returns how many they are, and where
/// the arc after them begins. None are booked of rings that are kept in different forms.
pub(super) fn book(
    (before, at): (Packed<'_>, usize),
    (after, there): (Packed<'_>, usize),
    ends: Range<u64>,
    kept: &mut Kept,
) -> (usize, u64) {
    let form = (before.halves(), before.mask());
    if form != (after.halves(), after.mask()) {
        return (0, ends.start);
    }
    let (before, after) = (before.words(at), after.words(there));
    match form {
        (0, mask) => run::<0>(before, after, mask, ends, kept),
        (1, _) => run::<1>(before, after, NARROW, ends, kept),
        (_, _) => run::<2>(before, after, WIDE, ends, kept),
    }
}

/// Words of points, and as many lower bits of each end as said.
type Words<'a> = (&'a [u64], &'a [u16]);

fn run<const HALVES: usize>(
    (mut before, mut low): Words<'_>,
    (mut after, mut low_after): Words<'_>,
    mask: u64,
    ends: Range<u64>,
    kept: &mut Kept,
) -> (usize, u64) {
    let of = before.len();
    let mut arcs = kept.arcs(ends.start);
    // Where sixteen words have the same ends, the lower bits are of the same length too.
    while let (Some((some, rest)), Some((others, rest_after))) =
        (before.split_first_chunk::<ABREAST>(), after.split_first_chunk::<ABREAST>())
    {
        let ((low_some, low_rest), (low_others, low_rest_after)) =
            (low.split_at(ABREAST * HALVES), low_after.split_at(ABREAST * HALVES));
        if !same(some, others, mask) || low_some != low_others {
            break;
        }
        if some[ABREAST - 1] & !mask | lower::<HALVES>(low_some, ABREAST - 1) >= ends.end {
            break;
        }
        for at in 0..ABREAST {
            let (word, other) = (some[at], others[at]);
            let end = word & !mask | lower::<HALVES>(low_some, at);
            if !arcs.keep(owner(word, mask), owner(other, mask), end) {
                return (of - before.len() + at, arcs.start());
            }
        }
        (before, after, low, low_after) = (rest, rest_after, low_rest, low_rest_after);
    }
    let mut booked = of - before.len();
    for (at, (&word, &other)) in before.iter().zip(after).enumerate() {
        let end = word & !mask | lower::<HALVES>(low, at);
        let alike = end == (other & !mask | lower::<HALVES>(low_after, at)) && end < ends.end;
        if !alike || !arcs.keep(owner(word, mask), owner(other, mask), end) {
            break;
        }
        booked += 1;
    }
    (booked, arcs.start())
}

/// Whether words have the same ends, as far as they tell. All are looked at, without a branch.
#[inline]
fn same(some: &[u64; ABREAST], others: &[u64; ABREAST], mask: u64) -> bool {
    (0..ABREAST).fold(0, |different, at| different | (some[at] ^ others[at])) & !mask == 0
}

#[inline]
fn owner(word: u64, mask: u64) -> ServerIx {
    ServerIx::new((word & mask) as u32)
}

/// The lower bits of an end.
#[inline]
fn lower<const HALVES: usize>(low: &[u16], at: usize) -> u64 {
    match HALVES {
        0 => 0,
        1 => low[at].into(),
        _ => u64::from(low[2 * at + 1]) << 16 | u64::from(low[2 * at]),
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::collections::{BTreeMap, BTreeSet};
    use std::format;
    use std::string::{String, ToString};
    use std::vec::Vec;

    use super::*;
    use crate::hash::{KeyHash, Width};
    use crate::members::Buckets;
    use crate::moves::ArcMoves;
    use crate::placement::{Arcs, Layout, Measured, Placement, Share};
    use crate::ring::{Boundary, Ring, Tie};
    use crate::server::Server;
    use crate::testing::Random;

    /// A hash that fills so many bits, of so wide positions.
    #[derive(Clone, Copy)]
    struct Filling(u32, Width);

    impl KeyHash for Filling {
        fn width(&self) -> Width {
            self.1
        }
        fn bits(&self) -> u32 {
            self.0
        }
        fn hash(&self, _: &[u8]) -> u64 {
            0
        }
        fn name(&self) -> Cow<'static, str> {
            format!("filling {}", self.0).into()
        }
    }

    /// Servers by name, and ends of arcs with the name of the owner.
    type Division = (Vec<String>, Vec<(u64, String)>);

    fn ring(hash: Filling, (names, arcs): &Division) -> Ring<Filling> {
        let servers = Buckets::new(names.iter().map(|name| Server::new(name.as_str()).unwrap())).unwrap();
        let points =
            arcs.iter().map(|(end, name)| (*end, ServerIx::new(servers.index_of(name).unwrap().get())));
        let points = points.collect();
        Ring::from_points(hash, &servers, points, Boundary::AtOrAfter, Tie::First).unwrap()
    }

    /// The same ring as another implementation would keep it.
    struct Listed(Ring<Filling>, Vec<u64>, Vec<ServerIx>);

    impl Placement for Listed {
        fn servers(&self) -> &[Server] {
            self.0.servers()
        }
        fn owner_ix(&self, key: &[u8]) -> ServerIx {
            self.0.owner_ix(key)
        }
    }

    impl Measured for Listed {
        fn shares(&self) -> Vec<Share> {
            self.0.shares()
        }
        fn layout(&self) -> Option<Layout<'_>> {
            match self.0.layout()? {
                Layout::Circle { last, key_hash, .. } => {
                    Some(Layout::Circle { arcs: Arcs::new(&self.1, &self.2), last, key_hash })
                }
                Layout::Slots { .. } => None,
            }
        }
    }

    fn listed(ring: &Ring<Filling>) -> Listed {
        let Some(Layout::Circle { arcs, .. }) = ring.layout() else { panic!("no circle") };
        let (ends, owners) = arcs.iter().unzip();
        Listed(ring.clone(), ends, owners)
    }

    /// Each pair of owners by the number of hashes of so many bits that they have: between two neighbouring ends
    /// of either side all hashes are alike.
    fn counted(bits: u32, before: &Division, after: &Division) -> BTreeMap<(String, String), u128> {
        let whole = 1_u128 << bits;
        let ends: BTreeSet<u128> = [before, after]
            .iter()
            .flat_map(|side| side.1.iter().map(|(end, _)| u128::from(*end)))
            .filter(|&end| end < whole)
            .chain([whole - 1])
            .collect();
        let owner = |side: &Division, hash: u128| {
            let at = side.1.partition_point(|(end, _)| u128::from(*end) < hash);
            side.1[at % side.1.len()].1.clone()
        };
        let mut pairs = BTreeMap::new();
        let mut start = 0;
        for end in ends {
            *pairs.entry((owner(before, end), owner(after, end))).or_default() += end + 1 - start;
            start = end + 1;
        }
        pairs
    }

    fn check(case: &str, hash: Filling, before: &Division, after: &Division) {
        let expected = counted(hash.0, before, after);
        let (ring_before, ring_after) = (ring(hash, before), ring(hash, after));
        let (listed_before, listed_after) = (listed(&ring_before), listed(&ring_after));
        for (form, moves) in [
            ("packed", ring_before.diff(&ring_after)),
            ("listed", ArcMoves::between(&listed_before, &listed_after)),
            ("one of each", ArcMoves::between(&ring_before, &listed_after)),
        ] {
            let moves = moves.unwrap();
            // Positions of 32 bits are each 2³² of the circle.
            let unit = moves.total().whole() >> hash.0;
            let mut found: BTreeMap<(String, String), u128> = BTreeMap::new();
            let mut given: BTreeMap<&str, u128> = BTreeMap::new();
            for flow in moves.flows() {
                found.insert((flow.from.to_string(), flow.to.to_string()), flow.moved.part() / unit);
                *given.entry(flow.from.as_str()).or_default() += flow.moved.part();
            }
            for server in moves.servers() {
                let name = server.name.as_str();
                let kept = server.before.part() - given.get(name).copied().unwrap_or(0);
                if kept > 0 {
                    found.insert((name.to_string(), name.to_string()), kept / unit);
                }
            }
            assert_eq!(found, expected, "{case}, {form}");
            assert_eq!(moves.total(), Share::new(1, 1), "{case}, {form}");
        }
    }

    fn names(of: &str) -> Vec<String> {
        of.split(' ').map(String::from).collect()
    }

    /// Fleets before and after: how indices of those that stay change, if they do.
    const FLEETS: [(&str, &str); 7] = [
        ("a b c d", "a b c d"),
        ("a b c d", "a b c d e"),
        ("b c d", "a b c d"),
        ("a b c d", "a c d"),
        ("a b c d", "a x c d"),
        ("a b c d", "d c b a"),
        ("a", "a"),
    ];

    /// Stretches of arcs that are alike, of lengths around those that are looked at together, and between any two of
    /// them one difference: a point more, a point fewer, another owner, an end one position further, several points at
    /// one position.
    #[test]
    fn stretches_of_any_length_are_booked_as_counted() {
        let mut random = Random(0x5eed_0022);
        for hash in [
            Filling(64, Width::Bits64),
            Filling(40, Width::Bits64),
            Filling(32, Width::Bits32),
            Filling(31, Width::Bits32),
        ] {
            for (fleet, (servers, servers_after)) in FLEETS.into_iter().enumerate() {
                for round in 0..4 {
                    let (mut before, mut after) =
                        ((names(servers), Vec::new()), (names(servers_after), Vec::new()));
                    let mut lengths = Vec::from([0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 100]);
                    if round == 0 {
                        lengths.push(1_000);
                    }
                    // Beyond the last hash too, where there is room.
                    let top = if hash.1 == Width::Bits32 { 32 } else { 64.min(hash.0 + 1) };
                    let step =
                        (1_u64 << (top - 1)) / (lengths.iter().sum::<u64>() + lengths.len() as u64) * 2;
                    let mut end = random.below(3);
                    while !lengths.is_empty() {
                        let length = lengths.swap_remove(random.below(lengths.len() as u64) as usize);
                        for _ in 0..length {
                            let name = &before.0[random.below(before.0.len() as u64) as usize];
                            // Who is not there any more leaves its arc to another.
                            let heir = if after.0.contains(name) { name } else { &after.0[0] };
                            before.1.push((end, name.clone()));
                            after.1.push((end, heir.clone()));
                            end += 1 + random.below(step);
                        }
                        let mut other =
                            |side: &Division| side.0[random.below(side.0.len() as u64) as usize].clone();
                        let (one, two) = (other(&before), other(&after));
                        match random.below(6) {
                            0 => before.1.push((end, one)),
                            1 => after.1.push((end, two)),
                            2 => (before.1.push((end, one)), after.1.push((end, two))).0,
                            3 => {
                                before.1.push((end, one));
                                after.1.push((end ^ 1, two));
                            }
                            4 => {
                                let again = (end, before.0[0].clone());
                                before.1.extend([(end, one), again.clone(), again]);
                                after.1.push((end, two));
                            }
                            _ => {
                                before.1.extend([(end, one.clone()), (end, one)]);
                                after.1.extend([(end, two.clone()), (end, two)]);
                            }
                        }
                        end += 1 + random.below(step);
                    }
                    check(&format!("{} bits, fleets {fleet}, round {round}", hash.0), hash, &before, &after);
                }
            }
        }
    }

    #[test]
    fn whoever_owns_the_whole_circle_keeps_it() {
        let greatest = u64::MAX;
        for ends in [
            Vec::from([0]),
            Vec::from([greatest]),
            (0..40).map(|i| greatest - 39 + i).collect(),
            (0..40).collect(),
        ] {
            let side: Division = (names("a"), ends.iter().map(|&end| (end, "a".into())).collect());
            check("one server", Filling(64, Width::Bits64), &side, &side);
        }
        // All but one position.
        let ends = [0, 1, greatest].map(|end| (end, if end == 1 { "b".into() } else { "a".into() }));
        let side: Division = (names("a b"), ends.into());
        let renamed: Division =
            (names("a c"), side.1.iter().map(|(end, name)| (*end, name.replace('b', "c"))).collect());
        check("one position moves", Filling(64, Width::Bits64), &side, &renamed);
    }

    /// Both sides below, one on either side, both above: where owners take 16 bits of a word, and where 32.
    #[test]
    fn fleets_on_both_sides_of_65_536_servers_are_booked_as_counted() {
        let mut random = Random(0x5eed_0023);
        let all: Vec<String> = (0..65_538).map(|i| format!("{i:05}")).collect();
        let mut end = 0;
        let arcs: Vec<(u64, usize)> = (0..200)
            .map(|i| {
                end += 2 + 2 * random.below(1 << 54);
                (end, if i % 5 == 4 { 65_535 + i / 5 % 3 } else { random.below(65_535) as usize })
            })
            .collect();
        let side = |servers: usize| -> Division {
            // The larger the fleet, the more of a few ends stand one position further.
            let further = |at: usize, end: u64| end + u64::from(at % 50 == 48 && at / 50 < servers - 65_535);
            let owned = arcs.iter().enumerate();
            let owned =
                owned.map(|(at, &(end, owner))| (further(at, end), all[owner.min(servers - 1)].clone()));
            (all[..servers].to_vec(), owned.collect())
        };
        let whole = |end| end;
        // Nothing but what every form keeps in the upper half of a word, and sometimes one more.
        let upper = |end: u64| end & !u64::from(u32::MAX) | end & 1;
        let short = |end: u64| end >> 31;
        type Form = fn(u64) -> u64;
        for (width, form, sizes) in [
            (Width::Bits64, whole as Form, (65_536, 65_535)),
            (Width::Bits64, whole, (65_536, 65_537)),
            (Width::Bits64, upper, (65_536, 65_537)),
            (Width::Bits64, whole, (65_538, 65_537)),
            (Width::Bits32, short, (65_536, 65_537)),
            (Width::Bits32, short, (65_538, 65_537)),
        ] {
            let formed = |(names, arcs): Division| -> Division {
                (names, arcs.into_iter().map(|(end, name)| (form(end), name)).collect())
            };
            let hash = Filling(if width == Width::Bits64 { 64 } else { 32 }, width);
            check(
                &format!("{sizes:?} servers, {width:?}"),
                hash,
                &formed(side(sizes.0)),
                &formed(side(sizes.1)),
            );
        }
    }
}
