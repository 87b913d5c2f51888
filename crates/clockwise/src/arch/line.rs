//! Sixteen points of a ring in one line of cache, and which of them a key comes to: what a lookup waits for.

use super::Level;

/// How many fragments stand together.
pub(crate) const FRAGMENTS: usize = 16;

/// Sixteen bits each of ascending positions, in one half of a line of cache. They are signed, because so the
/// vectors that every x86-64 processor has compare them.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(test, derive(PartialEq))]
#[repr(align(32))]
pub(crate) struct Fragments([i16; FRAGMENTS]);

impl Fragments {
    /// The greatest there is, everywhere.
    pub(crate) const EMPTY: Fragments = Fragments([i16::MAX; FRAGMENTS]);

    #[inline]
    pub(crate) fn last_two(&self) -> [i16; 2] {
        [self.0[FRAGMENTS - 2], self.0[FRAGMENTS - 1]]
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, at: usize) -> Option<&mut i16> {
        self.0.get_mut(at)
    }

    /// Of the first so many, which ascend: the place of the first that is not below a key's, of the last if all
    /// are, and whether it is above the key's.
    #[inline]
    pub(crate) fn reached(&self, count: usize, key: i16) -> (usize, bool) {
        // Those below come first. The last need not be asked: it is what remains.
        let at = (self.below(key) & ((1 << (count - 1)) - 1)).trailing_ones() as usize;
        (at, self.0[at] > key)
    }

    /// Of those below a key's, a bit each.
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    #[inline]
    fn below(&self, key: i16) -> u32 {
        // SAFETY: the one requirement is a processor that has SSE2. This is compiled only where the whole
        // program is compiled for such.
        unsafe { self.in_vectors(key) }
    }

    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    #[target_feature(enable = "sse2")]
    #[inline]
    fn in_vectors(&self, key: i16) -> u32 {
        use core::arch::x86_64::{
            __m128i, _mm_cmpgt_epi16, _mm_load_si128, _mm_movemask_epi8, _mm_packs_epi16, _mm_set1_epi16,
        };

        let half: *const __m128i = (&raw const *self).cast();
        // SAFETY: sixteen fragments of two bytes are the two times sixteen bytes that are loaded, all of them
        // within what the reference is to; any bytes are numbers; and by its type it stands at a multiple of
        // 32, where the loads ask for one of 16.
        let (low, high) = unsafe { (_mm_load_si128(half), _mm_load_si128(half.add(1))) };
        let key = _mm_set1_epi16(key);
        _mm_movemask_epi8(_mm_packs_epi16(_mm_cmpgt_epi16(key, low), _mm_cmpgt_epi16(key, high))) as u32
    }

    /// Of those below a key's, a bit each.
    #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
    #[inline]
    fn below(&self, key: i16) -> u32 {
        self.plainly(key)
    }

    /// The same in a loop, which compilers turn into vectors.
    #[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "sse2"))))]
    #[inline]
    fn plainly(&self, key: i16) -> u32 {
        (0..).zip(&self.0).map(|(at, &fragment)| u32::from(fragment < key) << at).sum()
    }
}

/// The points of a bucket: sixteen bits of the position of each, and its owner.
///
/// Where there are fewer, the rest has the greatest fragment and the owner of the point that follows. Where there
/// are more, the first sixteen stand here.
#[derive(Clone, Copy)]
#[cfg_attr(test, derive(Debug, PartialEq))]
#[repr(C, align(64))]
pub(crate) struct Line {
    pub(crate) fragments: Fragments,
    pub(crate) owners: [u16; FRAGMENTS],
}

impl Line {
    /// The owner of a key with this fragment, or the place from which on it is to be looked for, where the
    /// points here and fragments leave it open.
    #[inline]
    pub(crate) fn owner(&self, key: i16) -> Result<u16, usize> {
        self.owner_at(self.fragments.reached(FRAGMENTS, key))
    }

    #[inline]
    fn owner_at(&self, (at, told): (usize, bool)) -> Result<u16, usize> {
        if told { Ok(self.owners[at]) } else { Err(at) }
    }
}

