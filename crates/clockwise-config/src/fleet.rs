//! What comes out of a file: its pools, each a list of servers and how keys are placed on them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use clockwise::{Buckets, Error, Members, Scheme, Server};

use crate::diagnostic::{Diagnostic, Diagnostics, Severity, quoted};
use crate::kind::Kind;
use crate::report::Report;
use crate::source::{Source, Span};
use crate::suggest::nearest;
use crate::template;

/// A file that was read.
#[derive(Clone, Debug)]
pub struct FleetFile {
    /// As given.
    path: Arc<str>,
    /// What was read; of a page with several blocks, the first.
    source: Source,
    kind: Kind,
    pools: Vec<Held>,
}

/// A pool in its file.
#[derive(Clone, Debug)]
struct Held {
    /// What it was read from: blocks have texts of their own.
    source: Source,
    kind: Kind,
    /// What it stands in, where that is a block of the file.
    inside: Option<Arc<str>>,
    /// It is no fleet, or a broken one, beside others that can be read: found by name alone.
    is_refused: bool,
    pool: PoolRead,
    notes: Vec<String>,
}

/// A pool as its reader leaves it.
#[derive(Clone, Debug)]
pub(crate) struct PoolRead {
    pub(crate) name: Option<String>,
    /// Where the file names it.
    pub(crate) span: Span,
    /// The placement, or why it has none although the file is right: such a pool can stand beside
    /// the one that is asked for.
    pub(crate) scheme: Result<Scheme, Diagnostic>,
    /// The settings of the placement, as text.
    pub(crate) settings: Vec<SettingPlace>,
    pub(crate) entries: Vec<ServerEntry>,
    pub(crate) warnings: Vec<Diagnostic>,
}

/// The key of the setting that says what of a request is hashed.
pub(crate) const HASHED: &str = "hashed";

/// A setting of the placement and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct SettingPlace {
    pub(crate) key: String,
    pub(crate) text: String,
    pub(crate) span: Span,
}

/// A server and where the file lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerEntry {
    server: Server,
    span: Span,
}

