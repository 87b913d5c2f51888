//! nginx: `hash KEY;` and `hash KEY consistent;` in an `upstream`.
//!
//! | parameter | `hash` | `hash … consistent` |
//! |---|---|---|
//! | key hash | bits 16 to 30 of CRC-32 | CRC-32 |
//! | owner | hash mod total weight, each server in a row as often as it weighs | first point `>=` the hash, wrapping |
//! | points of a server | | 160 × weight |
//! | position of a point | | CRC-32 of host, 0x00, port, and the point before as 4 little-endian bytes (at first 0) |
//! | host and port | | as written: split at the last `:` that only digits follow; `unix:` taken off |
//! | width | 15 bits | 32 bits |
//! | equal points | | one stays, not specified which: see [`Ring::collisions`] |
//! | a server that is `down` | its keys are hashed again, with a number in front | it keeps its points, and the next point answers |
//! | order of servers | as in the file | no matter |
//!
//! Labels come from a server's address as text: `10.0.0.1` and `10.0.0.1:80` are two labels, and a
//! name is a name, whatever it resolves to. Servers of one address share their points, and nginx
//! deals their keys out in turn; here the one listed first has them.
//!
//! A total weight above 32,768 leaves the servers at the end of a plain list without keys.
//!
//! After 20 servers or points that were passed over, nginx gives up the hash and takes
//! [turns](RoundRobin) between the servers that are left: [`Upstream::attempts`] ends there. It also
//! takes turns for the empty key, and for one server alone.
//!
//! Checked against nginx 1.22.1, as a program; several servers of one address from its source only.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::ControlFlow;

use crate::error::{Error, Kind};
use crate::hash::{Crc32, Crc32Stem, crc32, crc32_parts};
use crate::members::Buckets;
use crate::placement::{Layout, Measured, Placement, Ranked, ServerIx, Share};
use crate::ring::{Boundary, MAX_POINTS, Ring, Tie};
use crate::server::Server;

/// How many times nginx passes a server over before it gives up the hash.
const MAX_SKIPS: u32 = 20;

/// What the `hash` line says, the default being a line without `consistent`.
///
/// ```
/// use clockwise::dialect::nginx::Options;
/// use clockwise::{Buckets, Server};
///
/// let list = Buckets::new([Server::new("10.0.0.1:8080")?, Server::new("10.0.0.2:8080")?])?;
/// let upstream = Options { consistent: true }.build(&list)?;
/// let order: Vec<_> = upstream.attempts("user:42").collect();
/// assert_eq!(order[0], upstream.owner_ix("user:42"));
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// `consistent`: a ring instead of hash mod total weight.
    pub consistent: bool,
}

impl Options {
    /// The placement of an upstream's servers; one that is `down` is draining.
    ///
    /// Refuses more than [`MAX_POINTS`] points.
    pub fn build(&self, list: &Buckets) -> Result<Upstream, Error> {
        let servers = list.shared();
        let method = if self.consistent { consistent(list)? } else { plain(&servers) };
        Ok(Upstream { servers, method })
    }
}

impl core::fmt::Display for Options {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.pad(if self.consistent { "nginx consistent" } else { "nginx hash" })
    }
}

/// The servers of an `upstream` with their keys.
#[derive(Clone, Debug)]
pub struct Upstream {
    servers: Arc<[Server]>,
    method: Method,
}

#[derive(Clone, Debug)]
enum Method {
    /// The sum of the weights up to and including each server, `down` ones included.
    Plain { ends: Arc<[u64]> },
    Consistent {
        /// The arcs as they are answered for: those of `down` servers are others'.
        ring: Ring<Crc32>,
        /// The server of each point of the ring, `down` or not.
        points: Arc<[ServerIx]>,
    },
}

fn plain(servers: &[Server]) -> Method {
    let mut total = 0;
    let mut end = |server: &Server| {
        total += u64::from(server.weight().get());
        total
    };
    Method::Plain { ends: servers.iter().map(&mut end).collect() }
}

