//! What the page shows at once: the circle, the keys, the nodes with their shares, and what moved.

use std::collections::BTreeSet;

use clockwise::{ArcMoves, Layout as Division, Measured, Placement, Share};
use serde::Serialize;

use crate::Refusal;
use crate::answer::{Array, Values};
use crate::layout::{Layout, Side};
use crate::sentence;
use crate::state::State;

/// A circle of more tokens is drawn by bins.
pub const MAX_ARCS: usize = 2_000;
/// How many bins a circle has.
pub const BINS: usize = 2_048;

/// A key has another owner than before the change.
pub const MOVED: u8 = 1;
/// It moved for nothing: between nodes whose shares did not change that way.
pub const STRAY: u8 = 2;
/// It is not where it would go first, which is full.
pub const DISPLACED: u8 = 4;
/// Its owner is down: another answers for it, or nobody.
pub const REROUTED: u8 = 8;
/// No key before or after: of a node that owns none.
pub const NOBODY: u16 = u16::MAX;

/// Figures of a state. Arrays beside it: `ends` (turns) and `arc_owners` of each arc, or `bins` (a share
/// for each name in each bin, bin by bin); `turns`, `owners`, `was`, `answering` and `flags` of each key.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figures {
    /// The nodes as they are, in joining order, then those that left with the change. Owners in arrays
    /// are positions in this list; 65535 is nobody.
    pub names: Vec<String>,
    /// The nodes as they are.
    pub nodes: Vec<NodeFigures>,
    /// The number of keys, repeated ones counted.
    pub total: u64,
    /// What is counted: `key`, or `request` where one key is asked for many times.
    pub unit: &'static str,
    /// Keys on the busiest node ÷ its due share of them.
    pub busiest_keys: f64,
    /// The same of the whole key space, where it is known without keys.
    pub busiest_space: Option<f64>,
    /// All tokens on the circle.
    pub points: usize,
    /// How the circle is told in arrays: `arcs`, `bins`, or `none`.
    pub band: &'static str,
    /// What the arcs are of: `tokens` or `slots`; empty without a band.
    pub band_of: &'static str,
    /// What the change moved, if there was one.
    pub change: Option<Change>,
    /// What happened, for a person.
    pub sentence: String,
    /// Keys that are not where they would go first.
    pub displaced: u64,
    /// Keys that nobody answers for.
    pub unanswered: u64,
}

/// A node.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NodeFigures {
    /// Its name.
    pub name: String,
    /// Its weight.
    pub weight: u32,
    /// Its zone; empty for none.
    pub zone: String,
    /// Whether it is down.
    pub down: bool,
    /// Its tokens on the circle, or slots of the table.
    pub tokens: u64,
    /// Its keys.
    pub keys: u64,
    /// Its keys before the change.
    pub keys_before: u64,
    /// The keys it answers for, which differ while nodes are down.
    pub answering: u64,
    /// Its part of the whole key space, where that is known without keys.
    pub share: Option<f64>,
    /// Its weight ÷ all weights.
    pub target: f64,
    /// The most keys it may hold, under bounded loads.
    pub limit: Option<u64>,
}

/// What a change moved.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// Keys with another owner.
    pub moved: u64,
    /// Keys that moved for nothing.
    pub stray: u64,
    /// The least that a change of these weights has to move, in keys.
    pub fair: f64,
    /// From where to where, the most first.
    pub flows: Vec<Flow>,
    /// The same of the whole key space, where it is known without keys.
    pub space: Option<Space>,
}

/// Keys that went from one node to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Flow {
    /// The owner before.
    pub from: String,
    /// The owner now.
    pub to: String,
    /// How many keys.
    pub keys: u64,
    /// Whether they moved for nothing.
    pub stray: bool,
}

/// Parts of the whole key space.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Space {
    /// What moved.
    pub moved: f64,
    /// What moved for nothing.
    pub stray: f64,
    /// The least that had to move.
    pub fair: f64,
}

