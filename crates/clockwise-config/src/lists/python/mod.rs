//! Python: clients as programs make them, and Django's settings.
//!
//! | said | read as |
//! |---|---|
//! | `pylibmc.Client([…], behaviors={…})` | pylibmc, with its behaviours: `ketama` alone is an unweighted ring and not the one called ketama elsewhere |
//! | `memcache.Client([…, ("host:port", weight)])` | python-memcached |
//! | `HashClient([("host", port), …])` | pymemcache |
//! | `CACHES = {"default": {"BACKEND": …, "LOCATION": […]}}` | the client of the backend; Django's keys are `:1:key` |
//! | `uhashring.HashRing(nodes=…)`, `hash_ring.HashRing(…)` | uhashring, python-hashring |
//! | a list in a variable, and no client | `--placement` |
//!
//! Which library a `Client` or a `HashRing` is of, its name before the dot says, else the import.
//! How each takes a server is from its source: pylibmc 1.6.3, python-memcached 1.62, pymemcache 4.0.0,
//! Django 4.2, uhashring 2.5.

mod client;

use std::collections::HashMap;

use self::client::{Client, one_text, scheme, servers};
use crate::diagnostic::{quoted, ticked};
use crate::fleet::{PoolRead, settle};
use crate::lists::control;
use crate::lists::php::{MOST, refuse_unknown, too_many};
use crate::lists::syntax::{Expr, Item, Kind, Reader, Token, Value, keyed, tokens};
use crate::report::Report;
use crate::source::Span;
use crate::suggest::nearest;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Library {
    Pylibmc,
    Memcache,
    Pymemcache,
    Uhashring,
    Hashring,
}

/// What a program calls each.
const LIBRARIES: &[(&str, Library)] = &[
    ("pylibmc", Library::Pylibmc),
    ("memcache", Library::Memcache),
    ("pymemcache", Library::Pymemcache),
    ("uhashring", Library::Uhashring),
    ("hashring", Library::Hashring),
    ("hash_ring", Library::Hashring),
];

/// Behaviours of pylibmc that place nothing.
const BEHAVIOURS: &[&str] = &[
    "_io_bytes_watermark",
    "_io_key_prefetch",
    "_io_msg_watermark",
    "_noreply",
    "_poll_timeout",
    "_retry_timeout",
    "_socket_recv_size",
    "_socket_send_size",
    "auto_eject",
    "buffer_requests",
    "cas",
    "connect_timeout",
    "dead_timeout",
    "failure_limit",
    "ketama_hash",
    "no_block",
    "num_replicas",
    "pickle_protocol",
    "receive_timeout",
    "remove_failed",
    "retry_timeout",
    "send_timeout",
    "tcp_keepalive",
    "tcp_nodelay",
    "verify_keys",
];

/// Behaviours that do.
const PLACING: &[&str] = &[
    "hash",
    "ketama",
    "ketama_weighted",
    "distribution",
    "_sort_hosts",
    "namespace",
    "_hash_with_prefix_key",
];

/// Arguments of the clients that place nothing.
const ARGUMENTS: &[&str] = &[
    // pylibmc
    "binary",
    "username",
    "password",
    // python-memcached
    "cache_cas",
    "check_keys",
    "compressor",
    "dead_retry",
    "debug",
    "decompressor",
    "flush_on_reconnect",
    "key_encoder",
    "pickleProtocol",
    "pickler",
    "pid",
    "pload",
    "server_max_key_length",
    "server_max_value_length",
    "socket_timeout",
    "unpickler",
    // pymemcache
    "allow_unicode_keys",
    "connect_timeout",
    "dead_timeout",
    "default_noreply",
    "deserializer",
    "encoding",
    "ignore_exc",
    "key_prefix",
    "lock_generator",
    "max_pool_size",
    "no_delay",
    "pool_idle_timeout",
    "retry_attempts",
    "retry_timeout",
    "serde",
    "serializer",
    "socket_keepalive",
    "socket_module",
    "timeout",
    "tls_context",
    "use_pooling",
];

