//! The fleets that placements are built from: a set ([`Members`]) or a list ([`Buckets`]).
//!
//! Which of the two a scheme takes says what its answers are a function of. A ring, rendezvous and
//! Maglev ask *who* is there: order cannot matter, because a set has none. Mod N, jump and their
//! kin ask *which bucket*: there order is the placement, and the only changes that exist are those
//! that the scheme can follow.
//!
//! Both are immutable, validated when built, and clone for the price of a reference count.

use alloc::format;
use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use crate::error::{Error, Kind};
use crate::placement::ServerIx;
use crate::server::{Server, ServerName};

/// The most servers that a fleet may have: all of them have a [`ServerIx`].
const MAX_SERVERS: u32 = 1 << 31;

/// Servers with unique names, at least one of them active. What sets and lists have in common.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Roster(Arc<[Server]>);

impl Roster {
    /// Refuses an empty list, a list where all are draining, a name that is there twice, and more
    /// than [`MAX_SERVERS`].
    fn new(servers: Vec<Server>) -> Result<Roster, Error> {
        Roster::check_count(servers.len())?;
        let mut order: Vec<usize> = (0..servers.len()).collect();
        order.sort_by(|&a, &b| servers[a].name().cmp(servers[b].name()).then(a.cmp(&b)));
        for pair in order.windows(2) {
            if servers[pair[0]].name() == servers[pair[1]].name() {
                return Err(Error::new(Kind::Duplicate {
                    name: servers[pair[0]].name().to_string(),
                    first: pair[0] + 1,
                    second: pair[1] + 1,
                }));
            }
        }
        if servers.iter().all(Server::is_draining) {
            return Err(Error::new(Kind::NoServers { draining: servers.len() }));
        }
        Ok(Roster(servers.into()))
    }

    /// Apart from [`Roster::new`], since no test can hold so many.
    fn check_count(servers: usize) -> Result<(), Error> {
        if servers as u64 > u64::from(MAX_SERVERS) {
            return Err(Error::new(Kind::TooManyServers { servers, limit: MAX_SERVERS }));
        }
        Ok(())
    }

    fn find(&self, name: &str) -> Result<usize, Error> {
        self.0
            .iter()
            .position(|s| s.name().as_str() == name)
            .ok_or_else(|| Error::new(Kind::Unknown { name: name.to_string() }))
    }

    /// The same list with one more server at its end.
    fn pushed(&self, server: Server) -> Result<Roster, Error> {
        let mut servers = self.0.to_vec();
        servers.push(server);
        Roster::new(servers)
    }

    /// The same list with the server at `at` changed, or without it. Refuses what leaves no active
    /// server, and names the one that was the last.
    fn edited(&self, at: usize, new: Option<Server>) -> Result<Roster, Error> {
        let mut servers = self.0.to_vec();
        let old = match new {
            Some(new) => core::mem::replace(&mut servers[at], new),
            None => servers.remove(at),
        };
        if servers.iter().all(Server::is_draining) {
            return Err(Error::new(Kind::LastServer).of_server(old.name().as_str()));
        }
        Roster::new(servers)
    }
}

/// Joins servers that are listed more than once under one name. Copies must agree in everything.
fn merge(servers: impl IntoIterator<Item = Server>) -> Result<Vec<Server>, Error> {
    let mut kept: Vec<Server> = Vec::new();
    let mut places: alloc::collections::BTreeMap<ServerName, usize> = alloc::collections::BTreeMap::new();
    for server in servers {
        let Some(&place) = places.get(server.name()) else {
            places.insert(server.name().clone(), kept.len());
            kept.push(server);
            continue;
        };
        let first = &kept[place];
        let differs = |field, a: &dyn fmt::Display, b: &dyn fmt::Display| {
            Err(Error::new(Kind::Unmergeable {
                name: server.name().to_string(),
                field,
                first: a.to_string(),
                second: b.to_string(),
            }))
        };
        if first.address() != server.address() {
            return differs("address", first.address(), server.address());
        }
        if first.is_draining() != server.is_draining() || first.removal() != server.removal() {
            let text = |s: &Server| match s.removal() {
                Some(turn) => format!("removed {turn}"),
                None => if s.is_draining() { "draining" } else { "active" }.to_string(),
            };
            return differs("state", &text(first), &text(&server));
        }
        if first.weight() != server.weight() {
            return differs("weight", &first.weight(), &server.weight());
        }
        if first.zone() != server.zone() {
            let text = |s: &Server| s.zone().map_or("none", |z| z.as_str()).to_string();
            return differs("zone", &text(first), &text(&server));
        }
    }
    Ok(kept)
}

