//! A `backend` of HAProxy.

use std::fmt::Write;

use clockwise::Server;
use clockwise::dialect::Dialect;
use clockwise::dialect::haproxy::{Function, HashKey, HashType, Method, Options};

use super::{Draft, Unwritable, settings};
use crate::haproxy::MODE;
use crate::kind::Kind;

/// Every method and function, with and without the avalanche.
pub(super) fn texts(draft: &Draft<'_>) -> Vec<Result<String, Unwritable>> {
    let own = |dialect: &Dialect| match dialect {
        Dialect::Haproxy(options) => Some(options.clone()),
        _ => None,
    };
    let all = || {
        let named = |method, function| {
            [false, true].map(|avalanche| HashType::with_function(method, function, avalanche))
        };
        let types = Method::ALL
            .iter()
            .flat_map(|&method| Function::ALL.iter().flat_map(move |&function| named(method, function)));
        types.map(|hash_type| Options { hash_type, ..Options::default() }).collect()
    };
    settings(draft, own, all).iter().map(|options| text(draft, options)).collect()
}

/// What is hashed of a request places no key otherwise. A file of HAProxy says it, and has it back; of
/// others it is for whoever takes the file to say.
fn text(draft: &Draft<'_>, options: &Options) -> Result<String, Unwritable> {
    let (mode, balance) = match (draft.pool.kind(), draft.pool.hashed()) {
        (Kind::Haproxy, Some(balance)) => (draft.pool.setting(MODE).unwrap_or("http"), balance),
        _ => ("http", "balance uri"),
    };
    let mut out = format!(
        "backend {}\n    mode {mode}\n    {balance}\n    hash-type {}\n",
        draft.name, options.hash_type
    );
    if options.hash_balance_factor != 0 {
        let _ = writeln!(out, "    hash-balance-factor {}", options.hash_balance_factor);
    }
    for server in draft.servers() {
        let name = server.name().as_str();
        if !is_word(name) {
            return Err(Unwritable::server(server, "has a name that HAProxy does not take"));
        }
        let _ = write!(out, "    server {name} {}", address(server)?);
        if let Some(id) = options.ids.get(server.name()) {
            let _ = write!(out, " id {id}");
        }
        if let Some(guid) = options.guids.get(server.name()) {
            if !is_word(guid) {
                return Err(Unwritable::server(server, "has a guid that HAProxy does not take"));
            }
            let _ = write!(out, " guid {guid}");
        }
        if options.hash_key != HashKey::Id {
            let _ = write!(out, " hash-key {}", options.hash_key);
        }
        let weight = server.weight().get();
        match weight {
            _ if server.is_draining() => out.push_str(" weight 0"),
            1 => {}
            2..=256 => {
                let _ = write!(out, " weight {weight}");
            }
            _ => {
                let why = format!("weighs {weight}, and HAProxy's weights end at 256");
                return Err(Unwritable::server(server, &why));
            }
        }
        out.push('\n');
    }
    Ok(out)
}

/// What HAProxy takes for a name and for a guid.
fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte))
}

fn address(server: &Server) -> Result<&str, Unwritable> {
    let address = server.address().as_str();
    let plain = |byte: u8| byte.is_ascii_graphic() && !b"\"'\\$#".contains(&byte);
    if address.bytes().all(plain) {
        return Ok(address);
    }
    Err(Unwritable::server(server, "has an address that HAProxy would need quotes for"))
}
