//! What stands before every key: our own setting, the namespaces of clients, and nginx's key.

use clockwise::catalogue;
use clockwise::dialect::nginx;
use clockwise::{KeyPrefix, Placement as _, Scheme};
use clockwise_config::{About, Options, Settings, Target, parse};

use crate::{pool, refused};

/// What stands before the keys of a file that is right.
fn prefix(text: &str) -> Option<String> {
    pool(text).scheme().key_prefix().map(KeyPrefix::to_string)
}

fn own(placement: &str) -> String {
    format!(
        "version = 1\n[placement]\n{placement}\n[[server]]\nname = 'a'\n[[server]]\nname = 'b'\n[[server]]\nname = 'c'\n"
    )
}

#[test]
fn every_scheme_and_dialect_takes_a_prefix_and_keeps_it_when_written() {
    let named = ["mod-n", "ring", "rendezvous", "jump", "maglev", "slots", "bounded"];
    let named = named.into_iter().chain(catalogue::SCHEMES.iter().map(|entry| entry.name));
    let schemes = named.map(|name| format!("scheme = '{name}'"));
    let dialects = ["twemproxy", "php-memcached", "haproxy", "redis-cluster"];
    for placement in schemes.into_iter().chain(dialects.map(|name| format!("dialect = '{name}'"))) {
        for text in ["app:", "größe \\t\\\"\\\\", "{"] {
            let bare = pool(own(&placement));
            let read = pool(own(&format!("{placement}\nkey_prefix = \"{text}\"")));
            assert_eq!((read.scheme().bare(), bare.scheme().key_prefix()), (bare.scheme(), None));
            let again = pool(read.to_toml());
            assert_eq!((again.scheme(), again.servers()), (read.scheme(), read.servers()));
            assert_eq!(Settings::of(read.scheme()).to_string().parse(), Ok(Settings::of(read.scheme())));
            assert_eq!(read.line_of(About::Setting("key_prefix")), 4);
            let built = read.scheme().build(read.servers()).unwrap();
            let plain = bare.scheme().build(bare.servers()).unwrap();
            let before = read.scheme().key_prefix().unwrap().as_str();
            for number in 0..100 {
                let whole = format!("{before}{number}");
                let key = &whole[before.len()..];
                assert_eq!(built.owner_ix(key.as_bytes()), plain.owner_ix(whole.as_bytes()), "{placement}");
            }
        }
    }
}

#[test]
fn a_prefix_that_is_none_is_refused_at_its_place() {
    for (placement, says) in [
        ("key_prefix = ''", "fleet:4:14: key prefix \"\" is empty: leave it out"),
        ("key_prefix = 7", "fleet:4:14: `key_prefix` takes text, and `7` is a whole number"),
        ("key_prefx = 'a'", "fleet:4:1: [placement] has no key `key_prefx`"),
    ] {
        let said = refused(own(&format!("scheme = 'ring'\n{placement}")));
        assert!(said.contains(says), "{said}");
    }
    let long = refused(own(&format!("scheme = 'ring'\nkey_prefix = '{}'", "x".repeat(251))));
    assert!(long.contains("has more than 250 bytes") && long.len() < 200, "{long}");
}

