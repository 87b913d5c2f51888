//! From what was typed to fleets and keys, with warnings said on the way.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::rc::Rc;

use clockwise::dialect::Dialect;
use clockwise::hash::Width;
use clockwise::moves::Tally;
use clockwise::{Built, Error, Geometry, Layout, Measured, Placement as _, Scheme, Server};
use clockwise_config::{Options, Pool};
use clockwise_study::keys::{
    KeyEncoding, KeyFormat, KeyOptions, KeyReader, KeySet, LineEnding, Record, seeded_key,
};
use clockwise_study::runner;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::args;
use crate::console::Console;
use crate::exit::Failure;
use crate::output::count;

impl From<&args::Reading> for Options {
    fn from(reading: &args::Reading) -> Options {
        Options { merge: reading.merge, strict: reading.strict, ..Options::from(&reading.file) }
    }
}

impl From<&args::File> for Options {
    fn from(file: &args::File) -> Options {
        Options {
            lenient: file.lenient,
            from: file.from,
            placement: file.placement.clone(),
            ..Options::default()
        }
    }
}

/// Reads a fleet, saying its warnings.
pub(crate) fn fleet(spec: &str, reading: &args::Reading, console: &mut Console<'_>) -> Result<Pool, Failure> {
    let pool = clockwise_config::load(spec, &reading.into()).map_err(Failure::Diagnosed)?;
    if let Some(block) = pool.inside() {
        let kind = pool.kind().to_string();
        let article = if kind.starts_with(['A', 'E', 'O']) || kind == "nginx" { "an" } else { "a" };
        console.note(format_args!("note: {}: read {block}, as {article} {kind} file", pool.path()));
    }
    for note in pool.notes() {
        console.note(format_args!("note: {}: {note}", pool.path()));
    }
    console.say_all(pool.warnings())?;
    Ok(pool)
}

/// An error of the library about a pool, shown at the line of the server it names.
pub(crate) fn diagnosed(pool: &Pool, error: &Error) -> Failure {
    Failure::from(pool.diagnose(error))
}

/// Builds a pool's placement.
pub(crate) fn build(
    pool: &Pool,
    reading: &args::Reading,
    console: &mut Console<'_>,
) -> Result<Built, Failure> {
    let built = pool.scheme().build(pool.servers()).map_err(|error| diagnosed(pool, &error))?;
    warn_of(pool, &built, reading, console)?;
    if built.cap().is_some() {
        console.note(format_args!(
            "note: under {} a full server sends keys on; what is shown is where each goes first",
            pool.scheme()
        ));
    }
    Ok(built)
}

/// Says what is wrong with a placement although it could be built.
pub(crate) fn warn_of(
    pool: &Pool,
    built: &Built,
    reading: &args::Reading,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    if let Some(ring) = built.ring() {
        if let Some(message) = narrow(pool, built, &ring) {
            console.say(&pool.warn(None, &message, &reading.into()))?;
        }
        let pointless: Vec<&Server> = ring.pointless().collect();
        for server in pointless.iter().take(MAX_WARNINGS) {
            let message = self::pointless(server, pool.scheme(), built);
            console.say(&pool.warn(Some(server.name().as_str()), &message, &reading.into()))?;
        }
        more(pointless.len(), ["server gets no points", "servers get no points"], console);
    }
    let unsettled = built.unsettled();
    for collision in unsettled.iter().take(MAX_WARNINGS) {
        let names: Vec<&str> =
            collision.servers().iter().map(|ix| built.servers()[ix.index()].name().as_str()).collect();
        let message = format!(
            "servers {} share the point {}, and this system does not say which of them owns it: instances may differ",
            names.join(" and "),
            collision.position()
        );
        console.say(&pool.warn(None, &message, &reading.into()))?;
    }
    more(unsettled.len(), ["point is shared so", "points are shared so"], console);
    Ok(())
}

/// Of one sort, no more warnings are shown.
const MAX_WARNINGS: usize = 10;

fn more(all: usize, [one, many]: [&str; 2], console: &mut Console<'_>) {
    if let Some(rest @ 1..) = all.checked_sub(MAX_WARNINGS) {
        let what = if rest == 1 { one } else { many };
        console.note(format_args!("warning: {} more {what}\n", count(rest as u64)));
    }
}

/// A key hash of few bits leaves most of a ring to nobody.
fn narrow(pool: &Pool, built: &Built, ring: &Geometry) -> Option<String> {
    let Some(Layout::Circle { key_hash, .. }) = built.bare().measured().and_then(Measured::layout) else {
        return None;
    };
    let width = width(ring);
    let bits = ring.key_bits();
    let all = ring.points().count();
    let reached =
        1 + ring.points().filter(|(position, _)| position.checked_shr(bits).unwrap_or(0) == 0).count();
    if bits >= width || reached >= all {
        return None;
    }
    // By the file's own word where it is known, so that the complaint stands at its line.
    let (hash, advice) = match pool.scheme().bare().to_string().as_str() {
        "twemproxy ketama crc32" => ("crc32", ": crc32a fills all bits"),
        _ => (key_hash.split(',').next().unwrap_or(key_hash), ""),
    };
    Some(format!(
        "{hash} hashes keys to {bits} of the ring's {width} bits, and they reach only {} of its {} points{advice}",
        count(reached as u64),
        count(all as u64)
    ))
}

