//! spymemcached, a Java client.
//!
//! | parameter | ArrayModNodeLocator | KetamaNodeLocator |
//! |---|---|---|
//! | key hash | the hash set | the hash set |
//! | owner | hash mod the number of servers | first point `>=` the hash, wrapping |
//! | points of a server | | 160; weighted: 4 × digests, by weight, rounded down in IEEE single |
//! | position of a point | | a word of MD5 of the label; unweighted under another hash than KETAMA_HASH, that hash of the label |
//! | label | | SPYMEMCACHED: Java's text of the socket address, `-`, number; LIBMEMCACHED: host (with port unless 11211), `-`, number |
//! | width | 32 bits | 32 bits |
//! | equal points | | the server listed last |
//! | a dead server | keep and miss, or the next in the list | keep and miss, or the key with a number before it hashed again |
//!
//! The default is ArrayModNodeLocator under NATIVE_HASH; KetamaConnectionFactory is
//! [`Options::ketama`]. Neither is what libmemcached calls CONSISTENT_KETAMA_SPY.
//!
//! # Keys
//! Keys are Java strings. NATIVE_HASH and the FNV hashes run over their UTF-16 units (see
//! [`JavaString`]: keys here are read as UTF-8), CRC_HASH and KETAMA_HASH over their UTF-8.
//!
//! # Addresses
//! Labels come from a server's address. In the format SPYMEMCACHED that is what Java prints, so a
//! host name brings its IP address into the label, and a change of it moves keys:
//!
//! | the address here | Java's text in labels |
//! |---|---|
//! | `10.0.0.1:11211` | `10.0.0.1:11211` |
//! | `[2001:db8::1]:11211` | `[2001:db8:0:0:0:0:0:1]:11211` |
//! | `cache.example.com/10.0.0.1:11211` | `cache.example.com/10.0.0.1:11211` |
//! | `cache.example.com/<unresolved>:11211` | `cache.example.com/<unresolved>:11211` |
//! | `cache.example.com:11211` | refused: the label is not known |
//!
//! A port must be written. For LIBMEMCACHED a host name is enough; for a bare IP address Java asks
//! the DNS for a name, and here it is taken to have none.
//!
//! Checked against spymemcached 2.12.3 on Java 17. Java before 14 prints names that are not resolved,
//! and IPv6 addresses, differently.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;
use core::net::{Ipv4Addr, Ipv6Addr};

use super::{Placed, ketama};
use crate::choice::choice;
use crate::error::{Error, Kind};
#[cfg(doc)]
use crate::hash::JavaString;
use crate::hash::{
    Crc32Of15Bits, Fnv1_32Utf16, Fnv1_64LowUtf16, Fnv1a32Utf16, Fnv1a64LowUtf16, KeyHash, Md5Word,
    hash_choice,
};
use crate::members::Buckets;
use crate::modulo::ModN;
use crate::ring::{Boundary, Ring, Tie};
use crate::server::Server;

choice! {
    /// The class that finds a key's node.
    Locator, "locator" {
        /// : hash mod the number of servers.
        #[default]
        ArrayMod = "ArrayModNodeLocator",
        /// : a ring.
        Ketama = "KetamaNodeLocator",
    }
    refused {
        "VBucketNodeLocator" = "is not supported: its map of buckets is given at run time, not by a rule",
    }
}

hash_choice! {
    /// A constant of DefaultHashAlgorithm.
    Hash {
        /// : Java's `String.hashCode`.
        #[default]
        Native = "NATIVE_HASH" => crate::hash::JavaString,
        /// : fifteen bits, so that on a ring nearly all keys have one owner.
        Crc = "CRC_HASH" => Crc32Of15Bits,
        /// : 64-bit FNV-1 cut to its low half.
        Fnv1_64 = "FNV1_64_HASH" => Fnv1_64LowUtf16,
        /// : 64-bit FNV-1a cut to its low half.
        Fnv1a64 = "FNV1A_64_HASH" => Fnv1a64LowUtf16,
        Fnv1_32 = "FNV1_32_HASH" => Fnv1_32Utf16,
        Fnv1a32 = "FNV1A_32_HASH" => Fnv1a32Utf16,
        Ketama = "KETAMA_HASH" => Md5Word,
    }
}

choice! {
    /// KetamaNodeKeyFormatter.Format: what stands in labels.
    KeyFormat, "key format" {
        /// : Java's text of the socket address.
        #[default]
        Spymemcached = "SPYMEMCACHED",
        /// : the host, with its port unless that is 11211.
        Libmemcached = "LIBMEMCACHED",
    }
}

