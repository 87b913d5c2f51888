//! The same report as Markdown: for a pull request, a wiki, a terminal.

use std::fmt::Write as _;

use super::{Compared, Figure, Report, Verdict, front};
use crate::draw::{Chart, Table};

impl Report {
    /// The summary: verdicts, every figure, and the numbers behind every picture. It holds nothing that
    /// depends on the machine.
    pub fn markdown(&self) -> String {
        let mut out = format!("# {}\n\n{}\n\n{}\n", self.title, front::headline(self), self.ran);
        if self.figures().next().is_some() {
            out.push_str("\n| verdict | figures |\n|---|---:|\n");
            for verdict in Verdict::ALL {
                let count = self.count(verdict);
                if count > 0 {
                    let _ = writeln!(out, "| {} | {count} |", verdict.text());
                }
            }
        }
        let others: Vec<&Figure> = self
            .figures()
            .filter(|figure| matches!(figure.verdict, Verdict::DoesNotHold | Verdict::Narrow))
            .collect();
        if !others.is_empty() {
            out.push_str("\n## What does not hold, or in one reading only\n\n");
            for figure in others {
                let (verdict, reason) = (figure.verdict.text(), &figure.reason);
                let reason = if reason.is_empty() { String::new() } else { format!(" {reason}") };
                let _ = writeln!(
                    out,
                    "- **{verdict}**: {}{}{}",
                    text(&figure.claim),
                    stop(&figure.claim),
                    text(&reason)
                );
            }
        }
        if !self.front.is_empty() {
            out.push_str("\n## The pictures that matter\n");
            charts(&mut out, "summary", &self.front);
        }
        for part in &self.parts {
            let _ = writeln!(
                out,
                "\n## {}\n\n{}\n\n{}",
                text(&part.title),
                text(&part.question),
                text(&part.ran)
            );
            charts(&mut out, &part.name, &part.charts);
            figures(&mut out, &part.figures);
        }
        if !self.unmeasured.is_empty() {
            out.push_str("\n## Not measured here\n");
            figures(&mut out, &self.unmeasured);
        }
        out
    }
}

/// Pictures, which lie in `pictures` beside the summary, each with its numbers.
fn charts(out: &mut String, part: &str, charts: &[Chart]) {
    for (at, chart) in charts.iter().enumerate() {
        let _ = writeln!(out, "\n### {}", text(&chart.title));
        if !chart.subtitle.is_empty() {
            let _ = writeln!(out, "\n{}", text(&chart.subtitle));
        }
        if chart.is_drawn() {
            let _ = writeln!(out, "\n![{}](pictures/{})", text(&chart.title), super::picture_name(part, at));
        }
        table(out, &chart.table());
    }
}

fn figures(out: &mut String, figures: &[Figure]) {
    if figures.is_empty() {
        return;
    }
    out.push_str(
        "\n| claim | source | published | ours | accepted | verdict |\n|---|---|---:|---:|---:|---|\n",
    );
    for figure in figures {
        let lines = |of: fn(&Compared) -> &String| {
            figure.values.iter().map(|value| text(of(value))).collect::<Vec<_>>().join("; ")
        };
        let (ours, bands) = (lines(|value| &value.ours), lines(|value| &value.band));
        let cells = [&figure.claim, &figure.source, &figure.published].map(|cell| text(cell)).join(" | ");
        let _ = writeln!(out, "| {cells} | {ours} | {bands} | {} |", figure.verdict.text());
    }
}

fn table(out: &mut String, table: &Table) {
    let row = |out: &mut String, cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| text(cell)).collect();
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    };
    out.push('\n');
    if table.rows.is_empty() {
        out.push_str("Nothing was measured.\n");
        return;
    }
    row(out, &table.heads);
    let rules: Vec<String> =
        (0..table.heads.len()).map(|at| if at == 0 { "---" } else { "---:" }.to_owned()).collect();
    let _ = writeln!(out, "|{}|", rules.join("|"));
    for cells in &table.rows {
        row(out, cells);
    }
}

fn stop(claim: &str) -> &'static str {
    if claim.ends_with(['.', '?', '!']) { "" } else { "." }
}

/// Text that stays text: the signs that Markdown gives a meaning, escaped, and no line break.
fn text(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    for c in raw.chars() {
        match c {
            '|' | '\\' | '`' | '*' | '_' | '<' | '>' | '[' | ']' | '#' => {
                out.push('\\');
                out.push(c);
            }
            '\n' | '\r' => out.push(' '),
            _ => out.push(c),
        }
    }
    out
}
