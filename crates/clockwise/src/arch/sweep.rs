//! The highest native scores of rendezvous, and the lowest bounds of weighted ones, in vectors.
//!
//! One pass over the seeds keeps the best of each of [`WIDTH`] lanes and the step it was in. The score is that of `rendezvous`, written once more in vector instructions, because what a compiler
//! makes of the plain loop changes with everything around it. The plain loop is here too, for
//! processors without such instructions and as what the vectors are held to.

use super::{Instructions, Level};

/// Lanes: four vectors of AVX2, two of AVX-512.
pub(crate) const WIDTH: usize = 32;

/// What a pass is after.
pub(crate) trait Aim: Copy {
    /// Whether only scores below [`above`](Aim::above) count.
    const BELOW: bool = false;
    /// Whether it is the bounds that count, by [`rank`].
    const BOUNDS: bool = false;

    fn above(self) -> u32 {
        0
    }

    /// What each server's bound is made with, in lanes.
    fn inverse(&self) -> &[[f32; WIDTH]] {
        &[]
    }
}

/// The highest scores.
#[derive(Clone, Copy)]
pub(crate) struct Highest;

/// The highest of the scores below one.
#[derive(Clone, Copy)]
pub(crate) struct Below(pub(crate) u32);

/// The lowest bounds.
#[derive(Clone, Copy)]
pub(crate) struct Bounds<'a>(pub(crate) &'a [[f32; WIDTH]]);

impl Aim for Highest {}

impl Aim for Below {
    const BELOW: bool = true;

    fn above(self) -> u32 {
        self.0
    }
}

impl Aim for Bounds<'_> {
    const BOUNDS: bool = true;

    fn inverse(&self) -> &[[f32; WIDTH]] {
        self.0
    }
}

/// What a pass has found.
pub(crate) struct Swept {
    /// The highest score, or rank of a bound, of each lane; 0 where there was none.
    pub(crate) best: [u32; WIDTH],
    /// The first step it was in, by the position of the step's first server.
    pub(crate) from: [u32; WIDTH],
    /// The highest of all lanes, and the first position it was at.
    pub(crate) highest: (u32, u32),
    /// The second highest rank of each lane, of bounds.
    pub(crate) second: [u32; WIDTH],
    /// How many scores were exactly the one that was passed over.
    pub(crate) tied: u32,
}

impl Swept {
    #[inline(always)]
    fn new() -> Swept {
        let nothing = [0; WIDTH];
        Swept { best: nothing, from: nothing, highest: (0, 0), second: nothing, tied: 0 }
    }
}

/// A pass over all seeds, given by their halves.
#[inline]
pub(crate) fn sweep<A: Aim>(
    level: Level,
    aim: A,
    key: u64,
    low: &[[u32; WIDTH]],
    high: &[[u32; WIDTH]],
) -> Swept {
    match level.0 {
        Instructions::Portable => plain(aim, key, low, high),
        // SAFETY: `avx2::sweep` requires a processor that has AVX2, and nothing else: its parameters
        // are references and numbers. A level of this value is made only by `Level::avx2`, after the
        // processor and the operating system said so.
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        Instructions::Avx2 => unsafe { avx2::sweep(aim, key, low, high) },
        // SAFETY: likewise, by `Level::avx512`, which asks for the four features that
        // `avx512::sweep` names.
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        Instructions::Avx512 => unsafe { avx512::sweep(aim, key, low, high) },
    }
}

/// The highest score and the first position it was at, which is all that most lookups ask of a pass.
#[inline]
pub(crate) fn highest(level: Level, key: u64, low: &[[u32; WIDTH]], high: &[[u32; WIDTH]]) -> (u32, u32) {
    match level.0 {
        Instructions::Portable => plain(Highest, key, low, high).highest,
        // SAFETY: as in `sweep`: a level of this value is the proof that the processor has AVX2, which is
        // all that `avx2::highest` requires.
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        Instructions::Avx2 => unsafe { avx2::highest(key, low, high) },
        // SAFETY: likewise, of the four features that `avx512::highest` names.
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        Instructions::Avx512 => unsafe { avx512::highest(key, low, high) },
    }
}

/// A bound in binary32: the complement of the score, cut to the 24 bits that binary32 holds exactly,
/// times what belongs to the server.
#[inline(always)]
pub(crate) fn bound(score: u32, inverse: f32) -> f32 {
    (!score >> 8).cast_signed() as f32 * inverse
}

/// The lower a bound, the higher its rank: bounds are not negative, so their bits are in order.
#[inline(always)]
pub(crate) fn rank(bound: f32) -> u32 {
    !bound.to_bits()
}

