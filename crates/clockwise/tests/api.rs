//! What the types promise to code outside the crate: what they can be sent through, kept in and
//! shown as, and that a placement of one's own is one like any other.
#![allow(clippy::unwrap_used)] // a failure here is the message

use std::borrow::Cow;
use std::fmt::Debug;
use std::ops::ControlFlow;
use std::sync::Arc;

use clockwise::dialect::{self, libmemcached, twemproxy};
use clockwise::hash::{HashTag, KeyHash, Md5, NamedHash, SipHash24, Width, Xxh3};
use clockwise::moves::{BusiestOverMean, Flow, MoveCounter, ServerMoves, Tally};
use clockwise::rendezvous::{self, Native};
use clockwise::ring::{self, Boundary, Collision, RingBuilder, Tie};
use clockwise::slots::SlotMapBuilder;
use clockwise::{
    Address, Admission, ArcMoves, Bounded, Buckets, Built, Cap, Down, Epoch, Error, Filled, Fingerprint,
    Geometry, Jump, KeyPrefix, Layout, Lease, Maglev, Measured, Members, ModN, Moves, Placement, Prefixed,
    PrefixedScheme, Ranked, Rendezvous, Replicas, Ring, Route, Scheme, Server, ServerIx, ServerName, Servers,
    Share, SlotMap, Slots, Spread, View, Weight, Zone, admit, fill, route, route_ix,
};

fn fleet(names: &[&str]) -> Members {
    Members::new(names.iter().map(|name| Server::new(*name).unwrap())).unwrap()
}

