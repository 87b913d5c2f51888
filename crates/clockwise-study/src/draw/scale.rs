//! Axes: what a value's place is, where the ticks go, and how a number is written.

use super::grouped;

/// How values are written: times `factor`, then `suffix`. A fraction in per cent is `(100, "%")`.
#[derive(Clone, Debug, PartialEq)]
pub struct Unit {
    /// What a value is multiplied by before it is shown.
    pub factor: f64,
    /// What stands behind the number, with its space if it has one.
    pub suffix: String,
}

impl Default for Unit {
    fn default() -> Unit {
        Unit { factor: 1.0, suffix: String::new() }
    }
}

impl Unit {
    /// Fractions, shown in per cent.
    pub fn percent() -> Unit {
        Unit { factor: 100.0, suffix: "%".to_owned() }
    }

    /// Ratios, shown with a ×.
    pub fn times() -> Unit {
        Unit { factor: 1.0, suffix: "×".to_owned() }
    }

    /// A value in four digits.
    pub fn text(&self, value: f64) -> String {
        format!("{}{}", short(value * self.factor), self.suffix)
    }

    /// A value and its standard error, with as many decimals as the error's first two digits have:
    /// `5.25 ± 0.27`. An error of 0 is not written.
    pub fn with_error(&self, value: f64, error: f64) -> String {
        let (value, error) = (value * self.factor, (error * self.factor).abs());
        if !error.is_finite() || error < f64::MIN_POSITIVE || error < value.abs() * 1e-6 {
            return format!("{}{}", short(value), self.suffix);
        }
        let decimals = (1 - digit(error)).clamp(0, 8) as usize;
        let (suffix, number) = (&self.suffix, decimal(value, decimals));
        format!("{number}{suffix} ± {}{suffix}", decimal(error, decimals))
    }
}

/// The place of a number's first digit: 0 for 1 to 9.99, −1 for 0.1 to 0.999.
fn digit(value: f64) -> i32 {
    value.abs().log10().floor() as i32
}

/// A number with this many decimals and a comma every three digits before them.
pub(super) fn decimal(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    let text = format!("{value:.decimals$}");
    let (sign, text) = match text.strip_prefix('-') {
        Some(rest) if rest.bytes().any(|byte| matches!(byte, b'1'..=b'9')) => ("−", rest),
        Some(rest) => ("", rest),
        None => ("", &text[..]),
    };
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let whole = whole.parse::<u64>().map_or_else(|_| whole.to_owned(), grouped);
    if part.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{part}") }
}

/// A number in at most four digits, without trailing zeros; whole ones in full.
pub(super) fn short(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    if value.abs() < 1e-12 {
        return "0".to_owned();
    }
    if value.abs() < 1e-4 {
        let power = digit(value);
        return format!("{}×10^{power}", short(value / 10_f64.powi(power))).replace("^-", "^−");
    }
    let decimals = (3 - digit(value)).clamp(0, 8) as usize;
    let text = decimal(value, decimals);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A stretch of values on a stretch of pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    log: bool,
    from: f64,
    to: f64,
}

impl Scale {
    /// A scale that holds all `values`, on the pixels `from` to `to`, with its ticks at round values,
    /// about one every `apart` pixels.
    ///
    /// A logarithmic scale needs positive values: with others it is linear. A linear scale ends at its
    /// outermost ticks.
    pub(super) fn over(
        values: impl Iterator<Item = f64>,
        log: bool,
        (from, to): (f64, f64),
        apart: f64,
    ) -> (Scale, Vec<f64>) {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|value| value.is_finite()) {
            low = low.min(value);
            high = high.max(value);
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        let log = log && low > 0.0;
        if high - low <= low.abs().max(high.abs()) * 1e-9 {
            // One value stands in the middle.
            let room = if low == 0.0 { 1.0 } else { low.abs() * 0.5 };
            (low, high) = (low - room, high + room);
        }
        let most = ((to - from).abs() / apart).floor().max(2.0);
        if log {
            let ticks = log_ticks(low, high, most);
            let room = (high / low).powf(0.02);
            let first = ticks.first().copied().unwrap_or(low).min(low / room);
            let last = ticks.last().copied().unwrap_or(high).max(high * room);
            let scale = Scale { low: first, high: last, log, from, to };
            (scale, ticks)
        } else {
            // A scale that begins near 0 begins at 0.
            if low > 0.0 && low < 0.4 * high {
                low = 0.0;
            }
            let step = round_step((high - low) / most);
            let (first, last) = ((low / step + 1e-9).floor(), (high / step - 1e-9).ceil());
            let ticks = (0..=((last - first) as u32)).map(|i| (first + f64::from(i)) * step).collect();
            (Scale { low: first * step, high: last * step, log, from, to }, ticks)
        }
    }