/// The native score of the two halves of `key ^ seed`.
#[inline(always)]
pub(crate) fn mix(low: u32, high: u32) -> u32 {
    let x = low.wrapping_mul(FIRST);
    let x = (x ^ x >> 15).wrapping_add(high).wrapping_mul(SECOND);
    x ^ x >> 16
}

const FIRST: u32 = 0x9e37_79b1;
const SECOND: u32 = 0x85eb_ca77;

fn plain<A: Aim>(aim: A, key: u64, low: &[[u32; WIDTH]], high: &[[u32; WIDTH]]) -> Swept {
    let (key_low, key_high) = (key as u32, (key >> 32) as u32);
    let mut swept = Swept::new();
    for (step, (low, high)) in low.iter().zip(high).enumerate() {
        let start = (step * WIDTH) as u32;
        for lane in 0..WIDTH {
            let mut score = mix(key_low ^ low[lane], key_high ^ high[lane]);
            if A::BELOW {
                swept.tied += u32::from(score == aim.above());
                score = if score < aim.above() { score } else { 0 };
            }
            if A::BOUNDS {
                score = rank(bound(score, aim.inverse()[step][lane]));
                swept.second[lane] = swept.second[lane].max(score.min(swept.best[lane]));
            }
            if score > swept.best[lane] {
                (swept.best[lane], swept.from[lane]) = (score, start);
            }
            if score > swept.highest.0 {
                swept.highest = (score, start + lane as u32);
            }
        }
    }
    swept
}

