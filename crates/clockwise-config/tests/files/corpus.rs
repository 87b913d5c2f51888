//! What each file of the corpus reads as, or why it is refused.

use std::fs;
use std::path::{Path, PathBuf};

use clockwise_config::{Kind, Options, parse};

/// What to expect of a file.
enum Expect {
    /// Its pools, each with its count of servers.
    Reads(&'static [(&'static str, usize)]),
    /// Complaints: line and a part of the message. No others.
    Refused(&'static [(usize, &'static str)]),
    /// One pool, with this warning.
    Warns(usize, &'static str),
    /// One pool, which places nothing.
    Unplaced(usize, &'static str),
    /// Its pools, each with its count of servers or a part of the reason why it places nothing.
    Mixed(&'static [(&'static str, Result<usize, &'static str>)]),
}
use Expect::{Mixed, Reads, Refused, Unplaced, Warns};

fn folder(kind: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus")).join(kind)
}

fn check(kind: Kind, folder: &Path, expected: &[(&str, Expect)]) {
    let mut files: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    let mut listed: Vec<&str> = expected.iter().map(|(file, _)| *file).collect();
    listed.sort();
    assert_eq!(files, listed, "every file of the corpus has its expectation");
    for (file, expect) in expected {
        let bytes = fs::read(folder.join(file)).unwrap();
        match (parse(file, &bytes, &Options::default()), expect) {
            (Ok(read), Reads(pools)) => {
                assert_eq!(read.kind(), kind, "{file}");
                assert_eq!(read.pools(), pools.len(), "{file}");
                for (name, servers) in *pools {
                    let pool = read.pick((!name.is_empty()).then_some(*name)).unwrap();
                    assert_eq!(pool.servers().servers().len(), *servers, "{file}");
                    assert_eq!(pool.warnings(), [], "{file}");
                }
            }
            (Err(refused), Refused(complaints)) => {
                let all = refused.to_string();
                assert_eq!(refused.iter().count(), complaints.len(), "{all}");
                for (diagnostic, (line, part)) in refused.iter().zip(*complaints) {
                    assert_eq!(diagnostic.line(), Some(*line), "{all}");
                    assert!(diagnostic.message().contains(part), "{diagnostic} instead of {part}");
                }
            }
            (Ok(read), Warns(line, part)) => {
                let pool = read.pick(None).unwrap();
                let warnings = pool.warnings();
                assert_eq!(warnings.len(), 1, "{file}");
                assert_eq!(warnings[0].line(), Some(*line), "{file}");
                assert!(warnings[0].message().contains(part), "{file}: {}", warnings[0]);
            }
            (Ok(read), Unplaced(line, part)) => {
                let reason = read.pick(None).unwrap_err();
                assert_eq!(reason.line(), Some(*line), "{file}");
                assert!(reason.message().contains(part), "{file}: {reason}");
            }
            (Ok(read), Mixed(pools)) => {
                assert_eq!(read.kind(), kind, "{file}");
                let names: Vec<&str> = pools.iter().map(|(name, _)| *name).collect();
                assert_eq!(read.names().collect::<Vec<_>>(), names, "{file}");
                for (name, expect) in *pools {
                    match (read.pick(Some(name)), expect) {
                        (Ok(pool), Ok(servers)) => {
                            assert_eq!(pool.servers().servers().len(), *servers, "{file}#{name}");
                        }
                        (Err(reason), Err(part)) => {
                            assert!(reason.message().contains(part), "{file}#{name}: {reason}");
                        }
                        (picked, _) => panic!("{file}#{name}: {picked:?}"),
                    }
                }
            }
            (Ok(_), Refused(_)) => panic!("{file} is read, and should be refused"),
            (Err(refused), _) => panic!("{}", refused.render(false)),
        }
    }
}

const NOT_WHOLE: &str = "is not a whole number";
const BLANK: &str = "has a blank too many";

#[test]
fn twemproxy_files_read_or_are_refused_as_expected() {
    let expected = [
        ("bom.yml", Reads(&[("alpha", 1)])),
        ("comments.yml", Reads(&[("alpha", 3)])),
        ("crlf.yml", Reads(&[("alpha", 2)])),
        ("default-port.yml", Reads(&[("alpha", 5)])),
        ("ipv6.yml", Reads(&[("six", 5)])),
        ("many.yml", Reads(&[("big", 60)])),
        ("minimal.yml", Reads(&[("p", 1)])),
        ("modula.yml", Reads(&[("mod", 3)])),
        ("old-names.yml", Reads(&[("1", 5)])),
        ("quoted.yml", Reads(&[("alpha", 4)])),
        ("sockets.yml", Reads(&[("local", 3)])),
        ("two-pools.yml", Reads(&[("sessions", 4), ("pages", 2)])),
        ("unindented-list.yml", Reads(&[("alpha", 2)])),
        ("wide-weights.yml", Reads(&[("alpha", 4)])),
        (
            "odd-all-draining.yml",
            Refused(&[
                (1, "pool \"alpha\" has no active server: all 2 are draining"),
                (4, "server \"10.0.0.1\": weight 0 is read as draining"),
                (5, "server \"10.0.0.2\": weight 0 is read as draining"),
            ]),
        ),
        ("odd-anchor-only.yml", Refused(&[(2, "an anchor, `&front`"), (3, "a tag, `!!seq`")])),
        ("odd-anchors.yml", Refused(&[(1, "an anchor, `&common`"), (7, "an alias, `*common`")])),
        ("odd-auth.yml", Refused(&[(3, "`redis_auth` is only for a pool with `redis: true`")])),
        (
            "odd-comment-stuck.yml",
            Refused(&[
                (5, "pool \"alpha\" has no `servers`"),
                (9, "there is no hash \"murmur# not a comment"),
            ]),
        ),
        ("odd-comments-only.yml", Refused(&[(1, "holds only comments")])),
        (
            "odd-doubled-key.yml",
            Refused(&[
                (5, "`hash` is given twice, on lines 3 and 5"),
                (8, "`alpha` is given twice, on lines 1 and 8"),
            ]),
        ),
        ("odd-empty.yml", Refused(&[(1, "is empty")])),
        ("odd-flow-entry.yml", Refused(&[(4, "not YAML at `:11211:1`")])),
        ("odd-flow.yml", Refused(&[(3, "lists and mappings in brackets, `[`")])),
        ("odd-indent.yml", Refused(&[(5, "not YAML at `10.0.0.2:11211:1`")])),
        ("odd-latin1.yml", Refused(&[(4, "byte 0xe9 is not UTF-8 text")])),
        (
            "odd-lines.yml",
            Refused(&[
                (4, "server line \"10.0.0.1:11211\" has no weight"),
                (5, "server line \"10.0.0.2\" has no port and no weight"),
                (6, BLANK),
                (7, BLANK),
                (8, "server \"10.0.0.5:0\": port \"0\" is not a number from 1 to 65535"),
                (9, "port \"65536\""),
                (10, "port \"mc\""),
                (11, "server \"10.0.0.8\": weight -1 is not positive"),
                (12, "server \"10.0.0.9\": weight \"0.5\" is not a whole number"),
                (13, NOT_WHOLE),
                (14, "weight 4294967296 is too large"),
                (15, "weight 2147483648 is too large: nutcracker reads weights into an int"),
                (16, "server \"10.0.0.13\": weight \"\" is not a whole number"),
                (17, "weight \"0x10\" is not a whole number"),
                (18, "there is a colon too many"),
                (19, "the host is missing"),
                (20, "has a colon too many: a socket is /path:weight and a name"),
                (21, "server line \"/run/b.sock\" has no weight"),
                (22, "the entry `-` holds no server"),
                (23, "here is a key `host`"),
                (25, NOT_WHOLE),
            ]),
        ),
        ("odd-marker.yml", Refused(&[(1, "a document marker, `---`"), (6, "a document marker, `...`")])),
        ("odd-nested-pools.yml", Refused(&[(1, "pool \"pools\" has none of the keys")])),
        (
            "odd-no-servers.yml",
            Refused(&[
                (3, "`servers` of pool \"alpha\" is empty"),
                (4, "pool \"beta\" has no `servers`"),
                (5, "pools \"alpha\" and \"beta\" both listen on \"127.0.0.1:22121\""),
                (6, "pool \"gamma\" is empty"),
                (7, "pool \"delta\" holds keys with values, and `5` is text"),
            ]),
        ),
        ("odd-nul.yml", Refused(&[(4, "unprintable")])),
        ("odd-random.yml", Unplaced(3, "pool \"alpha\": distribution random places nothing")),
        (
            "odd-same-address.yml",
            Refused(&[
                (6, "server \"10.0.0.1:6379\" is listed twice, on lines 5 and 6"),
                (7, "server \"10.0.0.1:6379\" is listed twice, on lines 5 and 7"),
            ]),
        ),
        ("odd-tabs.yml", Refused(&[(2, "tabs")])),
        ("odd-template.yml", Refused(&[(1, "`{{ pool_name }}` is a placeholder of Jinja or Go")])),
        ("odd-torn.yml", Refused(&[(4, "not YAML at `\"10.0.0.1:11211:1`")])),
        ("odd-two-documents.yml", Refused(&[(5, "`---` begins a second document")])),
        (
            "odd-words.yml",
            Refused(&[
                (2, "`listen` is \"127.0.0.1\", and it is host:port"),
                (3, "there is no hash \"FNV1A_64\""),
                (4, "hash tag \"{\" is not two bytes"),
                (5, "there is no distribution \"consistent\""),
                (6, "`redis` is \"yes\""),
                (7, "`preconnect` is \"True\""),
                (8, "`auto_eject_hosts` is \"off\""),
                (9, "`timeout` is \"400ms\", and a whole number is expected"),
                (10, "`backlog` is \"-1\""),
                (11, "`client_connections` is \"1e3\""),
                (12, "`server_connections` is \"0\", and it goes from 1"),
                (13, "`server_retry_timeout` has no value"),
                (14, "lists and mappings in brackets, `[`"),
                (14, "`server_failure_limit` takes a whole number, and `[3]` is a list"),
                (15, "pool \"alpha\" has no key `auto_eject_host`"),
            ]),
        ),
        ("odd-zero-weight.yml", Warns(5, "server \"b.test:11300\": weight 0 is read as draining")),
    ];
    check(Kind::Twemproxy, &folder("twemproxy"), &expected);
}

#[test]
fn nginx_files_read_or_are_refused_as_expected() {
    const PORT: &str = "the port is no number from 1 to 65535";
    let expected = [
        ("bom.conf", Reads(&[("cache", 1)])),
        ("both.conf", Reads(&[("cache", 2), ("stream/cache", 2)])),
        ("comments.conf", Reads(&[("cache", 3)])),
        ("crlf-tabs.conf", Reads(&[("cache", 2)])),
        ("ipv6.conf", Reads(&[("six", 4)])),
        ("many.conf", Reads(&[("many", 40)])),
        ("minimal.conf", Reads(&[("cache", 1)])),
        ("names.conf", Reads(&[("names", 2)])),
        ("one-line.conf", Reads(&[("a", 2), ("b", 1), ("c", 1)])),
        ("order.conf", Reads(&[("late", 2)])),
        ("quotes.conf", Reads(&[("big cache", 3)])),
        ("snippet.conf", Reads(&[("cache", 3)])),
        ("sockets.conf", Reads(&[("local", 3)])),
        ("stream.conf", Reads(&[("memcached", 3)])),
        (
            "methods.conf",
            Mixed(&[
                ("turns", Err("upstream \"turns\" has no `hash`: its servers take turns")),
                ("clients", Err("upstream \"clients\" hashes the client's address by `ip_hash`")),
                ("fewest", Err("takes the server with fewest connections")),
                ("dice", Err("takes servers at random, and no key has an owner: `random two least_conn`")),
                ("empty", Err("upstream \"empty\" hashes an empty key, `hash \"\"`")),
                ("keyed", Ok(2)),
            ]),
        ),
        (
            "modules.conf",
            Mixed(&[
                ("dynamic", Err("is balanced by a module whose rule is not known here")),
                ("fixed", Ok(2)),
            ]),
        ),
        ("whole.conf", Mixed(&[("app", Ok(3)), ("static", Err("takes the server with fewest connections"))])),
        (
            "odd-addresses.conf",
            Refused(&[
                (3, PORT),
                (4, PORT),
                (5, PORT),
                (6, "server \":80\": the host is missing"),
                (7, "server \"\": the host is missing"),
                (8, "server \"2001:db8::1\": an IPv6 address stands in brackets"),
                (9, "server \"[2001:db8::1\": the `[` of an IPv6 address is not closed"),
                (10, "what stands in the brackets is no IPv6 address"),
                (11, "`:` and a port, or nothing, follow the `]`"),
                (12, "server \"http://10.0.0.4\": an address has no scheme"),
                (13, "server \"10.0.0.5/path\": an address has no path"),
                (14, "server \"$backend\": a variable does not stand for an address here"),
                (15, "server \"unix:\": the path of the socket is missing"),
                (16, PORT),
            ]),
        ),
        ("odd-all-down.conf", Refused(&[(1, "has no active server: all 2 are draining")])),
        ("odd-backup-before.conf", Warns(3, "server \"10.0.0.2\" is a backup and is left out")),
        ("odd-backup-only.conf", Refused(&[(1, "upstream \"a\" has only `backup` servers")])),
        ("odd-backup.conf", Refused(&[(4, "server \"10.0.0.2\": `backup` behind `hash`: nginx refuses it")])),
        (
            "odd-brace-missing.conf",
            Refused(&[(1, "`upstream` is not closed"), (5, "`server` in upstream \"a\"")]),
        ),
        ("odd-brace-more.conf", Refused(&[(5, "no block is open that this `}` closes")])),
        ("odd-constant.conf", Warns(2, "hashes a text without a variable, `hash \"cache\" consistent`")),
        (
            "odd-empty-upstream.conf",
            Refused(&[
                (3, "`upstream` has no name of one word"),
                (6, "`upstream b c` has no name of one word"),
                (9, "`upstream d` opens no block"),
            ]),
        ),
        ("odd-fullwidth.conf", Refused(&[(3, "`;` is missing after `10.0.0.1:80\u{ff1b}`")])),
        (
            "odd-hash.conf",
            Refused(&[
                (1, "nginx does not take `hash`"),
                (2, "\"$args\" follows the key of `hash`"),
                (3, "nginx does not take `hash $uri consistent fast`"),
                (4, "in the key \"$\" a `$` has no name behind it"),
                (5, "in the key \"${uri\""),
                (6, "upstream \"f\" has no directive `consistent`"),
                (7, "upstream \"g\" has no directive `hsah`"),
                (8, "nginx does not take `ip_hash $remote_addr`"),
            ]),
        ),
        (
            "odd-include.conf",
            Refused(&[
                (3, "`include` of \"/etc/nginx/conf.d/*.conf\" is not followed: only a text is here"),
                (5, "`include` of \"servers.conf\": it is in another file"),
            ]),
        ),
        ("odd-last-semicolon.conf", Refused(&[(3, "`;` is missing after `10.0.0.1`")])),
        ("odd-method-turned.conf", Unplaced(3, "upstream \"a\" hashes the client's address by `ip_hash`")),
        ("odd-method-twice.conf", Warns(3, "`hash $uri` after `least_conn`, and the last method wins")),
        ("odd-no-upstream.conf", Refused(&[(1, "the file has no `upstream`")])),
        ("odd-outside.conf", Refused(&[(2, "`upstream a` stands outside of `http` and `stream`")])),
        (
            "odd-parameters.conf",
            Refused(&[
                (3, "server \"10.0.0.1\": weight 0 is not positive"),
                (4, "server \"10.0.0.2\": weight \"1.5\" is not a whole number"),
                (5, "weight -1 is not positive"),
                (6, "weight \"\" is not a whole number"),
                (7, "nginx has no parameter `weigth=2`"),
                (8, "nginx has no parameter `Weight=2`"),
                (9, "server \"10.0.0.7\": weight \"\" is not a whole number"),
                (10, "`max_fails=many` is no whole number"),
                (11, "`fail_timeout=10ms` is no time"),
                (12, "nginx has no parameter `10.0.0.11`"),
                (13, "`resolve` belongs to nginx from 1.27.3 on"),
                (14, "`service=_http._tcp`: the servers are in DNS, and not in the file"),
                (15, "`slow_start=30s` belongs to NGINX Plus"),
                (16, "`drain` belongs to NGINX Plus"),
            ]),
        ),
        ("odd-plain-names.conf", Warns(3, "nginx counts each address that the name has when it starts")),
        (
            "odd-plus.conf",
            Refused(&[
                (5, "`queue` in upstream \"a\" belongs to NGINX Plus"),
                (9, "`check` in upstream \"d\" belongs to the check module"),
            ]),
        ),
        ("odd-quote.conf", Refused(&[(2, "the quote that `\"$uri;` begins with is not closed")])),
        ("odd-same-name.conf", Refused(&[(2, "there are two upstreams \"Cache\"")])),
        (
            "odd-semicolon.conf",
            Refused(&[(2, "`;` is missing after `consistent`"), (5, "`;` is missing after `10.0.0.3:80`")]),
        ),
        (
            "odd-servers.conf",
            Refused(&[
                (1, "`server 10.0.0.1:80 weight=2` stands outside"),
                (2, "stands outside of an `upstream`"),
            ]),
        ),
        ("odd-slashes-inside.conf", Refused(&[(3, "upstream \"a\" has no directive `//`")])),
        ("odd-slashes.conf", Refused(&[(1, "`//` begins no comment in nginx's files")])),
        (
            "odd-stream.conf",
            Refused(&[
                (3, "server \"10.0.0.1\": the port is missing"),
                (4, "`ip_hash` stands in an upstream of `stream`"),
                (4, "`keepalive` stands in an upstream of `stream`"),
            ]),
        ),
        ("odd-twice.conf", Refused(&[(5, "server \"10.0.0.1\" is listed twice, on lines 3 and 5")])),
        (
            "odd-typo.conf",
            Refused(&[
                (3, "nginx has no directive `upsteam`"),
                (5, "`nonsense` is no directive of nginx's own modules"),
            ]),
        ),
        (
            "odd-values.conf",
            Refused(&[
                (4, "nginx does not take `keepalive 0`"),
                (5, "nginx does not take `keepalive_requests many`"),
                (6, "nginx does not take `keepalive_time soon`"),
                (7, "nginx does not take `zone`"),
                (8, "nginx does not take `random three`"),
                (9, "nginx does not take `server`"),
                (10, "`upstream b` stands inside of upstream \"a\""),
                (11, "upstream \"a\" has `keepalive` twice"),
            ]),
        ),
    ];
    check(Kind::Nginx, &folder("nginx"), &expected);
}

#[test]
fn haproxy_files_read_or_are_refused_as_expected() {
    const TURNS: &str = "and no key has an owner";
    const TEMPLATE: &str = "is no number from 1, and no range of such";
    let expected = [
        ("addresses.cfg", Reads(&[("x", 14)])),
        ("bom.cfg", Reads(&[("cache", 1)])),
        ("bounded.cfg", Reads(&[("x", 2)])),
        ("conditions.cfg", Reads(&[("x", 1)])),
        ("crlf-tabs.cfg", Reads(&[("cache", 2)])),
        ("defaults.cfg", Reads(&[("a", 2), ("b", 2), ("c", 2), ("d", 1)])),
        ("ids.cfg", Reads(&[("x", 5)])),
        ("later.cfg", Reads(&[("x", 2)])),
        ("listen.cfg", Reads(&[("redis", 3)])),
        ("many.cfg", Reads(&[("many", 40)])),
        ("minimal.cfg", Reads(&[("cache", 1)])),
        ("quotes.cfg", Reads(&[("x", 3)])),
        ("sections.cfg", Reads(&[("x", 2)])),
        ("template.cfg", Reads(&[("x", 7)])),
        ("variables-elsewhere.cfg", Reads(&[("x", 1)])),
        (
            "dns.cfg",
            Mixed(&[
                ("srv", Err("`server-template s 3 _http._tcp.example.com resolvers dns init-addr none`")),
                ("names", Err("name servers tell HAProxy while it runs")),
                ("fixed", Ok(3)),
            ]),
        ),
        (
            "methods.cfg",
            Mixed(&[
                ("rr", Err("backend \"rr\" has no `balance` by a hash")),
                ("static", Err("no key has an owner; its `hash-type consistent` has no effect")),
                ("least", Err("takes the server with fewest connections by `balance leastconn`")),
                ("first", Err("fills one server after the other by `balance first`")),
                ("dice", Err("takes servers at random by `balance random(2)`")),
                ("src", Err("hashes the client's address by `balance source`, and no text is hashed")),
                ("keyed", Ok(1)),
            ]),
        ),
        (
            "states.cfg",
            Mixed(&[
                ("off", Err("backend \"off\" is `disabled`, and places nothing")),
                ("idle", Err("backend \"idle\" has no active server")),
                ("standby", Err("backend \"standby\" has only backup servers")),
                ("on", Ok(3)),
            ]),
        ),
        (
            "tcp.cfg",
            Mixed(&[
                ("seven", Err("is in `mode tcp`, where HAProxy takes turns in place of `balance uri`")),
                ("four", Ok(1)),
                ("seven-http", Ok(1)),
            ]),
        ),
        ("whole.cfg", Mixed(&[("static", Ok(3)), ("app", Err(TURNS))])),
        (
            "odd-addresses.cfg",
            Refused(&[
                (8, "server \"a\": HAProxy takes no range of ports in the address \"10.0.0.1:80-90\""),
                (9, "the port is above 65535"),
                (10, "the port is no number"),
                (11, "HAProxy takes no file descriptor"),
                (12, "the `[` is not closed"),
                (13, "server \"f\": the port is no number in the address \"http://10.0.0.1\""),
                (14, "the path is missing"),
            ]),
        ),
        ("odd-backup.cfg", Warns(9, "`server b 10.0.0.2:80 backup` is a backup")),
        (
            "odd-balance.cfg",
            Refused(&[
                (7, "HAProxy does not take `balance urii` in backend \"x\""),
                (8, "does not take `balance url_param`"),
                (9, "does not take `balance hdr`"),
                (10, "does not take `balance uri deep 3`"),
                (11, "does not take `balance hash`"),
                (12, "`hash-type consistent md5` in backend \"x\": there is no hash \"md5\""),
                (13, "there is no hash-type method \"ring\""),
                (14, "has something other than `avalanche` behind the function"),
                (15, "`hash-balance-factor 100` in backend \"x\" is neither 0 nor a number from 101"),
                (16, "`mode health` in backend \"x\" is neither `mode http` nor `mode tcp`"),
                (17, "backend \"x\" has no word `blance`"),
            ]),
        ),
        (
            "odd-before.cfg",
            Refused(&[(1, "`server a 10.0.0.1:80` stands before any section"), (2, "stands before any")]),
        ),
        (
            "odd-case.cfg",
            Refused(&[
                (7, "backend \"x\" has no word `Balance`"),
                (8, "backend \"x\" has no word `Server`"),
                (9, "the port is no number in the address \"10.0.0.1:80;\""),
            ]),
        ),
        (
            "odd-conditions.cfg",
            Refused(&[
                (9, "whether `server a 10.0.0.1:80` counts is decided when HAProxy starts"),
                (10, "whether `hash-type consistent` counts"),
                (13, "`.endif` has no `.if` before it"),
                (14, "this `.if` has no `.endif`"),
            ]),
        ),
        (
            "odd-digits.cfg",
            Refused(&[
                (8, "server \"a\": weight \"5x\" is no whole number from 0 to 256"),
                (9, "server \"b\": weight \"1.5\" is no whole number"),
                (10, "server \"c\": id \"5x\" is no number from 1 to 2147483647"),
            ]),
        ),
        (
            "odd-factor.cfg",
            Warns(8, "`hash-balance-factor 150` has no effect without `hash-type consistent`"),
        ),
        (
            "odd-hash-keys.cfg",
            Refused(&[(10, "has the hash-key id, and `server a 10.0.0.1:80 hash-key addr` has addr")]),
        ),
        (
            "odd-headers.cfg",
            Refused(&[
                (6, "`backend` has no name"),
                (8, "`backend a b`: `b` follows the name"),
                (10, "HAProxy takes no \"/\" in the name \"a/b\""),
                (12, "there is no `defaults` \"nowhere\" before it"),
                (15, "`server a 10.0.0.1:80` stands in `defaults`"),
                (18, "there are two `defaults` \"d\", and `from` names them"),
            ]),
        ),
        ("odd-no-end.cfg", Refused(&[(8, "no line break ends the last line, `server a 10.0.0.1:80`")])),
        ("odd-no-servers.cfg", Refused(&[(1, "the file has no `backend` or `listen` that lists servers")])),
        (
            "odd-old-header.cfg",
            Refused(&[
                (6, "`frontend web 127.0.0.1:18080` has an address"),
                (8, "`listen old 127.0.0.1:18081` has an address"),
            ]),
        ),
        ("odd-past.cfg", Warns(8, "`use-server b if { path /b }` sends requests past the hash")),
        ("odd-quote.cfg", Refused(&[(8, "the quote `'` is not closed")])),
        (
            "odd-removed.cfg",
            Refused(&[(8, "`reqadd` in backend \"x\" is no word of HAProxy any more"), (9, "`redisp`")]),
        ),
        ("odd-template-id.cfg", Refused(&[(8, "the id 7 of a template would be that of all its servers")])),
        (
            "odd-template.cfg",
            Refused(&[
                (8, TEMPLATE),
                (9, TEMPLATE),
                (10, TEMPLATE),
                (11, "`server-template d 10.0.0.1:80` lacks something"),
                (
                    13,
                    "`server-template e 2 10.0.0.1:80` makes a server \"e1\" again: it is listed on line 12",
                ),
            ]),
        ),
        (
            "odd-twice.cfg",
            Refused(&[
                (10, "server \"a\" is listed twice, on lines 8 and 10"),
                (11, "there are two proxies \"x\""),
            ]),
        ),
        ("odd-variables.cfg", Unplaced(9, "`\"$WEIGHT\"` is a variable of the environment")),
        (
            "odd-weights.cfg",
            Refused(&[
                (8, "server \"a\": weight \"257\" is too large: HAProxy's end at 256"),
                (9, "server \"b\": weight \"-1\" is no whole number from 0 to 256"),
                (10, "server \"c\": nothing follows `weight`"),
                (11, "server \"d\": id \"0\" is no number from 1 to 2147483647"),
                (13, "id 5 of server \"f\" is that of server \"e\" already"),
                (14, "server \"g\": HAProxy has no word `wieght`"),
                (15, "server \"h/i\": HAProxy takes no \"/\" in the name of a server"),
                (16, "`server j` lacks something"),
                (17, "server \"k\": nothing follows `inter`"),
            ]),
        ),
    ];
    check(Kind::Haproxy, &folder("haproxy"), &expected);
}

#[test]
fn clockwise_fleets_read_or_are_refused_as_expected() {
    let expected = [
        ("bom.toml", Reads(&[("", 1)])),
        ("crlf.toml", Reads(&[("", 2)])),
        ("dotted.toml", Reads(&[("", 2)])),
        ("history.toml", Reads(&[("", 4)])),
        ("inline.toml", Reads(&[("", 3)])),
        ("jump-back.toml", Reads(&[("", 2)])),
        ("jump.toml", Reads(&[("", 2)])),
        ("libmemcached.toml", Reads(&[("", 2)])),
        ("minimal.toml", Reads(&[("", 1)])),
        ("multi-probe.toml", Reads(&[("", 3)])),
        ("names.toml", Reads(&[("", 5)])),
        ("rendezvous.toml", Reads(&[("", 3)])),
        ("slots.toml", Reads(&[("", 3)])),
        ("tables-first.toml", Reads(&[("", 2)])),
        ("twemproxy.toml", Reads(&[("", 2)])),
        ("zones.toml", Reads(&[("", 6)])),
        ("odd-all-draining.toml", Refused(&[(4, "the fleet has no active server: all 2 are draining")])),
        ("odd-both.toml", Refused(&[(4, "[placement] has a scheme and a `dialect`")])),
        (
            "odd-cargo.toml",
            Refused(&[(
                1,
                "the file begins with `package` and has no `version`, so it is no clockwise fleet",
            )]),
        ),
        ("odd-cr.toml", Refused(&[(1, "carriage return must be followed by newline")])),
        ("odd-deep.toml", Refused(&[(2, "nested more than 80 levels deep")])),
        ("odd-dotted.toml", Refused(&[(2, "nested more than 80 levels deep")])),
        ("odd-epsilon.toml", Refused(&[(4, "load cap -0.25 is negative")])),
        ("odd-history.toml", Refused(&[(9, "server \"b\": removed 3 skips a number")])),
        (
            "odd-keys.toml",
            Refused(&[
                (2, "the fleet has no key `fleet`"),
                (5, "[placement] has no key `hsah`"),
                (6, "scheme \"ring\" has no `table_size`"),
                (7, "[placement] has no key `extra`"),
                (11, "server \"a\" has no key `wieght`"),
                (14, "server \"b\" has no key `port`"),
                (15, "server \"b\" has no key `Zone`"),
                (16, "the fleet has no key `servers`"),
            ]),
        ),
        ("odd-latin1.toml", Refused(&[(5, "byte 0xe9 is not UTF-8 text")])),
        ("odd-neither.toml", Refused(&[(2, "[placement] has no `scheme` and no `dialect`")])),
        ("odd-no-placement.toml", Refused(&[(1, "the fleet has no [placement]")])),
        ("odd-no-servers.toml", Refused(&[(1, "the fleet has no servers")])),
        ("odd-no-version.toml", Refused(&[(1, "the file begins with `placement` and has no `version`")])),
        ("odd-nul.toml", Refused(&[(3, "not TOML at `\\u{0}`")])),
        (
            "odd-placement-list.toml",
            Refused(&[
                (2, "[placement] holds keys with values, and `[\"ring\"]` is a list"),
                (3, "the servers are a list"),
            ]),
        ),
        (
            "odd-random.toml",
            Refused(&[(4, "distribution random places nothing"), (5, "hash tag \"{\" is not two bytes")]),
        ),
        (
            "odd-same-name.toml",
            Refused(&[(12, "server \"a.test:11300\" is listed twice, on lines 6 and 12")]),
        ),
        ("odd-single-server.toml", Refused(&[(4, "the servers are a list: each begins with [[server]]")])),
        (
            "odd-syntax.toml",
            Refused(&[
                (3, "`ring` is not a value"),
                (4, "no value follows `=`"),
                (7, "`name` is given twice, on lines 6 and 7"),
                (8, "not TOML at `[[server]`"),
                (9, "not TOML at `:`"),
                (12, "not TOML at `'y'`"),
            ]),
        ),
        ("odd-utf16.toml", Refused(&[(1, "the file is UTF-16")])),
        (
            "odd-values.toml",
            Refused(&[
                (3, "there is no scheme \"rign\""),
                (7, "server name \"\" is empty"),
                (9, "server name \"b\\u{7}\" holds a control character"),
                (12, "there is no state \"drain\""),
                (13, "server \"c\": zone \"\" is empty"),
                (14, "`address` takes text, and `11211` is a whole number"),
                (16, "`name` takes text, and `5` is a whole number"),
                (17, "`[[server]]` has no `name`"),
                (21, "`state` takes text, and `false` is a truth value"),
                (22, "`zone` takes text, and `[\"a\"]` is a list"),
            ]),
        ),
        ("odd-version-2.toml", Refused(&[(1, "version `2` of fleet files is not known here")])),
        (
            "odd-weights.toml",
            Refused(&[
                (6, "server \"s1\": weight -1 is not positive"),
                (9, "server \"s2\": weight -300 is not positive"),
                (12, "server \"s3\": weight \"nan\" is not a whole number"),
                (15, "server \"s4\": weight \"inf\" is not a whole number"),
                (18, "server \"s5\": weight \"1e400\" is not a whole number"),
                (21, "server \"s6\": weight \"0.5\" is not a whole number"),
                (24, "server \"s7\": weight \"\" is not a whole number"),
                (27, "server \"s8\": weight \"0x10\" is not a whole number"),
                (30, "server \"s9\": weight \"0x10\" is not a whole number"),
                (33, "server \"s10\": weight 0 is not positive"),
                (36, "server \"s11\": weight 4294967296 is too large"),
                (39, "server \"s12\": weight 99999999999999999999999999999999 is too large"),
                (42, "server \"s13\": weight \"3\" is text"),
                (45, "server \"s14\": weight \"true\" is not a whole number"),
                (48, "server \"s15\": weight takes a whole number, and `[1]` is a list"),
                (51, "server \"s16\": weight \"1979-05-27\" is not a whole number"),
                (54, "server \"s17\": weight \"1.0\" is not a whole number"),
            ]),
        ),
    ];
    check(Kind::Toml, &folder("toml"), &expected);
}
