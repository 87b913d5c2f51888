//! How rings come to be: the native recipe with its labels, and points from elsewhere.

use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::circle::Circle;
use super::{Boundary, Inner, MAX_POINTS, POINTS_PER_WEIGHT, Ring, Tie};
use crate::error::{Error, Kind};
use crate::hash::{KeyHash, Width};
use crate::members::{Buckets, Members};
use crate::placement::ServerIx;
use crate::server::Server;

/// The text whose hash is point *i* of a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Label<'a> {
    /// The name's bytes, one byte 0x00, *i* as a 32-bit little-endian number. No name can hold
    /// 0x00, so no two points of a fleet ever share a label.
    #[default]
    Native,
    /// The name, this text, *i* in decimal: `a-0` is point 0 of `a` joined with `-`. Names that
    /// end in the like of `-1` can make two servers share a label; the smaller name then has it.
    Joined(&'a str),
    /// The first text, the name, the second text, *i* in decimal: `node-a#0` is point 0 of `a` between
    /// `node-` and `#`. Names can share a label as above.
    Between(&'a str, &'a str),
}

impl Label<'_> {
    /// Cuts `label` to what the points of `server` have in common, and returns that length.
    fn stem(self, server: &Server, label: &mut Vec<u8>) -> usize {
        label.clear();
        if let Label::Between(before, _) = self {
            label.extend_from_slice(before.as_bytes());
        }
        label.extend_from_slice(server.name().as_str().as_bytes());
        match self {
            Label::Native => label.push(0),
            Label::Joined(text) | Label::Between(_, text) => label.extend_from_slice(text.as_bytes()),
        }
        label.len()
    }

    fn number(self, i: u32, label: &mut Vec<u8>) {
        match self {
            Label::Native => label.extend_from_slice(&i.to_le_bytes()),
            Label::Joined(_) | Label::Between(..) => decimal(i, label),
        }
    }
}

fn decimal(mut number: u32, text: &mut Vec<u8>) {
    let start = text.len();
    loop {
        text.push(b'0' + (number % 10) as u8);
        number /= 10;
        if number == 0 {
            break;
        }
    }
    text[start..].reverse();
}

/// Settings of a ring that places its own points; made by [`Ring::builder`].
#[derive(Clone, Debug)]
pub struct RingBuilder<'a, H> {
    hash: H,
    points_per_weight: u32,
    label: Label<'a>,
}

impl<'a, H: KeyHash> RingBuilder<'a, H> {
    pub(super) fn new(hash: H) -> RingBuilder<'a, H> {
        RingBuilder { hash, points_per_weight: POINTS_PER_WEIGHT, label: Label::Native }
    }

    /// Points for each unit of weight; [`POINTS_PER_WEIGHT`] unless said. More points even out the arcs (the busiest
    /// of *n* servers stands near 1 + √(2 ln *n* ÷ points) of the mean) and cost memory.
    #[must_use]
    pub fn points_per_weight(self, points_per_weight: u32) -> Self {
        RingBuilder { points_per_weight, ..self }
    }

    /// What point *i* of a server is the hash of; [`Label::Native`] unless said.
    #[must_use]
    pub fn label(self, label: Label<'a>) -> Self {
        RingBuilder { label, ..self }
    }

    /// Places weight × points per weight points for each active server.
    ///
    /// Refuses 0 points per weight, and more than [`MAX_POINTS`] in all before anything is
    /// allocated: the error names the server with which the sum, in order of the names, passes it.
    pub fn build(self, members: &Members) -> Result<Ring<H>, Error> {
        if self.points_per_weight == 0 {
            return Err(Error::new(Kind::PointsPerWeight));
        }
        let mut total = 0_u128;
        for (_, server) in members.active() {
            total += u128::from(server.effective_weight()) * u128::from(self.points_per_weight);
            if total > u128::from(MAX_POINTS) {
                let kind = Kind::TooManyPoints { points: total, limit: MAX_POINTS };
                return Err(Error::new(kind).of_server(server.name().as_str()));
            }
        }

        // Lookups cut a hash of 32 bits to 32, so a hash that gives more than it said has to be cut
        // here too: points beyond would stand out of order.
        let greatest = match self.hash.width() {
            Width::Bits32 => u64::from(u32::MAX),
            Width::Bits64 => u64::MAX,
        };
        let mut points = Vec::with_capacity(total as usize);
        let mut label = Vec::new();
        for (ix, server) in members.active() {
            let stem = self.label.stem(server, &mut label);
            // At most MAX_POINTS: the product fits.
            for i in 0..server.effective_weight() * self.points_per_weight {
                label.truncate(stem);
                self.label.number(i, &mut label);
                points.push((self.hash.hash(&label) & greatest, ix));
            }
        }
        // Members stand in order of their names and equal positions keep their order: the smaller
        // name wins a tie.
        Ok(assemble(self.hash, members.shared(), None, &points, Boundary::AtOrAfter))
    }
}

