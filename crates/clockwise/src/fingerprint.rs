//! Do two clients place keys alike? A [`Fingerprint`] answers without comparing key by key.
//!
//! It is of *decisions*: weights, hashes and schemes count only through what they decide. There are
//! three, each the first eight bytes of the MD5 (RFC 1321) of the bytes stated here. Names, addresses
//! and hash names are their UTF-8 bytes; `00` is one zero byte, which no name or address can hold.
//!
//! | fingerprint | bytes | equal means |
//! |---|---|---|
//! | [of probes](Fingerprint::of_probes) | for each key of the texts `0`, `1`, … `4095`, in this order: the owner's name, `00` | all 4,096 keys have the same owners |
//! | [of a layout](Fingerprint::of_layout), circle | `circle`, `00`, name of the key hash, `00`; then for each point in ascending order: its position as 8 bytes little-endian, its server's name, `00` | every key has the same owner and the same replicas |
//! | [of a layout](Fingerprint::of_layout), slots | `slots`, `00`, name of the key hash, `00`; then for each slot from 0: its server's name, `00` | every key has the same owner |
//! | [of addresses](Fingerprint::of_addresses) | for each server in bytewise order of the names: its name, `00`, its address, `00` | the same servers are reached at the same places |
//!
//! Positions on a circle are those of its [`Layout`]: 32-bit ones shifted up by 32, and those of a
//! ring that looks strictly after the hash lowered by one in their own width. Points at one
//! position stand in order of preference. A draining server has no point and counts only in
//! addresses.
//!
//! The probes ask only for owners of keys, and every language has MD5 at hand, so any client can
//! compute them. In Python:
//!
//! ```python
//! h = hashlib.md5()
//! for i in range(4096):
//!     h.update(client.owner(str(i)).encode() + b"\0")
//! print("cw1:" + h.hexdigest()[:16])
//! ```
//!
//! Two placements that differ in one key of a thousand agree on all 4,096 probes with a chance of
//! 1 in 60; that differ in one of a hundred, of less than 10⁻¹⁷. Where both sides have layouts,
//! compare those.

use alloc::string::ToString;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use md5::Digest as _;

use crate::error::{Error, Kind};
use crate::placement::{Layout, Measured, Placement, ServerIx};
use crate::server::Server;

/// A short text that identifies decisions, printed as `cw1:` and 16 hexadecimal digits. See the
/// [module](crate::fingerprint) for what goes in, byte by byte.
///
/// ```
/// use clockwise::hash::Xxh3;
/// use clockwise::{Fingerprint, Members, Ring, Server};
///
/// let members = Members::new([Server::new("a")?, Server::new("b")?, Server::new("c")?])?;
/// let ring = Ring::builder(Xxh3).build(&members)?;
/// println!("{}", Fingerprint::of_probes(&ring));
///
/// // A new address moves no key: the placement is the same, and only the addresses differ.
/// let moved = members.changed("b", |server| server.with_address("10.0.0.9:11211"))?;
/// let after = Ring::builder(Xxh3).build(&moved)?;
/// assert_eq!(Fingerprint::of_layout(&ring), Fingerprint::of_layout(&after));
/// assert_ne!(
///     Fingerprint::of_addresses(members.servers()),
///     Fingerprint::of_addresses(moved.servers()),
/// );
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(pub(crate) u64);

/// How many keys [`Fingerprint::of_probes`] asks for.
pub const PROBES: u32 = 4096;

impl Fingerprint {
    /// Of the owners of the keys `0` to `4095`: what any client can compute.
    pub fn of_probes<P: Placement + ?Sized>(placement: &P) -> Fingerprint {
        let mut sink = Sink::new();
        for probe in 0..PROBES {
            sink.server(placement.servers(), placement.owner_ix(probe.to_string().as_bytes()));
        }
        sink.finish()
    }

    /// Of all points or slots. None for a scheme that divides the key space in no such way.
    pub fn of_layout<P: Measured + ?Sized>(placement: &P) -> Option<Fingerprint> {
        let servers = placement.servers();
        let mut sink = Sink::new();
        match placement.layout()? {
            Layout::Circle { arcs, key_hash, .. } => {
                sink.text("circle");
                sink.text(key_hash);
                for (end, owner) in arcs.iter() {
                    sink.bytes(&end.to_le_bytes());
                    sink.server(servers, owner);
                }
            }
            Layout::Slots { owners, key_hash } => {
                sink.text("slots");
                sink.text(key_hash);
                for &owner in owners {
                    sink.server(servers, owner);
                }
            }
        }
        Some(sink.finish())
    }

