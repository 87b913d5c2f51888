//! JSON (RFC 8259) into the tree of [`crate::node`].
//!
//! Written here because every value needs its place, and the common crates keep none. What JSON is
//! often mistaken for is refused by name: comments and a comma before a closing bracket (unless the
//! product reads them), single quotes, names without quotes.

use std::collections::HashMap;

use crate::diagnostic::ticked;
use crate::node::{Entry, MAX_DEPTH, Node, Scalar, ScalarKind, Value};
use crate::report::Report;
use crate::source::Span;

/// What a product reads beyond JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beyond {
    Nothing,
    /// `// …` and `/* … */` between values.
    Comments,
    /// One comma before a closing bracket, as Envoy 1.40 does (it was asked).
    LastComma,
}

/// Whether a text begins as JSON does, and not as YAML with brackets.
pub(crate) fn begins(text: &str) -> bool {
    let mut rest = text.trim_start();
    let mut opened = false;
    while let Some(inner) = rest.strip_prefix(['{', '[']) {
        opened = true;
        rest = inner.trim_start();
        if opened && rest.starts_with(['"', '}', ']']) {
            return true;
        }
    }
    opened && rest.is_empty()
}

/// Reads the one value of a file. Syntax that ends the reading is in the report; of a key given twice,
/// which is there as well, the tree has the first.
pub(crate) fn read(report: &mut Report, beyond: Beyond) -> Option<Node> {
    let source = report.source.clone();
    let mut parser = Parser { report, text: source.text(), at: 0, depth: 0, beyond };
    let node = match parser.file() {
        Ok(node) => node,
        Err(Wrong { span, why, help }) => {
            let near = match source.slice(span) {
                "" if span.start() >= source.text().len() => "the end of the file".to_owned(),
                "" => "the end of the line".to_owned(),
                text => ticked(text),
            };
            let diagnostic = report.error_at(span, format!("not JSON at {near}: {why}"));
            report.push(if help.is_empty() { diagnostic } else { diagnostic.with_help(help) });
            return None;
        }
    };
    Some(node)
}

struct Parser<'a> {
    report: &'a mut Report,
    text: &'a str,
    at: usize,
    depth: usize,
    beyond: Beyond,
}

/// What ends the reading.
struct Wrong {
    span: Span,
    why: &'static str,
    help: &'static str,
}