/// What a line of a file is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About<'a> {
    /// The pool, or the placement of a file with one fleet.
    Fleet,
    /// The server of that name.
    Server(&'a str),
    /// The setting of the placement under that key.
    Setting(&'a str),
}

/// A fleet: servers in the order of the file, and how keys are placed on them.
#[derive(Clone, Debug)]
pub struct Pool {
    path: Arc<str>,
    source: Source,
    kind: Kind,
    inside: Option<Arc<str>>,
    name: Option<String>,
    span: Span,
    scheme: Scheme,
    settings: Vec<SettingPlace>,
    servers: Buckets,
    entries: Vec<ServerEntry>,
    warnings: Vec<Diagnostic>,
    notes: Vec<String>,
}

impl ServerEntry {
    pub(crate) fn new(server: Server, span: Span) -> ServerEntry {
        ServerEntry { server, span }
    }

    /// The server.
    pub fn server(&self) -> &Server {
        &self.server
    }

    /// Where it is listed: the line's text, or the header of its table.
    pub fn span(&self) -> Span {
        self.span
    }
}

impl FleetFile {
    pub(crate) fn new(kind: Kind, pools: Vec<PoolRead>, report: Report) -> Result<FleetFile, Diagnostics> {
        let source = report.source.clone();
        let notes = report.notes.clone();
        let warnings = report.finish()?;
        let held = |pool| Held {
            source: source.clone(),
            kind,
            inside: None,
            is_refused: false,
            pool,
            notes: notes.clone(),
        };
        let pools = pools.into_iter().map(held).collect();
        let mut file = FleetFile { path: source.path().into(), source, kind, pools };
        for Held { pool, .. } in &file.pools {
            for entry in &pool.entries {
                let texts = [entry.server.name().as_str(), entry.server.address().as_str()];
                for text in texts {
                    template::refuse_name(&file.source, kind, text, entry.span)?;
                }
            }
        }
        // A warning belongs to the last pool that begins before it.
        for warning in warnings {
            let at = warning.at().map_or(0, |(_, span)| span.start());
            let after = file.pools.partition_point(|held| held.pool.span.start() <= at);
            if let Some(held) = file.pools.get_mut(after.saturating_sub(1)) {
                held.pool.warnings.push(warning);
            }
        }
        Ok(file)
    }

    /// A block that cannot be read, beside others that can.
    pub(crate) fn refused(source: &Source, kind: Kind, label: &str, complaints: &Diagnostics) -> FleetFile {
        let span =
            complaints.iter().find_map(|complaint| complaint.at()).map_or(Span::new(0, 0), |(_, span)| span);
        let whole = Diagnostic::error(source, span, "the block cannot be read".to_owned());
        let pool = PoolRead {
            name: Some(label.to_owned()),
            span,
            scheme: Err(complaints.iter().next().cloned().unwrap_or(whole)),
            settings: Vec::new(),
            entries: Vec::new(),
            warnings: Vec::new(),
        };
        let held =
            Held { source: source.clone(), kind, inside: None, is_refused: true, pool, notes: Vec::new() };
        FleetFile { path: source.path().into(), source: source.clone(), kind, pools: vec![held] }
    }

    /// The same, found in a block of the file at `path`: `what` is how sentences call that.
    pub(crate) fn inside(mut self, path: &str, what: &str) -> FleetFile {
        let what: Arc<str> = what.into();
        self.path = path.into();
        for held in &mut self.pools {
            held.inside = Some(what.clone());
        }
        self
    }

    /// The same among other blocks: a pool without a name is called after its block.
    pub(crate) fn labelled(mut self, label: &str) -> FleetFile {
        for held in &mut self.pools {
            held.pool.name.get_or_insert_with(|| label.to_owned());
        }
        self
    }

    /// Adds the pools of another block; a name that is taken gets that of the line it stands on.
    pub(crate) fn append(&mut self, other: FleetFile) {
        let mut taken: HashSet<String> =
            self.pools.iter().filter_map(|held| held.pool.name.clone()).collect();
        for mut held in other.pools {
            if let Some(name) = &mut held.pool.name {
                if taken.contains(name) {
                    *name = format!("{name}:{}", held.source.line_of(held.pool.span.start()));
                }
                taken.insert(name.clone());
            }
            self.pools.push(held);
        }
    }

    /// The path, as given.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What kind of file it is; of one that holds several in blocks, the first.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The pools' names, in the order of the file; a clockwise fleet has none.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.readable().filter_map(|held| held.pool.name.as_deref())
    }

    /// How many pools there are.
    pub fn pools(&self) -> usize {
        self.readable().count()
    }

    /// All but the blocks that are refused beside others.
    fn readable(&self) -> impl Iterator<Item = &Held> {
        self.pools.iter().filter(|held| !held.is_refused)
    }

    /// Whether a pool places nothing although the file seems to mean that it does.
    fn seems_to_place(&self) -> bool {
        let warns = |why: &Diagnostic| why.severity() == Severity::Warning;
        self.readable().any(|held| held.pool.scheme.as_ref().is_err_and(warns))
    }

    /// Those of them that place keys.
    fn placing(&self) -> impl Iterator<Item = &Held> {
        self.readable().filter(|held| held.pool.scheme.is_ok())
    }

    /// One pool: the one of that name, the only one, or the only one that places keys
    /// beside others that take turns. Of several, the error
    /// lists them.
    ///
    /// Of a page with several blocks, those that cannot be read count for nothing beside one that
    /// can; asked for by the name of their block, they tell why.
    pub fn pick(&self, name: Option<&str>) -> Result<Pool, Diagnostic> {
        let found = match name {
            None if self.pools() == 1 => self.readable().next(),
            None => match (self.placing().next(), self.placing().count()) {
                (Some(held), 1) if !self.seems_to_place() => return self.beside_idle(held),
                _ => None,
            },
            Some(name) => self.pools.iter().find(|held| held.pool.name.as_deref() == Some(name)),
        };
        match found {
            Some(held) => self.take(held),
            None => Err(self.no_pool(name)),
        }
    }

    /// Every pool that can be read, in the order of the file. The reason of one that places nothing is
    /// a warning where the file seems to mean that it does.
    pub(crate) fn all(&self) -> impl Iterator<Item = Result<Pool, Diagnostic>> {
        self.readable().map(|held| match &held.pool.scheme {
            Ok(_) => self.take(held),
            Err(why) => Err(why.clone()),
        })
    }

    /// The one pool that places keys, which can only be meant, with a note that it was taken.
    fn beside_idle(&self, held: &Held) -> Result<Pool, Diagnostic> {
        let mut pool = self.take(held)?;
        let idle: Vec<&str> = self.names().filter(|name| pool.name() != Some(name)).collect();
        if let Some(name) = pool.name() {
            let place = if idle.len() == 1 { "places" } else { "place" };
            let note =
                format!("read pool {name}, the only one that places keys: {} {place} none", listed(&idle));
            pool.notes.push(note);
        }
        Ok(pool)
    }

    fn take(&self, held: &Held) -> Result<Pool, Diagnostic> {
        let Held { source, kind, inside, pool, notes, .. } = held;
        let servers = Buckets::new(pool.entries.iter().map(|entry| entry.server.clone()));
        Ok(Pool {
            path: self.path.clone(),
            source: source.clone(),
            kind: *kind,
            inside: inside.clone(),
            name: pool.name.clone(),
            span: pool.span,
            scheme: pool.scheme.clone().map_err(Diagnostic::escalated)?,
            settings: pool.settings.clone(),
            servers: servers.map_err(|error| Diagnostic::error(source, pool.span, error.to_string()))?,
            entries: pool.entries.clone(),
            warnings: pool.warnings.clone(),
            notes: notes.clone(),
        })
    }

    fn no_pool(&self, name: Option<&str>) -> Diagnostic {
        let names: Vec<&str> = self.names().collect();
        let list = listed(&names);
        let first = self.pools.first();
        let (source, span) =
            first.map_or((&self.source, Span::new(0, 0)), |held| (&held.source, held.pool.span));
        let error = |message| Diagnostic::error(source, span, message);
        match name {
            None => {
                // `-#NAME` would be an option.
                let path = if self.path() == "-" { "/dev/stdin" } else { self.path() };
                let placing: Vec<&str> =
                    self.placing().filter_map(|held| held.pool.name.as_deref()).collect();
                match (placing.as_slice(), self.pools() - self.placing().count()) {
                    ([example, _, ..], rest @ 1..) => error(format!(
                        "the file holds {} pools that place keys: {} (and {rest} that {} none)",
                        placing.len(),
                        listed(&placing),
                        if rest == 1 { "places" } else { "place" }
                    ))
                    .with_help(format!("name the one that is meant: {path}#{example}")),
                    ([example, ..], _) => error(format!("the file holds {} pools: {list}", names.len()))
                        .with_help(format!("name the one that is meant: {path}#{example}")),
                    ([], _) => {
                        let example = names.first().unwrap_or(&"");
                        error(format!("none of the file's {} pools places keys: {list}", names.len()))
                            .with_help(format!(
                                "{path}#{example} tells why that one does not; --placement NAME[,KEY=VALUE…] says how \
                                 keys are placed"
                            ))
                    }
                }
            }
            Some(name) if names.is_empty() => {
                error(format!("there is no pool {}: the file holds one fleet, without a name", quoted(name)))
                    .with_help(format!("leave away the #{name}"))
            }
            Some(name) => error(format!("there is no pool {}", quoted(name))).with_help(
                match nearest(name, names.iter().copied()) {
                    Some(meant) => format!("did you mean {}?", quoted(meant)),
                    None => format!("its pools are {list}"),
                },
            ),
        }
    }
}

