//! Curves and points on two axes, in one panel or several that share their scales.

use super::super::measure;
use super::super::scale::{Scale, Unit, at_settings, legible};
use super::super::svg::Px;
use super::key::{self, Sign};
use super::labels::apart;
use super::table::Table;
use super::{COLOURS, LINE, SMALL, Sheet, TEXT, error_bar, mark};

/// An axis: what it shows, how numbers are written, and whether equal steps are equal ratios.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// What it shows: `busiest ÷ mean`.
    pub label: String,
    /// How numbers are written.
    pub unit: Unit,
    /// Logarithmic, if all values are positive.
    pub log: bool,
}

/// Curves and points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plot {
    /// To the right.
    pub x: Axis,
    /// Upwards.
    pub y: Axis,
    /// One, or several small ones on the same scales.
    pub panels: Vec<Panel>,
    /// What dashed curves are; empty if there are none.
    pub theory: String,
}

/// One set of curves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panel {
    /// What sets it apart from the other panels; empty if it is alone.
    pub title: String,
    /// The curves; a series of one name has one colour in all panels.
    pub series: Vec<Series>,
    /// Values to compare with.
    pub rules: Vec<Rule>,
}

/// Measured points, and what theory says of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Stands at the end of the curve.
    pub name: String,
    /// Joined by lines unless there is a theory, which is then drawn through them. Ascending in x.
    pub points: Vec<Point>,
    /// A dashed curve, ascending in x.
    pub theory: Vec<(f64, f64)>,
}

/// A measured value.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// The setting.
    pub x: f64,
    /// The mean.
    pub y: f64,
    /// Its standard error; 0 if it has none.
    pub error: f64,
}

/// A level line with its name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rule {
    /// Where.
    pub at: f64,
    /// What it is.
    pub label: String,
}

/// What all panels share.
struct Frame<'a> {
    plot: &'a Plot,
    names: Vec<&'a str>,
    settings: Vec<f64>,
    /// Of one panel: its width, and what lies left and right of the plot in it.
    width: f64,
    left: f64,
    right: f64,
    height: f64,
    /// What labels take beside a panel that has them, and whether only the last of a row has.
    column: f64,
    last_only: bool,
}

/// The least distance of ticks on either axis.
const X_APART: f64 = 64.0;
const Y_APART: f64 = 44.0;
/// From a curve's end to its label.
const LEAD: f64 = 14.0;
const PANEL_GAP: f64 = 22.0;

/// A label at the right of a panel.
struct Label {
    class: String,
    lead: String,
    lines: Vec<String>,
    from: (f64, f64),
}

impl Plot {
    fn series(&self) -> impl Iterator<Item = &Series> {
        self.panels.iter().flat_map(|panel| &panel.series)
    }