#[test]
fn a_namespace_of_an_option_string_counts_where_it_is_hashed() {
    let with = |options: &str| format!("{options} --SERVER=aaa --SERVER=bbb");
    for (options, before) in [
        ("--NAMESPACE=foo --HASH-WITH-NAMESPACE", Some("foo")),
        ("--HASH-WITH-NAMESPACE --NAMESPACE=foo_bar-1", Some("foo_bar-1")),
        ("--hash-with-namespace --namespace=\"foo:\"", Some("foo:")),
        ("--NAMESPACE=\"a,b\" --HASH-WITH-NAMESPACE", Some("a,b")),
        ("--NAMESPACE=foo", None),
        ("--HASH-WITH-NAMESPACE", None),
    ] {
        assert_eq!(prefix(&with(options)).as_deref(), before, "{options}");
    }
    // As libmemcached 1.1.4 answers to each of them.
    for (options, says) in [
        ("--NAMESPACE=foo:", "namespace \"foo:\": libmemcached takes it in quotes only"),
        ("--NAMESPACE=ab", "takes it in quotes only"),
        ("--NAMESPACE=md5", "takes it in quotes only"),
        ("--NAMESPACE=10.0.0.1", "takes it in quotes only"),
        ("--NAMESPACE=\"a b\"", "the namespace \"a b\" has \" \""),
        ("--NAMESPACE=\"\"", "key prefix \"\" is empty"),
        ("--NAMESPACE=foo --NAMESPACE=bar", "`--NAMESPACE` is given twice"),
    ] {
        let said = refused(with(options));
        assert!(said.contains(says), "{options}: {said}");
    }
    let long = with(&format!("--NAMESPACE={}", "a".repeat(128)));
    assert!(refused(&long).contains("has 128 bytes, and libmemcached takes up to 127"));
    let lenient = Options { lenient: true, ..Options::default() };
    let read = parse("fleet", with("--NAMESPACE=foo: --HASH-WITH-NAMESPACE").as_bytes(), &lenient).unwrap();
    assert_eq!(read.pick(None).unwrap().scheme().key_prefix().map(KeyPrefix::as_str), Some("foo:"));
}

#[test]
fn a_prefix_of_php_counts_where_it_is_hashed() {
    let client = |options: &str| {
        format!(
            "<?php\n$m = new Memcached();\n$m->setOptions([{options}]);\n$m->addServers([['a', 1], ['b', 2]]);\n"
        )
    };
    for (options, before) in [
        ("Memcached::OPT_PREFIX_KEY => 'app:', Memcached::OPT_HASH_WITH_PREFIX_KEY => true", Some("app:")),
        ("Memcached::OPT_HASH_WITH_PREFIX_KEY => true, Memcached::OPT_PREFIX_KEY => 'app:'", Some("app:")),
        (
            "Memcached::OPT_PREFIX_KEY => 'app:', Memcached::OPT_HASH_WITH_PREFIX_KEY => true, \
             Memcached::OPT_SORT_HOSTS => true",
            Some("app:"),
        ),
        ("Memcached::OPT_PREFIX_KEY => 'app:'", None),
        ("Memcached::OPT_PREFIX_KEY => $prefix", None),
        ("Memcached::OPT_HASH_WITH_PREFIX_KEY => true", None),
        ("Memcached::OPT_PREFIX_KEY => 'app:', Memcached::OPT_HASH_WITH_PREFIX_KEY => false", None),
        (
            "Memcached::OPT_PREFIX_KEY => 'app:', Memcached::OPT_HASH_WITH_PREFIX_KEY => true, \
             Memcached::OPT_PREFIX_KEY => ''",
            None,
        ),
        ("Memcached::OPT_PREFIX_KEY => null, Memcached::OPT_HASH_WITH_PREFIX_KEY => true", None),
    ] {
        assert_eq!(prefix(&client(options)).as_deref(), before, "{options}");
    }
    for (value, says) in [
        ("$prefix", "is a name, and it is hashed with every key"),
        ("'a b'", "the namespace \"a b\" has \" \""),
    ] {
        let options =
            format!("Memcached::OPT_PREFIX_KEY => {value}, Memcached::OPT_HASH_WITH_PREFIX_KEY => true");
        let said = refused(client(&options));
        assert!(said.contains(says), "{said}");
    }
}

