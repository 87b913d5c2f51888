//! HAProxy's words: how it cuts a line, as its `parse_line` does.
//!
//! Blanks part words, `#` begins a comment anywhere, a backslash escapes outside of single quotes, and
//! variables of the environment count within double quotes only. No line goes on in the next.

use crate::diagnostic::{quoted, ticked};
use crate::report::Report;
use crate::source::Span;

/// A word: what it says, and where it stands, quotes included.
#[derive(Clone, Debug)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) span: Span,
    /// A variable of the environment is in it, so that only HAProxy knows what it says.
    pub(super) is_variable: bool,
}

/// What is wrong with a line.
pub(super) struct Torn {
    pub(super) span: Span,
    pub(super) message: String,
}

/// HAProxy reads no more words of a line.
const MAX_WORDS: usize = 64;

/// From the first word to the last.
pub(super) fn whole(words: &[Word]) -> Span {
    match (words.first(), words.last()) {
        (Some(first), Some(last)) => Span::new(first.span.start(), last.span.end()),
        _ => Span::new(0, 0),
    }
}

/// A word for messages: what it says, or how it is written where that is something else.
pub(super) fn shown(report: &Report, word: &Word) -> String {
    let written = report.source.slice(word.span);
    if written == word.text { quoted(written) } else { ticked(written) }
}

/// A word of HAProxy's own for messages, as it is written.
pub(super) fn keyword(report: &Report, word: &Word) -> String {
    ticked(report.source.slice(word.span))
}

/// The words of a line that begins at an offset of its file.
pub(super) fn cut(line: &str, base: usize) -> Result<Vec<Word>, Torn> {
    let place = |start: usize, end: usize| Span::new(base + start, base + end);
    let bytes = line.as_bytes();
    let (mut words, mut at) = (Vec::new(), 0);
    loop {
        while bytes.get(at).is_some_and(|byte| matches!(byte, b' ' | b'\t' | b'\x0b' | b'\x0c')) {
            at += 1;
        }
        if matches!(bytes.get(at), None | Some(b'#' | b'\r')) {
            return Ok(words);
        }
        if words.len() == MAX_WORDS {
            let word = line[at..].split_whitespace().next().unwrap_or_default();
            let message =
                format!("HAProxy reads {MAX_WORDS} words of a line, and here is one more: {}", ticked(word));
            return Err(Torn { span: place(at, at + word.len()), message });
        }
        let start = at;
        let (mut text, mut is_variable) = (String::new(), false);
        let mut quote: Option<(u8, usize)> = None;
        // What was not taken over yet.
        let mut from = at;
        while let Some(&byte) = bytes.get(at) {
            match (byte, quote) {
                (b'"' | b'\'', Some((open, _))) if byte == open => {
                    text.push_str(&line[from..at]);
                    from = at + 1;
                    quote = None;
                }
                (b'"' | b'\'', None) => {
                    text.push_str(&line[from..at]);
                    from = at + 1;
                    quote = Some((byte, at));
                }
                (b'\\', quote) if quote.is_none_or(|(open, _)| open == b'"') => {
                    let next = bytes.get(at + 1).copied();
                    let meant = match next {
                        Some(b' ' | b'\\' | b'#' | b'\'' | b'"') => next.map(char::from),
                        Some(b'$') if quote.is_some() => Some('$'),
                        Some(b'n') => Some('\n'),
                        Some(b'r') => Some('\r'),
                        Some(b't') => Some('\t'),
                        Some(b'x') => {
                            let digits = line
                                .get(at + 2..at + 4)
                                .and_then(|digits| u8::from_str_radix(digits, 16).ok());
                            let Some(code) = digits else {
                                let message = format!(
                                    "`\\x` is not followed by two hexadecimal digits: {}",
                                    ticked(line.trim())
                                );
                                return Err(Torn { span: place(at, at + 2), message });
                            };
                            text.push_str(&line[from..at]);
                            text.push(char::from(code));
                            at += 4;
                            from = at;
                            continue;
                        }
                        _ => None,
                    };
                    if let Some(meant) = meant {
                        text.push_str(&line[from..at]);
                        text.push(meant);
                        at += 2;
                        from = at;
                        continue;
                    }
                }
                (b'$', Some((b'"', _))) => is_variable = true,
                (b' ' | b'\t' | b'\x0b' | b'\x0c' | b'\r' | b'#', None) => break,
                _ => {}
            }
            at += 1;
        }
        if let Some((open, opened)) = quote {
            let message = format!("the quote {} is not closed", ticked(&char::from(open).to_string()));
            return Err(Torn { span: place(opened, opened + 1), message });
        }
        text.push_str(&line[from..at]);
        words.push(Word { text, span: place(start, at), is_variable });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_as_haproxy_cuts_them() {
        for (line, words) in [
            ("  server a\t10.0.0.1:80 # no more", vec!["server", "a", "10.0.0.1:80"]),
            ("server a#b", vec!["server", "a"]),
            ("a 'b c' \"d e\"f", vec!["a", "b c", "d ef"]),
            (r#"a b\ c \"d\# '\n' \x41"#, vec!["a", "b c", "\"d#", "\\n", "A"]),
            ("a '' b\r", vec!["a", "", "b"]),
            ("# all", vec![]),
            ("a $b ${c} '$d'", vec!["a", "$b", "${c}", "$d"]),
            ("a b\\", vec!["a", "b\\"]),
        ] {
            let cut = cut(line, 0).unwrap_or_else(|torn| panic!("{}", torn.message));
            let texts: Vec<&str> = cut.iter().map(|word| word.text.as_str()).collect();
            assert_eq!(texts, words, "{line}");
            assert!(cut.iter().all(|word| !word.is_variable), "{line}");
        }
        let words = cut("a \"${b}\" \"\\$c\"", 0).unwrap_or_default();
        assert_eq!(words.iter().map(|word| word.is_variable).collect::<Vec<_>>(), [false, true, false]);
        assert_eq!(words[2].text, "$c");
    }

    #[test]
    fn what_haproxy_does_not_cut_is_refused() {
        let many = "a ".repeat(65);
        for (line, says) in [
            ("a 'b", "the quote `'` is not closed"),
            ("a \"b'", "the quote `\"` is not closed"),
            ("a \\xg0", "`\\x` is not followed by two hexadecimal digits"),
            (many.as_str(), "HAProxy reads 64 words of a line, and here is one more: `a`"),
        ] {
            let torn = cut(line, 0).err().unwrap_or_else(|| panic!("{line}"));
            assert!(torn.message.starts_with(says), "{}", torn.message);
        }
    }
}