/// A client's settings, as far as they place keys; the default is DefaultConnectionFactory's.
///
/// ```
/// use clockwise::dialect::spymemcached::Options;
/// use clockwise::{Buckets, Server};
///
/// let list = Buckets::new([
///     Server::new("a")?.with_address("10.0.0.1:11211")?,
///     Server::new("b")?.with_address("cache.example.com/10.0.0.2:11211")?,
/// ])?;
/// let client = Options::ketama().build(&list)?;
/// assert_eq!(client.as_ring().map(|ring| ring.point_counts()), Some([160, 160].as_slice()));
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// How keys are spread over servers.
    pub locator: Locator,
    /// The hash of keys, and of the points of an unweighted ring.
    pub hash: Hash,
    /// What stands in the labels of a ring.
    pub key_format: KeyFormat,
    /// Whether the ring was given weights; without them all servers count alike.
    pub weighted: bool,
}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("spymemcached {} {}", self.locator, self.hash))
    }
}

impl Options {
    /// What KetamaConnectionFactory sets: the unweighted ring and MD5 as the key hash.
    pub const fn ketama() -> Options {
        Options {
            locator: Locator::Ketama,
            hash: Hash::Ketama,
            key_format: KeyFormat::Spymemcached,
            weighted: false,
        }
    }

    /// The placement of servers listed in this order. Draining ones are left out.
    ///
    /// On a ring, refuses addresses whose label is not known (see [the module](self#addresses)), and
    /// more than [`MAX_POINTS`](crate::ring::MAX_POINTS) points.
    pub fn build(&self, list: &Buckets) -> Result<Placed<Hash>, Error> {
        if self.locator == Locator::ArrayMod {
            return Ok(Placed::table(ModN::unweighted(self.hash, list), false));
        }
        for (_, server) in list.active() {
            self.stem(server)?;
        }
        // Known to succeed for those that are asked.
        let stem = |server: &Server| self.stem(server).unwrap_or_default();
        let points = if self.weighted {
            ketama::weighted_points(list, stem)?
        } else if self.hash == Hash::Ketama {
            ketama::md5_points(list, |_| 40, stem, |words| words.map(u64::from))?
        } else {
            ketama::points(list, |_| 160, stem, |label| [self.hash.hash(label)])?
        };
        let ring = Ring::from_points(self.hash, list, points, Boundary::AtOrAfter, Tie::Last)?;
        Ok(Placed::ring(ring, false))
    }

    /// What stands before the number in a server's labels.
    fn stem(&self, server: &Server) -> Result<String, Error> {
        let refuse = |problem| {
            let kind = Kind::Address { value: server.address().to_string(), problem };
            Error::new(kind).of_server(server.name().as_str())
        };
        let socket = Socket::read(server.address().as_str()).map_err(refuse)?;
        match (self.key_format, socket.text) {
            (KeyFormat::Spymemcached, Some(text)) => Ok(format!("{text}:{}", socket.port)),
            (KeyFormat::Spymemcached, None) => Err(refuse(
                "is a host name, and spymemcached's labels hold its IP address too: write name/address:port, as Java prints it",
            )),
            (KeyFormat::Libmemcached, _) if socket.port == 11211 => Ok(socket.host),
            (KeyFormat::Libmemcached, _) => Ok(format!("{}:{}", socket.host, socket.port)),
        }
    }
}

/// A socket address as Java holds it.
struct Socket {
    /// What getHostName answers.
    host: String,
    /// What toString prints before the port, without a leading slash; nothing for a host name
    /// whose address is not known.
    text: Option<String>,
    port: u16,
}

impl Socket {
    fn read(address: &str) -> Result<Socket, &'static str> {
        let (host, digits) = address.rsplit_once(':').unwrap_or((address, ""));
        let port = if digits.bytes().all(|byte| byte.is_ascii_digit()) { digits.parse().ok() } else { None };
        let ip_of = |text: &str| {
            let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
            java_ip(bare)
        };
        let Some(port) = port else {
            return Err("has no port, and spymemcached takes no server without one");
        };
        if let Some((host, text)) = ip_of(host) {
            return Ok(Socket { host, text: Some(text), port });
        }
        match host.split_once('/') {
            Some(("", _)) => Err("is a path, and spymemcached speaks TCP only"),
            Some((name, "<unresolved>")) => {
                Ok(Socket { host: name.to_owned(), text: Some(host.to_owned()), port })
            }
            Some((name, ip)) => match ip_of(ip) {
                Some((_, text)) => {
                    Ok(Socket { host: name.to_owned(), text: Some(format!("{name}/{text}")), port })
                }
                None => Err("has no IP address behind its slash"),
            },
            None if host.contains(':') => Err("has a host with colons that is no IPv6 address"),
            None => Ok(Socket { host: host.to_owned(), text: None, port }),
        }
    }
}

