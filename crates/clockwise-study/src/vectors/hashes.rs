//! Every hash of bytes that places keys or points, by its name, with where it is defined.

use clockwise::hash::{
    CassandraMurmur3, Crc16Unmasked, Crc32Of15Bits, Djb2, Fnv1_32Signed, Fnv1_32Utf16, Fnv1_64LowSigned,
    Fnv1_64LowUtf16, Fnv1a32Absolute, Fnv1a32Signed, Fnv1a32Utf16, Fnv1a64LowSigned, Fnv1a64LowUtf16,
    JavaString, JavaStringAbs, KafkaMurmur2, KeyHash, Lookup3, Murmur2Length, Murmur3Length, Murmur3Utf16,
    Murmur64aStd, NamedHash, OneAtATimeSigned, Sdbm, Sha1Word, Sha1WordBe, SuperFastHash, Wt6,
};

const XXHASH: &str =
    "the xxHash specification, https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md";
const SMHASHER: &str = "Austin Appleby, SMHasher, https://github.com/aappleby/smhasher";
const FNV: &str = "RFC 9923, The FNV Non-Cryptographic Hash Algorithm";
const FNV_SIGNED: &str = "FNV of RFC 9923 over signed bytes and 32 bits, read off the owners that libmemcached 1.1.4 and twemproxy 0.5.0 gave";
const FNV_UTF16: &str = "FNV of RFC 9923 over UTF-16, held to net.spy.memcached.DefaultHashAlgorithm of spymemcached 2.12.3, run on Java 17";
const CRC: &str =
    "the catalogue of parametrised CRC algorithms, https://reveng.sourceforge.io/crc-catalogue/";
const JENKINS: &str = "Bob Jenkins, https://burtleburtle.net/bob/hash/doobs.html; start and signs as memcached clients and proxies have them";
const HAPROXY: &str = "HAProxy, src/hash.c";
const JAVA: &str = "java.lang.String.hashCode, over UTF-16";

/// All of them, each with its source.
pub(super) fn all() -> Vec<(Box<dyn KeyHash>, &'static str)> {
    let mut all: Vec<(Box<dyn KeyHash>, &'static str)> =
        NamedHash::ALL.iter().map(|&hash| (Box::new(hash) as Box<dyn KeyHash>, named(hash))).collect();
    all.extend([
        (Box::new(CassandraMurmur3) as Box<dyn KeyHash>, "Apache Cassandra, Murmur3Partitioner: MurmurHash3 x64_128 with a signed tail; the token plus 2^63"),
        (Box::new(Crc16Unmasked), "twemproxy 0.5.0: CRC-16/XMODEM of which the bits above 16 are kept"),
        (Box::new(Crc32Of15Bits), "bits 16 to 30 of CRC-32, as memcached clients and nginx take them"),
        (Box::new(Djb2), HAPROXY),
        (Box::new(Fnv1_32Signed), FNV_SIGNED),
        (Box::new(Fnv1_32Utf16), FNV_UTF16),
        (Box::new(Fnv1_64LowSigned), FNV_SIGNED),
        (Box::new(Fnv1_64LowUtf16), FNV_UTF16),
        (Box::new(Fnv1a32Absolute), "librdkafka, rdfnv1a.c: the absolute value of FNV-1a-32 as a signed number"),
        (Box::new(Fnv1a32Signed), FNV_SIGNED),
        (Box::new(Fnv1a32Utf16), FNV_UTF16),
        (Box::new(Fnv1a64LowSigned), FNV_SIGNED),
        (Box::new(Fnv1a64LowUtf16), FNV_UTF16),
        (Box::new(JavaString), JAVA),
        (Box::new(JavaStringAbs), JAVA),
        (Box::new(KafkaMurmur2), "Apache Kafka, org.apache.kafka.common.utils.Utils: murmur2, then toPositive"),
        (Box::new(Lookup3), JENKINS),
        (Box::new(Murmur2Length), SMHASHER),
        (Box::new(Murmur3Length), SMHASHER),
        (Box::new(Murmur3Utf16), "Elasticsearch, org.elasticsearch.cluster.routing.Murmur3HashFunction"),
        (Box::new(Murmur64aStd), SMHASHER),
        (Box::new(OneAtATimeSigned), JENKINS),
        (Box::new(Sdbm), HAPROXY),
        (Box::new(Sha1Word), "RFC 3174: the first four bytes of the digest, little-endian"),
        (Box::new(Sha1WordBe), "RFC 3174: the first four bytes of the digest, big-endian"),
        (Box::new(SuperFastHash), "Paul Hsieh, http://www.azillionmonkeys.com/qed/hash.html; start and tail as memcached clients and proxies have them"),
        (Box::new(Wt6), HAPROXY),
    ]);
    all.sort_by(|(a, _), (b, _)| a.name().cmp(&b.name()));
    all
}

fn named(hash: NamedHash) -> &'static str {
    match hash {
        NamedHash::Xxh3 | NamedHash::Xxh64 | NamedHash::Xxh32 => XXHASH,
        NamedHash::Murmur3X86_32 | NamedHash::Murmur3X64_128 => SMHASHER,
        NamedHash::Md5 => "RFC 1321: the first eight bytes of the digest, big-endian",
        NamedHash::Md5Word => "RFC 1321: the first four bytes of the digest, little-endian",
        NamedHash::Crc32 | NamedHash::Crc16Xmodem => CRC,
        NamedHash::Fnv1_32 | NamedHash::Fnv1a32 | NamedHash::Fnv1_64 | NamedHash::Fnv1a64 => FNV,
        NamedHash::Fmix32Fnv1a32 => "FNV-1a-32 of RFC 9923, then fmix32 of MurmurHash3",
        NamedHash::SipHash24 => "Aumasson and Bernstein, SipHash, INDOCRYPT 2012; the key is 16 zero bytes",
        NamedHash::RedisSlot => {
            "the Redis Cluster specification: CRC-16/XMODEM of the part in braces, its low 14 bits"
        }
        _ => "its page in the documentation of clockwise::hash",
    }
}

