//! Fleets as the library takes them, with names, weights and zones: for kernels that measure the
//! library's own schemes, and for the shapes that only it has (a walk, replicas, an allocator).

use std::borrow::Cow;

use clockwise::hash::{KeyHash, SplitMix64, Width};
use clockwise::ring::{Boundary, Tie};
use clockwise::{Buckets, Built, Error, Placement, Ring, Server, ServerIx, fill};

use super::random::{Random, Stream};

/// Keys that are their own hash: eight bytes, least significant first. Random positions on a ring of
/// the library, without a hash in between.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bits;

impl KeyHash for Bits {
    fn width(&self) -> Width {
        Width::Bits64
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        bytes.iter().take(8).rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("bits")
    }
}

/// Random keys.
pub(super) fn keys(random: &mut Random, count: usize) -> Vec<[u8; 8]> {
    (0..count).map(|_| random.bits().to_le_bytes()).collect()
}

/// The server of a number. Its name is its own under every seed, so that schemes that hash names
/// give each seed another placement.
pub(super) fn server(seed: u64, number: u32) -> Result<Server, Error> {
    Server::new(format!("{seed:016x}-{number}"))
}

/// A ring of these servers, by number, with `points` random points each. A server has the same
/// points in every ring of the seed.
pub(super) fn ring(seed: u64, numbers: &[u32], points: u32) -> Result<Ring<Bits>, Error> {
    let servers = numbers.iter().map(|&number| server(seed, number)).collect::<Result<Vec<_>, _>>()?;
    let drawn = numbers.iter().zip(0..).flat_map(|(&number, at)| {
        let mut random = Random::new(seed ^ SplitMix64::mix(u64::from(number)), Stream::Points);
        (0..points).map(move |_| (random.bits(), ServerIx::new(at)))
    });
    Ring::from_points(Bits, &Buckets::new(servers)?, drawn.collect(), Boundary::AtOrAfter, Tie::First)
}

/// How many keys are on another server. Servers are those of `before` and `after` by number.
pub(super) fn moved((before, old): (&[ServerIx], &[u32]), (after, new): (&[ServerIx], &[u32])) -> usize {
    before.iter().zip(after).filter(|(a, b)| old[a.index()] != new[b.index()]).count()
}

/// Where each key is. A scheme with a cap decides by load: it fills in the order of the keys.
pub(super) fn placed<K: AsRef<[u8]>>(built: &Built, keys: &[K]) -> Vec<ServerIx> {
    match (built.cap(), built.ranked()) {
        (Some(cap), Some(base)) => fill(base, keys, cap).servers().to_vec(),
        _ => {
            let keys: Vec<&[u8]> = keys.iter().map(AsRef::as_ref).collect();
            let mut owners = vec![ServerIx::new(0); keys.len()];
            built.owners_of(&keys, &mut owners);
            owners
        }
    }
}

/// The largest of what servers have, as a ratio to the mean.
pub(super) fn busiest(counts: &[u64]) -> f64 {
    let total: u64 = counts.iter().sum();
    counts.iter().copied().max().unwrap_or(0) as f64 * counts.len() as f64 / total as f64
}

/// What a kernel measures at one setting.
#[cfg(test)]
pub(super) fn measured(
    kernel: &super::Kernel,
    knobs: &[(&str, crate::experiment::Value)],
    seed: u64,
    keys: usize,
) -> super::Measures {
    let value = |knob: &super::Knob| knobs.iter().find(|(name, _)| *name == knob.name).unwrap().1.clone();
    let setting =
        crate::experiment::Setting::new(kernel.knobs.iter().map(|knob| (knob.name, value(knob))).collect());
    assert_eq!((kernel.fits)(&setting), Ok(()));
    let mut out = super::Measures::default();
    (kernel.run)(&super::Trial { setting: &setting, seed, keys }, &mut out).unwrap();
    for (name, _) in out.iter() {
        assert!(kernel.metric(name).is_some(), "{name} is no metric of {}", kernel.name);
    }
    out
}
