//! `cargo xtask vectors`: what was recorded from real programs, and how much of it.
//!
//! An answer is a number under a name that speaks of an owner (`owners`, `empty_key_owner`,
//! `owners_while_ejected`), at any depth of a file. Counting them needs to know where strings end and
//! no more of JSON than that.
//!
//! What `clockwise vectors` writes is something else, test vectors, and is not counted here.

use std::collections::BTreeMap;
use std::path::Path;

use crate::repo;
use crate::step::Outcome;

/// Folders of test vectors, which we made, and of the programs that check them.
const OURS: [&str; 2] = ["clockwise", "runners"];

/// A line a folder. A folder that does not say how it was made is a problem.
pub(crate) fn list(root: &Path) -> Outcome {
    let files = repo::files(root).map_err(|error| error.to_string())?;
    let mut folders: BTreeMap<&str, (u64, bool)> = BTreeMap::new();
    for file in &files {
        let Some((folder, name)) = file.path.strip_prefix("vectors/").and_then(|path| path.split_once('/'))
        else {
            continue;
        };
        if OURS.contains(&folder) {
            continue;
        }
        let (answers, explained) = folders.entry(folder).or_default();
        *explained |= name == "README.md";
        if name.ends_with(".json") {
            let text = file.text().ok_or_else(|| format!("{}: not text", file.path))?;
            *answers += recorded_answers(text);
        }
    }
    let unexplained: Vec<&str> =
        folders.iter().filter(|(_, (_, explained))| !explained).map(|(folder, _)| *folder).collect();
    if !unexplained.is_empty() {
        return Err(format!("no README.md says how these were made: {}", unexplained.join(", ")));
    }
    let line = |(folder, (answers, _)): (&&str, &(u64, bool))| match answers {
        // Keys that other folders refer to.
        0 => format!("{folder:<20}no answers of its own"),
        answers => format!("{folder:<20}{answers} answers"),
    };
    Ok(folders.iter().map(line).collect())
}

/// How many numbers stand under names that hold `owner`.
fn recorded_answers(json: &str) -> u64 {
    let mut answers = 0;
    let mut rest = json;
    // The last string read, and whether the value now being read stands under such a name.
    let (mut last, mut counting, mut depth) = ("", false, 0_u32);
    while let Some(next) = rest.chars().next() {
        let mut length = next.len_utf8();
        match next {
            '"' => {
                let end = string_end(&rest[1..]);
                last = &rest[1..=end];
                length = end + 2;
            }
            ':' => (counting, depth) = (last.contains("owner"), 0),
            '[' => depth += 1,
            // The end of the list under the name, or of the object around a single number.
            ']' | '}' | ',' => {
                depth -= u32::from(next == ']' && depth > 0);
                counting &= depth > 0;
            }
            '-' | '0'..='9' => {
                length = rest
                    .find(|c: char| !matches!(c, '-' | '+' | '.' | 'e' | 'E' | '0'..='9'))
                    .unwrap_or(rest.len());
                answers += u64::from(counting);
            }
            _ => {}
        }
        rest = rest.get(length..).unwrap_or_default();
    }
    answers
}

/// How long a string is whose opening quote has been taken.
fn string_end(text: &str) -> usize {
    let mut escaped = false;
    text.bytes()
        .position(|byte| {
            let end = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            end
        })
        .unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_under_the_name_of_owners_are_counted() {
        assert_eq!(recorded_answers(r#"{"owners":[0,1,12],"weight":7}"#), 3);
        assert_eq!(recorded_answers(r#"[{"empty_key_owner": 3, "n": 4}, {"owners_later":[5]}]"#), 2);
        assert_eq!(recorded_answers(r#"{"keys":["owner",1],"owners":[null,2],"b":[3]}"#), 1);
        assert_eq!(recorded_answers(r#"{"how":"\"owners\": [1]","owners":[]}"#), 0);
        assert_eq!(recorded_answers(r#"{"owners":[[1,2],[3]],"x":[4]}"#), 3);
        assert_eq!(recorded_answers(r#"{"owners":{"a":1"#), 0);
    }
}
