//! Every kind of chart on one page, with the data that is hardest on its layout: names that are long,
//! curves that end in one place, nothing at all. `cargo run -p clockwise-study --example gallery FILE`
//! writes the page; the browser tests look at it.

use std::process::ExitCode;

use clockwise::hash::SplitMix64;
use clockwise_study::draw::{
    Axis, Body, Chart, Dots, Heat, HeatRow, Mark, Panel, Plot, Point, Row, Rule, Series, Strip, Strips, Unit,
};
use clockwise_study::report::{Compared, Cost, Figure, Part, Place, Report, Verdict};
use clockwise_study::theory;

fn main() -> ExitCode {
    let Some(file) = std::env::args().nth(1) else {
        eprintln!("usage: gallery FILE");
        return ExitCode::from(2);
    };
    let cost = [Cost { part: "curves".to_owned(), runs: 660, cpu_seconds: 12.345 }];
    match std::fs::write(&file, report().html(&cost)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{file}: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Noise from −0.5 to 0.5, the same in every run.
fn noise(seed: u64) -> f64 {
    SplitMix64::mix(seed) as f64 / 2_f64.powi(64) - 0.5
}

fn axis(label: &str, unit: Unit, log: bool) -> Axis {
    Axis { label: label.to_owned(), unit, log }
}

fn chart(title: &str, subtitle: &str, body: Body) -> Chart {
    Chart { title: title.to_owned(), subtitle: subtitle.to_owned(), body }
}

/// Means around a theory, with errors.
fn ring() -> Plot {
    let series = [10_u64, 100, 1000].into_iter().map(|servers| {
        let at = |power: u32| 1_u64 << power;
        let theory: Vec<(f64, f64)> = (0..=10)
            .map(|power| (at(power) as f64, theory::expected_busiest(servers, at(power)).unwrap_or(1.0)))
            .collect();
        let points = theory.iter().map(|(x, y)| {
            let error = (y - 1.0) * 0.06;
            Point { x: *x, y: y + error * 1.5 * noise(servers ^ x.to_bits()), error }
        });
        Series { name: format!("{servers} servers"), points: points.collect(), theory }
    });
    Plot {
        x: axis("points per server", Unit::default(), true),
        y: axis("busiest ÷ mean, by arcs", Unit::times(), true),
        panels: vec![Panel {
            title: String::new(),
            series: series.collect(),
            rules: vec![Rule { at: 1.0, label: "the mean".to_owned() }],
        }],
        theory: "theory: E[max of n Gamma(v)] ÷ v".to_owned(),
    }
}

/// Curves that all end in one place, with names that are long.
fn crowded() -> Plot {
    let names = [
        "re-placed in a fixed order",
        "incremental",
        "rendezvous",
        "jump",
        "Maglev, 65,537 slots",
        "ring, 160 points",
        "a name that nobody would give to a curve but somebody will",
        "multi-probe",
        "ninth",
    ];
    let series = names.iter().enumerate().map(|(at, name)| Series {
        name: (*name).to_owned(),
        points: (1..=6)
            .map(|x| {
                let y = 1.0 + 1.0 / f64::from(x) * (at as f64 + 1.0) * 0.3;
                Point { x: f64::from(x) * 0.2 + 0.8, y, error: 0.05 }
            })
            .collect(),
        theory: Vec::new(),
    });
    Plot {
        x: axis("cap c", Unit::times(), false),
        y: axis("keys moved ÷ minimum, when a server joins", Unit::times(), false),
        panels: vec![Panel { title: String::new(), series: series.collect(), rules: Vec::new() }],
        theory: String::new(),
    }
}

/// Small multiples on one scale.
fn panels() -> Plot {
    let panels = [10, 100, 1000].map(|keys| Panel {
        title: format!("{keys} keys a server"),
        series: ["re-placed", "incremental"]
            .into_iter()
            .enumerate()
            .map(|(at, name)| Series {
                name: name.to_owned(),
                points: [0.01, 0.05, 0.1, 0.25, 0.5, 1.0]
                    .map(|x| {
                        let y = 1.0 + if at == 0 { 0.6 / (x * f64::from(keys)).sqrt() } else { 0.02 };
                        Point { x, y, error: 0.04 }
                    })
                    .into(),
                theory: Vec::new(),
            })
            .collect(),
        rules: Vec::new(),
    });
    Plot {
        x: axis("ε", Unit::default(), true),
        y: axis("keys moved ÷ minimum", Unit::times(), true),
        panels: panels.into(),
        theory: String::new(),
    }
}

fn gap() -> Dots {
    let rows = [0.01, 0.05, 0.1, 0.25, 1.0].into_iter().enumerate().map(|(at, epsilon)| Row {
        name: format!("ε = {epsilon}"),
        group: match at {
            0 => "One point a server".to_owned(),
            3 => "160 points a server".to_owned(),
            _ => String::new(),
        },
        marks: vec![
            Some(Mark { value: 12.0 / (1.0 + at as f64 * 2.0), error: 0.5 }),
            (at != 4).then_some(Mark { value: 1.02, error: 0.01 }),
        ],
        ..Row::default()
    });
    Dots {
        x: axis("keys moved ÷ minimum, when a server leaves", Unit::times(), true),
        series: vec!["re-placed".to_owned(), "incremental".to_owned()],
        rows: rows.collect(),
        joined: true,
        rules: vec![Rule { at: 1.0, label: "the minimum".to_owned() }],
        bare: false,
    }
}

fn strips() -> Strips {
    let rows = (0..10_u64).map(|row| {
        let clustered = row >= 5;
        let places = (0..50_u64).map(|point| {
            let place = 0.5 + noise(row * 100 + if clustered { point % 5 } else { point });
            let near = if clustered { noise(row * 1000 + point) * 0.02 } else { 0.0 };
            (place + near).rem_euclid(1.0)
        });
        Strip {
            name: format!("node-{}", row % 5),
            group: match row {
                0 => "MurmurHash3".to_owned(),
                5 => "FNV-1a: labels that differ in the last character lie side by side".to_owned(),
                _ => String::new(),
            },
            places: places.collect(),
            note: format!("{:.1}%", 20.0 + 10.0 * noise(row)),
        }
    });
    Strips { label: "the circle, from 0 to 2³²".to_owned(), rows: rows.collect() }
}

fn heat() -> Heat {
    let names =
        ["xxh3-64", "murmur3-128", "md5", "siphash-2-4", "fnv1a-64", "one-at-a-time", "crc32", "djb2"];
    let rows = names.into_iter().enumerate().map(|(at, name)| HeatRow {
        name: name.to_owned(),
        cells: (0..5_u64)
            .map(|column| {
                let bad = if at > 3 { 3.0_f64.powi(at as i32 - 3) } else { 1.0 };
                (at != 6 || column != 2).then_some(bad + 0.2 * noise(column + at as u64 * 10))
            })
            .collect(),
        note: if at > 3 { "unfit" } else { "fit" }.to_owned(),
    });
    Heat {
        label: "busiest arc ÷ expected".to_owned(),
        unit: Unit::times(),
        columns: ["node-0#0", "host:port-0", "name_0", "sequential keys", "0-node"].map(str::to_owned).into(),
        rows: rows.collect(),
        log: true,
        limit: Some(1.5),
    }
}

fn lone() -> Plot {
    let point = Point { x: 5.0, y: 0.8, error: 0.0 };
    let series = Series { name: String::new(), points: vec![point], theory: Vec::new() };
    Plot {
        x: axis("servers", Unit::default(), false),
        y: axis("keys moved", Unit::percent(), false),
        panels: vec![Panel { title: String::new(), series: vec![series], rules: Vec::new() }],
        theory: String::new(),
    }
}

fn figure(at: u64) -> Figure {
    let verdict = match at {
        7 => Verdict::DoesNotHold,
        8 => Verdict::Narrow,
        9 => Verdict::Historical,
        _ => Verdict::Holds,
    };
    let place = Place {
        ours: if at == 7 { 4.2 } else { noise(at) * 1.6 },
        error: 0.3,
        published: (at != 8).then(|| noise(at + 50)),
    };
    let value = |what: &str| Compared {
        what: what.to_owned(),
        ours: "5.25 ± 0.27".to_owned(),
        band: "4.39 to 6.10".to_owned(),
        place: Some(place),
    };
    let values = if at == 5 { vec![value("moves, %"), value("floor, %")] } else { vec![value("")] };
    Figure {
        id: format!("f-{at}"),
        claim: match at {
            2 => "a claim that is much longer than any claim has a right to be, so that it breaks in two lines \
                  and then in three"
                .to_owned(),
            3 => "<script>alert(1)</script> & \"quotes\"".to_owned(),
            _ => format!("the busiest of 100 servers with {at} points carries so much more than the mean"),
        },
        source: "thousand-points".to_owned(),
        published: "5.3×".to_owned(),
        values: if verdict == Verdict::Historical { Vec::new() } else { values },
        verdict,
        expected: verdict == Verdict::Holds,
        reason: match verdict {
            Verdict::Holds => String::new(),
            _ => "the cap steps from 11 to 12 for every server at once, so displaced keys return".to_owned(),
        },
    }
}

fn report() -> Report {
    let part = |name: &str, title: &str, charts: Vec<Chart>, figures: Vec<Figure>| Part {
        name: name.to_owned(),
        title: title.to_owned(),
        question: "How even is it, what does theory say, and what do a join and a leave move?".to_owned(),
        method: "Keys and points are random 64-bit numbers.\n\nA second paragraph.".to_owned(),
        ran: "33 settings of servers and points, 20 seeds each, 1,000,000 keys a run.".to_owned(),
        charts,
        figures,
        ..Part::default()
    };
    let named = "<b>\u{202e}names & \"quotes\"</b>";
    let hostile = Dots {
        x: axis(named, Unit { factor: 1.0, suffix: " <µs>".to_owned() }, false),
        series: vec![named.to_owned()],
        rows: vec![Row {
            name: named.repeat(4),
            marks: vec![Some(Mark { value: 1e9, error: 1e8 })],
            band: Some((0.0, 2e9)),
            published: Some(1.2e9),
            ..Row::default()
        }],
        ..Dots::default()
    };
    Report {
        title: "The gallery".to_owned(),
        ran: "Published scale, seed 1: 1,608 runs.".to_owned(),
        front: vec![chart(
            "A ring evens out slowly: 1,024 points leave 8% on the busiest of 100 servers",
            "Mean of 20 random rings; a million keys.",
            Body::Plot(ring()),
        )],
        parts: vec![
            part(
                "curves",
                "Curves",
                vec![
                    chart("Curves that end in one place have labels apart", "", Body::Plot(crowded())),
                    chart("Small multiples share their scales", "Bounded loads.", Body::Plot(panels())),
                ],
                (0..10).map(figure).collect(),
            ),
            part(
                "rows",
                "Rows and strips",
                vec![
                    chart("Moving only what must move costs nothing", "The gap.", Body::Dots(gap())),
                    chart("FNV-1a bunches a server's points", "50 points a server.", Body::Strips(strips())),
                    chart("Half of these hashes are unfit", "Points of labels.", Body::Heat(heat())),
                ],
                vec![Figure { id: "lone".to_owned(), ..figure(1) }],
            ),
            part(
                "edges",
                "Little, nothing, and nonsense",
                vec![
                    chart("One point", "", Body::Plot(lone())),
                    chart(
                        "Numbers of several kinds",
                        "No picture.",
                        Body::Numbers(chart("", "", Body::Plot(ring())).table()),
                    ),
                    chart("Nothing", "", Body::Plot(Plot::default())),
                    chart("Nothing", "", Body::Dots(Dots::default())),
                    chart("Nothing", "", Body::Strips(Strips::default())),
                    chart("Nothing", "", Body::Heat(Heat::default())),
                    chart(named, named, Body::Dots(hostile)),
                ],
                Vec::new(),
            ),
        ],
        unmeasured: vec![Figure { id: "past".to_owned(), ..figure(9) }],
    }
}
