//! Everything that the lab's page shows, computed: one function from a request to an answer.
//!
//! The page draws and computes no placement. Its figures come from [`handle`], which runs in the browser
//! as WebAssembly, in `clockwise lab` and in the tests, and is the same code in all three. What it knows
//! of placement it has from `clockwise` and `clockwise-config`: a configuration that is pasted is read
//! as the tool reads it, and the ring that is drawn is its product's.
//!
//! ```
//! let answer = clockwise_lab::handle(br#"{"op": "figures", "state": {
//!     "fleet": {"nodes": [{"name": "A"}, {"name": "B"}, {"name": "C"}, {"name": "D"}, {"name": "E"}]},
//!     "history": [{"nodes": [{"name": "A"}, {"name": "B"}, {"name": "C"}, {"name": "D"}]}]}}"#);
//! assert!(answer.json.contains("E joined: 7 of 48 keys moved, all from C to E"));
//! ```
//!
//! # Requests
//!
//! A request is a JSON object with `op` and what that takes. Types in full, for the page:
//! `web/lab/src/api.ts`, which a test of this crate holds to the types here.
//!
//! | `op` | takes | gives |
//! |---|---|---|
//! | `about` | | [`About`]: schemes, hashes, limits, the first page's [`State`] |
//! | `figures` | `state` | [`Figures`](figures::Figures) and arrays |
//! | `compare` | `state`, `pattern`, `schemes` | [`Comparison`](compare::Comparison): the change under every scheme |
//! | `key` | `state`, `key` | [`KeyFigures`](key::KeyFigures): hash, token, owner, replicas, walk, why |
//! | `cascade` | `state`, `first`, rates and capacities | [`Cascade`](cascade::Cascade), step by step |
//! | `clients` | `state` | [`Clients`](clients::Clients): two epochs and the keys they disagree on |
//! | `import` | `text`, `name`, `pool`, `placement` | [`Import`](import::Import): the fleet of a configuration |
//! | `keys` | `text`, `name` | [`KeyFile`](keys::KeyFile) and an array: the keys of a file |
//! | `encode` | `state` | [`Link`]: a [text] for the fragment of an address |
//! | `decode` | `text` | [`State`] |
//! | `command` | `state` | [`Command`](command::Command): the `clockwise plan` of the same answer |
//!
//! The answer's document is `{"ok": …, "arrays": […]}` or `{"error": "…"}`; see [`Answer`].
#![forbid(unsafe_code)]

mod about;
pub mod answer;
pub mod cascade;
pub mod clients;
pub mod command;
pub mod compare;
pub mod figures;
pub mod import;
pub mod key;
pub mod keys;
mod layout;
mod refusal;
mod sentence;
pub mod state;
pub mod text;

use serde::{Deserialize, Serialize};

pub use about::About;
pub use answer::{Answer, Array, Values};
pub use refusal::Refusal;
pub use state::State;

/// What is asked.
#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "kebab-case")]
enum Request {
    About,
    Figures(Of),
    Compare(compare::Ask),
    Key(key::Ask),
    Cascade(cascade::Ask),
    Clients(clients::Ask),
    Import(import::Ask),
    Keys(keys::Ask),
    Encode(Of),
    Decode(Text),
    Command(Of),
}

/// A question about a state alone.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Of {
    state: State,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    text: String,
}

/// A state as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Link {
    /// What follows the `#` of an address.
    pub text: String,
}

/// Answers a request. Total: what cannot be answered is answered with why.
pub fn handle(request: &[u8]) -> Answer {
    match answered(request) {
        Ok(answer) => answer,
        Err(refusal) => Answer {
            json: serde_json::json!({ "error": refusal.to_string() }).to_string(),
            arrays: Vec::new(),
        },
    }
}

fn answered(request: &[u8]) -> Result<Answer, Refusal> {
    let request = serde_json::from_slice(request)
        .map_err(|error| Refusal::new(format!("the request cannot be read: {error}")))?;
    match request {
        Request::About => document(&About::new(), Vec::new()),
        Request::Figures(of) => {
            let (figures, arrays) = figures::figures(&of.state)?;
            document(&figures, arrays)
        }
        Request::Compare(ask) => document(&compare::compare(&ask)?, Vec::new()),
        Request::Key(ask) => document(&key::key(&ask)?, Vec::new()),
        Request::Cascade(ask) => document(&cascade::cascade(&ask)?, Vec::new()),
        Request::Clients(ask) => document(&clients::clients(&ask)?, Vec::new()),
        Request::Import(ask) => document(&import::import(&ask)?, Vec::new()),
        Request::Keys(ask) => {
            let (keys, arrays) = keys::keys(&ask)?;
            document(&keys, arrays)
        }
        Request::Encode(of) => document(&Link { text: text::encode(&of.state)? }, Vec::new()),
        Request::Decode(Text { text }) => document(&text::decode(&text)?, Vec::new()),
        Request::Command(of) => document(&command::command(&of.state)?, Vec::new()),
    }
}

/// An answer that holds a value.
fn document(value: &impl Serialize, arrays: Vec<Array>) -> Result<Answer, Refusal> {
    #[derive(Serialize)]
    struct Document<'a, T> {
        ok: &'a T,
        arrays: Vec<Named>,
    }
    #[derive(Serialize)]
    struct Named {
        name: &'static str,
        r#type: &'static str,
    }
    let named = arrays.iter().map(|array| Named { name: array.name, r#type: array.kind() }).collect();
    let json = serde_json::to_string(&Document { ok: value, arrays: named })
        .map_err(|error| Refusal::new(error.to_string()))?;
    Ok(Answer { json, arrays })
}
