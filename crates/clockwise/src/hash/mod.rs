//! Named hashes, bit-exact.
//!
//! A wrong byte here is a wrong owner somewhere, so each hash is a type of its own, states its
//! parameters, and is held to published check values whatever crate computes it. `std::hash::Hash`
//! is not used anywhere: its output is not promised across compilers or machines.

use alloc::borrow::Cow;

mod avalanche;
mod cassandra;
mod choice;
mod crc;
mod djb2;
mod fmix;
mod fnv;
mod fnv_signed;
mod furc;
mod hsieh;
mod jenkins;
mod kafka;
pub(crate) mod md5;
mod murmur2;
mod murmur3;
mod murmur3_utf16;
mod murmur64a;
mod named;
mod redis;
mod row;
mod sdbm;
mod sha1;
mod sip;
mod splitmix;
mod spooky;
mod tag;
#[cfg(test)]
mod testing;
mod utf16;
mod wt6;
mod xxh;

pub use avalanche::avalanche32;
pub(crate) use cassandra::random_token_of;
pub use cassandra::{CassandraMurmur3, random_token};
pub(crate) use choice::hash_choice;
pub(crate) use crc::Crc32Stem;
pub use crc::{Crc16Unmasked, Crc16Xmodem, Crc32, Crc32Of15Bits, crc16_xmodem, crc32, crc32_parts};
pub use djb2::Djb2;
pub use fmix::{Fmix32Fnv1a32, fmix32};
pub(crate) use fnv::fnv1a_32_from;
pub use fnv::{Fnv1_32, Fnv1_64, Fnv1a32, Fnv1a64};
pub use fnv_signed::{Fnv1_32Signed, Fnv1_64LowSigned, Fnv1a32Signed, Fnv1a64LowSigned};
pub(crate) use furc::furc_parts;
pub use furc::{FURC_MAX, furc};
pub use hsieh::SuperFastHash;
pub use jenkins::{Lookup3, OneAtATimeSigned};
pub use kafka::{Fnv1a32Absolute, KafkaMurmur2};
pub use md5::{Md5, Md5Prefix, Md5Word, md5_128, md5_words};
pub use murmur2::{Murmur2Length, Murmur3Length};
pub use murmur3::{Murmur3X64_128, Murmur3X86_32, Murmur3X86_32State, murmur3_x64_128, murmur3_x86_32};
pub use murmur3_utf16::Murmur3Utf16;
pub use murmur64a::Murmur64aStd;
pub use named::NamedHash;
pub use redis::RedisSlot;
pub use sdbm::Sdbm;
pub use sha1::{Sha1Word, Sha1WordBe, sha1_words};
pub use sip::{SipHash24, hsiphash};
pub use splitmix::SplitMix64;
pub(crate) use spooky::spooky_32;
pub use tag::HashTag;
pub use utf16::{Fnv1_32Utf16, Fnv1_64LowUtf16, Fnv1a32Utf16, Fnv1a64LowUtf16, JavaString, JavaStringAbs};
pub use wt6::Wt6;
pub use xxh::{Xxh3, Xxh32, Xxh64, xxh3_64, xxh32, xxh64};

/// How many bits of a hash carry a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Width {
    /// 0 to 2³² − 1.
    Bits32,
    /// 0 to 2⁶⁴ − 1.
    Bits64,
}

/// A hash of bytes with a name: the same name is the same function, everywhere and for ever.
pub trait KeyHash {
    /// How wide the value is.
    fn width(&self) -> Width;

    /// The value, the same each time; one of 32 bits is below 2³².
    fn hash(&self, bytes: &[u8]) -> u64;

    /// The values of many keys at once, which is faster for some hashes; `hashes` is as long as `keys`, and
    /// a longer one keeps its tail.
    fn hash_many(&self, keys: &[&[u8]], hashes: &mut [u64]) {
        for (key, hash) in keys.iter().zip(hashes) {
            *hash = self.hash(key);
        }
    }

    /// How many of the value's low bits ever vary: those of its width, unless it is narrower.
    fn bits(&self) -> u32 {
        match self.width() {
            Width::Bits32 => 32,
            Width::Bits64 => 64,
        }
    }

    /// The name, with whatever else decides the value (a seed, a hash tag).
    fn name(&self) -> Cow<'static, str>;
}

impl<H: KeyHash + ?Sized> KeyHash for &H {
    fn width(&self) -> Width {
        (**self).width()
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        (**self).hash(bytes)
    }
    fn hash_many(&self, keys: &[&[u8]], hashes: &mut [u64]) {
        (**self).hash_many(keys, hashes);
    }
    fn bits(&self) -> u32 {
        (**self).bits()
    }
    fn name(&self) -> Cow<'static, str> {
        (**self).name()
    }
}

/// A byte as C code widens a signed `char`: 0x80 and above become negative.
fn signed(byte: u8) -> u32 {
    i32::from(byte.cast_signed()).cast_unsigned()
}
