//! PHP: clients as programs make them, and arrays of servers in settings.
//!
//! | said | read as |
//! |---|---|
//! | `new Memcached`, `->addServer($host, $port, $weight)`, `->addServers([[…], …])` | PHP Memcached |
//! | `->setOption(Memcached::OPT_…, …)`, `->setOptions([…])` | its options, each when it is set |
//! | `new Memcache`, `new MemcachePool`, `->addServer(…)`, `->connect(…)`, `memcache_add_server(…)` | PHP Memcache |
//! | `ini_set('memcache.hash_strategy', …)`, `'memcache.hash_function'` | its settings |
//! | an array with `driver => memcached`, `servers` and `options` (Laravel's) | PHP Memcached, options first |
//! | any other array of servers | no client: `--placement` |
//!
//! Established by asking PHP Memcached 3.2.0 (with libmemcached 1.1.4) on PHP 8.2 what each order of
//! options and servers does: OPT_LIBKETAMA_COMPATIBLE set to true sets the weighted ring and MD5, set
//! to false MODULA and the default hash; a distribution or a hash that is set later stays.

mod place;
mod placing;
mod words;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use clockwise::Server;
use clockwise::dialect::libmemcached::{Distribution, Hash};
use clockwise::dialect::{php_memcache, php_memcached};

use self::place::{is_servers, listed, parts};
use self::placing::scheme;
pub(in crate::lists) use self::placing::set_strategy;
use self::words::{METHODS, OPTIONS, PLACING};
use crate::diagnostic::{Diagnostic, quoted, ticked};
use crate::fleet::{PoolRead, ServerEntry, SettingPlace, settle};
use crate::libmemcached::Steps;
use crate::lists::control;
use crate::lists::server::Taker;
use crate::lists::syntax::{Expr, Item, Kind, Reader, Token, Value, keyed, tokens};
use crate::report::Report;
use crate::source::Span;
use crate::suggest::nearest;

/// More servers than this are no fleet.
pub(in crate::lists) const MOST: usize = 1 << 20;

pub(in crate::lists) fn too_many(report: &Report, span: Span) -> String {
    format!("there are more than {MOST} servers at {}", ticked(report.source.slice(span)))
}

/// Whether a text is PHP: it says so, or a line begins with a variable or makes a client.
pub(in crate::lists) fn is(text: &str) -> bool {
    let is_code = |line: &str| {
        line.starts_with("<?php")
            || line.starts_with("return [")
            || line.starts_with("return array(")
            || line.starts_with('$')
                && line[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && (line.contains('=') || line.contains("->"))
            || line.starts_with("ini_set(")
    };
    // A here-document or a fence around it is for others to take off.
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !is_comment(line));
    lines.take(40).any(is_code) && text.contains([';', ','])
}

fn is_comment(line: &str) -> bool {
    ["//", "#", "/*", "*", ";"].iter().any(|mark| line.starts_with(mark))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Memcached,
    Memcache,
    /// A list that names no client.
    Unknown,
}

/// A client, or a list.
struct Client {
    name: String,
    span: Span,
    class: Class,
    steps: Steps,
    servers: Vec<ServerEntry>,
    settings: Vec<SettingPlace>,
    /// What was last set, by option.
    set: BTreeMap<&'static str, (bool, Span)>,
    /// Why keys cannot be placed although all is right.
    unplaced: Option<Diagnostic>,
    socket: Option<Span>,
    /// What stands before keys, and where it was set.
    prefix: Option<(Expr, Span)>,
}

impl Client {
    fn new(name: &str, span: Span, class: Class) -> Client {
        Client {
            name: name.trim_start_matches(['$', '\\']).replace("->", ".").replace("this.", ""),
            span,
            class,
            steps: Steps::default(),
            servers: Vec::new(),
            settings: Vec::new(),
            set: BTreeMap::new(),
            unplaced: None,
            socket: None,
            prefix: None,
        }
    }

    fn add(&mut self, server: Server, span: Span) {
        self.steps.add(server.weight().get());
        if server.address().host().starts_with('/') {
            self.socket = self.socket.or(Some(span));
        }
        self.servers.push(ServerEntry::new(server, span));
    }
}

/// A server that is added in a list: there a socket has the port 0, and its labels `:0`.
fn with_port_zero(server: Server) -> Server {
    let address = server.address().as_str();
    if !address.starts_with('/') || address.ends_with(":0") {
        return server;
    }
    let labelled = format!("{address}:0");
    server.clone().with_address(labelled).unwrap_or(server)
}

