//! What only some processors can do, and the one room with `unsafe` code.
//!
//! The loops themselves are safe code in the rooms of their schemes, written in lanes: arrays of a
//! fixed length that a compiler turns into vectors. All that is decided here is for which
//! instructions they are compiled and when those may run. So a loop is one text for every processor,
//! and every processor gives the same answers: integers wrap alike everywhere, and floating-point
//! operations are never fused or reordered.
//!
//! Calling a function compiled for instructions that the processor lacks is undefined behaviour. The
//! proof that it has them is a [`Level`], which can be had in no other way than from the processor. `prefetch`, and `line` for
//! one key, need none: their instructions are those that the whole program is compiled for.
#![allow(unsafe_code, reason = "functions compiled for instructions that not every processor has")]

mod line;
mod md5;
mod prefetch;
mod sweep;

use core::fmt;

pub(crate) use line::{FRAGMENTS, Fragments, Line, owners};
pub(crate) use md5::{Blocks, TEXTS, block, digests};
pub(crate) use prefetch::{AT_HAND, TOGETHER, asked_for, prefetch};
pub(crate) use sweep::{Below, Bounds, Highest, WIDTH, bound, highest, mix, rank, sweep};

/// The instructions that loops over many servers or keys may use. Which, changes no answer.
///
/// Placements take the [best](Level::best). Tests and benchmarks can ask for each of those the machine
/// has.
///
/// ```
/// use clockwise::hash::Xxh3;
/// use clockwise::{Level, Members, Rendezvous, Server};
///
/// let members = Members::new([Server::new("a")?, Server::new("b")?, Server::new("c")?])?;
/// let place = Rendezvous::new(Xxh3, &members)?;
/// for level in Level::all() {
///     let same = place.clone().at_level(level);
///     assert_eq!(same.owner("user:42"), place.owner("user:42"), "{level}");
/// }
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Level(Instructions);

/// The private inside of a level: whoever holds one that is not portable has asked the processor.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Instructions {
    Portable,
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    Avx2,
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    Avx512,
}

impl Level {
    /// What the program was compiled for. The only level without the feature `std`, and on
    /// processors other than x86-64.
    pub const PORTABLE: Level = Level(Instructions::Portable);

    /// The best that this machine has.
    pub fn best() -> Level {
        Level::all().last().unwrap_or(Level::PORTABLE)
    }

    /// All that this machine has, the best last.
    pub fn all() -> impl DoubleEndedIterator<Item = Level> {
        let levels = [Some(Level::PORTABLE), Level::avx2(), Level::avx512()];
        levels.into_iter().flatten()
    }

    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    fn avx2() -> Option<Level> {
        let has = !withheld(Instructions::Avx2) && std::arch::is_x86_feature_detected!("avx2");
        has.then_some(Level(Instructions::Avx2))
    }

    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    fn avx512() -> Option<Level> {
        // As with AVX2 the question covers the operating system, which has to keep the registers.
        let has = !withheld(Instructions::Avx512)
            && std::arch::is_x86_feature_detected!("avx2")
            && std::arch::is_x86_feature_detected!("avx512f")
            && std::arch::is_x86_feature_detected!("avx512bw")
            && std::arch::is_x86_feature_detected!("avx512dq")
            && std::arch::is_x86_feature_detected!("avx512vl");
        has.then_some(Level(Instructions::Avx512))
    }

    #[cfg(not(all(feature = "std", target_arch = "x86_64")))]
    fn avx2() -> Option<Level> {
        None
    }

    #[cfg(not(all(feature = "std", target_arch = "x86_64")))]
    fn avx512() -> Option<Level> {
        None
    }

    /// The name in lower case: `portable`, `avx2` or `avx512`.
    pub const fn name(self) -> &'static str {
        match self.0 {
            Instructions::Portable => "portable",
            #[cfg(all(feature = "std", target_arch = "x86_64"))]
            Instructions::Avx2 => "avx2",
            #[cfg(all(feature = "std", target_arch = "x86_64"))]
            Instructions::Avx512 => "avx512",
        }
    }

    /// Runs a loop, compiled for these instructions.
    #[inline]
    pub(crate) fn run<L: Lanes>(self, lanes: L) -> L::Answer {
        match self.0 {
            Instructions::Portable => lanes.run(),
            // SAFETY: the one requirement of `avx2` is a processor that has AVX2. A level of this
            // value is made only by `Level::avx2`, after the processor and the operating system said
            // so; its field is private to this module, and neither takes anything back while a
            // program runs. `avx2` does nothing but run safe code.
            #[cfg(all(feature = "std", target_arch = "x86_64"))]
            Instructions::Avx2 => unsafe { avx2(lanes) },
            // SAFETY: likewise, by `Level::avx512`, which asks for all of the features named at
            // `avx512`.
            #[cfg(all(feature = "std", target_arch = "x86_64"))]
            Instructions::Avx512 => unsafe { avx512(lanes) },
        }
    }
}

/// Whether a level is above the one that the environment names. Every test can so be run as on a machine that has no
/// more, whatever builds the placements it asks; a program built to be used asks nothing and has all there is.
#[cfg(all(feature = "std", target_arch = "x86_64", debug_assertions))]
fn withheld(level: Instructions) -> bool {
    static MOST: std::sync::OnceLock<Instructions> = std::sync::OnceLock::new();
    let named = || match std::env::var("CLOCKWISE_LEVEL").as_deref() {
        Ok("portable") => Instructions::Portable,
        Ok("avx2") => Instructions::Avx2,
        _ => Instructions::Avx512,
    };
    level > *MOST.get_or_init(named)
}

#[cfg(all(feature = "std", target_arch = "x86_64", not(debug_assertions)))]
const fn withheld(_: Instructions) -> bool {
    false
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Level({self})")
    }
}

/// A loop that is worth compiling for the instructions of each level, with what it works on.
pub(crate) trait Lanes {
    /// What comes out.
    type Answer;

    /// The loop, in safe code. Implementors mark it `#[inline(always)]`, and what it calls within the
    /// loop: only what is inlined here is compiled for the level.
    fn run(self) -> Self::Answer;
}

#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[target_feature(enable = "avx2")]
fn avx2<L: Lanes>(lanes: L) -> L::Answer {
    lanes.run()
}

#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn avx512<L: Lanes>(lanes: L) -> L::Answer {
    lanes.run()
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;

    #[test]
    fn levels_rise_from_portable_to_the_best() {
        let all: Vec<Level> = Level::all().collect();
        assert_eq!(all[0], Level::PORTABLE);
        assert!(all.is_sorted() && all.last() == Some(&Level::best()), "{all:?}");
    }

    /// The sum of the squares, wrapping.
    struct Squares<'a>(&'a [u32]);

    impl Lanes for Squares<'_> {
        type Answer = u32;

        #[inline(always)]
        fn run(self) -> u32 {
            self.0.iter().fold(0, |sum, &x| sum.wrapping_add(x.wrapping_mul(x)))
        }
    }

    #[test]
    fn a_loop_gives_one_answer_at_every_level() {
        let numbers: Vec<u32> = (0..1_000_u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
        let answers: Vec<u32> = Level::all().map(|level| level.run(Squares(&numbers))).collect();
        let plain = numbers.iter().map(|&x| u64::from(x).pow(2) % (1 << 32)).sum::<u64>() as u32;
        assert!(answers.iter().all(|&answer| answer == plain), "{answers:?}, expected {plain}");
    }
}
