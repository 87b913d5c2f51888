//! A placement of each scheme from a fleet, at each size of the fleet.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

use clockwise::hash::Xxh3;
use clockwise::{Jump, Maglev, ModN, Rendezvous, Ring};
use clockwise_ratios::{FLEETS, list, members};

fn builds(criterion: &mut Criterion) {
    for servers in FLEETS {
        let (list, members) = (list(servers).unwrap(), members(servers).unwrap());
        curve(criterion, "ring", servers, || Ring::builder(Xxh3).build(&members).unwrap());
        curve(criterion, "rendezvous", servers, || Rendezvous::new(Xxh3, &members).unwrap());
        curve(criterion, "jump", servers, || Jump::new(Xxh3, &list).unwrap());
        curve(criterion, "maglev", servers, || Maglev::new(Xxh3, &members).unwrap());
        curve(criterion, "mod-n", servers, || ModN::new(Xxh3, &list).unwrap());
    }
}

fn curve<P>(criterion: &mut Criterion, scheme: &str, servers: u32, build: impl Fn() -> P) {
    let mut group = criterion.benchmark_group(format!("build/{scheme}"));
    group.bench_function(BenchmarkId::from_parameter(servers), |bencher| bencher.iter(&build));
    group.finish();
}

criterion_group!(benches, builds);
criterion_main!(benches);
