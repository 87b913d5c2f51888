//! Apache Traffic Server: parents of `parent.config` with `round_robin=consistent_hash`.
//!
//! | parameter | |
//! |---|---|
//! | key hash | SipHash-2-4 under the zero key |
//! | what of the URL is hashed | `/` and the path, without `;` and what follows; with `qstring=consider` also `?` and the query |
//! | owner | first point `>=` the hash, wrapping |
//! | points of a parent | 1,024 × weight in IEEE single, rounded to the nearest |
//! | position of point *j* | SipHash-2-4 of *j* in decimal, `-`, name |
//! | name | the host, without the port; or the text behind `&` in the list of parents |
//! | width | 64 bits |
//! | equal points | the parent listed first; the other has none there |
//! | a dead parent | the next point of another parent answers (from the source only) |
//!
//! Two parents of one host share every point, whatever their ports, and the second gets nothing
//! ([`Ring::pointless`]). Weights may be fractions: [`Weight`].
//!
//! Checked against Traffic Server 9.2.9 (Debian's 9.2.5+ds-0+deb12u4), as a program.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::fmt::Write as _;

use super::fraction::fraction_weight;
use crate::choice::choice;
use crate::error::{Error, Kind};
use crate::hash::{KeyHash, SipHash24, Width};
use crate::members::Buckets;
use crate::placement::ServerIx;
use crate::ring::{Boundary, MAX_POINTS, Ring, Tie};
use crate::server::{Server, ServerName};

choice! {
    /// Whether the query of a URL counts.
    Qstring, "qstring" {
        /// : it does.
        #[default]
        Consider = "consider",
        /// : it does not.
        Ignore = "ignore",
    }
}

fraction_weight! {
    /// A parent's weight: a positive number, fractions included.
    ///
    /// ```
    /// # use clockwise::dialect::trafficserver::Weight;
    /// assert_eq!("2.25".parse::<Weight>()?.points(), 2304);
    /// assert_eq!("0.001".parse::<Weight>()?.points(), 1);
    /// assert_eq!("0.0001".parse::<Weight>()?.points(), 0);
    /// assert!("-1".parse::<Weight>().unwrap_err().is_weight());
    /// # Ok::<(), clockwise::Error>(())
    /// ```
    f32, "is not a positive number",
    |value| Some(value as f32).filter(|single| *single > 0.0 && single.is_finite())
}

impl Weight {
    /// How many points it comes to.
    pub fn points(self) -> u64 {
        // The product is single; halves are added in double, which holds the sum exactly. Cutting a
        // positive number is its floor.
        (f64::from(1024.0 * self.0) + 0.5) as u64
    }
}

/// The hash of a URL's path and query.
///
/// A key is what follows the host: `/a/b;c?d`, with or without its first `/`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct UrlHash {
    qstring: Qstring,
}

impl KeyHash for UrlHash {
    fn width(&self) -> Width {
        Width::Bits64
    }
    fn hash(&self, bytes: &[u8]) -> u64 {
        let (path, query) = match bytes.iter().position(|&byte| byte == b'?') {
            Some(at) => (&bytes[..at], Some(&bytes[at..])),
            None => (bytes, None),
        };
        let path = path.strip_prefix(b"/").unwrap_or(path);
        let path = path.split(|&byte| byte == b';').next().unwrap_or_default();
        let query = query.filter(|_| self.qstring == Qstring::Consider);
        SipHash24::default().hash_parts([b"/", path].into_iter().chain(query))
    }
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed(match self.qstring {
            Qstring::Consider => "siphash-2-4 of path and query",
            Qstring::Ignore => "siphash-2-4 of path",
        })
    }
}

/// A line of `parent.config`, as far as it places keys.
///
/// ```
/// use clockwise::dialect::trafficserver::Options;
/// use clockwise::{Buckets, Server};
///
/// let list = Buckets::new([
///     Server::new("p1.example.com:8080")?,
///     Server::new("p2.example.com:8080")?.with_weight(2)?,
/// ])?;
/// let ring = Options::default().build(&list)?;
/// assert_eq!(ring.point_counts(), [1024, 2048]);
/// assert_eq!(ring.owner("/a/b.png;v=1"), ring.owner("/a/b.png;v=2"));
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// `qstring`.
    pub qstring: Qstring,
    /// Weights of parents (`|2.5` in the list), in place of the whole numbers that servers have.
    pub weights: BTreeMap<ServerName, Weight>,
    /// Names to hash in place of the host (`&rack-1` in the list).
    pub hash_strings: BTreeMap<ServerName, String>,
}

