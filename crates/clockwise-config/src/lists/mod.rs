//! Lists of memcached servers as programs and settings write them.
//!
//! ```php
//! $m = new Memcached();
//! $m->setOption(Memcached::OPT_LIBKETAMA_COMPATIBLE, true);
//! $m->addServers([['10.0.0.1', 11211, 33], ['10.0.0.2', 11211, 67]]);
//! ```
//!
//! ```python
//! mc = pylibmc.Client(["10.0.0.1:11211", "10.0.0.2"], behaviors={"ketama_weighted": True})
//! ```
//!
//! What decides the placement is the client that the text names, its options, and the order in which
//! they and the servers are given: a file each for [PHP's](php) clients, its [settings](ini), and
//! [Python's](python). A [bare list](plain) names no client, and how it places keys must be said:
//! `--placement`.
//!
//! Programs are read and not run. A server that stands in a loop, under a condition, in a formatted
//! text or in a variable that is not a literal here is refused at its place; statements that neither
//! make a client nor say anything to it are the program's own.

use crate::fleet::PoolRead;
use crate::report::Report;

mod control;
mod ini;
mod php;
mod plain;
mod python;
mod server;
mod syntax;

/// Whether a text is any of them.
pub(crate) fn is(text: &str) -> bool {
    which(text).is_some()
}

type Is = fn(&str) -> bool;
type Read = fn(&mut Report) -> Vec<PoolRead>;

fn which(text: &str) -> Option<Read> {
    let rows: [(Is, Read); 4] =
        [(php::is, php::read), (ini::is, ini::read), (python::is, python::read), (plain::is, plain::read)];
    rows.into_iter().find(|(is, _)| is(text)).map(|(_, read)| read)
}

pub(crate) fn read(report: &mut Report) -> Vec<PoolRead> {
    let read = which(report.source.text()).unwrap_or(plain::read);
    read(report)
}
