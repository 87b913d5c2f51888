//! What starts from a ready hash, against the least that the machine could do: reads, copies, the paper's
//! own loop.

use std::cell::RefCell;
use std::error::Error;

use clockwise::hash::{KeyHash, Md5Word, SplitMix64, Xxh3, xxh3_64};
use clockwise::{Bounded, Buckets, Cap, Jump, Ring, Server, ServerIx};
use clockwise_ratios::plain;

use crate::harness::{Fleet, Keys, pair};

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
    // About as many bytes as ends and as the index take; sizes are powers of 2, so that a mask will do.
    let table: Vec<u64> = (0..1 << 17).map(SplitMix64::mix).collect();
    let front: Vec<u64> = (0..1 << 16).map(SplitMix64::mix).collect();
    let reads = || {
        hashes.iter().fold(0_u64, |sum, &hash| {
            let first = front[(hash >> 20) as usize & (front.len() - 1)] & 7;
            sum.wrapping_add(table[(hash ^ first) as usize & (table.len() - 1)])
        })
    };
    let one = || hashes.iter().fold(0, |sum, &hash| sum + ring.owner_of_hash(hash).index());
    add("ring, one by one / two reads in turn", pair(rounds, one, reads), many);
    let batch = pair(rounds, || ring.owners_of_hashes(hashes, &mut owners), reads);
    add("ring, in batches / two reads in turn", batch, many);

    let jump = Jump::new(Xxh3, &Buckets::from(&fleet.members))?;
    let paper = || hashes.iter().fold(0_u64, |sum, &hash| sum + u64::from(plain::jump(hash, 1_000)));
    let one = || hashes.iter().fold(0, |sum, &hash| sum + jump.owner_of_hash(hash).index());
    add("jump, one by one / the paper's loop", pair(rounds, one, paper), many);
    let batch = pair(rounds, || jump.owners_of_hashes(hashes, &mut owners), paper);
    add("jump, in batches / the paper's loop", batch, many);

    let md5 = clockwise::dialect::libketama::Options::default().build(&Buckets::from(&fleet.members))?;
    let texts = &keys.texts[..8_192];
    let lookups = || texts.iter().fold(0, |sum, key| sum + md5.owner_ix(key).index());
    let digests = || texts.iter().fold(0_u64, |sum, key| sum.wrapping_add(Md5Word.hash(key.as_bytes())));
    add("ketama / md5 alone", pair(rounds, lookups, digests), texts.len() as f64);

    let points: Vec<(u64, ServerIx)> = ring.points().collect();
    let joined = fleet.members.with(Server::new("another")?)?;
    let after = Ring::builder(Xxh3).build(&joined)?;
    add(
        "arcs moved by a join / copying the points",
        pair(rounds, || ring.diff(&after), || points.clone()),
        1.0,
    );
    let build = || Ring::builder(Xxh3).build(&joined);
    add("a join, built anew / copying the points", pair(rounds, build, || points.clone()), 1.0);

    let bounded = Bounded::new(ring.clone(), Cap::percent_over_mean(25)?);
    let searched = RefCell::new(plain::Bounded::new(plain::Ring::new(&fleet.members, 160), 1_000));
    let leases = || {
        let held: Vec<_> = hashes[..16_384].iter().map(|key| bounded.acquire(key.to_le_bytes())).collect();
        held.len()
    };
    let search = || {
        let mut bounded = searched.borrow_mut();
        let keys = hashes[..16_384].iter();
        let held: Vec<u32> = keys.map(|key| bounded.acquire(xxh3_64(&key.to_le_bytes(), 0))).collect();
        held.into_iter().for_each(|server| bounded.release(server));
    };
    add("bounded, lease taken and given back / plain search", pair(rounds, leases, search), 16_384.0);
    Ok(loops)
}
