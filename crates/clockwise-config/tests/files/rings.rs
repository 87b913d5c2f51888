//! mcrouter, Thanos and dskit: files place as recorded, or as their settings do; what files leave open is
//! said beside them.

use std::fmt::Write as _;
use std::fs;

use clockwise::dialect::{Dialect, dskit, thanos};
use clockwise::{Placement as _, Scheme};
use clockwise_config::{Kind, Options, Pool, parse};
use serde_json::Value;

use crate::{pool, read, refused};

fn recorded(file: &str) -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/").to_owned() + file;
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// Bytes that are written in hexadecimal.
fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

fn said(text: &str, placement: Scheme) -> Pool {
    let options = Options { placement: Some(placement), ..Options::default() };
    parse("fleet", text.as_bytes(), &options).unwrap().pick(None).unwrap()
}

#[test]
fn pools_of_mcrouter_place_keys_as_recorded() {
    let file = recorded("mcrouter/mcrouter-ch3.json");
    let mut answers = 0;
    for (field, hash) in [("ch3", "{}"), ("crc32", "\"Crc32\"")] {
        for (at, servers) in file["n"].as_array().unwrap().iter().enumerate() {
            let servers: Vec<String> =
                (0..servers.as_u64().unwrap()).map(|i| format!("\"10.0.0.{i}:11211:ascii\"")).collect();
            let pool = pool(format!(
                "// {field}\n{{\"pools\": {{\"A\": {{\"servers\": [{}]}}}},\n \
                 \"route\": {{\"type\": \"PoolRoute\", \"pool\": \"A\", \"hash\": {hash}}}}}",
                servers.join(", ")
            ));
            assert_eq!(pool.kind(), Kind::Mcrouter);
            let placed = pool.scheme().build(pool.servers()).unwrap();
            for (key, owners) in file[field].as_object().unwrap() {
                let ours = placed.owner_ix(&bytes(key)).index();
                assert_eq!(Some(ours as u64), owners[at].as_u64(), "{field} of {key} in {}", servers.len());
                answers += 1;
            }
        }
    }
    println!("mcrouter files: {answers} recorded owners");
    assert_eq!(answers, 3_300);
}

#[test]
fn the_algorithm_of_a_hashring_is_in_the_file_or_said() {
    let text = r#"[{"hashring": "h", "endpoints": ["b:1", {"address": "a:1"}]}]"#;
    let reason = read(text).unwrap().pick(None).unwrap_err();
    assert!(reason.message().contains("the flag --receive.hashrings-algorithm says it"), "{reason}");
    for &algorithm in thanos::Algorithm::ALL {
        let scheme: Scheme = thanos::Options { algorithm }.into();
        let by_option = said(text, scheme.clone());
        let in_file = pool(text.replace("\"h\"", &format!("\"h\", \"algorithm\": \"{algorithm}\"")));
        assert_eq!((by_option.scheme(), in_file.scheme()), (&scheme, &scheme));
        let placed = [&by_option, &in_file].map(|pool| pool.scheme().build(pool.servers()).unwrap());
        for i in 0..100 {
            let key = format!("series-{i}");
            assert_eq!(placed[0].owner_ix(key.as_bytes()), placed[1].owner_ix(key.as_bytes()), "{key}");
        }
    }
    // The file goes before what is said.
    let other = text.replace("\"h\"", "\"h\", \"algorithm\": \"ketama\"");
    let pool = said(&other, thanos::Options { algorithm: thanos::Algorithm::Hashmod }.into());
    assert_eq!(pool.scheme().to_string(), pool_scheme("ketama"));
}

fn pool_scheme(algorithm: &str) -> String {
    Scheme::from(thanos::Options { algorithm: algorithm.parse().unwrap() }).to_string()
}