/// Whether a text is Python that makes a client, or a list in a variable.
pub(in crate::lists) fn is(text: &str) -> bool {
    text.lines().map(str::trim).any(|line| {
        let calls = ["Client(", "HashRing("].iter().any(|call| {
            line.find(call).is_some_and(|at| {
                let before = line[..at].rsplit('.').next_back().unwrap_or("").trim();
                let is_name = |word: &str| {
                    word.split(['=', ':', '(']).next_back().is_some_and(|word| {
                        word.trim().chars().all(|c| c.is_alphanumeric() || c == '_' || c == ' ')
                    })
                };
                is_name(before)
            })
        });
        let imports = (line.starts_with("import ") || line.starts_with("from "))
            && !line.ends_with(';')
            && LIBRARIES.iter().any(|(name, _)| line.split([' ', '.', ',']).any(|word| word == *name));
        let caches =
            line.strip_prefix("CACHES").is_some_and(|rest| rest.trim_start().starts_with(['=', '[']));
        imports || caches || calls && !line.starts_with("//") && !line.starts_with('#')
    })
}

struct Program<'a, 't> {
    tokens: &'a [Token<'t>],
    controls: Vec<Option<usize>>,
    imports: HashMap<String, Library>,
    import: Option<Library>,
    variables: HashMap<String, Expr>,
    pools: Vec<PoolRead>,
    /// How many servers there are in all.
    servers: usize,
}

pub(in crate::lists) fn read(report: &mut Report) -> Vec<PoolRead> {
    let source = report.source.clone();
    let tokens = tokens(source.text());
    let mut program = Program {
        tokens: &tokens,
        controls: control::python(&tokens, source.text()),
        imports: HashMap::new(),
        import: None,
        variables: HashMap::new(),
        pools: Vec::new(),
        servers: 0,
    };
    program.import();
    program.run(report);
    let mut pools = program.pools;
    if pools.is_empty() && !report.has_errors() {
        let help = "a client is made as `memcache.Client([\"10.0.0.1:11211\"])`";
        report.push(
            report
                .error_at(Span::new(0, 0), "the program makes no client that is known here")
                .with_help(help),
        );
    }
    if pools.len() == 1 {
        pools[0].name = None;
    }
    let mut names: HashMap<String, usize> = HashMap::new();
    for pool in &mut pools {
        if let Some(name) = &mut pool.name {
            let times = names.entry(name.clone()).or_default();
            *times += 1;
            if *times > 1 {
                *name = format!("{name}-{times}");
            }
        }
    }
    pools
}

impl Program<'_, '_> {
    fn run(&mut self, report: &mut Report) {
        let mut at = 0;
        while let Some(token) = self.tokens.get(at) {
            let next = match token.kind {
                Kind::Word if self.is_call(at) => self.call(report, at),
                Kind::Mark if token.text == "=" => self.assigned(report, at),
                _ => None,
            };
            at = next.unwrap_or(0).max(at + 1);
        }
    }

    fn is_call(&self, at: usize) -> bool {
        self.tokens.get(at + 1).is_some_and(|token| token.is_mark("("))
            && ["Client", "HashClient", "HashRing"].contains(&self.tokens[at].text)
    }

    /// The word two tokens before, behind a dot.
    fn qualifier(&self, at: usize) -> Option<&str> {
        let dot = at.checked_sub(1).filter(|dot| self.tokens[*dot].is_mark("."))?;
        let word = dot.checked_sub(1)?;
        Some(self.tokens[word].text).filter(|_| self.tokens[word].kind == Kind::Word)
    }

    /// The library that an import names: of that word, else the last one.
    fn imported(&self, word: Option<&str>) -> Option<Library> {
        match word {
            Some(word) => self.imports.get(word).copied(),
            None => self.import,
        }
    }

    /// What is imported: the words of each import with its library.
    fn import(&mut self) {
        let newline = Token { kind: Kind::Newline, text: "", start: 0 };
        let mut line: Vec<&str> = Vec::new();
        for token in self.tokens.iter().chain([&newline]) {
            if token.kind != Kind::Newline {
                line.push(token.text);
                continue;
            }
            if matches!(line.first(), Some(&("import" | "from"))) {
                let names = |name: &&str| {
                    LIBRARIES.iter().find(|(known, _)| known == name).map(|(_, library)| *library)
                };
                if let Some(library) = line.iter().find_map(names) {
                    self.import = Some(library);
                    self.imports.extend(line.iter().map(|word| ((*word).to_owned(), library)));
                }
            }
            line.clear();
        }
    }