/// An IP address as Java writes it: alone, and before a port. IPv6 is written out in full, and what
/// is IPv4 in disguise is IPv4.
fn java_ip(text: &str) -> Option<(String, String)> {
    if let Ok(ip) = text.parse::<Ipv4Addr>() {
        return Some((ip.to_string(), ip.to_string()));
    }
    let ip: Ipv6Addr = text.parse().ok()?;
    if let Some(ip) = ip.to_ipv4_mapped() {
        return Some((ip.to_string(), ip.to_string()));
    }
    let [a, b, c, d, e, f, g, h] = ip.segments();
    let text = format!("{a:x}:{b:x}:{c:x}:{d:x}:{e:x}:{f:x}:{g:x}:{h:x}");
    Some((text.clone(), format!("[{text}]")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Placement as _;
    use crate::testing::list;

    fn stem(format: KeyFormat, address: &str) -> Result<String, Error> {
        let options = Options { key_format: format, ..Options::ketama() };
        options.stem(&Server::new("s").unwrap().with_address(address).unwrap())
    }

    #[test]
    fn labels_are_what_java_17_prints() {
        for (address, spymemcached, libmemcached) in [
            ("10.0.0.1:11211", "10.0.0.1:11211", "10.0.0.1"),
            ("10.0.0.1:11212", "10.0.0.1:11212", "10.0.0.1:11212"),
            ("[2001:db8::1]:11211", "[2001:db8:0:0:0:0:0:1]:11211", "2001:db8:0:0:0:0:0:1"),
            ("::1:11213", "[0:0:0:0:0:0:0:1]:11213", "0:0:0:0:0:0:0:1:11213"),
            ("[1::]:11211", "[1:0:0:0:0:0:0:0]:11211", "1:0:0:0:0:0:0:0"),
            ("[::ffff:10.0.0.1]:11211", "10.0.0.1:11211", "10.0.0.1"),
            ("c.example/10.0.0.1:11211", "c.example/10.0.0.1:11211", "c.example"),
            ("c.example/[2001:db8::1]:7", "c.example/[2001:db8:0:0:0:0:0:1]:7", "c.example:7"),
            ("c.example/<unresolved>:11211", "c.example/<unresolved>:11211", "c.example"),
        ] {
            assert_eq!(stem(KeyFormat::Spymemcached, address).unwrap(), spymemcached);
            assert_eq!(stem(KeyFormat::Libmemcached, address).unwrap(), libmemcached);
        }
        assert_eq!(stem(KeyFormat::Libmemcached, "c.example:11212").unwrap(), "c.example:11212");
    }

    #[test]
    fn an_address_that_does_not_tell_its_label_is_refused_with_what_is_missing() {
        for (address, problem) in [
            ("c.example:11211", "write name/address:port"),
            ("10.0.0.1", "has no port"),
            ("c.example", "has no port"),
            ("10.0.0.1:", "has no port"),
            ("10.0.0.1:+1", "has no port"),
            ("10.0.0.1:65536", "has no port"),
            ("c.example/d.example:11211", "no IP address behind its slash"),
            ("/run/memcached.sock:0", "is a path"),
            ("a:b:11211", "no IPv6 address"),
        ] {
            let error = stem(KeyFormat::Spymemcached, address).unwrap_err();
            assert!(error.is_text() && error.server() == Some("s"), "{error}");
            assert!(error.to_string().contains(problem), "{error}");
        }
        // Where no label is made, none has to be known.
        assert!(Options::default().build(&list(&[("c.example", 1)])).is_ok());
        assert!(Options::ketama().build(&list(&[("c.example:11211", 1)])).is_err());
    }

    #[test]
    fn weights_count_only_when_given_and_always_on_md5_points() {
        let servers = list(&[("10.0.0.1:11211", 1), ("10.0.0.2:11212", 3)]);
        // Seen in the program: the points of each, and the first point of all.
        for (hash, weighted, counts, first) in [
            (Hash::Ketama, false, [160, 160], 17_741_937),
            (Hash::Ketama, true, [80, 240], 17_741_937),
            (Hash::Fnv1_64, false, [160, 160], 441_033_056),
            (Hash::Fnv1_64, true, [80, 240], 17_741_937),
            (Hash::Crc, false, [160, 160], 6),
            (Hash::Crc, true, [80, 240], 17_741_937),
        ] {
            let options = Options { hash, weighted, ..Options::ketama() };
            let client = options.build(&servers).unwrap();
            let ring = client.as_ring().unwrap();
            assert_eq!(ring.point_counts(), counts, "{options}");
            assert_eq!(ring.points().next().map(|(position, _)| position), Some(first), "{options}");
        }
    }

    #[test]
    fn of_two_servers_at_one_address_the_last_owns_all() {
        let at = |name| Server::new(name).unwrap().with_address("10.0.0.1:11211").unwrap();
        let client = Options::ketama().build(&Buckets::new([at("x"), at("y")]).unwrap()).unwrap();
        assert!((0..100).all(|i| client.owner(format!("key-{i}")).name().as_str() == "y"));
        assert!(client.depends_on_order());
    }

    #[test]
    fn spellings_read_back() {
        for &hash in Hash::ALL {
            assert_eq!(hash.as_str().parse(), Ok(hash));
        }
        assert!("VBucketNodeLocator".parse::<Locator>().unwrap_err().is_parameter());
    }
}