/// That these compile is the test.
#[test]
fn everything_can_be_shared_between_threads_and_shown() {
    fn one<T: Send + Sync + Unpin + Debug>() {}
    fn copies<T: Send + Sync + Unpin + Debug + Clone>() {}
    fn values<T: Send + Sync + Unpin + Debug + Clone + Eq>() {}

    values::<(Server, ServerName, Address, Weight, Zone)>();
    values::<(Members, Buckets, SlotMap, ServerIx, Share, Error)>();
    values::<(KeyPrefix, PrefixedScheme)>();
    values::<(Scheme, dialect::Dialect, libmemcached::Options, twemproxy::Options)>();
    values::<(NamedHash, Width, Xxh3, Md5, SipHash24, HashTag)>();
    values::<(Boundary, Tie, Collision, Spread, Cap, Filled, Down, Route<ServerIx>, Route<&Server>)>();
    values::<(Moves, ArcMoves, Tally, Flow, ServerMoves)>();
    values::<(Epoch, Fingerprint, Admission)>();

    copies::<(Ring, Geometry, RingBuilder<'_, Xxh3>, ring::Owners<'_>)>();
    copies::<(Rendezvous, rendezvous::Owners<'_, Native>, Maglev, Jump, ModN, Slots, SlotMapBuilder)>();
    copies::<(Servers<'_, ring::Owners<'_>>, Servers<'_, rendezvous::Owners<'_, Native>>)>();
    copies::<(Built, Prefixed<Ring>, dialect::PlacedAs, Replicas<Ring>, View<Ring>, Layout<'_>)>();
    copies::<(MoveCounter, BusiestOverMean)>();

    one::<(Bounded<Ring>, Lease<'_>)>();
}

/// A caller that builds its keys returns what they own.
fn holders<'a>(ring: &'a Ring, maglev: &'a Maglev, id: u32) -> impl Iterator<Item = &'a Server> {
    let key = format!("user:{id}");
    ring.owners(&key, 2).chain(maglev.owners(&key, 2))
}

#[test]
fn owners_do_not_hold_on_to_the_key() {
    let members = fleet(&["a", "b", "c"]);
    let ring = Ring::builder(Xxh3).build(&members).unwrap();
    let maglev = Maglev::new(Xxh3, &members).unwrap();
    let holders: Vec<_> = holders(&ring, &maglev, 42).collect();
    assert_eq!(holders.len(), 4);
    assert_eq!((holders[0], holders[2]), (ring.owner("user:42"), maglev.owner("user:42")));
}

/// The first byte of a key and the servers from there on, written as a user of the crate would.
#[derive(Debug)]
struct FirstByte(Members);

impl Placement for FirstByte {
    fn servers(&self) -> &[Server] {
        self.0.servers()
    }
    fn owner_ix(&self, key: &[u8]) -> ServerIx {
        let first = u32::from(key.first().copied().unwrap_or(0));
        ServerIx::new(first % self.0.servers().len() as u32)
    }
    fn ranked(&self) -> Option<&dyn Ranked> {
        Some(self)
    }
    fn measured(&self) -> Option<&dyn Measured> {
        Some(self)
    }
}

impl Ranked for FirstByte {
    fn visit_preference(&self, key: &[u8], visit: &mut dyn FnMut(ServerIx) -> ControlFlow<()>) {
        let servers = self.0.servers().len() as u32;
        let owner = self.owner_ix(key).get();
        let _ = (0..servers).map(|step| ServerIx::new((owner + step) % servers)).try_for_each(visit);
    }
}

impl Measured for FirstByte {
    fn shares(&self) -> Vec<Share> {
        let servers = self.0.servers().len() as u128;
        (0..servers).map(|_| Share::new(1, servers)).collect()
    }
}

#[test]
fn a_placement_of_ones_own_has_replicas_routes_caps_moves_and_views() {
    let three: Arc<dyn Placement + Send + Sync> = Arc::new(FirstByte(fleet(&["a", "b", "c"])));
    let own = FirstByte(fleet(&["a", "b", "c"]));
    let keys = ["\0", "\x01", "\x02", "\x03"];
    assert_eq!(own.owner(b"\x02").name().as_str(), "c");

    let replicas = Replicas::new(&own, 2, Spread::Servers).unwrap();
    assert_eq!(replicas.of("\x02"), [2, 0].map(ServerIx::new));
    let mut down = Down::none(&three);
    down.mark(ServerIx::new(2));
    assert_eq!(route(&three, "\x02", &down).server().unwrap().name().as_str(), "a");

    let even = Cap::percent_over_mean(0).unwrap();
    assert_eq!(fill(&own, &["\0", "\0", "\0"], even).loads(), [1, 1, 1]);
    let bounded = Bounded::new(&own, even);
    let held: Vec<_> = (0..3).map(|_| bounded.acquire("\0")).collect();
    assert_eq!(held.iter().map(|lease| lease.server_ix().get()).collect::<Vec<_>>(), [0, 1, 2]);

    let two = FirstByte(fleet(&["a", "b"]));
    let moves = Moves::count_keys(&three, &two, keys);
    assert_eq!((moves.total().keys, moves.moved().keys), (4, 2));
    assert!(ArcMoves::between(&own, &&own).is_none());
    let again = FirstByte(fleet(&["c", "b", "a"]));
    let (here, there) = (View::new(Epoch::new(1), &own), View::new(Epoch::new(1), &again));
    assert_eq!(admit(&here, &there), Ok(Admission::Unchanged));
}

#[test]
fn an_index_of_another_placement_is_no_server_here() {
    let (small, large) = (fleet(&["a", "b"]), fleet(&["a", "b", "c", "d", "e"]));
    let ring = Ring::builder(Xxh3).build(&small).unwrap();
    for stranger in [large.index_of("e").unwrap(), ServerIx::new(u32::MAX)] {
        let mut down = Down::none(&ring);
        assert!(!down.mark(stranger) && !down.unmark(stranger) && !down.contains(stranger));
        assert_eq!(route_ix(&ring, "k", &down), Route::Owner(ring.owner_ix("k")));

        let bounded = Bounded::new(&ring, Cap::QUARTER);
        assert_eq!(bounded.limit_of(stranger), 0);

        let mut counter = MoveCounter::new(small.servers(), large.servers());
        counter.record(stranger, ServerIx::new(0), Tally::KEY);
        counter.record(ServerIx::new(0), ServerIx::new(u32::MAX), Tally::KEY);
        assert_eq!(counter.finish().total().keys, 0);

        let points = vec![(1, ServerIx::new(0)), (2, stranger)];
        let list = Buckets::from(&small);
        let error = Ring::from_points(Xxh3, &list, points, Boundary::AtOrAfter, Tie::First).unwrap_err();
        assert!(error.is_parameter() && error.to_string().contains(&stranger.get().to_string()), "{error}");
    }
}

/// Says 32 bits and gives 64.
#[derive(Clone, Copy)]
struct Loose;

impl KeyHash for Loose {
    fn width(&self) -> Width {
        Width::Bits32
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        Xxh3.hash(bytes)
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("loose")
    }
}

#[test]
fn a_hash_wider_than_it_says_places_by_what_it_says() {
    let ring = Ring::builder(Loose).points_per_weight(40).build(&fleet(&["a", "b", "c"])).unwrap();
    let points: Vec<_> = ring.points().collect();
    assert!(points.is_sorted() && points.iter().all(|(position, _)| *position <= u64::from(u32::MAX)));
    for i in 0..1_000 {
        let key = format!("user:{i}");
        let hash = Xxh3.hash(key.as_bytes()) & u64::from(u32::MAX);
        let first = points.iter().find(|(position, _)| *position >= hash).unwrap_or(&points[0]);
        assert_eq!(ring.owner_ix(&key), first.1, "{key}");
    }
    let owned: f64 = ring.shares().into_iter().map(Share::as_f64).sum();
    assert!((owned - 1.0).abs() < 1e-9);
}