/// A page of three instances with generated tokens, each in a zone of its own.
fn page() -> (String, dskit::Options) {
    let mut options = dskit::Options::default();
    let mut shards = String::new();
    for (zone, mut generated) in (0..3).map(|zone| (zone, dskit::SpreadMinimizing::new(zone).unwrap())) {
        let name = format!("ingester-zone-{zone}-0");
        let tokens = generated.nth(zone as usize).unwrap();
        let comma = if zone == 0 { "" } else { ",\n" };
        let _ = write!(
            shards,
            "{comma}{{\"id\": \"{name}\", \"state\": \"ACTIVE\", \"address\": \"10.0.{zone}.1:9095\", \"zone\": \"{zone}\", \"tokens\": {tokens:?}}}"
        );
        options.tokens.insert(name.parse().unwrap(), tokens);
    }
    (format!("{{\"shards\": [{shards}], \"now\": \"2026-05-04T09:12:13Z\"}}"), options)
}

#[test]
fn a_ring_page_places_by_its_tokens_once_the_hash_is_said() {
    let (text, options) = page();
    let reason = read(&text).unwrap().pick(None).unwrap_err();
    assert!(reason.help().unwrap().contains("--placement dskit,hash=New32 "), "{reason}");
    for &hash in dskit::Hash::ALL {
        let pool = said(&text, dskit::Options { hash, ..dskit::Options::default() }.into());
        assert_eq!(pool.kind(), Kind::Dskit);
        let expected = dskit::Options { hash, ..options.clone() };
        assert_eq!(pool.scheme(), &Scheme::Dialect(Dialect::Dskit(expected.clone())));
        let (ours, ring) =
            (pool.scheme().build(pool.servers()).unwrap(), expected.build(pool.servers()).unwrap());
        let owners: Vec<usize> =
            (0..300).map(|i| ours.owner_ix(format!("tenant{i}__name__up").as_bytes()).index()).collect();
        assert_eq!(
            owners,
            (0..300).map(|i| ring.owner_ix(format!("tenant{i}__name__up")).index()).collect::<Vec<_>>()
        );
        assert!((0..3).all(|server| owners.contains(&server)));
    }
    // Another scheme takes the page as a list of instances.
    let pool = said(&text, Scheme::Rendezvous { hash: clockwise::hash::NamedHash::default() });
    assert_eq!(pool.servers().servers()[2].zone().map(ToString::to_string).as_deref(), Some("2"));
}

#[test]
fn a_page_without_tokens_asks_for_them_or_takes_those_that_are_said() {
    let (_, options) = page();
    let instance = |name| format!("{{\"id\": \"{name}\", \"state\": \"ACTIVE\", \"tokens\": null}}");
    let shards = ["ingester-zone-0-0", "ingester-zone-1-0"].map(instance).join(", ");
    let text = format!("{{\"shards\": [{shards}], \"now\": \"x\"}}");
    let bare = Options { placement: Some(dskit::Options::default().into()), ..Options::default() };
    let reason = parse("f", text.as_bytes(), &bare).unwrap().pick(None).unwrap_err();
    assert_eq!(reason.help(), Some("ask for the page with ?tokens=true"));
    let pool = said(&text, options.clone().into());
    assert_eq!(pool.scheme(), &Scheme::from(options));
}

#[test]
fn a_server_twice_in_a_list_of_places_is_never_merged() {
    let text = r#"{"pools": {"A": {"servers": ["a:1", "b:1", "a:1"]}}}"#;
    assert!(refused(text).contains("pool \"A\": server \"a:1\" is listed twice"));
    let options = Options { merge: true, ..Options::default() };
    assert!(parse("f", text.as_bytes(), &options).is_err(), "a copy owns keys of its own");
}

#[test]
fn files_of_one_kind_are_told_from_those_of_all_others() {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus");
    let mut told = 0;
    for kind in Kind::all() {
        // A kind's corpus is a folder of its name.
        let Ok(files) = fs::read_dir(format!("{corpus}/{}", kind.name())) else { continue };
        for path in files.map(|entry| entry.unwrap().path()) {
            if path.file_name().unwrap().to_str().unwrap().starts_with("odd-") {
                continue;
            }
            let file = parse("f", &fs::read(&path).unwrap(), &Options::default()).unwrap();
            assert_eq!(file.kind(), kind, "{}", path.display());
            told += 1;
        }
    }
    assert!(told > 60, "{told}");
}
