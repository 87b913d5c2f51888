//! What each file of a corpus reads as, word for word: its pools with servers, settings and warnings,
//! or every complaint. `tests/expected/KIND.txt` holds it.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use clockwise::dialect::dskit;
use clockwise_config::{Kind, Options, Pool, Settings, parse};

/// The servers as a few words each: `name=address*weight @zone`, in brackets if it is draining; what is as
/// usual is left away.
pub(crate) fn servers(pool: &Pool) -> String {
    let texts = pool.servers().servers().iter().map(|server| {
        let mut text = server.name().to_string();
        if server.address().as_str() != server.name().as_str() {
            let _ = write!(text, "={}", server.address());
        }
        if server.weight().get() != 1 {
            let _ = write!(text, "*{}", server.weight());
        }
        if let Some(zone) = server.zone() {
            let _ = write!(text, " @{zone}");
        }
        if server.is_draining() { format!("({text})") } else { text }
    });
    texts.collect::<Vec<_>>().join(", ")
}

/// What a file reads as, a line for each thing.
fn summary(name: &str, bytes: &[u8], kind: Kind) -> String {
    let mut text = String::new();
    // What a ring's page leaves open.
    let placement = (kind == Kind::Dskit).then(|| dskit::Options::default().into());
    match parse(name, bytes, &Options { placement, ..Options::default() }) {
        Err(refused) => {
            for complaint in &refused {
                let _ = writeln!(text, "{complaint}");
                // That all kinds can be read is no matter of one.
                if let Some(help) = complaint.help().filter(|help| !help.starts_with("what can be read")) {
                    let _ = writeln!(text, "  help: {help}");
                }
            }
        }
        Ok(file) => {
            assert_eq!(file.kind(), kind, "{name}");
            let mut names: Vec<Option<&str>> = file.names().map(Some).collect();
            if names.is_empty() {
                names.push(None);
            }
            for picked in names {
                let pool_name = picked.unwrap_or("the fleet");
                match file.pick(picked) {
                    Err(reason) => {
                        let _ = writeln!(text, "{pool_name}: {reason}");
                        if let Some(help) = reason.help() {
                            let _ = writeln!(text, "  help: {help}");
                        }
                    }
                    Ok(pool) => {
                        let _ = writeln!(text, "{pool_name}: {}", servers(&pool));
                        let _ = writeln!(text, "  {}", Settings::of(pool.scheme()));
                        for warning in pool.warnings() {
                            let _ = writeln!(text, "  {warning}");
                            if let Some(help) = warning.help() {
                                let _ = writeln!(text, "    help: {help}");
                            }
                        }
                        for note in pool.notes() {
                            let _ = writeln!(text, "  note: {note}");
                        }
                        if let Err(error) = pool.scheme().build(pool.servers()) {
                            let _ = writeln!(text, "  {}", pool.diagnose(&error));
                        }
                    }
                }
            }
        }
    }
    text
}

fn check(kind: Kind) {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = here.join("../../fuzz/corpus").join(kind.name());
    let mut files: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut text = String::new();
    for path in &files {
        let name = path.file_name().unwrap().to_str().unwrap();
        let _ = writeln!(text, "== {name}\n{}", summary(name, &fs::read(path).unwrap(), kind));
    }
    let expected =
        fs::read_to_string(here.join("tests/expected").join(format!("{}.txt", kind.name()))).unwrap();
    let (ours, theirs): (Vec<&str>, Vec<&str>) = (text.lines().collect(), expected.lines().collect());
    let first = ours.iter().zip(&theirs).position(|(ours, theirs)| ours != theirs);
    let first = first.or((ours.len() != theirs.len()).then_some(ours.len().min(theirs.len())));
    if let Some(at) = first {
        let section = ours[..at].iter().rev().find(|line| line.starts_with("== ")).unwrap_or(&"");
        let line = |lines: &[&str]| lines.get(at).map_or("nothing", |line| *line).to_owned();
        panic!("{section}: line {}\n{}\nin place of\n{}\n\nall:\n{text}", at + 1, line(&ours), line(&theirs));
    }
}

#[test]
fn envoy_files_read_or_are_refused_as_expected() {
    check(Kind::Envoy);
}

#[test]
fn mcrouter_files_read_or_are_refused_as_expected() {
    check(Kind::Mcrouter);
}

#[test]
fn thanos_files_read_or_are_refused_as_expected() {
    check(Kind::Thanos);
}

#[test]
fn dskit_files_read_or_are_refused_as_expected() {
    check(Kind::Dskit);
}

#[test]
fn option_strings_read_or_are_refused_as_expected() {
    check(Kind::Libmemcached);
}

#[test]
fn lists_read_or_are_refused_as_expected() {
    check(Kind::List);
}

#[test]
fn listings_of_nodetool_read_or_are_refused_as_expected() {
    check(Kind::Nodetool);
}

#[test]
fn answers_of_redis_read_or_are_refused_as_expected() {
    check(Kind::RedisCluster);
}
