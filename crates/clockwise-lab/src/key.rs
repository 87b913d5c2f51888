//! One key under the lens: its hash, where that falls, who owns it, and why.

use clockwise::dialect::lab;
use clockwise::hash::{KeyHash, Width, Xxh3};
use clockwise::{Asked, Built, Drawn, Placement, Replicas, Skeleton, Spread, asked, route_ix};
use serde::{Deserialize, Serialize};

use crate::Refusal;
use crate::layout::{KeyTurn, Layout};
use crate::sentence::{grouped, list, many};
use crate::state::{Keys, SchemeName, State};

/// The most nodes that a preference list or a table of scores shows.
const SHOWN: usize = 64;

/// What is asked.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// The state.
    pub state: State,
    /// The key; it need not be one of the state's.
    pub key: String,
}

/// A key.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KeyFigures {
    /// The key.
    pub key: String,
    /// The name of its hash.
    pub hash_name: String,
    /// Its hash in hexadecimal digits, as many as the hash is wide.
    pub hash: String,
    /// Where it lies around the circle, 0 to 1 clockwise from the top.
    pub turn: f64,
    /// The same in degrees.
    pub degrees: f64,
    /// Its owner; under bounded loads where it finds room.
    pub owner: String,
    /// Its owner before the change, if there was one.
    pub was: Option<String>,
    /// Who answers for it, if anyone: another than the owner while that is down.
    pub answering: Option<String>,
    /// The token that it falls to, on a ring.
    pub token: Option<Token>,
    /// The slot or bucket that it falls to, in a table.
    pub slot: Option<Slot>,
    /// The nodes in the order in which the key prefers them, where the scheme has one.
    pub preference: Vec<String>,
    /// The nodes that hold it.
    pub replicas: Vec<String>,
    /// Why no replicas can be named; empty where they are.
    pub replicas_refused: String,
    /// Under rendezvous the score of every node, the highest first.
    pub scores: Vec<Score>,
    /// Under bounded loads the nodes it asked, each with what it held; the last had room.
    pub walk: Vec<Step>,
    /// Why it is where it is, sentence by sentence.
    pub why: Vec<String>,
}

/// A token.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Token {
    /// The text that it is the hash of; empty on a product's ring.
    pub text: String,
    /// Whose it is.
    pub node: String,
    /// Its position in hexadecimal digits.
    pub hash: String,
    /// The same as a part of the circle.
    pub turn: f64,
    /// The same in degrees.
    pub degrees: f64,
}

/// A slot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Slot {
    /// Its number, from 0.
    pub number: u64,
    /// How many there are.
    pub of: u64,
}

/// A node's score.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Score {
    /// The node.
    pub node: String,
    /// The text that it is the hash of.
    pub text: String,
    /// The hash in hexadecimal digits.
    pub hash: String,
}

/// A node that was asked for room.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// The node.
    pub node: String,
    /// The keys it held.
    pub load: u64,
    /// The most it may hold.
    pub limit: u64,
    /// Whether it had no room.
    pub full: bool,
}

/// All there is to say of a key.
pub fn key(ask: &Ask) -> Result<KeyFigures, Refusal> {
    let state = &ask.state;
    state.check()?;
    // Where no load decides, a key goes where it goes whatever others there are.
    let alone = State {
        keys: Keys { pattern: String::new(), list: vec![ask.key.clone()], hot: None },
        ..state.clone()
    };
    let mut layout = Layout::new(&alone)?;
    if [Some(&layout.now), layout.before.as_ref()].iter().flatten().any(|side| side.built.cap().is_some()) {
        layout = Layout::new(state)?;
    }
    let (key, fleet, built) = (ask.key.as_str(), &state.fleet, &layout.now.built);
    let place = KeyTurn::new(fleet, built);
    let number = place.hash().hash(key.as_bytes());
    let walk = walk(&layout, key);
    let first = layout.now.name(built.owner_ix(key.as_bytes())).to_owned();
    let owner = walk.last().map_or(first, |step| step.node.clone());
    let was = layout.before.as_ref().map(|side| {
        let held = layout.keys.iter().rposition(|held| held == key);
        let owner = held.map_or_else(|| side.built.owner_ix(key.as_bytes()), |at| side.owners[at]);
        side.name(owner).to_owned()
    });
    let preference: Vec<String> = built
        .ranked()
        .map(|ranked| ranked.preference(key.as_bytes(), SHOWN))
        .into_iter()
        .flatten()
        .map(|server| layout.now.name(server).to_owned())
        .collect();
    let (replicas, replicas_refused) = match replicas(&layout, key) {
        Ok(replicas) => (replicas, String::new()),
        Err(refusal) => (Vec::new(), refusal.to_string()),
    };
    let held = layout.keys.iter().rposition(|held| held == key);
    let answering = match held {
        // Under bounded loads others go to where there is room as well, so all of them are looked at.
        Some(at) if built.cap().is_some() => {
            layout.answering()?.get(at).copied().flatten().map(|node| layout.names[node].clone())
        }
        _ if state.down.contains(&owner) => {
            route_ix(built, key, &layout.down()).server().map(|server| layout.now.name(server).to_owned())
        }
        _ => Some(owner.clone()),
    };
    let turn = place.of_hash(number);
    let mut figures = KeyFigures {
        key: key.to_owned(),
        hash_name: place.hash().name().into_owned(),
        hash: hex(number, place.hash().width()),
        turn,
        degrees: turn * 360.0,
        owner,
        was,
        answering,
        token: token(&layout, &place, number),
        slot: built
            .table()
            .map(|table| Slot { number: table.slot_of_hash(number) as u64, of: table.len() as u64 }),
        preference,
        replicas,
        replicas_refused,
        scores: scores(&layout, key),
        walk,
        why: Vec::new(),
    };
    figures.why = why(&layout, &figures, number);
    Ok(figures)
}

