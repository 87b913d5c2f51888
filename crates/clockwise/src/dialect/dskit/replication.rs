//! Which instances hold a key: `findInstancesForKey`.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use super::Hash;
use crate::error::{Error, Kind};
use crate::placement::{Ranked as _, ServerIx};
use crate::ring::Ring;
use crate::server::Zone;

/// The replicas of every key of a ring, all instances being ACTIVE and alive.
///
/// A walk from the key's token: each new instance is taken, but with zone awareness only the first of
/// its zone. An instance without a zone is taken whatever the others'. So there are fewer replicas than
/// asked for where there are fewer zones.
///
/// ```
/// use clockwise::dialect::dskit::{Options, Replication, SpreadMinimizing};
/// use clockwise::{Buckets, Server};
///
/// // Two instances in each of three zones.
/// let name = |i: usize| format!("ingester-{}-{}", i % 3, i / 3);
/// let server = |i| Server::new(name(i))?.with_zone(format!("zone-{}", i % 3));
/// let servers = Buckets::new((0..6).map(server).collect::<Result<Vec<_>, _>>()?)?;
/// let mut tokens = std::collections::BTreeMap::new();
/// for zone in 0..3 {
///     for (number, own) in SpreadMinimizing::new(zone)?.take(2).enumerate() {
///         tokens.insert(servers.servers()[number * 3 + zone as usize].name().clone(), own);
///     }
/// }
/// let ring = Options { tokens, ..Options::default() }.build(&servers)?;
/// let replicas = Replication::new(&ring, 3, true)?.of("tenant-1");
/// let mut zones: Vec<_> = replicas.iter().map(|ix| ix.index() % 3).collect();
/// zones.sort_unstable();
/// assert_eq!(zones, [0, 1, 2]);
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Replication<'r> {
    ring: &'r Ring<Hash>,
    replication_factor: usize,
    zone_awareness: bool,
}

impl<'r> Replication<'r> {
    /// `replication_factor` and `zone_awareness_enabled` of the ring's configuration. Refuses 0
    /// replicas, as dskit does.
    pub fn new(
        ring: &'r Ring<Hash>,
        replication_factor: usize,
        zone_awareness: bool,
    ) -> Result<Replication<'r>, Error> {
        if replication_factor == 0 {
            return Err(Error::new(Kind::NoReplicas));
        }
        Ok(Replication { ring, replication_factor, zone_awareness })
    }

    /// The instances that hold a key, its owner first.
    pub fn of(&self, key: impl AsRef<[u8]>) -> Vec<ServerIx> {
        let mut replicas = Vec::new();
        let mut met: Vec<&Zone> = Vec::new();
        // An instance that is passed over once is so at its later tokens too.
        self.ring.visit_preference(key.as_ref(), &mut |ix| {
            let zone = self.ring.servers()[ix.index()].zone().filter(|_| self.zone_awareness);
            if zone.is_none_or(|zone| !met.contains(&zone)) {
                met.extend(zone);
                replicas.push(ix);
            }
            if replicas.len() < self.replication_factor {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        replicas
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::String;

    use super::*;
    use crate::dialect::dskit::Options;
    use crate::hash::KeyHash as _;
    use crate::members::Buckets;
    use crate::server::Server;
    use crate::testing::{Random, user_keys};

    /// The walk as dskit's source has it: over all tokens, once around.
    fn walked(
        tokens: &[(u32, usize)],
        zones: &[String],
        token: u32,
        factor: usize,
        aware: bool,
    ) -> Vec<usize> {
        let first = tokens.iter().position(|(other, _)| *other > token).unwrap_or(0);
        let (mut hosts, mut met) = (Vec::new(), Vec::new());
        for &(_, host) in tokens[first..].iter().chain(&tokens[..first]) {
            if hosts.len() >= factor.min(zones.len()) {
                break;
            }
            if hosts.contains(&host) {
                continue;
            }
            if aware && !zones[host].is_empty() {
                if met.contains(&&zones[host]) {
                    continue;
                }
                met.push(&zones[host]);
            }
            hosts.push(host);
        }
        hosts
    }

    #[test]
    fn replicas_are_those_of_the_walk_over_all_tokens() {
        let mut random = Random(0xd5c2);
        let mut fewer = 0;
        for _ in 0..200 {
            let count = 1 + random.below(9) as usize;
            let zones: Vec<String> = (0..count)
                .map(|_| match random.below(4) {
                    0 => String::new(),
                    zone => format!("zone-{zone}"),
                })
                .collect();
            let server = |(i, zone): (usize, &String)| {
                let server = Server::new(format!("i{i}")).unwrap();
                if zone.is_empty() { server } else { server.with_zone(zone.as_str()).unwrap() }
            };
            let servers = Buckets::new(zones.iter().enumerate().map(server)).unwrap();
            let mut tokens: Vec<(u32, usize)> =
                (0..count * 5).map(|i| (random.next() as u32, i % count)).collect();
            let of = |i| tokens.iter().filter(|(_, owner)| *owner == i).map(|(token, _)| *token).collect();
            let given = (0..count).map(|i| (servers.servers()[i].name().clone(), of(i))).collect();
            let ring = Options { tokens: given, ..Options::default() }.build(&servers).unwrap();
            tokens.sort_unstable();
            for aware in [false, true] {
                let factor = 1 + random.below(4) as usize;
                let replication = Replication::new(&ring, factor, aware).unwrap();
                for key in user_keys(20) {
                    let ours: Vec<usize> = replication.of(&key).iter().map(|ix| ix.index()).collect();
                    let token = ring.hash().hash(key.as_bytes()) as u32;
                    assert_eq!(ours, walked(&tokens, &zones, token, factor, aware), "{zones:?}");
                    fewer += u32::from(ours.len() < factor.min(count));
                }
            }
        }
        assert!(fewer > 100, "{fewer}");
    }

    #[test]
    fn no_replicas_are_refused() {
        let servers = Buckets::new([Server::new("a").unwrap()]).unwrap();
        let tokens = [("a".parse().unwrap(), [1].into())].into();
        let ring = Options { tokens, ..Options::default() }.build(&servers).unwrap();
        assert!(Replication::new(&ring, 0, true).unwrap_err().is_parameter());
    }
}
