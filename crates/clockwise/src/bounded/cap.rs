//! How far above its share a server's load may stand: an exact ratio, never a float.
//!
//! With ε over the mean and a total load of t, a server of weight w out of W may hold at most
//! ⌈(1 + ε) · t · w ÷ W⌉. Ceilings forgive no rounding: ⌈1.1 · 10⌉ is 11, and computed in binary
//! floating point it comes out 12.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::fmt;
use core::num::NonZeroU32;
use core::str::FromStr;

use crate::error::{Error, Kind};
use crate::placement::{Ranked, listed};

/// The ε of bounded loads: by how much of its share a server's load may exceed it.
///
/// 0 holds all servers perfectly even. From 2³² on there is no cap at all. The default is a
/// quarter.
///
/// ```
/// # use clockwise::Cap;
/// assert_eq!(Cap::percent_over_mean(25)?, "0.25".parse()?);
/// assert_eq!(Cap::ratio(1, 4)?, Cap::QUARTER);
/// // 100 requests over four equal servers: 25 each, and a quarter more.
/// assert_eq!(Cap::percent_over_mean(25)?.limit(100, 1, 4), 32);
/// for wrong in ["-0.1", "NaN", "inf", "", ".", "1e3", "1/4"] {
///     assert!(wrong.parse::<Cap>().unwrap_err().is_parameter());
/// }
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cap(Option<Epsilon>);

impl Default for Cap {
    fn default() -> Cap {
        Cap::QUARTER
    }
}

/// A ratio in lowest terms.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Epsilon {
    part: u32,
    whole: NonZeroU32,
}

const NEGATIVE: &str = "is negative: a cap under the mean cannot hold all keys";
const TOO_FINE: &str =
    "is too fine to hold exactly: in lowest terms, both numbers of the ratio end at 4294967295";
const NOT_DECIMAL: &str = "is not a decimal number such as 0.25, a quarter over the mean";

impl Cap {
    /// No cap: each key stays with its owner, and loads are only counted.
    pub const NONE: Cap = Cap(None);

    /// ε = 1/4, the native setting: a quarter above the share.
    pub const QUARTER: Cap = Cap(Some(Epsilon { part: 1, whole: NonZeroU32::MIN.saturating_add(3) }));

    /// ε = `percent` ÷ 100. Refuses a negative one.
    pub fn percent_over_mean(percent: i64) -> Result<Cap, Error> {
        match u64::try_from(percent) {
            Ok(percent) => Cap::ratio(percent, 100),
            Err(_) => Err(refuse(&format!("{percent}%"), NEGATIVE)),
        }
    }

    /// ε = `part` ÷ `whole`. Refuses a `whole` of 0, and a ratio whose numbers in lowest terms
    /// pass 2³² − 1.
    pub fn ratio(part: u64, whole: u64) -> Result<Cap, Error> {
        let value = || format!("{part}/{whole}");
        if whole == 0 {
            return Err(refuse(&value(), "divides by zero"));
        }
        if u128::from(part) >= u128::from(whole) << 32 {
            return Ok(Cap::NONE);
        }
        // A divisor of both, so that it fits as they do.
        let common = gcd(part.into(), whole.into()) as u64;
        let narrow = u32::try_from(part / common).ok().zip(u32::try_from(whole / common).ok());
        match narrow.and_then(|(part, whole)| Some(Epsilon { part, whole: NonZeroU32::new(whole)? })) {
            Some(epsilon) => Ok(Cap(Some(epsilon))),
            None => Err(refuse(&value(), TOO_FINE)),
        }
    }

    /// ε as a ratio in lowest terms, part and whole; nothing where there is no cap.
    pub fn parts(self) -> Option<(u32, u32)> {
        self.0.map(|epsilon| (epsilon.part, epsilon.whole.get()))
    }

    /// The most that a server of `weight` out of `total_weight` may hold when all servers together
    /// hold `total`: ⌈(1 + ε) · total · weight ÷ total_weight⌉, so at least 1 as soon as there is
    /// load and the server has a weight.
    pub fn limit(self, total: u64, weight: u32, total_weight: u64) -> u64 {
        Room::new(self, weight, total_weight).limit(total)
    }
}