/// The owner of each key, by its line and its fragment: what [`Line::owner`] says, as `named` makes an owner of
/// it and of which key it is.
#[inline]
pub(crate) fn owners<O>(
    level: Level,
    keys: &[(&Line, i16)],
    owners: &mut [O],
    named: impl Fn(usize, Result<u16, usize>) -> O,
) {
    match level.0 {
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        // SAFETY: the one requirement is a processor that has AVX2. A level of these values is made only by
        // `Level::avx2` and `Level::avx512`, after the processor and the operating system said that they
        // have it: there is none with AVX-512 that lacks AVX2, and `Level::avx512` asks for that as well.
        super::Instructions::Avx2 | super::Instructions::Avx512 => unsafe {
            avx2(keys, owners, named);
        },
        super::Instructions::Portable => {
            for (at, (owner, &(line, key))) in owners.iter_mut().zip(keys).enumerate() {
                *owner = named(at, line.owner(key));
            }
        }
    }
}

#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[target_feature(enable = "avx2")]
fn avx2<O>(keys: &[(&Line, i16)], owners: &mut [O], named: impl Fn(usize, Result<u16, usize>) -> O) {
    use core::arch::x86_64::{
        __m256i, _mm256_cmpgt_epi16, _mm256_load_si256, _mm256_movemask_epi8, _mm256_set1_epi16,
    };

    for (number, (owner, &(line, key))) in owners.iter_mut().zip(keys).enumerate() {
        let fragments: *const __m256i = (&raw const line.fragments).cast();
        // SAFETY: sixteen fragments of two bytes are the 32 bytes that are loaded, all of them within what the
        // reference is to; any bytes are numbers; and by its type it stands at a multiple of 32, which the
        // load asks for.
        let fragments = unsafe { _mm256_load_si256(fragments) };
        let below = _mm256_movemask_epi8(_mm256_cmpgt_epi16(_mm256_set1_epi16(key), fragments));
        // As in `reached`, with two bits for each.
        let at = (below & 0x3fff_ffff).trailing_ones() as usize / 2;
        *owner = named(number, line.owner_at((at, line.fragments.0[at] > key)));
    }
}

#[cfg(test)]
mod tests {
    use std::format;
    use std::vec::Vec;

    use super::*;
    use crate::testing::Random;

    #[test]
    fn every_level_finds_the_place_that_the_plain_loop_finds() {
        let mut random = Random(0x5eed_0040);
        for round in 0..5_000 {
            let bits = 1 + round % 16;
            let mut fragments = [0; FRAGMENTS];
            fragments
                .fill_with(|| ((random.next() >> (64 - bits)) as u16 | ((round % 3) << 14) as u16) as i16);
            fragments.sort_unstable();
            // What a line has no points for is at the end.
            fragments[random.next() as usize % (FRAGMENTS + 1)..].fill(i16::MAX);
            let beside = |fragment: i16| [fragment.wrapping_sub(1), fragment, fragment.wrapping_add(1)];
            let keys: Vec<i16> =
                fragments.into_iter().flat_map(beside).chain([0, -1, i16::MIN, i16::MAX]).collect();
            let line = Line { fragments: Fragments(fragments), owners: core::array::from_fn(|at| at as u16) };
            let rule = |key: i16| match fragments.iter().position(|&fragment| fragment >= key) {
                Some(at) if fragments[at] > key => Ok(at as u16),
                Some(at) => Err(at),
                None => Err(FRAGMENTS - 1),
            };
            let expected: Vec<(usize, Result<u16, usize>)> =
                keys.iter().map(|&key| rule(key)).enumerate().collect();
            for level in Level::all() {
                let asked: Vec<(&Line, i16)> = keys.iter().map(|&key| (&line, key)).collect();
                let mut found = std::vec![(7, Ok(7)); keys.len()];
                owners(level, &asked, &mut found, |number, owner| (number, owner));
                assert_eq!(found, expected, "{level}, {keys:?} among {fragments:?}");
            }
            for &key in &keys {
                let context = format!("{key} among {fragments:?}");
                assert_eq!(line.fragments.below(key), line.fragments.plainly(key), "{context}");
                assert_eq!(line.owner(key), rule(key), "{context}");
            }
        }
    }
}
