//! `clockwise ring`: how a fleet divides the key space, before any key is looked at.

use std::fs;
use std::io::Write;

use clockwise::dialect::Dialect;
use clockwise::{Built, Geometry, Measured, Placement as _, Scheme, Share};
use clockwise_config::Pool;
use clockwise_study::{draw, theory};
use serde::Serialize;

use super::fingerprint::Fingerprints;
use crate::args::{Format, Ring};
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::input;
use crate::output::{self, Align, Cell, Sheet, count, counted, percent, ratio};

/// The document that `--format json` prints.
#[derive(Serialize)]
struct Document {
    fleet: String,
    scheme: String,
    /// Points in all; null where the scheme has none.
    points: Option<u64>,
    servers: Vec<ServerRow>,
    /// The largest share ÷ target share.
    busiest_over_mean: f64,
    /// What theory expects of as many equal servers with as many points; null for other fleets.
    expected_busiest_over_mean: Option<f64>,
    /// Positions at which several servers have a point.
    collisions: Vec<CollisionRow>,
    fingerprint: Fingerprints,
}

#[derive(Serialize)]
struct ServerRow {
    name: String,
    address: String,
    weight: u32,
    zone: Option<String>,
    state: &'static str,
    points: Option<u32>,
    /// Of the key space.
    share: f64,
    /// Share ÷ target share; null for a draining server.
    share_over_target: Option<f64>,
}

#[derive(Serialize)]
struct CollisionRow {
    position: u64,
    /// The first owns the arc.
    servers: Vec<String>,
}

pub(crate) fn run(args: &Ring, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let pool = input::fleet(&args.fleet, &args.reading, console)?;
    let built = input::build(&pool, &args.reading, console)?;
    let ring = built.ring();
    if let Some(path) = &args.svg {
        let picture = picture(&pool, &built)?;
        fs::write(path, picture).map_err(|error| Failure::writing(path, &error))?;
    }
    if args.points {
        let ring = ring.ok_or_else(|| {
            Failure::Usage(format!("--points: {} is no ring and has no points", pool.scheme()))
        })?;
        points(args.format, &built, &ring, console)?;
        return Ok(Exit::Fine);
    }
    let measured = built.measured().ok_or_else(|| {
        Failure::Usage(format!(
            "the shares of {} cannot be told without keys: see clockwise plan",
            pool.scheme()
        ))
    })?;
    let document = document(&pool, &built, ring.as_ref(), measured);
    console.answer(|out| match args.format {
        Format::Json => output::json(out, &document),
        Format::Table => table(out, &document),
        format => sheet(&document).write(format, out),
    })?;
    Ok(Exit::Fine)
}

/// The ring, or the slots, as SVG.
fn picture(pool: &Pool, built: &Built) -> Result<String, Failure> {
    let layout = built.measured().and_then(Measured::layout).ok_or_else(|| {
        Failure::Usage(format!(
            "--svg: {} divides no circle that could be drawn; a ring or slots do",
            pool.scheme()
        ))
    })?;
    Ok(draw::ring(&format!("{}: {}", input::title(pool), pool.scheme()), built.servers(), layout))
}

fn document(pool: &Pool, built: &Built, ring: Option<&Geometry>, measured: &dyn Measured) -> Document {
    let total: u128 = pool.servers().total_weight().into();
    let servers: Vec<ServerRow> = (built.servers().iter().zip(measured.shares()).enumerate())
        .map(|(at, (server, share))| {
            let target = Share::new(server.effective_weight().into(), total).as_f64();
            ServerRow {
                name: server.name().to_string(),
                address: server.address().to_string(),
                weight: server.weight().get(),
                zone: server.zone().map(ToString::to_string),
                state: if server.is_draining() { "draining" } else { "active" },
                points: ring.map(|ring| ring.point_counts()[at]),
                share: share.as_f64(),
                share_over_target: (target > 0.0).then(|| share.as_f64() / target),
            }
        })
        .collect();
    Document {
        fleet: input::title(pool),
        scheme: pool.scheme().to_string(),
        points: ring.map(|ring| ring.point_counts().iter().map(|&count| u64::from(count)).sum()),
        busiest_over_mean: servers.iter().filter_map(|s| s.share_over_target).fold(0.0, f64::max),
        expected_busiest_over_mean: ring.and_then(|ring| expected(pool, built, ring)),
        collisions: ring.map_or_else(Vec::new, |ring| collisions(built, ring)),
        fingerprint: Fingerprints::of(built),
        servers,
    }
}

