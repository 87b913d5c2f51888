//! The arguments of `study`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use super::Format;

pub(super) const EXAMPLES: &str = "\
Examples:
  clockwise study --list
  clockwise study --out study
  clockwise study ring maglev --scale published --out study
  clockwise study mine.toml --threads 4 --format json
  clockwise study --scale published --check";

#[derive(Args, Debug)]
pub(crate) struct Study {
    /// What to run: names from --list, or files of your own that end in .toml; all of --list unless said
    #[arg(value_name = "NAME|FILE", value_hint = ValueHint::FilePath)]
    pub(crate) what: Vec<String>,
    /// List the experiments, and how many runs each has
    #[arg(long, conflicts_with_all = ["out", "check"])]
    pub(crate) list: bool,
    /// How much to run: quick takes seconds, published is as large as the texts
    #[arg(long, default_value = "quick")]
    pub(crate) scale: Scale,
    /// Write the results into a folder: report.html, summary.md, runs.csv, runs.json, figures.csv. Finished
    /// runs are kept there as they come: stopped and started again, a study goes on where it was
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) out: Option<PathBuf>,
    /// The number that every seed comes from
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// How many threads work; all cores unless said
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Exit with 1 when a published figure that should hold does not
    #[arg(long)]
    pub(crate) check: bool,
    /// How the answer is printed
    #[arg(long, default_value = "table")]
    pub(crate) format: Format,
}

/// How much is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scale {
    /// Seconds
    Quick,
    /// Minutes
    Published,
}
