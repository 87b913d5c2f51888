//! What a server weighs: a positive whole number, whatever it is read from.

use alloc::string::ToString;
use core::fmt;
use core::num::NonZeroU32;
use core::str::FromStr;

use crate::error::{Error, Kind};

/// A server's share relative to the others': a positive whole number, the same in every language.
///
/// Zero is not a weight: a server that is listed and owns nothing is
/// [draining](crate::Server::draining). Fractions are refused rather than rounded.
///
/// ```
/// # use clockwise::Weight;
/// assert_eq!("3".parse::<Weight>()?.get(), 3);
/// for wrong in ["0", "-1", "0.5", "NaN", "inf", "1e400", "", "0x10", "4294967296"] {
///     assert!(wrong.parse::<Weight>().unwrap_err().is_weight());
/// }
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Weight(NonZeroU32);

impl Weight {
    /// The weight of a server that was given none.
    pub const ONE: Weight = Weight(NonZeroU32::MIN);

    /// The largest weight, 2³² − 1. Schemes that spend points or slots on weight bound the total
    /// far lower, and say so.
    pub const MAX: Weight = Weight(NonZeroU32::MAX);

    /// The number.
    pub const fn get(self) -> u32 {
        self.0.get()
    }

    fn refuse(value: impl ToString, problem: &'static str) -> Error {
        Error::new(Kind::Weight { value: value.to_string(), problem })
    }
}

const NOT_POSITIVE: &str =
    "is not positive: a weight is a whole number from 1; a server that should own nothing is draining";
const NOT_WHOLE: &str =
    "is not a whole number: weights are integers from 1 to 4294967295, so scale all of them up";
const TOO_LARGE: &str = "is too large: weights end at 4294967295";

impl Default for Weight {
    fn default() -> Weight {
        Weight::ONE
    }
}

impl fmt::Display for Weight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl From<NonZeroU32> for Weight {
    fn from(value: NonZeroU32) -> Weight {
        Weight(value)
    }
}

macro_rules! weight_from_integer {
    ($($integer:ty),*) => {$(
        impl TryFrom<$integer> for Weight {
            type Error = Error;
            fn try_from(value: $integer) -> Result<Weight, Error> {
                if value <= 0 {
                    return Err(Weight::refuse(value, NOT_POSITIVE));
                }
                let narrow = u32::try_from(value).ok().and_then(NonZeroU32::new);
                narrow.map(Weight).ok_or_else(|| Weight::refuse(value, TOO_LARGE))
            }
        }
    )*};
}
#[allow(clippy::absurd_extreme_comparisons, unused_comparisons)]
mod weight_from_integer {
    use super::*;
    weight_from_integer!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize);
}

impl TryFrom<f64> for Weight {
    type Error = Error;
    fn try_from(value: f64) -> Result<Weight, Error> {
        if value.is_nan() || value.is_infinite() {
            return Err(Weight::refuse(value, NOT_WHOLE));
        }
        if value <= 0.0 {
            return Err(Weight::refuse(value, NOT_POSITIVE));
        }
        if value > f64::from(u32::MAX) {
            return Err(Weight::refuse(value, TOO_LARGE));
        }
        // In range, so the conversion cuts only the fraction; equality shows there was none.
        let whole = value as u32;
        match NonZeroU32::new(whole) {
            Some(whole) if f64::from(whole.get()).to_bits() == value.to_bits() => Ok(Weight(whole)),
            _ => Err(Weight::refuse(value, NOT_WHOLE)),
        }
    }
}

impl FromStr for Weight {
    type Err = Error;
    fn from_str(text: &str) -> Result<Weight, Error> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(Error::new(Kind::Weight { value: alloc::format!("{text:?}"), problem: NOT_WHOLE }));
        }
        if digits.len() < text.len() || digits.bytes().all(|b| b == b'0') {
            return Err(Weight::refuse(text, NOT_POSITIVE));
        }
        let value: Result<NonZeroU32, _> = digits.parse();
        value.map(Weight).map_err(|_| Weight::refuse(text, TOO_LARGE))
    }
}

impl TryFrom<&str> for Weight {
    type Error = Error;
    fn try_from(text: &str) -> Result<Weight, Error> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_of_every_width_are_weights_if_they_are_positive_and_fit() {
        assert_eq!(Weight::try_from(i8::MAX).map(Weight::get), Ok(127));
        assert_eq!(Weight::try_from(1_u128), Ok(Weight::ONE));
        assert_eq!(Weight::try_from(u64::from(u32::MAX)), Ok(Weight::MAX));
        for wrong in [Weight::try_from(0_u8), Weight::try_from(-1_isize), Weight::try_from(i128::MIN)] {
            assert!(wrong.unwrap_err().to_string().contains("is not positive"));
        }
        for wrong in [Weight::try_from(1_u64 << 32), Weight::try_from(u128::MAX)] {
            assert!(wrong.unwrap_err().to_string().contains("is too large"));
        }
    }

    #[test]
    fn floats_are_weights_if_they_are_whole() {
        assert_eq!(Weight::try_from(3.0), Weight::try_from(3_u8));
        assert_eq!(Weight::try_from(4_294_967_295.0), Ok(Weight::MAX));
        for (wrong, problem) in [
            (0.0, "is not positive"),
            (-0.0, "is not positive"),
            (-2.5, "is not positive"),
            (0.5, "is not a whole number"),
            (1.000_000_1, "is not a whole number"),
            (f64::NAN, "is not a whole number"),
            (f64::INFINITY, "is not a whole number"),
            (4_294_967_296.0, "is too large"),
        ] {
            let error = Weight::try_from(wrong).unwrap_err();
            assert!(error.is_weight() && error.to_string().contains(problem), "{error}");
        }
    }
}
