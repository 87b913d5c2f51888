//! What a change does to real keys, and what theory says before there are any.
//!
//! - [`check`](mod@check): what in a fleet will hurt, with the figure behind it.
//! - [`convert`]: the nearest of several ways to write a fleet.
//! - [`diff`](mod@diff): two fleets side by side, and why they place keys differently.
//! - [`draw`]: pictures of a ring, of shares and of measurements.
//! - [`experiment`]: what is measured, as data; [`kernel`]s measure it, the [`runner`] runs them, and
//!   [`results`] keep what they gave, and [`figures`](mod@figures) are what others published of it.
//! - [`keys`]: reading keys, from files of many kinds, as bytes; they come from `clockwise-config`.
//! - [`migrate`](mod@migrate): from one scheme to another in steps, and what each costs.
//! - [`number`]: numbers as people read them.
//! - [`plan`]: the same keys before and after a change, under one scheme or all of them.
//! - [`report`]: a study as a page and as Markdown.
//! - [`theory`]: how even a ring can be, from servers and points alone.
//! - [`vectors`]: questions and answers that a program in any language checks itself against.
#![forbid(unsafe_code)]

mod address;
mod change;
pub mod check;
pub mod convert;
pub mod diff;
pub mod draw;
pub mod experiment;
pub mod figures;
pub mod kernel;
mod markup;
pub mod migrate;
pub mod number;
mod pairing;
pub mod plan;
pub mod report;
pub mod results;
pub mod runner;
pub mod theory;
pub mod vectors;

pub use change::{BadChange, Change};
pub use clockwise_config::keys;
pub use pairing::{Pairing, Renamed};
