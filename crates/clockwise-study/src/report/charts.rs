//! From results to pictures: what an experiment's file asks for, drawn of what its runs gave.

use crate::draw::{
    self, Axis, Body, Dots, Heat, HeatRow, Mark, Panel, Plot, Point, Row, Rule, Series, Table, Unit,
};
use crate::experiment::{Chart, ChartKind, Setting, Theory, Value};
use crate::kernel::{Kernel, Knob, Metric};
use crate::results::{Cell, Part, Summary};

use super::points;

/// The picture of a chart; none if nothing that it shows was run.
pub(super) fn chart(chart: &Chart, part: &Part) -> Option<draw::Chart> {
    let shown = Shown::new(chart, part);
    if shown.cells.is_empty() {
        return None;
    }
    let numeric = shown.cells.iter().all(|cell| shown.x(cell).is_some());
    let body = match chart.kind {
        ChartKind::Lines if numeric => Body::Plot(shown.plot()),
        ChartKind::Lines | ChartKind::Bars => Body::Dots(shown.rows()),
        ChartKind::Table if shown.is_shaded() => Body::Heat(shown.heat()),
        ChartKind::Table => Body::Numbers(shown.numbers()),
        ChartKind::Points => Body::Strips(points::strips(&shown.cells)?),
    };
    Some(draw::Chart { title: chart.title.clone(), subtitle: chart.note.clone(), body })
}

/// A chart and the settings that it shows.
struct Shown<'a> {
    chart: &'a Chart,
    kernel: &'static Kernel,
    cells: Vec<&'a Cell>,
    /// The metrics, in the order of the file, with what sets their labels apart.
    metrics: Vec<(&'static Metric, String)>,
    /// What the labels of the metrics have in common.
    common: String,
}

/// One curve: a metric, and a value of the knob that tells curves apart.
struct Curve<'a> {
    name: String,
    metric: &'static Metric,
    series: Option<&'a Value>,
}

/// More columns than this have no room on a phone.
const MOST_SHADED: usize = 7;

/// More samples than this do not make a curve smoother.
const SAMPLES: u32 = 40;

