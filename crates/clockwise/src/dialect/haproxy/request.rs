//! What HAProxy hashes of a request: the text that [`Options`](super::Options) calls a key.
//!
//! | `balance` | text | if there is none |
//! |---|---|---|
//! | `uri` | [`uri`] of the request's target | |
//! | `uri whole` | the target as it is | |
//! | `url_param NAME` | [`url_param`]: the first value, as written; an empty one is hashed | turns |
//! | `hdr(NAME)` | [`first_value`] of the header | turns |
//! | `hash req.hdr(NAME)` | [`last_value`] of the header | turns |

/// The path of a target, with its first `/`, without the query.
pub fn uri(target: &[u8]) -> &[u8] {
    target.split(|&byte| byte == b'?').next().unwrap_or_default()
}

/// The value of the first parameter of that name in the query, as it is written.
pub fn url_param<'t>(target: &'t [u8], name: &[u8]) -> Option<&'t [u8]> {
    let query = target.iter().position(|&byte| byte == b'?')? + 1;
    target[query..]
        .split(|&byte| byte == b'&')
        .find_map(|parameter| parameter.strip_prefix(name)?.strip_prefix(b"="))
}

/// What stands before the first comma of a header, if it is anything.
pub fn first_value(header: &[u8]) -> Option<&[u8]> {
    header.split(|&byte| byte == b',').next().map(<[u8]>::trim_ascii).filter(|value| !value.is_empty())
}

/// What stands after the last comma of a header, if it is anything.
pub fn last_value(header: &[u8]) -> Option<&[u8]> {
    header.rsplit(|&byte| byte == b',').next().map(<[u8]>::trim_ascii).filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_cut_at_its_query() {
        assert_eq!(uri(b"/a/b?c=d?e"), b"/a/b");
        assert_eq!(uri(b"/a;b"), b"/a;b");
        assert_eq!(uri(b""), b"");
        assert_eq!(url_param(b"/p?xk=1&k=a%20b&k=c", b"k"), Some(b"a%20b".as_slice()));
        assert_eq!(url_param(b"/p?k=", b"k"), Some(b"".as_slice()));
        assert_eq!(url_param(b"/p?k", b"k"), None);
        assert_eq!(url_param(b"/p", b"k"), None);
    }

    #[test]
    fn a_header_gives_its_first_or_its_last_value() {
        assert_eq!(first_value(b"a=b; c , d"), Some(b"a=b; c".as_slice()));
        assert_eq!(last_value(b"a=b; c , d "), Some(b"d".as_slice()));
        assert_eq!(first_value(b" ,x"), None);
        assert_eq!(last_value(b"x,"), None);
        assert_eq!(first_value(b""), None);
    }
}
