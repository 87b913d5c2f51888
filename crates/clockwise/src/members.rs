//! The fleets that placements are built from: a set ([`Members`]) or a list ([`Buckets`]).
//!
//! Which of the two a scheme takes says what its answers are a function of. A ring, rendezvous and
//! Maglev ask *who* is there: order cannot matter, because a set has none. Mod N, jump and their
//! kin ask *which bucket*: there order is the placement, and the only changes that exist are those
//! that the scheme can follow.
//!
//! Both are immutable, validated when built, and clone for the price of a reference count.

use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use crate::error::{Error, Kind};
use crate::placement::ServerIx;
use crate::server::{Server, ServerName};

/// Servers with unique names, at least one of them active. What sets and lists have in common.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Roster(Arc<[Server]>);

impl Roster {
    /// Refuses an empty list, a list where all are draining, and a name that is there twice.
    fn new(servers: Vec<Server>) -> Result<Roster, Error> {
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

    fn find(&self, name: &str) -> Result<usize, Error> {
        self.0
            .iter()
            .position(|s| s.name().as_str() == name)
            .ok_or_else(|| Error::new(Kind::Unknown { name: name.to_string() }))
    }

    /// The same list with the servers changed by `edit`.
    fn edited(&self, edit: impl FnOnce(&mut Vec<Server>)) -> Result<Roster, Error> {
        let mut servers = self.0.to_vec();
        edit(&mut servers);
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
        if first.effective_weight() != server.effective_weight() {
            return differs("weight", &first.effective_weight(), &server.effective_weight());
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
    /// A set of servers. Refuses an empty one, one where all servers drain, and a name listed
    /// twice (the error names it and both positions, counted from 1).
    pub fn new(servers: impl IntoIterator<Item = Server>) -> Result<Members, Error> {
        Roster::new(servers.into_iter().collect()).map(|roster| Members::sorted(&roster))
    }

    /// The same, but copies of one server count once. Copies that differ in address, weight or
    /// zone are refused: nobody could say which is meant.
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

    /// The set and one more server.
    pub fn with(&self, server: Server) -> Result<Members, Error> {
        self.0.edited(|servers| servers.push(server)).map(|roster| Members::sorted(&roster))
    }

    /// The set without one server.
    pub fn without(&self, name: &str) -> Result<Members, Error> {
        let at = self.0.find(name)?;
        let left = self.0.edited(|servers| {
            servers.remove(at);
        });
        left.map(Members).map_err(|error| match error {
            e if e.is_no_servers() => Error::new(Kind::LastServer).of_server(name),
            e => e,
        })
    }

    /// The set with one server changed: its weight, address or zone, or whether it drains. The
    /// name stays: a new name is another server ([`Members::replaced`]).
    pub fn changed(
        &self,
        name: &str,
        change: impl FnOnce(Server) -> Result<Server, Error>,
    ) -> Result<Members, Error> {
        let at = self.0.find(name)?;
        let old = &self.servers()[at];
        let new = change(old.clone())?.with_name(old.name().clone());
        self.0.edited(|servers| servers[at] = new).map(Members)
    }

    /// The set with one server put in another's stead.
    pub fn replaced(&self, name: &str, server: Server) -> Result<Members, Error> {
        let at = self.0.find(name)?;
        self.0.edited(|servers| servers[at] = server).map(|roster| Members::sorted(&roster))
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

    /// The same, but copies of one server count once, at the place of the first.
    pub fn merged(servers: impl IntoIterator<Item = Server>) -> Result<Buckets, Error> {
        Buckets::new(merge(servers)?)
    }

    roster_queries!();

    /// Where the server of that name stands.
    pub fn index_of(&self, name: &str) -> Option<ServerIx> {
        self.0.find(name).ok().map(ServerIx::from_usize)
    }

    /// The list and one more server at its end.
    pub fn pushed(&self, server: Server) -> Result<Buckets, Error> {
        self.0.edited(|servers| servers.push(server)).map(Buckets)
    }

    /// The list without its last server.
    pub fn popped(&self) -> Result<Buckets, Error> {
        let left = self.0.edited(|servers| {
            servers.pop();
        });
        left.map(Buckets).map_err(|error| match error {
            e if e.is_no_servers() => Error::new(Kind::LastServer),
            e => e,
        })
    }

    /// The list with one server put in another's place.
    pub fn replaced(&self, at: usize, server: Server) -> Result<Buckets, Error> {
        let buckets = self.servers().len();
        if at >= buckets {
            return Err(Error::new(Kind::BucketOutOfRange { bucket: at, buckets }));
        }
        self.0.edited(|servers| servers[at] = server).map(Buckets)
    }
}

impl From<&Members> for Buckets {
    /// The set as a list, in bytewise order of the names.
    fn from(members: &Members) -> Buckets {
        Buckets(members.0.clone())
    }
}

impl From<&Buckets> for Members {
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
