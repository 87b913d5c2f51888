//! Pictures of an experiment's results, as its file asks for them. The report draws them.

use super::{Setting, Value};
use crate::theory;

/// What a picture looks like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ChartKind {
    /// Means with their errors, joined along the horizontal axis.
    #[default]
    Lines,
    /// Rows with a mark for each curve, one row a value of `x`.
    Bars,
    /// Numbers in a table, one row a value of `x`; shaded where they are of one metric.
    Table,
    /// The points of the ring itself, where `hash`, `servers` and `points` say which ring.
    Points,
}

impl ChartKind {
    pub(super) const WORDS: [(&'static str, ChartKind); 4] = [
        ("lines", ChartKind::Lines),
        ("bars", ChartKind::Bars),
        ("table", ChartKind::Table),
        ("points", ChartKind::Points),
    ];
}

/// A curve that theory draws through the measured points: a function of the setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theory {
    /// E[max of n Gamma(v)] ÷ v: the busiest server by arcs. Knobs `servers`, `points`.
    ExpectedBusiest,
    /// E[min of n Gamma(v)] ÷ v. Knobs `servers`, `points`.
    ExpectedIdlest,
    /// The rule 1 + √(2 ln n ÷ v). Knobs `servers`, `points`.
    BusiestByRule,
    /// 1 ÷ √v, the spread of shares. Knob `points`.
    SpreadOfShares,
    /// n ÷ (n + 1), what mod N moves on a join. Knob `servers`.
    ModN,
    /// 1 ÷ (n + 1), the least that a join can move. Knob `servers`.
    Floor,
    /// How many servers inherit from one that leaves. Knobs `servers`, `points`.
    ExpectedHeirs,
    /// 1 − (1 − 1 ÷ (n − 1))^(2v(r − 1)), in per cent: two servers hold copies of some key in common.
    /// Knobs `servers`, `points`, `replicas`.
    QuorumLoss,
    /// 1 + 1 ÷ (k − 1): the busiest, of multi-probe consistent hashing. Knob `probes`.
    Probes,
    /// 1: exactly the least.
    One,
}

impl Theory {
    pub(crate) const WORDS: [(&'static str, Theory); 10] = [
        ("expected-busiest", Theory::ExpectedBusiest),
        ("expected-idlest", Theory::ExpectedIdlest),
        ("busiest-by-rule", Theory::BusiestByRule),
        ("spread-of-shares", Theory::SpreadOfShares),
        ("mod-n", Theory::ModN),
        ("floor", Theory::Floor),
        ("expected-heirs", Theory::ExpectedHeirs),
        ("quorum-loss", Theory::QuorumLoss),
        ("probes", Theory::Probes),
        ("one", Theory::One),
    ];

    /// The name in files.
    pub fn name(self) -> &'static str {
        Theory::WORDS.iter().find(|(_, theory)| *theory == self).map_or("", |(name, _)| name)
    }

    /// The curve's formula, as it is written beside it.
    pub fn formula(self) -> &'static str {
        match self {
            Theory::ExpectedBusiest => "E[max of n Gamma(v)] ÷ v",
            Theory::ExpectedIdlest => "E[min of n Gamma(v)] ÷ v",
            Theory::BusiestByRule => "1 + √(2 ln n ÷ v)",
            Theory::SpreadOfShares => "1 ÷ √v",
            Theory::ModN => "n ÷ (n + 1)",
            Theory::Floor => "1 ÷ (n + 1)",
            Theory::ExpectedHeirs => "(n − 1)(1 − C((n − 1)v − 1, v) ÷ C(nv − 1, v))",
            Theory::QuorumLoss => "1 − (1 − 1 ÷ (n − 1))^(2v(r − 1))",
            Theory::Probes => "1 + 1 ÷ (k − 1)",
            Theory::One => "1",
        }
    }

    /// Its value at a setting; nothing where the setting has not the knobs it is a function of.
    pub fn at(self, setting: &Setting) -> Option<f64> {
        let whole = |knob| match setting.get(knob) {
            Some(Value::Whole(value)) => Some(*value),
            _ => None,
        };
        let (servers, points) = (whole("servers"), whole("points"));
        match self {
            Theory::ExpectedBusiest => theory::expected_busiest(servers?, points?).ok(),
            Theory::ExpectedIdlest => theory::expected_idlest(servers?, points?).ok(),
            Theory::BusiestByRule => theory::busiest_by_rule(servers?, points?).ok(),
            Theory::SpreadOfShares => points.map(|v| 1.0 / (v as f64).sqrt()),
            Theory::ModN => servers.map(|n| n as f64 / (n as f64 + 1.0)),
            Theory::Floor => servers.map(|n| 1.0 / (n as f64 + 1.0)),
            Theory::ExpectedHeirs => theory::expected_heirs(servers?, points?).ok(),
            Theory::QuorumLoss => theory::sharing_chance(servers?, points?, whole("replicas")?)
                .ok()
                .map(|chance| 100.0 * chance),
            Theory::Probes => whole("probes").filter(|k| *k > 1).map(|k| 1.0 + 1.0 / (k as f64 - 1.0)),
            Theory::One => Some(1.0),
        }
    }
}

/// One picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// A heading.
    pub title: String,
    /// A sentence below it; may be empty.
    pub note: String,
    /// Its kind.
    pub kind: ChartKind,
    /// The knob along the horizontal axis.
    pub x: String,
    /// The metrics along the vertical axis; their labels and units are the kernel's.
    pub y: Vec<String>,
    /// The knob that tells curves apart.
    pub series: Option<String>,
    /// Whether the horizontal axis is logarithmic.
    pub log_x: bool,
    /// Whether the vertical axis is.
    pub log_y: bool,
    /// Curves drawn through the points, one for each series.
    pub theory: Vec<Theory>,
    /// The knob that tells small pictures side by side apart, or groups of rows.
    pub panels: Option<String>,
    /// Whether it is one of the pictures on the first screen of the report.
    pub front: bool,
    /// Numbers of a table above this are framed.
    pub limit: Option<f64>,
    /// The settings it shows; empty: all that were run.
    pub only: Vec<(String, Vec<Value>)>,
}
