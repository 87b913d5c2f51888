//! Pictures, read back as XML and held to what they show.

use std::collections::BTreeMap;
use std::f64::consts::TAU;

use clockwise::hash::Xxh3;
use clockwise::{Measured, Members, Ring, Server, ServerIx};
use roxmltree::{Document, Node};

use super::*;

fn fleet(count: usize) -> Members {
    Members::new((1..=count).map(|i| Server::new(format!("cache-{i}")).unwrap())).unwrap()
}

fn ring_of(members: &Members, points: u32) -> Ring<Xxh3> {
    Ring::builder(Xxh3).points_per_weight(points).build(members).unwrap()
}

fn picture(members: &Members, points: u32) -> String {
    let placement = ring_of(members, points);
    ring("a fleet", placement.servers(), placement.layout().unwrap())
}

fn texts<'a>(document: &'a Document, class: &str) -> Vec<&'a str> {
    let wanted = |node: &Node| {
        node.has_tag_name("text")
            && node.attribute("class").is_some_and(|all| all.split(' ').any(|one| one == class))
    };
    document.descendants().filter(wanted).filter_map(|node| node.text()).collect()
}

/// What fraction of a turn a path's arcs cover, read back from its coordinates.
fn turns(path: &str) -> f64 {
    let angle = |x: f64, y: f64| (x - 290.0).atan2(348.0 - y).rem_euclid(TAU);
    let mut sum = 0.0;
    for run in path.split('M').skip(1) {
        let mut stops = run.split('A').map(|stop| {
            let numbers: Vec<f64> = stop.split(' ').map(|number| number.parse().unwrap()).collect();
            angle(numbers[numbers.len() - 2], numbers[numbers.len() - 1])
        });
        let mut last = stops.next().unwrap();
        for stop in stops {
            let turned = (stop - last).rem_euclid(TAU);
            // Coordinates are rounded: a hair backwards is a hair, not a full turn.
            sum += if turned > TAU - 0.001 { turned - TAU } else { turned };
            last = stop;
        }
    }
    sum / TAU
}

/// Every server's drawn fraction: of the outer band, then of the inner one.
fn drawn(document: &Document) -> Vec<BTreeMap<String, f64>> {
    let bands = document.descendants().filter(|node| node.attribute("class") == Some("band"));
    bands
        .map(|band| {
            let paths = band.children().filter(|node| node.has_tag_name("path"));
            paths
                .map(|path| {
                    let tip = path.first_element_child().and_then(|title| title.text()).unwrap();
                    let name = tip.split([' ', ':']).nth(1).unwrap().to_owned();
                    (name, turns(path.attribute("d").unwrap()))
                })
                .collect()
        })
        .collect()
}

#[test]
fn the_arcs_drawn_add_up_to_the_exact_shares() {
    for (servers, points) in [(1, 1), (2, 1), (3, 1), (5, 8), (12, 16), (8, 160), (40, 40)] {
        let members = fleet(servers);
        let placement = ring_of(&members, points);
        let picture = ring("a fleet", placement.servers(), placement.layout().unwrap());
        let document = Document::parse(&picture).unwrap();
        let bands = drawn(&document);
        assert_eq!(bands.len(), 2);
        for (server, share) in placement.servers().iter().zip(placement.shares()) {
            for band in &bands {
                let drawn = band[server.name().as_str()];
                // A rounded end is off by at most 0.008 pixels of a circle of 1,030 or more.
                let most = f64::from(points) * 2.0 * 0.008 / 1030.0;
                assert!((drawn - share.as_f64()).abs() <= most, "{server:?}: {drawn} of {share}");
            }
        }
    }
}

#[test]
fn the_legend_says_the_shares_and_the_busiest() {
    let members = fleet(5);
    let placement = ring_of(&members, 40);
    let picture = picture(&members, 40);
    let document = Document::parse(&picture).unwrap();
    let shares: Vec<f64> = placement.shares().iter().map(|share| share.as_f64()).collect();
    let busiest = shares.iter().copied().fold(0.0, f64::max) * 5.0;
    assert_eq!(texts(&document, "big"), [format!("{busiest:.3}")]);
    assert_eq!(texts(&document, "most"), [format!("{busiest:.3}")], "the row of the busiest stands out");
    assert_eq!(texts(&document, "name"), ["cache-1", "cache-2", "cache-3", "cache-4", "cache-5"]);
    for share in shares {
        assert!(texts(&document, "number").contains(&percent(share).as_str()));
    }
    let description = document.descendants().find(|node| node.has_tag_name("desc")).unwrap();
    let start = "5 servers, 200 points. The busiest, cache-";
    assert!(description.text().unwrap().starts_with(start), "{:?}", description.text());
}