impl Parser<'_> {
    fn file(&mut self) -> Result<Node, Wrong> {
        self.blanks()?;
        let node = self.value()?;
        self.blanks()?;
        if self.peek().is_some() {
            return Err(self.wrong("the file holds one value, and it ended before", ""));
        }
        Ok(node)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// An error at the word that comes next.
    fn wrong(&self, why: &'static str, help: &'static str) -> Wrong {
        let rest = &self.text[self.at..];
        let word = |c: char| !(c.is_whitespace() || "{}[],:\"".contains(c));
        let length = match rest.chars().next() {
            None | Some('\n' | '\r') => 0,
            Some(first) if !word(first) => first.len_utf8(),
            // No more than a message shows.
            Some(_) => rest.chars().take(100).take_while(|&c| word(c)).map(char::len_utf8).sum(),
        };
        Wrong { span: Span::new(self.at, self.at + length), why, help }
    }

    fn blanks(&mut self) -> Result<(), Wrong> {
        loop {
            let rest = &self.text[self.at..];
            let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
            self.at += blank;
            let rest = &rest[blank..];
            if self.beyond != Beyond::Comments || !(rest.starts_with("//") || rest.starts_with("/*")) {
                return Ok(());
            }
            let end = match rest.starts_with("//") {
                true => Some(rest.find('\n').unwrap_or(rest.len())),
                false => rest.find("*/").map(|end| end + 2),
            };
            match end {
                Some(end) => self.at += end,
                None => return Err(self.wrong("the comment has no end", "end it with */")),
            }
        }
    }

    fn value(&mut self) -> Result<Node, Wrong> {
        let start = self.at;
        match self.peek() {
            Some(b'{') => self.nested(Parser::map),
            Some(b'[') => self.nested(Parser::list),
            Some(b'"') => {
                let text = self.string()?;
                Ok(self.scalar(start, text, ScalarKind::Text))
            }
            _ => self.word(),
        }
    }

    fn scalar(&self, start: usize, text: String, kind: ScalarKind) -> Node {
        Node { span: Span::new(start, self.at), value: Value::Scalar(Scalar { text, kind }) }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Result<Value, Wrong>) -> Result<Node, Wrong> {
        let start = self.at;
        if self.depth == MAX_DEPTH {
            return Err(self.wrong("nested more than 64 levels deep", ""));
        }
        self.depth += 1;
        self.at += 1;
        let value = read(self)?;
        self.depth -= 1;
        Ok(Node { span: Span::new(start, self.at), value })
    }

    fn list(&mut self) -> Result<Value, Wrong> {
        let mut items = Vec::new();
        self.blanks()?;
        while self.peek() != Some(b']') {
            items.push(self.value()?);
            self.next_or_end(b']')?;
        }
        self.at += 1;
        Ok(Value::List(items))
    }

    fn map(&mut self) -> Result<Value, Wrong> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut seen: HashMap<String, Span> = HashMap::new();
        self.blanks()?;
        while self.peek() != Some(b'}') {
            let start = self.at;
            if self.peek() != Some(b'"') {
                let help = match self.peek() {
                    Some(b'\'') => "JSON has double quotes only",
                    Some(b'/' | b'#') => NO_COMMENTS,
                    Some(b'a'..=b'z' | b'A'..=b'Z' | b'_') => "put the name in double quotes",
                    _ => "",
                };
                return Err(self.wrong("a name in quotes is expected", help));
            }
            let key = self.string()?;
            let key_span = Span::new(start, self.at);
            self.blanks()?;
            if self.peek() != Some(b':') {
                return Err(self.wrong("a name is followed by `:`", ""));
            }
            self.at += 1;
            self.blanks()?;
            let value = self.value()?;
            match seen.get(&key) {
                Some(&first) => self.report.duplicate_key(&key, first, key_span),
                None => {
                    seen.insert(key.clone(), key_span);
                    entries.push(Entry { key, key_span, value });
                }
            }
            self.next_or_end(b'}')?;
        }
        self.at += 1;
        Ok(Value::Map(entries))
    }

    /// Up to the next item, or to the bracket that ends all.
    fn next_or_end(&mut self, end: u8) -> Result<(), Wrong> {
        self.blanks()?;
        match self.peek() {
            Some(b',') => {
                let comma = self.at;
                self.at += 1;
                self.blanks()?;
                if self.peek() == Some(end) && self.beyond != Beyond::LastComma {
                    self.at = comma;
                    return Err(self.wrong("no item follows the comma", "take the comma out"));
                }
                Ok(())
            }
            Some(byte) if byte == end => Ok(()),
            Some(b'/' | b'#') => Err(self.wrong("a comma or the closing bracket is expected", NO_COMMENTS)),
            _ => Err(self.wrong("a comma or the closing bracket is expected", "")),
        }
    }

    /// The text of a string, from one quote to the other.
    fn string(&mut self) -> Result<String, Wrong> {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        loop {
            let rest = &self.text[self.at..];
            let plain = rest.find(|c: char| c == '"' || c == '\\' || c.is_ascii_control());
            let length = plain.unwrap_or(rest.len());
            text.push_str(&rest[..length]);
            self.at += length;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => text.push(self.escape()?),
                None | Some(b'\n' | b'\r') => {
                    self.at = start;
                    return Err(self.wrong("the quote has no other", "text ends on the line it begins on"));
                }
                // A DEL is allowed.
                Some(0x7f) => {
                    text.push('\x7f');
                    self.at += 1;
                }
                Some(_) => {
                    return Err(
                        self.wrong("a control character stands in text", "write it as an escape, as in \\t")
                    );
                }
            }
        }
    }

    fn escape(&mut self) -> Result<char, Wrong> {
        let known = match self.text.as_bytes().get(self.at + 1) {
            Some(b'n') => '\n',
            Some(b't') => '\t',
            Some(b'r') => '\r',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(&byte @ (b'"' | b'\\' | b'/')) => byte.into(),
            Some(b'u') => return self.unicode(),
            _ => return Err(self.wrong("there is no such escape", "a backslash is written \\\\")),
        };
        self.at += 2;
        Ok(known)
    }

    /// `\u` with four digits, or two of them for a character beyond them.
    fn unicode(&mut self) -> Result<char, Wrong> {
        let unit = |at: usize| {
            let digits = self.text.get(at..at + 6)?.strip_prefix("\\u")?;
            let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
            is_hex.then(|| u16::from_str_radix(digits, 16).ok()).flatten()
        };
        let first = unit(self.at);
        let units = [first, unit(self.at + 6)];
        let alone = char::decode_utf16(first).next().and_then(Result::ok);
        let both = char::decode_utf16(units.into_iter().flatten()).next().and_then(Result::ok);
        let (found, length) = if alone.is_some() { (alone, 6) } else { (both, 12) };
        let found = found.ok_or_else(|| self.wrong("the escape is no character", "\\u takes four digits"))?;
        self.at += length;
        Ok(found)
    }

    /// A number, `true`, `false` or `null`.
    fn word(&mut self) -> Result<Node, Wrong> {
        let start = self.at;
        let rest = &self.text[start..];
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "+-._".contains(c)));
        let word = &rest[..end.unwrap_or(rest.len())];
        let kind = match word {
            "true" | "false" => ScalarKind::Boolean,
            "null" => ScalarKind::Nothing,
            _ if is_number(word) && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') => {
                ScalarKind::Integer
            }
            _ if is_number(word) => ScalarKind::Float,
            _ => {
                let help = match self.peek() {
                    Some(b'\'') => "JSON has double quotes only",
                    Some(b'/' | b'#') => NO_COMMENTS,
                    Some(b'0'..=b'9' | b'-' | b'+' | b'.') => "numbers are decimal, as in 10, -1 or 0.5",
                    Some(b'a'..=b'z' | b'A'..=b'Z') => "text stands in double quotes",
                    _ => "",
                };
                return Err(self.wrong("a value is expected", help));
            }
        };
        self.at += word.len();
        Ok(self.scalar(start, word.to_owned(), kind))
    }
}

