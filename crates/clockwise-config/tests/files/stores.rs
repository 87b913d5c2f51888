//! Lists of clients and what stores say of themselves.

use std::fs;
use std::path::Path;

use clockwise_config::{Kind, Options, Settings, parse};

use crate::summaries::servers;
use crate::{pool, refused};

const KINDS: [&str; 4] = ["libmemcached", "list", "nodetool", "redis-cluster"];

fn corpus(kind: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(kind);
    let mut files: Vec<(String, Vec<u8>)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(&path).unwrap())
        })
        .collect();
    files.sort();
    files
}

#[test]
fn content_tells_every_file_of_the_corpus_from_the_other_kinds() {
    let mut told = 0;
    for kind in Kind::all() {
        if KINDS.contains(&kind.name()) {
            for (name, bytes) in corpus(kind.name()) {
                let said = Options { from: Some(kind), ..Options::default() };
                let read = |options: &Options| match parse(&name, &bytes, options) {
                    Ok(file) => (file.kind().to_string(), String::new()),
                    Err(refused) => (kind.to_string(), refused.to_string()),
                };
                // Read as the kind that its folder says, or refused as one of that kind.
                assert_eq!(read(&Options::default()), read(&said), "{name}");
                told += 1;
            }
        } else {
            // No file of another kind is taken for one of these.
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(kind.name());
            if folder.exists() {
                for (name, bytes) in corpus(kind.name()) {
                    if let Ok(file) = parse(&name, &bytes, &Options::default()) {
                        assert!(!KINDS.contains(&file.kind().name()), "{name} is read as {}", file.kind());
                    }
                }
            }
        }
    }
    assert!(told >= 80, "{told} files");
}

#[test]
fn a_distribution_after_the_servers_ignores_weights_until_one_comes_behind_it() {
    let after = |text: &str| {
        let settings = Settings::of(pool(text).scheme());
        (settings.shown("distribution").unwrap(), settings.shown("set_after_servers").unwrap() == "true")
    };
    for (text, ignored) in [
        ("--DISTRIBUTION=consistent --SERVER=aaa --SERVER=bbb/?3", false),
        ("--SERVER=aaa --SERVER=bbb/?3 --DISTRIBUTION=consistent", true),
        ("--SERVER=bbb/?3 --DISTRIBUTION=consistent --SERVER=aaa", true),
        ("--SERVER=bbb/?2 --DISTRIBUTION=consistent --SERVER=aaa/?3", false),
        ("--DISTRIBUTION=consistent --SERVER=aaa/?3 --DISTRIBUTION=consistent --SERVER=bbb", true),
        ("--SERVER=aaa --SERVER=bbb --DISTRIBUTION=consistent", false),
    ] {
        assert_eq!(after(text), ("CONSISTENT".to_owned(), ignored), "{text}");
    }
}

#[test]
fn what_libmemcached_refuses_and_is_clear_is_read_when_told_to_be_lenient() {
    let lenient = Options { lenient: true, ..Options::default() };
    let text = " --SERVER=[2001:db8::1]:11300  --SERVER=b:1 # the second\n--SOCKET=/run/c.sock\n--HASH=MD5\n--HASH=CRC\n";
    let read = parse("f", text.as_bytes(), &lenient).unwrap().pick(None).unwrap();
    assert_eq!(servers(&read), "[2001:db8::1]:11300, b:1, /run/c.sock");
    assert_eq!(Settings::of(read.scheme()).shown("hash").as_deref(), Some("CRC"));
    assert_eq!(read.warnings().len(), 7);
    assert!(refused(text).contains("IPv6"));
}

#[test]
fn a_list_without_a_client_takes_the_placement_that_is_said() {
    let options = |placement: &str| Options {
        placement: Some(placement.parse::<Settings>().unwrap().scheme().unwrap()),
        ..Options::default()
    };
    let read = |text: &str, placement: &str| {
        parse("f", text.as_bytes(), &options(placement)).unwrap().pick(None).unwrap()
    };
    let list = "10.0.0.1 600\n10.0.0.2:11300\t300\n";
    // memcached's own port, where a client of its is said.
    assert_eq!(servers(&read(list, "libketama")), "10.0.0.1=10.0.0.1:11211*600, 10.0.0.2:11300*300");
    assert_eq!(servers(&read(list, "ring")), "10.0.0.1*600, 10.0.0.2:11300*300");
    assert_eq!(read(list, "libketama").scheme().to_string(), "libketama");
    // What the text says of itself stays.
    let client = "mc = memcache.Client(['a:1', 'b:1'])\n";
    assert_eq!(read(client, "ring").scheme().to_string(), "python-memcached");
}