fn consistent(list: &Buckets) -> Result<Method, Error> {
    let servers = list.servers();
    let all: Vec<(ServerIx, &Server)> = (0..).map(ServerIx::new).zip(servers).collect();
    let mut points = chained_points(&all, |server| Ok(label(server.address().as_str())))?;
    points.sort_by_key(|&(position, _)| position);
    let kept: Arc<[ServerIx]> =
        points.chunk_by(|a, b| a.0 == b.0).map(|same| same[0].1).collect::<Vec<_>>().into();
    if servers.iter().any(Server::is_draining) {
        let mut answering = Vec::with_capacity(points.len());
        for (at, same) in points.chunk_by(|a, b| a.0 == b.0).enumerate() {
            let around = (0..=MAX_SKIPS as usize).map(|step| kept[(at + step) % kept.len()]);
            let owner = around.into_iter().find(|ix| !servers[ix.index()].is_draining());
            answering.push((same[0].0, owner.unwrap_or_else(|| heaviest(servers))));
            // The others at this position, to be listed as collisions.
            let others = same[1..].iter().filter(|(_, ix)| !servers[ix.index()].is_draining());
            answering.extend(others);
        }
        points = answering;
    }
    let ring = Ring::from_points(Crc32, list, points, Boundary::AtOrAfter, Tie::OnlyUnspecified)?;
    Ok(Method::Consistent { ring, points: kept })
}

/// The points of nginx's ring: 160 × weight of each server, each hashed from the one before.
pub(super) fn chained_points<'a, L: AsRef<[u8]>>(
    servers: &[(ServerIx, &'a Server)],
    label: impl Fn(&'a Server) -> Result<(L, L), Error>,
) -> Result<Vec<(u64, ServerIx)>, Error> {
    let count = |server: &Server| 160 * u64::from(server.weight().get());
    let mut total = 0;
    for &(_, server) in servers {
        total += count(server);
        if total > MAX_POINTS {
            let kind = Kind::TooManyPoints { points: total.into(), limit: MAX_POINTS };
            return Err(Error::new(kind).of_server(server.name().as_str()));
        }
    }
    let mut points = Vec::with_capacity(total as usize);
    for &(ix, server) in servers {
        let (host, port) = label(server)?;
        let stem = Crc32Stem::new([host.as_ref(), b"\0", port.as_ref()]);
        let mut point = 0_u32;
        for _ in 0..count(server) {
            point = stem.ending(point);
            points.push((point.into(), ix));
        }
    }
    Ok(points)
}

/// Host and port as nginx cuts the text of a `server` line.
fn label(text: &str) -> (&str, &str) {
    if let Some((scheme, path)) = text.split_at_checked(5)
        && scheme.eq_ignore_ascii_case("unix:")
    {
        return (path, "");
    }
    match text.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (host, port),
        _ => (text, ""),
    }
}

/// Whom turns begin with: the first of those that weigh most.
fn heaviest(servers: &[Server]) -> ServerIx {
    let weights = servers.iter().map(Server::effective_weight).enumerate();
    // Of equal ones the last that is met stays, so the list is met from its end.
    let first = weights.rev().max_by_key(|&(_, weight)| weight);
    ServerIx::from_usize(first.map_or(0, |(at, _)| at))
}

/// The plain hash of a key at its `again`-th repetition.
fn plain_hash(key: &[u8], again: u32) -> u32 {
    let mut room = [0; 10];
    let crc = match again {
        0 => crc32(key),
        _ => crc32_parts([decimal(again, &mut room), key]),
    };
    crc >> 16 & 0x7fff
}

fn decimal(mut number: u32, room: &mut [u8; 10]) -> &[u8] {
    let mut at = room.len();
    loop {
        at -= 1;
        room[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            return &room[at..];
        }
    }
}

/// The server in whose part of the total weight a sum of hashes falls.
fn plain_server(ends: &[u64], sum: u32) -> ServerIx {
    let total = ends.last().copied().unwrap_or(1);
    let spot = u64::from(sum) % total;
    ServerIx::from_usize(ends.partition_point(|&end| end <= spot))
}

impl Upstream {
    /// The owner of a key.
    pub fn owner(&self, key: impl AsRef<[u8]>) -> &Server {
        &self.servers[self.owner_ix(key).index()]
    }

    /// The owner of a key, as an index into [`Upstream::servers`]: the first of its
    /// [attempts](Upstream::attempts), or whom [turns](RoundRobin) begin with if there is none.
    pub fn owner_ix(&self, key: impl AsRef<[u8]>) -> ServerIx {
        let key = key.as_ref();
        match &self.method {
            Method::Consistent { ring, .. } => ring.owner_ix(key),
            Method::Plain { ends } => {
                let mut sum = 0;
                for again in 0..=MAX_SKIPS {
                    sum += plain_hash(key, again);
                    let ix = plain_server(ends, sum);
                    if !self.servers[ix.index()].is_draining() {
                        return ix;
                    }
                }
                heaviest(&self.servers)
            }
        }
    }

    /// The servers in the order in which nginx tries them when each one fails (and
    /// `proxy_next_upstream` lets it go on), as far as the key decides it.
    ///
    /// Ends when all that are up were named, or when nginx gives up the hash: then it goes on in
    /// [turns](RoundRobin), and whose turn it is depends on the requests before.
    pub fn attempts(&self, key: impl AsRef<[u8]>) -> Attempts<'_> {
        let state = match &self.method {
            Method::Plain { ends } => State::Plain { ends, key: key.as_ref().into(), again: 0, sum: 0 },
            Method::Consistent { ring, points } => {
                State::Consistent { points, at: ring.point_of_hash(crc32(key.as_ref()).into()) }
            }
        };
        let tried: Vec<bool> = self.servers.iter().map(Server::is_draining).collect();
        let left = tried.iter().filter(|&&tried| !tried).count();
        Attempts { state, tried, left, skips: 0 }
    }

    /// The servers, `down` ones included, in the order of the file.
    pub fn servers(&self) -> &[Server] {
        &self.servers
    }

    /// The ring, if it is one. Arcs of servers that are `down` are those of the servers that answer.
    pub fn as_ring(&self) -> Option<&Ring<Crc32>> {
        match &self.method {
            Method::Plain { .. } => None,
            Method::Consistent { ring, .. } => Some(ring),
        }
    }
}

