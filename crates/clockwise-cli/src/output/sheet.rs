//! A table: headings, rows, and how each column lines up.

use std::io::{self, Write};

use clockwise_config::printable;
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

use super::markdown;
use crate::args::Format;
use crate::exit::Failure;

/// Which way a column lines up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    /// Names.
    Left,
    /// Numbers.
    Right,
}

/// Rows under headings, to be printed as a table, as Markdown or as CSV.
///
/// A cell has two faces: what people read (`18.52%`, `3,703`) and what programs read (`0.18515`,
/// `3703`).
#[derive(Debug)]
pub(crate) struct Sheet {
    columns: Vec<(&'static str, Align)>,
    rows: Vec<Vec<Cell>>,
}

/// One cell: for people and for programs.
#[derive(Debug)]
pub(crate) struct Cell {
    shown: String,
    exact: String,
}

impl Cell {
    /// A number that reads well in one way and exactly in another.
    pub(crate) fn new(shown: impl Into<String>, exact: impl ToString) -> Cell {
        Cell { shown: shown.into(), exact: exact.to_string() }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Cell {
        let shown = text.into();
        Cell { exact: shown.clone(), shown }
    }
}

impl Sheet {
    /// An empty table with these columns.
    pub(crate) fn new(columns: impl IntoIterator<Item = (&'static str, Align)>) -> Sheet {
        Sheet { columns: columns.into_iter().collect(), rows: Vec::new() }
    }

    /// One more row; as many cells as there are columns.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        let row: Vec<Cell> = cells.into_iter().collect();
        debug_assert_eq!(row.len(), self.columns.len());
        self.rows.push(row);
    }

    /// Keeps the first rows only, and says how many went.
    pub(crate) fn keep(&mut self, most: usize) -> usize {
        let left_out = self.rows.len().saturating_sub(most);
        self.rows.truncate(most);
        left_out
    }

    /// Whether there is anything under the headings.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// In the format asked for. JSON is each command's own: here it prints as the table.
    pub(crate) fn write(&self, format: Format, out: &mut dyn Write) -> Result<(), Failure> {
        match format {
            Format::Csv => self.write_csv(out),
            Format::Markdown => Ok(self.write_markdown(out)?),
            Format::Table | Format::Json => Ok(self.write_table(out)?),
        }
    }

    /// Aligned columns.
    pub(crate) fn write_table(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut table = Table::new();
        table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
        table.set_header(self.columns.iter().map(|(name, _)| *name));
        for row in &self.rows {
            // Before widths are taken.
            table.add_row(row.iter().map(|cell| printable(&cell.shown).into_owned()));
        }
        for (column, (_, align)) in table.column_iter_mut().zip(&self.columns) {
            column.set_padding((0, 2)).set_cell_alignment(match align {
                Align::Left => CellAlignment::Left,
                Align::Right => CellAlignment::Right,
            });
        }
        for line in table.lines() {
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }

    /// A Markdown table.
    pub(crate) fn write_markdown(&self, out: &mut dyn Write) -> io::Result<()> {
        let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
        writeln!(out, "{}", line(self.columns.iter().map(|(name, _)| (*name).to_owned()).collect()))?;
        let rule = |align: &Align| if *align == Align::Right { "---:" } else { "---" };
        writeln!(out, "{}", line(self.columns.iter().map(|(_, align)| rule(align).to_owned()).collect()))?;
        for row in &self.rows {
            writeln!(out, "{}", line(row.iter().map(|cell| markdown(&cell.shown)).collect()))?;
        }
        Ok(())
    }

    /// CSV with a header; headings become names without blanks.
    pub(crate) fn write_csv(&self, out: &mut dyn Write) -> Result<(), Failure> {
        let mut csv = csv::Writer::from_writer(out);
        csv.write_record(
            self.columns.iter().map(|(name, _)| name.replace([' ', '/'], "_").replace("÷", "over")),
        )?;
        for row in &self.rows {
            csv.write_record(row.iter().map(|cell| cell.exact.as_str()))?;
        }
        Ok(csv.flush()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet() -> Sheet {
        let mut sheet = Sheet::new([("server", Align::Left), ("keys after", Align::Right)]);
        sheet.row(["a|b".into(), Cell::new("1,234", 1234)]);
        sheet.row(["c, d".into(), Cell::new("5", 5)]);
        sheet
    }

    fn written(format: Format) -> String {
        let mut out = Vec::new();
        sheet().write(format, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn columns_line_up_and_no_line_ends_in_blanks() {
        let table = written(Format::Table);
        assert_eq!(table, "server  keys after\na|b          1,234\nc, d             5\n");
    }

    #[test]
    fn markdown_escapes_the_bar_and_csv_quotes_the_comma() {
        let markdown = written(Format::Markdown);
        assert_eq!(markdown, "| server | keys after |\n| --- | ---: |\n| a\\|b | 1,234 |\n| c, d | 5 |\n");
        let csv = written(Format::Csv);
        assert_eq!(csv, "server,keys_after\na|b,1234\n\"c, d\",5\n");
    }
}
