//! Connections: a thread each, as many as a browser or two open, and a time after which each is over.
//!
//! Nobody can keep the others out: where all places are taken, the newest visitor gets that of the oldest one
//! who has not asked for anything yet, and else that of the oldest of all.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::http::{MAX_HEAD, Response, end_of_head, refusal, respond};

/// How many connections are served at a time.
const MAX_CONNECTIONS: usize = 64;
/// How long a request may take to arrive.
const TO_ASK: Duration = Duration::from_secs(10);
/// How long an answer may take to be read.
const TO_READ: Duration = Duration::from_secs(60);
/// How much is written between two looks at the clock.
const CHUNK: usize = 1 << 16;

/// Serves until the listener fails, and says why it did.
pub(super) fn serve(listener: &TcpListener) -> io::Error {
    let visitors = Arc::new(Visitors::default());
    loop {
        match listener.accept() {
            Ok((stream, _)) => {
                let place = visitors.enter(stream);
                let serve = move || {
                    // A visitor who leaves early is nobody's failure.
                    let _ = answer(&place, TO_ASK);
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

/// Who is being served.
#[derive(Default)]
struct Visitors {
    inside: Mutex<Inside>,
}

#[derive(Default)]
struct Inside {
    last: u64,
    /// By the order of their coming.
    visitors: BTreeMap<u64, Visitor>,
}

struct Visitor {
    stream: Arc<TcpStream>,
    asked: bool,
}

impl Visitors {
    /// Lets a visitor in, in the place of another if all are taken.
    fn enter(self: &Arc<Self>, stream: TcpStream) -> Place {
        let stream = Arc::new(stream);
        let mut inside = self.lock();
        while inside.visitors.len() >= MAX_CONNECTIONS {
            let silent = inside.visitors.iter().find(|(_, visitor)| !visitor.asked);
            let Some(leaves) = silent.or(inside.visitors.iter().next()).map(|(number, _)| *number) else {
                break;
            };
            if let Some(visitor) = inside.visitors.remove(&leaves) {
                // What its thread waits for ends by that.
                let _ = visitor.stream.shutdown(Shutdown::Both);
            }
        }
        inside.last += 1;
        let number = inside.last;
        inside.visitors.insert(number, Visitor { stream: stream.clone(), asked: false });
        Place { visitors: self.clone(), number, stream }
    }

    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One of the connections at a time, given back when dropped.
struct Place {
    visitors: Arc<Visitors>,
    number: u64,
    stream: Arc<TcpStream>,
}

impl Place {
    fn has_asked(&self) {
        if let Some(visitor) = self.visitors.lock().visitors.get_mut(&self.number) {
            visitor.asked = true;
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.visitors.lock().visitors.remove(&self.number);
    }
}

fn answer(place: &Place, to_ask: Duration) -> io::Result<()> {
    let stream = &*place.stream;
    let response = asked(stream, to_ask)?;
    place.has_asked();
    write(stream, &response)?;
    stream.shutdown(Shutdown::Write)?;
    // What was not read would make the system cut the connection, and the answer with it.
    let until = Instant::now() + Duration::from_secs(1);
    let mut rest = [0; 4096];
    while read_until(stream, &mut rest, until)? > 0 {}
    Ok(())
}

/// Reads the head of a request and answers it; nothing if it does not come in time.
fn asked(stream: &TcpStream, to_ask: Duration) -> io::Result<Response> {
    let until = Instant::now() + to_ask;
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

fn read_until(mut stream: &TcpStream, chunk: &mut [u8], until: Instant) -> io::Result<usize> {
    stream.set_read_timeout(Some(left(until)?))?;
    stream.read(chunk)
}

fn write(mut stream: &TcpStream, response: &Response) -> io::Result<()> {
    let until = Instant::now() + TO_READ;
    for chunk in response.head.as_bytes().chunks(CHUNK).chain(response.body.chunks(CHUNK)) {
        stream.set_write_timeout(Some(left(until)?))?;
        stream.write_all(chunk)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both ends of a new connection: the visitor's, and ours.
    fn connection(listener: &TcpListener) -> (TcpStream, TcpStream) {
        let visitor = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        (visitor, listener.accept().unwrap().0)
    }

    /// Whether the other end has closed, which needs no waiting: it has before this is asked.
    fn is_closed(mut visitor: &TcpStream) -> bool {
        visitor.set_nonblocking(true).unwrap();
        matches!(visitor.read(&mut [0; 1]), Ok(0))
    }

    #[test]
    fn the_oldest_visitor_who_says_nothing_makes_room_first() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let visitors = Arc::new(Visitors::default());
        let enter = || {
            let (visitor, ours) = connection(&listener);
            (visitor, visitors.enter(ours))
        };
        let first: Vec<(TcpStream, Place)> = (0..MAX_CONNECTIONS).map(|_| enter()).collect();
        first[0].1.has_asked();
        let next = enter();
        let closed: Vec<usize> = (0..MAX_CONNECTIONS).filter(|at| is_closed(&first[*at].0)).collect();
        assert_eq!(closed, [1]);
        for (_, place) in first.iter().skip(2).chain([&next]) {
            place.has_asked();
        }
        let last = enter();
        let closed: Vec<usize> = (0..MAX_CONNECTIONS).filter(|at| is_closed(&first[*at].0)).collect();
        assert_eq!(closed, [0, 1], "the oldest of all, where all have asked");
        assert!(!is_closed(&next.0) && !is_closed(&last.0));
        assert_eq!(visitors.lock().visitors.len(), MAX_CONNECTIONS);
        drop((first, next, last));
        assert_eq!(visitors.lock().visitors.len(), 0);
    }

    #[test]
    fn a_request_that_does_not_come_in_time_is_told_so() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (_visitor, ours) = connection(&listener);
        let response = asked(&ours, Duration::ZERO).unwrap();
        assert!(response.head.starts_with("HTTP/1.1 408 "));
    }
}
