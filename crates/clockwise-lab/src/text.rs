//! A state as one line of text for the fragment of an address: readable, compact, and with a version.
//!
//! `v1&f=A,B,C,D,E&b=A,B,C,D` is the first page after E joined. Fields are divided by `&`:
//!
//! | field | holds |
//! |---|---|
//! | `v1` | the version, first |
//! | `f` | the fleet: nodes divided by `,`, then settings, each after `;` |
//! | `b` | an earlier fleet, the oldest first; any number |
//! | `k` | the pattern of keys; `user:1..48` unless said |
//! | `l` | the keys one by one, divided by `,` |
//! | `h` | a hot key: how many times more, `*`, the key |
//! | `r` | replicas; 1 unless said |
//! | `z` | `1`: replicas are spread over zones |
//! | `d` | nodes that are down, divided by `,` |
//!
//! A node is its name, then `*` and its weight, `@` and its zone, `=` and its address, where they are not
//! 1, none and the name. Settings are `s` scheme, `h` hash, `t` tokens, `e` ε, `n` slots, `m` table, `p`
//! the settings of a product; those of the first page are not written. Texts hold letters, digits and
//! `-._~:/` as they are; all else as `%` and two hexadecimal digits a byte of UTF-8.

use crate::Refusal;
use crate::state::{Fleet, Hot, Keys, MAX_HISTORY, Node, SchemeName, State};

/// The longest text.
pub const MAX_TEXT: usize = 200_000;

/// The version that is written.
const VERSION: &str = "v1";

/// Refuses what no address would hold.
fn too_long(length: usize) -> Result<(), Refusal> {
    if length <= MAX_TEXT {
        return Ok(());
    }
    Err(Refusal::new(format!("a link of {length} characters is too long to share: too many keys or nodes")))
}

/// A state as text.
pub fn encode(state: &State) -> Result<String, Refusal> {
    let mut text = format!("{VERSION}&f={}", fleet_text(&state.fleet));
    for fleet in &state.history {
        text += &format!("&b={}", fleet_text(fleet));
    }
    let keys = &state.keys;
    // A million keys are not written out to be refused.
    too_long(text.len() + keys.list.iter().map(|key| key.len() + 1).sum::<usize>())?;
    if keys.pattern.is_empty() {
        text += &format!("&l={}", join(&keys.list));
    } else if keys.pattern != Keys::default().pattern {
        text += &format!("&k={}", escaped(&keys.pattern));
    }
    if let Some(hot) = &keys.hot {
        text += &format!("&h={}*{}", hot.times, escaped(&hot.key));
    }
    if state.replicas != 1 {
        text += &format!("&r={}", state.replicas);
    }
    if state.spread {
        text += "&z=1";
    }
    if !state.down.is_empty() {
        text += &format!("&d={}", join(&state.down));
    }
    too_long(text.len())?;
    Ok(text)
}

/// The state of a text; of one that this lab did not write too, if it is of the form above. What it
/// holds is checked as a state.
pub fn decode(text: &str) -> Result<State, Refusal> {
    if text.len() > MAX_TEXT {
        return Err(Refusal::new("the link is too long"));
    }
    let mut fields = text.split('&');
    let version = fields.next().unwrap_or_default();
    if version != VERSION {
        return Err(Refusal::new(match version.strip_prefix('v').map(str::parse::<u32>) {
            Some(Ok(_)) => format!("the link is of version {version}, which this lab does not know"),
            _ => "this is no link of the lab: it does not begin with its version".to_owned(),
        }));
    }
    let mut state = State::default();
    let (mut fleet, mut seen, mut list) = (None, String::new(), None);
    for field in fields {
        let (name, value) = field.split_once('=').ok_or_else(|| bad("field", field))?;
        if name != "b" && seen.contains(name) {
            return Err(Refusal::new(format!("the link says {name:?} twice")));
        }
        match name {
            "f" => fleet = Some(fleet_of(value)?),
            "b" if state.history.len() >= MAX_HISTORY => return Err(bad("history of the length of", value)),
            "b" => state.history.push(fleet_of(value)?),
            "k" => state.keys.pattern = unescaped(value)?,
            "l" => list = Some(split(value)?),
            "h" => {
                let (times, key) = value.split_once('*').ok_or_else(|| bad("hot key", value))?;
                state.keys.hot = Some(Hot { times: number(times)?, key: unescaped(key)? });
            }
            "r" => state.replicas = number(value)? as usize,
            "z" if value == "1" => state.spread = true,
            "d" => state.down = split(value)?,
            _ => return Err(bad("field", field)),
        }
        seen += name;
    }
    if let Some(list) = list {
        if seen.contains('k') {
            return Err(Refusal::new("the link has a pattern of keys and a list"));
        }
        state.keys.pattern.clear();
        state.keys.list = list;
    }
    state.fleet = fleet.ok_or_else(|| Refusal::new("the link has no fleet"))?;
    state.check()?;
    Ok(state)
}

