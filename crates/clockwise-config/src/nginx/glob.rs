//! Patterns of file names, as the `glob` of C libraries matches them: `*`, `?` and `[…]` within one
//! part of a path, none of them at a dot that begins a name, results in the order of their names.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

/// Whether nginx takes a name for a pattern.
pub(super) fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?', '['])
}

/// The files that a pattern stands for, unless they are more than a limit.
pub(super) fn matches(pattern: &Path, limit: usize) -> Option<Vec<PathBuf>> {
    let mut found = vec![PathBuf::new()];
    for component in pattern.components() {
        let part = match component {
            Component::Normal(part) => part.to_string_lossy(),
            other => {
                found.iter_mut().for_each(|path| path.push(other));
                continue;
            }
        };
        if !is_pattern(&part) {
            found.iter_mut().for_each(|path| path.push(&*part));
            found.retain(|path| path.exists());
            continue;
        }
        let pattern: Vec<char> = part.chars().collect();
        let mut next = Vec::new();
        for folder in &found {
            let shown = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            let Ok(entries) = std::fs::read_dir(shown) else { continue };
            let names = entries.filter_map(|entry| Some(entry.ok()?.file_name()));
            next.extend(names.filter(|name| is_match(&pattern, name)).map(|name| folder.join(name)));
            if next.len() > limit {
                return None;
            }
        }
        found = next;
    }
    found.sort();
    Some(found)
}

fn is_match(pattern: &[char], name: &OsStr) -> bool {
    let name: Vec<char> = name.to_string_lossy().chars().collect();
    if name.first() == Some(&'.') && pattern.first() != Some(&'.') {
        return false;
    }
    // Where to go on if what follows the last `*` does not fit.
    let mut retry: Option<(usize, usize)> = None;
    let (mut p, mut n) = (0, 0);
    loop {
        let step = match (pattern.get(p), name.get(n)) {
            (None, None) => return true,
            (Some('*'), _) => {
                retry = Some((p + 1, n));
                p += 1;
                continue;
            }
            (Some('?'), Some(_)) => Some(1),
            (Some('['), Some(&c)) => class(&pattern[p..], c),
            (Some('\\'), Some(c)) if pattern.get(p + 1) == Some(c) => Some(2),
            (Some(one), Some(c)) if one == c => Some(1),
            _ => None,
        };
        match (step, &mut retry) {
            (Some(width), _) => {
                p += width;
                n += 1;
            }
            (None, Some((after, from))) if *from < name.len() => {
                *from += 1;
                (p, n) = (*after, *from);
            }
            (None, _) => return false,
        }
    }
}

/// The width of `[…]` if it has the character; an open bracket without an end is itself.
fn class(pattern: &[char], c: char) -> Option<usize> {
    let negated = matches!(pattern.get(1), Some('!' | '^'));
    let start = if negated { 2 } else { 1 };
    // A `]` that comes first is one of the characters.
    let Some(end) = pattern.iter().skip(start + 1).position(|&c| c == ']').map(|at| start + 1 + at) else {
        return (c == '[').then_some(1);
    };
    let (mut at, mut has) = (start, false);
    while at < end {
        if at + 2 < end && pattern[at + 1] == '-' {
            has |= (pattern[at]..=pattern[at + 2]).contains(&c);
            at += 3;
        } else {
            has |= pattern[at] == c;
            at += 1;
        }
    }
    (has != negated).then_some(end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_names_as_a_shell_does() {
        for (pattern, yes, no) in [
            ("*.conf", vec!["a.conf", "a.b.conf"], vec![".conf", "a.conf.bak", "conf"]),
            ("*", vec!["a"], vec![".a"]),
            (".*", vec![".a"], vec!["a"]),
            ("a?c", vec!["abc", "aéc"], vec!["ac", "abbc"]),
            ("[0-9]*_[!x]", vec!["1_y", "22_z"], vec!["a_y", "1_x"]),
            ("[]a]b", vec!["]b", "ab"], vec!["b"]),
            ("[a", vec!["[a"], vec!["a"]),
            ("\\*a", vec!["*a"], vec!["ba"]),
            ("*a*a*b", vec!["aab", "xaxaxb"], vec!["ab", "aaa"]),
        ] {
            let pattern: Vec<char> = pattern.chars().collect();
            for name in yes {
                assert!(is_match(&pattern, OsStr::new(name)), "{pattern:?} {name}");
            }
            for name in no {
                assert!(!is_match(&pattern, OsStr::new(name)), "{pattern:?} {name}");
            }
        }
    }
}
