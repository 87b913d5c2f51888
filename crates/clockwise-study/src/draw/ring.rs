//! A ring: every arc where it lies, what each server's arcs add up to, and a legend.

use clockwise::{Layout, Server};

use super::circle::{Circle, at, stroke};
use super::legend::{Entry, Legend};
use super::palette::{Look, STYLE, letter};
use super::svg::{self, Px, Svg};
use super::{counted, grouped, percent};

const CENTRE: (f64, f64) = (290.0, 348.0);
const LEGEND: (f64, f64) = (594.0, 104.0);
const WIDTH: u32 = 1074;
const LEAST_HEIGHT: u32 = 664;

/// A band of the ring: the radius of its middle, and its width.
struct Band(f64, f64);
/// The arcs where they lie.
const ARCS: Band = Band(212.0, 44.0);
/// The arcs of each server put together.
const SHARES: Band = Band(164.0, 30.0);
const POINTS: (f64, f64) = (237.0, 244.0);
const LETTERS: f64 = 256.0;

/// More points than this run together, so none are marked.
const MOST_POINTS: usize = 1440;
/// Stripes on more arcs than this are specks.
const MOST_STRIPED: usize = 720;

/// More servers than this leave slices too thin, so their shares are not put together.
const MOST_SLICES: usize = 64;

/// Draws a ring or a table of slots, as a placement's
/// [`layout`](clockwise::Measured::layout) gives it, with the placement's servers.
///
/// Position 0 is at the top, and the hash grows clockwise. The outer band shows each arc in its
/// server's colour with a mark at each point, the inner one what each server's arcs add up to, the
/// legend the shares. In the middle stands busiest ÷ mean: the largest share ÷ target share, by arcs.
/// Rings of any size are drawn: beyond 3,000 arcs the outer band shows the main owner of each of
/// 3,600 steps, beyond 1,440 points they are not marked, beyond 64 servers the inner band is left
/// out, and beyond 40 the legend has the busiest and the idlest; the picture says so.
pub fn ring(title: &str, servers: &[Server], layout: Layout<'_>) -> String {
    let circle = Circle::new(layout, servers.len());
    let points: Vec<u64> = match layout {
        Layout::Circle { arcs, .. } => arcs.iter().map(|(end, _)| end).collect(),
        Layout::Slots { .. } => Vec::new(),
    };
    let (piece, whole) = match layout {
        Layout::Circle { .. } => ("point", "the circle"),
        Layout::Slots { .. } => ("slot", "the slots"),
    };
    let total: f64 = servers.iter().map(|server| f64::from(server.effective_weight())).sum();
    let entries: Vec<Entry> = servers
        .iter()
        .enumerate()
        .map(|(index, server)| {
            let share = circle.share(index);
            let weight = f64::from(server.effective_weight());
            let over = if weight > 0.0 { Some(share / (weight / total)) } else { None };
            Entry { index, name: server.name().as_str(), share, over, pieces: circle.pieces[index] }
        })
        .collect();
    let legend = Legend::new(entries, piece);
    let pieces: u64 = circle.pieces.iter().sum();
    let summary = format!("{}, {}", counted(servers.len() as u64, "server"), counted(pieces, piece));
    let mut description = format!("{summary}.");
    if let Some(Entry { name, share, over: Some(over), .. }) = legend.busiest() {
        description.push_str(&format!(
            " The busiest, {name}, owns {} of {whole}: {over:.3} of its target share.",
            percent(*share)
        ));
    }
    let height = LEAST_HEIGHT.max(LEGEND.1 as u32 + legend.height() + 24);
    let mut svg = svg::picture(WIDTH, height, title, &description, Some(STYLE));
    svg.text("text", &[("class", &"title"), ("x", &30), ("y", &42)], title);
    svg.text("text", &[("class", &"muted"), ("x", &30), ("y", &66)], &summary);

    for Band(radius, width) in [ARCS, SHARES] {
        if radius < ARCS.0 && servers.len() > MOST_SLICES {
            continue;
        }
        svg.leaf(
            "circle",
            &[
                ("class", &"bed"),
                ("cx", &CENTRE.0),
                ("cy", &CENTRE.1),
                ("r", &radius),
                ("stroke-width", &width),
            ],
        );
    }
    let mut runs = vec![Vec::new(); servers.len()];
    for run in &circle.runs {
        runs[run.owner].push((run.from, run.to));
    }
    draw_band(&mut svg, &ARCS, &runs, circle.runs.len() <= MOST_STRIPED, &legend);
    if points.len() <= MOST_POINTS {
        draw_points(&mut svg, &points);
    }
    for run in &circle.runs {
        let letter = letter(run.owner);
        if (run.to - run.from) * LETTERS >= 8.0 + 7.0 * letter.len() as f64 {
            draw_letter(&mut svg, LETTERS, f64::midpoint(run.from, run.to), "letter middle", &letter);
        }
    }
    if servers.len() <= MOST_SLICES {
        draw_slices(&mut svg, &circle, &legend);
    }
    if let Some(over) = legend.busiest().and_then(|entry| entry.over) {
        let lines = [
            ("big middle number", 4, format!("{over:.3}")),
            ("muted middle", 28, "busiest ÷ mean".to_owned()),
            ("muted middle small", 46, format!("by share of {whole}")),
        ];
        for (class, below, text) in &lines {
            let y = CENTRE.1 + f64::from(*below);
            svg.text("text", &[("class", class), ("x", &CENTRE.0), ("y", &y)], text);
        }
    }
    for (line, text) in caption(&circle, points.len(), servers.len(), piece).iter().enumerate() {
        let y = CENTRE.1 + 286.0 + 16.0 * line as f64;
        svg.text("text", &[("class", &"muted middle small"), ("x", &CENTRE.0), ("y", &y)], text);
    }
    // A short legend stands beside the middle of the ring.
    let top = LEGEND.1.max(CENTRE.1 - f64::from(legend.height()) / 2.0);
    legend.draw(&mut svg, (LEGEND.0, top));
    svg.finish()
}

