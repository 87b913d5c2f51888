//! Keys with a prefix before them, in every command.

use super::{assert_has, file, run};

const SERVERS: &str = "--SERVER=10.0.0.1:11211 --SERVER=10.0.0.2:11211 --SERVER=10.0.0.3:11211";

/// Two clients of one pool: the first hashes its namespace, the second only sends it.
fn clients(name: &str) -> [String; 2] {
    let options = format!("--DISTRIBUTION=CONSISTENT --HASH=MD5 --NAMESPACE=app {SERVERS}");
    [
        file(&format!("{name}-hashed.txt"), format!("{options} --HASH-WITH-NAMESPACE\n")),
        file(&format!("{name}-sent.txt"), format!("{options}\n")),
    ]
}

#[test]
fn a_key_has_the_owner_that_prefix_and_key_have_without_it() {
    let [hashed, sent] = clients("owner");
    for number in 0..20 {
        let (key, whole) = (format!("user:{number}"), format!("appuser:{number}"));
        let owner = |fleet: &str, key: &str| {
            let line = run(["owner", fleet, key]).fine();
            line.split_whitespace().last().unwrap().to_owned()
        };
        assert_eq!(owner(&hashed, &key), owner(&sent, &whole));
    }
}

#[test]
fn what_a_key_is_where_a_product_hashes_a_request_is_told_with_its_owner() {
    for (name, text, said) in [
        (
            "request.conf",
            "upstream a {\n hash app:$request_uri consistent;\n server 10.0.0.1;\n server 10.0.0.2;\n}\n",
            "note: a key here is what `app:$request_uri` makes of a request, without the prefix \"app:\"\n",
        ),
        (
            "request.cfg",
            "backend a\n mode http\n balance  uri depth 2\n server a 10.0.0.1\n server b 10.0.0.2\n",
            "note: a key here is what `balance uri depth 2` makes of a request\n",
        ),
    ] {
        let (answer, notes) = run(["owner", &file(name, text), "/a/b"]).warned();
        assert_eq!(notes, said);
        assert_eq!(answer.lines().count(), 1);
    }
}

#[test]
fn clients_that_differ_in_hashing_their_namespace_differ_by_the_key_prefix_alone() {
    let [hashed, sent] = clients("diff");
    let said = run(["diff", &hashed, &sent, "--sample", "2000"]);
    assert_eq!(said.code, 1);
    let causes: Vec<&str> = said.out.lines().skip_while(|line| !line.starts_with("cause")).collect();
    assert!(causes[1].starts_with("key_prefix  app   (none)") && causes[2].is_empty(), "{}", said.out);
    let prints = |fleet: &str| run(["fingerprint", fleet]).fine();
    assert_ne!(prints(&hashed), prints(&sent));
}

#[test]
fn plans_and_migrations_are_of_prefix_and_key() {
    let [hashed, sent] = clients("plan");
    let keys: String = (0..3_000).map(|number| format!("user:{number}\n")).collect();
    let whole: String = (0..3_000).map(|number| format!("appuser:{number}\n")).collect();
    let (keys, whole) = (file("plan-keys.txt", keys), file("plan-whole.txt", whole));
    let plan = |fleet: &str, keys: &str| {
        let said = run(["plan", fleet, "--remove", "10.0.0.3:11211", "--keys", keys, "--format", "csv"]);
        said.fine()
    };
    assert_eq!(plan(&hashed, &keys), plan(&sent, &whole));
    let to = "libmemcached,distribution=CONSISTENT,hash=MD5,key_prefix=app";
    let said = run(["migrate", &sent, "--to", to, "--sample", "2000"]).fine();
    assert_has(&said, &["behind \"app\"", "each misses once"]);
    let said = run(["migrate", &hashed, "--to", to, "--sample", "2000"]).fine();
    assert_has(&said, &["moves nothing: of 2,000 keys each keeps its server"]);
}

#[test]
fn a_prefix_is_written_where_the_product_has_it_and_refused_by_name_where_not() {
    let upstream = "upstream up { hash app:$uri consistent; server 10.0.0.1:80; server 10.0.0.2:80; }\n";
    let upstream = file("prefix.conf", upstream);
    let (text, said) = run(["convert", &upstream, "--to", "nginx"]).warned();
    assert_has(&text, &["hash app:$uri consistent;"]);
    assert_has(&said, &["the same servers under the same settings"]);
    let client = "<?php\n$m = new Memcached();\n$m->setOptions([Memcached::OPT_LIBKETAMA_COMPATIBLE => true,\n\
                  Memcached::OPT_PREFIX_KEY => 'app:', Memcached::OPT_HASH_WITH_PREFIX_KEY => true]);\n\
                  $m->addServers([['10.0.0.1', 11211], ['10.0.0.2', 11211], ['10.0.0.3', 11211]]);\n";
    let client = file("prefix.php", client);
    let said = run(["convert", &client, "--to", "twemproxy"]);
    assert_eq!((said.code, said.out.as_str()), (1, ""));
    // All else is alike, and named as nothing.
    assert_has(
        &said.err,
        &["under the nearest that it has, twemproxy ketama md5", "key_prefix: app: here, (none) there"],
    );
    assert_eq!(said.err.lines().count(), 2, "{}", said.err);
    let (toml, _) = run(["convert", &client, "--to", "toml"]).warned();
    assert_has(&toml, &["dialect = \"php-memcached\"", "key_prefix = \"app:\""]);
}

#[test]
fn a_prefix_that_holds_a_tag_is_found_at_its_line() {
    let servers = "[[server]]\nname = \"a\"\n[[server]]\nname = \"b\"\n";
    let fleet = format!("version = 1\n[placement]\nscheme = \"slots\"\nkey_prefix = \"{{app}}:\"\n{servers}");
    let said = run(["check", &file("prefix-tag.toml", fleet)]);
    assert_eq!(said.code, 1);
    assert_has(&said.out, &["prefix-tag", ":4", "take the marks out of the prefix"]);
}
