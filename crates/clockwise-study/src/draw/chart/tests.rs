//! Charts, read back as XML and held to the data they were made of.

use roxmltree::{Document, Node};

use super::super::Unit;
use super::*;

fn chart(body: Body) -> Chart {
    Chart { title: "A finding".to_owned(), subtitle: "How it was measured".to_owned(), body }
}

fn axis(label: &str, log: bool) -> Axis {
    Axis { label: label.to_owned(), unit: Unit::default(), log }
}

/// All three pictures of a chart.
fn pictures(chart: &Chart) -> [String; 3] {
    [chart.picture(), chart.inline(Width::Wide), chart.inline(Width::Narrow)]
}

fn with_class<'a>(document: &'a Document, class: &str) -> Vec<Node<'a, 'a>> {
    let has = |node: &Node| node.attribute("class").is_some_and(|all| all.split(' ').any(|one| one == class));
    document.descendants().filter(has).collect()
}

fn texts<'a>(document: &'a Document) -> Vec<&'a str> {
    document.descendants().filter(|n| n.has_tag_name("text")).filter_map(|n| n.text()).collect()
}

/// The numbers of a path, in its order.
fn numbers(path: &str) -> Vec<f64> {
    let parts = path.split(|c: char| c.is_ascii_alphabetic() || c == ' ').filter(|part| !part.is_empty());
    parts.map(|part| part.parse().unwrap()).collect()
}

/// The vertices of a path of straight lines.
fn vertices(node: &Node) -> Vec<(f64, f64)> {
    numbers(node.attribute("d").unwrap()).chunks(2).map(|pair| (pair[0], pair[1])).collect()
}

/// The centre of a round mark, whose path begins at its left.
fn centre(node: &Node) -> (f64, f64) {
    let all = numbers(node.attribute("d").unwrap());
    (all[0] + 4.0, all[1])
}

/// y = 16 ÷ x, measured and in theory, on logarithmic axes: a straight line.
fn hyperbola() -> Plot {
    let at = |x: f64| Point { x, y: 16.0 / x, error: 1.0 / x };
    let points: Vec<Point> = [1.0, 4.0, 16.0].map(at).into();
    let theory = points.iter().map(|point| (point.x, point.y)).collect();
    Plot {
        x: axis("points", true),
        y: axis("ratio", true),
        panels: vec![Panel {
            series: vec![Series { name: "ten".to_owned(), points, theory }],
            rules: vec![Rule { at: 2.0, label: "two".to_owned() }],
            ..Panel::default()
        }],
        theory: "16 ÷ x".to_owned(),
    }
}

#[test]
fn marks_lie_where_their_values_are_and_theory_goes_through_them() {
    for picture in pictures(&chart(Body::Plot(hyperbola()))) {
        let document = Document::parse(&picture).unwrap();
        let marks: Vec<(f64, f64)> = with_class(&document, "m0").iter().map(centre).collect();
        let [first, middle, last] = marks[..] else { panic!("{marks:?}") };
        // Equal ratios are equal steps, to the hundredth that coordinates have.
        assert!((f64::midpoint(first.0, last.0) - middle.0).abs() < 0.02, "{marks:?}");
        assert!((f64::midpoint(first.1, last.1) - middle.1).abs() < 0.02, "{marks:?}");
        assert!(first.1 < last.1, "larger values are higher");
        let curves: Vec<Node> = with_class(&document, "theory")
            .into_iter()
            .filter(|n| n.attribute("class") != Some("grey-line theory"))
            .collect();
        assert_eq!(curves.len(), 1);
        for (mark, vertex) in marks.iter().zip(vertices(&curves[0])) {
            assert!((mark.0 - vertex.0).abs() < 0.011 && (mark.1 - vertex.1).abs() < 0.011);
        }
        // The rule at 2 lies a quarter of the way from 1 to 16.
        let rule = numbers(with_class(&document, "level")[0].attribute("d").unwrap())[1];
        let part = (last.1 - rule) / (last.1 - first.1);
        assert!((part - 0.25).abs() < 0.001, "{part}");
    }
}

#[test]
fn error_bars_reach_one_standard_error_to_each_side() {
    let mut plot = hyperbola();
    (plot.x.log, plot.y.log) = (false, false);
    plot.panels[0].series[0].points = vec![
        Point { x: 0.0, y: 10.0, error: 4.0 },
        Point { x: 1.0, y: 20.0, error: 0.0 },
        Point { x: 2.0, y: 0.0, error: 0.0 },
    ];
    let picture = chart(Body::Plot(plot)).inline(Width::Wide);
    let document = Document::parse(&picture).unwrap();
    let marks: Vec<(f64, f64)> = with_class(&document, "m0").iter().map(centre).collect();
    let pixels = (marks[2].1 - marks[1].1) / 20.0;
    let bars = with_class(&document, "error");
    assert_eq!(bars.len(), 1, "a point without an error has no bar");
    let all = numbers(bars[0].attribute("d").unwrap());
    assert!((all[1] - (marks[0].1 + 4.0 * pixels)).abs() < 0.02, "{all:?}, {marks:?}");
    assert!((all[3] - (marks[0].1 - 4.0 * pixels)).abs() < 0.02, "{all:?}, {marks:?}");
}