impl<'a> Shown<'a> {
    fn new(chart: &'a Chart, part: &'a Part) -> Shown<'a> {
        let kernel = part.experiment.kernel;
        let known: Vec<&Metric> = chart.y.iter().filter_map(|name| kernel.metric(name)).collect();
        let measured = |cell: &&Cell| {
            chart.kind == ChartKind::Points || known.iter().any(|metric| cell.summary(metric.name).is_some())
        };
        let cells = part.cells.iter().filter(|cell| cell.setting.is_among(&chart.only)).filter(measured);
        let labels: Vec<&str> = known.iter().map(|metric| metric.label).collect();
        let (common, names) = apart(&labels);
        Shown {
            chart,
            kernel,
            cells: cells.collect(),
            metrics: known.into_iter().zip(names).collect(),
            common,
        }
    }

    fn x(&self, cell: &Cell) -> Option<f64> {
        cell.setting.get(&self.chart.x).and_then(Value::as_f64)
    }

    fn label(&self, knob: &str) -> &'static str {
        self.kernel.knob(knob).map_or("", |knob| knob.label)
    }

    /// A value with the name of its knob.
    fn named(&self, knob: &str, value: &Value) -> String {
        let knob = self.kernel.knob(knob);
        knob.map_or_else(|| value.to_string(), |knob| named(knob, value))
    }

    /// The values along the axis or down the rows: numbers by size, words in the order of the grid.
    fn places(&self) -> Vec<&'a Value> {
        let mut places: Vec<&Value> = self.values(Some(&self.chart.x)).into_iter().flatten().collect();
        places.sort_by(|a, b| match (a.as_f64(), b.as_f64()) {
            (Some(a), Some(b)) => a.total_cmp(&b),
            _ => std::cmp::Ordering::Equal,
        });
        places
    }

    /// The values of a knob, in the order of the grid; one that stands for all if there is no knob.
    fn values(&self, knob: Option<&String>) -> Vec<Option<&'a Value>> {
        let Some(knob) = knob else { return vec![None] };
        let mut values: Vec<Option<&Value>> = Vec::new();
        for cell in &self.cells {
            let value = cell.setting.get(knob);
            if !values.contains(&value) {
                values.push(value);
            }
        }
        values
    }

    fn curves(&self) -> Vec<Curve<'a>> {
        let values = self.values(self.chart.series.as_ref());
        let mut curves = Vec::new();
        for (metric, name) in &self.metrics {
            for value in &values {
                let of = self.chart.series.as_ref().zip(*value);
                let of = of.map(|(knob, value)| self.named(knob, value));
                let name = match (self.metrics.len(), of) {
                    (1, None) => String::new(),
                    (1, Some(of)) => of,
                    (_, None) => name.clone(),
                    (_, Some(of)) => format!("{name}, {of}"),
                };
                curves.push(Curve { name, metric, series: *value });
            }
        }
        curves
    }

    /// What the values of all metrics are, if they are of one kind.
    fn axis(&self, log: bool) -> Axis {
        let unit = self.unit();
        let label = match &self.metrics[..] {
            [(metric, _)] => metric.label.to_owned(),
            _ => self.common.clone(),
        };
        let counted = self.metrics.first().map_or("", |(metric, _)| metric.unit);
        let label = match (label.is_empty(), unit.suffix.is_empty() && !counted.is_empty()) {
            (true, true) => counted.to_owned(),
            (false, true) if !label.contains(counted) => format!("{label}, {counted}"),
            _ => label,
        };
        Axis { label, unit, log }
    }

    fn unit(&self) -> Unit {
        let percent = self.metrics.iter().all(|(metric, _)| metric.unit == "%");
        Unit { factor: 1.0, suffix: if percent { "%" } else { "" }.to_owned() }
    }

    /// The cells of a curve in a panel.
    fn of<'s>(
        &'s self,
        panel: Option<&'s Value>,
        series: Option<&'s Value>,
    ) -> impl Iterator<Item = &'a Cell> + 's {
        let is = |cell: &Cell, knob: &Option<String>, value: Option<&Value>| match (knob, value) {
            (Some(knob), Some(value)) => cell.setting.get(knob) == Some(value),
            _ => true,
        };
        let both =
            move |cell: &&&Cell| is(cell, &self.chart.panels, panel) && is(cell, &self.chart.series, series);
        self.cells.iter().filter(both).copied()
    }

    fn plot(&self) -> Plot {
        let panels = self.values(self.chart.panels.as_ref());
        // A level that is the same everywhere is a rule; what varies is a curve.
        let (level, curved): (Vec<Theory>, Vec<Theory>) =
            self.chart.theory.iter().partition(|theory| **theory == Theory::One);
        let panels = panels.into_iter().map(|panel| {
            let mut series: Vec<Series> = Vec::new();
            for curve in self.curves() {
                let mut points: Vec<Point> = self
                    .of(panel, curve.series)
                    .filter_map(|cell| {
                        let Summary { mean, standard_error, .. } = cell.summary(curve.metric.name)?;
                        Some(Point { x: self.x(cell)?, y: mean, error: standard_error })
                    })
                    .collect();
                points.sort_by(|a, b| a.x.total_cmp(&b.x));
                let theory = match curved.first() {
                    Some(theory) => self.curve(*theory, panel, curve.series),
                    None => Vec::new(),
                };
                if !points.is_empty() {
                    series.push(Series { name: curve.name, points, theory });
                }
            }
            for theory in curved.iter().skip(1) {
                for value in self.values(self.chart.series.as_ref()) {
                    let of = self.chart.series.as_ref().zip(value);
                    let of =
                        of.map_or_else(String::new, |(knob, value)| format!(", {}", self.named(knob, value)));
                    let curve = self.curve(*theory, panel, value);
                    if !curve.is_empty() {
                        let name = format!("{}{of}", theory.formula());
                        series.push(Series { name, points: Vec::new(), theory: curve });
                    }
                }
            }
            let title = self.chart.panels.as_ref().zip(panel);
            let title = title.map_or_else(String::new, |(knob, value)| self.named(knob, value));
            let rules = level.iter().map(|theory| Rule { at: 1.0, label: theory.formula().to_owned() });
            Panel { title, series, rules: rules.collect() }
        });
        let panels: Vec<Panel> = panels.collect();
        let theory =
            curved.first().map_or_else(String::new, |theory| format!("theory: {}", theory.formula()));
        let x = Axis {
            label: self.label(&self.chart.x).to_owned(),
            unit: Unit::default(),
            log: self.chart.log_x,
        };
        Plot { x, y: self.axis(self.chart.log_y), panels, theory }
    }

    /// A curve of theory through the settings of a series, and between them.
    fn curve(&self, theory: Theory, panel: Option<&Value>, series: Option<&Value>) -> Vec<(f64, f64)> {
        let settings: Vec<&Setting> = self.of(panel, series).map(|cell| &cell.setting).collect();
        let at = |setting: &Setting| setting.get(&self.chart.x).and_then(Value::as_f64);
        let mut places: Vec<f64> = settings.iter().filter_map(|setting| at(setting)).collect();
        places.sort_by(f64::total_cmp);
        places.dedup();
        let (Some(setting), Some(&low), Some(&high)) = (settings.first(), places.first(), places.last())
        else {
            return Vec::new();
        };
        let whole = matches!(setting.get(&self.chart.x), Some(Value::Whole(_)));
        for sample in 1..SAMPLES {
            let part = f64::from(sample) / f64::from(SAMPLES);
            let place = if self.chart.log_x && low > 0.0 {
                low * (high / low).powf(part)
            } else {
                low + (high - low) * part
            };
            places.push(if whole { place.round() } else { place });
        }
        places.sort_by(f64::total_cmp);
        places.dedup();
        let value = |place: f64| if whole { Value::Whole(place as u64) } else { Value::Number(place) };
        let curve = places.into_iter().filter_map(|place| {
            let setting = setting.with(&self.chart.x, value(place));
            Some((place, theory.at(&setting)?))
        });
        curve.collect()
    }

    fn rows(&self) -> Dots {
        let curves = self.curves();
        let grouped = self.values(self.chart.panels.as_ref());
        let mut rows = Vec::new();
        for group in grouped {
            let mut heading =
                self.chart.panels.as_ref().zip(group).map(|(knob, value)| self.named(knob, value));
            for x in self.places() {
                let at = |curve: &Curve| {
                    let mut cells = self.of(group, curve.series);
                    let cell = cells.find(|cell| cell.setting.get(&self.chart.x) == Some(x))?;
                    let Summary { mean, standard_error, .. } = cell.summary(curve.metric.name)?;
                    Some(Mark { value: mean, error: standard_error })
                };
                let marks: Vec<Option<Mark>> = curves.iter().map(at).collect();
                if marks.iter().all(Option::is_none) {
                    continue;
                }
                let name = self.named(&self.chart.x, x);
                rows.push(Row { name, group: heading.take().unwrap_or_default(), marks, ..Row::default() });
            }
        }
        let level = self.chart.theory.contains(&Theory::One);
        Dots {
            x: self.axis(self.chart.log_y),
            series: curves.into_iter().map(|curve| curve.name).collect(),
            rows,
            joined: self.metrics.len() * self.values(self.chart.series.as_ref()).len() == 2,
            rules: level.then(|| Rule { at: 1.0, label: String::new() }).into_iter().collect(),
            bare: false,
        }
    }

    /// Shades compare numbers of one metric, in columns that have room on a phone.
    fn is_shaded(&self) -> bool {
        self.metrics.len() == 1 && (2..=MOST_SHADED).contains(&self.curves().len())
    }

    /// One metric in rows and columns.
    fn heat(&self) -> Heat {
        let curves = self.curves();
        let rows = self.of_each_x(&curves, |cell, metric| Some(cell.summary(metric)?.mean));
        Heat {
            columns: curves.iter().map(|curve| curve.name.clone()).collect(),
            rows: rows.map(|(name, cells)| HeatRow { name, cells, note: String::new() }).collect(),
            label: self.axis(false).label,
            unit: self.unit(),
            log: self.chart.log_y,
            limit: self.chart.limit,
        }
    }

    /// Several metrics in rows and columns, each with its error.
    fn numbers(&self) -> Table {
        let curves = self.curves();
        let heads = curves.iter().map(|curve| match (curve.name.is_empty(), curve.metric.unit) {
            (true, _) => curve.metric.label.to_owned(),
            (false, "%") => format!("{}, %", curve.name),
            (false, _) => curve.name.clone(),
        });
        let rows = self.of_each_x(&curves, |cell, metric| {
            let summary = cell.summary(metric)?;
            Some(Unit::default().with_error(summary.mean, summary.standard_error))
        });
        Table {
            heads: std::iter::once(self.label(&self.chart.x).to_owned()).chain(heads).collect(),
            rows: rows
                .map(|(name, cells)| {
                    std::iter::once(name).chain(cells.into_iter().map(Option::unwrap_or_default)).collect()
                })
                .collect(),
        }
    }

    /// For each value of `x` something of each curve.
    fn of_each_x<T>(
        &self,
        curves: &[Curve<'_>],
        take: impl Fn(&Cell, &str) -> Option<T>,
    ) -> impl Iterator<Item = (String, Vec<Option<T>>)> {
        self.places().into_iter().map(move |x| {
            let cells = curves.iter().map(|curve| {
                let mut cells = self.of(None, curve.series);
                take(cells.find(|cell| cell.setting.get(&self.chart.x) == Some(x))?, curve.metric.name)
            });
            let name = self.kernel.knob(&self.chart.x).map_or_else(String::new, |knob| knob.text(x));
            (name, cells.collect())
        })
    }
}

