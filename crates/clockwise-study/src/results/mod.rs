//! What runs gave: numbers by experiment, setting and seed, and their summaries.
//!
//! The order is that of the experiments, their grids and their seeds, whatever ran first: two runs
//! of the same study write the same bytes. What a machine took for it ([`Part::cpu_seconds`]) is kept
//! apart from that.

mod summary;
mod write;

pub use summary::Summary;
pub(crate) use write::quoted;

use crate::experiment::{Experiment, Scale, Setting};
use crate::kernel::Measures;

/// A study that was run.
#[derive(Clone, Debug)]
pub struct Results {
    /// How much was run.
    pub scale: Scale,
    /// What all seeds come from.
    pub root_seed: u64,
    /// The experiments, in the order they were given.
    pub parts: Vec<Part>,
}

/// One experiment and what it gave.
#[derive(Clone, Debug)]
pub struct Part {
    /// The experiment.
    pub experiment: Experiment,
    /// Its settings, in the order of its grid.
    pub cells: Vec<Cell>,
    /// CPU time of its runs, those of an earlier start included. Not part of what is reproduced.
    pub cpu_seconds: f64,
}

/// One setting and its runs.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The setting.
    pub setting: Setting,
    /// One run a seed, in the order of the seeds.
    pub runs: Vec<Outcome>,
}

/// One run's numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The seed.
    pub seed: u64,
    /// What it gave.
    pub measures: Measures,
}

/// One number of one run.
#[derive(Clone, Copy, Debug)]
pub struct Row<'r> {
    /// The experiment's name.
    pub experiment: &'r str,
    /// The setting.
    pub setting: &'r Setting,
    /// The run's seed.
    pub seed: u64,
    /// What was measured.
    pub metric: &'static str,
    /// The number.
    pub value: f64,
}

impl Results {
    /// The part of that name.
    pub fn part(&self, experiment: &str) -> Option<&Part> {
        self.parts.iter().find(|part| part.experiment.name == experiment)
    }

    /// Every number of every run.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.parts.iter().flat_map(|part| {
            part.cells.iter().flat_map(move |cell| {
                cell.runs.iter().flat_map(move |run| {
                    run.measures.iter().map(move |(metric, value)| Row {
                        experiment: &part.experiment.name,
                        setting: &cell.setting,
                        seed: run.seed,
                        metric,
                        value,
                    })
                })
            })
        })
    }

    /// The runs that were made.
    pub fn runs(&self) -> usize {
        self.parts.iter().flat_map(|part| &part.cells).map(|cell| cell.runs.len()).sum()
    }

    /// The summary of one metric at the first setting that has these values:
    /// `results.summary("ring", &[("servers", "100"), ("points", "160")], "join")`.
    pub fn summary(&self, experiment: &str, knobs: &[(&str, &str)], metric: &str) -> Option<Summary> {
        self.part(experiment)?.cell(knobs)?.summary(metric)
    }
}

impl Part {
    /// The first setting that has these values.
    pub fn cell(&self, knobs: &[(&str, &str)]) -> Option<&Cell> {
        self.cells.iter().find(|cell| cell.setting.has(knobs))
    }
}

impl Cell {
    /// The values of one metric, in the order of the seeds; runs that did not give it are left out.
    pub fn values(&self, metric: &str) -> impl Iterator<Item = f64> {
        self.runs.iter().filter_map(move |run| run.measures.get(metric))
    }

    /// Their summary, if there is a value.
    pub fn summary(&self, metric: &str) -> Option<Summary> {
        Summary::of(self.values(metric))
    }
}
