//! How keys are placed: `[placement]` of our own files.
//!
//! Each scheme stands here once with its keys, read and written side by side; dialects have a table
//! of their own.

use std::fmt::Display;
use std::str::FromStr;
use std::sync::LazyLock;

use clockwise::catalogue::{self, Chosen, Entry as Catalogued};
use clockwise::hash::{NamedHash, RedisSlot};
use clockwise::maglev::{MAX_TABLE_SIZE, TABLE_SIZE};
use clockwise::ring::POINTS_PER_WEIGHT;
use clockwise::slots::MAX_SLOTS;
use clockwise::{Cap, Error, KeyPrefix, Scheme};

use crate::diagnostic::quoted;
use crate::dialect::{self, DIALECTS, Setting};
use crate::fields::{self, Fields};
use crate::node::{Entry, ScalarKind};
use crate::report::Report;
use crate::suggest::one_of;

/// A scheme's or dialect's name and the keys that go with it.
pub(crate) type Kind = (&'static str, &'static [&'static str]);

/// All schemes: those with settings of their own, then the catalogue's.
pub(crate) static SCHEMES: LazyLock<Vec<Kind>> = LazyLock::new(|| {
    let catalogued = catalogue::SCHEMES.iter().map(|entry| (entry.name, entry.settings));
    OF_THEIR_OWN.iter().copied().chain(catalogued).collect()
});

const OF_THEIR_OWN: &[Kind] = &[
    ("mod-n", &["hash"]),
    ("ring", &["hash", "points_per_weight"]),
    ("rendezvous", &["hash"]),
    ("jump", &["hash"]),
    ("maglev", &["hash", "table_size"]),
    ("slots", &["hash", "slots"]),
    ("bounded", &["hash", "points_per_weight", "epsilon"]),
];

/// Reads `[placement]`.
pub(crate) fn own(report: &mut Report, fields: &Fields<'_>) -> Option<Scheme> {
    let (entry, what, kinds) = match (fields.get("scheme"), fields.get("dialect")) {
        (Some(entry), None) => (entry, "scheme", SCHEMES.as_slice()),
        (None, Some(entry)) => (entry, "dialect", DIALECTS),
        (Some(scheme), Some(dialect)) => {
            let message = "[placement] has a scheme and a `dialect`, and takes one of them";
            let diagnostic = report.error_at(dialect.key_span, message);
            report.push(diagnostic.with_also(scheme.key_span, "the other"));
            return None;
        }
        (None, None) => {
            let message = "[placement] has no `scheme` and no `dialect`";
            let others = SCHEMES.iter().map(|(name, _)| *name).filter(|name| *name != "ring");
            let help = format!("add `scheme = \"ring\"`, or {}", one_of(others));
            report.push(report.error_at(fields.span, message).with_help(help));
            return None;
        }
    };
    let words: Vec<(&str, &Kind)> = kinds.iter().map(|kind| (kind.0, kind)).collect();
    let &(name, keys) = fields::word(report, entry, what, &words)?;
    refuse_keys_of_others(report, fields, what, name, keys);
    // Both are read before either is missed, so that a file hears of all its errors.
    let prefix = <Option<KeyPrefix> as Setting>::read(report, fields, KEY_PREFIX, None);
    let scheme = if what == "scheme" {
        native(report, fields, name)
    } else {
        dialect::read(report, fields, name).map(Scheme::Dialect)
    };
    Some(match prefix? {
        Some(prefix) => scheme?.with_key_prefix(prefix),
        None => scheme?,
    })
}

/// The setting that every scheme and dialect has: what stands before each key.
pub(crate) const KEY_PREFIX: &str = "key_prefix";

/// How many schemes and dialects that have a key are worth a list.
const FEW: usize = 4;

/// Refuses keys that are not known, and those that mean something to others only.
fn refuse_keys_of_others(report: &mut Report, fields: &Fields<'_>, what: &str, name: &str, keys: &[&str]) {
    let mut known = vec![what, KEY_PREFIX];
    known.extend(keys);
    let mut of_others = Vec::new();
    for entry in fields.entries().iter().filter(|entry| !known.contains(&entry.key.as_str())) {
        let key = entry.key.as_str();
        let all = SCHEMES.iter().chain(DIALECTS);
        let owners: Vec<&str> = all.filter(|(_, keys)| keys.contains(&key)).map(|(name, _)| *name).collect();
        if !owners.is_empty() {
            of_others.push(key);
            let message = format!("{what} {} has no `{key}`", quoted(name));
            let help = match keys {
                // What many have, nobody is told by a list of them.
                [] if owners.len() > FEW => "it has no settings".to_owned(),
                keys if owners.len() > FEW => format!("its keys are {}", keys.join(", ")),
                _ => format!("`{key}` belongs to {}", one_of(owners)),
            };
            report.push(report.error_at(entry.key_span, message).with_help(help));
        }
    }
    known.extend(of_others);
    fields.refuse_unknown(report, &known);
}

fn native(report: &mut Report, fields: &Fields<'_>, name: &str) -> Option<Scheme> {
    // Slots are Redis Cluster's unless said.
    let default = if name == "slots" { NamedHash::RedisSlot } else { NamedHash::default() };
    let hash = choice(report, fields, "hash", default, NamedHash::ALL);
    let points = |report: &mut Report| {
        number(report, fields, "points_per_weight", POINTS_PER_WEIGHT.into(), u32::MAX.into())
            .map(|points| points as u32)
    };
    Some(match name {
        "mod-n" => Scheme::ModN { hash: hash? },
        "ring" => {
            let points_per_weight = points(report);
            Scheme::Ring { hash: hash?, points_per_weight: points_per_weight? }
        }
        "rendezvous" => Scheme::Rendezvous { hash: hash? },
        "jump" => Scheme::Jump { hash: hash? },
        "maglev" => {
            let table_size = number(report, fields, "table_size", TABLE_SIZE, MAX_TABLE_SIZE);
            Scheme::Maglev { hash: hash?, table_size: table_size? }
        }
        "slots" => {
            let slots = number(report, fields, "slots", RedisSlot::SLOTS.into(), MAX_SLOTS.into());
            Scheme::Slots { hash: hash?, slots: slots? as u32 }
        }
        "bounded" => {
            let points_per_weight = points(report);
            let cap = epsilon(report, fields);
            Scheme::Bounded { hash: hash?, points_per_weight: points_per_weight?, cap: cap? }
        }
        name => Scheme::Catalogued(catalogued(report, fields, catalogue::find(name)?, hash)?),
    })
}

/// A scheme of the catalogue: its hash, and its number if it takes one.
fn catalogued(
    report: &mut Report,
    fields: &Fields<'_>,
    entry: &'static Catalogued,
    hash: Option<NamedHash>,
) -> Option<Chosen> {
    let chosen = Chosen::new(entry);
    let Some(number) = entry.number else { return hash.map(|hash| chosen.with_hash(hash)) };
    let value = self::number(report, fields, number.key, number.default, number.most);
    // What was read is in range.
    chosen.with_hash(hash?).with_number(value?).ok()
}

fn epsilon(report: &mut Report, fields: &Fields<'_>) -> Option<Cap> {
    fields.get("epsilon").map_or(Some(Cap::QUARTER), |entry| epsilon_at(report, entry))
}

/// ε as it is written, with or without quotes, and never as a float.
pub(crate) fn epsilon_at(report: &mut Report, entry: &Entry) -> Option<Cap> {
    let text = match entry.value.as_scalar() {
        Some(scalar) if matches!(scalar.kind, ScalarKind::Float | ScalarKind::Integer) => {
            scalar.text.strip_prefix('+').unwrap_or(&scalar.text).replace('_', "")
        }
        Some(scalar) if scalar.kind == ScalarKind::Text => scalar.text.clone(),
        _ => {
            fields::wrong_type(report, entry, "a number");
            return None;
        }
    };
    refuse_error(report, entry, text.parse())
}

/// ε as a decimal number.
pub(crate) fn decimal(cap: Cap) -> String {
    const UNIT: u64 = 1_000_000_000;
    match cap.parts() {
        Some((part, whole)) if UNIT.is_multiple_of(u64::from(whole)) => {
            let billionths = u64::from(part) * (UNIT / u64::from(whole));
            let text = format!("{}.{:09}", billionths / UNIT, billionths % UNIT);
            let short = text.trim_end_matches('0');
            if short.ends_with('.') { format!("{short}0") } else { short.to_owned() }
        }
        // Beyond the decimals that a file can hold; and from here on there is no cap.
        Some((part, whole)) => format!("{part}/{whole}"),
        None => (1_u64 << 32).to_string(),
    }
}

/// One of the words of a setting, or its default if the file does not say.
fn choice<T: FromStr<Err = Error> + Display>(
    report: &mut Report,
    fields: &Fields<'_>,
    key: &str,
    default: T,
    all: &[T],
) -> Option<T> {
    fields.get(key).map_or(Some(default), |entry| word_at(report, entry, all))
}

/// One of the words of a setting.
pub(crate) fn word_at<T: FromStr<Err = Error> + Display>(
    report: &mut Report,
    entry: &Entry,
    all: &[T],
) -> Option<T> {
    let text = fields::text(report, entry)?;
    match text.parse() {
        Ok(value) => Some(value),
        // A word that is known and has no meaning here has a sentence of its own.
        Err(error) if !error.to_string().starts_with("there is no") => {
            refuse_error(report, entry, Err(error))
        }
        Err(_) => {
            let words: Vec<String> = all.iter().map(T::to_string).collect();
            let words: Vec<(&str, ())> = words.iter().map(|word| (word.as_str(), ())).collect();
            fields::word(report, entry, &entry.key, &words);
            None
        }
    }
}

/// A whole number from 1 to a bound, or its default if the file does not say.
fn number(report: &mut Report, fields: &Fields<'_>, key: &str, default: u64, most: u64) -> Option<u64> {
    fields.get(key).map_or(Some(default), |entry| fields::integer(report, entry, 1, most))
}

/// The value, or its error at the place of the entry.
pub(crate) fn refuse_error<T>(report: &mut Report, entry: &Entry, value: Result<T, Error>) -> Option<T> {
    value.map_err(|error| report.error(entry.place(), error.to_string())).ok()
}

/// The lines of `[placement]`: keys with their values in TOML.
pub(crate) fn settings(scheme: &Scheme) -> Vec<(&'static str, String)> {
    let text = |word: &str| crate::write::text(word);
    let named = |name: &str, hash: &NamedHash| vec![("scheme", text(name)), ("hash", text(hash.as_str()))];
    match scheme {
        Scheme::ModN { hash } => named("mod-n", hash),
        Scheme::Ring { hash, points_per_weight } => {
            let mut lines = named("ring", hash);
            lines.push(("points_per_weight", points_per_weight.to_string()));
            lines
        }
        Scheme::Rendezvous { hash } => named("rendezvous", hash),
        Scheme::Jump { hash } => named("jump", hash),
        Scheme::Maglev { hash, table_size } => {
            let mut lines = named("maglev", hash);
            lines.push(("table_size", table_size.to_string()));
            lines
        }
        Scheme::Slots { hash, slots } => {
            let mut lines = named("slots", hash);
            lines.push(("slots", slots.to_string()));
            lines
        }
        Scheme::Bounded { hash, points_per_weight, cap } => {
            let mut lines = named("bounded", hash);
            lines.push(("points_per_weight", points_per_weight.to_string()));
            lines.push(("epsilon", decimal(*cap)));
            lines
        }
        Scheme::Catalogued(chosen) => {
            let mut lines = named(chosen.entry().name, &chosen.hash());
            lines.extend(chosen.number().map(|(number, value)| (number.key, value.to_string())));
            lines
        }
        Scheme::Dialect(dialect) => dialect::settings(dialect),
        Scheme::Prefixed(_) => {
            let mut lines = settings(scheme.bare());
            lines.extend(scheme.key_prefix().map(|prefix| (KEY_PREFIX, text(prefix.as_str()))));
            lines
        }
        // No file names a scheme that is not above.
        other => vec![("scheme", text(&other.to_string()))],
    }
}