const NO_COMMENTS: &str = "JSON has no comments";

/// The grammar of JSON's numbers: `-12.5e+3`, without leading zeros.
fn is_number(word: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (number, exponent) = match word.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, Some(exponent)),
        None => (word, None),
    };
    let (whole, fraction) = match number.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (number, None),
    };
    let whole = whole.strip_prefix('-').unwrap_or(whole);
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|text| digits(text.strip_prefix(['+', '-']).unwrap_or(text)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use crate::source::Source;

    fn read_as(text: &str, beyond: Beyond) -> Result<Node, String> {
        let source = Source::new("f", text.as_bytes()).unwrap();
        let mut report = Report::new(&source, &Options::default());
        let node = read(&mut report, beyond);
        match report.finish() {
            Ok(_) => Ok(node.unwrap()),
            Err(refused) => Err(refused.to_string()),
        }
    }

    /// A value written back, with the kinds of scalars as letters.
    fn shown(node: &Node) -> String {
        let list = |items: Vec<String>| items.join(",");
        match &node.value {
            Value::Scalar(scalar) => format!("{:?}:{}", scalar.kind, scalar.text),
            Value::List(items) => format!("[{}]", list(items.iter().map(shown).collect())),
            Value::Map(entries) => {
                let entry = |entry: &Entry| format!("{}={}", entry.key, shown(&entry.value));
                format!("{{{}}}", list(entries.iter().map(entry).collect()))
            }
        }
    }

    #[test]
    fn values_are_read_with_their_kinds_and_places() {
        let text = "\t{ \"a\" : [1, -0.5e+3,\r\n true,null , \"x\\n\\u00e9\\ud83e\\udd80\\/\"], \"\": {}, \"b\":[]}\n";
        let node = read_as(text, Beyond::Nothing).unwrap();
        assert_eq!(
            shown(&node),
            "{a=[Integer:1,Float:-0.5e+3,Boolean:true,Nothing:null,Text:x\né🦀/],={},b=[]}"
        );
        let Value::Map(entries) = &node.value else { panic!() };
        let at = |span: Span| &text[span.start()..span.end()];
        assert_eq!(at(entries[0].key_span), "\"a\"");
        let Value::List(items) = &entries[0].value.value else { panic!() };
        assert_eq!(
            items.iter().take(3).map(|item| at(item.span)).collect::<Vec<_>>(),
            ["1", "-0.5e+3", "true"]
        );
        assert_eq!(at(entries[1].value.span), "{}");
    }

    #[test]
    fn comments_are_read_where_the_product_does() {
        let text = "// first\n{ /* a\n b */ \"a\": \"//no\" // c\n }\n// last";
        assert_eq!(shown(&read_as(text, Beyond::Comments).unwrap()), "{a=Text://no}");
        assert!(read_as(text, Beyond::Nothing).unwrap_err().starts_with("f:1:1: not JSON at `//`"));
        assert!(read_as("{} /* x", Beyond::Comments).unwrap_err().ends_with("the comment has no end"));
    }

    #[test]
    fn a_last_comma_is_read_where_the_product_does() {
        assert_eq!(
            shown(&read_as("[1,]", Beyond::LastComma).unwrap()),
            shown(&read_as("[1]", Beyond::Nothing).unwrap())
        );
        assert!(read_as("[,]", Beyond::LastComma).is_err());
        assert!(read_as("[1,,]", Beyond::LastComma).is_err());
    }

    #[test]
    fn what_is_not_json_is_refused_at_its_place() {
        for (text, says) in [
            ("", "f:1:1: not JSON at the end of the file: a value is expected"),
            ("{", "f:1:2: not JSON at the end of the file: a name in quotes"),
            ("[1,]", "f:1:3: not JSON at `,`: no item follows the comma"),
            ("[1 2]", "f:1:4: not JSON at `2`: a comma or the closing bracket"),
            ("{'a':1}", "f:1:2: not JSON at `'a'`: a name in quotes"),
            ("{a:1}", "f:1:2: not JSON at `a`: a name in quotes"),
            ("{\"a\" 1}", "f:1:6: not JSON at `1`: a name is followed by `:`"),
            ("[01]", "f:1:2: not JSON at `01`: a value is expected"),
            ("[1.]", "at `1.`"),
            ("[+1]", "at `+1`"),
            ("[.5]", "at `.5`"),
            ("[0x10]", "at `0x10`"),
            ("[NaN]", "at `NaN`"),
            ("[\"a\n\"]", "f:1:2: not JSON at `\"`: the quote has no other"),
            ("[\"a\tb\"]", "a control character stands in text"),
            ("[\"\\x\"]", "f:1:3: not JSON at `\\x`: there is no such escape"),
            ("[\"\\ud800\"]", "the escape is no character"),
            ("[\"\\u+123\"]", "the escape is no character"),
            ("[\"\\u12é\"]", "the escape is no character"),
            ("{} {}", "f:1:4: not JSON at `{`: the file holds one value"),
            ("{\"a\":1,\n\"a\":2}", "f:2:1: `a` is given twice, on lines 1 and 2"),
        ] {
            let refused = read_as(text, Beyond::Nothing).unwrap_err();
            assert!(refused.contains(says), "{text:?}: {refused}");
        }
        let deep = "[".repeat(65) + &"]".repeat(65);
        assert!(read_as(&deep, Beyond::Nothing).unwrap_err().contains("nested more than 64 levels deep"));
        assert!(read_as(&deep[1..129], Beyond::Nothing).is_ok());
    }

    #[test]
    fn json_is_told_from_yaml_with_brackets() {
        for text in ["{\"a\": 1}", " [ {\n\"a\"", "[]", "{ }", "[[\"a\"", "{"] {
            assert!(begins(text), "{text}");
        }
        for text in ["{a: 1}", "[a]", "a: {\"b\": 1}", "", "[x", "- \"a\""] {
            assert!(!begins(text), "{text}");
        }
    }
}
