//! An `upstream` of nginx.

use std::fmt::Write;

use clockwise::dialect::Dialect;
use clockwise::dialect::nginx::Options;

use super::{Draft, Unwritable, settings};
use crate::kind::Kind;

/// With and without `consistent`.
pub(super) fn texts(draft: &Draft<'_>) -> Vec<Result<String, Unwritable>> {
    let own = |dialect: &Dialect| match dialect {
        Dialect::Nginx(options) => Some(*options),
        _ => None,
    };
    let all = || [true, false].map(|consistent| Options { consistent }).into();
    settings(draft, own, all).iter().map(|options| text(draft, options)).collect()
}

/// What is hashed of a request places no key otherwise. A file of nginx says it, and has it back; of others
/// it is for whoever takes the file to say, and a prefix stands before it.
fn text(draft: &Draft<'_>, options: &Options) -> Result<String, Unwritable> {
    let consistent = if options.consistent { " consistent" } else { "" };
    let key = match (draft.pool.kind(), draft.pool.hashed(), draft.pool.scheme().key_prefix()) {
        (Kind::Nginx, Some(key), _) => key.to_owned(),
        (_, _, Some(prefix)) => quoted(prefix.as_str())?,
        _ => "$request_uri".to_owned(),
    };
    let mut out = format!("upstream {} {{\n    hash {key}{consistent};\n", draft.name);
    for server in draft.servers() {
        let address = server.address().as_str();
        let plain = |byte: u8| byte.is_ascii_graphic() && !b";{}\"'\\$#".contains(&byte);
        if !address.bytes().all(plain) {
            return Err(Unwritable::server(server, "has an address that nginx would need quotes for"));
        }
        let path = if address.starts_with('/') { "unix:" } else { "" };
        let _ = write!(out, "    server {path}{address}");
        if server.weight().get() != 1 {
            let _ = write!(out, " weight={}", server.weight());
        }
        out.push_str(if server.is_draining() { " down;\n" } else { ";\n" });
    }
    out.push_str("}\n");
    Ok(out)
}

/// The prefix and the variable as one word.
fn quoted(prefix: &str) -> Result<String, Unwritable> {
    if prefix.contains('$') {
        let why = format!("the key prefix {prefix:?} has a `$`, and nginx begins a variable there");
        return Err(Unwritable::fleet(why));
    }
    Ok(format!("\"{}$request_uri\"", prefix.replace('\\', "\\\\").replace('"', "\\\"")))
}
