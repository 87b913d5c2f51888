//! Fleets as other products' files: written where the product can place keys alike, refused with what
//! would move where it cannot.

use super::{assert_has, file, run};

const SERVERS: &str = "\n[[server]]\nname = \"10.0.0.1:11211\"\nweight = 2\n\n[[server]]\nname = \"10.0.0.2:11212\"\n\
                       \n[[server]]\nname = \"10.0.0.3:11211\"\n";

fn fleet(name: &str, placement: &str) -> String {
    file(name, format!("version = 1\n[placement]\n{placement}\n{SERVERS}"))
}

/// Holds a written file to the fleet it came from, by the command that compares two.
fn assert_alike(fleet: &str, written: &str) {
    let said = run(["diff", fleet, written, "--sample", "5000"]).fine();
    assert_has(&said, &["place all 5,000 keys alike"]);
}

#[test]
fn a_client_of_libmemcached_becomes_a_pool_of_twemproxy_that_places_keys_alike() {
    let client = fleet(
        "client.toml",
        "dialect = \"libmemcached\"\ndistribution = \"CONSISTENT_WEIGHTED\"\nhash = \"MD5\"",
    );
    let (text, said) = run(["convert", &client, "--to", "twemproxy"]).warned();
    assert_eq!(
        text,
        "fleet:\n  listen: 127.0.0.1:22121\n  hash: md5\n  distribution: ketama\n  servers:\n   - 10.0.0.1:11211:2\n   \
         - 10.0.0.2:11212:1\n   - 10.0.0.3:11211:1\n"
    );
    assert_has(&said, &["none of 100,000 keys has another owner under twemproxy ketama md5"]);
    let written = file("client.yml", text);
    assert_alike(&client, &written);
}

#[test]
fn sockets_are_named_as_their_client_labels_them() {
    let socket = format!("{SERVERS}\n[[server]]\nname = \"/run/m.sock\"\n");
    for (name, placement, line) in [
        ("php", "dialect = \"php-memcached\"\nlibketama_compatible = true", "- /run/m.sock:1 /run/m.sock\n"),
        (
            "c",
            "dialect = \"libmemcached\"\ndistribution = \"CONSISTENT_WEIGHTED\"\nhash = \"MD5\"",
            "- /run/m.sock:1 /run/m.sock:0\n",
        ),
    ] {
        let text = format!("version = 1\n[placement]\n{placement}\n{socket}");
        let client = file(&format!("socket-{name}.toml"), text);
        let (text, _) = run(["convert", &client, "--to", "twemproxy"]).warned();
        assert_has(&text, &["- 10.0.0.1:11211:2\n", line]);
        assert_alike(&client, &file(&format!("socket-{name}.yml"), text));
    }
}

#[test]
fn a_dialect_is_written_with_its_own_settings_and_reads_back_as_it_was() {
    let ours = fleet("tagged.toml", "dialect = \"twemproxy\"\nhash = \"murmur\"\nhash_tag = \"{}\"");
    let (text, said) = run(["convert", &ours, "--to", "twemproxy"]).warned();
    assert_has(&text, &["hash: murmur", "hash_tag: \"{}\"", "10.0.0.1:11211:2 10.0.0.1:11211"]);
    assert_has(&said, &["the same servers under the same settings"]);
    let yaml = file("tagged.yml", text);
    let (back, _) = run(["convert", &yaml, "--to", "toml"]).warned();
    assert_has(&back, &["dialect = \"twemproxy\"", "hash_tag = \"{}\"", "weight = 2"]);
}

#[test]
fn nginx_takes_what_is_nginxs_and_what_is_pingoras() {
    for (name, placement) in
        [("n.toml", "dialect = \"nginx\"\nconsistent = true"), ("p.toml", "dialect = \"pingora\"")]
    {
        let ours = fleet(name, placement);
        let (text, _) = run(["convert", &ours, "--to", "nginx"]).warned();
        assert_has(
            &text,
            &["upstream fleet {", "hash $request_uri consistent;", "server 10.0.0.1:11211 weight=2;"],
        );
        let written = file(&format!("{name}.conf"), text);
        assert_alike(&ours, &written);
    }
}

