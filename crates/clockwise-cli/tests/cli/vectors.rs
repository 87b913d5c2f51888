//! `clockwise vectors`: the files that are printed and written, and answers that are recomputed.

use std::fs;
use std::path::{Path, PathBuf};

use clockwise_vectors::{FILES, SCHEMA};

use super::json::{check, json};
use super::{FLEET, assert_has, file, run};

const FOLDER: &str = "vectors/clockwise/v1";

/// The vectors of that name in a file, with one text put in the place of another, where it stands first.
fn altered(path: &str, name: &str, from: &str, to: &str) -> String {
    let (_, text) = FILES.iter().find(|(known, _)| *known == name).unwrap();
    assert!(text.contains(from), "{name} holds no {from}");
    file(path, text.replacen(from, to, 1))
}

#[test]
fn one_file_is_printed_and_all_are_written() {
    let (_, ring) = FILES.iter().find(|(name, _)| *name == "ring").unwrap();
    assert!(run(["vectors", "ring"]).fine() == *ring);
    assert!(run(["vectors", "schema"]).fine() == SCHEMA);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("vectors/all");
    let _ = fs::remove_dir_all(&folder);
    assert_eq!(run(["vectors", "--out", folder.to_str().unwrap()]).fine(), "");
    let written: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(written.len(), FILES.len() + 1);
    for path in written {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let expected = FILES.iter().find(|(known, _)| *known == name).map_or(SCHEMA, |(_, text)| *text);
        assert!(fs::read_to_string(&path).unwrap() == expected, "{name}");
    }
}

#[test]
fn the_files_of_the_program_and_those_of_a_folder_come_out_again() {
    let counts = |name: &str| format!("{name}  ");
    let own = run(["vectors", "--check"]).fine();
    assert_has(&own, &["file", "differences", &counts("jump"), &counts("all")]);
    assert_eq!(own.lines().count(), FILES.len() + 2);
    assert!(own.lines().skip(1).all(|line| line.ends_with(" 0")), "{own}");
    // The schema is no file of vectors, and is passed over.
    let folder = run(["vectors", "--check", FOLDER]).fine();
    assert_eq!(folder.lines().count(), FILES.len() + 2);
    let total =
        |table: &str| table.lines().last().unwrap().split_whitespace().skip(1).collect::<Vec<_>>().join(" ");
    assert_eq!(total(&folder), total(&own));
}

#[test]
fn an_answer_that_comes_out_otherwise_is_1_and_is_named() {
    let path = altered(
        "altered.json",
        "jump",
        "\"key\":\"61\",\"owner\":\"cache-1\"",
        "\"key\":\"61\",\"owner\":\"cache-2\"",
    );
    let run = run(["vectors", "--check", &path, &format!("{FOLDER}/ring.json")]);
    assert_eq!(run.code, 1, "{}", run.err);
    assert_has(
        &run.err,
        &[&format!("{path}: group 8, test 62: owner: expected cache-2, got cache-1"), "1 difference in "],
    );
    assert!(run.out.lines().last().unwrap().ends_with(" 1"), "{}", run.out);
}

#[test]
fn what_is_no_file_of_vectors_is_3_and_says_where() {
    let path = altered("unreadable.json", "jump", "\"key\":\"61\"", "\"key\":\"6g\"");
    let said = run(["vectors", "--check", &path]).refused(3);
    assert_has(&said, &[&format!("{path}: group 1, test 3: \"6g\" is not bytes in lower-case hexadecimal")]);
    let cut = file("cut.json", "{\n  \"format\": \"clock");
    let expected = "test vectors are JSON as `clockwise vectors --out DIR` writes it";
    let broken = file("broken.json", "{\n  \"format\" =");
    let other = file("other.json", "{ \"name\": \"package\" }");
    for (path, said) in [
        (cut.as_str(), format!("{cut}:2: the file ends where its JSON does not; {expected}")),
        (&broken, format!("{broken}:2: no JSON at column 12; {expected}")),
        (FLEET, format!("{FLEET}:1: no JSON at column 1; {expected}")),
        (&other, format!("{other}: there is no `format`; {expected}")),
    ] {
        assert_eq!(run(["vectors", "--check", path]).refused(3), format!("error: {said}\n"));
    }
    assert_has(&run(["vectors", "--check", "no/such.json"]).refused(3), &["no/such.json cannot be read"]);
    let empty = Path::new(env!("CARGO_TARGET_TMPDIR")).join("vectors/none");
    fs::create_dir_all(&empty).unwrap();
    assert_has(&run(["vectors", "--check", empty.to_str().unwrap()]).refused(3), &["holds no vectors"]);
    let latin = file("latin.json", b"\xff");
    assert_has(
        &run(["vectors", "--check", &latin]).refused(3),
        &["latin.json cannot be read: it is no text"],
    );
}

#[test]
#[cfg(unix)]
fn a_file_without_an_end_is_not_read_for_ever() {
    let said = run(["vectors", "--check", "/dev/zero"]).refused(3);
    assert_has(&said, &["/dev/zero is larger than 64 MiB, and no file of vectors is"]);
}

#[test]
fn a_name_that_has_no_vectors_is_2_and_the_known_are_listed() {
    assert_has(
        &run(["vectors", "rign"]).refused(2),
        &["there are no vectors of \"rign\"; known: hash, mod-n, ring"],
    );
    assert_has(&run(["vectors"]).refused(2), &["required arguments were not provided"]);
    assert_has(&run(["vectors", "ring", "--list"]).refused(2), &["cannot be used with"]);
    let listed = run(["vectors", "--list"]).fine();
    assert_eq!(listed.lines().count(), FILES.len() + 1);
    assert_has(&listed, &["twemproxy", "As twemproxy places keys."]);
}

#[test]
fn the_json_of_vectors_is_as_documented() {
    check("vectors --list", &[json(&["vectors", "--list"]).json()]);
    let owner = altered(
        "altered-owner.json",
        "jump",
        "\"key\":\"61\",\"owner\":\"cache-1\"",
        "\"key\":\"61\",\"owner\":\"cache-2\"",
    );
    let pool = altered("altered-pool.json", "maglev", "\"table_size\":65537", "\"table_size\":65536");
    let answer = json(&["vectors", "--check", &owner, &pool]);
    assert_eq!(answer.code, 1);
    check("vectors --check", &[serde_json::from_str(&answer.out).unwrap()]);
}

/// The digest of a ring's points is that of the lines that the command prints for them.
#[test]
fn the_digest_of_points_is_that_of_their_csv() {
    let fleet = super::fleet("scheme = \"ring\"", &[("cache-1", 1), ("cache-2", 1), ("cache-3", 1)]);
    let csv = run(["ring", &file("points.toml", fleet), "--points", "--format", "csv"]).fine();
    let lines = csv.split_once('\n').unwrap().1;
    let (_, ring) = FILES.iter().find(|(name, _)| *name == "ring").unwrap();
    let ring: serde_json::Value = serde_json::from_str(ring).unwrap();
    let test = &ring["groups"][0]["tests"][0];
    assert_eq!(test["count"], lines.lines().count());
    let path = file("points.csv", lines);
    let digest = std::process::Command::new("sha256sum").arg(path).output().unwrap().stdout;
    assert_eq!(String::from_utf8(digest).unwrap().split_whitespace().next(), test["sha256"].as_str());
}
