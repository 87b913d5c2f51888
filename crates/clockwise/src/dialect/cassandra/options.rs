//! A cluster as its nodes tell of it: a partitioner, and the tokens and the data centre of each
//! server.

use alloc::collections::BTreeMap;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use super::{Cluster, Node, RandomRing, Replication, Strategy};
use crate::choice::choice;
use crate::dialect::named::Recipe;
use crate::error::{Error, Kind};
use crate::hash::{CassandraMurmur3, KeyHash};
use crate::members::Buckets;
use crate::placement::{Placement, ServerIx};
use crate::ring::{Geometry, Ring};
use crate::server::{Server, ServerName, Zone};

choice! {
    /// `partitioner` of cassandra.yaml, without the package before it.
    Partitioner, "partitioner" {
        #[default]
        Murmur3 = "Murmur3Partitioner",
        Random = "RandomPartitioner",
    }
    refused {
        "ByteOrderedPartitioner" = "places keys in their own order and not by a hash",
        "OrderPreservingPartitioner" = "places keys in their own order and not by a hash",
    }
}

/// The data centre of a server that is in none that was said: that of Cassandra's SimpleSnitch.
const DATACENTER: &str = "datacenter1";

/// A token of either partitioner, −2⁶³ to 2¹²⁷.
///
/// ```
/// use clockwise::dialect::cassandra::Token;
///
/// let token: Token = "-8839064797231613815".parse()?;
/// assert_eq!(token, Token::from(-8839064797231613815_i64));
/// assert_eq!(token.to_string(), "-8839064797231613815");
/// assert_eq!((token.murmur3(), token.random()), (Some(-8839064797231613815), None));
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Token {
    /// Counted from the lowest, so that all of them fit one unsigned number.
    above_lowest: u128,
}

impl Token {
    const ZERO: u128 = 1 << 63;

    /// The token of Murmur3Partitioner, if it can be one: 64 bits, signed.
    pub fn murmur3(self) -> Option<i64> {
        u64::try_from(self.above_lowest).ok().map(CassandraMurmur3::token_at)
    }

    /// The token of RandomPartitioner, if it can be one: 0 to 2¹²⁷.
    pub fn random(self) -> Option<u128> {
        self.above_lowest.checked_sub(Token::ZERO)
    }
}

impl From<i64> for Token {
    fn from(token: i64) -> Token {
        Token { above_lowest: CassandraMurmur3::position(token).into() }
    }
}

impl TryFrom<u128> for Token {
    type Error = Error;

    /// Refuses more than 2¹²⁷.
    fn try_from(token: u128) -> Result<Token, Error> {
        match token {
            0..=0x8000_0000_0000_0000_0000_0000_0000_0000 => Ok(Token { above_lowest: token + Token::ZERO }),
            _ => Err(no_token(&token.to_string())),
        }
    }
}

impl FromStr for Token {
    type Err = Error;

    /// A whole number in decimal.
    fn from_str(text: &str) -> Result<Token, Error> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(no_token(text));
        }
        match text.parse::<i64>() {
            Ok(token) => Ok(Token::from(token)),
            Err(_) => text.parse::<u128>().map_err(|_| no_token(text))?.try_into(),
        }
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.murmur3(), self.random()) {
            (Some(token), _) => fmt::Display::fmt(&token, f),
            (None, token) => fmt::Display::fmt(&token.unwrap_or_default(), f),
        }
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Token({self})")
    }
}

fn no_token(text: &str) -> Error {
    let problem = "is not a whole number from -2^63 to 2^127, which the tokens of Cassandra are";
    Error::new(Kind::Option { name: "token", value: text.to_string(), problem })
}

/// What `nodetool ring` and `system.peers` tell of a cluster. A server's rack is its zone.
///
/// ```
/// use clockwise::dialect::cassandra::{Options, Strategy};
/// use clockwise::{Buckets, Server};
///
/// let node = |name, rack| Server::new(name)?.with_zone(rack);
/// let nodes = Buckets::new([node("a", "r1")?, node("b", "r1")?, node("c", "r2")?])?;
/// let tokens = [
///     ("a", [-9223372036854775807_i64]),
///     ("b", [-3074457345618258602]),
///     ("c", [3074457345618258603]),
/// ];
/// let token = |(name, tokens): (&str, [i64; 1])| Ok((name.parse()?, tokens.map(Into::into).into()));
/// let tokens = tokens.into_iter().map(token).collect::<Result<_, clockwise::Error>>()?;
/// let cluster = Options { tokens, ..Options::default() }.build(&nodes)?;
/// // The token of "a" is −8839064797231613815.
/// assert_eq!(cluster.owner("a").name().as_str(), "b");
///
/// let strategy = Strategy::NetworkTopology([("datacenter1".try_into()?, 2)].into());
/// let replicas = cluster.replicas(&strategy, "a")?;
/// assert_eq!(replicas.iter().map(|ix| ix.index()).collect::<Vec<_>>(), [1, 2]); // two racks
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// The cluster's partitioner.
    pub partitioner: Partitioner,
    /// The tokens of each server. Those of a server that is not listed have left with it.
    pub tokens: BTreeMap<ServerName, Vec<Token>>,
    /// The data centre of each server; of one that is not here, `datacenter1`.
    pub datacenters: BTreeMap<ServerName, Zone>,
}

