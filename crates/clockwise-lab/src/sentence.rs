//! Sentences that name what happened. They are written here, so that the page, the tests and whoever
//! reads the figures elsewhere say the same.

use std::fmt::Write as _;

use crate::figures::Change;
use crate::layout::Layout;
use crate::state::{Fleet, SchemeName};

/// How many names a sentence lists.
const LISTED: usize = 4;

/// What the state shows: the change and what it moved, or how the keys lie.
pub(crate) fn figures(
    layout: &Layout<'_>,
    change: Option<&Change>,
    displaced: u64,
    unanswered: u64,
) -> String {
    let state = layout.state;
    let total = layout.keys.len() as u64;
    let unit = state.keys.unit();
    let mut text = match (state.history.last(), change) {
        (Some(before), Some(change)) => moved(before, &state.fleet, change, &units(total, unit)),
        _ => standing(layout),
    };
    if displaced > 0 {
        let _ = write!(
            text,
            " {} past a full node to the next with room.",
            format_args!("{} {}", units(displaced, unit), if displaced == 1 { "walks" } else { "walk" })
        );
    }
    if !state.down.is_empty() {
        let is = if state.down.len() == 1 { "is" } else { "are" };
        let _ = write!(text, " {} {is} down", list(&state.down));
        text += &match unanswered {
            0 => "; the next in line answers, and nothing changes its owner.".to_owned(),
            keys => format!("; nobody answers for {}.", units(keys, unit)),
        };
    }
    text
}

/// A page on which nothing has changed yet.
fn standing(layout: &Layout<'_>) -> String {
    let fleet = &layout.state.fleet;
    let counts = layout.now.counts(layout.names.len());
    let busiest = fleet.nodes.iter().enumerate().max_by_key(|(at, _)| (counts[*at], std::cmp::Reverse(*at)));
    let mut text = format!(
        "{} on {}.",
        units(layout.keys.len() as u64, layout.state.keys.unit()),
        many(fleet.nodes.len() as u64, "node", "nodes")
    );
    if let Some((at, node)) = busiest {
        let _ = write!(text, " {} has the most, {}.", node.name, grouped(counts[at]));
    }
    text
}

/// `total` says how many there are of what.
fn moved(before: &Fleet, now: &Fleet, change: &Change, total: &str) -> String {
    let mut text = format!("{}: ", what_changed(before, now));
    if change.moved == 0 {
        let _ = write!(text, "none of {total} moved");
    } else {
        let _ = write!(text, "{} of {total} moved", grouped(change.moved));
        text += &flows(change);
    }
    text += match (change.stray, change.moved) {
        (0, 0) => ".".to_owned(),
        (0, _) => "; none of them for nothing.".to_owned(),
        (stray, moved) if stray == moved => "; all of them for nothing.".to_owned(),
        (stray, _) => format!("; {} of them for nothing.", grouped(stray)),
    }
    .as_str();
    if change.fair > 0.0 {
        let _ = write!(text, " A perfectly even split would move {}.", decimal(change.fair));
    }
    text
}

/// Where they went, where that is worth telling.
fn flows(change: &Change) -> String {
    let ends = |of: fn(&crate::figures::Flow) -> &str| {
        let mut ends: Vec<(&str, u64)> = Vec::new();
        for flow in &change.flows {
            match ends.iter_mut().find(|(name, _)| *name == of(flow)) {
                Some((_, keys)) => *keys += flow.keys,
                None => ends.push((of(flow), flow.keys)),
            }
        }
        ends
    };
    let (from, to) = (ends(|flow| &flow.from), ends(|flow| &flow.to));
    let told = |ends: &[(&str, u64)]| {
        let parts: Vec<String> =
            ends.iter().map(|(name, keys)| format!("{} {name}", grouped(*keys))).collect();
        parts
    };
    match (from.as_slice(), to.as_slice()) {
        ([(from, _)], [(to, _)]) => format!(", all from {from} to {to}"),
        (from, [(to, _)]) if from.len() <= LISTED => {
            format!(
                ", all to {to}: {}",
                list(&told(from).iter().map(|part| part.replacen(' ', " from ", 1)).collect::<Vec<_>>())
            )
        }
        (_, [(to, _)]) => format!(", all to {to}, from {} nodes", from.len()),
        ([(from, _)], to) if to.len() <= LISTED => {
            format!(
                ", all from {from}: {}",
                list(&told(to).iter().map(|part| part.replacen(' ', " to ", 1)).collect::<Vec<_>>())
            )
        }
        ([(from, _)], to) => format!(", all from {from}, to {} nodes", to.len()),
        _ => String::new(),
    }
}

