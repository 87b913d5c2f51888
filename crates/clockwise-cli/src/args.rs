//! What can be typed. Help, man pages and shell completions all come from these definitions.

mod comparing;
mod study;

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum, ValueHint};
use clockwise::Scheme;
use clockwise_config::{Kind, Settings};

pub(crate) use comparing::{Check, Convert, Diff, DiffTable, Fingerprint, Migrate, Sampled};
pub(crate) use study::{Scale as StudyScale, Study};

/// Exit codes, part of the interface: scripts and CI test them.
const EXIT_CODES: &str = "\
Exit codes:
  0  fine
  1  findings: a threshold of yours was passed (plan --max-moved), two fleets differ (diff), a
     product has no such placement (convert), something will hurt (check), an answer came out
     otherwise (vectors --check), or a published figure did (study --check)
  2  usage: the command line is wrong
  3  input: a file or key could not be used; the message names file, line, server and value";

const PLAN_EXAMPLES: &str = "\
Examples:
  clockwise plan nutcracker.yml --add cache-5=10.0.0.5:11211 --keys keys.csv
  clockwise plan fleet.toml --weight cache-2=3 --compare
  clockwise plan fleet.toml#sessions --remove cache-1 --hit-ratio 0.95 --max-moved 12%
  clockwise plan before.toml after.toml --keys keys.txt --format json";

const CONVERT_EXAMPLES: &str = "\
Examples:
  clockwise convert fleet.toml --to twemproxy > nutcracker.yml
  clockwise convert nutcracker.yml#sessions --to toml
  clockwise convert client.toml --to nginx --keys keys.txt";

const DIFF_EXAMPLES: &str = "\
Examples:
  clockwise diff nutcracker.yml client.toml
  clockwise diff old.toml new.toml --keys keys.txt --format json";

const MIGRATE_EXAMPLES: &str = "\
Examples:
  clockwise migrate nutcracker.yml --to ring --hit-ratio 0.95
  clockwise migrate fleet.toml --to twemproxy,hash=murmur --steps 4 --keys keys.csv
  clockwise migrate before.toml --to after.toml";

const LAB_EXAMPLES: &str = "\
Examples:
  clockwise lab
  clockwise lab nutcracker.yml
  clockwise lab --no-open --listen 127.0.0.1:8080
  clockwise lab --export site/lab";

const VECTORS_EXAMPLES: &str = "\
Examples:
  clockwise vectors ring > ring.json
  clockwise vectors --out vectors
  clockwise vectors --check
  clockwise vectors --check vectors/ring.json";

/// Which server owns this key, what moves when the fleet changes, and does every client agree?
#[derive(Debug, Parser)]
#[command(name = "clockwise", version, after_help = EXIT_CODES, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// What a change to the fleet will move, before you make it
    #[command(after_help = PLAN_EXAMPLES)]
    Plan(Plan),
    /// Which server owns each key
    #[command(visible_alias = "where")]
    Owner(Owner),
    /// How a fleet divides the key space: points, shares, busiest ÷ mean
    Ring(Ring),
    /// How many points a ring needs, or how even one of so many points will be
    Size(Size),
    /// Whether two fleets place keys alike, and if not, why
    #[command(after_help = DIFF_EXAMPLES)]
    Diff(Diff),
    /// What in a fleet will hurt, with the remedy and the figure behind it
    #[command(visible_alias = "lint")]
    Check(Check),
    /// The same fleet as another product's file, if that product can place keys alike
    #[command(after_help = CONVERT_EXAMPLES)]
    Convert(Convert),
    /// From one scheme to another in steps: what moves in each, and what the database feels
    #[command(after_help = MIGRATE_EXAMPLES)]
    Migrate(Migrate),
    /// Sixteen digits that two clients compare to see whether they agree
    Fingerprint(Fingerprint),
    /// A page to play with: keys, servers, and what moves, in the browser
    #[command(after_help = LAB_EXAMPLES)]
    Lab(Lab),
    /// Test vectors for programs in other languages: print, write or recompute them
    #[command(after_help = VECTORS_EXAMPLES)]
    Vectors(Vectors),
    /// Measure again what is published about consistent hashing, or an experiment of your own
    #[command(after_help = study::EXAMPLES)]
    Study(Study),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write the manual pages into a folder
    Man {
        /// The folder; it is made if it is not there
        #[arg(value_hint = ValueHint::DirPath)]
        dir: PathBuf,
    },
}

