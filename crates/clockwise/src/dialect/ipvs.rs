//! IPVS: the `mh` scheduler of the Linux kernel.
//!
//! | parameter | |
//! |---|---|
//! | table size | 4,093 unless the kernel was configured otherwise; one of [`TABLE_SIZES`] |
//! | number of an address | port + IPv4 address as a number; of IPv6 its four words, xored |
//! | offset, skip | [`hsiphash`] of that number (4 little-endian bytes) under the first key mod M; under the second mod (M − 1) + 1 |
//! | turns | in order of the list: as many slots in a row as (weight ⁄ greatest common divisor) ⁄ 2^shift, at least 1 |
//! | shift | as many bits as the largest weight over the divisor has above half the table's index |
//! | slot of a packet | [`slot_hash`] of the source address, and of its port with the flag `mh-port`, mod M |
//! | a dead destination | keep and miss; with the flag `mh-fallback` other slots are tried |
//!
//! As 64-bit machines compute it. From the source only (`net/netfilter/ipvs/ip_vs_mh.c`).

use alloc::string::ToString;
use alloc::vec::Vec;
use core::net::{IpAddr, SocketAddr};

use crate::error::{Error, Kind};
use crate::hash::hsiphash;
use crate::maglev::{Maglev, Walk, table_size};
use crate::members::Buckets;

/// The sizes that a kernel can be configured with, by CONFIG_IP_VS_MH_TAB_INDEX from 8.
pub const TABLE_SIZES: [u32; 10] = [251, 509, 1021, 2039, 4093, 8191, 16_381, 32_749, 65_521, 131_071];

/// The key of offsets and packets: one number of 64 bits, twice.
const FIRST: u64 = 2_654_435_761;
/// The key of skips.
const SECOND: u64 = 2_654_446_892;

/// The kernel's configuration.
///
/// ```
/// use clockwise::dialect::ipvs::{Options, slot_hash};
/// use clockwise::{Buckets, Server};
///
/// let list = Buckets::new([Server::new("10.0.0.1:80")?, Server::new("10.0.0.2:80")?])?;
/// let table = Options::default().build(&list)?;
/// let owner = table.owner_of_hash(slot_hash("192.0.2.7".parse().unwrap(), 0).into());
/// assert!(owner.index() < 2);
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// Slots of the table.
    pub table_size: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options { table_size: 4093 }
    }
}

impl Options {
    /// The table of a service's destinations in their order; those of weight 0 are draining.
    ///
    /// Refuses a size that no kernel has, more destinations than slots, and an address that is not an
    /// IP address with or without a port.
    pub fn build(&self, list: &Buckets) -> Result<Maglev<()>, Error> {
        let Some(index) = TABLE_SIZES.iter().position(|&size| size == self.table_size) else {
            let problem =
                "is not one that IPVS has: 251, 509, 1021, 2039, 4093, 8191, 16381, 32749, 65521, 131071";
            return Err(Error::new(Kind::TableSize { size: self.table_size.into(), problem }));
        };
        let size = table_size(self.table_size.into())?;
        if list.servers().len() > size as usize {
            let (servers, slots) = (list.servers().len(), size as usize);
            return Err(Error::new(Kind::MoreServersThanSlots { servers, slots }));
        }
        let divisor =
            list.active().fold(0, |divisor, (_, server)| gcd(server.weight().get(), divisor)).max(1);
        let largest = list.active().map(|(_, server)| server.weight().get()).max().unwrap_or(1) / divisor;
        // Bits of the largest over half of the configured index, which begins at 8.
        let shift = (u32::BITS - largest.leading_zeros()).saturating_sub((8 + index as u32) / 2);
        let (mut walks, mut turns) = (Vec::new(), Vec::new());
        for (ix, server) in list.active() {
            let text = server.address().as_str();
            let (ip, port) = address(text).ok_or_else(|| {
                let problem = "is not an IP address, which IPVS hashes";
                Error::new(Kind::Address { value: text.to_string(), problem })
                    .of_server(server.name().as_str())
            })?;
            let [offset, skip] = [FIRST, SECOND].map(|key| keyed(ip, port, key).into());
            walks.push((ix, Walk::new(offset, skip, size)));
            turns.push(((server.weight().get() / divisor) >> shift).max(1));
        }
        let in_rows = (0..).zip(turns).flat_map(|(at, turns)| core::iter::repeat_n(at, turns as usize));
        let in_rows: Vec<u32> = in_rows.collect();
        Ok(Maglev::filled((), list.shared(), true, size, walks, in_rows.into_iter().cycle().into()))
    }
}

/// The hash of a packet by its source; port 0 unless `mh-port` is set.
pub fn slot_hash(source: IpAddr, port: u16) -> u32 {
    keyed(source, port, FIRST)
}