/// A program while it is read.
struct Program<'a, 't> {
    tokens: &'a [Token<'t>],
    controls: Vec<Option<usize>>,
    /// Clients and lists by the variable that holds them.
    clients: Vec<(String, Client)>,
    /// The latest client of each variable.
    known: HashMap<String, usize>,
    variables: HashMap<String, Rc<Expr>>,
    /// Arrays, in case no client is made; of each name the last.
    lists: Vec<(String, Rc<Expr>)>,
    list_names: HashMap<String, usize>,
    /// How many servers there are in all.
    servers: usize,
    strategy: php_memcache::Options,
    strategies: Vec<SettingPlace>,
}

pub(in crate::lists) fn read(report: &mut Report) -> Vec<PoolRead> {
    let source = report.source.clone();
    let tokens: Vec<Token<'_>> =
        tokens(source.text()).into_iter().filter(|token| token.kind != Kind::Newline).collect();
    let mut program = Program {
        tokens: &tokens,
        controls: control::php(&tokens),
        clients: Vec::new(),
        known: HashMap::new(),
        variables: HashMap::new(),
        lists: Vec::new(),
        list_names: HashMap::new(),
        servers: 0,
        strategy: php_memcache::Options::default(),
        strategies: Vec::new(),
    };
    program.run(report);
    program.pools(report)
}

