//! A chart on the page: the finding, the picture in two layouts, and its numbers.

use crate::draw::{Chart, Table, Width};
use crate::markup::Markup;

/// Draws a chart under a heading.
pub(super) fn draw(page: &mut Markup, chart: &Chart) {
    page.open("figure", &[]);
    page.within("figcaption", &[], |page| {
        page.text("h3", &[], &chart.title);
        if !chart.subtitle.is_empty() {
            page.text("p", &[], &chart.subtitle);
        }
    });
    let table = chart.table();
    if !chart.is_drawn() {
        numbers(page, &table, &chart.title);
        page.close();
        return;
    }
    for (class, width) in [("wide", Width::Wide), ("narrow", Width::Narrow)] {
        page.within("div", &[("class", &class)], |page| page.nest(chart.markup(width)));
    }
    if !table.rows.is_empty() {
        page.within("details", &[], |page| {
            page.text("summary", &[], "The numbers");
            numbers(page, &table, &chart.title);
        });
    }
    page.close();
}

/// Longer tables scroll in their own box.
const LONG: usize = 24;

/// Draws a table in a box of its own, which scrolls where the table is wider than the page.
pub(super) fn numbers(page: &mut Markup, table: &Table, what: &str) {
    scrolled(page, table.rows.len() > LONG, what, |page| {
        page.within("thead", &[], |page| {
            page.within("tr", &[], |page| {
                for (at, head) in table.heads.iter().enumerate() {
                    let class = if at == 0 { "" } else { "n" };
                    // A column without a head of its own is of no one kind.
                    let tag = if head.is_empty() { "td" } else { "th" };
                    let scope: &[(&'static str, &dyn std::fmt::Display)] = if head.is_empty() {
                        &[("class", &class)]
                    } else {
                        &[("class", &class), ("scope", &"col")]
                    };
                    page.text(tag, scope, head);
                }
            });
        });
        page.within("tbody", &[], |page| {
            for row in &table.rows {
                page.within("tr", &[], |page| {
                    for (at, cell) in row.iter().enumerate() {
                        if at == 0 {
                            page.text("th", &[("scope", &"row")], cell);
                        } else {
                            page.text("td", &[("class", &"n")], cell);
                        }
                    }
                });
            }
        });
    });
}

/// A table in a box that scrolls by keyboard too.
pub(super) fn scrolled(page: &mut Markup, long: bool, what: &str, inside: impl FnOnce(&mut Markup)) {
    let class = if long { "scroll tall" } else { "scroll" };
    let label = format!("Table: {what}");
    let box_ =
        [("class", &class as _), ("tabindex", &0 as _), ("role", &"group" as _), ("aria-label", &label as _)];
    page.within("div", &box_, |page| page.within("table", &[], inside));
}
