//! Just enough of Rust's grammar for the checks: tokens without comments, and which of them are tests.
//!
//! Comments and the insides of strings must not count as code (documentation names `unwrap` and
//! links to rooms it may not import), and `#[cfg(test)]` items are free to do both. Both are known
//! from the tokens alone, without a parser and without a dependency.

/// What a token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An identifier or keyword; a raw one without its `r#`.
    Word(String),
    /// One character of punctuation.
    Mark(char),
    /// The contents of a string, escapes left as written.
    Text(String),
    /// A character, number or lifetime as it is written: nothing the checks look into.
    Other(String),
}

/// One token of a file.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) line: usize,
    /// Inside an item compiled for tests only.
    pub(crate) in_test: bool,
    /// Inside an item compiled only with the feature `std`.
    pub(crate) needs_std: bool,
}

impl Token {
    pub(crate) fn word(&self) -> Option<&str> {
        match &self.kind {
            Kind::Word(word) => Some(word),
            _ => None,
        }
    }

    pub(crate) fn is_word(&self, word: &str) -> bool {
        self.word() == Some(word)
    }

    pub(crate) fn is_mark(&self, mark: char) -> bool {
        self.kind == Kind::Mark(mark)
    }
}

/// The tokens of a file, its conditional items marked.
pub(crate) fn tokens(source: &str) -> Vec<Token> {
    let mut tokens = Lexer { rest: source, line: 1 }.run();
    mark_conditional_items(&mut tokens);
    tokens
}

/// The modules in files of their own that are declared under a condition: `#[cfg(test)] mod NAME;`.
pub(crate) fn conditional_modules(tokens: &[Token], condition: fn(&Token) -> bool) -> Vec<&str> {
    tokens
        .windows(3)
        .filter(|w| condition(&w[0]) && w[0].is_word("mod") && w[2].is_mark(';'))
        .filter_map(|w| w[1].word())
        .collect()
}

struct Lexer<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Lexer<'a> {
    fn run(mut self) -> Vec<Token> {
        let mut tokens = Vec::new();
        while let Some(first) = self.rest.chars().next() {
            let line = self.line;
            let kind = if first.is_whitespace() {
                self.take(first.len_utf8());
                continue;
            } else if self.rest.starts_with("//") {
                self.take(self.rest.find('\n').unwrap_or(self.rest.len()));
                continue;
            } else if self.rest.starts_with("/*") {
                self.block_comment();
                continue;
            } else if let Some(text) = self.string() {
                Kind::Text(text.to_owned())
            } else if first == '\'' {
                Kind::Other(self.quote().to_owned())
            } else if first.is_ascii_digit() {
                // A number ends where a letter, digit or underscore does not follow: `1..2` and
                // `1.max(2)` keep their dots, which are of no interest here.
                Kind::Other(self.while_word().to_owned())
            } else if is_word(first) {
                if self.rest.starts_with("r#") {
                    self.take(2);
                }
                Kind::Word(self.while_word().to_owned())
            } else {
                self.take(first.len_utf8());
                Kind::Mark(first)
            };
            tokens.push(Token { kind, line, in_test: false, needs_std: false });
        }
        tokens
    }

    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.line += taken.matches('\n').count();
        self.rest = rest;
        taken
    }

    fn while_word(&mut self) -> &'a str {
        self.take(self.rest.find(|c| !is_word(c)).unwrap_or(self.rest.len()))
    }

    fn block_comment(&mut self) {
        let mut depth = 0;
        loop {
            if self.rest.starts_with("/*") {
                depth += 1;
                self.take(2);
            } else if self.rest.starts_with("*/") {
                depth -= 1;
                self.take(2);
            } else if let Some(next) = self.rest.chars().next() {
                self.take(next.len_utf8());
            }
            if depth == 0 || self.rest.is_empty() {
                return;
            }
        }
    }

    /// A string of any prefix (`b`, `c`, `r` and their pairs), if one starts here.
    fn string(&mut self) -> Option<&'a str> {
        let open = self.rest.find(|c| !matches!(c, 'b' | 'c' | 'r' | '#'))?;
        let (prefix, body) = self.rest.split_at(open);
        if !body.starts_with('"') {
            return None;
        }
        let letters = prefix.trim_end_matches('#');
        let hashes = prefix.len() - letters.len();
        let raw = match letters {
            "r" | "br" | "cr" => true,
            "" | "b" | "c" if hashes == 0 => false,
            _ => return None,
        };
        self.take(open + 1);
        let length = if raw {
            let close = format!("\"{}", "#".repeat(hashes));
            self.rest.find(&close)
        } else {
            let mut escaped = false;
            self.rest.find(|c| {
                let end = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                end
            })
        };
        let text = self.take(length.unwrap_or(self.rest.len()));
        self.take((1 + hashes).min(self.rest.len()));
        Some(text)
    }

    /// A character or a lifetime: `'a'`, `'\''`, `'static`.
    fn quote(&mut self) -> &'a str {
        let start = self.rest;
        self.take(1);
        let mut chars = self.rest.chars();
        match (chars.next(), chars.next()) {
            (Some('\\'), Some(escaped)) => {
                self.take(1 + escaped.len_utf8());
                self.take(self.rest.find('\'').map_or(self.rest.len(), |end| end + 1));
            }
            (Some(c), Some('\'')) => {
                self.take(c.len_utf8() + 1);
            }
            _ => {
                self.while_word();
            }
        }
        &start[..start.len() - self.rest.len()]
    }
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// Marks the item that follows each `#[cfg(test)]`, `#[test]` or `#[cfg(feature = "std")]`.
fn mark_conditional_items(tokens: &mut [Token]) {
    let mut at = 0;
    while at < tokens.len() {
        let Some(attribute) = Attribute::at(tokens, at) else {
            at += 1;
            continue;
        };
        // An inner attribute (`#![cfg(test)]`) speaks of all that follows.
        let end = if attribute.inner { tokens.len() } else { item_end(tokens, attribute.end) };
        for token in &mut tokens[at..end] {
            token.in_test |= attribute.test;
            token.needs_std |= attribute.std;
        }
        at = attribute.end;
    }
}

