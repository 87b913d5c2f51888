//! The page and the Markdown of a small report.

use super::*;
use crate::draw::{Body, Chart, Plot};

fn compared(ours: &str, place: f64) -> Compared {
    Compared {
        what: String::new(),
        ours: ours.to_owned(),
        band: "4.4 to 6.1".to_owned(),
        place: Some(Place { ours: place, error: 0.2, published: Some(0.0) }),
    }
}

fn figure(id: &str, verdict: Verdict, expected: bool) -> Figure {
    Figure {
        id: id.to_owned(),
        claim: format!("claim <{id}> & | more"),
        source: "a text".to_owned(),
        published: "5.3".to_owned(),
        values: vec![compared("5.25 ± 0.27", 0.1)],
        verdict,
        expected,
        reason: if verdict == Verdict::Holds { String::new() } else { format!("reason of {id}") },
    }
}

fn report() -> Report {
    Report {
        title: "A <study>".to_owned(),
        ran: "2 runs, seed 1.".to_owned(),
        front: vec![chart("front")],
        parts: vec![Part {
            name: "ring".to_owned(),
            title: "A ring".to_owned(),
            question: "How even is it?".to_owned(),
            method: "One.\n\nOf `a<b`, two.".to_owned(),
            ran: "1 setting".to_owned(),
            charts: vec![chart("inside")],
            table: Table {
                heads: vec!["x".to_owned(), "y".to_owned()],
                rows: vec![vec!["1".to_owned(), "2".to_owned()]],
            },
            figures: vec![
                figure("one", Verdict::Holds, true),
                figure("two", Verdict::Holds, true),
                figure("three", Verdict::DoesNotHold, false),
                figure("four", Verdict::Narrow, false),
            ],
        }],
        unmeasured: vec![figure("five", Verdict::Historical, false)],
    }
}

fn chart(title: &str) -> Chart {
    Chart { title: title.to_owned(), subtitle: String::new(), body: Body::Plot(Plot::default()) }
}

fn cost() -> Vec<Cost> {
    vec![
        Cost { part: "ring".to_owned(), runs: 660, cpu_seconds: 12.345 },
        Cost { part: "maglev".to_owned(), runs: 1000, cpu_seconds: 1.0 },
    ]
}

#[test]
fn the_page_stands_alone() {
    let page = report().html(&cost());
    assert!(page.starts_with("<!doctype html>\n<html lang=\"en\">"));
    for foreign in ["<script", "src=", "url(", "@import", "http-equiv"] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    // The only addresses are the name of SVG itself.
    assert_eq!(page.matches("http").count(), page.matches("http://www.w3.org/2000/svg").count());
    assert!(page.contains("prefers-color-scheme:dark"));
    assert!(page.contains("Of <code>a&lt;b</code>, two."));
}

#[test]
fn what_the_machine_took_is_the_end_of_the_page_and_nothing_else() {
    let (with, without) = (report().html(&cost()), report().html(&[]));
    assert!(with.contains("<td class=\"n\">12.35</td>") && with.contains("13.35") && with.contains("1,660"));
    let before = with.split("<section id=\"cost\">").next().unwrap();
    let link = "<li>\n<a href=\"#cost\">What it took</a>\n</li>\n";
    let rest = without.strip_prefix(before.replace(link, "").as_str()).unwrap();
    assert_eq!(rest, "</main>\n</div>\n</body>\n</html>\n");
    assert!(!report().markdown().contains("12.3"));
}

#[test]
fn the_summary_counts_and_names_what_does_not_hold() {
    let page = report().html(&[]);
    assert!(page.contains(
        "All 2 published figures that should hold were measured again, and hold. Of the others, 1 does not hold as \
         published, and 1 holds in one reading only."
    ));
    assert!(page.contains("<b>2 of 2</b>"));
    for said in ["Published 5.3, measured 5.25 ± 0.27. Reason of three.", "Reason of four."] {
        assert!(page.contains(said), "{said}");
    }
    assert!(page.contains("<a href=\"#three\">claim &lt;three&gt; &amp; | more</a>"));
    assert!(page.contains("<tr id=\"three\">"), "the link leads to the row");
}

#[test]
fn a_figure_that_should_hold_and_does_not_comes_first() {
    let mut report = report();
    report.parts[0].figures[1].verdict = Verdict::DoesNotHold;
    let page = report.html(&[]);
    assert!(page.contains("1 of the 2 published figures that should hold do; 1 do not."));
    let (ours, theirs) =
        (page.find("These should hold and do not"), page.find("What does not hold as published"));
    assert!(ours.is_some() && ours < theirs);
}