fn keyed(ip: IpAddr, port: u16, key: u64) -> u32 {
    let folded = match ip {
        IpAddr::V4(ip) => ip.to_bits(),
        IpAddr::V6(ip) => {
            let octets = ip.octets();
            let (words, _) = octets.as_chunks::<4>();
            words.iter().fold(0, |folded, word| folded ^ u32::from_be_bytes(*word))
        }
    };
    let mut pair = [0; 16];
    pair[..8].copy_from_slice(&key.to_le_bytes());
    pair[8..].copy_from_slice(&key.to_le_bytes());
    hsiphash(&folded.wrapping_add(port.into()).to_le_bytes(), pair)
}

/// An IP address with its port, or alone with port 0, as services by firewall mark have it.
fn address(text: &str) -> Option<(IpAddr, u16)> {
    if let Ok(address) = text.parse::<SocketAddr>() {
        return Some((address.ip(), address.port()));
    }
    text.parse().ok().map(|ip| (ip, 0))
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::String;

    use super::*;
    use crate::server::Server;
    use crate::testing::{Random, list};

    /// The kernel's own loops, over a table of booleans.
    fn by_the_kernel(list: &Buckets, size: usize, index: u32) -> Vec<usize> {
        let weight = |server: &Server| server.effective_weight();
        let divisor = list.servers().iter().map(weight).filter(|&w| w > 0).fold(0, gcd);
        let most = list.servers().iter().map(weight).max().unwrap() / divisor;
        let shift = (32 - most.leading_zeros()).saturating_sub(index / 2);
        let setup: Vec<(usize, usize, u32)> = list
            .servers()
            .iter()
            .map(|server| {
                let (ip, port) = address(server.address().as_str()).unwrap();
                let turns = match (weight(server) / divisor) >> shift {
                    0 => u32::from(weight(server) != 0),
                    turns => turns,
                };
                let offset = slot_hash(ip, port) as usize % size;
                (offset, keyed(ip, port, SECOND) as usize % (size - 1) + 1, turns)
            })
            .collect();
        let mut perm: Vec<usize> = setup.iter().map(|setup| setup.0).collect();
        let mut table = alloc::vec![usize::MAX; size];
        let mut filled = 0;
        loop {
            for (at, &(_, skip, turns)) in setup.iter().enumerate() {
                for _ in 0..turns {
                    while table[perm[at]] != usize::MAX {
                        perm[at] = (perm[at] + skip) % size;
                    }
                    table[perm[at]] = at;
                    filled += 1;
                    if filled == size {
                        return table;
                    }
                }
            }
        }
    }

    #[test]
    fn the_table_is_filled_as_the_kernel_does() {
        let mut random = Random(0x5eed_0140);
        for round in 0..60 {
            let count = 1 + random.below(12) as usize;
            let most = [1, 10, 60_000][round % 3];
            let names: Vec<String> = (0..count)
                .map(|i| {
                    if i % 3 == 2 { format!("[2001:db8::{i}:1]:443") } else { format!("10.0.{round}.{i}:80") }
                })
                .collect();
            let fleet: Vec<(&str, u32)> =
                names.iter().map(|name| (name.as_str(), 1 + random.below(most) as u32)).collect();
            let mut fleet = list(&fleet);
            if count > 2 {
                fleet = fleet.replaced(1, fleet.servers()[1].clone().draining()).unwrap();
            }
            let (at, table_size) = [(0, 251), (4, 4093)][round % 2];
            let table = Options { table_size }.build(&fleet).unwrap();
            let ours: Vec<usize> = table.table().iter().map(crate::ServerIx::index).collect();
            assert_eq!(ours, by_the_kernel(&fleet, table_size as usize, 8 + at), "round {round}");
        }
    }

    #[test]
    fn ipv6_addresses_are_folded_and_ports_added() {
        let ip = |text: &str| text.parse::<IpAddr>().unwrap();
        assert_eq!(slot_hash(ip("10.0.0.1"), 80), slot_hash(ip("10.0.0.81"), 0));
        // 20010db8 ^ 00000001 = 20010db9.
        assert_eq!(slot_hash(ip("2001:db8::1"), 0), slot_hash(ip("32.1.13.185"), 0));
        assert_ne!(keyed(ip("10.0.0.1"), 80, FIRST), keyed(ip("10.0.0.1"), 80, SECOND));
    }

    #[test]
    fn what_no_kernel_has_is_refused() {
        assert!(Options { table_size: 257 }.build(&list(&[("10.0.0.1:80", 1)])).unwrap_err().is_parameter());
        let error = Options::default().build(&list(&[("10.0.0.1:80", 1), ("name:80", 1)])).unwrap_err();
        assert!(error.is_text());
        assert_eq!(error.server(), Some("name:80"));
        let many: Vec<String> = (0..252).map(|i| format!("10.0.0.{i}:80")).collect();
        let many: Vec<(&str, u32)> = many.iter().map(|name| (name.as_str(), 1)).collect();
        assert!(Options { table_size: 251 }.build(&list(&many)).unwrap_err().is_parameter());
    }
}
