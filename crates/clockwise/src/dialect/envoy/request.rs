//! The hash of a request: what the `hash_policy` list of a route makes of it.
//!
//! | policy | hashed |
//! |---|---|
//! | header | [`header`]: all values of the header, sorted, each hashed under the hash before it as seed |
//! | query_parameter | [`query_parameter`]: the first value of that name, as it is written |
//! | cookie | [`cookie`]: its value, without quotes around it |
//! | connection_properties.source_ip | [`source_ip`]: the address as text, without the port |
//!
//! All by XXH64. A policy that finds nothing yields nothing; several are [combined] in their order.
//! Without any hash the request goes to a random host. A `regex_rewrite` is applied to values before:
//! it is the caller's.
//!
//! [combined]: combine

use alloc::vec::Vec;

use crate::hash::xxh64;

/// All values of one header, in any order.
///
/// ```
/// use clockwise::dialect::envoy::request::header;
/// use clockwise::hash::xxh64;
///
/// assert_eq!(header(&[b"a"]), Some(xxh64(b"a", 0)));
/// assert_eq!(header(&[b"b", b"a"]), Some(xxh64(b"b", xxh64(b"a", 0))));
/// assert_eq!(header(&[]), None);
/// ```
pub fn header(values: &[&[u8]]) -> Option<u64> {
    let mut sorted: Vec<&[u8]> = values.to_vec();
    sorted.sort_unstable();
    (!sorted.is_empty()).then(|| sorted.into_iter().fold(0, |seed, value| xxh64(value, seed)))
}

/// A parameter in the query of a path (`/p?a=1&b=2`). Its value is not decoded.
pub fn query_parameter(path: &[u8], name: &[u8]) -> Option<u64> {
    let query = path.iter().position(|&byte| byte == b'?')? + 1;
    let found = path[query..]
        .split(|&byte| byte == b'&')
        .find_map(|parameter| parameter.strip_prefix(name)?.strip_prefix(b"="));
    found.map(|value| xxh64(value, 0))
}

/// A cookie in a `cookie` header (`a=1; b="2"`).
pub fn cookie(header: &[u8], name: &[u8]) -> Option<u64> {
    let found = header
        .split(|&byte| byte == b';')
        .find_map(|cookie| cookie.trim_ascii().strip_prefix(name)?.strip_prefix(b"="));
    let value = found?;
    let inner = value.strip_prefix(b"\"").and_then(|value| value.strip_suffix(b"\""));
    Some(xxh64(inner.unwrap_or(value), 0))
}

/// The address of the client, as text without its port.
pub fn source_ip(text: &str) -> u64 {
    xxh64(text.as_bytes(), 0)
}

/// The policies of a route, in order: what each yielded, and whether it is `terminal`. A terminal one
/// ends the list if there is a hash by then.
///
/// ```
/// use clockwise::dialect::envoy::request::combine;
///
/// assert_eq!(combine([(Some(6), false), (Some(1), false)]), Some(6 << 1 ^ 1));
/// assert_eq!(combine([(Some(6), true), (Some(1), false)]), Some(6));
/// assert_eq!(combine([(None, true), (Some(1), false)]), Some(1));
/// ```
pub fn combine(policies: impl IntoIterator<Item = (Option<u64>, bool)>) -> Option<u64> {
    let mut hash: Option<u64> = None;
    for (found, terminal) in policies {
        if let Some(found) = found {
            hash = Some(hash.map_or(found, |before| before.rotate_left(1) ^ found));
        }
        if terminal && hash.is_some() {
            break;
        }
    }
    hash
}
