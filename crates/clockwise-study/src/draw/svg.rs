//! What every picture opens with, and how its coordinates are written.

use std::fmt::{self, Display};

use crate::markup::Markup;
pub(super) use crate::markup::{Attribute, Markup as Svg};

/// A picture of `width` times `height` with a title and a description, both read aloud. Without a
/// style sheet, it is for a page that carries [`STYLE`](super::palette::STYLE) itself.
pub(super) fn picture(width: u32, height: u32, title: &str, description: &str, style: Option<&str>) -> Svg {
    let mut svg = Markup::new("");
    let view = format!("0 0 {width} {height}");
    let label = format!("{title}. {description}");
    svg.open(
        "svg",
        &[
            ("xmlns", &"http://www.w3.org/2000/svg"),
            ("viewBox", &view),
            ("width", &width),
            ("height", &height),
            ("role", &"img"),
            ("aria-label", &label),
        ],
    );
    svg.text("title", &[], title);
    svg.text("desc", &[], description);
    if let Some(style) = style {
        svg.text("style", &[], style);
        svg.leaf("rect", &[("class", &"page"), ("width", &width), ("height", &height)]);
    }
    svg
}

/// A coordinate: hundredths, no trailing zeros, no negative zero.
#[derive(Clone, Copy, Debug)]
pub(super) struct Px(pub(super) f64);

impl Display for Px {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hundredths = (self.0 * 100.0).round() as i64;
        let (sign, size) = (if hundredths < 0 { "-" } else { "" }, hundredths.unsigned_abs());
        match (size / 100, size % 100) {
            (whole, 0) => write!(f, "{sign}{whole}"),
            (whole, part) if part % 10 == 0 => write!(f, "{sign}{whole}.{}", part / 10),
            (whole, part) => write!(f, "{sign}{whole}.{part:02}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_short_and_round() {
        for (value, text) in [
            (0.0, "0"),
            (-0.001, "0"),
            (1.0, "1"),
            (1.5, "1.5"),
            (-1.05, "-1.05"),
            (0.125, "0.13"),
            (99.999, "100"),
            (f64::NAN, "0"),
        ] {
            assert_eq!(Px(value).to_string(), text);
        }
    }

    #[test]
    fn titles_and_descriptions_are_escaped() {
        let out = picture(1, 1, "a<b>&\"c\"", "\u{0}\u{1b}", Some("")).finish();
        assert!(out.contains("<title>a&lt;b&gt;&amp;&quot;c&quot;</title>"), "{out}");
        assert!(out.contains("<desc>\u{fffd}\u{fffd}</desc>"), "{out}");
    }
}
