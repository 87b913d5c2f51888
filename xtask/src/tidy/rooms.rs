//! The rooms of the library and which way they may look: a file imports only from rooms above its own.
//!
//! The order is the design: hashes know nothing of servers, a scheme knows nothing of replicas or
//! liveness, a dialect is a recipe beside the schemes. An import the other way round is how the
//! three different questions (who owns, who is up, who is busy) grow together.

use std::collections::BTreeMap;

use super::rust::{Kind, Token};

/// The modules of `crates/clockwise/src`, from the bottom up, and what each is for.
pub(crate) const ROOMS: &[(&str, &str)] = &[
    ("error", "one opaque error, asked by predicates"),
    ("arch", "what only some processors can do"),
    ("remainder", "a division by a number known before"),
    ("choice", "settings that are one of a few words"),
    ("hash", "named hashes, bit-exact"),
    ("ln", "a logarithm that is the same everywhere"),
    ("server", "name, weight, zone, address"),
    ("placement", "what every placement can be asked"),
    ("prefix", "what stands before every key"),
    ("fingerprint", "decisions in sixteen digits"),
    ("members", "fleets: validated, immutable, cheap to clone"),
    ("change_log", "a fleet with its history"),
    ("entry", "what the catalogue knows of a scheme"),
    ("modulo", "the hash modulo the list"),
    ("ring", "points on a circle"),
    ("rendezvous", "the highest score"),
    ("jump", "a list and no memory"),
    ("counted", "a list and a rule of its length"),
    ("jump_back", "jump from the other end"),
    ("flip", "a bucket of the next power of two"),
    ("draws", "numbers below a bound that a key draws"),
    ("logged", "a history and a rule of it"),
    ("anchor", "who is gone leaves the number that remained"),
    ("memento", "jump, and notes of who is gone"),
    ("dx", "draws until one is there"),
    ("skeleton", "a group by rendezvous, and a place in it"),
    ("multi_probe", "several looks at a small circle"),
    ("maglev", "a table filled by turns"),
    ("slots", "an explicit map"),
    ("tokens", "deliberate placement of points"),
    ("bounded", "a cap on load, and leases"),
    ("route", "the owner and liveness"),
    ("replica", "preference lists and zones, and who of one list is up"),
    ("availability", "what a loss leaves"),
    ("catalogue", "schemes of a hash and a number, in one list"),
    ("dialect", "recipes of real systems"),
    ("scheme", "any of these, chosen at run time"),
    ("view", "epochs"),
    ("moves", "before and after"),
];

/// What the file at `src/PATH` imports from rooms that are not above its own.
///
/// `exports` maps each name that the crate root re-exports to its room.
pub(crate) fn wrong_imports(
    path: &str,
    tokens: &[Token],
    exports: &BTreeMap<String, String>,
) -> Vec<(usize, String)> {
    let room = room_of(path);
    if room == "lib" {
        return Vec::new();
    }
    let Some(height) = height(room) else {
        return vec![(1, format!("room `{room}` has no line in the list of xtask/src/tidy/rooms.rs"))];
    };
    let mut problems = Vec::new();
    for (line, name) in root_names(tokens, depth_of(path)) {
        let target = exports.get(&name).map_or(name.as_str(), String::as_str);
        match self::height(target) {
            Some(target) if target <= height => {}
            Some(_) => {
                problems.push((line, format!("`{room}` may not import from `{target}`, a room below it")));
            }
            None => problems.push((line, format!("`crate::{name}` is in no room that is known here"))),
        }
    }
    problems
}

/// The names that the crate root re-exports, each with its room: `pub use room::{A, b::C};`.
pub(crate) fn exports(root: &[Token]) -> BTreeMap<String, String> {
    let mut exports = BTreeMap::new();
    let mut rest = root;
    while let Some(at) = rest.iter().position(|t| t.is_word("use")) {
        rest = &rest[at + 1..];
        let end = rest.iter().position(|t| t.is_mark(';')).unwrap_or(rest.len());
        let words: Vec<&str> = rest[..end].iter().filter_map(Token::word).collect();
        if let Some((room, names)) = words.split_first() {
            // Of `a as b` both are kept: the wrong one is the name of nothing.
            exports.extend(names.iter().map(|name| ((*name).to_owned(), (*room).to_owned())));
        }
    }
    exports
}

/// `ring/arcs.rs` and `ring.rs` are in the room `ring`.
fn room_of(path: &str) -> &str {
    let first = path.split('/').next().unwrap_or(path);
    first.strip_suffix(".rs").unwrap_or(first)
}

/// How many modules lie between the crate root and the file, its own included.
fn depth_of(path: &str) -> usize {
    let slashes = path.matches('/').count();
    if path.ends_with("/mod.rs") { slashes } else { slashes + 1 }
}

