//! The lab as it is served, exported, and said again as a command.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use super::{assert_has, command, root, run};

/// A lab that is being served, until it is dropped.
struct Lab {
    child: Child,
    /// What it printed as its address.
    address: String,
}

impl Lab {
    fn start(arguments: &[&str]) -> Lab {
        let mut lab = command();
        lab.arg("lab").arg("--no-open").args(arguments).stdout(Stdio::piped());
        let mut child = lab.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("The lab is at ").unwrap().to_owned();
        Lab { child, address }
    }

    fn connect(&self) -> TcpStream {
        let host = self.address.strip_prefix("http://").unwrap().split('/').next().unwrap();
        let stream = TcpStream::connect(host).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }

    /// The head and the body of an answer.
    fn ask(&self, request: &str) -> (String, Vec<u8>) {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let end = answer.windows(4).position(|window| window == b"\r\n\r\n").unwrap() + 4;
        (String::from_utf8(answer[..end].to_vec()).unwrap(), answer.split_off(end))
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn assets() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/lab")
}

#[test]
fn the_page_is_served_as_it_was_built() {
    let lab = Lab::start(&[]);
    for (path, file, kind) in [
        ("/", "index.html", "text/html; charset=utf-8"),
        ("/lab.css", "lab.css", "text/css; charset=utf-8"),
        ("/lab.js", "lab.js", "text/javascript; charset=utf-8"),
        ("/lab.wasm", "lab.wasm", "application/wasm"),
    ] {
        let (head, body) = lab.ask(&format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n"));
        assert_has(
            &head,
            &["HTTP/1.1 200 OK", &format!("Content-Type: {kind}"), "Content-Security-Policy: "],
        );
        assert!(body == fs::read(assets().join(file)).unwrap(), "{path}");
    }
    let (head, body) = lab.ask("HEAD /lab.js HTTP/1.1\r\n\r\n");
    assert!(head.starts_with("HTTP/1.1 200 ") && body.is_empty());
    assert!(lab.ask("GET /../Cargo.toml HTTP/1.1\r\n\r\n").0.starts_with("HTTP/1.1 404 "));
    assert!(lab.ask("POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc").0.starts_with("HTTP/1.1 405 "));
    let long = "x".repeat(20_000);
    assert!(lab.ask(&format!("GET / HTTP/1.1\r\nX: {long}")).0.starts_with("HTTP/1.1 431 "));
}

#[test]
fn visitors_who_say_nothing_hold_up_nobody() {
    let lab = Lab::start(&[]);
    let mut idle: Vec<TcpStream> = (0..20).map(|_| lab.connect()).collect();
    for stream in &mut idle {
        stream.write_all(b"GET / HT").unwrap();
    }
    assert!(lab.ask("GET / HTTP/1.1\r\n\r\n").0.starts_with("HTTP/1.1 200 "));
    // They are still waited for, so it was not by sending them away.
    idle[0].write_all(b"TP/1.1\r\n\r\n").unwrap();
    let mut first = [0; 12];
    idle[0].read_exact(&mut first).unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
    // Of many, those that came first make room.
    let more: Vec<TcpStream> = (0..300).map(|_| lab.connect()).collect();
    assert!(lab.ask("GET / HTTP/1.1\r\n\r\n").0.starts_with("HTTP/1.1 200 "));
    assert_eq!(idle[1].read(&mut first).unwrap_or(0), 0);
    drop(more);
}

#[test]
#[cfg(unix)]
fn an_interrupt_ends_it() {
    let mut lab = Lab::start(&["--listen", "127.0.0.1:0"]);
    let id = lab.child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let status = lab.child.wait().unwrap();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(2));
}

#[test]
fn a_fleet_of_the_command_line_is_in_the_address() {
    let lab = Lab::start(&[super::TWEMPROXY]);
    let text = lab.address.split_once('#').unwrap().1;
    let request = json!({ "op": "decode", "text": text }).to_string();
    let state: Value = serde_json::from_str(&clockwise_lab::handle(request.as_bytes()).json).unwrap();
    let fleet = &state["ok"]["fleet"];
    assert_eq!(fleet["scheme"], "product");
    assert!(fleet["product"].as_str().unwrap().starts_with("twemproxy,"));
    let printed = run(["ring", super::TWEMPROXY, "--format", "json"]).json();
    let names = |list: &Value| {
        let names = list.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    };
    assert_eq!(names(&fleet["nodes"]), names(&printed["servers"]));
}

#[test]
fn what_cannot_be_served_is_refused() {
    assert_has(&run(["lab", "--listen", "0.0.0.0:80"]).refused(2), &["open to other machines", "--export"]);
    assert_has(&run(["lab", "no-such-file.toml", "--no-open"]).refused(3), &["no-such-file.toml"]);
    assert_has(&run(["lab", "--export", "x", "--listen", "127.0.0.1"]).refused(2), &["cannot be used with"]);
    for told in
        [&["--merge"][..], &["--strict"], &["--from", "nginx"], &["--lenient"], &["--placement", "ring"]]
    {
        let said = run([&["lab", "--no-open"], told].concat()).refused(2);
        assert_has(&said, &[told[0], "is about a fleet's file, and there is none"]);
    }
    let lab = Lab::start(&[]);
    let taken = lab.address.trim_start_matches("http://").trim_end_matches('/');
    assert_has(&run(["lab", "--no-open", "--listen", taken]).refused(3), &["cannot be listened on"]);
}

#[test]
fn an_exported_page_is_the_served_one_and_one_for_a_disk() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("exported/lab");
    // What a run left that did not come to its end is another page.
    let _ = fs::remove_dir_all(&folder);
    let folder = folder.to_str().unwrap();
    assert_has(&run(["lab", "--export", folder]).fine(), &["is ready to be served"]);
    for file in ["index.html", "lab.css", "lab.js", "lab.wasm"] {
        let written = fs::read(Path::new(folder).join(file)).unwrap();
        assert!(written == fs::read(assets().join(file)).unwrap(), "{file}");
    }
    assert!(fs::read_to_string(Path::new(folder).join("offline.html")).unwrap().contains("id=\"lab-wasm\""));
    let file = super::file("not-a-folder", "");
    assert_has(&run(["lab", "--export", &file]).refused(3), &["not-a-folder is a file"]);
    // Again, into the same folder, but over nothing of another's.
    run(["lab", "--export", folder, "--no-open"]).fine();
    fs::write(Path::new(folder).join("index.html"), "<title>Mine</title>").unwrap();
    assert_has(&run(["lab", "--export", folder]).refused(3), &["index.html is another page"]);
    assert_eq!(fs::read_to_string(Path::new(folder).join("index.html")).unwrap(), "<title>Mine</title>");
    fs::remove_file(Path::new(folder).join("index.html")).unwrap();
}

