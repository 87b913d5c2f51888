//! nginx's words: how it cuts a file into directives, byte for byte as `ngx_conf_read_token` does.
//!
//! A directive is words up to `;` or `{`. A word ends at a blank, `;` or `{`, or it stands in quotes and
//! only a blank, `;`, `{` or `)` may follow. A backslash takes the next byte along; `${` opens no
//! block; `#` begins a comment only where a word could begin.

use crate::diagnostic::{quoted, ticked};
use crate::source::Span;

/// A word: what it says, and where it stands, quotes included.
#[derive(Clone, Debug)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) span: Span,
}

/// Words, at least one, and whether a block follows them.
#[derive(Clone, Debug)]
pub(super) struct Directive {
    pub(super) words: Vec<Word>,
    pub(super) opens: bool,
}

impl Directive {
    pub(super) fn name(&self) -> &str {
        self.words.first().map_or("", |word| &word.text)
    }

    /// The words behind the name.
    pub(super) fn arguments(&self) -> &[Word] {
        self.words.get(1..).unwrap_or_default()
    }

    /// From the first word to the last.
    pub(super) fn span(&self) -> Span {
        whole(&self.words)
    }

    pub(super) fn name_span(&self) -> Span {
        self.words.first().map_or(Span::new(0, 0), |word| word.span)
    }
}

/// From the first word to the last.
pub(super) fn whole(words: &[Word]) -> Span {
    match (words.first(), words.last()) {
        (Some(first), Some(last)) => Span::new(first.span.start(), last.span.end()),
        _ => Span::new(0, 0),
    }
}

pub(super) enum Item {
    Directive(Directive),
    /// `}`
    Close(Span),
    End,
}

/// What is wrong with a file, before the source is put together that a complaint speaks of.
#[derive(Debug)]
pub(super) struct Complaint {
    pub(super) span: Span,
    pub(super) message: String,
    pub(super) help: Option<String>,
    pub(super) also: Option<(Span, &'static str)>,
    pub(super) is_warning: bool,
}

impl Complaint {
    pub(super) fn new(span: Span, message: impl Into<String>) -> Complaint {
        Complaint { span, message: message.into(), help: None, also: None, is_warning: false }
    }

    pub(super) fn with_help(self, help: impl Into<String>) -> Complaint {
        Complaint { help: Some(help.into()), ..self }
    }

    /// Of a directive that does not end: with the reason, if its last word has what looks like an end.
    fn hinting_at(self, word: &str) -> Complaint {
        if word.contains(SEMICOLON) { self.with_help("a full-width semicolon is no `;`") } else { self }
    }