fn hex(number: u64, width: Width) -> String {
    match width {
        Width::Bits32 => format!("{number:08x}"),
        Width::Bits64 => format!("{number:016x}"),
    }
}

fn token(layout: &Layout<'_>, place: &KeyTurn<'_>, number: u64) -> Option<Token> {
    let ring = layout.now.built.ring()?;
    let position = ring.position_of_hash(number);
    let server = ring.owner_of_hash(number);
    let text = layout.state.fleet.lab().and_then(|lab| {
        let server = &layout.now.built.servers()[server.index()];
        lab.point_text_at(server, position)
    });
    let turn = place.of_hash(position).min(1.0);
    Some(Token {
        text: text.unwrap_or_default(),
        node: layout.now.name(server).to_owned(),
        hash: hex(position, place.hash().width()),
        turn,
        degrees: turn * 360.0,
    })
}

fn scores(layout: &Layout<'_>, key: &str) -> Vec<Score> {
    let fleet = &layout.state.fleet;
    let Some(lab) = fleet.lab().filter(|lab| lab.algorithm == lab::Algorithm::Rendezvous) else {
        return Vec::new();
    };
    let active = fleet.nodes.iter().filter(|node| node.weight > 0);
    let mut scores: Vec<(u64, Score)> = active
        .map(|node| {
            let text = lab::score_text(key, &node.name);
            let score = lab.hash.hash(text.as_bytes());
            (score, Score { node: node.name.clone(), text, hash: hex(score, lab.hash.width()) })
        })
        .collect();
    scores.sort_by(|(a, one), (b, other)| b.cmp(a).then_with(|| one.node.cmp(&other.node)));
    scores.into_iter().take(SHOWN).map(|(_, score)| score).collect()
}

/// The nodes that a key asks for room: as it came last among the state's keys, or as one more.
fn walk(layout: &Layout<'_>, key: &str) -> Vec<Step> {
    let now = &layout.now;
    let (Some(cap), Some(ranked)) = (now.built.cap(), now.built.ranked()) else { return Vec::new() };
    let keys = layout.keys.len();
    let held = layout.keys.iter().rposition(|held| held == key);
    let (before, total) = held.map_or((keys, keys + 1), |at| (at, keys));
    let mut loads = vec![0_u64; now.built.servers().len()];
    for owner in &now.owners[..before] {
        loads[owner.index()] += 1;
    }
    let step = |asked: Asked| Step {
        node: now.name(asked.server).to_owned(),
        load: asked.load,
        limit: asked.limit,
        full: !asked.has_room(),
    };
    asked(ranked, key, cap, &loads, total as u64).into_iter().map(step).collect()
}

fn replicas(layout: &Layout<'_>, key: &str) -> Result<Vec<String>, Refusal> {
    let state = layout.state;
    let Some(ranked) = layout.now.built.ranked() else {
        return match state.replicas {
            1 => Ok(vec![layout.now.name(layout.now.built.owner_ix(key.as_bytes())).to_owned()]),
            _ => Err(Refusal::new("the scheme names one node for a key, and no next one")),
        };
    };
    let spread = if state.spread { Spread::Zones } else { Spread::Servers };
    let replicas = Replicas::new(ranked, state.replicas, spread)?;
    Ok(replicas.of(key).into_iter().map(|server| layout.now.name(server).to_owned()).collect())
}

