//! Which server answers for a key while some are down.
//!
//! Ownership and liveness are different questions. A placement answers the first and never hears
//! of the second: liveness is an argument here, and what comes back always names the owner too. So
//! a server that goes down and comes up again moves no key, only its own keys are answered
//! elsewhere meanwhile, and a placement is never rebuilt out of a health check.

use alloc::string::ToString;
use alloc::vec::Vec;
use core::ops::ControlFlow;

use crate::error::{Error, Kind};
use crate::placement::{Placement, ServerIx};
use crate::server::Server;

/// The servers of one placement that are down now, as one client sees it.
///
/// A set of [`ServerIx`] of the placement it was made for, one bit a server, with a
/// [version](Down::version) that rises at each change. It says nothing about who owns what. Asked
/// about another placement it speaks of other servers: with a new fleet comes a new set, marked by
/// name.
#[derive(Clone, Debug)]
pub struct Down {
    bits: Vec<u64>,
    servers: usize,
    count: usize,
    version: u64,
}

impl Down {
    /// All servers of `placement` up, at version 0.
    pub fn none<P: Placement + ?Sized>(placement: &P) -> Down {
        let servers = placement.servers().len();
        Down { bits: alloc::vec![0; servers.div_ceil(64)], servers, count: 0, version: 0 }
    }

    /// Notes that a server is down. `true` if it was up before, and then the version has risen;
    /// an index past the placement's servers changes nothing.
    pub fn mark(&mut self, server: ServerIx) -> bool {
        let fresh = server.index() < self.servers && !self.contains(server);
        if fresh {
            self.flip(server);
            self.count += 1;
        }
        fresh
    }

    /// Notes that a server is up. `true` if it was down before, and then the version has risen.
    pub fn unmark(&mut self, server: ServerIx) -> bool {
        let known = self.contains(server);
        if known {
            self.flip(server);
            self.count -= 1;
        }
        known
    }

    fn flip(&mut self, server: ServerIx) {
        self.bits[server.index() / 64] ^= 1 << (server.index() % 64);
        self.version += 1;
    }

    /// [`Down::mark`] by name. Refuses a name that `placement`, the one this set was made for,
    /// does not hold.
    pub fn mark_name<P: Placement + ?Sized>(&mut self, placement: &P, name: &str) -> Result<bool, Error> {
        Ok(self.mark(find(placement, name)?))
    }

    /// [`Down::unmark`] by name. Refuses a name that `placement` does not hold.
    pub fn unmark_name<P: Placement + ?Sized>(&mut self, placement: &P, name: &str) -> Result<bool, Error> {
        Ok(self.unmark(find(placement, name)?))
    }

    /// Whether the server is down.
    pub fn contains(&self, server: ServerIx) -> bool {
        self.bits.get(server.index() / 64).is_some_and(|word| word >> (server.index() % 64) & 1 == 1)
    }

    /// How many servers are down.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether all servers are up.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How often the set has changed: at equal versions one set holds the same servers, and need
    /// not be looked at again.
    pub fn version(&self) -> u64 {
        self.version
    }
}

/// The same servers down, of as many; however often the sets have changed.
impl PartialEq for Down {
    fn eq(&self, other: &Down) -> bool {
        (&self.bits, self.servers) == (&other.bits, other.servers)
    }
}

impl Eq for Down {}

/// Names are looked up when a health check reports, not for each key: a scan will do.
fn find<P: Placement + ?Sized>(placement: &P, name: &str) -> Result<ServerIx, Error> {
    let found = placement.servers().iter().position(|server| server.name().as_str() == name);
    found.map(ServerIx::from_usize).ok_or_else(|| Error::new(Kind::Unknown { name: name.to_string() }))
}

/// Who owns a key and who answers for it. `S` is `&Server` from [`route`], [`ServerIx`] from
/// [`route_ix`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route<S> {
    /// The owner is up.
    Owner(S),
    /// The owner is down. The next distinct server of the key's preference list that is up
    /// answers, and still does not own the key. Of [replicas](crate::Replicas::route) it is the next
    /// that holds the key.
    Substitute {
        /// Who owns the key.
        owner: S,
        /// Who answers meanwhile.
        server: S,
    },
    /// Every server of the key's preference list is down.
    AllDown {
        /// Who owns the key.
        owner: S,
    },
    /// The owner is down, and the scheme has no preference list to take another from (mod N, jump,
    /// fixed slots): whether to fail, miss or wait is the caller's policy.
    NoSubstitute {
        /// Who owns the key.
        owner: S,
    },
}

impl<S> Route<S> {
    /// Who owns the key, up or down.
    pub fn owner(self) -> S {
        match self {
            Route::Owner(owner)
            | Route::Substitute { owner, .. }
            | Route::AllDown { owner }
            | Route::NoSubstitute { owner } => owner,
        }
    }

    /// Who answers for the key, if anyone does.
    pub fn server(self) -> Option<S> {
        match self {
            Route::Owner(server) | Route::Substitute { server, .. } => Some(server),
            Route::AllDown { .. } | Route::NoSubstitute { .. } => None,
        }
    }

    /// The same route with the servers put another way.
    pub fn map<T>(self, mut of: impl FnMut(S) -> T) -> Route<T> {
        match self {
            Route::Owner(owner) => Route::Owner(of(owner)),
            Route::Substitute { owner, server } => Route::Substitute { owner: of(owner), server: of(server) },
            Route::AllDown { owner } => Route::AllDown { owner: of(owner) },
            Route::NoSubstitute { owner } => Route::NoSubstitute { owner: of(owner) },
        }
    }
}

