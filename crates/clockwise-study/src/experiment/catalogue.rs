//! The experiments that come with the program. A new one is a file in `study/` and a line here.

use clockwise_config::Diagnostics;

use super::Experiment;

/// Name and text of each, in the order of the report.
const FILES: &[(&str, &str)] = &[
    ("ring", include_str!("../../study/ring.toml")),
    ("shares", include_str!("../../study/shares.toml")),
    ("mod-n", include_str!("../../study/mod-n.toml")),
    ("schemes", include_str!("../../study/schemes.toml")),
    ("probes", include_str!("../../study/probes.toml")),
    ("maglev", include_str!("../../study/maglev.toml")),
    ("bounded", include_str!("../../study/bounded.toml")),
    ("load-cap", include_str!("../../study/load-cap.toml")),
    ("held-cap", include_str!("../../study/held-cap.toml")),
    ("labels", include_str!("../../study/labels.toml")),
    ("ring-lab", include_str!("../../study/ring-lab.toml")),
    ("samples", include_str!("../../study/samples.toml")),
    ("formulas", include_str!("../../study/formulas.toml")),
    ("library", include_str!("../../study/library.toml")),
    ("kept", include_str!("../../study/kept.toml")),
    ("kept-series", include_str!("../../study/kept-series.toml")),
    ("drift", include_str!("../../study/drift.toml")),
    ("allocation", include_str!("../../study/allocation.toml")),
    ("losses", include_str!("../../study/losses.toml")),
    ("weights", include_str!("../../study/weights.toml")),
    ("zones", include_str!("../../study/zones.toml")),
    ("popularity", include_str!("../../study/popularity.toml")),
    ("requests", include_str!("../../study/requests.toml")),
    ("hashes", include_str!("../../study/hashes.toml")),
];

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
    let experiment = Experiment::parse(&format!("study/{name}.toml"), text.as_bytes())?;
    Ok(Experiment { shipped: true, ..experiment })
}