    pub(super) fn with_also(self, span: Span, label: &'static str) -> Complaint {
        Complaint { also: Some((span, label)), ..self }
    }
}

/// The full-width semicolon of Chinese keyboards.
pub(super) const SEMICOLON: char = '\u{ff1b}';

/// nginx reads files through a buffer of this size, and a word must fit in it.
const MAX_WORD: usize = 4096;

pub(super) struct Lexer<'t> {
    text: &'t str,
    /// The offset of the text in its source.
    base: usize,
    at: usize,
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str, base: usize) -> Lexer<'t> {
        Lexer { text, base, at: 0 }
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The place of bytes of this file.
    fn place(&self, start: usize, end: usize) -> Span {
        let end = end.min(self.text.len());
        Span::new(self.base + start, self.base + end)
    }

    /// What stands at a place of this file, in backticks.
    pub(super) fn shown(&self, span: Span) -> String {
        let range = span.start().saturating_sub(self.base)..span.end().saturating_sub(self.base);
        ticked(self.text.get(range).unwrap_or_default())
    }

    /// The character here, in backticks, and its place.
    fn here(&self) -> (String, Span) {
        let c = self.text.get(self.at..).and_then(|rest| rest.chars().next()).unwrap_or(' ');
        (ticked(c.encode_utf8(&mut [0; 4])), self.place(self.at, self.at + c.len_utf8()))
    }

    /// The next directive, or the end of a block or of the file.
    pub(super) fn next(&mut self) -> Result<Item, Complaint> {
        let mut words: Vec<Word> = Vec::new();
        loop {
            while self.byte().is_some_and(is_blank) {
                self.at += 1;
            }
            match self.byte() {
                None => match words.last() {
                    None => return Ok(Item::End),
                    Some(last) => {
                        let message = format!("the file ends after {} without `;`", self.shown(last.span));
                        return Err(Complaint::new(last.span, message).hinting_at(&last.text));
                    }
                },
                Some(b'#') => {
                    let rest = &self.text.as_bytes()[self.at..];
                    self.at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
                }
                Some(byte @ (b';' | b'{')) => {
                    if words.is_empty() {
                        let (this, span) = self.here();
                        return Err(Complaint::new(span, format!("nothing stands before this {this}")));
                    }
                    self.at += 1;
                    return Ok(Item::Directive(Directive { words, opens: byte == b'{' }));
                }
                Some(b'}') => {
                    let span = self.place(self.at, self.at + 1);
                    if let Some(last) = words.last() {
                        let message = format!("`;` is missing after {}", self.shown(last.span));
                        let complaint = Complaint::new(last.span, message).hinting_at(&last.text);
                        return Err(complaint.with_also(span, "the block ends here"));
                    }
                    self.at += 1;
                    return Ok(Item::Close(span));
                }
                Some(first) => words.push(self.word(first)?),
            }
        }
    }

    fn word(&mut self, first: u8) -> Result<Word, Complaint> {
        let start = self.at;
        let quote = matches!(first, b'"' | b'\'').then_some(first);
        let mut variable = first == b'$';
        self.at += if first == b'\\' { 2 } else { 1 };
        let inside = loop {
            let Some(byte) = self.byte() else {
                return Err(self.unended(start, quote));
            };
            if byte == b'{' && variable {
                self.at += 1;
                continue;
            }
            variable = byte == b'$';
            match byte {
                b'\\' => self.at += 1,
                _ if Some(byte) == quote => break start + 1..self.at,
                b';' | b'{' if quote.is_none() => break start..self.at,
                _ if quote.is_none() && is_blank(byte) => break start..self.at,
                _ => {}
            }
            self.at += 1;
        };
        if inside.len() >= MAX_WORD {
            let message = format!(
                "a word is longer than the {MAX_WORD} bytes that nginx reads: {}",
                quoted(&self.text[inside])
            );
            let help = "a quote before it is not closed, or a `;` is missing";
            return Err(Complaint::new(self.place(start, start + 1), message).with_help(help));
        }
        let text = unescaped(&self.text[inside]);
        if quote.is_some() {
            self.at += 1;
            match self.byte() {
                Some(byte) if !is_blank(byte) && !matches!(byte, b';' | b'{' | b')') => {
                    let (this, span) = self.here();
                    let message = format!("{this} stands right behind a closing quote");
                    return Err(Complaint::new(span, message).with_help("a blank or `;` follows it"));
                }
                _ => {}
            }
        }
        Ok(Word { text, span: self.place(start, self.at) })
    }

    /// The complaint about a word that the end of the file ends.
    fn unended(&self, start: usize, quote: Option<u8>) -> Complaint {
        let end = self.text[start..].find('\n').map_or(self.text.len(), |at| start + at);
        let word = ticked(self.text[start..end].trim_end());
        match quote {
            Some(_) => {
                let message = format!("the quote that {word} begins with is not closed");
                Complaint::new(self.place(start, start + 1), message)
            }
            None => Complaint::new(self.place(start, end), format!("the file ends in {word} without `;`"))
                .hinting_at(&word),
        }
    }

    /// Passes over a block that a directive has opened, to behind its `}`.
    pub(super) fn skip(&mut self, opened: &Directive) -> Result<(), Complaint> {
        let mut open = vec![opened.name_span()];
        if is_lua(opened) {
            self.lua(opened)?;
            open.pop();
        }
        while let Some(&inner) = open.last() {
            match self.next()? {
                Item::Directive(directive) if directive.opens && is_lua(&directive) => {
                    self.lua(&directive)?;
                }
                Item::Directive(directive) if directive.opens => open.push(directive.name_span()),
                Item::Directive(_) => {}
                Item::Close(_) => {
                    open.pop();
                }
                Item::End => return Err(self.unclosed(inner)),
            }
        }
        Ok(())
    }

    /// The complaint about a block that the end of the file ends.
    pub(super) fn unclosed(&self, opened: Span) -> Complaint {
        let message = format!("the block of {} is not closed", self.shown(opened));
        Complaint::new(opened, message).with_help("add a `}`")
    }

    /// Passes over a block of Lua, whose braces, strings and comments are Lua's.
    fn lua(&mut self, opened: &Directive) -> Result<(), Complaint> {
        let mut depth = 1;
        let bytes = self.text.as_bytes();
        let find = |from: usize, what: &str| {
            self.text.as_bytes()[from..].windows(what.len()).position(|part| part == what.as_bytes())
        };
        let mut at = self.at;
        while depth > 0 {
            let Some(&byte) = bytes.get(at) else { return Err(self.unclosed(opened.name_span())) };
            at += 1;
            let comment = byte == b'-' && bytes.get(at) == Some(&b'-');
            if comment {
                at += 1;
            }
            let bracket = if comment { at } else { at - 1 };
            if bytes.get(bracket) == Some(&b'[') {
                let signs = bytes[bracket + 1..].iter().take_while(|&&byte| byte == b'=').count();
                if bytes.get(bracket + 1 + signs) == Some(&b'[') {
                    let end = format!("]{}]", "=".repeat(signs));
                    let Some(length) = find(bracket + 2 + signs, &end) else {
                        return Err(self.unclosed(opened.name_span()));
                    };
                    at = bracket + 2 + signs + length + end.len();
                    continue;
                }
            }
            match byte {
                _ if comment => at += find(at, "\n").unwrap_or(bytes.len() - at),
                b'{' => depth += 1,
                b'}' => depth -= 1,
                b'"' | b'\'' => {
                    while let Some(&inner) = bytes.get(at) {
                        at += if inner == b'\\' { 2 } else { 1 };
                        if inner == byte || inner == b'\n' {
                            break;
                        }
                    }
                }
                _ => {}
            }
        }
        self.at = at;
        Ok(())
    }
}

