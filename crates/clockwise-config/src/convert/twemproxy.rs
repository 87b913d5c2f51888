//! A pool of twemproxy.

use std::fmt::Write;

use clockwise::Server;
use clockwise::dialect::Dialect;
use clockwise::dialect::twemproxy::{Distribution, Hash, Options};

use super::{Draft, Unwritable, settings};

/// Every distribution, hash and way to name servers.
pub(super) fn texts(draft: &Draft<'_>) -> Vec<Result<String, Unwritable>> {
    let own = |dialect: &Dialect| match dialect {
        Dialect::Twemproxy(options) => Some(*options),
        _ => None,
    };
    let all = || {
        let with = |distribution| {
            Hash::ALL.iter().map(move |&hash| Options { distribution, hash, ..Options::default() })
        };
        Distribution::ALL.iter().flat_map(|&distribution| with(distribution)).collect()
    };
    let options = settings(draft, own, all);
    let is_socket = |server: &Server| server.address().as_str().starts_with('/');
    let namings: &[Naming] = match options.len() {
        1 => &[Naming::Own],
        _ if draft.servers().iter().any(is_socket) => {
            &[Naming::Own, Naming::Socket(""), Naming::Socket(":0")]
        }
        _ => &[Naming::Own, Naming::Socket("")],
    };
    namings
        .iter()
        .flat_map(|&naming| options.iter().map(move |options| text(draft, options, naming)))
        .collect()
}

/// What stands behind the address of a server, and its points are made of.
#[derive(Clone, Copy)]
enum Naming {
    /// Its name.
    Own,
    /// Nothing: twemproxy calls it by its address. A socket would keep a colon that no other system has,
    /// and is named by its path and this.
    Socket(&'static str),
}

/// One pool. Without names twemproxy calls a server by its address, and the default port goes unsaid.
fn text(draft: &Draft<'_>, options: &Options, naming: Naming) -> Result<String, Unwritable> {
    let mut out = format!("{}:\n  listen: 127.0.0.1:22121\n", draft.name);
    let _ = writeln!(out, "  hash: {}\n  distribution: {}", options.hash, options.distribution);
    if let Some(tag) = options.hash_tag {
        let [open, close] = tag.marks().map(char::from);
        let _ = writeln!(out, "  hash_tag: {}", quoted(&format!("{open}{close}"))?);
    }
    out.push_str("  servers:\n");
    for server in draft.servers() {
        if server.is_draining() {
            let name = shown(server.name().as_str());
            let _ = writeln!(out, "   # {name} is draining and owns nothing");
            continue;
        }
        let _ = writeln!(out, "   - {}", quoted(&line(server, naming)?)?);
    }
    Ok(out)
}

fn line(server: &Server, naming: Naming) -> Result<String, Unwritable> {
    let address = server.address().as_str();
    let has_port = address.rsplit_once(':').is_some_and(|(host, port)| {
        let is_number = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
        is_number && (!host.contains(':') || host.starts_with('['))
    });
    if !has_port && !address.starts_with('/') {
        return Err(Unwritable::server(server, "has no port in its address, and twemproxy needs one"));
    }
    // twemproxy writes IPv6 without brackets, and a socket has no port.
    let address = match address.strip_suffix(":0") {
        Some(path) if path.starts_with('/') => path.to_owned(),
        _ => address.replace(['[', ']'], ""),
    };
    let name = server.name().as_str();
    if name.contains(' ') {
        return Err(Unwritable::server(server, "has a blank in its name, and twemproxy's names have none"));
    }
    let weight = server.weight();
    Ok(match naming {
        Naming::Own => format!("{address}:{weight} {name}"),
        Naming::Socket(end) if address.starts_with('/') => format!("{address}:{weight} {address}{end}"),
        Naming::Socket(_) => format!("{address}:{weight}"),
    })
}

/// A scalar of YAML, in quotes where it needs them.
fn quoted(text: &str) -> Result<String, Unwritable> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"./:_- ".contains(&byte);
    if text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '/')
        && text.bytes().all(plain)
        && !text.contains(": ")
        && !text.ends_with(':')
    {
        return Ok(text.to_owned());
    }
    if text.contains(is_no_text) {
        return Err(Unwritable::fleet(format!(
            "{text:?} has characters that end a line of YAML or that it does not take"
        )));
    }
    Ok(format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")))
}

/// What libyaml, which twemproxy reads with, takes for the end of a line or refuses: control
/// characters, the separators of Unicode, the byte order mark and what is no character.
fn is_no_text(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// Text for a comment, which goes on to the end of its line.
fn shown(text: &str) -> String {
    text.chars().map(|c| if is_no_text(c) { ' ' } else { c }).collect()
}