/// The figures of a state, and its arrays.
pub fn figures(state: &State) -> Result<(Figures, Vec<Array>), Refusal> {
    let layout = Layout::new(state)?;
    let names = layout.names.len();
    let change = change(&layout);
    let strays: BTreeSet<(&str, &str)> = change
        .iter()
        .flat_map(|change| &change.flows)
        .filter(|flow| flow.stray)
        .map(|flow| (flow.from.as_str(), flow.to.as_str()))
        .collect();
    let answering = layout.answering()?;
    let (mut displaced, mut unanswered) = (0, 0);
    let (mut owners, mut was, mut served, mut flags) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (at, owner) in layout.now.owners.iter().enumerate() {
        let number = layout.now.number(*owner);
        let before = layout.before.as_ref().map(|side| side.number(side.owners[at]));
        let mut flag = 0;
        if let Some(before) = before.filter(|before| *before != number) {
            flag |= MOVED;
            if strays.contains(&(layout.names[before].as_str(), layout.names[number].as_str())) {
                flag |= STRAY;
            }
        }
        if layout.now.plain[at] != *owner {
            flag |= DISPLACED;
            displaced += 1;
        }
        if answering[at] != Some(number) {
            flag |= REROUTED;
        }
        unanswered += u64::from(answering[at].is_none());
        owners.push(number as u16);
        was.push(before.map_or(NOBODY, |before| before as u16));
        served.push(answering[at].map_or(NOBODY, |server| server as u16));
        flags.push(flag);
    }
    let (band, band_of, mut arrays) = band(&layout.now, names);
    let turns = layout.turns().into_iter().map(|turn| turn as f32).collect();
    arrays.extend([
        Array::new("turns", Values::F32(turns)),
        Array::new("owners", Values::U16(owners)),
        Array::new("was", Values::U16(was)),
        Array::new("answering", Values::U16(served)),
        Array::new("flags", Values::U8(flags)),
    ]);
    let nodes = nodes(&layout, &answering);
    let total = layout.keys.len() as u64;
    let busiest = |part: &dyn Fn(&NodeFigures) -> f64| {
        nodes.iter().filter(|node| node.target > 0.0).map(|node| part(node) / node.target).fold(0.0, f64::max)
    };
    let figures = Figures {
        total,
        unit: state.keys.unit(),
        busiest_keys: busiest(&|node| node.keys as f64 / total as f64),
        busiest_space: nodes
            .iter()
            .all(|node| node.share.is_some())
            .then(|| busiest(&|node| node.share.unwrap_or(0.0))),
        points: layout.now.built.ring().map_or(0, |ring| ring.points().count()),
        band,
        band_of,
        sentence: sentence::figures(&layout, change.as_ref(), displaced, unanswered),
        change,
        displaced,
        unanswered,
        nodes,
        names: layout.names,
    };
    Ok((figures, arrays))
}

fn nodes(layout: &Layout<'_>, answering: &[Option<usize>]) -> Vec<NodeFigures> {
    let names = layout.names.len();
    let (state, now) = (layout.state, &layout.now);
    let keys = now.counts(names);
    let before = layout.before.as_ref().map_or_else(|| keys.clone(), |side| side.counts(names));
    let mut served = vec![0_u64; names];
    for server in answering.iter().flatten() {
        served[*server] += 1;
    }
    let weights = state.fleet.total_weight();
    let mut limits: Vec<Option<u64>> = vec![None; names];
    if let (Some(cap), Some(ranked)) = (now.built.cap(), now.built.ranked()) {
        for (at, limit) in cap.limits(ranked, layout.keys.len() as u64).into_iter().enumerate() {
            limits[now.numbers[at]] = Some(limit);
        }
    }
    let mut shares: Vec<Option<Share>> = vec![None; names];
    for (at, share) in now.built.measured().into_iter().flat_map(Measured::shares).enumerate() {
        shares[now.numbers[at]] = Some(share);
    }
    let mut tokens = vec![0_u64; names];
    if let Some(ring) = now.built.ring() {
        for (at, count) in ring.point_counts().iter().enumerate() {
            tokens[now.numbers[at]] = u64::from(*count);
        }
    } else if let Some(table) = now.built.table() {
        for owner in table.iter() {
            tokens[now.number(owner)] += 1;
        }
    }
    let figures = state.fleet.nodes.iter().enumerate().map(|(at, node)| NodeFigures {
        name: node.name.clone(),
        weight: node.weight,
        zone: node.zone.clone(),
        down: state.down.contains(&node.name),
        tokens: tokens[at],
        keys: keys[at],
        keys_before: before[at],
        answering: served[at],
        share: shares[at].map(Share::as_f64),
        target: f64::from(node.weight) / weights as f64,
        limit: limits[at].filter(|_| node.weight > 0),
    });
    figures.collect()
}

