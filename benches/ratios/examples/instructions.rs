//! Lookups for `cargo xtask instructions` to count: `instructions CASE LOOKUPS`. Without arguments, the names.
//!
//! Only what [`counted`] does counts. Fleets have 100 servers, and loops are the portable ones, so that the
//! numbers are those of every machine with the same compiler.
#![forbid(unsafe_code)]

use std::error::Error;
use std::hint::black_box;
use std::process::ExitCode;

use clockwise::dialect::libketama;
use clockwise::hash::{SplitMix64, Xxh3};
use clockwise::{
    Anchor, Bounded, Buckets, Cap, ChangeLog, Jump, JumpBack, Level, Maglev, Members, MultiProbe, Rendezvous,
    Ring, Server, ServerIx, Skeleton,
};

const SERVERS: u32 = 100;

/// A case: its name, and a run of so many lookups.
type Case = (&'static str, fn(&Fleet, &Keys) -> Result<(), clockwise::Error>);

struct Fleet {
    members: Members,
    weighted: Members,
    list: Buckets,
}

struct Keys {
    hashes: Vec<u64>,
    texts: Vec<String>,
}

const CASES: &[Case] = &[
    ("ring", |fleet, keys| {
        let ring = Ring::builder(Xxh3).build(&fleet.members)?;
        counted(&keys.texts, |key| ring.owner_ix(key));
        Ok(())
    }),
    ("ring, many at once", |fleet, keys| {
        let ring = Ring::builder(Xxh3).build(&fleet.members)?;
        many(keys, |hashes, owners| ring.owners_of_hashes(hashes, owners));
        Ok(())
    }),
    // Of so many points a batch asks for lines before it reads them.
    ("ring of 160,000 points, many at once", |fleet, keys| {
        let ring = Ring::builder(Xxh3).points_per_weight(1_600).build(&fleet.members)?;
        many(keys, |hashes, owners| ring.owners_of_hashes(hashes, owners));
        Ok(())
    }),
    ("ketama", |fleet, keys| {
        let ring = libketama::Options::default().build(&fleet.list)?;
        counted(&keys.texts, |key| ring.owner_ix(key));
        Ok(())
    }),
    ("rendezvous", |fleet, keys| {
        let place = Rendezvous::new(Xxh3, &fleet.members)?.at_level(Level::PORTABLE);
        counted(&keys.hashes, |&hash| place.owner_of_hash(hash));
        Ok(())
    }),
    ("rendezvous, weights", |fleet, keys| {
        let place = Rendezvous::new(Xxh3, &fleet.weighted)?.at_level(Level::PORTABLE);
        counted(&keys.hashes, |&hash| place.owner_of_hash(hash));
        Ok(())
    }),
    ("rendezvous, weights, three of a list", |fleet, keys| {
        let place = Rendezvous::new(Xxh3, &fleet.weighted)?.at_level(Level::PORTABLE);
        counted(&keys.texts, |key| place.owners_ix(key, 3).last().unwrap_or(ServerIx::new(0)));
        Ok(())
    }),
    ("skeleton", |fleet, keys| {
        let place = Skeleton::new(Xxh3, &ChangeLog::of(&fleet.list)?)?.at_level(Level::PORTABLE);
        counted(&keys.hashes, |&hash| place.owner_of_hash(hash));
        Ok(())
    }),
    ("anchor", |fleet, keys| {
        let place = Anchor::with_capacity(Xxh3, &ChangeLog::of(&fleet.list)?, SERVERS + SERVERS / 10)?;
        counted(&keys.hashes, |&hash| place.owner_of_hash(hash));
        Ok(())
    }),
    ("jump", |fleet, keys| {
        let place = Jump::new(Xxh3, &fleet.list)?;
        counted(&keys.hashes, |&hash| place.owner_of_hash(hash));
        Ok(())
    }),
    ("jump-back", |fleet, keys| {
        let place = JumpBack::new(Xxh3, &fleet.list)?;
        counted(&keys.hashes, |&hash| place.owner_of_hash(hash));
        Ok(())
    }),
    ("multi-probe", |fleet, keys| {
        let place = MultiProbe::new(Xxh3, &fleet.members)?;
        counted(&keys.hashes, |&hash| place.owner_of_hash(hash));
        Ok(())
    }),
    ("maglev", |fleet, keys| {
        let place = Maglev::with_table_size(Xxh3, &fleet.members, 1_009)?;
        counted(&keys.texts, |key| place.owner_ix(key));
        Ok(())
    }),
    // Of as many points as otherwise lookups, and a newcomer of few.
    ("arcs moved by a join, a point", |_, keys| {
        let server = |i: usize, weight: u64| Server::new(format!("10.0.1.{i}:11211"))?.with_weight(weight);
        let points = keys.hashes.len() as u64;
        let members = Members::new((0..8).map(|i| server(i, points / 128)).collect::<Result<Vec<_>, _>>()?)?;
        let ring = |members: &Members| Ring::builder(Xxh3).points_per_weight(16).build(members);
        let (before, after) = (ring(&members)?, ring(&members.with(server(8, 1)?)?)?);
        counted(&[()], |()| ServerIx::new(u32::from(black_box(before.diff(&after)).is_none())));
        Ok(())
    }),
    ("bounded, a lease", |fleet, keys| {
        let bounded = Bounded::new(Ring::builder(Xxh3).build(&fleet.members)?, Cap::QUARTER);
        // So many held that few keys are sent on.
        let held: Vec<_> = (0..20 * u64::from(SERVERS)).map(|i| bounded.acquire(i.to_le_bytes())).collect();
        counted(&keys.texts, |key| bounded.acquire(key).server_ix());
        drop(held);
        Ok(())
    }),
];

/// The loop whose instructions count; the counter knows it by its name.
#[inline(never)]
fn counted<K>(keys: &[K], mut owner: impl FnMut(&K) -> ServerIx) {
    black_box(keys.iter().fold(0, |sum: usize, key| sum.wrapping_add(owner(key).index())));
}

/// The same for a call that takes all keys.
fn many(keys: &Keys, owners_of: impl Fn(&[u64], &mut [ServerIx])) {
    let mut owners = vec![ServerIx::new(0); keys.hashes.len()];
    counted(&[()], |()| {
        owners_of(&keys.hashes, &mut owners);
        ServerIx::new(0)
    });
    black_box(owners);
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(name), Some(lookups)) = (arguments.next(), arguments.next()) else {
        CASES.iter().for_each(|(name, _)| println!("{name}"));
        return Ok(());
    };
    let (_, case) = CASES.iter().find(|case| case.0 == name).ok_or("there is no such case")?;
    let lookups: u64 = lookups.parse()?;

    let servers = (0..SERVERS).map(|i| Server::new(format!("10.0.0.{i}:11211"))?.with_weight(1 + i % 4));
    let weighted = Members::new(servers.collect::<Result<Vec<_>, _>>()?)?;
    let equal = (0..SERVERS).map(|i| Server::new(format!("10.0.0.{i}:11211")));
    let list = Buckets::new(equal.collect::<Result<Vec<_>, _>>()?)?;
    let fleet = Fleet { members: Members::from(&list), weighted, list };
    let hashes = (0..lookups).map(|i| SplitMix64::mix(i.wrapping_mul(SplitMix64::STEP))).collect();
    let texts = (0..lookups).map(|i| format!("user:{i}")).collect();
    case(&fleet, &Keys { hashes, texts })?;
    Ok(())
}