fn is_lua(directive: &Directive) -> bool {
    directive.name().ends_with("_by_lua_block")
}

/// The escapes that nginx knows; before all else a backslash stays.
fn unescaped(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let meant = match (c, chars.peek()) {
            ('\\', Some(&next @ ('"' | '\'' | '\\'))) => next,
            ('\\', Some('t')) => '\t',
            ('\\', Some('r')) => '\r',
            ('\\', Some('n')) => '\n',
            _ => {
                out.push(c);
                continue;
            }
        };
        out.push(meant);
        chars.next();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The directives of a text, their words joined by `|`.
    fn words(text: &str) -> Result<Vec<String>, String> {
        let mut lexer = Lexer::new(text, 0);
        let mut all = Vec::new();
        loop {
            match lexer.next().map_err(|complaint| complaint.message)? {
                Item::End => return Ok(all),
                Item::Close(_) => all.push("}".to_owned()),
                Item::Directive(directive) => {
                    let words: Vec<&str> = directive.words.iter().map(|word| word.text.as_str()).collect();
                    all.push(words.join("|") + if directive.opens { "{" } else { ";" });
                }
            }
        }
    }

    #[test]
    fn words_are_cut_as_nginx_cuts_them() {
        for (text, cut) in [
            ("a b;c  d\t{ }", "a|b; c|d{ }"),
            ("a#b # c;\n d;", "a#b|d;"),
            ("a 'b c' \"d;\" ;", "a|b c|d;;"),
            ("a ${b}c{d;}", "a|${b}c{ d; }"),
            ("a \"${b}\";", "a|${b};"),
            ("a $b{c;}", "a|$b{ c; }"),
            (r#"a b\;c\ d "\"" '\n';"#, "a|b\\;c\\ d|\"|\n;"),
            ("a\u{ff1b} b;", "a\u{ff1b}|b;"),
            ("a 'b')c;", "a|b|)c;"),
        ] {
            assert_eq!(words(text).unwrap().join(" "), cut, "{text}");
        }
    }

    #[test]
    fn what_nginx_does_not_cut_is_refused() {
        for (text, says) in [
            ("a b", "the file ends in `b` without `;`"),
            ("a b ", "the file ends after `b` without `;`"),
            ("a b }", "`;` is missing after `b`"),
            ("a; ;", "nothing stands before this `;`"),
            ("{", "nothing stands before this `{`"),
            ("a 'b'c;", "`c` stands right behind a closing quote"),
            ("a 'b;\n", "the quote that `'b;` begins with is not closed"),
            ("a b\\", "the file ends in `b\\` without `;`"),
        ] {
            assert_eq!(words(text).unwrap_err(), says, "{text}");
        }
        let long = format!("a {};", "x".repeat(5_000));
        assert!(words(&long).unwrap_err().starts_with("a word is longer than the 4096 bytes"));
    }

    #[test]
    fn a_directive_that_ends_in_a_full_width_semicolon_says_why_it_does_not_end() {
        for text in ["a b；", "a b；\n", "upstream a { server b；}"] {
            let mut lexer = Lexer::new(text, 0);
            let refused = loop {
                match lexer.next() {
                    Ok(Item::Directive(_)) => {}
                    Ok(_) => panic!("{text} ends well"),
                    Err(complaint) => break complaint,
                }
            };
            assert!(refused.message.contains('；'), "{}", refused.message);
            assert_eq!(refused.help.as_deref(), Some("a full-width semicolon is no `;`"), "{text}");
        }
    }

    #[test]
    fn a_block_of_lua_ends_where_its_own_braces_do() {
        for lua in
            ["'}' \"\\\"}\"", "-- }\n", "--[[ } ]]", "[==[ } ]] } ]==]", "x = { {}, '{' }", "a[1][2] = 3 - 4"]
        {
            let text = format!("balancer_by_lua_block {{ {lua} }} after;");
            let mut lexer = Lexer::new(&text, 0);
            let Ok(Item::Directive(opened)) = lexer.next() else { panic!("{lua}") };
            lexer.skip(&opened).unwrap();
            let Ok(Item::Directive(after)) = lexer.next() else { panic!("{lua}") };
            assert_eq!(after.name(), "after", "{lua}");
        }
        let mut lexer = Lexer::new("x_by_lua_block { [[ }", 0);
        let Ok(Item::Directive(opened)) = lexer.next() else { panic!() };
        assert_eq!(lexer.skip(&opened).unwrap_err().message, "the block of `x_by_lua_block` is not closed");
    }
}
