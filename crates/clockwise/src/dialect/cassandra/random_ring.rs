//! The ring of RandomPartitioner, whose tokens have 127 bits.
//!
//! Positions are kept whole: on a circle of 64 bits two tokens, or a token and a key, could fall
//! together that differ.

use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::ops::ControlFlow;

use super::Turn;
use crate::error::{Error, Kind};
use crate::hash::md5::md5_128_many;
use crate::hash::{random_token, random_token_of};
use crate::members::Buckets;
use crate::placement::{Measured, Placement, Ranked, ServerIx, Share};
use crate::ring::Owners;
use crate::server::Server;

/// The greatest token, 2¹²⁷: MD5 of −2¹²⁷ without its sign.
const GREATEST: u128 = 1 << 127;

/// A ring of tokens from 0 to 2¹²⁷. Immutable; clones share the tokens.
#[derive(Clone)]
pub struct RandomRing(Arc<Inner>);

struct Inner {
    servers: Arc<[Server]>,
    /// Ascending.
    tokens: Vec<u128>,
    owners: Vec<ServerIx>,
    /// Servers with at least one token.
    placed: usize,
}

impl RandomRing {
    /// A ring of tokens that differ, ascending.
    pub(super) fn new(list: &Buckets, tokens: Vec<(u128, ServerIx)>) -> Result<RandomRing, Error> {
        let problem = match tokens.last() {
            Some(&(token, ix)) if token > GREATEST => {
                let problem = "is above 2^127, where the tokens of RandomPartitioner end";
                let kind = Kind::Option { name: "token", value: token.to_string(), problem };
                Some(Error::new(kind).of_server(list.servers()[ix.index()].name().as_str()))
            }
            Some(_) => None,
            None => Some(Error::new(Kind::Option {
                name: "number of points",
                value: "0".to_string(),
                problem: "is too small: a ring needs at least one",
            })),
        };
        if let Some(error) = problem {
            return Err(error);
        }
        let mut has_token = alloc::vec![false; list.servers().len()];
        for (_, ix) in &tokens {
            has_token[ix.index()] = true;
        }
        let placed = has_token.into_iter().filter(|has| *has).count();
        let (tokens, owners) = tokens.into_iter().unzip();
        Ok(RandomRing(Arc::new(Inner { servers: list.shared(), tokens, owners, placed })))
    }

    /// The owner of a key.
    pub fn owner(&self, key: impl AsRef<[u8]>) -> &Server {
        &self.0.servers[self.owner_ix(key).index()]
    }

    /// The owner of a key, as an index into the list.
    pub fn owner_ix(&self, key: impl AsRef<[u8]>) -> ServerIx {
        self.owner_of_token(random_token(key.as_ref()))
    }

    /// The owner of a key whose token is known: the node of the first token `>=` it, or after the
    /// last of the first of all.
    pub fn owner_of_token(&self, token: u128) -> ServerIx {
        self.0.owners[self.at(token)]
    }

    /// The first `count` distinct servers from a key on, its owner first; fewer where fewer have
    /// tokens.
    pub fn owners_ix(&self, key: impl AsRef<[u8]>, count: usize) -> Owners<'_> {
        let Inner { servers, owners, placed, .. } = &*self.0;
        Owners::new(owners, self.at(random_token(key.as_ref())), count, *placed, servers.len())
    }

    /// The tokens with their nodes, ascending.
    pub fn points(&self) -> impl ExactSizeIterator<Item = (u128, ServerIx)> {
        self.0.tokens.iter().copied().zip(self.0.owners.iter().copied())
    }

    /// The servers, draining ones included. A [`ServerIx`] is a position in this slice.
    pub fn servers(&self) -> &[Server] {
        &self.0.servers
    }

    fn at(&self, token: u128) -> usize {
        let at = self.0.tokens.partition_point(|&other| other < token);
        if at == self.0.tokens.len() { 0 } else { at }
    }
}

impl Placement for RandomRing {
    fn servers(&self) -> &[Server] {
        RandomRing::servers(self)
    }
    fn owner_ix(&self, key: &[u8]) -> ServerIx {
        RandomRing::owner_ix(self, key)
    }
    fn owners_of(&self, keys: &[&[u8]], owners: &mut [ServerIx]) {
        md5_128_many(keys, owners, |digest| self.owner_of_token(random_token_of(digest)));
    }
    fn ranked(&self) -> Option<&dyn Ranked> {
        Some(self)
    }
    fn measured(&self) -> Option<&dyn Measured> {
        Some(self)
    }
}

impl Ranked for RandomRing {
    fn visit_preference(&self, key: &[u8], visit: &mut dyn FnMut(ServerIx) -> ControlFlow<()>) {
        for server in self.owners_ix(key, usize::MAX) {
            if visit(server).is_break() {
                return;
            }
        }
    }
}

impl Measured for RandomRing {
    /// Lengths of arcs in parts of 2¹²⁷, as Cassandra itself reports them: its circle counts the two
    /// ends, 0 and 2¹²⁷, as one position.
    fn shares(&self) -> Vec<Share> {
        let Inner { servers, tokens, owners, .. } = &*self.0;
        let mut parts = alloc::vec![0_u128; servers.len()];
        for (pair, owner) in tokens.windows(2).zip(&owners[1..]) {
            parts[owner.index()] += pair[1] - pair[0];
        }
        let others = tokens[tokens.len() - 1] - tokens[0];
        parts[owners[0].index()] += GREATEST - others;
        parts.into_iter().map(|part| Share::new(part, GREATEST)).collect()
    }
}

impl Turn for RandomRing {
    fn turn(&self, key: &[u8]) -> impl Iterator<Item = ServerIx> {
        let at = self.at(random_token(key));
        self.0.owners[at..].iter().chain(&self.0.owners[..at]).copied()
    }
    fn python_driver_turn(&self, key: &[u8]) -> impl Iterator<Item = ServerIx> {
        self.turn(key)
    }
}

impl fmt::Debug for RandomRing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RandomRing")
            .field("servers", &self.0.servers.len())
            .field("points", &self.0.tokens.len())
            .finish()
    }
}
