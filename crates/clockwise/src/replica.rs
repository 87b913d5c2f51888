//! Which servers hold the copies of a key: preference lists of distinct servers, with a rule for
//! zones.
//!
//! The first replica is always the key's owner. Without regard to zones the others follow in
//! preference order, as in the preference lists of Dynamo (DeCandia et al., "Dynamo: Amazon's
//! Highly Available Key-value Store", SOSP 2007, section 4.3). With it, each next replica goes to
//! the first server in preference order whose zone holds the fewest replicas so far, among zones
//! that still have a server left: three replicas over two zones of two servers lie 2+1, four lie
//! 2+2.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use core::fmt;
use core::ops::ControlFlow;

use crate::error::{Error, Kind};
use crate::placement::{Placement, Ranked, ServerIx, listed};
use crate::route::{Down, Route, route_ix};
use crate::server::{Server, Zone};

/// What replicas of one key must not share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Spread {
    /// A server: any distinct servers will do.
    #[default]
    Servers,
    /// A zone, as far as there are zones: the fewest replicas in each that the fleet allows. A
    /// server without a zone counts as a zone of its own.
    Zones,
    /// A zone, without exception. A fleet with fewer zones than replicas is refused, and so is a
    /// server without a zone: nobody knows what it shares with the others.
    StrictZones,
}

/// The replicas of every key over a placement.
///
/// Holds the placement by value, reference, `Box` or `Arc`, as its owner likes.
///
/// ```
/// use clockwise::hash::Xxh3;
/// use clockwise::{Members, Placement, Replicas, Ring, Server, Spread};
///
/// let server = |name, zone| Server::new(name)?.with_zone(zone);
/// let members =
///     Members::new([server("a", "z1")?, server("b", "z1")?, server("c", "z2")?, server("d", "z2")?])?;
/// let ring = Ring::builder(Xxh3).points_per_weight(160).build(&members)?;
///
/// let replicas = Replicas::new(&ring, 2, Spread::StrictZones)?.of("user:42");
/// assert_eq!(replicas[0], ring.owner_ix(b"user:42"));
/// let zone = |i: usize| ring.servers()[replicas[i].index()].zone();
/// assert_ne!(zone(0), zone(1));
/// assert!(Replicas::new(&ring, 3, Spread::StrictZones).unwrap_err().is_too_few());
/// assert!(Replicas::new(&ring, 5, Spread::Servers).unwrap_err().is_too_few());
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone)]
pub struct Replicas<P> {
    placement: P,
    count: usize,
    zones: Zones,
}

/// Who shares a zone with whom, and what follows from it for every key.
///
/// Call a server's *level* for a key the number of servers of its zone before it in the preference
/// list. Taking the emptiest zone again and again takes level 0 of all zones in preference order,
/// then level 1, and so on. All lists hold the same servers, so how many servers each level has is
/// the same for every key and one walk can put each server where it belongs.
#[derive(Clone, Debug)]
struct Zones {
    /// The zone of each server, numbered. Empty when zones do not matter.
    of: Vec<u32>,
    /// Where each level begins in a list of replicas, and where the last of them ends.
    levels: Vec<usize>,
}

impl<P: Ranked> Replicas<P> {
    /// `count` replicas of every key. Refuses 0, more than there are servers to hold them (active,
    /// and reached by the placement), and what [`Spread::StrictZones`] refuses.
    pub fn new(placement: P, count: usize, spread: Spread) -> Result<Replicas<P>, Error> {
        let listed = listed(&placement);
        if count == 0 {
            return Err(Error::new(Kind::NoReplicas));
        }
        if count > listed.len() {
            return Err(Error::new(Kind::TooFewServers { wanted: count, have: listed.len() }));
        }
        let zones = match spread {
            Spread::Servers => Zones { of: Vec::new(), levels: Vec::new() },
            Spread::Zones => Zones::new(&placement, &listed, count),
            Spread::StrictZones => {
                refuse_shared_zones(&placement, &listed, count)?;
                Zones::new(&placement, &listed, count)
            }
        };
        Ok(Replicas { placement, count, zones })
    }

