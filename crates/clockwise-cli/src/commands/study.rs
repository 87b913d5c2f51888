//! `clockwise study`: published measurements made again, and experiments of a user's own.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::thread;

use clockwise_study::experiment::{self, Experiment, Scale, Setting};
use clockwise_study::figures::{self, Finding, Judgement};
use clockwise_study::kernel::Kernel;
use clockwise_study::report::{Cost, Report};
use clockwise_study::results::{self, Results, Summary};
use clockwise_study::runner::{self, Journal};
use serde::Serialize;

use crate::args::{self, Format};
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::input::Runs;
use crate::output::{self, Align, Cell, Sheet, count, counted};

/// The page that `--out` writes.
const REPORT: &str = "report.html";

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
    let figures = figures::figures().map_err(Failure::Diagnosed)?;
    // Held until all is written: two studies in one folder would write over each other.
    let mut journal = args.out.as_deref().map(open).transpose()?;
    let results = measure(args, &experiments, scale, journal.as_mut(), console)?;
    let findings = figures::of_what_was_run(figures::judge(&figures, &results), &results);
    if let Some(folder) = &args.out {
        write(folder, &results, &findings)?;
    }
    let failed: Vec<&Finding<'_>> =
        findings.iter().filter(|finding| finding.judgement == Judgement::Fails).collect();
    console.answer(|out| match args.format {
        Format::Json => output::json(out, &Document::of(&results, &findings)),
        Format::Table => {
            if args.what.is_empty() {
                parts(&results).write(Format::Table, out)?;
            } else {
                numbers(&results, true).write(Format::Table, out)?;
            }
            writeln!(out, "\n{}", sentence(&results, &findings))?;
            if let Some(folder) = &args.out {
                writeln!(out, "The report is {}.", folder.join(REPORT).display())?;
            }
            if scale == Scale::Quick {
                writeln!(
                    out,
                    "This was --scale quick; --scale published has more keys and seeds, and takes minutes."
                )?;
            }
            if !failed.is_empty() {
                writeln!(out)?;
                figures_sheet(failed.iter().copied()).write(Format::Table, out)?;
            }
            Ok(())
        }
        format if findings.is_empty() => numbers(&results, false).write(format, out),
        format => figures_sheet(findings.iter()).write(format, out),
    })?;
    Ok(if args.check && !failed.is_empty() { Exit::Findings } else { Exit::Fine })
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

/// The folder, and the runs that it holds.
fn open(folder: &Path) -> Result<Journal, Failure> {
    if folder.exists() && !folder.is_dir() {
        return Err(Failure::Input(format!("{} is a file, and --out takes a folder", folder.display())));
    }
    fs::create_dir_all(folder).map_err(|error| Failure::writing(folder, &error))?;
    let path = folder.join("journal.txt");
    Journal::open(&path).map_err(|error| Failure::writing(&path, &error))
}

fn measure(
    args: &args::Study,
    experiments: &[Experiment],
    scale: Scale,
    journal: Option<&mut Journal>,
    console: &mut Console<'_>,
) -> Result<Results, Failure> {
    let threads = match args.threads {
        Some(threads) => usize::from(threads),
        None => thread::available_parallelism().map_or(1, usize::from),
    };
    let mut bar = Runs::new();
    let options = runner::Options { scale, root_seed: args.seed, threads };
    let mut begun = false;
    let results = runner::run(experiments, &options, journal, &mut |progress| {
        if !begun && progress.kept > 0 {
            let (kept, runs) = (count(progress.kept as u64), counted(progress.runs as u64, "run"));
            let were = if progress.kept == 1 { "was" } else { "were" };
            console.note(format_args!("note: {kept} of {runs} {were} finished before"));
        }
        begun = true;
        bar.at(progress);
    });
    bar.done();
    results.map_err(|error| Failure::Input(error.to_string()))
}

