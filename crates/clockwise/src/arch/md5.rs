//! The digests of sixteen texts at once, by MD5 in vectors.
//!
//! Every step of MD5 waits for the one before, so one text leaves most of a processor idle. Texts have
//! nothing to do with each other: a vector takes the same step for as many of them as it has lanes. One list
//! of steps serves all, single texts too.

use super::{Instructions, Level};

/// Texts in one go: two vectors of AVX2, one of AVX-512, four of SSE2.
pub(crate) const TEXTS: usize = 16;

/// The blocks of so many texts, word by word: first the first word of each.
pub(crate) type Blocks = [[u32; TEXTS]; 16];

/// The digests of texts that fill one block each, word by word.
pub(crate) fn digests(level: Level, blocks: &Blocks) -> [[u32; TEXTS]; 4] {
    match level.0 {
        // SAFETY: `sse2::digests` requires a processor that has SSE2, and nothing else: its parameter
        // is a reference. This arm is compiled only into programs for processors that all have it.
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        Instructions::Portable => unsafe { sse2::digests(blocks) },
        #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
        Instructions::Portable => plain(blocks),
        // SAFETY: likewise with AVX2. A level of this value is made only by `Level::avx2`, after the
        // processor and the operating system said that they have it.
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        Instructions::Avx2 => unsafe { avx2::digests(blocks) },
        // SAFETY: likewise, by `Level::avx512`, which asks for AVX-512F among others.
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        Instructions::Avx512 => unsafe { avx512::digests(blocks) },
    }
}

/// What a digest begins with.
const START: [u32; 4] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];

/// ⌊2³² × |sin(i + 1)|⌋ for step i.
#[rustfmt::skip]
const CONSTANTS: [u32; 64] = [
    0xd76a_a478, 0xe8c7_b756, 0x2420_70db, 0xc1bd_ceee, 0xf57c_0faf, 0x4787_c62a, 0xa830_4613, 0xfd46_9501,
    0x6980_98d8, 0x8b44_f7af, 0xffff_5bb1, 0x895c_d7be, 0x6b90_1122, 0xfd98_7193, 0xa679_438e, 0x49b4_0821,
    0xf61e_2562, 0xc040_b340, 0x265e_5a51, 0xe9b6_c7aa, 0xd62f_105d, 0x0244_1453, 0xd8a1_e681, 0xe7d3_fbc8,
    0x21e1_cde6, 0xc337_07d6, 0xf4d5_0d87, 0x455a_14ed, 0xa9e3_e905, 0xfcef_a3f8, 0x676f_02d9, 0x8d2a_4c8a,
    0xfffa_3942, 0x8771_f681, 0x6d9d_6122, 0xfde5_380c, 0xa4be_ea44, 0x4bde_cfa9, 0xf6bb_4b60, 0xbebf_bc70,
    0x289b_7ec6, 0xeaa1_27fa, 0xd4ef_3085, 0x0488_1d05, 0xd9d4_d039, 0xe6db_99e5, 0x1fa2_7cf8, 0xc4ac_5665,
    0xf429_2244, 0x432a_ff97, 0xab94_23a7, 0xfc93_a039, 0x655b_59c3, 0x8f0c_cc92, 0xffef_f47d, 0x8584_5dd1,
    0x6fa8_7e4f, 0xfe2c_e6e0, 0xa301_4314, 0x4e08_11a1, 0xf753_7e82, 0xbd3a_f235, 0x2ad7_d2bb, 0xeb86_d391,
];

