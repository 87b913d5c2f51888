//! Placement on texts that a reader can hash by hand: what the lab shows and lessons teach.
//!
//! | knob | value |
//! |---|---|
//! | key hash | any named one; `fmix32-fnv1a-32` unless said |
//! | point *i* of server A | the same hash of the text `node-A#i`, *i* in decimal from 0 |
//! | points of a server | weight × points per weight (1 unless said) |
//! | owner on the ring | the first point `>=` the key hash; after the last, the first |
//! | equal points | the bytewise smaller name |
//! | bounded loads | that ring and ε, 0.25 unless said |
//! | rendezvous score | the same hash of the text `KEY\|A`; of 64 bits the top 53 |
//! | rendezvous owner | the highest score; with unequal weights the lowest −ln(u) ⁄ w, u = (score + ½) ⁄ 2³² (2⁵³) |
//! | equal scores | the bytewise smaller name |
//!
//! With one point a server and a hash of 32 bits the whole ring fits a page, and any language checks
//! it in five lines. For work it is the wrong choice: one point a server splits keys badly, 32 bits
//! collide, and a text a server and key is slow. The schemes without texts of servers (hash mod N,
//! jump, slots) need no recipe here: take the native ones with this hash.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::named::Recipe;
use crate::bounded::Cap;
use crate::choice::choice;
use crate::error::Error;
use crate::hash::{KeyHash, NamedHash, Width, fmix32, fnv1a_32_from};
use crate::members::{Buckets, Members};
use crate::rendezvous::{Rendezvous, Score};
use crate::ring::{Geometry, Label, Ring};
use crate::server::{Server, ServerName};

choice! {
    /// Which scheme the texts are for.
    Algorithm, "algorithm" {
        #[default]
        Ring = "ring",
        Rendezvous = "rendezvous",
        Bounded = "bounded",
    }
}

/// Settings of the lab's placement.
///
/// ```
/// use clockwise::dialect::lab::Options;
/// use clockwise::{Buckets, Placement, Server};
///
/// let list = Buckets::new(["A", "B", "C", "D"].map(|name| Server::new(name).unwrap()))?;
/// let place = Options::default().build(&list)?;
/// assert_eq!(place.owner(b"user:1").name().as_str(), "B");
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// Which scheme.
    pub algorithm: Algorithm,
    /// The hash of all texts.
    pub hash: NamedHash,
    /// Points for each unit of weight; rendezvous has none.
    pub points_per_weight: u32,
    /// How far above its share a server may be filled, under bounded loads.
    pub epsilon: Cap,
}

impl Default for Options {
    /// The ring of the first page: one point a server.
    fn default() -> Options {
        Options {
            algorithm: Algorithm::Ring,
            hash: NamedHash::Fmix32Fnv1a32,
            points_per_weight: 1,
            epsilon: Cap::QUARTER,
        }
    }
}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("lab {} {}", self.algorithm, self.hash))
    }
}

impl Options {
    /// The text of a server's first point at a position, if it has one there.
    pub fn point_text_at(&self, server: &Server, position: u64) -> Option<String> {
        let count = server.effective_weight().saturating_mul(self.points_per_weight);
        let mut texts = (0..count).map(|i| point_text(server.name().as_str(), i));
        texts.find(|text| self.hash.hash(text.as_bytes()) == position)
    }

    /// The placement of a set of servers; their order is no matter.
    pub fn build(&self, list: &Buckets) -> Result<Placed, Error> {
        let members = Members::from(list);
        let ring = || {
            Ring::builder(self.hash).points_per_weight(self.points_per_weight).label(LABEL).build(&members)
        };
        Ok(match self.algorithm {
            Algorithm::Ring => Placed::Ring(ring()?),
            Algorithm::Bounded => Placed::Bounded(ring()?, self.epsilon),
            Algorithm::Rendezvous => {
                Placed::Rendezvous(Rendezvous::with_score(KeyBarName(self.hash), &members)?)
            }
        })
    }
}

/// How points are labelled: `node-A#0`.
const LABEL: Label<'_> = Label::Between("node-", "#");

