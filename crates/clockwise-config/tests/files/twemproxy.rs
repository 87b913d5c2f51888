//! Pools of nutcracker: names, weights, addresses.

use clockwise::Server;
use clockwise_config::{Options, load, parse};

use crate::{pool, refused};

/// A pool with these server lines.
fn servers(lines: &[&str]) -> String {
    let lines: String = lines.iter().map(|line| format!("   - {line}\n")).collect();
    format!("alpha:\n  listen: 127.0.0.1:22121\n  servers:\n{lines}")
}

#[test]
fn a_server_is_called_by_its_name_else_host_else_host_and_port() {
    for (line, name, address) in [
        ("10.0.0.1:11211:1 cache-1", "cache-1", "10.0.0.1:11211"),
        ("10.0.0.1:11211:1", "10.0.0.1", "10.0.0.1:11211"),
        ("10.0.0.1:11212:1", "10.0.0.1:11212", "10.0.0.1:11212"),
        ("10.0.0.1:011211:1", "10.0.0.1", "10.0.0.1:011211"),
        ("10.0.0.1:0123:1", "10.0.0.1:0123", "10.0.0.1:0123"),
        ("cache.example.com:11211:1 10.0.0.1:11211", "10.0.0.1:11211", "cache.example.com:11211"),
        ("2001:db8::1:11211:1", "2001:db8::1", "[2001:db8::1]:11211"),
        ("2001:db8::1:11212:1", "2001:db8::1:11212", "[2001:db8::1]:11212"),
        ("'[2001:db8::1]:11211:1'", "[2001:db8::1]", "[2001:db8::1]:11211"),
        ("/run/a.sock:1", "/run/a.sock:", "/run/a.sock"),
        ("/run/a.sock:1 a", "a", "/run/a.sock"),
    ] {
        let pool = pool(servers(&[line]));
        let server = &pool.servers().servers()[0];
        assert_eq!((server.name().as_str(), server.address().as_str()), (name, address), "{line}");
    }
}

#[test]
fn servers_keep_the_order_and_the_weights_of_the_file() {
    let pool = pool(servers(&["z:1:3 z", "a:1:1 a", "m:1:002 m"]));
    let list: Vec<(&str, u32)> =
        pool.servers().servers().iter().map(|s| (s.name().as_str(), s.weight().get())).collect();
    assert_eq!(list, [("z", 3), ("a", 1), ("m", 2)]);
    assert_eq!(pool.entries()[1].server().name().as_str(), "a");
}

#[test]
fn a_weight_of_zero_is_draining_with_a_warning() {
    let pool = pool(servers(&["a.test:11300:1", "b.test:11300:0", "c.test:11300:1"]));
    let draining: Vec<bool> = pool.servers().servers().iter().map(Server::is_draining).collect();
    assert_eq!(draining, [false, true, false]);
    assert_eq!(pool.warnings().len(), 1);
    assert_eq!(pool.warnings()[0].line(), Some(5));
}

#[test]
fn one_name_for_two_machines_is_refused_and_two_names_for_one_machine_are_not() {
    assert!(
        refused(servers(&["a:1:1 x", "b:1:1 x"])).contains("server \"x\" is listed twice, on lines 4 and 5")
    );
    assert!(
        refused(servers(&["10.0.0.1:11211:1", "10.0.0.1:011211:1"])).contains("\"10.0.0.1\" is listed twice")
    );
    assert_eq!(pool(servers(&["a:1:1 x", "a:1:1 y"])).servers().servers().len(), 2);
}

