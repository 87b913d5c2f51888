//! Values in rows on one axis: several marks a row, each with its error, beside what was published and
//! the band of accepted values.

use super::super::measure;
use super::super::scale::{Scale, Unit, legible};
use super::super::svg::Px;
use super::key::{self, Sign};
use super::plot::{Axis, Rule};
use super::table::Table;
use super::{COLOURS, SMALL, Sheet, TEXT, error_bar, mark};

/// Rows of values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dots {
    /// What is shown.
    pub x: Axis,
    /// What the marks of a row are, in their order.
    pub series: Vec<String>,
    /// From the top down.
    pub rows: Vec<Row>,
    /// A line through the marks of a row: their distance is the finding.
    pub joined: bool,
    /// Values to compare with.
    pub rules: Vec<Rule>,
    /// The axis has no numbers: only places are compared.
    pub bare: bool,
}

/// One row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Stands at the left; on phones, above.
    pub name: String,
    /// A heading above this row and those after it; empty for none.
    pub group: String,
    /// One a series.
    pub marks: Vec<Option<Mark>>,
    /// The values that are accepted.
    pub band: Option<(f64, f64)>,
    /// The value that was published.
    pub published: Option<f64>,
    /// Stands at the right; if empty, the value of a single series does.
    pub note: String,
}

/// A measured value.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mark {
    /// The mean.
    pub value: f64,
    /// Its standard error; 0 if it has none.
    pub error: f64,
}

const GROUP: f64 = 30.0;
const GAP: f64 = 14.0;
const NAME_LINE: f64 = 16.0;

impl Dots {
    fn values(&self) -> impl Iterator<Item = f64> {
        let rows = self.rows.iter().flat_map(|row| {
            let marks = row.marks.iter().flatten().flat_map(|mark| {
                let low = mark.value - mark.error;
                let low = if self.x.log && mark.value > 0.0 { low.max(mark.value * 0.5) } else { low };
                [low, mark.value + mark.error]
            });
            let band = row.band.into_iter().flat_map(|(low, high)| [low, high]);
            marks.chain(band).chain(row.published)
        });
        rows.chain(self.rules.iter().map(|rule| rule.at))
    }

    fn note(&self, row: &Row) -> String {
        match &row.marks[..] {
            _ if !row.note.is_empty() => row.note.clone(),
            [Some(mark)] => self.x.unit.with_error(mark.value, mark.error),
            _ => String::new(),
        }
    }