/// Bits of a position.
pub(crate) fn width(ring: &Geometry) -> u32 {
    match ring.width() {
        Width::Bits32 => 32,
        Width::Bits64 => 64,
    }
}

fn pointless(server: &Server, scheme: &Scheme, built: &Built) -> String {
    if let Scheme::Dialect(Dialect::Cassandra(_) | Dialect::Dskit(_)) = scheme {
        return format!(
            "server {:?} gets no points and owns nothing: nobody gave it tokens, and which the system will choose follows from nothing; `convert --to toml` writes them down, where its own can join them",
            server.name().as_str()
        );
    }
    let total: u64 = built.servers().iter().map(|s| u64::from(s.effective_weight())).sum();
    format!(
        "server {:?} gets no points and owns nothing: its weight of {} out of {total} rounds to none",
        server.name().as_str(),
        server.weight()
    )
}

/// How a fleet is called in titles: `examples/twemproxy.yml#cache`.
pub(crate) fn title(pool: &Pool) -> String {
    match pool.name() {
        Some(name) => format!("{}#{name}", pool.path()),
        None => pool.path().to_owned(),
    }
}

/// How keys are to be read.
fn options(keys: &args::Keys) -> KeyOptions {
    KeyOptions {
        format: match keys.key_format {
            _ if keys.null => Some(KeyFormat::Nul),
            Some(args::KeyFormat::Lines) => Some(KeyFormat::Lines),
            Some(args::KeyFormat::Csv) => Some(KeyFormat::Csv),
            Some(args::KeyFormat::Metadump) => Some(KeyFormat::Metadump),
            Some(args::KeyFormat::Redis) => Some(KeyFormat::Redis),
            None => None,
        },
        encoding: match keys.key_encoding {
            None | Some(args::KeyEncoding::Raw) => KeyEncoding::Bytes,
            Some(args::KeyEncoding::Hex) => KeyEncoding::Hex,
            Some(args::KeyEncoding::Base64) => KeyEncoding::Base64,
        },
        line_ending: keys.line_ending.map(|ending| match ending {
            args::LineEnding::Lf => LineEnding::Lf,
            args::LineEnding::Crlf => LineEnding::CrLf,
        }),
    }
}

/// Keys from a file, from standard input, or made up from a seed.
pub(crate) enum Keys {
    /// Read; the second knows how far.
    Read(Box<KeyReader<Counted>>, Progress),
    /// Made up.
    Seeded { count: u64, seed: u64, progress: Progress },
}

/// Keys that are answered at a time, at most.
const BATCH: usize = 1_024;

impl Keys {
    /// What was asked for. Without a file: `sample` keys from `seed`.
    pub(crate) fn open(keys: &args::Keys, sample: u64, seed: u64) -> Result<Keys, Failure> {
        if keys.keys.is_some() {
            return Keys::read(keys);
        }
        let encoding = keys.key_encoding.map(|_| "--key-encoding");
        match keys.of_a_file().or(encoding) {
            None => Ok(Keys::Seeded { count: sample, seed, progress: Progress::of_keys(sample) }),
            Some(option) => {
                Err(Failure::Usage(format!("{option} says how --keys is read: give --keys FILE")))
            }
        }
    }

    /// Keys from the command line. Arguments hold no NUL byte, so one can end each.
    pub(crate) fn typed(typed: &[std::ffi::OsString], keys: &args::Keys) -> Result<Keys, Failure> {
        if let Some(option) = keys.of_a_file() {
            let message = format!("{option} says how a file of keys is read, and these keys were typed");
            return Err(Failure::Usage(message));
        }
        let mut text = Vec::new();
        for key in typed {
            text.extend_from_slice(key.as_encoded_bytes());
            text.push(0);
        }
        let options = KeyOptions { format: Some(KeyFormat::Nul), ..options(keys) };
        let progress = Progress(None);
        let input = Counted { input: Box::new(io::Cursor::new(text)), progress: progress.clone() };
        Ok(Keys::Read(Box::new(KeyReader::new("the command line", input, options)?), progress))
    }

    /// A file, or standard input where none is named.
    pub(crate) fn read(keys: &args::Keys) -> Result<Keys, Failure> {
        let options = options(keys);
        let (name, input, size): (String, Box<dyn Read>, Option<u64>) = match &keys.keys {
            Some(path) if path.as_os_str() != "-" => {
                let name = path.display().to_string();
                let file = File::open(path)
                    .map_err(|error| Failure::Input(format!("{name} cannot be read: {error}")))?;
                let size = file.metadata().ok().filter(std::fs::Metadata::is_file).map(|m| m.len());
                (name, Box::new(file), size)
            }
            _ => ("standard input".to_owned(), Box::new(io::stdin().lock()), None),
        };
        let progress = Progress::of_bytes(size);
        let counted = Counted { input, progress: progress.clone() };
        Ok(Keys::Read(Box::new(KeyReader::new(name, counted, options)?), progress))
    }