    /// The names of all series, in the order of their first appearance.
    fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for series in self.series() {
            if !names.contains(&series.name.as_str()) {
                names.push(&series.name);
            }
        }
        names
    }

    /// All x of measured points, ascending.
    fn settings(&self) -> Vec<f64> {
        let mut settings: Vec<f64> = self.series().flat_map(|s| s.points.iter().map(|p| p.x)).collect();
        settings.sort_by(f64::total_cmp);
        settings.dedup();
        settings
    }

    fn x_values(&self) -> impl Iterator<Item = f64> {
        self.series().flat_map(|s| s.points.iter().map(|p| p.x).chain(s.theory.iter().map(|t| t.0)))
    }

    fn y_values(&self) -> impl Iterator<Item = f64> {
        let of_series = self.series().flat_map(|series| {
            let points = series.points.iter().flat_map(|p| {
                // On a logarithmic axis an error bar may reach 0, which has no place there.
                let low =
                    if self.y.log && p.y > 0.0 { (p.y - p.error).max(p.y * 0.5) } else { p.y - p.error };
                [low, p.y, p.y + p.error]
            });
            points.chain(series.theory.iter().map(|t| t.1))
        });
        of_series.chain(self.panels.iter().flat_map(|panel| panel.rules.iter().map(|rule| rule.at)))
    }

    fn has_errors(&self) -> bool {
        self.series().any(|series| series.points.iter().any(|point| point.error > 0.0))
    }

    /// Without values that are no numbers, which have no place.
    fn finite(&self) -> Plot {
        let mut plot = self.clone();
        for series in plot.panels.iter_mut().flat_map(|panel| &mut panel.series) {
            series
                .points
                .retain(|point| point.x.is_finite() && point.y.is_finite() && point.error.is_finite());
            series.theory.retain(|(x, y)| x.is_finite() && y.is_finite());
        }
        plot
    }

    pub(super) fn draw(&self, sheet: &mut Sheet) -> f64 {
        self.finite().draw_finite(sheet)
    }

    fn draw_finite(&self, sheet: &mut Sheet) -> f64 {
        let mut entries = Vec::new();
        let has_theory = self.series().any(|series| !series.theory.is_empty());
        if self.has_errors() {
            entries.push((Sign::Measured, "measured: mean ± standard error".to_owned()));
        } else if has_theory {
            entries.push((Sign::Measured, "measured".to_owned()));
        }
        if has_theory {
            entries.push((Sign::Theory, self.theory.clone()));
        }
        key::draw(sheet, &entries);
        let room = sheet.width();
        for line in measure::wrapped(&self.y.label, SMALL, room) {
            let y = sheet.top + SMALL;
            sheet.words("small axis", sheet.left, y, &line);
            sheet.top += LINE;
        }
        sheet.top += 8.0;

        let frame = Frame::new(self, sheet);
        let columns = columns(self.panels.len(), sheet.narrow);
        let mut top = sheet.top;
        for row in self.panels.chunks(columns) {
            let title = if row.iter().any(|panel| !panel.title.is_empty()) { 24.0 } else { 0.0 };
            for (column, panel) in row.iter().enumerate() {
                let left = sheet.left + column as f64 * (frame.width + PANEL_GAP);
                let labelled = !frame.last_only || column + 1 == row.len();
                frame.draw(sheet, panel, (left, top + title), labelled);
            }
            top += title + frame.height + 24.0 + PANEL_GAP * 0.5;
        }
        top -= PANEL_GAP * 0.5;
        // Under a single plot the name stands in its middle, under many it stands once.
        if !self.x.label.is_empty() {
            let middle = if columns == 1 {
                f64::midpoint(sheet.left + frame.left, sheet.left + frame.width - frame.right)
            } else {
                f64::midpoint(sheet.left, sheet.right)
            };
            for line in measure::wrapped(&self.x.label, SMALL, room * 0.9) {
                let half = measure::width(&line, SMALL) / 2.0;
                let x = middle.clamp(sheet.left + half, (sheet.right - half).max(sheet.left + half));
                sheet.words("small axis middle", x, top + SMALL + 2.0, &line);
                top += LINE;
            }
        }
        top + 4.0
    }

    pub(super) fn description(&self) -> String {
        let mut parts = Vec::new();
        for panel in &self.panels {
            for series in &panel.series {
                let (Some(first), Some(last)) = (series.points.first(), series.points.last()) else {
                    continue;
                };
                let of = [panel.title.as_str(), series.name.as_str()];
                let of: Vec<&str> = of.into_iter().filter(|text| !text.is_empty()).collect();
                let of = if of.is_empty() { self.y.label.clone() } else { of.join(", ") };
                let at =
                    |point: &Point| format!("{} at {}", self.y.unit.text(point.y), self.x.unit.text(point.x));
                if series.points.len() == 1 {
                    parts.push(format!("{of}: {}", at(first)));
                } else {
                    parts.push(format!("{of}: from {} to {}", at(first), at(last)));
                }
            }
        }
        if parts.len() > 8 {
            let more = parts.len() - 8;
            parts.truncate(8);
            parts.push(format!("and {more} more curves"));
        }
        format!("{} over {}. {}.", self.y.label, self.x.label, parts.join("; "))
    }

    pub(super) fn table(&self) -> Table {
        let names = self.names();
        let titled = self.panels.iter().any(|panel| !panel.title.is_empty());
        let mut heads = Vec::new();
        if titled {
            heads.push(String::new());
        }
        heads.push(self.x.label.clone());
        for name in &names {
            let of = |what: bool| {
                self.series().any(|s| {
                    s.name == *name && if what { !s.points.is_empty() } else { !s.theory.is_empty() }
                })
            };
            let named = if name.is_empty() { self.y.label.clone() } else { (*name).to_owned() };
            if of(true) {
                heads.push(named.clone());
            }
            if of(false) {
                heads.push(format!("{named}, theory"));
            }
        }
        let mut table = Table::new(heads);
        for panel in &self.panels {
            let mut settings: Vec<f64> = Vec::new();
            for series in &panel.series {
                settings.extend(series.points.iter().map(|p| p.x));
                if series.points.is_empty() {
                    settings.extend(series.theory.iter().map(|t| t.0));
                }
            }
            settings.sort_by(f64::total_cmp);
            settings.dedup();
            for x in settings {
                let mut row = Vec::new();
                if titled {
                    row.push(panel.title.clone());
                }
                row.push(self.x.unit.text(x));
                for name in &names {
                    let all = |series: &&Series| series.name == *name;
                    let series = panel.series.iter().find(all);
                    if self.series().any(|s| s.name == *name && !s.points.is_empty()) {
                        let point = series.and_then(|s| s.points.iter().find(|p| same(p.x, x)));
                        row.push(point.map_or_else(String::new, |p| self.y.unit.with_error(p.y, p.error)));
                    }
                    if self.series().any(|s| s.name == *name && !s.theory.is_empty()) {
                        let value = series.and_then(|s| s.theory.iter().find(|t| same(t.0, x)));
                        row.push(value.map_or_else(String::new, |t| self.y.unit.text(t.1)));
                    }
                }
                table.rows.push(row);
            }
        }
        table
    }
}

fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

fn columns(panels: usize, narrow: bool) -> usize {
    match panels {
        _ if narrow => 1,
        0 | 1 => 1,
        2 | 4 => 2,
        _ => 3,
    }
}

impl<'a> Frame<'a> {
    fn new(plot: &'a Plot, sheet: &Sheet) -> Frame<'a> {
        let columns = columns(plot.panels.len(), sheet.narrow);
        // Side by side, panels of the same curves need their names once, at the end of the row.
        let has_all = |row: &[Panel]| {
            row.last().is_some_and(|last| {
                row.iter().flat_map(Panel::labels).all(|name| last.labels().any(|other| other == name))
            })
        };
        let last_only = columns > 1 && plot.panels.chunks(columns).all(has_all);
        let widest = |texts: &mut dyn Iterator<Item = String>| {
            texts.map(|text| measure::width(&text, SMALL)).fold(0.0, f64::max)
        };
        let most = sheet.width()
            * if sheet.narrow {
                0.36
            } else if columns > 1 {
                0.16
            } else {
                0.26
            };
        let labels = plot.panels.iter().flat_map(Panel::labels);
        let lines = labels.flat_map(|label| measure::wrapped_in(label, SMALL, most, 2));
        let widest_label = widest(&mut lines.into_iter());
        let column = if widest_label > 0.0 { widest_label + LEAD } else { 0.0 };
        let shared = if last_only { column } else { 0.0 };
        let columns = columns as f64;
        let width = (sheet.width() - shared - (columns - 1.0) * PANEL_GAP) / columns;
        let height = match (columns > 1.0, sheet.narrow, plot.panels.len()) {
            (true, ..) => 190.0,
            (_, false, _) => 320.0,
            (_, true, 0 | 1) => 250.0,
            _ => 180.0,
        };
        let mut frame = Frame {
            plot,
            names: plot.names(),
            settings: plot.settings(),
            width,
            left: 0.0,
            right: 0.0,
            height,
            column,
            last_only,
        };
        let (_, ticks) = frame.y_scale(0.0);
        frame.left = widest(&mut ticks.iter().map(|tick| plot.y.unit.text(*tick))) + 8.0;
        frame.right = if last_only { 0.0 } else { column };
        let (_, ticks) = frame.x_scale(0.0);
        // Without labels there is room for half of the first and of the last tick's.
        let half = |tick: Option<&f64>| {
            tick.map_or(0.0, |tick| measure::width(&plot.x.unit.text(*tick), SMALL) / 2.0)
        };
        frame.left = frame.left.max(half(ticks.first()));
        frame.right = frame.right.max(half(ticks.last()) + 2.0);
        frame
    }

    fn x_scale(&self, left: f64) -> (Scale, Vec<f64>) {
        // Marks at the ends stay clear of the axis and of the labels.
        let ends = (left + self.left + 8.0, left + self.width - self.right - 6.0);
        let (scale, ticks) = Scale::over(self.plot.x_values(), self.plot.x.log, ends, X_APART);
        let label = |value| measure::width(&self.plot.x.unit.text(value), SMALL);
        let ticks = at_settings(&scale, &self.settings, label).unwrap_or(ticks);
        (scale, ticks)
    }

    fn y_scale(&self, top: f64) -> (Scale, Vec<f64>) {
        Scale::over(self.plot.y_values(), self.plot.y.log, (top + self.height, top), Y_APART)
    }

    fn draw(&self, sheet: &mut Sheet, panel: &Panel, (left, top): (f64, f64), labelled: bool) {
        let (start, end) = (left + self.left, left + self.width - self.right);
        let bottom = top + self.height;
        if !panel.title.is_empty() {
            let title = measure::fitted(&panel.title, TEXT * 1.13, self.width);
            sheet.words("panel", left, top - 14.0, &title);
        }
        let (y, ticks) = self.y_scale(top);
        for tick in ticks {
            let at = y.at(tick);
            sheet.path("rule", &format!("M{} {}H{}", Px(start), Px(at), Px(end)));
            sheet.words("muted small end number", start - 7.0, at + 4.3, &self.plot.y.unit.text(tick));
        }
        let (x, ticks) = self.x_scale(left);
        sheet.path("axis-line", &format!("M{} {}H{}", Px(start), Px(bottom), Px(end)));
        let mut marks = String::new();
        for tick in &ticks {
            marks.push_str(&format!("M{} {}v5", Px(x.at(*tick)), Px(bottom)));
        }
        sheet.path("axis-line", &marks);
        let label = |value| measure::width(&self.plot.x.unit.text(value), SMALL);
        for (tick, middle) in legible(&ticks, (left, left + self.width), |tick| x.at(tick), label) {
            let text = self.plot.x.unit.text(tick);
            sheet.words("muted small middle number", middle, bottom + 18.0, &text);
        }
        let mut labels = Vec::new();
        for rule in &panel.rules {
            let at = y.at(rule.at);
            sheet.path("level", &format!("M{} {}H{}", Px(start), Px(at), Px(end)));
            labels.push(self.label("muted small", "lead", &rule.label, (end, at)));
        }
        for series in &panel.series {
            let index = self.names.iter().position(|name| *name == series.name).unwrap_or(0);
            self.draw_series(sheet, series, index, (&x, &y));
            let measured = series.points.last().map(|point| (point.x, point.y));
            let ends = [measured, series.theory.last().copied()];
            let last = ends.into_iter().flatten().max_by(|a, b| a.0.total_cmp(&b.0));
            if let (Some(last), false) = (last, series.name.is_empty()) {
                let colour = index % COLOURS;
                let from = (x.at(last.0) + 5.0, y.at(last.1));
                labels.push(self.label(
                    &format!("small t{colour}"),
                    &format!("lead l{colour}"),
                    &series.name,
                    from,
                ));
            }
        }
        if labelled {
            draw_labels(sheet, &labels, end + LEAD, (top - 6.0, bottom + 6.0));
        }
    }

    fn label(&self, class: &str, lead: &str, text: &str, from: (f64, f64)) -> Label {
        let lines = measure::wrapped_in(text, SMALL, self.column - LEAD + 0.01, 2);
        Label { class: class.to_owned(), lead: lead.to_owned(), lines, from }
    }

    fn draw_series(&self, sheet: &mut Sheet, series: &Series, index: usize, (x, y): (&Scale, &Scale)) {
        let colour = index % COLOURS;
        let line = |points: &mut dyn Iterator<Item = (f64, f64)>| {
            let mut path = String::new();
            for (at, (px, py)) in points.enumerate() {
                let step = if at == 0 { 'M' } else { 'L' };
                path.push_str(&format!("{step}{} {}", Px(x.at(px)), Px(y.at(py))));
            }
            path
        };
        let curve = line(&mut series.theory.iter().copied());
        if !curve.is_empty() {
            sheet.path(&format!("curve theory l{colour}"), &curve);
        } else if series.points.len() > 1 {
            let path = line(&mut series.points.iter().map(|point| (point.x, point.y)));
            sheet.path(&format!("curve l{colour}"), &path);
        }
        let mut bars = String::new();
        for point in series.points.iter().filter(|point| point.error > 0.0) {
            let at = x.at(point.x);
            let ends = ((at, y.at(point.y - point.error)), (at, y.at(point.y + point.error)));
            bars.extend(error_bar(ends.0, ends.1));
        }
        if !bars.is_empty() {
            sheet.path(&format!("error l{colour}"), &bars);
        }
        for point in &series.points {
            let value = self.plot.y.unit.with_error(point.y, point.error);
            let at = self.plot.x.unit.text(point.x);
            let name = if series.name.is_empty() { String::new() } else { format!("{}, ", series.name) };
            let tip = format!("{name}{} {at}: {value}", self.plot.x.label);
            let (class, path) = (format!("m{colour}"), mark(index, x.at(point.x), y.at(point.y)));
            sheet.svg.tipped("path", &[("class", &class), ("d", &path)], tip.trim_start());
        }
    }
}

impl Panel {
    fn labels(&self) -> impl Iterator<Item = &str> {
        let names = self.series.iter().map(|series| series.name.as_str());
        names.chain(self.rules.iter().map(|rule| rule.label.as_str()))
    }
}

fn draw_labels(sheet: &mut Sheet, labels: &[Label], left: f64, (top, bottom): (f64, f64)) {
    const SMALL_LINE: f64 = 15.0;
    let height = |label: &Label| label.lines.len() as f64 * SMALL_LINE + 1.0;
    let wanted: Vec<(f64, f64)> = labels.iter().map(|label| (label.from.1, height(label))).collect();
    for (label, middle) in labels.iter().zip(apart(&wanted, top, bottom)) {
        let (from, at) = label.from;
        // A label beside the end of its curve needs no line to it.
        if (middle - at).abs() > 3.0 || left - from > LEAD * 2.0 {
            let path = format!("M{} {}L{} {}", Px(from + 1.0), Px(at), Px(left - 3.0), Px(middle));
            sheet.path(&label.lead, &path);
        }
        let mut y = middle - height(label) / 2.0 + 11.8;
        for line in &label.lines {
            sheet.words(&label.class, left, y, line);
            y += SMALL_LINE;
        }
    }
}