#[test]
fn curves_are_named_at_their_ends_and_signs_explained() {
    for picture in pictures(&chart(Body::Plot(hyperbola()))) {
        let document = Document::parse(&picture).unwrap();
        let all = texts(&document);
        for wanted in ["ten", "two", "points", "ratio", "measured: mean ± standard error", "16 ÷ x"] {
            assert_eq!(all.iter().filter(|text| **text == wanted).count(), 1, "{wanted}: {all:?}");
        }
        assert!(["1", "4", "16"].iter().all(|tick| all.contains(tick)), "settings are ticks: {all:?}");
    }
}

#[test]
fn the_table_has_every_number_of_a_plot() {
    let mut plot = hyperbola();
    let table = plot.table();
    assert_eq!(table.heads, ["points", "ten", "ten, theory"]);
    assert_eq!(table.rows[0], ["1", "16.0 ± 1.0", "16"]);
    assert_eq!(table.rows[2], ["16", "1.000 ± 0.062", "1"]);
    // A second panel, with a curve that the first has not.
    let mut second = plot.panels[0].clone();
    second.title = "twenty".to_owned();
    second.series[0] = Series { name: "other".to_owned(), theory: Vec::new(), ..second.series[0].clone() };
    plot.panels.push(second);
    let table = plot.table();
    assert_eq!(table.heads, ["", "points", "ten", "ten, theory", "other"]);
    assert_eq!(table.rows[3], ["twenty", "1", "", "", "16.0 ± 1.0"]);
}

fn rows() -> Dots {
    let row = |name: &str, value: f64, error: f64| Row {
        name: name.to_owned(),
        marks: vec![Some(Mark { value, error }), Some(Mark { value: value * 2.0, error: 0.0 })],
        ..Row::default()
    };
    Dots {
        x: axis("moved", false),
        series: vec!["before".to_owned(), "after".to_owned()],
        rows: vec![
            Row { band: Some((1.0, 3.0)), published: Some(2.5), ..row("one", 2.0, 0.5) },
            Row { group: "the rest".to_owned(), ..row("two", 5.0, 0.0) },
        ],
        joined: true,
        ..Dots::default()
    }
}

#[test]
fn rows_show_value_error_band_and_publication_on_one_axis() {
    for picture in pictures(&chart(Body::Dots(rows()))) {
        let document = Document::parse(&picture).unwrap();
        // The sign in the key comes first.
        let marks: Vec<f64> = with_class(&document, "m0").iter().skip(1).map(|node| centre(node).0).collect();
        let pixel = (marks[1] - marks[0]) / 3.0;
        let at = |value: f64| marks[0] + (value - 2.0) * pixel;
        let near = |a: f64, b: f64| assert!((a - b).abs() < 0.05, "{a}, {b}");
        let band = numbers(with_class(&document, "accepted").last().unwrap().attribute("d").unwrap());
        near(band[0], at(1.0));
        near(band[2], at(3.0));
        let published = numbers(with_class(&document, "target").last().unwrap().attribute("d").unwrap());
        near(published[0], at(2.5));
        let error = numbers(with_class(&document, "error")[0].attribute("d").unwrap());
        near(error[0], at(1.5));
        near(error[2], at(2.5));
        let gaps = with_class(&document, "gap");
        assert_eq!(gaps.len(), 2);
        let gap = numbers(gaps[1].attribute("d").unwrap());
        near(gap[0], at(5.0));
        near(gap[2], at(10.0));
    }
    let table = rows().table();
    assert_eq!(table.heads, ["", "before", "after", "published", "accepted band"]);
    assert_eq!(table.rows[0], ["one", "2.00 ± 0.50", "4", "2.5", "1 to 3"]);
    assert_eq!(table.rows[1], ["the rest: two", "5", "10", "", ""]);
}

#[test]
fn places_on_an_axis_without_numbers_are_in_no_table() {
    let mut bare = Dots { bare: true, ..rows() };
    bare.rows[0].note = "5.25 ± 0.27".to_owned();
    let table = bare.table();
    assert_eq!(table.heads, ["", "before"]);
    assert_eq!(table.rows[0], ["one", "5.25 ± 0.27"]);
    let picture = chart(Body::Dots(bare)).inline(Width::Wide);
    let document = Document::parse(&picture).unwrap();
    assert!(texts(&document).iter().all(|text| text.parse::<f64>().is_err()), "{:?}", texts(&document));
}

