//! Arithmetic of signed tokens on their circle of 2⁶⁴: how large an arc is, and points inside it.
//!
//! All of it as `Murmur3Partitioner` computes: sizes in binary64, points in whole numbers. Where an
//! arc is cut by a ratio, the ratio is the decimal number that Java prints for its double, which is
//! the shortest that reads back as it (for ratios from a tenth up; compared with JDK 17 on two
//! million of them).

use alloc::string::ToString;

/// The part of the circle from `start` (excluded) to `end` (included); all of it where they are one.
pub(super) fn size(start: i64, end: i64) -> f64 {
    /// Of one position, 2⁻⁶⁴.
    const SCALE: f64 = 1.0 / 18_446_744_073_709_551_616.0;
    let length = end.wrapping_sub(start) as f64;
    if length > 0.0 { length * SCALE } else { length * SCALE + 1.0 }
}

/// The token in the middle of an arc, towards its start.
pub(super) fn midpoint(start: i64, end: i64) -> i64 {
    let (start, end) = (i128::from(start), i128::from(end));
    if start < end {
        return ((start + end) >> 1) as i64;
    }
    // As if the circle had 2⁶⁴ − 1 positions.
    wrapped((MAX - MIN + start + end) >> 1)
}

/// The token at a ratio of an arc, cut towards 0. The ratio is from about a tenth to nine tenths, so
/// that it has few digits.
pub(super) fn split(start: i64, end: i64, ratio: f64) -> i64 {
    let (start, end) = (i128::from(start), i128::from(end));
    let length = if start < end { end - start } else { MAX - MIN + end - start };
    let (digits, whole) = decimal(ratio);
    // At most 2⁶⁴ times 10¹⁷, which is below 2¹²¹.
    wrapped((start * whole + length * digits) / whole)
}

const MIN: i128 = i64::MIN as i128;
const MAX: i128 = i64::MAX as i128;

/// Back from beyond the greatest token. The lowest counts as the same position.
fn wrapped(token: i128) -> i64 {
    (if token > MAX { MIN + (token - MAX) } else { token }) as i64
}

/// A ratio as a fraction of whole numbers: its decimal digits over a power of ten.
fn decimal(ratio: f64) -> (i128, i128) {
    let text = ratio.to_string();
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let digits = whole
        .bytes()
        .chain(fraction.bytes())
        .fold(0, |digits, byte| digits * 10 + i128::from(byte.wrapping_sub(b'0')));
    (digits, 10_i128.pow(fraction.len() as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::float_cmp, reason = "powers of two are exact")]
    fn an_arc_from_a_token_to_itself_is_the_whole_circle() {
        for token in [i64::MIN, -1, 0, 5, i64::MAX] {
            assert_eq!(size(token, token), 1.0);
            assert_eq!(size(token, token.wrapping_add(1 << 62)), 0.25);
            assert_eq!(size(token.wrapping_add(1 << 62), token), 0.75);
        }
    }

    #[test]
    fn a_midpoint_lies_inside_also_across_the_end() {
        assert_eq!(midpoint(0, 10), 5);
        assert_eq!(midpoint(-3, 0), -2);
        assert_eq!(midpoint(i64::MIN, i64::MAX), -1);
        // (2⁶⁴ − 1 + 10) ÷ 2 is 2⁶³ + 4, five beyond the greatest.
        assert_eq!(midpoint(10, 0), i64::MIN + 5);
        assert_eq!(midpoint(i64::MAX, i64::MIN), i64::MAX);
    }

    #[test]
    fn a_split_is_exact_in_decimal_and_cut_towards_zero() {
        assert_eq!(split(0, 100, 0.29), 29);
        assert_eq!(split(-100, 0, 0.995), 0);
        assert_eq!(split(0, 1_000_000_000_000_000_000, 0.1), 100_000_000_000_000_000);
        assert_eq!(split(i64::MIN, i64::MAX, 0.5), 0);
        assert_eq!(split(0, 0, 0.5), i64::MAX);
        assert_eq!(split(0, 0, 0.75), i64::MIN + (1 << 62));
    }

    #[test]
    fn ratios_are_their_shortest_decimals() {
        assert_eq!(decimal(0.1), (1, 10));
        assert_eq!(decimal(1.0 - 0.9), (9_999_999_999_999_998, 100_000_000_000_000_000));
        assert_eq!(decimal(0.552_786_404_500_042), (552_786_404_500_042, 1_000_000_000_000_000));
        assert_eq!(decimal(0.9), (9, 10));
    }
}
