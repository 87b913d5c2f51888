//! How even a ring can be, before a single key is looked up.
//!
//! n servers with v random points each cut the circle into nv arcs. Spacings of random points are
//! exponential variables divided by their sum (R. Pyke, Spacings, J. R. Statist. Soc. B 27, 1965), so
//! the v arcs of a server are a gamma variable of shape v divided by that same sum, and shares are
//! independent of the sum. Hence, exactly:
//!
//! ```text
//! expected largest share × n  = E[max of n Gamma(v)] ÷ v = (1/v) ∫ 1 − F(x)ⁿ dx
//! expected smallest share × n = E[min of n Gamma(v)] ÷ v = (1/v) ∫ (1 − F(x))ⁿ dx
//! ```
//!
//! with F the distribution function of Gamma(v), integrated from 0 to infinity. What is "busiest"
//! here is the largest *arc*. Keys add noise of their own: even a perfect hash that gives every server
//! the same share leaves one with more keys than the mean ([`key_floor`]), and a ring has both kinds of
//! noise at once ([`busiest_by_keys`]).
//!
//! All values are ratios to the mean: 1.10 is a server with 10% more than its share. All servers have
//! the same number of points; servers and points are 1 to [`LIMIT`].
//!
//! ```
//! use clockwise_study::theory;
//!
//! // 100 servers, 160 points each: the busiest carries 21% more than the mean, the idlest 19% less.
//! assert_eq!(format!("{:.3}", theory::expected_busiest(100, 160)?), "1.210");
//! assert_eq!(format!("{:.3}", theory::expected_idlest(100, 160)?), "0.813");
//! // To have it within 10%, exactly and by the rule of thumb:
//! assert_eq!(theory::points_needed(100, 0.10)?, 665);
//! assert_eq!(theory::points_by_rule(100, 0.10)?, 921);
//! # Ok::<(), theory::OutOfRange>(())
//! ```

mod quadrature;
mod special;

use std::fmt;

use quadrature::integrate;

use crate::number::{counted, grouped};

/// The most servers, and the most points of one server, that are computed with.
pub const LIMIT: u64 = 1_000_000;

/// The most keys a server that are computed with.
pub const MOST_KEYS_PER_SERVER: f64 = 1e9;

/// Absolute error allowed in a ratio to the mean.
const TOLERANCE: f64 = 1e-10;

/// A question that the theory does not answer.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum OutOfRange {
    /// No servers, or more than [`LIMIT`].
    Servers(u64),
    /// No points, or more than [`LIMIT`].
    Points(u64),
    /// An excess over the mean that is not a positive number.
    Excess(f64),
    /// A number of keys that is not positive, or more than [`MOST_KEYS_PER_SERVER`].
    KeysPerServer(f64),
    /// So small an excess needs more than [`LIMIT`] points a server.
    PointsNeeded {
        /// Servers asked about.
        servers: u64,
        /// The excess asked for.
        excess: f64,
    },
}

impl fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OutOfRange::Servers(value) => {
                write!(f, "{}: the theory covers 1 to {}", counted(*value, "server"), grouped(LIMIT))
            }
            OutOfRange::Points(value) => {
                write!(f, "{} a server: the theory covers 1 to {}", counted(*value, "point"), grouped(LIMIT))
            }
            OutOfRange::Excess(value) => {
                write!(f, "an excess of {value} over the mean: it must be a positive number, 0.1 for 10%")
            }
            OutOfRange::KeysPerServer(value) => {
                write!(
                    f,
                    "{value} keys a server: the theory covers more than 0 and up to {}",
                    grouped(MOST_KEYS_PER_SERVER as u64)
                )
            }
            OutOfRange::PointsNeeded { servers, excess } => write!(
                f,
                "{} within {}% of the mean need more than {} points each",
                counted(*servers, "server"),
                excess * 100.0,
                grouped(LIMIT)
            ),
        }
    }
}

impl std::error::Error for OutOfRange {}

/// The expected share of the busiest of `servers`, each with `points` random points, as a ratio to
/// the mean.
///
/// Computed to within 1e-9. One server is its own mean: 1.
pub fn expected_busiest(servers: u64, points: u64) -> Result<f64, OutOfRange> {
    let n = check_servers(servers)?;
    let v = check_points(points)?;
    // 1 − Fⁿ, from the upper tail, which carries the digits where it matters.
    Ok(mean_of(v, |x| largest_above(n, special::gamma_tails(points, x).1)))
}

/// The expected share of the least loaded of `servers`, each with `points` random points, as a ratio
/// to the mean.
///
/// Computed to within 1e-9. With one point it is 1 ÷ servers.
pub fn expected_idlest(servers: u64, points: u64) -> Result<f64, OutOfRange> {
    let n = check_servers(servers)?;
    let v = check_points(points)?;
    Ok(mean_of(v, |x| {
        let (below, above) = special::gamma_tails(points, x);
        let log = if below < 0.5 { (-below).ln_1p() } else { above.ln() };
        (n * log).exp()
    }))
}

