//! A failure that spreads: a node falls, its keys load the next ones, those over their capacity fall too,
//! and the database feels every key that is not where it was cached.

use serde::{Deserialize, Serialize};

use crate::Refusal;
use crate::layout::{Layout, without};
use crate::sentence::{grouped, list, percent};
use crate::state::State;

/// What is asked.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// The state. Nodes that are down in it are down from the start.
    pub state: State,
    /// The node that falls first.
    pub first: String,
    /// Hits ÷ requests while all is well, 0 to 1.
    pub hit_ratio: f64,
    /// Requests a second, spread evenly over the keys (a key that stands twice gets twice as many).
    pub requests: f64,
    /// The most requests a second that a node takes for each unit of its weight.
    pub node_capacity: f64,
    /// The most that the database takes.
    pub database_capacity: f64,
}

/// How it goes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cascade {
    /// Step 0 is before the failure.
    pub steps: Vec<Step>,
    /// How it ends.
    pub sentence: String,
}

/// A step: who fell, and what that does.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Step {
    /// The nodes that fell in this step.
    pub fell: Vec<String>,
    /// All nodes that are down now.
    pub down: Vec<String>,
    /// Every node and its load, in joining order.
    pub loads: Vec<Load>,
    /// Keys that are with another node than in the step before: each misses once.
    pub moved: u64,
    /// Hits ÷ requests while those miss.
    pub hit_ratio: f64,
    /// Requests a second that reach the database.
    pub database: f64,
    /// The same as a multiple of step 0; none if the database had none.
    pub database_factor: Option<f64>,
    /// Whether that is more than it takes.
    pub database_over: bool,
    /// What happened.
    pub sentence: String,
}

/// A node's load.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Load {
    /// The node.
    pub node: String,
    /// Requests a second.
    pub requests: f64,
    /// The most it takes.
    pub capacity: f64,
    /// Whether it is down.
    pub down: bool,
    /// Whether it has more than it takes, and falls in the next step.
    pub over: bool,
}

/// Follows a failure until nothing more falls, or nothing is left.
pub fn cascade(ask: &Ask) -> Result<Cascade, Refusal> {
    check(ask)?;
    let mut state = ask.state.clone();
    let mut down = std::mem::take(&mut state.down);
    if down.contains(&ask.first) {
        return Err(Refusal::new(format!("{:?} is down already", ask.first)));
    }
    let healthy = state.fleet.clone();
    state.history.push(healthy.clone());
    let mut owners: Option<Vec<Option<usize>>> = None;
    let mut fell: Vec<String> = Vec::new();
    let mut steps: Vec<Step> = Vec::new();
    loop {
        let (here, counts, total) = match without(&healthy, &down) {
            Some(fleet) => {
                state.fleet = fleet;
                let layout = Layout::new(&state)?;
                let here = layout.now.owners.iter().map(|owner| Some(layout.now.number(*owner))).collect();
                (here, layout.now.counts(layout.names.len()), layout.keys.len())
            }
            None => {
                let keys = state.keys.count()? as usize;
                (vec![None; keys], vec![0; healthy.nodes.len()], keys)
            }
        };
        let per_key = ask.requests / total as f64;
        let moved = owners
            .as_ref()
            .map_or(0, |before| before.iter().zip(&here).filter(|(before, here)| before != here).count());
        // A key whose node is new to it misses once; one that nobody answers for misses always.
        let hit_ratio = ask.hit_ratio * (1.0 - moved as f64 / total as f64);
        let nobody = here.first().is_none_or(Option::is_none);
        let hit_ratio = if nobody { 0.0 } else { hit_ratio };
        let database = ask.requests * (1.0 - hit_ratio);
        let loads: Vec<Load> = healthy
            .nodes
            .iter()
            .zip(&counts)
            .map(|(node, keys)| {
                let requests = *keys as f64 * per_key;
                let capacity = ask.node_capacity * f64::from(node.weight);
                let is_down = down.contains(&node.name);
                Load {
                    node: node.name.clone(),
                    requests,
                    capacity,
                    down: is_down,
                    over: !is_down && requests > capacity,
                }
            })
            .collect();
        let over: Vec<String> = loads.iter().filter(|load| load.over).map(|load| load.node.clone()).collect();
        let first = steps.first().map_or(database, |step| step.database);
        let mut step = Step {
            fell: std::mem::take(&mut fell),
            down: down.clone(),
            loads,
            moved: moved as u64,
            hit_ratio,
            database,
            database_factor: (first > 0.0).then(|| database / first),
            database_over: database > ask.database_capacity,
            sentence: String::new(),
        };
        step.sentence = sentence(&step, &over, nobody);
        // What is over its capacity before anything failed is no consequence, and does not fall.
        let next = if steps.is_empty() { vec![ask.first.clone()] } else { over };
        steps.push(step);
        if next.is_empty() || nobody {
            break;
        }
        owners = Some(here);
        down.extend(next.iter().cloned());
        fell = next;
    }
    let sentence = ending(&steps, healthy.nodes.len());
    Ok(Cascade { steps, sentence })
}

fn check(ask: &Ask) -> Result<(), Refusal> {
    if !ask.state.fleet.has(&ask.first) {
        return Err(Refusal::new(format!("{:?} cannot fall: there is no such node", ask.first)));
    }
    if !(0.0..=1.0).contains(&ask.hit_ratio) {
        return Err(Refusal::new(format!("the hit ratio {} is not between 0 and 1", ask.hit_ratio)));
    }
    let amounts = [
        ("rate of requests", ask.requests),
        ("capacity of a node", ask.node_capacity),
        ("capacity of the database", ask.database_capacity),
    ];
    match amounts.iter().find(|(_, amount)| !(*amount >= 0.0 && *amount <= 1e12)) {
        Some((what, amount)) => Err(Refusal::new(format!("the {what} {amount} is not between 0 and 10^12"))),
        None => Ok(()),
    }
}

fn sentence(step: &Step, over: &[String], nobody: bool) -> String {
    let mut text = if step.fell.is_empty() {
        if over.is_empty() { "All is well." } else { "Nothing has failed yet." }.to_owned()
    } else {
        let falls = if step.fell.len() == 1 { "falls" } else { "fall" };
        format!("{} {falls}.", list(&step.fell))
    };
    if nobody {
        text += " No node is left.";
    } else if step.moved > 0 {
        text += &format!(
            " The others take its keys: {} miss once, and the hit ratio is {}.",
            grouped(step.moved),
            percent(step.hit_ratio)
        );
        if step.fell.len() > 1 {
            text = text.replace("take its keys", "take their keys");
        }
    }
    text += &format!(" The database gets {} requests a second", grouped(step.database.round() as u64));
    if step.database_over {
        text += ", more than it takes";
    }
    text.push('.');
    if !over.is_empty() {
        let is = if over.len() == 1 { "has" } else { "have" };
        text += &format!(" {} {is} more than a node takes.", list(over));
    }
    text
}

fn ending(steps: &[Step], nodes: usize) -> String {
    let Some(last) = steps.last() else { return String::new() };
    let after = crate::sentence::many(steps.len() as u64 - 1, "step", "steps");
    let mut text = if last.down.len() == nodes {
        format!("After {after} no node is left.")
    } else {
        format!("After {after} it ends, with {} of {nodes} down.", last.down.len())
    };
    let worst = steps.iter().map(|step| step.database).fold(0.0, f64::max);
    let over = if steps.iter().any(|step| step.database_over) { ", more than it takes" } else { "" };
    text += &format!(" The database had up to {} requests a second{over}.", grouped(worst.round() as u64));
    text
}
