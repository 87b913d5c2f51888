//! What the pages say of names and numbers that this crate knows.

use std::fs;
use std::path::Path;

use clockwise::catalogue;
use clockwise::hash::NamedHash;

use crate::dialect::DIALECTS;
use crate::placement::SCHEMES;
use crate::{Kind, MAX_BYTES};

fn page(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)).unwrap()
}

/// The rows of a page's tables that begin with one name in code, and what stands behind it.
fn rows(page: &str) -> impl Iterator<Item = (&str, &str)> {
    page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` |"))
}

/// The numbers that pages write as words.
fn word(number: usize) -> &'static str {
    const WORDS: [&str; 21] = [
        "no",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
        "twenty",
    ];
    WORDS[number]
}

#[test]
fn every_dialect_has_its_row_with_its_settings() {
    let files = page("docs/fleet-files.md");
    let table = files.split("| dialect | settings |").nth(1).unwrap().split("\n\n").next().unwrap();
    let rows: Vec<(&str, &str)> = rows(table).collect();
    let mut names: Vec<&str> = DIALECTS.iter().map(|(name, _)| *name).collect();
    names.sort_unstable();
    assert_eq!(rows.iter().map(|(name, _)| *name).collect::<Vec<_>>(), names);
    for (name, settings) in rows {
        let (_, keys) = DIALECTS.iter().find(|(known, _)| *known == name).unwrap();
        for key in *keys {
            assert!(settings.contains(&format!("`{key}`")), "{name} has {key}, and its row does not");
        }
        assert_eq!(keys.is_empty(), settings.trim() == "|", "{name}: {settings}");
    }
}

#[test]
fn every_system_is_in_the_table_of_dialects_and_the_readme_counts_them() {
    let dialects = page("docs/dialects.md");
    let (table, _) = dialects.split_once("**What all of them share.**").unwrap();
    // The lab is no system.
    let systems: Vec<&str> = DIALECTS.iter().map(|(name, _)| *name).filter(|name| *name != "lab").collect();
    for name in &systems {
        assert!(table.contains(&format!("| `{name}` |")), "{name} has no row");
    }
    let listed = table.lines().filter(|line| line.starts_with("| ") && line.contains(" | `")).count();
    assert_eq!(listed, systems.len());
    let readme = page("README.md");
    assert!(
        readme.contains(&format!("byte for byte as {} other systems do", systems.len())),
        "{}",
        systems.len()
    );
}

#[test]
fn every_scheme_and_hash_is_named_and_the_readme_counts_the_schemes() {
    let files = page("docs/fleet-files.md");
    let listed =
        files.lines().find_map(|line| line.strip_prefix("scheme = \"ring\"")?.split_once("# ")).unwrap().1;
    let mut listed: Vec<&str> = listed.split(", ").collect();
    let mut schemes: Vec<&str> = SCHEMES.iter().map(|(name, _)| *name).collect();
    listed.sort_unstable();
    schemes.sort_unstable();
    assert_eq!(listed, schemes);
    for (scheme, keys) in SCHEMES.iter() {
        for key in *keys {
            let row =
                rows(&files).find(|(name, _)| name == key).unwrap_or_else(|| panic!("{scheme}: {key}")).1;
            assert!(row.contains(&format!("`{scheme}`")) || *key == "hash", "{key} is one of {scheme}");
        }
    }
    let hashes = rows(&files).find(|(key, _)| *key == "hash").unwrap().1;
    for hash in NamedHash::ALL {
        assert!(hashes.contains(&format!("`{hash}`")), "{hash}");
    }
    let readme = page("README.md");
    for count in [
        format!("{}\n[newer schemes]", word(catalogue::SCHEMES.len())),
        format!(" {} schemes, ", word(schemes.len())),
    ] {
        assert!(readme.contains(&count), "{count}");
    }
}

#[test]
fn the_limit_of_a_file_and_the_kinds_of_files_are_named() {
    let files = page("docs/fleet-files.md");
    assert!(files.replace('\n', " ").contains(&format!("Files of up to {} MiB are read", MAX_BYTES >> 20)));
    // Each kind has a section; these are called otherwise than in messages.
    let sections = [
        ("clockwise fleet", "clockwise's own"),
        ("dskit ring", "The ring page of"),
        ("libmemcached options", "libmemcached's option strings"),
        ("PHP or Python list", "Lists of PHP and Python"),
    ];
    for kind in Kind::all() {
        let title = kind.to_string();
        let section =
            sections.iter().find(|(known, _)| *known == title).map_or(title.as_str(), |(_, section)| section);
        assert!(files.contains(&format!("\n## {section}")), "{title}");
    }
}