#[test]
fn merged_copies_count_once_and_copies_that_differ_are_refused() {
    let merge = Options { merge: true, ..Options::default() };
    let read = |lines: &[&str]| parse("f", servers(lines).as_bytes(), &merge);
    let merged = read(&["a:1:1", "b:1:1", "a:1:1", "a:1:1"]).unwrap().pick(None).unwrap();
    assert_eq!(merged.servers(), pool(servers(&["a:1:1", "b:1:1"])).servers());
    for (lines, says) in [
        (
            ["a:1:1 x", "a:1:2 x"],
            "server \"x\" is listed twice and cannot be merged: its weight is 1 in one place and 2 in another",
        ),
        (["a:1:1 x", "b:1:1 x"], "its address is a:1 in one place and b:1 in another"),
        (["a:1:1 x", "a:1:0 x"], "its state is active in one place and draining in another"),
    ] {
        let refused = read(&lines).unwrap_err();
        let diagnostic = refused.iter().find(|d| d.message().contains("merged")).unwrap();
        assert!(diagnostic.message().contains(says), "{diagnostic}");
        assert_eq!((diagnostic.line(), diagnostic.related_line()), (Some(5), Some(4)));
    }
}

#[test]
fn a_pool_that_places_nothing_stands_beside_one_that_does() {
    let text = "r:\n  listen: 127.0.0.1:1\n  distribution: random\n  servers:\n   - a:1:1\n\
        k:\n  listen: 127.0.0.1:2\n  servers:\n   - a:1:1\n";
    let file = parse("f", text.as_bytes(), &Options::default()).unwrap();
    assert_eq!(file.names().collect::<Vec<_>>(), ["r", "k"]);
    assert_eq!(file.pick(Some("k")).unwrap().name(), Some("k"));
    let reason = file.pick(Some("r")).unwrap_err();
    assert_eq!(reason.line(), Some(3));
    assert!(reason.message().contains("random places nothing"), "{reason}");
}

#[test]
fn a_pool_is_picked_by_its_name_after_the_path() {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus/twemproxy/two-pools.yml");
    let pages = load(&format!("{corpus}#pages"), &Options::default()).unwrap();
    assert_eq!(pages.name(), Some("pages"));
    assert_eq!(pages.servers().servers().len(), 2);
    let all = load(corpus, &Options::default()).unwrap_err().to_string();
    assert!(all.ends_with("the file holds 2 pools: sessions, pages"), "{all}");
}

