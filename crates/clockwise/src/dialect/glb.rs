//! GitHub's load balancer director (GLB): the forwarding table, two servers a row.
//!
//! | parameter | |
//! |---|---|
//! | rows | 65,536 |
//! | hash of a row | SipHash-2-4 under the table's seed, of the row's number as 4 big-endian bytes |
//! | score of a server in a row | SipHash-2-4 under the seed, of the row's hash (8 bytes, little-endian) and the packed address, read back as a big-endian number |
//! | primary, secondary | the lowest score, the next |
//! | a server that drains | where it is primary and the secondary is not draining, they change places |
//! | row of a packet | the low 16 bits of SipHash-2-4 of the source address under a key of its own: from its documents, not covered here |
//!
//! Rendezvous hashing, row by row: the order of two servers in a row never changes. Packets go to the
//! primary, which passes those of connections that it does not know on to the secondary.
//!
//! Checked against recorded tables of GLB director (commit a62d37ea7fb2); its handling of unhealthy
//! servers, which is that of draining ones, from the source only.

use alloc::string::ToString;
use alloc::vec::Vec;
use core::net::IpAddr;

use crate::error::{Error, Kind};
use crate::hash::{KeyHash as _, SipHash24};
use crate::members::Buckets;
use crate::placement::ServerIx;
use crate::server::Server;

/// How many rows a table has.
pub const ROWS: u32 = 65_536;

/// The servers of one table, ready to be asked for rows.
///
/// Not a [`Placement`](crate::Placement): a draining server stays primary where its secondary drains as
/// well.
///
/// ```
/// use clockwise::dialect::glb::Table;
/// use clockwise::{Buckets, Server};
///
/// let list = Buckets::new([Server::new("10.1.0.1")?, Server::new("10.1.1.8")?, Server::new("10.1.2.15")?])?;
/// let table = Table::new(*b"4Vx4Vx4Vx4Vx4Vx4", &list)?;
/// let [primary, secondary] = table.row(7);
/// assert_ne!(primary, secondary);
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Table {
    hash: SipHash24,
    servers: Buckets,
    /// The packed address of each server.
    packed: Vec<([u8; 16], usize)>,
}

impl Table {
    /// The table of a seed. Weights have no part in it.
    ///
    /// Refuses fewer than two servers, and an address that is not an IP address.
    pub fn new(seed: [u8; 16], list: &Buckets) -> Result<Table, Error> {
        let have = list.servers().len();
        if have < 2 {
            return Err(Error::new(Kind::TooFewServers { wanted: 2, have }));
        }
        let packed: Result<Vec<_>, Error> = list.servers().iter().map(packed).collect();
        Ok(Table { hash: SipHash24::with_key(seed), servers: list.clone(), packed: packed? })
    }

    /// Primary and secondary of a row; of a number above the last row only the low 16 bits count.
    pub fn row(&self, row: u32) -> [ServerIx; 2] {
        let row_hash = self.hash.hash(&(row % ROWS).to_be_bytes()).to_le_bytes();
        let score = |(bytes, len): &([u8; 16], usize)| {
            self.hash.hash_parts([&row_hash[..], &bytes[..*len]]).swap_bytes()
        };
        // At least two servers, so that both are replaced.
        let mut first = (u64::MAX, ServerIx::new(0));
        let mut second = first;
        for (ix, packed) in (0..).map(ServerIx::new).zip(&self.packed) {
            let scored = (score(packed), ix);
            if scored < first {
                (first, second) = (scored, first);
            } else if scored < second {
                second = scored;
            }
        }
        let drains = |ix: ServerIx| self.servers.servers()[ix.index()].is_draining();
        match (first.1, second.1) {
            (first, second) if drains(first) && !drains(second) => [second, first],
            (first, second) => [first, second],
        }
    }

    /// All rows, in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = [ServerIx; 2]> {
        (0..=u16::MAX).map(|row| self.row(row.into()))
    }

    /// The servers, draining ones included.
    pub fn servers(&self) -> &[Server] {
        self.servers.servers()
    }
}

/// An address as it is in a packet: 4 or 16 bytes.
fn packed(server: &Server) -> Result<([u8; 16], usize), Error> {
    let address = server.address();
    let mut bytes = [0; 16];
    match address.host().parse() {
        Ok(IpAddr::V4(ip)) => {
            bytes[..4].copy_from_slice(&ip.octets());
            Ok((bytes, 4))
        }
        Ok(IpAddr::V6(ip)) => Ok((ip.octets(), 16)),
        Err(_) => {
            let problem = "is not an IP address, which GLB hashes";
            let kind = Kind::Address { value: address.to_string(), problem };
            Err(Error::new(kind).of_server(server.name().as_str()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::list;

    const SEED: [u8; 16] = [7; 16];

    #[test]
    fn a_draining_primary_changes_places_with_a_secondary_that_is_up() {
        let fleet = list(&[("10.0.0.1", 1), ("10.0.0.2", 1), ("2001:db8::3", 1), ("10.0.0.4", 1)]);
        let drain =
            |fleet: &Buckets, at: usize| fleet.replaced(at, fleet.servers()[at].clone().draining()).unwrap();
        let up = Table::new(SEED, &fleet).unwrap();
        let one = Table::new(SEED, &drain(&fleet, 1)).unwrap();
        let two = Table::new(SEED, &drain(&drain(&fleet, 1), 2)).unwrap();
        let mut seen = [0; 3];
        for row in 0..2_000 {
            let [first, second] = up.row(row);
            let swapped = first.index() == 1;
            assert_eq!(one.row(row), if swapped { [second, first] } else { [first, second] }, "row {row}");
            let both = (first.index(), second.index());
            let expected = match both {
                (1, 2) | (2, 1) => [first, second],
                (1 | 2, _) => [second, first],
                _ => [first, second],
            };
            assert_eq!(two.row(row), expected, "row {row}");
            seen[usize::from(swapped)] += 1;
            seen[2] += usize::from(matches!(both, (1, 2) | (2, 1)));
        }
        assert!(seen.iter().all(|&rows| rows > 100), "{seen:?}");
    }

    #[test]
    fn two_servers_that_stay_keep_their_order_in_every_row() {
        let many = list(&[("10.0.0.1", 1), ("10.0.0.2", 1), ("10.0.0.3", 1)]);
        let few = list(&[("10.0.0.1", 1), ("10.0.0.3", 1)]);
        let (many, few) = (Table::new(SEED, &many).unwrap(), Table::new(SEED, &few).unwrap());
        let name = |table: &Table, ix: ServerIx| table.servers()[ix.index()].name().clone();
        for row in 0..500 {
            let order = many.row(row).map(|ix| name(&many, ix));
            if !order.iter().any(|name| name.as_str() == "10.0.0.2") {
                assert_eq!(few.row(row).map(|ix| name(&few, ix)), order, "row {row}");
            }
        }
        assert_eq!(few.row(ROWS + 3), few.row(3));
        assert_eq!(few.rows().len(), 65_536);
        assert_eq!(few.rows().nth(9), Some(few.row(9)));
    }

    #[test]
    fn one_server_and_names_are_refused() {
        assert!(Table::new(SEED, &list(&[("10.0.0.1", 1)])).unwrap_err().is_too_few());
        let error = Table::new(SEED, &list(&[("10.0.0.1", 1), ("lb-2", 1)])).unwrap_err();
        assert!(error.is_text());
        assert_eq!(error.server(), Some("lb-2"));
    }
}