fn refuse(value: &str, problem: &'static str) -> Error {
    Error::new(Kind::Cap { value: value.to_string(), problem })
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl FromStr for Cap {
    type Err = Error;

    /// ε in decimal digits, `0.25` for a quarter over the mean. What a float prints as is exact
    /// decimal text, so `format!("{x}")` of one that is not negative, infinite or NaN is taken too
    /// if it has no more than nine decimals.
    fn from_str(text: &str) -> Result<Cap, Error> {
        let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
        let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
        if whole.starts_with('-') && digits(&whole[1..]) && digits(decimals) && text.len() > 1 {
            return Err(refuse(text, NEGATIVE));
        }
        if !digits(whole) || !digits(decimals) || whole.is_empty() || text.ends_with('.') {
            return Err(refuse(&format!("{text:?}"), NOT_DECIMAL));
        }
        let (whole, decimals) = (whole.trim_start_matches('0'), decimals.trim_end_matches('0'));
        if whole.len() > 10 {
            return Ok(Cap::NONE);
        }
        if decimals.len() > 9 {
            return Err(refuse(text, TOO_FINE));
        }
        // At most 10 digits and 9: below 2⁶⁴.
        let number = |digits: &str| digits.bytes().fold(0_u64, |sum, b| sum * 10 + u64::from(b - b'0'));
        let unit = 10_u64.pow(decimals.len() as u32);
        match Cap::ratio(number(whole).saturating_mul(unit).saturating_add(number(decimals)), unit) {
            Ok(cap) => Ok(cap),
            Err(_) => Err(refuse(text, TOO_FINE)),
        }
    }
}

impl fmt::Display for Cap {
    /// ε as a fraction in lowest terms: `1/4`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(Epsilon { part, whole }) if whole.get() == 1 => write!(f, "{part}"),
            Some(Epsilon { part, whole }) => write!(f, "{part}/{whole}"),
            None => f.write_str("none"),
        }
    }
}

impl fmt::Debug for Cap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cap({self})")
    }
}

/// One server's cap as a function of the total: ⌈total · per ÷ of⌉.
///
/// `per` ÷ `of` is weight · (part + whole) ÷ (total weight · whole), in lowest terms. A look at a server
/// costs two products and no division: a whole number is below a ceiling exactly if it is below what the
/// ceiling was taken of.
#[derive(Clone, Debug)]
pub(super) enum Room {
    /// As good as always: both numbers fit 64 bits, so that each product is one instruction.
    Narrow { per: u64, of: u64 },
    /// Whatever there may be, `per` and then `of`: at most 65 bits, and 96.
    Wide(Box<[u128; 2]>),
}

impl Room {
    /// A server that takes nothing.
    const SHUT: Room = Room::Narrow { per: 0, of: 1 };

    fn new(cap: Cap, weight: u32, total_weight: u64) -> Room {
        if weight == 0 || total_weight == 0 {
            return Room::SHUT;
        }
        let Some(Epsilon { part, whole }) = cap.0 else { return Room::Narrow { per: 1, of: 0 } };
        // Under 2³² · 2³³ and under 2⁶⁴ · 2³²: neither product overflows.
        let per = u128::from(weight) * (u128::from(part) + u128::from(whole.get()));
        let of = u128::from(total_weight) * u128::from(whole.get());
        let common = gcd(per, of);
        let (per, of) = (per / common, of / common);
        match (u64::try_from(per), u64::try_from(of)) {
            (Ok(per), Ok(of)) => Room::Narrow { per, of },
            _ => Room::Wide(Box::new([per, of])),
        }
    }

    /// The room of each server of a placement. Weight counts only where the placement reaches it:
    /// otherwise the caps of those that can be reached could sum to less than the total.
    pub(super) fn of_servers<P: Ranked + ?Sized>(placement: &P, cap: Cap) -> Vec<Room> {
        let servers = placement.servers();
        let listed = listed(placement);
        let total_weight = listed.iter().map(|ix| u64::from(servers[ix.index()].effective_weight())).sum();
        let mut rooms = alloc::vec![Room::SHUT; servers.len()];
        for ix in listed {
            rooms[ix.index()] = Room::new(cap, servers[ix.index()].effective_weight(), total_weight);
        }
        rooms
    }

    /// Whether a server that holds `load` may take one more, when all hold `total` with that one.
    #[inline]
    pub(super) fn takes(&self, load: u64, total: u64) -> bool {
        match *self {
            Room::Narrow { per, of } => {
                u128::from(load) * u128::from(of) < u128::from(total) * u128::from(per)
            }
            // A product past 2¹²⁸ on the left is past the right one too, which a total below 2⁶³
            // keeps under 2¹²⁸.
            Room::Wide(ref numbers) => {
                let [per, of] = **numbers;
                let load = u128::from(load).checked_mul(of);
                load.is_some_and(|load| load < u128::from(total).saturating_mul(per))
            }
        }
    }

