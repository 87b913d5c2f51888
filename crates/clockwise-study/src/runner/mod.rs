//! Runs experiments on several threads, keeps what is finished, and begins where it stopped.
//!
//! Runs depend on nothing but themselves, so their order does not matter: the long ones are begun
//! first, and results are put back in the order of the grid. With a [`Journal`] every finished run is
//! written down at once; a start that finds it there does not run it again.

mod journal;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use cpu_time::ThreadTime;

pub use journal::Journal;

use crate::experiment::{Experiment, Run, Scale};
use crate::kernel::{Measures, Trial};
use crate::results::{Cell, Outcome, Part, Results};

/// How a study is run.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How much of it.
    pub scale: Scale,
    /// What all seeds come from.
    pub root_seed: u64,
    /// How many threads work; at least one does.
    pub threads: usize,
}

/// How far a study is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Runs finished.
    pub done: usize,
    /// Of these, found in the journal.
    pub kept: usize,
    /// All runs.
    pub runs: usize,
    /// The part of the work that is done since the start, 0 to 1, by what runs are expected to cost.
    pub work: f64,
}

/// Why a study stopped.
#[derive(Debug)]
pub enum Error {
    /// A run cannot be measured.
    Run {
        /// The experiment.
        experiment: String,
        /// The setting.
        setting: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The journal cannot be written.
    Journal(io::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Run { experiment, setting, problem } => write!(f, "{experiment} at {setting}: {problem}"),
            Error::Journal(error) => write!(f, "the journal cannot be written: {error}"),
        }
    }
}

impl std::error::Error for Error {}

/// What a run gave and what it took.
#[derive(Clone, Debug)]
struct Finished {
    measures: Measures,
    cpu_seconds: f64,
}

/// Runs experiments. `watch` is told of every finished run, and once at the start.
pub fn run(
    experiments: &[Experiment],
    options: &Options,
    mut journal: Option<&mut Journal>,
    watch: &mut dyn FnMut(Progress),
) -> Result<Results, Error> {
    let runs: Vec<Run<'_>> =
        experiments.iter().flat_map(|experiment| experiment.runs(options.scale, options.root_seed)).collect();
    let mut finished: BTreeMap<usize, Finished> = BTreeMap::new();
    if let Some(journal) = &journal {
        finished.extend(runs.iter().enumerate().filter_map(|(at, run)| Some((at, journal.find(run)?))));
    }
    let mut waiting: Vec<(usize, f64)> = (0..runs.len())
        .filter(|at| !finished.contains_key(at))
        .map(|at| (at, (runs[at].experiment.kernel.cost)(&trial(&runs[at])).max(1.0)))
        .collect();
    waiting.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
    let work: f64 = waiting.iter().map(|(_, cost)| cost).sum();
    let mut progress = Progress { done: finished.len(), kept: finished.len(), runs: runs.len(), work: 0.0 };
    watch(progress);

    let next = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let (send, receive) = mpsc::channel();
    let worker = |send: mpsc::Sender<(usize, f64, Result<Finished, Error>)>| {
        while !stop.load(Ordering::Relaxed) {
            let Some(&(at, cost)) = waiting.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
            if send.send((at, cost, measure(&runs[at]))).is_err() {
                break;
            }
        }
    };
    let mut problem = None;
    let mut worked = 0.0;
    thread::scope(|scope| {
        for _ in 0..options.threads.clamp(1, waiting.len().max(1)) {
            let send = send.clone();
            scope.spawn(|| worker(send));
        }
        drop(send);
        for (at, cost, result) in receive {
            let kept = result.and_then(|result| {
                if let Some(journal) = &mut journal {
                    journal.keep(&runs[at], &result).map_err(Error::Journal)?;
                }
                Ok(result)
            });
            match kept {
                Ok(result) => {
                    finished.insert(at, result);
                    worked += cost;
                    progress.done += 1;
                    progress.work = worked / work;
                    watch(progress);
                }
                Err(error) => {
                    // The first problem is told; runs that are under way end, and no more are begun.
                    stop.store(true, Ordering::Relaxed);
                    problem.get_or_insert(error);
                }
            }
        }
    });
    match problem {
        Some(error) => Err(error),
        None => Ok(collect(experiments, options, finished.into_values())),
    }
}

fn trial<'r>(run: &Run<'r>) -> Trial<'r> {
    Trial { setting: run.setting, seed: run.seed, keys: usize::try_from(run.keys).unwrap_or(usize::MAX) }
}

fn measure(run: &Run<'_>) -> Result<Finished, Error> {
    let begun = ThreadTime::now();
    let mut measures = Measures::default();
    match (run.experiment.kernel.run)(&trial(run), &mut measures) {
        Ok(()) => Ok(Finished { measures, cpu_seconds: begun.elapsed().as_secs_f64() }),
        Err(problem) => Err(Error::Run {
            experiment: run.experiment.name.clone(),
            setting: run.setting.to_string(),
            problem: problem.to_string(),
        }),
    }
}

/// Puts runs, in their order, back to their settings.
fn collect(
    experiments: &[Experiment],
    options: &Options,
    mut finished: impl Iterator<Item = Finished>,
) -> Results {
    let parts = experiments.iter().map(|experiment| {
        let mut cpu_seconds = 0.0;
        let mut cells: Vec<Cell> = Vec::new();
        let runs = experiment.runs(options.scale, options.root_seed);
        for (run, finished) in runs.iter().zip(&mut finished) {
            if run.index == 0 {
                cells.push(Cell { setting: run.setting.clone(), runs: Vec::new() });
            }
            cpu_seconds += finished.cpu_seconds;
            if let Some(cell) = cells.last_mut() {
                cell.runs.push(Outcome { seed: run.seed, measures: finished.measures });
            }
        }
        Part { experiment: experiment.clone(), cells, cpu_seconds }
    });
    Results { scale: options.scale, root_seed: options.root_seed, parts: parts.collect() }
}
