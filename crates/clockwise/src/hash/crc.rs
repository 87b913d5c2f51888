//! Cyclic redundancy checks that systems place keys with.
//!
//! | name | polynomial | start | reflected | final xor | value | check, of "123456789" |
//! |---|---|---|---|---|---|---|
//! | `crc32` (ISO-HDLC) | `04c11db7` | `ffffffff` | yes | `ffffffff` | 32-bit number | `cbf43926` |
//! | `crc16-xmodem` | `1021` | `0000` | no | `0000` | 16-bit number | `31c3` |
//! | `crc32-15-bits` | as `crc32` | | | | bits 16 to 30 of CRC-32 | `4bf4` |
//! | `crc16-unmasked` | as `crc16-xmodem` | | | | 32-bit number, low half CRC-16 | `869031c3` |
//!
//! Values of 15 or 16 bits are right for a table of slots and wrong for a ring, whose circle they
//! reach a 131,072nd or 65,536th part of.
//!
//! Source: the catalogue of parametrised CRC algorithms, <https://reveng.sourceforge.io/crc-catalogue/>.

use alloc::borrow::Cow;

use super::{KeyHash, Width};

/// CRC-32 as in zlib, gzip and Ethernet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Crc32;

/// CRC-16/XMODEM: 16 bits, as Redis Cluster maps keys to slots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Crc16Xmodem;

/// Fifteen bits of CRC-32: what libmemcached calls CRC and twemproxy crc32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Crc32Of15Bits;

/// CRC-16/XMODEM whose register is a 32-bit word that nobody cuts: twemproxy's crc16.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Crc16Unmasked;

/// The CRC of each single byte: polynomial 0x1021, highest bit first.
const CRC16_TABLE: [u16; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = (byte as u16) << 8;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 0x8000 == 0 { crc << 1 } else { crc << 1 ^ 0x1021 };
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
};

/// CRC-32, whole.
#[inline]
pub fn crc32(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}

/// CRC-32 of the parts, one after the other.
pub fn crc32_parts<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    for part in parts {
        hasher.update(part);
    }
    hasher.finalize()
}

/// CRC-32 of texts that begin alike and end with four bytes: what they begin with is taken once, and what they
/// end with in one step.
pub(crate) struct Crc32Stem {
    /// The register behind what they begin with.
    register: u32,
}

impl Crc32Stem {
    /// Texts that begin with these parts, one after the other.
    pub(crate) fn new<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Crc32Stem {
        Crc32Stem { register: !crc32_parts(parts) }
    }

    /// Of the text that ends with the bytes of a number, the lowest first.
    #[inline]
    pub(crate) fn ending(&self, number: u32) -> u32 {
        let text = self.register ^ number;
        // Shifts, because of an array of bytes a compiler makes vectors and takes them apart.
        let byte = |shift: u32| (text >> shift) as u8 as usize;
        let [one, two, three, four] = &CRC32_TABLES;
        !(four[byte(0)] ^ three[byte(8)] ^ two[byte(16)] ^ one[byte(24)])
    }
}

/// What a byte makes of a register that has nothing else: polynomial 0x04c11db7, lowest bit first; and the same with
/// one, two and three bytes of zeros behind it.
static CRC32_TABLES: [[u32; 256]; 4] = {
    let mut tables = [[0; 256]; 4];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte as u32;
        let mut bit = 0;
        while bit < 8 * tables.len() {
            crc = if crc & 1 == 0 { crc >> 1 } else { crc >> 1 ^ 0xedb8_8320 };
            bit += 1;
            if bit % 8 == 0 {
                tables[bit / 8 - 1][byte] = crc;
            }
        }
        byte += 1;
    }
    tables
};

/// CRC-16/XMODEM in the 16 bits it has.
pub fn crc16_xmodem(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |crc, &byte| crc << 8 ^ CRC16_TABLE[usize::from((crc >> 8) as u8 ^ byte)])
}

impl KeyHash for Crc32 {
    fn width(&self) -> Width {
        Width::Bits32
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        crc32(bytes).into()
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("crc32")
    }
}

impl KeyHash for Crc16Xmodem {
    fn width(&self) -> Width {
        Width::Bits32
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        crc16_xmodem(bytes).into()
    }
    fn bits(&self) -> u32 {
        16
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("crc16-xmodem")
    }
}

impl KeyHash for Crc32Of15Bits {
    fn width(&self) -> Width {
        Width::Bits32
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        (crc32(bytes) >> 16 & 0x7fff).into()
    }
    fn bits(&self) -> u32 {
        15
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("crc32-15-bits")
    }
}

impl KeyHash for Crc16Unmasked {
    fn width(&self) -> Width {
        Width::Bits32
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        let step =
            |crc: u32, &byte: &u8| crc << 8 ^ u32::from(CRC16_TABLE[usize::from((crc >> 8) as u8 ^ byte)]);
        bytes.iter().fold(0, step).into()
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("crc16-unmasked")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::testing::byte_strings;
    use proptest::prelude::*;

    #[test]
    fn published_check_values() {
        assert_eq!(Crc32.hash(b"123456789"), 0xcbf4_3926);
        assert_eq!(Crc16Xmodem.hash(b"123456789"), 0x31c3);
        assert_eq!(Crc32Of15Bits.hash(b"123456789"), 0x4bf4);
        assert_eq!(Crc16Unmasked.hash(b"123456789"), 0x8690_31c3);
        assert_eq!(Crc32.hash(b""), 0);
        assert_eq!(Crc16Xmodem.hash(b""), 0);
    }

    proptest! {
        #![proptest_config(crate::hash::testing::config())]

        #[test]
        fn a_second_implementation_agrees(bytes in byte_strings()) {
            const CRC_32: crc::Crc<u32> = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC);
            const CRC_16: crc::Crc<u16> = crc::Crc::<u16>::new(&crc::CRC_16_XMODEM);
            prop_assert_eq!(crc32(&bytes), CRC_32.checksum(&bytes));
            let (front, back) = bytes.split_at(bytes.len() / 3);
            prop_assert_eq!(crc32_parts([front, back]), crc32(&bytes));
            let stem = Crc32Stem::new([front, back]);
            for number in [0, 1, u32::MAX, crc32(front)] {
                let text = [&bytes[..], &number.to_le_bytes()].concat();
                prop_assert_eq!(stem.ending(number), CRC_32.checksum(&text));
            }
            prop_assert_eq!(crc16_xmodem(&bytes), CRC_16.checksum(&bytes));
            prop_assert_eq!(Crc16Unmasked.hash(&bytes) as u16, CRC_16.checksum(&bytes));
        }
    }
}