/// A value with the name of its knob: `10 servers`, `ε = 0.1`, `murmur3`.
fn named(knob: &Knob, value: &Value) -> String {
    let (label, number) = (knob.label, knob.text(value));
    if value.as_f64().is_none() {
        return number;
    }
    // Of `ε, cap over the mean` the sign is the name.
    let short = label.split([',', ':']).next().unwrap_or(label).trim();
    match (short.chars().count(), number.as_str()) {
        (0, _) => number,
        (1 | 2, _) => format!("{short} = {number}"),
        (_, "1") => {
            // `1 points a server` is none.
            let (first, rest) = short.split_once(' ').unwrap_or((short, ""));
            let first = first.strip_suffix('s').unwrap_or(first);
            format!("{number} {first} {rest}").trim_end().to_owned()
        }
        _ => format!("{number} {short}"),
    }
}

/// What labels have in common at their beginnings and ends, and what sets each apart: of `join, kept: moved`
/// and `join, placed again: moved`, `join: moved`, `kept` and `placed again`.
fn apart(labels: &[&str]) -> (String, Vec<String>) {
    let words: Vec<Vec<&str>> = labels.iter().map(|label| label.split(' ').collect()).collect();
    let (Some(first), true) = (words.first(), labels.len() > 1) else {
        return (String::new(), labels.iter().map(|label| (*label).to_owned()).collect());
    };
    let shortest = words.iter().map(Vec::len).min().unwrap_or(0);
    let same = |at: &dyn Fn(&Vec<&str>) -> String| {
        let of_first = at(first);
        words.iter().all(|label| at(label) == of_first)
    };
    let head = (0..shortest).take_while(|at| same(&|label| label[*at].to_owned())).count();
    // Of the last word that differs, only the sign behind it may be common.
    let tail =
        (0..shortest - head).take_while(|at| same(&|label| label[label.len() - 1 - at].to_owned())).count();
    if head + tail == 0 || head + tail >= shortest {
        return (String::new(), labels.iter().map(|label| (*label).to_owned()).collect());
    }
    let sign = |text: &str| text.trim_end_matches([',', ':']).to_owned();
    let names = words.iter().map(|label| sign(&label[head..label.len() - tail].join(" ")));
    let front = sign(&first[..head].join(" "));
    let back = first[first.len() - tail..].join(" ");
    let common = match (front.is_empty(), back.is_empty()) {
        (false, false) => format!("{front}: {back}"),
        _ => format!("{front}{back}"),
    };
    (common, names.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Values;

    #[test]
    fn curves_are_named_by_what_sets_them_apart() {
        let labels = ["join, placed again: moved ÷ minimum", "join, kept: moved ÷ minimum"];
        let (common, names) = apart(&labels);
        assert_eq!(
            (common.as_str(), names),
            ("join: moved ÷ minimum", vec!["placed again".to_owned(), "kept".to_owned()])
        );
        let (common, names) = apart(&["busiest ÷ mean, keys", "busiest ÷ mean, requests"]);
        assert_eq!(
            (common.as_str(), names),
            ("busiest ÷ mean", vec!["keys".to_owned(), "requests".to_owned()])
        );
        let unlike = ["one thing", "and another"];
        assert_eq!(apart(&unlike), (String::new(), unlike.map(str::to_owned).into()));
        // Nothing would be left of the shorter one.
        let inside = ["keys moved", "keys moved again"];
        assert_eq!(apart(&inside), (String::new(), inside.map(str::to_owned).into()));
        assert_eq!(apart(&["alone"]), (String::new(), vec!["alone".to_owned()]));
    }

    #[test]
    fn values_are_named_with_their_knob() {
        let of = |label, value: Value| {
            let values = Values::Whole(1, 1_000);
            named(&Knob { name: "", label, values, draws: true }, &value)
        };
        assert_eq!(of("servers", Value::Whole(1000)), "1,000 servers");
        assert_eq!(of("points a server", Value::Whole(1)), "1 point a server");
        assert_eq!(of("ε, cap over the mean", Value::Number(0.1)), "ε = 0.1");
        assert_eq!(of("hash", Value::Text("murmur3".to_owned())), "murmur3");
        assert_eq!(of("", Value::Whole(7)), "7");
    }

    #[test]
    fn schemes_are_named_by_what_sets_them_apart() {
        let knob = Knob { name: "scheme", label: "scheme", values: Values::Schemes, draws: false };
        for (settings, text) in [
            ("jump,hash=xxh3-64", "jump"),
            ("ring,hash=xxh3-64,points_per_weight=1", "ring, 1 point"),
            ("ring,hash=md5,points_per_weight=160", "ring, hash md5, 160 points"),
            ("maglev,hash=xxh3-64,table_size=65537", "maglev, 65,537 slots"),
            ("bounded,hash=xxh3-64,points_per_weight=160,epsilon=0.25", "bounded, 160 points, ε = 0.25"),
            ("ketama", "ketama"),
        ] {
            assert_eq!(named(&knob, &Value::Text(settings.to_owned())), text);
        }
    }
}
