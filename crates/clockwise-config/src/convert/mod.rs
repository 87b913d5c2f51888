//! Fleets written as other products' files.
//!
//! Whether a product can place keys as a fleet does is not argued but tried: the fleet is written in
//! every way that the product has ([`Target::candidates`]), each text is read back by that product's
//! reader, and whoever asked compares the placements. A fleet of the product's own dialect has one
//! way to be written.

mod envoy;
mod haproxy;
mod nginx;
mod twemproxy;

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use clockwise::dialect::Dialect;
use clockwise::{Scheme, Server};

use crate::diagnostic::{Diagnostic, quoted};
use crate::fleet::Pool;
use crate::kind::Kind;
use crate::suggest::nearest;
use crate::{Options, parse, template};

/// A kind of file that fleets can be written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Target {
    /// Clockwise's own TOML, which holds every fleet.
    Toml,
    /// A pool of twemproxy.
    Twemproxy,
    /// An `upstream` of nginx.
    Nginx,
    /// A `backend` of HAProxy.
    Haproxy,
    /// A cluster of Envoy, in YAML.
    Envoy,
}

/// A fleet written as a product's file, and what the product makes of it.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The file.
    pub text: String,
    /// The fleet as read back.
    pub pool: Pool,
}

/// Why a server or a fleet cannot be written: the server's name, where it is one, and a sentence.
pub(crate) struct Unwritable {
    server: Option<String>,
    why: String,
}

impl Unwritable {
    /// About a server; `why` goes on after its name.
    pub(crate) fn server(server: &Server, why: &str) -> Unwritable {
        let name = server.name().as_str();
        Unwritable { server: Some(name.to_owned()), why: format!("server {} {why}", quoted(name)) }
    }

    /// About the fleet.
    pub(crate) fn fleet(why: impl Into<String>) -> Unwritable {
        Unwritable { server: None, why: why.into() }
    }
}

/// What a writer gets: the fleet, and what to call it.
pub(crate) struct Draft<'a> {
    pub(crate) pool: &'a Pool,
    /// A name of letters, digits, dashes and underscores.
    pub(crate) name: String,
}

impl<'a> Draft<'a> {
    pub(crate) fn servers(&self) -> &'a [Server] {
        self.pool.servers().servers()
    }
}

impl Target {
    /// All targets.
    pub const ALL: &[Target] =
        &[Target::Toml, Target::Twemproxy, Target::Nginx, Target::Haproxy, Target::Envoy];

    /// The kind of its files.
    pub fn kind(self) -> Kind {
        match self {
            Target::Toml => Kind::Toml,
            Target::Twemproxy => Kind::Twemproxy,
            Target::Nginx => Kind::Nginx,
            Target::Haproxy => Kind::Haproxy,
            Target::Envoy => Kind::Envoy,
        }
    }

    /// Two servers of one address, where the product calls servers by it.
    fn shared_address<'p>(self, draft: &Draft<'p>) -> Option<(&'p Server, &'p Server)> {
        if !matches!(self, Target::Nginx | Target::Envoy) {
            return None;
        }
        let mut seen = BTreeMap::new();
        draft
            .servers()
            .iter()
            .find_map(|server| seen.insert(server.address().as_str(), server).map(|first| (first, server)))
    }

    /// A server whose name or address would be taken for a template's placeholder in such a file.
    fn placeholder(self, draft: &Draft<'_>) -> Option<Diagnostic> {
        draft.servers().iter().find_map(|server| {
            let texts = [("a name", server.name().as_str()), ("an address", server.address().as_str())];
            let (what, text, language) = texts
                .into_iter()
                .find_map(|(what, text)| Some((what, text, template::language_of(self.kind(), text)?)))?;
            let name = server.name().as_str();
            let message = format!(
                "server {} has {what} that a file of {self} cannot hold here: {} is read there as a placeholder of {language}",
                quoted(name),
                quoted(text)
            );
            Some(draft.pool.error_at(Some(name), message).with_help("give the server another name"))
        })
    }

    /// The fleet as a file of this kind, in every way in which it could place keys alike; each has
    /// been read back.
    ///
    /// The error says what stops all of them: a server without a port where one is needed, say.
    pub fn candidates(self, pool: &Pool) -> Result<Vec<Candidate>, Diagnostic> {
        let draft = Draft { pool, name: word(pool.name().unwrap_or("fleet")) };
        let texts = match self {
            Target::Toml => vec![Ok(pool.to_toml())],
            Target::Twemproxy => twemproxy::texts(&draft),
            Target::Nginx => nginx::texts(&draft),
            Target::Haproxy => haproxy::texts(&draft),
            Target::Envoy => envoy::texts(&draft),
        };
        if let Some((first, second)) = self.shared_address(&draft) {
            let address = quoted(second.address().as_str());
            let message = format!(
                "servers {} and {} are both at {address}, and {self} tells servers apart by their addresses",
                quoted(first.name().as_str()),
                quoted(second.name().as_str()),
            );
            return Err(pool.error_at(Some(second.name().as_str()), message));
        }
        let options = Options { from: Some(self.kind()), ..Options::default() };
        let mut candidates = Vec::new();
        let mut refused = None;
        for text in texts {
            let read = text.map_err(|unwritable| pool.error_at(unwritable.server.as_deref(), unwritable.why));
            // What the product's own reader refuses, the product does.
            let read = read.and_then(|text| {
                let path = format!("{} as {self}", pool.path());
                let read = parse(&path, text.as_bytes(), &options).and_then(|file| Ok(file.pick(None)?));
                match read {
                    Ok(pool) => Ok(Candidate { text, pool }),
                    Err(complaints) => {
                        if let Some(reason) = self.placeholder(&draft) {
                            return Err(reason);
                        }
                        let first = complaints.iter().next().map_or("it cannot be read", Diagnostic::message);
                        Err(pool.error_at(None, format!("{self} refuses such a fleet: {first}")))
                    }
                }
            });
            match read {
                Ok(candidate) => candidates.push(candidate),
                Err(reason) => refused = refused.or(Some(reason)),
            }
        }
        match refused {
            Some(reason) if candidates.is_empty() => Err(reason),
            _ => Ok(candidates),
        }
    }
}

impl fmt::Display for Target {
    /// The name, as [`FromStr`] takes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.kind().name())
    }
}

impl FromStr for Target {
    type Err = String;

    /// By its name. The error is a sentence.
    fn from_str(text: &str) -> Result<Target, String> {
        let names = || Target::ALL.iter().map(|target| target.kind().name());
        match Target::ALL.iter().find(|target| target.kind().name() == text) {
            Some(target) => Ok(*target),
            None => Err(match nearest(text, names()) {
                Some(meant) => {
                    format!("fleets cannot be written as {}: did you mean {}?", quoted(text), quoted(meant))
                }
                None => format!(
                    "fleets cannot be written as {}: there are {}",
                    quoted(text),
                    names().collect::<Vec<_>>().join(", ")
                ),
            }),
        }
    }
}

/// The settings to write a fleet with: its own if it is of the dialect, else all there are.
pub(crate) fn settings<O: Clone>(
    draft: &Draft<'_>,
    own: impl Fn(&Dialect) -> Option<O>,
    all: impl FnOnce() -> Vec<O>,
) -> Vec<O> {
    match draft.pool.scheme().bare() {
        Scheme::Dialect(dialect) => own(dialect).map_or_else(all, |options| vec![options]),
        _ => all(),
    }
}

/// A name that every product takes.
fn word(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '-' };
    match name {
        "" => "fleet".to_owned(),
        name => name.chars().map(plain).collect(),
    }
}