/// The fewest points a server with which the busiest of `servers` is expected within `excess` of the
/// mean: `0.1` asks for at most 1.10.
pub fn points_needed(servers: u64, excess: f64) -> Result<u64, OutOfRange> {
    check_servers(servers)?;
    let excess = check_excess(excess)?;
    let enough = |points| Ok(expected_busiest(servers, points)? <= 1.0 + excess);
    // More points never make the expectation worse, so double, then halve the gap.
    let mut high = 1;
    while !enough(high)? {
        if high == LIMIT {
            return Err(OutOfRange::PointsNeeded { servers, excess });
        }
        high = (high * 2).min(LIMIT);
    }
    let mut low = high / 2;
    while high - low > 1 {
        let middle = u64::midpoint(low, high);
        if enough(middle)? {
            high = middle;
        } else {
            low = middle;
        }
    }
    Ok(high)
}

/// The rule of thumb 1 + √(2 ln n ÷ v) for [`expected_busiest`].
///
/// It takes the shares for normal variables and their maximum for its leading term. From 16 points
/// on it is within 9% of the exact value for 10 to 1,000 servers, and mostly above it.
pub fn busiest_by_rule(servers: u64, points: u64) -> Result<f64, OutOfRange> {
    Ok(1.0 + (2.0 * check_servers(servers)?.ln() / check_points(points)?).sqrt())
}

/// The rule of thumb 2 ln n ÷ ε² for [`points_needed`], to the nearest whole number and at least 1.
pub fn points_by_rule(servers: u64, excess: f64) -> Result<u64, OutOfRange> {
    let n = check_servers(servers)?;
    let excess = check_excess(excess)?;
    let points = (2.0 * n.ln() / (excess * excess)).round().max(1.0);
    if points > LIMIT as f64 {
        return Err(OutOfRange::PointsNeeded { servers, excess });
    }
    Ok(points as u64)
}

/// The floor that the randomness of keys sets: the expected keys of the busiest of `servers`, when
/// every server has exactly the same share, as a ratio to the mean of `keys_per_server`.
///
/// Counts are taken as independent Poisson variables, which differs from a fixed total of keys by
/// less than the error of one in the total. To within 1e-6.
pub fn key_floor(servers: u64, keys_per_server: f64) -> Result<f64, OutOfRange> {
    let n = check_servers(servers)?;
    let mean = check_keys(keys_per_server)?;
    Ok(largest_count(n, mean, mean.sqrt(), |k| special::poisson(k, mean)))
}

/// The expected keys of the busiest server of a ring, as a ratio to the mean of `keys_per_server`:
/// uneven arcs and the randomness of keys together.
///
/// A key count is Poisson with the server's arc as its mean, and the arc is a gamma variable: the
/// count is negative binomial (M. Greenwood, G. U. Yule, J. R. Statist. Soc. 83, 1920), and this is
/// the expected maximum of n such. As in [`key_floor`] the total is taken as free. To within 1e-6.
pub fn busiest_by_keys(servers: u64, points: u64, keys_per_server: f64) -> Result<f64, OutOfRange> {
    let n = check_servers(servers)?;
    let v = check_points(points)?;
    let mean = check_keys(keys_per_server)?;
    let deviation = (mean + mean * mean / v).sqrt();
    Ok(largest_count(n, mean, deviation, |k| special::mixed_poisson(k, v, mean)))
}

/// How many servers are expected to inherit arcs of one that leaves a ring of `servers`, each with `points`
/// random points. Of two servers the other inherits all; one server has no heir.
///
/// Seen from the (n − 1)v points of the others, the v points of the leaver fall into the gaps before them,
/// every way of sharing v points out among the gaps being as likely as any other. A server inherits unless its
/// own v gaps are empty:
///
/// ```text
/// (n − 1) (1 − C((n − 1)v − 1, v) ÷ C(nv − 1, v))
/// ```
///
/// It is a little less than what independent heirs would give, (n − 1)(1 − (1 − 1/(n − 1))^v).
pub fn expected_heirs(servers: u64, points: u64) -> Result<f64, OutOfRange> {
    let n = check_servers(servers)?;
    let v = check_points(points)?;
    let others = (n - 1.0) * v;
    // The ratio of the binomials, factor by factor.
    let empty: f64 = (0..points)
        .map(|i| {
            let i = i as f64;
            (-v / (others + v - 1.0 - i)).ln_1p()
        })
        .sum();
    Ok(if servers == 1 { 0.0 } else { -(n - 1.0) * empty.exp_m1() })
}

