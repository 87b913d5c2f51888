//! `clockwise vectors`: questions with their answers, for programs in other languages, and whether
//! they still come out.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use clockwise_study::vectors::{self, File};
use clockwise_vectors::{FILES, SCHEMA};
use serde::Serialize;

use crate::args;
use crate::args::Format;
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::output::{self, Align, Cell, Sheet, count, counted};

/// The name of the schema among the files.
const SCHEMA_NAME: &str = "schema";

/// The document that `--check --format json` prints.
#[derive(Serialize)]
struct Document {
    files: Vec<Checked>,
    tests: usize,
    differences: usize,
}

#[derive(Serialize)]
struct Checked {
    file: String,
    groups: usize,
    tests: usize,
    differences: Vec<Difference>,
}

#[derive(Serialize)]
struct Difference {
    group: usize,
    /// Null where the group as a whole cannot be asked.
    test: Option<u64>,
    what: String,
    expected: String,
    got: String,
}

/// A line of `--list`.
#[derive(Serialize)]
struct Listed {
    name: &'static str,
    groups: usize,
    tests: usize,
    about: String,
}

pub(crate) fn run(args: &args::Vectors, console: &mut Console<'_>) -> Result<Exit, Failure> {
    match (&args.name, &args.out, &args.check) {
        (Some(name), ..) => print(name, console),
        (None, Some(folder), _) => write(folder),
        (None, None, Some(paths)) => check(paths, args.format, console),
        (None, None, None) => list(args.format, console),
    }
}

/// One file on standard output.
fn print(name: &str, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let text = match name {
        SCHEMA_NAME => SCHEMA.to_owned(),
        _ => made(name)?.to_json(),
    };
    console.answer(|out| Ok(out.write_all(text.as_bytes())?))?;
    Ok(Exit::Fine)
}

fn made(name: &str) -> Result<File, Failure> {
    vectors::make(name).ok_or_else(|| {
        let known: Vec<&str> = vectors::names().chain([SCHEMA_NAME]).collect();
        Failure::Usage(format!("there are no vectors of {name:?}; known: {}", known.join(", ")))
    })
}

/// All files and the schema, in a folder.
fn write(folder: &Path) -> Result<Exit, Failure> {
    let into = |name: &str, text: &str| {
        let path = folder.join(format!("{name}.json"));
        fs::write(&path, text).map_err(|error| Failure::writing(&path, &error))
    };
    fs::create_dir_all(folder).map_err(|error| Failure::writing(folder, &error))?;
    for name in vectors::names() {
        into(name, &made(name)?.to_json())?;
    }
    into(SCHEMA_NAME, SCHEMA)?;
    Ok(Exit::Fine)
}

fn list(format: Format, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let mut rows = Vec::new();
    for (name, text) in FILES {
        let file = read(name, text)?;
        let (groups, tests) = (file.groups(), file.tests());
        rows.push(Listed { name, groups, tests, about: file.about().to_owned() });
    }
    console.answer(|out| match format {
        Format::Json => output::json(out, &rows),
        format => {
            let mut sheet = Sheet::new([
                ("name", Align::Left),
                ("groups", Align::Right),
                ("tests", Align::Right),
                ("about", Align::Left),
            ]);
            for row in &rows {
                let [groups, tests] = [row.groups, row.tests].map(number);
                sheet.row([row.name.into(), groups, tests, row.about.as_str().into()]);
            }
            sheet.write(format, out)
        }
    })?;
    Ok(Exit::Fine)
}

