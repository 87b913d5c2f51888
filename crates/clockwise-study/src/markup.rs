//! The smallest writer of XML and HTML that serves: elements, attributes, text, all of it escaped.
//!
//! There is no way to write text that is not escaped, so no name, title or setting can leave its
//! place. One element a line: what is written diffs cleanly.

use std::fmt::{self, Display, Write};

/// A document under construction.
pub(crate) struct Markup {
    out: String,
    open: Vec<&'static str>,
}

/// An attribute: its name and its value.
pub(crate) type Attribute<'a> = (&'static str, &'a dyn Display);

impl Markup {
    /// A document that begins with `head`, which is written as it is: `<!doctype html>`, or nothing.
    pub(crate) fn new(head: &'static str) -> Markup {
        Markup { out: head.to_owned(), open: Vec::new() }
    }

    pub(crate) fn open(&mut self, tag: &'static str, attributes: &[Attribute]) {
        self.tag(tag, attributes);
        self.out.push_str(">\n");
        self.open.push(tag);
    }

    pub(crate) fn close(&mut self) {
        if let Some(tag) = self.open.pop() {
            self.put(format_args!("</{tag}>\n"));
        }
    }

    /// What is written inside one element.
    pub(crate) fn within(
        &mut self,
        tag: &'static str,
        attributes: &[Attribute],
        inside: impl FnOnce(&mut Markup),
    ) {
        self.open(tag, attributes);
        inside(self);
        self.close();
    }

    /// An element with nothing in it.
    pub(crate) fn leaf(&mut self, tag: &'static str, attributes: &[Attribute]) {
        self.tag(tag, attributes);
        self.out.push_str("/>\n");
    }

    /// An element with text in it.
    pub(crate) fn text(&mut self, tag: &'static str, attributes: &[Attribute], text: &str) {
        self.tag(tag, attributes);
        self.out.push('>');
        self.put(Escaped(&text));
        self.put(format_args!("</{tag}>\n"));
    }

    /// Text between elements.
    pub(crate) fn say(&mut self, text: &str) {
        self.put(Escaped(&text));
    }

    /// A piece of a line of text.
    pub(crate) fn phrase(&mut self, tag: &'static str, text: &str) {
        self.put(format_args!("<{tag}>{}</{tag}>", Escaped(&text)));
    }

    /// A shape that shows `tip` under the pointer.
    pub(crate) fn tipped(&mut self, tag: &'static str, attributes: &[Attribute], tip: &str) {
        self.tag(tag, attributes);
        self.out.push_str("><title>");
        self.put(Escaped(&tip));
        self.put(format_args!("</title></{tag}>\n"));
    }

    /// Another finished document in this place.
    pub(crate) fn nest(&mut self, inner: Markup) {
        self.out.push_str(&inner.finish());
    }

    /// The document, with what is still open closed.
    pub(crate) fn finish(mut self) -> String {
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
                    // The rest of the controls, and those that turn the direction of what follows.
                    '\0'..='\u{1f}'
                    | '\u{202a}'..='\u{202e}'
                    | '\u{2066}'..='\u{2069}'
                    | '\u{fffe}'
                    | '\u{ffff}' => self.0.write_char('\u{fffd}'),
                    _ => self.0.write_char(c),
                })
            }
        }
        write!(Filter(f), "{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_leave_its_place() {
        let mut page = Markup::new("");
        page.tipped("rect", &[("class", &"\" onload=\"x")], "</title>");
        page.say("<script>");
        page.text("p", &[], "a & \u{0}\u{202e}");
        let out = page.finish();
        assert!(out.contains("class=\"&quot; onload=&quot;x\""), "{out}");
        assert!(out.contains("<title>&lt;/title&gt;</title></rect>"), "{out}");
        assert!(out.contains("&lt;script&gt;<p>a &amp; \u{fffd}\u{fffd}</p>"), "{out}");
    }

    #[test]
    fn what_is_open_is_closed() {
        let mut page = Markup::new("<!doctype html>\n");
        page.open("main", &[]);
        page.within("p", &[], |page| page.say("x"));
        page.open("b", &[]);
        assert_eq!(page.finish(), "<!doctype html>\n<main>\n<p>\nx</p>\n<b>\n</b>\n</main>\n");
    }
}