impl Placement for Upstream {
    fn servers(&self) -> &[Server] {
        &self.servers
    }
    fn owner_ix(&self, key: &[u8]) -> ServerIx {
        Upstream::owner_ix(self, key)
    }
    fn depends_on_order(&self) -> bool {
        self.as_ring().is_none_or(Placement::depends_on_order)
    }
    /// Of a ring: the servers clockwise, also beyond where nginx gives up the hash.
    fn ranked(&self) -> Option<&dyn Ranked> {
        self.as_ring().map(|_| self as &dyn Ranked)
    }
    /// Unless a server of a plain list is `down`: then its keys are hashed again.
    fn measured(&self) -> Option<&dyn Measured> {
        let known = self.as_ring().is_some() || !self.servers.iter().any(Server::is_draining);
        known.then_some(self as &dyn Measured)
    }
}

impl Ranked for Upstream {
    fn visit_preference(&self, key: &[u8], visit: &mut dyn FnMut(ServerIx) -> ControlFlow<()>) {
        match self.as_ring() {
            Some(ring) => ring.visit_preference(key, visit),
            None => {
                let _ = visit(self.owner_ix(key));
            }
        }
    }
}

impl Measured for Upstream {
    /// Arcs of the circle; of a plain list the hashes, of 2¹⁵, that fall to each server.
    fn shares(&self) -> Vec<Share> {
        const HASHES: u64 = 1 << 15;
        let ends = match &self.method {
            Method::Consistent { ring, .. } => return ring.shares(),
            Method::Plain { ends } => ends,
        };
        let total = ends.last().copied().unwrap_or(1);
        // The hashes below a limit that fall to the servers up to this end.
        let up_to = |end: u64| HASHES / total * end + (HASHES % total).min(end);
        let starts = core::iter::once(0).chain(ends.iter().copied());
        let parts = starts.zip(ends.iter()).map(|(start, &end)| up_to(end) - up_to(start));
        parts.map(|part| Share::new(part.into(), HASHES.into())).collect()
    }

