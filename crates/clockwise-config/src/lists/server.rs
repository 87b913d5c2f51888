//! One server of a list, by the rules of whoever reads the list.

use std::net::Ipv6Addr;

use clockwise::Server;

use crate::diagnostic::{Diagnostic, quoted, ticked};
use crate::report::Report;
use crate::source::Span;

/// memcached's port, where none is written.
pub(super) const PORT: u16 = 11211;

/// Whose list it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taker {
    /// Nobody in particular: `host`, `host:port`, `host:port:weight`, IPv6 in brackets or alone.
    Anybody,
    /// pylibmc: the same, `udp:` before it, and no IPv6 without brackets.
    Pylibmc,
    /// python-memcached: `host:port`, `inet6:[…]:port`, `unix:/path`.
    PythonMemcached,
    /// pymemcache: `host:port`, `unix:/path`, IPv6 in brackets.
    Pymemcache,
    /// libmemcached's `memcached_servers_parse`, for PHP's sessions.
    Libmemcached,
    /// PHP Memcache's sessions: `tcp://host:port?weight=…`.
    PhpMemcache,
    /// Nodes of a ring that are names and nothing more.
    Names,
}

/// A server as text has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Without the weight.
    pub(super) name: String,
    /// The host, IPv6 in brackets, or a path.
    pub(super) host: String,
    pub(super) port: Option<u16>,
    pub(super) weight: Option<u32>,
}

impl Place {
    /// The server; `default` is the port if none is written.
    pub(super) fn server(&self, default: Option<u16>) -> Result<Server, clockwise::Error> {
        let server = Server::new(self.name.as_str())?;
        if self.host.starts_with('/') {
            return server.with_address(self.host.as_str());
        }
        match self.port.or(default) {
            Some(port) => server.with_address(format!("{}:{port}", self.host)),
            None => server.with_address(self.host.as_str()),
        }
    }
}

/// Host and port that stand apart.
pub(super) fn apart(report: &Report, span: Span, host: &str, port: Option<u64>) -> Result<Place, Diagnostic> {
    let refuse = |problem: String| report.error_at(span, format!("server {}: {problem}", quoted(host)));
    if host.is_empty() {
        return Err(refuse("the host is missing".to_owned()));
    }
    if host.starts_with('/') {
        return Ok(Place { name: host.to_owned(), host: host.to_owned(), port: None, weight: None });
    }
    let port = match port {
        None | Some(0) => PORT,
        Some(port) => u16::try_from(port).map_err(|_| {
            refuse(format!("port {} is not a number from 0 to 65535", quoted(&port.to_string())))
        })?,
    };
    let inner = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
    let host = match inner.contains(':') {
        true if is_ipv6(inner) => format!("[{inner}]"),
        true => {
            return Err(refuse("it has a colon and is no IPv6 address: the port stands apart".to_owned()));
        }
        false => host.to_owned(),
    };
    Ok(Place { name: format!("{host}:{port}"), host, port: Some(port), weight: None })
}

fn is_ipv6(text: &str) -> bool {
    text.split('%').next().is_some_and(|ip| ip.parse::<Ipv6Addr>().is_ok())
}

