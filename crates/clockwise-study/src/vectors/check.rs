//! Checking vectors: every test is computed anew.

use std::fmt;

use clockwise::{Placement as _, ServerIx};

use super::hashes;
use super::make::{arriving, layout, names};
use super::model::{
    File, Group, HashHead, HashTest, OwnerTest, PointsTest, PoolHead, RejectHead, RejectTest, Tests,
};
use super::pool::{Built, Pool, system};

/// A test whose answer came out otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    group: usize,
    test: Option<u64>,
    what: String,
    expected: String,
    got: String,
}

impl Difference {
    /// The group's number in its file, from 1.
    pub fn group(&self) -> usize {
        self.group
    }

    /// The test's id; nothing where the group as a whole cannot be asked.
    pub fn test(&self) -> Option<u64> {
        self.test
    }

    /// What was compared: `owner`, `sha256`.
    pub fn what(&self) -> &str {
        &self.what
    }

    /// What the file says.
    pub fn expected(&self) -> &str {
        &self.expected
    }

    /// What came out.
    pub fn got(&self) -> &str {
        &self.got
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "group {}", self.group)?;
        if let Some(test) = self.test {
            write!(f, ", test {test}")?;
        }
        write!(f, ": {}: expected {}, got {}", self.what, self.expected, self.got)
    }
}

/// Recomputes every test of a file: what differs, in the order of the file.
pub fn check(file: &File) -> Vec<Difference> {
    let mut found = Found { group: 0, differences: Vec::new() };
    for (group, number) in file.groups.iter().zip(1..) {
        found.group = number;
        match group {
            Group::Hash(group) => found.hash(group),
            Group::Points(group) => found.points(group),
            Group::Owner(group) => found.owners(group),
            Group::Reject(group) => found.rejects(group),
        }
    }
    found.differences
}

struct Found {
    group: usize,
    differences: Vec<Difference>,
}

impl Found {
    fn compare<T: PartialEq + fmt::Display>(&mut self, test: Option<u64>, what: &str, expected: T, got: T) {
        if expected != got {
            self.differences.push(Difference {
                group: self.group,
                test,
                what: what.to_owned(),
                expected: expected.to_string(),
                got: got.to_string(),
            });
        }
    }

    fn hash(&mut self, Tests { head, tests }: &Tests<HashHead, HashTest>) {
        let Some(hash) = hashes::find(&head.hash) else {
            return self.compare(None, "hash", head.hash.as_str(), "no hash of that name");
        };
        self.compare(None, "bits", head.bits, hash.bits());
        for test in tests {
            self.compare(Some(test.id), "value", test.value.0, hash.hash(&test.input.0));
        }
    }

    /// The pool of a group; a pool that is refused is one difference.
    fn pool(&mut self, head: &PoolHead) -> Option<Built> {
        match Pool::of(head).build() {
            Ok(built) => Some(built),
            Err(refused) => {
                self.compare(None, "pool", "a placement".to_owned(), format!("a refusal: {refused}"));
                None
            }
        }
    }

    fn points(&mut self, Tests { head, tests }: &Tests<PoolHead, PointsTest>) {
        let Some(Built { built, .. }) = self.pool(head) else { return };
        let points = layout(&built);
        for test in tests {
            let id = Some(test.id);
            let Some(got) = points.clone().map(|points| points.test(test.id, Vec::new())) else {
                self.compare(id, "of", format!("{:?}", test.of), "no points and no slots".to_owned());
                continue;
            };
            self.compare(id, "of", format!("{:?}", test.of), format!("{:?}", got.of));
            self.compare(id, "count", test.count, got.count);
            for (what, expected, got) in [("first", &test.first, &got.first), ("last", &test.last, &got.last)]
            {
                let shown = |point: &super::model::Point| format!("{} of {}", point.position.0, point.server);
                self.compare(id, what, shown(expected), shown(got));
            }
            self.compare(id, "sha256", String::from(test.sha256.clone()), String::from(got.sha256));
        }
    }

