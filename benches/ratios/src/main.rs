//! `cargo xtask bench`: each scheme against the plainest program of the same answers, in one run.
//!
//! Times of a shared machine mean little; a ratio of two that took turns means much. Both sides of a
//! pair run in short rounds, one after the other, and the fastest round of each counts: it is the one
//! that nothing disturbed. Every round sums up its answers, and a pair whose sums differ is refused
//! instead of timed.
#![forbid(unsafe_code)]

use std::cell::RefCell;
use std::error::Error;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clockwise::hash::{Xxh3, xxh3_64};

use clockwise::{Bounded, Cap, Jump, Maglev, ModN, Rendezvous, Ring, SlotMap, Slots};
use clockwise_ratios::{FLEETS, hashes, list, members, plain};

/// Rounds of each side: enough that the fastest is steady to a few in a hundred.
const ROUNDS: u32 = 60;

/// The default number of points of a server in the native ring.
const POINTS: u32 = 160;
/// The default number of slots of a Maglev table.
const SLOTS: u64 = 65_537;

fn main() -> ExitCode {
    println!("{:<16}{:>8}{:>14}{:>14}{:>9}", "", "servers", "plain", "clockwise", "ratio");
    for measure in [lookups, leases, builds] {
        if let Err(error) = FLEETS.into_iter().try_for_each(measure) {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    }
    println!("\nTime of one lookup of a key hash, one lease taken and given back, one build.");
    println!("Ratio: plain / clockwise.");
    ExitCode::SUCCESS
}

/// Many lookups in a row, each free to overlap with the next.
fn lookups(servers: u32) -> Result<(), Box<dyn Error>> {
    let (list, members, hashes) = (list(servers)?, members(servers)?, hashes());

    let (plain, ours) = (plain::Ring::new(&members, POINTS), Ring::builder(Xxh3).build(&members)?);
    lookup("ring", servers, &hashes, |hash| plain.owner(hash), |hash| ours.owner_of_hash(hash).get())?;

    let (plain, ours) = (plain::Rendezvous::new(&members), Rendezvous::new(Xxh3, &members)?);
    lookup("rendezvous", servers, &hashes, |hash| plain.owner(hash), |hash| ours.owner_of_hash(hash).get())?;

    let ours = Jump::new(Xxh3, &list)?;
    let buckets = i64::from(servers);
    lookup(
        "jump",
        servers,
        &hashes,
        |hash| plain::jump(hash, buckets),
        |hash| ours.owner_of_hash(hash).get(),
    )?;

    let (plain, ours) = (plain::Table::maglev(&members, SLOTS), Maglev::new(Xxh3, &members)?);
    lookup("maglev", servers, &hashes, |hash| plain.owner(hash), |hash| ours.owner_of_hash(hash).get())?;

    let map = SlotMap::even(&members, 16_384)?;
    let owners = map.owners().iter().map(|owner| owner.get());
    let (plain, ours) = (plain::Table::new(owners), Slots::new(Xxh3, &map)?);
    lookup("slots", servers, &hashes, |hash| plain.owner(hash), |hash| ours.owner_of_hash(hash).get())?;

    let (plain, ours) = (plain::Table::new(0..servers), ModN::new(Xxh3, &list)?);
    lookup("mod-n", servers, &hashes, |hash| plain.owner(hash), |hash| ours.owner_of_hash(hash).get())?;
    Ok(())
}

/// Many leases, taken one by one and then all given back. Keys are the bytes of numbers.
fn leases(servers: u32) -> Result<(), Box<dyn Error>> {
    let (members, keys) = (members(servers)?, hashes());
    let plain_bounded = RefCell::new(plain::Bounded::new(plain::Ring::new(&members, POINTS), servers));
    let bounded = Bounded::new(Ring::builder(Xxh3).build(&members)?, Cap::percent_over_mean(25)?);
    let plain = || {
        let mut held = Vec::with_capacity(keys.len());
        let mut bounded = plain_bounded.borrow_mut();
        let sum = sum(&keys, |key| {
            let server = bounded.acquire(xxh3_64(&key.to_le_bytes(), 0));
            held.push(server);
            server
        });
        held.into_iter().for_each(|server| bounded.release(server));
        sum
    };
    let ours = || {
        let mut held = Vec::with_capacity(keys.len());
        sum(&keys, |key| {
            let lease = bounded.acquire(key.to_le_bytes());
            let server = lease.server_ix().get();
            held.push(lease);
            server
        })
    };
    row("bounded, lease", servers, keys.len() as u32, plain, ours)
}

/// One placement from a fleet.
fn builds(servers: u32) -> Result<(), Box<dyn Error>> {
    let members = members(servers)?;
    let probe = hashes()[0];
    // A fleet that was built once is built again without a refusal.
    let plain = || plain::Ring::new(&members, POINTS).owner(probe).into();
    let ours = || {
        Ring::builder(Xxh3).build(&members).map_or(u64::MAX, |ring| ring.owner_of_hash(probe).get().into())
    };
    row("ring, build", servers, 1, plain, ours)?;

    let plain = || plain::Table::maglev(&members, SLOTS).owner(probe).into();
    let ours =
        || Maglev::new(Xxh3, &members).map_or(u64::MAX, |table| table.owner_of_hash(probe).get().into());
    row("maglev, build", servers, 1, plain, ours)
}

/// A row for the owners of many hashes.
fn lookup(
    name: &str,
    servers: u32,
    hashes: &[u64],
    plain: impl Fn(u64) -> u32,
    ours: impl Fn(u64) -> u32,
) -> Result<(), Box<dyn Error>> {
    row(name, servers, hashes.len() as u32, || sum(hashes, &plain), || sum(hashes, &ours))
}

/// A sum that depends on every owner and on its place.
fn sum(hashes: &[u64], mut owner: impl FnMut(u64) -> u32) -> u64 {
    let hashes = black_box(hashes);
    (1_u64..).zip(hashes).fold(0, |sum, (place, &hash)| sum.wrapping_add(place * u64::from(owner(hash))))
}

/// Times both sides in turns and prints the least time of each. Refuses sides that do not agree.
fn row(
    name: &str,
    servers: u32,
    answers: u32,
    plain: impl Fn() -> u64,
    ours: impl Fn() -> u64,
) -> Result<(), Box<dyn Error>> {
    if plain() != ours() {
        return Err(format!("{name}, {servers} servers: the two sides give different answers").into());
    }
    let time = |side: &dyn Fn() -> u64| {
        let start = Instant::now();
        black_box(side());
        start.elapsed()
    };
    let (mut least_plain, mut least_ours) = (Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        least_plain = least_plain.min(time(&plain));
        least_ours = least_ours.min(time(&ours));
    }
    let ratio = least_plain.as_secs_f64() / least_ours.as_secs_f64();
    let (plain, ours) = (one(least_plain, answers), one(least_ours, answers));
    println!("{name:<16}{servers:>8}{plain:>14}{ours:>14}{ratio:>8.2}x");
    Ok(())
}

/// The time of one of `answers`.
fn one(time: Duration, answers: u32) -> String {
    let nanoseconds = time.as_secs_f64() * 1e9 / f64::from(answers);
    if nanoseconds < 1e4 { format!("{nanoseconds:.1} ns") } else { format!("{:.2} ms", nanoseconds / 1e6) }
}