/// Recomputes files, those of this program if none are named.
fn check(paths: &[PathBuf], format: Format, console: &mut Console<'_>) -> Result<Exit, Failure> {
    // All are read before any is computed: what cannot be used is said at once.
    let mut files = Vec::new();
    if paths.is_empty() {
        for (name, text) in FILES {
            files.push(((*name).to_owned(), read(name, text)?));
        }
    }
    for path in paths {
        for path in files_of(path)? {
            let shown = path.display().to_string();
            let file = read(&shown, &text_of(&path, &shown)?)?;
            files.push((shown, file));
        }
    }
    let document = Document::of(files);
    console.answer(|out| match format {
        Format::Json => output::json(out, &document),
        format => document.sheet().write(format, out),
    })?;
    for file in &document.files {
        for Difference { group, test, what, expected, got } in &file.differences {
            let test = test.map(|test| format!(", test {test}")).unwrap_or_default();
            console.note(format_args!(
                "{}: group {group}{test}: {what}: expected {expected}, got {got}",
                file.file
            ));
        }
    }
    if document.differences == 0 {
        return Ok(Exit::Fine);
    }
    let tests = counted(document.tests as u64, "test");
    console.note(format_args!("{} in {tests}", counted(document.differences as u64, "difference")));
    Ok(Exit::Findings)
}

/// The largest file that is read: several times the largest of this program.
const MAX_BYTES: u64 = 64 << 20;

/// The text of a file, unless it is endless.
fn text_of(path: &Path, shown: &str) -> Result<String, Failure> {
    let mut text = String::new();
    fs::File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_string(&mut text)).map_err(
        |error| match error.kind() {
            std::io::ErrorKind::InvalidData => Failure::Input(format!(
                "{shown} cannot be read: it is no text (UTF-8), and test vectors are JSON"
            )),
            _ => Failure::Input(format!("{shown} cannot be read: {error}")),
        },
    )?;
    if text.len() as u64 > MAX_BYTES {
        let message = format!("{shown} is larger than {} MiB, and no file of vectors is", MAX_BYTES >> 20);
        return Err(Failure::Input(message));
    }
    Ok(text)
}

/// The files of a folder, in order of their names and without the schema; or the file itself.
fn files_of(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    let failed =
        |error: &std::io::Error| Failure::Input(format!("{} cannot be read: {error}", path.display()));
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let mut files = Vec::new();
    for entry in fs::read_dir(path).map_err(|error| failed(&error))? {
        let file = entry.map_err(|error| failed(&error))?.path();
        let is_json = file.extension().is_some_and(|extension| extension == "json");
        if is_json && file.file_stem().is_some_and(|stem| stem != SCHEMA_NAME) {
            files.push(file);
        }
    }
    files.sort();
    match files.is_empty() {
        true => {
            Err(Failure::Input(format!("{} holds no vectors: no file in it ends in .json", path.display())))
        }
        false => Ok(files),
    }
}

fn read(name: &str, text: &str) -> Result<File, Failure> {
    vectors::read(text).map_err(|error| {
        let place = error.line().map_or_else(|| name.to_owned(), |line| format!("{name}:{line}"));
        Failure::Input(format!("{place}: {error}"))
    })
}

impl Document {
    fn of(files: Vec<(String, File)>) -> Document {
        let row = |difference: vectors::Difference| Difference {
            group: difference.group(),
            test: difference.test(),
            what: difference.what().to_owned(),
            expected: difference.expected().to_owned(),
            got: difference.got().to_owned(),
        };
        let checked = |(name, file): (String, File)| Checked {
            groups: file.groups(),
            tests: file.tests(),
            differences: vectors::check(&file).into_iter().map(row).collect(),
            file: name,
        };
        let files: Vec<Checked> = files.into_iter().map(checked).collect();
        Document {
            tests: files.iter().map(|file| file.tests).sum(),
            differences: files.iter().map(|file| file.differences.len()).sum(),
            files,
        }
    }

    /// A line a file, and one of all.
    fn sheet(&self) -> Sheet {
        let mut sheet = Sheet::new([
            ("file", Align::Left),
            ("groups", Align::Right),
            ("tests", Align::Right),
            ("differences", Align::Right),
        ]);
        let groups: usize = self.files.iter().map(|file| file.groups).sum();
        let mut row = |name: &str, numbers: [usize; 3]| {
            sheet.row([Cell::from(name)].into_iter().chain(numbers.map(number)));
        };
        for file in &self.files {
            row(&file.file, [file.groups, file.tests, file.differences.len()]);
        }
        row("all", [groups, self.tests, self.differences]);
        sheet
    }
}

fn number(number: usize) -> Cell {
    Cell::new(count(number as u64), number)
}