/// The text that point `i` of a server is the hash of.
///
/// ```
/// assert_eq!(clockwise::dialect::lab::point_text("A", 0), "node-A#0");
/// ```
pub fn point_text(server: &str, i: u32) -> String {
    format!("node-{server}#{i}")
}

/// The text that the score of a server for a key is the hash of.
///
/// ```
/// assert_eq!(clockwise::dialect::lab::score_text("user:1", "A"), "user:1|A");
/// ```
pub fn score_text(key: &str, server: &str) -> String {
    format!("{key}|{server}")
}

/// What [`Options::build`] gives.
#[derive(Clone, Debug)]
pub enum Placed {
    /// Of [`Algorithm::Ring`].
    Ring(Ring<NamedHash>),
    /// Of [`Algorithm::Bounded`]: the base ring and the cap.
    Bounded(Ring<NamedHash>, Cap),
    /// Of [`Algorithm::Rendezvous`].
    Rendezvous(Rendezvous<KeyBarName>),
}

answers_as!(Placed, this => match this {
    Placed::Ring(ring) | Placed::Bounded(ring, _) => ring as &dyn crate::placement::Placement,
    Placed::Rendezvous(place) => place,
});

impl Recipe for Placed {
    fn geometry(&self) -> Option<Geometry> {
        match self {
            Placed::Ring(ring) | Placed::Bounded(ring, _) => Some(ring.geometry()),
            Placed::Rendezvous(_) => None,
        }
    }

    fn key_hash(&self) -> Option<&dyn KeyHash> {
        match self {
            Placed::Ring(ring) | Placed::Bounded(ring, _) => Some(ring.hash()),
            Placed::Rendezvous(_) => None,
        }
    }

    fn cap(&self) -> Option<Cap> {
        match self {
            Placed::Bounded(_, cap) => Some(*cap),
            Placed::Ring(_) | Placed::Rendezvous(_) => None,
        }
    }
}

/// The score of a text `KEY|NAME`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeyBarName(NamedHash);

/// A key made ready for [`KeyBarName`].
#[derive(Clone, Copy, Debug)]
pub enum Begun<'k> {
    /// The state of FNV-1a-32 after `KEY|`.
    State(u32),
    /// The key, where the hash takes its text in one piece.
    Text(&'k [u8]),
}

/// Texts up to this many bytes are put together without allocating.
const SHORT: usize = 256;

impl Score for KeyBarName {
    type Key<'k> = Begun<'k>;
    type Server = Vec<u8>;
    const BITS: u32 = 53;

