//! What the rings of Envoy and gRPC have in common: weights as parts of one, and how many points they
//! come to.
//!
//! | parameter | |
//! |---|---|
//! | label of point *i* | the host's key, `_`, *i* in decimal, from 0 |
//! | scale | the lesser of ⌈least weight × minimum size⌉ ⁄ least weight and the maximum size |
//! | points | host by host: as many as bring their number up to the sum so far of scale × weight |
//!
//! All of it in IEEE double. So the host of the least weight has a whole number of points, the ring
//! grows with unequal weights, and where the maximum bites, which host gets the point that is left
//! over depends on the order of the hosts. A host may get none.
//!
//! Source: gRPC proposal A42, "xDS Ring Hash LB Policy", and Envoy's `ring_hash_lb.cc`.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use crate::error::Error;
use crate::error::Kind;
use crate::placement::ServerIx;
use crate::server::Server;

/// A host that takes part.
#[derive(Clone, Debug)]
pub(super) struct Host {
    pub(super) ix: ServerIx,
    /// What its points are hashed from.
    pub(super) key: String,
    /// Its part of one.
    pub(super) weight: f64,
}

/// The hosts with their weights as parts of `part`, in order. Refuses a sum of weights above 2³² − 1.
pub(super) fn hosts(
    servers: &[(ServerIx, &Server)],
    part: f64,
    key: impl Fn(&Server) -> String,
) -> Result<Vec<Host>, Error> {
    let mut sum = 0;
    for (_, server) in servers {
        sum += u64::from(server.weight().get());
        if sum > u64::from(u32::MAX) {
            let kind = Kind::TooMuchWeight { total: sum, limit: u32::MAX.into() };
            return Err(Error::new(kind).of_server(server.name().as_str()));
        }
    }
    let weight = |server: &Server| f64::from(server.weight().get()) * part / sum as f64;
    let host = |&(ix, server): &(ServerIx, &Server)| Host { ix, key: key(server), weight: weight(server) };
    Ok(servers.iter().map(host).collect())
}

/// The points of the ring. Sizes are at most 2²³.
pub(super) fn points(
    hosts: &[Host],
    minimum_size: u32,
    maximum_size: u32,
    hash: impl Fn(&[u8]) -> u64,
) -> Vec<(u64, ServerIx)> {
    let least = hosts.iter().map(|host| host.weight).fold(1.0, f64::min);
    let scale = (ceil(least * f64::from(minimum_size)) / least).min(f64::from(maximum_size));
    let mut points = Vec::with_capacity(scale as usize + 1);
    let (mut target, mut placed) = (0.0, 0.0);
    let mut label = String::new();
    for host in hosts {
        label.clear();
        label.push_str(&host.key);
        label.push('_');
        let stem = label.len();
        target += scale * host.weight;
        let mut number = 0_u32;
        while placed < target {
            label.truncate(stem);
            // Writing to a string cannot fail.
            let _ = write!(label, "{number}");
            points.push((hash(label.as_bytes()), host.ix));
            placed += 1.0;
            number += 1;
        }
    }
    points
}

/// The least whole number that is not below a positive one below 2⁵³.
pub(super) fn ceil(number: f64) -> f64 {
    // Cutting a positive number is its floor.
    let whole = number as u64 as f64;
    if whole < number { whole + 1.0 } else { whole }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;
    use crate::hash::xxh64;
    use crate::members::Buckets;
    use crate::testing::list;

    fn counts(fleet: &Buckets, minimum: u32, maximum: u32) -> Vec<usize> {
        let hosts =
            hosts(&fleet.active().collect::<Vec<_>>(), 1.0, |server| format!("{}", server.name())).unwrap();
        let points = points(&hosts, minimum, maximum, |label| xxh64(label, 0));
        (0..hosts.len()).map(|at| points.iter().filter(|point| point.1.index() == at).count()).collect()
    }

    #[test]
    fn the_lightest_host_has_a_whole_number_of_points_and_the_ring_at_least_its_minimum() {
        assert_eq!(counts(&list(&[("a", 1), ("b", 1), ("c", 1)]), 1024, 1 << 23), [342, 342, 342]);
        // ⌈1024 ⁄ 101⌉ = 11 points for each unit.
        assert_eq!(counts(&list(&[("a", 1), ("b", 100)]), 1024, 1 << 23), [11, 1100]);
    }

    #[test]
    fn a_maximum_that_bites_takes_points_in_order_of_the_list() {
        assert_eq!(counts(&list(&[("a", 1), ("b", 1), ("c", 1)]), 1000, 1000), [334, 333, 333]);
        assert_eq!(counts(&list(&[("a", 1), ("b", 1), ("c", 1), ("d", 1)]), 1, 2), [1, 0, 1, 0]);
    }

    #[test]
    fn a_sum_of_weights_above_32_bits_is_refused() {
        let fleet = list(&[("a", u32::MAX), ("b", 1)]);
        let error = hosts(&fleet.active().collect::<Vec<_>>(), 1.0, |server| format!("{}", server.name()))
            .unwrap_err();
        assert!(error.is_too_large());
        assert_eq!(error.server(), Some("b"));
    }

    #[test]
    fn ceilings_of_positive_numbers() {
        for (number, expected) in
            [(0.0, 0.0), (0.1, 1.0), (1.0, 1.0), (1.000_001, 2.0), (8_388_607.5, 8_388_608.0)]
        {
            assert_eq!(ceil(number).to_bits(), f64::to_bits(expected), "{number}");
        }
    }
}