impl Command {
    /// How often standard input is asked for: `-` for a fleet, and for keys.
    pub(crate) fn standard_inputs(&self) -> usize {
        let keys = |keys: &Keys| usize::from(keys.keys.as_ref().is_some_and(|path| path.as_os_str() == "-"));
        let fleets = |specs: &[&String]| {
            specs
                .iter()
                .filter(|spec| ["-", "/dev/stdin"].contains(&spec.split('#').next().unwrap_or("")))
                .count()
        };
        match self {
            Command::Plan(args) => {
                fleets(&[&args.before])
                    + args.after.iter().map(|after| fleets(&[after])).sum::<usize>()
                    + keys(&args.keys)
            }
            Command::Owner(args) => {
                let typed = !args.key.is_empty() || args.keys.keys.is_some();
                fleets(&[&args.fleet]) + if typed { keys(&args.keys) } else { 1 }
            }
            Command::Ring(args) => fleets(&[&args.fleet]),
            Command::Diff(args) => fleets(&[&args.a, &args.b]) + keys(&args.keys.keys),
            Command::Check(args) => fleets(&args.fleets.iter().collect::<Vec<_>>()),
            Command::Migrate(args) => fleets(&[&args.before, &args.to]) + keys(&args.keys.keys),
            Command::Convert(args) => fleets(&[&args.fleet]) + keys(&args.keys.keys),
            Command::Fingerprint(args) => fleets(&[&args.fleet]),
            Command::Lab(args) => args.fleet.iter().map(|fleet| fleets(&[fleet])).sum(),
            Command::Size(_)
            | Command::Study(_)
            | Command::Vectors(_)
            | Command::Completions { .. }
            | Command::Man { .. } => 0,
        }
    }

    /// Whether the answer is for programs, which want names byte by byte.
    pub(crate) fn is_for_programs(&self) -> bool {
        let format = match self {
            Command::Plan(args) => args.format,
            Command::Owner(args) => args.format,
            Command::Ring(args) => args.format,
            Command::Size(args) => args.format,
            Command::Diff(args) => args.format,
            Command::Check(args) => args.format,
            Command::Migrate(args) => args.format,
            Command::Fingerprint(args) => args.format,
            Command::Study(args) => args.format,
            Command::Vectors(args) if args.name.is_none() => args.format,
            Command::Lab(_) => return false,
            Command::Vectors(_) | Command::Convert(_) | Command::Completions { .. } | Command::Man { .. } => {
                return true;
            }
        };
        matches!(format, Format::Json | Format::Csv)
    }
}

/// How answers are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Aligned columns for people
    #[default]
    Table,
    /// One document (owner: one object a line), with stable names
    Json,
    /// Comma-separated, with a header
    Csv,
    /// Tables for a pull request or a wiki
    Markdown,
}

/// How a fleet is read.
#[derive(Args, Debug)]
pub(crate) struct Reading {
    /// Join servers that are listed more than once instead of refusing them
    #[arg(long)]
    pub(crate) merge: bool,
    /// Treat warnings (a weight that rounds to no points, say) as errors
    #[arg(long)]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) file: File,
}

/// What is told about a fleet's file besides what it says.
#[derive(Args, Clone, Debug)]
pub(crate) struct File {
    /// What kind of file it is; its content tells unless said
    #[arg(long, value_name = "KIND", value_parser = kinds())]
    pub(crate) from: Option<Kind>,
    /// Read, with a warning, what the file's own product would refuse and is clear all the same
    #[arg(long)]
    pub(crate) lenient: bool,
    /// How keys are placed, for files that do not say it: a scheme or dialect, then its settings
    #[arg(long, value_name = "NAME[,KEY=VALUE]...", value_parser = placement)]
    pub(crate) placement: Option<Scheme>,
}

fn kinds() -> impl TypedValueParser<Value = Kind> {
    PossibleValuesParser::new(Kind::all().map(Kind::name)).try_map(|name| name.parse::<Kind>())
}

