//! Published figures as data, what of ours measures each, and whether it holds.
//!
//! Five texts are quoted when people speak of consistent hashing; each of their figures is an entry
//! of `study/figures/`, with the band in which a measurement has to lie. [`judge`](judge::judge)
//! compares results with them. No experiment knows of a figure.

mod file;
mod judge;
#[cfg(test)]
mod tests;

use std::fmt;

use clockwise_config::Diagnostics;

pub use judge::{Finding, Judgement, Ours, judge, of_what_was_run, write_csv};

use crate::experiment::Theory;

/// The texts, by the short names that figures are filed under.
pub const SOURCES: [(&str, &str); 5] = [
    ("thousand-points", include_str!("../../study/figures/thousand-points.toml")),
    ("load-cap", include_str!("../../study/figures/load-cap.toml")),
    ("ring-lab", include_str!("../../study/figures/ring-lab.toml")),
    ("handbook", include_str!("../../study/figures/handbook.toml")),
    ("why-ring", include_str!("../../study/figures/why-ring.toml")),
];

/// What is expected of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expected {
    /// It holds: every part lies in its band.
    Holds,
    /// It holds in one reading, which the note says.
    Narrow,
    /// It does not; the note says why.
    DoesNotHold,
    /// A fact about a document or a product: nothing to measure.
    Historical,
    /// A time or a price of one machine.
    Cost,
}

impl Expected {
    pub(crate) const WORDS: [(&'static str, Expected); 5] = [
        ("holds", Expected::Holds),
        ("narrow", Expected::Narrow),
        ("does-not-hold", Expected::DoesNotHold),
        ("historical", Expected::Historical),
        ("cost", Expected::Cost),
    ];

    /// The word in files and results.
    pub fn name(self) -> &'static str {
        Expected::WORDS.iter().find(|(_, expected)| *expected == self).map_or("", |(name, _)| name)
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A published figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// The text's short name, a slash, and a name of its own.
    pub id: String,
    /// What is claimed, in our own words.
    pub claim: String,
    /// The value as it is published.
    pub published: String,
    /// What is expected of it.
    pub expected: Expected,
    /// The reason, or what the reader should know; may be empty.
    pub note: String,
    /// What measures it; nothing where nothing can.
    pub parts: Vec<Part>,
}

impl Figure {
    /// The short name of the text it is from.
    pub fn source(&self) -> &str {
        self.id.split('/').next().unwrap_or("")
    }
}

/// One number of a figure and what measures it.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// What the number is, where a figure has several.
    pub what: String,
    /// The experiment.
    pub experiment: String,
    /// The knobs that choose settings of it, as `(name, value)`; all settings that agree are taken.
    pub at: Vec<(String, String)>,
    /// The metric.
    pub metric: String,
    /// What is made of its values.
    pub statistic: Statistic,
    /// What the outcome is multiplied with, 100 for per cent.
    pub times: f64,
    /// Settings and a metric whose mean the outcome is divided by.
    pub over: Option<(Vec<(String, String)>, String)>,
    /// The value as it is published, as a number.
    pub published: f64,
    /// The least that agrees with it.
    pub low: f64,
    /// The most.
    pub high: f64,
}

/// What is made of the values of all runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Statistic {
    /// Their mean.
    Mean,
    /// The smallest.
    Least,
    /// The largest.
    Most,
    /// Their sum.
    Sum,
    /// How many there are.
    Runs,
    /// The settings whose mean lies within so many standard errors of a curve.
    CellsWithin(Theory, f64),
}

impl Statistic {
    pub(crate) const WORDS: [(&'static str, Statistic); 5] = [
        ("mean", Statistic::Mean),
        ("least", Statistic::Least),
        ("most", Statistic::Most),
        ("sum", Statistic::Sum),
        ("runs", Statistic::Runs),
    ];
}

/// All figures, in the order of the texts.
pub fn figures() -> Result<Vec<Figure>, Diagnostics> {
    let mut all = Vec::new();
    for (source, text) in SOURCES {
        all.extend(file::parse(&format!("study/figures/{source}.toml"), text.as_bytes())?);
    }
    Ok(all)
}
