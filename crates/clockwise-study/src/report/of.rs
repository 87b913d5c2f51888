//! From the results of a study to its report.

use super::{Cost, Part, Report, charts};
use crate::draw::{Table, Unit};
use crate::experiment::{Scale, Value};
use crate::number::{counted, grouped};
use crate::results::{self, Results};

/// Settings beyond this are in the CSV and not on the page.
const MOST_SETTINGS: usize = 400;

impl Report {
    /// The report of a study, without published figures.
    pub fn of(results: &Results) -> Report {
        let runs = grouped(results.runs() as u64);
        let parts: Vec<Part> = results.parts.iter().map(|part| Part::of(part, results.scale)).collect();
        let chosen = results.parts.iter().flat_map(|part| {
            part.experiment
                .charts
                .iter()
                .filter(|chart| chart.front)
                .filter_map(|chart| charts::chart(chart, part))
        });
        let scale = results.scale;
        Report {
            title: "Consistent hashing, measured".to_owned(),
            ran: format!(
                "Scale {scale}, seed {}: {runs} runs of {}. The same seed gives the same numbers on every machine.",
                results.root_seed,
                counted(results.parts.len() as u64, "experiment"),
            ),
            front: chosen.collect(),
            parts,
            unmeasured: Vec::new(),
        }
    }
}

impl Part {
    fn of(part: &results::Part, scale: Scale) -> Part {
        let experiment = &part.experiment;
        // What is on the first screen is not shown twice.
        let charts = experiment.charts.iter().filter(|chart| !chart.front);
        Part {
            name: experiment.name.clone(),
            title: experiment.title.clone(),
            question: experiment.question.clone(),
            method: experiment.method.clone(),
            ran: ran(part, scale),
            charts: charts.filter_map(|chart| charts::chart(chart, part)).collect(),
            table: table(part),
            figures: Vec::new(),
        }
    }
}

impl Cost {
    /// What each experiment took.
    pub fn of(results: &Results) -> Vec<Cost> {
        let cost = |part: &results::Part| Cost {
            part: part.experiment.name.clone(),
            runs: part.cells.iter().map(|cell| cell.runs.len() as u64).sum(),
            cpu_seconds: part.cpu_seconds,
        };
        results.parts.iter().map(cost).collect()
    }
}

/// What was run: every knob with its values, keys and seeds.
fn ran(part: &results::Part, scale: Scale) -> String {
    let experiment = &part.experiment;
    let extent = experiment.extent(scale);
    let mut sentences = Vec::new();
    for knob in experiment.kernel.knobs {
        let mut values: Vec<&Value> = Vec::new();
        for cell in &part.cells {
            match cell.setting.get(knob.name) {
                Some(value) if !values.contains(&value) => values.push(value),
                _ => {}
            }
        }
        let texts: Vec<String> = values.iter().map(|value| knob.text(value)).collect();
        // Values that have commas of their own are told apart by more than one.
        let between =
            if texts.iter().any(|text| text.contains(',') && text.contains(' ')) { "; " } else { ", " };
        // Of many, the two ends say enough; the table has the rest.
        let texts = match &texts[..] {
            [first, second, .., last] if texts.len() > 12 => {
                format!("{first}{between}{second} … {last} ({} in all)", texts.len())
            }
            all => all.join(between),
        };
        sentences.push(format!("{}: {texts}.", capitalised(knob.label)));
    }
    let settings = part.cells.len();
    let runs = settings * extent.seeds as usize;
    let keys = if extent.keys > 1 { format!(", {} keys each", grouped(extent.keys)) } else { String::new() };
    let (s, seeds) = (if settings == 1 { "" } else { "s" }, grouped(u64::from(extent.seeds)));
    let seed = if extent.seeds == 1 { "seed" } else { "seeds" };
    sentences.push(format!(
        "{} setting{s}, {seeds} {seed}: {} run{}{keys}.",
        grouped(settings as u64),
        grouped(runs as u64),
        if runs == 1 { "" } else { "s" },
    ));
    sentences.join(" ")
}