fn bad(what: &str, text: &str) -> Refusal {
    let shown: String = text.chars().take(40).collect();
    Refusal::new(format!("the link has a {what} {shown:?}, which means nothing"))
}

fn fleet_text(fleet: &Fleet) -> String {
    let nodes: Vec<String> = fleet.nodes.iter().map(node_text).collect();
    let mut text = nodes.join(",");
    let first = Fleet::default();
    let mut setting = |name: char, value: String, default: String| {
        if value != default {
            text += &format!(";{name}={value}");
        }
    };
    setting('s', fleet.scheme.name().to_owned(), first.scheme.name().to_owned());
    setting('h', escaped(&fleet.hash), escaped(&first.hash));
    setting('t', fleet.tokens.to_string(), first.tokens.to_string());
    setting('e', escaped(&fleet.epsilon), escaped(&first.epsilon));
    setting('n', fleet.slots.to_string(), first.slots.to_string());
    setting('m', fleet.table.to_string(), first.table.to_string());
    setting('p', escaped(&fleet.product), escaped(&first.product));
    text
}

fn fleet_of(text: &str) -> Result<Fleet, Refusal> {
    let mut parts = text.split(';');
    let nodes = parts.next().unwrap_or_default();
    let nodes = nodes.split(',').map(node_of).collect::<Result<_, _>>()?;
    let mut fleet = Fleet { nodes, ..Fleet::default() };
    let mut seen = String::new();
    for part in parts {
        let (name, value) = part.split_once('=').ok_or_else(|| bad("setting", part))?;
        if seen.contains(name) {
            return Err(bad("repeated setting", part));
        }
        match name {
            "s" => fleet.scheme = scheme_of(value)?,
            "h" => fleet.hash = unescaped(value)?,
            "t" => fleet.tokens = number(value)?,
            "e" => fleet.epsilon = unescaped(value)?,
            "n" => fleet.slots = number(value)?,
            "m" => fleet.table = number(value)?,
            "p" => fleet.product = unescaped(value)?,
            _ => return Err(bad("setting", part)),
        }
        seen += name;
    }
    Ok(fleet)
}

fn node_text(node: &Node) -> String {
    let mut text = escaped(&node.name);
    if node.weight != 1 {
        text += &format!("*{}", node.weight);
    }
    if !node.zone.is_empty() {
        text += &format!("@{}", escaped(&node.zone));
    }
    if !node.address.is_empty() {
        text += &format!("={}", escaped(&node.address));
    }
    text
}

fn node_of(text: &str) -> Result<Node, Refusal> {
    let (rest, address) = text.split_once('=').unwrap_or((text, ""));
    let (rest, zone) = rest.split_once('@').unwrap_or((rest, ""));
    let (name, weight) = match rest.split_once('*') {
        Some((name, weight)) => (name, number(weight)?),
        None => (rest, 1),
    };
    Ok(Node { name: unescaped(name)?, weight, zone: unescaped(zone)?, address: unescaped(address)? })
}

fn scheme_of(text: &str) -> Result<SchemeName, Refusal> {
    text.parse().map_err(|_| bad("scheme", text))
}

fn number(text: &str) -> Result<u32, Refusal> {
    let canonical = text == "0" || !text.starts_with('0');
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| canonical && digits).ok_or_else(|| bad("number", text))
}

fn join(texts: &[String]) -> String {
    texts.iter().map(|text| escaped(text)).collect::<Vec<_>>().join(",")
}

fn split(text: &str) -> Result<Vec<String>, Refusal> {
    text.split(',').map(unescaped).collect()
}

/// What stands for itself.
fn plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~:/".contains(&byte)
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        if plain(byte) {
            escaped.push(char::from(byte));
        } else {
            escaped += &format!("%{byte:02X}");
        }
    }
    escaped
}

fn unescaped(text: &str) -> Result<String, Refusal> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'%' => {
                let digit = |byte: Option<u8>| byte.and_then(|byte| char::from(byte).to_digit(16));
                let (high, low) = (digit(rest.next()), digit(rest.next()));
                let (high, low) = high.zip(low).ok_or_else(|| bad("text", text))?;
                bytes.push((high * 16 + low) as u8);
            }
            byte if plain(byte) => bytes.push(byte),
            _ => return Err(bad("text", text)),
        }
    }
    String::from_utf8(bytes).map_err(|_| bad("text", text))
}