/// The owner of a key and, while it is down, who answers instead.
///
/// Works on any placement, `&dyn Placement` included; total, and free of allocation where the
/// placement's preference list is.
pub fn route<'p, P: Placement + ?Sized>(
    placement: &'p P,
    key: impl AsRef<[u8]>,
    down: &Down,
) -> Route<&'p Server> {
    let servers = placement.servers();
    route_ix(placement, key, down).map(|ix| &servers[ix.index()])
}

/// [`route`], with servers as indices.
pub fn route_ix<P: Placement + ?Sized>(placement: &P, key: impl AsRef<[u8]>, down: &Down) -> Route<ServerIx> {
    let key = key.as_ref();
    let owner = placement.owner_ix(key);
    if !down.contains(owner) {
        return Route::Owner(owner);
    }
    let Some(ranked) = placement.ranked() else {
        return Route::NoSubstitute { owner };
    };
    let mut route = Route::AllDown { owner };
    ranked.visit_preference(key, &mut |server| {
        if down.contains(server) {
            return ControlFlow::Continue(());
        }
        route = Route::Substitute { owner, server };
        ControlFlow::Break(())
    });
    route
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::toy::{Toy, keys};

    /// The rule in one line.
    fn first_up(toy: &Toy, key: &str, down: &Down) -> Option<ServerIx> {
        toy.order(key.as_bytes()).into_iter().find(|ix| !down.contains(*ix))
    }

    #[test]
    fn the_next_server_of_the_preference_list_that_is_up_answers() {
        let toy = Toy::of(7);
        let mut down = Down::none(&toy);
        // Every subset of the seven.
        for subset in 0..1_u32 << 7 {
            for i in 0..7 {
                if subset >> i & 1 == 1 {
                    down.mark(ServerIx::new(i))
                } else {
                    down.unmark(ServerIx::new(i))
                };
            }
            assert_eq!(down.len(), subset.count_ones() as usize);
            assert_eq!(down.is_empty(), subset == 0);
            for key in keys(50) {
                let route = route_ix(&toy, &key, &down);
                let owner = toy.owner_ix(key.as_bytes());
                assert_eq!(route.server(), first_up(&toy, &key, &down));
                assert_eq!(route.owner(), owner);
                assert_eq!(matches!(route, Route::Owner(_)), !down.contains(owner));
                assert_eq!(matches!(route, Route::AllDown { .. }), subset == (1 << 7) - 1);
            }
        }
    }

    #[test]
    fn servers_and_indices_say_the_same() {
        let toy = Toy::of(3);
        let mut down = Down::none(&toy);
        assert_eq!(down.mark_name(&toy, "s1"), Ok(true));
        for key in keys(20) {
            let by_ix = route_ix(&toy as &dyn Placement, &key, &down);
            assert_eq!(route(&toy, &key, &down), by_ix.map(|ix| &toy.servers()[ix.index()]));
        }
    }

    #[test]
    fn a_scheme_without_preferences_says_so_and_names_the_owner() {
        struct Unranked(Toy);
        impl Placement for Unranked {
            fn servers(&self) -> &[Server] {
                self.0.servers()
            }
            fn owner_ix(&self, key: &[u8]) -> ServerIx {
                self.0.owner_ix(key)
            }
        }
        let placement = Unranked(Toy::of(3));
        let mut down = Down::none(&placement);
        let owner = placement.owner_ix(b"k");
        down.mark(owner);
        assert_eq!(route_ix(&placement, "k", &down), Route::NoSubstitute { owner });
        down.unmark(owner);
        assert_eq!(route_ix(&placement, "k", &down), Route::Owner(owner));
    }

    #[test]
    fn the_version_rises_at_each_change_and_only_then() {
        let toy = Toy::of(70);
        let mut down = Down::none(&toy);
        let last = ServerIx::new(69);
        assert!(down.mark(last) && down.version() == 1 && down.contains(last));
        assert!(!down.mark(last) && down.version() == 1);
        assert!(!down.unmark(ServerIx::new(5)) && down.version() == 1);
        assert!(down.unmark(last) && down.version() == 2 && down.is_empty());
        for stranger in [70, 127, 128, u32::MAX] {
            assert!(!down.mark(ServerIx::new(stranger)) && !down.contains(ServerIx::new(stranger)));
            assert!(!down.unmark(ServerIx::new(stranger)));
        }
        assert_eq!((down.version(), down.len()), (2, 0));
    }

    #[test]
    fn sets_are_equal_if_the_same_servers_are_down() {
        let (toy, b) = (Toy::of(3), ServerIx::new(1));
        let (mut once, mut again) = (Down::none(&toy), Down::none(&toy));
        once.mark(b);
        again.mark(b);
        again.unmark(b);
        assert_ne!(once, again);
        again.mark(b);
        assert_eq!(once, again);
        assert_ne!(once.version(), again.version());
        assert_ne!(Down::none(&toy), Down::none(&Toy::of(4)));
    }

    #[test]
    fn an_unknown_name_is_refused() {
        let toy = Toy::of(2);
        let mut down = Down::none(&toy);
        let error = down.mark_name(&toy, "s2").unwrap_err();
        assert!(error.is_unknown_server() && error.server() == Some("s2"));
        assert!(down.unmark_name(&toy, "").is_err());
        assert_eq!(down.version(), 0);
    }
}