/// The theory speaks of servers of one weight with one number of points, thrown by a hash and not chosen, and of
/// keys anywhere.
fn expected(pool: &Pool, built: &Built, ring: &Geometry) -> Option<f64> {
    let are_chosen =
        matches!(pool.scheme().bare(), Scheme::Dialect(Dialect::Cassandra(_) | Dialect::Dskit(_)));
    if are_chosen || ring.key_bits() < input::width(ring) {
        return None;
    }
    let mut active = built.servers().iter().zip(ring.point_counts()).filter(|(s, _)| !s.is_draining());
    let (first, points) = active.next()?;
    let alike = active.clone().all(|(server, count)| server.weight() == first.weight() && count == points);
    let servers = 1 + active.count() as u64;
    if alike { theory::expected_busiest(servers, u64::from(*points)).ok() } else { None }
}

fn collisions(built: &Built, ring: &Geometry) -> Vec<CollisionRow> {
    let names = |ixs: &[clockwise::ServerIx]| {
        ixs.iter().map(|ix| built.servers()[ix.index()].name().to_string()).collect()
    };
    ring.collisions()
        .iter()
        .map(|c| CollisionRow { position: c.position(), servers: names(c.servers()) })
        .collect()
}

/// Columns that a fleet has no use for (points of a scheme without points) are left out.
fn sheet(document: &Document) -> Sheet {
    let points = document.points.is_some();
    let zones = document.servers.iter().any(|server| server.zone.is_some());
    let mut columns = vec![("server", Align::Left), ("address", Align::Left)];
    columns.extend(zones.then_some(("zone", Align::Left)));
    columns.push(("weight", Align::Right));
    columns.extend(points.then_some(("points", Align::Right)));
    columns.extend([("share", Align::Right), ("share ÷ target", Align::Right)]);
    let mut sheet = Sheet::new(columns);
    for server in &document.servers {
        let mut cells: Vec<Cell> = vec![server.name.as_str().into(), server.address.as_str().into()];
        cells.extend(zones.then(|| server.zone.as_deref().unwrap_or("").into()));
        cells.push(match server.state {
            "draining" => Cell::new("draining", 0),
            _ => Cell::new(count(server.weight), server.weight),
        });
        cells.extend(server.points.map(|points| Cell::new(count(points), points)));
        cells.push(Cell::new(percent(server.share), server.share));
        cells.push(match server.share_over_target {
            Some(over) => Cell::new(ratio(over), over),
            None => "".into(),
        });
        sheet.row(cells);
    }
    sheet
}

fn table(out: &mut dyn Write, document: &Document) -> Result<(), Failure> {
    let servers = counted(document.servers.len() as u64, "server");
    write!(out, "{}: {}, {servers}", document.fleet, document.scheme)?;
    if let Some(points) = document.points {
        write!(out, ", {}", counted(points, "point"))?;
    }
    writeln!(out, "\n")?;
    sheet(document).write_table(out)?;
    write!(out, "\nbusiest ÷ mean {} of the key space", ratio(document.busiest_over_mean))?;
    match document.expected_busiest_over_mean {
        Some(expected) => writeln!(out, "; theory expects {} of such a ring", ratio(expected))?,
        None => writeln!(out)?,
    }
    for collision in &document.collisions {
        writeln!(out, "point {} is shared by {}", collision.position, collision.servers.join(" and "))?;
    }
    let Fingerprints { probes, layout, addresses } = &document.fingerprint;
    write!(out, "fingerprints: probes {probes}")?;
    if let Some(layout) = layout {
        write!(out, ", layout {layout}")?;
    }
    Ok(writeln!(out, ", addresses {addresses}")?)
}

fn points(format: Format, built: &Built, ring: &Geometry, console: &mut Console<'_>) -> Result<(), Failure> {
    #[derive(Serialize)]
    struct Point<'a> {
        position: u64,
        server: &'a str,
    }
    let name = |ix: clockwise::ServerIx| built.servers()[ix.index()].name().as_str();
    console.answer(|out| {
        if format == Format::Json {
            let all: Vec<Point> =
                ring.points().map(|(position, ix)| Point { position, server: name(ix) }).collect();
            return output::json(out, &all);
        }
        let mut sheet = Sheet::new([("position", Align::Right), ("server", Align::Left)]);
        for (position, ix) in ring.points() {
            sheet.row([Cell::new(position.to_string(), position), name(ix).into()]);
        }
        sheet.write(format, out)
    })
}
