//! Test vectors: questions with their answers, as data that a program in any language can check
//! itself against.
//!
//! In the manner of Wycheproof: a [`File`] holds groups of tests that share a pool and its settings,
//! each test says what is asked and what must come out, and flags name the trap that it is there for.
//! There are four kinds: the value of a hash, the points of a ring (or slots of a table) as their
//! number and SHA-256, the owner of a key with its preference list, and pools that must be refused.
//! A pool is written as our own fleet files write it, in JSON.
//!
//! [`make`] computes a file, the same bytes everywhere; [`check`](fn@check) recomputes every test of one that was
//! read. They are ours: what real programs answered is recorded elsewhere, and the dialects are held
//! to that.
//!
//! ```
//! use clockwise_study::vectors::{check, make, read};
//!
//! let file = make("jump").expect("there are vectors of every scheme");
//! let text = file.to_json();
//! assert!(check(&read(&text)?).is_empty());
//! # Ok::<(), clockwise_study::vectors::Unreadable>(())
//! ```

mod check;
pub(crate) mod hashes;
mod keys;
mod make;
mod model;
mod pool;
mod read;
mod refused;
mod sources;
mod systems;
mod traps;
mod write;

pub use check::{Difference, check};
pub use make::{make, names};
pub use model::File;
pub use read::{Unreadable, read};
