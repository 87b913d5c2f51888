//! nginx 1.22: the `upstream` blocks of a file, or of what it includes.
//!
//! ```nginx
//! upstream cache {
//!     hash $request_uri consistent;
//!     server 10.0.0.1:8080 weight=2;
//!     server 10.0.0.2:8080;
//!     server 10.0.0.3:8080 down;
//! }
//! ```
//!
//! Read are whole files, with `http` and `stream`, and parts of them that begin with an `upstream`
//! (of `http`, unless a `stream` is around it). What decides the placement: `hash`, with or without
//! `consistent`, and of each server its text as written, `weight` and `down`. The key's variables are
//! left alone. Of several methods the last one wins; an upstream whose last method is no hash, or that
//! hashes an empty key, is right and places nothing. A `backup` is left out: it has no keys while
//! another server is up, and behind `hash` nginx refuses it.
//!
//! Blocks other than upstreams are passed over; what stands directly in the file, `http` or `stream`
//! is held against nginx's own directives, and a stranger is a warning. Two upstreams of one name, one
//! of `http` and one of `stream`, are called `NAME` and `stream/NAME`.
//!
//! An upstream that nginx refuses is refused. Established by asking nginx 1.22.1 (`nginx -t`), which
//! the tests do again for every file of the corpus. Refused although nginx takes it: an upstream whose
//! servers are all `down`, and a server listed twice. Taken although nginx may refuse it: names that
//! do not resolve, variables that nobody sets, zones of memory that are too small, and whatever is wrong
//! outside of upstreams.

mod files;
mod glob;
mod lexer;
mod names;
mod upstream;

use std::collections::HashMap;

use files::{Context, Files};
use lexer::{Item, Lexer};

use crate::diagnostic::{quoted, ticked};
use crate::fleet::PoolRead;
use crate::kind::significant;
use crate::report::Report;
use crate::source::Span;

/// Whether a text has a line that begins a block that upstreams are in or beside, or itself begins
/// with a directive of nginx.
pub(crate) fn is(text: &str) -> bool {
    /// Lines that only look like a block are few.
    const TRIES: usize = 64;
    /// A block that is one opens soon.
    const NEAR: usize = 1_000;
    let first = significant(text).next();
    if first.is_some_and(|(_, line)| is_directive(line.trim())) {
        return true;
    }
    let begins = |line: &&str| {
        let word = line.split([' ', '\t', '\r', '{']).next().unwrap_or_default();
        matches!(word, "upstream" | "http" | "stream" | "events" | "server")
    };
    let lines = text.lines().map(str::trim_start).filter(begins).take(TRIES);
    lines.map(|line| line.as_ptr() as usize - text.as_ptr() as usize).any(|start| {
        let mut end = text.len().min(start + NEAR);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let words = if text[start..].starts_with("upstream") { 2 } else { 1 };
        match Lexer::new(&text[start..end], 0).next() {
            Ok(Item::Directive(directive)) => directive.opens && directive.words.len() == words,
            _ => false,
        }
    })
}

/// A directive that stands alone on its line: a name of nginx's, and something that is no value of
/// a key.
fn is_directive(line: &str) -> bool {
    let statement = line.split(" #").next().unwrap_or_default().trim_end();
    let (name, rest) = statement.split_once([' ', '\t']).unwrap_or_default();
    let is_value = rest.trim_start().starts_with(['=', ':']);
    statement.ends_with([';', '{']) && !is_value && name != "include" && names::is_known(name)
}

pub(crate) fn read(report: &mut Report) -> Vec<PoolRead> {
    let mut files = Files::read(report);
    if let Some(source) = files.source() {
        report.source = source;
    }
    for refused in std::mem::take(&mut files.refused) {
        report.push(refused);
    }
    let [errors, warnings] = files.more;
    (0..errors).for_each(|_| report.count_one_more());
    if let (1.., Some(last)) = (warnings, files.complaints.last()) {
        let message = match warnings {
            1 => "1 more directive is none of nginx's own modules".to_owned(),
            _ => format!("{warnings} more directives are none of nginx's own modules"),
        };
        report.push(report.warning_at(Span::new(last.span.start(), last.span.start()), message));
    }
    for complaint in std::mem::take(&mut files.complaints) {
        let mut diagnostic = match complaint.is_warning {
            true => report.warning_at(complaint.span, complaint.message),
            false => report.error_at(complaint.span, complaint.message),
        };
        if let Some((span, label)) = complaint.also {
            diagnostic = diagnostic.with_also(span, label);
        }
        if let Some(help) = complaint.help {
            diagnostic = diagnostic.with_help(help);
        }
        report.push(diagnostic);
    }
    if files.upstreams.is_empty() && !report.has_errors() {
        let message = "the file has no `upstream`, and nginx's servers are listed in one";
        let help = "a fleet's upstream may be in a file that the product includes: give that one";
        report.push(report.error_at(Span::new(0, 0), message).with_help(help));
    }
    refuse_outside(report, &files);
    let names = names_of(report, &files);
    let mut pools: Vec<PoolRead> = files
        .upstreams
        .iter()
        .zip(names)
        .filter_map(|(upstream, name)| upstream::pool(report, upstream, name))
        .collect();
    // Warnings go to the pool that begins before them.
    pools.sort_by_key(|pool| pool.span);
    pools
}

/// In a whole file an upstream stands in `http` or `stream`.
fn refuse_outside(report: &mut Report, files: &Files) {
    let Some(block) = files.main_block else { return };
    for upstream in files.upstreams.iter().filter(|upstream| upstream.context == Context::Top) {
        let this = ticked(report.source.slice(upstream.opened.span()));
        let message = format!("{this} stands outside of `http` and `stream`");
        let diagnostic = report.error_at(upstream.opened.span(), message);
        report.push(diagnostic.with_also(block, "a whole file of nginx"));
    }
}

/// What each upstream is called here, with a complaint about two of one name.
fn names_of(report: &mut Report, files: &Files) -> Vec<String> {
    let is_stream = |context| context == Context::Stream;
    let mut first: HashMap<(bool, String), Span> = HashMap::new();
    for upstream in &files.upstreams {
        let [label] = upstream.opened.arguments() else { continue };
        let key = (is_stream(upstream.context), label.text.to_ascii_lowercase());
        match first.get(&key) {
            None => {
                first.insert(key, label.span);
            }
            Some(&before) => {
                let message = format!("there are two upstreams {}", quoted(&label.text));
                report.push(report.error_at(label.span, message).with_also(before, "first here"));
            }
        }
    }
    let name = |upstream: &files::Upstream| {
        let label = upstream.opened.arguments().first().map_or("", |label| &label.text);
        let both = first.contains_key(&(false, label.to_ascii_lowercase()));
        if is_stream(upstream.context) && both { format!("stream/{label}") } else { label.to_owned() }
    };
    files.upstreams.iter().map(name).collect()
}
