//! Points along a line, a row each: where a hash puts the points of a server.

use super::super::measure;
use super::super::svg::Px;
use super::table::Table;
use super::{COLOURS, LINE, SMALL, Sheet, TEXT};

/// Rows of points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Strips {
    /// What the line is: `the hash space, from 0 to 2³²`.
    pub label: String,
    /// From the top down.
    pub rows: Vec<Strip>,
}

/// One row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Strip {
    /// Stands at the left.
    pub name: String,
    /// A heading above this row and those after it; empty for none.
    pub group: String,
    /// Places from 0 to 1; others are not drawn.
    pub places: Vec<f64>,
    /// Stands at the right: what the points add up to.
    pub note: String,
}

const ROW: f64 = 24.0;
const GROUP: f64 = 32.0;
const GAP: f64 = 12.0;

impl Strips {
    pub(super) fn draw(&self, sheet: &mut Sheet) -> f64 {
        let widest = |size: f64, texts: &mut dyn Iterator<Item = &String>| {
            texts.map(|text| measure::width(text, size)).fold(0.0, f64::max)
        };
        let most = sheet.width() * 0.25;
        let names = widest(TEXT, &mut self.rows.iter().map(|row| &row.name)).min(most);
        let notes = widest(SMALL, &mut self.rows.iter().map(|row| &row.note)).min(most);
        let left = sheet.left + names + GAP;
        let right = sheet.right - if notes > 0.0 { notes + GAP } else { 2.0 };
        let mut y = sheet.top;
        let mut colour = 0;
        for row in &self.rows {
            if !row.group.is_empty() {
                let room = sheet.width();
                let group = measure::fitted(&row.group, TEXT * 1.13, room);
                sheet.words("panel", sheet.left, y + GROUP - 12.0, &group);
                y += GROUP;
                colour = 0;
            }
            let name = measure::fitted(&row.name, TEXT, names + 0.01);
            sheet.words("end", left - GAP, y + 17.0, &name);
            let band = format!("M{} {}H{}v17H{}z", Px(left), Px(y + 4.0), Px(right), Px(left));
            sheet.path("strip", &band);
            let mut ticks = String::new();
            for place in row.places.iter().filter(|place| (0.0..=1.0).contains(*place)) {
                ticks.push_str(&format!("M{} {}v15", Px(left + (right - left) * place), Px(y + 5.0)));
            }
            let tip = format!("{}: {}", row.name, super::super::counted(row.places.len() as u64, "point"));
            let class = format!("tick l{}", colour % COLOURS);
            sheet.svg.tipped("path", &[("class", &class), ("d", &ticks)], &tip);
            let note = measure::fitted(&row.note, SMALL, notes + 0.01);
            sheet.words("muted small number", right + GAP, y + 17.0, &note);
            y += ROW;
            colour += 1;
        }
        y += 8.0;
        for line in measure::wrapped(&self.label, SMALL, sheet.width()) {
            let half = measure::width(&line, SMALL) / 2.0;
            let middle = f64::midpoint(left, right).max(sheet.left + half).min(sheet.right - half);
            sheet.words("small axis middle", middle, y + SMALL, &line);
            y += LINE;
        }
        y + 4.0
    }

    pub(super) fn description(&self) -> String {
        let said = self.rows.iter().map(|row| {
            let group = if row.group.is_empty() { String::new() } else { format!("{}: ", row.group) };
            let note = if row.note.is_empty() { String::new() } else { format!(", {}", row.note) };
            format!("{group}{}, {} points{note}", row.name, row.places.len())
        });
        format!("Points along {}. {}.", self.label, said.collect::<Vec<_>>().join("; "))
    }

    pub(super) fn table(&self) -> Table {
        let heads = ["", "points", "longest gap without a point", ""].map(str::to_owned);
        let mut table = Table::new(heads);
        let mut group = "";
        for row in &self.rows {
            if !row.group.is_empty() {
                group = &row.group;
            }
            let named = if group.is_empty() { row.name.clone() } else { format!("{group}: {}", row.name) };
            let gap = super::super::percent(longest_gap(&row.places));
            table.rows.push(vec![named, row.places.len().to_string(), gap, row.note.clone()]);
        }
        table
    }
}

/// The longest stretch of the circle without one of these places.
fn longest_gap(places: &[f64]) -> f64 {
    let mut sorted: Vec<f64> = places.iter().copied().filter(|place| place.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let (Some(first), Some(last)) = (sorted.first(), sorted.last()) else { return 1.0 };
    let across = first + 1.0 - last;
    sorted.windows(2).map(|pair| pair[1] - pair[0]).fold(across, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_gap_goes_round() {
        assert!((longest_gap(&[0.2, 0.5, 0.9]) - 0.4).abs() < 1e-12);
        assert!((longest_gap(&[0.4, 0.5]) - 0.9).abs() < 1e-12);
        assert!((longest_gap(&[0.3]) - 1.0).abs() < 1e-12);
        assert!((longest_gap(&[]) - 1.0).abs() < 1e-12);
    }
}