#[test]
fn a_placement_that_the_product_does_not_have_is_refused_with_what_would_move_and_why() {
    let ours = fleet("ours.toml", "scheme = \"rendezvous\"");
    let ran = run(["convert", &ours, "--to", "twemproxy", "--sample", "2000"]);
    let said = ran.refused(1);
    assert_has(
        &said,
        &["cannot be written as twemproxy", "of 2,000 keys", "would have another owner", "here, "],
    );
}

#[test]
fn servers_that_the_product_cannot_name_are_refused_at_their_line() {
    let bare = file(
        "no-port.toml",
        "version = 1\n[placement]\ndialect = \"twemproxy\"\n[[server]]\nname = \"cache-1\"\n[[server]]\nname = \"c 2\"\n\
         address = \"10.0.0.1:1\"\n",
    );
    let said = run(["convert", &bare, "--to", "twemproxy"]).refused(3);
    assert_has(&said, &["server \"cache-1\" has no port in its address", &format!("{bare}:5:8")]);
    let said = run(["convert", &bare, "--to", "apache"]).refused(2);
    assert_has(&said, &["--to", "twemproxy"]);
}

#[test]
fn servers_of_one_address_are_named_where_the_product_knows_them_by_it() {
    let two = file(
        "one-address.toml",
        "version = 1\n[placement]\nscheme = \"ring\"\n[[server]]\nname = \"a\"\naddress = \"10.0.0.1:80\"\n\
         [[server]]\nname = \"b\"\naddress = \"10.0.0.1:80\"\n",
    );
    for product in ["nginx", "envoy"] {
        let said = run(["convert", &two, "--to", product]).refused(3);
        assert_has(
            &said,
            &["servers \"a\" and \"b\" are both at \"10.0.0.1:80\"", product, &format!("{two}:8:8")],
        );
    }
}

#[test]
fn a_draining_server_keeps_owning_nothing() {
    let path = file(
        "draining.toml",
        "version = 1\n[placement]\ndialect = \"twemproxy\"\n[[server]]\nname = \"a\"\naddress = \"10.0.0.1:1\"\n\
         [[server]]\nname = \"b\"\naddress = \"10.0.0.2:1\"\nstate = \"draining\"\n",
    );
    let (text, _) = run(["convert", &path, "--to", "twemproxy"]).warned();
    assert_has(&text, &["   # b is draining and owns nothing\n"]);
    let (back, _) = run(["convert", &path, "--to", "toml"]).warned();
    assert_has(&back, &["state = \"draining\""]);
}

#[test]
fn haproxy_takes_its_own_with_ids_weights_and_states() {
    let ours = file(
        "h.toml",
        "version = 1\n[placement]\ndialect = \"haproxy\"\nhash_type = \"consistent djb2 avalanche\"\nids = { web-2 = 102 }\n\
         [[server]]\nname = \"web-1\"\naddress = \"10.0.0.1:80\"\nweight = 10\n[[server]]\nname = \"web-2\"\n\
         address = \"10.0.0.2:80\"\nweight = 20\n[[server]]\nname = \"web-3\"\naddress = \"10.0.0.3:80\"\nstate = \"draining\"\n",
    );
    let (text, _) = run(["convert", &ours, "--to", "haproxy"]).warned();
    assert_has(
        &text,
        &[
            "backend fleet\n    mode http\n    balance uri\n    hash-type consistent djb2 avalanche\n",
            "    server web-1 10.0.0.1:80 weight 10\n",
            "    server web-2 10.0.0.2:80 id 102 weight 20\n",
            "    server web-3 10.0.0.3:80 weight 0\n",
        ],
    );
    assert_alike(&ours, &file("h.cfg", text));
    let heavy = fleet("converted-heavy.toml", "dialect = \"haproxy\"").to_owned();
    let text = std::fs::read_to_string(&heavy).unwrap().replace("weight = 2", "weight = 300");
    let heavy = file("converted-heavy.toml", text);
    let said = run(["convert", &heavy, "--to", "haproxy"]).refused(3);
    assert_has(&said, &["server \"10.0.0.1:11211\" weighs 300, and HAProxy's weights end at 256"]);
}