    fn call(&mut self, report: &mut Report, at: usize) -> Option<usize> {
        let token = &self.tokens[at];
        let mut reader = Reader::new(self.tokens, at + 1);
        let arguments = reader.items(")");
        let end = reader.at;
        let qualifier = self.qualifier(at);
        let by_name =
            qualifier.and_then(|word| LIBRARIES.iter().find(|(name, _)| *name == word)).map(|(_, l)| *l);
        let library =
            by_name.or_else(|| qualifier.and_then(|word| self.imported(Some(word)))).or_else(|| {
                if token.text == "HashClient" {
                    Some(Library::Pymemcache)
                } else {
                    self.imported(Some(token.text))
                }
            });
        let begin = match qualifier {
            Some(_) => self.tokens[at - 2].start,
            None => token.start,
        };
        let span = Span::new(begin, token.span().end());
        let called = ticked(report.source.slice(span));
        if let Some(control) = self.controls.get(at).copied().flatten() {
            let word = &self.tokens[control];
            let message = format!(
                "{called} stands under {}: whether it happens is known only when the program runs",
                ticked(word.text)
            );
            report.push(report.error_at(span, message).with_also(word.span(), "here"));
            return Some(end);
        }
        let Some(library) = library else {
            if qualifier.is_none() || token.text == "HashRing" {
                let message = format!("{called} is of a library that the program does not name");
                let help = format!(
                    "write the import, as `import pylibmc`: known are {}",
                    LIBRARIES.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
                );
                report.push(report.error_at(span, message).with_help(help));
            } else {
                let message = format!("{called} is no client that is known here");
                let help =
                    "known are those of pylibmc, memcache and pymemcache; give a list alone, and --placement";
                report.push(report.error_at(span, message).with_help(help));
            }
            return Some(end);
        };
        let Value::Items(arguments) = arguments else {
            report.error(span, format!("the arguments of {called} cannot be read"));
            return Some(end);
        };
        let name = at
            .checked_sub(if qualifier.is_some() { 3 } else { 1 })
            .filter(|before| self.tokens[*before].is_mark("="))
            .and_then(|equals| equals.checked_sub(1))
            .map(|word| self.tokens[word].text.to_owned());
        let client = Client {
            library,
            what: name.clone().map_or(called, |name| format!("client {}", quoted(&name))),
            span,
        };
        if token.text == "Client" && library == Library::Pymemcache {
            let message = "pymemcache's Client has one server, which has all keys";
            report.push(
                report
                    .error_at(span, format!("{message}: {}", ticked(report.source.slice(span))))
                    .with_help("HashClient has several"),
            );
            return Some(end);
        }
        if let Some(pool) = self.client(report, &client, name, &arguments) {
            self.push(report, pool);
        }
        Some(end)
    }

    /// `name = …`: kept if it is a literal. `CACHES` is Django's.
    fn assigned(&mut self, report: &mut Report, at: usize) -> Option<usize> {
        let mut value = at + 1;
        while self.tokens.get(value).is_some_and(|token| token.kind == Kind::Newline) {
            value += 1;
        }
        let first = self.tokens.get(value)?;
        let is_literal = ["[", "{", "("].iter().any(|mark| first.is_mark(mark))
            || matches!(first.kind, Kind::Text(_) | Kind::Number);
        let word = at.checked_sub(1).map(|word| &self.tokens[word])?;
        if word.is_mark("]") && self.is_caches(at) {
            report.error(
                word.span(),
                format!("{}: what is set in CACHES piece by piece is not read", ticked(word.text)),
            );
            return None;
        }
        if !is_literal || word.kind != Kind::Word {
            return None;
        }
        let mut reader = Reader::new(self.tokens, value);
        let expr = reader.value();
        let end = reader.at;
        if word.text == "CACHES" {
            match self.controls.get(at).copied().flatten() {
                Some(control) => {
                    let control = &self.tokens[control];
                    let message = format!("{} stands under {}", ticked(word.text), ticked(control.text));
                    let help = "give the CACHES that hold when the program runs";
                    report.push(report.error_at(word.span(), message).with_help(help));
                }
                None => self.caches(report, &expr),
            }
        } else if self.qualifier(at - 1).is_some() && ["behaviors", "servers"].contains(&word.text) {
            let message =
                format!("{} is set after the client was made, which is not read", ticked(word.text));
            report.push(
                report.error_at(word.span(), message).with_help("give it to the client when it is made"),
            );
        } else {
            self.variables.insert(word.text.to_owned(), expr);
        }
        Some(end)
    }

