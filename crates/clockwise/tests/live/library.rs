//! Libraries for other languages, asked for owners through a script in `ask/`.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use clockwise::{Buckets, KeyPrefix, Placement as _, Scheme};
use serde_json::{Value, json};

use crate::score::{Score, not_asked};

/// A pool, its settings in both spellings, and the keys that both sides are asked for.
pub(crate) struct Pool {
    pub(crate) list: Buckets,
    /// As the script takes them.
    pub(crate) options: Value,
    pub(crate) scheme: Scheme,
    keys: Vec<Vec<u8>>,
    spelled: Vec<String>,
}

impl Pool {
    /// For a library whose keys are text.
    pub(crate) fn new(list: Buckets, options: Value, scheme: impl Into<Scheme>, keys: Vec<String>) -> Pool {
        let spelled = keys.clone();
        let keys = keys.into_iter().map(String::into_bytes).collect();
        Pool { list, options, scheme: scheme.into(), keys, spelled }
    }

    /// For a library whose keys are bytes: its script takes them in hexadecimal.
    pub(crate) fn of_bytes(
        list: Buckets,
        options: Value,
        scheme: impl Into<Scheme>,
        keys: Vec<Vec<u8>>,
    ) -> Pool {
        let spelled = keys.iter().map(|key| hex(key)).collect();
        Pool { list, options, scheme: scheme.into(), keys, spelled }
    }

    /// The keys as the script takes them.
    pub(crate) fn keys(&self) -> &[String] {
        &self.spelled
    }

    /// As the scripts take it.
    pub(crate) fn question(&self) -> Value {
        let server = |server: &clockwise::Server| {
            let address = server.address();
            json!({
                "name": server.name().as_str(),
                "host": address.host(),
                "port": address.port(),
                "weight": server.weight().get(),
            })
        };
        let servers: Vec<Value> = self.list.servers().iter().map(server).collect();
        json!({ "servers": servers, "options": self.options, "keys": self.spelled })
    }
}

/// The scheme behind a prefix, if there is one.
pub(crate) fn behind(scheme: impl Into<Scheme>, prefix: Option<&str>) -> Scheme {
    match prefix {
        Some(prefix) => scheme.into().with_key_prefix(KeyPrefix::new(prefix).expect("a prefix")),
        None => scheme.into(),
    }
}

/// Asks for the owner of every key of every pool, and compares each with the dialect's.
pub(crate) fn compare(system: &'static str, script: &str, library: &str, pools: &[Pool], at_least: usize) {
    let question: Vec<Value> = pools.iter().map(Pool::question).collect();
    let Some(answer) = ask(system, script, library, &json!({ "pools": question })) else { return };
    let mut score = Score::new(system, version(&answer));
    compare_with(&mut score, &answer, pools);
    score.close(at_least);
}

/// The same into a score that others add to.
pub(crate) fn compare_with(score: &mut Score, answer: &Value, pools: &[Pool]) {
    let owners = answer["owners"].as_array().expect("owners");
    assert_eq!(owners.len(), pools.len());
    for (pool, owners) in pools.iter().zip(owners) {
        let place = pool.scheme.build(&pool.list).expect("a placement");
        let owners = owners.as_array().expect("owners");
        assert_eq!(owners.len(), pool.keys.len());
        for (key, owner) in pool.keys.iter().zip(owners) {
            let theirs = &pool.list.servers()[owner.as_u64().expect("an index") as usize];
            let ours = &place.servers()[place.owner_ix(key).index()];
            score.answer(theirs.name(), ours.name(), || {
                let servers: Vec<String> =
                    pool.list.servers().iter().map(|s| format!("{} {}", s.name(), s.weight())).collect();
                format!("{:?} of {:?} in {}", key.escape_ascii().to_string(), pool.scheme, servers.join(", "))
            });
        }
    }
}

/// The script's answer, unless the library could not be had.
pub(crate) fn ask(system: &str, script: &str, library: &str, question: &Value) -> Option<Value> {
    ask_text(system, script, library, &question.to_string())
}

/// The same for a script whose language has no JSON of its own.
pub(crate) fn ask_text(system: &str, script: &str, library: &str, question: &str) -> Option<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/live/ask").join(script);
    let (program, options) = match path.extension().and_then(|extension| extension.to_str()) {
        Some("js") => ("node", vec![]),
        Some("php") => ("php", vec![]),
        Some("java") => ("java", vec!["-cp".to_owned(), format!("/usr/share/java/{library}.jar")]),
        _ => ("python3", vec![]),
    };
    let child = Command::new(program)
        .args(options)
        .arg(path)
        .arg(library)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) => {
            not_asked(system, &format!("{program}: {error}"));
            return None;
        }
    };
    // A script reads all of the question before it writes.
    let sent = child.stdin.take().expect("its input").write_all(question.as_bytes());
    let output = child.wait_with_output().expect("its output");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    for (words, why) in [
        ("jdk.compiler", "this Java has no compiler"),
        ("package net.spy.memcached does not exist", "no package of this system has it"),
    ] {
        if said.contains(words) {
            not_asked(system, why);
            return None;
        }
    }
    assert!(output.status.success() && sent.is_ok(), "{script} {library} failed:\n{said}");
    let answer: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{script} {library}: {error}\n{said}"));
    match answer["missing"].as_str() {
        Some(why) => {
            not_asked(system, why);
            None
        }
        None => Some(answer),
    }
}

/// The version that a script says it asked.
pub(crate) fn version(answer: &Value) -> String {
    answer["version"].as_str().expect("a version").to_owned()
}

/// Bytes in hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