fn capitalised(label: &str) -> String {
    let mut rest = label.chars();
    let first: String = rest.next().into_iter().flat_map(char::to_uppercase).collect();
    // A letter of the formula stays as it is.
    let is_word = label.starts_with(|c: char| c.is_ascii_lowercase()) && label.chars().nth(1) != Some(',');
    if is_word { first + rest.as_str() } else { label.to_owned() }
}

/// Every setting with the mean and the standard error of every metric that was measured.
fn table(part: &results::Part) -> Table {
    let kernel = part.experiment.kernel;
    if part.cells.len() > MOST_SETTINGS {
        return Table::default();
    }
    let measured: Vec<_> = kernel
        .metrics
        .iter()
        .filter(|metric| part.cells.iter().any(|cell| cell.summary(metric.name).is_some()))
        .collect();
    let knobs = kernel.knobs.iter().map(|knob| knob.label.to_owned());
    let metrics = measured.iter().map(|metric| match metric.unit {
        "" => metric.label.to_owned(),
        unit if metric.label.contains(unit) => metric.label.to_owned(),
        unit => format!("{}, {unit}", metric.label),
    });
    let mut heads: Vec<String> = knobs.chain(metrics).collect();
    let alone = kernel.knobs.is_empty();
    if alone {
        heads.insert(0, String::new());
    }
    let rows = part.cells.iter().map(|cell| {
        let values = kernel.knobs.iter().filter_map(|knob| Some(knob.text(cell.setting.get(knob.name)?)));
        let numbers = measured.iter().map(|metric| {
            let summary = cell.summary(metric.name);
            summary.map_or_else(String::new, |summary| {
                Unit::default().with_error(summary.mean, summary.standard_error)
            })
        });
        let name = alone.then(|| "all".to_owned());
        name.into_iter().chain(values).chain(numbers).collect()
    });
    Table { heads, rows: rows.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Body;
    use crate::experiment::Experiment;
    use crate::runner::{self, Options};

    const EXPERIMENT: &str = r#"
        name = "mine"
        title = "Mine"
        question = "Is it even?"
        measure = "ring"
        [[grid]]
        servers = [5, 10]
        points = [4, 16, 64]
        [[grid]]
        servers = 20
        points = 4
        [quick]
        keys = 2_000
        seeds = 3
        only = { servers = [5, 10] }
        [published]
        seeds = 1
        [[chart]]
        title = "On the first screen"
        front = true
        x = "points"
        y = "busiest_arcs"
        series = "servers"
        log_x = true
        theory = ["expected-busiest", "busiest-by-rule"]
        [[chart]]
        title = "Small ones"
        x = "points"
        y = ["busiest_arcs", "busiest_keys"]
        panels = "servers"
        theory = "one"
        [[chart]]
        title = "Rows"
        kind = "bars"
        x = "points"
        y = "join"
        series = "servers"
        [[chart]]
        title = "Shaded"
        kind = "table"
        x = "points"
        y = "join"
        series = "servers"
        limit = 1.5
        [[chart]]
        title = "Several numbers"
        kind = "table"
        x = "points"
        y = ["busiest_arcs", "busiest_keys"]
        only = { servers = 10 }
        [[chart]]
        title = "Nothing of this is run"
        x = "points"
        y = "join"
        only = { servers = 20, points = 4 }
    "#;

    fn results() -> Results {
        let experiment = Experiment::parse("mine.toml", EXPERIMENT.as_bytes()).unwrap();
        let options = Options { scale: Scale::Quick, root_seed: 1, threads: 2 };
        runner::run(&[experiment], &options, None, &mut |_| ()).unwrap()
    }

    #[test]
    fn what_the_file_asks_for_is_drawn_of_what_the_runs_gave() {
        let results = results();
        let report = Report::of(&results);
        let [part] = &report.parts[..] else { panic!("{report:?}") };
        assert_eq!(
            part.ran,
            "Servers: 5, 10. Points a server: 4, 16, 64. 6 settings, 3 seeds: 18 runs, 2,000 keys each."
        );
        let mean = |servers: &str, points: &str, metric: &str| {
            results.summary("mine", &[("servers", servers), ("points", points)], metric).unwrap()
        };

        let Body::Plot(plot) = &report.front[0].body else { panic!("{report:?}") };
        let series = &plot.panels[0].series;
        let names: Vec<&str> = series.iter().map(|series| series.name.as_str()).collect();
        let rule = "1 + √(2 ln n ÷ v)";
        assert_eq!(
            names,
            ["5 servers", "10 servers", &format!("{rule}, 5 servers"), &format!("{rule}, 10 servers")]
        );
        let summary = mean("10", "16", "busiest_arcs");
        let point = series[1].points[1];
        assert_eq!((point.x, point.y, point.error), (16.0, summary.mean, summary.standard_error));
        let exact = crate::theory::expected_busiest(10, 16).unwrap();
        assert!(series[1].theory.contains(&(16.0, exact)), "the curve goes through the settings");
        assert!(series[1].theory.len() > 20 && series[1].theory.is_sorted_by(|a, b| a.0 < b.0));

        let titles: Vec<&str> = part.charts.iter().map(|chart| chart.title.as_str()).collect();
        assert_eq!(
            titles,
            ["Small ones", "Rows", "Shaded", "Several numbers"],
            "without the first screen's, and what was not run"
        );
        let Body::Plot(plot) = &part.charts[0].body else { panic!("{part:?}") };
        assert_eq!(
            plot.panels.iter().map(|panel| panel.title.as_str()).collect::<Vec<_>>(),
            ["5 servers", "10 servers"]
        );
        assert_eq!(plot.panels[0].series[1].name, "keys");
        assert_eq!(plot.y.label, "busiest ÷ mean");
        assert_eq!(plot.panels[1].rules.len(), 1);
        let Body::Dots(dots) = &part.charts[1].body else { panic!("{part:?}") };
        assert_eq!(dots.rows[2].marks[1].map(|mark| mark.value), Some(mean("10", "64", "join").mean));
        let Body::Heat(heat) = &part.charts[2].body else { panic!("{part:?}") };
        assert_eq!(heat.rows[0].cells[0], Some(mean("5", "4", "join").mean));
        assert_eq!(heat.limit, Some(1.5));
        let Body::Numbers(table) = &part.charts[3].body else { panic!("{part:?}") };
        assert_eq!(table.heads, ["points a server", "arcs", "keys"]);
        assert_eq!(table.rows.len(), 3);

        assert_eq!(part.table.rows.len(), 6);
        assert_eq!(part.table.rows[4][..2], ["10", "16"]);
        assert!(part.table.rows.iter().all(|row| row.len() == part.table.heads.len()));
        assert_eq!(Cost::of(&results)[0].runs, 18);
    }

    #[test]
    fn the_same_results_are_the_same_bytes_however_many_threads() {
        let again = Options { scale: Scale::Quick, root_seed: 1, threads: 1 };
        let experiment = Experiment::parse("mine.toml", EXPERIMENT.as_bytes()).unwrap();
        let other = runner::run(&[experiment], &again, None, &mut |_| ()).unwrap();
        assert_eq!(Report::of(&results()).html(&[]), Report::of(&other).html(&[]));
    }

    #[test]
    fn a_picture_that_mixes_settings_is_refused() {
        let mixed = EXPERIMENT.replace("panels = \"servers\"", "");
        let error = Experiment::parse("mine.toml", mixed.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("the picture mixes values of `servers`"), "{error}");
        assert!(error.contains("mine.toml"), "{error}");
    }
}