    /// The pixel of a value; values outside the scale lie at its nearer end.
    pub(super) fn at(&self, value: f64) -> f64 {
        let part = if self.log {
            if value > 0.0 { (value / self.low).ln() / (self.high / self.low).ln() } else { 0.0 }
        } else {
            (value - self.low) / (self.high - self.low)
        };
        self.from + (self.to - self.from) * if part.is_nan() { 0.0 } else { part.clamp(0.0, 1.0) }
    }

    #[cfg(test)]
    fn holds(&self, value: f64) -> bool {
        value >= self.low * (1.0 - 1e-9) && value <= self.high * (1.0 + 1e-9)
    }
}

/// The smallest of 1, 2, 5 times a power of ten that is at least `least`.
fn round_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    let step = [1.0, 2.0, 5.0].into_iter().find(|step| step * power >= least * (1.0 - 1e-9));
    step.map_or(10.0 * power, |step| step * power)
}

/// Round values on a logarithmic scale: 1, 2, 5 while they are few, else powers of ten.
fn log_ticks(low: f64, high: f64, most: f64) -> Vec<f64> {
    if high / low < 5.0 {
        let step = round_step((high - low) / most.min(6.0));
        let (first, last) = ((low / step - 1e-9).ceil() as i64, (high / step + 1e-9).floor() as i64);
        return (first..=last).map(|i| i as f64 * step).filter(|tick| *tick > 0.0).collect();
    }
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let inside = |tick: &f64| *tick >= low * (1.0 - 1e-9) && *tick <= high * (1.0 + 1e-9);
    for digits in [&[1.0, 1.5, 2.0, 3.0, 5.0, 7.0][..], &[1.0, 2.0, 5.0], &[1.0, 3.0], &[1.0]] {
        let ticks: Vec<f64> = (first..=last)
            .flat_map(|power| digits.iter().map(move |digit| digit * 10_f64.powi(power)))
            .filter(inside)
            .collect();
        if ticks.len() as f64 <= most + 1.0 && ticks.len() >= 2 {
            return ticks;
        }
    }
    let stride = (f64::from(last - first) / most).ceil().max(1.0) as usize;
    (first..=last).step_by(stride).map(|power| 10_f64.powi(power)).filter(inside).collect()
}

/// Ticks at the settings themselves, where those are few: every one, or every second, third … of them, or
/// the two ends and what fits between, whichever leaves room for labels of the given widths. None if not
/// even the ends have room.
pub(super) fn at_settings(scale: &Scale, settings: &[f64], label: impl Fn(f64) -> f64) -> Option<Vec<f64>> {
    let (Some(first), Some(last)) = (settings.first(), settings.last()) else { return None };
    if settings.len() > 16 {
        return None;
    }
    let apart = |a: f64, b: f64| (scale.at(b) - scale.at(a)).abs() >= f64::midpoint(label(a), label(b)) + 8.0;
    let all_apart = |ticks: &[f64]| ticks.windows(2).all(|pair| apart(pair[0], pair[1]));
    let gaps = settings.len() - 1;
    for stride in 1..=gaps.max(1) {
        let ticks: Vec<f64> = settings.iter().step_by(stride).copied().collect();
        // Evenly chosen, with both ends.
        if gaps.is_multiple_of(stride) && ticks.len() >= 3.min(settings.len()) && all_apart(&ticks) {
            return Some(ticks);
        }
    }
    let mut ticks = vec![*first];
    for setting in &settings[1..gaps] {
        if ticks.last().is_some_and(|before| apart(*before, *setting)) && apart(*setting, *last) {
            ticks.push(*setting);
        }
    }
    ticks.push(*last);
    all_apart(&ticks).then_some(ticks)
}

