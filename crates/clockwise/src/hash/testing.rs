//! What the tests of several hashes share.

use alloc::vec::Vec;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// The same cases every time; a failure prints the input itself.
pub(crate) fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 512,
        rng_seed: RngSeed::Fixed(0xc10c),
        failure_persistence: None,
        ..Default::default()
    }
}

/// Byte strings of all lengths in which hashes change their way: short tails, whole blocks, and
/// beyond the 240 bytes where XXH3 starts to stripe.
pub(crate) fn byte_strings() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        3 => proptest::collection::vec(any::<u8>(), 0..=48),
        1 => proptest::collection::vec(any::<u8>(), 0..=1200),
    ]
}

/// The verification value by which SMHasher identifies a hash: the keys are the first i of the
/// bytes 0, 1, 2 … under seed 256 − i, and their hashes, laid end to end, are hashed with seed 0.
pub(crate) fn smhasher_verification<const N: usize>(hash: impl Fn(&[u8], u32) -> [u8; N]) -> u32 {
    let key: Vec<u8> = (0..=255).collect();
    let hashes: Vec<u8> = (0..256).flat_map(|i| hash(&key[..i], 256 - i as u32)).collect();
    let last = hash(&hashes, 0);
    u32::from_le_bytes([last[0], last[1], last[2], last[3]])
}
