//! Broken files never panic, and every complaint names its place.
//!
//! The target is a plain function of bytes, run over `fuzz/corpus` and over seeded mutations of it.

use clockwise::dialect::dskit;
use clockwise_config::{Diagnostic, Options, Severity, parse};
use clockwise_fuzz::{Campaign, corpus};

/// One target for all kinds of files, since the content decides what a file is: whatever the bytes,
/// they are read or refused with complaints that hold.
fn file(bytes: &[u8]) {
    // With what files leave open said, and without.
    let said = Options { placement: Some(dskit::Options::default().into()), ..Options::default() };
    for options in
        [Options { lenient: true, ..said }, Options { merge: true, strict: true, ..Options::default() }]
    {
        match parse("fleet", bytes, &options) {
            Ok(file) => {
                let names: Vec<Option<String>> = match file.names().next() {
                    None => vec![None],
                    Some(_) => file.names().map(|name| Some(name.to_owned())).collect(),
                };
                for name in names {
                    match file.pick(name.as_deref()) {
                        Ok(pool) => {
                            assert!(pool.servers().active().count() > 0);
                            assert!(!options.strict || pool.warnings().is_empty());
                            pool.warnings().iter().for_each(|warning| holds(bytes, warning));
                            let again = parse("again", pool.to_toml().as_bytes(), &Options::default());
                            let again = again.unwrap_or_else(|e| panic!("{}", e.render(false)));
                            let again = again.pick(None).unwrap();
                            assert_eq!(again.servers(), pool.servers());
                            assert_eq!(again.scheme(), pool.scheme());
                        }
                        Err(reason) => holds(bytes, &reason),
                    }
                }
            }
            Err(refused) => {
                assert!(refused.iter().any(|d| d.severity() == Severity::Error), "{refused}");
                refused.iter().for_each(|diagnostic| holds(bytes, diagnostic));
                // One shows how all are drawn, and drawing takes longer than reading.
                let first = refused.iter().next().unwrap();
                let (line, column) = (first.line().unwrap(), first.column().unwrap());
                assert!(first.render(false).contains(&format!("fleet:{line}:{column}")), "{first}");
            }
        }
    }
}