/// What the bands are.
fn caption(circle: &Circle, points: usize, servers: usize, piece: &str) -> [String; 2] {
    let outer = match circle.steps {
        Some(steps) => format!("Outer band: the main owner of each of {} steps", grouped(steps as u64)),
        None if piece == "slot" => "Outer band: the slots where they lie".to_owned(),
        None if points > MOST_POINTS => {
            "Outer band: the arcs where they lie, points too many to mark".to_owned()
        }
        None => "Outer band: the arcs where they lie, a mark at each point".to_owned(),
    };
    let inner = if servers <= MOST_SLICES { "Inner band: the share of each server. " } else { "" };
    [format!("{outer}."), format!("{inner}Position 0 is at the top; the hash grows clockwise.")]
}

/// One shape a server, with all its arcs, and its stripes over it.
fn draw_band(svg: &mut Svg, band: &Band, runs: &[Vec<(f64, f64)>], striped: bool, legend: &Legend) {
    let Band(radius, width) = *band;
    svg.open("g", &[("class", &"band"), ("stroke-width", &width)]);
    for (server, runs) in runs.iter().enumerate().filter(|(_, runs)| !runs.is_empty()) {
        let mut path = String::new();
        for &(from, to) in runs {
            stroke(&mut path, CENTRE, radius, from, to);
        }
        let class = format!("s{}", Look::of(server).colour);
        svg.tipped("path", &[("class", &class), ("d", &path)], &legend.tip(server));
    }
    svg.close();
    if !striped {
        return;
    }
    let mut stripes = String::new();
    for (server, runs) in runs.iter().enumerate() {
        for offset in Look::of(server).offsets(width) {
            for &(from, to) in runs {
                stroke(&mut stripes, CENTRE, radius + offset, from, to);
            }
        }
    }
    if !stripes.is_empty() {
        svg.leaf("path", &[("class", &"stripe"), ("stroke-width", &2.5), ("d", &stripes)]);
    }
}

/// The shares, one slice a server in the order of the fleet, with letters where they fit.
fn draw_slices(svg: &mut Svg, circle: &Circle, legend: &Legend) {
    let mut from = 0.0;
    let slices: Vec<Vec<(f64, f64)>> = (0..circle.owned.len())
        .map(|server| {
            let to = from + circle.share(server) * std::f64::consts::TAU;
            let slice = if to > from { vec![(from, to)] } else { Vec::new() };
            from = to;
            slice
        })
        .collect();
    draw_band(svg, &SHARES, &slices, true, legend);
    for (server, &(from, to)) in
        slices.iter().enumerate().flat_map(|(server, all)| all.iter().map(move |s| (server, s)))
    {
        let letter = letter(server);
        // A disc under the letter keeps it readable on stripes.
        if (to - from) * SHARES.0 >= 8.0 + 7.0 * letter.len() as f64 {
            let middle = f64::midpoint(from, to);
            let Look { colour, stripes } = Look::of(server);
            if stripes > 0 {
                let (x, y) = at(CENTRE, SHARES.0, middle);
                let class = format!("f{colour}");
                svg.leaf("circle", &[("class", &class), ("cx", &x), ("cy", &y), ("r", &10)]);
            }
            draw_letter(svg, SHARES.0, middle, &format!("letter middle on on{colour}"), &letter);
        }
    }
}

fn draw_points(svg: &mut Svg, points: &[u64]) {
    let mut path = String::new();
    for &point in points {
        let angle = point as f64 / 2_f64.powi(64) * std::f64::consts::TAU;
        let (inner, outer) = (at(CENTRE, POINTS.0, angle), at(CENTRE, POINTS.1, angle));
        path.push_str(&format!("M{} {}L{} {}", inner.0, inner.1, outer.0, outer.1));
    }
    if !path.is_empty() {
        svg.leaf("path", &[("class", &"point"), ("d", &path)]);
    }
}

fn draw_letter(svg: &mut Svg, radius: f64, angle: f64, class: &str, letter: &str) {
    let (x, Px(y)) = at(CENTRE, radius, angle);
    // Half the height of a capital below the middle.
    svg.text("text", &[("class", &class), ("x", &x), ("y", &Px(y + 4.3))], letter);
}
