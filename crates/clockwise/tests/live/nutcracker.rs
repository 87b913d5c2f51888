//! The real twemproxy, started on free ports of the loopback address.

use std::fs;
use std::io;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

/// A running proxy, ended by its process id when dropped.
pub(crate) struct Nutcracker {
    child: Child,
    folder: PathBuf,
    port: u16,
}

impl Nutcracker {
    /// The version that the program states, if it is installed.
    pub(crate) fn version() -> Option<String> {
        let output = Command::new(program()?).arg("-V").stdin(Stdio::null()).output().ok()?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        Some(said.lines().next()?.strip_prefix("This is nutcracker-")?.to_owned())
    }

    /// Starts it with one memcached pool. `settings` are the pool's other lines, unindented.
    ///
    /// A free port is known only by having held it, so another program may take it before the proxy
    /// does; then the proxy exits at once and is started again on others.
    pub(crate) fn start(settings: &str) -> io::Result<Nutcracker> {
        let mut tried = String::new();
        for _ in 0..5 {
            let mut proxy = Nutcracker::spawn(settings)?;
            // Bounded by attempts: on a slow machine each takes longer, and none is a verdict.
            for _ in 0..3_000 {
                if proxy.connect().is_ok() {
                    return Ok(proxy);
                }
                if proxy.child.try_wait()?.is_some() {
                    break;
                }
                thread::sleep(Duration::from_millis(10));
            }
            tried = fs::read_to_string(proxy.folder.join("log")).unwrap_or_default();
        }
        Err(io::Error::other(format!("nutcracker does not listen; its log:\n{tried}")))
    }

    /// A connection to the pool. An answer that never comes is an error.
    pub(crate) fn connect(&self) -> io::Result<TcpStream> {
        let connection = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port))?;
        connection.set_read_timeout(Some(Duration::from_secs(60)))?;
        Ok(connection)
    }

    fn spawn(settings: &str) -> io::Result<Nutcracker> {
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let program = program().ok_or_else(|| io::Error::other("nutcracker is not installed"))?;
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("nutcracker-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder)?;
        let [port, statistics] = free_ports()?;
        let mut file = format!("pool:\n  listen: 127.0.0.1:{port}\n");
        for line in settings.lines() {
            file.push_str(&format!("  {line}\n"));
        }
        fs::write(folder.join("nutcracker.yml"), file)?;
        let child = Command::new(program)
            .args(["-c", "nutcracker.yml", "-o", "log", "-p", "pid"])
            // Its statistics are served to the whole network unless told otherwise.
            .args(["-a", "127.0.0.1", "-s", &statistics.to_string()])
            .current_dir(&folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Nutcracker { child, folder, port })
    }
}

impl Drop for Nutcracker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Where the program lies; Debian puts it where only root looks.
fn program() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(["/usr/sbin".into(), "/usr/local/sbin".into()]);
    folders.map(|folder| folder.join("nutcracker")).find(|file| file.is_file())
}

/// Two ports that nobody listens on, held together so that they differ.
fn free_ports() -> io::Result<[u16; 2]> {
    let held = [TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?, TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?];
    Ok([held[0].local_addr()?.port(), held[1].local_addr()?.port()])
}
