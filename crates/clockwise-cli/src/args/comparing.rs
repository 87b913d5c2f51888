//! What can be typed to the commands that hold fleets against each other, or against what is known to
//! hurt.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum, ValueHint};
use clockwise_config::Target;

use super::{File, Format, Keys, Ratio, Reading};

/// Keys to place both ways: a file, or made up.
#[derive(Args, Debug)]
pub(crate) struct Sampled {
    #[command(flatten)]
    pub(crate) keys: Keys,
    /// How many synthetic keys to use when no file is given
    #[arg(long, value_name = "COUNT", default_value_t = 100_000, conflicts_with = "keys",
        value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    pub(crate) sample: u64,
    /// The seed of the synthetic keys
    #[arg(long, default_value_t = 1, conflicts_with = "keys")]
    pub(crate) seed: u64,
}

#[derive(Args, Debug)]
pub(crate) struct Diff {
    /// One fleet's file, or - for standard input; FILE#POOL picks one of several pools
    #[arg(value_name = "A", value_hint = ValueHint::FilePath)]
    pub(crate) a: String,
    /// The other
    #[arg(value_name = "B", value_hint = ValueHint::FilePath)]
    pub(crate) b: String,
    #[command(flatten)]
    pub(crate) keys: Sampled,
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// How the answer is printed
    #[arg(long, default_value = "table")]
    pub(crate) format: Format,
    /// The table that --format csv prints; causes unless said
    #[arg(long, value_name = "TABLE")]
    pub(crate) csv_table: Option<DiffTable>,
}

#[derive(Args, Debug)]
pub(crate) struct Convert {
    /// A fleet's file, or - for standard input; FILE#POOL picks one of several pools
    #[arg(value_name = "FLEET", value_hint = ValueHint::FilePath)]
    pub(crate) fleet: String,
    /// The product whose file it becomes
    #[arg(long, value_name = "PRODUCT", value_parser = targets())]
    pub(crate) to: Target,
    #[command(flatten)]
    pub(crate) keys: Sampled,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

fn targets() -> impl TypedValueParser<Value = Target> {
    PossibleValuesParser::new(Target::ALL.iter().map(|target| target.kind().name()))
        .try_map(|name| name.parse::<Target>())
}

/// The tables of a diff: CSV is one table, so one is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiffTable {
    /// Why keys differ
    Causes,
    /// From server in A, to server in B
    Flows,
}

#[derive(Args, Debug)]
pub(crate) struct Check {
    /// Fleets' files, or - for standard input; of a file with several pools each is checked, FILE#POOL picks one
    #[arg(value_name = "FLEET", required = true, value_hint = ValueHint::FilePath)]
    pub(crate) fleets: Vec<String>,
    /// Join servers that are listed more than once instead of refusing them
    #[arg(long)]
    pub(crate) merge: bool,
    #[command(flatten)]
    pub(crate) file: File,
    /// How the answer is printed
    #[arg(long, default_value = "table")]
    pub(crate) format: Format,
}

#[derive(Args, Debug)]
pub(crate) struct Fingerprint {
    /// A fleet's file, or - for standard input; FILE#POOL picks one of several pools
    #[arg(value_name = "FLEET", value_hint = ValueHint::FilePath)]
    pub(crate) fleet: String,
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// How the answer is printed
    #[arg(long, default_value = "table")]
    pub(crate) format: Format,
}

#[derive(Args, Debug)]
pub(crate) struct Migrate {
    /// The fleet as it is: its file, or - for standard input; FILE#POOL picks one of several pools
    #[arg(value_name = "FLEET", value_hint = ValueHint::FilePath)]
    pub(crate) before: String,
    /// Where to: a scheme or dialect for the same servers, with settings (ring,points_per_weight=100),
    /// or another fleet file
    #[arg(long, value_name = "SCHEME|FLEET", value_hint = ValueHint::FilePath)]
    pub(crate) to: String,
    /// In how many steps. Unless said, as many as keep the database at twice its load with --hit-ratio,
    /// else 10
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) steps: Option<u32>,
    /// The cache's hit ratio today (0.95 or 95%): shows the database's load in each step
    #[arg(long, value_name = "RATIO")]
    pub(crate) hit_ratio: Option<Ratio>,
    #[command(flatten)]
    pub(crate) keys: Sampled,
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// How the answer is printed
    #[arg(long, default_value = "table")]
    pub(crate) format: Format,
}