    fn key(&self) -> Vec<(Sign, String)> {
        let mut entries: Vec<(Sign, String)> = Vec::new();
        let errors = self.rows.iter().any(|row| row.marks.iter().flatten().any(|mark| mark.error > 0.0));
        for (at, name) in self.series.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
            let text = if errors && at == 0 { format!("{name} ± standard error") } else { name.clone() };
            entries.push((Sign::Series(at), text));
        }
        if self.rows.iter().any(|row| row.published.is_some()) {
            entries.push((Sign::Published, "published".to_owned()));
        }
        if self.rows.iter().any(|row| row.band.is_some()) {
            entries.push((Sign::Band, "accepted band".to_owned()));
        }
        entries
    }

    pub(super) fn draw(&self, sheet: &mut Sheet) -> f64 {
        key::draw(sheet, &self.key());
        let widest = |texts: &mut dyn Iterator<Item = String>| {
            texts.map(|text| measure::width(&text, SMALL)).fold(0.0, f64::max)
        };
        let notes = widest(&mut self.rows.iter().map(|row| self.note(row)));
        let narrow = sheet.narrow;
        let most_name = sheet.width() * 0.36;
        let names = self.rows.iter().map(|row| measure::width(&row.name, TEXT)).fold(0.0, f64::max);
        // On a phone names and notes stand above the line of their row.
        let (left, right) = if narrow {
            (sheet.left + 6.0, sheet.right - 6.0)
        } else {
            (
                sheet.left + names.min(most_name) + GAP,
                sheet.right - if notes > 0.0 { notes + GAP } else { 8.0 },
            )
        };
        let room = |row: &Row| {
            let note = measure::width(&self.note(row), SMALL) + GAP;
            if narrow { sheet.width() - note.min(sheet.width() * 0.5) } else { most_name }
        };
        let named: Vec<Vec<String>> =
            self.rows.iter().map(|row| measure::wrapped_in(&row.name, TEXT, room(row), 2)).collect();
        let row_height = |lines: usize| {
            let more = lines.saturating_sub(1) as f64 * NAME_LINE;
            more + if narrow { 42.0 } else { 27.0 }
        };
        let groups = self.rows.iter().filter(|row| !row.group.is_empty()).count() as f64;
        let height = named.iter().map(|lines| row_height(lines.len())).sum::<f64>() + groups * GROUP;

        let (x, ticks) = Scale::over(self.values(), self.x.log, (left + 6.0, right - 6.0), 64.0);
        let width = |value| measure::width(&self.x.unit.text(value), SMALL);
        let labels = legible(&ticks, (sheet.left, sheet.right), |tick| x.at(tick), width);
        let top = sheet.top + if self.bare { 4.0 } else { 18.0 };
        let bottom = top + height + 4.0;
        if !self.bare {
            for tick in ticks {
                sheet.path("rule", &format!("M{} {}V{}", Px(x.at(tick)), Px(top), Px(bottom)));
            }
            for (tick, middle) in labels {
                sheet.words("muted small middle number", middle, top - 7.0, &self.x.unit.text(tick));
            }
        }
        for rule in &self.rules {
            let px = x.at(rule.at);
            sheet.path("level", &format!("M{} {}V{}", Px(px), Px(top), Px(bottom)));
        }
        let mut y = top;
        for (row, lines) in self.rows.iter().zip(&named) {
            if !row.group.is_empty() {
                let group = measure::fitted(&row.group, TEXT * 1.13, sheet.width());
                sheet.words("panel", sheet.left, y + GROUP - 10.0, &group);
                y += GROUP;
            }
            let height = row_height(lines.len());
            // On a phone the marks lie below the name, elsewhere beside its middle.
            let line = if narrow { y + height - 13.0 } else { y + height / 2.0 };
            let first =
                if narrow { y + 15.0 } else { line + 4.5 - (lines.len() as f64 - 1.0) * NAME_LINE / 2.0 };
            let (class, at) = if narrow { ("haloed", sheet.left) } else { ("end haloed", left - GAP) };
            for (number, text) in lines.iter().enumerate() {
                sheet.words(class, at, first + number as f64 * NAME_LINE, text);
            }
            let note = self.note(row);
            if narrow {
                let note = measure::fitted(&note, SMALL, sheet.width() * 0.5);
                sheet.words("muted small end number haloed", sheet.right, y + 15.0, &note);
            } else {
                sheet.words("muted small number", right + GAP, line + 4.5, &note);
            }
            self.draw_row(sheet, row, &x, line, (left, right));
            y += height;
        }
        sheet.path("axis-line", &format!("M{} {}H{}", Px(left), Px(bottom), Px(right)));
        let mut end = bottom + 6.0;
        for rule in self.rules.iter().filter(|rule| !rule.label.is_empty()) {
            for line in measure::wrapped(&rule.label, SMALL, sheet.width()) {
                let half = measure::width(&line, SMALL) / 2.0;
                let middle = x.at(rule.at).max(sheet.left + half).min(sheet.right - half);
                sheet.words("muted small middle", middle, end + SMALL, &line);
                end += 16.0;
            }
        }
        for line in measure::wrapped(&self.x.label, SMALL, sheet.width()) {
            let middle = f64::midpoint(left, right);
            let half = measure::width(&line, SMALL) / 2.0;
            let middle = middle.max(sheet.left + half).min(sheet.right - half);
            sheet.words("small axis middle", middle, end + SMALL + 2.0, &line);
            end += 17.0;
        }
        end + 4.0
    }

    fn draw_row(&self, sheet: &mut Sheet, row: &Row, x: &Scale, y: f64, (left, right): (f64, f64)) {
        sheet.path("bed-line", &format!("M{} {}H{}", Px(left), Px(y), Px(right)));
        if let Some((low, high)) = row.band {
            let (from, to) = (x.at(low), x.at(high).max(x.at(low) + 2.0));
            let path = format!("M{} {}H{}v10H{}z", Px(from), Px(y - 5.0), Px(to), Px(from));
            sheet.path("accepted", &path);
        }
        if let Some(published) = row.published {
            sheet.path("target", &format!("M{} {}v14", Px(x.at(published)), Px(y - 7.0)));
        }
        let marks = || row.marks.iter().enumerate().filter_map(|(at, mark)| Some((at, mark.as_ref()?)));
        if self.joined {
            let places: Vec<f64> = marks().map(|(_, mark)| x.at(mark.value)).collect();
            let from = places.iter().copied().fold(f64::INFINITY, f64::min);
            let to = places.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            if to - from > 1.0 {
                sheet.path("gap", &format!("M{} {}H{}", Px(from), Px(y), Px(to)));
            }
        }
        for (at, value) in marks() {
            let ends = (x.at(value.value - value.error), x.at(value.value + value.error));
            if let Some(bar) = error_bar((ends.0, y), (ends.1, y)) {
                sheet.path(&format!("error l{}", at % COLOURS), &bar);
            }
        }
        for (at, value) in marks() {
            let name = self.series.get(at).map_or("", String::as_str);
            let text = self.x.unit.with_error(value.value, value.error);
            let tip = format!("{}: {name} {text}", row.name);
            let (class, path) = (format!("m{}", at % COLOURS), mark(at, x.at(value.value), y));
            sheet.svg.tipped("path", &[("class", &class), ("d", &path)], &tip);
        }
    }

    pub(super) fn description(&self) -> String {
        let said: Vec<String> = self.rows.iter().take(8).map(|row| self.said(row)).collect();
        let more = match self.rows.len().saturating_sub(8) {
            0 => String::new(),
            more => format!("; and {more} more rows"),
        };
        format!("{}: {}{more}.", self.x.label, said.join("; "))
    }

    fn said(&self, row: &Row) -> String {
        let marks = row.marks.iter().enumerate().filter_map(|(at, mark)| {
            let (mark, name) = (mark.as_ref()?, self.series.get(at).map_or("", String::as_str));
            let value = self.x.unit.text(mark.value);
            Some(if name.is_empty() { value } else { format!("{name} {value}") })
        });
        format!("{}, {}", row.name, marks.collect::<Vec<_>>().join(", "))
    }

    pub(super) fn table(&self) -> Table {
        if self.bare {
            // Places on an axis without numbers say nothing: the notes do.
            let mut table = Table::new(["".to_owned(), self.series.first().cloned().unwrap_or_default()]);
            table.rows.extend(self.rows.iter().map(|row| vec![row.name.clone(), self.note(row)]));
            return table;
        }
        let banded = self.rows.iter().any(|row| row.band.is_some());
        let published = self.rows.iter().any(|row| row.published.is_some());
        let grouped = self.rows.iter().any(|row| !row.group.is_empty());
        let noted = self.rows.iter().any(|row| !row.note.is_empty());
        let mut heads = vec![String::new()];
        let name = |name: &String| if name.is_empty() { self.x.label.clone() } else { name.clone() };
        heads.extend(self.series.iter().map(name));
        let columns = [(published, "published"), (banded, "accepted band"), (noted, "")];
        heads.extend(columns.iter().filter(|(shown, _)| *shown).map(|(_, head)| (*head).to_owned()));
        let mut table = Table::new(heads);
        let unit: &Unit = &self.x.unit;
        let mut group = "";
        for row in &self.rows {
            if !row.group.is_empty() {
                group = &row.group;
            }
            let named = if grouped && !group.is_empty() {
                format!("{group}: {}", row.name)
            } else {
                row.name.clone()
            };
            let mut cells = vec![named];
            for at in 0..self.series.len() {
                let mark = row.marks.get(at).copied().flatten();
                cells.push(mark.map_or_else(String::new, |mark| unit.with_error(mark.value, mark.error)));
            }
            if published {
                cells.push(row.published.map_or_else(String::new, |value| unit.text(value)));
            }
            if banded {
                let text = |(low, high)| format!("{} to {}", unit.text(low), unit.text(high));
                cells.push(row.band.map_or_else(String::new, text));
            }
            if noted {
                cells.push(row.note.clone());
            }
            table.rows.push(cells);
        }
        table
    }
}
