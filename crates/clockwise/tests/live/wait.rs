//! Waiting for another program: until it has answered, and not for ever.

use std::io;
use std::process::Child;
use std::thread;
use std::time::Duration;

/// Asks until there is an answer; none if it does not come in two minutes.
///
/// Bounded by attempts: on a slow machine each takes longer, and none is a verdict.
pub(crate) fn until<T>(mut ask: impl FnMut() -> Option<T>) -> Option<T> {
    for _ in 0..12_000 {
        let answer = ask();
        if answer.is_some() {
            return answer;
        }
        thread::sleep(Duration::from_millis(10));
    }
    None
}

/// Whether a program that was started answers: not if it ends before that.
pub(crate) fn answers(child: &mut Child, mut ask: impl FnMut() -> bool) -> io::Result<bool> {
    let outcome = until(|| {
        let answered = ask();
        // Looked at after the question: what answered may be another program than one that has ended.
        match child.try_wait() {
            Ok(None) => answered.then_some(Ok(true)),
            Ok(Some(_)) => Some(Ok(false)),
            Err(error) => Some(Err(error)),
        }
    });
    outcome.unwrap_or(Ok(false))
}