#[test]
fn warnings_go_with_their_own_pool() {
    let text = "a:\n  listen: 127.0.0.1:1\n  servers:\n   - x:1:1\n   - y:1:0\n\
        b:\n  listen: 127.0.0.1:2\n  servers:\n   - x:1:1\n   - z:1:0\n";
    let file = parse("f", text.as_bytes(), &Options::default()).unwrap();
    let warned = |name| {
        let pool = file.pick(Some(name)).unwrap();
        pool.warnings().iter().map(|w| w.line().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!((warned("a"), warned("b")), (vec![5], vec![10]));
}

#[test]
fn what_nutcracker_refuses_and_is_clear_is_read_when_told_to_be_lenient() {
    let lenient = Options { lenient: true, ..Options::default() };
    let text = "---\nbase: &base\n  listen: '127.0.0.1:1'\n  timeout: '400'\n  redis: yes\n  colour: blue\n  \
        servers: [ 'a:1:1', 'b:1:2' ]\nother:\n  servers: &list\n   - c:1:1\nthird:\n  listen: 127.0.0.1:1\n  \
        redis_auth: x\n  servers: *list\n";
    assert!(parse("f", text.as_bytes(), &Options::default()).is_err());
    let file = parse("f", text.as_bytes(), &lenient).unwrap();
    let servers = |name| file.pick(Some(name)).unwrap().servers().servers().len();
    assert_eq!([servers("base"), servers("other"), servers("third")], [2, 1, 1]);
    let warned: usize =
        ["base", "other", "third"].map(|name| file.pick(Some(name)).unwrap().warnings().len()).iter().sum();
    assert!(warned >= 8, "{warned}");
}

#[test]
fn lookalikes_are_named_for_what_they_are() {
    let dynomite = "dyn_o_mite:\n  dyn_listen: 0.0.0.0:8101\n  listen: 0.0.0.0:8102\n  servers:\n  - 127.0.0.1:22122:1\n";
    assert!(refused(dynomite).contains("is one of Dynomite's by its key `dyn_listen`"));
    for word in ["pools", "sentinels"] {
        let text = format!("{word}:\n  alpha:\n    listen: 127.0.0.1:1\n");
        let refused = parse("f", text.as_bytes(), &Options::default()).unwrap_err();
        let help = refused.iter().next().unwrap().help().unwrap();
        assert!(help.contains("belongs to a fork of twemproxy"), "{help}");
    }
}

#[test]
fn separators_of_unicode_that_end_lines_for_nutcracker_are_refused() {
    let head = "a:\n  listen: 127.0.0.1:1\n  servers:\n   - 10.0.0.1:1:1 x";
    for separator in ['\u{85}', '\u{2028}', '\u{2029}'] {
        let text = format!("{head} # the first{separator}   - 10.0.0.2:1:1 hidden\n");
        let refused = parse("f", text.as_bytes(), &Options::default()).unwrap_err().to_string();
        let shown = separator.escape_unicode();
        let says = format!("f:4:32: nutcracker begins a new line at this character, `{shown}`");
        assert!(refused.contains(&says), "{refused}");
    }
}

#[test]
fn mappings_that_are_taken_in_by_others_are_read_when_told_to_be_lenient() {
    let text = "common: &common\n  hash: md5\n  distribution: modula\nalpha:\n  <<: *common\n  \
        listen: 127.0.0.1:1\n  hash: murmur\n  servers:\n   - a:1:1\n   - b:1:1\n";
    assert_eq!(
        refused(text),
        "fleet:1:1: pool \"common\" has no `listen`, and nutcracker refuses a pool without it\n\
         fleet:1:1: pool \"common\" has no `servers`\n\
         fleet:1:9: nutcracker refuses an anchor, `&common`\n\
         fleet:5:7: nutcracker refuses an alias, `*common`"
    );
    let lenient = Options { lenient: true, ..Options::default() };
    let pool = parse("f", text.as_bytes(), &lenient).unwrap().pick(None).unwrap();
    assert_eq!(pool.name(), Some("alpha"));
    assert_eq!(pool.scheme().to_string(), "twemproxy modula murmur", "what stands in the pool goes before");
    let none = "common: &common\n  hash: md5\n";
    assert!(
        parse("f", none.as_bytes(), &lenient).unwrap_err().to_string().contains("the file holds no pool")
    );
}

#[test]
fn of_a_key_given_twice_the_last_counts_when_told_to_be_lenient() {
    let text = "alpha:\n  listen: 127.0.0.1:1\n  hash: md5\n  hash: murmur\n  servers:\n   - a:1:1\n";
    assert!(refused(text).contains("`hash` is given twice, on lines 3 and 4"));
    let lenient = Options { lenient: true, ..Options::default() };
    let pool = parse("f", text.as_bytes(), &lenient).unwrap().pick(None).unwrap();
    assert_eq!(pool.scheme().to_string(), "twemproxy ketama murmur");
    let warning = &pool.warnings()[0];
    assert_eq!(warning.line(), Some(4));
    assert!(warning.message().starts_with("`hash` is given again"), "{warning}");
}

#[test]
fn what_forks_have_beside_it_is_named() {
    let pool = "alpha:\n  listen: 127.0.0.1:1\n  distribution: vnode\n  sentinels:\n   - s:26379\n  \
        servers:\n   - a:1:1\n";
    let said = refused(pool);
    assert!(
        said.contains("there is no distribution \"vnode\" in nutcracker: it is one of Dynomite"),
        "{said}"
    );
    let said = refused(pool.replace("vnode", "rendezvous"));
    assert!(said.contains("in nutcracker: a fork that has it places keys in a way of its own"), "{said}");
    let refused = parse("f", pool.as_bytes(), &Options::default()).unwrap_err();
    let help: Vec<&str> = refused.iter().filter_map(|said| said.help()).collect();
    assert!(help.iter().any(|help| help.contains("Redis Sentinel")), "{help:?}");
}