impl Options {
    /// The cluster, which places a key on its first replica: the node of the first token at or after
    /// the key's, whatever its data centre.
    ///
    /// A server without tokens owns nothing. One without a zone stands in a rack that it shares with
    /// the others of its data centre that have none. Refuses no tokens at all, a token that two
    /// servers have or that is none of the partitioner's, and more than
    /// [`MAX_POINTS`](crate::ring::MAX_POINTS) of them.
    pub fn build(&self, servers: &Buckets) -> Result<Placed, Error> {
        Ok(match self.partitioner {
            Partitioner::Murmur3 => Placed::Murmur3(Cluster::murmur3(self.nodes(servers, Token::murmur3)?)?),
            Partitioner::Random => Placed::Random(Cluster::random(self.nodes(servers, Token::random)?)?),
        })
    }

    fn nodes<T>(&self, servers: &Buckets, token: impl Fn(Token) -> Option<T>) -> Result<Vec<Node<T>>, Error> {
        let default: Zone = DATACENTER.try_into()?;
        let node = |server: &Server| {
            let own = |&given: &Token| {
                token(given).ok_or_else(|| {
                    let problem = match self.partitioner {
                        Partitioner::Murmur3 => "has more than the 64 bits, signed, of Murmur3Partitioner",
                        Partitioner::Random => "is below 0, where the tokens of RandomPartitioner begin",
                    };
                    let kind = Kind::Option { name: "token", value: given.to_string(), problem };
                    Error::new(kind).of_server(server.name().as_str())
                })
            };
            let tokens = self.tokens.get(server.name()).into_iter().flatten().map(own);
            Ok(Node {
                server: server.clone(),
                datacenter: self.datacenters.get(server.name()).unwrap_or(&default).clone(),
                tokens: tokens.collect::<Result<_, Error>>()?,
            })
        };
        servers.servers().iter().map(node).collect()
    }
}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&alloc::format!("cassandra {}", self.partitioner))
    }
}

/// A cluster under either partitioner.
#[derive(Clone, Debug)]
pub enum Placed {
    /// Under Murmur3Partitioner.
    Murmur3(Cluster<Ring<CassandraMurmur3>>),
    /// Under RandomPartitioner.
    Random(Cluster<RandomRing>),
}

impl Placed {
    /// The owner of a key: its first replica where a strategy has one in each data centre.
    pub fn owner(&self, key: impl AsRef<[u8]>) -> &Server {
        Placement::owner(self.placement(), key.as_ref())
    }

