//! The experiments that come with the program. A new one is a file in `study/` and a line here.

use clockwise_config::Diagnostics;

use super::Experiment;

/// Name and text of each, in the order of the report.
const FILES: &[(&str, &str)] = &[("ring", include_str!("../../study/ring.toml"))];

/// Their names.
pub fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(name, _)| *name)
}

/// All of them.
pub fn catalogue() -> Result<Vec<Experiment>, Diagnostics> {
    FILES.iter().map(|(name, text)| parse(name, text)).collect()
}

/// The one of that name, if there is one.
pub fn find(name: &str) -> Result<Option<Experiment>, Diagnostics> {
    FILES.iter().find(|(own, _)| *own == name).map(|(name, text)| parse(name, text)).transpose()
}

fn parse(name: &str, text: &str) -> Result<Experiment, Diagnostics> {
    Experiment::parse(&format!("study/{name}.toml"), text.as_bytes())
}
