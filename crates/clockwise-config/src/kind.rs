//! What kind of file it is: the content decides, unless the caller does.

use std::fmt;
use std::str::FromStr;

use crate::diagnostic::{Diagnostic, quoted, ticked};
use crate::fleet::PoolRead;
use crate::report::Report;
use crate::sniff::has_key;
use crate::source::{Source, Span};
use crate::suggest::nearest;
use crate::{
    dskit, envoy, haproxy, json, libmemcached, lists, manifest, mcrouter, nginx, nodetool, own, redis,
    thanos, twemproxy,
};

/// A kind of fleet file.
///
/// Its [name](Kind::name) is the one that `--from` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// Clockwise's own TOML.
    Toml,
    /// The configuration of nginx.
    Nginx,
    /// The configuration of HAProxy.
    Haproxy,
    /// The YAML of twemproxy (nutcracker).
    Twemproxy,
    /// Clusters of Envoy, in YAML or JSON.
    Envoy,
    /// Pools and routes of mcrouter, in JSON with comments.
    Mcrouter,
    /// Hashrings of Thanos Receive, in JSON.
    Thanos,
    /// The ring page of Mimir, Loki, Tempo and Cortex, in JSON.
    Dskit,
    /// An option string of libmemcached.
    Libmemcached,
    /// A list of servers in a program or in settings: PHP's, Python's, or without a client.
    List,
    /// What a Redis Cluster says of itself: `CLUSTER NODES`, `SLOTS` or `SHARDS`.
    RedisCluster,
    /// Cassandra's `nodetool ring` or `nodetool status`.
    Nodetool,
}

/// A kind of file and its reader.
struct Row {
    kind: Kind,
    name: &'static str,
    /// How messages call it.
    title: &'static str,
    /// Whether a text can only be of this kind, or is most likely. The first row that says so has it.
    is: fn(&str) -> bool,
    read: fn(&mut Report) -> Vec<PoolRead>,
}

/// Every kind of file, those that are told by most first.
const ROWS: &[Row] = &[
    Row { kind: Kind::Thanos, name: "thanos", title: "Thanos", is: thanos::is, read: thanos::read },
    Row { kind: Kind::Dskit, name: "dskit", title: "dskit ring", is: dskit::is, read: dskit::read },
    Row { kind: Kind::Envoy, name: "envoy", title: "Envoy", is: envoy::is, read: envoy::read },
    Row { kind: Kind::Mcrouter, name: "mcrouter", title: "mcrouter", is: mcrouter::is, read: mcrouter::read },
    Row { kind: Kind::Nginx, name: "nginx", title: "nginx", is: nginx::is, read: nginx::read },
    Row { kind: Kind::Haproxy, name: "haproxy", title: "HAProxy", is: haproxy::is, read: haproxy::read },
    Row {
        kind: Kind::Libmemcached,
        name: "libmemcached",
        title: "libmemcached options",
        is: libmemcached::is,
        read: libmemcached::read,
    },
    Row {
        kind: Kind::RedisCluster,
        name: "redis-cluster",
        title: "Redis Cluster",
        is: redis::is,
        read: redis::read,
    },
    Row { kind: Kind::Nodetool, name: "nodetool", title: "nodetool", is: nodetool::is, read: nodetool::read },
    Row { kind: Kind::List, name: "list", title: "PHP or Python list", is: lists::is, read: lists::read },
    Row { kind: Kind::Toml, name: "toml", title: "clockwise fleet", is: own::is, read: own::read },
    Row {
        kind: Kind::Twemproxy,
        name: "twemproxy",
        title: "twemproxy",
        is: twemproxy::is,
        read: twemproxy::read,
    },
];

impl Kind {
    /// All kinds.
    pub fn all() -> impl Iterator<Item = Kind> {
        ROWS.iter().map(|row| row.kind)
    }

    /// The name, as `--from` takes it.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    fn row(self) -> &'static Row {
        // Every kind has its row: a test counts them.
        ROWS.iter().find(|row| row.kind == self).unwrap_or(&ROWS[0])
    }

    /// Reads a source as a file of this kind.
    pub(crate) fn read(self, report: &mut Report) -> Vec<PoolRead> {
        (self.row().read)(report)
    }

    /// Decides by the content.
    pub(crate) fn of(source: &Source) -> Result<Kind, Diagnostic> {
        let text = source.text();
        manifest::refuse(source)?;
        // Blank lines tell nothing, and dozens of looks at each would be most of the work on a file full of them.
        let filled: String = text.split_inclusive('\n').filter(|line| !line.trim().is_empty()).collect();
        if let Some(row) = ROWS.iter().find(|row| (row.is)(&filled)) {
            return Ok(row.kind);
        }
        let Some((number, line)) = significant(text).next() else {
            let what = if text.trim().is_empty() { "is empty" } else { "holds only comments" };
            let message = format!("the file {what}, and a fleet has at least one server");
            return Err(Diagnostic::error(source, Span::new(0, 0), message).with_help(known()));
        };
        let start = source.line_start(number) + (line.len() - line.trim_start().len());
        let span = Span::new(start, start + line.trim().len());
        if json::begins(text) && has_key(text, &["apiVersion"]) && has_key(text, &["kind"]) {
            let message =
                format!("no value of these Kubernetes objects is a fleet file: {}", ticked(line.trim()));
            return Err(Diagnostic::error(source, span, message).with_help(manifest::HELP));
        }
        let message = format!("no kind of fleet file begins with {}", ticked(line.trim()));
        Err(Diagnostic::error(source, span, message).with_help(known()))
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.row().title)
    }
}