    /// `CACHES["default"] =`.
    fn is_caches(&self, at: usize) -> bool {
        self.tokens[at.saturating_sub(8)..at].iter().any(|token| token.text == "CACHES")
    }

    fn resolved<'e>(&'e self, expr: &'e Expr) -> &'e Expr {
        match &expr.value {
            Value::Word(word) => self.variables.get(word).unwrap_or(expr),
            _ => expr,
        }
    }

    fn client(
        &self,
        report: &mut Report,
        client: &Client,
        name: Option<String>,
        arguments: &[Item],
    ) -> Option<PoolRead> {
        if self.servers > MOST {
            return None;
        }
        let (list_word, known): (&str, &[&str]) = match client.library {
            Library::Uhashring => ("nodes", &["hash_fn", "vnodes"]),
            Library::Hashring => ("nodes", &["weights"]),
            Library::Pylibmc => ("servers", &["behaviors"]),
            Library::Memcache => ("servers", &[]),
            Library::Pymemcache => ("servers", &["hasher"]),
        };
        let mut right = true;
        let mut given: Vec<(&str, &Expr)> = Vec::new();
        for (position, item) in arguments.iter().enumerate() {
            let key = match &item.key {
                None => match (position, client.library) {
                    (0, _) => list_word,
                    (1, Library::Pylibmc) => "behaviors",
                    (1, Library::Pymemcache) => "hasher",
                    (1, Library::Hashring) => "weights",
                    (1, Library::Memcache) => "debug",
                    _ => "",
                },
                Some(key) => key.last_word().unwrap_or(""),
            };
            if key == list_word || known.contains(&key) {
                given.push((key, self.resolved(&item.value)));
            } else if !ARGUMENTS.contains(&key) {
                let place = item.key.as_ref().unwrap_or(&item.value).span;
                let shown = ticked(report.source.slice(place).lines().next().unwrap_or(""));
                let what = &client.what;
                report.error(place, format!("{what}: {shown} is no argument that is known here"));
                right = false;
            }
        }
        let get = |key: &str| given.iter().find(|(known, _)| *known == key).map(|(_, value)| *value);
        let mut settings = Vec::new();
        let scheme = scheme(report, client, &get, &mut settings);
        let Some(list) = get(list_word) else {
            report.error(client.span, format!("{} is made without servers", client.what));
            return None;
        };
        let entries = servers(report, client, list, get("weights"))?;
        let start = client.span.start();
        let entries = settle(report, &client.what, Span::new(start, start), entries);
        (right).then_some(())?;
        Some(PoolRead {
            name: Some(name.unwrap_or_else(|| "client".to_owned())),
            span: client.span,
            scheme: scheme?,
            settings,
            entries,
            warnings: Vec::new(),
        })
    }

    fn push(&mut self, report: &mut Report, pool: PoolRead) {
        self.servers += pool.entries.len();
        if self.servers > MOST {
            // One list in many clients.
            report.error(pool.span, too_many(report, pool.span));
        } else {
            self.pools.push(pool);
        }
    }

    /// Django's caches: each a pool.
    fn caches(&mut self, report: &mut Report, caches: &Expr) {
        let Some(items) = caches.items() else {
            return refuse_unknown(report, caches.span, Some(caches), "caches by name");
        };
        // What the keys of the caches that place any become, and whose they are.
        let mut made: Vec<(String, String)> = Vec::new();
        for item in items {
            let Some(alias) = item.key.as_ref().and_then(Expr::text) else {
                refuse_unknown(report, item.value.span, item.key.as_ref(), "the name of a cache");
                continue;
            };
            let place = item.key.as_ref().map_or(item.value.span, |key| key.span);
            let Some(cache) = self.resolved(&item.value).items() else {
                refuse_unknown(report, item.value.span, Some(&item.value), "the settings of a cache");
                continue;
            };
            if let Some(pool) = self.cache(report, alias, place, cache) {
                if pool.scheme.is_ok() {
                    made.push((self.made_of_keys(report, cache), alias.to_owned()));
                }
                self.push(report, pool);
            }
        }
        let alike = made.iter().all(|(key, _)| *key == made[0].0);
        for (key, alias) in made.iter().take(if alike { 1 } else { made.len() }) {
            let of = if alike { String::new() } else { format!(" of cache {}", quoted(alias)) };
            report.notes.push(format!("Django's keys{of} reach the client as {key}: ask for them so"));
        }
    }