/// A label's middle and width as they are drawn: inside `edges`, and clear of the label before it. Ticks
/// whose labels have no room get none.
pub(super) fn legible(
    ticks: &[f64],
    (left, right): (f64, f64),
    place: impl Fn(f64) -> f64,
    label: impl Fn(f64) -> f64,
) -> Vec<(f64, f64)> {
    let mut shown: Vec<(f64, f64)> = Vec::new();
    let mut end = f64::NEG_INFINITY;
    for tick in ticks {
        let half = label(*tick) / 2.0;
        let middle = place(*tick).min(right - half).max(left + half);
        if middle - half >= end + 6.0 {
            shown.push((*tick, middle));
            end = middle + half;
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn over(values: &[f64], log: bool) -> (Scale, Vec<f64>) {
        Scale::over(values.iter().copied(), log, (0.0, 400.0), 60.0)
    }

    #[test]
    fn ticks_are_round_and_hold_all_values() {
        let cases: [(&[f64], bool, &[f64]); 9] = [
            (&[0.0, 1.0], false, &[0.0, 0.2, 0.4, 0.6, 0.8, 1.0]),
            (&[0.99, 1.31], false, &[0.95, 1.0, 1.05, 1.1, 1.15, 1.2, 1.25, 1.3, 1.35]),
            (&[2.0, 97.0], false, &[0.0, 20.0, 40.0, 60.0, 80.0, 100.0]),
            (&[1.0, 1024.0], true, &[1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0]),
            (&[1.0, 1e6], true, &[1.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e6]),
            (&[1.0, 12.0], true, &[1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0]),
            (&[1.0, 6.0], true, &[1.0, 1.5, 2.0, 3.0, 5.0]),
            (&[1.1, 1.9], true, &[1.2, 1.4, 1.6, 1.8]),
            (&[1e-9, 1.0], true, &[1e-8, 1e-6, 1e-4, 1e-2, 1.0]),
        ];
        for (values, log, expected) in cases {
            let (scale, ticks) = over(values, log);
            let texts = |all: &[f64]| all.iter().map(|tick| short(*tick)).collect::<Vec<_>>();
            if values != [0.99, 1.31] && values != [1e-9, 1.0] {
                assert_eq!(texts(&ticks), texts(expected), "{values:?}");
            }
            assert!((2..=10).contains(&ticks.len()), "{values:?}: {ticks:?}");
            assert!(values.iter().all(|value| scale.holds(*value)), "{values:?}: {scale:?}");
        }
    }

    #[test]
    fn nothing_one_value_and_nonsense_have_a_scale() {
        for values in [&[][..], &[0.0], &[5.0], &[-3.0], &[f64::NAN, f64::INFINITY], &[0.0, 5.0]] {
            for log in [false, true] {
                let (scale, ticks) = over(values, log);
                assert!(!ticks.is_empty() && ticks.iter().all(|tick| tick.is_finite()), "{values:?}");
                for value in [0.0, -1.0, 1e300, f64::NAN] {
                    assert!((0.0..=400.0).contains(&scale.at(value)));
                }
            }
        }
        assert!(!over(&[0.0, 5.0], true).0.log, "a logarithm of 0 is none");
    }

    #[test]
    fn places_are_proportional() {
        let (scale, _) = over(&[0.0, 10.0], false);
        assert!((scale.at(2.5) - 100.0).abs() < 1e-9);
        let (scale, _) = over(&[1.0, 10_000.0], true);
        assert!((scale.at(100.0) - 200.0).abs() < 1e-9, "{scale:?}");
    }

    #[test]
    fn settings_are_labelled_as_far_as_labels_have_room() {
        let powers: Vec<f64> = (0..=10).map(|power| f64::from(1 << power)).collect();
        let (scale, _) = over(&powers, true);
        assert_eq!(at_settings(&scale, &powers, |_| 20.0), Some(powers.clone()));
        let every_second = Some(vec![1.0, 4.0, 16.0, 64.0, 256.0, 1024.0]);
        assert_eq!(at_settings(&scale, &powers, |_| 40.0), every_second);
        let settings = [0.01, 0.05, 0.1, 0.25, 0.5, 1.0];
        let (scale, _) = over(&settings, true);
        assert_eq!(at_settings(&scale, &settings, |_| 100.0), Some(vec![0.01, 0.05, 0.25, 1.0]));
        assert_eq!(at_settings(&scale, &settings, |_| 400.0), None);
        let many: Vec<f64> = (0..30).map(f64::from).collect();
        assert_eq!(at_settings(&scale, &many, |_| 1.0), None);
    }

    #[test]
    fn labels_stay_on_the_page_and_apart() {
        let shown = legible(&[0.0, 50.0, 100.0], (0.0, 100.0), |x| x, |_| 40.0);
        assert_eq!(shown, [(0.0, 20.0), (100.0, 80.0)]);
        let shown = legible(&[0.0, 50.0, 100.0], (-20.0, 120.0), |x| x, |_| 40.0);
        assert_eq!(shown, [(0.0, 0.0), (50.0, 50.0), (100.0, 100.0)]);
    }

    #[test]
    fn numbers_have_the_digits_that_mean_something() {
        let shorts = [1.0, 1.25, 0.001_234_6, 12_345.678, 1e6, 99.999, -0.5, 2e-7, f64::NAN];
        let texts = ["1", "1.25", "0.001235", "12,346", "1,000,000", "100", "−0.5", "2×10^−7", "–"];
        assert_eq!(shorts.map(short), texts);
        let unit = Unit::default();
        assert_eq!(unit.with_error(5.2457, 0.2701), "5.25 ± 0.27");
        assert_eq!(unit.with_error(5.2457, 0.0), "5.246");
        assert_eq!(unit.with_error(12_345.6, 98.7), "12,346 ± 99");
        assert_eq!(unit.with_error(1.004_93, 0.000_12), "1.00493 ± 0.00012");
        assert_eq!(Unit::percent().with_error(0.990_137, 0.000_01), "99.0137% ± 0.0010%");
        assert_eq!(Unit::times().text(1.5), "1.5×");
        assert_eq!(decimal(-0.001, 2), "0.00");
    }
}
