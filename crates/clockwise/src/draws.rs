//! Numbers below a bound that a key draws: what schemes without tables of their own choose buckets by.

use crate::hash::SplitMix64;

/// Number `turn` of the generator [`SplitMix64`] seeded with the key hash, brought below `below` by
/// multiplication: ⌊number × below ⁄ 2⁶⁴⌋. 0 where there is no number below.
#[inline]
pub(crate) fn draw(key_hash: u64, turn: u64, below: u32) -> u32 {
    let number = SplitMix64::mix(key_hash.wrapping_add(turn.wrapping_mul(SplitMix64::STEP)));
    ((u128::from(number) * u128::from(below)) >> 64) as u32
}