/// The chance that two of `servers` hold copies of some key in common, on a ring with `points` random
/// points a server and `replicas` copies of each key.
///
/// With three copies and a quorum of two it is the chance that losing any two servers takes some key's
/// quorum. Each point has replicas − 1 holders behind it and as many before it, which are taken as
/// balls thrown into the other servers: Joseph Lynch and Josh Snyder, "Cassandra Availability with
/// Virtual Nodes" (2018), section 4. Holders of one key are distinct, so that it is an approximation:
/// of one point a server and three copies, 4 ÷ (n − 1) exactly.
pub fn sharing_chance(servers: u64, points: u64, replicas: u64) -> Result<f64, OutOfRange> {
    let n = check_servers(servers)?;
    let v = check_points(points)?;
    if servers < 2 || replicas < 2 {
        return Ok(0.0);
    }
    Ok(1.0 - (1.0 - 1.0 / (n - 1.0)).powf(2.0 * v * (replicas - 1) as f64))
}

fn check_servers(servers: u64) -> Result<f64, OutOfRange> {
    if (1..=LIMIT).contains(&servers) { Ok(servers as f64) } else { Err(OutOfRange::Servers(servers)) }
}

fn check_points(points: u64) -> Result<f64, OutOfRange> {
    if (1..=LIMIT).contains(&points) { Ok(points as f64) } else { Err(OutOfRange::Points(points)) }
}

fn check_excess(excess: f64) -> Result<f64, OutOfRange> {
    if excess.is_finite() && excess > 0.0 { Ok(excess) } else { Err(OutOfRange::Excess(excess)) }
}

fn check_keys(keys: f64) -> Result<f64, OutOfRange> {
    if keys > 0.0 && keys <= MOST_KEYS_PER_SERVER { Ok(keys) } else { Err(OutOfRange::KeysPerServer(keys)) }
}

/// The chance that the largest of n is above, when each is with chance `above`.
fn largest_above(n: f64, above: f64) -> f64 {
    -(n * (-above).ln_1p()).exp_m1()
}

/// The mean, as a ratio to `scale`, of a positive variable that exceeds x with chance `exceeds(x)`:
/// the integral of that chance.
fn mean_of(scale: f64, exceeds: impl Fn(f64) -> f64) -> f64 {
    const NEVER: f64 = 1e-17;
    // `exceeds` falls from 1 to 0, in a step that is narrow when there are many points. Enclose the
    // step first; all before it counts in full.
    let (mut before, mut after) = (scale, scale);
    while exceeds(before) < 1.0 - f64::EPSILON {
        before /= 2.0;
    }
    while exceeds(after) > NEVER {
        after *= 2.0;
    }
    let mut inside = f64::midpoint(before, after);
    for _ in 0..12 {
        let value = exceeds(inside);
        if value >= 1.0 - f64::EPSILON {
            before = inside;
        } else if value <= NEVER {
            after = inside;
        } else {
            break;
        }
        inside = f64::midpoint(before, after);
    }
    let step = (after - before) / 8.0;
    let areas = (0..8_u32).map(|i| {
        let from = before + f64::from(i) * step;
        integrate(&exceeds, from, from + step, TOLERANCE / 8.0 * scale)
    });
    (before + areas.sum::<f64>()) / scale
}

/// The expected largest of n counts with the given mass, mean and deviation, as a ratio to the mean.
///
/// The sum of 1 − F(k)ⁿ over all k from 0, taken in blocks: of one count each when the deviation is
/// below 4,096, else so many that a block is a 2,048th of the deviation or less.
fn largest_count(n: f64, mean: f64, deviation: f64, mass: impl Fn(f64) -> f64) -> f64 {
    if n < 2.0 {
        return 1.0;
    }
    let block = (deviation / 2048.0).floor().max(1.0);
    let mut end = mean + 8.0 * deviation + 32.0;
    while mass(end) * (deviation + 1.0) * n > 1e-17 * mean.min(1.0) {
        end += 4.0 * deviation + 8.0;
    }
    let mut blocks = (end / block).ceil();
    // Downwards, so that the upper tail is a sum of its own terms, small ones first.
    let mut above = 0.0;
    let mut sum = 0.0;
    while blocks >= 1.0 {
        blocks -= 1.0;
        above += block * mass(blocks * block + (block - 1.0) / 2.0);
        if blocks >= 1.0 {
            let chance = largest_above(n, above.min(1.0));
            if chance >= 1.0 - f64::EPSILON {
                // So it is for all below.
                sum += blocks;
                break;
            }
            sum += chance;
        }
    }
    // A block stands for its counts by its last one; the trapezoid rule corrects that by half the
    // difference of the ends, which are 1 and 0.
    (sum * block + (block - 1.0) / 2.0) / mean
}

#[cfg(test)]
mod tests;
