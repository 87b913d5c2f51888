//! The smallest SVG writer that serves: elements, attributes, text, all of it escaped.

use std::fmt::{self, Display, Write};

/// A document under construction, one element a line.
pub(super) struct Svg {
    out: String,
    open: Vec<&'static str>,
}

/// An attribute: its name and its value.
pub(super) type Attribute<'a> = (&'static str, &'a dyn Display);

impl Svg {
    /// A picture of `width` times `height` with a title and a description, both read aloud.
    pub(super) fn new(width: u32, height: u32, title: &str, description: &str, style: &str) -> Svg {
        let mut svg = Svg { out: String::new(), open: Vec::new() };
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
        svg.text("style", &[], style);
        svg.leaf("rect", &[("class", &"page"), ("width", &width), ("height", &height)]);
        svg
    }

    pub(super) fn open(&mut self, tag: &'static str, attributes: &[Attribute]) {
        self.tag(tag, attributes);
        self.out.push_str(">\n");
        self.open.push(tag);
    }

    pub(super) fn close(&mut self) {
        if let Some(tag) = self.open.pop() {
            self.put(format_args!("</{tag}>\n"));
        }
    }

    /// An element with nothing in it.
    pub(super) fn leaf(&mut self, tag: &'static str, attributes: &[Attribute]) {
        self.tag(tag, attributes);
        self.out.push_str("/>\n");
    }

    /// An element with text in it.
    pub(super) fn text(&mut self, tag: &'static str, attributes: &[Attribute], text: &str) {
        self.tag(tag, attributes);
        self.out.push('>');
        self.put(Escaped(&text));
        self.put(format_args!("</{tag}>\n"));
    }

    /// A shape that shows `tip` under the pointer.
    pub(super) fn tipped(&mut self, tag: &'static str, attributes: &[Attribute], tip: &str) {
        self.tag(tag, attributes);
        self.out.push_str("><title>");
        self.put(Escaped(&tip));
        self.put(format_args!("</title></{tag}>\n"));
    }

    /// The document, with what is still open closed.
    pub(super) fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        self.out
    }

    fn tag(&mut self, tag: &str, attributes: &[Attribute]) {
        self.put(format_args!("<{tag}"));
        for (name, value) in attributes {
            self.put(format_args!(" {name}=\"{}\"", Escaped(value)));
        }
    }

    fn put(&mut self, what: impl Display) {
        // Writing to a string has no failure of its own.
        let _ = write!(self.out, "{what}");
    }
}

/// Text with the characters replaced that XML gives a meaning, or forbids.
struct Escaped<'a>(&'a dyn Display);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        struct Filter<'a, 'b>(&'a mut fmt::Formatter<'b>);
        impl Write for Filter<'_, '_> {
            fn write_str(&mut self, text: &str) -> fmt::Result {
                text.chars().try_for_each(|c| match c {
                    '&' => self.0.write_str("&amp;"),
                    '<' => self.0.write_str("&lt;"),
                    '>' => self.0.write_str("&gt;"),
                    '"' => self.0.write_str("&quot;"),
                    '\n' | '\t' => self.0.write_char(c),
                    '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => self.0.write_char('\u{fffd}'),
                    _ => self.0.write_char(c),
                })
            }
        }
        write!(Filter(f), "{}", self.0)
    }
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
    fn text_cannot_leave_its_place() {
        let mut svg = Svg::new(1, 1, "a<b>&\"c\"", "\u{0}\u{1b}", "");
        svg.tipped("rect", &[("class", &"\" onload=\"x")], "</title>");
        let out = svg.finish();
        assert!(out.contains("<title>a&lt;b&gt;&amp;&quot;c&quot;</title>"), "{out}");
        assert!(out.contains("<desc>\u{fffd}\u{fffd}</desc>"), "{out}");
        assert!(out.contains("class=\"&quot; onload=&quot;x\""), "{out}");
        assert!(out.contains("<title>&lt;/title&gt;</title></rect>"), "{out}");
    }
}
