//! Tokens and literals that PHP and Python share closely enough: text, numbers, words, lists, calls.
//!
//! Programs are not run here. What is not a literal (an operator, a formatted text, a call of
//! something unknown) is kept as [`Value::Other`] with its place, and whoever needs its value
//! refuses it there.

use crate::node::MAX_DEPTH;
use crate::source::Span;

/// A piece of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token<'t> {
    pub(super) kind: Kind,
    /// As it is written.
    pub(super) text: &'t str,
    pub(super) start: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name, in PHP with its `$` or `\`.
    Word,
    Number,
    /// Text in quotes, and what it says; nothing if that is known only when the program runs.
    Text(Option<String>),
    /// Anything else: one character, or `->`, `?->`, `=>`, `::`, `==` and the like.
    Mark,
    /// A line's end outside of brackets and text.
    Newline,
}

impl Token<'_> {
    pub(super) fn span(&self) -> Span {
        Span::new(self.start, self.start + self.text.len())
    }

    pub(super) fn is_mark(&self, mark: &str) -> bool {
        self.kind == Kind::Mark && self.text == mark
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        self.kind == Kind::Word && self.text.eq_ignore_ascii_case(word)
    }
}

const MARKS: &[&str] = &[
    "?->", "===", "!==", "**=", "->", "=>", "::", "==", "!=", "<=", ">=", "&&", "||", "??", ".=", "+=", "-=",
];

/// Cuts a program into tokens. Comments of either language are left out.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let push = |kind, length: usize| Token { kind, text: &rest[..length], start: at };
        let length = match c {
            '\n' => {
                tokens.push(push(Kind::Newline, 1));
                1
            }
            // A backslash at the end of a line joins it to the next.
            '\\' if rest[1..].starts_with(['\n', '\r']) => {
                1 + rest[1..].find('\n').map_or(rest.len() - 1, |end| end + 1)
            }
            c if c.is_whitespace() => c.len_utf8(),
            '#' => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest[2..].find("*/").map_or(rest.len(), |end| end + 4),
            '"' | '\'' => {
                let (said, length) = quoted_text(rest, c, false);
                tokens.push(push(Kind::Text(said), length));
                length
            }
            c if c.is_alphabetic() || matches!(c, '_' | '$' | '\\') => {
                let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '\\');
                let length =
                    rest[c.len_utf8()..].find(|c| !word(c)).map_or(rest.len(), |end| end + c.len_utf8());
                let next = rest[length..].chars().next();
                let prefix = rest[..length].to_ascii_lowercase();
                // Python's raw, byte, unicode and formatted texts.
                let is_prefix = matches!(prefix.as_str(), "r" | "b" | "u" | "f" | "br" | "rb" | "fr" | "rf");
                match next {
                    Some(quote @ ('"' | '\'')) if is_prefix => {
                        let (said, inner) = quoted_text(&rest[length..], quote, prefix.contains('r'));
                        let said = said.filter(|said| !prefix.contains('f') || !said.contains('{'));
                        tokens.push(push(Kind::Text(said), length + inner));
                        length + inner
                    }
                    _ => {
                        tokens.push(push(Kind::Word, length));
                        length
                    }
                }
            }
            c if c.is_ascii_digit() => {
                let number = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_');
                let length = rest.find(|c| !number(c)).unwrap_or(rest.len());
                tokens.push(push(Kind::Number, length));
                length
            }
            c => {
                let long = MARKS.iter().find(|mark| rest.starts_with(**mark));
                let length = long.map_or(c.len_utf8(), |mark| mark.len());
                tokens.push(push(Kind::Mark, length));
                length
            }
        };
        at += length;
    }
    tokens
}

/// The text that begins with that quote: what it says, and its length with the quotes.
fn quoted_text(rest: &str, quote: char, raw: bool) -> (Option<String>, usize) {
    let triple = quote.to_string().repeat(3);
    let end = if rest.starts_with(&triple) { triple } else { quote.to_string() };
    let mut said = Some(String::new());
    let mut chars = rest[end.len()..].char_indices();
    while let Some((at, c)) = chars.next() {
        let from = end.len() + at;
        if rest[from..].starts_with(&end) {
            return (said, from + end.len());
        }
        match c {
            '\\' => {
                let next = chars.next().map(|(_, next)| next);
                let plain = match next {
                    Some(same) if same == quote || same == '\\' => Some(same),
                    Some(other) if raw || quote == '\'' => {
                        // PHP's single quotes and raw texts keep the backslash.
                        said = said.map(|text| text + "\\");
                        Some(other)
                    }
                    _ => None,
                };
                said = said.zip(plain).map(|(mut text, c)| {
                    text.push(c);
                    text
                });
            }
            // PHP puts variables into double quotes.
            '$' if quote == '"'
                && rest[from + 1..].starts_with(|c: char| c.is_alphabetic() || "_{".contains(c)) =>
            {
                said = None;
            }
            c => {
                if let Some(text) = &mut said {
                    text.push(c);
                }
            }
        }
    }
    (None, rest.len())
}

/// A value as a program writes it.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) span: Span,
    pub(super) value: Value,
}

#[derive(Clone, Debug)]
pub(super) enum Value {
    Text(String),
    Number(String),
    /// A name, or several with `.`, `->` and `::` between: `True`, `Memcached::OPT_HASH`.
    Word(String),
    /// A list, tuple, set, mapping, PHP's array: items with their keys.
    Items(Vec<Item>),
    /// A call, or PHP's `new`: the name and the arguments, keywords as keys.
    Call(String, Vec<Item>),
    /// What is known only when the program runs.
    Other,
}

#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) key: Option<Expr>,
    pub(super) value: Expr,
}

impl Expr {
    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A whole number, in quotes or not.
    pub(super) fn number(&self) -> Option<u64> {
        match &self.value {
            Value::Number(text) | Value::Text(text) => whole(text),
            _ => None,
        }
    }

    /// A truth value of either language.
    pub(super) fn truth(&self) -> Option<bool> {
        match &self.value {
            Value::Word(word) if word.eq_ignore_ascii_case("true") => Some(true),
            Value::Word(word) if word.eq_ignore_ascii_case("false") => Some(false),
            Value::Number(text) => Some(whole(text)? != 0),
            _ => None,
        }
    }

    pub(super) fn is_nothing(&self) -> bool {
        matches!(&self.value, Value::Word(word) if ["none", "null"].contains(&word.to_ascii_lowercase().as_str()))
    }

    /// Where to point at for a server: its host, if host and port stand apart.
    pub(super) fn host_span(&self) -> Span {
        match &self.value {
            Value::Items(items) => keyed(items, "host")
                .or_else(|| items.first().map(|item| &item.value))
                .map_or(self.span, |host| host.span),
            _ => self.span,
        }
    }

    pub(super) fn items(&self) -> Option<&[Item]> {
        match &self.value {
            Value::Items(items) => Some(items),
            _ => None,
        }
    }

    /// The last part of a name: `OPT_HASH` of `\Memcached::OPT_HASH`.
    pub(super) fn last_word(&self) -> Option<&str> {
        match &self.value {
            Value::Word(word) => word.rsplit(['.', ':', '>', '\\']).next(),
            _ => None,
        }
    }

    /// What it is, for messages.
    pub(super) fn describe(&self) -> &'static str {
        match &self.value {
            Value::Text(_) => "text",
            Value::Number(_) => "a number",
            Value::Word(_) => "a name",
            Value::Items(_) => "a list",
            Value::Call(..) => "a call",
            Value::Other => "known only when the program runs",
        }
    }
}

/// Decimal digits; PHP and Python allow `_` between them.
pub(super) fn whole(text: &str) -> Option<u64> {
    let digits = text.replace('_', "");
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}

/// The value of that key, if it is text.
pub(super) fn keyed<'e>(items: &'e [Item], key: &str) -> Option<&'e Expr> {
    let is_key = |item: &&Item| match item.key.as_ref().map(|key| &key.value) {
        Some(Value::Text(text) | Value::Word(text)) => text == key,
        _ => false,
    };
    items.iter().find(is_key).map(|item| &item.value)
}

/// Reads values from tokens.
pub(super) struct Reader<'a, 't> {
    pub(super) tokens: &'a [Token<'t>],
    pub(super) at: usize,
    depth: usize,
    /// How far nested brackets were found not to end: work stays linear.
    skipped: usize,
}

impl<'a, 't> Reader<'a, 't> {
    pub(super) fn new(tokens: &'a [Token<'t>], at: usize) -> Reader<'a, 't> {
        Reader { tokens, at, depth: 0, skipped: 0 }
    }

    pub(super) fn peek(&self) -> Option<&'a Token<'t>> {
        self.tokens.get(self.at)
    }

    pub(super) fn newlines(&mut self) {
        while self.peek().is_some_and(|token| token.kind == Kind::Newline) {
            self.at += 1;
        }
    }

    /// Goes on if the next token is that mark.
    fn mark(&mut self, mark: &str) -> bool {
        let is = self.peek().is_some_and(|token| token.is_mark(mark));
        self.at += usize::from(is);
        is
    }

    /// A value, up to a comma, a semicolon, a closing bracket or a line's end.
    pub(super) fn value(&mut self) -> Expr {
        let begin = self.at;
        self.depth += 1;
        let value = if self.depth > MAX_DEPTH { Value::Other } else { self.primary() };
        self.depth -= 1;
        let mut expr = Expr { span: self.span_from(begin), value };
        if !self.at_end() {
            // Adjacent texts of Python are one text.
            if let (Value::Text(text), Some(Kind::Text(Some(more)))) =
                (&expr.value, self.peek().map(|t| &t.kind))
            {
                let joined = text.clone() + more;
                self.at += 1;
                expr.value = if self.at_end() { Value::Text(joined) } else { Value::Other };
            } else {
                expr.value = Value::Other;
            }
            self.skip();
            expr.span = self.span_from(begin);
        }
        expr
    }

    fn at_end(&self) -> bool {
        self.peek().is_none_or(|token| {
            token.kind == Kind::Newline
                || token.kind == Kind::Mark && [",", ";", ")", "]", "}", "=>", ":", "="].contains(&token.text)
        })
    }

    /// Passes over an expression of any kind.
    fn skip(&mut self) {
        let mut open = 0_usize;
        while let Some(token) = self.peek() {
            match token.kind {
                Kind::Newline if open == 0 => return,
                Kind::Mark => match token.text {
                    "(" | "[" | "{" => open += 1,
                    ")" | "]" | "}" if open == 0 => return,
                    ")" | "]" | "}" => open -= 1,
                    "," | ";" | "=>" if open == 0 => return,
                    _ => {}
                },
                _ => {}
            }
            self.at += 1;
        }
        self.skipped = self.at;
    }

    fn span_from(&self, begin: usize) -> Span {
        let end = self.at.max(begin + 1).min(self.tokens.len());
        match (self.tokens.get(begin), self.tokens.get(end.saturating_sub(1))) {
            (Some(first), Some(last)) => Span::new(first.start, last.start + last.text.len()),
            _ => {
                let end = self.tokens.last().map_or(0, |token| token.start + token.text.len());
                Span::new(end, end)
            }
        }
    }

    fn primary(&mut self) -> Value {
        let Some(token) = self.peek() else { return Value::Other };
        match &token.kind {
            Kind::Text(said) => {
                self.at += 1;
                said.clone().map_or(Value::Other, Value::Text)
            }
            Kind::Number => {
                self.at += 1;
                Value::Number(token.text.to_owned())
            }
            Kind::Word => self.name(),
            Kind::Mark => match token.text {
                "[" => self.items("]"),
                "{" => self.items("}"),
                "(" => {
                    let begin = self.at;
                    let value = self.items(")");
                    match value {
                        // Brackets around one value are no list.
                        Value::Items(mut items) if items.len() == 1 && !self.had_comma(begin) => {
                            items.pop().map_or(Value::Other, |item| item.value.value)
                        }
                        value => value,
                    }
                }
                "-" | "+" => {
                    self.at += 1;
                    match self.peek() {
                        Some(number) if number.kind == Kind::Number => {
                            self.at += 1;
                            Value::Number(format!("{}{}", token.text, number.text))
                        }
                        _ => Value::Other,
                    }
                }
                _ => Value::Other,
            },
            Kind::Newline => Value::Other,
        }
    }

    /// Whether the brackets that began there end with a comma.
    fn had_comma(&self, begin: usize) -> bool {
        let inner = &self.tokens[begin..self.at.min(self.tokens.len())];
        let last = inner.iter().rev().skip(1).find(|token| token.kind != Kind::Newline);
        last.is_some_and(|token| token.is_mark(","))
    }

    /// A name, a call, or `new` and a call.
    fn name(&mut self) -> Value {
        let mut path = String::new();
        if self.peek().is_some_and(|token| token.is_word("new")) {
            self.at += 1;
            path.push_str("new ");
        }
        while let Some(token) = self.peek().filter(|token| token.kind == Kind::Word) {
            path.push_str(token.text);
            self.at += 1;
            let Some(link) = self.peek() else { break };
            if !["->", "?->", "::", "."].iter().any(|mark| link.is_mark(mark)) {
                break;
            }
            // `a . b` of PHP joins texts: what follows is a name only where nothing is between.
            let next = self.tokens.get(self.at + 1);
            if !next.is_some_and(|next| next.kind == Kind::Word) {
                break;
            }
            path.push_str(link.text);
            self.at += 1;
        }
        if self.peek().is_some_and(|token| token.is_mark("(")) {
            return match self.items(")") {
                Value::Items(items) if path.eq_ignore_ascii_case("array") => Value::Items(items),
                Value::Items(items) => Value::Call(path, items),
                _ => Value::Other,
            };
        }
        Value::Word(path)
    }

    /// What stands between brackets, with commas between.
    pub(super) fn items(&mut self, close: &str) -> Value {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.newlines();
            if self.mark(close) {
                return Value::Items(items);
            }
            let begin = self.at;
            let first = self.value();
            self.newlines();
            let keyed = self.mark("=>") || self.mark(":") || self.mark("=");
            if keyed {
                self.newlines();
                let value = self.value();
                items.push(Item { key: Some(first), value });
            } else {
                items.push(Item { key: None, value: first });
            }
            self.newlines();
            if !self.mark(",") {
                let closed = self.mark(close);
                if !closed && self.at == begin {
                    // Nothing was read: no progress without this.
                    self.at += 1;
                }
                if !closed {
                    self.skip_to(close);
                    return Value::Other;
                }
                return Value::Items(items);
            }
        }
    }

    /// Passes over what is left of broken brackets.
    fn skip_to(&mut self, close: &str) {
        if self.skipped >= self.tokens.len() {
            self.at = self.tokens.len();
            return;
        }
        let mut open = 0_usize;
        while let Some(token) = self.peek() {
            self.at += 1;
            if token.kind == Kind::Mark {
                match token.text {
                    "(" | "[" | "{" => open += 1,
                    text if open == 0 && text == close => return,
                    ")" | "]" | "}" => open = open.saturating_sub(1),
                    _ => {}
                }
            }
        }
        self.skipped = self.tokens.len();
    }
}