    /// What Django makes of a cache's keys.
    fn made_of_keys(&self, report: &Report, cache: &[Item]) -> String {
        let given = |key| keyed(cache, key).map(|value| self.resolved(value));
        if given("KEY_FUNCTION").is_some() {
            return "its KEY_FUNCTION makes them".to_owned();
        }
        let prefix = given("KEY_PREFIX").and_then(Expr::text).unwrap_or_default();
        let version = given("VERSION").map_or("1", |version| report.source.slice(version.span));
        ticked(&format!("{prefix}:{version}:KEY"))
    }

    fn cache(&self, report: &mut Report, alias: &str, span: Span, cache: &[Item]) -> Option<PoolRead> {
        const KEYS: [&str; 7] =
            ["BACKEND", "KEY_FUNCTION", "KEY_PREFIX", "LOCATION", "OPTIONS", "TIMEOUT", "VERSION"];
        let what = format!("cache {}", quoted(alias));
        for item in cache {
            let key = item.key.as_ref().and_then(Expr::text).unwrap_or("");
            if !KEYS.contains(&key) {
                let place = item.key.as_ref().unwrap_or(&item.value).span;
                let shown = ticked(report.source.slice(place).lines().next().unwrap_or(""));
                let message = format!("{what} has a key {shown} that Django does not read");
                let diagnostic = report.warning_at(place, message);
                report.push(match nearest(key, KEYS) {
                    Some(meant) => diagnostic.with_help(format!("did you mean `{meant}`?")),
                    None => diagnostic,
                });
            }
        }
        let backend = keyed(cache, "BACKEND").map(|backend| self.resolved(backend));
        let Some((backend, backend_text)) = backend.and_then(|backend| Some((backend, backend.text()?)))
        else {
            let shown = ticked(report.source.slice(span));
            report.error(span, format!("{what} has no BACKEND that can be read: {shown}"));
            return None;
        };
        let library = match backend_text.rsplit('.').next().unwrap_or("") {
            "PyLibMCCache" => Library::Pylibmc,
            "MemcachedCache" => Library::Memcache,
            "PyMemcacheCache" => Library::Pymemcache,
            other => {
                let reason = report.error_at(
                    backend.span,
                    format!(
                        "{what}: the backend {} places no keys on servers",
                        quoted(if other.is_empty() { backend_text } else { other })
                    ),
                );
                let reason = reason.with_help("PyMemcacheCache, PyLibMCCache and MemcachedCache do");
                let scheme = Err(reason);
                return Some(PoolRead {
                    name: Some(alias.to_owned()),
                    span,
                    scheme,
                    settings: Vec::new(),
                    entries: Vec::new(),
                    warnings: Vec::new(),
                });
            }
        };
        let client = Client { library, what, span };
        let options = keyed(cache, "OPTIONS")
            .map(|options| self.resolved(options))
            .and_then(Expr::items)
            .unwrap_or(&[]);
        let mut settings = Vec::new();
        let get = |key: &str| {
            // Before Django 1.11 the options were the behaviours.
            keyed(options, key).map(|value| self.resolved(value))
        };
        let scheme = scheme(report, &client, &get, &mut settings);
        let Some(location) = keyed(cache, "LOCATION").map(|location| self.resolved(location)) else {
            report.error(
                span,
                format!("{} has no LOCATION: {}", client.what, ticked(report.source.slice(span))),
            );
            return None;
        };
        let entries = match location.text() {
            Some(text) => one_text(report, &client, location.span, text),
            None => servers(report, &client, location, None)?,
        };
        let entries = settle(report, &client.what, Span::new(span.start(), span.start()), entries);
        Some(PoolRead {
            name: Some(alias.to_owned()),
            span,
            scheme: scheme?,
            settings,
            entries,
            warnings: Vec::new(),
        })
    }
}