fn placement(text: &str) -> Result<Scheme, String> {
    let scheme = text.parse::<Settings>().and_then(|settings| settings.scheme());
    scheme.map_err(|refused| refused.without_places())
}

/// How keys are read.
#[derive(Args, Debug)]
pub(crate) struct Keys {
    /// The keys: a file, or - for standard input. One key a line, or CSV with a header (key, and
    /// optionally requests and bytes), or the output of memcached's `lru_crawler metadump` or of
    /// `redis-cli --scan`. Keys are bytes: nothing is trimmed
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) keys: Option<PathBuf>,
    /// What the key file holds; told from its content unless said
    #[arg(long, value_name = "FORMAT")]
    pub(crate) key_format: Option<KeyFormat>,
    /// Keys end with a NUL byte instead of a line end
    #[arg(long, conflicts_with = "key_format")]
    pub(crate) null: bool,
    /// How each key is written; raw unless said
    #[arg(long, value_name = "ENCODING")]
    pub(crate) key_encoding: Option<KeyEncoding>,
    /// What ends a line; the first line tells unless said. With lf a CR is part of the key
    #[arg(long, value_name = "ENDING")]
    pub(crate) line_ending: Option<LineEnding>,
}

impl Keys {
    /// An option that says how a file of keys is divided, if one was given.
    pub(crate) fn of_a_file(&self) -> Option<&'static str> {
        let given = [
            ("--key-format", self.key_format.is_some()),
            ("--null", self.null),
            ("--line-ending", self.line_ending.is_some()),
        ];
        given.into_iter().find(|(_, given)| *given).map(|(option, _)| option)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum KeyFormat {
    /// One key a line
    Lines,
    /// Comma-separated with a header: key, requests, bytes
    Csv,
    /// Memcached's `lru_crawler metadump all`
    Metadump,
    /// `redis-cli --no-raw --scan`: quoted, with escapes
    Redis,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LineEnding {
    /// A line feed
    Lf,
    /// A carriage return and a line feed, on every line
    Crlf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum KeyEncoding {
    /// The bytes themselves
    Raw,
    /// Two hexadecimal digits a byte
    Hex,
    /// Base64 of RFC 4648
    Base64,
}

#[derive(Args, Debug)]
pub(crate) struct Plan {
    /// The fleet as it is: its file, or - for standard input; FILE#POOL picks one of several pools
    #[arg(value_name = "FLEET", value_hint = ValueHint::FilePath)]
    pub(crate) before: String,
    /// The fleet as it will be, instead of changes on the command line
    #[arg(value_name = "AFTER", value_hint = ValueHint::FilePath,
        conflicts_with_all = ["add", "remove", "weight", "replace", "address"])]
    pub(crate) after: Option<String>,

    /// A server joins: reached under its name, of weight 1 and in no zone unless said
    #[arg(
        long,
        value_name = "NAME[=ADDR][,weight=W][,zone=Z]",
        help_heading = "Changes (in the order given)"
    )]
    pub(crate) add: Vec<String>,
    /// A server leaves
    #[arg(long, value_name = "NAME", help_heading = "Changes (in the order given)")]
    pub(crate) remove: Vec<String>,
    /// A server's weight becomes W; 0 drains it
    #[arg(long, value_name = "NAME=W", help_heading = "Changes (in the order given)")]
    pub(crate) weight: Vec<String>,
    /// Another server takes a server's place, with its weight and zone; reached under its name unless said
    #[arg(long, value_name = "OLD=NEW[=ADDR]", help_heading = "Changes (in the order given)")]
    pub(crate) replace: Vec<String>,
    /// A server keeps its name and moves to another address
    #[arg(long, value_name = "NAME=ADDR", help_heading = "Changes (in the order given)")]
    pub(crate) address: Vec<String>,

    #[command(flatten)]
    pub(crate) keys: Keys,
    /// The same change under every other scheme, side by side
    #[arg(long)]
    pub(crate) compare: bool,
    /// The cache's hit ratio today (0.95 or 95%): shows the database's load while moved keys miss
    #[arg(long, value_name = "RATIO")]
    pub(crate) hit_ratio: Option<Ratio>,
    /// Exit with 1 when a larger share of the keys moves than this (12% or 0.12)
    #[arg(long, value_name = "SHARE")]
    pub(crate) max_moved: Option<Ratio>,
    /// Write every key that moves, with its old and new owner, as CSV
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) moved_keys: Option<PathBuf>,
    /// How many synthetic keys to use when no file is given
    #[arg(long, value_name = "COUNT", default_value_t = 1_000_000, conflicts_with = "keys",
        value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub(crate) sample: u64,
    /// The seed of the synthetic keys
    #[arg(long, default_value_t = 1, conflicts_with = "keys")]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// How the answer is printed
    #[arg(long, default_value = "table")]
    pub(crate) format: Format,
    /// The table that --format csv prints; flows unless said
    #[arg(long, value_name = "TABLE")]
    pub(crate) csv_table: Option<PlanTable>,
}

