//! Names that would rule a terminal, standard input, and files with pools that place nothing.

use crate::{TWEMPROXY, assert_has, command, file, finish, run, run_with};

/// A name may hold what turns text around; a pool's name in nginx even an escape.
const TURNED: &str =
    "upstream \"a\x1b[31m\" {\n hash $uri consistent;\n server \"x\u{202e}y\";\n server b;\n}\n";

#[test]
fn what_would_move_a_cursor_is_escaped_for_people_and_left_alone_for_programs() {
    let path = file("hostile-names.conf", TURNED);
    for arguments in [
        vec!["ring", &path],
        vec!["ring", &path, "--format", "markdown"],
        vec!["owner", &path, "k\u{202e}"],
        vec!["plan", &path, "--remove", "b", "--sample", "100"],
        vec!["check", &path],
        vec!["diff", &path, &path, "--sample", "100"],
        vec!["fingerprint", &path],
        vec!["migrate", &path, "--to", "ring", "--sample", "100"],
    ] {
        let run = run(&arguments);
        for text in [&run.out, &run.err] {
            assert!(!text.contains(['\x1b', '\u{202e}']), "{}: {text:?}", run.what);
        }
    }
    let shown = run(["ring", &path]).fine();
    assert_has(&shown, &["hostile-names.conf#a\\u{1b}[31m: nginx", "\nx\\u{202e}y  x\\u{202e}y       1"]);
    let csv = run(["ring", &path, "--format", "csv"]).fine();
    assert!(csv.contains("\nx\u{202e}y,"), "{csv}");
    let json = run(["ring", &path, "--format", "json"]).json();
    assert_eq!(json["servers"][0]["name"], "x\u{202e}y");
}

#[test]
fn a_colour_setting_colours_a_complaint_about_such_a_file_and_nothing_else_of_it() {
    let path = file("hostile-colour.conf", TURNED.replace("server b", "server b weight=0"));
    let mut command = command();
    command.args(["ring", &path]).env("CLICOLOR_FORCE", "1");
    let run = finish(command, b"", "coloured".to_owned());
    assert_eq!(run.code, 3);
    assert!(run.err.contains("\x1b[1m") && !run.err.contains('\u{202e}'), "{:?}", run.err);
}

#[test]
fn a_fleet_is_read_from_standard_input() {
    let text = std::fs::read(crate::root().join(TWEMPROXY)).unwrap();
    let piped = run_with(["owner", "-", "user:1"], &text).fine();
    assert_eq!(piped, run(["owner", TWEMPROXY, "user:1"]).fine());
    assert!(run_with(["ring", "-"], &text).fine().starts_with("-#memcached: twemproxy ketama"));
    assert_has(&run_with(["check", "-"], &text).fine(), &["1 fleet checked: 0 errors"]);
    assert_has(&run_with(["owner", "-", "k"], b"").refused(3), &["error: the file is empty", "--> -:1:1"]);
    // What it includes is nowhere.
    let include = b"upstream a { hash $uri; include x; }\n";
    assert_has(&run_with(["owner", "-", "k"], include).refused(3), &["it is in another file"]);
}

#[test]
#[cfg(unix)]
fn a_pool_of_standard_input_is_picked_by_the_path_that_unix_has_for_it() {
    let two = "defaults\n mode http\nbackend a\n balance uri\n server x 10.0.0.1:1\nbackend b\n balance uri\n server y 10.0.0.2:1\n";
    let refused = run_with(["owner", "-", "k"], two.as_bytes()).refused(3);
    assert_has(&refused, &["the file holds 2 pools: a, b", "name the one that is meant: /dev/stdin#a"]);
    assert_eq!(run_with(["owner", "/dev/stdin#b", "k"], two.as_bytes()).warned().0, "k  y\n");
}

#[test]
fn standard_input_is_read_once() {
    for arguments in [
        &["owner", "-"][..],
        &["owner", "-", "--keys", "-"],
        &["diff", "-", "-"],
        &["diff", "-", TWEMPROXY, "--keys", "-"],
        &["check", "-", TWEMPROXY, "/dev/stdin"],
        &["plan", "-", "-"],
        &["migrate", "-", "--to", "-"],
        &["convert", "-", "--to", "toml", "--keys", "-"],
    ] {
        assert_has(&run(arguments).refused(2), &["standard input is given twice"]);
    }
}

const SITE: &str = "defaults
 mode http
backend static
 balance roundrobin
 server s 127.0.0.1:80
backend forgotten
 balance leastconn
 hash-type consistent
 server s 10.0.0.1:80
backend cache
 balance uri
 hash-type consistent
 server a 10.0.0.1:80 id 1
 server b 10.0.0.2:80 id 2
 server sorry 127.0.0.1:8000 id 3 backup
";

#[test]
fn pools_that_take_turns_beside_fleets_are_notes_and_those_that_seem_to_mean_otherwise_warnings() {
    let path = file("hostile-site.cfg", SITE);
    let checked = run(["check", &path, "--format", "json"]);
    assert_eq!(checked.code, 1);
    let document: serde_json::Value = serde_json::from_str(&checked.out).unwrap();
    let row = |fleet: usize| {
        let finding = &document["fleets"][fleet]["findings"][0];
        ["severity", "rule"].map(|key| finding[key].as_str().unwrap().to_owned())
    };
    assert_eq!(row(0), ["note", "places-nothing"]);
    assert_eq!(row(1), ["warning", "places-nothing"]);
    assert!(document["fleets"][0]["scheme"].is_null());
    // The backup on the machine itself owns nothing, and sends no keys apart.
    assert!(!checked.out.contains("local-address"), "{}", checked.out);
    // Asked for by name, or alone in its file, it is an error.
    assert_eq!(run(["check", &format!("{path}#static")]).code, 1);
    assert_has(
        &run(["check", &format!("{path}#static")]).out,
        &["error [file]: backend \"static\" takes turns"],
    );
    let alone = file("hostile-alone.cfg", &SITE[..SITE.find("backend forgotten").unwrap()]);
    assert_has(&run(["check", &alone]).out, &["error [file]", "1 error"]);
    // Who asks for none is told of one that places keys.
    assert_has(
        &run(["owner", &path, "k"]).refused(3),
        &["name the one that is meant: ", "hostile-site.cfg#cache"],
    );
}

#[test]
fn a_node_of_cassandra_without_tokens_is_said_to_have_none() {
    let ring = "Datacenter: dc1\n==========\nAddress  Rack Status State Load Owns Token\n 9\n10.0.0.1 r1 Up Normal 1 KiB 50% -9\n10.0.0.2 r1 Up Normal 1 KiB 50% 9\n";
    let path = file("hostile-ring.txt", ring);
    let (_, err) = run(["plan", &path, "--add", "10.0.0.3=10.0.0.3", "--sample", "100"]).warned();
    assert_has(&err, &["server \"10.0.0.3\" gets no points and owns nothing: nobody gave it tokens"]);
}

#[test]
fn of_warnings_of_one_sort_a_few_are_shown_and_the_others_counted() {
    let servers: String = (0..40).map(|n| format!(" - 10.0.0.{n}:1:1 s{n}\n")).collect();
    let text = format!("p:\n listen: 127.0.0.1:1\n servers:\n{servers} - 10.0.1.1:1:1000000 big\n");
    let (_, err) = run(["ring", &file("hostile-weights.yml", text)]).warned();
    assert_eq!(err.matches("gets no points").count(), 10, "{err}");
    assert!(err.ends_with("warning: 30 more servers get no points\n\n"), "{err}");
}