impl<'t> Program<'_, 't> {
    fn run(&mut self, report: &mut Report) {
        let mut at = 0;
        while let Some(token) = self.tokens.get(at) {
            let next = match token.kind {
                Kind::Word if token.is_word("new") => self.made(at),
                Kind::Word if token.is_word("return") => self.returned(at),
                Kind::Word if self.follows(at, "(") && !self.is_member(at) => self.function(report, at),
                Kind::Mark if token.text == "->" || token.text == "?->" => self.method(report, at),
                Kind::Mark if token.text == "=" => self.assigned(at),
                _ => None,
            };
            at = next.unwrap_or(0).max(at + 1);
        }
    }

    fn follows(&self, at: usize, mark: &str) -> bool {
        self.tokens.get(at + 1).is_some_and(|token| token.is_mark(mark))
    }

    fn is_member(&self, at: usize) -> bool {
        at > 0 && ["->", "?->", "::"].iter().any(|mark| self.tokens[at - 1].is_mark(mark))
    }

    /// The variable that ends before that token: `$this->cache`, and where it begins.
    fn variable_before(&self, end: usize) -> Option<(String, usize)> {
        const LONGEST: usize = 9;
        let mut begin = end;
        while begin > 0 && end - begin < LONGEST {
            let token = &self.tokens[begin - 1];
            let is_link = ["->", "?->", "::"].iter().any(|mark| token.is_mark(mark));
            let wants_word =
                begin == end || ["->", "?->", "::"].iter().any(|mark| self.tokens[begin].is_mark(mark));
            match token.kind {
                Kind::Word if wants_word && !token.is_word("return") => begin -= 1,
                Kind::Mark if is_link && !wants_word => begin -= 1,
                _ => break,
            }
        }
        let text: String = self.tokens[begin..end].iter().map(|token| token.text).collect();
        (begin < end).then_some((text, begin))
    }

    /// `$x = new Memcached(…)`.
    fn made(&mut self, at: usize) -> Option<usize> {
        let class = self.tokens.get(at + 1).filter(|token| token.kind == Kind::Word)?;
        let class = match class.text.trim_start_matches('\\').to_ascii_lowercase().as_str() {
            "memcached" => Class::Memcached,
            "memcache" | "memcachepool" => Class::Memcache,
            _ => return None,
        };
        let variable = match at.checked_sub(1) {
            Some(before) if self.tokens[before].is_mark("=") => {
                self.variable_before(before).map(|found| found.0)
            }
            _ => None,
        };
        let variable = variable.unwrap_or_default();
        let span = Span::new(self.tokens[at].start, self.tokens[at + 1].span().end());
        self.known.insert(variable.clone(), self.clients.len());
        self.clients.push((variable.clone(), Client::new(&variable, span, class)));
        Some(at + 2)
    }

    /// The client of that variable, which others may have made.
    fn client(&mut self, variable: &str, span: Span, class: Class) -> &mut Client {
        let index = self.known.get(variable).copied().unwrap_or_else(|| {
            self.known.insert(variable.to_owned(), self.clients.len());
            self.clients.push((variable.to_owned(), Client::new(variable, span, Class::Unknown)));
            self.clients.len() - 1
        });
        let client = &mut self.clients[index].1;
        if client.class == Class::Unknown {
            client.class = class;
        }
        client
    }

    fn is_client(&self, variable: &str) -> bool {
        self.known.contains_key(variable)
    }

    /// The arguments of the call whose bracket stands there, and where it ends.
    fn arguments(&self, at: usize) -> (Vec<Item>, usize) {
        let mut reader = Reader::new(self.tokens, at);
        let items = match reader.items(")") {
            Value::Items(items) => items,
            _ => Vec::new(),
        };
        (items, reader.at)
    }

    /// Whether the statement happens whenever the program runs; else it is refused.
    fn happens(&self, report: &mut Report, at: usize, what: Span) -> bool {
        let Some(control) = self.controls.get(at).copied().flatten() else { return true };
        let word = &self.tokens[control];
        let message = format!(
            "{} stands in {}: whether it happens, and how often, is known only when the program runs",
            ticked(report.source.slice(what)),
            ticked(word.text)
        );
        let help = "give the servers as they come out, one by one";
        report.push(report.error_at(what, message).with_also(word.span(), "here").with_help(help));
        false
    }

    fn method(&mut self, report: &mut Report, at: usize) -> Option<usize> {
        let method = self.tokens.get(at + 1).filter(|token| token.kind == Kind::Word)?;
        if !self.follows(at + 1, "(") {
            return None;
        }
        let (variable, begin) = self.variable_before(at).unwrap_or((String::new(), at));
        let name = method.text.to_ascii_lowercase();
        let class = match name.as_str() {
            "addservers" | "setoption" | "setoptions" | "resetserverlist" => Class::Memcached,
            "addserver" => Class::Unknown,
            "connect" | "pconnect" if self.is_client(&variable) => Class::Memcache,
            _ => {
                if self.is_client(&variable) && !METHODS.contains(&name.as_str()) {
                    let what = ticked(method.text);
                    let message =
                        format!("{what} is no method of the client that is known here, and is passed over");
                    report.push(report.warning_at(method.span(), message));
                }
                return None;
            }
        };
        let span = Span::new(self.tokens[begin].start, method.span().end());
        let (arguments, end) = self.arguments(at + 2);
        if !self.happens(report, at, span) {
            return Some(end);
        }
        let class = self.client(&variable, span, class).class;
        match name.as_str() {
            "addservers" => {
                let list = arguments.first().map(|item| &item.value);
                let held = list.and_then(|list| self.resolved(list));
                let list = held.as_deref().or(list);
                match list.and_then(Expr::items) {
                    Some(items) => {
                        for item in items {
                            if self.servers > MOST {
                                break;
                            }
                            let added = listed(report, item, Taker::Libmemcached);
                            let added = added.map(|server| server.map(with_port_zero));
                            self.push(report, &variable, added, item.value.host_span());
                        }
                    }
                    None => refuse_list(report, span, list),
                }
            }
            "addserver" | "connect" | "pconnect" => {
                let weight_at = if class == Class::Memcache || name != "addserver" { 3 } else { 2 };
                let place = arguments.first().map_or(span, |host| host.value.span);
                let added = parts(report, place, &arguments, weight_at);
                self.push(report, &variable, added, place);
            }
            "setoption" => {
                if let [option, value, ..] = arguments.as_slice() {
                    let held = self.resolved(&value.value);
                    let value = held.as_deref().unwrap_or(&value.value);
                    self.option(report, &variable, &option.value, value);
                } else {
                    report.error(
                        span,
                        format!("{} takes an option and a value", ticked(report.source.slice(span))),
                    );
                }
            }
            "setoptions" => {
                let options = arguments.first().map(|item| &item.value);
                let held = options.and_then(|options| self.resolved(options));
                self.options(report, &variable, span, held.as_deref().or(options));
            }
            _ => {
                let client = self.client(&variable, span, class);
                client.steps.clear();
                client.servers.clear();
                client.socket = None;
            }
        }
        Some(end)
    }

    fn push(
        &mut self,
        report: &mut Report,
        variable: &str,
        added: Option<Result<Server, Diagnostic>>,
        span: Span,
    ) {
        self.servers += 1;
        match added {
            // One list that is added again and again.
            Some(Ok(_)) if self.servers > MOST => report.error(span, too_many(report, span)),
            Some(Ok(server)) => self.client(variable, span, Class::Unknown).add(server, span),
            Some(Err(refused)) => report.push(refused),
            None => {
                let shown = ticked(report.source.slice(span));
                let message =
                    format!("{shown} is no server that can be read: host, port and weight are expected");
                report.push(report.error_at(span, message).with_help(IN_ITS_PLACE));
            }
        }
    }

    fn options(&mut self, report: &mut Report, variable: &str, span: Span, options: Option<&Expr>) {
        let Some(items) = options.and_then(Expr::items) else {
            return refuse_unknown(report, span, options, "options with their values");
        };
        for item in items {
            match &item.key {
                Some(option) => self.option(report, variable, option, &item.value),
                None => {
                    refuse_unknown(report, item.value.span, Some(&item.value), "an option with its value");
                }
            }
        }
    }

    fn option(&mut self, report: &mut Report, variable: &str, option: &Expr, value: &Expr) {
        let name = match (&option.value, option.last_word()) {
            (Value::Text(text), _) => text.clone(),
            (_, Some(word)) => word.to_owned(),
            _ => {
                refuse_unknown(
                    report,
                    option.span,
                    Some(option),
                    "an option by its name, as Memcached::OPT_HASH",
                );
                return;
            }
        };
        let name = if name.starts_with("OPT_") { name } else { format!("OPT_{}", name.to_ascii_uppercase()) };
        if OPTIONS.contains(&name.as_str()) {
            return;
        }
        let Some(&known) = PLACING.iter().find(|known| **known == name) else {
            let shown = ticked(report.source.slice(option.span));
            let all = OPTIONS.iter().chain(PLACING).copied();
            let diagnostic = report.error_at(option.span, format!("Memcached has no option {shown}"));
            report.push(match nearest(&name, all) {
                Some(meant) => diagnostic.with_help(format!("did you mean `Memcached::{meant}`?")),
                None => diagnostic,
            });
            return;
        };
        let place = SettingPlace {
            key: known.trim_start_matches("OPT_").to_ascii_lowercase(),
            text: report.source.slice(value.span).chars().take(80).collect(),
            span: value.span,
        };
        let client = self.client(variable, option.span, Class::Memcached);
        let word = value.last_word().unwrap_or("");
        match known {
            "OPT_DISTRIBUTION" => match word.strip_prefix("DISTRIBUTION_") {
                Some(word) => match word.parse::<php_memcached::Distribution>() {
                    Ok(distribution) => {
                        client.unplaced = None;
                        client.steps.distribute(match distribution {
                            php_memcached::Distribution::Consistent => Distribution::Consistent,
                            _ => Distribution::Modula,
                        });
                    }
                    Err(error) => {
                        let shown = ticked(report.source.slice(value.span).lines().next().unwrap_or(""));
                        let refused = report.error_at(value.span, format!("{shown}: {error}"));
                        // It exists, and there is no placement of it.
                        match word {
                            "VIRTUAL_BUCKET" => client.unplaced = Some(refused),
                            _ => report.push(refused),
                        }
                    }
                },
                None => refuse_unknown(
                    report,
                    value.span,
                    Some(value),
                    "Memcached::DISTRIBUTION_MODULA or DISTRIBUTION_CONSISTENT",
                ),
            },
            "OPT_HASH" => match word.strip_prefix("HASH_").map(str::parse::<Hash>) {
                Some(Ok(hash)) => client.steps.hash = hash,
                Some(Err(error)) => {
                    let shown = ticked(report.source.slice(value.span).lines().next().unwrap_or(""));
                    report.error(value.span, format!("{shown}: {error}"));
                }
                None => refuse_unknown(
                    report,
                    value.span,
                    Some(value),
                    "a hash by its name, as Memcached::HASH_MD5",
                ),
            },
            "OPT_PREFIX_KEY" => {
                let is_none = value.text() == Some("") || value.is_nothing() || value.truth() == Some(false);
                client.prefix = (!is_none).then(|| (value.clone(), option.span));
            }
            _ => match value.truth() {
                None => refuse_unknown(report, value.span, Some(value), "true or false"),
                Some(truth) if known == "OPT_LIBKETAMA_COMPATIBLE" => {
                    client.unplaced = None;
                    client.steps.hash = if truth { Hash::Md5 } else { Hash::Default };
                    client.steps.distribute(if truth {
                        Distribution::ConsistentWeighted
                    } else {
                        Distribution::Modula
                    });
                }
                Some(truth) => {
                    client.set.insert(known, (truth, option.span));
                }
            },
        }
        self.client(variable, option.span, Class::Memcached).settings.push(place);
    }

    /// `ini_set(…)` and the functions of Memcache.
    fn function(&mut self, report: &mut Report, at: usize) -> Option<usize> {
        let name = self.tokens[at].text.trim_start_matches('\\').to_ascii_lowercase();
        let span = self.tokens[at].span();
        match name.as_str() {
            "ini_set" => {
                let (arguments, end) = self.arguments(at + 1);
                let [key, value, ..] = arguments.as_slice() else { return Some(end) };
                let Some(key) = key.value.text() else { return Some(end) };
                if ["memcache.hash_strategy", "memcache.hash_function"].contains(&key)
                    && self.happens(report, at, span)
                {
                    match value.value.text() {
                        Some(text) => {
                            let place = SettingPlace {
                                key: key.trim_start_matches("memcache.").to_owned(),
                                text: text.to_owned(),
                                span: value.value.span,
                            };
                            set_strategy(report, &mut self.strategy, key, text, value.value.span);
                            self.strategies.retain(|known| known.key != place.key);
                            self.strategies.push(place);
                        }
                        None => refuse_unknown(report, value.value.span, Some(&value.value), "text"),
                    }
                } else if key == "session.save_path" || key.starts_with("memcached.sess_") {
                    let message =
                        format!("{} of sessions is read from settings, not from a program", ticked(key));
                    let help = format!("give it as in php.ini: {key} = …");
                    report.push(report.error_at(span, message).with_help(help));
                }
                Some(end)
            }
            "memcache_add_server" | "memcache_connect" | "memcache_pconnect" => {
                let (arguments, end) = self.arguments(at + 1);
                if !self.happens(report, at, span) {
                    return Some(end);
                }
                let (variable, parted) = match (name.as_str(), arguments.split_first()) {
                    ("memcache_add_server", Some((client, rest))) => match &client.value.value {
                        Value::Word(word) => (word.clone(), rest.to_vec()),
                        _ => (String::new(), rest.to_vec()),
                    },
                    _ => {
                        let before = at.checked_sub(1).filter(|before| self.tokens[*before].is_mark("="));
                        let variable =
                            before.and_then(|before| self.variable_before(before)).map(|found| found.0);
                        (variable.unwrap_or_default(), arguments)
                    }
                };
                self.client(&variable, span, Class::Memcache);
                let place = parted.first().map_or(span, |host| host.value.span);
                let added = parts(report, place, &parted, 3);
                self.push(report, &variable, added, place);
                Some(end)
            }
            _ => None,
        }
    }

    /// `$x = …`: kept if it is a literal, for whoever uses the variable.
    fn assigned(&mut self, at: usize) -> Option<usize> {
        let value = self.tokens.get(at + 1)?;
        let is_list = value.is_mark("[") || value.is_word("array");
        if !is_list && !matches!(value.kind, Kind::Text(_) | Kind::Number) {
            return None;
        }
        // `$settings['memcache']['servers'] = …`: the last key names it.
        let (variable, last) = self.subscripted(at)?;
        let mut reader = Reader::new(self.tokens, at + 1);
        let expr = Rc::new(reader.value());
        if is_list {
            match self.list_names.get(&last) {
                Some(&at) => self.lists[at].1 = Rc::clone(&expr),
                None => {
                    self.list_names.insert(last.clone(), self.lists.len());
                    self.lists.push((last, Rc::clone(&expr)));
                }
            }
        }
        self.variables.insert(variable, expr);
        Some(reader.at)
    }

    /// The variable before `=`, with its keys in square brackets, and the last name in it.
    fn subscripted(&self, end: usize) -> Option<(String, String)> {
        let mut at = end;
        let mut last = None;
        let mut keys = String::new();
        // A few keys at most.
        for _ in 0..4 {
            if !at.checked_sub(1).is_some_and(|close| self.tokens[close].is_mark("]")) {
                break;
            }
            if at >= 3 && self.tokens[at - 3].is_mark("[") {
                if let Kind::Text(Some(key)) = &self.tokens[at - 2].kind {
                    last = last.or_else(|| Some(key.clone()));
                }
                keys = format!("[{}]{keys}", self.tokens[at - 2].text);
                at -= 3;
            } else {
                return None;
            }
        }
        let (variable, _) = self.variable_before(at)?;
        let last = last.unwrap_or_else(|| variable.clone());
        Some((variable + &keys, last))
    }

    fn returned(&mut self, at: usize) -> Option<usize> {
        let value = self.tokens.get(at + 1)?;
        if !value.is_mark("[") && !value.is_word("array") {
            return None;
        }
        let mut reader = Reader::new(self.tokens, at + 1);
        let expr = reader.value();
        self.lists.push(("servers".to_owned(), Rc::new(expr)));
        Some(reader.at)
    }

    /// The literal that a variable holds.
    fn resolved(&self, expr: &Expr) -> Option<Rc<Expr>> {
        match &expr.value {
            Value::Word(word) => self.variables.get(word).cloned(),
            _ => None,
        }
    }

    fn pools(mut self, report: &mut Report) -> Vec<PoolRead> {
        if self.clients.iter().all(|(_, client)| client.servers.is_empty()) && !report.has_errors() {
            let lists = std::mem::take(&mut self.lists);
            for (name, list) in &lists {
                self.list(report, name, list, 0);
            }
        }
        let alone = self.clients.iter().filter(|(_, client)| !client.servers.is_empty()).count() <= 1;
        if self.clients.is_empty() && !report.has_errors() {
            report.push(
                report
                    .error_at(Span::new(0, 0), "the program lists no servers")
                    .with_help("servers are added to a client: `$m->addServer('10.0.0.1', 11211)`"),
            );
        }
        let mut pools: Vec<PoolRead> = Vec::new();
        let mut names: HashSet<String> = HashSet::new();
        let (strategy, strategies) = (self.strategy, self.strategies);
        for (variable, client) in self.clients {
            if client.servers.is_empty() && (pools.len() > 1 || !alone || report.has_errors()) {
                continue;
            }
            let what = if variable.is_empty() {
                "the client".to_owned()
            } else {
                format!("client {}", quoted(&variable))
            };
            let scheme = scheme(report, &client, strategy);
            let mut settings = client.settings;
            if client.class == Class::Memcache {
                settings.clone_from(&strategies);
            }
            let mut name = client.name;
            if name.is_empty() || names.contains(&name) {
                name = format!("{}-{}", if name.is_empty() { "client" } else { &name }, pools.len() + 1);
            }
            names.insert(name.clone());
            let start = client.span.start();
            let entries = settle(report, &what, Span::new(start, start), client.servers);
            let name = (!alone).then_some(name);
            pools.push(PoolRead { name, span: client.span, scheme, settings, entries, warnings: Vec::new() });
        }
        pools
    }

    /// The servers of an array, or of the arrays in it under `servers` or a name of their own.
    fn list(&mut self, report: &mut Report, name: &str, list: &Expr, depth: usize) {
        let Some(items) = list.items() else { return };
        if depth > 8 {
            return;
        }
        if is_servers(items) {
            for item in items {
                let added = listed(report, item, Taker::Anybody);
                self.push(report, name, added, item.value.host_span());
            }
            return;
        }
        if let Some(servers) = keyed(items, "servers").or_else(|| keyed(items, "nodes"))
            && servers.items().is_some_and(is_servers)
        {
            let is_memcached = keyed(items, "driver").and_then(Expr::text) == Some("memcached");
            let class = if is_memcached { Class::Memcached } else { Class::Unknown };
            self.client(name, servers.span, class);
            if let (true, Some(options)) = (is_memcached, keyed(items, "options")) {
                self.options(report, name, options.span, Some(options));
            }
            return self.list(report, name, servers, depth + 1);
        }
        for item in items {
            let key = item.key.as_ref().and_then(Expr::text);
            self.list(report, key.unwrap_or(name), &item.value, depth + 1);
        }
    }
}

/// What to do about a call or a name where a server should stand.
const IN_ITS_PLACE: &str = "a program is read and not run: write what it comes to in its place";

/// The complaint about a value that is not a literal, or another one than is expected.
pub(in crate::lists) fn refuse_unknown(
    report: &mut Report,
    span: Span,
    value: Option<&Expr>,
    expected: &str,
) {
    let refused = unknown(report, span, value, expected);
    report.push(refused);
}

/// The same about what should be a list of servers.
pub(in crate::lists) fn refuse_list(report: &mut Report, span: Span, list: Option<&Expr>) {
    let refused = unknown(report, span, list, "a list of servers");
    report.push(refused.with_help(IN_ITS_PLACE));
}

fn unknown(report: &Report, span: Span, value: Option<&Expr>, expected: &str) -> Diagnostic {
    let place = value.map_or(span, |value| value.span);
    let what = value.map_or("nothing", Expr::describe);
    let shown = ticked(report.source.slice(place).lines().next().unwrap_or(""));
    report.error_at(place, format!("{expected} should stand here, and {shown} is {what}"))
}
