//! `clockwise check`: what in a fleet will hurt, with its place, the remedy and the figure behind it.

use std::io::Write;

use clockwise_config::{Diagnostic, MAX_DIAGNOSTICS, Options, Pool};
use clockwise_study::check::{self, Finding, Severity};
use clockwise_study::plan::Fleet;
use serde::Serialize;

use crate::args::{self, Format};
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::input;
use crate::output::{self, Align, Cell, Sheet, count, counted, plural};

/// The document that `--format json` prints.
#[derive(Serialize)]
struct Document {
    fleets: Vec<Checked>,
    errors: usize,
    warnings: usize,
    notes: usize,
}

#[derive(Serialize)]
struct Checked {
    fleet: String,
    /// Null where the file is right and describes no placement.
    scheme: Option<String>,
    findings: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    severity: &'static str,
    rule: &'static str,
    file: String,
    line: usize,
    message: String,
    reason: String,
    remedy: String,
    figure: Option<Figure>,
}

/// The number behind a finding.
#[derive(Serialize)]
struct Figure {
    name: &'static str,
    value: f64,
    limit: Option<f64>,
}

pub(crate) fn run(args: &args::Check, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let options = Options { merge: args.merge, ..Options::from(&args.file) };
    let mut fleets = Vec::new();
    for spec in &args.fleets {
        let pools = clockwise_config::load_all(spec, &options).map_err(Failure::Diagnosed)?;
        // Beside fleets most files have pools that take turns, and mean it.
        let others = pools.iter().any(Result::is_ok);
        fleets.extend(pools.iter().map(|pool| match pool {
            Ok(pool) => Checked::new(pool),
            Err(why) if others => Checked::beside(why),
            Err(refused) => Checked::refused(refused),
        }));
    }
    let of = |severity: Severity| {
        let rows = fleets.iter().flat_map(|fleet| &fleet.findings);
        rows.filter(|row| row.severity == severity.as_str()).count()
    };
    let document = Document {
        errors: of(Severity::Error),
        warnings: of(Severity::Warning),
        notes: of(Severity::Note),
        fleets,
    };
    console.answer(|out| match args.format {
        Format::Json => output::json(out, &document),
        Format::Table => print(out, &document),
        format => sheet(&document).write(format, out),
    })?;
    Ok(if document.errors + document.warnings > 0 { Exit::Findings } else { Exit::Fine })
}

impl Checked {
    fn new(pool: &Pool) -> Checked {
        let fleet = Fleet { scheme: pool.scheme().clone(), servers: pool.servers().clone() };
        let mut rows: Vec<Row> = check::check(&fleet).into_iter().map(|finding| row(pool, finding)).collect();
        let warnings = pool.warnings();
        rows.extend(warnings.iter().take(MAX_DIAGNOSTICS).map(|warning| said(warning, "warning")));
        if let Some(next) = warnings.get(MAX_DIAGNOSTICS) {
            let more = warnings.len() - MAX_DIAGNOSTICS;
            rows.push(Row {
                message: format!(
                    "{} more {} of the same file",
                    count(more as u64),
                    plural(more as u64, "warning")
                ),
                ..said(next, "warning")
            });
        }
        // The worst first, and as they stand in the file.
        let rank = |row: &Row| match row.severity {
            "error" => 0,
            "warning" => 1,
            _ => 2,
        };
        rows.sort_by_key(|row| (rank(row), row.line));
        Checked { fleet: input::title(pool), scheme: Some(pool.scheme().to_string()), findings: rows }
    }

    /// A pool that places nothing, in a file with others that do.
    fn beside(why: &Diagnostic) -> Checked {
        let severity = if why.severity() == clockwise_config::Severity::Warning { "warning" } else { "note" };
        let row = Row {
            rule: "places-nothing",
            reason: "other pools of the file place keys, and of this one nothing else can be said".to_owned(),
            ..said(why, severity)
        };
        Checked { fleet: why.path().to_owned(), scheme: None, findings: vec![row] }
    }

    /// A pool that its product runs with and that places nothing.
    fn refused(refused: &Diagnostic) -> Checked {
        Checked { fleet: refused.path().to_owned(), scheme: None, findings: vec![said(refused, "error")] }
    }
}

fn row(pool: &Pool, finding: Finding) -> Row {
    let figure =
        |figure: check::Figure| Figure { name: figure.name, value: figure.value, limit: figure.limit };
    Row {
        severity: finding.severity.as_str(),
        rule: finding.rule,
        file: pool.path_of(finding.subject.about()).to_owned(),
        line: pool.line_of(finding.subject.about()),
        message: finding.message,
        reason: finding.reason,
        remedy: finding.remedy,
        figure: finding.figure.map(figure),
    }
}

/// What reading the file said.
fn said(diagnostic: &Diagnostic, severity: &'static str) -> Row {
    Row {
        severity,
        rule: "file",
        file: diagnostic.path().to_owned(),
        // A file that could be read has lines.
        line: diagnostic.line().unwrap_or(1),
        message: diagnostic.message().to_owned(),
        reason: "the file says it, and its own product may read it otherwise".to_owned(),
        remedy: diagnostic.help().unwrap_or("say in the file what is meant").to_owned(),
        figure: None,
    }
}

impl Row {
    fn place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }
}

impl Figure {
    fn shown(&self) -> String {
        let number = |value: f64| match value.fract().abs() < f64::EPSILON {
            true => output::count(value as u64),
            false => output::ratio(value),
        };
        match self.limit {
            Some(limit) => {
                format!("{}: {}, and the limit is {}", self.name, number(self.value), number(limit))
            }
            None => format!("{}: {}", self.name, number(self.value)),
        }
    }
}

fn print(out: &mut dyn Write, document: &Document) -> Result<(), Failure> {
    for row in document.fleets.iter().flat_map(|fleet| &fleet.findings) {
        writeln!(out, "{}: {} [{}]: {}", row.place(), row.severity, row.rule, row.message)?;
        writeln!(out, "    why: {}", row.reason)?;
        writeln!(out, "    do:  {}", row.remedy)?;
        if let Some(figure) = &row.figure {
            writeln!(out, "    {}", figure.shown())?;
        }
        writeln!(out)?;
    }
    let Document { fleets, errors, warnings, notes } = document;
    let number = |number: &usize, thing| counted(*number as u64, thing);
    writeln!(
        out,
        "{} checked: {}, {}, {}",
        number(&fleets.len(), "fleet"),
        number(errors, "error"),
        number(warnings, "warning"),
        number(notes, "note")
    )?;
    Ok(())
}

fn sheet(document: &Document) -> Sheet {
    let mut sheet = Sheet::new([
        ("place", Align::Left),
        ("severity", Align::Left),
        ("rule", Align::Left),
        ("message", Align::Left),
        ("reason", Align::Left),
        ("remedy", Align::Left),
        ("figure", Align::Left),
        ("value", Align::Right),
        ("limit", Align::Right),
    ]);
    for row in document.fleets.iter().flat_map(|fleet| &fleet.findings) {
        let number = |value: Option<f64>| value.map_or_else(|| "".into(), |v| Cell::new(output::ratio(v), v));
        sheet.row([
            row.place().into(),
            row.severity.into(),
            row.rule.into(),
            row.message.as_str().into(),
            row.reason.as_str().into(),
            row.remedy.as_str().into(),
            row.figure.as_ref().map_or("", |figure| figure.name).into(),
            number(row.figure.as_ref().map(|figure| figure.value)),
            number(row.figure.as_ref().and_then(|figure| figure.limit)),
        ]);
    }
    sheet
}