/// The tables of a plan: CSV is one table, so one is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlanTable {
    /// From server, to server
    Flows,
    /// Each server before and after
    Servers,
    /// Every scheme side by side
    Compare,
}

#[derive(Args, Debug)]
pub(crate) struct Owner {
    /// A fleet's file, or - for standard input; FILE#POOL picks one of several pools
    #[arg(value_name = "FLEET", value_hint = ValueHint::FilePath)]
    pub(crate) fleet: String,
    /// Keys; without any, and without --keys, they are read from standard input
    #[arg(value_name = "KEY", conflicts_with = "keys")]
    pub(crate) key: Vec<std::ffi::OsString>,
    #[command(flatten)]
    pub(crate) keys: Keys,
    /// How many distinct servers to name for each key, the owner first
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) replicas: usize,
    /// Spread the replicas over zones: strict refuses too few zones, best-effort (which --zones alone means)
    /// evens them out. Without it zones count for nothing
    #[arg(long, value_name = "RULE", num_args = 0..=1, default_missing_value = "best-effort", require_equals = true)]
    pub(crate) zones: Option<Zones>,
    /// A server that is down: its keys go to their next server, and ownership does not change
    #[arg(long, value_name = "NAME", action = ArgAction::Append)]
    pub(crate) down: Vec<String>,
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// How the answer is printed
    #[arg(long, default_value = "table")]
    pub(crate) format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Zones {
    /// No zone twice, or an error
    Strict,
    /// As even as the zones allow
    BestEffort,
}

#[derive(Args, Debug)]
pub(crate) struct Ring {
    /// A fleet's file, or - for standard input; FILE#POOL picks one of several pools
    #[arg(value_name = "FLEET", value_hint = ValueHint::FilePath)]
    pub(crate) fleet: String,
    /// Draw the ring into a file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) svg: Option<PathBuf>,
    /// List every point of the ring instead of the servers
    #[arg(long)]
    pub(crate) points: bool,
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// How the answer is printed
    #[arg(long, default_value = "table")]
    pub(crate) format: Format,
}

#[derive(Args, Debug)]
pub(crate) struct Lab {
    /// A fleet's file to begin with; FILE#POOL picks one of several pools
    #[arg(value_name = "FLEET", value_hint = ValueHint::FilePath, conflicts_with = "export")]
    pub(crate) fleet: Option<String>,
    /// Where to listen, on this machine alone; a free port where none is said
    #[arg(long, value_name = "ADDRESS[:PORT]", default_value = "127.0.0.1", conflicts_with = "export")]
    pub(crate) listen: String,
    /// Do not open the browser
    #[arg(long)]
    pub(crate) no_open: bool,
    /// Write the page into a folder instead, for any web server; its offline.html opens from a disk
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) export: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

#[derive(Args, Debug)]
#[command(group = clap::ArgGroup::new("what").required(true))]
pub(crate) struct Vectors {
    /// Print these: `hash`, a scheme, a dialect, or `schema` for the JSON Schema of all
    #[arg(value_name = "NAME", group = "what")]
    pub(crate) name: Option<String>,
    /// List the names, and how many tests each has
    #[arg(long, group = "what")]
    pub(crate) list: bool,
    /// Write all of them, and the schema, into a folder; it is made if it is not there
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, group = "what")]
    pub(crate) out: Option<PathBuf>,
    /// Compute every answer of these files (of a folder, all in it) anew and name each that differs;
    /// without any, of the files that this program was built with
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath, num_args = 0.., group = "what")]
    pub(crate) check: Option<Vec<PathBuf>>,
    /// How --list and --check print
    #[arg(long, default_value = "table")]
    pub(crate) format: Format,
}

