//! Cassandra's `nodetool ring` and `nodetool status`.
//!
//! ```text
//! Datacenter: dc1
//! ==========
//! Address     Rack   Status State   Load        Owns    Token
//!                                                       3074457345618258602
//! 10.0.0.1    rack1  Up     Normal  103.37 KiB  33.3%   -9223372036854775808
//! 10.0.0.2    rack1  Up     Normal  101.02 KiB  33.3%   3074457345618258602
//! ```
//!
//! What decides the placement: the tokens, all data centres together. They tell the partitioner where
//! one is negative (Murmur3) or beyond 64 bits (Random); otherwise it must be said, as
//! `--placement cassandra,partitioner=RandomPartitioner`. A node is a server under its address, with
//! its rack as the zone.
//!
//! The token that stands alone at the beginning of a data centre is that of its last row. If no row
//! has it, rows are missing and the listing is refused; if it is not the greatest, there is a warning.
//! The order of rows is nothing. A node that is joining has no keys yet and is draining here; one that
//! is leaving still has its keys, and there is a warning.
//!
//! `nodetool status` counts tokens and lists none, except where each node has one. Without them it
//! names the servers, and how keys are placed must be said. Shapes are those that the program's source
//! prints (its classes `Ring` and `Status`, before version 5); it was not run.

use std::collections::{BTreeMap, HashMap};

use clockwise::dialect::Dialect;
use clockwise::dialect::cassandra::{Options, Partitioner, Token};
use clockwise::{Scheme, Server, ServerName, Zone};

use crate::diagnostic::{Diagnostic, quoted, ticked};
use crate::fleet::{PoolRead, ServerEntry, settle};
use crate::kind::significant;
use crate::report::Report;
use crate::source::Span;

/// How many lines may stand before the first that tells what it is.
const TOLD_BY: usize = 12;

/// Lines that say nothing of nodes.
const REMARKS: &[&str] = &[
    "Status=",
    "|/ State=",
    "Note:",
    "Warning:",
    "To view status",
    "Non-system keyspaces",
    "xss =",
    "WARNING:",
    "picked up JAVA",
    "Picked up",
];

/// Whether a text has the head of either, or is the ranges of `nodetool describering`.
pub(crate) fn is(text: &str) -> bool {
    let mut lines = significant(text).take(TOLD_BY).map(|(_, line)| line.trim());
    lines.any(|line| Columns::of(line).is_some() || line.starts_with("TokenRange("))
}

/// What a row has, by the head above it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Columns {
    /// `nodetool ring`; before 1.2 with the data centre in each row.
    Ring { with_datacenter: bool },
    /// `nodetool status` with a count of tokens.
    Counted,
    /// `nodetool status` with one token a node.
    One,
}

impl Columns {
    fn of(line: &str) -> Option<Columns> {
        let words: Vec<&str> = line.split_whitespace().take(20).collect();
        match words.as_slice() {
            ["--" | "Status", "Address", rest @ ..] if rest.contains(&"Host") => {
                Some(if rest.contains(&"Token") { Columns::One } else { Columns::Counted })
            }
            ["Address", "DC", "Rack", "Status", "State", .., "Token"] => {
                Some(Columns::Ring { with_datacenter: true })
            }
            ["Address", "Rack", "Status", "State", .., "Token"] => {
                Some(Columns::Ring { with_datacenter: false })
            }
            _ => None,
        }
    }
}

/// A word and its place.
#[derive(Clone, Copy)]
struct Word<'l> {
    text: &'l str,
    span: Span,
}

/// A node, from one row or several.
struct Node {
    entry: ServerEntry,
    datacenter: String,
    rack: String,
    tokens: Vec<Token>,
    joins: bool,
}

struct Cluster {
    nodes: Vec<Node>,
    by_address: HashMap<String, usize>,
    /// The node of each token and where it stands.
    tokens: HashMap<Token, (usize, Span)>,
    negative: bool,
    wide: bool,
    columns: Option<(Columns, Span)>,
    datacenter: String,
    /// The token at the beginning of the data centre, and the greatest of its rows.
    wrap: Option<(Token, Span)>,
    greatest: Option<Token>,
}

