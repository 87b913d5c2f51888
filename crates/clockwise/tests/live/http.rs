//! A real HTTP proxy on a socket of its own, and requests to it.

use std::io::{self, BufRead as _, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use std::{env, fs};

use crate::wait::answers;

/// A running proxy, ended by its process id when dropped.
pub(crate) struct Proxy {
    child: Child,
    folder: PathBuf,
}

impl Proxy {
    /// What a program prints when asked for its version, if it is installed.
    pub(crate) fn version(program: &str, argument: &str) -> Option<String> {
        let output = Command::new(find(program)?).arg(argument).stdin(Stdio::null()).output().ok()?;
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        // Behind a slash or between two, where it is no word of its own.
        let mut words = said.split([' ', '\n', '/']);
        let version =
            words.find(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.'))?;
        Some(version.to_owned())
    }

    /// Starts one in the foreground in a folder of its own, where `settings` lie as `conf` and say that
    /// it listens on the Unix socket `listen`. `arguments` name the file.
    ///
    /// Not on a port: one that is free now may be another program's when the proxy comes to it, and then
    /// that program would be asked.
    pub(crate) fn start(program: &str, arguments: &[&str], settings: &str) -> io::Result<Proxy> {
        let path = find(program).ok_or_else(|| io::Error::other(format!("{program} is not installed")))?;
        let folder = new_folder()?;
        fs::write(folder.join("conf"), settings)?;
        let child = Command::new(path)
            .args(arguments)
            .current_dir(&folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(fs::File::create(folder.join("said"))?)
            .spawn()?;
        let mut proxy = Proxy { child, folder };
        if answers(&mut proxy.child, || connect(&proxy.folder).is_ok())? {
            return Ok(proxy);
        }
        let said = fs::read_to_string(proxy.folder.join("said")).unwrap_or_default();
        Err(io::Error::other(format!("{program} does not listen; it said:\n{said}")))
    }

    /// A connection that is kept between requests. An answer that never comes is an error.
    pub(crate) fn connect(&self) -> io::Result<Client> {
        let connection = connect(&self.folder)?;
        let answers = BufReader::new(Box::new(connection.try_clone()?) as Box<dyn Read>);
        Ok(Client { answers, connection: Box::new(connection) })
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// One connection to a proxy.
pub(crate) struct Client {
    connection: Box<dyn Write>,
    answers: BufReader<Box<dyn Read>>,
}

impl Client {
    /// On a connection to a port.
    pub(crate) fn new(connection: TcpStream) -> io::Result<Client> {
        let answers = BufReader::new(Box::new(connection.try_clone()?) as Box<dyn Read>);
        Ok(Client { answers, connection: Box::new(connection) })
    }

    /// Sends a GET with these header lines; the header of the answer of that name.
    pub(crate) fn get(&mut self, target: &str, headers: &str, wanted: &str) -> io::Result<String> {
        let request = format!("GET {target} HTTP/1.1\r\nHost: test\r\n{headers}\r\n");
        self.connection.write_all(request.as_bytes())?;
        let mut status = String::new();
        self.answers.read_line(&mut status)?;
        let (mut line, mut found, mut length) = (String::new(), None, 0);
        loop {
            line.clear();
            if self.answers.read_line(&mut line)? == 0 {
                return Err(io::Error::from(io::ErrorKind::UnexpectedEof));
            }
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            match name {
                _ if name.eq_ignore_ascii_case("content-length") => {
                    length = value.trim().parse().map_err(io::Error::other)?;
                }
                _ if name.eq_ignore_ascii_case(wanted) => found = Some(value.trim().to_owned()),
                _ => {}
            }
        }
        self.answers.by_ref().take(length).read_to_end(&mut Vec::new())?;
        found.ok_or_else(|| io::Error::other(format!("no {wanted} to {request:?}: {}", status.trim_end())))
    }
}

/// To the Unix socket `listen` of a folder. An answer that never comes is an error.
pub(crate) fn connect(folder: &Path) -> io::Result<UnixStream> {
    let connection = UnixStream::connect(folder.join("listen"))?;
    connection.set_read_timeout(Some(Duration::from_secs(60)))?;
    Ok(connection)
}

/// A new folder with a short name: the path of a socket in it must fit 107 bytes.
pub(crate) fn new_folder() -> io::Result<PathBuf> {
    static MADE: AtomicU32 = AtomicU32::new(0);
    loop {
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let folder = env::temp_dir().join(format!("clockwise-{}-{number}", std::process::id()));
        match fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            // Of a run that was ended before it could tidy up, whose process had this one's number.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

/// Where a program lies; Debian puts servers where only root looks.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).chain(["/usr/sbin".into(), "/usr/local/sbin".into()]);
    folders.map(|folder| folder.join(program)).find(|file| file.is_file())
}