    /// The placement underneath.
    pub fn placement(&self) -> &P {
        &self.placement
    }

    /// How many replicas each key has.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The servers that hold a key: [`count`](Replicas::count) distinct ones, the owner first.
    pub fn of(&self, key: impl AsRef<[u8]>) -> Vec<ServerIx> {
        let mut replicas = Vec::new();
        self.write_to(key, &mut replicas);
        replicas
    }

    /// The same into a list that is kept between keys, so that nothing is allocated for each. What
    /// it held before is dropped.
    pub fn write_to(&self, key: impl AsRef<[u8]>, replicas: &mut Vec<ServerIx>) {
        replicas.clear();
        let key = key.as_ref();
        if self.zones.of.is_empty() {
            self.placement.visit_preference(key, &mut |server| {
                replicas.push(server);
                more_if(replicas.len() < self.count)
            });
            return;
        }
        replicas.resize(self.count, NOBODY);
        let mut left = self.count;
        self.placement.visit_preference(key, &mut |server| {
            if let Some(place) = self.zones.place(server, replicas) {
                replicas[place] = server;
                left -= 1;
            }
            more_if(left > 0)
        });
    }

    /// Who answers for a key while servers are down: the first of its replicas that is up, so that
    /// whoever answers holds the key. If all of them are down, the next server of the preference
    /// list that is up, as in Dynamo (section 4.6, "sloppy quorum").
    ///
    /// ```
    /// use clockwise::hash::Xxh3;
    /// use clockwise::{Down, Members, Replicas, Ring, Server, Spread};
    ///
    /// let server = |name, zone| Server::new(name)?.with_zone(zone);
    /// let members = Members::new([server("a", "z1")?, server("b", "z1")?, server("c", "z2")?])?;
    /// let replicas = Replicas::new(Ring::builder(Xxh3).build(&members)?, 2, Spread::Zones)?;
    ///
    /// let holders = replicas.of("user:42");
    /// let mut down = Down::none(replicas.placement());
    /// down.mark(holders[0]);
    /// assert_eq!(replicas.route_ix("user:42", &down).server(), Some(holders[1]));
    /// # Ok::<(), clockwise::Error>(())
    /// ```
    pub fn route_ix(&self, key: impl AsRef<[u8]>, down: &Down) -> Route<ServerIx> {
        let key = key.as_ref();
        let owner = self.placement.owner_ix(key);
        if !down.contains(owner) {
            return Route::Owner(owner);
        }
        match self.of(key).into_iter().find(|holder| !down.contains(*holder)) {
            Some(server) => Route::Substitute { owner, server },
            None => route_ix(&self.placement, key, down),
        }
    }

    /// [`Replicas::route_ix`], with servers in place of their indices.
    pub fn route(&self, key: impl AsRef<[u8]>, down: &Down) -> Route<&Server> {
        self.route_ix(key, down).map(|server| &self.placement.servers()[server.index()])
    }
}

impl<P> fmt::Debug for Replicas<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replicas").field("count", &self.count).finish_non_exhaustive()
    }
}

/// A place in a list of replicas that no server has taken yet. No fleet is large enough to have
/// this index.
const NOBODY: ServerIx = ServerIx::new(u32::MAX);

