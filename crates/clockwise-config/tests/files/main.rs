//! Whole files in, fleets or complaints out.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a failure here is the message

mod corpus;
mod envoy;
mod errors;
mod haproxy;
mod kinds;
mod mutations;
mod nginx;
mod own;
mod prefixes;
mod rings;
mod stores;
mod summaries;
mod twemproxy;
mod wrapped;

use clockwise_config::{Diagnostics, FleetFile, Options, Pool, parse};

/// Reads text as a file.
fn read(text: impl AsRef<[u8]>) -> Result<FleetFile, Diagnostics> {
    parse("fleet", text.as_ref(), &Options::default())
}

/// The only pool of a file that is right.
fn pool(text: impl AsRef<[u8]>) -> Pool {
    match read(text) {
        Ok(file) => file.pick(None).unwrap(),
        Err(refused) => panic!("{}", refused.render(false)),
    }
}

/// The complaints about a file that is wrong, one a line.
fn refused(text: impl AsRef<[u8]>) -> String {
    read(text).and_then(|file| Ok(file.pick(None)?)).unwrap_err().to_string()
}