/// See [`Ring::from_points`].
pub(super) fn from_points<H: KeyHash>(
    hash: H,
    buckets: &Buckets,
    mut points: Vec<(u64, ServerIx)>,
    boundary: Boundary,
    tie: Tie,
) -> Result<Ring<H>, Error> {
    let servers = buckets.servers();
    for (at, &(position, owner)) in points.iter().enumerate() {
        let Some(server) = servers.get(owner.index()) else {
            return Err(Error::new(Kind::Option {
                name: "point of server number",
                value: owner.get().to_string(),
                problem: "belongs to nobody: the fleet is shorter",
            }));
        };
        let refused = if at as u64 >= MAX_POINTS {
            Kind::TooManyPoints { points: points.len() as u128, limit: MAX_POINTS }
        } else if server.is_draining() {
            Kind::Option {
                name: "point at",
                value: position.to_string(),
                problem: "is of a draining server, which owns nothing",
            }
        } else if hash.width() == Width::Bits32 && position > u64::from(u32::MAX) {
            Kind::Option {
                name: "point at",
                value: position.to_string(),
                problem: "is outside the 32 bits of the key hash",
            }
        } else {
            continue;
        };
        return Err(Error::new(refused).of_server(server.name().as_str()));
    }
    if points.is_empty() {
        return Err(Error::new(Kind::Option {
            name: "number of points",
            value: "0".to_string(),
            problem: "is too small: a ring needs at least one",
        }));
    }
    if tie == Tie::Last {
        points.reverse();
    }
    Ok(assemble(hash, buckets.shared(), Some(tie), &points, boundary))
}

/// Of points at one position the first in `points` wins. `tie` is the rule of a recipe whose servers
/// are a list; points of a set have settled it.
fn assemble<H: KeyHash>(
    hash: H,
    servers: Arc<[Server]>,
    tie: Option<Tie>,
    points: &[(u64, ServerIx)],
    boundary: Boundary,
) -> Ring<H> {
    let alone = matches!(tie, Some(Tie::OnlyFirst | Tie::OnlyUnspecified));
    let (circle, collisions) = Circle::new(hash.width(), boundary, alone, points, servers.len());
    let mut point_counts = alloc::vec![0_u32; servers.len()];
    for at in 0..circle.len() {
        point_counts[circle.points().owner(at).index()] += 1;
    }
    let inner = Inner {
        key_hash: hash.name(),
        key_bits: hash.bits(),
        last: circle.last_of_bits(hash.bits()),
        placed: point_counts.iter().filter(|&&count| count > 0).count(),
        collisions,
        servers,
        listed: tie.is_some(),
        ties_are_unspecified: matches!(tie, Some(Tie::Unspecified | Tie::OnlyUnspecified)),
        point_counts,
        circle,
    };
    Ring { hash, inner: Arc::new(inner) }
}