/// Names in a sentence, the first dozen of them.
fn listed(names: &[&str]) -> String {
    const LISTED: usize = 12;
    let list = names[..names.len().min(LISTED)].join(", ");
    match names.len().checked_sub(LISTED) {
        Some(more @ 1..) => format!("{list} and {more} more"),
        _ => list,
    }
}

impl Pool {
    /// What the file calls it; a clockwise fleet has no name.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// What kind of file it came from.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// What it stands in, where that is a part of the file: "the fenced block on lines 4 to 20".
    pub fn inside(&self) -> Option<&str> {
        self.inside.as_deref()
    }

    /// The path of the file, as given.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// How keys are placed.
    pub fn scheme(&self) -> &Scheme {
        &self.scheme
    }

    /// What of a request is the key, as the file writes it where it says so: the key of nginx's `hash`,
    /// HAProxy's `balance` with its words. It decides what a key is, and the owner of none.
    ///
    /// ```
    /// use clockwise_config::{Options, parse};
    ///
    /// let text = b"upstream cache {\n    hash $host$request_uri consistent;\n    server 10.0.0.1:80;\n}\n";
    /// let pool = parse("nginx.conf", text, &Options::default())?.pick(None)?;
    /// assert_eq!(pool.hashed(), Some("$host$request_uri"));
    /// # Ok::<(), clockwise_config::Diagnostics>(())
    /// ```
    pub fn hashed(&self) -> Option<&str> {
        self.setting(HASHED)
    }

    /// The text of a setting that the file has.
    pub(crate) fn setting(&self, key: &str) -> Option<&str> {
        self.settings.iter().find(|setting| setting.key == key).map(|setting| setting.text.as_str())
    }

    /// The servers, in the order of the file.
    pub fn servers(&self) -> &Buckets {
        &self.servers
    }

    /// The servers as a set.
    pub fn members(&self) -> Members {
        Members::from(&self.servers)
    }

