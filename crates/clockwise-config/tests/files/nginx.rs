//! Upstreams of nginx: recorded answers through a file, includes, and what is told.

use std::fs;
use std::path::{Path, PathBuf};

use clockwise::Placement as _;
use clockwise_config::{About, Options, load, parse, read};
use serde_json::Value;

use crate::pool;

#[test]
fn every_recorded_owner_of_nginx_comes_out_of_a_file() {
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors");
    let open =
        |file: &str| -> Value { serde_json::from_slice(&fs::read(vectors.join(file)).unwrap()).unwrap() };
    let (recorded, keys) = (open("nginx/nginx.json"), open("keys/memcached-family.json"));
    let mut asked = 0;
    for case in recorded["cases"].as_array().unwrap() {
        let mut text = format!("upstream up {{\n  {};\n", case["config"]["directive"].as_str().unwrap());
        for server in recorded["fleets"][case["fleet"].as_str().unwrap()].as_array().unwrap() {
            text += &format!("  server {} weight={};\n", server["text"].as_str().unwrap(), server["weight"]);
        }
        let pool = pool(text + "}\n");
        let place = pool.scheme().build(pool.servers()).unwrap();
        let keys = keys[case["keys"].as_str().unwrap()].as_array().unwrap();
        for (key, owner) in keys.iter().zip(case["owners"].as_array().unwrap()) {
            let ours = place.owner_ix(key.as_str().unwrap().as_bytes()).index();
            assert_eq!(owner.as_u64(), Some(ours as u64), "{}: {key}", case["fleet"]);
            asked += 1;
        }
    }
    assert_eq!(asked, 5_400);
}

/// A folder with these files in it.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    for (file, text) in files {
        let path = folder.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

#[test]
fn included_files_are_read_from_the_folder_of_the_file_and_say_their_own_lines() {
    let folder = folder(
        "nginx-include",
        &[
            (
                "nginx.conf",
                "events {}\nhttp {\n  include conf.d/*.conf;\n  include none-*.conf;\n  include mime.types;\n}\n",
            ),
            ("conf.d/b.conf", "# the second\nupstream b {\n  hash $uri;\n  include lists/b.servers;\n}\n"),
            ("conf.d/a.conf", "upstream a { hash $uri consistent; server 10.0.0.1 weight=2; }"),
            ("conf.d/.hidden.conf", "upstream hidden { server 10.0.0.1; }\n"),
            ("lists/b.servers", "server 10.0.0.7;\nserver 10.0.0.8;\nserver cache.test:80;\n"),
        ],
    );
    let main = folder.join("nginx.conf");
    let file = read(main.to_str().unwrap(), &Options::default()).unwrap();
    assert_eq!(file.names().collect::<Vec<_>>(), ["a", "b"]);
    let pool = file.pick(Some("b")).unwrap();
    assert_eq!(pool.servers().servers().len(), 3);
    let at =
        |about| (pool.path_of(about).strip_prefix(folder.to_str().unwrap()).unwrap(), pool.line_of(about));
    assert_eq!(at(About::Fleet), ("/conf.d/b.conf", 2));
    assert_eq!(at(About::Server("10.0.0.8")), ("/lists/b.servers", 2));
    assert_eq!(at(About::Setting("consistent")), ("/conf.d/b.conf", 3));
    let [warning] = pool.warnings() else { panic!("{:?}", pool.warnings()) };
    assert!(warning.path().ends_with("lists/b.servers") && warning.line() == Some(3), "{warning}");
    assert!(file.pick(Some("a")).unwrap().warnings().is_empty());
    let a = load(&format!("{}#a", main.display()), &Options::default()).unwrap();
    assert_eq!(a.servers().total_weight(), 2);
}

