//! The real twemproxy, on a socket of its own.

use std::fs;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use crate::http::{connect, find, new_folder};
use crate::wait::answers;

/// A running proxy, ended by its process id when dropped.
pub(crate) struct Nutcracker {
    child: Child,
    folder: PathBuf,
}

impl Nutcracker {
    /// The version that the program states, if it is installed.
    pub(crate) fn version() -> Option<String> {
        let output = Command::new(find("nutcracker")?).arg("-V").stdin(Stdio::null()).output().ok()?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        Some(said.lines().next()?.strip_prefix("This is nutcracker-")?.to_owned())
    }

    /// Starts it with one memcached pool. `settings` are the pool's other lines, unindented.
    ///
    /// It needs a port for its statistics. A free one is known only by having held it, so another program
    /// may take it before the proxy does; then the proxy exits at once and is started again.
    pub(crate) fn start(settings: &str) -> io::Result<Nutcracker> {
        let mut tried = String::new();
        for _ in 0..5 {
            let mut proxy = Nutcracker::spawn(settings)?;
            if answers(&mut proxy.child, || connect(&proxy.folder).is_ok())? {
                return Ok(proxy);
            }
            tried = fs::read_to_string(proxy.folder.join("log")).unwrap_or_default();
        }
        Err(io::Error::other(format!("nutcracker does not listen; its log:\n{tried}")))
    }

    /// A connection to the pool. An answer that never comes is an error.
    pub(crate) fn connect(&self) -> io::Result<UnixStream> {
        connect(&self.folder)
    }

    fn spawn(settings: &str) -> io::Result<Nutcracker> {
        let program = find("nutcracker").ok_or_else(|| io::Error::other("nutcracker is not installed"))?;
        let folder = new_folder()?;
        let mut file = format!("pool:\n  listen: {}\n", folder.join("listen").display());
        for line in settings.lines() {
            file.push_str(&format!("  {line}\n"));
        }
        fs::write(folder.join("nutcracker.yml"), file)?;
        let child = Command::new(program)
            .args(["-c", "nutcracker.yml", "-o", "log", "-p", "pid"])
            // Its statistics are served to the whole network unless told otherwise.
            .args(["-a", "127.0.0.1", "-s", &free_port()?.to_string()])
            .current_dir(&folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Nutcracker { child, folder })
    }
}

impl Drop for Nutcracker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// A port that nobody listens on.
fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}