fn height(room: &str) -> Option<usize> {
    ROOMS.iter().position(|(name, _)| *name == room)
}

/// Every name that code outside tests takes from the crate root, by `crate::` or enough `super::`.
fn root_names(tokens: &[Token], file_depth: usize) -> Vec<(usize, String)> {
    let mut names = Vec::new();
    // Whether each brace that is open belongs to a module.
    let mut braces: Vec<bool> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let token = &tokens[at];
        match &token.kind {
            Kind::Mark('{') => braces.push(at >= 2 && tokens[at - 2].is_word("mod")),
            Kind::Mark('}') => {
                braces.pop();
            }
            Kind::Word(word) if !token.in_test && colons_follow(&tokens[at..]) => {
                let supers = path_supers(&tokens[at..]);
                let depth = file_depth + braces.iter().filter(|module| **module).count();
                // The words before the name, each with its two colons.
                let before = 3 * supers.max(1);
                if word == "crate" || supers == depth {
                    names.extend(first_names(&tokens[at + before..]));
                }
                at += before - 1;
            }
            _ => {}
        }
        at += 1;
    }
    names
}

/// How many `super::` stand here in a row.
fn path_supers(tokens: &[Token]) -> usize {
    tokens.chunks(3).take_while(|words| words[0].is_word("super") && colons_follow(words)).count()
}

/// Whether the first token is followed by `::`.
fn colons_follow(tokens: &[Token]) -> bool {
    matches!(tokens, [_, a, b, ..] if a.is_mark(':') && b.is_mark(':'))
}

/// The first word of each path of a use tree: of `{a::b, c::{d, e}}`, `a` and `c`.
fn first_names(tokens: &[Token]) -> Vec<(usize, String)> {
    let named = |token: &Token| token.word().map(|word| (token.line, word.to_owned()));
    if !tokens.first().is_some_and(|t| t.is_mark('{')) {
        return tokens.first().and_then(named).into_iter().collect();
    }
    let mut names = Vec::new();
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Mark('{') => depth += 1,
            Kind::Mark('}') => depth -= 1,
            _ if depth == 1 && (tokens[at - 1].is_mark('{') || tokens[at - 1].is_mark(',')) => {
                names.extend(named(token));
            }
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::super::rust::tokens;
    use super::*;

    fn problems(path: &str, source: &str) -> Vec<(usize, String)> {
        let root = tokens("pub use error::Error; pub use members::{Buckets, Members};");
        wrong_imports(path, &tokens(source), &exports(&root))
    }

    #[test]
    fn looking_up_is_allowed_and_looking_down_is_not() {
        assert_eq!(problems("bounded.rs", "use crate::ring::Ring;\nuse crate::{Error, Members};"), []);
        for source in [
            "use crate::bounded::Bounded;",
            "use crate::{error::Error, bounded::Bounded};",
            "use crate::{\n    error::{Error, Kind},\n    bounded,\n};",
            "use super::bounded::Bounded;",
            "mod inner { use super::super::bounded::Bounded; }",
            "fn f() -> crate::bounded::Bounded { f() }",
        ] {
            let found = problems("ring.rs", source);
            assert_eq!(found.len(), 1, "{source}: {found:?}");
            assert!(found[0].1.contains("`ring` may not import from `bounded`"), "{found:?}");
        }
    }

    #[test]
    fn a_re_exported_name_counts_as_its_room() {
        assert_eq!(problems("hash/md5.rs", "use crate::Error;"), []);
        assert_eq!(problems("hash/md5.rs", "use crate::Members;").len(), 1);
    }

    #[test]
    fn super_is_followed_only_as_far_as_it_goes() {
        assert_eq!(problems("hash/md5.rs", "use super::KeyHash;"), []);
        assert_eq!(problems("hash/mod.rs", "use super::members::Members;").len(), 1);
        assert_eq!(problems("hash/md5.rs", "use super::super::members::Members;").len(), 1);
        assert_eq!(problems("hash/mod.rs", "mod a { use super::members; }"), []);
    }

    #[test]
    fn tests_and_documentation_look_where_they_like() {
        let source = "/// See [`crate::moves`].\n#[cfg(test)] mod tests { use crate::moves::Moves; }\npub(crate) fn f() {}";
        assert_eq!(problems("ring.rs", source), []);
    }

    #[test]
    fn an_unknown_room_is_a_problem_on_both_ends() {
        assert!(problems("kitchen.rs", "")[0].1.contains("`kitchen` has no line"));
        assert!(problems("ring.rs", "use crate::kitchen::Sink;")[0].1.contains("`crate::kitchen`"));
    }
}
