//! One experiment on the page.

use super::{Part, figures, picture};
use crate::markup::Markup;

/// Draws the section of an experiment.
pub(super) fn draw(page: &mut Markup, part: &Part) {
    page.open("section", &[("id", &part.name)]);
    page.text("h2", &[], &part.title);
    if !part.question.is_empty() {
        page.text("p", &[("class", &"question")], &part.question);
    }
    for paragraph in part.method.split("\n\n").filter(|text| !text.trim().is_empty()) {
        page.within("p", &[], |page| prose(page, paragraph.trim()));
    }
    page.text("p", &[("class", &"fine")], &part.ran);
    for chart in &part.charts {
        picture::draw(page, chart);
    }
    if !part.table.rows.is_empty() {
        page.within("details", &[], |page| {
            let summary = format!("Every setting and number ({})", part.table.rows.len());
            page.text("summary", &[], &summary);
            picture::numbers(page, &part.table, &format!("all settings, {}", part.title));
        });
    }
    figures::draw(page, &part.figures, &part.title);
    page.close();
}

/// Text whose `quoted` pieces are code.
fn prose(page: &mut Markup, text: &str) {
    for (at, piece) in text.split('`').enumerate() {
        if at % 2 == 1 {
            page.phrase("code", piece);
        } else {
            page.say(piece);
        }
    }
}
