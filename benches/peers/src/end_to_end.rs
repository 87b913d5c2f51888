//! The command `clockwise` from its start to its end: ten million keys read from a file, placed, and answered.
//!
//! CPU time of the whole process, by wait4: reading, hashing, placing and printing. What is printed goes to
//! `/dev/null`. All commands take turns, and the least time of each counts.

use std::error::Error;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::hint::black_box;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use clockwise::hash::SplitMix64;
use cpu_time::ThreadTime;
use md5::Digest as _;
use wait4::Wait4 as _;

use crate::goals::Row;

/// Keys of the file, and of the smaller one that shows whether memory grows.
const LINES: u64 = 10_000_000;
const FEWER: u64 = 1_000_000;
const SERVERS: u32 = 100;
/// Keys of which the digests are taken alone.
const DIGESTS: u64 = 200_000;

/// What md5 dialects may take beyond md5.
const BEYOND_MD5: f64 = 40.0;

/// A command, and what a key may cost it; None where that is md5 and a little.
struct Asked {
    what: &'static str,
    arguments: &'static [&'static str],
    fleet: &'static str,
    goal: Option<f64>,
}

const ASKED: [Asked; 6] = [
    Asked {
        what: "plan, ring",
        arguments: &["plan", "--add", "new=10.1.0.0:11211"],
        fleet: "ring",
        goal: Some(60.0),
    },
    Asked {
        what: "owner, ring, CSV",
        arguments: &["owner", "--format", "csv"],
        fleet: "ring",
        goal: Some(150.0),
    },
    Asked {
        what: "owner, ring, table",
        arguments: &["owner", "--format", "table"],
        fleet: "ring",
        goal: Some(150.0),
    },
    Asked {
        what: "plan, libketama",
        arguments: &["plan", "--add", "new=10.1.0.0:11211"],
        fleet: "libketama",
        goal: None,
    },
    Asked {
        what: "owner, libketama, CSV",
        arguments: &["owner", "--format", "csv"],
        fleet: "libketama",
        goal: None,
    },
    Asked {
        what: "owner, libketama, table",
        arguments: &["owner", "--format", "table"],
        fleet: "libketama",
        goal: None,
    },
];

/// What one command took.
#[derive(Clone, Copy)]
struct Took {
    /// Nanoseconds of CPU, of the whole process.
    time: f64,
    /// The most memory that was in use at once, in bytes.
    peak: u64,
}

/// Goals with what was reached: `command` is the program, `folder` takes the files.
pub fn measure(command: &Path, folder: &Path, rounds: u32) -> Result<Vec<Row>, Box<dyn Error>> {
    fs::create_dir_all(folder)?;
    let keys = [keys(folder, LINES)?, keys(folder, FEWER)?];
    let fleet = |name: &str| folder.join(format!("{name}.toml"));
    for (name, placement) in [("ring", "scheme = \"ring\""), ("libketama", "dialect = \"libketama\"")] {
        fs::write(fleet(name), toml(placement))?;
    }
    let ask = |asked: &Asked, keys: &PathBuf| {
        let mut process = Command::new(command);
        let (verb, rest) = asked.arguments.split_at(1);
        process.args(verb).arg(fleet(asked.fleet)).args(rest).arg("--keys").arg(keys);
        run(&mut process)
    };
    let mut least = [[Took { time: f64::MAX, peak: 0 }; 2]; ASKED.len()];
    let (mut reading, mut digests) = (f64::MAX, f64::MAX);
    for _ in 0..rounds {
        for (asked, least) in ASKED.iter().zip(&mut least) {
            for (keys, least) in keys.iter().zip(least) {
                let took = ask(asked, keys)?;
                *least = Took { time: took.time.min(least.time), peak: took.peak.max(least.peak) };
            }
        }
        reading = reading.min(read(&keys[0])? / LINES as f64);
        digests = digests.min(digest());
    }
    let mut rows = Vec::new();
    let mut row = |what: String, goal: f64, reached: f64, unit, peer: String| {
        rows.push(Row { what, goal, reached: Some(reached), limit: true, unit, peer, missing: "" });
    };
    for (asked, [took, _]) in ASKED.iter().zip(&least) {
        let (goal, beside) = match asked.goal {
            Some(goal) => (goal, format!("reading the file alone: {reading:.1} ns")),
            None => ((digests + BEYOND_MD5).round(), format!("md5 by its crate alone: {digests:.0} ns")),
        };
        row(
            format!("{}, CPU a key of ten million", asked.what),
            goal,
            took.time / LINES as f64,
            " ns",
            beside,
        );
    }
    for (asked, [took, fewer]) in ASKED.iter().zip(&least).take(3) {
        let megabytes = format!("{:.1} MB at most", took.peak as f64 / 1e6);
        let grown = took.peak as f64 / fewer.peak as f64;
        row(format!("{}, memory for ten million keys / for one", asked.what), 1.1, grown, "×", megabytes);
    }
    Ok(rows)
}

