//! `clockwise study`: published measurements made again, and experiments of a user's own.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::thread;

use clockwise_study::experiment::{self, Experiment, Scale};
use clockwise_study::report::{Cost, Report};
use clockwise_study::results::Results;
use clockwise_study::runner::{self, Journal};
use serde::Serialize;

use crate::args::{self, Format};
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::input::Runs;
use crate::output::{self, Align, Cell, Sheet, count, counted, ratio};

/// A line of `--list`.
#[derive(Serialize)]
struct Listed<'e> {
    name: &'e str,
    settings: usize,
    runs: usize,
    keys: u64,
    question: &'e str,
}

pub(crate) fn run(args: &args::Study, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let experiments = experiments(&args.what)?;
    let scale = Scale::from(args.scale);
    if args.list {
        return list(&experiments, scale, args.format, console);
    }
    let results = measure(args, &experiments, scale)?;
    if let Some(folder) = &args.out {
        write(folder, &results)?;
    }
    console.answer(|out| match args.format {
        Format::Json => Ok(results.write_json(out)?),
        format => sheet(&results).write(format, out),
    })?;
    if args.format == Format::Table {
        let cpu: f64 = results.parts.iter().map(|part| part.cpu_seconds).sum();
        console.note(format_args!("{}, {cpu:.1} s of CPU time", counted(results.runs() as u64, "run")));
    }
    Ok(Exit::Fine)
}

/// What was named: experiments of ours, or files.
fn experiments(what: &[String]) -> Result<Vec<Experiment>, Failure> {
    if what.is_empty() {
        return experiment::catalogue().map_err(Failure::Diagnosed);
    }
    let mut chosen: Vec<Experiment> = Vec::new();
    for name in what {
        let found = match name.ends_with(".toml") {
            true => {
                let bytes = fs::read(name)
                    .map_err(|error| Failure::Input(format!("{name} cannot be read: {error}")))?;
                Some(Experiment::parse(name, &bytes).map_err(Failure::Diagnosed)?)
            }
            false => experiment::find(name).map_err(Failure::Diagnosed)?,
        };
        let Some(found) = found else {
            let known: Vec<&str> = experiment::names().collect();
            let known = known.join(", ");
            return Err(Failure::Usage(format!(
                "there is no experiment {name:?}; known: {known}; a file of your own ends in .toml"
            )));
        };
        if chosen.iter().any(|other| other.name == found.name) {
            return Err(Failure::Usage(format!("two experiments are called {:?}", found.name)));
        }
        chosen.push(found);
    }
    Ok(chosen)
}

fn list(
    experiments: &[Experiment],
    scale: Scale,
    format: Format,
    console: &mut Console<'_>,
) -> Result<Exit, Failure> {
    let rows: Vec<Listed<'_>> = experiments
        .iter()
        .map(|experiment| Listed {
            name: &experiment.name,
            settings: experiment.settings(scale).count(),
            runs: experiment.settings(scale).count() * experiment.extent(scale).seeds as usize,
            keys: experiment.extent(scale).keys,
            question: &experiment.question,
        })
        .collect();
    console.answer(|out| match format {
        Format::Json => output::json(out, &rows),
        format => {
            let mut sheet = Sheet::new([
                ("name", Align::Left),
                ("settings", Align::Right),
                ("runs", Align::Right),
                ("question", Align::Left),
            ]);
            for row in &rows {
                let number = |number: usize| Cell::new(count(number as u64), number);
                sheet.row([row.name.into(), number(row.settings), number(row.runs), row.question.into()]);
            }
            sheet.write(format, out)
        }
    })?;
    Ok(Exit::Fine)
}

fn measure(args: &args::Study, experiments: &[Experiment], scale: Scale) -> Result<Results, Failure> {
    let threads = match args.threads {
        Some(threads) => usize::from(threads),
        None => thread::available_parallelism().map_or(1, usize::from),
    };
    let mut journal = match &args.out {
        None => None,
        Some(folder) => {
            fs::create_dir_all(folder).map_err(|error| Failure::writing(folder, &error))?;
            let path = folder.join("journal.txt");
            Some(Journal::open(&path).map_err(|error| Failure::writing(&path, &error))?)
        }
    };
    let mut bar = Runs::new();
    let options = runner::Options { scale, root_seed: args.seed, threads };
    let results = runner::run(experiments, &options, journal.as_mut(), &mut |progress| bar.at(progress));
    bar.done();
    results.map_err(|error| Failure::Input(error.to_string()))
}

fn write(folder: &Path, results: &Results) -> Result<(), Failure> {
    into(folder, "runs.csv", |out| results.write_csv(out))?;
    into(folder, "runs.json", |out| results.write_json(out))?;
    let report = Report::of(results);
    // What a machine took is in the page alone, and there in a section of its own.
    into(folder, "report.html", |out| out.write_all(report.html(&Cost::of(results)).as_bytes()))?;
    into(folder, "summary.md", |out| out.write_all(report.markdown().as_bytes()))?;
    let pictures = folder.join("pictures");
    fs::create_dir_all(&pictures).map_err(|error| Failure::writing(&pictures, &error))?;
    for (name, picture) in report.pictures() {
        into(&pictures, &name, |out| out.write_all(picture.as_bytes()))?;
    }
    Ok(())
}

/// Writes a file whole or not at all: readers never see half of one.
fn into(
    folder: &Path,
    name: &str,
    write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let path = folder.join(name);
    let beside = folder.join(format!("{name}.part"));
    let written = fs::File::create(&beside).and_then(|file| {
        let mut out = io::BufWriter::new(file);
        write(&mut out)?;
        out.flush()?;
        fs::rename(&beside, &path)
    });
    written.map_err(|error| Failure::writing(&path, &error))
}

/// The mean of every metric at every setting.
fn sheet(results: &Results) -> Sheet {
    let mut sheet = Sheet::new([
        ("experiment", Align::Left),
        ("setting", Align::Left),
        ("metric", Align::Left),
        ("runs", Align::Right),
        ("mean", Align::Right),
        ("standard error", Align::Right),
    ]);
    for part in &results.parts {
        for cell in &part.cells {
            for metric in part.experiment.kernel.metrics {
                let Some(summary) = cell.summary(metric.name) else { continue };
                sheet.row([
                    part.experiment.name.as_str().into(),
                    cell.setting.to_string().into(),
                    metric.name.into(),
                    Cell::new(count(summary.runs as u64), summary.runs),
                    Cell::new(ratio(summary.mean), summary.mean),
                    Cell::new(ratio(summary.standard_error), summary.standard_error),
                ]);
            }
        }
    }
    sheet
}

impl From<args::StudyScale> for Scale {
    fn from(scale: args::StudyScale) -> Scale {
        match scale {
            args::StudyScale::Quick => Scale::Quick,
            args::StudyScale::Published => Scale::Published,
        }
    }
}