    /// Of names and addresses, whatever order the servers stand in.
    pub fn of_addresses(servers: &[Server]) -> Fingerprint {
        let mut sorted: Vec<&Server> = servers.iter().collect();
        sorted.sort_by_key(|server| server.name());
        let mut sink = Sink::new();
        for server in sorted {
            sink.text(server.name().as_str());
            sink.text(server.address().as_str());
        }
        sink.finish()
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cw1:{:016x}", self.0)
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl FromStr for Fingerprint {
    type Err = Error;

    /// Reads what is printed, as another client sends it.
    fn from_str(text: &str) -> Result<Fingerprint, Error> {
        let digits = text.strip_prefix("cw1:").filter(|digits| {
            digits.len() == 16 && digits.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
        });
        let number = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
        number.map(Fingerprint).ok_or_else(|| {
            Error::new(Kind::Option {
                name: "fingerprint",
                value: alloc::format!("{text:?}"),
                problem: "is not `cw1:` and 16 lower-case hexadecimal digits",
            })
        })
    }
}

/// MD5 as a stream: a layout of millions of points is not copied to be hashed.
struct Sink(md5::Md5);

impl Sink {
    fn new() -> Sink {
        Sink(md5::Md5::new())
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
        self.bytes(&[0]);
    }

    fn server(&mut self, servers: &[Server], ix: ServerIx) {
        self.text(servers.get(ix.index()).map_or("", |server| server.name().as_str()));
    }

    fn finish(self) -> Fingerprint {
        let digest: [u8; 16] = self.0.finalize().into();
        Fingerprint((u128::from_be_bytes(digest) >> 64) as u64)
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::String;

    use super::*;
    use crate::hash::{Fnv1a32, KeyHash, Md5, Width, Xxh3};
    use crate::members::{Buckets, Members};
    use crate::modulo::ModN;
    use crate::moves::Moves;
    use crate::ring::{Boundary, Ring, Tie};
    use crate::testing::{Digits, Random, list, members, user_keys};

    fn ring(members: &Members) -> Ring {
        Ring::builder(Xxh3).build(members).unwrap()
    }

    fn abcd() -> Members {
        members(&[("a", 1), ("b", 1), ("c", 1), ("d", 2)])
    }

    /// Frozen with the native placement. The numbers were computed without this library: ring,
    /// lookup and bytes in twenty lines of Python over its `xxhash` package.
    #[test]
    fn fingerprints_of_the_native_ring_of_four() {
        let ring = ring(&abcd());
        assert_eq!(format!("{}", Fingerprint::of_probes(&ring)), "cw1:5e36ab5e426b2745");
        assert_eq!(format!("{}", Fingerprint::of_layout(&ring).unwrap()), "cw1:981298a3a8f8ed46");
        assert_eq!(format!("{}", Fingerprint::of_addresses(abcd().servers())), "cw1:6d29a8bdda584ed4");
    }

    #[test]
    fn probes_are_the_owners_of_4096_decimal_keys() {
        let ring = ring(&abcd());
        let bytes: String = (0..4096).map(|i| format!("{}\0", ring.owner(format!("{i}")).name())).collect();
        assert_eq!(Fingerprint::of_probes(&ring).0, Md5.hash(bytes.as_bytes()));
        let mod_n = ModN::new(Xxh3, &Buckets::from(&abcd())).unwrap();
        assert_ne!(Fingerprint::of_probes(&mod_n), Fingerprint::of_probes(&ring));
    }

    #[test]
    fn a_circle_is_its_points_and_a_table_its_slots() {
        let points = |p: [(u64, u32); 3]| p.map(|(position, s)| (position, ServerIx::new(s))).into();
        let fleet = list(&[("b", 1), ("a", 1)]);
        let hash = Fnv1a32;
        let build = |p, boundary| Ring::from_points(hash, &fleet, points(p), boundary, Tie::First).unwrap();
        let mut bytes = Vec::from(*b"circle\0");
        bytes.extend(hash.name().bytes().chain([0]));
        for (position, name) in [(4_u64, "a"), (9, "b"), (9, "a")] {
            bytes.extend((position << 32).to_le_bytes());
            bytes.extend(name.bytes().chain([0]));
        }
        let expected = Some(Fingerprint(Md5.hash(&bytes)));
        let at = build([(9, 0), (4, 1), (9, 1)], Boundary::AtOrAfter);
        let after = build([(10, 0), (5, 1), (10, 1)], Boundary::After);
        assert_eq!(Fingerprint::of_layout(&at), expected);
        assert_eq!(Fingerprint::of_layout(&after), expected);
        // The other point first: other replicas, another fingerprint.
        let tied = build([(9, 1), (4, 1), (9, 0)], Boundary::AtOrAfter);
        assert_ne!(Fingerprint::of_layout(&tied), expected);

        let table = Slots(fleet.clone());
        let bytes = b"slots\0rule\0b\0a\0a\0";
        assert_eq!(Fingerprint::of_layout(&table), Some(Fingerprint(Md5.hash(bytes))));
        assert_eq!(Fingerprint::of_layout(&ModN::new(Xxh3, &fleet).unwrap()), None);
    }

    /// Three slots: b, a, a.
    struct Slots(Buckets);

    impl Placement for Slots {
        fn servers(&self) -> &[Server] {
            self.0.servers()
        }
        fn owner_ix(&self, _: &[u8]) -> ServerIx {
            ServerIx::new(0)
        }
    }

    impl Measured for Slots {
        fn shares(&self) -> Vec<crate::placement::Share> {
            Vec::new()
        }
        fn layout(&self) -> Option<Layout<'_>> {
            const OWNERS: &[ServerIx] = &[ServerIx::new(0), ServerIx::new(1), ServerIx::new(1)];
            Some(Layout::Slots { owners: OWNERS, key_hash: "rule" })
        }
    }

    #[test]
    fn the_key_hash_is_part_of_a_layout() {
        #[derive(Clone, Copy)]
        struct Renamed;
        impl KeyHash for Renamed {
            fn width(&self) -> Width {
                Width::Bits64
            }
            fn hash(&self, bytes: &[u8]) -> u64 {
                Xxh3.hash(bytes)
            }
            fn name(&self) -> alloc::borrow::Cow<'static, str> {
                Digits(Width::Bits64).name()
            }
        }
        let renamed = Ring::builder(Renamed).build(&abcd()).unwrap();
        let native = ring(&abcd());
        assert_eq!(Fingerprint::of_probes(&renamed), Fingerprint::of_probes(&native));
        assert_ne!(Fingerprint::of_layout(&renamed), Fingerprint::of_layout(&native));
    }

    #[test]
    fn order_of_the_list_does_not_show() {
        let mut servers: Vec<Server> =
            (1..=8).map(|i| Server::new(format!("n{i}.test:11300")).unwrap()).collect();
        let mut random = Random(0x5eed_0030);
        let mut seen = alloc::collections::BTreeSet::new();
        for _ in 0..50 {
            for i in (1..servers.len()).rev() {
                servers.swap(i, (random.next() % (i as u64 + 1)) as usize);
            }
            let ring = ring(&Members::new(servers.clone()).unwrap());
            seen.insert((
                Fingerprint::of_probes(&ring),
                Fingerprint::of_layout(&ring),
                Fingerprint::of_addresses(&servers),
            ));
        }
        assert_eq!(seen.len(), 1);
    }

    #[test]
    fn a_new_address_changes_only_the_fingerprint_of_addresses() {
        let slot = |name, address| Server::new(name).unwrap().with_address(address).unwrap();
        let fleet = Members::new([
            slot("slot-1", "10.0.0.1:11300"),
            slot("slot-2", "10.0.0.2:11300"),
            slot("slot-3", "10.0.0.3:11300"),
        ])
        .unwrap();
        let swapped = fleet.changed("slot-2", |server| server.with_address("10.0.0.9:11300")).unwrap();
        let (before, after) = (ring(&fleet), ring(&swapped));
        assert_eq!(Fingerprint::of_layout(&before), Fingerprint::of_layout(&after));
        assert_eq!(Fingerprint::of_probes(&before), Fingerprint::of_probes(&after));
        let addresses = |fleet: &Members| Fingerprint::of_addresses(fleet.servers());
        assert_ne!(addresses(&fleet), addresses(&swapped));
        let moves = Moves::count_keys(&before, &after, user_keys(100_000));
        assert_eq!((moves.total().keys, moves.moved().keys), (100_000, 0));
    }

    #[test]
    fn what_is_printed_is_read_and_nothing_else() {
        let fingerprint = Fingerprint(0x00ab_cdef_0123_4567);
        assert_eq!(format!("{fingerprint}"), "cw1:00abcdef01234567");
        assert_eq!("cw1:00abcdef01234567".parse(), Ok(fingerprint));
        for wrong in [
            "",
            "cw1:",
            "00abcdef01234567",
            "cw2:00abcdef01234567",
            "cw1:0abcdef01234567",
            "cw1:000abcdef01234567",
            "cw1:00ABCDEF01234567",
            "cw1:+0abcdef01234567",
        ] {
            let error = wrong.parse::<Fingerprint>().unwrap_err();
            assert!(error.is_parameter() && format!("{error}").contains(wrong), "{error}");
        }
    }
}
