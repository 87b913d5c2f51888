//! What starts from a ready hash, against the least that the machine could do: reads, copies, the paper's
//! own loop.

use std::error::Error;
use std::hint::black_box;
use std::sync::Barrier;
use std::thread;
use std::time::Instant;

use clockwise::hash::{SplitMix64, Xxh3, xxh3_64};
use clockwise::{Bounded, Buckets, Cap, Jump, Level, Maglev, Placement, Rendezvous, Ring, Server, ServerIx};
use clockwise_ratios::plain;
use md5::Digest as _;

use crate::harness::{Fleet, Keys, pair};

/// Answers of a batch that stand in one array at a time.
const HANDED: usize = 1_024;

/// How often a fleet at work goes over its keys in one turn.
const PASSES: u32 = 4;

/// Two things in turns: nanoseconds of each.
pub struct Loop {
    pub what: &'static str,
    pub ours: f64,
    pub against: f64,
}

/// All of them, with 1,000 servers of 160 points.
pub fn measure(keys: &Keys, rounds: u32) -> Result<Vec<Loop>, Box<dyn Error>> {
    let fleet = Fleet::new(1_000)?;
    let hashes = &keys.numbers[..];
    let many = hashes.len() as f64;
    let mut loops = Vec::new();
    let mut add = |what, [ours, against]: [f64; 2], each: f64| {
        loops.push(Loop { what, ours: ours / each, against: against / each });
    };
    let mut owners = vec![ServerIx::new(0); hashes.len()];

    let ring = Ring::builder(Xxh3).build(&fleet.members)?;
    // An index of 2¹⁷ buckets, and a word a point: the least that a ring takes which is not read in one go.
    let table: Vec<u64> = (0..160_000).map(SplitMix64::mix).collect();
    let front: Vec<u32> = (0..1 << 17).map(|i| (SplitMix64::mix(i) % 160_000) as u32).collect();
    let reads = || {
        let read = |hash: u64| table[front[(hash >> 47) as usize] as usize];
        hashes.iter().fold(0_u64, |sum, &hash| sum.wrapping_add(read(hash)))
    };
    let one = || hashes.iter().fold(0, |sum, &hash| sum + ring.owner_of_hash(hash).index());
    add("ring, one by one / two reads in turn", pair(rounds, one, reads), many);
    // Handed out 1,024 at a time over one array, as the command does, and so are the words that are read: an array
    // of all owners would take from the caches what the ring has there, and reads without one would not.
    let owned = || {
        for keys in hashes.chunks(HANDED) {
            ring.owners_of_hashes(keys, &mut owners[..keys.len()]);
        }
    };
    let mut words = vec![0; HANDED];
    let (points, index) = (&table[..], &front[..]);
    let handed = move || {
        for keys in hashes.chunks(HANDED) {
            for (word, hash) in words.iter_mut().zip(keys) {
                *word = points[index[(hash >> 47) as usize] as usize] as u32;
            }
            black_box(&mut words);
        }
    };
    let batch = pair(rounds, owned, handed);
    add("ring, in batches / two reads in turn", batch, many);

    // One after the other, as the goal has it: the next key waits for the owner of the last.
    let maglev = Maglev::new(Xxh3, &fleet.members)?;
    let slots: Vec<u16> = maglev.table().iter().map(|owner| owner.index() as u16).collect();
    let one = || hashes.iter().fold(0, |last, &hash| maglev.owner_of_hash(hash ^ last).index() as u64);
    let read = |hash: u64| slots[((u128::from(hash) * slots.len() as u128) >> 64) as usize];
    let reads = || hashes.iter().fold(0, |last, &hash| u64::from(read(hash ^ last)));
    add("maglev, each after the one before / one read", pair(rounds, one, reads), many);

    // What is held against it was measured elsewhere: scores in lanes, and nothing else.
    if Level::best() != Level::PORTABLE {
        let (large, some) = (Fleet::new(10_000)?, &hashes[..256]);
        let scores = Rendezvous::new(Xxh3, &large.members)?;
        let one = || some.iter().fold(0, |sum, &hash| sum + scores.owner_of_hash(hash).index());
        let [ours, _] = pair(rounds, one, || ());
        add("rendezvous, 10,000 servers / 0.15 ns a server", [ours, 0.15 * 10_000.0 * 256.0], 256.0);
    }

    let jump = Jump::new(Xxh3, &Buckets::from(&fleet.members))?;
    let paper = || hashes.iter().fold(0_u64, |sum, &hash| sum + u64::from(plain::jump(hash, 1_000)));
    let one = || hashes.iter().fold(0, |sum, &hash| sum + jump.owner_of_hash(hash).index());
    add("jump, one by one / the paper's loop", pair(rounds, one, paper), many);
    let batch = pair(rounds, || jump.owners_of_hashes(hashes, &mut owners), paper);
    add("jump, in batches / the paper's loop", batch, many);

    let texts = &keys.texts[..8_192];
    let bytes: Vec<&[u8]> = texts.iter().map(String::as_bytes).collect();
    let digest = |text: &String| md5::Md5::digest(text.as_bytes())[0];
    let digests = || texts.iter().fold(0_usize, |sum, text| sum.wrapping_add(digest(text).into()));
    for (servers, one, batch) in [
        (
            10,
            "ketama, 10 servers / md5 by its crate alone",
            "ketama, 10 servers, in batches / md5 by its crate alone",
        ),
        (1_000, "ketama / md5 by its crate alone", "ketama, in batches / md5 by its crate alone"),
    ] {
        let fleet = Fleet::new(servers)?;
        let ring = clockwise::dialect::libketama::Options::default().build(&Buckets::from(&fleet.members))?;
        let lookups = || texts.iter().fold(0, |sum, key| sum + ring.owner_ix(key).index());
        add(one, pair(rounds, lookups, digests), texts.len() as f64);
        let lookups = || ring.owners_of(&bytes, &mut owners[..texts.len()]);
        add(batch, pair(rounds, lookups, digests), texts.len() as f64);
    }

    // A position and a server, as a plain ring has them: with the space between, as many bytes as ours keeps. They
    // are copied to where a copy of them is already: the system is asked for no memory, which would take longer
    // than to copy, and by a join neither, from the second round on.
    let points: Vec<(u64, ServerIx)> = ring.points().collect();
    let mut copy = points.clone();
    let mut copying = || {
        copy.copy_from_slice(&points);
        black_box(&mut copy);
    };
    let joined = fleet.members.with(Server::new("another")?)?;
    let after = Ring::builder(Xxh3).build(&joined)?;
    let arcs = pair(rounds, || ring.diff(&after), &mut copying);
    add("arcs moved by a join / copying 16 bytes a point", arcs, 1.0);
    let join = || Ring::builder(Xxh3).build_after(&ring, &joined);
    add("a join / copying 16 bytes a point", pair(rounds, join, &mut copying), 1.0);

    // A fleet at work: every key holds a place, and each in turn takes another and gives back the one it had.
    // Both hash the key, take the first server with room below 5/4 of the mean, and count. Ours counts for all
    // threads, with four atomic operations a lease; the plain one, in a sorted list searched by halving and with a
    // cap by division, for one. Each turn goes over the keys four times, so that most of it finds in the caches what
    // the work itself leaves there, and not what the other left.
    let bounded = Bounded::new(ring.clone(), Cap::percent_over_mean(25)?);
    let mut held: Vec<_> = hashes.iter().map(|key| bounded.acquire(key.to_le_bytes())).collect();
    let leases = || {
        for _ in 0..PASSES {
            for (lease, key) in held.iter_mut().zip(hashes) {
                *lease = bounded.acquire(key.to_le_bytes());
            }
        }
    };
    let mut searched = plain::Bounded::new(plain::Ring::new(&fleet.members, 160), 1_000);
    let hashed = |key: &u64| xxh3_64(&key.to_le_bytes(), 0);
    let mut places: Vec<u32> = hashes.iter().map(|key| searched.acquire(hashed(key))).collect();
    let search = || {
        for _ in 0..PASSES {
            for (place, key) in places.iter_mut().zip(hashes) {
                let before = std::mem::replace(place, searched.acquire(hashed(key)));
                searched.release(before);
            }
        }
    };
    let taken = many * f64::from(PASSES);
    add("bounded, lease taken and given back / plain search", pair(rounds, leases, search), taken);
    drop(held);
    let [two, one] = threads(rounds, &bounded, &hashes[..16_384]);
    add("bounded, leases of two threads / of one", [two, one], 16_384.0);
    Ok(loops)
}

/// Nanoseconds that two threads take for half of the leases each, and one thread for all, by the clock on the
/// wall: only with two idle cores is that more than a lower bound of what two threads can do.
fn threads(rounds: u32, bounded: &Bounded<Ring>, keys: &[u64]) -> [f64; 2] {
    let hold = |keys: &[u64]| {
        let held: Vec<_> = keys.iter().map(|key| bounded.acquire(key.to_le_bytes())).collect();
        black_box(held.len());
    };
    let mut least = [f64::MAX; 2];
    for _ in 0..rounds {
        for (parts, least) in [2, 1].into_iter().zip(&mut least) {
            let ready = Barrier::new(parts);
            let took = thread::scope(|scope| {
                let work = |keys| {
                    ready.wait();
                    let start = Instant::now();
                    // Several times over, so that the threads meet.
                    (0..8).for_each(|_| hold(keys));
                    start.elapsed().as_secs_f64() * 1e9 / 8.0
                };
                let threads: Vec<_> =
                    keys.chunks(keys.len() / parts).map(|keys| scope.spawn(move || work(keys))).collect();
                threads.into_iter().filter_map(|thread| thread.join().ok()).fold(0.0, f64::max)
            });
            *least = least.min(took);
        }
    }
    least
}