    fn layout(&self) -> Option<Layout<'_>> {
        self.as_ring().and_then(Measured::layout)
    }
}

/// The servers for a key in the order of attempts; made by [`Upstream::attempts`].
#[derive(Clone, Debug)]
pub struct Attempts<'a> {
    state: State<'a>,
    /// By server; those that are `down` are passed over as if they had been tried.
    tried: Vec<bool>,
    left: usize,
    skips: u32,
}

#[derive(Clone, Debug)]
enum State<'a> {
    Plain { ends: &'a [u64], key: Box<[u8]>, again: u32, sum: u32 },
    Consistent { points: &'a [ServerIx], at: usize },
}

impl Iterator for Attempts<'_> {
    type Item = ServerIx;

    fn next(&mut self) -> Option<ServerIx> {
        while self.left > 0 && self.skips <= MAX_SKIPS {
            let ix = match &mut self.state {
                State::Plain { ends, key, again, sum } => {
                    // At most 20 skips and as many servers as can be told apart by 15 bits.
                    *sum = sum.wrapping_add(plain_hash(key, *again));
                    *again += 1;
                    plain_server(ends, *sum)
                }
                State::Consistent { points, at } => points[*at % points.len()],
            };
            let tried = &mut self.tried[ix.index()];
            if !*tried {
                *tried = true;
                self.left -= 1;
                return Some(ix);
            }
            self.skips += 1;
            if let State::Consistent { at, .. } = &mut self.state {
                *at += 1;
            }
        }
        None
    }
}

/// nginx's turns by weight: what is left when the hash gives up.
///
/// Every server gains its weight, the first of those that then have most is next and pays the sum
/// of what was gained. One of these lasts from request to request, as it does in one worker process
/// of nginx; servers whose failures are counted (`max_fails`) weigh less for a while, which it
/// knows nothing of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundRobin {
    weights: Vec<i64>,
    current: Vec<i64>,
}

impl RoundRobin {
    /// As after a start.
    pub fn new(upstream: &Upstream) -> RoundRobin {
        let weights: Vec<i64> = upstream.servers.iter().map(|s| s.effective_weight().into()).collect();
        RoundRobin { current: alloc::vec![0; weights.len()], weights }
    }

