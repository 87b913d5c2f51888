//! The owner of a key hash, of each scheme, at each size of the fleet.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;

use clockwise::hash::Xxh3;

use clockwise::{Bounded, Cap, Jump, Maglev, ModN, Rendezvous, Ring, ServerIx, SlotMap, Slots};
use clockwise_ratios::{FLEETS, hashes, list, members};

fn lookups(criterion: &mut Criterion) {
    for servers in FLEETS {
        let (list, members) = (list(servers).unwrap(), members(servers).unwrap());
        let ring = Ring::builder(Xxh3).build(&members).unwrap();
        curve(criterion, "ring", servers, |hash| ring.owner_of_hash(hash));
        let rendezvous = Rendezvous::new(Xxh3, &members).unwrap();
        curve(criterion, "rendezvous", servers, |hash| rendezvous.owner_of_hash(hash));
        let jump = Jump::new(Xxh3, &list).unwrap();
        curve(criterion, "jump", servers, |hash| jump.owner_of_hash(hash));
        let maglev = Maglev::new(Xxh3, &members).unwrap();
        curve(criterion, "maglev", servers, |hash| maglev.owner_of_hash(hash));
        let slots = Slots::new(Xxh3, &SlotMap::even(&members, 16_384).unwrap()).unwrap();
        curve(criterion, "slots", servers, |hash| slots.owner_of_hash(hash));
        let mod_n = ModN::new(Xxh3, &list).unwrap();
        curve(criterion, "mod-n", servers, |hash| mod_n.owner_of_hash(hash));
    }
}

/// A lease taken and given back, with its owner: what counting costs beside the lookup.
fn leases(criterion: &mut Criterion) {
    for servers in FLEETS {
        let ring = Ring::builder(Xxh3).build(&members(servers).unwrap()).unwrap();
        let bounded = Bounded::new(ring, Cap::percent_over_mean(25).unwrap());
        curve(criterion, "bounded", servers, |key| bounded.acquire(key.to_le_bytes()).server_ix());
    }
}

/// Many lookups in a row, each free to overlap with the next.
fn curve(criterion: &mut Criterion, scheme: &str, servers: u32, owner: impl Fn(u64) -> ServerIx) {
    let hashes = hashes();
    let mut group = criterion.benchmark_group(format!("lookup/{scheme}"));
    group.throughput(Throughput::Elements(hashes.len() as u64));
    group.bench_function(BenchmarkId::from_parameter(servers), |bencher| {
        bencher.iter(|| {
            for &hash in black_box(&hashes) {
                black_box(owner(hash));
            }
        });
    });
    group.finish();
}

criterion_group!(benches, lookups, leases);
criterion_main!(benches);