    /// Where there should have been keys, none was.
    pub(crate) fn none(keys: &args::Keys) -> Failure {
        Failure::Input(match &keys.keys {
            Some(path) if path.as_os_str() != "-" => {
                format!("{} is empty: there are no keys", path.display())
            }
            Some(_) => "standard input is empty: there are no keys".to_owned(),
            None => "there are no keys".to_owned(),
        })
    }

    /// Whether every key says how often it is requested.
    pub(crate) fn has_requests(&self) -> bool {
        matches!(self, Keys::Read(reader, _) if reader.has_requests())
    }

    /// Whether every key says how large it is.
    pub(crate) fn has_bytes(&self) -> bool {
        matches!(self, Keys::Read(reader, _) if reader.has_bytes())
    }

    /// Gives every key to `each`, in order and many at a time: those that have arrived.
    pub(crate) fn for_each(
        self,
        mut each: impl FnMut(&KeySet) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut batch = KeySet::new(self.has_requests(), self.has_bytes());
        match self {
            Keys::Read(mut reader, progress) => {
                loop {
                    batch.clear();
                    let read = reader.read_many(BATCH, &mut batch);
                    // Keys before a bad one are answered, as those of the batch before are.
                    each(&batch)?;
                    if !read? {
                        break;
                    }
                }
                progress.done();
            }
            Keys::Seeded { count, seed, progress } => {
                for begun in (0..count).step_by(BATCH) {
                    batch.clear();
                    for index in begun..count.min(begun + BATCH as u64) {
                        batch.push(Record { key: &seeded_key(seed, index), tally: Tally::KEY });
                    }
                    each(&batch)?;
                    progress.at(begun);
                }
                progress.done();
            }
        }
        Ok(())
    }
}

/// Keys to be asked more than once, held in memory.
pub(crate) fn key_set(args: &args::Sampled) -> Result<KeySet, Failure> {
    let keys = Keys::open(&args.keys, args.sample, args.seed)?;
    let mut set = KeySet::new(keys.has_requests(), keys.has_bytes());
    keys.for_each(|batch| {
        batch.iter().for_each(|record| set.push(record));
        Ok(())
    })?;
    if set.is_empty() {
        return Err(Keys::none(&args.keys));
    }
    Ok(set)
}

/// A source of bytes that tells a progress bar how far it is.
pub(crate) struct Counted {
    input: Box<dyn Read>,
    progress: Progress,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.progress.advance(read as u64);
        Ok(read)
    }
}

/// A progress bar on standard error, where a person is watching. It shows itself only once the work
/// has gone on for a while.
#[derive(Clone)]
pub(crate) struct Progress(Option<Rc<RefCell<Bar>>>);

struct Bar {
    bar: ProgressBar,
    begun: std::time::Instant,
    shown: bool,
}

/// Work shorter than this shows no bar.
const PATIENCE: std::time::Duration = std::time::Duration::from_millis(1_000);

impl Progress {
    fn of_bytes(size: Option<u64>) -> Progress {
        let template = match size {
            Some(_) => "{wide_bar} {bytes} of {total_bytes}, {eta} left",
            None => "{spinner} {bytes} read",
        };
        Progress::new(size, template)
    }

    fn of_keys(count: u64) -> Progress {
        Progress::new(Some(count), "{wide_bar} {human_pos} of {human_len} keys, {eta} left")
    }

    fn new(length: Option<u64>, template: &str) -> Progress {
        if !io::stderr().is_terminal() {
            return Progress(None);
        }
        let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Progress(Some(Rc::new(RefCell::new(Bar { bar, begun: std::time::Instant::now(), shown: false }))))
    }

    fn with(&self, change: impl FnOnce(&ProgressBar)) {
        if let Some(inner) = &self.0 {
            let mut inner = inner.borrow_mut();
            if !inner.shown && inner.begun.elapsed() > PATIENCE {
                inner.bar.set_draw_target(ProgressDrawTarget::stderr());
                inner.shown = true;
            }
            change(&inner.bar);
        }
    }

    fn advance(&self, by: u64) {
        self.with(|bar| bar.inc(by));
    }

    fn at(&self, position: u64) {
        self.with(|bar| bar.set_position(position));
    }

    fn done(&self) {
        self.with(ProgressBar::finish_and_clear);
    }
}

/// The bar of a study: runs done, and the time left by what the others are expected to cost.
pub(crate) struct Runs(Progress);

impl Runs {
    /// Parts of the work that the bar counts in.
    const STEPS: u64 = 10_000;

    pub(crate) fn new() -> Runs {
        Runs(Progress::new(Some(Runs::STEPS), "{wide_bar} {msg} runs, {eta} left"))
    }

    pub(crate) fn at(&mut self, progress: runner::Progress) {
        self.0.with(|bar| {
            bar.set_message(format!("{} of {}", count(progress.done as u64), count(progress.runs as u64)));
            bar.set_position((progress.work * Runs::STEPS as f64) as u64);
        });
    }

    pub(crate) fn done(&self) {
        self.0.done();
    }
}
