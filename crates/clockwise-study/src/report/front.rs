//! The first screen: how many figures hold, which do not and why, and the pictures that matter. And
//! the last one: what it took.

use super::{Compared, Cost, Figure, Report, Verdict, figures, picture};
use crate::draw::Table;
use crate::markup::Markup;

/// Draws the summary.
pub(super) fn draw(page: &mut Markup, report: &Report) {
    page.open("section", &[("id", &"summary")]);
    page.text("h1", &[], &report.title);
    page.text("p", &[("class", &"question")], &headline(report));
    page.text("p", &[("class", &"fine")], &report.ran);
    if report.expected().1 > 0 {
        score(page, report);
    }
    let broken: Vec<&Figure> =
        report.figures().filter(|f| f.expected && f.verdict == Verdict::DoesNotHold).collect();
    listed(page, "These should hold and do not", &broken);
    let failing: Vec<&Figure> =
        report.figures().filter(|f| !f.expected && f.verdict == Verdict::DoesNotHold).collect();
    listed(page, "What does not hold as published, and why", &failing);
    let narrow: Vec<&Figure> = report.figures().filter(|f| f.verdict == Verdict::Narrow).collect();
    listed(page, "What holds in one reading only", &narrow);
    if !report.front.is_empty() {
        page.text("h2", &[("class", &"subhead")], "The pictures that matter");
    }
    for chart in &report.front {
        picture::draw(page, chart);
    }
    page.close();
}

/// The finding of the whole study in a sentence.
pub(super) fn headline(report: &Report) -> String {
    let (holding, of) = report.expected();
    let waiting = report.count(Verdict::NotMeasured);
    if of == 0 && waiting > 0 {
        return format!(
            "At this scale the study shows the shape of things; the {} published figures are judged at the published \
             scale.",
            crate::number::grouped(waiting as u64)
        );
    }
    let first = match (holding, of) {
        (_, 0) => return "No published figure is about what was run.".to_owned(),
        (all, of) if all == of && waiting == 0 => {
            format!("All {of} published figures that should hold were measured again, and hold.")
        }
        (all, of) if all == of => {
            format!(
                "All {of} published figures that this scale can judge hold; {waiting} others need more keys or seeds."
            )
        }
        (some, of) => {
            format!("{some} of the {of} published figures that should hold do; {} do not.", of - some)
        }
    };
    let failing = report.figures().filter(|f| !f.expected && f.verdict == Verdict::DoesNotHold).count();
    let narrow = report.count(Verdict::Narrow);
    if failing + narrow == 0 {
        return first;
    }
    let do_not = if failing == 1 { "does not" } else { "do not" };
    let hold = if narrow == 1 { "holds" } else { "hold" };
    format!(
        "{first} Of the others, {failing} {do_not} hold as published, and {narrow} {hold} in one reading only."
    )
}

fn score(page: &mut Markup, report: &Report) {
    let (holding, of) = report.expected();
    let mut tiles = vec![(format!("{holding} of {of}"), "figures that should hold, do")];
    let mut tile = |count: usize, text| {
        if count > 0 {
            tiles.push((count.to_string(), text));
        }
    };
    let failing = report.figures().filter(|f| !f.expected && f.verdict == Verdict::DoesNotHold).count();
    tile(failing, "do not hold as published");
    tile(report.count(Verdict::Narrow), "hold in one reading only");
    tile(
        report.count(Verdict::Historical) + report.count(Verdict::Cost),
        "are history or speeds, not measured",
    );
    tile(report.count(Verdict::NotMeasured), "need more keys or seeds than were run");
    page.open("ul", &[("class", &"score")]);
    for (number, text) in &tiles {
        page.within("li", &[], |page| {
            page.text("b", &[], number);
            page.text("span", &[], text);
        });
    }
    page.close();
}

fn listed(page: &mut Markup, title: &str, all: &[&Figure]) {
    if all.is_empty() {
        return;
    }
    page.text("h2", &[("class", &"subhead")], title);
    page.open("ul", &[("class", &"short")]);
    for figure in all {
        page.open("li", &[]);
        figures::verdict(page, figure.verdict);
        page.text("a", &[("href", &format!("#{}", figure.id))], &figure.claim);
        page.text("div", &[("class", &"fine")], &why(figure));
        page.close();
    }
    page.close();
}

/// What was published, what we measured, and why they differ.
fn why(figure: &Figure) -> String {
    let said = |value: &Compared| match value.what.as_str() {
        "" => value.ours.clone(),
        what => format!("{} ({what})", value.ours),
    };
    let ours: Vec<String> = figure.values.iter().map(said).collect();
    let values = match (figure.published.is_empty(), ours.join("; ")) {
        (false, ours) if !ours.is_empty() => format!("Published {}, measured {ours}.", figure.published),
        (false, _) => format!("Published {}.", figure.published),
        (true, ours) if !ours.is_empty() => format!("Measured {ours}."),
        (true, _) => String::new(),
    };
    let mut reason = figure.reason.chars();
    let first: String = reason.next().into_iter().flat_map(char::to_uppercase).collect();
    let reason = reason.as_str();
    let stop = if reason.is_empty() || reason.ends_with(['.', '?', '!']) { "" } else { "." };
    format!("{values} {first}{reason}{stop}").trim().to_owned()
}

/// CPU seconds, the only thing that another machine or another day changes.
pub(super) fn cost(page: &mut Markup, cost: &[Cost]) {
    if cost.is_empty() {
        return;
    }
    page.open("section", &[("id", &"cost")]);
    page.text("h2", &[], "What it took");
    let text = "CPU seconds of the machine that ran it. This is the only section that another machine, or \
                another day, changes.";
    page.text("p", &[], text);
    let mut table =
        Table { heads: ["experiment", "runs", "CPU seconds"].map(str::to_owned).into(), rows: vec![] };
    let mut row = |part: &str, runs: u64, seconds: f64| {
        table.rows.push(vec![part.to_owned(), crate::number::grouped(runs), format!("{seconds:.2}")]);
    };
    for one in cost {
        row(&one.part, one.runs, one.cpu_seconds);
    }
    row("all", cost.iter().map(|one| one.runs).sum(), cost.iter().map(|one| one.cpu_seconds).sum());
    picture::numbers(page, &table, "CPU seconds of each experiment");
    page.close();
}
