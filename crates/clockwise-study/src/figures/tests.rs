//! The figures' files, and judgements at the edges of bands.

use std::collections::BTreeMap;

use super::*;
use crate::experiment::{Experiment, Scale, catalogue};
use crate::kernel::Measures;
use crate::results::{Cell, Outcome, Part as Measured, Results};

#[test]
fn there_are_234_figures_of_five_texts() {
    let figures = figures().unwrap();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for figure in &figures {
        *counts.entry(figure.source()).or_default() += 1;
    }
    let expected =
        [("handbook", 62), ("load-cap", 63), ("ring-lab", 32), ("thousand-points", 51), ("why-ring", 26)];
    assert_eq!(counts.into_iter().collect::<Vec<_>>(), expected);
    let of = |expected| figures.iter().filter(|figure| figure.expected == expected).count();
    let counts = Expected::WORDS.map(|(name, expected)| (name, of(expected)));
    assert_eq!(
        counts,
        [("holds", 192), ("narrow", 7), ("does-not-hold", 7), ("historical", 23), ("cost", 5)]
    );
}

#[test]
fn every_part_names_what_an_experiment_of_the_catalogue_measures() {
    let catalogue = catalogue().unwrap();
    for figure in figures().unwrap() {
        for part in &figure.parts {
            let id = &figure.id;
            let experiment = catalogue.iter().find(|experiment| experiment.name == part.experiment);
            let experiment = experiment.unwrap_or_else(|| panic!("{id}: no experiment {}", part.experiment));
            let ways = std::iter::once((&part.at, &part.metric)).chain(part.over.iter().map(|(a, m)| (a, m)));
            for (at, metric) in ways {
                assert!(experiment.kernel.metric(metric).is_some(), "{id}: no metric {metric}");
                let at: Vec<(&str, &str)> = at.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
                let there = experiment.settings(Scale::Published).any(|setting| setting.has(&at));
                assert!(there, "{id}: no setting {at:?}");
            }
            assert!(part.low <= part.high, "{id}");
        }
    }
}

/// Two settings of a ring with two seeds, and these values of `join`.
fn results(scale: Scale, values: [[f64; 2]; 2]) -> Results {
    let text = r#"
        name = "ring"
        title = "t"
        question = "q?"
        measure = "ring"
        grid = [{ servers = [10, 100], points = 1 }]
        quick = { keys = 10, seeds = 2, only = { servers = 10 } }
        published = { keys = 10, seeds = 2 }
    "#;
    let experiment = Experiment::parse("ring.toml", text.as_bytes()).unwrap();
    let experiment = Experiment { shipped: true, ..experiment };
    let cell = |(setting, values): (_, [f64; 2])| Cell {
        setting,
        runs: values
            .map(|value| {
                let mut measures = Measures::default();
                measures.put("join", value);
                Outcome { seed: 1, measures }
            })
            .to_vec(),
    };
    let settings: Vec<_> = experiment.settings(scale).cloned().collect();
    let cells = settings.into_iter().zip(values).map(cell).collect();
    Results { scale, root_seed: 1, parts: vec![Measured { experiment, cells, cpu_seconds: 0.0 }] }
}

fn figure(expected: &str, part: &str) -> Figure {
    let text = format!(
        "[[figure]]\nid = \"a/b\"\nclaim = \"c\"\npublished = \"1\"\nverdict = \"{expected}\"\n[[figure.part]]\n\
         experiment = \"ring\"\nmetric = \"join\"\npublished = 1\n{part}"
    );
    file::parse("figures.toml", text.as_bytes()).unwrap().remove(0)
}

fn judged(figure: &Figure, results: &Results) -> (Judgement, Option<f64>) {
    let findings = judge(std::slice::from_ref(figure), results);
    (findings[0].judgement, findings[0].ours[0].map(|ours| ours.value))
}

#[test]
fn a_band_includes_its_ends_and_what_was_expected_decides_the_rest() {
    let results = results(Scale::Published, [[1.0, 3.0], [5.0, 9.0]]);
    let at = "at = \"servers=10\"\n";
    let band = |low: f64, high: f64| format!("{at}low = {low:?}\nhigh = {high:?}");
    for (low, high) in [(2.0, 2.0), (2.0, 5.0), (1.0, 2.0)] {
        assert_eq!(judged(&figure("holds", &band(low, high)), &results), (Judgement::Holds, Some(2.0)));
    }
    let outside = band(2.1, 5.0);
    for (expected, judgement) in
        [("holds", Judgement::Fails), ("narrow", Judgement::Fails), ("does-not-hold", Judgement::DoesNotHold)]
    {
        assert_eq!(judged(&figure(expected, &outside), &results), (judgement, Some(2.0)));
    }
}

