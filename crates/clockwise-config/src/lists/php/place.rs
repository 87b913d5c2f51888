//! A server of PHP's: the arguments of a call, or an item of an array.

use clockwise::Server;

use crate::diagnostic::{Diagnostic, quoted, ticked};
use crate::lists::server::{PORT, Place, Taker, apart, joined};
use crate::lists::syntax::{Expr, Item, Value, keyed};
use crate::report::Report;
use crate::source::Span;

/// Whether an array lists servers: texts, `[host, port]`, `['host' => …]`, or `'host:port' => …`.
pub(super) fn is_servers(items: &[Item]) -> bool {
    let is_place =
        |text: &str| text.starts_with('/') || text.contains(':') || text.contains('.') || text == "localhost";
    !items.is_empty()
        && items.iter().all(|item| match (item.key.as_ref().and_then(Expr::text), &item.value.value) {
            (Some(key), Value::Text(_)) => key.contains(':') && is_place(key),
            (_, Value::Text(text)) => is_place(text),
            (_, Value::Items(parts)) => {
                keyed(parts, "host").is_some()
                    || parts.len() >= 2
                        && parts.iter().all(|part| part.key.is_none())
                        && parts[0].value.text().is_some()
                        && parts[1..]
                            .iter()
                            .all(|part| part.value.number().is_some() || part.value.truth().is_some())
            }
            _ => false,
        })
}

/// A server of an array.
pub(super) fn listed(report: &mut Report, item: &Item, taker: Taker) -> Option<Result<Server, Diagnostic>> {
    let span = item.value.host_span();
    if let (Some(Value::Text(place)), Value::Text(_)) =
        (item.key.as_ref().map(|key| &key.value), &item.value.value)
        && place.contains(':')
    {
        return Some(text(report, span, place, None, taker));
    }
    match &item.value.value {
        Value::Text(place) => Some(text(report, span, place, None, Taker::Anybody)),
        Value::Items(items) => {
            if let Some(host) = keyed(items, "host") {
                let port = keyed(items, "port");
                let weight = keyed(items, "weight");
                return from_parts(report, span, host, port, weight);
            }
            // A place in one text, and a weight.
            if let [place, weight] = items.as_slice()
                && let (Some(place), Some(_)) = (place.value.text(), weight.value.number())
                && (place.starts_with('/') || place.matches(':').count() == 1 || place.contains("]:"))
                && taker == Taker::Anybody
            {
                return Some(text(report, span, place, Some(&weight.value), Taker::Anybody));
            }
            parts(report, span, items, 2)
        }
        _ => None,
    }
}

fn text(
    report: &mut Report,
    span: Span,
    place: &str,
    weight: Option<&Expr>,
    taker: Taker,
) -> Result<Server, Diagnostic> {
    let place = joined(report, span, place, taker)?;
    let at = place.weight.map(u64::from).or_else(|| weight.and_then(Expr::number));
    weighed(report, span, &place, at)
}

/// `(host, port, …, weight, …)`.
pub(super) fn parts(
    report: &mut Report,
    span: Span,
    arguments: &[Item],
    weight_at: usize,
) -> Option<Result<Server, Diagnostic>> {
    if arguments.iter().any(|item| item.key.is_some()) {
        return None;
    }
    let argument = |at: usize| arguments.get(at).map(|item| &item.value);
    from_parts(report, span, argument(0)?, argument(1), argument(weight_at))
}

fn from_parts(
    report: &mut Report,
    span: Span,
    host: &Expr,
    port: Option<&Expr>,
    weight: Option<&Expr>,
) -> Option<Result<Server, Diagnostic>> {
    let host = host.text()?;
    let number = |expr: Option<&Expr>| match expr {
        None => Some(None),
        Some(expr) if expr.is_nothing() => Some(None),
        Some(expr) => expr.number().map(Some),
    };
    let (port, weight) = (number(port)?, number(weight)?);
    if host.starts_with('[') {
        let message =
            format!("server {}: the client keeps the brackets in the host that it hashes", quoted(host));
        let refused =
            report.error_at(span, message).with_help("write the address without them: the port stands apart");
        report.lenient(refused);
    }
    let host = host.strip_prefix("unix://").filter(|path| path.starts_with('/')).unwrap_or(host);
    if let (true, Some(port)) = (host.starts_with('/'), port.filter(|port| ![0, PORT.into()].contains(port)))
    {
        let message = format!(
            "server {}: a socket with the port {port}, and clients differ in what they make of it",
            quoted(host)
        );
        return Some(Err(report.error_at(span, message).with_help("a socket has the port 0")));
    }
    let place = match apart(report, span, host, port) {
        Ok(place) => place,
        Err(refused) => return Some(Err(refused)),
    };
    Some(weighed(report, span, &place, weight))
}

fn weighed(
    report: &mut Report,
    span: Span,
    place: &Place,
    weight: Option<u64>,
) -> Result<Server, Diagnostic> {
    let at = |report: &Report, error: clockwise::Error| report.error_at(span, error.to_string());
    let server = place.server(Some(PORT)).map_err(|error| at(report, error))?;
    let weight = match weight {
        None => 1,
        // Memcached counts it as 1.
        Some(0) => {
            let message = format!("server {}: weight 0 counts as 1", quoted(&place.name));
            let label = ticked(report.source.slice(span));
            report.push(report.warning_at(span, format!("{message}: {label}")));
            1
        }
        Some(weight) => weight,
    };
    server.with_weight(weight.to_string().as_str()).map_err(|error| at(report, error))
}