#[test]
fn at_a_scale_that_judges_nothing_no_verdict_is_given() {
    let mut report = report();
    for figure in &mut report.parts[0].figures {
        figure.verdict = Verdict::NotMeasured;
    }
    let page = report.html(&[]);
    assert!(!page.contains("class=\"score\""));
    assert!(page.contains("– not at this scale"));
    assert!(report.markdown().contains("the 4 published figures are judged at the published scale"));
}

#[test]
fn cells_stand_under_their_heads() {
    let page = report().html(&[]);
    let table = page.split("<table>").find(|table| table.contains("id=\"one\"")).unwrap();
    let of = |row: &str, tag: &str| -> Vec<String> {
        let cells = row.split(tag).skip(1);
        cells.map(|cell| cell.split('>').nth(1).unwrap().split('<').next().unwrap().to_owned()).collect()
    };
    let (head, body) = table.split_once("</thead>").unwrap();
    assert_eq!(of(head, "<th "), ["claim", "verdict", "published", "ours ± s.e.", "accepted"]);
    let first = body.split("</tr>").next().unwrap();
    assert_eq!(of(first, "<span class=\"line\"")[..], ["5.25 ± 0.27", "4.4 to 6.1"]);
    assert!(first.find("✓ holds") < first.find("5.25"));
}

#[test]
fn a_figure_of_several_numbers_has_a_line_for_each() {
    let mut two = figure("two", Verdict::Holds, true);
    two.values = vec![
        Compared { what: "moves, %".to_owned(), ..compared("80.0", 0.0) },
        Compared { what: "floor, %".to_owned(), ..compared("20.0", 0.5) },
    ];
    let chart = figures::bands(std::slice::from_ref(&two)).unwrap();
    let Body::Dots(dots) = &chart.body else { panic!("{chart:?}") };
    assert!(dots.rows[1].name.ends_with(": floor, %"), "{dots:?}");
    let mut report = report();
    report.parts[0].figures = vec![two];
    let page = report.html(&[]);
    assert!(page.contains("<span class=\"line\">80.0</span>\n<span class=\"line\">20.0</span>"));
    assert!(page.contains("a text (moves, %; floor, %)"));
    assert!(report.markdown().contains("| 80.0; 20.0 |"));
}

#[test]
fn a_place_far_outside_its_band_stays_on_the_picture() {
    let mut far = figure("far", Verdict::DoesNotHold, false);
    far.values[0].place = Some(Place { ours: 1e6, error: 1e5, published: Some(-50.0) });
    let chart = figures::bands(&[far, figure("near", Verdict::Holds, true)]).unwrap();
    let Body::Dots(dots) = &chart.body else { panic!("{chart:?}") };
    let mark = dots.rows[0].marks[0].unwrap();
    assert!(mark.value + mark.error <= 2.5, "{mark:?}");
    assert_eq!(dots.rows[0].published, None);
    assert_eq!(figures::bands(&[figure("alone", Verdict::Holds, true)]), None);
}

#[test]
fn markdown_keeps_its_tables_whatever_the_text() {
    let text = report().markdown();
    assert!(
        text.contains("| claim \\<one\\> & \\| more | a text | 5.3 | 5.25 ± 0.27 | 4.4 to 6.1 | holds |"),
        "{text}"
    );
    assert!(text.contains("- **does not hold**: claim \\<three\\> & \\| more. reason of three"));
    assert!(text.contains("| holds | 2 |"));
    let fences = text.lines().filter(|line| line.starts_with('|'));
    for line in fences {
        let bars = line.replace("\\|", "").matches('|').count();
        assert!([3, 7].contains(&bars), "{line}");
    }
}

#[test]
fn every_picture_of_the_summary_is_a_file() {
    let (text, report) = (report().markdown(), report());
    let pictures = report.pictures();
    assert_eq!(
        pictures.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
        ["summary-1.svg", "ring-1.svg"]
    );
    for (name, picture) in pictures {
        assert!(text.contains(&format!("](pictures/{name})")), "{name}");
        assert!(picture.starts_with("<svg") && picture.contains("prefers-color-scheme"));
    }
    assert_eq!(text.matches("](pictures/").count(), 2);
}

#[test]
fn the_same_report_is_the_same_bytes() {
    assert_eq!(report().html(&cost()), report().html(&cost()));
    assert_eq!(report().markdown(), report().markdown());
}