#[test]
fn each_statistic_is_of_all_runs_of_the_settings_that_agree() {
    let results = results(Scale::Published, [[1.0, 3.0], [5.0, 9.0]]);
    let of = |more: &str| judged(&figure("narrow", &format!("{more}\nlow = 0.0\nhigh = 0.0")), &results).1;
    for (statistic, value) in [("mean", 4.5), ("least", 1.0), ("most", 9.0), ("sum", 18.0), ("runs", 4.0)] {
        assert_eq!(of(&format!("statistic = \"{statistic}\"")), Some(value), "{statistic}");
    }
    assert_eq!(of("times = 100"), Some(450.0));
    let over = "at = \"servers=100\"\nover = { at = \"servers=10\", metric = \"join\" }";
    assert_eq!(of(over), Some(3.5));
    // 1 is one standard error from the mean of 1 and 3, and three of them from that of 5 and 9.
    for (errors, cells) in [(0.9, 0.0), (1.0, 1.0), (2.9, 1.0), (3.0, 2.0)] {
        let within = format!("statistic = \"cells-within\"\ntheory = \"one\"\nerrors = {errors:?}");
        assert_eq!(of(&within), Some(cells), "{errors} errors");
    }
}

#[test]
fn what_is_not_measured_as_it_is_meant_is_not_judged() {
    let holds = |at: &str| figure("holds", &format!("{at}low = 2.0\nhigh = 2.0"));
    let quick = results(Scale::Quick, [[1.0, 3.0], [0.0, 0.0]]);
    assert_eq!(judged(&holds("at = \"servers=10\"\n"), &quick).0, Judgement::Holds);
    // One setting of the two was run, or none.
    for at in ["", "at = \"servers=100\"\n"] {
        assert_eq!(judged(&holds(at), &quick), (Judgement::NotMeasured, None), "{at}");
    }
    let mut own = results(Scale::Published, [[1.0, 3.0], [1.0, 3.0]]);
    assert_eq!(judged(&holds(""), &own).0, Judgement::Holds);
    own.parts[0].experiment.shipped = false;
    assert_eq!(judged(&holds(""), &own).0, Judgement::NotMeasured);
    let mut fewer = results(Scale::Quick, [[1.0, 3.0], [1.0, 3.0]]);
    fewer.parts[0].experiment.quick.keys = 5;
    assert_eq!(judged(&holds("at = \"servers=10\"\n"), &fewer).0, Judgement::NotMeasured);
}

#[test]
fn figures_are_shown_of_experiments_that_were_run_and_history_of_the_whole_study() {
    let figures = figures().unwrap();
    let mut results = results(Scale::Published, [[1.0, 3.0], [1.0, 3.0]]);
    let shown = |results: &Results| {
        let kept = of_what_was_run(judge(&figures, results), results);
        let is_of_ring = |finding: &Finding<'_>| finding.figure.parts.iter().any(|p| p.experiment == "ring");
        (kept.len(), kept.iter().filter(|finding| is_of_ring(finding)).count())
    };
    let (all, of_ring) = shown(&results);
    assert!(all > 0 && all == of_ring, "{all} figures, {of_ring} of the ring");
    for name in ["shares", "mod-n", "schemes", "maglev", "bounded", "load-cap", "held-cap", "labels"] {
        let mut more = results.parts[0].clone();
        more.experiment.name = name.to_owned();
        results.parts.push(more);
    }
    assert!(shown(&results).0 > all);
    for name in ["ring-lab", "samples", "formulas"] {
        let mut more = results.parts[0].clone();
        more.experiment.name = name.to_owned();
        results.parts.push(more);
    }
    assert_eq!(shown(&results).0, figures.len());
    for part in &mut results.parts {
        part.experiment.shipped = false;
    }
    assert_eq!(shown(&results), (0, 0));
}

#[test]
fn figures_that_cannot_be_measured_are_listed_in_the_csv() {
    let figures = figures().unwrap();
    let results = results(Scale::Published, [[1.0, 3.0], [1.0, 3.0]]);
    let mut out = Vec::new();
    write_csv(&judge(&figures, &results), &mut out).unwrap();
    let mut reader = csv::Reader::from_reader(&out[..]);
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let parts: usize = figures.iter().map(|figure| figure.parts.len().max(1)).sum();
    assert_eq!(rows.len(), parts);
    let nothing = rows.iter().filter(|row| &row[10] == "nothing to measure").count();
    assert_eq!(nothing, 28);
}
