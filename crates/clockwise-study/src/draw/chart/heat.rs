//! Numbers in rows and columns, shaded from light to dark, with those beyond a limit framed.

use super::super::measure;
use super::super::scale::Unit;
use super::super::svg::Px;
use super::key::{self, Sign};
use super::table::Table;
use super::{LINE, SMALL, Sheet, TEXT};

/// A shaded table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Heat {
    /// What the numbers are.
    pub label: String,
    /// How they are written.
    pub unit: Unit,
    /// The columns.
    pub columns: Vec<String>,
    /// From the top down.
    pub rows: Vec<HeatRow>,
    /// Equal steps of shade are equal ratios.
    pub log: bool,
    /// A value above this is framed and bold.
    pub limit: Option<f64>,
}

/// One row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeatRow {
    /// Stands at the left.
    pub name: String,
    /// One a column.
    pub cells: Vec<Option<f64>>,
    /// Stands at the right: a verdict, say.
    pub note: String,
}

/// Shades, from the page's colour to the darkest.
const SHADES: usize = 7;
const ROW: f64 = 26.0;

impl Heat {
    fn shade(&self, value: f64) -> usize {
        let all = || self.rows.iter().flat_map(|row| row.cells.iter().flatten().copied());
        let log = self.log && all().all(|value| value > 0.0);
        let scaled = |value: f64| if log { value.ln() } else { value };
        let finite = || all().filter(|value| value.is_finite()).map(scaled);
        let (low, high) =
            (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
        let part = if high > low { (scaled(value) - low) / (high - low) } else { 0.0 };
        ((part.clamp(0.0, 1.0) * SHADES as f64) as usize).min(SHADES - 1)
    }

    fn beyond(&self, value: f64) -> bool {
        self.limit.is_some_and(|limit| value > limit)
    }

    fn number(&self, value: f64) -> String {
        let shown = value * self.unit.factor;
        let decimals = match shown.abs() {
            0.0..10.0 => 2,
            10.0..100.0 => 1,
            _ => 0,
        };
        format!("{}{}", super::super::scale::decimal(shown, decimals), self.unit.suffix)
    }

    pub(super) fn draw(&self, sheet: &mut Sheet) -> f64 {
        if let Some(limit) = self.limit {
            let text = format!("{}, above {}", self.label, self.unit.text(limit));
            key::draw(sheet, &[(Sign::Framed, text)]);
        } else if !self.label.is_empty() {
            for line in measure::wrapped(&self.label, SMALL, sheet.width()) {
                sheet.words("muted small", sheet.left, sheet.top + SMALL, &line);
                sheet.top += LINE;
            }
            sheet.top += 6.0;
        }
        let widest = |size: f64, texts: &mut dyn Iterator<Item = &String>| {
            texts.map(|text| measure::width(text, size)).fold(0.0, f64::max)
        };
        let narrow = sheet.narrow;
        let most = sheet.width() * 0.3;
        let names = widest(TEXT, &mut self.rows.iter().map(|row| &row.name)).min(most);
        // On a phone a note has no room: the table has it.
        let notes = widest(SMALL, &mut self.rows.iter().map(|row| &row.note)).min(sheet.width() * 0.25);
        let notes = if narrow { 0.0 } else { notes };
        let left = sheet.left + names + 10.0;
        let right = sheet.right - if notes > 0.0 { notes + 12.0 } else { 0.0 };
        let count = self.columns.len().max(1) as f64;
        let cell = ((right - left) / count).min(140.0);
        let size = if self.widest_number() > cell - 4.0 { 10.0 } else { SMALL };

        let heads: Vec<Vec<String>> =
            self.columns.iter().map(|column| measure::broken_in(column, SMALL, cell - 4.0, 4)).collect();
        let deepest = heads.iter().map(Vec::len).max().unwrap_or(0);
        for (at, lines) in heads.iter().enumerate() {
            let x = left + cell * (at as f64 + 0.5);
            let first = deepest - lines.len();
            for (line, text) in lines.iter().enumerate() {
                let y = sheet.top + SMALL + (first + line) as f64 * 14.0;
                sheet.words("muted small middle", x, y, text);
            }
        }
        let mut y = sheet.top + deepest as f64 * 14.0 + 6.0;
        let mut framed = Vec::new();
        for row in &self.rows {
            let name = measure::fitted(&row.name, TEXT, names + 0.01);
            sheet.words("end", left - 10.0, y + 17.5, &name);
            for (at, value) in row.cells.iter().enumerate().take(self.columns.len()) {
                let x = left + cell * at as f64;
                let Some(value) = value else {
                    sheet.words("muted small middle", x + cell / 2.0, y + 17.0, "–");
                    continue;
                };
                let shade = self.shade(*value);
                let (class, text) = (format!("h{shade}"), self.number(*value));
                let tip = format!("{}, {}: {text}", row.name, self.columns[at]);
                let path = format!(
                    "M{} {}h{}v{}h-{}z",
                    Px(x + 1.0),
                    Px(y + 1.0),
                    Px(cell - 2.0),
                    ROW - 2.0,
                    Px(cell - 2.0)
                );
                sheet.svg.tipped("path", &[("class", &class), ("d", &path)], &tip);
                let beyond = self.beyond(*value);
                if beyond {
                    framed.push(format!(
                        "M{} {}h{}v{}h-{}z",
                        Px(x + 2.0),
                        Px(y + 2.0),
                        Px(cell - 4.0),
                        ROW - 4.0,
                        Px(cell - 4.0)
                    ));
                }
                let most = if beyond { " most" } else { "" };
                let tiny = if size < SMALL { " tiny" } else { "" };
                let class = format!("small{tiny} middle number hx{shade}{most}");
                sheet.words(&class, x + cell / 2.0, y + 17.0, &text);
            }
            if notes > 0.0 {
                let note = measure::fitted(&row.note, SMALL, notes + 0.01);
                sheet.words("muted small", left + cell * count + 12.0, y + 17.0, &note);
            }
            y += ROW;
        }
        if !framed.is_empty() {
            sheet.path("framed", &framed.concat());
        }
        y + 4.0
    }

    fn widest_number(&self) -> f64 {
        let all = self.rows.iter().flat_map(|row| row.cells.iter().flatten());
        all.map(|value| measure::bold_width(&self.number(*value), SMALL)).fold(0.0, f64::max)
    }

    pub(super) fn description(&self) -> String {
        let all = || {
            self.rows.iter().flat_map(|row| {
                let cells = row.cells.iter().zip(&self.columns);
                cells.filter_map(move |(value, column)| Some((row.name.as_str(), column.as_str(), (*value)?)))
            })
        };
        let say = |found: Option<(&str, &str, f64)>| {
            found.map_or_else(String::new, |(row, column, value)| {
                format!("{} ({row}, {column})", self.number(value))
            })
        };
        let least = say(all().min_by(|a, b| a.2.total_cmp(&b.2)));
        let most = say(all().max_by(|a, b| a.2.total_cmp(&b.2)));
        let beyond = match self.limit {
            Some(limit) => {
                let count = all().filter(|(_, _, value)| self.beyond(*value)).count();
                format!(" {count} of {} are above {}.", all().count(), self.unit.text(limit))
            }
            None => String::new(),
        };
        format!("{}, from {least} to {most}.{beyond}", self.label)
    }

    pub(super) fn table(&self) -> Table {
        let noted = self.rows.iter().any(|row| !row.note.is_empty());
        let mut table = Table::new(
            std::iter::once(String::new()).chain(self.columns.iter().cloned()).chain(noted.then(String::new)),
        );
        for row in &self.rows {
            let mut cells = vec![row.name.clone()];
            for at in 0..self.columns.len() {
                let value = row.cells.get(at).copied().flatten();
                cells.push(value.map_or_else(String::new, |value| self.number(value)));
            }
            if noted {
                cells.push(row.note.clone());
            }
            table.rows.push(cells);
        }
        table
    }
}
