//! One opaque [`Error`] for the whole library.
//!
//! Callers ask it questions (`is_…`) instead of matching on variants, so a new kind of refusal is
//! not a breaking change. The message is lower-case prose that names the server and the value.

use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;

/// Why something could not be built or was refused.
///
/// One word wide and cheap to return. [`Display`](fmt::Display) names the offending server and
/// value; the predicates tell the kinds apart.
///
/// ```
/// use clockwise::{Members, Server};
///
/// let error = Server::new("cache-1")?.with_weight(0_i64).unwrap_err();
/// assert!(error.is_weight());
/// assert_eq!(error.server(), Some("cache-1"));
/// assert!(Members::new([]).unwrap_err().is_no_servers());
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<Inner>);

#[derive(Clone, PartialEq, Eq)]
struct Inner {
    server: Option<String>,
    kind: Kind,
}

/// What went wrong. Private to the crate: the public face is the predicates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    NoServers { draining: usize },
    TooManyServers { servers: usize, limit: u32 },
    Duplicate { name: String, first: usize, second: usize },
    Unmergeable { name: String, field: &'static str, first: String, second: String },
    Unknown { name: String },
    Name { value: String, problem: &'static str },
    Address { value: String, problem: &'static str },
    Zone { value: String, problem: &'static str },
    Weight { value: String, problem: &'static str },
    TooManyPoints { points: u128, limit: u64 },
    TooMuchWeight { total: u64, limit: u64 },
    PointsPerWeight,
    TooFewServers { wanted: usize, have: usize },
    TooFewZones { wanted: usize, have: usize },
    NoZone,
    NoReplicas,
    TableSize { size: u64, problem: &'static str },
    MoreServersThanSlots { servers: usize, slots: usize },
    SlotOutOfRange { slot: u64, slots: usize },
    SlotTaken { slot: u32, owner: String },
    SlotsUnassigned { first: usize, last: usize, missing: usize, slots: usize },
    BucketOutOfRange { bucket: usize, buckets: usize },
    BucketCount { value: i128, problem: &'static str },
    LastServer,
    Cap { value: String, problem: &'static str },
    Choice { what: &'static str, value: String, known: &'static str },
    StaleEpoch { offered: u64, current: u64 },
    SplitEpoch { epoch: u64, differs: &'static str, offered: String, current: String },
    Option { name: &'static str, value: String, problem: &'static str },
    Histories { before: String, after: String },
}

impl Error {
    pub(crate) fn new(kind: Kind) -> Error {
        Error(Box::new(Inner { server: None, kind }))
    }

    /// For callers that look servers up themselves: the fleet has none of that name.
    pub fn unknown_server(name: impl Into<String>) -> Error {
        Error::new(Kind::Unknown { name: name.into() })
    }

    /// Says which server an error is about, where only the caller knows it.
    #[must_use]
    pub fn of_server(mut self, name: impl Into<String>) -> Error {
        self.0.server.get_or_insert(name.into());
        self
    }

    /// The server the error is about, if it is about one.
    pub fn server(&self) -> Option<&str> {
        match &self.0.kind {
            Kind::Duplicate { name, .. } | Kind::Unmergeable { name, .. } | Kind::Unknown { name } => {
                Some(name)
            }
            _ => self.0.server.as_deref(),
        }
    }

    /// No servers at all, or none that may own keys.
    pub fn is_no_servers(&self) -> bool {
        matches!(self.0.kind, Kind::NoServers { .. } | Kind::LastServer)
    }

    /// The same server twice (or twice with fields that differ, where duplicates are merged).
    pub fn is_duplicate(&self) -> bool {
        matches!(self.0.kind, Kind::Duplicate { .. } | Kind::Unmergeable { .. })
    }

    /// A server that is not in the fleet was named.
    pub fn is_unknown_server(&self) -> bool {
        matches!(self.0.kind, Kind::Unknown { .. })
    }

    /// A weight that is not a positive whole number in range.
    pub fn is_weight(&self) -> bool {
        matches!(self.0.kind, Kind::Weight { .. })
    }

    /// A name, address or zone that cannot be one.
    pub fn is_text(&self) -> bool {
        matches!(self.0.kind, Kind::Name { .. } | Kind::Address { .. } | Kind::Zone { .. })
    }

    /// More servers than the documented limit, or weights that would need more points, buckets or
    /// slots than theirs.
    pub fn is_too_large(&self) -> bool {
        matches!(
            self.0.kind,
            Kind::TooManyServers { .. } | Kind::TooManyPoints { .. } | Kind::TooMuchWeight { .. }
        )
    }

    /// More replicas than servers, or (strictly spread) than zones that are known.
    pub fn is_too_few(&self) -> bool {
        matches!(self.0.kind, Kind::TooFewServers { .. } | Kind::TooFewZones { .. } | Kind::NoZone)
    }

    /// A table, slot, bucket, cap or option outside what its scheme allows.
    pub fn is_parameter(&self) -> bool {
        matches!(
            self.0.kind,
            Kind::PointsPerWeight
                | Kind::NoReplicas
                | Kind::TableSize { .. }
                | Kind::MoreServersThanSlots { .. }
                | Kind::SlotOutOfRange { .. }
                | Kind::SlotTaken { .. }
                | Kind::SlotsUnassigned { .. }
                | Kind::BucketOutOfRange { .. }
                | Kind::BucketCount { .. }
                | Kind::Cap { .. }
                | Kind::Choice { .. }
                | Kind::Option { .. }
        )
    }

    /// Two histories of removals, neither of which can have come of the other.
    pub fn is_history(&self) -> bool {
        matches!(self.0.kind, Kind::Histories { .. })
    }

    /// A view older than the one in force was offered.
    pub fn is_stale_epoch(&self) -> bool {
        matches!(self.0.kind, Kind::StaleEpoch { .. })
    }

    /// Two views carry one epoch, and place keys differently or reach servers elsewhere.
    pub fn is_split_epoch(&self) -> bool {
        matches!(self.0.kind, Kind::SplitEpoch { .. })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(server) = &self.0.server {
            write!(f, "server {server:?}: ")?;
        }
        match &self.0.kind {
            Kind::NoServers { draining: 0 } => f.write_str("no servers: a placement needs at least one"),
            Kind::NoServers { draining: 1 } => {
                f.write_str("no active servers: the one that is listed is draining")
            }
            Kind::NoServers { draining } => {
                write!(f, "no active servers: all {draining} listed are draining")
            }
            Kind::TooManyServers { servers, limit } => {
                write!(f, "{servers} servers are too many: fleets end at {limit}")
            }
            Kind::Duplicate { name, first, second } => {
                write!(f, "server {name:?} is listed twice, at positions {first} and {second}")
            }
            Kind::Unmergeable { name, field, first, second } => write!(
                f,
                "server {name:?} is listed twice and cannot be merged: its {field} is {first} in one place and {second} in another"
            ),
            Kind::Unknown { name } => write!(f, "there is no server {name:?} in this fleet"),
            Kind::Name { value, problem } => write!(f, "server name {value:?} {problem}"),
            Kind::Address { value, problem } => write!(f, "address {value:?} {problem}"),
            Kind::Zone { value, problem } => write!(f, "zone {value:?} {problem}"),
            Kind::Weight { value, problem } => write!(f, "weight {value} {problem}"),
            Kind::TooManyPoints { points, limit } => {
                write!(f, "its weight brings the fleet to {points} points, and the limit is {limit}")
            }
            Kind::TooMuchWeight { total, limit } => {
                write!(f, "its weight brings the fleet's total to {total}, and the limit is {limit}")
            }
            Kind::PointsPerWeight => f.write_str("points per weight must be at least 1"),
            Kind::TooFewServers { wanted, have } => {
                write!(f, "{wanted} replicas need {wanted} active servers, and the fleet has {have}")
            }
            Kind::TooFewZones { wanted, have } => write!(
                f,
                "{wanted} replicas in {wanted} zones were asked for, and the fleet has {have} zone{}",
                if *have == 1 { "" } else { "s" }
            ),
            Kind::NoZone => f.write_str("it has no zone, so replicas cannot be kept in zones of their own"),
            Kind::NoReplicas => f.write_str("the number of replicas must be at least 1"),
            Kind::TableSize { size, problem } => write!(f, "table size {size} {problem}"),
            Kind::MoreServersThanSlots { servers, slots } => {
                write!(f, "{servers} servers do not fit a table of {slots} slots: each needs at least one")
            }
            Kind::SlotOutOfRange { slot, slots } => write!(f, "slot {slot} is outside 0..{slots}"),
            Kind::SlotTaken { slot, owner } => write!(f, "slot {slot} already belongs to {owner:?}"),
            Kind::SlotsUnassigned { first, last, missing, slots } => {
                write!(f, "{missing} of {slots} slots have no owner, the first of them {first}")?;
                if last > first { write!(f, "-{last}") } else { Ok(()) }
            }
            Kind::BucketOutOfRange { bucket, buckets } => {
                write!(f, "bucket {bucket} is outside 0..{buckets}")
            }
            Kind::BucketCount { value, problem } => write!(f, "bucket count {value} {problem}"),
            Kind::LastServer => f.write_str("it is the last active server, and a fleet needs one"),
            Kind::Cap { value, problem } => write!(f, "load cap {value} {problem}"),
            Kind::Choice { what, value, known } => {
                write!(f, "there is no {what} {value:?}; known: {known}")
            }
            Kind::StaleEpoch { offered, current } => {
                write!(f, "epoch {offered} is older than {current}, the one in force")
            }
            Kind::SplitEpoch { epoch, differs, offered, current } => write!(
                f,
                "two views carry epoch {epoch} and {differs}: {offered} was offered, {current} is in force"
            ),
            Kind::Histories { before, after } => {
                write!(
                    f,
                    "histories differ: {before} before, and {after} after; one has to continue the other"
                )
            }
            Kind::Option { name, value, problem } => write!(f, "{name} {value} {problem}"),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({self})")
    }
}

impl core::error::Error for Error {}

impl From<core::convert::Infallible> for Error {
    fn from(never: core::convert::Infallible) -> Error {
        match never {}
    }
}
