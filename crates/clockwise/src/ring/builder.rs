//! How rings come to be: the native recipe with its labels, and points from elsewhere.

use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::circle::Circle;
use super::{Boundary, Collision, Inner, MAX_POINTS, POINTS_PER_WEIGHT, Ring, Tie};
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

    /// What stands before and after the name where the number is decimal; none of a native label.
    fn texts(&self) -> Option<(&str, &str)> {
        match self {
            Label::Native => None,
            Label::Joined(text) => Some(("", text)),
            Label::Between(before, behind) => Some((before, behind)),
        }
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

/// How a ring placed its points: with the same hash, the same recipe gives a server the same points.
pub(super) struct Recipe {
    points_per_weight: u32,
    texts: Option<(String, String)>,
}

/// Settings of a ring that places its own points; made by [`Ring::builder`].
#[derive(Clone, Debug)]
pub struct RingBuilder<'a, H> {
    hash: H,
    pub(super) points_per_weight: u32,
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
        let total = self.total(members)?;
        let points = self.place(members.active(), total);
        // Members stand in order of their names and equal positions keep their order: the smaller
        // name wins a tie.
        let circle =
            Circle::new(self.hash.width(), Boundary::AtOrAfter, false, &points, members.servers().len());
        Ok(self.finish(members, circle))
    }

    /// How many points there will be.
    pub(super) fn total(&self, members: &Members) -> Result<usize, Error> {
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
        Ok(total as usize)
    }

    /// The points of these servers, `total` of them.
    pub(super) fn place<'s>(
        &self,
        servers: impl Iterator<Item = (ServerIx, &'s Server)>,
        total: usize,
    ) -> Vec<(u64, ServerIx)> {
        // Lookups cut a hash of 32 bits to 32, so a hash that gives more than it said has to be cut
        // here too: points beyond would stand out of order.
        let greatest = match self.hash.width() {
            Width::Bits32 => u64::from(u32::MAX),
            Width::Bits64 => u64::MAX,
        };
        let mut points = Vec::with_capacity(total);
        let mut label = Vec::new();
        for (ix, server) in servers {
            let stem = self.label.stem(server, &mut label);
            // At most MAX_POINTS: the product fits.
            let numbers = 0..server.effective_weight() * self.points_per_weight;
            if self.label.texts().is_none() {
                // A number of four bytes takes the place of the one before.
                self.label.number(0, &mut label);
                points.extend(numbers.map(|i| {
                    if let Some(number) = label.last_chunk_mut() {
                        *number = i.to_le_bytes();
                    }
                    (self.hash.hash(&label) & greatest, ix)
                }));
                continue;
            }
            points.extend(numbers.map(|i| {
                label.truncate(stem);
                self.label.number(i, &mut label);
                (self.hash.hash(&label) & greatest, ix)
            }));
        }
        points
    }

    pub(super) fn recipe(&self) -> Recipe {
        let texts = self.label.texts().map(|(before, behind)| (before.to_string(), behind.to_string()));
        Recipe { points_per_weight: self.points_per_weight, texts }
    }

    /// Whether a ring gave its servers the points that this would give them.
    pub(super) fn made(&self, ring: &Ring<H>) -> bool {
        let is_ours = |recipe: &Recipe| {
            let texts = recipe.texts.as_ref().map(|(before, behind)| (before.as_str(), behind.as_str()));
            recipe.points_per_weight == self.points_per_weight && texts == self.label.texts()
        };
        ring.inner.recipe.as_ref().is_some_and(is_ours)
            && ring.width() == self.hash.width()
            && ring.inner.key_hash == self.hash.name()
    }

    /// The ring of a circle that this placed.
    pub(super) fn finish(self, members: &Members, circle: (Circle, Vec<Collision>)) -> Ring<H> {
        // Of a set of members no point is dropped.
        let points = |server: &Server| server.effective_weight() * self.points_per_weight;
        let counts = members.servers().iter().map(points).collect();
        let recipe = Some(self.recipe());
        ring(self.hash, members.shared(), None, recipe, circle, counts)
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
    // Of points at one position the first wins.
    let alone = matches!(tie, Tie::OnlyFirst | Tie::OnlyUnspecified);
    let circle = Circle::new(hash.width(), boundary, alone, &points, servers.len());
    let mut counts = alloc::vec![0_u32; servers.len()];
    for at in 0..circle.0.len() {
        counts[circle.0.points().owner(at).index()] += 1;
    }
    Ok(ring(hash, buckets.shared(), Some(tie), None, circle, counts))
}

/// `tie` is the rule of a recipe whose servers are a list; points of a set have settled it.
fn ring<H: KeyHash>(
    hash: H,
    servers: Arc<[Server]>,
    tie: Option<Tie>,
    recipe: Option<Recipe>,
    (circle, collisions): (Circle, Vec<Collision>),
    point_counts: Vec<u32>,
) -> Ring<H> {
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
        recipe,
        circle,
    };
    Ring { hash, inner: Arc::new(inner) }
}
