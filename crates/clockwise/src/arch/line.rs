//! How many of sixteen fragments a key has passed: what a lookup on a ring waits for.

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

    /// The fragment at a place below 16.
    #[inline]
    pub(crate) fn get(&self, at: usize) -> Option<i16> {
        self.0.get(at).copied()
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, at: usize) -> Option<&mut i16> {
        self.0.get_mut(at)
    }

    /// How many are below a key's.
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    #[inline]
    pub(crate) fn passed(&self, key: i16) -> usize {
        // SAFETY: the one requirement is a processor that has SSE2. This is compiled only where the whole
        // program is compiled for such.
        unsafe { self.in_vectors(key) }
    }

    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    #[target_feature(enable = "sse2")]
    #[inline]
    fn in_vectors(&self, key: i16) -> usize {
        use core::arch::x86_64::{
            __m128i, _mm_cmpgt_epi16, _mm_load_si128, _mm_movemask_epi8, _mm_packs_epi16, _mm_set1_epi16,
        };

        let half: *const __m128i = (&raw const *self).cast();
        // SAFETY: sixteen fragments of two bytes are the two times sixteen bytes that are loaded, all of them
        // within what the reference is to; any bytes are numbers; and by its type it stands at a multiple of
        // 32, where the loads ask for one of 16.
        let (low, high) = unsafe { (_mm_load_si128(half), _mm_load_si128(half.add(1))) };
        let key = _mm_set1_epi16(key);
        let below = _mm_packs_epi16(_mm_cmpgt_epi16(key, low), _mm_cmpgt_epi16(key, high));
        // They ascend, so that those below come first; above the sixteen bits there are only zeros.
        _mm_movemask_epi8(below).trailing_ones() as usize
    }

    /// How many are below a key's.
    #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
    #[inline]
    pub(crate) fn passed(&self, key: i16) -> usize {
        self.plainly(key)
    }

    /// The same in a loop, which compilers turn into vectors.
    #[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "sse2"))))]
    #[inline]
    fn plainly(&self, key: i16) -> usize {
        self.0.iter().map(|&fragment| u16::from(fragment < key)).sum::<u16>().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    #[test]
    fn vectors_count_as_the_plain_loop_does() {
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
            for key in fragments.into_iter().flat_map(beside).chain([0, -1, i16::MIN, i16::MAX]) {
                let plainly = Fragments(fragments).plainly(key);
                assert_eq!(Fragments(fragments).passed(key), plainly, "{key} among {fragments:?}");
            }
        }
    }
}