/// A file of seeded keys, `key:` and sixteen digits, unless it is there.
fn keys(folder: &Path, lines: u64) -> Result<PathBuf, Box<dyn Error>> {
    let path = folder.join(format!("keys-{lines}.txt"));
    if fs::metadata(&path).is_ok_and(|file| file.len() == lines * 21) {
        return Ok(path);
    }
    let mut file = BufWriter::new(File::create(&path)?);
    for index in 0..lines {
        writeln!(file, "{}", key(index))?;
    }
    file.flush()?;
    Ok(path)
}

fn key(index: u64) -> String {
    format!("key:{:016x}", SplitMix64::mix(index.wrapping_mul(SplitMix64::STEP)))
}

fn toml(placement: &str) -> String {
    let mut text = format!("version = 1\n\n[placement]\n{placement}\n");
    for server in 0..SERVERS {
        // A String takes all that is written.
        let _ = write!(text, "\n[[server]]\nname = \"10.0.0.{server}:11211\"\n");
    }
    text
}

fn run(command: &mut Command) -> Result<Took, Box<dyn Error>> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
    // The system's own figure of a child's memory includes what its parent had when it began.
    let status = format!("/proc/{}/status", child.id());
    let watch = thread::spawn(move || {
        let mut peak = 0;
        while let Some(now) = fs::read_to_string(&status).ok().as_deref().and_then(high_water) {
            peak = peak.max(now);
            thread::sleep(Duration::from_millis(5));
        }
        peak
    });
    let mut complaint = String::new();
    if let Some(mut errors) = child.stderr.take() {
        errors.read_to_string(&mut complaint)?;
    }
    let used = child.wait4()?;
    let peak = watch.join().unwrap_or(0);
    // A plan that moves keys ends with 1 where a limit is given, and none is.
    if !used.status.success() {
        return Err(format!("{command:?} ended with {}: {complaint}", used.status).into());
    }
    let time = (used.rusage.utime + used.rusage.stime).as_nanos() as f64;
    Ok(Took { time, peak })
}

/// The most memory that a process had so far, in bytes, from its status; none once it has ended.
fn high_water(status: &str) -> Option<u64> {
    let kilobytes = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    kilobytes.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

/// Nanoseconds to read a file and do nothing with it.
fn read(path: &Path) -> Result<f64, Box<dyn Error>> {
    let mut buffer = vec![0; 1 << 16];
    let begun = ThreadTime::now();
    let mut file = File::open(path)?;
    while file.read(&mut buffer)? > 0 {
        black_box(&buffer);
    }
    Ok(begun.elapsed().as_nanos() as f64)
}

/// Nanoseconds of one md5 of a key.
fn digest() -> f64 {
    let keys: Vec<String> = (0..DIGESTS).map(key).collect();
    let begun = ThreadTime::now();
    for key in &keys {
        black_box(md5::Md5::digest(key.as_bytes()));
    }
    begun.elapsed().as_nanos() as f64 / DIGESTS as f64
}