/// The pass in vectors of `$lanes` lanes, from the operations that stand in scope.
#[cfg(all(feature = "std", target_arch = "x86_64"))]
macro_rules! sweep_in_vectors {
    ($features:literal, $lanes:literal) => {
        const VECTORS: usize = WIDTH / $lanes;

        /// What a pass has found, in vectors.
        struct Passed {
            best: [Vector; VECTORS],
            from: [Vector; VECTORS],
            second: [Vector; VECTORS],
            tied: Vector,
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn pass<A: Aim>(aim: A, key: u64, low: &[[u32; WIDTH]], high: &[[u32; WIDTH]]) -> Passed {
            let (key_low, key_high) = (splat(key as u32), splat((key >> 32) as u32));
            let multipliers = (splat(FIRST), splat(SECOND));
            // A limit of 0 leaves no score: then the highest that counts is 0, as nothing is.
            let (above, limit) = (splat(aim.above()), splat(aim.above().saturating_sub(1)));
            let mut best = [splat(0); VECTORS];
            let mut from = [splat(0); VECTORS];
            let mut second = [splat(0); VECTORS];
            let mut tied = splat(0);
            let mut start = splat(0);
            for (step, (low, high)) in low.iter().zip(high).enumerate() {
                for (v, (best, from)) in best.iter_mut().zip(&mut from).enumerate() {
                    let x = mul(xor(key_low, load(low, v)), multipliers.0);
                    let x = add(xor(x, shift_right::<15>(x)), xor(key_high, load(high, v)));
                    let x = mul(x, multipliers.1);
                    let mut score = xor(x, shift_right::<16>(x));
                    if A::BELOW {
                        tied = add(tied, pick_equal(score, above, splat(1), splat(0)));
                        score = pick_equal(min(score, limit), score, score, splat(0));
                    }
                    if A::BOUNDS {
                        let cut = shift_right::<8>(xor(score, splat(u32::MAX)));
                        score = xor(bound(cut, &aim.inverse()[step], v), splat(u32::MAX));
                        second[v] = max(second[v], min(score, *best));
                    }
                    let highest = max(score, *best);
                    *from = pick_equal(highest, *best, *from, start);
                    *best = highest;
                }
                start = add(start, splat(WIDTH as u32));
            }
            Passed { best, from, second, tied }
        }

        /// The highest score of all, and the first of the positions that have it.
        #[inline]
        #[target_feature(enable = $features)]
        fn first_highest(Passed { best, from, .. }: &Passed) -> (u32, u32) {
            let mut highest = best[0];
            for &best in &best[1..] {
                highest = max(highest, best);
            }
            let highest = array(highest).into_iter().fold(0, u32::max);
            let mut nearest = splat(u32::MAX);
            for (v, (&best, &from)) in best.iter().zip(from).enumerate() {
                let at = add(from, load(&POSITIONS, v));
                nearest = min(nearest, pick_equal(best, splat(highest), at, splat(u32::MAX)));
            }
            (highest, array(nearest).into_iter().fold(u32::MAX, u32::min))
        }

        /// See [`highest`](super::highest).
        #[target_feature(enable = $features)]
        pub(super) fn highest(key: u64, low: &[[u32; WIDTH]], high: &[[u32; WIDTH]]) -> (u32, u32) {
            first_highest(&pass(Highest, key, low, high))
        }

        /// See [`sweep`](super::sweep).
        #[target_feature(enable = $features)]
        pub(super) fn sweep<A: Aim>(aim: A, key: u64, low: &[[u32; WIDTH]], high: &[[u32; WIDTH]]) -> Swept {
            let passed = pass(aim, key, low, high);
            let mut swept = Swept::new();
            for (v, (&best, &from)) in passed.best.iter().zip(&passed.from).enumerate() {
                swept.best[v * $lanes..][..$lanes].copy_from_slice(&array(best));
                swept.from[v * $lanes..][..$lanes].copy_from_slice(&array(from));
                if A::BOUNDS {
                    swept.second[v * $lanes..][..$lanes].copy_from_slice(&array(passed.second[v]));
                }
            }
            swept.highest = first_highest(&passed);
            swept.tied = array(passed.tied).into_iter().sum();
            swept
        }
    };
}

/// The position of each lane within its step.
#[cfg(all(feature = "std", target_arch = "x86_64"))]
const POSITIONS: [u32; WIDTH] = {
    let mut positions = [0; WIDTH];
    let mut at = 0;
    while at < WIDTH {
        positions[at] = at as u32;
        at += 1;
    }
    positions
};

#[cfg(all(feature = "std", target_arch = "x86_64"))]
mod avx2 {
    use core::arch::x86_64::*;

    use super::{Aim, FIRST, Highest, POSITIONS, SECOND, Swept, WIDTH};

    type Vector = __m256i;

    sweep_in_vectors!("avx2", 8);

    /// Vector `v` of a step.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn load(step: &[u32; WIDTH], v: usize) -> __m256i {
        let eight = &step.as_chunks::<8>().0[v];
        // SAFETY: reads 32 bytes, of any alignment, from a reference to an array of 32 bytes.
        unsafe { _mm256_loadu_si256(eight.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn array(x: __m256i) -> [u32; 8] {
        let mut eight = [0; 8];
        // SAFETY: writes 32 bytes, of any alignment, to an array of 32 bytes.
        unsafe { _mm256_storeu_si256(eight.as_mut_ptr().cast(), x) };
        eight
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn splat(x: u32) -> __m256i {
        _mm256_set1_epi32(x.cast_signed())
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn xor(a: __m256i, b: __m256i) -> __m256i {
        _mm256_xor_si256(a, b)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn add(a: __m256i, b: __m256i) -> __m256i {
        _mm256_add_epi32(a, b)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn mul(a: __m256i, b: __m256i) -> __m256i {
        _mm256_mullo_epi32(a, b)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn shift_right<const BITS: i32>(a: __m256i) -> __m256i {
        _mm256_srli_epi32::<BITS>(a)
    }

    /// The bits of the bounds of vector `v` of a step, from complements of scores cut to 24 bits.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn bound(cut: __m256i, inverse: &[f32; WIDTH], v: usize) -> __m256i {
        let eight = &inverse.as_chunks::<8>().0[v];
        // SAFETY: reads 32 bytes, of any alignment, from a reference to an array of 32 bytes.
        let inverse = unsafe { _mm256_loadu_ps(eight.as_ptr()) };
        _mm256_castps_si256(_mm256_mul_ps(_mm256_cvtepi32_ps(cut), inverse))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn max(a: __m256i, b: __m256i) -> __m256i {
        _mm256_max_epu32(a, b)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn min(a: __m256i, b: __m256i) -> __m256i {
        _mm256_min_epu32(a, b)
    }

    /// `yes` in the lanes where `a` and `b` are equal, `no` in the others.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn pick_equal(a: __m256i, b: __m256i, yes: __m256i, no: __m256i) -> __m256i {
        _mm256_blendv_epi8(no, yes, _mm256_cmpeq_epi32(a, b))
    }
}

#[cfg(all(feature = "std", target_arch = "x86_64"))]
mod avx512 {
    use core::arch::x86_64::*;

    use super::{Aim, FIRST, Highest, POSITIONS, SECOND, Swept, WIDTH};

    type Vector = __m512i;

    sweep_in_vectors!("avx512f,avx512bw,avx512dq,avx512vl", 16);

    /// Vector `v` of a step.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn load(step: &[u32; WIDTH], v: usize) -> __m512i {
        let sixteen = &step.as_chunks::<16>().0[v];
        // SAFETY: reads 64 bytes, of any alignment, from a reference to an array of 64 bytes.
        unsafe { _mm512_loadu_si512(sixteen.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn array(x: __m512i) -> [u32; 16] {
        let mut sixteen = [0; 16];
        // SAFETY: writes 64 bytes, of any alignment, to an array of 64 bytes.
        unsafe { _mm512_storeu_si512(sixteen.as_mut_ptr().cast(), x) };
        sixteen
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn splat(x: u32) -> __m512i {
        _mm512_set1_epi32(x.cast_signed())
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn xor(a: __m512i, b: __m512i) -> __m512i {
        _mm512_xor_si512(a, b)
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn add(a: __m512i, b: __m512i) -> __m512i {
        _mm512_add_epi32(a, b)
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn mul(a: __m512i, b: __m512i) -> __m512i {
        _mm512_mullo_epi32(a, b)
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn shift_right<const BITS: u32>(a: __m512i) -> __m512i {
        _mm512_srli_epi32::<BITS>(a)
    }

    /// The bits of the bounds of vector `v` of a step, from complements of scores cut to 24 bits.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn bound(cut: __m512i, inverse: &[f32; WIDTH], v: usize) -> __m512i {
        let sixteen = &inverse.as_chunks::<16>().0[v];
        // SAFETY: reads 64 bytes, of any alignment, from a reference to an array of 64 bytes.
        let inverse = unsafe { _mm512_loadu_ps(sixteen.as_ptr()) };
        _mm512_castps_si512(_mm512_mul_ps(_mm512_cvtepi32_ps(cut), inverse))
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn max(a: __m512i, b: __m512i) -> __m512i {
        _mm512_max_epu32(a, b)
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn min(a: __m512i, b: __m512i) -> __m512i {
        _mm512_min_epu32(a, b)
    }

    /// `yes` in the lanes where `a` and `b` are equal, `no` in the others.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn pick_equal(a: __m512i, b: __m512i, yes: __m512i, no: __m512i) -> __m512i {
        _mm512_mask_blend_epi32(_mm512_cmpeq_epi32_mask(a, b), no, yes)
    }
}

#[cfg(test)]
mod tests {
    use std::format;
    use std::vec::Vec;

    use super::*;
    use crate::testing::Random;

    /// Seeds that repeat, so that scores tie within a lane and between lanes.
    #[test]
    fn vectors_find_what_the_plain_loop_finds() {
        let mut random = Random(0x5eed_0a4c);
        for round in 0..400 {
            let steps = random.below(6) as usize;
            let few: Vec<u32> = (0..1 + random.below(80)).map(|_| random.next() as u32).collect();
            let mut seeds = || -> Vec<[u32; WIDTH]> {
                let mut pick = || few[random.below(few.len() as u64) as usize];
                (0..steps).map(|_| core::array::from_fn(|_| pick())).collect()
            };
            let (low, high) = (seeds(), seeds());
            let key = random.next();
            let inverse: Vec<[f32; WIDTH]> = (0..steps)
                .map(|step| {
                    core::array::from_fn(
                        |lane| if step == 5 { f32::INFINITY } else { 1.0 / (lane % 7) as f32 },
                    )
                })
                .collect();
            let any = plain(Highest, key, &low, &high);
            for level in Level::all() {
                let context = format!("round {round}, {level}");
                same(sweep(level, Highest, key, &low, &high), plain(Highest, key, &low, &high), &context);
                let found = highest(level, key, &low, &high);
                assert!(found == any.highest || found.0 == 0 && any.highest.0 == 0, "{context}: {found:?}");
                let aim = Bounds(&inverse);
                same(sweep(level, aim, key, &low, &high), plain(aim, key, &low, &high), &context);
                for above in [0, 1, u32::MAX, any.highest.0, any.best[3], random.next() as u32] {
                    let (aim, context) = (Below(above), format!("{context}, below {above:#x}"));
                    same(sweep(level, aim, key, &low, &high), plain(aim, key, &low, &high), &context);
                }
            }
        }
    }

    #[track_caller]
    fn same(ours: Swept, plain: Swept, context: &str) {
        assert_eq!(ours.best, plain.best, "{context}");
        assert_eq!(ours.from, plain.from, "{context}");
        assert_eq!((ours.tied, ours.second), (plain.tied, plain.second), "{context}");
        assert_eq!(ours.highest.0, plain.highest.0, "{context}");
        if plain.highest.0 > 0 {
            assert_eq!(ours.highest, plain.highest, "{context}");
        }
    }
}