fn write(folder: &Path, results: &Results, findings: &[Finding<'_>]) -> Result<(), Failure> {
    into(folder, "runs.csv", |out| results.write_csv(out))?;
    into(folder, "runs.json", |out| results.write_json(out))?;
    into(folder, "figures.csv", |out| figures::write_csv(findings, out))?;
    let report = Report::of(results).with_figures(findings);
    // What a machine took is in the page alone, and there in a section of its own.
    into(folder, REPORT, |out| out.write_all(report.html(&Cost::of(results)).as_bytes()))?;
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

/// The document that `--format json` prints: what was run, and every figure it says something about.
#[derive(Serialize)]
struct Document<'r> {
    scale: &'static str,
    seed: u64,
    experiments: Vec<Experimented<'r>>,
    figures: Vec<Compared<'r>>,
}

#[derive(Serialize)]
struct Experimented<'r> {
    name: &'r str,
    keys: u64,
    settings: Vec<Measured<'r>>,
}

#[derive(Serialize)]
struct Measured<'r> {
    setting: &'r Setting,
    /// By metric.
    measured: BTreeMap<&'static str, Mean>,
}

#[derive(Serialize)]
struct Mean {
    runs: usize,
    mean: f64,
    /// Null of a single run.
    standard_error: Option<f64>,
}

#[derive(Serialize)]
struct Compared<'r> {
    id: &'r str,
    claim: &'r str,
    published: &'r str,
    expected: &'static str,
    judgement: &'static str,
    parts: Vec<ComparedPart<'r>>,
    note: &'r str,
}

#[derive(Serialize)]
struct ComparedPart<'r> {
    what: &'r str,
    published: f64,
    low: f64,
    high: f64,
    /// Null where it was not measured at this scale.
    ours: Option<f64>,
    standard_error: Option<f64>,
}

impl<'r> Document<'r> {
    fn of(results: &'r Results, findings: &[Finding<'r>]) -> Document<'r> {
        let measured = |cell: &'r results::Cell, kernel: &'static Kernel| Measured {
            setting: &cell.setting,
            measured: kernel
                .metrics
                .iter()
                .filter_map(|metric| {
                    let Summary { runs, mean, standard_error, .. } = cell.summary(metric.name)?;
                    let standard_error = (runs > 1).then_some(standard_error);
                    Some((metric.name, Mean { runs, mean, standard_error }))
                })
                .collect(),
        };
        let experiments = results.parts.iter().map(|part| Experimented {
            name: &part.experiment.name,
            keys: part.experiment.extent(results.scale).keys,
            settings: part.cells.iter().map(|cell| measured(cell, part.experiment.kernel)).collect(),
        });
        let figures = findings.iter().map(|Finding { figure, ours, judgement }| Compared {
            id: &figure.id,
            claim: &figure.claim,
            published: &figure.published,
            expected: figure.expected.name(),
            judgement: judgement.name(),
            parts: figure
                .parts
                .iter()
                .zip(ours)
                .map(|(part, ours)| ComparedPart {
                    what: &part.what,
                    published: part.published,
                    low: part.low,
                    high: part.high,
                    ours: ours.map(|ours| ours.value),
                    standard_error: ours.and_then(|ours| ours.standard_error),
                })
                .collect(),
            note: &figure.note,
        });
        Document {
            scale: results.scale.name(),
            seed: results.root_seed,
            experiments: experiments.collect(),
            figures: figures.collect(),
        }
    }
}

/// What was run, and what it took.
fn parts(results: &Results) -> Sheet {
    let mut sheet = Sheet::new([
        ("experiment", Align::Left),
        ("settings", Align::Right),
        ("runs", Align::Right),
        ("CPU seconds", Align::Right),
        ("title", Align::Left),
    ]);
    for part in &results.parts {
        let runs: usize = part.cells.iter().map(|cell| cell.runs.len()).sum();
        let number = |number: usize| Cell::new(count(number as u64), number);
        sheet.row([
            part.experiment.name.as_str().into(),
            number(part.cells.len()),
            number(runs),
            Cell::new(format!("{:.2}", part.cpu_seconds), part.cpu_seconds),
            part.experiment.title.as_str().into(),
        ]);
    }
    sheet
}