/// The steps of RFC 1321, section 3.4, as calls of `$step` with the function of the round, the state, the numbers
/// of the word and of the constant, and the rotation: for one text or, in vectors, for many.
macro_rules! rounds {
    ($step:ident, $a:ident, $b:ident, $c:ident, $d:ident) => {
        for i in [0, 4, 8, 12] {
            $step!(first, $a, $b, $c, $d, i, i, 7);
            $step!(first, $d, $a, $b, $c, i + 1, i + 1, 12);
            $step!(first, $c, $d, $a, $b, i + 2, i + 2, 17);
            $step!(first, $b, $c, $d, $a, i + 3, i + 3, 22);
        }
        for i in [16, 20, 24, 28] {
            $step!(second, $a, $b, $c, $d, (5 * i + 1) % 16, i, 5);
            $step!(second, $d, $a, $b, $c, (5 * i + 6) % 16, i + 1, 9);
            $step!(second, $c, $d, $a, $b, (5 * i + 11) % 16, i + 2, 14);
            $step!(second, $b, $c, $d, $a, (5 * i + 16) % 16, i + 3, 20);
        }
        for i in [32, 36, 40, 44] {
            $step!(third, $a, $b, $c, $d, (3 * i + 5) % 16, i, 4);
            $step!(third, $d, $a, $b, $c, (3 * i + 8) % 16, i + 1, 11);
            $step!(third, $c, $d, $a, $b, (3 * i + 11) % 16, i + 2, 16);
            $step!(third, $b, $c, $d, $a, (3 * i + 14) % 16, i + 3, 23);
        }
        for i in [48, 52, 56, 60] {
            $step!(fourth, $a, $b, $c, $d, (7 * i) % 16, i, 6);
            $step!(fourth, $d, $a, $b, $c, (7 * i + 7) % 16, i + 1, 10);
            $step!(fourth, $c, $d, $a, $b, (7 * i + 14) % 16, i + 2, 15);
            $step!(fourth, $b, $c, $d, $a, (7 * i + 21) % 16, i + 3, 21);
        }
    };
}
/// The digest of a text that fills one block with what is put behind it.
///
/// Each step waits for the one before, so its time is that of the longest chain from b on: what needs no b
/// is added up first. Of constants that it can see a compiler makes the last addend, on that chain, which
/// costs a cycle a step: so it is not shown them.
#[inline]
pub(crate) fn block(words: &[u32; 16]) -> [u32; 4] {
    let [mut a, mut b, mut c, mut d] = START;
    let constants = core::hint::black_box(&CONSTANTS);
    macro_rules! step {
        ($mix:ident, $a:ident, $b:ident, $c:ident, $d:ident, $word:expr, $constant:expr, $by:literal) => {
            let sum = $a.wrapping_add(constants[$constant]).wrapping_add(words[$word]);
            $a = $mix(sum, $b, $c, $d).rotate_left($by).wrapping_add($b);
        };
    }
    rounds!(step, a, b, c, d);
    let [from_a, from_b, from_c, from_d] = START;
    [a.wrapping_add(from_a), b.wrapping_add(from_b), c.wrapping_add(from_c), d.wrapping_add(from_d)]
}

/// F of the text, added.
#[inline(always)]
fn first(sum: u32, b: u32, c: u32, d: u32) -> u32 {
    sum.wrapping_add(d ^ b & (c ^ d))
}

/// G. Its two halves have no bit in common, so that they can be added apart.
#[inline(always)]
fn second(sum: u32, b: u32, c: u32, d: u32) -> u32 {
    sum.wrapping_add(c & !d).wrapping_add(b & d)
}

/// H.
#[inline(always)]
fn third(sum: u32, b: u32, c: u32, d: u32) -> u32 {
    sum.wrapping_add(c ^ d ^ b)
}

/// I.
#[inline(always)]
fn fourth(sum: u32, b: u32, c: u32, d: u32) -> u32 {
    sum.wrapping_add(c ^ (b | !d))
}

/// One text after the other.
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "sse2"))))]
fn plain(blocks: &Blocks) -> [[u32; TEXTS]; 4] {
    let mut digests = [[0; TEXTS]; 4];
    for text in 0..TEXTS {
        let digest = block(&core::array::from_fn(|word| blocks[word][text]));
        for (words, word) in digests.iter_mut().zip(digest) {
            words[text] = word;
        }
    }
    digests
}

