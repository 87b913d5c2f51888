//! Theory of consistent hashing and what-if on real keys.

mod change;

pub use change::{BadChange, Change};
