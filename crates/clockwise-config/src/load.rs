//! From a path, or bytes, to fleets.

use std::io::Read;
use std::path::Path;

use crate::Options;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::fleet::{FleetFile, Pool};
use crate::kind::Kind;
use crate::report::Report;
use crate::source::{MAX_BYTES, Source};

/// Reads a fleet: `FILE`, or `FILE#POOL` for one pool of a file that holds several.
pub fn load(spec: &str, options: &Options) -> Result<Pool, Diagnostics> {
    let (path, pool) = parts(spec);
    Ok(read(path, options)?.pick(pool)?)
}

/// Reads fleets: every pool of `FILE`, or the one of `FILE#POOL`. A pool that is right and places
/// nothing has its reason in its place.
pub fn load_all(spec: &str, options: &Options) -> Result<Vec<Result<Pool, Diagnostic>>, Diagnostics> {
    let (path, pool) = parts(spec);
    let file = read(path, options)?;
    if pool.is_none() && file.pools() > 1 {
        return Ok(file.names().map(|name| file.pick(Some(name))).collect());
    }
    match file.pick(pool) {
        // A name that is not there is no finding about a fleet.
        Err(error) if pool.is_some_and(|name| file.names().all(|known| known != name)) => Err(error.into()),
        picked => Ok(vec![picked]),
    }
}

/// The path, and the pool that is named behind it. A file whose own name has a `#` is found as well.
fn parts(spec: &str) -> (&str, Option<&str>) {
    match spec.rsplit_once('#') {
        Some((path, pool)) if !path.is_empty() && !Path::new(spec).exists() => (path, Some(pool)),
        _ => (spec, None),
    }
}

/// Reads a file.
pub fn read(path: &str, options: &Options) -> Result<FleetFile, Diagnostics> {
    let mut bytes = Vec::new();
    let read = std::fs::File::open(path)
        // One byte more than is allowed tells that there is more.
        .and_then(|file| file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes));
    match read {
        Ok(_) => parse(path, &bytes, options),
        Err(error) => Err(Diagnostic::unreadable(path, format!("cannot be read: {error}")).into()),
    }
}

/// Reads bytes; `path` is what complaints call them.
pub fn parse(path: &str, bytes: &[u8], options: &Options) -> Result<FleetFile, Diagnostics> {
    let source = Source::new(path, bytes)?;
    let kind = options.from.map_or_else(|| Kind::of(&source), Ok)?;
    let mut report = Report::new(&source, options);
    let pools = kind.read(&mut report);
    FleetFile::new(kind, pools, report)
}