    /// The replicas of a key under a keyspace's strategy, as the servers place them:
    /// [`Replication::of`]. For many keys take the cluster and its replication once.
    pub fn replicas(&self, strategy: &Strategy, key: impl AsRef<[u8]>) -> Result<Vec<ServerIx>, Error> {
        match self {
            Placed::Murmur3(cluster) => {
                cluster.replication(strategy).map(|them: Replication<'_, _>| them.of(key))
            }
            Placed::Random(cluster) => cluster.replication(strategy).map(|them| them.of(key)),
        }
    }

    fn placement(&self) -> &dyn Placement {
        match self {
            Placed::Murmur3(cluster) => cluster.ring(),
            Placed::Random(cluster) => cluster.ring(),
        }
    }
}

answers_as!(Placed, this => this.placement());

impl Recipe for Placed {
    fn geometry(&self) -> Option<Geometry> {
        match self {
            Placed::Murmur3(cluster) => Some(cluster.ring().geometry()),
            Placed::Random(_) => None,
        }
    }
    fn key_hash(&self) -> Option<&dyn KeyHash> {
        match self {
            Placed::Murmur3(cluster) => {
                let hash: &CassandraMurmur3 = cluster.ring().hash();
                Some(hash)
            }
            Placed::Random(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;
    use alloc::format;

    use super::*;
    use crate::testing::{Random, list, user_keys};

    fn tokens(given: &[(&str, &[&str])]) -> BTreeMap<ServerName, Vec<Token>> {
        let list = |tokens: &[&str]| tokens.iter().map(|token| token.parse().unwrap()).collect();
        given.iter().map(|&(name, tokens)| (name.parse().unwrap(), list(tokens))).collect()
    }

    #[test]
    fn tokens_of_both_partitioners_are_written_and_read_back_in_their_order() {
        let texts = [
            "-9223372036854775808",
            "-1",
            "0",
            "9223372036854775807",
            "9223372036854775808",
            "170141183460469231731687303715884105728",
        ];
        let read: Vec<Token> = texts.iter().map(|text| text.parse().unwrap()).collect();
        assert!(read.is_sorted());
        for (token, text) in read.iter().zip(texts) {
            assert_eq!(format!("{token}"), text);
        }
        assert_eq!(read[4].murmur3(), None);
        assert_eq!(read[5].random(), Some(1 << 127));
        for wrong in
            ["", "-", "+1", "1.0", "0x1", "-9223372036854775809", "170141183460469231731687303715884105729"]
        {
            assert!(wrong.parse::<Token>().unwrap_err().is_parameter(), "{wrong}");
        }
    }

    #[test]
    fn a_cluster_read_from_its_tokens_is_that_of_its_nodes() {
        let mut random = Random(0xca58);
        let zoned = |i: u64| Server::new(format!("n{i}")).unwrap().with_zone(format!("r{}", i % 3)).unwrap();
        let servers = Buckets::new((0..7).map(zoned)).unwrap();
        let zone = |i: u64| Zone::new(format!("dc{}", i % 2)).unwrap();
        let own: Vec<Vec<i64>> =
            (0..7).map(|_| (0..4).map(|_| random.next().cast_signed()).collect()).collect();
        let nodes = (0..7).map(|i| Node::new(zoned(i), zone(i), own[i as usize].iter().copied()).unwrap());
        let cluster = Cluster::murmur3(nodes).unwrap();
        let name = |i: u64| zoned(i).name().clone();
        let placed = Options {
            tokens: (0..7).map(|i| (name(i), own[i as usize].iter().map(|&t| t.into()).collect())).collect(),
            datacenters: (0..7).map(|i| (name(i), zone(i))).collect(),
            ..Options::default()
        }
        .build(&servers)
        .unwrap();
        let strategy = Strategy::NetworkTopology([(zone(0), 2), (zone(1), 3)].into());
        let replication = cluster.replication(&strategy).unwrap();
        for key in user_keys(200) {
            assert_eq!(placed.owner(&key), cluster.ring().owner(&key));
            assert_eq!(placed.replicas(&strategy, &key).unwrap(), replication.of(&key));
        }
    }

    #[test]
    fn a_server_without_tokens_owns_nothing_and_one_that_left_took_its_own() {
        let three = list(&[("a", 1), ("b", 1), ("c", 1)]);
        let given = tokens(&[("a", &["-4", "10"]), ("b", &["0"]), ("gone", &["5"])]);
        for partitioner in [Partitioner::Murmur3, Partitioner::Random] {
            let mut given = given.clone();
            if partitioner == Partitioner::Random {
                given.insert("a".parse().unwrap(), alloc::vec![10_i64.into()]);
            }
            let placed =
                Options { partitioner, tokens: given, datacenters: BTreeMap::new() }.build(&three).unwrap();
            let owners: BTreeSet<ServerIx> =
                user_keys(2_000).iter().map(|key| Placement::owner_ix(&placed, key.as_bytes())).collect();
            assert!(owners.iter().all(|ix| ix.index() < 2), "{owners:?}");
            // Without racks all share one: three replicas are the two nodes on the ring.
            let strategy = Strategy::NetworkTopology([("datacenter1".try_into().unwrap(), 3)].into());
            assert_eq!(placed.replicas(&strategy, "user:1").unwrap().len(), 2);
        }
    }

    #[test]
    fn tokens_of_the_other_partitioner_are_refused_with_the_server() {
        let servers = list(&[("a", 1)]);
        for (partitioner, token) in
            [(Partitioner::Murmur3, "9223372036854775808"), (Partitioner::Random, "-1")]
        {
            let tokens = tokens(&[("a", &[token])]);
            let error = Options { partitioner, tokens, datacenters: BTreeMap::new() }.build(&servers);
            let error = error.unwrap_err();
            assert!(error.is_parameter() && format!("{error}").contains(token), "{error}");
            assert_eq!(error.server(), Some("a"));
        }
        assert!(Options::default().build(&servers).unwrap_err().is_parameter());
        let error = "ByteOrderedPartitioner".parse::<Partitioner>().unwrap_err();
        assert!(format!("{error}").contains("in their own order"), "{error}");
    }
}