/// The digests in vectors of `$lanes` lanes, from the operations that stand in scope.
#[cfg(target_arch = "x86_64")]
macro_rules! digests_in_vectors {
    ($features:literal, $lanes:literal) => {
        const VECTORS: usize = TEXTS / $lanes;

        type State = [Vector; VECTORS];

        /// See [`digests`](super::digests).
        #[target_feature(enable = $features)]
        pub(super) fn digests(blocks: &Blocks) -> [[u32; TEXTS]; 4] {
            let start = START.map(|word| [splat(word); VECTORS]);
            let [mut a, mut b, mut c, mut d] = start;
            // Texts of other vectors take the step meanwhile: the adjoining loops are what fills the
            // processor.
            macro_rules! step {
                ($mix:ident, $a:ident, $b:ident, $c:ident, $d:ident, $word:expr, $constant:expr, $by:literal) => {
                    for v in 0..VECTORS {
                        let added = add(load(&blocks[$word], v), splat(CONSTANTS[$constant]));
                        let sum = add(add($a[v], added), $mix($b[v], $c[v], $d[v]));
                        $a[v] = add($b[v], rotate::<$by, { 32 - $by }>(sum));
                    }
                };
            }
            rounds!(step, a, b, c, d);
            let mut digests = [[0; TEXTS]; 4];
            for (words, (state, start)) in digests.iter_mut().zip([a, b, c, d].into_iter().zip(start)) {
                let state: State = state;
                for (words, (state, start)) in
                    words.as_chunks_mut::<$lanes>().0.iter_mut().zip(state.into_iter().zip(start))
                {
                    *words = array(add(state, start));
                }
            }
            digests
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn first(b: Vector, c: Vector, d: Vector) -> Vector {
            xor(d, and(b, xor(c, d)))
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn second(b: Vector, c: Vector, d: Vector) -> Vector {
            xor(c, and(d, xor(b, c)))
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn third(b: Vector, c: Vector, d: Vector) -> Vector {
            xor(b, xor(c, d))
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn fourth(b: Vector, c: Vector, d: Vector) -> Vector {
            xor(c, or(b, xor(d, splat(u32::MAX))))
        }
    };
}

/// The operations of one kind of vector.
#[cfg(target_arch = "x86_64")]
macro_rules! operations {
    (
        $features:literal, $vector:ident, $lanes:literal, $load:ident, $store:ident,
        $splat:ident, $add:ident, $and:ident, $or:ident, $xor:ident
    ) => {
        type Vector = $vector;

        /// Vector `v` of a word.
        #[inline]
        #[target_feature(enable = $features)]
        fn load(word: &[u32; TEXTS], v: usize) -> Vector {
            let lanes = &word.as_chunks::<$lanes>().0[v];
            // SAFETY: reads as many bytes as the array has that the pointer was made of, of any
            // alignment.
            unsafe { $load(lanes.as_ptr().cast()) }
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn array(x: Vector) -> [u32; $lanes] {
            let mut lanes = [0; $lanes];
            // SAFETY: writes as many bytes as the array has, of any alignment.
            unsafe { $store(lanes.as_mut_ptr().cast(), x) };
            lanes
        }

        const _: () = assert!(size_of::<Vector>() == size_of::<[u32; $lanes]>());

        #[inline]
        #[target_feature(enable = $features)]
        fn splat(x: u32) -> Vector {
            $splat(x.cast_signed())
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn add(a: Vector, b: Vector) -> Vector {
            $add(a, b)
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn and(a: Vector, b: Vector) -> Vector {
            $and(a, b)
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn or(a: Vector, b: Vector) -> Vector {
            $or(a, b)
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn xor(a: Vector, b: Vector) -> Vector {
            $xor(a, b)
        }
    };
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod sse2 {
    use core::arch::x86_64::*;

    use super::{Blocks, CONSTANTS, START, TEXTS};

    digests_in_vectors!("sse2", 4);
    operations!(
        "sse2",
        __m128i,
        4,
        _mm_loadu_si128,
        _mm_storeu_si128,
        _mm_set1_epi32,
        _mm_add_epi32,
        _mm_and_si128,
        _mm_or_si128,
        _mm_xor_si128
    );

    /// To the left by `LEFT` bits; `RIGHT` is what is left of 32.
    #[inline]
    #[target_feature(enable = "sse2")]
    fn rotate<const LEFT: i32, const RIGHT: i32>(a: Vector) -> Vector {
        _mm_or_si128(_mm_slli_epi32::<LEFT>(a), _mm_srli_epi32::<RIGHT>(a))
    }
}

#[cfg(all(feature = "std", target_arch = "x86_64"))]
mod avx2 {
    use core::arch::x86_64::*;

    use super::{Blocks, CONSTANTS, START, TEXTS};

    digests_in_vectors!("avx2", 8);
    operations!(
        "avx2",
        __m256i,
        8,
        _mm256_loadu_si256,
        _mm256_storeu_si256,
        _mm256_set1_epi32,
        _mm256_add_epi32,
        _mm256_and_si256,
        _mm256_or_si256,
        _mm256_xor_si256
    );

    /// To the left by `LEFT` bits; `RIGHT` is what is left of 32.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn rotate<const LEFT: i32, const RIGHT: i32>(a: Vector) -> Vector {
        _mm256_or_si256(_mm256_slli_epi32::<LEFT>(a), _mm256_srli_epi32::<RIGHT>(a))
    }
}

#[cfg(all(feature = "std", target_arch = "x86_64"))]
mod avx512 {
    use core::arch::x86_64::*;

    use super::{Blocks, CONSTANTS, START, TEXTS};

    digests_in_vectors!("avx512f", 16);
    operations!(
        "avx512f",
        __m512i,
        16,
        _mm512_loadu_si512,
        _mm512_storeu_si512,
        _mm512_set1_epi32,
        _mm512_add_epi32,
        _mm512_and_si512,
        _mm512_or_si512,
        _mm512_xor_si512
    );

    /// To the left by `LEFT` bits; what is left of 32 is the processor's own business.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn rotate<const LEFT: i32, const RIGHT: i32>(a: Vector) -> Vector {
        _mm512_rol_epi32::<LEFT>(a)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    #[test]
    fn vectors_give_the_digests_of_single_texts() {
        let mut random = Random(0x3d5);
        for round in 0..200 {
            let blocks: Blocks = core::array::from_fn(|_| core::array::from_fn(|_| random.next() as u32));
            for level in Level::all() {
                assert_eq!(digests(level, &blocks), plain(&blocks), "round {round}, {level}");
            }
        }
    }
}