impl FromStr for Kind {
    type Err = String;

    /// By its [name](Kind::name). The error is a sentence.
    fn from_str(text: &str) -> Result<Kind, String> {
        let names: Vec<&str> = ROWS.iter().map(|row| row.name).collect();
        match ROWS.iter().find(|row| row.name == text) {
            Some(row) => Ok(row.kind),
            None => Err(format!(
                "there is no kind of file {}: {}",
                quoted(text),
                match nearest(text, names.iter().copied()) {
                    Some(meant) => format!("did you mean {}?", quoted(meant)),
                    None => format!("they are {}", names.join(", ")),
                }
            )),
        }
    }
}

/// What can be read, for whoever has something else.
pub(crate) fn known() -> String {
    let others: Vec<&str> =
        ROWS.iter().map(|row| row.title).filter(|title| *title != "clockwise fleet").collect();
    format!(
        "what can be read: clockwise's own TOML (it begins with `version = 1`), {}; --from NAME says which it is",
        others.join(", ")
    )
}

/// The lines that are neither blank nor a `#` comment, with their numbers.
pub(crate) fn significant(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(text.lines()).filter(|(_, line)| {
        let text = line.trim();
        !text.is_empty() && !text.starts_with('#')
    })
}

/// Our own TOML or twemproxy's YAML, told by the first line that can only be one of them.
pub(crate) fn toml_or_twemproxy(text: &str) -> Option<Kind> {
    significant(text).find_map(|(_, line)| of_line(line.trim()))
}

/// What a line can only be, if it can only be one thing.
fn of_line(line: &str) -> Option<Kind> {
    let key_end = line.find(['=', ':']);
    let is_header = line.starts_with('[') && !line.starts_with("[ ") && line.contains(']');
    match key_end {
        // JSON of some kind or other.
        _ if line.starts_with("[{") => None,
        _ if is_header && line.find('=').is_none_or(|at| line.find(']') < Some(at)) => Some(Kind::Toml),
        _ if line.starts_with("---") || line.starts_with("%YAML") || line.starts_with("- ") => {
            Some(Kind::Twemproxy)
        }
        // `key = value`, unless it is a key in YAML with such text as its value.
        Some(at) if line[at..].starts_with('=') && at > 0 => Some(Kind::Toml),
        Some(at) if at > 0 && !line.starts_with('{') => {
            let after = &line[at + 1..];
            (after.is_empty() || after.starts_with([' ', '\t'])).then_some(Kind::Twemproxy)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Kind, Diagnostic> {
        Kind::of(&Source::new("f", text.as_bytes()).unwrap())
    }

    #[test]
    fn content_tells_the_kinds_apart() {
        for text in [
            "version = 1\n",
            "# cache: the fleet\n\nversion=1",
            "[placement]\nscheme = 'ring'",
            "[[server]]  # the first\nname = 'a:b'",
            "[placement] # x = y\n",
            "name = \"a: b\"",
            "server = { a = 1,\n b = 2 }",
            "balance = 'uri'",
            "note = '''\n  upstream and so on\n'''",
            "\"quoted\" = 1",
            "a.b = 1\n",
        ] {
            assert_eq!(of(text).unwrap(), Kind::Toml, "{text}");
        }
        for text in [
            "alpha:\n  listen: 127.0.0.1:1",
            "# version = 1\r\nalpha:\r\n",
            "---\nalpha:",
            "'a b': \n",
            "pool: { listen: 1 }",
            "- a\n",
            "alpha:   # = not TOML\n",
            "redis_auth: a=b\n",
            "upstream:\n  listen: 127.0.0.1:1",
            "server: {}\n",
            "backend:\n  listen: 127.0.0.1:1",
            "global:\n",
        ] {
            assert_eq!(of(text).unwrap(), Kind::Twemproxy, "{text}");
        }
        for text in [
            "upstream a { server b; }",
            "# a = 1\nupstream a\n{\n",
            "upstream # b: 1\n a # c\n {",
            "upstream \"a b\" {",
            "log_format main '$a = \"b\"';\nupstream a {",
            "user www-data;\nworker_processes 1;",
            "map $a $b {\n default 1;\n}",
            "// no comment\nhttp {",
            "server 10.0.0.1:80;",
        ] {
            assert_eq!(of(text).unwrap(), Kind::Nginx, "{text}");
        }
        for text in [
            "global\n maxconn 5\n",
            "# a: b\n\ndefaults\n mode http\n",
            "defaults a from b\n",
            "backend cache # a = b\n balance uri\n",
            "listen a 10.0.0.1:80\n",
            "frontend web\n log-format \"%ci = %b\"\n",
            "resolvers dns\n nameserver a 10.0.0.1:53\n",
            "server a 10.0.0.1:80 check\n",
        ] {
            assert_eq!(of(text).unwrap(), Kind::Haproxy, "{text}");
        }
    }

    #[test]
    fn what_is_neither_is_said_with_its_first_line() {
        let refused = of("\n  <fleet>\n").unwrap_err();
        assert_eq!(refused.to_string(), "f:2:3: no kind of fleet file begins with `<fleet>`");
        assert!(refused.help().unwrap().contains("version = 1"));
        for (text, says) in
            [("", "the file is empty"), ("  \n", "is empty"), ("# a\n", "holds only comments")]
        {
            assert!(of(text).unwrap_err().message().contains(says), "{text:?}");
        }
    }
}
