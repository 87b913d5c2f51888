//! The same change under every scheme, side by side.

use serde::{Deserialize, Serialize};

use crate::Refusal;
use crate::layout::Layout;
use crate::sentence;
use crate::state::{Fleet, Keys, SchemeName, State};

/// What is asked.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// The state: its change, its settings.
    pub state: State,
    /// The keys to count on, instead of the state's: `key:0..99999`.
    #[serde(default)]
    pub pattern: String,
    /// Only these schemes; all without any.
    #[serde(default)]
    pub schemes: Vec<SchemeName>,
}

/// A line a scheme.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// How many keys were counted.
    pub total: u64,
    /// The change: "E joined".
    pub change: String,
    /// The least that it has to move, as a part of all keys.
    pub fair: f64,
    /// The schemes.
    pub rows: Vec<Row>,
}

/// A scheme.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Its name in a state.
    pub scheme: SchemeName,
    /// Its name for people.
    pub title: &'static str,
    /// Keys that moved.
    pub moved: u64,
    /// Keys that moved for nothing.
    pub stray: u64,
    /// What moved, as a percentage of all keys for people: `20.1%`.
    pub percent: String,
    /// Keys on the busiest node ÷ its due share, before and now.
    pub busiest_before: f64,
    /// The same now.
    pub busiest_now: f64,
    /// Why it cannot be counted: a sentence, and then all numbers are 0. Empty where it was.
    pub refused: String,
}

/// Counts the last change of a state under each scheme. Without a change nothing moves.
pub fn compare(ask: &Ask) -> Result<Comparison, Refusal> {
    let mut state = ask.state.clone();
    state.down.clear();
    if !ask.pattern.is_empty() {
        state.keys = Keys::pattern(&ask.pattern);
    }
    if state.history.is_empty() {
        state.history.push(state.fleet.clone());
    }
    let mut schemes = ask.schemes.clone();
    if schemes.is_empty() {
        schemes = SchemeName::compared().collect();
        if state.fleet.scheme == SchemeName::Product {
            schemes.insert(0, SchemeName::Product);
        }
    }
    let mut fair = 0.0;
    let total = state.keys.count()?;
    let rows = schemes.into_iter().map(|scheme| {
        let mut state = state.clone();
        // Each scheme has the settings of the fleet as it is, for all that was before as well.
        state.fleet.scheme = scheme;
        for before in &mut state.history {
            *before = Fleet { nodes: std::mem::take(&mut before.nodes), ..state.fleet.clone() };
        }
        let row = Row {
            scheme,
            title: scheme.title(),
            moved: 0,
            stray: 0,
            percent: String::new(),
            busiest_before: 0.0,
            busiest_now: 0.0,
            refused: String::new(),
        };
        let layout = match Layout::new(&state) {
            Ok(layout) => layout,
            Err(refusal) => return Row { refused: refusal.to_string(), ..row },
        };
        let Some(moves) = layout.moves() else { return row };
        fair = moves.minimum().as_f64();
        let busiest = moves.busiest_over_mean_of_keys();
        Row {
            moved: moves.moved().keys,
            stray: moves.stray().keys,
            percent: sentence::percent(moves.moved().keys as f64 / total as f64),
            busiest_before: busiest.map_or(0.0, |busiest| busiest.before),
            busiest_now: busiest.map_or(0.0, |busiest| busiest.after),
            ..row
        }
    });
    let rows = rows.collect();
    let change =
        state.history.last().map_or_else(String::new, |was| sentence::what_changed(was, &state.fleet));
    Ok(Comparison { total, change, fair, rows })
}