/// A server in one text.
pub(super) fn joined(report: &mut Report, span: Span, text: &str, taker: Taker) -> Result<Place, Diagnostic> {
    let error = |report: &Report, problem: String| {
        report.error_at(span, format!("server {}: {problem}", quoted(text)))
    };
    if text.is_empty() || text.chars().any(char::is_control) || text.trim() != text {
        let shown = ticked(report.source.slice(span).lines().next().unwrap_or(""));
        let message = match text {
            "" if span.is_empty() => "a server is missing between two commas".to_owned(),
            "" => format!("the server {shown} is empty"),
            text => {
                format!(
                    "the server {} has a blank at an end or an unprintable character: {shown}",
                    quoted(text)
                )
            }
        };
        return Err(report.error_at(span, message));
    }
    if taker == Taker::Names {
        let place =
            |host: &str| Place { name: text.to_owned(), host: host.to_owned(), port: None, weight: None };
        return Ok(place(text));
    }
    let mut rest = text;
    let prefixes: &[&str] = match taker {
        Taker::Pylibmc => &["udp:"],
        Taker::PythonMemcached => &["unix:", "inet6:", "inet:"],
        Taker::Pymemcache => &["unix:"],
        Taker::PhpMemcache => &["tcp://", "unix://"],
        _ => &["unix://", "unix:", "tcp://"],
    };
    let prefix = prefixes.iter().find(|prefix| text.starts_with(**prefix)).copied().unwrap_or("");
    rest = &rest[prefix.len()..];
    if rest.starts_with('/') {
        return socket(report, span, text, rest, taker);
    }
    if let Some((scheme, _)) = rest.split_once("://") {
        return Err(error(report, format!("{} is not how a server of this list begins", quoted(scheme))));
    }
    let number = |report: &Report, part: &str, text: &str, most: u64| match super::syntax::whole(text) {
        Some(number) if number <= most && !text.contains('_') => Ok(number),
        _ => Err(error(report, format!("{part} {} is not a number from 0 to {most}", quoted(text)))),
    };
    // IPv6 in brackets.
    let (host, after) = if let Some(inner) = rest.strip_prefix('[') {
        let Some((inner, after)) = inner.split_once(']') else {
            return Err(error(report, "a bracket has no other".to_owned()));
        };
        if !is_ipv6(inner) {
            return Err(error(report, "what stands in the brackets is no IPv6 address".to_owned()));
        }
        if taker == Taker::PythonMemcached && prefix != "inet6:" {
            let help = format!("write {}", quoted(&format!("inet6:{rest}")));
            return Err(
                error(report, "python-memcached takes IPv6 behind `inet6:`".to_owned()).with_help(help)
            );
        }
        if taker == Taker::Libmemcached {
            let refused = error(report, "libmemcached hashes the brackets as a part of the host".to_owned())
                .with_help("give the server a name, and list that");
            report.lenient(refused);
        }
        let after = match after.strip_prefix(':') {
            _ if after.is_empty() => None,
            Some(after) => Some(after),
            None => {
                return Err(error(
                    report,
                    format!("{} follows the bracket, and a colon should", quoted(after)),
                ));
            }
        };
        (format!("[{inner}]"), after)
    } else if rest.matches(':').count() > 1
        && rest.split(':').next().is_some_and(|host| !host.contains('.'))
        && looks_ipv6(rest)
    {
        unbracketed(report, span, text, rest, taker)?
    } else {
        match rest.split_once(':') {
            Some((host, after)) => (host.to_owned(), Some(after)),
            None => (rest.to_owned(), None),
        }
    };
    if host.is_empty() {
        return Err(error(report, "the host is missing".to_owned()));
    }
    if !host.starts_with('[') && host.contains(['/', '?', ' ', '[', ']', ',', ';', '"', '\'', '@']) {
        return Err(error(report, format!("{} is no host", quoted(&host))));
    }
    let (port, weight) = match after {
        None => (None, None),
        Some(after) => match after.split_once(':') {
            Some((port, weight))
                if matches!(taker, Taker::Anybody | Taker::Pylibmc | Taker::Libmemcached) =>
            {
                (Some(port), Some(weight))
            }
            _ => (Some(after), None),
        },
    };
    let port = port.map(|port| number(report, "port", port, 65535)).transpose()?;
    let weight = weight.map(|weight| number(report, "weight", weight, u32::MAX.into())).transpose()?;
    let name = match weight {
        Some(_) => rest[..rest.rfind(':').unwrap_or(rest.len())].to_owned(),
        None => rest.to_owned(),
    };
    // A port of 0 is the usual one.
    let port = port.map(|port| if port == 0 { PORT } else { port as u16 });
    Ok(Place { name, host, port, weight: weight.map(|weight| weight as u32) })
}

/// A path; only some lists have weights behind it.
fn socket(report: &Report, span: Span, text: &str, rest: &str, taker: Taker) -> Result<Place, Diagnostic> {
    let (path, weight) = match rest.rsplit_once(':') {
        Some((path, weight)) if taker == Taker::Anybody => match super::syntax::whole(weight) {
            Some(weight) if weight <= u32::MAX.into() => (path, Some(weight as u32)),
            _ => (rest, None),
        },
        // PHP Memcache writes a port of 0 behind it.
        Some((path, "0")) if taker == Taker::PhpMemcache => (path, None),
        _ => (rest, None),
    };
    if path.contains([',', ' ', '"', '\'']) {
        return Err(report.error_at(span, format!("server {}: {} is no path", quoted(text), quoted(path))));
    }
    Ok(Place { name: path.to_owned(), host: path.to_owned(), port: None, weight })
}

/// Whether all before the first dot or bracket could be groups of IPv6.
fn looks_ipv6(text: &str) -> bool {
    let groups = |part: &str| part.len() <= 5 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    text.contains("::") || text.split(':').count() > 3 && text.split(':').take(3).all(groups)
}

/// IPv6 without brackets: clear only if it cannot end in a port.
fn unbracketed<'t>(
    report: &Report,
    span: Span,
    text: &str,
    rest: &'t str,
    taker: Taker,
) -> Result<(String, Option<&'t str>), Diagnostic> {
    let error = |problem: &str, help: String| {
        report.error_at(span, format!("server {}: {problem}", quoted(text))).with_help(help)
    };
    let (host, last) = rest.rsplit_once(':').unwrap_or((rest, ""));
    let is_port = !last.is_empty() && last.len() <= 5 && last.bytes().all(|byte| byte.is_ascii_digit());
    let as_port = format!("[{host}]:{last}");
    match (is_ipv6(rest), is_port && is_ipv6(host)) {
        (true, true) if last.len() >= 4 => Err(error(
            "IPv6 without brackets may end in a port or not",
            format!("write {} if it is a port, else {}", quoted(&as_port), quoted(&format!("[{rest}]"))),
        )),
        (true, _) if taker != Taker::Anybody => Err(error(
            "this client takes IPv6 in brackets only",
            format!(
                "write {}",
                quoted(&if taker == Taker::PythonMemcached {
                    format!("inet6:[{rest}]")
                } else {
                    format!("[{rest}]")
                })
            ),
        )),
        (true, _) => Ok((format!("[{rest}]"), None)),
        (false, true) => Err(error("IPv6 with a port needs brackets", format!("write {}", quoted(&as_port)))),
        (false, false) => Err(error(
            "there is a colon too many, and it is no IPv6 address",
            "host:port, or IPv6 in brackets before a port".to_owned(),
        )),
    }
}
