//! For tests of what threads share: schedules made from a seed.
//!
//! Threads that race for real rarely meet between two neighbouring instructions. Here they take
//! turns: only one runs at a time, and at every [`step`] (the code under test calls it before each
//! atomic operation) the seed says who goes on. A schedule that fails is found again by its seed.

use alloc::vec::Vec;
use std::cell::Cell;
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread_local;

use crate::testing::Random;

struct State {
    random: Random,
    /// The seats of threads that have not ended.
    playing: Vec<usize>,
    current: usize,
}

struct Turns {
    state: Mutex<State>,
    passed: Condvar,
}

/// A thread's place in its game, left when it ends in whatever way.
struct Seat {
    turns: &'static Turns,
    number: usize,
}

thread_local! {
    static SEAT: Cell<Option<(&'static Turns, usize)>> = const { Cell::new(None) };
}

impl Turns {
    /// Lets `choose` say who goes on, then waits until it is the turn of `seat`.
    fn pass(&self, seat: usize, choose: impl FnOnce(&mut State)) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        choose(&mut state);
        self.passed.notify_all();
        while state.current != seat && state.playing.contains(&seat) {
            state = self.passed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl State {
    fn choose(&mut self) {
        if !self.playing.is_empty() {
            self.current = self.playing[self.random.below(self.playing.len() as u64) as usize];
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        SEAT.set(None);
        self.turns.pass(self.number, |state| {
            state.playing.retain(|seat| *seat != self.number);
            state.choose();
        });
    }
}

/// A point where another thread may go on; nothing on threads that take no turns.
pub(crate) fn step() {
    if let Some((turns, seat)) = SEAT.get() {
        turns.pass(seat, State::choose);
    }
}

/// Runs `work` on as many threads as said, told apart by their number, in turns from `seed`.
pub(crate) fn take_turns(seed: u64, threads: usize, work: impl Fn(usize) + Sync) {
    let mut state = State { random: Random(seed), playing: (0..threads).collect(), current: 0 };
    state.choose();
    // Leaked, a few words a game, so that thread-locals can hold it.
    let turns: &'static Turns = alloc::boxed::Box::leak(alloc::boxed::Box::new(Turns {
        state: Mutex::new(state),
        passed: Condvar::new(),
    }));
    std::thread::scope(|scope| {
        for number in 0..threads {
            let work = &work;
            scope.spawn(move || {
                let _seat = Seat { turns, number };
                SEAT.set(Some((turns, number)));
                turns.pass(number, |_| {});
                work(number);
            });
        }
    });
}