#[test]
fn envoy_takes_its_rings_tables_and_localities_and_those_of_grpc() {
    for (name, placement, has) in [
        (
            "e1.toml",
            "dialect = \"envoy\"\nminimum_ring_size = 4096\nhash_function = \"MURMUR_HASH_2\"",
            "MURMUR_HASH_2",
        ),
        ("e2.toml", "dialect = \"envoy\"\nlb_policy = \"MAGLEV\"\ntable_size = 503", "table_size: 503"),
        ("e3.toml", "dialect = \"grpc\"", "minimum_ring_size: 1024"),
    ] {
        let ours = fleet(name, placement);
        let (text, _) = run(["convert", &ours, "--to", "envoy"]).warned();
        assert_has(&text, &["  type: STATIC\n", "load_balancing_weight: 2", "port_value: 11212", has]);
        assert_alike(&ours, &file(&format!("{name}.yaml"), text));
    }
    let zoned = file(
        "zoned.toml",
        "version = 1\n[placement]\ndialect = \"envoy\"\nlocality_weights = { a = 1, b = 3 }\n\
         [[server]]\nname = \"10.0.0.1:80\"\nzone = \"a\"\n[[server]]\nname = \"10.0.0.2:80\"\nzone = \"b\"\n\
         [[server]]\nname = \"10.0.0.3:80\"\nzone = \"b\"\nstate = \"draining\"\n",
    );
    let (text, _) = run(["convert", &zoned, "--to", "envoy"]).warned();
    assert_has(&text, &["locality: { zone: \"b\" }", "load_balancing_weight: 3", "health_status: DRAINING"]);
    assert_alike(&zoned, &file("zoned.yaml", text));
}

#[test]
fn names_are_written_so_that_the_products_own_readers_take_them_for_names() {
    let with = |name: &str, placement: &str, server: &str| {
        let servers = format!("[[server]]\nname = \"{server}\"\naddress = \"10.0.0.1:1\"\n");
        let rest = "[[server]]\nname = \"b\"\naddress = \"10.0.0.2:1\"\n";
        file(name, format!("version = 1\n[placement]\n{placement}\n{servers}{rest}"))
    };
    let (text, _) =
        run(["convert", &with("colon.toml", "dialect = \"twemproxy\"", "a:"), "--to", "twemproxy"]).warned();
    assert_has(&text, &["   - \"10.0.0.1:1:1 a:\"\n"]);
    // libyaml begins a new line at these, also in a comment.
    for end in ["\\u2028", "\\u2029"] {
        let server = format!("a{end}   - 10.0.0.9:1:1");
        let fleet = with("line.toml", "dialect = \"twemproxy\"", &server);
        run(["convert", &fleet, "--to", "twemproxy"]).refused(3);
        let fleet =
            with("comment.toml", "dialect = \"twemproxy\"", &format!("{server}\"\nstate = \"draining"));
        let (text, _) = run(["convert", &fleet, "--to", "twemproxy"]).warned();
        assert_has(&text, &["   # a    - 10.0.0.9:1:1 is draining and owns nothing\n"]);
    }
    let guids = "dialect = \"haproxy\"\nhash_key = \"guid\"\nguids = { a = \"x check\", b = \"y\" }";
    let said = run(["convert", &with("guid.toml", guids, "a"), "--to", "haproxy"]).refused(3);
    assert_has(&said, &["server \"a\" has a guid that HAProxy does not take"]);
    let yaml = "\"true\":\n  listen: 127.0.0.1:1\n  servers:\n   - 10.0.0.1:1:1\n   - 10.0.0.2:1:1\n";
    let pool = file("true.yml", yaml);
    let placement = "dialect = \"envoy\"";
    let (text, _) = run(["convert", &with("envoy.toml", placement, "10.0.0.1:1"), "--to", "envoy"]).warned();
    assert_has(&text, &["- name: \"fleet\"\n", "    cluster_name: \"fleet\"\n"]);
    let (text, _) = run(["convert", &pool, "--to", "twemproxy"]).warned();
    assert_has(&text, &["true:\n"]);
}

