//! Complaints as people see them.

use clockwise_config::{Options, load, parse};

use crate::{read, refused};

/// The complaints about a text, as a terminal without colour shows them.
fn shown(path: &str, text: &str) -> String {
    let read = parse(path, text.as_bytes(), &Options::default());
    read.and_then(|file| Ok(file.pick(None)?)).unwrap_err().render(false)
}

const HEAD: &str = "version = 1\n[placement]\nscheme = \"ring\"\n";

#[test]
fn a_key_that_is_misspelt() {
    assert_eq!(
        shown("fleet.toml", &format!("{HEAD}[[server]]\nname = \"cache-1\"\nwieght = 3\n")),
        r#"error: server "cache-1" has no key `wieght`
 --> fleet.toml:6:1
  |
6 | wieght = 3
  | ^^^^^^
  |
  = help: did you mean `weight`?"#
    );
}

#[test]
fn a_weight_that_is_a_fraction() {
    assert_eq!(
        shown("fleet.toml", &format!("{HEAD}[[server]]\nname = \"cache-1\"\nweight = 0.5\n")),
        r#"error: server "cache-1": weight "0.5" is not a whole number: weights are integers from 1 to 4294967295, so scale all of them up
 --> fleet.toml:6:10
  |
6 | weight = 0.5
  |          ^^^"#
    );
}

#[test]
fn a_weight_of_zero_in_our_own_file() {
    assert_eq!(
        shown("fleet.toml", &format!("{HEAD}[[server]]\nname = \"cache-1\"\nweight = 0\n")),
        r#"error: server "cache-1": weight 0 is not positive: a weight is a whole number from 1; a server that should own nothing is draining
 --> fleet.toml:6:10
  |
6 | weight = 0
  |          ^
  |
  = help: write state = "draining", and leave the weight as it was"#
    );
}

#[test]
fn a_server_that_is_listed_twice() {
    assert_eq!(
        shown(
            "nutcracker.yml",
            "alpha:\n  listen: 127.0.0.1:22121\n  servers:\n   - 10.0.0.1:6379:1\n   - 10.0.0.2:6379:1\n   - 10.0.0.1:6379:1\n"
        ),
        r#"error: server "10.0.0.1:6379" is listed twice, on lines 4 and 6
 --> nutcracker.yml:6:6
  |
4 |    - 10.0.0.1:6379:1
  |      --------------- first listed here
5 |    - 10.0.0.2:6379:1
6 |    - 10.0.0.1:6379:1
  |      ^^^^^^^^^^^^^^^ again here
  |
  = help: remove one, or join equal copies with --merge"#
    );
}

#[test]
fn a_scheme_that_does_not_exist_and_a_key_of_another_scheme() {
    assert_eq!(
        shown("fleet.toml", "version = 1\n[placement]\nscheme = \"rign\"\n[[server]]\nname = \"a\"\n"),
        r#"error: there is no scheme "rign"
 --> fleet.toml:3:10
  |
3 | scheme = "rign"
  |          ^^^^^^
  |
  = help: did you mean "ring"?"#
    );
    assert_eq!(
        shown(
            "fleet.toml",
            "version = 1\n[placement]\nscheme = \"ring\"\ntable_size = 65537\n[[server]]\nname = \"a\"\n"
        ),
        r#"error: scheme "ring" has no `table_size`
 --> fleet.toml:4:1
  |
4 | table_size = 65537
  | ^^^^^^^^^^
  |
  = help: `table_size` belongs to maglev or envoy"#
    );
}

#[test]
fn a_key_that_many_others_have() {
    for (dialect, help) in [("uhashring", "its keys are hash_fn, vnodes"), ("memjs", "it has no settings")] {
        let text = format!(
            "version = 1\n[placement]\ndialect = \"{dialect}\"\nhash = \"md5\"\n[[server]]\nname = \"a\"\n"
        );
        let expected = format!(
            "error: dialect \"{dialect}\" has no `hash`\n --> fleet.toml:4:1\n  |\n4 | hash = \"md5\"\n  | ^^^^\n  |\n  = help: {help}"
        );
        assert_eq!(shown("fleet.toml", &text), expected);
    }
}

#[test]
fn text_without_quotes() {
    assert_eq!(
        shown("fleet.toml", "version = 1\n[placement]\nscheme = ring\n"),
        r#"error: `ring` is not a value
 --> fleet.toml:3:10
  |
3 | scheme = ring
  |          ^^^^
  |
  = help: text stands in quotes: "ring""#
    );
}

#[test]
fn a_file_without_its_version() {
    assert_eq!(
        shown("fleet.toml", "[[server]]\nname = \"a\"\n"),
        r#"error: the file begins with `server` and has no `version`, so it is no clockwise fleet
 --> fleet.toml:1:3
  |
1 | [[server]]
  |   ^^^^^^
  |
  = help: a fleet file begins with `version = 1`"#
    );
}

#[test]
fn a_server_line_without_its_weight() {
    assert_eq!(
        shown(
            "nutcracker.yml",
            "alpha:\n  listen: 127.0.0.1:22121\n  servers:\n   - 10.0.0.1:11211 cache-1\n"
        ),
        r#"error: server line "10.0.0.1:11211 cache-1" has no weight
 --> nutcracker.yml:4:6
  |
4 |    - 10.0.0.1:11211 cache-1
  |      ^^^^^^^^^^^^^^
  |
  = help: it is host:port:weight and a name: write "10.0.0.1:11211:1 cache-1""#
    );
}

#[test]
fn a_truth_value_that_nutcracker_does_not_take() {
    assert_eq!(
        shown(
            "nutcracker.yml",
            "alpha:\n  listen: 127.0.0.1:22121\n  redis: yes\n  servers:\n   - 10.0.0.1:6379:1\n"
        ),
        r#"error: `redis` is "yes", and nutcracker takes `true` or `false`
 --> nutcracker.yml:3:10
  |
3 |   redis: yes
  |          ^^^
  |
  = help: write `redis: true`; --lenient reads it all the same"#
    );
}

