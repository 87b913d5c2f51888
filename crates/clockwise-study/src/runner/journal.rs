//! Finished runs in a file, a line each, so that a study that is stopped goes on where it was.
//!
//! ```text
//! ring | servers=100 points=160 | seed 3 | key 93cb1d1e0b6a5a5b | cpu 0.0131 | busiest_arcs=1.2 | … | end 5d0f6ce1
//! ```
//!
//! The bars stand for tabs. Lines are only ever appended, whole. `key` is a digest of all that a run's numbers depend on: the
//! kernel and its revision, setting, seed and keys; a line of another version of any of these is
//! passed over. `end` is a digest of the line before it, so that one torn by a crash is passed over
//! as well.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::Path;

use clockwise::hash::xxh3_64;

use super::Finished;
use crate::experiment::Run;
use crate::kernel::Measures;

/// A file of finished runs.
#[derive(Debug)]
pub struct Journal {
    file: File,
    /// What each line holds, by the digest of its run.
    kept: HashMap<u64, Vec<(String, f64)>>,
}

impl Journal {
    /// Opens a journal, or begins one, and reads what it holds. It is a plain file (a device would be read for
    /// ever), and one study's at a time.
    pub fn open(path: &Path) -> io::Result<Journal> {
        let mut file = OpenOptions::new().create(true).read(true).append(true).open(path)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no plain file"));
        }
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::new(io::ErrorKind::ResourceBusy, "another study is writing it"));
            }
            // Some file systems have no locks.
            Err(TryLockError::Error(_)) => {}
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes);
        let kept = text.lines().filter_map(read).collect();
        if !bytes.is_empty() && !bytes.ends_with(b"\n") {
            // A torn line ends here, and the next begins on its own.
            file.write_all(b"\n")?;
        }
        Ok(Journal { file, kept })
    }

    /// What the run gave, if it is here.
    pub(super) fn find(&self, run: &Run<'_>) -> Option<Finished> {
        let fields = self.kept.get(&key(run))?;
        let mut measures = Measures::default();
        let mut cpu_seconds = 0.0;
        for (name, value) in fields {
            match run.experiment.kernel.metric(name) {
                Some(metric) => measures.put(metric.name, *value),
                None => cpu_seconds = *value,
            }
        }
        Some(Finished { measures, cpu_seconds })
    }

    /// Writes down what a run gave.
    pub(super) fn keep(&mut self, run: &Run<'_>, finished: &Finished) -> io::Result<()> {
        let mut line = format!(
            "{}\t{}\tseed {}\tkey {:016x}\tcpu {}",
            run.experiment.name,
            run.setting,
            run.index,
            key(run),
            finished.cpu_seconds
        );
        for (name, value) in finished.measures.iter() {
            let _ = write!(line, "\t{name}={value}");
        }
        let _ = writeln!(line, "\tend {:08x}", check(&line));
        self.file.write_all(line.as_bytes())
    }
}

/// All that the numbers of a run depend on.
fn key(run: &Run<'_>) -> u64 {
    let kernel = run.experiment.kernel;
    let text = format!("{}\n{}\n{}\n{}\n{}", kernel.name, kernel.revision, run.setting, run.seed, run.keys);
    xxh3_64(text.as_bytes(), 0)
}

fn check(line: &str) -> u32 {
    xxh3_64(line.as_bytes(), 0) as u32
}

/// A line's key and numbers; nothing of a line that is torn or is none of ours.
fn read(line: &str) -> Option<(u64, Vec<(String, f64)>)> {
    let (line, end) = line.rsplit_once("\tend ")?;
    if u32::from_str_radix(end, 16) != Ok(check(line)) {
        return None;
    }
    let mut fields = line.split('\t').skip(3);
    let key = u64::from_str_radix(fields.next()?.strip_prefix("key ")?, 16).ok()?;
    let numbers = fields.map(|field| {
        let (name, value) = field.split_once(['=', ' '])?;
        Some((name.to_owned(), value.parse().ok()?))
    });
    Some((key, numbers.collect::<Option<_>>()?))
}