#[test]
fn ipv6_and_weights_in_one_text_are_clear_or_refused() {
    let options = Options {
        placement: Some("libmemcached".parse::<Settings>().unwrap().scheme().unwrap()),
        ..Options::default()
    };
    let read = |text: &str| parse("f", text.as_bytes(), &options).and_then(|file| Ok(file.pick(None)?));
    for (text, expected) in [
        ("[2001:db8::1]:11300", "[2001:db8::1]:11300"),
        ("2001:db8::1", "2001:db8::1=[2001:db8::1]:11211"),
        ("[2001:db8::1]", "[2001:db8::1]=[2001:db8::1]:11211"),
        ("2001:db8:0:0::1", "2001:db8:0:0::1=[2001:db8:0:0::1]:11211"),
        ("[2001:db8::1]:11300:5", "[2001:db8::1]:11300*5"),
    ] {
        assert_eq!(servers(&read(text).unwrap()), expected, "{text}");
    }
    let refused = read("2001:db8::1:11300").unwrap_err();
    let first = refused.iter().next().unwrap();
    assert_eq!(first.to_string(), "f:1:1: server \"2001:db8::1:11300\": IPv6 with a port needs brackets");
    assert_eq!(first.help(), Some("write \"[2001:db8::1]:11300\""));
}

#[test]
fn a_program_that_decides_as_it_runs_is_refused_and_asking_for_its_servers_is_no_decision() {
    let php = |around: &str| {
        format!("<?php\n$m = new Memcached;\n{around} {{ $m->addServer('a.example', 11211); }}\n")
    };
    for asked in ["if (!$m->getServerList())", "if (class_exists('Memcached'))", "function add($m)", "try"] {
        assert_eq!(servers(&pool(php(asked))), "a.example:11211", "{asked}");
    }
    for decided in ["if ($x)", "foreach ($a as $b)", "while (next($a))", "if ($m->isPristine()) {} else"] {
        assert!(refused(php(decided)).contains("is known only when the program runs"), "{decided}");
    }
    let python = |around: &str| format!("import memcache\n{around}:\n    mc = memcache.Client(['a:1'])\n");
    for asked in ["def connect()", "class Cache", "try", "if __name__ == '__main__'", "with lock"] {
        assert_eq!(servers(&pool(python(asked))), "a:1", "{asked}");
    }
    for decided in ["if DEBUG", "for host in hosts", "while True"] {
        assert!(refused(python(decided)).contains("is known only when the program runs"), "{decided}");
    }
}

#[test]
fn options_of_php_act_in_the_order_in_which_they_are_set() {
    let read = |options: &[&str]| {
        let lines: String = options.iter().map(|line| format!("$m->{line};\n")).collect();
        let text = format!("$m = new Memcached();\n{lines}");
        Settings::of(pool(text).scheme()).to_string()
    };
    const SERVERS: &str = "addServers([['a', 1, 1], ['b', 1, 3]])";
    const KETAMA: &str = "setOption(Memcached::OPT_LIBKETAMA_COMPATIBLE, true)";
    const NO_KETAMA: &str = "setOption(Memcached::OPT_LIBKETAMA_COMPATIBLE, false)";
    const CONSISTENT: &str = "setOption(Memcached::OPT_DISTRIBUTION, Memcached::DISTRIBUTION_CONSISTENT)";
    const CRC: &str = "setOption(Memcached::OPT_HASH, Memcached::HASH_CRC)";
    let with = |distribution: &str, hash: &str, ketama: bool, after: bool| {
        format!(
            "php-memcached,distribution={distribution}{hash},libketama_compatible={ketama},set_after_servers={after}"
        )
    };
    // Each line was asked of PHP Memcached 3.2.0.
    for (options, expected) in [
        (vec![SERVERS], with("MODULA", "", false, false)),
        (vec![KETAMA, SERVERS], with("MODULA", "", true, false)),
        (vec![SERVERS, KETAMA], with("MODULA", "", true, false)),
        (vec![CONSISTENT, SERVERS], with("CONSISTENT", "", false, false)),
        (vec![SERVERS, CONSISTENT], with("CONSISTENT", "", false, true)),
        (vec![KETAMA, CONSISTENT, SERVERS], with("CONSISTENT", ",hash=MD5", false, false)),
        (vec![CONSISTENT, KETAMA, SERVERS], with("MODULA", "", true, false)),
        (vec![KETAMA, NO_KETAMA, SERVERS], with("MODULA", "", false, false)),
        (vec![KETAMA, CRC, SERVERS], with("MODULA", ",hash=CRC", true, false)),
        (vec![CRC, KETAMA, SERVERS], with("MODULA", "", true, false)),
        (vec![CRC, CONSISTENT, SERVERS], with("CONSISTENT", ",hash=CRC", false, false)),
    ] {
        assert_eq!(read(&options), expected, "{options:?}");
    }
}

