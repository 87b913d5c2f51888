//! pymemcache's HashClient: rendezvous hashing.
//!
//! | parameter | value |
//! |---|---|
//! | score text | the node, `-`, the key, as characters |
//! | score | MurmurHash3 x86_32, seed 0, over the low byte of each character |
//! | node | host, `:`, port (11211 if none is written); the path of a Unix socket |
//! | owner | the highest score; weights do not exist |
//! | equal scores | the node that is the larger text |
//! | a dead server | the highest score without it |
//!
//! # Keys
//! The hash takes characters, not bytes, and of each its low eight bits: `ā` (U+0101) and U+0001 are
//! the same to it. A key that the program gives as `bytes` is formatted before it is hashed, as
//! `b'…'` with escapes, and lands elsewhere than the same key as `str`: that is
//! [`KeyType::Bytes`]. Keys here are bytes; as `str` they are read as UTF-8, and each broken
//! sequence counts as one U+FFFD.
//!
//! # Addresses
//! A node is a server's address, IPv6 without brackets. Nodes of one address are one node: of such
//! servers the first of the list owns its keys.
//!
//! A `key_prefix` of the client comes before the key on its way, and no node is chosen by it.
//!
//! Checked against pymemcache 4.0.0.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::ops::ControlFlow;

use crate::choice::choice;
use crate::error::Error;
use crate::hash::Murmur3X86_32State;
use crate::members::{Buckets, Members};
use crate::placement::{Measured, Placement, Ranked, ServerIx, Share};
use crate::rendezvous::{Rendezvous, Score, Ties};
use crate::server::{Server, ServerName};

choice! {
    /// What the program gives as a key.
    KeyType, "key type" {
        /// : text.
        #[default]
        Str = "str",
        /// : bytes, which are hashed as Python prints them.
        Bytes = "bytes",
    }
}

/// What decides the placement besides the servers.
///
/// ```
/// use clockwise::dialect::pymemcache::{KeyType, Options};
/// use clockwise::{Buckets, Server};
///
/// let list = Buckets::new((1..=9).map(|i| Server::new(format!("10.0.0.{i}:11211"))).collect::<Result<Vec<_>, _>>()?)?;
/// let text = Options::default().build(&list)?;
/// let bytes = Options { key_type: KeyType::Bytes }.build(&list)?;
/// assert_eq!(text.owner("b'user:42'"), bytes.owner("user:42"));
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// What the program gives as a key.
    pub key_type: KeyType,
}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("pymemcache {}", self.key_type))
    }
}

impl Options {
    /// The placement of these servers. Draining ones are left out.
    pub fn build(&self, list: &Buckets) -> Result<Placed, Error> {
        let mut nodes = BTreeMap::new();
        for (ix, server) in list.active() {
            nodes.entry(node(server)).or_insert(ix);
        }
        // Members stand in bytewise order of their names, as nodes do here.
        let named: Result<Vec<Server>, Error> = nodes.keys().map(|node| Server::new(node.as_str())).collect();
        let score = NodeDashKey { key_type: self.key_type };
        Ok(Placed {
            rendezvous: Rendezvous::with_score(score, &Members::new(named?)?)?,
            listed: nodes.into_values().collect(),
            list: list.clone(),
        })
    }
}

/// What the client calls a server.
fn node(server: &Server) -> String {
    let address = server.address();
    match address.host() {
        path if path.starts_with('/') => path.to_string(),
        host => format!("{host}:{}", address.port().unwrap_or(11211)),
    }
}

/// The score of a node and a key: see [the module](self).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct NodeDashKey {
    key_type: KeyType,
}

impl Score for NodeDashKey {
    type Key<'k> = &'k [u8];
    type Server = Murmur3X86_32State;
    const BITS: u32 = 32;
    const TIES: Ties = Ties::LargerName;

    fn key<'k>(&self, key: &'k [u8]) -> &'k [u8] {
        key
    }

    fn server(&self, name: &ServerName) -> Murmur3X86_32State {
        let mut state = Murmur3X86_32State::new(0);
        state.extend(low_bytes(name.as_str().as_bytes()));
        state.push(b'-');
        state
    }

    fn score(&self, key: &&[u8], server: &Murmur3X86_32State) -> u64 {
        let mut state = *server;
        match self.key_type {
            KeyType::Str => state.extend(low_bytes(key)),
            KeyType::Bytes => printed(key, |byte| state.push(byte)),
        }
        state.finish().into()
    }
}

/// The low byte of each character of text.
fn low_bytes(text: &[u8]) -> impl Iterator<Item = u8> {
    text.utf8_chunks().flat_map(|chunk| {
        let broken = (!chunk.invalid().is_empty()).then_some('\u{fffd}');
        chunk.valid().chars().chain(broken).map(|char| u32::from(char) as u8)
    })
}

/// Bytes as Python prints them: `b'…'`, or `b"…"` around an apostrophe where no quote is inside.
fn printed(bytes: &[u8], mut push: impl FnMut(u8)) {
    let quote = if bytes.contains(&b'\'') && !bytes.contains(&b'"') { b'"' } else { b'\'' };
    push(b'b');
    push(quote);
    for &byte in bytes {
        match byte {
            b'\'' | b'"' if byte != quote => push(byte),
            // Quotes, backslashes, line ends and tabs by a backslash, the rest in hexadecimal.
            _ => core::ascii::escape_default(byte).for_each(&mut push),
        }
    }
    push(quote);
}