struct Attribute {
    inner: bool,
    test: bool,
    std: bool,
    /// The first token after it.
    end: usize,
}

impl Attribute {
    fn at(tokens: &[Token], at: usize) -> Option<Attribute> {
        let inner = tokens.get(at + 1)?.is_mark('!');
        let open = at + 1 + usize::from(inner);
        if !tokens[at].is_mark('#') || !tokens.get(open)?.is_mark('[') {
            return None;
        }
        let end = closing(tokens, open) + 1;
        let body = &tokens[open + 1..end.saturating_sub(1).max(open + 1)];
        let (name, rest) = body.split_first()?;
        // `any(test, …)` is compiled without tests too, `not(test)` never with them.
        let words = || rest.iter().filter_map(Token::word);
        let sure = name.is_word("cfg") && !words().any(|w| w == "any" || w == "not");
        let test = name.is_word("test") || sure && words().any(|w| w == "test");
        let std = sure && rest.iter().any(|t| t.kind == Kind::Text("std".to_owned()));
        Some(Attribute { inner, test, std, end })
    }
}

/// Where the bracket opened at `open` closes; the last token if it never does.
fn closing(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.kind {
            Kind::Mark('(' | '[' | '{') => depth += 1,
            Kind::Mark(')' | ']' | '}') => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    tokens.len().saturating_sub(1)
}

/// The first token after the item (or field, or statement) that starts at `start`.
fn item_end(tokens: &[Token], start: usize) -> usize {
    let mut at = start;
    while let Some(attribute) = (at < tokens.len()).then(|| Attribute::at(tokens, at)).flatten() {
        at = attribute.end;
    }
    // `use a::{b, c};` goes on after its braces; everything else ends with them.
    let head = tokens[at..].iter().take(5).take_while(|t| !t.is_mark('{'));
    let goes_on = head.into_iter().any(|t| t.is_word("use"));
    while at < tokens.len() {
        match tokens[at].kind {
            Kind::Mark(';') => return at + 1,
            Kind::Mark('}') => return at,
            Kind::Mark('{') if !goes_on => return closing(tokens, at) + 1,
            Kind::Mark('(' | '[' | '{') => at = closing(tokens, at) + 1,
            _ => at += 1,
        }
    }
    tokens.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(source: &str, keep: impl Fn(&Token) -> bool) -> Vec<String> {
        let tokens = tokens(source);
        tokens.iter().filter(|t| keep(t)).filter_map(|t| t.word().map(str::to_owned)).collect()
    }

    #[test]
    fn comments_strings_and_characters_hold_no_words() {
        let source = r##"
            // one
            /* two /* three */ four */
            let five = "six \" seven"; let eight = r#"nine " ten"#; let eleven = b"twelve";
            let q = '"'; let e = '\''; let u = '\u{1F600}'; fn f<'thirteen>(x: &'fourteen str) {}
        "##;
        let expected = ["let", "five", "let", "eight", "let", "eleven", "let", "q", "let", "e", "let", "u"];
        let expected: Vec<_> = expected.into_iter().chain(["fn", "f", "x", "str"]).collect();
        assert_eq!(words(source, |_| true), expected);
    }

    #[test]
    fn lines_are_counted_through_strings_and_comments() {
        let tokens = tokens("/* a\n b */ \"c\nd\" e\nf");
        assert_eq!(tokens.iter().map(|t| t.line).collect::<Vec<_>>(), [2, 3, 4]);
    }

    #[test]
    fn test_items_end_where_they_end() {
        for (source, kept) in [
            ("#[cfg(test)] mod tests { use a; fn b() { c } } fn d() {}", vec!["fn", "d"]),
            ("#[cfg(test)] use a::{b, c}; use d;", vec!["use", "d"]),
            ("#[cfg(test)] extern crate std; fn e() {}", vec!["fn", "e"]),
            ("#[test] #[ignore = \"x\"] fn f() -> [u8; 2] { g } fn h() {}", vec!["fn", "h"]),
            ("struct S { #[cfg(test)] a: u8 } fn i() {}", vec!["struct", "S", "fn", "i"]),
            ("#[cfg(any(test, unix))] fn j() {}", vec!["cfg", "any", "test", "unix", "fn", "j"]),
            ("#![cfg(test)] fn k() {}", vec![]),
        ] {
            assert_eq!(words(source, |t| !t.in_test), kept, "{source}");
        }
    }

    #[test]
    fn items_of_the_std_feature_are_known() {
        let source = "#[cfg(feature = \"std\")] impl A for B { c } d";
        assert_eq!(words(source, |t| !t.needs_std), ["d"]);
    }

    #[test]
    fn modules_declared_under_a_condition_are_found() {
        let tokens =
            tokens("mod a; #[cfg(test)] mod b; #[cfg(test)] mod c {} #[cfg(feature = \"std\")] mod d;");
        assert_eq!(conditional_modules(&tokens, |t| t.in_test), ["b"]);
        assert_eq!(conditional_modules(&tokens, |t| t.needs_std), ["d"]);
    }
}
