//! Which server owns this key, what moves when the fleet changes, and does every client agree?
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod bounded;
mod choice;
pub mod dialect;
mod error;
pub mod fingerprint;
pub mod hash;
mod jump;
mod ln;
mod members;
mod modulo;
pub mod moves;
mod placement;
pub mod rendezvous;
mod replica;
pub mod ring;
mod route;
mod scheme;
mod server;
#[cfg(test)]
mod testing;
mod view;

pub use bounded::{Bounded, Cap, Filled, Lease, fill, fill_arriving};
pub use error::Error;
pub use fingerprint::Fingerprint;
pub use jump::{Jump, jump};
pub use members::{Buckets, Members};
pub use modulo::ModN;
pub use moves::{ArcMoves, Moves};
pub use placement::{Layout, Measured, Placement, Ranked, ServerIx, Share};
pub use rendezvous::Rendezvous;
pub use replica::{Replicas, Spread};
pub use ring::{Geometry, Ring};
pub use route::{Down, Route, route, route_ix};
pub use scheme::{Built, Scheme};
pub use server::{Address, Server, ServerName, Weight, Zone};
pub use view::{Admission, Epoch, View, admit};