/// The change itself: "E joined".
pub(crate) fn what_changed(before: &Fleet, now: &Fleet) -> String {
    let joined: Vec<&str> =
        now.nodes.iter().filter(|node| !before.has(&node.name)).map(|node| node.name.as_str()).collect();
    let left: Vec<&str> =
        before.nodes.iter().filter(|node| !now.has(&node.name)).map(|node| node.name.as_str()).collect();
    let mut parts = Vec::new();
    if !left.is_empty() {
        parts.push(format!("{} left", list(&left)));
    }
    if !joined.is_empty() {
        parts.push(format!("{} joined", list(&joined)));
    }
    for node in &now.nodes {
        let Some(was) = before.nodes.iter().find(|was| was.name == node.name) else { continue };
        match (was.weight, node.weight) {
            (was, now) if was == now => {}
            (_, 0) => parts.push(format!("{} drains", node.name)),
            (_, weight) => parts.push(format!("{} weighs {}", node.name, grouped(weight.into()))),
        }
    }
    settings(before, now, &mut parts);
    let kept = |fleet: &Fleet, other: &Fleet| -> Vec<String> {
        let kept = fleet.nodes.iter().filter(|node| other.has(&node.name));
        kept.map(|node| node.name.clone()).collect()
    };
    if parts.is_empty() && kept(before, now) != kept(now, before) {
        parts.push("The order changed".to_owned());
    }
    if parts.is_empty() {
        parts.push("Nothing changed".to_owned());
    }
    let mut text = parts.join(", ");
    // Names keep their letters; our own words begin a sentence.
    if text.starts_with("by ") {
        text.replace_range(..1, "B");
    }
    text
}

/// Which settings changed.
fn settings(before: &Fleet, now: &Fleet, parts: &mut Vec<String>) {
    if before.scheme != now.scheme {
        parts.push(format!("by {} instead of {}", said(now.scheme), said(before.scheme)));
    } else if before.product != now.product && now.scheme == SchemeName::Product {
        parts.push("The settings changed".to_owned());
    }
    let has_points = |fleet: &Fleet| matches!(fleet.scheme, SchemeName::Ring | SchemeName::Bounded);
    if has_points(before) && has_points(now) && before.tokens != now.tokens {
        parts.push(format!(
            "{} a node instead of {}",
            many(now.tokens.into(), "token", "tokens"),
            grouped(before.tokens.into())
        ));
    }
    let hashed = |fleet: &Fleet| fleet.scheme != SchemeName::Product;
    if hashed(before) && hashed(now) && before.hash != now.hash {
        parts.push(format!("hash {} instead of {}", now.hash, before.hash));
    }
    let bounded = |fleet: &Fleet| fleet.scheme == SchemeName::Bounded;
    if bounded(before) && bounded(now) && before.epsilon != now.epsilon {
        parts.push(format!("\u{3b5} {} instead of {}", now.epsilon, before.epsilon));
    }
}

/// A scheme inside a sentence.
fn said(scheme: SchemeName) -> &'static str {
    match scheme {
        SchemeName::ModN => "hash mod N",
        SchemeName::Ring => "the ring",
        SchemeName::Rendezvous => "rendezvous",
        SchemeName::Jump => "jump",
        SchemeName::Maglev => "Maglev",
        SchemeName::Bounded => "bounded loads",
        SchemeName::Slots => "fixed slots",
        SchemeName::Product => "the product's own rule",
        SchemeName::Catalogued(_) => scheme.title(),
    }
}

/// "A", "A and B", "A, B and C", "A, B, C and 4 more".
pub(crate) fn list(names: &[impl AsRef<str>]) -> String {
    let shown = if names.len() > LISTED + 1 { LISTED } else { names.len() };
    let (shown, rest) = names.split_at(shown);
    let mut shown: Vec<String> = shown.iter().map(|name| name.as_ref().to_owned()).collect();
    if !rest.is_empty() {
        shown.push(format!("{} more", grouped(rest.len() as u64)));
    }
    match shown.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

/// "1 key", "2,000 keys".
pub(crate) fn many(number: u64, one: &str, more: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{} {more}", grouped(number)) }
}

/// "1 key", "72 requests".
fn units(number: u64, unit: &str) -> String {
    many(number, unit, &format!("{unit}s"))
}

/// `100,000`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// At most one decimal: `9.6`, `12`, `20,000`.
pub(crate) fn decimal(number: f64) -> String {
    let tenths = (number * 10.0).round() as u64;
    let whole = grouped(tenths / 10);
    match tenths % 10 {
        0 => whole,
        tenth => format!("{whole}.{tenth}"),
    }
}

/// `80.0%`.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1}%", share * 100.0)
}