/// The lab's answer to a question about a state.
fn lab(op: &str, state: &Value) -> Value {
    let request = json!({ "op": op, "state": state }).to_string();
    let document: Value = serde_json::from_str(&clockwise_lab::handle(request.as_bytes()).json).unwrap();
    document.get("ok").unwrap_or_else(|| panic!("{document}")).clone()
}

/// Runs lines in a shell that finds the command, in a folder of their own.
fn shell(name: &str, lines: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).unwrap();
    let binary = Path::new(env!("CARGO_BIN_EXE_clockwise")).parent().unwrap().to_str().unwrap().to_owned();
    let path = format!("{binary}:{}", std::env::var("PATH").unwrap());
    let output =
        Command::new("sh").args(["-e", "-c", lines]).current_dir(folder).env("PATH", path).output().unwrap();
    assert!(output.status.success(), "{lines}\n{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
#[cfg(unix)]
fn the_copied_command_gives_the_figures_of_the_page() {
    let twemproxy = fs::read_to_string(root().join(super::TWEMPROXY)).unwrap();
    let request = json!({ "op": "import", "text": twemproxy }).to_string();
    let imported: Value = serde_json::from_str(&clockwise_lab::handle(request.as_bytes()).json).unwrap();
    let product = &imported["ok"]["fleet"];
    let mut fewer = product.clone();
    fewer["nodes"].as_array_mut().unwrap().remove(0);
    let nodes = |names: &str| names.split(' ').map(|name| json!({ "name": name })).collect::<Vec<_>>();
    let fleet = |scheme: &str, names: &str| json!({ "scheme": scheme, "tokens": 3, "nodes": nodes(names) });
    let mut states: Vec<(String, Value)> =
        ["ring", "mod-n", "rendezvous", "jump", "maglev", "bounded", "slots"]
            .map(|scheme| {
                let state =
                    json!({ "fleet": fleet(scheme, "A B C D E"), "history": [fleet(scheme, "A B C D")] });
                (scheme.to_owned(), state)
            })
            .into();
    let hot = json!({ "pattern": "it's 100% $x:0..48", "hot": { "key": "user:42", "times": 30 } });
    let change = json!([fleet("ring", "A B C D")]);
    states.push((
        "hot".to_owned(),
        json!({ "fleet": fleet("bounded", "A C D X"), "history": change, "keys": hot }),
    ));
    let list = json!({ "pattern": "", "list": ["a", "b c", "$(d)"] });
    states.push(("product".to_owned(), json!({ "fleet": fewer, "history": [product], "keys": list })));
    let mut heavy = fleet("rendezvous", "D A B");
    heavy["nodes"][1] = json!({ "name": "A", "weight": 3, "zone": "z\"1" });
    states.push(("order".to_owned(), json!({ "fleet": heavy, "history": [fleet("rendezvous", "A B C")] })));
    for (name, state) in states {
        let text = lab("command", &state)["text"].as_str().unwrap().to_owned();
        let printed = shell(&format!("copied-{name}"), &format!("{} --format json", text.trim_end()));
        let plan: Value = serde_json::from_str(&printed).unwrap();
        let change = &lab("figures", &state)["change"];
        assert_eq!(plan["moved"], change["moved"], "{text}{plan}");
        assert_eq!(plan["stray"], change["stray"], "{text}{plan}");
    }
    let first = json!({ "fleet": fleet("ring", "A B C D"), "replicas": 2 });
    let text = lab("command", &first)["text"].as_str().unwrap().to_owned();
    let printed = shell("copied-first", &format!("{} --format json", text.trim_end()));
    assert_eq!(printed.lines().count(), 48);
}
