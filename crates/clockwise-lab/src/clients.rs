//! Two clients on different epochs: one has heard of the last change, the other has not.

use serde::{Deserialize, Serialize};

use crate::Refusal;
use crate::layout::{Layout, fingerprint};
use crate::sentence::{grouped, list, many, what_changed};
use crate::state::State;

/// The most keys that are listed.
const SHOWN: usize = 500;

/// What is asked.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// The state: the fleet before the last change is what the first client still has.
    pub state: State,
}

/// What they agree on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Clients {
    /// The epoch of the client that is behind, from 1.
    pub old_epoch: u64,
    /// The epoch of the one that is not.
    pub new_epoch: u64,
    /// What the first would show for comparison.
    pub old_fingerprint: String,
    /// What the other would.
    pub new_fingerprint: String,
    /// The number of keys.
    pub total: u64,
    /// How many they disagree on.
    pub disagree: u64,
    /// The first 500 of those.
    pub keys: Vec<Disagreement>,
    /// The same for a person.
    pub sentence: String,
}

/// A key and where each client looks for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Disagreement {
    /// The key.
    pub key: String,
    /// Its owner as the client sees it that is behind.
    pub old: String,
    /// Its owner as the other does.
    pub new: String,
}

/// Sets both clients side by side.
pub fn clients(ask: &Ask) -> Result<Clients, Refusal> {
    let mut state = ask.state.clone();
    state.down.clear();
    let layout = Layout::new(&state)?;
    let (Some(before), Some(last)) = (&layout.before, state.history.last()) else {
        return Err(Refusal::new("nothing has changed yet, so there is one epoch"));
    };
    let now = &layout.now;
    let pairs = before.owners.iter().zip(&now.owners).map(|(old, new)| (before.name(*old), now.name(*new)));
    let differ = layout.keys.iter().zip(pairs).filter(|(_, (old, new))| old != new);
    let all: Vec<(&String, (&str, &str))> = differ.collect();
    let new_epoch = state.history.len() as u64 + 1;
    let total = layout.keys.len() as u64;
    let names: Vec<&str> = all.iter().map(|(key, _)| key.as_str()).collect();
    let mut sentence = format!(
        "One client is on epoch {}, the other on {new_epoch} ({}).",
        new_epoch - 1,
        what_changed(last, &state.fleet)
    );
    sentence += &match names.len() as u64 {
        0 => format!(" They agree on all {}.", many(total, "key", "keys")),
        disagree => format!(
            " They disagree on {} of {}: {}. What one writes there, the other does not find.",
            grouped(disagree),
            many(total, "key", "keys"),
            list(&names)
        ),
    };
    Ok(Clients {
        old_epoch: new_epoch - 1,
        new_epoch,
        old_fingerprint: fingerprint(before),
        new_fingerprint: fingerprint(now),
        total,
        disagree: all.len() as u64,
        keys: all
            .into_iter()
            .take(SHOWN)
            .map(|(key, (old, new))| Disagreement {
                key: key.clone(),
                old: old.to_owned(),
                new: new.to_owned(),
            })
            .collect(),
        sentence,
    })
}
