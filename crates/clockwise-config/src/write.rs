//! Fleets as clockwise's own TOML.

use std::fmt::Write;

use clockwise::{Buckets, Scheme, Server};

use crate::fleet::Pool;
use crate::placement;

impl Pool {
    /// The fleet as a clockwise fleet file, which reads back as the same servers under the same
    /// scheme. Settings are written out, defaults included; what a server does not differ in is
    /// left away.
    ///
    /// ```
    /// use clockwise_config::{Options, parse};
    ///
    /// let text = b"a:\n  listen: 127.0.0.1:22121\n  servers:\n   - 10.0.0.1:11211:2 cache-1\n";
    /// let pool = parse("nutcracker.yml", text, &Options::default())?.pick(None)?;
    /// assert_eq!(
    ///     pool.to_toml(),
    ///     r#"version = 1
    ///
    /// [placement]
    /// dialect = "twemproxy"
    /// distribution = "ketama"
    /// hash = "fnv1a_64"
    ///
    /// [[server]]
    /// name = "cache-1"
    /// address = "10.0.0.1:11211"
    /// weight = 2
    /// "#
    /// );
    /// # Ok::<(), clockwise_config::Diagnostics>(())
    /// ```
    pub fn to_toml(&self) -> String {
        to_toml(self.scheme(), self.servers())
    }
}

/// A fleet as a file of our own, defaults written out.
pub fn to_toml(scheme: &Scheme, servers: &Buckets) -> String {
    let mut out = String::from("version = 1\n\n[placement]\n");
    for (key, value) in placement::settings(scheme) {
        line(&mut out, key, &value);
    }
    for listed in servers.servers() {
        server(&mut out, listed);
    }
    out
}

fn server(out: &mut String, server: &Server) {
    out.push_str("\n[[server]]\n");
    line(out, "name", &text(server.name().as_str()));
    if server.address().as_str() != server.name().as_str() {
        line(out, "address", &text(server.address().as_str()));
    }
    if server.weight().get() != 1 {
        line(out, "weight", &server.weight().to_string());
    }
    if let Some(zone) = server.zone() {
        line(out, "zone", &text(zone.as_str()));
    }
    match server.removal() {
        Some(turn) => line(out, "removed", &turn.to_string()),
        None if server.is_draining() => line(out, "state", &text("draining")),
        None => {}
    }
}

fn line(out: &mut String, key: &str, value: &str) {
    out.push_str(key);
    out.push_str(" = ");
    out.push_str(value);
    out.push('\n');
}

/// A basic string of TOML.
pub(crate) fn text(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            // TOML allows no control character but the tab.
            c if c.is_control() => {
                // Writing to a string does not fail.
                let _ = write!(out, "\\U{:08X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out + "\""
}