#[test]
fn weights_and_draining_count_against_the_target() {
    let members = Members::new([
        Server::new("one").unwrap(),
        Server::new("three").unwrap().with_weight(3).unwrap(),
        Server::new("none").unwrap().draining(),
    ])
    .unwrap();
    let placement = ring_of(&members, 40);
    let picture = picture(&members, 40);
    let document = Document::parse(&picture).unwrap();
    let numbers = texts(&document, "number");
    assert!(
        numbers.contains(&"draining") && numbers.contains(&"0%") && numbers.contains(&"120"),
        "{numbers:?}"
    );
    let by_name: BTreeMap<_, _> = placement
        .servers()
        .iter()
        .zip(placement.shares())
        .map(|(server, share)| (server.name().as_str().to_owned(), share.as_f64()))
        .collect();
    let busiest = (by_name["one"] * 4.0).max(by_name["three"] * 4.0 / 3.0);
    assert_eq!(texts(&document, "big"), [format!("{busiest:.3}")]);
}

#[test]
fn points_are_marked_while_they_can_be_told_apart() {
    let marks = |picture: &str| {
        let document = Document::parse(picture).unwrap();
        let path = document.descendants().find(|node| node.attribute("class") == Some("point"));
        path.map_or(0, |path| path.attribute("d").unwrap().matches('M').count())
    };
    assert_eq!(marks(&picture(&fleet(7), 23)), 161);
    assert_eq!(marks(&picture(&fleet(9), 160)), 1440);
    let more = picture(&fleet(10), 160);
    assert_eq!(marks(&more), 0);
    assert!(more.contains("points too many to mark"));
}

#[test]
fn a_thousand_servers_with_all_their_points_fit_a_megabyte() {
    let picture = picture(&fleet(1000), 160);
    assert!(picture.len() < 1_000_000, "{} bytes", picture.len());
    assert!(picture.contains("the main owner of each of 3,600 steps"));
    let document = Document::parse(&picture).unwrap();
    assert_eq!(texts(&document, "name").len(), 38);
    assert!(texts(&document, "muted").contains(&"… 962 servers between these"));
    // The listed ones go from the busiest down.
    let over: Vec<f64> = texts(&document, "number").iter().filter_map(|text| text.parse().ok()).collect();
    let over: Vec<f64> = over.into_iter().filter(|value| *value < 2.0).skip(1).collect();
    assert_eq!(over.len(), 38);
    assert!(over.is_sorted_by(|a, b| a >= b), "{over:?}");
    let covered: f64 = drawn(&document)[0].values().sum();
    assert!((covered - 1.0).abs() < 0.01, "{covered}");
}

#[test]
fn slots_are_drawn_as_slots() {
    let members = fleet(6);
    let owners: Vec<ServerIx> = (0..16_384).map(|slot| ServerIx::new(slot * 6 / 16_384)).collect();
    let layout = clockwise::Layout::Slots { owners: &owners, key_hash: "crc16" };
    let picture = ring("cluster", members.servers(), layout);
    let document = Document::parse(&picture).unwrap();
    assert!(texts(&document, "muted").contains(&"6 servers, 16,384 slots"));
    for drawn in drawn(&document)[0].values() {
        assert!((drawn - 1.0 / 6.0).abs() < 1e-4);
    }
}

#[test]
fn names_cannot_break_the_picture() {
    let names =
        ["</text><script>", "a & b", "\"quoted\"", "ключ-サーバー-🦀-with-a-very-long-name-indeed.example"];
    let members = Members::new(names.map(|name| Server::new(name).unwrap())).unwrap();
    let picture = picture(&members, 4);
    let document = Document::parse(&picture).unwrap();
    assert!(document.descendants().all(|node| !node.has_tag_name("script")));
    let mut shown = texts(&document, "name");
    shown.sort_unstable();
    assert_eq!(shown, ["\"quoted\"", "</text><script>", "a & b", "ключ-サーバ…eed.example"]);
    // Under the pointer the name is whole.
    let tips =
        document.descendants().filter(|node| node.has_tag_name("title")).filter_map(|node| node.text());
    assert!(tips.filter(|tip| tip.contains("-with-a-very-long-name-")).count() >= 2);
    let rows = names.map(|name| Bar { name, before: 0.5, after: 0.25, target: 0.25 });
    assert!(Document::parse(&bars("<&>", "\"", &rows)).is_ok());
}