/// What the change moved.
fn change(layout: &Layout<'_>) -> Option<Change> {
    let (before, moves) = (layout.before.as_ref()?, layout.moves()?);
    let flows = moves.flows().iter().map(|flow| Flow {
        from: flow.from.to_string(),
        to: flow.to.to_string(),
        keys: flow.moved.keys,
        stray: flow.stray,
    });
    let exact = match (before.built.cap(), layout.now.built.cap()) {
        (None, None) => before.built.measured().zip(layout.now.built.measured()),
        _ => None,
    };
    Some(Change {
        moved: moves.moved().keys,
        stray: moves.stray().keys,
        fair: moves.minimum().as_f64() * layout.keys.len() as f64,
        flows: flows.collect(),
        space: exact.and_then(|(before, now)| ArcMoves::between(before, now)).map(|arcs| Space {
            moved: arcs.moved().as_f64(),
            stray: arcs.stray().as_f64(),
            fair: arcs.minimum().as_f64(),
        }),
    })
}

/// The circle in arrays.
fn band(side: &Side, names: usize) -> (&'static str, &'static str, Vec<Array>) {
    let division = side.built.measured().and_then(Measured::layout);
    let (mut arcs, of): (Vec<(f64, usize)>, _) = match (crate::layout::table(&side.built), division) {
        (Some(table), _) => {
            let turns = (1..=table.len()).map(|slot| slot as f64 / table.len() as f64);
            (turns.zip(table.iter().map(|owner| side.number(owner))).collect(), "slots")
        }
        (None, Some(Division::Circle { arcs, last, .. })) => {
            // Hashes of 32 bits end in zeros here: the last stands for all that lead up to the next.
            let whole = (u128::from(last) + 1).next_power_of_two() as f64;
            let turn = |end: u64| (end.min(last) as f64 / whole).min(1.0);
            (arcs.iter().map(|(end, owner)| (turn(end), side.number(owner))).collect(), "tokens")
        }
        (None, _) => return ("none", "", Vec::new()),
    };
    if of == "slots" {
        // A run of slots is one arc: it has no ends inside.
        let next: Vec<usize> = arcs.iter().skip(1).map(|(_, owner)| *owner).collect();
        let mut at = 0;
        arcs.retain(|(_, owner)| {
            let ends = next.get(at) != Some(owner);
            at += 1;
            ends
        });
    }
    if arcs.len() <= MAX_ARCS {
        let (ends, owners) = arcs.into_iter().map(|(end, owner)| (end as f32, owner as u16)).unzip();
        let arrays = [Array::new("ends", Values::F32(ends)), Array::new("arc_owners", Values::U16(owners))];
        return ("arcs", of, arrays.into());
    }
    ("bins", of, vec![Array::new("bins", Values::F32(bins(&arcs, names)))])
}

/// How much of each bin belongs to whom, bin by bin. A bin sums to 1.
fn bins(arcs: &[(f64, usize)], names: usize) -> Vec<f32> {
    let mut bins = vec![0_f32; BINS * names];
    let width = 1.0 / BINS as f64;
    let mut fill = |from: f64, to: f64, owner: usize| {
        let mut at = from;
        while at < to {
            let bin = ((at / width) as usize).min(BINS - 1);
            let end = if bin == BINS - 1 { to } else { to.min((bin + 1) as f64 * width) };
            if let Some(share) = bins.get_mut(bin * names + owner) {
                *share += ((end - at) / width) as f32;
            }
            // The edges of bins are exact, so each step goes forward.
            at = end;
        }
    };
    let mut from = 0.0;
    for (end, owner) in arcs {
        fill(from, *end, *owner);
        from = *end;
    }
    // What lies after the last token is the first one's.
    if let Some((_, owner)) = arcs.first() {
        fill(from, 1.0, *owner);
    }
    bins
}
