//! Where a program decides as it runs: loops and conditions around a statement.

use super::syntax::{Kind, Token};

/// How far the condition of an `if` is looked for.
const CONDITION: usize = 200;

/// For each token the loop or condition of PHP it stands in, the innermost. `tokens` have no line
/// ends. A condition that asks whether the client has its servers already, or PHP the extension, is
/// none: what stands in it happens.
pub(super) fn php(tokens: &[Token<'_>]) -> Vec<Option<usize>> {
    const WORDS: [&str; 9] = ["if", "elseif", "else", "for", "foreach", "while", "do", "switch", "catch"];
    const ASKED: [&str; 6] =
        ["getServerList", "isPristine", "class_exists", "extension_loaded", "function_exists", "isset"];
    let mut inside = Vec::with_capacity(tokens.len());
    // For each brace that is open what it belongs to; a statement without braces ends at its semicolon.
    let mut braces: Vec<Option<usize>> = Vec::new();
    let mut pending: Option<Option<usize>> = None;
    let mut parentheses_end = 0;
    for (at, token) in tokens.iter().enumerate() {
        let around = braces.last().copied().flatten();
        inside.push(pending.flatten().or(around));
        if at < parentheses_end {
            continue;
        }
        let is_member = at > 0 && ["->", "?->", "::"].iter().any(|mark| tokens[at - 1].is_mark(mark));
        if !is_member && WORDS.iter().any(|word| token.is_word(word)) {
            let condition = tokens.get(at + 1).filter(|next| next.is_mark("(")).and_then(|_| {
                let mut open = 0_usize;
                tokens[at + 1..].iter().take(CONDITION).position(|token| {
                    open += usize::from(token.is_mark("("));
                    open -= usize::from(token.is_mark(")") && open > 0);
                    open == 0
                })
            });
            parentheses_end = condition.map_or(at + 1, |end| at + 2 + end);
            let asked = |token: &Token<'_>| ASKED.iter().any(|word| token.is_word(word));
            let harmless = token.is_word("if") && tokens[at + 1..parentheses_end].iter().any(asked);
            pending = Some(if harmless { around } else { Some(at) });
        } else if token.is_mark("{") {
            braces.push(pending.take().unwrap_or(around));
        } else if token.is_mark("}") {
            braces.pop();
            pending = None;
        } else if token.is_mark(";") {
            pending = None;
        }
    }
    inside
}

/// The same for Python, by indentation. `try`, `with`, functions and classes are no conditions.
pub(super) fn python(tokens: &[Token<'_>], text: &str) -> Vec<Option<usize>> {
    const WORDS: [&str; 6] = ["if", "elif", "else", "for", "while", "except"];
    let mut inside = Vec::with_capacity(tokens.len());
    let mut blocks: Vec<(usize, usize)> = Vec::new();
    let mut open = 0_usize;
    let mut begins_line = true;
    for (at, token) in tokens.iter().enumerate() {
        if token.kind == Kind::Newline {
            begins_line |= open == 0;
            inside.push(None);
            continue;
        }
        if begins_line {
            let line = text[..token.start].rfind('\n').map_or(0, |end| end + 1);
            let indent = token.start - line;
            while blocks.last().is_some_and(|(outer, _)| *outer >= indent) {
                blocks.pop();
            }
            let is_main = tokens.get(at + 1).is_some_and(|next| next.text == "__name__");
            if WORDS.contains(&token.text) && !is_main {
                blocks.push((indent, at));
            }
            begins_line = false;
        }
        inside.push(blocks.last().map(|(_, at)| *at));
        if token.kind == Kind::Mark {
            match token.text {
                "(" | "[" | "{" => open += 1,
                ")" | "]" | "}" => open = open.saturating_sub(1),
                _ => {}
            }
        }
    }
    inside
}
