//! "Did you mean …?"

/// The candidate that a word was probably meant to be: the nearest within a third of its letters.
pub(crate) fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let plain = |text: &str| text.to_ascii_lowercase().replace('-', "_");
    let word = plain(word);
    // Longer words are no slip of the finger, and the distance takes time in the square.
    if word.len() > 40 {
        return None;
    }
    candidates
        .into_iter()
        .map(|candidate| (distance(&word, &plain(candidate)), candidate))
        .filter(|(distance, candidate)| *distance <= candidate.len().max(word.len()) / 3)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Edits from one word to another: letters inserted, deleted, replaced, or two neighbours swapped
/// (optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                let swapped: &Vec<usize> = &before;
                best = best.min(swapped[j - 2] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

/// "a, b or c", for lists of what would be right.
pub(crate) fn one_of<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    let words: Vec<&str> = words.into_iter().collect();
    match words.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_edits() {
        for (a, b, edits) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("rign", "ring", 1),
            ("ab", "ba", 1),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(distance(a, b), edits, "{a} {b}");
            assert_eq!(distance(b, a), edits, "{b} {a}");
        }
    }

    #[test]
    fn slips_are_recognised_and_other_words_are_not() {
        let keys = ["name", "address", "weight", "zone", "state"];
        for (word, meant) in [
            ("wieght", Some("weight")),
            ("Weight", Some("weight")),
            ("adress", Some("address")),
            ("names", Some("name")),
            ("port", None),
            ("", None),
            ("x", None),
        ] {
            assert_eq!(nearest(word, keys), meant, "{word}");
        }
        // Any short word is a letter away from any other.
        for (word, candidates) in
            [("x", ["a", "b"]), ("", ["a", "b"]), ("s1", ["s2", "ab"]), ("east", ["web", "as"])]
        {
            assert_eq!(nearest(word, candidates), None, "{word}");
        }
        assert_eq!(nearest("A", ["b", "a"]), Some("a"));
        assert_eq!(nearest(&"w".repeat(100_000), keys), None);
        assert_eq!(nearest("points-per-wieght", ["points_per_weight"]), Some("points_per_weight"));
    }

    #[test]
    fn lists_read_as_prose() {
        assert_eq!(one_of(["a"]), "a");
        assert_eq!(one_of(["a", "b", "c"]), "a, b or c");
    }
}
