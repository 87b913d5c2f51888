//! Results held against figures.
//!
//! A part is judged only where it was measured as it is meant to be: with the keys, the seeds and all
//! the settings of the published scale. At the quick scale some experiments are the same (what is
//! exact, what costs nothing); all other figures are said to be not measured there.

use std::io::{self, Write};

use super::{Expected, Figure, Part, Statistic};
use crate::experiment::{Scale, Setting};
use crate::results::{Cell, Part as Measured, Results, Summary, quoted};

/// A figure beside what was measured.
#[derive(Clone, Debug)]
pub struct Finding<'f> {
    /// The figure.
    pub figure: &'f Figure,
    /// What is ours of each of its parts, in their order; nothing where a part was not measured.
    pub ours: Vec<Option<Ours>>,
    /// What comes of it.
    pub judgement: Judgement,
}

/// A measured value of one part of a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ours {
    /// The value.
    pub value: f64,
    /// Its standard error, where it is a mean of several runs.
    pub standard_error: Option<f64>,
    /// Whether it lies in the band.
    pub inside: bool,
}

/// What comes of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Judgement {
    /// Every part lies in its band.
    Holds,
    /// A part lies outside of its band, though the figure was expected to hold, as it is or in one reading.
    Fails,
    /// A part lies outside, as it was expected: the figure does not hold as it is published.
    DoesNotHold,
    /// Not all of it was measured at this scale.
    NotMeasured,
    /// It is no figure to measure.
    NothingToMeasure,
}

impl Judgement {
    /// The words in results.
    pub fn name(self) -> &'static str {
        match self {
            Judgement::Holds => "holds",
            Judgement::Fails => "fails",
            Judgement::DoesNotHold => "does not hold",
            Judgement::NotMeasured => "not measured at this scale",
            Judgement::NothingToMeasure => "nothing to measure",
        }
    }
}

/// Holds every figure against the results.
pub fn judge<'f>(figures: &'f [Figure], results: &Results) -> Vec<Finding<'f>> {
    figures
        .iter()
        .map(|figure| {
            let ours: Vec<Option<Ours>> = figure.parts.iter().map(|part| measured(part, results)).collect();
            let judgement = match (figure.expected, ours.iter().copied().collect::<Option<Vec<_>>>()) {
                (Expected::Historical | Expected::Cost, _) => Judgement::NothingToMeasure,
                (_, None) => Judgement::NotMeasured,
                (_, Some(all)) if all.iter().all(|ours| ours.inside) => Judgement::Holds,
                (Expected::Holds | Expected::Narrow, _) => Judgement::Fails,
                _ => Judgement::DoesNotHold,
            };
            Finding { figure, ours, judgement }
        })
        .collect()
}

/// The findings that are about experiments that were run. What nothing can measure is about the study as a
/// whole.
pub fn of_what_was_run<'f>(findings: Vec<Finding<'f>>, results: &Results) -> Vec<Finding<'f>> {
    let was_run = |part: &Part| results.part(&part.experiment).is_some_and(|own| own.experiment.shipped);
    let measured = |finding: &Finding<'_>| finding.figure.parts.iter().any(was_run);
    let whole = findings.iter().all(|finding| finding.figure.parts.is_empty() || measured(finding));
    let mut findings = findings;
    findings.retain(|finding| if finding.figure.parts.is_empty() { whole } else { measured(finding) });
    findings
}

/// The value of one part, if it was measured as it is meant to be.
fn measured(part: &Part, results: &Results) -> Option<Ours> {
    let experiment = results.part(&part.experiment)?;
    let cells = cells(experiment, &part.at, results.scale)?;
    let values = || cells.iter().flat_map(|cell| cell.values(&part.metric));
    let summary = Summary::of(values())?;
    let (value, error) = match part.statistic {
        Statistic::Mean => (summary.mean, (summary.runs > 1).then_some(summary.standard_error)),
        Statistic::Least => (summary.least, None),
        Statistic::Most => (summary.most, None),
        Statistic::Sum => (values().sum(), None),
        Statistic::Runs => (cells.iter().map(|cell| cell.runs.len()).sum::<usize>() as f64, None),
        Statistic::CellsWithin(theory, errors) => {
            let within = |cell: &&&Cell| {
                let (Some(summary), Some(expected)) = (cell.summary(&part.metric), theory.at(&cell.setting))
                else {
                    return false;
                };
                (summary.mean - expected).abs() <= errors * summary.standard_error
            };
            (cells.iter().filter(within).count() as f64, None)
        }
    };
    let (value, error) = match &part.over {
        None => (value, error),
        Some((at, metric)) => {
            let below = self::cells(experiment, at, results.scale)?;
            let below = Summary::of(below.iter().flat_map(|cell| cell.values(metric)))?;
            // Relative errors of a quotient of two means add up as squares (were the two independent;
            // where they are of the same runs it is less).
            let relative = |mean: f64, error: f64| error / mean;
            let both = error.map(|error| {
                let (above, below) = (relative(value, error), relative(below.mean, below.standard_error));
                (above * above + below * below).sqrt()
            });
            (value / below.mean, both.map(|both| both * (value / below.mean).abs()))
        }
    };
    let value = value * part.times;
    // A band may be one exact number, and the value a ratio of two others.
    let slack = 1e-9 * value.abs().max(1.0);
    Some(Ours {
        value,
        standard_error: error.map(|error| error * part.times),
        inside: part.low - slack <= value && value <= part.high + slack,
    })
}

/// The cells at some settings: nothing if there are none, or if this scale measures them otherwise
/// than the published one.
fn cells<'r>(measured: &'r Measured, at: &[(String, String)], scale: Scale) -> Option<Vec<&'r Cell>> {
    let at: Vec<(&str, &str)> = at.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let experiment = &measured.experiment;
    let (extent, published) = (experiment.extent(scale), experiment.extent(Scale::Published));
    let chosen = |setting: &&Setting| setting.has(&at);
    let meant = experiment.settings(Scale::Published).filter(chosen).count();
    let cells: Vec<&Cell> = measured.cells.iter().filter(|cell| cell.setting.has(&at)).collect();
    let as_meant = experiment.shipped
        && extent.keys == published.keys
        && extent.seeds == published.seeds
        && cells.len() == meant;
    (as_meant && meant > 0).then_some(cells)
}

/// One line a part: the figure, what is published, ours, and what comes of it.
pub fn write_csv(findings: &[Finding<'_>], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "id,claim,part,published,low,high,ours,standard_error,inside,expected,judgement,note")?;
    for Finding { figure, ours, judgement } in findings {
        let [id, claim, note] = [&figure.id, &figure.claim, &figure.note].map(|text| quoted(text));
        let (expected, judgement) = (figure.expected, judgement.name());
        if figure.parts.is_empty() {
            let published = quoted(&figure.published);
            writeln!(out, "{id},{claim},,{published},,,,,,{expected},{judgement},{note}")?;
        }
        for (part, ours) in figure.parts.iter().zip(ours) {
            let what = quoted(&part.what);
            let value = ours.map(|ours| ours.value.to_string()).unwrap_or_default();
            let error = ours.and_then(|ours| ours.standard_error).map(|e| e.to_string()).unwrap_or_default();
            let inside = ours.map(|ours| if ours.inside { "yes" } else { "no" }).unwrap_or_default();
            let Part { published, low, high, .. } = part;
            writeln!(
                out,
                "{id},{claim},{what},{published},{low},{high},{value},{error},{inside},{expected},{judgement},{note}"
            )?;
        }
    }
    Ok(())
}