    /// Whose turn it is among the servers that are up and not in `tried`, if there is one.
    pub fn next(&mut self, tried: &[ServerIx]) -> Option<ServerIx> {
        let (mut best, mut gained) = (None, 0);
        for (at, &weight) in self.weights.iter().enumerate() {
            let ix = ServerIx::from_usize(at);
            if weight == 0 || tried.contains(&ix) {
                continue;
            }
            self.current[at] += weight;
            gained += weight;
            if best.is_none_or(|best: usize| self.current[at] > self.current[best]) {
                best = Some(at);
            }
        }
        self.current[best?] -= gained;
        best.map(ServerIx::from_usize)
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::ToString;

    use super::*;
    use crate::testing::{Random, list, user_keys};

    const CONSISTENT: Options = Options { consistent: true };
    const PLAIN: Options = Options { consistent: false };

    /// The servers of a list with some of them `down`.
    fn down(list: &Buckets, down: &[usize]) -> Buckets {
        down.iter()
            .fold(list.clone(), |list, &at| list.replaced(at, list.servers()[at].clone().draining()).unwrap())
    }

    #[test]
    fn host_and_port_are_cut_at_a_colon_that_only_digits_follow() {
        for (text, expected) in [
            ("10.0.0.1:80", ("10.0.0.1", "80")),
            ("10.0.0.1", ("10.0.0.1", "")),
            ("[2001:db8::9]:80", ("[2001:db8::9]", "80")),
            ("[2001:db8::9]", ("[2001:db8::9]", "")),
            ("UNIX:/run/a:1", ("/run/a:1", "")),
            ("unix:", ("", "")),
            ("name:", ("name", "")),
            ("name:8o", ("name:8o", "")),
            ("é", ("é", "")),
        ] {
            assert_eq!(label(text), expected);
        }
    }

    #[test]
    fn a_point_is_the_crc_of_the_label_and_the_point_before() {
        let upstream = CONSISTENT.build(&list(&[("10.0.0.1:80", 2)])).unwrap();
        let mut expected = Vec::new();
        let mut point = 0_u32;
        for _ in 0..320 {
            point = crc32(&[b"10.0.0.1\080", &point.to_le_bytes()[..]].concat());
            expected.push(u64::from(point));
        }
        expected.sort_unstable();
        let points: Vec<u64> = upstream.as_ring().unwrap().points().map(|(position, _)| position).collect();
        assert_eq!(points, expected);
    }

    #[test]
    fn attempts_follow_the_rule_with_servers_down_and_end_when_the_hash_is_given_up() {
        let mut random = Random(0x5eed_0101);
        let (mut given_up, mut none) = (0, 0);
        for round in 0..60 {
            let count = 1 + random.below(9) as usize;
            let names: Vec<_> = (0..count).map(|i| format!("10.0.{round}.{i}:80")).collect();
            let fleet: Vec<(&str, u32)> =
                names.iter().map(|name| (name.as_str(), 1 + random.below(30) as u32)).collect();
            let mut gone: Vec<usize> = (0..count).filter(|_| random.below(2) == 0).collect();
            gone.truncate(count - 1);
            let fleet = down(&list(&fleet), &gone);
            let ring = ring_by_the_rule(&fleet);
            for options in [PLAIN, CONSISTENT] {
                let upstream = options.build(&fleet).unwrap();
                for key in user_keys(30) {
                    let ring = options.consistent.then_some(ring.as_slice());
                    let expected = by_the_rule(ring, &fleet, key.as_bytes());
                    let attempts: Vec<usize> = upstream.attempts(&key).map(ServerIx::index).collect();
                    assert_eq!(attempts, expected, "round {round}, {options}, {key}");
                    given_up += u32::from(attempts.len() < count - gone.len());
                    let owner = upstream.owner_ix(&key).index();
                    match expected.first() {
                        Some(&first) => assert_eq!(owner, first, "round {round}, {options}, {key}"),
                        None => {
                            none += 1;
                            let first = RoundRobin::new(&upstream).next(&[]).unwrap();
                            assert_eq!(owner, first.index(), "round {round}, {options}, {key}");
                        }
                    }
                }
            }
        }
        assert!(given_up > 50 && none > 5, "{given_up}, {none}");
    }

    /// The points of a consistent upstream as nginx makes them, with the server of each.
    fn ring_by_the_rule(fleet: &Buckets) -> Vec<(u32, usize)> {
        let mut ring: Vec<(u32, usize)> = Vec::new();
        for (at, server) in fleet.servers().iter().enumerate() {
            let host = server.name().as_str().strip_suffix(":80").unwrap();
            let mut point = 0_u32;
            for _ in 0..160 * server.weight().get() {
                point = crc32(&[host.as_bytes(), b"\080", &point.to_le_bytes()].concat());
                ring.push((point, at));
            }
        }
        ring.sort_by_key(|point| point.0);
        ring.dedup_by_key(|point| point.0);
        ring
    }

    /// What nginx does for one request, step by step, on a ring or without one.
    fn by_the_rule(ring: Option<&[(u32, usize)]>, fleet: &Buckets, key: &[u8]) -> Vec<usize> {
        let servers = fleet.servers();
        let up = servers.iter().filter(|server| !server.is_draining()).count();
        let written: Vec<usize> =
            (0..servers.len()).flat_map(|at| alloc::vec![at; servers[at].weight().get() as usize]).collect();
        let hash = crc32(key);
        let first = |ring: &[(u32, usize)]| ring.iter().position(|point| point.0 >= hash);
        let mut at = ring.and_then(first).unwrap_or(0);
        let (mut tried, mut tries, mut rehash, mut sum) = (Vec::new(), 0, 0_u32, 0);
        while tried.len() < up {
            let server = if let Some(ring) = ring {
                ring[at % ring.len()].1
            } else {
                let text = if rehash == 0 { Vec::new() } else { rehash.to_string().into_bytes() };
                sum += (crc32(&[&text, key].concat()) >> 16 & 0x7fff) as usize;
                rehash += 1;
                written[sum % written.len()]
            };
            if !tried.contains(&server) && !servers[server].is_draining() {
                tried.push(server);
                continue;
            }
            at += 1;
            tries += 1;
            if tries > 20 {
                break;
            }
        }
        tried
    }

    #[test]
    fn a_server_that_is_down_moves_no_key_of_the_others() {
        let fleet = list(&[("a:1", 1), ("b:1", 2), ("c:1", 3)]);
        for options in [PLAIN, CONSISTENT] {
            let before = options.build(&fleet).unwrap();
            let after = options.build(&down(&fleet, &[1])).unwrap();
            let mut moved = 0;
            for key in user_keys(2_000) {
                let (from, to) = (before.owner_ix(&key).index(), after.owner_ix(&key).index());
                if from == 1 {
                    moved += 1;
                    assert_ne!(to, 1, "{options}, {key}");
                } else {
                    assert_eq!(from, to, "{options}, {key}");
                }
            }
            assert!((500..800).contains(&moved), "{options}: {moved}");
            assert_eq!(after.measured().is_some(), options.consistent);
        }
    }

    #[test]
    fn shares_of_a_plain_list_are_those_of_its_32768_hashes() {
        for weights in [[1, 1, 1], [3, 5, 7], [40_000, 1, 2], [32_767, 1, 9]] {
            let upstream = PLAIN.build(&list(&[("a", weights[0]), ("b", weights[1]), ("c", weights[2])]));
            let upstream = upstream.unwrap();
            let Method::Plain { ends } = &upstream.method else { unreachable!() };
            let mut counts = [0_u128; 3];
            for hash in 0..1 << 15 {
                counts[plain_server(ends, hash).index()] += 1;
            }
            let parts: Vec<u128> = upstream.shares().iter().map(|share| share.part()).collect();
            assert_eq!(parts, counts, "{weights:?}");
        }
    }

    #[test]
    fn turns_interleave_by_weight() {
        let upstream = PLAIN.build(&list(&[("a", 5), ("b", 1), ("c", 1)])).unwrap();
        let mut turns = RoundRobin::new(&upstream);
        let order: Vec<usize> = (0..7).map(|_| turns.next(&[]).unwrap().index()).collect();
        assert_eq!(order, [0, 0, 1, 0, 2, 0, 0]);
        assert_eq!(turns.next(&[0, 1, 2].map(ServerIx::new)), None);
    }

    #[test]
    fn two_servers_of_one_address_share_their_points_and_the_first_has_the_keys() {
        let at = |name: &str| Server::new(name).unwrap().with_address("10.0.0.1:80").unwrap();
        let fleet = Buckets::new([at("first"), at("second")]).unwrap();
        let upstream = CONSISTENT.build(&fleet).unwrap();
        let ring = upstream.as_ring().unwrap();
        assert_eq!((ring.point_counts(), ring.collisions().len()), ([160, 0].as_slice(), 160));
        assert!(upstream.depends_on_order());
        assert_eq!(upstream.owner("any").name().as_str(), "first");
    }

    #[test]
    fn too_many_points_are_refused_by_name() {
        let error = CONSISTENT.build(&list(&[("a", 1), ("b", 104_857)])).unwrap_err();
        assert!(error.is_too_large());
        assert_eq!(error.server(), Some("b"));
        assert!(PLAIN.build(&list(&[("a", 1), ("b", u32::MAX)])).is_ok());
    }
}
