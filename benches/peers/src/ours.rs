//! Clockwise's own entries. Numbers are hashed by one mix (jump takes them as hashes, as the crates for it
//! do), texts by xxh3-64.

use clockwise::dialect::{libketama, pingora};
use clockwise::hash::{SplitMix64, Xxh3};
use clockwise::{
    Anchor, Buckets, ChangeLog, Flip, Jump, JumpBack, Level, Maglev, MultiProbe, Rendezvous, Ring, Skeleton,
};

use crate::harness::{Entry, Fleet, Lookup, by};

/// Our ring of the points that pingora-ketama places: the same hashes, to compare builds by.
pub const SAME_POINTS: &str = "clockwise, pingora's points";

/// Rendezvous over groups of places.
pub const SKELETON: &str = "clockwise, skeleton";

/// A fleet that was built once is built again without a refusal; one that is refused owns nothing, and is
/// found out by the check of fairness.
fn built<T, E: std::fmt::Display>(
    placement: Result<T, E>,
    lookup: impl FnOnce(T) -> Box<dyn Lookup>,
) -> Box<dyn Lookup> {
    match placement {
        Ok(placement) => lookup(placement),
        Err(error) => by(error.to_string(), |_, _| usize::MAX, |_, _| usize::MAX),
    }
}

fn entry(
    scheme: &'static str,
    name: &'static str,
    build: impl Fn(&Fleet) -> Box<dyn Lookup> + 'static,
) -> Entry {
    Entry { scheme, name, ours: true, most: 10_000, build: Box::new(build), claim: None }
}

/// Beside rendezvous, since that is what it is: in groups.
fn skeleton() -> Entry {
    entry("rendezvous", SKELETON, |fleet| {
        let log = ChangeLog::of(&Buckets::from(&fleet.members));
        built(log.and_then(|log| Skeleton::new(Xxh3, &log)), |place| {
            by(place, |place, key| place.owner_of_hash(key).index(), |place, key| place.owner_ix(key).index())
        })
    })
}

fn rendezvous(name: &'static str, level: Level, weights: bool) -> Entry {
    entry(if weights { "rendezvous, weights" } else { "rendezvous" }, name, move |fleet| {
        let members = if weights { &fleet.weighted } else { &fleet.members };
        built(Rendezvous::new(Xxh3, members), |place| {
            by(
                place.at_level(level),
                |place, key| place.owner_of_hash(SplitMix64::mix(key)).index(),
                |place, key| place.owner_ix(key).index(),
            )
        })
    })
}

pub fn all(slots: u64) -> Vec<Entry> {
    let mut all = vec![
        entry("ring", "clockwise", |fleet| {
            built(Ring::builder(Xxh3).build(&fleet.members), |place| {
                by(
                    place,
                    |place, key| place.owner_of_hash(SplitMix64::mix(key)).index(),
                    |place, key| place.owner_ix(key).index(),
                )
            })
        }),
        entry("ring", SAME_POINTS, |fleet| {
            built(pingora::Options::default().build(&Buckets::from(&fleet.members)), |place| {
                by(
                    place,
                    |place, key| place.owner_ix(key.to_le_bytes()).index(),
                    |place, key| place.owner_ix(key).index(),
                )
            })
        }),
        entry("ring, md5", "clockwise, libketama", |fleet| {
            built(libketama::Options::default().build(&Buckets::from(&fleet.members)), |place| {
                by(
                    place,
                    |place, key| place.owner_ix(key.to_le_bytes()).index(),
                    |place, key| place.owner_ix(key).index(),
                )
            })
        }),
        entry("jump", "clockwise", |fleet| {
            built(Jump::new(Xxh3, &Buckets::from(&fleet.members)), |place| {
                by(
                    place,
                    |place, key| place.owner_of_hash(key).index(),
                    |place, key| place.owner_ix(key).index(),
                )
            })
        }),
        entry("jump", "clockwise, jump-back", |fleet| {
            built(JumpBack::new(Xxh3, &Buckets::from(&fleet.members)), |place| {
                by(
                    place,
                    |place, key| place.owner_of_hash(key).index(),
                    |place, key| place.owner_ix(key).index(),
                )
            })
        }),
        entry("flip", "clockwise", |fleet| {
            built(Flip::new(Xxh3, &Buckets::from(&fleet.members)), |place| {
                by(
                    place,
                    |place, key| place.owner_of_hash(key).index(),
                    |place, key| place.owner_ix(key).index(),
                )
            })
        }),
        entry("anchor", "clockwise", |fleet| {
            let capacity = (fleet.names.len() + fleet.names.len() / 10) as u32;
            let log = ChangeLog::of(&Buckets::from(&fleet.members));
            built(log.and_then(|log| Anchor::with_capacity(Xxh3, &log, capacity)), |place| {
                by(
                    place,
                    |place, key| place.owner_of_hash(key).index(),
                    |place, key| place.owner_ix(key).index(),
                )
            })
        }),
        entry("multi-probe", "clockwise", |fleet| {
            built(MultiProbe::new(Xxh3, &fleet.members), |place| {
                by(
                    place,
                    |place, key| place.owner_of_hash(key).index(),
                    |place, key| place.owner_ix(key).index(),
                )
            })
        }),
        entry("maglev", "clockwise", move |fleet| {
            built(Maglev::with_table_size(Xxh3, &fleet.members, slots), |place| {
                by(
                    place,
                    |place, key| place.owner_of_hash(SplitMix64::mix(key)).index(),
                    |place, key| place.owner_ix(key).index(),
                )
            })
        }),
    ];
    all.push(skeleton());
    for weights in [false, true] {
        all.push(rendezvous("clockwise, portable", Level::PORTABLE, weights));
        if Level::best() != Level::PORTABLE {
            all.push(rendezvous("clockwise", Level::best(), weights));
        }
    }
    all
}
