//! How the cost of each scheme grows with the fleet and with the points of a server.

use std::error::Error;

use clockwise::hash::Xxh3;
use clockwise::{Buckets, Jump, Maglev, Members, Rendezvous, Ring, Server, ServerIx};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region};

use crate::harness::{Fleet, Keys, pair, time};

/// What one fleet costs under one scheme.
pub struct Growth {
    pub scheme: &'static str,
    pub servers: usize,
    /// Points of a server, on a ring.
    pub points: Option<u32>,
    /// Nanoseconds of a lookup, of building, and of building with one server more.
    pub lookup: f64,
    pub build: f64,
    pub join: f64,
    /// What stays allocated, and of how many points or slots it is.
    pub bytes: usize,
    pub parts: Option<usize>,
}

/// Points of a server, at 1,000 servers.
const POINTS: [u32; 5] = [1, 10, 100, 300, 1_024];
/// Servers, at the native number of points.
const SERVERS: [usize; 5] = [10, 100, 1_000, 10_000, 100_000];
const NATIVE: u32 = 160;
/// Lookups of a round; of rendezvous, which asks each server, fewer.
const LOOKUPS: usize = 1 << 14;

pub fn measure(keys: &Keys) -> Result<Vec<Growth>, Box<dyn Error>> {
    let mut rows = Vec::new();
    for servers in SERVERS {
        let fleet = Fleet::new(servers)?;
        let joined = fleet.members.with(Server::new("another")?)?;
        rows.push(ring(&fleet, &joined, NATIVE, keys)?);
        if servers == 1_000 {
            for points in POINTS {
                rows.push(ring(&fleet, &joined, points, keys)?);
            }
        }
        let build = |members: &Members| Maglev::new(Xxh3, members);
        if servers <= 10_000 {
            let lookup = |place: &Maglev, hash| place.owner_of_hash(hash);
            let cost = Cost { scheme: "maglev", points: None, lookups: LOOKUPS };
            rows.push(cost.of(
                &fleet,
                &joined,
                keys,
                (build, |_, members| build(members)),
                lookup,
                |place| Some(place.table().len()),
            )?);
        }
        let build = |members: &Members| Jump::new(Xxh3, &Buckets::from(members));
        let lookup = |place: &Jump, hash| place.owner_of_hash(hash);
        let cost = Cost { scheme: "jump", points: None, lookups: LOOKUPS };
        rows.push(cost.of(&fleet, &joined, keys, (build, |_, members| build(members)), lookup, |_| None)?);
        let build = |members: &Members| Rendezvous::new(Xxh3, members);
        let lookup = |place: &Rendezvous, hash| place.owner_of_hash(hash);
        let lookups = (4_000_000 / servers).min(LOOKUPS);
        let cost = Cost { scheme: "rendezvous", points: None, lookups };
        rows.push(cost.of(&fleet, &joined, keys, (build, |_, members| build(members)), lookup, |_| None)?);
    }
    rows.sort_by_key(|row| (row.scheme != "ring", row.scheme, row.servers, row.points));
    Ok(rows)
}

fn ring(fleet: &Fleet, joined: &Members, points: u32, keys: &Keys) -> Result<Growth, Box<dyn Error>> {
    let build = |members: &Members| Ring::builder(Xxh3).points_per_weight(points).build(members);
    let lookup = |ring: &Ring, hash| ring.owner_of_hash(hash);
    let cost = Cost { scheme: "ring", points: Some(points), lookups: LOOKUPS };
    let join = |ring: &Ring, members: &Members| {
        Ring::builder(Xxh3).points_per_weight(points).build_after(ring, members)
    };
    cost.of(fleet, joined, keys, (build, join), lookup, |ring| Some(ring.points().count()))
}

struct Cost {
    scheme: &'static str,
    points: Option<u32>,
    lookups: usize,
}

impl Cost {
    fn of<T>(
        &self,
        fleet: &Fleet,
        joined: &Members,
        keys: &Keys,
        (build, join): (
            impl Fn(&Members) -> Result<T, clockwise::Error>,
            impl Fn(&T, &Members) -> Result<T, clockwise::Error>,
        ),
        lookup: impl Fn(&T, u64) -> ServerIx,
        parts: impl Fn(&T) -> Option<usize>,
    ) -> Result<Growth, Box<dyn Error>> {
        let region = Region::new(&INSTRUMENTED_SYSTEM);
        let (took, place) = time(|| build(&fleet.members));
        let place = place?;
        let change = region.change();
        // Building what takes a second once is enough.
        let rounds = if took > 2e8 { 1 } else { 5 };
        let [build, join] = pair(rounds, || build(&fleet.members).is_ok(), || join(&place, joined).is_ok());
        let keys = &keys.numbers[..self.lookups];
        let sum = || keys.iter().fold(0, |sum: usize, &key| sum.wrapping_add(lookup(&place, key).index()));
        let [lookup, again] = pair(8, sum, sum);
        Ok(Growth {
            scheme: self.scheme,
            servers: fleet.names.len(),
            points: self.points,
            lookup: lookup.min(again) / self.lookups as f64,
            build,
            join,
            bytes: change.bytes_allocated.saturating_sub(change.bytes_deallocated),
            parts: parts(&place),
        })
    }
}
