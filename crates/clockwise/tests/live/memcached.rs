//! A memcached of a few lines that has every key, and whose values say which server was asked.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

/// A server on a free port of the loopback address, gone when dropped.
pub(crate) struct FakeMemcached {
    address: SocketAddr,
    stopping: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl FakeMemcached {
    /// Starts one that answers every `get` with its number.
    pub(crate) fn start(number: usize) -> io::Result<FakeMemcached> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let stopping = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&stopping);
        let thread = thread::spawn(move || {
            for client in listener.incoming() {
                if stop.load(Ordering::SeqCst) {
                    return;
                }
                // Ends with its connection, whose other end dies before this server does.
                thread::spawn(move || client.and_then(|client| serve(client, number)));
            }
        });
        Ok(FakeMemcached { address, stopping, thread: Some(thread) })
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for FakeMemcached {
    fn drop(&mut self) {
        self.stopping.store(true, Ordering::SeqCst);
        // A last caller, so that the listener looks up and sees that it is over.
        if TcpStream::connect(self.address).is_ok()
            && let Some(thread) = self.thread.take()
        {
            let _ = thread.join();
        }
    }
}

fn serve(mut client: TcpStream, number: usize) -> io::Result<()> {
    let mut lines = BufReader::new(client.try_clone()?);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line)? > 0 {
        let mut words = line.trim_ascii_end().split(|byte| *byte == b' ');
        let mut reply = Vec::new();
        match words.next() {
            Some(b"get") => {
                let value = number.to_string();
                for key in words {
                    reply.extend_from_slice(b"VALUE ");
                    reply.extend_from_slice(key);
                    write!(reply, " 0 {}\r\n{value}\r\n", value.len())?;
                }
                reply.extend_from_slice(b"END\r\n");
            }
            Some(b"version") => reply.extend_from_slice(b"VERSION 1.6.0\r\n"),
            Some(b"quit") => return Ok(()),
            _ => reply.extend_from_slice(b"ERROR\r\n"),
        }
        client.write_all(&reply)?;
        line.clear();
    }
    Ok(())
}

/// A client that asks which server has a key.
pub(crate) struct Client {
    lines: BufReader<UnixStream>,
}

impl Client {
    /// A client on a connection to a proxy.
    pub(crate) fn new(connection: UnixStream) -> Client {
        Client { lines: BufReader::new(connection) }
    }

    /// The number of the server that answers for `key`.
    pub(crate) fn server_of(&mut self, key: &[u8]) -> io::Result<usize> {
        let request = [b"get ", key, b"\r\n"].concat();
        self.lines.get_mut().write_all(&request)?;
        let header = self.line()?;
        let mut words = header.split(|byte| *byte == b' ');
        if words.next() != Some(b"VALUE") || words.next() != Some(key) {
            return Err(io::Error::other(format!("unexpected answer: {}", header.escape_ascii())));
        }
        let value = self.line()?;
        let end = self.line()?;
        let number = str::from_utf8(&value).ok().and_then(|value| value.parse().ok());
        match number {
            Some(number) if end == b"END" => Ok(number),
            _ => Err(io::Error::other(format!("unexpected value: {}", value.escape_ascii()))),
        }
    }

    fn line(&mut self) -> io::Result<Vec<u8>> {
        let mut line = Vec::new();
        self.lines.read_until(b'\n', &mut line)?;
        match line.strip_suffix(b"\r\n") {
            Some(text) => Ok(text.to_vec()),
            None => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}