#[test]
fn points_lie_along_their_line() {
    let strips = Strips {
        label: "the circle".to_owned(),
        rows: vec![Strip {
            name: "node-0".to_owned(),
            places: vec![0.0, 0.25, 1.0, 1.5, f64::NAN],
            note: "20%".to_owned(),
            ..Strip::default()
        }],
    };
    let chart = chart(Body::Strips(strips));
    for picture in pictures(&chart) {
        let document = Document::parse(&picture).unwrap();
        let ticks: Vec<f64> = numbers(with_class(&document, "tick")[0].attribute("d").unwrap())
            .chunks(3)
            .map(|tick| tick[0])
            .collect();
        let [first, quarter, last] = ticks[..] else { panic!("what is outside is not drawn: {ticks:?}") };
        assert!(((quarter - first) / (last - first) - 0.25).abs() < 1e-4);
        let strip = numbers(with_class(&document, "strip")[0].attribute("d").unwrap());
        assert!((strip[0] - first).abs() < 0.01 && (strip[2] - last).abs() < 0.01);
    }
}

fn heat() -> Heat {
    Heat {
        label: "busiest ÷ expected".to_owned(),
        columns: vec!["a".to_owned(), "b".to_owned()],
        rows: vec![
            HeatRow { name: "good".to_owned(), cells: vec![Some(1.0), None], note: "fit".to_owned() },
            HeatRow {
                name: "bad".to_owned(),
                cells: vec![Some(100.0), Some(10.0)],
                note: "unfit".to_owned(),
            },
        ],
        log: true,
        limit: Some(10.0),
        ..Heat::default()
    }
}

#[test]
fn cells_are_shaded_by_their_value_and_framed_beyond_the_limit() {
    let picture = chart(Body::Heat(heat())).inline(Width::Wide);
    let document = Document::parse(&picture).unwrap();
    // 1, 10 and 100 are the first, the middle and the last of seven shades.
    for shade in ["h0", "h3", "h6"] {
        assert_eq!(with_class(&document, shade).len(), 1, "{shade}");
    }
    let framed = with_class(&document, "framed").last().unwrap().attribute("d").unwrap().matches('M').count();
    assert_eq!(framed, 1, "10 is not beyond 10");
    assert_eq!(with_class(&document, "most")[0].text(), Some("100"));
    let table = heat().table();
    assert_eq!(table.rows[0], ["good", "1.00", "", "fit"]);
    let said = "busiest ÷ expected, from 1.00 (good, a) to 100 (bad, a). 1 of 3 are above 10.";
    assert_eq!(heat().description(), said);
}

fn all_kinds() -> Vec<Chart> {
    let named = "</text><script>\" & 'ключ'";
    let mut plot = hyperbola();
    plot.panels[0].series[0].name = named.to_owned();
    plot.x.label = named.to_owned();
    let mut dots = rows();
    dots.rows[0].name = named.to_owned();
    let mut table = heat();
    table.columns[0] = named.to_owned();
    let strip = Strip { name: named.to_owned(), places: vec![0.5], ..Strip::default() };
    let strips = Strips { label: named.to_owned(), rows: vec![strip] };
    let bodies = [Body::Plot(plot), Body::Dots(dots), Body::Heat(table), Body::Strips(strips)];
    bodies.into_iter().map(|body| Chart { title: named.to_owned(), ..chart(body) }).collect()
}

#[test]
fn no_name_leaves_its_place_and_the_same_data_are_the_same_bytes() {
    for chart in all_kinds() {
        for (picture, again) in pictures(&chart).iter().zip(pictures(&chart)) {
            assert_eq!(*picture, again);
            let document = Document::parse(picture).unwrap();
            assert!(document.descendants().all(|node| !node.has_tag_name("script")));
            let root = document.root_element();
            assert_eq!(root.attribute("role"), Some("img"));
            let head: Vec<Node> = root.children().filter(Node::is_element).take(2).collect();
            assert_eq!(head[0].text(), Some(chart.title.as_str()));
            assert!(head[1].has_tag_name("desc") && head[1].text().is_some_and(|text| text.len() > 20));
            assert!(!picture.contains("NaN") && !picture.contains("href") && !picture.contains("url("));
        }
    }
}

#[test]
fn nothing_measured_is_said() {
    let bodies = [
        Body::Plot(Plot::default()),
        Body::Dots(Dots::default()),
        Body::Heat(Heat::default()),
        Body::Strips(Strips::default()),
    ];
    for body in bodies {
        for picture in pictures(&chart(body)) {
            assert!(picture.contains("Nothing was measured."), "{picture}");
        }
    }
}

#[test]
fn numbers_that_are_none_are_drawn_nowhere() {
    let mut plot = hyperbola();
    plot.panels[0].series[0].points.push(Point { x: 20.0, y: f64::NAN, error: f64::NAN });
    plot.panels[0].series[0].points.push(Point { x: f64::INFINITY, y: 1.0, error: 0.0 });
    for picture in pictures(&chart(Body::Plot(plot))) {
        let document = Document::parse(&picture).unwrap();
        assert_eq!(with_class(&document, "m0").len(), 3);
        assert!(!picture.contains("NaN") && !picture.contains("inf"));
    }
}