#[test]
fn pictures_say_what_they_are_and_follow_the_readers_scheme() {
    let rows = [Bar { name: "cache-1", before: 1.0, after: 0.4, target: 0.5 }];
    for picture in [picture(&fleet(3), 4), bars("a fleet", "Share of 20,000 keys", &rows)] {
        let document = Document::parse(&picture).unwrap();
        let root = document.root_element();
        assert_eq!(root.attribute("role"), Some("img"));
        assert!(root.attribute("aria-label").unwrap().starts_with("a fleet. "));
        let children: Vec<_> = root.children().filter(Node::is_element).take(2).collect();
        assert_eq!((children[0].tag_name().name(), children[0].text()), ("title", Some("a fleet")));
        assert_eq!(children[1].tag_name().name(), "desc");
        assert!(picture.contains("@media (prefers-color-scheme:dark)"));
        assert!(!picture.contains("href") && !picture.contains("url("), "nothing is fetched");
    }
}

#[test]
fn bars_are_as_long_as_their_shares() {
    let rows = [
        Bar { name: "cache-1", before: 0.2513, after: 0.2, target: 0.2 },
        Bar { name: "cache-2", before: 0.0, after: 0.1854, target: 0.2 },
    ];
    let picture = bars("cache-2 joins", "Share of 20,000 keys", &rows);
    let document = Document::parse(&picture).unwrap();
    let widths = |class: &str| -> Vec<f64> {
        let bars = document.descendants().filter(|node| node.attribute("class") == Some(class));
        let of_rows = bars.filter(|node| node.attribute("x") == Some("230"));
        of_rows.map(|node| node.attribute("width").unwrap().parse().unwrap()).collect()
    };
    // 600 pixels are 30%.
    assert_eq!(widths("before"), [502.6, 0.0]);
    assert_eq!(widths("after"), [400.0, 370.8]);
    let changes = texts(&document, "number");
    assert_eq!(changes, ["25.1% → 20.0%", "0% → 18.5%"]);
    assert!(picture.contains("The largest share after is cache-1's, 20.0%; before it had 25.1%."));
}

#[test]
fn of_many_bars_those_that_change_most_are_drawn_in_their_order() {
    let names: Vec<String> = (0..100).map(|i| format!("s{i:02}")).collect();
    let rows: Vec<Bar> = names
        .iter()
        .enumerate()
        .map(|(i, name)| Bar {
            name,
            before: 0.01,
            after: if i % 5 < 2 { 0.02 } else { 0.0101 },
            target: 0.01,
        })
        .collect();
    let picture = bars("t", "s", &rows);
    let document = Document::parse(&picture).unwrap();
    let expected: Vec<&str> =
        names.iter().enumerate().filter(|(i, _)| i % 5 < 2).map(|(_, name)| name.as_str()).collect();
    assert_eq!(texts(&document, "end"), expected);
    assert!(picture.contains("The 40 of 100 servers whose shares change most."));
}

#[test]
fn bars_of_nothing_and_of_nonsense_are_pictures() {
    for rows in [
        vec![],
        vec![Bar { name: "a", before: 0.0, after: 0.0, target: 0.0 }],
        vec![Bar { name: "a", before: f64::NAN, after: f64::INFINITY, target: -1.0 }],
        vec![Bar { name: "a", before: 1e-12, after: 1e-300, target: 0.0 }],
    ] {
        let picture = bars("t", "s", &rows);
        Document::parse(&picture).unwrap();
        assert!(!picture.contains("NaN") && !picture.contains("inf"), "{picture}");
        assert!(picture.len() < 10_000);
    }
}

#[test]
fn short_names_stay_and_long_ones_lose_their_middle() {
    assert_eq!(shortened("cache-1", 7), "cache-1");
    assert_eq!(shortened("cache-12", 7), "cac…-12");
    assert_eq!(shortened("サーバー", 8), "サーバー");
    assert_eq!(shortened("サーバーサ", 8), "サー…サ");
    assert_eq!(shortened("abc", 0), "…");
}

#[test]
fn numbers_read_easily() {
    assert_eq!([0_u64, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    let shares = [0.0, 0.001, 0.00999, 0.01, 0.0999, 0.1, 1.0].map(percent);
    assert_eq!(shares, ["0%", "0.100%", "0.999%", "1.00%", "9.99%", "10.0%", "100.0%"]);
}
