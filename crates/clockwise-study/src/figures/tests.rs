//! The figures' files, and judgements at the edges of bands.

use std::collections::BTreeMap;

use super::*;
use crate::experiment::{Scale, catalogue};

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