#[derive(Args, Debug)]
#[command(group = clap::ArgGroup::new("question").required(true))]
pub(crate) struct Size {
    /// How many servers, all of one weight
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) servers: u32,
    /// How far above the mean the busiest server may be (10%): how many points does that take?
    #[arg(long, value_name = "PERCENT", group = "question")]
    pub(crate) within: Option<Percent>,
    /// How many points each server has: how far above the mean is the busiest?
    #[arg(long, value_name = "V", group = "question", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) points: Option<u32>,
    /// Keys a server: adds the unevenness that the keys themselves bring
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) keys_per_server: Option<u64>,
    /// How the answer is printed
    #[arg(long, default_value = "table")]
    pub(crate) format: Format,
}

/// A part of one: `0.95` or `95%`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ratio(pub(crate) f64);

impl std::str::FromStr for Ratio {
    type Err = String;
    fn from_str(text: &str) -> Result<Ratio, String> {
        let (number, whole) = match text.strip_suffix('%') {
            Some(number) => (number, 100.0),
            None => (text, 1.0),
        };
        match number.trim().parse::<f64>() {
            Ok(value) if (0.0..=whole).contains(&value) => Ok(Ratio(value / whole)),
            Ok(_) => Err(format!("{text} is not between 0 and 1; a percentage ends in %")),
            Err(_) => Err(format!("{text:?} is not a share such as 0.12 or 12%")),
        }
    }
}

/// Per cent above the mean: `10` or `10%`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Percent(pub(crate) f64);

impl std::str::FromStr for Percent {
    type Err = String;
    fn from_str(text: &str) -> Result<Percent, String> {
        match text.strip_suffix('%').unwrap_or(text).trim().parse::<f64>() {
            Ok(value) if value > 0.0 && value <= 100_000.0 => Ok(Percent(value)),
            Ok(_) => Err(format!("{text} is not between 0% and 100000%, both apart")),
            Err(_) => Err(format!("{text:?} is not a percentage such as 10%")),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_definitions_are_consistent() {
        Cli::command().debug_assert();
    }

    /// Options whose absence means that what they are for is not done.
    const DOES_NOTHING: &[&str] = &[
        "add",
        "remove",
        "weight",
        "replace",
        "address",
        "keys",
        "hit-ratio",
        "max-moved",
        "moved-keys",
        "svg",
        "out",
        "export",
        "down",
        "placement",
        "keys-per-server",
        "check",
        "within",
        "points",
    ];

    #[test]
    fn help_says_of_every_option_what_holds_without_it() {
        let mut options = 0;
        for command in Cli::command().get_subcommands() {
            for option in command.get_opts().filter(|option| option.get_action().takes_values()) {
                let name = option.get_long().unwrap_or_default();
                let help = option.get_help().map(ToString::to_string).unwrap_or_default();
                let told =
                    ["unless said", "Unless said", "Without it"].iter().any(|words| help.contains(words));
                let shown = !option.get_default_values().is_empty() && !option.is_hide_default_value_set();
                let fine = told || shown || option.is_required_set() || DOES_NOTHING.contains(&name);
                assert!(fine, "{} --{name}: {help}", command.get_name());
                options += 1;
            }
        }
        assert!(options > 50, "{options}");
    }

    #[test]
    fn shares_are_read_as_a_part_or_a_percentage() {
        let ratio = |text: &str| text.parse::<Ratio>().map(|r| r.0);
        assert_eq!(ratio("0.95"), Ok(0.95));
        assert_eq!(ratio("12%"), Ok(0.12));
        for wrong in ["95", "101%", "-1%", "NaN", "inf", "", "%", "twelve"] {
            assert!(ratio(wrong).is_err(), "{wrong}");
        }
        for wrong in ["0", "-5", "NaN%", "inf", ""] {
            assert!(wrong.parse::<Percent>().is_err(), "{wrong}");
        }
    }
}