#[test]
fn includes_that_lead_nowhere_are_refused_with_their_name() {
    let folder = folder(
        "nginx-include-wrong",
        &[
            ("missing.conf", "upstream a {\n  include servers.conf;\n}\n"),
            ("itself.conf", "upstream a { server b; }\ninclude itself.conf;\n"),
            ("folder.conf", "include .;\n"),
            ("broken.conf", "upstream a {\n  include broken.servers;\n  hash $uri;\n}\n"),
            ("broken.servers", "server 10.0.0.1;\nserver 10.0.0.2:x;\nserver 10.0.0.1;\n"),
            ("torn.conf", "include torn.part;\nupstream a { server b; }\n"),
            ("torn.part", "upstream b {\n  server c\n"),
        ],
    );
    for (file, place, says) in [
        (
            "missing.conf",
            "missing.conf:2:11: `include` of \"servers.conf\": ",
            "cannot be read: No such file",
        ),
        ("itself.conf", "itself.conf:2:9: `include` of \"itself.conf\": ", "itself.conf includes itself"),
        ("folder.conf", "folder.conf:1:9: `include` of \".\": ", "is no file"),
        ("broken.conf", "broken.servers:2:8: ", "server \"10.0.0.2:x\": the port is no number"),
        ("torn.conf", "torn.part:2:10: ", "the file ends after `c` without `;`"),
    ] {
        let path = folder.join(file);
        let refused = read(
            path.to_str().unwrap(),
            &Options { from: Some(clockwise_config::Kind::Nginx), ..Options::default() },
        );
        let refused = refused.unwrap_err();
        let all = refused.to_string();
        assert!(all.contains(place) && all.contains(says), "{all}");
        assert!(
            refused.render(false).contains(place.split(": ").next().unwrap()),
            "{}",
            refused.render(false)
        );
    }
    let twice =
        read(folder.join("broken.conf").to_str().unwrap(), &Options::default()).unwrap_err().to_string();
    assert!(
        twice.contains("broken.servers:3:8: server \"10.0.0.1\" is listed twice, on lines 1 and 3"),
        "{twice}"
    );
}

#[test]
fn countless_includes_are_given_up() {
    let found = "include *.none;\n".repeat(5_000);
    let missing = "include none;\n".repeat(5_000);
    let folder = folder("nginx-include-many", &[("found.conf", &found), ("missing.conf", &missing)]);
    for (file, line) in [("found.conf", 4_097), ("missing.conf", 1)] {
        let path = folder.join(file);
        let from = Some(clockwise_config::Kind::Nginx);
        let refused = read(path.to_str().unwrap(), &Options { from, ..Options::default() }).unwrap_err();
        assert_eq!(refused.iter().next().unwrap().line(), Some(line), "{refused}");
        let last = refused.iter().last().unwrap().message().to_owned();
        assert_eq!(last.contains("after so many others"), file == "found.conf", "{last}");
    }
}

#[test]
fn a_placement_that_is_told_takes_the_place_of_turns() {
    let text = b"upstream a { server 10.0.0.1; server 10.0.0.2 weight=3; server 10.0.0.3 backup; }";
    let reason = parse("f", text, &Options::default()).unwrap().pick(None).unwrap_err();
    assert_eq!(
        reason.to_string(),
        "f:1:10: upstream \"a\" has no `hash`: its servers take turns, and no key has an owner"
    );
    assert!(reason.help().unwrap().contains("--placement"));
    let ring: clockwise_config::Settings = "ring".parse().unwrap();
    let options = Options { placement: Some(ring.scheme().unwrap()), ..Options::default() };
    let pool = parse("f", text, &options).unwrap().pick(None).unwrap();
    assert_eq!((pool.servers().total_weight(), pool.scheme().to_string().as_str()), (4, "ring-160"));
}

#[test]
fn what_later_versions_take_is_read_when_asked() {
    let text = b"upstream a {\n  hash $uri consistent;\n  resolver 10.0.0.53;\n  server cache.test:80 resolve;\n  server 10.0.0.2 drain;\n}\n";
    let refused = parse("f", text, &Options::default()).unwrap_err();
    assert_eq!(refused.iter().count(), 3);
    assert!(refused.iter().all(|d| d.help().unwrap().ends_with("--lenient reads it all the same")));
    let pool =
        parse("f", text, &Options { lenient: true, ..Options::default() }).unwrap().pick(None).unwrap();
    assert_eq!(pool.warnings().len(), 3);
    assert!(pool.servers().get("10.0.0.2").unwrap().is_draining());
}

#[test]
fn copies_are_joined_on_a_ring_and_not_where_each_has_a_share() {
    let merge = Options { merge: true, ..Options::default() };
    let read = |method: &str| {
        let text = format!("upstream a {{ {method}; server 10.0.0.1; server 10.0.0.2; server 10.0.0.1; }}");
        parse("f", text.as_bytes(), &merge)
    };
    let ring = read("hash $uri consistent").unwrap().pick(None).unwrap();
    assert_eq!(ring.servers().servers().len(), 2);
    let refused = read("hash $uri").unwrap_err().to_string();
    assert!(refused.contains("server \"10.0.0.1\" counts twice under a plain `hash`"), "{refused}");
}