#[test]
fn a_cluster_is_the_same_in_every_form_of_its_answer() {
    let files = corpus("redis-cluster");
    let map = |file: &str| {
        let (_, bytes) = files.iter().find(|(name, _)| name == file).unwrap();
        let read = pool(bytes);
        (Settings::of(read.scheme()).to_string(), read.members())
    };
    let first = map("nodes.txt");
    for other in [
        "nodes.conf",
        "nodes-hostname.txt",
        "slots-terminal.txt",
        "slots-plain.txt",
        "slots-plain-hostname.txt",
        "slots.json",
        "shards-terminal.txt",
        "shards-resp3.txt",
        "shards-plain.txt",
        "shards.json",
        "odd-shards-fail.txt",
    ] {
        assert_eq!(map(other), first, "{other}");
    }
}

#[test]
fn tokens_that_do_not_tell_the_partitioner_take_the_one_that_is_said() {
    let (_, ring) =
        corpus("nodetool").into_iter().find(|(name, _)| name == "odd-ring-no-partitioner.txt").unwrap();
    let read = |said: &str| {
        let placement = said.parse::<Settings>().unwrap().scheme().unwrap();
        let options = Options { placement: Some(placement), ..Options::default() };
        let file = parse("f", &ring, &options).unwrap();
        file.pick(None).map(|pool| pool.scheme().to_string())
    };
    for partitioner in ["Murmur3Partitioner", "RandomPartitioner"] {
        assert_eq!(
            read(&format!("cassandra,partitioner={partitioner}")),
            Ok(format!("cassandra {partitioner}"))
        );
    }
}

#[test]
fn what_django_makes_of_keys_is_told() {
    let caches = |settings: &str| {
        format!(
            "CACHES = {{\n'a': {{'BACKEND': 'x.PyMemcacheCache', 'LOCATION': '10.0.0.1:11211', 'KEY_PREFIX': 'site'}},\n\
             'b': {{'BACKEND': 'x.PyLibMCCache', 'LOCATION': '10.0.0.2:11211', {settings}}}}}\n"
        )
    };
    let notes = |settings: &str| {
        let file = parse("f", caches(settings).as_bytes(), &Options::default()).unwrap();
        file.pick(Some("b")).unwrap().notes().to_vec()
    };
    assert_eq!(
        notes("'KEY_PREFIX': 'site', 'VERSION': 1"),
        ["Django's keys reach the client as `site:1:KEY`: ask for them so"]
    );
    let said = "Django's keys of cache \"a\" reach the client as `site:1:KEY`: ask for them so";
    assert_eq!(
        notes("'VERSION': 2"),
        [said, "Django's keys of cache \"b\" reach the client as `:2:KEY`: ask for them so"]
    );
    assert_eq!(
        notes("'KEY_FUNCTION': 'm.f'"),
        [
            said,
            "Django's keys of cache \"b\" reach the client as its KEY_FUNCTION makes them: ask for them so"
        ]
    );
}

#[test]
fn a_socket_of_php_memcached_has_its_path_alone_on_a_ring_unless_it_comes_in_a_list() {
    let listed = "<?php\n$m = new Memcached();\n$m->addServer('/run/a.sock', 0);\n\
        $m->addServers([['/run/b.sock', 0], ['/run/c.sock', 11211, 2], ['10.0.0.1', 0]]);\n";
    let read = pool(listed);
    let addresses: Vec<&str> = read.servers().servers().iter().map(|s| s.address().as_str()).collect();
    assert_eq!(addresses, ["/run/a.sock", "/run/b.sock:0", "/run/c.sock:0", "10.0.0.1:11211"]);
    let names: Vec<&str> = read.servers().servers().iter().map(|s| s.name().as_str()).collect();
    assert_eq!(names, ["/run/a.sock", "/run/b.sock", "/run/c.sock", "10.0.0.1:11211"]);
    let client = |options: &str, port: u32| {
        format!(
            "<?php\n$m = new Memcached();\n$m->setOptions([Memcached::OPT_LIBKETAMA_COMPATIBLE => true{options}]);\n\
                 $m->addServer('/run/a.sock', {port});\n$m->addServer('10.0.0.1', 11211);\n"
        )
    };
    for port in [0, 11211] {
        let read = pool(client("", port));
        assert_eq!(servers(&read), "/run/a.sock, 10.0.0.1:11211");
        assert_eq!(read.scheme().to_string(), "php-memcached LIBKETAMA_COMPATIBLE");
    }
    for (options, port, says) in [
        ("", 5, "server \"/run/a.sock\": a socket with the port 5"),
        (", Memcached::OPT_SORT_HOSTS => true", 0, "and with OPT_SORT_HOSTS no placement here does"),
    ] {
        let said = refused(client(options, port));
        assert!(said.contains(says), "{said}");
    }
}
