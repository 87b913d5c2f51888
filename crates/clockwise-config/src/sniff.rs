//! What tells kinds of files apart: keys of YAML and JSON, found without reading the file.

/// Whether a text has one of these keys: the word, in quotes or not, and a colon behind it. Lines that
/// are comments do not count.
pub(crate) fn has_key(text: &str, keys: &[&str]) -> bool {
    lines(text).any(|line| keys.iter().any(|key| line_has_key(line, key)))
}

/// Whether a line that is no comment has the word.
pub(crate) fn has_word(text: &str, word: &str) -> bool {
    lines(text).any(|line| line.contains(word))
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| {
        let line = line.trim_start();
        !line.starts_with('#') && !line.starts_with("//")
    })
}

fn line_has_key(line: &str, key: &str) -> bool {
    // Setting a search up costs more than a short line.
    if line.len() <= key.len() {
        return false;
    }
    line.match_indices(key).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = &line[at + key.len()..];
        let after = match before {
            Some(quote @ ('"' | '\'')) => after.strip_prefix(quote),
            None | Some(' ' | '\t' | '{' | ',' | '[' | '-') => Some(after),
            _ => None,
        };
        after.is_some_and(|after| after.trim_start().starts_with(':'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_words_before_a_colon() {
        for text in
            ["pools:", "  - pools : {}", "{\"pools\":{", "{ 'pools' : 1", "a: {b: 1, pools: 2}", "\tpools:"]
        {
            assert!(has_key(text, &["other", "pools"]), "{text}");
        }
        for text in [
            "# pools: 1",
            " // \"pools\": 1",
            "my_pools: 1",
            "pools",
            "x = \"pools: 1\"",
            "spools: 1",
            "pools = 1",
        ] {
            assert!(!has_key(text, &["pools"]), "{text}");
        }
        assert!(has_word("a\n b x", "x") && !has_word("# x", "x"));
    }
}
