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