#[test]
fn a_tab_in_yaml() {
    assert_eq!(
        shown("nutcracker.yml", "alpha:\n\tlisten: 127.0.0.1:22121\n"),
        r#"error: not YAML at `listen:`: tabs disallowed within this context (block indentation)
 --> nutcracker.yml:2:2
  |
2 |     listen: 127.0.0.1:22121
  |     ^^^^^^^
  |
  = help: YAML is indented with spaces; a tab is none"#
    );
}

#[test]
fn a_file_with_several_pools_and_no_choice() {
    let text = "alpha:\n  listen: 127.0.0.1:1\n  servers:\n   - a:1:1\nbeta:\n  listen: 127.0.0.1:2\n  servers:\n   - a:1:1\n";
    assert_eq!(
        shown("conf/nutcracker.yml", text),
        r#"error: the file holds 2 pools: alpha, beta
 --> conf/nutcracker.yml:1:1
  |
1 | alpha:
  | ^^^^^
  |
  = help: name the one that is meant: conf/nutcracker.yml#alpha"#
    );
    let file = read(text).unwrap();
    let wrong = file.pick(Some("bata")).unwrap_err();
    assert_eq!(wrong.to_string(), "fleet:1:1: there is no pool \"bata\"");
    assert_eq!(wrong.help(), Some("did you mean \"beta\"?"));
    let other = file.pick(Some("sessions")).unwrap_err();
    assert_eq!(other.help(), Some("its pools are alpha, beta"));
}

#[test]
fn a_file_of_another_kind() {
    let shown = shown("fleet.xml", "\n<fleet>\n  <server/>\n</fleet>\n");
    let (complaint, help) = shown.split_once("  = help: ").unwrap();
    assert_eq!(
        complaint,
        "error: no kind of fleet file begins with `<fleet>`
 --> fleet.xml:2:1
  |
2 | <fleet>
  | ^^^^^^^
  |
"
    );
    assert!(
        help.starts_with("what can be read: clockwise's own TOML (it begins with `version = 1`), "),
        "{help}"
    );
    assert!(help.ends_with("; --from NAME says which it is"), "{help}");
}

#[test]
fn a_file_that_is_not_there() {
    let refused = load("no/such/fleet.toml#pool", &Options::default()).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "no/such/fleet.toml: cannot be read: No such file or directory (os error 2)"
    );
    assert_eq!(refused.iter().next().unwrap().line(), None);
}

#[test]
fn all_mistakes_come_out_at_once_in_the_order_of_their_lines() {
    let text = "version = 1\n[placement]\nscheme = \"ring\"\nhash = \"md6\"\n\
        [[server]]\nname = \"a\"\nweight = \"x\"\nzone = 5\nstate = \"on\"\n[[server]]\nname = \"a\"\n";
    assert_eq!(
        refused(text),
        "\
fleet:4:8: there is no hash \"md6\"
fleet:7:10: server \"a\": weight \"x\" is not a whole number: weights are integers from 1 to 4294967295, so scale all of them up
fleet:8:8: `zone` takes text, and `5` is a whole number
fleet:9:9: there is no state \"on\"
fleet:11:8: server \"a\" is listed twice, on lines 6 and 11"
    );
}

#[test]
fn what_stands_twice_on_one_line_is_not_said_to_be_on_two() {
    let server =
        "version = 1\nplacement = { scheme = \"ring\" }\nserver = [{ name = \"a\" }, { name = \"a\" }]\n";
    assert_eq!(refused(server), "fleet:3:36: server \"a\" is listed twice, both times on line 3");
}

#[test]
fn duplicates_in_braces_point_at_the_first_of_their_own_braces() {
    let text =
        "version = 1\nserver = [\n  {name = \"a\"},\n  {name = \"b\", zone = \"z\",\n   name = \"c\"},\n]\n";
    let all = refused(text);
    assert!(all.contains("fleet:5:4: `name` is given twice, on lines 4 and 5"), "{all}");
    let nested = "version = 1\nx = {a = 1,\n y = {a = 2},\n a = 3}\n";
    assert!(refused(nested).contains("`a` is given twice, on lines 2 and 4"), "{}", refused(nested));
}

#[test]
fn warnings_are_errors_when_asked() {
    let text = b"alpha:\n  listen: 127.0.0.1:1\n  servers:\n   - a:1:1\n   - b:1:0\n";
    let lenient = parse("f", text, &Options::default()).unwrap().pick(None).unwrap();
    assert_eq!(lenient.warnings().len(), 1);
    assert_eq!(
        lenient.warnings()[0].to_string(),
        "f:5:10: warning: server \"b:1\": weight 0 is read as draining, and nutcracker refuses it"
    );
    let strict = parse("f", text, &Options { strict: true, ..Options::default() }).unwrap_err();
    assert_eq!(
        strict.to_string(),
        "f:5:10: server \"b:1\": weight 0 is read as draining, and nutcracker refuses it"
    );
}

#[test]
fn a_placement_that_is_not_said_is_asked_for_with_each_scheme_once() {
    let said = shown("fleet.toml", "version = 1\n[placement]\nhash = \"md5\"\n[[server]]\nname = \"a\"\n");
    let (_, help) = said.split_once("= help: ").unwrap();
    let words: Vec<&str> = help.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').collect();
    for scheme in ["ring", "rendezvous", "jump", "mod-n", "skeleton"] {
        assert_eq!(words.iter().filter(|word| **word == scheme).count(), 1, "{scheme}: {help}");
    }
}