/// The names of all of them.
pub(crate) fn names() -> Vec<String> {
    all().iter().map(|(hash, _)| hash.name().into_owned()).collect()
}

/// The hash of that name.
pub(crate) fn find(name: &str) -> Option<Box<dyn KeyHash>> {
    all().into_iter().map(|(hash, _)| hash).find(|hash| hash.name() == name)
}

/// Whether a hash reads its input as text: bytes that are no UTF-8 are no input of it.
pub(super) fn is_of_text(name: &str) -> bool {
    name.ends_with("-utf16") || name.starts_with("java-string")
}

/// Whether bytes from 0x80 enter a hash as negative numbers, at least some of them.
pub(super) fn extends_signs(name: &str) -> bool {
    name.contains("-signed") || name.starts_with("superfasthash") || name.starts_with("cassandra-murmur3")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_one_hash() {
        let mut names: Vec<String> = all().iter().map(|(hash, _)| hash.name().into_owned()).collect();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
        for name in names {
            assert_eq!(find(&name).unwrap().name(), name);
        }
        assert!(find("md4").is_none());
    }

    /// A hash that is said to extend signs differs from the same with unsigned bytes.
    #[test]
    fn signs_are_extended_where_it_is_said() {
        for (signed, plain) in [
            ("fnv1-32-signed", "fnv1-32"),
            ("fnv1a-32-signed", "fnv1a-32"),
            ("fnv1-64-low-signed", "fnv1-64"),
            ("fnv1a-64-low-signed", "fnv1a-64"),
        ] {
            let (signed, plain) = (find(signed).unwrap(), find(plain).unwrap());
            let low = |hash: &dyn KeyHash, input: &[u8]| hash.hash(input) as u32;
            assert!(extends_signs(&signed.name()) && !extends_signs(&plain.name()));
            assert_eq!(low(&*signed, b"user:42"), low(&*plain, b"user:42"));
            assert_ne!(low(&*signed, b"\x80"), low(&*plain, b"\x80"));
        }
    }
}