/// A complaint stands in the file, shows its line, and names something of it unless it is about
/// something that is not there.
fn holds(bytes: &[u8], diagnostic: &Diagnostic) {
    let text = String::from_utf8_lossy(bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let (line, column) = diagnostic.line().zip(diagnostic.column()).expect("every complaint has a place");
    let lines: Vec<&str> = text.split('\n').collect();
    assert!((1..=lines.len()).contains(&line), "{diagnostic}: {} lines", lines.len());
    let shown = lines[line - 1];
    assert!((1..=shown.chars().count() + 1).contains(&column), "{diagnostic}: in {shown:?}");
    assert!(!diagnostic.message().is_empty());
    assert!(!diagnostic.message().contains(char::is_control), "{diagnostic}");
    let excerpt = diagnostic.excerpt().unwrap_or_default();
    let absent = excerpt.is_empty() || excerpt.trim().is_empty();
    assert!(absent || names_something(diagnostic.message(), shown, excerpt), "{diagnostic}: in {shown:?}");
}

/// Whether the message has the offending text, or quotes something of its line.
fn names_something(message: &str, line: &str, excerpt: &str) -> bool {
    let first = excerpt.split(['\r', '\n']).next().unwrap_or_default();
    let start: String = first.trim().trim_matches(['"', '\'']).chars().take(30).collect();
    // Messages escape what does not print, in one of two ways, and what quotes need.
    let message = [message, &message.replace("\\\\", "\\"), &message.replace("\\\"", "\"")].concat();
    let debug = |c: char| match c {
        '"' | '\'' | '\\' => c.to_string(),
        c => c.escape_debug().to_string(),
    };
    let unicode = |c: char| match debug(c) {
        plain if plain.chars().eq([c]) => plain,
        _ => c.escape_unicode().to_string(),
    };
    let escapes = line.contains('\\');
    // A value over several lines is named as one.
    let folded =
        excerpt.contains(['\r', '\n']) && excerpt.split_whitespace().any(|word| message.contains(word));
    let line =
        [line.to_owned(), line.chars().map(debug).collect(), line.chars().map(unicode).collect()].concat();
    let quotes = |part: &str| {
        let part = part.trim_end_matches('…');
        // What stands between two quotes of a message has blanks around it.
        !part.is_empty() && part.trim() == part && line.contains(part)
    };
    // Numbers are named without the plus and the underscores that TOML allows.
    let number = start.trim_start_matches('+').replace('_', "");
    folded
        || message.contains(&start)
        || message.contains(&number)
        || message.contains(&start.chars().map(debug).collect::<String>())
        || message.split(['"', '`']).any(quotes)
        || message.split(['"', '`', '\\']).any(quotes)
        // A byte that is no text is named by its number, and escapes by what they stand for.
        || message.contains("is not UTF-8 text")
        || escapes
}

const PIECES: &[&str] = &[
    "\0",
    "\r",
    "\t",
    "\"",
    "'",
    "[",
    "]",
    "{",
    "}",
    ":",
    ": ",
    "- ",
    "#",
    " # ",
    "=",
    ",",
    "&a ",
    "*a",
    "!!str ",
    "---\n",
    "...\n",
    "<<: *a\n",
    "|\n",
    ">\n",
    "%YAML 1.2\n",
    "? ",
    "```\n",
    "~~~\n",
    "<<EOF\n",
    "EOF\n",
    "$ ",
    "a@b:~$ ",
    "{{ x }}",
    "<%= x %>",
    "${X}",
    "__X__",
    "é",
    "\u{feff}",
    "\u{2028}",
    "\\u0000",
    "\\",
    "\"\"\"",
    "'''",
    "[[server]]\n",
    "name = \"a\"\n",
    "version = 1\n",
    "weight: 0\n",
    ";",
    "upstream a {\n",
    "hash $uri consistent;\n",
    "server 10.0.0.1:80 weight=0 down;\n",
    "backup",
    "include x;\n",
    "${",
    "//",
    "backend a\n",
    "defaults b from c\n",
    " balance uri\n",
    " hash-type consistent\n",
    " server a 10.0.0.1:80 weight 0 id 5\n",
    " server-template a 3 10.0.0.1:80\n",
    " default-server disabled\n",
    ".if x\n",
    "\"${X}\"",
    " ",
];

/// How often the files of other products are broken, and how often those that most people have.
const SOME: u64 = 8_000;
const MANY: u64 = 20_000;

fn mutations(kind: &str, rounds: u64, seed: u64) {
    let corpus = corpus(kind).unwrap();
    assert!(corpus.len() >= 7, "{kind}");
    Campaign { name: kind, corpus, words: PIECES, seed, rounds }.run(|bytes, _| file(bytes));
}

#[test]
fn twenty_thousand_broken_fleets_are_refused_with_their_place() {
    mutations("toml", MANY, 0x70_6d_6c);
}

#[test]
fn twenty_thousand_broken_twemproxy_files_are_refused_with_their_place() {
    mutations("twemproxy", MANY, 0x79_6d_6c);
}

#[test]
fn broken_pages_are_refused_with_their_place() {
    mutations("wrapped", SOME, 0x77_72_61);
}

/// Words of option strings, programs, and what stores say of themselves.
const STORES: &[&str] = &[
    "--SERVER=",
    "--DISTRIBUTION=consistent",
    " END",
    "/?3",
    "\"",
    "'",
    "(",
    ")",
    "[",
    "]",
    "=>",
    "->addServer(",
    "$m",
    "new Memcached",
    "Client(",
    "if ",
    "{",
    "}",
    ",",
    ";",
    ":",
    "::",
    "#",
    "/*",
    "//",
    "\\",
    "1) ",
    "1# \"slots\" => ",
    "(integer) 7",
    "\"nodes\"",
    "0-16383",
    "[77->-",
    "07c37dfeb235213a872192d90877d0cd55635b91 ",
    "master ",
    "slave ",
    "...",
    "Datacenter: a",
    "\nUN  ",
    "Up     Normal  ",
    "-9223372036854775808",
    "170141183460469231731687303715884105728",
    "é",
    "\0",
    "\r",
    "\t",
    "\n",
    " ",
    "0",
    "99999999999999999999",
];

fn of_stores(kind: &str, seed: u64) {
    let corpus = corpus(kind).unwrap();
    assert!(corpus.len() >= 12, "{kind}");
    Campaign { name: kind, corpus, words: STORES, seed, rounds: SOME }.run(|bytes, _| file(bytes));
}

#[test]
fn broken_option_strings_are_refused_with_their_place() {
    of_stores("libmemcached", 0x6c_69_62);
}

#[test]
fn broken_lists_are_refused_with_their_place() {
    of_stores("list", 0x6c_73_74);
}

#[test]
fn broken_answers_of_redis_are_refused_with_their_place() {
    of_stores("redis-cluster", 0x72_65_00);
}

#[test]
fn broken_listings_of_nodetool_are_refused_with_their_place() {
    of_stores("nodetool", 0x6e_6f_00);
}

#[test]
fn programs_and_answers_made_to_take_long_are_read_or_refused_at_once() {
    let id = "07c37dfeb235213a872192d90877d0cd55635b91";
    let node = |rest: &str| format!("{id} a:1@2 master - 0 0 1 connected {rest}\n");
    for (what, text) in [
        ("servers", "--SERVER=aaa ".repeat(30_000)),
        ("brackets", format!("$a = {};", "[".repeat(50_000))),
        ("brackets in a call", format!("$m->addServers({});", "[".repeat(50_000))),
        ("calls", "$m->addServer(".repeat(20_000)),
        ("calls in conditions", format!("<?php\n{}", "if (".repeat(30_000))),
        ("clients", "$a = 1; $m = new Memcached;\n".repeat(30_000)),
        ("variables", (0..30_000).map(|i| format!("$m{i} = ['a:1'];\n")).collect()),
        ("clients of one name", "mc = memcache.Client(['a:1'])\n".repeat(20_000)),
        ("imports", "import memcache\n".repeat(50_000)),
        ("open calls", "memcache.Client(\n".repeat(50_000)),
        ("quotes", format!("mc = memcache.Client({}", "'\"".repeat(30_000))),
        ("blanks", format!("mc = memcache.Client([{}'a:1'])", "\n".repeat(30_000))),
        ("hosts", "10.0.0.1:11211,".repeat(50_000)),
        ("ranges", node(&"0-16383 ".repeat(30_000))),
        (
            "ranges from the end",
            node(&(0..16_384).rev().map(|slot| format!("{slot}-16383 ")).collect::<String>()),
        ),
        ("nodes", node("0").repeat(20_000)),
        ("numbers", format!("1) 1) (integer) 0\n{}", "1) ".repeat(50_000))),
        ("numbered lines", "1) 1) (integer) 0\n".repeat(50_000)),
        ("plain lines", format!("0\n5\na\n1\n{}", "7\n".repeat(50_000))),
        ("plain shards", "slots\n0\n5\nnodes\n".repeat(50_000)),
        (
            "rows",
            format!("Address Rack Status State Load Owns Token\n{}", "a r Up Normal ? ? -1\n".repeat(50_000)),
        ),
        ("paths", format!("session.save_path = \"{}\"", "a,".repeat(50_000))),
    ] {
        // Quadratic work would take minutes.
        if let Err(refused) = parse("fleet", text.as_bytes(), &Options::default()) {
            assert!(refused.iter().count() <= clockwise_config::MAX_DIAGNOSTICS, "{what}");
        }
    }
}

#[test]
fn broken_nginx_files_are_refused_with_their_place() {
    mutations("nginx", SOME, 0x6e_67_78);
}

#[test]
fn broken_envoy_files_are_refused_with_their_place() {
    mutations("envoy", SOME, 0x65_6e_76);
}

#[test]
fn broken_mcrouter_files_are_refused_with_their_place() {
    mutations("mcrouter", SOME, 0x6d_63_72);
}

#[test]
fn broken_hashrings_of_thanos_are_refused_with_their_place() {
    mutations("thanos", SOME, 0x74_68_61);
}

#[test]
fn broken_ring_pages_are_refused_with_their_place() {
    mutations("dskit", SOME, 0x64_73_6b);
}

fn pools_hashed_in_many_ways(count: usize) -> String {
    let list = |item: &dyn Fn(usize) -> String| (0..count).map(item).collect::<Vec<_>>().join(",\n");
    format!(
        "{{\"pools\": {{\"A\": {{\"servers\": [{}]}}}},\n\"route\": [{}]}}",
        list(&|i| format!("\"10.0.0.1:{i}\"")),
        list(&|i| format!("{{\"type\": \"PoolRoute\", \"pool\": \"A\", \"hash\": {{\"salt\": \"{i}\"}}}}"))
    )
}

fn clusters_that_share_their_hosts(count: usize) -> String {
    let cluster = |i| {
        format!("- {{name: c{i}, type: EDS, lb_policy: MAGLEV, eds_cluster_config: {{service_name: all}}}}\n")
    };
    let host = |i| {
        format!("  - endpoint: {{address: {{socket_address: {{address: 10.0.0.1, port_value: {i}}}}}}}\n")
    };
    format!(
        "{}- cluster_name: all\n  endpoints:\n  - lb_endpoints:\n{}",
        (0..count).map(cluster).collect::<String>(),
        (0..count).map(host).collect::<String>().replace("  - endpoint", "    - endpoint")
    )
}

#[test]
fn broken_haproxy_files_are_refused_with_their_place() {
    mutations("haproxy", SOME, 0x68_61_70);
}

#[test]
fn shapes_made_to_exhaust_a_parser_are_refused() {
    let deep = |open: &str, times: usize| open.repeat(times);
    for (what, text) in [
        ("brackets", deep("[", 100_000)),
        ("brackets in a value", format!("version = 1\na = {}", deep("[", 100_000))),
        ("braces in a value", format!("version = 1\na = {}", deep("{a = ", 100_000))),
        ("dots in a key", format!("version = 1\n{}a = 1\n", deep("a.", 100_000))),
        ("dots in a header", format!("[{}a]\n", deep("a.", 100_000))),
        ("dashes", deep("- ", 100_000)),
        ("brackets in yaml", format!("a: {}", deep("[", 100_000))),
        ("braces in yaml", format!("a: {}", deep("{a: ", 100_000))),
        ("indentation", (0..5_000).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect()),
        ("question marks", deep("? ", 100_000)),
        ("an open quote", format!("version = 1\na = \"{}", "x".repeat(1 << 20))),
        ("a line of a megabyte", format!("a: {}\n  b: c\n", "é".repeat(1 << 19))),
        ("a key of a megabyte", format!("version = 1\n{} = 1\n", "k".repeat(1 << 20))),
        ("a pool of a megabyte", format!("{}: 1\n", "k".repeat(1000))),
        ("the same key", "version = 1\n".repeat(20_000)),
        ("no values", "a\n".repeat(200_000)),
        ("zeros", "\0".repeat(100_000)),
        ("anchors", (0..20_000).map(|i| format!("a{i}: &a{i} x\n")).collect()),
        ("documents", "---\n".repeat(20_000)),
        ("brackets in json", format!("{{\"pools\": {{\"servers\": {}", deep("[", 100_000))),
        ("ways to hash a pool", pools_hashed_in_many_ways(20_000)),
        ("clusters that share their hosts", clusters_that_share_their_hosts(5_000)),
        ("fences", "```\na: 1\n```\n".repeat(50_000)),
        ("prompts", "$ a\nb: 1\n".repeat(50_000)),
        ("open placeholders", "{{ ".repeat(300_000)),
        ("placeholders", "a: ${X} __Y__ {z}\n".repeat(50_000)),
        ("proxies", "backend a\nserver a b\n".repeat(8_000)),
        ("defaults", (1..20_000).map(|i| format!("defaults a{i} from b{i}\n")).collect()),
        ("words of HAProxy", format!("backend a\n{}", deep("a ", 500_000))),
        ("templates", format!("backend a\n{}", deep("server-template a 9000 b\n", 10_000))),
        ("conditions", deep(".if x\n", 100_000)),
        ("unknown words of HAProxy", format!("backend a\n{}", deep("x\n", 30_000))),
        ("unknown words of a server", format!("backend a\n{}", deep("server a b x\n", 20_000))),
        ("strange directives", format!("http {{\n{}", deep("x;\n", 30_000))),
        ("blocks of nginx", deep("http {\n", 100_000)),
        ("blocks in a block of nginx", format!("upstream a {{\n{}", deep("b {", 100_000))),
        ("upstreams without servers", (0..20_000).map(|i| format!("upstream a{i} {{ }}\n")).collect()),
        ("names of upstreams", format!("upstream a {{\n{}", deep("upstream\n", 100_000))),
        ("servers of nginx", format!("upstream a {{\n{}", deep("server a b;\n", 20_000))),
        ("words of nginx", format!("upstream a {{ server {} }}", deep("server\n", 100_000))),
        ("long brackets of Lua", format!("upstream a {{ x_by_lua_block {{ {}", deep("[=[", 100_000))),
    ] {
        let refused = parse("fleet", text.as_bytes(), &Options::default()).unwrap_err();
        assert!(refused.iter().count() <= clockwise_config::MAX_DIAGNOSTICS, "{what}");
        for diagnostic in &refused {
            assert!(diagnostic.line().is_some(), "{what}: {diagnostic}");
            assert!(diagnostic.to_string().len() < 2_000, "{what}: {diagnostic}");
        }
        assert!(refused.render(true).len() < 200_000, "{what}");
    }
}
