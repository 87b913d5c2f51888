//! Which server owns this key, what moves when the fleet changes, and does every client agree?
//!
//! Whoever spreads keys over servers (a cache fleet, a sharded store, a load balancer) asks these
//! three questions. This crate answers them from one core: the schemes in the table below, byte-exact
//! recipes of the systems people run, and an exact account of what a change moves. It does placement and nothing
//! else: no I/O, no clock, no threads, no randomness, `no_std` with `alloc`.
//!
//! # A first look
//!
//! ```
//! use clockwise::hash::Xxh3;
//! use clockwise::{Members, Moves, Ring, Server};
//!
//! let fleet = Members::new([
//!     Server::new("cache-1")?.with_address("10.0.0.1:11211")?,
//!     Server::new("cache-2")?.with_address("10.0.0.2:11211")?,
//!     Server::new("cache-3")?.with_address("10.0.0.3:11211")?.with_weight(2)?,
//! ])?;
//! let before = Ring::builder(Xxh3).build(&fleet)?;
//! println!("user:42 is on {}", before.owner("user:42").address());
//!
//! // What will a fourth server move, of these keys and of all keys there could be?
//! // (Made from the ring before it, a ring takes a fraction of the time of one built anew.)
//! let after = Ring::builder(Xxh3).build_after(&before, &fleet.with(Server::new("cache-4")?)?)?;
//! let keys = (0..10_000).map(|i| format!("user:{i}"));
//! let moves = Moves::count_keys(&before, &after, keys);
//! assert_eq!(moves.stray().keys, 0); // every key that moves goes to cache-4
//! let circle = before.diff(&after).expect("both hash keys alike");
//! assert!((circle.moved().as_f64() - 0.2).abs() < 0.05); // its share by weight is a fifth
//! # Ok::<(), clockwise::Error>(())
//! ```
//!
//! Replicas, and a server that is down:
//!
//! ```
//! use clockwise::hash::Xxh3;
//! use clockwise::{Down, Members, Placement, Replicas, Ring, Route, Server, Spread};
//!
//! let fleet = Members::new([
//!     Server::new("a")?.with_zone("north")?,
//!     Server::new("b")?.with_zone("north")?,
//!     Server::new("c")?.with_zone("south")?,
//! ])?;
//! let ring = Ring::builder(Xxh3).build(&fleet)?;
//!
//! let replicas = Replicas::new(&ring, 2, Spread::Zones)?;
//! let holders = replicas.of("user:42"); // two servers in two zones, the owner first
//! assert_eq!(holders[0], ring.owner_ix("user:42"));
//!
//! let mut down = Down::none(&ring);
//! down.mark(holders[0]);
//! match replicas.route("user:42", &down) { // of the servers that hold the key, one that is up
//!     Route::Substitute { owner, server } => println!("{} is down, ask {}", owner.name(), server.address()),
//!     other => unreachable!("{other:?}"),
//! }
//! # Ok::<(), clockwise::Error>(())
//! ```
//!
//! Many keys at once, which takes less time than one after another:
//!
//! ```
//! use clockwise::hash::{KeyHash, Xxh3};
//! use clockwise::{Members, Placement, Ring, Server, ServerIx};
//!
//! let fleet = Members::new([Server::new("a")?, Server::new("b")?, Server::new("c")?])?;
//! let ring = Ring::builder(Xxh3).build(&fleet)?;
//!
//! let keys: [&[u8]; 3] = [b"user:1", b"user:2", b"user:3"];
//! let mut owners = [ServerIx::new(0); 3];
//! ring.owners_of(&keys, &mut owners); // the third key's server is ring.servers()[owners[2].index()]
//! assert_eq!(owners.map(|ix| &ring.servers()[ix.index()]), keys.map(|key| ring.owner(key)));
//!
//! // The same of keys that are hashed already: kept beside each item, or for several placements.
//! let hashes = keys.map(|key| Xxh3.hash(key));
//! let mut again = owners;
//! ring.owners_of_hashes(&hashes, &mut again);
//! assert_eq!(again, owners);
//! # Ok::<(), clockwise::Error>(())
//! ```
//!
//! Load that must not pile up:
//!
//! ```
//! use clockwise::hash::Xxh3;
//! use clockwise::{Bounded, Cap, Members, Ring, Server};
//!
//! let fleet = Members::new([Server::new("a")?, Server::new("b")?, Server::new("c")?])?;
//! let bounded = Bounded::new(Ring::builder(Xxh3).build(&fleet)?, Cap::percent_over_mean(25)?);
//! let held: Vec<_> = (0..90).map(|_| bounded.acquire("video:hot")).collect();
//! // One key, ninety requests: no server holds more than a quarter above its share of thirty.
//! assert!(bounded.loads().into_iter().all(|load| load <= 38));
//! drop(held); // a lease ends when it is dropped
//! # Ok::<(), clockwise::Error>(())
//! ```
//!
//! # Which scheme
//!
//! | scheme | the owner is a function of | a join moves keys | lookup, once the key is hashed | take it for |
//! |---|---|---|---|---|
//! | [`Ring`] | key, set of servers and weights | only to the newcomer | a line of memory | fleets that change; compatible with most of what runs |
//! | [`Rendezvous`] | the same | only to the newcomer, and evenly from all | two multiplications a server; a few logarithms where weights differ | up to some hundreds of servers; shares exactly by weight; replicas |
//! | [`Maglev`] | the same | to the newcomer, and a little between others | a remainder and a read | load balancers: near-perfect balance |
//! | [`Jump`] | key, *list* of buckets | only to the new last one | some ln *n* divisions and a read | numbered shards that leave, if ever, from the end |
//! | [`JumpBack`], [`Flip`] | the same | the same | some integer steps and a read, however many buckets | the same, and faster |
//! | [`MultiProbe`] | key, set of servers and weights | only to the newcomer | a look at a small circle for each of 21 probes | even shares from one point a server |
//! | [`Anchor`] | key, room for buckets, and the *history* of removals | only to the newcomer | some ln (room ⁄ servers) products and reads | lists from which any server may leave |
//! | [`Memento`] | key, buckets, and the history of removals | the same | jump, and a product and a read for each empty bucket that is hit | the same, where few are gone |
//! | [`Dx`] | key, room for buckets, and which are empty | the same | some room ⁄ servers products and reads | the same, where the room is nearly full |
//! | [`Skeleton`] | key, buckets, and which are empty | the same | rendezvous of groups of 64, and draws in them where places are empty | the same, with replicas |
//! | [`ModN`] | key, *list* of buckets | nearly all of them | a remainder and a read | comparison, and systems that have it |
//! | [`Slots`] | key, explicit map | those you move | a remainder and a read | stores that migrate data on purpose |
//! | [`Bounded`] | key, preference order, *current load* | as its base, and more | its base and two counters, and down the order past full servers | hot keys |
//!
//! A scheme of a **set** takes [`Members`], one of a **list** takes [`Buckets`], one of a **history** takes
//! a [`ChangeLog`], and one of a **map** takes a [`SlotMap`]: what an answer depends on is the type of its input, so that jump cannot be
//! asked to remove server 3, and two clients with the same members always agree.
//!
//! Another system's placement is a recipe in [`dialect`]. A scheme that is known only at run time is
//! a [`Scheme`].
//!
//! # Why not ten lines of your own
//!
//! A ring is ten lines, and the eleventh decides whether clients agree: which of two equal points
//! owns the arc, what a weight of 0 means, whether `hash == point` belongs to this point or to the
//! next, what happens to the other keys when one weight changes. Those are stated here for every
//! scheme and dialect, tested (a scheme against its paper's rule in one line, a dialect against
//! answers recorded from the program where its page says so), and frozen: a change of any answer is a
//! major version. Where you need none of this, `hash % n` is faster to read and as fast to run.
//!
//! # What is promised
//!
//! - The same names, weights and keys give the same owner on every platform, in every build, for
//!   ever. Keys are bytes; `std::hash::Hash`, whose output is not promised, is used nowhere. The one
//!   scheme with a logarithm computes it from `+ - * /` in a fixed order ([`rendezvous`]). (Excepted
//!   are targets whose `f64` is not that of IEEE 754: of 32-bit x86, those without SSE2.)
//! - [`owner`](Placement::owner) never fails, never panics, and never allocates (but for a very long key
//!   behind a [prefix](Prefixed)). What could go wrong
//!   goes wrong when a fleet or a placement is built, with an [`Error`] that names the server and the
//!   value. (So it is as long as hashes and scores of your own keep to that.)
//! - Membership, liveness and load are three different arguments. A server that is
//!   [down](route::route) still owns its keys; one that is [draining](Server::draining) is listed and
//!   owns nothing.
//! - Shares and caps are ratios of integers ([`Share`], [`Cap`]); `ceil(1.1 * 10)` is 11.
//!
//! # Rust version
//!
//! 1.89, and it is raised only with a minor version.
//!
//! # Speed, features and `unsafe`
//!
//! Rendezvous and batches of lookups use the vector instructions that the processor has ([`Level`]), a ring
//! those that the program is compiled for; answers are the same with and without. To ask the processor takes the feature `std`, which is on
//! unless turned off and brings nothing else: without it the library is `no_std`. `unsafe` is denied
//! but in one private module, `arch`, where each of its few uses states its proof.
#![no_std]

extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

mod anchor;
mod arch;
mod availability;
mod bounded;
pub mod catalogue;
mod change_log;
mod choice;
mod counted;
pub mod dialect;
mod draws;
mod dx;
mod entry;
mod error;
pub mod fingerprint;
mod flip;
pub mod hash;
mod jump;
mod jump_back;
mod ln;
mod logged;
pub mod maglev;
mod members;
mod memento;
mod modulo;
pub mod moves;
pub mod multi_probe;
mod placement;
mod prefix;
mod remainder;
pub mod rendezvous;
mod replica;
pub mod ring;
mod route;
mod scheme;
mod server;
mod skeleton;
pub mod slots;
#[cfg(test)]
mod testing;
pub mod tokens;
mod view;

pub use anchor::{Anchor, AnchorTable};
pub use arch::Level;
pub use availability::FatalLosses;
pub use bounded::{
    Asked, Bounded, Cap, Filled, Lease, OwnedLease, asked, fill, fill_arriving, refill, settle,
};
pub use change_log::ChangeLog;
pub use counted::Counted;
pub use dx::{Dx, DxTable};
pub use error::Error;
pub use fingerprint::Fingerprint;
pub use flip::{Flip, FlipRule, flip};
pub use jump::{Jump, jump};
pub use jump_back::{JumpBack, JumpBackRule, jump_back};
pub use logged::Logged;
pub use maglev::Maglev;
pub use members::{Buckets, Members};
pub use memento::{Memento, MementoTable};
pub use modulo::ModN;
pub use moves::{ArcMoves, Moves};
pub use multi_probe::MultiProbe;
pub use placement::{Arcs, Layout, Measured, Placement, Ranked, ServerIx, Servers, Share, Table};
pub use prefix::{KeyPrefix, Prefixed};
pub use rendezvous::Rendezvous;
pub use replica::{Replicas, Spread};
pub use ring::{Geometry, Ring};
pub use route::{Down, Route, route, route_ix};
pub use scheme::{Built, BuiltHash, PrefixedScheme, Scheme};
pub use server::{Address, Server, ServerName, Weight, Zone};
pub use skeleton::{Drawn, Skeleton, SkeletonTable};
pub use slots::{SlotMap, Slots};
pub use view::{Admission, Epoch, View, admit};