#[test]
fn reasons_name_both_key_hashes_and_nothing_that_decides_nothing() {
    let ring =
        fleet("unlike.toml", "dialect = \"libmemcached\"\ndistribution = \"CONSISTENT\"\nhash = \"MD5\"");
    for (fleet, to) in [(&ring, "nginx"), (&fleet("native.toml", "scheme = \"ring\""), "twemproxy")] {
        let said = run(["convert", fleet, "--to", to, "--sample", "1000"]);
        assert_eq!((said.code, said.out.as_str()), (1, ""));
        let reason = said.err.lines().find(|line| line.starts_with("  key hash: ")).unwrap();
        let (here, there) = reason.trim_start_matches("  key hash: ").split_once(" here, ").unwrap();
        let there = there.trim_end_matches(" there");
        assert!(!here.is_empty() && !there.is_empty() && !reason.contains("nothing"), "{reason}");
    }
}

#[test]
fn a_name_that_is_read_as_a_placeholder_is_refused_as_what_it_is() {
    let servers = "[[server]]\nname = \"{a}\"\naddress = \"10.0.0.1:11211\"\n[[server]]\nname = \"b\"\naddress = \"10.0.0.2:11211\"\n";
    let braces = file("braces.toml", format!("version = 1\n[placement]\ndialect = \"twemproxy\"\n{servers}"));
    let said = run(["convert", &braces, "--to", "twemproxy"]).refused(3);
    assert_has(
        &said,
        &[
            "server \"{a}\" has a name that a file of twemproxy cannot hold here",
            "braces.toml:5:",
            "another name",
        ],
    );
}

#[test]
fn the_part_of_a_request_that_is_the_key_is_written_back_as_the_file_has_it() {
    let servers = "    server web-1 10.0.0.1:8080\n    server web-2 10.0.0.2:8080\n";
    for (mode, balance) in [
        ("http", "balance hdr(X-Key)"),
        ("http", "balance uri whole"),
        ("http", "balance url_param id check_post"),
        ("http", "balance hash path,lower"),
        ("tcp", "balance rdp-cookie(mstshash)"),
    ] {
        let head = format!("defaults\n    mode {mode}\n    {balance} # the key\n");
        let ours = file("kept.cfg", format!("{head}backend cache\n    hash-type consistent\n{servers}"));
        let (text, said) = run(["convert", &ours, "--to", "haproxy"]).warned();
        let written = format!("backend cache\n    mode {mode}\n    {balance}\n    hash-type consistent\n");
        assert_has(&text, &[&written]);
        assert_has(&said, &["no key has another owner\n", &format!("hashes of a request, `{balance}`\n")]);
    }
    for key in ["$scheme$host$request_uri", "\"$host $uri\"", "'app:$arg_id'", "${host}$uri"] {
        let upstream = format!(
            "upstream up {{ hash {key} consistent; server 10.0.0.1:80; server 10.0.0.2:80 weight=2; }}\n"
        );
        let ours = file("kept.conf", upstream);
        let (text, said) = run(["convert", &ours, "--to", "nginx"]).warned();
        assert_has(&text, &[&format!("    hash {key} consistent;\n")]);
        assert_has(&said, &["no key has another owner\n", &format!("hashes of a request, `{key}`\n")]);
    }
}

