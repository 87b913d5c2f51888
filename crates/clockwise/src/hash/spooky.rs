//! SpookyHash V2, by which mcrouter draws for a key against a server's weight.
//!
//! | seed | value | check |
//! |---|---|---|
//! | a 32-bit number, given to both words of the state | low 32 bits of the first word | SMHasher verification value `a48be265` |
//!
//! Words are read little-endian on every machine. Keys below 192 bytes take the short way.
//!
//! Source: Bob Jenkins, "SpookyHash: a 128-bit noncryptographic hash", version 2, public domain,
//! <https://burtleburtle.net/bob/hash/spooky.html>.

use super::murmur3::little_endian;
use super::row::Row;

const CONST: u64 = 0xdead_beef_dead_beef;

/// SpookyHash V2 in 32 bits, of the parts as one text.
pub(crate) fn spooky_32(parts: &[&[u8]], seed: u32) -> u32 {
    let row = Row::new(parts);
    let seed = u64::from(seed);
    if row.len() < 192 { short(row, seed) as u32 } else { long(row, seed) as u32 }
}

fn short(mut row: Row<'_>, seed: u64) -> u64 {
    let mut h = [seed, seed, CONST, CONST];
    let (length, mut room) = (row.len(), [0; 32]);
    let mut rest = loop {
        let block = row.next(&mut room);
        if block.len() < 32 {
            break block;
        }
        add(&mut h[2..], &block[..16]);
        short_mix(&mut h);
        add(&mut h[..2], &block[16..]);
    };
    if rest.len() >= 16 {
        add(&mut h[2..], &rest[..16]);
        short_mix(&mut h);
        rest = &rest[16..];
    }
    h[3] = h[3].wrapping_add((length as u64) << 56);
    if rest.is_empty() {
        h[2] = h[2].wrapping_add(CONST);
        h[3] = h[3].wrapping_add(CONST);
    } else {
        add(&mut h[2..], rest);
    }
    short_end(&mut h);
    h[0]
}

/// Adds bytes to words, eight to each; missing ones are zero.
fn add(words: &mut [u64], bytes: &[u8]) {
    for (word, bytes) in words.iter_mut().zip(bytes.chunks(8)) {
        *word = word.wrapping_add(little_endian(bytes));
    }
}

fn short_mix(h: &mut [u64; 4]) {
    const TURNS: [u32; 12] = [50, 52, 30, 41, 54, 48, 38, 37, 62, 34, 5, 36];
    for (i, turn) in (2..).zip(TURNS) {
        let (at, next, after) = (i % 4, (i + 1) % 4, (i + 2) % 4);
        h[at] = h[at].rotate_left(turn).wrapping_add(h[next]);
        h[after] ^= h[at];
    }
}

fn short_end(h: &mut [u64; 4]) {
    const TURNS: [u32; 11] = [15, 52, 26, 51, 28, 9, 47, 54, 32, 25, 63];
    for (i, turn) in (2..).zip(TURNS) {
        let (at, next) = (i % 4, (i + 1) % 4);
        h[next] ^= h[at];
        h[at] = h[at].rotate_left(turn);
        h[next] = h[next].wrapping_add(h[at]);
    }
}

fn long(mut row: Row<'_>, seed: u64) -> u64 {
    let mut h = [seed, seed, CONST, seed, seed, CONST, seed, seed, CONST, seed, seed, CONST];
    let mut room = [0; 96];
    loop {
        let filled = row.next(&mut room).len();
        if filled < 96 {
            room[filled..].fill(0);
            room[95] = filled as u8;
            break;
        }
        long_mix(&mut h, &room);
    }
    add(&mut h, &room);
    for _ in 0..3 {
        long_end(&mut h);
    }
    h[0]
}

fn long_mix(h: &mut [u64; 12], block: &[u8; 96]) {
    const TURNS: [u32; 12] = [11, 32, 43, 31, 17, 28, 39, 57, 55, 54, 22, 46];
    for (i, word) in block.as_chunks::<8>().0.iter().enumerate() {
        let [second, tenth, before] = [2, 10, 11].map(|ahead| (i + ahead) % 12);
        h[i] = h[i].wrapping_add(u64::from_le_bytes(*word));
        h[second] ^= h[tenth];
        h[before] ^= h[i];
        h[i] = h[i].rotate_left(TURNS[i]);
        h[before] = h[before].wrapping_add(h[(i + 1) % 12]);
    }
}

fn long_end(h: &mut [u64; 12]) {
    const TURNS: [u32; 12] = [44, 15, 34, 21, 38, 33, 10, 13, 38, 53, 42, 54];
    for (i, turn) in TURNS.into_iter().enumerate() {
        let [next, second, before] = [1, 2, 11].map(|ahead| (i + ahead) % 12);
        h[before] = h[before].wrapping_add(h[next]);
        h[second] ^= h[before];
        h[next] = h[next].rotate_left(turn);
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::hash::testing::smhasher_verification;

    #[test]
    fn published_verification_value() {
        let hash = |bytes: &[u8], seed: u32| spooky_32(&[bytes], seed).to_le_bytes();
        assert_eq!(smhasher_verification(hash), 0xa48b_e265);
    }

    /// Of the bytes 128, 129 … as in the author's test; by the Python package `spookyhash` 2.1.1.
    #[test]
    fn values_on_both_sides_of_192_bytes() {
        let bytes: Vec<u8> = (0..=511_u32).map(|i| (i + 128) as u8).collect();
        for (length, value) in [
            (0, 0x6bf5_0919),
            (1, 0x70de_1d26),
            (15, 0x83ec_01f9),
            (16, 0xf274_736c),
            (31, 0x027b_ca7c),
            (32, 0xe5cf_c8b6),
            (33, 0xce01_d9d7),
            (191, 0xe13d_9e19),
            (192, 0x77e0_12bd),
            (193, 0x2d05_114c),
            (287, 0xc22c_642d),
            (288, 0x4788_0140),
            (511, 0xcc1c_8250),
        ] {
            assert_eq!(spooky_32(&[&bytes[..length]], 0), value, "{length}");
            let (front, back) = bytes[..length].split_at(length / 3);
            assert_eq!(spooky_32(&[front, back], 0), value, "{length}");
        }
    }
}
