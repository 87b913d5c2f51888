//! What in a fleet will hurt, found before it does.
//!
//! A [`Finding`] says what is wrong, why that matters, what to do, and the figure behind it: from
//! [`theory`](crate::theory) where there is one, exact where the placement can be measured, else
//! counted on synthetic keys. Every limit is stated here, as a constant.
//!
//! | rule | found when |
//! |---|---|
//! | `unbuildable` | the scheme refuses the fleet |
//! | `thin-ring` | so few points a server that the busiest of as many equal ones is expected above [`BUSIEST`] |
//! | `uneven-shares` | the busiest of this very fleet is above [`BUSIEST`] although theory expected less |
//! | `narrow-hash` | the key hash has fewer bits than the ring, and keys reach only some of its points |
//! | `numbered-keys` | of `key:0`, `key:1` and so on, a thousand to a hundred thousand, one server gets more than [`NUMBERED`] times its share, and random keys do not lie so |
//! | `no-points` | the weight of an active server rounds to nothing, or it was given no tokens |
//! | `unequal-points` | servers of one weight have different numbers of points |
//! | `lost-digest` | single precision rounds a server's points below what its weight calls for |
//! | `ties` | servers have a point at one position |
//! | `ids-by-position` | points are made from ids, and a server has none but by its place in the list |
//! | `order-matters` | another order of the list is another placement |
//! | `small-table` | a Maglev table has fewer than [`SLOTS_A_SERVER`] slots a server |
//! | `large-table` | weights make more than [`MANY_POINTS`] points or buckets |
//! | `prefix-tag` | the key prefix holds a whole hash tag, so that all keys have one owner |
//! | `listed-twice` | two servers are one address, written alike or not |
//! | `local-address` | an address that is another machine on every host, in a list with others |
//! | `ipv6-brackets` | an IPv6 address without brackets that ends in what may be a port |
//! | `uneven-zones` | the heaviest zone weighs more than [`ZONES`] times the lightest, or some servers have none |

mod placement;
mod servers;
#[cfg(test)]
mod tests;

use clockwise::{Buckets, Built, Scheme, ServerName};
use clockwise_config::{About, Settings};

use crate::plan::Fleet;

pub use servers::same_machines;

/// Busiest ÷ mean above which arcs are too uneven.
pub const BUSIEST: f64 = 1.25;

/// Busiest ÷ mean above which numbered keys crowd.
pub const NUMBERED: f64 = 1.5;

/// Slots a server that keep a Maglev table within about one per cent of even: D. Eisenbud and others,
/// *Maglev: A Fast and Reliable Software Network Load Balancer*, NSDI 2016, section 5.3.
pub const SLOTS_A_SERVER: u64 = 100;

/// Points or buckets above which a table is large: 2²⁰.
pub const MANY_POINTS: u64 = 1 << 20;

/// Heaviest ÷ lightest zone above which replicas load zones unevenly.
pub const ZONES: f64 = 1.5;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Good to know.
    Note,
    /// Will hurt under some conditions.
    Warning,
    /// Hurts.
    Error,
}

impl Severity {
    /// In tables and JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

impl std::fmt::Display for Severity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

/// What a finding is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The fleet as a whole.
    Fleet,
    /// A server.
    Server(ServerName),
    /// A setting of the placement.
    Setting(&'static str),
}

impl Subject {
    /// The same, to ask a file for its line.
    pub fn about(&self) -> About<'_> {
        match self {
            Subject::Fleet => About::Fleet,
            Subject::Server(name) => About::Server(name.as_str()),
            Subject::Setting(key) => About::Setting(key),
        }
    }
}

/// The number behind a finding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// What it is.
    pub name: &'static str,
    /// How much.
    pub value: f64,
    /// The limit that it passes, where there is one.
    pub limit: Option<f64>,
}

/// Something that deserves a look.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The rule, by name.
    pub rule: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What it is about.
    pub subject: Subject,
    /// What was found.
    pub message: String,
    /// Why that matters.
    pub reason: String,
    /// What to do.
    pub remedy: String,
    /// The number behind it.
    pub figure: Option<Figure>,
}

impl Finding {
    fn new(rule: &'static str, severity: Severity, subject: Subject) -> Finding {
        let none = String::new;
        Finding { rule, severity, subject, message: none(), reason: none(), remedy: none(), figure: None }
    }

    fn because(
        self,
        message: impl Into<String>,
        reason: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Finding {
        Finding { message: message.into(), reason: reason.into(), remedy: remedy.into(), ..self }
    }

    fn figure(self, name: &'static str, value: f64, limit: impl Into<Option<f64>>) -> Finding {
        Finding { figure: Some(Figure { name, value, limit: limit.into() }), ..self }
    }
}

/// A fleet with its placement.
struct Checked<'f> {
    scheme: &'f Scheme,
    servers: &'f Buckets,
    settings: Settings,
    built: Built,
}

impl Checked<'_> {
    /// A setting, or the fleet where the scheme has no such setting.
    fn setting(&self, key: &'static str) -> Subject {
        if self.settings.keys().any(|known| known == key) { Subject::Setting(key) } else { Subject::Fleet }
    }
}

/// All findings about a fleet, the worst first.
pub fn check(fleet: &Fleet) -> Vec<Finding> {
    let mut findings = servers::check(fleet);
    match fleet.scheme.build(&fleet.servers) {
        Ok(built) => {
            let settings = Settings::of(&fleet.scheme);
            let checked = Checked { scheme: &fleet.scheme, servers: &fleet.servers, settings, built };
            findings.extend(placement::check(&checked));
        }
        Err(error) => {
            let server = error.server().and_then(|name| ServerName::new(name).ok());
            let subject = server.map_or(Subject::Fleet, Subject::Server);
            findings.push(Finding::new("unbuildable", Severity::Error, subject).because(
                error.to_string(),
                format!(
                    "{} has no placement for this fleet, so nothing else can be said about it",
                    fleet.scheme
                ),
                "change what is named",
            ));
        }
    }
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    findings
}