#[test]
fn what_is_hashed_is_said_where_it_is_filled_in_and_where_it_is_lost() {
    let haproxy = fleet("unsaid-h.toml", "dialect = \"haproxy\"");
    let haproxy = std::fs::read_to_string(&haproxy).unwrap();
    let names = haproxy.replace("name = \"10.0.0.", "address = \"10.0.0.1:80\"\nname = \"web-");
    let haproxy = file("unsaid-h.toml", names);
    let nginx = fleet("unsaid-n.toml", "dialect = \"nginx\"");
    for (ours, to, part) in [
        (
            &haproxy,
            "haproxy",
            "the key is the URI of a request up to its `?` in what is written, `balance uri`",
        ),
        (
            &nginx,
            "nginx",
            "the key is the URI of a request with what follows its `?` in what is written, `$request_uri`",
        ),
    ] {
        let (_, said) = run(["convert", ours, "--to", to]).warned();
        assert_has(&said, &[part, "does not say what a key is: change it before use\n"]);
    }
    // A file of another kind has no place for it.
    let upstream = "upstream up { hash $arg_id; server 10.0.0.1:80; server 10.0.0.2:80; }\n";
    let upstream = file("lost.conf", upstream);
    let (_, said) = run(["convert", &upstream, "--to", "toml"]).warned();
    assert_has(
        &said,
        &["hashes `$arg_id` of a request, and that is not written: a file of toml does not say"],
    );
    // The balance of a proxy that takes turns is no key.
    let turns = "backend up\n    mode http\n    balance roundrobin\n    server a 10.0.0.1:80\n    server b 10.0.0.2:80\n";
    let turns = file("turns.cfg", turns);
    let placed = ["convert", &turns, "--placement", "haproxy", "--to", "haproxy"];
    let (text, said) = run(placed).warned();
    assert_has(&text, &["    balance uri\n"]);
    assert_has(&said, &["does not say what a key is"]);
}

/// The reason is about the file that is named, whatever its product could be set to.
#[test]
fn causes_are_those_against_the_candidate_that_is_named() {
    let upstream =
        "upstream up { hash $uri consistent; server 10.0.0.1:80; server 10.0.0.2:80; server 10.0.0.3:80; }\n";
    let upstream = file("peers.conf", upstream);
    let native = fleet("named.toml", "scheme = \"ring\"");
    let mut tables = 0;
    for ours in [&upstream, &native] {
        for to in ["nginx", "haproxy", "envoy", "twemproxy"] {
            if (ours, to) == (&upstream, "nginx") {
                continue;
            }
            let ran = run(["convert", ours, "--to", to, "--sample", "1000"]);
            let said = ran.err;
            if ran.code == 3 {
                continue;
            }
            let named =
                said.split_once(": under ").unwrap().1.trim_start_matches("the nearest that it has, ");
            let named = named.split_once(", ").unwrap().0;
            if ["map-based", "MAGLEV", "nginx hash", "modula"].iter().any(|table| named.contains(table)) {
                tables += 1;
                assert_has(&said, &[&format!("{named} there")]);
                let of_rings =
                    [" points there", "  boundary: ", "lb_policy: ", "consistent: ", "hash_type: "];
                let causes = said.split_once('\n').unwrap().1;
                assert!(of_rings.iter().all(|words| !causes.contains(words)), "{said}");
            }
        }
    }
    assert!(tables > 1, "no case of its kind");
}

#[test]
fn a_product_that_has_nothing_like_it_is_said_to_have_none_and_each_cause_is_said_once() {
    let ours = file(
        "unlike-keys.toml",
        "version = 1\n[placement]\nscheme = \"jump\"\n[[server]]\nname = \"a\"\naddress = \"10.0.0.1:1\"\n[[server]]\n\
         name = \"b\"\naddress = \"10.0.0.2:1\"\n[[server]]\nname = \"c\"\naddress = \"10.0.0.3:1\"\n",
    );
    for product in ["twemproxy", "nginx", "haproxy", "envoy"] {
        let said = run(["convert", &ours, "--to", product, "--sample", "2000"]).refused(1);
        assert_has(
            &said,
            &[
                &format!("cannot be written as {product}, which has nothing like jump: under "),
                ", as many as by chance\n",
            ],
        );
        assert!(!said.contains("nearest") && !said.contains("\n  names: "), "{said}");
        assert_eq!(said.lines().count(), 2, "{said}");
    }
    // twemproxy's ring of another hash of keys is near.
    let near =
        fleet("near.toml", "dialect = \"libmemcached\"\ndistribution = \"CONSISTENT\"\nhash = \"MURMUR\"");
    let said = run(["convert", &near, "--to", "twemproxy", "--sample", "2000"]);
    assert!(!said.err.contains("nothing like"), "{}", said.err);
}