impl Options {
    /// The ring of the parents in the order of the list; draining ones are left out.
    ///
    /// Refuses more than [`MAX_POINTS`] points, and a list where no weight comes to a point.
    pub fn build(&self, list: &Buckets) -> Result<Ring<UrlHash>, Error> {
        let count = |server: &Server| match self.weights.get(server.name()) {
            Some(weight) => weight.points(),
            None => Weight(server.weight().get() as f32).points(),
        };
        let mut total: u64 = 0;
        for (_, server) in list.active() {
            total = total.saturating_add(count(server));
            if total > MAX_POINTS {
                let kind = Kind::TooManyPoints { points: total.into(), limit: MAX_POINTS };
                return Err(Error::new(kind).of_server(server.name().as_str()));
            }
        }
        let mut points: Vec<(u64, ServerIx)> = Vec::with_capacity(total as usize);
        let mut label = String::new();
        for (ix, server) in list.active() {
            let given = self.hash_strings.get(server.name()).map(String::as_str);
            let name = given.unwrap_or_else(|| server.address().host());
            for j in 0..count(server) {
                label.clear();
                // Writing to a string cannot fail.
                let _ = write!(label, "{j}-{name}");
                points.push((SipHash24::default().hash(label.as_bytes()), ix));
            }
        }
        let hash = UrlHash { qstring: self.qstring };
        // Points come in order of the parents, so the first of equal ones is the first parent's.
        Ring::from_points(hash, list, points, Boundary::AtOrAfter, Tie::OnlyFirst)
    }
}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad("trafficserver")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::list;

    #[test]
    fn points_are_rounded_to_the_nearest_and_weights_must_be_positive() {
        for (weight, points) in [
            ("1", 1024),
            ("0.5", 512),
            ("1.3", 1331),
            ("0.0004882812", 0),
            ("0.00048828125", 1),
            ("8193.0005", 8_389_633),
        ] {
            assert_eq!(weight.parse::<Weight>().unwrap().points(), points, "{weight}");
        }
        for wrong in ["0", "-0.5", "NaN", "inf", "1e39", "", "x", "1e-60"] {
            assert!(wrong.parse::<Weight>().unwrap_err().is_weight(), "{wrong}");
        }
    }

    #[test]
    fn of_a_url_path_and_query_are_hashed() {
        let (consider, ignore) =
            (UrlHash { qstring: Qstring::Consider }, UrlHash { qstring: Qstring::Ignore });
        let plain = |text: &str| SipHash24::default().hash(text.as_bytes());
        for (key, with, without) in [
            ("a/b", "/a/b", "/a/b"),
            ("/a/b?c;d", "/a/b?c;d", "/a/b"),
            ("/a;p?q", "/a?q", "/a"),
            ("", "/", "/"),
            ("?", "/?", "/"),
        ] {
            assert_eq!(consider.hash(key.as_bytes()), plain(with), "{key}");
            assert_eq!(ignore.hash(key.as_bytes()), plain(without), "{key}");
        }
    }

    #[test]
    fn of_two_parents_of_one_host_the_second_gets_nothing() {
        let ring = Options::default().build(&list(&[("p1:80", 1), ("p1:81", 2), ("p2:80", 1)])).unwrap();
        // The first 1,024 of the second's points are the first's.
        assert_eq!(ring.point_counts(), [1024, 1024, 1024]);
        let ring = Options::default().build(&list(&[("p1:80", 1), ("p1:81", 1), ("p2:80", 1)])).unwrap();
        assert_eq!(ring.point_counts(), [1024, 0, 1024]);
        assert_eq!(
            ring.pointless().map(Server::name).collect::<Vec<_>>(),
            ["p1:81"].map(|n| ServerName::new(n).unwrap()).iter().collect::<Vec<_>>()
        );
        assert!(crate::Placement::depends_on_order(&ring));
    }

    #[test]
    fn weights_that_are_written_down_go_before_those_of_servers() {
        let weights = [("a", "0.25"), ("b", "1e9")]
            .map(|(name, weight)| (ServerName::new(name).unwrap(), weight.parse().unwrap()));
        let mut options = Options { weights: weights[..1].iter().cloned().collect(), ..Options::default() };
        let fleet = list(&[("a", 9), ("b", 1)]);
        assert_eq!(options.build(&fleet).unwrap().point_counts(), [256, 1024]);
        options.weights = weights.into();
        let error = options.build(&fleet).unwrap_err();
        assert!(error.is_too_large());
        assert_eq!(error.server(), Some("b"));
    }
}
