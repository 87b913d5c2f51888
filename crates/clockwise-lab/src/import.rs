//! A configuration that was pasted or dropped: which fleet it is.

use clockwise::catalogue::Chosen;
use clockwise::dialect::Dialect;
use clockwise::dialect::lab::Algorithm;
use clockwise::{Placement as _, Scheme};
use clockwise_config::{Diagnostic, Diagnostics, Options, Pool, Settings, parse};
use serde::{Deserialize, Serialize};

use crate::Refusal;
use crate::sentence::{grouped, many};
use crate::state::{Fleet, MAX_NODES, Node, SchemeName};

/// What is asked.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// What the file is called, for messages; anything, if it was pasted.
    #[serde(default = "pasted")]
    pub name: String,
    /// What it holds.
    pub text: String,
    /// Which of its pools is meant; of several it must be said.
    #[serde(default)]
    pub pool: Option<String>,
    /// How keys are placed, where the file does not say it: `NAME[,KEY=VALUE]…` as `clockwise --placement`
    /// takes it.
    #[serde(default)]
    pub placement: Option<String>,
}

fn pasted() -> String {
    "pasted".to_owned()
}

/// What a configuration holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Import {
    /// What kind of file it is: `twemproxy`.
    pub kind: String,
    /// Its pools by name.
    pub pools: Vec<String>,
    /// The pool that was read; none while there are several to choose from.
    pub pool: Option<String>,
    /// Its fleet, ready for a state; none while there are several to choose from.
    pub fleet: Option<Fleet>,
    /// What is suspicious and still clear.
    pub warnings: Vec<String>,
    /// What was found, for a person.
    pub sentence: String,
}

/// Reads a configuration.
pub fn import(ask: &Ask) -> Result<Import, Refusal> {
    let placement = match &ask.placement {
        None => None,
        Some(text) => {
            let scheme = text.parse::<Settings>().and_then(|settings| settings.scheme());
            Some(scheme.map_err(|refused| Refusal::new(refused.without_places()))?)
        }
    };
    let options = Options { placement, ..Options::default() };
    if ask.text.contains('\0') {
        return Err(Refusal::new(format!("{} holds NUL bytes: it is no configuration", ask.name)));
    }
    let file = parse(&ask.name, ask.text.as_bytes(), &options).map_err(|problems| refused(&problems))?;
    let pools: Vec<String> = file.names().map(str::to_owned).collect();
    if ask.pool.is_none() && file.pools() > 1 {
        let sentence = format!("The file holds {} pools: choose one.", file.pools());
        let kind = file.kind().to_string();
        return Ok(Import { kind, pools, pool: None, fleet: None, warnings: Vec::new(), sentence });
    }
    let pool = file.pick(ask.pool.as_deref()).map_err(|problem| Refusal::new(told(&problem)))?;
    let fleet = fleet(&pool)?;
    let built =
        pool.scheme().build(pool.servers()).map_err(|error| Refusal::new(told(&pool.diagnose(&error))))?;
    let named = pool.name().map_or(String::new(), |name| format!(" \u{201c}{name}\u{201d}"));
    let sentence = format!(
        "{}: {}{named}, placed as {} places keys.",
        pool.kind(),
        many(built.servers().len() as u64, "server", "servers"),
        pool.scheme()
    );
    Ok(Import {
        kind: pool.kind().to_string(),
        pools,
        pool: pool.name().map(str::to_owned),
        fleet: Some(fleet),
        warnings: pool.warnings().iter().map(told).collect(),
        sentence,
    })
}

/// How many problems of a file are told; past so many it is another kind of file.
const TOLD: usize = 3;

fn refused(problems: &Diagnostics) -> Refusal {
    let mut lines: Vec<String> = problems.iter().take(TOLD).map(told).collect();
    let more = problems.iter().len().saturating_sub(TOLD) + problems.omitted();
    if more > 0 {
        lines.push(format!("and {}", many(more as u64, "more problem", "more problems")));
    }
    Refusal::new(lines.join("\n"))
}

/// A problem, and on a line of its own what helps.
fn told(problem: &Diagnostic) -> String {
    let advice = problem.help().and_then(advice).map_or(String::new(), |advice| format!("\nHelp: {advice}."));
    format!("{}{advice}", problem.to_string().trim_end())
}

/// The help of a problem in the words of a page, which has none of the command's options but `--placement`.
fn advice(help: &str) -> Option<String> {
    let others = |clause: &&str| !["--from", "--lenient"].iter().any(|option| clause.contains(option));
    let clauses: Vec<&str> = help.split("; ").filter(others).collect();
    let text = clauses.join("; ").replace(", or join equal copies with --merge", "");
    if text.is_empty() {
        return None;
    }
    match text.contains("--placement ") {
        true => Some(format!("{} (in the field for how keys are placed)", text.replace("--placement ", ""))),
        false => Some(text),
    }
}

/// The fleet of a pool that was read.
pub fn fleet(pool: &Pool) -> Result<Fleet, Refusal> {
    let servers = pool.servers().servers();
    if servers.len() > MAX_NODES {
        return Err(Refusal::new(format!(
            "{} are more than the {} of a page",
            many(servers.len() as u64, "server", "servers"),
            grouped(MAX_NODES as u64)
        )));
    }
    let nodes = servers.iter().map(Node::from).collect();
    let fleet = Fleet { nodes, ..Fleet::default() };
    let hashed =
        |scheme, hash: &clockwise::hash::NamedHash| Fleet { scheme, hash: hash.to_string(), ..fleet.clone() };
    // What the page has controls for comes as those; all else as the settings that the file says.
    Ok(match pool.scheme() {
        Scheme::ModN { hash } => hashed(SchemeName::ModN, hash),
        Scheme::Jump { hash } => hashed(SchemeName::Jump, hash),
        Scheme::Maglev { hash, table_size } if *table_size <= u32::MAX.into() => {
            Fleet { table: *table_size as u32, ..hashed(SchemeName::Maglev, hash) }
        }
        Scheme::Slots { hash, slots } => Fleet { slots: *slots, ..hashed(SchemeName::Slots, hash) },
        Scheme::Catalogued(chosen) if *chosen == Chosen::new(chosen.entry()).with_hash(chosen.hash()) => {
            hashed(SchemeName::Catalogued(chosen.entry().name), &chosen.hash())
        }
        Scheme::Dialect(Dialect::Lab(options)) => {
            let scheme = match options.algorithm {
                Algorithm::Rendezvous => SchemeName::Rendezvous,
                Algorithm::Bounded => SchemeName::Bounded,
                _ => SchemeName::Ring,
            };
            let epsilon = Settings::of(pool.scheme()).shown("epsilon").unwrap_or(fleet.epsilon.clone());
            Fleet { tokens: options.points_per_weight, epsilon, ..hashed(scheme, &options.hash) }
        }
        other => Fleet { scheme: SchemeName::Product, product: Settings::of(other).to_string(), ..fleet },
    })
}