/// What a set and a list answer alike.
macro_rules! roster_queries {
    () => {
        /// The servers; a [`ServerIx`] of a placement built from this fleet points into them.
        pub fn servers(&self) -> &[Server] {
            &self.0.0
        }

        /// The server of that name.
        pub fn get(&self, name: &str) -> Option<&Server> {
            self.index_of(name).map(|ix| &self.0.0[ix.index()])
        }

        /// The servers that own keys, with their index.
        pub fn active(&self) -> impl Iterator<Item = (ServerIx, &Server)> {
            (0..).map(ServerIx::new).zip(self.servers()).filter(|(_, server)| !server.is_draining())
        }

        /// The sum of the active servers' weights.
        pub fn total_weight(&self) -> u64 {
            self.servers().iter().map(|s| u64::from(s.effective_weight())).sum()
        }

        /// The same, where a scheme has a limit: the error names the server that crosses it.
        pub(crate) fn total_weight_within(&self, limit: u64) -> Result<u64, Error> {
            let mut total = 0;
            for (_, server) in self.active() {
                // A fleet has fewer than 2³² servers, so the sum fits.
                total += u64::from(server.weight().get());
                if total > limit {
                    let error = Error::new(Kind::TooMuchWeight { total, limit });
                    return Err(error.of_server(server.name().as_str()));
                }
            }
            Ok(total)
        }

        pub(crate) fn shared(&self) -> Arc<[Server]> {
            self.0.0.clone()
        }
    };
}

/// A **set** of servers: two fleets with the same servers are equal however they were listed.
///
/// Kept in bytewise order of the names, so that "the smaller name" and "the smaller index" are the
/// same rule.
///
/// ```
/// use clockwise::{Members, Server};
///
/// let a = Members::new([Server::new("a")?, Server::new("b")?])?;
/// let b = Members::new([Server::new("b")?, Server::new("a")?])?;
/// assert_eq!(a, b);
/// assert_eq!(a.with(Server::new("c")?)?.without("c")?, a);
/// assert!(Members::new([Server::new("a")?, Server::new("a")?]).unwrap_err().is_duplicate());
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Members(Roster);

impl Members {
    /// A set of servers. Refuses an empty one, one where all servers drain, a name listed twice
    /// (the error names it and both positions, counted from 1), and more than 2³¹ servers.
    pub fn new(servers: impl IntoIterator<Item = Server>) -> Result<Members, Error> {
        Roster::new(servers.into_iter().collect()).map(|roster| Members::sorted(&roster))
    }

    /// The same, but copies of one server count once. Copies that differ in address, weight, zone
    /// or whether they drain are refused: nobody could say which is meant.
    pub fn merged(servers: impl IntoIterator<Item = Server>) -> Result<Members, Error> {
        Members::new(merge(servers)?)
    }

    /// Called on a roster that was checked, so that positions in errors are those of the caller's list.
    fn sorted(roster: &Roster) -> Members {
        let mut servers = roster.0.to_vec();
        servers.sort_by(|a, b| a.name().cmp(b.name()));
        Members(Roster(servers.into()))
    }

    roster_queries!();

    /// Where the server of that name stands.
    pub fn index_of(&self, name: &str) -> Option<ServerIx> {
        let found = self.servers().binary_search_by(|s| s.name().as_str().cmp(name));
        found.ok().map(ServerIx::from_usize)
    }

    /// The set and one more server. Refuses a name that it holds already.
    pub fn with(&self, server: Server) -> Result<Members, Error> {
        self.0.pushed(server).map(|roster| Members::sorted(&roster))
    }

    /// The set without one server. Refuses a name that it does not hold, and to lose the last
    /// active server.
    pub fn without(&self, name: &str) -> Result<Members, Error> {
        self.0.edited(self.0.find(name)?, None).map(Members)
    }

    /// The set with one server changed: its weight, address or zone, or whether it drains. The
    /// name stays: a new name is another server ([`Members::replaced`]).
    ///
    /// Refuses a name that the set does not hold, and to drain its last active server; passes on
    /// what `change` refuses.
    pub fn changed(
        &self,
        name: &str,
        change: impl FnOnce(Server) -> Result<Server, Error>,
    ) -> Result<Members, Error> {
        let at = self.0.find(name)?;
        let old = &self.servers()[at];
        let new = change(old.clone())?.with_name(old.name().clone());
        self.0.edited(at, Some(new)).map(Members)
    }

    /// The set with one server put in another's stead. Refuses a name that the set does not hold, a
    /// newcomer that it holds already, and a draining newcomer for the last active server.
    pub fn replaced(&self, name: &str, server: Server) -> Result<Members, Error> {
        self.0.edited(self.0.find(name)?, Some(server)).map(|roster| Members::sorted(&roster))
    }
}

/// A **list** of servers, for schemes whose owner is a position: mod N, jump and their kin.
///
/// It grows and shrinks at its end, and a bucket can be given to another server. Nothing else is
/// offered, because nothing else keeps keys where they are: whoever must drop bucket 3 of 12
/// replaces it, or builds another list and reads in a [plan](crate::moves) what that costs.
///
/// ```
/// use clockwise::{Buckets, Server};
///
/// let list = Buckets::new([Server::new("a")?, Server::new("b")?])?;
/// assert_eq!(list.pushed(Server::new("c")?)?.popped()?, list);
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Buckets(Roster);

impl Buckets {
    /// A list of servers in this order. Refuses what [`Members::new`] refuses.
    pub fn new(servers: impl IntoIterator<Item = Server>) -> Result<Buckets, Error> {
        Roster::new(servers.into_iter().collect()).map(Buckets)
    }

