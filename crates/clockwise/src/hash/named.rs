//! A hash chosen at run time, by the name that fleet files use.

use super::choice::hash_choice;
use super::{
    Crc16Xmodem, Crc32, Fmix32Fnv1a32, Fnv1_32, Fnv1_64, Fnv1a32, Fnv1a64, Md5, Md5Word, Murmur3X64_128,
    Murmur3X86_32, RedisSlot, SipHash24, Xxh3, Xxh32, Xxh64,
};

hash_choice! {
    /// The general-purpose hashes, for a choice made at run time.
    ///
    /// Whoever knows the hash when compiling uses its own type ([`Xxh3`]) and saves the choice on
    /// every key.
    ///
    /// ```
    /// use clockwise::hash::{KeyHash, NamedHash, Xxh3};
    ///
    /// let hash: NamedHash = "xxh3-64".parse()?;
    /// assert_eq!(hash, NamedHash::default());
    /// assert_eq!(hash.hash(b"user:42"), Xxh3.hash(b"user:42"));
    /// assert!("sha-1".parse::<NamedHash>().unwrap_err().is_parameter());
    /// # Ok::<(), clockwise::Error>(())
    /// ```
    NamedHash {
        /// : the native key hash.
        #[default]
        Xxh3 = "xxh3-64" => Xxh3,
        Xxh64 = "xxh64" => Xxh64,
        Xxh32 = "xxh32" => Xxh32,
        Murmur3X86_32 = "murmur3-x86-32" => Murmur3X86_32,
        Murmur3X64_128 = "murmur3-x64-128" => Murmur3X64_128,
        Md5 = "md5" => Md5,
        Md5Word = "md5-word" => Md5Word,
        Crc32 = "crc32" => Crc32,
        Crc16Xmodem = "crc16-xmodem" => Crc16Xmodem,
        Fnv1_32 = "fnv1-32" => Fnv1_32,
        Fnv1a32 = "fnv1a-32" => Fnv1a32,
        Fnv1_64 = "fnv1-64" => Fnv1_64,
        Fnv1a64 = "fnv1a-64" => Fnv1a64,
        Fmix32Fnv1a32 = "fmix32-fnv1a-32" => Fmix32Fnv1a32,
        SipHash24 = "siphash-2-4" => SipHash24::default(),
        /// : for tables of slots only.
        RedisSlot = "redis-slot" => RedisSlot,
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;
    use crate::hash::{KeyHash, Width};

    #[test]
    fn every_name_reads_back_and_is_the_name_of_the_hash_itself() {
        for &hash in NamedHash::ALL {
            assert_eq!(hash.as_str().parse(), Ok(hash));
            assert_eq!(hash.name(), hash.as_str());
            assert_eq!(hash.to_string(), hash.as_str());
        }
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_known_ones() {
        for wrong in ["", "XXH3-64", "xxh3-64 ", "murmur"] {
            let error = wrong.parse::<NamedHash>().unwrap_err();
            assert!(error.is_parameter());
            let text = error.to_string();
            for hash in NamedHash::ALL {
                assert!(text.contains(hash.as_str()), "{text}");
            }
        }
    }

    #[test]
    fn hashes_of_32_bits_stay_in_the_low_half() {
        for &hash in NamedHash::ALL.iter().filter(|hash| hash.width() == Width::Bits32) {
            for key in [b"".as_slice(), b"a", b"user:42", &[0xff; 250]] {
                assert!(hash.hash(key) <= u64::from(u32::MAX), "{hash}");
            }
        }
    }
}
