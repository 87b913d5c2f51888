//! Published figures: the table of all of an experiment, and where ours lie in their bands.

use super::picture::{self, scrolled};
use super::{Figure, Verdict};
use crate::draw::{Axis, Body, Chart, Dots, Mark, Row, Rule, Unit};
use crate::markup::Markup;

/// The table of an experiment's figures, after the picture of their bands.
pub(super) fn draw(page: &mut Markup, figures: &[Figure], title: &str) {
    if figures.is_empty() {
        return;
    }
    let holding = figures.iter().filter(|figure| figure.verdict == Verdict::Holds).count();
    page.text("h3", &[("class", &"subhead")], "Published figures");
    let text = match (holding, figures.len()) {
        (all, of) if all == of && of > 1 => format!("All {of} lie in their bands."),
        (1, 1) => "The one there is lies in its band.".to_owned(),
        (some, of) => format!("{some} of {of} lie in their bands."),
    };
    page.text("p", &[("class", &"soft")], &text);
    table(page, figures, &format!("published figures, {title}"));
    if let Some(chart) = bands(figures) {
        page.within("details", &[], |page| {
            page.text("summary", &[], "Where ours lie in the bands: the picture");
            picture::draw(page, &chart);
        });
    }
}

/// Figures of no experiment.
pub(super) fn unmeasured(page: &mut Markup, figures: &[Figure]) {
    if figures.is_empty() {
        return;
    }
    page.open("section", &[("id", &"not-measured")]);
    page.text("h2", &[], "Not measured here");
    let text = "Facts of history and speeds of one machine. A study of placements cannot measure them; each stands \
                here with what is known of it.";
    page.text("p", &[], text);
    table(page, figures, "figures that are not measured");
    page.close();
}

fn table(page: &mut Markup, figures: &[Figure], what: &str) {
    // A column that would be empty in every row is left out.
    let published = figures.iter().any(|figure| !figure.published.is_empty());
    let measured = figures.iter().any(|figure| !figure.values.is_empty());
    scrolled(page, figures.len() > 40, what, |page| {
        page.within("thead", &[], |page| {
            page.within("tr", &[], |page| {
                page.text("th", &[("class", &"claims"), ("scope", &"col")], "claim");
                page.text("th", &[("scope", &"col")], "verdict");
                let columns = [(published, "published"), (measured, "ours ± s.e."), (measured, "accepted")];
                for (_, head) in columns.iter().filter(|(shown, _)| *shown) {
                    page.text("th", &[("class", &"n"), ("scope", &"col")], head);
                }
            });
        });
        page.within("tbody", &[], |page| {
            for figure in figures {
                page.open("tr", &[("id", &figure.id)]);
                page.within("th", &[("scope", &"row")], |page| {
                    page.say(&figure.claim);
                    page.text("span", &[("class", &"why")], &note(figure));
                });
                page.within("td", &[], |page| verdict(page, figure.verdict));
                if published {
                    page.text("td", &[("class", &"n wraps")], &figure.published);
                }
                if measured {
                    lines(page, figure.values.iter().map(|value| &value.ours));
                    lines(page, figure.values.iter().map(|value| &value.band));
                }
                page.close();
            }
        });
    });
}

/// A cell with a line a number of the figure.
fn lines<'a>(page: &mut Markup, texts: impl ExactSizeIterator<Item = &'a String>) {
    page.within("td", &[("class", &"n")], |page| {
        for text in texts {
            page.text("span", &[("class", &"line")], text);
        }
    });
}

/// What stands below a claim: where it is from, and why it does not hold.
fn note(figure: &Figure) -> String {
    let mut note = figure.source.clone();
    let whats: Vec<&str> =
        figure.values.iter().map(|value| value.what.as_str()).filter(|what| !what.is_empty()).collect();
    if !whats.is_empty() {
        note.push_str(&format!(" ({})", whats.join("; ")));
    }
    if !figure.reason.is_empty() {
        note.push_str(&format!(": {}", figure.reason));
    }
    note
}

/// The verdict with its sign.
pub(super) fn verdict(page: &mut Markup, verdict: Verdict) {
    let text = format!("{} {}", verdict.sign(), verdict.text());
    page.text("span", &[("class", &verdict.class())], &text);
}

/// Of a long claim its first words: beside each of its numbers there is room for no more.
fn opening(claim: &str) -> String {
    const ROOM: usize = 36;
    match claim.char_indices().nth(ROOM) {
        None => format!("{claim}:"),
        Some((end, _)) => {
            let words = claim[..end].rsplit_once(' ').map_or(&claim[..end], |(words, _)| words);
            format!("{} …", words.trim_end_matches([',', ':', '(']))
        }
    }
}

/// Where our values lie in the bands, all bands drawn equally wide.
pub(super) fn bands(figures: &[Figure]) -> Option<Chart> {
    let rows: Vec<Row> = figures
        .iter()
        .flat_map(|figure| figure.values.iter().map(move |value| (figure, value)))
        .filter_map(|(figure, value)| {
            let place = value.place?;
            // A value far outside must not shrink all the bands.
            let ours = place.ours.clamp(-2.5, 2.5);
            let name = if value.what.is_empty() {
                figure.claim.clone()
            } else {
                format!("{} {}", opening(&figure.claim), value.what)
            };
            Some(Row {
                name,
                marks: vec![Some(Mark { value: ours, error: place.error.min(2.5 - ours.abs()) })],
                band: Some((-1.0, 1.0)),
                published: place.published.filter(|value| value.abs() <= 2.5),
                note: value.ours.clone(),
                ..Row::default()
            })
        })
        .collect();
    if rows.len() < 2 {
        return None;
    }
    let dots = Dots {
        x: Axis { label: "each band stretched to one width".to_owned(), unit: Unit::default(), log: false },
        series: vec!["ours".to_owned()],
        rows,
        joined: false,
        rules: vec![Rule { at: 0.0, label: String::new() }],
        bare: true,
    };
    Some(Chart {
        title: "Where ours lie in the accepted bands".to_owned(),
        subtitle: "Every band is drawn equally wide, whatever it is a band of.".to_owned(),
        body: Body::Dots(dots),
    })
}
