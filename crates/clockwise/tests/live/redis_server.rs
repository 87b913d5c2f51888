//! A real Redis cluster, started on free ports of the loopback address.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::http::new_folder;
use crate::wait::{answers, until};

/// A running node, ended by its process id when dropped.
pub(crate) struct RedisServer {
    child: Child,
    folder: PathBuf,
    port: u16,
}

impl RedisServer {
    /// The version that the program states, if it is installed.
    pub(crate) fn version() -> Option<String> {
        let output = Command::new("redis-server").arg("--version").stdin(Stdio::null()).output().ok()?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let version = said.split_whitespace().find_map(|word| word.strip_prefix("v="))?;
        Some(version.to_owned())
    }

    /// Starts a node of a cluster that has no other nodes yet.
    ///
    /// A free port is known only by having held it, so another program may take it before the node
    /// does; then the node exits and is started again on others. That program may be a Redis as well, so
    /// who answers is asked for its process.
    pub(crate) fn start() -> io::Result<RedisServer> {
        let mut tried = String::new();
        for _ in 0..5 {
            let mut node = RedisServer::spawn()?;
            let (port, process) = (node.port, format!("process_id:{}\r\n", node.child.id()));
            let is_it = || ask(port, &["INFO", "server"]).is_ok_and(|said| said.contains(&process));
            if answers(&mut node.child, is_it)? {
                return Ok(node);
            }
            tried = fs::read_to_string(node.folder.join("log")).unwrap_or_default();
        }
        Err(io::Error::other(format!("redis-server does not listen; its log:\n{tried}")))
    }

    /// Host and port, as the cluster's tool writes them.
    pub(crate) fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// The answer to one command: a line with its sign, or the text of a bulk reply.
    pub(crate) fn ask(&self, words: &[&str]) -> io::Result<String> {
        ask(self.port, words)
    }

    /// The answers to many commands of one connection, in their order.
    pub(crate) fn ask_many(&self, commands: &[Vec<&[u8]>]) -> io::Result<Vec<String>> {
        ask_many(self.port, commands)
    }

    fn spawn() -> io::Result<RedisServer> {
        let folder = new_folder()?;
        let port = free_port()?;
        let child = Command::new("redis-server")
            .args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--cluster-enabled", "yes"])
            .args(["--save", "", "--appendonly", "no", "--logfile", "log"])
            .current_dir(&folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(RedisServer { child, folder, port })
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn ask(port: u16, words: &[&str]) -> io::Result<String> {
    let words: Vec<&[u8]> = words.iter().map(|word| word.as_bytes()).collect();
    ask_many(port, &[words])?.pop().ok_or_else(|| io::Error::other("no answer"))
}

fn ask_many(port: u16, commands: &[Vec<&[u8]>]) -> io::Result<Vec<String>> {
    let mut connection = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    connection.set_read_timeout(Some(Duration::from_secs(60)))?;
    let mut asked = Vec::new();
    for words in commands {
        write!(asked, "*{}\r\n", words.len())?;
        for word in words {
            write!(asked, "${}\r\n", word.len())?;
            asked.extend_from_slice(word);
            asked.extend_from_slice(b"\r\n");
        }
    }
    connection.write_all(&asked)?;
    let mut said = Vec::new();
    commands.iter().map(|_| answer(&mut connection, &mut said)).collect()
}

/// The next answer of a connection; `said` keeps what has come of those after it.
fn answer(connection: &mut TcpStream, said: &mut Vec<u8>) -> io::Result<String> {
    let line = take(connection, said, None)?;
    match line.strip_prefix('$').and_then(|length| length.parse().ok()) {
        Some(length) => take(connection, said, Some(length)),
        None => Ok(line),
    }
}

/// What comes before the next line end, or so many bytes and the line end behind them.
fn take(connection: &mut TcpStream, said: &mut Vec<u8>, length: Option<usize>) -> io::Result<String> {
    loop {
        let end = match length {
            Some(length) => Some(length).filter(|end| said.len() >= end + 2),
            None => said.windows(2).position(|pair| pair == b"\r\n"),
        };
        if let Some(end) = end {
            let text = String::from_utf8_lossy(&said[..end]).into_owned();
            said.drain(..end + 2);
            return Ok(text);
        }
        let mut more = [0; 4096];
        match connection.read(&mut more)? {
            0 => return Err(io::Error::from(io::ErrorKind::UnexpectedEof)),
            read => said.extend_from_slice(&more[..read]),
        }
    }
}

/// The cluster's tool. It says what went wrong on its own output, and waits for nodes without an end.
pub(crate) fn tool(arguments: &[&str]) -> io::Result<String> {
    let folder = new_folder()?;
    let path = folder.join("said");
    // A file and no pipe, which it would wait for when full.
    let mut child = Command::new("redis-cli")
        .arg("--cluster")
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(fs::File::create(&path)?)
        .spawn()?;
    let ended = until(|| child.try_wait().transpose()).transpose();
    if !matches!(ended, Ok(Some(_))) {
        let _ = child.kill();
        let _ = child.wait();
    }
    let said = String::from_utf8_lossy(&fs::read(&path)?).into_owned();
    let _ = fs::remove_dir_all(&folder);
    match ended? {
        Some(_) => Ok(said),
        None => Err(io::Error::other(format!("redis-cli {arguments:?} does not end; it said:\n{said}"))),
    }
}

/// A port that nobody listens on, nor on the one 10,000 above it, where a node talks to the others.
fn free_port() -> io::Result<u16> {
    for _ in 0..1_000 {
        let held = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = held.local_addr()?.port();
        let Some(bus) = port.checked_add(10_000) else {
            continue;
        };
        if TcpListener::bind((Ipv4Addr::LOCALHOST, bus)).is_ok() {
            return Ok(port);
        }
    }
    Err(io::Error::other("no two free ports, 10,000 apart"))
}