/// What was measured: a row a number of a setting, and of those that pictures show alone if `shown`.
fn numbers(results: &Results, shown: bool) -> Sheet {
    let mut sheet = Sheet::new([
        ("experiment", Align::Left),
        ("setting", Align::Left),
        ("measured", Align::Left),
        ("runs", Align::Right),
        ("mean", Align::Right),
        ("standard error", Align::Right),
    ]);
    for part in &results.parts {
        let Experiment { name, kernel, charts, .. } = &part.experiment;
        let is_drawn = |metric: &str| charts.iter().any(|chart| chart.y.iter().any(|name| name == metric));
        let metrics = kernel.metrics.iter().filter(|m| !shown || charts.is_empty() || is_drawn(m.name));
        let metrics: Vec<_> = metrics.collect();
        for cell in &part.cells {
            for metric in &metrics {
                let Some(summary) = cell.summary(metric.name) else { continue };
                let number = |value: f64| Cell::new(figure_number(value), value);
                let label = match metric.unit {
                    "" => metric.label.to_owned(),
                    unit => format!("{}, {unit}", metric.label),
                };
                sheet.row([
                    name.as_str().into(),
                    cell.setting.to_string().into(),
                    Cell::new(label, metric.name),
                    Cell::new(count(summary.runs as u64), summary.runs),
                    number(summary.mean),
                    // Of one run there is none.
                    if summary.runs > 1 { number(summary.standard_error) } else { "".into() },
                ]);
            }
        }
    }
    sheet
}

/// How the figures came out, in a sentence.
fn sentence(results: &Results, findings: &[Finding<'_>]) -> String {
    let of = |judgement| findings.iter().filter(|finding| finding.judgement == judgement).count() as u64;
    let cpu: f64 = results.parts.iter().map(|part| part.cpu_seconds).sum();
    let ran = format!("{} in {cpu:.1} s of CPU time.", counted(results.runs() as u64, "run"));
    if findings.is_empty() {
        return format!("{ran} No published figure is about what was run.");
    }
    let judged = [
        (of(Judgement::Holds), "holds", "hold"),
        (of(Judgement::Fails), "fails", "fail"),
        (of(Judgement::DoesNotHold), "does not hold, as was known", "do not hold, as was known"),
        (of(Judgement::NotMeasured), "was not measured at this scale", "were not measured at this scale"),
        (of(Judgement::NothingToMeasure), "is nothing to measure", "are nothing to measure"),
    ];
    let said: Vec<String> = judged
        .into_iter()
        .filter(|&(figures, ..)| figures > 0)
        .map(|(figures, one, more)| format!("{} {}", count(figures), if figures == 1 { one } else { more }))
        .collect();
    let said = match said.as_slice() {
        [all @ .., last] if !all.is_empty() => format!("{}, and {last}", all.join(", ")),
        other => other.concat(),
    };
    format!("{ran} Of {}, {said}.", counted(findings.len() as u64, "published figure"))
}

/// Figures beside what was measured, a row a part.
fn figures_sheet<'f>(findings: impl Iterator<Item = &'f Finding<'f>>) -> Sheet {
    let mut sheet = Sheet::new([
        ("figure", Align::Left),
        ("part", Align::Left),
        ("published", Align::Right),
        ("ours", Align::Right),
        ("standard error", Align::Right),
        ("low", Align::Right),
        ("high", Align::Right),
        ("judgement", Align::Left),
    ]);
    for Finding { figure, ours, judgement } in findings {
        for (part, ours) in figure.parts.iter().zip(ours) {
            let number = |value: Option<f64>| match value {
                Some(value) => Cell::new(figure_number(value), value),
                None => "".into(),
            };
            sheet.row([
                figure.id.as_str().into(),
                part.what.as_str().into(),
                number(Some(part.published)),
                number(ours.map(|ours| ours.value)),
                number(ours.and_then(|ours| ours.standard_error)),
                number(Some(part.low)),
                number(Some(part.high)),
                judgement.name().into(),
            ]);
        }
        if figure.parts.is_empty() {
            let published = figure.published.as_str();
            let none = || "".into();
            sheet.row([
                figure.id.as_str().into(),
                none(),
                published.into(),
                none(),
                none(),
                none(),
                none(),
                judgement.name().into(),
            ]);
        }
    }
    sheet
}

/// Four digits that count, as people read them.
fn figure_number(value: f64) -> String {
    match value.abs() {
        large if large >= 1_000.0 => format!("{value:.0}"),
        large if large >= 100.0 => format!("{value:.1}"),
        large if large >= 10.0 => format!("{value:.2}"),
        _ => format!("{value:.4}"),
    }
}

impl From<args::StudyScale> for Scale {
    fn from(scale: args::StudyScale) -> Scale {
        match scale {
            args::StudyScale::Quick => Scale::Quick,
            args::StudyScale::Published => Scale::Published,
        }
    }
}