    fn key<'k>(&self, key: &'k [u8]) -> Begun<'k> {
        match self.0 {
            NamedHash::Fmix32Fnv1a32 => Begun::State(fnv1a_32_from(Some(fnv1a_32_from(None, key)), b"|")),
            _ => Begun::Text(key),
        }
    }

    /// What follows the key.
    fn server(&self, name: &ServerName) -> Vec<u8> {
        format!("|{name}").into_bytes()
    }

    fn score(&self, key: &Begun<'_>, server: &Vec<u8>) -> u64 {
        let hash = match key {
            Begun::State(state) => fmix32(fnv1a_32_from(Some(*state), &server[1..])).into(),
            Begun::Text(key) => {
                let length = key.len() + server.len();
                let mut short = [0; SHORT];
                if let Some(text) = short.get_mut(..length) {
                    let (first, last) = text.split_at_mut(key.len());
                    first.copy_from_slice(key);
                    last.copy_from_slice(server);
                    self.0.hash(text)
                } else {
                    self.0.hash(&[key, server.as_slice()].concat())
                }
            }
        };
        match self.0.width() {
            // (score + ½) ⁄ 2³² in 53 bits, as far as binary64 can tell.
            Width::Bits32 => hash << 21 | 1 << 20,
            Width::Bits64 => hash >> 11,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::Fmix32Fnv1a32;
    use crate::placement::Placement;
    use crate::testing::{list, user_keys};

    fn built(options: Options, fleet: &[(&str, u32)]) -> Placed {
        options.build(&list(fleet)).unwrap()
    }

    /// The definition: the smallest point `>=` the hash, of all points.
    #[test]
    fn the_ring_owner_is_the_first_labelled_point_at_or_after_the_key() {
        for hash in NamedHash::ALL {
            let options = Options { hash: *hash, points_per_weight: 3, ..Options::default() };
            let place = built(options, &[("B", 1), ("A", 2), ("C", 1)]);
            let mut points: Vec<(u64, &str)> = Vec::new();
            for (name, count) in [("A", 6), ("B", 3), ("C", 3)] {
                points.extend((0..count).map(|i| (hash.hash(format!("node-{name}#{i}").as_bytes()), name)));
            }
            points.sort_unstable();
            for key in user_keys(300) {
                let at = hash.hash(key.as_bytes());
                let owner = points.iter().find(|(point, _)| *point >= at).unwrap_or(&points[0]).1;
                assert_eq!(place.owner(key.as_bytes()).name().as_str(), owner, "{hash}: {key}");
            }
            let elsewhere = (0..).find(|at| points.iter().all(|(position, _)| position != at)).unwrap();
            for (position, name) in points {
                let server = place.servers().iter().find(|server| server.name().as_str() == name).unwrap();
                let text = options.point_text_at(server, position).unwrap();
                assert_eq!((hash.hash(text.as_bytes()), &text[..6]), (position, &*format!("node-{name}")));
                assert_eq!(options.point_text_at(server, elsewhere), None);
            }
        }
        assert_eq!(point_text("D", 199), "node-D#199");
    }

    #[test]
    fn the_rendezvous_owner_has_the_highest_hash_of_key_bar_name() {
        let long = "k".repeat(SHORT);
        for hash in NamedHash::ALL {
            let options = Options { algorithm: Algorithm::Rendezvous, hash: *hash, ..Options::default() };
            let place = built(options, &[("A", 1), ("B", 1), ("C", 1)]);
            for key in user_keys(300).into_iter().chain([long.clone(), String::new()]) {
                let mut scored = ["A", "B", "C"].map(|name| {
                    assert_eq!(score_text(&key, name), format!("{key}|{name}"));
                    let score = hash.hash(format!("{key}|{name}").as_bytes());
                    let score = if hash.width() == Width::Bits32 { score } else { score >> 11 };
                    (core::cmp::Reverse(score), name)
                });
                scored.sort_unstable();
                let order = place.ranked().unwrap().preference(key.as_bytes(), 3);
                let order: Vec<&str> =
                    order.iter().map(|ix| place.servers()[ix.index()].name().as_str()).collect();
                assert_eq!(order, scored.map(|(_, name)| name), "{hash}: {key}");
            }
        }
    }

    #[test]
    fn weights_follow_the_logarithmic_method() {
        let fleet = [("A", 1), ("B", 3)];
        let place = built(Options { algorithm: Algorithm::Rendezvous, ..Options::default() }, &fleet);
        for key in user_keys(2_000) {
            let value = |name: &str, weight: f64| {
                let score = Fmix32Fnv1a32.hash(format!("{key}|{name}").as_bytes());
                -((score as f64 + 0.5) / 4_294_967_296.0).ln() / weight
            };
            let owner = if value("A", 1.0) < value("B", 3.0) { "A" } else { "B" };
            assert_eq!(place.owner(key.as_bytes()).name().as_str(), owner, "{key}");
        }
    }

    #[test]
    fn bounded_loads_stand_on_the_same_ring() {
        let fleet = [("A", 1), ("B", 1)];
        let bounded = built(Options { algorithm: Algorithm::Bounded, ..Options::default() }, &fleet);
        let ring = built(Options::default(), &fleet);
        assert_eq!((Recipe::cap(&bounded), Recipe::cap(&ring)), (Some(Cap::QUARTER), None));
        for key in user_keys(100) {
            assert_eq!(bounded.owner(key.as_bytes()), ring.owner(key.as_bytes()));
        }
    }
}
