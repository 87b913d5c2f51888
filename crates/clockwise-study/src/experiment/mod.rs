//! Experiments as data: what is asked, which kernel measures it, and over which settings.
//!
//! An experiment is a TOML file of a few lines ([`Experiment::parse`]); those that come with the
//! program are its [`catalogue`], and one of a user's own runs the same way. A grid names the values
//! of each setting; their product, times the seeds, are the [runs](Experiment::runs). One [`Run`] is
//! one unit of work, and depends on nothing but itself.
//!
//! ```toml
//! name = "my-ring"
//! title = "How even is a ring of 37 servers?"
//! question = "Is the busiest server what theory expects?"
//! measure = "ring"                 # a kernel of clockwise_study::kernel
//!
//! [[grid]]                         # every combination; several grids are run one after the other
//! servers = 37
//! points = [1, 23, 160]
//!
//! [quick]
//! keys = 20_000
//! seeds = 3
//!
//! [published]
//! keys = 1_000_000
//! seeds = 20
//! ```

mod catalogue;
mod chart;
mod file;
mod setting;
#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

pub use catalogue::{catalogue, find, names};
pub use chart::{Chart, ChartKind, Theory};
pub use setting::{Setting, Value};

use crate::kernel::Kernel;
use crate::kernel::random::seed_of;

/// How much is run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scale {
    /// A few seconds for everything.
    #[default]
    Quick,
    /// As the published texts measured.
    Published,
}

impl Scale {
    /// The word that is typed and printed.
    pub fn name(self) -> &'static str {
        match self {
            Scale::Quick => "quick",
            Scale::Published => "published",
        }
    }
}

impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Scale {
    type Err = String;

    fn from_str(text: &str) -> Result<Scale, String> {
        [Scale::Quick, Scale::Published]
            .into_iter()
            .find(|scale| scale.name() == text)
            .ok_or_else(|| format!("there is no scale {text:?}; it is quick or published"))
    }
}

/// How much of an experiment one scale runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Extent {
    /// Keys of one run. Kernels that have a number of keys among their settings, or that need none,
    /// do not look at it.
    pub keys: u64,
    /// Runs of each setting.
    pub seeds: u32,
    /// The values to which settings are confined; empty: all of the grid.
    pub only: Vec<(String, Vec<Value>)>,
}

/// One experiment.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// What it is called on the command line and in the results: lower-case words and hyphens.
    pub name: String,
    /// A heading.
    pub title: String,
    /// The question it answers, in a sentence.
    pub question: String,
    /// What the reader should know of how it is measured; may be empty.
    pub method: String,
    /// What measures it.
    pub kernel: &'static Kernel,
    /// Pictures of its results.
    pub charts: Vec<Chart>,
    /// Whether it came with the program: published figures are held against those alone, not against a
    /// file of a user's that happens to have the same name.
    pub(crate) shipped: bool,
    /// Every setting of the grids, in their order.
    pub(crate) settings: Vec<Setting>,
    pub(crate) quick: Extent,
    pub(crate) published: Extent,
}

impl Experiment {
    /// How much one scale runs.
    pub fn extent(&self, scale: Scale) -> &Extent {
        match scale {
            Scale::Quick => &self.quick,
            Scale::Published => &self.published,
        }
    }

    /// The settings that one scale runs, in the order of the grid.
    pub fn settings(&self, scale: Scale) -> impl Iterator<Item = &Setting> {
        let only = &self.extent(scale).only;
        self.settings.iter().filter(move |setting| setting.is_among(only))
    }

    /// Every run of a scale: for each setting its seeds. `root` is the number that all seeds come from.
    pub fn runs(&self, scale: Scale, root: u64) -> Vec<Run<'_>> {
        let Extent { keys, seeds, .. } = *self.extent(scale);
        self.settings(scale)
            .flat_map(|setting| {
                (0..seeds).map(move |index| Run {
                    experiment: self,
                    setting,
                    index,
                    seed: seed_of(root, &self.name, &setting.drawn(self.kernel), index),
                    keys,
                })
            })
            .collect()
    }
}

/// One unit of work.
#[derive(Clone, Copy, Debug)]
pub struct Run<'e> {
    /// What it is part of.
    pub experiment: &'e Experiment,
    /// The point of the grid.
    pub setting: &'e Setting,
    /// Which of the setting's seeds, from 0.
    pub index: u32,
    /// The seed itself: from the root seed, the experiment's name, the settings that fleets and keys
    /// are drawn for, and the index. Settings that only differ in what is done with a fleet (a cap,
    /// say) are measured on the same fleets and keys.
    pub seed: u64,
    /// How many keys the scale gives it.
    pub keys: u64,
}
