//! Connections: a thread each, as many as a browser or two open, and a time after which each is over.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::http::{MAX_HEAD, Response, end_of_head, refusal, respond};

/// How many connections are served at a time; the rest are turned away.
const MAX_CONNECTIONS: usize = 64;
/// How long a request may take to arrive.
const TO_ASK: Duration = Duration::from_secs(10);
/// How long an answer may take to be read.
const TO_READ: Duration = Duration::from_secs(60);
/// How much is written between two looks at the clock.
const CHUNK: usize = 1 << 16;

/// Serves until the listener fails, and says why it did.
pub(super) fn serve(listener: &TcpListener) -> io::Error {
    let open = Arc::new(AtomicUsize::new(0));
    loop {
        match listener.accept() {
            Ok((stream, _)) => {
                let Some(place) = Place::take(&open) else { continue };
                let serve = move || {
                    // A visitor who leaves early is nobody's failure.
                    let _ = answer(stream);
                    drop(place);
                };
                // Without a thread the connection is dropped, and the browser asks again.
                drop(thread::Builder::new().name("lab".to_owned()).spawn(serve));
            }
            // The visitor left before it was his turn, or for now there are no more files to open.
            Err(error) if passes(&error) => thread::sleep(Duration::from_millis(50)),
            Err(error) => return error,
        }
    }
}

/// Whether the listener can go on.
fn passes(error: &io::Error) -> bool {
    const TOO_MANY_FILES: [i32; 2] = [23, 24];
    let brief = matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset | io::ErrorKind::Interrupted
    );
    brief || error.raw_os_error().is_some_and(|code| TOO_MANY_FILES.contains(&code))
}

/// One of the connections at a time, given back when dropped.
struct Place(Arc<AtomicUsize>);

impl Place {
    /// A place, if there is one.
    fn take(open: &Arc<AtomicUsize>) -> Option<Place> {
        let place = Place(open.clone());
        (open.fetch_add(1, Ordering::Relaxed) < MAX_CONNECTIONS).then_some(place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn answer(mut stream: TcpStream) -> io::Result<()> {
    let response = asked(&mut stream)?;
    write(&mut stream, &response)?;
    stream.shutdown(Shutdown::Write)?;
    // What was not read would make the system cut the connection, and the answer with it.
    let until = Instant::now() + Duration::from_secs(1);
    let mut rest = [0; 4096];
    while read_until(&mut stream, &mut rest, until)? > 0 {}
    Ok(())
}

/// Reads the head of a request and answers it; nothing if it does not come in time.
fn asked(stream: &mut TcpStream) -> io::Result<Response> {
    let until = Instant::now() + TO_ASK;
    let (mut head, mut chunk) = (Vec::new(), [0; 4096]);
    loop {
        if let Some(end) = end_of_head(&head) {
            return Ok(respond(&head[..end]));
        }
        if head.len() > MAX_HEAD {
            return Ok(refusal("431 Request Header Fields Too Large"));
        }
        match read_until(stream, &mut chunk, until) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => head.extend_from_slice(&chunk[..read]),
            Err(error) if is_late(&error) => return Ok(refusal("408 Request Timeout")),
            Err(error) => return Err(error),
        }
    }
}

fn is_late(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

fn left(until: Instant) -> io::Result<Duration> {
    match until.checked_duration_since(Instant::now()) {
        Some(left) if !left.is_zero() => Ok(left),
        _ => Err(io::ErrorKind::TimedOut.into()),
    }
}

fn read_until(stream: &mut TcpStream, chunk: &mut [u8], until: Instant) -> io::Result<usize> {
    stream.set_read_timeout(Some(left(until)?))?;
    stream.read(chunk)
}

fn write(stream: &mut TcpStream, response: &Response) -> io::Result<()> {
    let until = Instant::now() + TO_READ;
    for chunk in response.head.as_bytes().chunks(CHUNK).chain(response.body.chunks(CHUNK)) {
        stream.set_write_timeout(Some(left(until)?))?;
        stream.write_all(chunk)?;
    }
    Ok(())
}
