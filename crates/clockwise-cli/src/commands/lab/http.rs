//! As much of HTTP/1.1 as a page of four files needs: the head of a request, and a response.
//!
//! Every connection carries one request. A path is looked up in a list of names as it stands: nothing is
//! decoded, and no file is ever opened.

use super::{ASSETS, Asset};

/// The longest head of a request.
pub(super) const MAX_HEAD: usize = 16 * 1024;

/// What the browser may do with the page: run its own script and WebAssembly, and load nothing from
/// elsewhere.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
    img-src 'self' data: blob:; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

/// A response: its head, and the body that follows it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Response {
    pub(super) head: String,
    pub(super) body: &'static [u8],
}

/// Where the head of a request ends, once all of it is there.
pub(super) fn end_of_head(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|window| window == b"\r\n\r\n").map(|at| at + 4)
}

/// Answers a request by its head.
pub(super) fn respond(head: &[u8]) -> Response {
    let Ok(head) = std::str::from_utf8(head) else { return refusal("400 Bad Request") };
    let mut words = head.lines().next().unwrap_or_default().split(' ');
    let (Some(method), Some(target), Some("HTTP/1.1" | "HTTP/1.0"), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return refusal("400 Bad Request");
    };
    if !matches!(method, "GET" | "HEAD") {
        return refusal("405 Method Not Allowed");
    }
    let path = target.split(['?', '#']).next().unwrap_or_default();
    let name = if path == "/" { Some("index.html") } else { path.strip_prefix('/') };
    let Some(asset) = ASSETS.iter().find(|asset| Some(asset.name) == name) else {
        return refusal("404 Not Found");
    };
    let response = found(asset);
    if method == "HEAD" { Response { body: b"", ..response } } else { response }
}

fn found(asset: &Asset) -> Response {
    Response { head: head("200 OK", asset.kind, asset.bytes.len()), body: asset.bytes }
}

/// A response without the page: its status is all it says.
pub(super) fn refusal(status: &str) -> Response {
    let mut head = head(status, "text/plain; charset=utf-8", 0);
    if status.starts_with("405") {
        head.insert_str(head.len() - 2, "Allow: GET, HEAD\r\n");
    }
    Response { head, body: b"" }
}

fn head(status: &str, kind: &str, length: usize) -> String {
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nCache-Control: no-cache\r\n\
         Content-Security-Policy: {POLICY}\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
         Cross-Origin-Resource-Policy: same-origin\r\nConnection: close\r\n\r\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(head: &str) -> String {
        let response = respond(head.as_bytes());
        response.head.lines().next().unwrap().strip_prefix("HTTP/1.1 ").unwrap().to_owned()
    }

    #[test]
    fn every_file_has_its_type_and_the_policy() {
        for (path, kind) in [
            ("/", "text/html; charset=utf-8"),
            ("/index.html", "text/html; charset=utf-8"),
            ("/lab.css?v=1", "text/css; charset=utf-8"),
            ("/lab.js", "text/javascript; charset=utf-8"),
            ("/lab.wasm", "application/wasm"),
        ] {
            let response = respond(format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").as_bytes());
            assert!(response.head.contains(&format!("\r\nContent-Type: {kind}\r\n")), "{path}");
            assert!(response.head.contains("script-src 'self' 'wasm-unsafe-eval'"));
            assert!(response.head.contains(&format!("\r\nContent-Length: {}\r\n", response.body.len())));
            assert!(!response.body.is_empty());
            let head = respond(format!("HEAD {path} HTTP/1.0\r\n\r\n").as_bytes());
            assert_eq!((head.head, head.body), (response.head, &b""[..]), "{path}");
        }
    }

    #[test]
    fn what_is_no_file_of_the_page_is_not_found_however_it_is_written() {
        for path in
            ["/lab", "/lab.js/", "//lab.js", "/../Cargo.toml", "/%2e%2e/Cargo.toml", "/LAB.JS", "lab.js", "*"]
        {
            assert_eq!(status(&format!("GET {path} HTTP/1.1\r\n\r\n")), "404 Not Found", "{path}");
        }
    }

    #[test]
    fn other_methods_and_other_languages_are_refused() {
        for method in ["POST", "PUT", "OPTIONS", "get"] {
            let response = respond(format!("{method} / HTTP/1.1\r\n\r\n").as_bytes());
            assert!(
                response.head.starts_with("HTTP/1.1 405 ")
                    && response.head.contains("\r\nAllow: GET, HEAD\r\n\r\n")
            );
        }
        for head in
            ["", "GET /\r\n\r\n", "GET / HTTP/2\r\n\r\n", "GET  / HTTP/1.1\r\n\r\n", "\u{16}\u{3}\u{1}"]
        {
            assert_eq!(status(head), "400 Bad Request", "{head:?}");
        }
        assert!(respond(b"GET /\xff HTTP/1.1\r\n\r\n").head.starts_with("HTTP/1.1 400 "));
    }

    #[test]
    fn a_head_ends_at_an_empty_line() {
        assert_eq!(end_of_head(b"GET / HTTP/1.1\r\n\r\nrest"), Some(18));
        assert_eq!(end_of_head(b"GET / HTTP/1.1\r\n\n"), None);
    }
}