fn why(layout: &Layout<'_>, key: &KeyFigures, number: u64) -> Vec<String> {
    let fleet = &layout.state.fleet;
    let hashed = hashed(key);
    let mut why = match (fleet.scheme, &key.token, &key.slot) {
        (SchemeName::Rendezvous, ..) => rendezvous(key, layout),
        (SchemeName::ModN, _, Some(slot)) => vec![
            format!("{hashed}, which is {number}."),
            format!(
                "{number} mod {} is {}: place {} of the list, counted from 0, is {}'s.",
                slot.of, slot.number, slot.number, key.owner
            ),
        ],
        (SchemeName::Jump, ..) => vec![
            format!("{hashed}."),
            format!(
                "From that number, jump hash over {} ends at {}.",
                many(fleet.total_weight(), "bucket", "buckets"),
                key.owner
            ),
        ],
        (SchemeName::Catalogued("skeleton"), ..) => {
            [Some(format!("{hashed}.")), skeleton(key, layout, number)].into_iter().flatten().collect()
        }
        (SchemeName::Catalogued(_), ..) => vec![
            format!("{hashed}."),
            format!("From that number, {} names {}.", fleet.scheme.title(), key.owner),
        ],
        (_, Some(token), _) => vec![
            format!("{hashed}, {:.1}\u{b0} clockwise from the top.", key.degrees),
            if token.text.is_empty() {
                format!("The token that it falls to, at {:.1}\u{b0}, is {}'s.", token.degrees, token.node)
            } else {
                format!(
                    "The first token at or after it is {} at {:.1}\u{b0}{}, so {} owns it.",
                    token.text,
                    token.degrees,
                    if token.turn < key.turn { ", past the top" } else { "" },
                    token.node
                )
            },
        ],
        (_, None, Some(slot)) => vec![
            format!("{hashed}."),
            format!(
                "Modulo {} that is slot {}, which is {}'s.",
                grouped(slot.of),
                grouped(slot.number),
                key.owner
            ),
        ],
        (_, None, None) => vec![
            format!("The rule of its product gives {:?} to {}.", key.key, key.owner),
            format!("Where it is drawn says nothing of that: {hashed}."),
        ],
    };
    if let Some((room, full)) = key.walk.split_last().filter(|(_, full)| !full.is_empty()) {
        let full: Vec<String> = full
            .iter()
            .map(|step| format!("{} ({} of {})", step.node, grouped(step.load), grouped(step.limit)))
            .collect();
        let is = if full.len() == 1 { "is" } else { "are" };
        why.push(format!(
            "{} {is} full, so it walks on to {}, which holds {} of {}.",
            list(&full),
            room.node,
            grouped(room.load),
            grouped(room.limit)
        ));
    }
    if let Some(was) = key.was.as_ref().filter(|was| **was != key.owner) {
        why.push(format!("Before the change it was on {was}."));
    }
    match &key.answering {
        Some(answering) if *answering != key.owner => {
            why.push(format!("{} is down; {answering}, the next in its order, answers.", key.owner));
        }
        None => why.push(format!("{} is down, and nobody answers for it.", key.owner)),
        Some(_) => {}
    }
    why
}

/// "H of K is N". What a hash does beside its function stands behind the name in brackets.
fn hashed(key: &KeyFigures) -> String {
    let name = match key.hash_name.split_once(", ") {
        Some((function, rest)) => format!("{function} ({rest})"),
        None => key.hash_name.clone(),
    };
    format!("{name} of {:?} is {}", key.key, key.hash)
}

/// So many empty places are named.
const EMPTY_SHOWN: usize = 4;

/// The places that a key draws until one is not empty.
fn skeleton(key: &KeyFigures, layout: &Layout<'_>, number: u64) -> Option<String> {
    let Built::Catalogued(placed) = layout.now.built.bare() else { return None };
    let tried: Vec<Drawn> = Skeleton::new(placed.key_hash(), placed.log()?).ok()?.tried(number).collect();
    let (last, empty) = tried.split_last()?;
    let groups = placed.servers().len().div_ceil(Skeleton::<Xxh3>::PLACES as usize);
    let place = |drawn: &Drawn| match groups {
        1 => drawn.place.to_string(),
        _ => format!("{} of group {}", drawn.place, drawn.group),
    };
    let (shown, more) = empty.split_at(empty.len().min(EMPTY_SHOWN));
    let mut shown: Vec<String> = shown.iter().map(place).collect();
    if !more.is_empty() {
        shown.push(many(more.len() as u64, "more", "more"));
    }
    let drawn = match shown.len() {
        0 => "first".to_owned(),
        1 => format!("{}, which is empty, and then", shown[0]),
        _ => format!("{}, which are empty, and then", list(&shown)),
    };
    let of = match groups {
        1 => format!("Of the group's {} places", Skeleton::<Xxh3>::PLACES),
        _ => format!("Of the {} places in each of {groups} groups", Skeleton::<Xxh3>::PLACES),
    };
    Some(format!("{of} it draws {drawn} {}, which is {}'s.", place(last), key.owner))
}

fn rendezvous(key: &KeyFigures, layout: &Layout<'_>) -> Vec<String> {
    let Some(best) = key.scores.first() else { return Vec::new() };
    let mut active = layout.state.fleet.nodes.iter().map(|node| node.weight).filter(|weight| *weight > 0);
    let first = active.next();
    if active.all(|weight| Some(weight) == first) {
        let hashed = format!(
            "Of the hashes of {:?} with each node's name, {}'s is the highest: {} of {}.",
            key.key, best.node, best.hash, best.text
        );
        return vec![hashed, format!("So {} owns it.", key.owner)];
    }
    vec![
        format!("Each node's score is a hash of {:?} with its name, and counts by its weight.", key.key),
        format!("By \u{2212}ln(score) \u{f7} weight, the lowest is {}'s.", key.owner),
    ]
}