    fn owners(&mut self, Tests { head, tests }: &Tests<PoolHead, OwnerTest>) {
        let Some(Built { built, .. }) = self.pool(head) else { return };
        let name = |ix: ServerIx| built.servers()[ix.index()].name().as_str();
        let keys: Vec<Vec<u8>> = tests.iter().map(|test| test.key.0.clone()).collect();
        let goes_to = built.cap().and_then(|cap| arriving(&built, &keys, cap));
        let mut batch = vec![ServerIx::new(0); keys.len()];
        built.owners_of(&keys.iter().map(Vec::as_slice).collect::<Vec<_>>(), &mut batch);
        for (at, test) in tests.iter().enumerate() {
            let id = Some(test.id);
            let alone = name(built.owner_ix(&test.key.0));
            self.compare(id, "owner", test.owner.as_str(), alone);
            self.compare(id, "owner in a batch", alone, name(batch[at]));
            if let Some(expected) = &test.preference {
                let list = built.ranked().map(|ranked| ranked.preference(&test.key.0, expected.len()));
                let got = match list {
                    Some(list) => list.into_iter().map(name).collect::<Vec<_>>().join(", "),
                    None => "no order of servers".to_owned(),
                };
                self.compare(id, "preference", expected.join(", "), got);
            }
            if let Some(expected) = &test.goes_to {
                let got = goes_to.as_ref().map_or("no cap", |servers| name(servers[at]));
                self.compare(id, "goes_to", expected.as_str(), got);
            }
        }
    }

    fn rejects(&mut self, Tests { head, tests }: &Tests<RejectHead, RejectTest>) {
        let (what, system) = system(head.scheme.as_deref(), head.dialect.as_deref());
        if !names().any(|known| known == system) {
            // Nothing of an unknown system is accepted, and that shows nothing.
            return self.compare(None, what, system, "no system of that name");
        }
        for test in tests {
            let pool = Pool { what, system, settings: &test.settings, servers: test.servers.clone() };
            let got = if pool.build().is_ok() { "a placement" } else { "a refusal" };
            self.compare(Some(test.id), "pool", "a refusal", got);
        }
    }
}

#[cfg(test)]
mod tests {
    use clockwise_fuzz::Campaign;

    use super::*;
    use crate::vectors::{make, read};

    /// A file with the first group of each type, and few tests.
    fn small(name: &str) -> Vec<u8> {
        let mut file = make(name).unwrap();
        let mut seen = Vec::new();
        file.groups.retain(|group| {
            let kind = std::mem::discriminant(group);
            let is_new = !seen.contains(&kind);
            seen.push(kind);
            is_new
        });
        for group in &mut file.groups {
            match group {
                Group::Hash(group) => group.tests.truncate(2),
                Group::Points(group) => group.tests.truncate(2),
                Group::Owner(group) => group.tests.truncate(2),
                Group::Reject(group) => group.tests.truncate(2),
            }
        }
        file.to_json().into_bytes()
    }

    /// Whether all pools are small enough to be built thousands of times.
    fn is_light(file: &File) -> bool {
        let pool = |head: &PoolHead| {
            let weight: u64 = head.servers.iter().map(|server| u64::from(server.weight)).sum();
            let numbers = head.settings.values().filter_map(serde_json::Value::as_u64);
            weight * numbers.max().unwrap_or(1).max(1) <= 2_000
        };
        file.groups.iter().all(|group| match group {
            Group::Points(group) => pool(&group.head),
            Group::Owner(group) => pool(&group.head),
            Group::Hash(_) => true,
            // Refused or built, with any weights: the first of them is enough.
            Group::Reject(group) => group.tests.iter().all(|test| test.servers.len() < 2),
        })
    }

    #[test]
    fn no_file_makes_a_reader_or_a_check_panic() {
        let corpus = ["hash", "ring", "jump", "bounded", "gomemcache", "cassandra"].map(small).to_vec();
        let words = &[
            "\"",
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "null",
            "\"flags\":[]",
            "\"weight\":0",
            "\"weight\":2",
            "\"state\":\"draining\"",
            "\"tests\":[]",
            "\"servers\":[]",
            "\"type\":\"points\"",
            "\"type\":\"owner\"",
            "\"scheme\":\"maglev\"",
            "-1",
            "0.5",
            "\\u0000",
            "\u{e9}",
        ];
        let mut checked = 0;
        Campaign { name: "vectors", corpus, words, seed: 0x7ec, rounds: 20_000 }.run(|bytes, _| {
            let Ok(text) = std::str::from_utf8(bytes) else { return };
            let Ok(file) = read(text) else { return };
            assert_eq!(read(&file.to_json()).as_ref(), Ok(&file));
            if is_light(&file) {
                checked += 1;
                check(&file);
            }
        });
        assert!(checked >= 4, "{checked} were read again and small enough");
    }
}