pub(crate) fn read(report: &mut Report) -> Vec<PoolRead> {
    let source = report.source.clone();
    let mut cluster = Cluster {
        nodes: Vec::new(),
        by_address: HashMap::new(),
        tokens: HashMap::new(),
        negative: false,
        wide: false,
        columns: None,
        datacenter: String::new(),
        wrap: None,
        greatest: None,
    };
    for (number, line) in significant(source.text()) {
        if report.is_full() {
            report.count_one_more();
            continue;
        }
        let start = source.line_start(number);
        let words: Vec<Word<'_>> = line
            .split_whitespace()
            .map(|text| {
                let at = start + (text.as_ptr() as usize - line.as_ptr() as usize);
                Word { text, span: Span::new(at, at + text.len()) }
            })
            .collect();
        if let Some(first) = words.first() {
            let whole = Span::new(first.span.start(), start + line.trim_end().len());
            cluster.line(report, line.trim(), whole, &words);
        }
    }
    cluster.end_datacenter(report);
    cluster.pool(report).into_iter().collect()
}

impl Cluster {
    fn line(&mut self, report: &mut Report, line: &str, whole: Span, words: &[Word<'_>]) {
        if let Some(name) = line.strip_prefix("Datacenter:") {
            self.end_datacenter(report);
            self.datacenter = name.trim().to_owned();
            return;
        }
        if line.starts_with("TokenRange(") {
            let message = format!("this is the output of nodetool describering: {}", ticked(line));
            report.push(report.error_at(whole, message).with_help("ask for nodetool ring"));
            return;
        }
        if let Some(columns) = Columns::of(line) {
            self.columns = Some((columns, whole));
            return;
        }
        let is_rule = line.chars().all(|c| c == '=');
        if is_rule || REMARKS.iter().any(|remark| line.starts_with(remark)) {
            return;
        }
        let Some((columns, _)) = self.columns else {
            // What a shell or a JVM says before the head.
            return;
        };
        if ["...", "…", "[...]"].contains(&words[0].text) {
            let message = format!(
                "{} stands for rows that are left out, and their tokens are missing",
                ticked(words[0].text)
            );
            report.push(report.error_at(words[0].span, message).with_help("give the whole listing"));
            return;
        }
        match columns {
            Columns::Ring { with_datacenter } => self.ring_row(report, with_datacenter, whole, words),
            Columns::Counted | Columns::One => self.status_row(report, columns == Columns::One, whole, words),
        }
    }

    /// `Address [DC] Rack Status State Load Owns Token`, or a token alone.
    fn ring_row(&mut self, report: &mut Report, with_datacenter: bool, whole: Span, words: &[Word<'_>]) {
        if let [token] = words {
            if let Some(token_read) = self.token(report, *token) {
                self.wrap = Some((token_read, token.span));
            }
            return;
        }
        let shift = usize::from(with_datacenter);
        let is_status = |word: &Word<'_>| ["Up", "Down"].contains(&word.text);
        // A rack may have blanks in it: the status tells where it ends.
        let status = words.iter().position(is_status).filter(|at| *at >= 2 + shift);
        let (Some(status), Some(token)) = (status, words.last()) else {
            return broken(
                report,
                whole,
                "a row of nodetool ring as address, rack, status, state, load, share and token",
            );
        };
        let Some(state) = words.get(status + 1).filter(|_| words.len() > status + 3) else {
            return broken(report, whole, "state, load, share and a token behind the status");
        };
        let datacenter = if with_datacenter { words[1].text.to_owned() } else { self.datacenter.clone() };
        let rack: Vec<&str> = words[1 + shift..status].iter().map(|word| word.text).collect();
        let Some(read) = self.token(report, *token) else { return };
        if let Some(node) = self.node(report, words[0], &datacenter, &rack.join(" "), *state) {
            self.give(report, node, read, token.span);
        }
    }

    /// `UN Address Load Tokens Owns HostID Rack`, or `UN Address Load Owns HostID Token Rack`.
    fn status_row(&mut self, report: &mut Report, has_token: bool, whole: Span, words: &[Word<'_>]) {
        let state = match words[0].text.as_bytes() {
            [b'U' | b'D' | b'?', state @ (b'N' | b'L' | b'J' | b'M' | b'S' | b'R' | b'?')] => *state,
            _ => {
                return broken(
                    report,
                    whole,
                    "a row of nodetool status, which begins with two letters as UN",
                );
            }
        };
        // The id tells where the rack begins, since a load is one word or two.
        let is_id = |word: &Word<'_>| {
            word.text.len() == 36 && word.text.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
        };
        let Some(id) = words.iter().position(is_id).filter(|id| *id >= 4) else {
            return broken(report, whole, "address, load, share and host id in a row of nodetool status");
        };
        let rack_at = id + 1 + usize::from(has_token);
        if words.len() <= rack_at {
            return broken(report, whole, "the rack at the end of a row of nodetool status");
        }
        let rack: Vec<&str> = words[rack_at..].iter().map(|word| word.text).collect();
        let state = Word {
            text: match state {
                b'J' => "Joining",
                b'L' => "Leaving",
                _ => "Normal",
            },
            span: words[0].span,
        };
        let datacenter = self.datacenter.clone();
        let Some(node) = self.node(report, words[1], &datacenter, &rack.join(" "), state) else { return };
        if has_token {
            let word = words[id + 1];
            if let Some(token) = self.token(report, word) {
                self.give(report, node, token, word.span);
            }
        }
    }

    /// The node of that address; each row of a node says the same of it.
    fn node(
        &mut self,
        report: &mut Report,
        address: Word<'_>,
        datacenter: &str,
        rack: &str,
        state: Word<'_>,
    ) -> Option<usize> {
        if let Some(&known) = self.by_address.get(address.text) {
            let node = &self.nodes[known];
            if node.datacenter != datacenter || node.rack != rack {
                let message = format!(
                    "node {} stands in rack {} of {} here, and in rack {} of {} before",
                    quoted(address.text),
                    quoted(rack),
                    quoted(datacenter),
                    quoted(&node.rack),
                    quoted(&node.datacenter)
                );
                report.push(report.error_at(address.span, message).with_also(node.entry.span(), "before"));
                return None;
            }
            return Some(known);
        }
        let joins = state.text == "Joining";
        match state.text {
            "Normal" | "Moving" => {}
            "Joining" => {
                let message = format!(
                    "node {} is joining and has no keys yet: {}",
                    quoted(address.text),
                    ticked(report.source.slice(state.span))
                );
                report.push(report.warning_at(state.span, message));
            }
            "Leaving" => {
                let message = format!(
                    "node {} is leaving and still has its keys: {}",
                    quoted(address.text),
                    ticked(report.source.slice(state.span))
                );
                report.push(report.warning_at(state.span, message));
            }
            _ => {
                let message = format!(
                    "{} is no state of a node: Normal, Leaving, Joining or Moving",
                    quoted(state.text)
                );
                report.error(state.span, message);
                return None;
            }
        }
        let server = Server::new(address.text).and_then(|server| server.with_zone(rack));
        match server {
            Ok(server) => {
                let server = if joins { server.draining() } else { server };
                self.by_address.insert(address.text.to_owned(), self.nodes.len());
                self.nodes.push(Node {
                    entry: ServerEntry::new(server, address.span),
                    datacenter: datacenter.to_owned(),
                    rack: rack.to_owned(),
                    tokens: Vec::new(),
                    joins,
                });
                Some(self.nodes.len() - 1)
            }
            Err(error) => {
                report.error(address.span, format!("node {}: {error}", quoted(address.text)));
                None
            }
        }
    }

    fn token(&mut self, report: &mut Report, word: Word<'_>) -> Option<Token> {
        match word.text.parse::<Token>() {
            Ok(token) => {
                self.negative |= word.text.starts_with('-');
                self.wide |= token.murmur3().is_none();
                Some(token)
            }
            Err(error) => {
                let diagnostic = report.error_at(word.span, format!("{error}: {}", ticked(word.text)));
                report.push(match word.text {
                    text if text.ends_with('%') || text == "?" => {
                        diagnostic.with_help("the row is cut off: a token stands at its end")
                    }
                    _ => diagnostic
                        .with_help("ByteOrderedPartitioner places keys in their own order and not by a hash"),
                });
                None
            }
        }
    }

    fn give(&mut self, report: &mut Report, node: usize, token: Token, span: Span) {
        if let Some((other, first)) = self.tokens.insert(token, (node, span)) {
            let (name, other) = (self.name(node), self.name(other));
            let shown = ticked(report.source.slice(span));
            let message = match name == other {
                true => format!("the token {shown} of node {} is listed twice", quoted(name)),
                false => {
                    format!("the token {shown} of node {} already belongs to {}", quoted(name), quoted(other))
                }
            };
            report.push(report.error_at(span, message).with_also(first, "first here"));
            return;
        }
        self.greatest = self.greatest.max(Some(token));
        self.nodes[node].tokens.push(token);
    }

    fn name(&self, node: usize) -> &str {
        self.nodes[node].entry.server().name().as_str()
    }

    /// The token at the beginning of a data centre is that of its last row.
    fn end_datacenter(&mut self, report: &mut Report) {
        let (wrap, greatest) = (self.wrap.take(), self.greatest.take());
        let Some((token, span)) = wrap else { return };
        let shown = ticked(report.source.slice(span));
        if !self.tokens.contains_key(&token) {
            let message = format!("the token {shown} stands at the beginning, and no row has it");
            let help = "rows are missing at the end: give the whole listing";
            report.push(report.error_at(span, message).with_help(help));
        } else if greatest.is_some_and(|greatest| greatest != token) {
            let message = format!(
                "the token {shown} stands at the beginning and is not the greatest: rows may be missing"
            );
            report.push(report.warning_at(span, message));
        }
    }

    fn pool(self, report: &mut Report) -> Option<PoolRead> {
        let span = self.columns.map_or(Span::new(0, 0), |(_, span)| span);
        if self.nodes.is_empty() {
            if !report.has_errors() {
                let shown = ticked(report.source.slice(span));
                let refused = report.error_at(span, format!("no node stands under the head {shown}"));
                report.push(refused.with_help("give all of the output, with the rows of the nodes"));
            }
            return None;
        }
        let scheme = self.scheme(report, span);
        let entries = self.nodes.into_iter().map(|node| node.entry).collect();
        let entries = settle(report, "the cluster", Span::new(span.start(), span.start()), entries);
        Some(PoolRead { name: None, span, scheme, settings: Vec::new(), entries, warnings: Vec::new() })
    }

    fn scheme(&self, report: &Report, span: Span) -> Result<Scheme, Diagnostic> {
        let shown = shown(report, span);
        let said = match &report.options.placement {
            Some(Scheme::Dialect(Dialect::Cassandra(options))) => Some(options.partitioner),
            _ => None,
        };
        if self.tokens.is_empty() {
            let why = format!("nodetool status lists no tokens where a node has several: {shown}");
            return match said {
                // Cassandra's placement is its tokens.
                Some(_) => {
                    Err(report.error_at(span, why).with_help("ask for nodetool ring, which lists them"))
                }
                None => report
                    .placement(span, why)
                    .map_err(|error| error.with_more_help("nodetool ring lists the tokens")),
            };
        }
        let partitioner = match (self.negative, self.wide, said) {
            (true, _, _) => Partitioner::Murmur3,
            (false, true, _) => Partitioner::Random,
            (false, false, Some(said)) => said,
            (false, false, None) => {
                let message =
                    format!("the tokens under {shown} do not tell the partitioner: all go from 0 to 2⁶³ - 1");
                return Err(report.error_at(span, message).with_help(
                    "say it: --placement cassandra,partitioner=Murmur3Partitioner, or RandomPartitioner",
                ));
            }
        };
        let mut tokens: BTreeMap<ServerName, Vec<Token>> = BTreeMap::new();
        let mut datacenters: BTreeMap<ServerName, Zone> = BTreeMap::new();
        for node in &self.nodes {
            let name = node.entry.server().name();
            if !node.joins && !node.tokens.is_empty() {
                let mut own = node.tokens.clone();
                own.sort_unstable();
                tokens.insert(name.clone(), own);
            }
            if !node.datacenter.is_empty() {
                let zone = Zone::new(node.datacenter.as_str());
                let zone = zone.map_err(|error| {
                    report.error_at(node.entry.span(), format!("node {}: {error}", quoted(name.as_str())))
                })?;
                datacenters.insert(name.clone(), zone);
            }
        }
        Ok(Scheme::Dialect(Options { partitioner, tokens, datacenters }.into()))
    }
}

fn broken(report: &mut Report, whole: Span, what: &str) {
    let shown = shown(report, whole);
    let begin = report.source.slice(whole).chars().take(SHOWN).collect::<String>().trim_end().len();
    let place = Span::new(whole.start(), whole.start() + begin);
    report.push(
        report
            .error_at(place, format!("{what} should stand at {shown}"))
            .with_help("the listing is cut off or edited: give all of it"),
    );
}

/// How much of a row is shown: the rest is mostly blanks.
const SHOWN: usize = 60;

/// The beginning of a row, which has many blanks.
fn shown(report: &Report, row: Span) -> String {
    let begin: String = report.source.slice(row).chars().take(SHOWN).collect();
    ticked(begin.trim_end())
}