#[test]
fn a_namespace_of_pylibmc_counts_where_it_is_hashed() {
    let client = |behaviours: &str| {
        format!("import pylibmc\nmc = pylibmc.Client([\"a:1\", \"b:2\"], behaviors={{{behaviours}}})\n")
    };
    for (behaviours, before) in [
        ("\"namespace\": b\"app:\", \"_hash_with_prefix_key\": True", Some("app:")),
        ("\"_hash_with_prefix_key\": 1, \"namespace\": \"app:\", \"ketama\": True", Some("app:")),
        ("\"namespace\": b\"app:\"", None),
        ("\"namespace\": NAMESPACE", None),
        ("\"_hash_with_prefix_key\": True", None),
        ("\"namespace\": None, \"_hash_with_prefix_key\": True", None),
    ] {
        assert_eq!(prefix(&client(behaviours)).as_deref(), before, "{behaviours}");
    }
    for (value, says) in [("NAMESPACE", "the namespace in quotes"), ("b\"a b\"", "the namespace \"a b\" has")]
    {
        let said = refused(client(&format!("\"namespace\": {value}, \"_hash_with_prefix_key\": True")));
        assert!(said.contains(says), "{said}");
    }
    // pymemcache sends it before the key, and chooses by the key alone.
    let hash_client = "from pymemcache.client.hash import HashClient\n\
                       c = HashClient([(\"a\", 1), (\"b\", 2)], key_prefix=b\"app:\")\n";
    assert_eq!(prefix(hash_client), None);
}

#[test]
fn text_before_the_first_variable_of_a_key_of_nginx_is_a_prefix() {
    let upstream = |hash: &str| format!("upstream a {{ hash {hash}; server b:1; server c:1; }}\n");
    for (hash, before) in [
        ("app:$request_uri consistent", Some("app:")),
        ("\"v1 $host$uri\"", Some("v1 ")),
        ("'a\\'b${arg_k}'", Some("a'b")),
        ("$scheme://$host", None),
        ("$request_uri", None),
    ] {
        let text = upstream(hash);
        assert_eq!(prefix(&text).as_deref(), before, "{hash}");
        assert!(pool(&text).scheme().bare().to_string().starts_with("nginx"), "{hash}");
    }
    assert!(refused(upstream(&format!("{}$uri", "x".repeat(251)))).contains("has more than 250 bytes"));
    // Without a variable there is no key that it could stand before.
    assert_eq!(prefix("upstream a { hash app; server b:1; server c:1; }"), None);
}

#[test]
fn a_fleet_with_a_prefix_is_written_for_nginx_and_reads_back() {
    for text in ["app:", "a \"b\\c;{}", "'#"] {
        let scheme = Scheme::from(nginx::Options { consistent: true });
        let settings = Settings::of(&scheme.with_key_prefix(KeyPrefix::new(text).unwrap()));
        let written: String = ["consistent", "key_prefix"]
            .map(|key| format!("{key} = {}\n", settings.get(key).unwrap()))
            .concat();
        let fleet = pool(own(&format!("dialect = 'nginx'\n{written}")));
        let candidates = Target::Nginx.candidates(&fleet).unwrap();
        assert_eq!(candidates.len(), 1);
        assert_eq!(candidates[0].pool.scheme(), fleet.scheme(), "{}", candidates[0].text);
    }
    let fleet = pool(own("dialect = 'nginx'\nkey_prefix = 'a$b'"));
    let refused = Target::Nginx.candidates(&fleet).unwrap_err();
    assert!(refused.message().contains("has a `$`"), "{refused}");
    // Others have no word for it, and what they write has none.
    for target in [Target::Twemproxy, Target::Haproxy, Target::Envoy] {
        let fleet = parse("fleet", ADDRESSED.as_bytes(), &Options::default()).unwrap();
        let candidates = target.candidates(&fleet.pick(None).unwrap()).unwrap();
        assert!(candidates.iter().all(|written| written.pool.scheme().key_prefix().is_none()), "{target}");
    }
}

const ADDRESSED: &str = "version = 1
[placement]
dialect = 'libmemcached'
key_prefix = 'app:'
[[server]]
name = 'a'
address = '10.0.0.1:11211'
[[server]]
name = 'b'
address = '10.0.0.2:11211'
";