    /// The same, but copies of one server count once, at the place of the first. Refuses what
    /// [`Members::merged`] refuses.
    pub fn merged(servers: impl IntoIterator<Item = Server>) -> Result<Buckets, Error> {
        Buckets::new(merge(servers)?)
    }

    roster_queries!();

    /// Other servers in the same places: as many, with names of their own, one of them active.
    pub(crate) fn with_servers(&self, servers: Vec<Server>) -> Buckets {
        Buckets(Roster(servers.into()))
    }

    /// Where the server of that name stands.
    pub fn index_of(&self, name: &str) -> Option<ServerIx> {
        self.0.find(name).ok().map(ServerIx::from_usize)
    }

    /// The list and one more server at its end. Refuses a name that it holds already.
    pub fn pushed(&self, server: Server) -> Result<Buckets, Error> {
        self.0.pushed(server).map(Buckets)
    }

    /// The list without its last server. Refuses to lose the last active one.
    pub fn popped(&self) -> Result<Buckets, Error> {
        // A list is never empty.
        self.0.edited(self.servers().len() - 1, None).map(Buckets)
    }

    /// The list with the server at position `at`, from 0, put out and another put in its place.
    /// Refuses a position past the end, a name that the list holds already, and a draining
    /// newcomer for the last active server.
    pub fn replaced(&self, at: usize, server: Server) -> Result<Buckets, Error> {
        let buckets = self.servers().len();
        if at >= buckets {
            return Err(Error::new(Kind::BucketOutOfRange { bucket: at, buckets }));
        }
        self.0.edited(at, Some(server)).map(Buckets)
    }
}

impl From<&Members> for Buckets {
    /// The set as a list, in bytewise order of the names.
    fn from(members: &Members) -> Buckets {
        Buckets(members.0.clone())
    }
}

impl From<&Buckets> for Members {
    /// The list as a set: its order is forgotten.
    fn from(buckets: &Buckets) -> Members {
        Members::sorted(&buckets.0)
    }
}

impl fmt::Debug for Members {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.servers()).finish()
    }
}

impl fmt::Debug for Buckets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.servers()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{list, members};

    fn server(name: &str, weight: u32) -> Server {
        Server::new(name).unwrap().with_weight(weight).unwrap()
    }

    #[test]
    fn copies_are_merged_only_if_they_agree_in_everything() {
        let merged = Members::merged([server("a", 2), server("b", 1), server("a", 2)]).unwrap();
        assert_eq!(merged, members(&[("a", 2), ("b", 1)]));
        let twice = Buckets::merged([server("b", 1), server("a", 2).draining(), server("a", 2).draining()]);
        assert_eq!(twice.unwrap().servers(), [server("b", 1), server("a", 2).draining()]);

        let zoned = server("a", 2).with_zone("z").unwrap();
        let moved = server("a", 2).with_address("10.0.0.9:1").unwrap();
        for (other, said) in [
            (server("a", 3), "its weight is 2 in one place and 3 in another"),
            (server("a", 2).draining(), "its state is active in one place and draining in another"),
            (zoned, "its zone is none in one place and z in another"),
            (moved, "its address is a in one place and 10.0.0.9:1 in another"),
        ] {
            let error = Members::merged([server("a", 2), other]).unwrap_err();
            assert!(error.is_duplicate() && error.server() == Some("a"));
            assert!(format!("{error}").ends_with(said), "{error}");
        }
        // What a draining server weighs counts once it is active again.
        let drained = [server("a", 2).draining(), server("a", 3).draining(), server("b", 1)];
        assert!(Members::merged(drained).unwrap_err().is_duplicate());
    }

    #[test]
    fn whoever_takes_the_last_active_server_is_told_which() {
        let (set, list) = (members(&[("a", 1), ("b", 1)]), list(&[("b", 1), ("a", 1)]));
        let drain = |server: Server| Ok(server.draining());
        let set = set.changed("b", drain).unwrap();
        let list = list.replaced(0, server("b", 1).draining()).unwrap();
        for refused in [
            set.without("a"),
            set.changed("a", drain),
            set.replaced("a", server("c", 1).draining()),
            list.popped().map(|list| Members::from(&list)),
            list.replaced(1, server("c", 1).draining()).map(|list| Members::from(&list)),
        ] {
            let error = refused.unwrap_err();
            assert!(error.is_no_servers() && error.server() == Some("a"), "{error}");
        }
        assert_eq!(set.without("b").unwrap(), members(&[("a", 1)]));
        assert!(set.replaced("a", server("c", 1)).is_ok());
    }

    #[test]
    fn no_fleet_has_more_servers_than_indices() {
        let most = MAX_SERVERS as usize;
        assert!(Roster::check_count(most).is_ok());
        let error = Roster::check_count(most + 1).unwrap_err();
        assert!(error.is_too_large());
        assert_eq!(format!("{error}"), "2147483649 servers are too many: fleets end at 2147483648");
    }
}