/// A placement of pymemcache's.
#[derive(Clone, Debug)]
pub struct Placed {
    /// Over the nodes.
    rendezvous: Rendezvous<NodeDashKey>,
    /// The server of each node.
    listed: Vec<ServerIx>,
    list: Buckets,
}

impl Placed {
    /// The owner of a key.
    pub fn owner(&self, key: impl AsRef<[u8]>) -> &Server {
        &self.list.servers()[self.owner_ix(key).index()]
    }

    /// The owner of a key, as an index into the list.
    pub fn owner_ix(&self, key: impl AsRef<[u8]>) -> ServerIx {
        self.listed[self.rendezvous.owner_ix(key).index()]
    }
}

impl Placement for Placed {
    fn servers(&self) -> &[Server] {
        self.list.servers()
    }
    fn owner_ix(&self, key: &[u8]) -> ServerIx {
        Placed::owner_ix(self, key)
    }
    /// Only where servers share an address.
    fn depends_on_order(&self) -> bool {
        self.listed.len() < self.list.active().count()
    }
    fn ranked(&self) -> Option<&dyn Ranked> {
        Some(self)
    }
    fn measured(&self) -> Option<&dyn Measured> {
        Some(self)
    }
}

impl Ranked for Placed {
    fn visit_preference(&self, key: &[u8], visit: &mut dyn FnMut(ServerIx) -> ControlFlow<()>) {
        self.rendezvous.visit_preference(key, &mut |node| visit(self.listed[node.index()]));
    }
}

impl Measured for Placed {
    /// Every node alike, whatever it weighs.
    fn shares(&self) -> Vec<Share> {
        let mut shares = alloc::vec![Share::ZERO; self.list.servers().len()];
        for ix in &self.listed {
            shares[ix.index()] = Share::new(1, self.listed.len() as u128);
        }
        shares
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::murmur3_x86_32;
    use crate::testing::list;

    fn python(bytes: &[u8]) -> String {
        let mut text = String::new();
        printed(bytes, |byte| text.push(byte.into()));
        text
    }

    #[test]
    fn bytes_are_printed_as_python_prints_them() {
        // repr() of Python 3.11.
        for (bytes, text) in [
            (&b""[..], "b''"),
            (b"user:42", "b'user:42'"),
            (b"it's", "b\"it's\""),
            (b"say \"it\"", "b'say \"it\"'"),
            (b"it's \"it\"", "b'it\\'s \"it\"'"),
            (b"a\\b\tc\nd\re", "b'a\\\\b\\tc\\nd\\re'"),
            (b"\x00\x1f \x7e\x7f\x80\xff", "b'\\x00\\x1f ~\\x7f\\x80\\xff'"),
        ] {
            assert_eq!(python(bytes), text);
        }
    }

    #[test]
    fn a_score_is_the_hash_of_the_low_bytes_of_the_whole_text() {
        let node = ServerName::new("10.0.0.1:11211").unwrap();
        let str = NodeDashKey { key_type: KeyType::Str };
        let score = |key: &[u8]| str.score(&key, &str.server(&node));
        assert_eq!(score(b"user:42"), murmur3_x86_32(b"10.0.0.1:11211-user:42", 0).into());
        // U+00E9 is one character, U+30AD's low byte is 0xAD, and U+1F600's is 0.
        assert_eq!(score("é\u{30ad}😀".as_bytes()), murmur3_x86_32(b"10.0.0.1:11211-\xe9\xad\x00", 0).into());
        assert_eq!(score(b"\xff"), murmur3_x86_32(b"10.0.0.1:11211-\xfd", 0).into());
    }

    #[test]
    fn nodes_are_host_and_port_without_brackets() {
        for (address, expected) in [
            ("10.0.0.1", "10.0.0.1:11211"),
            ("10.0.0.1:7", "10.0.0.1:7"),
            ("[2001:db8::1]:11211", "2001:db8::1:11211"),
            ("/run/memcached.sock", "/run/memcached.sock"),
        ] {
            assert_eq!(node(&Server::new("s").unwrap().with_address(address).unwrap()), expected);
        }
    }

    #[test]
    fn order_and_weights_are_nothing_and_servers_of_one_address_are_one_node() {
        let place = Options::default().build(&list(&[("b:1", 9), ("a:1", 1), ("c:1", 1)])).unwrap();
        let turned = Options::default().build(&list(&[("c:1", 1), ("b:1", 1), ("a:1", 5)])).unwrap();
        for key in crate::testing::user_keys(300) {
            assert_eq!(place.owner(&key).name(), turned.owner(&key).name());
            assert_eq!(place.preference(key.as_bytes(), 9)[0], place.owner_ix(&key));
        }
        assert_eq!(place.shares(), [Share::new(1, 3); 3]);
        assert!(!place.depends_on_order());

        let at = |name| Server::new(name).unwrap().with_address("a:1").unwrap();
        let twice = Options::default().build(&Buckets::new([at("y"), at("x")]).unwrap()).unwrap();
        assert!((0..50).all(|i| twice.owner(format!("key-{i}")).name().as_str() == "y"));
        assert_eq!(twice.shares(), [Share::new(1, 1), Share::ZERO]);
        assert!(twice.depends_on_order());
    }
}
