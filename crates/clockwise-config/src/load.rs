//! From a path, or bytes, to fleets.

use std::io::Read;
use std::path::Path;

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::fleet::{FleetFile, Pool};
use crate::kind::Kind;
use crate::report::Report;
use crate::source::{MAX_BYTES, Source};
use crate::wrapped::{self, Block};
use crate::{Options, template};

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
        return Ok(file.all().collect());
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

/// Reads a file; `-` is standard input.
pub fn read(path: &str, options: &Options) -> Result<FleetFile, Diagnostics> {
    let mut bytes = Vec::new();
    // One byte more than is allowed tells that there is more.
    let most = MAX_BYTES as u64 + 1;
    let read = match path {
        "-" => std::io::stdin().lock().take(most).read_to_end(&mut bytes),
        _ => std::fs::File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes)),
    };
    match read {
        Ok(_) if path == "-" => parse_in(None, path, &bytes, options),
        Ok(_) => parse_in(Path::new(path).parent(), path, &bytes, options),
        Err(error) => Err(Diagnostic::unreadable(path, format!("cannot be read: {error}")).into()),
    }
}

/// Reads bytes; `path` is what complaints call them. Files that they include are not looked for.
///
/// A file that holds fleets inside, in fences of Markdown, a ConfigMap, cloud-config, here-documents
/// or between the prompts of a shell, is read as those; a template is refused.
pub fn parse(path: &str, bytes: &[u8], options: &Options) -> Result<FleetFile, Diagnostics> {
    parse_in(None, path, bytes, options)
}

fn parse_in(
    folder: Option<&Path>,
    path: &str,
    bytes: &[u8],
    options: &Options,
) -> Result<FleetFile, Diagnostics> {
    let source = Source::new(path, bytes)?;
    let mut read: Vec<(Block, Kind)> = Vec::new();
    let mut passed = Vec::new();
    for block in wrapped::blocks(&source)? {
        // Most blocks of a page are commands and the like. Templates may stand beside the fleet.
        let kind = template::refuse(&block.source).and_then(|()| kind_of(&block.source, options));
        match kind {
            Ok(kind) => read.push((block, kind)),
            Err(why) => passed.push((block, why)),
        }
    }
    match read.len() {
        0 => {
            let whole = template::refuse(&source).and_then(|()| kind_of(&source, options));
            let whole = whole.map_err(Diagnostics::from);
            whole.and_then(|kind| parse_as(folder, &source, kind, options)).map_err(|all| {
                // A page is no fleet file, whatever it looks like: what is in it says more.
                match passed.into_iter().find(|(block, _)| block.is_page) {
                    Some((_, why)) => why.into(),
                    None => all,
                }
            })
        }
        1 => {
            let (block, kind) = read.remove(0);
            Ok(parse_as(None, &block.source, kind, options)?.inside(path, &block.what))
        }
        _ => several(path, read, options),
    }
}

fn kind_of(source: &Source, options: &Options) -> Result<Kind, Diagnostic> {
    options.from.map_or_else(|| Kind::of(source), Ok)
}

/// Several blocks, each with its pools. One that cannot be read is a pool without a placement, so
/// that the others can be picked; if none can be read, the complaints are those of all.
fn several(path: &str, blocks: Vec<(Block, Kind)>, options: &Options) -> Result<FleetFile, Diagnostics> {
    let mut file: Option<FleetFile> = None;
    let mut refused = Vec::new();
    for (block, kind) in blocks {
        match parse_as(None, &block.source, kind, options) {
            Ok(read) => {
                let read = read.inside(path, &block.what);
                match &mut file {
                    None => file = Some(read.labelled(&block.label)),
                    Some(file) => file.append(read.labelled(&block.label)),
                }
            }
            Err(complaints) => refused.push((block, kind, complaints)),
        }
    }
    let Some(mut file) = file else {
        let omitted = refused.iter().map(|(.., complaints)| complaints.omitted()).sum();
        let all = refused.iter().flat_map(|(.., complaints)| complaints.iter().cloned());
        return Err(Diagnostics::new(all.collect(), omitted));
    };
    for (block, kind, complaints) in refused {
        file.append(FleetFile::refused(&block.source, kind, &block.label, &complaints));
    }
    Ok(file)
}

/// Reads a source as a file of one kind.
fn parse_as(
    folder: Option<&Path>,
    source: &Source,
    kind: Kind,
    options: &Options,
) -> Result<FleetFile, Diagnostics> {
    let mut report = Report::new(source, options).in_folder(folder);
    let pools = kind.read(&mut report);
    FleetFile::new(kind, pools, report).map_err(|complaints| template::explained(source, kind, complaints))
}