    /// The servers with their places in the file, in its order.
    pub fn entries(&self) -> &[ServerEntry] {
        &self.entries
    }

    /// What is suspicious and still clear.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// What is right, and worth knowing: servers that the file lists and no placement has.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// An error of the library about this fleet, at the line of the server or the setting it names.
    ///
    /// For errors that come up only when the placement is built: too many points, a table size
    /// that is not prime.
    pub fn diagnose(&self, error: &Error) -> Diagnostic {
        let message = error.to_string();
        let place = self.place_of(error.server(), &message);
        Diagnostic::error(&self.source, place, message)
    }

    /// A warning about this fleet, or an error where the options say so: at the line of a server, or
    /// else of the setting whose value it names.
    pub fn warn(&self, server: Option<&str>, message: &str, options: &crate::Options) -> Diagnostic {
        let place = self.place_of(server, message);
        let warning = Diagnostic::warning(&self.source, place, message.to_owned());
        if options.strict { warning.escalated() } else { warning }
    }

    /// An error about this fleet, or about one of its servers.
    pub(crate) fn error_at(&self, server: Option<&str>, message: String) -> Diagnostic {
        Diagnostic::error(&self.source, self.place_of(server, ""), message)
    }

    fn place_of(&self, server: Option<&str>, message: &str) -> Span {
        if server.is_some() {
            let named = |entry: &&ServerEntry| Some(entry.server.name().as_str()) == server;
            return self.entries.iter().find(named).map_or(self.span, |entry| entry.span);
        }
        let named = |setting: &&SettingPlace| {
            let mut words = message.split(|c: char| !c.is_alphanumeric() && !"._-".contains(c));
            words.any(|word| word == setting.text)
        };
        self.settings.iter().find(named).map_or(self.span, |setting| setting.span)
    }

    /// The line, counted from 1, on which the file says it. Of what it does not say, that of the
    /// pool.
    pub fn line_of(&self, about: About<'_>) -> usize {
        self.source.line_of(self.place_about(about).start())
    }

    /// The path of the file that says it: the pool's own, or one that it includes.
    pub fn path_of(&self, about: About<'_>) -> &str {
        self.source.path_of(self.place_about(about).start())
    }

    fn place_about(&self, about: About<'_>) -> Span {
        match about {
            About::Fleet => self.span,
            About::Server(name) => self.place_of(Some(name), ""),
            About::Setting(key) => {
                let set = self.settings.iter().find(|setting| setting.key == key);
                set.map_or(self.span, |setting| setting.span)
            }
        }
    }
}

/// Checks a pool's servers as a whole: each listed once (or merged, where the options say so), and
/// at least one that owns keys. `what` is how messages call the pool.
pub(crate) fn settle(
    report: &mut Report,
    what: &str,
    span: Span,
    entries: Vec<ServerEntry>,
) -> Vec<ServerEntry> {
    let mut kept: Vec<ServerEntry> = Vec::with_capacity(entries.len());
    let mut places: HashMap<String, usize> = HashMap::new();
    for entry in entries {
        let name = entry.server.name().as_str();
        match places.get(name) {
            None => {
                places.insert(name.to_owned(), kept.len());
                kept.push(entry);
            }
            Some(&first) => listed_twice(report, &kept[first], &entry),
        }
    }
    // With errors among the servers, what is left says nothing about the fleet.
    if !report.has_errors() && kept.iter().all(|entry| entry.server.is_draining()) {
        let message = match kept.len() {
            0 => format!("{what} has no servers"),
            1 => format!("{what} has no active server: the only one is draining"),
            all => format!("{what} has no active server: all {all} are draining"),
        };
        report.error(span, message);
    }
    kept
}

fn listed_twice(report: &mut Report, first: &ServerEntry, second: &ServerEntry) {
    if report.is_full() && !report.options.merge {
        return report.count_one_more();
    }
    let diagnostic = if report.options.merge {
        match Buckets::merged([&first.server, &second.server].map(Server::clone)) {
            Err(error) if error.is_duplicate() => report.error_at(second.span, error.to_string()),
            // Copies that agree. (Whether anybody is active, the whole pool tells.)
            _ => return,
        }
    } else {
        let name = quoted(first.server.name().as_str());
        let lines = report.source.both_lines(first.span.start(), second.span.start());
        let message = format!("server {name} is listed twice, {lines}");
        report.error_at(second.span, message).with_help("remove one, or join equal copies with --merge")
    };
    report.push(diagnostic.with_label("again here").with_also(first.span, "first listed here"));
}