    /// The cap itself.
    pub(super) fn limit(&self, total: u64) -> u64 {
        let [per, of] = match *self {
            Room::Narrow { per, of } => [per.into(), of.into()],
            Room::Wide(ref numbers) => **numbers,
        };
        if of == 0 {
            return u64::MAX;
        }
        let limit = u128::from(total).saturating_mul(per).div_ceil(of);
        u64::try_from(limit).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    #[test]
    fn ceilings_are_exact() {
        let tenth: Cap = "0.1".parse().unwrap();
        assert_eq!(tenth.limit(10, 1, 1), 11);
        assert_eq!(tenth.limit(2_000, 1, 200), 11);
        assert_eq!(tenth.limit(2_001, 1, 200), 12);
        assert_eq!(Cap::ratio(0, 7).unwrap().limit(100, 1, 3), 34);
        assert_eq!(Cap::ratio(1, 4).unwrap().limit(1_000, 2, 5), 500);
        assert_eq!(Cap::ratio(2, 8).unwrap().parts(), Some((1, 4)));
        assert_eq!(Cap::NONE.parts(), None);
    }

    #[test]
    fn a_server_takes_one_more_exactly_while_its_load_is_below_the_ceiling() {
        let mut numbers = Random(25);
        for _ in 0..20_000 {
            let cap = Cap::ratio(numbers.below(300), 1 + numbers.below(300)).unwrap();
            let total_weight = 1 + numbers.below(50);
            let room = Room::new(cap, (1 + numbers.below(total_weight)) as u32, total_weight);
            let total = numbers.below(1_000);
            let limit = room.limit(total);
            for load in limit.saturating_sub(2)..limit + 2 {
                assert_eq!(room.takes(load, total), load < limit, "{cap} {room:?} {total} {load}");
            }
        }
    }

    #[test]
    fn a_server_with_weight_may_hold_something_as_soon_as_there_is_load() {
        let even = Cap::percent_over_mean(0).unwrap();
        assert_eq!(even.limit(1, 1, u64::MAX), 1);
        assert_eq!(even.limit(0, 1, 1), 0);
        assert_eq!(even.limit(5, 0, 3), 0);
        assert_eq!(Cap::NONE.limit(5, 0, 3), 0);
        assert_eq!(even.limit(5, 3, 0), 0);
    }

    #[test]
    fn the_largest_numbers_do_not_overflow() {
        let total = u64::MAX / 2;
        let large = Cap::ratio(u64::from(u32::MAX), u64::from(u32::MAX) - 1).unwrap();
        let room = Room::new(large, u32::MAX, u64::from(u32::MAX));
        // 1 + ε = 2 + 1 ÷ (2³² − 2).
        let half = total / 2;
        assert_eq!(room.limit(half), 2 * half + half.div_ceil(u64::from(u32::MAX) - 1));
        assert!(room.limit(total) == u64::MAX && room.takes(total, total));
        let small = Room::new(Cap::ratio(0, 1).unwrap(), 1, u64::MAX);
        assert_eq!((small.limit(total), small.takes(0, total), small.takes(1, total)), (1, true, false));
    }

    #[test]
    fn from_two_to_the_32_on_there_is_no_cap() {
        let almost: Cap = "4294967295".parse().unwrap();
        assert_eq!(almost.limit(2, 1, 1 << 33), 1);
        assert_eq!("4294967296".parse(), Ok(Cap::NONE));
        assert_eq!(format!("{}", 1e308).parse(), Ok(Cap::NONE));
        assert_eq!(Cap::ratio(u64::MAX, 1), Ok(Cap::NONE));
        assert_eq!(Cap::percent_over_mean(i64::MAX), Ok(Cap::NONE));
        assert_eq!(Cap::NONE.limit(1, 1, 9), u64::MAX);
    }

    #[test]
    fn decimal_text_is_read_exactly() {
        for (text, part, whole) in [
            ("0", 0, 1),
            ("0.0", 0, 1),
            ("000", 0, 1),
            ("0.25", 1, 4),
            ("1.250", 5, 4),
            ("3", 3, 1),
            ("0.000000001", 1, 1_000_000_000),
            ("0.1000000000000", 1, 10),
        ] {
            assert_eq!(text.parse(), Cap::ratio(part, whole), "{text}");
        }
    }

    #[test]
    fn what_is_no_ratio_is_refused_with_its_value() {
        for text in
            ["", ".", "-", "0.", ".5", "+1", "1e3", "0x1", "1 ", "NaN", "inf", "-inf", "1.2.3", "0.2-"]
        {
            let error = text.parse::<Cap>().unwrap_err();
            assert!(error.is_parameter(), "{text}");
            assert!(format!("{error}").contains(&format!("{text:?} is not a decimal number")), "{error}");
        }
        for text in ["-0.1", "-1", "-.5"] {
            assert!(format!("{}", text.parse::<Cap>().unwrap_err()).contains("is negative"), "{text}");
        }
        assert!(Cap::percent_over_mean(-1).unwrap_err().is_parameter());
        assert!(Cap::ratio(1, 0).unwrap_err().is_parameter());
        for fine in ["0.0000000001", "4294967295.5"] {
            assert!(format!("{}", fine.parse::<Cap>().unwrap_err()).contains("too fine"), "{fine}");
        }
        assert!(Cap::ratio(1, u64::MAX).is_err());
    }
}