fn more_if(more: bool) -> ControlFlow<()> {
    if more { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
}

impl Zones {
    fn new<P: Placement>(placement: &P, listed: &[ServerIx], count: usize) -> Zones {
        let servers = placement.servers();
        let mut numbers: BTreeMap<&Zone, u32> = BTreeMap::new();
        let mut next = 0..;
        let mut fresh = || next.next().unwrap_or_default();
        let of: Vec<u32> = servers
            .iter()
            .map(|server| match server.zone() {
                Some(zone) => *numbers.entry(zone).or_insert_with(&mut fresh),
                None => fresh(),
            })
            .collect();

        let mut sizes: BTreeMap<u32, usize> = BTreeMap::new();
        for server in listed {
            *sizes.entry(of[server.index()]).or_default() += 1;
        }
        let mut levels = alloc::vec![0];
        let mut end = 0;
        while end < count {
            let level = levels.len() - 1;
            end += sizes.values().filter(|size| **size > level).count();
            levels.push(end.min(count));
        }
        Zones { of, levels }
    }

    /// Where the next server of the preference list goes, if it is taken. `replicas` holds those
    /// that were taken before it.
    fn place(&self, server: ServerIx, replicas: &[ServerIx]) -> Option<usize> {
        let zone = self.of[server.index()];
        let in_zone = |other: &&ServerIx| **other != NOBODY && self.of[other.index()] == zone;
        let level = replicas.iter().filter(in_zone).count();
        let (start, end) = (*self.levels.get(level)?, *self.levels.get(level + 1)?);
        let taken = replicas[start..end].iter().position(|other| *other == NOBODY)?;
        Some(start + taken)
    }
}

/// Refuses a fleet in which `count` servers of `count` known zones cannot be found.
fn refuse_shared_zones<P: Placement>(placement: &P, listed: &[ServerIx], count: usize) -> Result<(), Error> {
    let mut zones = BTreeSet::new();
    for server in listed.iter().map(|ix| &placement.servers()[ix.index()]) {
        match server.zone() {
            Some(zone) => zones.insert(zone),
            None => return Err(Error::new(Kind::NoZone).of_server(server.name().as_str())),
        };
    }
    if zones.len() < count {
        return Err(Error::new(Kind::TooFewZones { wanted: count, have: zones.len() }));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::format;

    use super::*;
    use crate::Server;
    use crate::testing::Random;
    use crate::testing::toy::{Toy, keys};

    /// The rule as it is written: again and again the next server in preference order whose zone
    /// holds the fewest replicas, among zones with a server left.
    fn greedy(toy: &Toy, key: &str, count: usize) -> Vec<ServerIx> {
        let zone = |ix: ServerIx| match toy.servers()[ix.index()].zone() {
            Some(zone) => format!("zone {zone}"),
            None => format!("server {}", ix.get()),
        };
        let (mut taken, mut left) = (Vec::new(), toy.order(key.as_bytes()));
        while taken.len() < count {
            let held = |ix: ServerIx| taken.iter().filter(|t| zone(**t) == zone(ix)).count();
            let fewest = left.iter().map(|ix| held(*ix)).min().unwrap();
            let next = left.iter().position(|ix| held(*ix) == fewest).unwrap();
            taken.push(left.remove(next));
        }
        taken
    }

    fn zoned(zones: &[&str]) -> Toy {
        let server = |(i, zone): (usize, &&str)| {
            let server = Server::new(format!("s{i}")).unwrap();
            if zone.is_empty() { server } else { server.with_zone(*zone).unwrap() }
        };
        Toy::new(zones.iter().enumerate().map(server).collect())
    }

    #[test]
    fn each_replica_goes_to_the_emptiest_zone_that_has_a_server_left() {
        let mut numbers = Random(20);
        for round in 0..300 {
            let names = ["", "x", "y", "z", "w"];
            let servers = 1 + numbers.below(9) as usize;
            let zones: Vec<&str> = (0..servers).map(|_| names[numbers.below(5) as usize]).collect();
            let toy = zoned(&zones);
            for count in 1..=servers {
                let replicas = Replicas::new(&toy, count, Spread::Zones).unwrap();
                for key in keys(8) {
                    assert_eq!(replicas.of(&key), greedy(&toy, &key, count), "round {round}: {zones:?}");
                }
            }
        }
    }

    #[test]
    fn without_zones_replicas_are_the_head_of_the_preference_list() {
        let toy = Toy::of(9);
        for count in 1..=9 {
            let replicas = Replicas::new(&toy as &dyn Ranked, count, Spread::Servers).unwrap();
            for key in keys(50) {
                assert_eq!(replicas.of(&key), toy.order(key.as_bytes())[..count]);
            }
        }
    }

    #[test]
    fn two_zones_of_two_hold_three_replicas_as_two_and_one_and_four_as_two_and_two() {
        let toy = zoned(&["z1", "z1", "z2", "z2"]);
        for (count, shape) in [(2, [1, 1]), (3, [1, 2]), (4, [2, 2])] {
            let replicas = Replicas::new(&toy, count, Spread::Zones).unwrap();
            let mut kept = Vec::new();
            for key in keys(10_000) {
                replicas.write_to(&key, &mut kept);
                let distinct: BTreeSet<_> = kept.iter().collect();
                let first = kept.iter().filter(|ix| ix.index() < 2).count();
                let mut zones = [first, kept.len() - first];
                zones.sort_unstable();
                assert_eq!((distinct.len(), zones), (count, shape));
                assert_eq!(kept[0], toy.owner_ix(key.as_bytes()));
            }
        }
    }

    #[test]
    fn who_answers_holds_the_key_while_one_that_holds_it_is_up() {
        let toy = zoned(&["z1", "z1", "z2", "", "z2"]);
        let mut next_in_order_holds_nothing = 0;
        for (count, spread) in
            [(1, Spread::Zones), (2, Spread::Zones), (3, Spread::Zones), (2, Spread::Servers)]
        {
            let replicas = Replicas::new(&toy, count, spread).unwrap();
            // Every subset of the five.
            for subset in 0..1_u32 << 5 {
                let mut down = Down::none(&toy);
                (0..5).filter(|i| subset >> i & 1 == 1).for_each(|i| _ = down.mark(ServerIx::new(i)));
                for key in keys(200) {
                    let (holders, order) = (replicas.of(&key), toy.order(key.as_bytes()));
                    let first_up = |list: &[ServerIx]| list.iter().copied().find(|ix| !down.contains(*ix));
                    let answers = first_up(&holders).or_else(|| first_up(&order));
                    let route = replicas.route_ix(&key, &down);
                    assert_eq!((route.owner(), route.server()), (holders[0], answers));
                    assert_eq!(replicas.route(&key, &down), route.map(|ix| &toy.servers()[ix.index()]));
                    next_in_order_holds_nothing += u32::from(route.server() != first_up(&order));
                }
            }
        }
        assert!(next_in_order_holds_nothing > 100, "zones never mattered");
    }

    #[test]
    fn strict_refuses_too_few_zones_and_names_the_shortage() {
        let toy = zoned(&["z1", "z1", "z2", "z2"]);
        assert!(Replicas::new(&toy, 2, Spread::StrictZones).is_ok());
        let error = Replicas::new(&toy, 3, Spread::StrictZones).unwrap_err();
        assert!(error.is_too_few());
        assert_eq!(format!("{error}"), "3 replicas in 3 zones were asked for, and the fleet has 2 zones");
    }

    #[test]
    fn strict_refuses_a_server_without_a_zone_and_names_it() {
        let error = Replicas::new(zoned(&["z1", "", "z2"]), 2, Spread::StrictZones).unwrap_err();
        assert!(error.is_too_few());
        assert_eq!(error.server(), Some("s1"));
    }

    #[test]
    fn more_replicas_than_servers_that_can_hold_them_are_refused() {
        let mut servers: Vec<Server> = Toy::of(5).servers().to_vec();
        servers[2] = servers[2].clone().draining();
        let toy = Toy::new(servers).pointless(&[4]);
        for spread in [Spread::Servers, Spread::Zones] {
            let error = Replicas::new(&toy, 4, spread).unwrap_err();
            assert!(error.is_too_few());
            assert_eq!(format!("{error}"), "4 replicas need 4 active servers, and the fleet has 3");
            assert!(Replicas::new(&toy, 0, spread).unwrap_err().is_parameter());
            let replicas = Replicas::new(&toy, 3, spread).unwrap();
            for key in keys(100) {
                let mut held = replicas.of(key);
                held.sort_unstable();
                assert_eq!(held, [0, 1, 3].map(ServerIx::new));
            }
        }
    }
}
